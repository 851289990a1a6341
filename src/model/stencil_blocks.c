#include "base/integer.h"
#include "base/memory.h"
#include "model/stencil.h"
#include "scalay/mapping.h"

/*
 * Partitions of the circle into k blocks of consecutive items, as equal as can be, mapped so that as little as possible
 * moves. With fewer blocks than processes less is exchanged and more computed: k* = sqrt(N tau_calc / (2 tau_comm)) is
 * best in the volume model when the redistribution does not count. Where the blocks begin decides what they keep.
 */

enum {
    ROTATIONS = 8,   /* first items that are tried for each k */
    EVERY_COUNT = 64 /* up to so many blocks every k is tried, above about every eighth */
};

/* Runs and blocks that all partitions together may look at. */
static const int64_t most_work = 40000000;

typedef struct {
    int64_t blocks;
    int64_t offset; /* of the first block, less than the shortest block's items */
} block_partition;

/* The first item of block j: block j = floor(i k / n). */
static int64_t block_start(int64_t n, int64_t k, int64_t j)
{
    return n / k * j + scalay_ceil_div(n % k * j, k);
}

/* The blocks as runs of owner process[j]; NULL: j. */
static scalay_status make_blocks(int64_t n, block_partition blocks, const int *process, scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t last = blocks.blocks - 1;
    runs->runs = 0;
    runs->n = n;
    if (blocks.offset > 0) SCALAY_TRY(scalay_item_runs_append(runs, 0, process != NULL ? process[last] : (int)last));
    for (int64_t j = 0; j <= last; j++) {
        const int64_t first = block_start(n, blocks.blocks, j);
        if (first < (j < last ? block_start(n, blocks.blocks, j + 1) : n))
            SCALAY_TRY(scalay_item_runs_append(runs, blocks.offset + first, process != NULL ? process[j] : (int)j));
    }
cleanup:
    return status;
}

/* What process i holds of block j; `entry` and `items` have room for the runs of both. */
static scalay_status block_traffic(const scalay_stencil_decision *decision, const scalay_item_runs *blocks,
                                   int64_t parts, int *from, int *part, int64_t *items, scalay_traffic **traffic)
{
    const scalay_item_runs *initial = &decision->initial;
    int64_t count = 0, i = 0, item = 0;
    for (int64_t r = 0; r < blocks->runs; r++)
        while (item < scalay_item_runs_end(blocks, r)) {
            const int64_t end = scalay_min_int64(scalay_item_runs_end(blocks, r), scalay_item_runs_end(initial, i));
            from[count] = initial->owner[i];
            part[count] = blocks->owner[r];
            items[count++] = end - item;
            item = end;
            if (item == scalay_item_runs_end(initial, i)) i++;
        }
    return scalay_traffic_from_entries(decision->tally.processes, (int)parts, count, from, part, items, traffic);
}

/* Arrays to work with. */
typedef struct {
    int *from;
    int *part;
    int64_t *items;
    scalay_item_runs blocks;
    scalay_item_runs runs; /* the result */
} block_room;

static scalay_status map_blocks(const scalay_stencil_decision *decision, block_partition partition,
                                scalay_objective objective, block_room *room)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = decision->tally.processes;
    SCALAY_TRY(make_blocks(decision->initial.n, partition, NULL, &room->blocks));
    SCALAY_TRY(block_traffic(decision, &room->blocks, partition.blocks, room->from, room->part, room->items, &traffic));
    SCALAY_TRY(scalay_mapping_from_traffic(traffic, objective, &options, &mapping));
    SCALAY_TRY(make_blocks(decision->initial.n, partition, scalay_mapping_process(mapping), &room->runs));
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    return status;
}

static scalay_status add_mapped(scalay_stencil_decision *decision, const char *name, scalay_objective objective,
                                block_room *room)
{
    scalay_status status = SCALAY_SUCCESS;
    const block_partition canonical = {decision->tally.processes, 0};
    SCALAY_TRY(map_blocks(decision, canonical, objective, room));
    SCALAY_TRY(scalay_stencil_add_option(decision, name, &room->runs));
cleanup:
    return status;
}

/* The next number of blocks to try. */
static int64_t next_count(int64_t k)
{
    return k < EVERY_COUNT ? k + 1 : k + k / 8;
}

/* How many first items to try, so that all of it stays within the work. */
static int64_t rotations(const scalay_stencil_decision *decision, int64_t most)
{
    int64_t work = 0;
    for (int64_t k = 1; k <= most; k = next_count(k)) work += decision->initial.runs + 4 * k;
    return scalay_max_int64(1, scalay_min_int64(ROTATIONS, most_work / (work + 1)));
}

/* The best of the partitions into blocks is a candidate, and good ones are places to start from. */
static scalay_status add_best(scalay_stencil_decision *decision, block_room *room)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_item_runs best = {0};
    double least = 0.0;
    const int64_t n = decision->initial.n, most = scalay_min_int64(n, decision->tally.processes);
    const int64_t turns = rotations(decision, most);
    const scalay_objective objective =
        decision->problem.model == SCALAY_STENCIL_VOLUME ? SCALAY_MIN_VOLUME : SCALAY_MIN_STEPS_THEN_VOLUME;
    for (int64_t k = 1; k <= most; k = next_count(k))
        for (int64_t turn = 0; turn < (k > 1 ? turns : 1); turn++) {
            const block_partition partition = {k, (n / k) / turns * turn + (n / k) % turns * turn / turns};
            if (turn > 0 && partition.offset == 0) continue;
            SCALAY_TRY(map_blocks(decision, partition, objective, room));
            SCALAY_TRY(scalay_stencil_offer(decision, &room->runs));
            const double seconds = scalay_stencil_evaluate(decision, &room->runs).seconds;
            if (best.runs > 0 && seconds >= least) continue;
            SCALAY_TRY(scalay_item_runs_copy(&room->runs, &best));
            least = seconds;
        }
    SCALAY_TRY(scalay_stencil_add_option(decision, "blocks", &best));
cleanup:
    scalay_item_runs_free(&best);
    return status;
}

static scalay_status add_all(scalay_stencil_decision *decision, block_room *room)
{
    scalay_status status = SCALAY_SUCCESS;
    const block_partition canonical = {decision->tally.processes, 0};
    const int64_t most = decision->initial.runs + decision->tally.processes + 1;
    SCALAY_TRY(SCALAY_NEW(room->from, most));
    SCALAY_TRY(SCALAY_NEW(room->part, most));
    SCALAY_TRY(SCALAY_NEW(room->items, most));
    SCALAY_TRY(scalay_stencil_add_option(decision, "owner", &decision->initial));
    SCALAY_TRY(make_blocks(decision->initial.n, canonical, NULL, &room->runs));
    SCALAY_TRY(scalay_stencil_add_option(decision, "canonical", &room->runs));
    SCALAY_TRY(add_mapped(decision, "volume", SCALAY_MIN_VOLUME, room));
    SCALAY_TRY(add_mapped(decision, "steps", SCALAY_MIN_STEPS_THEN_VOLUME, room));
    if (decision->initial.n > 0) SCALAY_TRY(add_best(decision, room));
cleanup:
    return status;
}

scalay_status scalay_stencil_add_blocks(scalay_stencil_decision *decision)
{
    block_room room = {0};
    scalay_status status = add_all(decision, &room);
    scalay_item_runs_free(&room.runs);
    scalay_item_runs_free(&room.blocks);
    scalay_release(room.items);
    scalay_release(room.part);
    scalay_release(room.from);
    return status;
}
