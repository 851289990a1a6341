#ifndef SCALAY_REDIST_STREAM_H
#define SCALAY_REDIST_STREAM_H

/**
 * @file
 * Streams: what goes to one rank, or comes from it, as a sequence of bytes, packed and unpacked a chunk at a time.
 *
 * A lane is all that a plan sends to one rank: the parcels of its matrices, one after the other. It is cut into chunks
 * of whole elements. How long the next chunk is depends on the lane, on what went before and on the limit, so that both
 * ends know it when they use the same limits.
 */

#include "base/integer.h"
#include "redist/copier.h"
#include "redist/side.h"

/** Where in a parcel one is. */
typedef struct {
    const scalay_parcel *parcel;
    const scalay_clip *clip;
    int64_t block;    /* of the parcel */
    int64_t col_run;  /* of the block */
    int64_t column;   /* of the column run */
    int64_t row;      /* of the column: elements of it that are done */
    int64_t position; /* elements that are done, of all */
} scalay_cursor;

/** The beginning of a parcel. NULL is an empty one. */
scalay_cursor scalay_cursor_start(const scalay_side *side, const scalay_parcel *parcel);

/** Packs the next `elements` elements (no more than are left) of the rank's array. */
void scalay_cursor_pack(scalay_cursor *cursor, const scalay_copier *copier, const char *array, char *packed,
                        int64_t elements);

/** Unpacks the next `elements` elements. */
void scalay_cursor_unpack(scalay_cursor *cursor, const scalay_copier *copier, const char *packed, char *array,
                          int64_t elements);

/** Moves a parcel whole: from the other rank's array, which can be read, into the rank's own. */
void scalay_parcel_pull(const scalay_side *side, const scalay_parcel *parcel, const scalay_copier *copier,
                        const char *far, char *near);

/* ---------------------------------------------------------------------------------------------- lanes */

/** In bytes: fine for any type. In a chunk, what comes of the next matrix is padded to it, too. */
#define SCALAY_PACKED_ALIGNMENT 16

/** So many bytes with the padding behind them. */
static inline int64_t scalay_packed_bytes(int64_t bytes)
{
    return scalay_ceil_div(bytes, SCALAY_PACKED_ALIGNMENT) * SCALAY_PACKED_ALIGNMENT;
}

/** One matrix under way. */
typedef struct {
    const scalay_side *from;
    const scalay_side *to;
    const char *source;     /* the rank's local array of `from` */
    char *target;           /* the rank's local array of `to` */
    scalay_copier packer;   /* elements as they are */
    scalay_copier unpacker; /* into the target: conjugates, scales and adds */
} scalay_freight;

/** All that goes to one rank, or comes from it. */
typedef struct {
    int peer;
    int64_t bytes;                 /* of the elements */
    const scalay_parcel **parcels; /* shape [matrices]; NULL: nothing of that matrix */
} scalay_lane;

/** The lanes of one side of a plan, by ascending peer. */
typedef struct {
    scalay_lane *lane; /* shape [count] */
    int64_t count;
    const scalay_parcel **parcels; /* of all lanes */
} scalay_lane_list;

/** One end of a lane under way. */
typedef struct {
    const scalay_lane *lane;
    const scalay_freight *freight; /* shape [matrices] */
    int matrices;
    int sends;  /* whether it packs or unpacks */
    int matrix; /* that the cursor is in */
    scalay_cursor cursor;
} scalay_stream;

/** The beginning of a lane. `sends` tells which end. */
scalay_stream scalay_stream_start(const scalay_freight *freight, int matrices, const scalay_lane *lane, int sends);

/** The bytes of the next chunk: at most `limit`, which is at least an element of each type; 0 when the lane has ended.
 */
int64_t scalay_stream_next(const scalay_stream *stream, int64_t limit);

/** Counts the bytes of the next chunk and goes on behind it; such a stream can no longer pack or unpack. */
int64_t scalay_stream_skip(scalay_stream *stream, int64_t limit);

/** Packs the next chunk into `packed`, aligned to SCALAY_PACKED_ALIGNMENT. @return its bytes, as scalay_stream_next()
 */
int64_t scalay_stream_pack(scalay_stream *stream, int64_t limit, char *packed);

/** Unpacks the next chunk. @return its bytes, as scalay_stream_next() */
int64_t scalay_stream_unpack(scalay_stream *stream, int64_t limit, const char *packed);

/** The chunks of a whole lane. */
int64_t scalay_lane_chunks(const scalay_freight *freight, int matrices, const scalay_lane *lane, int sends,
                           int64_t limit);

#endif
