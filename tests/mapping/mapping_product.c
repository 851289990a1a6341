/* Least volume and steps between two grids, found without their traffic: as good as with it, and the certificate holds.
 */
#include "instances.h"

#include "base/integer.h"
#include "mapping/product.h"
#include "scalay/layout.h"
#include "summaries.h"

static scalay_status create_product(const scalay_layout *source, const scalay_layout *target,
                                    const scalay_mapping_problem *problem, scalay_product *product)
{
    scalay_product_overlap overlap = {0};
    scalay_status status = scalay_product_overlap_create(1, &source, &target, NULL, &overlap);
    if (status == SCALAY_SUCCESS) status = scalay_product_create(source, target, &overlap, problem, product);
    scalay_product_overlap_free(&overlap);
    return status;
}

/* A grid of m x n, perhaps a window of a larger matrix, with its parts on any processes. */
static scalay_layout *random_grid(scalay_random *random, int64_t m, int64_t n, int parts_most)
{
    scalay_layout *whole = NULL, *window = NULL, *placed = NULL;
    const int p = 1 + (int)scalay_random_below(random, 12);
    const int q = 1 + (int)scalay_random_below(random, parts_most / p);
    const int64_t row = scalay_random_below(random, 5), col = scalay_random_below(random, 5);
    const scalay_order order = scalay_random_below(random, 2) ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR;
    const int64_t mb = 1 + scalay_random_below(random, 20), nb = 1 + scalay_random_below(random, 20);
    int *process = calloc((size_t)parts_most + 8, sizeof *process);
    const int processes = p * q + (int)scalay_random_below(random, 8);
    assert_success(scalay_layout_block_cyclic(row + m, col + n, mb, nb, p, q, (int)scalay_random_below(random, p),
                                              (int)scalay_random_below(random, q), order, &whole));
    assert_success(scalay_layout_submatrix(whole, row, col, m, n, &window));
    random_processes(random, processes, p * q, process);
    assert_success(scalay_layout_relabel(window, processes, process, &placed));
    scalay_layout_destroy(&whole);
    scalay_layout_destroy(&window);
    free(process);
    return placed;
}

/* Compares with the solver of any traffic. */
static void check_pair(const scalay_layout *source, const scalay_layout *target)
{
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL, *other = NULL;
    int64_t volume = 0, steps = 0;
    assert_success(scalay_traffic_create(source, target, &traffic));
    assert_success(scalay_mapping_create(source, target, SCALAY_MIN_VOLUME, NULL, &mapping));
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = mapping_summary(mapping).processes;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &other));
    assert_int_equal(mapping_summary(mapping).volume, mapping_summary(other).volume);
    assert_success(scalay_traffic_cost(traffic, scalay_mapping_process(mapping), &volume, &steps));
    assert_int_equal(mapping_summary(mapping).volume, volume);
    assert_int_equal(mapping_summary(mapping).steps, steps);
    assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    scalay_mapping_destroy(&mapping);
    scalay_mapping_destroy(&other);
    scalay_traffic_destroy(&traffic);
}

/* Through the orbits of shifts, whatever the public function would choose; returns whether there are such. */
static int check_orbits(const scalay_layout *source, const scalay_layout *target)
{
    scalay_traffic *traffic = NULL;
    scalay_mapping *best = NULL;
    scalay_product product;
    int solved = 0;
    const scalay_mapping_problem problem = {.processes = scalay_layout_processes(source)};
    assert_success(create_product(source, target, &problem, &product));
    assert_success(scalay_assignment_allocate(product.rows, product.cols, &product.assignment));
    assert_success(scalay_product_solve_by_orbits(&product, &solved));
    if (solved) {
        assert_success(scalay_traffic_create(source, target, &traffic));
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &best));
        assert_int_equal(traffic_summary(traffic).elements - mapping_summary(best).volume, product.best_kept);
    }
    scalay_mapping_destroy(&best);
    scalay_traffic_destroy(&traffic);
    scalay_product_free(&product);
    return solved;
}

/* Least steps through the factors, whatever the public function would choose. */
static void check_steps(const scalay_layout *source, const scalay_layout *target)
{
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL, *other = NULL;
    int64_t volume = 0, steps = 0;
    int *canonical = NULL, most = 0;
    scalay_product product;
    scalay_bottleneck_solution solution = {0};
    assert_success(scalay_mapping_problem_find_canonical(source, target, &canonical, &most));
    const scalay_mapping_problem problem = {.processes = most, .canonical = canonical};
    assert_success(scalay_mapping_allocate(most, scalay_layout_parts(target), SCALAY_MIN_STEPS, &mapping));
    assert_success(create_product(source, target, &problem, &product));
    assert_success(scalay_product_find_steps(&product, mapping, &solution));
    scalay_bottleneck_free(&solution);
    scalay_product_free(&product);
    mapping->proof = SCALAY_PROOF_OPTIMAL;
    assert_success(scalay_traffic_create(source, target, &traffic));
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = most;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_STEPS, &options, &other));
    assert_int_equal(mapping_summary(mapping).steps, mapping_summary(other).steps);
    assert_success(scalay_traffic_cost(traffic, scalay_mapping_process(mapping), &volume, &steps));
    assert_int_equal(mapping_summary(mapping).volume, volume);
    assert_int_equal(mapping_summary(mapping).steps, steps);
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    scalay_mapping_destroy(&mapping);
    scalay_mapping_destroy(&other);
    scalay_traffic_destroy(&traffic);
    scalay_release(canonical);
}

static scalay_status solve_volume_then_steps(scalay_product *product, scalay_mapping *mapping)
{
    return scalay_product_solve_within(product, INT64_MAX, NULL, mapping);
}

/* Steps and volume, one after the other, through the factors, whatever the public function would choose. */
static void check_both(const scalay_layout *source, const scalay_layout *target)
{
    static const struct {
        scalay_objective objective;
        scalay_status (*solve)(scalay_product *product, scalay_mapping *mapping);
    } both[] = {{SCALAY_MIN_STEPS_THEN_VOLUME, scalay_product_solve_steps_then_volume},
                {SCALAY_MIN_VOLUME_THEN_STEPS, solve_volume_then_steps}};
    scalay_traffic *traffic = NULL;
    int *canonical = NULL, most = 0;
    assert_success(scalay_traffic_create(source, target, &traffic));
    assert_success(scalay_mapping_problem_find_canonical(source, target, &canonical, &most));
    const scalay_mapping_problem problem = {.processes = most, .canonical = canonical};
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = most;
    for (int k = 0; k < 2; k++) {
        scalay_product product;
        scalay_mapping *mapping = NULL, *other = NULL;
        assert_success(scalay_mapping_allocate(most, scalay_layout_parts(target), both[k].objective, &mapping));
        assert_success(create_product(source, target, &problem, &product));
        assert_success(both[k].solve(&product, mapping));
        scalay_product_free(&product);
        assert_int_equal(mapping->proof, SCALAY_PROOF_NONE); /* whoever calls it says optimal */
        mapping->proof = SCALAY_PROOF_OPTIMAL;
        assert_success(scalay_mapping_from_traffic(traffic, both[k].objective, &options, &other));
        assert_int_equal(mapping_summary(mapping).steps, mapping_summary(other).steps);
        assert_int_equal(mapping_summary(mapping).volume, mapping_summary(other).volume);
        assert_success(scalay_mapping_check(traffic, mapping, &options));
        scalay_mapping_destroy(&mapping);
        scalay_mapping_destroy(&other);
    }
    scalay_traffic_destroy(&traffic);
    scalay_release(canonical);
}

static void products_are_as_good_as_traffic(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int64_t m = scalay_random_below(&random, 300), n = scalay_random_below(&random, 300);
        scalay_layout *source = random_grid(&random, m, n, 90), *target = random_grid(&random, m, n, 90);
        check_pair(source, target);
        check_steps(source, target);
        check_both(source, target);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
        if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
}

static void large_grids_are_certified(void **state)
{
    (void)state;
    static const int cases[][6] = {{64, 64, 16, 16, 48, 48},   {64, 50, 16, 16, 64, 30}, {256, 512, 16, 16, 256, 128},
                                   {64, 64, 32, 8, 64, 64},    {7, 5, 13, 17, 11, 3},    {1, 64, 16, 16, 1, 64},
                                   {100, 100, 20, 20, 100, 90}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int *c = cases[k];
        scalay_layout *source = NULL, *target = NULL;
        assert_success(
            scalay_layout_block_cyclic(100000, 90000, c[0], c[1], c[2], c[3], 0, 0, SCALAY_ROW_MAJOR, &source));
        assert_success(
            scalay_layout_block_cyclic(100000, 90000, c[4], c[5], c[3], c[2], 0, 0, SCALAY_ROW_MAJOR, &target));
        check_pair(source, target);
        check_steps(source, target);
        check_both(source, target);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
}

/* Whole periods: all pairs are alike, ties everywhere, and everything is heavy. */
static void steps_of_whole_periods_are_certified(void **state)
{
    (void)state;
    static const int cases[][5] = {{64, 50, 30, 10, 10}, {64, 48, 48, 12, 12}, {6, 10, 15, 8, 4}, {64, 50, 30, 30, 30}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int64_t more = 0; more < 3; more++) {
            const int *c = cases[k];
            scalay_layout *source = NULL, *target = NULL;
            const int64_t m = (int64_t)c[0] * c[1] * c[3] + more, n = (int64_t)c[0] * c[2] * c[4] - more;
            assert_success(scalay_layout_block_cyclic(m, n, c[0], c[0], c[3], c[4], 0, 0, SCALAY_ROW_MAJOR, &source));
            assert_success(scalay_layout_block_cyclic(m, n, c[1], c[2], c[3], c[4], 0, 0, SCALAY_ROW_MAJOR, &target));
            check_steps(source, target);
            check_both(source, target);
            scalay_layout_destroy(&source);
            scalay_layout_destroy(&target);
        }
}

static int64_t whole_periods(scalay_random *random, int64_t one, int64_t other)
{
    return one / scalay_gcd(one, other) * other * (1 + scalay_random_below(random, 2));
}

/* With whole periods the duals of a few orbits are those of all. */
static void orbits_are_as_good_as_traffic(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int64_t p[4], b[4]; /* rows and columns of the source, then of the target */
        for (int k = 0; k < 4; k++) {
            p[k] = 1 + scalay_random_below(&random, 9);
            b[k] = 1 + scalay_random_below(&random, 12);
        }
        const int64_t m = whole_periods(&random, p[0] * b[0], p[2] * b[2]);
        const int64_t n = whole_periods(&random, p[1] * b[1], p[3] * b[3]);
        scalay_layout *source = NULL, *target = NULL;
        assert_success(scalay_layout_block_cyclic(m, n, b[0], b[1], (int)p[0], (int)p[1],
                                                  (int)scalay_random_below(&random, p[0]),
                                                  (int)scalay_random_below(&random, p[1]), SCALAY_ROW_MAJOR, &source));
        assert_success(
            scalay_layout_block_cyclic(m, n, b[2], b[3], (int)p[2], (int)p[3], (int)scalay_random_below(&random, p[2]),
                                       (int)scalay_random_below(&random, p[3]), SCALAY_COLUMN_MAJOR, &target));
        found += check_orbits(source, target);
        check_pair(source, target);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_int_equal(found, 400);
}

/* All pairs of 100 and more processes have something in common, so that fronts go through the factors. */
static void fronts_of_products_are_those_of_traffic(void **state)
{
    (void)state;
    static const int cases[][6] = {{9, 7, 11, 10, 10, 700}, {11, 7, 9, 10, 12, 950}, {9, 8, 7, 12, 11, 640}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int *c = cases[k];
        scalay_layout *source = NULL, *target = NULL;
        scalay_traffic *traffic = NULL;
        scalay_mapping_front *front = NULL, *other = NULL;
        scalay_product_overlap overlap = {0};
        assert_success(scalay_layout_block_cyclic(c[5], c[5], c[0], c[0], c[3], c[4], 0, 0, SCALAY_ROW_MAJOR, &source));
        assert_success(
            scalay_layout_block_cyclic(c[5], c[5], c[1], c[2], c[3], c[4], 0, 0, SCALAY_COLUMN_MAJOR, &target));
        const scalay_layout *const from = source, *const to = target;
        assert_success(scalay_product_overlap_create(1, &from, &to, NULL, &overlap));
        assert_true(overlap.exists && scalay_product_applies_to_steps(&overlap));
        scalay_product_overlap_free(&overlap);
        assert_success(scalay_traffic_create(source, target, &traffic));
        assert_success(scalay_mapping_front_create(source, target, NULL, &front));
        assert_success(scalay_mapping_front_from_traffic(traffic, NULL, &other));
        assert_success(scalay_mapping_front_check(traffic, front, NULL));
        assert_int_equal(scalay_mapping_front_count(front), scalay_mapping_front_count(other));
        for (int64_t x = 0; x < scalay_mapping_front_count(front); x++) {
            const scalay_mapping *one = scalay_mapping_front_get_mapping(front, x),
                                 *two = scalay_mapping_front_get_mapping(other, x);
            assert_int_equal(mapping_summary(one).steps, mapping_summary(two).steps);
            assert_int_equal(mapping_summary(one).volume, mapping_summary(two).volume);
            assert_int_equal(mapping_summary(one).proof, SCALAY_PROOF_OPTIMAL);
        }
        scalay_mapping_front_destroy(&front);
        scalay_mapping_front_destroy(&other);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
}

/* 1.7e8 pairs of processes and parts have something in common: forming the traffic would take gigabytes. */
static void steps_of_many_processes_need_little_memory(void **state)
{
    (void)state;
    scalay_layout *source = NULL, *target = NULL;
    scalay_mapping *mapping = NULL;
    const int64_t extents[2] = {1000000, 983040};
    for (int k = 0; k < 2; k++) {
        const int64_t m = extents[k];
        assert_success(scalay_layout_block_cyclic(m, m, 64, 64, 256, 256, 0, 0, SCALAY_ROW_MAJOR, &source));
        assert_success(scalay_layout_block_cyclic(m, m, 50, 30, 256, 256, 0, 0, SCALAY_ROW_MAJOR, &target));
        scalay_memory_reset_peak();
        const int64_t before = scalay_memory_peak();
        assert_success(scalay_mapping_create(source, target, SCALAY_MIN_STEPS, NULL, &mapping));
        assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
        assert_true(scalay_memory_peak() - before < 2000 * INT64_C(65536));
        scalay_mapping_destroy(&mapping);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    scalay_layout *source = NULL, *target = NULL;
    scalay_mapping *mapping = NULL;
    int64_t failures = 0;
    scalay_objective objective = SCALAY_MIN_VOLUME;
    assert_success(scalay_layout_block_cyclic(450, 450, 8, 8, 10, 10, 0, 0, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(450, 450, 5, 7, 10, 10, 0, 0, SCALAY_ROW_MAJOR, &target));
    const int64_t live = scalay_memory_live();
    for (int64_t k = 1; k < 10000; k++) {
        scalay_memory_fail_at(k);
        const scalay_status status = scalay_mapping_create(source, target, objective, NULL, &mapping);
        scalay_memory_fail_at(0);
        if (status == SCALAY_SUCCESS && objective == SCALAY_MIN_VOLUME_THEN_STEPS) break;
        if (status == SCALAY_SUCCESS) {
            scalay_mapping_destroy(&mapping);
            objective++;
            k = 0;
            continue;
        }
        assert_int_equal(status, SCALAY_ERROR_MEMORY);
        assert_int_equal(scalay_memory_live(), live);
        failures++;
    }
    assert_true(failures > 20);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_as_good_as_traffic),
        cmocka_unit_test(large_grids_are_certified),
        cmocka_unit_test(steps_of_whole_periods_are_certified),
        cmocka_unit_test(orbits_are_as_good_as_traffic),
        cmocka_unit_test(fronts_of_products_are_those_of_traffic),
        cmocka_unit_test(steps_of_many_processes_need_little_memory),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
