!> QR in one call and step by step for each type, its model, and matrix files, from Fortran.
module factors_module
  use, intrinsic :: iso_c_binding
  use mpi, only: MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_SUM
  use check_module
  use scalay
  implicit none
  private
  public :: factor_s, factor_d, factor_c, factor_z, multiply_s, multiply_d, multiply_c, multiply_z

  integer, parameter :: m = 26, n = 18

contains

#define ELEMENT real(c_float)
#define OF(v) real(v, c_float)
#define FACTOR factor_s
#define MULTIPLIED multiply_s
#define ELEMENT_CODE SCALAY_FLOAT
#define PGEQRF scalay_psgeqrf
#include "factors.inc"

#define ELEMENT real(c_double)
#define OF(v) real(v, c_double)
#define FACTOR factor_d
#define MULTIPLIED multiply_d
#define ELEMENT_CODE SCALAY_DOUBLE
#define PGEQRF scalay_pdgeqrf
#include "factors.inc"

#define ELEMENT complex(c_float_complex)
#define OF(v) cmplx(v, 1, c_float_complex)
#define FACTOR factor_c
#define MULTIPLIED multiply_c
#define ELEMENT_CODE SCALAY_COMPLEX_FLOAT
#define PGEQRF scalay_pcgeqrf
#include "factors.inc"

#define ELEMENT complex(c_double_complex)
#define OF(v) cmplx(v, 1, c_double_complex)
#define FACTOR factor_z
#define MULTIPLIED multiply_z
#define ELEMENT_CODE SCALAY_COMPLEX_DOUBLE
#define PGEQRF scalay_pzgeqrf
#include "factors.inc"
end module factors_module

program factors
  use, intrinsic :: iso_c_binding
  use mpi
  use check_module
  use factors_module
  use scalay
  implicit none

  type(scalay_comm) :: comm
  integer :: error

  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  call factor_s(comm)
  call factor_d(comm)
  call factor_c(comm)
  call factor_z(comm)
  call multiply_s(comm)
  call multiply_d(comm)
  call multiply_c(comm)
  call multiply_z(comm)
  call what_cannot_be_multiplied_gives_an_error()
  call what_does_not_fit_gives_an_error()
  call the_model_prefers_what_is_faster()
  call hockney_is_what_its_formulas_say()
  call the_model_of_a_product_is_what_its_formula_says()
  if (comm%size() <= 2) then  ! a measurement takes seconds
    call the_machine_can_be_measured()
    call a_calibration_is_kept()
  end if
  call advice_says_when_to_stay()
  call files_keep_every_bit()
  call comm%destroy()
  call check_verdict()

contains

  subroutine what_does_not_fit_gives_an_error()
    type(scalay_layout) :: layout
    type(scalay_qr_matrix) :: matrix
    type(scalay_qr) :: qr
    type(scalay_one_call_options) :: options
    real(c_double), allocatable :: a(:), tau(:), few(:)
    real(c_float) :: single(200)
    real(c_double) :: residual, orthogonality
    integer :: status
    call layout%block_cyclic(10, 10, 2, 2, 1, comm%size(), 0, 0, SCALAY_ROW_MAJOR)
    allocate (a(layout%local_size(comm%rank())), tau(10))
    a = 1
    options%nprow = comm%size() + 1
    options%npcol = 1
    call scalay_pdgeqrf(comm, layout, a, tau, options, status=status)
    call check_status(status, SCALAY_ERROR_INFEASIBLE, "more grid than ranks")
    allocate (few(scalay_tau_size(layout, comm%rank()) - 1))
    call scalay_pdgeqrf(comm, layout, a, few, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few factors")
    call scalay_pdgeqrf(comm, layout, a, replicated_tau=tau(:merge(9, 10, comm%rank() == 0)), status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few factors on one rank: all hear of it")
    call scalay_pdgeqrf(comm, layout, a(:0), tau, status=status)
    call check(status == SCALAY_ERROR_ARGUMENT, "an array too small, wherever there should be one")
    call qr%create(comm, layout, a(:0), status=status)
    call check(status == SCALAY_ERROR_ARGUMENT, "likewise")
    call check(.not. qr%exists(), "nothing came of it")
    call qr%get_matrix(matrix, status)
    call check(status == SCALAY_ERROR_ARGUMENT .and. all(matrix%desc == -1), "no matrix")
    call qr%create(comm, layout, a)
    call qr%bring_back(single, status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "another type", "type s")
    ! Wrong on one rank: all hear of it, and nobody waits.
    call qr%gather_tau(tau(:merge(3, 10, comm%rank() == 0)), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few factors to gather", "tau")
    call qr%bring_back(a(merge(2, 1, comm%rank() == 0):), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no room to come back to", &
      trim(merge("a has    ", "a is NULL", comm%rank() == 0)))
    call qr%form_q(a(merge(2, 1, comm%rank() == 0):), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no room for Q", &
      trim(merge("q has    ", "q is NULL", comm%rank() == 0)))
    call qr%verify(a(merge(2, 1, comm%rank() == 0):), residual, orthogonality, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "not the matrix", &
      trim(merge("a has    ", "a is NULL", comm%rank() == 0)))
    call qr%destroy()
    call layout%destroy()
  end subroutine what_does_not_fit_gives_an_error

  subroutine what_cannot_be_multiplied_gives_an_error()
    type(scalay_layout) :: layout, other
    type(scalay_summa) :: summa
    type(scalay_summa_options) :: options
    type(scalay_summa_statistics) :: statistics
    real(c_float) :: single(100)
    integer :: status
    call layout%block_cyclic(10, 10, 2, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR)
    call other%block_cyclic(10, 9, 2, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR)
    call summa%create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE, layout, layout, other, status=status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "extents that do not fit", "op(B) is 10 x 10")
    call check(.not. summa%exists(), "nothing came of it")
    call summa%get_statistics(statistics, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no plan")
    options%transport = "pigeon"
    call scalay_summa_create(summa, comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE, layout, layout, layout, &
      options, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no such transport", "pigeon")
    call summa%create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE, layout, layout, layout)
    call summa%execute(1.0_c_float, single, single, 0.0_c_float, single, status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "another type", "type s")
    call summa%destroy()
    call other%destroy()
    call layout%destroy()
  end subroutine what_cannot_be_multiplied_gives_an_error

  subroutine the_model_prefers_what_is_faster()
    type(scalay_qr_choice) :: choice
    type(scalay_qr_candidate) :: first, candidate
    type(scalay_qr_limits) :: limits
    type(scalay_qr_cost) :: cost
    type(scalay_layout) :: source, target
    type(scalay_traffic) :: traffic
    type(scalay_move) :: move
    integer :: k, status
    limits = scalay_qr_limits_default(6)
    call check(limits%processes == 6, "limits")
    call scalay_model_qr_choose(SCALAY_DOUBLE, 2000, 1000, limits, choice)
    call choice%get_candidate(1, first)
    do k = 1, choice%count()
      call choice%get_candidate(k, candidate)
      call check(candidate%cost%seconds >= first%cost%seconds, "the first is the fastest")
    end do
    call scalay_model_qr(SCALAY_DOUBLE, 2000_c_int64_t, 1000_c_int64_t, first%nprow, first%npcol, first%nb, cost)
    call check(abs(cost%seconds - first%cost%seconds) <= 1e-12 * cost%seconds, "and costs what the model says")
    call check(abs(cost%flops - 2e6_c_double * (2000 - 1000 / 3.0_c_double)) < 1e3, "operations")
    call check(len(choice%describe()) > 10, "it says why")
    call choice%get_candidate(0, candidate, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "candidate 0")
    limits%nprow = 7
    call choice%choose(SCALAY_DOUBLE, 10, 10, limits, status=status)
    call check(status == SCALAY_ERROR_INFEASIBLE .and. .not. choice%exists(), "seven rows of six processes")
    call scalay_model_qr(SCALAY_DOUBLE, -1, 10, 1, 1, 8, cost, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "m = -1", "m, n are -1, 10")

    call source%block_cyclic(12, 12, 1, 1, 1, 3, 0, 0, SCALAY_ROW_MAJOR)
    call target%block_cyclic(12, 12, 1, 1, 3, 1, 0, 0, SCALAY_ROW_MAJOR)
    call traffic%create(source, target)
    call scalay_move_from_traffic(traffic, [0, 1, 2], move)
    call check(move%volume == 96 .and. move%steps == 32 .and. move%messages == 2 .and. move%kept == 16, "a move")
    call check(scalay_model_move(SCALAY_DOUBLE, move) > 0, "takes time")
    call check(scalay_model_move(99, move, scalay_machine_typical()) < 0, "of a type there is")
    call scalay_move_from_traffic(traffic, [0, 1], move, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few processes", "process")
    call traffic%destroy()
    call source%destroy()
    call target%destroy()
  end subroutine the_model_prefers_what_is_faster

  !> n = 1024, p = 16, blocks of 64: (4 + 2 * 3) * 16 messages, 4 * 3/4 * 1024**2 / 4 elements.
  subroutine hockney_is_what_its_formulas_say()
    type(scalay_hockney_time) :: time
    integer :: status
    call check(nint(scalay_model_message(100_c_int64_t, scalay_machine(0, 0, 3, 2, 0))) == 203, "a message")
    call check(scalay_model_message(-1_c_int64_t) < 0, "of -1 bytes")
    call check(scalay_model_driver(SCALAY_DRIVER_SYEVD, SCALAY_DOUBLE, 500_c_int64_t, 500_c_int64_t, 500_c_int64_t, &
        2, 2, 1) > 2 * scalay_model_driver(SCALAY_DRIVER_SYEVD, SCALAY_DOUBLE, 500_c_int64_t, 500_c_int64_t, &
        500_c_int64_t, 2, 2, 32), "a driver with blocks of 1")
    call check(scalay_model_driver(99, SCALAY_DOUBLE, 5_c_int64_t, 5_c_int64_t, 5_c_int64_t, 2, 2, 1) < 0, "none")
    call check(scalay_model_startup(SCALAY_DOUBLE, scalay_machine(0, 0, 80, 2, 0)) == 5, "a start")
    call check(scalay_model_startup(99) == -1, "of a type there is")
    call scalay_model_summa(SCALAY_DOUBLE, 1024_c_int64_t, 16_c_int64_t, 64_c_int64_t, time, &
      machine=scalay_machine(1, 0, 1, 1, 0))
    call check(nint(time%compute_seconds) == 134217728, "computing of SUMMA")
    call check(nint(time%message_seconds) == 160 + 8 * 786432, "messages of SUMMA")
    call scalay_model_summa(SCALAY_DOUBLE, 1024_c_int64_t, 16_c_int64_t, 64_c_int64_t, time, 0.75_c_double, &
      scalay_machine(1, 0, 0, 0, 0))
    call check(nint(time%seconds) == 100663296, "with better shares")
    call scalay_model_summa(SCALAY_DOUBLE, 1_c_int64_t, 0_c_int64_t, 1_c_int64_t, time, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no processors", "processors")
    call scalay_model_paraleph(10_c_int64_t, 100_c_int64_t, 4_c_int64_t, time, scalay_machine(1, 0, 2, 1, 0))
    call check(nint(time%compute_seconds) == 1040 .and. nint(time%message_seconds) == 4000, "PARALEPH")
    call scalay_model_paraleph(-1_c_int64_t, 1_c_int64_t, 1_c_int64_t, time, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "points = -1", "points")
  end subroutine hockney_is_what_its_formulas_say

  subroutine the_model_of_a_product_is_what_its_formula_says()
    type(scalay_owner_map) :: map
    type(scalay_multiply_time) :: time
    real(c_double) :: compute(2), communicate(2)
    integer :: status
    call map%create([0, 6], [0, 4, 6], 2, reshape([0, 1], [1, 2]))
    ! Rows of A are shared, columns of B are not: 5 columns of A for either, cut 4 : 1.
    call scalay_model_multiply(SCALAY_FLOAT, map, 5, time, [1.0_c_double, 2.0_c_double], compute=compute, &
      communicate=communicate, machine=scalay_machine(0, 0, 0, 1, 0))
    call check(time%volume == 30 .and. all(nint(compute) == [240, 240]) .and. nint(time%flops) == 360, "computing")
    call check(all(nint(communicate) == [120, 120]) .and. nint(time%seconds) == 360, "communicating")
    call scalay_model_multiply(SCALAY_FLOAT, map, 5, time, communicate=communicate, messages=[1_c_int64_t, 2_c_int64_t], &
      copied=[3_c_int64_t, 4_c_int64_t], machine=scalay_machine(0, 0, 2, 1, 3))
    call check(all(nint(communicate) == [206, 208]), "messages and copies")
    call scalay_model_multiply(SCALAY_INT, map, 5_c_int64_t, time, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a type without arithmetic")
    call scalay_model_multiply(SCALAY_FLOAT, map, 5, time, [1.0_c_double], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few speeds")
    call scalay_model_multiply(SCALAY_FLOAT, map, 5, time, copied=[1_c_int64_t], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few copies")
    call map%destroy()
  end subroutine the_model_of_a_product_is_what_its_formula_says

  subroutine the_machine_can_be_measured()
    type(scalay_machine) :: machine
    type(scalay_comm) :: none
    integer(c_int), allocatable :: core(:)
    integer :: status, k
    call scalay_machine_measure(comm, machine)
    call check(min(machine%seconds_per_flop, machine%seconds_per_flop_vector, machine%seconds_per_message, &
      machine%seconds_per_byte, machine%seconds_per_byte_copied) > 0, "every rate is positive")
    call scalay_machine_cores(comm, core)
    call check(size(core) == comm%size() .and. all(core >= 0) .and. all(core <= [(k, k = 0, comm%size() - 1)]), &
      "a core is known by the first of its ranks")
    call scalay_machine_cores(none, core, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no cores")
    call scalay_machine_measure(none, machine, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "nothing to measure")
  end subroutine the_machine_can_be_measured

  ! A kernel that runs on a single row of processes alone, in a second.
  real(c_double) function flat_cost(layout, context) bind(C)
    type(c_ptr), value :: layout, context
    integer(c_int), pointer :: calls
    call c_f_pointer(context, calls)
    calls = calls + 1
    flat_cost = merge(1.0_c_double, -1.0_c_double, c_associated(layout))
  end function flat_cost

  subroutine advice_says_when_to_stay()
    type(scalay_layout) :: source, target
    type(scalay_advice) :: advice
    type(scalay_advice_candidate) :: first
    type(scalay_qr_cost) :: cost, same
    type(scalay_gemm_cost) :: gemm
    integer(c_int), target :: calls
    integer :: status
    call source%block_cyclic(600, 600, 300, 300, 1, 2, 0, 0, SCALAY_ROW_MAJOR)
    call scalay_advice_create(source, advice, times=1000_c_int64_t, processes=4)
    call advice%get_candidate(1, first)
    call check(advice%should_move() .and. first%volume > 0 .and. first%nb < 300, "a thousand runs are worth a move")
    call advice%layout(1, target)
    call check(target%rows() == 600 .and. .not. scalay_layout_same_owners(source, target), "to another place")
    call check(len(advice%describe()) > 20, "it says why")
    call scalay_advice_create(source, advice, nprow=1, npcol=2, processes=4, core=[0, 0, 0, 3])
    call advice%layout(2, target)
    call check(target%elements(3_c_int) > 0, "grids use the process with a core of its own")
    call scalay_advice_create(source, advice, processes=4, core=[0, 0], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few cores")
    call advice%advise(source, times=0_c_int64_t)
    call advice%get_candidate(1, first)
    call check(.not. advice%should_move() .and. first%name == "owner", "none are not")
    call advice%get_candidate(0, first, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "candidate 0")
    calls = 0
    call scalay_advice_create(source, advice, kernel=SCALAY_KERNEL_OTHER, cost=flat_cost, cost_context=c_loc(calls))
    call advice%get_candidate(1, first)
    call check(calls > 1 .and. first%name == "owner", "what costs the same everywhere stays")
    call check(scalay_kernel_name(SCALAY_KERNEL_GEMM) == "gemm", "a kernel's name")

    call scalay_model_qr(SCALAY_DOUBLE, 900_c_int64_t, 700_c_int64_t, 2, 3, 32, cost)
    call scalay_model_qr_speeds(SCALAY_DOUBLE, 900_c_int64_t, 700_c_int64_t, 2, 3, 32, spread(1.0_c_double, 1, 6), same)
    call check(abs(cost%seconds - same%seconds) <= 1e-12 * cost%seconds, "equal speeds")
    call scalay_model_qr_speeds(SCALAY_DOUBLE, 9_c_int64_t, 7_c_int64_t, 2, 3, 3, [1.0_c_double], same, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few speeds", "speed")
    call scalay_model_gemm(SCALAY_DOUBLE, 9_c_int64_t, 7_c_int64_t, 5_c_int64_t, 2, 3, 3, gemm)
    call check(nint(gemm%flops) == 2 * 9 * 7 * 5, "operations of a product")
    call scalay_model_gemm(SCALAY_DOUBLE, 9_c_int64_t, 7_c_int64_t, 5_c_int64_t, 2, 3, 3, gemm, [1.0_c_double], &
      status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "too few speeds", "speed")
    call advice%destroy()
    call source%destroy()
    call target%destroy()
  end subroutine advice_says_when_to_stay

  subroutine a_calibration_is_kept()
    type(scalay_machine) :: machine, kept
    integer :: status
    character(40) :: path
    write (path, "(a, i0, a)") "fortran_factors_machine_", comm%size(), ".txt"
    call scalay_machine_calibrate(comm, machine, path, refresh=.true.)
    call scalay_machine_read(comm%size(), kept, path)
    call check(abs(machine%seconds_per_flop - kept%seconds_per_flop) <= 0 .and. kept%processes == comm%size(), "kept")
    call scalay_machine_read(comm%size() + 1, kept, path, status=status)
    call check_status(status, SCALAY_ERROR_MISMATCH, "another number of ranks", "stale")
    call check(index(scalay_calibration_path(12), "-12.txt") > 0, "where it is kept otherwise")
  end subroutine a_calibration_is_kept

  subroutine files_keep_every_bit()
    type(scalay_layout) :: layout, other
    type(scalay_file_info) :: info
    type(scalay_file_options) :: options
    real(c_double), allocatable :: a(:, :), b(:)
    integer(c_int), allocatable :: whole(:)
    character(40) :: path
    type(scalay_rectangle) :: r
    integer(c_int64_t) :: k, i, j
    integer :: status, rank
    logical :: good
    rank = comm%rank()
    write (path, "(a, i0, a)") "fortran_factors_", comm%size(), ".npy"
    call layout%block_cyclic(7, 5, 2, 2, 1, comm%size(), 0, 0, SCALAY_ROW_MAJOR)
    call other%parse(chunks(7, 5, 2, 2, comm%size(), 3))
    allocate (a(7, layout%local_size(rank) / 7), b(other%local_size(rank)))
    do k = 1, layout%rectangle_count(rank)
      call layout%rectangle(rank, k, r)
      do j = 0, r%cols - 1
        do i = 0, r%rows - 1
          a(r%row + i, 1 + (r%offset - 1) / 7 + j) = 1 / real(10 * (r%row + i) + r%col + j, c_double)
        end do
      end do
    end do
    options = scalay_file_options_default()
    options%order = SCALAY_ROW_MAJOR
    options%byte_order = SCALAY_BIG_ENDIAN
    call scalay_matrix_write(comm, path, layout, a, options)
    call scalay_matrix_inspect(comm, path, info)
    call check(info%m == 7 .and. info%n == 5 .and. info%type == SCALAY_DOUBLE, "the file says what it holds")
    call check(info%format == SCALAY_FILE_NPY .and. info%byte_order == SCALAY_BIG_ENDIAN, "and how")
    call check(index(scalay_file_describe(info), "7 x 5") > 0, scalay_file_describe(info))
    b = 0
    call scalay_matrix_read(comm, path, other, b)
    good = .true.
    do k = 1, other%rectangle_count(rank)
      call other%rectangle(rank, k, r)
      do j = 0, r%cols - 1
        do i = 0, r%rows - 1
          good = good .and. .not. abs(b(r%offset + i + j * r%ld) - 1 / real(10 * (r%row + i) + r%col + j, c_double)) > 0
        end do
      end do
    end do
    call check(good, "every bit comes back, in another layout")
    allocate (whole(size(b)))
    call scalay_matrix_read(comm, path, other, whole, status)
    call check_status(status, SCALAY_ERROR_UNSUPPORTED, "reals into integers")
    call scalay_matrix_read(comm, path, other, b(:0), status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "an array too small")
    call scalay_matrix_inspect(comm, "no_such_file.npy", info, status)
    call check_status(status, SCALAY_ERROR_FILE, "no such file", "no_such_file.npy")
    call check(info%m == 0, "nothing is known")
    call scalay_matrix_write(comm, "no_such_folder/x.npy", layout, a, status=status)
    call check_status(status, SCALAY_ERROR_FILE, "no such folder")
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == 0) then
      open (unit=20, file=path, status="old")
      close (20, status="delete")
    end if
    call layout%destroy()
    call other%destroy()
  end subroutine files_keep_every_bit
end program factors
