/*
 * Tile maps and the processes that need the rows of a panel.
 *
 * All tables are by class, never by process and tile: O(row classes * column classes + tile rows + tile columns).
 */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "factor/engine_plan.h"
#include "partition/owner_map.h"

int scalay_engine_find(const int *number, int count, int x)
{
    int low = 0;
    while (low < count) {
        const int middle = low + (count - low) / 2;
        if (number[middle] < x)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* ------------------------------------------------------------------------------------------------ tile maps */

/* The class of the line in the middle of each tile, and the tiles of each class. */
static scalay_status find_axis(const scalay_map_axis *from, int nb, int tiles, scalay_engine_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    axis->classes = (int)from->classes;
    SCALAY_TRY(SCALAY_NEW(axis->start, from->classes + 2));
    SCALAY_TRY(SCALAY_NEW(axis->line, tiles));
    SCALAY_TRY(SCALAY_NEW(axis->class, tiles));
    for (int t = 0; t < tiles; t++) {
        const int64_t begin = (int64_t)t * nb, end = scalay_min_int64(begin + nb, from->extent);
        axis->class[t] = (int)from->run_class[scalay_map_axis_run(from, (begin + end - 1) / 2)];
        axis->start[axis->class[t] + 2]++;
    }
    for (int c = 1; c <= axis->classes; c++) axis->start[c + 1] += axis->start[c];
    for (int t = 0; t < tiles; t++) axis->line[axis->start[axis->class[t] + 1]++] = t;
cleanup:
    return status;
}

static scalay_status find_tile_owners(const scalay_owner_map *map, const int *process, int transpose,
                                      scalay_engine_map *tiles)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rows = tiles->row.classes, cols = tiles->col.classes;
    SCALAY_TRY(SCALAY_NEW(tiles->owner, (int64_t)rows * cols));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            const int part = map->owner[transpose ? (int64_t)c * rows + r : (int64_t)r * cols + c];
            tiles->owner[(int64_t)r * cols + c] = process != NULL ? process[part] : part;
        }
cleanup:
    return status;
}

scalay_status scalay_engine_map_create(const scalay_owner_map *map, const int *process, int processes, int nb,
                                       int transpose, scalay_engine_map *tiles)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_map_axis *row = transpose ? &map->col : &map->row, *col = transpose ? &map->row : &map->col;
    *tiles = (scalay_engine_map){.m = (int)row->extent, .n = (int)col->extent, .nb = nb, .processes = processes};
    if (row->extent == 0 || col->extent == 0) return SCALAY_SUCCESS;
    tiles->tile_rows = (int)scalay_ceil_div(row->extent, nb);
    tiles->tile_cols = (int)scalay_ceil_div(col->extent, nb);
    SCALAY_TRY(find_axis(row, nb, tiles->tile_rows, &tiles->row));
    SCALAY_TRY(find_axis(col, nb, tiles->tile_cols, &tiles->col));
    SCALAY_TRY(find_tile_owners(map, process, transpose, tiles));
cleanup:
    return status;
}

static void free_axis(scalay_engine_axis *axis)
{
    scalay_release(axis->start);
    scalay_release(axis->line);
    scalay_release(axis->class);
}

void scalay_engine_map_free(scalay_engine_map *tiles)
{
    free_axis(&tiles->row);
    free_axis(&tiles->col);
    scalay_release(tiles->owner);
    *tiles = (scalay_engine_map){0};
}

/* -------------------------------------------------------------------------------------------------- reaches */

/* Collects the processes of one class, each with the maximum of its steps. */
typedef struct {
    int *last;    /* shape [processes]; -1: not in the class */
    int *process; /* shape [processes] */
    int processes;
} collector;

static scalay_status start_collector(int processes, collector *c)
{
    scalay_status status = SCALAY_SUCCESS;
    *c = (collector){0};
    SCALAY_TRY(SCALAY_NEW(c->last, processes));
    SCALAY_TRY(SCALAY_NEW(c->process, processes));
    for (int p = 0; p < processes; p++) c->last[p] = -1;
cleanup:
    return status;
}

static void free_collector(collector *c)
{
    scalay_release(c->last);
    scalay_release(c->process);
}

static void collect(collector *c, int process, int last)
{
    if (c->last[process] < 0) c->process[c->processes++] = process;
    if (c->last[process] < last) c->last[process] = last;
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Appends a class to a table, and empties the collector. */
static scalay_status close_class(collector *c, int class, scalay_engine_reaches *reaches)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t entries = reaches->start[class];
    qsort(c->process, (size_t)c->processes, sizeof *c->process, compare_ints);
    SCALAY_TRY(SCALAY_GROW(reaches->entry, reaches->capacity, entries + c->processes));
    for (int p = 0; p < c->processes; p++) {
        reaches->entry[entries++] = (scalay_engine_reach){c->process[p], c->last[c->process[p]]};
        c->last[c->process[p]] = -1;
    }
    reaches->start[class + 1] = entries;
    c->processes = 0;
cleanup:
    return status;
}

static scalay_status start_reaches(int classes, scalay_engine_reaches *reaches)
{
    *reaches = (scalay_engine_reaches){.classes = classes};
    return SCALAY_NEW(reaches->start, (int64_t)classes + 1);
}

void scalay_engine_reaches_free(scalay_engine_reaches *reaches)
{
    scalay_release(reaches->start);
    scalay_release(reaches->entry);
    *reaches = (scalay_engine_reaches){0};
}

int64_t scalay_engine_reach_index(const scalay_engine_reaches *reaches, int class, int process)
{
    int64_t low = reaches->start[class], end = reaches->start[class + 1];
    while (low < end) {
        const int64_t middle = low + (end - low) / 2;
        if (reaches->entry[middle].process < process)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

int scalay_engine_last(const scalay_engine_reaches *reaches, int class, int process)
{
    const int64_t low = scalay_engine_reach_index(reaches, class, process);
    return low < reaches->start[class + 1] && reaches->entry[low].process == process ? reaches->entry[low].last : -1;
}

static int has_lines(const scalay_engine_axis *axis, int class)
{
    return axis->start[class] < axis->start[class + 1];
}

static int last_line(const scalay_engine_axis *axis, int class)
{
    return axis->line[axis->start[class + 1] - 1];
}

/* The owners of one column class; Cholesky: those that own a tile (i, j), i >= j. */
static void collect_column(const scalay_engine_map *map, scalay_factor_kind kind, int col, collector *c)
{
    if (!has_lines(&map->col, col)) return;
    const int first = kind == SCALAY_FACTOR_CHOLESKY ? map->col.line[map->col.start[col]] : 0;
    for (int r = 0; r < map->row.classes; r++)
        if (has_lines(&map->row, r) && last_line(&map->row, r) >= first)
            collect(c, map->owner[(int64_t)r * map->col.classes + col], last_line(&map->row, r));
}

/* The owners of one row class, with their last tile column; Cholesky: up to the last diagonal tile. */
static void collect_row(const scalay_engine_map *map, scalay_factor_kind kind, int row, collector *c)
{
    if (!has_lines(&map->row, row)) return;
    const int end = kind == SCALAY_FACTOR_CHOLESKY ? last_line(&map->row, row) : map->tile_cols - 1;
    for (int col = 0; col < map->col.classes; col++) {
        const int *line = map->col.line + map->col.start[col];
        const int lines = scalay_engine_find(line, map->col.start[col + 1] - map->col.start[col], end + 1);
        if (lines > 0) collect(c, map->owner[(int64_t)row * map->col.classes + col], line[lines - 1]);
    }
}

scalay_status scalay_engine_find_owners(const scalay_engine_map *map, scalay_factor_kind kind,
                                        scalay_engine_reaches *owners)
{
    scalay_status status = SCALAY_SUCCESS;
    collector c = {0};
    SCALAY_TRY(start_reaches(map->col.classes, owners));
    SCALAY_TRY(start_collector(map->processes, &c));
    for (int col = 0; col < map->col.classes; col++) {
        collect_column(map, kind, col, &c);
        SCALAY_TRY(close_class(&c, col, owners));
    }
cleanup:
    free_collector(&c);
    return status;
}

/* A tile row with its classes as a row and as a column. */
typedef struct {
    int row_class, col_class, line;
} classed_line;

static int compare_lines(const void *a, const void *b)
{
    const classed_line *x = a, *y = b;
    if (x->row_class != y->row_class) return x->row_class < y->row_class ? -1 : 1;
    if (x->col_class != y->col_class) return x->col_class < y->col_class ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static scalay_status list_lines(const scalay_engine_map *map, scalay_factor_kind kind, classed_line **lines)
{
    const scalay_status status = SCALAY_NEW(*lines, map->tile_rows);
    for (int i = 0; status == SCALAY_SUCCESS && i < map->tile_rows; i++)
        (*lines)[i] = (classed_line){map->row.class[i], kind == SCALAY_FACTOR_CHOLESKY ? map->col.class[i] : 0, i};
    if (status == SCALAY_SUCCESS) qsort(*lines, (size_t)map->tile_rows, sizeof **lines, compare_lines);
    return status;
}

scalay_status scalay_engine_find_needs(const scalay_engine_map *map, scalay_factor_kind kind,
                                       const scalay_engine_reaches *owners, int **line_class,
                                       scalay_engine_reaches *needs)
{
    scalay_status status = SCALAY_SUCCESS;
    collector c = {0};
    classed_line *line = NULL;
    int classes = 0;
    SCALAY_TRY(SCALAY_NEW(*line_class, map->tile_rows));
    SCALAY_TRY(list_lines(map, kind, &line));
    SCALAY_TRY(start_reaches(map->tile_rows, needs));
    SCALAY_TRY(start_collector(map->processes, &c));
    for (int i = 0; i < map->tile_rows; i++) {
        (*line_class)[line[i].line] = classes;
        const int is_last = i + 1 == map->tile_rows || line[i + 1].row_class != line[i].row_class ||
                            line[i + 1].col_class != line[i].col_class;
        if (!is_last) continue;
        collect_row(map, kind, line[i].row_class, &c);
        for (int64_t e = owners->start[line[i].col_class];
             kind == SCALAY_FACTOR_CHOLESKY && e < owners->start[line[i].col_class + 1]; e++)
            collect(&c, owners->entry[e].process, owners->entry[e].last);
        SCALAY_TRY(close_class(&c, classes++, needs));
    }
    needs->classes = classes;
cleanup:
    free_collector(&c);
    scalay_release(line);
    return status;
}
