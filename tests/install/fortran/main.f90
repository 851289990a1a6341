! A program as a user has it: a matrix in 3 x 2 blocks goes to 2 x 4 blocks on the grid that costs least, and
! ScaLAPACK finds its greatest element there.
program main
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi
  use scalay
  implicit none

  interface
    double precision function pdlange(norm, m, n, a, ia, ja, desca, work)
      character, intent(in) :: norm
      integer, intent(in) :: m, n, ia, ja, desca(*)
      double precision, intent(in) :: a(*)
      double precision, intent(inout) :: work(*)
    end function pdlange
  end interface

  integer, parameter :: m = 37, n = 23
  type(scalay_comm) :: comm
  type(scalay_layout) :: source, target
  type(scalay_mapping) :: mapping
  type(scalay_plan) :: plan
  type(scalay_rectangle) :: r
  real(c_double), allocatable :: a(:), b(:)
  real(c_double) :: found, all_found, work(1)
  integer(c_int64_t) :: k, i, j
  integer :: ctxt, desc(9), error

  call MPI_Init(error)
  call scalay_comm_create(MPI_COMM_WORLD, comm)
  call source%block_cyclic(m, n, 3, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
  call target%block_cyclic(m, n, 2, 4, 2, 2, 1, 0, SCALAY_COLUMN_MAJOR)
  call mapping%create(source, target, SCALAY_MIN_VOLUME)
  call plan%create(comm, source, target, mapping, SCALAY_DOUBLE)
  call scalay_grid_create(comm, target, mapping, ctxt, desc)
  allocate (a(m * n), b(m * n))
  do k = 1, source%rectangle_count(comm%rank())
    call source%rectangle(comm%rank(), k, r)
    do j = 0, r%cols - 1
      do i = 0, r%rows - 1
        a(r%offset + i + j * r%ld) = real((r%row + i - 1) * n + r%col + j, c_double)
      end do
    end do
  end do
  call scalay_execute(plan, a, b)
  found = 0
  if (ctxt >= 0) found = pdlange("M", m, n, b, 1, 1, desc, work)
  call scalay_grid_release(comm, ctxt)
  call plan%destroy()
  call mapping%destroy()
  call source%destroy()
  call target%destroy()
  call comm%destroy()
  call MPI_Allreduce(found, all_found, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
  if (nint(all_found) /= m * n) error stop 1
end program main
