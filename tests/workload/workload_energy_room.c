/* Moves modulo the open edge that leave room at one of its ends: as cheap as a plain search over lengths says, and what
 * residues answer with them as good as a plain dynamic program. */
#include "workload/min_energy_residues.h"
#include "workload_energy.h"

static const scalay_wide NONE = (scalay_wide)1 << 124;

static uint64_t seed;

/* A move of the group's open lot, or of another. */
typedef struct {
    int64_t length;
    int64_t cost;
} plain_move;

/* All moves by the definition, with lengths from the end of the edge that a direction says. */
static int64_t list_moves(const scalay_energy_search *search, int direction, plain_move *move)
{
    int64_t moves = 0;
    for (int64_t k = 0; k < search->base_lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        const scalay_problem_group *group = &search->problem->group[lot->group];
        const int is_open = lot->group == search->lot[search->open_lot].group;
        if (is_open && k != search->open_lot) continue;
        for (int64_t x = 0; x <= group->largest && x <= search->n; x++) {
            if (x > 0 && group->energy[x] == SCALAY_NO_ENERGY) continue;
            const int64_t energy = (x > 0 ? group->energy[x] : 0) - lot->energy;
            const int64_t from = lot->index + (is_open && direction < 0 ? search->open_edge : 0);
            move[moves++] =
                (plain_move){direction * (x - from),
                             (int64_t)scalay_reduced_cost(search, energy, (x > 0) - (lot->index > 0), x - lot->index)};
        }
    }
    return moves;
}

/* The least cost of any number of moves whose lengths add up to `target` less a multiple of the edge: round by round
 * until nothing changes, in a window that optimal orders need not leave. */
static scalay_wide plain_room(const plain_move *move, int64_t moves, int64_t edge, int64_t target, int64_t span)
{
    const int64_t low = -4 * span * span;
    const int64_t width = (target > 0 ? target : 0) + 8 * span * span + 1;
    scalay_wide *cost = malloc((size_t)width * sizeof *cost);
    scalay_wide least = NONE;
    int changed = 1;
    assert_non_null(cost);
    for (int64_t k = 0; k < width; k++) cost[k] = k == -low ? 0 : NONE;
    while (changed) {
        changed = 0;
        for (int64_t m = 0; m < moves; m++)
            for (int64_t at = 0; at < width; at++) {
                const int64_t to = at + move[m].length;
                if (to < 0 || to >= width || cost[at] == NONE || cost[at] + move[m].cost >= cost[to]) continue;
                cost[to] = cost[at] + move[m].cost;
                changed = 1;
            }
    }
    for (int64_t sum = target; sum >= low; sum -= edge)
        if (sum - low < width && cost[sum - low] < least) least = cost[sum - low];
    free(cost);
    return least;
}

static void check_choice(const scalay_energy_search *search, const scalay_energy_choice *chosen, int direction,
                         int64_t target, int64_t cost)
{
    int64_t length = 0;
    int64_t sum = 0;
    for (int64_t k = 0; k < chosen->steps; k++) {
        const scalay_energy_lot *lot = &search->lot[chosen->lot[k]];
        const scalay_problem_group *group = &search->problem->group[lot->group];
        const int64_t x = chosen->index[k];
        const int64_t energy = (x > 0 ? group->energy[x] : 0) - lot->energy;
        assert_true(x == 0 || group->energy[x] != SCALAY_NO_ENERGY);
        length += direction *
                  (x - lot->index - (chosen->lot[k] == search->open_lot && direction < 0 ? search->open_edge : 0));
        sum += (int64_t)scalay_reduced_cost(search, energy, (x > 0) - (lot->index > 0), x - lot->index);
    }
    assert_true(length <= target && (target - length) % search->open_edge == 0);
    assert_int_equal(sum, cost);
}

/* Both directions from the base, whether or not an end lacks processors; how many were answered. */
static int check_room(const scalay_problem *problem)
{
    scalay_energy_search search;
    plain_move move[512];
    int feasible = 0;
    int answered = 0;
    assert_success(scalay_energy_search_create(problem, problem->n, INFINITY, &search));
    assert_success(scalay_energy_search_hulls(&search));
    assert_success(scalay_energy_base(&search, &feasible));
    for (int direction = -1; direction <= 1 && feasible && search.open_lot >= 0 && search.fits; direction += 2) {
        const int64_t near = search.open_lot;
        const int is_far = near + 1 < search.base_lots && search.lot[near + 1].group == search.lot[near].group;
        const int64_t copies = search.lot[near].copies + (is_far ? search.lot[near + 1].copies : 0);
        const scalay_energy_open open = {near, is_far ? near + 1 : -1, copies, 0, 0};
        const int64_t there = direction < 0 ? search.lot[near].copies : is_far ? search.lot[near + 1].copies : 0;
        const int64_t target = there * search.open_edge + direction * search.missing;
        const int64_t moves = list_moves(&search, direction, move);
        const scalay_wide expected = plain_room(move, moves, search.open_edge, target, search.span);
        scalay_energy_verdict verdict = SCALAY_ENERGY_UNKNOWN;
        scalay_energy_choice chosen = {0, NULL, NULL};
        scalay_wide bound = 0;
        assert_success(scalay_energy_room(&search, &open, direction, &bound, &verdict, &chosen));
        if (verdict == SCALAY_ENERGY_FOUND && expected != bound) print_problem(problem, INFINITY);
        if (verdict == SCALAY_ENERGY_FOUND) {
            assert_true(bound == expected);
            check_choice(&search, &chosen, direction, target, (int64_t)expected);
        } else if (verdict == SCALAY_ENERGY_NONE) {
            assert_true(expected == NONE);
        } else {
            assert_true(bound <= expected);
        }
        answered += verdict != SCALAY_ENERGY_UNKNOWN;
    }
    scalay_energy_search_free(&search);
    return answered;
}

static void choices_are_cheapest(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    int answered = 0;
    for (int k = 0; k < 1500; k++) {
        scalay_problem problem = random_energy_problem(&random, 1 + k % 3, 12, 2 + k % 9);
        answered += check_room(&problem);
        energy_problem_free(&problem);
    }
    assert_true(answered > 500);
}

/* Processors that are dear to start, of which few work, or few do not. */
static scalay_problem lopsided(scalay_random *random)
{
    scalay_problem made = energy_problem(1, 0);
    const int64_t largest = 8 + scalay_random_below(random, 24);
    const int64_t count = 4 + scalay_random_below(random, 40);
    const int64_t start = scalay_random_below(random, 200);
    energy_group(&made, 0, count, largest);
    for (int64_t x = 1; x <= largest; x++)
        if (x == largest || scalay_random_below(random, 8) > 0)
            energy_size(&made, 0, x, (double)x, start + 5 * x + x * x / 8 + scalay_random_below(random, 30));
    made.n = 1 + scalay_random_below(random, 4 * largest);
    if (scalay_random_below(random, 2) == 0) made.n = count * largest - made.n;
    if (made.n < 0) made.n = 0;
    return made;
}

static void answers_are_best(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed + 1);
    int found = 0;
    for (int k = 0; k < 3000; k++) {
        scalay_problem problem = lopsided(&random);
        const plain_answer expected = plain_energy(&problem, INFINITY);
        scalay_energy_search search;
        scalay_energy_verdict verdict = SCALAY_ENERGY_UNKNOWN;
        scalay_wide bound = 0;
        int feasible = 0;
        assert_success(scalay_energy_search_create(&problem, problem.n, INFINITY, &search));
        assert_success(scalay_energy_search_hulls(&search));
        assert_success(scalay_energy_base(&search, &feasible));
        if (feasible && search.missing != 0) assert_success(scalay_energy_residues(&search, &verdict, &bound));
        if (verdict == SCALAY_ENERGY_FOUND) {
            plain_answer answer = {0, 0};
            scalay_energy_sum_up(&search, &answer.energy, &answer.active);
            if (answer.energy != expected.energy) print_problem(&problem, INFINITY);
            assert_int_equal(answer.energy, expected.energy);
            assert_int_equal(answer.active, expected.active);
            found++;
        } else if (verdict == SCALAY_ENERGY_NONE) {
            assert_int_equal(expected.energy, SCALAY_NO_ENERGY);
        }
        scalay_energy_search_free(&search);
        energy_problem_free(&problem);
    }
    assert_true(found > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_cheapest),
        cmocka_unit_test(answers_are_best),
    };
    seed = test_seed(20261127);
    return run_all_tests(tests);
}
