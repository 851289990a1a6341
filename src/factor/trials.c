/*
 * Comparisons of the ways to compute.
 */
#include <math.h>

#include "factor/trials.h"

/* Each way has at least so many calls in a comparison, and so many nanoseconds: the first calls after a change fill the
 * caches. The shortest call counts: noise only adds. */
enum { CALLS = 4, NANOSECONDS = 2000000 };

/* Ways are compared if they are predicted to take at most so many times the present way. */
static const double nearly_as_fast = 1.6;

/* A comparison is expected to cost what the creation takes, and what a call takes longer if the prediction is too short
 * by this factor. It may cost this share of the calls since the last one. */
static const double too_short = 1.5, share = 0.05;

/* The other way must be measured to be faster by this factor. */
static const double clearly_faster = 1.02;

/* Comparisons that a way has to lose to be out although it was predicted to be faster: one may have been disturbed. */
enum { LOSSES = 2 };

void scalay_trials_add(scalay_trials *t, scalay_way way, int64_t predicted, int64_t creation)
{
    t->way[way].predicted = predicted;
    t->way[way].creation = creation;
}

void scalay_trials_start(scalay_trials *t, scalay_way way)
{
    t->present = t->before = way;
    t->rival = SCALAY_WAYS;
    t->spent = 0;
}

/* Predicted time of a way over that of the present one. */
static double ratio_of(const scalay_trials *t, scalay_way way)
{
    return (double)t->way[way].predicted / (double)t->way[t->present].predicted;
}

static int is_candidate(const scalay_trials *t, scalay_way way)
{
    return way != t->present && t->way[way].losses < LOSSES && t->way[way].predicted > 0 &&
           t->way[t->present].predicted > 0 && ratio_of(t, way) <= nearly_as_fast;
}

/* Returns the candidate with the shortest prediction; SCALAY_WAYS: there is none. */
static scalay_way next_candidate(const scalay_trials *t)
{
    scalay_way best = SCALAY_WAYS;
    for (scalay_way way = SCALAY_WAY_STAY; way < SCALAY_WAYS; way++)
        if (is_candidate(t, way) && (best == SCALAY_WAYS || t->way[way].predicted < t->way[best].predicted)) best = way;
    return best;
}

int scalay_trials_is_trial(const scalay_trials *t)
{
    return t->rival != SCALAY_WAYS && t->present == t->rival;
}

int scalay_trials_are_over(const scalay_trials *t)
{
    return t->rival == SCALAY_WAYS && next_candidate(t) == SCALAY_WAYS;
}

/* Begins a comparison with the next candidate if that is cheap enough. Both ways may have to be created. */
static void begin_comparison(scalay_trials *t, int64_t call)
{
    const scalay_way way = next_candidate(t);
    if (way == SCALAY_WAYS) return;
    const double longer = too_short * ratio_of(t, way) - 1.0;
    const double creation = (double)(t->way[way].creation + t->way[t->present].creation);
    const double calls = fmax(NANOSECONDS, (CALLS + 1) * (double)call);
    const double cost = creation + fmax(0.0, longer) * calls;
    if (share * (double)t->spent < cost) return;
    t->rival = way;
    t->before = t->present;
    t->calls = 0;
    t->nanoseconds = 0;
    t->way[t->before].measured = t->way[way].measured = INT64_MAX;
}

/* Goes on with the faster way. If the other one was predicted to be slower, too, it is out. */
static void decide(scalay_trials *t)
{
    const double before = (double)t->way[t->before].measured, rival = (double)t->way[t->rival].measured;
    const int is_faster = clearly_faster * rival < before;
    const scalay_way winner = is_faster ? t->rival : t->before, loser = is_faster ? t->before : t->rival;
    t->way[loser].losses = t->way[loser].predicted >= t->way[winner].predicted ? LOSSES : t->way[loser].losses + 1;
    scalay_trials_start(t, winner);
}

void scalay_trials_give_up(scalay_trials *t, scalay_way remaining)
{
    t->way[t->present].losses = LOSSES;
    scalay_trials_start(t, remaining);
}

void scalay_trials_count(scalay_trials *t, int64_t nanoseconds)
{
    if (nanoseconds <= 0) return;
    if (t->rival == SCALAY_WAYS) {
        t->spent += nanoseconds;
        begin_comparison(t, nanoseconds);
        return;
    }
    int64_t *measured = &t->way[t->present].measured;
    if (t->calls >= 0 && nanoseconds < *measured) *measured = nanoseconds;
    if (t->calls >= 0) t->nanoseconds += nanoseconds;
    if (++t->calls < CALLS || t->nanoseconds < NANOSECONDS) return;
    if (t->present == t->rival) {
        decide(t);
        return;
    }
    t->present = t->rival;
    t->calls = -1;
    t->nanoseconds = 0;
}
