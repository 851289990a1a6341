!> Redistribution: moving a matrix from one layout to another (redist.h).
!!
!! A plan holds everything that is needed to move; make it once and execute it as often as the layouts stay.
!!
!!     call plan%create(comm, source, target, mapping, SCALAY_DOUBLE)
!!     call scalay_execute(plan, a, b)        ! or scalay_begin and scalay_end around computation
!!     call scalay_execute_back(plan, b, a)
!!
!! a is the local array in the source layout, b in the target layout, of any rank, scalars and assumed-size arrays
!! included: real(c_float), real(c_double), complex(c_float_complex), complex(c_double_complex) or integer(c_int),
!! as the plan's type; any of them, counted in bytes, for a plan of raw elements. A rank that holds nothing passes an
!! array of no elements. The arrays' sizes, where Fortran knows them, are checked against the layouts. In between
!! scalay_begin and scalay_end the caller's arrays need the ASYNCHRONOUS attribute and must be contiguous.
module scalay_redist_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, conclude, fail, text_of, chars_of, address, address_in_place
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH
  use scalay_types_mod
  use scalay_context_mod, only: scalay_comm, scalay_comm_rank
  use scalay_layout_mod, only: scalay_layout, scalay_layout_local_size
  use scalay_mapping_mod, only: scalay_mapping, scalay_mapping_apply
  implicit none
  private
  public :: scalay_plan, scalay_plan_statistics, scalay_plan_create, scalay_plan_destroy
  public :: scalay_execute, scalay_execute_back, scalay_begin, scalay_begin_back, scalay_end
  public :: scalay_plan_get_statistics, scalay_plan_describe, scalay_grid_create

  !> Everything needed to move a matrix from one layout to another and back.
  type, extends(scalay_object) :: scalay_plan
    private
    ! What the arrays are checked against; of a plan that was adopted from C nothing is known.
    integer(c_int) :: type = SCALAY_RAW_BASE
    integer(c_int64_t) :: source_bytes = 0
    integer(c_int64_t) :: target_bytes = 0
    ! The arrays that are under way.
    type(c_ptr) :: a = c_null_ptr
    type(c_ptr) :: b = c_null_ptr
  contains
    procedure, pass(plan) :: create => scalay_plan_create
    procedure :: destroy => scalay_plan_destroy
    procedure :: get_statistics => scalay_plan_get_statistics
    procedure :: describe => scalay_plan_describe
    procedure, private :: execute_s, execute_d, execute_c, execute_z, execute_i
    procedure, private :: execute_back_s, execute_back_d, execute_back_c, execute_back_z, execute_back_i
    procedure, private :: begin_s, begin_d, begin_c, begin_z, begin_i
    procedure, private :: begin_back_s, begin_back_d, begin_back_c, begin_back_z, begin_back_i
    procedure, private :: end_s, end_d, end_c, end_z, end_i
    generic :: execute => execute_s, execute_d, execute_c, execute_z, execute_i
    generic :: execute_back => execute_back_s, execute_back_d, execute_back_c, execute_back_z, execute_back_i
    generic :: begin => begin_s, begin_d, begin_c, begin_z, begin_i
    generic :: begin_back => begin_back_s, begin_back_d, begin_back_c, begin_back_z, begin_back_i
    generic :: end => end_s, end_d, end_c, end_z, end_i
  end type scalay_plan

  !> scalay_execute(plan, a, b [, status]) moves a matrix from a to b. Collective over the ranks that send or receive
  !! something; others may call it. Only the rank's own elements of b are written. a and b must not overlap. Errors are
  !! not agreed upon: a rank that returns an error tells only of itself. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT,
  !! SCALAY_ERROR_MISMATCH (an array of another type than the plan's), SCALAY_ERROR_MPI.
  interface scalay_execute
    module procedure execute_s, execute_d, execute_c, execute_z, execute_i
  end interface scalay_execute

  !> scalay_execute_back(plan, b, a [, status]): the other way round, from b in the target layout to a in the source
  !! layout.
  interface scalay_execute_back
    module procedure execute_back_s, execute_back_d, execute_back_c, execute_back_z, execute_back_i
  end interface scalay_execute_back

  !> scalay_begin(plan, a, b [, status]) starts to move a matrix; scalay_end finishes. a must stay unchanged and b
  !! untouched in between. Several plans may be under way at a time when all ranks begin them in the same order.
  interface scalay_begin
    module procedure begin_s, begin_d, begin_c, begin_z, begin_i
  end interface scalay_begin

  !> scalay_begin_back(plan, b, a [, status]): scalay_begin the other way round.
  interface scalay_begin_back
    module procedure begin_back_s, begin_back_d, begin_back_c, begin_back_z, begin_back_i
  end interface scalay_begin_back

  !> scalay_end(plan, a, b [, status]) finishes what scalay_begin or scalay_begin_back started with the same two arrays,
  !! a in the source layout and b in the target layout either way; SCALAY_ERROR_ARGUMENT when nothing was.
  interface scalay_end
    module procedure end_s, end_d, end_c, end_z, end_i
  end interface scalay_end

contains

  !> Plans a redistribution. Collective over comm: a plan exists on every rank or on none.
  !! @param[in]    comm       the ranks; kept alive by the plan
  !! @param[in]    source     where the matrix is; every process of it is a rank of comm
  !! @param[in]    target     where it goes; same extents. Neither layout needs to outlive the call.
  !! @param[in]    mapping    who takes which part of the target, with leading dimensions max(1, local rows), also when
  !!                          the target comes from a descriptor; scalay_no_mapping: the target layout as it is
  !! @param[in]    type       SCALAY_FLOAT ... SCALAY_INT, or scalay_raw(bytes)
  !! @param[inout] plan       to be released with destroy
  !! @param[in]    transport  "auto", "mpi" or "blacs"; absent: "auto"
  !! @param[out]   status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents, parts, or the ranks
  !!                          disagree), SCALAY_ERROR_UNSUPPORTED (the transport cannot carry out this plan),
  !!                          SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_plan_create(comm, source, target, mapping, type, plan, transport, status)
    class(scalay_comm), intent(in) :: comm
    class(scalay_layout), intent(in) :: source, target
    class(scalay_mapping), intent(in) :: mapping
    integer(c_int), intent(in) :: type
    class(scalay_plan), intent(inout) :: plan
    character(*), intent(in), optional :: transport
    integer(c_int), intent(out), optional :: status
    type(c_plan_options) :: options
    character(kind=c_char), allocatable, target :: name(:)
    type(c_ptr) :: made
    integer(c_int) :: code
    options = c_plan_options_default()
    if (present(transport)) then
      name = chars_of(trim(transport))
      options%transport = c_loc(name)
    end if
    code = c_plan_create(comm%c_object(), source%c_object(), target%c_object(), mapping%c_object(), type, options, made)
    call plan%destroy()
    call plan%adopt(made)
    if (code == SCALAY_SUCCESS) then
      plan%type = type
      plan%source_bytes = local_bytes(source, comm%rank(), type)
      plan%target_bytes = target_bytes(target, mapping, comm%rank(), type)
    end if
    call conclude(code, status)
  end subroutine scalay_plan_create

  integer(c_int64_t) function local_bytes(layout, rank, type)
    class(scalay_layout), intent(in) :: layout
    integer(c_int), intent(in) :: rank, type
    local_bytes = layout%local_size(rank) * scalay_type_size(type)
  end function local_bytes

  ! 0, which checks nothing, when there is no memory to find out.
  integer(c_int64_t) function target_bytes(target, mapping, rank, type)
    class(scalay_layout), intent(in) :: target
    class(scalay_mapping), intent(in) :: mapping
    integer(c_int), intent(in) :: rank, type
    type(scalay_layout) :: mapped
    integer(c_int) :: status
    if (.not. mapping%exists()) then
      target_bytes = local_bytes(target, rank, type)
    else
      call mapping%apply(target, mapped, status)
      target_bytes = local_bytes(mapped, rank, type)
      call mapped%destroy()
    end if
  end function target_bytes

  ! Do two arrays, of so many elements each (negative: not known), suit a plan?
  integer(c_int) function check_arrays(plan, type, elements_a, elements_b)
    class(scalay_plan), intent(in) :: plan
    integer(c_int), intent(in) :: type
    integer(c_int64_t), intent(in) :: elements_a, elements_b
    check_arrays = SCALAY_SUCCESS
    if (plan%type < SCALAY_RAW_BASE .and. plan%type /= type) then
      check_arrays = fail(SCALAY_ERROR_MISMATCH, "scalay_execute: the plan is for elements of type " &
        // scalay_type_name(plan%type) // ", the arrays are of type " // scalay_type_name(type))
    else
      check_arrays = check_size("a", elements_a, plan%source_bytes, scalay_type_size(type))
      if (check_arrays == SCALAY_SUCCESS) &
        check_arrays = check_size("b", elements_b, plan%target_bytes, scalay_type_size(type))
    end if
  end function check_arrays

  integer(c_int) function check_size(name, elements, bytes, element_bytes)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: elements, bytes, element_bytes
    character(200) :: message
    check_size = SCALAY_SUCCESS
    if (elements < 0 .or. elements * element_bytes >= bytes) return
    write (message, "(3a, i0, a, i0, a)") "scalay_execute: ", name, " has ", elements, " elements, its layout needs ", &
      (bytes + element_bytes - 1) / element_bytes, " (scalay_layout_local_size)"
    check_size = fail(SCALAY_ERROR_ARGUMENT, trim(message))
  end function check_size

  ! What is under way must not be a copy.
  integer(c_int) function check_contiguous(contiguous)
    logical, intent(in) :: contiguous
    check_contiguous = SCALAY_SUCCESS
    if (.not. contiguous) check_contiguous = &
      fail(SCALAY_ERROR_ARGUMENT, "scalay_begin: an array is not contiguous; use scalay_execute or copy it")
  end function check_contiguous

  subroutine remember(plan, a, b)
    class(scalay_plan), intent(inout) :: plan
    type(c_ptr), intent(in) :: a, b
    plan%a = a
    plan%b = b
  end subroutine remember

  ! Are these the arrays that are under way?
  integer(c_int) function check_same(plan, a, b)
    class(scalay_plan), intent(in) :: plan
    type(c_ptr), intent(in) :: a, b
    check_same = SCALAY_SUCCESS
    if (.not. (same(plan%a, a) .and. same(plan%b, b))) &
      check_same = fail(SCALAY_ERROR_ARGUMENT, "scalay_end: the arrays are not those that scalay_begin was given")
  end function check_same

  logical function same(p, q)
    type(c_ptr), intent(in) :: p, q
    same = c_associated(p, q) .or. .not. (c_associated(p) .or. c_associated(q))
  end function same

  !> What the plan moves. Not collective.
  !! @param[in]  plan        a plan
  !! @param[out] statistics  all zero after a failure
  !! @param[out] status      SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  subroutine scalay_plan_get_statistics(plan, statistics, status)
    class(scalay_plan), intent(in) :: plan
    type(scalay_plan_statistics), intent(out) :: statistics
    integer(c_int), intent(out), optional :: status
    type(scalay_plan_statistics) :: told
    integer(c_int) :: code
    code = c_plan_get_statistics(plan%c_object(), told)
    if (code == SCALAY_SUCCESS) statistics = told
    call conclude(code, status)
  end subroutine scalay_plan_get_statistics

  !> A sentence about a plan: transport and why, volume, steps, memory. Not collective.
  function scalay_plan_describe(plan) result(text)
    class(scalay_plan), intent(in) :: plan
    character(:), allocatable :: text
    character(kind=c_char), allocatable :: chars(:)
    integer(c_int) :: length
    length = c_plan_describe(plan%c_object(), size=0_c_size_t)
    allocate (chars(length + 1))
    length = c_plan_describe(plan%c_object(), chars, size(chars, kind=c_size_t))
    text = text_of(chars(:length))
  end function scalay_plan_describe

  !> Releases a plan; what is under way is finished first. Collective over its ranks. Fine when there is none.
  subroutine scalay_plan_destroy(plan)
    class(scalay_plan), intent(inout) :: plan
    type(c_ptr) :: object
    object = plan%c_object()
    call c_plan_destroy(object)
    call plan%adopt(object)
    plan%type = SCALAY_RAW_BASE
    plan%source_bytes = 0
    plan%target_bytes = 0
    plan%a = c_null_ptr
    plan%b = c_null_ptr
  end subroutine scalay_plan_destroy

  !> A BLACS context whose grid is permuted by a mapping, and the descriptor that goes with it: what ScaLAPACK routines
  !! need to run on the target layout unchanged. Collective over comm.
  !! @param[in]  comm     the ranks; release the context with scalay_grid_release
  !! @param[in]  target   a block-cyclic layout, not a submatrix; its extents and blocks fit an integer
  !! @param[in]  mapping  who takes which part; scalay_no_mapping: where the target layout has it
  !! @param[out] ctxt     the context; -1 on ranks outside the grid
  !! @param[out] desc     an array descriptor; its LLD is what a plan with this target and mapping expects; outside the
  !!                      grid its context is -1
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (not block-cyclic),
  !!                      SCALAY_ERROR_RANGE, SCALAY_ERROR_MISMATCH, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_grid_create(comm, target, mapping, ctxt, desc, status)
    class(scalay_comm), intent(in) :: comm
    class(scalay_layout), intent(in) :: target
    class(scalay_mapping), intent(in) :: mapping
    integer(c_int), intent(out) :: ctxt
    integer(c_int), intent(out) :: desc(9)
    integer(c_int), intent(out), optional :: status
    call conclude(c_grid_create(comm%c_object(), target%c_object(), mapping%c_object(), ctxt, desc), status)
  end subroutine scalay_grid_create

! The same procedures for each element type.
#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define EXECUTE execute_s
#define EXECUTE_BACK execute_back_s
#define BEGIN begin_s
#define BEGIN_BACK begin_back_s
#define END end_s
#include "scalay_execute.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define EXECUTE execute_d
#define EXECUTE_BACK execute_back_d
#define BEGIN begin_d
#define BEGIN_BACK begin_back_d
#define END end_d
#include "scalay_execute.inc"

#define ELEMENT complex(c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define EXECUTE execute_c
#define EXECUTE_BACK execute_back_c
#define BEGIN begin_c
#define BEGIN_BACK begin_back_c
#define END end_c
#include "scalay_execute.inc"

#define ELEMENT complex(c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define EXECUTE execute_z
#define EXECUTE_BACK execute_back_z
#define BEGIN begin_z
#define BEGIN_BACK begin_back_z
#define END end_z
#include "scalay_execute.inc"

#define ELEMENT integer(c_int)
#define ELEMENT_CODE SCALAY_INT
#define EXECUTE execute_i
#define EXECUTE_BACK execute_back_i
#define BEGIN begin_i
#define BEGIN_BACK begin_back_i
#define END end_i
#include "scalay_execute.inc"
end module scalay_redist_mod
