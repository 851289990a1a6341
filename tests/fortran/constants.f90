!> What C tells of itself.
module told_by_c
  use, intrinsic :: iso_c_binding
  use constant_values, only: f_count
  implicit none
  integer(c_int), bind(C, name="c_count") :: c_count
  integer(c_int), bind(C, name="c_values") :: c_values(f_count)
  integer(c_int64_t), bind(C, name="c_struct_sizes") :: c_struct_sizes(64)
end module told_by_c

!> Constants, structures, names and defaults are those of C.
program constants
  use, intrinsic :: iso_c_binding
  use check_module
  use constant_values
  use told_by_c
  use scalay
  use scalay_c, only: c_advice_options, c_advice_candidate, c_calibration_options, &
    c_rectangle, c_subarray, c_part_rectangle, c_links, c_partition_options, &
    c_partition_candidate, c_partition_summary, c_multiply_options, c_gemm_options, c_gemm_product, &
    c_mapping_options, c_schedule_options, c_plan_options, c_plan_matrix, c_operands, &
    c_qr_options, c_qr_options_init, c_one_call_options, c_factor_options, &
    c_summa_options, c_summa_options_init, c_stencil_candidate, c_stencil_options, c_stencil_options_init, &
    c_workload_options, c_workload_options_init, c_workload_summary, c_workload_share, &
    c_repeat_options_init, c_sample_summary, &
    c_profile_kernel, c_profiler_options, c_profiler_options_init, c_profile_facts, c_profile_processor, c_profile_point
  use scalay_support, only: string_of
  implicit none

  interface
    subroutine number_gemm_statistics(s) bind(C, name="c_number_gemm_statistics")
      import
      type(scalay_gemm_statistics), intent(inout) :: s
    end subroutine number_gemm_statistics
    subroutine number_multiply_time(s) bind(C, name="c_number_multiply_time")
      import
      type(scalay_multiply_time), intent(inout) :: s
    end subroutine number_multiply_time
    subroutine number_gemm_cost(s) bind(C, name="c_number_gemm_cost")
      import
      type(scalay_gemm_cost), intent(inout) :: s
    end subroutine number_gemm_cost
    subroutine number_hockney_time(s) bind(C, name="c_number_hockney_time")
      import
      type(scalay_hockney_time), intent(inout) :: s
    end subroutine number_hockney_time
    subroutine number_advise_options(s) bind(C, name="c_number_advise_options")
      import
      type(c_advice_options), intent(inout) :: s
    end subroutine number_advise_options
    subroutine number_advice_candidate(s) bind(C, name="c_number_advice_candidate")
      import
      type(c_advice_candidate), intent(inout) :: s
    end subroutine number_advice_candidate
    subroutine number_calibration_options(s) bind(C, name="c_number_calibration_options")
      import
      type(c_calibration_options), intent(inout) :: s
    end subroutine number_calibration_options
    subroutine number_statistics(s) bind(C, name="c_number_statistics")
      import
      type(scalay_plan_statistics), intent(inout) :: s
    end subroutine number_statistics
    subroutine number_plan_options(s) bind(C, name="c_number_plan_options")
      import
      type(c_plan_options), intent(inout) :: s
    end subroutine number_plan_options
    subroutine number_plan_matrix(s) bind(C, name="c_number_plan_matrix")
      import
      type(c_plan_matrix), intent(inout) :: s
    end subroutine number_plan_matrix
    subroutine number_operands(s) bind(C, name="c_number_operands")
      import
      type(c_operands), intent(inout) :: s
    end subroutine number_operands
    subroutine number_qr_statistics(s) bind(C, name="c_number_qr_statistics")
      import
      type(scalay_qr_statistics), intent(inout) :: s
    end subroutine number_qr_statistics
    subroutine number_stencil_problem(s) bind(C, name="c_number_stencil_problem")
      import
      type(scalay_stencil_problem), intent(inout) :: s
    end subroutine number_stencil_problem
    subroutine number_stencil_candidate(s) bind(C, name="c_number_stencil_candidate")
      import
      type(c_stencil_candidate), intent(inout) :: s
    end subroutine number_stencil_candidate
    subroutine number_stencil_statistics(s) bind(C, name="c_number_stencil_statistics")
      import
      type(scalay_stencil_statistics), intent(inout) :: s
    end subroutine number_stencil_statistics
    subroutine number_summa_options(s) bind(C, name="c_number_summa_options")
      import
      type(c_summa_options), intent(inout) :: s
    end subroutine number_summa_options
    subroutine number_summa_statistics(s) bind(C, name="c_number_summa_statistics")
      import
      type(scalay_summa_statistics), intent(inout) :: s
    end subroutine number_summa_statistics
    subroutine number_file_info(s) bind(C, name="c_number_file_info")
      import
      type(scalay_file_info), intent(inout) :: s
    end subroutine number_file_info
    subroutine number_candidate(s) bind(C, name="c_number_candidate")
      import
      type(scalay_qr_candidate), intent(inout) :: s
    end subroutine number_candidate
    subroutine number_machine(s) bind(C, name="c_number_machine")
      import
      type(scalay_machine), intent(inout) :: s
    end subroutine number_machine
    subroutine number_workload_summary(s) bind(C, name="c_number_workload_summary")
      import
      type(c_workload_summary), intent(inout) :: s
    end subroutine number_workload_summary
    subroutine number_workload_options(s) bind(C, name="c_number_workload_options")
      import
      type(c_workload_options), intent(inout) :: s
    end subroutine number_workload_options
    subroutine number_share(s) bind(C, name="c_number_share")
      import
      type(c_workload_share), intent(inout) :: s
    end subroutine number_share
    subroutine number_front_point(s) bind(C, name="c_number_front_point")
      import
      type(scalay_workload_front_point), intent(inout) :: s
    end subroutine number_front_point
    subroutine number_links(s) bind(C, name="c_number_links")
      import
      type(c_links), intent(inout) :: s
    end subroutine number_links
    subroutine number_partition_options(s) bind(C, name="c_number_partition_options")
      import
      type(c_partition_options), intent(inout) :: s
    end subroutine number_partition_options
    subroutine number_move(s) bind(C, name="c_number_move")
      import
      type(scalay_move), intent(inout) :: s
    end subroutine number_move
    subroutine number_repeat_options(s) bind(C, name="c_number_repeat_options")
      import
      type(scalay_repeat_options), intent(inout) :: s
    end subroutine number_repeat_options
    subroutine number_sample_statistics(s) bind(C, name="c_number_sample_statistics")
      import
      type(scalay_statistics), intent(inout) :: s
    end subroutine number_sample_statistics
    subroutine number_additive(s) bind(C, name="c_number_additive")
      import
      type(scalay_additive), intent(inout) :: s
    end subroutine number_additive
    subroutine number_sample_summary(s) bind(C, name="c_number_sample_summary")
      import
      type(c_sample_summary), intent(inout) :: s
    end subroutine number_sample_summary
    subroutine number_profiler_step(s) bind(C, name="c_number_profiler_step")
      import
      type(scalay_profiler_step), intent(inout) :: s
    end subroutine number_profiler_step
    subroutine number_profiler_options(s) bind(C, name="c_number_profiler_options")
      import
      type(c_profiler_options), intent(inout) :: s
    end subroutine number_profiler_options
    subroutine number_profile_point(s) bind(C, name="c_number_profile_point")
      import
      type(c_profile_point), intent(inout) :: s
    end subroutine number_profile_point
    subroutine number_profile_facts(facts, processor) bind(C, name="c_number_profile_facts")
      import
      type(c_profile_facts), intent(inout) :: facts
      type(c_profile_processor), intent(inout) :: processor
    end subroutine number_profile_facts
    subroutine number_mapping_structures(traffic, mapping, schedule, options) bind(C, name="c_number_mapping_structures")
      import
      type(scalay_traffic_summary), intent(inout) :: traffic
      type(scalay_mapping_summary), intent(inout) :: mapping
      type(scalay_schedule_summary), intent(inout) :: schedule
      type(c_schedule_options), intent(inout) :: options
    end subroutine number_mapping_structures
  end interface

  call every_constant_has_the_value_of_c()
  call structures_have_the_shape_of_c()
  call plan_structures_have_the_shape_of_c()
  call stencil_structures_have_the_shape_of_c()
  call workload_structures_have_the_shape_of_c()
  call partition_structures_have_the_shape_of_c()
  call measure_structures_have_the_shape_of_c()
  call profiler_structures_have_the_shape_of_c()
  call mapping_structures_have_the_shape_of_c()
  call advice_structures_have_the_shape_of_c()
  call names_are_those_of_c()
  call defaults_are_those_of_c()
  call check_verdict()

contains

  subroutine every_constant_has_the_value_of_c()
    integer :: k
    call set_values()
    call check(f_count == c_count .and. f_count >= 37, "enough constants were found")
    do k = 1, f_count
      call check(f_values(k) == c_values(k), trim(names(k)))
    end do
  end subroutine every_constant_has_the_value_of_c

  subroutine structures_have_the_shape_of_c()
    type(scalay_machine) :: machine
    type(c_rectangle) :: rectangle
    type(c_mapping_options) :: mapping_options
    type(scalay_node_links) :: nodes
    type(scalay_message) :: message
    type(c_plan_options) :: plan_options
    type(c_plan_matrix) :: matrix
    type(c_operands) :: operands
    type(scalay_plan_statistics) :: p
    type(scalay_move) :: move
    type(scalay_qr_cost) :: cost
    type(scalay_qr_candidate) :: candidate
    type(scalay_qr_limits) :: limits
    type(scalay_stencil_problem) :: stencil_problem
    type(scalay_stencil_cost) :: stencil_cost
    type(c_stencil_candidate) :: stencil_candidate
    type(c_stencil_options) :: stencil_options
    type(scalay_stencil_statistics) :: stencil
    type(c_qr_options) :: qr_options
    type(scalay_qr_statistics) :: s
    type(c_one_call_options) :: one_call_options
    type(scalay_one_call_statistics) :: one_call
    type(c_factor_options) :: factor_options
    type(scalay_factor_statistics) :: factor
    type(c_summa_options) :: summa_options
    type(scalay_summa_statistics) :: summa
    type(scalay_file_info) :: info
    type(scalay_file_options) :: file_options
    type(c_workload_options) :: workload_options
    type(c_workload_summary) :: summary
    type(c_workload_share) :: share
    type(scalay_workload_front_point) :: point
    type(c_subarray) :: piece
    type(c_part_rectangle) :: part
    type(scalay_half_perimeter) :: half
    type(c_links) :: links
    type(c_partition_options) :: partition_options
    type(c_partition_candidate) :: shape
    type(scalay_multiply_cost_summary) :: product_cost
    type(c_partition_summary) :: partition
    type(scalay_repeat_options) :: repeat_options
    type(scalay_statistics) :: sample_statistics
    type(c_sample_summary) :: sample_summary
    type(scalay_profiler_step) :: step
    type(c_profile_kernel) :: kernel
    type(c_profiler_options) :: profiler_options
    type(c_profile_facts) :: profile_facts
    type(c_profile_processor) :: processor
    type(c_profile_point) :: profile_point
    type(scalay_additive) :: additive
    type(c_multiply_options) :: multiply_options
    type(scalay_multiply_time) :: time
    type(c_gemm_options) :: gemm_options
    type(c_gemm_product) :: product
    type(scalay_gemm_statistics) :: gemm
    type(scalay_gemm_cost) :: gemm_cost
    type(scalay_hockney_time) :: hockney
    type(c_advice_options) :: advise
    type(c_advice_candidate) :: advised
    type(c_calibration_options) :: calibration
    type(scalay_traffic_summary) :: traffic_summary
    type(scalay_mapping_summary) :: mapping_summary
    type(scalay_schedule_summary) :: schedule_summary
    type(c_schedule_options) :: schedule_options
    call check(all(c_struct_sizes == [c_sizeof(machine), c_sizeof(rectangle), c_sizeof(mapping_options), &
      c_sizeof(nodes), &
      c_sizeof(message), c_sizeof(plan_options), c_sizeof(matrix), c_sizeof(operands), c_sizeof(p), c_sizeof(move), &
      c_sizeof(cost), c_sizeof(candidate), c_sizeof(limits), &
      c_sizeof(stencil_problem), c_sizeof(stencil_cost), c_sizeof(stencil_candidate), c_sizeof(stencil_options), &
      c_sizeof(stencil), c_sizeof(qr_options), &
      c_sizeof(s), c_sizeof(one_call_options), c_sizeof(one_call), &
      c_sizeof(factor_options), c_sizeof(factor), &
      c_sizeof(summa_options), c_sizeof(summa), c_sizeof(info), c_sizeof(file_options), &
      c_sizeof(workload_options), c_sizeof(summary), c_sizeof(share), c_sizeof(point), &
      c_sizeof(piece), c_sizeof(part), c_sizeof(half), c_sizeof(links), c_sizeof(partition_options), &
      c_sizeof(shape), c_sizeof(product_cost), c_sizeof(partition), &
      c_sizeof(repeat_options), c_sizeof(sample_statistics), c_sizeof(sample_summary), &
      c_sizeof(step), c_sizeof(kernel), c_sizeof(profiler_options), c_sizeof(profile_facts), c_sizeof(processor), &
      c_sizeof(profile_point), c_sizeof(additive), &
      c_sizeof(multiply_options), c_sizeof(time), c_sizeof(gemm_options), c_sizeof(product), c_sizeof(gemm), &
      c_sizeof(gemm_cost), c_sizeof(hockney), c_sizeof(advise), c_sizeof(advised), c_sizeof(calibration), &
      c_sizeof(traffic_summary), c_sizeof(mapping_summary), c_sizeof(schedule_summary), c_sizeof(schedule_options)]), &
      "sizes")
    call number_gemm_statistics(gemm)
    call check(all([gemm%processes, gemm%moves_a, gemm%moves_b, gemm%moves_c] == [1, 2, 3, 4]), "moves of a product")
    call check(all([gemm%move_volume, gemm%move_steps, gemm%back_volume, gemm%multiply_volume, gemm%elements_sent, &
      gemm%elements_received, gemm%copy_bytes] == [5, 6, 7, 8, 9, 10, 11]), "counts of a product")
    call check(all(nint([gemm%plan_seconds, gemm%move_seconds, gemm%multiply_seconds, gemm%compute_seconds, &
      gemm%communicate_seconds, gemm%back_seconds, gemm%predicted_move_seconds, gemm%predicted_compute_seconds, &
      gemm%predicted_communicate_seconds, gemm%predicted_multiply_seconds]) == [12, 13, 14, 15, 16, 17, 18, 19, 20, &
      21]), "seconds of a product")
    call number_multiply_time(time)
    call check(all(nint([time%flops, time%compute_seconds, time%communicate_seconds, time%seconds]) == [1, 6, 7, 8]) &
      .and. all([time%volume, time%busiest, time%panels, time%messages] == [2, 3, 4, 5]), "time of a product")
    call number_statistics(p)
    call check(all([p%bytes_sent, p%bytes_received, p%bytes_kept, p%messages_sent, p%messages_received, p%extra_bytes, &
      p%plan_bytes, p%volume, p%steps] == [1, 2, 3, 4, 5, 6, 7, 8, 9]), "plan statistics")
    call number_qr_statistics(s)
    call check(all([s%processes, s%nprow, s%npcol, s%nb] == [1, 2, 3, 4]), "integers of QR statistics")
    call check(all([s%volume, s%steps, s%canonical_volume, s%canonical_steps] == [5, 6, 7, 8]), "counts")
    call check(all(nint([s%plan_seconds, s%move_seconds, s%kernel_seconds, s%back_seconds, s%predicted_move_seconds, &
      s%predicted_kernel_seconds]) == [9, 10, 11, 12, 13, 14]), "seconds of QR statistics")
    call number_summa_options(summa_options)
    call check(all([summa_options%panel, summa_options%memory_bytes] == [1, 2]), "summa options")
    call check(string_of(summa_options%transport) == "three", "transport of summa options")
    call check(summa_options%no_overlap == 4 .and. summa_options%no_computation == 5 .and. &
      summa_options%size == 6, "flags of summa options")
    call number_summa_statistics(summa)
    call check(all([summa%volume, summa%panel, summa%panels, summa%gemm_calls, summa%messages_sent, &
      summa%elements_sent, summa%elements_received, summa%elements_copied, summa%segments_read, summa%workspace_bytes] &
      == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), "summa statistics")
    call check(all(nint([summa%seconds, summa%compute_seconds, summa%communicate_seconds, summa%cpu_seconds]) &
      == [11, 12, 13, 14]), "seconds of summa statistics")
    call number_file_info(info)
    call check(all([info%format, info%version, info%dimensions, info%type, info%order, info%byte_order] &
      == [1, 2, 3, 4, 5, 6]), "file info")
    call check(all([info%m, info%n, info%data_offset, info%file_bytes] == [7, 8, 9, 10]), "extents of file info")
    call check(all(info%element(1:2) == ["u", "1"]), "element type of file info")
    call number_candidate(candidate)
    call check(all([candidate%nprow, candidate%npcol, candidate%nb] == [1, 2, 3]), "candidate")
    cost = candidate%cost
    call check(all(nint([cost%flops, cost%balance, cost%update_seconds, cost%panel_seconds, cost%message_seconds, &
      cost%seconds]) == [4, 5, 6, 7, 8, 9]), "cost")
    call number_machine(machine)
    call check(all(nint([machine%seconds_per_flop, machine%seconds_per_flop_vector, machine%seconds_per_message, &
      machine%seconds_per_byte, machine%seconds_per_byte_copied, machine%solo_time_ratio, machine%ring_slowdown]) &
      == [1, 2, 3, 4, 5, 6, 7]) .and. machine%processes == 8 .and. machine%concurrent_processes == 9, "machine")
    call check(all(nint(machine%gemm_curve) == [10, 11, 12, 13, 14, 15, 16, 17, 18]) .and. &
      all(nint(machine%vector_curve) == [19, 20, 21, 22, 23]) .and. &
      all(nint(machine%copy_curve) == [24, 25, 26, 27, 28, 29]) .and. &
      all(nint(machine%swap_curve) == [52, 53, 54, 55, 56, 57]), "curves of a machine")
    call check(all(nint([machine%seconds_per_message_within, machine%seconds_per_byte_within, &
      machine%seconds_per_byte_alone, machine%seconds_per_large_message, machine%seconds_per_call, &
      machine%long_message_ratio]) == [30, 31, 32, 51, 58, 59]) .and. &
      machine%nodes == 33 .and. machine%node_types == 34, "nodes of a machine")
    call check(all(nint([machine%type_seconds_per_flop, machine%type_seconds_per_message, machine%type_seconds_per_byte]) &
      == [35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46]), "types of nodes")
    call check(all(nint([machine%pair_seconds_per_message([1, SCALAY_NODE_TYPE_PAIRS]), &
      machine%pair_seconds_per_byte([1, SCALAY_NODE_TYPE_PAIRS])]) == [47, 48, 49, 50]), "pairs of types")
    call number_move(move)
    call check(all([move%volume, move%steps, move%messages, move%kept, move%items, move%segments] == [1, 2, 3, 4, 5, 6]), &
      "move")
    call check(move%processes == 7, "processes of a move")
  end subroutine structures_have_the_shape_of_c

  subroutine advice_structures_have_the_shape_of_c()
    type(scalay_gemm_cost) :: gemm
    type(scalay_hockney_time) :: hockney
    type(c_advice_options) :: advise
    type(c_advice_candidate) :: advised
    type(c_calibration_options) :: calibration
    call number_gemm_cost(gemm)
    call check(all(nint([gemm%flops, gemm%balance, gemm%compute_seconds, gemm%memory_seconds, gemm%message_seconds, &
      gemm%seconds]) == [1, 2, 3, 4, 5, 6]), "cost of gemm")
    call number_hockney_time(hockney)
    call check(all(nint([hockney%compute_seconds, hockney%message_seconds, hockney%seconds]) == [1, 2, 3]), &
      "a time by Hockney's model")
    call number_advise_options(advise)
    call check(advise%kernel == 1 .and. advise%times == 3 .and. all([advise%type, advise%bring_back, &
      advise%processes, advise%nprow, advise%npcol, advise%nb, advise%scalapack_only] == [2, 4, 5, 6, 7, 8, 10]) .and. &
      advise%size == 9, "advise options")
    call number_advice_candidate(advised)
    call check(string_of(advised%name) == "one", "name of a candidate")
    call check(string_of(advised%routine) == "eleven" .and. advised%mb == 10, "routine of a candidate")
    call check(all([advised%nprow, advised%npcol, advised%nb] == [2, 3, 4]), "its grid")
    call check(all([advised%volume, advised%steps] == [5, 6]), "its counts")
    call check(all(nint([advised%move_seconds, advised%kernel_seconds, advised%seconds]) == [7, 8, 9]), "its seconds")
    call number_calibration_options(calibration)
    call check(string_of(calibration%path) == "one", "path of a calibration")
    call check(nint(calibration%max_age_seconds) == 2 .and. calibration%refresh == 3 .and. calibration%anywhere == 4 &
      .and. nint(calibration%max_seconds) == 5 .and. calibration%size == 6, "calibration options")
  end subroutine advice_structures_have_the_shape_of_c

  subroutine plan_structures_have_the_shape_of_c()
    type(c_plan_options) :: options
    type(c_plan_matrix) :: matrix
    type(c_operands) :: operands
    call number_plan_options(options)
    call check(string_of(options%transport) == "one", "transport of plan options")
    call check(options%size == 1 .and. options%memory_bytes == 2 .and. options%in_place == 3 .and. &
      options%threads == 4 .and. options%consume == 6 .and. options%verify == 7, "plan options")
    call check(string_of(options%machine) == "five", "machine of plan options")
    call number_plan_matrix(matrix)
    call check(string_of(matrix%source) == "one", "source of a plan's matrix")
    call check(string_of(matrix%target) == "two", "its target")
    call check(string_of(matrix%mapping) == "three", "its mapping")
    call check(all([matrix%type, matrix%op, matrix%uplo, matrix%diag] == [4, 5, 6, 7]), "its numbers")
    call number_operands(operands)
    call check(string_of(operands%alpha) == "one", "alpha of operands")
    call check(string_of(operands%a) == "two", "their a")
    call check(string_of(operands%beta) == "three", "their beta")
    call check(string_of(operands%b) == "four", "their b")
  end subroutine plan_structures_have_the_shape_of_c

  subroutine partition_structures_have_the_shape_of_c()
    type(c_links) :: links
    type(c_partition_options) :: options
    call number_links(links)
    call check(all([links%processors, links%symmetric, links%mode, links%broadcast] == [1, 2, 3, 4]), "links")
    call number_partition_options(options)
    call check(options%objective == 1 .and. options%tile == 2 .and. options%exact_counts == 3, "partition options")
    call check(nint(options%tolerance) == 4 .and. options%seed == 5 .and. nint(options%budget) == 6, "their numbers")
  end subroutine partition_structures_have_the_shape_of_c

  subroutine stencil_structures_have_the_shape_of_c()
    type(scalay_stencil_problem) :: problem
    type(c_stencil_candidate) :: candidate
    type(scalay_stencil_statistics) :: s
    type(c_stencil_options) :: options
    call number_stencil_problem(problem)
    call check(problem%model == 1 .and. problem%iterations == 2 .and. problem%processes == 7 .and. problem%seed == 8 &
      .and. problem%size == 9, &
      "integers of a stencil problem")
    call check(all(nint([problem%seconds_per_item_moved, problem%seconds_per_item_exchanged, &
      problem%seconds_per_message, problem%seconds_per_update]) == [3, 4, 5, 6]), "its seconds")
    call number_stencil_candidate(candidate)
    call check(string_of(candidate%name) == "one" .and. candidate%processes == 2 .and. candidate%runs == 3, &
      "stencil candidate")
    call check(all([candidate%cost%volume, candidate%cost%steps, candidate%cost%exchanged, &
      candidate%cost%exchange_steps, candidate%cost%load] == [4, 5, 6, 7, 8]), "counts of its cost")
    call check(all(nint([candidate%cost%move_seconds, candidate%cost%iteration_seconds, candidate%cost%seconds]) &
      == [9, 10, 11]), "seconds of its cost")
    call number_stencil_statistics(s)
    call check(all([s%items, s%runs, s%messages_sent, s%messages_received, s%items_sent, s%items_received, &
      s%iterations] == [1, 2, 3, 4, 5, 6, 7]), "stencil statistics")
    call check(all(nint([s%seconds, s%compute_seconds, s%wait_seconds]) == [8, 9, 10]), "their seconds")
    call c_stencil_options_init(options, c_sizeof(options))
    call check(options%no_overlap == 0, "options of a stencil")
  end subroutine stencil_structures_have_the_shape_of_c

  subroutine workload_structures_have_the_shape_of_c()
    type(c_workload_summary) :: summary
    type(c_workload_options) :: options
    type(c_workload_share) :: share
    type(scalay_workload_front_point) :: point
    call number_workload_summary(summary)
    call check(all([summary%size, summary%processors, summary%active, summary%taking_part] == [1, 2, 3, 4]), "counts")
    call check(all(nint([summary%time, summary%energy, summary%communication, summary%total]) == [5, 6, 7, 8]), "values")
    call check(string_of(summary%method) == "nine", "method of a summary")
    call number_workload_options(options)
    call check(options%size == 4 .and. options%variant == 1, "workload options")
    call check(.not. c_associated(options%communication), "communication of workload options")
    call number_share(share)
    call check(share%group == 1 .and. share%size == 2 .and. share%count == 3, "share")
    call number_front_point(point)
    call check(all(nint([point%time, point%energy, point%total_energy]) == [1, 2, 3]), "point of a front")
    call check(point%active == 4, "active processors of a point")
  end subroutine workload_structures_have_the_shape_of_c

  subroutine measure_structures_have_the_shape_of_c()
    type(scalay_repeat_options) :: options
    type(scalay_statistics) :: s
    type(c_sample_summary) :: summary
    type(scalay_additive) :: additive
    call number_additive(additive)
    call check(all(nint([additive%sum, additive%joint, additive%difference, additive%uncertainty]) == [1, 2, 3, 4]) &
      .and. additive%experiments == 5, "additive method")
    call number_repeat_options(options)
    call check(all([options%warm_up, options%min_repetitions, options%max_repetitions] == [1, 2, 3]), "repetitions")
    call check(all(nint([options%max_seconds, options%confidence, options%precision, options%min_interval, &
      options%static_power]) == [4, 5, 6, 7, 8]) .and. options%independent == 9 .and. options%size == 10, &
      "numbers of repeat options")
    call number_sample_statistics(s)
    call check(all(nint([s%mean, s%median, s%deviation, s%minimum, s%maximum, s%quartile_1, s%quartile_3, s%half_width, &
      s%normality]) == [2, 3, 4, 5, 6, 7, 8, 9, 10]), "values of statistics")
    call check(s%count == 1 .and. s%outliers == 11 .and. s%is_precise == 12, "counts of statistics")
    call number_sample_summary(summary)
    call check(all([summary%end, summary%meter, summary%is_modelled] == [1, 2, 3]), "integers of a sample's summary")
    call check(all([summary%repetitions, summary%energies, summary%executions, summary%clock_faults, &
      summary%negative_energies] == [4, 5, 6, 7, 8]), "its counts")
    call check(all(nint([summary%seconds, summary%meter_seconds]) == [9, 10]), "its seconds")
    call check(all([summary%time%count, summary%energy%count] == [11, 12]), "its statistics")
  end subroutine measure_structures_have_the_shape_of_c

  subroutine profiler_structures_have_the_shape_of_c()
    type(scalay_profiler_step) :: step
    type(c_profiler_options) :: options
    type(c_profile_point) :: point
    type(c_profile_facts) :: facts
    type(c_profile_processor) :: processor
    call number_profiler_step(step)
    call check(all([step%size, step%done, step%total] == [1, 2, 3]), "sizes of a step")
    call check(all(nint([step%elapsed, step%left]) == [4, 5]), "seconds of a step")
    call number_profiler_options(options)
    call check(all([options%first, options%last, options%step, options%sizes, options%refine_step, &
      int(options%size, c_int64_t)] == [1, 2, 3, 4, 6, 14]), "counts of profiler options")
    call check(all(nint([options%refine, options%static_power]) == [5, 12]), "numbers of profiler options")
    call check(all([options%restart, options%no_groups, options%threads, options%shared_meter] == [9, 10, 11, 13]), &
      "their integers")
    call check(string_of(options%path) == "eight", "their path")
    call check(.not. (c_associated(options%list) .or. c_associated(options%repeat)), "their pointers")
    call number_profile_point(point)
    call check(all([point%size, point%repetitions, point%outliers] == [1, 11, 12]), "counts of a point")
    call check(all(nint([point%time, point%time_half_width, point%median, point%deviation, point%spread, &
      point%normality, point%energy, point%energy_half_width]) == [3, 4, 5, 6, 7, 8, 9, 10]), "numbers of a point")
    call check(string_of(point%hole) == "two", "the reason of a point")
    call check(string_of(point%meter_failure) == "fourteen", "why it has no energy")
    call check(point%precise == 13, "the rest of a point")
    call number_profile_facts(facts, processor)
    call check(string_of(facts%kernel) == "one", "kernel of facts")
    call check(string_of(facts%meter) == "two", "meter of facts")
    call check(all([facts%modelled, facts%processors, facts%state, facts%shared_meter] == [3, 4, SCALAY_PROFILE_INTERRUPTED, 8]) &
      .and. facts%sizes == 5 .and. .not. c_associated(facts%repeat), "numbers of facts")
    call check(string_of(processor%name) == "one", "name of a processor")
    call check(string_of(processor%group) == "two", "group of a processor")
    call check(string_of(processor%host) == "three", "host of a processor")
    call check(string_of(processor%binding) == "four", "binding of a processor")
    call check(all([processor%cores, processor%threads, nint(processor%static_power)] == [5, 6, 7]), "its numbers")
  end subroutine profiler_structures_have_the_shape_of_c

  subroutine names_are_those_of_c()
    integer(c_int) :: status
    call check(scalay_status_name(SCALAY_ERROR_RANGE) == "SCALAY_ERROR_RANGE", "name of a status")
    call check(scalay_status_text(SCALAY_SUCCESS) == "success", "text of a status")
    call check(scalay_status_name(99) == "unknown status", "no such status")
    call check(scalay_error_message() == "", "no message yet")
    status = scalay_error_set(SCALAY_ERROR_FILE, "one of my own")
    call check(status == SCALAY_ERROR_FILE, "the status comes back")
    call check(scalay_error_message() == "one of my own", "a message of one's own")
    call check(scalay_type_size(SCALAY_FLOAT) == 4, "size of s")
    call check(scalay_type_size(SCALAY_COMPLEX_DOUBLE) == 16, "size of z")
    call check(scalay_type_size(scalay_raw(17)) == 17, "size of a raw element")
    call check(scalay_type_size(0) == 0, "no such type")
    call check(scalay_type_name(SCALAY_DOUBLE) == "d", "name of d")
    call check(scalay_type_name(scalay_raw(3)) == "raw", "name of a raw element")
    call check(scalay_type_name(77) == "unknown", "name of no type")
  end subroutine names_are_those_of_c

  subroutine mapping_structures_have_the_shape_of_c()
    type(scalay_traffic_summary) :: traffic
    type(scalay_mapping_summary) :: mapping
    type(scalay_schedule_summary) :: schedule
    type(c_schedule_options) :: options
    call number_mapping_structures(traffic, mapping, schedule, options)
    call check(all([traffic%processes, traffic%parts] == [1, 2]) .and. &
      all([traffic%nonzeros, traffic%elements] == [3, 4]), "summary of a traffic matrix")
    call check(all([mapping%parts, mapping%processes, mapping%objective, mapping%proof] == [1, 2, 3, 4]) .and. &
      all([mapping%volume, mapping%steps, mapping%volume_bound, mapping%steps_bound] == [5, 6, 8, 9]) .and. &
      all(nint([mapping%time, mapping%time_bound]) == [7, 10]), "summary of a mapping")
    call check(all([schedule%rounds, schedule%messages, schedule%length] == [1, 2, 3]), "summary of a schedule")
    call check(options%size == 1 .and. options%preemptive == 2 .and. options%slice == 3 .and. options%startup == 4, &
      "options of a schedule")
  end subroutine mapping_structures_have_the_shape_of_c

  subroutine defaults_are_those_of_c()
    type(scalay_qr_options) :: options
    type(c_qr_options) :: c
    call c_qr_options_init(c, c_sizeof(c))
    call check(all([options%nprow, options%npcol, options%nb, options%objective] &
      == [c%nprow, c%npcol, c%nb, c%objective]), "options of QR")
    call check(.not. allocated(options%transport) .and. .not. c_associated(c%transport), "its transport")
    call check(.not. allocated(options%machine) .and. .not. c_associated(c%machine), "its machine")
    call summa_defaults_are_those_of_c()
    call workload_defaults_are_those_of_c()
    call measure_defaults_are_those_of_c()
    call profiler_defaults_are_those_of_c()
  end subroutine defaults_are_those_of_c

  subroutine summa_defaults_are_those_of_c()
    type(scalay_summa_options) :: options
    type(c_summa_options) :: c
    call c_summa_options_init(c, c_sizeof(c))
    call check(all([options%panel, options%memory_bytes] == [c%panel, c%memory_bytes]), "options of SUMMA")
    call check(.not. allocated(options%transport) .and. .not. c_associated(c%transport), "its transport")
    call check(all([merge(1, 0, options%no_overlap), merge(1, 0, options%no_computation)] &
      == [c%no_overlap, c%no_computation]), "its flags")
  end subroutine summa_defaults_are_those_of_c

  subroutine workload_defaults_are_those_of_c()
    type(scalay_workload_options) :: options
    type(c_workload_options) :: c
    call c_workload_options_init(c, c_sizeof(c))
    call check(options%variant == c%variant, "options of workload distribution")
    call check(.not. (options%communication%exists() .or. c_associated(c%communication)), "their communication")
  end subroutine workload_defaults_are_those_of_c

  subroutine measure_defaults_are_those_of_c()
    type(scalay_repeat_options) :: options, c
    call c_repeat_options_init(c, c_sizeof(c))
    call check(all([options%warm_up, options%min_repetitions, options%max_repetitions] &
      == [c%warm_up, c%min_repetitions, c%max_repetitions]), "repetitions of a measurement")
    call check(all(abs([options%max_seconds - c%max_seconds, options%confidence - c%confidence, &
      options%precision - c%precision, options%min_interval - c%min_interval, &
      options%static_power - c%static_power]) <= 0) .and. options%independent == c%independent, "its limits")
  end subroutine measure_defaults_are_those_of_c

  subroutine profiler_defaults_are_those_of_c()
    type(scalay_profiler_options) :: options
    type(c_profiler_options) :: c
    call c_profiler_options_init(c, c_sizeof(c))
    call check(all([options%first, options%last, options%step, options%refine_step, 0_c_int64_t] &
      == [c%first, c%last, c%step, c%refine_step, c%sizes]), "sizes of a profiler")
    call check(abs(options%refine - c%refine) <= 0 .and. abs(options%static_power - c%static_power) <= 0, "its numbers")
    call check(.not. (options%restart .or. options%no_groups .or. options%shared_meter) &
      .and. all([c%restart, c%no_groups, c%threads, c%shared_meter] == 0) .and. options%threads == 0, "its integers")
    call check(.not. (c_associated(c%path) .or. c_associated(c%meter) .or. c_associated(c%list) &
      .or. c_associated(c%repeat)), "its pointers")
  end subroutine profiler_defaults_are_those_of_c
end program constants
