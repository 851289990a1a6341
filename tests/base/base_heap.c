/* Buffers that a routine requests in each call come from the same pages. */
#define _DEFAULT_SOURCE /* unsetenv, execv */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

enum { BUFFERS = 4, BUFFER = 100 << 10, CALLS = 50 };

static long page_faults(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* A call with buffers that are smaller than a mapped block, and together larger than the limit of the heap. */
static void call(void)
{
    char *volatile buffer[BUFFERS];
    for (int k = 0; k < BUFFERS; k++) {
        buffer[k] = malloc(BUFFER);
        assert_non_null(buffer[k]);
        memset(buffer[k], k, BUFFER);
    }
    for (int k = BUFFERS - 1; k >= 0; k--) free(buffer[k]);
}

static void later_calls_get_no_new_pages(void **state)
{
    (void)state;
    scalay_memory_keep_buffers();
    call();
    const long before = page_faults();
    for (int k = 0; k < CALLS; k++) call();
    assert_in_range(page_faults() - before, 0, CALLS);
}

int main(int argc, char **argv)
{
    static const char *const limits[] = {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"};
    const struct CMUnitTest tests[] = {cmocka_unit_test(later_calls_get_no_new_pages)};
    int has_limits = 0;
    /* Limits of the environment hold as long as the program runs. */
    for (int k = 0; k < 3; k++) {
        has_limits += getenv(limits[k]) != NULL;
        assert_int_equal(unsetenv(limits[k]), 0);
    }
    if (has_limits && argc > 0) execv(argv[0], argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
