#include "mapping/factor.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare_entries(const void *left, const void *right)
{
    const scalay_factor_entry *a = left, *b = right;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

static void sort_side(scalay_factor_side *side)
{
    for (int k = 0; k < side->classes; k++)
        qsort(side->entries + side->start[k], (size_t)(side->start[k + 1] - side->start[k]), sizeof *side->entries,
              compare_entries);
}

static scalay_status new_side(int classes, int64_t entries, scalay_factor_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    side->classes = classes;
    SCALAY_TRY(SCALAY_NEW(side->start, (int64_t)classes + 1));
    SCALAY_TRY(SCALAY_NEW(side->entries, entries));
cleanup:
    return status;
}

/* Lists entry (x, y) of the overlap at both of its ends. */
static void fill_sides(const scalay_axis_overlap *overlap, scalay_factor *made)
{
    scalay_factor_side *source = &made->source, *target = &made->target;
    for (int64_t x = 0; x < overlap->classes_a; x++)
        for (int64_t e = overlap->start[x]; e < overlap->start[x + 1]; e++) target->start[overlap->class_b[e] + 1]++;
    for (int y = 0; y < target->classes; y++) target->start[y + 1] += target->start[y];
    for (int64_t x = 0; x < overlap->classes_a; x++) {
        source->start[x + 1] = overlap->start[x + 1];
        for (int64_t e = overlap->start[x]; e < overlap->start[x + 1]; e++) {
            const int y = (int)overlap->class_b[e], from = (int)x;
            const int turn = ((y - from) % target->classes + target->classes) % target->classes;
            const int turn_back = ((from - y) % source->classes + source->classes) % source->classes;
            source->entries[e] = (scalay_factor_entry){overlap->count[e], y, turn};
            target->entries[target->start[y]++] = (scalay_factor_entry){overlap->count[e], from, turn_back};
            made->edges.col[e] = y;
            made->edges.weight[e] = overlap->count[e];
        }
        made->edges.start[x + 1] = overlap->start[x + 1];
    }
    for (int y = target->classes; y > 0; y--) target->start[y] = target->start[y - 1];
    target->start[0] = 0;
    sort_side(source);
    sort_side(target);
}

static scalay_status find_partners(scalay_factor *made)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_assignment assignment = {0};
    SCALAY_TRY(scalay_assignment_allocate(made->edges.rows, made->edges.cols, &assignment));
    SCALAY_TRY(scalay_assignment_solve(&made->edges, NULL, NULL, &assignment));
    made->partner = assignment.matching.of_row;
    assignment.matching.of_row = NULL;
cleanup:
    scalay_assignment_free(&assignment);
    return status;
}

scalay_status scalay_factor_from_overlap(const scalay_axis_overlap *overlap, scalay_factor *made)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t entries = overlap->start[overlap->classes_a];
    made->edges.rows = (int)overlap->classes_a;
    made->edges.cols = (int)overlap->classes_b;
    SCALAY_TRY(new_side(made->edges.rows, entries, &made->source));
    SCALAY_TRY(new_side(made->edges.cols, entries, &made->target));
    SCALAY_TRY(SCALAY_NEW(made->edges.start, overlap->classes_a + 1));
    SCALAY_TRY(SCALAY_NEW(made->edges.col, entries));
    SCALAY_TRY(SCALAY_NEW(made->edges.weight, entries));
    fill_sides(overlap, made);
    SCALAY_TRY(find_partners(made));
cleanup:
    return status;
}

scalay_status scalay_factor_create(const scalay_axis *source, const scalay_axis *target, scalay_factor *made)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_overlap overlap = {0};
    SCALAY_TRY(scalay_axis_overlap_create(source, target, &overlap));
    SCALAY_TRY(scalay_factor_from_overlap(&overlap, made));
cleanup:
    scalay_axis_overlap_free(&overlap);
    return status;
}

void scalay_factor_free(scalay_factor *going)
{
    scalay_release(going->source.start);
    scalay_release(going->source.entries);
    scalay_release(going->target.start);
    scalay_release(going->target.entries);
    scalay_release(going->partner);
    scalay_edges_free(&going->edges);
}

int64_t scalay_factor_class_items(const scalay_factor_side *side, int class)
{
    int64_t items = 0;
    for (int64_t e = side->start[class]; e < side->start[class + 1]; e++) items += side->entries[e].weight;
    return items;
}

int64_t scalay_factor_weight(const scalay_factor *made, int x, int y)
{
    const int64_t entry = scalay_edges_find(&made->edges, x, y);
    return entry >= 0 ? made->edges.weight[entry] : 0;
}
