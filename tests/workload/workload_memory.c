/* Memory beyond the input: some bytes for each size of a group, whatever the number of processors. Counted by the
 * allocator, on profiles of all shapes, adversarial ones included. */
#include "instances.h"
#include "scalay/workload.h"
#include "support/measured.h"

/* More shapes than measured ones. */
enum { JAGGED = PROFILE_SHAPES, COMB, TWO_SIZED, ROOTS, PRECISE, MEMORY_SHAPES };

enum {
    CONSTANT = 256 << 10, /* what every search has, and tables of few cells */
    TIME_BYTES = 160,     /* a size, for the least time on identical processors if energies break no ties */
    ENERGY_BYTES = 1024,  /* a size, for all else; twice that where energies have so many digits that costs are wide */
    POINT_BYTES = 96,     /* a point of a front, while it is found */
    COUNTED_BYTES = 3072  /* a size and group, where groups have to have a number of active processors */
};

static uint64_t seed;

/* A question and what it may take: 0 least time, 1 least energy. */
typedef struct {
    int energy;
    const scalay_communication *communication;
    scalay_communication_variant variant;
} question;

static int64_t make_points(int shape, uint64_t number, int64_t largest, int64_t *size, double *time, double *energy)
{
    int64_t points = 0;
    if (shape < PROFILE_SHAPES)
        return profile_points((profile_shape)shape, seed + number, 1000.0 + 37.0 * (double)number, largest, size, time,
                              energy);
    scalay_random random = scalay_random_seed(seed * 31 + number);
    for (int64_t x = 1; x <= largest; x++) {
        if (shape == COMB && x % 7 != 0 && x != largest - 1) continue;
        if (shape == TWO_SIZED && x != largest - 7 * (int64_t)(number % 5) && x != 3 + (int64_t)number % 2) continue;
        size[points] = x;
        time[points] = 1.0 + 9.0 * scalay_random_unit(&random);
        energy[points] = shape == JAGGED      ? (double)(3 * x + scalay_random_below(&random, 20))
                         : shape == TWO_SIZED ? (double)(1000 + 13 * (number % 7) * (number % 7))
                         : shape == ROOTS     ? floor(1000.0 * sqrt((double)x)) / 8.0
                         : shape == PRECISE
                             ? floor(1e9 * sqrt((double)x)) + (double)scalay_random_below(&random, 1 << 20)
                             : (double)(1 + scalay_random_below(&random, 1000));
        points++;
    }
    return points;
}

static scalay_profile *make_profile(int shape, int groups, int64_t count, int64_t largest)
{
    scalay_profile *part[MOST_GROUPS] = {NULL};
    scalay_profile *profile = NULL;
    int64_t *size = malloc((size_t)largest * sizeof *size);
    double *time = malloc((size_t)largest * sizeof *time);
    double *energy = malloc((size_t)largest * sizeof *energy);
    assert_true(size != NULL && time != NULL && energy != NULL);
    for (int j = 0; j < groups; j++) {
        char name[16];
        const int64_t points = make_points(shape, (uint64_t)j, largest, size, time, energy);
        snprintf(name, sizeof name, "p%d", j);
        assert_success(scalay_profile_table(name, count + j, points, size, time, energy, &part[j]));
    }
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
    free(size);
    free(time);
    free(energy);
    return profile;
}

static double allowed(const question *asked, int shape, int groups, int64_t largest)
{
    const double sizes = (double)groups * (double)largest;
    const double counted = asked->communication != NULL && groups > 1 ? COUNTED_BYTES * groups : 0.0;
    return CONSTANT + sizes * (counted + (asked->energy || groups > 1 || asked->communication == NULL
                                              ? (shape == PRECISE ? 2 : 1) * ENERGY_BYTES
                                              : TIME_BYTES));
}

/* Asks for totals all over the range; the worst share of what is allowed. */
static void ask(int shape, int groups, int64_t count, int64_t largest, const question *asked)
{
    static const double part[] = {0.03, 0.29, 0.5, 0.731, 0.97};
    const double most = allowed(asked, shape, groups, largest);
    if (shape == PRECISE && count > 1 << 20) return; /* its energies do not fit together */
    scalay_profile *profile = make_profile(shape, groups, count, largest);
    for (int k = 0; k < 5; k++) {
        const double capacity = (double)largest * (double)scalay_profile_processors(profile);
        const int64_t n = (int64_t)(part[k] * capacity) + 1;
        const int64_t before = scalay_memory_bytes();
        scalay_workload_options options = scalay_workload_options_default();
        scalay_workload *workload = NULL;
        options.communication = asked->communication;
        options.variant = asked->variant;
        scalay_memory_reset_peak();
        assert_success(asked->energy ? scalay_workload_min_energy(profile, n, &options, &workload)
                                     : scalay_workload_min_time(profile, n, &options, &workload));
        const double taken = (double)(scalay_memory_peak() - before);
        scalay_workload_destroy(&workload);
        if (taken > most)
            print_error("shape %d, %d groups of %lld, sizes to %lld, n = %lld, energy %d: %.0f bytes, allowed %.0f\n",
                        shape, groups, (long long)count, (long long)largest, (long long)n, asked->energy, taken, most);
        assert_true(taken <= most);
    }
    scalay_profile_destroy(&profile);
}

static void ask_both(int groups, int64_t count, int64_t largest, const scalay_communication *communication,
                     scalay_communication_variant variant)
{
    for (int shape = 0; shape < MEMORY_SHAPES; shape++)
        for (int energy = 0; energy < 2; energy++)
            ask(shape, groups, count, largest, &(question){energy, communication, variant});
}

static void identical_processors_take_as_much_as_their_sizes(void **state)
{
    (void)state;
    for (int64_t largest = 64; largest <= 4096; largest *= 4)
        for (int64_t count = 4; count <= 1 << 20; count *= 512)
            ask_both(1, count, largest, NULL, SCALAY_COMMUNICATION_EXACT);
}

static void so_do_processors_that_differ(void **state)
{
    (void)state;
    for (int groups = 2; groups <= 64; groups *= 2) ask_both(groups, 1, 64, NULL, SCALAY_COMMUNICATION_EXACT);
    for (int64_t largest = 64; largest <= 1024; largest *= 4) ask_both(5, 1, largest, NULL, SCALAY_COMMUNICATION_EXACT);
}

static void so_do_groups_of_any_number(void **state)
{
    (void)state;
    for (int64_t count = 3; count <= INT64_C(3000000000); count *= 1000)
        for (int64_t largest = 64; largest <= 512; largest *= 8)
            ask_both(3, count, largest, NULL, SCALAY_COMMUNICATION_EXACT);
}

static void communications_take_no_more(void **state)
{
    (void)state;
    scalay_communication *communication = NULL;
    assert_success(scalay_communication_hockney(1e-6, 1e-10, 64, &communication));
    for (int variant = 0; variant < 2; variant++) {
        ask_both(1, 100, 256, communication, (scalay_communication_variant)variant);
        ask_both(1, 100000, 64, communication, (scalay_communication_variant)variant);
        ask_both(3, 40, 64, communication, (scalay_communication_variant)variant);
        ask_both(3, 20, 200, communication, (scalay_communication_variant)variant);
        ask_both(3, 400, 40, communication, (scalay_communication_variant)variant);
    }
    scalay_communication_destroy(&communication);
}

/* Beside the points themselves, in arrays that grow by doubling. */
static void fronts_of_groups_take_their_points_beside(void **state)
{
    (void)state;
    const question asked = {1, NULL, SCALAY_COMMUNICATION_EXACT};
    for (int64_t count = 1; count <= 1000000; count *= 1000)
        for (int shape = 0; shape < MEMORY_SHAPES; shape++) {
            scalay_profile *profile = make_profile(shape, 3, count, 64);
            scalay_workload_front *front = NULL;
            const int64_t before = scalay_memory_bytes();
            scalay_memory_reset_peak();
            assert_success(
                scalay_workload_front_create(profile, 48 * scalay_profile_processors(profile), NULL, &front));
            const double points = (double)scalay_workload_front_count(front);
            const double taken = (double)(scalay_memory_peak() - before);
            if (taken > allowed(&asked, shape, 3, 64) + POINT_BYTES * points)
                print_error("shape %d, 3 groups of %lld: %.0f bytes for %.0f points\n", shape, (long long)count, taken,
                            points);
            assert_true(taken <= allowed(&asked, shape, 3, 64) + POINT_BYTES * points);
            scalay_workload_front_destroy(&front);
            scalay_profile_destroy(&profile);
        }
}

/* So far from convex that a table of all sums and moves would take gigabytes, and was refused once. */
static void nothing_is_refused_for_its_memory(void **state)
{
    (void)state;
    const int64_t sizes[] = {1000, 993};
    const double energies[] = {1000.0, 1013.0};
    scalay_profile *part[2] = {NULL, NULL};
    scalay_profile *profile = NULL;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    const double time = 1.0;
    for (int j = 0; j < 2; j++)
        assert_success(scalay_profile_table(j == 0 ? "a" : "b", 500 + j, 1, &sizes[j], &time, &energies[j], &part[j]));
    assert_success(scalay_profile_join(2, (const scalay_profile *const *)part, &profile));
    for (int64_t b = 0; b <= 500; b += 50) {
        /* 993 b, modulo 1000, tells how many have 993. */
        const int64_t a = 500 - b / 2;
        const int64_t before = scalay_memory_bytes();
        scalay_memory_reset_peak();
        assert_success(scalay_workload_min_energy(profile, 1000 * a + 993 * b, NULL, &workload));
        assert_true(scalay_memory_peak() - before < (2 << 20));
        assert_success(scalay_workload_get_summary(workload, &summary));
        assert_true(summary.energy == 1000.0 * (double)a + 1013.0 * (double)b);
        scalay_workload_destroy(&workload);
    }
    assert_success(scalay_workload_min_energy(profile, 332504, NULL, &workload));
    assert_false(scalay_workload_feasible(workload));
    scalay_workload_destroy(&workload);
    for (int j = 0; j < 2; j++) scalay_profile_destroy(&part[j]);
    scalay_profile_destroy(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_processors_take_as_much_as_their_sizes),
        cmocka_unit_test(so_do_processors_that_differ),
        cmocka_unit_test(so_do_groups_of_any_number),
        cmocka_unit_test(communications_take_no_more),
        cmocka_unit_test(fronts_of_groups_take_their_points_beside),
        cmocka_unit_test(nothing_is_refused_for_its_memory),
    };
    seed = test_seed(20261126);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
