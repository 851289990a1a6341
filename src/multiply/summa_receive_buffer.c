/* Receive buffers: two per side, so that a panel arrives while the one before it is multiplied. */

#include "multiply/summa_receive_buffer.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/requests.h"

static int64_t buffer_elements(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    return 2 * scalay_summa_max_buffered_width(side, panels) * side->lines;
}

int64_t scalay_summa_max_packed(scalay_summa_packing packing, const scalay_summa *summa, int which,
                                const scalay_summa_panels *panels)
{
    int64_t most = 0;
    for (int64_t p = 0; p < panels->panels; p++) most = scalay_max_int64(most, packing(summa, which, panels, p));
    return most;
}

int64_t scalay_summa_receive_workspace(scalay_summa_packing packing, const scalay_summa *summa,
                                       const scalay_summa_panels *panels)
{
    int64_t elements = 0;
    for (int s = 0; s < 2; s++)
        elements += buffer_elements(&summa->side[s], panels) + 2 * scalay_summa_max_packed(packing, summa, s, panels);
    return elements * (int64_t)summa->side[0].size;
}

scalay_status scalay_summa_element_type(const scalay_summa *summa, MPI_Datatype *element)
{
    scalay_status status = SCALAY_SUCCESS;
    *element = MPI_DATATYPE_NULL;
    SCALAY_TRY_MPI(MPI_Type_contiguous((int)summa->side[0].size, MPI_BYTE, element));
    SCALAY_TRY_MPI(MPI_Type_commit(element));
cleanup:
    return status;
}

int64_t scalay_summa_find_source(const scalay_summa_ranks *sources, int rank)
{
    int64_t low = 0, high = sources->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sources->rank[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static scalay_status add_source(scalay_summa_ranks *sources, int rank)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t at = scalay_summa_find_source(sources, rank);
    if (at < sources->count && sources->rank[at] == rank) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(sources->rank, sources->capacity, sources->count + 1));
    memmove(sources->rank + at + 1, sources->rank + at, (size_t)(sources->count - at) * sizeof *sources->rank);
    sources->rank[at] = rank;
    sources->count++;
cleanup:
    return status;
}

/* The owners of the blocks that this rank needs. */
static scalay_status find_sources(const scalay_summa *summa, int which, scalay_summa_ranks *sources)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t panel = 0; panel < summa->panels.panels; panel++) {
        scalay_summa_walk walk = scalay_summa_walk_needed(&summa->side[which], &summa->panels, panel);
        scalay_summa_block block;
        while (scalay_summa_walk_next(&walk, &block)) SCALAY_TRY(add_source(sources, block.owner));
    }
cleanup:
    return status;
}

scalay_status scalay_summa_receive_buffer_create(const scalay_summa *summa, int which, const scalay_summa_sets *sets,
                                                 scalay_summa_receive_buffer *buffer)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_side *side = &summa->side[which];
    *buffer = (scalay_summa_receive_buffer){.sets = sets};
    SCALAY_TRY(find_sources(summa, which, &buffer->sources));
    buffer->channels = buffer->sources.count * (sets != NULL ? scalay_summa_sets_count(sets) : 1);
    const int64_t half = buffer_elements(side, &summa->panels) / 2;
    SCALAY_TRY(SCALAY_NEW_UNSET(buffer->panel[0], 2 * half * (int64_t)side->size));
    buffer->panel[1] = buffer->panel[0] + half * (int64_t)side->size;
    SCALAY_TRY(SCALAY_NEW(buffer->count, buffer->channels));
    SCALAY_TRY(SCALAY_NEW(buffer->at, buffer->channels));
cleanup:
    return status;
}

void scalay_summa_receive_buffer_free(int is_unused, scalay_summa_receive_buffer *buffer)
{
    scalay_requests_release(is_unused, buffer->panel[0]);
    scalay_release(buffer->sources.rank);
    scalay_release(buffer->count);
    scalay_release(buffer->at);
    *buffer = (scalay_summa_receive_buffer){0};
}

int64_t scalay_summa_receive_buffer_channel(const scalay_summa_receive_buffer *buffer, int64_t set, int rank)
{
    const scalay_summa_ranks *sources = &buffer->sources;
    const int64_t source = scalay_summa_find_source(sources, rank);
    if (source == sources->count || sources->rank[source] != rank) return -1;
    return set * sources->count + source;
}

static int64_t channel_of(const scalay_summa_receive_buffer *buffer, const scalay_summa_side *side,
                          const scalay_summa_block *block)
{
    const int64_t set = buffer->sets != NULL ? scalay_summa_sets_find(buffer->sets, side, block) : 0;
    return scalay_summa_receive_buffer_channel(buffer, set, block->owner);
}

void scalay_summa_receive_buffer_expect(scalay_summa_receive_buffer *buffer, const scalay_summa *summa, int which,
                                        int64_t panel)
{
    const scalay_summa_side *side = &summa->side[which];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    memset(buffer->count, 0, (size_t)buffer->channels * sizeof *buffer->count);
    buffer->blocks = buffer->incoming = 0;
    for (; scalay_summa_walk_next(&walk, &block); buffer->blocks++)
        buffer->count[channel_of(buffer, side, &block)] += scalay_summa_block_elements(&block);
    for (int64_t channel = 0; channel < buffer->channels; channel++) {
        buffer->at[channel] = buffer->incoming;
        if (buffer->sources.rank[channel % buffer->sources.count] != side->rank)
            buffer->incoming += buffer->count[channel];
    }
}

char *scalay_summa_receive_buffer_at(const scalay_summa_receive_buffer *buffer, int64_t channel, size_t size)
{
    return buffer->panel[buffer->receiving] + (size_t)buffer->at[channel] * size;
}

/* Assembles a panel from received blocks and from blocks of this rank. */
static void assemble(scalay_summa_receive_buffer *buffer, scalay_summa *summa, int which, int64_t panel,
                     const char *array, scalay_summa_target target)
{
    const scalay_summa_side *side = &summa->side[which];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block)) {
        summa->statistics.elements_copied += scalay_summa_block_elements(&block);
        if (block.owner == side->rank) {
            scalay_summa_copy(side, &summa->panels, &block, array, target);
            continue;
        }
        const int64_t channel = channel_of(buffer, side, &block);
        scalay_summa_unpack(side, &summa->panels, &block, scalay_summa_receive_buffer_at(buffer, channel, side->size),
                            target);
        buffer->at[channel] += scalay_summa_block_elements(&block);
    }
}

scalay_summa_view scalay_summa_receive_buffer_take(scalay_summa_receive_buffer *buffer, scalay_summa *summa, int which,
                                                   int64_t panel, const char *array)
{
    const scalay_summa_side *side = &summa->side[which];
    const int64_t ld = scalay_summa_panel_ld(side, summa->panels.panel[panel].width);
    scalay_summa_origin origin;
    if (buffer->incoming == 0 && scalay_summa_panel_is_in_place(side, &summa->panels, panel, &origin))
        return (scalay_summa_view){array + (size_t)origin.offset * side->size, origin.ld};
    char *received = buffer->panel[buffer->receiving];
    if (buffer->blocks == 1 && buffer->incoming > 0) {
        buffer->receiving = !buffer->receiving;
        return (scalay_summa_view){received, ld};
    }
    char *other = buffer->panel[!buffer->receiving];
    assemble(buffer, summa, which, panel, array, (scalay_summa_target){other, ld});
    return (scalay_summa_view){other, ld};
}
