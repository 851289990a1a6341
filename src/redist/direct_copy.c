/* Direct copies go run by run. Of a block that is only partly in the range, the column runs are cut. */
#include "redist/direct_copy.h"

#include "base/integer.h"

enum {
    PANEL_BYTES = 524288, /* of the target, so that a panel stays in the cache of a core */
    RUNS_AT_ONCE = 64     /* column runs of a block that is cut */
};

scalay_outline scalay_outline_empty(void)
{
    return (scalay_outline){.columns = {INT64_MAX, 0}};
}

void scalay_outline_extend(const scalay_package *package, scalay_outline *all)
{
    all->blocks += package->count;
    for (const scalay_block *block = package->blocks; block < package->blocks + package->count; block++) {
        const scalay_common_run *first = block->cols, *last = &block->cols[block->col_runs - 1];
        const scalay_common_run *top = block->rows, *bottom = &block->rows[block->row_runs - 1];
        all->columns.first = scalay_min_int64(all->columns.first, first->local_a);
        all->columns.end = scalay_max_int64(all->columns.end, last->local_a + last->count);
        all->rows = scalay_max_int64(all->rows, bottom->local_a + bottom->count - top->local_a);
        all->has_no_panels |= block->own.row_stride != 1;
    }
}

/* With very many blocks, one panel: visiting all blocks for each panel would take longer than copying them. */
int64_t scalay_outline_panel(const scalay_outline *all, size_t size)
{
    const int64_t total = all->columns.end - all->columns.first;
    if (all->has_no_panels || all->rows == 0) return total;
    const int64_t columns = scalay_max_int64(1, PANEL_BYTES / (all->rows * (int64_t)size));
    const int64_t panels = scalay_ceil_div(total, columns);
    return all->blocks * panels * 256 > all->rows * total && panels > 1 && all->blocks > 64 ? total : columns;
}

/* Finds the first column run of a block that reaches a column of the target. */
static int64_t first_run(const scalay_block *block, int64_t column)
{
    int64_t low = 0, high = block->col_runs;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (block->cols[middle].local_a + block->cols[middle].count <= column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static scalay_common_run intersect(const scalay_common_run *run, scalay_column_range columns)
{
    const int64_t skip = scalay_max_int64(0, columns.first - run->local_a);
    const int64_t end = scalay_min_int64(run->count, columns.end - run->local_a);
    return (scalay_common_run){.index = run->index + skip,
                               .local_a = run->local_a + skip,
                               .local_b = run->local_b + skip,
                               .count = end - skip};
}

/* Collects the column runs of a block in a range, from run *next on. Returns the block with these columns. */
static scalay_block next_columns(const scalay_block *block, scalay_column_range columns, int64_t *next,
                                 scalay_common_run runs[RUNS_AT_ONCE])
{
    scalay_block part = *block;
    part.cols = runs;
    part.col_runs = part.col_count = 0;
    for (; *next < block->col_runs && part.col_runs < RUNS_AT_ONCE; ++*next) {
        if (block->cols[*next].local_a >= columns.end) break;
        runs[part.col_runs] = intersect(&block->cols[*next], columns);
        part.col_count += runs[part.col_runs++].count;
    }
    return part;
}

static int is_whole(const scalay_block *block, scalay_column_range columns)
{
    const scalay_common_run *last = &block->cols[block->col_runs - 1];
    return columns.first <= block->cols[0].local_a && last->local_a + last->count <= columns.end;
}

static void copy_block(const scalay_transfer *transfer, const scalay_block *block, const char *array)
{
    const scalay_package package = {.blocks = block, .count = 1};
    scalay_package_copy(transfer->to, &package, &transfer->unpacker, array, transfer->target);
}

void scalay_copy_columns(const scalay_transfer *transfer, const scalay_origin *from, scalay_column_range columns)
{
    scalay_common_run runs[RUNS_AT_ONCE];
    for (int64_t k = 0; k < from->package->count; k++) {
        scalay_block block = from->package->blocks[k];
        if (from->ld > 0) *(from->transposed ? &block.remote.row_stride : &block.remote.col_stride) = from->ld;
        if (is_whole(&block, columns)) {
            copy_block(transfer, &block, from->array);
            continue;
        }
        int64_t next = first_run(&block, columns.first);
        for (scalay_block part; (part = next_columns(&block, columns, &next, runs)).col_runs > 0;)
            copy_block(transfer, &part, from->array);
    }
}
