#include "multiply/summa_landing.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

int64_t scalay_summa_landing_elements(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    return 2 * scalay_summa_widest_made(side, panels) * side->lines;
}

int64_t scalay_summa_most_packed(scalay_summa_packing packing, const scalay_summa *summa, int which,
                                 const scalay_summa_panels *panels)
{
    int64_t most = 0;
    for (int64_t p = 0; p < panels->panels; p++) most = scalay_max_int64(most, packing(summa, which, panels, p));
    return most;
}

int64_t scalay_summa_landing_workspace(scalay_summa_packing packing, const scalay_summa *summa,
                                       const scalay_summa_panels *panels)
{
    int64_t elements = 0;
    for (int s = 0; s < 2; s++)
        elements += scalay_summa_landing_elements(&summa->side[s], panels) +
                    2 * scalay_summa_most_packed(packing, summa, s, panels);
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

scalay_status scalay_summa_landing_create(const scalay_summa *summa, int which, const scalay_summa_sets *sets,
                                          scalay_summa_landing *landing)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_side *side = &summa->side[which];
    *landing = (scalay_summa_landing){.sets = sets, .ranks = summa->comm->size};
    landing->lanes = summa->comm->size * (sets != NULL ? sets->count : 1);
    const int64_t half = scalay_summa_landing_elements(side, &summa->panels) / 2;
    for (int k = 0; k < 2; k++) SCALAY_TRY(SCALAY_NEW(landing->panel[k], half * (int64_t)side->size));
    SCALAY_TRY(SCALAY_NEW(landing->count, landing->lanes));
    SCALAY_TRY(SCALAY_NEW(landing->at, landing->lanes));
cleanup:
    return status;
}

void scalay_summa_landing_free(scalay_summa_landing *landing)
{
    for (int k = 0; k < 2; k++) scalay_release(landing->panel[k]);
    scalay_release(landing->count);
    scalay_release(landing->at);
    *landing = (scalay_summa_landing){0};
}

static int64_t lane_of(const scalay_summa_landing *landing, const scalay_summa_side *side,
                       const scalay_summa_block *block)
{
    if (landing->sets == NULL) return block->owner;
    return scalay_summa_sets_find(landing->sets, side, block) * landing->ranks + block->owner;
}

void scalay_summa_landing_expect(scalay_summa_landing *landing, const scalay_summa *summa, int which, int64_t panel)
{
    const scalay_summa_side *side = &summa->side[which];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    memset(landing->count, 0, (size_t)landing->lanes * sizeof *landing->count);
    landing->blocks = landing->incoming = 0;
    for (; scalay_summa_walk_next(&walk, &block); landing->blocks++)
        landing->count[lane_of(landing, side, &block)] += scalay_summa_block_elements(&block);
    for (int64_t lane = 0; lane < landing->lanes; lane++) {
        landing->at[lane] = landing->incoming;
        if (lane % landing->ranks != side->rank) landing->incoming += landing->count[lane];
    }
}

char *scalay_summa_landing_place(const scalay_summa_landing *landing, int64_t lane, size_t size)
{
    return landing->panel[landing->landing] + (size_t)landing->at[lane] * size;
}

/* Puts a panel together from what came and what this rank has. */
static void assemble(scalay_summa_landing *landing, scalay_summa *summa, int which, int64_t panel, const char *array,
                     scalay_summa_target target)
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
        const int64_t lane = lane_of(landing, side, &block);
        scalay_summa_unpack(side, &summa->panels, &block, scalay_summa_landing_place(landing, lane, side->size),
                            target);
        landing->at[lane] += scalay_summa_block_elements(&block);
    }
}

scalay_summa_view scalay_summa_landing_take(scalay_summa_landing *landing, scalay_summa *summa, int which,
                                            int64_t panel, const char *array)
{
    const scalay_summa_side *side = &summa->side[which];
    const int64_t ld = scalay_summa_panel_ld(side, summa->panels.panel[panel].width);
    scalay_summa_origin origin;
    if (landing->incoming == 0 && scalay_summa_panel_is_whole(side, &summa->panels, panel, &origin))
        return (scalay_summa_view){array + (size_t)origin.offset * side->size, origin.ld};
    char *landed = landing->panel[landing->landing];
    if (landing->blocks == 1 && landing->incoming > 0) {
        landing->landing = !landing->landing;
        return (scalay_summa_view){landed, ld};
    }
    char *made = landing->panel[!landing->landing];
    assemble(landing, summa, which, panel, array, (scalay_summa_target){made, ld});
    return (scalay_summa_view){made, ld};
}
