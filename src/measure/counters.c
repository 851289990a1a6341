#include "measure/counters.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/threads.h"

#define USUAL "PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_DP_OPS,PAPI_L3_TCM"
enum { MISSING = 1024 };

struct scalay_counters {
    const scalay_event_library *library;
    void *set;           /* of the thread that made it, and those it starts */
    scalay_event *event; /* shape [capacity], of which count are there */
    int64_t capacity;
    int count;
    int running;
    int is_alone; /* other threads are not counted */
    void **other; /* shape [others]: sets of the other threads of the process, while they are counted */
    int others;
    int threads; /* that were counted at the last start */
    char missing[MISSING];
    int64_t lasting; /* characters of it that hold for every start */
};

static scalay_status add_event(scalay_counters *counters, const char *name, scalay_text *missing)
{
    scalay_status status = SCALAY_GROW(counters->event, counters->capacity, counters->count + 1);
    if (status != SCALAY_SUCCESS) return status;
    if (counters->library->add(counters->set, name, &counters->event[counters->count]) == SCALAY_SUCCESS)
        counters->count++;
    else
        scalay_text_append(missing, "%s%s: %s", missing->length > 0 ? "; " : "", name, scalay_error_message());
    return SCALAY_SUCCESS;
}

static scalay_status add_events(scalay_counters *counters, const char *events)
{
    scalay_text missing = {counters->missing, sizeof counters->missing, 0};
    for (const char *at = events;; at++) {
        char name[SCALAY_EVENT_NAME];
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_counters_create",
                               "an event's name has %zu characters; events are names separated by commas", length);
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        const scalay_status status = add_event(counters, name, &missing);
        if (status != SCALAY_SUCCESS) return status;
        at += length;
        if (*at == '\0') return SCALAY_SUCCESS;
    }
}

/* Those that the calling one will start; when that is refused, others are, too. */
static void include_threads(scalay_counters *counters)
{
    scalay_text missing = {counters->missing, sizeof counters->missing, (int64_t)strlen(counters->missing)};
    counters->is_alone = counters->count > 0 && counters->library->follow(counters->set, 0) != SCALAY_SUCCESS;
    if (counters->is_alone)
        scalay_text_append(&missing, "%sthreads other than the one that starts the counters: %s",
                           missing.length > 0 ? "; " : "", scalay_error_message());
    counters->lasting = (int64_t)strlen(counters->missing);
}

scalay_status scalay_counters_open(const scalay_event_library *library, const char *events, scalay_counters **counters)
{
    scalay_counters *made = NULL;
    scalay_status status = SCALAY_NEW(made, 1);
    if (status != SCALAY_SUCCESS) return status;
    made->library = library;
    status = library->create(&made->set);
    if (status == SCALAY_SUCCESS) status = add_events(made, events != NULL ? events : USUAL);
    if (status == SCALAY_SUCCESS)
        include_threads(made);
    else
        scalay_counters_destroy(&made);
    *counters = made;
    return status;
}

scalay_status scalay_counters_create(const char *events, scalay_counters **counters)
{
    if (counters == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "counters is NULL");
    *counters = NULL;
    return scalay_counters_open(&scalay_papi, events, counters);
}

int scalay_counters_count(const scalay_counters *counters)
{
    return counters != NULL ? counters->count : 0;
}

const char *scalay_counters_name(const scalay_counters *counters, int k)
{
    return k >= 0 && k < scalay_counters_count(counters) ? counters->event[k].name : NULL;
}

const char *scalay_counters_unavailable(const scalay_counters *counters)
{
    return counters != NULL ? counters->missing : "";
}

int scalay_counters_threads(const scalay_counters *counters)
{
    return counters != NULL ? counters->threads : 0;
}

/* ------------------------------------------------------------------------------------------------- other threads */

static void close_others(scalay_counters *counters)
{
    for (int t = 0; t < counters->others; t++) counters->library->destroy(&counters->other[t]);
    scalay_release(counters->other);
    counters->other = NULL;
    counters->others = 0;
}

/* Threads that were refused and are there all the same: those that are over meanwhile have no events. The message is
 * still that of the last refusal. */
static void name_refused(scalay_counters *counters, const int64_t *thread, int64_t refused)
{
    scalay_text missing = {counters->missing, sizeof counters->missing, counters->lasting};
    int64_t there = 0;
    counters->missing[counters->lasting] = '\0';
    for (int64_t t = 0; t < refused; t++) there += scalay_thread_is_there(thread[t]);
    if (there > 0)
        scalay_text_append(&missing, "%s%lld thread%s: %s", missing.length > 0 ? "; " : "", (long long)there,
                           there > 1 ? "s" : "", scalay_error_message());
}

static scalay_status start_thread(scalay_counters *counters, int64_t thread, int64_t *refused)
{
    const scalay_event_library *library = counters->library;
    scalay_event event;
    void *set = NULL;
    scalay_status status = library->create(&set);
    if (status == SCALAY_ERROR_MEMORY) return status;
    for (int k = 0; status == SCALAY_SUCCESS && k < counters->count; k++)
        status = library->add(set, counters->event[k].name, &event);
    if (status == SCALAY_SUCCESS) status = library->follow(set, thread);
    if (status == SCALAY_SUCCESS) status = library->start(set);
    if (status == SCALAY_SUCCESS)
        counters->other[counters->others++] = set;
    else
        ++*refused;
    if (status != SCALAY_SUCCESS && set != NULL) library->destroy(&set);
    return SCALAY_SUCCESS;
}

/* Threads that are there already, such as those of OpenMP and BLAS; what they start will be counted with them. */
static scalay_status start_others(scalay_counters *counters)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_thread_list list = {0};
    int64_t refused = 0;
    if (counters->count == 0 || counters->is_alone) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_find_threads(&list));
    SCALAY_TRY(SCALAY_NEW(counters->other, list.count));
    for (int64_t t = 0; t < list.count; t++) {
        list.number[refused] = list.number[t]; /* stays there if it is */
        SCALAY_TRY(start_thread(counters, list.number[t], &refused));
    }
    name_refused(counters, list.number, refused);
cleanup:
    scalay_release(list.number);
    return status;
}

static scalay_status add_others(scalay_counters *counters, int64_t *count)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *found = NULL;
    SCALAY_TRY(SCALAY_NEW(found, counters->count));
    for (int t = 0; t < counters->others; t++) {
        SCALAY_TRY(counters->library->read(counters->other[t], found));
        for (int k = 0; k < counters->count; k++) count[k] += found[k];
    }
cleanup:
    scalay_release(found);
    return status;
}

static void stop_others(const scalay_counters *counters)
{
    for (int t = 0; t < counters->others; t++) (void)counters->library->stop(counters->other[t]);
}

/* ------------------------------------------------------------------------------------------------- counting */

scalay_status scalay_counters_start(scalay_counters *counters)
{
    scalay_status status = SCALAY_SUCCESS;
    if (counters == NULL || counters->running)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the counters are %s", counters == NULL ? "NULL" : "running already");
    SCALAY_TRY(start_others(counters));
    SCALAY_TRY(counters->library->start(counters->set));
    counters->running = 1;
    counters->threads = 1 + counters->others;
cleanup:
    if (status != SCALAY_SUCCESS) {
        stop_others(counters);
        close_others(counters);
    }
    return status;
}

scalay_status scalay_counters_stop(scalay_counters *counters, int64_t *count)
{
    if (counters == NULL || !counters->running)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the counters are %s", counters == NULL ? "NULL" : "not running");
    if (counters->count > 0 && count == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "count is NULL");
    scalay_status status = counters->library->read(counters->set, count);
    if (status == SCALAY_SUCCESS) status = add_others(counters, count);
    const scalay_status stopped = counters->library->stop(counters->set);
    stop_others(counters);
    close_others(counters);
    counters->running = 0;
    return status == SCALAY_SUCCESS ? stopped : status;
}

void scalay_counters_destroy(scalay_counters **counters)
{
    if (counters == NULL || *counters == NULL) return;
    if ((*counters)->running) {
        (void)(*counters)->library->stop((*counters)->set);
        stop_others(*counters);
    }
    close_others(*counters);
    if ((*counters)->set != NULL) (*counters)->library->destroy(&(*counters)->set);
    scalay_release((*counters)->event);
    scalay_release(*counters);
    *counters = NULL;
}
