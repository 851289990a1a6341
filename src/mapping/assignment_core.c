/*
 * Assignment problem on many edges by pricing: solve on a core of few edges, add edges that the duals do not dominate,
 * and repeat. A solution on the core is optimal if its duals dominate all edges. Each solution starts from the previous
 * duals and matching.
 *
 * The core of a matrix consists of the heaviest edges of each row and column. In some matrices the heaviest edges of
 * all rows lead to few columns: products of a weight per row and a weight per column, sums of two such weights,
 * matrices of low rank. There, duals of a sample of rows and columns, which is solved first, are extended to all rows
 * and columns. The core then consists of the edges of least reduced cost, and of edges between rows and columns of
 * similar rank.
 *
 * Source: Volgenant, Linear and semi-assignment problems: a core oriented approach, Computers and Operations Research
 * 23 (1996), for the core.
 *
 * Time: a few passes over all edges, and the time of the solutions on the core. Memory: O(n) beside the edges.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/assignment.h"

/* ------------------------------------------------------------------------------------------------ rounds */

enum {
    ROWS_PER_CHECK = 64, /* between checks of the deadline */
    RESUME_BITS = 60     /* magnitude of weights and duals below which a solution starts from the previous one */
};

/* From larger duals, differences of later duals could overflow. */
static int may_resume(const scalay_edges *edges, const scalay_assignment *assignment)
{
    const int64_t limit = INT64_C(1) << RESUME_BITS;
    int64_t heaviest = 0;
    for (int i = 0; i < edges->rows; i++) {
        if (!scalay_add_int64(heaviest, scalay_edges_heaviest(edges, i), &heaviest) || heaviest > limit) return 0;
        if (assignment->row_dual[i] > limit || assignment->row_dual[i] < -limit) return 0;
    }
    for (int j = 0; j < edges->cols; j++)
        if (assignment->col_dual[j] > limit || assignment->col_dual[j] < -limit) return 0;
    return 1;
}

static scalay_status price_rows(const scalay_edge_source *source, scalay_edge_core *core, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    if (source->begin_pricing != NULL) source->begin_pricing(source->context, assignment);
    for (int i = 0; i < source->rows && !assignment->unfinished; i++) {
        if (i % ROWS_PER_CHECK == 0) assignment->unfinished = scalay_deadline_passed(assignment->deadline);
        if (!assignment->unfinished) SCALAY_TRY(source->price_row(source->context, assignment, i, core));
    }
cleanup:
    return status;
}

scalay_status scalay_assignment_on_core(const scalay_edge_source *source, const scalay_cover *cover,
                                        scalay_assignment_start start, scalay_edge_core *core,
                                        scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    do {
        SCALAY_TRY(scalay_edge_core_grow(core, source->rows, source->cols));
        assignment->unfinished = scalay_deadline_passed(core->deadline);
        if (assignment->unfinished) break;
        SCALAY_TRY(scalay_assignment_sparse(&core->edges, cover, start, assignment));
        if (source->receive != NULL) source->receive(source->context, cover, assignment);
        SCALAY_TRY(price_rows(source, core, assignment));
        start = may_resume(&core->edges, assignment) ? SCALAY_START_MATCHING : SCALAY_START_EMPTY;
    } while (core->count > 0 && !assignment->unfinished);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- core of a matrix */

/* Initial core edges of a row and of a column; edges that a row adds at most in a round. */
enum { PER_ROW = 12, PER_COL = 6, PER_PRICING = 16 };

/* The edges of a row or column with the largest keys. The key of an edge is its weight minus the dual of its other end.
 */
typedef struct {
    int64_t key[PER_PRICING];
    int other[PER_PRICING];
    int count;
} heaviest_edges;

/* Adds an edge whose key exceeds the least of a full list. Returns the key that the next edge has to exceed, at least
 * `floor`. */
static int64_t heaviest_edges_add(heaviest_edges *heaviest, int capacity, int64_t floor, int64_t key, int other)
{
    int place = heaviest->count;
    if (place < capacity) {
        heaviest->count++;
    } else {
        place = 0;
        for (int k = 1; k < capacity; k++)
            if (heaviest->key[k] < heaviest->key[place]) place = k;
    }
    heaviest->key[place] = key;
    heaviest->other[place] = other;
    if (heaviest->count < capacity) return floor;
    int64_t least = heaviest->key[0];
    for (int k = 1; k < capacity; k++) least = scalay_min_int64(least, heaviest->key[k]);
    return least;
}

typedef struct {
    const scalay_edges *edges;
    int64_t *row_price; /* shape [rows]: estimated duals, or 0 */
    int64_t *col_price; /* shape [cols] */
    int64_t floor;      /* only edges of larger keys join the core */
    heaviest_edges *of_col;
    int64_t *col_least; /* shape [cols]: the key that an edge has to exceed */
    scalay_edge_core core;
} matrix;

static void matrix_free(matrix *m)
{
    scalay_release(m->row_price);
    scalay_release(m->col_price);
    scalay_release(m->of_col);
    scalay_release(m->col_least);
    scalay_edge_core_free(&m->core);
}

static scalay_status matrix_create(const scalay_edges *edges, matrix *m)
{
    scalay_status status = SCALAY_SUCCESS;
    m->edges = edges;
    SCALAY_TRY(SCALAY_NEW(m->row_price, edges->rows));
    SCALAY_TRY(SCALAY_NEW(m->col_price, edges->cols));
    SCALAY_TRY(SCALAY_NEW(m->of_col, edges->cols));
    SCALAY_TRY(SCALAY_NEW(m->col_least, edges->cols));
cleanup:
    return status;
}

/* Adds the edges `first` to `stop` of a row to the lists of the row and of the columns. */
static void find_heaviest(matrix *m, int i, int64_t first, int64_t stop, heaviest_edges *of_row, int64_t *least)
{
    const scalay_edges *edges = m->edges;
    const int64_t price = m->row_price[i];
    int64_t end = 0;
    for (; first < stop; first = end) {
        end = scalay_min_int64(first + SCALAY_EDGE_BLOCK, stop);
        if (scalay_edges_block_exceeds_sum(edges, first, end, *least, m->col_price))
            for (int64_t e = first; e < end; e++) {
                const int64_t key = edges->weight[e] - m->col_price[edges->col[e]];
                if (key > *least) *least = heaviest_edges_add(of_row, PER_ROW, m->floor, key, edges->col[e]);
            }
        if (!scalay_edges_block_exceeds_sum(edges, first, end, price, m->col_least)) continue;
        for (int64_t e = first; e < end; e++) {
            const int j = edges->col[e];
            const int64_t key = edges->weight[e] - price;
            if (key > m->col_least[j]) m->col_least[j] = heaviest_edges_add(&m->of_col[j], PER_COL, m->floor, key, i);
        }
    }
}

/* Each row begins at another column, so that rows with equal weights do not all take the same columns. */
static scalay_status start_row(matrix *m, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t first = m->edges->start[i], stop = m->edges->start[i + 1];
    const int64_t turn = first + (stop - first) * i / m->edges->rows;
    heaviest_edges of_row = {.count = 0};
    int64_t least = m->floor;
    find_heaviest(m, i, turn, stop, &of_row, &least);
    find_heaviest(m, i, first, turn, &of_row, &least);
    for (int k = 0; k < of_row.count; k++)
        SCALAY_TRY(scalay_edge_core_add(&m->core, i, of_row.other[k], of_row.key[k] + m->col_price[of_row.other[k]]));
cleanup:
    return status;
}

static scalay_status start_core(matrix *m)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int j = 0; j < m->edges->cols; j++) m->col_least[j] = m->floor;
    for (int i = 0; i < m->edges->rows; i++) SCALAY_TRY(start_row(m, i));
    for (int j = 0; j < m->edges->cols; j++) {
        const heaviest_edges *of_col = &m->of_col[j];
        for (int k = 0; k < of_col->count; k++)
            SCALAY_TRY(
                scalay_edge_core_add(&m->core, of_col->other[k], j, of_col->key[k] + m->row_price[of_col->other[k]]));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- estimated duals */

/* One of this number of rows shows whether the matrix is concentrated; a concentrated matrix reaches fewer than one of
 * this number of columns. One of this number of rows and columns is in the sample; one of this number of blocks and
 * rows is in the estimated sums; neighbouring ranks whose edges join the core. */
enum { LOOKED_AT = PER_ROW, REACHED = 4, SAMPLED = 4, SUMMED = 16, RANKS = 2 };

/* Duals are not estimated if they could exceed this number of bits. */
enum { ESTIMATE_BITS = 60 };

/* Whether the heaviest edges of a part of the rows lead to few columns. */
static scalay_status is_concentrated(const scalay_edges *edges, int *concentrated)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *reached = NULL;
    int64_t count = 0, sum = 0;
    SCALAY_TRY(SCALAY_NEW(reached, edges->cols));
    for (int i = 0; i < edges->rows; i += LOOKED_AT) {
        heaviest_edges of_row = {.count = 0};
        int64_t least = 0, end = 0;
        for (int64_t first = edges->start[i]; first < edges->start[i + 1]; first = end) {
            end = scalay_edges_block_end(edges, i, first);
            if (!scalay_edges_block_exceeds(edges, first, end, least)) continue;
            for (int64_t e = first; e < end; e++)
                if (edges->weight[e] > least)
                    least = heaviest_edges_add(&of_row, PER_ROW, 0, edges->weight[e], edges->col[e]);
        }
        for (int k = 0; k < of_row.count; k++) {
            count += !reached[of_row.other[k]];
            reached[of_row.other[k]] = 1;
        }
    }
    *concentrated = count < scalay_min_int64(edges->rows, edges->cols) / REACHED;
    for (int i = 0; i < edges->rows && *concentrated; i++)
        *concentrated = scalay_add_int64(sum, scalay_edges_heaviest(edges, i), &sum) && sum >> ESTIMATE_BITS == 0;
cleanup:
    scalay_release(reached);
    return status;
}

/* A row or column and an estimate of the sum of its weights. */
typedef struct {
    double weight;
    int line;
} ranked_line;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_line *left = a, *right = b;
    const int order = scalay_compare_double(right->weight, left->weight);
    return order != 0 ? order : left->line - right->line;
}

typedef struct {
    ranked_line *rows; /* shape [rows], heaviest first */
    ranked_line *cols; /* shape [cols], heaviest first */
} ranking;

/* Sums of some blocks of each row, and of some rows. */
static scalay_status rank_lines(const scalay_edges *edges, ranking *ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(ranks->rows, edges->rows));
    SCALAY_TRY(SCALAY_NEW(ranks->cols, edges->cols));
    for (int j = 0; j < edges->cols; j++) ranks->cols[j].line = j;
    for (int i = 0; i < edges->rows; i++) {
        const int64_t stop = edges->start[i + 1];
        ranks->rows[i].line = i;
        for (int64_t first = edges->start[i]; first < stop; first += SUMMED * SCALAY_EDGE_BLOCK)
            for (int64_t e = first; e < scalay_min_int64(first + SCALAY_EDGE_BLOCK, stop); e++)
                ranks->rows[i].weight += (double)edges->weight[e];
        for (int64_t e = edges->start[i]; i % SUMMED == 0 && e < stop; e++)
            ranks->cols[edges->col[e]].weight += (double)edges->weight[e];
    }
    qsort(ranks->rows, (size_t)edges->rows, sizeof *ranks->rows, compare_ranked);
    qsort(ranks->cols, (size_t)edges->cols, sizeof *ranks->cols, compare_ranked);
cleanup:
    return status;
}

/* Edges between rows and columns of similar rank. They are the best where weights are nearly products. */
static scalay_status add_ranks(matrix *m, const ranking *ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = m->edges;
    for (int k = 0; k < edges->rows; k++)
        for (int other = k - RANKS; other <= k + RANKS; other++) {
            if (other < 0 || other >= edges->cols) continue;
            const int row = ranks->rows[k].line, col = ranks->cols[other].line;
            const int64_t e = scalay_edges_find(edges, row, col);
            if (e >= 0) SCALAY_TRY(scalay_edge_core_add(&m->core, row, col, edges->weight[e]));
        }
cleanup:
    return status;
}

/* Some rows and columns, and the edges between them. */
typedef struct {
    int *number; /* shape [cols]: number of each column in the sample; -1: not in the sample */
    scalay_edges edges;
} sample;

/* Every SAMPLED-th row and column by rank. */
static scalay_status take_sample(const scalay_edges *edges, const ranking *ranks, sample *part)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = 0, col_capacity = 0, weight_capacity = 0;
    scalay_edges *taken = &part->edges;
    taken->rows = (int)scalay_ceil_div(edges->rows, SAMPLED);
    SCALAY_TRY(SCALAY_NEW(part->number, edges->cols));
    SCALAY_TRY(SCALAY_NEW(taken->start, (int64_t)taken->rows + 1));
    for (int j = 0; j < edges->cols; j++) part->number[j] = -1;
    for (int k = 0; k < edges->cols; k += SAMPLED) part->number[ranks->cols[k].line] = 0;
    for (int j = 0; j < edges->cols; j++)
        if (part->number[j] == 0) part->number[j] = taken->cols++;
    for (int k = 0; k < taken->rows; k++) {
        const int i = ranks->rows[k * SAMPLED].line;
        SCALAY_TRY(SCALAY_GROW(taken->col, col_capacity, filled + taken->cols));
        SCALAY_TRY(SCALAY_GROW(taken->weight, weight_capacity, filled + taken->cols));
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            const int j = part->number[edges->col[e]];
            if (j < 0) continue;
            taken->col[filled] = j;
            taken->weight[filled++] = edges->weight[e];
        }
        taken->start[k + 1] = filled;
    }
cleanup:
    return status;
}

/* Extends the duals of the columns of a sample to feasible duals of all rows and columns. */
static void extend_duals(matrix *m, const sample *part, const int64_t *col_dual)
{
    const scalay_edges *edges = m->edges;
    const int64_t excluded = INT64_C(1) << ESTIMATE_BITS;
    for (int j = 0; j < edges->cols; j++) m->col_price[j] = part->number[j] >= 0 ? col_dual[part->number[j]] : excluded;
    for (int i = 0; i < edges->rows; i++) m->row_price[i] = scalay_edges_max_gain(edges, i, m->col_price);
    for (int j = 0; j < edges->cols; j++) m->col_price[j] = 0;
    for (int i = 0; i < edges->rows; i++) scalay_edges_raise_prices(edges, i, m->row_price[i], m->col_price);
}

static scalay_status estimate_duals(matrix *m, const ranking *ranks, scalay_deadline deadline)
{
    scalay_status status = SCALAY_SUCCESS;
    sample part = {0};
    scalay_assignment assignment = {0};
    SCALAY_TRY(take_sample(m->edges, ranks, &part));
    SCALAY_TRY(scalay_assignment_allocate(part.edges.rows, part.edges.cols, &assignment));
    assignment.deadline = deadline;
    SCALAY_TRY(scalay_assignment_solve(&part.edges, NULL, NULL, &assignment));
    extend_duals(m, &part, assignment.col_dual);
    m->floor = -(INT64_C(1) << ESTIMATE_BITS);
cleanup:
    scalay_release(part.number);
    scalay_edges_free(&part.edges);
    scalay_assignment_free(&assignment);
    return status;
}

/* Estimates duals, and adds edges between lines of similar rank. */
static scalay_status prepare_concentrated(matrix *m, scalay_deadline deadline)
{
    scalay_status status = SCALAY_SUCCESS;
    ranking ranks = {0};
    SCALAY_TRY(rank_lines(m->edges, &ranks));
    SCALAY_TRY(add_ranks(m, &ranks));
    SCALAY_TRY(estimate_duals(m, &ranks, deadline));
cleanup:
    scalay_release(ranks.rows);
    scalay_release(ranks.cols);
    return status;
}

/* ------------------------------------------------------------------------------------------------ matrices */

/* Adds the edges of a row that exceed the sum of its duals most. */
static scalay_status price_row(void *context, const scalay_assignment *assignment, int i, scalay_edge_core *core)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = ((const matrix *)context)->edges;
    const int64_t *col_dual = assignment->col_dual, dual = assignment->row_dual[i];
    heaviest_edges of_row = {.count = 0};
    int64_t end = 0, least = dual;
    for (int64_t first = edges->start[i]; first < edges->start[i + 1]; first = end) {
        end = scalay_edges_block_end(edges, i, first);
        if (!scalay_edges_block_exceeds_sum(edges, first, end, least, col_dual)) continue;
        for (int64_t e = first; e < end; e++) {
            const int64_t key = edges->weight[e] - col_dual[edges->col[e]];
            if (key > least) least = heaviest_edges_add(&of_row, PER_PRICING, dual, key, edges->col[e]);
        }
    }
    for (int k = 0; k < of_row.count; k++)
        SCALAY_TRY(scalay_edge_core_add(core, i, of_row.other[k], of_row.key[k] + col_dual[of_row.other[k]]));
cleanup:
    return status;
}

/* Raises the duals of rows until they dominate all edges. */
static void repair_duals(const scalay_edges *edges, scalay_assignment *assignment)
{
    for (int i = 0; i < edges->rows; i++)
        assignment->row_dual[i] =
            scalay_max_int64(assignment->row_dual[i], scalay_edges_max_gain(edges, i, assignment->col_dual));
}

static scalay_status add_feasible(const scalay_edges *edges, const scalay_matching *feasible, scalay_edge_core *core)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; feasible->of_row[i] >= 0 && e < edges->start[i + 1]; e++)
            if (edges->col[e] == feasible->of_row[i])
                SCALAY_TRY(scalay_edge_core_add(core, i, edges->col[e], edges->weight[e]));
cleanup:
    return status;
}

static scalay_status solve_matrix(const scalay_edges *edges, const scalay_cover *cover, const scalay_matching *feasible,
                                  scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    matrix m = {0};
    const scalay_edge_source source = {.rows = edges->rows, .cols = edges->cols, .price_row = price_row, .context = &m};
    int concentrated = 0;
    SCALAY_TRY(matrix_create(edges, &m));
    SCALAY_TRY(is_concentrated(edges, &concentrated));
    if (concentrated) SCALAY_TRY(prepare_concentrated(&m, assignment->deadline));
    SCALAY_TRY(start_core(&m));
    if (feasible != NULL) SCALAY_TRY(add_feasible(edges, feasible, &m.core));
    memcpy(assignment->col_dual, m.col_price, sizeof *m.col_price * (size_t)edges->cols);
    SCALAY_TRY(scalay_assignment_on_core(&source, cover, concentrated ? SCALAY_START_PRICES : SCALAY_START_EMPTY,
                                         &m.core, assignment));
    if (assignment->unfinished) repair_duals(edges, assignment);
cleanup:
    matrix_free(&m);
    return status;
}

/* A core does not pay for fewer lines, or for fewer edges of each line. */
enum { SPARSE_LINES = 64, SPARSE_DEGREE = 32 };

scalay_status scalay_assignment_solve(const scalay_edges *edges, const scalay_cover *cover,
                                      const scalay_matching *feasible, scalay_assignment *assignment)
{
    const int64_t lines = scalay_min_int64(edges->rows, edges->cols);
    const int sparse = lines <= SPARSE_LINES || edges->start[edges->rows] <= SPARSE_DEGREE * lines;
    const scalay_status status = sparse ? scalay_assignment_sparse(edges, cover, SCALAY_START_EMPTY, assignment)
                                        : solve_matrix(edges, cover, feasible, assignment);
    if (status != SCALAY_SUCCESS || !assignment->unfinished ||
        scalay_assignment_covers(cover, &assignment->matching, edges->rows, edges->cols))
        return status;
    memcpy(assignment->matching.of_row, feasible->of_row, (size_t)edges->rows * sizeof *feasible->of_row);
    memcpy(assignment->matching.of_col, feasible->of_col, (size_t)edges->cols * sizeof *feasible->of_col);
    return status;
}
