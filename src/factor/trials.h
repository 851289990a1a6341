#ifndef SCALAY_FACTOR_TRIALS_H
#define SCALAY_FACTOR_TRIALS_H

/**
 * @file
 * Where repeated calls of a one-call factorisation compute: first where the predicted time is smallest, then where the
 * measured time is.
 *
 * In a comparison, the present way and another one compute in turns, so that a core whose speed changes favours none of
 * them. The way whose shortest call is shorter in most turns stays. Only ways that are predicted to be nearly as fast
 * are compared, and only when a comparison takes a small share of the time of the calls since the last one. A way is
 * out when it has lost as predicted, or twice: other programs may disturb a comparison. No function uses MPI: all ranks
 * have the same numbers, and so make the same choice.
 */

#include <stdint.h>

/** Ways to compute. */
typedef enum { SCALAY_WAY_STAY, SCALAY_WAY_MOVE, SCALAY_WAY_ENGINE, SCALAY_WAYS } scalay_way;

/** The calls with equal arguments. All times are in nanoseconds. */
typedef struct {
    struct {
        int64_t predicted; /* of a call; 0: the way is not possible */
        int64_t creation;  /* plans and memory before the first call */
        int64_t shortest;  /* call of the turn */
        int losses;        /* comparisons that it lost */
    } way[SCALAY_WAYS];
    scalay_way present;  /* of the next call */
    scalay_way before;   /* in a comparison, the way that it began with */
    scalay_way rival;    /* SCALAY_WAYS: no comparison */
    int won, lost;       /* turns, by the rival */
    int calls;           /* of the turn; -1: the next call creates, and is not counted */
    int64_t nanoseconds; /* of these calls */
    int64_t spent;       /* since the last comparison */
} scalay_trials;

/** Makes a way possible. */
void scalay_trials_add(scalay_trials *trials, scalay_way way, int64_t predicted, int64_t creation);

/** Begins with a way. */
void scalay_trials_start(scalay_trials *trials, scalay_way way);

/** Counts a call in the present way, and chooses that of the next call. `nanoseconds`: 0: the call was not measured. */
void scalay_trials_count(scalay_trials *trials, int64_t nanoseconds);

/** Goes on with the way `remaining` and without the present one, which cannot be created. */
void scalay_trials_give_up(scalay_trials *trials, scalay_way remaining);

/** Returns 1 in a comparison: both ways are needed again. */
static inline int scalay_trials_are_comparing(const scalay_trials *trials)
{
    return trials->rival != SCALAY_WAYS;
}

/** Returns 1 if the next call measures the rival of a comparison. Then `before` is the choice so far. */
int scalay_trials_is_trial(const scalay_trials *trials);

/** Returns 1 if no comparison is pending or will follow. */
int scalay_trials_are_over(const scalay_trials *trials);

#endif
