#include "redist/pull.h"

#include "base/integer.h"

enum {
    PANEL_BYTES = 524288, /* of the array that is written, before its next columns: it stays in a core's cache */
    RUNS_AT_ONCE = 64,    /* of columns */
    GAP_BYTES = 1024      /* between lines: up to so many are read along with them */
};

/* ------------------------------------------------------------------------------------------------- lines */

static int64_t place_of(const scalay_common_run *run, int at_far)
{
    return at_far ? run->local_b : run->local_a;
}

/* From the first place of some runs to behind the last one. */
static int64_t extent_of(const scalay_common_run *runs, int64_t count, int at_far)
{
    return place_of(&runs[count - 1], at_far) + runs[count - 1].count - place_of(&runs[0], at_far);
}

void scalay_parcel_lines(const scalay_parcel *parcel, int at_far, int transposed, scalay_line_cost *cost)
{
    for (const scalay_block *block = parcel->blocks; block < parcel->blocks + parcel->count; block++) {
        const int64_t length = transposed ? extent_of(block->cols, block->col_runs, at_far)
                                          : extent_of(block->rows, block->row_runs, at_far);
        cost->longest = scalay_max_int64(cost->longest, length);
        cost->read += length * (transposed ? block->row_count : block->col_count);
    }
}

/* A block whose far end is in the scratch buffer: some lines of it, at equal distances. */
typedef struct {
    scalay_common_run line; /* the lines, as a run of columns, or of rows when transposed */
    int64_t start;          /* of the first of them in the buffer, in elements */
    int64_t stride;
} piece;

/* Lines that are read at once. */
typedef struct {
    scalay_extent extents[SCALAY_EXTENTS_MOST];
    piece pieces[SCALAY_EXTENTS_MOST];
    int extent_count;
    int piece_count;
    int64_t used; /* of the buffer, in elements */
} batch;

/* What reading a block needs to know. */
typedef struct {
    const scalay_side *side;
    const scalay_origin *origin;
    const scalay_block *block;
    const scalay_copier *copier;
    char *near;
    scalay_scratch scratch;
    int64_t first;  /* place of the first element of each line */
    int64_t length; /* of each line */
    int64_t ld;     /* from line to line, there */
} reading;

static void move_block(const reading *at, const scalay_block *block, const char *far)
{
    const scalay_parcel only = {.peer = at->origin->parcel->peer, .blocks = block, .count = 1};
    scalay_parcel_pull(at->side, &only, at->copier, far, at->near);
}

/* The part of a block that is made of some of its columns. */
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

static void move_piece(const reading *at, const piece *moved)
{
    const int transposed = at->origin->transposed;
    scalay_common_run line = moved->line;
    line.local_b = 0;
    scalay_block part = transposed ? with_rows(at->block, &line) : with_columns(at->block, &line, 1);
    part.far = (scalay_lattice){.offset = moved->start - at->first,
                                .row_stride = transposed ? moved->stride : 1,
                                .col_stride = transposed ? 1 : moved->stride};
    move_block(at, &part, at->scratch.bytes);
}

static scalay_status flush(const reading *at, batch *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    if (lines->extent_count > 0)
        SCALAY_TRY(scalay_node_read(at->scratch.node, at->origin->place, lines->extents, lines->extent_count,
                                    at->scratch.bytes));
    for (int k = 0; k < lines->piece_count; k++) move_piece(at, &lines->pieces[k]);
cleanup:
    lines->extent_count = lines->piece_count = 0;
    lines->used = 0;
    return status;
}

/* Adds bytes to what is read next, to the last extent when they are close behind it. @return where they will be */
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

/* Adds lines that are neighbours to what is read next: with what lies between them when that is little. */
static void add_lines(const reading *at, const scalay_common_run *run, int64_t count, int merged, batch *lines)
{
    const int64_t size = (int64_t)at->copier->size;
    const int64_t offset = at->block->far.offset + run->local_b * at->ld + at->first;
    char *start = (char *)at->origin->far + offset * size;
    piece *added = &lines->pieces[lines->piece_count++];
    *added = (piece){.line = *run, .stride = merged ? at->ld : at->length};
    added->line.count = count;
    if (merged) {
        added->start = add_extent(at, start, (count - 1) * at->ld + at->length, 1, lines);
        return;
    }
    added->start = lines->used;
    for (int64_t k = 0; k < count; k++) (void)add_extent(at, start + k * at->ld * size, at->length, 0, lines);
}

/* How many of the lines of a run fit into the batch. */
static int64_t room_for(const reading *at, int merged, const batch *lines)
{
    const int64_t size = (int64_t)at->copier->size;
    const int64_t gap = merged && lines->extent_count > 0 ? GAP_BYTES / size : 0;
    const int64_t rest = at->scratch.size / size - lines->used - gap;
    if (lines->piece_count == SCALAY_EXTENTS_MOST || lines->extent_count == SCALAY_EXTENTS_MOST) return 0;
    if (merged) return rest < at->length ? 0 : 1 + (rest - at->length) / at->ld;
    return scalay_min_int64(rest / at->length, SCALAY_EXTENTS_MOST - lines->extent_count);
}

static scalay_status read_run(const reading *at, scalay_common_run run, batch *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    const int merged = (at->ld - at->length) * (int64_t)at->copier->size <= GAP_BYTES;
    while (run.count > 0) {
        const int64_t count = scalay_min_int64(run.count, room_for(at, merged, lines));
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

/* Some runs of lines of a block, out of another process' memory. */
static scalay_status read_lines(reading *at, const scalay_common_run *runs, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    batch lines;
    lines.extent_count = lines.piece_count = 0;
    lines.used = 0;
    const scalay_block *block = at->block;
    const scalay_common_run *along = at->origin->transposed ? block->cols : block->rows;
    at->first = along[0].local_b;
    at->length = extent_of(along, at->origin->transposed ? block->col_runs : block->row_runs, 1);
    at->ld = at->origin->transposed ? block->far.row_stride : block->far.col_stride;
    for (int64_t k = 0; k < count; k++) SCALAY_TRY(read_run(at, runs[k], &lines));
    SCALAY_TRY(flush(at, &lines));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- panels */

/* Some of the near columns. */
typedef struct {
    int64_t first;
    int64_t end;
} panel;

/* The first column run of a block that reaches to a near column. */
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

/* The part of a column run in a panel. */
static scalay_common_run cut(const scalay_common_run *run, panel columns)
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

/* Cuts the next column runs of a block that reach into a panel, from run number *next on; how many they are. */
static int64_t cut_runs(const scalay_block *block, panel columns, int64_t *next, scalay_common_run runs[RUNS_AT_ONCE])
{
    int64_t count = 0;
    for (; *next < block->col_runs && count < RUNS_AT_ONCE; ++*next) {
        if (block->cols[*next].local_a >= columns.end) break;
        runs[count++] = cut(&block->cols[*next], columns);
    }
    return count;
}

static void move_visible(const reading *at, panel columns)
{
    scalay_common_run runs[RUNS_AT_ONCE];
    if (is_whole(at->block, columns)) {
        move_block(at, at->block, at->origin->far);
        return;
    }
    int64_t next = first_run(at->block, columns.first);
    for (int64_t count; (count = cut_runs(at->block, columns, &next, runs)) > 0;) {
        const scalay_block part = with_columns(at->block, runs, count);
        move_block(at, &part, at->origin->far);
    }
}

static scalay_status read_panel(reading *at, panel columns)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_common_run runs[RUNS_AT_ONCE];
    const scalay_block *block = at->block;
    if (at->origin->transposed) return read_lines(at, block->rows, block->row_runs);
    int64_t next = first_run(block, columns.first);
    for (int64_t count; (count = cut_runs(block, columns, &next, runs)) > 0;) SCALAY_TRY(read_lines(at, runs, count));
cleanup:
    return status;
}

/* A panel of a parcel. */
static scalay_status move_panel(const scalay_side *side, const scalay_origin *origin, const scalay_copier *copier,
                                char *near, scalay_scratch scratch, panel columns)
{
    scalay_status status = SCALAY_SUCCESS;
    reading at = {.side = side, .origin = origin, .copier = copier, .near = near, .scratch = scratch};
    for (int64_t k = 0; k < origin->parcel->count; k++) {
        scalay_block block = origin->parcel->blocks[k];
        if (origin->ld > 0) *(origin->transposed ? &block.far.row_stride : &block.far.col_stride) = origin->ld;
        at.block = &block;
        if (origin->place < 0)
            move_visible(&at, columns);
        else
            SCALAY_TRY(read_panel(&at, columns));
    }
cleanup:
    return status;
}

/* What the panels are cut from. */
typedef struct {
    panel all;
    int64_t rows;   /* from the first near row to the last one */
    int64_t blocks; /* of all parcels */
    int cannot;     /* they cannot be cut: near columns are not contiguous, or a parcel is read along its columns */
} outline;

static outline draw_outline(const scalay_origin *origins, int64_t count)
{
    outline drawn = {.all = {INT64_MAX, 0}};
    for (int64_t k = 0; k < count; k++) {
        const scalay_parcel *parcel = origins[k].parcel;
        drawn.blocks += parcel->count;
        drawn.cannot |= origins[k].place >= 0 && origins[k].transposed;
        for (const scalay_block *block = parcel->blocks; block < parcel->blocks + parcel->count; block++) {
            const scalay_common_run *first = block->cols, *last = &block->cols[block->col_runs - 1];
            drawn.all.first = scalay_min_int64(drawn.all.first, first->local_a);
            drawn.all.end = scalay_max_int64(drawn.all.end, last->local_a + last->count);
            drawn.rows = scalay_max_int64(drawn.rows, extent_of(block->rows, block->row_runs, 0));
            drawn.cannot |= block->near.row_stride != 1;
        }
    }
    return drawn;
}

/* How many columns make a panel; all, where there are so many blocks that walking over them would take long. */
static int64_t panel_columns(const outline *drawn, size_t size)
{
    const int64_t all = drawn->all.end - drawn->all.first;
    if (drawn->cannot || drawn->rows == 0) return all;
    const int64_t columns = scalay_max_int64(1, PANEL_BYTES / (drawn->rows * (int64_t)size));
    const int64_t panels = scalay_ceil_div(all, columns);
    return drawn->blocks * panels * 256 > drawn->rows * all && panels > 1 && drawn->blocks > 64 ? all : columns;
}

scalay_status scalay_pull(const scalay_side *side, const scalay_origin *origins, int64_t count,
                          const scalay_copier *copier, char *near, scalay_scratch scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    const outline drawn = draw_outline(origins, count);
    const int64_t step = panel_columns(&drawn, copier->size);
    for (int64_t first = drawn.all.first; first < drawn.all.end; first += step) {
        const panel columns = {first, scalay_min_int64(drawn.all.end, first + step)};
        for (int64_t k = 0; k < count; k++) SCALAY_TRY(move_panel(side, &origins[k], copier, near, scratch, columns));
    }
cleanup:
    return status;
}
