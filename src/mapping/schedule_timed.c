/* The schedule that takes the least time: coarser slices save starts, finer ones save waiting.
 *
 * Schedules of slices begin alike, whatever the slice, until messages above the coarser one run out. So one schedule is
 * made down to the finest slice that may pay; where each slice ends, it is estimated how long sending what is left
 * whole would take. Only what promises most is finished then, and sending everything whole. What takes longer than the
 * best so far is given up on the way. */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

enum {
    SHARE = 4,   /* the finest slice is such a part of the startup */
    COARSER = 2, /* from one slice to the next */
    WAYS = 2,    /* thresholds fall by an eighth, by half */
    KEPT = 3     /* beginnings: nothing, and the two that promise most */
};

/* Whole messages take this many times as long together as any matching of them must, or so. */
static const double WAITING = 2.0;

/* What promises no less than this part of the best time is not tried. */
static const double NOTICEABLE = 0.99;

/* Of messages by their length: four to an octave. */
enum { CLASSES_PER_OCTAVE = 4, CLASSES = 64 * CLASSES_PER_OCTAVE };

/* A schedule that has only just begun. */
typedef struct {
    const scalay_schedule *made; /* its first steps are those of this one; NULL: there are none */
    int64_t steps;               /* so many */
    int64_t *left;               /* shape [messages]: what they do not send */
    double seconds;              /* that it will take, in items; 0: there is no such beginning */
} beginning;

typedef struct {
    const int *process;
    int64_t startup;
    int64_t finest, coarsest;   /* slice */
    scalay_message_graph graph; /* of the way at hand */
    scalay_schedule *made[WAYS];
    beginning kept[KEPT]; /* nothing; the best; the second */
    scalay_schedule *best;
} search;

/* ------------------------------------------------------------------------------------------- estimates */

static int class_of(int64_t items)
{
    const double value = (double)items;
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (int)((bits >> 50) - (UINT64_C(1023) << 2));
}

static double least_of_class(int class)
{
    double value = 1.0 + (class % CLASSES_PER_OCTAVE) / (double)CLASSES_PER_OCTAVE;
    for (int octave = class / CLASSES_PER_OCTAVE; octave > 0; octave--) value *= 2.0;
    return value;
}

/* The most messages of at least each class that a node has left. */
static void count_most(const scalay_message_graph *graph, int64_t most[CLASSES])
{
    memset(most, 0, sizeof(int64_t) * CLASSES);
    for (int s = 0; s < 2; s++)
        for (int x = 0; x < graph->port[s].nodes; x++) {
            int count[CLASSES] = {0}, first = CLASSES, last = 0;
            int64_t above = 0;
            for (int64_t k = graph->port[s].start[x]; k < graph->port[s].start[x + 1]; k++) {
                const int64_t left = graph->left[graph->port[s].message[k]];
                if (left == 0) continue;
                const int class = class_of(left);
                first = class < first ? class : first;
                last = class > last ? class : last;
                count[class]++;
            }
            for (int class = last; class >= first; class --) {
                above += count[class];
                most[class] = scalay_max_int64(most[class], above);
            }
            for (int class = 0; class < first && above > 0; class ++)
                most[class] = scalay_max_int64(most[class], above);
        }
}

/* The time of the steps so far and of all that is left, whole: as many steps as the busiest node has messages, and the
 * k-th longest of them no shorter than the k-th longest message of any node. In *least what any schedule takes that
 * begins like that. */
static double estimate(const search *this, const scalay_schedule *made, double *least)
{
    int64_t most[CLASSES];
    double longest = 0.0, below = 0.0;
    count_most(&this->graph, most);
    for (int class = 0; class < CLASSES && most[class] > 0; class ++) {
        longest += (double)most[class] * (least_of_class(class) - below);
        below = least_of_class(class);
    }
    const double starts = (double)(made->steps + most[0]) * (double)this->startup;
    *least = starts + (double)made->length + (double)this->graph.remaining;
    return starts + (double)made->length + WAITING * longest;
}

/* ------------------------------------------------------------------------------------------ beginnings */

static scalay_status keep(search *this, int at, const scalay_schedule *made, double seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    beginning *kept = &this->kept[at];
    const int64_t messages = this->graph.messages;
    if (kept->left == NULL) SCALAY_TRY(SCALAY_NEW(kept->left, messages));
    memcpy(kept->left, this->graph.left, sizeof(int64_t) * (size_t)messages);
    kept->made = made;
    kept->steps = made != NULL ? made->steps : 0;
    kept->seconds = seconds;
cleanup:
    return status;
}

/* A beginning takes the place of the worse of the two that are kept if it promises more. */
static scalay_status consider(search *this, const scalay_schedule *made, double seconds)
{
    if (this->kept[1].seconds == 0.0 || seconds < this->kept[1].seconds) {
        const beginning worse = this->kept[2];
        this->kept[2] = this->kept[1];
        this->kept[1] = worse;
        return keep(this, 1, made, seconds);
    }
    if (this->kept[2].seconds == 0.0 || seconds < this->kept[2].seconds) return keep(this, 2, made, seconds);
    return SCALAY_SUCCESS;
}

/* Whether nothing that begins like that can be better than what others promise. */
static int is_beaten(const search *this, double least)
{
    return least >= this->kept[0].seconds || (this->kept[1].seconds > 0.0 && least >= this->kept[1].seconds);
}

/* Goes down to the finest slice, or as far as it pays. */
static scalay_status descend(search *this, scalay_schedule *made)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_schedule_way way = {.limit = INT64_MAX};
    scalay_steps_end end = SCALAY_STEPS_STUCK;
    double least = 0.0;
    for (int64_t slice = this->coarsest; slice >= this->finest && end == SCALAY_STEPS_STUCK; slice /= COARSER) {
        this->graph.stop = slice;
        SCALAY_TRY(scalay_schedule_append_steps(&this->graph, this->process, &way, &end, made));
        SCALAY_TRY(consider(this, made, estimate(this, made, &least)));
        if (is_beaten(this, least)) break;
    }
cleanup:
    return status;
}

static scalay_status begin(search *this, const scalay_traffic *traffic, int halves)
{
    static const scalay_schedule nothing = {0};
    scalay_status status = SCALAY_SUCCESS;
    double least = 0.0;
    scalay_message_graph_free(&this->graph);
    SCALAY_TRY(SCALAY_NEW(this->made[halves], 1));
    SCALAY_TRY(scalay_message_graph_create(traffic, this->process, &this->graph));
    SCALAY_TRY(keep(this, 0, NULL, estimate(this, &nothing, &least)));
    scalay_message_graph_set_descent(&this->graph, halves, this->finest);
    SCALAY_TRY(descend(this, this->made[halves]));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- ends */

static scalay_status copy_steps(const scalay_schedule *made, int64_t steps, scalay_schedule *copy)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t messages = made->start[steps];
    SCALAY_TRY(SCALAY_GROW(copy->duration, copy->duration_capacity, steps));
    SCALAY_TRY(SCALAY_GROW(copy->start, copy->start_capacity, steps + 1));
    SCALAY_TRY(SCALAY_GROW(copy->messages, copy->messages_capacity, messages));
    memcpy(copy->duration, made->duration, sizeof *copy->duration * (size_t)steps);
    memcpy(copy->start, made->start, sizeof *copy->start * (size_t)(steps + 1));
    memcpy(copy->messages, made->messages, sizeof *copy->messages * (size_t)messages);
    copy->steps = steps;
    for (int64_t k = 0; k < steps; k++) copy->length += copy->duration[k];
cleanup:
    return status;
}

/* Sends the rest whole; what comes of it is the best so far, or given up. */
static scalay_status finish(search *this, const beginning *from)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *made = NULL;
    scalay_steps_end end = SCALAY_STEPS_DONE;
    scalay_schedule_way way = {.startup = this->startup, .limit = INT64_MAX};
    if (this->best != NULL) way.limit = scalay_schedule_time(this->best, this->startup);
    SCALAY_TRY(SCALAY_NEW(made, 1));
    if (from->steps > 0) SCALAY_TRY(copy_steps(from->made, from->steps, made));
    SCALAY_TRY(scalay_schedule_append_whole(&this->graph, from->left, this->process, &way, &end, made));
    if (end == SCALAY_STEPS_DONE && (this->best == NULL || scalay_schedule_time(made, this->startup) < way.limit)) {
        scalay_schedule_destroy(&this->best);
        this->best = made;
        made = NULL;
    }
cleanup:
    scalay_schedule_destroy(&made);
    return status;
}

/* Whether a beginning promises noticeably less time than the best takes. */
static int is_worth_it(const search *this, const beginning *from)
{
    if (from->seconds == 0.0) return 0;
    return this->best == NULL || from->seconds < NOTICEABLE * (double)scalay_schedule_time(this->best, this->startup);
}

/* The most promising first. */
static scalay_status finish_all(search *this)
{
    scalay_status status = SCALAY_SUCCESS;
    const int uncut_first = this->kept[1].seconds == 0.0 || this->kept[0].seconds <= this->kept[1].seconds;
    if (uncut_first) SCALAY_TRY(finish(this, &this->kept[0]));
    for (int k = 1; k < KEPT; k++)
        if (is_worth_it(this, &this->kept[k])) SCALAY_TRY(finish(this, &this->kept[k]));
    if (!uncut_first) SCALAY_TRY(finish(this, &this->kept[0]));
cleanup:
    return status;
}

static void release(search *this)
{
    scalay_message_graph_free(&this->graph);
    for (int k = 0; k < KEPT; k++) scalay_release(this->kept[k].left);
    for (int way = 0; way < WAYS; way++) scalay_schedule_destroy(&this->made[way]);
    scalay_schedule_destroy(&this->best);
}

static int64_t largest_message(const scalay_traffic *traffic)
{
    int64_t most = 0;
    for (int64_t e = 0; e < traffic->start[traffic->processes]; e++) most = scalay_max_int64(most, traffic->count[e]);
    return most;
}

scalay_status scalay_schedule_create_timed(const scalay_traffic *traffic, const int *process, int64_t startup,
                                           scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    search this = {.process = process, .startup = startup};
    if (schedule == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "schedule is NULL; pass where to put it");
    *schedule = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    if (startup < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "startup = %lld; pass at least 0 items", (long long)startup);
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    if (startup == 0) return scalay_schedule_create(traffic, process, schedule);
    this.coarsest = largest_message(traffic) / COARSER;
    this.finest = scalay_max_int64(1, startup / SHARE);
    SCALAY_TRY(begin(&this, traffic, 0));
    if (scalay_schedule_has_ways(traffic)) SCALAY_TRY(begin(&this, traffic, 1));
    SCALAY_TRY(finish_all(&this));
    *schedule = this.best;
    this.best = NULL;
cleanup:
    release(&this);
    return status;
}
