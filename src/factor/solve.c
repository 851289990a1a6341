/*
 * Solves with triangles: creation. solve_run.c has the execution.
 *
 * Substitution, right-looking. The indices are divided into panels of 64, whatever the blocks of A are. A sweep solves
 * with a triangle of A. Its step k computes the rows of X of a panel, and subtracts op(A) times them from the rows that
 * are left. Let `in` be the axis of op(A) along which these products sum, and `out` the other one.
 *
 *   - Each process has sums for the rows of its class of `out`: minus its elements of op(A) times X.
 *   - The processes that own elements of a panel's class of `in` divide the columns of X. Each adds the sums of all
 *     processes to op(B), and solves with the diagonal block.
 *   - Then each of them updates its sums: first the rows up to the next panel that it owns elements of, so that other
 *     processes can go on, then the rest. Wide blocks therefore keep all processes busy: each updates with its own
 *     panels while the others do.
 *
 * X, the sums and the diagonal blocks are in memory that all processes share. A process says on its board which step it
 * has solved for, and for which step its sums are complete.
 *
 * If each process has one block or a few, panels are dealt out in turn instead: the elements of a panel that the
 * process does not have are copied to the shared memory first. That is half of the elements on two processes.
 *
 * If there are many columns, each process copies its elements of A to the shared memory instead, and solves for columns
 * of its own by BLAS.
 *
 * Work: n^2 multiply-adds per column and triangle, half of them on the triangle. Memory that is shared: n columns
 * times 3 to 5 per process, n width for diagonal blocks, and the copies.
 */
#include "factor/solve.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "factor/solve_plan.h"
#include "layout/layout.h"
#include "parallel/node.h"

enum { WIDTH = 64, MOST_COLUMNS = 128, LEAST_SHARE = 128, LINE = 64, SPINS = 2000 };

/* ----------------------------------------------------------------------------------------------------- indices */

int scalay_solve_class(const scalay_solve *s, const scalay_solve_axis *axis, int process)
{
    const int npcol = s->axis[1].classes;
    if (axis == &s->axis[0]) return process / npcol;
    if (axis == &s->axis[1]) return process % npcol;
    return axis == &s->panel_axis ? process : 0;
}

/* The class of index i on a divided axis. */
static int class_of(const scalay_solve *s, const scalay_solve_axis *axis, const scalay_axis *of_a, int i)
{
    if (axis == &s->panel_axis) return i / s->width % s->processes;
    return axis == &s->whole_axis ? 0 : (int)scalay_axis_class(of_a, i);
}

/* Divides an axis. Counts and positions of all classes. */
static scalay_status divide(const scalay_solve *s, int classes, const scalay_axis *of_a, scalay_solve_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    const int columns = s->panels + 1;
    axis->classes = classes;
    SCALAY_TRY(SCALAY_NEW(axis->count, (int64_t)classes * columns));
    SCALAY_TRY(SCALAY_NEW(axis->position, s->n));
    for (int i = 0; i < s->n; i++) axis->count[class_of(s, axis, of_a, i) * columns + i / s->width + 1]++;
    for (int c = 0; c < classes; c++)
        for (int k = 0; k < s->panels; k++) axis->count[c * columns + k + 1] += axis->count[c * columns + k];
    for (int k = 0; k < s->panels; k++) {
        int *position = axis->position + k * s->width;
        for (int c = 0; c < classes; c++)
            for (int p = 0; p < scalay_solve_panel_width(s, k); p++)
                if (class_of(s, axis, of_a, k * s->width + p) == c) *position++ = p;
    }
cleanup:
    return status;
}

/* The indices of a class, all in one local range. */
static scalay_status find_indices(const scalay_axis *axis, int class, scalay_solve_indices *found)
{
    scalay_status status = SCALAY_SUCCESS;
    found->count = 0;
    found->first = axis->runs == NULL ? scalay_axis_count_upto(axis, class, axis->first) : 0;
    SCALAY_TRY(SCALAY_NEW(found->index, scalay_axis_count(axis, class)));
    for (int64_t i = 0; i < axis->extent; i++)
        if (scalay_axis_class(axis, i) == class) found->index[found->count++] = (int)i;
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------- balance */

/* Whether a block is so wide that the processes along an axis would not work at the same time. */
static int has_wide_blocks(const scalay_solve *s, const scalay_axis *axis)
{
    const int64_t few_blocks = 4;
    if (axis->classes == 1 || axis->block <= s->width) return 0;
    return axis->block > 2 * s->width || s->n < few_blocks * axis->block * axis->classes;
}

static int is_unbalanced(const scalay_solve *s)
{
    return has_wide_blocks(s, &s->a->row) || has_wide_blocks(s, &s->a->col);
}

/* ------------------------------------------------------------------------------------------------------ sweeps */

static void create_sweep(scalay_solve *s, const scalay_triangle *triangle, scalay_sweep *sweep)
{
    const int transposed = triangle->op != SCALAY_NO_TRANSPOSE;
    sweep->triangle = *triangle;
    sweep->transposed = transposed;
    sweep->is_forward = (triangle->uplo == SCALAY_LOWER) != transposed;
    sweep->out = s->is_dealt ? &s->whole_axis : &s->axis[transposed];
    sweep->in = s->is_dealt ? &s->panel_axis : &s->axis[!transposed];
    sweep->out_axis = transposed ? &s->a->col : &s->a->row;
    sweep->in_axis = transposed ? &s->a->row : &s->a->col;
    sweep->own_out = scalay_solve_class(s, sweep->out, s->process);
    sweep->own_in = scalay_solve_class(s, sweep->in, s->process);
}

static scalay_status create_axes(scalay_solve *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *a = s->a;
    SCALAY_TRY(divide(s, (int)a->row.classes, &a->row, &s->axis[0]));
    SCALAY_TRY(divide(s, (int)a->col.classes, &a->col, &s->axis[1]));
    SCALAY_TRY(divide(s, s->processes, NULL, &s->panel_axis));
    SCALAY_TRY(divide(s, 1, NULL, &s->whole_axis));
    for (int k = 0; k < 2; k++) {
        const scalay_axis *axis = k == 0 ? &a->row : &a->col;
        s->axis[k].first = scalay_axis_count_upto(axis, scalay_solve_class(s, &s->axis[k], s->process), axis->first);
    }
    SCALAY_TRY(find_indices(&s->b->row, (int)(s->process / s->b->col.classes), &s->rows));
    SCALAY_TRY(find_indices(&s->b->col, (int)(s->process % s->b->col.classes), &s->cols));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ shared memory */

/* The owner of a panel that is dealt out. */
static int owner_of(const scalay_solve *s, int panel)
{
    return panel % s->processes;
}

/* Whether a process has no elements of others to get for a panel: it owns all of them. */
static int has_whole_panel(const scalay_solve *s, const scalay_sweep *sweep, int panel)
{
    const int last = panel * s->width + scalay_solve_panel_width(s, panel) - 1;
    for (int i = panel * s->width; i <= last; i++) {
        const int class = (int)scalay_axis_class(sweep->in_axis, i);
        const int owner = sweep->in_axis == &s->a->col ? class : class * (int)s->a->col.classes;
        if (owner != owner_of(s, panel)) return 0;
    }
    return sweep->out_axis->classes == 1;
}

int64_t scalay_solve_others(const scalay_solve *s, const scalay_sweep *sweep, int panel, int end)
{
    const scalay_axis *axis = sweep->out_axis;
    if (axis->classes == 1) return end;
    const int class = owner_of(s, panel); /* the other axis has one class */
    return end -
           (scalay_axis_count_upto(axis, class, axis->first + end) - scalay_axis_count_upto(axis, class, axis->first));
}

/* Places for a number of bytes, one after the other; the first one is at NULL if there is no memory yet. */
static char *take(char *base, int64_t *used, int64_t bytes)
{
    char *at = base != NULL ? base + *used : NULL;
    *used += scalay_ceil_div(bytes, LINE) * LINE;
    return at;
}

/* Places the arrays of a sweep. Both sweeps of a factor with one operation share the copies. */
static void place_sweep(scalay_solve *s, int number, char *base, int64_t *used)
{
    scalay_sweep *sweep = &s->sweep[number];
    const int64_t column = (int64_t)s->size * s->chunk;
    sweep->x = take(base, used, column * s->n);
    for (int p = 0; p < s->processes; p++) {
        const int class = scalay_solve_class(s, sweep->out, p);
        sweep->sum[p] = take(base, used, column * sweep->out->count[class * (s->panels + 1) + s->panels]);
    }
    for (int k = 0; k < s->panels && s->is_dealt; k++) {
        const scalay_sweep *first = &s->sweep[0];
        if (number == 1 && first->transposed == sweep->transposed)
            sweep->copy[k] = first->copy[k];
        else if (!has_whole_panel(s, sweep, k))
            sweep->copy[k].elements =
                take(base, used, (int64_t)s->size * scalay_solve_others(s, sweep, k, s->n) * s->width);
    }
}

/* Places all shared arrays, and returns their bytes. */
static int64_t place(scalay_solve *s, char *base)
{
    int64_t used = 0;
    s->board = (scalay_solve_board *)(void *)take(base, &used, s->processes * (int64_t)sizeof *s->board);
    s->x = take(base, &used, (int64_t)s->size * s->n * s->chunk);
    if (s->has_shares) {
        s->whole = take(base, &used, (int64_t)s->size * s->n * s->n);
        return used;
    }
    s->d = take(base, &used, (int64_t)s->size * s->n * s->width);
    for (int k = 0; k < s->sweeps; k++) place_sweep(s, k, base, &used);
    return used;
}

static scalay_status create_arrays(scalay_solve *s)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < s->sweeps; k++) {
        SCALAY_TRY(SCALAY_NEW(s->sweep[k].sum, s->processes));
        if (s->is_dealt) SCALAY_TRY(SCALAY_NEW(s->sweep[k].copy, s->panels));
    }
    SCALAY_TRY(SCALAY_NEW(s->target, s->n));
    SCALAY_TRY(SCALAY_NEW(s->source, s->n));
    SCALAY_TRY(SCALAY_NEW(s->row_map, s->rows.count));
    SCALAY_TRY(SCALAY_NEW(s->col_map, s->cols.count));
    SCALAY_TRY(SCALAY_NEW_UNSET(s->block, (int64_t)s->size * s->width * s->chunk));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------- creation */

/* Whether a layout has part p on rank p of a row-major grid of all ranks. */
static int is_plain_grid(const scalay_layout *layout, int processes)
{
    return scalay_layout_is_grid(layout) && layout->process == NULL && layout->parts == processes &&
           layout->order == SCALAY_ROW_MAJOR && layout->row.runs == NULL && layout->col.runs == NULL;
}

static scalay_status create_local(scalay_comm *comm, const scalay_solve_request *request, scalay_solve *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int from_right = request->op_b != SCALAY_NO_TRANSPOSE;
    s->arithmetic = scalay_engine_arithmetic_of(request->type);
    s->own = scalay_solve_arithmetic_of(request->type);
    s->size = s->arithmetic->size;
    s->processes = comm->size;
    s->process = comm->rank;
    s->n = (int)request->a->row.extent;
    s->columns = (int)(from_right ? request->b->row.extent : request->b->col.extent);
    s->width = WIDTH;
    s->panels = (int)scalay_ceil_div(s->n, s->width);
    s->has_shares = s->columns >= LEAST_SHARE * s->processes;
    s->chunk = s->columns < MOST_COLUMNS || s->has_shares ? s->columns : MOST_COLUMNS;
    s->op_b = request->op_b;
    s->spins = comm->node->is_oversubscribed ? 0 : SPINS;
    s->sweeps = request->triangles;
    SCALAY_TRY(scalay_layout_copy(request->a, &s->a));
    SCALAY_TRY(scalay_layout_copy(request->b, &s->b));
    s->lda = scalay_layout_cell(s->a, s->process, 0).ld;
    s->ldb = scalay_layout_cell(s->b, s->process, 0).ld;
    s->is_dealt = !s->has_shares && is_unbalanced(s);
    SCALAY_TRY(create_axes(s));
    for (int k = 0; k < s->sweeps; k++) create_sweep(s, &request->triangle[k], &s->sweep[k]);
    SCALAY_TRY(create_arrays(s));
cleanup:
    return status;
}

/* Whether the solve is supported: on one node, and dealt out on grids of one row or column only. */
static int is_supported(const scalay_comm *comm, const scalay_solve_request *request)
{
    if (comm->size < 2 || !is_plain_grid(request->a, comm->size) || !is_plain_grid(request->b, comm->size)) return 0;
    if (comm->node->size != comm->size || !comm->node->has_windows) return 0;
    return request->may_share_cores || !comm->node->is_oversubscribed;
}

static scalay_status check_balance(const scalay_solve *s)
{
    if (!s->is_dealt || s->a->row.classes == 1 || s->a->col.classes == 1) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "blocks of %d on a grid with rows and columns are not dealt out",
                       (int)s->a->row.block);
}

static scalay_status check_memory(const scalay_solve *s, int64_t most_bytes)
{
    const int64_t bytes = scalay_ceil_div(s->bytes, s->processes);
    if (most_bytes < 0 || bytes <= most_bytes) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "a solve needs %lld bytes per rank; at most %lld are allowed",
                       (long long)bytes, (long long)most_bytes);
}

scalay_status scalay_solve_create(scalay_comm *comm, const scalay_solve_request *request, scalay_solve **solve)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_solve *s = NULL;
    *solve = NULL;
    SCALAY_TRY(scalay_node_probe(comm));
    if (!is_supported(comm, request)) return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "the ranks do not share memory");
    status = SCALAY_NEW(s, 1);
    if (status == SCALAY_SUCCESS) status = create_local(comm, request, s);
    if (status == SCALAY_SUCCESS) status = check_balance(s);
    if (status == SCALAY_SUCCESS) s->bytes = place(s, NULL);
    if (status == SCALAY_SUCCESS) status = check_memory(s, request->most_bytes);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    s->comm = scalay_comm_retain(comm);
    const int64_t own = comm->rank == 0 ? s->bytes : 0;
    const int64_t boards = comm->rank == 0 ? s->processes * (int64_t)sizeof *s->board : 0;
    SCALAY_TRY(scalay_comm_agree(comm, scalay_shared_window_create(comm->node->mpi, own, boards, &s->window)));
    if (!s->window.exists) {
        status = SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no shared memory for a solve with %d columns", s->chunk);
        goto cleanup;
    }
    (void)place(s, s->window.segment[0]);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_solve_destroy(&s);
    *solve = s;
    return status;
}

scalay_solve_way scalay_solve_way_of(const scalay_solve *solve)
{
    if (solve->has_shares) return SCALAY_SOLVE_SHARES;
    return solve->is_dealt ? SCALAY_SOLVE_COPIED : SCALAY_SOLVE_IN_PLACE;
}

static void free_axis(scalay_solve_axis *axis)
{
    scalay_release(axis->count);
    scalay_release(axis->position);
}

void scalay_solve_destroy(scalay_solve **solve)
{
    scalay_solve *s = *solve;
    *solve = NULL;
    if (s == NULL) return;
    scalay_shared_window_free(&s->window);
    for (int k = 0; k < 2; k++) {
        free_axis(&s->axis[k]);
        scalay_release(s->sweep[k].sum);
        scalay_release(s->sweep[k].copy);
    }
    free_axis(&s->panel_axis);
    free_axis(&s->whole_axis);
    scalay_release(s->rows.index);
    scalay_release(s->cols.index);
    scalay_release(s->target);
    scalay_release(s->source);
    scalay_release(s->row_map);
    scalay_release(s->col_map);
    scalay_release(s->block);
    scalay_layout_destroy(&s->a);
    scalay_layout_destroy(&s->b);
    if (s->comm != NULL) scalay_comm_destroy(&s->comm);
    scalay_release(s);
}
