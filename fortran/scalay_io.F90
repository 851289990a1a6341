!> Matrix files: all ranks read a file into a layout, or write a layout into a file (io.h).
!!
!! Formats: NumPy's .npy (all real, complex and integer types, Fortran and C order, both byte orders) and Matrix Market
!! `array` files. Local arrays have any rank and the type real(c_float), real(c_double), complex(c_float_complex),
!! complex(c_double_complex) or integer(c_int). They must be contiguous. An array that is smaller than its layout
!! requires is an error on all ranks. Trailing blanks of a path are ignored.
module scalay_io_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: return_status, text_of, chars_of, address, checked_address, elements_of
  use scalay_status_mod, only: SCALAY_SUCCESS
  use scalay_types_mod
  use scalay_context_mod, only: scalay_comm, scalay_comm_rank
  use scalay_layout_mod, only: scalay_layout, scalay_layout_local_size
  implicit none
  private
  public :: scalay_file_info, scalay_file_options, scalay_file_options_default, scalay_matrix_inspect
  public :: scalay_file_describe, scalay_matrix_read, scalay_matrix_write

  integer(c_int), parameter, public :: SCALAY_FILE_AUTO = 0           !< for writing: by the ending of the name
  integer(c_int), parameter, public :: SCALAY_FILE_NPY = 1            !< NumPy's .npy
  integer(c_int), parameter, public :: SCALAY_FILE_MATRIX_MARKET = 2  !< Matrix Market, array
  integer(c_int), parameter, public :: SCALAY_FILE_HDF5 = 3           !< dataset of an HDF5 file, FILE.h5:/NAME

  integer(c_int), parameter, public :: SCALAY_NATIVE_ENDIAN = 0  !< as on this machine
  integer(c_int), parameter, public :: SCALAY_LITTLE_ENDIAN = 1
  integer(c_int), parameter, public :: SCALAY_BIG_ENDIAN = 2

  !> scalay_matrix_read(comm, path, layout, local [, status]) reads a matrix file into a distributed matrix. Collective
  !! over comm; all ranks return the same status. Numbers are converted to the type of local. Only the elements of the
  !! rank are written. On failure, local is undefined. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT,
  !! SCALAY_ERROR_MISMATCH (the extents differ from those of the layout; the ranks disagree), SCALAY_ERROR_FILE,
  !! SCALAY_ERROR_FORMAT, SCALAY_ERROR_UNSUPPORTED (the kind of file, or the conversion),
  !! SCALAY_ERROR_RANGE (a number is out of range), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI.
  interface scalay_matrix_read
    module procedure read_s, read_d, read_c, read_z, read_i
  end interface scalay_matrix_read

  !> scalay_matrix_write(comm, path, layout, local [, options] [, status]) writes a distributed matrix into a file.
  !! Collective over comm; all ranks return the same status. An existing regular file is replaced on success and
  !! unchanged on failure. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH, SCALAY_ERROR_FILE,
  !! SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI.
  interface scalay_matrix_write
    module procedure write_s, write_d, write_c, write_z, write_i
  end interface scalay_matrix_write

contains

  !> Returns default options: format by the name, Fortran order, native byte order, oldest version. Not collective.
  type(scalay_file_options) function scalay_file_options_default()
    call c_file_options_init(scalay_file_options_default, c_sizeof(scalay_file_options_default))
  end function scalay_file_options_default

  !> Describes a matrix file. Collective over comm; rank 0 reads.
  !! @param[in]  comm    the ranks
  !! @param[in]  path    name of the file, equal on all ranks
  !! @param[out] info    all zero after a failure
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT,
  !!                     SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_matrix_inspect(comm, path, info, status)
    class(scalay_comm), intent(in) :: comm
    character(*), intent(in) :: path
    type(scalay_file_info), intent(out) :: info
    integer(c_int), intent(out), optional :: status
    call return_status(c_matrix_inspect(comm%c_object(), chars_of(trim(path)), info), status)
  end subroutine scalay_matrix_inspect

  !> Returns a description, such as "721 x 1440 float32, .npy version 1, C order, little-endian". Not collective.
  function scalay_file_describe(info) result(text)
    type(scalay_file_info), intent(in) :: info
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_file_describe(info, size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_file_describe(info, chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_file_describe

! The same procedures for each element type.
#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define READ_FILE read_s
#define WRITE_FILE write_s
#include "scalay_matrix.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define READ_FILE read_d
#define WRITE_FILE write_d
#include "scalay_matrix.inc"

#define ELEMENT complex(c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define READ_FILE read_c
#define WRITE_FILE write_c
#include "scalay_matrix.inc"

#define ELEMENT complex(c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define READ_FILE read_z
#define WRITE_FILE write_z
#include "scalay_matrix.inc"

#define ELEMENT integer(c_int)
#define ELEMENT_CODE SCALAY_INT
#define READ_FILE read_i
#define WRITE_FILE write_i
#include "scalay_matrix.inc"
end module scalay_io_mod
