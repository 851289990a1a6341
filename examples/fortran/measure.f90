!> Measures time and energy of a Fortran function on all processes at the same time.
!!
!! The kernel has its data in its module. It reports its work to the declared energy model. Other meters, such as "papi"
!! and "command:...", read the energy themselves.
module smoothing
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  integer, parameter :: n = 400
  real(c_double) :: field(n, n) = 1, smooth(n, n) = 0
  type(scalay_meter) :: meter

contains

  !> One sweep: each point becomes the mean of its neighbours.
  integer(c_int) function sweep(data) bind(C)
    type(c_ptr), value :: data
    integer :: status
    smooth(2:n - 1, 2:n - 1) = 0.25_c_double * (field(1:n - 2, 2:n - 1) + field(3:n, 2:n - 1) &
      + field(2:n - 1, 1:n - 2) + field(2:n - 1, 3:n))
    field(2:n - 1, 2:n - 1) = smooth(2:n - 1, 2:n - 1)
    call meter%work(4.0_c_double * (n - 2)**2, 32.0_c_double * n**2, status)
    sweep = merge(status, SCALAY_SUCCESS, .not. c_associated(data))
  end function sweep
end module smoothing

program measure
  use mpi
  use smoothing
  implicit none
  type(scalay_comm) :: comm
  type(scalay_sample) :: sample
  type(scalay_sample_summary) :: summary
  type(scalay_statistics) :: time, energy
  type(scalay_repeat_options) :: options
  type(scalay_interrupt_scope) :: scope
  type(scalay_counters) :: counters
  type(scalay_counters_summary) :: counted
  integer(c_int64_t), allocatable :: events(:)
  integer :: error, rank, status, k

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call scalay_comm_create(MPI_COMM_WORLD, comm)
  call meter%create("model:base=10,flop=1e-10,byte=1e-9")
  call scalay_measure_static_power(comm, 0.1_c_double, options%static_power, meter)
  options%independent = 1
  options%max_seconds = 1

  call scope%begin()  ! ctrl-C ends the measurement, not the program
  call sample%measure(comm, sweep, meter=meter, options=options)
  call scope%end()

  call sample%get_summary(summary)
  time = summary%time
  energy = summary%energy
  if (rank == 0) then
    print "(a)", meter%describe(), sample%describe()
    print "(es9.2, a, es9.2, a, i0, a)", time%mean, " s and ", energy%mean, " J a sweep (", summary%repetitions, " times)"
  end if
  if (time%count /= size(summary%time_value) .or. energy%count /= time%count .or. .not. time%mean > 0) error stop 1

  ! Hardware counters. Without PAPI, the message says how to install it.
  call counters%create("PAPI_TOT_CYC,perf::TASK-CLOCK", status)
  if (status == SCALAY_SUCCESS) then
    call counters%start()
    if (sweep(c_null_ptr) /= SCALAY_SUCCESS) error stop 2
    call counters%stop(events)
    call counters%get_summary(counted)
    do k = 1, merge(size(events), 0, rank == 0)
      print "(a, a, i0)", counted%name(k)%text, ": ", events(k)
    end do
    if (rank == 0) print "(a)", "not counted: " // counted%unavailable
  else if (rank == 0) then
    print "(a)", scalay_error_message()
  end if

  call counters%destroy()
  call sample%destroy()
  call meter%destroy()
  call comm%destroy()
  call MPI_Finalize(error)
end program measure
