!> scalay_comm_create for type(MPI_Comm). Kept for programs that use this module; scalay_context_mod has the same
!! procedure.
module scalay_mpi_f08
  use scalay_context_mod, only: scalay_comm_create
  implicit none
  private
  public :: scalay_comm_create
end module scalay_mpi_f08
