!> Plans from Fortran that transpose, scale, add, move trapezoids, several matrices at a time, or in place: compared with
!! the formula, element by element. The numbers are small integers, so that nothing is rounded.
module transforms_module
  use, intrinsic :: iso_c_binding
  use check_module
  use scalay
  implicit none
  private
  public :: transform_s, transform_d, transform_c, transform_z, numroc, indxl2g, global

  integer, parameter, public :: m = 23, n = 17                      ! extents of op(A) and C
  integer, parameter, public :: mb_a = 3, nb_a = 2, mb_c = 4, nb_c = 5

  interface
    integer function numroc(n, nb, iproc, isrcproc, nprocs)
      integer, intent(in) :: n, nb, iproc, isrcproc, nprocs
    end function numroc
    integer function indxl2g(indxloc, nb, iproc, isrcproc, nprocs)
      integer, intent(in) :: indxloc, nb, iproc, isrcproc, nprocs
    end function indxl2g
  end interface

contains

  ! Does (i, j) belong to a trapezoid of an m x n matrix?
  pure logical function inside(i, j, uplo, diag)
    integer, intent(in) :: i, j, uplo, diag
    integer :: distance
    inside = .true.
    if (uplo == SCALAY_UPPER) then
      distance = max(m - n, 0) - (i - j)
    else if (uplo == SCALAY_LOWER) then
      distance = (i - j) + max(n - m, 0)
    else
      return
    end if
    inside = distance > 0 .or. (distance == 0 .and. diag == SCALAY_NON_UNIT)
  end function inside

  ! The global indices of so many local ones.
  function global(count, nb, me, source, processes)
    integer, intent(in) :: count, nb, me, source, processes
    integer :: global(count), k
    global = [(indxl2g(k, nb, me, source, processes), k=1, count)]
  end function global

#define ELEMENT real(c_float)
#define OF(v) real(v, c_float)
#define ALPHA OF(2)
#define BETA OF(-3)
#define CONJUGATE(x) (x)
#define ELEMENT_CODE SCALAY_FLOAT
#define TRANSFORM transform_s
#define OP_OF op_of_s
#include "transforms.inc"

#define ELEMENT real(c_double)
#define OF(v) real(v, c_double)
#define ALPHA OF(2)
#define BETA OF(-3)
#define CONJUGATE(x) (x)
#define ELEMENT_CODE SCALAY_DOUBLE
#define TRANSFORM transform_d
#define OP_OF op_of_d
#include "transforms.inc"

#define ELEMENT complex(c_float_complex)
#define OF(v) cmplx(v, 7 - (v), c_float_complex)
#define ALPHA cmplx(2, -1, c_float_complex)
#define BETA cmplx(-3, 1, c_float_complex)
#define CONJUGATE(x) conjg(x)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define TRANSFORM transform_c
#define OP_OF op_of_c
#include "transforms.inc"

#define ELEMENT complex(c_double_complex)
#define OF(v) cmplx(v, 7 - (v), c_double_complex)
#define ALPHA cmplx(2, -1, c_double_complex)
#define BETA cmplx(-3, 1, c_double_complex)
#define CONJUGATE(x) conjg(x)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define TRANSFORM transform_z
#define OP_OF op_of_z
#include "transforms.inc"
end module transforms_module

program transforms
  use, intrinsic :: iso_c_binding
  use mpi
  use check_module
  use transforms_module
  use scalay
  implicit none

  character(*), parameter :: transports(*) = [character(6) :: "auto", "shared", "mpi"]
  type(scalay_comm) :: comm
  integer :: error, op, uplo, diag, k

  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  k = 0
  do op = SCALAY_NO_TRANSPOSE, SCALAY_CONJUGATE_TRANSPOSE
    do uplo = SCALAY_WHOLE, SCALAY_LOWER
      do diag = SCALAY_NON_UNIT, merge(SCALAY_NON_UNIT, SCALAY_UNIT, uplo == SCALAY_WHOLE)
        k = k + 1
        call transform_s(comm, op, uplo, diag, transport(k))
        call transform_d(comm, op, uplo, diag, transport(k + 1))
        call transform_c(comm, op, uplo, diag, transport(k + 2))
        call transform_z(comm, op, uplo, diag, transport(k + 3))
      end do
    end do
  end do
  call three_matrices_go_in_one_round()
  call one_array_is_enough_in_place()
  call arrays_of_scalay_alloc_move_like_others()
  call memory_stays_below_its_limit()
  call what_does_not_fit_gives_an_error()
  call comm%destroy()
  call check_verdict()

contains

  ! One after the other.
  function transport(k) result(name)
    integer, intent(in) :: k
    character(:), allocatable :: name
    name = trim(transports(1 + modulo(k, size(transports))))
  end function transport

  ! A moves, B is transposed and added to, C goes with its upper triangle only; there in two halves, with progress in
  ! between, and back.
  subroutine three_matrices_go_in_one_round()
    type(scalay_layout) :: wide, tall
    type(scalay_plan) :: plan
    type(scalay_plan_statistics) :: statistics
    real(c_double), allocatable, target, asynchronous :: a(:, :), new_a(:, :)
    real(c_float), allocatable, target, asynchronous :: b(:, :), new_b(:, :)
    integer(c_int), allocatable, target, asynchronous :: c(:, :), new_c(:, :)
    type(scalay_operands) :: operands(3)
    integer, allocatable :: rows(:), cols(:)
    integer :: i, j, p, me, cols_here, rows_here
    p = comm%size()
    me = comm%rank()
    call wide%block_cyclic(n, n, 2, 2, 1, p, 0, 0, SCALAY_ROW_MAJOR)
    call tall%block_cyclic(n, n, 3, 3, p, 1, 0, 0, SCALAY_ROW_MAJOR)
    cols_here = numroc(n, 2, me, 0, p)
    rows_here = numroc(n, 3, me, 0, p)
    rows = global(rows_here, 3, me, 0, p)
    cols = global(cols_here, 2, me, 0, p)
    call plan%create(comm, [ &
      scalay_plan_matrix(wide, tall, scalay_no_mapping, SCALAY_DOUBLE), &
      scalay_plan_matrix(wide, tall, scalay_no_mapping, SCALAY_FLOAT, op=SCALAY_TRANSPOSE), &
      scalay_plan_matrix(wide, tall, type=SCALAY_INT, uplo=SCALAY_UPPER)])
    call plan%get_statistics(statistics)
    call check(statistics%bytes_sent + statistics%bytes_kept == cols_here * n * 12_c_int64_t &
      + 4 * sum(int(cols, c_int64_t)), "what three matrices send and keep")

    allocate (a(n, cols_here), b(n, cols_here), c(n, cols_here))
    do j = 1, cols_here
      a(:, j) = element([(i, i=1, n)], cols(j))
    end do
    b = real(a)
    c = nint(a)
    allocate (new_a(rows_here, n), new_b(rows_here, n), new_c(rows_here, n))
    new_a = -1
    new_b = 5
    new_c = -1
    operands = [scalay_operands(a, new_a), scalay_operands(b, new_b, alpha=2.0, beta=-1.0), scalay_operands(c, new_c)]
    call scalay_begin(plan, operands)
    call progress(plan)
    call scalay_end(plan, operands)
    do j = 1, n
      do i = 1, rows_here
        call check(nint(new_a(i, j)) == element(rows(i), j), "the first of three")
        call check(nint(new_b(i, j)) == 2 * element(j, rows(i)) - 5, "the second of three")
        call check(new_c(i, j) == merge(element(rows(i), j), -1, rows(i) <= j), "the third of three")
      end do
    end do

    a = 0
    b = 0
    c = 0
    operands(2) = scalay_operands(b, new_b, beta=0.0)
    call plan%execute_back(operands)
    do j = 1, cols_here
      do i = 1, n
        call check(nint(a(i, j)) == element(i, cols(j)), "the first is back")
        call check(nint(b(i, j)) == 2 * element(i, cols(j)) - 5, "the second is back")
        call check(c(i, j) == merge(element(i, cols(j)), 0, i <= cols(j)), "the third is back")
      end do
    end do
    call wrong_operands(plan, operands)
    call plan%destroy()
    call wide%destroy()
    call tall%destroy()
  end subroutine three_matrices_go_in_one_round

  ! Once all have begun, everything arrives without anybody ending.
  subroutine progress(plan)
    type(scalay_plan), intent(in) :: plan
    logical :: done
    double precision :: start
    call MPI_Barrier(MPI_COMM_WORLD, error)
    start = MPI_Wtime()
    done = .false.
    do while (.not. done)
      call scalay_test(plan, done)
      if (MPI_Wtime() > start + 60) exit
    end do
    call check(done, "tests come to an end")
  end subroutine progress

  subroutine wrong_operands(plan, operands)
    type(scalay_plan), intent(inout) :: plan
    type(scalay_operands), intent(in) :: operands(3)
    real(c_double), target :: x(2, 2)
    integer :: status
    x = 0
    call scalay_execute(plan, operands(:2), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "two operands for three matrices", "3 matrices")
    call scalay_execute(plan, x, x, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "arrays for three matrices", "3 matrices")
    call scalay_execute(plan, operands([2, 1, 3]), status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "operands in the wrong order", "type d")
    call scalay_execute(plan, [scalay_operands(x(1, :), x(2, :)), operands(2:)], status)
    call check(status == SCALAY_ERROR_ARGUMENT, "operands that are not contiguous, or too small")
    call scalay_end(plan, operands(2:), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "fewer operands at the end", "scalay_begin")
  end subroutine wrong_operands

  ! 1 x P to P x 1 and back in the same memory; a square matrix is transposed where it is.
  subroutine one_array_is_enough_in_place()
    type(scalay_layout) :: wide, tall
    type(scalay_plan) :: plan
    complex(c_double_complex), allocatable :: x(:), y(:)
    integer, allocatable :: rows(:), cols(:)
    integer :: i, j, p, me, status
    p = comm%size()
    me = comm%rank()
    call wide%block_cyclic(n, n, 2, 2, 1, p, 0, 0, SCALAY_ROW_MAJOR)
    call tall%block_cyclic(n, n, 3, 3, p, 1, 0, 0, SCALAY_ROW_MAJOR)
    rows = global(numroc(n, 3, me, 0, p), 3, me, 0, p)
    cols = global(numroc(n, 2, me, 0, p), 2, me, 0, p)
    allocate (x(n * max(size(rows), size(cols))))
    x = 0
    do j = 1, size(cols)
      x((j - 1) * n + 1:j * n) = [(cmplx(element(i, cols(j)), i, c_double_complex), i=1, n)]
    end do
    call plan%create(comm, wide, tall, scalay_no_mapping, SCALAY_COMPLEX_DOUBLE, op=SCALAY_CONJUGATE_TRANSPOSE, &
      in_place=.true.)
    call scalay_execute_in_place(plan, x, alpha=(0d0, 2d0))
    do j = 1, n
      do i = 1, size(rows)
        call check(abs(x(i + (j - 1) * size(rows)) - (0, 2) * cmplx(element(j, rows(i)), -j, c_double_complex)) < 1e-9, &
          "in place")
      end do
    end do
    call plan%execute_back_in_place(x, alpha=(0d0, 0.5d0))
    do j = 1, size(cols)
      do i = 1, n
        call check(abs(x(i + (j - 1) * n) - cmplx(element(i, cols(j)), i, c_double_complex)) < 1e-9, "back in place")
      end do
    end do
    call plan%destroy()
    call plan%create(comm, wide, tall, scalay_no_mapping, SCALAY_COMPLEX_DOUBLE, consume=.true., verify=.true.)
    allocate (y(n * max(size(rows), 1)))
    call scalay_execute_consume(plan, x, y)
    do j = 1, n
      do i = 1, size(rows)
        call check(abs(y(i + (j - 1) * size(rows)) - cmplx(element(rows(i), j), rows(i), c_double_complex)) < 1e-9, &
          "consumed")
      end do
    end do
    call plan%execute_consume(y, y, status)
    call check(status /= SCALAY_SUCCESS, "a source that is its target")
    call plan%destroy()
    call wide%destroy()
    call tall%destroy()
  end subroutine one_array_is_enough_in_place

  subroutine arrays_of_scalay_alloc_move_like_others()
    type(scalay_layout) :: wide, tall
    type(scalay_plan) :: plan
    type(c_ptr) :: memory(2)
    real(c_double), pointer :: a(:, :), c(:, :)
    integer, allocatable :: rows(:), cols(:)
    integer :: i, j
    call wide%block_cyclic(n, n, 2, 2, 1, comm%size(), 0, 0, SCALAY_ROW_MAJOR)
    call tall%block_cyclic(n, n, 3, 3, comm%size(), 1, 0, 0, SCALAY_ROW_MAJOR)
    rows = global(numroc(n, 3, comm%rank(), 0, comm%size()), 3, comm%rank(), 0, comm%size())
    cols = global(numroc(n, 2, comm%rank(), 0, comm%size()), 2, comm%rank(), 0, comm%size())
    call scalay_alloc(comm, 8 * wide%local_size(comm%rank()), memory(1))
    call scalay_alloc(comm, 8 * tall%local_size(comm%rank()), memory(2))
    call c_f_pointer(memory(1), a, [n, size(cols)])
    call c_f_pointer(memory(2), c, [size(rows), n])
    do j = 1, size(cols)
      a(:, j) = element([(i, i=1, n)], cols(j))
    end do
    c = 1
    call plan%create(comm, wide, tall, scalay_no_mapping, SCALAY_DOUBLE, op=SCALAY_TRANSPOSE)
    call scalay_execute(plan, a, c, alpha=2d0, beta=3d0)
    do j = 1, n
      call check(all(nint(c(:, j)) == 2 * element(j, rows) + 3), "from memory that is shared into such memory")
    end do
    call plan%destroy()
    call scalay_free(memory(1))
    call scalay_free(memory(2))
    call wide%destroy()
    call tall%destroy()
  end subroutine arrays_of_scalay_alloc_move_like_others

  subroutine memory_stays_below_its_limit()
    type(scalay_layout) :: wide, tall
    type(scalay_plan) :: plan
    type(scalay_plan_statistics) :: statistics
    integer(c_int), allocatable :: a(:), b(:)
    integer :: k, status
    call wide%block_cyclic(200, 200, 2, 2, 1, comm%size(), 0, 0, SCALAY_ROW_MAJOR)
    call tall%block_cyclic(200, 200, 3, 3, comm%size(), 1, 0, 0, SCALAY_ROW_MAJOR)
    allocate (a(wide%local_size(comm%rank())), b(tall%local_size(comm%rank())))
    a = 1
    do k = 1, size(transports)
      call plan%create(comm, wide, tall, scalay_no_mapping, SCALAY_INT, trim(transports(k)), &
        memory_bytes=8192_c_int64_t, threads=1)
      call plan%get_statistics(statistics)
      call check(statistics%extra_bytes <= 8192, transports(k) // " needs more than its limit")
      b = 0
      call scalay_execute(plan, a, b)
      call check(all(b == 1), transports(k) // " in rounds")
    end do
    call plan%create(comm, wide, tall, scalay_no_mapping, SCALAY_INT, memory_bytes=100_c_int64_t, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a limit that is too low", "memory_bytes")
    call plan%create(comm, wide, tall, scalay_no_mapping, SCALAY_INT, threads=-1, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "less than no threads", "threads")
    call wide%destroy()
    call tall%destroy()
  end subroutine memory_stays_below_its_limit

  ! None of the moves sends anything, so each rank is by itself.
  subroutine what_does_not_fit_gives_an_error()
    type(scalay_layout) :: layout, other
    type(scalay_plan) :: plan, none
    real(c_double), allocatable :: x(:)
    logical :: done
    integer :: status
    call layout%block_cyclic(12, 6, 2, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR)
    call other%block_cyclic(12, 6, 3, 3, 1, 1, 0, 0, SCALAY_ROW_MAJOR)
    allocate (x(layout%local_size(comm%rank())))
    x = 0
    call plan%create(comm, layout, other, scalay_no_mapping, SCALAY_DOUBLE, op=SCALAY_TRANSPOSE, status=status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "the target has the extents of A, not of its transpose")
    call plan%create(comm, layout, other, scalay_no_mapping, SCALAY_DOUBLE, op=7, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such op", "op")
    call plan%create(comm, layout, other, scalay_no_mapping, SCALAY_DOUBLE, uplo=7, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such part", "uplo")
    call plan%create(comm, layout, other, scalay_no_mapping, SCALAY_DOUBLE, diag=7, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such diagonal", "diag")
    call plan%create(comm, [scalay_plan_matrix ::], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no matrices", "count")
    call plan%create(comm, layout, other, scalay_no_mapping, SCALAY_DOUBLE)
    call plan%test(done, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "nothing is under way")
    call check(.not. done, "so nothing is done")
    call none%test(status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no plan to test")
    if (size(x) > 0) then
      call scalay_execute_in_place(plan, x, status=status)
      call check_status(status, SCALAY_ERROR_ARGUMENT, "in place by a plan that is not for that")
    end if
    call plan%destroy()
    call layout%destroy()
    call other%destroy()
  end subroutine what_does_not_fit_gives_an_error
end program transforms
