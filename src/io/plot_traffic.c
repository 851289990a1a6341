#include "base/integer.h"
#include "base/memory.h"
#include "io/panel.h"

enum { WRITTEN = 8, CRISP = 64, MARKED = 1024 };

/* The traffic, added up over equal pieces of both directions when there are too many. */
typedef struct {
    int rows, cols;       /* cells */
    int processes, parts; /* what they stand for */
    double *cells;        /* shape [rows][cols] */
    double most;
} heat_map;

static int cell_of(int index, int extent, int cells)
{
    return (int)((int64_t)index * cells / extent);
}

/* A mapping may use processes that hold nothing: they get rows too. */
static scalay_status count_processes(const scalay_traffic *traffic, const int *process, int *processes)
{
    scalay_traffic_summary summary;
    const scalay_status status = scalay_traffic_get_summary(traffic, &summary);
    if (status != SCALAY_SUCCESS) return status;
    *processes = summary.processes;
    for (int j = 0; process != NULL && j < summary.parts; j++) {
        if (process[j] < 0)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "process[%d] is %d; pass processes from 0 on", j, process[j]);
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

/* Twice, where gnuplot needs a second row or column to draw an image. */
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
    scalay_string_append(commands, "set label 'elements' at graph 1.03, graph 1 offset 0,1 left\n");
    scalay_string_append(commands, "set size ratio 1\nset xrange [-0.5:%d.5]\nset yrange [%d.5:-0.5]\n", map->parts - 1,
                         map->processes - 1);
    scalay_string_append(commands, "set xlabel 'part%s'\nset ylabel 'process that holds it now'\nunset key\n",
                         marked ? " (framed: the process that takes it)" : "");
    if (map->parts <= 16) scalay_string_append(commands, "set xtics 1\n");
    if (map->processes <= 16) scalay_string_append(commands, "set ytics 1\n");
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
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; pass a traffic matrix");
    SCALAY_TRY(count_processes(traffic, process, &map.processes));
    SCALAY_TRY(fill_heat_map(traffic, &map));
    SCALAY_TRY(scalay_panel_begin(plot, __func__, title, &locale, &panel));
    add_heat_map(panel, &map, process, scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    scalay_release(map.cells);
    return status;
}
