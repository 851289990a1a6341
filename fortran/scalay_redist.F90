!> Redistribution: moving a matrix from one layout to another (redist.h).
!!
!! A plan holds everything that is needed to move; make it once and execute it as often as the layouts stay.
!!
!!     call plan%create(comm, source, target, mapping, SCALAY_DOUBLE)
!!     call scalay_execute(plan, a, b)        ! or scalay_begin and scalay_end around computation
!!     call scalay_execute_back(plan, b, a)
!!
!! On the way a matrix may be transposed, scaled and added to what is there, C := alpha op(A) + beta C, on all of it or
!! on a trapezoid:
!!
!!     call plan%create(comm, source, target, mapping, SCALAY_DOUBLE, op=SCALAY_TRANSPOSE)
!!     call scalay_execute(plan, a, c, alpha=2d0, beta=1d0)
!!
!! Several matrices may go in one round of communication, and source and target may share memory:
!!
!!     call plan%create(comm, [scalay_plan_matrix(source_a, target_a, mapping_a, SCALAY_DOUBLE), &
!!                             scalay_plan_matrix(source_b, target_b, mapping_b, SCALAY_INT)])
!!     call scalay_execute(plan, [scalay_operands(a, new_a), scalay_operands(b, new_b)])
!!
!!     call plan%create(comm, source, target, mapping, SCALAY_DOUBLE, in_place=.true.)
!!     call scalay_execute_in_place(plan, a)
!!
!! A matrix that does not fit into memory twice: the source loses its pages while it moves.
!!
!!     call plan%create(comm, source, target, mapping, SCALAY_DOUBLE, consume=.true.)
!!     call scalay_execute_consume(plan, a, b)
!!
!! a is the local array in the source layout, b in the target layout, of any rank, scalars and assumed-size arrays
!! included: real(c_float), real(c_double), complex(c_float_complex), complex(c_double_complex) or integer(c_int),
!! as the plan's type; any of them, counted in bytes, for a plan of raw elements. A rank that holds nothing passes an
!! array of no elements. The arrays' sizes, where Fortran knows them, are checked against the layouts. In between
!! scalay_begin and scalay_end the caller's arrays need the ASYNCHRONOUS attribute and must be contiguous.
module scalay_redist_mod
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: scalay_object, return_status, fail, string_of, text_of, chars_of, address_in_place, elements_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH
  use scalay_types_mod
  use scalay_context_mod, only: scalay_comm, scalay_comm_rank
  use scalay_layout_mod, only: scalay_layout, scalay_layout_local_size
  use scalay_mapping_mod, only: scalay_mapping, scalay_no_mapping, scalay_mapping_apply
  implicit none
  private
  public :: scalay_plan, scalay_plan_matrix, scalay_operands, scalay_plan_statistics, scalay_plan_create
  public :: scalay_plan_destroy, scalay_execute, scalay_execute_back, scalay_execute_in_place
  public :: scalay_execute_consume, scalay_execute_back_in_place, scalay_begin, scalay_begin_back, scalay_test, scalay_end
  public :: scalay_plan_get_statistics, scalay_plan_describe, scalay_grid_create, scalay_transport_name

  !> Which way a plan is gone.
  integer(c_int), parameter, public :: SCALAY_FORWARD = 0  !< from the source layout to the target layout
  integer(c_int), parameter, public :: SCALAY_BACKWARD = 1   !< from the target layout to the source layout

  !> One of the matrices that a plan moves: scalay_plan_matrix(source, target, mapping, type [, op] [, uplo] [, diag]).
  !! Neither layout needs to outlive the creation of the plan.
  type :: scalay_plan_matrix
    type(scalay_layout) :: source                          !< where A is; every process of it is a rank
    type(scalay_layout) :: target                          !< where C is; extents of op(A)
    type(scalay_mapping) :: mapping = scalay_no_mapping    !< who takes which part of the target
    integer(c_int) :: type = 0                             !< of the elements
    integer(c_int) :: op = SCALAY_NO_TRANSPOSE             !< what becomes of A
    integer(c_int) :: uplo = SCALAY_WHOLE                  !< what part of op(A) and of C
    integer(c_int) :: diag = SCALAY_NON_UNIT               !< whether that part has a diagonal
  end type scalay_plan_matrix

  !> What a plan is executed with, for one of its matrices: scalay_operands(a, b [, alpha] [, beta]), a in the source
  !! layout and b in the target layout, whichever way the plan is gone. Keeps the addresses: the arrays are contiguous
  !! and have the TARGET attribute, and ASYNCHRONOUS between scalay_begin and scalay_end. The scalars are of the arrays'
  !! type (integers take none), the same on every rank; 1 and 0 when absent. In place: a and b are the same array.
  type :: scalay_operands
    private
    integer(c_int) :: type = 0
    integer(c_int64_t) :: elements_a = 0  ! negative: not known
    integer(c_int64_t) :: elements_b = 0
    logical :: contiguous = .true.
    type(c_ptr) :: a = c_null_ptr
    type(c_ptr) :: b = c_null_ptr
    logical :: has_alpha = .false.
    logical :: has_beta = .false.
    integer(c_int64_t) :: alpha(2) = 0    ! its bytes
    integer(c_int64_t) :: beta(2) = 0
  end type scalay_operands

  ! What is known of a matrix of a plan, for its arrays to be checked against; by default nothing.
  type :: matrix_facts
    integer(c_int) :: type = SCALAY_RAW_BASE
    integer(c_int64_t) :: source_bytes = 0
    integer(c_int64_t) :: target_bytes = 0
    type(c_ptr) :: a = c_null_ptr  ! the arrays that are under way
    type(c_ptr) :: b = c_null_ptr
  end type matrix_facts

  !> Everything needed to move matrices from one layout to another and back.
  type, extends(scalay_object) :: scalay_plan
    private
    type(matrix_facts), allocatable :: facts(:)  ! of each matrix; not allocated for a plan that was adopted from C
  contains
    procedure, private, pass(plan) :: create_one
    procedure, private, pass(plan) :: create_many
    generic :: create => create_one, create_many
    procedure :: destroy => scalay_plan_destroy
    procedure :: get_statistics => scalay_plan_get_statistics
    procedure :: describe => scalay_plan_describe
    procedure :: test => scalay_test
    procedure, private :: execute_s, execute_d, execute_c, execute_z, execute_i, execute_many
    procedure, private :: execute_back_s, execute_back_d, execute_back_c, execute_back_z, execute_back_i
    procedure, private :: execute_back_many
    procedure, private :: consume_s, consume_d, consume_c, consume_z, consume_i
    procedure, private :: in_place_s, in_place_d, in_place_c, in_place_z, in_place_i
    procedure, private :: back_in_place_s, back_in_place_d, back_in_place_c, back_in_place_z, back_in_place_i
    procedure, private :: begin_s, begin_d, begin_c, begin_z, begin_i, begin_many
    procedure, private :: begin_back_s, begin_back_d, begin_back_c, begin_back_z, begin_back_i, begin_back_many
    procedure, private :: end_s, end_d, end_c, end_z, end_i, end_many
    generic :: execute => execute_s, execute_d, execute_c, execute_z, execute_i, execute_many
    generic :: execute_back => execute_back_s, execute_back_d, execute_back_c, execute_back_z, execute_back_i, &
      execute_back_many
    generic :: execute_consume => consume_s, consume_d, consume_c, consume_z, consume_i
    generic :: execute_in_place => in_place_s, in_place_d, in_place_c, in_place_z, in_place_i
    generic :: execute_back_in_place => back_in_place_s, back_in_place_d, back_in_place_c, back_in_place_z, &
      back_in_place_i
    generic :: begin => begin_s, begin_d, begin_c, begin_z, begin_i, begin_many
    generic :: begin_back => begin_back_s, begin_back_d, begin_back_c, begin_back_z, begin_back_i, begin_back_many
    generic :: end => end_s, end_d, end_c, end_z, end_i, end_many
  end type scalay_plan

  !> scalay_plan_create(comm, source, target, mapping, type, plan [, transport] [, op] [, uplo] [, diag]
  !! [, memory_bytes] [, in_place] [, threads] [, machine] [, consume] [, verify] [, status]) plans to move one matrix;
  !! scalay_plan_create(comm, matrices, plan [, transport] [, memory_bytes] [, in_place] [, threads] [, machine]
  !! [, consume] [, verify] [, status]) several in one round of communication. Name the optional arguments. Collective over comm.
  interface scalay_plan_create
    module procedure create_one, create_many
  end interface scalay_plan_create

  interface scalay_operands
    module procedure operands_s, operands_d, operands_c, operands_z, operands_i
  end interface scalay_operands

  !> scalay_execute(plan, a, b [, alpha] [, beta] [, status]) moves a matrix from a to b: C := alpha op(A) + beta C, with
  !! scalars of the arrays' type (integers take none), the same on every rank; without beta, or with beta = 0, b is
  !! overwritten and not read. scalay_execute(plan, operands [, status]) moves the matrices of a plan of several.
  !! Collective over the ranks that send or receive something; others may call it. Only the rank's own elements of b are
  !! written. a and b must not overlap. Errors are not agreed upon: a rank that returns an error tells only of itself.
  !! SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (an array of another type than the plan's),
  !! SCALAY_ERROR_MPI.
  interface scalay_execute
    module procedure execute_s, execute_d, execute_c, execute_z, execute_i, execute_many
  end interface scalay_execute

  !> scalay_execute_back(plan, b, a [, alpha] [, beta] [, status]), scalay_execute_back(plan, operands [, status]): the
  !! other way round, from b in the target layout to a in the source layout, A := alpha op(C) + beta A.
  interface scalay_execute_back
    module procedure execute_back_s, execute_back_d, execute_back_c, execute_back_z, execute_back_i, execute_back_many
  end interface scalay_execute_back

  !> scalay_execute_consume(plan, a, b [, status]): as scalay_execute, by a plan that was created with consume=.true.
  !! The elements of a are undefined afterwards: its pages are returned to the system while the matrix moves. b must not
  !! overlap a, and should not have been touched before.
  interface scalay_execute_consume
    module procedure consume_s, consume_d, consume_c, consume_z, consume_i
  end interface scalay_execute_consume

  !> scalay_execute_in_place(plan, array [, alpha] [, status]): scalay_execute with one array, which holds the
  !! matrix in the source layout before and in the target layout afterwards, by a plan that was made with in_place.
  interface scalay_execute_in_place
    module procedure in_place_s, in_place_d, in_place_c, in_place_z, in_place_i
  end interface scalay_execute_in_place

  !> scalay_execute_back_in_place(plan, array [, alpha] [, status]): the other way round.
  interface scalay_execute_back_in_place
    module procedure back_in_place_s, back_in_place_d, back_in_place_c, back_in_place_z, back_in_place_i
  end interface scalay_execute_back_in_place

  !> scalay_begin(plan, a, b [, alpha] [, beta] [, status]), scalay_begin(plan, operands [, status]) starts to move;
  !! scalay_end finishes, scalay_test makes progress in between. a must stay unchanged and b untouched until then.
  !! Several plans may be under way at a time when all ranks begin them in the same order; they may end in any.
  interface scalay_begin
    module procedure begin_s, begin_d, begin_c, begin_z, begin_i, begin_many
  end interface scalay_begin

  !> scalay_begin_back(plan, b, a [, alpha] [, beta] [, status]), scalay_begin_back(plan, operands [, status]):
  !! scalay_begin the other way round.
  interface scalay_begin_back
    module procedure begin_back_s, begin_back_d, begin_back_c, begin_back_z, begin_back_i, begin_back_many
  end interface scalay_begin_back

  !> scalay_end(plan, a, b [, status]), scalay_end(plan, operands [, status]) finishes what scalay_begin or
  !! scalay_begin_back started with the same arrays, a in the source layout and b in the target layout either way;
  !! SCALAY_ERROR_ARGUMENT when nothing was.
  interface scalay_end
    module procedure end_s, end_d, end_c, end_z, end_i, end_many
  end interface scalay_end

contains

#include "scalay_plan_create.inc"
#include "scalay_plan_move.inc"

  !> Returns the name of transport k = 0, 1, ...; empty if k is not the number of a transport. Not collective.
  function scalay_transport_name(k) result(name)
    integer(c_int), intent(in) :: k
    character(:), allocatable :: name
    name = string_of(c_transport_name(k))
  end function scalay_transport_name

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
    call return_status(code, status)
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
    call plan%set_handle(object)
    if (allocated(plan%facts)) deallocate (plan%facts)
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
    call return_status(c_grid_create(comm%c_object(), target%c_object(), mapping%c_object(), ctxt, desc), status)
  end subroutine scalay_grid_create

! The same procedures for each element type; integers take no scalars.
#define ELEMENT real(c_float)
#define ELEMENT_CODE SCALAY_FLOAT
#define SCALARS , alpha, beta
#define SCALE , alpha
#define OPERANDS operands_s
#define EXECUTE execute_s
#define EXECUTE_BACK execute_back_s
#define CONSUME consume_s
#define IN_PLACE in_place_s
#define BACK_IN_PLACE back_in_place_s
#define BEGIN begin_s
#define BEGIN_BACK begin_back_s
#define END end_s
#include "scalay_execute.inc"

#define ELEMENT real(c_double)
#define ELEMENT_CODE SCALAY_DOUBLE
#define SCALARS , alpha, beta
#define SCALE , alpha
#define OPERANDS operands_d
#define EXECUTE execute_d
#define EXECUTE_BACK execute_back_d
#define CONSUME consume_d
#define IN_PLACE in_place_d
#define BACK_IN_PLACE back_in_place_d
#define BEGIN begin_d
#define BEGIN_BACK begin_back_d
#define END end_d
#include "scalay_execute.inc"

#define ELEMENT complex(c_float_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define SCALARS , alpha, beta
#define SCALE , alpha
#define OPERANDS operands_c
#define EXECUTE execute_c
#define EXECUTE_BACK execute_back_c
#define CONSUME consume_c
#define IN_PLACE in_place_c
#define BACK_IN_PLACE back_in_place_c
#define BEGIN begin_c
#define BEGIN_BACK begin_back_c
#define END end_c
#include "scalay_execute.inc"

#define ELEMENT complex(c_double_complex)
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define SCALARS , alpha, beta
#define SCALE , alpha
#define OPERANDS operands_z
#define EXECUTE execute_z
#define EXECUTE_BACK execute_back_z
#define CONSUME consume_z
#define IN_PLACE in_place_z
#define BACK_IN_PLACE back_in_place_z
#define BEGIN begin_z
#define BEGIN_BACK begin_back_z
#define END end_z
#include "scalay_execute.inc"

#define ELEMENT integer(c_int)
#define ELEMENT_CODE SCALAY_INT
#define SCALARS
#define SCALE
#define NO_SCALARS
#define OPERANDS operands_i
#define EXECUTE execute_i
#define EXECUTE_BACK execute_back_i
#define CONSUME consume_i
#define IN_PLACE in_place_i
#define BACK_IN_PLACE back_in_place_i
#define BEGIN begin_i
#define BEGIN_BACK begin_back_i
#define END end_i
#include "scalay_execute.inc"
end module scalay_redist_mod
