#include "mapping/bottleneck_trial.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/cover_search.h"

int64_t scalay_bottleneck_cost(const scalay_bottleneck *problem, int i, int j, int64_t weight)
{
    return scalay_max_int64(problem->held[i], problem->wanted[j]) - weight;
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

scalay_status scalay_crowd_keep(const int *member, int size, int of_parts, scalay_crowd *crowd)
{
    scalay_status status = SCALAY_SUCCESS;
    int *copy = NULL;
    SCALAY_TRY(SCALAY_NEW(copy, size));
    memcpy(copy, member, (size_t)size * sizeof *copy);
    scalay_release(crowd->member);
    *crowd = (scalay_crowd){copy, size, of_parts};
cleanup:
    return status;
}

/* The number of steps that gives a crowd hope: one more of its edges may be used, or one member is light enough to go
 * without. INT64_MAX: there is none. */
static scalay_status hope_of_crowd(const scalay_bottleneck_trial *test, int64_t *hope)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *hopes = NULL;
    const scalay_crowd *crowd = &test->crowd;
    SCALAY_TRY(SCALAY_NEW(hopes, crowd->size));
    SCALAY_TRY(
        test->problem->source->hopes(test->problem, test->steps, crowd->of_parts, crowd->member, crowd->size, hopes));
    *hope = hopes[0];
    for (int k = 1; k < crowd->size; k++) *hope = scalay_min_int64(*hope, hopes[k]);
cleanup:
    scalay_release(hopes);
    return status;
}

/* Where columns that need an edge have none, the one with the least hope is a crowd of its own.
 * By the lower bound, rows are never that lonely. */
static scalay_status find_lonely(scalay_bottleneck_trial *test, const scalay_edges *useful)
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
        if (hopes[k] <= test->really) continue;
        test->really = hopes[k];
        SCALAY_TRY(scalay_crowd_keep(&lonely[k], 1, 1, &test->crowd));
    }
cleanup:
    scalay_release(lonely);
    scalay_release(met);
    scalay_release(hopes);
    return status;
}

/* --------------------------------------------------------------------------------------------- trials */

scalay_status scalay_bottleneck_trial_create(const scalay_bottleneck *problem, scalay_bottleneck_trial *test)
{
    scalay_status status = SCALAY_SUCCESS;
    *test = (scalay_bottleneck_trial){.problem = problem};
    SCALAY_TRY(SCALAY_NEW(test->needs.row, problem->rows));
    SCALAY_TRY(SCALAY_NEW(test->needs.col, problem->cols));
    SCALAY_TRY(scalay_matching_allocate(problem->rows, problem->cols, &test->matching));
cleanup:
    return status;
}

void scalay_bottleneck_trial_free(scalay_bottleneck_trial *test)
{
    scalay_cover_free(&test->needs);
    scalay_matching_free(&test->matching);
    scalay_release(test->crowd.member);
}

void scalay_bottleneck_trial_set(scalay_bottleneck_trial *test, int64_t steps)
{
    const scalay_bottleneck *problem = test->problem;
    test->steps = steps;
    for (int i = 0; i < problem->rows; i++)
        test->needs.row[i] = !is_out(problem, i) && (scalay_bottleneck_must(problem, 0, i) || problem->held[i] > steps);
    for (int j = 0; j < problem->cols; j++)
        test->needs.col[j] = scalay_bottleneck_must(problem, 1, j) || problem->wanted[j] > steps;
}

/* Covers one side, or leaves the crowd that stands in the way. */
static scalay_status cover_side(scalay_bottleneck_trial *test, const scalay_edges *edges, int of_parts, int thorough)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cover_search search = {0};
    int *rows = of_parts ? test->matching.of_col : test->matching.of_row;
    int *cols = of_parts ? test->matching.of_row : test->matching.of_col;
    SCALAY_TRY(scalay_cover_search_create(edges, rows, cols, of_parts ? test->needs.col : test->needs.row, &search));
    search.thorough = thorough;
    search.deadline = test->problem->deadline;
    test->suffices = scalay_cover_search_run(&search);
    test->late = search.late;
    if (!test->suffices) SCALAY_TRY(scalay_crowd_keep(search.crowd, search.crowd_size, of_parts, &test->crowd));
cleanup:
    scalay_cover_search_free(&search);
    return status;
}

/* What the matching of a trial really needs: at most test->steps. */
static int64_t steps_of_matching(const scalay_bottleneck_trial *test, const scalay_edges *useful)
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
static scalay_status find_further(const scalay_bottleneck_trial *test, scalay_edges *useful, int *more)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck *problem = test->problem;
    const scalay_crowd *crowd = &test->crowd;
    const int *partner = crowd->of_parts ? test->matching.of_col : test->matching.of_row;
    unsigned char *shunned = NULL;
    SCALAY_TRY(SCALAY_NEW(shunned, crowd->of_parts ? problem->rows : problem->cols));
    for (int k = 0; k < crowd->size; k++)
        if (partner[crowd->member[k]] >= 0) shunned[partner[crowd->member[k]]] = 1;
    SCALAY_TRY(problem->source->further(problem, test->steps, crowd->of_parts, crowd->member, crowd->size, shunned,
                                        useful, more));
cleanup:
    scalay_release(shunned);
    return status;
}

static scalay_status match(scalay_bottleneck_trial *test, scalay_edges *useful)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges by_cols = {0};
    /* Thorough as long as there may be further edges; then the first crowd, which is the smallest, tells more. */
    int thorough = test->problem->source->further != NULL, more = 1;
    scalay_matching_clear(&test->matching, useful->rows, useful->cols);
    for (;;) {
        SCALAY_TRY(cover_side(test, useful, 0, thorough));
        scalay_edges_free(&by_cols);
        if (test->suffices) SCALAY_TRY(scalay_edges_transpose(useful, &by_cols));
        if (test->suffices) SCALAY_TRY(cover_side(test, &by_cols, 1, thorough));
        if (test->suffices || test->late || !thorough) break;
        SCALAY_TRY(find_further(test, useful, &more));
        thorough = more;
    }
    if (test->suffices)
        test->really = steps_of_matching(test, useful);
    else if (!test->late)
        SCALAY_TRY(hope_of_crowd(test, &test->really));
cleanup:
    scalay_edges_free(&by_cols);
    return status;
}

scalay_status scalay_bottleneck_trial_run(scalay_bottleneck_trial *test, int64_t steps)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges useful = {0};
    scalay_bottleneck_trial_set(test, steps);
    test->suffices = 0;
    test->really = steps;
    SCALAY_TRY(test->problem->source->useful(test->problem, steps, &test->needs, &useful));
    SCALAY_TRY(find_lonely(test, &useful));
    if (test->really == steps) SCALAY_TRY(match(test, &useful));
cleanup:
    scalay_edges_free(&useful);
    return status;
}
