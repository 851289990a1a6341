!> Patterns (pattern.h). A pattern is a table of owners, r x c tiles, that is repeated over a matrix.
!!
!! Processes are 0-based. Tile rows and tile columns are 1-based. Extents are integer(c_int64_t) or integer(c_int), all
!! of one kind in a call. No procedure is collective.
module scalay_pattern_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, string_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  use scalay_partition_mod, only: scalay_owner_map
  use scalay_layout_mod, only: scalay_layout
  implicit none
  private
  public :: scalay_pattern, scalay_pattern_table, scalay_pattern_summary, scalay_tile_traffic
  public :: scalay_pattern_create, scalay_pattern_find, scalay_pattern_destroy, scalay_pattern_get_table
  public :: scalay_pattern_owner, scalay_pattern_get_summary
  public :: scalay_owner_map_from_pattern, scalay_layout_from_pattern, scalay_owner_map_tile_traffic

  ! Kernels whose traffic is counted.
  integer(c_int), parameter, public :: SCALAY_PATTERN_GEMM = 0      !< C := A B, with C stationary
  integer(c_int), parameter, public :: SCALAY_PATTERN_LU = 1        !< right-looking
  integer(c_int), parameter, public :: SCALAY_PATTERN_QR = 2        !< Householder
  integer(c_int), parameter, public :: SCALAY_PATTERN_CHOLESKY = 3  !< lower triangle, right-looking

  !> The data of a pattern.
  type :: scalay_pattern_table
    integer(c_int) :: parts = 0                          !< number of processes
    integer(c_int), allocatable :: owner(:, :)           !< (rows, cols); -1: see diagonal
    integer(c_int) :: row_offset = 0                     !< 0-based tile row of the table at which the matrix starts
    integer(c_int) :: col_offset = 0                     !< likewise
    integer(c_int) :: copies = 1                         !< number of copies that differ
    integer(c_int), allocatable :: permutation(:, :)     !< (parts, copies); not allocated: none
    integer(c_int), allocatable :: diagonal(:, :)        !< (copies, rows): owners of diagonal tiles marked by -1
  end type scalay_pattern_table

  !> Cost of a pattern.
  type :: scalay_pattern_summary
    real(c_double) :: row_owners = 0     !< owners per tile row, on average
    real(c_double) :: col_owners = 0     !< owners per tile column
    real(c_double) :: z = 0              !< owners per tile row and column of equal index together
    real(c_double) :: cost = 0           !< what the kernel's traffic is proportional to
    real(c_double) :: bound = 0          !< lower bound on the cost
    real(c_double) :: bound_uniform = 0  !< Cholesky: if each process has equally many pattern rows
    real(c_double) :: balance = 0        !< mean over maximum of load / speed
    real(c_double) :: trailing = 0       !< trailing balance of 8 x 8 copies
    character(:), allocatable :: method  !< name of the construction
  end type scalay_pattern_summary

  !> A pattern.
  type, extends(scalay_object) :: scalay_pattern
  contains
    procedure, pass(pattern) :: create => scalay_pattern_create
    procedure, pass(pattern) :: find => scalay_pattern_find
    procedure :: destroy => scalay_pattern_destroy
    procedure :: get_table => scalay_pattern_get_table
    procedure :: owner => scalay_pattern_owner
    procedure :: get_summary => scalay_pattern_get_summary
  end type scalay_pattern

  !> Creates the owner map of a matrix with a pattern.
  interface scalay_owner_map_from_pattern
    module procedure map_long, map_int
  end interface scalay_owner_map_from_pattern

  !> Creates the layout of a matrix with a pattern.
  interface scalay_layout_from_pattern
    module procedure layout_long, layout_int
  end interface scalay_layout_from_pattern

contains

  !> Creates a pattern from its data.
  !! @param[in]    table    copied
  !! @param[inout] pattern  to be released with destroy
  !! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine scalay_pattern_create(table, pattern, status)
    type(scalay_pattern_table), intent(in) :: table
    class(scalay_pattern), intent(inout) :: pattern
    integer(c_int), intent(out), optional :: status
    type(c_pattern_table) :: c
    type(c_ptr) :: handle
    integer(c_int) :: code
    integer(c_int), allocatable, target :: owner(:, :), permutation(:, :), diagonal(:, :)
    code = SCALAY_SUCCESS
    handle = c_null_ptr
    if (.not. allocated(table%owner)) then
      code = fail(SCALAY_ERROR_ARGUMENT, "scalay_pattern_create: table%owner is not allocated; allocate (rows, cols)")
    else
      owner = transpose(table%owner)
      c = c_pattern_table(table%parts, size(table%owner, 1), size(table%owner, 2), c_null_ptr, table%row_offset, &
        table%col_offset, table%copies, c_null_ptr, c_null_ptr)
      if (size(owner) > 0) c%owner = c_loc(owner)
      if (allocated(table%permutation)) then
        permutation = table%permutation
        if (any(shape(permutation) /= [table%parts, table%copies])) code = fail(SCALAY_ERROR_ARGUMENT, &
          "scalay_pattern_create: table%permutation must have the shape (parts, copies)")
        if (size(permutation) > 0) c%permutation = c_loc(permutation)
      end if
      if (allocated(table%diagonal)) then
        diagonal = table%diagonal
        if (any(shape(diagonal) /= [table%copies, size(table%owner, 1)])) code = fail(SCALAY_ERROR_ARGUMENT, &
          "scalay_pattern_create: table%diagonal must have the shape (copies, rows)")
        if (size(diagonal) > 0) c%diagonal = c_loc(diagonal)
      end if
      if (code == SCALAY_SUCCESS) code = c_pattern_create(c, handle)
    end if
    call pattern%destroy()
    call pattern%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_pattern_create

  !> Finds a pattern with a low cost for any number of processes and any speeds.
  !! @param[in]    kernel   SCALAY_PATTERN_GEMM, _LU, _QR, _CHOLESKY
  !! @param[in]    parts    number of processes, 1 to 4096
  !! @param[inout] pattern  to be released with destroy
  !! @param[in]    speed    one per process: finite, positive; absent: equal
  !! @param[in]    budget   CPU time in seconds; absent or 0: a fixed number of steps
  !! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_pattern_find(kernel, parts, pattern, speed, budget, status)
    integer(c_int), intent(in) :: kernel, parts
    class(scalay_pattern), intent(inout) :: pattern
    real(c_double), intent(in), optional :: speed(:)
    real(c_double), intent(in), optional :: budget
    integer(c_int), intent(out), optional :: status
    real(c_double) :: seconds
    type(c_ptr) :: handle
    integer(c_int) :: code
    seconds = 0
    handle = c_null_ptr
    code = SCALAY_SUCCESS
    if (present(budget)) seconds = budget
    if (present(speed)) code = check_speeds(size(speed), parts, "scalay_pattern_find")
    if (code == SCALAY_SUCCESS) code = c_pattern_find(kernel, parts, speed, seconds, handle)
    call pattern%destroy()
    call pattern%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_pattern_find

  integer(c_int) function check_speeds(count, parts, name) result(code)
    integer, intent(in) :: count
    integer(c_int), intent(in) :: parts
    character(*), intent(in) :: name
    code = SCALAY_SUCCESS
    if (count < parts) code = fail(SCALAY_ERROR_ARGUMENT, name // ": speed must have one element per process")
  end function check_speeds

  !> Releases a pattern. A variable without an object is allowed.
  subroutine scalay_pattern_destroy(pattern)
    class(scalay_pattern), intent(inout) :: pattern
    type(c_ptr) :: object
    object = pattern%c_object()
    call c_pattern_destroy(object)
    call pattern%set_handle(object)
  end subroutine scalay_pattern_destroy

  !> Returns the data of a pattern.
  !! @param[in]  pattern  a pattern
  !! @param[out] table    a copy
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_pattern_get_table(pattern, table, status)
    class(scalay_pattern), intent(in) :: pattern
    type(scalay_pattern_table), intent(out) :: table
    integer(c_int), intent(out), optional :: status
    type(c_pattern_table) :: c
    integer(c_int), pointer :: array(:, :)
    integer(c_int) :: code
    code = c_pattern_get_table(pattern%c_object(), c)
    if (code == SCALAY_SUCCESS) then
      table%parts = c%parts
      table%row_offset = c%row_offset
      table%col_offset = c%col_offset
      table%copies = c%copies
      call c_f_pointer(c%owner, array, [c%cols, c%rows])
      table%owner = transpose(array)
      if (c_associated(c%permutation)) then
        call c_f_pointer(c%permutation, array, [c%parts, c%copies])
        table%permutation = array
      end if
      if (c_associated(c%diagonal)) then
        call c_f_pointer(c%diagonal, array, [c%copies, c%rows])
        table%diagonal = array
      end if
    end if
    call return_status(code, status)
  end subroutine scalay_pattern_get_table

  !> Returns the owner (0-based) of tile (i, j), 1-based; -1 without a pattern.
  pure integer(c_int) function scalay_pattern_owner(pattern, i, j)
    class(scalay_pattern), intent(in) :: pattern
    integer, intent(in) :: i, j
    scalay_pattern_owner = c_pattern_owner(pattern%c_object(), int(i - 1, c_int64_t), int(j - 1, c_int64_t))
  end function scalay_pattern_owner

  !> Computes the cost of a pattern.
  !! @param[in]  pattern  a pattern
  !! @param[in]  kernel   as in scalay_pattern_find
  !! @param[out] summary  cost, bounds and balance
  !! @param[in]  speed    one per process; absent: equal
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_pattern_get_summary(pattern, kernel, summary, speed, status)
    class(scalay_pattern), intent(in) :: pattern
    integer(c_int), intent(in) :: kernel
    type(scalay_pattern_summary), intent(out) :: summary
    real(c_double), intent(in), optional :: speed(:)
    integer(c_int), intent(out), optional :: status
    type(c_pattern_table) :: table
    type(c_pattern_summary) :: c
    integer(c_int) :: code
    code = c_pattern_get_table(pattern%c_object(), table)
    if (code == SCALAY_SUCCESS .and. present(speed)) &
      code = check_speeds(size(speed), table%parts, "scalay_pattern_get_summary")
    if (code == SCALAY_SUCCESS) code = c_pattern_get_summary(pattern%c_object(), kernel, speed, c)
    if (code == SCALAY_SUCCESS) summary = scalay_pattern_summary(c%row_owners, c%col_owners, c%z, c%cost, c%bound, &
      c%bound_uniform, c%balance, c%trailing, string_of(c%method))
    call return_status(code, status)
  end subroutine scalay_pattern_get_summary

  !> Counts the tiles that a kernel sends on an owner map whose owners change at multiples of nb only.
  !! @param[in]  map      an owner map
  !! @param[in]  nb       tile extent
  !! @param[in]  kernel   as in scalay_pattern_find
  !! @param[out] traffic  tiles and balance
  !! @param[in]  speed    one per process; absent: equal
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_owner_map_tile_traffic(map, nb, kernel, traffic, speed, status)
    class(scalay_owner_map), intent(in) :: map
    integer, intent(in) :: nb
    integer(c_int), intent(in) :: kernel
    type(scalay_tile_traffic), intent(out) :: traffic
    real(c_double), intent(in), optional :: speed(:)
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: code
    code = SCALAY_SUCCESS
    if (present(speed)) code = check_speeds(size(speed), map%parts(), "scalay_owner_map_tile_traffic")
    if (code == SCALAY_SUCCESS) &
      code = c_owner_map_tile_traffic(map%c_object(), int(nb, c_int64_t), kernel, speed, traffic)
    call return_status(code, status)
  end subroutine scalay_owner_map_tile_traffic

  ! Owner maps and layouts.
  ! @param[in]    pattern  any pattern; not needed after the call
  ! @param[in]    m, n     extents, at least 0
  ! @param[in]    mb, nb   tile extents, at least 1
  ! @param[inout] map      to be released with destroy; layout likewise
  ! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY

  subroutine map_long(pattern, m, n, mb, nb, map, status)
    class(scalay_pattern), intent(in) :: pattern
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    class(scalay_owner_map), intent(inout) :: map
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_owner_map_from_pattern(pattern%c_object(), m, n, mb, nb, handle)
    call map%destroy()
    call map%set_handle(handle)
    call return_status(code, status)
  end subroutine map_long

  subroutine map_int(pattern, m, n, mb, nb, map, status)
    class(scalay_pattern), intent(in) :: pattern
    integer(c_int), intent(in) :: m, n, mb, nb
    class(scalay_owner_map), intent(inout) :: map
    integer(c_int), intent(out), optional :: status
    call map_long(pattern, int(m, c_int64_t), int(n, c_int64_t), int(mb, c_int64_t), int(nb, c_int64_t), map, status)
  end subroutine map_int

  subroutine layout_long(pattern, m, n, mb, nb, layout, status)
    class(scalay_pattern), intent(in) :: pattern
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_from_pattern(pattern%c_object(), m, n, mb, nb, handle)
    call layout%destroy()
    call layout%set_handle(handle)
    call return_status(code, status)
  end subroutine layout_long

  subroutine layout_int(pattern, m, n, mb, nb, layout, status)
    class(scalay_pattern), intent(in) :: pattern
    integer(c_int), intent(in) :: m, n, mb, nb
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    call layout_long(pattern, int(m, c_int64_t), int(n, c_int64_t), int(mb, c_int64_t), int(nb, c_int64_t), layout, &
      status)
  end subroutine layout_int
end module scalay_pattern_mod
