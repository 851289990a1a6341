/*
 * Comparisons of the ways to compute.
 */
#include <math.h>

#include "factor/trials.h"

#include "base/integer.h"

/* A turn has so many calls and nanoseconds, or fewer calls of LONG_TURN together: the first call after a change fills
 * the caches. The shortest call counts: noise only adds. One way has to win so many turns. */
enum { TURN_CALLS = 2, TURN = 300000, LONG_TURN = 5000000, WINS = 4 };

/* Ways are compared if they are predicted to take at most so many times the present way. */
static const double nearly_as_fast = 1.6;

/* A comparison is expected to cost what the creation takes, and what a call takes longer if the prediction is too short
 * by this factor. It may cost this share of the calls since the last one. */
static const double too_short = 1.5, share = 0.05;

/* In a turn, the other way must be measured to be faster by this factor. */
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

static void start_turn(scalay_trials *t, scalay_way way, int calls)
{
    t->present = way;
    t->calls = calls;
    t->nanoseconds = 0;
    t->way[way].shortest = INT64_MAX;
}

static int is_over(int calls, double nanoseconds)
{
    return nanoseconds >= LONG_TURN || (nanoseconds >= TURN && calls >= TURN_CALLS);
}

/* Begins a comparison with the next candidate if that is cheap enough. */
static void begin_comparison(scalay_trials *t, int64_t call)
{
    const scalay_way way = next_candidate(t);
    if (way == SCALAY_WAYS) return;
    const double longer = too_short * ratio_of(t, way) - 1.0;
    const double turn = fmax(TURN, is_over(1, (double)call) ? (double)call : TURN_CALLS * (double)call);
    const double calls = (2 * WINS - 1) * turn + (double)call;
    const double cost = (double)t->way[way].creation + fmax(0.0, longer) * calls;
    if (share * (double)t->spent < cost) return;
    t->rival = way;
    t->before = t->present;
    t->won = t->lost = 0;
    start_turn(t, t->before, 0);
}

/* Goes on with the faster way. If the other one was predicted to be slower, too, it is out. */
static void decide(scalay_trials *t)
{
    const int is_faster = t->won == WINS;
    const scalay_way winner = is_faster ? t->rival : t->before, loser = is_faster ? t->before : t->rival;
    t->way[loser].losses = t->way[loser].predicted >= t->way[winner].predicted ? LOSSES : t->way[loser].losses + 1;
    scalay_trials_start(t, winner);
}

/* Counts a turn of both ways. */
static void count_turn(scalay_trials *t)
{
    if (clearly_faster * (double)t->way[t->rival].shortest < (double)t->way[t->before].shortest)
        t->won++;
    else
        t->lost++;
    if (t->won == WINS || t->lost == WINS)
        decide(t);
    else
        start_turn(t, t->before, 0);
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
    if (t->calls++ < 0) return;
    int64_t *shortest = &t->way[t->present].shortest;
    *shortest = scalay_min_int64(*shortest, nanoseconds);
    t->nanoseconds += nanoseconds;
    if (!is_over(t->calls, (double)t->nanoseconds)) return;
    if (t->present == t->rival)
        count_turn(t);
    else
        start_turn(t, t->rival, t->won + t->lost == 0 ? -1 : 0);
}
