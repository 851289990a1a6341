!> Measurement of time and energy on all ranks, and of the machine's parameters (measure.h).
!!
!! The work is a function with the interface scalay_work. Its data are variables of the procedure or module that contains
!! it, or the target of its argument.
module scalay_measure_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_size_t, c_char, c_ptr, c_funptr, c_null_ptr, &
    c_null_funptr, c_funloc, c_f_pointer, c_loc, c_sizeof
  use scalay_c
  use scalay_support, only: scalay_object, return_status, text_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS
  use scalay_context_mod, only: scalay_comm
  use scalay_meter_mod, only: scalay_meter
  implicit none
  private
  public :: scalay_work, scalay_repeat_options, scalay_statistics
  public :: scalay_sample, scalay_sample_summary, scalay_measure, scalay_sample_get_summary, scalay_sample_describe
  public :: scalay_sample_destroy, scalay_measure_static_power, scalay_machine_measure, scalay_machine_cores
  public :: scalay_additive, scalay_measure_additive
  public :: scalay_calibration_path, scalay_machine_calibrate, scalay_machine_read
  public :: scalay_measure_interrupt, scalay_interrupt_scope, scalay_interrupt_begin, scalay_interrupt_end

  ! Reason why a measurement ended.
  integer(c_int), parameter, public :: SCALAY_END_PRECISE = 0      !< the means of every rank are precise
  integer(c_int), parameter, public :: SCALAY_END_REPETITIONS = 1  !< max_repetitions
  integer(c_int), parameter, public :: SCALAY_END_SECONDS = 2      !< max_seconds
  integer(c_int), parameter, public :: SCALAY_END_INTERRUPTED = 3  !< scalay_measure_interrupt, or a signal
  integer(c_int), parameter, public :: SCALAY_END_FAILED = 4       !< the work failed on some rank

  abstract interface
    !> Executes the measured work once. Another status than SCALAY_SUCCESS ends the measurement on all ranks.
    integer(c_int) function scalay_work(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
    end function scalay_work
  end interface

  !> Measured values of one rank.
  type, extends(scalay_object) :: scalay_sample
  contains
    procedure, pass(sample) :: measure => scalay_measure
    procedure :: get_summary => scalay_sample_get_summary
    procedure :: describe => scalay_sample_describe
    procedure :: destroy => scalay_sample_destroy
  end type scalay_sample

  !> Measured values and statistics of this rank.
  type :: scalay_sample_summary
    integer(c_int) :: end = 0                        !< SCALAY_END_..., the same on all ranks
    integer(c_int) :: meter = 0                      !< status of reading the meter
    logical :: is_modelled = .false.                 !< the energies come from a model
    integer(c_int64_t) :: repetitions = 0            !< number of times; 0 on a rank without work
    integer(c_int64_t) :: energies = 0               !< number of energies; less than repetitions if the meter failed
    integer(c_int64_t) :: executions = 0             !< executions of the work per repetition; values are per execution
    integer(c_int64_t) :: clock_faults = 0           !< repetitions measured again because a clock jumped on some rank
    integer(c_int64_t) :: negative_energies = 0      !< repetitions with less than the static energy
    real(c_double) :: seconds = 0                    !< duration of the whole measurement
    real(c_double) :: meter_seconds = 0              !< mean duration of a reading of the meter
    real(c_double), allocatable :: time_value(:)     !< seconds of an execution, in the order of measurement
    real(c_double), allocatable :: energy_value(:)   !< joules of an execution, without the static energy
    type(scalay_statistics) :: time                  !< of time_value
    type(scalay_statistics) :: energy                !< of energy_value; count 0 without a meter
  end type scalay_sample_summary

  !> Scope in which signals end measurements instead of the program.
  type, extends(scalay_object) :: scalay_interrupt_scope
  contains
    procedure, pass(scope) :: begin => scalay_interrupt_begin
    procedure, pass(scope) :: end => scalay_interrupt_end
  end type scalay_interrupt_scope

contains

  ! The options with their size in C, or the defaults.
  type(scalay_repeat_options) function with_size(options)
    type(scalay_repeat_options), intent(in), optional :: options
    if (present(options)) with_size = options
    with_size%size = c_sizeof(with_size)
  end function with_size

  !> Measures work on all ranks at the same time. Collective over comm. See measure.h.
  !! @param[in]    comm     the ranks
  !! @param[inout] sample   the measurement; its previous object is destroyed. Also returned if the work fails
  !! @param[in]    work     executed repeatedly; absent: this rank only takes part
  !! @param[in]    data     argument of work; absent: a null pointer
  !! @param[in]    meter    of this rank; absent: time only
  !! @param[in]    options  absent: defaults
  !! @param[out]   status   SCALAY_SUCCESS, the status of work that failed, SCALAY_ERROR_ARGUMENT,
  !!                        SCALAY_ERROR_MISMATCH, SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MPI
  subroutine scalay_measure(comm, sample, work, data, meter, options, status)
    class(scalay_comm), intent(in) :: comm
    class(scalay_sample), intent(inout) :: sample
    procedure(scalay_work), optional :: work
    type(c_ptr), intent(in), optional :: data
    class(scalay_meter), intent(in), optional :: meter
    type(scalay_repeat_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle, meter_object, passed_data
    type(c_funptr) :: callback
    integer(c_int) :: code
    callback = c_null_funptr
    if (present(work)) callback = c_funloc(work)
    passed_data = c_null_ptr
    if (present(data)) passed_data = data
    meter_object = c_null_ptr
    if (present(meter)) meter_object = meter%c_object()
    call sample%destroy()
    code = c_measure(comm%c_object(), callback, passed_data, meter_object, with_size(options), handle)
    call sample%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_measure

  !> Measures ranks that share one meter, by the additive method. Collective over comm, the ranks that share
  !! it. See measure.h.
  !! @param[inout] sample    times of the joint measurement, energies of this rank's own measurement
  !! @param[out]   additive  NaN without energies; all zero if nothing was measured
  !! @param[out]   status    as in scalay_measure
  subroutine scalay_measure_additive(comm, sample, additive, work, data, meter, options, status)
    class(scalay_comm), intent(in) :: comm
    class(scalay_sample), intent(inout) :: sample
    type(scalay_additive), intent(out) :: additive
    procedure(scalay_work), optional :: work
    type(c_ptr), intent(in), optional :: data
    class(scalay_meter), intent(in), optional :: meter
    type(scalay_repeat_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle, meter_object, passed_data
    type(c_funptr) :: callback
    type(scalay_additive) :: found
    integer(c_int) :: code
    callback = c_null_funptr
    if (present(work)) callback = c_funloc(work)
    passed_data = c_null_ptr
    if (present(data)) passed_data = data
    meter_object = c_null_ptr
    if (present(meter)) meter_object = meter%c_object()
    call sample%destroy()
    code = c_measure_additive(comm%c_object(), callback, passed_data, meter_object, with_size(options), handle, found)
    call sample%set_handle(handle)
    if (sample%exists()) additive = found
    call return_status(code, status)
  end subroutine scalay_measure_additive

  !> Returns the values and statistics of a sample. Not collective.
  !! @param[out] summary  empty after a failure
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_sample_get_summary(sample, summary, status)
    class(scalay_sample), intent(in) :: sample
    type(scalay_sample_summary), intent(out) :: summary
    integer(c_int), intent(out), optional :: status
    type(c_sample_summary) :: found
    integer(c_int) :: code
    allocate (summary%time_value(0), summary%energy_value(0))
    code = c_sample_get_summary(sample%c_object(), found)
    if (code == SCALAY_SUCCESS) then
      summary%end = found%end
      summary%meter = found%meter
      summary%is_modelled = found%is_modelled /= 0
      summary%repetitions = found%repetitions
      summary%energies = found%energies
      summary%executions = found%executions
      summary%clock_faults = found%clock_faults
      summary%negative_energies = found%negative_energies
      summary%seconds = found%seconds
      summary%meter_seconds = found%meter_seconds
      summary%time_value = values_of(found%time_value, found%repetitions)
      summary%energy_value = values_of(found%energy_value, found%energies)
      summary%time = found%time
      summary%energy = found%energy
    end if
    call return_status(code, status)
  end subroutine scalay_sample_get_summary

  ! A copy of a C array.
  function values_of(values, count) result(copy)
    type(c_ptr), intent(in) :: values
    integer(c_int64_t), intent(in) :: count
    real(c_double), allocatable :: copy(:)
    real(c_double), pointer :: c_values(:)
    allocate (copy(count))
    if (count == 0) return
    call c_f_pointer(values, c_values, [count])
    copy = c_values
  end function values_of

  !> Describes the sample of this rank. Not collective.
  function scalay_sample_describe(sample) result(text)
    class(scalay_sample), intent(in) :: sample
    character(:), allocatable :: text
    character(kind=c_char) :: chars(2048)
    integer :: length
    length = c_sample_describe(sample%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:min(length, size(chars) - 1)))
  end function scalay_sample_describe

  !> Releases a sample. An empty variable is allowed. Not collective.
  subroutine scalay_sample_destroy(sample)
    class(scalay_sample), intent(inout) :: sample
    type(c_ptr) :: object
    object = sample%c_object()
    call c_sample_destroy(object)
    call sample%set_handle(object)
  end subroutine scalay_sample_destroy

  !> Measures the power while all ranks sleep. Collective over comm.
  !! @param[in]  comm     the ranks
  !! @param[in]  seconds  duration, the same on every rank
  !! @param[out] watts    of this rank's meter; 0 without a meter and after a failure
  !! @param[in]  meter    of this rank; absent: this rank only sleeps
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MPI
  subroutine scalay_measure_static_power(comm, seconds, watts, meter, status)
    class(scalay_comm), intent(in) :: comm
    real(c_double), intent(in) :: seconds
    real(c_double), intent(out) :: watts
    class(scalay_meter), intent(in), optional :: meter
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: meter_object
    real(c_double) :: found
    integer(c_int) :: code
    meter_object = c_null_ptr
    if (present(meter)) meter_object = meter%c_object()
    found = 0
    code = c_measure_static_power(comm%c_object(), meter_object, seconds, found)
    watts = merge(found, 0.0_c_double, code == SCALAY_SUCCESS)
    call return_status(code, status)
  end subroutine scalay_measure_static_power

  !> Ends the current or next measurement of this process with the values so far. Not collective.
  subroutine scalay_measure_interrupt()
    call c_measure_interrupt()
  end subroutine scalay_measure_interrupt

  !> Makes SIGINT and SIGTERM end measurements. Not collective. See measure.h.
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED
  subroutine scalay_interrupt_begin(scope, status)
    class(scalay_interrupt_scope), intent(inout) :: scope
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    call scope%end()
    code = c_interrupt_begin(handle)
    call scope%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_interrupt_begin

  !> Restores the previous signal handlers. An empty variable is allowed. Not collective.
  subroutine scalay_interrupt_end(scope)
    class(scalay_interrupt_scope), intent(inout) :: scope
    type(c_ptr) :: object
    object = scope%c_object()
    call c_interrupt_end(object)
    call scope%set_handle(object)
  end subroutine scalay_interrupt_end

  !> Measures the rates of the machine. Collective over comm. Takes about two seconds.
  !! @param[in]  comm     the ranks to measure
  !! @param[out] machine  every entry is positive; all zero after a failure
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_machine_measure(comm, machine, status)
    class(scalay_comm), intent(in) :: comm
    type(scalay_machine), intent(out) :: machine
    integer(c_int), intent(out), optional :: status
    type(scalay_machine) :: measured
    integer(c_int) :: code
    code = c_machine_measure(comm%c_object(), measured)
    if (code == SCALAY_SUCCESS) machine = measured
    call return_status(code, status)
  end subroutine scalay_machine_measure

  !> Finds the ranks that share a core, for scalay_advice_options%core. Collective over comm.
  !! @param[in]  comm    the ranks
  !! @param[out] core    for a rank that is bound to one processor: the first rank, from 0, that is bound to it. For any
  !!                     other rank: its own number
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_machine_cores(comm, core, status)
    class(scalay_comm), intent(in) :: comm
    integer(c_int), allocatable, intent(out) :: core(:)
    integer(c_int), intent(out), optional :: status
    allocate (core(max(1, comm%size())))
    core = 0
    call return_status(c_machine_cores(comm%c_object(), core), status)
  end subroutine scalay_machine_cores

  !> Returns the default file of a calibration. Not collective.
  !! @param[in] processes  number of ranks
  function scalay_calibration_path(processes) result(path)
    integer(c_int), intent(in) :: processes
    character(:), allocatable :: path
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_calibration_path(processes, size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_calibration_path(processes, chars, size(chars, kind=c_size_t))
    path = text_of(chars(:length))
  end function scalay_calibration_path

  ! The options in C; `chars` must stay as long as they do.
  type(c_calibration_options) function calibration_options(chars, path, max_age_seconds, refresh, anywhere, max_seconds)
    character(kind=c_char), allocatable, target, intent(out) :: chars(:)
    character(*), intent(in), optional :: path
    real(c_double), intent(in), optional :: max_age_seconds
    logical, intent(in), optional :: refresh, anywhere
    real(c_double), intent(in), optional :: max_seconds
    call c_calibration_options_init(calibration_options, c_sizeof(calibration_options))
    if (present(max_seconds)) calibration_options%max_seconds = max_seconds
    if (present(path)) then
      chars = chars_of(trim(path))
      calibration_options%path = c_loc(chars)
    end if
    if (present(max_age_seconds)) calibration_options%max_age_seconds = max_age_seconds
    if (present(refresh)) calibration_options%refresh = merge(1_c_int, 0_c_int, refresh)
    if (present(anywhere)) calibration_options%anywhere = merge(1_c_int, 0_c_int, anywhere)
  end function calibration_options

  !> Returns the rates of the machine from a file. If there is no file, or if it is stale, the machine is measured and
  !! the file is written. Collective over comm.
  !! @param[in]  comm             the ranks
  !! @param[out] machine          all zero after a failure
  !! @param[in]  path             of the file; absent: scalay_calibration_path()
  !! @param[in]  max_age_seconds  older files are stale; absent: 30 days
  !! @param[in]  refresh          .true.: measure even if the file is valid
  !! @param[in]  anywhere         .true.: accept another processor, BLAS, MPI, number of threads and binding
  !! @param[in]  max_seconds      time limit of a measurement; absent: 2 seconds
  !! @param[out] status           as in measure.h
  subroutine scalay_machine_calibrate(comm, machine, path, max_age_seconds, refresh, anywhere, max_seconds, status)
    class(scalay_comm), intent(in) :: comm
    type(scalay_machine), intent(out) :: machine
    character(*), intent(in), optional :: path
    real(c_double), intent(in), optional :: max_age_seconds
    logical, intent(in), optional :: refresh, anywhere
    real(c_double), intent(in), optional :: max_seconds
    integer(c_int), intent(out), optional :: status
    character(kind=c_char), allocatable, target :: chars(:)
    type(c_calibration_options) :: options
    type(scalay_machine) :: measured
    integer(c_int) :: code
    options = calibration_options(chars, path, max_age_seconds, refresh, anywhere, max_seconds)
    code = c_machine_calibrate(comm%c_object(), options, measured)
    if (code == SCALAY_SUCCESS) machine = measured
    call return_status(code, status)
  end subroutine scalay_machine_calibrate

  !> Reads a machine that was measured before, for planning without MPI. Not collective.
  !! @param[in]  processes  of the plan, at least 1
  !! @param[out] machine    all zero after a failure
  !! @param[in]  path, max_age_seconds, anywhere  as in scalay_machine_calibrate
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE (there is none),
  !!                        SCALAY_ERROR_FORMAT, SCALAY_ERROR_MISMATCH (it is stale)
  subroutine scalay_machine_read(processes, machine, path, max_age_seconds, anywhere, status)
    integer(c_int), intent(in) :: processes
    type(scalay_machine), intent(out) :: machine
    character(*), intent(in), optional :: path
    real(c_double), intent(in), optional :: max_age_seconds
    logical, intent(in), optional :: anywhere
    integer(c_int), intent(out), optional :: status
    character(kind=c_char), allocatable, target :: chars(:)
    type(c_calibration_options) :: options
    type(scalay_machine) :: found
    integer(c_int) :: code
    options = calibration_options(chars, path, max_age_seconds, .false., anywhere)
    code = c_machine_read(processes, options, found)
    if (code == SCALAY_SUCCESS) machine = found
    call return_status(code, status)
  end subroutine scalay_machine_read
end module scalay_measure_mod
