!> Communicators, permuted contexts and ScaLAPACK on them, also on a part of the ranks in reverse order.
program contexts
  use, intrinsic :: iso_c_binding
  use mpi
  use check_module
  use scalay
  implicit none

  interface
    integer function numroc(n, nb, iproc, isrcproc, nprocs)
      integer, intent(in) :: n, nb, iproc, isrcproc, nprocs
    end function numroc
    integer function indxl2g(indxloc, nb, iproc, isrcproc, nprocs)
      integer, intent(in) :: indxloc, nb, iproc, isrcproc, nprocs
    end function indxl2g
    subroutine descinit(desc, m, n, mb, nb, irsrc, icsrc, ictxt, lld, info)
      integer, intent(out) :: desc(9), info
      integer, intent(in) :: m, n, mb, nb, irsrc, icsrc, ictxt, lld
    end subroutine descinit
    subroutine pdgeqrf(m, n, a, ia, ja, desca, tau, work, lwork, info)
      integer, intent(in) :: m, n, ia, ja, desca(9), lwork
      double precision, intent(inout) :: a(*)
      double precision, intent(out) :: tau(*), work(*)
      integer, intent(out) :: info
    end subroutine pdgeqrf
    subroutine dgeqrf(m, n, a, lda, tau, work, lwork, info)
      integer, intent(in) :: m, n, lda, lwork
      double precision, intent(inout) :: a(lda, *)
      double precision, intent(out) :: tau(*), work(*)
      integer, intent(out) :: info
    end subroutine dgeqrf
  end interface

  integer :: error, rank, processes, reversed

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  call a_communicator_knows_its_ranks()
  call grids_have_the_ranks_they_were_told()
  call arrays_are_zeroed_and_go()
  call factor_on_a_permuted_grid(MPI_COMM_WORLD)
  call MPI_Comm_split(MPI_COMM_WORLD, min(rank, 1), -rank, reversed, error)
  call factor_on_a_permuted_grid(reversed)
  call MPI_Comm_free(reversed, error)
  call check_verdict()

contains

  subroutine a_communicator_knows_its_ranks()
    type(scalay_comm) :: comm
    integer :: status, told
    call check(comm%rank() == -1 .and. comm%size() == 0, "no communicator, no ranks")
    call comm%create(MPI_COMM_WORLD)
    call check(comm%rank() == rank .and. comm%size() == processes, "ranks")
    call MPI_Comm_size(comm%handle(), told, error)
    call check(told == processes, "the duplicate is a communicator")
    call check(comm%handle() /= MPI_COMM_WORLD, "of its own")
    call comm%create(MPI_COMM_WORLD, status)
    call check_status(status, SCALAY_SUCCESS, "created again")
    call scalay_comm_create(MPI_COMM_NULL, comm, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no communicator", "MPI_COMM_NULL")
    call check(.not. comm%exists(), "none afterwards")
    call comm%destroy()
  end subroutine a_communicator_knows_its_ranks

  subroutine grids_have_the_ranks_they_were_told()
    type(scalay_comm) :: comm
    integer :: ctxt, p, q, row, col, k, status, ranks(2, max(1, processes / 2))
    call comm%create(MPI_COMM_WORLD)
    call scalay_grid_acquire(comm, 1, processes, ctxt)
    call blacs_gridinfo(ctxt, p, q, row, col)
    call check(p == 1 .and. q == processes .and. col == rank, "rank by rank")
    call scalay_grid_release(comm, ctxt)
    call check(ctxt == -1, "released")
    if (processes > 1) then
      ! From the last rank on, down the columns.
      ranks = reshape([(processes - k, k=1, size(ranks))], shape(ranks))
      call scalay_grid_acquire(comm, 2, processes / 2, ctxt, ranks)
      call check((ctxt >= 0) .eqv. any(ranks == rank), "who is in the grid")
      if (ctxt >= 0) then
        call blacs_gridinfo(ctxt, p, q, row, col)
        call check(ranks(row + 1, col + 1) == rank, "who stands where")
      end if
      call scalay_grid_release(comm, ctxt)
    end if
    call scalay_grid_acquire(comm, processes + 1, 1, ctxt, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "more grid than ranks")
    ctxt = 12345
    call scalay_grid_release(comm, ctxt, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "not a context of this communicator", "12345")
    call comm%destroy()
  end subroutine grids_have_the_ranks_they_were_told

  subroutine arrays_are_zeroed_and_go()
    type(scalay_comm) :: comm
    type(c_ptr) :: array
    double precision, pointer :: local(:, :)
    integer :: status
    call comm%create(MPI_COMM_WORLD)
    call scalay_alloc(comm, 8_c_int64_t * 3 * (rank + 1), array)
    call c_f_pointer(array, local, [3, rank + 1])
    call check(maxval(abs(local)) < tiny(1d0), "zeroed")
    local = rank
    call scalay_free(array)
    call check(.not. c_associated(array), "released")
    call scalay_alloc(comm, -1_c_int64_t, array, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "less than nothing", "-1")
    call check(.not. c_associated(array), "no array")
    call comm%destroy()
  end subroutine arrays_are_zeroed_and_go

  ! A matrix on a 1 x P grid in blocks of 5, factored on a permuted grid in blocks of 4: R is LAPACK's.
  subroutine factor_on_a_permuted_grid(world)
    integer, intent(in) :: world
    integer, parameter :: m = 33, n = 21
    type(scalay_comm) :: comm
    type(scalay_layout) :: source, target, empty
    type(scalay_mapping) :: mapping
    type(scalay_plan) :: plan
    double precision, allocatable :: a(:, :), b(:, :), whole(:, :), tau(:), work(:)
    integer :: ctxta, ctxtb, desca(9), descb(9), p, q, row, col, i, j, info, status, me, mine(1)
    call comm%create(world)
    me = comm%rank()
    call scalay_grid_acquire(comm, 1, comm%size(), ctxta)
    call descinit(desca, m, n, 5, 5, 0, 0, ctxta, m, info)
    allocate (a(m, numroc(n, 5, me, 0, comm%size())))
    do j = 1, size(a, 2)
      a(:, j) = value([(i, i=1, m)], indxl2g(j, 5, me, 0, comm%size()))
    end do

    call source%from_desc(comm, desca)
    call check(source%rows() == m .and. source%cols() == n, "extents from a descriptor")
    call check(source%local_size(me) == size(a), "local size from a descriptor")
    call target%block_cyclic(m, n, 4, 4, merge(2, 1, comm%size() > 1), max(1, comm%size() / 2), 0, 0, &
      SCALAY_COLUMN_MAJOR)
    call mapping%create(source, target, SCALAY_MIN_STEPS_THEN_VOLUME, processes=comm%size())
    call scalay_grid_create(comm, target, mapping, ctxtb, descb)
    call plan%create(comm, source, target, mapping, SCALAY_DOUBLE)
    call check((ctxtb >= 0) .eqv. any(mapping%process() == me), "who is in the permuted grid")
    row = -1
    col = -1
    p = 1
    q = 1
    if (ctxtb >= 0) then
      call blacs_gridinfo(ctxtb, p, q, row, col)
      mine = findloc(mapping%process(), me) - 1
      call check(row + p * col == mine(1), "a process stands where its part is")
      allocate (b(descb(9), numroc(n, 4, col, 0, q)))
    else
      call check(descb(2) == -1, "no context outside the grid")
      allocate (b(0, 0))
    end if
    call scalay_execute(plan, a, b)

    allocate (whole(m, n), tau(n), work(10000))
    whole = reshape([((value(i, j), i=1, m), j=1, n)], [m, n])
    call dgeqrf(m, n, whole, m, tau, work, size(work), info)
    if (ctxtb >= 0) then
      call pdgeqrf(m, n, b, 1, 1, descb, tau, work, size(work), info)
      call check(info == 0, "pdgeqrf")
    end if
    a = 0
    call scalay_execute_back(plan, b, a)
    do j = 1, size(a, 2)
      associate (k => indxl2g(j, 5, me, 0, comm%size()))
        call check(maxval(abs(abs(a(:k, j)) - abs(whole(:k, k)))) < 1d-11, "R is LAPACK's, up to signs")
      end associate
    end do

    ! What is not a block-cyclic layout has no descriptor; all ranks hear of it.
    call empty%tiles(m, n, 4, 4, 1, reshape([(0, i=1, 54)], [9, 6]))
    call scalay_grid_create(comm, empty, scalay_no_mapping, ctxta, desca, status)
    call check_status(status, SCALAY_ERROR_UNSUPPORTED, "a grid for tiles")
    desca = [1, -1, m, n, 5, 5, 0, 0, m]
    call source%from_desc(comm, desca, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "nobody is in the grid")
    call check(.not. source%exists(), "no layout")

    call scalay_grid_release(comm, ctxtb)
    call plan%destroy()
    call mapping%destroy()
    call target%destroy()
    call empty%destroy()
    call comm%destroy()
  end subroutine factor_on_a_permuted_grid

  elemental double precision function value(i, j)
    integer, intent(in) :: i, j
    value = cos(real(i * i + 3 * j, kind(1d0))) + merge(4, 0, i == j)
  end function value
end program contexts
