#ifndef SCALAY_BASE_STATUS_H
#define SCALAY_BASE_STATUS_H

/** @file Failure of functions: SCALAY_FAIL sets the message, SCALAY_TRY jumps to the label `cleanup`. */

#include <stdint.h>

#include "scalay/status.h"

/** Maximum size of a message in bytes, including the NUL. */
#define SCALAY_MESSAGE_SIZE 512

#if defined(__GNUC__)
#define SCALAY_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SCALAY_PRINTF(text, first)
#endif

/** Sets the message of the calling thread to "function: ..." and returns the status. The prefix is left out unless the
 *  name of the function starts with scalay_. */
scalay_status scalay_fail(scalay_status status, const char *function, const char *format, ...) SCALAY_PRINTF(3, 4);

/** Sets the message of the calling thread. */
void scalay_set_message(const char *text);

/** Fails in the name of the current function. Give argument, value found, allowed values and remedy. A static helper
 * calls scalay_fail() with the name of its public function. */
#define SCALAY_FAIL(status, ...) scalay_fail((status), __func__, __VA_ARGS__)

/**
 * Checks that a pointer argument is not NULL. Not collective.
 * @param[in] pointer   the argument
 * @param[in] function  public function, for the message
 * @param[in] name      of the argument, such as "layout" or "operands[0].a"
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
scalay_status scalay_check_not_null(const void *pointer, const char *function, const char *name);

/** Checks that an integer argument is at least `min`. Not collective. As scalay_check_not_null(). */
scalay_status scalay_check_at_least(int64_t value, int64_t min, const char *function, const char *name);

/** Checks that an integer argument is in min .. max. Not collective. As scalay_check_not_null(). */
scalay_status scalay_check_range(int64_t value, int64_t min, int64_t max, const char *function, const char *name);

/** Stores the status of a call in the variable `status`. Jumps to `cleanup` if the call failed. */
#define SCALAY_TRY(call)                                                                                               \
    do {                                                                                                               \
        if ((status = (call)) != SCALAY_SUCCESS) goto cleanup;                                                         \
    } while (0)

#endif
