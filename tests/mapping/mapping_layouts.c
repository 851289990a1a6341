/* Checks against layouts, mappings of several matrices at once, and what a certificate tells. */
#include "instances.h"

#include "mapping/mapping.h"
#include "scalay/layout.h"
#include "summaries.h"

enum { MOST = 3 };

static const scalay_objective objectives[] = {SCALAY_CANONICAL,
                                              SCALAY_MIN_VOLUME,
                                              SCALAY_MIN_STEPS,
                                              SCALAY_MIN_STEPS_THEN_VOLUME,
                                              SCALAY_MIN_VOLUME_THEN_STEPS,
                                              SCALAY_MIN_GRID_VOLUME,
                                              SCALAY_MIN_TIME};

enum { OBJECTIVES = sizeof objectives / sizeof *objectives };

/* Some matrices between grids of the same shapes. */
typedef struct {
    int count;
    scalay_layout *source[MOST], *target[MOST];
    int64_t weight[MOST];
    scalay_traffic *traffic;
} matrices;

static scalay_layout *grid_of(int64_t m, int64_t n, int64_t mb, int64_t nb, int p, int q)
{
    scalay_layout *layout = NULL;
    assert_success(scalay_layout_block_cyclic(m, n, mb, nb, p, q, 0, 0, SCALAY_ROW_MAJOR, &layout));
    return layout;
}

/* With `alike` the matrices have as many columns, in the same blocks: one factor is common. */
static matrices random_matrices(scalay_random *random, int count, int alike)
{
    matrices made = {.count = count};
    const int p = 1 + (int)scalay_random_below(random, 8), q = 1 + (int)scalay_random_below(random, 8);
    const int p2 = 1 + (int)scalay_random_below(random, 8), q2 = 1 + (int)scalay_random_below(random, 8);
    const int64_t n = 50 + scalay_random_below(random, 100);
    scalay_traffic *each[MOST] = {NULL};
    for (int k = 0; k < count; k++) {
        const int64_t m = 20 + scalay_random_below(random, 200), own = alike ? n : n + 10 * k;
        made.source[k] = grid_of(m, own, 1 + scalay_random_below(random, 9), 4, p, q);
        made.target[k] = grid_of(m, own, 1 + scalay_random_below(random, 9), 3, p2, q2);
        made.weight[k] = 1 + scalay_random_below(random, 8);
        assert_success(scalay_traffic_create(made.source[k], made.target[k], &each[k]));
    }
    assert_success(scalay_traffic_add(count, (const scalay_traffic *const *)each, made.weight, &made.traffic));
    for (int k = 0; k < count; k++) scalay_traffic_destroy(&each[k]);
    return made;
}

static void matrices_free(matrices *going)
{
    for (int k = 0; k < going->count; k++) {
        scalay_layout_destroy(&going->source[k]);
        scalay_layout_destroy(&going->target[k]);
    }
    scalay_traffic_destroy(&going->traffic);
}

static scalay_status create(const matrices *all, scalay_objective objective, const scalay_mapping_options *options,
                            scalay_mapping **mapping)
{
    return scalay_mapping_create_shared(all->count, (const scalay_layout *const *)all->source,
                                        (const scalay_layout *const *)all->target, all->weight, objective, options,
                                        mapping);
}

static scalay_status check(const matrices *all, const scalay_mapping *mapping, const scalay_mapping_options *options)
{
    return scalay_mapping_check_layouts(all->count, (const scalay_layout *const *)all->source,
                                        (const scalay_layout *const *)all->target, all->weight, mapping, options);
}

/* What is told of the duals is what the header says of them, by the definition, all pairs. */
static void verify_duals(const matrices *all, const scalay_mapping *mapping)
{
    scalay_mapping_certificate proof;
    assert_success(scalay_mapping_get_certificate(mapping, &proof));
    const int count = proof.process_duals;
    const int64_t *process = proof.process_dual, *part = proof.part_dual;
    int64_t sum = 0;
    if (part == NULL || mapping_summary(mapping).objective == SCALAY_MIN_TIME) return;
    const int64_t within = proof.dual_steps;
    assert_true(proof.dual_unit == 1.0);
    assert_int_equal(count, traffic_summary(all->traffic).processes);
    for (int i = 0; i < count; i++) {
        int64_t held = 0;
        for (int j = 0; j < mapping_summary(mapping).parts; j++) held += scalay_traffic_get_entry(all->traffic, i, j);
        for (int j = 0; j < mapping_summary(mapping).parts; j++) {
            const int64_t items = scalay_traffic_get_entry(all->traffic, i, j);
            int64_t wanted = 0;
            for (int k = 0; k < count && within < INT64_MAX; k++)
                wanted += scalay_traffic_get_entry(all->traffic, k, j);
            if ((held > wanted ? held : wanted) - items > within) continue;
            assert_true(process[i] + part[j] >= items);
        }
        sum += process[i];
    }
    for (int j = 0; j < mapping_summary(mapping).parts; j++) sum += part[j];
    assert_int_equal(sum, traffic_summary(all->traffic).elements - mapping_summary(mapping).volume_bound);
}

/* The mapping is as good as on the traffic; both checks agree on it, also when it has been tampered with. */
static void check_objective(const matrices *all, scalay_objective objective, const scalay_mapping_options *options)
{
    scalay_mapping *mapping = NULL, *other = NULL;
    assert_success(create(all, objective, options, &mapping));
    assert_success(scalay_mapping_from_traffic(all->traffic, objective, options, &other));
    assert_int_equal(mapping_summary(mapping).proof, mapping_summary(other).proof);
    if (mapping_summary(mapping).proof == SCALAY_PROOF_OPTIMAL) {
        if (objective != SCALAY_MIN_STEPS && objective != SCALAY_MIN_TIME)
            assert_int_equal(mapping_summary(mapping).volume, mapping_summary(other).volume);
        if (objective >= SCALAY_MIN_STEPS && objective <= SCALAY_MIN_VOLUME_THEN_STEPS)
            assert_int_equal(mapping_summary(mapping).steps, mapping_summary(other).steps);
    }
    assert_success(scalay_mapping_check(all->traffic, mapping, options));
    assert_success(check(all, mapping, options));
    verify_duals(all, mapping);
    mapping->volume++;
    assert_int_equal(check(all, mapping, options), SCALAY_ERROR_MISMATCH);
    mapping->volume--;
    for (int j = 0;
         mapping->certificate.part_dual != NULL && mapping->certificate.line_dual == NULL && j < mapping->parts; j++) {
        int64_t *dual = &mapping->certificate.part_dual[j], before = *dual;
        *dual -= 1 + before / 2;
        assert_int_equal(scalay_mapping_check(all->traffic, mapping, options), check(all, mapping, options));
        *dual = before;
    }
    scalay_mapping_destroy(&mapping);
    scalay_mapping_destroy(&other);
}

static void layouts_prove_what_the_traffic_proves(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        matrices all = random_matrices(&random, 1 + (int)(seed % MOST), seed % 2 == 0);
        scalay_node_links links = {
            .nodes = 64, .ranks_per_node = 1 + (int)scalay_random_below(&random, 5), .within = 0.25};
        scalay_mapping_options options = scalay_mapping_options_default();
        const int processes = traffic_summary(all.traffic).processes, parts = traffic_summary(all.traffic).parts;
        options.processes = processes > parts ? processes : parts;
        for (int k = 0; k < OBJECTIVES; k++) {
            if (objectives[k] == SCALAY_MIN_GRID_VOLUME) options.grid_rows = 1;
            if (objectives[k] == SCALAY_MIN_TIME) {
                options.link_cost = scalay_node_link_cost;
                options.link_context = &links;
            }
            if (objectives[k] != SCALAY_MIN_GRID_VOLUME) check_objective(&all, objectives[k], &options);
        }
        matrices_free(&all);
        if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
}

/* The Hall violator of a mapping with fewest steps, by its definition. */
static void hall_violators_prove_steps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        scalay_random random = scalay_random_seed(seed);
        matrices all = random_matrices(&random, 1, 0);
        scalay_mapping *mapping = NULL;
        int partners = 0;
        scalay_mapping_certificate proof;
        assert_success(create(&all, SCALAY_MIN_STEPS, NULL, &mapping));
        assert_success(scalay_mapping_get_certificate(mapping, &proof));
        const int *violator = proof.hall_violator, size = proof.hall_violator_size;
        const int of_parts = proof.hall_violator_of_parts;
        const int64_t steps = mapping_summary(mapping).steps_bound;
        const int rows = traffic_summary(all.traffic).processes, cols = traffic_summary(all.traffic).parts;
        for (int other = 0; other < (of_parts ? rows : cols); other++) {
            int meets = 0;
            for (int k = 0; k < size; k++) {
                const int i = of_parts ? other : violator[k], j = of_parts ? violator[k] : other;
                int64_t held = 0, wanted = 0, items = scalay_traffic_get_entry(all.traffic, i, j);
                for (int x = 0; x < cols; x++) held += scalay_traffic_get_entry(all.traffic, i, x);
                for (int x = 0; x < rows; x++) wanted += scalay_traffic_get_entry(all.traffic, x, j);
                assert_true((of_parts ? wanted : held) >= steps);
                meets = meets || (items > 0 && (held > wanted ? held : wanted) - items < steps);
            }
            partners += meets;
        }
        if (steps > 0) assert_true(partners < size);
        scalay_mapping_destroy(&mapping);
        matrices_free(&all);
    }
}

static void fronts_are_checked_against_layouts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        scalay_random random = scalay_random_seed(seed);
        matrices all = random_matrices(&random, 1, 0);
        scalay_mapping_front *front = NULL;
        assert_success(scalay_mapping_front_create(all.source[0], all.target[0], NULL, &front));
        assert_success(scalay_mapping_front_check_layouts(all.source[0], all.target[0], front, NULL));
        ((scalay_mapping *)scalay_mapping_front_get_mapping(front, 0))->steps++;
        assert_int_equal(scalay_mapping_front_check_layouts(all.source[0], all.target[0], front, NULL),
                         SCALAY_ERROR_MISMATCH);
        scalay_mapping_front_destroy(&front);
        matrices_free(&all);
    }
}

/* 4096 processes, 1e7 pairs: neither of three matrices with a common factor nor of their check the traffic exists.
 */
static void many_processes_need_no_traffic(void **state)
{
    (void)state;
    static const scalay_objective some[] = {SCALAY_MIN_STEPS, SCALAY_MIN_GRID_VOLUME, SCALAY_MIN_VOLUME};
    matrices all = {.count = MOST, .weight = {8, 8, 4}};
    for (int k = 0; k < MOST; k++) {
        const int64_t m = 245760 / (k + 1);
        all.source[k] = grid_of(m, 245760, 64, 64, 64, 64);
        all.target[k] = grid_of(m, 245760, 50, 30, 64, 64);
    }
    for (int k = 0; k < 3; k++) {
        scalay_mapping *mapping = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        options.budget_seconds = some[k] == SCALAY_MIN_VOLUME ? 0.5 : 0.0;
        scalay_memory_reset_peak();
        const int64_t before = scalay_memory_peak();
        assert_success(create(&all, some[k], &options, &mapping));
        assert_success(check(&all, mapping, &options));
        assert_true(scalay_memory_peak() - before < 4000 * INT64_C(4096));
        scalay_mapping_destroy(&mapping);
    }
    matrices_free(&all);
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(1);
    matrices all = random_matrices(&random, 2, 0);
    scalay_mapping *mapping = NULL;
    scalay_layout *other = grid_of(20, 20, 1, 1, 9, 9);
    assert_success(create(&all, SCALAY_MIN_VOLUME, NULL, &mapping));
    all.weight[1] = -1;
    assert_int_equal(check(&all, mapping, NULL), SCALAY_ERROR_ARGUMENT);
    all.weight[1] = INT64_MAX / 2;
    assert_int_equal(check(&all, mapping, NULL), SCALAY_ERROR_RANGE);
    const scalay_layout *source[2] = {all.source[0], other}, *target[2] = {all.target[0], other};
    assert_int_equal(scalay_mapping_check_layouts(2, source, target, NULL, mapping, NULL), SCALAY_ERROR_MISMATCH);
    assert_int_equal(scalay_mapping_check_layouts(0, source, target, NULL, mapping, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_check_layouts(1, source, target, NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_front_check_layouts(source[0], target[0], NULL, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_mapping_destroy(&mapping);
    assert_int_equal(scalay_mapping_create_shared(2, source, target, NULL, SCALAY_MIN_VOLUME, NULL, &mapping),
                     SCALAY_ERROR_MISMATCH);
    assert_int_equal(scalay_mapping_create_shared(1, NULL, target, NULL, SCALAY_MIN_VOLUME, NULL, &mapping),
                     SCALAY_ERROR_ARGUMENT);
    scalay_mapping_certificate proof;
    assert_int_equal(scalay_mapping_get_certificate(NULL, &proof), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&other);
    matrices_free(&all);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Makes and checks a mapping of each kind. */
static scalay_status make_and_check(const matrices *all, scalay_node_links *links)
{
    for (int k = 0; k < OBJECTIVES; k++) {
        scalay_mapping *mapping = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        if (objectives[k] == SCALAY_MIN_TIME) options.link_cost = scalay_node_link_cost;
        options.link_context = links;
        scalay_status status = create(all, objectives[k], &options, &mapping);
        if (status == SCALAY_SUCCESS) status = check(all, mapping, &options);
        scalay_mapping_destroy(&mapping);
        if (status != SCALAY_SUCCESS) return status;
    }
    return SCALAY_SUCCESS;
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    scalay_node_links links = {.nodes = 12, .ranks_per_node = 3, .within = 0.25};
    for (int count = 1; count <= 2; count++) {
        matrices all = {.count = count, .weight = {2, 3}};
        int64_t failures = 0;
        for (int k = 0; k < count; k++) {
            all.source[k] = grid_of(60 + 10 * k, 70, 4, 3, 6, 6);
            all.target[k] = grid_of(60 + 10 * k, 70, 3, 5, 6, 6);
        }
        const int64_t live = scalay_memory_live();
        scalay_status status = SCALAY_ERROR_MEMORY;
        for (int64_t k = 1; k < 10000 && status != SCALAY_SUCCESS; k++) {
            scalay_memory_fail_at(k);
            status = make_and_check(&all, &links);
            scalay_memory_fail_at(0);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            assert_int_equal(scalay_memory_live(), live);
            failures += status != SCALAY_SUCCESS;
        }
        assert_int_equal(status, SCALAY_SUCCESS);
        assert_true(failures > 100);
        matrices_free(&all);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* A grid of other lines is none of the target's, even if it is kept. */
static void the_grid_is_that_of_the_target(void **state)
{
    (void)state;
    scalay_layout *source = grid_of(60, 60, 4, 4, 2, 3), *target = grid_of(60, 60, 5, 6, 2, 3);
    const scalay_layout *from = source, *to = target;
    scalay_mapping *mapping = NULL;
    assert_success(scalay_mapping_create(source, target, SCALAY_MIN_GRID_VOLUME, NULL, &mapping));
    assert_success(scalay_mapping_check_layouts(1, &from, &to, NULL, mapping, NULL));
    scalay_process_grid *grid = &mapping->certificate.grid;
    const int process = grid->process[0];
    grid->process[0] = grid->process[5];
    grid->process[5] = process;
    assert_int_equal(scalay_mapping_check_layouts(1, &from, &to, NULL, mapping, NULL), SCALAY_ERROR_MISMATCH);
    grid->process[5] = grid->process[0];
    grid->process[0] = process;
    for (int k = 0; k < 6; k++) {
        grid->process[k] = mapping->process[k];
        grid->part[k] = k;
    }
    grid->rows = 6;
    grid->cols = 1;
    assert_int_equal(scalay_mapping_check_layouts(1, &from, &to, NULL, mapping, NULL), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_is_that_of_the_target),
        cmocka_unit_test(layouts_prove_what_the_traffic_proves),
        cmocka_unit_test(hall_violators_prove_steps),
        cmocka_unit_test(fronts_are_checked_against_layouts),
        cmocka_unit_test(many_processes_need_no_traffic),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
