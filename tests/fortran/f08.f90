!> type(MPI_Comm) where an integer handle goes, too.
program f08
  use mpi_f08
  use check_module
  use scalay
  implicit none
  type(scalay_comm) :: comm
  integer :: status
  call MPI_Init()
  call scalay_comm_create(MPI_COMM_WORLD, comm)
  call check(comm%size() >= 1, "by type")
  call scalay_comm_create(MPI_COMM_WORLD%MPI_VAL, comm, status)
  call check_status(status, SCALAY_SUCCESS, "by handle")
  call scalay_comm_create(MPI_COMM_NULL, comm, status)
  call check_status(status, SCALAY_ERROR_ARGUMENT, "no communicator", "MPI_COMM_NULL")
  call comm%create(MPI_COMM_WORLD)
  call check(comm%size() >= 1, "bound, by type")
  call comm%create(MPI_COMM_WORLD%MPI_VAL, status)
  call check_status(status, SCALAY_SUCCESS, "bound, by handle")
  call comm%destroy()
  call check_verdict()
end program f08
