/* scalay redistribute: moves a matrix file from one layout to another, along several mappings, and checks the result.
 */

#include <stdio.h>
#include <string.h>

#include "arrival.h"
#include "base/memory.h"
#include "failure.h"
#include "inputs.h"
#include "job.h"
#include "layout/layout.h"
#include "multiply/move_time.h"
#include "options.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "progress.h"
#include "scalay/measure.h"
#include "scalay/model.h"
#include "strategy.h"

enum { LEAST_MEMORY = 4096 };

static const scalay_option redistribute_options[] = {
    SCALAY_OPTION_ROW("to", SCALAY_OPTION_TEXT, to, "LAYOUT",
                      "where it should go (see scalay show --help); m and n may be left out: the file knows them"),
    SCALAY_OPTION_ROW(
        "from", SCALAY_OPTION_TEXT, from, "LAYOUT",
        "where it is put first (default: skewed over the blocks of the target, see scalay show --help; for a "
        "target that is not block-cyclic: in columns on process 0)"),
    SCALAY_OPTION_ROW("objective", SCALAY_OPTION_CHOICE, objective, "volume|steps|steps-volume|volume-steps|canonical",
                      "of the mapping that is chosen (default: steps-volume); canonical, volume and steps-volume are "
                      "always tried"),
    SCALAY_OPTION_ROW(
        "transport", SCALAY_OPTION_CHOICE, transport, SCALAY_TRANSPORT_CHOICES,
        "how to move: straight out of the memory of the node's other processes, by messages, by BLACS sends "
        "along an optimal one-port schedule, by MPI_Alltoallv, or element by element (default: auto, the "
        "best of them that can)"),
    SCALAY_OPTION_ROW("memory", SCALAY_OPTION_BYTES, memory, "BYTES",
                      "what a process may need besides the matrices, at least 4K; K, M and G stand for 2^10, 2^20 and "
                      "2^30 (default: a quarter of the larger local matrix, less the plan's tables, on the process "
                      "where that is least; at least 256K)"),
    SCALAY_OPTION_ROW("op", SCALAY_OPTION_CHOICE, op, "N|T|C",
                      "what arrives: the matrix as it is (default), its transpose, or its conjugate transpose, whose "
                      "extents the target then has; T and C take a block-cyclic target"),
    SCALAY_OPTION_ROW("type", SCALAY_OPTION_CHOICE, type, "s|d|c|z", "of the elements (default: the file's)"),
    SCALAY_MACHINE_ROW,
    SCALAY_OPTION_ROW("repeat", SCALAY_OPTION_COUNT, repeat, "N", "moves each way N times (default: 3)"),
    SCALAY_OPTION_ROW("output", SCALAY_OPTION_TEXT, output, "FILE.{npy,mtx}",
                      "writes what has arrived along the chosen mapping; a file of that name is replaced when all is "
                      "written"),
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf}",
                      "draws owners before and after and the times; the gnuplot script stays as FILE.gp"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

/* What the strategies share, and what is made for one of them after the other. */
typedef struct {
    scalay_job job;
    const scalay_options *options;
    scalay_objective objective; /* of the chosen strategy */
    scalay_op op;
    scalay_layout *target;
    scalay_traffic *traffic;
    scalay_machine machine;
    scalay_strategy strategies[SCALAY_MOST_STRATEGIES];
    int count;
    int chosen;
    int64_t mismatches; /* elements that did not arrive, all strategies and ranks together */
    scalay_layout *mapped;
    scalay_plan *plan;
    void *b;       /* the local part in the mapped target */
    char how[512]; /* rank 0's plan of the chosen strategy */
} redistribution;

static scalay_status make_plan(redistribution *r)
{
    const scalay_plan_matrix matrix = {.source = r->job.source, .target = r->mapped, .type = r->job.type, .op = r->op};
    scalay_plan_options options = scalay_plan_options_default();
    options.transport = r->options->transport;
    options.memory_bytes = r->options->memory.value;
    options.machine = &r->machine;
    return scalay_plan_create_many(r->job.comm, 1, &matrix, &options, &r->plan);
}

/* Layout, plan and room for a strategy; on every rank or on none. */
static scalay_status prepare(redistribution *r, scalay_strategy *strategy)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *mapping = NULL;
    scalay_move move = {0};
    scalay_mapping_options mapping_options = scalay_mapping_options_default();
    mapping_options.processes = scalay_comm_size(r->job.comm);
    SCALAY_TRY(scalay_mapping_from_traffic(r->traffic, strategy->objective, &mapping_options, &mapping));
    SCALAY_TRY(scalay_mapping_apply(mapping, r->target, &r->mapped));
    SCALAY_TRY(scalay_move_from_traffic(r->traffic, scalay_mapping_process(mapping), &move));
    move.segments = scalay_move_segments(r->job.source, r->target, r->op);
    strategy->predicted_seconds = scalay_model_move(&r->machine, r->job.type, &move);
    SCALAY_TRY(scalay_strategy_set_mapping(strategy, r->mapped));
    scalay_strategy_set_target(strategy, r->mapped);
    SCALAY_TRY(scalay_strategy_start(strategy, r->job.repeat));
    SCALAY_TRY(scalay_job_new_local(&r->job, r->mapped, &r->b));
cleanup:
    scalay_mapping_destroy(&mapping);
    status = scalay_comm_agree(r->job.comm, status);
    if (status != SCALAY_SUCCESS) return status;
    return make_plan(r);
}

static scalay_status count_bytes(const redistribution *r, scalay_strategy *strategy)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_statistics statistics;
    SCALAY_TRY(scalay_plan_get_statistics(r->plan, &statistics));
    strategy->volume = statistics.volume;
    strategy->steps = statistics.steps;
    SCALAY_TRY_MPI(MPI_Allreduce(&statistics.bytes_sent, &strategy->bytes, 1, MPI_INT64_T, MPI_SUM,
                                 scalay_comm_handle(r->job.comm)));
    SCALAY_TRY_MPI(MPI_Allreduce(&statistics.extra_bytes, &strategy->extra_bytes, 1, MPI_INT64_T, MPI_MAX,
                                 scalay_comm_handle(r->job.comm)));
cleanup:
    return status;
}

static scalay_status move_repeatedly(redistribution *r, scalay_strategy *strategy)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t bytes =
        scalay_layout_local_size(r->mapped, scalay_comm_rank(r->job.comm)) * (int64_t)scalay_type_size(r->job.type);
    for (int64_t k = 0; k <= r->job.repeat; k++) {
        double seconds = 0.0;
        scalay_progress_say("%s mapping, move %lld of %lld", strategy->name, (long long)k, (long long)r->job.repeat);
        memset(r->b, 0xA5, (size_t)bytes); /* what does not arrive is seen, and pages are there */
        SCALAY_TRY_MPI(MPI_Barrier(scalay_comm_handle(r->job.comm)));
        double start = MPI_Wtime();
        scalay_job_must(&r->job, "redistribute", scalay_plan_execute(r->plan, r->job.a, r->b));
        SCALAY_TRY(scalay_job_maximum(&r->job, MPI_Wtime() - start, &seconds));
        if (k > 0) scalay_strategy_add(strategy, seconds, 0.0); /* the first one warms buffers and links up */
    }
    scalay_strategy_finish(strategy);
cleanup:
    return status;
}

static void release_strategy_objects(redistribution *r)
{
    scalay_plan_destroy(&r->plan);
    scalay_release(r->b);
    r->b = NULL;
    scalay_layout_destroy(&r->mapped);
}

static scalay_status draw(const redistribution *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_layout *mapped = NULL;
    const scalay_strategy *chosen = &r->strategies[r->chosen];
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    SCALAY_TRY(scalay_layout_relabel(r->target, scalay_comm_size(r->job.comm), chosen->mapping, &mapped));
    SCALAY_TRY(scalay_plot_add_layout(plot, "before", r->job.source));
    SCALAY_TRY(scalay_plot_add_layout(plot, "after, mapped", mapped));
    SCALAY_TRY(scalay_plot_add_traffic(plot, "traffic", r->traffic, chosen->mapping));
    SCALAY_TRY(scalay_strategies_plot(plot, r->strategies, r->count, r->chosen));
    SCALAY_TRY(scalay_plot_save(plot, r->options->plot));
cleanup:
    scalay_layout_destroy(&mapped);
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status run_strategy(redistribution *r, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_strategy *strategy = &r->strategies[k];
    int64_t wrong = 0;
    SCALAY_TRY(prepare(r, strategy));
    SCALAY_TRY(count_bytes(r, strategy));
    if (k == r->chosen) (void)scalay_plan_describe(r->plan, r->how, sizeof r->how);
    SCALAY_TRY(move_repeatedly(r, strategy));
    SCALAY_TRY(scalay_arrival_check(&r->job, r->mapped, r->op, r->b, &wrong));
    r->mismatches += wrong;
    if (k == r->chosen && r->options->output != NULL && r->mismatches == 0)
        SCALAY_TRY(scalay_matrix_write(r->job.comm, r->options->output, NULL, r->mapped, r->job.type, r->b));
cleanup:
    release_strategy_objects(r);
    return status;
}

static void choose_strategies(redistribution *r)
{
    static const scalay_objective always[] = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS_THEN_VOLUME};
    r->objective =
        r->options->objective != NULL ? scalay_input_objective(r->options->objective) : SCALAY_MIN_STEPS_THEN_VOLUME;
    r->chosen = -1;
    for (int k = 0; k < 3; k++) {
        if (always[k] == r->objective) r->chosen = k;
        r->strategies[r->count++].objective = always[k];
    }
    if (r->chosen < 0) {
        r->chosen = r->count;
        r->strategies[r->count++].objective = r->objective;
    }
    for (int k = 0; k < r->count; k++) r->strategies[k].name = scalay_objective_name(r->strategies[k].objective);
}

static const char *const op_words[] = {"", ", of the transpose", ", of the conjugate transpose"};

static scalay_status print_text(const redistribution *r)
{
    scalay_status status = SCALAY_SUCCESS;
    char sentence[512];
    const scalay_strategy *canonical = &r->strategies[0];
    const scalay_strategy *chosen = &r->strategies[r->chosen];
    double all = (double)r->job.file.m * (double)r->job.file.n;
    (void)scalay_file_describe(&r->job.file, sentence, sizeof sentence);
    printf("file  %s: %s, in memory type %s\n", r->job.path, sentence, scalay_type_name(r->job.type));
    (void)scalay_layout_describe(r->job.source, sentence, sizeof sentence);
    printf("from  %s\n      %s%s\n", sentence, r->job.source_text, r->options->from == NULL ? " (the default)" : "");
    (void)scalay_layout_describe(r->target, sentence, sizeof sentence);
    printf("to    %s%s\n\n", sentence, op_words[r->op]);
    SCALAY_TRY(scalay_strategies_print(&r->job, r->strategies, r->count, r->chosen, NULL));
    if (all > 0)
        printf("\nThe %s mapping moves %.1f%% of the elements (%lld bytes) instead of %.1f%% (%lld bytes).\n",
               chosen->name, scalay_strategy_moved(&r->job, chosen), (long long)chosen->bytes,
               scalay_strategy_moved(&r->job, canonical), (long long)canonical->bytes);
    printf("Process 0:\n");
    scalay_print_wrapped(r->how, 2, stdout);
    printf("Every element was compared with the file, read straight into the target layout: all are equal.\n");
    if (r->options->output != NULL) printf("Written to %s.\n", r->options->output);
cleanup:
    return status;
}

static scalay_status report(const redistribution *r)
{
    if (r->mismatches != 0)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "%lld elements did not arrive as they are in %s; please report it",
                           (long long)r->mismatches, r->job.path);
    if (scalay_comm_rank(r->job.comm) != 0) return SCALAY_SUCCESS;
    if (r->options->plot != NULL) {
        scalay_progress_say("drawing %s", r->options->plot);
        scalay_status status = draw(r);
        if (status != SCALAY_SUCCESS) return status;
    }
    scalay_progress_stop();
    if (!r->options->json) return print_text(r);
    json_t *document = scalay_strategies_as_json(&r->job, r->strategies, r->count, r->chosen);
    if (document != NULL) {
        (void)json_object_set_new(document, "op", json_string(r->options->op != NULL ? r->options->op : "N"));
        (void)json_object_set_new(document, "plan", json_string(r->how));
        (void)json_object_set_new(document, "check", json_integer((json_int_t)r->mismatches));
    }
    return scalay_json_print(document);
}

/* Reads target and source; what the user does not say of the source follows from the target. Owners of the transpose
   are compared as owners of the matrix in the file. */
static scalay_status place(redistribution *r)
{
    scalay_status status = SCALAY_SUCCESS;
    char from[SCALAY_SOURCE_SIZE] = "cyclic:mb=1,nb=1,p=1,q=1";
    scalay_layout *turned = NULL;
    SCALAY_TRY(scalay_job_layout(&r->job, "--to", r->options->to, r->op, &r->target));
    if (r->op != SCALAY_NO_TRANSPOSE) {
        status = scalay_layout_transpose(r->target, &turned);
        if (status == SCALAY_ERROR_UNSUPPORTED)
            status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                                 "--op %s takes a block-cyclic --to, such as cyclic:mb=64,nb=64,p=2,"
                                 "q=2",
                                 r->options->op);
        SCALAY_TRY(scalay_comm_agree(r->job.comm, status));
    }
    const scalay_layout *target = turned != NULL ? turned : r->target;
    if (scalay_layout_is_grid(target))
        scalay_job_default_source(target->row.block, target->col.block, (int)target->row.classes,
                                  (int)target->col.classes, from);
    SCALAY_TRY(scalay_job_place(&r->job, r->options->from != NULL ? r->options->from : from));
    SCALAY_TRY(scalay_comm_agree(r->job.comm, scalay_traffic_create(r->job.source, target, &r->traffic)));
cleanup:
    scalay_layout_destroy(&turned);
    return status;
}

static scalay_op op_of_name(const char *name)
{
    if (name == NULL || name[0] == 'N') return SCALAY_NO_TRANSPOSE;
    return name[0] == 'T' ? SCALAY_TRANSPOSE : SCALAY_CONJUGATE_TRANSPOSE;
}

static scalay_status check_options(const scalay_options *options)
{
    if (options->to == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--to LAYOUT is missing");
    if (options->plot != NULL && scalay_plot_check_path(options->plot) != SCALAY_SUCCESS)
        return scalay_fail_at(SCALAY_ERROR_ARGUMENT, "--plot");
    if (options->memory.given && options->memory.value < LEAST_MEMORY)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--memory is %lld bytes: give at least %d",
                           (long long)options->memory.value, LEAST_MEMORY);
    return scalay_job_check_output("--output", options->output);
}

static scalay_status run_redistribute(const scalay_options *options, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    redistribution r = {.options = options, .op = op_of_name(options->op)};
    SCALAY_TRY(scalay_comm_agree(comm, check_options(options)));
    choose_strategies(&r);
    SCALAY_TRY(scalay_job_open(comm, options, 0, &r.job));
    SCALAY_TRY(place(&r));
    SCALAY_TRY(scalay_job_find_machine(comm, options, &r.machine));
    for (int k = 0; k < r.count; k++) SCALAY_TRY(run_strategy(&r, k));
    SCALAY_TRY(scalay_comm_agree(comm, report(&r)));
cleanup:
    for (int k = 0; k < r.count; k++) scalay_strategy_free(&r.strategies[k]);
    scalay_traffic_destroy(&r.traffic);
    scalay_layout_destroy(&r.target);
    scalay_job_close(&r.job);
    return status;
}

const scalay_command scalay_command_redistribute = {
    .name = "redistribute",
    .summary = "moves a matrix file from one layout to another and checks it",
    .usage = "FILE --to LAYOUT [--from LAYOUT] [OPTIONS]",
    .description = "Reads a matrix file (.npy, or Matrix Market array) into the source layout and moves it to the\n"
                   "target layout along the canonical, the volume and the steps-volume mapping. Every element is\n"
                   "compared with the file. Reports volume, steps, bytes and seconds of each.\n"
                   "With --op T or C it is the transpose that arrives.\n",
    .example = "  mpirun -n 4 scalay redistribute examples/data/egm96_geoid.npy \\\n"
               "      --from skewed:mb=32,nb=32,p=2,q=2 --to cyclic:mb=32,nb=32,p=2,q=2\n",
    .operand = "FILE",
    .options = redistribute_options,
    .needs_mpi = 1,
    .run = run_redistribute,
};
