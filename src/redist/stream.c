#include "redist/stream.h"

#include "base/integer.h"

static void enter_matrix(scalay_stream *stream)
{
    const scalay_freight *freight = &stream->freight[stream->matrix];
    stream->cursor =
        scalay_cursor_start(stream->sends ? freight->from : freight->to, stream->lane->parcels[stream->matrix]);
}

static int64_t elements_left(const scalay_stream *stream)
{
    const scalay_parcel *parcel = stream->cursor.parcel;
    return parcel != NULL ? parcel->elements - stream->cursor.position : 0;
}

/* Goes on to the next matrix that has something left. */
static void skip_empty(scalay_stream *stream)
{
    while (stream->matrix < stream->matrices && elements_left(stream) == 0)
        if (++stream->matrix < stream->matrices) enter_matrix(stream);
}

scalay_stream scalay_stream_start(const scalay_freight *freight, int matrices, const scalay_lane *lane, int sends)
{
    scalay_stream stream = {.lane = lane, .freight = freight, .matrices = matrices, .sends = sends};
    enter_matrix(&stream);
    skip_empty(&stream);
    return stream;
}

/* What is done with the elements of a chunk. */
typedef void (*chunk_work)(scalay_stream *stream, char *packed, int64_t elements);

static void count_only(scalay_stream *stream, char *packed, int64_t elements)
{
    (void)packed;
    stream->cursor.position += elements;
}

static void pack(scalay_stream *stream, char *packed, int64_t elements)
{
    const scalay_freight *freight = &stream->freight[stream->matrix];
    scalay_cursor_pack(&stream->cursor, &freight->packer, freight->source, packed, elements);
}

static void unpack(scalay_stream *stream, char *packed, int64_t elements)
{
    const scalay_freight *freight = &stream->freight[stream->matrix];
    scalay_cursor_unpack(&stream->cursor, &freight->unpacker, packed, freight->target, elements);
}

/* The one place that knows how long a chunk is. */
static int64_t next_chunk(scalay_stream *stream, int64_t limit, char *packed, chunk_work work)
{
    int64_t bytes = 0;
    while (stream->matrix < stream->matrices) {
        const int64_t size = (int64_t)stream->freight[stream->matrix].packer.size;
        const int64_t start = scalay_packed_bytes(bytes);
        const int64_t elements = scalay_min_int64(elements_left(stream), (limit - start) / size);
        if (elements <= 0) break;
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

int64_t scalay_lane_chunks(const scalay_freight *freight, int matrices, const scalay_lane *lane, int sends,
                           int64_t limit)
{
    scalay_stream stream = scalay_stream_start(freight, matrices, lane, sends);
    int64_t chunks = 0;
    while (next_chunk(&stream, limit, NULL, count_only) > 0) chunks++;
    return chunks;
}
