/* PAPI and the kernel as they are, on a virtual machine too, which has no counters in hardware, for what a processor
 * counts: where the kernel is asked for one of those, it gets a counter that the kernel keeps by itself in its place,
 * of which is known what it counts. From the list of components to joules, and from a thread to its events, nothing
 * else is stood in for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "measure/clock.h"
#include "measure/events.h"
#include "measure/unit.h"
#include "scalay/measure.h"

/* What the kernel calls the energy counters here. */
enum { TYPE = 1000 };

/* In place of the C library's, for those who want to know that. */
__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*next)(const char *path, const char *mode);
    static char type[8];
    if (next == NULL) {
        void *found = dlsym(RTLD_NEXT, "fopen");
        memcpy(&next, &found, sizeof next);
    }
    if (strcmp(path, "/sys/bus/event_source/devices/power/type") != 0) return next(path, mode);
    (void)snprintf(type, sizeof type, "%d\n", TYPE);
    return fmemopen(type, strlen(type), "r");
}

/* Likewise. A processor's own time stands for its energy, nanoseconds for the kernel's unit, 2^-32 J. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    enum { ARGUMENTS = 6 };
    static long (*next)(long number, ...);
    long argument[ARGUMENTS];
    struct perf_event_attr asked;
    va_list list;
    va_start(list, number);
    for (int k = 0; k < ARGUMENTS; k++) argument[k] = va_arg(list, long);
    va_end(list);
    if (next == NULL) {
        void *found = dlsym(RTLD_NEXT, "syscall");
        memcpy(&next, &found, sizeof next);
    }
    if (number == SYS_perf_event_open) {
        memcpy(&asked, (const void *)argument[0], sizeof asked);
        if (asked.type == PERF_TYPE_HARDWARE) asked.config = PERF_COUNT_SW_TASK_CLOCK;
        if (asked.type == TYPE) asked.config = PERF_COUNT_SW_CPU_CLOCK;
        if (asked.type == PERF_TYPE_HARDWARE || asked.type == TYPE) {
            asked.type = PERF_TYPE_SOFTWARE;
            argument[0] = (long)&asked;
        }
    }
    return next(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/* Seconds of the processor that this process has used, all its threads together. */
static double processor_seconds(void)
{
    struct rusage used;
    (void)getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* What a thread of the test is to do. */
enum { PHASE_WAIT, PHASE_WORK, PHASE_END };
static atomic_int phase;

static void *work_in_its_phase(void *data)
{
    while (atomic_load(&phase) != PHASE_END)
        if (atomic_load(&phase) == PHASE_WAIT) scalay_sleep(1e-3);
    return data;
}

/* Threads that are there before the counters start, and one that comes later: the kernel's count of the processor's
 * time is that of them all, as the kernel tells it by another way. */
static scalay_counters_summary summary_of(const scalay_counters *counters)
{
    scalay_counters_summary summary = {0};
    assert_int_equal(scalay_counters_get_summary(counters, &summary), SCALAY_SUCCESS);
    return summary;
}

static void threads_are_counted(void **state)
{
    (void)state;
    enum { EARLY = 2, ALL };
    pthread_t thread[ALL];
    scalay_counters *counters = NULL;
    int64_t nanoseconds = 0;
    if (scalay_counters_create("perf::TASK-CLOCK", &counters) != SCALAY_SUCCESS || summary_of(counters).count == 0) {
        scalay_counters_destroy(&counters);
        skip();
    }
    assert_int_equal(scalay_counters_start(counters), SCALAY_SUCCESS);
    const int before_them = summary_of(counters).threads; /* BLAS and tools may have some */
    assert_int_equal(scalay_counters_stop(counters, &nanoseconds), SCALAY_SUCCESS);
    atomic_store(&phase, PHASE_WAIT);
    for (int t = 0; t < EARLY; t++) assert_int_equal(pthread_create(&thread[t], NULL, work_in_its_phase, NULL), 0);
    const double before = processor_seconds();
    assert_int_equal(scalay_counters_start(counters), SCALAY_SUCCESS);
    assert_true(summary_of(counters).threads >= before_them + EARLY);
    atomic_store(&phase, PHASE_WORK);
    assert_int_equal(pthread_create(&thread[EARLY], NULL, work_in_its_phase, NULL), 0);
    scalay_sleep(0.5);
    atomic_store(&phase, PHASE_END);
    assert_int_equal(scalay_counters_stop(counters, &nanoseconds), SCALAY_SUCCESS);
    const double used = processor_seconds() - before;
    print_message("%g s were counted, %g s were used\n", 1e-9 * (double)nanoseconds, used);
    assert_true(used > 0.02 && fabs(1e-9 * (double)nanoseconds / used - 1.0) < 0.2);
    for (int t = 0; t < ALL; t++) (void)pthread_join(thread[t], NULL);
    scalay_counters_destroy(&counters);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) count++;
    return count;
}

/* Found by the name of the component, opened for a processor of each package, read, and turned into joules: a second
 * has 1e9 units of 2^-32 J. Where the machine has better counters, or the kernel forbids these, that is not seen. */
static void the_processors_energy_comes_through(void **state)
{
    (void)state;
    scalay_meter *meter = NULL;
    char about[600];
    double before = 0.0, after = 0.0;
    if (scalay_meter_create("papi", &meter) != SCALAY_SUCCESS) print_message("%s\n", scalay_error_message());
    (void)scalay_meter_describe(meter, about, sizeof about);
    print_message("%s\n", about);
    const int packages = count_of(about, "RAPL_ENERGY_PKG:cpu=");
    if (packages == 0) {
        scalay_meter_destroy(&meter);
        skip();
    }
    const double begin = scalay_clock();
    assert_int_equal(scalay_meter_read(meter, &before), SCALAY_SUCCESS);
    scalay_sleep(0.5);
    assert_int_equal(scalay_meter_read(meter, &after), SCALAY_SUCCESS);
    const double seconds = scalay_clock() - begin, expected = packages * seconds * 1e9 / 4294967296.0;
    print_message("%g J in %g s, and %g J were expected\n", after - before, seconds, expected);
    assert_true(after > before && fabs((after - before) / expected - 1.0) < 0.1);
    scalay_meter_destroy(&meter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(threads_are_counted, nothing_is_left),
        cmocka_unit_test_teardown(the_processors_energy_comes_through, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
