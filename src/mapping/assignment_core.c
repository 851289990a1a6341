/* Assignment on many edges. A maximum-weight matching uses heavy edges nearly everywhere: so solve on the heaviest
 * edges of each row and column, price all edges with the duals, add those that the duals do not yet dominate, and
 * repeat. What no edge contradicts is optimal on the whole graph. */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/assignment.h"
#include "mapping/edge_core.h"

/* Core edges of a row and of a column to begin with, edges that a row adds at most in a round; up to how many edges for
 * each row or column there is no need of a core; neighbouring ranks whose edges are in it, and one of how many blocks
 * and rows tells the ranks; bits of weights that are left out there, so that sums fit. */
enum { PER_ROW = 12, PER_COL = 6, PER_PRICING = 64, SPARSE_DEGREE = 32, RANKS = 2, SAMPLED = 16, SUMMABLE = 16 };

/* The heaviest few edges of a row or a column. */
typedef struct {
    int64_t weight[PER_ROW];
    int other[PER_ROW];
    int count;
} podium;

/* Takes an edge that is heavier than the lightest of a full podium; returns the weight that the next has to exceed. */
static int64_t podium_add(podium *heaviest, int capacity, int64_t weight, int other)
{
    int place = heaviest->count;
    if (place < capacity) {
        heaviest->count++;
    } else {
        place = 0;
        for (int k = 1; k < capacity; k++)
            if (heaviest->weight[k] < heaviest->weight[place]) place = k;
    }
    heaviest->weight[place] = weight;
    heaviest->other[place] = other;
    if (heaviest->count < capacity) return 0;
    int64_t least = heaviest->weight[0];
    for (int k = 1; k < capacity; k++) least = scalay_min_int64(least, heaviest->weight[k]);
    return least;
}

typedef struct {
    const scalay_edges *edges;
    podium *of_col;
    int64_t *col_least; /* shape [cols]: the weight that an edge has to exceed */
    scalay_edge_core core;
} core_solver;

/* The blocks of a row from `first` to `stop`. */
static void find_heaviest(core_solver *s, int i, int64_t first, int64_t stop, podium *of_row, int64_t *least)
{
    const scalay_edges *edges = s->edges;
    int64_t end = 0;
    for (; first < stop; first = end) {
        end = scalay_min_int64(first + SCALAY_EDGE_BLOCK, stop);
        if (scalay_edges_block_exceeds(edges, first, end, *least))
            for (int64_t e = first; e < end; e++)
                if (edges->weight[e] > *least) *least = podium_add(of_row, PER_ROW, edges->weight[e], edges->col[e]);
        if (!scalay_edges_block_exceeds_sum(edges, first, end, 0, s->col_least)) continue;
        for (int64_t e = first; e < end; e++) {
            const int j = edges->col[e];
            if (edges->weight[e] > s->col_least[j])
                s->col_least[j] = podium_add(&s->of_col[j], PER_COL, edges->weight[e], i);
        }
    }
}

/* Each row begins elsewhere, so that of equal weights not all rows take the same columns. */
static scalay_status start_row(core_solver *s, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t first = s->edges->start[i], stop = s->edges->start[i + 1];
    const int64_t turn = first + (stop - first) * i / s->edges->rows;
    podium of_row = {.count = 0};
    int64_t least = 0;
    find_heaviest(s, i, turn, stop, &of_row, &least);
    find_heaviest(s, i, first, turn, &of_row, &least);
    for (int k = 0; k < of_row.count; k++)
        SCALAY_TRY(scalay_edge_core_add(&s->core, i, of_row.other[k], of_row.weight[k]));
cleanup:
    return status;
}

/* A line and what its edges weigh together. */
typedef struct {
    int64_t weight;
    int line;
} ranked_line;

static int compare_ranked(const void *left, const void *right)
{
    const ranked_line *a = left, *b = right;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return a->line - b->line;
}

/* Rows and columns by falling weight, as a sample of the edges has it: some blocks of every row, and some rows. */
static void rank_lines(const scalay_edges *edges, ranked_line *rows, ranked_line *cols)
{
    for (int j = 0; j < edges->cols; j++) cols[j] = (ranked_line){0, j};
    for (int i = 0; i < edges->rows; i++) {
        const int64_t stop = edges->start[i + 1];
        rows[i] = (ranked_line){0, i};
        for (int64_t first = edges->start[i]; first < stop; first += SAMPLED * SCALAY_EDGE_BLOCK)
            for (int64_t e = first; e < scalay_min_int64(first + SCALAY_EDGE_BLOCK, stop); e++)
                rows[i].weight += edges->weight[e] >> SUMMABLE;
        for (int64_t e = edges->start[i]; i % SAMPLED == 0 && e < stop; e++)
            cols[edges->col[e]].weight += edges->weight[e] >> SUMMABLE;
    }
    qsort(rows, (size_t)edges->rows, sizeof *rows, compare_ranked);
    qsort(cols, (size_t)edges->cols, sizeof *cols, compare_ranked);
}

/* Where weights are about products of one for the row and one for the column, all rows have their heaviest edges to the
 * same columns, but the best partners are those of the same rank. */
static scalay_status start_ranks(core_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = s->edges;
    ranked_line *rows = NULL, *cols = NULL;
    SCALAY_TRY(SCALAY_NEW(rows, edges->rows));
    SCALAY_TRY(SCALAY_NEW(cols, edges->cols));
    rank_lines(edges, rows, cols);
    for (int k = 0; k < edges->rows; k++)
        for (int other = k - RANKS; other <= k + RANKS; other++) {
            if (other < 0 || other >= edges->cols) continue;
            const int64_t e = scalay_edges_find(edges, rows[k].line, cols[other].line);
            if (e >= 0) SCALAY_TRY(scalay_edge_core_add(&s->core, rows[k].line, cols[other].line, edges->weight[e]));
        }
cleanup:
    scalay_release(rows);
    scalay_release(cols);
    return status;
}

static scalay_status start_core(core_solver *s, const scalay_matching *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = s->edges;
    SCALAY_TRY(SCALAY_NEW(s->of_col, edges->cols));
    SCALAY_TRY(SCALAY_NEW(s->col_least, edges->cols));
    for (int i = 0; i < edges->rows; i++) SCALAY_TRY(start_row(s, i));
    SCALAY_TRY(start_ranks(s));
    for (int j = 0; j < edges->cols; j++)
        for (int k = 0; k < s->of_col[j].count; k++)
            SCALAY_TRY(scalay_edge_core_add(&s->core, s->of_col[j].other[k], j, s->of_col[j].weight[k]));
    for (int i = 0; i < edges->rows && feasible != NULL; i++)
        for (int64_t e = edges->start[i]; feasible->of_row[i] >= 0 && e < edges->start[i + 1]; e++)
            if (edges->col[e] == feasible->of_row[i])
                SCALAY_TRY(scalay_edge_core_add(&s->core, i, edges->col[e], edges->weight[e]));
cleanup:
    return status;
}

/* Adds edges of a row that the duals do not dominate. */
static scalay_status price_row(core_solver *s, const scalay_assignment *assignment, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = s->edges;
    const int64_t dual = assignment->row_dual[i], most = s->core.count + PER_PRICING;
    int64_t end = 0;
    for (int64_t first = edges->start[i]; first < edges->start[i + 1] && s->core.count < most; first = end) {
        end = scalay_edges_block_end(edges, i, first);
        /* No sum overflows: see assignment.h. */
        if (!scalay_edges_block_exceeds_sum(edges, first, end, dual, assignment->col_dual)) continue;
        for (int64_t e = first; e < end; e++)
            if (dual + assignment->col_dual[edges->col[e]] < edges->weight[e])
                SCALAY_TRY(scalay_edge_core_add(&s->core, i, edges->col[e], edges->weight[e]));
    }
cleanup:
    return status;
}

/* Raises the duals of rows until they dominate all edges; what is not optimal yet is at least bounded. */
static void repair(const scalay_edges *edges, scalay_assignment *assignment)
{
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            const int64_t needed = edges->weight[e] - assignment->col_dual[edges->col[e]];
            if (needed > assignment->row_dual[i]) assignment->row_dual[i] = needed;
        }
}

enum { ROWS_PER_LOOK = 64 }; /* at the deadline */

static scalay_status price_rows(core_solver *s, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int i = 0; i < s->edges->rows && !assignment->unfinished; i++) {
        if (i % ROWS_PER_LOOK == 0) assignment->unfinished = scalay_deadline_passed(assignment->deadline);
        if (!assignment->unfinished) SCALAY_TRY(price_row(s, assignment, i));
    }
cleanup:
    return status;
}

static scalay_status solve_rounds(core_solver *s, const scalay_cover *cover, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = s->edges;
    do {
        SCALAY_TRY(scalay_edge_core_grow(&s->core, edges->rows, edges->cols));
        SCALAY_TRY(scalay_assignment_sparse(&s->core.edges, cover, assignment));
        SCALAY_TRY(price_rows(s, assignment));
    } while (s->core.count > 0 && !assignment->unfinished);
    if (assignment->unfinished) repair(edges, assignment);
cleanup:
    return status;
}

static scalay_status solve_core(const scalay_edges *edges, const scalay_cover *cover, const scalay_matching *feasible,
                                scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    core_solver s = {.edges = edges};
    SCALAY_TRY(start_core(&s, feasible));
    SCALAY_TRY(solve_rounds(&s, cover, assignment));
cleanup:
    scalay_release(s.of_col);
    scalay_release(s.col_least);
    scalay_edge_core_free(&s.core);
    return status;
}

scalay_status scalay_assignment_solve(const scalay_edges *edges, const scalay_cover *cover,
                                      const scalay_matching *feasible, scalay_assignment *assignment)
{
    const int64_t count = edges->start[edges->rows];
    const int sparse = count <= SPARSE_DEGREE * (int64_t)(edges->rows < edges->cols ? edges->rows : edges->cols);
    scalay_status status =
        sparse ? scalay_assignment_sparse(edges, cover, assignment) : solve_core(edges, cover, feasible, assignment);
    if (status != SCALAY_SUCCESS || !assignment->unfinished ||
        scalay_assignment_covers(cover, &assignment->matching, edges->rows, edges->cols))
        return status;
    memcpy(assignment->matching.of_row, feasible->of_row, (size_t)edges->rows * sizeof *feasible->of_row);
    memcpy(assignment->matching.of_col, feasible->of_col, (size_t)edges->cols * sizeof *feasible->of_col);
    scalay_assignment_complete(edges, &assignment->matching);
    return status;
}
