!> Element types, numbering of grids, transposes and trapezoids (types.h).
module scalay_types_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
  use scalay_c, only: c_type_size, c_type_name, scalay_machine
  use scalay_support, only: string_of
  implicit none
  private
  public :: scalay_raw, scalay_type_size, scalay_type_name, scalay_machine

  integer(c_int), parameter, public :: SCALAY_FLOAT = 1           !< real(c_float), REAL: ScaLAPACK's s
  integer(c_int), parameter, public :: SCALAY_DOUBLE = 2          !< real(c_double), DOUBLE PRECISION: d
  integer(c_int), parameter, public :: SCALAY_COMPLEX_FLOAT = 3   !< complex(c_float), COMPLEX: c
  integer(c_int), parameter, public :: SCALAY_COMPLEX_DOUBLE = 4  !< complex(c_double), COMPLEX*16: z
  integer(c_int), parameter, public :: SCALAY_INT = 5             !< integer(c_int), INTEGER: i
  integer(c_int), parameter, public :: SCALAY_RAW_BASE = 256      !< see scalay_raw
  integer(c_int), parameter, public :: SCALAY_RAW_MAX = 65536     !< the largest raw element, in bytes

  integer(c_int), parameter, public :: SCALAY_GEMM_CURVE = 9     !< points of scalay_machine%gemm_curve
  integer(c_int), parameter, public :: SCALAY_VECTOR_CURVE = 5   !< points of scalay_machine%vector_curve
  integer(c_int), parameter, public :: SCALAY_COPY_CURVE = 6     !< points of scalay_machine%copy_curve
  integer(c_int), parameter, public :: SCALAY_SWAP_CURVE = 6     !< points of scalay_machine%swap_curve
  integer(c_int), parameter, public :: SCALAY_NODE_TYPES = 4     !< types of nodes of a scalay_machine
  integer(c_int), parameter, public :: SCALAY_NODE_TYPE_PAIRS = 10  !< unordered pairs of them

  integer(c_int), parameter, public :: SCALAY_ROW_MAJOR = 0     !< part r * npcol + c stands at (r, c) of the grid
  integer(c_int), parameter, public :: SCALAY_COLUMN_MAJOR = 1  !< part c * nprow + r stands at (r, c) of the grid

  ! What is done to a matrix before it is used: op(A).
  integer(c_int), parameter, public :: SCALAY_NO_TRANSPOSE = 0         !< A
  integer(c_int), parameter, public :: SCALAY_TRANSPOSE = 1            !< A transposed
  integer(c_int), parameter, public :: SCALAY_CONJUGATE_TRANSPOSE = 2  !< and conjugated; real elements: transposed

  ! Which part of an m x n matrix is meant, as ScaLAPACK's p?trmr2d has it: the diagonal of an upper trapezoid that is
  ! taller than wide, and of a lower one that is wider than tall, ends in the last corner.
  integer(c_int), parameter, public :: SCALAY_WHOLE = 0  !< all of it
  integer(c_int), parameter, public :: SCALAY_UPPER = 1  !< elements (i, j) with i - j <= max(m - n, 0)
  integer(c_int), parameter, public :: SCALAY_LOWER = 2  !< elements (i, j) with i - j >= -max(n - m, 0)

  ! Whether the diagonal belongs to a trapezoid.
  integer(c_int), parameter, public :: SCALAY_NON_UNIT = 0  !< it does
  integer(c_int), parameter, public :: SCALAY_UNIT = 1      !< it does not: < and > above

contains

  !> The type of an element of so many bytes, 1 to SCALAY_RAW_MAX, of which nothing is known but the size. Not
  !! collective.
  elemental integer(c_int) function scalay_raw(bytes)
    integer(c_int), intent(in) :: bytes
    scalay_raw = SCALAY_RAW_BASE + bytes
  end function scalay_raw

  !> The size of an element in bytes, 0 when type is none. Not collective.
  pure integer(c_int64_t) function scalay_type_size(type)
    integer(c_int), intent(in) :: type
    scalay_type_size = int(c_type_size(type), c_int64_t)
  end function scalay_type_size

  !> The name of an element type: "s", "d", "c", "z", "i", "raw", or "unknown" when type is none. Not collective.
  function scalay_type_name(type) result(name)
    integer(c_int), intent(in) :: type
    character(:), allocatable :: name
    name = string_of(c_type_name(type))
  end function scalay_type_name
end module scalay_types_mod
