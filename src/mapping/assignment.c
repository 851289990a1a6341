/*
 * Assignment problem on a sparse graph by shortest augmenting paths, with dual variables.
 *
 * Three steps, each of which keeps the duals feasible and matched edges tight:
 *   1. Augmenting row reduction: each unmatched row takes its best column and raises the column's price until its
 * second best column is as good (Jonker, Volgenant 1987). This step is an auction without a minimum increment.
 *   2. Depth-first search for augmenting paths on tight edges.
 *   3. Dijkstra's algorithm with reduced costs for each row, and then each column, that is unmatched and has a positive
 *      dual or must be matched.
 *
 * Source: Jonker and Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems,
 * Computing 38 (1987).
 *
 * Time: O(n (n log n + e)) for n rows and columns and e edges in the worst case. Step 1 is limited to O(e). Memory:
 * O(n), and O(e) if a column is left for step 3.
 */
#include "mapping/assignment.h"

#include <limits.h>

#include "base/integer.h"
#include "base/memory.h"

/* Row reduction looks at no more than this multiple of the edges; depth-first search makes this many passes. */
enum { REDUCTION_EFFORT = 32, TIGHT_PASSES = 20 };

scalay_status scalay_assignment_allocate(int rows, int cols, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    *assignment = (scalay_assignment){0};
    SCALAY_TRY(scalay_matching_allocate(rows, cols, &assignment->matching));
    SCALAY_TRY(SCALAY_NEW(assignment->row_dual, rows));
    SCALAY_TRY(SCALAY_NEW(assignment->col_dual, cols));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_assignment_free(assignment);
    return status;
}

void scalay_assignment_free(scalay_assignment *assignment)
{
    scalay_matching_free(&assignment->matching);
    scalay_release(assignment->row_dual);
    scalay_release(assignment->col_dual);
    *assignment = (scalay_assignment){0};
}

/* ------------------------------------------------------------------------------------------- row reduction */

typedef struct {
    const scalay_edges *edges;
    const unsigned char *must; /* shape [rows]: must be matched; NULL: none */
    int *of_row;               /* the matching and the duals of an assignment */
    int *of_col;
    int64_t *row_dual;
    int64_t *col_dual;
    int *waiting; /* shape [rows]: unmatched rows that have a positive dual or must be matched */
    int waiting_count;
    int64_t effort;   /* edges that row reduction may still look at before displaced rows have to wait */
    int64_t *next;    /* shape [rows]: edge at which the depth-first search continues */
    int64_t *skipped; /* shape [rows]: edges before this one lead to no unmatched column */
    int *visited;     /* shape [cols]: last pass that visited a column */
    int *stack;       /* shape [rows + 1] */
    int pass;
    scalay_deadline deadline;
    int bids; /* and paths, since the last check of the deadline */
    int late; /* 1: the deadline has passed; the duals are feasible, and the matching is incomplete */
} starter;

/* Bids and paths between checks of the deadline. */
enum { BIDS_PER_CHECK = 1024 };

static int is_late(starter *start)
{
    if (!start->late && start->bids++ % BIDS_PER_CHECK == 0) start->late = scalay_deadline_passed(start->deadline);
    return start->late;
}

static scalay_status starter_create(const scalay_edges *edges, const unsigned char *must, scalay_assignment *assignment,
                                    starter *start)
{
    scalay_status status = SCALAY_SUCCESS;
    *start = (starter){.edges = edges,
                       .must = must,
                       .of_row = assignment->matching.of_row,
                       .of_col = assignment->matching.of_col,
                       .row_dual = assignment->row_dual,
                       .col_dual = assignment->col_dual,
                       .deadline = assignment->deadline};
    start->effort = REDUCTION_EFFORT * (edges->start[edges->rows] + edges->rows);
    SCALAY_TRY(SCALAY_NEW(start->waiting, edges->rows));
    SCALAY_TRY(SCALAY_NEW(start->next, edges->rows));
    SCALAY_TRY(SCALAY_NEW(start->skipped, edges->rows));
    SCALAY_TRY(SCALAY_NEW(start->visited, edges->cols));
    SCALAY_TRY(SCALAY_NEW(start->stack, (int64_t)edges->rows + 1));
cleanup:
    return status;
}

static void starter_free(starter *start)
{
    scalay_release(start->waiting);
    scalay_release(start->next);
    scalay_release(start->skipped);
    scalay_release(start->visited);
    scalay_release(start->stack);
}

static int must_match(const unsigned char *must, int row)
{
    return must != NULL && must[row];
}

/* Sets the smallest feasible duals of the rows, given those of the columns. Edges that are not tight are unmatched. */
static void set_row_duals(starter *start)
{
    const scalay_edges *edges = start->edges;
    start->waiting_count = 0;
    for (int i = 0; i < edges->rows; i++) {
        const int free = !must_match(start->must, i) || edges->start[i] == edges->start[i + 1];
        int64_t dual = free ? 0 : INT64_MIN, matched_gain = INT64_MIN;
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            const int64_t gain = edges->weight[e] - start->col_dual[edges->col[e]];
            if (gain > dual) dual = gain;
            if (edges->col[e] == start->of_row[i]) matched_gain = gain;
        }
        start->row_dual[i] = dual;
        if (start->of_row[i] >= 0 && matched_gain < dual) {
            start->of_col[start->of_row[i]] = -1;
            start->of_row[i] = -1;
        }
        if (start->of_row[i] < 0 && (dual > 0 || must_match(start->must, i)))
            start->waiting[start->waiting_count++] = i;
    }
}

/* Gains of a row with its best and second best column. To stay unmatched gains 0. */
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
        const int64_t gain = edges->weight[e] - start->col_dual[edges->col[e]];
        if (gain <= found.second_gain) continue;
        if (gain > found.gain) {
            found = (preference){gain, found.gain, edges->col[e], found.col};
        } else {
            found.second_gain = gain;
            found.second_col = edges->col[e];
        }
    }
    return found;
}

/* Matches a row with its best column, and raises the price of the column until the second best is as good. Returns the
 * displaced row, which bids next. -1: no row is displaced, or the price did not rise (two rows could displace each
 * other for ever), or the effort is spent. */
static int reduce_row(starter *start, int row)
{
    const preference found = find_preference(start, row);
    int col = found.col;
    start->effort -= start->edges->start[row + 1] - start->edges->start[row];
    if (col < 0) return -1;
    const int tie = found.gain == found.second_gain;
    if (!tie)
        start->col_dual[col] += found.gain - found.second_gain;
    else if (start->of_col[col] >= 0)
        col = found.second_col;
    const int displaced = start->of_col[col];
    start->of_row[row] = col;
    start->of_col[col] = row;
    if (displaced < 0) return -1;
    start->of_row[displaced] = -1;
    return !tie && start->effort > 0 ? displaced : -1;
}

static void reduce_rows(starter *start)
{
    for (int k = 0; k < start->waiting_count && !start->late; k++) {
        int row = start->waiting[k];
        while (row >= 0 && !is_late(start)) row = reduce_row(start, row);
    }
}

/* ------------------------------------------------------------------------------ paths of tight edges */

static int is_tight(const starter *start, int row, int64_t e)
{
    return start->row_dual[row] + start->col_dual[start->edges->col[e]] == start->edges->weight[e];
}

static int unmatched_tight_column(starter *start, int row)
{
    for (int64_t *e = &start->skipped[row]; *e < start->edges->start[row + 1]; ++*e)
        if (start->of_col[start->edges->col[*e]] < 0 && is_tight(start, row, *e)) return start->edges->col[*e];
    return -1;
}

static int unvisited_tight_column(starter *start, int row)
{
    for (int64_t *e = &start->next[row]; *e < start->edges->start[row + 1]; ++*e) {
        const int j = start->edges->col[*e];
        if (start->visited[j] == start->pass || !is_tight(start, row, *e)) continue;
        start->visited[j] = start->pass;
        return j;
    }
    return -1;
}

/* Each row of the stack takes the column of the row above it; the topmost takes col. */
static void shift_columns(starter *start, int depth, int col)
{
    for (int k = depth; k >= 0; k--) {
        const int row = start->stack[k], before = start->of_row[row];
        start->of_row[row] = col;
        start->of_col[col] = row;
        col = before;
    }
}

/* Ends the path at the topmost row of the stack, if a column is unmatched or the row may lose its column. */
static int end_path(starter *start, int depth)
{
    const int row = start->stack[depth];
    if (depth > 0 && start->row_dual[row] == 0 && !must_match(start->must, row)) {
        const int col = start->of_row[row];
        start->of_row[row] = -1;
        shift_columns(start, depth - 1, col);
        return 1;
    }
    const int col = unmatched_tight_column(start, row);
    if (col >= 0) shift_columns(start, depth, col);
    return col >= 0;
}

static int match_tight(starter *start, int root)
{
    int depth = 0;
    start->stack[0] = root;
    start->next[root] = start->edges->start[root];
    while (depth >= 0) {
        if (end_path(start, depth)) return 1;
        const int col = unvisited_tight_column(start, start->stack[depth]);
        if (col < 0) {
            depth--;
        } else {
            const int holder = start->of_col[col];
            start->stack[++depth] = holder;
            start->next[holder] = start->edges->start[holder];
        }
    }
    return 0;
}

static void match_along_tight_edges(starter *start)
{
    for (int i = 0; i < start->edges->rows; i++) start->skipped[i] = start->edges->start[i];
    for (start->pass = 1; start->pass <= TIGHT_PASSES && start->waiting_count > 0; start->pass++) {
        const int count = start->waiting_count;
        start->waiting_count = 0;
        for (int k = 0; k < count && !is_late(start); k++)
            if (!match_tight(start, start->waiting[k])) start->waiting[start->waiting_count++] = start->waiting[k];
        if (start->waiting_count == count || start->late) return;
    }
}

/* Steps 1 and 2. */
static scalay_status start_matching(const scalay_edges *edges, const unsigned char *must, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    starter start = {0};
    SCALAY_TRY(starter_create(edges, must, assignment, &start));
    set_row_duals(&start);
    reduce_rows(&start);
    set_row_duals(&start);
    match_along_tight_edges(&start);
cleanup:
    starter_free(&start);
    return status;
}

/* ------------------------------------------------------------------------------- shortest augmenting paths */

/* A search from the rows of the edges. For a search from the columns, edges, matching and duals are transposed. The
 * length of an edge is row_dual + col_dual - weight, at least 0. A row that need not be matched may lose its column;
 * the length of that is its dual. */
typedef struct {
    const scalay_edges *edges;
    const int64_t *weight; /* of all edges */
    const int *number;     /* shape [edges]: where the weight of each edge is; NULL: in the same order */
    int *of_row;
    int *of_col;
    int64_t *row_dual;
    int64_t *col_dual;
    const unsigned char *must; /* shape [rows]; NULL: none */
    int64_t *distance;         /* shape [cols]; INT64_MAX: not reached */
    int *from;                 /* shape [cols]: row through which a column was reached */
    unsigned char *settled;    /* shape [cols] */
    int *reached;              /* shape [cols] */
    int reached_count;
    int *scanned; /* shape [rows]: the root, then rows at the distance of their columns */
    int scanned_count;
    int *tight; /* shape [cols]: reached at the current distance, without the heap */
    int tight_count;
    int *heap;     /* shape [cols]: columns by distance */
    int *position; /* shape [cols]: in the heap; -1: not in the heap */
    int64_t heap_count;
    int64_t best; /* length of the shortest augmenting path found so far */
    int end_col;  /* its last column, unmatched */
    int end_row;  /* if end_col is -1: the row that loses its column */
} path_search;

#define BINARY_HEAP_NAME column_heap
#define BINARY_HEAP_ENTRY int
#define BINARY_HEAP_OWNER path_search
#define BINARY_HEAP_BEFORE(owner, a, b) ((owner)->distance[a] < (owner)->distance[b])
#define BINARY_HEAP_MOVED(owner, entry, index) ((owner)->position[entry] = (int)(index))
#include "base/binary_heap_worker.h"

static void search_free(path_search *search)
{
    scalay_release(search->distance);
    scalay_release(search->from);
    scalay_release(search->settled);
    scalay_release(search->reached);
    scalay_release(search->scanned);
    scalay_release(search->tight);
    scalay_release(search->heap);
    scalay_release(search->position);
}

static scalay_status search_create(const scalay_edges *edges, int *of_row, int *of_col, int64_t *row_dual,
                                   int64_t *col_dual, path_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    *search =
        (path_search){.edges = edges, .of_row = of_row, .of_col = of_col, .row_dual = row_dual, .col_dual = col_dual};
    SCALAY_TRY(SCALAY_NEW(search->distance, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->from, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->settled, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->reached, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->scanned, edges->rows));
    SCALAY_TRY(SCALAY_NEW(search->tight, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->heap, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->position, edges->cols));
    for (int j = 0; j < edges->cols; j++) {
        search->distance[j] = INT64_MAX;
        search->position[j] = -1;
    }
cleanup:
    return status;
}

/* Moves a column of the heap to its place, after its distance was set. */
static void push(path_search *search, int col)
{
    const int64_t index = search->position[col] >= 0 ? search->position[col] : search->heap_count++;
    column_heap_sift_up(search, search->heap, index, col);
}

/* Column j is reached through a row, by a path shorter than the best augmenting path. */
static void reach(path_search *search, int j, int row, int64_t distance, int64_t now)
{
    if (search->distance[j] == INT64_MAX) search->reached[search->reached_count++] = j;
    search->distance[j] = distance;
    search->from[j] = row;
    if (search->of_col[j] < 0) {
        search->best = distance;
        search->end_col = j;
    } else if (distance == now) {
        /* A column that is in the heap already stays there, and is skipped later because it is settled. */
        search->tight[search->tight_count++] = j;
        if (search->position[j] >= 0) push(search, j);
    } else {
        push(search, j);
    }
}

static void scan_row(path_search *search, int row, int64_t now)
{
    const scalay_edges *edges = search->edges;
    const int64_t dual = search->row_dual[row];
    search->scanned[search->scanned_count++] = row;
    if (!must_match(search->must, row) && dual < search->best - now) {
        search->best = now + dual;
        search->end_row = row;
        search->end_col = -1;
    }
    for (int64_t e = edges->start[row]; e < edges->start[row + 1]; e++) {
        const int j = edges->col[e];
        /* The comparison precedes the addition to the distance, so that nothing overflows. */
        const int64_t weight = search->weight[search->number != NULL ? search->number[e] : e];
        const int64_t length = dual + search->col_dual[j] - weight;
        if (length < search->best - now && now + length < search->distance[j]) reach(search, j, row, now + length, now);
    }
}

/* The nearest column that is not settled and nearer than the end of the best path; -1: none. */
static int next_column(path_search *search)
{
    if (search->tight_count > 0) return search->tight[--search->tight_count];
    while (search->heap_count > 0) {
        const int nearest = column_heap_pop(search, search->heap, &search->heap_count);
        search->position[nearest] = -1;
        if (!search->settled[nearest]) return search->distance[nearest] < search->best ? nearest : -1;
    }
    return -1;
}

static void find_path(path_search *search, int root)
{
    int64_t now = 0;
    search->best = INT64_MAX;
    search->end_col = -1;
    search->end_row = -1;
    scan_row(search, root, now);
    while (search->best > now) {
        const int j = next_column(search);
        if (j < 0) return;
        now = search->distance[j];
        search->settled[j] = 1;
        scan_row(search, search->of_col[j], now);
    }
}

static void update_duals(path_search *search)
{
    for (int k = 0; k < search->scanned_count; k++) {
        const int row = search->scanned[k];
        search->row_dual[row] -= search->best - (k > 0 ? search->distance[search->of_row[row]] : 0);
    }
    for (int k = 0; k < search->reached_count; k++) {
        const int j = search->reached[k];
        if (search->settled[j]) search->col_dual[j] += search->best - search->distance[j];
    }
}

static void augment(path_search *search)
{
    int col = search->end_col;
    if (col < 0) {
        col = search->of_row[search->end_row];
        search->of_row[search->end_row] = -1;
    }
    scalay_matching_flip_path(search->from, search->of_row, search->of_col, col);
}

static void reset(path_search *search)
{
    for (int k = 0; k < search->reached_count; k++) {
        search->distance[search->reached[k]] = INT64_MAX;
        search->settled[search->reached[k]] = 0;
    }
    while (search->heap_count > 0) search->position[search->heap[--search->heap_count]] = -1;
    search->reached_count = 0;
    search->scanned_count = 0;
    search->tight_count = 0;
}

/* Matches an unmatched row, or leaves it unmatched with a dual of 0. Returns 0 if the row must be matched and cannot.
 */
static int match_row(path_search *search, int root)
{
    find_path(search, root);
    const int found = search->best != INT64_MAX;
    if (found) {
        update_duals(search);
        augment(search);
    }
    reset(search);
    return found;
}

/* The deadline is checked once per this number of searches. */
enum { SEARCHES = 4 };

static scalay_status match_rows(path_search *search, scalay_assignment *assignment)
{
    int searches = 0;
    for (int i = 0; i < search->edges->rows; i++) {
        if (search->of_row[i] >= 0 || (search->row_dual[i] == 0 && !must_match(search->must, i))) continue;
        if (searches++ % SEARCHES == 0 && scalay_deadline_passed(assignment->deadline)) {
            assignment->unfinished = 1;
            break;
        }
        if (!match_row(search, i))
            return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "a process or part that must be matched cannot be (number %d)",
                               i);
    }
    return SCALAY_SUCCESS;
}

static scalay_status solve_rows(const scalay_edges *edges, const unsigned char *must, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    path_search search = {0};
    SCALAY_TRY(search_create(edges, assignment->matching.of_row, assignment->matching.of_col, assignment->row_dual,
                             assignment->col_dual, &search));
    search.must = must;
    search.weight = edges->weight;
    SCALAY_TRY(match_rows(&search, assignment));
cleanup:
    search_free(&search);
    return status;
}

/* The same from the columns. Matched rows stay matched. */
static scalay_status solve_columns(const scalay_edges *edges, const unsigned char *must, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges transposed = {0};
    int *number = NULL;
    path_search search = {0};
    const int64_t count = edges->start[edges->rows];
    if (count > INT_MAX) return SCALAY_FAIL(SCALAY_ERROR_RANGE, "%lld pairs share items", (long long)count);
    SCALAY_TRY(SCALAY_NEW(number, count));
    SCALAY_TRY(scalay_edges_transpose(edges, number, assignment->deadline, &transposed));
    SCALAY_TRY(search_create(&transposed, assignment->matching.of_col, assignment->matching.of_row,
                             assignment->col_dual, assignment->row_dual, &search));
    search.must = must;
    search.weight = edges->weight;
    search.number = number;
    SCALAY_TRY(match_rows(&search, assignment));
cleanup:
    search_free(&search);
    scalay_edges_free(&transposed);
    scalay_release(number);
    return status;
}

/* ---------------------------------------------------------------------------------------------- solving */

static int covers(const unsigned char *must, const int *matched, int count)
{
    for (int k = 0; must != NULL && k < count; k++)
        if (must[k] && matched[k] < 0) return 0;
    return 1;
}

int scalay_assignment_covers(const scalay_cover *cover, const scalay_matching *matching, int rows, int cols)
{
    return cover == NULL || (covers(cover->row, matching->of_row, rows) && covers(cover->col, matching->of_col, cols));
}

static int are_columns_left(const unsigned char *must, const scalay_assignment *assignment, int cols)
{
    for (int j = 0; j < cols; j++)
        if (assignment->matching.of_col[j] < 0 && (assignment->col_dual[j] > 0 || must_match(must, j))) return 1;
    return 0;
}

/* A dual is an alternating sum of weights along a path: no larger in magnitude than the heaviest matching. */
static scalay_status check_covered_weight(const scalay_edges *edges)
{
    int64_t sum = 0;
    for (int i = 0; i < edges->rows; i++) {
        if (!scalay_add_int64(sum, scalay_edges_heaviest(edges, i), &sum) || sum > SCALAY_COVERED_WEIGHT_MAX)
            return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                               "2^62 items or more could stay where they are; count them in larger units");
    }
    return SCALAY_SUCCESS;
}

/* Matches each unmatched row with the unmatched column of its heaviest edge. */
static void complete(const scalay_edges *edges, scalay_matching *matching)
{
    for (int i = 0; i < edges->rows; i++) {
        int64_t best = -1;
        if (matching->of_row[i] >= 0) continue;
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++)
            if (matching->of_col[edges->col[e]] < 0 && (best < 0 || edges->weight[e] > edges->weight[best])) best = e;
        if (best < 0) continue;
        matching->of_row[i] = edges->col[best];
        matching->of_col[edges->col[best]] = i;
    }
}

scalay_status scalay_assignment_sparse(const scalay_edges *edges, const scalay_cover *cover,
                                       scalay_assignment_start start, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    const unsigned char *must_row = cover != NULL ? cover->row : NULL, *must_col = cover != NULL ? cover->col : NULL;
    if (cover != NULL) SCALAY_TRY(check_covered_weight(edges));
    assignment->unfinished = 0;
    for (int j = 0; j < edges->cols && start == SCALAY_START_EMPTY; j++) assignment->col_dual[j] = 0;
    if (start != SCALAY_START_MATCHING) scalay_matching_clear(&assignment->matching, edges->rows, edges->cols);
    SCALAY_TRY(start_matching(edges, must_row, assignment));
    SCALAY_TRY(solve_rows(edges, must_row, assignment));
    if (!assignment->unfinished && are_columns_left(must_col, assignment, edges->cols))
        SCALAY_TRY(solve_columns(edges, must_col, assignment));
    if (assignment->unfinished && cover == NULL) complete(edges, &assignment->matching);
cleanup:
    return status;
}

int64_t scalay_assignment_bound(const scalay_edges *edges, scalay_assignment *assignment)
{
    scalay_wide sum = 0, heaviest = 0;
    for (int i = 0; i < edges->rows; i++) {
        heaviest += scalay_edges_heaviest(edges, i);
        sum += assignment->row_dual[i];
    }
    for (int j = 0; j < edges->cols; j++) sum += assignment->col_dual[j];
    if (sum <= heaviest) return (int64_t)sum;
    for (int i = 0; i < edges->rows; i++) assignment->row_dual[i] = scalay_edges_heaviest(edges, i);
    for (int j = 0; j < edges->cols; j++) assignment->col_dual[j] = 0;
    return (int64_t)heaviest;
}
