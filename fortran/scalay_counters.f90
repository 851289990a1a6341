!> Counters of the processor: cycles, operations, misses, by the names that PAPI has for them (counters.h).
!!
!! What is not counted here is named, with the reason, and the rest is counted all the same. Events count from 1.
module scalay_counters_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use scalay_c
  use scalay_support, only: scalay_object, conclude, string_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS
  implicit none
  private
  public :: scalay_counters, scalay_counters_create, scalay_counters_count, scalay_counters_name
  public :: scalay_counters_unavailable, scalay_counters_threads, scalay_counters_start, scalay_counters_stop
  public :: scalay_counters_destroy

  !> Some counters, of the thread that makes them and of the other threads of its process.
  type, extends(scalay_object) :: scalay_counters
  contains
    procedure, pass(counters) :: create => scalay_counters_create
    procedure :: count => scalay_counters_count
    procedure :: name => scalay_counters_name
    procedure :: unavailable => scalay_counters_unavailable
    procedure :: threads => scalay_counters_threads
    procedure :: start => scalay_counters_start
    procedure :: stop => scalay_counters_stop
    procedure :: destroy => scalay_counters_destroy
  end type scalay_counters

contains

  !> Prepares counters. Not collective.
  !! @param[inout] counters  what it stood for before is destroyed
  !! @param[in]    events    names separated by commas; absent: some usual ones
  !! @param[out]   status    SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (no PAPI), SCALAY_ERROR_MEMORY
  subroutine scalay_counters_create(counters, events, status)
    class(scalay_counters), intent(inout) :: counters
    character(*), intent(in), optional :: events
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    call counters%destroy()
    if (present(events)) then
      code = c_counters_create(chars_of(trim(events)), made)
    else
      code = c_counters_create(counters=made)
    end if
    call counters%adopt(made)
    call conclude(code, status)
  end subroutine scalay_counters_create

  !> The number of events that are counted. Not collective.
  integer(c_int) function scalay_counters_count(counters)
    class(scalay_counters), intent(in) :: counters
    scalay_counters_count = c_counters_count(counters%c_object())
  end function scalay_counters_count

  !> The name of event k, counted from 1; "" when there is none. Not collective.
  function scalay_counters_name(counters, k) result(name)
    class(scalay_counters), intent(in) :: counters
    integer(c_int), intent(in) :: k
    character(:), allocatable :: name
    name = string_of(c_counters_name(counters%c_object(), k - 1_c_int))
  end function scalay_counters_name

  !> The events that are not counted here, each with the reason; "" when there is none. Not collective.
  function scalay_counters_unavailable(counters) result(missing)
    class(scalay_counters), intent(in) :: counters
    character(:), allocatable :: missing
    missing = string_of(c_counters_unavailable(counters%c_object()))
  end function scalay_counters_unavailable

  !> The threads that were there at the last start and are counted, the calling one among them; 0 before a start. Not
  !! collective.
  integer(c_int) function scalay_counters_threads(counters)
    class(scalay_counters), intent(in) :: counters
    scalay_counters_threads = c_counters_threads(counters%c_object())
  end function scalay_counters_threads

  !> Starts all counters from 0. Not collective.
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MEMORY
  subroutine scalay_counters_start(counters, status)
    class(scalay_counters), intent(in) :: counters
    integer(c_int), intent(out), optional :: status
    call conclude(c_counters_start(counters%c_object()), status)
  end subroutine scalay_counters_start

  !> Stops all counters. Not collective.
  !! @param[out] count   shape [count()]: events since the start; all zero after a failure
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MEMORY
  subroutine scalay_counters_stop(counters, count, status)
    class(scalay_counters), intent(in) :: counters
    integer(c_int64_t), allocatable, intent(out) :: count(:)
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: code
    allocate (count(counters%count()), source=0_c_int64_t)
    code = c_counters_stop(counters%c_object(), count)
    if (code /= SCALAY_SUCCESS) count = 0
    call conclude(code, status)
  end subroutine scalay_counters_stop

  !> Releases counters; none is fine. Not collective.
  subroutine scalay_counters_destroy(counters)
    class(scalay_counters), intent(inout) :: counters
    type(c_ptr) :: object
    object = counters%c_object()
    call c_counters_destroy(object)
    call counters%adopt(object)
  end subroutine scalay_counters_destroy
end module scalay_counters_mod
