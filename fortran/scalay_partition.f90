!> Partitions: which part of an m x n matrix each processor should get, given how much it should get (partition.h).
!!
!! Rows, columns, lines of rectangles and candidates count from 1; parts from 0, as processes do: in an array with one
!! element per part, element k + 1 is part k's. Matrices of links have an element (from + 1, to + 1). Extents may be
!! integer(c_int) or integer(c_int64_t), but all of one kind in a call. Nothing here is collective.
module scalay_partition_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, conclude, fail, string_of, text_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  implicit none
  private
  public :: scalay_owner_map, scalay_part_rectangle, scalay_half_perimeter, scalay_links, scalay_multiply_cost
  public :: scalay_partition, scalay_partition_candidate
  public :: scalay_owner_map_create, scalay_owner_map_destroy, scalay_owner_map_rows, scalay_owner_map_cols
  public :: scalay_owner_map_parts, scalay_owner_map_owner, scalay_owner_map_elements, scalay_owner_map_rectangles
  public :: scalay_owner_map_half_perimeter, scalay_owner_map_resize, scalay_owner_map_balance_suffixes
  public :: scalay_owner_map_trailing_balance
  public :: scalay_cyclic_columns, scalay_cyclic_generalised_block
  public :: scalay_multiply_cost_create, scalay_multiply_cost_destroy, scalay_multiply_cost_volume
  public :: scalay_multiply_cost_sent, scalay_multiply_cost_time, scalay_multiply_cost_energy
  public :: scalay_partition_create, scalay_partition_destroy, scalay_partition_shapes, scalay_partition_map
  public :: scalay_partition_cost, scalay_partition_lower_bound, scalay_partition_load_error
  public :: scalay_partition_candidates, scalay_partition_chosen, scalay_partition_get_candidate
  public :: scalay_partition_describe

  ! When the messages of different links travel.
  integer(c_int), parameter, public :: SCALAY_LINKS_SERIAL = 0    !< one after the other: the sum over all links
  integer(c_int), parameter, public :: SCALAY_LINKS_PARALLEL = 1  !< all at the same time: the slowest link
  integer(c_int), parameter, public :: SCALAY_LINKS_ONE_PORT = 2  !< a processor sends to one and receives from one

  ! How elements get to the several processors that need them.
  integer(c_int), parameter, public :: SCALAY_BROADCAST_DIRECT = 0  !< the owner sends to each of them
  integer(c_int), parameter, public :: SCALAY_BROADCAST_TREE = 1    !< they pass them on, along a spanning tree
  integer(c_int), parameter, public :: SCALAY_BROADCAST_RELAY = 2   !< others may relay, too

  ! What a partition should make small.
  integer(c_int), parameter, public :: SCALAY_PARTITION_VOLUME = 0  !< the elements sent
  integer(c_int), parameter, public :: SCALAY_PARTITION_TIME = 1    !< seconds over the links
  integer(c_int), parameter, public :: SCALAY_PARTITION_ENERGY = 2  !< joules over the links

  !> Who owns each element of a matrix.
  type, extends(scalay_object) :: scalay_owner_map
  contains
    procedure, private, pass(map) :: map_create_long
    procedure, private, pass(map) :: map_create_int
    generic :: create => map_create_long, map_create_int
    procedure :: destroy => scalay_owner_map_destroy
    procedure :: rows => scalay_owner_map_rows
    procedure :: cols => scalay_owner_map_cols
    procedure :: parts => scalay_owner_map_parts
    procedure, private :: map_owner_long
    procedure, private :: map_owner_int
    generic :: owner => map_owner_long, map_owner_int
    procedure :: elements => scalay_owner_map_elements
    procedure :: rectangles => scalay_owner_map_rectangles
    procedure :: half_perimeter => scalay_owner_map_half_perimeter
    procedure, private :: resize_long
    procedure, private :: resize_int
    generic :: resize => resize_long, resize_int
    procedure, private :: balance_long
    procedure, private :: balance_int
    generic :: balance_suffixes => balance_long, balance_int
    procedure, private :: trailing_long
    procedure, private :: trailing_int
    generic :: trailing_balance => trailing_long, trailing_int
    procedure, private, pass(map) :: columns_long
    procedure, private, pass(map) :: columns_int
    generic :: cyclic_columns => columns_long, columns_int
    procedure, private, pass(map) :: generalised_long
    procedure, private, pass(map) :: generalised_int
    generic :: cyclic_generalised_block => generalised_long, generalised_int
  end type scalay_owner_map

  !> A rectangle of one owner.
  type :: scalay_part_rectangle
    integer(c_int) :: part = -1     !< 0-based
    integer(c_int64_t) :: row = 0   !< its first row, 1-based
    integer(c_int64_t) :: col = 0   !< its first column, 1-based
    integer(c_int64_t) :: rows = 0  !< at least 1
    integer(c_int64_t) :: cols = 0  !< at least 1
  end type scalay_part_rectangle

  !> What the links between processors cost: square matrices, an element (from + 1, to + 1) for every ordered pair, of
  !! one extent, at least the number of parts. The diagonals are ignored.
  type :: scalay_links
    real(c_double), allocatable :: seconds_per_element(:, :)  !< not allocated: time is not computed
    real(c_double), allocatable :: seconds_per_message(:, :)  !< not allocated: 0
    real(c_double), allocatable :: joules_per_element(:, :)   !< not allocated: energy is not computed
    logical :: symmetric = .false.                            !< they are claimed to be symmetric: it is checked
    integer(c_int) :: mode = SCALAY_LINKS_SERIAL              !< for the time
    integer(c_int) :: broadcast = SCALAY_BROADCAST_DIRECT     !< trees need symmetric costs
  end type scalay_links

  ! Links in C's form; the targets must stay where they are as long as the pointers are used.
  type :: links_in_c
    type(c_links) :: links
    real(c_double), allocatable :: seconds(:, :), latency(:, :), joules(:, :)
  end type links_in_c

  !> What C := A B costs with C, A and B on given maps, C stationary. That of scalay_partition_cost belongs to the
  !! partition: it must not be destroyed.
  type, extends(scalay_object) :: scalay_multiply_cost
  contains
    procedure, pass(cost) :: create => scalay_multiply_cost_create
    procedure :: destroy => scalay_multiply_cost_destroy
    procedure :: volume => scalay_multiply_cost_volume
    procedure :: sent => scalay_multiply_cost_sent
    procedure :: time => scalay_multiply_cost_time
    procedure :: energy => scalay_multiply_cost_energy
  end type scalay_multiply_cost

  !> A partition: the chosen shape, its owner map, and the candidates it was chosen from.
  type, extends(scalay_object) :: scalay_partition
  contains
    procedure, private, pass(partition) :: create_long
    procedure, private, pass(partition) :: create_int
    generic :: create => create_long, create_int
    procedure :: destroy => scalay_partition_destroy
    procedure :: map => scalay_partition_map
    procedure :: cost => scalay_partition_cost
    procedure :: lower_bound => scalay_partition_lower_bound
    procedure :: load_error => scalay_partition_load_error
    procedure :: candidates => scalay_partition_candidates
    procedure :: chosen => scalay_partition_chosen
    procedure :: get_candidate => scalay_partition_get_candidate
    procedure :: describe => scalay_partition_describe
  end type scalay_partition

  !> A shape that was tried.
  type :: scalay_partition_candidate
    character(:), allocatable :: shape            !< its name
    logical :: feasible = .false.                 !< .false.: it does not exist for these areas
    integer(c_int), allocatable :: assignment(:)  !< the part (0-based) at each region of the shape
    real(c_double) :: continuous_cost = 0         !< f_c for the real-valued areas; infinite when not feasible
    real(c_double) :: time = 0                    !< seconds for them; NaN when not known
    real(c_double) :: energy = 0                  !< joules for them; NaN when not known
    character(:), allocatable :: reason           !< why it is not feasible; empty when it is
  end type scalay_partition_candidate

  interface scalay_owner_map_create
    module procedure map_create_long, map_create_int
  end interface scalay_owner_map_create

  interface scalay_owner_map_owner
    module procedure map_owner_long, map_owner_int
  end interface scalay_owner_map_owner

  interface scalay_owner_map_resize
    module procedure resize_long, resize_int
  end interface scalay_owner_map_resize

  interface scalay_owner_map_balance_suffixes
    module procedure balance_long, balance_int
  end interface scalay_owner_map_balance_suffixes

  interface scalay_owner_map_trailing_balance
    module procedure trailing_long, trailing_int
  end interface scalay_owner_map_trailing_balance

  interface scalay_cyclic_columns
    module procedure columns_long, columns_int
  end interface scalay_cyclic_columns

  interface scalay_cyclic_generalised_block
    module procedure generalised_long, generalised_int
  end interface scalay_cyclic_generalised_block

  interface scalay_partition_create
    module procedure create_long, create_int
  end interface scalay_partition_create

contains

  include "scalay_owner_map.inc"
  include "scalay_multiply_cost.inc"

  !> The best partition of an m x n matrix into parts of given areas.
  !! @param[in]    m, n          extents, at least 1
  !! @param[in]    area          one per part: proportions, finite, at least 0, not all 0
  !! @param[inout] partition     to be released with destroy
  !! @param[in]    shape         its name; absent: "auto"
  !! @param[in]    objective     SCALAY_PARTITION_VOLUME (absent), _TIME or _ENERGY
  !! @param[in]    links         needed for time and energy
  !! @param[in]    tile          edges lie on multiples of this many rows and columns; absent: 1
  !! @param[in]    exact_counts  .true.: every part gets exactly its area, rounded by largest remainders
  !! @param[in]    tolerance     largest relative load error that is accepted; absent or 0: what rounding gives
  !! @param[in]    seed          of the local search; absent: 1
  !! @param[in]    budget        seconds for the local search; absent or 0: reproducible
  !! @param[out]   status        SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE, SCALAY_ERROR_RANGE,
  !!                             SCALAY_ERROR_MEMORY
  subroutine create_long(m, n, area, partition, shape, objective, links, tile, exact_counts, tolerance, seed, &
    budget, status)
    integer(c_int64_t), intent(in) :: m, n
    real(c_double), intent(in) :: area(:)
    class(scalay_partition), intent(inout) :: partition
    character(*), intent(in), optional :: shape
    integer(c_int), intent(in), optional :: objective
    type(scalay_links), intent(in), optional :: links
    integer(c_int64_t), intent(in), optional :: tile
    logical, intent(in), optional :: exact_counts
    real(c_double), intent(in), optional :: tolerance
    integer(c_int64_t), intent(in), optional :: seed
    real(c_double), intent(in), optional :: budget
    integer(c_int), intent(out), optional :: status
    type(c_partition_options) :: options
    type(links_in_c), target :: links_c
    character(kind=c_char), allocatable, target :: name(:)
    type(c_ptr) :: made
    integer(c_int) :: code
    options = c_partition_options_default()
    made = c_null_ptr
    code = SCALAY_SUCCESS
    if (present(shape)) then
      name = chars_of(trim(shape))
      options%shape = c_loc(name)
    end if
    if (present(objective)) options%objective = objective
    if (present(links)) then
      code = set_links(links, links_c)
      options%links = c_loc(links_c%links)
    end if
    if (present(tile)) options%tile = tile
    if (present(exact_counts)) options%exact_counts = merge(1_c_int, 0_c_int, exact_counts)
    if (present(tolerance)) options%tolerance = tolerance
    if (present(seed)) options%seed = seed
    if (present(budget)) options%budget = budget
    if (code == SCALAY_SUCCESS) code = c_partition_create(m, n, size(area), area, options, made)
    call partition%destroy()
    call partition%adopt(made)
    call conclude(code, status)
  end subroutine create_long

  ! For the default integer.
  subroutine create_int(m, n, area, partition, shape, objective, links, tile, exact_counts, tolerance, seed, &
    budget, status)
    integer(c_int), intent(in) :: m, n
    real(c_double), intent(in) :: area(:)
    class(scalay_partition), intent(inout) :: partition
    character(*), intent(in), optional :: shape
    integer(c_int), intent(in), optional :: objective
    type(scalay_links), intent(in), optional :: links
    integer(c_int), intent(in), optional :: tile
    logical, intent(in), optional :: exact_counts
    real(c_double), intent(in), optional :: tolerance
    integer(c_int), intent(in), optional :: seed
    real(c_double), intent(in), optional :: budget
    integer(c_int), intent(out), optional :: status
    integer(c_int64_t) :: tile_long, seed_long
    tile_long = 1
    seed_long = 1
    if (present(tile)) tile_long = tile
    if (present(seed)) seed_long = seed
    call create_long(int(m, c_int64_t), int(n, c_int64_t), area, partition, shape, objective, links, tile_long, &
      exact_counts, tolerance, seed_long, budget, status)
  end subroutine create_int

  !> Releases a partition. Fine when there is none.
  subroutine scalay_partition_destroy(partition)
    class(scalay_partition), intent(inout) :: partition
    type(c_ptr) :: object
    object = partition%c_object()
    call c_partition_destroy(object)
    call partition%adopt(object)
  end subroutine scalay_partition_destroy

  !> The name of a shape or method, k = 1, 2, ...; empty when k is out of range.
  function scalay_partition_shapes(k) result(name)
    integer(c_int), intent(in) :: k
    character(:), allocatable :: name
    name = string_of(c_partition_shapes(k - 1))
  end function scalay_partition_shapes

  !> The owner map, which belongs to the partition: it must not be destroyed, nor used after the partition is.
  type(scalay_owner_map) function scalay_partition_map(partition)
    class(scalay_partition), intent(in) :: partition
    call scalay_partition_map%adopt(c_partition_map(partition%c_object()))
  end function scalay_partition_map

  !> What the integer map costs; it belongs to the partition: it must not be destroyed, nor used after the partition is.
  type(scalay_multiply_cost) function scalay_partition_cost(partition)
    class(scalay_partition), intent(in) :: partition
    call scalay_partition_cost%adopt(c_partition_cost(partition%c_object()))
  end function scalay_partition_cost

  !> A lower bound on f_c of any partition with the real-valued areas; 0 when there is no partition.
  pure real(c_double) function scalay_partition_lower_bound(partition)
    class(scalay_partition), intent(in) :: partition
    scalay_partition_lower_bound = c_partition_lower_bound(partition%c_object())
  end function scalay_partition_lower_bound

  !> The largest relative load error, areas of 0 left out.
  pure real(c_double) function scalay_partition_load_error(partition)
    class(scalay_partition), intent(in) :: partition
    scalay_partition_load_error = c_partition_load_error(partition%c_object())
  end function scalay_partition_load_error

  !> The number of candidates, at least 1; 0 when there is no partition.
  pure integer(c_int) function scalay_partition_candidates(partition)
    class(scalay_partition), intent(in) :: partition
    scalay_partition_candidates = c_partition_candidates(partition%c_object())
  end function scalay_partition_candidates

  !> The candidate that was chosen, 1-based; 0 when there is no partition.
  pure integer(c_int) function scalay_partition_chosen(partition)
    class(scalay_partition), intent(in) :: partition
    scalay_partition_chosen = c_partition_chosen(partition%c_object()) + 1
  end function scalay_partition_chosen

  !> A candidate.
  !! @param[in]  partition  a partition
  !! @param[in]  k          1 <= k <= scalay_partition_candidates(partition)
  !! @param[out] candidate  nothing in it is allocated after a failure
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_partition_get_candidate(partition, k, candidate, status)
    class(scalay_partition), intent(in) :: partition
    integer(c_int), intent(in) :: k
    type(scalay_partition_candidate), intent(out) :: candidate
    integer(c_int), intent(out), optional :: status
    type(c_partition_candidate) :: told
    integer(c_int), pointer :: assignment(:)
    type(scalay_owner_map) :: map
    integer(c_int) :: code, part
    code = c_partition_get_candidate(partition%c_object(), k - 1, told)
    if (code == SCALAY_SUCCESS) then
      candidate%shape = string_of(told%shape)
      candidate%reason = string_of(told%reason)
      candidate%feasible = told%feasible /= 0
      candidate%continuous_cost = told%continuous_cost
      candidate%time = told%time
      candidate%energy = told%energy
      map = partition%map()
      candidate%assignment = [(part, part = 0, map%parts() - 1)]
      if (c_associated(told%assignment)) then
        call c_f_pointer(told%assignment, assignment, [map%parts()])
        candidate%assignment = assignment
      end if
    end if
    call conclude(code, status)
  end subroutine scalay_partition_get_candidate

  !> Why that shape was chosen, what the best others would have cost, and which parts are empty and why.
  function scalay_partition_describe(partition) result(text)
    class(scalay_partition), intent(in) :: partition
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_partition_describe(partition%c_object(), size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_partition_describe(partition%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_partition_describe
end module scalay_partition_mod
