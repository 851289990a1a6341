#include "layout/axis_runs.h"

#include "base/integer.h"
#include "base/memory.h"

/* ------------------------------------------------------------------------------------------------- sharing */

/* What is shared is counted, not changed: to its owners the rest is constant. */
static scalay_axis_runs *counted(const scalay_axis_runs *runs)
{
    return (scalay_axis_runs *)runs;
}

const scalay_axis_runs *scalay_axis_runs_retain(const scalay_axis_runs *runs)
{
    if (runs != NULL) atomic_fetch_add(&counted(runs)->references, 1);
    return runs;
}

void scalay_axis_runs_release(const scalay_axis_runs *runs)
{
    if (runs == NULL || atomic_fetch_sub(&counted(runs)->references, 1) > 1) return;
    scalay_release(runs->end);
    scalay_release(runs->class);
    scalay_release(runs->local);
    scalay_release(runs->first);
    scalay_release(runs->nth);
    scalay_release(runs->count);
    scalay_release(counted(runs));
}

/* ------------------------------------------------------------------------------------------------ creation */

static scalay_status allocate_runs(int64_t runs, int64_t classes, scalay_axis_runs **made)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_runs *new = NULL;
    SCALAY_TRY(SCALAY_NEW(new, 1));
    atomic_init(&new->references, 1);
    new->runs = runs;
    new->classes = classes;
    SCALAY_TRY(SCALAY_NEW(new->end, runs));
    SCALAY_TRY(SCALAY_NEW(new->class, runs));
    SCALAY_TRY(SCALAY_NEW(new->local, runs));
    SCALAY_TRY(SCALAY_NEW(new->first, classes + 1));
    SCALAY_TRY(SCALAY_NEW(new->nth, runs));
    SCALAY_TRY(SCALAY_NEW(new->count, classes));
    *made = new;
    new = NULL;
cleanup:
    scalay_axis_runs_release(new);
    return status;
}

/* Counts the indices of each class and lists its runs (a counting sort). */
static void list_runs(scalay_axis_runs *runs)
{
    for (int64_t r = 0; r < runs->runs; r++) {
        runs->first[runs->class[r]]++;
        runs->count[runs->class[r]] += runs->end[r] - scalay_axis_runs_start(runs, r);
    }
    for (int64_t c = 0; c < runs->classes; c++) runs->first[c + 1] += runs->first[c];
    for (int64_t r = runs->runs - 1; r >= 0; r--) runs->nth[--runs->first[runs->class[r]]] = r;
}

scalay_status scalay_axis_runs_create(int64_t runs, const int64_t *end, const int64_t *class, int64_t classes,
                                      scalay_axis_runs **made)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(allocate_runs(runs, classes, made));
    for (int64_t r = 0; r < runs; r++) {
        (*made)->end[r] = end[r];
        (*made)->class[r] = class[r];
    }
    list_runs(*made);
    for (int64_t c = 0; c < classes; c++) {
        int64_t place = 0;
        for (int64_t k = (*made)->first[c]; k < (*made)->first[c + 1]; k++) {
            const int64_t run = (*made)->nth[k];
            (*made)->local[run] = place;
            place += end[run] - scalay_axis_runs_start(*made, run);
        }
    }
cleanup:
    return status;
}

/* Numbers the classes that are met in runs front .. back, in their old order; returns how many. */
static int64_t renumber(const scalay_axis_runs *runs, int64_t front, int64_t back, int64_t *new_class,
                        int64_t *old_class)
{
    int64_t kept = 0;
    for (int64_t r = front; r <= back; r++) new_class[runs->class[r]] = 1;
    for (int64_t c = 0; c < runs->classes; c++) {
        if (new_class[c] == 0) continue;
        old_class[kept] = c;
        new_class[c] = kept++;
    }
    return kept;
}

scalay_status scalay_axis_runs_window(const scalay_axis_runs *runs, int64_t first, int64_t extent, int64_t **old_class,
                                      scalay_axis_runs **window)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *new_class = NULL;
    const int64_t front = scalay_axis_runs_at(runs, first), back = scalay_axis_runs_at(runs, first + extent - 1);
    SCALAY_TRY(SCALAY_NEW(new_class, runs->classes));
    SCALAY_TRY(SCALAY_NEW(*old_class, runs->classes));
    const int64_t kept = renumber(runs, front, back, new_class, *old_class);
    SCALAY_TRY(allocate_runs(back - front + 1, kept, window));
    for (int64_t r = front; r <= back; r++) {
        (*window)->end[r - front] = scalay_min_int64(runs->end[r] - first, extent);
        (*window)->class[r - front] = new_class[runs->class[r]];
        (*window)->local[r - front] = runs->local[r] + scalay_max_int64(0, first - scalay_axis_runs_start(runs, r));
    }
    list_runs(*window);
cleanup:
    scalay_release(new_class);
    return status;
}

/* ----------------------------------------------------------------------------------------------- questions */

int64_t scalay_axis_runs_start(const scalay_axis_runs *runs, int64_t run)
{
    return run > 0 ? runs->end[run - 1] : 0;
}

int64_t scalay_axis_runs_at(const scalay_axis_runs *runs, int64_t i)
{
    int64_t low = 0, high = runs->runs - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (runs->end[middle] > i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int64_t scalay_axis_runs_class(const scalay_axis_runs *runs, int64_t i)
{
    return runs->class[scalay_axis_runs_at(runs, i)];
}

int64_t scalay_axis_runs_local_index(const scalay_axis_runs *runs, int64_t i)
{
    const int64_t run = scalay_axis_runs_at(runs, i);
    return runs->local[run] + i - scalay_axis_runs_start(runs, run);
}

scalay_axis_run scalay_axis_runs_get(const scalay_axis_runs *runs, int64_t class, int64_t k)
{
    const int64_t run = runs->nth[runs->first[class] + k], start = scalay_axis_runs_start(runs, run);
    return (scalay_axis_run){start, runs->local[run], runs->end[run] - start};
}
