#include "measure/work.h"

/* Each row of size x n points is a bar whose ends keep their heat; both arrays of it are read and written in turn. */
static scalay_status prepare(void *data, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_work_item *item = data;
    SCALAY_TRY(scalay_work_fill(item, 0, size, item->n));
    SCALAY_TRY(scalay_work_fill(item, 1, size, item->n));
cleanup:
    return status;
}

static void step_bar(const double *restrict from, double *restrict to, int64_t n)
{
    for (int64_t i = 1; i < n - 1; i++) to[i] = from[i] + 0.25 * (from[i - 1] - 2.0 * from[i] + from[i + 1]);
}

static scalay_status run(void *data, int64_t size)
{
    scalay_work_item *item = data;
    double *from = item->array[0];
    double *to = item->array[1];
    for (int64_t bar = 0; bar < size; bar++) step_bar(from + bar * item->n, to + bar * item->n, item->n);
    item->array[0] = to;
    item->array[1] = from;
    return SCALAY_SUCCESS;
}

static double flops(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    return 5.0 * (double)size * (double)item->n;
}

static double bytes(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    return 16.0 * (double)size * (double)item->n;
}

static scalay_status begin(const char *arguments, scalay_work_item *item)
{
    item->kernel.prepare = prepare;
    item->kernel.run = run;
    item->kernel.flops = flops;
    item->kernel.bytes = bytes;
    return scalay_work_read("stencil", arguments, item, NULL);
}

const scalay_work_kind scalay_work_stencil = {"stencil", begin};
