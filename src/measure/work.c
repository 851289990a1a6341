/*
 * Kernels of the profiler: reading their names, and the kernels dgemm, dgemv and stencil.
 *
 * A kernel is called with a size s: dgemm multiplies s x n by n x n, dgemv multiplies s x n by a vector, and stencil
 * makes a step of the heat equation on s bars of n points. work_fft.c and work_command.c have the other kernels.
 */
#include "measure/work.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "measure/blas.h"

/* -------------------------------------------------------------------------------------------- arguments and objects */

static const scalay_work_kind *const kinds[] = {&scalay_work_dgemm, &scalay_work_dgemv, &scalay_work_fft,
                                                &scalay_work_stencil, &scalay_work_command};
enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]) };

static scalay_status refuse(const char *what, const char *found, const char *remedy)
{
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profile_kernel_create", "%s is '%.200s'; %s", what, found,
                       remedy);
}

static scalay_status copy_text(const char *text, size_t length, char **copy)
{
    scalay_status status = SCALAY_NEW(*copy, (int64_t)length + 1);
    if (status == SCALAY_SUCCESS) memcpy(*copy, text, length);
    return status;
}

static scalay_status read_key(const char *key, size_t length, scalay_work_item *item, char **library)
{
    static const char name[] = "library=";
    if (strncmp(key, "n=", 2) == 0 && scalay_text_to_int64(key + 2, length - 2, &item->n) == SCALAY_NUMBER_VALID &&
        item->n >= 1 && item->n <= INT_MAX)
        return SCALAY_SUCCESS;
    if (library != NULL && *library == NULL && length >= sizeof name && strncmp(key, name, sizeof name - 1) == 0)
        return copy_text(key + sizeof name - 1, length - (sizeof name - 1), library);
    return refuse("argument", key,
                  library != NULL ? "it must be n=N, a positive integer, or library=FILE"
                                  : "it must be n=N, a positive integer");
}

scalay_status scalay_work_read(const char *kind, const char *arguments, scalay_work_item *item, char **library)
{
    scalay_status status = SCALAY_SUCCESS;
    char rest[32];
    for (const char *at = arguments; *at != '\0';) {
        size_t length = strcspn(at, ",");
        SCALAY_TRY(read_key(at, length, item, library));
        at += length + (at[length] == ',');
    }
    if (item->n == 0) SCALAY_TRY(refuse("argument list", arguments, "it must contain n=N, such as n=1024"));
    (void)snprintf(rest, sizeof rest, "n=%lld", (long long)item->n);
    status = scalay_work_set_name(item, kind, rest);
cleanup:
    return status;
}

scalay_status scalay_work_set_name(scalay_work_item *item, const char *kind, const char *rest)
{
    scalay_status status = SCALAY_SUCCESS;
    size_t size = strlen(kind) + strlen(rest) + 2;
    SCALAY_TRY(SCALAY_NEW(item->name, (int64_t)size));
    (void)snprintf(item->name, size, "%s %s", kind, rest);
    item->kernel.name = item->name;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- arrays */

scalay_status scalay_work_fill(scalay_work_item *item, int k, int64_t rows, int64_t cols)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0;
    if (!scalay_multiply_int64(rows, cols, &count))
        return scalay_fail(SCALAY_ERROR_RANGE, "", "%s: %lld x %lld elements do not fit into memory; use smaller sizes",
                           item->name, (long long)rows, (long long)cols);
    SCALAY_TRY(SCALAY_NEW(item->array[k], count));
    for (int64_t i = 0; i < count; i++) item->array[k][i] = 1.0 / (double)(1 + i % 7);
cleanup:
    return status;
}

void scalay_work_release(void *data)
{
    scalay_work_item *item = data;
    for (int k = 0; k < SCALAY_WORK_ARRAYS; k++) {
        scalay_release(item->array[k]);
        item->array[k] = NULL;
    }
}

scalay_status scalay_work_check_size(int64_t size)
{
    if (size <= INT_MAX) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, "", "size is %lld; it must be at most %d, the largest integer of BLAS",
                       (long long)size, INT_MAX);
}

/* -------------------------------------------------------------------------------------------------- objects */

static scalay_status find_kind(const char *text, const scalay_work_kind **kind)
{
    size_t length = strcspn(text, ":");
    for (int k = 0; k < KINDS; k++)
        if (text[length] == ':' && strlen(kinds[k]->name) == length && strncmp(text, kinds[k]->name, length) == 0) {
            *kind = kinds[k];
            return SCALAY_SUCCESS;
        }
    return refuse("kernel", text, "it must be dgemm:n=N, dgemv:n=N, fft:n=N,library=FILE, stencil:n=N or command:TEXT");
}

scalay_status scalay_profile_kernel_create(const char *text, double timeout, scalay_profile_kernel **kernel)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_work_item *item = NULL;
    const scalay_work_kind *kind = NULL;
    SCALAY_TRY(scalay_check_not_null(kernel, __func__, "kernel"));
    *kernel = NULL;
    SCALAY_TRY(scalay_check_not_null(text, __func__, "text"));
    if (!(timeout >= 0.0 && isfinite(timeout)))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "timeout is %g; it must be at least 0 seconds. 0: no limit", timeout);
    SCALAY_TRY(find_kind(text, &kind));
    SCALAY_TRY(SCALAY_NEW(item, 1));
    item->timeout = timeout;
    item->kernel.data = item;
    item->kernel.release = scalay_work_release;
    SCALAY_TRY(kind->begin(text + strlen(kind->name) + 1, item));
    *kernel = &item->kernel;
    item = NULL;
cleanup:
    if (item != NULL) {
        scalay_profile_kernel *begun = &item->kernel;
        scalay_profile_kernel_destroy(&begun);
    }
    return status;
}

void scalay_profile_kernel_destroy(scalay_profile_kernel **kernel)
{
    if (kernel == NULL || *kernel == NULL) return;
    scalay_work_item *item = (*kernel)->data;
    if (item->end != NULL) item->end(item);
    scalay_work_release(item);
    scalay_release(item->text);
    scalay_release(item->name);
    scalay_release(item);
    *kernel = NULL;
}

/* -------------------------------------------------------------------------------------------------- dgemm and dgemv */

/* Column-major arrays: A and C are size x n. */
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

/* Traffic with perfect caches: A, B and C are read once, C is written once. */
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

/* ---------------------------------------------------------------------------------------------------------- stencil */

/* Each row of size x n points is a bar with fixed ends. The two arrays are swapped after each step. */
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
