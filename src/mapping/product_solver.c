#include "mapping/product_solver.h"

#include "base/integer.h"
#include "base/memory.h"

/* Core edges of a row and of a column to begin with, and how many a row gets at most when prices are checked. */
enum { PER_ROW = 5, PER_COL = 2, PER_PRICING = 64 };

int64_t scalay_product_items(const scalay_product_solver *s, int from, int to)
{
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    return scalay_factor_weight(&s->row, from / q, to / q2) * scalay_factor_weight(&s->col, from % q, to % q2);
}

int scalay_product_is_out(const scalay_product_solver *s, int from)
{
    return s->row_out != NULL && s->row_out[from];
}

int scalay_product_counts(const scalay_product_solver *s, int from, int to, int64_t product)
{
    if (scalay_product_is_out(s, from)) return 0;
    if (s->within < INT64_MAX && scalay_max_int64(s->held[from], s->wanted[to]) - product > s->within) return 0;
    return !s->only_tight || s->assignment.row_dual[from] + s->assignment.col_dual[to] == product;
}

void scalay_product_find_least_duals(scalay_product_solver *s)
{
    s->least_dual[0] = s->least_dual[1] = 0;
    for (int i = 0; i < s->rows; i++) s->least_dual[0] = scalay_min_int64(s->least_dual[0], s->assignment.row_dual[i]);
    for (int j = 0; j < s->cols; j++) s->least_dual[1] = scalay_min_int64(s->least_dual[1], s->assignment.col_dual[j]);
}

/* ------------------------------------------------------------------------------------------------ core */

static scalay_status add_if_it_counts(scalay_product_solver *s, int from, int to, int64_t weight)
{
    return scalay_product_counts(s, from, to, weight) ? scalay_edge_core_add(&s->core, from, to, weight)
                                                      : SCALAY_SUCCESS;
}

/* A product of an entry of each factor. */
typedef struct {
    int64_t weight;
    int row, col; /* the classes at the other end */
} product;

/* The `most` heaviest products of two sorted lists, heaviest first: the one of entries a and b (from 0) is among them
   only if (a + 1) (b + 1) <= most. */
static int heaviest(const scalay_factor_side *row, int r, const scalay_factor_side *col, int c, int most,
                    product *found)
{
    int count = 0;
    const scalay_factor_entry *a = row->entries + row->start[r], *b = col->entries + col->start[c];
    const int64_t a_count = row->start[r + 1] - row->start[r], b_count = col->start[c + 1] - col->start[c];
    for (int x = 0; x < most && x < a_count; x++)
        for (int y = 0; (x + 1) * (y + 1) <= most && y < b_count; y++) {
            const product next = {a[x].weight * b[y].weight, a[x].other, b[y].other};
            int place = count < most ? count++ : most;
            if (place == most && found[most - 1].weight >= next.weight) break;
            if (place == most) place--;
            for (; place > 0 && found[place - 1].weight < next.weight; place--) found[place] = found[place - 1];
            found[place] = next;
        }
    return count;
}

static scalay_status start_rows(scalay_product_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    product found[PER_ROW];
    for (int from = 0; from < s->rows; from++) {
        const int r = from / q, c = from % q;
        const int count = heaviest(&s->row.source, r, &s->col.source, c, PER_ROW, found);
        for (int k = 0; k < count; k++)
            SCALAY_TRY(add_if_it_counts(s, from, found[k].row * q2 + found[k].col, found[k].weight));
        if (s->row.partner[r] < 0 || s->col.partner[c] < 0) continue;
        const int partner = s->row.partner[r] * q2 + s->col.partner[c];
        SCALAY_TRY(add_if_it_counts(s, from, partner, scalay_product_items(s, from, partner)));
    }
cleanup:
    return status;
}

static scalay_status start_cols(scalay_product_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    product found[PER_COL];
    for (int to = 0; to < s->cols; to++) {
        const int count = heaviest(&s->row.target, to / q2, &s->col.target, to % q2, PER_COL, found);
        for (int k = 0; k < count; k++)
            SCALAY_TRY(add_if_it_counts(s, found[k].row * q + found[k].col, to, found[k].weight));
    }
cleanup:
    return status;
}

static scalay_status start_feasible(scalay_product_solver *s, const scalay_matching *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    s->best_kept = 0;
    for (int to = 0; to < s->cols; to++) {
        const int from = s->best[to] = feasible->of_col[to];
        const int64_t weight = from >= 0 ? scalay_product_items(s, from, to) : 0;
        s->best_kept += weight;
        if (weight > 0) SCALAY_TRY(scalay_edge_core_add(&s->core, from, to, weight));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- pricing */

/* Adds products of a row that its duals do not dominate. Sorted factors end the search where a product no longer beats
   the row's dual and the least of a column, or leaves the row too many steps. */
static scalay_status price_row(scalay_product_solver *s, int from)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    const scalay_factor_side *rows = &s->row.source, *cols = &s->col.source;
    const int64_t dual = s->assignment.row_dual[from];
    const int64_t of_steps = s->within < INT64_MAX ? s->held[from] - s->within - 1 : 0;
    const int64_t least = scalay_max_int64(scalay_max_int64(dual + s->least_dual[1], of_steps), 0);
    const int r = from / q, c = from % q;
    const int64_t first = cols->start[c], end = cols->start[c + 1];
    int added = 0;
    for (int64_t a = rows->start[r]; a < rows->start[r + 1] && first < end && added < PER_PRICING; a++) {
        const int64_t weight = rows->entries[a].weight;
        const int64_t *col_dual = s->assignment.col_dual + (int64_t)rows->entries[a].other * q2;
        if (weight * cols->entries[first].weight <= least) break;
        for (int64_t b = first; b < end && weight * cols->entries[b].weight > least && added < PER_PRICING; b++) {
            const int other = cols->entries[b].other, to = rows->entries[a].other * q2 + other;
            const int64_t items = weight * cols->entries[b].weight;
            if (items - dual <= col_dual[other] || !scalay_product_counts(s, from, to, items)) continue;
            SCALAY_TRY(scalay_edge_core_add(&s->core, from, to, items));
            added++;
        }
    }
cleanup:
    return status;
}

void scalay_product_start(scalay_product_solver *s)
{
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    s->best_kept = 0;
    for (int to = 0; to < s->cols; to++) s->best[to] = -1;
    for (int from = 0; from < s->rows; from++) {
        const int row = s->row.partner[from / q], col = s->col.partner[from % q];
        if (row < 0 || col < 0 || scalay_product_is_out(s, from)) continue;
        s->best[row * q2 + col] = from;
        s->best_kept += scalay_product_items(s, from, row * q2 + col);
    }
}

static void remember_best(scalay_product_solver *s, const scalay_cover *cover)
{
    int64_t kept = 0;
    const int *of_col = s->assignment.matching.of_col;
    if (s->assignment.unfinished && !scalay_assignment_covers(cover, &s->assignment.matching, s->rows, s->cols)) return;
    for (int to = 0; to < s->cols; to++) kept += of_col[to] >= 0 ? scalay_product_items(s, of_col[to], to) : 0;
    if (kept < s->best_kept && s->assignment.unfinished) return;
    s->best_kept = kept;
    for (int to = 0; to < s->cols; to++) s->best[to] = of_col[to];
}

static int64_t heaviest_entry(const scalay_factor_side *side, int k)
{
    return side->start[k] < side->start[k + 1] ? side->entries[side->start[k]].weight : 0;
}

static int64_t heaviest_product(const scalay_factor_side *row, const scalay_factor_side *col, int number)
{
    return heaviest_entry(row, number / col->classes) * heaviest_entry(col, number % col->classes);
}

int64_t scalay_product_bound_at_once(scalay_product_solver *s)
{
    int64_t of_source = 0, of_target = 0;
    int64_t *row_dual = s->assignment.row_dual, *col_dual = s->assignment.col_dual;
    for (int i = 0; i < s->rows; i++) {
        row_dual[i] = scalay_product_is_out(s, i) ? 0 : heaviest_product(&s->row.source, &s->col.source, i);
        of_source += row_dual[i];
    }
    for (int j = 0; j < s->cols; j++) {
        col_dual[j] = heaviest_product(&s->row.target, &s->col.target, j);
        of_target += col_dual[j];
    }
    const int by_source = of_source <= of_target;
    for (int i = 0; i < s->rows && !by_source; i++) row_dual[i] = 0;
    for (int j = 0; j < s->cols && by_source; j++) col_dual[j] = 0;
    return by_source ? of_source : of_target;
}

enum { ROWS_PER_LOOK = 256 }; /* at the deadline */

static scalay_status price_rows(scalay_product_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_find_least_duals(s);
    for (int from = 0; from < s->rows && !s->assignment.unfinished; from++) {
        if (!scalay_product_is_out(s, from)) SCALAY_TRY(price_row(s, from));
        if (from % ROWS_PER_LOOK == 0) s->assignment.unfinished = scalay_deadline_passed(s->assignment.deadline);
    }
cleanup:
    return status;
}

scalay_status scalay_product_rounds(scalay_product_solver *s, const scalay_cover *cover,
                                    const scalay_matching *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(
        SCALAY_GROW(s->core.added, s->core.capacity, (PER_ROW + 1) * (int64_t)s->rows + PER_COL * (int64_t)s->cols));
    if (feasible != NULL) SCALAY_TRY(start_feasible(s, feasible));
    SCALAY_TRY(start_rows(s));
    SCALAY_TRY(start_cols(s));
    do {
        SCALAY_TRY(scalay_edge_core_grow(&s->core, s->rows, s->cols));
        SCALAY_TRY(scalay_assignment_sparse(&s->core.edges, cover, &s->assignment));
        remember_best(s, cover);
        SCALAY_TRY(price_rows(s));
    } while (s->core.count > 0 && !s->assignment.unfinished);
cleanup:
    return status;
}
