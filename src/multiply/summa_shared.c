/*
 * Transport "shared": each rank reads panels from the memory of their owners, on one node.
 *
 * Arrays of scalay_alloc() are visible to all processes of the node: a panel that lies in place in such an array is
 * used there, and others are copied from there. Other arrays are read by the operating system (process_vm_readv), block
 * by block, into a panel buffer. Ranks synchronise at the beginning, when they exchange the addresses of their arrays,
 * and at the end, when nobody reads any more.
 *
 * If the operating system refuses to read (the process of an array may forbid it at any time, and some memory cannot be
 * read), the rank reports the first panel that it could not read. All ranks learn the minimum at the end.
 *
 * A rank reads on its own core, so reads do not overlap with its gemm calls, and one panel buffer suffices.
 */

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "model/machine.h"
#include "model/product.h"
#include "multiply/summa.h"
#include "parallel/machine_numbers.h"
#include "parallel/node.h"
#include "parallel/requests.h"
#include "parallel/shared_memory.h"

/* ------------------------------------------------------------------------------------- reading one block */

/* Where to read from. */
typedef struct {
    const scalay_node *node;
    int node_rank;     /* of the owner, within the node */
    uint64_t address;  /* of its array, in the address space of its process */
    int64_t *segments; /* counts the segments read */
    int is_dry_run;    /* 1: count, but do not read */
} block_reader;

/* Source or destination of pending reads. */
typedef struct {
    char *start; /* of the array, or of the panel buffer */
    int64_t ld;
    int count;
    scalay_extent extents[SCALAY_MAX_EXTENTS]; /* not read yet */
} endpoint;

/* A block that is being read. Both endpoints list the same bytes in the same order, in extents of their own. */
typedef struct {
    const block_reader *reader;
    size_t size; /* of an element */
    endpoint source, target;
} reading;

static scalay_status flush(reading *at)
{
    const int sources = at->source.count, targets = at->target.count;
    if (sources == 0) return SCALAY_SUCCESS;
    *at->reader->segments += sources;
    at->source.count = at->target.count = 0;
    if (at->reader->is_dry_run) return SCALAY_SUCCESS;
    return scalay_node_scatter(at->reader->node, at->reader->node_rank, at->source.extents, sources, at->target.extents,
                               targets);
}

static int continues(const endpoint *at, const char *start)
{
    return at->count > 0 && at->extents[at->count - 1].start + at->extents[at->count - 1].bytes == start;
}

static void append(endpoint *at, char *start, size_t bytes)
{
    if (continues(at, start))
        at->extents[at->count - 1].bytes += bytes;
    else
        at->extents[at->count++] = (scalay_extent){start, bytes};
}

/* A position in a column-major array. */
typedef struct {
    int64_t row, col;
} position;

/* Adds consecutive rows of a column. */
static scalay_status add_column(reading *at, position source, position target, int64_t rows)
{
    scalay_status status = SCALAY_SUCCESS;
    char *from = at->source.start + (size_t)(source.row + source.col * at->source.ld) * at->size;
    char *to = at->target.start + (size_t)(target.row + target.col * at->target.ld) * at->size;
    if ((at->source.count == SCALAY_MAX_EXTENTS && !continues(&at->source, from)) ||
        (at->target.count == SCALAY_MAX_EXTENTS && !continues(&at->target, to)))
        SCALAY_TRY(flush(at));
    append(&at->source, from, (size_t)rows * at->size);
    append(&at->target, to, (size_t)rows * at->size);
cleanup:
    return status;
}

/* Columns are inner indices, rows are lines. */
static scalay_status read_by_inner(reading *at, const scalay_summa_side *side, const scalay_summa_block *block,
                                   const scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t col = block->slice->position;
    scalay_summa_inner_run inner;
    for (int64_t i = block->slice->first; i < block->slice->end;) {
        i = scalay_summa_join_inner(side, panels, i, block->slice->end, &inner);
        for (int64_t k = 0; k < inner.count; k++, col++)
            for (int64_t l = block->overlap->first; l < block->overlap->end; l++) {
                const scalay_summa_line_run *lines = &block->lines[l];
                const position source = {lines->local, inner.local[side->which] + k}, target = {lines->position, col};
                SCALAY_TRY(add_column(at, source, target, lines->count));
            }
    }
cleanup:
    return status;
}

/* Columns are lines, rows are inner indices. */
static scalay_status read_by_lines(reading *at, const scalay_summa_side *side, const scalay_summa_block *block,
                                   const scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_inner_run inner;
    for (int64_t l = block->overlap->first; l < block->overlap->end; l++) {
        const scalay_summa_line_run *lines = &block->lines[l];
        for (int64_t k = 0; k < lines->count; k++) {
            int64_t row = block->slice->position;
            for (int64_t i = block->slice->first; i < block->slice->end; row += inner.count) {
                i = scalay_summa_join_inner(side, panels, i, block->slice->end, &inner);
                const position source = {inner.local[side->which], lines->local + k};
                SCALAY_TRY(add_column(at, source, (position){row, lines->position + k}, inner.count));
            }
        }
    }
cleanup:
    return status;
}

/* Reads a block from another process. @return SCALAY_SUCCESS, SCALAY_ERROR_MPI (the system refuses to read) */
static scalay_status read_block(const block_reader *reader, const scalay_summa_side *side,
                                const scalay_summa_panels *panels, const scalay_summa_block *block,
                                scalay_summa_target target)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const uint64_t address = reader->address + (uint64_t)cell.offset * side->size;
    reading at = {.reader = reader, .size = side->size};
    at.source.start = (char *)(uintptr_t)address;
    at.source.ld = cell.ld;
    at.target.start = target.start;
    at.target.ld = target.ld;
    SCALAY_TRY(side->lines_are_rows ? read_by_inner(&at, side, block, panels)
                                    : read_by_lines(&at, side, block, panels));
    SCALAY_TRY(flush(&at));
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- transport */

/* "auto" reads panels of ordinary arrays if that is predicted to be faster than messages, by measured rates. Otherwise
 * segments must have at least so many bytes on average: panels of ordinary arrays are copied segment by segment, and
 * those of visible arrays are used in place where that is possible. */
enum { MIN_SEGMENT_BYTES = 512, MIN_ORDINARY_SEGMENT_BYTES = 12288 };

/* Wide panels have long segments. This transport has one panel buffer where others have two and packed messages, so its
 * panels may be three times as wide. */
enum { PANELS_OF_OTHERS = 3 };

/* The array of A or B of a rank. */
typedef struct {
    uint64_t address; /* in the address space of its process */
    int64_t ld;       /* known to its owner only; 0: as in the layout */
    scalay_array_location place;
} remote_array;

typedef struct {
    remote_array *remote[2]; /* shape [ranks] each */
    const char **array[2];   /* shape [ranks] each: address in this process; NULL: not visible */
    int64_t *ld[2];          /* shape [ranks] each */
    char *panel[2];          /* shape [scalay_summa_max_buffered_width() * lines] elements */
    remote_array *arrays;    /* shape [2 * ranks] */
    int64_t own_lost_panel;  /* of this rank; read while the reduction is pending */
    int64_t lost_panel;      /* the minimum over the ranks; written while the reduction is pending */
    MPI_Request reduction;   /* of own_lost_panel; completes when nobody reads any more */
    int has_left;            /* 1: the reduction is pending */
} shared;

/* Returns 1 if columns of the array of the owner are needed as a whole. */
static int has_whole_columns(const scalay_summa_side *side, const scalay_summa_block *block)
{
    const scalay_summa_overlap *overlap = block->overlap;
    return side->lines_are_rows && overlap->end - overlap->first == 1 &&
           overlap->count == scalay_summa_block_cell(side, block).ld;
}

/* Returns the segments of a block, if panels have at most `width` indices, and adds the messages that carry it. */
static int64_t block_segments(const scalay_summa_side *side, const scalay_summa_panels *classes,
                              const scalay_summa_block *block, int64_t width, int64_t *messages)
{
    const int64_t line_runs = block->overlap->end - block->overlap->first;
    const int whole = has_whole_columns(side, block);
    int64_t segments = 0;
    scalay_summa_inner_run inner;
    *messages += scalay_ceil_div(block->slice->width, SCALAY_SUMMA_WIDTH);
    if (side->lines_are_rows && !whole) return line_runs * block->slice->width;
    for (int64_t i = block->slice->first; i < block->slice->end;) {
        i = scalay_summa_join_inner(side, classes, i, block->slice->end, &inner);
        segments += scalay_ceil_div(inner.count, width);
    }
    return whole ? segments : segments * block->overlap->count;
}

/* Returns the bytes that this rank packs to send them. Each receiver group gets a copy of its own. */
static int64_t packed_bytes(const scalay_summa_side *side, const scalay_summa_panels *classes)
{
    int64_t elements = 0;
    for (int64_t k = 0; k < side->receiver_groups; k++) {
        scalay_summa_walk walk = scalay_summa_walk_held(side, &side->receivers[k], classes, 0);
        scalay_summa_block block;
        while (scalay_summa_walk_next(&walk, &block))
            if (block.owner == side->rank && !has_whole_columns(side, &block))
                elements += scalay_summa_block_elements(&block);
    }
    return elements * (int64_t)side->size;
}

/* Counts the panels that this rank gets. */
static scalay_panel_traffic count_traffic(const scalay_summa *summa, int s, const scalay_summa_panels *classes,
                                          int64_t width)
{
    const scalay_summa_side *side = &summa->side[s];
    scalay_panel_traffic traffic = {.packed = packed_bytes(side, classes)};
    scalay_summa_walk walk = scalay_summa_walk_needed(side, classes, 0);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner == side->rank) continue;
        traffic.bytes += scalay_summa_block_elements(&block) * (int64_t)side->size;
        traffic.segments += block_segments(side, classes, &block, width, &traffic.messages);
    }
    return traffic;
}

/* Sets the rates to those of the communicator, unless the plan has them. Collective. */
static scalay_status find_rates(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine_numbers *numbers = NULL;
    if (summa->rates == NULL && summa->comm->node->size == summa->comm->size) {
        SCALAY_TRY(scalay_machine_numbers_get(summa->comm, 0, &numbers));
        if (numbers->source != SCALAY_NUMBERS_NONE) summa->rates = &numbers->machine;
    }
    const scalay_machine *rates = summa->rates;
    if (rates != NULL && (rates->copy_curve[0] == 0.0 || !scalay_machine_is_valid(rates))) summa->rates = NULL;
cleanup:
    return status;
}

static int64_t panel_width(const scalay_summa *summa, const scalay_summa_transport *transport,
                           const scalay_summa_panels *classes)
{
    return summa->options.panel > 0 ? summa->options.panel : scalay_summa_default_width(summa, transport, classes);
}

/* Nanoseconds of this rank. */
static void predict_transports(scalay_summa *summa, const scalay_summa_panels *classes,
                               const scalay_panel_traffic traffic[2])
{
    const scalay_machine *rates = summa->rates;
    const double bytes = (double)summa->elements[2] * (double)summa->side[0].size;
    const int64_t wide = panel_width(summa, &scalay_summa_shared, classes);
    const int64_t narrow = panel_width(summa, &scalay_summa_messages, classes);
    for (int s = 0; s < 2; s++) {
        summa->reading[s] = scalay_whole_nanoseconds(scalay_panel_reading_seconds(rates, &traffic[s]));
        summa->sending[s] = scalay_whole_nanoseconds(scalay_panel_sending_seconds(rates, &traffic[s]));
    }
    summa->reading[2] = scalay_whole_nanoseconds(scalay_panel_passes_seconds(rates, bytes, classes->extent, wide));
    summa->sending[2] = scalay_whole_nanoseconds(scalay_panel_passes_seconds(rates, bytes, classes->extent, narrow));
}

/* Sums the segments and elements of all ranks, and finds the seconds of the busiest one. */
static scalay_status probe(scalay_summa *summa, const scalay_layout *c, const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    (void)c;
    int64_t sums[4] = {0}, maxima[6] = {0};
    scalay_panel_traffic traffic[2];
    SCALAY_TRY(scalay_node_probe(summa->comm));
    SCALAY_TRY(scalay_node_enable_reading(summa->comm));
    SCALAY_TRY(find_rates(summa));
    for (int s = 0; s < 2; s++) {
        traffic[s] = count_traffic(summa, s, classes, panel_width(summa, &scalay_summa_shared, classes));
        sums[s] = traffic[s].segments;
        sums[2 + s] = traffic[s].bytes / (int64_t)summa->side[s].size;
    }
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, summa->comm->mpi));
    for (int s = 0; s < 2; s++) {
        summa->segments[s] = sums[s];
        summa->incoming[s] = sums[2 + s];
    }
    if (summa->comm->node->size < summa->comm->size) goto cleanup;
    if (summa->rates != NULL) predict_transports(summa, classes, traffic);
    memcpy(maxima, summa->reading, sizeof summa->reading);
    memcpy(maxima + 3, summa->sending, sizeof summa->sending);
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, maxima, 6, MPI_INT64_T, MPI_MAX, summa->comm->mpi));
    memcpy(summa->reading, maxima, sizeof summa->reading);
    memcpy(summa->sending, maxima + 3, sizeof summa->sending);
cleanup:
    return status;
}

int scalay_summa_should_send(const scalay_summa *summa, scalay_summa_arrays unknown)
{
    double bytes = 0.0, minimum = 0.0;
    double to_read = (double)summa->reading[2], to_send = (double)summa->sending[2]; /* nanoseconds */
    int is_predicted = 0;
    for (int s = 0; s < 2; s++) {
        const scalay_summa_arrays arrays = summa->arrays[s] == SCALAY_SUMMA_UNKNOWN ? unknown : summa->arrays[s];
        const int is_ordinary = arrays == SCALAY_SUMMA_ORDINARY;
        if (is_ordinary && summa->sending[s] > 0) {
            to_read += (double)summa->reading[s];
            to_send += (double)summa->sending[s];
            is_predicted = 1;
            continue;
        }
        bytes += (double)summa->incoming[s] * (double)summa->side[s].size;
        minimum += (double)summa->segments[s] * (is_ordinary ? MIN_ORDINARY_SEGMENT_BYTES : MIN_SEGMENT_BYTES);
    }
    return bytes < minimum || (is_predicted && to_read > to_send);
}

static int applicable(const scalay_summa *summa, const char **reason)
{
    const scalay_node *node = summa->comm->node;
    *reason = "the ranks are not all on one node";
    if (node->size < summa->comm->size) return 0;
    *reason = "the processes may not read each other's memory";
    return node->can_read || summa->comm->size == 1;
}

/* Scattered elements are packed faster by their owners. */
static int helps(const scalay_summa *summa)
{
    return !scalay_summa_should_send(summa, SCALAY_SUMMA_VISIBLE);
}

/* ----------------------------------------------------------------------------------------------- creation */

static int64_t panel_elements(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    return scalay_summa_max_buffered_width(side, panels) * side->lines;
}

static int64_t workspace(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    int64_t elements = 0;
    for (int s = 0; s < 2; s++) elements += panel_elements(&summa->side[s], panels);
    return elements * (int64_t)summa->side[0].size;
}

static scalay_status create_on_rank(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    shared *new_state = NULL;
    const int64_t ranks = summa->comm->size, size = (int64_t)summa->side[0].size;
    SCALAY_TRY(SCALAY_NEW(new_state, 1));
    new_state->reduction = MPI_REQUEST_NULL;
    summa->transport_state = new_state;
    SCALAY_TRY(SCALAY_NEW(new_state->arrays, 2 * ranks));
    for (int s = 0; s < 2; s++) {
        SCALAY_TRY(SCALAY_NEW(new_state->remote[s], ranks));
        SCALAY_TRY(SCALAY_NEW(new_state->array[s], ranks));
        SCALAY_TRY(SCALAY_NEW(new_state->ld[s], ranks));
        SCALAY_TRY(SCALAY_NEW_UNSET(new_state->panel[s], panel_elements(&summa->side[s], &summa->panels) * size));
        summa->side[s].remote_ld = new_state->ld[s];
    }
cleanup:
    return status;
}

static scalay_status create(scalay_summa *summa)
{
    return scalay_comm_agree(summa->comm, create_on_rank(summa));
}

static void destroy(scalay_summa *summa)
{
    shared *old_state = summa->transport_state;
    summa->transport_state = NULL;
    if (old_state == NULL) return;
    for (int s = 0; s < 2; s++) {
        summa->side[s].remote_ld = NULL;
        scalay_release(old_state->remote[s]);
        scalay_release((void *)old_state->array[s]);
        scalay_release(old_state->ld[s]);
        scalay_release(old_state->panel[s]);
    }
    scalay_release(old_state->arrays);
    scalay_requests_release(scalay_requests_abandon(1, 0, &old_state->reduction), old_state);
}

/* ------------------------------------------------------------------------------------------------ arrays */

/* Returns what other ranks need to know about the array of this rank. */
static remote_array describe(const scalay_summa_side *side, const char *array)
{
    const int part = scalay_layout_part_of_process(side->layout, side->rank);
    const int64_t bytes = scalay_layout_local_size(side->layout, side->rank) * (int64_t)side->size;
    remote_array described = {.address = (uint64_t)(uintptr_t)array};
    if (part >= 0 && scalay_layout_is_grid(side->layout)) described.ld = scalay_layout_cell(side->layout, part, 0).ld;
    if (array != NULL && bytes > 0) described.place = scalay_array_find(array, bytes);
    return described;
}

static void locate_arrays(scalay_summa *summa, shared *state)
{
    const scalay_node *node = summa->comm->node;
    for (int rank = 0; rank < summa->comm->size; rank++)
        for (int s = 0; s < 2; s++) {
            const remote_array *remote = &state->arrays[2 * rank + s];
            state->remote[s][rank] = *remote;
            state->ld[s][rank] = remote->ld;
            state->array[s][rank] = NULL;
            const int64_t token = node->members[scalay_node_local_rank(node, rank)].token;
            if (remote->place.array != 0 && scalay_array_is_known_to(remote->place, token))
                state->array[s][rank] = scalay_array_locate(remote->place);
        }
}

static scalay_status begin(scalay_summa *summa, const scalay_summa_operands *operands)
{
    scalay_status status = SCALAY_SUCCESS;
    shared *state = summa->transport_state;
    remote_array mine[2];
    state->has_left = 0;
    state->reduction = MPI_REQUEST_NULL;
    for (int s = 0; s < 2; s++) mine[s] = describe(&summa->side[s], operands->matrix[s]);
    SCALAY_TRY_MPI(
        MPI_Allgather(mine, (int)sizeof mine, MPI_BYTE, state->arrays, (int)sizeof mine, MPI_BYTE, summa->comm->mpi));
    locate_arrays(summa, state);
    for (int s = 0; s < 2; s++) state->array[s][summa->comm->rank] = operands->matrix[s];
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ panels */

static void count_received(scalay_summa *summa, int s, int64_t panel)
{
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block))
        if (block.owner != side->rank) summa->statistics.elements_received += scalay_summa_block_elements(&block);
}

static scalay_status read_panel_block(scalay_summa *summa, const scalay_summa_side *side,
                                      const scalay_summa_block *block, scalay_summa_target target)
{
    const shared *state = summa->transport_state;
    const block_reader reader = {.node = summa->comm->node,
                                 .node_rank = scalay_node_local_rank(summa->comm->node, block->owner),
                                 .address = state->remote[side->which][block->owner].address,
                                 .segments = &summa->statistics.segments_read};
    return read_block(&reader, side, &summa->panels, block, target);
}

static scalay_status assemble(scalay_summa *summa, int s, int64_t panel, scalay_summa_target target)
{
    scalay_status status = SCALAY_SUCCESS;
    const shared *state = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block)) {
        const char *array = state->array[s][block.owner];
        if (block.owner == side->rank) summa->statistics.elements_copied += scalay_summa_block_elements(&block);
        if (array != NULL)
            scalay_summa_copy(side, &summa->panels, &block, array, target);
        else
            SCALAY_TRY(read_panel_block(summa, side, &block, target));
    }
cleanup:
    return status;
}

/* Sets *is_remote to 1 if the view is of the array of another rank. */
static scalay_status take_side(scalay_summa *summa, int s, int64_t panel, scalay_summa_view *view, int *is_remote)
{
    shared *state = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_origin origin;
    count_received(summa, s, panel);
    if (scalay_summa_panel_is_in_place(side, &summa->panels, panel, &origin) && state->array[s][origin.owner] != NULL) {
        *view = (scalay_summa_view){state->array[s][origin.owner] + (size_t)origin.offset * side->size, origin.ld};
        *is_remote |= origin.owner != side->rank;
        return SCALAY_SUCCESS;
    }
    const scalay_summa_target target = {state->panel[s], scalay_summa_panel_ld(side, summa->panels.panel[panel].width)};
    *view = (scalay_summa_view){target.start, target.ld};
    return assemble(summa, s, panel, target);
}

/* Counts what take_side() does. */
static scalay_status count_side(const scalay_summa *summa, int s, int64_t panel, int is_visible, int64_t *segments,
                                int64_t *copied)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_side *side = &summa->side[s];
    const shared *state = summa->transport_state;
    const scalay_summa_target target = {state->panel[s], scalay_summa_panel_ld(side, summa->panels.panel[panel].width)};
    const block_reader reader = {
        .address = (uint64_t)(uintptr_t)state->panel[s], .segments = segments, .is_dry_run = 1};
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_origin origin;
    scalay_summa_block block;
    if (scalay_summa_panel_is_in_place(side, &summa->panels, panel, &origin) &&
        (is_visible || origin.owner == side->rank))
        return SCALAY_SUCCESS;
    while (scalay_summa_walk_next(&walk, &block)) {
        *copied += scalay_summa_block_elements(&block);
        if (block.owner == side->rank || is_visible) continue;
        SCALAY_TRY(read_block(&reader, side, &summa->panels, &block, target));
    }
cleanup:
    return status;
}

scalay_status scalay_summa_count_reading(const scalay_summa *summa, const int is_visible[2], int64_t *segments,
                                         int64_t *copied)
{
    scalay_status status = SCALAY_SUCCESS;
    *segments = *copied = 0;
    for (int64_t panel = 0; panel < summa->panels.panels; panel++)
        for (int s = 0; s < 2; s++) SCALAY_TRY(count_side(summa, s, panel, is_visible[s], segments, copied));
cleanup:
    return status;
}

static scalay_status leave(scalay_summa *summa, shared *state)
{
    state->has_left = 1;
    state->own_lost_panel = summa->lost_panel;
    return scalay_mpi_check(MPI_Iallreduce(&state->own_lost_panel, &state->lost_panel, 1, MPI_INT64_T, MPI_MIN,
                                           summa->comm->mpi, &state->reduction),
                            "scalay_summa_execute", "MPI_Iallreduce");
}

static scalay_status start(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel)
{
    (void)summa, (void)operands, (void)panel;
    return SCALAY_SUCCESS;
}

static scalay_status take(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    int is_remote = 0;
    (void)operands;
    for (int s = 0; s < 2; s++)
        if (take_side(summa, s, panel, &view[s], &is_remote) != SCALAY_SUCCESS) summa->lost_panel = panel;
    if (summa->lost_panel == panel) return SCALAY_SUCCESS;
    if (panel == summa->panels.panels - 1 && !is_remote) SCALAY_TRY(leave(summa, summa->transport_state));
cleanup:
    return status;
}

static scalay_status end(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    shared *state = summa->transport_state;
    if (!state->has_left) SCALAY_TRY(leave(summa, state));
    SCALAY_TRY_MPI(MPI_Wait(&state->reduction, MPI_STATUS_IGNORE));
    summa->first_lost_panel = state->lost_panel;
cleanup:
    return status;
}

const scalay_summa_transport scalay_summa_shared = {.name = "shared",
                                                    .width = PANELS_OF_OTHERS * SCALAY_SUMMA_WIDTH,
                                                    .probe = probe,
                                                    .applicable = applicable,
                                                    .helps = helps,
                                                    .workspace = workspace,
                                                    .create = create,
                                                    .begin = begin,
                                                    .start = start,
                                                    .take = take,
                                                    .end = end,
                                                    .destroy = destroy};
