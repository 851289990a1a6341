/* What distributions of a stencil cost, and what is offered to choose from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "scalay/mapping.h"
#include "scalay/stencil.h"
#include "summaries.h"

enum { MOST = 40, MOST_PROCESSES = 9 };

static const uint64_t seed = 99;

static scalay_layout *line(int n, int processes, const int *owner)
{
    scalay_layout *layout = NULL;
    assert_int_equal(scalay_layout_tiles(1, n, 1, 1, processes, owner, &layout), SCALAY_SUCCESS);
    return layout;
}

static void any_owners(scalay_random *random, int n, int processes, int *owner)
{
    for (int x = 0; x < n; x++)
        owner[x] =
            x > 0 && scalay_random_below(random, 3) == 0 ? owner[x - 1] : (int)scalay_random_below(random, processes);
}

static scalay_stencil_choice *choose(const scalay_stencil_problem *problem, const scalay_layout *layout)
{
    scalay_stencil_choice *choice = NULL;
    assert_int_equal(scalay_model_stencil_choose(problem, layout, &choice), SCALAY_SUCCESS);
    assert_non_null(choice);
    return choice;
}

static scalay_stencil_candidate get(const scalay_stencil_choice *choice, int k)
{
    scalay_stencil_candidate candidate;
    assert_int_equal(scalay_stencil_choice_get_candidate(choice, k, &candidate), SCALAY_SUCCESS);
    return candidate;
}

/* ----------------------------------------------------------------------------------------------- definition */

static int64_t most(const int64_t *count)
{
    int64_t value = 0;
    for (int p = 0; p < MOST_PROCESSES; p++) value = count[p] > value ? count[p] : value;
    return value;
}

/* With the matrices N_ij and r_ij of the paper. */
static scalay_stencil_cost by_definition(int n, const int *from, const int *to)
{
    int64_t halo[MOST_PROCESSES][MOST_PROCESSES] = {{0}}, moved[MOST_PROCESSES][MOST_PROCESSES] = {{0}};
    int64_t sums[5][MOST_PROCESSES] = {{0}};
    scalay_stencil_cost cost = {0};
    for (int x = 0; x < n; x++) {
        sums[4][to[x]]++;
        moved[from[x]][to[x]] += from[x] != to[x];
        for (int j = 0; j < MOST_PROCESSES; j++)
            halo[to[x]][j] += j != to[x] && (to[(x + n - 1) % n] == j || to[(x + 1) % n] == j);
    }
    for (int i = 0; i < MOST_PROCESSES; i++)
        for (int j = 0; j < MOST_PROCESSES; j++) {
            cost.volume += moved[i][j];
            cost.exchanged += halo[i][j];
            sums[0][i] += moved[i][j];
            sums[1][j] += moved[i][j];
            sums[2][i] += halo[i][j];
            sums[3][j] += halo[i][j];
        }
    cost.steps = most(sums[0]) > most(sums[1]) ? most(sums[0]) : most(sums[1]);
    cost.exchange_steps = most(sums[2]) > most(sums[3]) ? most(sums[2]) : most(sums[3]);
    cost.load = most(sums[4]);
    return cost;
}

static void costs_are_those_of_the_definition(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 100; k++) {
        int from[MOST], to[MOST];
        const int n = (int)scalay_random_below(&random, MOST),
                  p = 1 + (int)scalay_random_below(&random, MOST_PROCESSES);
        const scalay_stencil_problem problem = {.size = sizeof problem,
                                                .model = (scalay_stencil_model)(k % 2),
                                                .iterations = 7,
                                                .seconds_per_item_moved = 2.0,
                                                .seconds_per_item_exchanged = 3.0,
                                                .seconds_per_message = k % 4 < 2 ? 0.0 : 11.0,
                                                .seconds_per_update = 5.0};
        any_owners(&random, n, p, from);
        any_owners(&random, n, p, to);
        scalay_layout *source = line(n, p, from), *target = line(n, p, to);
        const scalay_stencil_cost right = by_definition(n, from, to);
        scalay_stencil_cost told;
        assert_int_equal(scalay_model_stencil(&problem, source, target, &told), SCALAY_SUCCESS);
        assert_true(told.volume == right.volume && told.steps == right.steps && told.load == right.load);
        assert_true(told.exchanged == right.exchanged && told.exchange_steps == right.exchange_steps);
        const int64_t moved = k % 2 ? right.steps : right.volume;
        const int64_t exchanged = k % 2 ? right.exchange_steps : right.exchanged, links = (k % 2 ? 1 : p) * (p - 1);
        const double each = problem.seconds_per_message;
        const double move = 2.0 * (double)moved + each * (double)(moved < links ? moved : links);
        const double iteration =
            3.0 * (double)exchanged + each * (double)(exchanged < links ? exchanged : links) + 5.0 * (double)right.load;
        assert_true(told.move_seconds == move && told.iteration_seconds == iteration);
        assert_true(told.seconds == move + 7.0 * iteration);
        scalay_layout_destroy(&target);
        scalay_layout_destroy(&source);
    }
}

/* --------------------------------------------------------------------------------------------------- choice */

static const scalay_stencil_candidate *named(const scalay_stencil_choice *choice, const char *name,
                                             scalay_stencil_candidate *candidate)
{
    for (int k = 0; k < scalay_stencil_choice_count(choice); k++) {
        *candidate = get(choice, k);
        if (strcmp(candidate->name, name) == 0) return candidate;
    }
    return NULL;
}

/* Each candidate's cost is what its layout costs, and they ascend. */
static void check_candidates(const scalay_stencil_problem *problem, const scalay_layout *layout,
                             const scalay_stencil_choice *choice)
{
    double before = 0.0;
    for (int k = 0; k < scalay_stencil_choice_count(choice); k++) {
        const scalay_stencil_candidate c = get(choice, k);
        scalay_layout *target = NULL;
        scalay_stencil_cost again;
        int active = 0;
        assert_int_equal(scalay_stencil_choice_layout(choice, k, &target), SCALAY_SUCCESS);
        assert_int_equal(scalay_model_stencil(problem, layout, target, &again), SCALAY_SUCCESS);
        for (int p = 0; p < scalay_layout_processes(target); p++) active += scalay_layout_elements(target, p) > 0;
        assert_true(again.seconds == c.cost.seconds && again.volume == c.cost.volume && again.load == c.cost.load);
        assert_true(again.exchanged == c.cost.exchanged && again.steps == c.cost.steps && c.cost.seconds >= before);
        assert_int_equal(active, c.processes);
        assert_int_equal(scalay_layout_rows(target), scalay_layout_rows(layout));
        before = c.cost.seconds;
        scalay_layout_destroy(&target);
    }
}

static void check_named(const scalay_stencil_problem *problem, const scalay_layout *layout, int n, int processes,
                        const scalay_stencil_choice *choice)
{
    scalay_stencil_candidate c;
    int blocks[MOST];
    assert_non_null(named(choice, "owner", &c));
    assert_true(c.cost.volume == 0 && c.cost.steps == 0);
    for (int x = 0; x < n; x++) blocks[x] = (int)((int64_t)x * processes / n);
    scalay_layout *canonical = line(n, processes, blocks);
    scalay_stencil_cost cost;
    scalay_mapping *least = NULL, *fewest = NULL;
    assert_int_equal(scalay_model_stencil(problem, layout, canonical, &cost), SCALAY_SUCCESS);
    assert_true(named(choice, "canonical", &c) != NULL && c.cost.seconds == cost.seconds);
    assert_int_equal(scalay_mapping_create(layout, canonical, SCALAY_MIN_VOLUME, NULL, &least), SCALAY_SUCCESS);
    assert_true(named(choice, "volume", &c) != NULL && c.cost.volume == mapping_summary(least).volume);
    assert_int_equal(scalay_mapping_create(layout, canonical, SCALAY_MIN_STEPS, NULL, &fewest), SCALAY_SUCCESS);
    assert_true(named(choice, "steps", &c) != NULL && c.cost.steps == mapping_summary(fewest).steps);
    if (n > 0) assert_true(named(choice, "search", &c) != NULL && c.cost.seconds == get(choice, 0).cost.seconds);
    scalay_mapping_destroy(&fewest);
    scalay_mapping_destroy(&least);
    scalay_layout_destroy(&canonical);
}

static void candidates_are_what_they_are_said_to_be(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed + 1);
    static const int sizes[] = {0, 1, 2, 3, 5, 8, 23, MOST};
    for (int k = 0; k < 32; k++) {
        int owner[MOST];
        const int n = sizes[k % 8], p = 1 + (int)scalay_random_below(&random, MOST_PROCESSES);
        const scalay_stencil_problem problem =
            scalay_stencil_problem_default((scalay_stencil_model)(k / 8 % 2), k < 16 ? 10.0 : 0.3, 1.0, k % 5 * 4);
        any_owners(&random, n, p, owner);
        scalay_layout *layout = line(n, p, owner);
        scalay_stencil_choice *choice = choose(&problem, layout);
        check_candidates(&problem, layout, choice);
        check_named(&problem, layout, n, p, choice);
        scalay_stencil_choice_destroy(&choice);
        assert_null(choice);
        scalay_layout_destroy(&layout);
    }
}

static void without_iterations_nothing_moves(void **state)
{
    (void)state;
    const int owner[] = {2, 0, 1, 0, 2, 2, 1};
    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 1.0, 1.0, 0);
    scalay_layout *layout = line(7, 3, owner);
    scalay_stencil_choice *choice = choose(&problem, layout);
    const scalay_stencil_candidate best = get(choice, 0);
    assert_true(best.cost.seconds <= 0.0 && strcmp(best.name, "owner") == 0);
    scalay_stencil_choice_destroy(&choice);
    scalay_layout_destroy(&layout);
}

static int same_runs(const scalay_stencil_choice *a, const scalay_stencil_choice *b)
{
    const int64_t *first[2];
    const int *owner[2];
    const int64_t runs = get(a, 0).runs;
    assert_int_equal(scalay_stencil_choice_runs(a, 0, &first[0], &owner[0]), SCALAY_SUCCESS);
    assert_int_equal(scalay_stencil_choice_runs(b, 0, &first[1], &owner[1]), SCALAY_SUCCESS);
    return runs == get(b, 0).runs && memcmp(first[0], first[1], (size_t)runs * sizeof *first[0]) == 0 &&
           memcmp(owner[0], owner[1], (size_t)runs * sizeof *owner[0]) == 0;
}

static void rows_and_columns_and_another_time_give_the_same(void **state)
{
    (void)state;
    int owner[MOST];
    scalay_random random = scalay_random_seed(seed + 2);
    any_owners(&random, MOST, 4, owner);
    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_VOLUME, 10.0, 1.0, 3);
    scalay_layout *across = line(MOST, 4, owner), *down = NULL;
    assert_int_equal(scalay_layout_tiles(MOST, 1, 1, 1, 4, owner, &down), SCALAY_SUCCESS);
    scalay_stencil_choice *one = choose(&problem, across), *other = choose(&problem, down),
                          *again = choose(&problem, across);
    assert_true(same_runs(one, other) && same_runs(one, again));
    scalay_stencil_choice_destroy(&again);
    scalay_stencil_choice_destroy(&other);
    scalay_stencil_choice_destroy(&one);
    scalay_layout_destroy(&down);
    scalay_layout_destroy(&across);
}

/* A process that holds nothing can be given something, one that is not in the layout too. */
static void idle_processes_help_where_updates_are_dear(void **state)
{
    (void)state;
    const int owner[24] = {0};
    scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 1.0, 100.0, 10);
    problem.processes = 6;
    scalay_layout *layout = line(24, 1, owner);
    scalay_stencil_choice *choice = choose(&problem, layout);
    assert_int_equal(get(choice, 0).processes, 6);
    assert_int_equal(get(choice, 0).cost.load, 4);
    scalay_stencil_choice_destroy(&choice);
    scalay_layout_destroy(&layout);
}

/* Where items are few to a process and messages dear, fewer processes are better. */
static void dear_messages_leave_processes_idle(void **state)
{
    (void)state;
    int owner[MOST];
    for (int x = 0; x < MOST; x++) owner[x] = x % 8;
    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_VOLUME, 1000.0, 1.0, 1000);
    scalay_layout *layout = line(MOST, 8, owner);
    scalay_stencil_choice *choice = choose(&problem, layout);
    assert_int_equal(get(choice, 0).processes, 1);
    scalay_stencil_choice_destroy(&choice);
    scalay_layout_destroy(&layout);
}

static void a_million_items_in_runs_are_searched(void **state)
{
    (void)state;
    enum { TILES = 1000 };
    int *owner = malloc(TILES * sizeof *owner);
    scalay_layout *layout = NULL;
    scalay_random random = scalay_random_seed(seed + 3);
    for (int k = 0; k < TILES; k++) owner[k] = (int)scalay_random_below(&random, 16);
    assert_int_equal(scalay_layout_tiles(1000000, 1, 1000, 1, 16, owner, &layout), SCALAY_SUCCESS);
    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_VOLUME, 10.0, 1.0, 50);
    scalay_stencil_choice *choice = choose(&problem, layout);
    check_candidates(&problem, layout, choice);
    scalay_stencil_candidate other;
    assert_non_null(named(choice, "owner", &other));
    assert_true(get(choice, 0).cost.seconds < other.cost.seconds);
    assert_non_null(named(choice, "blocks", &other));
    assert_true(get(choice, 0).cost.seconds < other.cost.seconds);
    scalay_stencil_choice_destroy(&choice);
    scalay_layout_destroy(&layout);
    free(owner);
}

/* --------------------------------------------------------------------------------------------------- errors */

static void refuse(scalay_stencil_problem problem, const scalay_layout *layout)
{
    scalay_stencil_choice *choice = NULL;
    scalay_stencil_cost cost;
    assert_int_equal(scalay_model_stencil_choose(&problem, layout, &choice), SCALAY_ERROR_ARGUMENT);
    assert_null(choice);
    assert_int_equal(scalay_model_stencil(&problem, layout, layout, &cost), SCALAY_ERROR_ARGUMENT);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    const int owner[] = {0, 1, 2, 1, 0, 1};
    scalay_layout *layout = line(6, 3, owner), *square = NULL, *shorter = line(5, 3, owner);
    const scalay_stencil_problem good = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 1.0, 1.0, 1);
    scalay_stencil_problem bad = good;
    scalay_stencil_choice *choice = NULL;
    scalay_stencil_cost cost;
    assert_int_equal(scalay_layout_tiles(2, 3, 1, 1, 3, owner, &square), SCALAY_SUCCESS);
    refuse(good, square);
    bad.model = (scalay_stencil_model)7;
    refuse(bad, layout);
    bad = good;
    bad.iterations = -1;
    refuse(bad, layout);
    bad = good;
    bad.seconds_per_update = NAN;
    refuse(bad, layout);
    bad = good;
    bad.seconds_per_item_moved = -1.0;
    refuse(bad, layout);
    bad = good;
    bad.processes = 2;
    refuse(bad, layout);
    assert_int_equal(scalay_model_stencil(&good, layout, shorter, &cost), SCALAY_ERROR_MISMATCH);
    assert_int_equal(scalay_model_stencil(&good, NULL, layout, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_stencil(&good, layout, layout, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_stencil(NULL, layout, layout, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_stencil_choose(NULL, layout, &choice), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_stencil_choose(&good, NULL, &choice), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_stencil_choose(&good, layout, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&shorter);
    scalay_layout_destroy(&square);
    scalay_layout_destroy(&layout);
}

static void questions_about_what_is_not_there_are_refused(void **state)
{
    (void)state;
    const int owner[] = {0, 1};
    const scalay_stencil_problem problem = scalay_stencil_problem_on(NULL, SCALAY_DOUBLE, 3);
    scalay_layout *layout = line(2, 2, owner), *target = NULL;
    scalay_stencil_choice *choice = choose(&problem, layout);
    scalay_stencil_candidate candidate;
    const int64_t *first = NULL;
    const int *who = NULL;
    const int count = scalay_stencil_choice_count(choice);
    assert_int_equal(count, 6);
    assert_int_equal(scalay_stencil_choice_get_candidate(choice, count, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_stencil_choice_get_candidate(choice, -1, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_stencil_choice_get_candidate(choice, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_stencil_choice_get_candidate(NULL, 0, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_stencil_choice_runs(choice, count, &first, &who), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_stencil_choice_runs(choice, 0, NULL, &who), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_stencil_choice_layout(choice, count, &target), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_stencil_choice_layout(choice, 0, NULL), SCALAY_ERROR_ARGUMENT);
    char text[4096], few[8];
    const int length = scalay_stencil_choice_describe(choice, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_int_equal(scalay_stencil_choice_describe(choice, few, sizeof few), length);
    assert_int_equal(strlen(few), 7);
    assert_non_null(strstr(text, "search"));
    assert_int_equal(scalay_stencil_choice_describe(NULL, text, sizeof text), 0);
    assert_int_equal(scalay_stencil_choice_count(NULL), 0);
    scalay_stencil_choice_destroy(&choice);
    scalay_stencil_choice_destroy(&choice);
    scalay_stencil_choice_destroy(NULL);
    scalay_layout_destroy(&layout);
}

static void every_failing_allocation_is_told(void **state)
{
    (void)state;
    const int owner[] = {0, 1, 0, 1};
    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 1.0, 1.0, 1);
    scalay_layout *layout = line(4, 2, owner);
    const int64_t live = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    int failures = 0;
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        scalay_stencil_choice *choice = NULL;
        scalay_memory_fail_at(n);
        status = scalay_model_stencil_choose(&problem, layout, &choice);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS ? choice != NULL : status == SCALAY_ERROR_MEMORY && choice == NULL);
        failures += status != SCALAY_SUCCESS;
        scalay_stencil_choice_destroy(&choice);
        assert_int_equal(scalay_memory_live(), live);
    }
    assert_true(failures > 50);
    scalay_layout_destroy(&layout);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs_are_those_of_the_definition),
                                       cmocka_unit_test(candidates_are_what_they_are_said_to_be),
                                       cmocka_unit_test(without_iterations_nothing_moves),
                                       cmocka_unit_test(rows_and_columns_and_another_time_give_the_same),
                                       cmocka_unit_test(idle_processes_help_where_updates_are_dear),
                                       cmocka_unit_test(dear_messages_leave_processes_idle),
                                       cmocka_unit_test(a_million_items_in_runs_are_searched),
                                       cmocka_unit_test(what_makes_no_sense_is_refused),
                                       cmocka_unit_test(questions_about_what_is_not_there_are_refused),
                                       cmocka_unit_test(every_failing_allocation_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
