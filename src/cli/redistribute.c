/*
 * scalay redistribute: moves a matrix file from a source layout to a target layout along several mappings, and compares
 * every element of the result with the file.
 */

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "input.h"
#include "job.h"
#include "layout/layout.h"
#include "multiply/move_time.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "scalay/model.h"

enum { MIN_MEMORY = 4096, SENTENCE = 512 };

typedef struct {
    scalay_common_options common;
    scalay_job_options job;
    const char *to;
    const char *op;
    const char *objective;
    scalay_option_integer memory; /* bytes */
    const char *output;
} redistribute_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Matrix"),
    SCALAY_ROW(redistribute_options, to, SCALAY_OPTION_TEXT, "to", "LAYOUT", "target layout, without m and n", NULL),
    SCALAY_ROW(redistribute_options, job.from, SCALAY_OPTION_TEXT, "from", "LAYOUT", "source layout, without m and n",
               "skewed, with the grid and blocks of the target, or one process if it has none"),
    SCALAY_CHOICE_ROW(redistribute_options, op, "op", "OP", "N|T|C",
                      "move the matrix, its transpose, or its conjugate transpose; T and C need a block-cyclic target",
                      "N"),
    SCALAY_CHOICE_ROW(redistribute_options, job.type, "type", "TYPE", "s|d|c|z|i", "element type", "as in the file"),
    SCALAY_GROUP_ROW("Movement"),
    SCALAY_CHOICE_ROW(redistribute_options, objective, "objective", "NAME",
                      "volume|steps|steps-volume|volume-steps|canonical", "mapping to choose", "steps-volume"),
    SCALAY_TRANSPORT_ROW(redistribute_options, job),
    SCALAY_ROW(redistribute_options, memory, SCALAY_OPTION_BYTES, "memory", "BYTES",
               "limit on buffer memory per process, at least 4K; suffixes K, M, G",
               "a quarter of the larger local matrix, at least 256K"),
    SCALAY_GROUP_ROW("Measurement"),
    SCALAY_MACHINE_ROW(redistribute_options, job),
    SCALAY_REPEAT_ROW(redistribute_options, job),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_ROW(redistribute_options, output, SCALAY_OPTION_OUTPUT, "output", "FILE.{npy,mtx,h5:/NAME}",
               "write the result of the chosen mapping; an existing file is replaced when all is written", NULL),
    SCALAY_PLOT_ROW(redistribute_options, "draw the owners before and after, the traffic and the times"),
    SCALAY_JSON_ROW(redistribute_options),
    SCALAY_QUIET_ROW(redistribute_options),
    SCALAY_LAST_ROW,
};

/* The job, and the objects of the current strategy. */
typedef struct {
    scalay_job job;
    const redistribute_options *options;
    scalay_objective objective; /* of the chosen strategy */
    scalay_op op;
    scalay_layout *target;
    scalay_traffic *traffic;
    scalay_machine machine;
    scalay_strategy strategies[SCALAY_MAX_STRATEGIES];
    int count;
    int chosen;
    int64_t mismatches; /* elements that differ from the file, summed over strategies and ranks */
    scalay_layout *mapped;
    scalay_plan *plan;
    void *b;                    /* local array of the mapped target */
    char description[SENTENCE]; /* of the plan of the chosen strategy on rank 0 */
} redistribution;

static scalay_status make_plan(redistribution *r)
{
    const scalay_plan_matrix matrix = {.source = r->job.source, .target = r->mapped, .type = r->job.type, .op = r->op};
    scalay_plan_options options = scalay_plan_options_default();
    options.transport = r->options->job.transport;
    options.memory_bytes = r->options->memory.value;
    options.machine = &r->machine;
    return scalay_plan_create_many(r->job.comm, 1, &matrix, &options, &r->plan);
}

/* Creates layout, plan and local array of a strategy, on all ranks or on none. */
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

/* Moves once to warm up buffers and links, and then `repeat` times. */
static scalay_status move_repeatedly(redistribution *r, int at)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_strategy *strategy = &r->strategies[at];
    int64_t bytes =
        scalay_layout_local_size(r->mapped, scalay_comm_rank(r->job.comm)) * (int64_t)scalay_type_size(r->job.type);
    for (int64_t k = 0; k <= r->job.repeat; k++) {
        double seconds = 0.0;
        scalay_progress_set((double)(at * (r->job.repeat + 1) + k) / (double)(r->count * (r->job.repeat + 1)));
        scalay_progress_say("%s mapping, move %lld of %lld", strategy->name, (long long)k, (long long)r->job.repeat);
        memset(r->b, 0xA5, (size_t)bytes); /* missing elements become visible, and pages exist */
        SCALAY_TRY_MPI(MPI_Barrier(scalay_comm_handle(r->job.comm)));
        double start = MPI_Wtime();
        scalay_job_abort_on_failure(&r->job, "redistribute", scalay_plan_execute(r->plan, r->job.local, r->b));
        SCALAY_TRY(scalay_job_maximum(&r->job, MPI_Wtime() - start, &seconds));
        if (k > 0) scalay_strategy_add(strategy, seconds, 0.0);
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
    scalay_progress_say("drawing %s", r->options->common.plot);
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    SCALAY_TRY(scalay_layout_relabel(r->target, scalay_comm_size(r->job.comm), chosen->mapping, &mapped));
    SCALAY_TRY(scalay_plot_add_layout(plot, "before", r->job.source));
    SCALAY_TRY(scalay_plot_add_layout(plot, "after, mapped", mapped));
    SCALAY_TRY(scalay_plot_add_traffic(plot, "traffic", r->traffic, chosen->mapping));
    SCALAY_TRY(scalay_strategies_plot(plot, r->strategies, r->count, r->chosen));
    SCALAY_TRY(scalay_plot_save(plot, r->options->common.plot));
cleanup:
    scalay_layout_destroy(&mapped);
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status run_strategy(redistribution *r, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_strategy *strategy = &r->strategies[k];
    int64_t mismatches = 0;
    SCALAY_TRY(prepare(r, strategy));
    SCALAY_TRY(count_bytes(r, strategy));
    if (k == r->chosen) (void)scalay_plan_describe(r->plan, r->description, sizeof r->description);
    SCALAY_TRY(move_repeatedly(r, k));
    SCALAY_TRY(scalay_job_compare_with_file(&r->job, r->mapped, r->op, r->b, &mismatches));
    r->mismatches += mismatches;
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

static void print_gain(const redistribution *r)
{
    const scalay_strategy *canonical = &r->strategies[0], *chosen = &r->strategies[r->chosen];
    const double moved = scalay_strategy_moved(&r->job, chosen), usual = scalay_strategy_moved(&r->job, canonical);
    const int is_equal = chosen->volume == canonical->volume,
              digits = is_equal ? 1 : scalay_percent_digits(moved, usual);
    printf("\nThe %s mapping moves %.*f%% of the elements (%lld bytes)", chosen->name, digits, moved,
           (long long)chosen->bytes);
    if (is_equal)
        printf(", as many as the canonical mapping.\n");
    else
        printf("\ninstead of %.*f%% (%lld bytes).\n", digits, usual, (long long)canonical->bytes);
}

static scalay_status print_text(const redistribution *r)
{
    scalay_status status = SCALAY_SUCCESS;
    char sentence[SENTENCE];
    (void)scalay_file_describe(&r->job.file, sentence, sizeof sentence);
    printf("file  %s: %s, in memory type %s\n", r->job.path, sentence, scalay_type_name(r->job.type));
    (void)scalay_layout_describe(r->job.source, sentence, sizeof sentence);
    printf("from  %s\n      %s%s\n", sentence, r->job.source_text, r->options->job.from == NULL ? " (default)" : "");
    (void)scalay_layout_describe(r->target, sentence, sizeof sentence);
    printf("to    %s%s\n\n", sentence, op_words[r->op]);
    SCALAY_TRY(scalay_strategies_print(&r->job, r->strategies, r->count, r->chosen, NULL));
    if ((double)r->job.file.m * (double)r->job.file.n > 0) print_gain(r);
    printf("Process 0:\n");
    scalay_print_wrapped(r->description, 2, 0, stdout);
    printf("All elements are equal to those of the file, read directly into the target layout.\n");
    if (r->options->output != NULL) printf("Written to %s.\n", r->options->output);
cleanup:
    return status;
}

static scalay_status report(const redistribution *r)
{
    if (r->mismatches != 0)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "%lld elements differ from %s; please report this",
                           (long long)r->mismatches, r->job.path);
    if (scalay_comm_rank(r->job.comm) != 0) return SCALAY_SUCCESS;
    if (r->options->common.plot != NULL) {
        const scalay_status status = draw(r);
        if (status != SCALAY_SUCCESS) return status;
    }
    scalay_progress_stop();
    if (!r->options->common.json) return r->options->common.quiet ? SCALAY_SUCCESS : print_text(r);
    json_t *document = scalay_strategies_as_json(&r->job, r->strategies, r->count, r->chosen);
    document = scalay_json_set(document, "op", json_string(r->options->op != NULL ? r->options->op : "N"));
    document = scalay_json_set(document, "plan", json_string(r->description));
    document = scalay_json_set(document, "check", json_integer((json_int_t)r->mismatches));
    return scalay_json_print(document);
}

/* Reads the target and loads the matrix into the source. The default source follows from the target. The traffic is
   that of the matrix in the file: with --op, the target is transposed. */
static scalay_status load(redistribution *r)
{
    scalay_status status = SCALAY_SUCCESS;
    char from[SCALAY_SOURCE_SIZE] = "cyclic:mb=1,nb=1,p=1,q=1";
    scalay_layout *transposed = NULL;
    SCALAY_TRY(scalay_job_read_layout(&r->job, "--to", r->options->to, r->op, &r->target));
    if (r->op != SCALAY_NO_TRANSPOSE) {
        status = scalay_layout_transpose(r->target, &transposed);
        if (status == SCALAY_ERROR_UNSUPPORTED)
            status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                                 "--op %s needs a block-cyclic --to, such as cyclic:mb=64,nb=64,p=2,"
                                 "q=2",
                                 r->options->op);
        SCALAY_TRY(scalay_comm_agree(r->job.comm, status));
    }
    const scalay_layout *target = transposed != NULL ? transposed : r->target;
    if (scalay_layout_is_grid(target))
        scalay_job_default_source(target->row.block, target->col.block, (int)target->row.classes,
                                  (int)target->col.classes, from);
    SCALAY_TRY(scalay_job_load(&r->job, r->options->job.from != NULL ? r->options->job.from : from));
    SCALAY_TRY(scalay_comm_agree(r->job.comm, scalay_traffic_create(r->job.source, target, &r->traffic)));
cleanup:
    scalay_layout_destroy(&transposed);
    return status;
}

static scalay_op op_of_name(const char *name)
{
    if (name == NULL || name[0] == 'N') return SCALAY_NO_TRANSPOSE;
    return name[0] == 'T' ? SCALAY_TRANSPOSE : SCALAY_CONJUGATE_TRANSPOSE;
}

static scalay_status check_options(const redistribute_options *options)
{
    if (options->to == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--to LAYOUT is missing");
    if (options->memory.given && options->memory.value < MIN_MEMORY)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--memory is %lld bytes; it must be at least %d",
                           (long long)options->memory.value, MIN_MEMORY);
    return SCALAY_SUCCESS;
}

/* Checks the outputs on rank 0, before any work. */
static scalay_status check_outputs(const redistribute_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_picture(options->common.plot));
    SCALAY_TRY(scalay_job_check_output("--output", options->output));
cleanup:
    return status;
}

static scalay_status run_redistribute(const void *given, scalay_comm *comm)
{
    const redistribute_options *options = given;
    scalay_status status = SCALAY_SUCCESS;
    redistribution r = {.options = options, .op = op_of_name(options->op)};
    SCALAY_TRY(scalay_comm_agree(comm, check_options(options)));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_comm_rank(comm) == 0 ? check_outputs(options) : SCALAY_SUCCESS));
    choose_strategies(&r);
    SCALAY_TRY(scalay_job_open(comm, options->common.operand[0], &options->job, 0, &r.job));
    SCALAY_TRY(load(&r));
    SCALAY_TRY(scalay_job_find_machine(comm, &options->job, &r.machine));
    for (int k = 0; k < r.count; k++) SCALAY_TRY(run_strategy(&r, k));
    SCALAY_TRY(scalay_comm_agree(comm, report(&r)));
cleanup:
    for (int k = 0; k < r.count; k++) scalay_strategy_free(&r.strategies[k]);
    scalay_traffic_destroy(&r.traffic);
    scalay_layout_destroy(&r.target);
    scalay_job_close(&r.job);
    return status;
}

const scalay_subcommand scalay_subcommand_redistribute = {
    .name = "redistribute",
    .summary = "move a matrix between layouts and check every element",
    .usage = {"FILE --to LAYOUT [OPTIONS]"},
    .description =
        "Reads a matrix file (.npy, Matrix Market array, or FILE.h5:/NAME) into the source layout and moves it to the "
        "target layout "
        "along "
        "the canonical, the volume and the steps-volume mapping. Compares every element with the file. Reports volume, "
        "steps, bytes and times of each mapping.\n"
        "\n"
        "Transports: shared goes through shared memory within a node; mpi sends messages; auto selects the one of the "
        "shortest predicted time.\n",
    .example = "  mpirun -n 4 scalay redistribute examples/data/egm96_geoid.npy \\\n"
               "              --from skewed:mb=32,nb=32,p=2,q=2 \\\n"
               "              --to cyclic:mb=32,nb=32,p=2,q=2\n",
    .operand = {"FILE"},
    .table = option_table,
    .options_size = sizeof(redistribute_options),
    .needs_mpi = 1,
    .run = run_redistribute,
};
