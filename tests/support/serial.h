#ifndef SCALAY_TESTS_SERIAL_H
#define SCALAY_TESTS_SERIAL_H

/** @file cmocka, and what programs with it share: statuses with the library's message, seeds, and no memory left. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those before */
#include <cmocka.h>

#include "base/memory.h"
#include "scalay/status.h"
#include "support/seed.h"

/** Fails with the library's message unless the call succeeds. */
#define assert_success(call) assert_status((call), SCALAY_SUCCESS, #call, __FILE__, __LINE__)

/** Fails with the library's message unless the call gives this status. */
#define assert_gives(call, expected) assert_status((call), (expected), #call, __FILE__, __LINE__)

static inline void assert_status(scalay_status status, scalay_status expected, const char *what, const char *file,
                                 int line)
{
    if (status == expected) return;
    print_error("%s is %s: %s\n", what, scalay_status_name(status), scalay_error_message());
    _fail(file, line);
}

/** The seed of a test, printed. */
static inline uint64_t test_seed(uint64_t otherwise)
{
    const uint64_t seed = wanted_seed(otherwise);
    print_message("SCALAY_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/** For after a test: fails when there is memory that nobody has released. */
static inline int nothing_is_left(void **state)
{
    (void)state;
    return scalay_memory_live() == 0 ? 0 : -1;
}

/** Runs an array of tests; what main() returns, not 0 when one fails or there is memory left. */
#define run_all_tests(tests) count_left(cmocka_run_group_tests((tests), NULL, NULL))

/* cmocka does not count what fails after a group, in a function of its own for that. */
static inline int count_left(int failed)
{
    const int64_t live = scalay_memory_live();
    if (live != 0) print_error("%lld pieces of memory have not been released\n", (long long)live);
    return failed + (live != 0);
}

#endif
