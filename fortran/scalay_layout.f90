!> Layouts (layout.h). A layout maps each element of an m x n matrix to a process and to a position in the local array
!! of that process.
!!
!! Rows, columns, tiles, rectangles and positions in local arrays are 1-based, as in ScaLAPACK. Processes, parts and
!! grid positions are 0-based, as in MPI and the BLACS. The extents of a call are all integer(c_int), the default
!! integer, or all integer(c_int64_t). Layouts are immutable.
module scalay_layout_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_char, c_ptr, c_null_ptr
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, chars_of, text_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  use scalay_context_mod, only: scalay_comm
  use scalay_partition_mod, only: scalay_owner_map
  implicit none
  private
  public :: scalay_layout, scalay_rectangle, scalay_subarray
  public :: scalay_layout_block_cyclic, scalay_layout_from_desc, scalay_layout_tiles
  public :: scalay_layout_from_owner_map, scalay_layout_from_owner_map_ascending, scalay_layout_owner_map
  public :: scalay_layout_subarray_count, scalay_layout_subarray, scalay_layout_subarray_indices
  public :: scalay_layout_submatrix, scalay_layout_relabel, scalay_layout_with_ld, scalay_layout_parse
  public :: scalay_layout_destroy, scalay_layout_rows, scalay_layout_cols, scalay_layout_parts
  public :: scalay_layout_processes, scalay_layout_process_of_part, scalay_layout_part_of_process
  public :: scalay_layout_owner, scalay_layout_elements, scalay_layout_local_size, scalay_layout_rectangle_count
  public :: scalay_layout_rectangle, scalay_layout_same_owners, scalay_layout_segments
  public :: scalay_layout_describe, scalay_layout_draw

  !> A rectangle of the matrix whose columns are contiguous in the local array of its owner.
  type :: scalay_rectangle
    integer(c_int64_t) :: row = 0     !< first row, 1-based
    integer(c_int64_t) :: col = 0     !< first column, 1-based
    integer(c_int64_t) :: rows = 0    !< at least 1
    integer(c_int64_t) :: cols = 0    !< at least 1
    integer(c_int64_t) :: offset = 0  !< position of element (row, col) in the local array, 1-based
    integer(c_int64_t) :: ld = 0      !< leading dimension
  end type scalay_rectangle

  !> A dense part of a local array: the elements at some rows and some columns of the matrix.
  type :: scalay_subarray
    integer(c_int64_t) :: rows = 0    !< at least 1
    integer(c_int64_t) :: cols = 0    !< at least 1
    integer(c_int64_t) :: offset = 0  !< position of its first element in the local array, 1-based
    integer(c_int64_t) :: ld = 0      !< leading dimension
  end type scalay_subarray

  !> A layout. All procedures below are type-bound, too: call layout%from_desc(comm, desc).
  type, extends(scalay_object) :: scalay_layout
  contains
    procedure, private, pass(layout) :: block_cyclic_long
    procedure, private, pass(layout) :: block_cyclic_int
    generic :: block_cyclic => block_cyclic_long, block_cyclic_int
    procedure, pass(layout) :: from_desc => scalay_layout_from_desc
    procedure, private, pass(layout) :: tiles_long
    procedure, private, pass(layout) :: tiles_int
    generic :: tiles => tiles_long, tiles_int
    procedure, pass(layout) :: from_owner_map => scalay_layout_from_owner_map
    procedure, pass(layout) :: from_owner_map_ascending => scalay_layout_from_owner_map_ascending
    procedure :: owner_map => scalay_layout_owner_map
    procedure :: subarray_count => scalay_layout_subarray_count
    procedure :: subarray => scalay_layout_subarray
    procedure :: subarray_indices => scalay_layout_subarray_indices
    procedure, private :: submatrix_long
    procedure, private :: submatrix_int
    generic :: submatrix => submatrix_long, submatrix_int
    procedure :: relabel => scalay_layout_relabel
    procedure :: with_ld => scalay_layout_with_ld
    procedure, pass(layout) :: parse => scalay_layout_parse
    procedure :: destroy => scalay_layout_destroy
    procedure :: rows => scalay_layout_rows
    procedure :: cols => scalay_layout_cols
    procedure :: parts => scalay_layout_parts
    procedure :: processes => scalay_layout_processes
    procedure :: process_of_part => scalay_layout_process_of_part
    procedure :: part_of_process => scalay_layout_part_of_process
    procedure, private :: owner_long
    procedure, private :: owner_int
    generic :: owner => owner_long, owner_int
    procedure :: elements => scalay_layout_elements
    procedure :: local_size => scalay_layout_local_size
    procedure :: rectangle_count => scalay_layout_rectangle_count
    procedure :: rectangle => scalay_layout_rectangle
    procedure :: same_owners => scalay_layout_same_owners
    procedure :: segments => scalay_layout_segments
    procedure :: describe => scalay_layout_describe
    procedure :: draw => scalay_layout_draw
  end type scalay_layout

  interface scalay_layout_block_cyclic
    module procedure block_cyclic_long, block_cyclic_int
  end interface scalay_layout_block_cyclic

  interface scalay_layout_tiles
    module procedure tiles_long, tiles_int
  end interface scalay_layout_tiles

  interface scalay_layout_submatrix
    module procedure submatrix_long, submatrix_int
  end interface scalay_layout_submatrix

  interface scalay_layout_owner
    module procedure owner_long, owner_int
  end interface scalay_layout_owner

contains

  ! Releases the object of a variable and stores a new one, or none after a failure.
  subroutine replace_handle(layout, handle, code, status)
    class(scalay_layout), intent(inout) :: layout
    type(c_ptr), intent(in) :: handle
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    call layout%destroy()
    call layout%set_handle(handle)
    call return_status(code, status)
  end subroutine replace_handle

  !> Creates a block-cyclic layout: block (I, J), 0-based, belongs to grid position (mod(I + rsrc, nprow),
  !! mod(J + csrc, npcol)). Not collective. Local arrays are those of ScaLAPACK, with leading dimension max(1, local
  !! rows).
  !! @param[in]    m, n          extents, at least 0
  !! @param[in]    mb, nb        block extents, at least 1
  !! @param[in]    nprow, npcol  grid extents, at least 1
  !! @param[in]    rsrc, csrc    0-based grid position of the first block
  !! @param[in]    order         SCALAY_ROW_MAJOR or SCALAY_COLUMN_MAJOR: numbering of the parts on the grid
  !! @param[inout] layout        to be released with destroy
  !! @param[out]   status        SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine block_cyclic_long(m, n, mb, nb, nprow, npcol, rsrc, csrc, order, layout, status)
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    integer(c_int), intent(in) :: nprow, npcol, rsrc, csrc, order
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_block_cyclic(m, n, mb, nb, nprow, npcol, rsrc, csrc, order, handle)
    call replace_handle(layout, handle, code, status)
  end subroutine block_cyclic_long

  !> Creates the layout of a ScaLAPACK descriptor. Collective over comm. Each part is on the rank at its position of the
  !! BLACS grid. Grids of gridinit and gridmap are allowed, on all or on some ranks of comm.
  !! @param[in]    comm    contains all ranks of the grid
  !! @param[in]    desc    a descriptor of type 1 (dense). LLD is the leading dimension of the local array of this rank.
  !!                       Ranks outside the grid pass desc(2) = -1; their other entries are not read
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an invalid entry, or no rank in the grid),
  !!                       SCALAY_ERROR_MISMATCH (ranks of the grid have different descriptors or are not in comm),
  !!                       SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_layout_from_desc(comm, desc, layout, status)
    class(scalay_comm), intent(in) :: comm
    integer(c_int), intent(in) :: desc(9)
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_from_desc(comm%c_object(), desc, handle)
    call replace_handle(layout, handle, code, status)
  end subroutine scalay_layout_from_desc

  !> Creates a tile map. Not collective. The tiles of a part are stored one after the other, column by column, each
  !! dense.
  !! @param[in]    m, n    extents, at least 0
  !! @param[in]    mb, nb  tile extents, at least 1; the last tiles may be smaller
  !! @param[in]    parts   number of parts, at least 1
  !! @param[in]    owner   shape [ceiling(m / mb), ceiling(n / nb)]: part of each tile, 0 <= owner < parts; copied
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine tiles_long(m, n, mb, nb, parts, owner, layout, status)
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    integer(c_int), intent(in) :: parts
    integer(c_int), intent(in) :: owner(:, :)
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    integer(c_int64_t) :: wanted(2)
    wanted = shape(owner)
    if (min(m, n) >= 0 .and. min(mb, nb) >= 1) wanted = [m, n] / [mb, nb] + min(mod([m, n], [mb, nb]), 1_c_int64_t)
    if (any(shape(owner) /= wanted)) then
      handle = c_null_ptr
      code = fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_tiles: owner must have one element per tile")
    else
      ! The C function reads the map row by row.
      code = c_layout_tiles(m, n, mb, nb, parts, reshape(transpose(owner), [size(owner)]), handle)
    end if
    call replace_handle(layout, handle, code, status)
  end subroutine tiles_long

  !> Creates the layout of an owner map. Not collective. A part has one subarray for each set of columns in which it
  !! owns the same rows, or for each set of rows in which it owns the same columns, whichever gives fewer.
  !! @param[in]    map     any owner map; not needed after the call
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_from_owner_map(map, layout, status)
    class(scalay_owner_map), intent(in) :: map
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_from_owner_map(map%c_object(), handle)
    call replace_handle(layout, handle, code, status)
  end subroutine scalay_layout_from_owner_map

  !> Creates the layout of an owner map with rows and columns in ascending order. Not collective. A part has one
  !! subarray for each set of columns in which it owns the same rows. Its part of a trailing matrix is a trailing block
  !! of each subarray.
  !! @param[in]    map     any owner map; not needed after the call
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  as in scalay_layout_from_owner_map
  subroutine scalay_layout_from_owner_map_ascending(map, layout, status)
    class(scalay_owner_map), intent(in) :: map
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_from_owner_map_ascending(map%c_object(), handle)
    call replace_handle(layout, handle, code, status)
  end subroutine scalay_layout_from_owner_map_ascending

  !> Creates the owner map of a layout: the part that owns each element. Not collective.
  !! @param[in]    layout  any layout
  !! @param[inout] map     to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_owner_map(layout, map, status)
    class(scalay_layout), intent(in) :: layout
    class(scalay_owner_map), intent(inout) :: map
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_owner_map(layout%c_object(), handle)
    call map%destroy()
    call map%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_layout_owner_map

  !> Creates a submatrix: its element (1, 1) is element (row, col) of the layout. Not collective. Local arrays stay
  !! those of the whole matrix, as in ScaLAPACK.
  !! @param[in]    layout     any layout
  !! @param[in]    row, col   1-based: ScaLAPACK's ia, ja
  !! @param[in]    m, n       extents, at least 0
  !! @param[inout] submatrix  to be released with destroy
  !! @param[out]   status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine submatrix_long(layout, row, col, m, n, submatrix, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int64_t), intent(in) :: row, col, m, n
    class(scalay_layout), intent(inout) :: submatrix
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_submatrix(layout%c_object(), row - 1, col - 1, m, n, handle)
    call replace_handle(submatrix, handle, code, status)
  end subroutine submatrix_long

  !> Creates the layout with its parts on other processes. Not collective. Leading dimensions of a descriptor are not
  !! kept.
  !! @param[in]    layout      any layout; the present processes of its parts are ignored
  !! @param[in]    processes   number of processes, at least the number of parts
  !! @param[inout] relabelled  to be released with destroy
  !! @param[in]    process     shape [parts]: element k + 1 is the process (0-based) of part k; distinct;
  !!                           absent: 0, 1, 2, ...
  !! @param[out]   status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_relabel(layout, processes, relabelled, process, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: processes
    class(scalay_layout), intent(inout) :: relabelled
    integer(c_int), intent(in), optional :: process(:)
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    logical :: fits
    fits = .true.
    if (present(process)) fits = size(process) == layout%parts()
    if (fits) then
      code = c_layout_relabel(layout%c_object(), processes, process, handle)
    else
      handle = c_null_ptr
      code = fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_relabel: process must have one element per part")
    end if
    call replace_handle(relabelled, handle, code, status)
  end subroutine scalay_layout_relabel

  !> Copies a layout and sets the leading dimension of the local array of one process. Not collective.
  !! @param[in]    layout   block-cyclic
  !! @param[in]    process  calling process; it holds a part
  !! @param[in]    ld       elements between two columns of its local array, at least max(1, local rows)
  !! @param[inout] copy     release with destroy
  !! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_with_ld(layout, process, ld, copy, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    integer(c_int64_t), intent(in) :: ld
    class(scalay_layout), intent(inout) :: copy
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_with_ld(layout%c_object(), process, ld, handle)
    call replace_handle(copy, handle, code, status)
  end subroutine scalay_layout_with_ld

  !> Creates a layout from text, such as "cyclic:m=100,n=80,mb=8,nb=8,p=2,q=2,order=row", "tiles:FILE",
  !! "pattern:m=100,n=80,mb=8,FILE", where FILE is text or the output of scalay pattern --json,
  !! "skewed:m=100,n=80,mb=8,nb=8,p=2,q=2,seed=1" or "chunks:m=100,n=80,mb=8,nb=8,p=4,seed=1". Not collective.
  !! @param[in]    text    the text; trailing blanks are ignored
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names the key or the line),
  !!                       SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_parse(text, layout, status)
    character(*), intent(in) :: text
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_layout_parse(chars_of(trim(text)), handle)
    call replace_handle(layout, handle, code, status)
  end subroutine scalay_layout_parse

  !> Releases a layout. Not collective. A variable without an object is allowed.
  subroutine scalay_layout_destroy(layout)
    class(scalay_layout), intent(inout) :: layout
    type(c_ptr) :: object
    object = layout%c_object()
    call c_layout_destroy(object)
    call layout%set_handle(object)
  end subroutine scalay_layout_destroy

  ! Queries.

  !> Returns the number of rows; 0 without a layout.
  pure integer(c_int64_t) function scalay_layout_rows(layout)
    class(scalay_layout), intent(in) :: layout
    scalay_layout_rows = c_layout_rows(layout%c_object())
  end function scalay_layout_rows

  !> Returns the number of columns; 0 without a layout.
  pure integer(c_int64_t) function scalay_layout_cols(layout)
    class(scalay_layout), intent(in) :: layout
    scalay_layout_cols = c_layout_cols(layout%c_object())
  end function scalay_layout_cols

  !> Returns the number of parts, with the empty ones; 0 without a layout.
  pure integer(c_int) function scalay_layout_parts(layout)
    class(scalay_layout), intent(in) :: layout
    scalay_layout_parts = c_layout_parts(layout%c_object())
  end function scalay_layout_parts

  !> Returns the number of processes; 0 without a layout. All owners are less than it.
  pure integer(c_int) function scalay_layout_processes(layout)
    class(scalay_layout), intent(in) :: layout
    scalay_layout_processes = c_layout_processes(layout%c_object())
  end function scalay_layout_processes

  !> Returns the process of a part, both 0-based; -1 if there is no such part.
  pure integer(c_int) function scalay_layout_process_of_part(layout, part)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: part
    scalay_layout_process_of_part = c_layout_process_of_part(layout%c_object(), part)
  end function scalay_layout_process_of_part

  !> Returns the part of a process, both 0-based; -1 if it holds none.
  pure integer(c_int) function scalay_layout_part_of_process(layout, process)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    scalay_layout_part_of_process = c_layout_part_of_process(layout%c_object(), process)
  end function scalay_layout_part_of_process

  !> Returns the process (0-based) that owns element (i, j), 1-based; -1 outside the matrix.
  pure integer(c_int) function owner_long(layout, i, j)
    class(scalay_layout), intent(in) :: layout
    integer(c_int64_t), intent(in) :: i, j
    owner_long = -1
    if (i >= 1 .and. j >= 1) owner_long = c_layout_owner(layout%c_object(), i - 1, j - 1)
  end function owner_long

  !> Returns the number of elements that a process (0-based) owns.
  pure integer(c_int64_t) function scalay_layout_elements(layout, process)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    scalay_layout_elements = c_layout_elements(layout%c_object(), process)
  end function scalay_layout_elements

  !> Returns the elements of the smallest local array of a process (0-based); 0 if it owns no element.
  pure integer(c_int64_t) function scalay_layout_local_size(layout, process)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    scalay_layout_local_size = c_layout_local_size(layout%c_object(), process)
  end function scalay_layout_local_size

  !> Returns the number of rectangles of a process (0-based).
  pure integer(c_int64_t) function scalay_layout_rectangle_count(layout, process)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    scalay_layout_rectangle_count = c_layout_rectangle_count(layout%c_object(), process)
  end function scalay_layout_rectangle_count

  !> Returns a rectangle of a process: a block, a tile, or a run of rows times a run of columns.
  !! @param[in]  layout     any layout
  !! @param[in]  process    a process, 0-based
  !! @param[in]  k          1 <= k <= scalay_layout_rectangle_count(layout, process)
  !! @param[out] rectangle  1-based; all zero after a failure
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_layout_rectangle(layout, process, k, rectangle, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    integer(c_int64_t), intent(in) :: k
    type(scalay_rectangle), intent(out) :: rectangle
    integer(c_int), intent(out), optional :: status
    type(c_rectangle) :: result
    integer(c_int) :: code
    code = c_layout_rectangle(layout%c_object(), process, k - 1, result)
    if (code == SCALAY_SUCCESS) &
      rectangle = scalay_rectangle(result%row + 1, result%col + 1, result%rows, result%cols, result%offset + 1, &
        result%ld)
    call return_status(code, status)
  end subroutine scalay_layout_rectangle

  !> Returns the number of subarrays of a process (0-based); 0 if it owns no element.
  pure integer(c_int64_t) function scalay_layout_subarray_count(layout, process)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    scalay_layout_subarray_count = c_layout_subarray_count(layout%c_object(), process)
  end function scalay_layout_subarray_count

  !> Returns a subarray of a process.
  !! @param[in]  layout   any layout
  !! @param[in]  process  a process, 0-based
  !! @param[in]  k        1 <= k <= scalay_layout_subarray_count(layout, process)
  !! @param[out] subarray its offset is 1-based; all zero after a failure
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_layout_subarray(layout, process, k, subarray, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    integer(c_int64_t), intent(in) :: k
    type(scalay_subarray), intent(out) :: subarray
    integer(c_int), intent(out), optional :: status
    type(c_subarray) :: result
    integer(c_int) :: code
    code = c_layout_subarray(layout%c_object(), process, k - 1, result)
    if (code == SCALAY_SUCCESS) subarray = scalay_subarray(result%rows, result%cols, result%offset + 1, result%ld)
    call return_status(code, status)
  end subroutine scalay_layout_subarray

  !> Returns the matrix indices (1-based) of the rows and columns of a subarray, in the order of storage.
  !! @param[in]  layout   any layout
  !! @param[in]  process  a process, 0-based
  !! @param[in]  k        as in scalay_layout_subarray
  !! @param[out] row      of each row of the subarray; of size 0 after a failure
  !! @param[out] col      of each column
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_layout_subarray_indices(layout, process, k, row, col, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: process
    integer(c_int64_t), intent(in) :: k
    integer(c_int64_t), allocatable, intent(out) :: row(:), col(:)
    integer(c_int), intent(out), optional :: status
    type(c_subarray) :: result
    integer(c_int) :: code
    allocate (row(0), col(0))
    code = c_layout_subarray(layout%c_object(), process, k - 1, result)
    if (code == SCALAY_SUCCESS) then
      deallocate (row, col)
      allocate (row(result%rows), col(result%cols))
      code = c_layout_subarray_indices(layout%c_object(), process, k - 1, row, col)
      row = row + 1
      col = col + 1
    end if
    call return_status(code, status)
  end subroutine scalay_layout_subarray_indices

  !> Returns .true. if two layouts have the same owner for each element. Their local arrays may differ.
  pure logical function scalay_layout_same_owners(a, b)
    class(scalay_layout), intent(in) :: a, b
    scalay_layout_same_owners = c_layout_same_owners(a%c_object(), b%c_object()) /= 0
  end function scalay_layout_same_owners

  !> Returns the number of memory segments of a redistribution; -1 if the extents differ.
  pure integer(c_int64_t) function scalay_layout_segments(source, target)
    class(scalay_layout), intent(in) :: source, target
    scalay_layout_segments = c_layout_segments(source%c_object(), target%c_object())
  end function scalay_layout_segments

  !> Describes a layout in one sentence, such as "1000 x 800 block-cyclic, blocks 64 x 64, grid 2 x 2".
  function scalay_layout_describe(layout) result(text)
    class(scalay_layout), intent(in) :: layout
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_layout_describe(layout%c_object(), size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_layout_describe(layout%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_layout_describe

  !> Draws the owners as text, one line per row of cells, each line ended by new_line("a"). A cell is a block or a tile.
  !! If there are more than max_cells cells in a direction, they are sampled.
  function scalay_layout_draw(layout, max_cells) result(text)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: max_cells
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int64_t) :: length
    length = c_layout_draw(layout%c_object(), max_cells, size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_layout_draw(layout%c_object(), max_cells, chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_layout_draw

  ! Procedures with extents, for the default integer.

  subroutine block_cyclic_int(m, n, mb, nb, nprow, npcol, rsrc, csrc, order, layout, status)
    integer(c_int), intent(in) :: m, n, mb, nb, nprow, npcol, rsrc, csrc, order
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    call block_cyclic_long(int(m, c_int64_t), int(n, c_int64_t), int(mb, c_int64_t), int(nb, c_int64_t), nprow, npcol, &
      rsrc, csrc, order, layout, status)
  end subroutine block_cyclic_int

  subroutine tiles_int(m, n, mb, nb, parts, owner, layout, status)
    integer(c_int), intent(in) :: m, n, mb, nb, parts
    integer(c_int), intent(in) :: owner(:, :)
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    call tiles_long(int(m, c_int64_t), int(n, c_int64_t), int(mb, c_int64_t), int(nb, c_int64_t), parts, owner, &
      layout, status)
  end subroutine tiles_int

  subroutine submatrix_int(layout, row, col, m, n, submatrix, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: row, col, m, n
    class(scalay_layout), intent(inout) :: submatrix
    integer(c_int), intent(out), optional :: status
    call submatrix_long(layout, int(row, c_int64_t), int(col, c_int64_t), int(m, c_int64_t), int(n, c_int64_t), &
      submatrix, status)
  end subroutine submatrix_int

  pure integer(c_int) function owner_int(layout, i, j)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: i, j
    owner_int = owner_long(layout, int(i, c_int64_t), int(j, c_int64_t))
  end function owner_int
end module scalay_layout_mod
