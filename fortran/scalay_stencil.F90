!> Iterations of a three-point stencil on items that are anywhere (stencil.h).
!!
!!     call stencil%create(comm, layout, SCALAY_DOUBLE)
!!     call stencil%execute(coefficients, iterations, x)
!!
!! Where the items should go before that is in scalay_model_mod.
module scalay_stencil_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, address, checked_address, elements_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH
  use scalay_types_mod
  use scalay_context_mod, only: scalay_comm
  use scalay_layout_mod, only: scalay_layout
  implicit none
  private
  public :: scalay_stencil, scalay_stencil_statistics, scalay_stencil_update, scalay_stencil_create
  public :: scalay_stencil_execute, scalay_stencil_execute_with, scalay_stencil_get_statistics, scalay_stencil_destroy

  !> A three-point stencil on items that may be anywhere.
  type, extends(scalay_object) :: scalay_stencil
    private
    integer(c_int) :: type = 0
    integer(c_int64_t) :: elements = 0  ! of the local array
  contains
    procedure :: create => scalay_stencil_create
    procedure, private :: iterate_s, iterate_d
    generic :: execute => iterate_s, iterate_d
    procedure :: execute_with => scalay_stencil_execute_with
    procedure :: get_statistics => scalay_stencil_get_statistics
    procedure :: destroy => scalay_stencil_destroy
  end type scalay_stencil

  abstract interface
    !> The new values y(1:count) of consecutive items, given x(0:count+1) with their neighbours on either side; x and y
    !! point to elements 1.
    subroutine scalay_stencil_update(count, x, y, context) bind(C)
      import :: c_int64_t, c_ptr
      integer(c_int64_t), value :: count
      type(c_ptr), value :: x, y, context
    end subroutine scalay_stencil_update
  end interface

  !> scalay_stencil_execute(stencil, coefficients, iterations, x [, status]) iterates x'(i) = (c(1) x(i-1) + c(2) x(i))
  !! + c(3) x(i+1). Collective over the ranks that hold items. x: the local array, of the type of the stencil.
  !! SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the type is another one), SCALAY_ERROR_MPI.
  interface scalay_stencil_execute
    module procedure iterate_s, iterate_d
  end interface scalay_stencil_execute

contains

  !> Plans a three-point stencil on items on a circle. Collective over comm; the ranks agree on the status.
  !! @param[inout] stencil     to be released with destroy
  !! @param[in]    comm        the ranks; kept alive by the stencil
  !! @param[in]    layout      where the items are: one row or one column; need not outlive the call
  !! @param[in]    type        of the items: any
  !! @param[in]    no_overlap  messages are waited for before anything is computed; absent: .false.
  !! @param[out]   status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree),
  !!                           SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_stencil_create(stencil, comm, layout, type, no_overlap, status)
    class(scalay_stencil), intent(inout) :: stencil
    class(scalay_comm), intent(in) :: comm
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: type
    logical, intent(in), optional :: no_overlap
    integer(c_int), intent(out), optional :: status
    type(c_stencil_options) :: options
    type(c_ptr) :: handle
    integer(c_int64_t) :: needed
    integer(c_int) :: code
    call c_stencil_options_init(options, c_sizeof(options))
    if (present(no_overlap)) options%no_overlap = merge(1_c_int, 0_c_int, no_overlap)
    needed = layout%local_size(comm%rank())
    code = c_stencil_create(comm%c_object(), layout%c_object(), type, options, handle)
    call stencil%destroy()
    call stencil%set_handle(handle)
    stencil%type = merge(type, 0_c_int, code == SCALAY_SUCCESS)
    stencil%elements = needed
    call return_status(code, status)
  end subroutine scalay_stencil_create

  !> Iterates with a procedure of the caller's. Collective over the ranks that hold items.
  !! @param[in]    stencil     of any type
  !! @param[in]    update      computes new values
  !! @param[in]    iterations  at least 0, the same on every rank
  !! @param[inout] x           the local array
  !! @param[in]    context     handed to update; absent: null
  !! @param[out]   status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MPI
  subroutine scalay_stencil_execute_with(stencil, update, iterations, x, context, status)
    class(scalay_stencil), intent(in) :: stencil
    procedure(scalay_stencil_update) :: update
    integer(c_int64_t), intent(in) :: iterations
    type(*), contiguous, target, intent(inout) :: x(..)
    type(c_ptr), intent(in), optional :: context
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: given, local
    integer(c_int) :: code
    given = c_null_ptr
    if (present(context)) given = context
    local = checked_address("x", address(x), elements_of(x), stencil%elements)
    code = c_stencil_execute_with(stencil%c_object(), c_funloc(update), given, iterations, local)
    call return_status(code, status)
  end subroutine scalay_stencil_execute_with

  !> What a stencil does, and did last, on this rank. Not collective.
  !! @param[in]  stencil     a stencil
  !! @param[out] statistics  all zero after a failure
  !! @param[out] status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_stencil_get_statistics(stencil, statistics, status)
    class(scalay_stencil), intent(in) :: stencil
    type(scalay_stencil_statistics), intent(out) :: statistics
    integer(c_int), intent(out), optional :: status
    type(scalay_stencil_statistics) :: told
    integer(c_int) :: code
    code = c_stencil_get_statistics(stencil%c_object(), told)
    if (code == SCALAY_SUCCESS) statistics = told
    call return_status(code, status)
  end subroutine scalay_stencil_get_statistics

  !> Releases a stencil. Collective over its ranks. Fine when there is none.
  subroutine scalay_stencil_destroy(stencil)
    class(scalay_stencil), intent(inout) :: stencil
    type(c_ptr) :: object
    object = stencil%c_object()
    call c_stencil_destroy(object)
    call stencil%set_handle(object)
    stencil%type = 0
    stencil%elements = 0
  end subroutine scalay_stencil_destroy

! The same procedure for each element type.
#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define ITERATE iterate_s
#include "scalay_stencil.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define ITERATE iterate_d
#include "scalay_stencil.inc"
end module scalay_stencil_mod
