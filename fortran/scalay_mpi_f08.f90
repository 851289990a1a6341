!> type(MPI_Comm) where the other modules take integer handles; exists when ScaLAY was built with an mpi_f08 module.
module scalay_mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08, only: MPI_Comm
  use scalay_context_mod, only: scalay_comm, comm_create => scalay_comm_create
  implicit none
  private
  public :: scalay_comm_create

  !> scalay_comm_create(mpi, comm [, status]), see scalay_context_mod.
  interface scalay_comm_create
    module procedure comm_create_f08
  end interface scalay_comm_create

contains

  subroutine comm_create_f08(mpi, comm, status)
    type(MPI_Comm), intent(in) :: mpi
    class(scalay_comm), intent(inout) :: comm
    integer(c_int), intent(out), optional :: status
    call comm_create(mpi%MPI_VAL, comm, status)
  end subroutine comm_create_f08
end module scalay_mpi_f08
