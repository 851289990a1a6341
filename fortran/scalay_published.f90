!> Published methods of workload distribution, under their names, to compare with the exact solvers (published.h).
!!
!! Names and objectives are those of published.h. Methods count from 1.
module scalay_published_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: return_status, string_of, chars_of
  use scalay_context_mod, only: scalay_comm
  use scalay_profile_mod, only: scalay_profile
  use scalay_workload_mod, only: scalay_workload, scalay_workload_front
  implicit none
  private
  public :: scalay_published_methods, scalay_published_distribute, scalay_published_front, scalay_published_paraleph

  ! Objective of a published method.
  integer(c_int), parameter, public :: SCALAY_OBJECTIVE_TIME = 0         !< the maximum of the times
  integer(c_int), parameter, public :: SCALAY_OBJECTIVE_ENERGY = 1       !< the sum of the dynamic energies
  integer(c_int), parameter, public :: SCALAY_OBJECTIVE_FRONT = 2        !< front of time and dynamic energy
  integer(c_int), parameter, public :: SCALAY_OBJECTIVE_TOTAL_FRONT = 3  !< front of time and total energy

contains

  !> Returns the name of method k = 1, 2, ...; empty if k is out of range.
  !! @param[in]  k          number of the method
  !! @param[out] objective  objective of the method; unchanged if k is out of range
  function scalay_published_methods(k, objective) result(name)
    integer(c_int), intent(in) :: k
    integer(c_int), intent(inout), optional :: objective
    character(:), allocatable :: name
    integer(c_int) :: found
    found = -1
    name = string_of(c_published_methods(k - 1_c_int, found))
    if (present(objective) .and. found >= 0) objective = found
  end function scalay_published_methods

  !> Distributes n units with a published method. Not collective.
  !! @param[in]    profile   a profile; methods for energy require energies
  !! @param[in]    n         units to distribute, at least 0
  !! @param[in]    method    name of a method with the objective time or energy
  !! @param[inout] workload  release with destroy
  !! @param[out]   status    SCALAY_SUCCESS (also if no distribution exists), SCALAY_ERROR_ARGUMENT,
  !!                         SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED (the problem exceeds the
  !!                         limits of the method)
  subroutine scalay_published_distribute(profile, n, method, workload, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int64_t), intent(in) :: n
    character(*), intent(in) :: method
    class(scalay_workload), intent(inout) :: workload
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_published_distribute(profile%c_object(), n, chars_of(trim(method)), handle)
    call workload%destroy()
    call workload%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_published_distribute

  !> Computes a Pareto front with a published method. Not collective.
  !! @param[in]    profile     a profile with energies
  !! @param[in]    n           units to distribute, at least 0
  !! @param[in]    base_power  watts, at least 0 and finite; 0 for fronts of dynamic energy
  !! @param[in]    method      name of a method that computes fronts
  !! @param[inout] front       release with destroy
  !! @param[out]   status      as in scalay_published_distribute
  subroutine scalay_published_front(profile, n, base_power, method, front, status)
    class(scalay_profile), intent(in) :: profile
    integer(c_int64_t), intent(in) :: n
    real(c_double), intent(in) :: base_power
    character(*), intent(in) :: method
    class(scalay_workload_front), intent(inout) :: front
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_published_front(profile%c_object(), n, base_power, chars_of(trim(method)), handle)
    call front%destroy()
    call front%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_published_front

  !> Runs PARALEPH on all ranks of a communicator. Collective over comm. The result is the same on all ranks.
  !! @param[in]    comm        communicator
  !! @param[in]    profile, n  the same on all ranks; the profile has one group
  !! @param[in]    objective   SCALAY_OBJECTIVE_TIME or SCALAY_OBJECTIVE_ENERGY
  !! @param[inout] workload    release with destroy
  !! @param[in]    threads     threads per rank, at least 1; absent or 0: the number of OpenMP
  !! @param[out]   status      as in scalay_published_distribute, and SCALAY_ERROR_MISMATCH, SCALAY_ERROR_MPI
  subroutine scalay_published_paraleph(comm, profile, n, objective, workload, threads, status)
    class(scalay_comm), intent(in) :: comm
    class(scalay_profile), intent(in) :: profile
    integer(c_int64_t), intent(in) :: n
    integer(c_int), intent(in) :: objective
    class(scalay_workload), intent(inout) :: workload
    integer(c_int), intent(in), optional :: threads
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code, wanted
    wanted = 0
    if (present(threads)) wanted = threads
    code = c_published_paraleph(comm%c_object(), profile%c_object(), n, objective, wanted, handle)
    call workload%destroy()
    call workload%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_published_paraleph
end module scalay_published_mod
