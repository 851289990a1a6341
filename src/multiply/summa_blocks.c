#include <string.h>

#include "base/integer.h"
#include "multiply/summa_side.h"

/* ------------------------------------------------------------------------------------------------- walking */

scalay_summa_walk scalay_summa_walk_needed(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                           int64_t panel)
{
    return (scalay_summa_walk){.side = side,
                               .joints = &side->needed,
                               .count = side->needed.joints,
                               .segment = panels->panel[panel].first,
                               .end_segment = panels->panel[panel].end,
                               .panels = panels};
}

scalay_summa_walk scalay_summa_walk_held(const scalay_summa_side *side, const scalay_summa_audience *audience,
                                         const scalay_summa_panels *panels, int64_t panel)
{
    return (scalay_summa_walk){.side = side,
                               .joints = &side->held,
                               .chosen = side->audience_joint + audience->first_joint,
                               .count = audience->end_joint - audience->first_joint,
                               .segment = panels->panel[panel].first,
                               .end_segment = panels->panel[panel].end,
                               .panels = panels};
}

static int cell_part(const scalay_summa_side *side, int64_t line_class, int64_t inner_class)
{
    return side->lines_are_rows ? scalay_layout_cell_part(side->layout, line_class, inner_class)
                                : scalay_layout_cell_part(side->layout, inner_class, line_class);
}

int scalay_summa_walk_next(scalay_summa_walk *walk, scalay_summa_block *block)
{
    if (walk->next == walk->count) {
        walk->next = 0;
        walk->segment++;
    }
    if (walk->segment >= walk->end_segment || walk->count == 0) return 0;
    const scalay_summa_side *side = walk->side;
    const int64_t joint = walk->chosen != NULL ? walk->chosen[walk->next] : walk->next;
    walk->next++;
    block->joint = &walk->joints->joint[joint];
    block->lines = walk->joints->lines;
    block->segment = &walk->panels->segment[walk->segment];
    block->owner = scalay_layout_process_of_part(
        side->layout, cell_part(side, block->joint->class, block->segment->class[side->which]));
    return 1;
}

int64_t scalay_summa_block_elements(const scalay_summa_block *block)
{
    return block->joint->count * block->segment->width;
}

int64_t scalay_summa_side_incoming(const scalay_summa_side *side, const scalay_summa_panels *classes)
{
    int64_t incoming = 0;
    scalay_summa_walk walk = scalay_summa_walk_needed(side, classes, 0);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block))
        if (block.owner != side->rank) incoming += scalay_summa_block_elements(&block);
    return incoming;
}

/* ------------------------------------------------------------------------------------------------- copying */

/* An array that a block is copied from or to, and by what its elements are found there. */
typedef struct {
    char *start;
    int64_t ld;
    enum { PLACES, POSITIONS, DENSE } by;
} end;

/* The lines and inner indices of one run of each. */
typedef struct {
    const scalay_summa_lines *lines;
    const scalay_summa_inner *inner;
    int64_t line_count; /* that came before, in the block */
    int64_t inner_count;
} patch;

static int64_t locate(const scalay_summa_side *side, const scalay_summa_block *block, const patch *at, const end *where)
{
    int64_t line = at->line_count, inner = at->inner_count;
    if (where->by == PLACES) {
        line = at->lines->place;
        inner = at->inner->place[side->which];
    } else if (where->by == POSITIONS) {
        line = at->lines->position;
        inner += block->segment->position;
    }
    return side->lines_are_rows ? line + inner * where->ld : inner + line * where->ld;
}

/* Elements one by one: with a size that the compiler knows, a copy is a load and a store. */
static void copy_row(size_t size, int64_t count, const char *from, int64_t from_ld, char *to, int64_t to_ld)
{
    const size_t from_step = (size_t)from_ld * size, to_step = (size_t)to_ld * size;
    switch (size) {
    case 4:
        for (int64_t k = 0; k < count; k++) memcpy(to + (size_t)k * to_step, from + (size_t)k * from_step, 4);
        break;
    case 8:
        for (int64_t k = 0; k < count; k++) memcpy(to + (size_t)k * to_step, from + (size_t)k * from_step, 8);
        break;
    default:
        for (int64_t k = 0; k < count; k++) memcpy(to + (size_t)k * to_step, from + (size_t)k * from_step, 16);
    }
}

static void copy_columns(size_t size, int64_t rows, int64_t cols, const char *from, int64_t from_ld, char *to,
                         int64_t to_ld)
{
    if (rows == 1) {
        copy_row(size, cols, from, from_ld, to, to_ld);
        return;
    }
    if (rows == from_ld && rows == to_ld) {
        rows *= cols;
        cols = 1;
    }
    const size_t bytes = (size_t)rows * size;
    for (int64_t c = 0; c < cols; c++)
        memcpy(to + (size_t)(c * to_ld) * size, from + (size_t)(c * from_ld) * size, bytes);
}

static void copy_patch(const scalay_summa_side *side, const scalay_summa_block *block, const patch *at, const end *from,
                       const end *to)
{
    const int64_t lines = at->lines->count, inner = at->inner->count;
    copy_columns(side->size, side->lines_are_rows ? lines : inner, side->lines_are_rows ? inner : lines,
                 from->start + (size_t)locate(side, block, at, from) * side->size, from->ld,
                 to->start + (size_t)locate(side, block, at, to) * side->size, to->ld);
}

static void copy_block(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const end *from, const end *to)
{
    patch at = {.line_count = 0};
    for (int64_t l = block->joint->first; l < block->joint->end; l++) {
        at.lines = &block->lines[l];
        at.inner_count = 0;
        for (int64_t i = block->segment->first; i < block->segment->end; i++) {
            at.inner = &panels->inner[i];
            copy_patch(side, block, &at, from, to);
            at.inner_count += at.inner->count;
        }
        at.line_count += at.lines->count;
    }
}

scalay_cell scalay_summa_block_cell(const scalay_summa_side *side, const scalay_summa_block *block)
{
    const int64_t line = block->joint->class, inner = block->segment->class[side->which];
    scalay_cell cell = side->lines_are_rows ? scalay_layout_cell_at(side->layout, line, inner)
                                            : scalay_layout_cell_at(side->layout, inner, line);
    if (side->far_ld != NULL && side->far_ld[block->owner] > 0) cell.ld = side->far_ld[block->owner];
    return cell;
}

/* Where a block is in its owner's array. Nothing writes to it. */
static end stored(const scalay_summa_side *side, const scalay_summa_block *block, const char *array)
{
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    return (end){(char *)array + (size_t)cell.offset * side->size, cell.ld, PLACES};
}

static end dense(const scalay_summa_side *side, const scalay_summa_block *block, const char *message)
{
    return (end){(char *)message, side->lines_are_rows ? block->joint->count : block->segment->width, DENSE};
}

void scalay_summa_pack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, char *message)
{
    const end from = stored(side, block, array), to = dense(side, block, message);
    copy_block(side, panels, block, &from, &to);
}

void scalay_summa_unpack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                         const scalay_summa_block *block, const char *message, scalay_summa_target panel)
{
    const end from = dense(side, block, message), to = {panel.start, panel.ld, POSITIONS};
    copy_block(side, panels, block, &from, &to);
}

void scalay_summa_copy(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, scalay_summa_target panel)
{
    const end from = stored(side, block, array), to = {panel.start, panel.ld, POSITIONS};
    copy_block(side, panels, block, &from, &to);
}

/* -------------------------------------------------------------------------------------- without copying */

int64_t scalay_summa_panel_ld(const scalay_summa_side *side, int64_t width)
{
    return side->lines_are_rows ? side->lines : width;
}

/* Whether a block continues what was found so far, if anything was. */
static int continues(const scalay_summa_side *side, const scalay_summa_panels *panels, const scalay_summa_block *block,
                     scalay_summa_origin *origin)
{
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const end array = {.ld = cell.ld, .by = PLACES}, panel = {.ld = cell.ld, .by = POSITIONS};
    patch at = {.line_count = 0};
    if (origin->owner >= 0 && (origin->owner != block->owner || origin->ld != cell.ld)) return 0;
    for (int64_t l = block->joint->first; l < block->joint->end; l++) {
        at.lines = &block->lines[l];
        at.inner_count = 0;
        for (int64_t i = block->segment->first; i < block->segment->end; i++) {
            at.inner = &panels->inner[i];
            const int64_t offset = cell.offset + locate(side, block, &at, &array) - locate(side, block, &at, &panel);
            if (origin->owner < 0) *origin = (scalay_summa_origin){block->owner, offset, cell.ld};
            if (origin->offset != offset) return 0;
            at.inner_count += at.inner->count;
        }
    }
    return 1;
}

int scalay_summa_panel_is_whole(const scalay_summa_side *side, const scalay_summa_panels *panels, int64_t panel,
                                scalay_summa_origin *origin)
{
    scalay_summa_walk walk = scalay_summa_walk_needed(side, panels, panel);
    scalay_summa_block block;
    *origin = (scalay_summa_origin){.owner = -1};
    while (scalay_summa_walk_next(&walk, &block))
        if (!continues(side, panels, &block, origin)) return 0;
    return origin->owner >= 0;
}

int64_t scalay_summa_widest_made(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    int64_t widest = 0;
    scalay_summa_origin origin;
    for (int64_t p = 0; p < panels->panels && side->lines > 0; p++)
        if (!scalay_summa_panel_is_whole(side, panels, p, &origin) || origin.owner != side->rank)
            widest = scalay_max_int64(widest, panels->panel[p].width);
    return widest;
}

int scalay_summa_block_is_dense(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                const scalay_summa_block *block, int64_t *offset)
{
    const scalay_summa_joint *joint = block->joint;
    const scalay_summa_segment *segment = block->segment;
    if (joint->end - joint->first != 1 || segment->end - segment->first != 1) return 0;
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const end array = {.ld = cell.ld, .by = PLACES};
    const patch at = {.lines = &block->lines[joint->first], .inner = &panels->inner[segment->first]};
    const int64_t rows = side->lines_are_rows ? joint->count : segment->width;
    const int64_t cols = side->lines_are_rows ? segment->width : joint->count;
    *offset = cell.offset + locate(side, block, &at, &array);
    return rows == cell.ld || cols == 1;
}
