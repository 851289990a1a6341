/* Copying packages out of the arrays of other ranks: panels, lines, batches of reads. */
#include "redist/pull.h"

#include "base/integer.h"

enum {
    PANEL_BYTES = 524288, /* bytes of the target per panel, so that the panel stays in the cache of a core */
    RUNS_AT_ONCE = 64,    /* column runs */
    GAP_BYTES = 1024      /* bytes between two lines that are read along with them */
};

/* ------------------------------------------------------------------------------------------------- lines */

static int64_t local_index_of(const scalay_common_run *run, int at_remote)
{
    return at_remote ? run->local_b : run->local_a;
}

/* Returns the length from the first to the last local index of some runs. */
static int64_t extent_of(const scalay_common_run *runs, int64_t count, int at_remote)
{
    return local_index_of(&runs[count - 1], at_remote) + runs[count - 1].count - local_index_of(&runs[0], at_remote);
}

void scalay_package_lines(const scalay_package *package, int at_remote, int transposed, scalay_line_cost *cost)
{
    for (const scalay_block *block = package->blocks; block < package->blocks + package->count; block++) {
        const int64_t length = transposed ? extent_of(block->cols, block->col_runs, at_remote)
                                          : extent_of(block->rows, block->row_runs, at_remote);
        cost->longest = scalay_max_int64(cost->longest, length);
        cost->read += length * (transposed ? block->row_count : block->col_count);
    }
}

/* Part of a block whose remote end is in the scratch buffer: some lines at equal distances. */
typedef struct {
    scalay_common_run line; /* the lines, as a run of columns, or of rows if transposed */
    int64_t start;          /* offset of the first line in the buffer, in elements */
    int64_t stride;
} line_group;

/* Lines that are read with one call. */
typedef struct {
    scalay_extent extents[SCALAY_MAX_EXTENTS];
    line_group groups[SCALAY_MAX_EXTENTS];
    int extent_count;
    int group_count;
    int64_t used; /* of the buffer, in elements */
} batch;

/* Parameters of reading one block. */
typedef struct {
    const scalay_side *side;
    const scalay_origin *origin;
    const scalay_block *block;
    const scalay_copier *copier;
    char *own;
    scalay_scratch scratch;
    int64_t first;  /* local index of the first element of each line */
    int64_t length; /* of each line */
    int64_t ld;     /* distance of lines in the remote array */
} reading;

static void copy_block(const reading *at, const scalay_block *block, const char *remote)
{
    const scalay_package only = {.peer = at->origin->package->peer, .blocks = block, .count = 1};
    scalay_package_copy(at->side, &only, at->copier, remote, at->own);
}

/* Returns a part of a block: some of its columns. */
static scalay_block with_columns(const scalay_block *block, const scalay_common_run *columns, int64_t count)
{
    scalay_block part = *block;
    part.cols = columns;
    part.col_runs = count;
    part.col_count = 0;
    for (int64_t k = 0; k < count; k++) part.col_count += columns[k].count;
    return part;
}

static scalay_block with_rows(const scalay_block *block, const scalay_common_run *rows)
{
    scalay_block part = *block;
    part.rows = rows;
    part.row_runs = 1;
    part.row_count = rows->count;
    return part;
}

static void copy_line_group(const reading *at, const line_group *group)
{
    const int transposed = at->origin->transposed;
    scalay_common_run line = group->line;
    line.local_b = 0;
    scalay_block part = transposed ? with_rows(at->block, &line) : with_columns(at->block, &line, 1);
    part.remote = (scalay_strides){.offset = group->start - at->first,
                                   .row_stride = transposed ? group->stride : 1,
                                   .col_stride = transposed ? 1 : group->stride};
    copy_block(at, &part, at->scratch.bytes);
}

static scalay_status flush(const reading *at, batch *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    if (lines->extent_count > 0)
        SCALAY_TRY(scalay_node_read(at->scratch.node, at->origin->local_rank, lines->extents, lines->extent_count,
                                    at->scratch.bytes));
    for (int k = 0; k < lines->group_count; k++) copy_line_group(at, &lines->groups[k]);
cleanup:
    lines->extent_count = lines->group_count = 0;
    lines->used = 0;
    return status;
}

/* Adds a line to the batch; joins it to the last extent if it follows closely. Returns its offset in the buffer. */
static int64_t add_extent(const reading *at, char *start, int64_t length, int merged, batch *lines)
{
    const int64_t size = (int64_t)at->copier->size;
    scalay_extent *last = lines->extent_count > 0 ? &lines->extents[lines->extent_count - 1] : NULL;
    const uintptr_t end = last != NULL ? (uintptr_t)last->start + last->bytes : UINTPTR_MAX;
    const int is_close = merged && (uintptr_t)start >= end && (uintptr_t)start - end <= GAP_BYTES;
    const int64_t gap = is_close ? (int64_t)((uintptr_t)start - end) : 0;
    if (is_close) {
        last->bytes += (size_t)(gap + length * size);
        lines->used += gap / size;
    } else {
        lines->extents[lines->extent_count++] = (scalay_extent){start, (size_t)(length * size)};
    }
    lines->used += length;
    return lines->used - length;
}

/* Adds consecutive lines to the batch. `merged`: the gaps between the lines are read too. */
static void add_lines(const reading *at, const scalay_common_run *run, int64_t count, int merged, batch *lines)
{
    const int64_t size = (int64_t)at->copier->size;
    const int64_t offset = at->block->remote.offset + run->local_b * at->ld + at->first;
    char *start = (char *)at->origin->remote + offset * size;
    line_group *added = &lines->groups[lines->group_count++];
    *added = (line_group){.line = *run, .stride = merged ? at->ld : at->length};
    added->line.count = count;
    if (merged) {
        added->start = add_extent(at, start, (count - 1) * at->ld + at->length, 1, lines);
        return;
    }
    added->start = lines->used;
    for (int64_t k = 0; k < count; k++) (void)add_extent(at, start + k * at->ld * size, at->length, 0, lines);
}

/* Returns how many lines of a run fit into the batch. */
static int64_t count_fitting(const reading *at, int merged, const batch *lines)
{
    const int64_t size = (int64_t)at->copier->size;
    const int64_t gap = merged && lines->extent_count > 0 ? GAP_BYTES / size : 0;
    const int64_t rest = at->scratch.size / size - lines->used - gap;
    if (lines->group_count == SCALAY_MAX_EXTENTS || lines->extent_count == SCALAY_MAX_EXTENTS) return 0;
    if (merged) return rest < at->length ? 0 : 1 + (rest - at->length) / at->ld;
    return scalay_min_int64(rest / at->length, SCALAY_MAX_EXTENTS - lines->extent_count);
}

static scalay_status read_run(const reading *at, scalay_common_run run, batch *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    const int merged = (at->ld - at->length) * (int64_t)at->copier->size <= GAP_BYTES;
    while (run.count > 0) {
        const int64_t count = scalay_min_int64(run.count, count_fitting(at, merged, lines));
        if (count == 0) {
            SCALAY_TRY(flush(at, lines));
            continue;
        }
        add_lines(at, &run, count, merged, lines);
        run.index += count;
        run.local_a += count;
        run.local_b += count;
        run.count -= count;
    }
cleanup:
    return status;
}

/* Reads some runs of lines of a block from another process, and copies them into the target. */
static scalay_status read_lines(reading *at, const scalay_common_run *runs, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    batch lines;
    lines.extent_count = lines.group_count = 0;
    lines.used = 0;
    const scalay_block *block = at->block;
    const scalay_common_run *along = at->origin->transposed ? block->cols : block->rows;
    at->first = along[0].local_b;
    at->length = extent_of(along, at->origin->transposed ? block->col_runs : block->row_runs, 1);
    at->ld = at->origin->transposed ? block->remote.row_stride : block->remote.col_stride;
    for (int64_t k = 0; k < count; k++) SCALAY_TRY(read_run(at, runs[k], &lines));
    SCALAY_TRY(flush(at, &lines));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- panels */

/* A range of columns of the target. */
typedef struct {
    int64_t first;
    int64_t end;
} panel;

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

/* Returns the part of a column run in a panel. */
static scalay_common_run intersect(const scalay_common_run *run, panel columns)
{
    const int64_t skip = scalay_max_int64(0, columns.first - run->local_a);
    const int64_t end = scalay_min_int64(run->count, columns.end - run->local_a);
    return (scalay_common_run){.index = run->index + skip,
                               .local_a = run->local_a + skip,
                               .local_b = run->local_b + skip,
                               .count = end - skip};
}

static int is_whole(const scalay_block *block, panel columns)
{
    const scalay_common_run *last = &block->cols[block->col_runs - 1];
    return columns.first <= block->cols[0].local_a && last->local_a + last->count <= columns.end;
}

/* Collects the column runs of a block in a panel, from run *next on. Returns their number. */
static int64_t collect_runs(const scalay_block *block, panel columns, int64_t *next,
                            scalay_common_run runs[RUNS_AT_ONCE])
{
    int64_t count = 0;
    for (; *next < block->col_runs && count < RUNS_AT_ONCE; ++*next) {
        if (block->cols[*next].local_a >= columns.end) break;
        runs[count++] = intersect(&block->cols[*next], columns);
    }
    return count;
}

static void copy_addressable(const reading *at, panel columns)
{
    scalay_common_run runs[RUNS_AT_ONCE];
    if (is_whole(at->block, columns)) {
        copy_block(at, at->block, at->origin->remote);
        return;
    }
    int64_t next = first_run(at->block, columns.first);
    for (int64_t count; (count = collect_runs(at->block, columns, &next, runs)) > 0;) {
        const scalay_block part = with_columns(at->block, runs, count);
        copy_block(at, &part, at->origin->remote);
    }
}

static scalay_status read_panel(reading *at, panel columns)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_common_run runs[RUNS_AT_ONCE];
    const scalay_block *block = at->block;
    if (at->origin->transposed) return read_lines(at, block->rows, block->row_runs);
    int64_t next = first_run(block, columns.first);
    for (int64_t count; (count = collect_runs(block, columns, &next, runs)) > 0;)
        SCALAY_TRY(read_lines(at, runs, count));
cleanup:
    return status;
}

/* Copies a panel of a package. */
static scalay_status copy_panel(const scalay_side *side, const scalay_origin *origin, const scalay_copier *copier,
                                char *own, scalay_scratch scratch, panel columns)
{
    scalay_status status = SCALAY_SUCCESS;
    reading at = {.side = side, .origin = origin, .copier = copier, .own = own, .scratch = scratch};
    for (int64_t k = 0; k < origin->package->count; k++) {
        scalay_block block = origin->package->blocks[k];
        if (origin->ld > 0) *(origin->transposed ? &block.remote.row_stride : &block.remote.col_stride) = origin->ld;
        at.block = &block;
        if (origin->local_rank < 0)
            copy_addressable(&at, columns);
        else
            SCALAY_TRY(read_panel(&at, columns));
    }
cleanup:
    return status;
}

/* Extents of all packages in the target. */
typedef struct {
    panel columns;
    int64_t rows;      /* from the first to the last row */
    int64_t blocks;    /* of all packages */
    int has_no_panels; /* 1: no panels, because target columns are not contiguous, or a package is read along its
                          columns */
} outline;

static outline find_outline(const scalay_origin *origins, int64_t count)
{
    outline all = {.columns = {INT64_MAX, 0}};
    for (int64_t k = 0; k < count; k++) {
        const scalay_package *package = origins[k].package;
        all.blocks += package->count;
        all.has_no_panels |= origins[k].local_rank >= 0 && origins[k].transposed;
        for (const scalay_block *block = package->blocks; block < package->blocks + package->count; block++) {
            const scalay_common_run *first = block->cols, *last = &block->cols[block->col_runs - 1];
            all.columns.first = scalay_min_int64(all.columns.first, first->local_a);
            all.columns.end = scalay_max_int64(all.columns.end, last->local_a + last->count);
            all.rows = scalay_max_int64(all.rows, extent_of(block->rows, block->row_runs, 0));
            all.has_no_panels |= block->own.row_stride != 1;
        }
    }
    return all;
}

/* Chooses the columns per panel. With very many blocks, one panel: visiting all blocks for each panel would take
   longer than copying them. */
static int64_t panel_columns(const outline *all, size_t size)
{
    const int64_t total = all->columns.end - all->columns.first;
    if (all->has_no_panels || all->rows == 0) return total;
    const int64_t columns = scalay_max_int64(1, PANEL_BYTES / (all->rows * (int64_t)size));
    const int64_t panels = scalay_ceil_div(total, columns);
    return all->blocks * panels * 256 > all->rows * total && panels > 1 && all->blocks > 64 ? total : columns;
}

scalay_status scalay_pull(const scalay_side *side, const scalay_origin *origins, int64_t count,
                          const scalay_copier *copier, char *own, scalay_scratch scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    const outline all = find_outline(origins, count);
    const int64_t step = panel_columns(&all, copier->size);
    for (int64_t first = all.columns.first; first < all.columns.end; first += step) {
        const panel columns = {first, scalay_min_int64(all.columns.end, first + step)};
        for (int64_t k = 0; k < count; k++) SCALAY_TRY(copy_panel(side, &origins[k], copier, own, scratch, columns));
    }
cleanup:
    return status;
}
