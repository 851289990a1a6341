#include "dropin/scale.h"

#include <complex.h>
#include <string.h>

int scalay_is_zero(scalay_type type, const void *scalar)
{
    switch (type) {
    case SCALAY_FLOAT:
        return *(const float *)scalar == 0;
    case SCALAY_DOUBLE:
        return *(const double *)scalar == 0;
    case SCALAY_COMPLEX_FLOAT:
        return *(const float _Complex *)scalar == 0;
    default:
        return *(const double _Complex *)scalar == 0;
    }
}

int scalay_is_one(scalay_type type, const void *scalar)
{
    switch (type) {
    case SCALAY_FLOAT:
        return *(const float *)scalar == 1;
    case SCALAY_DOUBLE:
        return *(const double *)scalar == 1;
    case SCALAY_COMPLEX_FLOAT:
        return *(const float _Complex *)scalar == 1;
    default:
        return *(const double _Complex *)scalar == 1;
    }
}

#define ELEMENT float
#define SCALE_COLUMN scale_float
#include "dropin/scale_worker.h"
#define ELEMENT double
#define SCALE_COLUMN scale_double
#include "dropin/scale_worker.h"
#define ELEMENT float _Complex
#define SCALE_COLUMN scale_complex_float
#include "dropin/scale_worker.h"
#define ELEMENT double _Complex
#define SCALE_COLUMN scale_complex_double
#include "dropin/scale_worker.h"

static void scale_column(scalay_type type, int64_t count, const void *factor, void *column)
{
    switch (type) {
    case SCALAY_FLOAT:
        scale_float(count, factor, column);
        break;
    case SCALAY_DOUBLE:
        scale_double(count, factor, column);
        break;
    case SCALAY_COMPLEX_FLOAT:
        scale_complex_float(count, factor, column);
        break;
    default:
        scale_complex_double(count, factor, column);
        break;
    }
}

void scalay_scale(scalay_type type, const scalay_local_window *window, int64_t ld, const void *factor, void *array)
{
    const size_t size = scalay_type_size(type);
    const int64_t rows = window->row_end - window->row;
    const int is_zero = scalay_is_zero(type, factor);
    for (int64_t j = window->col; j < window->col_end; j++) {
        char *column = (char *)array + (size_t)(window->row + j * ld) * size;
        if (is_zero)
            memset(column, 0, (size_t)rows * size);
        else
            scale_column(type, rows, factor, column);
    }
}
