/*
 * Hardware counters of all threads of the process.
 *
 * Counters are those of the creating thread and of the threads that it starts. At each start, the other threads of the
 * process, such as those of OpenMP and BLAS, get a set of events of their own. Events or threads that cannot be counted
 * are listed with the reason.
 */
#define _GNU_SOURCE /* gettid, tgkill */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/events.h"

/* ------------------------------------------------------------------------------------------- threads of the process */

/* Numbers of threads, as the operating system has them. */
typedef struct {
    int64_t *number;
    int64_t count;
    int64_t capacity;
} thread_list;

/* Lists all threads except the calling one. The list is empty if the system does not have this information. */
static scalay_status list_threads(thread_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t mine = syscall(SYS_gettid);
    DIR *tasks = opendir("/proc/self/task");
    *list = (thread_list){0};
    if (tasks == NULL) return SCALAY_SUCCESS;
    for (const struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) {
        const int64_t number = strtoll(entry->d_name, NULL, 10);
        if (number <= 0 || number == mine) continue;
        SCALAY_TRY(SCALAY_GROW(list->number, list->capacity, list->count + 1));
        list->number[list->count++] = number;
    }
cleanup:
    (void)closedir(tasks);
    return status;
}

/* Returns 1 if this process has the thread, 0 if it has ended. */
static int is_running(int64_t number)
{
    return syscall(SYS_tgkill, (long)getpid(), (long)number, 0L) == 0;
}

/* ----------------------------------------------------------------------------------------------------------- events */

#define DEFAULT_EVENTS "PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_DP_OPS,PAPI_L3_TCM"
enum { UNAVAILABLE_SIZE = 1024 };

struct scalay_counters {
    const scalay_event_library *library;
    void *set;           /* of the creating thread and the threads that it starts */
    scalay_event *event; /* shape [capacity], the first `count` are used */
    char **name;         /* shape [count]: the names of the events */
    int64_t capacity;
    int count;
    int running;
    int is_single; /* 1: other threads cannot be counted */
    void **other;  /* shape [others]: sets of the other threads of the process, while they are counted */
    int others;
    int threads; /* counted at the last start */
    char unavailable[UNAVAILABLE_SIZE];
    int64_t permanent; /* bytes of `unavailable` that hold for every start */
};

static scalay_status add_event(scalay_counters *counters, const char *name, scalay_text *unavailable)
{
    scalay_status status = SCALAY_GROW(counters->event, counters->capacity, counters->count + 1);
    if (status != SCALAY_SUCCESS) return status;
    if (counters->library->add(counters->set, name, &counters->event[counters->count]) == SCALAY_SUCCESS)
        counters->count++;
    else
        scalay_text_append(unavailable, "%s%s: %s", unavailable->length > 0 ? "; " : "", name, scalay_error_message());
    return SCALAY_SUCCESS;
}

static scalay_status add_events(scalay_counters *counters, const char *events)
{
    scalay_text unavailable = {counters->unavailable, sizeof counters->unavailable, 0};
    for (const char *at = events;; at++) {
        char name[SCALAY_EVENT_NAME];
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name)
            return scalay_fail(
                SCALAY_ERROR_ARGUMENT, "scalay_counters_create",
                "the name of an event has %zu characters; it must have at least 1. Separate names by commas", length);
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        const scalay_status status = add_event(counters, name, &unavailable);
        if (status != SCALAY_SUCCESS) return status;
        at += length;
        if (*at == '\0') return SCALAY_SUCCESS;
    }
}

static scalay_status list_names(scalay_counters *counters)
{
    const scalay_status status = SCALAY_NEW(counters->name, counters->count);
    for (int k = 0; status == SCALAY_SUCCESS && k < counters->count; k++) counters->name[k] = counters->event[k].name;
    return status;
}

/* Includes the threads that the calling thread will start. If this is refused, other threads cannot be counted at all.
 */
static void include_threads(scalay_counters *counters)
{
    scalay_text unavailable = {counters->unavailable, sizeof counters->unavailable,
                               (int64_t)strlen(counters->unavailable)};
    counters->is_single = counters->count > 0 && counters->library->follow(counters->set, 0) != SCALAY_SUCCESS;
    if (counters->is_single)
        scalay_text_append(&unavailable, "%sthreads other than the one that starts the counters: %s",
                           unavailable.length > 0 ? "; " : "", scalay_error_message());
    counters->permanent = (int64_t)strlen(counters->unavailable);
}

scalay_status scalay_counters_open(const scalay_event_library *library, const char *events, scalay_counters **counters)
{
    scalay_counters *new_counters = NULL;
    scalay_status status = SCALAY_NEW(new_counters, 1);
    if (status != SCALAY_SUCCESS) return status;
    new_counters->library = library;
    status = library->create(&new_counters->set);
    if (status == SCALAY_SUCCESS) status = add_events(new_counters, events != NULL ? events : DEFAULT_EVENTS);
    if (status == SCALAY_SUCCESS) status = list_names(new_counters);
    if (status == SCALAY_SUCCESS)
        include_threads(new_counters);
    else
        scalay_counters_destroy(&new_counters);
    *counters = new_counters;
    return status;
}

scalay_status scalay_counters_create(const char *events, scalay_counters **counters)
{
    scalay_status status = scalay_check_not_null(counters, __func__, "counters");
    if (status != SCALAY_SUCCESS) return status;
    *counters = NULL;
    return scalay_counters_open(&scalay_papi, events, counters);
}

scalay_status scalay_counters_get_summary(const scalay_counters *counters, scalay_counters_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(counters, __func__, "counters"));
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    *summary = (scalay_counters_summary){.count = counters->count,
                                         .threads = counters->threads,
                                         .name = (const char *const *)counters->name,
                                         .unavailable = counters->unavailable};
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- other threads */

static void close_others(scalay_counters *counters)
{
    for (int t = 0; t < counters->others; t++) counters->library->destroy(&counters->other[t]);
    scalay_release(counters->other);
    counters->other = NULL;
    counters->others = 0;
}

/* Names the threads that were refused and are still running. The error message is that of the last refusal. */
static void name_refused(scalay_counters *counters, const int64_t *thread, int64_t refused)
{
    scalay_text unavailable = {counters->unavailable, sizeof counters->unavailable, counters->permanent};
    int64_t running = 0;
    counters->unavailable[counters->permanent] = '\0';
    for (int64_t t = 0; t < refused; t++) running += is_running(thread[t]);
    if (running > 0)
        scalay_text_append(&unavailable, "%s%lld thread%s: %s", unavailable.length > 0 ? "; " : "", (long long)running,
                           running > 1 ? "s" : "", scalay_error_message());
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

/* Starts counting in threads that exist, and in the threads that they will start. */
static scalay_status start_others(scalay_counters *counters)
{
    scalay_status status = SCALAY_SUCCESS;
    thread_list list = {0};
    int64_t refused = 0;
    if (counters->count == 0 || counters->is_single) return SCALAY_SUCCESS;
    SCALAY_TRY(list_threads(&list));
    SCALAY_TRY(SCALAY_NEW(counters->other, list.count));
    for (int64_t t = 0; t < list.count; t++) {
        list.number[refused] = list.number[t]; /* kept if it is refused */
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
    SCALAY_TRY(scalay_check_not_null(counters, __func__, "counters"));
    if (counters->running)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "counters is running; stop it with scalay_counters_stop");
    SCALAY_TRY(start_others(counters));
    SCALAY_TRY(counters->library->start(counters->set));
    counters->running = 1;
    counters->threads = 1 + counters->others;
cleanup:
    if (status != SCALAY_SUCCESS && counters != NULL) {
        stop_others(counters);
        close_others(counters);
    }
    return status;
}

scalay_status scalay_counters_stop(scalay_counters *counters, int64_t *count)
{
    scalay_status status = scalay_check_not_null(counters, __func__, "counters");
    if (status != SCALAY_SUCCESS) return status;
    if (!counters->running)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "counters is not running; start it with scalay_counters_start");
    if (counters->count > 0 && (status = scalay_check_not_null(count, __func__, "count")) != SCALAY_SUCCESS)
        return status;
    status = counters->library->read(counters->set, count);
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
    scalay_release((*counters)->name);
    scalay_release((*counters)->event);
    scalay_release(*counters);
    *counters = NULL;
}
