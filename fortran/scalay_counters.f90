!> Hardware counters: cycles, operations, cache misses, and other events by their names in PAPI (counters.h).
!!
!! An event that cannot be counted is listed with the reason, and the other events are counted. No procedure is
!! collective.
module scalay_counters_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_f_pointer
  use scalay_c
  use scalay_support, only: scalay_object, return_status, string_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS
  implicit none
  private
  public :: scalay_counters, scalay_counters_summary, scalay_counter_name, scalay_counters_create
  public :: scalay_counters_get_summary, scalay_counters_start, scalay_counters_stop, scalay_counters_destroy

  !> A set of counters, of the creating thread and of the other threads of its process.
  type, extends(scalay_object) :: scalay_counters
  contains
    procedure, pass(counters) :: create => scalay_counters_create
    procedure :: get_summary => scalay_counters_get_summary
    procedure :: start => scalay_counters_start
    procedure :: stop => scalay_counters_stop
    procedure :: destroy => scalay_counters_destroy
  end type scalay_counters

  !> Name of an event.
  type :: scalay_counter_name
    character(:), allocatable :: text
  end type scalay_counter_name

  !> Properties of counters.
  type :: scalay_counters_summary
    integer(c_int) :: count = 0                          !< number of events that are counted
    integer(c_int) :: threads = 0                        !< threads counted at the last start; 0 before the first start
    type(scalay_counter_name), allocatable :: name(:)    !< shape [count]: names of the events
    character(:), allocatable :: unavailable             !< events and threads that cannot be counted, with the reasons
  end type scalay_counters_summary

contains

  !> Creates counters.
  !! @param[inout] counters  its previous object is destroyed
  !! @param[in]    events    names separated by commas; absent: cycles, instructions, operations, cache misses
  !! @param[out]   status    SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (no PAPI), SCALAY_ERROR_MEMORY
  subroutine scalay_counters_create(counters, events, status)
    class(scalay_counters), intent(inout) :: counters
    character(*), intent(in), optional :: events
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    call counters%destroy()
    if (present(events)) then
      code = c_counters_create(chars_of(trim(events)), handle)
    else
      code = c_counters_create(counters=handle)
    end if
    call counters%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_counters_create

  !> Returns the properties of counters.
  !! @param[out] summary  empty after a failure
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_counters_get_summary(counters, summary, status)
    class(scalay_counters), intent(in) :: counters
    type(scalay_counters_summary), intent(out) :: summary
    integer(c_int), intent(out), optional :: status
    type(c_counters_summary) :: found
    type(c_ptr), pointer :: name(:)
    integer(c_int) :: code, k
    summary%unavailable = ""
    allocate (summary%name(0))
    code = c_counters_get_summary(counters%c_object(), found)
    if (code == SCALAY_SUCCESS) then
      summary%count = found%count
      summary%threads = found%threads
      summary%unavailable = string_of(found%unavailable)
      deallocate (summary%name)
      allocate (summary%name(found%count))
      if (found%count > 0) call c_f_pointer(found%name, name, [found%count])
      do k = 1, found%count
        summary%name(k)%text = string_of(name(k))
      end do
    end if
    call return_status(code, status)
  end subroutine scalay_counters_get_summary

  !> Starts all counters at 0.
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MEMORY
  subroutine scalay_counters_start(counters, status)
    class(scalay_counters), intent(in) :: counters
    integer(c_int), intent(out), optional :: status
    call return_status(c_counters_start(counters%c_object()), status)
  end subroutine scalay_counters_start

  !> Stops all counters.
  !! @param[out] count   shape [number of events]: counts since the start; 0 after a failure
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MEMORY
  subroutine scalay_counters_stop(counters, count, status)
    class(scalay_counters), intent(in) :: counters
    integer(c_int64_t), allocatable, intent(out) :: count(:)
    integer(c_int), intent(out), optional :: status
    type(c_counters_summary) :: found
    integer(c_int) :: code
    found%count = 0
    if (counters%exists()) code = c_counters_get_summary(counters%c_object(), found)
    allocate (count(found%count), source=0_c_int64_t)
    code = c_counters_stop(counters%c_object(), count)
    if (code /= SCALAY_SUCCESS) count = 0
    call return_status(code, status)
  end subroutine scalay_counters_stop

  !> Releases counters. An empty variable is allowed.
  subroutine scalay_counters_destroy(counters)
    class(scalay_counters), intent(inout) :: counters
    type(c_ptr) :: object
    object = counters%c_object()
    call c_counters_destroy(object)
    call counters%set_handle(object)
  end subroutine scalay_counters_destroy
end module scalay_counters_mod
