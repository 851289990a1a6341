/* scalay show: draws a layout. */

#include "base/memory.h"
#include "failure.h"
#include "inputs.h"
#include "io/plot.h"
#include "options.h"
#include "progress.h"
#include "report.h"

enum { MOST_CELLS = 64, MOST_COUNTS = 64 };

static const scalay_option show_options[] = {
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf}",
                      "draws the map of owners with gnuplot; the script stays beside it as FILE.gp"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

static json_t *layout_as_json(const scalay_layout *layout, const char *sentence)
{
    json_t *counts = json_array();
    for (int process = 0; counts != NULL && process < scalay_layout_processes(layout); process++)
        if (json_array_append_new(counts, json_integer(scalay_layout_elements(layout, process))) != 0) {
            json_decref(counts);
            counts = NULL;
        }
    return json_pack("{s:s, s:I, s:I, s:i, s:i, s:o}", "description", sentence, "m",
                     (json_int_t)scalay_layout_rows(layout), "n", (json_int_t)scalay_layout_cols(layout), "parts",
                     scalay_layout_parts(layout), "processes", scalay_layout_processes(layout), "counts", counts);
}

static scalay_status print_drawing(const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    char *drawing = NULL;
    int64_t length = scalay_layout_draw(layout, MOST_CELLS, NULL, 0);
    if (length < 0) return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "the layout cannot be drawn as text");
    SCALAY_TRY(SCALAY_NEW(drawing, length + 1));
    (void)scalay_layout_draw(layout, MOST_CELLS, drawing, (size_t)length + 1);
    printf("\n%s\n", drawing);
cleanup:
    scalay_release(drawing);
    return status;
}

static scalay_status print_counts(const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int processes = scalay_layout_processes(layout);
    double all = (double)scalay_layout_rows(layout) * (double)scalay_layout_cols(layout);
    int64_t least = INT64_MAX;
    int64_t most = 0;
    SCALAY_TRY(scalay_table_add(&table, "process|elements|share"));
    for (int process = 0; process < processes; process++) {
        int64_t count = scalay_layout_elements(layout, process);
        if (count < least) least = count;
        if (count > most) most = count;
        if (process < MOST_COUNTS)
            SCALAY_TRY(scalay_table_add(&table, "%d|%lld|%.2f%%", process, (long long)count,
                                        scalay_percent((double)count, all)));
    }
    scalay_table_print(&table);
    if (processes > MOST_COUNTS) printf("  ... and %d more; --json lists them all\n", processes - MOST_COUNTS);
    printf("\nThe fewest elements on a process are %lld, the most %lld.\n", (long long)least, (long long)most);
cleanup:
    scalay_table_free(&table);
    return status;
}

static scalay_status plot_layout(const char *path, const scalay_layout *layout, const char *sentence)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    SCALAY_TRY(scalay_plot_add_layout(plot, sentence, layout));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status run_show(const scalay_options *options, scalay_comm *comm)
{
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    char sentence[512];
    if (options->plot != NULL) SCALAY_TRY(scalay_plot_check_path(options->plot));
    SCALAY_TRY(scalay_input_layout("LAYOUT", options->operand, -1, -1, &layout));
    (void)scalay_layout_describe(layout, sentence, sizeof sentence);
    if (options->plot != NULL) {
        scalay_progress_say("drawing %s", options->plot);
        SCALAY_TRY(plot_layout(options->plot, layout, sentence));
    }
    scalay_progress_stop();
    if (options->json) {
        SCALAY_TRY(scalay_json_print(layout_as_json(layout, sentence)));
    } else {
        printf("%s\n", sentence);
        SCALAY_TRY(print_drawing(layout));
        SCALAY_TRY(print_counts(layout));
    }
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

const scalay_command scalay_command_show = {
    .name = "show",
    .summary = "draws a layout and counts what each process holds",
    .usage = "LAYOUT [--plot FILE] [--json]",
    .description = "Draws who owns what, a cell for each block or tile, describes the layout, and counts the\n"
                   "elements of each process. LAYOUT is one of\n"
                   "  cyclic:m=..,n=..,mb=..,nb=..,p=..,q=..[,rsrc=..,csrc=..,ia=..,ja=..,order=row|col]\n"
                   "  tiles:FILE      first line `m n mb nb P`, then one owner per tile, row by row\n"
                   "  partition:FILE  what scalay partition --json printed\n"
                   "  skewed:m=..,n=..,mb=..,nb=..,p=..,q=..[,seed=..]\n"
                   "  chunks:m=..,n=..,mb=..,nb=..,p=..[,seed=..]\n",
    .example = "  scalay show skewed:m=512,n=512,mb=64,nb=64,p=2,q=2 --plot skewed.svg\n",
    .operand = "LAYOUT",
    .options = show_options,
    .run = run_show,
};
