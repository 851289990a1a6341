/* Simulated annealing of slicing trees: swap two parts, flip a cut, prune and regraft, make and undo a hole. */
#include <math.h>
#include <time.h>

#include "base/memory.h"
#include "partition/slicing.h"

static const double coldest = 1e-6;

/* A tree to start from, and the temperature: hot forgets it, warm mends it. */
typedef struct {
    scalay_slicing_planter plant;
    double temperature;
} start;

typedef struct {
    scalay_slicing now, next, best;
    double cost, best_cost;
    scalay_random random;
    double deadline; /* in processor seconds; infinity: none */
} annealer;

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* All parts but the largest are holes in it. */
static scalay_status plant_holes(const scalay_shares *shares, scalay_slicing *tree)
{
    tree->root = 0;
    for (int k = 1; k < shares->parts; k++) scalay_slicing_nest(tree, 0, k);
    return SCALAY_SUCCESS;
}

static void note_best(annealer *at, int fits)
{
    if (!fits || at->cost >= at->best_cost - 1e-13) return;
    at->best_cost = at->cost;
    scalay_slicing_copy(&at->now, &at->best);
}

static void step(annealer *at, double temperature)
{
    int fits;
    scalay_slicing_copy(&at->now, &at->next);
    scalay_slicing_move(&at->next, &at->random);
    double cost = scalay_slicing_cost(&at->next, &fits);
    double worse = cost - at->cost;
    if (worse > 0.0 && scalay_random_unit(&at->random) >= exp(-worse / temperature)) return;
    const scalay_slicing before = at->now;
    at->now = at->next;
    at->next = before;
    at->cost = cost;
    note_best(at, fits);
}

static void anneal(annealer *at, double hottest, int64_t moves)
{
    const double cooling = pow(coldest / hottest, 1.0 / (double)moves);
    double temperature = hottest;
    for (int64_t k = 0; k < moves; k++, temperature *= cooling) {
        if (k % 256 == 0 && at->deadline < INFINITY && processor_seconds() > at->deadline) return;
        step(at, temperature);
    }
}

static scalay_status start_from(annealer *at, scalay_slicing_planter plant)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_shares *shares = at->now.shares;
    int fits;
    scalay_slicing_free(&at->now);
    SCALAY_TRY(scalay_slicing_create(shares, &at->now));
    SCALAY_TRY(plant(shares, &at->now));
    at->cost = scalay_slicing_cost(&at->now, &fits);
    note_best(at, fits);
cleanup:
    return status;
}

static int64_t moves_for(int parts)
{
    const int64_t work = 4000000;
    return work / parts < 100000 ? work / parts : 100000;
}

static scalay_status run(annealer *at, const scalay_annealing *how)
{
    static const start starts[] = {{scalay_slicing_nagamochi_abe, 0.2},
                                   {plant_holes, 0.2},
                                   {scalay_slicing_recursive_best, 0.002},
                                   {scalay_slicing_columns, 0.002}};
    enum { STARTS = sizeof starts / sizeof starts[0] };
    scalay_status status = SCALAY_SUCCESS;
    int64_t moves = moves_for(at->now.shares->parts);
    if (how->budget > 0.0) at->deadline = processor_seconds() + how->budget;
    for (int round = 0; round < STARTS || (how->budget > 0.0 && processor_seconds() < at->deadline); round++) {
        SCALAY_TRY(start_from(at, starts[round % STARTS].plant));
        anneal(at, starts[round % STARTS].temperature, moves);
    }
cleanup:
    return status;
}

scalay_status scalay_slicing_anneal(const scalay_shares *shares, const scalay_annealing *how, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    annealer at = {.best_cost = INFINITY, .random = scalay_random_seed(how->seed), .deadline = INFINITY};
    SCALAY_TRY(scalay_slicing_create(shares, &at.now));
    SCALAY_TRY(scalay_slicing_create(shares, &at.next));
    SCALAY_TRY(scalay_slicing_create(shares, &at.best));
    SCALAY_TRY(run(&at, how));
    scalay_slicing_copy(&at.best, tree);
cleanup:
    scalay_slicing_free(&at.now);
    scalay_slicing_free(&at.next);
    scalay_slicing_free(&at.best);
    return status;
}
