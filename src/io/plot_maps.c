/*
 * Panels of owner maps and traffic matrices.
 *
 * An owner map is drawn as rectangles. Owners are sampled at up to SCALAY_PLOT_CELLS rows and columns; the edges
 * between samples with different owners are found by bisection; equal neighbours are merged. A layout with too many
 * rectangles, such as thousands of blocks, is drawn in part: its first ZOOM_BANDS bands of rows and columns. Time:
 * O(c^2 log(m n)) owners for c = SCALAY_PLOT_CELLS.
 */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "io/panel.h"

/* ------------------------------------------------------------------------------------------------- owner maps */

enum {
    MAX_RECTANGLES = 4096,
    ZOOM_BANDS = 32, /* of each axis, if there are too many rectangles */
    CHECKS = 256,    /* owners that are compared with the samples */
    NUMBERED = 100,  /* processes whose numbers are written into rectangles */
    FEW = 10         /* rows or columns that all have a tic */
};

/* Owners at sampled rows (axis 0) and columns (axis 1) of the upper left part of a layout. */
typedef struct {
    const scalay_layout *layout;
    int64_t extent[2]; /* rows and columns that are shown */
    int samples[2];
    int64_t at[2][SCALAY_PLOT_CELLS];       /* sampled rows and columns */
    int64_t edge[2][SCALAY_PLOT_CELLS + 1]; /* begin of the band of each sample; the last one is the extent */
    int *owner;                             /* shape [samples[0]][samples[1]] */
} owner_samples;

static int owner_at(const owner_samples *view, int axis, int64_t line, int k)
{
    return axis == 0 ? scalay_layout_owner(view->layout, line, view->at[1][k])
                     : scalay_layout_owner(view->layout, view->at[0][k], line);
}

static int are_equal_lines(const owner_samples *view, int axis, int64_t a, int64_t b)
{
    for (int k = 0; k < view->samples[1 - axis]; k++)
        if (owner_at(view, axis, a, k) != owner_at(view, axis, b, k)) return 0;
    return 1;
}

/* Returns the first line after `low` that differs from it, up to `high`, which differs. */
static int64_t bisect_edge(const owner_samples *view, int axis, int64_t low, int64_t high)
{
    const int64_t reference = low;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (are_equal_lines(view, axis, reference, middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void set_samples(owner_samples *view, int axis)
{
    const int64_t extent = view->extent[axis];
    const int samples = (int)scalay_min_int64(extent, SCALAY_PLOT_CELLS);
    view->samples[axis] = samples;
    for (int k = 0; k < samples; k++)
        view->at[axis][k] = extent == samples ? k : (int64_t)(((double)k + 0.5) * ((double)extent / (double)samples));
}

static void find_edges(owner_samples *view, int axis)
{
    const int64_t *at = view->at[axis];
    view->edge[axis][0] = 0;
    for (int k = 1; k < view->samples[axis]; k++) {
        const int differ = at[k] - at[k - 1] > 1 && !are_equal_lines(view, axis, at[k - 1], at[k]);
        view->edge[axis][k] = differ ? bisect_edge(view, axis, at[k - 1], at[k]) : at[k];
    }
    view->edge[axis][view->samples[axis]] = view->extent[axis];
}

static void take_samples(owner_samples *view)
{
    for (int axis = 0; axis < 2; axis++) set_samples(view, axis);
    for (int i = 0; i < view->samples[0]; i++)
        for (int j = 0; j < view->samples[1]; j++)
            view->owner[i * view->samples[1] + j] = owner_at(view, 0, view->at[0][i], j);
}

/* Returns 1 if the samples j0 to j1 - 1 of row i have one owner, and their neighbours have others. */
static int is_run(const owner_samples *view, int i, int j0, int j1)
{
    const int *row = view->owner + (int64_t)i * view->samples[1];
    for (int j = j0; j < j1; j++)
        if (row[j] != row[j0]) return 0;
    return (j0 == 0 || row[j0 - 1] != row[j0]) && (j1 == view->samples[1] || row[j1] != row[j0]);
}

static int is_same_run(const owner_samples *view, int i, int above, int j0, int j1)
{
    const int cols = view->samples[1];
    return is_run(view, above, j0, j1) && view->owner[above * cols + j0] == view->owner[i * cols + j0];
}

/* Columns: centre, left, right, top, bottom, colour, owner, colour of the number. */
static void add_rectangle(scalay_string *data, const owner_samples *view, int i, int end, int j0, int j1)
{
    const int64_t left = view->edge[1][j0], right = view->edge[1][j1], top = view->edge[0][i],
                  bottom = view->edge[0][end];
    const int owner = view->owner[i * view->samples[1] + j0];
    const int processes = scalay_layout_processes(view->layout);
    const int shade = scalay_panel_shade(owner, processes);
    const unsigned colour = scalay_panel_colour(shade, (int)scalay_min_int64(processes, SCALAY_PANEL_SHADES));
    scalay_string_append(data, "%.10g %.10g %lld %lld %lld %lld %d %d %u\n", 0.5 * (double)(left + right),
                         0.5 * (double)(top + bottom), (long long)left, (long long)right, (long long)top,
                         (long long)bottom, shade, owner, scalay_panel_text_colour(colour));
}

/* Counts the rectangles, and adds them to `data` unless it is NULL. */
static int64_t visit_rectangles(const owner_samples *view, scalay_string *data)
{
    int64_t count = 0;
    for (int i = 0; i < view->samples[0]; i++)
        for (int j0 = 0, j1 = 0; j0 < view->samples[1]; j0 = j1) {
            int end = i + 1;
            for (j1 = j0 + 1; j1 < view->samples[1] && !is_run(view, i, j0, j1); j1++) continue;
            if (i > 0 && is_same_run(view, i, i - 1, j0, j1)) continue;
            while (end < view->samples[0] && is_same_run(view, i, end, j0, j1)) end++;
            count++;
            if (data != NULL) add_rectangle(data, view, i, end, j0, j1);
        }
    return count;
}

static int band_of(const owner_samples *view, int axis, int64_t line)
{
    int k = 0;
    while (view->edge[axis][k + 1] <= line) k++;
    return k;
}

/* Returns 1 if more than a quarter of the owners between the samples are wrong: the blocks are finer than the samples.
 */
static int is_aliased(const owner_samples *view)
{
    scalay_random random = scalay_random_seed(1);
    int wrong = 0;
    for (int k = 0; k < CHECKS; k++) {
        const int64_t row = scalay_random_below(&random, view->extent[0]);
        const int64_t col = scalay_random_below(&random, view->extent[1]);
        const int drawn = view->owner[band_of(view, 0, row) * view->samples[1] + band_of(view, 1, col)];
        wrong += drawn != scalay_layout_owner(view->layout, row, col);
    }
    return wrong > CHECKS / 4;
}

/* Returns the end of the first ZOOM_BANDS bands. The bands are found by doubling and bisection. */
static int64_t zoomed_extent(const owner_samples *view, int axis)
{
    const int64_t extent = view->extent[axis];
    int64_t begin = 0;
    for (int band = 0; band < ZOOM_BANDS && begin < extent; band++) {
        int64_t step = 1;
        while (step < extent - begin && are_equal_lines(view, axis, begin, begin + step)) step *= 2;
        if (step >= extent - begin && are_equal_lines(view, axis, begin, extent - 1)) return extent;
        begin = bisect_edge(view, axis, begin + step / 2, scalay_min_int64(begin + step, extent - 1));
    }
    return begin;
}

/* Samples the whole layout; its first bands if it has too many rectangles. */
static void choose_view(owner_samples *view)
{
    take_samples(view);
    int is_fine = visit_rectangles(view, NULL) > MAX_RECTANGLES;
    for (int axis = 0; axis < 2; axis++)
        if (!is_fine) find_edges(view, axis);
    is_fine = is_fine || is_aliased(view);
    if (!is_fine) return;
    const int64_t rows = zoomed_extent(view, 0), cols = zoomed_extent(view, 1);
    view->extent[0] = rows;
    view->extent[1] = cols;
    take_samples(view);
    for (int axis = 0; axis < 2; axis++) find_edges(view, axis);
}

static int64_t longest_label(int processes, const char *const *labels)
{
    int64_t longest = 0;
    for (int p = 0; p < processes && labels != NULL; p++)
        longest = scalay_max_int64(longest, (int64_t)strlen(labels[p]));
    return longest;
}

static double aspect_of(const owner_samples *view)
{
    return fmin(2.0, fmax(0.25, (double)view->extent[0] / (double)view->extent[1]));
}

static void add_map_axis(scalay_string *commands, char which, const char *name, int64_t shown, int64_t extent)
{
    if (shown < extent)
        scalay_string_append(commands, "set %clabel '%s (the first %lld of %lld)'\n", which, name, (long long)shown,
                             (long long)extent);
    else
        scalay_string_append(commands, "set %clabel '%s'\n", which, name);
    if (shown <= FEW) scalay_string_append(commands, "set %ctics 1\n", which);
}

/* Numbers are written into rectangles that are large enough for them. */
static void add_map(scalay_string *commands, const owner_samples *view, int number)
{
    const double aspect = aspect_of(view);
    scalay_string_append(commands, "set size ratio %.6g\nset xrange [0:%lld]\nset yrange [%lld:0]\nunset key\n", aspect,
                         (long long)view->extent[1], (long long)view->extent[0]);
    add_map_axis(commands, 'x', "column", view->extent[1], scalay_layout_cols(view->layout));
    add_map_axis(commands, 'y', "row", view->extent[0], scalay_layout_rows(view->layout));
    scalay_string_append(commands,
                         "set style fill solid 1 border\n"
                         "plot $panel%d using 1:2:3:4:5:6:7 with boxxyerror lw 0.5 lc palette",
                         number);
    if (scalay_layout_processes(view->layout) <= NUMBERED)
        scalay_string_append(commands,
                             ", \\\n     $panel%d using ($4-$3 >= %.10g && $6-$5 >= %.10g ? $1 : NaN):2:8:9 "
                             "with labels tc rgb variable font ',9'",
                             number, 0.055 * (double)view->extent[1],
                             0.05 * (double)view->extent[0] / fmin(1.0, aspect));
    scalay_string_append(commands, "\n");
}

static void add_nothing(scalay_string *data, scalay_string *commands, int number)
{
    scalay_string_append(data, "0 0\n");
    scalay_string_append(commands,
                         "set label 'no elements' at graph 0.5,0.5 center\nunset tics\nunset key\n"
                         "set xrange [-1:1]\nset yrange [-1:1]\nplot $panel%d using 1:2 with dots lc rgb '#ffffff'\n",
                         number);
}

static void add_owner_map(scalay_panel *panel, owner_samples *view, const char *const *labels, int number)
{
    const int processes = scalay_layout_processes(view->layout);
    choose_view(view);
    (void)visit_rectangles(view, &panel->data);
    scalay_panel_add_processes(&panel->commands, processes, labels);
    panel->legend = longest_label(processes, labels);
    if (labels != NULL) scalay_string_append(&panel->commands, "set rmargin %lld\n", (long long)panel->legend + 5);
    add_map(&panel->commands, view, number);
    panel->aspect = fmin(1.0, aspect_of(view));
}

scalay_status scalay_plot_add_layout(scalay_plot *plot, const char *title, const scalay_layout *layout)
{
    return scalay_plot_add_parts(plot, title, layout, NULL);
}

scalay_status scalay_plot_add_parts(scalay_plot *plot, const char *title, const scalay_layout *layout,
                                    const char *const *labels)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_panel *panel = NULL;
    owner_samples view = {.layout = layout};
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    view.extent[0] = scalay_layout_rows(layout);
    view.extent[1] = scalay_layout_cols(layout);
    SCALAY_TRY(SCALAY_NEW(view.owner, (int64_t)SCALAY_PLOT_CELLS * SCALAY_PLOT_CELLS));
    SCALAY_TRY(scalay_panel_begin(plot, __func__, title, &locale, &panel));
    if (view.extent[0] == 0 || view.extent[1] == 0)
        add_nothing(&panel->data, &panel->commands, scalay_panel_number(plot));
    else
        add_owner_map(panel, &view, labels, scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    scalay_release(view.owner);
    return status;
}

/* ------------------------------------------------------------------------------------------- traffic matrices */

enum { WRITTEN = 8, CRISP = 64, MARKED = 1024, FEW_PROCESSES = 16 };

/* A traffic matrix, summed over equal intervals of both axes if it has too many rows or columns. */
typedef struct {
    int rows, cols;       /* of cells */
    int processes, parts; /* of the matrix */
    double *cells;        /* shape [rows][cols] */
    double most;
} heat_map;

static int cell_of(int index, int extent, int cells)
{
    return (int)((int64_t)index * cells / extent);
}

/* A mapping can use processes that hold nothing. They have rows, too. */
static scalay_status count_processes(const scalay_traffic *traffic, const int *process, int *processes)
{
    scalay_traffic_summary summary;
    const scalay_status status = scalay_traffic_get_summary(traffic, &summary);
    if (status != SCALAY_SUCCESS) return status;
    *processes = summary.processes;
    for (int j = 0; process != NULL && j < summary.parts; j++) {
        if (process[j] < 0)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "process[%d] is %d; it must be at least 0", j, process[j]);
        if (process[j] >= *processes) *processes = process[j] + 1;
    }
    return SCALAY_SUCCESS;
}

static scalay_status fill_heat_map(const scalay_traffic *traffic, heat_map *map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_summary summary;
    SCALAY_TRY(scalay_traffic_get_summary(traffic, &summary));
    map->parts = summary.parts;
    map->rows = (int)scalay_min_int64(map->processes, SCALAY_PLOT_CELLS);
    map->cols = (int)scalay_min_int64(map->parts, SCALAY_PLOT_CELLS);
    SCALAY_TRY(SCALAY_NEW(map->cells, (int64_t)map->rows * map->cols));
    for (int i = 0; i < summary.processes; i++) {
        int64_t count = 0;
        const int *part = NULL;
        const int64_t *items = NULL;
        SCALAY_TRY(scalay_traffic_row(traffic, i, &count, &part, &items));
        double *row = map->cells + (int64_t)cell_of(i, map->processes, map->rows) * map->cols;
        for (int64_t k = 0; k < count; k++) {
            double *cell = &row[cell_of(part[k], map->parts, map->cols)];
            *cell += (double)items[k];
            if (*cell > map->most) map->most = *cell;
        }
    }
cleanup:
    return status;
}

/* Gnuplot draws no image with a single row or column: it is repeated. */
static int drawn(int cells)
{
    return cells < 2 ? 2 : cells;
}

static void add_cells(scalay_string *data, const heat_map *map)
{
    for (int i = 0; i < drawn(map->rows); i++) {
        for (int j = 0; j < drawn(map->cols); j++) {
            int row = i < map->rows ? i : 0, col = j < map->cols ? j : 0;
            scalay_string_append(data, "%.10g ", map->cells[(int64_t)row * map->cols + col]);
        }
        scalay_string_append(data, "\n");
    }
}

static void add_numbers(scalay_string *commands, const heat_map *map)
{
    char text[16];
    for (int i = 0; i < map->rows; i++)
        for (int j = 0; j < map->cols; j++) {
            double value = map->cells[i * map->cols + j];
            if (value <= 0.0) continue;
            scalay_panel_short(value, text, sizeof text);
            scalay_string_append(commands, "set label '%s' at %d,%d center front tc rgb '%s'\n", text, j, i,
                                 value > 0.55 * map->most ? "#ffffff" : "#222222");
        }
}

static void add_marks(scalay_string *commands, const heat_map *map, const int *process)
{
    for (int j = 0; j < map->parts && map->parts <= MARKED; j++)
        scalay_string_append(
            commands,
            "set object rectangle from %d-0.44,%d-0.44 to %d+0.44,%d+0.44 front fs empty border rgb '#d62728' lw %s\n",
            j, process[j], j, process[j], map->parts <= CRISP ? "2" : "0.5");
}

static void add_axes(scalay_string *commands, const heat_map *map, int marked)
{
    double most = map->most > 0.0 ? map->most : 1.0;
    scalay_string_append(commands, "set palette defined (0 '#f7f7f7', 0.001 '#e3eefa', 0.35 '#8cb8dd', 0.7 '#3a78b0', "
                                   "1 '#0b2f5b')\n");
    scalay_string_append(commands, "set cbrange [0:%.10g]\nset format cb '%s'\n", most, scalay_panel_format(most));
    scalay_string_append(commands, "set rmargin 7\nset cblabel 'elements' offset 2,0\n");
    scalay_string_append(commands, "set size ratio 1\nset xrange [-0.5:%d.5]\nset yrange [%d.5:-0.5]\n", map->parts - 1,
                         map->processes - 1);
    scalay_string_append(commands, "set xlabel 'part%s'\nset ylabel 'process that holds it'\nunset key\n",
                         marked ? " (framed: the process that receives it)" : "");
    if (map->parts <= FEW_PROCESSES) scalay_string_append(commands, "set xtics 1\n");
    if (map->processes <= FEW_PROCESSES) scalay_string_append(commands, "set ytics 1\n");
}

static void add_heat_map(scalay_panel *panel, const heat_map *map, const int *process, int number)
{
    int crisp = map->rows <= CRISP && map->cols <= CRISP;
    add_cells(&panel->data, map);
    add_axes(&panel->commands, map, process != NULL && map->parts <= MARKED);
    if (process != NULL) add_marks(&panel->commands, map, process);
    if (map->rows <= WRITTEN && map->cols <= WRITTEN) add_numbers(&panel->commands, map);
    scalay_string_append(&panel->commands,
                         "plot $panel%d using (($1+0.5)*%.17g-0.5):(($2+0.5)*%.17g-0.5):3 matrix with image%s\n",
                         number, (double)map->parts / drawn(map->cols), (double)map->processes / drawn(map->rows),
                         crisp ? " pixels" : "");
}

scalay_status scalay_plot_add_traffic(scalay_plot *plot, const char *title, const scalay_traffic *traffic,
                                      const int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_panel *panel = NULL;
    heat_map map = {0};
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(count_processes(traffic, process, &map.processes));
    SCALAY_TRY(fill_heat_map(traffic, &map));
    SCALAY_TRY(scalay_panel_begin(plot, __func__, title, &locale, &panel));
    add_heat_map(panel, &map, process, scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    scalay_release(map.cells);
    return status;
}
