/*
 * Exchange within tile columns: W = A^H V of QR is summed over the owners of a tile column, the rows of U of LU are
 * assembled from the rows that the pivots name.
 *
 * Of each tile column, every owner sends its contribution to the process that combines it, or to all owners. LU: the
 * owner of the top also sends rows of the top to the owners of the rows below that they replace. All contributions of
 * one process to another in a range are one message; both derive its length from the map and the pivots.
 */
#include <string.h>

#include "factor/engine.h"

/* One tile column of this process in a range. */
typedef struct {
    int j;       /* tile column */
    int breadth; /* columns in the range */
    int at;      /* first column in its class's part of the block */
    const scalay_engine_class *class;
    const scalay_engine_column_class *owners;
    int class_index;
    int combiner;  /* -1: each owner */
    int is_active; /* 1: this process has rows from tile row k on */
    int top;       /* owner of the diagonal tile row */
    char *a;       /* first row and column in the matrix */
    char *block;   /* first column in the block */
    int ld;        /* of the block */
} tile_column;

scalay_engine_columns scalay_engine_columns_of(const scalay_engine_class *class, scalay_engine_range range)
{
    scalay_engine_columns c = {.from = scalay_engine_find(class->col, class->cols, range.first),
                               .to = scalay_engine_find(class->col, class->cols, range.last + 1)};
    const int skip = c.from < c.to && class->col[c.from] == range.first ? range.skip : 0;
    c.at = class->col_at[c.from] + skip;
    c.width = class->col_at[c.to] - c.at;
    return c;
}

static int is_qr(const scalay_engine *engine)
{
    return engine->plan.settings.kind == SCALAY_FACTOR_QR;
}

/* Step k and its exchange, for the functions below. */
typedef struct {
    scalay_engine *engine;
    scalay_engine_exchange *x;
    int k, width;
} step;

static step make_step(scalay_engine *engine, scalay_engine_exchange *x, int k)
{
    return (step){engine, x, k, scalay_engine_panel_width(&engine->plan, k)};
}

/* The part of the block that belongs to a class; its leading dimension. */
static char *class_block(const step *s, int class_index, int *ld)
{
    const scalay_engine_exchange *x = s->x;
    *ld = is_qr(s->engine) ? (int)(x->block_at[class_index + 1] - x->block_at[class_index]) : s->width;
    return x->block + s->engine->size * x->block_at[class_index] * s->width;
}

static tile_column find_column(const step *s, int j)
{
    scalay_engine *engine = s->engine;
    const scalay_engine_plan *plan = &engine->plan;
    const int skip = j == s->x->range.first ? s->x->range.skip : 0;
    tile_column c = {.j = j, .breadth = scalay_engine_breadth(&plan->map, j) - skip};
    c.class_index = plan->class_of[j];
    c.class = &plan->class[c.class_index];
    c.owners = &plan->column_class[plan->column_class_of[plan->map.col.class[j]]];
    c.is_active = c.class->row[c.class->rows - 1] >= s->k;
    c.combiner = scalay_engine_combiner(plan, c.owners, j, s->k);
    c.top = scalay_engine_owner(&plan->map, s->k, j);
    const int col = c.class->col_at[plan->place_of[j]] + skip;
    c.a = scalay_engine_element(engine, c.class, 0, col);
    c.at = col - scalay_engine_columns_of(c.class, s->x->range).at;
    c.block = class_block(s, c.class_index, &c.ld);
    c.block += engine->size * (is_qr(engine) ? c.at : (int64_t)c.at * c.ld);
    return c;
}

/* The first of this process's tile columns in a range. */
static int first_column(const step *s)
{
    return scalay_engine_find(s->engine->plan.own_col, s->engine->plan.own_cols, s->x->range.first);
}

static int has_column(const step *s, int n)
{
    return n < s->engine->plan.own_cols && s->engine->plan.own_col[n] <= s->x->range.last;
}

/* --------------------------------------------------------------------------------------------------- lengths */

static int owner_of_row(const step *s, int row, const tile_column *c)
{
    return scalay_engine_owner(&s->engine->plan.map, row / s->engine->plan.map.nb, c->j);
}

/* Lists the rows of U that a process contributes to a tile column. */
static int list_contributed(const step *s, const tile_column *c, int process, int *index)
{
    int count = 0;
    for (int i = 0; i < s->width; i++)
        if (owner_of_row(s, s->engine->moves.from[i], c) == process) index[count++] = i;
    return count;
}

/* Lists the displaced rows that a process owns in a tile column. */
static int list_displaced(const step *s, const tile_column *c, int process, int *index)
{
    int count = 0;
    for (int d = 0; d < s->engine->moves.displaced; d++)
        if (owner_of_row(s, s->engine->moves.to[d], c) == process) index[count++] = d;
    return count;
}

/* Elements of one process for another in a tile column. */
static int64_t contribution(const step *s, const tile_column *c, int from, int to)
{
    int *list = s->engine->list[0];
    const int combines = c->combiner < 0 || c->combiner == to;
    if (is_qr(s->engine)) return combines ? (int64_t)c->breadth * s->width : 0;
    int64_t rows = combines ? list_contributed(s, c, from, list) : 0;
    if (from == c->top) rows += list_displaced(s, c, to, list);
    return rows * c->breadth;
}

static int64_t result(const step *s, const tile_column *c, int from)
{
    return c->combiner == from ? (int64_t)c->breadth * s->width : 0;
}

/* Adds the lengths of the messages to (or from) each peer to at[peer + 1]. */
static void measure(const step *s, int is_result, int is_incoming, int64_t *at)
{
    const scalay_engine_plan *plan = &s->engine->plan;
    memset(at, 0, sizeof *at * (size_t)(plan->peers + 1));
    for (int n = first_column(s); has_column(s, n); n++) {
        const tile_column c = find_column(s, plan->own_col[n]);
        for (int o = 0; c.is_active && o < c.owners->owners; o++) {
            const int peer = c.owners->peer[o], other = c.owners->owner[o].process;
            if (peer < 0 || c.owners->owner[o].last < s->k) continue;
            const int from = is_incoming ? other : plan->process, to = is_incoming ? plan->process : other;
            at[peer + 1] += is_result ? result(s, &c, from) : contribution(s, &c, from, to);
        }
    }
    for (int p = 0; p < plan->peers; p++) at[p + 1] += at[p];
}

/* --------------------------------------------------------------------------------------------- contributions */

/* The local array's rows of some indices of U or of displaced rows; returns their number. */
static int own_rows_of(const step *s, const tile_column *c, const int *index, int count, const int *row, int *place)
{
    const int nb = s->engine->plan.map.nb;
    for (int n = 0; n < count; n++) {
        const int tile = scalay_engine_find(c->class->row, c->class->rows, row[index[n]] / nb);
        place[n] = c->class->row_at[tile] + row[index[n]] % nb;
    }
    return count;
}

/* The local array's rows of the top that some displaced rows come from. */
static int top_rows_of(const step *s, const tile_column *c, const int *index, int count, int *place)
{
    const int tile = scalay_engine_find(c->class->row, c->class->rows, s->k);
    for (int n = 0; n < count; n++) place[n] = c->class->row_at[tile] + s->engine->moves.top[index[n]];
    return count;
}

/* Packs what this process contributes to a tile column for another; returns the end. */
static char *pack_contribution(const step *s, const tile_column *c, int to, char *out)
{
    const scalay_engine *engine = s->engine;
    const scalay_engine_arithmetic *op = engine->op;
    int *index = engine->list[0], *place = engine->list[1];
    const int combines = c->combiner < 0 || c->combiner == to;
    if (is_qr(engine)) {
        if (combines) scalay_engine_copy(engine->size, c->breadth, s->width, c->block, c->ld, out, c->breadth);
        return out + (combines ? engine->size * c->breadth * s->width : 0);
    }
    int rows = combines ? list_contributed(s, c, engine->plan.process, index) : 0;
    own_rows_of(s, c, index, rows, engine->moves.from, place);
    op->copy_rows(rows, c->breadth, place, c->a, c->class->ld, NULL, out, rows);
    out += engine->size * rows * c->breadth;
    rows = c->top == engine->plan.process ? list_displaced(s, c, to, index) : 0;
    top_rows_of(s, c, index, rows, place);
    op->copy_rows(rows, c->breadth, place, c->a, c->class->ld, NULL, out, rows);
    return out + engine->size * rows * c->breadth;
}

/* Packs what a peer gets: a contribution, or columns that this process has combined. If `packs` is 0, only finds the
 * length. Returns the end. */
static char *pack_message(const step *s, int is_result, int packs, int peer, char *end)
{
    const scalay_engine *engine = s->engine;
    const scalay_engine_plan *plan = &engine->plan;
    for (int n = first_column(s); has_column(s, n); n++) {
        const tile_column c = find_column(s, plan->own_col[n]);
        const int rows = is_qr(engine) ? c.breadth : s->width, cols = is_qr(engine) ? s->width : c.breadth;
        for (int o = 0; c.is_active && o < c.owners->owners; o++) {
            if (c.owners->peer[o] != peer || c.owners->owner[o].last < s->k) continue;
            if (!is_result) end = pack_contribution(s, &c, plan->peer[peer], end);
            if (!is_result || c.combiner != plan->process) continue;
            if (packs) scalay_engine_copy(engine->size, rows, cols, c.block, c.ld, end, rows);
            end += engine->size * rows * cols;
        }
    }
    return end;
}

/* Packs messages to all peers, one after the other, and sends them. If this process has one column class, its result is
 * the same for all peers, and is packed once. */
static scalay_status send_all(const step *s, int is_result, char *out, MPI_Request *request, int *requests)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &s->engine->plan;
    const int is_same = is_result && plan->column_classes == 1;
    int packs = 1;
    for (int peer = 0; peer < plan->peers; peer++) {
        char *end = pack_message(s, is_result, packs, peer, out);
        if (end == out) continue;
        SCALAY_TRY(scalay_engine_send(s->engine, out, (end - out) / s->engine->size, plan->peer[peer],
                                      is_result ? SCALAY_ENGINE_RESULT : SCALAY_ENGINE_CONTRIBUTION, s->k, request,
                                      requests));
        if (is_same)
            packs = 0;
        else
            out = end;
    }
cleanup:
    return status;
}

static scalay_status expect_all(const step *s, int is_result, char *in, int64_t *at, MPI_Request *request,
                                int *requests)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &s->engine->plan;
    measure(s, is_result, 1, at);
    for (int peer = 0; peer < plan->peers; peer++)
        if (at[peer + 1] > at[peer])
            SCALAY_TRY(scalay_engine_receive(
                s->engine, in + s->engine->size * at[peer], at[peer + 1] - at[peer], plan->peer[peer],
                is_result ? SCALAY_ENGINE_RESULT : SCALAY_ENGINE_CONTRIBUTION, s->k, request, requests));
cleanup:
    return status;
}

/* W = A^H V of this process's rows: A^H V, which BLAS has faster than V^H A. */
static scalay_status multiply_own(const step *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine *engine = s->engine;
    for (int n = 0; n < engine->plan.classes; n++) {
        const scalay_engine_class *class = &engine->plan.class[n];
        const scalay_engine_columns c = scalay_engine_columns_of(class, s->x->range);
        const int first = scalay_engine_find(class->row, class->rows, s->k);
        int ld_v = 0, ld = 0;
        char *block = class_block(s, n, &ld);
        if (c.width == 0) continue;
        if (first == class->rows) {
            memset(block, 0, (size_t)(engine->size * c.width * s->width));
            continue;
        }
        const char *v = scalay_engine_panel_rows(engine, &engine->panel[s->k % 2], class, first, &ld_v);
        const int rows = class->row_at[class->rows] - class->row_at[first];
        const int half = scalay_engine_half_top(class, first, s->k, s->width);
        const char *a = scalay_engine_element(engine, class, class->row_at[first], c.at);
        engine->op->gemm('C', 'N', c.width, s->width, rows - half, 1, a + engine->size * half, class->ld,
                         v + engine->size * half, ld_v, 1, block, ld);
        if (half > 0) engine->op->gemm('C', 'N', c.width, half, half, 1, a, class->ld, v, ld_v, 0, block, ld);
        SCALAY_TRY(scalay_engine_advance(engine));
    }
cleanup:
    return status;
}

/* Rows of U that are in this process's own arrays; then displaced rows whose both ends are there. */
static void gather_own(const step *s)
{
    const scalay_engine *engine = s->engine;
    const scalay_engine_moves *moves = &engine->moves;
    const int nb = engine->plan.map.nb;
    for (int n = 0; n < engine->plan.classes; n++) {
        const scalay_engine_class *class = &engine->plan.class[n];
        const scalay_engine_columns c = scalay_engine_columns_of(class, s->x->range);
        int ld = 0;
        char *block = class_block(s, n, &ld), *a = scalay_engine_element(engine, class, 0, c.at);
        if (c.width == 0) continue;
        engine->op->copy_rows(moves->own_count[n], c.width, moves->own_place + n * nb, a, class->ld,
                              moves->own_index + n * nb, block, ld);
        engine->op->copy_rows(moves->local_count[n], c.width, moves->local_top + n * nb, a, class->ld,
                              moves->local_to + n * nb, a, class->ld);
    }
}

scalay_status scalay_engine_exchange_begin(scalay_engine *engine, int k, scalay_engine_range range,
                                           scalay_engine_exchange *x)
{
    scalay_status status = SCALAY_SUCCESS;
    const step s = make_step(engine, x, k);
    x->range = range;
    x->requests = x->result_requests = 0;
    for (int n = 0; n < engine->plan.classes; n++)
        x->block_at[n + 1] = x->block_at[n] + scalay_engine_columns_of(&engine->plan.class[n], range).width;
    if (engine->plan.peers > 0) {
        SCALAY_TRY(expect_all(&s, 0, x->in, x->in_at, x->request, &x->requests));
        if (engine->plan.has_scattered)
            SCALAY_TRY(expect_all(&s, 1, x->result_in, x->result_in_at, x->result_request, &x->result_requests));
    }
    if (is_qr(engine)) SCALAY_TRY(multiply_own(&s));
    if (engine->plan.peers > 0) SCALAY_TRY(send_all(&s, 0, x->out, x->request, &x->requests));
    if (!is_qr(engine)) gather_own(&s);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ combination */

/* Sums W of a tile column in ascending order of processes; cursor[peer] is the next contribution of each. */
static void sum_column(const step *s, const tile_column *c, int64_t *cursor)
{
    const scalay_engine *engine = s->engine;
    const int rows = c->breadth, w = s->width;
    char *sum = NULL; /* so far; in the buffer of the first peer below this process */
    int ld = rows;
    for (int o = 0; o < c->owners->owners; o++) {
        const int peer = c->owners->peer[o];
        if (c->owners->owner[o].last < s->k) continue;
        char *next = peer < 0 ? c->block : s->x->in + engine->size * cursor[peer];
        const int ld_next = peer < 0 ? c->ld : rows;
        if (peer >= 0) cursor[peer] += (int64_t)rows * w;
        if (sum == NULL) {
            sum = next;
            ld = ld_next;
        } else {
            engine->op->add(rows, w, next, ld_next, sum, ld);
        }
    }
    if (sum != NULL && sum != c->block) scalay_engine_copy(engine->size, rows, w, sum, ld, c->block, c->ld);
}

/* Puts rows of U in their places, and displaced rows into the matrix. */
static void place_column(const step *s, const tile_column *c, int64_t *cursor)
{
    const scalay_engine *engine = s->engine;
    const int process = engine->plan.process, combines = c->combiner < 0 || c->combiner == process;
    int *index = engine->list[0], *place = engine->list[1];
    for (int o = 0; o < c->owners->owners; o++) {
        const int peer = c->owners->peer[o], from = c->owners->owner[o].process;
        if (peer < 0 || c->owners->owner[o].last < s->k) continue;
        const int rows = combines ? list_contributed(s, c, from, index) : 0;
        engine->op->copy_rows(rows, c->breadth, NULL, s->x->in + engine->size * cursor[peer], rows, index, c->block,
                              c->ld);
        cursor[peer] += (int64_t)rows * c->breadth;
        const int displaced = from == c->top ? list_displaced(s, c, process, index) : 0;
        own_rows_of(s, c, index, displaced, engine->moves.to, place);
        engine->op->copy_rows(displaced, c->breadth, NULL, s->x->in + engine->size * cursor[peer], displaced, place,
                              c->a, c->class->ld);
        cursor[peer] += (int64_t)displaced * c->breadth;
    }
}

/* W := W T or U := L11^-1 U, for `cols` columns. */
static void transform(const step *s, char *block, int ld, int cols)
{
    const scalay_engine *engine = s->engine;
    const char *extra = engine->panel[s->k % 2].extra;
    if (is_qr(engine))
        engine->op->multiply_right(cols, s->width, extra, s->width, block, ld);
    else
        engine->op->solve_left(s->width, cols, extra, s->width, block, ld);
}

static void transform_all(const step *s)
{
    for (int n = 0; n < s->engine->plan.classes; n++) {
        int ld = 0;
        char *block = class_block(s, n, &ld);
        const int cols = (int)(s->x->block_at[n + 1] - s->x->block_at[n]);
        if (cols > 0) transform(s, block, ld, cols);
    }
}

scalay_status scalay_engine_exchange_combine(scalay_engine *engine, int k, scalay_engine_exchange *x)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    const step s = make_step(engine, x, k);
    SCALAY_TRY(scalay_engine_wait(engine, x->requests, x->request));
    /* without peers, too, if transform() is called column by column: other processes may have scattered columns */
    for (int n = first_column(&s); (plan->peers > 0 || plan->has_scattered) && has_column(&s, n); n++) {
        const tile_column c = find_column(&s, plan->own_col[n]);
        const int combines = c.combiner < 0 || c.combiner == plan->process;
        if (!c.is_active) continue;
        if (!is_qr(engine))
            place_column(&s, &c, x->in_at);
        else if (combines)
            sum_column(&s, &c, x->in_at);
        if (combines && plan->has_scattered) transform(&s, c.block, c.ld, c.breadth);
    }
    if (!plan->has_scattered) transform_all(&s);
    if (plan->has_scattered) SCALAY_TRY(send_all(&s, 1, x->result_out, x->result_request, &x->result_requests));
cleanup:
    return status;
}

/* Takes the combined columns of other processes; cursor[peer] is the next one of each. */
static void place_results(const step *s, int64_t *cursor)
{
    const scalay_engine *engine = s->engine;
    const scalay_engine_plan *plan = &engine->plan;
    for (int n = first_column(s); has_column(s, n); n++) {
        const tile_column c = find_column(s, plan->own_col[n]);
        if (!c.is_active || c.combiner < 0 || c.combiner == plan->process) continue;
        const int peer = scalay_engine_find(plan->peer, plan->peers, c.combiner);
        const int rows = is_qr(engine) ? c.breadth : s->width, cols = is_qr(engine) ? s->width : c.breadth;
        scalay_engine_copy(engine->size, rows, cols, s->x->result_in + engine->size * cursor[peer], rows, c.block,
                           c.ld);
        cursor[peer] += (int64_t)rows * cols;
    }
}

/* Writes U into the rows of the top. */
static void write_top(const step *s)
{
    const scalay_engine *engine = s->engine;
    for (int n = 0; n < engine->plan.classes; n++) {
        const scalay_engine_class *class = &engine->plan.class[n];
        const scalay_engine_columns c = scalay_engine_columns_of(class, s->x->range);
        const int first = scalay_engine_find(class->row, class->rows, s->k);
        int ld = 0;
        const char *block = class_block(s, n, &ld);
        if (c.width == 0 || first == class->rows || class->row[first] != s->k) continue;
        scalay_engine_copy(engine->size, s->width, c.width, block, ld,
                           scalay_engine_element(engine, class, class->row_at[first], c.at), class->ld);
    }
}

scalay_status scalay_engine_exchange_finish(scalay_engine *engine, int k, scalay_engine_exchange *x)
{
    scalay_status status = SCALAY_SUCCESS;
    const step s = make_step(engine, x, k);
    SCALAY_TRY(scalay_engine_wait(engine, x->result_requests, x->result_request));
    if (engine->plan.has_scattered) place_results(&s, x->result_in_at);
    if (!is_qr(engine)) write_top(&s);
cleanup:
    return status;
}
