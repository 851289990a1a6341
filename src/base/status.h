#ifndef SCALAY_BASE_STATUS_H
#define SCALAY_BASE_STATUS_H

/** @file How functions fail: SCALAY_FAIL makes the message, SCALAY_TRY leaves through the one label `cleanup`. */

#include "scalay/status.h"

/** Messages are cut at this many bytes. */
#define SCALAY_MESSAGE_SIZE 512

#if defined(__GNUC__)
#define SCALAY_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SCALAY_PRINTF(text, first)
#endif

/** Sets this thread's message to "function: ...", without a function that is not called scalay_..., and returns the
 *  status. */
scalay_status scalay_fail(scalay_status status, const char *function, const char *format, ...) SCALAY_PRINTF(3, 4);

/** Sets this thread's message as it stands. */
void scalay_set_message(const char *text);

/** Fails in the name of the function at hand (of nobody in a static helper: there, scalay_fail() can give the name of
 *  the public function): say argument, value found and remedy. */
#define SCALAY_FAIL(status, ...) scalay_fail((status), __func__, __VA_ARGS__)

/**
 * Checks that a pointer argument is not NULL. Not collective.
 * @param[in] pointer   the argument
 * @param[in] function  public function, for the message
 * @param[in] name      of the argument, such as "layout" or "operands[0].a"
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
scalay_status scalay_check_not_null(const void *pointer, const char *function, const char *name);

/** Evaluates a call; unless it succeeds, stores its status in the variable `status` and goes to `cleanup`. */
#define SCALAY_TRY(call)                                                                                               \
    do {                                                                                                               \
        if ((status = (call)) != SCALAY_SUCCESS) goto cleanup;                                                         \
    } while (0)

#endif
