!> Predictions: how long moving a matrix takes, how long a kernel takes on a given grid or owner map, and which grid is
!! best (model.h).
!!
!! All formulas take a scalay_machine, measured by scalay_machine_measure; absent: scalay_machine_typical(). Extents
!! may be integer(c_int) or integer(c_int64_t), both of one kind. Nothing here is collective.
module scalay_model_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_size_t, c_char, c_ptr, c_null_ptr, c_loc, c_sizeof, &
    c_f_pointer, c_funloc
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, text_of, string_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  use scalay_layout_mod, only: scalay_layout
  use scalay_mapping_mod, only: scalay_traffic, scalay_traffic_summary
  use scalay_partition_mod, only: scalay_owner_map
  implicit none
  private
  public :: scalay_move, scalay_qr_cost, scalay_qr_candidate, scalay_qr_limits, scalay_qr_choice
  public :: scalay_machine_typical, scalay_move_from_traffic, scalay_model_move, scalay_model_qr, scalay_qr_limits_default
  public :: scalay_model_qr_choose, scalay_qr_choice_count, scalay_qr_choice_get_candidate, scalay_qr_choice_describe
  public :: scalay_qr_choice_destroy
  public :: scalay_multiply_time, scalay_model_multiply
  public :: scalay_model_driver
  public :: scalay_hockney_time, scalay_model_message, scalay_model_startup, scalay_model_summa, scalay_model_paraleph
  public :: SCALAY_STENCIL_VOLUME, SCALAY_STENCIL_STEPS
  public :: scalay_stencil_problem, scalay_stencil_cost, scalay_stencil_candidate, scalay_stencil_choice
  public :: scalay_stencil_problem_default, scalay_stencil_problem_on, scalay_model_stencil
  public :: scalay_model_stencil_choose, scalay_stencil_choice_count, scalay_stencil_choice_get_candidate
  public :: scalay_stencil_choice_runs, scalay_stencil_choice_layout, scalay_stencil_choice_describe
  public :: scalay_stencil_choice_destroy

  !> How what a stencil communicates adds up: all of it, or the most that a process sends or receives.
  integer(c_int), parameter :: SCALAY_STENCIL_VOLUME = 0
  integer(c_int), parameter :: SCALAY_STENCIL_STEPS = 1

  !> A distribution to run a stencil on, with its prediction.
  type :: scalay_stencil_candidate
    character(:), allocatable :: name  !< "owner", "canonical", "volume", "steps", "blocks" or "search"
    integer(c_int) :: processes = 0    !< that get items
    integer(c_int64_t) :: runs = 0     !< of consecutive items of one owner
    type(scalay_stencil_cost) :: cost  !< predicted
  end type scalay_stencil_candidate

  !> Distributions to run a stencil on, the best first.
  type, extends(scalay_object) :: scalay_stencil_choice
  contains
    procedure, pass(choice) :: choose => scalay_model_stencil_choose
    procedure :: count => scalay_stencil_choice_count
    procedure :: get_candidate => scalay_stencil_choice_get_candidate
    procedure :: runs => scalay_stencil_choice_runs
    procedure :: layout => scalay_stencil_choice_layout
    procedure :: describe => scalay_stencil_choice_describe
    procedure :: destroy => scalay_stencil_choice_destroy
  end type scalay_stencil_choice

  public :: scalay_gemm_cost, scalay_model_qr_speeds, scalay_model_gemm, scalay_kernel_name, scalay_kernel_cost
  public :: scalay_advice, scalay_advice_candidate, scalay_advice_create, scalay_advice_count, scalay_advice_get_candidate
  public :: scalay_advice_layout, scalay_advice_should_move, scalay_advice_describe, scalay_advice_destroy

  ! What is to be run on a matrix.
  integer(c_int), parameter, public :: SCALAY_KERNEL_QR = 0       !< p?geqrf
  integer(c_int), parameter, public :: SCALAY_KERNEL_GEMM = 1     !< p?gemm: C := A B + C, all square and placed alike
  integer(c_int), parameter, public :: SCALAY_KERNEL_STENCIL = 2  !< the three-point stencil on a ring
  integer(c_int), parameter, public :: SCALAY_KERNEL_OTHER = 3    !< the caller's, with a cost function
  integer(c_int), parameter, public :: SCALAY_KERNEL_LU = 4       !< p?getrf, or the engine of scalay_factor
  integer(c_int), parameter, public :: SCALAY_KERNEL_CHOLESKY = 5 !< p?potrf, or the engine; the matrix is square

  ! Drivers of ScaLAPACK that are predicted.
  integer(c_int), parameter, public :: SCALAY_DRIVER_GETRI = 0 !< p?getri
  integer(c_int), parameter, public :: SCALAY_DRIVER_SYEV = 1  !< p?syev, p?heev
  integer(c_int), parameter, public :: SCALAY_DRIVER_SYEVD = 2 !< p?syevd, p?heevd
  integer(c_int), parameter, public :: SCALAY_DRIVER_SYEVR = 3 !< p?syevr, p?heevr
  integer(c_int), parameter, public :: SCALAY_DRIVER_SYEVX = 4 !< p?syevx, p?heevx
  integer(c_int), parameter, public :: SCALAY_DRIVER_SYGVX = 5 !< p?sygvx, p?hegvx
  integer(c_int), parameter, public :: SCALAY_DRIVER_GESVD = 6 !< p?gesvd

  !> Grids for p?geqrf, the fastest first.
  type, extends(scalay_object) :: scalay_qr_choice
  contains
    procedure, private, pass(choice) :: choose_long
    procedure, private, pass(choice) :: choose_int
    generic :: choose => choose_long, choose_int
    procedure :: count => scalay_qr_choice_count
    procedure :: get_candidate => scalay_qr_choice_get_candidate
    procedure :: describe => scalay_qr_choice_describe
    procedure :: destroy => scalay_qr_choice_destroy
  end type scalay_qr_choice

  interface scalay_model_multiply
    module procedure model_multiply_long, model_multiply_int
  end interface scalay_model_multiply

  !> Ways to run a kernel, the fastest first.
  type, extends(scalay_object) :: scalay_advice
  contains
    procedure, pass(advice) :: advise => scalay_advice_create
    procedure :: count => scalay_advice_count
    procedure :: get_candidate => scalay_advice_get_candidate
    procedure :: layout => scalay_advice_layout
    procedure :: should_move => scalay_advice_should_move
    procedure :: describe => scalay_advice_describe
    procedure :: destroy => scalay_advice_destroy
  end type scalay_advice

  !> A candidate and its predicted time.
  type :: scalay_advice_candidate
    character(:), allocatable :: name        !< "owner" (staying), or mapping, grid and block, such as "volume:2x3:64"
    integer(c_int) :: nprow = 0              !< rows of the grid; 0: not a grid
    integer(c_int) :: npcol = 0              !< columns of the grid; 0: not a grid
    integer(c_int) :: nb = 0                 !< columns of a block; 0: not a grid
    integer(c_int64_t) :: volume = 0         !< elements that change process
    integer(c_int64_t) :: steps = 0          !< one-port steps of the move
    real(c_double) :: move_seconds = 0       !< moves of all matrices, in both directions with bring_back
    real(c_double) :: kernel_seconds = 0     !< all runs of the kernel
    real(c_double) :: seconds = 0            !< sum of the two
    integer(c_int) :: mb = 0                 !< rows of a block; 0: not a grid
    character(:), allocatable :: routine     !< "p?geqrf", "p?gemm", "SUMMA", "stencil" or "other"
  end type scalay_advice_candidate

  abstract interface
    !> Predicted seconds of one run of the caller's kernel on a layout, which is borrowed: its C object; negative: it
    !! cannot run there.
    real(c_double) function scalay_kernel_cost(layout, context) bind(C)
      import :: c_double, c_ptr
      type(c_ptr), value :: layout, context
    end function scalay_kernel_cost
  end interface

  interface scalay_model_qr
    module procedure model_qr_long, model_qr_int
  end interface scalay_model_qr

  interface scalay_model_qr_choose
    module procedure choose_long, choose_int
  end interface scalay_model_qr_choose

contains

  include "scalay_advice.inc"
  include "scalay_hockney.inc"

  !> The rates of an ordinary cluster node's core and network, for when nothing was measured.
  type(scalay_machine) function scalay_machine_typical()
    scalay_machine_typical = c_machine_typical()
  end function scalay_machine_typical

  !> Counts what a mapping moves.
  !! @param[in]  traffic  a traffic matrix
  !! @param[in]  process  shape [parts]: where each part goes (0-based), as in scalay_traffic_cost
  !! @param[out] move     all zero after a failure
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_move_from_traffic(traffic, process, move, status)
    class(scalay_traffic), intent(in) :: traffic
    integer(c_int), intent(in) :: process(:)
    type(scalay_move), intent(out) :: move
    integer(c_int), intent(out), optional :: status
    type(scalay_move) :: counted
    type(scalay_traffic_summary) :: summary
    integer(c_int) :: code
    call traffic%get_summary(summary, code)
    if (size(process) < summary%parts) then
      code = fail(SCALAY_ERROR_ARGUMENT, "scalay_move_from_traffic: process has fewer elements than the traffic has parts")
    else
      code = c_move_from_traffic(traffic%c_object(), process, counted)
    end if
    if (code == SCALAY_SUCCESS) move = counted
    call return_status(code, status)
  end subroutine scalay_move_from_traffic

  !> The predicted seconds of a redistribution of elements of a type; 0 when nothing is to be done; -1 when an argument
  !! is not valid. See model.h for the formula.
  pure real(c_double) function scalay_model_move(type, move, machine)
    integer(c_int), intent(in) :: type
    type(scalay_move), intent(in) :: move
    type(scalay_machine), intent(in), optional :: machine
    scalay_model_move = c_model_move(machine, type, move)
  end function scalay_model_move

  !> Predicts C := A B on an owner map of C; A and B are cut like C (model.h).
  !! @param[in]  type              SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
  !! @param[in]  map               of C
  !! @param[in]  k                 columns of A, at least 0
  !! @param[out] time              all zero after a failure
  !! @param[in]  seconds_per_flop  shape [parts of the map]: rate of the process of each part; absent: that of the machine
  !! @param[in]  panel             columns of A of a step; absent: 256
  !! @param[in]  overlap           panels are sent while the processes compute; absent: .false.
  !! @param[in]  reads             parts read the memory of other parts; absent: messages
  !! @param[in]  concurrent_transfers  elements that move at a time; absent: half of the parts that own something
  !! @param[in]  messages          shape [parts of the map]: of each part, or segments that it reads; absent: one for each
  !!                               panel and partner
  !! @param[in]  copied            shape [parts of the map]: elements that each part packs or copies; absent: 0
  !! @param[out] compute           shape [parts of the map]: seconds of each part
  !! @param[out] communicate       likewise
  !! @param[in]  machine           absent: scalay_machine_typical()
  !! @param[out] status            SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine model_multiply_long(type, map, k, time, seconds_per_flop, panel, overlap, reads, concurrent_transfers, compute, &
      communicate, messages, copied, machine, status)
    integer(c_int), intent(in) :: type
    class(scalay_owner_map), intent(in) :: map
    integer(c_int64_t), intent(in) :: k
    type(scalay_multiply_time), intent(out) :: time
    real(c_double), intent(in), target, contiguous, optional :: seconds_per_flop(:)
    integer, intent(in), optional :: panel
    logical, intent(in), optional :: overlap, reads
    integer, intent(in), optional :: concurrent_transfers
    real(c_double), intent(out), contiguous, optional :: compute(:), communicate(:)
    type(scalay_machine), intent(in), optional :: machine
    integer(c_int), intent(out), optional :: status
    integer(c_int64_t), intent(in), target, contiguous, optional :: messages(:), copied(:)
    type(c_multiply_options) :: options
    type(scalay_multiply_time) :: predicted
    integer(c_int) :: code
    call c_multiply_options_init(options, c_sizeof(options))
    if (present(seconds_per_flop)) options%seconds_per_flop = c_loc(seconds_per_flop)
    if (present(panel)) options%panel = panel
    if (present(overlap)) options%overlap = merge(1_c_int, 0_c_int, overlap)
    if (present(reads)) options%reads = merge(1_c_int, 0_c_int, reads)
    if (present(concurrent_transfers)) options%concurrent_transfers = concurrent_transfers
    if (present(messages)) options%messages = c_loc(messages)
    if (present(copied)) options%copied = c_loc(copied)
    if (all([long_enough(seconds_per_flop), long_enough(compute), long_enough(communicate), enough_counts(messages), &
        enough_counts(copied)])) then
      code = c_model_multiply(machine, type, map%c_object(), k, options, compute, communicate, predicted)
    else
      code = fail(SCALAY_ERROR_ARGUMENT, "scalay_model_multiply: an array has fewer elements than the map has parts")
    end if
    if (code == SCALAY_SUCCESS) time = predicted
    call return_status(code, status)

  contains

    pure logical function long_enough(array)
      real(c_double), intent(in), optional :: array(:)
      long_enough = .true.
      if (present(array)) long_enough = size(array) >= map%parts()
    end function long_enough

    pure logical function enough_counts(array)
      integer(c_int64_t), intent(in), optional :: array(:)
      enough_counts = .true.
      if (present(array)) enough_counts = size(array) >= map%parts()
    end function enough_counts
  end subroutine model_multiply_long

  ! For the default integer.
  subroutine model_multiply_int(type, map, k, time, seconds_per_flop, panel, overlap, reads, concurrent_transfers, compute, &
      communicate, messages, copied, machine, status)
    integer(c_int), intent(in) :: type, k
    class(scalay_owner_map), intent(in) :: map
    type(scalay_multiply_time), intent(out) :: time
    real(c_double), intent(in), target, contiguous, optional :: seconds_per_flop(:)
    integer, intent(in), optional :: panel
    logical, intent(in), optional :: overlap, reads
    integer, intent(in), optional :: concurrent_transfers
    real(c_double), intent(out), contiguous, optional :: compute(:), communicate(:)
    type(scalay_machine), intent(in), optional :: machine
    integer(c_int), intent(out), optional :: status
    integer(c_int64_t), intent(in), target, contiguous, optional :: messages(:), copied(:)
    call model_multiply_long(type, map, int(k, c_int64_t), time, seconds_per_flop, panel, overlap, reads, concurrent_transfers, &
      compute, communicate, messages, copied, machine, status)
  end subroutine model_multiply_int

  !> Predicts p?geqrf of an m x n matrix in nb x nb blocks on an nprow x npcol grid. See model.h for the model.
  !! @param[in]  type          SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
  !! @param[in]  m, n          extents, at least 0
  !! @param[in]  nprow, npcol  grid extents, at least 1
  !! @param[in]  nb            block extent, at least 1
  !! @param[out] cost          all zero after a failure
  !! @param[in]  machine       absent: scalay_machine_typical()
  !! @param[out] status        SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine model_qr_long(type, m, n, nprow, npcol, nb, cost, machine, status)
    integer(c_int), intent(in) :: type
    integer(c_int64_t), intent(in) :: m, n
    integer(c_int), intent(in) :: nprow, npcol, nb
    type(scalay_qr_cost), intent(out) :: cost
    type(scalay_machine), intent(in), optional :: machine
    integer(c_int), intent(out), optional :: status
    type(scalay_qr_cost) :: predicted
    integer(c_int) :: code
    code = c_model_qr(machine, type, m, n, nprow, npcol, nb, predicted)
    if (code == SCALAY_SUCCESS) cost = predicted
    call return_status(code, status)
  end subroutine model_qr_long

  ! For the default integer.
  subroutine model_qr_int(type, m, n, nprow, npcol, nb, cost, machine, status)
    integer(c_int), intent(in) :: type, m, n, nprow, npcol, nb
    type(scalay_qr_cost), intent(out) :: cost
    type(scalay_machine), intent(in), optional :: machine
    integer(c_int), intent(out), optional :: status
    call model_qr_long(type, int(m, c_int64_t), int(n, c_int64_t), nprow, npcol, nb, cost, machine, status)
  end subroutine model_qr_int

  !> Returns limits without restrictions for a number of processes.
  type(scalay_qr_limits) function scalay_qr_limits_default(processes)
    integer(c_int), intent(in) :: processes
    call c_qr_limits_init(scalay_qr_limits_default, c_sizeof(scalay_qr_limits_default))
    scalay_qr_limits_default%processes = processes
  end function scalay_qr_limits_default

  !> Ranks grid shapes and block sizes for p?geqrf by predicted time, also of fewer processes.
  !! @param[in]    type     as in scalay_model_qr
  !! @param[in]    m, n     extents, at least 0
  !! @param[in]    limits   grids to choose from
  !! @param[inout] choice   to be released with destroy
  !! @param[in]    machine  absent: scalay_machine_typical()
  !! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (nprow * npcol is more than
  !!                        the processes), SCALAY_ERROR_MEMORY
  subroutine choose_long(type, m, n, limits, choice, machine, status)
    integer(c_int), intent(in) :: type
    integer(c_int64_t), intent(in) :: m, n
    type(scalay_qr_limits), intent(in) :: limits
    class(scalay_qr_choice), intent(inout) :: choice
    type(scalay_machine), intent(in), optional :: machine
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    type(scalay_qr_limits) :: sized
    integer(c_int) :: code
    sized = limits
    sized%size = c_sizeof(sized)
    code = c_model_qr_choose(machine, type, m, n, sized, handle)
    call choice%destroy()
    call choice%set_handle(handle)
    call return_status(code, status)
  end subroutine choose_long

  ! For the default integer.
  subroutine choose_int(type, m, n, limits, choice, machine, status)
    integer(c_int), intent(in) :: type, m, n
    type(scalay_qr_limits), intent(in) :: limits
    class(scalay_qr_choice), intent(inout) :: choice
    type(scalay_machine), intent(in), optional :: machine
    integer(c_int), intent(out), optional :: status
    call choose_long(type, int(m, c_int64_t), int(n, c_int64_t), limits, choice, machine, status)
  end subroutine choose_int

  !> The number of candidates, at least 1; 0 when there is no choice.
  pure integer(c_int) function scalay_qr_choice_count(choice)
    class(scalay_qr_choice), intent(in) :: choice
    scalay_qr_choice_count = c_qr_choice_count(choice%c_object())
  end function scalay_qr_choice_count

  !> One of the candidates.
  !! @param[in]  choice     a choice
  !! @param[in]  k          1 <= k <= scalay_qr_choice_count(choice); 1 is the one chosen
  !! @param[out] candidate  all zero after a failure
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_qr_choice_get_candidate(choice, k, candidate, status)
    class(scalay_qr_choice), intent(in) :: choice
    integer(c_int), intent(in) :: k
    type(scalay_qr_candidate), intent(out) :: candidate
    integer(c_int), intent(out), optional :: status
    type(scalay_qr_candidate) :: told
    integer(c_int) :: code
    code = c_qr_choice_get_candidate(choice%c_object(), k - 1, told)
    if (code == SCALAY_SUCCESS) candidate = told
    call return_status(code, status)
  end subroutine scalay_qr_choice_get_candidate

  !> Why the first candidate was chosen: what it costs, which processes stay idle and why, and what the best candidates
  !! on more processes and with other blocks would have cost.
  function scalay_qr_choice_describe(choice) result(text)
    class(scalay_qr_choice), intent(in) :: choice
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_qr_choice_describe(choice%c_object(), size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_qr_choice_describe(choice%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_qr_choice_describe

  !> Releases a choice. Fine when there is none.
  subroutine scalay_qr_choice_destroy(choice)
    class(scalay_qr_choice), intent(inout) :: choice
    type(c_ptr) :: object
    object = choice%c_object()
    call c_qr_choice_destroy(object)
    call choice%set_handle(object)
  end subroutine scalay_qr_choice_destroy

  include "scalay_stencil_choice.inc"
end module scalay_model_mod
