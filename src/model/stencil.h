#ifndef SCALAY_MODEL_STENCIL_H
#define SCALAY_MODEL_STENCIL_H

/** @file Distributions of items on a circle, and their cost for the three-point stencil. */

#include "base/status.h"
#include "scalay/model.h"

/* --------------------------------------------------------------------------------------------------- runs */

/** Owners of items 0 .. n-1, in runs. Neighbouring runs may have the same owner. Zeroed: no items. */
typedef struct {
    int64_t n;
    int64_t runs;
    int64_t first_capacity;
    int64_t owner_capacity;
    int64_t *first; /* shape [runs], ascending, first[0] = 0 */
    int *owner;     /* shape [runs] */
} scalay_item_runs;

/** Returns one past the last item of a run. */
int64_t scalay_item_runs_end(const scalay_item_runs *runs, int64_t r);

/** Returns the run of an item, 0 <= item < n. Time: O(log runs). */
int64_t scalay_item_runs_find(const scalay_item_runs *runs, int64_t item);

/** Adds a run that starts at `first`. A run of the same owner as the last one extends it. Does not set n. */
scalay_status scalay_item_runs_append(scalay_item_runs *runs, int64_t first, int owner);

/** Reserves memory for a number of runs. */
scalay_status scalay_item_runs_reserve(scalay_item_runs *runs, int64_t count);

/** Copies runs. The previous content of copy is overwritten. */
scalay_status scalay_item_runs_copy(const scalay_item_runs *runs, scalay_item_runs *copy);

/** Finds the runs of a layout with one row or one column. `function` is for messages. */
scalay_status scalay_item_runs_of_layout(const char *function, const scalay_layout *layout, scalay_item_runs *runs);

/** Releases the memory of runs and zeroes them. */
void scalay_item_runs_free(scalay_item_runs *runs);

/* --------------------------------------------------------------------------------------------------- cost */

/** Checks a problem for layouts on a number of processes. `function` is for messages. */
scalay_status scalay_stencil_problem_check(const char *function, const scalay_stencil_problem *problem, int processes);

/** Counts of each process. */
typedef struct {
    int processes;
    int64_t *load;     /* shape [processes]: items owned */
    int64_t *sent;     /* shape [processes]: items sent by the redistribution */
    int64_t *received; /* shape [processes]: items received by the redistribution */
    int64_t *out;      /* shape [processes]: items sent in an iteration */
    int64_t *in;       /* shape [processes]: items received in an iteration */
    int64_t volume;    /* the sum of sent */
    int64_t exchanged; /* the sum of out */
} scalay_stencil_tally;

/** Creates a tally of zeros. */
scalay_status scalay_stencil_tally_create(int processes, scalay_stencil_tally *tally);

/** Releases the memory of a tally. */
void scalay_stencil_tally_free(scalay_stencil_tally *tally);

/** Counts items that move from one process to another, or stay (from == to). Negative: subtracts them. */
void scalay_stencil_tally_items(scalay_stencil_tally *tally, int from, int to, int64_t items);

/** Counts (sign 1) or subtracts (sign -1) the exchange of a run in an iteration: its first item to the left, its last
 *  item to the right. A single item between two runs of the same owner is sent once. */
void scalay_stencil_tally_exchange(scalay_stencil_tally *tally, const scalay_item_runs *runs, int64_t r, int64_t sign);

/** Counts a whole distribution. */
void scalay_stencil_tally_all(scalay_stencil_tally *tally, const scalay_item_runs *initial,
                              const scalay_item_runs *runs);

/** Computes the cost of a tally. */
scalay_stencil_cost scalay_stencil_cost_of(const scalay_stencil_problem *problem, const scalay_stencil_tally *tally);

/* ---------------------------------------------------------------------------------------------- candidates */

/** A candidate. */
typedef struct {
    const char *name;
    scalay_item_runs runs;
    scalay_stencil_cost cost;
} scalay_stencil_option;

/** A choice in progress: the problem, the candidates in no order, and start points of the search. */
typedef struct {
    const char *function; /* public function, for messages */
    scalay_stencil_problem problem;
    scalay_item_runs initial;
    scalay_stencil_tally tally; /* work space */
    int64_t options;
    int64_t option_capacity;
    scalay_stencil_option *option;
    int64_t starts;
    scalay_item_runs *start; /* shape [SCALAY_STENCIL_STARTS], by ascending cost */
    double *start_seconds;   /* same shape */
} scalay_stencil_decision;

enum { SCALAY_STENCIL_STARTS = 12 };

/** Computes the cost of a distribution. */
scalay_stencil_cost scalay_stencil_evaluate(scalay_stencil_decision *decision, const scalay_item_runs *runs);

/** Adds a copy of a distribution as a candidate. */
scalay_status scalay_stencil_add_option(scalay_stencil_decision *decision, const char *name,
                                        const scalay_item_runs *runs);

/** Keeps a copy of a distribution as a start point if it is new and among the best so far. */
scalay_status scalay_stencil_offer(scalay_stencil_decision *decision, const scalay_item_runs *runs);

/** Offers distributions that are optimal for prices of load and messages (stencil_prices.c). */
scalay_status scalay_stencil_offer_priced(scalay_stencil_decision *decision);

/** Searches from the start points and adds the best distribution as a candidate. */
scalay_status scalay_stencil_search(scalay_stencil_decision *decision);

#endif
