/* scalay qr, lu and cholesky: text, JSON and pictures. */

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "factor.h"
#include "parallel/comm.h"
#include "partition/owner_map.h"

enum { SENTENCE = 512 };

static const scalay_strategy *find(const scalay_factor_job *q, const char *name)
{
    for (int k = 0; k < q->count; k++)
        if (strcmp(q->strategies[k].name, name) == 0) return &q->strategies[k];
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------- text */

static void print_problem(const scalay_factor_job *q)
{
    char sentence[SENTENCE];
    (void)scalay_file_describe(&q->job.file, sentence, sizeof sentence);
    printf("%s of %s on %d process%s\n\n", scalay_factor_names_of(q->kind)->title, q->job.path,
           scalay_comm_size(q->job.comm), scalay_comm_size(q->job.comm) == 1 ? "" : "es");
    printf("file    %s; in memory type %s\n", sentence, scalay_type_name(q->job.type));
    (void)scalay_layout_describe(q->job.source, sentence, sizeof sentence);
    printf("before  %s\n        %s%s\n", sentence, q->job.source_text,
           q->options->job.from == NULL
               ? "\n        (default: the blocks of the kernel, half of them moved; see --from)"
               : "");
    (void)scalay_layout_describe(q->target, sentence, sizeof sentence);
    printf("after   %s\n\n", sentence);
}

static int same_mapping(const scalay_strategy *a, const scalay_strategy *b)
{
    return a->grid[0] > 0 && a->grid[0] == b->grid[0] && a->grid[1] == b->grid[1] && a->nb == b->nb &&
           a->parts == b->parts && memcmp(a->mapping, b->mapping, (size_t)a->parts * sizeof *a->mapping) == 0;
}

/* Prints which strategies have the same mapping as an earlier one. */
static void print_equal_mappings(const scalay_factor_job *q)
{
    for (int b = 1; b < q->count; b++)
        for (int a = 0; a < b; a++) {
            if (!same_mapping(&q->strategies[a], &q->strategies[b])) continue;
            printf("  %s and %s are the same mapping; their times differ by chance\n", q->strategies[a].name,
                   q->strategies[b].name);
            break;
        }
}

static void print_gain(const scalay_factor_job *q)
{
    const scalay_strategy *chosen = &q->strategies[q->chosen];
    const scalay_strategy *canonical = find(q, "canonical");
    const scalay_strategy *owner = find(q, "owner");
    print_equal_mappings(q);
    if (q->no_owner != NULL) printf("  owner cannot run: %s\n", q->no_owner);
    const double moved = scalay_strategy_moved(&q->job, chosen), usual = scalay_strategy_moved(&q->job, canonical);
    const int is_less = chosen->volume < canonical->volume, digits = is_less ? scalay_percent_digits(moved, usual) : 1;
    printf("\n%s moves %.*f%% of the elements", chosen->name, digits, moved);
    if (is_less)
        printf(" instead of %.*f%%, in %.2f ms instead of %.2f ms (canonical)", digits, usual,
               1e3 * chosen->move_seconds, 1e3 * canonical->move_seconds);
    printf(".\n");
    if (owner != NULL && owner != chosen)
        printf("In the source layout the kernel took %.2f ms. Move and kernel took %.2f ms.\n",
               1e3 * owner->kernel_seconds, 1e3 * (chosen->move_seconds + chosen->kernel_seconds));
}

static void print_own(const scalay_factor_job *q)
{
    const scalay_strategy *own = &q->strategies[q->own];
    const scalay_strategy *best = NULL;
    for (int k = 0; k < q->own; k++)
        if (best == NULL || q->strategies[k].kernel_seconds < best->kernel_seconds) best = &q->strategies[k];
    printf(
        "own: map %s, trailing balance %.3f, %lld messages, %.2f MB sent. %s took %.2f times as long\nas its kernel.\n",
        own->map, own->balance, (long long)own->messages, 1e-6 * (double)own->bytes,
        scalay_factor_names_of(q->kind)->routine,
        own->kernel_seconds > 0.0 ? best->kernel_seconds / own->kernel_seconds : 0.0);
}

static void print_errors(const scalay_factor_job *q)
{
    const int is_qr = q->kind == SCALAY_GEQRF;
    if (q->info > 0) printf("\nU(%d, %d) is exactly zero: the matrix is singular.\n", q->info, q->info);
    printf("\nresidual %.3g", q->residual);
    if (is_qr) printf(", orthogonality %.3g", q->orthogonality);
    if (q->chosen != q->own) {
        printf("; own: residual %.3g", q->own_residual);
        if (is_qr) printf(", orthogonality %.3g", q->own_orthogonality);
    }
    printf("\n(in units of the rounding error; correct: about 1 or less)\n");
}

static scalay_status print_text(const scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    print_problem(q);
    SCALAY_TRY(scalay_strategies_print(&q->job, q->strategies, q->count, q->chosen, "kernel"));
    print_gain(q);
    print_own(q);
    print_errors(q);
    if (q->options->output != NULL)
        printf("%s in %s.\n", q->kind == SCALAY_GEQRF ? "R is" : "The factors are", q->options->output);
    if (q->options->common.plot != NULL) printf("Pictures: %s\n", q->options->common.plot);
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- JSON */

static scalay_status print_json(const scalay_factor_job *q)
{
    json_t *document = scalay_strategies_as_json(&q->job, q->strategies, q->count, q->chosen);
    document = scalay_json_set(document, "residual", scalay_json_number(q->residual));
    if (q->kind == SCALAY_GEQRF)
        document = scalay_json_set(document, "orthogonality", scalay_json_number(q->orthogonality));
    document = scalay_json_set(document, "own_residual", scalay_json_number(q->own_residual));
    if (q->kind == SCALAY_GETRF) document = scalay_json_set(document, "info", json_integer(q->info));
    if (q->no_owner != NULL)
        document =
            scalay_json_set(document, "skipped", json_pack("[{s:s, s:s}]", "name", "owner", "reason", q->no_owner));
    return scalay_json_print(document);
}

/* ----------------------------------------------------------------------------------------------- pictures */

typedef scalay_status (*panel_maker)(const scalay_factor_job *q, scalay_plot *plot);

static scalay_status add_before(const scalay_factor_job *q, scalay_plot *plot)
{
    return scalay_plot_add_layout(plot, "before", q->job.source);
}

static scalay_status add_after(const scalay_factor_job *q, scalay_plot *plot)
{
    char title[96];
    const scalay_strategy *chosen = &q->strategies[q->chosen];
    if (q->chosen == q->own)
        (void)snprintf(title, sizeof title, "after: own, map %.40s", chosen->map);
    else
        (void)snprintf(title, sizeof title, "after: %d x %d grid, %s mapping", chosen->grid[0], chosen->grid[1],
                       chosen->name);
    return scalay_plot_add_layout(plot, title, q->target);
}

static scalay_status add_traffic(const scalay_factor_job *q, scalay_plot *plot)
{
    return scalay_plot_add_traffic(plot, "traffic", q->traffic, q->strategies[q->chosen].mapping);
}

static scalay_status add_own(const scalay_factor_job *q, scalay_plot *plot)
{
    char title[96];
    (void)snprintf(title, sizeof title, "own: map %.40s", q->strategies[q->own].map);
    return scalay_plot_add_layout(plot, title, q->own_target);
}

/* The trailing balance of each step: of the map of "own", and of the grid of the canonical strategy. */
static scalay_status add_balance(const scalay_factor_job *q, scalay_plot *plot)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_factor_choice choice = scalay_factor_get_choice(q->factor);
    const scalay_strategy *canonical = find(q, "canonical");
    const int64_t nb[] = {q->strategies[q->own].nb, canonical->nb}, k = scalay_min_int64(q->job.file.m, q->job.file.n);
    const scalay_trailing trailing = q->kind == SCALAY_POTRF ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    scalay_layout *layout = NULL;
    scalay_owner_map *grid = NULL;
    double *x[2] = {NULL, NULL}, *y[2] = {NULL, NULL};
    SCALAY_TRY(scalay_layout_block_cyclic(q->job.file.m, q->job.file.n, canonical->mb, canonical->nb,
                                          canonical->grid[0], canonical->grid[1], 0, 0, SCALAY_ROW_MAJOR, &layout));
    SCALAY_TRY(scalay_layout_owner_map(layout, &grid));
    const scalay_owner_map *map[] = {choice.map, grid};
    for (int c = 0; c < 2; c++) {
        const int64_t steps = scalay_ceil_div(k, nb[c]);
        SCALAY_TRY(SCALAY_NEW(x[c], steps));
        SCALAY_TRY(SCALAY_NEW(y[c], steps));
        SCALAY_TRY(scalay_trailing_steps(map[c], nb[c], choice.speed, trailing, y[c]));
        for (int64_t s = 0; s < steps; s++) x[c][s] = (double)(s * nb[c]);
    }
    const scalay_plot_axis across = {.name = "first column", .from_zero = 1};
    const scalay_plot_axis up = {.name = "trailing balance", .from_zero = 1};
    const scalay_plot_curve curves[] = {
        {.name = "canonical", .colour = 1, .points = scalay_ceil_div(k, nb[1]), .x = x[1], .y = y[1]},
        {.name = "own", .colour = 0, .points = scalay_ceil_div(k, nb[0]), .x = x[0], .y = y[0]}};
    SCALAY_TRY(scalay_plot_add_curves(plot, "trailing balance", &across, &up, curves, 2));
cleanup:
    for (int c = 0; c < 2; c++) {
        scalay_release(x[c]);
        scalay_release(y[c]);
    }
    scalay_owner_map_destroy(&grid);
    scalay_layout_destroy(&layout);
    return status;
}

static scalay_status add_times(const scalay_factor_job *q, scalay_plot *plot)
{
    return scalay_strategies_plot(plot, q->strategies, q->count, q->chosen);
}

static const struct {
    const char *name;
    panel_maker make;
} panels[] = {{"before", add_before}, {"after", add_after},     {"traffic", add_traffic},
              {"own", add_own},       {"balance", add_balance}, {"times", add_times}};

enum { PANELS = (int)(sizeof panels / sizeof panels[0]) };

/* Draws panels first .. last - 1. */
static scalay_status draw_panels(const scalay_factor_job *q, const char *path, int first, int last)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    char title[160];
    const char *name = strrchr(q->job.path, '/') != NULL ? strrchr(q->job.path, '/') + 1 : q->job.path;
    (void)snprintf(title, sizeof title, "%s of %.50s on %d processes: %.1f%% of the elements move (canonical: %.1f%%)",
                   scalay_factor_names_of(q->kind)->title, name, scalay_comm_size(q->job.comm),
                   scalay_strategy_moved(&q->job, &q->strategies[q->chosen]),
                   scalay_strategy_moved(&q->job, find(q, "canonical")));
    SCALAY_TRY(scalay_plot_create(last - first > 1 ? title : NULL, &plot));
    for (int k = first; k < last; k++) SCALAY_TRY(panels[k].make(q, plot));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status draw(const scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *prefix = q->options->common.plot;
    char *path = NULL;
    const int64_t size = (int64_t)strlen(prefix) + 32;
    if (!scalay_plot_is_prefix(prefix)) return draw_panels(q, prefix, 0, PANELS);
    SCALAY_TRY(SCALAY_NEW(path, size));
    for (int k = 0; k < PANELS; k++) {
        (void)snprintf(path, (size_t)size, "%s-%s.svg", prefix, panels[k].name);
        SCALAY_TRY(draw_panels(q, path, k, k + 1));
    }
cleanup:
    scalay_release(path);
    return status;
}

scalay_status scalay_factor_job_report(scalay_factor_job *q)
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
