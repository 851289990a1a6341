#include "measure/counters.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

#define USUAL "PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_DP_OPS,PAPI_L3_TCM"
enum { MISSING = 1024 };

struct scalay_counters {
    const scalay_event_library *library;
    void *set;
    scalay_event *event; /* shape [capacity], of which count are there */
    int64_t capacity;
    int count;
    int running;
    char missing[MISSING];
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

scalay_status scalay_counters_open(const scalay_event_library *library, const char *events, scalay_counters **counters)
{
    scalay_counters *made = NULL;
    scalay_status status = SCALAY_NEW(made, 1);
    if (status != SCALAY_SUCCESS) return status;
    made->library = library;
    status = library->create(&made->set);
    if (status == SCALAY_SUCCESS) status = add_events(made, events != NULL ? events : USUAL);
    if (status != SCALAY_SUCCESS) scalay_counters_destroy(&made);
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

const char *scalay_counters_missing(const scalay_counters *counters)
{
    return counters != NULL ? counters->missing : "";
}

scalay_status scalay_counters_start(scalay_counters *counters)
{
    if (counters == NULL || counters->running)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the counters are %s", counters == NULL ? "NULL" : "running already");
    const scalay_status status = counters->library->start(counters->set);
    counters->running = status == SCALAY_SUCCESS;
    return status;
}

scalay_status scalay_counters_stop(scalay_counters *counters, int64_t *count)
{
    if (counters == NULL || !counters->running)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the counters are %s", counters == NULL ? "NULL" : "not running");
    if (counters->count > 0 && count == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "count is NULL");
    scalay_status status = counters->library->read(counters->set, count);
    const scalay_status stopped = counters->library->stop(counters->set);
    counters->running = 0;
    return status == SCALAY_SUCCESS ? stopped : status;
}

void scalay_counters_destroy(scalay_counters **counters)
{
    if (counters == NULL || *counters == NULL) return;
    if ((*counters)->running) (void)(*counters)->library->stop((*counters)->set);
    if ((*counters)->set != NULL) (*counters)->library->destroy(&(*counters)->set);
    scalay_release((*counters)->event);
    scalay_release(*counters);
    *counters = NULL;
}
