#ifndef SCALAY_REDIST_STREAM_H
#define SCALAY_REDIST_STREAM_H

/**
 * @file
 * Channels and streams.
 *
 * A channel holds everything that a plan sends to one peer: the packages of all its matrices, one after the other. A
 * stream packs or unpacks a channel as a sequence of chunks. A chunk consists of whole elements. Its length depends
 * only on the channel, on the preceding chunks and on the length limit. Both ends therefore compute the same chunks if
 * they use the same limits.
 */

#include "base/integer.h"
#include "redist/copier.h"
#include "redist/packages.h"

/** A position in a package. */
typedef struct {
    const scalay_package *package;
    const scalay_trapezoid *trapezoid;
    int64_t block;    /* block of the package */
    int64_t col_run;  /* column run of the block */
    int64_t column;   /* column of the column run */
    int64_t row;      /* elements of the column that are done */
    int64_t position; /* elements of the package that are done */
} scalay_cursor;

/** Returns the start of a package. NULL is an empty package. */
scalay_cursor scalay_cursor_start(const scalay_side *side, const scalay_package *package);

/** Packs the next `elements` elements of the array. At most the remaining elements. */
void scalay_cursor_pack(scalay_cursor *cursor, const scalay_copier *copier, const char *array, char *packed,
                        int64_t elements);

/** Unpacks the next `elements` elements into the array. */
void scalay_cursor_unpack(scalay_cursor *cursor, const scalay_copier *copier, const char *packed, char *array,
                          int64_t elements);

/** Returns the number of elements from the cursor to the first element in local column `column` or a later one. The
 *  blocks of the package ascend by column, and the trapezoid cuts none. */
int64_t scalay_cursor_elements_before(const scalay_cursor *cursor, int64_t column);

/** Copies a whole package from the array of the peer, which this process can address, into its own array. */
void scalay_package_copy(const scalay_side *side, const scalay_package *package, const scalay_copier *copier,
                         const char *remote, char *own);

/* --------------------------------------------------------------------------------------------- channels */

/** Alignment of packed data, in bytes; sufficient for each type. */
#define SCALAY_PACKED_ALIGNMENT 16

/** Rounds bytes up to SCALAY_PACKED_ALIGNMENT. */
static inline int64_t scalay_packed_bytes(int64_t bytes)
{
    return scalay_ceil_div(bytes, SCALAY_PACKED_ALIGNMENT) * SCALAY_PACKED_ALIGNMENT;
}

/** Arrays and copiers of one matrix in one execution. */
typedef struct {
    const scalay_side *from;
    const scalay_side *to;
    const char *source;     /* local array that belongs to `from` */
    char *target;           /* local array that belongs to `to` */
    scalay_copier packer;   /* does not change the elements */
    scalay_copier unpacker; /* conjugates, scales and adds */
} scalay_transfer;

/** All packages for one peer. */
typedef struct {
    int peer;
    int64_t bytes;                   /* of the elements */
    const scalay_package **packages; /* shape [matrices]; NULL: no elements of that matrix */
} scalay_channel;

/** The channels of one side of a plan, by ascending peer. */
typedef struct {
    scalay_channel *channel; /* shape [count] */
    int64_t count;
    const scalay_package **packages; /* of all channels */
} scalay_channel_list;

/** One end of a channel during an execution. */
typedef struct {
    const scalay_channel *channel;
    const scalay_transfer *transfers; /* shape [matrices] */
    int matrices;
    int sends;  /* 1: packs; 0: unpacks */
    int matrix; /* matrix of the cursor */
    scalay_cursor cursor;
} scalay_stream;

/** Returns the start of a channel. `sends`: 1 packs, 0 unpacks. */
scalay_stream scalay_stream_start(const scalay_transfer *transfers, int matrices, const scalay_channel *channel,
                                  int sends);

/** Returns the length of the next chunk in bytes: at most `limit`, which holds an element of each type; 0 at the end.
 */
int64_t scalay_stream_next(const scalay_stream *stream, int64_t limit);

/** Skips the next chunk and returns its length. Such a stream can no longer pack or unpack. */
int64_t scalay_stream_skip(scalay_stream *stream, int64_t limit);

/** Packs the next chunk into `packed`, aligned to SCALAY_PACKED_ALIGNMENT. @return its length in bytes */
int64_t scalay_stream_pack(scalay_stream *stream, int64_t limit, char *packed);

/** Unpacks the next chunk. @return its length in bytes */
int64_t scalay_stream_unpack(scalay_stream *stream, int64_t limit, const char *packed);

/** Returns the number of chunks of a whole channel. */
int64_t scalay_channel_chunks(const scalay_transfer *transfers, int matrices, const scalay_channel *channel, int sends,
                              int64_t limit);

/* -------------------------------------------------------------------------------------- order of channels */

/** One end of a channel, ordered by distance. */
typedef struct {
    const scalay_channel *channel;
    int peer;     /* among the ranks of the ring */
    int distance; /* (receiver - sender) modulo ranks, in the forward direction */
    scalay_stream stream;
} scalay_channel_end;

/** The ranks among which distances are counted. */
typedef struct {
    int rank; /* calling rank */
    int size;
} scalay_ring;

/**
 * Computes distances and sorts by ascending distance. Not collective. Both ends of a channel compute the same distance.
 * @param[in,out] ends   shape [count], of one side of a plan, with channel and peer set
 * @param[in]     sends  1: the rank sends these channels in the forward direction
 */
void scalay_channel_ends_sort(scalay_channel_end *ends, int64_t count, scalay_ring ring, int sends);

#endif
