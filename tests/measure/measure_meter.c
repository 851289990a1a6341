/* Meters that need no hardware, checked against what they were told: models, commands, power that is added up. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "measure/clock.h"
#include "measure/meter.h"
#include "measure/unit.h"
#include "scalay/measure.h"

/* ------------------------------------------------------------------------------- meters that are told things */

static void a_model_is_read_strictly(void **state)
{
    (void)state;
    static const char *const bad[] = {"model:base",   "model:base=",      "model:base=-1",        "model:base=nan",
                                      "model:watt=3", "model:base=1,",    "model:base=1,base=1",  "model:,",
                                      "model:",       "model:flop=1e-9x", "model:base=1 ,flop=2", "model:base=inf"};
    scalay_meter *meter = NULL;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(scalay_meter_create(bad[k], &meter), SCALAY_ERROR_ARGUMENT);
        assert_null(meter);
    }
    assert_int_equal(scalay_meter_create("model:byte=2,flop=0.5", &meter), SCALAY_SUCCESS);
    double joules = 0.0, watts = 1.0;
    assert_int_equal(scalay_meter_work(meter, 10.0, 3.0), SCALAY_SUCCESS);
    assert_int_equal(scalay_meter_work(meter, -1.0, 3.0), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_meter_work(meter, 1.0, NAN), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_meter_read(meter, &joules), SCALAY_SUCCESS);
    assert_true(joules == 11.0);
    assert_int_equal(scalay_meter_static_power(meter, 5.0, &watts), SCALAY_SUCCESS);
    assert_true(watts == 0.0);
    assert_int_equal(scalay_meter_check_sleep(NAN, "me"), SCALAY_ERROR_ARGUMENT);
    assert_true(scalay_meter_is_modelled(meter));
    scalay_meter_destroy(&meter);
    assert_null(meter);
}

static void what_is_no_meter_is_refused(void **state)
{
    (void)state;
    scalay_meter *meter = NULL;
    double joules = 0.0;
    char text[8];
    assert_fails(scalay_meter_create("wattmeter", &meter), SCALAY_ERROR_ARGUMENT, "auto, none, papi, command, power");
    assert_int_equal(scalay_meter_create("", &meter), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_meter_create(NULL, &meter), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_meter_create("none", NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_meter_create("none:1", &meter), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_meter_read(NULL, &joules), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_meter_create("none", &meter), SCALAY_SUCCESS);
    assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "measures nothing");
    assert_int_equal(scalay_meter_describe(meter, text, sizeof text), (int)strlen("none: time only"));
    assert_string_equal(text, "none: t");
    assert_string_equal(scalay_meter_name(NULL), "none");
    assert_false(scalay_meter_is_modelled(meter));
    assert_int_equal(scalay_meter_work(NULL, 1.0, 1.0), SCALAY_SUCCESS);
    scalay_meter_destroy(&meter);
    for (int n = 1; n <= 2; n++) {
        scalay_memory_fail_at(n);
        assert_int_equal(scalay_meter_create("model:base=1", &meter), SCALAY_ERROR_MEMORY);
        scalay_memory_fail_at(0);
        assert_null(meter);
    }
}

/* ------------------------------------------------------------------------------------------------- commands */

static void put(const char *path, const char *words)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(words, file);
    fclose(file);
}

/* A file that is printed: it grows, then it falls, says nonsense, and is gone. */
static void a_command_is_read_until_it_is_of_no_use(void **state)
{
    (void)state;
    char path[] = "/tmp/measure_meter_XXXXXX", spec[64];
    scalay_meter *meter = NULL;
    double joules = 0.0;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    (void)snprintf(spec, sizeof spec, "command:cat %s", path);
    assert_fails(scalay_meter_create(spec, &meter), SCALAY_ERROR_UNSUPPORTED, "must print one number");
    put(path, "  12.5\n");
    assert_int_equal(scalay_meter_create(spec, &meter), SCALAY_SUCCESS);
    put(path, "1.5e3");
    assert_int_equal(scalay_meter_read(meter, &joules), SCALAY_SUCCESS);
    assert_true(joules == 1500.0);
    put(path, "1400");
    assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "must not decrease");
    put(path, "12 J");
    assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "12 J");
    put(path, "nan");
    assert_int_equal(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED);
    remove(path);
    assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "exit code 1");
    scalay_meter_destroy(&meter);
    assert_fails(scalay_meter_create("command:no_such_command_at_all", &meter), SCALAY_ERROR_UNSUPPORTED, "127");
    assert_int_equal(scalay_meter_create("command: ", &meter), SCALAY_ERROR_ARGUMENT);
}

/* A command that hangs is ended, and so is what it has started; much output is no harm. */
static void a_command_has_its_time(void **state)
{
    (void)state;
    char output[16], path[] = "/tmp/measure_meter_XXXXXX", command[128];
    const double begin = scalay_clock();
    assert_fails(scalay_command_run("sleep 60", 0.2, NULL, "me", output, sizeof output), SCALAY_ERROR_UNSUPPORTED,
                 "longer than 0.2 s");
    assert_fails(scalay_command_run("exec >&-; sleep 60", 0.2, NULL, "me", output, sizeof output),
                 SCALAY_ERROR_UNSUPPORTED, "longer than 0.2 s");
    assert_fails(scalay_command_run("kill -9 $$", 5.0, NULL, "me", output, sizeof output), SCALAY_ERROR_UNSUPPORTED,
                 "signal 9");
    const int file = mkstemp(path);
    close(file);
    (void)snprintf(command, sizeof command, "(sleep 0.5; rm %s) & echo 7 >&2; sleep 60", path);
    assert_int_equal(scalay_command_run(command, 0.1, NULL, "me", output, sizeof output), SCALAY_ERROR_UNSUPPORTED);
    scalay_sleep(0.8);
    assert_int_equal(access(path, F_OK), 0); /* who should have removed it is gone */
    remove(path);
    assert_int_equal(
        scalay_command_run("head -c 1000000 /dev/zero | tr '\\0' x", 20.0, NULL, "me", output, sizeof output),
        SCALAY_SUCCESS);
    assert_string_equal(output, "xxxxxxxxxxxxxxx");
    assert_true(scalay_clock() - begin < 30.0);
}

/* A command that hangs is waited for once, then for a short time, and then it is not asked any more, whoever asks. */
static void a_command_that_hangs_is_given_up(void **state)
{
    (void)state;
    char path[] = "/tmp/measure_meter_XXXXXX", spec[96];
    scalay_meter *meter = NULL;
    double joules = 0.0;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    remove(path);
    (void)snprintf(spec, sizeof spec, "command:test ! -e %s || sleep 60; echo 3", path);
    assert_int_equal(scalay_meter_create(spec, &meter), SCALAY_SUCCESS);
    put(path, "");
    assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "longer than 2 s");
    remove(path);
    assert_int_equal(scalay_meter_read(meter, &joules), SCALAY_SUCCESS); /* it was a hitch */
    put(path, "");
    assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "longer than 2 s");
    const double begin = scalay_clock();
    assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "longer than 0.2 s");
    for (int k = 0; k < 100; k++)
        assert_fails(scalay_meter_read(meter, &joules), SCALAY_ERROR_UNSUPPORTED, "not run again");
    assert_true(scalay_clock() - begin < 8.0);
    remove(path);
    scalay_meter_destroy(&meter);
}

static int is_asked_to_stop(void)
{
    return 1;
}

/* Who presses ctrl-C does not wait for a command that hangs; one that is about to answer is listened to. */
static void who_is_asked_to_stop_does_not_wait_long(void **state)
{
    (void)state;
    char output[16];
    const double begin = scalay_clock();
    assert_fails(scalay_command_run("sleep 60", 50.0, is_asked_to_stop, "me", output, sizeof output),
                 SCALAY_ERROR_UNSUPPORTED, "longer than 0.5 s");
    assert_true(scalay_clock() - begin < 20.0);
    assert_int_equal(scalay_command_run("echo 8", 50.0, is_asked_to_stop, "me", output, sizeof output), SCALAY_SUCCESS);
    assert_string_equal(output, "8\n");
}

/* How a command has ended cannot be known: that it has ended well is not assumed. */
static void children_that_nobody_waits_for_are_no_success(void **state)
{
    (void)state;
    char output[16];
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_fails(scalay_command_run("false", 5.0, NULL, "me", output, sizeof output), SCALAY_ERROR_UNSUPPORTED,
                 "SIGCHLD");
    signal(SIGCHLD, before);
    assert_int_equal(scalay_command_run("echo 5", 5.0, NULL, "me", output, sizeof output), SCALAY_SUCCESS);
    assert_string_equal(output, "5\n");
}

static void watts_are_added_up(void **state)
{
    (void)state;
    scalay_meter *meter = NULL;
    double before = 0.0, after = 0.0;
    assert_int_equal(scalay_meter_create("power:echo 8", &meter), SCALAY_SUCCESS);
    assert_int_equal(scalay_meter_read(meter, &before), SCALAY_SUCCESS);
    const double begin = scalay_clock();
    scalay_sleep(0.6);
    assert_int_equal(scalay_meter_read(meter, &after), SCALAY_SUCCESS);
    const double seconds = scalay_clock() - begin;
    assert_true(fabs((after - before) / (8.0 * seconds) - 1.0) < 0.05);
    scalay_meter_destroy(&meter);
    assert_fails(scalay_meter_create("power:echo -8", &meter), SCALAY_ERROR_UNSUPPORTED, "power must be");
    assert_fails(scalay_meter_create("power:false", &meter), SCALAY_ERROR_UNSUPPORTED, "exit code 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_model_is_read_strictly, nothing_is_left),
        cmocka_unit_test_teardown(what_is_no_meter_is_refused, nothing_is_left),
        cmocka_unit_test_teardown(a_command_is_read_until_it_is_of_no_use, nothing_is_left),
        cmocka_unit_test_teardown(a_command_has_its_time, nothing_is_left),
        cmocka_unit_test_teardown(a_command_that_hangs_is_given_up, nothing_is_left),
        cmocka_unit_test_teardown(who_is_asked_to_stop_does_not_wait_long, nothing_is_left),
        cmocka_unit_test_teardown(children_that_nobody_waits_for_are_no_success, nothing_is_left),
        cmocka_unit_test_teardown(watts_are_added_up, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
