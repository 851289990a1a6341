!> The profiler from Fortran: procedures of one's own, kernels of the library, options, and what is known afterwards.
module profiler_kernels
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  integer :: prepared = 0, executed = 0, released = 0, told = 0
  integer(c_int64_t), target :: handed = 0

contains

  !> Size 30 is more than the procedure can prepare; 40 fails on the way.
  integer(c_int) function prepare(data, size) bind(C)
    type(c_ptr), value :: data
    integer(c_int64_t), value :: size
    integer(c_int64_t), pointer :: target
    call c_f_pointer(data, target)
    target = size
    prepared = prepared + 1
    prepare = SCALAY_SUCCESS
    if (size == 30) prepare = SCALAY_ERROR_MEMORY
  end function prepare

  integer(c_int) function run(data, size) bind(C)
    type(c_ptr), value :: data
    integer(c_int64_t), value :: size
    executed = executed + 1
    run = merge(SCALAY_ERROR_UNSUPPORTED, SCALAY_SUCCESS, size == 40 .or. .not. c_associated(data))
  end function run

  subroutine release(data) bind(C)
    type(c_ptr), value :: data
    if (c_associated(data)) released = released + 1
  end subroutine release

  real(c_double) function operations(data, size) bind(C)
    type(c_ptr), value :: data
    integer(c_int64_t), value :: size
    operations = merge(2.0_c_double * size, 0.0_c_double, c_associated(data))
  end function operations

  subroutine progress(step, data) bind(C)
    type(scalay_profiler_step), intent(in) :: step
    type(c_ptr), value :: data
    if (step%done < step%total .and. .not. c_associated(data)) told = told + 1
  end subroutine progress
end module profiler_kernels

program profilers
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan
  use mpi
  use check_module
  use scalay
  use profiler_kernels
  implicit none
  integer, parameter :: long = c_int64_t
  type(scalay_comm) :: comm
  integer :: error, rank, processes
  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  call own_procedures_are_measured()
  call kernels_of_the_library_are_measured()
  call files_are_read()
  call failures_leave_nothing()
  call comm%destroy()
  call check_verdict()

contains

  type(scalay_profiler_options) function quick() result(options)
    allocate (options%sizes(4), source=[20_long, 10_long, 40_long, 30_long])
    options%repeat%max_repetitions = 6
    options%repeat%min_interval = 1e-6_c_double
  end function quick

  subroutine own_procedures_are_measured()
    type(scalay_profile) :: profile
    type(scalay_profile_record) :: record
    type(scalay_profiler_options) :: options
    type(scalay_profile_facts) :: facts
    type(scalay_profile_processor) :: processor
    type(scalay_profile_point) :: point
    type(scalay_meter) :: meter
    integer(long) :: k
    real(c_double) :: difference, uncertainty
    call meter%create("model:base=0,flop=1,byte=0")
    options = quick()
    options%meter = meter
    options%static_power = 0
    options%no_groups = .true.
    options%shared_meter = .true. ! without effect on a model
    options%progress => progress
    call scalay_profiler_run(comm, "own", run, options, profile, record, prepare, release, operations, &
      data=c_loc(handed))
    call check(prepared == 4 .and. released == 4 .and. executed > 12, "prepared, executed, released")
    call check(told == merge(4, 0, rank == 0), "progress on rank 0")
    call check(profile%groups() == processes .and. profile%has_energy(), "a group for each rank, with energies")
    call record%get(facts)
    call check(facts%kernel == "own" .and. facts%modelled .and. facts%sizes == 4 .and. facts%processors == processes &
      .and. facts%state == SCALAY_PROFILE_COMPLETE .and. facts%repeat%max_repetitions == 6, "facts")
    call record%additive(1_long, difference, uncertainty)
    call check(.not. facts%shared_meter .and. ieee_is_nan(difference) .and. ieee_is_nan(uncertainty), "no shared meter")
    call record%processor(processes, processor)
    call check(processor%name == processor%group .and. processor%threads >= 1 .and. len(processor%host) > 0, "processor")
    do k = 1, 4
      call record%point(processes, k, point)
      call check(point%size == 10 * k .and. (allocated(point%hole) .neqv. k < 3), "holes at 30 and 40")
      if (k < 3) call check(point%time >= 0 .and. point%repetitions >= 5 .and. abs(point%energy - 20 * k) < 1e-6, "point")
      if (k >= 3) call check(ieee_is_nan(point%energy), "no energy of a hole")
    end do
    call profile%destroy()
    call record%destroy()
    call meter%destroy()
  end subroutine own_procedures_are_measured

  subroutine kernels_of_the_library_are_measured()
    type(scalay_profile) :: profile
    type(scalay_profile_record) :: record
    type(scalay_profile_kernel) :: kernel
    type(scalay_profile_facts) :: facts
    real(c_double) :: seconds
    call kernel%create("dgemv:n=8  ")
    call scalay_profiler_run(comm, kernel, quick(), profile, record)
    call record%get(facts)
    call check(facts%kernel == "dgemv n=8" .and. facts%meter == "none" .and. .not. facts%modelled, "its facts")
    call profile%get_point(1, 40_long, seconds)
    call check(ieee_is_finite(seconds) .and. seconds > 0, "its time")
    call record%destroy()
    call profile%destroy()
    call kernel%create("command: : %s", timeout=5.0_c_double)
    call check(kernel%exists(), "another one")
    call kernel%destroy()
    call check(.not. kernel%exists(), "none")
  end subroutine kernels_of_the_library_are_measured

  !> What one run has left, the next one takes, and anybody reads.
  subroutine files_are_read()
    type(scalay_profile) :: profile
    type(scalay_profile_record) :: record
    type(scalay_profiler_options) :: options
    type(scalay_profile_facts) :: facts
    character(40) :: path
    integer :: before, status
    write (path, "('profilers_', i0, '.csv')") processes
    options = quick()
    options%path = path
    options%restart = .true.
    call scalay_profiler_run(comm, "own", run, options, profile, record, prepare, data=c_loc(handed))
    options%restart = .false.
    before = executed
    call scalay_profiler_run(comm, "own", run, options, profile, record, prepare, data=c_loc(handed))
    call check(executed == before, "nothing is measured twice")
    call scalay_profiler_run(comm, "other", run, options, profile, record, prepare, data=c_loc(handed), status=status)
    call check(status == SCALAY_ERROR_MISMATCH, "another kernel is refused")
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == 0) then
      call record%read(path)
      call record%get(facts)
      call check(facts%sizes == 4, "sizes of the file")
      call record%destroy()
      call profile%read(path)
      call check(profile%processors() == processes, "its processors")
      call profile%destroy()
      open (unit=7, file=path)
      close (unit=7, status="delete")
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine files_are_read

  subroutine failures_leave_nothing()
    type(scalay_profile) :: profile
    type(scalay_profile_record) :: record
    type(scalay_profile_kernel) :: kernel
    type(scalay_profiler_options) :: options
    type(scalay_profile_facts) :: facts
    type(scalay_profile_processor) :: processor
    type(scalay_profile_point) :: point
    real(c_double) :: difference, uncertainty
    integer(c_int) :: status
    call kernel%create("dgemm:m=8", status=status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. .not. kernel%exists(), "no such kernel")
    call scalay_profiler_run(comm, kernel, options, profile, record, status)
    call check(status == SCALAY_ERROR_ARGUMENT, "no kernel")
    call scalay_profiler_run(comm, "own", run, options, profile, record, status=status)
    call check(status == SCALAY_ERROR_ARGUMENT, "no sizes")
    allocate (options%sizes(1), source=[40_long])
    call scalay_profiler_run(comm, "own", run, options, profile, record, status=status)
    call check(status == SCALAY_ERROR_INFEASIBLE .and. .not. (profile%exists() .or. record%exists()), "all have failed")
    call record%read("/nowhere/at/all", status)
    call check(status == SCALAY_ERROR_FILE, "no file")
    call record%get(facts, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. .not. allocated(facts%kernel), "no facts")
    call record%processor(1, processor, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. .not. allocated(processor%name), "no processor")
    call record%point(1, 1_long, point, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. point%size == 0, "no point")
    call record%additive(1_long, difference, uncertainty, status)
    call check(status == SCALAY_ERROR_ARGUMENT, "no difference")
  end subroutine failures_leave_nothing
end program profilers
