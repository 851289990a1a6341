!> Products of matrices that are anywhere, for each type, from Fortran.
module products_module
  use, intrinsic :: iso_c_binding
  use check_module
  use scalay
  implicit none
  private
  public :: multiply_s, multiply_d, multiply_c, multiply_z

  integer, parameter :: m = 23, n = 17, k = 11

contains

#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define ONE 1.0_c_float
#define TWO 2.0_c_float
#define MULTIPLY multiply_s
#define PGEMM scalay_psgemm
#include "products.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define ONE 1.0_c_double
#define TWO 2.0_c_double
#define MULTIPLY multiply_d
#define PGEMM scalay_pdgemm
#include "products.inc"

#define ELEMENT complex(c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define ONE cmplx(1, 0, c_float)
#define TWO cmplx(2, 0, c_float)
#define MULTIPLY multiply_c
#define PGEMM scalay_pcgemm
#include "products.inc"

#define ELEMENT complex(c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define ONE cmplx(1, 0, c_double)
#define TWO cmplx(2, 0, c_double)
#define MULTIPLY multiply_z
#define PGEMM scalay_pzgemm
#include "products.inc"
end module products_module

program products
  use mpi
  use check_module
  use products_module
  use scalay
  implicit none
  type(scalay_comm) :: comm
  integer :: error
  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  call multiply_s(comm)
  call multiply_d(comm)
  call multiply_c(comm)
  call multiply_z(comm)
  call comm%destroy()
  call check_verdict()
end program products
