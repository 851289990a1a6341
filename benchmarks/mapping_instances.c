/* What is mapped. */
#include <stdlib.h>

#include "../tests/summaries.h"
#include "base/random.h"
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

scalay_traffic *mapping_weighted(int extent, int each, int64_t most, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    entry_list list = entries_of((int64_t)extent * each);
    for (int j = 0; j < extent; j++)
        for (int k = 0; k < each; k++)
            append(&list, (int)scalay_random_below(&random, extent), j, 1 + scalay_random_below(&random, most));
    return traffic_of(extent, &list);
}

scalay_traffic *mapping_noisy(int extent, uint64_t seed)
{
    enum { WEIGHTS = 100000, NOISE = 1000000 };
    scalay_random random = scalay_random_seed(seed);
    entry_list list = entries_of((int64_t)extent * extent);
    int64_t *weight = mapping_room(2 * (int64_t)extent, sizeof *weight);
    for (int k = 0; k < 2 * extent; k++) weight[k] = scalay_random_below(&random, WEIGHTS);
    for (int i = 0; i < extent; i++)
        for (int j = 0; j < extent; j++)
            append(&list, i, j, weight[i] * weight[extent + j] + scalay_random_below(&random, NOISE));
    free(weight);
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

/* ---------------------------------------------------------------------------------------------- instances */

void mapping_with_budget(const char *name, scalay_traffic *traffic, double budget, mapping_comparison compare,
                         const mapping_settings *settings)
{
    const mapping_instance given = {.name = name,
                                    .traffic = traffic,
                                    .items = traffic_summary(traffic).elements,
                                    .objective = SCALAY_MIN_VOLUME,
                                    .budget = budget};
    compare(&given, settings);
    scalay_traffic_destroy(&traffic);
}

void mapping_with_traffic(const char *name, scalay_traffic *traffic, mapping_comparison compare,
                          const mapping_settings *settings)
{
    mapping_with_budget(name, traffic, 0.0, compare, settings);
}

void mapping_with_grids(const char *name, const mapping_grids *grids, int has_traffic, double budget,
                        mapping_comparison compare, const mapping_settings *settings)
{
    const int64_t extent = grids->extent > 0 ? grids->extent : 1000000;
    scalay_traffic *traffic = NULL;
    scalay_layout *source = NULL, *target = NULL;
    mapping_must(scalay_layout_block_cyclic(extent, extent, grids->mb, grids->nb, grids->rows, grids->cols, 0, 0,
                                            SCALAY_ROW_MAJOR, &source));
    mapping_must(scalay_layout_block_cyclic(extent, extent, grids->to_mb, grids->to_nb, grids->to_rows, grids->to_cols,
                                            0, 0, SCALAY_ROW_MAJOR, &target));
    if (has_traffic) mapping_must(scalay_traffic_create(source, target, &traffic));
    const mapping_instance given = {name, traffic, source, target, extent * extent, SCALAY_MIN_VOLUME, budget};
    compare(&given, settings);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

static double solve(const mapping_instance *given, scalay_mapping **mapping)
{
    scalay_mapping_options options = scalay_mapping_options_default();
    options.budget_seconds = given->budget;
    const double start = mapping_now();
    if (given->source != NULL)
        mapping_must(scalay_mapping_create(given->source, given->target, given->objective, &options, mapping));
    else
        mapping_must(scalay_mapping_from_traffic(given->traffic, given->objective, &options, mapping));
    return mapping_now() - start;
}

double mapping_ours(const void *instance, int64_t *value)
{
    scalay_mapping *mapping = NULL;
    const double seconds = solve(instance, &mapping);
    value[0] = mapping_summary(mapping).volume;
    value[1] = mapping_summary(mapping).steps;
    value[2] = mapping_summary(mapping).volume_bound;
    scalay_mapping_destroy(&mapping);
    return seconds;
}

double mapping_ours_checked(const void *instance, int64_t *value)
{
    const mapping_instance *given = instance;
    scalay_mapping *mapping = NULL;
    const double seconds = solve(given, &mapping);
    mapping_must(scalay_mapping_check(given->traffic, mapping, NULL));
    value[0] = mapping_summary(mapping).volume;
    scalay_mapping_destroy(&mapping);
    return seconds;
}

double mapping_forming(const void *instance, int64_t *value)
{
    const mapping_instance *given = instance;
    scalay_traffic *traffic = NULL;
    const double start = mapping_now();
    mapping_must(scalay_traffic_create(given->source, given->target, &traffic));
    const double seconds = mapping_now() - start;
    value[0] = traffic_summary(traffic).nonzeros;
    scalay_traffic_destroy(&traffic);
    return seconds;
}
