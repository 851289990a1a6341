/*
 * Start points of the search by prices (Lagrangian relaxation with multiplicative weights, Freund and Schapire 1997).
 *
 * A maximum over processes is the largest weighted mean: max_p l_p = max over weights w >= 0 with sum 1 of sum w_p l_p.
 * With fixed weights (prices), every item has a cost on every process, and every border between two processes costs the
 * sum of their prices. The best distribution is then a shortest path along the initial runs, which are never cut
 * because costs are linear in the items. Busy processes become more expensive in the next round. Time of a round:
 * O(runs * processes).
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "model/stencil.h"

enum { MAX_ROUNDS = 80 };

/* Limit of runs times processes in all rounds together, and in memory. */
static const int64_t max_work = 60000000;
static const int64_t max_entries = 20000000;

/* The five maxima that are relaxed. */
enum { LOAD, SENT, RECEIVED, OUT, IN, KINDS };

typedef struct {
    scalay_stencil_decision *decision;
    int processes;
    double *weight[KINDS]; /* shape [processes] each, sum 1 */
    double *update;        /* shape [processes]: price of all updates of an item on the process */
    double *send;          /* shape [processes]: price of an item that leaves the process */
    double *receive;       /* shape [processes]: price of an item that the process receives */
    double *border;        /* shape [processes]: price of the end of a run on the process */
    double *value;         /* shape [processes]: cost of the shortest path so far that ends on the process */
    double *memory;        /* all of these arrays */
    unsigned char *stays;  /* shape [runs][processes]: 1: the path comes from the same process */
    int *cheapest;         /* shape [runs]: predecessor of all other processes */
    int *owner;            /* shape [runs] */
    scalay_item_runs runs;
} price_search;

static scalay_status start(price_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t p = s->processes = s->decision->tally.processes, runs = s->decision->initial.runs;
    SCALAY_TRY(SCALAY_NEW(s->memory, (KINDS + 5) * p));
    for (int k = 0; k < KINDS; k++) s->weight[k] = s->memory + k * p;
    s->update = s->memory + KINDS * p;
    s->send = s->update + p;
    s->receive = s->send + p;
    s->border = s->receive + p;
    s->value = s->border + p;
    SCALAY_TRY(SCALAY_NEW(s->stays, runs * p));
    SCALAY_TRY(SCALAY_NEW(s->cheapest, runs));
    SCALAY_TRY(SCALAY_NEW(s->owner, runs));
    for (int64_t k = 0; k < KINDS * p; k++) s->memory[k] = 1.0 / (double)p;
cleanup:
    return status;
}

static void finish(price_search *s)
{
    scalay_item_runs_free(&s->runs);
    scalay_release(s->owner);
    scalay_release(s->cheapest);
    scalay_release(s->stays);
    scalay_release(s->memory);
}

static void set_prices(price_search *s)
{
    const scalay_stencil_problem *problem = &s->decision->problem;
    const double iterations = (double)problem->iterations;
    const int by_volume = problem->model == SCALAY_STENCIL_VOLUME;
    for (int p = 0; p < s->processes; p++) {
        s->update[p] = iterations * problem->seconds_per_update * s->weight[LOAD][p];
        s->send[p] = problem->seconds_per_item_moved * (by_volume ? 0.5 : 0.5 * s->weight[SENT][p]);
        s->receive[p] = problem->seconds_per_item_moved * (by_volume ? 0.5 : 0.5 * s->weight[RECEIVED][p]);
        s->border[p] = iterations * (problem->seconds_per_item_exchanged + problem->seconds_per_message) *
                       (by_volume ? 1.0 : 0.5 * (s->weight[OUT][p] + s->weight[IN][p]));
    }
}

/* Extends the shortest paths by one run. */
static void advance(price_search *s, int64_t r)
{
    const scalay_item_runs *initial = &s->decision->initial;
    const double items = (double)(scalay_item_runs_end(initial, r) - initial->first[r]);
    const int holder = initial->owner[r];
    unsigned char *stays = s->stays + r * s->processes;
    int best = 0;
    for (int p = 1; p < s->processes; p++)
        if (s->value[p] + s->border[p] < s->value[best] + s->border[best]) best = p;
    const double other = s->value[best] + s->border[best];
    s->cheapest[r] = best;
    for (int p = 0; p < s->processes; p++) {
        stays[p] = s->value[p] <= other + s->border[p];
        if (!stays[p]) s->value[p] = other + s->border[p];
        s->value[p] += items * (s->update[p] + s->receive[p] + s->send[holder]);
    }
    s->value[holder] -= items * (s->receive[holder] + s->send[holder]);
}

/* Follows the shortest path backward. */
static void trace(price_search *s)
{
    int at = 0;
    for (int p = 1; p < s->processes; p++)
        if (s->value[p] < s->value[at]) at = p;
    for (int64_t r = s->decision->initial.runs - 1; r >= 0; r--) {
        s->owner[r] = at;
        if (!s->stays[r * s->processes + at]) at = s->cheapest[r];
    }
}

/* Finds a distribution of nearly minimum cost. The circle is passed twice, so that its end depends on its start. */
static scalay_status price_runs(price_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_item_runs *initial = &s->decision->initial;
    for (int p = 0; p < s->processes; p++) s->value[p] = 0.0;
    for (int lap = 0; lap < 2; lap++)
        for (int64_t r = 0; r < initial->runs; r++) advance(s, r);
    trace(s);
    s->runs.runs = 0;
    s->runs.n = initial->n;
    for (int64_t r = 0; r < initial->runs; r++)
        SCALAY_TRY(scalay_item_runs_append(&s->runs, initial->first[r], s->owner[r]));
cleanup:
    return status;
}

/* Raises the weights of busy processes. */
static void raise(double *weight, const int64_t *count, int processes, double rate)
{
    double sum = 0.0;
    int64_t maximum = 1;
    for (int p = 0; p < processes; p++) maximum = scalay_max_int64(maximum, count[p]);
    for (int p = 0; p < processes; p++) {
        weight[p] = weight[p] * exp(rate * ((double)count[p] / (double)maximum - 1.0)) + 1e-9;
        sum += weight[p];
    }
    for (int p = 0; p < processes; p++) weight[p] /= sum;
}

static scalay_status price_and_offer(price_search *s, int rounds)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int round = 0; round < rounds; round++) {
        const double rate = 1.0 / sqrt(1.0 + round);
        set_prices(s);
        SCALAY_TRY(price_runs(s));
        SCALAY_TRY(scalay_stencil_offer(s->decision, &s->runs)); /* sets the counts of the tally */
        const scalay_stencil_tally *tally = &s->decision->tally;
        const int64_t *count[KINDS] = {tally->load, tally->sent, tally->received, tally->out, tally->in};
        for (int k = 0; k < KINDS; k++) raise(s->weight[k], count[k], s->processes, rate);
    }
cleanup:
    return status;
}

scalay_status scalay_stencil_offer_priced(scalay_stencil_decision *decision)
{
    price_search search = {.decision = decision};
    int64_t entries = 0;
    const int64_t runs = decision->initial.runs;
    if (runs < 2 || !scalay_multiply_int64(runs, decision->tally.processes, &entries) || entries > max_entries)
        return SCALAY_SUCCESS;
    scalay_status status = start(&search);
    if (status == SCALAY_SUCCESS)
        status = price_and_offer(&search, (int)scalay_min_int64(MAX_ROUNDS, 1 + max_work / (2 * entries)));
    finish(&search);
    return status;
}
