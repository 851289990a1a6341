/* What is mapped. */
#include <stdlib.h>

#include "core/random.h"
#include "mapping_runs.h"

/* Entries on the way to a traffic matrix. */
typedef struct {
    int64_t count;
    int *process;
    int *part;
    int64_t *items;
} entry_list;

static entry_list entries_of(int64_t most)
{
    return (entry_list){0, mapping_room(most, sizeof(int)), mapping_room(most, sizeof(int)),
                        mapping_room(most, sizeof(int64_t))};
}

static void append(entry_list *list, int process, int part, int64_t items)
{
    list->process[list->count] = process;
    list->part[list->count] = part;
    list->items[list->count++] = items;
}

static scalay_traffic *traffic_of(int extent, entry_list *list)
{
    scalay_traffic *traffic = NULL;
    mapping_must(
        scalay_traffic_from_entries(extent, extent, list->count, list->process, list->part, list->items, &traffic));
    free(list->process);
    free(list->part);
    free(list->items);
    return traffic;
}

scalay_traffic *mapping_uniform(int extent, int64_t most, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    entry_list list = entries_of((int64_t)extent * extent);
    for (int i = 0; i < extent; i++)
        for (int j = 0; j < extent; j++) append(&list, i, j, 1 + scalay_random_below(&random, most));
    return traffic_of(extent, &list);
}

scalay_traffic *mapping_multinomial(int extent, int each, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    entry_list list = entries_of((int64_t)extent * extent);
    for (int i = 0; i < extent; i++) {
        const int64_t row = (int64_t)i * extent;
        for (int j = 0; j < extent; j++) append(&list, i, j, 0);
        for (int64_t k = (int64_t)each * extent; k > 0; k--) list.items[row + scalay_random_below(&random, extent)]++;
    }
    return traffic_of(extent, &list);
}

scalay_traffic *mapping_scattered(int extent, int each, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    entry_list list = entries_of((int64_t)extent * each);
    for (int j = 0; j < extent; j++)
        for (int k = 0; k < each; k++) append(&list, (int)scalay_random_below(&random, extent), j, 1);
    return traffic_of(extent, &list);
}

scalay_traffic *mapping_balanced(int extent, int each, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    const int64_t count = (int64_t)extent * each;
    entry_list list = entries_of(count);
    for (int64_t k = 0; k < count; k++) append(&list, (int)(k / each), (int)(k / each), 1);
    for (int64_t k = count - 1; k > 0; k--) {
        const int64_t other = scalay_random_below(&random, k + 1);
        const int part = list.part[k];
        list.part[k] = list.part[other];
        list.part[other] = part;
    }
    return traffic_of(extent, &list);
}

void mapping_layouts(const mapping_grids *grids, scalay_layout **source, scalay_layout **target)
{
    const int64_t extent = MAPPING_GRID_EXTENT;
    mapping_must(scalay_layout_block_cyclic(extent, extent, grids->mb, grids->nb, grids->rows, grids->cols, 0, 0,
                                            SCALAY_ROW_MAJOR, source));
    mapping_must(scalay_layout_block_cyclic(extent, extent, grids->to_mb, grids->to_nb, grids->to_rows, grids->to_cols,
                                            0, 0, SCALAY_ROW_MAJOR, target));
}

scalay_traffic *mapping_grid_traffic(const mapping_grids *grids)
{
    scalay_traffic *traffic = NULL;
    scalay_layout *source = NULL, *target = NULL;
    mapping_layouts(grids, &source, &target);
    mapping_must(scalay_traffic_create(source, target, &traffic));
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return traffic;
}
