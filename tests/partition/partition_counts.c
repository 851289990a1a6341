/* Exact counts: ragged repair and Push, against enumeration. Run with a seed as argument to repeat a case, or with
   "long" for larger matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "partition/drawings.h"
#include "partition/exact_counts.h"
#include "partition/push.h"

enum { MOST_PUSHED = 16 };

static uint64_t first_seed = 1;
static int is_long;
static painted paints;

/* ------------------------------------------------------------------- three processors: the bound, and enumeration */

/* hp(S): rows plus columns of the best rectangle around S elements. */
static int half_perimeter(int elements)
{
    int best = elements + 1;
    for (int rows = 1; rows <= elements; rows++) {
        const int cols = (elements + rows - 1) / rows;
        if (rows + cols < best) best = rows + cols;
    }
    return best;
}

/* LB_d / n of the facts about three processors, p >= q >= r. */
static int discrete_bound(int n, int p, int q, int r)
{
    int bound = half_perimeter(q) + half_perimeter(r);
    if (n + half_perimeter(r) < bound) bound = n + half_perimeter(r);
    if (2 * n - p / n < bound) bound = 2 * n - p / n;
    return bound;
}

/* The map of the best shape of three, and what it costs. */
static int64_t cost_of_three(int n, int p, int q, int r)
{
    const double area[3] = {p, q, r};
    scalay_rounding rounding;
    paints.count = 0;
    paint_three(&paints, area, n);
    const scalay_drawing drawing = drawing_of(&paints, n, n);
    const scalay_rounding_request request = {
        .m = n, .n = n, .parts = 3, .area = area, .tile = 1, .exact_counts = 1, .seed = 1};
    assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
    int64_t count[3];
    count_elements(rounding.map, count);
    assert_true(count[0] == p && count[1] == q && count[2] == r);
    const int64_t cost = owners_beyond_the_first(rounding.map);
    scalay_rounding_free(&rounding);
    return cost;
}

static void three_processors_are_within_two_lines_of_the_bound(void **state)
{
    (void)state;
    const int n = is_long ? 17 : 10;
    int triples = 0, on_bound = 0;
    for (int r = 1; r <= n * n / 3; r++)
        for (int q = r; q <= (n * n - r) / 2; q++) {
            const int p = n * n - q - r, bound = discrete_bound(n, p, q, r);
            const int64_t cost = cost_of_three(n, p, q, r);
            if (cost < bound || cost > bound + 2) fail_msg("%d %d %d: %lld, bound %d", p, q, r, (long long)cost, bound);
            triples++;
            on_bound += cost == bound;
        }
    assert_true(triples == (is_long ? 6960 : 833) && on_bound > triples / 5);
    assert_int_equal(scalay_memory_live(), 0);
}

/* How many lines have each set of owners: index 1 .. 7 is a set of three. */
typedef struct {
    int lines[8];
    int cost; /* owners beyond the first, summed over the lines */
} line_sets;

enum { MOST_SETS = 4000 };

static int list_sets(int n, int set, line_sets *at, line_sets *list, int listed)
{
    if (set == 7) {
        at->lines[7] = n;
        at->cost = 0;
        for (int s = 1; s < 8; s++) at->cost += at->lines[s] * ((s & 1) + (s >> 1 & 1) + (s >> 2 & 1) - 1);
        list[listed++] = *at;
        return listed;
    }
    for (at->lines[set] = 0; at->lines[set] <= n; at->lines[set]++)
        listed = list_sets(n - at->lines[set], set + 1, at, list, listed);
    return listed;
}

/* at_most[X], elements whose possible owners all are in the set X, of a map whose rows and columns have these sets of
   possible owners; 0 when an element has none. By Hall's theorem counts are possible iff no X has fewer elements than
   that many. */
static int count_confined(const line_sets *row, const line_sets *col, int confined[8])
{
    int own[8] = {0};
    for (int r = 1; r < 8; r++)
        for (int c = 1; c < 8; c++) own[r & c] += row->lines[r] * col->lines[c];
    if (own[0] > 0) return 0;
    for (int x = 0; x < 8; x++) {
        confined[x] = 0;
        for (int s = 1; s < 8; s++)
            if ((s & ~x) == 0) confined[x] += own[s];
    }
    return 1;
}

/* The least f_c / n over all maps of p, q and r elements: best[q][r]. */
static void enumerate(int n, int best[64][64])
{
    static line_sets list[MOST_SETS];
    line_sets at;
    memset(&at, 0, sizeof at);
    const int sets = list_sets(n, 1, &at, list, 0);
    assert_true(sets < MOST_SETS);
    for (int q = 0; q < 64; q++)
        for (int r = 0; r < 64; r++) best[q][r] = 99;
    for (int i = 0; i < sets; i++)
        for (int j = 0; j < sets; j++) {
            int confined[8];
            if (list[i].cost + list[j].cost > 2 * n || !count_confined(&list[i], &list[j], confined)) continue;
            for (int r = 1; r <= n * n / 3; r++)
                for (int q = r; q <= (n * n - r) / 2; q++) {
                    const int p = n * n - q - r;
                    const int fits = confined[1] <= p && confined[2] <= q && confined[4] <= r && confined[3] <= p + q &&
                                     confined[5] <= p + r && confined[6] <= q + r;
                    if (fits && list[i].cost + list[j].cost < best[q][r]) best[q][r] = list[i].cost + list[j].cost;
                }
        }
}

static void small_matrices_come_within_two_lines_of_the_best_of_all_maps(void **state)
{
    (void)state;
    static int best[64][64];
    for (int n = 2; n <= (is_long ? 8 : 5); n++) {
        enumerate(n, best);
        for (int r = 1; r <= n * n / 3; r++)
            for (int q = r; q <= (n * n - r) / 2; q++) {
                const int p = n * n - q - r, bound = discrete_bound(n, p, q, r);
                const int64_t cost = cost_of_three(n, p, q, r);
                if (best[q][r] < bound || best[q][r] > bound + 2)
                    fail_msg("the facts' bound is wrong for %d %d %d: %d, bound %d", p, q, r, best[q][r], bound);
                if (cost < best[q][r] || cost > bound + 2)
                    fail_msg("%d %d %d: %lld, best %d", p, q, r, (long long)cost, best[q][r]);
            }
    }
}

/* ------------------------------------------------------------------------------------------- ragged repair */

/* Random maps, random targets. */
static void random_maps_get_any_counts(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 400; seed++) {
        scalay_random random = scalay_random_seed(seed);
        enum { MOST_CELLS = 7, PARTS = 9 };
        const int64_t rows = 1 + scalay_random_below(&random, MOST_CELLS), cols = 1 + scalay_random_below(&random, 7);
        const int parts = 1 + (int)scalay_random_below(&random, PARTS);
        int64_t row_cut[MOST_CELLS + 1] = {0}, col_cut[MOST_CELLS + 1] = {0}, target[PARTS] = {0};
        int owner[MOST_CELLS * MOST_CELLS];
        scalay_map_builder builder;
        scalay_cell_grid grid = {.rows = rows, .cols = cols, .row_cut = row_cut, .col_cut = col_cut, .owner = owner};
        for (int64_t k = 0; k < rows; k++) row_cut[k + 1] = row_cut[k] + 1 + scalay_random_below(&random, 9);
        for (int64_t k = 0; k < cols; k++) col_cut[k + 1] = col_cut[k] + 1 + scalay_random_below(&random, 9);
        for (int64_t k = 0; k < rows * cols; k++) owner[k] = (int)scalay_random_below(&random, parts);
        const int used = 1 + (int)scalay_random_below(&random, parts);
        for (int64_t k = 0; k < row_cut[rows] * col_cut[cols]; k++) target[scalay_random_below(&random, used)]++;
        assert_int_equal(scalay_map_builder_create(parts, &grid, &builder), SCALAY_SUCCESS);
        assert_int_equal(scalay_exact_counts(target, &builder), SCALAY_SUCCESS);
        int64_t count[PARTS] = {0};
        assert_int_equal(scalay_map_builder_get_grid(&builder, &grid), SCALAY_SUCCESS);
        assert_int_equal(grid.row_cut[grid.rows], row_cut[rows]);
        assert_int_equal(grid.col_cut[grid.cols], col_cut[cols]);
        for (int64_t r = 0; r < grid.rows; r++)
            for (int64_t c = 0; c < grid.cols; c++)
                count[grid.owner[r * grid.cols + c]] +=
                    (grid.row_cut[r + 1] - grid.row_cut[r]) * (grid.col_cut[c + 1] - grid.col_cut[c]);
        for (int k = 0; k < parts; k++)
            if (count[k] != target[k] || builder.count[k] != target[k])
                fail_msg("seed %llu: part %d has %lld of %lld", (unsigned long long)seed, k, (long long)count[k],
                         (long long)target[k]);
        scalay_cell_grid_free(&grid);
        scalay_map_builder_free(&builder);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Too large for Push: what exact counts cost beyond whole edges is about one line for each pair of neighbours. */
static void ragged_edges_cost_few_lines(void **state)
{
    (void)state;
    enum { PARTS = 12 };
    for (uint64_t seed = first_seed; seed < first_seed + 10; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int64_t m = 300 + scalay_random_below(&random, 300), n = 300 + scalay_random_below(&random, 300);
        const int parts = 2 + (int)scalay_random_below(&random, PARTS - 1);
        double area[PARTS];
        int64_t target[PARTS], cost[2];
        assert_false(scalay_push_is_feasible(m, n, parts));
        random_areas(&random, parts, m, n, area);
        paints.count = 0;
        paint_halves(&paints, area, 0, parts, 0, 0, (double)m, (double)n);
        assert_int_equal(scalay_largest_remainders(parts, area, m * n, target), SCALAY_SUCCESS);
        for (int exact = 0; exact < 2; exact++) {
            scalay_rounding rounding;
            const scalay_drawing drawing = drawing_of(&paints, m, n);
            const scalay_rounding_request request = {
                .m = m, .n = n, .parts = parts, .area = area, .tile = 1, .exact_counts = exact};
            assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
            cost[exact] = owners_beyond_the_first(rounding.map);
            for (int k = 0; exact && k < parts; k++)
                assert_int_equal(scalay_owner_map_elements(rounding.map, k), target[k]);
            scalay_rounding_free(&rounding);
        }
        if (cost[1] > cost[0] + 2 * (parts - 1))
            fail_msg("seed %llu: %lld, whole edges %lld, %d parts", (unsigned long long)seed, (long long)cost[1],
                     (long long)cost[0], parts);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ---------------------------------------------------------------------------------------------------- Push */

static int64_t cost_of_cells(int64_t rows, int64_t cols, int parts, const int *owner)
{
    int64_t cost = -rows - cols;
    for (int part = 0; part < parts; part++) {
        for (int64_t i = 0; i < rows; i++) {
            int is_there = 0;
            for (int64_t j = 0; j < cols; j++) is_there |= owner[i * cols + j] == part;
            cost += is_there;
        }
        for (int64_t j = 0; j < cols; j++) {
            int is_there = 0;
            for (int64_t i = 0; i < rows; i++) is_there |= owner[i * cols + j] == part;
            cost += is_there;
        }
    }
    return cost;
}

/* Improves the volume of a map of single elements. */
static scalay_status push_volume(int64_t rows, int64_t cols, int parts, uint64_t seed, int *owner)
{
    int64_t row_cut[MOST_PUSHED + 1], col_cut[MOST_PUSHED + 1];
    for (int64_t i = 0; i <= rows; i++) row_cut[i] = i;
    for (int64_t j = 0; j <= cols; j++) col_cut[j] = j;
    const scalay_push_problem problem = {
        .rows = rows, .cols = cols, .row_cut = row_cut, .col_cut = col_cut, .parts = parts, .seed = seed};
    return scalay_push(&problem, owner);
}

static void push_keeps_counts_and_never_makes_it_worse(void **state)
{
    (void)state;
    int better = 0;
    for (uint64_t seed = first_seed; seed < first_seed + 60; seed++) {
        scalay_random random = scalay_random_seed(seed);
        enum { MOST = 12, PARTS = 6 };
        const int64_t rows = 1 + scalay_random_below(&random, MOST), cols = 1 + scalay_random_below(&random, MOST);
        const int parts = 1 + (int)scalay_random_below(&random, PARTS);
        int owner[MOST * MOST], again[MOST * MOST], balance[PARTS] = {0};
        for (int64_t k = 0; k < rows * cols; k++) {
            owner[k] = again[k] = scalay_random_below(&random, 6) > 0 ? (int)(k % cols * parts / cols)
                                                                      : (int)scalay_random_below(&random, parts);
            balance[owner[k]]++;
        }
        const int64_t before = cost_of_cells(rows, cols, parts, owner);
        assert_int_equal(push_volume(rows, cols, parts, seed, owner), SCALAY_SUCCESS);
        assert_int_equal(push_volume(rows, cols, parts, seed, again), SCALAY_SUCCESS);
        assert_memory_equal(owner, again, (size_t)(rows * cols) * sizeof *owner);
        for (int64_t k = 0; k < rows * cols; k++) balance[owner[k]]--;
        for (int k = 0; k < parts; k++) assert_int_equal(balance[k], 0);
        const int64_t after = cost_of_cells(rows, cols, parts, owner);
        assert_true(after <= before);
        better += after < before;
    }
    assert_true(better > 30);
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_scattered_square_is_found_again(void **state)
{
    (void)state;
    int owner[100] = {0};
    scalay_random random = scalay_random_seed(first_seed);
    for (int left = 9; left > 0;) {
        int *cell = &owner[scalay_random_below(&random, 100)];
        left -= *cell == 0;
        *cell = 1;
    }
    assert_int_equal(push_volume(10, 10, 2, first_seed, owner), SCALAY_SUCCESS);
    assert_int_equal(cost_of_cells(10, 10, 2, owner), 6);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_processors_are_within_two_lines_of_the_bound),
        cmocka_unit_test(small_matrices_come_within_two_lines_of_the_best_of_all_maps),
        cmocka_unit_test(random_maps_get_any_counts),
        cmocka_unit_test(ragged_edges_cost_few_lines),
        cmocka_unit_test(push_keeps_counts_and_never_makes_it_worse),
        cmocka_unit_test(a_scattered_square_is_found_again),
    };
    is_long = count > 1 && strcmp(arguments[1], "long") == 0;
    if (count > 1 && !is_long) first_seed = strtoull(arguments[1], NULL, 10);
    (void)printf("seeds from %llu on\n", (unsigned long long)first_seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
