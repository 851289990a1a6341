/* One of the two matrices that are sent: its lines, who holds them and who needs them. */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/cost.h"

static int compare_overlaps(const void *a, const void *b)
{
    const scalay_overlap_lines *x = a;
    const scalay_overlap_lines *y = b;
    if (x->source_class != y->source_class) return x->source_class < y->source_class ? -1 : 1;
    return (x->target_class > y->target_class) - (x->target_class < y->target_class);
}

/* The runs that two axes have in common. */
static int64_t common_runs(const scalay_map_axis *sent, const scalay_map_axis *c, scalay_overlap_lines *overlap)
{
    int64_t count = 0;
    int64_t begin = 0;
    for (int64_t a = 0, b = 0; a < sent->runs && b < c->runs;) {
        int64_t end = scalay_min_int64(sent->end[a], c->end[b]);
        overlap[count++] = (scalay_overlap_lines){sent->run_class[a], c->run_class[b], end - begin};
        a += sent->end[a] == end;
        b += c->end[b] == end;
        begin = end;
    }
    return count;
}

static int64_t merge_overlaps(int64_t count, scalay_overlap_lines *overlap)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        if (kept > 0 && compare_overlaps(&overlap[kept - 1], &overlap[k]) == 0)
            overlap[kept - 1].lines += overlap[k].lines;
        else
            overlap[kept++] = overlap[k];
    }
    return kept;
}

static scalay_status join_axes(const scalay_map_axis *sent, const scalay_map_axis *c, scalay_cost_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    if (sent == c) {
        SCALAY_TRY(SCALAY_NEW(side->overlap, c->classes));
        for (int64_t k = 0; k < c->classes; k++) side->overlap[k] = (scalay_overlap_lines){k, k, c->lines[k]};
        side->overlaps = c->classes;
    } else {
        SCALAY_TRY(SCALAY_NEW(side->overlap, sent->runs + c->runs));
        side->overlaps = common_runs(sent, c, side->overlap);
        qsort(side->overlap, (size_t)side->overlaps, sizeof *side->overlap, compare_overlaps);
        side->overlaps = merge_overlaps(side->overlaps, side->overlap);
    }
    SCALAY_TRY(SCALAY_NEW(side->overlap_start, sent->classes + 1));
    for (int64_t k = 0; k < side->overlaps; k++) side->overlap_start[side->overlap[k].source_class + 1]++;
    for (int64_t k = 0; k < sent->classes; k++) side->overlap_start[k + 1] += side->overlap_start[k];
cleanup:
    return status;
}

/* The entries of the source classes, by part. */
static scalay_status index_parts(int parts, scalay_cost_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_line_owners *source = &side->source;
    const int64_t entries = source->start[source->classes];
    int64_t *next = NULL;
    SCALAY_TRY(SCALAY_NEW(next, parts));
    SCALAY_TRY(SCALAY_NEW(side->part_start, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(side->part_class, entries));
    SCALAY_TRY(SCALAY_NEW(side->part_held, entries));
    for (int64_t e = 0; e < entries; e++) side->part_start[source->owner[e] + 1]++;
    for (int x = 0; x < parts; x++) {
        side->part_start[x + 1] += side->part_start[x];
        next[x] = side->part_start[x];
    }
    for (int64_t k = 0; k < source->classes; k++)
        for (int64_t e = source->start[k]; e < source->start[k + 1]; e++) {
            int64_t at = next[source->owner[e]]++;
            side->part_class[at] = k;
            side->part_held[at] = source->held[e];
        }
cleanup:
    scalay_release(next);
    return status;
}

scalay_status scalay_cost_side_create(const scalay_owner_map *sent, const scalay_owner_map *c, scalay_lines_way way,
                                      scalay_cost_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    *side = (scalay_cost_side){0};
    SCALAY_TRY(scalay_line_owners_create(sent, way, &side->source));
    SCALAY_TRY(scalay_line_owners_create(c, way, &side->target));
    SCALAY_TRY(way == SCALAY_LINES_ROWS ? join_axes(&sent->row, &c->row, side) : join_axes(&sent->col, &c->col, side));
    SCALAY_TRY(index_parts(c->parts, side));
cleanup:
    return status;
}

void scalay_cost_side_free(scalay_cost_side *side)
{
    scalay_line_owners_free(&side->source);
    scalay_line_owners_free(&side->target);
    scalay_release(side->overlap);
    scalay_release(side->overlap_start);
    scalay_release(side->part_start);
    scalay_release(side->part_class);
    scalay_release(side->part_held);
    *side = (scalay_cost_side){0};
}

int64_t scalay_cost_side_sent(const scalay_cost_side *side, int from, int to)
{
    int64_t moved = 0;
    for (int64_t p = side->part_start[from]; p < side->part_start[from + 1]; p++) {
        int64_t k = side->part_class[p];
        int64_t lines = 0;
        for (int64_t j = side->overlap_start[k]; j < side->overlap_start[k + 1]; j++)
            if (scalay_line_owners_has(&side->target, side->overlap[j].target_class, to))
                lines += side->overlap[j].lines;
        moved += lines * side->part_held[p];
    }
    return moved;
}
