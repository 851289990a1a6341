#include "measure/blas.h"
#include "measure/work.h"

/* Column by column: A and C are size x n. */
static scalay_status prepare_dgemm(void *data, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_work_item *item = data;
    SCALAY_TRY(scalay_work_check_size(size));
    SCALAY_TRY(scalay_work_fill(item, 0, size, item->n));
    SCALAY_TRY(scalay_work_fill(item, 1, item->n, item->n));
    SCALAY_TRY(scalay_work_fill(item, 2, size, item->n));
cleanup:
    return status;
}

static scalay_status run_dgemm(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    const int m = (int)size;
    const int n = (int)item->n;
    const double one = 1.0;
    dgemm_("N", "N", &m, &n, &n, &one, item->array[0], &m, item->array[1], &n, &one, item->array[2], &m, 1, 1);
    return SCALAY_SUCCESS;
}

static double flops_dgemm(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    return 2.0 * (double)size * (double)item->n * (double)item->n;
}

/* What has to come from memory when caches hold what is used again: A, B and C once, C once more back. */
static double bytes_dgemm(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    return 8.0 * (double)item->n * (3.0 * (double)size + (double)item->n);
}

static scalay_status begin_dgemm(const char *arguments, scalay_work_item *item)
{
    item->kernel.prepare = prepare_dgemm;
    item->kernel.run = run_dgemm;
    item->kernel.flops = flops_dgemm;
    item->kernel.bytes = bytes_dgemm;
    return scalay_work_read("dgemm", arguments, item, NULL);
}

static scalay_status prepare_dgemv(void *data, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_work_item *item = data;
    SCALAY_TRY(scalay_work_check_size(size));
    SCALAY_TRY(scalay_work_fill(item, 0, size, item->n));
    SCALAY_TRY(scalay_work_fill(item, 1, 1, item->n));
    SCALAY_TRY(scalay_work_fill(item, 2, size, 1));
cleanup:
    return status;
}

static scalay_status run_dgemv(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    const int m = (int)size;
    const int n = (int)item->n;
    const int step = 1;
    const double one = 1.0;
    const double none = 0.0;
    dgemv_("N", &m, &n, &one, item->array[0], &m, item->array[1], &step, &none, item->array[2], &step, 1);
    return SCALAY_SUCCESS;
}

static double flops_dgemv(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    return 2.0 * (double)size * (double)item->n;
}

static double bytes_dgemv(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    return 8.0 * ((double)size * (double)item->n + (double)size + (double)item->n);
}

static scalay_status begin_dgemv(const char *arguments, scalay_work_item *item)
{
    item->kernel.prepare = prepare_dgemv;
    item->kernel.run = run_dgemv;
    item->kernel.flops = flops_dgemv;
    item->kernel.bytes = bytes_dgemv;
    return scalay_work_read("dgemv", arguments, item, NULL);
}

const scalay_work_kind scalay_work_dgemm = {"dgemm", begin_dgemm};
const scalay_work_kind scalay_work_dgemv = {"dgemv", begin_dgemv};
