!> Measuring profiles: the execution time, and optionally the energy, of each processor at each size (profiler.h).
!!
!! A processor is a rank with its threads. All ranks work on the same size at the same time. The kernel is one of the
!! library, an external command, or procedures of the program. The data of these procedures are variables of the module
!! or procedure that contains them, or the target of their argument. Processors and sizes are numbered from 1.
module scalay_profiler_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, string_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS
  use scalay_context_mod, only: scalay_comm
  use scalay_meter_mod, only: scalay_meter
  use scalay_profile_mod, only: scalay_profile
  implicit none
  private
  public :: scalay_profile_kernel, scalay_profile_kernel_create, scalay_profile_kernel_destroy
  public :: scalay_profile_action, scalay_profile_release, scalay_profile_count_work
  public :: scalay_profiler_options, scalay_profiler_step, scalay_profiler_progress, scalay_profiler_run
  public :: scalay_profile_record, scalay_profile_record_read, scalay_profile_record_destroy
  public :: scalay_profile_record_get, scalay_profile_record_processor, scalay_profile_record_point
  public :: scalay_profile_record_additive
  public :: scalay_profile_facts, scalay_profile_processor, scalay_profile_point

  ! State of a record.
  integer(c_int), parameter, public :: SCALAY_PROFILE_MEASURING = 0    !< the run has not ended, or was killed
  integer(c_int), parameter, public :: SCALAY_PROFILE_COMPLETE = 1     !< all sizes were measured
  integer(c_int), parameter, public :: SCALAY_PROFILE_INTERRUPTED = 2  !< an interrupt ended the run

  !> A kernel of the library, or an external command.
  type, extends(scalay_object) :: scalay_profile_kernel
  contains
    procedure, pass(kernel) :: create => scalay_profile_kernel_create
    procedure :: destroy => scalay_profile_kernel_destroy
  end type scalay_profile_kernel

  !> All measured values and facts of a profile.
  type, extends(scalay_object) :: scalay_profile_record
  contains
    procedure, pass(record) :: read => scalay_profile_record_read
    procedure :: get => scalay_profile_record_get
    procedure :: processor => scalay_profile_record_processor
    procedure :: point => scalay_profile_record_point
    procedure :: additive => scalay_profile_record_additive
    procedure :: destroy => scalay_profile_record_destroy
  end type scalay_profile_record

  abstract interface
    !> Prepares or executes a size. Another status than SCALAY_SUCCESS makes the size a hole.
    integer(c_int) function scalay_profile_action(data, size) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: data
      integer(c_int64_t), value :: size
    end function scalay_profile_action

    !> Called after the last execution of a size.
    subroutine scalay_profile_release(data) bind(C)
      import :: c_ptr
      type(c_ptr), value :: data
    end subroutine scalay_profile_release

    !> Returns the operations, or the bytes, of an execution.
    real(c_double) function scalay_profile_count_work(data, size) bind(C)
      import :: c_double, c_int64_t, c_ptr
      type(c_ptr), value :: data
      integer(c_int64_t), value :: size
    end function scalay_profile_count_work

    !> Callback before each size, on rank 0.
    subroutine scalay_profiler_progress(step, data) bind(C)
      import :: c_ptr, scalay_profiler_step
      type(scalay_profiler_step), intent(in) :: step
      type(c_ptr), value :: data
    end subroutine scalay_profiler_progress
  end interface

  !> How to measure a profile. The options of rank 0 are used, except meter, threads, static_power and shared_meter.
  type :: scalay_profiler_options
    integer(c_int64_t) :: first = 0, last = 0, step = 0     !< without a list: first, first + step, ..., last
    integer(c_int64_t), allocatable :: sizes(:)             !< the list, in any order
    real(c_double) :: refine = 0                            !< fraction that makes a point a jump; 0: no sizes are added
    integer(c_int64_t) :: refine_step = 0                   !< minimum distance; 0: a sixteenth of the smallest
    type(scalay_repeat_options) :: repeat                   !< repetitions of each size
    character(:), allocatable :: path                       !< file; not allocated: none
    logical :: restart = .false.                            !< measure again all that the file has
    logical :: no_groups = .false.                          !< one group per rank
    integer(c_int) :: threads = 0                           !< of BLAS and OpenMP; 0: unchanged
    type(scalay_meter) :: meter                             !< of this rank; empty: time only
    real(c_double) :: static_power = -1                     !< watts that are not counted; negative: measured
    logical :: shared_meter = .false.                       !< the ranks of a host read one meter
    procedure(scalay_profiler_progress), pointer, nopass :: progress => null()
    type(c_ptr) :: progress_data = c_null_ptr               !< argument of progress
  end type scalay_profiler_options

  !> Facts of a whole record.
  type :: scalay_profile_facts
    character(:), allocatable :: kernel        !< name of the kernel
    character(:), allocatable :: meter         !< description of the meter; "none": times only
    logical :: modelled = .false.              !< the energies come from a model
    logical :: shared_meter = .false.          !< the energies were measured one rank after the other
    integer(c_int) :: processors = 0           !< number of ranks
    integer(c_int64_t) :: sizes = 0            !< number of sizes that were tried
    integer(c_int) :: state = 0                !< SCALAY_PROFILE_...
    type(scalay_repeat_options) :: repeat
  end type scalay_profile_facts

  !> A rank.
  type :: scalay_profile_processor
    character(:), allocatable :: name     !< "p0" for rank 0
    character(:), allocatable :: group    !< name of its group; "": it has no point
    character(:), allocatable :: host
    character(:), allocatable :: binding  !< hardware threads that it may run on, such as "0-3,8"; "": not known
    integer(c_int) :: cores = 0           !< number of cores of these threads; 0: not known
    integer(c_int) :: threads = 0         !< of BLAS or OpenMP
    real(c_double) :: static_power = 0    !< watts that its energies do not include
  end type scalay_profile_processor

  !> A size on a processor.
  type :: scalay_profile_point
    integer(c_int64_t) :: size = 0
    character(:), allocatable :: hole          !< reason why there is no time; not allocated: there is a time
    real(c_double) :: time = 0                 !< mean, in seconds
    real(c_double) :: time_half_width = 0      !< half the confidence interval of the mean
    real(c_double) :: median = 0
    real(c_double) :: deviation = 0            !< standard deviation
    real(c_double) :: spread = 0               !< distance of the quartiles; NaN: in files of version 0.1
    real(c_double) :: normality = 0            !< p-value of Pearson's chi-squared test for a normal distribution; NaN: too few
    real(c_double) :: energy = 0               !< mean dynamic energy in joules; NaN: not known
    real(c_double) :: energy_half_width = 0    !< half the confidence interval of the mean; NaN: not known
    integer(c_int64_t) :: repetitions = 0      !< number of repetitions that count
    integer(c_int64_t) :: outliers = 0         !< number of outliers among them
    logical :: precise = .false.               !< the precision was reached
    character(:), allocatable :: meter_failure !< reason why the meter failed; not allocated: it did not fail
  end type scalay_profile_point

  !> Measures a profile with a kernel object, or with procedures of the program.
  interface scalay_profiler_run
    module procedure run_kernel, run_own
  end interface scalay_profiler_run

contains

  !> Creates a kernel of the library, or of an external command. Not collective.
  !! @param[in]    text     such as "dgemm:n=1024" or "command:./run %s": see profiler.h; trailing blanks are removed
  !! @param[inout] kernel   its previous object is destroyed
  !! @param[in]    timeout  time limit of a command in seconds; absent: no limit
  !! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MEMORY
  subroutine scalay_profile_kernel_create(text, kernel, timeout, status)
    character(*), intent(in) :: text
    class(scalay_profile_kernel), intent(inout) :: kernel
    real(c_double), intent(in), optional :: timeout
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    real(c_double) :: seconds
    seconds = 0
    if (present(timeout)) seconds = timeout
    call kernel%destroy()
    code = c_profile_kernel_create(chars_of(trim(text)), seconds, handle)
    call kernel%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_profile_kernel_create

  !> Releases a kernel. The variable is empty afterwards.
  subroutine scalay_profile_kernel_destroy(kernel)
    class(scalay_profile_kernel), intent(inout) :: kernel
    type(c_ptr) :: object
    object = kernel%c_object()
    call c_profile_kernel_destroy(object)
    call kernel%set_handle(c_null_ptr)
  end subroutine scalay_profile_kernel_destroy

  !> Measures a profile. Collective over comm. See profiler.h.
  !! @param[in]    comm     each rank is a processor
  !! @param[in]    kernel   a kernel
  !! @param[in]    options  sizes and options
  !! @param[inout] profile  the same on every rank; its previous object is destroyed
  !! @param[inout] record   likewise
  !! @param[out]   status   as scalay_profiler_run of profiler.h
  subroutine run_kernel(comm, kernel, options, profile, record, status)
    class(scalay_comm), intent(in) :: comm
    class(scalay_profile_kernel), intent(in) :: kernel
    type(scalay_profiler_options), intent(in) :: options
    class(scalay_profile), intent(inout) :: profile
    class(scalay_profile_record), intent(inout) :: record
    integer(c_int), intent(out), optional :: status
    call run_object(comm, kernel%c_object(), options, profile, record, status)
  end subroutine run_kernel

  !> Measures a profile with procedures of the program. Collective over comm.
  !! @param[in]    name     of the kernel, the same on every rank
  !! @param[in]    run      one execution; this is measured
  !! @param[in]    prepare  called before the first execution of a size
  !! @param[in]    release  called after the last execution
  !! @param[in]    flops    operations of an execution
  !! @param[in]    bytes    memory traffic of an execution
  !! @param[in]    data     argument of all of them; absent: a null pointer
  !! Other parameters as with a kernel object.
  subroutine run_own(comm, name, run, options, profile, record, prepare, release, flops, bytes, data, status)
    class(scalay_comm), intent(in) :: comm
    character(*), intent(in) :: name
    procedure(scalay_profile_action) :: run
    type(scalay_profiler_options), intent(in) :: options
    class(scalay_profile), intent(inout) :: profile
    class(scalay_profile_record), intent(inout) :: record
    procedure(scalay_profile_action), optional :: prepare
    procedure(scalay_profile_release), optional :: release
    procedure(scalay_profile_count_work), optional :: flops, bytes
    type(c_ptr), intent(in), optional :: data
    integer(c_int), intent(out), optional :: status
    type(c_profile_kernel), target :: kernel
    character(kind=c_char), target :: chars(len_trim(name) + 1)
    chars = chars_of(trim(name))
    kernel%name = c_loc(chars)
    kernel%run = c_funloc(run)
    if (present(prepare)) kernel%prepare = c_funloc(prepare)
    if (present(release)) kernel%release = c_funloc(release)
    if (present(flops)) kernel%flops = c_funloc(flops)
    if (present(bytes)) kernel%bytes = c_funloc(bytes)
    if (present(data)) kernel%data = data
    call run_object(comm, c_loc(kernel), options, profile, record, status)
  end subroutine run_own

  subroutine run_object(comm, kernel, options, profile, record, status)
    class(scalay_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: kernel
    type(scalay_profiler_options), intent(in) :: options
    class(scalay_profile), intent(inout) :: profile
    class(scalay_profile_record), intent(inout) :: record
    integer(c_int), intent(out), optional :: status
    type(c_profiler_options) :: c
    character(kind=c_char), allocatable, target :: path(:)
    integer(c_int64_t), allocatable, target :: sizes(:)
    type(scalay_repeat_options), target :: repeat
    type(c_ptr) :: profile_handle, record_handle
    integer(c_int) :: code
    c = options_of(options)
    repeat = options%repeat
    repeat%size = c_sizeof(repeat)
    c%repeat = c_loc(repeat)
    if (allocated(options%path)) then
      path = chars_of(trim(options%path))
      c%path = c_loc(path)
    end if
    if (allocated(options%sizes)) then
      sizes = options%sizes
      c%sizes = size(sizes, kind=c_int64_t)
      if (c%sizes > 0) c%list = c_loc(sizes)
    end if
    call profile%destroy()
    call record%destroy()
    code = c_profiler_run(comm%c_object(), kernel, c, profile_handle, record_handle)
    call profile%set_handle(profile_handle)
    call record%set_handle(record_handle)
    call return_status(code, status)
  end subroutine run_object

  ! All options except texts and lists, which must stay in memory, and except `repeat`.
  type(c_profiler_options) function options_of(options) result(c)
    type(scalay_profiler_options), intent(in) :: options
    call c_profiler_options_init(c, c_sizeof(c))
    c%first = options%first
    c%last = options%last
    c%step = options%step
    c%refine = options%refine
    c%refine_step = options%refine_step
    c%restart = merge(1_c_int, 0_c_int, options%restart)
    c%no_groups = merge(1_c_int, 0_c_int, options%no_groups)
    c%threads = options%threads
    c%meter = options%meter%c_object()
    c%static_power = options%static_power
    c%shared_meter = merge(1_c_int, 0_c_int, options%shared_meter)
    if (associated(options%progress)) c%progress = c_funloc(options%progress)
    c%progress_data = options%progress_data
  end function options_of

  !> Reads the record from a file of scalay_profiler_run. Not collective.
  !! @param[in]    path    path of the file; trailing blanks are removed
  !! @param[inout] record  its previous object is destroyed
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT, SCALAY_ERROR_MEMORY
  subroutine scalay_profile_record_read(path, record, status)
    character(*), intent(in) :: path
    class(scalay_profile_record), intent(inout) :: record
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    call record%destroy()
    code = c_profile_record_read(chars_of(trim(path)), handle)
    call record%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_profile_record_read

  !> Releases a record. The variable is empty afterwards.
  subroutine scalay_profile_record_destroy(record)
    class(scalay_profile_record), intent(inout) :: record
    type(c_ptr) :: object
    object = record%c_object()
    call c_profile_record_destroy(object)
    call record%set_handle(c_null_ptr)
  end subroutine scalay_profile_record_destroy

  !> Returns the facts of a whole record. Not collective.
  !! @param[out] facts   empty after a failure
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_profile_record_get(record, facts, status)
    class(scalay_profile_record), intent(in) :: record
    type(scalay_profile_facts), intent(out) :: facts
    integer(c_int), intent(out), optional :: status
    type(c_profile_facts) :: c
    type(scalay_repeat_options), pointer :: repeat
    integer(c_int) :: code
    code = c_profile_record_get(record%c_object(), c)
    if (code == SCALAY_SUCCESS) then
      facts%kernel = string_of(c%kernel)
      facts%meter = string_of(c%meter)
      facts%modelled = c%modelled /= 0
      facts%shared_meter = c%shared_meter /= 0
      facts%processors = c%processors
      facts%sizes = c%sizes
      facts%state = c%state
      call c_f_pointer(c%repeat, repeat)
      facts%repeat = repeat
    end if
    call return_status(code, status)
  end subroutine scalay_profile_record_get

  !> Returns a rank of a record. Not collective.
  !! @param[in]  processor  1 <= processor <= processors: rank 0 is processor 1
  !! @param[out] facts      empty after a failure
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_profile_record_processor(record, processor, facts, status)
    class(scalay_profile_record), intent(in) :: record
    integer(c_int), intent(in) :: processor
    type(scalay_profile_processor), intent(out) :: facts
    integer(c_int), intent(out), optional :: status
    type(c_profile_processor) :: c
    integer(c_int) :: code
    code = c_profile_record_processor(record%c_object(), processor - 1_c_int, c)
    if (code == SCALAY_SUCCESS) then
      facts%name = string_of(c%name)
      facts%group = string_of(c%group)
      facts%host = string_of(c%host)
      facts%binding = string_of(c%binding)
      facts%cores = c%cores
      facts%threads = c%threads
      facts%static_power = c%static_power
    end if
    call return_status(code, status)
  end subroutine scalay_profile_record_processor

  !> Returns a size on a rank. Not collective.
  !! @param[in]  processor  1 <= processor <= processors
  !! @param[in]  index      1 <= index <= sizes; sizes ascend
  !! @param[out] point      empty after a failure
  !! @param[out] status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_profile_record_point(record, processor, index, point, status)
    class(scalay_profile_record), intent(in) :: record
    integer(c_int), intent(in) :: processor
    integer(c_int64_t), intent(in) :: index
    type(scalay_profile_point), intent(out) :: point
    integer(c_int), intent(out), optional :: status
    type(c_profile_point) :: c
    integer(c_int) :: code
    code = c_profile_record_point(record%c_object(), processor - 1_c_int, index - 1_c_int64_t, c)
    if (code == SCALAY_SUCCESS) then
      point%size = c%size
      point%time = c%time
      point%time_half_width = c%time_half_width
      point%median = c%median
      point%deviation = c%deviation
      point%spread = c%spread
      point%normality = c%normality
      point%energy = c%energy
      point%energy_half_width = c%energy_half_width
      point%repetitions = c%repetitions
      point%outliers = c%outliers
      point%precise = c%precise /= 0
      if (c_associated(c%hole)) point%hole = string_of(c%hole)
      if (c_associated(c%meter_failure)) point%meter_failure = string_of(c%meter_failure)
    end if
    call return_status(code, status)
  end subroutine scalay_profile_record_point

  !> Returns whether the energies of ranks that share a meter are additive at a size. Not collective.
  !! @param[in]  index        1 <= index <= sizes; sizes ascend
  !! @param[out] difference   (joint - sum) / sum; NaN: the meter was not shared, or failed; 0 after a failure
  !! @param[out] uncertainty  of the difference; NaN: not known; 0 after a failure
  !! @param[out] status       SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_profile_record_additive(record, index, difference, uncertainty, status)
    class(scalay_profile_record), intent(in) :: record
    integer(c_int64_t), intent(in) :: index
    real(c_double), intent(out) :: difference, uncertainty
    integer(c_int), intent(out), optional :: status
    difference = 0
    uncertainty = 0
    call return_status(c_profile_record_additive(record%c_object(), index - 1_c_int64_t, difference, uncertainty), status)
  end subroutine scalay_profile_record_additive
end module scalay_profiler_mod
