!> Owner maps, their costs and partitions, in Fortran's index base, against definitions written down here.
program partitions
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use check_module
  use scalay
  implicit none

  call an_owner_map_is_given_by_cells()
  call what_is_sent_follows_the_definition()
  call a_map_can_be_stretched()
  call links_are_given_from_row_to_column()
  call two_areas_become_a_square_corner()
  call candidates_say_why()
  call long_and_default_integers_agree()
  call columns_of_a_1d1d_map_follow_their_speeds()
  call a_generalised_block_repeats()
  call trailing_balance_grows_by_permuting()
  call a_map_becomes_a_layout_of_few_pieces()
  call failures_leave_nothing()
  call variables_without_an_object_answer()
  call check_verdict()

contains

  integer(c_int64_t) function volume_of(cost)
    type(scalay_multiply_cost), intent(in) :: cost
    type(scalay_multiply_cost_summary) :: summary
    call cost%get_summary(summary)
    volume_of = summary%volume
  end function volume_of

  ! 4 x 5, part 0 an L around part 1's corner, part 2 below.
  subroutine example(map)
    type(scalay_owner_map), intent(inout) :: map
    integer(c_int) :: owner(3, 2)
    owner = reshape([0, 0, 2, 1, 0, 2], [3, 2])
    call map%create([0, 2, 3, 4], [0, 3, 5], 3, owner)
  end subroutine example

  ! The same, element by element.
  pure integer function example_owner(i, j) result(owner)
    integer, intent(in) :: i, j
    owner = 0
    if (i <= 2 .and. j > 3) owner = 1
    if (i == 4) owner = 2
  end function example_owner

  subroutine an_owner_map_is_given_by_cells()
    type(scalay_owner_map) :: map
    type(scalay_part_rectangle), allocatable :: rectangle(:)
    type(scalay_half_perimeter) :: half
    integer :: i, j, k, counted(0:2), covered(4, 5)
    call example(map)
    call check(map%rows() == 4 .and. map%cols() == 5 .and. map%parts() == 3, "extents")
    counted = 0
    do j = 1, 5
      do i = 1, 4
        call check(map%owner(i, j) == example_owner(i, j), "owner")
        counted(example_owner(i, j)) = counted(example_owner(i, j)) + 1
      end do
    end do
    call check(all([(map%elements(k), k=0, 2)] == counted), "counts")
    call check(map%owner(0, 1) == -1 .and. map%owner(5, 1) == -1 .and. map%owner(1, 6) == -1, "outside")
    call map%rectangles(rectangle)
    covered = 0
    do k = 1, size(rectangle)
      associate (r => rectangle(k))
        do j = int(r%col), int(r%col + r%cols - 1)
          do i = int(r%row), int(r%row + r%rows - 1)
            covered(i, j) = covered(i, j) + 1
            call check(r%part == example_owner(i, j), "a rectangle is its part's")
          end do
        end do
      end associate
    end do
    call check(all(covered == 1), "rectangles cover the matrix once")
    call map%half_perimeter(half)
    ! rows + columns: part 0 has 3 + 5, part 1 has 2 + 2, part 2 has 1 + 5
    call check(half%projection == 18 .and. half%box == 18, "half perimeters")
    call map%destroy()
    call check(.not. map%exists(), "destroyed")
  end subroutine an_owner_map_is_given_by_cells

  subroutine what_is_sent_follows_the_definition()
    type(scalay_multiply_cost_summary) :: summary
    type(scalay_owner_map) :: map
    type(scalay_multiply_cost) :: cost
    integer, parameter :: n = 4
    integer :: owner(n, n), moved(0:2, 0:2), i, j, part, from
    owner = transpose(reshape([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 2, 2, 0, 2], [n, n]))
    call map%create([0, 1, 2, 3, 4], [0, 1, 2, 3, 4], 3, owner)
    call cost%create(map)
    moved = 0
    do j = 1, n
      do i = 1, n
        do part = 0, 2
          if (part == owner(i, j)) cycle
          if (any(owner(i, :) == part)) moved(owner(i, j), part) = moved(owner(i, j), part) + 1
          if (any(owner(:, j) == part)) moved(owner(i, j), part) = moved(owner(i, j), part) + 1
        end do
      end do
    end do
    do part = 0, 2
      do from = 0, 2
        call check(cost%sent(from, part) == moved(from, part), "what is moved")
      end do
    end do
    call check(volume_of(cost) == sum(moved), "volume")
    call cost%get_summary(summary)
    call check(ieee_is_nan(summary%time) .and. ieee_is_nan(summary%energy), "time and energy are unknown")
    call cost%create(map, a=map, b=map)
    call check(volume_of(cost) == sum(moved), "volume with all maps given")
    call cost%destroy()
    call map%destroy()
  end subroutine what_is_sent_follows_the_definition

  subroutine a_map_can_be_stretched()
    type(scalay_owner_map) :: map, a, b
    type(scalay_multiply_cost) :: cost
    integer, parameter :: k = 7
    integer :: i, j
    call example(map)
    call map%resize(4, k, a)
    call map%resize(int(k, c_int64_t), 5_c_int64_t, b)
    do j = 1, k
      do i = 1, 4
        call check(a%owner(i, j) == example_owner(i, 1 + (j - 1) * 5 / k), "a column is that of the given map")
      end do
    end do
    call cost%create(map, a=a, b=b)
    ! Rows have 2, 2, 1, 1 owners, columns 2, 2, 2, 3, 3.
    call check(volume_of(cost) == k * (2 + 7), "what k inner columns and rows send")
    call cost%destroy()
    call a%destroy()
    call b%destroy()
    call map%destroy()
  end subroutine a_map_can_be_stretched

  subroutine links_are_given_from_row_to_column()
    type(scalay_multiply_cost_summary) :: summary
    type(scalay_owner_map) :: map
    type(scalay_multiply_cost) :: cost
    type(scalay_links) :: links
    integer :: status
    call map%create([0, 1, 4], [0, 4], 2, reshape([0, 1], [2, 1]))
    links%seconds_per_element = reshape([0d0, 5d0, 2d0, 0d0], [2, 2])  ! 0 -> 1 costs 2, 1 -> 0 costs 5
    links%joules_per_element = 10 * links%seconds_per_element
    call cost%create(map, links=links)
    ! Columns have both owners: 0 sends its 4 elements to 1, 1 its 12 to 0.
    call check(cost%sent(0, 1) == 4 .and. cost%sent(1, 0) == 12, "what is moved")
    call cost%get_summary(summary)
    call check(abs(summary%time - (4 * 2 + 12 * 5)) < 1d-9, "seconds")
    call check(abs(summary%energy - 10 * (4 * 2 + 12 * 5)) < 1d-9, "joules")
    links%mode = SCALAY_LINKS_PARALLEL
    call cost%create(map, links=links)
    call cost%get_summary(summary)
    call check(abs(summary%time - 12 * 5) < 1d-9, "the slowest link")
    links%symmetric = .true.
    call cost%create(map, links=links, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "links that are not symmetric", "symmetric")
    deallocate (links%joules_per_element)
    links%joules_per_element = reshape([1d0, 2d0], [1, 2])
    call cost%create(map, links=links, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "links that are not square", "square")
    call cost%destroy()
    call map%destroy()
  end subroutine links_are_given_from_row_to_column

  subroutine two_areas_become_a_square_corner()
    type(scalay_partition) :: partition
    type(scalay_partition_candidate) :: candidate
    type(scalay_owner_map) :: map
    type(scalay_multiply_cost) :: cost
    type(scalay_partition_summary) :: summary
    integer, parameter :: n = 100
    call partition%create(n, n, [0.91d0, 0.09d0])
    call partition%get_summary(summary)
    call partition%get_candidate(summary%chosen, candidate)
    call check(candidate%shape == "square-corner", "chosen: " // candidate%shape)
    call check(candidate%feasible .and. len(candidate%reason) == 0, "feasible")
    call check(size(candidate%assignment) == 2, "an element of the assignment for each part")
    ! f_c = n^2 * 2 sqrt(0.09)
    call check(abs(candidate%continuous_cost - 2 * 0.3d0 * n**2) < 1d-6, "continuous cost")
    call check(abs(summary%lower_bound - 2 * 0.3d0 * n**2) < 1d-6, "lower bound")
    map = partition%map()
    cost = partition%cost()
    call check(map%elements(1) == 900 .and. map%elements(0) == 9100, "counts")
    call check(volume_of(cost) == 2 * 30 * n, "volume")
    call check(summary%load_error < 1d-12, "load error")
    call check(index(partition%describe(), "square-corner") > 0, "explained: " // partition%describe())
    call partition%destroy()
  end subroutine two_areas_become_a_square_corner

  subroutine candidates_say_why()
    type(scalay_partition) :: partition
    type(scalay_partition_candidate) :: candidate
    character(:), allocatable :: name
    integer :: k, status
    logical :: found
    ! sqrt(0.45) + sqrt(0.35) > 1: the two squares do not fit into their corners
    call partition%create(60, 60, [0.2d0, 0.45d0, 0.35d0], shape="block-rectangle")
    call partition%get_candidate(1, candidate)
    call check(candidate%shape == "block-rectangle", "the shape asked for")
    call partition%create(60, 60, [0.34d0, 0.33d0, 0.33d0], shape="square-corner", status=status)
    call check_status(status, SCALAY_ERROR_INFEASIBLE, "squares that do not fit", "square-corner")
    call check(.not. partition%exists(), "none")
    name = scalay_partition_shapes(1)
    call check(len(name) > 0, "a first shape")
    found = .false.
    k = 1
    do
      name = scalay_partition_shapes(k)
      if (len(name) == 0) exit
      found = found .or. name == "nagamochi-abe"
      k = k + 1
    end do
    call check(found .and. k > 10, "shapes are listed")
    call check(len(scalay_partition_shapes(0)) == 0, "there is no shape 0")
  end subroutine candidates_say_why

  subroutine long_and_default_integers_agree()
    type(scalay_partition) :: a, b
    type(scalay_owner_map) :: map_a, map_b
    type(scalay_partition_summary) :: summary_a, summary_b
    real(c_double), parameter :: area(5) = [5d0, 4d0, 3d0, 2d0, 1d0]
    integer :: i, j
    call a%create(45, 40, area, tile=5, seed=3, exact_counts=.false., tolerance=0d0, objective=SCALAY_PARTITION_VOLUME)
    call b%create(45_c_int64_t, 40_c_int64_t, area, tile=5_c_int64_t, seed=3_c_int64_t)
    map_a = a%map()
    map_b = b%map()
    do j = 1, 40
      do i = 1, 45
        call check(map_a%owner(i, j) == map_b%owner(int(i, c_int64_t), int(j, c_int64_t)), "owner")
        call check(map_a%owner(i, j) == map_a%owner(i - mod(i - 1, 5), j - mod(j - 1, 5)), "tiles are whole")
      end do
    end do
    call a%get_summary(summary_a)
    call b%get_summary(summary_b)
    call check(summary_a%candidates == summary_b%candidates .and. summary_a%chosen == summary_b%chosen, "candidates")
    call a%destroy()
    call b%destroy()
  end subroutine long_and_default_integers_agree

  subroutine columns_of_a_1d1d_map_follow_their_speeds()
    type(scalay_owner_map) :: map, again
    integer :: j, k, held(0:1)
    real(c_double), parameter :: speed(0:1) = [3d0, 1d0]
    call map%create_1d1d(7, 24, 2, speed, groups=2)
    call scalay_owner_map_1d1d(7_c_int64_t, 24_c_int64_t, 2_c_int64_t, speed, again, SCALAY_TRAILING_FULL, 2)
    call check(map%elements(0) == 7 * 18 .and. map%elements(1) == 7 * 6, "counts")
    held = 0
    do j = 23, 1, -2
      k = map%owner(1, j)
      call check(k == map%owner(7, j + 1) .and. k == again%owner(3, j), "a block column is whole")
      held(k) = held(k) + 1
      ! the greedy choice: nobody else would have been done earlier
      call check(held(k) / speed(k) <= (held(1 - k) + 1) / speed(1 - k) + 1d-12, "every suffix is balanced")
    end do
    call map%destroy()
    call again%destroy()
  end subroutine columns_of_a_1d1d_map_follow_their_speeds

  subroutine a_generalised_block_repeats()
    type(scalay_owner_map) :: map
    integer :: i, j, k
    call map%generalised_block(24, 24, 2, 6, reshape([2d0, 1d0, 2d0, 1d0], [2, 2]))
    do j = 1, 12
      do i = 1, 12
        call check(map%owner(i, j) == map%owner(i + 12, j + 12), "it repeats")
      end do
    end do
    ! rows by speed 2 : 1, columns alike: part (r - 1) * 2 + c - 1 stands at (r, c)
    call check(all([(map%elements(k), k=0, 3)] == [192, 192, 96, 96]), "counts follow the speeds")
    call map%destroy()
  end subroutine a_generalised_block_repeats

  subroutine trailing_balance_grows_by_permuting()
    type(scalay_owner_map) :: map, balanced
    type(scalay_multiply_cost) :: before, after
    real(c_double) :: worse, better
    real(c_double), parameter :: speed(2) = [1d0, 1d0]
    call map%create([0, 32, 64], [0, 64], 2, reshape([0, 1], [2, 1]))
    call map%balance_suffixes(4, speed, balanced)
    call map%trailing_balance(4, speed, worse)
    call balanced%trailing_balance(4, speed, better)
    call check(worse < 0.8d0 .and. better > 0.9d0 .and. better <= 1 + 1d-12, "balance")
    call before%create(map)
    call after%create(balanced)
    call check(volume_of(before) == volume_of(after), "what is sent stays the same")
    call before%destroy()
    call after%destroy()
    call balanced%destroy()
    call map%destroy()
  end subroutine trailing_balance_grows_by_permuting

  subroutine a_map_becomes_a_layout_of_few_pieces()
    type(scalay_owner_map) :: map, back
    type(scalay_layout) :: layout
    type(scalay_subarray) :: piece
    integer(c_int64_t), allocatable :: row(:), col(:)
    integer :: i, j, process, status
    integer(c_int64_t) :: k, covered
    call example(map)
    call layout%from_owner_map(map)
    call layout%owner_map(back)
    do j = 1, 5
      do i = 1, 4
        call check(layout%owner(i, j) == example_owner(i, j), "owner")
        call check(back%owner(i, j) == example_owner(i, j), "and back")
      end do
    end do
    do process = 0, 2
      call check(layout%subarray_count(process) == merge(2, 1, process == 0), "the L is two pieces, the others one")
      covered = 0
      do k = 1, layout%subarray_count(process)
        call layout%subarray(process, k, piece)
        call layout%subarray_indices(process, k, row, col)
        call check(size(row) == piece%rows .and. size(col) == piece%cols, "lines")
        call check(piece%offset >= 1 .and. piece%ld >= piece%rows, "place")
        covered = covered + piece%rows * piece%cols
        do j = 1, size(col)
          do i = 1, size(row)
            call check(layout%owner(row(i), col(j)) == process, "a piece is its process's")
          end do
        end do
      end do
      call check(covered == layout%elements(process) .and. covered == map%elements(process), "everything is covered")
    end do
    call layout%subarray(0, 3_c_int64_t, piece, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a subarray too many", "subarrays")
    call layout%subarray_indices(0, 0_c_int64_t, row, col, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "subarray 0", "subarrays")
    call check(size(row) == 0 .and. size(col) == 0, "no lines")
    call layout%destroy()
    call back%destroy()
    call map%destroy()
  end subroutine a_map_becomes_a_layout_of_few_pieces

  subroutine failures_leave_nothing()
    type(scalay_owner_map) :: map
    type(scalay_partition) :: partition
    type(scalay_partition_candidate) :: candidate
    real(c_double) :: balance
    integer :: status
    call example(map)
    call map%create([0, 2], [0, 3], 1, reshape([1], [1, 1]), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "an owner too large", "owner")
    call check(.not. map%exists(), "no map")
    call map%create([0, 2, 3], [0, 3], 1, reshape([0], [1, 1]), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a cell too few", "owner")
    call partition%create(10, 10, [1d0, -1d0], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a negative area", "area")
    call partition%create(10, 10, [1d0, 1d0], shape="round", status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a shape that is none", "round")
    call partition%create(10, 10, [1d0, 1d0], objective=SCALAY_PARTITION_TIME, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "time without links", "links")
    call partition%create(10, 10, [1d0, 1d0])
    call partition%get_candidate(0, candidate, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "candidate 0", "candidate")
    call partition%destroy()
    call example(map)
    call map%trailing_balance(1, [1d0], balance, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a speed too few", "speed")
    call map%destroy()
  end subroutine failures_leave_nothing

  subroutine variables_without_an_object_answer()
    type(scalay_owner_map) :: map
    type(scalay_multiply_cost) :: cost
    type(scalay_partition) :: partition
    type(scalay_multiply_cost_summary) :: summary
    type(scalay_partition_summary) :: totals
    integer :: status
    call check(map%rows() == 0 .and. map%cols() == 0 .and. map%parts() == 0 .and. map%elements(0) == 0, "no map")
    call check(map%owner(1, 1) == -1, "no owner")
    call cost%get_summary(summary, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no cost", "cost")
    call check(summary%volume == 0 .and. cost%sent(0, 1) == 0, "nothing is sent")
    call partition%get_summary(totals, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no partition", "partition")
    call check(totals%candidates == 0 .and. totals%chosen == 0, "no candidates")
    map = partition%map()
    cost = partition%cost()
    call check(.not. map%exists() .and. .not. cost%exists(), "nothing in it")
    call map%destroy()
    call cost%destroy()
    call partition%destroy()
  end subroutine variables_without_an_object_answer
end program partitions
