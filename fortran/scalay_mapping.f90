!> Mappings: which process should take which part of a target layout, given where the data is now (mapping.h).
!!
!! The traffic q(i, j) counts the items (elements) that process i holds and part j needs. A mapping gives every part a
!! process of its own. Its volume is the number of items that change process; its steps are the one-port steps, the
!! maximum over the processes of max(items sent, items received). Processes and parts count from 0; in an array
!! `process` with one element per part, element k + 1 is the process of part k. Steps of a schedule and
!! points of a front count from 1.
!! Nothing here is collective.
module scalay_mapping_mod
  use, intrinsic :: iso_c_binding
  use scalay_c, scalay_node_link_cost => c_node_link_cost
  use scalay_support, only: scalay_object, return_status, fail, string_of
  use scalay_status_mod, only: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
  use scalay_layout_mod, only: scalay_layout
  implicit none
  private
  public :: scalay_traffic, scalay_traffic_summary, scalay_traffic_create, scalay_traffic_from_entries
  public :: scalay_traffic_add, scalay_traffic_destroy, scalay_traffic_get_summary, scalay_traffic_get_entry
  public :: scalay_traffic_row, scalay_traffic_cost
  public :: scalay_mapping, scalay_mapping_summary, scalay_mapping_certificate, scalay_mapping_create
  public :: scalay_mapping_from_traffic, scalay_mapping_create_shared, scalay_mapping_from_processes
  public :: scalay_mapping_destroy, scalay_mapping_process, scalay_mapping_get_summary
  public :: scalay_mapping_get_certificate, scalay_objective_name, scalay_mapping_apply, scalay_mapping_check
  public :: scalay_mapping_check_layouts, scalay_link_cost, scalay_node_links, scalay_node_link_cost
  public :: scalay_mapping_front, scalay_mapping_front_create, scalay_mapping_front_from_traffic
  public :: scalay_mapping_front_destroy, scalay_mapping_front_count, scalay_mapping_front_get_summary
  public :: scalay_mapping_front_process, scalay_mapping_front_check, scalay_mapping_front_check_layouts
  public :: scalay_schedule, scalay_schedule_summary, scalay_message, scalay_schedule_create, scalay_schedule_check
  public :: scalay_schedule_destroy, scalay_schedule_get_summary, scalay_schedule_round

  ! What a mapping should make small.
  integer(c_int), parameter, public :: SCALAY_CANONICAL = 0              !< nothing: every part stays
  integer(c_int), parameter, public :: SCALAY_MIN_VOLUME = 1             !< the items that change process
  integer(c_int), parameter, public :: SCALAY_MIN_STEPS = 2              !< the one-port steps
  integer(c_int), parameter, public :: SCALAY_MIN_STEPS_THEN_VOLUME = 3  !< the steps, then the volume
  integer(c_int), parameter, public :: SCALAY_MIN_VOLUME_THEN_STEPS = 4  !< the volume, then the steps
  integer(c_int), parameter, public :: SCALAY_MIN_TIME = 5               !< the sum over items of the link cost
  integer(c_int), parameter, public :: SCALAY_MIN_GRID_VOLUME = 6        !< the volume; grid rows and columns stay together

  ! Is the result proven?
  integer(c_int), parameter, public :: SCALAY_PROOF_NONE = 0       !< nothing was optimised
  integer(c_int), parameter, public :: SCALAY_PROOF_OPTIMAL = 1    !< the certificate shows that nothing is better
  integer(c_int), parameter, public :: SCALAY_PROOF_HEURISTIC = 2  !< the bound in the certificate is below the value

  !> What to move: a sparse matrix of item counts, processes x parts.
  type, extends(scalay_object) :: scalay_traffic
  contains
    procedure, pass(traffic) :: create => scalay_traffic_create
    procedure, pass(traffic) :: from_entries => scalay_traffic_from_entries
    procedure, pass(total) :: add => scalay_traffic_add
    procedure :: destroy => scalay_traffic_destroy
    procedure :: get_summary => scalay_traffic_get_summary
    procedure :: get_entry => scalay_traffic_get_entry
    procedure :: row => scalay_traffic_row
    procedure :: cost => scalay_traffic_cost
  end type scalay_traffic

  !> Who takes which part, with what it costs and why it cannot cost less.
  type, extends(scalay_object) :: scalay_mapping
  contains
    procedure, pass(mapping) :: create => scalay_mapping_create
    procedure, pass(mapping) :: create_shared => scalay_mapping_create_shared
    procedure, pass(mapping) :: from_traffic => scalay_mapping_from_traffic
    procedure, pass(mapping) :: from_processes => scalay_mapping_from_processes
    procedure :: destroy => scalay_mapping_destroy
    procedure :: process => scalay_mapping_process
    procedure :: get_summary => scalay_mapping_get_summary
    procedure :: get_certificate => scalay_mapping_get_certificate
    procedure, pass(mapping) :: check => scalay_mapping_check
    procedure, pass(mapping) :: check_layouts => scalay_mapping_check_layouts
    procedure :: apply => scalay_mapping_apply
  end type scalay_mapping

  !> No mapping: every part stays where the target layout has it.
  type(scalay_mapping), parameter, public :: scalay_no_mapping = scalay_mapping()

  !> The mappings that no other beats in both steps and volume, by ascending steps and falling volume.
  type, extends(scalay_object) :: scalay_mapping_front
  contains
    procedure, pass(front) :: create => scalay_mapping_front_create
    procedure, pass(front) :: from_traffic => scalay_mapping_front_from_traffic
    procedure :: destroy => scalay_mapping_front_destroy
    procedure :: count => scalay_mapping_front_count
    procedure :: get_summary => scalay_mapping_front_get_summary
    procedure :: process => scalay_mapping_front_process
    procedure, pass(front) :: check => scalay_mapping_front_check
    procedure, pass(front) :: check_layouts => scalay_mapping_front_check_layouts
  end type scalay_mapping_front

  !> A one-port schedule of a redistribution.
  type, extends(scalay_object) :: scalay_schedule
  contains
    procedure, pass(schedule) :: create => scalay_schedule_create
    procedure, pass(schedule) :: check => scalay_schedule_check
    procedure :: destroy => scalay_schedule_destroy
    procedure :: get_summary => scalay_schedule_get_summary
    procedure :: round => scalay_schedule_round
  end type scalay_schedule

  !> The proof of a mapping (mapping.h). Arrays are copies, empty where this proof is not used.
  !!
  !! Dual variables u of processes and v of parts prove the volume bound: u + v >= q for every process that may take a
  !! part and every part, if the pair takes at most dual_steps steps. A dual is negative only if its process or part has
  !! more than dual_steps elements. The sum of all duals, except those of processes that may take no part, is the number
  !! of elements minus the bound. For SCALAY_MIN_TIME with link costs, in multiples of dual_unit: v - u is at most the
  !! cost of the part on the process, no u is negative, and the sum of all v minus the sum of all u is the time bound.
  !!
  !! A Hall violator proves the steps bound b: each member has at least b elements, and together the members have fewer
  !! neighbours along pairs of fewer than b steps than there are members.
  type :: scalay_mapping_certificate
    integer(c_int64_t), allocatable :: process_dual(:)  !< u; element k + 1 is process k
    integer(c_int64_t), allocatable :: part_dual(:)     !< v; element k + 1 is part k
    real(c_double) :: dual_unit = 0                     !< 1 element; with link costs, a time
    integer(c_int64_t) :: dual_steps = -1               !< duals hold for pairs of at most this number of steps
    integer(c_int), allocatable :: hall_violator(:)     !< members, from 0
    logical :: hall_violator_of_parts = .false.         !< .true.: members are parts; .false.: processes
    integer(c_int) :: grid_rows = 0                     !< rows of the grid with line duals; 0: none
    integer(c_int) :: grid_cols = 0                     !< columns of that grid
    integer(c_int64_t), allocatable :: line_dual(:)     !< of rows of processes and parts, then of columns
  end type scalay_mapping_certificate

  !> One message of a schedule: in a step no two messages share a sender or a receiver.
  type, bind(C) :: scalay_message
    integer(c_int) :: from       !< the sending process, 0-based
    integer(c_int) :: to         !< the receiving process, 0-based, never the same
    integer(c_int64_t) :: elements  !< at least 1; at most the length of the round, unless the schedule is preemptive
  end type scalay_message

  !> Processes on nodes, the context of scalay_node_link_cost.
  type, bind(C) :: scalay_node_links
    integer(c_int) :: nodes = 0
    integer(c_int) :: ranks_per_node = 0         !< processes 0 .. ranks_per_node-1 share node 0, and so on
    type(c_ptr) :: node = c_null_ptr             !< c_loc of integer(c_int) of shape [processes]: the node of each instead
    type(c_ptr) :: distance = c_null_ptr         !< c_loc of real(c_double) of shape [nodes, nodes]: what an item costs to
                                                 !! (first index) a node from another (second index), both plus 1; null: 1
                                                 !! between nodes, `within` within one
    real(c_double) :: within = 0
  end type scalay_node_links

  abstract interface
    !> The cost of moving one item between two processes (0-based), at least 0, finite.
    real(c_double) function scalay_link_cost(from, to, context) bind(C)
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: from, to
      type(c_ptr), value :: context
    end function scalay_link_cost
  end interface

contains

  include "scalay_traffic.inc"

  ! The variable stands for a new mapping from now on, or for none after a failure.
  subroutine replace_handle(mapping, handle, code, status)
    class(scalay_mapping), intent(inout) :: mapping
    type(c_ptr), intent(in) :: handle
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    call mapping%destroy()
    call mapping%set_handle(handle)
    call return_status(code, status)
  end subroutine replace_handle

  ! The options in C. `barred` becomes the C array `bars`, which must stay as long as the options do.
  integer(c_int) function set_options(options, bars, processes, barred, link_cost, link_context, grid_rows, &
      budget_seconds, seed) result(code)
    type(c_mapping_options), intent(out) :: options
    integer(c_signed_char), allocatable, target, intent(out) :: bars(:)
    integer(c_int), intent(in), optional :: processes
    logical, intent(in), optional :: barred(:)
    procedure(scalay_link_cost), optional :: link_cost
    type(c_ptr), intent(in), optional :: link_context
    integer(c_int), intent(in), optional :: grid_rows
    real(c_double), intent(in), optional :: budget_seconds
    integer(c_int64_t), intent(in), optional :: seed
    call c_mapping_options_init(options, c_sizeof(options))
    code = SCALAY_SUCCESS
    if (present(processes)) options%processes = processes
    if (present(barred)) then
      if (size(barred) /= options%processes .or. size(barred) == 0) then
        code = fail(SCALAY_ERROR_ARGUMENT, &
          "scalay_mapping: barred must come with processes and have one element for each")
        return
      end if
      bars = merge(1_c_signed_char, 0_c_signed_char, barred)
      options%barred = c_loc(bars)
    end if
    if (present(link_cost)) options%link_cost = c_funloc(link_cost)
    if (present(link_context)) options%link_context = link_context
    if (present(grid_rows)) options%grid_rows = grid_rows
    if (present(budget_seconds)) options%budget_seconds = budget_seconds
    if (present(seed)) options%seed = seed
  end function set_options

  !> The best mapping of the target's parts, given where the source has the data.
  !! @param[in]    source, target  as in scalay_traffic_create
  !! @param[in]    objective       what to make small: SCALAY_MIN_STEPS_THEN_VOLUME suits most
  !! @param[inout] mapping         to be released with destroy
  !! @param[in]    processes       parts may go to 0 .. processes-1; absent: the larger of the traffic's two extents
  !! @param[in]    barred          shape [processes], only with processes: .true. bars a process from taking a part
  !! @param[in]    link_cost       for SCALAY_MIN_TIME; absent: 1 between different processes, 0 within one
  !! @param[in]    link_context    handed to link_cost: c_loc of a scalay_node_links for scalay_node_link_cost
  !! @param[in]    budget_seconds  processor seconds after which the best mapping so far is good enough; absent: as long as
  !!                               it takes
  !! @param[in]    seed            of the starts of SCALAY_MIN_GRID_VOLUME; absent: 1
  !! @param[out]   status          as in scalay_mapping_from_traffic and scalay_traffic_create
  subroutine scalay_mapping_create(source, target, objective, mapping, processes, barred, link_cost, link_context, &
      budget_seconds, seed, status)
    class(scalay_layout), intent(in) :: source, target
    integer(c_int), intent(in) :: objective
    class(scalay_mapping), intent(inout) :: mapping
    integer(c_int), intent(in), optional :: processes
    logical, intent(in), optional :: barred(:)
    procedure(scalay_link_cost), optional :: link_cost
    type(c_ptr), intent(in), optional :: link_context
    real(c_double), intent(in), optional :: budget_seconds
    integer(c_int64_t), intent(in), optional :: seed
    integer(c_int), intent(out), optional :: status
    type(c_mapping_options) :: options
    integer(c_signed_char), allocatable, target :: bars(:)
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = set_options(options, bars, processes, barred, link_cost, link_context, budget_seconds=budget_seconds, &
      seed=seed)
    if (code == SCALAY_SUCCESS) &
      code = c_mapping_create(source%c_object(), target%c_object(), objective, options, handle)
    call replace_handle(mapping, handle, code, status)
  end subroutine scalay_mapping_create

  !> The best mapping for a traffic matrix. SCALAY_CANONICAL puts part j on process j. SCALAY_MIN_TIME needs memory and
  !! time for all pairs (process, part).
  !! @param[in]    traffic    a traffic matrix
  !! @param[in]    objective  what to make small
  !! @param[inout] mapping    to be released with destroy
  !! @param[in]    processes, barred, link_cost, link_context, budget_seconds, seed  as in scalay_mapping_create
  !! @param[in]    grid_rows  for SCALAY_MIN_GRID_VOLUME: the parts, numbered row by row, form a grid of so many rows
  !! @param[out]   status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (fewer processes than parts
  !!                          once the barred ones are out), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
  subroutine scalay_mapping_from_traffic(traffic, objective, mapping, processes, barred, link_cost, link_context, &
      grid_rows, budget_seconds, seed, status)
    class(scalay_traffic), intent(in) :: traffic
    integer(c_int), intent(in) :: objective
    class(scalay_mapping), intent(inout) :: mapping
    integer(c_int), intent(in), optional :: processes
    logical, intent(in), optional :: barred(:)
    procedure(scalay_link_cost), optional :: link_cost
    type(c_ptr), intent(in), optional :: link_context
    integer(c_int), intent(in), optional :: grid_rows
    real(c_double), intent(in), optional :: budget_seconds
    integer(c_int64_t), intent(in), optional :: seed
    integer(c_int), intent(out), optional :: status
    type(c_mapping_options) :: options
    integer(c_signed_char), allocatable, target :: bars(:)
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = set_options(options, bars, processes, barred, link_cost, link_context, grid_rows, budget_seconds, seed)
    if (code == SCALAY_SUCCESS) code = c_mapping_from_traffic(traffic%c_object(), objective, options, handle)
    call replace_handle(mapping, handle, code, status)
  end subroutine scalay_mapping_from_traffic

  !> A mapping that the caller has chosen. Its proof is SCALAY_PROOF_NONE.
  !! @param[in]    traffic    a traffic matrix; one that does not exist: volume and steps are -1
  !! @param[in]    processes  number of processes, at least the number of parts
  !! @param[in]    process    shape [parts], the process of each part, distinct; copied
  !! @param[inout] mapping    to be released with destroy
  !! @param[out]   status     SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
  subroutine scalay_mapping_from_processes(traffic, processes, process, mapping, status)
    class(scalay_traffic), intent(in) :: traffic
    integer(c_int), intent(in) :: processes
    integer(c_int), intent(in) :: process(:)
    class(scalay_mapping), intent(inout) :: mapping
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_mapping_from_processes(traffic%c_object(), processes, size(process), process, handle)
    call replace_handle(mapping, handle, code, status)
  end subroutine scalay_mapping_from_processes

  !> Releases a mapping. Fine when there is none.
  subroutine scalay_mapping_destroy(mapping)
    class(scalay_mapping), intent(inout) :: mapping
    type(c_ptr) :: object
    object = mapping%c_object()
    call c_mapping_destroy(object)
    call mapping%set_handle(object)
  end subroutine scalay_mapping_destroy

  include "scalay_mapping_queries.inc"
  include "scalay_mapping_proof.inc"
  include "scalay_mapping_front.inc"
  include "scalay_schedule.inc"
end module scalay_mapping_mod
