/*
 * The kernel "fft:n=N,library=FILE": a complex 2D transform by a library with FFTW 3's interface.
 *
 * The library is loaded only if the user names it. FFTW has the GNU General Public License; ScaLAY does not contain,
 * need or link any part of it.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/work.h"

typedef void *(*create_plan)(int n0, int n1, double *in, double *out, int sign, unsigned flags);
enum { FORWARD = -1, ESTIMATE = 1 << 6 };

/* Converts the object pointer of dlsym() to a function pointer. */
static scalay_status find_function(const scalay_work_item *item, const char *name, void *function)
{
    void *found = dlsym(item->library, name);
    if (found == NULL)
        return scalay_fail(
            SCALAY_ERROR_UNSUPPORTED, "scalay_profile_kernel_create",
            "library is '%.200s'; it must have FFTW 3's interface in double precision, but has no function %s",
            item->text, name);
    memcpy(function, &found, sizeof found);
    return SCALAY_SUCCESS;
}

static void end_plan(scalay_work_item *item)
{
    if (item->plan != NULL) item->forget(item->plan);
    item->plan = NULL;
}

static scalay_status prepare(void *data, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_work_item *item = data;
    create_plan create = NULL;
    SCALAY_TRY(scalay_work_check_size(size));
    SCALAY_TRY(find_function(item, "fftw_plan_dft_2d", &create));
    SCALAY_TRY(scalay_work_fill(item, 0, size, 2 * item->n));
    SCALAY_TRY(scalay_work_fill(item, 1, size, 2 * item->n));
    item->plan = create((int)size, (int)item->n, item->array[0], item->array[1], FORWARD, ESTIMATE);
    if (item->plan == NULL)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "'%.200s' has no plan for %lld x %lld; omit this size",
                             item->text, (long long)size, (long long)item->n);
cleanup:
    return status;
}

static scalay_status run(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    (void)size;
    item->execute(item->plan);
    return SCALAY_SUCCESS;
}

static void release(void *data)
{
    end_plan(data);
    scalay_work_release(data);
}

static double flops(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    double points = (double)size * (double)item->n;
    return 5.0 * points * log2(points);
}

/* Each of the two directions reads and writes all points once. */
static double bytes(void *data, int64_t size)
{
    const scalay_work_item *item = data;
    return 64.0 * (double)size * (double)item->n;
}

static void end(scalay_work_item *item)
{
    end_plan(item);
    if (item->library != NULL) (void)dlclose(item->library);
}

static scalay_status open_library(scalay_work_item *item)
{
    if (item->text == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profile_kernel_create",
                           "library is missing; it must be library=FILE. library=libfftw3.so.3 is FFTW (GNU General "
                           "Public License; on "
                           "Debian in libfftw3-double3)");
    item->library = dlopen(item->text, RTLD_NOW | RTLD_LOCAL);
    if (item->library == NULL)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_profile_kernel_create",
                           "cannot load the library of fft: %.300s; install it (FFTW: on Debian libfftw3-double3)",
                           dlerror());
    return SCALAY_SUCCESS;
}

static scalay_status begin(const char *arguments, scalay_work_item *item)
{
    scalay_status status = SCALAY_SUCCESS;
    item->kernel.prepare = prepare;
    item->kernel.run = run;
    item->kernel.release = release;
    item->kernel.flops = flops;
    item->kernel.bytes = bytes;
    item->end = end;
    SCALAY_TRY(scalay_work_read("fft", arguments, item, &item->text));
    SCALAY_TRY(open_library(item));
    SCALAY_TRY(find_function(item, "fftw_execute", &item->execute));
    SCALAY_TRY(find_function(item, "fftw_destroy_plan", &item->forget));
cleanup:
    return status;
}

const scalay_work_kind scalay_work_fft = {"fft", begin};
