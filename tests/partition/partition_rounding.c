/* Rounding: from real edges to an owner map. Run with a seed as argument to repeat a case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "partition/drawings.h"

enum { MOST_PARTS = 40 };

static uint64_t first_seed = 1;
static painted paints;

/* --------------------------------------------------------------------------------------- largest remainders */

/* The least sum of distances from the shares over all ways to give `left` to the first `parts` parts. */
static double least_distance(int parts, const double *share, int64_t left)
{
    double best = INFINITY;
    if (parts == 0) return left == 0 ? 0 : INFINITY;
    const double last = share[parts - 1];
    if (last <= 0) return least_distance(parts - 1, share, left);
    for (int64_t give = 1; give <= left; give++)
        best = fmin(best, fabs((double)give - last) + least_distance(parts - 1, share, left - give));
    return best;
}

static void largest_remainders_are_as_near_as_integers_get(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 400; seed++) {
        scalay_random random = scalay_random_seed(seed);
        enum { FEW = 5 };
        const int parts = 1 + (int)scalay_random_below(&random, FEW);
        const int64_t total = parts + scalay_random_below(&random, 9);
        double area[FEW], share[FEW], sum = 0, distance = 0;
        int64_t target[FEW], given = 0;
        for (int k = 0; k < parts; k++) {
            area[k] = scalay_random_below(&random, 4) > 0 || k == 0 ? 0.1 + 9 * scalay_random_unit(&random) : 0;
            if (scalay_random_below(&random, 3) == 0 && area[k] > 0) area[k] = 1; /* ties */
            sum += area[k];
        }
        assert_int_equal(scalay_largest_remainders(parts, area, total, target), SCALAY_SUCCESS);
        for (int k = 0; k < parts; k++) {
            share[k] = area[k] / sum * (double)total;
            if (area[k] > 0) distance += fabs((double)target[k] - share[k]);
            assert_true(area[k] > 0 ? target[k] >= 1 : target[k] == 0);
            given += target[k];
        }
        assert_int_equal(given, total);
        if (distance > least_distance(parts, share, total) + 1e-9)
            fail_msg("seed %llu: %g", (unsigned long long)seed, distance);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void without_room_the_largest_areas_get_one_each(void **state)
{
    (void)state;
    const double area[] = {1, 5, 0, 2, 5, 3};
    int64_t target[6];
    assert_int_equal(scalay_largest_remainders(6, area, 3, target), SCALAY_SUCCESS);
    const int64_t expected[] = {0, 1, 0, 0, 1, 1};
    assert_memory_equal(target, expected, sizeof expected);
    assert_int_equal(scalay_largest_remainders(6, area, 0, target), SCALAY_SUCCESS);
    for (int k = 0; k < 6; k++) assert_int_equal(target[k], 0);
    const double thirds[] = {1, 1, 1};
    assert_int_equal(scalay_largest_remainders(3, thirds, 11, target), SCALAY_SUCCESS);
    assert_int_equal(target[0] * 100 + target[1] * 10 + target[2], 443); /* ties: the lower part */
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------ rounding */

static double error_of(int parts, const double *area, const int64_t *count)
{
    double worst = 0;
    for (int k = 0; k < parts; k++)
        if (area[k] > 0) worst = fmax(worst, fabs((double)count[k] / area[k] - 1));
    return worst;
}

/* What rounding every edge to the nearest line gives, nothing else. */
static double plain_error(int parts, const double *area)
{
    int64_t count[MOST_PARTS];
    for (int k = 0; k < parts; k++) {
        const scalay_paint *at = &paints.paint[k];
        count[at->part] =
            (llround(at->row + at->rows) - llround(at->row)) * (llround(at->col + at->cols) - llround(at->col));
    }
    return error_of(parts, area, count);
}

static void loads_are_no_worse_than_plain_rounding_and_nobody_is_left_out(void **state)
{
    (void)state;
    int better = 0;
    for (uint64_t seed = first_seed; seed < first_seed + 300; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int parts = 1 + (int)scalay_random_below(&random, MOST_PARTS);
        const int64_t m = 8 + scalay_random_below(&random, 120), n = 8 + scalay_random_below(&random, 120);
        double area[MOST_PARTS];
        int64_t count[MOST_PARTS];
        scalay_rounding rounding;
        random_areas(&random, parts, m, n, area);
        paints.count = 0;
        paint_halves(&paints, area, 0, parts, 0, 0, (double)m, (double)n);
        const scalay_drawing drawing = drawing_of(&paints, m, n);
        const scalay_rounding_request request = {.m = m, .n = n, .parts = parts, .area = area, .tile = 1, .seed = seed};
        assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_rows(rounding.map), m);
        assert_int_equal(scalay_owner_map_cols(rounding.map), n);
        count_elements(rounding.map, count);
        for (int k = 0; k < parts; k++) assert_true(count[k] > 0);
        assert_int_equal(rounding.empty_parts, 0);
        assert_true(fabs(rounding.load_error - error_of(parts, area, count)) < 1e-12);
        if (rounding.load_error > plain_error(parts, area) + 1e-12)
            fail_msg("seed %llu: %g, plain %g", (unsigned long long)seed, rounding.load_error,
                     plain_error(parts, area));
        better += rounding.load_error < 0.9 * plain_error(parts, area);
        scalay_rounding_free(&rounding);
    }
    assert_true(better > 150);
    assert_int_equal(scalay_memory_live(), 0);
}

/* A few areas on a large matrix: whole edges come within half a line each, and cost what the drawing costs. */
static void large_matrices_are_cut_as_drawn(void **state)
{
    (void)state;
    const int64_t n = 600;
    double area[3] = {0.5 * 360000, 0.35 * 360000, 0.15 * 360000};
    scalay_rounding rounding;
    paints.count = 0;
    paint_three(&paints, area, n);
    const scalay_drawing drawing = drawing_of(&paints, n, n);
    const scalay_rounding_request request = {.m = n, .n = n, .parts = 3, .area = area, .tile = 1};
    assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
    const double cost = (double)owners_beyond_the_first(rounding.map) / (double)n, drawn = 2 - 0.5;
    assert_true(fabs(cost - drawn) < 0.01 * drawn);
    assert_true(rounding.load_error < 0.005);
    scalay_rounding_free(&rounding);
    assert_int_equal(scalay_memory_live(), 0);
}

static void edges_lie_on_tiles(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 100; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int64_t m = 40 + scalay_random_below(&random, 40), n = 40 + scalay_random_below(&random, 40);
        const int64_t tile = 1 + scalay_random_below(&random, 9);
        const int exact = (int)scalay_random_below(&random, 2);
        double area[6];
        int64_t target[6], tiles[6] = {0};
        scalay_rounding rounding;
        random_areas(&random, 6, m, n, area);
        paints.count = 0;
        paint_halves(&paints, area, 0, 6, 0, 0, (double)m, (double)n);
        const scalay_drawing drawing = drawing_of(&paints, m, n);
        const scalay_rounding_request request = {
            .m = m, .n = n, .parts = 6, .area = area, .tile = tile, .exact_counts = exact, .seed = seed};
        assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                const int owner = scalay_owner_map_owner(rounding.map, i, j);
                assert_int_equal(owner, scalay_owner_map_owner(rounding.map, i / tile * tile, j / tile * tile));
                tiles[owner] += i % tile == 0 && j % tile == 0;
            }
        const int64_t down = (m + tile - 1) / tile, across = (n + tile - 1) / tile;
        assert_int_equal(scalay_largest_remainders(6, area, down * across, target), SCALAY_SUCCESS);
        for (int k = 0; k < 6; k++) assert_true(exact ? tiles[k] == target[k] : tiles[k] > 0);
        scalay_rounding_free(&rounding);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_tolerance_that_cannot_be_kept_is_refused(void **state)
{
    (void)state;
    double area[3] = {52, 29, 19};
    scalay_rounding rounding;
    paints.count = 0;
    paint_three(&paints, area, 10);
    const scalay_drawing drawing = drawing_of(&paints, 10, 10);
    scalay_rounding_request request = {.m = 10, .n = 10, .parts = 3, .area = area, .tile = 1, .tolerance = 1e-6};
    assert_int_equal(scalay_rounding_create("scalay_caller", &drawing, &request, &rounding), SCALAY_ERROR_INFEASIBLE);
    assert_null(rounding.map);
    assert_null(rounding.empty);
    assert_non_null(strstr(scalay_error_message(), "scalay_caller: options->tolerance is 1e-06"));
    assert_non_null(strstr(scalay_error_message(), "it must be at least "));
    request.tolerance = 0;
    assert_int_equal(scalay_rounding_create("scalay_caller", &drawing, &request, &rounding), SCALAY_SUCCESS);
    request.tolerance = rounding.load_error;
    scalay_rounding_free(&rounding);
    assert_int_equal(scalay_rounding_create("scalay_caller", &drawing, &request, &rounding), SCALAY_SUCCESS);
    scalay_rounding_free(&rounding);
    request.tolerance = 1e-6;
    request.exact_counts = 1;
    assert_int_equal(scalay_rounding_create("scalay_caller", &drawing, &request, &rounding), SCALAY_SUCCESS);
    assert_true(rounding.load_error == 0);
    scalay_rounding_free(&rounding);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------- nobody at home */

static void empty_parts_are_named_with_the_reason(void **state)
{
    (void)state;
    double area[6] = {0, 2.2, 0.3, 0, 0.9, 0.6};
    int64_t count[6];
    scalay_rounding rounding;
    paints.count = 0;
    add_paint(&paints, 1, 0, 0, 2, 1.1);
    add_paint(&paints, 2, 0, 1.1, 2, 0.15);
    add_paint(&paints, 4, 0, 1.25, 2, 0.45);
    add_paint(&paints, 5, 0, 1.7, 2, 0.3);
    for (int exact = 0; exact < 2; exact++) {
        const scalay_drawing drawing = drawing_of(&paints, 2, 2);
        scalay_rounding_request request = {
            .m = 2, .n = 2, .parts = 6, .area = area, .tile = 1, .exact_counts = exact, .seed = 1};
        assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
        count_elements(rounding.map, count);
        assert_int_equal(count[1] * 1000 + count[2] * 100 + count[4] * 10 + count[5], 1111);
        assert_int_equal(rounding.empty_parts, 2);
        assert_int_equal(rounding.empty[0].part * 10 + rounding.empty[1].part, 3);
        assert_int_equal(rounding.empty[1].reason, SCALAY_EMPTY_NO_AREA);
        scalay_rounding_free(&rounding);
        request.tile = 2; /* one tile for four parts: the largest area has it */
        assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_elements(rounding.map, 1), 4);
        assert_int_equal(rounding.empty_parts, 5);
        assert_int_equal(rounding.empty[1].part, 2);
        assert_int_equal(rounding.empty[1].reason, SCALAY_EMPTY_TOO_FEW_TILES);
        scalay_rounding_free(&rounding);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* As many parts as elements, and nearly so: everybody gets something, whatever the drawing looks like. */
static void crowds_find_room(void **state)
{
    (void)state;
    for (int parts = 60; parts <= 64; parts++) {
        double area[64];
        scalay_rounding rounding;
        scalay_random random = scalay_random_seed((uint64_t)parts);
        random_areas(&random, parts, 8, 8, area);
        paints.count = 0;
        paint_halves(&paints, area, 0, parts, 0, 0, 8, 8);
        for (int exact = 0; exact < 2; exact++) {
            const scalay_drawing drawing = drawing_of(&paints, 8, 8);
            const scalay_rounding_request request = {
                .m = 8, .n = 8, .parts = parts, .area = area, .tile = 1, .exact_counts = exact, .seed = 3};
            assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
            assert_int_equal(rounding.empty_parts, 0);
            for (int k = 0; k < parts; k++) assert_true(scalay_owner_map_elements(rounding.map, k) > 0);
            scalay_rounding_free(&rounding);
        }
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Four thousand parts of a matrix of 10^12 elements: memory follows the edges. */
static void huge_matrices_need_little_memory(void **state)
{
    (void)state;
    enum { PARTS = 4096 };
    static double area[PARTS];
    const int64_t n = 1000000;
    int64_t total = 0;
    scalay_rounding rounding;
    scalay_random random = scalay_random_seed(5);
    random_areas(&random, PARTS, n, n, area);
    paints.count = 0;
    paint_halves(&paints, area, 0, PARTS, 0, 0, (double)n, (double)n);
    const scalay_drawing drawing = drawing_of(&paints, n, n);
    const scalay_rounding_request request = {.m = n, .n = n, .parts = PARTS, .area = area, .tile = 1};
    scalay_memory_reset_peak();
    assert_int_equal(scalay_rounding_create("f", &drawing, &request, &rounding), SCALAY_SUCCESS);
    assert_true(scalay_memory_peak() < 100000000);
    assert_true(rounding.load_error < 1e-3);
    for (int k = 0; k < PARTS; k++) total += scalay_owner_map_elements(rounding.map, k);
    assert_int_equal(total, n * n);
    scalay_rounding_free(&rounding);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------ failures */

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    double area[5] = {0.001, 300, 150, 90, 59.999};
    int failures = 0;
    paints.count = 0;
    paint_halves(&paints, area, 0, 5, 0, 0, 20, 30);
    for (int exact = 0; exact < 2; exact++) {
        const scalay_drawing drawing = drawing_of(&paints, 20, 30);
        const scalay_rounding_request request = {
            .m = 20, .n = 30, .parts = 5, .area = area, .tile = 1, .exact_counts = exact, .seed = 1};
        int64_t requests = 1;
        for (int64_t n = 0; n <= requests; n++) {
            scalay_rounding rounding;
            scalay_memory_fail_at(n);
            const scalay_status status = scalay_rounding_create("f", &drawing, &request, &rounding);
            if (n == 0) requests = scalay_memory_requests();
            assert_int_equal(status, n == 0 ? SCALAY_SUCCESS : SCALAY_ERROR_MEMORY);
            failures += n > 0;
            scalay_rounding_free(&rounding);
            assert_int_equal(scalay_memory_live(), 0);
        }
    }
    scalay_memory_fail_at(0);
    assert_true(failures > 80);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_remainders_are_as_near_as_integers_get),
        cmocka_unit_test(without_room_the_largest_areas_get_one_each),
        cmocka_unit_test(loads_are_no_worse_than_plain_rounding_and_nobody_is_left_out),
        cmocka_unit_test(large_matrices_are_cut_as_drawn),
        cmocka_unit_test(edges_lie_on_tiles),
        cmocka_unit_test(a_tolerance_that_cannot_be_kept_is_refused),
        cmocka_unit_test(empty_parts_are_named_with_the_reason),
        cmocka_unit_test(crowds_find_room),
        cmocka_unit_test(huge_matrices_need_little_memory),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
    };
    if (count > 1) first_seed = strtoull(arguments[1], NULL, 10);
    (void)printf("seeds from %llu on\n", (unsigned long long)first_seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
