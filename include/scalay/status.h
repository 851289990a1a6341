#ifndef SCALAY_STATUS_H
#define SCALAY_STATUS_H

/**
 * @file
 * Statuses and messages.
 *
 * Every ScaLAY function that can fail returns a scalay_status and, when it is not SCALAY_SUCCESS, leaves a sentence
 * behind that names the argument or the place in a file, the value found and the remedy, and starts with the function
 * unless several could have found the same: scalay_error_message(). The library never prints, exits or aborts.
 * Outputs are NULL (or untouched, for caller-owned arrays) on failure.
 *
 * Collective functions agree: every rank of the communicator returns the same status and holds the message of the
 * lowest rank on which something was wrong. The exceptions (the calls that move data) say so.
 */

#include "scalay/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One list makes the enumeration, the names and the default texts: X(name, value, text). */
#define SCALAY_STATUS_LIST(X)                                                                                          \
    X(SCALAY_SUCCESS, 0, "success")                                                                                    \
    X(SCALAY_ERROR_ARGUMENT, 1, "an argument is not valid")                                                            \
    X(SCALAY_ERROR_RANGE, 2, "a value does not fit the integer type that must hold it")                                \
    X(SCALAY_ERROR_MEMORY, 3, "memory could not be allocated")                                                         \
    X(SCALAY_ERROR_MISMATCH, 4, "objects that must agree do not")                                                      \
    X(SCALAY_ERROR_INFEASIBLE, 5, "the problem has no solution")                                                       \
    X(SCALAY_ERROR_UNSUPPORTED, 6, "not supported here")                                                               \
    X(SCALAY_ERROR_MPI, 7, "an MPI call failed")                                                                       \
    X(SCALAY_ERROR_BLACS, 8, "a BLACS or ScaLAPACK call failed")                                                       \
    X(SCALAY_ERROR_FILE, 9, "a file could not be opened, read or written")                                             \
    X(SCALAY_ERROR_FORMAT, 10, "the content of a file or text is not valid")                                           \
    X(SCALAY_ERROR_INTERNAL, 11, "an internal check failed: please report it")

/** What a call came to. */
typedef enum {
#define SCALAY_STATUS_ENUM(name, value, text) name = (value),
    SCALAY_STATUS_LIST(SCALAY_STATUS_ENUM)
#undef SCALAY_STATUS_ENUM
} scalay_status;

/**
 * The name of a status, such as "SCALAY_ERROR_RANGE". Not collective.
 * @param[in] status  any integer
 * @return a static string, "unknown status" for a value that is none
 */
SCALAY_API const char *scalay_status_name(scalay_status status);

/**
 * What a status means in general. Not collective.
 * @param[in] status  any integer
 * @return a static string, "unknown status" for a value that is none
 */
SCALAY_API const char *scalay_status_text(scalay_status status);

/**
 * The message of the last failed call of this thread. Not collective.
 * @return a string that stays valid until the next failed call of this thread; "" when none has failed
 */
SCALAY_API const char *scalay_error_message(void);

/**
 * Leaves a message behind as a failed call does: for bindings to other languages, which have checks of their own.
 * Not collective.
 * @param[in] status   what the call comes to
 * @param[in] message  copied, cut at 511 bytes; NULL means the text of the status
 * @return the status
 */
SCALAY_API scalay_status scalay_error_set(scalay_status status, const char *message);

#ifdef __cplusplus
}
#endif

#endif
