/* The methods for any number of parts: they draw the areas that were asked for, cost what their definitions say, and
 * are as good as claimed. */
#include "partition/problems.h"

#include "partition/slicing_tree.h"

static const char *const methods[] = {"columns", "nagamochi-abe", "recursive", "recursive-best", "slicing", "grid"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static double cost_by(const char *name, double m, double n, int parts, const double *area)
{
    const scalay_partition_options options = {.tile = 1, .seed = 1};
    const scalay_partition_problem problem = {m, n, parts, area, &options};
    scalay_candidate candidate;
    assert_success(draw_by(name, &problem, &candidate));
    assert_true(candidate.feasible);
    double cost = candidate.continuous_cost;
    scalay_candidate_free(&candidate);
    return cost;
}

static void check_drawing(const char *name, const scalay_partition_problem *problem)
{
    double drawn[MOST_TEST_PARTS];
    double cost;
    scalay_candidate candidate;
    assert_success(draw_by(name, problem, &candidate));
    assert_true(candidate.feasible);
    double defined = define_cost(&candidate.drawing, problem->parts, drawn);
    for (int k = 0; k < problem->parts; k++)
        if (fabs(drawn[k] - problem->area[k]) > 1e-9 * problem->m * problem->n)
            fail_msg("%s: part %d has %g instead of %g", name, k, drawn[k], problem->area[k]);
    if (fabs(candidate.continuous_cost - defined) > 1e-8 * problem->n * (problem->m + problem->n))
        fail_msg("%s: %d parts cost %.12g, not %.12g", name, problem->parts, defined, candidate.continuous_cost);
    assert_success(scalay_drawing_cost(&candidate.drawing, problem->parts, &cost));
    assert_true(fabs(cost - defined) <= 1e-8 * problem->n * (problem->m + problem->n));
    scalay_candidate_free(&candidate);
}

static void every_part_gets_its_area_and_the_cost_is_that_of_the_drawing(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 40; trial++) {
        double area[MOST_TEST_PARTS];
        double m = trial % 2 == 0 ? 100.0 : 1.0 + (double)scalay_random_below(&random, 300);
        double n = trial % 2 == 0 ? 100.0 : 1.0 + (double)scalay_random_below(&random, 300);
        int parts = trial < 4 ? trial + 1 : 1 + (int)scalay_random_below(&random, 24);
        scalay_partition_options options = {.tile = 1, .seed = (uint64_t)trial, .budget = 1e-3};
        random_areas(&random, trial % KINDS, parts, m * n, area);
        const scalay_partition_problem problem = {m, n, parts, area, &options};
        for (int k = 0; k < METHODS; k++) check_drawing(methods[k], &problem);
    }
}

/* ----------------------------------------------------------------------------------------- definitions */

/* Every partition of parts k, ..., into columns, each of which costs its height for every... and its width per part. */
static void all_columns(int parts, const double *area, double height, int k, int columns, double *in, int *members,
                        double *best)
{
    if (k == parts) {
        double cost = 0.0;
        for (int c = 0; c < columns; c++) cost += height + members[c] * in[c] / height;
        *best = fmin(*best, cost);
        return;
    }
    for (int c = 0; c <= columns; c++) {
        in[c] += area[k];
        members[c]++;
        all_columns(parts, area, height, k + 1, c == columns ? columns + 1 : columns, in, members, best);
        in[c] -= area[k];
        members[c]--;
    }
}

static void columns_are_the_best_of_all_partitions_into_columns(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 120; trial++) {
        double area[8];
        double in[9] = {0.0};
        int members[9] = {0};
        int parts = 1 + trial % 8;
        double m = 30.0;
        double n = trial % 3 == 0 ? 30.0 : 10.0 + (double)scalay_random_below(&random, 60);
        double best = INFINITY;
        random_areas(&random, (trial / 8) % KINDS, parts, m * n, area);
        all_columns(parts, area, m, 0, 0, in, members, &best);
        if (m != n) all_columns(parts, area, n, 0, 0, in, members, &best);
        double expected = n * (best - m - n);
        assert_true(fabs(cost_by("columns", m, n, parts, area) - expected) <= 1e-9 * n * (m + n));
    }
}

static void many_columns_are_those_of_the_plain_recurrence(void **state)
{
    (void)state;
    enum { PARTS = 400 };
    scalay_random random = scalay_random_seed(test_seed(1));
    double area[PARTS];
    double best[PARTS + 1] = {0.0};
    for (int trial = 0; trial < 4; trial++) {
        random_areas(&random, trial, PARTS, 1.0, area);
        double expected;
        double sorted[PARTS];
        memcpy(sorted, area, sizeof area);
        qsort(sorted, PARTS, sizeof *sorted, descending);
        for (int j = 1; j <= PARTS; j++) {
            double in = 0.0;
            best[j] = INFINITY;
            for (int i = j - 1; i >= 0; i--) {
                in += sorted[i];
                best[j] = fmin(best[j], best[i] + 1.0 + (j - i) * in);
            }
        }
        expected = best[PARTS] - 2.0;
        assert_close(cost_by("columns", 1.0, 1.0, PARTS, area), expected, 1e-11);
    }
}

/* Half perimeters by the definition of Nagamochi and Abe, and with corners by that of the recursive method. */
static double halve(const double *share, int count, double rows, double cols, int corners)
{
    double total = 0.0;
    double first = 0.0;
    double shorter = fmin(rows, cols);
    int k = 0;
    if (count == 1) return rows + cols;
    for (int i = 0; i < count; i++) total += share[i];
    if (corners && total - share[0] < shorter * shorter / 4.0) {
        double side = sqrt(total - share[0]);
        return rows + cols + halve(share + 1, count - 1, side, side, corners);
    }
    while (k < count - 1 && first < total / 3.0 - 1e-12) first += share[k++];
    if (cols >= rows)
        return halve(share, k, rows, first / rows, corners) +
               halve(share + k, count - k, rows, cols - first / rows, corners);
    return halve(share, k, first / cols, cols, corners) +
           halve(share + k, count - k, rows - first / cols, cols, corners);
}

static void recursive_methods_cost_what_their_definitions_say(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 400; trial++) {
        double area[MOST_TEST_PARTS];
        double sorted[MOST_TEST_PARTS];
        int parts = 1 + (int)scalay_random_below(&random, 40);
        double m = 1.0 + (double)(trial % 5);
        double n = 3.0;
        random_areas(&random, trial % KINDS, parts, m * n, area);
        memcpy(sorted, area, sizeof area);
        qsort(sorted, (size_t)parts, sizeof *sorted, descending);
        double cost = n * (halve(sorted, parts, m, n, 0) - m - n);
        assert_true(fabs(cost_by("nagamochi-abe", m, n, parts, area) - cost) <= 1e-9 * n * (m + n) * parts);
        cost = n * (halve(sorted, parts, m, n, 1) - m - n);
        assert_true(fabs(cost_by("recursive", m, n, parts, area) - cost) <= 1e-9 * n * (m + n) * parts);
    }
}

static void grids_cost_their_rows_and_columns(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int parts = 1; parts <= 30; parts++) {
        double area[MOST_TEST_PARTS];
        double m = 10.0;
        double n = 5.0 * (1.0 + parts % 4);
        double best = INFINITY;
        random_areas(&random, parts % KINDS, parts, m * n, area);
        for (int rows = 1; rows <= parts; rows++)
            if (parts % rows == 0) best = fmin(best, rows * n + parts / rows * m);
        assert_true(fabs(cost_by("grid", m, n, parts, area) - n * (best - m - n)) <= 1e-9 * n * (m + n));
    }
}

/* ----------------------------------------------------------------------------------------- the optimum */

/* Cuts of every set both ways, and the largest part of a set around one square with all the others in it, or around
 * one or two squares of one part each: plain recursion, nothing left out. */
static double best_slicing(const double *area, unsigned set, double rows, double cols)
{
    double sum = 0.0;
    int largest = -1;
    int count = 0;
    for (int k = 0; k < 8; k++) {
        if (!(set >> k & 1u)) continue;
        sum += area[k];
        count++;
        if (largest < 0 || area[k] > area[largest]) largest = k;
    }
    double best = INFINITY;
    if (count == 1) return rows + cols;
    double side = sqrt(sum - area[largest]);
    if (side <= fmin(rows, cols)) best = rows + cols + best_slicing(area, set & ~(1u << largest), side, side);
    for (unsigned first = (set - 1) & set; first != 0; first = (first - 1) & set) {
        double in = 0.0;
        for (int k = 0; k < 8; k++)
            if (first >> k & 1u) in += area[k];
        best = fmin(best, best_slicing(area, first, rows, in / rows) +
                              best_slicing(area, set & ~first, rows, (sum - in) / rows));
        best = fmin(best, best_slicing(area, first, in / cols, cols) +
                              best_slicing(area, set & ~first, (sum - in) / cols, cols));
    }
    if (count != 3) return best;
    unsigned rest = set & ~(1u << largest);
    double sides = 0.0;
    for (int k = 0; k < 8; k++)
        if (rest >> k & 1u) sides += sqrt(area[k]);
    if (sides <= fmax(rows, cols) && sides <= 2.0 * fmin(rows, cols) && side <= sqrt(rows * cols)) {
        double larger = 0.0;
        for (int k = 0; k < 8; k++)
            if (rest >> k & 1u) larger = fmax(larger, sqrt(area[k]));
        if (larger <= fmin(rows, cols)) best = fmin(best, rows + cols + 2.0 * sides);
    }
    return best;
}

static void slicing_is_the_best_of_all_trees_of_few_parts(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 60; trial++) {
        double area[5];
        int parts = 1 + trial % 5;
        double m = trial % 2 == 0 ? 1.0 : 2.0;
        random_areas(&random, (trial / 5) % KINDS, parts, m, area);
        double plain = best_slicing(area, (1u << parts) - 1u, m, 1.0) - m - 1.0;
        double ours = cost_by("slicing", m, 1.0, parts, area);
        assert_true(ours <= plain + 1e-10);
        if (parts <= 3) assert_true(ours >= plain - 1e-10);
    }
}

static void slicing_of_three_parts_is_the_known_optimum(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int trial = 0; trial < 1000; trial++) {
        double area[3];
        random_areas(&random, trial % KINDS, 3, 1.0, area);
        qsort(area, 3, sizeof *area, descending);
        assert_close(cost_by("slicing", 1.0, 1.0, 3, area), three_parts(area), 1e-12);
    }
}

static double mean_ratio(int parts, int trials, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    double sum = 0.0;
    for (int trial = 0; trial < trials; trial++) {
        double area[MOST_TEST_PARTS];
        double least = INFINITY;
        random_areas(&random, trial % KINDS, parts, 1.0, area);
        for (int k = 0; k < METHODS; k++) least = fmin(least, cost_by(methods[k], 1.0, 1.0, parts, area));
        sum += least / plain_bound(parts, area);
    }
    return sum / trials;
}

static void the_portfolio_is_near_the_bound_on_average(void **state)
{
    (void)state;
    static const struct {
        int parts, trials;
        double most;
    } goal[] = {{4, 240, 1.03}, {8, 4, 1.03}, {16, 2, 1.015}, {64, 1, 1.01}};
    uint64_t seed = test_seed(1);
    for (size_t k = 0; k < sizeof goal / sizeof goal[0]; k++) {
        double mean = mean_ratio(goal[k].parts, goal[k].trials, seed);
        print_message("%d parts: %.4f of the bound\n", goal[k].parts, mean);
        assert_true(mean <= goal[k].most);
    }
}

/* ------------------------------------------------------------------------------------------- the search */

static int same_drawing(const scalay_drawing *a, const scalay_drawing *b)
{
    if (a->count != b->count) return 0;
    for (int64_t k = 0; k < a->count; k++)
        if (a->paint[k].part != b->paint[k].part || a->paint[k].row != b->paint[k].row ||
            a->paint[k].col != b->paint[k].col || a->paint[k].rows != b->paint[k].rows ||
            a->paint[k].cols != b->paint[k].cols)
            return 0;
    return 1;
}

static void the_same_seed_draws_the_same(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    double area[12];
    random_areas(&random, SKEWED, 12, 1.0, area);
    scalay_partition_options options = {.tile = 1, .seed = 5};
    const scalay_partition_problem problem = {1.0, 1.0, 12, area, &options};
    scalay_candidate first;
    scalay_candidate second;
    assert_success(draw_by("slicing", &problem, &first));
    assert_success(draw_by("slicing", &problem, &second));
    assert_true(same_drawing(&first.drawing, &second.drawing));
    scalay_candidate_free(&first);
    scalay_candidate_free(&second);
}

/* A tree must keep its parts, and its links must fit each other, whatever moves it makes. */
static int count_leaves(const scalay_slicing *tree, int node, int *seen)
{
    const scalay_slice *slice = &tree->slice[node];
    int count = 0;
    if (slice->part < 0) {
        for (int k = 0; k < 2; k++) {
            assert_int_equal(tree->slice[slice->child[k]].parent, node);
            count += count_leaves(tree, slice->child[k], seen);
        }
        return count;
    }
    assert_int_equal(seen[slice->part]++, 0);
    for (int hole = slice->hole; hole >= 0; hole = tree->slice[hole].next) {
        assert_int_equal(tree->slice[hole].parent, node);
        count += count_leaves(tree, hole, seen);
    }
    return count + 1;
}

static void moves_keep_trees_whole(void **state)
{
    (void)state;
    enum { PARTS = 9 };
    scalay_random random = scalay_random_seed(test_seed(1));
    const scalay_partition_options options = {.tile = 1};
    double area[PARTS];
    scalay_scaled_areas shares;
    scalay_slicing tree;
    random_areas(&random, UNIFORM, PARTS, 1.0, area);
    const scalay_partition_problem problem = {1.0, 1.0, PARTS, area, &options};
    assert_success(scalay_scaled_areas_create(&problem, &shares));
    assert_success(scalay_slicing_create(&shares, &tree));
    assert_success(scalay_slicing_nagamochi_abe(&shares, &tree));
    for (int move = 0; move < 100000; move++) {
        int seen[PARTS] = {0};
        scalay_slicing_move(&tree, &random);
        assert_int_equal(tree.slice[tree.root].parent, -1);
        assert_int_equal(count_leaves(&tree, tree.root, seen), PARTS);
    }
    scalay_slicing_free(&tree);
    scalay_scaled_areas_free(&shares);
}

static void packed_squares_lie_inside_and_apart(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    int packed = 0;
    for (int trial = 0; trial < 20000; trial++) {
        scalay_square square[8] = {0};
        int count = 1 + (int)scalay_random_below(&random, 8);
        double rows = 0.5 + scalay_random_unit(&random);
        double cols = 0.5 + scalay_random_unit(&random);
        double area = 0.0;
        double largest = 0.0;
        for (int k = 0; k < count; k++) {
            square[k].side = scalay_random_unit(&random) / sqrt(count);
            area += square[k].side * square[k].side;
            largest = fmax(largest, square[k].side);
        }
        int fits = scalay_pack_squares(square, count, rows, cols);
        int must = largest <= fmin(rows, cols) && largest * largest + (rows - largest) * (cols - largest) >= area;
        if (must) assert_true(fits);
        packed += fits;
        for (int a = 0; a < count && fits; a++) {
            assert_true(square[a].row + square[a].side <= rows + 1e-9 && square[a].row >= 0.0);
            assert_true(square[a].col + square[a].side <= cols + 1e-9 && square[a].col >= 0.0);
            for (int b = 0; b < a; b++)
                assert_true(square[a].row + square[a].side <= square[b].row + 1e-9 ||
                            square[b].row + square[b].side <= square[a].row + 1e-9 ||
                            square[a].col + square[a].side <= square[b].col + 1e-9 ||
                            square[b].col + square[b].side <= square[a].col + 1e-9);
        }
    }
    assert_in_range(packed, 1000, 19999);
}

static void too_many_parts_for_a_search_are_refused_with_the_reason(void **state)
{
    (void)state;
    enum { PARTS = 1000 };
    static const char *const searches[] = {"recursive-best", "slicing"};
    double area[PARTS];
    for (int k = 0; k < PARTS; k++) area[k] = 1.0;
    const scalay_partition_options options = {.tile = 1};
    const scalay_partition_problem problem = {40.0, 25.0, PARTS, area, &options};
    for (int k = 0; k < 2; k++) {
        scalay_candidate candidate;
        assert_success(draw_by(searches[k], &problem, &candidate));
        assert_false(candidate.feasible);
        assert_non_null(strstr(candidate.reason, "512"));
        scalay_candidate_free(&candidate);
    }
    assert_true(cost_by("nagamochi-abe", 40.0, 25.0, PARTS, area) > 0.0);
}

static void areas_of_all_magnitudes_are_drawn(void **state)
{
    (void)state;
    double area[40];
    double total = 0.0;
    for (int k = 0; k < 40; k++) total += area[k] = pow(10.0, -7.0 * k);
    for (int k = 0; k < METHODS; k++) {
        double cost = cost_by(methods[k], 1.0, total, 40, area);
        assert_true(isfinite(cost) && cost >= 0.0);
    }
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    double area[9] = {9.0, 1.0, 1.0, 2.0, 0.5, 3.0, 3.0, 0.25, 1.0};
    scalay_partition_options options = {.tile = 1, .budget = 1e-9};
    for (int k = 0; k < METHODS; k++)
        for (int parts = 3; parts <= 9; parts += 6) {
            double sum = 0.0;
            for (int i = 0; i < parts; i++) sum += area[i];
            const scalay_partition_problem problem = {1.0, sum, parts, area, &options};
            scalay_status status = SCALAY_ERROR_MEMORY;
            for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
                scalay_candidate candidate;
                scalay_memory_fail_at(n);
                status = draw_by(methods[k], &problem, &candidate);
                scalay_memory_fail_at(0);
                assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
                scalay_candidate_free(&candidate);
                assert_int_equal(scalay_memory_live(), 0);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_gets_its_area_and_the_cost_is_that_of_the_drawing),
        cmocka_unit_test(columns_are_the_best_of_all_partitions_into_columns),
        cmocka_unit_test(many_columns_are_those_of_the_plain_recurrence),
        cmocka_unit_test(recursive_methods_cost_what_their_definitions_say),
        cmocka_unit_test(grids_cost_their_rows_and_columns),
        cmocka_unit_test(slicing_is_the_best_of_all_trees_of_few_parts),
        cmocka_unit_test(slicing_of_three_parts_is_the_known_optimum),
        cmocka_unit_test(the_portfolio_is_near_the_bound_on_average),
        cmocka_unit_test(the_same_seed_draws_the_same),
        cmocka_unit_test(moves_keep_trees_whole),
        cmocka_unit_test(packed_squares_lie_inside_and_apart),
        cmocka_unit_test(too_many_parts_for_a_search_are_refused_with_the_reason),
        cmocka_unit_test(areas_of_all_magnitudes_are_drawn),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
