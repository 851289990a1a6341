#include "io/format.h"

#include <string.h>

#include "io/market.h"
#include "io/npy.h"

static const scalay_format formats[] = {
    {SCALAY_FILE_NPY, ".npy", ".npy", SCALAY_NPY_MAGIC, scalay_npy_parse, scalay_npy_read, scalay_npy_write},
    {SCALAY_FILE_MATRIX_MARKET, "Matrix Market", ".mtx", SCALAY_MARKET_MAGIC, scalay_market_parse, scalay_market_read,
     scalay_market_write},
};

enum { FORMATS = (int)(sizeof formats / sizeof formats[0]) };

const scalay_format *scalay_format_find(scalay_file_format format)
{
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].format == format) return &formats[k];
    return NULL;
}

const scalay_format *scalay_format_of_head(const scalay_file_head *head)
{
    for (int k = 0; k < FORMATS; k++) {
        size_t length = strlen(formats[k].magic);
        if (head->length >= (int64_t)length && memcmp(head->bytes, formats[k].magic, length) == 0) return &formats[k];
    }
    return NULL;
}

static int same_in_any_case(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char small = *a >= 'A' && *a <= 'Z' ? (char)(*a | 0x20) : *a;
        if (small != *b) return 0;
    }
    return *a == *b;
}

const scalay_format *scalay_format_of_path(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (int k = 0; ending != NULL && k < FORMATS; k++)
        if (same_in_any_case(ending, formats[k].ending)) return &formats[k];
    return NULL;
}

int scalay_format_holds(scalay_type type)
{
    return type >= SCALAY_FLOAT && type <= SCALAY_INT;
}

scalay_byte_order scalay_byte_order_here(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? SCALAY_LITTLE_ENDIAN : SCALAY_BIG_ENDIAN;
}
