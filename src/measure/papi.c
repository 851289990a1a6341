/*
 * PAPI as a library of events, or its absence (SCALAY_HAVE_PAPI is not defined). No other file uses PAPI.
 */
#include "measure/events.h"

#include <stdio.h>

#include "base/status.h"

#ifdef SCALAY_HAVE_PAPI

#include <papi.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"

/* PAPI needs a separate event set for each component. */
enum { COMPONENTS = 8, EVENTS = 64 };

typedef struct {
    int component;
    int set;
    int count;         /* events */
    int index[EVENTS]; /* of each event, in the order of adding over all components */
} part;

typedef struct {
    part parts[COMPONENTS];
    int count; /* parts in use */
    int events;
} papi_set;

static scalay_status refuse(int code)
{
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "%s", PAPI_strerror(code));
}

/* PAPI is initialised once per process, possibly by the program itself. It is never shut down. */
static scalay_status initialise(void)
{
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    scalay_status status = SCALAY_SUCCESS;
    (void)pthread_mutex_lock(&once);
    if (PAPI_is_initialized() == PAPI_NOT_INITED) {
        const int version = PAPI_library_init(PAPI_VER_CURRENT);
        if (version != PAPI_VER_CURRENT)
            status = version > 0
                         ? scalay_fail(SCALAY_ERROR_UNSUPPORTED, "",
                                       "PAPI's library is of another version than the one ScaLAY was built with")
                         : refuse(version);
    }
    if (status == SCALAY_SUCCESS && (PAPI_is_initialized() & PAPI_THREAD_LEVEL_INITED) == 0)
        (void)PAPI_thread_init((unsigned long (*)(void))pthread_self);
    (void)pthread_mutex_unlock(&once);
    return status;
}

static scalay_status create(void **set)
{
    papi_set *new_set = NULL;
    *set = NULL;
    scalay_status status = initialise();
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(new_set, 1);
    *set = new_set;
    return status;
}

static void keep_event(scalay_event *event, const PAPI_event_info_t *info)
{
    (void)snprintf(event->name, sizeof event->name, "%.*s", SCALAY_EVENT_NAME - 1, info->symbol);
    (void)snprintf(event->units, sizeof event->units, "%.*s", SCALAY_EVENT_UNITS - 1, info->units);
    const size_t line = strcspn(info->long_descr, "\n");
    (void)snprintf(event->about, sizeof event->about, "%.*s",
                   (int)(line < sizeof event->about ? line : sizeof event->about - 1), info->long_descr);
}

static int visit(const char *component, void (*each)(void *context, const scalay_event *event), void *context,
                 char *why, size_t size)
{
    int code = PAPI_NATIVE_MASK;
    if (initialise() != SCALAY_SUCCESS) {
        (void)snprintf(why, size, "%s", scalay_error_message());
        return 0;
    }
    const int index = PAPI_get_component_index(component);
    if (index < 0) {
        (void)snprintf(why, size, "this PAPI has no such component");
        return 0;
    }
    /* Some components detect their events only at the first query. */
    int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index);
    const PAPI_component_info_t *about = PAPI_get_component_info(index);
    if (about == NULL || about->disabled) {
        (void)snprintf(why, size, "%s",
                       about != NULL && about->disabled_reason[0] ? about->disabled_reason : "disabled");
        return 0;
    }
    for (; more == PAPI_OK; more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, index)) {
        PAPI_event_info_t info;
        scalay_event event;
        if (PAPI_get_event_info(code, &info) != PAPI_OK) continue;
        keep_event(&event, &info);
        each(context, &event);
    }
    return 1;
}

/* Returns the event set of a component; NULL if there are too many components. */
static part *find_part(papi_set *set, int component)
{
    for (int k = 0; k < set->count; k++)
        if (set->parts[k].component == component) return &set->parts[k];
    if (set->count == COMPONENTS) return NULL;
    part *new_part = &set->parts[set->count];
    *new_part = (part){.component = component, .set = PAPI_NULL};
    if (PAPI_create_eventset(&new_part->set) != PAPI_OK) return NULL;
    set->count++;
    return new_part;
}

static scalay_status add(void *set, const char *name, scalay_event *event)
{
    PAPI_event_info_t info;
    papi_set *s = set;
    int code = 0;
    int failed = PAPI_event_name_to_code(name, &code);
    if (failed != PAPI_OK) return refuse(failed);
    part *p = find_part(s, PAPI_get_event_component(code));
    if (p == NULL || p->count == EVENTS || s->events == EVENTS) return refuse(PAPI_ECOUNT);
    failed = PAPI_add_event(p->set, code);
    if (failed != PAPI_OK) return refuse(failed);
    *event = (scalay_event){0};
    if (PAPI_get_event_info(code, &info) == PAPI_OK) keep_event(event, &info);
    (void)snprintf(event->name, sizeof event->name, "%s", name);
    p->index[p->count++] = s->events++;
    return SCALAY_SUCCESS;
}

static scalay_status follow(void *set, int64_t thread)
{
    papi_set *s = set;
    for (int k = 0; k < s->count; k++) {
        part *p = &s->parts[k];
        const PAPI_component_info_t *about = PAPI_get_component_info(p->component);
        PAPI_option_t option = {.inherit = {.eventset = p->set, .inherit = PAPI_INHERIT_ALL}};
        const int is_of_threads = p->count > 0 && about != NULL && about->attach && about->inherit;
        if (!is_of_threads && thread != 0) p->count = 0;
        if (!is_of_threads) continue;
        int failed = PAPI_set_opt(PAPI_INHERIT, &option);
        if (failed == PAPI_OK && thread != 0) failed = PAPI_attach(p->set, (unsigned long)thread);
        if (failed != PAPI_OK) return refuse(failed);
    }
    return SCALAY_SUCCESS;
}

static scalay_status start(void *set)
{
    const papi_set *s = set;
    for (int k = 0; k < s->count; k++) {
        const int failed = s->parts[k].count > 0 ? PAPI_start(s->parts[k].set) : PAPI_OK;
        if (failed == PAPI_OK) continue;
        while (k-- > 0) (void)PAPI_stop(s->parts[k].set, NULL);
        return refuse(failed);
    }
    return SCALAY_SUCCESS;
}

static scalay_status read_all(void *set, int64_t *count)
{
    const papi_set *s = set;
    for (int k = 0; k < s->count; k++) {
        long long found[EVENTS] = {0};
        const int failed = s->parts[k].count > 0 ? PAPI_read(s->parts[k].set, found) : PAPI_OK;
        if (failed != PAPI_OK) return refuse(failed);
        for (int e = 0; e < s->parts[k].count; e++) count[s->parts[k].index[e]] = found[e];
    }
    return SCALAY_SUCCESS;
}

static scalay_status stop(void *set)
{
    const papi_set *s = set;
    int failed = PAPI_OK;
    for (int k = 0; k < s->count; k++) {
        const int code = s->parts[k].count > 0 ? PAPI_stop(s->parts[k].set, NULL) : PAPI_OK;
        if (code != PAPI_OK) failed = code;
    }
    return failed == PAPI_OK ? SCALAY_SUCCESS : refuse(failed);
}

static void destroy(void **set)
{
    papi_set *s = *set;
    *set = NULL;
    if (s == NULL) return;
    for (int k = 0; k < s->count; k++) {
        (void)PAPI_cleanup_eventset(s->parts[k].set);
        (void)PAPI_destroy_eventset(&s->parts[k].set);
    }
    scalay_release(s);
}

const scalay_event_library scalay_papi = {.create = create,
                                          .visit = visit,
                                          .add = add,
                                          .follow = follow,
                                          .start = start,
                                          .read = read_all,
                                          .stop = stop,
                                          .destroy = destroy};

#else

#define REMEDY "ScaLAY was built without PAPI; install it (Debian: libpapi-dev), then configure and build ScaLAY again"

static scalay_status create(void **set)
{
    *set = NULL;
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", REMEDY);
}

static int visit(const char *component, void (*each)(void *context, const scalay_event *event), void *context,
                 char *why, size_t size)
{
    (void)component;
    (void)each;
    (void)context;
    (void)snprintf(why, size, "%s", REMEDY);
    return 0;
}

const scalay_event_library scalay_papi = {.create = create, .visit = visit};

#endif
