!> Heat on a ring. The items are dealt cyclically. The model decides whether they move before the iterations, and to
!! which layout. The result does not depend on the layout.
module heat
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: largest

contains

  !> A procedure of the program: y is the largest of three items.
  subroutine largest(count, x, y, context) bind(C)
    integer(c_int64_t), value :: count
    type(c_ptr), value :: x, y, context
    real(c_double), pointer :: new(:)
    type(c_ptr) :: before
    real(c_double), pointer :: around(:)
    integer(c_int64_t) :: k
    if (c_associated(context)) return
    before = transfer(transfer(x, 0_c_intptr_t) - c_sizeof(0.0_c_double), before)
    call c_f_pointer(before, around, [count + 2])
    call c_f_pointer(y, new, [count])
    do k = 1, count
      new(k) = maxval(around(k:k + 2))
    end do
  end subroutine largest
end module heat

program stencil_example
  use, intrinsic :: iso_c_binding
  use mpi
  use scalay
  use heat, only: largest
  implicit none
  integer, parameter :: items = 4000
  integer(c_int64_t), parameter :: iterations = 200
  real(c_double), parameter :: coefficients(3) = [0.25_c_double, 0.5_c_double, 0.25_c_double]
  type(scalay_comm) :: comm
  type(scalay_layout) :: dealt, target
  type(scalay_mapping) :: as_it_is
  type(scalay_stencil_choice) :: choice
  type(scalay_stencil_candidate) :: best
  type(scalay_stencil) :: here, there
  type(scalay_stencil_statistics) :: did
  type(scalay_plan) :: plan
  real(c_double), allocatable :: x(:), y(:)
  real(c_double) :: sums(2)
  integer :: error, rank

  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  rank = comm%rank()
  call dealt%block_cyclic(items, 1, 1, 1, comm%size(), 1, 0, 0, SCALAY_ROW_MAJOR)

  ! Chooses a layout.
  call choice%choose(scalay_stencil_problem_on(SCALAY_DOUBLE, iterations), dealt)
  call choice%get_candidate(1, best)
  call choice%layout(1, target)
  if (rank == 0) print "(a)", choice%describe()
  if (rank == 0) print "(2a, i0, a)", best%name, ", in ", best%runs, " runs"

  ! Staying and moving give the same sums.
  allocate (x(dealt%local_size(rank)), y(target%local_size(rank)))
  call begin()
  call plan%create(comm, dealt, target, as_it_is, SCALAY_DOUBLE)
  call scalay_execute(plan, x, y)
  call here%create(comm, dealt, SCALAY_DOUBLE)
  call here%execute(coefficients, iterations, x)
  call there%create(comm, target, SCALAY_DOUBLE)
  call there%execute(coefficients, iterations, y)
  call there%get_statistics(did)
  if (rank == 0) print "(a, i0, a, i0, a)", "rank 0 sends ", did%items_sent, " items in ", did%messages_sent, " messages"
  sums(1) = total(x)
  sums(2) = total(y)
  if (maxval(abs(sums - 1)) > 1e-6) error stop "heat was lost"

  ! The hot item spreads by one to each side in an iteration.
  call begin()
  call here%execute_with(largest, 10_c_int64_t, x)
  sums(1) = total(x)
  if (nint(sums(1)) /= 21) error stop "not 21 hot items"
  if (rank == 0) print "(a)", "21 items are reached in 10 iterations"

  call plan%destroy()
  call there%destroy()
  call here%destroy()
  call choice%destroy()
  call target%destroy()
  call dealt%destroy()
  call comm%destroy()
  call MPI_Finalize(error)

contains

  !> One hot item; the others are cold.
  subroutine begin()
    integer :: k
    do k = 1, size(x)
      x(k) = merge(1.0_c_double, 0.0_c_double, (k - 1) * comm%size() + rank == items / 2)
    end do
  end subroutine begin

  !> Sum over all ranks.
  real(c_double) function total(values)
    real(c_double), intent(in) :: values(:)
    call MPI_Allreduce(sum(values), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end function total
end program stencil_example
