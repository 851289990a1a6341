! A linear solver with several contexts, as drivers have them: one grid for the matrix, another one for the right-hand
! sides' owner, idle ranks that call no ScaLAPACK routine, arrays of assumed size. PDGETRF has been replaced by
! SCALAY_PDGETRF; PDGETRS continues with A and IPIV. Only the ranks of the grid call it, on a communicator of their own.
program lu_contexts
  use mpi
  use scalay
  implicit none
  integer, parameter :: n = 41, nb = 5, nrhs = 2
  integer :: ierr, iam, nprocs, ictxt, other, nprow, npcol, myrow, mycol, group, first
  integer :: desca(9), descb(9), info, locr, locc, locb
  double precision, allocatable :: a(:, :), b(:, :)
  integer, allocatable :: ipiv(:)
  double precision :: worst
  integer, external :: numroc
  type(scalay_comm) :: comm

  call MPI_Init(ierr)
  call blacs_pinfo(iam, nprocs)
  ! A grid without rank 0, if there are enough ranks; and one of all ranks, which is used in between.
  first = merge(1, 0, nprocs > 1)
  nprow = merge(2, 1, nprocs - first >= 4)
  npcol = (nprocs - first) / nprow
  call blacs_get(-1, 0, ictxt)
  call blacs_gridmap(ictxt, reshape([(first + info, info=0, nprow * npcol - 1)], [nprow, npcol]), nprow, nprow, npcol)
  call blacs_get(-1, 0, other)
  call blacs_gridinit(other, "Row", 1, nprocs)
  call blacs_gridinfo(ictxt, nprow, npcol, myrow, mycol)
  call MPI_Comm_split(MPI_COMM_WORLD, merge(1, MPI_UNDEFINED, myrow >= 0), -iam, group, ierr)

  if (myrow >= 0) then
    locr = numroc(n, nb, myrow, 0, nprow)
    locc = numroc(n, nb, mycol, 0, npcol)
    locb = numroc(nrhs, nb, mycol, 0, npcol)
    call descinit(desca, n, n, nb, nb, 0, 0, ictxt, max(1, locr), info)
    call descinit(descb, n, nrhs, nb, nb, 0, 0, ictxt, max(1, locr), info)
    allocate (a(max(1, locr), max(1, locc)), b(max(1, locr), max(1, locb)), ipiv(locr + nb))
    call fill(a, b)
    call comm%create(group)
    call solve(a, ipiv, b)
    call comm%destroy()
    call MPI_Comm_free(group, ierr)
    worst = error_of(b)
    if (worst > 1d-9) error stop "the solution is wrong"
    call blacs_gridexit(ictxt)
  end if
  call blacs_gridexit(other)
  if (iam == 0) print "(a)", "LU: solved"
  call blacs_exit(1)
  call MPI_Finalize(ierr)

contains

  subroutine solve(a, ipiv, b)
    double precision, intent(inout) :: a(*), b(*)
    integer, intent(inout) :: ipiv(*)
    type(scalay_layout) :: layout
    integer :: k
    ! Twice, with other values: plans are kept.
    do k = 1, 2
      call fill_again(a, b)
      call layout%from_desc(comm, desca)
      call scalay_pdgetrf(comm, layout, a, ipiv, info)
      if (info /= 0) error stop "singular"
      call layout%destroy()
      call pdgetrs("N", n, nrhs, a, 1, 1, desca, ipiv, b, 1, 1, descb, info)
      if (info /= 0) error stop "PDGETRS"
    end do
  end subroutine solve

  double precision function element(i, j)
    integer, intent(in) :: i, j
    element = cos(dble(i * j)) + merge(0.5d0, 0d0, i + j == n + 1)
  end function element

  integer function global(local, mine, count)
    integer, intent(in) :: local, mine, count
    global = ((local - 1) / nb * count + mine) * nb + mod(local - 1, nb) + 1
  end function global

  subroutine fill_again(a, b)
    double precision, intent(inout) :: a(max(1, locr), *), b(max(1, locr), *)
    call fill(a(:, :max(1, locc)), b(:, :max(1, locb)))
  end subroutine fill_again

  subroutine fill(a, b)
    double precision, intent(inout) :: a(:, :), b(:, :)
    integer :: i, j, k
    do i = 1, locr
      do j = 1, locc
        a(i, j) = element(global(i, myrow, nprow), global(j, mycol, npcol))
      end do
      do j = 1, locb
        b(i, j) = sum([(element(global(i, myrow, nprow), k) * k * global(j, mycol, npcol), k=1, n)])
      end do
    end do
  end subroutine fill

  double precision function error_of(b)
    double precision, intent(in) :: b(:, :)
    integer :: i, j
    error_of = 0
    do i = 1, locr
      do j = 1, locb
        error_of = max(error_of, abs(b(i, j) - global(i, myrow, nprow) * global(j, mycol, npcol)))
      end do
    end do
  end function error_of
end program lu_contexts
