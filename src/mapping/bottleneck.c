#include "mapping/bottleneck.h"

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/bottleneck_trial.h"

/* Galloping starts with steps of this fraction of what is open. */
enum { GALLOP_FRACTION = 256 };

void scalay_bottleneck_free(scalay_bottleneck_solution *solution)
{
    scalay_matching_free(&solution->matching);
    scalay_release(solution->crowd.member);
    *solution = (scalay_bottleneck_solution){0};
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
    if (least <= solution->bound) return SCALAY_SUCCESS;
    solution->bound = least;
    SCALAY_TRY(scalay_crowd_keep(&line, 1, of_parts, &solution->crowd));
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
        const int counts = problem->held[i] > solution->bound || scalay_bottleneck_must(problem, 0, i);
        if (counts && !problem->source->row_serves(problem, solution->bound, i))
            SCALAY_TRY(raise_by_line(problem, 0, i, solution));
    }
cleanup:
    return status;
}

int64_t scalay_bottleneck_most_steps(const scalay_bottleneck *problem)
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

/* The matching of a trial becomes the best so far. */
static void take_matching(scalay_bottleneck_trial *test, scalay_bottleneck_solution *solution)
{
    const scalay_matching before = solution->matching;
    solution->matching = test->matching;
    test->matching = before;
}

static void take_crowd(scalay_bottleneck_trial *test, scalay_bottleneck_solution *solution)
{
    const scalay_crowd before = solution->crowd;
    solution->crowd = test->crowd;
    test->crowd = before;
}

/* Once some steps suffice, only edges of no more matter, at rows and columns that are heavier than the lower bound. */
static scalay_status reduce(scalay_bottleneck_trial *test, const range *open, scalay_bottleneck *reduced,
                            scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_trial_set(test, open->low);
    SCALAY_TRY(test->problem->source->useful(test->problem, open->high, &test->needs, edges));
    *reduced = *test->problem;
    reduced->context = edges;
    test->problem = reduced;
cleanup:
    return status;
}

/* Gallops up from the lower bound, then bisects. Every failure raises `low` to where its crowd has hope again, every
 * success lowers `high` to what its matching really needs. */
static scalay_status narrow(scalay_bottleneck_trial *test, range *open, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_bottleneck_trial_run(test, next_steps(open)));
    if (test->suffices || (test->late && !open->found)) take_matching(test, solution);
    if (test->late) return SCALAY_SUCCESS;
    if (test->suffices) {
        open->high = test->really;
        open->found = 1;
        return SCALAY_SUCCESS;
    }
    open->low = test->really;
    take_crowd(test, solution);
    if (open->low > open->high)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "a crowd of %d has no hope; please report it", solution->crowd.size);
    if (solution->crowd.size == 1) return SCALAY_SUCCESS; /* exactly what it needs comes next */
    open->stride = open->stride > 0 ? 2 * open->stride : 1 + (open->high - open->low) / GALLOP_FRACTION;
cleanup:
    return status;
}

static scalay_status search(scalay_bottleneck_trial *test, range *open, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck reduced;
    scalay_edges edges = {0};
    while (!test->late && (!open->found || open->low < open->high)) {
        SCALAY_TRY(narrow(test, open, solution));
        if (open->found && open->low < open->high && edges.start == NULL && test->problem->source->further == NULL)
            SCALAY_TRY(reduce(test, open, &reduced, &edges));
    }
cleanup:
    scalay_edges_free(&edges);
    return status;
}

scalay_status scalay_bottleneck_solve(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_trial test = {0};
    *solution = (scalay_bottleneck_solution){0};
    SCALAY_TRY(scalay_matching_allocate(problem->rows, problem->cols, &solution->matching));
    SCALAY_TRY(scalay_bottleneck_trial_create(problem, &test));
    SCALAY_TRY(lower_bound(problem, solution));
    range open = {.low = solution->bound, .high = scalay_bottleneck_most_steps(problem), .stride = 0, .found = 0};
    if (open.low > open.high)
        status = SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "what must be matched has no edge; please report it");
    if (status == SCALAY_SUCCESS) status = search(&test, &open, solution);
    solution->bound = open.low;
    solution->found = open.found;
    solution->steps = open.found ? open.high : 0;
cleanup:
    scalay_bottleneck_trial_free(&test);
    if (status != SCALAY_SUCCESS) scalay_bottleneck_free(solution);
    return status;
}
