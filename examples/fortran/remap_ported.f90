! remap_f77.f with plans. One plan transposes the matrix during the move to the 2 x 2 grid, with the mapping that moves
! the fewest elements. Another plan moves the upper triangle back. Plans can be executed any number of times.
program remap_ported
  use mpi, only: MPI_COMM_WORLD
  use scalay
  implicit none
  integer, parameter :: n = 96, nb = 3, nbb = 16
  integer :: rank, processes, strips, square, row, col, nprow, npcol, local_rows, info, desca(9), descb(9), wrong
  double precision, allocatable :: a(:, :), b(:)
  integer, external :: numroc, indxl2g
  type(scalay_comm) :: comm
  type(scalay_layout) :: source, target, placed
  type(scalay_mapping) :: mapping
  type(scalay_plan) :: there, back

  call blacs_pinfo(rank, processes)
  call blacs_get(-1, 0, strips)
  call blacs_gridinit(strips, "Col", 4, 1)
  call blacs_gridinfo(strips, nprow, npcol, row, col)
  local_rows = numroc(n, nb, row, 0, 4)
  call descinit(desca, n, n, nb, nb, 0, 0, strips, max(1, local_rows), info)
  allocate (a(local_rows, n))
  call fill(a)

  call comm%create(MPI_COMM_WORLD)
  call source%from_desc(comm, desca)
  call target%block_cyclic(n, n, nbb, nbb, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
  call mapping%create(source, target, SCALAY_MIN_VOLUME)
  call mapping%apply(target, placed)
  call scalay_grid_create(comm, target, mapping, square, descb)  ! a context and descriptor for ScaLAPACK calls
  allocate (b(placed%local_size(comm%rank())))
  call there%create(comm, source, target, mapping, SCALAY_DOUBLE, op=SCALAY_TRANSPOSE)
  call back%create(comm, source, target, mapping, SCALAY_DOUBLE, uplo=SCALAY_UPPER)
  call there%execute(a, b)
  call back%execute_back(b, a)

  call compare(a, wrong)
  if (wrong > 0) print *, "wrong on process", rank, ":", wrong
  if (wrong == 0 .and. rank == 0) print *, "all is well; ", there%describe()
  call there%destroy()
  call back%destroy()
  call scalay_grid_release(comm, square)
  call mapping%destroy()
  call source%destroy()
  call target%destroy()
  call placed%destroy()
  call comm%destroy()
  call blacs_gridexit(strips)
  call blacs_exit(0)
  if (wrong > 0) error stop 1

contains

  subroutine fill(local)
    double precision, intent(out) :: local(:, :)
    integer :: i, j
    do j = 1, size(local, 2)
      do i = 1, size(local, 1)
        local(i, j) = indxl2g(i, nb, row, 0, 4) + 1000d0 * j
      end do
    end do
  end subroutine fill

  ! The upper triangle is that of the transposed matrix. The rest is unchanged.
  subroutine compare(local, count)
    double precision, intent(in) :: local(:, :)
    integer, intent(out) :: count
    integer :: i, j, global
    count = 0
    do j = 1, size(local, 2)
      do i = 1, size(local, 1)
        global = indxl2g(i, nb, row, 0, 4)
        if (abs(local(i, j) - merge(j + 1000d0 * global, global + 1000d0 * j, global <= j)) > 0) count = count + 1
      end do
    end do
  end subroutine compare
end program remap_ported
