!> Distributes work units over two fast processors, which are slower beyond their cache, and one slow processor that needs
!! little energy.
!!
!! The program does not measure and does not communicate. All results are checked against results by hand.
program workload
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  integer, parameter :: long = c_int64_t
  type(scalay_profile) :: kinds(2), machine
  type(scalay_workload) :: fastest, frugal, chosen
  type(scalay_workload_front) :: front
  type(scalay_workload_summary) :: summary
  type(scalay_workload_front_point) :: point
  integer(long) :: sizes(3), k

  ! 100 units or 200, and 300 in more than three times the time of 100.
  call kinds(1)%table("fast", 2_long, [100_long, 200_long, 300_long], [1.0_c_double, 2.0_c_double, 8.0_c_double], &
    [50.0_c_double, 100.0_c_double, 150.0_c_double])
  call kinds(2)%table("frugal", 1_long, [100_long, 200_long, 300_long], [4.0_c_double, 6.0_c_double, 7.0_c_double], &
    [10.0_c_double, 20.0_c_double, 25.5_c_double])
  call machine%join(kinds)
  print "(i0, a, i0, a)", machine%processors(), " processors in ", machine%groups(), " groups"

  ! 500 units: 200 and 200 in 2 s leave 100 for the slow one, which takes 4 s.
  call fastest%min_time(machine, 500_long)
  call fastest%get_summary(summary)
  call fastest%sizes(sizes)
  print "(a, 3i5, a, f5.1, a, f6.1, a)", "fastest:", sizes, " units, ", summary%time, " s, ", summary%energy, " J"
  if (any(sizes /= [200, 200, 100]) .or. nint(summary%time * 2) /= 8 .or. nint(summary%energy * 2) /= 420) error stop 1

  ! Least energy: as much as possible for the slow one. 200 more units cost 100 J on one fast processor, or on two.
  call frugal%min_energy(machine, 500_long)
  call frugal%get_summary(summary)
  call frugal%sizes(sizes)
  print "(a, 3i5, a, f5.1, a, f6.1, a)", "frugal: ", sizes, " units, ", summary%time, " s, ", summary%energy, " J"
  if (any(sizes /= [200, 0, 300]) .or. nint(summary%time * 2) /= 14 .or. nint(summary%energy * 2) /= 251) error stop 2

  ! The Pareto front.
  call front%create(machine, 500_long)
  do k = 1, front%count()
    call front%get_point(k, point)
    call front%get_workload(k, chosen)
    call chosen%sizes(sizes)
    print "(i4, a, f5.1, a, f6.1, a, 3i5)", k, ":", point%time, " s", point%energy, " J ", sizes
  end do
  if (front%count() /= 3) error stop 3
  call front%get_point(2_long, point)
  if (nint(point%time * 2) /= 12 .or. nint(point%energy * 2) /= 340) error stop 4
  if (front%within_time(0.5_c_double) /= 2) error stop 5

  ! Equal shares, which ignore the speeds.
  call scalay_published_distribute(machine, 600_long, "even", chosen)
  call chosen%get_summary(summary)
  call chosen%sizes(sizes)
  print "(a, 3i5, a, f5.1, a)", "even:   ", sizes, " of 600 units, ", summary%time, " s"
  if (any(sizes /= 200) .or. nint(summary%time * 2) /= 12) error stop 6

  ! 50 units cannot be distributed. The nearest totals can.
  call chosen%min_time(machine, 50_long)
  if (chosen%feasible()) error stop 7
  call chosen%nearest(sizes(1), sizes(2))
  print "(a, i0, a, i0)", "instead of 50: ", sizes(1), " or ", sizes(2)
  if (sizes(1) /= 0 .or. sizes(2) /= 100) error stop 8

  call fastest%destroy()
  call frugal%destroy()
  call chosen%destroy()
  call front%destroy()
  call machine%destroy()
  call kinds(1)%destroy()
  call kinds(2)%destroy()
end program workload
