!> Statuses and messages (status.h).
!!
!! Every procedure that can fail takes an optional `status` as its very last argument. With it the procedure returns
!! SCALAY_SUCCESS or an error, and scalay_error_message() tells function, argument, value and remedy; without
!! it an error stops the program with that message. What a failed procedure should have made does not exist
!! afterwards; arrays of the caller are untouched.
module scalay_status_mod
  use, intrinsic :: iso_c_binding, only: c_int
  use scalay_c, only: c_status_name, c_status_text, c_error_message, c_error_set
  use scalay_support, only: string_of, chars_of
  implicit none
  private
  public :: scalay_status_name, scalay_status_text, scalay_error_message, scalay_error_set

  integer(c_int), parameter, public :: SCALAY_SUCCESS = 0
  integer(c_int), parameter, public :: SCALAY_ERROR_ARGUMENT = 1
  integer(c_int), parameter, public :: SCALAY_ERROR_RANGE = 2
  integer(c_int), parameter, public :: SCALAY_ERROR_MEMORY = 3
  integer(c_int), parameter, public :: SCALAY_ERROR_MISMATCH = 4
  integer(c_int), parameter, public :: SCALAY_ERROR_INFEASIBLE = 5
  integer(c_int), parameter, public :: SCALAY_ERROR_UNSUPPORTED = 6
  integer(c_int), parameter, public :: SCALAY_ERROR_MPI = 7
  integer(c_int), parameter, public :: SCALAY_ERROR_BLACS = 8
  integer(c_int), parameter, public :: SCALAY_ERROR_FILE = 9
  integer(c_int), parameter, public :: SCALAY_ERROR_FORMAT = 10
  integer(c_int), parameter, public :: SCALAY_ERROR_INTERNAL = 11

contains

  !> The name of a status, such as "SCALAY_ERROR_RANGE"; "unknown status" for a value that is none. Not collective.
  function scalay_status_name(status) result(name)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: name
    name = string_of(c_status_name(status))
  end function scalay_status_name

  !> What a status means in general; "unknown status" for a value that is none. Not collective.
  function scalay_status_text(status) result(text)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: text
    text = string_of(c_status_text(status))
  end function scalay_status_text

  !> The message of the last failed call of this thread; empty when none has failed. Not collective.
  function scalay_error_message() result(message)
    character(:), allocatable :: message
    message = string_of(c_error_message())
  end function scalay_error_message

  !> Leaves a message behind as a failed call does. Not collective.
  !! @param[in] status   what the call comes to
  !! @param[in] message  cut at 511 characters
  !! @return the status
  integer(c_int) function scalay_error_set(status, message)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: message
    scalay_error_set = c_error_set(status, chars_of(message))
  end function scalay_error_set
end module scalay_status_mod
