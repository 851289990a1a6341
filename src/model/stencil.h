#ifndef SCALAY_MODEL_STENCIL_H
#define SCALAY_MODEL_STENCIL_H

/** @file Items on a circle in runs of one owner each, and what a stencil on them costs: what stencil_*.c share. */

#include "base/status.h"
#include "scalay/stencil.h"

/* --------------------------------------------------------------------------------------------------- runs */

/** Who owns items 0 .. n-1, in runs. Neighbouring runs may have the same owner. Zeroed: no items. */
typedef struct {
    int64_t n;
    int64_t runs;
    int64_t first_room;
    int64_t owner_room;
    int64_t *first; /* shape [runs], ascending, first[0] = 0 */
    int *owner;     /* shape [runs] */
} scalay_item_runs;

/** One past the last item of a run. */
int64_t scalay_item_runs_end(const scalay_item_runs *runs, int64_t r);

/** The run that an item is in, 0 <= item < n. Logarithmic. */
int64_t scalay_item_runs_find(const scalay_item_runs *runs, int64_t item);

/** Adds a run that begins at `first`, up to which the runs before it go; the same owner's go on. Sets no n. */
scalay_status scalay_item_runs_append(scalay_item_runs *runs, int64_t first, int owner);

/** Makes room for so many runs. */
scalay_status scalay_item_runs_reserve(scalay_item_runs *runs, int64_t count);

/** copy = runs, whatever copy held before. */
scalay_status scalay_item_runs_copy(const scalay_item_runs *runs, scalay_item_runs *copy);

/** The runs of a layout with one row or one column, in the name of `function`. */
scalay_status scalay_item_runs_of_layout(const char *function, const scalay_layout *layout, scalay_item_runs *runs);

/** Releases what runs hold and zeroes them. */
void scalay_item_runs_free(scalay_item_runs *runs);

/* --------------------------------------------------------------------------------------------------- cost */

/** Refuses a problem, in the name of `function`, that is none for layouts on so many processes. */
scalay_status scalay_stencil_problem_check(const char *function, const scalay_stencil_problem *problem, int processes);

/** What each process does. */
typedef struct {
    int processes;
    int64_t *load;     /* shape [processes]: items */
    int64_t *sent;     /* likewise: by the redistribution */
    int64_t *received; /* by the redistribution */
    int64_t *out;      /* items sent in an iteration */
    int64_t *in;       /* items received in an iteration */
    int64_t volume;    /* the sum of sent */
    int64_t exchanged; /* the sum of out */
} scalay_stencil_tally;

/** A tally of nothing. */
scalay_status scalay_stencil_tally_create(int processes, scalay_stencil_tally *tally);

/** Releases what a tally holds. */
void scalay_stencil_tally_free(scalay_stencil_tally *tally);

/** Counts `items` (negative: takes them off) that were on one process and are to be on another, or on the same. */
void scalay_stencil_tally_items(scalay_stencil_tally *tally, int from, int to, int64_t items);

/** Counts (sign 1; -1: takes off) what a run sends in an iteration: its first item to the left, its last to the right,
 *  an item that both neighbours of one owner want only once. */
void scalay_stencil_tally_exchange(scalay_stencil_tally *tally, const scalay_item_runs *runs, int64_t r, int64_t sign);

/** The tally of a distribution. */
void scalay_stencil_tally_all(scalay_stencil_tally *tally, const scalay_item_runs *initial,
                              const scalay_item_runs *runs);

/** What a tally costs. */
scalay_stencil_cost scalay_stencil_cost_of(const scalay_stencil_problem *problem, const scalay_stencil_tally *tally);

/* ---------------------------------------------------------------------------------------------- candidates */

/** A distribution on the way to a choice. */
typedef struct {
    const char *name;
    scalay_item_runs runs;
    scalay_stencil_cost cost;
} scalay_stencil_option;

/** What is to be decided, and what was found: the candidates by name, in no order, and places to start a search from.
 */
typedef struct {
    const char *function; /* in whose name to fail */
    scalay_stencil_problem problem;
    scalay_item_runs initial;
    scalay_stencil_tally tally; /* to count with */
    int64_t options;
    int64_t option_room;
    scalay_stencil_option *option;
    int64_t starts;
    scalay_item_runs *start; /* shape [SCALAY_STENCIL_STARTS], by ascending cost */
    double *start_seconds;   /* same shape */
} scalay_stencil_decision;

enum { SCALAY_STENCIL_STARTS = 12 };

/** The cost of a distribution. */
scalay_stencil_cost scalay_stencil_evaluate(scalay_stencil_decision *decision, const scalay_item_runs *runs);

/** Keeps a copy of a distribution as a candidate. */
scalay_status scalay_stencil_add_option(scalay_stencil_decision *decision, const char *name,
                                        const scalay_item_runs *runs);

/** Keeps a copy of a distribution to start from when it is among the best that have been offered, and none of them. */
scalay_status scalay_stencil_offer(scalay_stencil_decision *decision, const scalay_item_runs *runs);

/** Adds owner, canonical, volume, steps and the best of the partitions into blocks; offers all of them. */
scalay_status scalay_stencil_add_blocks(scalay_stencil_decision *decision);

/** Offers the best distributions under prices that make every process' load and messages cost. */
scalay_status scalay_stencil_offer_priced(scalay_stencil_decision *decision);

/** Searches from what was offered and adds what it finds. */
scalay_status scalay_stencil_search(scalay_stencil_decision *decision);

#endif
