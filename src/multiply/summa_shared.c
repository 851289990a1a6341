#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_object.h"
#include "multiply/summa_read.h"
#include "parallel/array.h"

/*
 * Panels are read from the memory of their owners, on one node. What is in arrays of scalay_alloc() is used where it
 * is, if it can be; anything else is read by the kernel of the operating system into its places in a panel, block by
 * block. Nobody waits for anybody but at the beginning, until all arrays are known, and at the end, until nobody reads
 * any more.
 *
 * A rank reads for itself, in its own time: there is nothing to overlap, and one panel is enough.
 */

/* Contiguous bytes that are worth a read of their own, on the average. */
enum { EXTENT_BYTES = 512 };

/* The wider the panels, the longer are the segments that are read; there is one panel where others need two, and what
 * they pack. */
enum { PANELS_AT_A_TIME = 3 };

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
    char *panel[2];       /* shape [widest that is made * lines] elements */
    far_array *told;      /* shape [2 * ranks] */
    MPI_Request barrier;
    int is_leaving; /* the barrier is under way */
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

static int64_t made_elements(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    return scalay_summa_widest_made(side, panels) * side->lines;
}

static int64_t workspace(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    int64_t elements = 0;
    for (int s = 0; s < 2; s++) elements += made_elements(&summa->side[s], panels);
    return elements * (int64_t)summa->side[0].size;
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
        SCALAY_TRY(SCALAY_NEW(made->panel[s], made_elements(&summa->side[s], &summa->panels) * size));
        summa->side[s].far_ld = made->ld[s];
    }
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
    now->barrier = MPI_REQUEST_NULL;
    for (int s = 0; s < 2; s++) mine[s] = describe(&summa->side[s], operands->matrix[s]);
    SCALAY_TRY_MPI(
        MPI_Allgather(mine, (int)sizeof mine, MPI_BYTE, now->told, (int)sizeof mine, MPI_BYTE, summa->comm->mpi));
    learn(summa, now);
    for (int s = 0; s < 2; s++) now->here[s][summa->comm->rank] = operands->matrix[s];
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

static scalay_status read_block(scalay_summa *summa, const scalay_summa_side *side, const scalay_summa_block *block,
                                scalay_summa_target target)
{
    const state *now = summa->transport_state;
    const scalay_summa_reader reader = {.node = summa->comm->node,
                                        .place = scalay_node_place(summa->comm->node, block->owner),
                                        .address = now->far[side->which][block->owner].address,
                                        .segments = &summa->statistics.segments_read};
    return scalay_summa_read(&reader, side, &summa->panels, block, target);
}

static scalay_status assemble(scalay_summa *summa, int s, int64_t panel, scalay_summa_target target)
{
    scalay_status status = SCALAY_SUCCESS;
    const state *now = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block)) {
        const char *here = now->here[s][block.owner];
        if (block.owner == side->rank) summa->statistics.elements_copied += scalay_summa_block_elements(&block);
        if (here != NULL)
            scalay_summa_copy(side, &summa->panels, &block, here, target);
        else
            SCALAY_TRY(read_block(summa, side, &block, target));
    }
cleanup:
    return status;
}

/* *is_foreign: the view is of another rank's array. */
static scalay_status take_side(scalay_summa *summa, int s, int64_t panel, scalay_summa_view *view, int *is_foreign)
{
    state *now = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_origin origin;
    count_received(summa, s, panel);
    if (scalay_summa_panel_is_whole(side, &summa->panels, panel, &origin) && now->here[s][origin.owner] != NULL) {
        *view = (scalay_summa_view){now->here[s][origin.owner] + (size_t)origin.offset * side->size, origin.ld};
        *is_foreign |= origin.owner != side->rank;
        return SCALAY_SUCCESS;
    }
    const scalay_summa_target target = {now->panel[s], scalay_summa_panel_ld(side, summa->panels.panel[panel].width)};
    *view = (scalay_summa_view){target.start, target.ld};
    return assemble(summa, s, panel, target);
}

/* What take_side() would do. */
static scalay_status count_side(const scalay_summa *summa, int s, int64_t panel, int is_seen, int64_t *segments,
                                int64_t *copied)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_side *side = &summa->side[s];
    const state *now = summa->transport_state;
    const scalay_summa_target target = {now->panel[s], scalay_summa_panel_ld(side, summa->panels.panel[panel].width)};
    const scalay_summa_reader reader = {
        .address = (uint64_t)(uintptr_t)now->panel[s], .segments = segments, .is_trial = 1};
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_origin origin;
    scalay_summa_block block;
    if (scalay_summa_panel_is_whole(side, &summa->panels, panel, &origin) && (is_seen || origin.owner == side->rank))
        return SCALAY_SUCCESS;
    while (scalay_summa_walk_next(&walk, &block)) {
        *copied += scalay_summa_block_elements(&block);
        if (block.owner == side->rank || is_seen) continue;
        SCALAY_TRY(scalay_summa_read(&reader, side, &summa->panels, &block, target));
    }
cleanup:
    return status;
}

scalay_status scalay_summa_count_reading(const scalay_summa *summa, const int is_seen[2], int64_t *segments,
                                         int64_t *copied)
{
    scalay_status status = SCALAY_SUCCESS;
    *segments = *copied = 0;
    for (int64_t panel = 0; panel < summa->panels.panels; panel++)
        for (int s = 0; s < 2; s++) SCALAY_TRY(count_side(summa, s, panel, is_seen[s], segments, copied));
cleanup:
    return status;
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
                                                    .width = PANELS_AT_A_TIME * SCALAY_SUMMA_WIDTH,
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
