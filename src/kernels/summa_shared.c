#include "core/array.h"
#include "core/integer.h"
#include "core/memory.h"
#include "core/node.h"
#include "kernels/summa_object.h"

/*
 * Panels are read from the memory of their owners, on one node. What is in arrays of scalay_alloc() is used where it
 * is, if it can be; anything else is read by the kernel of the operating system into a panel, block by block. Nobody
 * waits for anybody but at the beginning, until all arrays are known, and at the end, until nobody reads any more.
 *
 * A rank reads for itself, in its own time: there is nothing to overlap, and one panel is enough.
 */

/* Contiguous bytes that are worth a read of their own, on the average. */
enum { EXTENT_BYTES = 512 };

/* A rank's array of A or B. */
typedef struct {
    uint64_t address; /* in its process */
    int64_t ld;       /* that only it knows; 0: as the layout says */
    scalay_array_place place;
} far_array;

typedef struct {
    far_array *far[2];    /* shape [ranks] each */
    const char **here[2]; /* shape [ranks] each: where this process sees the array; NULL: it does not */
    int64_t *ld[2];       /* shape [ranks] each */
    char *panel[2];       /* shape [widest * lines] elements */
    char *scratch;        /* for the largest block that is not alone in its panel */
    far_array *told;      /* shape [2 * ranks] */
    MPI_Request barrier;
    int is_leaving; /* the barrier is under way */
    scalay_extent extents[SCALAY_EXTENTS_MOST];
} state;

/* The layout's extents that are read, and the elements in them, of all blocks of this rank. */
static void count_extents(const scalay_summa *summa, int s, const scalay_summa_panels *classes, int64_t *count,
                          int64_t *elements)
{
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, classes, 0);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner == side->rank) continue;
        const int64_t line_runs = block.joint->end - block.joint->first;
        const int64_t inner_runs = block.segment->end - block.segment->first;
        *elements += scalay_summa_block_elements(&block);
        *count += side->lines_are_rows ? line_runs * block.segment->width : inner_runs * block.joint->count;
    }
}

static scalay_status probe(scalay_summa *summa, const scalay_layout *c, const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    (void)c;
    int64_t mine[2] = {0, 0}, all[2];
    SCALAY_TRY(scalay_node_probe(summa->comm));
    for (int s = 0; s < 2; s++) count_extents(summa, s, classes, &mine[0], &mine[1]);
    SCALAY_TRY_MPI(MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, summa->comm->mpi));
    summa->is_scattered = (double)all[1] * (double)summa->side[0].size < (double)all[0] * EXTENT_BYTES;
cleanup:
    return status;
}

static int applicable(const scalay_summa *summa, const char **reason)
{
    const scalay_node *node = summa->comm->node;
    *reason = "the ranks are not all on one node";
    if (node->size < summa->comm->size) return 0;
    *reason = "the processes may not read each other's memory";
    return node->can_read || summa->comm->size == 1;
}

/* Scattered elements are better packed by who has them. */
static int helps(const scalay_summa *summa)
{
    return !summa->is_scattered;
}

/* ----------------------------------------------------------------------------------------------- creation */

/* The largest block of a panel that has others; 0 when each panel is one block. */
static int64_t largest_block(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    int64_t largest = 0;
    for (int64_t p = 0; p < panels->panels; p++) {
        scalay_summa_walk walk = scalay_summa_walk_needed(side, panels, p);
        scalay_summa_block block;
        int64_t blocks = 0, most = 0;
        for (; scalay_summa_walk_next(&walk, &block); blocks++)
            if (block.owner != side->rank) most = scalay_max_int64(most, scalay_summa_block_elements(&block));
        if (blocks > 1) largest = scalay_max_int64(largest, most);
    }
    return largest;
}

static int64_t scratch_elements(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    return scalay_max_int64(largest_block(&summa->side[0], panels), largest_block(&summa->side[1], panels));
}

static int64_t workspace(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    const int64_t lines = summa->side[0].lines + summa->side[1].lines;
    return (panels->widest * lines + scratch_elements(summa, panels)) * (int64_t)summa->side[0].size;
}

static scalay_status make(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    state *made = NULL;
    const int64_t ranks = summa->comm->size, size = (int64_t)summa->side[0].size;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    summa->transport_state = made;
    SCALAY_TRY(SCALAY_NEW(made->told, 2 * ranks));
    for (int s = 0; s < 2; s++) {
        SCALAY_TRY(SCALAY_NEW(made->far[s], ranks));
        SCALAY_TRY(SCALAY_NEW(made->here[s], ranks));
        SCALAY_TRY(SCALAY_NEW(made->ld[s], ranks));
        SCALAY_TRY(SCALAY_NEW(made->panel[s], summa->panels.widest * summa->side[s].lines * size));
        summa->side[s].far_ld = made->ld[s];
    }
    SCALAY_TRY(SCALAY_NEW(made->scratch, scratch_elements(summa, &summa->panels) * size));
cleanup:
    return status;
}

static scalay_status create(scalay_summa *summa)
{
    return scalay_comm_agree(summa->comm, make(summa));
}

static void destroy(scalay_summa *summa)
{
    state *going = summa->transport_state;
    summa->transport_state = NULL;
    if (going == NULL) return;
    for (int s = 0; s < 2; s++) {
        summa->side[s].far_ld = NULL;
        scalay_release(going->far[s]);
        scalay_release((void *)going->here[s]);
        scalay_release(going->ld[s]);
        scalay_release(going->panel[s]);
    }
    scalay_release(going->scratch);
    scalay_release(going->told);
    scalay_release(going);
}

/* ------------------------------------------------------------------------------------------------ arrays */

/* What others must know of this rank's array. */
static far_array describe(const scalay_summa_side *side, const char *array)
{
    const int part = scalay_layout_part_of_process(side->layout, side->rank);
    const int64_t bytes = scalay_layout_local_size(side->layout, side->rank) * (int64_t)side->size;
    far_array told = {.address = (uint64_t)(uintptr_t)array};
    if (part >= 0 && scalay_layout_is_grid(side->layout)) told.ld = scalay_layout_cell(side->layout, part, 0).ld;
    if (array != NULL && bytes > 0) told.place = scalay_array_find(array, bytes);
    return told;
}

static void learn(scalay_summa *summa, state *now)
{
    const scalay_node *node = summa->comm->node;
    for (int rank = 0; rank < summa->comm->size; rank++)
        for (int s = 0; s < 2; s++) {
            const far_array *far = &now->told[2 * rank + s];
            now->far[s][rank] = *far;
            now->ld[s][rank] = far->ld;
            now->here[s][rank] = NULL;
            const int64_t token = node->members[scalay_node_place(node, rank)].token;
            if (far->place.array != 0 && scalay_array_is_known_to(far->place, token))
                now->here[s][rank] = scalay_array_locate(far->place);
        }
}

static scalay_status begin(scalay_summa *summa, const scalay_summa_operands *operands)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    far_array mine[2];
    now->is_leaving = 0;
    for (int s = 0; s < 2; s++) mine[s] = describe(&summa->side[s], operands->matrix[s]);
    SCALAY_TRY_MPI(
        MPI_Allgather(mine, (int)sizeof mine, MPI_BYTE, now->told, (int)sizeof mine, MPI_BYTE, summa->comm->mpi));
    learn(summa, now);
    for (int s = 0; s < 2; s++) now->here[s][summa->comm->rank] = operands->matrix[s];
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- reading */

/* A block on its way: extents that have not been read yet. */
typedef struct {
    const scalay_summa *summa;
    int place; /* of the owner in the node */
    int count;
    size_t bytes; /* in the extents */
    char *near;
} reading;

static scalay_status flush(reading *at)
{
    state *now = at->summa->transport_state;
    const int count = at->count;
    char *near = at->near;
    at->near += at->bytes;
    at->count = 0;
    at->bytes = 0;
    return count > 0 ? scalay_node_read(at->summa->comm->node, at->place, now->extents, count, near) : SCALAY_SUCCESS;
}

static scalay_status add_extent(reading *at, uint64_t address, size_t bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = at->summa->transport_state;
    char *start = (char *)(uintptr_t)address;
    scalay_extent *last = at->count > 0 ? &now->extents[at->count - 1] : NULL;
    at->bytes += bytes;
    if (last != NULL && last->start + last->bytes == start) {
        last->bytes += bytes;
        return SCALAY_SUCCESS;
    }
    if (at->count == SCALAY_EXTENTS_MOST) {
        at->bytes -= bytes;
        SCALAY_TRY(flush(at));
        at->bytes += bytes;
    }
    now->extents[at->count++] = (scalay_extent){start, bytes};
cleanup:
    return status;
}

/* One line after the other of the matrix as it is stored: the order of a message. */
static scalay_status read_rows(reading *at, const scalay_summa_side *side, const scalay_summa_block *block,
                               const scalay_summa_panels *panels, uint64_t base, int64_t ld)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t i = block->segment->first; i < block->segment->end; i++) {
        const scalay_summa_inner *inner = &panels->inner[i];
        for (int64_t col = inner->place[side->which]; col < inner->place[side->which] + inner->count; col++)
            for (int64_t l = block->joint->first; l < block->joint->end; l++) {
                const scalay_summa_lines *lines = &block->lines[l];
                SCALAY_TRY(add_extent(at, base + (uint64_t)(lines->place + col * ld) * side->size,
                                      (size_t)lines->count * side->size));
            }
    }
    SCALAY_TRY(flush(at));
cleanup:
    return status;
}

static scalay_status read_columns(reading *at, const scalay_summa_side *side, const scalay_summa_block *block,
                                  const scalay_summa_panels *panels, uint64_t base, int64_t ld)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t l = block->joint->first; l < block->joint->end; l++) {
        const scalay_summa_lines *lines = &block->lines[l];
        for (int64_t col = lines->place; col < lines->place + lines->count; col++)
            for (int64_t i = block->segment->first; i < block->segment->end; i++) {
                const scalay_summa_inner *inner = &panels->inner[i];
                SCALAY_TRY(add_extent(at, base + (uint64_t)(inner->place[side->which] + col * ld) * side->size,
                                      (size_t)inner->count * side->size));
            }
    }
    SCALAY_TRY(flush(at));
cleanup:
    return status;
}

/* Reads a block densely. */
static scalay_status read_block(const scalay_summa *summa, const scalay_summa_side *side,
                                const scalay_summa_block *block, char *near)
{
    const state *now = summa->transport_state;
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const uint64_t base = now->far[side->which][block->owner].address + (uint64_t)cell.offset * side->size;
    reading at = {.summa = summa, .place = scalay_node_place(summa->comm->node, block->owner), .near = near};
    return side->lines_are_rows ? read_rows(&at, side, block, &summa->panels, base, cell.ld)
                                : read_columns(&at, side, block, &summa->panels, base, cell.ld);
}

/* ------------------------------------------------------------------------------------------------ panels */

static int64_t count_blocks(scalay_summa *summa, int s, int64_t panel)
{
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    int64_t blocks = 0;
    for (; scalay_summa_walk_next(&walk, &block); blocks++)
        if (block.owner != side->rank) summa->statistics.elements_received += scalay_summa_block_elements(&block);
    return blocks;
}

static scalay_status assemble(scalay_summa *summa, int s, int64_t panel, int64_t blocks, scalay_summa_target target)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block)) {
        const char *here = now->here[s][block.owner];
        if (here != NULL) {
            scalay_summa_copy(side, &summa->panels, &block, here, target);
        } else if (blocks == 1) {
            SCALAY_TRY(read_block(summa, side, &block, target.start));
        } else {
            SCALAY_TRY(read_block(summa, side, &block, now->scratch));
            scalay_summa_unpack(side, &summa->panels, &block, now->scratch, target);
        }
    }
cleanup:
    return status;
}

/* *is_foreign: the view is of another rank's array. */
static scalay_status take_side(scalay_summa *summa, int s, int64_t panel, scalay_summa_view *view, int *is_foreign)
{
    state *now = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    const int64_t blocks = count_blocks(summa, s, panel);
    scalay_summa_origin origin;
    if (scalay_summa_panel_is_whole(side, &summa->panels, panel, &origin) && now->here[s][origin.owner] != NULL) {
        *view = (scalay_summa_view){now->here[s][origin.owner] + (size_t)origin.offset * side->size, origin.ld};
        *is_foreign |= origin.owner != side->rank;
        return SCALAY_SUCCESS;
    }
    const scalay_summa_target target = {now->panel[s], scalay_summa_panel_ld(side, summa->panels.panel[panel].width)};
    *view = (scalay_summa_view){target.start, target.ld};
    return assemble(summa, s, panel, blocks, target);
}

static scalay_status leave(scalay_summa *summa, state *now)
{
    now->is_leaving = 1;
    return scalay_mpi_check(MPI_Ibarrier(summa->comm->mpi, &now->barrier), "scalay_summa_execute", "MPI_Ibarrier");
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
    int is_foreign = 0;
    (void)operands;
    for (int s = 0; s < 2; s++) SCALAY_TRY(take_side(summa, s, panel, &view[s], &is_foreign));
    if (panel == summa->panels.panels - 1 && !is_foreign) SCALAY_TRY(leave(summa, summa->transport_state));
cleanup:
    return status;
}

static scalay_status end(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    if (!now->is_leaving) SCALAY_TRY(leave(summa, now));
    SCALAY_TRY_MPI(MPI_Wait(&now->barrier, MPI_STATUS_IGNORE));
cleanup:
    return status;
}

const scalay_summa_transport scalay_summa_shared = {.name = "shared",
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
