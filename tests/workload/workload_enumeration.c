/* Every question on problems so small that all their distributions can be listed: the answers are the best of them. */
#include "enumeration.h"

#include "profile/profile.h"
#include "rounds.h"
#include "scalay/published.h"
#include "workload_check.h"

static uint64_t instances = 4000; /* of each kind */
static uint64_t feasible;

/* -------------------------------------------------------------------------------------------- one objective */

static double value_of(const outcome *of, int energy)
{
    return energy ? of->energy : of->time;
}

static int is_better(const outcome *a, const outcome *b, int energy)
{
    if (value_of(a, energy) != value_of(b, energy)) return value_of(a, energy) < value_of(b, energy);
    if (!energy && all.profile->has_energy && a->energy != b->energy) return a->energy < b->energy;
    return a->active < b->active;
}

/* The least value, for times the least energy, then the fewest active processors; active -1: there is no
 * distribution. */
static outcome best_outcome(int energy)
{
    outcome best = {INFINITY, INFINITY, -1};
    for (int64_t k = 0; k < all.outcomes; k++) {
        if (best.active < 0 || is_better(&all.outcome[k], &best, energy)) best = all.outcome[k];
    }
    return best;
}

static void check_nearest(int64_t below, int64_t above)
{
    int64_t expected = all.n;
    while (expected >= MOST_TOTAL || !all.possible[expected]) expected--;
    assert_int_equal(below, expected);
    for (expected = all.n; expected < MOST_TOTAL && !all.possible[expected];) expected++;
    assert_int_equal(above, expected < MOST_TOTAL ? expected : -1);
}

/* A method's answer, NULL: the exact solver's; `fewest`: ties are broken by energy and by active processors. */
static void check_method(const char *method, int energy, int fewest)
{
    const outcome best = best_outcome(energy);
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    int64_t below = 0;
    int64_t above = 0;
    if (method != NULL)
        assert_success(scalay_published_distribute(all.profile, all.n, method, &workload));
    else
        assert_success(energy ? scalay_workload_min_energy(all.profile, all.n, NULL, &workload)
                              : scalay_workload_min_time(all.profile, all.n, NULL, &workload));
    assert_fine(workload_check(all.profile, all.n, workload), seed);
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_success(scalay_workload_nearest(workload, &below, &above));
    check_nearest(below, above);
    assert_int_equal(scalay_workload_feasible(workload), best.active >= 0);
    if (best.active >= 0) {
        assert_true(summary.total == value_of(&best, energy));
        if (fewest) assert_true(summary.active == best.active && (energy || summary.energy == best.energy));
    }
    scalay_workload_destroy(&workload);
}

/* -------------------------------------------------------------------------------------------- communication */

static double table_cost[MOST_ACTIVE + 1];

/* The least sum of value and cost over all distributions, and the fewest that take part, then are active. */
static outcome best_with_costs(int energy, int at_most, const double *cost, int64_t *taking_part)
{
    outcome best = {INFINITY, INFINITY, -1};
    double least = INFINITY;
    *taking_part = -1;
    for (int64_t q = 1; q <= all.processors; q++)
        for (int64_t k = 0; k < all.outcomes; k++) {
            const outcome *of = &all.outcome[k];
            const double value = value_of(of, energy);
            if (at_most ? of->active > q : of->active != q) continue;
            const double total = value + cost[q];
            if (total > least || !(total < INFINITY)) continue;
            if (total == least && (q > *taking_part || value > value_of(&best, energy))) continue;
            if (total == least && value == value_of(&best, energy) && of->active >= best.active) continue;
            least = total;
            best = *of;
            *taking_part = q;
        }
    return best;
}

static void check_communication(const scalay_communication *communication, const double *cost, int energy, int at_most)
{
    int64_t taking_part = 0;
    const outcome best = best_with_costs(energy, at_most, cost, &taking_part);
    scalay_workload_options options = scalay_workload_options_default();
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    options.communication = communication;
    options.variant = at_most ? SCALAY_COMMUNICATION_AT_MOST : SCALAY_COMMUNICATION_EXACT;
    assert_success(energy ? scalay_workload_min_energy(all.profile, all.n, &options, &workload)
                          : scalay_workload_min_time(all.profile, all.n, &options, &workload));
    assert_int_equal(scalay_workload_feasible(workload), best.active >= 0);
    assert_success(scalay_workload_get_summary(workload, &summary));
    if (best.active >= 0) {
        assert_fine(workload_check(all.profile, all.n, workload), seed);
        assert_true(workload_near(summary.total, value_of(&best, energy) + cost[taking_part]));
        assert_int_equal(summary.taking_part, taking_part);
        assert_int_equal(summary.active, best.active);
        assert_true(at_most ? summary.active <= taking_part : summary.active == taking_part);
    }
    scalay_workload_destroy(&workload);
}

/* In sixteenths, so that sums are exact; some numbers of processors are not possible. */
static scalay_communication *random_table(scalay_random *random)
{
    int64_t processors[MOST_ACTIVE + 1];
    double cost[MOST_ACTIVE + 1];
    int64_t entries = 0;
    scalay_communication *communication = NULL;
    for (int64_t q = 1; q <= MOST_ACTIVE; q++) {
        table_cost[q] = (double)scalay_random_below(random, 48) / 16.0;
        if (q > 1 && scalay_random_below(random, 4) == 0) table_cost[q] = INFINITY;
        if (!(table_cost[q] < INFINITY)) continue;
        processors[entries] = q;
        cost[entries++] = table_cost[q];
    }
    assert_success(scalay_communication_table(entries, processors, cost, &communication));
    return communication;
}

static scalay_communication *random_model(scalay_random *random)
{
    const double alpha = scalay_random_unit(random) * 1e-2;
    const double beta = scalay_random_unit(random) * 1e-8;
    const double extent = 1024.0 * (double)all.n;
    scalay_communication *communication = NULL;
    for (int64_t q = 1; q <= MOST_ACTIVE; q++) {
        const double root = sqrt((double)q);
        table_cost[q] = (log2((double)q) + 2.0 * (root - 1.0)) * alpha * extent / 64.0 +
                        4.0 * (1.0 - 1.0 / root) * beta * extent * extent / root;
    }
    assert_success(scalay_communication_hockney(alpha, beta, 64, &communication));
    return communication;
}

static void check_all_communication(scalay_random *random)
{
    if (all.n == 0) return; /* nobody takes part */
    for (int model = 0; model < 2; model++) {
        scalay_communication *communication = model ? random_model(random) : random_table(random);
        for (int variant = 0; variant < 4; variant++)
            check_communication(communication, table_cost, variant / 2, variant % 2);
        scalay_communication_destroy(&communication);
    }
}

/* --------------------------------------------------------------------------------------------------- fronts */

static int better(const outcome *a, const outcome *b)
{
    if (a->time != b->time) return a->time < b->time;
    if (a->energy != b->energy) return a->energy < b->energy;
    return a->active < b->active;
}

static int compare_outcomes(const void *a, const void *b)
{
    return better(a, b) ? -1 : better(b, a);
}

/* What no outcome beats, sorted, to the front of the list; with a base power, only where the total falls. */
static int64_t front_of_all(double power)
{
    int64_t count = 0;
    double least = INFINITY;
    double least_total = INFINITY;
    qsort(all.outcome, (size_t)all.outcomes, sizeof *all.outcome, compare_outcomes);
    for (int64_t k = 0; k < all.outcomes; k++) {
        const outcome of = all.outcome[k];
        if (of.energy >= least) continue;
        least = of.energy;
        if (power >= 0.0 && of.energy + power * of.time >= least_total) continue;
        least_total = of.energy + power * of.time;
        all.outcome[count++] = of;
    }
    return count;
}

static void check_point(const scalay_workload_front *front, int64_t k, const outcome *expected, int fewest)
{
    scalay_workload_front_point point;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    assert_success(scalay_workload_front_get_point(front, k, &point));
    assert_true(point.time == expected->time && point.energy == expected->energy);
    assert_true(point.active == expected->active || (!fewest && point.active > expected->active));
    assert_success(scalay_workload_front_get_workload(front, k, &workload));
    assert_fine(workload_check(all.profile, all.n, workload), seed);
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_true(summary.time == point.time && summary.energy == point.energy && summary.active == point.active);
    scalay_workload_destroy(&workload);
}

/* Leaves the outcomes in another order, without what is beaten: the last check of an enumeration. */
static void check_front(const char *method, double power, int fewest)
{
    scalay_workload_front *front = NULL;
    int64_t below = 0;
    int64_t above = 0;
    const int64_t outcomes = all.outcomes;
    outcome *kept = malloc((size_t)(outcomes + 1) * sizeof *kept);
    assert_non_null(kept);
    memcpy(kept, all.outcome, (size_t)outcomes * sizeof *kept);
    const int64_t count = front_of_all(power);
    if (method != NULL)
        assert_success(scalay_published_front(all.profile, all.n, fmax(power, 0.0), method, &front));
    else
        assert_success(power >= 0.0 ? scalay_workload_front_create_total(all.profile, all.n, power, NULL, &front)
                                    : scalay_workload_front_create(all.profile, all.n, NULL, &front));
    assert_int_equal(scalay_workload_front_count(front), count);
    assert_success(scalay_workload_front_nearest(front, &below, &above));
    check_nearest(below, above);
    for (int64_t k = 0; k < count; k++) check_point(front, k, &all.outcome[k], fewest);
    memcpy(all.outcome, kept, (size_t)outcomes * sizeof *kept);
    free(kept);
    scalay_workload_front_destroy(&front);
}

/* ---------------------------------------------------------------------------------------------------- tests */

static void check_everything(scalay_random *random)
{
    const int identical = scalay_profile_groups(all.profile) == 1;
    const double power = (double)scalay_random_below(random, 40) / 4.0;
    for (int energy = 0; energy < 2; energy++) check_method(NULL, energy, 1);
    check_method("hpopta", 0, 0);
    if (identical) check_method("popta", 0, 0);
    if (identical) check_method("eopta", 1, 0);
    check_all_communication(random);
    check_front(NULL, -1.0, 1);
    check_front(NULL, power, 1);
    check_front("hepopta", -1.0, 0);
    check_front("htpopta", power, 0);
    if (identical) check_front("aleph", -1.0, 0);
}

static void check_instance(int kind)
{
    scalay_random random = scalay_random_seed(seed * KINDS + (uint64_t)kind);
    scalay_profile *profile = tiny_profile(&random, kind);
    enumerate_all(profile, tiny_total(&random, profile));
    check_everything(&random);
    feasible += all.outcomes > 0;
    scalay_profile_destroy(&profile);
}

static void check_kind(int kind)
{
    const uint64_t first = seed;
    for (; seed < first + instances; seed++) check_instance(kind);
    seed = first;
    print_message("%llu of %llu have a distribution\n", (unsigned long long)feasible, (unsigned long long)instances);
    assert_true(feasible > instances / 3 && feasible < instances);
    feasible = 0;
    assert_int_equal(scalay_memory_live(), 0);
}

static void identical_processors(void **state)
{
    (void)state;
    check_kind(0);
}

static void different_processors(void **state)
{
    (void)state;
    check_kind(1);
}

static void grouped_processors(void **state)
{
    (void)state;
    check_kind(2);
}

/* Several distributions have the least energy on at most so many processors: that with the fewest active ones counts.
 */
static void ties_within_a_number_of_processors(void **state)
{
    const uint64_t first = seed;
    (void)state;
    seed = 6097;
    check_instance(1);
    seed = 11790;
    check_instance(2);
    seed = first;
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_processors),
        cmocka_unit_test(different_processors),
        cmocka_unit_test(grouped_processors),
        cmocka_unit_test(ties_within_a_number_of_processors),
    };
    read_rounds(count, argument, 1);
    instances *= (uint64_t)rounds;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
