!> The library scalay_scalapack, which answers calls of p?gemr2d, p?trmr2d and p?tran*: their callers need no module. A
!! program that asks whether it is in use is linked with it (CMake: scalay::scalapack), before ScaLAPACK.
module scalay_scalapack_mod
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private
  public :: scalay_scalapack_active

  interface
    !> 1 when the program's calls come to ScaLAY, 0 when ScaLAPACK's own come first. Not collective.
    integer(c_int) function scalay_scalapack_active() bind(C, name="scalay_scalapack_active")
      import :: c_int
    end function scalay_scalapack_active
  end interface
end module scalay_scalapack_mod
