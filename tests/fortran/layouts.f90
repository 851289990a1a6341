!> Every query of a layout, in Fortran's index base, against definitions written down here.
program layouts
  use, intrinsic :: iso_c_binding
  use check_module
  use scalay
  implicit none

  call block_cyclic_follows_its_definition()
  call long_and_default_integers_agree()
  call tiles_are_given_as_a_matrix_of_owners()
  call a_submatrix_counts_from_one()
  call relabelling_moves_parts()
  call generators_are_reproducible()
  call texts_describe_layouts()
  call failures_leave_no_layout()
  call variables_without_a_layout_answer()
  call references_can_be_set()
  call check_verdict()

contains

  subroutine block_cyclic_follows_its_definition()
    type(scalay_layout) :: layout
    integer, parameter :: m = 13, n = 11, mb = 3, nb = 2, p = 2, q = 3, rsrc = 1, csrc = 2
    integer :: i, j, owner, counted(0:p * q - 1), process
    call layout%block_cyclic(m, n, mb, nb, p, q, rsrc, csrc, SCALAY_COLUMN_MAJOR)
    call check(layout%exists(), "exists")
    call check(layout%rows() == m .and. layout%cols() == n, "extents")
    call check(layout%parts() == p * q .and. layout%processes() == p * q, "parts")
    counted = 0
    do j = 1, n
      do i = 1, m
        owner = mod((i - 1) / mb + rsrc, p) + p * mod((j - 1) / nb + csrc, q)
        counted(owner) = counted(owner) + 1
        call check(layout%owner(i, j) == owner, "owner")
      end do
    end do
    do process = 0, p * q - 1
      call check(layout%elements(process) == counted(process), "count")
      call check(layout%local_size(process) == counted(process), "local size")
      call check(layout%process_of_part(process) == process, "process of part")
      call check(layout%part_of_process(process) == process, "part of process")
      call rectangles_cover(layout, process)
    end do
    call check(layout%owner(0, 1) == -1 .and. layout%owner(m + 1, 1) == -1, "rows outside")
    call check(layout%owner(1, 0) == -1 .and. layout%owner(1, n + 1) == -1, "columns outside")
    call check(layout%process_of_part(p * q) == -1 .and. layout%part_of_process(-1) == -1, "no such part or process")
    call layout%destroy()
    call check(.not. layout%exists(), "destroyed")
    call layout%destroy()
  end subroutine block_cyclic_follows_its_definition

  ! The rectangles of a process are its own, disjoint in the matrix and in memory, and all it has.
  subroutine rectangles_cover(layout, process)
    type(scalay_layout), intent(in) :: layout
    integer, intent(in) :: process
    type(scalay_rectangle) :: r
    logical, allocatable :: used(:)
    integer(c_int64_t) :: k, i, j, place, covered
    integer :: status
    allocate (used(layout%local_size(process)))
    used = .false.
    covered = 0
    do k = 1, layout%rectangle_count(process)
      call layout%rectangle(process, k, r)
      do j = 0, r%cols - 1
        do i = 0, r%rows - 1
          place = r%offset + i + j * r%ld
          call check(layout%owner(r%row + i, r%col + j) == process, "a rectangle is its process's")
          call check(place >= 1 .and. place <= size(used), "in the local array")
          if (place < 1 .or. place > size(used)) cycle
          call check(.not. used(place), "a place is used once")
          used(place) = .true.
          covered = covered + 1
        end do
      end do
    end do
    call check(covered == layout%elements(process), "everything is covered")
    call layout%rectangle(process, 0_c_int64_t, r, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "rectangle 0", "rectangle")
    call check(r%rows == 0, "no rectangle after a failure")
    call layout%rectangle(process, layout%rectangle_count(process) + 1, r, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a rectangle too many", "rectangle")
  end subroutine rectangles_cover

  subroutine long_and_default_integers_agree()
    type(scalay_layout) :: a, b
    integer(c_int64_t), parameter :: huge_extent = 3000000000_c_int64_t
    call a%block_cyclic(40, 30, 4, 4, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call b%block_cyclic(40_c_int64_t, 30_c_int64_t, 4_c_int64_t, 4_c_int64_t, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call check(a%same_owners(b), "the kinds of integers agree")
    call check(a%segments(b) == 300, "segments of memory")
    call check(a%owner(5, 1) == a%owner(5_c_int64_t, 1_c_int64_t), "owner by either kind")
    call b%block_cyclic(huge_extent, 1_c_int64_t, 1_c_int64_t, 1_c_int64_t, 2, 1, 0, 0, SCALAY_ROW_MAJOR)
    call check(b%rows() == huge_extent, "more rows than a default integer counts")
    call check(b%owner(huge_extent, 1_c_int64_t) == 1, "the last row")
    call a%destroy()
    call b%destroy()
  end subroutine long_and_default_integers_agree

  subroutine tiles_are_given_as_a_matrix_of_owners()
    type(scalay_layout) :: layout, again
    integer, parameter :: owner(2, 3) = reshape([0, 2, 1, 1, 2, 0], [2, 3])
    integer :: i, j, status
    call layout%tiles(7, 8, 4, 3, 3, owner)
    do j = 1, 8
      do i = 1, 7
        call check(layout%owner(i, j) == owner(merge(1, 2, i <= 4), 1 + count(j > [3, 6])), "owner of a tile")
      end do
    end do
    do i = 0, 2
      call rectangles_cover(layout, i)
    end do
    call scalay_layout_tiles(7_c_int64_t, 8_c_int64_t, 4_c_int64_t, 3_c_int64_t, 3, owner, again)
    call check(layout%same_owners(again), "by either kind of integer")
    call again%tiles(7, 8, 4, 4, 3, owner, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a map of another shape", "owner")
    call check(.not. again%exists(), "no layout after a failure")
    call again%tiles(7, 8, 4, 3, 2, owner, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "an owner too large", "owner")
    call again%tiles(7, 8, 0, 3, 3, owner, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a tile without rows", "mb")
    call layout%destroy()
  end subroutine tiles_are_given_as_a_matrix_of_owners

  subroutine a_submatrix_counts_from_one()
    type(scalay_layout) :: whole, part
    integer :: i, j, status
    call whole%block_cyclic(20, 20, 3, 3, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call whole%submatrix(4, 6, 10, 9, part)
    call check(part%rows() == 10 .and. part%cols() == 9, "extents of a submatrix")
    do j = 1, 9
      do i = 1, 10
        call check(part%owner(i, j) == whole%owner(i + 3, j + 5), "owner in a submatrix")
      end do
    end do
    call whole%submatrix(4_c_int64_t, 6_c_int64_t, 1_c_int64_t, 1_c_int64_t, part)
    call check(part%rows() == 1, "by the other kind of integer")
    call whole%submatrix(0, 1, 2, 2, part, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "row 0", "row")
    call whole%destroy()
    call part%destroy()
  end subroutine a_submatrix_counts_from_one

  subroutine relabelling_moves_parts()
    type(scalay_layout) :: layout
    integer, parameter :: process(4) = [3, 0, 4, 1]
    integer :: i, j, status
    type(scalay_layout) :: moved
    call layout%block_cyclic(9, 9, 2, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call layout%relabel(5, moved, process)
    call check(moved%processes() == 5 .and. moved%parts() == 4, "more processes than parts")
    do j = 1, 9
      do i = 1, 9
        call check(moved%owner(i, j) == process(layout%owner(i, j) + 1), "owner after relabelling")
      end do
    end do
    call check(moved%part_of_process(2) == -1 .and. moved%process_of_part(2) == 4, "who holds what")
    call check(.not. layout%same_owners(moved), "not the same owners")
    call moved%relabel(4, moved)
    call check(layout%same_owners(moved), "absent: part k on process k, and a variable may be its own source")
    call layout%relabel(5, moved, [0, 1, 2], status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few processes", "process")
    call layout%relabel(5, moved, [0, 1, 2, 2], status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a process twice", "process")
    call layout%destroy()
  end subroutine relabelling_moves_parts

  subroutine generators_are_reproducible()
    type(scalay_layout) :: a, b, c
    call a%parse("skewed:m=64,n=64,mb=4,nb=4,p=2,q=2,seed=5")
    call b%parse("skewed:m=64,n=64,mb=4,nb=4,p=2,q=2,seed=5")
    call c%parse("skewed:m=64,n=64,mb=4,nb=4,p=2,q=2,seed=6")
    call check(a%same_owners(b) .and. .not. a%same_owners(c), "skewed depends on its seed alone")
    call a%parse("chunks:m=64,n=64,mb=4,nb=4,p=5,seed=7")
    call b%parse("chunks:m=64,n=64,mb=4,nb=4,p=5,seed=7")
    call c%parse("chunks:m=64,n=64,mb=4,nb=4,p=5,seed=8")
    call check(a%same_owners(b) .and. .not. a%same_owners(c), "chunks depend on their seed alone")
    call check(a%parts() == 5, "parts of chunks")
    call a%destroy()
    call b%destroy()
    call c%destroy()
  end subroutine generators_are_reproducible

  subroutine texts_describe_layouts()
    type(scalay_layout) :: a, b
    character(:), allocatable :: drawing
    integer :: status
    call a%block_cyclic(10, 8, 5, 4, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call b%parse("cyclic:m=10,n=8,mb=5,nb=4,p=2,q=2   ")
    call check(a%same_owners(b), "parsed as built, blanks at the end do not count")
    call check(index(a%describe(), "10 x 8") > 0, "a description names the extents: " // a%describe())
    drawing = a%draw(10)
    call check(index(drawing, new_line("a")) > 1, "a drawing has lines")
    call check(drawing(len(drawing):) == new_line("a"), "each ended: " // drawing)
    call check(index(drawing, "0") > 0 .and. index(drawing, "3") > 0, "and names the owners: " // drawing)
    call b%parse("cyclic:m=10,n=8,mb=5,nb=4,p=2,r=2", status)
    call check_status(status, SCALAY_ERROR_FORMAT, "an unknown key", "r")
    call check(.not. b%exists(), "no layout after a failure")
    call a%destroy()
  end subroutine texts_describe_layouts

  subroutine failures_leave_no_layout()
    type(scalay_layout) :: layout
    integer :: status
    call layout%block_cyclic(4, 4, 2, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR, status)
    call check_status(status, SCALAY_SUCCESS, "a good layout")
    call layout%block_cyclic(4, 4, 0, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "mb = 0", "mb is 0")
    call check(.not. layout%exists(), "the old object went, too")
    call scalay_layout_block_cyclic(4, 4, 2, 2, 1, 1, 1, 0, SCALAY_ROW_MAJOR, layout, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "rsrc = 1 of 1", "rsrc")
    call scalay_layout_block_cyclic(4, 4, 2, 2, 1, 1, 0, 0, 7, layout, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "order = 7", "order")
    call layout%block_cyclic(0, 0, 2, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR, status)
    call check_status(status, SCALAY_SUCCESS, "an empty matrix")
    call check(layout%elements(0) == 0 .and. layout%rectangle_count(0) == 0, "holds nothing")
    call layout%destroy()
  end subroutine failures_leave_no_layout

  subroutine variables_without_a_layout_answer()
    type(scalay_layout) :: none
    call check(none%rows() == 0 .and. none%cols() == 0 .and. none%parts() == 0, "no extents")
    call check(none%owner(1, 1) == -1, "no owner")
  end subroutine variables_without_a_layout_answer

  subroutine references_can_be_set()
    type(scalay_layout) :: a, b
    call a%block_cyclic(6, 6, 2, 2, 1, 2, 0, 0, SCALAY_ROW_MAJOR)
    call b%set_handle(a%c_object())
    call check(b%cols() == 6 .and. a%same_owners(b), "two references, one object")
    call b%destroy()
  end subroutine references_can_be_set
end program layouts
