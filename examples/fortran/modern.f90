! The Fortran modules: a mapping, plans for all element types and arrays of any rank, error handling, and a QR
! factorisation in one call.
program modern
  use, intrinsic :: iso_c_binding
  use mpi
  use scalay
  implicit none

  integer, parameter :: m = 60, n = 40
  type(scalay_comm) :: comm
  type(scalay_layout) :: source, target
  type(scalay_mapping) :: mapping
  type(scalay_mapping_summary) :: summary
  integer :: error, status, rank, size_a, size_b

  call MPI_Init(error)
  call scalay_comm_create(MPI_COMM_WORLD, comm)
  rank = comm%rank()

  ! Source: tiles of 10 x 8 dealt cyclically. Target: block-cyclic.
  call source%tiles(m, n, 10, 8, comm%size(), deal(6, 5, comm%size()))
  call target%block_cyclic(m, n, 8, 8, 2, 2, 0, 0, SCALAY_ROW_MAJOR)
  call mapping%create(source, target, SCALAY_MIN_STEPS_THEN_VOLUME)
  if (rank == 0) then
    print "(2a)", "from ", source%describe()
    print "(2a)", "to   ", target%describe()
    call mapping%get_summary(summary)
    print "(a, i0, a, i0)", "elements that move: ", summary%volume, ", one-port steps: ", summary%steps
  end if
  size_a = int(source%local_size(rank))
  call sizes_of_target()

  call move_reals()
  call move_doubles_split()
  call move_complexes()
  call move_integers()

  ! With the argument status, a failed call returns. Without it, the program stops with the message.
  call target%block_cyclic(m, n, 0, 8, 2, 2, 0, 0, SCALAY_ROW_MAJOR, status)
  if (status /= SCALAY_ERROR_ARGUMENT) error stop "mb = 0 should not do"
  if (rank == 0) print "(2a)", "as it should: ", scalay_error_message()

  call factor_in_one_call()

  call mapping%destroy()
  call source%destroy()
  call target%destroy()
  call comm%destroy()
  call MPI_Finalize(error)

contains

  pure function deal(rows, cols, processes) result(owner)
    integer, intent(in) :: rows, cols, processes
    integer :: owner(rows, cols), i, j
    do j = 1, cols
      owner(:, j) = [(modulo(5 * i + 3 * j, processes), i=1, rows)]
    end do
  end function deal

  subroutine sizes_of_target()
    type(scalay_layout) :: mapped
    call mapping%apply(target, mapped)
    size_b = int(mapped%local_size(rank))
    call mapped%destroy()
  end subroutine sizes_of_target

  ! Forward and backward. The array is cleared in between.
  subroutine move_reals()
    type(scalay_plan) :: plan
    real(c_float), allocatable :: a(:), b(:)
    integer :: i
    allocate (a(size_a), b(size_b))
    a = [(real(1000 * rank + i, c_float), i=1, size_a)]
    call plan%create(comm, source, target, mapping, SCALAY_FLOAT)
    call scalay_execute(plan, a, b)
    a = 0
    call scalay_execute_back(plan, b, a)
    if (any(nint(a) /= [(1000 * rank + i, i=1, size_a)])) error stop "reals"
    call plan%destroy()
  end subroutine move_reals

  ! The program can compute between begin and end. The arrays need the ASYNCHRONOUS attribute.
  subroutine move_doubles_split()
    type(scalay_plan) :: plan
    real(c_double), allocatable, asynchronous :: a(:), b(:)
    real(c_double) :: sums(2)
    allocate (a(size_a), b(size_b))
    a = 1
    b = 0
    call plan%create(comm, source, target, mapping, SCALAY_DOUBLE, "mpi")
    call scalay_begin(plan, a, b)
    call MPI_Barrier(MPI_COMM_WORLD, status)
    call scalay_end(plan, a, b)
    sums = [sum(a), sum(b)]
    call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, status)
    if (any(nint(sums) /= m * n)) error stop "doubles"
    call plan%destroy()
  end subroutine move_doubles_split

  ! Arrays may have any rank. Only their address and their size count.
  subroutine move_complexes()
    type(scalay_plan) :: plan
    complex(c_float_complex), allocatable :: a(:, :), b(:, :, :)
    complex(c_double_complex), allocatable :: c(:), d(:, :)
    allocate (a(size_a, 1), b(1, size_b, 1), c(size_a), d(1, size_b))
    a = (1.0, -2.0)
    c = (3d0, 4d0)
    call plan%create(comm, source, target, mapping, SCALAY_COMPLEX_FLOAT)
    call plan%execute(a, b)
    call plan%create(comm, source, target, mapping, SCALAY_COMPLEX_DOUBLE, "mpi")
    call plan%execute(c, d)
    if (any(abs(b - (1.0, -2.0)) > 0) .or. any(abs(d - (3d0, 4d0)) > 0)) error stop "complex numbers"
    call plan%destroy()
  end subroutine move_complexes

  ! An array of another type than that of the plan is an error.
  subroutine move_integers()
    type(scalay_plan) :: plan
    integer(c_int), allocatable :: a(:), b(:)
    real(c_float), allocatable :: wrong(:)
    allocate (a(size_a), b(size_b), wrong(max(size_a, size_b)))
    a = 7
    wrong = 0
    call plan%create(comm, source, target, mapping, SCALAY_INT)
    call scalay_execute(plan, a, b)
    if (any(b /= 7)) error stop "integers"
    call scalay_execute(plan, wrong, wrong, status=status)
    if (status /= SCALAY_ERROR_MISMATCH) error stop "reals with a plan for integers"
    call plan%destroy()
  end subroutine move_integers

  ! A = Q R of a matrix in tiles. |R(1, 1)| is the norm of the first column, which is all ones.
  subroutine factor_in_one_call()
    real(c_double), allocatable :: a(:), tau(:)
    type(scalay_one_call_statistics) :: statistics
    type(scalay_rectangle) :: tile
    integer(c_int64_t) :: k, i, j
    allocate (a(size_a), tau(min(m, n)))
    do k = 1, source%rectangle_count(rank)
      call source%rectangle(rank, k, tile)
      do j = 0, tile%cols - 1
        do i = 0, tile%rows - 1
          a(tile%offset + i + j * tile%ld) = cos(real((tile%row + i) * (tile%col + j - 1), c_double))
        end do
      end do
    end do
    call scalay_pdgeqrf(comm, source, a, replicated_tau=tau, statistics=statistics)
    if (rank == 0) print "(a, 2(i0, a))", "factored on a ", statistics%nprow, " x ", statistics%npcol, " grid"
    do k = 1, source%rectangle_count(rank)
      call source%rectangle(rank, k, tile)
      if (tile%row == 1 .and. tile%col == 1 .and. abs(abs(a(tile%offset)) - sqrt(real(m, c_double))) > 1e-10) &
        error stop "R(1, 1)"
    end do
  end subroutine factor_in_one_call
end program modern
