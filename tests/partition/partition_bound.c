/* The lower bound: no partition is below it, and it is reached where the optimum is known. */
#include "partition/problems.h"

static double bound_of(double m, double n, int parts, const double *area)
{
    const scalay_partition_options options = scalay_partition_options_default();
    const scalay_partition_problem problem = {m, n, parts, area, &options};
    double bound;
    assert_success(scalay_partition_bound(&problem, &bound));
    return bound;
}

/* f_c of a map of at most 16 elements by definition; bit k of a line's set: part k is in it. */
static int map_cost(int m, int n, const int *owner, int *count)
{
    unsigned row[16] = {0};
    unsigned col[16] = {0};
    int owners = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            count[owner[i * n + j]]++;
            row[i] |= 1u << owner[i * n + j];
            col[j] |= 1u << owner[i * n + j];
        }
    for (int i = 0; i < m; i++)
        for (unsigned set = row[i]; set != 0; set &= set - 1) owners++;
    for (int j = 0; j < n; j++)
        for (unsigned set = col[j]; set != 0; set &= set - 1) owners++;
    return n * (owners - m - n);
}

/* Every map of m x n elements in which all parts own something. */
static void check_all_maps(int m, int n, int parts)
{
    enum { MOST_COUNTS = 17 * 17 * 17 };
    static double bound[MOST_COUNTS];
    int owner[16] = {0};
    int position = 0;
    for (int k = 0; k < MOST_COUNTS; k++) bound[k] = -1.0;
    while (position < m * n) {
        int count[4] = {0};
        int cost = map_cost(m, n, owner, count);
        int key = (count[0] * 17 + count[1]) * 17 + count[2];
        double area[4];
        int empty = 0;
        for (int k = 0; k < parts; k++) {
            area[k] = count[k];
            empty |= count[k] == 0;
        }
        if (!empty && bound[key] < 0.0) bound[key] = bound_of(m, n, parts, area);
        if (!empty && cost < bound[key] * (1.0 - 1e-12))
            fail_msg("%d x %d, %d, %d, %d, ... elements: cost %d, bound %g", m, n, count[0], count[1], count[2], cost,
                     bound[key]);
        for (position = 0; position < m * n && ++owner[position] == parts; position++) owner[position] = 0;
    }
}

static void no_map_of_a_tiny_matrix_is_below_the_bound(void **state)
{
    (void)state;
    for (int n = 2; n <= 4; n++) check_all_maps(n, n, 2);
    for (int n = 2; n <= 3; n++)
        for (int parts = 2; parts <= 4; parts++) check_all_maps(n, n, parts);
    for (int n = 3; n <= 5; n++)
        for (int parts = 2; parts <= (n < 5 ? 4 : 3); parts++) {
            check_all_maps(2, n, parts);
            check_all_maps(n, 2, parts);
        }
    check_all_maps(1, 8, 3);
    check_all_maps(8, 1, 3);
    check_all_maps(3, 4, 3);
    check_all_maps(4, 3, 3);
}

static void two_and_three_parts_of_a_square_reach_the_bound(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 2000; trial++) {
        double area[3];
        random_areas(&random, trial % KINDS, 3, 1.0, area);
        qsort(area, 3, sizeof *area, descending);
        const double three = three_parts(area);
        assert_close(bound_of(1.0, 1.0, 3, area), three, 1e-12);
        assert_close(bound_of(1000.0, 1000.0, 3, area), 1e6 * three, 1e-12);
        area[0] += area[2];
        assert_close(bound_of(1.0, 1.0, 2, area), fmin(1.0, 2.0 * sqrt(area[1] / (area[0] + area[1]))), 1e-12);
    }
}

static void the_bound_is_never_below_the_plain_one(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 4000; trial++) {
        double area[MOST_TEST_PARTS];
        int parts = 2 + (int)scalay_random_below(&random, 20);
        random_areas(&random, trial % KINDS, parts, 1.0, area);
        double plain = plain_bound(parts, area);
        assert_true(bound_of(1.0, 1.0, parts, area) >= plain * (1.0 - 1e-12));
    }
}

static void no_method_is_below_the_bound_on_any_domain(void **state)
{
    (void)state;
    static const char *const methods[] = {"columns", "nagamochi-abe", "recursive", "recursive-best", "grid", "slicing"};
    scalay_random random = scalay_random_seed(test_seed(1));
    const scalay_partition_options options = scalay_partition_options_default();
    for (int trial = 0; trial < 1500; trial++) {
        double area[MOST_TEST_PARTS];
        double m = 1.0 + (double)scalay_random_below(&random, 1000);
        double n = 1.0 + (double)scalay_random_below(&random, 1000);
        int parts = 2 + (int)scalay_random_below(&random, trial % 6 == 5 ? 5 : 20);
        random_areas(&random, (trial / 6) % KINDS, parts, m * n, area);
        const scalay_partition_problem problem = {m, n, parts, area, &options};
        scalay_candidate candidate;
        assert_success(draw_by(methods[trial % 6], &problem, &candidate));
        assert_true(candidate.continuous_cost >= bound_of(m, n, parts, area) * (1.0 - 1e-12));
        scalay_candidate_free(&candidate);
    }
}

static void transposing_keeps_the_bound(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 500; trial++) {
        double area[MOST_TEST_PARTS];
        int parts = 2 + (int)scalay_random_below(&random, 10);
        random_areas(&random, trial % KINDS, parts, 600.0, area);
        assert_close(bound_of(20.0, 30.0, parts, area) / 30.0, bound_of(30.0, 20.0, parts, area) / 20.0, 1e-12);
    }
}

static void one_part_sends_nothing(void **state)
{
    (void)state;
    double area = 12.0;
    assert_true(bound_of(3.0, 4.0, 1, &area) == 0.0);
}

static void nothing_stays_allocated(void **state)
{
    (void)state;
    double area[3] = {1.0, 2.0, 3.0};
    const scalay_partition_options options = scalay_partition_options_default();
    const scalay_partition_problem problem = {2.0, 3.0, 3, area, &options};
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        double bound;
        scalay_memory_fail_at(n);
        status = scalay_partition_bound(&problem, &bound);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_map_of_a_tiny_matrix_is_below_the_bound),
        cmocka_unit_test(two_and_three_parts_of_a_square_reach_the_bound),
        cmocka_unit_test(the_bound_is_never_below_the_plain_one),
        cmocka_unit_test(no_method_is_below_the_bound_on_any_domain),
        cmocka_unit_test(transposing_keeps_the_bound),
        cmocka_unit_test(one_part_sends_nothing),
        cmocka_unit_test(nothing_stays_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
