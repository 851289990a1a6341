/* From areas to a map: what is chosen, that it keeps the areas, and what is refused. */
#include "partition/problems.h"
#include "partition/summaries.h"

static scalay_partition *create(int64_t m, int64_t n, int parts, const double *area,
                                const scalay_partition_options *options)
{
    scalay_partition *partition = NULL;
    assert_success(scalay_partition_create(m, n, parts, area, options, &partition));
    return partition;
}

static scalay_partition_candidate candidate_of(const scalay_partition *partition, int k)
{
    scalay_partition_candidate candidate;
    assert_success(scalay_partition_get_candidate(partition, k, &candidate));
    return candidate;
}

static scalay_partition_candidate chosen_of(const scalay_partition *partition)
{
    return candidate_of(partition, summary_of(partition).chosen);
}

/* f_c of a map by definition: every owner of every line. */
static int64_t define_volume(const scalay_owner_map *map)
{
    const int64_t m = scalay_owner_map_rows(map);
    const int64_t n = scalay_owner_map_cols(map);
    const int parts = scalay_owner_map_parts(map);
    int64_t owners = 0;
    for (int k = 0; k < parts; k++) {
        for (int64_t i = 0; i < m; i++) {
            int found = 0;
            for (int64_t j = 0; j < n && !found; j++) found = scalay_owner_map_owner(map, i, j) == k;
            owners += found;
        }
        for (int64_t j = 0; j < n; j++) {
            int found = 0;
            for (int64_t i = 0; i < m && !found; i++) found = scalay_owner_map_owner(map, i, j) == k;
            owners += found;
        }
    }
    return n * (owners - m - n);
}

static void maps_keep_the_areas_and_cost_what_is_said(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 60; trial++) {
        double area[12];
        int64_t m = 20 + scalay_random_below(&random, 40);
        int64_t n = trial % 2 == 0 ? m : 20 + scalay_random_below(&random, 40);
        int parts = 1 + trial % 12;
        scalay_partition_options options = scalay_partition_options_default();
        options.exact_counts = trial % 3 == 0;
        options.budget = 1e-3;
        random_areas(&random, trial % KINDS, parts, (double)(m * n), area);
        scalay_partition *partition = create(m, n, parts, area, &options);
        const scalay_owner_map *map = scalay_partition_map(partition);
        int64_t elements = 0;
        double error = 0.0;
        for (int k = 0; k < parts; k++) {
            int64_t count = scalay_owner_map_elements(map, k);
            assert_true(count > 0);
            elements += count;
            error = fmax(error, fabs((double)count / area[k] - 1.0));
            if (options.exact_counts) assert_true(fabs((double)count - area[k]) < 1.0 || count == 1);
        }
        assert_int_equal(elements, m * n);
        assert_close(error + 1.0, summary_of(partition).load_error + 1.0, 1e-9);
        assert_int_equal(cost_of(scalay_partition_cost(partition)).volume, define_volume(map));
        scalay_partition_destroy(&partition);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static int is_long; /* argument "long": all cases */

static void auto_is_no_worse_than_any_shape_asked_for(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < (is_long ? 36 : 10); trial++) {
        double area[32];
        int parts = trial % 9 == 8 ? 17 + trial % 16 : 2 + trial % 6 + (trial % 7 == 0) * 4;
        int64_t n = trial % 2 == 0 ? 24 : 5000;
        int64_t m = trial % 3 == 0 ? n : n / 2 + 3;
        random_areas(&random, trial % KINDS, parts, (double)(m * n), area);
        scalay_partition *best = create(m, n, parts, area, NULL);
        int64_t volume = cost_of(scalay_partition_cost(best)).volume;
        for (int k = 1; scalay_partition_shapes(k) != NULL; k++) {
            scalay_partition_options options = scalay_partition_options_default();
            scalay_partition *other = NULL;
            options.shape = scalay_partition_shapes(k);
            scalay_status status = scalay_partition_create(m, n, parts, area, &options, &other);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_INFEASIBLE);
            if (status != SCALAY_SUCCESS) continue;
            if (volume > cost_of(scalay_partition_cost(other)).volume)
                fail_msg("%lld x %lld, %d parts: %s sends less", (long long)m, (long long)n, parts, options.shape);
            scalay_partition_destroy(&other);
        }
        scalay_partition_destroy(&best);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void no_candidate_is_below_the_bound(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 30; trial++) {
        double area[9];
        int parts = 1 + trial % 9;
        scalay_partition_options options = scalay_partition_options_default();
        options.budget = 1e-3;
        random_areas(&random, trial % KINDS, parts, 1.0, area);
        scalay_partition *partition = create(300, 200 + trial, parts, area, &options);
        for (int k = 0; k < summary_of(partition).candidates; k++)
            assert_true(candidate_of(partition, k).continuous_cost >=
                        summary_of(partition).lower_bound * (1.0 - 1e-12));
        scalay_partition_destroy(&partition);
    }
}

static int half_perimeter(int elements)
{
    return (int)ceil(2.0 * sqrt((double)elements) - 1e-9);
}

/* Whole numbers p >= q >= r that fill a square of 12 x 12. */
static void check_triple(int q, int r, int exact_counts)
{
    enum { N = 12 };
    scalay_partition_options options = scalay_partition_options_default();
    const int p = N * N - q - r;
    const double area[3] = {p, q, r};
    int corner = half_perimeter(q) + half_perimeter(r);
    int rectangle = N + half_perimeter(r);
    int least = 2 * N - p / N;
    if (corner < least) least = corner;
    if (rectangle < least) least = rectangle;
    options.exact_counts = exact_counts;
    scalay_partition *partition = create(N, N, 3, area, &options);
    int64_t volume = cost_of(scalay_partition_cost(partition)).volume;
    if (volume > N * (least + 2)) fail_msg("%d, %d, %d: %lld", p, q, r, (long long)volume);
    scalay_partition_destroy(&partition);
}

static void all_triples_of_a_small_square_are_within_two_lines_of_the_discrete_bound(void **state)
{
    (void)state;
    for (int r = 1; 3 * r <= 144; r++)
        for (int q = r; r + 2 * q <= 144; q++) {
            if (is_long || (q + 2 * r) % 16 == 0) check_triple(q, r, 0);
            if ((q + 5 * r) % (is_long ? 13 : 39) == 0) check_triple(q, r, 1);
        }
}

static void only_proportions_matter(void **state)
{
    (void)state;
    const double small[5] = {1.0, 0.5, 0.25, 0.0, 0.75};
    double large[5];
    for (int k = 0; k < 5; k++) large[k] = small[k] * 0x1p1020;
    scalay_partition *one = create(50, 70, 5, small, NULL);
    scalay_partition *two = create(50, 70, 5, large, NULL);
    assert_int_equal(summary_of(one).chosen, summary_of(two).chosen);
    for (int64_t i = 0; i < 50; i++)
        for (int64_t j = 0; j < 70; j++)
            assert_int_equal(scalay_owner_map_owner(scalay_partition_map(one), i, j),
                             scalay_owner_map_owner(scalay_partition_map(two), i, j));
    scalay_partition_destroy(&one);
    scalay_partition_destroy(&two);
}

static void parts_without_area_stay_empty_and_change_nothing(void **state)
{
    (void)state;
    const double with[6] = {0.0, 3.0, 0.0, 2.0, 1.0, 0.0};
    const double without[3] = {3.0, 2.0, 1.0};
    static const int original[3] = {1, 3, 4};
    char text[4000];
    scalay_partition *one = create(60, 60, 6, with, NULL);
    scalay_partition *two = create(60, 60, 3, without, NULL);
    assert_int_equal(scalay_owner_map_parts(scalay_partition_map(one)), 6);
    for (int64_t i = 0; i < 60; i++)
        for (int64_t j = 0; j < 60; j++)
            assert_int_equal(scalay_owner_map_owner(scalay_partition_map(one), i, j),
                             original[scalay_owner_map_owner(scalay_partition_map(two), i, j)]);
    for (int k = 0; k < summary_of(one).candidates; k++) {
        int seen[6] = {0};
        const int *assignment = candidate_of(one, k).assignment;
        for (int at = 0; at < 6 && assignment != NULL; at++) assert_int_equal(seen[assignment[at]]++, 0);
    }
    (void)scalay_partition_describe(one, text, sizeof text);
    assert_non_null(strstr(text, "Empty parts: 0, 2, 5: their area is 0"));
    assert_true(summary_of(one).lower_bound == summary_of(two).lower_bound);
    scalay_partition_destroy(&one);
    scalay_partition_destroy(&two);
}

static void more_parts_than_tiles_leave_the_smallest_empty_and_say_so(void **state)
{
    (void)state;
    const double area[6] = {5.0, 1.0, 4.0, 3.0, 0.5, 2.0};
    char text[4000];
    scalay_partition_options options = scalay_partition_options_default();
    options.tile = 3;
    scalay_partition *partition = create(6, 6, 6, area, &options);
    const scalay_owner_map *map = scalay_partition_map(partition);
    for (int k = 0; k < 6; k++) assert_int_equal(scalay_owner_map_elements(map, k), k != 1 && k != 4 ? 9 : 0);
    (void)scalay_partition_describe(partition, text, sizeof text);
    assert_non_null(strstr(text, "Empty parts: 1, 4: the matrix has too few tiles"));
    scalay_partition_destroy(&partition);
}

static void more_parts_than_elements_are_refused(void **state)
{
    (void)state;
    const double area[6] = {5.0, 1.0, 4.0, 3.0, 0.5, 2.0}, some[6] = {5.0, 0.0, 4.0, 3.0, 0.0, 2.0};
    scalay_partition *partition = NULL;
    assert_int_equal(scalay_partition_create(2, 2, 6, area, NULL, &partition), SCALAY_ERROR_ARGUMENT);
    assert_non_null(
        strstr(scalay_error_message(), "6 areas are positive; there must be at most as many as elements, 4"));
    assert_null(partition);
    partition = create(2, 2, 6, some, NULL); /* those without an area need no element */
    scalay_partition_destroy(&partition);
}

static void edges_lie_on_tiles(void **state)
{
    (void)state;
    const double area[4] = {4.0, 3.0, 2.0, 1.0};
    scalay_partition_options options = scalay_partition_options_default();
    options.tile = 8;
    scalay_partition *partition = create(160, 120, 4, area, &options);
    const scalay_owner_map *map = scalay_partition_map(partition);
    for (int64_t i = 0; i < 160; i++)
        for (int64_t j = 0; j < 120; j++)
            assert_int_equal(scalay_owner_map_owner(map, i, j), scalay_owner_map_owner(map, i / 8 * 8, j / 8 * 8));
    scalay_partition_destroy(&partition);
}

static void explanations_are_cut_and_their_length_is_known(void **state)
{
    (void)state;
    const double area[3] = {1.0, 0.5, 0.25};
    char whole[4000];
    char part[20];
    scalay_partition *partition = create(100, 100, 3, area, NULL);
    int length = scalay_partition_describe(partition, whole, sizeof whole);
    assert_int_equal(length, strlen(whole));
    assert_int_equal(scalay_partition_describe(partition, NULL, 0), length);
    assert_int_equal(scalay_partition_describe(partition, part, sizeof part), length);
    assert_int_equal(strncmp(part, whole, sizeof part - 1), 0);
    assert_int_equal(part[sizeof part - 1], '\0');
    assert_non_null(strstr(whole, chosen_of(partition).shape));
    scalay_partition_destroy(&partition);
}

static void many_parts_fall_back_and_say_so(void **state)
{
    (void)state;
    enum { PARTS = 1000 };
    static double area[PARTS];
    static char text[8000];
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int k = 0; k < PARTS; k++) area[k] = 1.0 + scalay_random_unit(&random);
    scalay_partition *partition = create(1000, 1000, PARTS, area, NULL);
    (void)scalay_partition_describe(partition, text, sizeof text);
    assert_non_null(strstr(text, "slicing: infeasible, more than 512 parts take too long"));
    assert_true(chosen_of(partition).continuous_cost <= 1.03 * summary_of(partition).lower_bound);
    scalay_partition_destroy(&partition);
}

/* ------------------------------------------------------------------------------------------------- links */

enum { LINKED = 6 };

static scalay_links random_links(scalay_random *random, double *seconds, double *joules)
{
    scalay_links links = scalay_links_default();
    for (int i = 0; i < LINKED; i++)
        for (int j = 0; j <= i; j++) {
            seconds[i * LINKED + j] = seconds[j * LINKED + i] = 0.05 + scalay_random_unit(random);
            joules[i * LINKED + j] = joules[j * LINKED + i] = 0.05 + 5.0 * scalay_random_unit(random);
        }
    links.processors = LINKED;
    links.seconds_per_element = seconds;
    links.joules_per_element = joules;
    return links;
}

static void the_objective_is_what_is_made_small(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 12; trial++) {
        double seconds[LINKED * LINKED];
        double joules[LINKED * LINKED];
        double area[LINKED];
        scalay_links links = random_links(&random, seconds, joules);
        scalay_partition_options options = scalay_partition_options_default();
        int parts = 3 + trial % 4;
        options.links = &links;
        random_areas(&random, trial % KINDS, parts, 1.0, area);
        if (trial % 3 == 0) area[1] = 0.0;
        scalay_partition *by_volume = create(4000, 4000, parts, area, &options);
        options.objective = trial % 2 == 0 ? SCALAY_PARTITION_ENERGY : SCALAY_PARTITION_TIME;
        scalay_partition *by_links = create(4000, 4000, parts, area, &options);
        for (int k = 0; k < summary_of(by_volume).candidates; k++) {
            scalay_partition_candidate before = candidate_of(by_volume, k);
            if (!before.feasible) continue;
            double old = trial % 2 == 0 ? before.energy : before.time;
            double new = trial % 2 == 0 ? chosen_of(by_links).energy : chosen_of(by_links).time;
            assert_true(new <= old *(1.0 + 0.01)); /* maps decide between near candidates */
        }
        const scalay_multiply_cost *cost = scalay_partition_cost(by_links);
        assert_true(fabs(cost_of(cost).energy / chosen_of(by_links).energy - 1.0) < 0.01);
        scalay_partition_destroy(&by_volume);
        scalay_partition_destroy(&by_links);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ----------------------------------------------------------------------------------------------- refusals */

static void assert_refused(scalay_status expected, const char *word, int64_t m, int64_t n, int parts,
                           const double *area, const scalay_partition_options *options)
{
    scalay_partition *partition = (scalay_partition *)&expected;
    scalay_status status = scalay_partition_create(m, n, parts, area, options, &partition);
    assert_int_equal(status, expected);
    assert_null(partition);
    if (strstr(scalay_error_message(), word) == NULL) fail_msg("no \"%s\" in: %s", word, scalay_error_message());
    assert_non_null(strstr(scalay_error_message(), "scalay_partition_create"));
    assert_int_equal(scalay_memory_live(), 0);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    const double good[3] = {3.0, 2.0, 1.0};
    const double negative[3] = {3.0, -2.0, 1.0};
    const double not_a_number[3] = {3.0, 2.0, NAN};
    const double endless[3] = {INFINITY, 2.0, 1.0};
    const double nothing[3] = {0.0, 0.0, 0.0};
    scalay_partition_options options = scalay_partition_options_default();
    assert_refused(SCALAY_ERROR_ARGUMENT, "m is 0", 0, 5, 3, good, NULL);
    assert_refused(SCALAY_ERROR_ARGUMENT, "n is -1", 5, -1, 3, good, NULL);
    assert_refused(SCALAY_ERROR_ARGUMENT, "parts is 0", 5, 5, 0, good, NULL);
    assert_refused(SCALAY_ERROR_ARGUMENT, "area is NULL", 5, 5, 3, NULL, NULL);
    assert_refused(SCALAY_ERROR_ARGUMENT, "area[1] is -2", 5, 5, 3, negative, NULL);
    assert_refused(SCALAY_ERROR_ARGUMENT, "area[2] is nan", 5, 5, 3, not_a_number, NULL);
    assert_refused(SCALAY_ERROR_ARGUMENT, "area[0] is inf", 5, 5, 3, endless, NULL);
    assert_refused(SCALAY_ERROR_ARGUMENT, "all 3 areas are 0", 5, 5, 3, nothing, NULL);
    assert_refused(SCALAY_ERROR_RANGE, "2^63", INT64_C(1) << 40, INT64_C(1) << 40, 3, good, NULL);
    options.tile = 0;
    assert_refused(SCALAY_ERROR_ARGUMENT, "tile is 0", 5, 5, 3, good, &options);
    options = scalay_partition_options_default();
    options.tolerance = -0.5;
    assert_refused(SCALAY_ERROR_ARGUMENT, "tolerance is -0.5", 5, 5, 3, good, &options);
    options = scalay_partition_options_default();
    options.budget = NAN;
    assert_refused(SCALAY_ERROR_ARGUMENT, "budget is nan", 5, 5, 3, good, &options);
    options = scalay_partition_options_default();
    options.exact_counts = 2;
    assert_refused(SCALAY_ERROR_ARGUMENT, "exact_counts is 2", 5, 5, 3, good, &options);
    assert_int_equal(scalay_partition_create(5, 5, 3, good, NULL, NULL), SCALAY_ERROR_ARGUMENT);
}

static void bad_objectives_and_shapes_are_refused(void **state)
{
    (void)state;
    const double good[5] = {5.0, 4.0, 3.0, 2.0, 1.0};
    double many[600];
    double cost[25] = {0.0};
    scalay_links links = scalay_links_default();
    scalay_partition_options options = scalay_partition_options_default();
    for (int k = 0; k < 600; k++) many[k] = 1.0;
    options.objective = (scalay_partition_objective)7;
    assert_refused(SCALAY_ERROR_ARGUMENT, "objective is 7", 9, 9, 5, good, &options);
    options.objective = SCALAY_PARTITION_TIME;
    assert_refused(SCALAY_ERROR_ARGUMENT, "seconds_per_element", 9, 9, 5, good, &options);
    options.objective = SCALAY_PARTITION_ENERGY;
    options.links = &links;
    assert_refused(SCALAY_ERROR_ARGUMENT, "joules_per_element", 9, 9, 5, good, &options);
    options = scalay_partition_options_default();
    links.processors = 4;
    links.joules_per_element = cost;
    options.links = &links;
    assert_refused(SCALAY_ERROR_ARGUMENT, "processors", 9, 9, 5, good, &options);
    options = scalay_partition_options_default();
    options.shape = "circle";
    assert_refused(SCALAY_ERROR_ARGUMENT, "circle", 9, 9, 5, good, &options);
    options.shape = "square-corner";
    assert_refused(SCALAY_ERROR_INFEASIBLE, "there are 5", 9, 9, 5, good, &options);
    assert_refused(SCALAY_ERROR_INFEASIBLE, "square-corner", 9, 9, 3, many, &options);
    options.shape = "slicing";
    assert_refused(SCALAY_ERROR_INFEASIBLE, "take too long", 99, 99, 600, many, &options);
    options = scalay_partition_options_default();
    options.tolerance = 1e-9;
    assert_refused(SCALAY_ERROR_INFEASIBLE, "tolerance", 7, 7, 5, good, &options);
}

static void nothing_is_known_of_no_partition(void **state)
{
    (void)state;
    scalay_partition_summary summary;
    const double area[2] = {1.0, 2.0};
    scalay_partition_candidate candidate;
    scalay_partition *partition = NULL;
    scalay_partition_destroy(&partition);
    scalay_partition_destroy(NULL);
    assert_null(scalay_partition_map(NULL));
    assert_null(scalay_partition_cost(NULL));
    assert_int_equal(scalay_partition_get_summary(NULL, &summary), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(summary.candidates, 0);
    assert_int_equal(summary.chosen, -1);
    assert_int_equal(scalay_partition_describe(NULL, NULL, 0), 0);
    assert_int_equal(scalay_partition_get_candidate(NULL, 0, &candidate), SCALAY_ERROR_ARGUMENT);
    partition = create(4, 4, 2, area, NULL);
    assert_int_equal(scalay_partition_get_candidate(partition, -1, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_partition_get_candidate(partition, 99, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_partition_get_candidate(partition, 0, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_partition_destroy(&partition);
    assert_string_equal(scalay_partition_shapes(0), "auto");
    assert_null(scalay_partition_shapes(-1));
    assert_null(scalay_partition_shapes(1000));
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    const double area[5] = {4.0, 0.0, 2.0, 1.0, 1.0};
    double seconds[LINKED * LINKED];
    double joules[LINKED * LINKED];
    scalay_random random = scalay_random_seed(test_seed(1));
    scalay_links links = random_links(&random, seconds, joules);
    scalay_partition_options options = scalay_partition_options_default();
    options.links = &links;
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        scalay_partition *partition = NULL;
        scalay_memory_fail_at(n);
        status = scalay_partition_create(20, 30, 5, area, &options, &partition);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        scalay_partition_destroy(&partition);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_keep_the_areas_and_cost_what_is_said),
        cmocka_unit_test(auto_is_no_worse_than_any_shape_asked_for),
        cmocka_unit_test(no_candidate_is_below_the_bound),
        cmocka_unit_test(all_triples_of_a_small_square_are_within_two_lines_of_the_discrete_bound),
        cmocka_unit_test(only_proportions_matter),
        cmocka_unit_test(parts_without_area_stay_empty_and_change_nothing),
        cmocka_unit_test(more_parts_than_tiles_leave_the_smallest_empty_and_say_so),
        cmocka_unit_test(more_parts_than_elements_are_refused),
        cmocka_unit_test(edges_lie_on_tiles),
        cmocka_unit_test(explanations_are_cut_and_their_length_is_known),
        cmocka_unit_test(many_parts_fall_back_and_say_so),
        cmocka_unit_test(the_objective_is_what_is_made_small),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(bad_objectives_and_shapes_are_refused),
        cmocka_unit_test(nothing_is_known_of_no_partition),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    is_long = count > 1 && strcmp(arguments[1], "long") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
