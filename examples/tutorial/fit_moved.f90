! Step 2 of docs/tutorial.md: the whole solve runs on a good layout. One plan moves A and b together to 32 x 32 blocks
! on a grid chosen for the number of processes. pdgels runs there unchanged. Only x returns.
program fit_moved
  use mpi, only: MPI_COMM_WORLD, MPI_Wtime
  use scalay
  use tutorial_problem
  implicit none
  integer, parameter :: nb = 32
  integer :: rank, p, q, ctxt, nprow, npcol, row, col, mb, rows, desca(9), descb(9), lwork, info
  integer :: ctxt2, ctxt3, desca2(9), descb2(9)
  double precision, allocatable :: a(:, :), b(:), a2(:), b2(:), work(:)
  double precision :: begin, seconds, best(1)
  integer, external :: numroc
  type(scalay_comm) :: comm
  type(scalay_layout) :: source_a, target_a, source_b, target_b
  type(scalay_mapping) :: mapping
  type(scalay_plan) :: plan_a, plan_b

  call read_sizes()
  call blacs_pinfo(rank, p)
  call blacs_get(-1, 0, ctxt)
  call blacs_gridinit(ctxt, "Col", p, 1)
  call blacs_gridinfo(ctxt, nprow, npcol, row, col)
  mb = (m + p - 1) / p
  rows = numroc(m, mb, row, 0, p)
  call descinit(desca, m, n, mb, mb, 0, 0, ctxt, max(1, rows), info)
  call descinit(descb, m, 1, mb, 1, 0, 0, ctxt, max(1, rows), info)
  allocate (a(max(1, rows), n), b(max(1, rows)))
  call fill(a, b, rows, row * mb)

  begin = MPI_Wtime()
  call comm%create(MPI_COMM_WORLD)
  call source_a%from_desc(comm, desca)
  call source_b%from_desc(comm, descb)
  q = int(sqrt(real(p)))
  do while (mod(p, q) /= 0)
    q = q - 1
  end do
  call target_a%block_cyclic(m, n, nb, nb, p / q, q, 0, 0, SCALAY_ROW_MAJOR)
  call target_b%block_cyclic(m, 1, nb, nb, p / q, q, 0, 0, SCALAY_ROW_MAJOR)
  call mapping%create(source_a, target_a, SCALAY_MIN_STEPS_THEN_VOLUME)
  call scalay_grid_create(comm, target_a, mapping, ctxt2, desca2)
  call scalay_grid_create(comm, target_b, mapping, ctxt3, descb2)
  descb2(2) = ctxt2                                        ! both descriptors name one context
  call plan_a%create(comm, source_a, target_a, mapping, SCALAY_DOUBLE)
  call plan_b%create(comm, source_b, target_b, mapping, SCALAY_DOUBLE)
  allocate (a2(desca2(9) * (n / q + nb)), b2(descb2(9)))
  call scalay_execute(plan_a, a, a2)
  call scalay_execute(plan_b, b, b2)

  call pdgels("N", m, n, 1, a2, 1, 1, desca2, b2, 1, 1, descb2, best, -1, info)
  lwork = int(best(1))
  allocate (work(lwork))
  call pdgels("N", m, n, 1, a2, 1, 1, desca2, b2, 1, 1, descb2, work, lwork, info)

  call scalay_execute_back(plan_b, b2, b)
  seconds = MPI_Wtime() - begin
  if (rank == 0) print "(a, f0.6, a)", "moving and pdgels took ", seconds, " s"
  if (rank == 0) print "(a)", plan_a%describe()
  call check(b, rows, row * mb, ctxt, rank)
  call plan_a%destroy()
  call plan_b%destroy()
  call mapping%destroy()
  call source_a%destroy()
  call source_b%destroy()
  call target_a%destroy()
  call target_b%destroy()
  call scalay_grid_release(comm, ctxt2)
  call scalay_grid_release(comm, ctxt3)
  call comm%destroy()
  call blacs_gridexit(ctxt)
  call blacs_exit(0)
end program fit_moved
