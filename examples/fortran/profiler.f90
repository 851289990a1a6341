!> The kernel of the program that is measured.
module own_kernel
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  integer, parameter :: columns = 500
  real(c_double), allocatable :: a(:, :), x(:), y(:)

contains

  integer(c_int) function prepare(data, size) bind(C)
    type(c_ptr), value :: data
    integer(c_int64_t), value :: size
    integer :: error
    prepare = SCALAY_SUCCESS
    allocate (a(size, columns), x(columns), y(size), stat=error)
    if (error /= 0 .or. c_associated(data)) then
      prepare = SCALAY_ERROR_MEMORY
      return
    end if
    a = 1.0_c_double / 3
    x = 3
    y = 0
  end function prepare

  integer(c_int) function run(data, size) bind(C)
    type(c_ptr), value :: data
    integer(c_int64_t), value :: size
    y(1:size) = y(1:size) + matmul(a, x)
    run = merge(SCALAY_ERROR_UNSUPPORTED, SCALAY_SUCCESS, c_associated(data))
  end function run

  subroutine release(data) bind(C)
    type(c_ptr), value :: data
    if (allocated(a) .and. .not. c_associated(data)) deallocate (a, x, y)
  end subroutine release
end module own_kernel

!> Measures the profiles of a kernel of the program on all processes at the same time, and distributes the rows of a
!! problem by these profiles.
program profiler
  use, intrinsic :: iso_c_binding
  use mpi
  use scalay
  use own_kernel
  implicit none
  integer(c_int64_t), parameter :: step = 64, rows = 512
  type(scalay_comm) :: comm
  type(scalay_profile) :: profile
  type(scalay_profile_record) :: record
  type(scalay_profile_facts) :: facts
  type(scalay_profiler_options) :: options
  type(scalay_workload) :: workload
  integer(c_int64_t), allocatable :: share(:)
  integer :: error, rank

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call comm%create(MPI_COMM_WORLD)
  options%first = step
  options%last = rows
  options%step = step
  options%repeat%max_repetitions = 20    ! small, because this program is also a test
  options%repeat%max_seconds = 0.3d0
  call scalay_profiler_run(comm, "matmul of my own", run, options, profile, record, prepare, release)
  call record%get(facts)
  call workload%min_time(profile, rows)
  allocate (share(profile%processors()))
  call workload%sizes(share)
  if (rank == 0) print "(a, ', ', i0, ' processors, ', i0, ' sizes: ', *(i0, ' '))", facts%kernel, facts%processors, &
    facts%sizes, share
  if (sum(share) /= rows .or. facts%state /= SCALAY_PROFILE_COMPLETE) error stop "not all rows are distributed"
  call workload%destroy()
  call record%destroy()
  call profile%destroy()
  call comm%destroy()
  call MPI_Finalize(error)
end program profiler
