/*
 * Bottleneck assignment by trials. A trial of b steps looks for a matching on the edges of cost at most b that covers
 * all rows that need an edge, then all columns, by breadth-first search. If a row cannot be covered, the rows reached
 * are a Hall violator. The violator gives the next candidate for b.
 *
 * The search starts from a lower bound (what single lines need), gallops upward, and bisects. The lower bound is
 * usually the optimum.
 *
 * Source: Mendelsohn and Dulmage, Canadian Journal of Mathematics 10 (1958). Herrmann et al. (2016), section 4.2, solve
 * the same problem by removing edges from the complete graph one after the other.
 *
 * Time: O(n e) for one trial in the worst case, with e useful edges; O(log b) trials. Memory: O(n + e).
 */
#include "mapping/bottleneck.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

static int must_match(const scalay_bottleneck *problem, int of_parts, int line)
{
    const unsigned char *must = of_parts ? problem->must.col : problem->must.row;
    return must != NULL && must[line];
}

int64_t scalay_bottleneck_cost(const scalay_bottleneck *problem, int i, int j, int64_t weight)
{
    return scalay_max_int64(problem->held[i], problem->wanted[j]) - weight;
}

int64_t scalay_bottleneck_unmatched_cost(const scalay_bottleneck *problem, int of_parts, int line)
{
    if (must_match(problem, of_parts, line)) return INT64_MAX;
    return of_parts ? problem->wanted[line] : problem->held[line];
}

int64_t scalay_bottleneck_max_steps(const scalay_bottleneck *problem)
{
    int64_t max = 0;
    for (int i = 0; i < problem->rows; i++) max = scalay_max_int64(max, problem->held[i]);
    for (int j = 0; j < problem->cols; j++) max = scalay_max_int64(max, problem->wanted[j]);
    return max;
}

/* Replaces a violator by a copy. */
static scalay_status set_violator(const int *member, int size, int of_parts, scalay_hall_violator *violator)
{
    scalay_status status = SCALAY_SUCCESS;
    int *copy = NULL;
    SCALAY_TRY(SCALAY_NEW(copy, size));
    memcpy(copy, member, (size_t)size * sizeof *copy);
    scalay_release(violator->member);
    *violator = (scalay_hall_violator){copy, size, of_parts};
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- cover search */

/* A search that covers rows of the edges. For columns, edges and matching are transposed. */
typedef struct {
    const scalay_edges *edges;
    int *of_row;
    int *of_col;
    const unsigned char *needs; /* shape [rows]: must be covered; other rows may lose their column */
    int *from;                  /* shape [cols]: row through which a column was reached */
    int *visited;               /* shape [cols]: last search that reached a column; -1: by a search that failed */
    int search;
    int thorough; /* 1: continue after a row that cannot be covered, so that the violator contains all such rows */
    scalay_deadline deadline;
    int late;      /* 1: the deadline passed first */
    int *violator; /* shape [rows]: rows reached by the current search, after those of all failed searches */
    int violator_size;
} cover_search;

static scalay_status cover_search_create(const scalay_edges *edges, int *of_row, int *of_col,
                                         const unsigned char *needs, cover_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    *search = (cover_search){.edges = edges, .of_row = of_row, .of_col = of_col, .needs = needs};
    SCALAY_TRY(SCALAY_NEW(search->from, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->visited, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->violator, edges->rows));
cleanup:
    return status;
}

static void cover_search_free(cover_search *search)
{
    scalay_release(search->from);
    scalay_release(search->visited);
    scalay_release(search->violator);
}

static void match_greedily(cover_search *search)
{
    const scalay_edges *edges = search->edges;
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; search->needs[i] && search->of_row[i] < 0 && e < edges->start[i + 1]; e++)
            if (search->of_col[edges->col[e]] < 0) {
                search->of_row[i] = edges->col[e];
                search->of_col[edges->col[e]] = i;
            }
}

/* Ends the path at column j if the column is unmatched or its row may lose it. */
static int end_path(cover_search *search, int j)
{
    const int holder = search->of_col[j];
    if (holder >= 0 && search->needs[holder]) return 0;
    if (holder >= 0) search->of_row[holder] = -1;
    scalay_matching_flip_path(search->from, search->of_row, search->of_col, j);
    return 1;
}

/* Breadth-first search for an augmenting path. Columns reached by a failed search are skipped, because no augmenting
 * path goes through them. */
static int cover_row(cover_search *search, int root)
{
    const scalay_edges *edges = search->edges;
    const int first = search->violator_size;
    search->search++;
    search->violator[search->violator_size++] = root;
    for (int head = first; head < search->violator_size; head++) {
        const int row = search->violator[head];
        for (int64_t e = edges->start[row]; e < edges->start[row + 1]; e++) {
            const int j = edges->col[e];
            if (search->visited[j] == search->search || search->visited[j] < 0) continue;
            search->visited[j] = search->search;
            search->from[j] = row;
            if (end_path(search, j)) {
                search->violator_size = first;
                return 1;
            }
            search->violator[search->violator_size++] = search->of_col[j];
        }
    }
    for (int k = first + 1; k < search->violator_size; k++) search->visited[search->of_row[search->violator[k]]] = -1;
    return 0;
}

/* The deadline is checked once per this number of searches. */
enum { SEARCHES_PER_CHECK = 16 };

/* Covers all rows that need an edge; matched columns stay matched. Returns 0 if that is impossible, with a violator
 * whose rows reach only the columns that they are matched with; or if the deadline passed, without a violator. */
static int cover_rows(cover_search *search)
{
    int searches = 0, stop = 0;
    match_greedily(search);
    for (int i = 0; i < search->edges->rows && !stop; i++) {
        if (!search->needs[i] || search->of_row[i] >= 0) continue;
        if (searches++ % SEARCHES_PER_CHECK == 0) search->late = scalay_deadline_passed(search->deadline);
        stop = search->late || (!cover_row(search, i) && !search->thorough);
    }
    if (search->late) search->violator_size = 0;
    return search->violator_size == 0 && !search->late;
}

/* ---------------------------------------------------------------------------------------------------- trials */

scalay_status scalay_bottleneck_trial_create(const scalay_bottleneck *problem, scalay_bottleneck_trial *trial)
{
    scalay_status status = SCALAY_SUCCESS;
    *trial = (scalay_bottleneck_trial){.problem = problem};
    SCALAY_TRY(SCALAY_NEW(trial->needs.row, problem->rows));
    SCALAY_TRY(SCALAY_NEW(trial->needs.col, problem->cols));
    SCALAY_TRY(scalay_matching_allocate(problem->rows, problem->cols, &trial->matching));
cleanup:
    return status;
}

void scalay_bottleneck_trial_free(scalay_bottleneck_trial *trial)
{
    scalay_cover_free(&trial->needs);
    scalay_matching_free(&trial->matching);
    scalay_release(trial->violator.member);
}

static void set_needs(scalay_bottleneck_trial *trial, int64_t steps)
{
    const scalay_bottleneck *problem = trial->problem;
    trial->steps = steps;
    for (int i = 0; i < problem->rows; i++) {
        const int is_out = problem->row_out != NULL && problem->row_out[i];
        trial->needs.row[i] = !is_out && (must_match(problem, 0, i) || problem->held[i] > steps);
    }
    for (int j = 0; j < problem->cols; j++)
        trial->needs.col[j] = must_match(problem, 1, j) || problem->wanted[j] > steps;
}

/* Returns 1 after the deadline: the trial has no result then. */
static int is_late(scalay_bottleneck_trial *trial)
{
    trial->late = trial->late || scalay_deadline_passed(trial->problem->deadline);
    if (trial->late) trial->suffices = 0;
    return trial->late;
}

/* Sets the least number of steps at which the violator is no violator: a member has another edge, or need not be
 * matched. INT64_MAX: none. */
static scalay_status find_next_steps(scalay_bottleneck_trial *trial)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *next_steps = NULL;
    const scalay_hall_violator *violator = &trial->violator;
    SCALAY_TRY(SCALAY_NEW(next_steps, violator->size));
    SCALAY_TRY(trial->problem->source->next_steps(trial->problem, trial->steps, violator->of_parts, violator->member,
                                                  violator->size, next_steps));
    if (is_late(trial)) goto cleanup;
    trial->result = next_steps[0];
    for (int k = 1; k < violator->size; k++) trial->result = scalay_min_int64(trial->result, next_steps[k]);
cleanup:
    scalay_release(next_steps);
    return status;
}

/* A column that needs an edge and has none is a violator by itself. Takes the column with the largest next steps. The
 * lower bound excludes such rows. */
static scalay_status find_isolated_column(scalay_bottleneck_trial *trial, const scalay_edges *useful)
{
    scalay_status status = SCALAY_SUCCESS;
    int *isolated = NULL, count = 0;
    int64_t *next_steps = NULL;
    unsigned char *has_edge = NULL;
    SCALAY_TRY(SCALAY_NEW(isolated, useful->cols));
    SCALAY_TRY(SCALAY_NEW(has_edge, useful->cols));
    for (int64_t e = 0; e < useful->start[useful->rows]; e++) has_edge[useful->col[e]] = 1;
    for (int j = 0; j < useful->cols; j++)
        if (trial->needs.col[j] && !has_edge[j]) isolated[count++] = j;
    SCALAY_TRY(SCALAY_NEW(next_steps, count));
    if (count > 0)
        SCALAY_TRY(trial->problem->source->next_steps(trial->problem, trial->steps, 1, isolated, count, next_steps));
    for (int k = 0; k < count; k++) {
        if (next_steps[k] <= trial->result) continue;
        trial->result = next_steps[k];
        SCALAY_TRY(set_violator(&isolated[k], 1, 1, &trial->violator));
    }
cleanup:
    scalay_release(isolated);
    scalay_release(has_edge);
    scalay_release(next_steps);
    return status;
}

/* Covers one side, or sets the violator. */
static scalay_status cover_side(scalay_bottleneck_trial *trial, const scalay_edges *edges, int of_parts, int thorough)
{
    scalay_status status = SCALAY_SUCCESS;
    cover_search search = {0};
    int *rows = of_parts ? trial->matching.of_col : trial->matching.of_row;
    int *cols = of_parts ? trial->matching.of_row : trial->matching.of_col;
    SCALAY_TRY(cover_search_create(edges, rows, cols, of_parts ? trial->needs.col : trial->needs.row, &search));
    search.thorough = thorough;
    search.deadline = trial->problem->deadline;
    trial->suffices = cover_rows(&search);
    trial->late = search.late;
    if (!trial->suffices) SCALAY_TRY(set_violator(search.violator, search.violator_size, of_parts, &trial->violator));
cleanup:
    cover_search_free(&search);
    return status;
}

/* The steps of the matching: at most those of the trial. */
static int64_t steps_of_matching(const scalay_bottleneck_trial *trial, const scalay_edges *useful)
{
    const scalay_bottleneck *problem = trial->problem;
    int64_t steps = 0;
    for (int i = 0; i < useful->rows; i++) {
        const int j = trial->matching.of_row[i];
        if (j < 0) steps = scalay_max_int64(steps, problem->held[i]);
        for (int64_t e = useful->start[i]; j >= 0 && e < useful->start[i + 1]; e++)
            if (useful->col[e] == j)
                steps = scalay_max_int64(steps, scalay_bottleneck_cost(problem, i, j, useful->weight[e]));
    }
    for (int j = 0; j < useful->cols; j++)
        if (trial->matching.of_col[j] < 0) steps = scalay_max_int64(steps, problem->wanted[j]);
    return steps;
}

/* If not all useful edges have been found: more of those that lead away from the partners of the violator. */
static scalay_status find_further(const scalay_bottleneck_trial *trial, scalay_edges *useful, int *more)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck *problem = trial->problem;
    const scalay_hall_violator *violator = &trial->violator;
    const int *partner = violator->of_parts ? trial->matching.of_col : trial->matching.of_row;
    unsigned char *excluded = NULL;
    SCALAY_TRY(SCALAY_NEW(excluded, violator->of_parts ? problem->rows : problem->cols));
    for (int k = 0; k < violator->size; k++)
        if (partner[violator->member[k]] >= 0) excluded[partner[violator->member[k]]] = 1;
    SCALAY_TRY(problem->source->further(problem, trial->steps, violator->of_parts, violator->member, violator->size,
                                        excluded, useful, more));
cleanup:
    scalay_release(excluded);
    return status;
}

static scalay_status match(scalay_bottleneck_trial *trial, scalay_edges *useful)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges by_cols = {0};
    /* Thorough as long as there may be further edges. After that, the first violator is the smallest. */
    int thorough = trial->problem->source->further != NULL, more = 1;
    scalay_matching_clear(&trial->matching, useful->rows, useful->cols);
    for (;;) {
        SCALAY_TRY(cover_side(trial, useful, 0, thorough));
        scalay_edges_free(&by_cols);
        if (trial->suffices) SCALAY_TRY(scalay_edges_transpose(useful, NULL, trial->problem->deadline, &by_cols));
        if (is_late(trial)) goto cleanup;
        if (trial->suffices) SCALAY_TRY(cover_side(trial, &by_cols, 1, thorough));
        if (trial->suffices || trial->late || !thorough) break;
        SCALAY_TRY(find_further(trial, useful, &more));
        if (is_late(trial)) goto cleanup;
        thorough = more;
    }
    if (trial->suffices)
        trial->result = steps_of_matching(trial, useful);
    else if (!trial->late)
        SCALAY_TRY(find_next_steps(trial));
cleanup:
    scalay_edges_free(&by_cols);
    return status;
}

scalay_status scalay_bottleneck_trial_run(scalay_bottleneck_trial *trial, int64_t steps)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges useful = {0};
    set_needs(trial, steps);
    trial->suffices = 0;
    trial->result = steps;
    trial->late = 0;
    if (is_late(trial)) return SCALAY_SUCCESS;
    SCALAY_TRY(trial->problem->source->useful(trial->problem, steps, &trial->needs, &useful));
    if (!is_late(trial)) SCALAY_TRY(find_isolated_column(trial, &useful));
    if (!is_late(trial) && trial->result == steps) SCALAY_TRY(match(trial, &useful));
cleanup:
    scalay_edges_free(&useful);
    return status;
}

/* --------------------------------------------------------------------------------------------- lower bound */

static int heaviest(const int64_t *elements, int count)
{
    int best = 0;
    for (int k = 1; k < count; k++)
        if (elements[k] > elements[best]) best = k;
    return best;
}

/* Raises the bound to the steps that a line needs by itself. */
static scalay_status raise_bound(const scalay_bottleneck *problem, int of_parts, int line,
                                 scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t least = 0;
    SCALAY_TRY(problem->source->next_steps(problem, -1, of_parts, &line, 1, &least));
    if (least <= solution->bound) return SCALAY_SUCCESS;
    solution->bound = least;
    SCALAY_TRY(set_violator(&line, 1, of_parts, &solution->violator));
cleanup:
    return status;
}

/* Rows between checks of the deadline. */
enum { ROWS_PER_CHECK = 1024 };

/* The steps that rows, each by itself, and the heaviest column need. After the heaviest row most other rows no longer
 * matter. The first trial treats all columns. After the deadline not all rows are in the bound, and no trial runs. */
static scalay_status find_lower_bound(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(raise_bound(problem, 0, heaviest(problem->held, problem->rows), solution));
    SCALAY_TRY(raise_bound(problem, 1, heaviest(problem->wanted, problem->cols), solution));
    for (int i = 0; i < problem->rows; i++) {
        if (i % ROWS_PER_CHECK == 0 && scalay_deadline_passed(problem->deadline)) break;
        const int matters = problem->held[i] > solution->bound || must_match(problem, 0, i);
        if (matters && !problem->source->row_serves(problem, solution->bound, i))
            SCALAY_TRY(raise_bound(problem, 0, i, solution));
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- search */

/* Galloping starts with this fraction of the open range. */
enum { GALLOP_FRACTION = 256 };

/* Fewer than `low` steps are impossible; `high` steps suffice (proven if found is 1). */
typedef struct {
    int64_t low;
    int64_t high;
    int64_t stride;
    int found;
} range;

static int64_t steps_to_try(const range *open)
{
    const int64_t width = open->high - open->low;
    return open->low + (open->found ? width / 2 : scalay_min_int64(open->stride, width));
}

static void swap_matching(scalay_bottleneck_trial *trial, scalay_bottleneck_solution *solution)
{
    const scalay_matching before = solution->matching;
    solution->matching = trial->matching;
    trial->matching = before;
}

static void swap_violator(scalay_bottleneck_trial *trial, scalay_bottleneck_solution *solution)
{
    const scalay_hall_violator before = solution->violator;
    solution->violator = trial->violator;
    trial->violator = before;
}

/* Restricts the problem to edges of at most `high` steps at lines heavier than the lower bound. */
static scalay_status reduce(scalay_bottleneck_trial *trial, const range *open, scalay_bottleneck *reduced,
                            scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    set_needs(trial, open->low);
    SCALAY_TRY(trial->problem->source->useful(trial->problem, open->high, &trial->needs, edges));
    *reduced = *trial->problem;
    reduced->context = edges;
    trial->problem = reduced;
cleanup:
    return status;
}

/* A failure raises `low` to the next steps of its violator; a success lowers `high` to the steps of its matching. */
static scalay_status narrow(scalay_bottleneck_trial *trial, range *open, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_bottleneck_trial_run(trial, steps_to_try(open)));
    if (trial->suffices || (trial->late && !open->found)) swap_matching(trial, solution);
    if (trial->late) return SCALAY_SUCCESS;
    if (trial->suffices) {
        open->high = trial->result;
        open->found = 1;
        return SCALAY_SUCCESS;
    }
    open->low = trial->result;
    swap_violator(trial, solution);
    if (open->low > open->high)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL,
                           "internal error: Hall violator of size %d has no next steps; please report this",
                           solution->violator.size);
    if (solution->violator.size == 1) return SCALAY_SUCCESS; /* `low` is exactly what the line needs */
    open->stride = open->stride > 0 ? 2 * open->stride : 1 + (open->high - open->low) / GALLOP_FRACTION;
cleanup:
    return status;
}

static scalay_status search(scalay_bottleneck_trial *trial, range *open, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck reduced;
    scalay_edges edges = {0};
    while (!trial->late && (!open->found || open->low < open->high)) {
        SCALAY_TRY(narrow(trial, open, solution));
        if (open->found && open->low < open->high && edges.start == NULL && trial->problem->source->further == NULL)
            SCALAY_TRY(reduce(trial, open, &reduced, &edges));
    }
cleanup:
    scalay_edges_free(&edges);
    return status;
}

void scalay_bottleneck_free(scalay_bottleneck_solution *solution)
{
    scalay_matching_free(&solution->matching);
    scalay_release(solution->violator.member);
    *solution = (scalay_bottleneck_solution){0};
}

scalay_status scalay_bottleneck_solve(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_trial trial = {0};
    *solution = (scalay_bottleneck_solution){0};
    SCALAY_TRY(scalay_matching_allocate(problem->rows, problem->cols, &solution->matching));
    SCALAY_TRY(scalay_bottleneck_trial_create(problem, &trial));
    SCALAY_TRY(find_lower_bound(problem, solution));
    range open = {.low = solution->bound, .high = scalay_bottleneck_max_steps(problem), .stride = 0, .found = 0};
    if (open.low > open.high)
        status = SCALAY_FAIL(SCALAY_ERROR_INTERNAL,
                             "internal error: a line that must be matched has no edge; please report this");
    if (status == SCALAY_SUCCESS) status = search(&trial, &open, solution);
    solution->bound = open.low;
    solution->found = open.found;
    solution->steps = open.found ? open.high : 0;
cleanup:
    scalay_bottleneck_trial_free(&trial);
    if (status != SCALAY_SUCCESS) scalay_bottleneck_free(solution);
    return status;
}
