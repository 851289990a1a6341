#include "mapping/product.h"

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/factor.h"

/* Core edges of a row and of a column to begin with, and how many a row gets at most when prices are checked. */
enum { PER_ROW = 8, PER_COL = 4, PER_PRICING = 64 };

/* Among fewer parts the traffic is as quick. */
enum { PARTS_LEAST = 32 };

/* A pair of a source part and a target part, both numbered row by row. */
typedef struct {
    int from;
    int to;
    int64_t weight;
} pair;

typedef struct {
    scalay_factor row, col;
    int rows, cols; /* parts of source and target */
    pair *pairs;    /* shape [count]: not yet in the core */
    int64_t count;
    int64_t capacity;
    scalay_edges core;
    scalay_assignment assignment;
} solver;

/* What source part `from` holds of target part `to`. */
static int64_t items_of(const solver *s, int from, int to)
{
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    return scalay_factor_weight(&s->row, from / q, to / q2) * scalay_factor_weight(&s->col, from % q, to % q2);
}

/* ------------------------------------------------------------------------------------------------ core */

static scalay_status add_pair(solver *s, int from, int to, int64_t weight)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(s->pairs, s->capacity, s->count + 1));
    s->pairs[s->count++] = (pair){from, to, weight};
cleanup:
    return status;
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

static scalay_status start_rows(solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    product found[PER_ROW];
    for (int from = 0; from < s->rows; from++) {
        const int r = from / q, c = from % q;
        const int count = heaviest(&s->row.source, r, &s->col.source, c, PER_ROW, found);
        for (int k = 0; k < count; k++)
            SCALAY_TRY(add_pair(s, from, found[k].row * q2 + found[k].col, found[k].weight));
        if (s->row.partner[r] < 0 || s->col.partner[c] < 0) continue;
        const int partner = s->row.partner[r] * q2 + s->col.partner[c];
        SCALAY_TRY(add_pair(s, from, partner, items_of(s, from, partner)));
    }
cleanup:
    return status;
}

static scalay_status start_cols(solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    product found[PER_COL];
    for (int to = 0; to < s->cols; to++) {
        const int count = heaviest(&s->row.target, to / q2, &s->col.target, to % q2, PER_COL, found);
        for (int k = 0; k < count; k++) SCALAY_TRY(add_pair(s, found[k].row * q + found[k].col, to, found[k].weight));
    }
cleanup:
    return status;
}

/* Makes room for the core and the new pairs; start[i + 1] is where row i begins to be filled. */
static scalay_status new_core(const solver *s, scalay_edges *made)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t room = s->core.start != NULL ? s->core.start[s->rows] + s->count : s->count;
    *made = (scalay_edges){.rows = s->rows, .cols = s->cols};
    SCALAY_TRY(SCALAY_NEW(made->start, (int64_t)s->rows + 2));
    SCALAY_TRY(SCALAY_NEW(made->col, room));
    SCALAY_TRY(SCALAY_NEW(made->weight, room));
    for (int64_t k = 0; k < s->count; k++) made->start[s->pairs[k].from + 2]++;
    for (int i = 0; i < s->rows && s->core.start != NULL; i++)
        made->start[i + 2] += s->core.start[i + 1] - s->core.start[i];
    for (int i = 0; i < s->rows; i++) made->start[i + 2] += made->start[i + 1];
cleanup:
    if (status != SCALAY_SUCCESS) scalay_edges_free(made);
    return status;
}

static void add_edge(scalay_edges *edges, int from, int to, int64_t weight)
{
    const int64_t at = edges->start[from + 1]++;
    edges->col[at] = to;
    edges->weight[at] = weight;
}

/* Leaves each edge of a row once. `seen` is zero and has a place for each column. */
static void drop_doubles(scalay_edges *edges, int *seen)
{
    int64_t kept = 0, read = 0;
    for (int i = 0; i < edges->rows; i++) {
        const int64_t end = edges->start[i + 1];
        for (edges->start[i] = kept; read < end; read++) {
            const int j = edges->col[read];
            if (seen[j] == i + 1) continue;
            seen[j] = i + 1;
            edges->col[kept] = j;
            edges->weight[kept++] = edges->weight[read];
        }
    }
    edges->start[edges->rows] = kept;
}

/* Moves the new pairs into the core, by rows, each once. */
static scalay_status grow_core(solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges made = {0};
    int *seen = NULL;
    SCALAY_TRY(SCALAY_NEW(seen, s->cols));
    SCALAY_TRY(new_core(s, &made));
    for (int i = 0; i < s->rows && s->core.start != NULL; i++)
        for (int64_t e = s->core.start[i]; e < s->core.start[i + 1]; e++)
            add_edge(&made, i, s->core.col[e], s->core.weight[e]);
    for (int64_t k = 0; k < s->count; k++) add_edge(&made, s->pairs[k].from, s->pairs[k].to, s->pairs[k].weight);
    scalay_release(s->pairs);
    s->pairs = NULL;
    s->count = s->capacity = 0;
    drop_doubles(&made, seen);
    scalay_edges_free(&s->core);
    s->core = made;
cleanup:
    scalay_release(seen);
    return status;
}

/* ------------------------------------------------------------------------------------------- pricing */

/* Adds products of a row that its duals do not dominate. Sorted factors end the search where a product no longer beats
   the row's dual alone. */
static scalay_status price_row(solver *s, int from)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = s->col.source.classes, q2 = s->col.target.classes;
    const scalay_factor_side *rows = &s->row.source, *cols = &s->col.source;
    const int64_t dual = s->assignment.row_dual[from];
    const int r = from / q, c = from % q;
    const int64_t first = cols->start[c], end = cols->start[c + 1];
    int added = 0;
    for (int64_t a = rows->start[r]; a < rows->start[r + 1] && first < end && added < PER_PRICING; a++) {
        const int64_t weight = rows->entries[a].weight;
        const int64_t *col_dual = s->assignment.col_dual + (int64_t)rows->entries[a].other * q2;
        if (weight * cols->entries[first].weight <= dual) break;
        for (int64_t b = first; b < end && weight * cols->entries[b].weight > dual && added < PER_PRICING; b++) {
            const int other = cols->entries[b].other;
            if (weight * cols->entries[b].weight - dual <= col_dual[other]) continue;
            SCALAY_TRY(add_pair(s, from, rows->entries[a].other * q2 + other, weight * cols->entries[b].weight));
            added++;
        }
    }
cleanup:
    return status;
}

static scalay_status solve_rounds(solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    s->capacity = (PER_ROW + 1) * (int64_t)s->rows + PER_COL * (int64_t)s->cols;
    SCALAY_TRY(SCALAY_NEW(s->pairs, s->capacity));
    SCALAY_TRY(start_rows(s));
    SCALAY_TRY(start_cols(s));
    SCALAY_TRY(scalay_assignment_allocate(s->rows, s->cols, &s->assignment));
    do {
        SCALAY_TRY(grow_core(s));
        SCALAY_TRY(scalay_assignment_sparse(&s->core, NULL, &s->assignment));
        for (int from = 0; from < s->rows; from++) SCALAY_TRY(price_row(s, from));
    } while (s->count > 0);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------ the mapping */

/* The part of a grid that stands in row r, column c. */
static int part_at(const scalay_layout *layout, int number)
{
    const int q = (int)layout->col.classes;
    return scalay_layout_cell_part(layout, number / q, number % q);
}

static int64_t items_at(const scalay_layout *layout, int number)
{
    const int q = (int)layout->col.classes;
    return scalay_axis_count(&layout->row, number / q) * scalay_axis_count(&layout->col, number % q);
}

/* Volume and steps, by what every process holds, gets and keeps. */
static scalay_status count_costs(const solver *s, const scalay_layout *source, const scalay_layout *target,
                                 scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *number = NULL; /* of the source part of each process, plus 1 */
    const int processes = scalay_layout_processes(source);
    unsigned char *busy = NULL;
    mapping->volume = scalay_layout_rows(source) * scalay_layout_cols(source);
    mapping->steps = 0;
    SCALAY_TRY(SCALAY_NEW(number, processes));
    SCALAY_TRY(SCALAY_NEW(busy, processes));
    for (int i = 0; i < s->rows; i++) number[scalay_layout_process_of_part(source, part_at(source, i))] = i + 1;
    for (int j = 0; j < s->cols; j++) {
        const int process = mapping->process[part_at(target, j)];
        const int i = process < processes ? number[process] - 1 : -1;
        const int64_t held = i >= 0 ? items_at(source, i) : 0, wanted = items_at(target, j);
        const int64_t stays = i >= 0 ? items_of(s, i, j) : 0;
        if (process < processes) busy[process] = 1;
        mapping->volume -= stays;
        mapping->steps = scalay_max_int64(mapping->steps, scalay_max_int64(held, wanted) - stays);
    }
    for (int i = 0; i < s->rows; i++)
        if (!busy[scalay_layout_process_of_part(source, part_at(source, i))])
            mapping->steps = scalay_max_int64(mapping->steps, items_at(source, i));
    mapping->time = (double)mapping->volume;
cleanup:
    scalay_release(number);
    scalay_release(busy);
    return status;
}

/* From numbers in the grids to processes and parts. */
static scalay_status settle(const solver *s, const scalay_layout *source, const scalay_layout *target,
                            const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *of_part = NULL;
    scalay_certificate *proof = &mapping->certificate;
    SCALAY_TRY(SCALAY_NEW(of_part, s->cols));
    SCALAY_TRY(SCALAY_NEW(proof->process_dual, scalay_layout_processes(source)));
    SCALAY_TRY(SCALAY_NEW(proof->part_dual, s->cols));
    for (int j = 0; j < s->cols; j++) {
        const int row = s->assignment.matching.of_col[j], part = part_at(target, j);
        of_part[part] = row >= 0 ? scalay_layout_process_of_part(source, part_at(source, row)) : -1;
        proof->part_dual[part] = s->assignment.col_dual[j];
    }
    for (int i = 0; i < s->rows; i++)
        proof->process_dual[scalay_layout_process_of_part(source, part_at(source, i))] = s->assignment.row_dual[i];
    SCALAY_TRY(scalay_problem_place(problem, of_part, mapping));
    SCALAY_TRY(count_costs(s, source, target, mapping));
cleanup:
    scalay_release(of_part);
    return status;
}

int scalay_product_applies(const scalay_layout *source, const scalay_layout *target)
{
    return scalay_layout_is_grid(source) && scalay_layout_is_grid(target) &&
           scalay_max_int64(scalay_layout_parts(source), scalay_layout_parts(target)) >= PARTS_LEAST;
}

scalay_status scalay_product_solve(const scalay_layout *source, const scalay_layout *target,
                                   const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    solver s = {.rows = scalay_layout_parts(source), .cols = scalay_layout_parts(target)};
    SCALAY_TRY(scalay_factor_create(&source->row, &target->row, &s.row));
    SCALAY_TRY(scalay_factor_create(&source->col, &target->col, &s.col));
    SCALAY_TRY(solve_rounds(&s));
    SCALAY_TRY(settle(&s, source, target, problem, mapping));
cleanup:
    scalay_factor_free(&s.row);
    scalay_factor_free(&s.col);
    scalay_release(s.pairs);
    scalay_edges_free(&s.core);
    scalay_assignment_free(&s.assignment);
    return status;
}
