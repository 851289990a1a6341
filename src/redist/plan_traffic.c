#include "redist/plan_traffic.h"

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"

int64_t scalay_lane_elements(int matrices, const scalay_lane *lane)
{
    int64_t elements = 0;
    for (int k = 0; k < matrices; k++)
        if (lane->parcels[k] != NULL) elements += lane->parcels[k]->elements;
    return elements;
}

/* The lanes of all ranks: process, part and items of each, part k on process k. */
typedef struct {
    int64_t count;
    int64_t *numbers; /* shape [count][3]: as they travel */
    int *counts;      /* shape [ranks]: numbers that come from each */
    int *starts;
    int *process; /* shape [count], likewise the next two */
    int *part;
    int64_t *items;
} entry_list;

static void free_entries(entry_list *entries)
{
    scalay_release(entries->numbers);
    scalay_release(entries->counts);
    scalay_release(entries->starts);
    scalay_release(entries->process);
    scalay_release(entries->part);
    scalay_release(entries->items);
}

static scalay_status new_counts(int ranks, entry_list *entries)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(entries->counts, ranks));
    SCALAY_TRY(SCALAY_NEW(entries->starts, ranks));
cleanup:
    return status;
}

/* Room for everybody's; the rank's own are there already. */
static scalay_status new_entries(const scalay_plan *plan, entry_list *entries)
{
    scalay_status status = SCALAY_SUCCESS;
    int narrow = 0;
    for (int rank = 0; rank < plan->comm->size; rank++) {
        entries->starts[rank] = (int)(3 * entries->count);
        entries->count += entries->counts[rank] / 3;
        SCALAY_TRY(scalay_to_int(3 * entries->count, "scalay_plan_create", "3 x number of messages", &narrow));
    }
    SCALAY_TRY(SCALAY_NEW(entries->numbers, 3 * entries->count));
    SCALAY_TRY(SCALAY_NEW(entries->process, entries->count));
    SCALAY_TRY(SCALAY_NEW(entries->part, entries->count));
    SCALAY_TRY(SCALAY_NEW(entries->items, entries->count));
    int64_t *at = entries->numbers + entries->starts[plan->comm->rank];
    for (int64_t k = 0; k < plan->source.count; k++) {
        *at++ = plan->comm->rank;
        *at++ = plan->source.lane[k].peer;
        *at++ = scalay_lane_elements(plan->count, &plan->source.lane[k]);
    }
cleanup:
    return status;
}

static scalay_status gather_entries(const scalay_plan *plan, entry_list *entries)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_comm *comm = plan->comm;
    const int mine = (int)(3 * plan->source.count); /* at most one lane per rank */
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_counts(comm->size, entries)));
    SCALAY_TRY_MPI(MPI_Allgather(&mine, 1, MPI_INT, entries->counts, 1, MPI_INT, comm->mpi));
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_entries(plan, entries)));
    SCALAY_TRY_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, entries->numbers, entries->counts,
                                  entries->starts, MPI_INT64_T, comm->mpi));
    for (int64_t k = 0; k < entries->count; k++) {
        entries->process[k] = (int)entries->numbers[3 * k];
        entries->part[k] = (int)entries->numbers[3 * k + 1];
        entries->items[k] = entries->numbers[3 * k + 2];
    }
cleanup:
    return status;
}

scalay_status scalay_plan_gather_traffic(const scalay_plan *plan, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list entries = {0};
    const int size = plan->comm->size;
    *traffic = NULL;
    SCALAY_TRY(gather_entries(plan, &entries));
    SCALAY_TRY(scalay_comm_agree(plan->comm, scalay_traffic_from_entries(size, size, entries.count, entries.process,
                                                                         entries.part, entries.items, traffic)));
cleanup:
    free_entries(&entries);
    return status;
}
