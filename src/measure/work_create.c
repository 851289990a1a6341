#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "measure/work.h"

static const scalay_work_kind *const kinds[] = {&scalay_work_dgemm, &scalay_work_dgemv, &scalay_work_fft,
                                                &scalay_work_stencil, &scalay_work_command};
enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]) };

/* ------------------------------------------------------------------------------------------------ arguments */

static scalay_status refuse(const char *what, const char *found, const char *remedy)
{
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profile_kernel_create", "%s '%.200s': %s", what, found, remedy);
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
    return refuse("cannot read", key,
                  library != NULL ? "give n=N, a positive integer, and library=FILE" : "give n=N, a positive integer");
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
    if (item->n == 0) SCALAY_TRY(refuse("n is missing in", arguments, "give n=N, such as n=1024"));
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
        return scalay_fail(SCALAY_ERROR_RANGE, "", "%s: %lld x %lld elements are too many; give smaller sizes",
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
    return scalay_fail(SCALAY_ERROR_RANGE, "", "size %lld does not fit the integers of BLAS; give at most %d",
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
    return refuse("there is no kernel", text,
                  "give dgemm:n=N, dgemv:n=N, fft:n=N,library=FILE, stencil:n=N or command:TEXT");
}

scalay_status scalay_profile_kernel_create(const char *text, double timeout, scalay_profile_kernel **kernel)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_work_item *item = NULL;
    const scalay_work_kind *kind = NULL;
    if (kernel == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "kernel is NULL; pass where to put it");
    *kernel = NULL;
    if (text == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "text is NULL; pass one such as dgemm:n=1024");
    if (!(timeout >= 0.0 && isfinite(timeout)))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "timeout = %g; give seconds, or 0 for none", timeout);
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
