#include "layout/layout.h"

#include "base/integer.h"
#include "base/memory.h"

static scalay_status check_extent(const char *function, const char *extent, const char *block, const scalay_axis *axis)
{
    if (axis->extent < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s = %lld is negative; pass at least 0", extent,
                           (long long)axis->extent);
    if (axis->block < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s = %lld is not a block extent; pass at least 1", block,
                           (long long)axis->block);
    return SCALAY_SUCCESS;
}

static scalay_status check_size(const char *function, int64_t m, int64_t n)
{
    int64_t size;
    if (scalay_multiply_int64(m, n, &size)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function,
                       "m = %lld by n = %lld are more than 2^63 - 1 elements; make the matrix smaller", (long long)m,
                       (long long)n);
}

scalay_status scalay_layout_start(const char *function, scalay_axis row, scalay_axis col, int parts,
                                  scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *made = NULL;
    SCALAY_TRY(check_extent(function, "m", "mb", &row));
    SCALAY_TRY(check_extent(function, "n", "nb", &col));
    SCALAY_TRY(check_size(function, row.extent, col.extent));
    SCALAY_TRY(SCALAY_NEW(made, 1));
    *made = (scalay_layout){.row = row, .col = col, .parts = parts, .processes = parts, .own_process = -1};
    *layout = made;
cleanup:
    return status;
}

void scalay_layout_destroy(scalay_layout **layout)
{
    if (layout == NULL || *layout == NULL) return;
    scalay_tile_table_release((*layout)->tiles);
    scalay_axis_runs_release((*layout)->row.runs);
    scalay_axis_runs_release((*layout)->col.runs);
    scalay_release((*layout)->process);
    scalay_release((*layout)->part);
    scalay_release(*layout);
    *layout = NULL;
}

/* ------------------------------------------------------------------------------------ parts on processes */

/* Notes in part[] who sits where; the processes are distinct and in range, or it fails. */
static scalay_status invert_placement(const char *function, int parts, int processes, const int *process, int *part)
{
    for (int k = 0; k < processes; k++) part[k] = -1;
    for (int k = 0; k < parts; k++) {
        if (process[k] < 0 || process[k] >= processes)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "process[%d] = %d is not a process; pass 0 to %d", k,
                               process[k], processes - 1);
        if (part[process[k]] >= 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "process[%d] = %d has part %d already; give each part a process of its own", k,
                               process[k], part[process[k]]);
        part[process[k]] = k;
    }
    return SCALAY_SUCCESS;
}

static scalay_status check_processes(const char *function, int parts, int processes)
{
    if (processes >= parts) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                       "processes = %d is less than the %d parts; pass at least as many", processes, parts);
}

/* Then no table is needed. */
static int is_identity(int parts, const int *process)
{
    for (int k = 0; process != NULL && k < parts; k++)
        if (process[k] != k) return 0;
    return 1;
}

scalay_status scalay_layout_set_processes(const char *function, scalay_layout *layout, int processes,
                                          const int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    int *part = NULL, *copy = NULL;
    SCALAY_TRY(check_processes(function, layout->parts, processes));
    if (!is_identity(layout->parts, process)) {
        SCALAY_TRY(SCALAY_NEW(part, processes));
        SCALAY_TRY(invert_placement(function, layout->parts, processes, process, part));
        SCALAY_TRY(SCALAY_NEW(copy, layout->parts));
        for (int k = 0; k < layout->parts; k++) copy[k] = process[k];
    }
    scalay_release(layout->part);
    scalay_release(layout->process);
    layout->processes = processes;
    layout->part = part;
    layout->process = copy;
    part = NULL;
cleanup:
    scalay_release(part);
    return status;
}

scalay_status scalay_layout_relabel(const scalay_layout *layout, int processes, const int *process,
                                    scalay_layout **relabelled)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *made = NULL;
    if (relabelled == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "relabelled is NULL; pass an address");
    *relabelled = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass a layout");
    SCALAY_TRY(SCALAY_NEW(made, 1));
    *made = *layout;
    made->process = made->part = NULL;
    made->own_process = -1;
    made->own_ld = 0;
    if (made->tiles != NULL) scalay_tile_table_retain(made->tiles);
    (void)scalay_axis_runs_retain(made->row.runs);
    (void)scalay_axis_runs_retain(made->col.runs);
    SCALAY_TRY(scalay_layout_set_processes(__func__, made, processes, process));
    *relabelled = made;
    made = NULL;
cleanup:
    scalay_layout_destroy(&made);
    return status;
}

scalay_status scalay_layout_copy(const scalay_layout *layout, scalay_layout **copy)
{
    scalay_status status = scalay_layout_relabel(layout, layout->processes, layout->process, copy);
    if (status != SCALAY_SUCCESS) return status;
    (*copy)->own_process = layout->own_process;
    (*copy)->own_ld = layout->own_ld;
    return SCALAY_SUCCESS;
}

int scalay_layout_process_of_part(const scalay_layout *layout, int part)
{
    if (layout == NULL || part < 0 || part >= layout->parts) return -1;
    return layout->process != NULL ? layout->process[part] : part;
}

int scalay_layout_part_of_process(const scalay_layout *layout, int process)
{
    if (layout == NULL || process < 0 || process >= layout->processes) return -1;
    if (layout->part != NULL) return layout->part[process];
    return process < layout->parts ? process : -1;
}

/* ------------------------------------------------------------------------------------------------ extents */

int64_t scalay_layout_rows(const scalay_layout *layout)
{
    return layout != NULL ? layout->row.extent : 0;
}

int64_t scalay_layout_cols(const scalay_layout *layout)
{
    return layout != NULL ? layout->col.extent : 0;
}

int scalay_layout_parts(const scalay_layout *layout)
{
    return layout != NULL ? layout->parts : 0;
}

int scalay_layout_processes(const scalay_layout *layout)
{
    return layout != NULL ? layout->processes : 0;
}
