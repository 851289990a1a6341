/*
 * Schedules of little time for a given startup time of a round: larger slices save rounds, smaller ones save idle time.
 *
 * Schedules of all slices begin alike, until messages above the larger slice run out. Therefore one schedule is created
 * down to the smallest slice that may pay. At the end of each slice, the time of the rest, sent whole, is estimated.
 * The two beginnings with the least estimates are completed, and the schedule without cuts. A schedule that takes
 * longer than the best one so far is given up.
 *
 * Time: about that of one exact schedule and three whole ones. Memory: O(messages of the schedules).
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

enum {
    FINEST = 4,    /* the smallest slice is this fraction of the startup time */
    COARSER = 2,   /* ratio of successive slices; the largest is this fraction of the largest message */
    BEGINNINGS = 3 /* the empty one, and the two of least estimate */
};

/* Ratio of the length of whole messages to its lower bound, as measured on grids and random traffic. */
static const double WHOLE_LENGTH = 2.0;

/* A beginning is completed only if its estimate is less than this fraction of the best time. */
static const double NOTICEABLE = 0.99;

/* Classes of messages by length, four per octave, for estimates. */
enum { CLASSES_PER_OCTAVE = 4, CLASSES = 64 * CLASSES_PER_OCTAVE };

/* The first rounds of a schedule. */
typedef struct {
    int64_t rounds;
    int64_t *left;   /* shape [messages]: elements not sent by these rounds */
    double estimate; /* time of the completed schedule, in elements; 0: there is no such beginning */
} beginning;

typedef struct {
    const int *process;
    int64_t startup;
    scalay_message_graph graph;
    scalay_schedule *descent; /* the schedule with all slices; beginnings are its first rounds */
    beginning kept[BEGINNINGS];
    scalay_schedule *best;
} timed_search;

/* --------------------------------------------------------------------------------------------- estimates */

static int class_of(int64_t elements)
{
    const double value = (double)elements;
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits); /* exponent and the first two bits of the fraction */
    return (int)((bits >> 50) - (UINT64_C(1023) << 2));
}

static double least_of_class(int class)
{
    double value = 1.0 + (class % CLASSES_PER_OCTAVE) / (double)CLASSES_PER_OCTAVE;
    for (int octave = class / CLASSES_PER_OCTAVE; octave > 0; octave--) value *= 2.0;
    return value;
}

/* Raises the maxima by the number of messages of at least each class that a node has left. */
static void count_node(const scalay_message_graph *graph, int side, const scalay_port_node *node,
                       int64_t max_count[CLASSES])
{
    int count[CLASSES] = {0}, first = CLASSES, last = 0;
    int64_t above = 0;
    for (int k = node->first; k < node->limit; k++) {
        const int64_t left = scalay_message_graph_message(graph, side, k)->left;
        if (left == 0) continue;
        const int class = class_of(left);
        first = class < first ? class : first;
        last = class > last ? class : last;
        count[class]++;
    }
    for (int class = last; class >= first; class --) {
        above += count[class];
        max_count[class] = scalay_max_int64(max_count[class], above);
    }
    for (int class = 0; class < first && above > 0; class ++)
        max_count[class] = scalay_max_int64(max_count[class], above);
}

/* The time of the rounds so far and of the rest, sent whole: as many rounds as the busiest node has messages, the k-th
 * longest of them no shorter than the k-th longest message of any node. *least: a lower bound for all schedules that
 * begin like this. */
static double estimate(const timed_search *search, const scalay_schedule *schedule, double *least)
{
    int64_t max_count[CLASSES] = {0};
    double length = 0.0, below = 0.0;
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < search->graph.port[side].nodes; x++)
            count_node(&search->graph, side, &search->graph.port[side].node[x], max_count);
    for (int class = 0; class < CLASSES && max_count[class] > 0; class ++) {
        length += (double)max_count[class] * (least_of_class(class) - below);
        below = least_of_class(class);
    }
    const double startups = (double)(schedule->rounds + max_count[0]) * (double)search->startup;
    *least = startups + (double)schedule->length + (double)search->graph.remaining;
    return startups + (double)schedule->length + WHOLE_LENGTH * length;
}

/* -------------------------------------------------------------------------------------------- beginnings */

static scalay_status keep(timed_search *search, int at, const scalay_schedule *schedule, double time)
{
    scalay_status status = SCALAY_SUCCESS;
    beginning *kept = &search->kept[at];
    if (kept->left == NULL) SCALAY_TRY(SCALAY_NEW(kept->left, search->graph.messages));
    scalay_message_graph_copy_left(&search->graph, kept->left);
    kept->rounds = schedule->rounds;
    kept->estimate = time;
cleanup:
    return status;
}

/* Keeps the two beginnings of least estimate. */
static scalay_status consider(timed_search *search, const scalay_schedule *schedule, double time)
{
    beginning *kept = search->kept;
    if (kept[1].estimate == 0.0 || time < kept[1].estimate) {
        const beginning worse = kept[2];
        kept[2] = kept[1];
        kept[1] = worse;
        return keep(search, 1, schedule, time);
    }
    if (kept[2].estimate == 0.0 || time < kept[2].estimate) return keep(search, 2, schedule, time);
    return SCALAY_SUCCESS;
}

/* Whether no schedule that begins like this can take less time than the estimates of others. */
static int is_beaten(const timed_search *search, double least)
{
    return least >= search->kept[0].estimate || (search->kept[1].estimate > 0.0 && least >= search->kept[1].estimate);
}

/* Goes down to the smallest slice, or as far as it pays. */
static scalay_status descend(timed_search *search, int64_t largest_message)
{
    static const scalay_time_limit none = {.time = INT64_MAX};
    scalay_status status = SCALAY_SUCCESS;
    scalay_rounds_end end = SCALAY_ROUNDS_STUCK;
    const int64_t finest = scalay_max_int64(1, search->startup / FINEST);
    double least = 0.0;
    search->graph.floor = finest;
    for (int64_t slice = largest_message / COARSER; slice >= finest && end == SCALAY_ROUNDS_STUCK; slice /= COARSER) {
        search->graph.stop = slice;
        SCALAY_TRY(scalay_schedule_append_rounds(&search->graph, search->process, &none, &end, search->descent));
        SCALAY_TRY(consider(search, search->descent, estimate(search, search->descent, &least)));
        if (is_beaten(search, least)) break;
    }
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- completion */

static scalay_status copy_rounds(const scalay_schedule *schedule, int64_t rounds, scalay_schedule *copy)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t messages = schedule->start[rounds];
    SCALAY_TRY(SCALAY_GROW(copy->duration, copy->duration_capacity, rounds));
    SCALAY_TRY(SCALAY_GROW(copy->start, copy->start_capacity, rounds + 1));
    SCALAY_TRY(SCALAY_GROW(copy->messages, copy->messages_capacity, messages));
    memcpy(copy->duration, schedule->duration, sizeof *copy->duration * (size_t)rounds);
    memcpy(copy->start, schedule->start, sizeof *copy->start * (size_t)(rounds + 1));
    memcpy(copy->messages, schedule->messages, sizeof *copy->messages * (size_t)messages);
    copy->rounds = rounds;
    for (int64_t k = 0; k < rounds; k++) copy->length += copy->duration[k];
cleanup:
    return status;
}

/* Sends the rest whole. The result becomes the best schedule, or is given up. */
static scalay_status complete(timed_search *search, const beginning *from)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *new_schedule = NULL;
    scalay_rounds_end end = SCALAY_ROUNDS_DONE;
    scalay_time_limit limit = {search->startup, INT64_MAX};
    if (search->best != NULL) limit.time = scalay_schedule_time(search->best, search->startup);
    SCALAY_TRY(SCALAY_NEW(new_schedule, 1));
    if (from->rounds > 0) SCALAY_TRY(copy_rounds(search->descent, from->rounds, new_schedule));
    SCALAY_TRY(scalay_schedule_append_whole(&search->graph, from->left, search->process, &limit, &end, new_schedule));
    if (end == SCALAY_ROUNDS_DONE &&
        (search->best == NULL || scalay_schedule_time(new_schedule, search->startup) < limit.time)) {
        scalay_schedule_destroy(&search->best);
        search->best = new_schedule;
        new_schedule = NULL;
    }
cleanup:
    scalay_schedule_destroy(&new_schedule);
    return status;
}

static int is_promising(const timed_search *search, const beginning *from)
{
    if (from->estimate == 0.0) return 0;
    return search->best == NULL ||
           from->estimate < NOTICEABLE * (double)scalay_schedule_time(search->best, search->startup);
}

/* In ascending order of estimates. The schedule without cuts is always completed. */
static scalay_status complete_all(timed_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    const beginning *kept = search->kept;
    const int uncut_first = kept[1].estimate == 0.0 || kept[0].estimate <= kept[1].estimate;
    if (uncut_first) SCALAY_TRY(complete(search, &kept[0]));
    for (int k = 1; k < BEGINNINGS; k++)
        if (is_promising(search, &kept[k])) SCALAY_TRY(complete(search, &kept[k]));
    if (!uncut_first) SCALAY_TRY(complete(search, &kept[0]));
cleanup:
    return status;
}

static int64_t largest_message(const scalay_traffic *traffic)
{
    int64_t max = 0;
    for (int64_t e = 0; e < traffic->start[traffic->processes]; e++) max = scalay_max_int64(max, traffic->count[e]);
    return max;
}

scalay_status scalay_schedule_create_timed(const scalay_traffic *traffic, const int *process, int64_t startup,
                                           scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    timed_search search = {.process = process, .startup = startup};
    double least = 0.0;
    SCALAY_TRY(SCALAY_NEW(search.descent, 1));
    SCALAY_TRY(scalay_message_graph_create(traffic, process, 0, &search.graph));
    SCALAY_TRY(keep(&search, 0, search.descent, estimate(&search, search.descent, &least)));
    SCALAY_TRY(descend(&search, largest_message(traffic)));
    SCALAY_TRY(complete_all(&search));
    *schedule = search.best;
    search.best = NULL;
cleanup:
    scalay_message_graph_free(&search.graph);
    for (int k = 0; k < BEGINNINGS; k++) scalay_release(search.kept[k].left);
    scalay_schedule_destroy(&search.descent);
    scalay_schedule_destroy(&search.best);
    return status;
}
