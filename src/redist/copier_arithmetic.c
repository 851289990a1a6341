#include "redist/copier_ways.h"

/* Built without contraction to fused operations: an element is the same in the middle of a vector and at its end. */

#define REAL float
#define NAME(verb) verb##_single
#include "redist/copier_worker.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(verb) verb##_double
#include "redist/copier_worker.h"
#undef REAL
#undef NAME

void scalay_copier_combine(const scalay_copier *copier, const scalay_span *spans, int64_t count, const char *x, char *y,
                           int64_t stride)
{
    const void *from = x;
    if (copier->type == SCALAY_FLOAT)
        combine_real_single(copier, spans, count, from, y, stride);
    else if (copier->type == SCALAY_DOUBLE)
        combine_real_double(copier, spans, count, from, y, stride);
    else if (copier->type == SCALAY_COMPLEX_FLOAT)
        combine_complex_single(copier, spans, count, from, y, stride);
    else
        combine_complex_double(copier, spans, count, from, y, stride);
}
