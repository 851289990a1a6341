/*
 * NumPy's .npy files: magic, version, length of the header, the header as a Python dictionary, the elements.
 * Source: numpy.lib.format, "NPY format", versions 1.0 to 3.0.
 *
 * The header is read by a recursive-descent parser for the three keys that the format allows. Elements move in pieces
 * of at most SCALAY_FILE_CHUNK bytes. Time: O(elements of the slab). Memory: up to two pieces.
 */
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "io/convert.h"

enum { MAGIC_BYTES = 6, DESCR_SIZE = 64, DIMENSIONS_SHOWN = 2 };

/* Where the reading of a header stands. Nothing behind `end` is ever looked at. */
typedef struct {
    const char *path;
    const char *start;
    const char *at;
    const char *end;
    scalay_file_info *info;
} header_reader;

/* ------------------------------------------------------------------------- the header's few words of Python */

static scalay_status unexpected(const header_reader *reader, const char *expected)
{
    char found[24];
    scalay_printable(reader->at, reader->end - reader->at, found, sizeof found);
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s': the .npy header has \"%s\" at its byte %d where %s should be; save the array again "
                       "with numpy.save",
                       reader->path, found, (int)(reader->at - reader->start), expected);
}

static void skip_space(header_reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL && *reader->at != '\0') reader->at++;
}

/* The next character that is no space; '\0' at the end. */
static char peek(header_reader *reader)
{
    skip_space(reader);
    return reader->at < reader->end ? *reader->at : '\0';
}

static int take(header_reader *reader, char wanted)
{
    if (peek(reader) != wanted) return 0;
    reader->at++;
    return 1;
}

static scalay_status expect(header_reader *reader, char wanted)
{
    char what[] = {'\'', wanted, '\'', '\0'};
    return take(reader, wanted) ? SCALAY_SUCCESS : unexpected(reader, what);
}

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int take_word(header_reader *reader, const char *word)
{
    skip_space(reader);
    int64_t length = (int64_t)strlen(word), left = reader->end - reader->at;
    if (left < length || memcmp(reader->at, word, (size_t)length) != 0) return 0;
    if (left > length && is_name(reader->at[length])) return 0;
    reader->at += length;
    return 1;
}

/* A string without escapes that fits. */
static scalay_status read_string(header_reader *reader, const char *what, char *text, size_t size)
{
    char quote = peek(reader);
    if (quote != '\'' && quote != '"') return unexpected(reader, what);
    const char *at = reader->at + 1;
    size_t length = 0;
    for (; at < reader->end && *at != quote && *at != '\\' && *at >= ' ' && length + 1 < size; at++)
        text[length++] = *at;
    text[length] = '\0';
    if (at == reader->end || *at != quote) return unexpected(reader, what);
    reader->at = at + 1;
    return SCALAY_SUCCESS;
}

/* A Python 2 integer may end in L. */
static scalay_status read_extent(header_reader *reader, int64_t *extent)
{
    if (peek(reader) == '-')
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s': the .npy header has a negative extent in its shape; save the array again with "
                           "numpy.save",
                           reader->path);
    const char *digits = reader->at;
    int64_t value = 0;
    for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
        if (!scalay_multiply_int64(value, 10, &value) || !scalay_add_int64(value, *reader->at - '0', &value))
            return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                               "'%.200s': the .npy header has an extent above 2^63 - 1 in its shape; save the array "
                               "again with numpy.save",
                               reader->path);
    }
    int leading_zero = reader->at - digits > 1 && *digits == '0';
    if (reader->at == digits || leading_zero) {
        reader->at = digits;
        return unexpected(reader, "an extent");
    }
    if (reader->at < reader->end && *reader->at == 'L') reader->at++;
    *extent = value;
    return SCALAY_SUCCESS;
}

/* --------------------------------------------------------------------------------------------- the three keys */

static scalay_status unsupported_type(const header_reader *reader, const char *descr)
{
    if (strchr(descr, 'O') != NULL)
        return SCALAY_FAIL(
            SCALAY_ERROR_UNSUPPORTED,
            "'%.200s' holds Python objects (descr '%s'), a pickle that could run any code; save numbers: "
            "numpy.save(file, a.astype('<f8'))",
            reader->path, descr);
    return SCALAY_FAIL(
        SCALAY_ERROR_UNSUPPORTED,
        "'%.200s' has elements of type '%s'; it must be one of f2, f4, f8, c8, c16, i1, i2, i4, i8, u1, u2, u4, u8 and "
        "b1, with byte order < or >. Convert it: numpy.save(file, a.astype('<f8'))",
        reader->path, descr);
}

static scalay_status read_descr(header_reader *reader)
{
    char descr[DESCR_SIZE];
    scalay_status status = SCALAY_SUCCESS;
    if (peek(reader) == '[')
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                           "'%.200s' has structured elements (descr is a list); save one field of it: "
                           "numpy.save(file, a['field'])",
                           reader->path);
    SCALAY_TRY(read_string(reader, "the element type", descr, sizeof descr));
    const char order = descr[0];
    const scalay_element *element = order != '\0' ? scalay_element_find(descr + 1) : NULL;
    if (element != NULL && (order == '<' || order == '>' || (order == '|' && element->size == 1))) {
        (void)snprintf(reader->info->element, sizeof reader->info->element, "%s", element->code);
        reader->info->type = element->type;
        reader->info->byte_order = order == '|'   ? scalay_byte_order_here()
                                   : order == '<' ? SCALAY_LITTLE_ENDIAN
                                                  : SCALAY_BIG_ENDIAN;
        return SCALAY_SUCCESS;
    }
    status = unsupported_type(reader, descr);
cleanup:
    return status;
}

static scalay_status read_order(header_reader *reader)
{
    if (take_word(reader, "True"))
        reader->info->order = SCALAY_COLUMN_MAJOR;
    else if (take_word(reader, "False"))
        reader->info->order = SCALAY_ROW_MAJOR;
    else
        return unexpected(reader, "True or False");
    return SCALAY_SUCCESS;
}

static scalay_status set_shape(header_reader *reader, const int64_t extent[DIMENSIONS_SHOWN], int dimensions)
{
    if (dimensions < 1 || dimensions > 2)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                           "'%.200s' has %d dimensions, a matrix has 2 (or 1: a column); "
                           "numpy.save(file, a.reshape(rows, columns))",
                           reader->path, dimensions);
    reader->info->dimensions = dimensions;
    reader->info->m = extent[0];
    reader->info->n = dimensions == 2 ? extent[1] : 1;
    return SCALAY_SUCCESS;
}

/* A tuple: (), (m,), (m, n), (m, n,), but not (m), which is a number. */
static scalay_status read_shape(header_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t extent[DIMENSIONS_SHOWN] = {0, 0};
    int dimensions = 0, comma = 1;
    SCALAY_TRY(expect(reader, '('));
    while (peek(reader) != ')') {
        if (!comma) return unexpected(reader, "',' or ')'");
        int64_t value = 0;
        SCALAY_TRY(read_extent(reader, &value));
        if (dimensions < DIMENSIONS_SHOWN) extent[dimensions] = value;
        dimensions++;
        comma = take(reader, ',');
    }
    if (dimensions == 1 && !comma) return unexpected(reader, "',' (a tuple)");
    SCALAY_TRY(expect(reader, ')'));
    status = set_shape(reader, extent, dimensions);
cleanup:
    return status;
}

static const struct {
    const char *name;
    scalay_status (*read)(header_reader *reader);
} keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};

enum { KEYS = (int)(sizeof keys / sizeof keys[0]) };

static scalay_status read_key(header_reader *reader, int seen[KEYS])
{
    scalay_status status = SCALAY_SUCCESS;
    char name[DESCR_SIZE];
    int key = 0;
    SCALAY_TRY(read_string(reader, "a key", name, sizeof name));
    while (key < KEYS && strcmp(keys[key].name, name) != 0) key++;
    if (key == KEYS || seen[key]++)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s': the .npy header has the key '%s' %s; save the array again with numpy.save",
                           reader->path, name, key == KEYS ? "that does not belong there" : "twice");
    SCALAY_TRY(expect(reader, ':'));
    status = keys[key].read(reader);
cleanup:
    return status;
}

static scalay_status read_dictionary(header_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    int seen[KEYS] = {0}, comma = 1;
    SCALAY_TRY(expect(reader, '{'));
    while (peek(reader) != '}') {
        if (!comma) return unexpected(reader, "',' or '}'");
        SCALAY_TRY(read_key(reader, seen));
        comma = take(reader, ',');
    }
    SCALAY_TRY(expect(reader, '}'));
    if (peek(reader) != '\0' || reader->at < reader->end) return unexpected(reader, "the end");
    for (int k = 0; k < KEYS; k++)
        if (!seen[k])
            return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                               "'%.200s': the .npy header has no key '%s'; save the array again with numpy.save",
                               reader->path, keys[k].name);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ the whole head */

static scalay_status truncated_head(const char *path)
{
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "'%.200s' ends within its .npy header; copy or save it again", path);
}

/* Where the header's words are: its length has 2 bytes in version 1 and 4 bytes later, little-endian. */
static scalay_status find_header(const scalay_file_head *head, scalay_file_info *info, int64_t *start)
{
    if (head->length < MAGIC_BYTES + 2) return truncated_head(head->path);
    const unsigned char *bytes = (const unsigned char *)head->bytes;
    int major = bytes[MAGIC_BYTES], minor = bytes[MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                           "'%.200s' is .npy version %d.%d, but 1.0, 2.0 and 3.0 are read; save it with numpy.save",
                           head->path, major, minor);
    int digits = major == 1 ? 2 : 4;
    int64_t length = 0;
    *start = MAGIC_BYTES + 2 + digits;
    if (head->length < *start) return truncated_head(head->path);
    for (int k = digits - 1; k >= 0; k--) length = length * 256 + bytes[MAGIC_BYTES + 2 + k];
    if (length > head->file_bytes - *start) return truncated_head(head->path);
    if (length > head->length - *start)
        return SCALAY_FAIL(
            SCALAY_ERROR_UNSUPPORTED,
            "'%.200s' has a .npy header of %lld bytes, far more than a matrix needs; save plain numbers: "
            "numpy.save(file, a.astype('<f8'))",
            head->path, (long long)length);
    info->version = major;
    info->data_offset = *start + length;
    return SCALAY_SUCCESS;
}

static scalay_status check_length(const scalay_file_head *head, const scalay_file_info *info)
{
    const int64_t size = scalay_element_bytes(scalay_element_find(info->element));
    int64_t bytes = 0;
    if (!scalay_multiply_int64(info->m, info->n, &bytes) || !scalay_multiply_int64(bytes, size, &bytes) ||
        !scalay_add_int64(bytes, info->data_offset, &bytes))
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s': its .npy header promises %lld x %lld elements, more than 2^63 bytes; save the "
                           "array again with numpy.save",
                           head->path, (long long)info->m, (long long)info->n);
    if (bytes == head->file_bytes) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' has %lld bytes, but %lld x %lld elements of %lld bytes behind a header of %lld need "
                       "%lld: it is %s; copy or save it again",
                       head->path, (long long)head->file_bytes, (long long)info->m, (long long)info->n, (long long)size,
                       (long long)info->data_offset, (long long)bytes,
                       bytes > head->file_bytes ? "truncated" : "too long");
}

scalay_status scalay_npy_parse(const scalay_file_head *head, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t start = 0;
    SCALAY_TRY(find_header(head, info, &start));
    const char *words = head->bytes + start;
    header_reader reader = {head->path, words, words, head->bytes + info->data_offset, info};
    SCALAY_TRY(read_dictionary(&reader));
    status = check_length(head, info);
cleanup:
    return status;
}

void scalay_npy_head(scalay_file_info *info, char head[SCALAY_NPY_HEAD_SIZE])
{
    const int alignment = 64; /* of the numbers: the format asks for it so that files can be mapped into memory */
    int start = MAGIC_BYTES + 2 + (info->version == 1 ? 2 : 4);
    (void)snprintf(info->element, sizeof info->element, "%s", scalay_element_of(info->type)->code);
    memset(head, ' ', SCALAY_NPY_HEAD_SIZE);
    int length =
        snprintf(head + start, SCALAY_NPY_HEAD_SIZE - (size_t)start,
                 "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%lld, %lld), }",
                 info->byte_order == SCALAY_LITTLE_ENDIAN ? '<' : '>', info->element,
                 info->order == SCALAY_COLUMN_MAJOR ? "True" : "False", (long long)info->m, (long long)info->n);
    head[start + length] = ' ';
    int total = (start + length + 1 + alignment - 1) / alignment * alignment;
    memcpy(head, SCALAY_NPY_MAGIC, MAGIC_BYTES);
    head[MAGIC_BYTES] = (char)info->version;
    head[MAGIC_BYTES + 1] = 0;
    for (int k = MAGIC_BYTES + 2, rest = total - start; k < start; k++, rest /= 256) head[k] = (char)(rest % 256);
    head[total - 1] = '\n';
    info->data_offset = total;
}

/* -------------------------------------------------------------------------------------------------- transfers */

/* A slab on its way between the file and memory. */
typedef struct {
    const scalay_file *file;
    const scalay_file_info *info;
    const scalay_slab *slab;
    const scalay_element *element; /* in the file */
    int64_t size;                  /* bytes of an element in the file */
    scalay_type type;              /* in memory */
    int converted;                 /* 1: element and type differ */
    int swapped;                   /* 1: the byte orders of file and machine differ */
    int64_t elements;              /* of a piece, maximum */
    int64_t start;                 /* of the slab in the file, in bytes */
    char *raw;                     /* a piece as in the file; NULL: read into local storage directly */
    char *typed;                   /* a piece by rows, in the type in memory; NULL: not needed */
} transfer;

static void prepare(transfer *move, const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                    scalay_type type)
{
    const scalay_element *element = scalay_element_find(info->element);
    const int64_t size = scalay_element_bytes(element);
    *move = (transfer){.file = file,
                       .info = info,
                       .slab = slab,
                       .element = element,
                       .size = size,
                       .converted = element != scalay_element_of(type),
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
    int by_rows = move->slab->order == SCALAY_ROW_MAJOR, converted = move->converted;
    int64_t elements = buffer_elements(move);
    if (by_rows || converted) SCALAY_TRY(SCALAY_NEW(move->raw, elements * move->size));
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
    return SCALAY_FAIL(
        SCALAY_ERROR_RANGE,
        "'%.200s': element (%lld, %lld), counted from 0, is out of range for type %s. Read the matrix in "
        "double precision (type d or z)",
        move->file->path, (long long)(by_columns ? within : line), (long long)(by_columns ? line : within),
        scalay_type_name(move->type));
}

/* From the file's bytes, which are in `raw`, to local storage. */
static scalay_status unpack(const transfer *move, const scalay_file_piece *piece, char *raw, char *data)
{
    const scalay_slab *slab = move->slab;
    int64_t count = piece->lines * piece->count;
    int by_rows = slab->order == SCALAY_ROW_MAJOR;
    char *place = place_of(move, data, piece);
    char *typed = raw;
    if (move->swapped) scalay_swap_bytes(raw, move->element, count);
    if (move->converted) {
        typed = by_rows ? move->typed : place;
        int64_t converted = scalay_convert(raw, move->element, typed, move->type, count);
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
    int64_t size = move->size;
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
    if (move->swapped) scalay_swap_bytes(move->raw, move->element, count);
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
