/*
 * scalay qr: the main job. A matrix file is loaded into a source layout, moved to a grid on which p?geqrf is fast, and
 * factored. Several mappings and, if possible, the source layout itself are compared.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "input.h"
#include "job.h"
#include "layout/layout.h"
#include "model/product.h"
#include "parallel/agree.h"
#include "scalay/factor.h"

/* Residual and orthogonality, in units of the rounding error, above which a factorisation is wrong. Correct ones are of
 * the order of 1. */
static const double MAX_ERROR = 100.0;

enum { SENTENCE = 512 };

typedef struct {
    scalay_common_options common;
    scalay_job_options job;
    int64_t grid[2]; /* 0: not given */
    int64_t nb;      /* 0: not given */
    const char *objective;
    const char *output_r;
} qr_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Matrix"),
    SCALAY_ROW(qr_options, job.from, SCALAY_OPTION_TEXT, "from", "LAYOUT", "source layout, without m and n",
               "skewed, with the grid and blocks of the kernel"),
    SCALAY_CHOICE_ROW(qr_options, job.type, "type", "TYPE", "s|d|c|z", "element type", "d, or z for a complex file"),
    SCALAY_GROUP_ROW("Target"),
    SCALAY_ROW(qr_options, grid, SCALAY_OPTION_GRID, "grid", "PxQ", "process grid", "chosen by the model"),
    SCALAY_ROW(qr_options, nb, SCALAY_OPTION_COUNT, "nb", "NB", "block size", "chosen by the model"),
    SCALAY_CHOICE_ROW(qr_options, objective, "objective", "NAME", "volume|steps|steps-volume|volume-steps|canonical",
                      "mapping to choose", "the strategy with the least predicted time"),
    SCALAY_TRANSPORT_ROW(qr_options, job),
    SCALAY_GROUP_ROW("Measurement"),
    SCALAY_MACHINE_ROW(qr_options, job),
    SCALAY_REPEAT_ROW(qr_options, job),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_ROW(qr_options, output_r, SCALAY_OPTION_OUTPUT, "output-r", "FILE.{npy,mtx}", "write the factor R", NULL),
    SCALAY_ROW(qr_options, common.plot, SCALAY_OPTION_OUTPUT, "plot", "FILE|PREFIX",
               "draw owners, traffic and times into FILE.svg, .png or .pdf, or into PREFIX-before.svg and so on", NULL),
    SCALAY_JSON_ROW(qr_options),
    SCALAY_QUIET_ROW(qr_options),
    SCALAY_LAST_ROW,
};

/* The job. A zeroed one is empty. */
typedef struct {
    scalay_job job;
    const qr_options *options;
    scalay_machine machine;
    scalay_strategy strategies[SCALAY_MAX_STRATEGIES];
    int count;
    int chosen;
    const char *no_owner;    /* reason why the strategy "owner" cannot run; NULL: it can */
    scalay_qr *qr;           /* an extra run of the chosen strategy, for verification and results */
    scalay_layout *target;   /* its layout */
    scalay_traffic *traffic; /* from the source to the target; rank 0 only */
    double residual;
    double orthogonality;
} qr_job;

/* --------------------------------------------------------------------------------------------- strategies */

static void add_strategy(qr_job *q, const char *name, scalay_objective objective)
{
    q->strategies[q->count++] = (scalay_strategy){.name = name, .objective = objective, .bytes = -1};
}

static void list_strategies(qr_job *q)
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

/* The strategy "owner" factors on the grid of the source. The mapping of minimum volume then moves nothing. */
static scalay_qr_options options_of(const qr_job *q, const scalay_strategy *strategy)
{
    scalay_qr_options options = scalay_qr_options_default();
    const scalay_layout *source = q->job.source;
    options.objective = strategy->objective;
    options.transport = q->options->job.transport;
    options.machine = &q->machine;
    options.nprow = (int)(is_owner(strategy) ? source->row.classes : q->options->grid[0]);
    options.npcol = (int)(is_owner(strategy) ? source->col.classes : q->options->grid[1]);
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

static scalay_status run_once(qr_job *q, scalay_strategy *strategy, int keep)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr *qr = NULL;
    scalay_layout *target = NULL;
    scalay_qr_matrix matrix;
    scalay_qr_options options = options_of(q, strategy);
    SCALAY_TRY(scalay_qr_create(q->job.comm, q->job.source, q->job.type, &options, q->job.local, &qr));
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

/* Runs all strategies in turn, so that a disturbance of the machine affects all of them. */
static scalay_status run_strategies(qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < q->count && status == SCALAY_SUCCESS; k++)
        status = scalay_strategy_start(&q->strategies[k], q->job.repeat);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
    scalay_memory_keep_released();
    scalay_progress_say("warm-up run");
    SCALAY_TRY(run_once(q, &q->strategies[0], 0));
    for (int64_t turn = 0; turn < q->job.repeat; turn++)
        for (int k = 0; k < q->count; k++) {
            scalay_strategy *strategy = &q->strategies[(turn + k) % q->count];
            scalay_progress_set((double)(turn * q->count + k) / (double)(q->job.repeat * q->count));
            scalay_progress_say("%s, run %lld of %lld", strategy->name, (long long)turn + 1, (long long)q->job.repeat);
            SCALAY_TRY(run_once(q, strategy, 1));
        }
    scalay_progress_set(-1.0);
    for (int k = 0; k < q->count; k++) scalay_strategy_finish(&q->strategies[k]);
cleanup:
    return status;
}

static int is_better(const scalay_strategy *a, const scalay_strategy *b)
{
    if (a->predicted_seconds != b->predicted_seconds) return a->predicted_seconds < b->predicted_seconds;
    return a->steps != b->steps ? a->steps < b->steps : a->volume <= b->volume;
}

/* Chooses the least predicted time; of equal ones the fewest steps, then the least volume, then the last one. */
static void choose(qr_job *q)
{
    if (q->chosen >= 0) return;
    q->chosen = 0;
    for (int k = 1; k < q->count; k++)
        if (is_better(&q->strategies[k], &q->strategies[q->chosen])) q->chosen = k;
}

/* ------------------------------------------------------------------------------------------------ results */

static scalay_status verify(qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_matrix matrix;
    scalay_qr_options options = options_of(q, &q->strategies[q->chosen]);
    scalay_progress_say("verifying");
    SCALAY_TRY(scalay_qr_create(q->job.comm, q->job.source, q->job.type, &options, q->job.local, &q->qr));
    SCALAY_TRY(scalay_qr_verify(q->qr, q->job.local, &q->residual, &q->orthogonality));
    SCALAY_TRY(scalay_qr_get_matrix(q->qr, &matrix));
    SCALAY_TRY(scalay_layout_from_desc(q->job.comm, matrix.desc, &q->target));
cleanup:
    return status;
}

/* Sets the elements below the diagonal to zero in a local array of the source layout. */
static scalay_status clear_below_diagonal(const qr_job *q, const scalay_layout *layout, void *local)
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

static scalay_status write_r(qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *upper = NULL;
    void *r = NULL;
    const int64_t m = scalay_layout_rows(q->job.source), n = scalay_layout_cols(q->job.source), k = m < n ? m : n;
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

/* Fails if the factorisation is wrong. */
static scalay_status judge(const qr_job *q)
{
    if (q->residual <= MAX_ERROR && q->orthogonality <= MAX_ERROR) return SCALAY_SUCCESS;
    if (!isfinite(q->residual) || !isfinite(q->orthogonality))
        return SCALAY_FAIL(
            SCALAY_ERROR_INFEASIBLE,
            "the residual is not a number; %s has elements that are infinite, NaN, or too large for their "
            "squares",
            q->job.path);
    return SCALAY_FAIL(SCALAY_ERROR_INTERNAL,
                       "residual %g, orthogonality %g: the factorisation is wrong; please report this", q->residual,
                       q->orthogonality);
}

/* Loads the matrix. The default source is the skewed set on the grid and blocks that the kernel will use. */
static scalay_status load(qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_choice *choice = NULL;
    scalay_qr_candidate best;
    scalay_qr_limits limits = scalay_qr_limits_default(scalay_comm_size(q->job.comm));
    char from[SCALAY_SOURCE_SIZE];
    if (q->options->job.from != NULL) return scalay_job_load(&q->job, q->options->job.from);
    limits.nprow = (int)q->options->grid[0];
    limits.npcol = (int)q->options->grid[1];
    limits.nb = (int)q->options->nb;
    status = scalay_model_qr_choose(&q->machine, q->job.type, q->job.file.m, q->job.file.n, &limits, &choice);
    if (status == SCALAY_SUCCESS) status = scalay_qr_choice_get_candidate(choice, 0, &best);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
    scalay_job_default_source(best.nb, best.nb, best.nprow, best.npcol, from);
    SCALAY_TRY(scalay_job_load(&q->job, from));
cleanup:
    scalay_qr_choice_destroy(&choice);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- text */

static const scalay_strategy *find(const qr_job *q, const char *name)
{
    for (int k = 0; k < q->count; k++)
        if (strcmp(q->strategies[k].name, name) == 0) return &q->strategies[k];
    return NULL;
}

static void print_problem(const qr_job *q)
{
    char sentence[SENTENCE];
    (void)scalay_file_describe(&q->job.file, sentence, sizeof sentence);
    printf("QR factorisation of %s on %d processes\n\n", q->job.path, scalay_comm_size(q->job.comm));
    printf("file    %s; in memory type %s\n", sentence, scalay_type_name(q->job.type));
    (void)scalay_layout_describe(q->job.source, sentence, sizeof sentence);
    printf("before  %s\n        %s%s\n", sentence, q->job.source_text,
           q->options->job.from == NULL
               ? "\n        (default: the blocks of the kernel, half of them moved; see --from)"
               : "");
    (void)scalay_layout_describe(q->target, sentence, sizeof sentence);
    printf("after   %s\n\n", sentence);
}

static scalay_status print_description(const qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    char *text = NULL;
    int length = scalay_qr_describe(q->qr, NULL, 0);
    SCALAY_TRY(SCALAY_NEW(text, (int64_t)length + 1));
    (void)scalay_qr_describe(q->qr, text, (size_t)length + 1);
    printf("\n");
    scalay_print_wrapped(text, 0, 0, stdout);
cleanup:
    scalay_release(text);
    return status;
}

static int same_mapping(const scalay_strategy *a, const scalay_strategy *b)
{
    return a->grid[0] == b->grid[0] && a->grid[1] == b->grid[1] && a->nb == b->nb && a->parts == b->parts &&
           memcmp(a->mapping, b->mapping, (size_t)a->parts * sizeof *a->mapping) == 0;
}

/* Prints which strategies have the same mapping as an earlier one. */
static void print_equal_mappings(const qr_job *q)
{
    for (int b = 1; b < q->count; b++)
        for (int a = 0; a < b; a++) {
            if (!same_mapping(&q->strategies[a], &q->strategies[b])) continue;
            printf("  %s and %s are the same mapping; their times differ by chance\n", q->strategies[a].name,
                   q->strategies[b].name);
            break;
        }
}

static void print_gain(const qr_job *q)
{
    const scalay_strategy *chosen = &q->strategies[q->chosen];
    const scalay_strategy *canonical = find(q, "canonical");
    const scalay_strategy *owner = find(q, "owner");
    print_equal_mappings(q);
    if (q->no_owner != NULL) printf("  owner cannot run: %s\n", q->no_owner);
    printf("\n%s moves %.1f%% of the elements", chosen->name, scalay_strategy_moved(&q->job, chosen));
    if (chosen->volume < canonical->volume)
        printf(" instead of %.1f%%, in %.2f ms instead of %.2f ms (canonical)",
               scalay_strategy_moved(&q->job, canonical), 1e3 * chosen->move_seconds, 1e3 * canonical->move_seconds);
    printf(".\n");
    if (owner != NULL && owner != chosen)
        printf("In the source layout the kernel took %.2f ms. Move and kernel took %.2f ms.\n",
               1e3 * owner->kernel_seconds, 1e3 * (chosen->move_seconds + chosen->kernel_seconds));
}

static scalay_status print_text(const qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    print_problem(q);
    SCALAY_TRY(scalay_strategies_print(&q->job, q->strategies, q->count, q->chosen, "kernel"));
    print_gain(q);
    SCALAY_TRY(print_description(q));
    printf("\nresidual %.3g, orthogonality %.3g, in units of the rounding error (correct: about 1\nor less)\n",
           q->residual, q->orthogonality);
    if (q->options->output_r != NULL) printf("R is in %s.\n", q->options->output_r);
    if (q->options->common.plot != NULL) printf("Pictures: %s\n", q->options->common.plot);
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- JSON */

static scalay_status print_json(const qr_job *q)
{
    json_t *document = scalay_strategies_as_json(&q->job, q->strategies, q->count, q->chosen);
    document = scalay_json_set(document, "residual", scalay_json_number(q->residual));
    document = scalay_json_set(document, "orthogonality", scalay_json_number(q->orthogonality));
    if (q->no_owner != NULL)
        document =
            scalay_json_set(document, "skipped", json_pack("[{s:s, s:s}]", "name", "owner", "reason", q->no_owner));
    return scalay_json_print(document);
}

/* ----------------------------------------------------------------------------------------------- pictures */

typedef scalay_status (*panel_maker)(const qr_job *q, scalay_plot *plot);

static scalay_status add_before(const qr_job *q, scalay_plot *plot)
{
    return scalay_plot_add_layout(plot, "before", q->job.source);
}

static scalay_status add_after(const qr_job *q, scalay_plot *plot)
{
    char title[96];
    const scalay_strategy *chosen = &q->strategies[q->chosen];
    (void)snprintf(title, sizeof title, "after: %d x %d grid, %s mapping", chosen->grid[0], chosen->grid[1],
                   chosen->name);
    return scalay_plot_add_layout(plot, title, q->target);
}

static scalay_status add_traffic(const qr_job *q, scalay_plot *plot)
{
    return scalay_plot_add_traffic(plot, "traffic", q->traffic, q->strategies[q->chosen].mapping);
}

static scalay_status add_times(const qr_job *q, scalay_plot *plot)
{
    return scalay_strategies_plot(plot, q->strategies, q->count, q->chosen);
}

static const struct {
    const char *name;
    panel_maker make;
} panels[] = {{"before", add_before}, {"after", add_after}, {"traffic", add_traffic}, {"times", add_times}};

enum { PANELS = (int)(sizeof panels / sizeof panels[0]) };

/* 1 if --plot is a prefix: a name without an ending. */
static int is_prefix(const char *plot)
{
    const char *dot = strrchr(plot, '.');
    return dot == NULL || strchr(dot, '/') != NULL;
}

/* Draws panels first .. last - 1. */
static scalay_status draw_panels(const qr_job *q, const char *path, int first, int last)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    char title[160];
    const char *name = strrchr(q->job.path, '/') != NULL ? strrchr(q->job.path, '/') + 1 : q->job.path;
    (void)snprintf(title, sizeof title, "QR of %.60s on %d processes: %.1f%% of the elements move (canonical: %.1f%%)",
                   name, scalay_comm_size(q->job.comm), scalay_strategy_moved(&q->job, &q->strategies[q->chosen]),
                   scalay_strategy_moved(&q->job, find(q, "canonical")));
    SCALAY_TRY(scalay_plot_create(last - first > 1 ? title : NULL, &plot));
    for (int k = first; k < last; k++) SCALAY_TRY(panels[k].make(q, plot));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status draw(const qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *prefix = q->options->common.plot;
    char *path = NULL;
    const int64_t size = (int64_t)strlen(prefix) + 32;
    if (!is_prefix(prefix)) return draw_panels(q, prefix, 0, PANELS);
    SCALAY_TRY(SCALAY_NEW(path, size));
    for (int k = 0; k < PANELS; k++) {
        (void)snprintf(path, (size_t)size, "%s-%s.svg", prefix, panels[k].name);
        SCALAY_TRY(draw_panels(q, path, k, k + 1));
    }
cleanup:
    scalay_release(path);
    return status;
}

static scalay_status report(qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    if (q->options->common.plot != NULL) {
        scalay_progress_say("drawing %s", q->options->common.plot);
        SCALAY_TRY(scalay_traffic_create(q->job.source, q->target, &q->traffic));
        SCALAY_TRY(draw(q));
    }
    scalay_progress_stop();
    if (q->options->common.json) return print_json(q);
    if (!q->options->common.quiet) status = print_text(q);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- the job */

/* Checks the outputs on rank 0, before any work. */
static scalay_status check_outputs(const qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->common.plot != NULL && !is_prefix(options->common.plot))
        SCALAY_TRY(scalay_check_picture(options->common.plot));
    SCALAY_TRY(scalay_job_check_output("--output-r", options->output_r));
cleanup:
    return status;
}

static scalay_status run_qr(const void *given, scalay_comm *comm)
{
    const qr_options *options = given;
    scalay_status status = SCALAY_SUCCESS;
    qr_job q = {.options = options};
    const int is_root = scalay_comm_rank(comm) == 0;
    SCALAY_TRY(scalay_comm_agree(comm, is_root ? check_outputs(options) : SCALAY_SUCCESS));
    SCALAY_TRY(scalay_job_open(comm, options->common.operand[0], &options->job, 1, &q.job));
    SCALAY_TRY(scalay_job_find_machine(comm, &options->job, &q.machine));
    SCALAY_TRY(load(&q));
    list_strategies(&q);
    SCALAY_TRY(run_strategies(&q));
    choose(&q);
    SCALAY_TRY(verify(&q));
    SCALAY_TRY(write_r(&q));
    SCALAY_TRY(scalay_comm_agree(comm, is_root ? report(&q) : SCALAY_SUCCESS));
    SCALAY_TRY(judge(&q));
cleanup:
    scalay_traffic_destroy(&q.traffic);
    scalay_layout_destroy(&q.target);
    scalay_qr_destroy(&q.qr);
    for (int k = 0; k < q.count; k++) scalay_strategy_free(&q.strategies[k]);
    scalay_job_close(&q.job);
    return status;
}

const scalay_subcommand scalay_subcommand_qr = {
    .name = "qr",
    .summary = "map, move and factor a matrix, and compare the strategies",
    .usage = {"FILE [OPTIONS]"},
    .description = "The main job: reads a matrix file (.npy, or Matrix Market array) into a layout on which p?geqrf is "
                   "slow, chooses "
                   "a grid and a block size, and compares strategies:\n"
                   "  owner         factor in the source layout, if that is block-cyclic\n"
                   "  canonical     move part j of the grid to process j\n"
                   "  volume        move along the mapping with the least volume\n"
                   "  steps-volume  along the mapping with the fewest steps, then the least volume\n"
                   "Reports what each strategy moves, and its measured and predicted times. Verifies the "
                   "factorisation: residual and "
                   "orthogonality are in units of the rounding error.\n",
    .example = "  mpirun -n 4 scalay qr examples/data/egm96_geoid.npy --plot main-job.svg\n",
    .operand = {"FILE"},
    .table = option_table,
    .options_size = sizeof(qr_options),
    .needs_mpi = 1,
    .run = run_qr,
};
