/* Energies that are linear, equal or periodic up to a few exceptions, for many sizes: the least energy and the fewest
 * active processors are those of a plain dynamic program. */
#include "support/serial.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "rounds.h"
#include "scalay/workload.h"

enum { LARGEST = 4300, GROUPS = 3, PERIODS = 6, INSTANCES = 60, PER_ACTIVE = 1000, NONE = INT32_MAX / 2 };

/* Energies of one group, in joules; NONE: not listed. */
typedef struct {
    int64_t count;
    int32_t energy[LARGEST + 1];
} group;

static group made[GROUPS];
static int groups;

static int listed(int64_t x, double *time, double *energy, void *context)
{
    const group *of = context;
    *time = (double)x;
    *energy = of->energy[x];
    return of->energy[x] < NONE;
}

/* Slope and a table of a period, the same period for all groups, and some exceptions. */
static void make_groups(scalay_random *random)
{
    static const int64_t periods[PERIODS] = {1, 1, 3, 7, 60, 300};
    const int64_t period = periods[scalay_random_below(random, PERIODS)];
    const int64_t start = scalay_random_below(random, 3) == 0 ? scalay_random_below(random, 50) : 0;
    groups = 1 + (int)scalay_random_below(random, GROUPS);
    for (int j = 0; j < groups; j++) {
        const int64_t slope = scalay_random_below(random, 3);
        const int64_t height = 1 + scalay_random_below(random, 9);
        int64_t table[300];
        made[j].count = 1 + scalay_random_below(random, groups == 1 ? 4 : 2);
        for (int64_t k = 0; k < period; k++) table[k] = scalay_random_below(random, height);
        for (int64_t x = 1; x <= LARGEST; x++) made[j].energy[x] = (int32_t)(1 + start + slope * x + table[x % period]);
        for (int64_t k = scalay_random_below(random, 4); k > 0; k--) {
            const int64_t x = 1 + scalay_random_below(random, LARGEST);
            made[j].energy[x] = k == 3 ? NONE : made[j].energy[x] + 1;
        }
    }
}

/* best[v]: the least PER_ACTIVE * energy + active of the sum v; one processor after the other. */
static void add_processor(const group *of, int64_t n, int32_t *best)
{
    static int32_t before[GROUPS * 2 * LARGEST + 1];
    memcpy(before, best, (size_t)(n + 1) * sizeof *best);
    for (int64_t x = 1; x <= LARGEST && x <= n; x++) {
        if (of->energy[x] >= NONE) continue;
        const int32_t cost = PER_ACTIVE * of->energy[x] + 1;
        for (int64_t v = x; v <= n; v++) {
            const int32_t sum = before[v - x] + cost;
            best[v] = sum < best[v] ? sum : best[v];
        }
    }
}

static int32_t least_energy(int64_t n)
{
    static int32_t best[GROUPS * 2 * LARGEST + 1];
    for (int64_t v = 0; v <= n; v++) best[v] = v == 0 ? 0 : NONE;
    for (int j = 0; j < groups; j++)
        for (int64_t k = 0; k < made[j].count; k++) add_processor(&made[j], n, best);
    return best[n];
}

static void check_instance(uint64_t instance_seed)
{
    scalay_random random = scalay_random_seed(instance_seed);
    scalay_profile *part[GROUPS] = {NULL};
    scalay_profile *profile = NULL;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    make_groups(&random);
    for (int j = 0; j < groups; j++) {
        const char name[2] = {(char)('a' + j), 0};
        assert_success(scalay_profile_function(name, made[j].count, LARGEST, listed, &made[j], 1, &part[j]));
    }
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &profile));
    const int64_t n = 1 + scalay_random_below(&random, scalay_profile_processors(profile) * LARGEST);
    assert_success(scalay_workload_min_energy(profile, n, NULL, &workload));
    const int32_t least = least_energy(n);
    assert_int_equal(scalay_workload_feasible(workload), least < NONE);
    if (least < NONE) {
        assert_success(scalay_workload_get_summary(workload, &summary));
        assert_int_equal((int64_t)summary.energy, least / PER_ACTIVE);
        assert_int_equal(summary.active, least % PER_ACTIVE);
    }
    scalay_workload_destroy(&workload);
    scalay_profile_destroy(&profile);
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
}

static void the_least_energy_is_that_of_a_dynamic_program(void **state)
{
    (void)state;
    for (int k = 0; k < INSTANCES * rounds; k++) check_instance(seed + 1000 * (uint64_t)k);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_energy_is_that_of_a_dynamic_program),
    };
    read_rounds(count, argument, 171);
    return run_all_tests(tests);
}
