!> Profiles: how long each processor takes, and what energy it needs, for every size that it was measured at (profile.h).
!!
!! A size that is not listed is a hole: it cannot be assigned. Size 0 costs nothing. A group is a number of identical
!! processors with one function; a profile is a list of groups. Groups count from 1. Sizes and counts are
!! integer(c_int64_t). Energies are kept as decimal numbers, so that their sums are exact. Nothing here is collective.
module scalay_profile_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, conclude, fail, string_of, chars_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  implicit none
  private
  public :: scalay_profile, scalay_profile_callback
  public :: scalay_profile_table, scalay_profile_constant_speed, scalay_profile_piecewise_linear
  public :: scalay_profile_function, scalay_profile_join, scalay_profile_read, scalay_profile_parse
  public :: scalay_profile_write, scalay_profile_destroy, scalay_profile_groups, scalay_profile_processors
  public :: scalay_profile_has_energy, scalay_profile_is_modelled, scalay_profile_name, scalay_profile_multiplicity
  public :: scalay_profile_largest, scalay_profile_points, scalay_profile_get_point

  !> The time and energy functions of a set of processors.
  type, extends(scalay_object) :: scalay_profile
  contains
    procedure, pass(profile) :: table => scalay_profile_table
    procedure, pass(profile) :: constant_speed => scalay_profile_constant_speed
    procedure, pass(profile) :: piecewise_linear => scalay_profile_piecewise_linear
    procedure, pass(profile) :: function => scalay_profile_function
    procedure, pass(profile) :: join => scalay_profile_join
    procedure, pass(profile) :: read => scalay_profile_read
    procedure, pass(profile) :: parse => scalay_profile_parse
    procedure :: write => scalay_profile_write
    procedure :: destroy => scalay_profile_destroy
    procedure :: groups => scalay_profile_groups
    procedure :: processors => scalay_profile_processors
    procedure :: has_energy => scalay_profile_has_energy
    procedure :: is_modelled => scalay_profile_is_modelled
    procedure :: name => scalay_profile_name
    procedure :: multiplicity => scalay_profile_multiplicity
    procedure :: largest => scalay_profile_largest
    procedure :: points => scalay_profile_points
    procedure :: get_point => scalay_profile_get_point
  end type scalay_profile

  abstract interface
    !> The time and energy of a size; both are 0 before the call. Returns 0 for a hole, anything else for a point.
    integer(c_int) function scalay_profile_callback(size, time, energy, context) bind(C)
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: size
      real(c_double), intent(inout) :: time, energy
      type(c_ptr), value :: context
    end function scalay_profile_callback
  end interface

contains

  ! The variable stands for a new profile from now on, or for none after a failure.
  subroutine renew(profile, made, code, status)
    class(scalay_profile), intent(inout) :: profile
    type(c_ptr), intent(in) :: made
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    call profile%destroy()
    call profile%adopt(made)
    call conclude(code, status)
  end subroutine renew

  ! Lists of one length, and a group that there is, before C is asked.
  integer(c_int) function check_lists(function, sizes, times, energies) result(code)
    character(*), intent(in) :: function
    integer(c_int64_t), intent(in) :: sizes(:)
    real(c_double), intent(in) :: times(:)
    real(c_double), intent(in), optional :: energies(:)
    logical :: alike
    alike = size(times) == size(sizes)
    if (present(energies)) alike = alike .and. size(energies) == size(sizes)
    code = SCALAY_SUCCESS
    if (.not. alike) code = fail(SCALAY_ERROR_ARGUMENT, &
      function // ": sizes, times and energies have different lengths; give one time and energy for each size")
  end function check_lists

  integer(c_int) function check_group(function, profile, group) result(code)
    character(*), intent(in) :: function
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    character(80) :: message
    code = SCALAY_SUCCESS
    if (.not. profile%exists() .or. (group >= 1 .and. group <= profile%groups())) return
    write (message, "(': group = ', i0, '; it must be 1 to ', i0)") group, profile%groups()
    code = fail(SCALAY_ERROR_ARGUMENT, function // trim(message))
  end function check_group

  !> A group of identical processors from a table.
  !! @param[in]    name      of the group: 1 to 255 bytes, no commas, double quotes and control characters, no # at the
  !!                         start; blanks at its end do not count
  !! @param[in]    count     number of identical processors, at least 1
  !! @param[in]    sizes     distinct, at least 1, in any order
  !! @param[in]    times     one for each size: seconds, finite, at least 0
  !! @param[inout] profile   to be released with destroy
  !! @param[in]    energies  one for each size: joules, finite, at least 0; absent: not known
  !! @param[out]   status    SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (energies that no common decimal
  !!                         fixed point holds), SCALAY_ERROR_MEMORY
  subroutine scalay_profile_table(name, count, sizes, times, profile, energies, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), intent(in) :: sizes(:)
    real(c_double), intent(in) :: times(:)
    class(scalay_profile), intent(inout) :: profile
    real(c_double), intent(in), optional :: energies(:)
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    made = c_null_ptr
    code = check_lists("scalay_profile_table", sizes, times, energies)
    if (code == SCALAY_SUCCESS) code = c_profile_table(chars_of(trim(name)), count, size(sizes, kind=c_int64_t), &
      sizes, times, energies, made)
    call renew(profile, made, code, status)
  end subroutine scalay_profile_table

  !> A group of constant speed and power: every size up to the largest, time size / speed, energy power times time,
  !! rounded to a microjoule.
  !! @param[in]    name, count  as in scalay_profile_table
  !! @param[in]    largest      the largest size, at least 1
  !! @param[in]    speed        units per second, positive and finite
  !! @param[inout] profile      to be released with destroy
  !! @param[in]    power        dynamic power in watts, at least 0 and finite; absent or negative: energies are not known
  !! @param[out]   status       as in scalay_profile_table
  subroutine scalay_profile_constant_speed(name, count, largest, speed, profile, power, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count, largest
    real(c_double), intent(in) :: speed
    class(scalay_profile), intent(inout) :: profile
    real(c_double), intent(in), optional :: power
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    real(c_double) :: watts
    watts = -1
    if (present(power)) watts = power
    code = c_profile_constant_speed(chars_of(trim(name)), count, largest, speed, watts, made)
    call renew(profile, made, code, status)
  end subroutine scalay_profile_constant_speed

  !> A group whose time and energy are linear between the listed points, and from (0, 0) to the first: every size up to
  !! the last point's, energies rounded to a microjoule. Parameters as in scalay_profile_table.
  subroutine scalay_profile_piecewise_linear(name, count, sizes, times, profile, energies, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), intent(in) :: sizes(:)
    real(c_double), intent(in) :: times(:)
    class(scalay_profile), intent(inout) :: profile
    real(c_double), intent(in), optional :: energies(:)
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    made = c_null_ptr
    code = check_lists("scalay_profile_piecewise_linear", sizes, times, energies)
    if (code == SCALAY_SUCCESS) code = c_profile_piecewise_linear(chars_of(trim(name)), count, &
      size(sizes, kind=c_int64_t), sizes, times, energies, made)
    call renew(profile, made, code, status)
  end subroutine scalay_profile_piecewise_linear

  !> A group whose function is a callback, asked once for every size from 1 to the largest.
  !! @param[in]    name, count  as in scalay_profile_table
  !! @param[in]    largest      at least 1
  !! @param[in]    callback     what it answers is checked as in scalay_profile_table
  !! @param[in]    has_energy   .false.: the energies are not known, whatever the callback sets
  !! @param[inout] profile      to be released with destroy
  !! @param[in]    context      handed to the callback
  !! @param[out]   status       as in scalay_profile_table
  subroutine scalay_profile_function(name, count, largest, callback, has_energy, profile, context, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count, largest
    procedure(scalay_profile_callback) :: callback
    logical, intent(in) :: has_energy
    class(scalay_profile), intent(inout) :: profile
    type(c_ptr), intent(in), optional :: context
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made, handed
    integer(c_int) :: code
    handed = c_null_ptr
    if (present(context)) handed = context
    code = c_profile_function(chars_of(trim(name)), count, largest, c_funloc(callback), handed, &
      merge(1_c_int, 0_c_int, has_energy), made)
    call renew(profile, made, code, status)
  end subroutine scalay_profile_function

  !> The groups of several profiles, one after the other. Energies are known when all of them know theirs.
  !! @param[in]    list     at least one; names of groups must differ
  !! @param[inout] profile  to be released with destroy; none of the list
  !! @param[out]   status   as in scalay_profile_table
  subroutine scalay_profile_join(list, profile, status)
    type(scalay_profile), intent(in) :: list(:)
    class(scalay_profile), intent(inout) :: profile
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: objects(size(list)), made
    integer(c_int) :: k, code
    do k = 1, size(list)
      objects(k) = list(k)%c_object()
    end do
    code = c_profile_join(size(list), objects, made)
    call renew(profile, made, code, status)
  end subroutine scalay_profile_join

  !> Reads a profile from a CSV file with the header `processor,size,time` or `processor,size,time,energy` and optionally
  !! `count`, in any order.
  !! @param[in]    path     the file; blanks at its end do not count
  !! @param[inout] profile  to be released with destroy
  !! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (the message names file, line, field,
  !!                        value and remedy), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine scalay_profile_read(path, profile, status)
    character(*), intent(in) :: path
    class(scalay_profile), intent(inout) :: profile
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_profile_read(chars_of(trim(path)), made)
    call renew(profile, made, code, status)
  end subroutine scalay_profile_read

  !> Reads a profile from a text in memory, with line ends, as scalay_profile_read.
  !! @param[in]    name     of the text, for messages
  !! @param[in]    text     what a file would hold
  !! @param[inout] profile  to be released with destroy
  !! @param[out]   status   as in scalay_profile_read
  subroutine scalay_profile_parse(name, text, profile, status)
    character(*), intent(in) :: name, text
    class(scalay_profile), intent(inout) :: profile
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: code
    code = c_profile_parse(chars_of(trim(name)), chars_of(text), len(text, kind=c_size_t), made)
    call renew(profile, made, code, status)
  end subroutine scalay_profile_parse

  !> Writes a profile so that scalay_profile_read gives the same. The file appears under its name when it is complete,
  !! or not at all.
  !! @param[in]  profile  a profile
  !! @param[in]  path     the file; blanks at its end do not count
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
  subroutine scalay_profile_write(profile, path, status)
    class(scalay_profile), intent(in) :: profile
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: status
    call conclude(c_profile_write(profile%c_object(), chars_of(trim(path))), status)
  end subroutine scalay_profile_write

  !> Releases a profile. Fine when there is none.
  subroutine scalay_profile_destroy(profile)
    class(scalay_profile), intent(inout) :: profile
    type(c_ptr) :: object
    object = profile%c_object()
    call c_profile_destroy(object)
    call profile%adopt(object)
  end subroutine scalay_profile_destroy

  !> The number of groups; 0 when there is no profile.
  pure integer(c_int) function scalay_profile_groups(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_groups = c_profile_groups(profile%c_object())
  end function scalay_profile_groups

  !> The number of processors: the sum of the counts; 0 when there is no profile.
  pure integer(c_int64_t) function scalay_profile_processors(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_processors = c_profile_processors(profile%c_object())
  end function scalay_profile_processors

  !> Are the energies known?
  pure logical function scalay_profile_has_energy(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_has_energy = c_profile_has_energy(profile%c_object()) /= 0
  end function scalay_profile_has_energy

  !> Are the energies known, but computed from a declared model?
  pure logical function scalay_profile_is_modelled(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_is_modelled = c_profile_is_modelled(profile%c_object()) /= 0
  end function scalay_profile_is_modelled

  !> The name of a group, counted from 1; empty when group is none.
  function scalay_profile_name(profile, group) result(name)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    character(:), allocatable :: name
    name = string_of(c_profile_name(profile%c_object(), group - 1))
  end function scalay_profile_name

  !> The number of processors of a group, counted from 1; 0 when group is none.
  pure integer(c_int64_t) function scalay_profile_multiplicity(profile, group)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    scalay_profile_multiplicity = c_profile_multiplicity(profile%c_object(), group - 1)
  end function scalay_profile_multiplicity

  !> The largest size of a group, counted from 1; 0 when group is none.
  pure integer(c_int64_t) function scalay_profile_largest(profile, group)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    scalay_profile_largest = c_profile_largest(profile%c_object(), group - 1)
  end function scalay_profile_largest

  !> The function of a group.
  !! @param[in]  profile   a profile
  !! @param[in]  group     counted from 1
  !! @param[out] sizes     ascending; a copy; empty after a failure
  !! @param[out] times     seconds; a copy; empty after a failure
  !! @param[out] energies  joules; a copy; empty when not known and after a failure
  !! @param[out] status    SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_profile_points(profile, group, sizes, times, energies, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    integer(c_int64_t), allocatable, intent(out) :: sizes(:)
    real(c_double), allocatable, intent(out), optional :: times(:), energies(:)
    integer(c_int), intent(out), optional :: status
    integer(c_int64_t), pointer :: told_sizes(:)
    real(c_double), pointer :: told(:)
    type(c_ptr) :: first_size, first_time, first_energy
    integer(c_int64_t) :: points
    integer(c_int) :: code
    allocate (sizes(0))
    if (present(times)) allocate (times(0))
    if (present(energies)) allocate (energies(0))
    code = check_group("scalay_profile_points", profile, group)
    if (code == SCALAY_SUCCESS) &
      code = c_profile_points(profile%c_object(), group - 1, points, first_size, first_time, first_energy)
    if (code == SCALAY_SUCCESS) then
      call c_f_pointer(first_size, told_sizes, [points])
      sizes = told_sizes
      call c_f_pointer(first_time, told, [points])
      if (present(times)) times = told
      if (present(energies) .and. c_associated(first_energy)) then
        call c_f_pointer(first_energy, told, [points])
        energies = told
      end if
    end if
    call conclude(code, status)
  end subroutine scalay_profile_points

  !> The time and energy of one size. Logarithmic in the number of points.
  !! @param[in]  profile  a profile
  !! @param[in]  group    counted from 1
  !! @param[in]  size     any; 0 gives zeros
  !! @param[out] time     seconds; infinity for a hole
  !! @param[out] energy   joules; infinity for a hole; 0 when not known
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_profile_get_point(profile, group, size, time, energy, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    integer(c_int64_t), intent(in) :: size
    real(c_double), intent(inout) :: time
    real(c_double), intent(inout), optional :: energy
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: code
    code = check_group("scalay_profile_get_point", profile, group)
    if (code == SCALAY_SUCCESS) code = c_profile_get_point(profile%c_object(), group - 1, size, time, energy)
    call conclude(code, status)
  end subroutine scalay_profile_get_point
end module scalay_profile_mod
