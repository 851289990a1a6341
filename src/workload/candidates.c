/* Candidates for the least time in a binary heap. Only the candidates that a search asks for are sorted. */
#include "workload/candidates.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"

scalay_status scalay_candidates_add(scalay_candidates *candidates, double time)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(candidates->heap, candidates->capacity, candidates->open + 1));
    candidates->heap[candidates->open++] = time;
cleanup:
    return status;
}

static void sift_down(double *heap, int64_t open, int64_t k)
{
    const double time = heap[k];
    for (int64_t child = 2 * k + 1; child < open; child = 2 * k + 1) {
        if (child + 1 < open && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= time) break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = time;
}

void scalay_candidates_close(scalay_candidates *candidates)
{
    for (int64_t k = candidates->open / 2 - 1; k >= 0; k--) sift_down(candidates->heap, candidates->open, k);
}

scalay_status scalay_candidates_reach(scalay_candidates *candidates, int64_t k)
{
    scalay_status status = SCALAY_SUCCESS;
    while (candidates->count <= k && candidates->open > 0) {
        const double time = candidates->heap[0];
        candidates->heap[0] = candidates->heap[--candidates->open];
        if (candidates->open > 0) sift_down(candidates->heap, candidates->open, 0);
        if (candidates->count > 0 && candidates->sorted[candidates->count - 1] == time) continue;
        SCALAY_TRY(SCALAY_GROW(candidates->sorted, candidates->sorted_room, candidates->count + 1));
        candidates->sorted[candidates->count++] = time;
    }
cleanup:
    return status;
}

void scalay_candidates_free(scalay_candidates *candidates)
{
    scalay_release(candidates->heap);
    scalay_release(candidates->sorted);
    *candidates = (scalay_candidates){0};
}

scalay_status scalay_candidates_first(scalay_candidates *candidates, scalay_time_test test, void *context, double *time)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t bad = -1;
    int64_t good = -1;
    *time = INFINITY;
    for (int64_t step = 1; good < 0; step *= 2) {
        int feasible = 0;
        SCALAY_TRY(scalay_candidates_reach(candidates, bad + step));
        const int64_t k = scalay_min_int64(bad + step, candidates->count - 1);
        if (k <= bad) goto cleanup; /* all of them are tested */
        SCALAY_TRY(test(context, candidates->sorted[k], &feasible));
        if (feasible)
            good = k;
        else
            bad = k;
    }
    while (good - bad > 1) {
        const int64_t k = bad + (good - bad) / 2;
        int feasible = 0;
        SCALAY_TRY(test(context, candidates->sorted[k], &feasible));
        if (feasible)
            good = k;
        else
            bad = k;
    }
    *time = candidates->sorted[good];
cleanup:
    return status;
}
