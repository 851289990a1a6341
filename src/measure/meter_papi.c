/* "papi" and "papi:EVENT,EVENT": joules that the machine counts, and watts that are added up over time. */
#include "measure/meter_papi.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/energy_events.h"
#include "measure/integrator.h"
#include "measure/wait.h"
#include "scalay/measure.h"

enum { EVENTS = 32, PACKAGES = 8, WHY = 160, TRIED = 320 };

/* The kernel renews the processors' counters every millisecond. */
#define STEP 0.001
#define POWER_PERIOD 0.02

/* Seconds between two looks at counters that were just started, and until they must have moved: the slowest ones are
 * renewed ten times a second. */
#define LOOK 0.005
#define PATIENCE 1.0
enum { MOVES = 2 };

/* Some events of one kind. */
typedef struct {
    const scalay_event_library *library;
    void *set; /* running */
    int count;
    char name[EVENTS][SCALAY_EVENT_NAME];
    double unit[EVENTS]; /* joules or watts per count */
} events;

typedef struct {
    events energy;
    scalay_energy_register registers[EVENTS];
    events power; /* whose set is the thread's */
    scalay_integrator *integrator;
} events_meter;

static const char create[] = "scalay_meter_create";

/* --------------------------------------------------------------------------------------------- event sets */

static void close_events(void *data)
{
    events *e = data;
    if (e->set == NULL) return;
    (void)e->library->stop(e->set);
    e->library->destroy(&e->set);
}

/* Lets the events run; the message names the one that cannot. */
static scalay_status open_events(void *data)
{
    events *e = data;
    scalay_event event;
    scalay_status status = e->library->create(&e->set);
    if (status != SCALAY_SUCCESS) return status;
    for (int k = 0; k < e->count && status == SCALAY_SUCCESS; k++) {
        status = e->library->add(e->set, e->name[k], &event);
        if (status == SCALAY_SUCCESS) continue;
        status = scalay_fail(status, "", "%s: %s", e->name[k], scalay_error_message());
    }
    if (status == SCALAY_SUCCESS && (status = e->library->start(e->set)) != SCALAY_SUCCESS)
        status = scalay_fail(status, "", "%s: %s", e->name[0], scalay_error_message());
    if (status != SCALAY_SUCCESS) e->library->destroy(&e->set);
    return status;
}

static int append_event(events *e, const char *name, double unit)
{
    if (e->count == EVENTS) return 0;
    (void)snprintf(e->name[e->count], SCALAY_EVENT_NAME, "%.*s", SCALAY_EVENT_NAME - 1, name);
    e->unit[e->count++] = unit;
    return 1;
}

/* The watts of all events, for the thread that adds them up. */
static scalay_status read_watts(void *data, double *watts)
{
    const events *e = data;
    int64_t count[EVENTS] = {0};
    const scalay_status status = e->library->read(e->set, count);
    if (status != SCALAY_SUCCESS) return scalay_fail(status, "scalay_meter_read", "%s", scalay_error_message());
    *watts = 0.0;
    for (int k = 0; k < e->count; k++) *watts += (double)count[k] * e->unit[k];
    return SCALAY_SUCCESS;
}

/* How far a counter goes before it begins again, where another event tells that; 0 otherwise. */
static int64_t range_of(const scalay_event_library *library, const char *name)
{
    events range = {.library = library, .count = 1};
    int64_t counts = 0;
    if (!scalay_energy_range_event(name, range.name[0], SCALAY_EVENT_NAME)) return 0;
    if (open_events(&range) != SCALAY_SUCCESS) return 0;
    if (library->read(range.set, &counts) != SCALAY_SUCCESS || counts < 0) counts = 0;
    close_events(&range);
    return counts;
}

/* Waits until the counters have moved twice, and begins there. Until it has moved, a counter of powercap says what it
 * has counted since the machine was started; and what this user may not read stands still, and nobody complains. */
static scalay_status await_movement(const events *energy, int64_t *count, int *moves)
{
    int64_t before[EVENTS] = {0};
    scalay_status status = SCALAY_SUCCESS;
    const double end = scalay_clock() + PATIENCE;
    int waiting = energy->count;
    SCALAY_TRY(energy->library->read(energy->set, count));
    while (waiting > 0 && scalay_clock() <= end) {
        scalay_sleep(LOOK);
        memcpy(before, count, sizeof before);
        SCALAY_TRY(energy->library->read(energy->set, count));
        for (int k = 0; k < energy->count; k++) waiting -= before[k] != count[k] && ++moves[k] == MOVES;
    }
    if (waiting == energy->count)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, create,
                           "%s stands still: root may have to let you read it (powercap: energy_uj)", energy->name[0]);
cleanup:
    return status;
}

static scalay_status start_energy(events_meter *m)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t range[EVENTS] = {0}, count[EVENTS] = {0};
    int moves[EVENTS] = {0};
    for (int k = 0; k < m->energy.count; k++) range[k] = range_of(m->energy.library, m->energy.name[k]);
    SCALAY_TRY(open_events(&m->energy));
    SCALAY_TRY(await_movement(&m->energy, count, moves));
    for (int k = 0; k < m->energy.count; k++)
        m->registers[k] = (scalay_energy_register){
            .joules = moves[k] == MOVES ? m->energy.unit[k] : 0.0, .range = range[k], .last = count[k]};
cleanup:
    if (status != SCALAY_SUCCESS) close_events(&m->energy);
    return status;
}

static scalay_status start_power(events_meter *m, const scalay_clocks *clocks)
{
    const scalay_power_source source = {
        .open = open_events, .watts = read_watts, .close = close_events, .data = &m->power};
    return scalay_integrator_create(&source, POWER_PERIOD, clocks, &m->integrator);
}

/* ---------------------------------------------------------------------------------- events that were named */

static scalay_status take_event(events_meter *m, void *set, const char *name)
{
    scalay_event event = {0};
    const scalay_status status = m->energy.library->add(set, name, &event);
    if (status != SCALAY_SUCCESS) return scalay_fail(status, create, "%s: %s", name, scalay_error_message());
    const scalay_energy_unit unit = scalay_energy_unit_of(&event);
    if (unit.joules == 0.0 && unit.watts == 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "%s counts \"%s\", neither joules nor watts", name,
                           event.units);
    if (!append_event(unit.joules > 0.0 ? &m->energy : &m->power, name, unit.joules + unit.watts))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "a meter reads at most %d events of a kind", EVENTS);
    return SCALAY_SUCCESS;
}

static scalay_status take_events(events_meter *m, const char *names)
{
    void *set = NULL;
    scalay_status status = m->energy.library->create(&set);
    if (status != SCALAY_SUCCESS) return scalay_fail(status, create, "%s", scalay_error_message());
    for (const char *at = names; status == SCALAY_SUCCESS; at++) {
        char name[SCALAY_EVENT_NAME];
        const size_t length = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        status = take_event(m, set, name);
        at += length;
        if (*at == '\0') break;
    }
    m->energy.library->destroy(&set);
    return status;
}

/* ---------------------------------------------------------------------------------- events that are found */

typedef struct {
    const scalay_event_place *place; /* NULL: power of an accelerator */
    events *found;
} search;

static void keep_energy(void *context, const scalay_event *event)
{
    const search *s = context;
    const double joules = scalay_energy_unit_of(event).joules;
    int core[PACKAGES];
    const int cores = s->place->per_package ? scalay_energy_cores(core, PACKAGES) : 1;
    if (joules == 0.0 || !scalay_event_place_has(s->place, event->name)) return;
    for (int k = 0; k < cores; k++) {
        char name[SCALAY_EVENT_NAME + 16];
        (void)snprintf(name, sizeof name, s->place->per_package ? "%s:cpu=%d" : "%s", event->name,
                       s->place->per_package ? core[k] : 0);
        (void)append_event(s->found, name, joules);
    }
}

static void keep_power(void *context, const scalay_event *event)
{
    const search *s = context;
    const double watts = scalay_energy_unit_of(event).watts;
    const char *last = strrchr(event->name, ':');
    if (watts > 0.0 && last != NULL && strcmp(last, ":power") == 0) (void)append_event(s->found, event->name, watts);
}

/* What the library says of an event; empty when there is none. */
static scalay_event look_up(const scalay_event_library *library, const char *name)
{
    scalay_event event = {0};
    void *set = NULL;
    if (library->create(&set) != SCALAY_SUCCESS) return event;
    if (library->add(set, name, &event) != SCALAY_SUCCESS) event = (scalay_event){0};
    library->destroy(&set);
    return event;
}

/* Of zones that contain each other, those that are to be added up. */
static void drop_zones(events *found)
{
    char name[SCALAY_EVENT_NAME];
    int kept = 0;
    for (int k = 0; k < found->count; k++) {
        if (scalay_energy_zone_event(found->name[k], name, sizeof name) &&
            !scalay_energy_zone_counts(found->name[k], look_up(found->library, name).about))
            continue;
        memmove(found->name[kept], found->name[k], sizeof found->name[k]);
        found->unit[kept++] = found->unit[k];
    }
    found->count = kept;
}

/* Energy counters of the processors, from the first place that has them. */
static void find_energy(events_meter *m, scalay_text *tried)
{
    for (int k = 0; k < SCALAY_EVENT_PLACES; k++) {
        const scalay_event_place *place = &scalay_event_places[k];
        search s = {.place = place, .found = &m->energy};
        char why[WHY] = "";
        if (m->energy.library->visit(place->component, keep_energy, &s, why, sizeof why)) {
            drop_zones(&m->energy);
            if (m->energy.count == 0) (void)snprintf(why, sizeof why, "no energy among its events");
            if (m->energy.count > 0 && start_energy(m) == SCALAY_SUCCESS) return;
            if (m->energy.count > 0) (void)snprintf(why, sizeof why, "%s", scalay_error_message());
        }
        m->energy.count = 0;
        scalay_text_append(tried, "%s: %s; ", place->component, why);
    }
}

/* Power meters of accelerators come on top. */
static void find_power(events_meter *m, const scalay_clocks *clocks, scalay_text *tried)
{
    search s = {.found = &m->power};
    char why[WHY] = "no power among its events";
    if (m->power.library->visit("nvml", keep_power, &s, why, sizeof why) && m->power.count > 0) {
        if (start_power(m, clocks) == SCALAY_SUCCESS) return;
        (void)snprintf(why, sizeof why, "%s", scalay_error_message());
    }
    m->power.count = 0;
    scalay_text_append(tried, "nvml: %s", why);
}

static scalay_status find_events(events_meter *m, const scalay_clocks *clocks)
{
    char tried[TRIED];
    void *set = NULL;
    scalay_text text = {tried, sizeof tried, 0};
    const scalay_status status = m->energy.library->create(&set);
    if (status != SCALAY_SUCCESS) return scalay_fail(status, create, "%s", scalay_error_message());
    m->energy.library->destroy(&set);
    find_energy(m, &text);
    find_power(m, clocks, &text);
    if (m->energy.count + m->power.count > 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, create,
                       "no energy can be read (%s). Let root set /proc/sys/kernel/perf_event_paranoid to 0, or use "
                       "\"command:\", \"model:\" or \"none\"; virtual machines rarely have a meter",
                       tried);
}

/* --------------------------------------------------------------------------------------------- the meter */

static void describe(scalay_meter *meter, const events_meter *m)
{
    scalay_text text = {meter->about, sizeof meter->about, 0};
    const events *both[] = {&m->energy, &m->power};
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < both[b]->count; k++)
            scalay_text_append(&text, "%s%s", text.length > 0 ? ", " : "", both[b]->name[k]);
    if (m->power.count > 0) scalay_text_append(&text, "; power is read every %g s and added up", POWER_PERIOD);
}

scalay_status scalay_meter_events_open(const scalay_event_library *library, const char *argument, scalay_meter *meter)
{
    events_meter *m = NULL;
    scalay_status status = SCALAY_NEW(m, 1);
    if (status != SCALAY_SUCCESS) return status;
    meter->state = m;
    meter->step = STEP;
    m->energy.library = m->power.library = library;
    if (argument == NULL) {
        status = find_events(m, meter->clocks);
    } else {
        status = take_events(m, argument);
        if (status == SCALAY_SUCCESS && m->energy.count > 0) status = start_energy(m);
        if (status == SCALAY_SUCCESS && m->power.count > 0) status = start_power(m, meter->clocks);
    }
    describe(meter, m);
    if (status != SCALAY_SUCCESS) scalay_meter_events_close(meter);
    return status;
}

scalay_status scalay_meter_events_read(scalay_meter *meter, double *joules)
{
    events_meter *m = meter->state;
    int64_t count[EVENTS] = {0};
    double sum = 0.0;
    scalay_status status = SCALAY_SUCCESS;
    if (m->integrator != NULL) status = scalay_integrator_read(m->integrator, &sum);
    if (status == SCALAY_SUCCESS && m->energy.count > 0) status = m->energy.library->read(m->energy.set, count);
    if (status != SCALAY_SUCCESS)
        return scalay_fail(status, "scalay_meter_read", "the meter has gone: %s", scalay_error_message());
    for (int k = 0; k < m->energy.count; k++) {
        if (!scalay_energy_register_advance(&m->registers[k], count[k]))
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_meter_read", "%s fell from %lld to %lld counts",
                               m->energy.name[k], (long long)m->registers[k].last, (long long)count[k]);
        sum += m->registers[k].total;
    }
    *joules = sum;
    return SCALAY_SUCCESS;
}

void scalay_meter_events_close(scalay_meter *meter)
{
    events_meter *m = meter->state;
    scalay_integrator_destroy(&m->integrator);
    close_events(&m->energy);
    scalay_release(m);
}

static scalay_status open_papi(const char *argument, scalay_meter *meter)
{
    return scalay_meter_events_open(&scalay_papi, argument, meter);
}

const scalay_meter_kind scalay_meter_papi = {
    .name = "papi", .open = open_papi, .read = scalay_meter_events_read, .close = scalay_meter_events_close};
