/* Element types: the five of ScaLAPACK, and opaque elements of a given size. */
#include <stdio.h>
#include <string.h>

#include "scalay/types.h"

int main(void)
{
    const scalay_type types[] = {SCALAY_FLOAT,          SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT,
                                 SCALAY_COMPLEX_DOUBLE, SCALAY_INT,    SCALAY_RAW(24)};
    size_t bytes = 0;
    for (int k = 0; k < 6; k++) {
        printf("%s: %zu bytes\n", scalay_type_name(types[k]), scalay_type_size(types[k]));
        bytes += scalay_type_size(types[k]);
    }
    int right = bytes == 4 + 8 + 8 + 16 + sizeof(int) + 24;
    right &= scalay_type_size(0) == 0 && strcmp(scalay_type_name(0), "unknown") == 0;
    return right ? 0 : 1;
}
