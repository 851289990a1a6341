/* POPTA: least time on identical processors (Lastovetsky and Reddy Manumachu 2017; algorithm 1 of 2018).
 *
 * Lines 2 to 4 sort the points to the right of every point, in m lists; one sorted list of all serves, as those up to
 * n / p can be skipped. It does not look for the fewest active processors. */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "published/copies.h"

typedef struct {
    int64_t value;
    int64_t size;
} valued_point;

static int compare_points(const void *a, const void *b)
{
    const valued_point *x = a;
    const valued_point *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

/* The listed sizes by ascending value. */
static scalay_status sort_points(int64_t largest, const int64_t *value, int64_t *points, int64_t **point)
{
    scalay_status status = SCALAY_SUCCESS;
    valued_point *sorted = NULL;
    int64_t count = 0;
    SCALAY_TRY(SCALAY_NEW(sorted, largest));
    for (int64_t x = 1; x <= largest; x++)
        if (value[x] < SCALAY_NO_VALUE) sorted[count++] = (valued_point){value[x], x};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_points);
    SCALAY_TRY(SCALAY_NEW(*point, count));
    for (int64_t k = 0; k < count; k++) (*point)[k] = sorted[k].size;
    *points = count;
cleanup:
    scalay_release(sorted);
    return status;
}

scalay_status scalay_popta(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *rank = NULL;
    int64_t *point = NULL;
    int64_t value = 0;
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    scalay_copies search = {.method = "popta",
                            .n = problem->n,
                            .processors = scalay_min_int64(problem->group[0].multiplicity, problem->n),
                            .largest = problem->group[0].largest,
                            .beyond_even = 1};
    SCALAY_TRY(scalay_time_ranks(&problem->group[0], &rank));
    search.value = rank;
    SCALAY_TRY(sort_points(search.largest, rank, &search.points, &point));
    search.point = point;
    SCALAY_TRY(scalay_copies_solve(&search, &value, distribution));
cleanup:
    scalay_release(rank);
    scalay_release(point);
    return status;
}
