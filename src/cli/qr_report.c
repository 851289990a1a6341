#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "progress.h"
#include "qr.h"

enum { SENTENCE = 512 };

/* --------------------------------------------------------------------------------------------------- text */

static const scalay_strategy *find(const scalay_qr_job *q, const char *name)
{
    for (int k = 0; k < q->count; k++)
        if (strcmp(q->strategies[k].name, name) == 0) return &q->strategies[k];
    return NULL;
}

static void print_problem(const scalay_qr_job *q)
{
    char sentence[SENTENCE];
    (void)scalay_file_describe(&q->job.file, sentence, sizeof sentence);
    printf("QR factorisation of %s on %d processes\n\n", q->job.path, scalay_comm_size(q->job.comm));
    printf("file    %s; in memory type %s\n", sentence, scalay_type_name(q->job.type));
    (void)scalay_layout_describe(q->job.source, sentence, sizeof sentence);
    printf(
        "before  %s\n        %s%s\n", sentence, q->job.source_text,
        q->options->from == NULL
            ? "\n        (the default: cut into the blocks of the kernel, on the wrong processes; --from sets another)"
            : "");
    (void)scalay_layout_describe(q->target, sentence, sizeof sentence);
    printf("after   %s\n\n", sentence);
}

static scalay_status print_explanation(const scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    char *text = NULL;
    int length = scalay_qr_describe(q->qr, NULL, 0);
    SCALAY_TRY(SCALAY_NEW(text, (int64_t)length + 1));
    (void)scalay_qr_describe(q->qr, text, (size_t)length + 1);
    printf("\n");
    scalay_print_wrapped(text, 0, stdout);
cleanup:
    scalay_release(text);
    return status;
}

static int same_mapping(const scalay_strategy *a, const scalay_strategy *b)
{
    return a->grid[0] == b->grid[0] && a->grid[1] == b->grid[1] && a->nb == b->nb && a->parts == b->parts &&
           memcmp(a->mapping, b->mapping, (size_t)a->parts * sizeof *a->mapping) == 0;
}

/* Says of each strategy that it is the same as an earlier one. */
static void print_twins(const scalay_qr_job *q)
{
    for (int b = 1; b < q->count; b++)
        for (int a = 0; a < b; a++) {
            if (!same_mapping(&q->strategies[a], &q->strategies[b])) continue;
            printf("  %s is the same mapping as %s here: their times differ by chance\n", q->strategies[b].name,
                   q->strategies[a].name);
            break;
        }
}

static void print_gain(const scalay_qr_job *q)
{
    const scalay_strategy *chosen = &q->strategies[q->chosen];
    const scalay_strategy *canonical = find(q, "canonical");
    const scalay_strategy *owner = find(q, "owner");
    print_twins(q);
    if (q->no_owner != NULL) printf("  owner cannot run: %s\n", q->no_owner);
    printf("\n%s moves %.1f%% of the elements", chosen->name, scalay_strategy_moved(&q->job, chosen));
    if (chosen->volume < canonical->volume)
        printf(" instead of %.1f%%, in %.2f ms instead of %.2f ms (canonical)",
               scalay_strategy_moved(&q->job, canonical), 1e3 * chosen->move_seconds, 1e3 * canonical->move_seconds);
    printf(".\n");
    if (owner != NULL && owner != chosen)
        printf("Where the matrix was, the kernel took %.2f ms; moving first, both together %.2f ms.\n",
               1e3 * owner->kernel_seconds, 1e3 * (chosen->move_seconds + chosen->kernel_seconds));
}

static scalay_status print_text(const scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    print_problem(q);
    SCALAY_TRY(scalay_strategies_print(&q->job, q->strategies, q->count, q->chosen, "kernel"));
    print_gain(q);
    SCALAY_TRY(print_explanation(q));
    printf("\nresidual %.3g, orthogonality %.3g, in multiples of the rounding error: below about 1 is right.\n",
           q->residual, q->orthogonality);
    if (q->options->output_r != NULL) printf("R is in %s.\n", q->options->output_r);
    if (q->options->plot != NULL) printf("Pictures: %s\n", q->options->plot);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- JSON */

static scalay_status print_json(const scalay_qr_job *q)
{
    json_t *document = scalay_strategies_as_json(&q->job, q->strategies, q->count, q->chosen);
    int failed = document == NULL || json_object_set_new(document, "residual", scalay_json_number(q->residual)) != 0 ||
                 json_object_set_new(document, "orthogonality", scalay_json_number(q->orthogonality)) != 0;
    if (!failed && q->no_owner != NULL)
        failed = json_object_set_new(document, "skipped",
                                     json_pack("[{s:s, s:s}]", "name", "owner", "reason", q->no_owner)) != 0;
    if (failed) {
        json_decref(document);
        document = NULL;
    }
    return scalay_json_print(document);
}

/* ----------------------------------------------------------------------------------------------- pictures */

typedef scalay_status (*panel_maker)(const scalay_qr_job *q, scalay_plot *plot);

static scalay_status add_before(const scalay_qr_job *q, scalay_plot *plot)
{
    return scalay_plot_add_layout(plot, "before", q->job.source);
}

static scalay_status add_after(const scalay_qr_job *q, scalay_plot *plot)
{
    char title[96];
    const scalay_strategy *chosen = &q->strategies[q->chosen];
    (void)snprintf(title, sizeof title, "after: %d x %d grid, %s mapping", chosen->grid[0], chosen->grid[1],
                   chosen->name);
    return scalay_plot_add_layout(plot, title, q->target);
}

static scalay_status add_traffic(const scalay_qr_job *q, scalay_plot *plot)
{
    return scalay_plot_add_traffic(plot, "traffic", q->traffic, q->strategies[q->chosen].mapping);
}

static scalay_status add_times(const scalay_qr_job *q, scalay_plot *plot)
{
    return scalay_strategies_plot(plot, q->strategies, q->count, q->chosen);
}

static const struct {
    const char *name;
    panel_maker make;
} panels[] = {{"before", add_before}, {"after", add_after}, {"traffic", add_traffic}, {"times", add_times}};

enum { PANELS = (int)(sizeof panels / sizeof panels[0]) };

/* A picture of panels first .. last - 1. */
static scalay_status draw_panels(const scalay_qr_job *q, const char *path, int first, int last)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    char title[160];
    const char *name = strrchr(q->job.path, '/') != NULL ? strrchr(q->job.path, '/') + 1 : q->job.path;
    (void)snprintf(title, sizeof title, "QR of %.60s on %d processes: %.1f%% of the elements move instead of %.1f%%",
                   name, scalay_comm_size(q->job.comm), scalay_strategy_moved(&q->job, &q->strategies[q->chosen]),
                   scalay_strategy_moved(&q->job, find(q, "canonical")));
    SCALAY_TRY(scalay_plot_create(last - first > 1 ? title : NULL, &plot));
    for (int k = first; k < last; k++) SCALAY_TRY(panels[k].make(q, plot));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status draw(const scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *prefix = q->options->plot;
    char *path = NULL;
    int64_t room = (int64_t)strlen(prefix) + 32;
    if (scalay_plot_check_path(prefix) == SCALAY_SUCCESS) return draw_panels(q, prefix, 0, PANELS);
    SCALAY_TRY(SCALAY_NEW(path, room));
    for (int k = 0; k < PANELS; k++) {
        (void)snprintf(path, (size_t)room, "%s-%s.svg", prefix, panels[k].name);
        SCALAY_TRY(draw_panels(q, path, k, k + 1));
    }
cleanup:
    scalay_release(path);
    return status;
}

scalay_status scalay_qr_job_report(scalay_qr_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    if (q->options->plot != NULL) {
        scalay_progress_say("drawing %s", q->options->plot);
        SCALAY_TRY(scalay_traffic_create(q->job.source, q->target, &q->traffic));
        SCALAY_TRY(draw(q));
    }
    scalay_progress_stop();
    SCALAY_TRY(q->options->json ? print_json(q) : print_text(q));
cleanup:
    return status;
}
