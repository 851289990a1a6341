/* Mappings that keep a grid: equal to brute force over all pairs of permutations where they are proven, never better
 * and never worse than told where they are not. */
#include "instances.h"

#include <string.h>

#include "mapping/mapping.h"
#include "scalay/layout.h"
#include "summaries.h"

enum { LINES = 4, PARTS = LINES * LINES };

/* A dense traffic matrix between places of a grid, row by row, and its parts, likewise. */
typedef struct {
    int rows, cols;
    int64_t items[PARTS][PARTS];
} square;

static int64_t kept_with(const square *q, const int *row, const int *col)
{
    int64_t kept = 0;
    for (int r = 0; r < q->rows; r++)
        for (int c = 0; c < q->cols; c++) kept += q->items[row[r] * q->cols + col[c]][r * q->cols + c];
    return kept;
}

/* Tries every order of the columns, then of the rows, from place k on. */
static void try_orders(const square *q, int k, int *row, int *col, int64_t *best)
{
    int *order = k < q->cols ? col : row;
    const int at = k < q->cols ? k : k - q->cols, extent = k < q->cols ? q->cols : q->rows;
    if (k == q->cols + q->rows) {
        const int64_t kept = kept_with(q, row, col);
        if (kept > *best) *best = kept;
        return;
    }
    for (int x = at; x < extent; x++) {
        const int mine = order[at];
        order[at] = order[x];
        order[x] = mine;
        try_orders(q, k + 1, row, col, best);
        order[x] = order[at];
        order[at] = mine;
    }
}

static int64_t brute_force(const square *q)
{
    int row[LINES] = {0, 1, 2, 3}, col[LINES] = {0, 1, 2, 3};
    int64_t best = 0;
    try_orders(q, 0, row, col, &best);
    return best;
}

/* The parts of a row are on processes of one row, those of a column on one column. */
static void check_lines(const scalay_mapping *mapping, int rows, int cols)
{
    const int *process = scalay_mapping_process(mapping);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            assert_int_equal(process[r * cols + c] / cols, process[r * cols] / cols);
            assert_int_equal(process[r * cols + c] % cols, process[c] % cols);
        }
}

static square random_square(scalay_random *random, int product)
{
    square q = {.rows = 1 + (int)scalay_random_below(random, LINES),
                .cols = 1 + (int)scalay_random_below(random, LINES)};
    const int64_t range = scalay_random_below(random, 2) ? 3 : 1000;
    int64_t row[LINES][LINES], col[LINES][LINES];
    for (int a = 0; a < LINES; a++)
        for (int b = 0; b < LINES; b++) {
            row[a][b] = scalay_random_below(random, range);
            col[a][b] = scalay_random_below(random, range);
        }
    for (int i = 0; i < q.rows * q.cols; i++)
        for (int j = 0; j < q.rows * q.cols; j++)
            q.items[i][j] = product ? row[i / q.cols][j / q.cols] * col[i % q.cols][j % q.cols]
                                    : scalay_random_below(random, range);
    return q;
}

static scalay_traffic *traffic_of(const square *q)
{
    const int parts = q->rows * q->cols;
    instance made = instance_allocate(parts, parts);
    scalay_traffic *traffic = NULL;
    for (int i = 0; i < parts; i++)
        for (int j = 0; j < parts; j++) made.items[i * parts + j] = q->items[i][j];
    assert_success(instance_traffic(&made, &traffic));
    instance_free(&made);
    return traffic;
}

/* Returns whether brute force finds nothing better. */
static int check_square(const square *q, int product)
{
    scalay_traffic *traffic = traffic_of(q);
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.grid_rows = q->rows;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_GRID_VOLUME, &options, &mapping));
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    check_lines(mapping, q->rows, q->cols);
    const int64_t least = traffic_summary(traffic).elements - brute_force(q);
    const int64_t volume = mapping_summary(mapping).volume, bound = mapping_summary(mapping).volume_bound;
    assert_true(bound <= least && least <= volume);
    if (mapping_summary(mapping).proof == SCALAY_PROOF_OPTIMAL) assert_int_equal(volume, bound);
    if (product) assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    return volume == least;
}

static void products_are_solved_exactly(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const square q = random_square(&random, 1);
        if (!check_square(&q, 1)) fail_msg("seed %llu: brute force finds less", (unsigned long long)seed);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void any_traffic_lies_between_bound_and_volume(void **state)
{
    (void)state;
    int best = 0, tried = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const square q = random_square(&random, 0);
        best += check_square(&q, 0);
        tried++;
    }
    print_message("%d of %d are as good as brute force\n", best, tried);
    assert_true(best * 10 >= tried * 9);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Rows and columns in hidden orders: everything can stay. */
static void hidden_orders_are_found(void **state)
{
    (void)state;
    enum { ROWS = 12, COLS = 9, ALL = ROWS * COLS };
    for (uint64_t seed = 1; seed <= 50; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int row[ROWS], col[COLS], process[ALL], part[ALL];
        int64_t items[ALL];
        scalay_traffic *traffic = NULL;
        scalay_mapping *mapping = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        random_processes(&random, ROWS, ROWS, row);
        random_processes(&random, COLS, COLS, col);
        for (int k = 0; k < ALL; k++) {
            process[k] = row[k / COLS] * COLS + col[k % COLS];
            part[k] = k;
            items[k] = 1 + scalay_random_below(&random, 100);
        }
        options.grid_rows = ROWS;
        assert_success(scalay_traffic_from_entries(ALL, ALL, ALL, process, part, items, &traffic));
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_GRID_VOLUME, &options, &mapping));
        assert_int_equal(mapping_summary(mapping).volume, 0);
        assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
        assert_success(scalay_mapping_check(traffic, mapping, &options));
        scalay_mapping_destroy(&mapping);
        scalay_traffic_destroy(&traffic);
    }
}

/* Between grids of one shape, with sources and orders of their own. */
static void grids_of_one_shape_are_proven(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int p = 1 + (int)scalay_random_below(&random, 9), q = 1 + (int)scalay_random_below(&random, 9);
        const scalay_order order = scalay_random_below(&random, 2) ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR;
        const int64_t m = 1 + scalay_random_below(&random, 400), n = 1 + scalay_random_below(&random, 400);
        scalay_layout *layout[2] = {NULL, NULL};
        scalay_traffic *traffic = NULL;
        scalay_mapping *mapping = NULL, *free_mapping = NULL;
        for (int k = 0; k < 2; k++)
            assert_success(scalay_layout_block_cyclic(
                m, n, 1 + scalay_random_below(&random, 12), 1 + scalay_random_below(&random, 12), p, q,
                (int)scalay_random_below(&random, p), (int)scalay_random_below(&random, q), order, &layout[k]));
        assert_success(scalay_traffic_create(layout[0], layout[1], &traffic));
        assert_success(scalay_mapping_create(layout[0], layout[1], SCALAY_MIN_GRID_VOLUME, NULL, &mapping));
        assert_success(scalay_mapping_create(layout[0], layout[1], SCALAY_MIN_VOLUME, NULL, &free_mapping));
        assert_success(scalay_mapping_check(traffic, mapping, NULL));
        assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
        assert_true(mapping_summary(mapping).volume >= mapping_summary(free_mapping).volume);
        scalay_mapping_destroy(&mapping);
        scalay_mapping_destroy(&free_mapping);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&layout[0]);
        scalay_layout_destroy(&layout[1]);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Between grids of other shapes; fewer than 32 parts go by the traffic. */
static void the_seed_decides_about_the_starts(void **state)
{
    (void)state;
    scalay_layout *source = NULL, *target = NULL;
    assert_success(scalay_layout_block_cyclic(317, 211, 1, 7, 7, 10, 0, 0, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(317, 211, 1, 9, 7, 11, 0, 0, SCALAY_ROW_MAJOR, &target));
    int64_t least = INT64_MAX, most = 0;
    for (int64_t seed = 1; seed <= 20; seed++) {
        int64_t volume[2] = {0, 0};
        for (int again = 0; again < 2; again++) {
            scalay_mapping_options options = scalay_mapping_options_default();
            scalay_mapping *mapping = NULL;
            options.seed = seed;
            assert_success(scalay_mapping_create(source, target, SCALAY_MIN_GRID_VOLUME, &options, &mapping));
            volume[again] = mapping_summary(mapping).volume;
            scalay_mapping_destroy(&mapping);
        }
        assert_int_equal(volume[0], volume[1]);
        least = volume[0] < least ? volume[0] : least;
        most = volume[0] > most ? volume[0] : most;
    }
    assert_true(least < most);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

static scalay_status solve_small(scalay_mapping **mapping, scalay_traffic *traffic, int rows)
{
    scalay_mapping_options options = scalay_mapping_options_default();
    options.grid_rows = rows;
    return scalay_mapping_from_traffic(traffic, SCALAY_MIN_GRID_VOLUME, &options, mapping);
}

static void tampering_is_refused(void **state)
{
    (void)state;
    square q = {.rows = 3, .cols = 4};
    scalay_mapping *mapping = NULL;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) q.items[i][j] = (1 + (i / 4 + 2 * (j / 4)) % 3) * (1 + (i % 4 + j % 4) % 4);
    scalay_traffic *traffic = traffic_of(&q);
    assert_success(solve_small(&mapping, traffic, 3));
    assert_success(scalay_mapping_check(traffic, mapping, NULL));
    for (int k = 0; k < 14; k++) {
        mapping->certificate.line_dual[k]++;
        assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
        mapping->certificate.line_dual[k] -= 2;
        assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
        mapping->certificate.line_dual[k]++;
    }
    mapping->objective = SCALAY_MIN_VOLUME;
    assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
    mapping->objective = SCALAY_MIN_GRID_VOLUME;
    const int mine = mapping->process[0];
    mapping->process[0] = mapping->process[5];
    mapping->process[5] = mine;
    assert_success(scalay_traffic_cost(traffic, mapping->process, &mapping->volume, &mapping->steps));
    mapping->bound = mapping->volume;
    mapping->time = (double)mapping->volume;
    assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
}

static void wrong_grids_are_refused(void **state)
{
    (void)state;
    const int owner[4] = {0, 1, 1, 0};
    const square q = {.rows = 2, .cols = 3};
    scalay_traffic *traffic = traffic_of(&q);
    scalay_layout *tiles = NULL;
    scalay_mapping *mapping = NULL;
    assert_int_equal(solve_small(&mapping, traffic, 0), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(solve_small(&mapping, traffic, 4), SCALAY_ERROR_ARGUMENT);
    assert_success(scalay_layout_tiles(4, 4, 2, 2, 2, owner, &tiles));
    assert_int_equal(scalay_mapping_create(tiles, tiles, SCALAY_MIN_GRID_VOLUME, NULL, &mapping),
                     SCALAY_ERROR_ARGUMENT);
    const unsigned char barred[7] = {0, 0, 1, 0, 0, 0, 0};
    scalay_mapping_options options = scalay_mapping_options_default();
    options.grid_rows = 2;
    options.processes = 7;
    options.barred = barred;
    assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_GRID_VOLUME, &options, &mapping),
                     SCALAY_ERROR_INFEASIBLE);
    options.barred = NULL;
    options.budget_seconds = -1.0;
    assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_GRID_VOLUME, &options, &mapping),
                     SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&tiles);
    scalay_traffic_destroy(&traffic);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(11);
    scalay_mapping *mapping = NULL;
    square q = {.rows = 3, .cols = 2};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) q.items[i][j] = scalay_random_below(&random, 9);
    scalay_traffic *traffic = traffic_of(&q);
    const int64_t live = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t k = 1; status != SCALAY_SUCCESS; k++) {
        scalay_memory_fail_at(k);
        status = solve_small(&mapping, traffic, 3);
        scalay_memory_fail_at(0);
        if (status == SCALAY_SUCCESS) break;
        assert_int_equal(status, SCALAY_ERROR_MEMORY);
        assert_int_equal(scalay_memory_live(), live);
    }
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_solved_exactly),
        cmocka_unit_test(any_traffic_lies_between_bound_and_volume),
        cmocka_unit_test(hidden_orders_are_found),
        cmocka_unit_test(grids_of_one_shape_are_proven),
        cmocka_unit_test(the_seed_decides_about_the_starts),
        cmocka_unit_test(tampering_is_refused),
        cmocka_unit_test(wrong_grids_are_refused),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
