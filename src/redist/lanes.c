#include "redist/lanes.h"

#include <stdlib.h>

#include "base/memory.h"

static const scalay_side *side_of(const scalay_plan_part *part, scalay_side_kind kind)
{
    return kind == SCALAY_SIDE_SOURCE ? &part->source : &part->target;
}

static int compare_peers(const void *left, const void *right)
{
    const int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* All peers of all sides, ascending, each once; the number of them. */
static int64_t collect_peers(const scalay_plan_part *parts, int count, scalay_side_kind kind, int *peers)
{
    int64_t met = 0, kept = 0;
    for (int p = 0; p < count; p++) {
        const scalay_side *side = side_of(&parts[p], kind);
        for (int64_t k = 0; k < side->parcel_count; k++) peers[met++] = side->parcels[k].peer;
    }
    if (count > 1) qsort(peers, (size_t)met, sizeof *peers, compare_peers);
    for (int64_t k = 0; k < met; k++)
        if (kept == 0 || peers[k] != peers[kept - 1]) peers[kept++] = peers[k];
    return kept;
}

/* Peers and parcels both ascend. */
static void add_parcels(const scalay_side *side, size_t size, int part, scalay_lane_list *lanes)
{
    scalay_lane *lane = lanes->lane;
    for (int64_t k = 0; k < side->parcel_count; k++) {
        while (lane->peer != side->parcels[k].peer) lane++;
        lane->parcels[part] = &side->parcels[k];
        lane->bytes += side->parcels[k].elements * (int64_t)size;
    }
}

scalay_status scalay_lanes_create(const scalay_plan_part *parts, int count, scalay_side_kind kind,
                                  scalay_lane_list *lanes)
{
    scalay_status status = SCALAY_SUCCESS;
    int *peers = NULL;
    int64_t most = 0;
    *lanes = (scalay_lane_list){0};
    for (int p = 0; p < count; p++) most += side_of(&parts[p], kind)->parcel_count;
    SCALAY_TRY(SCALAY_NEW(peers, most));
    lanes->count = collect_peers(parts, count, kind, peers);
    SCALAY_TRY(SCALAY_NEW(lanes->lane, lanes->count));
    SCALAY_TRY(SCALAY_NEW(lanes->parcels, lanes->count * count));
    for (int64_t k = 0; k < lanes->count; k++)
        lanes->lane[k] = (scalay_lane){.peer = peers[k], .parcels = lanes->parcels + k * count};
    for (int p = 0; p < count; p++) add_parcels(side_of(&parts[p], kind), parts[p].size, p, lanes);
cleanup:
    scalay_release(peers);
    return status;
}

void scalay_lanes_free(scalay_lane_list *lanes)
{
    scalay_release(lanes->lane);
    scalay_release(lanes->parcels);
    *lanes = (scalay_lane_list){0};
}

int64_t scalay_lanes_bytes(const scalay_lane_list *lanes, int count)
{
    return lanes->count * (int64_t)(sizeof(scalay_lane) + (size_t)count * sizeof(scalay_parcel *));
}
