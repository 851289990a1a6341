#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "model/stencil.h"

int64_t scalay_item_runs_end(const scalay_item_runs *runs, int64_t r)
{
    return r + 1 < runs->runs ? runs->first[r + 1] : runs->n;
}

int64_t scalay_item_runs_find(const scalay_item_runs *runs, int64_t item)
{
    int64_t low = 0, high = runs->runs;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (runs->first[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

scalay_status scalay_item_runs_reserve(scalay_item_runs *runs, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(runs->first, runs->first_room, count));
    SCALAY_TRY(SCALAY_GROW(runs->owner, runs->owner_room, count));
cleanup:
    return status;
}

scalay_status scalay_item_runs_append(scalay_item_runs *runs, int64_t first, int owner)
{
    scalay_status status = SCALAY_SUCCESS;
    if (runs->runs > 0 && runs->owner[runs->runs - 1] == owner) return status;
    SCALAY_TRY(scalay_item_runs_reserve(runs, runs->runs + 1));
    runs->first[runs->runs] = first;
    runs->owner[runs->runs++] = owner;
cleanup:
    return status;
}

scalay_status scalay_item_runs_copy(const scalay_item_runs *runs, scalay_item_runs *copy)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_item_runs_reserve(copy, runs->runs));
    copy->n = runs->n;
    copy->runs = runs->runs;
    if (runs->runs == 0) goto cleanup;
    memcpy(copy->first, runs->first, (size_t)runs->runs * sizeof *runs->first);
    memcpy(copy->owner, runs->owner, (size_t)runs->runs * sizeof *runs->owner);
cleanup:
    return status;
}

void scalay_item_runs_free(scalay_item_runs *runs)
{
    scalay_release(runs->first);
    scalay_release(runs->owner);
    *runs = (scalay_item_runs){0};
}

/* --------------------------------------------------------------------------------------------- of a layout */

typedef struct {
    int64_t first;
    int owner;
} owned_run;

static int compare_runs(const void *left, const void *right)
{
    const owned_run *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

static scalay_status collect(const scalay_layout *layout, owned_run *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const int across = scalay_layout_rows(layout) == 1;
    int64_t count = 0;
    for (int process = 0; process < scalay_layout_processes(layout); process++)
        for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, process); k++) {
            scalay_rectangle rectangle = {0};
            SCALAY_TRY(scalay_layout_rectangle(layout, process, k, &rectangle));
            list[count++] = (owned_run){across ? rectangle.col : rectangle.row, process};
        }
    qsort(list, (size_t)count, sizeof *list, compare_runs);
cleanup:
    return status;
}

scalay_status scalay_item_runs_of_layout(const char *function, const scalay_layout *layout, scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    owned_run *list = NULL;
    int64_t count = 0;
    const int64_t rows = scalay_layout_rows(layout), cols = scalay_layout_cols(layout);
    *runs = (scalay_item_runs){0};
    if (rows != 1 && cols != 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the layout is %lld x %lld; items on a circle are one row or one column", (long long)rows,
                           (long long)cols);
    for (int process = 0; process < scalay_layout_processes(layout); process++)
        count += scalay_layout_rectangle_count(layout, process);
    SCALAY_TRY(SCALAY_NEW(list, count));
    SCALAY_TRY(collect(layout, list));
    for (int64_t k = 0; k < count; k++) SCALAY_TRY(scalay_item_runs_append(runs, list[k].first, list[k].owner));
    runs->n = rows * cols;
cleanup:
    scalay_release(list);
    if (status != SCALAY_SUCCESS) scalay_item_runs_free(runs);
    return status;
}
