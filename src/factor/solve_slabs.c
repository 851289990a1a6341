/*
 * Solves with triangles where two processes have a slab of A each: execution.
 *
 * Slab 0 has the indices before `second`, on one axis of A. A triangle is divided into the triangles of both slabs and
 * the rectangle between them. Whatever the axis, the process of slab 0 has the first triangle, and that of slab 1 has
 * the other one. One of them has the whole rectangle, and lends the part that the other one works on: rows (of a lower
 * triangle) or columns (of an upper one) of slab 1. Process 0 works on the part from `split` on, which is farther from
 * the diagonal, and process 1 on the part before it, so that both have as many multiply-adds. A loan is copied once in
 * a call, whatever the number of sweeps and columns.
 *
 * A sweep begins with one slab, whose process is the leader; the other one is the follower:
 *
 *   - The leader solves with its triangle, panel by panel. The follower multiplies its part of the rectangle by each
 *     panel of X that is solved for, and subtracts the product from its own rows of X.
 *   - Then the follower solves with its triangle. The leader multiplies its part of the rectangle by all of its X, in
 *     the order in which the follower needs the rows of the sums, which the follower subtracts.
 *
 * So both work all the time: a half of the triangle each. Loans are written past the caches: the other process reads
 * them faster from memory than from the cache of this one. Copies: an eighth of the elements of A for each triangle if
 * the slabs are equal.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "factor/engine_plan.h"
#include "factor/solve_plan.h"
#include "layout/layout.h"

/* -------------------------------------------------------------------------------------------------------- division */

/* The first index whose class is not that of index `from`; the extent if there is none. */
static int end_of_class(const scalay_axis *axis, int from)
{
    int i = from;
    while (i < (int)axis->extent && scalay_axis_class(axis, i) == scalay_axis_class(axis, from)) i++;
    return i;
}

/* The indices of slab 1 of the rectangle that a process works on. */
static scalay_solve_range part_of(const scalay_solve *s, int number)
{
    const scalay_solve_slabs *t = &s->slabs;
    return number == 0 ? (scalay_solve_range){t->split, s->n} : (scalay_solve_range){t->second, t->split};
}

/* The process that has the rectangle of a triangle. */
static int lender_of(const scalay_solve *s, scalay_uplo uplo)
{
    return (s->slabs.axis == 1) == (uplo == SCALAY_LOWER) ? 0 : 1;
}

static void set_loan(scalay_solve *s, scalay_uplo uplo)
{
    scalay_solve_loan *loan = &s->slabs.loan[uplo == SCALAY_UPPER];
    const scalay_solve_range part = part_of(s, 1 - lender_of(s, uplo)), whole = {0, s->slabs.second};
    loan->rows = uplo == SCALAY_LOWER ? part : whole;
    loan->cols = uplo == SCALAY_LOWER ? whole : part;
    loan->ld = scalay_engine_leading(loan->rows.end - loan->rows.begin);
}

int scalay_solve_find_slabs(scalay_solve *s)
{
    scalay_solve_slabs *t = &s->slabs;
    t->axis = s->a->row.classes == 1;
    const scalay_axis *axis = t->axis == 0 ? &s->a->row : &s->a->col, *other = t->axis == 0 ? &s->a->col : &s->a->row;
    if (s->processes != 2 || axis->classes != 2 || other->classes != 1) return 0;
    t->second = end_of_class(axis, 0);
    if (t->second == s->n || end_of_class(axis, t->second) != s->n) return 0;
    const double h = t->second, rest = s->n - h, part = (double)s->n * s->n / 4.0 - rest * rest / 2.0;
    if (part < 0.0 || part > h * rest) return 0;
    t->split = t->second + (int)(part / h);
    t->process[0] = (int)scalay_axis_class(axis, 0);
    t->process[1] = 1 - t->process[0];
    t->own = s->process != t->process[0];
    t->panels = (int)scalay_ceil_div(t->second, s->width);
    s->panels = t->panels + (int)scalay_ceil_div(s->n - t->second, s->width);
    set_loan(s, SCALAY_LOWER);
    set_loan(s, SCALAY_UPPER);
    return 1;
}

int64_t scalay_solve_loan_bytes(const scalay_solve *s, scalay_uplo uplo)
{
    const scalay_solve_loan *loan = &s->slabs.loan[uplo == SCALAY_UPPER];
    return (int64_t)s->size * loan->ld * (loan->cols.end - loan->cols.begin);
}

/* ---------------------------------------------------------------------------------------------------------- ranges */

/* A rectangle of op(A). */
typedef struct {
    scalay_solve_range out, in;
} rectangle;

static scalay_solve_range intersect(scalay_solve_range x, scalay_solve_range y)
{
    const int begin = x.begin > y.begin ? x.begin : y.begin, end = x.end < y.end ? x.end : y.end;
    return (scalay_solve_range){begin, end > begin ? end : begin};
}

static int is_empty(scalay_solve_range x)
{
    return x.begin >= x.end;
}

static scalay_solve_range slab_of(const scalay_solve *s, int number)
{
    return number == 0 ? (scalay_solve_range){0, s->slabs.second} : (scalay_solve_range){s->slabs.second, s->n};
}

/* The indices that a step of a sweep solves for. */
static scalay_solve_range panel_of(const scalay_solve *s, const scalay_sweep *sweep, int step)
{
    const int panel = sweep->is_forward ? step : s->panels - 1 - step, is_second = panel >= s->slabs.panels;
    const scalay_solve_range slab = slab_of(s, is_second);
    const int begin = slab.begin + (panel - (is_second ? s->slabs.panels : 0)) * s->width;
    return intersect(slab, (scalay_solve_range){begin, begin + s->width});
}

static int leader_of(const scalay_sweep *sweep)
{
    return !sweep->is_forward;
}

/* The steps of the leader, which come first. */
static int steps_of_leader(const scalay_solve *s, const scalay_sweep *sweep)
{
    return sweep->is_forward ? s->slabs.panels : s->panels - s->slabs.panels;
}

/* The part of the rectangle that a process works on. */
static rectangle rectangle_of(const scalay_solve *s, const scalay_sweep *sweep, int number)
{
    const scalay_solve_range part = part_of(s, number), whole = slab_of(s, 0);
    return sweep->is_forward ? (rectangle){part, whole} : (rectangle){whole, part};
}

/* -------------------------------------------------------------------------------------------------------- elements */

static char *row_of_x(const scalay_solve *s, int row)
{
    return s->x + s->size * (size_t)row;
}

/* The element of this process at a row and a column of A. */
static const char *own_element(const scalay_solve_pass *p, int row, int col)
{
    const scalay_solve *s = p->s;
    const int skipped = s->slabs.own == 1 ? s->slabs.second : 0, by_rows = s->slabs.axis == 0;
    const int64_t i = s->axis[0].first + row - (by_rows ? skipped : 0);
    const int64_t j = s->axis[1].first + col - (by_rows ? 0 : skipped);
    return p->a + s->size * (size_t)(i + j * s->lda);
}

static char *lent_element(const scalay_solve *s, const scalay_solve_loan *loan, int row, int col)
{
    return loan->copy + s->size * (size_t)(row - loan->rows.begin + (int64_t)(col - loan->cols.begin) * loan->ld);
}

static const scalay_solve_loan *loan_of(const scalay_solve *s, const scalay_sweep *sweep)
{
    return &s->slabs.loan[sweep->triangle.uplo == SCALAY_UPPER];
}

/* Whether this process works on a loan in the rectangle. */
static int borrows(const scalay_solve *s, const scalay_sweep *sweep)
{
    return lender_of(s, sweep->triangle.uplo) != s->slabs.own;
}

/* Whether the loan of a sweep is copied during it: in the first sweep of a call that uses it. */
static int is_copied_in(const scalay_solve_pass *p, int number)
{
    const scalay_sweep *sweep = p->s->sweep;
    return p->is_first && (number == 0 || sweep[number].triangle.uplo != sweep[0].triangle.uplo);
}

/* Copies a part of the rectangle that this process lends. */
static void lend(const scalay_solve_pass *p, const scalay_sweep *sweep, rectangle r)
{
    const scalay_solve *s = p->s;
    const scalay_solve_loan *loan = loan_of(s, sweep);
    const scalay_solve_range rows = sweep->transposed ? r.in : r.out, cols = sweep->transposed ? r.out : r.in;
    for (int col = cols.begin; col < cols.end && !is_empty(rows); col++)
        scalay_bytes_stream(lent_element(s, loan, rows.begin, col), own_element(p, rows.begin, col),
                            s->size * (size_t)(rows.end - rows.begin));
    scalay_bytes_stream_end();
}

/* Subtracts op(A) times X from sums; overwrites: there are none yet. */
static void multiply(const scalay_solve_pass *p, const scalay_sweep *sweep, int is_lent, rectangle r, int overwrites,
                     char *sums, int ld)
{
    const scalay_solve *s = p->s;
    const scalay_solve_loan *loan = loan_of(s, sweep);
    const int row = sweep->transposed ? r.in.begin : r.out.begin, col = sweep->transposed ? r.out.begin : r.in.begin;
    if (is_empty(r.out) || is_empty(r.in)) return;
    const char *a = is_lent ? lent_element(s, loan, row, col) : own_element(p, row, col);
    s->arithmetic->gemm("NTC"[sweep->triangle.op], 'N', r.out.end - r.out.begin, p->columns, r.in.end - r.in.begin, -1,
                        a, is_lent ? loan->ld : (int)s->lda, row_of_x(s, r.in.begin), s->n, overwrites, sums, ld);
}

/* ----------------------------------------------------------------------------------------------------------- steps */

/* Rows of sums that the leader computes at a time, in panels: their products are fast, and the follower waits little.
 */
enum { PANELS_OF_SUMS = 2 };

static scalay_solve_board *board_of(const scalay_solve *s, int number)
{
    return &s->board[s->slabs.process[number]];
}

static void publish(_Atomic int64_t *value, int64_t number)
{
    atomic_store_explicit(value, number, memory_order_release);
}

/* Solves for a panel of the own slab, and updates the rest of the slab. */
static void solve_panel(const scalay_solve_pass *p, int number, int step)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const scalay_solve_range panel = panel_of(s, sweep, step), slab = slab_of(s, s->slabs.own);
    const scalay_solve_range rest =
        sweep->is_forward ? (scalay_solve_range){panel.end, slab.end} : (scalay_solve_range){slab.begin, panel.begin};
    s->own->solve(&sweep->triangle, panel.end - panel.begin, p->columns, own_element(p, panel.begin, panel.begin),
                  (int)s->lda, row_of_x(s, panel.begin), s->n);
    publish(&board_of(s, s->slabs.own)->solved, scalay_solve_number(p, number, step));
    multiply(p, sweep, 0, (rectangle){rest, panel}, 0, row_of_x(s, rest.begin), s->n);
}

/* The address of the sums of the leader for a row of the follower. */
static char *sum_of(const scalay_solve *s, int follower, int row)
{
    return s->slabs.sum + s->size * (size_t)(row - slab_of(s, follower).begin);
}

static int length_of(scalay_solve_range x)
{
    return x.end - x.begin;
}

/* Computes the sums of the rows begin .. end - 1 of the follower. */
static void sum_rows(const scalay_solve_pass *p, const scalay_sweep *sweep, rectangle r)
{
    const scalay_solve *s = p->s;
    const int follower = 1 - s->slabs.own, ld = length_of(slab_of(s, follower));
    for (int in = r.in.begin; in < r.in.end; in += s->width) {
        const scalay_solve_range some = intersect(r.in, (scalay_solve_range){in, in + s->width});
        multiply(p, sweep, borrows(s, sweep), (rectangle){r.out, some}, in == r.in.begin,
                 sum_of(s, follower, r.out.begin), ld);
    }
}

static void lead(const scalay_solve_pass *p, int number)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int steps = steps_of_leader(s, sweep), own = s->slabs.own, is_copied = is_copied_in(p, number);
    const rectangle r = rectangle_of(s, sweep, own), lent = rectangle_of(s, sweep, 1 - own);
    for (int step = 0; step < steps; step++) {
        if (is_copied && !borrows(s, sweep)) {
            lend(p, sweep, (rectangle){lent.out, intersect(lent.in, panel_of(s, sweep, step))});
            publish(&board_of(s, own)->copied, scalay_solve_number(p, number, step));
        }
        solve_panel(p, number, step);
    }
    if (is_copied && borrows(s, sweep))
        scalay_solve_wait(s, &board_of(s, 1 - own)->copied, scalay_solve_number(p, number, s->panels - 1));
    for (int step = steps; step < s->panels; step += PANELS_OF_SUMS) {
        const int last = step + PANELS_OF_SUMS < s->panels ? step + PANELS_OF_SUMS - 1 : s->panels - 1;
        const scalay_solve_range x = panel_of(s, sweep, step), y = panel_of(s, sweep, last);
        const scalay_solve_range rows = {x.begin < y.begin ? x.begin : y.begin, x.end > y.end ? x.end : y.end};
        sum_rows(p, sweep, (rectangle){intersect(r.out, rows), r.in});
        publish(&board_of(s, own)->summed, scalay_solve_number(p, number, last));
    }
}

/* Adds the sums of the leader to the rows of a panel. */
static void add_sums(const scalay_solve_pass *p, int number, int step)
{
    const scalay_solve *s = p->s;
    const int own = s->slabs.own;
    const scalay_sweep *sweep = &s->sweep[number];
    const rectangle r = rectangle_of(s, sweep, 1 - own);
    const scalay_solve_range rows = intersect(panel_of(s, sweep, step), r.out);
    if (is_empty(rows) || is_empty(r.in)) return;
    scalay_solve_wait(s, &board_of(s, 1 - own)->summed, scalay_solve_number(p, number, step));
    s->own->add_rows(length_of(rows), p->columns, NULL, sum_of(s, own, rows.begin), length_of(slab_of(s, own)),
                     row_of_x(s, rows.begin), s->n);
}

static void follow(const scalay_solve_pass *p, int number)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int steps = steps_of_leader(s, sweep), own = s->slabs.own, is_copied = is_copied_in(p, number);
    const rectangle r = rectangle_of(s, sweep, own);
    scalay_solve_board *leader = board_of(s, 1 - own);
    for (int step = 0; step < steps; step++) {
        const scalay_solve_range in = intersect(r.in, panel_of(s, sweep, step));
        if (is_empty(in)) continue;
        scalay_solve_wait(s, &leader->solved, scalay_solve_number(p, number, step));
        if (is_copied && borrows(s, sweep)) scalay_solve_wait(s, &leader->copied, scalay_solve_number(p, number, step));
        multiply(p, sweep, borrows(s, sweep), (rectangle){r.out, in}, 0, row_of_x(s, r.out.begin), s->n);
    }
    for (int step = steps; step < s->panels; step++) {
        add_sums(p, number, step);
        solve_panel(p, number, step);
    }
}

/* Waits until both processes have solved for all of X in a sweep. */
static void wait_for_sweep(const scalay_solve_pass *p, int number)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int leader = leader_of(sweep), last = steps_of_leader(s, sweep) - 1;
    scalay_solve_wait(s, &board_of(s, leader)->solved, scalay_solve_number(p, number, last));
    scalay_solve_wait(s, &board_of(s, 1 - leader)->solved, scalay_solve_number(p, number, s->panels - 1));
}

void scalay_solve_run_slabs(const scalay_solve_pass *p)
{
    const scalay_solve *s = p->s;
    for (int k = 0; k < s->sweeps; k++) {
        const scalay_sweep *sweep = &s->sweep[k];
        const int own = s->slabs.own, leads = leader_of(sweep) == own;
        if (!leads && is_copied_in(p, k) && !borrows(s, sweep)) {
            lend(p, sweep, rectangle_of(s, sweep, 1 - own));
            publish(&board_of(s, own)->copied, scalay_solve_number(p, k, s->panels - 1));
        }
        if (k > 0) wait_for_sweep(p, k - 1);
        if (leads)
            lead(p, k);
        else
            follow(p, k);
    }
    wait_for_sweep(p, s->sweeps - 1);
}
