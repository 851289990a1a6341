/* Sizes and names of element types. */

#include "scalay/types.h"

static const struct {
    size_t size;
    const char *name;
} types[] = {
    [SCALAY_FLOAT] = {sizeof(float), "s"},
    [SCALAY_DOUBLE] = {sizeof(double), "d"},
    [SCALAY_COMPLEX_FLOAT] = {2 * sizeof(float), "c"},
    [SCALAY_COMPLEX_DOUBLE] = {2 * sizeof(double), "z"},
    [SCALAY_INT] = {sizeof(int), "i"},
};

static int is_raw(scalay_type type)
{
    return type > SCALAY_RAW_BASE && type <= SCALAY_RAW(SCALAY_RAW_MAX);
}

size_t scalay_type_size(scalay_type type)
{
    if (is_raw(type)) return (size_t)(type - SCALAY_RAW_BASE);
    return type >= SCALAY_FLOAT && type <= SCALAY_INT ? types[type].size : 0;
}

const char *scalay_type_name(scalay_type type)
{
    if (is_raw(type)) return "raw";
    return type >= SCALAY_FLOAT && type <= SCALAY_INT ? types[type].name : "unknown";
}
