!> QR, LU and Cholesky factorisations of a distributed matrix in any layout (factor.h).
!!
!! On processes of any speeds, as often as needed:
!!
!!     options%speeds = [1d0, .5d0, .5d0]
!!     call factor%create(comm, SCALAY_FACTOR_LU, layout, SCALAY_DOUBLE, options)
!!     call factor%execute(a, info)
!!     call factor%get_local_vector(ipiv)
!!
!! One call:
!!
!!     call scalay_pdgeqrf(comm, layout, a, tau)
!!     call scalay_pdgetrf(comm, layout, a, ipiv, info)
!!     call scalay_pdpotrf(comm, SCALAY_LOWER, layout, a, info)
!!
!! For a layout from a descriptor, a, tau, ipiv and info are those of ScaLAPACK's routine. scalay_qr_create keeps a QR
!! factorisation on its grid, an ordinary BLACS context with an ordinary descriptor. scalay_qr_bring_back moves the
!! result to the layout of the matrix.
!!
!! Arrays have any rank and the type real(c_float), real(c_double), complex(c_float_complex) or
!! complex(c_double_complex). A contiguous array is passed in place, others are copied. If an array has fewer elements
!! than its layout needs, the call fails on every rank. Products are in scalay_summa_mod and scalay_gemm_mod, stencils
!! in scalay_stencil_mod.
module scalay_factor_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, text_of, address, checked_address, elements_of, &
    hold_transport, hold_machine
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH
  use scalay_types_mod
  use scalay_context_mod, only: scalay_comm, scalay_comm_rank
  use scalay_layout_mod, only: scalay_layout, scalay_layout_local_size, scalay_layout_rows, scalay_layout_cols
  use scalay_mapping_mod, only: SCALAY_MIN_STEPS_THEN_VOLUME
  use scalay_model_mod, only: scalay_qr_choice
  use scalay_partition_mod, only: scalay_owner_map
  use scalay_profile_mod, only: scalay_profile
  implicit none
  private
  public :: scalay_qr, scalay_qr_options, scalay_qr_statistics
  public :: scalay_one_call_options, scalay_one_call_statistics, scalay_tau_size, scalay_ipiv_size
  public :: scalay_psgeqrf, scalay_pdgeqrf, scalay_pcgeqrf, scalay_pzgeqrf, scalay_pgeqrf
  public :: scalay_psgetrf, scalay_pdgetrf, scalay_pcgetrf, scalay_pzgetrf, scalay_pgetrf
  public :: scalay_pspotrf, scalay_pdpotrf, scalay_pcpotrf, scalay_pzpotrf, scalay_ppotrf
  public :: scalay_factor, scalay_factor_options, scalay_factor_statistics, scalay_factor_create
  public :: scalay_factor_execute, scalay_factor_destroy, scalay_factor_get_vector, scalay_factor_get_local_vector
  public :: scalay_factor_get_statistics
  public :: scalay_qr_create
  public :: scalay_qr_destroy, scalay_qr_get_matrix, scalay_qr_matrix
  public :: scalay_qr_gather_tau, scalay_qr_bring_back, scalay_qr_form_q, scalay_qr_verify
  public :: scalay_qr_get_statistics, scalay_qr_get_choice, scalay_qr_describe

  integer(c_int), parameter, public :: SCALAY_FACTOR_QR = 0         !< A = Q R by Householder reflectors, as p?geqrf
  integer(c_int), parameter, public :: SCALAY_FACTOR_LU = 1         !< P A = L U with partial pivoting, as p?getrf
  integer(c_int), parameter, public :: SCALAY_FACTOR_CHOLESKY = 2   !< A = L L^H or A = U^H U, as p?potrf

  integer(c_int), parameter, public :: SCALAY_PLACEMENT_CHOOSE = 0  !< where the predicted time is smaller
  integer(c_int), parameter, public :: SCALAY_PLACEMENT_STAY = 1    !< in the layout of the matrix
  integer(c_int), parameter, public :: SCALAY_PLACEMENT_MOVE = 2    !< on a grid chosen by the model or the options
  integer(c_int), parameter, public :: SCALAY_PLACEMENT_ENGINE = 3  !< by the engine; one-call routines only

  !> Options of a one-call factorisation; the same on every rank.
  type :: scalay_one_call_options
    integer(c_int) :: placement = SCALAY_PLACEMENT_CHOOSE    !< where to compute
    integer(c_int) :: nprow = 0                              !< rows of the grid to move to; 0: chosen by the library
    integer(c_int) :: npcol = 0                              !< columns of that grid; 0: chosen by the library
    integer(c_int) :: nb = 0                                 !< block size on that grid; 0: chosen by the library
    integer(c_int) :: objective = SCALAY_MIN_STEPS_THEN_VOLUME  !< of the mapping
    character(:), allocatable :: transport                   !< as in scalay_plan_create; not allocated: "auto"
    type(scalay_machine), allocatable :: machine             !< rates; not allocated: those of the communicator
    type(scalay_profile), pointer :: profile => null()       !< speeds of the ranks; null: file SCALAY_PROFILE
  end type scalay_one_call_options

  !> Options of a QR factorisation on a grid; the same on every rank.
  type :: scalay_qr_options
    integer(c_int) :: nprow = 0                              !< rows of the grid; 0: chosen by the library
    integer(c_int) :: npcol = 0                              !< columns of the grid; 0: chosen by the library
    integer(c_int) :: nb = 0                                 !< block size; 0: chosen by the library
    integer(c_int) :: objective = SCALAY_MIN_STEPS_THEN_VOLUME  !< of the mapping
    character(:), allocatable :: transport                   !< as in scalay_plan_create; not allocated: "auto"
    type(scalay_machine), allocatable :: machine             !< rates; not allocated: a typical machine
  end type scalay_qr_options

  ! The options in C and the arrays that they point to.
  type :: held_one_call_options
    type(c_one_call_options) :: c
    character(kind=c_char), allocatable :: transport(:)
    type(scalay_machine) :: machine
  end type held_one_call_options

  type :: held_options
    type(c_qr_options) :: c
    character(kind=c_char), allocatable :: transport(:)
    type(scalay_machine) :: machine
  end type held_options

  !> A factored matrix on its grid, as p?geqrf returned it. The arrays are owned by the factorisation.
  type :: scalay_qr_matrix
    integer(c_int) :: ctxt = -1             !< BLACS context; -1 on idle ranks
    integer(c_int) :: desc(9) = -1          !< descriptor; its context is -1 on idle ranks
    type(c_ptr) :: local = c_null_ptr       !< local array: c_f_pointer(matrix%local, a, [matrix%desc(9), columns])
    type(c_ptr) :: tau = c_null_ptr         !< scalar factors of the local columns
    integer(c_int64_t) :: reflectors = 0    !< min(m, n)
  end type scalay_qr_matrix

  !> A QR factorisation on its grid.
  type, extends(scalay_object) :: scalay_qr
    private
    integer(c_int) :: type = 0
    integer(c_int64_t) :: elements = 0  ! of the local array in the original layout
  contains
    procedure :: destroy => scalay_qr_destroy
    procedure :: get_matrix => scalay_qr_get_matrix
    procedure :: get_statistics => scalay_qr_get_statistics
    procedure :: get_choice => scalay_qr_get_choice
    procedure :: describe => scalay_qr_describe
    procedure, private, pass(qr) :: create_s, create_d, create_c, create_z
    procedure, private :: gather_tau_s, gather_tau_d, gather_tau_c, gather_tau_z
    procedure, private :: bring_back_s, bring_back_d, bring_back_c, bring_back_z
    procedure, private :: form_q_s, form_q_d, form_q_c, form_q_z
    procedure, private :: verify_s, verify_d, verify_c, verify_z
    generic :: create => create_s, create_d, create_c, create_z
    generic :: gather_tau => gather_tau_s, gather_tau_d, gather_tau_c, gather_tau_z
    generic :: bring_back => bring_back_s, bring_back_d, bring_back_c, bring_back_z
    generic :: form_q => form_q_s, form_q_d, form_q_c, form_q_z
    generic :: verify => verify_s, verify_d, verify_c, verify_z
  end type scalay_qr

  integer(c_int), parameter, public :: SCALAY_PANELS_CHOOSE = 0       !< one process for up to 4 owners, else the owners
  integer(c_int), parameter, public :: SCALAY_PANELS_ONE_PROCESS = 1  !< the fastest owner factors the panel
  integer(c_int), parameter, public :: SCALAY_PANELS_TOGETHER = 2     !< the owners factor the panel together

  !> Options of a factorisation object; the same on every rank.
  type :: scalay_factor_options
    integer(c_int) :: uplo = SCALAY_LOWER                    !< Cholesky: triangle that is read and written
    integer(c_int) :: placement = SCALAY_PLACEMENT_CHOOSE    !< where to compute
    type(scalay_owner_map), pointer :: map => null()         !< owners on which to compute; null: chosen
    real(c_double), allocatable :: speeds(:)                 !< of each rank; not allocated: those of the profile
    type(scalay_profile), pointer :: profile => null()       !< one processor per rank; null: file SCALAY_PROFILE
    integer(c_int) :: nb = 0                                 !< tile extent; 0: chosen by the library
    integer(c_int) :: panels = SCALAY_PANELS_CHOOSE          !< processes that factor a panel
    character(:), allocatable :: transport                   !< as in scalay_plan_create; not allocated: "auto"
    type(scalay_machine), allocatable :: machine             !< rates; not allocated: a typical machine
  end type scalay_factor_options

  type :: held_factor_options
    type(c_factor_options) :: c
    real(c_double), allocatable :: speeds(:)
    character(kind=c_char), allocatable :: transport(:)
    type(scalay_machine) :: machine
  end type held_factor_options

  !> A factorisation that can be executed many times.
  type, extends(scalay_object) :: scalay_factor
    private
    integer(c_int) :: type = 0
    integer(c_int64_t) :: elements = 0  ! of the local array
    integer(c_int64_t) :: lines = 0     ! min(m, n)
    integer(c_int64_t) :: local_lines = 0
  contains
    procedure :: create => scalay_factor_create
    procedure :: destroy => scalay_factor_destroy
    procedure :: get_statistics => scalay_factor_get_statistics
    procedure, private :: execute_s, execute_d, execute_c, execute_z
    procedure, private :: get_tau_s, get_tau_d, get_tau_c, get_tau_z, get_pivots
    procedure, private :: get_local_tau_s, get_local_tau_d, get_local_tau_c, get_local_tau_z, get_local_pivots
    generic :: execute => execute_s, execute_d, execute_c, execute_z
    generic :: get_vector => get_tau_s, get_tau_d, get_tau_c, get_tau_z, get_pivots
    generic :: get_local_vector => get_local_tau_s, get_local_tau_d, get_local_tau_c, get_local_tau_z, get_local_pivots
  end type scalay_factor

  !> scalay_factor_execute(factor, a [, info] [, status]) factors the matrix in the local array a. Collective; the ranks
  !! agree on info. info: LU: i > 0 if U(i, i) is exactly zero; Cholesky: i > 0 if the leading minor of order i is not
  !! positive definite; absent: this is SCALAY_ERROR_INFEASIBLE.
  interface scalay_factor_execute
    module procedure execute_s, execute_d, execute_c, execute_z
  end interface scalay_factor_execute

  !> scalay_factor_get_vector(factor, all [, status]) returns tau (QR) or the pivots (LU), shape [min(m, n)], on every
  !! rank. Not collective.
  interface scalay_factor_get_vector
    module procedure get_tau_s, get_tau_d, get_tau_c, get_tau_z, get_pivots
  end interface scalay_factor_get_vector

  !> scalay_factor_get_local_vector(factor, vector [, status]) returns tau (QR) or the pivots (LU) as the local array of
  !! ScaLAPACK, shape [scalay_tau_size()] or [scalay_ipiv_size()]; block-cyclic layouts only. Not collective.
  interface scalay_factor_get_local_vector
    module procedure get_local_tau_s, get_local_tau_d, get_local_tau_c, get_local_tau_z, get_local_pivots
  end interface scalay_factor_get_local_vector

  !> scalay_psgeqrf, scalay_pdgeqrf, scalay_pcgeqrf and scalay_pzgeqrf by element type: (comm, layout, a [, tau]
  !! [, options] [, replicated_tau] [, statistics] [, status]). Factors A = Q R. Collective over comm; the ranks agree
  !! on the status.
  !!   - a: local array; on exit R and the reflectors as p?geqrf returns them.
  !!   - tau: local array of scalay_tau_size entries as p?geqrf returns it; block-cyclic layouts only.
  !!   - replicated_tau: shape [min(m, n)], all scalar factors on every rank; any layout.
  interface scalay_pgeqrf
    module procedure scalay_psgeqrf, scalay_pdgeqrf, scalay_pcgeqrf, scalay_pzgeqrf
  end interface scalay_pgeqrf

  !> scalay_psgetrf, scalay_pdgetrf, scalay_pcgetrf and scalay_pzgetrf by element type: (comm, layout, a [, ipiv]
  !! [, info] [, options] [, replicated_ipiv] [, statistics] [, status]). Factors P A = L U. Collective over comm; the
  !! ranks agree on the status.
  !!   - a: local array; on exit L and U as p?getrf returns them.
  !!   - ipiv: local array of scalay_ipiv_size entries as p?getrf returns it; block-cyclic layouts only.
  !!   - info: i > 0 if U(i, i) is exactly zero; absent: this is SCALAY_ERROR_INFEASIBLE.
  !!   - replicated_ipiv: shape [min(m, n)], all pivots on every rank, rows of the m x n matrix; any layout.
  interface scalay_pgetrf
    module procedure scalay_psgetrf, scalay_pdgetrf, scalay_pcgetrf, scalay_pzgetrf
  end interface scalay_pgetrf

  !> scalay_pspotrf, scalay_pdpotrf, scalay_pcpotrf and scalay_pzpotrf by element type: (comm, uplo, layout, a [, info]
  !! [, options] [, statistics] [, status]). Factors A = U^H U or L L^H. Collective over comm; the ranks agree on the
  !! status.
  !!   - uplo: SCALAY_UPPER or SCALAY_LOWER.
  !!   - info: i > 0 if the leading minor of order i is not positive definite; absent: this is SCALAY_ERROR_INFEASIBLE.
  interface scalay_ppotrf
    module procedure scalay_pspotrf, scalay_pdpotrf, scalay_pcpotrf, scalay_pzpotrf
  end interface scalay_ppotrf

  !> scalay_qr_create(comm, layout, a, qr [, options] [, status]) moves a matrix to a grid and factors it there.
  !! Collective over comm; the ranks agree on the status. comm is kept alive by the factorisation; layout need not
  !! outlive the call; a, the local array, is unchanged; qr is to be released with destroy. SCALAY_SUCCESS,
  !! SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (more grid than ranks), SCALAY_ERROR_MISMATCH (the ranks disagree),
  !! SCALAY_ERROR_RANGE (an extent or a local array does not fit ScaLAPACK's 32 bits), SCALAY_ERROR_MEMORY,
  !! SCALAY_ERROR_MPI, SCALAY_ERROR_BLACS.
  interface scalay_qr_create
    module procedure create_s, create_d, create_c, create_z
  end interface scalay_qr_create

  !> scalay_qr_gather_tau(qr, tau [, status]): all scalar factors, shape [min(m, n)] at least, on every rank.
  !! Collective.
  interface scalay_qr_gather_tau
    module procedure gather_tau_s, gather_tau_d, gather_tau_c, gather_tau_z
  end interface scalay_qr_gather_tau

  !> scalay_qr_bring_back(qr, a [, status]) brings what is on the grid back to where the matrix was. Collective. Only
  !! the rank's own elements of a are written.
  interface scalay_qr_bring_back
    module procedure bring_back_s, bring_back_d, bring_back_c, bring_back_z
  end interface scalay_qr_bring_back

  !> scalay_qr_form_q(qr, q [, status]): the first min(m, n) columns of Q, in the original layout; other columns of q
  !! stay. Collective. Nobody may have written to the local part before.
  interface scalay_qr_form_q
    module procedure form_q_s, form_q_d, form_q_c, form_q_z
  end interface scalay_qr_form_q

  !> scalay_qr_verify(qr, a, residual, orthogonality [, status]): how good a factorisation is, given the local array of
  !! the matrix before it was factored: ||A - Q R||_F / (||A||_F max(m, n) eps) and ||Q^H Q - I||_F / (max(m, n) eps),
  !! of the order of 1 or below when all is well. Collective. Nobody may have written to the local part before.
  interface scalay_qr_verify
    module procedure verify_s, verify_d, verify_c, verify_z
  end interface scalay_qr_verify

contains

  subroutine set_factor_options(held, options)
    type(held_factor_options), target, intent(out) :: held
    type(scalay_factor_options), intent(in), optional :: options
    call c_factor_options_init(held%c, c_sizeof(held%c))
    if (.not. present(options)) return
    held%c%uplo = options%uplo
    held%c%placement = options%placement
    held%c%nb = options%nb
    held%c%panels = options%panels
    if (associated(options%map)) held%c%map = options%map%c_object()
    if (associated(options%profile)) held%c%profile = options%profile%c_object()
    if (allocated(options%speeds)) then
      held%speeds = options%speeds
      held%c%speeds = c_loc(held%speeds)
    end if
    call hold_transport(options%transport, held%transport, held%c%transport)
    call hold_machine(options%machine, held%machine, held%c%machine)
  end subroutine set_factor_options

  !> Plans a factorisation and allocates all its memory. Collective over comm; the ranks agree on the status.
  !! @param[in]  comm     communicator; kept alive by the factorisation
  !! @param[in]  kind     SCALAY_FACTOR_QR, SCALAY_FACTOR_LU or SCALAY_FACTOR_CHOLESKY
  !! @param[in]  layout   of the matrix; need not outlive the call
  !! @param[in]  type     SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE
  !! @param[in]  options  absent: defaults. options%speeds has one speed per rank
  !! @param[out] status   as scalay_factor_create of factor.h
  subroutine scalay_factor_create(factor, comm, kind, layout, type, options, status)
    class(scalay_factor), intent(inout) :: factor
    class(scalay_comm), intent(in) :: comm
    integer(c_int), intent(in) :: kind
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: type
    type(scalay_factor_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(held_factor_options), target :: held
    type(c_ptr) :: handle, where
    integer(c_int) :: code
    logical :: fits
    call set_factor_options(held, options)
    fits = .true.
    if (present(options)) then
      if (allocated(options%speeds)) fits = size(options%speeds) >= comm%size()
    end if
    where = merge(layout%c_object(), c_null_ptr, fits)  ! a NULL layout fails on every rank
    if (.not. fits) held%c%speeds = c_null_ptr
    code = c_factor_create(comm%c_object(), kind, where, type, held%c, handle)
    if (.not. fits) code = fail(code, "scalay_factor_create: options%speeds must have one speed per rank")
    call factor%destroy()
    call factor%set_handle(handle)
    if (code == SCALAY_SUCCESS) then
      factor%type = type
      factor%elements = layout%local_size(comm%rank())
      factor%lines = min(layout%rows(), layout%cols())
      factor%local_lines = merge(c_tau_size(layout%c_object(), comm%rank()), &
        c_ipiv_size(layout%c_object(), comm%rank()), kind == SCALAY_FACTOR_QR)
    end if
    call return_status(code, status)
  end subroutine scalay_factor_create

  !> Releases a factorisation. Collective over its communicator. A factorisation that does not exist is allowed.
  subroutine scalay_factor_destroy(factor)
    class(scalay_factor), intent(inout) :: factor
    type(c_ptr) :: object
    object = factor%c_object()
    call c_factor_destroy(object)
    call factor%set_handle(object)
    factor%type = 0
    factor%elements = 0
  end subroutine scalay_factor_destroy

  !> Copies the statistics of a factorisation. Not collective.
  !! @param[in]  factor      a factorisation
  !! @param[out] statistics  all zero after a failure
  !! @param[out] status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_factor_get_statistics(factor, statistics, status)
    class(scalay_factor), intent(in) :: factor
    type(scalay_factor_statistics), intent(out) :: statistics
    integer(c_int), intent(out), optional :: status
    type(scalay_factor_statistics) :: copy
    integer(c_int) :: code
    code = c_factor_get_statistics(factor%c_object(), copy)
    if (code == SCALAY_SUCCESS) statistics = copy
    call return_status(code, status)
  end subroutine scalay_factor_get_statistics

  ! Is a factorisation of this type? The same on all ranks: the type is part of the program.
  integer(c_int) function check_factor_type(factor, type)
    class(scalay_factor), intent(in) :: factor
    integer(c_int), intent(in) :: type
    check_factor_type = SCALAY_SUCCESS
    if (factor%type /= 0 .and. factor%type /= type) check_factor_type = fail(SCALAY_ERROR_MISMATCH, &
      "scalay_factor: the factorisation is of type " // scalay_type_name(factor%type) // ", the array is of type " &
      // scalay_type_name(type))
  end function check_factor_type

  subroutine get_pivots(factor, all, status)
    class(scalay_factor), intent(in) :: factor
    integer(c_int), contiguous, target, intent(inout) :: all(..)
    integer(c_int), intent(out), optional :: status
    call return_status(c_factor_get_vector(factor%c_object(), &
      checked_address("all", address(all), elements_of(all), factor%lines)), status)
  end subroutine get_pivots

  subroutine get_local_pivots(factor, vector, status)
    class(scalay_factor), intent(in) :: factor
    integer(c_int), contiguous, target, intent(inout) :: vector(..)
    integer(c_int), intent(out), optional :: status
    call return_status(c_factor_get_local_vector(factor%c_object(), &
      checked_address("vector", address(vector), elements_of(vector), factor%local_lines)), status)
  end subroutine get_local_pivots

  subroutine set_one_call_options(held, options)
    type(held_one_call_options), target, intent(out) :: held
    type(scalay_one_call_options), intent(in), optional :: options
    call c_one_call_options_init(held%c, c_sizeof(held%c))
    if (.not. present(options)) return
    held%c%placement = options%placement
    held%c%nprow = options%nprow
    held%c%npcol = options%npcol
    held%c%nb = options%nb
    held%c%objective = options%objective
    if (associated(options%profile)) held%c%profile = options%profile%c_object()
    call hold_transport(options%transport, held%transport, held%c%transport)
    call hold_machine(options%machine, held%machine, held%c%machine)
  end subroutine set_one_call_options

  ! Does an array of `entries` entries suffice? A negative number, of an assumed-size array, is unknown.
  pure logical function has_entries(entries, needed)
    integer(c_int64_t), intent(in) :: entries, needed
    has_entries = entries < 0 .or. entries >= needed
  end function has_entries

  !> Returns the number of entries of the local array TAU: LOCc(ja + min(m, n) - 1). Not collective.
  !! @param[in] layout   block-cyclic; others: 0
  !! @param[in] process  a process
  pure integer(c_int64_t) function scalay_tau_size(layout, process)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    scalay_tau_size = c_tau_size(layout%c_object(), process)
  end function scalay_tau_size

  !> Returns the number of entries of the local array IPIV: LOCr(m_a) + mb_a. Not collective.
  !! @param[in] layout   block-cyclic; others: 0
  !! @param[in] process  a process
  pure integer(c_int64_t) function scalay_ipiv_size(layout, process)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    scalay_ipiv_size = c_ipiv_size(layout%c_object(), process)
  end function scalay_ipiv_size

  subroutine set_options(held, options)
    type(held_options), target, intent(out) :: held
    type(scalay_qr_options), intent(in), optional :: options
    call c_qr_options_init(held%c, c_sizeof(held%c))
    if (.not. present(options)) return
    held%c%nprow = options%nprow
    held%c%npcol = options%npcol
    held%c%nb = options%nb
    held%c%objective = options%objective
    call hold_transport(options%transport, held%transport, held%c%transport)
    call hold_machine(options%machine, held%machine, held%c%machine)
  end subroutine set_options

  ! Is a factorisation of this type? All ranks come to the same conclusion: the type is part of the program.
  integer(c_int) function check_type(qr, type)
    class(scalay_qr), intent(in) :: qr
    integer(c_int), intent(in) :: type
    check_type = SCALAY_SUCCESS
    if (qr%type /= 0 .and. qr%type /= type) check_type = fail(SCALAY_ERROR_MISMATCH, &
      "scalay_qr: the factorisation is of type " // scalay_type_name(qr%type) // ", the array is of type " &
      // scalay_type_name(type))
  end function check_type

  !> Releases a factorisation and its grid. Collective over its ranks. Fine when there is none.
  subroutine scalay_qr_destroy(qr)
    class(scalay_qr), intent(inout) :: qr
    type(c_ptr) :: object
    object = qr%c_object()
    call c_qr_destroy(object)
    call qr%set_handle(object)
    qr%type = 0
    qr%elements = 0
  end subroutine scalay_qr_destroy

  !> Returns the factored matrix on its grid. Not collective.
  !! @param[in]  qr      a factorisation
  !! @param[out] matrix  arrays owned by the factorisation
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_qr_get_matrix(qr, matrix, status)
    class(scalay_qr), intent(in) :: qr
    type(scalay_qr_matrix), intent(out) :: matrix
    integer(c_int), intent(out), optional :: status
    type(c_qr_matrix) :: handle
    integer(c_int), pointer :: desc(:)
    integer(c_int) :: code
    code = c_qr_get_matrix(qr%c_object(), handle)
    if (code == SCALAY_SUCCESS) then
      matrix%ctxt = handle%ctxt
      matrix%local = handle%local
      matrix%tau = handle%tau
      matrix%reflectors = handle%reflectors
      call c_f_pointer(handle%desc, desc, [9])
      matrix%desc = desc
    end if
    call return_status(code, status)
  end subroutine scalay_qr_get_matrix

  !> What was done so far. Not collective.
  !! @param[in]  qr          a factorisation
  !! @param[out] statistics  all zero after a failure
  !! @param[out] status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_qr_get_statistics(qr, statistics, status)
    class(scalay_qr), intent(in) :: qr
    type(scalay_qr_statistics), intent(out) :: statistics
    integer(c_int), intent(out), optional :: status
    type(scalay_qr_statistics) :: told
    integer(c_int) :: code
    code = c_qr_get_statistics(qr%c_object(), told)
    if (code == SCALAY_SUCCESS) statistics = told
    call return_status(code, status)
  end subroutine scalay_qr_get_statistics

  !> The grids that were considered, the chosen one first; owned by the factorisation: not to be destroyed. Not
  !! collective.
  type(scalay_qr_choice) function scalay_qr_get_choice(qr)
    class(scalay_qr), intent(in) :: qr
    call scalay_qr_get_choice%set_handle(c_qr_get_choice(qr%c_object()))
  end function scalay_qr_get_choice

  !> Why it was done so: grid and block, idle ranks, mapping, what moved. Not collective.
  function scalay_qr_describe(qr) result(text)
    class(scalay_qr), intent(in) :: qr
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_qr_describe(qr%c_object(), size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_qr_describe(qr%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_qr_describe

! The same procedures for each element type.
#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define PGEQRF scalay_psgeqrf
#define C_PGEQRF c_psgeqrf
#define PGETRF scalay_psgetrf
#define C_PGETRF c_psgetrf
#define PPOTRF scalay_pspotrf
#define C_PPOTRF c_pspotrf
#include "scalay_one_call.inc"
#define EXECUTE execute_s
#define GET_TAU get_tau_s
#define GET_LOCAL_TAU get_local_tau_s
#include "scalay_factor_object.inc"
#define CREATE create_s
#define GATHER_TAU gather_tau_s
#define BRING_BACK bring_back_s
#define FORM_Q form_q_s
#define VERIFY verify_s
#include "scalay_qr.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define PGEQRF scalay_pdgeqrf
#define C_PGEQRF c_pdgeqrf
#define PGETRF scalay_pdgetrf
#define C_PGETRF c_pdgetrf
#define PPOTRF scalay_pdpotrf
#define C_PPOTRF c_pdpotrf
#include "scalay_one_call.inc"
#define EXECUTE execute_d
#define GET_TAU get_tau_d
#define GET_LOCAL_TAU get_local_tau_d
#include "scalay_factor_object.inc"
#define CREATE create_d
#define GATHER_TAU gather_tau_d
#define BRING_BACK bring_back_d
#define FORM_Q form_q_d
#define VERIFY verify_d
#include "scalay_qr.inc"

#define ELEMENT complex(c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define PGEQRF scalay_pcgeqrf
#define C_PGEQRF c_pcgeqrf
#define PGETRF scalay_pcgetrf
#define C_PGETRF c_pcgetrf
#define PPOTRF scalay_pcpotrf
#define C_PPOTRF c_pcpotrf
#include "scalay_one_call.inc"
#define EXECUTE execute_c
#define GET_TAU get_tau_c
#define GET_LOCAL_TAU get_local_tau_c
#include "scalay_factor_object.inc"
#define CREATE create_c
#define GATHER_TAU gather_tau_c
#define BRING_BACK bring_back_c
#define FORM_Q form_q_c
#define VERIFY verify_c
#include "scalay_qr.inc"

#define ELEMENT complex(c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define PGEQRF scalay_pzgeqrf
#define C_PGEQRF c_pzgeqrf
#define PGETRF scalay_pzgetrf
#define C_PGETRF c_pzgetrf
#define PPOTRF scalay_pzpotrf
#define C_PPOTRF c_pzpotrf
#include "scalay_one_call.inc"
#define EXECUTE execute_z
#define GET_TAU get_tau_z
#define GET_LOCAL_TAU get_local_tau_z
#include "scalay_factor_object.inc"
#define CREATE create_z
#define GATHER_TAU gather_tau_z
#define BRING_BACK bring_back_z
#define FORM_Q form_q_z
#define VERIFY verify_z
#include "scalay_qr.inc"

end module scalay_factor_mod
