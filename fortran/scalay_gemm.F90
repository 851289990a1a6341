!> Products of matrices that are anywhere (multiply.h, scalay_gemm_create and what follows).
!!
!!     call scalay_pgemm(comm, op_a, op_b, alpha, layout_a, a, layout_b, b, beta, layout_c, c, options)
!!
!! in one call, or, to multiply more than once, planned with gemm%create and carried out with gemm%execute. Arrays are of
!! any rank and of real(c_float), real(c_double), complex(c_float_complex) or complex(c_double_complex), contiguous or
!! copied. An array that is smaller than its layout needs is treated as none.
module scalay_gemm_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, text_of, address, checked_address, elements_of, &
    hold_transport, hold_machine
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH
  use scalay_types_mod
  use scalay_context_mod, only: scalay_comm
  use scalay_partition_mod, only: scalay_owner_map
  use scalay_layout_mod, only: scalay_layout
  use scalay_mapping_mod, only: SCALAY_CANONICAL
  use scalay_summa_mod, only: scalay_summa_options
  implicit none
  private
  public :: scalay_gemm, scalay_gemm_options, scalay_gemm_statistics
  public :: scalay_gemm_create, scalay_gemm_execute, scalay_gemm_destroy, scalay_gemm_get_statistics
  public :: scalay_gemm_layout, scalay_gemm_describe, scalay_gemm_check
  public :: scalay_psgemm, scalay_pdgemm, scalay_pcgemm, scalay_pzgemm, scalay_pgemm

  !> How to multiply; the same on every rank.
  type :: scalay_gemm_options
    type(scalay_owner_map) :: map                     !< of C: where to multiply, part j on rank j; none: where C is
    integer(c_int) :: objective = SCALAY_CANONICAL    !< how parts are mapped to ranks
    integer(c_int), allocatable :: group(:)           !< kinds of the ranks: parts stay within; not allocated: all alike
    integer(c_int) :: nprow = 0                       !< above 0: multiply by p?gemm on a grid of so many rows
    integer(c_int) :: npcol = 0                       !< and columns
    integer(c_int) :: nb = 0                          !< its block extent; 0: 64
    character(:), allocatable :: transport            !< of the redistribution; not allocated: "auto"
    type(scalay_summa_options) :: summa               !< of the multiplication
    type(scalay_machine), allocatable :: machine      !< to predict with; not allocated: a typical one
    real(c_double), allocatable :: seconds_per_flop(:)  !< of the ranks, to predict with; not allocated: the machine's
  end type scalay_gemm_options

  ! The options in C, with what they point to.
  type :: held_options
    type(c_gemm_options) :: c
    type(c_summa_options) :: summa
    character(kind=c_char), allocatable :: transport(:), panels(:)
    integer(c_int), allocatable :: group(:)
    real(c_double), allocatable :: seconds_per_flop(:)
    type(scalay_machine) :: machine
  end type held_options

  !> A planned multiplication.
  type, extends(scalay_object) :: scalay_gemm
    private
    integer(c_int) :: type = 0
    integer(c_int64_t) :: elements(3) = 0  ! of the local arrays of A, B and C
  contains
    procedure :: create => scalay_gemm_create
    procedure :: destroy => scalay_gemm_destroy
    procedure :: get_statistics => scalay_gemm_get_statistics
    procedure :: layout => scalay_gemm_layout
    procedure :: describe => scalay_gemm_describe
    procedure, private :: multiply_s, multiply_d, multiply_c, multiply_z
    generic :: execute => multiply_s, multiply_d, multiply_c, multiply_z
  end type scalay_gemm

  !> scalay_gemm_execute(gemm, alpha, a, b, beta, c [, status]) multiplies. Collective; no agreement on errors is added.
  !! a, b, c: the local arrays, of the type of the plan. When alpha is 0, a and b are not read; when beta is 0, c is not.
  interface scalay_gemm_execute
    module procedure multiply_s, multiply_d, multiply_c, multiply_z
  end interface scalay_gemm_execute

  !> scalay_psgemm, scalay_pdgemm, scalay_pcgemm, scalay_pzgemm by the type of their arguments: (comm, op_a, op_b, alpha,
  !! layout_a, a, layout_b, b, beta, layout_c, c [, options] [, statistics] [, status]). C := alpha op(A) op(B) + beta C,
  !! wherever the matrices are. Collective over comm; the ranks agree on the status.
  interface scalay_pgemm
    module procedure scalay_psgemm, scalay_pdgemm, scalay_pcgemm, scalay_pzgemm
  end interface scalay_pgemm

  !> scalay_gemm_check(comm, op_a, op_b, layout_a, a, layout_b, b, layout_c, c, seed, error [, alpha] [, beta]
  !! [, before] [, status]): is c = alpha op(A) op(B) + beta before? error is the largest difference, for a random
  !! vector, in multiples of what rounding may amount to: below 1 all is well. Collective over comm; the ranks agree.
  !! alpha: absent: 1; beta: absent: 0, and before is not needed. -1 after a failure.
  interface scalay_gemm_check
    module procedure check_s, check_d, check_c, check_z
  end interface scalay_gemm_check

contains

  ! The options in C's form, or why they have none.
  integer(c_int) function set_options(held, comm, options) result(code)
    type(held_options), target, intent(out) :: held
    class(scalay_comm), intent(in) :: comm
    type(scalay_gemm_options), intent(in), optional :: options
    call c_gemm_options_init(held%c, c_sizeof(held%c))
    call c_summa_options_init(held%summa, c_sizeof(held%summa))
    code = SCALAY_SUCCESS
    if (.not. present(options)) return
    held%c%map = options%map%c_object()
    held%c%objective = options%objective
    held%c%nprow = options%nprow
    held%c%npcol = options%npcol
    held%c%nb = options%nb
    held%c%summa = c_loc(held%summa)
    held%summa%panel = options%summa%panel
    held%summa%memory_bytes = options%summa%memory_bytes
    held%summa%no_overlap = merge(1_c_int, 0_c_int, options%summa%no_overlap)
    held%summa%no_computation = merge(1_c_int, 0_c_int, options%summa%no_computation)
    call hold_transport(options%transport, held%transport, held%c%transport)
    call hold_transport(options%summa%transport, held%panels, held%summa%transport)
    call hold_machine(options%machine, held%machine, held%c%machine)
    if (allocated(options%group)) then
      held%group = options%group
      if (size(held%group) < comm%size()) code = too_few("group")
      held%c%group = c_loc(held%group)
    end if
    if (allocated(options%seconds_per_flop)) then
      held%seconds_per_flop = options%seconds_per_flop
      if (size(held%seconds_per_flop) < comm%size()) code = too_few("seconds_per_flop")
      held%c%seconds_per_flop = c_loc(held%seconds_per_flop)
    end if
  end function set_options

  integer(c_int) function too_few(name)
    character(*), intent(in) :: name
    too_few = fail(SCALAY_ERROR_ARGUMENT, "scalay_gemm: options has fewer elements of " // name // " than there are ranks")
  end function too_few

  !> Plans C := alpha op(A) op(B) + beta C for matrices that are anywhere. Collective over comm; the ranks agree.
  !! @param[in]  comm        the ranks; kept alive by the object
  !! @param[in]  type        SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE
  !! @param[in]  op_a, op_b  SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE or SCALAY_CONJUGATE_TRANSPOSE
  !! @param[in]  a, b, c     where the matrices are, with the extents of A, B and C as stored; need not outlive the call
  !! @param[out] status      as scalay_gemm_create() of multiply.h
  subroutine scalay_gemm_create(gemm, comm, type, op_a, op_b, a, b, c, options, status)
    class(scalay_gemm), intent(inout) :: gemm
    class(scalay_comm), intent(in) :: comm
    integer(c_int), intent(in) :: type, op_a, op_b
    class(scalay_layout), intent(in) :: a, b, c
    type(scalay_gemm_options), intent(in), optional :: options
    integer(c_int), intent(out), optional :: status
    type(held_options), target :: held
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = set_options(held, comm, options)
    if (code == SCALAY_SUCCESS) &
      code = c_gemm_create(comm%c_object(), type, op_a, op_b, a%c_object(), b%c_object(), c%c_object(), held%c, handle)
    call gemm%destroy()
    call gemm%set_handle(handle)
    gemm%type = merge(type, 0_c_int, code == SCALAY_SUCCESS)
    gemm%elements = [a%local_size(comm%rank()), b%local_size(comm%rank()), c%local_size(comm%rank())]
    call return_status(code, status)
  end subroutine scalay_gemm_create

  !> Releases a multiplication. Collective over its ranks. Fine when there is none.
  subroutine scalay_gemm_destroy(gemm)
    class(scalay_gemm), intent(inout) :: gemm
    type(c_ptr) :: object
    object = gemm%c_object()
    call c_gemm_destroy(object)
    call gemm%set_handle(object)
    gemm%type = 0
    gemm%elements = 0
  end subroutine scalay_gemm_destroy

  !> What it does and has done. Not collective.
  !! @param[in]  gemm        a planned multiplication
  !! @param[out] statistics  all zero after a failure
  !! @param[out] status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_gemm_get_statistics(gemm, statistics, status)
    class(scalay_gemm), intent(in) :: gemm
    type(scalay_gemm_statistics), intent(out) :: statistics
    integer(c_int), intent(out), optional :: status
    type(scalay_gemm_statistics) :: told
    integer(c_int) :: code
    code = c_gemm_get_statistics(gemm%c_object(), told)
    if (code == SCALAY_SUCCESS) statistics = told
    call return_status(code, status)
  end subroutine scalay_gemm_get_statistics

  !> Where C is multiplied; owned by the object: not to be destroyed. Not collective.
  type(scalay_layout) function scalay_gemm_layout(gemm)
    class(scalay_gemm), intent(in) :: gemm
    call scalay_gemm_layout%set_handle(c_gemm_layout(gemm%c_object()))
  end function scalay_gemm_layout

  !> How it multiplies: what moves, where, what is predicted and was measured. Not collective.
  function scalay_gemm_describe(gemm) result(text)
    class(scalay_gemm), intent(in) :: gemm
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_gemm_describe(gemm%c_object(), size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_gemm_describe(gemm%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_gemm_describe

! The same procedures for each element type.
#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define SCALAR(x) x
#define MULTIPLY multiply_s
#define PGEMM scalay_psgemm
#define C_PGEMM c_psgemm
#define CHECK check_s
#include "scalay_gemm.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define SCALAR(x) x
#define MULTIPLY multiply_d
#define PGEMM scalay_pdgemm
#define C_PGEMM c_pdgemm
#define CHECK check_d
#include "scalay_gemm.inc"

#define ELEMENT complex(c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define SCALAR(x) c_loc(x)
#define MULTIPLY multiply_c
#define PGEMM scalay_pcgemm
#define C_PGEMM c_pcgemm
#define CHECK check_c
#include "scalay_gemm.inc"

#define ELEMENT complex(c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define SCALAR(x) c_loc(x)
#define MULTIPLY multiply_z
#define PGEMM scalay_pzgemm
#define C_PGEMM c_pzgemm
#define CHECK check_z
#include "scalay_gemm.inc"
end module scalay_gemm_mod
