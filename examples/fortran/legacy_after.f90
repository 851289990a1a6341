! legacy_before.f90 with ScaLAY. The matrix moves to 16 x 16 blocks on a 2 x 2 grid, with the mapping that moves the
! fewest elements. pdgeqrf runs there unchanged, and the result moves back.
! New are the declarations and the lines between the rulers. The call of pdgeqrf has b and descb.
program legacy_after
  use scalay
  implicit none
  integer, parameter :: m = 120, n = 96, mb = 3, nprow = 4, npcol = 1
  integer :: rank, processes, ctxt, row, col, p, q, local_rows, local_cols, desca(9), info, lwork
  double precision, allocatable :: a(:), tau(:), work(:)
  double precision :: before, after, best(1)
  integer, external :: numroc
  double precision, external :: pdlange, pdlantr
  type(scalay_comm) :: comm
  type(scalay_layout) :: source, target
  type(scalay_mapping) :: mapping
  type(scalay_plan) :: plan
  double precision, allocatable :: b(:)
  integer :: ctxtb, descb(9)

  call blacs_pinfo(rank, processes)
  call blacs_get(-1, 0, ctxt)
  call blacs_gridinit(ctxt, "Col", nprow, npcol)
  call blacs_gridinfo(ctxt, p, q, row, col)
  local_rows = numroc(m, mb, row, 0, nprow)
  local_cols = numroc(n, mb, col, 0, npcol)
  allocate (a(local_rows * local_cols), tau(n), work(m))
  call descinit(desca, m, n, mb, mb, 0, 0, ctxt, max(1, local_rows), info)
  call fill(a, local_rows, local_cols, row, col)
  before = pdlange("F", m, n, a, 1, 1, desca, work)

  ! ------------------------------------------------------------------------------------------------------------------
  call comm%create_blacs(desca(2))
  call source%from_desc(comm, desca)
  call target%block_cyclic(m, n, 16, 16, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
  call mapping%create(source, target, SCALAY_MIN_STEPS_THEN_VOLUME)
  call scalay_grid_create(comm, target, mapping, ctxtb, descb)
  call plan%create(comm, source, target, mapping, SCALAY_DOUBLE)
  allocate (b(descb(9) * n))
  call scalay_execute(plan, a, b)
  ! ------------------------------------------------------------------------------------------------------------------

  call pdgeqrf(m, n, b, 1, 1, descb, tau, best, -1, info)
  lwork = int(best(1))
  deallocate (work)
  allocate (work(max(m, lwork)))
  call pdgeqrf(m, n, b, 1, 1, descb, tau, work, lwork, info)

  ! ------------------------------------------------------------------------------------------------------------------
  call scalay_execute_back(plan, b, a)
  if (rank == 0) print "(a)", plan%describe()
  call plan%destroy()
  call mapping%destroy()
  call source%destroy()
  call target%destroy()
  call scalay_grid_release(comm, ctxtb)
  call comm%destroy()
  ! ------------------------------------------------------------------------------------------------------------------

  ! Q is orthogonal: R has the Frobenius norm of A.
  after = pdlantr("F", "U", "N", m, n, a, 1, 1, desca, work)
  if (rank == 0) print "(2(a, f0.6))", "norm of A ", before, ", of R ", after
  if (info /= 0 .or. abs(after - before) > 1d-10 * before) error stop "R is wrong"
  call blacs_gridexit(ctxt)
  call blacs_exit(0)

contains

  subroutine fill(a, local_rows, local_cols, row, col)
    integer, intent(in) :: local_rows, local_cols, row, col
    double precision, intent(out) :: a(local_rows, local_cols)
    integer, external :: indxl2g
    integer :: i, j
    do j = 1, local_cols
      do i = 1, local_rows
        a(i, j) = 1d0 / (indxl2g(i, mb, row, 0, nprow) + indxl2g(j, mb, col, 0, npcol) - 0.5d0)
      end do
    end do
  end subroutine fill
end program legacy_after
