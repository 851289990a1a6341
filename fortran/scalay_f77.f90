!> Entry points for Fortran code that predates modules: external subroutines with implicit interfaces.
!!
!!       CALL SCALAY_COMM_CREATE(MPI_COMM_WORLD, COMM, INFO)
!!       CALL SCALAY_LAYOUT_FROM_DESC(COMM, DESCA, SOURCE, INFO)
!!       CALL SCALAY_LAYOUT_BLOCK_CYCLIC(M, N, MB, NB, NPROW, NPCOL, 0, 0, 'R', TARGET, INFO)
!!       CALL SCALAY_MAPPING_CREATE(SOURCE, TARGET, 'steps-volume', MAPPING, INFO)
!!       CALL SCALAY_GRID_CREATE(COMM, TARGET, MAPPING, CTXT, DESCB, INFO)
!!       CALL SCALAY_PLAN_CREATE(COMM, SOURCE, TARGET, MAPPING, 'D', PLAN, INFO)
!!       CALL SCALAY_PLAN_EXECUTE(PLAN, A, B, INFO)
!!
!! All integers are INTEGER. Objects are INTEGER handles, 0 for none; a handle that is wrong, of another kind or
!! already destroyed gives an error, never a crash. INFO is 0 or the number of an error (SCALAY_ERROR_... of status.h, 1
!! to 11), of which CALL SCALAY_ERROR_MESSAGE(TEXT) tells more. Collective calls fail on every rank or on none. Letters
!! may be upper or lower case. Not for several threads at a time.
!!
!! The entry points are C-bound procedures whose names are what Fortran compilers make of external names (lower case
!! and an underscore): a plain external procedure would share its global name with the C function behind it. Hence
!! the length of each character argument at the end, where Fortran compilers pass it.
module scalay_f77
  use, intrinsic :: iso_c_binding
  use scalay_c
  use scalay_support, only: fail, string_of, text_of
  use scalay_status_mod
  use scalay_types_mod
  use scalay_mapping_mod, only: SCALAY_CANONICAL, SCALAY_MIN_GRID_VOLUME, scalay_objective_name
  use scalay_redist_mod, only: SCALAY_FORWARD, SCALAY_BACKWARD
  use scalay_handles
  implicit none
  private

contains

  !> SCALAY_ERROR_MESSAGE(TEXT): the message of the last failed call, blank-padded or cut. Not collective.
  subroutine f77_error_message(text, length) bind(C, name="scalay_error_message_")
    character(kind=c_char), intent(out) :: text(*)
    integer(c_size_t), value :: length
    character(:), allocatable :: message
    integer :: k
    message = string_of(c_error_message())
    do k = 1, int(length)
      text(k) = " "
      if (k <= len(message)) text(k) = message(k:k)
    end do
  end subroutine f77_error_message

  !> SCALAY_COMM_CREATE(MPI, COMM, INFO): as scalay_comm_create. Collective over the communicator MPI.
  subroutine f77_comm_create(mpi, comm, info) bind(C, name="scalay_comm_create_")
    integer(c_int), intent(in) :: mpi
    integer(c_int), intent(out) :: comm, info
    type(c_ptr) :: handle
    info = c_comm_create_f(mpi, handle)
    call keep(COMM_HANDLE, handle, comm, info)
  end subroutine f77_comm_create

  !> SCALAY_COMM_CREATE_BLACS(CTXT, COMM, INFO): as scalay_comm_create_blacs. Collective over the processes of the
  !! context CTXT. Outside the context, CTXT is -1 and COMM becomes 0.
  subroutine f77_comm_create_blacs(ctxt, comm, info) bind(C, name="scalay_comm_create_blacs_")
    integer(c_int), intent(in) :: ctxt
    integer(c_int), intent(out) :: comm, info
    type(c_ptr) :: object
    info = c_comm_create_blacs(ctxt, object)
    comm = 0
    if (c_associated(object)) call keep(COMM_HANDLE, object, comm, info)
  end subroutine f77_comm_create_blacs

  !> SCALAY_COMM_DESTROY(COMM, INFO): sets COMM to 0; 0 is fine. Collective over it.
  subroutine f77_comm_destroy(comm, info) bind(C, name="scalay_comm_destroy_")
    integer(c_int), intent(inout) :: comm
    integer(c_int), intent(out) :: info
    type(c_ptr) :: object
    info = handle_find("COMM", COMM_HANDLE, comm, object, none_is_fine=.true.)
    if (info /= SCALAY_SUCCESS) return
    call c_comm_destroy(object)
    call handle_release(comm)
  end subroutine f77_comm_destroy

  !> SCALAY_LAYOUT_FROM_DESC(COMM, DESC, LAYOUT, INFO): as scalay_layout_from_desc. Collective over COMM.
  subroutine f77_layout_from_desc(comm, desc, layout, info) bind(C, name="scalay_layout_from_desc_")
    integer(c_int), intent(in) :: comm, desc(9)
    integer(c_int), intent(out) :: layout, info
    type(c_ptr) :: object, handle
    layout = 0
    info = handle_find("COMM", COMM_HANDLE, comm, object)
    if (info /= SCALAY_SUCCESS) return
    info = c_layout_from_desc(object, desc, handle)
    call keep(LAYOUT_HANDLE, handle, layout, info)
  end subroutine f77_layout_from_desc

  !> SCALAY_LAYOUT_BLOCK_CYCLIC(M, N, MB, NB, NPROW, NPCOL, RSRC, CSRC, ORDER, LAYOUT, INFO): as
  !! scalay_layout_block_cyclic; CHARACTER ORDER begins with R (row-major) or C (column-major). Not collective.
  subroutine f77_layout_block_cyclic(m, n, mb, nb, nprow, npcol, rsrc, csrc, order, layout, info, order_length) &
      bind(C, name="scalay_layout_block_cyclic_")
    integer(c_int), intent(in) :: m, n, mb, nb, nprow, npcol, rsrc, csrc
    integer(c_size_t), value :: order_length
    character(kind=c_char), intent(in) :: order(order_length)
    integer(c_int), intent(out) :: layout, info
    type(c_ptr) :: handle
    integer(c_int) :: numbering
    layout = 0
    numbering = index("rc", lower(text_of(order(:min(1_c_size_t, order_length))))) - 1
    if (order_length == 0) numbering = -1
    if (numbering < 0) then
      info = fail(SCALAY_ERROR_ARGUMENT, "SCALAY_LAYOUT_BLOCK_CYCLIC: ORDER must begin with R (row-major) or C " &
        // "(column-major)")
      return
    end if
    info = c_layout_block_cyclic(int(m, c_int64_t), int(n, c_int64_t), int(mb, c_int64_t), int(nb, c_int64_t), nprow, &
      npcol, rsrc, csrc, merge(SCALAY_ROW_MAJOR, SCALAY_COLUMN_MAJOR, numbering == 0), handle)
    call keep(LAYOUT_HANDLE, handle, layout, info)
  end subroutine f77_layout_block_cyclic

  !> SCALAY_LAYOUT_LOCAL_SIZE(LAYOUT, PROCESS, ELEMENTS, INFO): the smallest local array that holds what a process
  !! (0-based) owns. SCALAY_ERROR_RANGE when it does not fit an INTEGER. Not collective.
  subroutine f77_layout_local_size(layout, process, elements, info) bind(C, name="scalay_layout_local_size_")
    integer(c_int), intent(in) :: layout, process
    integer(c_int), intent(out) :: elements, info
    type(c_ptr) :: object
    integer(c_int64_t) :: needed
    elements = 0
    info = handle_find("LAYOUT", LAYOUT_HANDLE, layout, object)
    if (info /= SCALAY_SUCCESS) return
    needed = c_layout_local_size(object, process)
    if (needed > huge(elements)) then
      info = fail(SCALAY_ERROR_RANGE, "SCALAY_LAYOUT_LOCAL_SIZE: the number of elements does not fit an INTEGER")
    else
      elements = int(needed, c_int)
    end if
  end subroutine f77_layout_local_size

  !> SCALAY_LAYOUT_DESTROY(LAYOUT, INFO): sets LAYOUT to 0; 0 is fine. Not collective.
  subroutine f77_layout_destroy(layout, info) bind(C, name="scalay_layout_destroy_")
    integer(c_int), intent(inout) :: layout
    integer(c_int), intent(out) :: info
    type(c_ptr) :: object
    info = handle_find("LAYOUT", LAYOUT_HANDLE, layout, object, none_is_fine=.true.)
    if (info /= SCALAY_SUCCESS) return
    call c_layout_destroy(object)
    call handle_release(layout)
  end subroutine f77_layout_destroy

  !> SCALAY_MAPPING_CREATE(SOURCE, TARGET, OBJECTIVE, MAPPING, INFO): as scalay_mapping_create; CHARACTER OBJECTIVE is
  !! 'canonical', 'volume', 'steps', 'steps-volume', 'volume-steps', 'time' or 'grid-volume'. Not collective.
  subroutine f77_mapping_create(source, target, objective, mapping, info, objective_length) &
      bind(C, name="scalay_mapping_create_")
    integer(c_int), intent(in) :: source, target
    integer(c_size_t), value :: objective_length
    character(kind=c_char), intent(in) :: objective(objective_length)
    integer(c_int), intent(out) :: mapping, info
    type(c_ptr) :: from, to, handle
    integer(c_int) :: code
    mapping = 0
    info = handle_find("SOURCE", LAYOUT_HANDLE, source, from)
    if (info == SCALAY_SUCCESS) info = handle_find("TARGET", LAYOUT_HANDLE, target, to)
    if (info /= SCALAY_SUCCESS) return
    do code = SCALAY_CANONICAL, SCALAY_MIN_GRID_VOLUME
      if (scalay_objective_name(code) == lower(text_of(objective))) exit
    end do
    if (code > SCALAY_MIN_GRID_VOLUME) then
      info = fail(SCALAY_ERROR_ARGUMENT, "SCALAY_MAPPING_CREATE: OBJECTIVE = '" // text_of(objective) &
        // "' is none; pass 'canonical', 'volume', 'steps', 'steps-volume', 'volume-steps', 'time' or " &
        // "'grid-volume'")
      return
    end if
    info = c_mapping_create(from, to, code, mapping=handle)
    call keep(MAPPING_HANDLE, handle, mapping, info)
  end subroutine f77_mapping_create

  !> SCALAY_MAPPING_DESTROY(MAPPING, INFO): sets MAPPING to 0; 0 is fine. Not collective.
  subroutine f77_mapping_destroy(mapping, info) bind(C, name="scalay_mapping_destroy_")
    integer(c_int), intent(inout) :: mapping
    integer(c_int), intent(out) :: info
    type(c_ptr) :: object
    info = handle_find("MAPPING", MAPPING_HANDLE, mapping, object, none_is_fine=.true.)
    if (info /= SCALAY_SUCCESS) return
    call c_mapping_destroy(object)
    call handle_release(mapping)
  end subroutine f77_mapping_destroy

  !> SCALAY_GRID_CREATE(COMM, TARGET, MAPPING, CTXT, DESC, INFO): as scalay_grid_create; MAPPING 0 leaves every part
  !! where TARGET has it. Collective over COMM.
  subroutine f77_grid_create(comm, target, mapping, ctxt, desc, info) bind(C, name="scalay_grid_create_")
    integer(c_int), intent(in) :: comm, target, mapping
    integer(c_int), intent(out) :: ctxt, desc(9), info
    type(c_ptr) :: ranks, to, who
    character(:), allocatable :: message
    integer(c_int) :: found
    ctxt = -1
    desc = -1
    info = handle_find("COMM", COMM_HANDLE, comm, ranks)
    if (info /= SCALAY_SUCCESS) return
    found = handle_find("TARGET", LAYOUT_HANDLE, target, to)
    if (found == SCALAY_SUCCESS) found = handle_find("MAPPING", MAPPING_HANDLE, mapping, who, none_is_fine=.true.)
    message = string_of(c_error_message())
    if (found /= SCALAY_SUCCESS) to = c_null_ptr  ! fails everywhere, not just here
    info = c_grid_create(ranks, to, who, ctxt, desc)
    if (found /= SCALAY_SUCCESS) info = fail(info, message)
  end subroutine f77_grid_create

  !> SCALAY_GRID_RELEASE(COMM, CTXT, INFO): as scalay_grid_release. Collective over the grid.
  subroutine f77_grid_release(comm, ctxt, info) bind(C, name="scalay_grid_release_")
    integer(c_int), intent(in) :: comm
    integer(c_int), intent(inout) :: ctxt
    integer(c_int), intent(out) :: info
    type(c_ptr) :: ranks
    info = handle_find("COMM", COMM_HANDLE, comm, ranks)
    if (info == SCALAY_SUCCESS) info = c_grid_release(ranks, ctxt)
  end subroutine f77_grid_release

  include "scalay_f77_plan.inc"

  include "scalay_f77_factor.inc"

  ! Makes a Fortran 77 handle of an object. If no handle is free, the object is destroyed.
  subroutine keep(kind, object, handle, info)
    integer, intent(in) :: kind
    type(c_ptr), intent(inout) :: object
    integer(c_int), intent(out) :: handle
    integer(c_int), intent(inout) :: info
    handle = 0
    if (info /= SCALAY_SUCCESS) return
    info = handle_create(kind, object, handle)
    if (info == SCALAY_SUCCESS) return
    select case (kind)
    case (COMM_HANDLE)
      call c_comm_destroy(object)
    case (LAYOUT_HANDLE)
      call c_layout_destroy(object)
    case (MAPPING_HANDLE)
      call c_mapping_destroy(object)
    case (PLAN_HANDLE)
      call c_plan_destroy(object)
    case (FACTOR_HANDLE)
      call c_factor_destroy(object)
    end select
  end subroutine keep

  pure function lower(text) result(lowered)
    character(*), intent(in) :: text
    character(len(text)) :: lowered
    integer :: k
    lowered = text
    do k = 1, len(text)
      if (text(k:k) >= "A" .and. text(k:k) <= "Z") lowered(k:k) = achar(iachar(text(k:k)) + 32)
    end do
  end function lower
end module scalay_f77
