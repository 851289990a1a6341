/*
 * One dimension of a layout: index arithmetic of block-cyclic axes, and tables of runs.
 *
 * Block-cyclic axes need O(1) time and memory. A table of runs needs O(runs + classes) memory and answers in O(log
 * runs).
 */
#include "layout/axis.h"

#include "base/integer.h"
#include "base/memory.h"

/* ------------------------------------------------------------------------------------------------ block-cyclic axes */

/* Returns the number of the first block of a class, counted in the dimension. */
static int64_t first_block(const scalay_axis *axis, int64_t class)
{
    const int64_t block = class - axis->source;
    return block < 0 ? block + axis->classes : block;
}

/* Returns how many of the dimension's first `blocks` blocks belong to a class. */
static int64_t blocks_upto(const scalay_axis *axis, int64_t class, int64_t blocks)
{
    return blocks / axis->classes + (first_block(axis, class) < blocks % axis->classes);
}

int64_t scalay_axis_class(const scalay_axis *axis, int64_t i)
{
    if (axis->runs != NULL) return axis->runs->class[scalay_axis_runs_find(axis->runs, i)];
    const int64_t block = (axis->first + i) / axis->block % axis->classes;
    const int64_t before_wrap = axis->classes - axis->source; /* block + source may overflow */
    return block < before_wrap ? block + axis->source : block - before_wrap;
}

int64_t scalay_axis_local_index(const scalay_axis *axis, int64_t i)
{
    if (axis->runs != NULL) {
        const int64_t run = scalay_axis_runs_find(axis->runs, i);
        return axis->runs->local[run] + i - scalay_axis_runs_start(axis->runs, run);
    }
    const int64_t index = axis->first + i;
    return index / axis->block / axis->classes * axis->block + index % axis->block;
}

int64_t scalay_axis_count_upto(const scalay_axis *axis, int64_t class, int64_t upto)
{
    const int64_t blocks = upto / axis->block;
    const int64_t count = blocks_upto(axis, class, blocks) * axis->block;
    return first_block(axis, class) == blocks % axis->classes ? count + upto % axis->block : count;
}

int64_t scalay_axis_count(const scalay_axis *axis, int64_t class)
{
    if (axis->runs != NULL) return axis->runs->count[class];
    return scalay_axis_count_upto(axis, class, axis->first + axis->extent) -
           scalay_axis_count_upto(axis, class, axis->first);
}

int64_t scalay_axis_run_count(const scalay_axis *axis, int64_t class)
{
    if (axis->extent == 0) return 0;
    if (axis->runs != NULL) return axis->runs->first[class + 1] - axis->runs->first[class];
    const int64_t last = (axis->first + axis->extent - 1) / axis->block;
    return blocks_upto(axis, class, last + 1) - blocks_upto(axis, class, axis->first / axis->block);
}

scalay_axis_run scalay_axis_get_run(const scalay_axis *axis, int64_t class, int64_t k)
{
    if (axis->runs != NULL) {
        const int64_t run = axis->runs->nth[axis->runs->first[class] + k];
        const int64_t index = scalay_axis_runs_start(axis->runs, run);
        return (scalay_axis_run){index, axis->runs->local[run], axis->runs->end[run] - index};
    }
    const int64_t nth = blocks_upto(axis, class, axis->first / axis->block) + k; /* among the blocks of the class */
    const int64_t start = (nth * axis->classes + first_block(axis, class)) * axis->block;
    const int64_t begin = scalay_max_int64(start, axis->first);
    const int64_t left = axis->first + axis->extent - start; /* start + block may overflow */
    const int64_t end = start + scalay_min_int64(left, axis->block);
    return (scalay_axis_run){begin - axis->first, nth * axis->block + (begin - start), end - begin};
}

/* --------------------------------------------------------------------------------------------------- tables of runs */

/* The reference count is the only member of a shared table that changes. */
static scalay_axis_runs *writable(const scalay_axis_runs *runs)
{
    return (scalay_axis_runs *)runs;
}

const scalay_axis_runs *scalay_axis_runs_retain(const scalay_axis_runs *runs)
{
    if (runs != NULL) atomic_fetch_add(&writable(runs)->references, 1);
    return runs;
}

void scalay_axis_runs_release(const scalay_axis_runs *runs)
{
    if (runs == NULL || atomic_fetch_sub(&writable(runs)->references, 1) > 1) return;
    scalay_release(runs->end);
    scalay_release(runs->class);
    scalay_release(runs->local);
    scalay_release(runs->first);
    scalay_release(runs->nth);
    scalay_release(runs->count);
    scalay_release(writable(runs));
}

static scalay_status allocate_runs(int64_t runs, int64_t classes, scalay_axis_runs **table)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_runs *new_table = NULL;
    SCALAY_TRY(SCALAY_NEW(new_table, 1));
    atomic_init(&new_table->references, 1);
    new_table->runs = runs;
    new_table->classes = classes;
    SCALAY_TRY(SCALAY_NEW(new_table->end, runs));
    SCALAY_TRY(SCALAY_NEW(new_table->class, runs));
    SCALAY_TRY(SCALAY_NEW(new_table->local, runs));
    SCALAY_TRY(SCALAY_NEW(new_table->first, classes + 1));
    SCALAY_TRY(SCALAY_NEW(new_table->nth, runs));
    SCALAY_TRY(SCALAY_NEW(new_table->count, classes));
    *table = new_table;
    new_table = NULL;
cleanup:
    scalay_axis_runs_release(new_table);
    return status;
}

/* Counts the indices of each class and lists its runs (counting sort). */
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
                                      scalay_axis_runs **table)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(allocate_runs(runs, classes, table));
    for (int64_t r = 0; r < runs; r++) {
        (*table)->end[r] = end[r];
        (*table)->class[r] = class[r];
    }
    list_runs(*table);
    for (int64_t c = 0; c < classes; c++) {
        int64_t local = 0;
        for (int64_t k = (*table)->first[c]; k < (*table)->first[c + 1]; k++) {
            const int64_t run = (*table)->nth[k];
            (*table)->local[run] = local;
            local += end[run] - scalay_axis_runs_start(*table, run);
        }
    }
cleanup:
    return status;
}

/* Numbers the classes that occur in the runs front .. back, in their former order. Returns the number of classes. */
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
    const int64_t front = scalay_axis_runs_find(runs, first), back = scalay_axis_runs_find(runs, first + extent - 1);
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

int64_t scalay_axis_runs_start(const scalay_axis_runs *runs, int64_t run)
{
    return run > 0 ? runs->end[run - 1] : 0;
}

int64_t scalay_axis_runs_find(const scalay_axis_runs *runs, int64_t i)
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
