/* Cursors over packages, streams over channels, and the order of channels.

   A cursor packs or unpacks any number of elements of a package. It copies whole column runs if they fit, else whole
   columns, else parts of a column. A stream concatenates the packages of a channel and splits them into chunks. */
#include "redist/stream.h"

#include <stdlib.h>

#include "base/integer.h"

/* Rows of one column: `take` rows after the first `skip` rows of the runs. */
typedef struct {
    const scalay_common_run *runs;
    int64_t skip;
    int64_t take;
} row_range;

/* Returns the end of a block copy at column `column` of an array. */
static scalay_end end_of(char *array, const scalay_strides *strides, int64_t column, size_t size,
                         scalay_run_position position)
{
    return (scalay_end){.base = array + (strides->offset + column * strides->col_stride) * (int64_t)size,
                        .row_stride = strides->row_stride,
                        .col_stride = strides->col_stride,
                        .position = position};
}

static scalay_end packed_end(char *packed, int64_t rows)
{
    return (scalay_end){.base = packed, .row_stride = 1, .col_stride = rows, .position = SCALAY_AT_PACKED};
}

/* A packed end continues after the copied rows. Other ends find their position by the runs. */
static void skip_packed(scalay_end *end, int64_t rows, size_t size)
{
    if (end->position == SCALAY_AT_PACKED) end->base += rows * (int64_t)size;
}

static void copy_runs(const scalay_copier *copier, const scalay_common_run *runs, int64_t count, int64_t rows,
                      scalay_end *from, scalay_end *to)
{
    scalay_copier_copy_columns(copier, runs, count, 1, *from, *to);
    skip_packed(from, rows, copier->size);
    skip_packed(to, rows, copier->size);
}

/* Copies a range of one column: the rest of a run, whole runs, and the beginning of a run. */
static void copy_rows(const scalay_copier *copier, row_range range, scalay_end from, scalay_end to)
{
    const scalay_common_run *run = range.runs;
    while (range.take > 0 && range.skip >= run->count) range.skip -= run++->count;
    while (range.take > 0) {
        int64_t whole = 0, rows = 0;
        while (range.skip == 0 && rows < range.take && rows + run[whole].count <= range.take)
            rows += run[whole++].count;
        if (whole > 0) {
            copy_runs(copier, run, whole, rows, &from, &to);
        } else {
            const scalay_common_run part = {.index = run->index + range.skip,
                                            .local_a = run->local_a + range.skip,
                                            .local_b = run->local_b + range.skip,
                                            .count = scalay_min_int64(run->count - range.skip, range.take)};
            rows = part.count;
            copy_runs(copier, &part, 1, rows, &from, &to);
            whole = range.skip + rows == run->count;
            range.skip = whole ? 0 : range.skip + rows;
        }
        run += whole;
        range.take -= rows;
    }
}

/* ------------------------------------------------------------------------------------------- cut columns */

/* Returns the first run that has a row, or lies below it; the end of the runs: none. */
static const scalay_common_run *run_that_reaches(const scalay_block *block, int64_t row)
{
    int64_t low = 0, high = block->row_runs;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (block->rows[middle].index + block->rows[middle].count <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return block->rows + low;
}

/* Sets first and end to the rows of the matrix that the trapezoid has in column j, as far as the block reaches. */
static void find_rows(const scalay_trapezoid *trapezoid, const scalay_block *block, int64_t j, int64_t *first,
                      int64_t *end)
{
    const scalay_common_run *last = &block->rows[block->row_runs - 1];
    scalay_trapezoid_rows(trapezoid, last->index + last->count, j, first, end);
}

/* Returns the rows of a block that lie in the trapezoid in column j of the matrix. */
static row_range rows_in_trapezoid(const scalay_trapezoid *trapezoid, const scalay_block *block, int64_t j)
{
    int64_t first = 0, end = 0;
    find_rows(trapezoid, block, j, &first, &end);
    row_range range = {.runs = run_that_reaches(block, first)};
    for (const scalay_common_run *run = range.runs; run < block->rows + block->row_runs && run->index < end; run++)
        range.take += scalay_min_int64(run->index + run->count, end) - run->index;
    if (range.take == 0) return range;
    range.skip = scalay_max_int64(0, first - range.runs->index);
    range.take = scalay_max_int64(0, range.take - range.skip);
    return range;
}

/* Returns the place of the first row of a block that is not above a row of the matrix. */
static int64_t own_place(const scalay_block *block, int64_t row)
{
    const scalay_common_run *run = run_that_reaches(block, row), *last = &block->rows[block->row_runs - 1];
    if (run > last) return last->local_a + last->count;
    return run->local_a + scalay_max_int64(0, row - run->index);
}

/* The rows of a column that the diagonal cuts, as series: a look at each run would take longer than copying it. */
typedef struct {
    scalay_row_series part[SCALAY_MAX_SERIES];
    int count;
    int64_t rows;
} cut_column;

/* Returns 1 if the columns of a cut block are copied by series, of which `known` have all rows. */
static int are_cut_by_series(const scalay_copier *copier, const scalay_block *block, const scalay_row_series *known,
                             int count)
{
    if (count == 0 || SCALAY_CUT_SERIES * count > SCALAY_MAX_SERIES || block->own.row_stride != 1) return 0;
    return scalay_copier_copies_series(copier, known[count / 2].rows);
}

static void cut(const scalay_trapezoid *trapezoid, const scalay_block *block, int64_t j, const scalay_row_series *known,
                int count, cut_column *column)
{
    int64_t first = 0, end = 0;
    find_rows(trapezoid, block, j, &first, &end);
    column->count = scalay_row_series_cut(known, count, own_place(block, first), own_place(block, end), column->part,
                                          &column->rows);
}

/* ---------------------------------------------------------------------------------------------- cursors */

scalay_cursor scalay_cursor_start(const scalay_side *side, const scalay_package *package)
{
    return (scalay_cursor){.package = package, .trapezoid = &side->trapezoid};
}

/* Advances the cursor by columns of the current column run. */
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

/* Copies a column that the diagonal cuts. Returns the number of elements; -1: they are more than `elements`, or are not
   copied by series. */
static int64_t move_cut_column(scalay_cursor *cursor, const scalay_copier *copier, char *array, char *packed, int packs,
                               int64_t elements)
{
    const scalay_block *block = &cursor->package->blocks[cursor->block];
    const scalay_common_run *col = &block->cols[cursor->col_run];
    const scalay_row_series *known = block->series != NULL ? block->series->packed : NULL;
    const int count = block->series != NULL ? block->series->packed_count : 0;
    cut_column column;
    if (!are_cut_by_series(copier, block, known, count)) return -1;
    cut(cursor->trapezoid, block, col->index + cursor->column, known, count, &column);
    if (column.rows > elements) return -1;
    int64_t before = INT64_MAX; /* rows above the trapezoid are not packed */
    for (int k = 0; k < column.count; k++) before = scalay_min_int64(before, column.part[k].to);
    for (int k = 0; k < column.count; k++) column.part[k].to -= before;
    const int64_t step = block->own.col_stride * (int64_t)copier->size;
    char *own = array + block->own.offset * (int64_t)copier->size + (col->local_a + cursor->column) * step;
    const int is_last = cursor->column + 1 == col->count;
    scalay_copier_copy_series(copier, column.part, column.count, !packs, packs && !is_last ? step : 0,
                              packs ? own : packed, packs ? packed : own);
    next_columns(cursor, block, 1);
    return column.rows;
}

/* Copies a part of a column, at maximum `elements`. Returns the number of elements. */
static int64_t move_in_column(scalay_cursor *cursor, const scalay_copier *copier, char *array, char *packed, int packs,
                              int64_t elements)
{
    const scalay_block *block = &cursor->package->blocks[cursor->block];
    const scalay_common_run *col = &block->cols[cursor->col_run];
    row_range rows = {.runs = block->rows, .take = block->row_count};
    if (block->is_cut && cursor->row == 0) {
        const int64_t moved = move_cut_column(cursor, copier, array, packed, packs, elements);
        if (moved >= 0) return moved;
    }
    if (block->is_cut) rows = rows_in_trapezoid(cursor->trapezoid, block, col->index + cursor->column);
    const int64_t left = rows.take - cursor->row;
    rows.skip += cursor->row;
    rows.take = scalay_min_int64(left, elements);
    const scalay_end own = end_of(array, &block->own, col->local_a + cursor->column, copier->size, SCALAY_AT_OWN);
    const scalay_end pack = packed_end(packed, rows.take);
    copy_rows(copier, rows, packs ? own : pack, packs ? pack : own);
    cursor->row += rows.take;
    if (rows.take == left) next_columns(cursor, block, 1);
    return rows.take;
}

/* All rows of a block in some columns, packed or unpacked. */
static scalay_block_copy packed_copy(const scalay_block *block, const scalay_common_run *cols, int64_t col_runs,
                                     scalay_end own, scalay_end pack, int packs)
{
    return (scalay_block_copy){.rows = block->rows,
                               .cols = cols,
                               .row_runs = block->row_runs,
                               .col_runs = col_runs,
                               .from = packs ? own : pack,
                               .to = packs ? pack : own,
                               .series = block->series != NULL ? block->series->packed : NULL,
                               .series_count = block->series != NULL ? block->series->packed_count : 0};
}

/* Copies whole columns of the current column run, as many as fit. Returns the number of columns. */
static int64_t move_columns(const scalay_cursor *cursor, const scalay_block *block, const scalay_copier *copier,
                            char *array, scalay_end pack, int packs, int64_t maximum)
{
    const scalay_common_run *col = &block->cols[cursor->col_run];
    const int64_t columns = scalay_min_int64(col->count - cursor->column, maximum);
    const scalay_end own = end_of(array, &block->own, col->local_a + cursor->column, copier->size, SCALAY_AT_OWN);
    const scalay_common_run adjacent = {.count = columns};
    const scalay_block_copy copy = packed_copy(block, &adjacent, 1, own, pack, packs);
    scalay_copier_copy_block(copier, &copy);
    return columns;
}

/* Copies whole column runs, as many as fit. Returns the number of columns. */
static int64_t move_column_runs(const scalay_cursor *cursor, const scalay_block *block, const scalay_copier *copier,
                                char *array, scalay_end pack, int packs, int64_t maximum)
{
    const scalay_common_run *col = &block->cols[cursor->col_run];
    const scalay_end own = end_of(array, &block->own, 0, copier->size, SCALAY_AT_OWN);
    int64_t runs = 0, columns = 0;
    while (cursor->col_run + runs < block->col_runs && columns + col[runs].count <= maximum)
        columns += col[runs++].count;
    const scalay_block_copy copy = packed_copy(block, col, runs, own, pack, packs);
    scalay_copier_copy_block(copier, &copy);
    return columns;
}

/* Copies whole columns, as many as fit. Returns the number of elements. */
static int64_t move_whole(scalay_cursor *cursor, const scalay_copier *copier, char *array, char *packed, int packs,
                          int64_t elements)
{
    const scalay_block *block = &cursor->package->blocks[cursor->block];
    const scalay_end pack = packed_end(packed, block->row_count);
    const int64_t maximum = elements / block->row_count;
    const int runs = cursor->column == 0 && block->cols[cursor->col_run].count <= maximum;
    int64_t columns = runs ? move_column_runs(cursor, block, copier, array, pack, packs, maximum)
                           : move_columns(cursor, block, copier, array, pack, packs, maximum);
    const int64_t moved = columns * block->row_count;
    while (columns > 0) {
        const int64_t in_run = scalay_min_int64(columns, block->cols[cursor->col_run].count - cursor->column);
        next_columns(cursor, block, in_run);
        columns -= in_run;
    }
    return moved;
}

static void move_elements(scalay_cursor *cursor, const scalay_copier *copier, char *array, char *packed, int packs,
                          int64_t elements)
{
    cursor->position += elements;
    while (elements > 0) {
        const scalay_block *block = &cursor->package->blocks[cursor->block];
        const int whole = !block->is_cut && cursor->row == 0 && block->row_count <= elements;
        const int64_t moved = whole ? move_whole(cursor, copier, array, packed, packs, elements)
                                    : move_in_column(cursor, copier, array, packed, packs, elements);
        packed += moved * (int64_t)copier->size;
        elements -= moved;
    }
}

/* Columns of a block before a local column, from a run on. */
static int64_t columns_before(const scalay_block *block, int64_t run, int64_t column)
{
    int64_t columns = 0;
    for (; run < block->col_runs && block->cols[run].local_a < column; run++)
        columns += scalay_min_int64(block->cols[run].count, column - block->cols[run].local_a);
    return columns;
}

int64_t scalay_cursor_elements_before(const scalay_cursor *cursor, int64_t column)
{
    int64_t elements = 0;
    for (int64_t b = cursor->block; b < cursor->package->count; b++) {
        const scalay_block *block = &cursor->package->blocks[b];
        const int64_t columns = columns_before(block, b == cursor->block ? cursor->col_run : 0, column);
        if (columns == 0) break;
        elements += columns * block->row_count;
        if (b == cursor->block) elements -= cursor->column * block->row_count + cursor->row;
    }
    return scalay_max_int64(0, elements);
}

/* Packing only reads the array, and unpacking only reads the packed elements. One function does both; hence the
   casts. */
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

/* ------------------------------------------------------------------------------------------ whole packages */

/* Copies columns of a run that the diagonal cuts by series. */
static void copy_cut_columns(const scalay_trapezoid *trapezoid, const scalay_block *block, const scalay_common_run *col,
                             const scalay_copier *copier, char *remote, char *own)
{
    cut_column column;
    for (int64_t j = 0; j < col->count; j++) {
        const scalay_end from = end_of(remote, &block->remote, col->local_b + j, copier->size, SCALAY_AT_REMOTE);
        const scalay_end to = end_of(own, &block->own, col->local_a + j, copier->size, SCALAY_AT_OWN);
        cut(trapezoid, block, col->index + j, block->series->remote, block->series->remote_count, &column);
        scalay_copier_copy_series(copier, column.part, column.count, 1,
                                  j + 1 < col->count ? from.col_stride * (int64_t)copier->size : 0, from.base, to.base);
    }
}

/* Copies a block that the diagonal of the trapezoid cuts, column by column. */
static void copy_cut_block(const scalay_trapezoid *trapezoid, const scalay_block *block, const scalay_copier *copier,
                           char *remote, char *own)
{
    const scalay_kept_series *s = block->series;
    const int by_series =
        s != NULL && block->remote.row_stride == 1 && are_cut_by_series(copier, block, s->remote, s->remote_count);
    for (const scalay_common_run *col = block->cols; col < block->cols + block->col_runs; col++) {
        if (by_series) copy_cut_columns(trapezoid, block, col, copier, remote, own);
        for (int64_t j = 0; j < col->count && !by_series; j++)
            copy_rows(copier, rows_in_trapezoid(trapezoid, block, col->index + j),
                      end_of(remote, &block->remote, col->local_b + j, copier->size, SCALAY_AT_REMOTE),
                      end_of(own, &block->own, col->local_a + j, copier->size, SCALAY_AT_OWN));
    }
}

static void copy_whole_block(const scalay_block *block, const scalay_copier *copier, char *remote, char *own)
{
    const scalay_block_copy copy = {.rows = block->rows,
                                    .cols = block->cols,
                                    .row_runs = block->row_runs,
                                    .col_runs = block->col_runs,
                                    .from = end_of(remote, &block->remote, 0, copier->size, SCALAY_AT_REMOTE),
                                    .to = end_of(own, &block->own, 0, copier->size, SCALAY_AT_OWN),
                                    .series = block->series != NULL ? block->series->remote : NULL,
                                    .series_count = block->series != NULL ? block->series->remote_count : 0};
    scalay_copier_copy_block(copier, &copy);
}

void scalay_package_copy(const scalay_side *side, const scalay_package *package, const scalay_copier *copier,
                         const char *remote, char *own)
{
    for (const scalay_block *block = package->blocks; block < package->blocks + package->count; block++)
        if (block->is_cut)
            copy_cut_block(&side->trapezoid, block, copier, (char *)remote, own);
        else
            copy_whole_block(block, copier, (char *)remote, own);
}

static void enter_matrix(scalay_stream *stream)
{
    const scalay_transfer *transfer = &stream->transfers[stream->matrix];
    stream->cursor =
        scalay_cursor_start(stream->sends ? transfer->from : transfer->to, stream->channel->packages[stream->matrix]);
}

static int64_t elements_left(const scalay_stream *stream)
{
    const scalay_package *package = stream->cursor.package;
    return package != NULL ? package->elements - stream->cursor.position : 0;
}

/* Advances to the next matrix with remaining elements. */
static void skip_empty(scalay_stream *stream)
{
    while (stream->matrix < stream->matrices && elements_left(stream) == 0)
        if (++stream->matrix < stream->matrices) enter_matrix(stream);
}

scalay_stream scalay_stream_start(const scalay_transfer *transfers, int matrices, const scalay_channel *channel,
                                  int sends)
{
    scalay_stream stream = {.channel = channel, .transfers = transfers, .matrices = matrices, .sends = sends};
    enter_matrix(&stream);
    skip_empty(&stream);
    return stream;
}

/* Operation on the elements of a chunk. */
typedef void (*chunk_work)(scalay_stream *stream, char *packed, int64_t elements);

static void count_only(scalay_stream *stream, char *packed, int64_t elements)
{
    (void)packed;
    stream->cursor.position += elements;
}

static void pack(scalay_stream *stream, char *packed, int64_t elements)
{
    const scalay_transfer *transfer = &stream->transfers[stream->matrix];
    scalay_cursor_pack(&stream->cursor, &transfer->packer, transfer->source, packed, elements);
}

static void unpack(scalay_stream *stream, char *packed, int64_t elements)
{
    const scalay_transfer *transfer = &stream->transfers[stream->matrix];
    scalay_cursor_unpack(&stream->cursor, &transfer->unpacker, packed, transfer->target, elements);
}

enum { MAX_LIKE_BLOCKS = 3, COLUMNS_PER_CHUNK = 4 };

/* Returns the number of rows of all columns of a package; 0: they differ. */
static int64_t rows_of_columns(const scalay_package *package)
{
    if (package->count > MAX_LIKE_BLOCKS) return 0;
    for (const scalay_block *block = package->blocks; block < package->blocks + package->count; block++)
        if (block->is_cut || block->rows != package->blocks[0].rows) return 0;
    return package->blocks[0].row_count;
}

/* Ends a chunk at the end of a column if it holds a few columns: a part of a column is copied run by run. */
static int64_t whole_columns(const scalay_cursor *cursor, int64_t elements)
{
    const int64_t rows = rows_of_columns(cursor->package);
    if (rows == 0 || elements < COLUMNS_PER_CHUNK * rows) return elements;
    return elements - (cursor->position + elements) % rows;
}

/* Computes the length of the next chunk and applies an operation to its elements. All functions that need chunk
   lengths call this one. */
static int64_t next_chunk(scalay_stream *stream, int64_t limit, char *packed, chunk_work work)
{
    int64_t bytes = 0;
    while (stream->matrix < stream->matrices) {
        const int64_t size = (int64_t)stream->transfers[stream->matrix].packer.size;
        const int64_t start = scalay_packed_bytes(bytes);
        const int64_t maximum = scalay_min_int64(elements_left(stream), (limit - start) / size);
        if (maximum <= 0) break;
        const int64_t elements = whole_columns(&stream->cursor, maximum);
        work(stream, packed != NULL ? packed + start : NULL, elements);
        bytes = start + elements * size;
        if (elements_left(stream) > 0) break;
        skip_empty(stream);
    }
    return bytes;
}

int64_t scalay_stream_next(const scalay_stream *stream, int64_t limit)
{
    scalay_stream copy = *stream;
    return next_chunk(&copy, limit, NULL, count_only);
}

int64_t scalay_stream_skip(scalay_stream *stream, int64_t limit)
{
    return next_chunk(stream, limit, NULL, count_only);
}

int64_t scalay_stream_pack(scalay_stream *stream, int64_t limit, char *packed)
{
    return next_chunk(stream, limit, packed, pack);
}

int64_t scalay_stream_unpack(scalay_stream *stream, int64_t limit, const char *packed)
{
    return next_chunk(stream, limit, (char *)packed, unpack);
}

int64_t scalay_channel_chunks(const scalay_transfer *transfers, int matrices, const scalay_channel *channel, int sends,
                              int64_t limit)
{
    scalay_stream stream = scalay_stream_start(transfers, matrices, channel, sends);
    int64_t chunks = 0;
    while (next_chunk(&stream, limit, NULL, count_only) > 0) chunks++;
    return chunks;
}

static int compare_distances(const void *left, const void *right)
{
    const scalay_channel_end *a = left, *b = right;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

void scalay_channel_ends_sort(scalay_channel_end *ends, int64_t count, scalay_ring ring, int sends)
{
    const int sign = sends ? 1 : -1;
    for (scalay_channel_end *at = ends; at < ends + count; at++)
        at->distance = (sign * (at->peer - ring.rank) + ring.size) % ring.size;
    if (count > 0) qsort(ends, (size_t)count, sizeof *ends, compare_distances);
}
