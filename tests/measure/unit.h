#ifndef SCALAY_TESTS_MEASURE_UNIT_H
#define SCALAY_TESTS_MEASURE_UNIT_H

/** @file What the unit tests of meters share. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "scalay/status.h"

/** A status, and words that the message has. */
#define assert_fails(call, expected, words)                                                                            \
    do {                                                                                                               \
        assert_int_equal((call), (expected));                                                                          \
        if (strstr(scalay_error_message(), (words)) == NULL) fail_msg("\"%s\"", scalay_error_message());               \
    } while (0)

static inline int nothing_is_left(void **state)
{
    (void)state;
    return scalay_memory_live() == 0 ? 0 : -1;
}

#endif
