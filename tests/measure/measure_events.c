/* Events that are energy, and counters. They come from a table that stands in for a machine with all kinds of them; the
 * real library is asked for what it has. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "measure/clock.h"
#include "measure/events.h"
#include "measure/meter_papi.h"
#include "measure/unit.h"
#include "scalay/measure.h"

typedef struct {
    const char *component;
    const char *name;
    const char *units;
    int64_t start; /* what it says first */
    int64_t grows; /* by so much at each reading */
    int64_t range; /* and begins again from 0 */
    const char *refuses;
    const char *about;
} fake_event;

/* Which of the components the machine at hand has, and its events. */
static const fake_event *fake_machine;
/* So many readings say what was counted since the machine was started. */
static int fake_events, fake_disappears, fake_says_all, fake_has_no_files;

enum { FAKE_EVENTS = 16 };

typedef struct {
    int count;
    int event[FAKE_EVENTS];
    int64_t readings;
    int running;
} fake_set;

static scalay_status fake_create(void **set)
{
    *set = scalay_allocate(1, sizeof(fake_set));
    return *set != NULL ? SCALAY_SUCCESS : SCALAY_ERROR_MEMORY;
}

static scalay_status fake_follow(void *set, int64_t thread)
{
    (void)set;
    if (fake_has_no_files && thread != 0) return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "too many files");
    return SCALAY_SUCCESS;
}

static void show(int k, scalay_event *event)
{
    (void)snprintf(event->name, sizeof event->name, "%s", fake_machine[k].name);
    (void)snprintf(event->units, sizeof event->units, "%s", fake_machine[k].units);
    (void)snprintf(event->about, sizeof event->about, "%s", fake_machine[k].about);
}

static int fake_visit(const char *component, void (*each)(void *context, const scalay_event *event), void *context,
                      char *why, size_t size)
{
    int found = 0;
    for (int k = 0; k < fake_events; k++) {
        scalay_event event;
        if (strcmp(fake_machine[k].component, component) != 0) continue;
        found = 1;
        show(k, &event);
        each(context, &event);
    }
    if (!found) (void)snprintf(why, size, "not in this machine");
    return found;
}

/* An event of a package is named with a core behind it. */
static scalay_status fake_add(void *set, const char *name, scalay_event *event)
{
    fake_set *s = set;
    for (int k = 0; k < fake_events; k++) {
        const size_t length = strlen(fake_machine[k].name);
        if (strncmp(fake_machine[k].name, name, length) != 0 || (name[length] != '\0' && name[length] != ':')) continue;
        if (fake_machine[k].refuses != NULL)
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "%s", fake_machine[k].refuses);
        show(k, event);
        s->event[s->count++] = k;
        return SCALAY_SUCCESS;
    }
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "no such event");
}

static scalay_status fake_start(void *set)
{
    ((fake_set *)set)->running = 1;
    return SCALAY_SUCCESS;
}

static scalay_status fake_read(void *set, int64_t *count)
{
    fake_set *s = set;
    if (fake_disappears || !s->running) return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "the device is lost");
    s->readings++;
    for (int k = 0; k < s->count; k++) {
        const fake_event *e = &fake_machine[s->event[k]];
        count[k] = e->start + e->grows * s->readings;
        if (e->range > 0) count[k] %= e->range;
        /* One counter after the other tells what it has counted since the start. */
        if (fake_says_all > 0 && s->readings <= fake_says_all + 3 * k) count[k] = INT64_C(170000000000);
    }
    return SCALAY_SUCCESS;
}

static scalay_status fake_stop(void *set)
{
    ((fake_set *)set)->running = 0;
    return SCALAY_SUCCESS;
}

static void fake_destroy(void **set)
{
    scalay_release(*set);
    *set = NULL;
}

static const scalay_event_library fake = {.create = fake_create,
                                          .follow = fake_follow,
                                          .visit = fake_visit,
                                          .add = fake_add,
                                          .start = fake_start,
                                          .read = fake_read,
                                          .stop = fake_stop,
                                          .destroy = fake_destroy};

static scalay_status open_fake(const char *argument, scalay_meter *meter)
{
    return scalay_meter_events_open(&fake, argument, meter);
}

static const scalay_meter_kind fake_kind = {
    .name = "fake", .open = open_fake, .read = scalay_meter_events_read, .close = scalay_meter_events_close};

static scalay_status open_machine(const fake_event *events, int count, const char *argument, scalay_meter **meter)
{
    fake_machine = events;
    fake_events = count;
    fake_disappears = 0;
    *meter = NULL;
    return scalay_meter_open(&fake_kind, argument, &scalay_clocks_system, meter);
}

#define OPEN(events, argument, meter) open_machine(events, (int)(sizeof(events) / sizeof(events)[0]), argument, meter)

/* Joules from one reading to the next. */
static double more_joules(scalay_meter *meter)
{
    double before = 0.0, after = 0.0;
    assert_int_equal(scalay_meter_read(meter, &before), SCALAY_SUCCESS);
    assert_int_equal(scalay_meter_read(meter, &after), SCALAY_SUCCESS);
    return after - before;
}

static void check_joules(const fake_event *events, int count, double expected, const char *has, const char *lacks)
{
    char text[600];
    scalay_meter *meter = NULL;
    assert_int_equal(open_machine(events, count, NULL, &meter), SCALAY_SUCCESS);
    assert_true(fabs(more_joules(meter) - expected) < 1e-9 * expected);
    (void)scalay_meter_describe(meter, text, sizeof text);
    assert_non_null(strstr(text, has));
    assert_null(strstr(text, lacks));
    scalay_meter_destroy(&meter);
}

/* Packages and memory are added; cores are in their package, packages in the platform, and limits are no energy. */
static void the_processors_energy_is_found(void **state)
{
    (void)state;
    static const fake_event rapl[] = {{"rapl", "rapl:::PACKAGE_ENERGY:PACKAGE0", "nJ", 0, 1000000000, 0, NULL, ""},
                                      {"rapl", "rapl:::PACKAGE_ENERGY:PACKAGE1", "nJ", 0, 2000000000, 0, NULL, ""},
                                      {"rapl", "rapl:::PACKAGE_ENERGY_CNT:PACKAGE0", "", 0, 77, 0, NULL, ""},
                                      {"rapl", "rapl:::PP0_ENERGY:PACKAGE0", "nJ", 0, 500000000, 0, NULL, ""},
                                      {"rapl", "rapl:::DRAM_ENERGY:PACKAGE0", "nJ", 0, 250000000, 0, NULL, ""},
                                      {"rapl", "rapl:::THERMAL_SPEC:PACKAGE0", "W", 95, 0, 0, NULL, ""}};
    static const fake_event powercap[] = {
        {"powercap", "powercap:::ENERGY_UJ:ZONE0", "", 0, 3000000, 0, NULL, ""},
        {"powercap", "powercap:::MAX_ENERGY_RANGE_UJ:ZONE0", "", 262143328850, 0, 0, NULL, ""},
        {"powercap", "powercap:::NAME:ZONE0", "", 0, 0, 0, NULL, "package-0"},
        {"powercap", "powercap:::ENERGY_UJ:ZONE0_SUBZONE0", "", 0, 1000000, 0, NULL, ""},
        {"powercap", "powercap:::NAME:ZONE0_SUBZONE0", "", 0, 0, 0, NULL, "core"},
        {"powercap", "powercap:::ENERGY_UJ:ZONE0_SUBZONE1", "", 0, 500000, 0, NULL, ""},
        {"powercap", "powercap:::NAME:ZONE0_SUBZONE1", "", 0, 0, 0, NULL, "dram"},
        {"powercap", "powercap:::ENERGY_UJ:ZONE1", "", 0, 9000000, 0, NULL, ""},
        {"powercap", "powercap:::NAME:ZONE1", "", 0, 0, 0, NULL, "psys"}};
    static const fake_event perf[] = {
        {"perf_event_uncore", "amd64_rapl::RAPL_ENERGY_PKG", "", 0, INT64_C(4294967296), 0, NULL, ""},
        {"perf_event_uncore", "amd64_fam19h_zen3_l3::UNC_L3_MISSES", "", 0, 5, 0, NULL, ""}};
    check_joules(rapl, 6, 3.25, "DRAM_ENERGY", "PP0");
    check_joules(powercap, 3, 3.0, "ENERGY_UJ:ZONE0", "SUBZONE");
    check_joules(powercap, 9, 3.5, "ENERGY_UJ:ZONE0, powercap:::ENERGY_UJ:ZONE0_SUBZONE1", "ENERGY_UJ:ZONE1");
    check_joules(perf, 2, 1.0, "RAPL_ENERGY_PKG:cpu=", "L3");
}

/* Until it moves, a counter may say what it has counted since the machine was started; and one that may not be read
 * never moves. */
static void counters_that_stand_still_are_not_believed(void **state)
{
    (void)state;
    static const fake_event denied[] = {{"powercap", "powercap:::ENERGY_UJ:ZONE0", "", 0, 0, 0, NULL, ""},
                                        {"nvml", "nvml:::Some_Device:device_0:temperature", "C", 60, 0, 0, NULL, ""}};
    static const fake_event late[] = {{"powercap", "powercap:::ENERGY_UJ:ZONE0", "", 0, 2000000, 0, NULL, ""}};
    scalay_meter *meter = NULL;
    assert_fails(OPEN(denied, NULL, &meter), SCALAY_ERROR_UNSUPPORTED, "powercap:::ENERGY_UJ:ZONE0 does not change");
    assert_non_null(strstr(scalay_error_message(), "energy_uj"));
    fake_says_all = 2;
    check_joules(late, 1, 2.0, "ENERGY_UJ:ZONE0", "SUBZONE");
    fake_says_all = 0;
}

/* The counter begins again from 0; another event tells after how much. Without that, a fall is an error. */
static void a_counter_wraps_around(void **state)
{
    (void)state;
    static const fake_event wraps[] = {
        {"powercap", "powercap:::ENERGY_UJ:ZONE0", "uJ", 4000000, 3000000, 10000000, NULL, ""},
        {"powercap", "powercap:::MAX_ENERGY_RANGE_UJ:ZONE0", "uJ", 10000000, 0, 0, NULL, ""}};
    scalay_meter *meter = NULL;
    scalay_status status = SCALAY_SUCCESS;
    double first = 0.0, now = 0.0;
    assert_int_equal(OPEN(wraps, NULL, &meter), SCALAY_SUCCESS);
    assert_int_equal(scalay_meter_read(meter, &first), SCALAY_SUCCESS);
    for (int k = 1; k < 50; k++) {
        assert_int_equal(scalay_meter_read(meter, &now), SCALAY_SUCCESS);
        assert_true(fabs(now - first - 3.0 * k) < 1e-9);
    }
    scalay_meter_destroy(&meter);
    assert_int_equal(open_machine(wraps, 1, NULL, &meter), SCALAY_SUCCESS);
    for (int k = 0; k < 4; k++) status = status == SCALAY_SUCCESS ? scalay_meter_read(meter, &now) : status;
    assert_fails(status, SCALAY_ERROR_UNSUPPORTED, "decreased from 9000000 to 2000000");
    scalay_meter_destroy(&meter);
}

/* An accelerator has watts, which come on top of the processors' joules. */
static void an_accelerator_comes_on_top(void **state)
{
    (void)state;
    static const fake_event both[] = {
        {"nvml", "nvml:::Some_Device:device_0:power", "mW", 20000, 0, 0, NULL, ""},
        {"nvml", "nvml:::Some_Device:device_0:power_management_limit", "mW", 250000, 0, 0, NULL, ""},
        {"rapl", "rapl:::PACKAGE_ENERGY:PACKAGE0", "nJ", 0, 1000000000, 0, NULL, ""}};
    scalay_meter *meter = NULL;
    double before = 0.0, after = 0.0;
    assert_int_equal(OPEN(both, NULL, &meter), SCALAY_SUCCESS);
    assert_int_equal(scalay_meter_read(meter, &before), SCALAY_SUCCESS);
    const double begin = scalay_clock();
    scalay_sleep(0.3);
    assert_int_equal(scalay_meter_read(meter, &after), SCALAY_SUCCESS);
    const double expected = 1.0 + 20.0 * (scalay_clock() - begin);
    assert_true(fabs((after - before) / expected - 1.0) < 0.05);
    fake_disappears = 1;
    assert_fails(scalay_meter_read(meter, &after), SCALAY_ERROR_UNSUPPORTED, "the device is lost");
    scalay_meter_destroy(&meter);
    assert_int_equal(OPEN(both, "nvml:::Some_Device:device_0:power", &meter), SCALAY_SUCCESS);
    scalay_meter_destroy(&meter);
    assert_fails(OPEN(both, "nvml:::Some_Device:device_0:power_management_limit", &meter), SCALAY_ERROR_ARGUMENT,
                 "it must be joules or watts");
}

/* Nothing to be found: every place that was tried is named, with its reason, and what could help. */
static void what_was_tried_is_told(void **state)
{
    (void)state;
    static const fake_event denied[] = {
        {"perf_event_uncore", "rapl::RAPL_ENERGY_PKG", "", 0, 1, 0, "Permission level does not permit operation", ""},
        {"nvml", "nvml:::Some_Device:device_0:temperature", "C", 60, 0, 0, NULL, ""}};
    scalay_meter *meter = NULL;
    assert_fails(OPEN(denied, NULL, &meter), SCALAY_ERROR_UNSUPPORTED, "rapl: not in this machine");
    assert_non_null(strstr(scalay_error_message(), "Permission level does not permit operation"));
    assert_non_null(strstr(scalay_error_message(), "powercap: not in this machine"));
    assert_non_null(strstr(scalay_error_message(), "perf_event_paranoid"));
    assert_non_null(strstr(scalay_error_message(), "model:"));
    assert_fails(OPEN(denied, "bogus:::EVENT", &meter), SCALAY_ERROR_UNSUPPORTED, "bogus:::EVENT: no such event");
    for (int n = 1; n <= 4; n++) {
        scalay_memory_fail_at(n);
        assert_int_not_equal(OPEN(denied, "rapl::RAPL_ENERGY_PKG", &meter), SCALAY_SUCCESS);
        scalay_memory_fail_at(0);
    }
}

/* ------------------------------------------------------------------------------------------------- counters */

static scalay_counters_summary summary_of(const scalay_counters *counters)
{
    scalay_counters_summary summary = {0};
    assert_int_equal(scalay_counters_get_summary(counters, &summary), SCALAY_SUCCESS);
    return summary;
}

static void what_is_not_counted_is_named(void **state)
{
    (void)state;
    static const fake_event events[] = {{"cpu", "CYCLES", "", 0, 1000, 0, NULL, ""},
                                        {"cpu", "FLOPS", "", 0, 10, 0, "Event exists, but is not available", ""},
                                        {"cpu", "MISSES", "", 0, 5, 0, NULL, ""}};
    scalay_counters *counters = NULL;
    int64_t count[2] = {0};
    fake_machine = events;
    fake_events = 3;
    fake_disappears = 0;
    assert_int_equal(scalay_counters_open(&fake, "CYCLES,FLOPS,MISSES,NONE", &counters), SCALAY_SUCCESS);
    assert_int_equal(summary_of(counters).count, 2);
    assert_string_equal(summary_of(counters).name[0], "CYCLES");
    assert_string_equal(summary_of(counters).name[1], "MISSES");
    assert_string_equal(summary_of(counters).unavailable,
                        "FLOPS: Event exists, but is not available; NONE: no such event");
    assert_int_equal(scalay_counters_stop(counters, count), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(summary_of(counters).threads, 0);
    assert_int_equal(scalay_counters_start(counters), SCALAY_SUCCESS);
    const int threads = summary_of(counters).threads; /* tools have threads of their own */
    assert_true(threads >= 1);
    assert_int_equal(scalay_counters_start(counters), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_counters_stop(counters, count), SCALAY_SUCCESS);
    assert_true(count[0] == 1000 * threads && count[1] == 5 * threads);
    fake_disappears = 1;
    assert_int_equal(scalay_counters_start(counters), SCALAY_SUCCESS);
    assert_fails(scalay_counters_stop(counters, count), SCALAY_ERROR_UNSUPPORTED, "the device is lost");
    scalay_counters_destroy(&counters);
    assert_int_equal(scalay_counters_open(&fake, "CYCLES,,MISSES", &counters), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_counters_open(&fake, "", &counters), SCALAY_ERROR_ARGUMENT);
    assert_null(counters);
}

static void *sleep_until_told(void *data)
{
    while (!atomic_load((atomic_int *)data)) scalay_sleep(1e-3);
    return NULL;
}

static void threads_that_are_not_counted_are_named(void **state)
{
    (void)state;
    static const fake_event events[] = {{"cpu", "CYCLES", "", 0, 1000, 0, NULL, ""}};
    scalay_counters *counters = NULL;
    int64_t count = 0;
    atomic_int is_over = 0;
    pthread_t thread;
    fake_machine = events;
    fake_events = 1;
    fake_disappears = 0;
    assert_int_equal(scalay_counters_open(&fake, "CYCLES,NONE", &counters), SCALAY_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, sleep_until_told, &is_over), 0);
    for (int k = 0; k < 4; k++) {
        fake_has_no_files = k % 2;
        assert_int_equal(scalay_counters_start(counters), SCALAY_SUCCESS);
        const char *missing = summary_of(counters).unavailable;
        assert_true(fake_has_no_files == (summary_of(counters).threads == 1));
        assert_true(fake_has_no_files == (strstr(missing, "too many files") != NULL));
        assert_true(strncmp(missing, "NONE: no such event", 19) == 0 && strlen(missing) < 60);
        assert_int_equal(scalay_counters_stop(counters, &count), SCALAY_SUCCESS);
        assert_true(count == 1000 * (k + summary_of(counters).threads)); /* the first set has been read before */
    }
    fake_has_no_files = 0;
    atomic_store(&is_over, 1);
    (void)pthread_join(thread, NULL);
    scalay_counters_destroy(&counters);
}

/* Whatever this machine has: time of the process by the kernel, or a word about what is missing. */
static void the_real_library_counts_or_says_why_not(void **state)
{
    (void)state;
    scalay_counters *counters = NULL;
    scalay_meter *meter = NULL;
    int64_t nanoseconds = 0;
    volatile double sum = 0.0;
    const scalay_status status = scalay_counters_create("perf::TASK-CLOCK", &counters);
    if (status != SCALAY_SUCCESS) {
        assert_int_equal(status, SCALAY_ERROR_UNSUPPORTED);
        print_message("%s\n", scalay_error_message());
    } else if (summary_of(counters).count == 0) {
        assert_non_null(strstr(summary_of(counters).unavailable, "perf::TASK-CLOCK"));
        print_message("%s\n", summary_of(counters).unavailable);
    } else {
        const double begin = scalay_clock();
        assert_int_equal(scalay_counters_start(counters), SCALAY_SUCCESS);
        for (int k = 0; k < 10000000; k++) sum = sum + k;
        assert_int_equal(scalay_counters_stop(counters, &nanoseconds), SCALAY_SUCCESS);
        assert_true(sum > 0.0);
        assert_true(nanoseconds > 100000 && 1e-9 * (double)nanoseconds < 1.5 * (scalay_clock() - begin));
    }
    scalay_counters_destroy(&counters);
    if (scalay_meter_create("auto", &meter) != SCALAY_SUCCESS) {
        print_message("%s\n", scalay_error_message());
        assert_non_null(strstr(scalay_error_message(), "PAPI"));
    }
    scalay_meter_destroy(&meter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_processors_energy_is_found, nothing_is_left),
        cmocka_unit_test_teardown(counters_that_stand_still_are_not_believed, nothing_is_left),
        cmocka_unit_test_teardown(a_counter_wraps_around, nothing_is_left),
        cmocka_unit_test_teardown(an_accelerator_comes_on_top, nothing_is_left),
        cmocka_unit_test_teardown(what_was_tried_is_told, nothing_is_left),
        cmocka_unit_test_teardown(what_is_not_counted_is_named, nothing_is_left),
        cmocka_unit_test_teardown(threads_that_are_not_counted_are_named, nothing_is_left),
        cmocka_unit_test_teardown(the_real_library_counts_or_says_why_not, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
