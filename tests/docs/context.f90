! What the blocks in Fortran use without declaring it; objects without a status end the program if a call fails. Add a
! variable here if a page needs one more.
module docs_context
  use, intrinsic :: iso_c_binding
  use mpi
  use scalay
  implicit none
  integer, parameter :: m = 32, n = 32, whole = 40, lwork = 20000
  integer :: desca(9), descb(9), ctxt, grid, info, nprow, npcol, lld = m, columns
  real(c_double), target :: a(whole, whole), b(whole, whole), c(whole, whole), new_a(whole, whole), new_b(whole, whole)
  real(c_double) :: tau(lwork), work(lwork)
  integer :: ipiv(lwork)
  type(scalay_comm) :: comm
  type(scalay_layout) :: layout, source, target, source_a, target_a, source_b, target_b
  type(scalay_mapping) :: mapping, mapping_a, mapping_b
  type(scalay_plan) :: plan
  type(scalay_partition) :: partition
contains
  subroutine begin()
    integer :: ierr, rank, ranks
    call MPI_Init(ierr)
    call blacs_pinfo(rank, ranks)
    call blacs_get(-1, 0, grid)
    nprow = 1
    npcol = ranks
    columns = n / ranks
    call blacs_gridinit(grid, "Row", nprow, npcol)
    call descinit(desca, m, n, 4, 4, 0, 0, grid, lld, info)
    call random_number(a)
    call random_number(b)
    call random_number(c)
    call comm%create(MPI_COMM_WORLD)
    call source%block_cyclic(m, n, 8, 8, 1, ranks, 0, 0, SCALAY_ROW_MAJOR)
    call target%block_cyclic(m, n, 4, 2, ranks, 1, 0, 0, SCALAY_ROW_MAJOR)
    call source_a%block_cyclic(m, n, 8, 8, 1, ranks, 0, 0, SCALAY_ROW_MAJOR)
    call target_a%block_cyclic(m, n, 4, 2, ranks, 1, 0, 0, SCALAY_ROW_MAJOR)
    call source_b%block_cyclic(m, n, 3, 8, 1, ranks, 0, 0, SCALAY_ROW_MAJOR)
    call target_b%block_cyclic(n, m, 4, 7, ranks, 1, 0, 0, SCALAY_ROW_MAJOR)
    call mapping_a%create(source_a, target_a, SCALAY_MIN_VOLUME)
    call mapping_b%create(source_b, target_b, SCALAY_CANONICAL)
  end subroutine begin

  subroutine finish()
    integer :: ierr
    call blacs_exit(1)
    call MPI_Finalize(ierr)
  end subroutine finish
end module docs_context
