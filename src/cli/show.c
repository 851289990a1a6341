/* scalay show: draws a layout as text or as a picture, and counts the elements of each process. */

#include "base/memory.h"
#include "input.h"
#include "io/plot.h"
#include "output.h"

enum { MAX_CELLS = 64, MAX_ROWS = 64, SENTENCE = 512 };

typedef struct {
    scalay_common_options common;
} show_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Output"),
    SCALAY_PLOT_ROW(show_options, "draw the owner map with gnuplot"),
    SCALAY_JSON_ROW(show_options),
    SCALAY_QUIET_ROW(show_options),
    SCALAY_LAST_ROW,
};

static json_t *elements_of_process(const void *layout, int64_t process)
{
    return json_integer((json_int_t)scalay_layout_elements(layout, (int)process));
}

static json_t *layout_as_json(const scalay_layout *layout, const char *sentence)
{
    return json_pack("{s:s, s:I, s:I, s:i, s:i, s:o}", "description", sentence, "m",
                     (json_int_t)scalay_layout_rows(layout), "n", (json_int_t)scalay_layout_cols(layout), "parts",
                     scalay_layout_parts(layout), "processes", scalay_layout_processes(layout), "counts",
                     scalay_json_list(scalay_layout_processes(layout), elements_of_process, layout));
}

static scalay_status print_drawing(const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    char *drawing = NULL;
    const int64_t length = scalay_layout_draw(layout, MAX_CELLS, NULL, 0);
    if (length < 0) return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "the layout cannot be drawn as text; please report this");
    SCALAY_TRY(SCALAY_NEW(drawing, length + 1));
    (void)scalay_layout_draw(layout, MAX_CELLS, drawing, (size_t)length + 1);
    printf("\n%s\n", drawing);
cleanup:
    scalay_release(drawing);
    return status;
}

static scalay_status print_counts(const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table rows = {0};
    const int processes = scalay_layout_processes(layout);
    const double all = (double)scalay_layout_rows(layout) * (double)scalay_layout_cols(layout);
    int64_t min = INT64_MAX;
    int64_t max = 0;
    SCALAY_TRY(scalay_table_add(&rows, "process|elements|share"));
    for (int process = 0; process < processes; process++) {
        const int64_t count = scalay_layout_elements(layout, process);
        if (count < min) min = count;
        if (count > max) max = count;
        if (process < MAX_ROWS)
            SCALAY_TRY(scalay_table_add(&rows, "%d|%lld|%.2f%%", process, (long long)count,
                                        scalay_percent((double)count, all)));
    }
    scalay_table_print(&rows);
    if (processes > MAX_ROWS) printf("  ... and %d more; --json lists all of them\n", processes - MAX_ROWS);
    printf("\nElements per process: at least %lld, at most %lld.\n", (long long)min, (long long)max);
cleanup:
    scalay_table_free(&rows);
    return status;
}

static scalay_status plot_layout(const char *path, const scalay_layout *layout, const char *sentence)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_progress_say("drawing %s", path);
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    SCALAY_TRY(scalay_plot_add_layout(plot, sentence, layout));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status run_show(const void *given, scalay_comm *comm)
{
    const show_options *options = given;
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    char sentence[SENTENCE];
    (void)comm;
    SCALAY_TRY(scalay_check_picture(options->common.plot));
    SCALAY_TRY(scalay_input_layout("LAYOUT", options->common.operand[0], -1, -1, &layout));
    (void)scalay_layout_describe(layout, sentence, sizeof sentence);
    if (options->common.plot != NULL) SCALAY_TRY(plot_layout(options->common.plot, layout, sentence));
    scalay_progress_stop();
    if (options->common.json) {
        SCALAY_TRY(scalay_json_print(layout_as_json(layout, sentence)));
    } else if (!options->common.quiet) {
        printf("%s\n", sentence);
        SCALAY_TRY(print_drawing(layout));
        SCALAY_TRY(print_counts(layout));
    }
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

const scalay_subcommand scalay_subcommand_show = {
    .name = "show",
    .summary = "draw a layout and count the elements of each process",
    .usage = {"LAYOUT [OPTIONS]"},
    .description = "Draws the owner map of a layout, one character for each block or tile. Describes the layout, and "
                   "counts the elements of each process. scalay help layout explains LAYOUT.\n",
    .example = "  scalay show skewed:m=512,n=512,mb=64,nb=64,p=2,q=2 --plot skewed.svg\n",
    .operand = {"LAYOUT"},
    .table = option_table,
    .options_size = sizeof(show_options),
    .run = run_show,
};
