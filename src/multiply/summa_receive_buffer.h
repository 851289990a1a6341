#ifndef SCALAY_MULTIPLY_SUMMA_RECEIVE_BUFFER_H
#define SCALAY_MULTIPLY_SUMMA_RECEIVE_BUFFER_H

/**
 * @file
 * Receive buffers for panels of one side, used by the transports "messages" and "broadcast".
 *
 * Blocks arrive in channels: one channel per source, or one per source and owner set. Sources are numbered among the
 * ranks that own a block which this rank needs, so that memory does not grow with the communicator. A side has two
 * buffers, one of which receives:
 *   - A panel that lies in place in the array of this rank is used there.
 *   - A panel that arrives as a single block is used in the buffer that received it. The buffers swap roles.
 *   - Other panels are assembled in the other buffer from received blocks and from blocks of this rank.
 */

#include "multiply/summa.h"

typedef struct {
    const scalay_summa_sets *sets; /* NULL: one channel per source */
    scalay_summa_ranks sources;    /* ascending; this rank is one of them if it needs a block of its own */
    int64_t channels;
    char *panel[2];   /* shape [scalay_summa_max_buffered_width() * lines] elements each; halves of one array */
    int receiving;    /* index of the buffer that receives */
    int64_t *count;   /* shape [channels]: elements of the pending panel */
    int64_t *at;      /* shape [channels]: position of the next element to unpack */
    int64_t blocks;   /* of the pending panel */
    int64_t incoming; /* elements from other ranks */
} scalay_summa_receive_buffer;

/** Returns the index of the first source that is at least a rank. Sources ascend. */
int64_t scalay_summa_find_source(const scalay_summa_ranks *sources, int rank);

/** Returns the elements of a panel of side `which` that a transport packs on this rank. */
typedef int64_t (*scalay_summa_packing)(const scalay_summa *summa, int which, const scalay_summa_panels *panels,
                                        int64_t panel);

/** Returns the maximum of `packing` over the panels. */
int64_t scalay_summa_max_packed(scalay_summa_packing packing, const scalay_summa *summa, int which,
                                const scalay_summa_panels *panels);

/** Returns the bytes of the receive buffers of both sides and of the packed messages of two panels. */
int64_t scalay_summa_receive_workspace(scalay_summa_packing packing, const scalay_summa *summa,
                                       const scalay_summa_panels *panels);

/** Creates the MPI type of an element; MPI_DATATYPE_NULL on failure. The caller frees it. */
scalay_status scalay_summa_element_type(const scalay_summa *summa, MPI_Datatype *element);

/** Creates the buffers of a side. Release them with scalay_summa_receive_buffer_free(), also on failure. */
scalay_status scalay_summa_receive_buffer_create(const scalay_summa *summa, int which, const scalay_summa_sets *sets,
                                                 scalay_summa_receive_buffer *buffer);

/** Releases the arrays of a buffer and zeroes it; panels that MPI may still use are left to it. */
void scalay_summa_receive_buffer_free(int is_unused, scalay_summa_receive_buffer *buffer);

/** Counts the elements of each channel of a panel. Channels of this rank are counted, but get no space. */
void scalay_summa_receive_buffer_expect(scalay_summa_receive_buffer *buffer, const scalay_summa *summa, int which,
                                        int64_t panel);

/** Returns the channel of a source and an owner set (0 if there are none); -1: the rank is no source. */
int64_t scalay_summa_receive_buffer_channel(const scalay_summa_receive_buffer *buffer, int64_t set, int rank);

/** Returns the address at which a channel is received. */
char *scalay_summa_receive_buffer_at(const scalay_summa_receive_buffer *buffer, int64_t channel, size_t size);

/** Returns the panel when all channels have been received. `array` is the local array of this rank. */
scalay_summa_view scalay_summa_receive_buffer_take(scalay_summa_receive_buffer *buffer, scalay_summa *summa, int which,
                                                   int64_t panel, const char *array);

/** Returns the owner set that needs a block, among those of its side (summa_broadcast.c). */
int64_t scalay_summa_sets_find(const scalay_summa_sets *sets, const scalay_summa_side *side,
                               const scalay_summa_block *block);

/** Returns the number of owner sets of a side on this rank (summa_broadcast.c). */
int64_t scalay_summa_sets_count(const scalay_summa_sets *sets);

#endif
