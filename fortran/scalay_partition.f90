!> Partitions: the assignment of the elements of an m x n matrix to processors, for given shares of the matrix
!! (partition.h).
!!
!! Rows, columns, rectangles and candidates are 1-based. Parts are 0-based, as processes: in an array with one element
!! per part, element k + 1 is that of part k. Matrices of links have an element (from + 1, to + 1). The extents of a
!! call are all integer(c_int) or all integer(c_int64_t). No procedure is collective.
module scalay_partition_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, string_of, text_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  implicit none
  private
  public :: scalay_owner_map, scalay_part_rectangle, scalay_half_perimeter, scalay_links, scalay_multiply_cost
  public :: scalay_multiply_cost_summary, scalay_partition, scalay_partition_candidate, scalay_partition_summary
  public :: scalay_owner_map_create, scalay_owner_map_destroy, scalay_owner_map_rows, scalay_owner_map_cols
  public :: scalay_owner_map_parts, scalay_owner_map_owner, scalay_owner_map_elements, scalay_owner_map_rectangles
  public :: scalay_owner_map_half_perimeter, scalay_owner_map_resize, scalay_owner_map_balance_suffixes
  public :: scalay_owner_map_trailing_balance, scalay_owner_map_1d1d, scalay_owner_map_generalised_block
  public :: scalay_multiply_cost_create, scalay_multiply_cost_destroy
  public :: scalay_multiply_cost_get_summary, scalay_multiply_cost_sent
  public :: scalay_partition_create, scalay_partition_destroy, scalay_partition_shapes, scalay_partition_map
  public :: scalay_partition_cost, scalay_partition_get_summary, scalay_partition_get_candidate
  public :: scalay_partition_describe

  ! Which messages are sent at the same time.
  integer(c_int), parameter, public :: SCALAY_LINKS_SERIAL = 0    !< none: sum of the times of all links
  integer(c_int), parameter, public :: SCALAY_LINKS_PARALLEL = 1  !< those of all links: time of the slowest link
  integer(c_int), parameter, public :: SCALAY_LINKS_ONE_PORT = 2  !< one-port model: time of the busiest port

  ! How elements are sent to several processors.
  integer(c_int), parameter, public :: SCALAY_BROADCAST_DIRECT = 0  !< the owner sends to each receiver
  integer(c_int), parameter, public :: SCALAY_BROADCAST_TREE = 1    !< along a minimum spanning tree of the costs
  integer(c_int), parameter, public :: SCALAY_BROADCAST_RELAY = 2   !< along that tree, with cheapest paths as links

  ! What a partition minimises.
  integer(c_int), parameter, public :: SCALAY_PARTITION_VOLUME = 0  !< elements sent
  integer(c_int), parameter, public :: SCALAY_PARTITION_TIME = 1    !< seconds over the links
  integer(c_int), parameter, public :: SCALAY_PARTITION_ENERGY = 2  !< joules over the links

  ! The part of the trailing matrix that a factorisation updates.
  integer(c_int), parameter, public :: SCALAY_TRAILING_FULL = 0   !< all of it: LU, QR
  integer(c_int), parameter, public :: SCALAY_TRAILING_LOWER = 1  !< the tiles on and below the diagonal: Cholesky

  !> An owner map: the part that owns each element of a matrix.
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
    procedure, private, pass(map) :: map_1d1d_long
    procedure, private, pass(map) :: map_1d1d_int
    generic :: create_1d1d => map_1d1d_long, map_1d1d_int
    procedure, private, pass(map) :: generalised_long
    procedure, private, pass(map) :: generalised_int
    generic :: generalised_block => generalised_long, generalised_int
  end type scalay_owner_map

  !> A rectangle with one owner.
  type :: scalay_part_rectangle
    integer(c_int) :: part = -1     !< 0-based
    integer(c_int64_t) :: row = 0   !< first row, 1-based
    integer(c_int64_t) :: col = 0   !< first column, 1-based
    integer(c_int64_t) :: rows = 0  !< at least 1
    integer(c_int64_t) :: cols = 0  !< at least 1
  end type scalay_part_rectangle

  !> Costs of the links between processors: square matrices with an element (from + 1, to + 1), all of one extent, at
  !! least the number of parts. The diagonals are ignored.
  type :: scalay_links
    real(c_double), allocatable :: seconds_per_element(:, :)  !< not allocated: time is unknown
    real(c_double), allocatable :: seconds_per_message(:, :)  !< not allocated: 0
    real(c_double), allocatable :: joules_per_element(:, :)   !< not allocated: energy is unknown
    logical :: symmetric = .false.                            !< the matrices must be symmetric, which is checked
    integer(c_int) :: mode = SCALAY_LINKS_SERIAL              !< for the time
    integer(c_int) :: broadcast = SCALAY_BROADCAST_DIRECT     !< trees need symmetric costs
  end type scalay_links

  ! Links as a C struct. Its pointers are valid as long as the arrays exist.
  type :: links_in_c
    type(c_links) :: links
    real(c_double), allocatable :: seconds(:, :), latency(:, :), joules(:, :)
  end type links_in_c

  !> The cost of C := A B on given maps, with C stationary. The one of scalay_partition_cost belongs to the partition
  !! and must not be destroyed.
  type, extends(scalay_object) :: scalay_multiply_cost
  contains
    procedure, pass(cost) :: create => scalay_multiply_cost_create
    procedure :: destroy => scalay_multiply_cost_destroy
    procedure :: get_summary => scalay_multiply_cost_get_summary
    procedure :: sent => scalay_multiply_cost_sent
  end type scalay_multiply_cost

  !> A partition: the chosen shape, its owner map, and all candidates.
  type, extends(scalay_object) :: scalay_partition
  contains
    procedure, private, pass(partition) :: create_long
    procedure, private, pass(partition) :: create_int
    generic :: create => create_long, create_int
    procedure :: destroy => scalay_partition_destroy
    procedure :: map => scalay_partition_map
    procedure :: cost => scalay_partition_cost
    procedure :: get_summary => scalay_partition_get_summary
    procedure :: get_candidate => scalay_partition_get_candidate
    procedure :: describe => scalay_partition_describe
  end type scalay_partition

  !> Totals of a partition.
  type :: scalay_partition_summary
    integer(c_int) :: candidates = 0    !< number of candidates
    integer(c_int) :: chosen = 0        !< the chosen candidate, 1-based
    integer(c_int64_t) :: volume = 0    !< elements sent
    real(c_double) :: time = 0          !< seconds over the links; NaN: unknown
    real(c_double) :: energy = 0        !< joules over the links; NaN: unknown
    real(c_double) :: lower_bound = 0   !< lower bound on the elements sent, for the areas before rounding
    real(c_double) :: load_error = 0    !< max over the parts with a positive area of |count / area - 1|
  end type scalay_partition_summary

  !> A shape that was tried. Costs are for the areas before rounding.
  type :: scalay_partition_candidate
    character(:), allocatable :: shape            !< name
    logical :: feasible = .false.                 !< .false.: the shape does not exist for these areas
    integer(c_int), allocatable :: assignment(:)  !< part (0-based) of each region of the shape
    real(c_double) :: continuous_cost = 0         !< elements sent; infinity if not feasible
    real(c_double) :: time = 0                    !< seconds; NaN: unknown
    real(c_double) :: energy = 0                  !< joules; NaN: unknown
    character(:), allocatable :: reason           !< why the shape is not feasible, else empty
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

  interface scalay_owner_map_1d1d
    module procedure map_1d1d_long, map_1d1d_int
  end interface scalay_owner_map_1d1d

  interface scalay_owner_map_generalised_block
    module procedure generalised_long, generalised_int
  end interface scalay_owner_map_generalised_block

  interface scalay_partition_create
    module procedure create_long, create_int
  end interface scalay_partition_create

contains

  include "scalay_owner_map.inc"
  include "scalay_multiply_cost.inc"

  !> Creates the best partition of an m x n matrix into parts of given areas.
  !! @param[in]    m, n          extents, at least 1
  !! @param[in]    area          one per part: proportions, finite, at least 0, not all 0
  !! @param[inout] partition     to be released with destroy
  !! @param[in]    shape         name of a shape or method; absent: "auto"
  !! @param[in]    objective     SCALAY_PARTITION_VOLUME (absent), _TIME or _ENERGY
  !! @param[in]    links         required for time and energy
  !! @param[in]    tile          edges are multiples of this number of rows and columns; absent: 1
  !! @param[in]    exact_counts  .true.: each part gets exactly its area, rounded by largest remainders
  !! @param[in]    tolerance     largest load error that is accepted; absent or 0: any
  !! @param[in]    seed          of the local searches; absent: 1
  !! @param[in]    budget        CPU time of the search, in seconds; absent or 0: until it brings no gain
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
    type(c_ptr) :: handle
    integer(c_int) :: code
    call c_partition_options_init(options, c_sizeof(options))
    handle = c_null_ptr
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
    if (code == SCALAY_SUCCESS) code = c_partition_create(m, n, size(area), area, options, handle)
    call partition%destroy()
    call partition%set_handle(handle)
    call return_status(code, status)
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

  !> Releases a partition. A variable without an object is allowed.
  subroutine scalay_partition_destroy(partition)
    class(scalay_partition), intent(inout) :: partition
    type(c_ptr) :: object
    object = partition%c_object()
    call c_partition_destroy(object)
    call partition%set_handle(object)
  end subroutine scalay_partition_destroy

  !> Returns the name of shape or method k = 1, 2, ...; empty if there is none.
  function scalay_partition_shapes(k) result(name)
    integer(c_int), intent(in) :: k
    character(:), allocatable :: name
    name = string_of(c_partition_shapes(k - 1))
  end function scalay_partition_shapes

  !> Returns the owner map. It belongs to the partition: it must not be destroyed, nor used after the partition.
  type(scalay_owner_map) function scalay_partition_map(partition)
    class(scalay_partition), intent(in) :: partition
    call scalay_partition_map%set_handle(c_partition_map(partition%c_object()))
  end function scalay_partition_map

  !> Returns the cost of the map. It belongs to the partition: it must not be destroyed, nor used after the partition.
  type(scalay_multiply_cost) function scalay_partition_cost(partition)
    class(scalay_partition), intent(in) :: partition
    call scalay_partition_cost%set_handle(c_partition_cost(partition%c_object()))
  end function scalay_partition_cost

  !> Returns the totals of a partition.
  !! @param[in]  partition  a partition
  !! @param[out] summary    all zero after a failure
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_partition_get_summary(partition, summary, status)
    class(scalay_partition), intent(in) :: partition
    type(scalay_partition_summary), intent(out) :: summary
    integer(c_int), intent(out), optional :: status
    type(c_partition_summary) :: result
    integer(c_int) :: code
    code = c_partition_get_summary(partition%c_object(), result)
    if (code == SCALAY_SUCCESS) &
      summary = scalay_partition_summary(result%candidates, result%chosen + 1, result%volume, result%time, &
      result%energy, result%lower_bound, result%load_error)
    call return_status(code, status)
  end subroutine scalay_partition_get_summary

  !> Returns a candidate.
  !! @param[in]  partition  a partition
  !! @param[in]  k          1 <= k <= candidates of the summary
  !! @param[out] candidate  no component is allocated after a failure
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_partition_get_candidate(partition, k, candidate, status)
    class(scalay_partition), intent(in) :: partition
    integer(c_int), intent(in) :: k
    type(scalay_partition_candidate), intent(out) :: candidate
    integer(c_int), intent(out), optional :: status
    type(c_partition_candidate) :: result
    integer(c_int), pointer :: assignment(:)
    type(scalay_owner_map) :: map
    integer(c_int) :: code, part
    code = c_partition_get_candidate(partition%c_object(), k - 1, result)
    if (code == SCALAY_SUCCESS) then
      candidate%shape = string_of(result%shape)
      candidate%reason = string_of(result%reason)
      candidate%feasible = result%feasible /= 0
      candidate%continuous_cost = result%continuous_cost
      candidate%time = result%time
      candidate%energy = result%energy
      map = partition%map()
      candidate%assignment = [(part, part = 0, map%parts() - 1)]
      if (c_associated(result%assignment)) then
        call c_f_pointer(result%assignment, assignment, [map%parts()])
        candidate%assignment = assignment
      end if
    end if
    call return_status(code, status)
  end subroutine scalay_partition_get_candidate

  !> Describes the chosen shape, the costs of the other candidates, and the empty parts.
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
