#include "kernels/summa_read.h"

#include "core/integer.h"

/* A block on its way: extents that have not been read yet. */
typedef struct {
    const scalay_summa_reader *reader;
    char *near;
    int count;
    size_t bytes; /* in the extents */
    scalay_extent extents[SCALAY_EXTENTS_MOST];
} reading;

static scalay_status flush(reading *at)
{
    const int count = at->count;
    char *near = at->near;
    at->near += at->bytes;
    *at->reader->stretches += count;
    at->count = 0;
    at->bytes = 0;
    return count > 0 ? scalay_node_read(at->reader->node, at->reader->place, at->extents, count, near) : SCALAY_SUCCESS;
}

static scalay_status add_extent(reading *at, uint64_t address, size_t bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    char *start = (char *)(uintptr_t)address;
    scalay_extent *last = at->count > 0 ? &at->extents[at->count - 1] : NULL;
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
    at->extents[at->count++] = (scalay_extent){start, bytes};
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
static scalay_status read_block(const scalay_summa_reader *reader, const scalay_summa_side *side,
                                const scalay_summa_block *block, const scalay_summa_panels *panels, char *near)
{
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const uint64_t base = reader->address + (uint64_t)cell.offset * side->size;
    reading at = {.reader = reader, .near = near};
    return side->lines_are_rows ? read_rows(&at, side, block, panels, base, cell.ld)
                                : read_columns(&at, side, block, panels, base, cell.ld);
}

static scalay_status read_part(const scalay_summa_reader *reader, const scalay_summa_side *side,
                               const scalay_summa_block *part, const scalay_summa_panels *panels,
                               scalay_summa_target target)
{
    const scalay_status status = read_block(reader, side, part, panels, reader->scratch);
    *reader->copied += scalay_summa_block_elements(part);
    if (status == SCALAY_SUCCESS) scalay_summa_unpack(side, panels, part, reader->scratch, target);
    return status;
}

/* Inner indices are columns: some of them at a time. */
static scalay_status read_inner_parts(const scalay_summa_reader *reader, const scalay_summa_side *side,
                                      const scalay_summa_panels *panels, const scalay_summa_block *block,
                                      scalay_summa_target target)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t step = reader->room / block->joint->count;
    scalay_summa_segment segment = *block->segment;
    segment.first = 0;
    segment.end = 1;
    for (int64_t i = block->segment->first; i < block->segment->end; i++)
        for (int64_t done = 0; done < panels->inner[i].count; done += segment.width) {
            scalay_summa_inner inner = panels->inner[i];
            for (int k = 0; k < 2; k++) inner.place[k] += done;
            segment.width = inner.count = scalay_min_int64(step, inner.count - done);
            const scalay_summa_panels one = {.inner = &inner};
            const scalay_summa_block part = {block->joint, block->lines, &segment, block->owner};
            SCALAY_TRY(read_part(reader, side, &part, &one, target));
            segment.position += segment.width;
        }
cleanup:
    return status;
}

/* Lines are columns. */
static scalay_status read_line_parts(const scalay_summa_reader *reader, const scalay_summa_side *side,
                                     const scalay_summa_panels *panels, const scalay_summa_block *block,
                                     scalay_summa_target target)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t step = reader->room / block->segment->width;
    scalay_summa_joint joint = *block->joint;
    joint.first = 0;
    joint.end = 1;
    for (int64_t l = block->joint->first; l < block->joint->end; l++)
        for (int64_t done = 0; done < block->lines[l].count; done += joint.count) {
            scalay_summa_lines lines = block->lines[l];
            lines.place += done;
            lines.position += done;
            joint.count = lines.count = scalay_min_int64(step, lines.count - done);
            const scalay_summa_block part = {&joint, &lines, block->segment, block->owner};
            SCALAY_TRY(read_part(reader, side, &part, panels, target));
        }
cleanup:
    return status;
}

/* Where a block lies in a panel if it does so as in a message: whole columns. NULL: it does not. */
static char *whole_columns(const scalay_summa_side *side, const scalay_summa_block *block, scalay_summa_target target)
{
    const scalay_summa_joint *joint = block->joint;
    const scalay_summa_lines *first = &block->lines[joint->first], *last = &block->lines[joint->end - 1];
    const int is_whole = side->lines_are_rows ? joint->count == target.ld
                                              : block->segment->width == target.ld &&
                                                    last->position + last->count - first->position == joint->count;
    const int64_t column = side->lines_are_rows ? block->segment->position : first->position;
    return is_whole ? target.start + (size_t)(column * target.ld) * side->size : NULL;
}

scalay_status scalay_summa_read(const scalay_summa_reader *reader, const scalay_summa_side *side,
                                const scalay_summa_panels *panels, const scalay_summa_block *block,
                                scalay_summa_target target)
{
    char *near = whole_columns(side, block, target);
    if (near != NULL) return read_block(reader, side, block, panels, near);
    return side->lines_are_rows ? read_inner_parts(reader, side, panels, block, target)
                                : read_line_parts(reader, side, panels, block, target);
}
