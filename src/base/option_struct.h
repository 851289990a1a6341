#ifndef SCALAY_BASE_OPTION_STRUCT_H
#define SCALAY_BASE_OPTION_STRUCT_H

/**
 * @file
 * Option structs of callers that may have been compiled against another version of the library.
 *
 * A public option struct begins with `size_t size`. scalay_<object>_options_default() is a static inline function in
 * the public header: it passes the size that the caller's compiler knows to scalay_<object>_options_init(). Therefore a
 * library with more fields reads only the fields that the caller has, and uses defaults for the others.
 */

#include <stddef.h>

#include "base/status.h"

/**
 * Fills the caller's struct with defaults. Not collective.
 * @param[in]  defaults      the library's struct, whose first member is a size_t
 * @param[in]  default_size  of the library's struct, in bytes
 * @param[out] options       the caller's struct; bytes that the library does not know become 0
 * @param[in]  size          of the caller's struct, in bytes
 */
void scalay_option_struct_fill(const void *defaults, size_t default_size, void *options, size_t size);

/**
 * Reads the caller's struct over the defaults. Not collective.
 * @param[in]     given     the caller's struct; NULL: the defaults stay
 * @param[in,out] options   the library's struct with the defaults of all its fields
 * @param[in]     size      of the library's struct, in bytes
 * @param[in]     function  public function, for messages
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT (`size` was not set); SCALAY_ERROR_UNSUPPORTED (the caller has set a
 *         field that this version of the library does not have)
 */
scalay_status scalay_option_struct_read(const void *given, void *options, size_t size, const char *function);

#endif
