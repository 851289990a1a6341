/* Cyclic maps for factorisations, against their definitions. Run with a seed as argument to repeat a case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "partition/drawings.h"
#include "partition/owner_map.h"

static uint64_t first_seed = 1;

/* ----------------------------------------------------------------------------------------------- columns */

/* The least time in which the first `parts` parts finish `left` columns. */
static double least_time(int parts, const double *speed, int left)
{
    double best = INFINITY;
    if (parts == 0) return left == 0 ? 0 : INFINITY;
    const double last = speed[parts - 1];
    for (int give = 0; give <= left && (give == 0 || last > 0); give++)
        best = fmin(best, fmax(give > 0 ? give / last : 0, least_time(parts - 1, speed, left - give)));
    return best;
}

/* --------------------------------------------------------------------------------------------------- 1D-1D maps */

/* Speeds 2 : 1 : 1 on 8 x 8 tiles in two groups: one has the fast part, the other one the slow parts. Both get half of
 * the tile columns, and the slow parts half of the tile rows each. */
static void fast_and_slow_parts_share_columns_and_rows(void **state)
{
    (void)state;
    const double speed[3] = {2, 1, 1};
    scalay_owner_map *map = NULL;
    double balance = 0;
    assert_int_equal(scalay_owner_map_1d1d(80, 80, 10, 3, speed, SCALAY_TRAILING_FULL, 2, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_elements(map, 0), 3200);
    assert_int_equal(scalay_owner_map_elements(map, 1), 1600);
    assert_int_equal(scalay_owner_map_elements(map, 2), 1600);
    assert_int_equal(scalay_owner_map_trailing_balance(map, 10, speed, SCALAY_TRAILING_FULL, &balance), SCALAY_SUCCESS);
    assert_true(balance > 0.9); /* 8 x 8 tiles only */
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Each tile column belongs to one group; within a group, each tile row has one owner. */
static void tile_columns_have_groups_and_tile_rows_have_members(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        enum { PARTS = 12, TILES = 20 };
        const int parts = 1 + (int)scalay_random_below(&random, PARTS);
        const int groups = (int)scalay_random_below(&random, parts + 1);
        const int64_t nb = 1 + scalay_random_below(&random, 4);
        const int64_t m = scalay_random_below(&random, TILES * nb), n = scalay_random_below(&random, TILES * nb);
        const scalay_trailing trailing = (scalay_trailing)scalay_random_below(&random, 2);
        double speed[PARTS];
        int column_of[PARTS] = {0}; /* first tile column of the group of each part, plus 1 */
        scalay_owner_map *map = NULL;
        for (int k = 0; k < parts; k++)
            speed[k] = k > 0 && scalay_random_below(&random, 8) == 0 ? 0 : 1 + (double)scalay_random_below(&random, 4);
        assert_int_equal(scalay_owner_map_1d1d(m, n, nb, parts, speed, trailing, groups, &map), SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_rows(map), m);
        assert_int_equal(scalay_owner_map_cols(map), n);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                const int owner = scalay_owner_map_owner(map, i, j);
                assert_true(speed[owner] > 0);
                assert_int_equal(owner, scalay_owner_map_owner(map, i / nb * nb, j / nb * nb));
                if (column_of[owner] == 0) column_of[owner] = (int)(j / nb) + 1;
                assert_int_equal(owner, scalay_owner_map_owner(map, i, (column_of[owner] - 1) * nb));
            }
        scalay_owner_map_destroy(&map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The speeds of the benchmark of factorisations, with the default number of groups. */
static void trailing_matrices_are_balanced_at_32_tiles(void **state)
{
    (void)state;
    static const struct {
        int parts;
        double speed[6];
    } sets[] = {
        {3, {1, .5, .5}},     {4, {1, .33, .33, .33}}, {2, {1, 1}},    {4, {1, 1, 1, 1}},
        {5, {1, 1, 1, 1, 1}}, {6, {1, 2, 3, 4, 5, 6}}, {3, {4, 2, 1}}, {2, {2, 1}},
        {4, {3, 2, 1, 1}},    {4, {1, 1, .5, .5}},     {2, {10, 1}},   {3, {1, .15, .1}},
    };
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        for (int trailing = 0; trailing < 2; trailing++) {
            scalay_owner_map *map = NULL;
            double balance = 0;
            assert_int_equal(
                scalay_owner_map_1d1d(2048, 2048, 64, sets[k].parts, sets[k].speed, (scalay_trailing)trailing, 0, &map),
                SCALAY_SUCCESS);
            assert_int_equal(
                scalay_owner_map_trailing_balance(map, 64, sets[k].speed, (scalay_trailing)trailing, &balance),
                SCALAY_SUCCESS);
            (void)printf("set %zu, %s: %.3f\n", k, trailing ? "lower" : "full", balance);
            assert_true(balance >= (trailing ? .94 : .93));
            scalay_owner_map_destroy(&map);
        }
    assert_int_equal(scalay_memory_live(), 0);
}

static void ten_thousand_parts_are_dealt_out(void **state)
{
    (void)state;
    enum { PARTS = 10000 };
    static double speed[PARTS];
    scalay_owner_map *map = NULL;
    int64_t least = INT64_MAX, most = 0;
    for (int k = 0; k < PARTS; k++) speed[k] = 1;
    assert_int_equal(scalay_owner_map_1d1d(128000, 128000, 64, PARTS, speed, SCALAY_TRAILING_LOWER, 0, &map),
                     SCALAY_SUCCESS);
    for (int k = 0; k < PARTS; k++) {
        const int64_t elements = scalay_owner_map_elements(map, k);
        least = elements < least ? elements : least;
        most = elements > most ? elements : most;
    }
    assert_true((double)most < 1.4 * (double)least);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ... or within the third of a tile's time by which all suffixes together are shared more evenly. */
static void every_suffix_of_columns_is_dealt_out_optimally(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 150; seed++) {
        scalay_random random = scalay_random_seed(seed);
        enum { MOST = 12, PARTS = 4 };
        const int parts = 1 + (int)scalay_random_below(&random, PARTS),
                  blocks = (int)scalay_random_below(&random, MOST);
        const int64_t nb = 1 + scalay_random_below(&random, 5), m = scalay_random_below(&random, 4);
        double speed[PARTS], fastest = 0;
        int64_t held[PARTS] = {0};
        scalay_owner_map *map = NULL;
        for (int k = 0; k < parts; k++)
            speed[k] =
                scalay_random_below(&random, 3) > 0 || k == 0 ? (double)(1 + scalay_random_below(&random, 5)) : 0;
        for (int k = 0; k < parts; k++) fastest = fmax(fastest, speed[k]);
        assert_int_equal(scalay_owner_map_1d1d(m, blocks * nb, nb, parts, speed, SCALAY_TRAILING_FULL, parts, &map),
                         SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_rows(map), m);
        assert_int_equal(scalay_owner_map_cols(map), blocks * nb);
        for (int j = blocks - 1; j >= 0 && m > 0; j--) {
            const int owner = scalay_owner_map_owner(map, 0, j * nb);
            double time = 0;
            for (int64_t i = 0; i < m; i++)
                for (int64_t c = 0; c < nb; c++) assert_int_equal(scalay_owner_map_owner(map, i, j * nb + c), owner);
            held[owner]++;
            for (int k = 0; k < parts; k++)
                if (held[k] > 0) time = fmax(time, (double)held[k] / speed[k]);
            assert_true(time <= least_time(parts, speed, blocks - j) + .35 / fastest + 1e-12);
        }
        scalay_owner_map_destroy(&map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The last tile column may be narrower. Each one is given to a part that is done first with it, or nearly. */
static void a_narrow_last_column_counts_what_it_is(void **state)
{
    (void)state;
    const double speed[] = {3, 2, 1};
    const int64_t n = 57, nb = 5;
    int64_t held[3] = {0};
    scalay_owner_map *map = NULL;
    assert_int_equal(scalay_owner_map_1d1d(1, n, nb, 3, speed, SCALAY_TRAILING_FULL, 3, &map), SCALAY_SUCCESS);
    for (int64_t j = n - 1; j >= 0;) {
        const int64_t first = j / nb * nb, width = j - first + 1;
        const int owner = scalay_owner_map_owner(map, 0, j);
        for (int k = 0; k < 3; k++)
            assert_true((double)(held[owner] + width) / speed[owner] <=
                        (double)(held[k] + width) / speed[k] + .35 * (double)width / speed[0] + 1e-12);
        held[owner] += width;
        j = first - 1;
    }
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ---------------------------------------------------------------------------------- generalised blocks */

static void generalised_blocks_follow_their_definition(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 60; seed++) {
        scalay_random random = scalay_random_seed(seed);
        enum { P = 3, Q = 4 };
        const int p = 1 + (int)scalay_random_below(&random, P), q = 1 + (int)scalay_random_below(&random, Q);
        const int64_t block = 4 + scalay_random_below(&random, 9), nb = 1 + scalay_random_below(&random, 3);
        const int64_t m = scalay_random_below(&random, 60), n = scalay_random_below(&random, 60);
        double speed[P * Q], sum[Q] = {0};
        int64_t width[Q];
        scalay_owner_map *map = NULL;
        for (int k = 0; k < p * q; k++) sum[k % q] += speed[k] = 0.1 + scalay_random_unit(&random);
        assert_int_equal(scalay_owner_map_generalised_block(m, n, nb, block, p, q, speed, &map), SCALAY_SUCCESS);
        assert_int_equal(scalay_largest_remainders(q, sum, block, width), SCALAY_SUCCESS);
        for (int64_t j = 0; j < n; j++) {
            int64_t in_block = j / nb % block, height[P];
            double in_column[P];
            int c = 0;
            while (in_block >= width[c]) in_block -= width[c++];
            for (int r = 0; r < p; r++) in_column[r] = speed[r * q + c];
            assert_int_equal(scalay_largest_remainders(p, in_column, block, height), SCALAY_SUCCESS);
            for (int64_t i = 0; i < m; i++) {
                int64_t tile = i / nb % block;
                int r = 0;
                while (tile >= height[r]) tile -= height[r++];
                assert_int_equal(scalay_owner_map_owner(map, i, j), r * q + c);
            }
        }
        scalay_owner_map_destroy(&map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Equal speeds: the ordinary block-cyclic distribution. */
static void equal_speeds_make_the_ordinary_block_cyclic_map(void **state)
{
    (void)state;
    const double speed[6] = {2, 2, 2, 2, 2, 2};
    scalay_owner_map *map = NULL;
    assert_int_equal(scalay_owner_map_generalised_block(40, 50, 2, 6, 2, 3, speed, &map), SCALAY_SUCCESS);
    for (int64_t i = 0; i < 40; i++)
        for (int64_t j = 0; j < 50; j++) assert_int_equal(scalay_owner_map_owner(map, i, j), i / 6 % 2 * 3 + j / 4 % 3);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------ balanced suffixes */

/* A map whose lines fall into a few classes, cut on multiples of nb. */
static scalay_owner_map *random_map(scalay_random *random, int64_t nb, int parts)
{
    enum { CELLS = 9 };
    int64_t row[CELLS + 1] = {0}, col[CELLS + 1] = {0};
    int owner[CELLS * CELLS];
    scalay_owner_map *map = NULL;
    for (int k = 0; k < CELLS; k++) {
        row[k + 1] = row[k] + nb * scalay_random_below(random, 5);
        col[k + 1] = col[k] + nb * scalay_random_below(random, 5);
    }
    row[CELLS] += scalay_random_below(random, nb);
    col[CELLS] += scalay_random_below(random, nb);
    for (int k = 0; k < CELLS * CELLS; k++) owner[k] = (int)scalay_random_below(random, parts);
    for (int k = CELLS; k < CELLS * CELLS; k++)
        if (scalay_random_below(random, 4) > 0) owner[k] = owner[k % (3 * CELLS)];
    assert_int_equal(scalay_owner_map_create(CELLS, CELLS, row, col, parts, owner, &map), SCALAY_SUCCESS);
    return map;
}

static int64_t class_of(const scalay_map_axis *axis, int64_t i)
{
    int64_t run = 0;
    while (axis->end[run] <= i) run++;
    return axis->run_class[run];
}

/* From the end on each class always has its share of the whole tiles, less than one tile more or less; and as many
   tiles as before. */
static void check_suffixes(const scalay_map_axis *axis, const scalay_map_axis *before, int64_t nb)
{
    const int64_t whole = axis->extent / nb;
    assert_int_equal(axis->classes, before->classes);
    for (int64_t class = 0; class < axis->classes; class ++) {
        int64_t held = 0, all = 0;
        for (int64_t t = 0; t < whole; t++) all += class_of(axis, t * nb) == class;
        for (int64_t t = whole - 1; t >= 0; t--) {
            held += class_of(axis, t * nb) == class;
            const double share = (double)all * (double)(whole - t) / (double)whole;
            assert_true(fabs((double)held - share) < 1);
        }
    }
}

static int compare_int64(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* What a line looks like however the others are permuted: how many elements of each part, as one number. */
static void describe_lines(const scalay_owner_map *map, int by_row, int64_t *description)
{
    const int64_t m = scalay_owner_map_rows(map), n = scalay_owner_map_cols(map);
    for (int64_t i = 0; i < (by_row ? m : n); i++) {
        description[i] = 0;
        for (int64_t j = 0; j < (by_row ? n : m); j++) {
            int64_t weight = 1;
            const int part = by_row ? scalay_owner_map_owner(map, i, j) : scalay_owner_map_owner(map, j, i);
            for (int k = 0; k < part; k++) weight *= 1000;
            description[i] += weight;
        }
    }
    qsort(description, (size_t)(by_row ? m : n), sizeof *description, compare_int64);
}

static void suffixes_get_their_shares_or_nothing_changes(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int64_t nb = 1 + scalay_random_below(&random, 4);
        scalay_owner_map *map = random_map(&random, nb, 5), *balanced = NULL;
        int64_t before[200], after[200];
        double speed[5], was = 0, is = 0;
        for (int k = 0; k < 5; k++) speed[k] = 0.2 + scalay_random_unit(&random);
        const scalay_trailing trailing = (scalay_trailing)scalay_random_below(&random, 2);
        assert_int_equal(scalay_owner_map_balance_suffixes(map, nb, speed, trailing, &balanced), SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_trailing_balance(map, nb, speed, trailing, &was), SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_trailing_balance(balanced, nb, speed, trailing, &is), SCALAY_SUCCESS);
        assert_true(is >= was);
        assert_int_equal(owners_beyond_the_first(balanced), owners_beyond_the_first(map));
        for (int by_row = 0; by_row < 2; by_row++) {
            const int64_t lines = by_row ? scalay_owner_map_rows(map) : scalay_owner_map_cols(map);
            assert_int_equal(by_row ? scalay_owner_map_rows(balanced) : scalay_owner_map_cols(balanced), lines);
            describe_lines(map, by_row, before);
            describe_lines(balanced, by_row, after);
            for (int64_t k = 0; k < lines; k++) assert_int_equal(before[k], after[k]);
        }
        if (is > was) {
            check_suffixes(&balanced->row, &map->row, nb);
            check_suffixes(&balanced->col, &map->col, nb);
        }
        for (int64_t i = 0; i < scalay_owner_map_rows(map); i++) /* owners change at multiples of nb only */
            for (int64_t j = 0; j < scalay_owner_map_cols(map); j++)
                assert_int_equal(scalay_owner_map_owner(balanced, i, j),
                                 scalay_owner_map_owner(balanced, i / nb * nb, j / nb * nb));
        scalay_owner_map_destroy(&map);
        scalay_owner_map_destroy(&balanced);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* -------------------------------------------------------------------------------------- trailing balance */

/* The definition: every trailing matrix counted element by element. */
static double balance_by_definition(const scalay_owner_map *map, int64_t nb, const double *speed,
                                    scalay_trailing trailing)
{
    const int64_t m = scalay_owner_map_rows(map), n = scalay_owner_map_cols(map);
    const int parts = scalay_owner_map_parts(map);
    double work = 0, time = 0, all = 0;
    for (int k = 0; k < parts; k++) all += speed[k];
    for (int64_t at = 0; at < m && at < n; at += nb) {
        int64_t count[8] = {0};
        double slowest = 0;
        for (int64_t i = at; i < m; i++)
            for (int64_t j = at; j < n; j++)
                if (trailing == SCALAY_TRAILING_FULL || i / nb >= j / nb) {
                    count[scalay_owner_map_owner(map, i, j)]++;
                    work++;
                }
        for (int k = 0; k < parts; k++) slowest = fmax(slowest, (double)count[k] / speed[k]);
        time += slowest;
    }
    return time > 0 ? work / (all * time) : 1;
}

static void trailing_balance_is_what_counting_says(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 60; seed++) {
        scalay_random random = scalay_random_seed(seed);
        scalay_owner_map *map = random_map(&random, 2, 5);
        const int64_t nb = 1 + scalay_random_below(&random, 7);
        double speed[5], balance = 0;
        for (int k = 0; k < 5; k++) speed[k] = 0.2 + scalay_random_unit(&random);
        for (int k = 0; k < 2; k++) {
            const scalay_trailing trailing = (scalay_trailing)k;
            assert_int_equal(scalay_owner_map_trailing_balance(map, nb, speed, trailing, &balance), SCALAY_SUCCESS);
            assert_true(fabs(balance - balance_by_definition(map, nb, speed, trailing)) < 1e-12);
        }
        scalay_owner_map_destroy(&map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The comparison of the facts: speeds 4 : 2 : 1, 96 tiles each way. */
static void four_two_one_is_balanced_to_0_988_against_0_45(void **state)
{
    (void)state;
    static painted paints;
    const double speed[3] = {4, 2, 1}, area[3] = {9216 * 4 / 7., 9216 * 2 / 7., 9216 / 7.};
    double contiguous = 0, spread = 0;
    scalay_rounding rounding;
    scalay_owner_map *balanced = NULL;
    paints.count = 0;
    paint_three(&paints, area, 96);
    for (int k = 0; k < paints.count; k++) /* the fastest part first, the slowest in the last corner */
        paints.paint[k].col = 96 - paints.paint[k].col - paints.paint[k].cols;
    const scalay_drawing drawing = drawing_of(&paints, 96, 96);
    const scalay_rounding_request request = {.m = 96, .n = 96, .parts = 3, .area = area, .tile = 1};
    assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_balance_suffixes(rounding.map, 1, speed, SCALAY_TRAILING_FULL, &balanced),
                     SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_trailing_balance(rounding.map, 1, speed, SCALAY_TRAILING_FULL, &contiguous),
                     SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_trailing_balance(balanced, 1, speed, SCALAY_TRAILING_FULL, &spread),
                     SCALAY_SUCCESS);
    (void)printf("contiguous %.4f, balanced %.4f\n", contiguous, spread);
    assert_true(fabs(contiguous - 0.45) < 0.005);
    assert_true(fabs(spread - 0.988) < 0.001);
    scalay_owner_map_destroy(&balanced);
    scalay_rounding_free(&rounding);
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_million_lines_need_little_memory(void **state)
{
    (void)state;
    const int64_t n = 1000000;
    const double speed[4] = {5, 3, 2, 1};
    scalay_owner_map *columns = NULL, *map = NULL, *balanced = NULL;
    double balance = 0;
    scalay_memory_reset_peak();
    assert_int_equal(scalay_owner_map_1d1d(n, n, 1, 4, speed, SCALAY_TRAILING_FULL, 4, &columns), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_generalised_block(n, n, 1, 20, 2, 2, speed, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_balance_suffixes(map, 1, speed, SCALAY_TRAILING_FULL, &balanced), SCALAY_SUCCESS);
    assert_true(scalay_memory_peak() < 120 * n);
    assert_int_equal(scalay_owner_map_trailing_balance(columns, 1, speed, SCALAY_TRAILING_FULL, &balance),
                     SCALAY_SUCCESS);
    assert_true(balance > 0.99999);
    scalay_owner_map_destroy(&columns);
    scalay_owner_map_destroy(&map);
    scalay_owner_map_destroy(&balanced);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------ failures */

static void expect(scalay_status status, scalay_status expected, const char *words)
{
    assert_int_equal(status, expected);
    if (strstr(scalay_error_message(), words) == NULL) fail_msg("no \"%s\" in: %s", words, scalay_error_message());
}

static void bad_arguments_are_named(void **state)
{
    (void)state;
    const scalay_status bad = SCALAY_ERROR_ARGUMENT;
    const double speed[4] = {1, 2, 0, 1}, none[2] = {0, 0}, wrong[2] = {1, NAN}, negative[2] = {-1, 1},
                 ones[2] = {1, 1};
    const int64_t cut[] = {0, 3, 7};
    const int owner[] = {0, 1, 1, 0};
    scalay_owner_map *map = NULL, *made = NULL;
    double balance;
    expect(scalay_owner_map_1d1d(-1, 4, 1, 2, speed, SCALAY_TRAILING_FULL, 0, &made), bad, "m is -1");
    expect(scalay_owner_map_1d1d(4, 4, 0, 2, speed, SCALAY_TRAILING_FULL, 0, &made), bad, "nb is 0");
    expect(scalay_owner_map_1d1d(4, 4, 1, 0, speed, SCALAY_TRAILING_FULL, 0, &made), bad, "parts is 0");
    expect(scalay_owner_map_1d1d(4, 4, 1, 2, NULL, SCALAY_TRAILING_FULL, 0, &made), bad, "speed is NULL");
    expect(scalay_owner_map_1d1d(4, 4, 1, 2, none, SCALAY_TRAILING_FULL, 0, &made), bad, "all 2 speeds are 0");
    expect(scalay_owner_map_1d1d(4, 4, 1, 2, wrong, SCALAY_TRAILING_FULL, 0, &made), bad, "speed[1] is nan");
    expect(scalay_owner_map_1d1d(4, 4, 1, 2, negative, SCALAY_TRAILING_FULL, 0, &made), bad, "speed[0] is -1");
    expect(scalay_owner_map_1d1d(4, 4, 1, 2, speed, SCALAY_TRAILING_FULL, 0, NULL), bad, "map is NULL");
    expect(scalay_owner_map_1d1d(INT64_MAX, 4, INT64_MAX, 2, speed, SCALAY_TRAILING_FULL, 0, &made), SCALAY_ERROR_RANGE,
           "2^63");
    expect(scalay_owner_map_generalised_block(4, 4, 1, 4, 2, 2, speed, &made), bad, "speed[2] is 0");
    expect(scalay_owner_map_generalised_block(4, 4, 1, 1, 2, 2, speed, &made), bad, "block is 1");
    expect(scalay_owner_map_generalised_block(4, 4, 1, 4, 0, 2, speed, &made), bad, "nprow is 0");
    expect(scalay_owner_map_generalised_block(4, 4, 1, 1 << 30, 1 << 16, 1 << 16, speed, &made), SCALAY_ERROR_RANGE,
           "nprow * npcol");
    expect(scalay_owner_map_generalised_block(4, 4, 1, 4, 2, 2, speed, NULL), bad, "map is NULL");
    assert_int_equal(scalay_owner_map_create(2, 2, cut, cut, 2, owner, &map), SCALAY_SUCCESS);
    expect(scalay_owner_map_balance_suffixes(map, 2, ones, SCALAY_TRAILING_FULL, &made), bad, "row 3");
    expect(scalay_owner_map_balance_suffixes(map, 0, ones, SCALAY_TRAILING_FULL, &made), bad, "nb is 0");
    expect(scalay_owner_map_balance_suffixes(NULL, 1, ones, SCALAY_TRAILING_FULL, &made), bad, "map is NULL");
    expect(scalay_owner_map_balance_suffixes(map, 1, ones, SCALAY_TRAILING_FULL, NULL), bad, "balanced is NULL");
    expect(scalay_owner_map_trailing_balance(map, 1, none, SCALAY_TRAILING_FULL, &balance), bad, "speed[0] is 0");
    expect(scalay_owner_map_trailing_balance(map, 0, ones, SCALAY_TRAILING_FULL, &balance), bad, "nb is 0");
    expect(scalay_owner_map_trailing_balance(map, 1, ones, (scalay_trailing)2, &balance), bad, "trailing is 2");
    expect(scalay_owner_map_1d1d(4, 4, 1, 2, speed, SCALAY_TRAILING_FULL, 3, &made), bad, "groups is 3");
    expect(scalay_owner_map_trailing_balance(map, 1, NULL, SCALAY_TRAILING_FULL, &balance), bad, "speed is NULL");
    expect(scalay_owner_map_trailing_balance(map, 1, ones, SCALAY_TRAILING_FULL, NULL), bad, "balance is NULL");
    expect(scalay_owner_map_trailing_balance(NULL, 1, speed, SCALAY_TRAILING_FULL, &balance), bad, "map is NULL");
    assert_null(made);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

static scalay_status make_all(void)
{
    const double speed[4] = {3, 1, 2, 2};
    scalay_owner_map *columns = NULL, *map = NULL, *balanced = NULL;
    double balance;
    scalay_status status = scalay_owner_map_1d1d(9, 31, 3, 4, speed, SCALAY_TRAILING_LOWER, 2, &columns);
    if (status == SCALAY_SUCCESS) status = scalay_owner_map_generalised_block(29, 31, 2, 5, 2, 2, speed, &map);
    if (status == SCALAY_SUCCESS)
        status = scalay_owner_map_balance_suffixes(map, 2, speed, SCALAY_TRAILING_FULL, &balanced);
    if (status == SCALAY_SUCCESS)
        status = scalay_owner_map_trailing_balance(balanced, 2, speed, SCALAY_TRAILING_FULL, &balance);
    scalay_owner_map_destroy(&columns);
    scalay_owner_map_destroy(&map);
    scalay_owner_map_destroy(&balanced);
    return status;
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_memory_fail_at(0);
    assert_int_equal(make_all(), SCALAY_SUCCESS);
    const int64_t requests = scalay_memory_requests();
    assert_true(requests > 30);
    for (int64_t n = 1; n <= requests; n++) {
        scalay_memory_fail_at(n);
        assert_int_equal(make_all(), SCALAY_ERROR_MEMORY);
        assert_int_equal(scalay_memory_live(), 0);
    }
    scalay_memory_fail_at(0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_slow_parts_share_columns_and_rows),
        cmocka_unit_test(tile_columns_have_groups_and_tile_rows_have_members),
        cmocka_unit_test(trailing_matrices_are_balanced_at_32_tiles),
        cmocka_unit_test(ten_thousand_parts_are_dealt_out),
        cmocka_unit_test(every_suffix_of_columns_is_dealt_out_optimally),
        cmocka_unit_test(a_narrow_last_column_counts_what_it_is),
        cmocka_unit_test(generalised_blocks_follow_their_definition),
        cmocka_unit_test(equal_speeds_make_the_ordinary_block_cyclic_map),
        cmocka_unit_test(suffixes_get_their_shares_or_nothing_changes),
        cmocka_unit_test(trailing_balance_is_what_counting_says),
        cmocka_unit_test(four_two_one_is_balanced_to_0_988_against_0_45),
        cmocka_unit_test(a_million_lines_need_little_memory),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
    };
    if (count > 1) first_seed = strtoull(arguments[1], NULL, 10);
    (void)printf("seeds from %llu on\n", (unsigned long long)first_seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
