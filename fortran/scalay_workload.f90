!> Workload distribution: how many of n units each processor of a profile should get (workload.h).
!!
!! A distribution assigns a listed size or 0 to every processor; they add up to n. Its time is the largest time of a
!! processor, its energy the sum of the energies. A problem without a solution is an answer, not an error: then
!! feasible() is .false., and nearest tells the totals next to n that can be distributed. Groups, processors,
!! points of a front count from 1. Sizes and counts are integer(c_int64_t). No procedure is collective.
module scalay_workload_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, string_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  use scalay_profile_mod, only: scalay_profile
  implicit none
  private
  public :: scalay_communication, scalay_communication_cost, scalay_workload, scalay_workload_front, scalay_workload_front_point
  public :: scalay_workload_options, scalay_workload_summary, scalay_workload_share
  public :: scalay_communication_function, scalay_communication_table, scalay_communication_read
  public :: scalay_communication_hockney, scalay_communication_evaluate, scalay_communication_destroy
  public :: scalay_workload_min_time, scalay_workload_min_energy, scalay_workload_front_create
  public :: scalay_workload_front_create_total, scalay_workload_destroy, scalay_workload_feasible
  public :: scalay_workload_nearest, scalay_workload_get_summary, scalay_workload_histogram, scalay_workload_sizes
  public :: scalay_workload_front_destroy, scalay_workload_front_count, scalay_workload_front_nearest
  public :: scalay_workload_front_get_point, scalay_workload_front_get_workload
  public :: scalay_workload_front_within_time, scalay_workload_front_within_energy, scalay_workload_front_knee

  ! How a communication cost is charged.
  integer(c_int), parameter, public :: SCALAY_COMMUNICATION_EXACT = 0    !< for the processors that are active
  integer(c_int), parameter, public :: SCALAY_COMMUNICATION_AT_MOST = 1  !< for those that take part, perhaps idle

  !> What it costs that q processors work together on a problem of size n.
  type, extends(scalay_object) :: scalay_communication
  contains
    procedure, pass(communication) :: function => scalay_communication_function
    procedure, pass(communication) :: table => scalay_communication_table
    procedure, pass(communication) :: read => scalay_communication_read
    procedure, pass(communication) :: hockney => scalay_communication_hockney
    procedure :: evaluate => scalay_communication_evaluate
    procedure :: destroy => scalay_communication_destroy
  end type scalay_communication

  !> A distribution, or the proof that there is none.
  type, extends(scalay_object) :: scalay_workload
  contains
    procedure, pass(workload) :: min_time => scalay_workload_min_time
    procedure, pass(workload) :: min_energy => scalay_workload_min_energy
    procedure :: destroy => scalay_workload_destroy
    procedure :: feasible => scalay_workload_feasible
    procedure :: nearest => scalay_workload_nearest
    procedure :: get_summary => scalay_workload_get_summary
    procedure :: histogram => scalay_workload_histogram
    procedure :: sizes => scalay_workload_sizes
  end type scalay_workload

  !> A Pareto front: times strictly ascending, energies strictly descending.
  type, extends(scalay_object) :: scalay_workload_front
  contains
    procedure, pass(front) :: create => scalay_workload_front_create
    procedure, pass(front) :: create_total => scalay_workload_front_create_total
    procedure :: destroy => scalay_workload_front_destroy
    procedure :: count => scalay_workload_front_count
    procedure :: nearest => scalay_workload_front_nearest
    procedure :: get_point => scalay_workload_front_get_point
    procedure :: get_workload => scalay_workload_front_get_workload
    procedure :: within_time => scalay_workload_front_within_time
    procedure :: within_energy => scalay_workload_front_within_energy
    procedure :: knee => scalay_workload_front_knee
  end type scalay_workload_front

  !> How to distribute.
  type :: scalay_workload_options
    type(scalay_communication) :: communication             !< added to time or energy; not for fronts
    integer(c_int) :: variant = SCALAY_COMMUNICATION_EXACT  !< how it is charged
  end type scalay_workload_options

  !> What a distribution comes to.
  type :: scalay_workload_summary
    integer(c_int64_t) :: size = 0         !< n
    integer(c_int64_t) :: processors = 0   !< of the profile
    integer(c_int64_t) :: active = 0       !< processors that get more than 0
    integer(c_int64_t) :: taking_part = 0  !< processors that communication is charged for; active without
    real(c_double) :: time = 0             !< seconds; NaN when there is no distribution
    real(c_double) :: energy = 0           !< joules; NaN when not known
    real(c_double) :: communication = 0    !< in the objective's unit; 0 without
    real(c_double) :: total = 0            !< the objective's value, communication included
    character(:), allocatable :: method    !< "auto", or the name of a published method
  end type scalay_workload_summary

  !> So many processors of a group get the same size.
  type :: scalay_workload_share
    integer(c_int) :: group = 0      !< of the profile, counted from 1
    integer(c_int64_t) :: size = 0   !< 0: idle
    integer(c_int64_t) :: count = 0  !< at least 1
  end type scalay_workload_share

  abstract interface
    !> The cost of n units on so many active processors, at least 0; infinity: not possible.
    real(c_double) function scalay_communication_cost(n, processors, context) bind(C)
      import :: c_double, c_int64_t, c_ptr
      integer(c_int64_t), value :: n, processors
      type(c_ptr), value :: context
    end function scalay_communication_cost
  end interface

contains

  include "scalay_communication.inc"

  ! The variable stands for a new distribution from now on, or for none after a failure.
  subroutine replace_workload(workload, handle, code, status)
    class(scalay_workload), intent(inout) :: workload
    type(c_ptr), intent(in) :: handle
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    call workload%destroy()
    call workload%set_handle(handle)
    call return_status(code, status)
  end subroutine replace_workload

  ! The same for a front.
  subroutine replace_front(front, handle, code, status)
    class(scalay_workload_front), intent(inout) :: front
    type(c_ptr), intent(in) :: handle
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    call front%destroy()
    call front%set_handle(handle)
    call return_status(code, status)
  end subroutine replace_front

  ! The options in C.
  type(c_workload_options) function options_of(options) result(c)
    type(scalay_workload_options), intent(in), optional :: options
    call c_workload_options_init(c, c_sizeof(c))
    if (.not. present(options)) return
    c%communication = options%communication%c_object()
    c%variant = options%variant
  end function options_of

  !> The distribution with the least time (plus communication); among those the fewest active processors.
  !! @param[in]    profile   a profile
  !! @param[in]    n         units to distribute, at least 0
  !! @param[inout] workload  to be released with destroy
  !! @param[in]    options   absent: the default
  !! @param[out]   status    SCALAY_SUCCESS (also if no distribution exists), SCALAY_ERROR_ARGUMENT,
  !!                         SCALAY_ERROR_RANGE (sums that do not fit), SCALAY_ERROR_MEMORY
  subroutine scalay_workload_min_time(profile, n, workload, options, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int64_t), intent(in) :: n
    class(scalay_workload), intent(inout) :: workload
    type(scalay_workload_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_workload_min_time(profile%c_object(), n, options_of(options), handle)
    call replace_workload(workload, handle, code, status)
  end subroutine scalay_workload_min_time

  !> The distribution with the least dynamic energy (plus communication); among those the fewest active processors. The
  !! profile has energies. Parameters as in scalay_workload_min_time.
  subroutine scalay_workload_min_energy(profile, n, workload, options, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int64_t), intent(in) :: n
    class(scalay_workload), intent(inout) :: workload
    type(scalay_workload_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_workload_min_energy(profile%c_object(), n, options_of(options), handle)
    call replace_workload(workload, handle, code, status)
  end subroutine scalay_workload_min_energy

  !> The Pareto front of time and dynamic energy. The profile has energies.
  !! @param[in]    profile, n, options  as in scalay_workload_min_time
  !! @param[inout] front                to be released with destroy; without points when there is no distribution
  !! @param[out]   status               as in scalay_workload_min_time
  subroutine scalay_workload_front_create(profile, n, front, options, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int64_t), intent(in) :: n
    class(scalay_workload_front), intent(inout) :: front
    type(scalay_workload_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_workload_front_create(profile%c_object(), n, options_of(options), handle)
    call replace_front(front, handle, code, status)
  end subroutine scalay_workload_front_create

  !> The Pareto front of time and total energy, dynamic energy + base power * time.
  !! @param[in]    base_power           watts, at least 0 and finite
  !! @param[in]    profile, n, options  as in scalay_workload_min_time
  !! @param[inout] front                as in scalay_workload_front_create
  !! @param[out]   status               as in scalay_workload_min_time
  subroutine scalay_workload_front_create_total(profile, n, base_power, front, options, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int64_t), intent(in) :: n
    real(c_double), intent(in) :: base_power
    class(scalay_workload_front), intent(inout) :: front
    type(scalay_workload_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_workload_front_create_total(profile%c_object(), n, base_power, options_of(options), handle)
    call replace_front(front, handle, code, status)
  end subroutine scalay_workload_front_create_total

  include "scalay_distribution.inc"
  include "scalay_workload_front.inc"
end module scalay_workload_mod
