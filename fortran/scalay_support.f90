!> What all modules of the binding share. Private to the binding, except for what scalay_object gives its descendants.
module scalay_support
  use, intrinsic :: iso_c_binding
  use scalay_c, only: c_error_message, c_error_set, c_status_name, scalay_machine
  implicit none
  private
  public :: scalay_object, return_status, fail, string_of, text_of, chars_of, address, address_in_place, checked_address, &
    elements_of, hold_transport, hold_machine

  !> A Fortran variable that stands for an object of the C library, or for none (C's NULL), as it does at first.
  !!
  !! Assignment copies the reference, not the object: afterwards destroy one of the two only. Nothing is
  !! destroyed when the variable goes out of scope. A procedure that makes an object first destroys the one that the
  !! variable stood for.
  type :: scalay_object
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure :: exists
    procedure :: c_object
    procedure :: set_handle
  end type scalay_object

  ! The message about an array that was too short, until the procedure returns.
  character(:), allocatable, save :: short_array

  interface
    pure integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
      import
      type(c_ptr), value :: text
    end function c_strlen
  end interface

contains

  !> .true. when the variable stands for an object. Not collective.
  elemental logical function exists(self)
    class(scalay_object), intent(in) :: self
    exists = c_associated(self%object)
  end function exists

  !> The C object, for programs that mix languages; it stays the variable's. Not collective.
  pure type(c_ptr) function c_object(self)
    class(scalay_object), intent(in) :: self
    c_object = self%object
  end function c_object

  !> Lets the variable stand for a C object, which is the variable's from now on. Not collective. What it stood for
  !! before is not destroyed.
  subroutine set_handle(self, object)
    class(scalay_object), intent(inout) :: self
    type(c_ptr), intent(in) :: object
    self%object = object
  end subroutine set_handle

  !> Hands a status to the caller, or stops with the message when it is not success and the caller takes no status.
  subroutine return_status(code, status)
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    character(:), allocatable :: message
    integer(c_int) :: same_code
    if (allocated(short_array)) then
      if (code /= 0) same_code = fail(code, short_array)
      deallocate (short_array)
    end if
    if (present(status)) then
      status = code
    else if (code /= 0) then
      message = string_of(c_status_name(code)) // ": " // string_of(c_error_message())
      error stop message
    end if
  end subroutine return_status

  !> Leaves a message behind and returns the status, as the C library does.
  integer(c_int) function fail(status, message)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: message
    fail = c_error_set(status, chars_of(message))
  end function fail

  !> A C string as Fortran text; empty for a null pointer.
  function string_of(text) result(string)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: chars(:)
    string = ""
    if (.not. c_associated(text)) return
    call c_f_pointer(text, chars, [c_strlen(text)])
    string = text_of(chars)
  end function string_of

  !> Single characters in one text.
  pure function text_of(chars) result(text)
    character(kind=c_char), intent(in) :: chars(:)
    character(size(chars)) :: text
    integer :: k
    do k = 1, size(chars)
      text(k:k) = chars(k)
    end do
  end function text_of

  !> Fortran text as a C string.
  pure function chars_of(string) result(chars)
    character(*), intent(in) :: string
    character(kind=c_char) :: chars(len(string) + 1)
    integer :: k
    do k = 1, len(string)
      chars(k) = string(k:k)
    end do
    chars(len(string) + 1) = c_null_char
  end function chars_of

  !> Options that may be missing: a copy as C needs it, and its address. A missing one leaves the address as it is.
  subroutine hold_transport(transport, copy, where)
    character(:), allocatable, intent(in) :: transport
    character(kind=c_char), allocatable, target, intent(inout) :: copy(:)
    type(c_ptr), intent(inout) :: where
    if (.not. allocated(transport)) return
    copy = chars_of(trim(transport))
    where = c_loc(copy)
  end subroutine hold_transport

  subroutine hold_machine(machine, copy, where)
    type(scalay_machine), allocatable, intent(in) :: machine
    type(scalay_machine), target, intent(inout) :: copy
    type(c_ptr), intent(inout) :: where
    if (.not. allocated(machine)) return
    copy = machine
    where = c_loc(copy)
  end subroutine hold_machine

  !> Where an array of any rank starts; a null pointer when it has no elements. (The size of an assumed-size array is
  !! negative here.)
  type(c_ptr) function address(a)
    type(*), contiguous, target, intent(in) :: a(..)
    address = c_null_ptr
    if (size(a, kind=c_int64_t) /= 0) address = c_loc(a)
  end function address

  !> The same without a copy of what is not contiguous: a null pointer then, too.
  type(c_ptr) function address_in_place(a)
    type(*), target, intent(in) :: a(..)
    address_in_place = c_null_ptr
    if (size(a, kind=c_int64_t) == 0) return
    if (is_contiguous(a)) address_in_place = c_loc(a)
  end function address_in_place

  !> Returns the number of elements of an array, or a negative number if it is unknown: of an assumed-size array, TAU(*),
  !! and of an array element that stands for the array that follows it, WORK(IPA).
  pure integer(c_int64_t) function elements_of(a)
    type(*), intent(in) :: a(..)
    elements_of = -1
    if (rank(a) > 0) elements_of = size(a, kind=c_int64_t)
  end function elements_of

  !> Returns the address of an array, or a null pointer if the array has fewer elements than needed: collective functions
  !! of the C library then fail on every rank. return_status() replaces their message by one that names the sizes.
  !! @param[in] name      of the argument
  !! @param[in] elements  of the array; negative: not known
  type(c_ptr) function checked_address(name, array, elements, needed)
    character(*), intent(in) :: name
    type(c_ptr), intent(in) :: array
    integer(c_int64_t), intent(in) :: elements, needed
    character(160) :: text
    checked_address = array
    if (elements < 0 .or. elements >= needed) return
    checked_address = c_null_ptr
    write (text, "(2a, i0, a, i0, a)") name, " has ", elements, " elements; it must have at least ", needed, &
      ". Pass the whole local array."
    if (.not. allocated(short_array)) short_array = trim(text)
  end function checked_address
end module scalay_support
