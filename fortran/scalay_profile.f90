!> Profiles: the execution time, and optionally the dynamic energy, of each processor at each measured size (profile.h).
!!
!! A profile is a list of groups, numbered from 1. A group is a number of identical processors that share one function.
!! A size that is not listed is a hole: no processor of the group can get this size. Size 0 is always possible and costs
!! nothing. Sizes and counts are integer(c_int64_t). Energies are kept as decimal numbers, so that their sums are exact.
!! No procedure is collective.
module scalay_profile_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, string_of, chars_of
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
    !> Sets the time and energy of a size. Both are 0 before the call. Returns 0 if the size is a hole, and any other
    !! value if it is a point.
    integer(c_int) function scalay_profile_callback(size, time, energy, context) bind(C)
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: size
      real(c_double), intent(inout) :: time, energy
      type(c_ptr), value :: context
    end function scalay_profile_callback
  end interface

contains

  ! Replaces the handle of a variable by that of a new profile, or by none after a failure.
  subroutine replace_handle(profile, handle, code, status)
    class(scalay_profile), intent(inout) :: profile
    type(c_ptr), intent(in) :: handle
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    call profile%destroy()
    call profile%set_handle(handle)
    call return_status(code, status)
  end subroutine replace_handle

  ! Checks that the lists have one length.
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
      function // ": sizes, times and energies have different lengths; pass one time and one energy for each size")
  end function check_lists

  integer(c_int) function check_group(function, profile, group) result(code)
    character(*), intent(in) :: function
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    character(80) :: message
    code = SCALAY_SUCCESS
    if (.not. profile%exists() .or. (group >= 1 .and. group <= profile%groups())) return
    write (message, "(': group is ', i0, '; it must be in [1, ', i0, ']')") group, profile%groups()
    code = fail(SCALAY_ERROR_ARGUMENT, function // trim(message))
  end function check_group

  !> Creates a profile of one group from a table.
  !! @param[in]    name      name of the group: 1 to 255 bytes, no commas, double quotes or control characters, and no #
  !!                         at the start; trailing blanks are removed
  !! @param[in]    count     number of identical processors, at least 1
  !! @param[in]    sizes     distinct, at least 1, in any order
  !! @param[in]    times     one for each size: seconds, finite, at least 0
  !! @param[inout] profile   to be released with destroy
  !! @param[in]    energies  one for each size: joules, finite, at least 0; absent: not known
  !! @param[out]   status    SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (no common decimal unit
  !!                         holds all energies), SCALAY_ERROR_MEMORY
  subroutine scalay_profile_table(name, count, sizes, times, profile, energies, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), intent(in) :: sizes(:)
    real(c_double), intent(in) :: times(:)
    class(scalay_profile), intent(inout) :: profile
    real(c_double), intent(in), optional :: energies(:)
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = check_lists("scalay_profile_table", sizes, times, energies)
    if (code == SCALAY_SUCCESS) code = c_profile_table(chars_of(trim(name)), count, size(sizes, kind=c_int64_t), &
      sizes, times, energies, handle)
    call replace_handle(profile, handle, code, status)
  end subroutine scalay_profile_table

  !> Creates a profile of one group with constant speed and power. Every size from 1 to `largest` is listed. Its time
  !! is size / speed. Its energy is power * time, rounded to a microjoule.
  !! @param[in]    name, count  as in scalay_profile_table
  !! @param[in]    largest      the largest size, at least 1
  !! @param[in]    speed        units per second, positive and finite
  !! @param[inout] profile      to be released with destroy
  !! @param[in]    power        dynamic power in watts, finite; absent or negative: energies are not known
  !! @param[out]   status       as in scalay_profile_table
  subroutine scalay_profile_constant_speed(name, count, largest, speed, profile, power, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count, largest
    real(c_double), intent(in) :: speed
    class(scalay_profile), intent(inout) :: profile
    real(c_double), intent(in), optional :: power
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    real(c_double) :: watts
    watts = -1
    if (present(power)) watts = power
    code = c_profile_constant_speed(chars_of(trim(name)), count, largest, speed, watts, handle)
    call replace_handle(profile, handle, code, status)
  end subroutine scalay_profile_constant_speed

  !> Creates a profile of one group by linear interpolation between neighbouring points, and between (0, 0) and the
  !! first point. Every size from 1 to the last point is listed. Energies are rounded to a microjoule. Parameters as in
  !! scalay_profile_table.
  subroutine scalay_profile_piecewise_linear(name, count, sizes, times, profile, energies, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), intent(in) :: sizes(:)
    real(c_double), intent(in) :: times(:)
    class(scalay_profile), intent(inout) :: profile
    real(c_double), intent(in), optional :: energies(:)
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = check_lists("scalay_profile_piecewise_linear", sizes, times, energies)
    if (code == SCALAY_SUCCESS) code = c_profile_piecewise_linear(chars_of(trim(name)), count, &
      size(sizes, kind=c_int64_t), sizes, times, energies, handle)
    call replace_handle(profile, handle, code, status)
  end subroutine scalay_profile_piecewise_linear

  !> Creates a profile of one group from a callback, which is called once for every size from 1 to `largest`.
  !! @param[in]    name, count  as in scalay_profile_table
  !! @param[in]    largest      at least 1
  !! @param[in]    callback     its results must satisfy the conditions of scalay_profile_table
  !! @param[in]    has_energy   .false.: energies are not known, and the callback's energies are ignored
  !! @param[inout] profile      to be released with destroy
  !! @param[in]    context      passed to the callback
  !! @param[out]   status       as in scalay_profile_table
  subroutine scalay_profile_function(name, count, largest, callback, has_energy, profile, context, status)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: count, largest
    procedure(scalay_profile_callback) :: callback
    logical, intent(in) :: has_energy
    class(scalay_profile), intent(inout) :: profile
    type(c_ptr), intent(in), optional :: context
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle, passed_context
    integer(c_int) :: code
    passed_context = c_null_ptr
    if (present(context)) passed_context = context
    code = c_profile_function(chars_of(trim(name)), count, largest, c_funloc(callback), passed_context, &
      merge(1_c_int, 0_c_int, has_energy), handle)
    call replace_handle(profile, handle, code, status)
  end subroutine scalay_profile_function

  !> Concatenates the groups of several profiles. The energies of the result are known if all profiles know theirs.
  !! @param[in]    list     at least one; the names of all groups must differ
  !! @param[inout] profile  to be released with destroy; it must not be in the list
  !! @param[out]   status   as in scalay_profile_table
  subroutine scalay_profile_join(list, profile, status)
    type(scalay_profile), intent(in) :: list(:)
    class(scalay_profile), intent(inout) :: profile
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: objects(size(list)), handle
    integer(c_int) :: k, code
    do k = 1, size(list)
      objects(k) = list(k)%c_object()
    end do
    code = c_profile_join(size(list), objects, handle)
    call replace_handle(profile, handle, code, status)
  end subroutine scalay_profile_join

  !> Reads a profile from a CSV file with the header `processor,size,time` or `processor,size,time,energy`, optionally
  !! with `count`, in any order.
  !! @param[in]    path     path of the file; trailing blanks are removed
  !! @param[inout] profile  to be released with destroy
  !! @param[out]   status   SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (the message names file, line, field,
  !!                        value and remedy), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine scalay_profile_read(path, profile, status)
    character(*), intent(in) :: path
    class(scalay_profile), intent(inout) :: profile
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_profile_read(chars_of(trim(path)), handle)
    call replace_handle(profile, handle, code, status)
  end subroutine scalay_profile_read

  !> Reads a profile from a text in memory, with line ends. The format is that of scalay_profile_read.
  !! @param[in]    name     name of the text, for messages; trailing blanks are removed
  !! @param[in]    text     content of a file
  !! @param[inout] profile  to be released with destroy
  !! @param[out]   status   as in scalay_profile_read
  subroutine scalay_profile_parse(name, text, profile, status)
    character(*), intent(in) :: name, text
    class(scalay_profile), intent(inout) :: profile
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_profile_parse(chars_of(trim(name)), chars_of(text), len(text, kind=c_size_t), handle)
    call replace_handle(profile, handle, code, status)
  end subroutine scalay_profile_parse

  !> Writes a profile to a file, from which scalay_profile_read reads the same profile. The file appears under its name
  !! when it is complete, or not at all.
  !! @param[in]  profile  a profile
  !! @param[in]  path     path of the file; trailing blanks are removed
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
  subroutine scalay_profile_write(profile, path, status)
    class(scalay_profile), intent(in) :: profile
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: status
    call return_status(c_profile_write(profile%c_object(), chars_of(trim(path))), status)
  end subroutine scalay_profile_write

  !> Releases a profile. An empty variable is allowed.
  subroutine scalay_profile_destroy(profile)
    class(scalay_profile), intent(inout) :: profile
    type(c_ptr) :: object
    object = profile%c_object()
    call c_profile_destroy(object)
    call profile%set_handle(object)
  end subroutine scalay_profile_destroy

  !> Returns the number of groups; 0 for an empty variable.
  pure integer(c_int) function scalay_profile_groups(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_groups = c_profile_groups(profile%c_object())
  end function scalay_profile_groups

  !> Returns the number of processors, the sum of the counts; 0 for an empty variable.
  pure integer(c_int64_t) function scalay_profile_processors(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_processors = c_profile_processors(profile%c_object())
  end function scalay_profile_processors

  !> Returns .true. if energies are known.
  pure logical function scalay_profile_has_energy(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_has_energy = c_profile_has_energy(profile%c_object()) /= 0
  end function scalay_profile_has_energy

  !> Returns .true. if the energies were computed by a declared model and not measured.
  pure logical function scalay_profile_is_modelled(profile)
    class(scalay_profile), intent(in) :: profile
    scalay_profile_is_modelled = c_profile_is_modelled(profile%c_object()) /= 0
  end function scalay_profile_is_modelled

  !> Returns the name of a group, numbered from 1; empty if there is no such group.
  function scalay_profile_name(profile, group) result(name)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    character(:), allocatable :: name
    name = string_of(c_profile_name(profile%c_object(), group - 1))
  end function scalay_profile_name

  !> Returns the number of processors of a group, numbered from 1; 0 if there is no such group.
  pure integer(c_int64_t) function scalay_profile_multiplicity(profile, group)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    scalay_profile_multiplicity = c_profile_multiplicity(profile%c_object(), group - 1)
  end function scalay_profile_multiplicity

  !> Returns the largest size of a group, numbered from 1; 0 if there is no such group.
  pure integer(c_int64_t) function scalay_profile_largest(profile, group)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    scalay_profile_largest = c_profile_largest(profile%c_object(), group - 1)
  end function scalay_profile_largest

  !> Returns the function of a group.
  !! @param[in]  profile   a profile
  !! @param[in]  group     numbered from 1
  !! @param[out] sizes     ascending; a copy; empty after a failure
  !! @param[out] times     seconds; a copy; empty after a failure
  !! @param[out] energies  joules; a copy; empty if not known, and after a failure
  !! @param[out] status    SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_profile_points(profile, group, sizes, times, energies, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int), intent(in) :: group
    integer(c_int64_t), allocatable, intent(out) :: sizes(:)
    real(c_double), allocatable, intent(out), optional :: times(:), energies(:)
    integer(c_int), intent(out), optional :: status
    integer(c_int64_t), pointer :: c_sizes(:)
    real(c_double), pointer :: c_values(:)
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
      call c_f_pointer(first_size, c_sizes, [points])
      sizes = c_sizes
      call c_f_pointer(first_time, c_values, [points])
      if (present(times)) times = c_values
      if (present(energies) .and. c_associated(first_energy)) then
        call c_f_pointer(first_energy, c_values, [points])
        energies = c_values
      end if
    end if
    call return_status(code, status)
  end subroutine scalay_profile_points

  !> Returns the time and energy of one size. Time: logarithmic in the number of points.
  !! @param[in]  profile  a profile
  !! @param[in]  group    numbered from 1
  !! @param[in]  size     any; size 0 has time 0 and energy 0
  !! @param[out] time     seconds; infinity if the size is a hole
  !! @param[out] energy   joules; infinity if the size is a hole; 0 if not known
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
    call return_status(code, status)
  end subroutine scalay_profile_get_point
end module scalay_profile_mod
