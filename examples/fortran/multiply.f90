! A ScaLAPACK driver whose first process is three times as fast as the others. With pdgemm, all processes compute equal
! parts of C. ScaLAY partitions C by speed, moves A and B, multiplies, and moves C back to its descriptor. New are the
! declarations and the lines between the rulers, which replace
!     call pdgemm("N", "N", n, n, n, 1d0, a, 1, 1, desc, b, 1, 1, desc, 0d0, c, 1, 1, desc)
program multiply
  use, intrinsic :: iso_c_binding
  use mpi, only: MPI_COMM_WORLD
  use scalay
  implicit none
  integer, parameter :: n = 150, nb = 16
  integer :: rank, processes, ctxt, nprow, npcol, row, col, p, q, rows, cols, desc(9), info
  double precision, allocatable :: a(:), b(:), c(:), work(:)
  double precision :: difference
  integer, external :: numroc
  double precision, external :: pdlange
  type(scalay_comm) :: comm
  type(scalay_layout) :: layout
  type(scalay_partition) :: partition
  type(scalay_gemm_options) :: options
  type(scalay_gemm_statistics) :: statistics
  double precision, allocatable :: speed(:)
  double precision :: error

  call blacs_pinfo(rank, processes)
  nprow = merge(2, 1, mod(processes, 2) == 0)
  npcol = processes / nprow
  call blacs_get(-1, 0, ctxt)
  call blacs_gridinit(ctxt, "Row", nprow, npcol)
  call blacs_gridinfo(ctxt, p, q, row, col)
  rows = numroc(n, nb, row, 0, nprow)
  cols = numroc(n, nb, col, 0, npcol)
  call descinit(desc, n, n, nb, nb, 0, 0, ctxt, max(1, rows), info)
  allocate (a(rows * cols), b(rows * cols), c(rows * cols), work(1))
  call random_number(a)
  call random_number(b)

  ! ------------------------------------------------------------------------------------------------------------------
  call comm%create(MPI_COMM_WORLD)
  call layout%from_desc(comm, desc)
  allocate (speed(processes), source=1d0)
  speed(1) = 3  ! as measured by scalay_profiler or by scalay profile
  call partition%create(n, n, speed)
  options%map = partition%map()
  call scalay_pgemm(comm, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, 1d0, layout, a, layout, b, 0d0, layout, c, options, &
    statistics)
  call scalay_gemm_check(comm, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout, a, layout, b, layout, c, 1_c_int64_t, &
    error)
  call partition%destroy()
  call layout%destroy()
  call comm%destroy()
  ! ------------------------------------------------------------------------------------------------------------------

  ! pdgemm agrees: C - A B is 0 up to rounding.
  call pdgemm("N", "N", n, n, n, -1d0, a, 1, 1, desc, b, 1, 1, desc, 1d0, c, 1, 1, desc)
  difference = pdlange("M", n, n, c, 1, 1, desc, work)
  if (rank == 0) print "(a, i0, a, i0, 2(a, es8.1))", "moved: ", statistics%move_volume, " elements, travelled: ", &
    statistics%multiply_volume, ", check: ", error, ", largest difference from pdgemm: ", difference
  if (error > 1 .or. difference > 1d-11) error stop "the product is wrong"
  call blacs_gridexit(ctxt)
  call blacs_exit(0)
end program multiply
