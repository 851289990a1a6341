!> Energy meters (meter.h).
!!
!! A meter is created from a text, such as "none" or "model:base=50,flop=1e-10,byte=1e-9". meter.h lists all forms. No
!! procedure is collective.
module scalay_meter_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_size_t, c_char, c_ptr
  use scalay_c
  use scalay_support, only: scalay_object, return_status, text_of, chars_of
  implicit none
  private
  public :: scalay_meter, scalay_meter_create, scalay_meter_is_modelled, scalay_meter_describe
  public :: scalay_meter_read, scalay_meter_work, scalay_meter_destroy

  !> An open meter. An empty variable is the meter "none".
  type, extends(scalay_object) :: scalay_meter
  contains
    procedure, pass(meter) :: create => scalay_meter_create
    procedure :: is_modelled => scalay_meter_is_modelled
    procedure :: describe => scalay_meter_describe
    procedure :: read => scalay_meter_read
    procedure :: work => scalay_meter_work
    procedure :: destroy => scalay_meter_destroy
  end type scalay_meter

contains

  !> Opens a meter.
  !! @param[in]    spec    as in meter.h; trailing blanks are removed
  !! @param[inout] meter   its previous object is closed
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (cannot be read on this machine),
  !!                       SCALAY_ERROR_MEMORY
  subroutine scalay_meter_create(spec, meter, status)
    character(*), intent(in) :: spec
    class(scalay_meter), intent(inout) :: meter
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    call meter%destroy()
    code = c_meter_create(chars_of(trim(spec)), handle)
    call meter%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_meter_create

  !> Returns .true. if the energies come from a model.
  logical function scalay_meter_is_modelled(meter)
    class(scalay_meter), intent(in) :: meter
    scalay_meter_is_modelled = c_meter_is_modelled(meter%c_object()) /= 0
  end function scalay_meter_is_modelled

  !> Describes the source of the energy.
  function scalay_meter_describe(meter) result(text)
    class(scalay_meter), intent(in) :: meter
    character(:), allocatable :: text
    character(kind=c_char) :: chars(1024)
    integer :: length
    length = c_meter_describe(meter%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:min(length, size(chars) - 1)))
  end function scalay_meter_describe

  !> Reads a meter: joules since an unspecified moment.
  !! @param[out] joules  0 after a failure
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED
  subroutine scalay_meter_read(meter, joules, status)
    class(scalay_meter), intent(in) :: meter
    real(c_double), intent(out) :: joules
    integer(c_int), intent(out), optional :: status
    real(c_double) :: found
    integer(c_int) :: code
    found = 0
    code = c_meter_read(meter%c_object(), found)
    joules = merge(found, 0.0_c_double, code == 0)
    call return_status(code, status)
  end subroutine scalay_meter_read

  !> Reports work since the previous call to a modelled meter. Has no effect on other meters.
  !! @param[in]  flops, bytes  finite, at least 0
  !! @param[out] status        SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_meter_work(meter, flops, bytes, status)
    class(scalay_meter), intent(in) :: meter
    real(c_double), intent(in) :: flops, bytes
    integer(c_int), intent(out), optional :: status
    call return_status(c_meter_work(meter%c_object(), flops, bytes), status)
  end subroutine scalay_meter_work

  !> Closes a meter. An empty variable is allowed.
  subroutine scalay_meter_destroy(meter)
    class(scalay_meter), intent(inout) :: meter
    type(c_ptr) :: object
    object = meter%c_object()
    call c_meter_destroy(object)
    call meter%set_handle(object)
  end subroutine scalay_meter_destroy
end module scalay_meter_mod
