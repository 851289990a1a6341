!> Advice: whether a matrix should move before a kernel runs, and to which layout. For QR, for products, and for a kernel
!! of the program. Follows the advice.
module sweeping
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  private
  public :: sweep_cost

contains

  !> A sweep takes as long as the process with the most elements; context is the seconds of an element.
  real(c_double) function sweep_cost(layout, context) bind(C)
    type(c_ptr), value :: layout, context
    real(c_double), pointer :: seconds
    type(scalay_layout) :: given
    integer(c_int64_t) :: most
    integer :: p
    call c_f_pointer(context, seconds)
    call given%set_handle(layout)  ! borrowed: it is not destroyed
    most = 0
    do p = 0, given%processes() - 1
      most = max(most, given%local_size(p))
    end do
    sweep_cost = real(most, c_double) * seconds
  end function sweep_cost
end module sweeping

program advise_example
  use, intrinsic :: iso_c_binding
  use mpi
  use scalay
  use sweeping, only: sweep_cost
  implicit none
  integer, parameter :: n = 400
  type(scalay_comm) :: comm
  type(scalay_machine) :: machine
  type(scalay_layout) :: slabs, three, target
  type(scalay_advice) :: advice
  type(scalay_advice_candidate) :: candidate
  type(scalay_plan) :: plan
  real(c_double), allocatable :: a(:), b(:)
  real(c_double), target :: seconds_per_element = 1e-4_c_double
  integer, allocatable :: core(:)
  integer :: error

  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)

  ! Measures the machine. scalay_machine_calibrate() keeps the numbers in a file.
  call scalay_machine_measure(comm, machine)
  allocate (core(comm%size()))
  call scalay_machine_cores(comm, core)

  ! One slab of columns per process is a slow layout for a factorisation.
  call slabs%block_cyclic(n, n, n / comm%size(), n / comm%size(), 1, comm%size(), 0, 0, SCALAY_ROW_MAJOR)
  call advice%advise(slabs, times=20_c_int64_t, machine=machine, core=core)
  call tell("QR, 20 times")
  allocate (a(slabs%local_size(comm%rank())), source=1.0_c_double)
  if (advice%should_move()) then
    call advice%layout(1, target)
    call plan%create(comm, slabs, target, scalay_no_mapping, SCALAY_DOUBLE)
    allocate (b(target%local_size(comm%rank())))
    call scalay_execute(plan, a, b)
    if (any(b < 1 .or. b > 1)) error stop 1
    call plan%destroy()
    call target%destroy()
  end if

  ! A product, whose result returns to the layout of C.
  call advice%advise(slabs, SCALAY_KERNEL_GEMM, bring_back=.true., machine=machine, core=core)
  call tell("a product")

  ! Three blocks of columns on four processes: one process has no block, so a sweep is slower.
  call three%block_cyclic(600, 600, 600, 200, 1, comm%size(), 0, 0, SCALAY_ROW_MAJOR)
  call advice%advise(three, SCALAY_KERNEL_OTHER, machine=machine, cost=sweep_cost, cost_context=c_loc(seconds_per_element))
  call tell("sweeps")
  call advice%get_candidate(1, candidate)
  if (comm%size() > 3 .and. .not. advice%should_move()) error stop 2

  call advice%destroy()
  call three%destroy()
  call slabs%destroy()
  call comm%destroy()
  call MPI_Finalize(error)

contains

  subroutine tell(what)
    character(*), intent(in) :: what
    type(scalay_advice_candidate) :: row
    integer :: k
    if (comm%rank() /= 0) return
    print "(3a)", what, ": ", advice%describe()
    do k = 1, min(3, advice%count())
      call advice%get_candidate(k, row)
      print "(2x, a22, 3(a, es9.2))", row%name, " move ", row%move_seconds, " kernel ", row%kernel_seconds, " total ", &
        row%seconds
    end do
  end subroutine tell
end program advise_example
