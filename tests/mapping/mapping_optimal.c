/* Optimal mappings: equal to brute force over all assignments, with certificates that an independent check accepts. */
#include "instances.h"
#include "summaries.h"

#include <string.h>

enum { MOST = 9, OBJECTIVES = 6, FRONT_MOST = 64 };

/* A problem with its options. */
typedef struct {
    instance made;
    int processes;
    int bars;
    unsigned char barred[MOST];
    double link[MOST][MOST];
    scalay_mapping_options options;
} problem;

/* The best values of all objectives, each objective's first. */
typedef struct {
    int64_t volume;
    int64_t steps;
    int64_t steps_then_volume; /* the volume among those of least steps */
    int64_t volume_then_steps;
    double time;
    int found;
    int points; /* of the front, in any order */
    int64_t front_steps[FRONT_MOST];
    int64_t front_volume[FRONT_MOST];
} optimum;

static double link_of(int from, int to, void *context)
{
    return ((const problem *)context)->link[from][to];
}

static void fill_links(problem *given, scalay_random *random, int whole)
{
    for (int i = 0; i < MOST; i++)
        for (int k = 0; k < MOST; k++) {
            given->link[i][k] = i == k ? 0.0 : i / 2 == k / 2 ? 1.0 : 1.0 + (double)scalay_random_below(random, 5);
            if (!whole) given->link[i][k] *= 0.1 + scalay_random_unit(random);
        }
}

static problem random_problem(scalay_random *random, int most, int kind)
{
    problem given;
    memset(&given, 0, sizeof given);
    int parts = 1 + (int)scalay_random_below(random, most);
    int rows = 1 + (int)scalay_random_below(random, most);
    if (scalay_random_below(random, 2) == 0) rows = parts;
    given.made = instance_random(random, rows, parts, kind);
    given.processes = parts > rows ? parts : rows;
    int spare = given.processes < most ? (int)scalay_random_below(random, 2) : 0;
    given.processes += spare;
    int bars = (int)scalay_random_below(random, given.processes - parts + 1);
    for (int k = 0; k < bars; k++) given.barred[scalay_random_below(random, given.processes)] = 1;
    fill_links(&given, random, kind != UNIFORM);
    given.options = scalay_mapping_options_default();
    given.options.processes = spare > 0 ? given.processes : 0;
    given.bars = bars;
    return given;
}

static double time_of(const problem *given, const int *process)
{
    double time = 0.0;
    for (int j = 0; j < given->made.parts; j++)
        for (int i = 0; i < given->made.processes; i++)
            time += (double)instance_get(&given->made, i, j) * given->link[i][process[j]];
    return time;
}

/* Keeps what nothing beats in both. */
static void compare_with_front(int64_t steps, int64_t volume, optimum *best)
{
    int kept = 0;
    for (int k = 0; k < best->points; k++)
        if (best->front_steps[k] <= steps && best->front_volume[k] <= volume) return;
    for (int k = 0; k < best->points; k++) {
        if (best->front_steps[k] >= steps && best->front_volume[k] >= volume) continue;
        best->front_steps[kept] = best->front_steps[k];
        best->front_volume[kept++] = best->front_volume[k];
    }
    assert_true(kept < FRONT_MOST);
    best->front_steps[kept] = steps;
    best->front_volume[kept] = volume;
    best->points = kept + 1;
}

static void compare(const problem *given, const int *process, optimum *best)
{
    int64_t volume = 0;
    int64_t steps = 0;
    int most = given->processes > given->made.processes ? given->processes : given->made.processes;
    instance_cost(&given->made, process, most, &volume, &steps);
    double time = time_of(given, process);
    if (!best->found) *best = (optimum){volume, steps, volume, steps, time, 1, 0, {0}, {0}};
    compare_with_front(steps, volume, best);
    if (steps < best->steps || (steps == best->steps && volume < best->steps_then_volume))
        best->steps_then_volume = volume;
    if (volume < best->volume || (volume == best->volume && steps < best->volume_then_steps))
        best->volume_then_steps = steps;
    if (volume < best->volume) best->volume = volume;
    if (steps < best->steps) best->steps = steps;
    if (time < best->time) best->time = time;
}

/* Tries every way of giving parts j, j + 1, ... to processes that are free. */
static void try_all(const problem *given, int j, int *process, unsigned char *taken, optimum *best)
{
    if (j == given->made.parts) {
        compare(given, process, best);
        return;
    }
    for (int k = 0; k < given->processes; k++) {
        if (taken[k] || given->barred[k]) continue;
        taken[k] = 1;
        process[j] = k;
        try_all(given, j + 1, process, taken, best);
        taken[k] = 0;
    }
}

static optimum brute_force(const problem *given)
{
    int process[MOST];
    unsigned char taken[MOST] = {0};
    optimum best = {0};
    try_all(given, 0, process, taken, &best);
    assert_true(best.found);
    return best;
}

static void check_mapping(const problem *given, const scalay_traffic *traffic, const optimum *best,
                          scalay_objective objective)
{
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = given->options;
    options.barred = given->bars > 0 ? given->barred : NULL;
    int64_t volume = 0;
    int64_t steps = 0;
    if (objective == SCALAY_MIN_TIME) {
        options.link_cost = link_of;
        options.link_context = (void *)given;
    }
    assert_success(scalay_mapping_from_traffic(traffic, objective, &options, &mapping));
    assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
    assert_int_equal(mapping_summary(mapping).objective, objective);
    assert_int_equal(mapping_summary(mapping).parts, given->made.parts);
    assert_int_equal(mapping_summary(mapping).processes, given->processes);
    const int *process = scalay_mapping_process(mapping);
    for (int j = 0; j < given->made.parts; j++)
        assert_true(process[j] < given->processes && !given->barred[process[j]]);
    instance_cost(&given->made, process, MOST, &volume, &steps);
    assert_int_equal(mapping_summary(mapping).volume, volume);
    assert_int_equal(mapping_summary(mapping).steps, steps);
    if (objective == SCALAY_MIN_VOLUME || objective == SCALAY_MIN_VOLUME_THEN_STEPS)
        assert_int_equal(volume, best->volume);
    if (objective == SCALAY_MIN_VOLUME_THEN_STEPS) assert_int_equal(steps, best->volume_then_steps);
    if (objective == SCALAY_MIN_STEPS || objective == SCALAY_MIN_STEPS_THEN_VOLUME)
        assert_int_equal(steps, best->steps);
    if (objective == SCALAY_MIN_STEPS_THEN_VOLUME) assert_int_equal(volume, best->steps_then_volume);
    if (objective == SCALAY_MIN_TIME) {
        assert_true(mapping_summary(mapping).time <= best->time * (1 + 1e-12));
        assert_true(mapping_summary(mapping).time >= best->time * (1 - 1e-12));
        assert_true(time_of(given, process) <= best->time * (1 + 1e-12));
    } else {
        assert_true(mapping_summary(mapping).time == (double)volume);
    }
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    scalay_mapping_destroy(&mapping);
}

static void check_front(const problem *given, const scalay_traffic *traffic, const optimum *best)
{
    scalay_mapping_front *front = NULL;
    scalay_mapping_options options = given->options;
    options.barred = given->bars > 0 ? given->barred : NULL;
    assert_success(scalay_mapping_front_from_traffic(traffic, &options, &front));
    assert_int_equal(scalay_mapping_front_count(front), best->points);
    for (int64_t k = 0; k < scalay_mapping_front_count(front); k++) {
        const scalay_mapping *point = scalay_mapping_front_get_mapping(front, k);
        int64_t volume = 0, steps = 0;
        int found = 0;
        instance_cost(&given->made, scalay_mapping_process(point), MOST, &volume, &steps);
        assert_int_equal(mapping_summary(point).volume, volume);
        assert_int_equal(mapping_summary(point).steps, steps);
        for (int b = 0; b < best->points; b++)
            found |= best->front_steps[b] == steps && best->front_volume[b] == volume;
        assert_true(found);
        if (k > 0) assert_true(steps > mapping_summary(scalay_mapping_front_get_mapping(front, k - 1)).steps);
    }
    assert_success(scalay_mapping_front_check(traffic, front, &options));
    scalay_mapping_front_destroy(&front);
}

static void check_against_brute_force(uint64_t seed, int most)
{
    scalay_random random = scalay_random_seed(seed);
    problem given = random_problem(&random, most, (int)(seed % ALL_KINDS));
    scalay_traffic *traffic = NULL;
    assert_success(instance_traffic(&given.made, &traffic));
    optimum best = brute_force(&given);
    for (int objective = SCALAY_MIN_VOLUME; objective < OBJECTIVES; objective++)
        check_mapping(&given, traffic, &best, (scalay_objective)objective);
    check_front(&given, traffic, &best);
    scalay_traffic_destroy(&traffic);
    instance_free(&given.made);
    if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
}

static uint64_t current_seed;

static void sweep(uint64_t first, uint64_t count, int most)
{
    for (current_seed = first; current_seed < first + count; current_seed++)
        check_against_brute_force(current_seed, most);
}

static int report_seed(void **state)
{
    (void)state;
    print_message("last seed %llu\n", (unsigned long long)current_seed);
    return 0;
}

static void every_objective_equals_brute_force_for_up_to_5_processes(void **state)
{
    (void)state;
    sweep(1, 6000, 5);
}

static void every_objective_equals_brute_force_for_up_to_7_processes(void **state)
{
    (void)state;
    sweep(100000, 220, 7);
}

static void every_objective_equals_brute_force_for_up_to_8_processes(void **state)
{
    (void)state;
    sweep(200000, ALL_KINDS, 8);
}

static void every_objective_equals_brute_force_at_length(void **state)
{
    (void)state;
    sweep(1000000, 30000, 6);
    sweep(2000000, 100, 8);
}

int main(int argc, char **argv)
{
    (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_objective_equals_brute_force_for_up_to_5_processes, report_seed),
        cmocka_unit_test_teardown(every_objective_equals_brute_force_for_up_to_7_processes, report_seed),
        cmocka_unit_test_teardown(every_objective_equals_brute_force_for_up_to_8_processes, report_seed),
    };
    const struct CMUnitTest longer[] = {
        cmocka_unit_test_teardown(every_objective_equals_brute_force_at_length, report_seed),
    };
    if (argc > 1) return cmocka_run_group_tests_name("long", longer, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
