#include "io/npy.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "io/convert.h"

/* A slab on its way between the file and memory. */
typedef struct {
    const scalay_file *file;
    const scalay_file_info *info;
    const scalay_slab *slab;
    scalay_type type; /* in memory */
    int swapped;      /* the file's bytes are the other way round */
    int64_t elements; /* of a piece, at most */
    int64_t start;    /* of the slab in the file, in bytes */
    char *raw;        /* a piece as it is in the file; NULL: memory looks the same, bytes apart */
    char *typed;      /* a piece by rows in the type of memory; NULL when not needed */
} transfer;

static void prepare(transfer *move, const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                    scalay_type type)
{
    int64_t size = (int64_t)scalay_type_size(info->type);
    *move = (transfer){.file = file,
                       .info = info,
                       .slab = slab,
                       .type = type,
                       .swapped = info->byte_order != scalay_byte_order_here(),
                       .elements = scalay_max_int64(1, file->chunk / size),
                       .start = info->data_offset + slab->first * slab->line * size};
}

/* Buffers no larger than the largest piece; the rank's pieces may be fewer, its collective reads are not. */
static int64_t buffer_elements(const transfer *move)
{
    const scalay_slab *slab = move->slab;
    int64_t all = slab->line > move->elements ? move->elements : slab->line * scalay_max_int64(1, slab->count);
    return scalay_min_int64(move->elements, all);
}

static scalay_status allocate_for_reading(transfer *move)
{
    scalay_status status = SCALAY_SUCCESS;
    int by_rows = move->slab->order == SCALAY_ROW_MAJOR, converted = move->type != move->info->type;
    int64_t elements = buffer_elements(move);
    if (by_rows || converted) SCALAY_TRY(SCALAY_NEW(move->raw, elements * (int64_t)scalay_type_size(move->info->type)));
    if (by_rows && converted) SCALAY_TRY(SCALAY_NEW(move->typed, elements * (int64_t)scalay_type_size(move->type)));
cleanup:
    return status;
}

static void release_buffers(transfer *move)
{
    scalay_release(move->raw);
    scalay_release(move->typed);
}

/* Where a piece goes in the slab's local array. */
static char *place_of(const transfer *move, char *data, const scalay_file_piece *piece)
{
    const scalay_slab *slab = move->slab;
    int64_t index = slab->order == SCALAY_COLUMN_MAJOR ? scalay_slab_piece_offset(slab, piece)
                                                       : piece->line + piece->first * slab->count;
    return data + index * (int64_t)scalay_type_size(move->type);
}

static scalay_status does_not_fit(const transfer *move, const scalay_file_piece *piece, int64_t k)
{
    int64_t line = move->slab->first + piece->line + k / piece->count, within = piece->first + k % piece->count;
    int by_columns = move->slab->order == SCALAY_COLUMN_MAJOR;
    return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                       "'%.200s': element (%lld, %lld), counted from 0, is too large for single precision; read the "
                       "matrix in double precision",
                       move->file->path, (long long)(by_columns ? within : line),
                       (long long)(by_columns ? line : within));
}

/* From the file's bytes, which are in `raw`, to local storage. */
static scalay_status unpack(const transfer *move, const scalay_file_piece *piece, char *raw, char *data)
{
    const scalay_slab *slab = move->slab;
    int64_t count = piece->lines * piece->count;
    int by_rows = slab->order == SCALAY_ROW_MAJOR;
    char *place = place_of(move, data, piece);
    char *typed = raw;
    if (move->swapped) scalay_swap_bytes(raw, move->info->type, count);
    if (move->type != move->info->type) {
        typed = by_rows ? move->typed : place;
        int64_t converted = scalay_convert(raw, move->info->type, typed, move->type, count);
        if (converted < count) return does_not_fit(move, piece, converted);
    }
    if (by_rows)
        scalay_transpose(typed, piece->count, place, slab->count, piece->lines, piece->count,
                         scalay_type_size(move->type));
    return SCALAY_SUCCESS;
}

/* A rank that has failed, or has fewer pieces than others, goes on reading nothing: the reads are collective. */
static scalay_status read_pieces(const transfer *move, char *data)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_slab *slab = move->slab;
    int64_t size = (int64_t)scalay_type_size(move->info->type);
    int64_t mine = scalay_slab_pieces(slab, slab->count, move->elements);
    int64_t rounds = scalay_slab_pieces(slab, scalay_min_int64(slab->per_rank, slab->lines), move->elements);
    for (int64_t k = 0; k < rounds; k++) {
        scalay_file_piece piece = {0, 0, 0, 0};
        if (k < mine && status == SCALAY_SUCCESS) piece = scalay_slab_piece(slab, move->elements, k);
        int64_t count = piece.lines * piece.count;
        char *raw = move->raw != NULL || count == 0 ? move->raw : place_of(move, data, &piece);
        scalay_status now = scalay_file_read_all(
            move->file, move->start + scalay_slab_piece_offset(slab, &piece) * size, count * size, raw);
        if (now == SCALAY_SUCCESS && count > 0) now = unpack(move, &piece, raw, data);
        if (status == SCALAY_SUCCESS) status = now;
    }
    return status;
}

scalay_status scalay_npy_read(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                              scalay_type type, void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    transfer move;
    prepare(&move, file, info, slab, type);
    SCALAY_TRY(scalay_comm_agree(file->comm, allocate_for_reading(&move)));
    status = read_pieces(&move, data);
cleanup:
    release_buffers(&move);
    return status;
}

/* --------------------------------------------------------------------------------------------------- writing */

static scalay_status write_piece(const transfer *move, const scalay_file_piece *piece, const char *place)
{
    const scalay_slab *slab = move->slab;
    int64_t size = (int64_t)scalay_type_size(move->type), count = piece->lines * piece->count;
    const char *bytes = place;
    if (slab->order == SCALAY_ROW_MAJOR) {
        scalay_transpose(place, slab->count, move->raw, piece->count, piece->count, piece->lines, (size_t)size);
        bytes = move->raw;
    } else if (move->swapped) {
        memcpy(move->raw, place, (size_t)(count * size));
        bytes = move->raw;
    }
    if (move->swapped) scalay_swap_bytes(move->raw, move->type, count);
    return scalay_file_write(move->file, move->start + scalay_slab_piece_offset(slab, piece) * size, count * size,
                             bytes);
}

static scalay_status write_pieces(transfer *move, char *data)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_slab *slab = move->slab;
    int64_t pieces = scalay_slab_pieces(slab, slab->count, move->elements);
    if (slab->order == SCALAY_ROW_MAJOR || move->swapped)
        SCALAY_TRY(SCALAY_NEW(move->raw, buffer_elements(move) * (int64_t)scalay_type_size(move->type)));
    for (int64_t k = 0; k < pieces; k++) {
        scalay_file_piece piece = scalay_slab_piece(slab, move->elements, k);
        SCALAY_TRY(write_piece(move, &piece, place_of(move, data, &piece)));
    }
cleanup:
    return status;
}

scalay_status scalay_npy_write(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                               const void *data, int64_t *bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_file_info whole = *info;
    char head[SCALAY_NPY_HEAD_SIZE];
    transfer move = {0};
    scalay_npy_head(&whole, head);
    *bytes = whole.data_offset + info->m * info->n * (int64_t)scalay_type_size(info->type);
    if (file->comm->rank == 0) SCALAY_TRY(scalay_file_write(file, 0, whole.data_offset, head));
    prepare(&move, file, &whole, slab, info->type);
    /* The data are only read: place_of() serves both directions. */
    status = write_pieces(&move, (char *)(uintptr_t)data);
cleanup:
    release_buffers(&move);
    return status;
}
