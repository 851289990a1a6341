#include "base/integer.h"
#include "redist/stream.h"

/* Rows of one column: from row `skip` of the runs (counted among them) on, `take` of them. */
typedef struct {
    const scalay_common_run *runs;
    int64_t skip;
    int64_t take;
} row_range;

/* One end of what is moved: place (0, 0) of a lattice. */
static scalay_end end_of(char *array, const scalay_lattice *lattice, int64_t column, size_t size, scalay_places places)
{
    return (scalay_end){.base = array + (lattice->offset + column * lattice->col_stride) * (int64_t)size,
                        .row_stride = lattice->row_stride,
                        .col_stride = lattice->col_stride,
                        .places = places};
}

static scalay_end packed_end(char *packed, int64_t rows)
{
    return (scalay_end){.base = packed, .row_stride = 1, .col_stride = rows, .places = SCALAY_AT_PACKED};
}

/* A packed end goes on behind what was moved; the others tell places by the runs. */
static void go_on(scalay_end *end, int64_t rows, size_t size)
{
    if (end->places == SCALAY_AT_PACKED) end->base += rows * (int64_t)size;
}

static void move_runs(const scalay_copier *copier, const scalay_common_run *runs, int64_t count, int64_t rows,
                      scalay_end *from, scalay_end *to)
{
    scalay_copier_move(copier, runs, count, 1, *from, *to);
    go_on(from, rows, copier->size);
    go_on(to, rows, copier->size);
}

/* Moves a range of one column: a rest of a run, whole runs, the beginning of a run. */
static void move_rows(const scalay_copier *copier, row_range range, scalay_end from, scalay_end to)
{
    const scalay_common_run *run = range.runs;
    while (range.take > 0 && range.skip >= run->count) range.skip -= run++->count;
    while (range.take > 0) {
        int64_t whole = 0, rows = 0;
        while (range.skip == 0 && rows < range.take && rows + run[whole].count <= range.take)
            rows += run[whole++].count;
        if (whole > 0) {
            move_runs(copier, run, whole, rows, &from, &to);
        } else {
            const scalay_common_run part = {.index = run->index + range.skip,
                                            .local_a = run->local_a + range.skip,
                                            .local_b = run->local_b + range.skip,
                                            .count = scalay_min_int64(run->count - range.skip, range.take)};
            rows = part.count;
            move_runs(copier, &part, 1, rows, &from, &to);
            whole = range.skip + rows == run->count;
            range.skip = whole ? 0 : range.skip + rows;
        }
        run += whole;
        range.take -= rows;
    }
}

/* The rows of a block that count in the column of window index j. */
static row_range clipped_rows(const scalay_clip *clip, const scalay_block *block, int64_t j)
{
    const int64_t beyond = block->rows[block->row_runs - 1].index + block->rows[block->row_runs - 1].count;
    int64_t first = 0, end = 0, low = 0, high = block->row_runs;
    scalay_clip_rows(clip, beyond, j, &first, &end);
    while (low < high) { /* the first run that reaches to row `first` */
        const int64_t middle = low + (high - low) / 2;
        if (block->rows[middle].index + block->rows[middle].count <= first)
            low = middle + 1;
        else
            high = middle;
    }
    row_range range = {.runs = block->rows + low};
    for (const scalay_common_run *run = range.runs; run < block->rows + block->row_runs && run->index < end; run++)
        range.take += scalay_min_int64(run->index + run->count, end) - run->index;
    if (range.take == 0) return range;
    range.skip = scalay_max_int64(0, first - range.runs->index);
    range.take = scalay_max_int64(0, range.take - range.skip);
    return range;
}

/* ---------------------------------------------------------------------------------------------- cursors */

scalay_cursor scalay_cursor_start(const scalay_side *side, const scalay_parcel *parcel)
{
    return (scalay_cursor){.parcel = parcel, .clip = &side->clip};
}

/* Steps over columns of the current column run that are done. */
static void next_columns(scalay_cursor *cursor, const scalay_block *block, int64_t columns)
{
    cursor->row = 0;
    cursor->column += columns;
    if (cursor->column < block->cols[cursor->col_run].count) return;
    cursor->column = 0;
    if (++cursor->col_run < block->col_runs) return;
    cursor->col_run = 0;
    cursor->block++;
}

/* Moves a part of a column, at most `elements`; how many they were. */
static int64_t move_in_column(scalay_cursor *cursor, const scalay_copier *copier, char *array, char *packed, int packs,
                              int64_t elements)
{
    const scalay_block *block = &cursor->parcel->blocks[cursor->block];
    const scalay_common_run *col = &block->cols[cursor->col_run];
    row_range rows = {.runs = block->rows, .take = block->row_count};
    if (block->clipped) rows = clipped_rows(cursor->clip, block, col->index + cursor->column);
    const int64_t left = rows.take - cursor->row;
    rows.skip += cursor->row;
    rows.take = scalay_min_int64(left, elements);
    const scalay_end near = end_of(array, &block->near, col->local_a + cursor->column, copier->size, SCALAY_AT_NEAR);
    const scalay_end pack = packed_end(packed, rows.take);
    move_rows(copier, rows, packs ? near : pack, packs ? pack : near);
    cursor->row += rows.take;
    if (rows.take == left) next_columns(cursor, block, 1);
    return rows.take;
}

/* Moves whole columns of the current column run, as many as fit; how many they were. */
static int64_t move_columns(const scalay_cursor *cursor, const scalay_block *block, const scalay_copier *copier,
                            char *array, scalay_end pack, int packs, int64_t most)
{
    const scalay_common_run *col = &block->cols[cursor->col_run];
    const int64_t columns = scalay_min_int64(col->count - cursor->column, most);
    const scalay_end near = end_of(array, &block->near, col->local_a + cursor->column, copier->size, SCALAY_AT_NEAR);
    scalay_copier_move(copier, block->rows, block->row_runs, columns, packs ? near : pack, packs ? pack : near);
    return columns;
}

/* Moves whole column runs, as many as fit; how many columns they have. */
static int64_t move_column_runs(const scalay_cursor *cursor, const scalay_block *block, const scalay_copier *copier,
                                char *array, scalay_end pack, int packs, int64_t most)
{
    const scalay_common_run *col = &block->cols[cursor->col_run];
    const scalay_end near = end_of(array, &block->near, 0, copier->size, SCALAY_AT_NEAR);
    int64_t runs = 0, columns = 0;
    while (cursor->col_run + runs < block->col_runs && columns + col[runs].count <= most) columns += col[runs++].count;
    const scalay_patch patch = {.rows = block->rows,
                                .cols = col,
                                .row_runs = block->row_runs,
                                .col_runs = runs,
                                .from = packs ? near : pack,
                                .to = packs ? pack : near};
    scalay_copier_move_patch(copier, &patch);
    return columns;
}

/* Moves whole columns, as many as fit, or some of them; how many elements they were. */
static int64_t move_whole(scalay_cursor *cursor, const scalay_copier *copier, char *array, char *packed, int packs,
                          int64_t elements)
{
    const scalay_block *block = &cursor->parcel->blocks[cursor->block];
    const scalay_end pack = packed_end(packed, block->row_count);
    const int64_t most = elements / block->row_count;
    const int runs = cursor->column == 0 && block->cols[cursor->col_run].count <= most;
    int64_t columns = runs ? move_column_runs(cursor, block, copier, array, pack, packs, most)
                           : move_columns(cursor, block, copier, array, pack, packs, most);
    const int64_t moved = columns * block->row_count;
    while (columns > 0) {
        const int64_t here = scalay_min_int64(columns, block->cols[cursor->col_run].count - cursor->column);
        next_columns(cursor, block, here);
        columns -= here;
    }
    return moved;
}

static void move_elements(scalay_cursor *cursor, const scalay_copier *copier, char *array, char *packed, int packs,
                          int64_t elements)
{
    cursor->position += elements;
    while (elements > 0) {
        const scalay_block *block = &cursor->parcel->blocks[cursor->block];
        const int whole = !block->clipped && cursor->row == 0 && block->row_count <= elements;
        const int64_t moved = whole ? move_whole(cursor, copier, array, packed, packs, elements)
                                    : move_in_column(cursor, copier, array, packed, packs, elements);
        packed += moved * (int64_t)copier->size;
        elements -= moved;
    }
}

/* Packing reads the array and unpacking reads the packed elements; one function does both, so the casts. */
void scalay_cursor_pack(scalay_cursor *cursor, const scalay_copier *copier, const char *array, char *packed,
                        int64_t elements)
{
    move_elements(cursor, copier, (char *)array, packed, 1, elements);
}

void scalay_cursor_unpack(scalay_cursor *cursor, const scalay_copier *copier, const char *packed, char *array,
                          int64_t elements)
{
    move_elements(cursor, copier, array, (char *)packed, 0, elements);
}

/* ------------------------------------------------------------------------------------------ whole parcels */

/* A block that the trapezoid's diagonal cuts: column by column. */
static void pull_clipped(const scalay_clip *clip, const scalay_block *block, const scalay_copier *copier, char *far,
                         char *near)
{
    for (const scalay_common_run *col = block->cols; col < block->cols + block->col_runs; col++)
        for (int64_t j = 0; j < col->count; j++)
            move_rows(copier, clipped_rows(clip, block, col->index + j),
                      end_of(far, &block->far, col->local_b + j, copier->size, SCALAY_AT_FAR),
                      end_of(near, &block->near, col->local_a + j, copier->size, SCALAY_AT_NEAR));
}

static void pull_whole(const scalay_block *block, const scalay_copier *copier, char *far, char *near)
{
    const scalay_patch patch = {.rows = block->rows,
                                .cols = block->cols,
                                .row_runs = block->row_runs,
                                .col_runs = block->col_runs,
                                .from = end_of(far, &block->far, 0, copier->size, SCALAY_AT_FAR),
                                .to = end_of(near, &block->near, 0, copier->size, SCALAY_AT_NEAR)};
    scalay_copier_move_patch(copier, &patch);
}

void scalay_parcel_pull(const scalay_side *side, const scalay_parcel *parcel, const scalay_copier *copier,
                        const char *far, char *near)
{
    for (const scalay_block *block = parcel->blocks; block < parcel->blocks + parcel->count; block++)
        if (block->clipped)
            pull_clipped(&side->clip, block, copier, (char *)far, near);
        else
            pull_whole(block, copier, (char *)far, near);
}
