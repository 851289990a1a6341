/* Targets of moved calls that are kept between calls. */
#include "dropin/moved_target.h"

#include <mpi.h>
#include <stdlib.h>

#include "dropin/plan_cache.h"
#include "scalay/context.h"
#include "scalay/layout.h"

scalay_moved_target *scalay_moved_target_find(scalay_plan_cache *cache, uint64_t key, uint64_t source)
{
    for (int k = 0; k < SCALAY_MAX_TARGETS; k++) {
        scalay_moved_target *target = cache->targets[k];
        if (target == NULL || target->key != key) continue;
        int fits = target->source == source;
        MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, scalay_comm_handle(cache->comm));
        target->used = cache->used;
        if (fits) return target;
        scalay_moved_target_destroy(target);
        cache->targets[k] = NULL;
    }
    return NULL;
}

void scalay_moved_target_keep(scalay_plan_cache *cache, scalay_moved_target *target)
{
    int oldest = 0;
    if (cache->capacity == 0 || target->is_kept) return;
    for (int k = 1; k < SCALAY_MAX_TARGETS; k++) {
        const scalay_moved_target *best = cache->targets[oldest], *next = cache->targets[k];
        if (best != NULL && (next == NULL || next->used < best->used)) oldest = k;
    }
    scalay_moved_target_destroy(cache->targets[oldest]);
    cache->targets[oldest] = target;
    target->used = cache->used;
    target->is_kept = 1;
}

void scalay_moved_target_destroy(scalay_moved_target *target)
{
    if (target == NULL) return;
    for (int k = 0; k < SCALAY_MAX_MATRICES; k++) {
        scalay_target_matrix *m = &target->matrix[k];
        scalay_plan_destroy(&m->plan);
        if (m->desc[DTYPE_] != 0) (void)scalay_grid_release(target->comm, &m->ctxt);
        scalay_layout_destroy(&m->layout);
    }
    scalay_mapping_destroy(&target->mapping);
    scalay_solve_destroy(&target->solve);
    free(target->pivots);
    free(target);
}
