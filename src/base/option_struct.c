/* Option structs of callers that may have been compiled against another version of the library. */

#include "base/option_struct.h"

#include <string.h>

void scalay_option_struct_fill(const void *defaults, size_t default_size, void *options, size_t size)
{
    if (options == NULL || size < sizeof(size_t)) return;
    memset(options, 0, size);
    memcpy(options, defaults, size < default_size ? size : default_size);
    memcpy(options, &size, sizeof size);
}

/* 1 if the caller has set a byte behind those that the library knows. */
static int has_unknown_fields(const unsigned char *given, size_t given_size, size_t size)
{
    for (size_t k = size; k < given_size; k++)
        if (given[k] != 0) return 1;
    return 0;
}

scalay_status scalay_option_struct_read(const void *given, void *options, size_t size, const char *function)
{
    size_t given_size = 0;
    if (given == NULL) return SCALAY_SUCCESS;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "size of the options is %zu; it must be set. Start from the _default() function of the "
                           "options",
                           given_size);
    if (has_unknown_fields(given, given_size, size))
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, function,
                           "options of %zu bytes set a field that this library (%zu bytes) does not have. Compile with "
                           "the headers of the installed library",
                           given_size, size);
    memcpy(options, given, given_size < size ? given_size : size);
    memcpy(options, &size, sizeof size);
    return SCALAY_SUCCESS;
}
