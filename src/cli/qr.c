/* scalay qr: the main job. A matrix file sits in a bad layout, is moved to where p?geqrf is fast, and factored. */

#include "qr.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "failure.h"
#include "inputs.h"
#include "layout/layout.h"
#include "model/owner.h"
#include "parallel/agree.h"
#include "progress.h"
#include "scalay/measure.h"

/* A factorisation is wrong above this multiple of the rounding error; right ones are of the order of 1. */
static const double largest_error = 100.0;

static const scalay_option qr_options[] = {
    SCALAY_OPTION_ROW("from", SCALAY_OPTION_TEXT, from, "LAYOUT",
                      "where the matrix is before (see scalay show --help; m and n may be left out: the file knows "
                      "them). Default: skewed over the grid and the blocks that the kernel will use"),
    SCALAY_OPTION_ROW("grid", SCALAY_OPTION_GRID, grid_rows, "PxQ", "the process grid (default: the model chooses)"),
    SCALAY_OPTION_ROW("nb", SCALAY_OPTION_COUNT, nb, "NB", "the block size (default: the model chooses)"),
    SCALAY_OPTION_ROW("objective", SCALAY_OPTION_CHOICE, objective, "volume|steps|steps-volume|volume-steps|canonical",
                      "of the mapping that is chosen (default: the strategy with the least predicted time)"),
    SCALAY_OPTION_ROW("transport", SCALAY_OPTION_CHOICE, transport, SCALAY_TRANSPORT_CHOICES,
                      "how to move (default: auto); see scalay redistribute --help"),
    SCALAY_OPTION_ROW("type", SCALAY_OPTION_CHOICE, type, "s|d|c|z",
                      "of the elements (default: d, for a complex file z)"),
    SCALAY_MACHINE_ROW,
    SCALAY_OPTION_ROW("repeat", SCALAY_OPTION_COUNT, repeat, "N", "runs each strategy N times (default: 3)"),
    SCALAY_OPTION_ROW("output-r", SCALAY_OPTION_TEXT, output_r, "FILE.{npy,mtx}", "writes the factor R"),
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf} or PREFIX",
                      "draws owners before and after, the traffic and the times: in one picture, or, without an "
                      "ending, each in PREFIX-before.svg, -after.svg, -traffic.svg, -times.svg"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

/* --------------------------------------------------------------------------------------------- strategies */

static void add_strategy(scalay_qr_job *q, const char *name, scalay_objective objective)
{
    q->strategies[q->count++] = (scalay_strategy){.name = name, .objective = objective, .bytes = -1};
}

static void list_strategies(scalay_qr_job *q)
{
    static const scalay_objective always[] = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS_THEN_VOLUME};
    q->chosen = -1;
    q->no_owner = scalay_owner_obstacle(q->job.source);
    if (q->no_owner == NULL) add_strategy(q, "owner", SCALAY_MIN_VOLUME);
    for (int k = 0; k < 3; k++) add_strategy(q, scalay_objective_name(always[k]), always[k]);
    if (q->options->objective == NULL) return;
    for (int k = 0; k < q->count; k++)
        if (strcmp(q->strategies[k].name, q->options->objective) == 0) q->chosen = k;
    if (q->chosen >= 0) return;
    q->chosen = q->count;
    add_strategy(q, q->options->objective, scalay_input_objective(q->options->objective));
}

static int is_owner(const scalay_strategy *strategy)
{
    return strcmp(strategy->name, "owner") == 0;
}

/* The owner runs on the source's own grid: the mapping of least volume leaves every element where it is. */
static scalay_qr_options options_of(const scalay_qr_job *q, const scalay_strategy *strategy)
{
    scalay_qr_options options = scalay_qr_options_default();
    const scalay_layout *source = q->job.source;
    options.objective = strategy->objective;
    options.transport = q->options->transport;
    options.machine = &q->machine;
    options.nprow = (int)(is_owner(strategy) ? source->row.classes : q->options->grid_rows);
    options.npcol = (int)(is_owner(strategy) ? source->col.classes : q->options->grid_cols);
    options.nb = (int)(is_owner(strategy) ? source->row.block : q->options->nb);
    return options;
}

static scalay_status record(scalay_strategy *strategy, const scalay_qr *qr)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_statistics statistics;
    SCALAY_TRY(scalay_qr_get_statistics(qr, &statistics));
    int in_place = is_owner(strategy);
    strategy->grid[0] = statistics.nprow;
    strategy->grid[1] = statistics.npcol;
    strategy->mb = statistics.nb;
    strategy->nb = statistics.nb;
    strategy->volume = statistics.volume;
    strategy->steps = statistics.steps;
    strategy->predicted_seconds =
        statistics.predicted_kernel_seconds + (in_place ? 0.0 : statistics.predicted_move_seconds);
    scalay_strategy_add(strategy, in_place ? 0.0 : statistics.move_seconds, statistics.kernel_seconds);
cleanup:
    return status;
}

static scalay_status run_once(scalay_qr_job *q, scalay_strategy *strategy, int keep)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr *qr = NULL;
    scalay_layout *target = NULL;
    scalay_qr_matrix matrix;
    scalay_qr_options options = options_of(q, strategy);
    SCALAY_TRY(scalay_qr_create(q->job.comm, q->job.source, q->job.type, &options, q->job.a, &qr));
    if (keep) SCALAY_TRY(scalay_comm_agree(q->job.comm, record(strategy, qr)));
    if (keep && strategy->mapping == NULL) {
        SCALAY_TRY(scalay_qr_get_matrix(qr, &matrix));
        SCALAY_TRY(scalay_layout_from_desc(q->job.comm, matrix.desc, &target));
        SCALAY_TRY(scalay_comm_agree(q->job.comm, scalay_strategy_set_mapping(strategy, target)));
    }
cleanup:
    scalay_layout_destroy(&target);
    scalay_qr_destroy(&qr);
    return status;
}

/* All strategies in turn, as often as wanted, so that a disturbance of the machine does not hit one of them alone. */
static scalay_status run_strategies(scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < q->count && status == SCALAY_SUCCESS; k++)
        status = scalay_strategy_start(&q->strategies[k], q->job.repeat);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
    scalay_memory_keep_released();
    scalay_progress_say("a run to warm up");
    SCALAY_TRY(run_once(q, &q->strategies[0], 0));
    for (int64_t turn = 0; turn < q->job.repeat; turn++)
        for (int k = 0; k < q->count; k++) {
            scalay_strategy *strategy = &q->strategies[(turn + k) % q->count];
            scalay_progress_say("%s, run %lld of %lld", strategy->name, (long long)turn + 1, (long long)q->job.repeat);
            SCALAY_TRY(run_once(q, strategy, 1));
        }
    for (int k = 0; k < q->count; k++) scalay_strategy_finish(&q->strategies[k]);
cleanup:
    return status;
}

static int is_better(const scalay_strategy *a, const scalay_strategy *b)
{
    if (a->predicted_seconds != b->predicted_seconds) return a->predicted_seconds < b->predicted_seconds;
    return a->steps != b->steps ? a->steps < b->steps : a->volume <= b->volume;
}

/* The least predicted time; of equals the fewest steps, then the least volume, then the last in the list. */
static void choose(scalay_qr_job *q)
{
    if (q->chosen >= 0) return;
    q->chosen = 0;
    for (int k = 1; k < q->count; k++)
        if (is_better(&q->strategies[k], &q->strategies[q->chosen])) q->chosen = k;
}

/* ------------------------------------------------------------------------------------------------ results */

static scalay_status verify(scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_matrix matrix;
    scalay_qr_options options = options_of(q, &q->strategies[q->chosen]);
    scalay_progress_say("verifying");
    SCALAY_TRY(scalay_qr_create(q->job.comm, q->job.source, q->job.type, &options, q->job.a, &q->qr));
    SCALAY_TRY(scalay_qr_verify(q->qr, q->job.a, &q->residual, &q->orthogonality));
    SCALAY_TRY(scalay_qr_get_matrix(q->qr, &matrix));
    SCALAY_TRY(scalay_layout_from_desc(q->job.comm, matrix.desc, &q->target));
cleanup:
    return status;
}

/* Sets what is below the diagonal to zero in a local array of the source layout. */
static scalay_status clear_below_diagonal(const scalay_qr_job *q, const scalay_layout *layout, void *local)
{
    const int rank = scalay_comm_rank(q->job.comm);
    const size_t size = scalay_type_size(q->job.type);
    char *bytes = local;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle at;
        scalay_status status = scalay_layout_rectangle(layout, rank, k, &at);
        if (status != SCALAY_SUCCESS) return status;
        for (int64_t col = 0; col < at.cols; col++) {
            int64_t first = at.col + col + 1 - at.row;
            if (first < 0) first = 0;
            if (first >= at.rows) continue;
            memset(bytes + (size_t)(at.offset + col * at.ld + first) * size, 0, (size_t)(at.rows - first) * size);
        }
    }
    return SCALAY_SUCCESS;
}

static scalay_status write_r(scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *upper = NULL;
    void *r = NULL;
    int64_t n = scalay_layout_cols(q->job.source);
    const int64_t m = scalay_layout_rows(q->job.source), k = m < n ? m : n;
    if (q->options->output_r == NULL) return SCALAY_SUCCESS;
    scalay_progress_say("writing %s", q->options->output_r);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, scalay_job_new_local(&q->job, q->job.source, &r)));
    SCALAY_TRY(scalay_qr_bring_back(q->qr, r));
    status = scalay_layout_submatrix(q->job.source, 0, 0, k, n, &upper);
    if (status == SCALAY_SUCCESS) status = clear_below_diagonal(q, upper, r);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
    SCALAY_TRY(scalay_matrix_write(q->job.comm, q->options->output_r, NULL, upper, q->job.type, r));
cleanup:
    scalay_release(r);
    scalay_layout_destroy(&upper);
    return status;
}

static scalay_status judge(const scalay_qr_job *q)
{
    if (q->residual <= largest_error && q->orthogonality <= largest_error) return SCALAY_SUCCESS;
    if (!isfinite(q->residual) || !isfinite(q->orthogonality))
        return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                           "the residual is not a number; %s holds infinite elements or NaN, "
                           "or elements so large that their squares overflow",
                           q->job.path);
    return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "residual %g, orthogonality %g: the factorisation is wrong; report it",
                       q->residual, q->orthogonality);
}

/* Without --from, the grid and the blocks of the kernel are found first, and the matrix is put askew on them. */
static scalay_status place(scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_choice *choice = NULL;
    scalay_qr_candidate best;
    scalay_qr_limits limits = scalay_qr_limits_default(scalay_comm_size(q->job.comm));
    char from[SCALAY_SOURCE_SIZE];
    if (q->options->from != NULL) return scalay_job_place(&q->job, q->options->from);
    limits.nprow = (int)q->options->grid_rows;
    limits.npcol = (int)q->options->grid_cols;
    limits.nb = (int)q->options->nb;
    status = scalay_model_qr_choose(&q->machine, q->job.type, q->job.file.m, q->job.file.n, &limits, &choice);
    if (status == SCALAY_SUCCESS) status = scalay_qr_choice_get_candidate(choice, 0, &best);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
    scalay_job_default_source(best.nb, best.nb, best.nprow, best.npcol, from);
    SCALAY_TRY(scalay_job_place(&q->job, from));
cleanup:
    scalay_qr_choice_destroy(&choice);
    return status;
}

static scalay_status check_options(const scalay_options *options)
{
    const char *dot = options->plot != NULL ? strrchr(options->plot, '.') : NULL;
    if (dot != NULL && strchr(dot, '/') == NULL && scalay_plot_check_path(options->plot) != SCALAY_SUCCESS)
        return scalay_fail_at(SCALAY_ERROR_ARGUMENT, "--plot");
    return scalay_job_check_output("--output-r", options->output_r);
}

static scalay_status run_qr(const scalay_options *options, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_job q = {.options = options};
    SCALAY_TRY(scalay_comm_agree(comm, check_options(options)));
    SCALAY_TRY(scalay_job_open(comm, options, 1, &q.job));
    SCALAY_TRY(scalay_job_find_machine(comm, options, &q.machine));
    SCALAY_TRY(place(&q));
    list_strategies(&q);
    SCALAY_TRY(run_strategies(&q));
    choose(&q);
    SCALAY_TRY(verify(&q));
    SCALAY_TRY(write_r(&q));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_comm_rank(comm) == 0 ? scalay_qr_job_report(&q) : SCALAY_SUCCESS));
    SCALAY_TRY(judge(&q));
cleanup:
    scalay_traffic_destroy(&q.traffic);
    scalay_layout_destroy(&q.target);
    scalay_qr_destroy(&q.qr);
    for (int k = 0; k < q.count; k++) scalay_strategy_free(&q.strategies[k]);
    scalay_job_close(&q.job);
    return status;
}

const scalay_command scalay_command_qr = {
    .name = "qr",
    .summary = "maps, moves and factors a badly placed matrix, and compares the ways",
    .usage = "FILE [--from LAYOUT] [OPTIONS]",
    .description = "The main job. Reads a matrix file (.npy, or Matrix Market array) into a layout that does not\n"
                   "suit p?geqrf, chooses a grid and a block size, and gets there in several ways:\n"
                   "  owner         factors where the matrix is; only when that is block-cyclic\n"
                   "  canonical     part j of the grid goes to process j\n"
                   "  volume        the mapping that moves the fewest elements\n"
                   "  steps-volume  the mapping with the fewest one-port steps, and least volume among those\n"
                   "Reports what each moves, how long move and kernel take and were predicted to take, and verifies\n"
                   "the factorisation: residual and orthogonality are multiples of the rounding error.\n",
    .example = "  mpirun -n 4 scalay qr examples/data/egm96_geoid.npy --plot out/main-job.svg\n",
    .operand = "FILE",
    .options = qr_options,
    .needs_mpi = 1,
    .run = run_qr,
};
