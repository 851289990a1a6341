#include "partition/shares.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Smaller areas than this are drawn as if they were this large: nobody can tell, and nothing underflows. */
static const double least_share = 1e-100;

typedef struct {
    double area;
    int part;
} sized_part;

static int by_descending_area(const void *left, const void *right)
{
    const sized_part *a = left;
    const sized_part *b = right;
    if (a->area != b->area) return a->area < b->area ? 1 : -1;
    return (a->part > b->part) - (a->part < b->part);
}

/* Summed up from the smallest, so that even the tails of very skewed areas are exact to a few units. */
static void fill(const sized_part *sized, scalay_shares *shares)
{
    const int parts = shares->parts;
    double total = 0.0;
    for (int k = parts - 1; k >= 0; k--) total += sized[k].area;
    for (int k = parts - 1; k >= 0; k--) {
        shares->part[k] = sized[k].part;
        shares->share[k] = fmax(sized[k].area / total, least_share);
        shares->side[k] = sqrt(shares->share[k]);
        shares->tail[k] = shares->tail[k + 1] + shares->share[k];
    }
}

scalay_status scalay_shares_create(const scalay_partition_problem *problem, scalay_shares *shares)
{
    scalay_status status = SCALAY_SUCCESS;
    sized_part *sized = NULL;
    *shares = (scalay_shares){.parts = problem->parts,
                              .rows = sqrt(problem->m / problem->n),
                              .cols = sqrt(problem->n / problem->m),
                              .unit = sqrt(problem->m) * sqrt(problem->n),
                              .weight = problem->n * sqrt(problem->m) * sqrt(problem->n)};
    SCALAY_TRY(SCALAY_NEW(sized, problem->parts));
    SCALAY_TRY(SCALAY_NEW(shares->part, problem->parts));
    SCALAY_TRY(SCALAY_NEW(shares->share, problem->parts));
    SCALAY_TRY(SCALAY_NEW(shares->side, problem->parts));
    SCALAY_TRY(SCALAY_NEW(shares->tail, (int64_t)problem->parts + 1));
    for (int k = 0; k < problem->parts; k++) sized[k] = (sized_part){problem->area[k], k};
    qsort(sized, (size_t)problem->parts, sizeof *sized, by_descending_area);
    fill(sized, shares);
cleanup:
    scalay_release(sized);
    if (status != SCALAY_SUCCESS) scalay_shares_free(shares);
    return status;
}

void scalay_shares_free(scalay_shares *shares)
{
    scalay_release(shares->part);
    scalay_release(shares->share);
    scalay_release(shares->side);
    scalay_release(shares->tail);
    *shares = (scalay_shares){0};
}

double scalay_shares_sum(const scalay_shares *shares, int first, int last)
{
    return shares->tail[first] - shares->tail[last];
}
