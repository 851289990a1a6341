!> Measuring from Fortran: one's own work, what it came to, meters, counters, interrupts.
module test_work
  use, intrinsic :: iso_c_binding
  use mpi, only: MPI_Wtime
  use scalay
  implicit none
  type :: job
    integer :: executions = 0
    integer :: fails_at = 0
    integer :: interrupts_at = 0
    real(c_double) :: seconds = 0
    type(scalay_meter) :: meter
  end type job

contains

  integer(c_int) function busy(data) bind(C)
    type(c_ptr), value :: data
    type(job), pointer :: j
    real(c_double) :: start
    call c_f_pointer(data, j)
    j%executions = j%executions + 1
    start = MPI_Wtime()
    do while (MPI_Wtime() - start < j%seconds)
    end do
    busy = SCALAY_SUCCESS
    if (j%meter%exists()) call j%meter%work(100.0_c_double, 8.0_c_double, busy)
    if (j%executions == j%interrupts_at) call scalay_measure_interrupt()
    if (j%executions == j%fails_at) busy = scalay_error_set(SCALAY_ERROR_RANGE, "enough of it")
  end function busy

  integer(c_int) function without_data(data) bind(C)
    type(c_ptr), value :: data
    without_data = merge(SCALAY_ERROR_INTERNAL, SCALAY_SUCCESS, c_associated(data))
  end function without_data
end module test_work

program measures
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  use mpi
  use check_module
  use test_work
  use scalay
  implicit none

  type(scalay_comm) :: comm
  integer :: error, rank, ranks

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call scalay_comm_create(MPI_COMM_WORLD, comm)
  call work_is_repeated()
  call energies_are_those_of_the_model()
  call what_goes_wrong_is_told()
  call interrupts_end_a_measurement()
  call energies_add_up()
  call meters_and_counters_say_what_they_are()
  call comm%destroy()
  call check_verdict()

contains

  logical function near(a, b)
    real(c_double), intent(in) :: a, b
    near = abs(a - b) <= 1e-9_c_double * max(1.0_c_double, abs(b))
  end function near

  subroutine work_is_repeated()
    type(job), target :: j
    type(scalay_sample) :: sample
    type(scalay_sample_summary) :: summary
    type(scalay_statistics) :: time
    type(scalay_repeat_options) :: options
    real(c_double) :: watts
    options%min_interval = 0.0001_c_double ! also where ranks share processors
    options%max_repetitions = 7
    options%min_repetitions = 7
    j%seconds = 0.002_c_double
    call scalay_measure(comm, sample, busy, c_loc(j), options=options)
    call sample%get_summary(summary)
    call check(summary%repetitions == 7 .and. j%executions == 8, "so many executions")
    call check(summary%executions == 1 .and. summary%energies == 0, "one in each repetition")
    time = summary%time
    call check(size(summary%time_value) == 7 .and. all(summary%time_value >= 0.002_c_double), "all seconds are there")
    call check(near(time%mean, sum(summary%time_value) / 7) .and. near(time%minimum, minval(summary%time_value)), &
      "and their statistics")
    call check(size(summary%energy_value) == 0, "no joules")
    call check(index(sample%describe(), "after") > 0, "words")
    if (rank == 0) then
      call sample%measure(comm, without_data)
    else
      call sample%measure(comm)
    end if
    call sample%get_summary(summary)
    call check((summary%repetitions > 0) .eqv. (rank == 0), "rank 0 works, the others take part")
    call sample%destroy()
    call check(.not. sample%exists(), "gone")
    call check(sample%describe() == "", "without words")
    call scalay_measure_static_power(comm, 0.001_c_double, watts)
    call check(watts <= 0, "no meter, no power")
  end subroutine work_is_repeated

  subroutine energies_are_those_of_the_model()
    type(job), target :: j
    type(scalay_sample) :: sample
    type(scalay_sample_summary) :: summary
    type(scalay_statistics) :: energy
    type(scalay_repeat_options) :: options
    real(c_double) :: watts
    call j%meter%create("model:flop=0.5,byte=0.25 ")
    call check(j%meter%is_modelled(), "a model")
    call check(index(j%meter%describe(), "model") == 1, "by name")
    call scalay_measure_static_power(comm, 0.001_c_double, watts, j%meter)
    call check(watts <= 0, "without base power")
    j%seconds = 0.0005_c_double
    options%min_interval = 0.0001_c_double
    call sample%measure(comm, busy, c_loc(j), j%meter, options)
    call sample%get_summary(summary)
    energy = summary%energy
    call check(summary%is_modelled .and. energy%count == summary%energies, "so many energies")
    call check(near(energy%mean, 52.0_c_double), "joules")
    call check(all(abs(summary%energy_value - 52) < 1e-6_c_double), "of each repetition")
    call sample%destroy()
    call j%meter%destroy()
  end subroutine energies_are_those_of_the_model

  subroutine what_goes_wrong_is_told()
    type(job), target :: j
    type(scalay_sample) :: sample
    type(scalay_sample_summary) :: summary
    type(scalay_repeat_options) :: options
    integer(c_int) :: status
    if (rank == ranks - 1) j%fails_at = 3
    j%seconds = 0.001_c_double
    options%min_interval = 0.0001_c_double
    call sample%measure(comm, busy, c_loc(j), options=options, status=status)
    call check_status(status, SCALAY_ERROR_RANGE, "work that fails", "enough of it")
    call sample%get_summary(summary)
    call check(summary%end == SCALAY_END_FAILED .and. summary%repetitions == 1, "what was measured is kept")
    options%precision = 0
    call sample%measure(comm, busy, c_loc(j), options=options, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a precision of 0", "precision")
    call check(.not. sample%exists(), "no sample")
    call sample%get_summary(summary, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no sample to ask", "sample")
    call check(size(summary%time_value) == 0, "no times")
  end subroutine what_goes_wrong_is_told

  subroutine interrupts_end_a_measurement()
    type(job), target :: j
    type(scalay_sample) :: sample
    type(scalay_sample_summary) :: summary
    type(scalay_interrupt_scope) :: scope, second
    type(scalay_repeat_options) :: options
    integer(c_int) :: status
    options%min_interval = 0.0001_c_double
    options%precision = 1e-12_c_double
    options%max_repetitions = 1000000
    if (rank == 0) j%interrupts_at = 4
    j%seconds = 0.001_c_double
    call scope%begin()
    call second%begin(status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a second scope", "scope")
    call sample%measure(comm, busy, c_loc(j), options=options)
    call scope%end()
    call sample%get_summary(summary)
    call check(summary%end == SCALAY_END_INTERRUPTED .and. summary%repetitions == 3, "interrupted")
    call sample%destroy()
  end subroutine interrupts_end_a_measurement

  subroutine energies_add_up()
    type(job), target :: j
    type(scalay_sample) :: sample
    type(scalay_additive) :: additive
    type(scalay_repeat_options) :: options
    integer(c_int) :: status
    j%seconds = 0.0005_c_double
    options%min_interval = 0.0001_c_double
    call j%meter%create("model:flop=1")
    call scalay_measure_additive(comm, sample, additive, busy, c_loc(j), j%meter, options)
    call check(additive%experiments == ranks + 1, "one measurement for each rank, and one for all")
    call check(near(additive%sum, 100.0_c_double * ranks) .and. near(additive%joint, additive%sum), "sums")
    call check(abs(additive%difference) < 1e-9_c_double .and. additive%uncertainty < 1e-6_c_double, "no difference")
    j%fails_at = j%executions + 1
    call scalay_measure_additive(comm, sample, additive, busy, c_loc(j), j%meter, status=status)
    call check_status(status, SCALAY_ERROR_RANGE, "work that fails", "enough of it")
    call sample%destroy()
    call j%meter%destroy()
  end subroutine energies_add_up

  subroutine meters_and_counters_say_what_they_are()
    type(scalay_meter) :: meter
    type(scalay_counters) :: counters
    type(scalay_counters_summary) :: summary
    integer(c_int64_t), allocatable :: count(:)
    real(c_double) :: joules
    integer(c_int) :: status
    call check(meter%describe() == "none", "no meter")
    call check(.not. meter%is_modelled(), "nor a model")
    call meter%create("wattmeter", status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such meter", "wattmeter")
    call meter%create("none")
    call meter%read(joules, status)
    call check_status(status, SCALAY_ERROR_UNSUPPORTED, "nothing to read", "none")
    call meter%create("command:echo 12.5")
    call meter%read(joules)
    call check(near(joules, 12.5_c_double), "a command's joules")
    call check(index(meter%describe(), "echo 12.5") > 0, "and its words")
    call scalay_measure_static_power(comm, 0.001_c_double, joules, meter, status)
    call check_status(status, SCALAY_ERROR_UNSUPPORTED, "joules that do not increase", "12.5")
    call meter%work(1.0_c_double, -1.0_c_double, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "negative bytes", "bytes")
    call meter%destroy()
    call counters%create("no::SUCH-EVENT", status)
    call check(status == SCALAY_SUCCESS .or. status == SCALAY_ERROR_UNSUPPORTED, "counters, or none in this build")
    if (status /= SCALAY_SUCCESS) return
    call counters%get_summary(summary)
    call check(summary%count == 0 .and. size(summary%name) == 0, "nothing is counted")
    call check(index(summary%unavailable, "no::SUCH-EVENT") == 1, "the event is missing")
    call counters%stop(count, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "counters that do not run", "running")
    call check(summary%threads == 0, "no thread was counted")
    call counters%start()
    call counters%get_summary(summary)
    call check(summary%threads == 1, "threads that are counted")
    call counters%stop(count)
    call check(size(count) == 0, "nothing was counted")
    call counters%create(status=status)
    call check(status == SCALAY_SUCCESS, "the usual events")
    call counters%destroy()
  end subroutine meters_and_counters_say_what_they_are
end program measures
