/* Mappings of up to some dozens of processes against solvers written for this test: the Hungarian method on the full
 * matrix with pairs of too many steps left out, and bisection over the steps. */
#include "instances.h"
#include "summaries.h"

#include <string.h>

enum { MOST = 40, CASES = 220 };

/* A square problem: rows and columns beyond the instance hold and want nothing. */
typedef struct {
    int extent;
    int64_t items[MOST][MOST];
    int64_t cost[MOST][MOST]; /* steps of the pair */
} square;

static const int64_t far_off = INT64_C(1) << 61;

static void fill_square(const instance *made, square *full)
{
    int64_t held[MOST] = {0}, wanted[MOST] = {0};
    memset(full, 0, sizeof *full);
    full->extent = made->processes > made->parts ? made->processes : made->parts;
    for (int i = 0; i < made->processes; i++)
        for (int j = 0; j < made->parts; j++) {
            full->items[i][j] = instance_get(made, i, j);
            held[i] += full->items[i][j];
            wanted[j] += full->items[i][j];
        }
    for (int i = 0; i < full->extent; i++)
        for (int j = 0; j < full->extent; j++)
            full->cost[i][j] = (held[i] > wanted[j] ? held[i] : wanted[j]) - full->items[i][j];
}

/* The most items that stay when every pair has at most so many steps; -1: impossible. Rows join one after the other,
 * each along a shortest path (Kuhn and Munkres); index 0 is none. */
static int64_t most_kept(const square *full, int64_t steps)
{
    const int n = full->extent;
    int64_t u[MOST + 1] = {0}, v[MOST + 1] = {0}, kept = 0;
    int row_of[MOST + 1] = {0}, way[MOST + 1] = {0};
    for (int i = 1; i <= n; i++) {
        int64_t least[MOST + 1];
        unsigned char done[MOST + 1] = {0};
        int j = 0;
        for (int k = 0; k <= n; k++) least[k] = far_off;
        row_of[0] = i;
        do {
            const int row = row_of[j];
            int64_t delta = far_off;
            int next = -1;
            done[j] = 1;
            for (int k = 1; k <= n; k++) {
                if (done[k]) continue;
                if (full->cost[row - 1][k - 1] <= steps && -full->items[row - 1][k - 1] - u[row] - v[k] < least[k]) {
                    least[k] = -full->items[row - 1][k - 1] - u[row] - v[k];
                    way[k] = j;
                }
                if (least[k] < delta) {
                    delta = least[k];
                    next = k;
                }
            }
            if (next < 0) return -1;
            for (int k = 0; k <= n; k++) {
                if (done[k]) {
                    u[row_of[k]] += delta;
                    v[k] -= delta;
                } else if (least[k] < far_off) {
                    least[k] -= delta;
                }
            }
            j = next;
        } while (row_of[j] != 0);
        for (; j != 0; j = way[j]) row_of[j] = row_of[way[j]];
    }
    for (int k = 1; k <= n; k++) kept += full->items[row_of[k] - 1][k - 1];
    return kept;
}

static int64_t largest_cost(const square *full)
{
    int64_t most = 0;
    for (int i = 0; i < full->extent; i++)
        for (int j = 0; j < full->extent; j++) most = full->cost[i][j] > most ? full->cost[i][j] : most;
    return most;
}

/* The fewest steps with which at least so many items stay. */
static int64_t fewest_steps(const square *full, int64_t kept)
{
    int64_t low = 0, high = largest_cost(full);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (most_kept(full, middle) >= kept)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What rows and columns need, each on its own. */
static int64_t simple_bound(const square *full)
{
    int64_t bound = 0;
    for (int i = 0; i < full->extent; i++) {
        int64_t row = INT64_MAX, col = INT64_MAX;
        for (int j = 0; j < full->extent; j++) {
            row = full->cost[i][j] < row ? full->cost[i][j] : row;
            col = full->cost[j][i] < col ? full->cost[j][i] : col;
        }
        bound = row > bound ? row : bound;
        bound = col > bound ? col : bound;
    }
    return bound;
}

static void check_objective(const scalay_traffic *traffic, scalay_objective objective, int64_t volume, int64_t steps)
{
    scalay_mapping *mapping = NULL;
    assert_success(scalay_mapping_from_traffic(traffic, objective, NULL, &mapping));
    assert_success(scalay_mapping_check(traffic, mapping, NULL));
    assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
    if (volume >= 0) {
        assert_int_equal(mapping_summary(mapping).volume, volume);
        assert_int_equal(mapping_summary(mapping).volume_bound, volume);
    }
    if (steps >= 0) {
        assert_int_equal(mapping_summary(mapping).steps, steps);
        assert_int_equal(mapping_summary(mapping).steps_bound, steps);
    }
    scalay_mapping_destroy(&mapping);
}

/* Every point has the least volume of its steps and the fewest steps of its volume, and leads to the next. */
static void check_front(const scalay_traffic *traffic, const square *full, int64_t items)
{
    scalay_mapping_front *front = NULL;
    int64_t kept = 0;
    assert_success(scalay_mapping_front_from_traffic(traffic, NULL, &front));
    assert_success(scalay_mapping_front_check(traffic, front, NULL));
    for (int64_t k = 0; k < scalay_mapping_front_count(front); k++) {
        const scalay_mapping *point = scalay_mapping_front_get_mapping(front, k);
        const int64_t steps = mapping_summary(point).steps;
        assert_int_equal(most_kept(full, steps - 1), k == 0 ? -1 : kept);
        kept = items - mapping_summary(point).volume;
        assert_int_equal(most_kept(full, steps), kept);
    }
    assert_int_equal(most_kept(full, largest_cost(full)), kept);
    scalay_mapping_front_destroy(&front);
}

/* Returns whether the fewest steps lie above the simple bound. */
static int check_case(uint64_t seed, int kind)
{
    scalay_random random = scalay_random_seed(seed);
    const int rows = 2 * (1 + (int)scalay_random_below(&random, MOST / 2)) - (kind != CROWDED);
    const int square_one = kind == CROWDED || scalay_random_below(&random, 2) == 0;
    const int parts = square_one ? rows : 2 + (int)scalay_random_below(&random, MOST - 1);
    instance made = instance_random(&random, rows, parts, kind);
    square *full = malloc(sizeof *full);
    scalay_traffic *traffic = NULL;
    assert_non_null(full);
    fill_square(&made, full);
    assert_success(instance_traffic(&made, &traffic));
    const int64_t items = traffic_summary(traffic).elements, kept = most_kept(full, largest_cost(full));
    const int64_t steps = fewest_steps(full, 0);
    check_objective(traffic, SCALAY_MIN_VOLUME, items - kept, -1);
    check_objective(traffic, SCALAY_MIN_STEPS, -1, steps);
    check_objective(traffic, SCALAY_MIN_STEPS_THEN_VOLUME, items - most_kept(full, steps), steps);
    check_objective(traffic, SCALAY_MIN_VOLUME_THEN_STEPS, items - kept, fewest_steps(full, kept));
    check_front(traffic, full, items);
    const int above = steps > simple_bound(full);
    free(full);
    scalay_traffic_destroy(&traffic);
    instance_free(&made);
    return above;
}

static void every_objective_equals_the_hungarian_method(void **state)
{
    (void)state;
    int above = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        above += check_case(seed, (int)(seed % ALL_KINDS));
        if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
    print_message("seeds 1 to %d; in %d cases the fewest steps lie above the simple bound\n", CASES, above);
    assert_true(above > CASES / 20);
}

/* Totals of nearly 2^63: exact, or refused in so many words where sums of duals might not fit. */
static void totals_near_the_limit_are_exact_or_refused(void **state)
{
    (void)state;
    int refused = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int extent = 2 + (int)scalay_random_below(&random, 5);
        instance made = instance_allocate(extent, extent);
        const int heavy = (int)(seed % 2); /* nearly everything on the diagonal */
        const int64_t share = INT64_MAX / (heavy ? extent : extent * extent);
        int process[8];
        int64_t volume = 0, steps = 0, least = INT64_MAX, fewest = INT64_MAX;
        for (int k = 0; k < extent * extent; k++)
            made.items[k] = heavy && k % (extent + 1) != 0
                                ? 0
                                : share - scalay_random_below(&random, INT64_C(1) << scalay_random_below(&random, 58));
        scalay_traffic *traffic = NULL;
        assert_success(instance_traffic(&made, &traffic));
        for (scalay_objective objective = SCALAY_MIN_VOLUME; objective <= SCALAY_MIN_VOLUME_THEN_STEPS; objective++) {
            scalay_mapping *mapping = NULL;
            const scalay_status status = scalay_mapping_from_traffic(traffic, objective, NULL, &mapping);
            if (objective == SCALAY_MIN_STEPS_THEN_VOLUME && status == SCALAY_ERROR_RANGE) {
                assert_non_null(strstr(scalay_error_message(), "2^62"));
                refused++;
                continue;
            }
            assert_int_equal(status, SCALAY_SUCCESS);
            assert_success(scalay_mapping_check(traffic, mapping, NULL));
            memcpy(process, scalay_mapping_process(mapping), (size_t)extent * sizeof *process);
            instance_cost(&made, process, extent, &volume, &steps);
            assert_int_equal(mapping_summary(mapping).volume, volume);
            assert_int_equal(mapping_summary(mapping).steps, steps);
            if (objective == SCALAY_MIN_VOLUME) least = volume;
            if (objective == SCALAY_MIN_STEPS) fewest = steps;
            if (objective == SCALAY_MIN_STEPS_THEN_VOLUME) assert_int_equal(steps, fewest);
            if (objective == SCALAY_MIN_VOLUME_THEN_STEPS) assert_int_equal(volume, least);
            assert_true(volume >= least && (objective == SCALAY_MIN_VOLUME || steps >= fewest));
            scalay_mapping_destroy(&mapping);
        }
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
    }
    print_message("seeds 1 to 200; %d were refused\n", refused);
    assert_true(refused > 20);
    assert_int_equal(scalay_memory_live(), 0);
}

static void totals_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    const int process[3] = {0, 0, 1}, part[3] = {0, 1, 1};
    const int64_t items[3] = {INT64_MAX - 1, 1, 1};
    scalay_traffic *traffic = NULL;
    assert_int_equal(scalay_traffic_from_entries(2, 2, 3, process, part, items, &traffic), SCALAY_ERROR_RANGE);
    assert_non_null(strstr(scalay_error_message(), "2^63"));
    assert_null(traffic);
    assert_success(scalay_traffic_from_entries(2, 2, 2, process, part, items, &traffic));
    check_objective(traffic, SCALAY_MIN_STEPS, -1, 1);
    check_objective(traffic, SCALAY_MIN_VOLUME, 1, -1);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The search has to go on after the greedy start, and is stopped there. */
static void steps_of_a_hidden_permutation_are_bounded_in_no_time(void **state)
{
    (void)state;
    enum { EXTENT = 300 };
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    instance made = instance_allocate(EXTENT, EXTENT);
    for (int i = 0; i < EXTENT; i++)
        for (int j = 0; j < EXTENT; j++) made.items[i * EXTENT + j] = j == i || j == i + 1 || j == 0 ? 100 : 0;
    assert_success(instance_traffic(&made, &traffic));
    options.budget_seconds = 1e-9;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_STEPS, &options, &mapping));
    assert_success(scalay_mapping_check(traffic, mapping, NULL));
    assert_true(mapping_summary(mapping).steps_bound <= mapping_summary(mapping).steps);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    instance_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_objective_equals_the_hungarian_method),
        cmocka_unit_test(totals_near_the_limit_are_exact_or_refused),
        cmocka_unit_test(totals_beyond_the_limit_are_refused),
        cmocka_unit_test(steps_of_a_hidden_permutation_are_bounded_in_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
