/*
 * The meters "papi" and "papi:EVENT,EVENT": energy counters of the machine, and power that is integrated over time.
 *
 * Without names, the energy counters of packages and memory are taken from the first component of PAPI that works, and
 * the power of accelerators from nvml. A counter starts when it has changed twice: before its first change, a counter
 * of powercap contains all energy since the machine was booted.
 */
#include "measure/meter_papi.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/integrator.h"
#include "scalay/measure.h"

/* --------------------------------------------------------------------------------------------- units and components */

/* Unit of the energy counters that perf reads: 2^-32 J on every processor. */
#define PERF_JOULES (1.0 / 4294967296.0)

/* Prefix of the energies of powercap zones. */
#define ZONES "powercap:::ENERGY_UJ:"

static const struct {
    const char *units;
    scalay_energy_unit unit;
} units[] = {{"nJ", {1e-9, 0.0}}, {"uJ", {1e-6, 0.0}}, {"mJ", {1e-3, 0.0}}, {"J", {1.0, 0.0}},
             {"uW", {0.0, 1e-6}}, {"mW", {0.0, 1e-3}}, {"W", {0.0, 1.0}}};

/* Words in the names of limits and other settings. These have a unit, but are not measurements. */
static const char *const settings[] = {"LIMIT", "MAX", "MIN", "SPEC", "WINDOW", "limit", "max", "min"};

/* Energy events that may lack a unit. */
static const struct {
    const char *begins;
    scalay_energy_unit unit;
} named_units[] = {
    {"rapl::RAPL_ENERGY_", {PERF_JOULES, 0.0}}, {"amd64_rapl::RAPL_ENERGY_", {PERF_JOULES, 0.0}}, {ZONES, {1e-6, 0.0}}};

const scalay_event_source scalay_event_sources[SCALAY_EVENT_SOURCES] = {
    {.component = "rapl", .begins = {"rapl:::PACKAGE_ENERGY:", "rapl:::DRAM_ENERGY:"}},
    {.component = "powercap", .begins = {ZONES "ZONE"}},
    {.component = "perf_event_uncore",
     .begins = {"rapl::RAPL_ENERGY_PKG", "rapl::RAPL_ENERGY_DRAM", "amd64_rapl::RAPL_ENERGY_PKG"},
     .per_package = 1}};

static int begins_with(const char *name, const char *begin)
{
    return begin != NULL && strncmp(name, begin, strlen(begin)) == 0;
}

scalay_energy_unit scalay_energy_unit_of(const scalay_event *event)
{
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
        if (strstr(event->name, settings[k]) != NULL) return (scalay_energy_unit){0.0, 0.0};
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
        if (strcmp(event->units, units[k].units) == 0) return units[k].unit;
    for (size_t k = 0; k < sizeof named_units / sizeof named_units[0]; k++)
        if (begins_with(event->name, named_units[k].begins)) return named_units[k].unit;
    return (scalay_energy_unit){0.0, 0.0};
}

int scalay_energy_register_advance(scalay_energy_register *r, int64_t count)
{
    int64_t more = count - r->last;
    if (more < 0 && r->range == 0) return 0;
    if (more < 0) more += r->range;
    if (more < 0) return 0;
    r->total += (double)more * r->joules;
    r->last = count;
    return 1;
}

int scalay_event_source_has(const scalay_event_source *source, const char *name)
{
    for (int k = 0; k < 3; k++)
        if (begins_with(name, source->begins[k])) return 1;
    return 0;
}

/* Builds the name of another event of the zone of an energy event. */
static int event_of_zone(const char *energy, const char *quantity, char *event, size_t size)
{
    if (!begins_with(energy, ZONES)) return 0;
    (void)snprintf(event, size, "powercap:::%s:%s", quantity, energy + strlen(ZONES));
    return 1;
}

int scalay_energy_range_event(const char *name, char *range, size_t size)
{
    return event_of_zone(name, "MAX_ENERGY_RANGE_UJ", range, size);
}

int scalay_energy_zone_event(const char *name, char *event, size_t size)
{
    return event_of_zone(name, "NAME", event, size);
}

int scalay_energy_zone_counts(const char *event, const char *zone)
{
    return strstr(event, "SUBZONE") != NULL ? begins_with(zone, "dram") : !begins_with(zone, "psys");
}

int scalay_energy_cores(int *core, int max_cores)
{
    FILE *file = fopen("/sys/devices/power/cpumask", "r");
    int count = 0;
    core[0] = 0;
    if (file == NULL) return 1;
    while (count < max_cores && fscanf(file, "%d", &core[count]) == 1) {
        count++;
        (void)fgetc(file); /* the comma */
    }
    (void)fclose(file);
    return count > 0 ? count : 1;
}

/* ------------------------------------------------------------------------------------------------------- event sets */

enum { EVENTS = 32, PACKAGES = 8, WHY = 160, TRIED = 320 };

/* Seconds between two values of the counters of processors. */
#define STEP 0.001
#define POWER_PERIOD 0.02

/* Seconds between two readings of counters that were just started, and seconds in which they must change. The slowest
 * counters change ten times per second. */
#define READING_PERIOD 0.005
#define START_TIMEOUT 1.0
enum { CHANGES = 2 };

/* Events of one kind. */
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
    events power; /* its set belongs to the thread of the integrator */
    scalay_integrator *integrator;
} events_meter;

static const char create[] = "scalay_meter_create";

static void close_events(void *data)
{
    events *e = data;
    if (e->set == NULL) return;
    (void)e->library->stop(e->set);
    e->library->destroy(&e->set);
}

/* Starts the events. The message names an event that cannot be started. */
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

/* Adds the watts of all events. Called by the thread of the integrator. */
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

/* Returns the range after which a counter wraps around, if another event has it; 0 otherwise. */
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

/* Waits until the counters have changed twice, and starts there. A counter that this user may not read never changes,
 * without any error. */
static scalay_status await_changes(const events *energy, int64_t *count, int *changes)
{
    int64_t before[EVENTS] = {0};
    scalay_status status = SCALAY_SUCCESS;
    const double end = scalay_clock() + START_TIMEOUT;
    int waiting = energy->count;
    SCALAY_TRY(energy->library->read(energy->set, count));
    while (waiting > 0 && scalay_clock() <= end) {
        scalay_sleep(READING_PERIOD);
        memcpy(before, count, sizeof before);
        SCALAY_TRY(energy->library->read(energy->set, count));
        for (int k = 0; k < energy->count; k++) waiting -= before[k] != count[k] && ++changes[k] == CHANGES;
    }
    if (waiting == energy->count)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, create,
                           "%s does not change; root may have to permit reading it (powercap: energy_uj)",
                           energy->name[0]);
cleanup:
    return status;
}

static scalay_status start_energy(events_meter *m)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t range[EVENTS] = {0}, count[EVENTS] = {0};
    int changes[EVENTS] = {0};
    for (int k = 0; k < m->energy.count; k++) range[k] = range_of(m->energy.library, m->energy.name[k]);
    SCALAY_TRY(open_events(&m->energy));
    SCALAY_TRY(await_changes(&m->energy, count, changes));
    for (int k = 0; k < m->energy.count; k++)
        m->registers[k] = (scalay_energy_register){
            .joules = changes[k] == CHANGES ? m->energy.unit[k] : 0.0, .range = range[k], .last = count[k]};
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

/* ---------------------------------------------------------------------------------- named events */

static scalay_status take_event(events_meter *m, void *set, const char *name)
{
    scalay_event event = {0};
    const scalay_status status = m->energy.library->add(set, name, &event);
    if (status != SCALAY_SUCCESS) return scalay_fail(status, create, "%s: %s", name, scalay_error_message());
    const scalay_energy_unit unit = scalay_energy_unit_of(&event);
    if (unit.joules == 0.0 && unit.watts == 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "the unit of %s is \"%s\"; it must be joules or watts", name,
                           event.units);
    if (!append_event(unit.joules > 0.0 ? &m->energy : &m->power, name, unit.joules + unit.watts))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "the meter has more than %d events of one kind; use fewer",
                           EVENTS);
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

/* ---------------------------------------------------------------------------------- automatic events */

typedef struct {
    const scalay_event_source *source; /* NULL: power of an accelerator */
    events *found;
} search;

static void keep_energy(void *context, const scalay_event *event)
{
    const search *s = context;
    const double joules = scalay_energy_unit_of(event).joules;
    int core[PACKAGES];
    const int cores = s->source->per_package ? scalay_energy_cores(core, PACKAGES) : 1;
    if (joules == 0.0 || !scalay_event_source_has(s->source, event->name)) return;
    for (int k = 0; k < cores; k++) {
        char name[SCALAY_EVENT_NAME + 16];
        (void)snprintf(name, sizeof name, s->source->per_package ? "%s:cpu=%d" : "%s", event->name,
                       s->source->per_package ? core[k] : 0);
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

/* Returns the description of an event; empty if there is none. */
static scalay_event look_up(const scalay_event_library *library, const char *name)
{
    scalay_event event = {0};
    void *set = NULL;
    if (library->create(&set) != SCALAY_SUCCESS) return event;
    if (library->add(set, name, &event) != SCALAY_SUCCESS) event = (scalay_event){0};
    library->destroy(&set);
    return event;
}

/* Removes zones that are contained in other zones. */
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

/* Energy counters of the processors, from the first source that works. */
static void find_energy(events_meter *m, scalay_text *tried)
{
    for (int k = 0; k < SCALAY_EVENT_SOURCES; k++) {
        const scalay_event_source *source = &scalay_event_sources[k];
        search s = {.source = source, .found = &m->energy};
        char why[WHY] = "";
        if (m->energy.library->visit(source->component, keep_energy, &s, why, sizeof why)) {
            drop_zones(&m->energy);
            if (m->energy.count == 0) (void)snprintf(why, sizeof why, "no energy among its events");
            if (m->energy.count > 0 && start_energy(m) == SCALAY_SUCCESS) return;
            if (m->energy.count > 0) (void)snprintf(why, sizeof why, "%s", scalay_error_message());
        }
        m->energy.count = 0;
        scalay_text_append(tried, "%s: %s; ", source->component, why);
    }
}

/* Power meters of accelerators, in addition. */
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
    return scalay_fail(
        SCALAY_ERROR_UNSUPPORTED, create,
        "no energy can be read (%s). Set /proc/sys/kernel/perf_event_paranoid to 0 as root, or use \"command:\", "
        "\"model:\" or \"none\". Virtual machines rarely have a meter",
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
    if (m->power.count > 0) scalay_text_append(&text, "; power is read every %g s and integrated", POWER_PERIOD);
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
        return scalay_fail(status, "scalay_meter_read", "the meter is no longer available: %s", scalay_error_message());
    for (int k = 0; k < m->energy.count; k++) {
        if (!scalay_energy_register_advance(&m->registers[k], count[k]))
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_meter_read", "%s decreased from %lld to %lld counts",
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
