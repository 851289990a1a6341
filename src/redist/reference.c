#include "redist/reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

/* --------------------------------------------------------------------------------------------- places */

static int compare_rectangles(const void *left, const void *right)
{
    const scalay_rectangle *a = left, *b = right;
    if (a->col != b->col) return a->col < b->col ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

scalay_status scalay_place_table_create(const scalay_layout *layout, int rank, scalay_place_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    table->count = scalay_layout_rectangle_count(layout, rank);
    SCALAY_TRY(SCALAY_NEW(table->rectangles, table->count));
    for (int64_t k = 0; k < table->count; k++) {
        SCALAY_TRY(scalay_layout_rectangle(layout, rank, k, &table->rectangles[k]));
        table->widest = scalay_max_int64(table->widest, table->rectangles[k].cols);
    }
    qsort(table->rectangles, (size_t)table->count, sizeof *table->rectangles, compare_rectangles);
cleanup:
    return status;
}

/* How many rectangles start before element (row, col), or at it, by column and row. */
static int64_t count_before(const scalay_place_table *table, int64_t row, int64_t col)
{
    const scalay_rectangle at = {.row = row, .col = col};
    int64_t low = 0, high = table->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare_rectangles(&table->rectangles[middle], &at) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the rectangles that start in the same column, the last at or above the row may have it. */
int64_t scalay_place_table_find(const scalay_place_table *table, int64_t row, int64_t col)
{
    for (int64_t start = col; start >= 0 && start > col - table->widest;) {
        const int64_t k = count_before(table, row, start) - 1;
        if (k < 0) return -1;
        const scalay_rectangle *at = &table->rectangles[k];
        const int hit = at->row <= row && row < at->row + at->rows && at->col <= col && col < at->col + at->cols;
        if (hit) return at->offset + (row - at->row) + (col - at->col) * at->ld;
        start = scalay_min_int64(at->col, start - 1);
    }
    return -1;
}

void scalay_place_table_free(scalay_place_table *table)
{
    scalay_release(table->rectangles);
    *table = (scalay_place_table){0};
}

/* ------------------------------------------------------------------------------------------- arithmetic */

typedef struct {
    double re, im;
} number;

static int is_single(scalay_type type)
{
    return type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
}

static int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

/* To the precision of the elements. Sums and products of two floats that are rounded to double, and then to float, are
   what they would be if they were rounded once. */
static double rounded(scalay_type type, double value)
{
    return is_single(type) ? (double)(float)value : value;
}

static number load(scalay_type type, const char *from)
{
    double wide[2] = {0, 0};
    float narrow[2] = {0, 0};
    const size_t parts = is_complex(type) ? 2 : 1;
    if (!is_single(type)) {
        memcpy(wide, from, parts * sizeof *wide);
        return (number){wide[0], wide[1]};
    }
    memcpy(narrow, from, parts * sizeof *narrow);
    return (number){(double)narrow[0], (double)narrow[1]};
}

static void store(scalay_type type, number value, char *to)
{
    const double wide[2] = {value.re, value.im};
    const float narrow[2] = {(float)value.re, (float)value.im};
    memcpy(to, is_single(type) ? (const void *)narrow : (const void *)wide, scalay_type_size(type));
}

static number multiply(scalay_type type, const double a[2], number x)
{
    if (!is_complex(type)) return (number){rounded(type, a[0] * x.re), 0.0};
    return (number){
        rounded(type, rounded(type, a[0] * x.re) - rounded(type, a[1] * x.im)),
        rounded(type, rounded(type, a[0] * x.im) + rounded(type, a[1] * x.re)),
    };
}

/* No arithmetic: whatever the bits are, they stay. */
static void conjugate_bits(scalay_type type, char *element)
{
    if (type == SCALAY_COMPLEX_FLOAT) {
        float im = 0;
        memcpy(&im, element + sizeof im, sizeof im);
        im = -im;
        memcpy(element + sizeof im, &im, sizeof im);
    } else {
        double im = 0;
        memcpy(&im, element + sizeof im, sizeof im);
        im = -im;
        memcpy(element + sizeof im, &im, sizeof im);
    }
}

void scalay_reference_combine(const scalay_copier *how, const char *x, char *y)
{
    if (!how->scaled) {
        memcpy(y, x, how->size);
        if (how->conjugate) conjugate_bits(how->type, y);
        return;
    }
    number value = load(how->type, x);
    if (how->conjugate) value.im = -value.im;
    value = multiply(how->type, how->alpha, value);
    if (how->adds) {
        const number more = multiply(how->type, how->beta, load(how->type, y));
        value = (number){rounded(how->type, value.re + more.re), rounded(how->type, value.im + more.im)};
    }
    store(how->type, value, y);
}
