/* Least energy by sums of moves that are not kept but made again, and by doubling: as good as a plain dynamic program,
 * with one lot and many, few copies and many, with and without a given number of active processors. */
#include "workload/min_energy.h"
#include "workload_energy.h"

static uint64_t seed;

/* Solves by moves alone, keeping so many cells. */
static plain_answer by_sums(const scalay_problem *problem, int64_t active, int64_t max_entries)
{
    scalay_energy_search search;
    scalay_distribution made = {0};
    scalay_energy_verdict verdict = SCALAY_ENERGY_FOUND;
    plain_answer answer = {SCALAY_NO_ENERGY, 0};
    int feasible = 0;
    assert_success(scalay_energy_search_create(problem, problem->n, INFINITY, &search));
    search.target.is_given = active >= 0;
    search.target.active = active;
    assert_success(scalay_energy_search_start(&search));
    search.max_entries = max_entries;
    assert_success(scalay_energy_break(&search, &feasible));
    if (feasible && (search.solution.deficit != 0 || search.solution.active_deficit != 0)) {
        verdict = SCALAY_ENERGY_NONE;
        if (search.solution.slope.length > 0) assert_success(scalay_energy_sums(&search, 0, &verdict));
    }
    if (feasible && verdict == SCALAY_ENERGY_FOUND) {
        const scalay_point sum = scalay_energy_sum(&search);
        answer = (plain_answer){sum.energy, sum.active};
        assert_success(scalay_energy_write(&search, &made));
        check_energies(problem, &made, INFINITY, answer.energy, answer.active);
    }
    scalay_distribution_free(&made);
    scalay_energy_search_free(&search);
    return answer;
}

/* The least energy on exactly so many active processors, by a plain dynamic program over sums and numbers. */
static int64_t plain_counted(const scalay_problem *problem, int64_t active)
{
    const int64_t width = problem->n + 1;
    const size_t cells = (size_t)((active + 1) * width);
    int64_t *best = malloc(cells * sizeof *best);
    assert_non_null(best);
    for (size_t k = 0; k < cells; k++) best[k] = k == 0 ? 0 : SCALAY_NO_ENERGY;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++)
            for (int64_t a = active; a > 0; a--)
                for (int64_t s = problem->n; s > 0; s--)
                    for (int64_t x = 1; x <= problem->group[j].largest && x <= s; x++) {
                        const int64_t before = best[(a - 1) * width + s - x];
                        const int64_t energy = problem->group[j].energy[x];
                        if (before == SCALAY_NO_ENERGY || energy == SCALAY_NO_ENERGY) continue;
                        if (before + energy < best[a * width + s]) best[a * width + s] = before + energy;
                    }
    const int64_t answer = best[active * width + problem->n];
    free(best);
    return answer;
}

static void check_moves(const scalay_problem *problem, int64_t max_entries)
{
    const plain_answer expected = plain_energy(problem, INFINITY);
    const plain_answer found = by_sums(problem, -1, max_entries);
    if (found.energy != expected.energy || (found.energy != SCALAY_NO_ENERGY && found.active != expected.active))
        print_problem(problem, INFINITY);
    assert_int_equal(found.energy, expected.energy);
    if (found.energy != SCALAY_NO_ENERGY) assert_int_equal(found.active, expected.active);
}

/* None at all, a few, and as many as are needed. */
static const int64_t KEPT[] = {0, 200, 1000000};

/* Energies of so many bits more, such that costs are whole numbers of 64 bits, or of more. */
static void add_bits(scalay_random *random, int bits, scalay_problem *problem)
{
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 1; x <= problem->group[j].largest; x++) {
            const int64_t energy = problem->group[j].energy[x];
            if (energy == SCALAY_NO_ENERGY || energy > 1 << 12) continue;
            energy_size(problem, j, x, problem->group[j].time[x],
                        (energy << bits) + scalay_random_below(random, INT64_C(1) << (bits / 2)));
        }
}

static void sums_made_again_are_those_that_were(void **state)
{
    (void)state;
    static const int bits[] = {0, 36, 40, 46};
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 1500; k++) {
        scalay_problem problem = random_energy_problem(&random, 1 + k % 12, k % 3 == 0 ? 1 : 9, 2 + k % 14);
        add_bits(&random, bits[k % 4], &problem);
        for (int kept = 0; kept < 3; kept++) check_moves(&problem, KEPT[kept]);
        energy_problem_free(&problem);
    }
}

static void active_processors_can_be_counted_too(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed + 1);
    int found = 0;
    for (int k = 0; k < 800; k++) {
        scalay_problem problem = random_energy_problem(&random, 2 + k % 4, k % 3 == 0 ? 1 : 6, 2 + k % 6);
        if (problem.groups > 1 && problem.n > 0) {
            const int64_t most = problem.processors < problem.n ? problem.processors : problem.n;
            const int64_t active = 1 + scalay_random_below(&random, most);
            const int64_t expected = plain_counted(&problem, active);
            for (int kept = 0; kept < 3; kept++) {
                const plain_answer answer = by_sums(&problem, active, KEPT[kept]);
                if (answer.energy != expected) print_problem(&problem, INFINITY);
                assert_int_equal(answer.energy, expected);
                if (expected != SCALAY_NO_ENERGY) assert_int_equal(answer.active, active);
            }
            found += expected != SCALAY_NO_ENERGY;
        }
        energy_problem_free(&problem);
    }
    assert_true(found > 100);
}

/* Steps that are walked back with some rows kept. */
typedef struct {
    int64_t next; /* the step that has to come */
    int made[512];
} walk;

/* As the way back goes, from the row before `first`; the rows of the steps before that are kept. */
static void walk_back(walk *of, int64_t first, int64_t end, int64_t rows)
{
    for (; end - first > 1;) {
        assert_true(rows > 0);
        const int64_t made = scalay_energy_split_trace(end - first, rows);
        assert_true(made >= 1 && made < end - first);
        for (int64_t k = first; k < first + made; k++) of->made[k]++;
        walk_back(of, first + made, end, rows - 1);
        end = first + made;
    }
    assert_int_equal(of->next--, first);
}

/* As often as can be helped: (rows + times)! / rows! times! steps with each made at most so many times. */
static void all_steps_are_walked_back(void **state)
{
    (void)state;
    for (int64_t rows = 1; rows <= 10; rows++)
        for (int64_t steps = 1; steps <= 500; steps += steps < 70 ? 1 : 43) {
            walk of = {steps - 1, {0}};
            int most = 0;
            double longest = 1.0;
            int times = 0;
            walk_back(&of, 0, steps, rows);
            assert_int_equal(of.next, -1);
            for (int64_t k = 0; k < steps; k++) most = of.made[k] > most ? of.made[k] : most;
            for (; longest < (double)steps; times++) longest *= (double)(rows + times + 1) / (double)(times + 1);
            assert_true(most <= times);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_made_again_are_those_that_were),
        cmocka_unit_test(active_processors_can_be_counted_too),
        cmocka_unit_test(all_steps_are_walked_back),
    };
    seed = test_seed(20261125);
    return run_all_tests(tests);
}
