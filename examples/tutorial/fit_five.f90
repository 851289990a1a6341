! Step 1 of docs/tutorial.md: fit.f with five lines of ScaLAY, which are marked. The call of pdgeqrf is replaced.
! a and tau are those of pdgeqrf, so pdormqr and pdtrtrs follow unchanged.
program fit_five
  use mpi, only: MPI_Wtime
  use scalay                                               ! ScaLAY
  use tutorial_problem
  implicit none
  integer :: rank, p, ctxt, nprow, npcol, row, col, mb, rows, desca(9), descb(9), lwork, info
  double precision, allocatable :: a(:, :), b(:), tau(:), work(:)
  double precision :: begin, seconds
  integer, external :: numroc
  type(scalay_comm) :: comm
  type(scalay_layout) :: layout

  call read_sizes()
  call blacs_pinfo(rank, p)
  call blacs_get(-1, 0, ctxt)
  call blacs_gridinit(ctxt, "Col", p, 1)
  call blacs_gridinfo(ctxt, nprow, npcol, row, col)
  mb = (m + p - 1) / p
  rows = numroc(m, mb, row, 0, p)
  call descinit(desca, m, n, mb, mb, 0, 0, ctxt, max(1, rows), info)
  call descinit(descb, m, 1, mb, 1, 0, 0, ctxt, max(1, rows), info)
  lwork = mb * (m + n + mb)
  allocate (a(max(1, rows), n), b(max(1, rows)), tau(n), work(lwork))
  call fill(a, b, rows, row * mb)

  begin = MPI_Wtime()
  call comm%create_blacs(desca(2))                         ! ScaLAY
  call layout%from_desc(comm, desca)                       ! ScaLAY
  call scalay_pdgeqrf(comm, layout, a, tau)                ! ScaLAY, instead of pdgeqrf
  call layout%destroy()                                    ! ScaLAY
  call comm%destroy()                                      ! ScaLAY
  seconds = MPI_Wtime() - begin
  call pdormqr("L", "T", m, 1, n, a, 1, 1, desca, tau, b, 1, 1, descb, work, lwork, info)
  call pdtrtrs("U", "N", "N", n, 1, a, 1, 1, desca, b, 1, 1, descb, info)
  if (rank == 0) print "(a, f0.6, a)", "scalay_pdgeqrf took ", seconds, " s"
  call check(b, rows, row * mb, ctxt, rank)
  call blacs_gridexit(ctxt)
  call blacs_exit(0)
end program fit_five
