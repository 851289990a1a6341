!> Profiles against the lists that they were made of.
module test_functions
  use, intrinsic :: iso_c_binding
  implicit none
contains
  !> Odd sizes are holes; the context is the seconds of a unit.
  integer(c_int) function even_sizes(size, time, energy, context) bind(C)
    integer(c_int64_t), value :: size
    real(c_double), intent(inout) :: time, energy
    type(c_ptr), value :: context
    real(c_double), pointer :: seconds
    call c_f_pointer(context, seconds)
    time = time + seconds * real(size, c_double)
    energy = energy + real(size**2, c_double)
    even_sizes = merge(1, 0, mod(size, 2_c_int64_t) == 0)
  end function even_sizes
end module test_functions

program profiles
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  use check_module
  use test_functions
  use scalay
  implicit none

  integer, parameter :: long = c_int64_t
  integer(long), parameter :: sizes(3) = [5_long, 1_long, 3_long]
  real(c_double), parameter :: times(3) = [1.5_c_double, 0.125_c_double, 0.75_c_double]
  real(c_double), parameter :: energies(3) = [20.5_c_double, 2.25_c_double, 8.0_c_double]

  call tables_tell_what_they_were_given()
  call functions_have_the_values_of_their_formulas()
  call joined_profiles_have_all_groups()
  call files_give_the_same_profile()
  call failures_leave_no_profile()
  call every_failed_allocation_is_told()
  call check_verdict()

contains

  subroutine tables_tell_what_they_were_given()
    type(scalay_profile) :: profile
    integer(long), allocatable :: told_sizes(:)
    real(c_double), allocatable :: told_times(:), told_energies(:)
    real(c_double) :: time, energy
    integer :: k
    call profile%table("gpu 0  ", 4_long, sizes, times, energies)
    call check(profile%groups() == 1 .and. profile%processors() == 4, "one group of four")
    call check(profile%name(1) == "gpu 0" .and. profile%multiplicity(1) == 4 .and. profile%largest(1) == 5, "its facts")
    call check(profile%name(0) == "" .and. profile%multiplicity(2) == 0 .and. profile%largest(2) == 0, "no other group")
    call check(profile%has_energy(), "energies are known")
    call profile%points(1, told_sizes, told_times, told_energies)
    call check(all(told_sizes == [1, 3, 5]), "sizes ascend")
    call check(all(nint(told_times * 1000) == [125, 750, 1500]), "times")
    call check(all(nint(told_energies * 100) == [225, 800, 2050]), "energies")
    do k = 1, 3
      call profile%get_point(1, sizes(k), time, energy)
      call check(abs(time - times(k)) <= 0 .and. abs(energy - energies(k)) <= 0, "a point")
    end do
    call profile%get_point(1, 2_long, time, energy)
    call check(.not. (ieee_is_finite(time) .or. ieee_is_finite(energy)), "a hole")
    call profile%get_point(1, 0_long, time)
    call check(abs(time) <= 0, "nothing costs nothing")
    call profile%table("cpu", 1_long, sizes, times)
    call check(.not. profile%has_energy() .and. profile%processors() == 1, "another one, without energies")
    call profile%points(1, told_sizes, energies=told_energies)
    call check(size(told_energies) == 0 .and. size(told_sizes) == 3, "no energies")
    call profile%destroy()
  end subroutine tables_tell_what_they_were_given

  subroutine functions_have_the_values_of_their_formulas()
    type(scalay_profile) :: profile
    integer(long), allocatable :: told(:)
    real(c_double), target :: seconds
    real(c_double) :: time, energy
    integer(long) :: k
    call profile%constant_speed("steady", 2_long, 8_long, 4.0_c_double, power=20.0_c_double)
    do k = 1, 8
      call profile%get_point(1, k, time, energy)
      call check(abs(time - real(k, c_double) / 4) <= 0 .and. abs(energy - real(5 * k, c_double)) <= 0, "steady")
    end do
    call profile%constant_speed("steady", 2_long, 8_long, 4.0_c_double)
    call check(.not. profile%has_energy(), "no power")
    call profile%piecewise_linear("smooth", 1_long, [4_long, 2_long], [2.0_c_double, 0.5_c_double])
    call profile%get_point(1, 3_long, time)
    call check(abs(time - 1.25_c_double) <= 0, "in the middle")
    call profile%get_point(1, 1_long, time)
    call check(abs(time - 0.25_c_double) <= 0, "from zero on")
    seconds = 0.5
    call profile%function("even", 1_long, 7_long, even_sizes, .true., context=c_loc(seconds))
    call profile%points(1, told)
    call check(all(told == [2, 4, 6]), "odd sizes are holes")
    call profile%get_point(1, 6_long, time, energy)
    call check(abs(time - 3) <= 0 .and. abs(energy - 36) <= 0, "what the function says")
    call profile%destroy()
  end subroutine functions_have_the_values_of_their_formulas

  subroutine joined_profiles_have_all_groups()
    type(scalay_profile) :: parts(2), whole
    integer :: status
    call parts(1)%table("a", 3_long, sizes, times, energies)
    call parts(2)%constant_speed("b", 2_long, 4_long, 1.0_c_double, power=0.5_c_double)
    call whole%join(parts)
    call check(whole%groups() == 2 .and. whole%processors() == 5, "both groups")
    call check(whole%has_energy(), "with energies")
    call check(whole%name(1) == "a", "the first")
    call check(whole%name(2) == "b", "and the second")
    call whole%join([parts(1), parts(1)], status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a name twice", "'a'")
    call check(.not. whole%exists(), "no profile")
    call whole%join(parts(1:0), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "nothing to join", "profiles is 0")
    call parts(1)%destroy()
    call parts(2)%destroy()
  end subroutine joined_profiles_have_all_groups

  subroutine files_give_the_same_profile()
    type(scalay_profile) :: profile, same
    integer(long), allocatable :: told(:)
    character(*), parameter :: path = "fortran_profiles.csv"
    real(c_double), allocatable :: a(:), b(:)
    integer :: status, unit
    call profile%parse("text", "processor,size,time,energy,count" // new_line("a") // "b,2,0.1,3e-3,7" // new_line("a") &
      // "b,1,0.3,1,7" // new_line("a") // "a,9,2,0.5,1")
    call check(profile%groups() == 2 .and. profile%processors() == 8, "what the text says")
    call check(profile%name(1) == "b", "in its order")
    call profile%write(path // "  ")
    call same%read(path)
    call profile%points(1, told, a)
    call same%points(1, told, b)
    call check(all(told == [1, 2]) .and. all(abs(a - b) <= 0) .and. same%processors() == 8, "written and read")
    open (newunit=unit, file=path)
    close (unit, status="delete")
    call same%read(path, status)
    call check_status(status, SCALAY_ERROR_FILE, "no such file", path)
    call same%parse("mine.csv", "processor,size,time" // new_line("a") // "a,0,1", status)
    call check_status(status, SCALAY_ERROR_FORMAT, "size 0", "mine.csv, line 2, field 2 (size) is '0'")
    call check(.not. same%exists(), "no profile")
    call same%parse("mine.csv", "# modelled" // new_line("a") // "processor,size,time,energy" // new_line("a") // "a,1,1,1")
    call check(same%is_modelled() .and. .not. profile%is_modelled(), "joules that were computed")
    call same%destroy()
    call profile%write("no_such_folder/" // path, status)
    call check_status(status, SCALAY_ERROR_FILE, "no such folder", "no_such_folder")
    call profile%destroy()
  end subroutine files_give_the_same_profile

  subroutine failures_leave_no_profile()
    type(scalay_profile) :: profile
    integer(long), allocatable :: told(:)
    real(c_double), allocatable :: a(:), b(:)
    real(c_double) :: time
    integer :: status
    call profile%table("a", 1_long, sizes, times(:2), status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "lists of different lengths", "lengths")
    call profile%piecewise_linear("a", 1_long, sizes, times, energies(:1), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "lists of different lengths", "lengths")
    call profile%table("a,b", 1_long, sizes, times, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a comma in a name", "name is 'a,b'")
    call profile%table("a", 1_long, [1_long, 1_long], times(:2), status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a size twice", "size[1] is 1")
    call profile%table("a", 1_long, [1_long, 2_long], times(:2), [1e10_c_double, 1e-7_c_double], status)
    call check_status(status, SCALAY_ERROR_RANGE, "no common unit", "energy[0]")
    call profile%constant_speed("a", 1_long, 0_long, 1.0_c_double, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no sizes", "largest is 0")
    call check(.not. profile%exists() .and. profile%groups() == 0 .and. profile%processors() == 0, "no profile")
    call check(.not. profile%has_energy(), "which knows no energies")
    call check(profile%name(1) == "", "and no names")
    call profile%points(1, told, a, b, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no profile", "profile is NULL")
    call check(size(told) + size(a) + size(b) == 0, "nothing after a failure")
    call profile%table("a", 1_long, sizes, times)
    call profile%points(2, told, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such group", "group is 2; it must be in [1, 1]")
    call profile%get_point(0, 1_long, time, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no group 0", "group is 0")
    call profile%destroy()
    call profile%destroy()
  end subroutine failures_leave_no_profile

  ! The n-th allocation fails, for every n until all succeed: the status says so, nothing exists, nothing is left.
  subroutine every_failed_allocation_is_told()
    type(scalay_profile) :: parts(2), whole
    integer(long) :: n
    integer :: status
    logical :: told
    do n = 1, 1000
      call memory_fail_at(n)
      call parts(1)%table("a", 3_long, sizes, times, energies, status)
      told = parts(1)%exists() .eqv. status == SCALAY_SUCCESS
      if (status == SCALAY_SUCCESS) call parts(2)%constant_speed("b", 2_long, 4_long, 1.0_c_double, &
        power=0.5_c_double, status=status)
      told = told .and. (parts(2)%exists() .eqv. status == SCALAY_SUCCESS)
      if (status == SCALAY_SUCCESS) call whole%join(parts, status)
      told = told .and. (whole%exists() .eqv. status == SCALAY_SUCCESS)
      call memory_fail_at(0_long)
      call check(told .and. (status == SCALAY_SUCCESS .or. status == SCALAY_ERROR_MEMORY), "a failed allocation")
      call parts(1)%destroy()
      call parts(2)%destroy()
      call whole%destroy()
      call check(memory_live() == 0, "nothing is left")
      if (status == SCALAY_SUCCESS) exit
    end do
    call check(n > 10 .and. n < 1000, "allocations failed, and then none")
  end subroutine every_failed_allocation_is_told
end program profiles
