/* Assembly of target columns in a buffer that stays in the second-level cache.

   The buffer is a window of consecutive columns. Each channel, and the elements that stay on the rank, fill their part
   of the window. Then the window is written to the target and advances. It is used if all columns of the target are
   whole, and if it saves memory traffic: the target is larger than the caches, and runs of rows are short.

   With panels, the packages of one panel end at different columns. The window then goes on to the last one of these
   columns. Elements that arrive later for columns before the window are written to the target directly. Until then, the
   target holds undefined values in their places.

   Cost: one more copy of each element within the cache. */
#include "redist/assembly.h"

#include "base/bytes.h"
#include "base/integer.h"
#include "base/memory.h"

enum {
    BUFFER_BYTES = 1 << 17,
    MIN_TARGET_BYTES = 1 << 22, /* smaller targets stay in the caches */
    MIN_COLUMNS = 2,            /* of a window */
    LONG_RUN_BYTES = 512,       /* runs from this length on are written to the target directly */
    IN_STEP_PART = 16,          /* with panels, packages begin and end within this part of the columns */
    LINE_BYTES = 64
};

static const scalay_package *package_of(const scalay_side *side, int64_t k)
{
    return k < side->package_count ? &side->packages[k] : &side->kept;
}

/* Returns 1 if all packages have at most one block, which the trapezoid does not cut. Their elements then ascend by
   column. */
static int has_single_blocks(const scalay_side *side)
{
    for (int64_t k = 0; k <= side->package_count; k++) {
        const scalay_package *package = package_of(side, k);
        if (package->count > 1 || (package->count == 1 && package->blocks[0].is_cut)) return 0;
    }
    return 1;
}

static int has_short_runs(const scalay_side *side, int64_t size)
{
    int64_t rows = 0, runs = 0;
    for (int64_t k = 0; k <= side->package_count; k++) {
        const scalay_package *package = package_of(side, k);
        rows += package->count > 0 ? package->blocks[0].row_count : 0;
        runs += package->count > 0 ? package->blocks[0].row_runs : 0;
    }
    return rows * size < runs * LONG_RUN_BYTES;
}

/* Returns 1 if all packages begin and end near the first and the last column. With panels, they then advance together,
   and a panel touches few columns of the target. */
static int are_in_step(const scalay_side *side, const scalay_whole_columns *columns)
{
    const int64_t slack = columns->count / IN_STEP_PART;
    for (int64_t k = 0; k <= side->package_count; k++) {
        const scalay_package *package = package_of(side, k);
        if (package->count == 0) continue;
        const scalay_block *block = &package->blocks[0];
        const scalay_common_run *last = &block->cols[block->col_runs - 1];
        if (block->cols[0].local_a > columns->first + slack) return 0;
        if (last->local_a + last->count < columns->first + columns->count - slack) return 0;
    }
    return 1;
}

/* Returns the number of columns of the window for one side; 0: none. `memory`: limit on the buffer. */
static int64_t choose_width(const scalay_plan *plan, const scalay_side *side, const scalay_whole_columns *columns,
                            int64_t memory)
{
    const int64_t size = (int64_t)plan->matrices[0].size, column = columns->strides.col_stride * size;
    if (!columns->are_whole || columns->strides.row_stride != 1 || side->package_count == 0) return 0;
    if (columns->strides.col_stride < columns->rows) return 0; /* the leading dimension of a single column may be 1 */
    if (!has_single_blocks(side) || columns->strides.col_stride > 2 * columns->rows) return 0;
    if (plan->panels != NULL && !are_in_step(side, columns)) return 0;
    if (plan->assembly_bytes == 0 && columns->rows * columns->count * size < MIN_TARGET_BYTES) return 0;
    if (plan->assembly_bytes == 0 && !has_short_runs(side, size)) return 0;
    const int64_t limit = plan->assembly_bytes > 0 ? plan->assembly_bytes : BUFFER_BYTES;
    const int64_t width = scalay_min_int64(scalay_min_int64(limit, memory) / column, columns->count);
    return width >= (plan->assembly_bytes > 0 ? 1 : MIN_COLUMNS) ? width : 0;
}

scalay_status scalay_assembly_create(const scalay_plan *plan, int64_t memory_bytes, scalay_assembly *assembly)
{
    scalay_status status = SCALAY_SUCCESS;
    if (plan->count != 1 || plan->in_place || plan->threads > 1) return SCALAY_SUCCESS;
    const scalay_planned_matrix *matrix = &plan->matrices[0];
    for (int backward = 0; backward < 2; backward++) {
        const scalay_side *side = backward ? &matrix->source : &matrix->target;
        scalay_whole_columns *columns = &assembly->columns[backward];
        *columns = scalay_side_columns(side);
        assembly->width[backward] = choose_width(plan, side, columns, memory_bytes - LINE_BYTES);
        const int64_t bytes = assembly->width[backward] * columns->strides.col_stride * (int64_t)matrix->size;
        if (bytes > 0) assembly->bytes_size = scalay_max_int64(assembly->bytes_size, bytes + LINE_BYTES);
    }
    if (assembly->bytes_size > 0) SCALAY_TRY(SCALAY_NEW(assembly->bytes, assembly->bytes_size));
cleanup:
    return status;
}

void scalay_assembly_free(scalay_assembly *assembly)
{
    scalay_release(assembly->bytes);
    *assembly = (scalay_assembly){0};
}

/* Byte offset of a column in the target array. */
static int64_t offset_of(const scalay_assembly *assembly, const scalay_plan *plan, int64_t column)
{
    const scalay_whole_columns *columns = &assembly->columns[plan->backward];
    return (columns->strides.offset + columns->first_row + column * columns->strides.col_stride) *
           (int64_t)plan->matrices[0].size;
}

/* Places the next columns in the window, from `first` on, with the alignment that they have in the target. */
static void set_columns(scalay_assembly *assembly, const scalay_plan *plan, int64_t first)
{
    const int64_t offset = offset_of(assembly, plan, first);
    const uintptr_t misalignment = ((uintptr_t)plan->transfers[0].target + (uintptr_t)offset) % LINE_BYTES;
    const uintptr_t pad = (misalignment - (uintptr_t)assembly->bytes) % LINE_BYTES;
    assembly->first = first;
    assembly->end = scalay_min_int64(first + assembly->width[plan->backward], assembly->stop);
    assembly->transfer.target = assembly->bytes + pad - offset;
}

/* Returns the end of the columns of a package. */
static int64_t end_of_columns(const scalay_package *package)
{
    if (package->elements == 0) return INT64_MIN;
    const scalay_block *block = &package->blocks[package->count - 1];
    return block->cols[block->col_runs - 1].local_a + block->cols[block->col_runs - 1].count;
}

/* Returns the end of the columns of this rank in the execution (in the panel). */
static int64_t find_stop(const scalay_plan *plan)
{
    const scalay_channel_list *channels = scalay_plan_receives(plan);
    int64_t stop = end_of_columns(&plan->transfers[0].to->kept);
    for (int64_t k = 0; k < channels->count; k++)
        if (channels->channel[k].packages[0] != NULL)
            stop = scalay_max_int64(stop, end_of_columns(channels->channel[k].packages[0]));
    return stop;
}

void scalay_assembly_start(scalay_assembly *assembly, const scalay_plan *plan)
{
    const scalay_transfer *transfer = &plan->transfers[0];
    const int is_first = plan->panels == NULL || scalay_panels_current(plan->panels) == 0;
    assembly->is_used = assembly->width[plan->backward] > 0 && !transfer->unpacker.adds;
    if (!assembly->is_used) return;
    assembly->transfer = *transfer;
    assembly->transfer.unpacker.target_bytes = 0;
    assembly->is_complete = 0;
    assembly->late = is_first ? assembly->columns[plan->backward].first : assembly->end;
    assembly->stop = scalay_max_int64(assembly->late, find_stop(plan));
    set_columns(assembly, plan, assembly->late);
}

void scalay_assembly_flush(scalay_assembly *assembly, const scalay_plan *plan)
{
    const scalay_whole_columns *columns = &assembly->columns[plan->backward];
    const int64_t size = (int64_t)plan->matrices[0].size, bytes = columns->rows * size;
    char *target = plan->transfers[0].target;
    const int are_adjacent = columns->strides.col_stride == columns->rows;
    const int64_t at_once = are_adjacent ? assembly->end - assembly->first : 1;
    for (int64_t column = assembly->first; column < assembly->end; column += at_once) {
        const int64_t offset = offset_of(assembly, plan, column);
        scalay_bytes_stream(target + offset, assembly->transfer.target + offset, (size_t)(at_once * bytes));
    }
    scalay_bytes_stream_end();
    assembly->is_complete = assembly->end == assembly->stop;
    if (!assembly->is_complete) set_columns(assembly, plan, assembly->end);
}
