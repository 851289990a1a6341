/* Time budgets: whatever is found in no time lies above its proven bound, and the bound below the optimum. */
#include "instances.h"

#include <string.h>

#include "mapping/mapping.h"
#include "scalay/layout.h"
#include "summaries.h"

static const double budgets[] = {1e-9, 1e-4, 2e-4, 1.0};

/* 1: many processes, and three times as many budgets between grids */
static int is_long = 0;

/* What has been found within a budget, against the certified optimum. */
static void compare(const scalay_traffic *traffic, const scalay_mapping *mapping, int64_t optimum)
{
    const int64_t volume = mapping_summary(mapping).volume, bound = mapping_summary(mapping).volume_bound;
    assert_true(0 <= bound && bound <= optimum && optimum <= volume);
    assert_int_equal(mapping_summary(mapping).proof == SCALAY_PROOF_OPTIMAL, bound == volume);
    assert_success(scalay_mapping_check(traffic, mapping, NULL));
}

static int64_t certified_optimum(const scalay_traffic *traffic)
{
    scalay_mapping *best = NULL;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &best));
    assert_success(scalay_mapping_check(traffic, best, NULL));
    assert_int_equal(mapping_summary(best).proof, SCALAY_PROOF_OPTIMAL);
    const int64_t optimum = mapping_summary(best).volume;
    scalay_mapping_destroy(&best);
    return optimum;
}

static void any_traffic_is_bounded_in_no_time(void **state)
{
    (void)state;
    int unfinished = 0;
    for (uint64_t seed = 1; seed <= 250; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int rows = 1 + (int)scalay_random_below(&random, 120), parts = 1 + (int)scalay_random_below(&random, 120);
        instance made = instance_random(&random, rows, parts, (int)(seed % KINDS));
        scalay_traffic *traffic = NULL;
        assert_success(instance_traffic(&made, &traffic));
        const int64_t optimum = certified_optimum(traffic);
        for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++) {
            scalay_mapping *mapping = NULL;
            scalay_mapping_options options = scalay_mapping_options_default();
            options.budget_seconds = budgets[k];
            assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &mapping));
            compare(traffic, mapping, optimum);
            unfinished += mapping_summary(mapping).proof == SCALAY_PROOF_HEURISTIC;
            scalay_mapping_destroy(&mapping);
        }
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
    }
    print_message("%d mappings were not finished\n", unfinished);
    assert_true(unfinished > 20);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Whatever comes first in the objective: bounds below the optimum, which lies below what has been found. */
static int compare_objective(const scalay_traffic *traffic, scalay_objective objective, double budget)
{
    scalay_mapping *best = NULL, *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    assert_success(scalay_mapping_from_traffic(traffic, objective, NULL, &best));
    options.budget_seconds = budget;
    assert_success(scalay_mapping_from_traffic(traffic, objective, &options, &mapping));
    assert_success(scalay_mapping_check(traffic, mapping, NULL));
    const int64_t steps = mapping_summary(mapping).steps, fewest = mapping_summary(best).steps;
    const int64_t volume = mapping_summary(mapping).volume, least = mapping_summary(best).volume;
    const int finished = mapping_summary(mapping).proof == SCALAY_PROOF_OPTIMAL;
    assert_int_equal(mapping_summary(best).proof, SCALAY_PROOF_OPTIMAL);
    if (finished && objective != SCALAY_MIN_VOLUME) assert_int_equal(steps, fewest);
    if (finished && objective != SCALAY_MIN_STEPS) assert_int_equal(volume, least);
    assert_true(mapping_summary(mapping).steps_bound <= fewest);
    assert_true(mapping_summary(mapping).volume_bound <= least);
    if (objective == SCALAY_MIN_VOLUME_THEN_STEPS)
        assert_true(volume > least || (volume == least && steps >= fewest));
    else
        assert_true(steps > fewest || (steps == fewest && (objective == SCALAY_MIN_STEPS || volume >= least)));
    scalay_mapping_destroy(&mapping);
    scalay_mapping_destroy(&best);
    return !finished;
}

static void every_objective_is_bounded_in_no_time(void **state)
{
    (void)state;
    static const scalay_objective objectives[] = {SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS};
    int unfinished[3] = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int rows = 1 + (int)scalay_random_below(&random, 120), parts = 1 + (int)scalay_random_below(&random, 120);
        instance made = instance_random(&random, rows, parts, (int)(seed % KINDS));
        scalay_traffic *traffic = NULL;
        assert_success(instance_traffic(&made, &traffic));
        for (int k = 0; k < 3; k++)
            for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
                unfinished[k] += compare_objective(traffic, objectives[k], budgets[b]);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
    }
    print_message("%d, %d and %d mappings were not finished\n", unfinished[0], unfinished[1], unfinished[2]);
    assert_true(unfinished[1] > 20 && unfinished[2] > 20);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Through the factors, where the traffic has enough entries. Returns whether the search was cut short. */
static int compare_grid_steps(const scalay_layout *source, const scalay_layout *target, const scalay_traffic *traffic,
                              double budget)
{
    scalay_mapping *best = NULL, *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_STEPS, NULL, &best));
    options.budget_seconds = budget;
    assert_success(scalay_mapping_create(source, target, SCALAY_MIN_STEPS, &options, &mapping));
    assert_success(scalay_mapping_check(traffic, mapping, NULL));
    const int unfinished = mapping_summary(mapping).proof == SCALAY_PROOF_HEURISTIC;
    assert_true(mapping_summary(mapping).steps_bound <= mapping_summary(best).steps);
    assert_true(mapping_summary(best).steps <= mapping_summary(mapping).steps);
    if (!unfinished) assert_int_equal(mapping_summary(mapping).steps, mapping_summary(best).steps);
    scalay_mapping_destroy(&mapping);
    scalay_mapping_destroy(&best);
    return unfinished;
}

/* What is called optimal is, and everything has its certificate. */
static void check_grid_pairs(const scalay_layout *source, const scalay_layout *target, const scalay_traffic *traffic,
                             double budget)
{
    static const scalay_objective objectives[] = {SCALAY_MIN_STEPS_THEN_VOLUME, SCALAY_MIN_VOLUME_THEN_STEPS};
    scalay_mapping_options options = scalay_mapping_options_default();
    options.budget_seconds = budget;
    for (int k = 0; k < 2; k++) {
        scalay_mapping *mapping = NULL;
        assert_success(scalay_mapping_create(source, target, objectives[k], &options, &mapping));
        assert_success(scalay_mapping_check(traffic, mapping, NULL));
        assert_true(mapping_summary(mapping).steps_bound <= mapping_summary(mapping).steps);
        scalay_mapping_destroy(&mapping);
    }
}

static void grids_are_bounded_in_no_time(void **state)
{
    (void)state;
    int unfinished = 0, unfinished_steps = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int p = 6 + (int)scalay_random_below(&random, 6), q = 6 + (int)scalay_random_below(&random, 6);
        scalay_layout *layout[2] = {NULL, NULL};
        scalay_traffic *traffic = NULL;
        for (int k = 0; k < 2; k++)
            assert_success(scalay_layout_block_cyclic(3000, 2000, 1 + scalay_random_below(&random, 64),
                                                      1 + scalay_random_below(&random, 64), k == 0 ? p : q,
                                                      k == 0 ? q : p, 0, 0, SCALAY_ROW_MAJOR, &layout[k]));
        assert_success(scalay_traffic_create(layout[0], layout[1], &traffic));
        const int64_t optimum = certified_optimum(traffic);
        for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++) {
            scalay_mapping *mapping = NULL;
            scalay_mapping_options options = scalay_mapping_options_default();
            options.budget_seconds = budgets[k];
            assert_success(scalay_mapping_create(layout[0], layout[1], SCALAY_MIN_VOLUME, &options, &mapping));
            compare(traffic, mapping, optimum);
            unfinished += mapping_summary(mapping).proof == SCALAY_PROOF_HEURISTIC;
            scalay_mapping_destroy(&mapping);
            unfinished_steps += compare_grid_steps(layout[0], layout[1], traffic, budgets[k]);
            check_grid_pairs(layout[0], layout[1], traffic, budgets[k]);
            assert_success(scalay_mapping_create(layout[0], layout[1], SCALAY_MIN_GRID_VOLUME, &options, &mapping));
            assert_success(scalay_mapping_check(traffic, mapping, NULL));
            assert_true(mapping_summary(mapping).volume_bound <= mapping_summary(mapping).volume);
            scalay_mapping_destroy(&mapping);
        }
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&layout[0]);
        scalay_layout_destroy(&layout[1]);
    }
    print_message("%d mappings were not finished, nor %d of least steps\n", unfinished, unfinished_steps);
    assert_true(unfinished > 20);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Every trade-off that there is either is a point, or lies where the budget left the front open, above its bounds. */
static int compare_fronts(const scalay_mapping_front *whole, const scalay_mapping_front *front)
{
    int64_t open = 0, found = 0;
    const int64_t count = scalay_mapping_front_count(front);
    while (open < count && mapping_summary(scalay_mapping_front_get_mapping(front, open)).proof != SCALAY_PROOF_OPTIMAL)
        open++;
    const int64_t first =
        open < count ? mapping_summary(scalay_mapping_front_get_mapping(front, open)).steps : INT64_MAX;
    assert_true(open <= 2);
    for (int64_t k = 0; k < scalay_mapping_front_count(whole); k++) {
        const scalay_mapping *point = scalay_mapping_front_get_mapping(whole, k);
        const int64_t steps = mapping_summary(point).steps, volume = mapping_summary(point).volume;
        if (steps >= first) {
            const scalay_mapping *same = scalay_mapping_front_get_mapping(front, open + found++);
            assert_int_equal(mapping_summary(same).steps, steps);
            assert_int_equal(mapping_summary(same).volume, volume);
            continue;
        }
        assert_true(open > 0 &&
                    volume >= mapping_summary(scalay_mapping_front_get_mapping(front, open - 1)).volume_bound);
        if (open == 2) assert_true(steps >= mapping_summary(scalay_mapping_front_get_mapping(front, 0)).steps_bound);
    }
    assert_int_equal(open + found, count);
    return open > 0;
}

static void fronts_are_bounded_in_no_time(void **state)
{
    (void)state;
    int unfinished = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int rows = 1 + (int)scalay_random_below(&random, 70), parts = 1 + (int)scalay_random_below(&random, 70);
        instance made = instance_random(&random, rows, parts, (int)(seed % KINDS));
        scalay_traffic *traffic = NULL;
        scalay_mapping_front *whole = NULL, *front = NULL;
        assert_success(instance_traffic(&made, &traffic));
        assert_success(scalay_mapping_front_from_traffic(traffic, NULL, &whole));
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            scalay_mapping_options options = scalay_mapping_options_default();
            options.budget_seconds = budgets[b];
            assert_success(scalay_mapping_front_from_traffic(traffic, &options, &front));
            assert_success(scalay_mapping_front_check(traffic, front, NULL));
            unfinished += compare_fronts(whole, front);
            scalay_mapping_front_destroy(&front);
        }
        scalay_mapping_front_destroy(&whole);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
    }
    print_message("%d fronts were not finished\n", unfinished);
    assert_true(unfinished > 20);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Items near 2^63: no sum of duals may overflow. */
static void bounds_of_the_largest_totals_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        scalay_random random = scalay_random_seed(seed);
        enum { EXTENT = 60, EACH = 5 };
        int process[EXTENT * EACH], part[EXTENT * EACH];
        int64_t items[EXTENT * EACH];
        scalay_traffic *traffic = NULL;
        scalay_mapping *mapping = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        for (int e = 0; e < EXTENT * EACH; e++) {
            process[e] = e / EACH;
            part[e] = (int)scalay_random_below(&random, 1 + (int64_t)(seed % EXTENT));
            items[e] = INT64_MAX / (EXTENT * EACH) - scalay_random_below(&random, 1000);
        }
        assert_success(scalay_traffic_from_entries(EXTENT, EXTENT, EXTENT * EACH, process, part, items, &traffic));
        const int64_t optimum = certified_optimum(traffic);
        options.budget_seconds = 1e-9;
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &mapping));
        compare(traffic, mapping, optimum);
        scalay_mapping_destroy(&mapping);
        scalay_traffic_destroy(&traffic);
    }
}

static void claims_beyond_the_duals_are_refused(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(3);
    instance made = instance_random(&random, 80, 80, UNIFORM);
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.budget_seconds = 1e-9;
    assert_success(instance_traffic(&made, &traffic));
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &mapping));
    assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_HEURISTIC);
    mapping->bound++;
    assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
    mapping->certificate.process_dual[0]--;
    assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    instance_free(&made);
}

/* Traffic whose ties take seconds to settle: after one second the best found so far is within a thousandth, which the
 * check confirms. */
static void check_gap_after_a_second(const scalay_traffic *traffic, const char *name)
{
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.budget_seconds = 1.0;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &mapping));
    const double volume = (double)mapping_summary(mapping).volume,
                 bound = (double)mapping_summary(mapping).volume_bound;
    print_message("%s: within %.2g of the least volume\n", name, volume / bound - 1.0);
    assert_true(volume <= 1.001 * bound);
    assert_success(scalay_mapping_check(traffic, mapping, NULL));
    scalay_mapping_destroy(&mapping);
}

static void a_second_is_enough_for_random_ties(void **state)
{
    (void)state;
    enum { PROCESSES = 32768, PER_PART = 20, ENTRIES = PROCESSES * PER_PART };
    static const int64_t ranges[] = {3, 100, INT64_C(1000000000000)};
    int *process = malloc(ENTRIES * sizeof *process), *part = malloc(ENTRIES * sizeof *part);
    int64_t *items = malloc(ENTRIES * sizeof *items);
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        scalay_random random = scalay_random_seed(k + 1);
        scalay_traffic *traffic = NULL;
        for (int e = 0; e < ENTRIES; e++) {
            process[e] = (int)scalay_random_below(&random, PROCESSES);
            part[e] = e / PER_PART;
            items[e] = 1 + scalay_random_below(&random, ranges[k]);
        }
        assert_success(scalay_traffic_from_entries(PROCESSES, PROCESSES, ENTRIES, process, part, items, &traffic));
        check_gap_after_a_second(traffic, "20 random entries of each of 32,768 parts");
        scalay_traffic_destroy(&traffic);
    }
    free(process);
    free(part);
    free(items);
}

/* A weight for each process times one for each part, and noise that decides between neighbouring ranks. */
static void a_second_is_enough_for_noisy_products(void **state)
{
    (void)state;
    enum { LINES = 1536 };
    scalay_random random = scalay_random_seed(1);
    instance made = instance_allocate(LINES, LINES);
    int64_t row[LINES], col[LINES];
    scalay_traffic *traffic = NULL;
    for (int k = 0; k < LINES; k++) {
        row[k] = scalay_random_below(&random, 100000);
        col[k] = scalay_random_below(&random, 100000);
    }
    for (int i = 0; i < LINES; i++)
        for (int j = 0; j < LINES; j++)
            made.items[i * LINES + j] = row[i] * col[j] + scalay_random_below(&random, 1000000);
    assert_success(instance_traffic(&made, &traffic));
    check_gap_after_a_second(traffic, "noisy products of 1536 x 1536");
    scalay_traffic_destroy(&traffic);
    instance_free(&made);
}

/* 1.7e8 products of a few weights. */
static void a_second_is_enough_between_grids(void **state)
{
    (void)state;
    scalay_layout *source = NULL, *target = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    if (!is_long) skip();
    options.budget_seconds = 1.0;
    assert_success(scalay_layout_block_cyclic(1000000, 1000000, 64, 64, 256, 256, 0, 0, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(1000000, 1000000, 50, 30, 256, 256, 0, 0, SCALAY_ROW_MAJOR, &target));
    assert_success(scalay_mapping_create(source, target, SCALAY_MIN_VOLUME, &options, &mapping));
    const double volume = (double)mapping_summary(mapping).volume,
                 bound = (double)mapping_summary(mapping).volume_bound;
    print_message("65,536 processes between grids: within %.2g of the least volume\n", volume / bound - 1.0);
    assert_true(volume <= 1.001 * bound);
    assert_success(scalay_mapping_check_layouts(1, (const scalay_layout *const *)&source,
                                                (const scalay_layout *const *)&target, NULL, mapping, &options));
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

/* Budgets that end while edges are found, added to the others and transposed. */
static void grids_stop_within_every_phase(void **state)
{
    (void)state;
    static const scalay_objective objectives[] = {SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS};
    int unfinished = 0, optimal = 0;
    scalay_random random = scalay_random_seed(1);
    scalay_layout *source = NULL, *target = NULL;
    assert_success(scalay_layout_block_cyclic(12000, 12000, 1, 1, 40, 40, 0, 0, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(12000, 12000, 64, 64, 40, 40, 0, 0, SCALAY_ROW_MAJOR, &target));
    for (int k = 0; k < (is_long ? 168 : 56); k++) {
        scalay_mapping *mapping = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        options.budget_seconds = 1e-5 * (double)(1 + scalay_random_below(&random, INT64_C(1) << (k / 4 % 14)));
        assert_success(scalay_mapping_create(source, target, objectives[k % 4], &options, &mapping));
        assert_success(scalay_mapping_check_layouts(1, (const scalay_layout *const *)&source,
                                                    (const scalay_layout *const *)&target, NULL, mapping, &options));
        unfinished += mapping_summary(mapping).proof == SCALAY_PROOF_HEURISTIC;
        optimal += mapping_summary(mapping).proof == SCALAY_PROOF_OPTIMAL;
        scalay_mapping_destroy(&mapping);
    }
    print_message("%d mappings were not finished, %d are optimal\n", unfinished, optimal);
    assert_true(unfinished > 10 && optimal > 10);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_traffic_is_bounded_in_no_time),   cmocka_unit_test(every_objective_is_bounded_in_no_time),
        cmocka_unit_test(grids_are_bounded_in_no_time),        cmocka_unit_test(bounds_of_the_largest_totals_hold),
        cmocka_unit_test(claims_beyond_the_duals_are_refused), cmocka_unit_test(fronts_are_bounded_in_no_time),
        cmocka_unit_test(a_second_is_enough_for_random_ties),  cmocka_unit_test(a_second_is_enough_for_noisy_products),
        cmocka_unit_test(a_second_is_enough_between_grids),    cmocka_unit_test(grids_stop_within_every_phase),
    };
    is_long = count > 1 && strcmp(arguments[1], "long") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
