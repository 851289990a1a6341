!> Communicators and the BLACS grids that belong to them (context.h).
!!
!! A scalay_comm holds a duplicate of the caller's communicator, so that ScaLAY's messages never meet the caller's.
!! Plans keep it alive. The BLACS contexts that it makes go with it: destroy every scalay_comm before blacs_exit and
!! MPI_Finalize.
module scalay_context_mod
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use scalay_c, only: c_comm_create_f, c_comm_create_blacs, c_comm_destroy, c_comm_rank, c_comm_size, &
    c_comm_handle_f, c_grid_acquire, &
    c_grid_release, c_alloc, c_free
#ifdef SCALAY_HAVE_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use scalay_support, only: scalay_object, return_status
  implicit none
  private
  public :: scalay_comm, scalay_comm_create, scalay_comm_create_blacs, scalay_comm_destroy
  public :: scalay_comm_rank, scalay_comm_size, scalay_comm_handle, scalay_grid_acquire, scalay_grid_release
  public :: scalay_alloc, scalay_free

  !> An unused BLACS context outlives so many later ones, for the next call that wants the same.
  integer(c_int), parameter, public :: SCALAY_GRIDS_KEPT = 8

  !> A communicator with what ScaLAY keeps for it.
  type, extends(scalay_object) :: scalay_comm
  contains
    !> create(mpi [, status]): mpi is an integer handle or, if the library was built with mpi_f08, a type(MPI_Comm).
    generic :: create => create_integer
    procedure, pass(comm), private :: create_integer => comm_create_integer
#ifdef SCALAY_HAVE_MPI_F08
    generic :: create => create_f08
    procedure, pass(comm), private :: create_f08 => comm_create_f08
#endif
    procedure, pass(comm) :: create_blacs => scalay_comm_create_blacs
    procedure :: destroy => scalay_comm_destroy
    procedure :: rank => scalay_comm_rank
    procedure :: size => scalay_comm_size
    procedure :: handle => scalay_comm_handle
  end type scalay_comm

  !> scalay_comm_create(mpi, comm [, status]): mpi is an integer handle or, if the library was built with mpi_f08, a
  !! type(MPI_Comm).
  interface scalay_comm_create
    module procedure comm_create_integer
#ifdef SCALAY_HAVE_MPI_F08
    module procedure comm_create_f08
#endif
  end interface scalay_comm_create

contains

  !> Makes a ScaLAY communicator. Collective over mpi.
  !! @param[in]    mpi     an intracommunicator (integer handle); duplicated, not owned
  !! @param[inout] comm    the new object, to be released with destroy
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (MPI_COMM_NULL, an intercommunicator, MPI not
  !!                       initialised), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine comm_create_integer(mpi, comm, status)
    integer(c_int), intent(in) :: mpi
    class(scalay_comm), intent(inout) :: comm
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_comm_create_f(mpi, handle)
    call comm%destroy()
    call comm%set_handle(handle)
    call return_status(code, status)
  end subroutine comm_create_integer

#ifdef SCALAY_HAVE_MPI_F08
  !> As comm_create_integer, for a type(MPI_Comm).
  subroutine comm_create_f08(mpi, comm, status)
    type(MPI_Comm), intent(in) :: mpi
    class(scalay_comm), intent(inout) :: comm
    integer(c_int), intent(out), optional :: status
    call comm_create_integer(mpi%MPI_VAL, comm, status)
  end subroutine comm_create_f08
#endif

  !> Creates a communicator of the processes of a BLACS context. Collective over the processes of the context. Other
  !! processes need not call the procedure; if they do, they do not wait.
  !! @param[in]    ctxt    BLACS context; -1 outside the context
  !! @param[inout] comm    release with destroy; does not exist outside the context
  !! @param[out]   status  SCALAY_SUCCESS, also outside the context; SCALAY_ERROR_ARGUMENT (not a context),
  !!                       SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_comm_create_blacs(ctxt, comm, status)
    integer(c_int), intent(in) :: ctxt
    class(scalay_comm), intent(inout) :: comm
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_comm_create_blacs(ctxt, handle)
    call comm%destroy()
    call comm%set_handle(handle)
    call return_status(code, status)
  end subroutine scalay_comm_create_blacs

  !> Gives a ScaLAY communicator up. Collective over it. It is freed, with its BLACS contexts, when no plan uses it
  !! any more. Fine when there is none.
  subroutine scalay_comm_destroy(comm)
    class(scalay_comm), intent(inout) :: comm
    type(c_ptr) :: object
    object = comm%c_object()
    call c_comm_destroy(object)
    call comm%set_handle(object)
  end subroutine scalay_comm_destroy

  !> The calling rank, 0-based; -1 when there is no communicator. Not collective.
  pure integer(c_int) function scalay_comm_rank(comm)
    class(scalay_comm), intent(in) :: comm
    scalay_comm_rank = c_comm_rank(comm%c_object())
  end function scalay_comm_rank

  !> The number of ranks; 0 when there is no communicator. Not collective.
  pure integer(c_int) function scalay_comm_size(comm)
    class(scalay_comm), intent(in) :: comm
    scalay_comm_size = c_comm_size(comm%c_object())
  end function scalay_comm_size

  !> The duplicate that ScaLAY communicates on, an integer handle that is not to be freed; MPI_COMM_NULL when there is
  !! none. Not collective.
  pure integer(c_int) function scalay_comm_handle(comm)
    class(scalay_comm), intent(in) :: comm
    scalay_comm_handle = c_comm_handle_f(comm%c_object())
  end function scalay_comm_handle

  !> A BLACS context whose process (r, c) is a given rank. Collective over comm.
  !! @param[in]  comm          the communicator
  !! @param[in]  nprow, npcol  the grid, each at least 1; nprow * npcol is at most the number of ranks
  !! @param[out] ctxt          the context, -1 on ranks outside the grid; release with scalay_grid_release
  !! @param[in]  ranks         shape [nprow, npcol]: element (r + 1, c + 1) is the rank (0-based, in comm) at
  !!                           (r, c), distinct; absent: 0, 1, 2, ... row by row
  !! @param[out] status        SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree),
  !!                           SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_grid_acquire(comm, nprow, npcol, ctxt, ranks, status)
    class(scalay_comm), intent(in) :: comm
    integer(c_int), intent(in) :: nprow, npcol
    integer(c_int), intent(out) :: ctxt
    integer(c_int), intent(in), optional :: ranks(nprow, npcol)
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: code
    ctxt = -1
    if (present(ranks)) then
      ! C wants the map row by row.
      code = c_grid_acquire(comm%c_object(), nprow, npcol, reshape(transpose(ranks), [size(ranks)]), ctxt)
    else
      code = c_grid_acquire(comm%c_object(), nprow, npcol, ctxt=ctxt)
    end if
    call return_status(code, status)
  end subroutine scalay_grid_acquire

  !> Gives a context back to its communicator, which may keep it for the next caller. Collective over the grid; ranks
  !! outside may call it too, with the -1 that they got.
  !! @param[in]    comm    the communicator that made the context
  !! @param[inout] ctxt    the context; set to -1; -1 is fine
  !! @param[out]   status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (not a context of this communicator, or already given
  !!                       back)
  subroutine scalay_grid_release(comm, ctxt, status)
    class(scalay_comm), intent(in) :: comm
    integer(c_int), intent(inout) :: ctxt
    integer(c_int), intent(out), optional :: status
    call return_status(c_grid_release(comm%c_object(), ctxt), status)
  end subroutine scalay_grid_release

  !> Memory that the other processes of the node can read without a copy in between: a matrix in it moves fastest, by
  !! the transport "shared". Collective over comm: every rank gets its array or none does. Where the machine has no
  !! memory to share, the array is ordinary memory, and everything works. Give it a shape with c_f_pointer.
  !! @param[in]  comm    the ranks
  !! @param[in]  bytes   of this rank's array, at least 0; may differ from rank to rank
  !! @param[out] array   zeroed, aligned to 64 bytes; to be released with scalay_free
  !! @param[out] status  SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_alloc(comm, bytes, array, status)
    class(scalay_comm), intent(in) :: comm
    integer(c_int64_t), intent(in) :: bytes
    type(c_ptr), intent(out) :: array
    integer(c_int), intent(out), optional :: status
    call return_status(c_alloc(comm%c_object(), bytes, array), status)
  end subroutine scalay_alloc

  !> Releases an array of scalay_alloc. Collective over the ranks that made it; before MPI_Finalize; the communicator
  !! may be gone. Nothing that uses the array is under way.
  !! @param[inout] array  the array; set to c_null_ptr, which is fine, on all ranks alike
  subroutine scalay_free(array)
    type(c_ptr), intent(inout) :: array
    call c_free(array)
  end subroutine scalay_free
end module scalay_context_mod
