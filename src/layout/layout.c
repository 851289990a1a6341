/*
 * The layout object: block-cyclic layouts, processes of the parts, submatrices, transposes.
 *
 * Layouts are immutable. A derived layout shares the tables of its origin by reference where it can. Creating a
 * block-cyclic layout takes O(1) time and memory.
 */
#include "layout/layout.h"

#include <limits.h>

#include "base/integer.h"
#include "base/memory.h"

/* --------------------------------------------------------------------------------------------------------- creation */

static scalay_status check_extents(const char *function, const scalay_axis *row, const scalay_axis *col)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t elements;
    SCALAY_TRY(scalay_check_at_least(row->extent, 0, function, "m"));
    SCALAY_TRY(scalay_check_at_least(row->block, 1, function, "mb"));
    SCALAY_TRY(scalay_check_at_least(col->extent, 0, function, "n"));
    SCALAY_TRY(scalay_check_at_least(col->block, 1, function, "nb"));
    if (!scalay_multiply_int64(row->extent, col->extent, &elements))
        status = scalay_fail(SCALAY_ERROR_RANGE, function, "m is %lld and n is %lld; m * n must be at most 2^63 - 1",
                             (long long)row->extent, (long long)col->extent);
cleanup:
    return status;
}

scalay_status scalay_layout_start(const char *function, scalay_axis row, scalay_axis col, int parts,
                                  scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *new_layout = NULL;
    SCALAY_TRY(check_extents(function, &row, &col));
    SCALAY_TRY(SCALAY_NEW(new_layout, 1));
    *new_layout = (scalay_layout){.row = row, .col = col, .parts = parts, .processes = parts, .own_process = -1};
    *layout = new_layout;
cleanup:
    return status;
}

void scalay_layout_destroy(scalay_layout **layout)
{
    if (layout == NULL || *layout == NULL) return;
    scalay_cell_table_release((*layout)->cells);
    scalay_axis_runs_release((*layout)->row.runs);
    scalay_axis_runs_release((*layout)->col.runs);
    scalay_release((*layout)->process);
    scalay_release((*layout)->part);
    scalay_release(*layout);
    *layout = NULL;
}

static scalay_status check_grid(const char *function, int nprow, int npcol, int rsrc, int csrc, scalay_order order)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_at_least(nprow, 1, function, "nprow"));
    SCALAY_TRY(scalay_check_at_least(npcol, 1, function, "npcol"));
    if ((int64_t)nprow * npcol > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, function, "the grid is %d x %d; it must have at most 2^31 - 1 positions",
                           nprow, npcol);
    SCALAY_TRY(scalay_check_range(rsrc, 0, nprow - 1, function, "rsrc"));
    SCALAY_TRY(scalay_check_range(csrc, 0, npcol - 1, function, "csrc"));
    if (order != SCALAY_ROW_MAJOR && order != SCALAY_COLUMN_MAJOR)
        status = scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                             "order is %d; it must be SCALAY_ROW_MAJOR or SCALAY_COLUMN_MAJOR", (int)order);
cleanup:
    return status;
}

scalay_status scalay_layout_block_cyclic(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol, int rsrc,
                                         int csrc, scalay_order order, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    *layout = NULL;
    SCALAY_TRY(check_grid(__func__, nprow, npcol, rsrc, csrc, order));
    const scalay_axis row = {.extent = m, .whole = m, .block = mb, .classes = nprow, .source = rsrc};
    const scalay_axis col = {.extent = n, .whole = n, .block = nb, .classes = npcol, .source = csrc};
    SCALAY_TRY(scalay_layout_start(__func__, row, col, nprow * npcol, layout));
    (*layout)->order = order;
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- parts and processes */

/* Fills part[] with the part of each process. Fails unless the processes are distinct and in range. */
static scalay_status invert_processes(const char *function, int parts, int processes, const int *process, int *part)
{
    for (int k = 0; k < processes; k++) part[k] = -1;
    for (int k = 0; k < parts; k++) {
        if (process[k] < 0 || process[k] >= processes)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "process[%d] is %d; it must be in [0, %d]", k,
                               process[k], processes - 1);
        if (part[process[k]] >= 0)
            return scalay_fail(
                SCALAY_ERROR_ARGUMENT, function,
                "process[%d] is %d, which is also the process of part %d; the processes must be distinct", k,
                process[k], part[process[k]]);
        part[process[k]] = k;
    }
    return SCALAY_SUCCESS;
}

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
    SCALAY_TRY(scalay_check_at_least(processes, layout->parts, function, "processes"));
    if (!is_identity(layout->parts, process)) {
        SCALAY_TRY(SCALAY_NEW(part, processes));
        SCALAY_TRY(invert_processes(function, layout->parts, processes, process, part));
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
    scalay_layout *new_layout = NULL;
    SCALAY_TRY(scalay_check_not_null(relabelled, __func__, "relabelled"));
    *relabelled = NULL;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    SCALAY_TRY(SCALAY_NEW(new_layout, 1));
    *new_layout = *layout;
    new_layout->process = new_layout->part = NULL;
    new_layout->own_process = -1;
    new_layout->own_ld = 0;
    scalay_cell_table_retain(new_layout->cells);
    (void)scalay_axis_runs_retain(new_layout->row.runs);
    (void)scalay_axis_runs_retain(new_layout->col.runs);
    SCALAY_TRY(scalay_layout_set_processes(__func__, new_layout, processes, process));
    *relabelled = new_layout;
    new_layout = NULL;
cleanup:
    scalay_layout_destroy(&new_layout);
    return status;
}

scalay_status scalay_layout_copy(const scalay_layout *layout, scalay_layout **copy)
{
    const scalay_status status = scalay_layout_relabel(layout, layout->processes, layout->process, copy);
    if (status != SCALAY_SUCCESS) return status;
    (*copy)->own_process = layout->own_process;
    (*copy)->own_ld = layout->own_ld;
    return SCALAY_SUCCESS;
}

scalay_status scalay_layout_with_ld(const scalay_layout *layout, int process, int64_t ld, scalay_layout **copy)
{
    if (copy == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "copy is NULL; it must be an address");
    *copy = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; it must be a layout");
    const int part = scalay_layout_part_of_process(layout, process);
    if (part < 0 || !scalay_layout_is_grid(layout))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "process is %d; it must hold a part of a block-cyclic layout",
                           process);
    const scalay_status status = scalay_layout_relabel(layout, layout->processes, layout->process, copy);
    if (status != SCALAY_SUCCESS) return status;
    const int64_t minimum = scalay_layout_cell(*copy, part, 0).ld;
    if (ld < minimum) {
        scalay_layout_destroy(copy);
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "ld is %lld; it must be at least %lld, the number of local rows",
                           (long long)ld, (long long)minimum);
    }
    (*copy)->own_process = process;
    (*copy)->own_ld = ld;
    return SCALAY_SUCCESS;
}

scalay_status scalay_layout_spread(scalay_layout **layout, int process, size_t size)
{
    scalay_layout *spread = NULL;
    const int part = scalay_layout_part_of_process(*layout, process);
    if (part < 0) return SCALAY_SUCCESS;
    const int64_t ld = scalay_layout_cell(*layout, part, 0).ld, line = (int64_t)SCALAY_LINE_BYTES / (int64_t)size;
    if (ld % (SCALAY_SET_BYTES / (int64_t)size) != 0 || ld > INT_MAX - line) return SCALAY_SUCCESS;
    const scalay_status status = scalay_layout_with_ld(*layout, process, ld + line, &spread);
    if (status != SCALAY_SUCCESS) return status;
    scalay_layout_destroy(layout);
    *layout = spread;
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

/* --------------------------------------------------------------------------------------- submatrices and transposes */

static scalay_axis axis_window(const scalay_axis *axis, int64_t first, int64_t extent)
{
    scalay_axis window = *axis;
    window.first += first;
    window.extent = extent;
    window.runs = NULL; /* created by scalay_owner_layout_window() */
    return window;
}

static scalay_status check_window(const char *function, const char *first_name, const char *extent_name,
                                  const scalay_axis *axis, int64_t first, int64_t extent)
{
    const scalay_status status = scalay_check_range(first, 0, axis->extent, function, first_name);
    return status != SCALAY_SUCCESS ? status
                                    : scalay_check_range(extent, 0, axis->extent - first, function, extent_name);
}

scalay_status scalay_layout_submatrix(const scalay_layout *layout, int64_t row, int64_t col, int64_t m, int64_t n,
                                      scalay_layout **submatrix)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *new_layout = NULL;
    SCALAY_TRY(scalay_check_not_null(submatrix, __func__, "submatrix"));
    *submatrix = NULL;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    SCALAY_TRY(check_window(__func__, "row", "m", &layout->row, row, m));
    SCALAY_TRY(check_window(__func__, "col", "n", &layout->col, col, n));
    SCALAY_TRY(SCALAY_NEW(new_layout, 1));
    *new_layout = *layout;
    new_layout->process = new_layout->part = NULL;
    new_layout->cells = NULL;
    new_layout->row = axis_window(&layout->row, row, m);
    new_layout->col = axis_window(&layout->col, col, n);
    SCALAY_TRY(scalay_layout_set_processes(__func__, new_layout, layout->processes, layout->process));
    if (scalay_layout_is_tile_map(layout))
        SCALAY_TRY(scalay_tile_map_window(layout, new_layout));
    else if (!scalay_layout_is_grid(layout))
        SCALAY_TRY(scalay_owner_layout_window(layout, row, col, new_layout));
    *submatrix = new_layout;
    new_layout = NULL;
cleanup:
    scalay_layout_destroy(&new_layout);
    return status;
}

scalay_status scalay_layout_transpose(const scalay_layout *layout, scalay_layout **transpose)
{
    *transpose = NULL;
    if (!scalay_layout_is_grid(layout))
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "the layout is not block-cyclic; its transpose is not a layout");
    const scalay_status status = scalay_layout_copy(layout, transpose);
    if (status != SCALAY_SUCCESS) return status;
    (*transpose)->row = layout->col;
    (*transpose)->col = layout->row;
    (*transpose)->order = layout->order == SCALAY_ROW_MAJOR ? SCALAY_COLUMN_MAJOR : SCALAY_ROW_MAJOR;
    (*transpose)->own_process = -1;
    return SCALAY_SUCCESS;
}
