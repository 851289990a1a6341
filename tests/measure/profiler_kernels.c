/* The kernels that come along: what they compute, what a command may do, and what cannot be a kernel. */
#define _XOPEN_SOURCE 700
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "measure/clock.h"
#include "measure/work.h"

static scalay_work_item *make(const char *text, double timeout)
{
    scalay_profile_kernel *kernel = NULL;
    assert_int_equal(scalay_profile_kernel_create(text, timeout, &kernel), SCALAY_SUCCESS);
    return kernel->data;
}

static void destroy(scalay_work_item *item)
{
    scalay_profile_kernel *kernel = &item->kernel;
    scalay_profile_kernel_destroy(&kernel);
    assert_null(kernel);
    scalay_profile_kernel_destroy(&kernel);
}

static scalay_status run_once(scalay_work_item *item, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    if (item->kernel.prepare != NULL) status = item->kernel.prepare(item, size);
    return status == SCALAY_SUCCESS ? item->kernel.run(item, size) : status;
}

static double filled(int64_t k)
{
    return 1.0 / (double)(1 + k % 7);
}

static void dgemm_multiplies_size_by_n_by_n(void **state)
{
    (void)state;
    enum { M = 5, N = 3 };
    scalay_work_item *item = make("dgemm:n=3", 0.0);
    assert_string_equal(item->kernel.name, "dgemm n=3");
    assert_int_equal(run_once(item, M), SCALAY_SUCCESS);
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            double sum = filled(i + M * j);
            for (int64_t k = 0; k < N; k++) sum += filled(i + M * k) * filled(k + N * j);
            assert_true(fabs(item->array[2][i + M * j] - sum) < 1e-14);
        }
    assert_true(item->kernel.flops(item, M) == 2.0 * M * N * N);
    assert_true(item->kernel.bytes(item, M) == 8.0 * (3.0 * M * N + N * N));
    item->kernel.release(item);
    assert_null(item->array[0]);
    assert_int_equal(item->kernel.prepare(item, INT64_C(1) << 40), SCALAY_ERROR_RANGE);
    destroy(item);
}

static void dgemv_multiplies_by_a_vector(void **state)
{
    (void)state;
    enum { M = 4, N = 6 };
    scalay_work_item *item = make("dgemv:n=6", 0.0);
    assert_int_equal(run_once(item, M), SCALAY_SUCCESS);
    for (int64_t i = 0; i < M; i++) {
        double sum = 0.0;
        for (int64_t j = 0; j < N; j++) sum += filled(i + M * j) * filled(j);
        assert_true(fabs(item->array[2][i] - sum) < 1e-14);
    }
    assert_true(item->kernel.flops(item, M) == 48.0 && item->kernel.bytes(item, M) == 8.0 * (M * N + M + N));
    destroy(item);
}

/* Heat is neither made nor lost inside; the ends are what they were. */
static void stencil_steps_each_bar(void **state)
{
    (void)state;
    enum { BARS = 3, N = 8 };
    scalay_work_item *item = make("stencil:n=8", 0.0);
    assert_int_equal(run_once(item, BARS), SCALAY_SUCCESS);
    for (int64_t bar = 0; bar < BARS; bar++)
        for (int64_t i = 0; i < N; i++) {
            int64_t k = bar * N + i;
            double expected =
                i == 0 || i == N - 1 ? filled(k) : 0.25 * filled(k - 1) + 0.5 * filled(k) + 0.25 * filled(k + 1);
            assert_true(fabs(item->array[0][k] - expected) < 1e-15);
        }
    assert_int_equal(item->kernel.run(item, BARS), SCALAY_SUCCESS);
    assert_true(item->kernel.flops(item, BARS) == 120.0 && item->kernel.bytes(item, BARS) == 384.0);
    destroy(item);
    item = make("stencil:n=1", 0.0);
    assert_int_equal(run_once(item, 2), SCALAY_SUCCESS);
    destroy(item);
}

/* The first coefficient is the sum, wherever there is such a library; nothing is loaded before it is asked for. */
static void fft_is_what_its_library_does(void **state)
{
    (void)state;
    static const char library[] = "libfftw3.so.3";
    void *before = dlopen(library, RTLD_NOLOAD | RTLD_NOW);
    assert_null(before);
    void *found = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (found == NULL) skip();
    scalay_work_item *item = make("fft:n=6,library=libfftw3.so.3", 0.0);
    assert_string_equal(item->kernel.name, "fft n=6");
    assert_int_equal(run_once(item, 4), SCALAY_SUCCESS);
    double sum = 0.0;
    for (int64_t k = 0; k < 24; k++) sum += filled(2 * k);
    assert_true(fabs(item->array[1][0] - sum) < 1e-12);
    assert_true(fabs(item->kernel.flops(item, 4) - 5.0 * 24.0 * log2(24.0)) < 1e-9);
    assert_true(item->kernel.bytes(item, 4) == 64.0 * 24.0);
    item->kernel.release(item);
    assert_int_equal(run_once(item, 5), SCALAY_SUCCESS);
    destroy(item);
    (void)dlclose(found);
}

static void assert_fails(const char *command, double timeout, const char *word)
{
    scalay_work_item *item = make(command, timeout);
    assert_int_equal(run_once(item, 7), SCALAY_ERROR_UNSUPPORTED);
    assert_non_null(strstr(scalay_error_message(), word));
    destroy(item);
}

static void commands_get_the_size_and_are_judged_by_how_they_end(void **state)
{
    (void)state;
    scalay_work_item *item = make("command:test %s -eq 12 && test '%%d' = \"$(printf '%%%%d')\"; echo noise", 0.0);
    assert_non_null(strstr(item->kernel.name, "command test %s -eq 12"));
    assert_int_equal(run_once(item, 12), SCALAY_SUCCESS);
    destroy(item);
    item = make("command:test %s%s -eq 123123", 5.0);
    assert_int_equal(run_once(item, 123), SCALAY_SUCCESS);
    destroy(item);
    assert_fails("command:exit %s", 0.0, "exit code 7");
    assert_fails("command:kill -9 $$; : %s", 0.0, "signal 9");
    assert_fails("command:/nowhere/at/all %s 2>/dev/null", 0.0, "exit code 127");
}

/* A command is ended with all that it has started, and what it leaves behind does not hold up the rest. */
static void commands_that_take_too_long_are_ended(void **state)
{
    (void)state;
    double before = scalay_clock();
    assert_fails("command:sleep 60 & sleep 60; : %s", 0.05, "ended after 0.05 seconds");
    assert_fails("command:exec 3>&-; sleep 60; : %s", 0.05, "ended after");
    scalay_work_item *item = make("command:sleep 3 >/dev/null 2>&1 3>&1 & : %s", 0.0);
    assert_int_equal(run_once(item, 1), SCALAY_SUCCESS);
    destroy(item);
    assert_true(scalay_clock() - before < 30.0);
}

/* What a command leaves running does not count, and ends with it. */
static void what_a_command_leaves_behind_is_ended(void **state)
{
    (void)state;
    char path[] = "/tmp/profiler_kernels_XXXXXX", text[128];
    double least = INFINITY;
    const int file = mkstemp(path);
    (void)close(file);
    (void)snprintf(text, sizeof text, "command:(sleep 0.5; rm %s) & : %%s", path);
    scalay_work_item *item = make(text, 0.0);
    for (int k = 0; k < 10; k++) {
        const double begin = scalay_clock();
        assert_int_equal(run_once(item, 1), SCALAY_SUCCESS);
        least = fmin(least, scalay_clock() - begin);
    }
    destroy(item);
    assert_true(least < 0.05);
    scalay_sleep(0.8);
    assert_int_equal(access(path, F_OK), 0);
    (void)remove(path);
}

static void an_end_that_cannot_be_known_is_a_failure(void **state)
{
    (void)state;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_fails("command:false %s", 0.0, "SIGCHLD");
    assert_fails("command:false %s", 5.0, "SIGCHLD");
    (void)signal(SIGCHLD, before);
}

static void assert_refused(const char *text, double timeout, scalay_status expected, const char *word)
{
    scalay_profile_kernel *kernel = NULL;
    assert_int_equal(scalay_profile_kernel_create(text, timeout, &kernel), expected);
    assert_null(kernel);
    assert_non_null(strstr(scalay_error_message(), word));
}

static void what_is_no_kernel_is_refused(void **state)
{
    (void)state;
    const scalay_status argument = SCALAY_ERROR_ARGUMENT;
    assert_refused(NULL, 0.0, argument, "text is NULL");
    assert_refused("", 0.0, argument, "kernel is ''");
    assert_refused("dgemm", 0.0, argument, "kernel is 'dgemm'");
    assert_refused("dgem:n=4", 0.0, argument, "dgemm:n=N");
    assert_refused("dgemm:", 0.0, argument, "it must contain n=N");
    assert_refused("dgemm:n=0", 0.0, argument, "n=0");
    assert_refused("dgemm:n=4x", 0.0, argument, "n=4x");
    assert_refused("dgemm:n=4294967296", 0.0, argument, "n=4294967296");
    assert_refused("dgemm:m=4", 0.0, argument, "m=4");
    assert_refused("dgemm:n=4,library=x", 0.0, argument, "library=x");
    assert_refused("fft:n=4", 0.0, argument, "library=libfftw3.so.3");
    assert_refused("fft:n=4,library=", 0.0, argument, "library=");
    assert_refused("fft:n=4,library=/nowhere/at/all.so", 0.0, SCALAY_ERROR_UNSUPPORTED, "/nowhere/at/all.so");
    assert_refused("fft:n=4,library=libc.so.6", 0.0, SCALAY_ERROR_UNSUPPORTED, "fftw_execute");
    assert_refused("command:ls", 0.0, argument, "%s");
    assert_refused("command:ls %%s", 0.0, argument, "%s");
    assert_refused("command:ls %s", -1.0, argument, "timeout");
    assert_refused("command:ls %s", NAN, argument, "timeout");
    assert_int_equal(scalay_profile_kernel_create("dgemm:n=4", 0.0, NULL), argument);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    const char *const texts[] = {"dgemm:n=4", "dgemv:n=4", "stencil:n=4", "command: : %s"};
    for (int k = 0; k < 4; k++) {
        scalay_status status = SCALAY_ERROR_MEMORY;
        for (int n = 1; status == SCALAY_ERROR_MEMORY; n++) {
            scalay_profile_kernel *kernel = NULL;
            scalay_memory_fail_at(n);
            status = scalay_profile_kernel_create(texts[k], 0.0, &kernel);
            if (status == SCALAY_SUCCESS) status = run_once(kernel->data, 3);
            scalay_memory_fail_at(0);
            scalay_profile_kernel_destroy(&kernel);
            assert_int_equal(scalay_memory_live(), 0);
        }
        assert_int_equal(status, SCALAY_SUCCESS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dgemm_multiplies_size_by_n_by_n),
        cmocka_unit_test(dgemv_multiplies_by_a_vector),
        cmocka_unit_test(stencil_steps_each_bar),
        cmocka_unit_test(fft_is_what_its_library_does),
        cmocka_unit_test(commands_get_the_size_and_are_judged_by_how_they_end),
        cmocka_unit_test(commands_that_take_too_long_are_ended),
        cmocka_unit_test(what_a_command_leaves_behind_is_ended),
        cmocka_unit_test(an_end_that_cannot_be_known_is_a_failure),
        cmocka_unit_test(what_is_no_kernel_is_refused),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed != 0 || scalay_memory_live() != 0;
}
