! The README's lines in Fortran, compiled and run. An odd number of processes leaves one outside the grid.
! tests/programs/readme.cmake compares the lines between the marks with the README.
program readme
  ! README begin
  use scalay
  ! README pause
  use mpi
  implicit none
  integer, parameter :: n = 100, nb = 8
  integer :: ierr, rank, size, ctxt, nprow, npcol, row, col, rows, cols, desca(9), info
  double precision, allocatable :: a(:, :), tau(:), work(:)
  double precision :: norm
  integer, external :: numroc
  double precision, external :: pdlange
  type(scalay_comm) :: comm
  type(scalay_layout) :: layout

  call MPI_Init(ierr)
  call blacs_pinfo(rank, size)
  call blacs_get(-1, 0, ctxt)
  nprow = merge(2, 1, size >= 4)
  call blacs_gridinit(ctxt, "Row", nprow, merge(2, size / nprow, size == 3))
  call blacs_gridinfo(ctxt, nprow, npcol, row, col)
  if (row < 0) then
    call blacs_exit(1)
    call MPI_Finalize(ierr)
    stop
  end if
  rows = numroc(n, nb, row, 0, nprow)
  cols = numroc(n, nb, col, 0, npcol)
  call descinit(desca, n, n, nb, nb, 0, 0, ctxt, max(1, rows), info)
  allocate (a(max(1, rows), max(1, cols)), tau(max(1, cols)), work(nb * (rows + cols + nb)))
  call random_number(a)
  a = a - 0.5d0

  ! README resume
  call comm%create_blacs(desca(2))            ! the processes of the grid
  call layout%from_desc(comm, desca)
  call scalay_pdgeqrf(comm, layout, a, tau)   ! instead of call pdgeqrf(...)
  call layout%destroy()
  call comm%destroy()
  ! README end

  call pdorgqr(n, n, n, a, 1, 1, desca, tau, work, nb * (rows + cols + nb), info)
  norm = pdlange("F", n, n, a, 1, 1, desca, work)
  if (rank == 0) print "(a, f16.12)", "||Q||_F = ", norm
  if (info /= 0 .or. abs(norm - 10) > 1d-10) error stop "Q is not orthogonal"
  call blacs_gridexit(ctxt)
  call blacs_exit(1)
  call MPI_Finalize(ierr)
end program readme
