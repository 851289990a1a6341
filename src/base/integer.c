#include "base/integer.h"

#include <limits.h>

int scalay_add_int64(int64_t a, int64_t b, int64_t *sum)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return 0;
    *sum = a + b;
    return 1;
}

int scalay_multiply_int64(int64_t a, int64_t b, int64_t *product)
{
#if defined(__GNUC__)
    int64_t value;
    if (__builtin_mul_overflow(a, b, &value)) return 0;
#else
    if (a != 0 && b != 0) {
        if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return 0;
        if (a != -1 && b != -1) {
            if ((a > 0) == (b > 0) ? (a > 0 ? a > INT64_MAX / b : a < INT64_MAX / b)
                                   : (a > 0 ? b < INT64_MIN / a : a < INT64_MIN / b))
                return 0;
        }
    }
    int64_t value = a * b;
#endif
    *product = value;
    return 1;
}

int64_t scalay_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

scalay_status scalay_to_int(int64_t value, const char *function, const char *what, int *narrow)
{
    if (value < INT_MIN || value > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, function, "%s = %lld does not fit the 32-bit integer it needs", what,
                           (long long)value);
    *narrow = (int)value;
    return SCALAY_SUCCESS;
}
