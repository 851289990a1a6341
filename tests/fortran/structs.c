/* What the Fortran types that mirror C structures are compared with: the size of each, in the order of constants.f90.
 */
#include <stddef.h>
#include <stdint.h>

#include "scalay/io.h"
#include "scalay/scalay.h"

const int64_t c_struct_sizes[] = {
    sizeof(scalay_machine),
    sizeof(scalay_rectangle),
    sizeof(scalay_mapping_options),
    sizeof(scalay_node_links),
    sizeof(scalay_message),
    sizeof(scalay_plan_options),
    sizeof(scalay_plan_matrix),
    sizeof(scalay_operands),
    sizeof(scalay_plan_statistics),
    sizeof(scalay_move),
    sizeof(scalay_qr_cost),
    sizeof(scalay_qr_candidate),
    sizeof(scalay_qr_limits),
    sizeof(scalay_stencil_problem),
    sizeof(scalay_stencil_cost),
    sizeof(scalay_stencil_candidate),
    sizeof(scalay_stencil_options),
    sizeof(scalay_stencil_statistics),
    sizeof(scalay_qr_options),
    sizeof(scalay_qr_statistics),
    sizeof(scalay_one_call_options),
    sizeof(scalay_one_call_statistics),
    sizeof(scalay_factor_options),
    sizeof(scalay_factor_statistics),
    sizeof(scalay_summa_options),
    sizeof(scalay_summa_statistics),
    sizeof(scalay_file_info),
    sizeof(scalay_file_options),
    sizeof(scalay_workload_options),
    sizeof(scalay_workload_summary),
    sizeof(scalay_workload_share),
    sizeof(scalay_workload_front_point),
    sizeof(scalay_subarray),
    sizeof(scalay_part_rectangle),
    sizeof(scalay_half_perimeter),
    sizeof(scalay_links),
    sizeof(scalay_partition_options),
    sizeof(scalay_partition_candidate),
    sizeof(scalay_multiply_cost_summary),
    sizeof(scalay_partition_summary),
    sizeof(scalay_repeat_options),
    sizeof(scalay_statistics),
    sizeof(scalay_sample_summary),
    sizeof(scalay_profiler_step),
    sizeof(scalay_profile_kernel),
    sizeof(scalay_profiler_options),
    sizeof(scalay_profile_facts),
    sizeof(scalay_profile_processor),
    sizeof(scalay_profile_point),
    sizeof(scalay_additive),
    sizeof(scalay_multiply_options),
    sizeof(scalay_multiply_time),
    sizeof(scalay_gemm_options),
    sizeof(scalay_gemm_product),
    sizeof(scalay_gemm_statistics),
    sizeof(scalay_gemm_cost),
    sizeof(scalay_hockney_time),
    sizeof(scalay_advice_options),
    sizeof(scalay_advice_candidate),
    sizeof(scalay_calibration_options),
    sizeof(scalay_traffic_summary),
    sizeof(scalay_mapping_summary),
    sizeof(scalay_schedule_summary),
    sizeof(scalay_schedule_options),
};

/* Structures whose fields hold 1, 2, 3, ... in the order of the header. */
void c_number_gemm_statistics(scalay_gemm_statistics *s);
void c_number_gemm_statistics(scalay_gemm_statistics *s)
{
    *s = (scalay_gemm_statistics){.processes = 1,
                                  .moves_a = 2,
                                  .moves_b = 3,
                                  .moves_c = 4,
                                  .move_volume = 5,
                                  .move_steps = 6,
                                  .back_volume = 7,
                                  .multiply_volume = 8,
                                  .elements_sent = 9,
                                  .elements_received = 10,
                                  .copy_bytes = 11,
                                  .plan_seconds = 12,
                                  .move_seconds = 13,
                                  .multiply_seconds = 14,
                                  .compute_seconds = 15,
                                  .communicate_seconds = 16,
                                  .back_seconds = 17,
                                  .predicted_move_seconds = 18,
                                  .predicted_compute_seconds = 19,
                                  .predicted_communicate_seconds = 20,
                                  .predicted_multiply_seconds = 21};
}

void c_number_multiply_time(scalay_multiply_time *s);
void c_number_multiply_time(scalay_multiply_time *s)
{
    *s = (scalay_multiply_time){.flops = 1,
                                .volume = 2,
                                .busiest = 3,
                                .panels = 4,
                                .messages = 5,
                                .compute_seconds = 6,
                                .communicate_seconds = 7,
                                .seconds = 8};
}

void c_number_statistics(scalay_plan_statistics *s);
void c_number_statistics(scalay_plan_statistics *s)
{
    *s = (scalay_plan_statistics){.bytes_sent = 1,
                                  .bytes_received = 2,
                                  .bytes_kept = 3,
                                  .messages_sent = 4,
                                  .messages_received = 5,
                                  .extra_bytes = 6,
                                  .plan_bytes = 7,
                                  .volume = 8,
                                  .steps = 9};
}

void c_number_plan_options(scalay_plan_options *s);
void c_number_plan_options(scalay_plan_options *s)
{
    *s = (scalay_plan_options){.size = 1,
                               .transport = "one",
                               .memory_bytes = 2,
                               .in_place = 3,
                               .threads = 4,
                               .machine = (const void *)"five",
                               .consume = 6,
                               .verify = 7};
}

void c_number_plan_matrix(scalay_plan_matrix *s);
void c_number_plan_matrix(scalay_plan_matrix *s)
{
    *s = (scalay_plan_matrix){.source = (const void *)"one",
                              .target = (const void *)"two",
                              .mapping = (const void *)"three",
                              .type = 4,
                              .op = (scalay_op)5,
                              .uplo = (scalay_uplo)6,
                              .diag = (scalay_diag)7};
}

void c_number_operands(scalay_operands *s);
void c_number_operands(scalay_operands *s)
{
    static char four[] = "four";
    *s = (scalay_operands){.alpha = "one", .a = "two", .beta = "three", .b = four};
}

void c_number_qr_statistics(scalay_qr_statistics *s);
void c_number_qr_statistics(scalay_qr_statistics *s)
{
    *s = (scalay_qr_statistics){.processes = 1,
                                .nprow = 2,
                                .npcol = 3,
                                .nb = 4,
                                .volume = 5,
                                .steps = 6,
                                .canonical_volume = 7,
                                .canonical_steps = 8,
                                .plan_seconds = 9,
                                .move_seconds = 10,
                                .kernel_seconds = 11,
                                .back_seconds = 12,
                                .predicted_move_seconds = 13,
                                .predicted_kernel_seconds = 14};
}

void c_number_stencil_problem(scalay_stencil_problem *s);
void c_number_stencil_problem(scalay_stencil_problem *s)
{
    *s = (scalay_stencil_problem){.size = 9,
                                  .model = (scalay_stencil_model)1,
                                  .iterations = 2,
                                  .seconds_per_item_moved = 3,
                                  .seconds_per_item_exchanged = 4,
                                  .seconds_per_message = 5,
                                  .seconds_per_update = 6,
                                  .processes = 7,
                                  .seed = 8};
}

void c_number_stencil_candidate(scalay_stencil_candidate *s);
void c_number_stencil_candidate(scalay_stencil_candidate *s)
{
    *s = (scalay_stencil_candidate){.name = "one",
                                    .processes = 2,
                                    .runs = 3,
                                    .cost = {.volume = 4,
                                             .steps = 5,
                                             .exchanged = 6,
                                             .exchange_steps = 7,
                                             .load = 8,
                                             .move_seconds = 9,
                                             .iteration_seconds = 10,
                                             .seconds = 11}};
}

void c_number_stencil_statistics(scalay_stencil_statistics *s);
void c_number_stencil_statistics(scalay_stencil_statistics *s)
{
    *s = (scalay_stencil_statistics){.items = 1,
                                     .runs = 2,
                                     .messages_sent = 3,
                                     .messages_received = 4,
                                     .items_sent = 5,
                                     .items_received = 6,
                                     .iterations = 7,
                                     .seconds = 8,
                                     .compute_seconds = 9,
                                     .wait_seconds = 10};
}

void c_number_summa_options(scalay_summa_options *s);
void c_number_summa_options(scalay_summa_options *s)
{
    *s = (scalay_summa_options){
        .size = 6, .panel = 1, .memory_bytes = 2, .transport = "three", .no_overlap = 4, .no_computation = 5};
}

void c_number_summa_statistics(scalay_summa_statistics *s);
void c_number_summa_statistics(scalay_summa_statistics *s)
{
    *s = (scalay_summa_statistics){.volume = 1,
                                   .panel = 2,
                                   .panels = 3,
                                   .gemm_calls = 4,
                                   .messages_sent = 5,
                                   .elements_sent = 6,
                                   .elements_received = 7,
                                   .elements_copied = 8,
                                   .segments_read = 9,
                                   .workspace_bytes = 10,
                                   .seconds = 11,
                                   .compute_seconds = 12,
                                   .communicate_seconds = 13,
                                   .cpu_seconds = 14};
}

void c_number_file_info(scalay_file_info *s);
void c_number_file_info(scalay_file_info *s)
{
    *s = (scalay_file_info){.format = (scalay_file_format)1,
                            .version = 2,
                            .dimensions = 3,
                            .type = 4,
                            .order = (scalay_order)5,
                            .byte_order = (scalay_byte_order)6,
                            .m = 7,
                            .n = 8,
                            .data_offset = 9,
                            .file_bytes = 10,
                            .element = "u1"};
}

void c_number_candidate(scalay_qr_candidate *s);
void c_number_candidate(scalay_qr_candidate *s)
{
    *s = (scalay_qr_candidate){
        .nprow = 1,
        .npcol = 2,
        .nb = 3,
        .cost = {
            .flops = 4, .balance = 5, .update_seconds = 6, .panel_seconds = 7, .message_seconds = 8, .seconds = 9}};
}

void c_number_machine(scalay_machine *s);
void c_number_machine(scalay_machine *s)
{
    *s = (scalay_machine){.seconds_per_flop = 1,
                          .seconds_per_flop_vector = 2,
                          .seconds_per_message = 3,
                          .seconds_per_byte = 4,
                          .seconds_per_byte_copied = 5,
                          .solo_time_ratio = 6,
                          .ring_slowdown = 7,
                          .processes = 8,
                          .concurrent_processes = 9,
                          .gemm_curve = {10, 11, 12, 13, 14, 15, 16, 17, 18},
                          .vector_curve = {19, 20, 21, 22, 23},
                          .copy_curve = {24, 25, 26, 27, 28, 29},
                          .swap_curve = {52, 53, 54, 55, 56, 57},
                          .seconds_per_message_within = 30,
                          .seconds_per_byte_within = 31,
                          .seconds_per_byte_alone = 32,
                          .seconds_per_large_message = 51,
                          .seconds_per_call = 58,
                          .long_message_ratio = 59,
                          .nodes = 33,
                          .node_types = 34,
                          .type_seconds_per_flop = {35, 36, 37, 38},
                          .type_seconds_per_message = {39, 40, 41, 42},
                          .type_seconds_per_byte = {43, 44, 45, 46},
                          .pair_seconds_per_message = {[0] = 47, [SCALAY_NODE_TYPE_PAIRS - 1] = 48},
                          .pair_seconds_per_byte = {[0] = 49, [SCALAY_NODE_TYPE_PAIRS - 1] = 50}};
}

void c_number_move(scalay_move *s);
void c_number_move(scalay_move *s)
{
    *s = (scalay_move){.volume = 1, .steps = 2, .messages = 3, .kept = 4, .items = 5, .segments = 6, .processes = 7};
}

void c_number_workload_summary(scalay_workload_summary *s);
void c_number_workload_summary(scalay_workload_summary *s)
{
    *s = (scalay_workload_summary){.size = 1,
                                   .processors = 2,
                                   .active = 3,
                                   .taking_part = 4,
                                   .time = 5,
                                   .energy = 6,
                                   .communication = 7,
                                   .total = 8,
                                   .method = "nine"};
}

void c_number_workload_options(scalay_workload_options *s);
void c_number_workload_options(scalay_workload_options *s)
{
    *s = (scalay_workload_options){.size = 4, .variant = SCALAY_COMMUNICATION_AT_MOST};
}

void c_number_share(scalay_workload_share *s);
void c_number_share(scalay_workload_share *s)
{
    *s = (scalay_workload_share){.group = 1, .size = 2, .count = 3};
}

void c_number_front_point(scalay_workload_front_point *s);
void c_number_front_point(scalay_workload_front_point *s)
{
    *s = (scalay_workload_front_point){.time = 1, .energy = 2, .total_energy = 3, .active = 4};
}

void c_number_links(scalay_links *s);
void c_number_links(scalay_links *s)
{
    *s = (scalay_links){.processors = 1,
                        .seconds_per_element = NULL,
                        .seconds_per_message = NULL,
                        .joules_per_element = NULL,
                        .symmetric = 2,
                        .mode = (scalay_links_mode)3,
                        .broadcast = (scalay_broadcast)4};
}

void c_number_partition_options(scalay_partition_options *s);
void c_number_partition_options(scalay_partition_options *s)
{
    *s = (scalay_partition_options){.objective = (scalay_partition_objective)1,
                                    .shape = NULL,
                                    .links = NULL,
                                    .tile = 2,
                                    .exact_counts = 3,
                                    .tolerance = 4,
                                    .seed = 5,
                                    .budget = 6};
}

void c_number_repeat_options(scalay_repeat_options *s);
void c_number_repeat_options(scalay_repeat_options *s)
{
    *s = (scalay_repeat_options){.size = 10,
                                 .warm_up = 1,
                                 .min_repetitions = 2,
                                 .max_repetitions = 3,
                                 .max_seconds = 4,
                                 .confidence = 5,
                                 .precision = 6,
                                 .min_interval = 7,
                                 .static_power = 8,
                                 .independent = 9};
}

void c_number_sample_statistics(scalay_statistics *s);
void c_number_sample_statistics(scalay_statistics *s)
{
    *s = (scalay_statistics){.count = 1,
                             .mean = 2,
                             .median = 3,
                             .deviation = 4,
                             .minimum = 5,
                             .maximum = 6,
                             .quartile_1 = 7,
                             .quartile_3 = 8,
                             .half_width = 9,
                             .normality = 10,
                             .outliers = 11,
                             .is_precise = 12};
}

void c_number_sample_summary(scalay_sample_summary *s);
void c_number_sample_summary(scalay_sample_summary *s)
{
    *s = (scalay_sample_summary){.end = (scalay_repeat_end)1,
                                 .meter = (scalay_status)2,
                                 .is_modelled = 3,
                                 .repetitions = 4,
                                 .energies = 5,
                                 .executions = 6,
                                 .clock_faults = 7,
                                 .negative_energies = 8,
                                 .seconds = 9,
                                 .meter_seconds = 10,
                                 .time = {.count = 11},
                                 .energy = {.count = 12}};
}

void c_number_profiler_step(scalay_profiler_step *s);
void c_number_profiler_step(scalay_profiler_step *s)
{
    *s = (scalay_profiler_step){.size = 1, .done = 2, .total = 3, .elapsed = 4, .left = 5};
}

void c_number_profiler_options(scalay_profiler_options *s);
void c_number_profiler_options(scalay_profiler_options *s)
{
    *s = (scalay_profiler_options){.size = 14,
                                   .first = 1,
                                   .last = 2,
                                   .step = 3,
                                   .sizes = 4,
                                   .list = NULL,
                                   .refine = 5,
                                   .refine_step = 6,
                                   .repeat = NULL,
                                   .path = "eight",
                                   .restart = 9,
                                   .no_groups = 10,
                                   .threads = 11,
                                   .meter = NULL,
                                   .static_power = 12,
                                   .shared_meter = 13};
}

void c_number_profile_point(scalay_profile_point *s);
void c_number_profile_point(scalay_profile_point *s)
{
    *s = (scalay_profile_point){.size = 1,
                                .hole = "two",
                                .time = 3,
                                .time_half_width = 4,
                                .median = 5,
                                .deviation = 6,
                                .spread = 7,
                                .normality = 8,
                                .energy = 9,
                                .energy_half_width = 10,
                                .repetitions = 11,
                                .outliers = 12,
                                .precise = 13,
                                .meter_failure = "fourteen"};
}

void c_number_profile_facts(scalay_profile_facts *facts, scalay_profile_processor *processor);
void c_number_profile_facts(scalay_profile_facts *facts, scalay_profile_processor *processor)
{
    *facts = (scalay_profile_facts){.kernel = "one",
                                    .meter = "two",
                                    .modelled = 3,
                                    .shared_meter = 8,
                                    .processors = 4,
                                    .sizes = 5,
                                    .state = SCALAY_PROFILE_INTERRUPTED,
                                    .repeat = NULL};
    *processor = (scalay_profile_processor){
        .name = "one", .group = "two", .host = "three", .binding = "four", .cores = 5, .threads = 6, .static_power = 7};
}

void c_number_additive(scalay_additive *s);
void c_number_additive(scalay_additive *s)
{
    *s = (scalay_additive){.sum = 1, .joint = 2, .difference = 3, .uncertainty = 4, .experiments = 5};
}

void c_number_gemm_cost(scalay_gemm_cost *s);
void c_number_gemm_cost(scalay_gemm_cost *s)
{
    *s = (scalay_gemm_cost){
        .flops = 1, .balance = 2, .compute_seconds = 3, .memory_seconds = 4, .message_seconds = 5, .seconds = 6};
}

void c_number_advise_options(scalay_advice_options *s);
void c_number_advise_options(scalay_advice_options *s)
{
    *s = (scalay_advice_options){.kernel = SCALAY_KERNEL_GEMM,
                                 .type = 2,
                                 .times = 3,
                                 .bring_back = 4,
                                 .processes = 5,
                                 .nprow = 6,
                                 .npcol = 7,
                                 .nb = 8,
                                 .size = 9,
                                 .scalapack_only = 10};
}

void c_number_advice_candidate(scalay_advice_candidate *s);
void c_number_advice_candidate(scalay_advice_candidate *s)
{
    *s = (scalay_advice_candidate){.name = "one",
                                   .nprow = 2,
                                   .npcol = 3,
                                   .nb = 4,
                                   .volume = 5,
                                   .steps = 6,
                                   .move_seconds = 7,
                                   .kernel_seconds = 8,
                                   .seconds = 9,
                                   .mb = 10,
                                   .routine = "eleven"};
}

void c_number_calibration_options(scalay_calibration_options *s);
void c_number_calibration_options(scalay_calibration_options *s)
{
    *s = (scalay_calibration_options){
        .size = 6, .path = "one", .max_age_seconds = 2, .refresh = 3, .anywhere = 4, .max_seconds = 5};
}

void c_number_hockney_time(scalay_hockney_time *s);
void c_number_hockney_time(scalay_hockney_time *s)
{
    *s = (scalay_hockney_time){.compute_seconds = 1, .message_seconds = 2, .seconds = 3};
}

void c_number_mapping_structures(scalay_traffic_summary *traffic, scalay_mapping_summary *mapping,
                                 scalay_schedule_summary *schedule, scalay_schedule_options *options);
void c_number_mapping_structures(scalay_traffic_summary *traffic, scalay_mapping_summary *mapping,
                                 scalay_schedule_summary *schedule, scalay_schedule_options *options)
{
    *traffic = (scalay_traffic_summary){.processes = 1, .parts = 2, .nonzeros = 3, .elements = 4};
    *mapping = (scalay_mapping_summary){.parts = 1,
                                        .processes = 2,
                                        .objective = (scalay_objective)3,
                                        .proof = (scalay_proof)4,
                                        .volume = 5,
                                        .steps = 6,
                                        .time = 7,
                                        .volume_bound = 8,
                                        .steps_bound = 9,
                                        .time_bound = 10};
    *schedule = (scalay_schedule_summary){.rounds = 1, .messages = 2, .length = 3};
    *options = (scalay_schedule_options){.size = 1, .preemptive = 2, .slice = 3, .startup = 4};
}
