!> Stencils and where their items should go, from Fortran: against a serial loop, and against C's errors.
module stencils_module
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: add_up, updated

  integer(c_int64_t) :: updated = 0

contains

  !> y = 2 x(left) + 3 x + x(right), counted.
  subroutine add_up(count, x, y, context) bind(C)
    integer(c_int64_t), value :: count
    type(c_ptr), value :: x, y, context
    integer(c_int64_t), pointer :: around(:), new(:), factor
    type(c_ptr) :: before
    before = transfer(transfer(x, 0_c_intptr_t) - 8, before)
    call c_f_pointer(before, around, [count + 2])
    call c_f_pointer(y, new, [count])
    call c_f_pointer(context, factor)
    new = mod(factor * around(1:count) + 3 * around(2:count + 1) + around(3:count + 2), 1000003_c_int64_t)
    updated = updated + count
  end subroutine add_up
end module stencils_module

program stencils
  use, intrinsic :: iso_c_binding
  use mpi
  use check_module
  use stencils_module
  use scalay
  implicit none
  integer, parameter :: long = c_int64_t, n = 53
  real(c_double), parameter :: c(3) = [0.3_c_double, 0.45_c_double, 0.2125_c_double]
  type(scalay_comm) :: comm
  type(scalay_layout) :: layout
  integer :: error, rank, k
  integer(c_int) :: owner(n)

  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  rank = comm%rank()
  owner = [(int(mod(min(mod(k * k, 7), k), comm%size()), c_int), k = 0, n - 1)]
  call layout%tiles(n, 1, 1, 1, comm%size(), reshape(owner, [n, 1]))
  call doubles_are_those_of_a_serial_loop()
  call floats_are_those_of_a_serial_loop()
  call any_procedure_will_do()
  call what_does_not_fit_gives_an_error()
  call a_choice_tells_all_it_knows()
  call layout%destroy()
  call comm%destroy()
  call check_verdict()

contains

  subroutine doubles_are_those_of_a_serial_loop()
    type(scalay_stencil) :: stencil
    type(scalay_stencil_statistics) :: did
    real(c_double) :: all(n)
    real(c_double), allocatable :: x(:)
    integer :: i
    all = [(sin(real(i, c_double)), i = 1, n)]
    x = pack(all, owner == rank)
    call stencil%create(comm, layout, SCALAY_DOUBLE)
    call stencil%execute(c, 5_long, x)
    do i = 1, 5
      all = (c(1) * cshift(all, -1) + c(2) * all) + c(3) * cshift(all, 1)
    end do
    call check(maxval(abs([0.0_c_double, x - pack(all, owner == rank)])) < 1e-14, "doubles")
    call stencil%get_statistics(did)
    call check(did%items == count(owner == rank) .and. did%iterations == 5, "statistics")
    call check(did%items_sent == did%items_received .or. comm%size() > 1, "nothing is sent to nobody")
    call stencil%destroy()
    call check(.not. stencil%exists(), "gone")
  end subroutine doubles_are_those_of_a_serial_loop

  subroutine floats_are_those_of_a_serial_loop()
    type(scalay_stencil) :: stencil
    real(c_float) :: all(n)
    real(c_float), allocatable :: x(:)
    integer :: i
    all = [(cos(real(i, c_float)), i = 1, n)]
    x = pack(all, owner == rank)
    call stencil%create(comm, layout, SCALAY_FLOAT, no_overlap=.true.)
    call scalay_stencil_execute(stencil, c, 3_long, x)
    do i = 1, 3
      all = (real(c(1), c_float) * cshift(all, -1) + real(c(2), c_float) * all) + real(c(3), c_float) * cshift(all, 1)
    end do
    call check(maxval(abs([0.0_c_float, x - pack(all, owner == rank)])) < 1e-6, "floats")
    call stencil%destroy()
  end subroutine floats_are_those_of_a_serial_loop

  subroutine any_procedure_will_do()
    type(scalay_stencil) :: stencil
    integer(c_int64_t) :: all(n)
    integer(c_int64_t), allocatable :: x(:)
    integer(c_int64_t), target :: factor
    integer :: i
    factor = 2
    all = [(int(i, c_int64_t), i = 1, n)]
    x = pack(all, owner == rank)
    call stencil%create(comm, layout, scalay_raw(8))
    call stencil%execute_with(add_up, 4_long, x, c_loc(factor))
    do i = 1, 4
      all = mod(2 * cshift(all, -1) + 3 * all + cshift(all, 1), 1000003_long)
    end do
    call check(all_equal(x, pack(all, owner == rank)), "integers")
    call check(updated == 4 * size(x), "each item once in an iteration")
    call stencil%destroy()
  end subroutine any_procedure_will_do

  logical function all_equal(one, other)
    integer(c_int64_t), intent(in) :: one(:), other(:)
    all_equal = size(one) == size(other)
    if (all_equal) all_equal = all(one == other)
  end function all_equal

  subroutine what_does_not_fit_gives_an_error()
    type(scalay_stencil) :: stencil
    type(scalay_stencil_statistics) :: did
    type(scalay_layout) :: square
    real(c_double) :: none(0)
    real(c_float) :: floats(n)
    integer(c_int) :: status
    call square%block_cyclic(3, 3, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR)
    call stencil%create(comm, square, SCALAY_DOUBLE, status=status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. .not. stencil%exists(), "a square is no line")
    call stencil%get_statistics(did, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. did%items == 0, "nothing to tell")
    call stencil%create(comm, layout, SCALAY_DOUBLE)
    floats = 0
    call stencil%execute(c, 1_long, floats, status)
    call check(status == SCALAY_ERROR_MISMATCH, "of another type")
    call stencil%execute(c, 0_long, none, status)
    call check((status == SCALAY_ERROR_ARGUMENT) .eqv. any(owner == rank), "too small an array")
    call stencil%execute(c, -1_long, none, status)
    call check(status == SCALAY_ERROR_ARGUMENT, "fewer iterations than none")
    call stencil%destroy()
    call square%destroy()
  end subroutine what_does_not_fit_gives_an_error

  subroutine a_choice_tells_all_it_knows()
    type(scalay_stencil_problem) :: problem
    type(scalay_stencil_choice) :: choice
    type(scalay_stencil_candidate) :: candidate
    type(scalay_stencil_cost) :: cost
    type(scalay_layout) :: target
    integer(c_int64_t), allocatable :: first(:)
    integer(c_int), allocatable :: owners(:)
    real(c_double) :: before
    integer(c_int) :: j, status
    problem = scalay_stencil_problem_default(SCALAY_STENCIL_VOLUME, 10.0_c_double, 1.0_c_double, 5_long)
    call check(problem%iterations == 5 .and. nint(problem%seconds_per_item_exchanged) == 10, "a problem")
    call choice%choose(problem, layout)
    call check(choice%count() == 6, "six candidates")
    before = 0
    do j = 1, choice%count()
      call choice%get_candidate(j, candidate)
      call choice%runs(j, first, owners)
      call choice%layout(j, target)
      call scalay_model_stencil(problem, layout, target, cost)
      call check(abs(cost%seconds - candidate%cost%seconds) < 1e-9 .and. cost%seconds >= before, candidate%name)
      call check(size(first) == candidate%runs .and. first(1) == 1, "its runs")
      call check(target%owner(1, 1) == owners(1), "their owners")
      before = cost%seconds
    end do
    call check(index(choice%describe(), "search") > 0, "it explains itself")
    call choice%get_candidate(7, candidate, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. .not. allocated(candidate%name), "no seventh")
    call choice%runs(0, first, owners, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. .not. allocated(first), "no zeroth")
    problem = scalay_stencil_problem_on(SCALAY_DOUBLE, 3_long, scalay_machine_typical())
    call check(problem%model == SCALAY_STENCIL_STEPS .and. problem%seconds_per_update > 0, "on a machine")
    problem%iterations = -1
    call choice%choose(problem, layout, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. .not. choice%exists(), "no choice")
    call target%destroy()
    call choice%destroy()
  end subroutine a_choice_tells_all_it_knows
end program stencils
