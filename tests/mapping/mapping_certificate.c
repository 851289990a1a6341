/* Certificates: an independent check accepts them, also where brute force has no chance, and refuses them once they are
 * tampered with. */
#include "instances.h"

#include "mapping/mapping.h"
#include "scalay/layout.h"
#include "summaries.h"

enum { OBJECTIVES = 6 };

static void larger_instances_carry_valid_certificates(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int processes = 1 + (int)scalay_random_below(&random, 90);
        int parts = 1 + (int)scalay_random_below(&random, 90);
        instance made = instance_random(&random, processes, parts, (int)(seed % KINDS));
        scalay_traffic *traffic = NULL;
        int64_t volume[OBJECTIVES];
        int64_t steps[OBJECTIVES];
        assert_success(instance_traffic(&made, &traffic));
        for (int objective = 0; objective < SCALAY_MIN_TIME; objective++) {
            scalay_mapping *mapping = NULL;
            assert_success(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, NULL, &mapping));
            assert_success(scalay_mapping_check(traffic, mapping, NULL));
            volume[objective] = mapping_summary(mapping).volume;
            steps[objective] = mapping_summary(mapping).steps;
            scalay_mapping_destroy(&mapping);
        }
        assert_int_equal(volume[SCALAY_MIN_VOLUME], volume[SCALAY_MIN_VOLUME_THEN_STEPS]);
        assert_int_equal(steps[SCALAY_MIN_STEPS], steps[SCALAY_MIN_STEPS_THEN_VOLUME]);
        assert_true(volume[SCALAY_MIN_STEPS_THEN_VOLUME] <= volume[SCALAY_MIN_STEPS]);
        assert_true(steps[SCALAY_MIN_VOLUME_THEN_STEPS] <= steps[SCALAY_MIN_VOLUME]);
        assert_true(volume[SCALAY_MIN_VOLUME] <= volume[SCALAY_CANONICAL]);
        assert_true(steps[SCALAY_MIN_STEPS] <= steps[SCALAY_CANONICAL]);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

static void check_all_objectives(const scalay_traffic *traffic)
{
    for (int objective = SCALAY_MIN_VOLUME; objective < SCALAY_MIN_TIME; objective++) {
        scalay_mapping *mapping = NULL;
        assert_success(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, NULL, &mapping));
        assert_success(scalay_mapping_check(traffic, mapping, NULL));
        scalay_mapping_destroy(&mapping);
    }
}

/* 20 items of every part on random processes: 20,000 processes, a third of a million non-zeros. */
static void many_processes_carry_valid_certificates(void **state)
{
    (void)state;
    enum { PROCESSES = 20000, COUNT = 20 * PROCESSES };
    scalay_random random = scalay_random_seed(5);
    scalay_traffic *traffic = NULL;
    int *process = malloc(COUNT * sizeof *process);
    int *part = malloc(COUNT * sizeof *part);
    int64_t *items = malloc(COUNT * sizeof *items);
    assert_true(process != NULL && part != NULL && items != NULL);
    for (int e = 0; e < COUNT; e++) {
        process[e] = (int)scalay_random_below(&random, PROCESSES);
        part[e] = e / 20;
        items[e] = 1;
    }
    assert_success(scalay_traffic_from_entries(PROCESSES, PROCESSES, COUNT, process, part, items, &traffic));
    free(process);
    free(part);
    free(items);
    scalay_memory_reset_peak();
    int64_t before = scalay_memory_bytes();
    check_all_objectives(traffic);
    assert_true(scalay_memory_peak() - before < 100 * (int64_t)COUNT);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

/* 1024 processes between two grids: block-cyclic ties. */
static void large_grids_carry_valid_certificates(void **state)
{
    (void)state;
    scalay_layout *source = NULL;
    scalay_layout *target = NULL;
    scalay_traffic *traffic = NULL;
    assert_success(scalay_layout_block_cyclic(100000, 90000, 64, 64, 32, 32, 0, 0, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_block_cyclic(100000, 90000, 48, 96, 16, 64, 3, 1, SCALAY_COLUMN_MAJOR, &target));
    assert_success(scalay_traffic_create(source, target, &traffic));
    check_all_objectives(traffic);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    assert_int_equal(scalay_memory_live(), 0);
}

typedef struct {
    scalay_traffic *traffic;
    scalay_mapping *mapping;
} tampered;

static void assert_refused(const tampered *given)
{
    assert_int_equal(scalay_mapping_check(given->traffic, given->mapping, NULL), SCALAY_ERROR_MISMATCH);
}

static void tamper_with_costs(tampered *given)
{
    scalay_mapping *mapping = given->mapping;
    mapping->volume++;
    assert_refused(given);
    mapping->volume--;
    mapping->steps--;
    assert_refused(given);
    mapping->steps++;
    mapping->time += 1.0;
    assert_refused(given);
    mapping->time -= 1.0;
    int process = mapping->process[0];
    mapping->process[0] = mapping->process[1];
    assert_refused(given);
    mapping->process[0] = -1;
    assert_refused(given);
    mapping->process[0] = mapping->processes;
    assert_refused(given);
    mapping->process[0] = process;
}

static void tamper_with_duals(tampered *given, int processes)
{
    scalay_certificate *proof = &given->mapping->certificate;
    for (int i = 0; i < processes; i++)
        for (int change = -1; change <= 1; change += 2) {
            proof->process_dual[i] += change;
            assert_refused(given);
            proof->process_dual[i] -= change;
        }
    for (int j = 0; j < given->mapping->parts; j++)
        for (int change = -1; change <= 1; change += 2) {
            proof->part_dual[j] += change;
            assert_refused(given);
            proof->part_dual[j] -= change;
        }
    proof->process_dual[0] = INT64_MAX;
    proof->part_dual[0] = INT64_MIN;
    assert_refused(given);
}

static void tamper_with_crowd(tampered *given)
{
    scalay_certificate *proof = &given->mapping->certificate;
    int first = proof->hall_violator[0];
    proof->hall_violator[0] = -1;
    assert_refused(given);
    proof->hall_violator[0] = 1000;
    assert_refused(given);
    proof->hall_violator[0] = first;
    proof->hall_violator_size--;
    assert_refused(given);
    proof->hall_violator_size++;
    int *violator = proof->hall_violator;
    proof->hall_violator = NULL;
    assert_refused(given);
    proof->hall_violator = violator;
}

/* Exchanges the processes of two parts so that the costs get worse, and tells the truth about them. */
static void tamper_with_choice(tampered *given, const instance *made)
{
    scalay_mapping *mapping = given->mapping;
    int64_t volume = mapping->volume;
    int64_t steps = mapping->steps;
    for (int j = 1; j < mapping->parts; j++) {
        int first = mapping->process[0];
        mapping->process[0] = mapping->process[j];
        mapping->process[j] = first;
        instance_cost(made, mapping->process, mapping->processes, &mapping->volume, &mapping->steps);
        mapping->time = (double)mapping->volume;
        if ((mapping->certificate.part_dual != NULL && mapping->volume > volume) ||
            (mapping->certificate.hall_violator != NULL && mapping->steps > steps))
            assert_refused(given);
        mapping->process[j] = mapping->process[0];
        mapping->process[0] = first;
    }
    mapping->volume = volume;
    mapping->steps = steps;
    mapping->time = (double)volume;
}

static void tampered_certificates_are_refused(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int objective = SCALAY_MIN_VOLUME; objective < SCALAY_MIN_TIME; objective++) {
            scalay_random random = scalay_random_seed(seed);
            instance made = instance_random(&random, 8, 8, UNIFORM);
            tampered given = {NULL, NULL};
            assert_success(instance_traffic(&made, &given.traffic));
            assert_success(
                scalay_mapping_from_traffic(given.traffic, (scalay_objective)objective, NULL, &given.mapping));
            tamper_with_costs(&given);
            tamper_with_choice(&given, &made);
            assert_success(scalay_mapping_check(given.traffic, given.mapping, NULL));
            if (given.mapping->certificate.hall_violator != NULL) tamper_with_crowd(&given);
            if (given.mapping->certificate.part_dual != NULL) tamper_with_duals(&given, 8);
            scalay_mapping_destroy(&given.mapping);
            scalay_traffic_destroy(&given.traffic);
            instance_free(&made);
        }
}

/* A mapping that is told to be optimal; its certificate is still to be made up. */
static tampered claim(int processes, int parts, int64_t entries, const int *process, const int *part,
                      const int64_t *items, const int *choice, scalay_objective objective)
{
    tampered given = {NULL, NULL};
    assert_success(scalay_traffic_from_entries(processes, parts, entries, process, part, items, &given.traffic));
    assert_success(scalay_mapping_from_processes(given.traffic, processes, parts, choice, &given.mapping));
    given.mapping->objective = objective;
    given.mapping->proof = SCALAY_PROOF_OPTIMAL;
    return given;
}

static void forget(tampered *given)
{
    scalay_mapping_destroy(&given->mapping);
    scalay_traffic_destroy(&given->traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Process 0 holds 10 items of the only part, process 1 the other 4. A negative dual makes the bound of 4 items that the
 * worse choice keeps. */
static void duals_that_are_negative_without_need_prove_nothing(void **state)
{
    (void)state;
    const int process[2] = {0, 1};
    const int part[2] = {0, 0};
    const int64_t items[2] = {10, 4};
    const int worse = 1;
    tampered given = claim(2, 1, 2, process, part, items, &worse, SCALAY_MIN_VOLUME);
    scalay_certificate *proof = &given.mapping->certificate;
    assert_refused(&given);
    assert_success(SCALAY_NEW(proof->process_dual, 2));
    assert_success(SCALAY_NEW(proof->part_dual, 1));
    proof->process_dual[1] = -6;
    proof->part_dual[0] = 10;
    assert_refused(&given);
    forget(&given);
}

/* Processes 0 and 1 hold one part each; process 2 holds nothing. Exchanging the parts takes 10 steps. */
static void crowds_of_idlers_or_doubles_prove_nothing(void **state)
{
    (void)state;
    static const int crowds[3][2] = {{2, 0}, {0, 0}, {0, 1}};
    static const int sizes[3] = {1, 2, 2};
    const int place[2] = {0, 1};
    const int64_t items[2] = {10, 10};
    const int exchanged[2] = {1, 0};
    for (int k = 0; k < 3; k++) {
        tampered given = claim(3, 2, 2, place, place, items, exchanged, SCALAY_MIN_STEPS);
        scalay_certificate *proof = &given.mapping->certificate;
        assert_refused(&given);
        assert_success(SCALAY_NEW(proof->hall_violator, 2));
        for (int x = 0; x < 2; x++) proof->hall_violator[x] = crowds[k][x];
        proof->hall_violator_size = sizes[k];
        assert_refused(&given);
        forget(&given);
    }
}

static void fronts_with_a_gap_are_refused(void **state)
{
    (void)state;
    int gaps = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        scalay_random random = scalay_random_seed(seed);
        instance made = instance_random(&random, 12, 12, (int)(seed % KINDS));
        scalay_traffic *traffic = NULL;
        scalay_mapping_front *front = NULL;
        assert_success(instance_traffic(&made, &traffic));
        assert_success(scalay_mapping_front_from_traffic(traffic, NULL, &front));
        assert_success(scalay_mapping_front_check(traffic, front, NULL));
        for (int64_t gone = 0; gone < front->size && front->size > 1; gone++) {
            scalay_mapping_front less = *front;
            scalay_mapping *points[64];
            assert_true(front->size <= 64);
            less.size = 0;
            less.points = points;
            for (int64_t k = 0; k < front->size; k++)
                if (k != gone) points[less.size++] = front->points[k];
            assert_int_equal(scalay_mapping_front_check(traffic, &less, NULL), SCALAY_ERROR_MISMATCH);
            gaps++;
        }
        scalay_mapping_front_destroy(&front);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_true(gaps > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(larger_instances_carry_valid_certificates),
        cmocka_unit_test(many_processes_carry_valid_certificates),
        cmocka_unit_test(large_grids_carry_valid_certificates),
        cmocka_unit_test(tampered_certificates_are_refused),
        cmocka_unit_test(duals_that_are_negative_without_need_prove_nothing),
        cmocka_unit_test(crowds_of_idlers_or_doubles_prove_nothing),
        cmocka_unit_test(fronts_with_a_gap_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
