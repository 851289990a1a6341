/* A power meter goes on when somebody sets the clock of the day back, and tells nothing that it has not read. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/integrator.h"
#include "measure/unit.h"

/* In place of the C library's, whose waiting goes by the system's: the clock of the day is an hour ahead, as it is when
 * it was set back right after it was read. */
int clock_gettime(clockid_t id, struct timespec *time)
{
    const long failed = syscall(SYS_clock_gettime, id, time);
    if (id == CLOCK_REALTIME) time->tv_sec += 3600;
    return (int)failed;
}

static scalay_status open_nothing(void *data)
{
    (void)data;
    return SCALAY_SUCCESS;
}

static void close_nothing(void *data)
{
    (void)data;
}

static scalay_status count_readings(void *data, double *watts)
{
    *watts = 1.0;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
    return SCALAY_SUCCESS;
}

static void naps_do_not_go_by_the_clock_of_the_day(void **state)
{
    (void)state;
    int readings = 0;
    scalay_integrator *integrator = NULL;
    const scalay_power_source source = {
        .open = open_nothing, .watts = count_readings, .close = close_nothing, .data = &readings};
    assert_int_equal(scalay_integrator_create(&source, 0.01, &scalay_clocks_system, &integrator), SCALAY_SUCCESS);
    for (int k = 0; k < 500 && __atomic_load_n(&readings, __ATOMIC_SEQ_CST) < 3; k++) scalay_sleep(0.01);
    scalay_integrator_destroy(&integrator);
    assert_true(readings >= 3);
}

/* The first reading is there at once, the second one hangs, and fails in the end. */
static scalay_status answer_and_hang(void *data, double *watts)
{
    *watts = 1000.0;
    if (__atomic_fetch_add((int *)data, 1, __ATOMIC_SEQ_CST) == 0) return SCALAY_SUCCESS;
    scalay_sleep(0.5);
    return scalay_error_set(SCALAY_ERROR_UNSUPPORTED, "it hangs");
}

static void no_joules_are_invented_for_a_source_that_hangs(void **state)
{
    (void)state;
    int readings = 0;
    double joules = 0.0;
    scalay_integrator *integrator = NULL;
    const scalay_power_source source = {
        .open = open_nothing, .watts = answer_and_hang, .close = close_nothing, .data = &readings};
    assert_int_equal(scalay_integrator_create(&source, 0.01, &scalay_clocks_system, &integrator), SCALAY_SUCCESS);
    scalay_sleep(0.1);
    assert_fails(scalay_integrator_read(integrator, &joules), SCALAY_ERROR_UNSUPPORTED, "it hangs");
    assert_fails(scalay_integrator_read(integrator, &joules), SCALAY_ERROR_UNSUPPORTED, "it hangs");
    scalay_integrator_destroy(&integrator);
    assert_int_equal(readings, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(naps_do_not_go_by_the_clock_of_the_day, nothing_is_left),
        cmocka_unit_test_teardown(no_joules_are_invented_for_a_source_that_hangs, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
