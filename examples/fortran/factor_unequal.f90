! Cholesky and LU on processes of unequal speeds, then solves by pdpotrs and pdgetrs with the caller's descriptor.
program factor_unequal
  use, intrinsic :: iso_c_binding
  use mpi
  use scalay
  implicit none

  integer, parameter :: n = 150, nb = 16
  type(scalay_comm) :: comm
  type(scalay_layout) :: layout
  type(scalay_factor) :: factor
  type(scalay_factor_options) :: options
  type(scalay_factor_statistics) :: statistics
  real(c_double), allocatable :: a(:), x(:)
  integer(c_int), allocatable :: ipiv(:)
  integer :: error, info, rank, ctxt, rows, desc(9), desc_b(9)
  external :: pdpotrs, pdgetrs

  call MPI_Init(error)
  call scalay_comm_create(MPI_COMM_WORLD, comm)
  rank = comm%rank()

  ! Rows of blocks, dealt to all processes.
  call layout%block_cyclic(n, n, nb, nb, comm%size(), 1, 0, 0, SCALAY_ROW_MAJOR)
  call scalay_grid_acquire(comm, comm%size(), 1, ctxt)
  rows = max(1, int(layout%local_size(rank)) / n)
  desc = [1, ctxt, n, n, nb, nb, 0, 0, rows]
  desc_b = [1, ctxt, n, 1, nb, nb, 0, 0, rows]
  allocate (a(rows * n), x(rows), ipiv(scalay_ipiv_size(layout, rank)))

  ! The first process is twice as fast as the others.
  allocate (options%speeds(comm%size()))
  options%speeds = 0.5_c_double
  options%speeds(1) = 1
  options%placement = SCALAY_PLACEMENT_MOVE

  call fill()
  call factor%create(comm, SCALAY_FACTOR_CHOLESKY, layout, SCALAY_DOUBLE, options)
  call factor%execute(a, info)
  if (info == 0) call pdpotrs("L", n, 1, a, 1, 1, desc, x, 1, 1, desc_b, info)
  call report("Cholesky")

  call fill()
  call factor%create(comm, SCALAY_FACTOR_LU, layout, SCALAY_DOUBLE, options)
  call factor%execute(a, info)
  call factor%get_local_vector(ipiv)
  if (info == 0) call pdgetrs("N", n, 1, a, 1, 1, desc, ipiv, x, 1, 1, desc_b, info)
  call report("LU")

  call factor%destroy()
  call scalay_grid_release(comm, ctxt)
  call layout%destroy()
  call comm%destroy()
  call MPI_Finalize(error)

contains

  ! A is symmetric and positive definite; x becomes A times ones.
  subroutine fill()
    type(scalay_rectangle) :: r
    integer(c_int64_t) :: i, j, k
    a = 0
    x = 0
    do k = 1, layout%rectangle_count(rank)
      call layout%rectangle(rank, k, r)
      do j = 0, r%cols - 1
        do i = 0, r%rows - 1
          a(r%offset + i + j * r%ld) = 1d0 / real(1 + abs(r%row + i - r%col - j), c_double)
          if (r%row + i == r%col + j) a(r%offset + i + j * r%ld) = n
        end do
      end do
    end do
    do j = 1, n
      x = x + a((j - 1) * rows + 1:j * rows)
    end do
  end subroutine fill

  subroutine report(name)
    character(*), intent(in) :: name
    real(c_double) :: difference
    difference = 0
    if (layout%elements(rank) > 0) difference = maxval(abs(x - 1))
    call MPI_Allreduce(MPI_IN_PLACE, difference, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    call factor%get_statistics(statistics)
    if (rank == 0) print "(2a, es8.1, a, f6.3)", name, ": error ", difference, ", trailing balance ", statistics%balance
    if (info /= 0 .or. difference > 1d-10) error stop "the solution is wrong"
  end subroutine report
end program factor_unequal
