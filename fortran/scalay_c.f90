!> The C interface of ScaLAY as it is: every exported function, structure by structure and argument by argument.
!!
!! Private to the binding: programs use the modules built on it (module scalay). The names are the C names with
!! `scalay_` turned into `c_`, so that a wrapper may have the C name. One file in c/ per public header; a test
!! compares them with the headers. Null pointers: absent optional arguments are passed as NULL.
module scalay_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  !> scalay_rectangle of layout.h, 0-based.
  type, bind(C) :: c_rectangle
    integer(c_int64_t) :: row, col, rows, cols, offset, ld
  end type c_rectangle

  !> scalay_piece of layout.h, 0-based.
  type, bind(C) :: c_piece
    integer(c_int64_t) :: rows, cols, offset, ld
  end type c_piece

  !> scalay_part_rectangle of partition.h, 0-based.
  type, bind(C) :: c_part_rectangle
    integer(c_int) :: part
    integer(c_int64_t) :: row, col, rows, cols
  end type c_part_rectangle

  !> The half perimeters of an owner map, summed over the parts (partition.h).
  type, bind(C) :: scalay_half_perimeter
    integer(c_int64_t) :: projection = 0  !< rows plus columns in which a part owns anything
    integer(c_int64_t) :: box = 0         !< rows plus columns of the bounding boxes
  end type scalay_half_perimeter

  !> scalay_links of partition.h.
  type, bind(C) :: c_links
    integer(c_int) :: processors
    type(c_ptr) :: seconds_per_element, seconds_per_message, joules_per_element
    integer(c_int) :: symmetric, mode, broadcast
  end type c_links

  !> scalay_partition_options of partition.h.
  type, bind(C) :: c_partition_options
    integer(c_int) :: objective
    type(c_ptr) :: shape, links
    integer(c_int64_t) :: tile
    integer(c_int) :: exact_counts
    real(c_double) :: tolerance
    integer(c_int64_t) :: seed
    real(c_double) :: budget
  end type c_partition_options

  !> scalay_partition_candidate of partition.h.
  type, bind(C) :: c_partition_candidate
    type(c_ptr) :: shape
    integer(c_int) :: feasible
    type(c_ptr) :: assignment
    real(c_double) :: continuous_cost, time, energy
    type(c_ptr) :: reason
  end type c_partition_candidate

  !> scalay_mapping_options of mapping.h.
  type, bind(C) :: c_mapping_options
    integer(c_int) :: processes, grid_rows
    type(c_ptr) :: barred
    type(c_funptr) :: link_cost
    type(c_ptr) :: link_context
    real(c_double) :: budget_seconds
    integer(c_int64_t) :: seed
  end type c_mapping_options

  !> scalay_plan_options of redist.h.
  type, bind(C) :: c_plan_options
    type(c_ptr) :: transport
    integer(c_int64_t) :: memory_bytes
    integer(c_int) :: in_place, threads
    type(c_ptr) :: machine
  end type c_plan_options

  !> scalay_plan_matrix of redist.h.
  type, bind(C) :: c_plan_matrix
    type(c_ptr) :: source, target, mapping
    integer(c_int) :: type, op, uplo, diag
  end type c_plan_matrix

  !> scalay_operands of redist.h.
  type, bind(C) :: c_operands
    type(c_ptr) :: alpha, a, beta, b
  end type c_operands

  !> What a plan moves, in one execution; of the calling rank unless said otherwise (redist.h).
  type, bind(C) :: scalay_plan_statistics
    integer(c_int64_t) :: bytes_sent = 0         !< to other ranks: what the traffic predicts
    integer(c_int64_t) :: bytes_received = 0     !< from other ranks
    integer(c_int64_t) :: bytes_kept = 0         !< copied locally
    integer(c_int64_t) :: messages_sent = 0      !< messages to other ranks; none to ranks whose memory is shared
    integer(c_int64_t) :: messages_received = 0  !< likewise
    integer(c_int64_t) :: extra_bytes = 0        !< buffers that an execution needs besides the matrices
    integer(c_int64_t) :: plan_bytes = 0         !< the plan's own memory
    integer(c_int64_t) :: volume = 0             !< elements that change process, all ranks together
    integer(c_int64_t) :: steps = 0              !< one-port element steps, all ranks together
    integer(c_int64_t) :: global_steps = 0       !< rounds of communication; 0 when nothing moves
  end type scalay_plan_statistics

  !> What one process and the links of a machine can do (types.h).
  type, bind(C) :: scalay_machine
    real(c_double) :: seconds_per_flop         !< level-3 BLAS in double precision, all processes at work
    real(c_double) :: seconds_per_flop_vector  !< level-2 BLAS in double precision (bound by memory)
    real(c_double) :: seconds_per_message      !< latency of a message
    real(c_double) :: seconds_per_byte         !< of a message between two processes
    real(c_double) :: seconds_per_byte_copied  !< of packing or unpacking
    real(c_double) :: alone = 0                !< fraction of these that one needs while all others wait in MPI; 0: 1
    real(c_double) :: lockstep = 0             !< factor by which computing in lockstep takes longer; 0: 1
    integer(c_int64_t) :: processes = 0        !< that were at work when this was measured; 0: not known
    integer(c_int64_t) :: at_once = 0          !< of these, that run at once; 0: as many as alone says
  end type scalay_machine

  !> What a redistribution costs before it is turned into seconds; items are elements (model.h).
  type, bind(C) :: scalay_move
    integer(c_int64_t) :: volume = 0    !< items that change process
    integer(c_int64_t) :: steps = 0     !< one-port steps: most items that a process sends or receives
    integer(c_int64_t) :: messages = 0  !< most messages that a process sends or receives
    integer(c_int64_t) :: kept = 0      !< most items that stay on a process
    integer(c_int64_t) :: items = 0      !< all items, whether they move or not; 0: as many as move
    integer(c_int64_t) :: stretches = 0  !< stretches of memory that they are in; 0: not counted
    integer(c_int) :: processes = 1      !< at least 1
  end type scalay_move

  !> scalay_multiply_options of model.h.
  type, bind(C) :: c_multiply_options
    integer(c_int64_t) :: panel
    type(c_ptr) :: seconds_per_flop
    integer(c_int) :: overlap, reads, lanes
    type(c_ptr) :: messages, copied
  end type c_multiply_options

  !> The predicted time of a product; seconds are those of the part that has most of them (model.h).
  type, bind(C) :: scalay_multiply_time
    real(c_double) :: flops = 0                !< real operations of all parts
    integer(c_int64_t) :: volume = 0           !< elements of A and B that travel
    integer(c_int64_t) :: busiest = 0          !< most elements that a part sends or receives
    integer(c_int64_t) :: panels = 0           !< steps of the product
    integer(c_int64_t) :: messages = 0         !< most messages of a part
    real(c_double) :: compute_seconds = 0      !< multiplying
    real(c_double) :: communicate_seconds = 0  !< moving panels
    real(c_double) :: seconds = 0              !< of the part that is done last
  end type scalay_multiply_time

  !> The predicted cost of p?geqrf (model.h).
  type, bind(C) :: scalay_qr_cost
    real(c_double) :: flops = 0            !< real operations of all processes
    real(c_double) :: balance = 0          !< mean share of the update over the largest: 1 is perfect
    real(c_double) :: update_seconds = 0   !< level-3 BLAS
    real(c_double) :: panel_seconds = 0    !< level-2 BLAS
    real(c_double) :: message_seconds = 0  !< latency and transfer of all messages on the critical path
    real(c_double) :: seconds = 0          !< the sum of the three
  end type scalay_qr_cost

  !> The predicted cost of p?gemm (model.h).
  type, bind(C) :: scalay_gemm_cost
    real(c_double) :: flops = 0            !< real operations of all processes
    real(c_double) :: balance = 0          !< mean work of a process over the most, in time: 1 is perfect
    real(c_double) :: compute_seconds = 0  !< level-3 BLAS
    real(c_double) :: memory_seconds = 0   !< the result is read and written for each panel
    real(c_double) :: message_seconds = 0  !< latency and transfer of the panels, packing and unpacking
    real(c_double) :: seconds = 0          !< the sum of the three
  end type scalay_gemm_cost

  !> scalay_advise_options of advice.h.
  type, bind(C) :: c_advise_options
    integer(c_int) :: kernel, type
    integer(c_int64_t) :: times
    integer(c_int) :: bring_back, processes, nprow, npcol, nb
    type(c_ptr) :: machine, core
    type(c_funptr) :: cost
    type(c_ptr) :: cost_context
  end type c_advise_options

  !> scalay_advice_candidate of advice.h.
  type, bind(C) :: c_advice_candidate
    type(c_ptr) :: name
    integer(c_int) :: nprow, npcol, nb
    integer(c_int64_t) :: volume, steps
    real(c_double) :: move_seconds, kernel_seconds, seconds
  end type c_advice_candidate

  !> scalay_calibration_options of measure.h.
  type, bind(C) :: c_calibration_options
    type(c_ptr) :: path
    real(c_double) :: max_age_seconds
    integer(c_int) :: refresh, anywhere
  end type c_calibration_options

  !> A grid for p?geqrf with its prediction (model.h).
  type, bind(C) :: scalay_qr_candidate
    integer(c_int) :: nprow = 0   !< rows of the grid
    integer(c_int) :: npcol = 0   !< columns of the grid
    integer(c_int) :: nb = 0      !< block extent, both ways
    type(scalay_qr_cost) :: cost  !< predicted
  end type scalay_qr_candidate

  !> What to choose a grid from (model.h); start from scalay_qr_limits_default.
  type, bind(C) :: scalay_qr_limits
    integer(c_int) :: processes = 1  !< at least 1: nprow * npcol is at most that
    integer(c_int) :: nprow = 0      !< 0: choose
    integer(c_int) :: npcol = 0      !< 0: choose
    integer(c_int) :: nb = 0         !< 0: choose
  end type scalay_qr_limits

  !> Iterations of a three-point stencil, and what they cost (stencil.h); start from scalay_stencil_problem_default.
  type, bind(C) :: scalay_stencil_problem
    integer(c_int) :: model = 0                      !< SCALAY_STENCIL_VOLUME or SCALAY_STENCIL_STEPS
    integer(c_int64_t) :: iterations = 0             !< at least 0
    real(c_double) :: seconds_per_item_moved = 0     !< of the redistribution
    real(c_double) :: seconds_per_item_exchanged = 0 !< of an iteration
    real(c_double) :: seconds_per_message = 0        !< in either
    real(c_double) :: seconds_per_update = 0         !< of one item
    integer(c_int) :: processes = 0                  !< that may get items; 0: as many as the source layout has
    integer(c_int64_t) :: seed = 1                   !< of the local search
  end type scalay_stencil_problem

  !> What it costs to move items and to iterate on them where they are then (stencil.h).
  type, bind(C) :: scalay_stencil_cost
    integer(c_int64_t) :: volume = 0         !< items that change process
    integer(c_int64_t) :: steps = 0          !< most items that a process sends or receives
    integer(c_int64_t) :: exchanged = 0      !< items sent in an iteration
    integer(c_int64_t) :: exchange_steps = 0 !< most items that a process sends or receives in an iteration
    integer(c_int64_t) :: load = 0           !< most items of a process
    real(c_double) :: move_seconds = 0       !< of the redistribution
    real(c_double) :: iteration_seconds = 0  !< of an iteration
    real(c_double) :: seconds = 0            !< of the redistribution and all iterations
  end type scalay_stencil_cost

  !> scalay_stencil_candidate of stencil.h.
  type, bind(C) :: c_stencil_candidate
    type(c_ptr) :: name
    integer(c_int) :: processes
    integer(c_int64_t) :: runs
    type(scalay_stencil_cost) :: cost
  end type c_stencil_candidate

  !> scalay_stencil_options of stencil.h.
  type, bind(C) :: c_stencil_options
    integer(c_int) :: no_overlap
  end type c_stencil_options

  !> What a stencil does on the calling rank (stencil.h).
  type, bind(C) :: scalay_stencil_statistics
    integer(c_int64_t) :: items = 0             !< of this rank
    integer(c_int64_t) :: runs = 0              !< of consecutive items
    integer(c_int64_t) :: messages_sent = 0     !< in an iteration
    integer(c_int64_t) :: messages_received = 0 !< in an iteration
    integer(c_int64_t) :: items_sent = 0        !< in an iteration
    integer(c_int64_t) :: items_received = 0    !< in an iteration
    integer(c_int64_t) :: iterations = 0        !< of the last execution
    real(c_double) :: seconds = 0               !< of the last execution
    real(c_double) :: compute_seconds = 0       !< of that: updating items
    real(c_double) :: wait_seconds = 0          !< of that: waiting for messages
  end type scalay_stencil_statistics

  !> scalay_qr_options of kernels.h.
  type, bind(C) :: c_qr_options
    integer(c_int) :: nprow, npcol, nb, objective
    type(c_ptr) :: transport, machine
  end type c_qr_options

  !> What a factorisation did; the same on every rank; seconds are those of the slowest rank (kernels.h).
  type, bind(C) :: scalay_qr_statistics
    integer(c_int) :: processes = 0                !< ranks of the communicator
    integer(c_int) :: nprow = 0                    !< rows of the grid
    integer(c_int) :: npcol = 0                    !< columns of the grid
    integer(c_int) :: nb = 0                       !< block extent
    integer(c_int64_t) :: volume = 0               !< elements that changed process on the way there
    integer(c_int64_t) :: steps = 0                !< one-port element steps of that
    integer(c_int64_t) :: canonical_volume = 0     !< the volume with part j on process j
    integer(c_int64_t) :: canonical_steps = 0      !< the steps with part j on process j
    real(c_double) :: plan_seconds = 0             !< choosing, mapping, planning, making the grid
    real(c_double) :: move_seconds = 0             !< there
    real(c_double) :: kernel_seconds = 0           !< p?geqrf
    real(c_double) :: back_seconds = 0             !< back again; 0 as long as nothing was brought back
    real(c_double) :: predicted_move_seconds = 0   !< the model's, there
    real(c_double) :: predicted_kernel_seconds = 0 !< the model's
  end type scalay_qr_statistics

  !> scalay_summa_options of multiply.h.
  type, bind(C) :: c_summa_options
    integer(c_int64_t) :: panel, memory_bytes
    type(c_ptr) :: transport
    integer(c_int) :: no_overlap, no_computation
  end type c_summa_options

  !> What the last execution of a multiplication did on the calling rank (stencil.h).
  type, bind(C) :: scalay_summa_statistics
    integer(c_int64_t) :: panel = 0              !< width of the widest panel
    integer(c_int64_t) :: panels = 0             !< their number
    integer(c_int64_t) :: multiplications = 0    !< calls of gemm
    integer(c_int64_t) :: messages_sent = 0      !< 0 when memory is read
    integer(c_int64_t) :: elements_sent = 0      !< to each of their users; 0 when memory is read
    integer(c_int64_t) :: elements_received = 0  !< that this rank needed and did not hold
    integer(c_int64_t) :: elements_copied = 0    !< besides: packed, or put together to panels
    integer(c_int64_t) :: stretches_read = 0     !< of others' memory: so many times something contiguous
    integer(c_int64_t) :: workspace_bytes = 0    !< panels and messages under way
    real(c_double) :: seconds = 0                !< all of it
    real(c_double) :: compute_seconds = 0        !< in gemm
    real(c_double) :: communicate_seconds = 0    !< packing, waiting, reading
    real(c_double) :: processor_seconds = 0      !< of the calling thread, in gemm
  end type scalay_summa_statistics

  !> scalay_gemm_options of multiply.h.
  type, bind(C) :: c_gemm_options
    type(c_ptr) :: map
    integer(c_int) :: objective
    type(c_ptr) :: group
    integer(c_int) :: nprow, npcol, nb
    type(c_ptr) :: transport
    type(c_summa_options) :: summa
    type(c_ptr) :: machine, seconds_per_flop
  end type c_gemm_options

  !> scalay_gemm_product of multiply.h.
  type, bind(C) :: c_gemm_product
    integer(c_int) :: type, op_a, op_b
    type(c_ptr) :: layout_a, layout_b, layout_c
    type(c_ptr) :: alpha, a, b, beta, before, c
  end type c_gemm_product

  !> What a multiplication does and has done; seconds are those of the calling rank (stencil.h).
  type, bind(C) :: scalay_gemm_statistics
    integer(c_int) :: processes = 0                      !< ranks of the communicator
    integer(c_int) :: moves_a = 0                        !< 1: A is moved
    integer(c_int) :: moves_b = 0                        !< likewise
    integer(c_int) :: moves_c = 0                        !< 1: the product is brought to where C is
    integer(c_int64_t) :: move_volume = 0                !< elements of A and B that change process on the way there
    integer(c_int64_t) :: move_steps = 0                 !< one-port element steps of that
    integer(c_int64_t) :: back_volume = 0                !< elements of C that change process on the way back
    integer(c_int64_t) :: multiply_volume = 0            !< elements that travel in the multiplication
    integer(c_int64_t) :: elements_sent = 0              !< by this rank in the last multiplication
    integer(c_int64_t) :: elements_received = 0          !< likewise
    integer(c_int64_t) :: copy_bytes = 0                 !< of this rank's copies of what moves
    real(c_double) :: plan_seconds = 0                   !< mapping and planning
    real(c_double) :: move_seconds = 0                   !< A and B there
    real(c_double) :: multiply_seconds = 0               !< SUMMA or p?gemm
    real(c_double) :: compute_seconds = 0                !< in BLAS, as part of that
    real(c_double) :: communicate_seconds = 0            !< the rest of it
    real(c_double) :: back_seconds = 0                   !< the product to where C is
    real(c_double) :: predicted_move_seconds = 0         !< the model's: there and back
    real(c_double) :: predicted_compute_seconds = 0      !< likewise, of the slowest process
    real(c_double) :: predicted_communicate_seconds = 0  !< likewise
    real(c_double) :: predicted_multiply_seconds = 0     !< likewise, both
  end type scalay_gemm_statistics

  !> What a matrix file says about itself (io.h).
  type, bind(C) :: scalay_file_info
    integer(c_int) :: format = 0           !< SCALAY_FILE_NPY or SCALAY_FILE_MATRIX_MARKET: by content, not by name
    integer(c_int) :: version = 0          !< of .npy: 1, 2 or 3; 0 otherwise
    integer(c_int) :: dimensions = 0       !< 2, or 1 for an array that is read as one column
    integer(c_int) :: type = 0             !< of the numbers in the file: SCALAY_FLOAT ... SCALAY_INT
    integer(c_int) :: order = 0            !< SCALAY_COLUMN_MAJOR (Fortran order) or SCALAY_ROW_MAJOR (C order)
    integer(c_int) :: byte_order = 0       !< little or big; SCALAY_NATIVE_ENDIAN for text
    integer(c_int64_t) :: m = 0            !< rows
    integer(c_int64_t) :: n = 0            !< columns
    integer(c_int64_t) :: data_offset = 0  !< where the numbers start, in bytes from the start of the file
    integer(c_int64_t) :: file_bytes = 0   !< the length of the file
  end type scalay_file_info

  !> How to write a file (io.h); start from scalay_file_options_default.
  type, bind(C) :: scalay_file_options
    integer(c_int) :: format = 0      !< SCALAY_FILE_AUTO: by the name
    integer(c_int) :: order = 0       !< of .npy: SCALAY_COLUMN_MAJOR is Fortran order
    integer(c_int) :: byte_order = 0  !< of .npy
    integer(c_int) :: version = 0     !< of .npy: 1, 2 or 3; 0: the oldest that will do
  end type scalay_file_options

  !> scalay_workload_options of workload.h.
  type, bind(C) :: c_workload_options
    type(c_ptr) :: method
    integer(c_int) :: published, threads
    type(c_ptr) :: communication
    integer(c_int) :: variant
  end type c_workload_options

  !> scalay_workload_summary of workload.h.
  type, bind(C) :: c_workload_summary
    integer(c_int64_t) :: size, processors, active, taking_part
    real(c_double) :: time, energy, communication, total
    type(c_ptr) :: method
  end type c_workload_summary

  !> scalay_workload_share of workload.h, groups 0-based.
  type, bind(C) :: c_workload_share
    integer(c_int) :: group
    integer(c_int64_t) :: size, count
  end type c_workload_share

  !> A point of a front (workload.h).
  type, bind(C) :: scalay_front_point
    real(c_double) :: time = 0          !< seconds
    real(c_double) :: energy = 0        !< dynamic, joules
    real(c_double) :: total_energy = 0  !< energy + base power * time; the dynamic energy without base power
    integer(c_int64_t) :: active = 0    !< processors that get more than 0
  end type scalay_front_point

  !> When to stop repeating (measure.h); the same on every rank, but for static_power.
  type, bind(C) :: scalay_repeat_options
    integer(c_int64_t) :: warm_up = 1                 !< repetitions before the first one that counts
    integer(c_int64_t) :: min_repetitions = 5         !< before the precision is looked at
    integer(c_int64_t) :: max_repetitions = 1000      !< at least min_repetitions
    real(c_double) :: max_seconds = 60.0_c_double     !< of the whole measurement
    real(c_double) :: confidence = 0.95_c_double      !< of the interval
    real(c_double) :: precision = 0.025_c_double      !< half the confidence interval over the mean
    real(c_double) :: min_interval = 0.0_c_double     !< seconds; shorter work is executed several times in a repetition
    real(c_double) :: static_power = 0.0_c_double     !< watts of this rank's meter that are not to be counted
    integer(c_int) :: independent = 0                 !< 1: the ranks' work does not communicate
  end type scalay_repeat_options

  !> What a sample tells, in the sample's unit; NaN where the sample is too small to tell (measure.h).
  type, bind(C) :: scalay_statistics
    integer(c_int64_t) :: count = 0   !< of the sample
    real(c_double) :: mean = 0        !< arithmetic
    real(c_double) :: median = 0      !< half of the sample is not larger
    real(c_double) :: deviation = 0   !< standard deviation, with count - 1
    real(c_double) :: least = 0       !< smallest
    real(c_double) :: most = 0        !< largest
    real(c_double) :: quartile_1 = 0  !< a quarter of the sample is not larger
    real(c_double) :: quartile_3 = 0  !< three quarters are not larger
    real(c_double) :: half_width = 0  !< half the two-sided confidence interval of the mean
    real(c_double) :: normality = 0   !< p-value of Pearson's chi-squared test; NaN below 20 values
    integer(c_int64_t) :: outliers = 0 !< more than 1.5 spreads outside the quartiles; counted, never dropped
    integer(c_int) :: is_precise = 0  !< 1: half_width is at most precision times |mean|
  end type scalay_statistics

  !> How a measurement went on this rank (measure.h).
  type, bind(C) :: scalay_sample_summary
    integer(c_int) :: end = 0                    !< SCALAY_END_..., the same on all ranks
    integer(c_int) :: meter = 0                  !< what reading the meter came to
    integer(c_int) :: is_modelled = 0            !< 1: the energies come from a model
    integer(c_int64_t) :: repetitions = 0        !< values of time; 0 on a rank without work
    integer(c_int64_t) :: energies = 0           !< values of energy; fewer when the meter failed
    integer(c_int64_t) :: executions = 0         !< of the work in each repetition: values are per execution
    integer(c_int64_t) :: clock_faults = 0       !< repetitions measured again because a clock jumped on some rank
    integer(c_int64_t) :: negative_energies = 0  !< repetitions in which less than the static energy was read
    real(c_double) :: seconds = 0                !< of the whole measurement
    real(c_double) :: meter_seconds = 0          !< of a reading of the meter, on average
  end type scalay_sample_summary

  !> How far a run of the profiler has come (profiler.h).
  type, bind(C) :: scalay_profiler_step
    integer(c_int64_t) :: size = 0    !< about to be measured
    integer(c_int64_t) :: done = 0    !< sizes that are finished, those of the file included
    integer(c_int64_t) :: total = 0   !< sizes as far as they are known now
    real(c_double) :: elapsed = 0     !< seconds since the start
    real(c_double) :: left = 0        !< seconds that the sizes known now may take; negative: not known yet
  end type scalay_profiler_step

  type, bind(C) :: c_profile_kernel
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: prepare = c_null_funptr
    type(c_funptr) :: run = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
    type(c_funptr) :: flops = c_null_funptr
    type(c_funptr) :: bytes = c_null_funptr
    type(c_ptr) :: data = c_null_ptr
  end type c_profile_kernel

  type, bind(C) :: c_profiler_options
    integer(c_int64_t) :: first, last, step, sizes
    type(c_ptr) :: size
    real(c_double) :: refine
    integer(c_int64_t) :: refine_step
    type(scalay_repeat_options) :: repeat
    type(c_ptr) :: path
    integer(c_int) :: restart, no_groups, threads
    type(c_ptr) :: meter
    real(c_double) :: static_power
    integer(c_int) :: shared_meter
    type(c_funptr) :: progress
    type(c_ptr) :: progress_data
  end type c_profiler_options

  type, bind(C) :: c_profile_facts
    type(c_ptr) :: kernel, meter
    integer(c_int) :: modelled, shared_meter, processors
    integer(c_int64_t) :: sizes
    integer(c_int) :: state
    type(scalay_repeat_options) :: repeat
  end type c_profile_facts

  type, bind(C) :: c_profile_processor
    type(c_ptr) :: name, group, host, binding
    integer(c_int) :: cores, threads
    real(c_double) :: static_power
  end type c_profile_processor

  type, bind(C) :: c_profile_point
    integer(c_int64_t) :: size
    type(c_ptr) :: hole
    real(c_double) :: time, time_half_width, median, deviation, normality, energy, energy_half_width
    integer(c_int64_t) :: repetitions, outliers
    integer(c_int) :: precise
  end type c_profile_point

  !> What the additive method found; the same on all ranks (measure.h).
  type, bind(C) :: scalay_additive
    real(c_double) :: sum = 0          !< joules: the means of all ranks' energies, measured one by one, added up
    real(c_double) :: joint = 0        !< joules: the mean energy of one execution on all ranks at once
    real(c_double) :: difference = 0   !< (joint - sum) / sum
    real(c_double) :: uncertainty = 0  !< of the difference
    integer(c_int) :: experiments = 0  !< measurements made
  end type scalay_additive

  include "c/status.inc"
  include "c/types.inc"
  include "c/context.inc"
  include "c/partition.inc"
  include "c/layout.inc"
  include "c/mapping.inc"
  include "c/schedule.inc"
  include "c/redist.inc"
  include "c/model.inc"
  include "c/advice.inc"
  include "c/counters.inc"
  include "c/meter.inc"
  include "c/measure.inc"
  include "c/kernels.inc"
  include "c/multiply.inc"
  include "c/stencil.inc"
  include "c/io.inc"
  include "c/profile.inc"
  include "c/profiler.inc"
  include "c/workload.inc"
end module scalay_c
