!> Distributions and fronts against all distributions there are, listed here.
module test_costs
  use, intrinsic :: iso_c_binding
  implicit none
contains
  !> Each processor beyond the first costs what the context says, twice as much for more than 10 units.
  real(c_double) function linear_cost(n, processors, context) bind(C)
    integer(c_int64_t), value :: n, processors
    type(c_ptr), value :: context
    real(c_double), pointer :: cost
    call c_f_pointer(context, cost)
    linear_cost = cost * real((processors - 1) * merge(2, 1, n > 10), c_double)
  end function linear_cost
end module test_costs

program workloads
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  use mpi
  use check_module
  use test_costs
  use scalay
  implicit none

  integer, parameter :: long = c_int64_t
  integer, parameter :: PROCESSORS = 4, LARGEST = 6
  ! Groups: two of "a", one of "b", one of "c"; seconds * 8 and joules * 4; -1 is a hole.
  integer, parameter :: group_of(PROCESSORS) = [1, 1, 2, 3]
  integer, parameter :: counts(3) = [2, 1, 1]
  integer, parameter :: time(0:LARGEST, 3) = reshape([0, 3, 4, 9, 8, -1, 20, &
    0, -1, 5, 6, 15, 9, 30, 0, 8, -1, 7, 12, -1, 13], [LARGEST + 1, 3])
  integer, parameter :: energy(0:LARGEST, 3) = reshape([0, 9, 12, 14, 25, -1, 31, &
    0, -1, 8, 21, 22, 30, 29, 0, 5, -1, 26, 27, -1, 50], [LARGEST + 1, 3])
  integer, parameter :: MAX_TIME = 64, MAX_ENERGY = 400

  ! By listing: the fewest active processors for each n, time and energy; huge: there is no such distribution.
  integer :: fewest(0:MAX_TIME, 0:MAX_ENERGY)

  integer :: error
  call MPI_Init(error)
  call methods_have_names()
  call distributions_are_the_best_of_all()
  call fronts_have_every_point()
  call communication_is_charged()
  call impossible_totals_have_neighbours()
  call paraleph_agrees()
  call failures_leave_no_object()
  call check_verdict()

contains

  subroutine make_profile(profile)
    type(scalay_profile), intent(inout) :: profile
    type(scalay_profile) :: parts(3)
    integer :: g, x
    do g = 1, 3
      associate (sizes => pack([(int(x, long), x=1, LARGEST)], time(1:, g) >= 0), &
          seconds => pack(real(time(1:, g), c_double) / 8, time(1:, g) >= 0), &
          joules => pack(real(energy(1:, g), c_double) / 4, time(1:, g) >= 0))
        call parts(g)%table(char(iachar("a") + g - 1), int(counts(g), long), sizes, seconds, joules)
      end associate
    end do
    call profile%join(parts)
    do g = 1, 3
      call parts(g)%destroy()
    end do
  end subroutine make_profile

  ! Fills `fewest` for n.
  subroutine list_all(n)
    integer, intent(in) :: n
    integer :: a, b, c, d, p, t, e, x(PROCESSORS)
    logical :: possible
    fewest = huge(0)
    do a = 0, LARGEST
      do b = 0, LARGEST
        do c = 0, LARGEST
          d = n - a - b - c
          if (d < 0 .or. d > LARGEST) cycle
          x = [a, b, c, d]
          t = 0
          e = 0
          possible = .true.
          do p = 1, PROCESSORS
            possible = possible .and. time(x(p), group_of(p)) >= 0
            t = max(t, time(x(p), group_of(p)))
            e = e + energy(x(p), group_of(p))
          end do
          if (possible) fewest(t, e) = min(fewest(t, e), count(x > 0))
        end do
      end do
    end do
  end subroutine list_all

  ! What each processor has in a table for its size.
  pure function entries(table, sizes) result(values)
    integer, intent(in) :: table(0:, :)
    integer(long), intent(in) :: sizes(PROCESSORS)
    integer :: values(PROCESSORS), p
    do p = 1, PROCESSORS
      values(p) = table(sizes(p), group_of(p))
    end do
  end function entries

  ! Do the sizes of all processors add up to n, with this time (* 8), energy (* 4) and number of active processors?
  logical function adds_up(workload, n, t, e, active)
    type(scalay_workload), intent(in) :: workload
    integer, intent(in) :: n, t, e, active
    type(scalay_workload_share), allocatable :: share(:)
    integer(long) :: sizes(PROCESSORS), last(1)
    integer :: k
    call workload%sizes(sizes)
    call workload%sizes(last, first=int(PROCESSORS, long))
    adds_up = sum(sizes) == n .and. count(sizes > 0) == active .and. last(1) == sizes(PROCESSORS)
    adds_up = adds_up .and. sizes(1) >= sizes(2)
    adds_up = adds_up .and. maxval(entries(time, sizes)) == t .and. sum(entries(energy, sizes)) == e
    call workload%histogram(share)
    adds_up = adds_up .and. sum(share%count) == PROCESSORS
    do k = 1, size(share)
      adds_up = adds_up .and. share(k)%count == count(group_of == share(k)%group .and. sizes == share(k)%size)
    end do
  end function adds_up

  subroutine methods_have_names()
    integer :: k
    integer(c_int) :: objective
    logical :: found
    found = .false.
    do k = 1, 100
      if (len(scalay_published_methods(k)) == 0) exit
      if (scalay_published_methods(k, objective) == "htpopta") found = objective == SCALAY_OBJECTIVE_TOTAL_FRONT
    end do
    call check(scalay_published_methods(1, objective) == "popta", "the first method")
    call check(objective == SCALAY_OBJECTIVE_TIME, "is for time")
    call check(found .and. k > 5 .and. k < 100, "some more")
  end subroutine methods_have_names

  subroutine distributions_are_the_best_of_all()
    type(scalay_profile) :: profile
    type(scalay_workload) :: workload
    type(scalay_workload_summary) :: summary
    integer :: n, t, e
    logical :: there(0:24)
    call make_profile(profile)
    do n = 0, 24
      call list_all(n)
      there(n) = any(fewest < huge(0))
      call workload%min_time(profile, int(n, long))
      call check(workload%feasible() .eqv. there(n), "a distribution where there is one")
      if (.not. there(n)) cycle
      do t = 0, MAX_TIME
        if (any(fewest(t, :) < huge(0))) exit
      end do
      call workload%get_summary(summary)
      do e = 0, MAX_ENERGY
        if (fewest(t, e) < huge(0)) exit
      end do
      call check(nint(summary%time * 8) == t .and. nint(summary%energy * 4) == e, "the least time and its least energy")
      call check(summary%active == fewest(t, e), "with the fewest active processors")
      call check(adds_up(workload, n, t, nint(summary%energy * 4), int(summary%active)), "is a distribution's")
      call check(summary%size == n .and. summary%processors == PROCESSORS, "of all units")
      call check(abs(summary%total - summary%time) <= 0 .and. abs(summary%communication) <= 0, "without communication")
      call scalay_published_distribute(profile, int(n, long), "hpopta  ", workload)
      call workload%get_summary(summary)
      call check(nint(summary%time * 8) == t .and. summary%method == "hpopta", "as published")
      call workload%min_energy(profile, int(n, long))
      do e = 0, MAX_ENERGY
        if (any(fewest(:, e) < huge(0))) exit
      end do
      call workload%get_summary(summary)
      call check(nint(summary%energy * 4) == e .and. summary%active == minval(fewest(:, e)), "the least energy")
      call check(adds_up(workload, n, nint(summary%time * 8), e, int(summary%active)), "is a distribution's")
    end do
    call check(there(24) .and. count(there) > 15, "most totals can be distributed")
    call workload%destroy()
    call profile%destroy()
  end subroutine distributions_are_the_best_of_all

  subroutine fronts_have_every_point()
    type(scalay_profile) :: profile
    type(scalay_workload_front) :: front, total
    type(scalay_workload) :: workload
    type(scalay_workload_front_point) :: point
    integer :: n, t, e, least
    integer(long) :: k, points
    points = 0
    call make_profile(profile)
    do n = 1, 20
      call list_all(n)
      call front%create(profile, int(n, long))
      k = 0
      least = huge(0)
      do t = 0, MAX_TIME
        do e = 0, MAX_ENERGY
          if (fewest(t, e) < huge(0)) exit
        end do
        if (e >= min(least, MAX_ENERGY + 1)) cycle
        least = e
        k = k + 1
        if (k > front%count()) exit
        call front%get_point(k, point)
        call check(nint(point%time * 8) == t .and. nint(point%energy * 4) == e .and. point%active == fewest(t, e), &
          "a point of the front")
        call check(abs(point%total_energy - point%energy) <= 0, "without base power")
        call front%get_workload(k, workload)
        call check(adds_up(workload, n, t, e, fewest(t, e)), "has its distribution")
      end do
      call scalay_published_front(profile, int(n, long), 0.0_c_double, "hepopta", total)
      call check(total%count() == front%count(), "as many points as HEPOPTA finds")
      call check(k == front%count(), "as many points as there are")
      points = max(points, k)
      if (k == 0) cycle
      call check(front%within_time(0.0_c_double) == 1 .and. front%within_energy(0.0_c_double) == k, "ends of the front")
      call check(front%within_time(1e6_c_double) == k .and. front%within_energy(1e6_c_double) == 1, "the other ends")
      call check(front%within_time(-1.0_c_double) == 0, "no point at all")
      call check(front%knee() >= 1 .and. front%knee() <= k, "a knee")
      call total%create_total(profile, int(n, long), 1e6_c_double)
      call check(total%count() == 1, "time alone counts")
      call total%get_point(1_long, point)
      call check(abs(point%total_energy - (point%energy + 1e6_c_double * point%time)) < 1e-6, "the total energy")
      call total%create_total(profile, int(n, long), 0.0_c_double)
      call check(total%count() == k, "energy alone counts")
    end do
    call check(points >= 4, "a front of some points")
    call workload%destroy()
    call total%destroy()
    call front%destroy()
    call profile%destroy()
  end subroutine fronts_have_every_point

  ! The least of time + cost over all distributions of n, with a cost (* 8) for each number of active processors.
  integer function least_total(n, cost)
    integer, intent(in) :: n, cost(PROCESSORS)
    integer :: x(PROCESSORS), i, j, k
    least_total = huge(0)
    do i = 0, LARGEST
      do j = 0, LARGEST
        do k = 0, LARGEST
          x = [i, j, k, n - i - j - k]
          if (minval(x) < 0 .or. maxval(x) > LARGEST) cycle
          if (minval(entries(time, int(x, long))) < 0) cycle
          least_total = min(least_total, maxval(entries(time, int(x, long))) + cost(count(x > 0)))
        end do
      end do
    end do
  end function least_total

  subroutine communication_is_charged()
    type(scalay_profile) :: profile
    type(scalay_workload) :: workload
    type(scalay_workload_summary) :: summary
    type(scalay_workload_options) :: options
    type(scalay_communication) :: communication
    real(c_double), target :: step
    character(*), parameter :: path = "fortran_workloads_"
    character(40) :: name
    integer :: n, unit, rank, error
    step = 0.375
    call make_profile(profile)
    call communication%function(linear_cost, context=c_loc(step))
    call check(abs(communication%evaluate(5_long, 3_long) - 0.75) <= 0, "by function")
    options%communication = communication
    do n = 1, 12
      call workload%min_time(profile, int(n, long), options)
      if (.not. workload%feasible()) cycle
      call workload%get_summary(summary)
      call check(nint(summary%total * 8) == least_total(n, [0, 3, 6, 9] * merge(2, 1, n > 10)), "time and communication")
      call check(abs(summary%total - summary%time - summary%communication) < 1e-12, "add up")
    end do
    call communication%table([1_long, 2_long, 3_long, 4_long], [4.0_c_double, 3.0_c_double, 2.0_c_double, 1.0_c_double])
    call check(abs(communication%evaluate(5_long, 3_long) - 2) <= 0, "by table")
    call check(.not. ieee_is_finite(communication%evaluate(5_long, 5_long)), "not in the table")
    options%communication = communication
    options%variant = SCALAY_COMMUNICATION_AT_MOST
    call workload%min_time(profile, 2_long, options)
    call workload%get_summary(summary)
    call check(abs(summary%communication - 1) <= 0 .and. summary%taking_part == 4, "all take part where it is cheaper")
    call communication%hockney(1e-5_c_double, 1e-9_c_double, 64_long)
    ! (log2 4 + 2 (2 - 1)) alpha 2048 / 64 + 4 (1 - 1 / 2) beta 2048^2 / 2
    call check(abs(communication%evaluate(2_long, 4_long) - (4 * 1e-5_c_double * 32 + 1e-9_c_double * 2048.0_c_double**2)) &
      < 1e-12, "Hockney's model")
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    write (name, "(a, i0, '.csv')") path, rank
    open (newunit=unit, file=name, action="write")
    write (unit, "(a)") "processors,cost", "1,0", "2,0.5"
    close (unit)
    call communication%read(name)
    call check(abs(communication%evaluate(7_long, 2_long) - 0.5) <= 0, "from a file")
    open (newunit=unit, file=name)
    close (unit, status="delete")
    call communication%destroy()
    call check(.not. ieee_is_finite(communication%evaluate(7_long, 2_long)), "no communication is not possible")
    call workload%destroy()
    call profile%destroy()
  end subroutine communication_is_charged

  subroutine impossible_totals_have_neighbours()
    type(scalay_profile) :: profile
    type(scalay_workload) :: workload
    type(scalay_workload_front) :: front
    type(scalay_workload_share), allocatable :: share(:)
    integer(long) :: below, above, sizes(1)
    integer :: status
    call profile%table("coarse", 3_long, [4_long, 6_long], [1.0_c_double, 2.0_c_double], [1.0_c_double, 2.0_c_double])
    call workload%min_time(profile, 2_long)
    call check(.not. workload%feasible(), "two units cannot be distributed")
    call workload%nearest(below, above)
    call check(below == 0 .and. above == 4, "0 and 4 can")
    call workload%sizes(sizes, status=status)
    call check_status(status, SCALAY_ERROR_INFEASIBLE, "no sizes")
    call workload%histogram(share)
    call check(size(share) == 0, "no shares")
    call front%create(profile, 19_long)
    call check(front%count() == 0 .and. front%knee() == 0, "no front")
    call front%nearest(below, above)
    call check(below == 18 .and. above == -1, "18 is the most")
    call workload%min_time(profile, 12_long)
    call workload%nearest(below, above)
    call check(below == 12 .and. above == 12, "12 can")
    call workload%destroy()
    call front%destroy()
    call profile%destroy()
  end subroutine impossible_totals_have_neighbours

  subroutine paraleph_agrees()
    type(scalay_comm) :: comm
    type(scalay_profile) :: profile
    type(scalay_workload) :: ours, theirs
    type(scalay_workload_summary) :: a, b
    integer(long) :: n
    call comm%create(MPI_COMM_WORLD)
    call profile%table("p", 5_long, [1_long, 2_long, 3_long, 5_long], [3.0_c_double, 4.0_c_double, 4.5_c_double, &
      9.0_c_double], [1.0_c_double, 5.0_c_double, 4.0_c_double, 11.0_c_double])
    do n = 1, 15, 7
      call ours%min_time(profile, n)
      call scalay_published_paraleph(comm, profile, n, SCALAY_OBJECTIVE_TIME, theirs)
      call ours%get_summary(a)
      call theirs%get_summary(b)
      call check(abs(a%time - b%time) <= 0 .and. b%method == "paraleph", "the same time")
      call ours%min_energy(profile, n)
      call scalay_published_paraleph(comm, profile, n, SCALAY_OBJECTIVE_ENERGY, theirs, threads=1_c_int)
      call ours%get_summary(a)
      call theirs%get_summary(b)
      call check(abs(a%energy - b%energy) <= 0, "the same energy")
    end do
    call ours%destroy()
    call theirs%destroy()
    call profile%destroy()
    call comm%destroy()
  end subroutine paraleph_agrees

  subroutine failures_leave_no_object()
    type(scalay_profile) :: profile, none
    type(scalay_workload) :: workload
    type(scalay_workload_front) :: front
    type(scalay_communication) :: communication
    type(scalay_workload_summary) :: summary
    type(scalay_workload_front_point) :: point
    integer(long) :: sizes(9)
    integer :: status
    call make_profile(profile)
    call workload%min_time(none, 3_long, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no profile", "profile")
    call workload%min_time(profile, -1_long, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a negative total", "-1")
    call scalay_published_distribute(profile, 3_long, "magic", workload, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such method", "magic")
    call scalay_published_front(profile, 3_long, 0.0_c_double, "popta", front, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no method for fronts", "popta")
    call front%create_total(profile, 3_long, -1.0_c_double, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "negative power", "base_power")
    call check(.not. (workload%exists() .or. front%exists()), "nothing is there")
    call workload%get_summary(summary, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no distribution", "workload")
    call check(summary%size == 0, "and no summary")
    call front%get_point(1_long, point, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no front", "front")
    call workload%min_time(profile, 3_long)
    call workload%sizes(sizes, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "more sizes than processors", "count")
    call communication%table([1_long], [1.0_c_double, 2.0_c_double], status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "lists of different lengths", "lengths")
    call communication%hockney(-1.0_c_double, 1.0_c_double, 1_long, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a negative latency", "alpha")
    call communication%read("no_such_file.csv", status)
    call check_status(status, SCALAY_ERROR_FILE, "no such file", "no_such_file.csv")
    call check(.not. communication%exists(), "no communication")
    call workload%destroy()
    call profile%destroy()
  end subroutine failures_leave_no_object
end program workloads
