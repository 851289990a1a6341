/* Checks a schedule by what it says, whoever made it. */
#include <stdlib.h>

#include "base/memory.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

typedef struct {
    int process;
    int part;
} place;

typedef struct {
    const scalay_traffic *traffic;
    place *places;    /* shape [parts]: who takes which part, by process */
    int64_t *left;    /* shape [nonzeros]: items not yet sent */
    int64_t *busy[2]; /* shape [processes], [parts]: until when each sends, or is received */
} ledger;

static int compare_places(const void *a, const void *b)
{
    const place *left = a, *right = b;
    return (left->process > right->process) - (left->process < right->process);
}

static scalay_status ledger_open(const scalay_traffic *traffic, const int *process, ledger *book)
{
    scalay_status status = SCALAY_SUCCESS;
    book->traffic = traffic;
    SCALAY_TRY(SCALAY_NEW(book->places, traffic->parts));
    SCALAY_TRY(SCALAY_NEW(book->left, traffic->start[traffic->processes]));
    SCALAY_TRY(SCALAY_NEW(book->busy[0], traffic->processes));
    SCALAY_TRY(SCALAY_NEW(book->busy[1], traffic->parts));
    for (int j = 0; j < traffic->parts; j++) book->places[j] = (place){process[j], j};
    qsort(book->places, (size_t)traffic->parts, sizeof *book->places, compare_places);
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++)
            book->left[e] = process[traffic->part[e]] != i ? traffic->count[e] : 0;
cleanup:
    return status;
}

static void ledger_free(ledger *book)
{
    scalay_release(book->places);
    scalay_release(book->left);
    for (int side = 0; side < 2; side++) scalay_release(book->busy[side]);
}

#define REFUSE(...) scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_schedule_check", __VA_ARGS__)

/* A message that begins at a time, of a schedule that ends at another. */
static scalay_status send(ledger *book, const scalay_message *message, int64_t time, int64_t end)
{
    const int from = message->from, to = message->to;
    const place wanted = {to, -1};
    const place *taker = bsearch(&wanted, book->places, (size_t)book->traffic->parts, sizeof wanted, compare_places);
    const int64_t entry = taker != NULL ? scalay_traffic_find(book->traffic, from, taker->part) : -1;
    if (entry < 0 || message->items < 1 || message->items > book->left[entry])
        return REFUSE("process %d sends process %d %lld items, of which that needs %lld more", from, to,
                      (long long)message->items, (long long)(entry >= 0 ? book->left[entry] : 0));
    if (book->busy[0][from] > time || book->busy[1][taker->part] > time)
        return REFUSE("process %d sends to process %d while one of them is busy", from, to);
    if (message->items > end - time) return REFUSE("process %d sends to process %d beyond the end", from, to);
    book->left[entry] -= message->items;
    book->busy[0][from] = book->busy[1][taker->part] = time + message->items;
    return SCALAY_SUCCESS;
}

static scalay_status follow(ledger *book, const scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t time = 0;
    for (int64_t step = 0; step < schedule->steps; step++) {
        for (int64_t k = schedule->start[step]; k < schedule->start[step + 1]; k++)
            SCALAY_TRY(send(book, &schedule->messages[k], time, schedule->length));
        if (schedule->duration[step] < 1 || schedule->duration[step] > schedule->length - time)
            return REFUSE("step %lld is %lld items long", (long long)step, (long long)schedule->duration[step]);
        time += schedule->duration[step];
    }
    if (time != schedule->length)
        return REFUSE("its steps are %lld items long together, not %lld", (long long)time, (long long)schedule->length);
    for (int64_t e = 0; e < book->traffic->start[book->traffic->processes]; e++)
        if (book->left[e] > 0)
            return REFUSE("%lld items of part %d are not sent", (long long)book->left[e], book->traffic->part[e]);
cleanup:
    return status;
}

scalay_status scalay_schedule_check(const scalay_traffic *traffic, const int *process, const scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    ledger book = {0};
    if (traffic == NULL || schedule == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic or schedule is NULL; create both first");
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    SCALAY_TRY(ledger_open(traffic, process, &book));
    SCALAY_TRY(follow(&book, schedule));
cleanup:
    ledger_free(&book);
    return status;
}
