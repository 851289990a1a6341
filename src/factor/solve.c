/*
 * Solves with triangles: creation. solve_run.c and solve_slabs.c have the execution.
 *
 * Substitution in panels of consecutive indices, whatever the blocks of A are. There are three ways. If the blocks of A
 * are narrow and X has few columns, A stays where it is. The panels have 64 indices. A sweep solves with a triangle
 * of A. Its step k computes the rows of X of a panel, and subtracts op(A) times them from the rows that are left. Let
 * `in` be the axis of op(A) along which these products sum, and `out` the other one.
 *
 *   - Each process has sums for the rows of its class of `out`: minus its elements of op(A) times X.
 *   - The processes that own elements of a panel's class of `in` divide the columns of X. Each adds the sums of all
 *     processes to op(B), and solves with the diagonal block.
 *   - Then each of them updates its sums: first the rows up to the next panel that it owns elements of, so that other
 *     processes can go on, then the rest.
 *
 * X is in memory that all processes share. Its new pages take long, so that sums and diagonal blocks are copied there
 * for a few panels at a time only, in slots that steps use in turn. A process says on its board which step it has
 * solved for, for which step its sums are complete, and for which step it has copied its elements of the diagonal
 * block.
 *
 * If processes have few wide blocks, they would not compute at the same time so. Two processes with a slab each lend
 * elements to each other: see solve_slabs.c. With other wide blocks, and with many columns, each process solves for
 * columns of its own. The panels of A have 128 columns, and pass through two places of the shared memory in turn: all
 * processes copy their elements of a panel there, and all solve with it while they copy the next.
 *
 * Work: n^2 multiply-adds per column and triangle, half of them on the triangle. Memory that is shared: n columns
 * and some panels of 64 by 64 elements and by the columns, or n columns and 256 n for two panels; for slabs, n columns
 * times 1.5 and n^2 / 8 for each of the lower and the upper triangle.
 */
#include "factor/solve.h"

#include <string.h>

#include "base/integer.h"
#include "base/kept_memory.h"
#include "base/memory.h"
#include "factor/engine_plan.h"
#include "factor/solve_plan.h"
#include "layout/layout.h"
#include "parallel/node.h"

enum { WIDTH = 64, SHARED_WIDTH = 128, MOST_COLUMNS = 128, LEAST_SHARE = 128, LINE = 64, SPINS = 2000 };

/* Bytes of the largest loan. */
static const int64_t MOST_LOAN = 32 << 20;

/* The order of A over the columns of X that a process solves for at a time: copying A takes few percents then. */
enum { ORDER_OF_SHARE = 8 };

/* ----------------------------------------------------------------------------------------------------- indices */

int scalay_solve_class(const scalay_solve *s, const scalay_solve_axis *axis, int process)
{
    const int npcol = s->axis[1].classes;
    return axis == &s->axis[0] ? process / npcol : process % npcol;
}

/* Divides an axis. Counts and positions of all classes. */
static scalay_status divide(const scalay_solve *s, const scalay_axis *of_a, scalay_solve_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    const int columns = s->panels + 1, classes = axis->classes;
    SCALAY_TRY(SCALAY_NEW(axis->count, (int64_t)classes * columns));
    SCALAY_TRY(SCALAY_NEW(axis->position, s->n));
    for (int i = 0; i < s->n; i++) axis->count[scalay_axis_class(of_a, i) * columns + i / s->width + 1]++;
    for (int c = 0; c < classes; c++)
        for (int k = 0; k < s->panels; k++) axis->count[c * columns + k + 1] += axis->count[c * columns + k];
    for (int k = 0; k < s->panels; k++) {
        int *position = axis->position + k * s->width;
        for (int c = 0; c < classes; c++)
            for (int p = 0; p < scalay_solve_panel_width(s, k); p++)
                if (scalay_axis_class(of_a, k * s->width + p) == c) *position++ = p;
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
static int has_wide_blocks(const scalay_axis *axis)
{
    const int64_t few_blocks = 4;
    if (axis->classes == 1 || axis->block <= WIDTH) return 0;
    return axis->block > 2 * WIDTH || axis->extent < few_blocks * axis->block * axis->classes;
}

static int is_unbalanced(const scalay_solve *s)
{
    return has_wide_blocks(&s->a->row) || has_wide_blocks(&s->a->col);
}

/* Whether A has slabs whose loans take little memory. Sets them. */
static int has_slabs(scalay_solve *s)
{
    return scalay_solve_find_slabs(s) && scalay_solve_loan_bytes(s, SCALAY_LOWER) <= MOST_LOAN &&
           scalay_solve_loan_bytes(s, SCALAY_UPPER) <= MOST_LOAN;
}

/* Sets who solves for what, and in which steps. */
static void choose_way(scalay_solve *s)
{
    const int is_wide = is_unbalanced(s);
    s->width = WIDTH;
    s->panels = (int)scalay_ceil_div(s->n, WIDTH);
    s->chunk = (int)scalay_min_int64(s->columns, MOST_COLUMNS);
    s->way = SCALAY_SOLVE_IN_PLACE;
    if (s->columns < LEAST_SHARE * s->processes && (!is_wide || has_slabs(s))) {
        if (is_wide) s->way = SCALAY_SOLVE_SLABS;
        return;
    }
    const int64_t share = scalay_max_int64(LEAST_SHARE, s->n / ORDER_OF_SHARE);
    s->way = SCALAY_SOLVE_SHARES;
    s->width = SHARED_WIDTH;
    s->panels = (int)scalay_ceil_div(s->n, SHARED_WIDTH);
    s->ldp = scalay_engine_leading(s->n);
    s->chunk = (int)scalay_min_int64(s->columns, share * s->processes);
}

/* ------------------------------------------------------------------------------------------------------ sweeps */

static void create_sweep(scalay_solve *s, const scalay_triangle *triangle, scalay_sweep *sweep)
{
    const int transposed = triangle->op != SCALAY_NO_TRANSPOSE;
    sweep->triangle = *triangle;
    sweep->transposed = transposed;
    sweep->is_forward = (triangle->uplo == SCALAY_LOWER) != transposed;
    sweep->out = &s->axis[transposed];
    sweep->in = &s->axis[!transposed];
    sweep->own_out = scalay_solve_class(s, sweep->out, s->process);
    sweep->own_in = scalay_solve_class(s, sweep->in, s->process);
}

static scalay_status create_axes(scalay_solve *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *a = s->a;
    s->axis[0].classes = (int)a->row.classes;
    s->axis[1].classes = (int)a->col.classes;
    for (int k = 0; k < 2; k++) {
        const scalay_axis *axis = k == 0 ? &a->row : &a->col;
        if (s->way != SCALAY_SOLVE_SLABS) SCALAY_TRY(divide(s, axis, &s->axis[k]));
        s->axis[k].first = scalay_axis_count_upto(axis, scalay_solve_class(s, &s->axis[k], s->process), axis->first);
    }
    SCALAY_TRY(find_indices(&s->b->row, (int)(s->process / s->b->col.classes), &s->rows));
    SCALAY_TRY(find_indices(&s->b->col, (int)(s->process % s->b->col.classes), &s->cols));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ shared memory */

/* Places for a number of bytes, one after the other; the first one is at NULL if there is no memory yet. */
static char *take(char *base, int64_t *used, int64_t bytes)
{
    char *at = base != NULL ? base + *used : NULL;
    *used += scalay_ceil_div(bytes, LINE) * LINE;
    return at;
}

/* The most panels for which a process copies sums in a step: up to the next step of its own, or to the end. */
static int most_sums(const scalay_solve *s)
{
    int most = 1;
    for (int k = 0; k < s->sweeps; k++)
        for (int class = 0; class < s->sweep[k].in->classes; class ++)
            for (int panel = 0, last = -1; panel <= s->panels; panel++) {
                const int is_end = panel == s->panels;
                if (!is_end && scalay_solve_count(s, s->sweep[k].in, class, panel) == 0) continue;
                if (last >= 0 && panel - is_end - last > most) most = panel - is_end - last;
                if (last < 0 && panel > most) most = panel;
                last = panel;
            }
    return most;
}

/* Places the arrays that are shared in place. */
static void place_slots(scalay_solve *s, char *base, int64_t *used)
{
    const int64_t panel = (int64_t)s->size * s->width;
    s->slots = most_sums(s) + 1;
    s->sums = take(base, used, panel * s->chunk * s->slots * s->processes);
    s->d = take(base, used, panel * s->width * s->slots);
}

/* Places the arrays of slabs. */
static void place_slabs(scalay_solve *s, char *base, int64_t *used)
{
    const int longer = s->slabs.second > s->n - s->slabs.second ? s->slabs.second : s->n - s->slabs.second;
    s->slabs.sum = take(base, used, (int64_t)s->size * longer * s->chunk);
    for (int upper = 0; upper < 2; upper++) {
        const scalay_uplo uplo = upper ? SCALAY_UPPER : SCALAY_LOWER;
        int is_used = 0;
        for (int k = 0; k < s->sweeps; k++) is_used |= s->sweep[k].triangle.uplo == uplo;
        if (is_used) s->slabs.loan[upper].copy = take(base, used, scalay_solve_loan_bytes(s, uplo));
    }
}

/* Places all shared arrays, and returns their bytes. */
static int64_t place(scalay_solve *s, char *base)
{
    int64_t used = 0;
    s->board = (scalay_solve_board *)(void *)take(base, &used, s->processes * (int64_t)sizeof *s->board);
    s->x = take(base, &used, (int64_t)s->size * s->n * s->chunk);
    if (s->way == SCALAY_SOLVE_SHARES) {
        for (int k = 0; k < SCALAY_SOLVE_PLACES; k++)
            s->panel[k] = take(base, &used, (int64_t)s->size * s->ldp * s->width);
        return used;
    }
    if (s->way == SCALAY_SOLVE_SLABS) {
        place_slabs(s, base, &used);
        return used;
    }
    place_slots(s, base, &used);
    return used;
}

/* Takes the arrays that a process has for itself in place. */
static scalay_status create_sums(scalay_solve *s)
{
    const int64_t column = (int64_t)s->size * s->chunk;
    int rows = 0;
    for (int k = 0; k < s->sweeps; k++) {
        const int count = s->sweep[k].out->count[s->sweep[k].own_out * (s->panels + 1) + s->panels];
        if (count > rows) rows = count;
    }
    s->sum = scalay_kept_memory_take(column * (rows + 2 * s->width));
    if (s->sum == NULL) return scalay_no_memory(__func__, "sums", rows + 2 * s->width, (size_t)column);
    s->block = s->sum + column * rows;
    s->inner = s->block + column * s->width;
    return SCALAY_SUCCESS;
}

static scalay_status create_arrays(scalay_solve *s)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(s->target, s->n));
    SCALAY_TRY(SCALAY_NEW(s->source, s->n));
    SCALAY_TRY(SCALAY_NEW(s->row_map, s->rows.count));
    SCALAY_TRY(SCALAY_NEW(s->col_map, s->cols.count));
    if (s->way == SCALAY_SOLVE_IN_PLACE) SCALAY_TRY(create_sums(s));
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
    s->op_b = request->op_b;
    s->spins = comm->node->is_oversubscribed ? 0 : SPINS;
    s->sweeps = request->triangles;
    SCALAY_TRY(scalay_layout_copy(request->a, &s->a));
    SCALAY_TRY(scalay_layout_copy(request->b, &s->b));
    s->lda = scalay_layout_cell(s->a, s->process, 0).ld;
    s->ldb = scalay_layout_cell(s->b, s->process, 0).ld;
    choose_way(s);
    SCALAY_TRY(create_axes(s));
    for (int k = 0; k < s->sweeps; k++) create_sweep(s, &request->triangle[k], &s->sweep[k]);
    SCALAY_TRY(create_arrays(s));
cleanup:
    return status;
}

/* Whether the solve is supported: on one node. */
static int is_supported(const scalay_comm *comm, const scalay_solve_request *request)
{
    if (comm->size < 2 || !is_plain_grid(request->a, comm->size) || !is_plain_grid(request->b, comm->size)) return 0;
    if (comm->node->size != comm->size || !comm->node->has_windows) return 0;
    return request->may_share_cores || !comm->node->is_oversubscribed;
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
    scalay_memory_populate(s->window.segment[0], s->bytes); /* the other ranks get their mappings at once, too */
cleanup:
    if (status != SCALAY_SUCCESS) scalay_solve_destroy(&s);
    *solve = s;
    return status;
}

scalay_solve_way scalay_solve_way_of(const scalay_solve *solve)
{
    return solve->way;
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
    for (int k = 0; k < 2; k++) free_axis(&s->axis[k]);
    scalay_release(s->rows.index);
    scalay_release(s->cols.index);
    scalay_release(s->target);
    scalay_release(s->source);
    scalay_release(s->row_map);
    scalay_release(s->col_map);
    scalay_kept_memory_give(s->sum);
    scalay_layout_destroy(&s->a);
    scalay_layout_destroy(&s->b);
    if (s->comm != NULL) scalay_comm_destroy(&s->comm);
    scalay_release(s);
}
