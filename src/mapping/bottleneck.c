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
    scalay_cover needs; /* covered in this test: what must be, and what has more than b items */
    int suffices;
    int64_t really; /* if so, what the matching really needs; otherwise, the least that the crowd leaves hope for */
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

int scalay_bottleneck_must(const scalay_bottleneck *problem, int of_parts, int line)
{
    const unsigned char *must = of_parts ? problem->must.col : problem->must.row;
    return must != NULL && must[line];
}

int64_t scalay_bottleneck_alone(const scalay_bottleneck *problem, int of_parts, int line)
{
    if (scalay_bottleneck_must(problem, of_parts, line)) return INT64_MAX;
    return of_parts ? problem->wanted[line] : problem->held[line];
}

static int is_out(const scalay_bottleneck *problem, int i)
{
    return problem->row_out != NULL && problem->row_out[i];
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

/* The number of steps that gives a crowd hope: one more of its edges may be used, or one member is light enough to go
 * without. INT64_MAX: there is none. */
static scalay_status hope_of_crowd(const trial *test, const scalay_bottleneck_solution *solution, int64_t *hope)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *hopes = NULL;
    SCALAY_TRY(SCALAY_NEW(hopes, solution->crowd_size));
    SCALAY_TRY(test->problem->source->hopes(test->problem, test->steps, solution->crowd_of_parts, solution->crowd,
                                            solution->crowd_size, hopes));
    *hope = hopes[0];
    for (int k = 1; k < solution->crowd_size; k++) *hope = scalay_min_int64(*hope, hopes[k]);
cleanup:
    scalay_release(hopes);
    return status;
}

/* Where columns that need an edge have none, the one with the least hope is a crowd of its own. *hope is raised to its.
 * By the lower bound, rows are never that lonely. */
static scalay_status find_lonely(const trial *test, const scalay_edges *useful, int64_t *hope,
                                 scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    int *lonely = NULL;
    int64_t *hopes = NULL;
    unsigned char *met = NULL;
    int count = 0;
    SCALAY_TRY(SCALAY_NEW(lonely, useful->cols));
    SCALAY_TRY(SCALAY_NEW(met, useful->cols));
    for (int64_t e = 0; e < useful->start[useful->rows]; e++) met[useful->col[e]] = 1;
    for (int j = 0; j < useful->cols; j++)
        if (test->needs.col[j] && !met[j]) lonely[count++] = j;
    SCALAY_TRY(SCALAY_NEW(hopes, count));
    if (count > 0) SCALAY_TRY(test->problem->source->hopes(test->problem, test->steps, 1, lonely, count, hopes));
    for (int k = 0; k < count; k++) {
        if (hopes[k] <= *hope) continue;
        *hope = hopes[k];
        SCALAY_TRY(keep_crowd(&lonely[k], 1, 1, solution));
    }
cleanup:
    scalay_release(lonely);
    scalay_release(met);
    scalay_release(hopes);
    return status;
}

/* --------------------------------------------------------------------------------------------- trials */

static scalay_status trial_allocate(const scalay_bottleneck *problem, trial *test)
{
    scalay_status status = SCALAY_SUCCESS;
    *test = (trial){.problem = problem};
    SCALAY_TRY(SCALAY_NEW(test->needs.row, problem->rows));
    SCALAY_TRY(SCALAY_NEW(test->needs.col, problem->cols));
    SCALAY_TRY(scalay_matching_allocate(problem->rows, problem->cols, &test->matching));
cleanup:
    return status;
}

static void trial_free(trial *test)
{
    scalay_cover_free(&test->needs);
    scalay_matching_free(&test->matching);
}

static void set_needs(trial *test)
{
    const scalay_bottleneck *problem = test->problem;
    for (int i = 0; i < problem->rows; i++)
        test->needs.row[i] =
            !is_out(problem, i) && (scalay_bottleneck_must(problem, 0, i) || problem->held[i] > test->steps);
    for (int j = 0; j < problem->cols; j++)
        test->needs.col[j] = scalay_bottleneck_must(problem, 1, j) || problem->wanted[j] > test->steps;
}

/* Covers one side, or leaves the crowd that stands in the way in the solution. */
static scalay_status cover_side(trial *test, const scalay_edges *edges, int of_parts, int thorough,
                                scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cover_search search = {0};
    int *rows = of_parts ? test->matching.of_col : test->matching.of_row;
    int *cols = of_parts ? test->matching.of_row : test->matching.of_col;
    SCALAY_TRY(scalay_cover_search_create(edges, rows, cols, of_parts ? test->needs.col : test->needs.row, &search));
    search.thorough = thorough;
    test->suffices = scalay_cover_search_run(&search);
    if (!test->suffices) SCALAY_TRY(keep_crowd(search.crowd, search.crowd_size, of_parts, solution));
cleanup:
    scalay_cover_search_free(&search);
    return status;
}

/* What the matching of a trial really needs: at most test->steps. */
static int64_t steps_of_matching(const trial *test, const scalay_edges *useful)
{
    const scalay_bottleneck *problem = test->problem;
    int64_t most = 0;
    for (int i = 0; i < useful->rows; i++) {
        const int j = test->matching.of_row[i];
        if (j < 0) most = scalay_max_int64(most, problem->held[i]);
        for (int64_t e = useful->start[i]; j >= 0 && e < useful->start[i + 1]; e++)
            if (useful->col[e] == j)
                most = scalay_max_int64(most, scalay_bottleneck_cost(problem, i, j, useful->weight[e]));
    }
    for (int j = 0; j < useful->cols; j++)
        if (test->matching.of_col[j] < 0) most = scalay_max_int64(most, problem->wanted[j]);
    return most;
}

/* Where not all useful edges have been found: more of those by which the crowd may leave its partners. */
static scalay_status find_further(trial *test, const scalay_bottleneck_solution *solution, scalay_edges *useful,
                                  int *more)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck *problem = test->problem;
    const int of_parts = solution->crowd_of_parts;
    const int *partner = of_parts ? test->matching.of_col : test->matching.of_row;
    unsigned char *shunned = NULL;
    SCALAY_TRY(SCALAY_NEW(shunned, of_parts ? problem->rows : problem->cols));
    for (int k = 0; k < solution->crowd_size; k++)
        if (partner[solution->crowd[k]] >= 0) shunned[partner[solution->crowd[k]]] = 1;
    SCALAY_TRY(problem->source->further(problem, test->steps, of_parts, solution->crowd, solution->crowd_size, shunned,
                                        useful, more));
cleanup:
    scalay_release(shunned);
    return status;
}

static scalay_status match(trial *test, scalay_edges *useful, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges by_cols = {0};
    /* Thorough as long as there may be further edges; then the first crowd, which is the smallest, tells more. */
    int thorough = test->problem->source->further != NULL, more = 1;
    scalay_matching_clear(&test->matching, useful->rows, useful->cols);
    for (;;) {
        SCALAY_TRY(cover_side(test, useful, 0, thorough, solution));
        scalay_edges_free(&by_cols);
        if (test->suffices) SCALAY_TRY(scalay_edges_transpose(useful, &by_cols));
        if (test->suffices) SCALAY_TRY(cover_side(test, &by_cols, 1, thorough, solution));
        if (test->suffices || !thorough) break;
        SCALAY_TRY(find_further(test, solution, useful, &more));
        thorough = more;
    }
    if (test->suffices)
        test->really = steps_of_matching(test, useful);
    else
        SCALAY_TRY(hope_of_crowd(test, solution, &test->really));
cleanup:
    scalay_edges_free(&by_cols);
    return status;
}

/* Do so many steps suffice? Leaves the matching in the trial, or the crowd that stands in the way in the solution. */
static scalay_status trial_run(trial *test, int64_t steps, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges useful = {0};
    test->steps = steps;
    test->suffices = 0;
    test->really = steps;
    set_needs(test);
    SCALAY_TRY(test->problem->source->useful(test->problem, steps, &test->needs, &useful));
    SCALAY_TRY(find_lonely(test, &useful, &test->really, solution));
    if (test->really == steps) SCALAY_TRY(match(test, &useful, solution));
cleanup:
    scalay_edges_free(&useful);
    return status;
}

/* --------------------------------------------------------------------------------------------- bounds */

static int heaviest(const int64_t *items, int count)
{
    int best = 0;
    for (int k = 1; k < count; k++)
        if (items[k] > items[best]) best = k;
    return best;
}

/* Raises the lower bound to what a row (column) needs on its own. */
static scalay_status raise_by_line(const scalay_bottleneck *problem, int of_parts, int line,
                                   scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t least = 0;
    SCALAY_TRY(problem->source->hopes(problem, -1, of_parts, &line, 1, &least));
    if (least <= solution->steps) return SCALAY_SUCCESS;
    solution->steps = least;
    SCALAY_TRY(keep_crowd(&line, 1, of_parts, solution));
cleanup:
    return status;
}

/* What the rows need, each on its own, and the heaviest column: a lower bound, whose crowd is a single process or part.
 * After the heaviest row most others no longer count. The trial that follows does the same for all columns. */
static scalay_status lower_bound(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rows = problem->rows;
    SCALAY_TRY(raise_by_line(problem, 0, heaviest(problem->held, rows), solution));
    SCALAY_TRY(raise_by_line(problem, 1, heaviest(problem->wanted, problem->cols), solution));
    for (int i = 0; i < rows; i++) {
        const int counts = problem->held[i] > solution->steps || scalay_bottleneck_must(problem, 0, i);
        if (counts && !problem->source->row_serves(problem, solution->steps, i))
            SCALAY_TRY(raise_by_line(problem, 0, i, solution));
    }
cleanup:
    return status;
}

/* Steps that always suffice: nobody has more items, no edge costs more. */
static int64_t upper_bound(const scalay_bottleneck *problem)
{
    int64_t most = 0;
    for (int i = 0; i < problem->rows; i++) most = scalay_max_int64(most, problem->held[i]);
    for (int j = 0; j < problem->cols; j++) most = scalay_max_int64(most, problem->wanted[j]);
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

/* Once some steps suffice, only edges of no more matter, at rows and columns that are heavier than the lower bound. */
static scalay_status reduce(trial *test, const range *open, scalay_bottleneck *reduced, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    test->steps = open->low;
    set_needs(test);
    SCALAY_TRY(test->problem->source->useful(test->problem, open->high, &test->needs, edges));
    *reduced = *test->problem;
    reduced->context = edges;
    test->problem = reduced;
cleanup:
    return status;
}

/* Gallops up from the lower bound, then bisects. Every failure raises `low` to where its crowd has hope again, every
 * success lowers `high` to what its matching really needs. */
static scalay_status narrow(trial *test, range *open, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(trial_run(test, next_steps(open), solution));
    if (test->suffices) {
        open->high = test->really;
        open->found = 1;
        keep_matching(test, solution);
        return SCALAY_SUCCESS;
    }
    open->low = test->really;
    if (open->low > open->high)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "a crowd of %d has no hope; please report it", solution->crowd_size);
    if (solution->crowd_size == 1) return SCALAY_SUCCESS; /* exactly what it needs comes next */
    open->stride = open->stride > 0 ? 2 * open->stride : 1 + (open->high - open->low) / GALLOP_FRACTION;
cleanup:
    return status;
}

scalay_status scalay_bottleneck_solve(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    trial test = {0};
    scalay_bottleneck reduced;
    scalay_edges edges = {0};
    *solution = (scalay_bottleneck_solution){0};
    SCALAY_TRY(scalay_matching_allocate(problem->rows, problem->cols, &solution->matching));
    SCALAY_TRY(trial_allocate(problem, &test));
    SCALAY_TRY(lower_bound(problem, solution));
    range open = {.low = solution->steps, .high = upper_bound(problem), .stride = 0, .found = 0};
    if (open.low > open.high)
        status = SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "what must be matched has no edge; please report it");
    while (status == SCALAY_SUCCESS && (!open.found || open.low < open.high)) {
        SCALAY_TRY(narrow(&test, &open, solution));
        if (open.found && open.low < open.high && edges.start == NULL && problem->source->further == NULL)
            SCALAY_TRY(reduce(&test, &open, &reduced, &edges));
    }
    solution->steps = open.high;
cleanup:
    scalay_edges_free(&edges);
    trial_free(&test);
    if (status != SCALAY_SUCCESS) scalay_bottleneck_free(solution);
    return status;
}
