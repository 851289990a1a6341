!> Multiplication where the matrices are (multiply.h, scalay_summa_create and what follows).
!!
!! C := alpha op(A) op(B) + beta C where C is, on layouts of any kind:
!!
!!     call summa%create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout_a, layout_b, layout_c)
!!     call summa%execute(alpha, a, b, beta, c)
!!
!! Arrays are as in scalay_factor_mod.
module scalay_summa_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, text_of, chars_of, address, checked_address, elements_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH
  use scalay_types_mod
  use scalay_context_mod, only: scalay_comm
  use scalay_layout_mod, only: scalay_layout
  implicit none
  private
  public :: scalay_summa, scalay_summa_options, scalay_summa_statistics, scalay_summa_create, scalay_summa_execute
  public :: scalay_summa_destroy, scalay_summa_get_statistics, scalay_summa_describe

  !> How to multiply; the same on every rank.
  type :: scalay_summa_options
    integer(c_int64_t) :: panel = 0         !< the most rows of op(B) in a panel; 0: choose
    integer(c_int64_t) :: memory_bytes = 0  !< the most workspace of a rank; 0: no limit
    character(:), allocatable :: transport  !< "messages", "broadcast" or "shared"; not allocated: "auto"
    logical :: no_overlap = .false.         !< a panel is not sent before the one before it has been multiplied
    logical :: no_computation = .false.     !< panels travel and nothing is multiplied
  end type scalay_summa_options

  !> A multiplication that is planned.
  type, extends(scalay_object) :: scalay_summa
    private
    integer(c_int) :: type = 0
    integer(c_int64_t) :: elements(3) = 0  ! of the local arrays of A, B and C
  contains
    procedure :: create => scalay_summa_create
    procedure :: destroy => scalay_summa_destroy
    procedure :: get_statistics => scalay_summa_get_statistics
    procedure :: describe => scalay_summa_describe
    procedure, private :: multiply_s, multiply_d, multiply_c, multiply_z
    generic :: execute => multiply_s, multiply_d, multiply_c, multiply_z
  end type scalay_summa

  !> scalay_summa_execute(summa, alpha, a, b, beta, c [, status]) multiplies. Collective; no agreement on errors is
  !! added. a, b, c: the local arrays, of the type of the plan; they may be others in each execution. When alpha is 0, a
  !! and b are not read; when beta is 0, c is not. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the
  !! type is another one), SCALAY_ERROR_MPI.
  interface scalay_summa_execute
    module procedure multiply_s, multiply_d, multiply_c, multiply_z
  end interface scalay_summa_execute

contains

  !> Plans C := alpha op(A) op(B) + beta C. Collective over comm; the ranks agree on the status.
  !! @param[in]  comm        the ranks; kept alive by the plan
  !! @param[in]  type        SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE
  !! @param[in]  op_a, op_b  SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE or SCALAY_CONJUGATE_TRANSPOSE
  !! @param[in]  a, b, c     where the matrices are, with the extents of A, B and C as stored; need not outlive the call
  !! @param[out] status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents, ranks that disagree),
  !!                         SCALAY_ERROR_RANGE, SCALAY_ERROR_UNSUPPORTED (the transport), SCALAY_ERROR_MEMORY,
  !!                         SCALAY_ERROR_MPI
  subroutine scalay_summa_create(summa, comm, type, op_a, op_b, a, b, c, options, status)
    class(scalay_summa), intent(inout) :: summa
    class(scalay_comm), intent(in) :: comm
    integer(c_int), intent(in) :: type, op_a, op_b
    class(scalay_layout), intent(in) :: a, b, c
    type(scalay_summa_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    character(kind=c_char), allocatable, target :: transport(:)
    type(c_summa_options) :: held
    type(c_ptr) :: handle
    integer(c_int64_t) :: needed(3)
    integer(c_int) :: code
    call c_summa_options_init(held, c_sizeof(held))
    if (present(options)) then
      held%panel = options%panel
      held%memory_bytes = options%memory_bytes
      held%no_overlap = merge(1_c_int, 0_c_int, options%no_overlap)
      held%no_computation = merge(1_c_int, 0_c_int, options%no_computation)
      if (allocated(options%transport)) then
        transport = chars_of(trim(options%transport))
        held%transport = c_loc(transport)
      end if
    end if
    needed = [a%local_size(comm%rank()), b%local_size(comm%rank()), c%local_size(comm%rank())]
    code = c_summa_create(comm%c_object(), type, op_a, op_b, a%c_object(), b%c_object(), c%c_object(), held, handle)
    call summa%destroy()
    call summa%set_handle(handle)
    summa%type = merge(type, 0_c_int, code == SCALAY_SUCCESS)
    summa%elements = needed
    call return_status(code, status)
  end subroutine scalay_summa_create

  !> Releases a plan. Collective over its ranks. Fine when there is none.
  subroutine scalay_summa_destroy(summa)
    class(scalay_summa), intent(inout) :: summa
    type(c_ptr) :: object
    object = summa%c_object()
    call c_summa_destroy(object)
    call summa%set_handle(object)
    summa%type = 0
    summa%elements = 0
  end subroutine scalay_summa_destroy

  !> What the last execution did on this rank. Not collective.
  !! @param[in]  summa       a plan
  !! @param[out] statistics  all zero after a failure
  !! @param[out] status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_summa_get_statistics(summa, statistics, status)
    class(scalay_summa), intent(in) :: summa
    type(scalay_summa_statistics), intent(out) :: statistics
    integer(c_int), intent(out), optional :: status
    type(scalay_summa_statistics) :: told
    integer(c_int) :: code
    code = c_summa_get_statistics(summa%c_object(), told)
    if (code == SCALAY_SUCCESS) statistics = told
    call return_status(code, status)
  end subroutine scalay_summa_get_statistics

  !> How it will be multiplied and, after an execution, how long that took on this rank. Not collective.
  function scalay_summa_describe(summa) result(text)
    class(scalay_summa), intent(in) :: summa
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_summa_describe(summa%c_object(), size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_summa_describe(summa%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_summa_describe

! The same procedure for each element type.
#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define MULTIPLY multiply_s
#include "scalay_summa.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define MULTIPLY multiply_d
#include "scalay_summa.inc"

#define ELEMENT complex(c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define MULTIPLY multiply_c
#include "scalay_summa.inc"

#define ELEMENT complex(c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define MULTIPLY multiply_z
#include "scalay_summa.inc"
end module scalay_summa_mod
