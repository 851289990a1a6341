! The library says to a Fortran program that it is in use.
program active
  use scalay
  implicit none
  if (scalay_scalapack_active() /= 1) error stop "it is linked before ScaLAPACK, but not in use"
end program active
