#include "measure/energy_events.h"

#include <stdio.h>
#include <string.h>

/* The kernel's scale for the energy counters that perf reads, whatever the processor's own unit is: 2^-32 J. */
#define PERF_JOULES (1.0 / 4294967296.0)

/* The energies of zones of powercap. */
#define ZONES "powercap:::ENERGY_UJ:"

static const struct {
    const char *units;
    scalay_energy_unit unit;
} units[] = {{"nJ", {1e-9, 0.0}}, {"uJ", {1e-6, 0.0}}, {"mJ", {1e-3, 0.0}}, {"J", {1.0, 0.0}},
             {"uW", {0.0, 1e-6}}, {"mW", {0.0, 1e-3}}, {"W", {0.0, 1.0}}};

/* Words that mark limits and other settings, which have a unit but are no measurements. */
static const char *const settings[] = {"LIMIT", "MAX", "MIN", "SPEC", "WINDOW", "limit", "max", "min"};

/* Energies whose events may come without a unit. */
static const struct {
    const char *begins;
    scalay_energy_unit unit;
} names[] = {
    {"rapl::RAPL_ENERGY_", {PERF_JOULES, 0.0}}, {"amd64_rapl::RAPL_ENERGY_", {PERF_JOULES, 0.0}}, {ZONES, {1e-6, 0.0}}};

const scalay_event_place scalay_event_places[SCALAY_EVENT_PLACES] = {
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
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (begins_with(event->name, names[k].begins)) return names[k].unit;
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

int scalay_event_place_has(const scalay_event_place *place, const char *name)
{
    for (int k = 0; k < 3; k++)
        if (begins_with(name, place->begins[k])) return 1;
    return 0;
}

/* Another event of the zone whose energy is given. */
static int of_zone(const char *energy, const char *what, char *event, size_t size)
{
    if (!begins_with(energy, ZONES)) return 0;
    (void)snprintf(event, size, "powercap:::%s:%s", what, energy + strlen(ZONES));
    return 1;
}

int scalay_energy_range_event(const char *name, char *range, size_t size)
{
    return of_zone(name, "MAX_ENERGY_RANGE_UJ", range, size);
}

int scalay_energy_zone_event(const char *name, char *event, size_t size)
{
    return of_zone(name, "NAME", event, size);
}

int scalay_energy_zone_counts(const char *event, const char *zone)
{
    return strstr(event, "SUBZONE") != NULL ? begins_with(zone, "dram") : !begins_with(zone, "psys");
}

int scalay_energy_cores(int *core, int most)
{
    FILE *file = fopen("/sys/devices/power/cpumask", "r");
    int count = 0;
    core[0] = 0;
    if (file == NULL) return 1;
    while (count < most && fscanf(file, "%d", &core[count]) == 1) {
        count++;
        (void)fgetc(file); /* the comma */
    }
    (void)fclose(file);
    return count > 0 ? count : 1;
}
