/* Traffic matrices between layouts: what counting element by element gives; what only has other names does not move. */
#include "instances.h"

#include "layout/layout.h"
#include "mapping/traffic.h"
#include "scalay/layout.h"
#include "summaries.h"

static int small(scalay_random *random, int most)
{
    return 1 + (int)scalay_random_below(random, most);
}

static scalay_layout *random_grid(scalay_random *random, int64_t m, int64_t n)
{
    scalay_layout *layout = NULL;
    int nprow = small(random, 4);
    int npcol = small(random, 4);
    assert_success(scalay_layout_block_cyclic(
        m, n, small(random, 9), small(random, 9), nprow, npcol, (int)scalay_random_below(random, nprow),
        (int)scalay_random_below(random, npcol), (scalay_order)scalay_random_below(random, 2), &layout));
    return layout;
}

static scalay_layout *random_tiles(scalay_random *random, int64_t m, int64_t n)
{
    scalay_layout *layout = NULL;
    int mb = small(random, 9);
    int nb = small(random, 9);
    int parts = small(random, scalay_random_below(random, 4) == 0 ? 300 : 30);
    int64_t tiles = ((m + mb - 1) / mb) * ((n + nb - 1) / nb);
    int *owner = calloc((size_t)tiles + 1, sizeof *owner);
    assert_non_null(owner);
    for (int64_t k = 0; k < tiles; k++) owner[k] = (int)scalay_random_below(random, parts);
    assert_success(scalay_layout_tiles(m, n, mb, nb, parts, owner, &layout));
    free(owner);
    return layout;
}

/* Every kind: grids, tile maps, the generators of the paper; some with their parts on other processes. */
static scalay_layout *random_whole(scalay_random *random, int64_t m, int64_t n)
{
    scalay_layout *layout = NULL;
    switch (scalay_random_below(random, 6)) {
    case 0:
        layout = random_tiles(random, m, n);
        break;
    case 1:
        assert_success(scalay_layout_skewed(m, n, small(random, 9), small(random, 9), small(random, 3),
                                            small(random, 3), scalay_random_bits(random), &layout));
        break;
    case 2:
        assert_success(scalay_layout_chunks(m, n, small(random, 9), small(random, 9), small(random, 9),
                                            scalay_random_bits(random), &layout));
        break;
    default:
        layout = random_grid(random, m, n);
        break;
    }
    if (scalay_random_below(random, 3) > 0) return layout;
    int parts = scalay_layout_parts(layout);
    int processes = parts + (int)scalay_random_below(random, 4);
    int process[320];
    scalay_layout *relabelled = NULL;
    random_processes(random, processes, parts, process);
    assert_success(scalay_layout_relabel(layout, processes, process, &relabelled));
    scalay_layout_destroy(&layout);
    return relabelled;
}

/* m x n, in half of all cases as a submatrix. */
static scalay_layout *random_layout(scalay_random *random, int64_t m, int64_t n)
{
    if (scalay_random_below(random, 2) == 0) return random_whole(random, m, n);
    int64_t row = scalay_random_below(random, 20);
    int64_t col = scalay_random_below(random, 20);
    scalay_layout *whole =
        random_whole(random, m + row + scalay_random_below(random, 9), n + col + scalay_random_below(random, 9));
    scalay_layout *submatrix = NULL;
    assert_success(scalay_layout_submatrix(whole, row, col, m, n, &submatrix));
    scalay_layout_destroy(&whole);
    return submatrix;
}

static instance count_elements(const scalay_layout *source, const scalay_layout *target)
{
    instance made = instance_allocate(scalay_layout_processes(source), scalay_layout_parts(target));
    for (int64_t i = 0; i < scalay_layout_rows(source); i++)
        for (int64_t j = 0; j < scalay_layout_cols(source); j++) {
            int from = scalay_layout_owner(source, i, j);
            int part = scalay_layout_part_of_process(target, scalay_layout_owner(target, i, j));
            made.items[from * made.parts + part]++;
        }
    return made;
}

static void between_layouts_it_is_what_counting_elements_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int64_t m = scalay_random_below(&random, 60);
        int64_t n = scalay_random_below(&random, 60);
        scalay_layout *source = random_layout(&random, m, n);
        scalay_layout *target = random_layout(&random, m, n);
        scalay_traffic *traffic = NULL;
        assert_success(scalay_traffic_create(source, target, &traffic));
        instance counted = count_elements(source, target);
        int64_t nonzeros = 0;
        assert_int_equal(traffic_summary(traffic).processes, counted.processes);
        assert_int_equal(traffic_summary(traffic).parts, counted.parts);
        assert_int_equal(traffic_summary(traffic).elements, m * n);
        for (int i = 0; i < counted.processes; i++)
            for (int j = 0; j < counted.parts; j++) {
                nonzeros += instance_get(&counted, i, j) > 0;
                if (scalay_traffic_get_entry(traffic, i, j) != instance_get(&counted, i, j))
                    fail_msg("seed %llu: process %d, part %d", (unsigned long long)seed, i, j);
            }
        assert_int_equal(traffic_summary(traffic).nonzeros, nonzeros);
        for (int i = 0; i < counted.processes; i++)
            for (int64_t e = traffic->start[i] + 1; e < traffic->start[i + 1]; e++)
                assert_true(traffic->part[e] > traffic->part[e - 1]);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
        instance_free(&counted);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

static void block_cyclic_pairs_of_any_size_take_closed_form(void **state)
{
    (void)state;
    scalay_layout *source = NULL;
    scalay_layout *target = NULL;
    scalay_traffic *traffic = NULL;
    const int64_t extent = INT64_C(1) << 31;
    /* 2^62 elements in blocks of one. */
    assert_success(scalay_layout_block_cyclic(extent, extent, 1, 1, 8, 16, 3, 5, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(extent, extent, 2, 1, 16, 8, 0, 1, SCALAY_COLUMN_MAJOR, &target));
    assert_success(scalay_traffic_create(source, target, &traffic));
    assert_int_equal(traffic_summary(traffic).elements, INT64_C(1) << 62);
    for (int k = 0; k < 128; k++) {
        assert_int_equal(traffic->held[k], scalay_layout_elements(source, k));
        assert_int_equal(traffic->wanted[k], scalay_layout_elements(target, k));
        /* Rows that are equal modulo 8 meet 4 of the 16 row classes in blocks of 2; columns that are equal modulo 16
         * meet 1 of 8 column classes. */
        assert_int_equal(traffic->start[k + 1] - traffic->start[k], 4);
    }
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

/* A mapping that undoes a relabelling moves nothing. */
static void assert_nothing_moves(const scalay_layout *source, const scalay_layout *target)
{
    static const scalay_objective objectives[] = {SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS, SCALAY_MIN_TIME};
    for (size_t k = 0; k < sizeof objectives / sizeof objectives[0]; k++) {
        scalay_mapping *mapping = NULL;
        scalay_layout *mapped = NULL;
        assert_success(scalay_mapping_create(source, target, objectives[k], NULL, &mapping));
        assert_int_equal(mapping_summary(mapping).volume, 0);
        assert_int_equal(mapping_summary(mapping).steps, 0);
        assert_success(scalay_mapping_apply(mapping, target, &mapped));
        assert_true(scalay_layout_same_owners(source, mapped));
        scalay_layout_destroy(&mapped);
        scalay_mapping_destroy(&mapping);
    }
}

static void shifts_orders_and_relabellings_move_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int nprow = small(&random, 5);
        int npcol = small(&random, 5);
        int mb = small(&random, 9);
        int nb = small(&random, 9);
        int64_t m = scalay_random_below(&random, 200);
        int64_t n = scalay_random_below(&random, 200);
        int process[25];
        scalay_layout *source = NULL;
        scalay_layout *shifted = NULL;
        scalay_layout *relabelled = NULL;
        assert_success(scalay_layout_block_cyclic(m, n, mb, nb, nprow, npcol, 0, 0, SCALAY_ROW_MAJOR, &source));
        assert_success(scalay_layout_block_cyclic(m, n, mb, nb, nprow, npcol, (int)scalay_random_below(&random, nprow),
                                                  (int)scalay_random_below(&random, npcol), SCALAY_COLUMN_MAJOR,
                                                  &shifted));
        random_processes(&random, nprow * npcol, nprow * npcol, process);
        assert_success(scalay_layout_relabel(source, nprow * npcol, process, &relabelled));
        assert_nothing_moves(source, shifted);
        assert_nothing_moves(source, relabelled);
        assert_nothing_moves(relabelled, shifted);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&shifted);
        scalay_layout_destroy(&relabelled);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

static void the_canonical_mapping_is_where_the_target_has_its_parts(void **state)
{
    (void)state;
    const int process[4] = {6, 2, 5, 0};
    scalay_layout *source = NULL;
    scalay_layout *grid = NULL;
    scalay_layout *target = NULL;
    scalay_mapping *mapping = NULL;
    assert_success(scalay_layout_block_cyclic(50, 40, 8, 8, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(50, 40, 7, 5, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &grid));
    assert_success(scalay_layout_relabel(grid, 7, process, &target));
    assert_success(scalay_mapping_create(source, target, SCALAY_CANONICAL, NULL, &mapping));
    assert_int_equal(mapping_summary(mapping).processes, 7);
    for (int j = 0; j < 4; j++) assert_int_equal(scalay_mapping_process(mapping)[j], process[j]);
    assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_NONE);
    scalay_mapping_destroy(&mapping);
    /* Where the data says nothing, parts stay on their canonical process. */
    scalay_layout *empty = NULL;
    scalay_layout *nothing = NULL;
    assert_success(scalay_layout_submatrix(source, 3, 3, 0, 0, &empty));
    assert_success(scalay_layout_submatrix(target, 3, 3, 0, 0, &nothing));
    assert_success(scalay_mapping_create(empty, nothing, SCALAY_MIN_STEPS_THEN_VOLUME, NULL, &mapping));
    for (int j = 0; j < 4; j++) assert_int_equal(scalay_mapping_process(mapping)[j], process[j]);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&empty);
    scalay_layout_destroy(&nothing);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&grid);
    scalay_layout_destroy(&target);
    assert_int_equal(scalay_memory_live(), 0);
}

static void extents_that_differ_are_refused(void **state)
{
    (void)state;
    scalay_layout *source = NULL;
    scalay_layout *target = NULL;
    scalay_traffic *traffic = NULL;
    assert_success(scalay_layout_block_cyclic(5, 6, 1, 1, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(6, 5, 1, 1, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &target));
    assert_int_equal(scalay_traffic_create(source, target, &traffic), SCALAY_ERROR_MISMATCH);
    assert_null(traffic);
    assert_int_equal(scalay_traffic_create(source, source, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(9);
    scalay_layout *source = random_grid(&random, 40, 30);
    scalay_layout *target = random_tiles(&random, 40, 30);
    int64_t before = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t n = 0;
    while (status != SCALAY_SUCCESS) {
        scalay_traffic *traffic = NULL;
        scalay_memory_fail_at(++n);
        status = scalay_traffic_create(source, target, &traffic);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || (status == SCALAY_ERROR_MEMORY && traffic == NULL));
        scalay_traffic_destroy(&traffic);
        assert_int_equal(scalay_memory_live(), before);
    }
    assert_true(n > 6);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_layouts_it_is_what_counting_elements_gives),
        cmocka_unit_test(block_cyclic_pairs_of_any_size_take_closed_form),
        cmocka_unit_test(shifts_orders_and_relabellings_move_nothing),
        cmocka_unit_test(the_canonical_mapping_is_where_the_target_has_its_parts),
        cmocka_unit_test(extents_that_differ_are_refused),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
