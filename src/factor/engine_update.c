/*
 * Updates of the trailing matrix.
 *
 * QR: A := A - V (W T)^H, W = A^H V. LU: row swaps, U := L11^-1 U, A := A - L U. Cholesky: A := A - L L^H below the
 * diagonal. Each is one gemm per class and range, cut into slices of columns, between which panels make progress.
 */
#include "factor/engine.h"

enum { SLICE = 512 }; /* columns of a gemm: long enough for full speed, short enough for progress */

/* --------------------------------------------------------------------------------------------- QR and LU */

static scalay_status apply_class(scalay_engine *engine, int k, const scalay_engine_exchange *x, int class_index)
{
    scalay_status status = SCALAY_SUCCESS;
    const int is_qr = engine->plan.settings.kind == SCALAY_FACTOR_QR, w = scalay_engine_panel_width(&engine->plan, k);
    const scalay_engine_class *class = &engine->plan.class[class_index];
    const scalay_engine_columns c = scalay_engine_columns_of(class, x->range);
    const int first = scalay_engine_find(class->row, class->rows, is_qr ? k : k + 1);
    if (c.width == 0 || first == class->rows) return SCALAY_SUCCESS;
    const int rows = class->row_at[class->rows] - class->row_at[first], ld_block = is_qr ? c.width : w;
    const char *block = x->block + engine->size * x->block_at[class_index] * w;
    int ld = 0;
    const int half = is_qr ? scalay_engine_half_top(class, first, k, w) : 0;
    const char *v = scalay_engine_panel_rows(engine, &engine->panel[k % 2], class, first, &ld);
    for (int at = 0; at < c.width; at += SLICE) {
        const int width = c.width - at < SLICE ? c.width - at : SLICE;
        const char *from = block + engine->size * at * (is_qr ? 1 : w);
        char *a = scalay_engine_element(engine, class, class->row_at[first], c.at + at);
        engine->op->gemm('N', is_qr ? 'C' : 'N', rows - half, width, w, -1, v + engine->size * half, ld, from, ld_block,
                         0, a + engine->size * half, class->ld);
        if (half > 0) engine->op->gemm('N', 'C', half, width, half, -1, v, ld, from, ld_block, 0, a, class->ld);
        SCALAY_TRY(scalay_engine_advance(engine));
    }
cleanup:
    return status;
}

static scalay_status finish(scalay_engine *engine, int k, scalay_engine_exchange *x)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_engine_exchange_finish(engine, k, x));
    for (int n = 0; n < engine->plan.classes; n++) SCALAY_TRY(apply_class(engine, k, x, n));
cleanup:
    return status;
}

/* The next range of a sweep over intervals in which this process owns columns; 0: none is left. */
static int next_range(const scalay_engine_plan *plan, scalay_engine_range all, int *own, scalay_engine_range *range)
{
    if (*own >= plan->own_cols || plan->own_col[*own] > all.last) return 0;
    const int interval = plan->own_col[*own] / plan->interval, begin = interval * plan->interval;
    *range = (scalay_engine_range){.first = begin, .last = begin + plan->interval - 1};
    if (range->first <= all.first) *range = (scalay_engine_range){all.first, range->last, all.skip};
    if (range->last > all.last) range->last = all.last;
    while (*own < plan->own_cols && plan->own_col[*own] <= range->last) ++*own;
    return 1;
}

/* Begins, combines and finishes exchanges in turn: those of some ranges are pending while another is multiplied. */
static scalay_status sweep(scalay_engine *engine, int k, scalay_engine_range all)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    const int slots = plan->exchanges, combine_lag = slots > 1, finish_lag = slots > 1 ? slots - 1 : 0;
    int own = scalay_engine_find(plan->own_col, plan->own_cols, all.first), begun = 0, combined = 0, finished = 0;
    for (int turn = 0, is_open = 1; is_open || finished < begun; turn++) {
        scalay_engine_range range;
        is_open = is_open && next_range(plan, all, &own, &range);
        if (is_open) {
            SCALAY_TRY(scalay_engine_exchange_begin(engine, k, range, &engine->exchange[begun % slots]));
            begun++;
        }
        if (combined < begun && turn - combined >= combine_lag) {
            SCALAY_TRY(scalay_engine_exchange_combine(engine, k, &engine->exchange[combined % slots]));
            combined++;
        }
        if (finished < combined && turn - finished >= finish_lag) {
            SCALAY_TRY(finish(engine, k, &engine->exchange[finished % slots]));
            finished++;
        }
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- swaps of one step */

/* Follows the swaps of panel k on row numbers: afterwards row i has what was in row touched[i]. */
static void follow_swaps(scalay_engine_moves *moves, const int *pivot, int first)
{
    for (int i = 0; i < moves->width; i++) {
        const int row = moves->touched[first + i];
        moves->touched[first + i] = moves->touched[pivot[i]];
        moves->touched[pivot[i]] = row;
    }
}

static void list_own_moves(scalay_engine *engine, int k, int n)
{
    scalay_engine_moves *moves = &engine->moves;
    const scalay_engine_class *class = &engine->plan.class[n];
    const int nb = engine->plan.map.nb, top = scalay_engine_find(class->row, class->rows, k);
    const int has_top = top < class->rows && class->row[top] == k;
    int own = 0, local = 0;
    for (int i = 0; i < moves->width; i++) {
        const int tile = scalay_engine_find(class->row, class->rows, moves->from[i] / nb);
        if (tile == class->rows || class->row[tile] != moves->from[i] / nb) continue;
        moves->own_index[n * nb + own] = i;
        moves->own_place[n * nb + own++] = class->row_at[tile] + moves->from[i] % nb;
    }
    for (int d = 0; d < moves->displaced && has_top; d++) {
        const int tile = scalay_engine_find(class->row, class->rows, moves->to[d] / nb);
        if (tile == class->rows || class->row[tile] != moves->to[d] / nb) continue;
        moves->local_to[n * nb + local] = class->row_at[tile] + moves->to[d] % nb;
        moves->local_top[n * nb + local++] = class->row_at[top] + moves->top[d];
    }
    moves->own_count[n] = own;
    moves->local_count[n] = local;
}

void scalay_engine_find_moves(scalay_engine *engine, int k)
{
    scalay_engine_moves *moves = &engine->moves;
    const int first = k * engine->plan.map.nb, *pivot = engine->pivot + first;
    moves->width = scalay_engine_panel_width(&engine->plan, k);
    moves->displaced = 0;
    follow_swaps(moves, pivot, first);
    for (int i = 0; i < moves->width; i++) moves->from[i] = moves->touched[first + i];
    for (int i = 0; i < moves->width; i++) {
        const int row = pivot[i];
        if (row >= first + moves->width && moves->touched[row] != row) {
            moves->to[moves->displaced] = row;
            moves->top[moves->displaced++] = moves->touched[row] - first;
        }
        moves->touched[row] = row;
    }
    for (int i = 0; i < moves->width; i++) moves->touched[first + i] = first + i;
    for (int n = 0; n < engine->plan.classes; n++) list_own_moves(engine, k, n);
}

/* ------------------------------------------------------------------------------------------------- Cholesky */

/* Rows and columns of L for a class. */
typedef struct {
    scalay_engine *engine;
    const scalay_engine_class *class;
    const char *rows, *cols; /* rows by class->row[first] .., and by the columns from class->col[from] on */
    int ld_rows, ld_cols, first, from, width;
} symmetric;

/* Tile rows row .. end - 1 of tile columns from .. to - 1. */
static scalay_status multiply_rectangle(const symmetric *s, int row, int end, int from, int to)
{
    const scalay_engine_class *class = s->class;
    scalay_engine *engine = s->engine;
    if (row >= end || from >= to) return SCALAY_SUCCESS;
    const int rows = class->row_at[end] - class->row_at[row], cols = class->col_at[to] - class->col_at[from];
    engine->op->gemm('N', 'C', rows, cols, s->width, -1,
                     s->rows + engine->size * (class->row_at[row] - class->row_at[s->first]), s->ld_rows,
                     s->cols + engine->size * (class->col_at[from] - class->col_at[s->from]), s->ld_cols, 0,
                     scalay_engine_element(engine, class, class->row_at[row], class->col_at[from]), class->ld);
    return scalay_engine_advance(engine);
}

/* Tile column `from` above tile row `end`: the triangle of the diagonal tile, and the rectangle below. */
static scalay_status multiply_tile_column(const symmetric *s, int end, int from)
{
    const scalay_engine_class *class = s->class;
    scalay_engine *engine = s->engine;
    const int row = scalay_engine_find(class->row, class->rows, class->col[from]);
    const int has_diagonal = row < class->rows && class->row[row] == class->col[from];
    if (has_diagonal && row < end)
        engine->op->update_lower(class->row_at[row + 1] - class->row_at[row], s->width,
                                 s->rows + engine->size * (class->row_at[row] - class->row_at[s->first]), s->ld_rows,
                                 scalay_engine_element(engine, class, class->row_at[row], class->col_at[from]),
                                 class->ld);
    return multiply_rectangle(s, row + has_diagonal, end, from, from + 1);
}

/* Tile columns from .. to - 1, on and below the diagonal and above tile row `end`: a rectangle and two triangles. */
static scalay_status multiply_triangle(const symmetric *s, int end, int from, int to)
{
    scalay_status status = SCALAY_SUCCESS;
    if (to - from < 1) return SCALAY_SUCCESS;
    if (to - from == 1) return multiply_tile_column(s, end, from);
    const int middle = (from + to) / 2, row = scalay_engine_find(s->class->row, s->class->rows, s->class->col[middle]);
    SCALAY_TRY(multiply_triangle(s, row < end ? row : end, from, middle));
    SCALAY_TRY(multiply_rectangle(s, row, end, from, middle));
    SCALAY_TRY(multiply_triangle(s, end, middle, to));
cleanup:
    return status;
}

/* Copies the rows of the panel that match the columns of a class. */
static void gather_columns(const symmetric *s, const scalay_engine_panel *panel, scalay_engine_columns c)
{
    const scalay_engine *engine = s->engine;
    for (int j = c.from; j < c.to; j++) {
        const int n = scalay_engine_find(panel->row, panel->tile_rows, s->class->col[j]);
        if (n == panel->tile_rows || panel->row[n] != s->class->col[j]) continue; /* no tile below the diagonal */
        scalay_engine_copy(engine->size, panel->row_at[n + 1] - panel->row_at[n], panel->width,
                           panel->v + engine->size * panel->row_at[n], panel->ld,
                           engine->columns + engine->size * (s->class->col_at[j] - c.at), s->ld_cols);
    }
}

static scalay_status update_symmetric(scalay_engine *engine, int k, scalay_engine_range range)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_panel *panel = &engine->panel[k % 2];
    for (int n = 0; n < engine->plan.classes; n++) {
        const scalay_engine_class *class = &engine->plan.class[n];
        const scalay_engine_columns c = scalay_engine_columns_of(class, range);
        symmetric s = {.engine = engine, .class = class, .from = c.from, .width = panel->width};
        if (c.width == 0) continue;
        s.first = scalay_engine_find(class->row, class->rows, class->col[c.from]);
        if (s.first == class->rows) continue;
        s.rows = scalay_engine_panel_rows(engine, panel, class, s.first, &s.ld_rows);
        s.ld_cols = scalay_engine_leading(c.width);
        s.cols = engine->columns;
        gather_columns(&s, panel, c);
        SCALAY_TRY(multiply_triangle(&s, class->rows, c.from, c.to));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- updates */

scalay_status scalay_engine_update(scalay_engine *engine, int k, scalay_engine_range range)
{
    if (range.first > range.last) return SCALAY_SUCCESS;
    return engine->plan.settings.kind == SCALAY_FACTOR_CHOLESKY ? update_symmetric(engine, k, range)
                                                                : sweep(engine, k, range);
}
