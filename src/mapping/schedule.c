/*
 * One-port schedules with global rounds, their check, and the functions of the public header.
 *
 * In each round every process that could not catch up later must be busy (message_graph.h). A round lasts until the
 * first of its messages is sent, or until an idle process would fall behind. Each round uses the largest threshold for
 * which there is a matching, so that rounds are long. A sliced schedule ends with the rest of each message, sent whole:
 * the same with messages of one element.
 *
 * Source: Koenig's theorem: a bipartite multigraph of maximum degree d is the union of d matchings.
 *
 * Time: O(nodes) and the searches for one round. Memory: O(messages of the schedule).
 */
#include "mapping/schedule.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "mapping/traffic.h"

void scalay_schedule_destroy(scalay_schedule **schedule)
{
    if (schedule == NULL || *schedule == NULL) return;
    scalay_release((*schedule)->duration);
    scalay_release((*schedule)->start);
    scalay_release((*schedule)->messages);
    scalay_release(*schedule);
    *schedule = NULL;
}

/* ------------------------------------------------------------------------------------------------- rounds */

/* The maximum duration of a round: no matched message ends earlier, and no idle node falls behind. */
static int64_t round_duration(const scalay_message_graph *graph)
{
    int64_t duration = graph->remaining;
    for (int side = 0; side < 2; side++) {
        const scalay_port *port = &graph->port[side];
        for (int x = 0; x < port->nodes; x++) {
            if (port->matched[x] < 0)
                duration = scalay_min_int64(duration, graph->remaining - port->load[x]);
            else if (side == 0)
                duration = scalay_min_int64(duration, graph->message[port->matched[x]].left);
        }
    }
    return duration;
}

/* Appends a round that sends `duration` elements of every matched message. */
static scalay_status append_round(scalay_message_graph *graph, const int *process, int64_t duration,
                                  scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = schedule->start[schedule->rounds], longest = 0;
    SCALAY_TRY(SCALAY_GROW(schedule->duration, schedule->duration_capacity, schedule->rounds + 1));
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, schedule->rounds + 2));
    SCALAY_TRY(SCALAY_GROW(schedule->messages, schedule->messages_capacity, filled + graph->port[0].nodes));
    for (int i = 0; i < graph->port[0].nodes; i++) {
        const int message = graph->port[0].matched[i];
        if (message < 0) continue;
        const int64_t elements = graph->rest != NULL ? graph->rest[message] : duration;
        schedule->messages[filled++] = (scalay_message){i, process[graph->message[message].node[1]], elements};
        longest = scalay_max_int64(longest, elements);
        scalay_message_graph_send(graph, message, duration);
    }
    schedule->duration[schedule->rounds++] = longest;
    schedule->start[schedule->rounds] = filled;
    schedule->length += longest;
    graph->remaining -= duration;
cleanup:
    return status;
}

int64_t scalay_schedule_time(const scalay_schedule *schedule, int64_t startup)
{
    int64_t time = 0;
    if (!scalay_multiply_int64(schedule->rounds, startup, &time) || !scalay_add_int64(time, schedule->length, &time))
        return INT64_MAX;
    return time;
}

/* Whether the schedule takes at least the limit, with at least one more round for messages that are cut, and with the
 * minimum of rounds and lengths for messages that are not. */
static int exceeds(const scalay_message_graph *graph, const scalay_time_limit *limit, const scalay_schedule *schedule)
{
    scalay_schedule least = {.rounds = schedule->rounds + 1};
    int64_t length = graph->remaining;
    if (limit->time == INT64_MAX) return 0;
    if (graph->rest != NULL) {
        least.rounds = schedule->rounds + graph->remaining;
        length = graph->ahead[graph->remaining];
    }
    if (!scalay_add_int64(schedule->length, length, &least.length)) return 1;
    return scalay_schedule_time(&least, limit->startup) >= limit->time;
}

scalay_status scalay_schedule_append_rounds(scalay_message_graph *graph, const int *process,
                                            const scalay_time_limit *limit, scalay_rounds_end *end,
                                            scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    *end = SCALAY_ROUNDS_DONE;
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, schedule->rounds + 1));
    if (schedule->rounds == 0) schedule->start[0] = 0;
    while (graph->remaining > 0) {
        if (exceeds(graph, limit, schedule))
            *end = SCALAY_ROUNDS_LATE;
        else if (!scalay_message_graph_match(graph))
            *end = SCALAY_ROUNDS_STUCK;
        if (*end != SCALAY_ROUNDS_DONE) return status;
        const int64_t duration = round_duration(graph);
        if (duration < 1)
            return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "internal error: a round has no length; please report this");
        SCALAY_TRY(append_round(graph, process, duration, schedule));
    }
    status = scalay_message_graph_check_complete(graph);
cleanup:
    return status;
}

static scalay_status check_not_stuck(scalay_rounds_end end)
{
    if (end != SCALAY_ROUNDS_STUCK) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_schedule_create",
                       "internal error: no matching covers the busiest processes; please report this");
}

scalay_status scalay_schedule_append_whole(const scalay_message_graph *graph, const int64_t *left, const int *process,
                                           const scalay_time_limit *limit, scalay_rounds_end *end,
                                           scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_graph whole = {0};
    SCALAY_TRY(scalay_message_graph_create_whole(graph, left, &whole));
    SCALAY_TRY(scalay_schedule_append_rounds(&whole, process, limit, end, schedule));
    SCALAY_TRY(check_not_stuck(*end));
cleanup:
    scalay_message_graph_free(&whole);
    return status;
}

static scalay_status append_rest(const scalay_message_graph *graph, const int *process, scalay_schedule *schedule)
{
    static const scalay_time_limit none = {.time = INT64_MAX};
    scalay_status status = SCALAY_SUCCESS;
    scalay_rounds_end end = SCALAY_ROUNDS_DONE;
    int64_t *left = NULL;
    SCALAY_TRY(SCALAY_NEW(left, graph->messages));
    scalay_message_graph_copy_left(graph, left);
    SCALAY_TRY(scalay_schedule_append_whole(graph, left, process, &none, &end, schedule));
cleanup:
    scalay_release(left);
    return status;
}

/* Slices of at least `slice` elements, then the rest of each message. */
static scalay_status create_sliced(const scalay_traffic *traffic, const int *process, int64_t slice,
                                   scalay_schedule **schedule)
{
    static const scalay_time_limit none = {.time = INT64_MAX};
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_graph graph = {0};
    scalay_schedule *new_schedule = NULL;
    scalay_rounds_end end = SCALAY_ROUNDS_DONE;
    SCALAY_TRY(SCALAY_NEW(new_schedule, 1));
    SCALAY_TRY(scalay_message_graph_create(traffic, process, 0, &graph));
    graph.floor = graph.stop = slice;
    SCALAY_TRY(scalay_schedule_append_rounds(&graph, process, &none, &end, new_schedule));
    if (end == SCALAY_ROUNDS_STUCK && slice > 1)
        SCALAY_TRY(append_rest(&graph, process, new_schedule));
    else
        SCALAY_TRY(check_not_stuck(end));
    *schedule = new_schedule;
    new_schedule = NULL;
cleanup:
    scalay_message_graph_free(&graph);
    scalay_schedule_destroy(&new_schedule);
    return status;
}

/* ----------------------------------------------------------------------------------------- public functions */

void scalay_schedule_options_init(scalay_schedule_options *options, size_t size)
{
    const scalay_schedule_options defaults = {.size = sizeof defaults, .slice = 1, .startup = -1};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static const char create_name[] = "scalay_schedule_create";

static scalay_status read_options(const scalay_schedule_options *given, scalay_schedule_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    *options = scalay_schedule_options_default();
    SCALAY_TRY(scalay_option_struct_read(given, options, sizeof *options, create_name));
    if (options->slice < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "options->slice is %lld; it must be at least 1",
                           (long long)options->slice);
    if (options->startup < -1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->startup is %lld; it must be at least 0, or -1 for none",
                           (long long)options->startup);
    if (options->preemptive + (options->slice != 1) + (options->startup != -1) > 1 && options->startup != 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options have more than one of preemptive, slice (%lld) and startup (%lld); set one",
                           (long long)options->slice, (long long)options->startup);
cleanup:
    return status;
}

scalay_status scalay_schedule_create(const scalay_traffic *traffic, const int *process,
                                     const scalay_schedule_options *options, scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule_options read;
    SCALAY_TRY(scalay_check_not_null(schedule, create_name, "schedule"));
    *schedule = NULL;
    SCALAY_TRY(scalay_check_not_null(traffic, create_name, "traffic"));
    SCALAY_TRY(read_options(options, &read));
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, create_name));
    if (read.preemptive) return scalay_schedule_create_preemptive(traffic, process, schedule);
    if (read.startup > 0) return scalay_schedule_create_timed(traffic, process, read.startup, schedule);
    status = create_sliced(traffic, process, read.slice, schedule);
cleanup:
    return status;
}

scalay_status scalay_schedule_get_summary(const scalay_schedule *schedule, scalay_schedule_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(schedule, __func__, "schedule"));
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    *summary = (scalay_schedule_summary){schedule->rounds, schedule->start[schedule->rounds], schedule->length};
cleanup:
    return status;
}

scalay_status scalay_schedule_round(const scalay_schedule *schedule, int64_t round, int64_t *length, int64_t *count,
                                    const scalay_message **messages)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(schedule, __func__, "schedule"));
    SCALAY_TRY(scalay_check_not_null(length, __func__, "length"));
    SCALAY_TRY(scalay_check_not_null(count, __func__, "count"));
    SCALAY_TRY(scalay_check_not_null(messages, __func__, "messages"));
    if (round < 0 || round >= schedule->rounds)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "round is %lld; it must be in [0, %lld)", (long long)round,
                           (long long)schedule->rounds);
    *length = schedule->duration[round];
    *count = schedule->start[round + 1] - schedule->start[round];
    *messages = schedule->messages + schedule->start[round];
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- check */

typedef struct {
    int process;
    int part;
} assigned_part;

typedef struct {
    const scalay_traffic *traffic;
    assigned_part *parts; /* shape [parts]: by process */
    int64_t *left;        /* shape [nonzeros]: elements not yet sent */
    int64_t *busy[2];     /* shape [processes], [parts]: end of the last message that each sends or receives */
} ledger;

static int compare_parts(const void *a, const void *b)
{
    return scalay_compare_int64(((const assigned_part *)a)->process, ((const assigned_part *)b)->process);
}

static scalay_status ledger_create(const scalay_traffic *traffic, const int *process, ledger *book)
{
    scalay_status status = SCALAY_SUCCESS;
    book->traffic = traffic;
    SCALAY_TRY(SCALAY_NEW(book->parts, traffic->parts));
    SCALAY_TRY(SCALAY_NEW(book->left, traffic->start[traffic->processes]));
    SCALAY_TRY(SCALAY_NEW(book->busy[0], traffic->processes));
    SCALAY_TRY(SCALAY_NEW(book->busy[1], traffic->parts));
    for (int j = 0; j < traffic->parts; j++) book->parts[j] = (assigned_part){process[j], j};
    qsort(book->parts, (size_t)traffic->parts, sizeof *book->parts, compare_parts);
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++)
            book->left[e] = process[traffic->part[e]] != i ? traffic->count[e] : 0;
cleanup:
    return status;
}

static void ledger_free(ledger *book)
{
    scalay_release(book->parts);
    scalay_release(book->left);
    for (int side = 0; side < 2; side++) scalay_release(book->busy[side]);
}

#define DENY(...) scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_schedule_check", __VA_ARGS__)

/* Applies a message that begins at a time, in a schedule that ends at another. */
static scalay_status apply_message(ledger *book, const scalay_message *message, int64_t time, int64_t end)
{
    const int from = message->from, to = message->to;
    const assigned_part wanted = {to, -1};
    const assigned_part *found =
        bsearch(&wanted, book->parts, (size_t)book->traffic->parts, sizeof wanted, compare_parts);
    const int64_t entry = found != NULL ? scalay_traffic_find(book->traffic, from, found->part) : -1;
    const int64_t left = entry >= 0 ? book->left[entry] : 0;
    if (entry < 0 || message->elements < 1 || message->elements > left)
        return DENY("process %d sends %lld elements to process %d, which needs %lld", from,
                    (long long)message->elements, to, (long long)left);
    if (book->busy[0][from] > time || book->busy[1][found->part] > time)
        return DENY("process %d sends to process %d while one of them is busy", from, to);
    if (message->elements > end - time)
        return DENY("process %d sends to process %d after the end of the schedule", from, to);
    book->left[entry] -= message->elements;
    book->busy[0][from] = book->busy[1][found->part] = time + message->elements;
    return SCALAY_SUCCESS;
}

static scalay_status apply_rounds(ledger *book, const scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t time = 0;
    for (int64_t round = 0; round < schedule->rounds; round++) {
        for (int64_t k = schedule->start[round]; k < schedule->start[round + 1]; k++)
            SCALAY_TRY(apply_message(book, &schedule->messages[k], time, schedule->length));
        if (schedule->duration[round] < 1 || schedule->duration[round] > schedule->length - time)
            return DENY("the length of round %lld is %lld", (long long)round, (long long)schedule->duration[round]);
        time += schedule->duration[round];
    }
    if (time != schedule->length)
        return DENY("the lengths of the rounds sum up to %lld, not %lld", (long long)time, (long long)schedule->length);
    for (int64_t e = 0; e < book->traffic->start[book->traffic->processes]; e++)
        if (book->left[e] > 0)
            return DENY("%lld elements of part %d are not sent", (long long)book->left[e], book->traffic->part[e]);
cleanup:
    return status;
}

scalay_status scalay_schedule_check(const scalay_traffic *traffic, const int *process, const scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    ledger book = {0};
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(scalay_check_not_null(schedule, __func__, "schedule"));
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    SCALAY_TRY(ledger_create(traffic, process, &book));
    SCALAY_TRY(apply_rounds(&book, schedule));
cleanup:
    ledger_free(&book);
    return status;
}
