!> Plans from Fortran: every element type, arrays of every rank, there and back; what does not fit gives an error. The
!! local arrays are filled and read with ScaLAPACK's own index functions.
module moves_module
  use, intrinsic :: iso_c_binding
  use check_module
  use scalay
  implicit none
  private
  public :: setup_type, setup, clean_up, move_s, move_d, move_c, move_z, move_i

  integer, parameter, public :: m = 23, n = 17

  ! One redistribution: 3 x 2 blocks on 1 x P processes to 4 x 5 blocks on P x 1 parts, mapped.
  type :: setup_type
    type(scalay_comm) :: comm
    type(scalay_layout) :: source, target
    type(scalay_mapping) :: mapping
    integer :: rank, size, part
    integer :: am, an, bm, bn  ! local extents in source and target
  end type setup_type

  interface
    integer function numroc(n, nb, iproc, isrcproc, nprocs)
      integer, intent(in) :: n, nb, iproc, isrcproc, nprocs
    end function numroc
    integer function indxl2g(indxloc, nb, iproc, isrcproc, nprocs)
      integer, intent(in) :: indxloc, nb, iproc, isrcproc, nprocs
    end function indxl2g
  end interface
  public :: numroc, indxl2g

contains

  subroutine setup(comm, s)
    type(scalay_comm), intent(in) :: comm
    type(setup_type), intent(out) :: s
    s%comm = comm
    s%rank = comm%rank()
    s%size = comm%size()
    call s%source%block_cyclic(m, n, 3, 2, 1, s%size, 0, 0, SCALAY_ROW_MAJOR)
    call s%target%block_cyclic(m, n, 4, 5, s%size, 1, 0, 0, SCALAY_ROW_MAJOR)
    call s%mapping%create(s%source, s%target, SCALAY_MIN_STEPS_THEN_VOLUME)
    s%part = findloc(s%mapping%process(), s%rank, dim=1) - 1
    s%am = m
    s%an = numroc(n, 2, s%rank, 0, s%size)
    s%bm = numroc(m, 4, s%part, 0, s%size)
    s%bn = merge(n, 0, s%bm > 0)
  end subroutine setup

  subroutine clean_up(s)
    type(setup_type), intent(inout) :: s
    call s%source%destroy()
    call s%target%destroy()
    call s%mapping%destroy()
  end subroutine clean_up

  ! The values that belong into the local arrays, by ScaLAPACK's index functions.
  subroutine values(s, a, b)
    type(setup_type), intent(in) :: s
    integer, allocatable, intent(out) :: a(:, :), b(:, :)
    integer :: i, j
    allocate (a(s%am, s%an), b(s%bm, s%bn))
    do j = 1, s%an
      a(:, j) = element([(i, i=1, m)], indxl2g(j, 2, s%rank, 0, s%size))
    end do
    do i = 1, s%bm
      b(i, :) = element(indxl2g(i, 4, s%part, 0, s%size), [(j, j=1, s%bn)])
    end do
  end subroutine values

#define ELEMENT real(c_float)
#define OF(v) real(v, c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define MOVE move_s
#define ASSUMED_SIZE assumed_size_s
#include "moves.inc"

#define ELEMENT real(c_double)
#define OF(v) real(v, c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define MOVE move_d
#define ASSUMED_SIZE assumed_size_d
#include "moves.inc"

#define ELEMENT complex(c_float_complex)
#define OF(v) cmplx(v, -(v), c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define MOVE move_c
#define ASSUMED_SIZE assumed_size_c
#include "moves.inc"

#define ELEMENT complex(c_double_complex)
#define OF(v) cmplx(v, -(v), c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define MOVE move_z
#define ASSUMED_SIZE assumed_size_z
#include "moves.inc"

#define ELEMENT integer(c_int)
#define OF(v) int(v, c_int)
#define ELEMENT_CODE SCALAY_INT
#define MOVE move_i
#define ASSUMED_SIZE assumed_size_i
#include "moves.inc"
end module moves_module

program moves
  use, intrinsic :: iso_c_binding
  use mpi
  use check_module
  use moves_module
  use scalay
  implicit none

  type(scalay_comm) :: comm
  type(setup_type) :: s
  integer :: error

  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  call setup(comm, s)
  call move_s(s, "mpi")
  call move_d(s, "mpi")
  call move_c(s, "auto")
  call move_z(s, "shared")
  call move_i(s, "mpi")
  call move_c(s, "shared")
  call a_scalar_moves_to_the_last_rank()
  call raw_elements_go_by_their_bytes()
  call what_does_not_fit_gives_an_error()
  call statistics_and_sentence()
  call clean_up(s)
  call comm%destroy()
  call check_verdict()

contains

  ! 1 x 1 matrices: whoever holds nothing passes nothing.
  subroutine a_scalar_moves_to_the_last_rank()
    type(scalay_layout) :: from, to
    type(scalay_plan) :: plan
    real(c_double) :: x, y, nothing(0)
    integer :: last
    last = s%size - 1
    call from%block_cyclic(1, 1, 1, 1, 1, s%size, 0, 0, SCALAY_ROW_MAJOR)
    call to%block_cyclic(1, 1, 1, 1, 1, s%size, 0, last, SCALAY_ROW_MAJOR)
    call plan%create(comm, from, to, scalay_no_mapping, SCALAY_DOUBLE)
    x = 42
    y = -1
    if (s%rank == 0 .and. s%rank == last) then
      call scalay_execute(plan, x, y)
    else if (s%rank == 0) then
      call scalay_execute(plan, x, nothing)
    else if (s%rank == last) then
      call scalay_execute(plan, nothing, y)
    else
      call scalay_execute(plan, nothing, nothing)
    end if
    call check(nint(y) == merge(42, -1, s%rank == last), "a scalar arrives on the last rank")
    call plan%destroy()
    call from%destroy()
    call to%destroy()
  end subroutine a_scalar_moves_to_the_last_rank

  ! Elements of 12 bytes: three integers each.
  subroutine raw_elements_go_by_their_bytes()
    type(scalay_plan) :: plan
    integer(c_int), allocatable :: a(:, :, :), b(:, :, :)
    integer :: i, j, status
    call plan%create(comm, s%source, s%target, s%mapping, scalay_raw(12))
    allocate (a(3, s%am, s%an), b(3, s%bm, s%bn))
    do j = 1, s%an
      do i = 1, s%am
        a(:, i, j) = element(i, indxl2g(j, 2, s%rank, 0, s%size)) + [0, 100000, 200000]
      end do
    end do
    b = 0
    call plan%execute(a, b)
    do j = 1, s%bn
      do i = 1, s%bm
        call check(all(b(:, i, j) == element(indxl2g(i, 4, s%part, 0, s%size), j) + [0, 100000, 200000]), "raw")
      end do
    end do
    if (s%an > 0) then
      call plan%execute(a(1, :, :), b, status=status)
      call check_status(status, SCALAY_ERROR_ARGUMENT, "a third of the bytes", "a has")
    end if
    call plan%destroy()
  end subroutine raw_elements_go_by_their_bytes

  ! None of these calls sends anything, so each rank is by itself.
  subroutine what_does_not_fit_gives_an_error()
    type(scalay_plan) :: plan, none
    real(c_double), allocatable, target, asynchronous :: a(:), b(:), wide(:, :)
    real(c_float) :: single(1)
    integer :: status
    allocate (a(s%am * s%an), b(s%bm * s%bn), wide(2, max(1, s%am * s%an)))
    a = 0
    b = 0
    wide = 0
    call plan%create(comm, s%source, s%target, s%mapping, SCALAY_DOUBLE)
    call scalay_execute(plan, single, single, status=status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "arrays of another type", "type s")
    if (size(a) > 0) then
      call scalay_execute(plan, a(2:), b, status=status)
      call check_status(status, SCALAY_ERROR_ARGUMENT, "a is too small", "a has")
      call scalay_execute_back(plan, b, a(2:), status=status)
      call check_status(status, SCALAY_ERROR_ARGUMENT, "a is too small on the way back", "a has")
    end if
    if (size(b) > 0) then
      call scalay_execute(plan, a, b(2:), status=status)
      call check_status(status, SCALAY_ERROR_ARGUMENT, "b is too small", "b has")
    end if
    if (size(a) > 1) then
      call scalay_begin(plan, wide(1, :), b, status=status)
      call check_status(status, SCALAY_ERROR_ARGUMENT, "a copy cannot be under way", "contiguous")
    end if
    call scalay_end(plan, a, b, status)
    call check(status == SCALAY_ERROR_ARGUMENT, "nothing is under way")
    call scalay_execute(none, a, b, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no plan")
    call scalay_begin(none, a, b, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no plan to begin")
    call plan%create(comm, s%source, s%target, s%mapping, SCALAY_DOUBLE, "pigeon", status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such transport", "pigeon")
    call check(.not. plan%exists(), "no plan after a failure")
    call plan%create(comm, s%source, s%target, s%mapping, 99, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such type", "type")
    call plan%create(comm, s%source, s%target, s%mapping, SCALAY_DOUBLE)
    call scalay_begin(plan, a, b)
    call scalay_end(plan, b, a, status)
    if (size(a) > 0) call check_status(status, SCALAY_ERROR_ARGUMENT, "the arrays change places", "begin")
    if (size(a) > 0 .or. size(b) > 0) call scalay_end(plan, a, b)
    call plan%destroy()
  end subroutine what_does_not_fit_gives_an_error

  subroutine statistics_and_sentence()
    type(scalay_plan) :: plan, none
    type(scalay_plan_statistics) :: statistics
    type(scalay_mapping_summary) :: summary
    integer(c_int64_t) :: sent
    integer :: status
    call plan%create(comm, s%source, s%target, s%mapping, SCALAY_DOUBLE)
    call plan%get_statistics(statistics)
    call s%mapping%get_summary(summary)
    call check(statistics%volume == summary%volume, "volume")
    call check(statistics%steps == summary%steps, "steps")
    call check(statistics%bytes_kept + statistics%bytes_sent == 8 * s%source%elements(s%rank), "all is kept or sent")
    call MPI_Allreduce(statistics%bytes_sent, sent, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, error)
    call check(sent == 8 * statistics%volume, "bytes on the wire")
    call check(len(plan%describe()) > 10, "a sentence")
    call scalay_plan_get_statistics(none, statistics, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no plan")
    call check(statistics%volume == 0, "no statistics after a failure")
    call plan%destroy()
  end subroutine statistics_and_sentence
end program moves
