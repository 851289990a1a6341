#include "multiply/summa_read.h"

#include "base/integer.h"

/* One end of what is read. */
typedef struct {
    char *start; /* of the array, or the panel */
    int64_t ld;
    int count;
    scalay_extent extents[SCALAY_EXTENTS_MOST]; /* what has not been read yet */
} end;

/* A block on its way. Its bytes come in the same order at both ends, in extents of their own. */
typedef struct {
    const scalay_summa_reader *reader;
    size_t size; /* of an element */
    end far, near;
} reading;

static scalay_status flush(reading *at)
{
    const int far = at->far.count, near = at->near.count;
    if (far == 0) return SCALAY_SUCCESS;
    *at->reader->segments += far;
    at->far.count = at->near.count = 0;
    if (at->reader->is_trial) return SCALAY_SUCCESS;
    return scalay_node_scatter(at->reader->node, at->reader->place, at->far.extents, far, at->near.extents, near);
}

static int continues(const end *at, const char *start)
{
    return at->count > 0 && at->extents[at->count - 1].start + at->extents[at->count - 1].bytes == start;
}

static void append(end *at, char *start, size_t bytes)
{
    if (continues(at, start))
        at->extents[at->count - 1].bytes += bytes;
    else
        at->extents[at->count++] = (scalay_extent){start, bytes};
}

/* Adds rows of a column, by their places there and here. */
static scalay_status add_column(reading *at, int64_t far_row, int64_t far_col, int64_t near_row, int64_t near_col,
                                int64_t rows)
{
    scalay_status status = SCALAY_SUCCESS;
    char *from = at->far.start + (size_t)(far_row + far_col * at->far.ld) * at->size;
    char *to = at->near.start + (size_t)(near_row + near_col * at->near.ld) * at->size;
    if ((at->far.count == SCALAY_EXTENTS_MOST && !continues(&at->far, from)) ||
        (at->near.count == SCALAY_EXTENTS_MOST && !continues(&at->near, to)))
        SCALAY_TRY(flush(at));
    append(&at->far, from, (size_t)rows * at->size);
    append(&at->near, to, (size_t)rows * at->size);
cleanup:
    return status;
}

/* Inner indices are columns. */
static scalay_status read_inner(reading *at, const scalay_summa_side *side, const scalay_summa_block *block,
                                const scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t col = block->segment->position;
    for (int64_t i = block->segment->first; i < block->segment->end; i++) {
        const scalay_summa_inner *inner = &panels->inner[i];
        for (int64_t k = 0; k < inner->count; k++, col++)
            for (int64_t l = block->joint->first; l < block->joint->end; l++) {
                const scalay_summa_lines *lines = &block->lines[l];
                SCALAY_TRY(
                    add_column(at, lines->place, inner->place[side->which] + k, lines->position, col, lines->count));
            }
    }
cleanup:
    return status;
}

/* Lines are columns. */
static scalay_status read_lines(reading *at, const scalay_summa_side *side, const scalay_summa_block *block,
                                const scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t l = block->joint->first; l < block->joint->end; l++) {
        const scalay_summa_lines *lines = &block->lines[l];
        for (int64_t k = 0; k < lines->count; k++) {
            int64_t row = block->segment->position;
            for (int64_t i = block->segment->first; i < block->segment->end; i++) {
                const scalay_summa_inner *inner = &panels->inner[i];
                SCALAY_TRY(add_column(at, inner->place[side->which], lines->place + k, row, lines->position + k,
                                      inner->count));
                row += inner->count;
            }
        }
    }
cleanup:
    return status;
}

scalay_status scalay_summa_read(const scalay_summa_reader *reader, const scalay_summa_side *side,
                                const scalay_summa_panels *panels, const scalay_summa_block *block,
                                scalay_summa_target target)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const uint64_t address = reader->address + (uint64_t)cell.offset * side->size;
    reading at = {.reader = reader, .size = side->size};
    at.far.start = (char *)(uintptr_t)address;
    at.far.ld = cell.ld;
    at.near.start = target.start;
    at.near.ld = target.ld;
    SCALAY_TRY(side->lines_are_rows ? read_inner(&at, side, block, panels) : read_lines(&at, side, block, panels));
    SCALAY_TRY(flush(&at));
cleanup:
    return status;
}
