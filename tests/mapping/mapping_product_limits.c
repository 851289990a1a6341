/* Mappings between two grids that are limited, by a grid to keep or by who may take a part, found without the traffic:
 * as good as with it, and the certificate holds. */
#include "instances.h"

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

static scalay_layout *grid_of(int64_t m, int64_t n, int64_t mb, int64_t nb, int p, int q, scalay_order order)
{
    scalay_layout *layout = NULL;
    assert_success(scalay_layout_block_cyclic(m, n, mb, nb, p, q, 0, 0, order, &layout));
    return layout;
}

static scalay_layout *random_layout(scalay_random *random, int64_t m, int64_t n, int p, int q)
{
    return grid_of(m, n, 1 + scalay_random_below(random, 20), 1 + scalay_random_below(random, 20), p, q,
                   scalay_random_below(random, 2) ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR);
}

/* A place for every part, shuffled rows and shuffled columns: still a grid of processes. */
static scalay_layout *shuffled(scalay_random *random, scalay_layout *layout, int p, int q, int any)
{
    scalay_layout *placed = NULL;
    int *row = calloc((size_t)p, sizeof *row), *col = calloc((size_t)q, sizeof *col);
    int *process = calloc((size_t)p * (size_t)q, sizeof *process);
    random_processes(random, p, p, row);
    random_processes(random, q, q, col);
    if (any) random_processes(random, p * q, p * q, process);
    for (int part = 0; part < p * q && !any; part++) process[part] = row[part / q] * q + col[part % q];
    assert_success(scalay_layout_relabel(layout, p * q, process, &placed));
    scalay_layout_destroy(&layout);
    free(row);
    free(col);
    free(process);
    return placed;
}

/* The mapping that keeps the grid through the factors, whatever the public function would choose. */
static scalay_mapping *keep_grid(const scalay_layout *source, const scalay_layout *target)
{
    scalay_mapping *mapping = NULL;
    scalay_product product;
    scalay_process_grid grid = {0};
    int *canonical = NULL, most = 0;
    assert_success(scalay_mapping_problem_find_canonical(source, target, &canonical, &most));
    assert_success(scalay_process_grid_create(target, canonical, 0, scalay_layout_parts(target), &grid));
    const scalay_mapping_problem problem = {.processes = most, .canonical = canonical, .grid = &grid, .seed = 1};
    assert_success(scalay_mapping_allocate(most, scalay_layout_parts(target), SCALAY_MIN_GRID_VOLUME, &mapping));
    assert_success(create_product(source, target, &problem, &product));
    assert_success(scalay_product_solve_grid(&product, mapping));
    scalay_product_free(&product);
    scalay_process_grid_free(&grid);
    scalay_release(canonical);
    return mapping;
}

/* Whoever holds the data may be in a grid of the same lines, in another, or scattered. */
static void grids_are_kept_without_the_traffic(void **state)
{
    (void)state;
    int proven = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int p = 1 + (int)scalay_random_below(&random, 8), q = 1 + (int)scalay_random_below(&random, 8);
        const int64_t m = 1 + scalay_random_below(&random, 300), n = 1 + scalay_random_below(&random, 300);
        const int kind = (int)scalay_random_below(&random, 3);
        scalay_layout *target = random_layout(&random, m, n, p, q), *source = NULL;
        scalay_traffic *traffic = NULL;
        scalay_mapping *plain = NULL;
        source = kind == 0
                     ? random_layout(&random, m, n, q, p)
                     : shuffled(&random, grid_of(m, n, 1 + scalay_random_below(&random, 20), 7, p, q, SCALAY_ROW_MAJOR),
                                p, q, kind == 2);
        if (kind == 1) {
            scalay_layout_destroy(&target);
            target = grid_of(m, n, 1 + scalay_random_below(&random, 20), 5, p, q, SCALAY_ROW_MAJOR);
        }
        scalay_mapping *mapping = keep_grid(source, target);
        assert_success(scalay_traffic_create(source, target, &traffic));
        assert_success(scalay_mapping_create(source, target, SCALAY_MIN_VOLUME, NULL, &plain));
        assert_success(scalay_mapping_check(traffic, mapping, NULL));
        assert_true(mapping_summary(mapping).volume_bound >= mapping_summary(plain).volume);
        assert_true(mapping_summary(mapping).volume_bound <= mapping_summary(mapping).volume);
        if (kind == 1) assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
        proven += mapping_summary(mapping).proof == SCALAY_PROOF_OPTIMAL;
        scalay_mapping_destroy(&mapping);
        scalay_mapping_destroy(&plain);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
        if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
    assert_true(proven >= 100);
}

/* The public function goes through the factors from 32 parts on; the optimum of the grid is that of the traffic. */
static void kept_grids_are_as_good_as_on_the_traffic(void **state)
{
    (void)state;
    for (int64_t mb = 5; mb <= 12; mb++) {
        scalay_layout *source = grid_of(400, 500, 8, 8, 6, 7, SCALAY_ROW_MAJOR);
        scalay_layout *target = grid_of(400, 500, mb, mb + 1, 6, 7, SCALAY_ROW_MAJOR);
        scalay_traffic *traffic = NULL;
        scalay_mapping *mapping = NULL, *other = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        options.grid_rows = 6;
        assert_success(scalay_traffic_create(source, target, &traffic));
        assert_success(scalay_mapping_create(source, target, SCALAY_MIN_GRID_VOLUME, NULL, &mapping));
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_GRID_VOLUME, &options, &other));
        assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
        assert_int_equal(mapping_summary(mapping).volume, mapping_summary(other).volume);
        assert_success(scalay_mapping_check(traffic, mapping, NULL));
        scalay_mapping_destroy(&mapping);
        scalay_mapping_destroy(&other);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
}

static void grids_of_many_processes_need_little_memory(void **state)
{
    (void)state;
    static const int blocks[][2] = {{48, 48}, {50, 30}};
    for (int p = 256; p <= 512; p *= 2)
        for (int k = 0; k < 2; k++) {
            scalay_layout *source = grid_of(1000000, 1000000, 64, 64, p, p, SCALAY_ROW_MAJOR);
            scalay_layout *target = grid_of(1000000, 1000000, blocks[k][0], blocks[k][1], p, p, SCALAY_ROW_MAJOR);
            scalay_mapping *mapping = NULL;
            scalay_memory_reset_peak();
            const int64_t before = scalay_memory_peak();
            assert_success(scalay_mapping_create(source, target, SCALAY_MIN_GRID_VOLUME, NULL, &mapping));
            assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
            assert_int_equal(mapping_summary(mapping).volume_bound, mapping_summary(mapping).volume);
            assert_true(scalay_memory_peak() - before < 300 * (int64_t)p * p);
            scalay_mapping_destroy(&mapping);
            scalay_layout_destroy(&source);
            scalay_layout_destroy(&target);
        }
}

/* The same volume; least time without link costs is the least volume. */
static void volume_and_time_of_many_processes_need_little_memory(void **state)
{
    (void)state;
    const int64_t p = 256;
    scalay_layout *source = grid_of(256000, 256000, 64, 64, (int)p, (int)p, SCALAY_ROW_MAJOR);
    scalay_layout *target = grid_of(256000, 256000, 48, 48, (int)p, (int)p, SCALAY_ROW_MAJOR);
    const scalay_objective asked[] = {SCALAY_MIN_VOLUME, SCALAY_MIN_TIME};
    int64_t volume[2] = {-1, -2};
    for (int k = 0; k < 2; k++) {
        scalay_mapping *mapping = NULL;
        scalay_memory_reset_peak();
        const int64_t before = scalay_memory_peak();
        assert_success(scalay_mapping_create(source, target, asked[k], NULL, &mapping));
        assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
        assert_true(scalay_memory_peak() - before < 250 * p * p);
        volume[k] = mapping_summary(mapping).volume;
        scalay_mapping_destroy(&mapping);
    }
    assert_int_equal(volume[0], volume[1]);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

/* ------------------------------------------------------------------------------------------- who may take */

static const scalay_objective objectives[] = {SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                              SCALAY_MIN_VOLUME_THEN_STEPS};

static void check_barred(const scalay_layout *source, const scalay_layout *target,
                         const scalay_mapping_options *options)
{
    scalay_traffic *traffic = NULL;
    assert_success(scalay_traffic_create(source, target, &traffic));
    for (size_t k = 0; k < sizeof objectives / sizeof *objectives; k++) {
        scalay_mapping *mapping = NULL, *other = NULL;
        assert_success(scalay_mapping_create(source, target, objectives[k], options, &mapping));
        assert_success(scalay_mapping_from_traffic(traffic, objectives[k], options, &other));
        assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
        if (objectives[k] != SCALAY_MIN_STEPS)
            assert_int_equal(mapping_summary(mapping).volume, mapping_summary(other).volume);
        if (objectives[k] != SCALAY_MIN_VOLUME)
            assert_int_equal(mapping_summary(mapping).steps, mapping_summary(other).steps);
        assert_success(scalay_mapping_check(traffic, mapping, options));
        scalay_mapping_destroy(&mapping);
        scalay_mapping_destroy(&other);
    }
    scalay_traffic_destroy(&traffic);
}

/* Some are barred, or the last ones must give everything away; with and without new processes. */
static void barred_processes_take_nothing_without_the_traffic(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int64_t m = 200 + scalay_random_below(&random, 300), n = 200 + scalay_random_below(&random, 300);
        const int p = 6 + (int)scalay_random_below(&random, 4), q = 6 + (int)scalay_random_below(&random, 4);
        scalay_layout *source = random_layout(&random, m, n, p, q);
        scalay_layout *target = random_layout(&random, m, n, 6, 6);
        unsigned char barred[120] = {0};
        scalay_mapping_options options = scalay_mapping_options_default();
        options.processes = p * q + 20;
        options.barred = barred;
        for (int k = 0; k < 18; k++) barred[scalay_random_below(&random, p * q)] = 1;
        check_barred(source, target, &options);
        options.barred = NULL;
        options.processes = 36;
        check_barred(source, target, &options);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
        if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
}

/* ----------------------------------------------------------------------------------------------- extremes */

static const scalay_objective all_objectives[] = {SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS, SCALAY_MIN_GRID_VOLUME};

/* As good as on the traffic, or refused alike. */
static void compare_objectives(scalay_layout *from, scalay_layout *to, int grid_rows)
{
    const scalay_layout *source = from, *target = to;
    scalay_traffic *traffic = NULL;
    assert_success(scalay_traffic_create(source, target, &traffic));
    for (size_t k = 0; k < sizeof all_objectives / sizeof *all_objectives; k++) {
        scalay_mapping *mapping = NULL, *other = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        options.processes = 64;
        options.grid_rows = grid_rows;
        const scalay_status told = scalay_mapping_create(source, target, all_objectives[k], &options, &mapping);
        assert_int_equal(told, scalay_mapping_from_traffic(traffic, all_objectives[k], &options, &other));
        if (told == SCALAY_SUCCESS) {
            assert_success(scalay_mapping_check(traffic, mapping, &options));
            assert_success(scalay_mapping_check_layouts(1, &source, &target, NULL, mapping, &options));
            if (all_objectives[k] != SCALAY_MIN_STEPS) assert_int_equal(mapping->volume, other->volume);
            if (k == 1 || k == 2 || k == 3) assert_int_equal(mapping->steps, other->steps);
        } else {
            assert_int_equal(told, SCALAY_ERROR_RANGE);
            assert_int_equal(all_objectives[k], SCALAY_MIN_STEPS_THEN_VOLUME);
        }
        scalay_mapping_destroy(&mapping);
        scalay_mapping_destroy(&other);
    }
    scalay_traffic_destroy(&traffic);
}

/* 2^63 - 4e9 elements, of which at times all can stay: nothing overflows on the way. */
static void totals_near_2_to_63_are_exact(void **state)
{
    (void)state;
    static const int64_t blocks[][2] = {{506166750, 506166750}, {506166749, 400000000}, {253083375, 506166750}};
    const int64_t m = 3037000499;
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        scalay_layout *source = grid_of(m, m, 506166750, 506166750, 6, 6, SCALAY_ROW_MAJOR), *beyond = NULL;
        scalay_layout *target = grid_of(m, m, blocks[k][0], blocks[k][1], 6, 6, SCALAY_ROW_MAJOR);
        const scalay_layout *twice[2] = {source, source}, *to[2] = {target, target};
        scalay_mapping *mapping = NULL;
        compare_objectives(source, target, 6);
        assert_int_equal(scalay_mapping_create_shared(2, twice, to, NULL, SCALAY_MIN_VOLUME, NULL, &mapping),
                         SCALAY_ERROR_RANGE);
        assert_int_equal(scalay_layout_block_cyclic(m + 1, m + 1, 9, 9, 6, 6, 0, 0, SCALAY_ROW_MAJOR, &beyond),
                         SCALAY_ERROR_RANGE);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Fewer blocks than rows and columns of the grids: many processes hold nothing, many parts want nothing. */
static void zero_rows_and_unequal_counts_are_solved(void **state)
{
    (void)state;
    for (int64_t m = 0; m <= 60; m += 12)
        for (int p = 4; p <= 8; p += 2) {
            scalay_layout *source = grid_of(m, 70 - m, 9, 13, 8, 8, SCALAY_ROW_MAJOR);
            scalay_layout *target = grid_of(m, 70 - m, 11, 8, p, 8, SCALAY_ROW_MAJOR);
            scalay_layout *few = grid_of(m, 70 - m, 5, 4, 2, 3, SCALAY_ROW_MAJOR);
            if (p == 8) compare_objectives(source, target, p);
            check_barred(source, target, NULL);
            check_barred(few, target, NULL);
            scalay_layout_destroy(&source);
            scalay_layout_destroy(&target);
            scalay_layout_destroy(&few);
        }
}

/* Everything can stay where it is, on processes that have been shuffled: all objectives find that out. */
static void hidden_permutations_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int p = 6 + (int)scalay_random_below(&random, 3), q = 6 + (int)scalay_random_below(&random, 3);
        const int64_t m = 100 + scalay_random_below(&random, 200), n = 100 + scalay_random_below(&random, 200);
        scalay_layout *source = shuffled(&random, grid_of(m, n, 7, 5, p, q, SCALAY_ROW_MAJOR), p, q, seed % 2 == 0);
        scalay_layout *target = NULL;
        assert_success(scalay_layout_block_cyclic(m, n, 7, 5, p, q, 3, 4, SCALAY_ROW_MAJOR, &target));
        const size_t count = sizeof all_objectives / sizeof *all_objectives - (seed % 2 == 0); /* scattered: no grid */
        for (size_t k = 0; k < count; k++) {
            scalay_mapping *mapping = NULL;
            assert_success(scalay_mapping_create(source, target, all_objectives[k], NULL, &mapping));
            assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
            assert_int_equal(mapping_summary(mapping).steps, 0);
            assert_int_equal(mapping_summary(mapping).volume, 0);
            assert_success(scalay_mapping_check_layouts(1, (const scalay_layout *const *)&source,
                                                        (const scalay_layout *const *)&target, NULL, mapping, NULL));
            scalay_mapping_destroy(&mapping);
        }
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_kept_without_the_traffic),
        cmocka_unit_test(kept_grids_are_as_good_as_on_the_traffic),
        cmocka_unit_test(grids_of_many_processes_need_little_memory),
        cmocka_unit_test(volume_and_time_of_many_processes_need_little_memory),
        cmocka_unit_test(barred_processes_take_nothing_without_the_traffic),
        cmocka_unit_test(totals_near_2_to_63_are_exact),
        cmocka_unit_test(zero_rows_and_unequal_counts_are_solved),
        cmocka_unit_test(hidden_permutations_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
