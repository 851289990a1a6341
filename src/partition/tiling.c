/*
 * Tilings: the visible rectangles of a drawing, rounding of their edges, and moves of edges that balance the loads.
 *
 * The drawing is painted on the grid of its distinct coordinates. Time and memory: O(p q) for p distinct row
 * coordinates and q distinct column coordinates, plus the moves. The part with the worst error is moved first (binary
 * heap).
 */
#include "partition/tiling.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"

/* Coordinates that differ by less, relative to the extent, are treated as equal. */
static const double nearly = 1e-9;

/* The distinct coordinates of a direction, ascending. The first and the last one are on the border. */
typedef struct {
    int64_t count;
    double *at;
} coordinates;

/* A tiling under construction. */
typedef struct {
    coordinates axis[2]; /* columns, rows */
    int *part;           /* shape [row cells][column cells] */
    int64_t *cell;       /* shape [rectangles][SCALAY_SIDES]: first row cell, end, first column cell, end */
    int64_t cell_capacity;
    int64_t rectangle_capacity;
    int64_t edge_capacity;
} builder;

static int64_t cells(const builder *build, int is_row)
{
    return build->axis[is_row].count - 1;
}

/* ------------------------------------------------------------------------------------------------------ coordinates */

static double clipped(double value, double extent)
{
    return fmin(fmax(value, 0), extent);
}

static scalay_status find_coordinates(const scalay_drawing *drawing, const double *area, int is_row, double extent,
                                      coordinates *found)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(found->at, 2 * drawing->count + 2));
    int64_t count = 0, kept = 1;
    found->at[count++] = 0;
    found->at[count++] = extent;
    for (int64_t k = 0; k < drawing->count; k++) {
        const scalay_paint *paint = &drawing->paint[k];
        if (area[paint->part] <= 0) continue;
        const double first = is_row ? paint->row : paint->col;
        found->at[count++] = clipped(first, extent);
        found->at[count++] = clipped(first + (is_row ? paint->rows : paint->cols), extent);
    }
    qsort(found->at, (size_t)count, sizeof *found->at, scalay_compare_doubles);
    for (int64_t k = 1; k < count; k++)
        if (found->at[k] - found->at[kept - 1] > nearly * extent) found->at[kept++] = found->at[k];
    if (kept == 1) found->at[kept++] = extent;
    found->at[kept - 1] = extent;
    found->count = kept;
cleanup:
    return status;
}

/* Returns the coordinate that is nearest below a value. */
static int64_t coordinate_index(const coordinates *axis, double value)
{
    const double extent = axis->at[axis->count - 1];
    int64_t low = 0, high = axis->count - 1;
    value = clipped(value, extent);
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (axis->at[middle] <= value)
            low = middle;
        else
            high = middle - 1;
    }
    /* coordinates just before the end of the domain were merged with it */
    return low + 1 == axis->count - 1 && extent - value <= nearly * extent ? low + 1 : low;
}

/* ------------------------------------------------------------------------------------------------------------ paint */

static int largest_part(int parts, const double *area)
{
    int largest = 0;
    for (int part = 1; part < parts; part++)
        if (area[part] > area[largest]) largest = part;
    return largest;
}

/* Computes the visible part of each cell. Cells that are not painted get the largest part. */
static scalay_status paint_cells(builder *build, const scalay_drawing *drawing, int parts, const double *area)
{
    scalay_status status = SCALAY_SUCCESS;
    const coordinates *row = &build->axis[1], *col = &build->axis[0];
    const int64_t across = cells(build, 0), total = cells(build, 1) * across;
    const int background = largest_part(parts, area);
    SCALAY_TRY(SCALAY_NEW(build->part, total));
    for (int64_t k = 0; k < total; k++) build->part[k] = background;
    for (int64_t k = 0; k < drawing->count; k++) {
        const scalay_paint *paint = &drawing->paint[k];
        if (area[paint->part] <= 0) continue;
        const int64_t bottom = coordinate_index(row, paint->row + paint->rows);
        const int64_t left = coordinate_index(col, paint->col), right = coordinate_index(col, paint->col + paint->cols);
        for (int64_t r = coordinate_index(row, paint->row); r < bottom; r++)
            for (int64_t c = left; c < right; c++) build->part[r * across + c] = paint->part;
    }
cleanup:
    return status;
}

/* Returns the end of the cells from c on that have the same part. */
static int64_t run_end(const int *row, int64_t c, int64_t across)
{
    int64_t end = c + 1;
    while (end < across && row[end] == row[c]) end++;
    return end;
}

static int is_run(const int *row, int64_t first, int64_t end, int part)
{
    for (int64_t c = first; c < end; c++)
        if (row[c] != part) return 0;
    return 1;
}

/* Cuts the visible cells into rectangles, each as wide and then as high as possible. Finished cells become -1. */
static scalay_status cut_rectangles(builder *build, scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t down = cells(build, 1), across = cells(build, 0);
    for (int64_t r = 0; r < down; r++)
        for (int64_t c = 0; c < across; c++) {
            int *row = build->part + r * across;
            const int part = row[c];
            if (part < 0) continue;
            const int64_t right = run_end(row, c, across), k = tiling->rectangles;
            int64_t bottom = r + 1;
            while (bottom < down && is_run(build->part + bottom * across, c, right, part)) bottom++;
            SCALAY_TRY(SCALAY_GROW(tiling->rectangle, build->rectangle_capacity, k + 1));
            SCALAY_TRY(SCALAY_GROW(build->cell, build->cell_capacity, SCALAY_SIDES * (k + 1)));
            const int64_t side[SCALAY_SIDES] = {r, bottom, c, right};
            for (int s = 0; s < SCALAY_SIDES; s++) build->cell[SCALAY_SIDES * k + s] = side[s];
            tiling->rectangle[k].part = part;
            tiling->rectangles++;
            for (int64_t i = r; i < bottom; i++)
                for (int64_t j = c; j < right; j++) build->part[i * across + j] = -1;
        }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ edges */

/* A side of a rectangle: its coordinate, and its range along the edge. */
typedef struct {
    int64_t level, first, end;
    int64_t rectangle;
    int side;
} rectangle_side;

static int compare_sides(const void *left, const void *right)
{
    const rectangle_side *a = left, *b = right;
    if (a->level != b->level) return scalay_compare_int64(a->level, b->level);
    if (a->first != b->first) return scalay_compare_int64(a->first, b->first);
    if (a->rectangle != b->rectangle) return scalay_compare_int64(a->rectangle, b->rectangle);
    return a->side - b->side;
}

/* Joins sides that overlap or touch into edges. */
static scalay_status join_sides(builder *build, scalay_tiling *tiling, int is_row)
{
    scalay_status status = SCALAY_SUCCESS;
    rectangle_side *sides = NULL;
    const int64_t count = 2 * tiling->rectangles;
    const int first_side = is_row ? SCALAY_TOP : SCALAY_LEFT, along = is_row ? SCALAY_LEFT : SCALAY_TOP;
    int64_t reach = 0;
    SCALAY_TRY(SCALAY_NEW(sides, count));
    for (int64_t k = 0; k < count; k++) {
        const int64_t *cell = build->cell + SCALAY_SIDES * (k / 2);
        const int side = first_side + (int)(k % 2);
        sides[k] = (rectangle_side){cell[side], cell[along], cell[along + 1], k / 2, side};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    for (int64_t k = 0; k < count; k++) {
        const rectangle_side *at = &sides[k];
        if (k == 0 || at->level != sides[k - 1].level || at->first > reach) {
            SCALAY_TRY(SCALAY_GROW(tiling->edge, build->edge_capacity, tiling->edges + 1));
            tiling->edge[tiling->edges++] =
                (scalay_tiling_edge){.is_row = is_row,
                                     .is_fixed = at->level == 0 || at->level == cells(build, is_row),
                                     .real = build->axis[is_row].at[at->level]};
            reach = at->end;
        }
        reach = scalay_max_int64(reach, at->end);
        tiling->rectangle[at->rectangle].edge[at->side] = tiling->edges - 1;
    }
cleanup:
    scalay_release(sides);
    return status;
}

/* Lists the rectangles of each edge. */
static scalay_status list_touches(scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t total = 0;
    SCALAY_TRY(SCALAY_NEW(tiling->touch, SCALAY_SIDES * tiling->rectangles));
    for (int64_t k = 0; k < tiling->rectangles; k++)
        for (int s = 0; s < SCALAY_SIDES; s++) tiling->edge[tiling->rectangle[k].edge[s]].count++;
    for (int64_t e = 0; e < tiling->edges; e++) {
        tiling->edge[e].first = total;
        total += tiling->edge[e].count;
        tiling->edge[e].count = 0;
    }
    for (int64_t k = 0; k < tiling->rectangles; k++)
        for (int s = 0; s < SCALAY_SIDES; s++) {
            scalay_tiling_edge *edge = &tiling->edge[tiling->rectangle[k].edge[s]];
            tiling->touch[edge->first + edge->count++] = k;
        }
cleanup:
    return status;
}

scalay_status scalay_tiling_create(const scalay_drawing *drawing, int64_t m, int64_t n, int parts, const double *area,
                                   int64_t tile, scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    builder build = {0};
    *tiling = (scalay_tiling){.extent = {n, m}, .tile = tile};
    SCALAY_TRY(find_coordinates(drawing, area, 0, (double)n, &build.axis[0]));
    SCALAY_TRY(find_coordinates(drawing, area, 1, (double)m, &build.axis[1]));
    SCALAY_TRY(paint_cells(&build, drawing, parts, area));
    SCALAY_TRY(cut_rectangles(&build, tiling));
    SCALAY_TRY(join_sides(&build, tiling, 1));
    SCALAY_TRY(join_sides(&build, tiling, 0));
    SCALAY_TRY(list_touches(tiling));
cleanup:
    scalay_release(build.axis[0].at);
    scalay_release(build.axis[1].at);
    scalay_release(build.part);
    scalay_release(build.cell);
    return status;
}

void scalay_tiling_free(scalay_tiling *tiling)
{
    scalay_release(tiling->rectangle);
    scalay_release(tiling->edge);
    scalay_release(tiling->touch);
    *tiling = (scalay_tiling){0};
}

/* ----------------------------------------------------------------------------------------------- positions of edges */

int64_t scalay_tiling_line(const scalay_tiling *tiling, int is_row, int64_t at)
{
    /* at * tile may overflow if a tile is larger than the matrix */
    const int64_t extent = tiling->extent[is_row];
    return at > extent / tiling->tile ? extent : scalay_min_int64(at * tiling->tile, extent);
}

void scalay_tiling_round(scalay_tiling *tiling)
{
    for (int64_t e = 0; e < tiling->edges; e++) {
        scalay_tiling_edge *edge = &tiling->edge[e];
        const int64_t last = scalay_ceil_div(tiling->extent[edge->is_row], tiling->tile);
        const int64_t below = scalay_min_int64((int64_t)(edge->real / (double)tiling->tile), last - 1);
        const double middle = 0.5 * ((double)scalay_tiling_line(tiling, edge->is_row, below) +
                                     (double)scalay_tiling_line(tiling, edge->is_row, below + 1));
        edge->at = edge->real < middle ? below : below + 1;
    }
}

int64_t scalay_tiling_elements(const scalay_tiling *tiling, const scalay_tiling_rectangle *rectangle)
{
    int64_t line[SCALAY_SIDES];
    for (int s = 0; s < SCALAY_SIDES; s++)
        line[s] = scalay_tiling_line(tiling, s <= SCALAY_BOTTOM, tiling->edge[rectangle->edge[s]].at);
    return (line[SCALAY_BOTTOM] - line[SCALAY_TOP]) * (line[SCALAY_RIGHT] - line[SCALAY_LEFT]);
}

/* ---------------------------------------------------------------------------------------------------------- balance */

/* A part that may have an improving move. The entry is outdated if the error has changed. */
typedef struct {
    double error;
    int part;
} queued_part;

#define BINARY_HEAP_NAME queue
#define BINARY_HEAP_ENTRY queued_part
#define BINARY_HEAP_OWNER void
#define BINARY_HEAP_BEFORE(owner, a, b) ((a).error > (b).error || (!((a).error < (b).error) && (a).part < (b).part))
#include "base/binary_heap_worker.h"

/* The search: the load of each part, and its rectangles. */
typedef struct {
    scalay_tiling *tiling;
    int parts;
    const double *area;
    int64_t *count;  /* shape [parts]: elements */
    int64_t *change; /* shape [parts]: change of the load by the current move; zero between moves */
    int *changed;    /* shape [parts]: parts whose load the current move changes */
    int changed_parts;
    int64_t *first; /* shape [parts + 1]: part p has the rectangles own[first[p]] .. */
    int64_t *own;   /* shape [rectangles] */
    int64_t moves;
    int64_t *round;      /* shape [parts]: last move after which the part was queued */
    int64_t *edge_round; /* shape [edges]: last move after which the parts at the edge were queued */
    double *outcome; /* shape [edges][2]: worst error after a move down, up; INFINITY: no improvement; -1: unknown */
    int64_t queued, queue_capacity;
    queued_part *queue; /* shape [queue_capacity] */
} search;

static double error_of(const search *s, int part, int64_t count)
{
    return s->area[part] > 0 ? fabs((double)count / s->area[part] - 1) : 0;
}

static scalay_status list_rectangles(search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_tiling *tiling = s->tiling;
    SCALAY_TRY(SCALAY_NEW(s->first, (int64_t)s->parts + 1));
    SCALAY_TRY(SCALAY_NEW(s->own, tiling->rectangles));
    for (int64_t k = 0; k < tiling->rectangles; k++) s->first[tiling->rectangle[k].part]++;
    for (int part = 0; part < s->parts; part++) s->first[part + 1] += s->first[part];
    for (int64_t k = tiling->rectangles - 1; k >= 0; k--) s->own[--s->first[tiling->rectangle[k].part]] = k;
cleanup:
    return status;
}

/* Records in change[] how a new position of an edge changes the loads. Returns 0 if a rectangle gets a negative extent.
 * A part may be listed twice in changed[] if its changes cancel; settle() then adds 0. */
static int shift_edge(search *s, int64_t e, int64_t to)
{
    const scalay_tiling *tiling = s->tiling;
    const scalay_tiling_edge *edge = &tiling->edge[e];
    const int is_row = edge->is_row;
    const int64_t moved = scalay_tiling_line(tiling, is_row, to) - scalay_tiling_line(tiling, is_row, edge->at);
    for (int64_t k = edge->first; k < edge->first + edge->count; k++) {
        const scalay_tiling_rectangle *rectangle = &tiling->rectangle[tiling->touch[k]];
        const int64_t *low = &rectangle->edge[is_row ? SCALAY_TOP : SCALAY_LEFT], *high = low + 1;
        const int64_t *across = &rectangle->edge[is_row ? SCALAY_LEFT : SCALAY_TOP];
        const int is_high = *high == e;
        if (is_high ? to < tiling->edge[*low].at : to > tiling->edge[*high].at) return 0;
        const int64_t width = scalay_tiling_line(tiling, !is_row, tiling->edge[across[1]].at) -
                              scalay_tiling_line(tiling, !is_row, tiling->edge[across[0]].at);
        if (s->change[rectangle->part] == 0) s->changed[s->changed_parts++] = rectangle->part;
        s->change[rectangle->part] += (is_high ? moved : -moved) * width;
    }
    return 1;
}

/* Discards the recorded changes, or applies them. */
static void settle(search *s, int accepted)
{
    for (int k = 0; k < s->changed_parts; k++) {
        const int part = s->changed[k];
        if (accepted) s->count[part] += s->change[part];
        s->change[part] = 0;
    }
    s->changed_parts = 0;
}

/* Returns the worst error among the parts of the current move, before the move. */
static double worst_before(const search *s)
{
    double worst = 0;
    for (int k = 0; k < s->changed_parts; k++) worst = fmax(worst, error_of(s, s->changed[k], s->count[s->changed[k]]));
    return worst;
}

static double worst_after(const search *s)
{
    double worst = 0;
    for (int k = 0; k < s->changed_parts; k++) {
        const int part = s->changed[k];
        const int64_t count = s->count[part] + s->change[part];
        if (count == 0 && s->count[part] > 0) return INFINITY;
        worst = fmax(worst, error_of(s, part, count));
    }
    return worst;
}

/* The best move of one edge of a part by one tile. */
typedef struct {
    int64_t edge; /* -1: none */
    int64_t to;
    double worst;
} edge_move;

/* Returns the worst error among the changed parts if an edge moves by one tile. INFINITY: the move does not decrease
 * it. The outcome stays valid until a part at the edge changes. */
static double outcome_of(search *s, int64_t e, int up)
{
    double *outcome = &s->outcome[2 * e + up];
    if (*outcome >= 0) return *outcome;
    const int fits = shift_edge(s, e, s->tiling->edge[e].at + (up ? 1 : -1));
    const double after = worst_after(s);
    *outcome = fits && after < worst_before(s) ? after : INFINITY;
    settle(s, 0);
    return *outcome;
}

static edge_move best_move(search *s, int part)
{
    edge_move best = {-1, 0, INFINITY};
    for (int64_t k = s->first[part]; k < s->first[part + 1]; k++)
        for (int side = 0; side < SCALAY_SIDES; side++) {
            const int64_t e = s->tiling->rectangle[s->own[k]].edge[side];
            if (s->tiling->edge[e].is_fixed) continue;
            for (int up = 0; up < 2; up++)
                if (outcome_of(s, e, up) < best.worst)
                    best = (edge_move){e, s->tiling->edge[e].at + (up ? 1 : -1), outcome_of(s, e, up)};
        }
    return best;
}

static scalay_status enqueue(search *s, int part)
{
    const double error = error_of(s, part, s->count[part]);
    if (error <= 0) return SCALAY_SUCCESS;
    const scalay_status status = SCALAY_GROW(s->queue, s->queue_capacity, s->queued + 1);
    if (status == SCALAY_SUCCESS) queue_sift_up(NULL, s->queue, s->queued++, (queued_part){error, part});
    return status;
}

/* Queues the parts at an edge, once after each move. */
static scalay_status enqueue_edge(search *s, int64_t e)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_tiling_edge *edge = &s->tiling->edge[e];
    if (edge->is_fixed || s->edge_round[e] == s->moves) return SCALAY_SUCCESS;
    s->edge_round[e] = s->moves;
    for (int64_t t = edge->first; t < edge->first + edge->count; t++) {
        const int part = s->tiling->rectangle[s->tiling->touch[t]].part;
        if (s->round[part] == s->moves) continue;
        s->round[part] = s->moves;
        SCALAY_TRY(enqueue(s, part));
    }
cleanup:
    return status;
}

/* Discards the outcomes at all edges of a part. */
static void forget_outcomes(search *s, int part)
{
    for (int64_t k = s->first[part]; k < s->first[part + 1]; k++)
        for (int side = 0; side < SCALAY_SIDES; side++) {
            const int64_t e = s->tiling->rectangle[s->own[k]].edge[side];
            s->outcome[2 * e] = s->outcome[2 * e + 1] = -1;
        }
}

/* Parts with a rectangle at an edge of a changed rectangle may have improving moves again. */
static scalay_status enqueue_neighbours(search *s, const scalay_tiling_edge *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_tiling *tiling = s->tiling;
    for (int64_t k = moved->first; k < moved->first + moved->count; k++) {
        const scalay_tiling_rectangle *rectangle = &tiling->rectangle[tiling->touch[k]];
        forget_outcomes(s, rectangle->part);
        for (int side = 0; side < SCALAY_SIDES; side++) SCALAY_TRY(enqueue_edge(s, rectangle->edge[side]));
    }
cleanup:
    return status;
}

/* Each move decreases the sorted list of errors lexicographically, so that the search ends. The limits bound the time.
 */
static scalay_status move_edges(search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t trials = 100000;
    const int64_t max_moves = 64 * (int64_t)s->parts + 256;
    for (int part = 0; part < s->parts; part++) SCALAY_TRY(enqueue(s, part));
    while (s->queued > 0 && s->moves < max_moves && trials > 0) {
        const queued_part worst = queue_pop(NULL, s->queue, &s->queued);
        if (worst.error != error_of(s, worst.part, s->count[worst.part])) continue;
        trials--;
        const edge_move best = best_move(s, worst.part);
        if (best.edge < 0) continue;
        (void)shift_edge(s, best.edge, best.to);
        settle(s, 1);
        s->tiling->edge[best.edge].at = best.to;
        s->moves++;
        SCALAY_TRY(enqueue_neighbours(s, &s->tiling->edge[best.edge]));
    }
cleanup:
    return status;
}

scalay_status scalay_tiling_balance(int parts, const double *area, scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    search s = {.tiling = tiling, .parts = parts, .area = area};
    SCALAY_TRY(list_rectangles(&s));
    SCALAY_TRY(SCALAY_NEW(s.count, parts));
    SCALAY_TRY(SCALAY_NEW(s.change, parts));
    SCALAY_TRY(SCALAY_NEW(s.changed, tiling->rectangles + 1));
    SCALAY_TRY(SCALAY_NEW(s.round, parts));
    SCALAY_TRY(SCALAY_NEW(s.edge_round, tiling->edges));
    SCALAY_TRY(SCALAY_NEW(s.outcome, 2 * tiling->edges));
    for (int64_t k = 0; k < 2 * tiling->edges; k++) s.outcome[k] = -1;
    for (int64_t k = 0; k < tiling->rectangles; k++)
        s.count[tiling->rectangle[k].part] += scalay_tiling_elements(tiling, &tiling->rectangle[k]);
    SCALAY_TRY(move_edges(&s));
cleanup:
    scalay_release(s.first);
    scalay_release(s.own);
    scalay_release(s.count);
    scalay_release(s.change);
    scalay_release(s.changed);
    scalay_release(s.round);
    scalay_release(s.edge_round);
    scalay_release(s.outcome);
    scalay_release(s.queue);
    return status;
}
