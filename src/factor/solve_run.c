/* Solves with triangles: execution. solve.c describes the algorithm. */
#include <sched.h>
#include <string.h>

#include "base/integer.h"
#include "factor/solve_plan.h"
#include "layout/layout.h"

/* ----------------------------------------------------------------------------------------------------- waiting */

void scalay_solve_wait(const scalay_solve *s, const _Atomic int64_t *value, int64_t least)
{
    for (int n = 0; atomic_load_explicit(value, memory_order_acquire) < least; n++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
        if (n >= s->spins) (void)sched_yield();
    }
}

/* Says that this process has passed; wait_for_all() waits until all have. */
static void pass_barrier(scalay_solve *s)
{
    atomic_store_explicit(&s->board[s->process].passed, ++s->barriers, memory_order_release);
}

static void wait_for_all(const scalay_solve *s)
{
    for (int p = 0; p < s->processes; p++) scalay_solve_wait(s, &s->board[p].passed, s->barriers);
}

/* ------------------------------------------------------------------------------------------------------- steps */

static int panel_of(const scalay_solve *s, const scalay_sweep *sweep, int step)
{
    return sweep->is_forward ? step : s->panels - 1 - step;
}

static int owns(const scalay_solve *s, const scalay_sweep *sweep, int process, int step)
{
    const int class = scalay_solve_class(s, sweep->in, process);
    return scalay_solve_count(s, sweep->in, class, panel_of(s, sweep, step)) > 0;
}

/* The first step from `step` on of whose panel a process owns elements; the number of steps if there is none. */
static int next_step(const scalay_solve *s, const scalay_sweep *sweep, int process, int step)
{
    while (step < s->panels && !owns(s, sweep, process, step)) step++;
    return step;
}

/* Waits until the owners of the panel of a step have solved for it. */
static void wait_for_solution(const scalay_solve_pass *p, int sweep, int step)
{
    const scalay_solve *s = p->s;
    for (int q = 0; q < s->processes; q++)
        if (owns(s, &s->sweep[sweep], q, step))
            scalay_solve_wait(s, &s->board[q].solved, scalay_solve_number(p, sweep, step));
}

/* Waits until the slot of a step is free: the step that had it before is solved for. */
static void wait_for_slot(const scalay_solve_pass *p, int sweep, int step)
{
    if (step >= p->s->slots) wait_for_solution(p, sweep, step - p->s->slots);
}

/* ------------------------------------------------------------------------------------------------- shared panels */

/* The sums of a process for the panel of a step. */
static char *shared_sums(const scalay_solve *s, int process, int step)
{
    const int64_t slot = (int64_t)process * s->slots + step % s->slots;
    return s->sums + (int64_t)s->size * s->width * s->chunk * slot;
}

static char *shared_diagonal(const scalay_solve *s, int step)
{
    return s->d + (int64_t)s->size * s->width * s->width * (step % s->slots);
}

static void copy_block(const scalay_solve *s, int rows, int cols, const char *from, int ld_from, char *to, int ld_to)
{
    for (int j = 0; j < cols; j++)
        memcpy(to + s->size * (size_t)((int64_t)j * ld_to), from + s->size * (size_t)((int64_t)j * ld_from),
               s->size * (size_t)rows);
}

/* Shares the sums of this process for the steps first .. last, which are complete. */
static void share_sums(const scalay_solve_pass *p, int number, int first, int last)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int *count = sweep->out->count + sweep->own_out * (s->panels + 1), ld = count[s->panels];
    for (int step = first; step <= last; step++) {
        const int panel = panel_of(s, sweep, step), rows = count[panel + 1] - count[panel];
        wait_for_slot(p, number, step);
        copy_block(s, rows, p->columns, s->sum + s->size * (size_t)count[panel], ld, shared_sums(s, s->process, step),
                   s->width);
    }
    atomic_store_explicit(&s->board[s->process].summed, scalay_solve_number(p, number, last), memory_order_release);
}

/* Shares the elements of this process in the diagonal block of a step. */
static void share_diagonal(const scalay_solve_pass *p, int number, int step)
{
    const scalay_solve *s = p->s;
    const scalay_solve_axis *rows = &s->axis[0], *cols = &s->axis[1];
    const int row_class = s->process / cols->classes, col_class = s->process % cols->classes;
    const int panel = panel_of(s, &s->sweep[number], step);
    const int *row_count = rows->count + row_class * (s->panels + 1) + panel,
              *col_count = cols->count + col_class * (s->panels + 1) + panel;
    const int *row = rows->position + panel * s->width + scalay_solve_begin(s, rows, row_class, panel);
    const int *col = cols->position + panel * s->width + scalay_solve_begin(s, cols, col_class, panel);
    wait_for_slot(p, number, step);
    for (int j = col_count[0]; j < col_count[1]; j++, col++) {
        const char *from = p->a + s->size * (size_t)(rows->first + row_count[0] + (cols->first + j) * s->lda);
        char *to = shared_diagonal(s, step) + s->size * (size_t)((int64_t)*col * s->width);
        s->arithmetic->copy_rows(row_count[1] - row_count[0], 1, NULL, from, 1, row, to, s->width);
    }
    atomic_store_explicit(&s->board[s->process].copied, scalay_solve_number(p, number, step), memory_order_release);
}

/* ------------------------------------------------------------------------------------------------------- panels */

/* The columns of X that this process solves for: its share of the owners of the panel. */
static void find_share(const scalay_solve_pass *p, const scalay_sweep *sweep, int step, int *begin, int *end)
{
    int owners = 0, own = 0;
    for (int q = 0; q < p->s->processes; q++) {
        if (q == p->s->process) own = owners;
        owners += owns(p->s, sweep, q, step);
    }
    *begin = (int)((int64_t)p->columns * own / owners);
    *end = (int)((int64_t)p->columns * (own + 1) / owners);
}

/* Adds the sums of all processes to the rows of a panel, in the columns begin .. of X. A process has sums after the
 * first step whose panel it owns elements of. */
static void add_sums(const scalay_solve_pass *p, int number, int step, int begin, int columns)
{
    scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int panel = panel_of(s, sweep, step);
    for (int q = 0; q < s->processes; q++) {
        const int class = scalay_solve_class(s, sweep->out, q), rows = scalay_solve_count(s, sweep->out, class, panel);
        if (rows == 0 || next_step(s, sweep, q, 0) >= step) continue;
        scalay_solve_wait(s, &s->board[q].summed, scalay_solve_number(p, number, step));
        const int *to = sweep->out->position + panel * s->width + scalay_solve_begin(s, sweep->out, class, panel);
        s->own->add_rows(rows, columns, rows == scalay_solve_panel_width(s, panel) ? NULL : to,
                         shared_sums(s, q, step) + s->size * (size_t)((int64_t)begin * s->width), s->width, s->block,
                         s->width);
    }
}

/* Computes the rows of X of a panel, in the columns of this process. */
static void solve_panel(const scalay_solve_pass *p, int number, int step)
{
    scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int panel = panel_of(s, sweep, step), first = panel * s->width, rows = scalay_solve_panel_width(s, panel);
    int begin = 0, end = 0;
    find_share(p, sweep, step, &begin, &end);
    const int columns = end - begin;
    char *x = s->x + s->size * (size_t)(first + (int64_t)begin * s->n);
    copy_block(s, rows, columns, x, s->n, s->block, s->width);
    add_sums(p, number, step, begin, columns);
    for (int q = 0; q < s->processes; q++)
        if (owns(s, sweep, q, step)) scalay_solve_wait(s, &s->board[q].copied, scalay_solve_number(p, number, step));
    s->own->solve(&sweep->triangle, rows, columns, shared_diagonal(s, step), s->width, s->block, s->width);
    copy_block(s, rows, columns, s->block, s->width, x, s->n);
    atomic_store_explicit(&s->board[s->process].solved, scalay_solve_number(p, number, step), memory_order_release);
}

/* ------------------------------------------------------------------------------------------------------ updates */

/* Subtracts a product from sums; is_first: there are none yet. */
static void multiply(const scalay_solve_pass *p, const scalay_sweep *sweep, const char *a, int64_t lda, int rows,
                     int inner, int sum_row, int is_first)
{
    const scalay_solve *s = p->s;
    const int ld = sweep->out->count[sweep->own_out * (s->panels + 1) + s->panels];
    if (rows == 0 || inner == 0) return;
    s->arithmetic->gemm("NTC"[sweep->triangle.op], 'N', rows, p->columns, inner, -1, a, (int)lda, s->inner, s->width,
                        is_first, s->sum + s->size * (size_t)sum_row, ld);
}

/* The address of an element of op(A) in the array of this process, by local indices. */
static const char *element(const scalay_solve_pass *p, const scalay_sweep *sweep, int64_t out, int64_t in)
{
    const int64_t row = sweep->transposed ? in : out, col = sweep->transposed ? out : in;
    return p->a + p->s->size * (size_t)(row + col * p->s->lda);
}

/* Updates the sums of panels begin .. end - 1 with the elements that this process has. */
static void update_in_place(const scalay_solve_pass *p, const scalay_sweep *sweep, int panel, int begin, int end,
                            int is_first)
{
    const scalay_solve *s = p->s;
    const int *out = sweep->out->count + sweep->own_out * (s->panels + 1);
    const int *in = sweep->in->count + sweep->own_in * (s->panels + 1);
    const char *a = element(p, sweep, sweep->out->first + out[begin], sweep->in->first + in[panel]);
    multiply(p, sweep, a, s->lda, out[end] - out[begin], in[panel + 1] - in[panel], out[begin], is_first);
}

/* -------------------------------------------------------------------------------------------------------- sweeps */

/* Copies the rows of X in the panel of a step that the columns (or rows) of A of this process are multiplied by. */
static void read_inner(const scalay_solve_pass *p, const scalay_sweep *sweep, int step)
{
    const scalay_solve *s = p->s;
    const int panel = panel_of(s, sweep, step), first = panel * s->width;
    const int *position = sweep->in->position + first + scalay_solve_begin(s, sweep->in, sweep->own_in, panel);
    s->arithmetic->copy_rows(scalay_solve_count(s, sweep->in, sweep->own_in, panel), p->columns, position,
                             s->x + s->size * (size_t)first, s->n, NULL, s->inner, s->width);
}

/* Updates the sums for the steps first .. last with the panel of a step. */
static void update(const scalay_solve_pass *p, const scalay_sweep *sweep, int step, int first, int last)
{
    const scalay_solve *s = p->s;
    const int begin = sweep->is_forward ? first : s->panels - 1 - last;
    const int end = sweep->is_forward ? last + 1 : s->panels - first;
    const int is_first = next_step(s, sweep, s->process, 0) == step;
    if (begin < end) update_in_place(p, sweep, panel_of(s, sweep, step), begin, end, is_first);
}

/* A step: the rows up to the next step of this process come first. */
static void run_step(const scalay_solve_pass *p, int number, int step)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int next = next_step(s, sweep, s->process, step + 1), last = next < s->panels ? next : s->panels - 1;
    solve_panel(p, number, step);
    if (next < s->panels) share_diagonal(p, number, next);
    wait_for_solution(p, number, step);
    read_inner(p, sweep, step);
    if (step < last) {
        update(p, sweep, step, step + 1, step + 1);
        share_sums(p, number, step + 1, step + 1);
    }
    if (step + 1 < last) {
        update(p, sweep, step, step + 2, last);
        share_sums(p, number, step + 2, last);
    }
    update(p, sweep, step, last + 1, s->panels - 1);
}

/* Runs the steps of a sweep that this process takes part in. */
static void run_sweep(const scalay_solve_pass *p, int number)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep = &s->sweep[number];
    const int first = next_step(s, sweep, s->process, 0);
    if (first < s->panels) share_diagonal(p, number, first);
    for (int step = first; step < s->panels; step = next_step(s, sweep, s->process, step + 1))
        run_step(p, number, step);
    atomic_store_explicit(&s->board[s->process].summed, scalay_solve_number(p, number, s->panels),
                          memory_order_release);
}

static void run_steps(const scalay_solve_pass *p)
{
    const scalay_solve *s = p->s;
    for (int k = 0; k < s->sweeps; k++) {
        for (int q = 0; k > 0 && q < s->processes; q++)
            scalay_solve_wait(s, &s->board[q].summed, scalay_solve_number(p, k - 1, s->panels));
        run_sweep(p, k);
    }
    for (int step = 0; step < s->panels; step++) wait_for_solution(p, s->sweeps - 1, step);
}

/* -------------------------------------------------------------------------------------------------------- arrays */

/* Sets the rows of X for the rows of op(B): those after the exchanges of pivots. */
static void find_targets(scalay_solve *s, const int *pivots, int *source)
{
    for (int i = 0; i < s->n; i++) source[i] = i;
    for (int i = 0; i < s->n && pivots != NULL; i++) {
        const int other = pivots[i] - 1, row = source[i];
        source[i] = source[other];
        source[other] = row;
    }
    for (int i = 0; i < s->n; i++) s->target[source[i]] = i;
}

/* The part of the indices of this process that a pass has. */
static int find_part(const scalay_solve_indices *indices, int begin, int end, int *first)
{
    int count = 0;
    for (*first = 0; *first < indices->count && indices->index[*first] < begin;) (*first)++;
    while (*first + count < indices->count && indices->index[*first + count] < end) count++;
    return count;
}

/* Copies the columns begin .. of X from B (loads) or to B. */
static void copy_b(const scalay_solve_pass *p, int begin, int is_load, int exchanges, const void *alpha, char *b)
{
    const scalay_solve *s = p->s;
    const int is_left = s->op_b == SCALAY_NO_TRANSPOSE;
    const int *const target = exchanges ? s->target : NULL;
    int row = 0, col = 0;
    const int rows = find_part(&s->rows, is_left ? 0 : begin, is_left ? s->n : begin + p->columns, &row);
    const int cols = find_part(&s->cols, is_left ? begin : 0, is_left ? begin + p->columns : s->n, &col);
    for (int i = 0; i < rows; i++) {
        const int index = s->rows.index[row + i];
        s->row_map[i] = !is_left ? index - begin : target != NULL ? target[index] : index;
    }
    for (int j = 0; j < cols; j++) s->col_map[j] = s->cols.index[col + j] - (is_left ? begin : 0);
    b += s->size * (size_t)(s->rows.first + row + (s->cols.first + col) * s->ldb);
    if (!is_load) {
        s->own->store(rows, cols, b, s->ldb, s->op_b, s->row_map, s->col_map, s->x, s->n);
        return;
    }
    /* Exchanged rows of several processes share cache lines: the processes begin with different columns. */
    const int first = exchanges ? (int)((int64_t)cols * s->process / s->processes) : 0;
    const char *const from = b + s->size * (size_t)(first * s->ldb);
    s->own->load(rows, cols - first, alpha, from, s->ldb, s->op_b, s->row_map, s->col_map + first, s->x, s->n);
    s->own->load(rows, first, alpha, b, s->ldb, s->op_b, s->row_map, s->col_map, s->x, s->n);
}

/* ------------------------------------------------------------------------------------------- columns of one's own */

/* The step of a sweep, of a number of steps in all sweeps. */
static int step_in(const scalay_solve *s, int step, const scalay_sweep **sweep)
{
    *sweep = &s->sweep[step / s->panels];
    return panel_of(s, *sweep, step % s->panels);
}

/* Whether ascending positions have no gap. */
static int is_adjacent(const int *position, int count)
{
    return count > 0 && position[count - 1] - position[0] == count - 1;
}

/* Copies the elements of this process that are in the row panels begin .. end - 1 of a column of A. */
static void copy_column(const scalay_solve_pass *p, int begin, int end, const char *from, char *to)
{
    const scalay_solve *s = p->s;
    const scalay_solve_axis *rows = &s->axis[0];
    const int class = s->process / s->axis[1].classes, *count = rows->count + class * (s->panels + 1);
    for (int k = begin; k < end; k++) {
        const int *row = rows->position + k * s->width + scalay_solve_begin(s, rows, class, k);
        const int height = count[k + 1] - count[k];
        const char *piece = from + s->size * (size_t)count[k];
        char *place = to + s->size * (size_t)(k * s->width);
        if (is_adjacent(row, height))
            memcpy(place + s->size * (size_t)row[0], piece, s->size * (size_t)height);
        else
            s->arithmetic->copy_rows(height, 1, NULL, piece, 1, row, place, s->ldp);
    }
}

/* Copies the elements of this process in the panel of a step, in the triangle of its sweep. */
static void copy_panel(const scalay_solve_pass *p, int step)
{
    scalay_solve *s = p->s;
    const scalay_sweep *sweep;
    const scalay_solve_axis *cols = &s->axis[1];
    const int panel = step_in(s, step, &sweep), is_lower = sweep->triangle.uplo == SCALAY_LOWER;
    const int class = s->process % cols->classes, *count = cols->count + class * (s->panels + 1);
    const int *col = cols->position + panel * s->width + scalay_solve_begin(s, cols, class, panel);
    const char *from = p->a + s->size * (size_t)(s->axis[0].first + (cols->first + count[panel]) * s->lda);
    const int last = step - SCALAY_SOLVE_PLACES;
    for (int q = 0; q < s->processes && last >= 0; q++)
        scalay_solve_wait(s, &s->board[q].solved, scalay_solve_number(p, 0, last));
    for (int j = 0; j < count[panel + 1] - count[panel]; j++, from += s->size * (size_t)s->lda)
        copy_column(p, is_lower ? panel : 0, is_lower ? s->panels : panel + 1, from,
                    s->panel[step % SCALAY_SOLVE_PLACES] + s->size * (size_t)((int64_t)col[j] * s->ldp));
    atomic_store_explicit(&s->board[s->process].copied, scalay_solve_number(p, 0, step), memory_order_release);
}

/* Solves with the panel of a step for some columns of X. If op(A) is A, the rows that are left are updated with those
 * of the panel, otherwise those of the panel with the rows that are solved for. */
static void solve_with(const scalay_solve_pass *p, int step, int columns, char *x)
{
    const scalay_solve *s = p->s;
    const scalay_sweep *sweep;
    const int panel = step_in(s, step, &sweep), first = panel * s->width, width = scalay_solve_panel_width(s, panel);
    const int is_lower = sweep->triangle.uplo == SCALAY_LOWER, begin = is_lower ? first + width : 0;
    const int rest = is_lower ? s->n - begin : first;
    const char *a = s->panel[step % SCALAY_SOLVE_PLACES], *rest_of_a = a + s->size * (size_t)begin;
    char *own = x + s->size * (size_t)first, *rest_of_x = x + s->size * (size_t)begin;
    if (sweep->transposed && rest > 0)
        s->arithmetic->gemm("NTC"[sweep->triangle.op], 'N', width, columns, rest, -1, rest_of_a, s->ldp, rest_of_x,
                            s->n, 0, own, s->n);
    s->own->solve(&sweep->triangle, width, columns, a + s->size * (size_t)first, s->ldp, own, s->n);
    if (!sweep->transposed && rest > 0)
        s->arithmetic->gemm('N', 'N', rest, columns, width, -1, rest_of_a, s->ldp, own, s->n, 0, rest_of_x, s->n);
}

static void run_shares(const scalay_solve_pass *p)
{
    scalay_solve *s = p->s;
    const int begin = (int)((int64_t)p->columns * s->process / s->processes);
    const int columns = (int)((int64_t)p->columns * (s->process + 1) / s->processes) - begin;
    const int steps = s->sweeps * s->panels;
    copy_panel(p, 0);
    for (int step = 0; step < steps; step++) {
        if (step + 1 < steps) copy_panel(p, step + 1);
        for (int q = 0; q < s->processes; q++)
            scalay_solve_wait(s, &s->board[q].copied, scalay_solve_number(p, 0, step));
        if (columns > 0) solve_with(p, step, columns, s->x + s->size * (size_t)((int64_t)begin * s->n));
        atomic_store_explicit(&s->board[s->process].solved, scalay_solve_number(p, 0, step), memory_order_release);
    }
    for (int q = 0; q < s->processes; q++)
        scalay_solve_wait(s, &s->board[q].solved, scalay_solve_number(p, 0, steps - 1));
}

scalay_status scalay_solve_execute(scalay_solve *s, const void *alpha, const void *a, const int *pivots, int after,
                                   void *b)
{
    static void (*const run[])(const scalay_solve_pass *) = {[SCALAY_SOLVE_IN_PLACE] = run_steps,
                                                             [SCALAY_SOLVE_SHARES] = run_shares,
                                                             [SCALAY_SOLVE_SLABS] = scalay_solve_run_slabs};
    scalay_solve_pass p = {.s = s, .a = a};
    wait_for_all(s);
    if (pivots != NULL) find_targets(s, pivots, s->source);
    for (int begin = 0; begin < s->columns; begin += p.columns) {
        p.columns = s->columns - begin < s->chunk ? s->columns - begin : s->chunk;
        p.first = s->step;
        p.is_first = begin == 0;
        wait_for_all(s);
        copy_b(&p, begin, 1, pivots != NULL && !after, alpha, b);
        pass_barrier(s);
        wait_for_all(s);
        run[s->way](&p);
        copy_b(&p, begin, 0, pivots != NULL && after, alpha, b);
        s->step += (int64_t)s->sweeps * s->panels + 2;
        pass_barrier(s);
    }
    return SCALAY_SUCCESS;
}
