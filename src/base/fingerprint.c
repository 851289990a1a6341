/* FNV-1a hash (Fowler, Noll, Vo) over 64-bit words instead of bytes. */

#include "base/fingerprint.h"

#include <stddef.h>

uint64_t scalay_fingerprint_start(void)
{
    return 0xcbf29ce484222325u;
}

uint64_t scalay_fingerprint_add(uint64_t fingerprint, int64_t value)
{
    /* The product moves information to higher bits only. The shift returns it to the lower bits. */
    const uint64_t mixed = (fingerprint ^ (uint64_t)value) * 0x100000001b3u;
    return mixed ^ mixed >> 32;
}

uint64_t scalay_fingerprint_add_ints(uint64_t fingerprint, const int *values, int64_t count)
{
    if (values == NULL) return fingerprint;
    for (int64_t k = 0; k < count; k++) fingerprint = scalay_fingerprint_add(fingerprint, values[k]);
    return fingerprint;
}
