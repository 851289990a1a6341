/*
 * Sums that cheap moves cannot make: when all moves within a budget are multiples of some number and what the base
 * lacks is not, a move from outside is needed, however dear. What a class of sums costs at least, modulo that number
 * and with any number of processors, is a bound for every sum on the way: only what is above it counts against the
 * budget.
 *
 * Cost: O(s + G^2) for sizes that add up to s and a modulus of G, at most 1024.
 */
#include "base/integer.h"
#include "workload/min_energy.h"

static const int64_t MOST_CLASSES = 1024;

static int64_t common_divisor(const scalay_energy_search *search)
{
    int64_t divisor = 0;
    for (int64_t k = 0; k < search->moves && divisor != 1; k++) {
        int64_t move = search->move[k].move;
        if (move != 0) divisor = scalay_gcd(move < 0 ? -move : move, divisor);
    }
    return divisor;
}

/* cost[c] = the cheapest move of class c. */
static void cheapest_moves(const scalay_energy_search *search, int64_t modulus, scalay_wide *cost)
{
    for (int64_t c = 0; c < modulus; c++) cost[c] = SCALAY_NO_CLASS_COST;
    for (int64_t k = 0; k < search->base_lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        const scalay_problem_group *group = &search->problem->group[lot->group];
        for (int64_t x = scalay_energy_least(search, lot->group); x <= group->largest && x <= search->n; x++) {
            if (x > 0 && !scalay_energy_allowed(search, group, x)) continue;
            int64_t class = scalay_energy_class(modulus, x - lot->index);
            scalay_wide one = scalay_reduced_cost(search, scalay_energy_at(search, group, x) - lot->energy,
                                                  (x > 0) - (lot->index > 0), x - lot->index);
            if (one < cost[class]) cost[class] = one;
        }
    }
}

/* Dijkstra's algorithm with all classes next to each other; done[c]: final. */
static void add_up(int64_t modulus, const scalay_wide *cost, scalay_wide *sum, scalay_wide *done)
{
    for (int64_t c = 0; c < modulus; c++) {
        sum[c] = SCALAY_NO_CLASS_COST;
        done[c] = 0;
    }
    sum[0] = 0;
    for (;;) {
        int64_t at = -1;
        for (int64_t c = 0; c < modulus; c++)
            if (!done[c] && sum[c] < SCALAY_NO_CLASS_COST && (at < 0 || sum[c] < sum[at])) at = c;
        if (at < 0) break;
        done[at] = 1;
        for (int64_t c = 0; c < modulus; c++) {
            int64_t to = at + c < modulus ? at + c : at + c - modulus;
            if (cost[c] < SCALAY_NO_CLASS_COST && sum[at] + cost[c] < sum[to]) sum[to] = sum[at] + cost[c];
        }
    }
}

/* gain[c] = the most by which a move of class c can bring the bound down. */
static void find_gains(int64_t modulus, const scalay_wide *sum, scalay_wide *gain)
{
    for (int64_t c = 0; c < modulus; c++) {
        gain[c] = 0;
        for (int64_t from = 0; from < modulus; from++) {
            scalay_wide left = sum[scalay_energy_class(modulus, from - c)];
            if (sum[from] < SCALAY_NO_CLASS_COST && left < SCALAY_NO_CLASS_COST && sum[from] - left > gain[c])
                gain[c] = sum[from] - left;
        }
    }
}

scalay_status scalay_energy_classes(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_wide *memory = NULL;
    int64_t modulus = common_divisor(search);
    if (search->counted || modulus < 2 || modulus > MOST_CLASSES || search->missing % modulus == 0)
        return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_scratch(search, 6, 4 * modulus, sizeof *memory, &memory));
    cheapest_moves(search, modulus, memory + 2 * modulus);
    add_up(modulus, memory + 2 * modulus, memory, memory + 3 * modulus);
    find_gains(modulus, memory, memory + modulus);
    search->modulus = modulus;
    search->class_cost = memory;
    search->class_gain = memory + modulus;
cleanup:
    return status;
}

void scalay_energy_drop_useless(scalay_energy_search *search, scalay_wide budget)
{
    int64_t left = 0;
    for (int64_t k = 0; k < search->moves; k++) {
        int64_t rest = scalay_energy_class(search->modulus, search->missing - search->move[k].move);
        if (search->move[k].cost + search->class_cost[rest] > budget)
            search->complete = 0;
        else
            search->move[left++] = search->move[k];
    }
    search->moves = left;
}
