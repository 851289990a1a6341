#include "mapping/bottleneck.h"

#include <string.h>

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/cover_search.h"

/* Galloping starts with steps of this fraction of what is open. */
enum { GALLOP_FRACTION = 256 };

/* One test: do b steps suffice? */
typedef struct {
    const scalay_bottleneck *problem;
    int64_t steps;
    scalay_cover needs;       /* covered in this test: what must be, and what has more than b items */
    scalay_matching matching; /* found when they suffice */
} trial;

int64_t scalay_bottleneck_cost(const scalay_bottleneck *problem, int i, int j, int64_t weight)
{
    return scalay_max_int64(problem->held[i], problem->wanted[j]) - weight;
}

void scalay_bottleneck_free(scalay_bottleneck_solution *solution)
{
    scalay_matching_free(&solution->matching);
    scalay_release(solution->crowd);
    *solution = (scalay_bottleneck_solution){0};
}

static int is_out(const scalay_bottleneck *problem, int i)
{
    return problem->row_out != NULL && problem->row_out[i];
}

static int must_row(const scalay_bottleneck *problem, int i)
{
    return problem->must.row != NULL && problem->must.row[i];
}

static int must_col(const scalay_bottleneck *problem, int j)
{
    return problem->must.col != NULL && problem->must.col[j];
}

/* -------------------------------------------------------------------------------------------- crowds */

static scalay_status keep_crowd(const int *crowd, int size, int of_parts, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    int *copy = NULL;
    SCALAY_TRY(SCALAY_NEW(copy, size));
    memcpy(copy, crowd, (size_t)size * sizeof *copy);
    scalay_release(solution->crowd);
    solution->crowd = copy;
    solution->crowd_size = size;
    solution->crowd_of_parts = of_parts;
cleanup:
    return status;
}

/* The least number of steps that gives a crowd hope: one more of its edges may be used, or one member is light enough
 * to go without. INT64_MAX: there is none. */
static scalay_status hope_of_crowd(const trial *test, const scalay_bottleneck_solution *solution, int64_t *hope)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck *problem = test->problem;
    const scalay_edges *edges = problem->edges;
    const int of_parts = solution->crowd_of_parts;
    unsigned char *member = NULL;
    *hope = INT64_MAX;
    SCALAY_TRY(SCALAY_NEW(member, of_parts ? edges->cols : edges->rows));
    for (int k = 0; k < solution->crowd_size; k++) {
        int x = solution->crowd[k];
        member[x] = 1;
        if (of_parts ? !must_col(problem, x) : !must_row(problem, x))
            *hope = scalay_min_int64(*hope, of_parts ? problem->wanted[x] : problem->held[x]);
    }
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            if (!member[of_parts ? edges->col[e] : i]) continue;
            int64_t cost = scalay_bottleneck_cost(problem, i, edges->col[e], edges->weight[e]);
            if (cost > test->steps && cost < *hope) *hope = cost;
        }
cleanup:
    scalay_release(member);
    return status;
}

/* --------------------------------------------------------------------------------------------- trials */

static scalay_status trial_allocate(const scalay_bottleneck *problem, trial *test)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = problem->edges;
    *test = (trial){.problem = problem};
    SCALAY_TRY(SCALAY_NEW(test->needs.row, edges->rows));
    SCALAY_TRY(SCALAY_NEW(test->needs.col, edges->cols));
    SCALAY_TRY(scalay_matching_allocate(edges->rows, edges->cols, &test->matching));
cleanup:
    return status;
}

static void trial_free(trial *test)
{
    scalay_cover_free(&test->needs);
    scalay_matching_free(&test->matching);
}

static int is_useful(const void *context, int64_t edge, int i, int j, int64_t weight)
{
    const trial *test = context;
    (void)edge;
    return (test->needs.row[i] || test->needs.col[j]) &&
           scalay_bottleneck_cost(test->problem, i, j, weight) <= test->steps;
}

static void set_needs(trial *test)
{
    const scalay_bottleneck *problem = test->problem;
    for (int i = 0; i < problem->edges->rows; i++)
        test->needs.row[i] = !is_out(problem, i) && (must_row(problem, i) || problem->held[i] > test->steps);
    for (int j = 0; j < problem->edges->cols; j++)
        test->needs.col[j] = must_col(problem, j) || problem->wanted[j] > test->steps;
}

/* Covers one side; *covered = 0 leaves the crowd that stands in the way in the solution. */
static scalay_status cover_side(trial *test, const scalay_edges *edges, int of_parts, int *covered,
                                scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cover_search search = {0};
    int *rows = of_parts ? test->matching.of_col : test->matching.of_row;
    int *cols = of_parts ? test->matching.of_row : test->matching.of_col;
    SCALAY_TRY(scalay_cover_search_create(edges, rows, cols, of_parts ? test->needs.col : test->needs.row, &search));
    *covered = scalay_cover_search_run(&search);
    if (!*covered) SCALAY_TRY(keep_crowd(search.crowd, search.crowd_size, of_parts, solution));
cleanup:
    scalay_cover_search_free(&search);
    return status;
}

static scalay_status trial_run(trial *test, int64_t steps, int *suffices, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges useful = {0};
    scalay_edges transposed = {0};
    test->steps = steps;
    set_needs(test);
    SCALAY_TRY(scalay_edges_select(test->problem->edges, is_useful, test, &useful));
    SCALAY_TRY(scalay_edges_transpose(&useful, &transposed));
    scalay_matching_clear(&test->matching, useful.rows, useful.cols);
    SCALAY_TRY(cover_side(test, &useful, 0, suffices, solution));
    if (*suffices) SCALAY_TRY(cover_side(test, &transposed, 1, suffices, solution));
cleanup:
    scalay_edges_free(&useful);
    scalay_edges_free(&transposed);
    return status;
}

/* --------------------------------------------------------------------------------------------- bounds */

/* What the matching of a trial really needs: at most test->steps. */
static int64_t steps_of_matching(const trial *test)
{
    const scalay_bottleneck *problem = test->problem;
    const scalay_edges *edges = problem->edges;
    int64_t most = 0;
    for (int i = 0; i < edges->rows; i++) {
        int j = test->matching.of_row[i];
        if (j < 0) most = scalay_max_int64(most, problem->held[i]);
        for (int64_t e = edges->start[i]; j >= 0 && e < edges->start[i + 1]; e++)
            if (edges->col[e] == j)
                most = scalay_max_int64(most, scalay_bottleneck_cost(problem, i, j, edges->weight[e]));
    }
    for (int j = 0; j < edges->cols; j++)
        if (test->matching.of_col[j] < 0) most = scalay_max_int64(most, problem->wanted[j]);
    return most;
}

/* The least that each row and column can cost on its own, into row_least and col_least. */
static void find_least(const scalay_bottleneck *problem, int64_t *row_least, int64_t *col_least)
{
    const scalay_edges *edges = problem->edges;
    for (int j = 0; j < edges->cols; j++) col_least[j] = must_col(problem, j) ? INT64_MAX : problem->wanted[j];
    for (int i = 0; i < edges->rows; i++) {
        row_least[i] = must_row(problem, i) ? INT64_MAX : problem->held[i];
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            int j = edges->col[e];
            int64_t cost = scalay_bottleneck_cost(problem, i, j, edges->weight[e]);
            row_least[i] = scalay_min_int64(row_least[i], cost);
            col_least[j] = scalay_min_int64(col_least[j], cost);
        }
    }
}

static int largest(const int64_t *values, int count)
{
    int best = 0;
    for (int k = 1; k < count; k++)
        if (values[k] > values[best]) best = k;
    return best;
}

/* The largest of those: a lower bound, nearly always the optimum, whose crowd is a single process or part. */
static scalay_status lower_bound(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row_least = NULL;
    int64_t *col_least = NULL;
    SCALAY_TRY(SCALAY_NEW(row_least, problem->edges->rows));
    SCALAY_TRY(SCALAY_NEW(col_least, problem->edges->cols));
    find_least(problem, row_least, col_least);
    int row = largest(row_least, problem->edges->rows);
    int col = largest(col_least, problem->edges->cols);
    int of_parts = col_least[col] > row_least[row];
    solution->steps = of_parts ? col_least[col] : row_least[row];
    SCALAY_TRY(keep_crowd(of_parts ? &col : &row, 1, of_parts, solution));
cleanup:
    scalay_release(row_least);
    scalay_release(col_least);
    return status;
}

/* Steps that always suffice: nobody has more items, no edge costs more. */
static int64_t upper_bound(const scalay_bottleneck *problem)
{
    int64_t most = 0;
    for (int i = 0; i < problem->edges->rows; i++) most = scalay_max_int64(most, problem->held[i]);
    for (int j = 0; j < problem->edges->cols; j++) most = scalay_max_int64(most, problem->wanted[j]);
    return most;
}

/* --------------------------------------------------------------------------------------------- search */

/* Where the search stands: fewer than `low` steps are impossible, `high` suffice (proven once found is set). */
typedef struct {
    int64_t low;
    int64_t high;
    int64_t stride;
    int found;
} range;

static int64_t next_steps(const range *open)
{
    int64_t room = open->high - open->low;
    return open->low + (open->found ? room / 2 : scalay_min_int64(open->stride, room));
}

static void keep_matching(trial *test, scalay_bottleneck_solution *solution)
{
    scalay_matching before = solution->matching;
    solution->matching = test->matching;
    test->matching = before;
}

/* Gallops up from the lower bound, then bisects. Every failure raises `low` to where its crowd has hope again, every
 * success lowers `high` to what its matching really needs. */
static scalay_status narrow(trial *test, range *open, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    int suffices = 0;
    SCALAY_TRY(trial_run(test, next_steps(open), &suffices, solution));
    if (suffices) {
        open->high = steps_of_matching(test);
        open->found = 1;
        keep_matching(test, solution);
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(hope_of_crowd(test, solution, &open->low));
    if (open->low > open->high)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "a crowd of %d has no hope; please report it", solution->crowd_size);
    open->stride = open->stride > 0 ? 2 * open->stride : 1 + (open->high - open->low) / GALLOP_FRACTION;
cleanup:
    return status;
}

scalay_status scalay_bottleneck_solve(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    trial test = {0};
    *solution = (scalay_bottleneck_solution){0};
    SCALAY_TRY(scalay_matching_allocate(problem->edges->rows, problem->edges->cols, &solution->matching));
    SCALAY_TRY(trial_allocate(problem, &test));
    SCALAY_TRY(lower_bound(problem, solution));
    range open = {.low = solution->steps, .high = upper_bound(problem), .stride = 0, .found = 0};
    if (open.low > open.high)
        status = SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "what must be matched has no edge; please report it");
    while (status == SCALAY_SUCCESS && (!open.found || open.low < open.high))
        SCALAY_TRY(narrow(&test, &open, solution));
    solution->steps = open.high;
cleanup:
    trial_free(&test);
    if (status != SCALAY_SUCCESS) scalay_bottleneck_free(solution);
    return status;
}
