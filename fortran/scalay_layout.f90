!> Layouts: who owns which element of an m x n matrix, and where it lies in the owner's memory (layout.h).
!!
!! Rows, columns, tiles, rectangles and places in local arrays count from 1, as ScaLAPACK's; processes, parts and
!! grid positions from 0, as MPI's and the BLACS'. Extents may be integer(c_int), the default integer, or
!! integer(c_int64_t), but all of one kind in a call. Layouts are immutable.
module scalay_layout_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_char, c_ptr, c_null_ptr
  use scalay_c
  use scalay_support, only: scalay_object, conclude, fail, chars_of, text_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  use scalay_context_mod, only: scalay_comm
  use scalay_partition_mod, only: scalay_owner_map
  implicit none
  private
  public :: scalay_layout, scalay_rectangle, scalay_subarray
  public :: scalay_layout_block_cyclic, scalay_layout_from_desc, scalay_layout_tiles, scalay_layout_skewed
  public :: scalay_layout_from_owner_map, scalay_layout_owner_map
  public :: scalay_layout_subarray_count, scalay_layout_subarray, scalay_layout_subarray_indices
  public :: scalay_layout_chunks, scalay_layout_submatrix, scalay_layout_relabel, scalay_layout_parse
  public :: scalay_layout_destroy, scalay_layout_rows, scalay_layout_cols, scalay_layout_parts
  public :: scalay_layout_processes, scalay_layout_process_of_part, scalay_layout_part_of_process
  public :: scalay_layout_owner, scalay_layout_elements, scalay_layout_local_size, scalay_layout_rectangle_count
  public :: scalay_layout_rectangle, scalay_layout_same_owners, scalay_layout_segments
  public :: scalay_layout_describe, scalay_layout_draw

  !> A rectangle of the matrix that is contiguous by columns in its owner's memory.
  type :: scalay_rectangle
    integer(c_int64_t) :: row = 0     !< its first row, 1-based
    integer(c_int64_t) :: col = 0     !< its first column, 1-based
    integer(c_int64_t) :: rows = 0    !< at least 1
    integer(c_int64_t) :: cols = 0    !< at least 1
    integer(c_int64_t) :: offset = 0  !< where element (row, col) is in the local array, 1-based
    integer(c_int64_t) :: ld = 0      !< from one column to the next in the local array
  end type scalay_rectangle

  !> A dense array in a part's local memory: the elements at some rows and some columns of the matrix.
  type :: scalay_subarray
    integer(c_int64_t) :: rows = 0    !< at least 1
    integer(c_int64_t) :: cols = 0    !< at least 1
    integer(c_int64_t) :: offset = 0  !< where its first element is in the local array, 1-based
    integer(c_int64_t) :: ld = 0      !< from one column to the next
  end type scalay_subarray

  !> A layout. Every procedure below is bound to it too: call layout%from_desc(comm, desc).
  type, extends(scalay_object) :: scalay_layout
  contains
    procedure, private, pass(layout) :: block_cyclic_long
    procedure, private, pass(layout) :: block_cyclic_int
    generic :: block_cyclic => block_cyclic_long, block_cyclic_int
    procedure, pass(layout) :: from_desc => scalay_layout_from_desc
    procedure, private, pass(layout) :: tiles_long
    procedure, private, pass(layout) :: tiles_int
    generic :: tiles => tiles_long, tiles_int
    procedure, private, pass(layout) :: skewed_long
    procedure, private, pass(layout) :: skewed_int
    generic :: skewed => skewed_long, skewed_int
    procedure, private, pass(layout) :: chunks_long
    procedure, private, pass(layout) :: chunks_int
    generic :: chunks => chunks_long, chunks_int
    procedure, pass(layout) :: from_owner_map => scalay_layout_from_owner_map
    procedure :: owner_map => scalay_layout_owner_map
    procedure :: subarray_count => scalay_layout_subarray_count
    procedure :: subarray => scalay_layout_subarray
    procedure :: subarray_indices => scalay_layout_subarray_indices
    procedure, private :: submatrix_long
    procedure, private :: submatrix_int
    generic :: submatrix => submatrix_long, submatrix_int
    procedure :: relabel => scalay_layout_relabel
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

  interface scalay_layout_skewed
    module procedure skewed_long, skewed_int
  end interface scalay_layout_skewed

  interface scalay_layout_chunks
    module procedure chunks_long, chunks_int
  end interface scalay_layout_chunks

  interface scalay_layout_submatrix
    module procedure submatrix_long, submatrix_int
  end interface scalay_layout_submatrix

  interface scalay_layout_owner
    module procedure owner_long, owner_int
  end interface scalay_layout_owner

contains

  include "scalay_layout_int.inc"

  ! The variable stands for a new object from now on, or for none after a failure.
  subroutine renew(layout, made, code, status)
    class(scalay_layout), intent(inout) :: layout
    type(c_ptr), intent(in) :: made
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    call layout%destroy()
    call layout%adopt(made)
    call conclude(code, status)
  end subroutine renew

  !> A block-cyclic partition: block (I, J), counted from 0, belongs to grid position (mod(I + rsrc, nprow),
  !! mod(J + csrc, npcol)). Not collective. Local storage is ScaLAPACK's, with leading dimension max(1, local rows).
  !! @param[in]    m, n          extents, at least 0
  !! @param[in]    mb, nb        block extents, at least 1
  !! @param[in]    nprow, npcol  grid extents, at least 1
  !! @param[in]    rsrc, csrc    0-based grid position of the first block
  !! @param[in]    order         SCALAY_ROW_MAJOR or SCALAY_COLUMN_MAJOR: how parts are numbered on the grid
  !! @param[inout] layout        to be released with destroy
  !! @param[out]   status        SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine block_cyclic_long(m, n, mb, nb, nprow, npcol, rsrc, csrc, order, layout, status)
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    integer(c_int), intent(in) :: nprow, npcol, rsrc, csrc, order
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_block_cyclic(m, n, mb, nb, nprow, npcol, rsrc, csrc, order, made)
    call renew(layout, made, code, status)
  end subroutine block_cyclic_long

  !> The layout that a ScaLAPACK descriptor describes, parts on the ranks of comm where its BLACS grid has them.
  !! Collective over comm. Any grid goes: gridinit's, gridmap's, on some of the ranks.
  !! @param[in]    comm    contains every rank of the grid
  !! @param[in]    desc    a descriptor of type 1 (dense); ranks outside the grid pass one with desc(2) = -1 (the other
  !!                       entries are not read then). On each rank of the grid LLD is its own local array's.
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an entry is not valid, no rank is in the grid),
  !!                       SCALAY_ERROR_MISMATCH (ranks of the grid hold different descriptors, or are missing in
  !!                       comm), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_layout_from_desc(comm, desc, layout, status)
    class(scalay_comm), intent(in) :: comm
    integer(c_int), intent(in) :: desc(9)
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_from_desc(comm%c_object(), desc, made)
    call renew(layout, made, code, status)
  end subroutine scalay_layout_from_desc

  !> A tile map: the owner of each mb x nb tile is given. Not collective. A part's tiles are stored one after the other,
  !! each densely (leading dimension: the tile's rows), tile columns from left to right, in each from top to bottom.
  !! @param[in]    m, n    extents, at least 0
  !! @param[in]    mb, nb  tile extents, at least 1; the last tiles may be smaller
  !! @param[in]    parts   number of parts, at least 1
  !! @param[in]    owner   shape [ceiling(m / mb), ceiling(n / nb)]: each tile's part, 0 <= owner < parts; copied
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine tiles_long(m, n, mb, nb, parts, owner, layout, status)
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    integer(c_int), intent(in) :: parts
    integer(c_int), intent(in) :: owner(:, :)
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    integer(c_int64_t) :: wanted(2)
    wanted = shape(owner)
    if (min(m, n) >= 0 .and. min(mb, nb) >= 1) wanted = [m, n] / [mb, nb] + min(mod([m, n], [mb, nb]), 1_c_int64_t)
    if (any(shape(owner) /= wanted)) then
      made = c_null_ptr
      code = fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_tiles: owner must have one element per tile")
    else
      ! C wants the map row by row.
      code = c_layout_tiles(m, n, mb, nb, parts, reshape(transpose(owner), [size(owner)]), made)
    end if
    call renew(layout, made, code, status)
  end subroutine tiles_long

  !> A skewed tile map: a block-cyclic distribution whose process numbers are shifted by one, half of whose tiles (drawn
  !! without replacement) then go to a random process, process i with probability 2 i / (P (P - 1)). Not collective.
  !! @param[in]    m, n, mb, nb  as in scalay_layout_tiles
  !! @param[in]    nprow, npcol  the grid, row-major; P = nprow * npcol is at least 1
  !! @param[in]    seed          the same seed gives the same map everywhere
  !! @param[inout] layout        to be released with destroy
  !! @param[out]   status        as in scalay_layout_tiles
  subroutine skewed_long(m, n, mb, nb, nprow, npcol, seed, layout, status)
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    integer(c_int), intent(in) :: nprow, npcol
    integer(c_int64_t), intent(in) :: seed
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_skewed(m, n, mb, nb, nprow, npcol, seed, made)
    call renew(layout, made, code, status)
  end subroutine skewed_long

  !> A tile map as an Earth-observing instrument leaves it: straight swaths, an eighth of the matrix wide, in random
  !! directions, the later over the earlier; along a swath, chunks of 16 tiles go to the processes round robin. Not
  !! collective.
  !! @param[in]    m, n, mb, nb  as in scalay_layout_tiles
  !! @param[in]    parts         number of processes, at least 1
  !! @param[in]    seed          the same seed gives the same map everywhere
  !! @param[inout] layout        to be released with destroy
  !! @param[out]   status        as in scalay_layout_tiles
  subroutine chunks_long(m, n, mb, nb, parts, seed, layout, status)
    integer(c_int64_t), intent(in) :: m, n, mb, nb
    integer(c_int), intent(in) :: parts
    integer(c_int64_t), intent(in) :: seed
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_chunks(m, n, mb, nb, parts, seed, made)
    call renew(layout, made, code, status)
  end subroutine chunks_long

  !> The layout of an owner map: its parts, wherever they are. Not collective. Local storage is as few dense arrays as
  !! there are sets of columns (or of rows, whichever gives fewer) in which a part owns the same.
  !! @param[in]    map     any owner map; not needed after the call
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_from_owner_map(map, layout, status)
    class(scalay_owner_map), intent(in) :: map
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_from_owner_map(map%c_object(), made)
    call renew(layout, made, code, status)
  end subroutine scalay_layout_from_owner_map

  !> The owner map of a layout: which part owns each element. Not collective.
  !! @param[in]    layout  any layout
  !! @param[inout] map     to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_owner_map(layout, map, status)
    class(scalay_layout), intent(in) :: layout
    class(scalay_owner_map), intent(inout) :: map
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_owner_map(layout%c_object(), made)
    call map%destroy()
    call map%adopt(made)
    call conclude(code, status)
  end subroutine scalay_layout_owner_map

  !> A submatrix: element (1, 1) of the result is element (row, col) of the given layout. Not collective. Local arrays
  !! stay those of the whole matrix, as in ScaLAPACK.
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
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_submatrix(layout%c_object(), row - 1, col - 1, m, n, made)
    call renew(submatrix, made, code, status)
  end subroutine submatrix_long

  !> The same partition with its parts on other processes. Not collective.
  !! @param[in]    layout      any layout; where its parts sit now does not matter
  !! @param[in]    processes   number of processes, at least the number of parts
  !! @param[inout] relabelled  to be released with destroy. Local leading dimensions taken over from a descriptor are
  !!                           not kept.
  !! @param[in]    process     shape [parts]: element k + 1 is the process (0-based) that takes part k, distinct;
  !!                           absent: 0, 1, 2, ...
  !! @param[out]   status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_relabel(layout, processes, relabelled, process, status)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: processes
    class(scalay_layout), intent(inout) :: relabelled
    integer(c_int), intent(in), optional :: process(:)
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    logical :: fits
    fits = .true.
    if (present(process)) fits = size(process) == layout%parts()
    if (fits) then
      code = c_layout_relabel(layout%c_object(), processes, process, made)
    else
      made = c_null_ptr
      code = fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_relabel: process must have one element per part")
    end if
    call renew(relabelled, made, code, status)
  end subroutine scalay_layout_relabel

  !> Reads a layout from a compact text, such as "cyclic:m=100,n=80,mb=8,nb=8,p=2,q=2,order=row", "tiles:FILE",
  !! "skewed:m=100,n=80,mb=8,nb=8,p=2,q=2,seed=1" or "chunks:m=100,n=80,mb=8,nb=8,p=4,seed=1". Not collective.
  !! @param[in]    text    the text; blanks at its end do not count
  !! @param[inout] layout  to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names the key or the line),
  !!                       SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
  subroutine scalay_layout_parse(text, layout, status)
    character(*), intent(in) :: text
    class(scalay_layout), intent(inout) :: layout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_layout_parse(chars_of(trim(text)), made)
    call renew(layout, made, code, status)
  end subroutine scalay_layout_parse

  !> Releases a layout. Not collective. Fine when there is none.
  subroutine scalay_layout_destroy(layout)
    class(scalay_layout), intent(inout) :: layout
    type(c_ptr) :: object
    object = layout%c_object()
    call c_layout_destroy(object)
    call layout%adopt(object)
  end subroutine scalay_layout_destroy

  include "scalay_layout_queries.inc"
end module scalay_layout_mod
