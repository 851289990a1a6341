#ifndef SCALAY_TESTS_MEASURE_UNIT_H
#define SCALAY_TESTS_MEASURE_UNIT_H

/** @file What the unit tests of meters share. */

#include <string.h>

#include "support/serial.h"

/** A status, and words that the message has. */
#define assert_fails(call, expected, words)                                                                            \
    do {                                                                                                               \
        assert_int_equal((call), (expected));                                                                          \
        if (strstr(scalay_error_message(), (words)) == NULL) fail_msg("\"%s\"", scalay_error_message());               \
    } while (0)

#endif
