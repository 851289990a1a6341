/* Integer arithmetic that reports overflow instead of wrapping around. */

#include "base/integer.h"

#include <limits.h>

int scalay_add_int64(int64_t a, int64_t b, int64_t *sum)
{
    int64_t value;
    if (__builtin_add_overflow(a, b, &value)) return 0;
    *sum = value;
    return 1;
}

int scalay_multiply_int64(int64_t a, int64_t b, int64_t *product)
{
    int64_t value;
    if (__builtin_mul_overflow(a, b, &value)) return 0;
    *product = value;
    return 1;
}

int64_t scalay_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

scalay_status scalay_to_int(int64_t value, const char *function, const char *name, int *narrow)
{
    if (value < INT_MIN || value > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, function, "%s is %lld; it must fit a 32-bit integer (at most %d)", name,
                           (long long)value, INT_MAX);
    *narrow = (int)value;
    return SCALAY_SUCCESS;
}
