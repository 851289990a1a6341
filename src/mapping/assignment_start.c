/* The start of the assignment solver: augmenting row reduction, which acts like an auction, then depth-first search for
 * augmenting paths of length 0. Both keep the sum of the duals from growing: it never exceeds the sum of the weights.
 */
#include "base/memory.h"
#include "mapping/assignment.h"

enum { REDUCTION_EFFORT = 32, TIGHT_PHASES = 20 };

typedef struct {
    const scalay_edges *edges;
    int *of_row;
    int *of_col;
    int64_t *row_dual;
    int64_t *col_dual;
    int *waiting; /* shape [rows]: rows still to be matched */
    int waiting_count;
    int64_t effort; /* edges that may still be looked at before displaced rows have to wait */
    int64_t *next;  /* shape [rows]: the edge at which the depth-first search goes on */
    int64_t *ahead; /* shape [rows]: edges before it lead to no free column */
    int *seen;      /* shape [cols]: the phase in which a column was seen last */
    int *stack;     /* shape [rows] */
    int phase;
} starter;

static scalay_status allocate(const scalay_edges *edges, scalay_assignment *assignment, starter *start)
{
    scalay_status status = SCALAY_SUCCESS;
    *start = (starter){.edges = edges,
                       .of_row = assignment->matching.of_row,
                       .of_col = assignment->matching.of_col,
                       .row_dual = assignment->row_dual,
                       .col_dual = assignment->col_dual};
    SCALAY_TRY(SCALAY_NEW(start->waiting, edges->rows));
    SCALAY_TRY(SCALAY_NEW(start->next, edges->rows));
    SCALAY_TRY(SCALAY_NEW(start->ahead, edges->rows));
    SCALAY_TRY(SCALAY_NEW(start->seen, edges->cols));
    SCALAY_TRY(SCALAY_NEW(start->stack, (int64_t)edges->rows + 1));
cleanup:
    return status;
}

static void release(starter *start)
{
    scalay_release(start->waiting);
    scalay_release(start->next);
    scalay_release(start->ahead);
    scalay_release(start->seen);
    scalay_release(start->stack);
}

/* ---------------------------------------------------------------------------------------- row reduction */

/* What a row gains from its best and second best column; staying unmatched gains 0. */
typedef struct {
    int64_t gain;
    int64_t second_gain;
    int col;
    int second_col; /* -1: to stay unmatched */
} preference;

static preference find_preference(const starter *start, int row)
{
    const scalay_edges *edges = start->edges;
    preference found = {0, 0, -1, -1};
    for (int64_t e = edges->start[row]; e < edges->start[row + 1]; e++) {
        int64_t gain = edges->weight[e] - start->col_dual[edges->col[e]];
        if (gain <= found.second_gain) continue;
        if (gain > found.gain) {
            found = (preference){gain, found.gain, edges->col[e], found.col};
        } else {
            found.second_gain = gain;
            found.second_col = edges->col[e];
        }
    }
    start->row_dual[row] = found.second_gain;
    return found;
}

/* Gives the row its best column, whose price rises until the second best is as good. Returns the row that is displaced,
 * to bid again at once; -1: there is none, or the price did not rise (two rows could chase each other), or the effort
 * is spent. */
static int reduce_row(starter *start, int row)
{
    preference found = find_preference(start, row);
    int col = found.col;
    start->effort -= start->edges->start[row + 1] - start->edges->start[row];
    if (col < 0) return -1;
    int tie = found.gain == found.second_gain;
    if (!tie)
        start->col_dual[col] += found.gain - found.second_gain;
    else if (start->of_col[col] >= 0)
        col = found.second_col;
    int before = start->of_col[col];
    start->of_row[row] = col;
    start->of_col[col] = row;
    if (before < 0) return -1;
    start->of_row[before] = -1;
    return !tie && start->effort > 0 ? before : -1;
}

static void reduce_rows(starter *start)
{
    for (int i = 0; i < start->edges->rows; i++) {
        int row = i;
        while (row >= 0) row = reduce_row(start, row);
    }
}

/* The smallest feasible duals of the rows, given those of the columns. */
static void set_row_duals(starter *start)
{
    const scalay_edges *edges = start->edges;
    start->waiting_count = 0;
    for (int i = 0; i < edges->rows; i++) {
        int64_t dual = 0;
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            int64_t gain = edges->weight[e] - start->col_dual[edges->col[e]];
            if (gain > dual) dual = gain;
        }
        start->row_dual[i] = dual;
        if (start->of_row[i] < 0 && dual > 0) start->waiting[start->waiting_count++] = i;
    }
}

/* ----------------------------------------------------------------------------------- paths of length 0 */

static int is_tight(const starter *start, int row, int64_t e)
{
    return start->row_dual[row] + start->col_dual[start->edges->col[e]] == start->edges->weight[e];
}

static int free_tight_column(starter *start, int row)
{
    for (int64_t *e = &start->ahead[row]; *e < start->edges->start[row + 1]; ++*e)
        if (start->of_col[start->edges->col[*e]] < 0 && is_tight(start, row, *e)) return start->edges->col[*e];
    return -1;
}

static int unseen_tight_column(starter *start, int row)
{
    for (int64_t *e = &start->next[row]; *e < start->edges->start[row + 1]; ++*e) {
        int j = start->edges->col[*e];
        if (start->seen[j] == start->phase || !is_tight(start, row, *e)) continue;
        start->seen[j] = start->phase;
        return j;
    }
    return -1;
}

/* Every row of the stack takes the column of the row above it; the topmost takes col. */
static void shift_columns(starter *start, int depth, int col)
{
    for (int k = depth; k >= 0; k--) {
        int row = start->stack[k];
        int before = start->of_row[row];
        start->of_row[row] = col;
        start->of_col[col] = row;
        col = before;
    }
}

static int match_tight(starter *start, int root)
{
    int depth = 0;
    start->stack[0] = root;
    start->next[root] = start->edges->start[root];
    while (depth >= 0) {
        int row = start->stack[depth];
        if (depth > 0 && start->row_dual[row] == 0) {
            int col = start->of_row[row];
            start->of_row[row] = -1;
            shift_columns(start, depth - 1, col);
            return 1;
        }
        int col = free_tight_column(start, row);
        if (col >= 0) {
            shift_columns(start, depth, col);
            return 1;
        }
        col = unseen_tight_column(start, row);
        if (col < 0) {
            depth--;
        } else {
            int holder = start->of_col[col];
            start->stack[++depth] = holder;
            start->next[holder] = start->edges->start[holder];
        }
    }
    return 0;
}

static void match_along_tight_edges(starter *start)
{
    for (int i = 0; i < start->edges->rows; i++) start->ahead[i] = start->edges->start[i];
    for (start->phase = 1; start->phase <= TIGHT_PHASES && start->waiting_count > 0; start->phase++) {
        int count = start->waiting_count;
        start->waiting_count = 0;
        for (int k = 0; k < count; k++)
            if (!match_tight(start, start->waiting[k])) start->waiting[start->waiting_count++] = start->waiting[k];
        if (start->waiting_count == count) return;
    }
}

scalay_status scalay_assignment_start(const scalay_edges *edges, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    starter start;
    SCALAY_TRY(allocate(edges, assignment, &start));
    scalay_matching_clear(&assignment->matching, edges->rows, edges->cols);
    for (int j = 0; j < edges->cols; j++) start.col_dual[j] = 0;
    start.effort = REDUCTION_EFFORT * (edges->start[edges->rows] + edges->rows);
    reduce_rows(&start);
    set_row_duals(&start);
    match_along_tight_edges(&start);
cleanup:
    release(&start);
    return status;
}
