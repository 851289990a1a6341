!> Traffic, mappings and schedules against counts and searches written down here.
module test_link_costs
  use, intrinsic :: iso_c_binding
  implicit none
contains
  !> A ring: the cost is the distance on it. The context is the number of processes.
  real(c_double) function ring_cost(from, to, context) bind(C)
    integer(c_int), value :: from, to
    type(c_ptr), value :: context
    integer(c_int), pointer :: processes
    call c_f_pointer(context, processes)
    ring_cost = min(modulo(from - to, processes), modulo(to - from, processes))
  end function ring_cost
end module test_link_costs

program mappings
  use, intrinsic :: iso_c_binding
  use check_module
  use test_link_costs
  use scalay
  implicit none

  type(scalay_traffic_summary) :: extents
  type(scalay_mapping_summary) :: summary
  type(scalay_schedule_summary) :: lengths

  ! Rows are processes, columns parts.
  integer(c_int64_t), parameter :: q(0:3, 0:3) = reshape([integer(c_int64_t) :: &
    1, 9, 0, 4, 7, 2, 5, 0, 3, 3, 8, 1, 0, 6, 2, 6], [4, 4])

  call traffic_counts_what_owners_say()
  call entries_are_added_up()
  call mappings_are_optimal_by_exhaustive_search()
  call barred_processes_take_nothing()
  call rows_and_columns_stay_together()
  call sums_add_up()
  call nodes_make_links()
  call chosen_mappings_cost_what_they_cost()
  call fronts_hold_all_trade_offs()
  call proofs_can_be_read()
  call schedules_deliver_everything_once()
  call failures_leave_no_object()
  call every_failed_allocation_is_told()
  call check_verdict()

contains

  subroutine make_traffic(traffic)
    type(scalay_traffic), intent(inout) :: traffic
    integer :: i, j
    call traffic%from_entries(4, 4, [((i, i=0, 3), j=0, 3)], [((j, i=0, 3), j=0, 3)], reshape(q, [16]))
  end subroutine make_traffic

  subroutine count_cost(process, volume, steps)
    integer, intent(in) :: process(0:3)
    integer(c_int64_t), intent(out) :: volume, steps
    integer :: j
    volume = sum(q)
    steps = 0
    do j = 0, 3
      volume = volume - q(process(j), j)
      steps = max(steps, sum(q(process(j), :)) - q(process(j), j), sum(q(:, j)) - q(process(j), j))
    end do
  end subroutine count_cost

  ! The least of (first, second) over all permutations; by_volume says which comes first.
  subroutine search(by_volume, volume, steps)
    logical, intent(in) :: by_volume
    integer(c_int64_t), intent(out) :: volume, steps
    integer(c_int64_t) :: v, s
    integer :: a, b, c, d
    logical :: better
    volume = huge(volume)
    steps = huge(steps)
    do a = 0, 3
      do b = 0, 3
        do c = 0, 3
          d = 6 - a - b - c
          if (a == b .or. a == c .or. b == c .or. d < 0 .or. d > 3) cycle
          if (d == a .or. d == b .or. d == c) cycle
          call count_cost([a, b, c, d], v, s)
          if (by_volume) then
            better = v < volume .or. (v == volume .and. s < steps)
          else
            better = s < steps .or. (s == steps .and. v < volume)
          end if
          if (better) volume = v
          if (better) steps = s
        end do
      end do
    end do
  end subroutine search

  subroutine traffic_counts_what_owners_say()
    type(scalay_layout) :: source, target
    type(scalay_traffic) :: traffic
    integer(c_int64_t) :: counted(0:3, 0:5)
    integer(c_int64_t), allocatable :: items(:)
    integer, allocatable :: part(:)
    integer :: i, j
    call source%block_cyclic(21, 19, 2, 3, 2, 2, 1, 0, SCALAY_ROW_MAJOR)
    call target%block_cyclic(21, 19, 4, 2, 2, 3, 0, 1, SCALAY_COLUMN_MAJOR)
    call traffic%create(source, target)
    counted = 0
    do j = 1, 19
      do i = 1, 21
        associate (cell => counted(source%owner(i, j), target%owner(i, j)))
          cell = cell + 1
        end associate
      end do
    end do
    call traffic%get_summary(extents)
    call check(extents%processes == 4 .and. extents%parts == 6, "extents of the traffic")
    call traffic%get_summary(extents)
    call check(extents%elements == 21 * 19, "all items are counted")
    call traffic%get_summary(extents)
    call check(extents%nonzeros == count(counted > 0), "non-zero entries")
    do i = 0, 3
      do j = 0, 5
        call check(traffic%get_entry(i, j) == counted(i, j), "an entry")
      end do
      call traffic%row(i, part, items)
      call check(size(part) == count(counted(i, :) > 0), "length of a row")
      call check(all(items == pack(counted(i, :), counted(i, :) > 0)), "items of a row")
      call check(all(part == pack([(j, j=0, 5)], counted(i, :) > 0)), "parts of a row")
    end do
    call check(traffic%get_entry(4, 0) == 0 .and. traffic%get_entry(0, -1) == 0, "outside")
    call source%destroy()
    call target%destroy()
    call traffic%destroy()
  end subroutine traffic_counts_what_owners_say

  ! A 2 x 2 grid: there are four such mappings.
  subroutine rows_and_columns_stay_together()
    type(scalay_traffic) :: traffic
    type(scalay_mapping) :: mapping
    integer(c_int64_t) :: volume, steps, least
    integer :: a, b
    least = huge(least)
    do a = 0, 1
      do b = 0, 1
        call count_cost([2 * a + b, 2 * a + 1 - b, 2 - 2 * a + b, 3 - 2 * a - b], volume, steps)
        least = min(least, volume)
      end do
    end do
    call make_traffic(traffic)
    call mapping%from_traffic(traffic, SCALAY_MIN_GRID_VOLUME, grid_rows=2, budget_seconds=60.0_c_double, seed=3_c_int64_t)
    call mapping%check(traffic)
    call mapping%get_summary(summary)
    call check(summary%volume == least .and. summary%volume_bound <= least, "least volume on a grid")
    call mapping%get_summary(summary)
    call check(summary%steps_bound == 0, "nothing is proven of its steps")
    call mapping%get_summary(summary)
    call check(abs(summary%time_bound - real(summary%volume_bound, c_double)) < 0.5, "without links the time is the volume")
    call mapping%destroy()
    call traffic%destroy()
  end subroutine rows_and_columns_stay_together

  subroutine sums_add_up()
    type(scalay_traffic) :: traffic(2), total
    integer(c_int) :: status
    call make_traffic(traffic(1))
    call traffic(2)%from_entries(5, 4, [4, 1], [0, 2], [7_c_int64_t, 2_c_int64_t])
    call total%add(traffic)
    call total%get_summary(extents)
    call check(extents%processes == 5 .and. extents%elements == sum(q) + 9 .and. total%get_entry(1, 2) == q(1, 2) + 2, "a sum")
    call total%add(traffic, [1_c_int64_t, 3_c_int64_t])
    call total%get_summary(extents)
    call check(extents%elements == sum(q) + 27 .and. total%get_entry(4, 0) == 21, "a weighted sum")
    call total%add(traffic, [1_c_int64_t], status)
    call check(status == SCALAY_ERROR_ARGUMENT, "a weight for each")
    call total%destroy()
    call traffic(1)%destroy()
    call traffic(2)%destroy()
  end subroutine sums_add_up

  subroutine nodes_make_links()
    type(scalay_traffic) :: traffic
    type(scalay_mapping) :: mapping
    type(scalay_node_links), target :: links
    real(c_double), target :: distance(2, 2)
    integer(c_int), target :: node(0:3)
    real(c_double) :: time
    integer :: i, j
    distance = reshape([1.0_c_double, 5.0_c_double, 7.0_c_double, 2.0_c_double], [2, 2])
    node = [0, 1, 1, 0]
    links = scalay_node_links(nodes=2, node=c_loc(node), distance=c_loc(distance))
    call check(abs(scalay_node_link_cost(0, 1, c_loc(links)) - 5.0) < 1e-9, "from node 0 to node 1")
    call make_traffic(traffic)
    call mapping%from_traffic(traffic, SCALAY_MIN_TIME, link_cost=scalay_node_link_cost, link_context=c_loc(links))
    call mapping%check(traffic, link_cost=scalay_node_link_cost, link_context=c_loc(links))
    time = 0.0
    associate (process => mapping%process())
      do j = 0, 3
        do i = 0, 3
          if (process(j + 1) /= i) time = time + q(i, j) * distance(node(process(j + 1)) + 1, node(i) + 1)
        end do
      end do
    end associate
    call mapping%get_summary(summary)
    call check(abs(summary%time - time) < 1e-9, "the time between nodes")
    call mapping%destroy()
    call traffic%destroy()
  end subroutine nodes_make_links

  subroutine entries_are_added_up()
    type(scalay_traffic) :: traffic
    call traffic%from_entries(3, 2, [0, 2, 0], [1, 0, 1], [4_c_int64_t, 1_c_int64_t, 5_c_int64_t])
    call traffic%get_summary(extents)
    call check(traffic%get_entry(0, 1) == 9 .and. traffic%get_entry(2, 0) == 1 .and. extents%nonzeros == 2, "added up")
    call traffic%destroy()
  end subroutine entries_are_added_up

  subroutine mappings_are_optimal_by_exhaustive_search()
    type(scalay_traffic) :: traffic
    type(scalay_mapping) :: mapping
    integer(c_int64_t) :: volume, steps, told_volume, told_steps
    integer :: objective
    integer, target :: processes
    call make_traffic(traffic)
    do objective = SCALAY_CANONICAL, SCALAY_MIN_TIME
      call mapping%from_traffic(traffic, objective)
      call mapping%check(traffic)
      call count_cost(mapping%process(), volume, steps)
      call mapping%get_summary(summary)
      call check(summary%volume == volume .and. summary%steps == steps, "a mapping tells its cost")
      call traffic%cost(mapping%process(), told_volume, told_steps)
      call check(told_volume == volume .and. told_steps == steps, "the traffic tells the same")
      call mapping%get_summary(summary)
      call check(summary%objective == objective, "and its objective")
      call mapping%get_summary(summary)
      call check(summary%parts == 4 .and. summary%processes == 4, "and its extents")
      call mapping%get_summary(summary)
      call check(summary%proof == merge(SCALAY_PROOF_NONE, SCALAY_PROOF_OPTIMAL, objective == SCALAY_CANONICAL), &
        "all but canonical are proven")
      select case (objective)
      case (SCALAY_CANONICAL)
        call check(all(mapping%process() == [0, 1, 2, 3]), "canonical")
      case (SCALAY_MIN_VOLUME, SCALAY_MIN_TIME, SCALAY_MIN_VOLUME_THEN_STEPS)
        call search(.true., volume, steps)
        call mapping%get_summary(summary)
        call check(summary%volume == volume, "least volume")
        call mapping%get_summary(summary)
        call check(abs(summary%time - real(volume, c_double)) < 0.5, "unit link costs make the volume")
        call mapping%get_summary(summary)
        if (objective == SCALAY_MIN_VOLUME_THEN_STEPS) call check(summary%steps == steps, "then the least steps")
      case default
        call search(.false., volume, steps)
        call mapping%get_summary(summary)
        call check(summary%steps == steps, "least steps")
        call mapping%get_summary(summary)
        if (objective == SCALAY_MIN_STEPS_THEN_VOLUME) call check(summary%volume == volume, "then the least volume")
      end select
    end do
    processes = 4
    call mapping%from_traffic(traffic, SCALAY_MIN_TIME, link_cost=ring_cost, link_context=c_loc(processes))
    call mapping%check(traffic, link_cost=ring_cost, link_context=c_loc(processes))
    call mapping%get_summary(summary)
    call check(abs(summary%time - ring_time(mapping%process())) < 1e-9, "the time of a mapping")
    call mapping%get_summary(summary)
    call check(summary%time <= least_ring_time() + 1e-9, "is the least")
    call check(scalay_objective_name(SCALAY_MIN_STEPS_THEN_VOLUME) == "steps-volume", "name of an objective")
    call mapping%destroy()
    call traffic%destroy()
  end subroutine mappings_are_optimal_by_exhaustive_search

  real(c_double) function ring_time(process)
    integer, intent(in) :: process(0:3)
    integer :: i, j
    ring_time = 0
    do j = 0, 3
      do i = 0, 3
        ring_time = ring_time + real(q(i, j), c_double) * min(modulo(i - process(j), 4), modulo(process(j) - i, 4))
      end do
    end do
  end function ring_time

  real(c_double) function least_ring_time()
    integer :: a, b, c, d
    least_ring_time = huge(1.0_c_double)
    do a = 0, 3
      do b = 0, 3
        do c = 0, 3
          d = 6 - a - b - c
          if (a == b .or. a == c .or. b == c .or. d < 0 .or. d > 3) cycle
          if (d == a .or. d == b .or. d == c) cycle
          least_ring_time = min(least_ring_time, ring_time([a, b, c, d]))
        end do
      end do
    end do
  end function least_ring_time

  subroutine barred_processes_take_nothing()
    type(scalay_traffic) :: traffic
    type(scalay_mapping) :: mapping
    integer :: status
    call make_traffic(traffic)
    call mapping%from_traffic(traffic, SCALAY_MIN_VOLUME, processes=6, &
      barred=[.false., .true., .false., .false., .false., .true.])
    call check(all(mapping%process() /= 1), "barred")
    call check(all(mapping%process() /= 5), "the other barred one")
    call mapping%get_summary(summary)
    call check(summary%processes == 6, "processes")
    call mapping%from_traffic(traffic, SCALAY_MIN_VOLUME, processes=4, &
      barred=[.false., .true., .false., .false.], status=status)
    call check_status(status, SCALAY_ERROR_INFEASIBLE, "three processes for four parts")
    call mapping%from_traffic(traffic, SCALAY_MIN_VOLUME, processes=4, barred=[.true.], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few bars", "barred")
    call mapping%from_traffic(traffic, SCALAY_MIN_VOLUME, barred=[.true.], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "bars without processes", "barred")
    call traffic%destroy()
  end subroutine barred_processes_take_nothing

  subroutine chosen_mappings_cost_what_they_cost()
    type(scalay_traffic) :: traffic, none
    type(scalay_mapping) :: mapping
    type(scalay_layout) :: target, mapped
    integer, parameter :: process(4) = [2, 3, 0, 1]
    integer(c_int64_t) :: volume, steps
    call make_traffic(traffic)
    call count_cost(process, volume, steps)
    call mapping%from_processes(traffic, 4, process)
    call mapping%get_summary(summary)
    call check(summary%volume == volume .and. summary%steps == steps, "cost of a chosen mapping")
    call mapping%get_summary(summary)
    call check(summary%proof == SCALAY_PROOF_NONE, "nothing is proven")
    call mapping%from_processes(none, 5, process)
    call mapping%get_summary(summary)
    call check(summary%volume == -1, "without traffic no volume")
    call check(all(mapping%process() == process), "but the processes")
    call target%block_cyclic(8, 8, 2, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call mapping%apply(target, mapped)
    call check(mapped%owner(1, 1) == 2 .and. mapped%owner(3, 3) == 1 .and. mapped%processes() == 5, "applied")
    call mapping%destroy()
    call traffic%destroy()
    call target%destroy()
    call mapped%destroy()
  end subroutine chosen_mappings_cost_what_they_cost

  subroutine fronts_hold_all_trade_offs()
    type(scalay_traffic) :: traffic
    type(scalay_mapping_front) :: front
    integer(c_int64_t) :: k, volume, steps, best_volume, best_steps
    integer :: status
    call make_traffic(traffic)
    call front%from_traffic(traffic, budget_seconds=60.0_c_double)
    volume = -1
    steps = -1
    do k = 1, front%count()
      call count_cost(front%process(k), volume, steps)
      call front%get_summary(k, summary)
      call check(summary%volume == volume .and. summary%steps == steps, "a point costs what it says")
      call check(summary%proof == SCALAY_PROOF_OPTIMAL .and. summary%volume_bound == volume, "and that is proven")
    end do
    call search(.false., best_volume, best_steps)
    call front%get_summary(1_c_int64_t, summary)
    call check(summary%steps == best_steps .and. summary%volume == best_volume, "least steps first")
    call search(.true., best_volume, best_steps)
    call check(volume == best_volume .and. steps == best_steps, "least volume last")
    call front%check(traffic)
    call front%get_summary(0_c_int64_t, summary, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no point 0", "NULL")
    call check(size(front%process(0_c_int64_t)) == 0 .and. summary%steps == -1, "and it has no processes")
    call front%destroy()
    call traffic%destroy()
  end subroutine fronts_hold_all_trade_offs

  ! Two matrices with a common factor: the duals dominate every pair and sum up to what stays.
  subroutine proofs_can_be_read()
    type(scalay_layout) :: source(2), target(2)
    type(scalay_traffic) :: each(2), traffic
    type(scalay_mapping) :: mapping
    type(scalay_mapping_front) :: front
    integer(c_int64_t), allocatable :: u(:), v(:)
    integer(c_int), allocatable :: violator(:)
    type(scalay_mapping_certificate) :: proof
    integer(c_int) :: i, j, code
    logical :: dominate
    allocate (u(0), v(0), violator(0))
    do i = 1, 2
      call source(i)%block_cyclic(96 - 8 * i, 80, 8, 8, 6, 6, 0, 0, SCALAY_ROW_MAJOR)
      call target(i)%block_cyclic(96 - 8 * i, 80, 5, 7, 6, 6, 0, 0, SCALAY_ROW_MAJOR)
    end do
    do i = 1, 2
      call each(i)%create(source(i), target(i))
    end do
    call traffic%add(each, [3_c_int64_t, 2_c_int64_t])
    call mapping%create_shared(source, target, SCALAY_MIN_VOLUME, weight=[3_c_int64_t, 2_c_int64_t])
    call mapping%check_layouts(source, target, weight=[3_c_int64_t, 2_c_int64_t])
    call mapping%check(traffic)
    call mapping%check_layouts(source, target, status=code)
    call check(code == SCALAY_ERROR_MISMATCH, "other weights are another problem")
    call mapping%get_certificate(proof)
    u = proof%process_dual
    v = proof%part_dual
    dominate = size(u) == 36 .and. size(v) == 36
    do i = 1, size(u)
      do j = 1, size(v)
        dominate = dominate .and. u(i) + v(j) >= traffic%get_entry(i - 1, j - 1)
      end do
    end do
    call traffic%get_summary(extents)
    call mapping%get_summary(summary)
    call check(dominate .and. sum(u) + sum(v) == extents%elements - summary%volume_bound, "the duals are a proof")
    call check(abs(proof%dual_unit - 1) < 1e-9_c_double, "duals are items")
    call check(proof%dual_steps == huge(1_c_int64_t), "duals speak of all pairs")
    call mapping%create(source(1), target(1), SCALAY_MIN_STEPS)
    call mapping%get_certificate(proof)
    violator = proof%hall_violator
    v = proof%part_dual
    call check(size(violator) > 0 .and. size(v) == 0, "a violator proves steps")
    call mapping%create(source(1), target(1), SCALAY_MIN_GRID_VOLUME)
    call mapping%get_certificate(proof)
    u = proof%line_dual
    call check(proof%grid_rows == 6 .and. proof%grid_cols == 6 .and. size(u) == 24, "lines of a grid have duals")
    call mapping%get_summary(summary)
    call check(sum(u(:12)) == 88 * 80 - summary%volume, "which sum up to what stays")
    call front%create(source(1), target(1))
    call front%check_layouts(source(1), target(1))
    call front%destroy()
    call mapping%destroy()
    call traffic%destroy()
    do i = 1, 2
      call each(i)%destroy()
      call source(i)%destroy()
      call target(i)%destroy()
    end do
  end subroutine proofs_can_be_read

  subroutine schedules_deliver_everything_once()
    type(scalay_traffic) :: traffic
    type(scalay_schedule) :: schedule
    type(scalay_message), allocatable :: messages(:)
    integer, parameter :: process(0:3) = [1, 0, 3, 2]
    integer(c_int64_t) :: k, length, total, left(0:3, 0:3), volume, steps
    integer :: i, j, status
    call make_traffic(traffic)
    call schedule%create(traffic, process)
    do j = 0, 3
      do i = 0, 3
        left(i, process(j)) = merge(0_c_int64_t, q(i, j), i == process(j))
      end do
    end do
    total = 0
    call schedule%get_summary(lengths)
    do k = 1, lengths%rounds
      call schedule%round(k, length, messages)
      total = total + length
      do i = 1, size(messages)
        associate (message => messages(i))
          left(message%from, message%to) = left(message%from, message%to) - message%elements
          call check(message%elements >= 1 .and. message%elements <= length, "a message fits its step")
          call check(count(messages%from == message%from) == 1 .and. count(messages%to == message%to) == 1, "one port")
        end associate
      end do
    end do
    call count_cost(process, volume, steps)
    call check(all(left == 0), "everything is delivered")
    call schedule%get_summary(lengths)
    call check(total == steps .and. lengths%length == steps, "in as many item steps as there must be")
    call schedule%check(traffic, process, status)
    call check(status == SCALAY_SUCCESS, "the checker agrees")
    call schedule%check(traffic, [0, 1, 2, 3], status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "a schedule of another mapping", "elements")
    call schedule%create(traffic, process, preemptive=.true.)
    call schedule%check(traffic, process)
    call schedule%get_summary(lengths)
    call check(lengths%length == steps, "without rounds as long as with them")
    call schedule%create(traffic, process, startup=1_c_int64_t, preemptive=.true., status=status)
    call check(status == SCALAY_ERROR_ARGUMENT, "startup or preemptive")
    call schedule%create(traffic, process, slice=huge(1_c_int64_t))
    call schedule%get_summary(lengths)
    call check(lengths%length >= steps .and. lengths%rounds < size(process), "whole messages in few steps")
    call schedule%create(traffic, process, startup=huge(1_c_int64_t))
    call schedule%get_summary(lengths)
    call check(lengths%length >= steps .and. lengths%rounds < size(process), "as when starting takes forever")
    call schedule%create(traffic, process, slice=1_c_int64_t, startup=1_c_int64_t, status=status)
    call check(status == SCALAY_ERROR_ARGUMENT, "slice or startup")
    call schedule%create(traffic, process, startup=0_c_int64_t)
    call schedule%round(0_c_int64_t, length, messages, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "round 0", "round")
    call check(size(messages) == 0 .and. length == 0, "nothing after a failure")
    call schedule%create(traffic, [0, 1], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few processes", "process")
    call check(.not. schedule%exists(), "no schedule after a failure")
    call traffic%destroy()
  end subroutine schedules_deliver_everything_once

  subroutine failures_leave_no_object()
    type(scalay_layout) :: small, large
    type(scalay_traffic) :: traffic
    type(scalay_mapping) :: mapping
    integer(c_int64_t) :: volume
    integer(c_int64_t), allocatable :: items(:)
    integer, allocatable :: part(:)
    integer :: status
    call small%block_cyclic(8, 8, 2, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call large%block_cyclic(9, 8, 2, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
    call traffic%create(small, large, status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "layouts of different extents")
    call check(.not. traffic%exists(), "no traffic")
    call mapping%create(small, large, SCALAY_MIN_STEPS, status=status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "a mapping between them")
    call mapping%create(small, small, 17, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such objective", "17")
    call check(.not. mapping%exists(), "no mapping")
    call check(size(mapping%process()) == 0, "of no parts")
    call traffic%from_entries(2, 2, [0, 1], [0], [1_c_int64_t], status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "lists of different lengths", "size")
    call traffic%from_entries(2, 2, [0, 2], [0, 0], [1_c_int64_t, 1_c_int64_t], status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such process", "process")
    call make_traffic(traffic)
    call traffic%row(4, part, items, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such row", "process")
    call check(size(part) == 0 .and. size(items) == 0, "nothing in it")
    call traffic%cost([0, 1, 2], volume, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few processes", "process")
    call mapping%create(small, small, SCALAY_MIN_VOLUME)
    call mapping%get_summary(summary)
    call check(summary%volume == 0, "a layout onto itself moves nothing")
    call mapping%from_processes(traffic, 4, [1, 0, 3, 2])
    call mapping%destroy()
    call traffic%destroy()
    call small%destroy()
    call large%destroy()
  end subroutine failures_leave_no_object

  ! The n-th allocation fails, for every n until all succeed: the status says so, nothing exists, nothing is left.
  subroutine every_failed_allocation_is_told()
    type(scalay_layout) :: source, target
    type(scalay_traffic) :: traffic
    type(scalay_mapping) :: mapping
    type(scalay_schedule) :: schedule
    integer(c_int64_t) :: n
    integer :: status
    logical :: told
    do n = 1, 1000
      call memory_fail_at(n)
      call source%block_cyclic(20, 20, 3, 3, 2, 2, 0, 0, SCALAY_ROW_MAJOR, status)
      told = source%exists() .eqv. status == SCALAY_SUCCESS
      if (status == SCALAY_SUCCESS) call target%parse("chunks:m=20,n=20,mb=4,nb=4,p=4,seed=3", status)
      told = told .and. (target%exists() .eqv. status == SCALAY_SUCCESS)
      if (status == SCALAY_SUCCESS) call traffic%create(source, target, status)
      told = told .and. (traffic%exists() .eqv. status == SCALAY_SUCCESS)
      if (status == SCALAY_SUCCESS) call mapping%from_traffic(traffic, SCALAY_MIN_STEPS_THEN_VOLUME, status=status)
      told = told .and. (mapping%exists() .eqv. status == SCALAY_SUCCESS)
      if (status == SCALAY_SUCCESS) call schedule%create(traffic, mapping%process(), status=status)
      told = told .and. (schedule%exists() .eqv. status == SCALAY_SUCCESS)
      call memory_fail_at(0_c_int64_t)
      call check(told, "an object exists when the status says so")
      if (status /= SCALAY_SUCCESS) call check_status(status, SCALAY_ERROR_MEMORY, "a failed allocation")
      call source%destroy()
      call target%destroy()
      call traffic%destroy()
      call mapping%destroy()
      call schedule%destroy()
      call check(memory_live() == 0, "nothing is left")
      if (status == SCALAY_SUCCESS) exit
    end do
    call check(n > 10 .and. n < 1000, "the sweep comes to an end")
  end subroutine every_failed_allocation_is_told
end program mappings
