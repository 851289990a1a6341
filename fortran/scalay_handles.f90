!> The table behind the integer handles of the F77-style entry points. Private to the binding.
!!
!! A handle is a number of a slot and of the slot's generation, which counts the objects that the slot has held. So an
!! integer that is no handle, a handle of another kind and one of an object that was destroyed are told apart from
!! good ones. The table is the program's only one; calls of several threads at a time are not allowed.
module scalay_handles
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_null_ptr, c_associated
  use scalay_support, only: fail
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  implicit none
  private
  public :: handle_create, handle_find, handle_release, handle_watch, handle_watches

  integer, parameter, public :: COMM_HANDLE = 1, LAYOUT_HANDLE = 2, MAPPING_HANDLE = 3, PLAN_HANDLE = 4, &
    FACTOR_HANDLE = 5
  character(*), parameter :: kind_names(5) = [character(13) :: "communicator", "layout", "mapping", "plan", &
    "factorisation"]

  integer, parameter :: MAX_SLOTS = 65535         ! a handle is slot + (MAX_SLOTS + 1) * generation
  integer, parameter :: MAX_GENERATIONS = 32767

  type :: slot_type
    integer :: kind = 0                ! 0: free
    integer :: generation = 0
    integer :: next_free = 0           ! when free
    type(c_ptr) :: object = c_null_ptr
    type(c_ptr) :: a = c_null_ptr      ! the arrays that a plan has under way
    type(c_ptr) :: b = c_null_ptr
  end type slot_type

  type(slot_type), allocatable :: slots(:)
  integer :: first_free = 0

contains

  !> A handle for an object, or 0 when there is no room for one more.
  integer(c_int) function handle_create(kind, object, handle) result(status)
    integer, intent(in) :: kind
    type(c_ptr), intent(in) :: object
    integer(c_int), intent(out) :: handle
    integer :: slot
    handle = 0
    if (first_free == 0) call grow()
    slot = first_free
    if (slot == 0) then
      status = fail(SCALAY_ERROR_MEMORY, "the table of handles is full; destroy what is not used any more")
      return
    end if
    status = SCALAY_SUCCESS
    first_free = slots(slot)%next_free
    slots(slot)%kind = kind
    slots(slot)%generation = modulo(slots(slot)%generation, MAX_GENERATIONS - 1) + 1
    slots(slot)%object = object
    handle = slot + (MAX_SLOTS + 1) * slots(slot)%generation
  end function handle_create

  !> The object of a handle. 0 gives a null pointer and SCALAY_SUCCESS when none is fine.
  integer(c_int) function handle_find(name, kind, handle, object, none_is_fine) result(status)
    character(*), intent(in) :: name      ! of the argument, for the message
    integer, intent(in) :: kind
    integer(c_int), intent(in) :: handle
    type(c_ptr), intent(out) :: object
    logical, intent(in), optional :: none_is_fine
    integer :: slot
    character(120) :: message
    object = c_null_ptr
    status = SCALAY_SUCCESS
    if (handle == 0 .and. present(none_is_fine)) then
      if (none_is_fine) return
    end if
    slot = slot_of(handle)
    if (slot > 0) then
      if (slots(slot)%kind == kind) then
        object = slots(slot)%object
        return
      end if
    end if
    write (message, "(a, ' = ', i0, ' is not the handle of a ', a)") name, handle, trim(kind_names(kind))
    if (slot > 0) message = trim(message) // " but of a " // trim(kind_names(slots(slot)%kind))
    status = fail(SCALAY_ERROR_ARGUMENT, trim(message) // "; pass one that was created and not destroyed")
  end function handle_find

  !> Frees the slot of a handle and sets the handle to 0.
  subroutine handle_release(handle)
    integer(c_int), intent(inout) :: handle
    integer :: slot
    slot = slot_of(handle)
    handle = 0
    if (slot == 0) return
    slots(slot)%kind = 0
    slots(slot)%object = c_null_ptr
    slots(slot)%a = c_null_ptr
    slots(slot)%b = c_null_ptr
    slots(slot)%next_free = first_free
    first_free = slot
  end subroutine handle_release

  !> Remembers the arrays that a plan has under way.
  subroutine handle_watch(handle, a, b)
    integer(c_int), intent(in) :: handle
    type(c_ptr), intent(in) :: a, b
    slots(slot_of(handle))%a = a
    slots(slot_of(handle))%b = b
  end subroutine handle_watch

  !> Are these the arrays that the plan has under way?
  logical function handle_watches(handle, a, b)
    integer(c_int), intent(in) :: handle
    type(c_ptr), intent(in) :: a, b
    associate (slot => slots(slot_of(handle)))
      handle_watches = c_associated(slot%a, a) .and. c_associated(slot%b, b)
    end associate
  end function handle_watches

  ! The slot in use that a handle names, 0 when it names none.
  integer function slot_of(handle)
    integer(c_int), intent(in) :: handle
    slot_of = 0
    if (handle <= 0 .or. .not. allocated(slots)) return
    slot_of = mod(handle, MAX_SLOTS + 1)
    if (slot_of > size(slots)) slot_of = 0
    if (slot_of == 0) return
    if (slots(slot_of)%kind == 0 .or. slots(slot_of)%generation /= handle / (MAX_SLOTS + 1)) slot_of = 0
  end function slot_of

  ! Doubles the table, up to MAX_SLOTS; leaves it as it is when that is not possible.
  subroutine grow()
    type(slot_type), allocatable :: larger(:)
    integer :: old, new, slot, error
    if (.not. allocated(slots)) allocate (slots(0))
    old = size(slots)
    new = min(max(64, 2 * old), MAX_SLOTS)
    if (new == old) return
    allocate (larger(new), stat=error)
    if (error /= 0) return
    larger(:old) = slots
    do slot = new, old + 1, -1
      larger(slot)%next_free = first_free
      first_free = slot
    end do
    call move_alloc(larger, slots)
  end subroutine grow
end module scalay_handles
