!> A partition for a matrix product on one fast and two slow processors.
program partition
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  integer, parameter :: n = 1000
  real(c_double), parameter :: speed(3) = [1d0, 0.15d0, 0.05d0]
  type(scalay_partition) :: parts
  type(scalay_partition_candidate) :: candidate
  type(scalay_owner_map) :: map
  type(scalay_partition_summary) :: summary
  type(scalay_layout) :: layout
  integer :: k

  call parts%create(n, n, speed)
  call parts%get_summary(summary)
  do k = 1, summary%candidates
    call parts%get_candidate(k, candidate)
    if (candidate%feasible) then
      write (*, "(a20, f14.0, a)") candidate%shape, candidate%continuous_cost, &
        merge("  <- chosen", "           ", k == summary%chosen)
    else
      write (*, "(a20, 2a)") candidate%shape, "  ", candidate%reason
    end if
  end do

  map = parts%map()
  write (*, "(a, i0, a, f0.0)") "elements sent: ", summary%volume, ", at least ", summary%lower_bound
  do k = 0, 2
    write (*, "(a, i0, a, i0, a)") "part ", k, " has ", map%elements(k), " elements"
  end do

  call layout%from_owner_map(map)
  write (*, "(a)") layout%describe()
  call layout%destroy()
  call parts%destroy()
end program partition
