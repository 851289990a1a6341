/*
 * Panels, class overlaps, receiver groups and block copies of SUMMA (van de Geijn, Watts 1997), for any layouts.
 *
 * Everything is found from one-dimensional class intersections. Time and memory of a rank: O(runs of the lines and of
 * the inner index in the classes that the rank needs or holds, plus the receivers of each overlap). On block-cyclic
 * layouts with one block size, classes are as many as grid rows and columns.
 */

#include "multiply/summa_geometry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

void scalay_summa_panels_free(scalay_summa_panels *panels)
{
    scalay_release(panels->panel);
    scalay_release(panels->slice);
    scalay_release(panels->inner);
    *panels = (scalay_summa_panels){0};
}

static scalay_status add_panel(scalay_summa_panels *panels)
{
    const scalay_status status = SCALAY_GROW(panels->panel, panels->panel_capacity, panels->panels + 1);
    if (status == SCALAY_SUCCESS)
        panels->panel[panels->panels++] = (scalay_summa_panel){panels->slices, panels->slices, 0};
    return status;
}

/* Appends an empty slice to the last panel. */
static scalay_status add_slice(int64_t class_a, int64_t class_b, scalay_summa_panels *panels)
{
    const scalay_status status = SCALAY_GROW(panels->slice, panels->slice_capacity, panels->slices + 1);
    if (status != SCALAY_SUCCESS) return status;
    scalay_summa_panel *last = &panels->panel[panels->panels - 1];
    panels->slice[panels->slices++] =
        (scalay_summa_slice){{class_a, class_b}, last->width, 0, panels->runs, panels->runs};
    last->end = panels->slices;
    return SCALAY_SUCCESS;
}

/* Appends a run to the last slice. */
static scalay_status add_run(scalay_summa_inner_run run, scalay_summa_panels *panels)
{
    const scalay_status status = SCALAY_GROW(panels->inner, panels->run_capacity, panels->runs + 1);
    if (status != SCALAY_SUCCESS) return status;
    scalay_summa_panel *panel = &panels->panel[panels->panels - 1];
    scalay_summa_slice *slice = &panels->slice[panels->slices - 1];
    panels->inner[panels->runs++] = run;
    slice->end = panels->runs;
    slice->width += run.count;
    panel->width += run.count;
    panels->max_width = scalay_max_int64(panels->max_width, panel->width);
    return SCALAY_SUCCESS;
}

static scalay_status add_intersection(int64_t class_a, const scalay_axis_intersection *common,
                                      scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < common->classes; k++) {
        SCALAY_TRY(add_slice(class_a, common->class_b[k], classes));
        for (int64_t r = common->start[k]; r < common->start[k + 1]; r++) {
            const scalay_common_run *run = &common->runs[r];
            SCALAY_TRY(add_run((scalay_summa_inner_run){{run->local_a, run->local_b}, run->count}, classes));
        }
    }
cleanup:
    return status;
}

scalay_status scalay_summa_classes_create(const scalay_axis *a, const scalay_axis *b, scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_intersection common = {0};
    *classes = (scalay_summa_panels){.extent = a->extent};
    SCALAY_TRY(add_panel(classes));
    for (int64_t class = 0; class < a->classes && a->extent > 0; class ++) {
        SCALAY_TRY(scalay_axis_intersection_create(a, class, b, 0, &common));
        SCALAY_TRY(add_intersection(class, &common, classes));
        scalay_axis_intersection_free(&common);
    }
cleanup:
    scalay_axis_intersection_free(&common);
    return status;
}

/* ---------------------------------------------------------------------------------------------- cutting */

/* Position in a class whose indices are distributed over panels. */
typedef struct {
    int64_t run;  /* the next run */
    int64_t done; /* of it */
    int64_t left; /* of the class */
} class_progress;

/* Appends a slice with the next `width` indices of a class to the last panel. */
static scalay_status append_from_class(const scalay_summa_panels *classes, int64_t class, int64_t width,
                                       class_progress *at, scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_slice *from = &classes->slice[class];
    SCALAY_TRY(add_slice(from->class[0], from -> class[1], panels));
    at->left -= width;
    while (width > 0) {
        const scalay_summa_inner_run *run = &classes->inner[at->run];
        const int64_t count = scalay_min_int64(width, run->count - at->done);
        SCALAY_TRY(
            add_run((scalay_summa_inner_run){{run->local[0] + at->done, run->local[1] + at->done}, count}, panels));
        width -= count;
        at->done += count;
        if (at->done < run->count) continue;
        at->run++;
        at->done = 0;
    }
cleanup:
    return status;
}

/* Cuts classes of at least max_width indices into panels of nearly equal width. The classes take turns. */
static scalay_status append_full_panels(const scalay_summa_panels *classes, int64_t max_width, class_progress *at,
                                        scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t dealt = 1; dealt > 0;) {
        dealt = 0;
        for (int64_t k = 0; k < classes->slices; k++) {
            if (classes->slice[k].width < max_width || at[k].left == 0) continue;
            const int64_t panels_left = scalay_ceil_div(at[k].left, max_width);
            SCALAY_TRY(add_panel(panels));
            SCALAY_TRY(append_from_class(classes, k, scalay_ceil_div(at[k].left, panels_left), &at[k], panels));
            dealt++;
        }
    }
cleanup:
    return status;
}

static scalay_status append_shared_panels(const scalay_summa_panels *classes, int64_t max_width, class_progress *at,
                                          scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    int is_open = 0;
    for (int64_t k = 0; k < classes->slices; k++) {
        if (at[k].left == 0) continue;
        if (!is_open || panels->panel[panels->panels - 1].width + at[k].left > max_width) SCALAY_TRY(add_panel(panels));
        is_open = 1;
        SCALAY_TRY(append_from_class(classes, k, at[k].left, &at[k], panels));
    }
cleanup:
    return status;
}

/* Deals parts of panels from each quarter of the classes in turn. */
static scalay_status append_alternately(const scalay_summa_panels *classes, int64_t max_width, class_progress *at,
                                        scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t quarters = scalay_min_int64(4, scalay_max_int64(1, classes->slices));
    const int64_t quarter = scalay_ceil_div(classes->slices, quarters);
    const int64_t part = scalay_ceil_div(max_width, quarters);
    int is_open = 0;
    for (int64_t dealt = 1; dealt > 0;) {
        dealt = 0;
        for (int64_t turn = 0; turn < quarter * quarters; turn++) {
            const int64_t k = turn / quarters + turn % quarters * quarter;
            const int64_t width = k < classes->slices ? scalay_min_int64(at[k].left, part) : 0;
            if (width == 0) continue;
            if (!is_open || panels->panel[panels->panels - 1].width + width > max_width) SCALAY_TRY(add_panel(panels));
            is_open = 1;
            SCALAY_TRY(append_from_class(classes, k, width, &at[k], panels));
            dealt++;
        }
    }
cleanup:
    return status;
}

scalay_status scalay_summa_panels_create(const scalay_summa_panels *classes, int64_t max_width, int alternates,
                                         scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    class_progress *at = NULL;
    *panels = (scalay_summa_panels){.extent = classes->extent};
    SCALAY_TRY(SCALAY_NEW(at, classes->slices));
    for (int64_t k = 0; k < classes->slices; k++)
        at[k] = (class_progress){classes->slice[k].first, 0, classes->slice[k].width};
    if (alternates) SCALAY_TRY(append_alternately(classes, max_width, at, panels));
    SCALAY_TRY(append_full_panels(classes, max_width, at, panels));
    SCALAY_TRY(append_shared_panels(classes, max_width, at, panels));
cleanup:
    scalay_release(at);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- sides */

static const scalay_axis *line_axis(const scalay_summa_side *side)
{
    return side->lines_are_rows ? &side->layout->row : &side->layout->col;
}

const scalay_axis *scalay_summa_inner_axis(const scalay_summa_side *side)
{
    return side->lines_are_rows ? &side->layout->col : &side->layout->row;
}

/* Returns the axis of C that has the lines of this side. */
static const scalay_axis *target_axis(const scalay_summa_side *side, const scalay_layout *c)
{
    return side->which == SCALAY_SUMMA_A ? &c->row : &c->col;
}

static void free_overlaps(scalay_summa_overlaps *overlaps)
{
    scalay_release(overlaps->overlap);
    scalay_release(overlaps->lines);
}

void scalay_summa_side_free(scalay_summa_side *side)
{
    scalay_layout_destroy(&side->layout);
    scalay_release(side->class);
    scalay_release(side->position);
    free_overlaps(&side->needed);
    free_overlaps(&side->held);
    scalay_release(side->receivers);
    scalay_release(side->receiver_overlap);
    scalay_release(side->receiver_rank);
    *side = (scalay_summa_side){0};
}

/* ------------------------------------------------------------------------------------------------ overlaps */

static scalay_status add_overlap(const scalay_summa_overlap *overlap, scalay_summa_overlaps *overlaps)
{
    const scalay_status status = SCALAY_GROW(overlaps->overlap, overlaps->overlap_capacity, overlaps->overlaps + 1);
    if (status != SCALAY_SUCCESS) return status;
    overlaps->overlap[overlaps->overlaps] = *overlap;
    overlaps->overlap[overlaps->overlaps].first = overlaps->overlap[overlaps->overlaps].end = overlaps->runs;
    overlaps->overlaps++;
    return SCALAY_SUCCESS;
}

/* Appends a run to the last overlap. */
static scalay_status add_lines(scalay_summa_line_run lines, scalay_summa_overlaps *overlaps)
{
    const scalay_status status = SCALAY_GROW(overlaps->lines, overlaps->run_capacity, overlaps->runs + 1);
    if (status != SCALAY_SUCCESS) return status;
    overlaps->lines[overlaps->runs++] = lines;
    overlaps->overlap[overlaps->overlaps - 1].end = overlaps->runs;
    overlaps->overlap[overlaps->overlaps - 1].count += lines.count;
    return SCALAY_SUCCESS;
}

static int compare_overlaps(const void *a, const void *b)
{
    const scalay_summa_overlap *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->c_class > y->c_class) - (x->c_class < y->c_class);
}

/* Adds the needed overlaps of the k-th class of C. */
static scalay_status add_needed(scalay_summa_side *side, const scalay_axis *target, int64_t k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_intersection common = {0};
    const int64_t class = side->class[k];
    const int64_t first_local = scalay_axis_get_run(target, class, 0).local;
    SCALAY_TRY(scalay_axis_intersection_create(target, class, line_axis(side), 0, &common));
    for (int64_t s = 0; s < common.classes; s++) {
        SCALAY_TRY(add_overlap(&(scalay_summa_overlap){.class = common.class_b[s], .c_class = class}, &side->needed));
        for (int64_t r = common.start[s]; r < common.start[s + 1]; r++) {
            const scalay_common_run *run = &common.runs[r];
            const int64_t position = side->position[k] + run->local_a - first_local;
            SCALAY_TRY(add_lines((scalay_summa_line_run){run->local_b, position, run->count}, &side->needed));
        }
    }
cleanup:
    scalay_axis_intersection_free(&common);
    return status;
}

static scalay_status find_needed(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < side->classes; k++) SCALAY_TRY(add_needed(side, target_axis(side, c), k));
    if (side->needed.overlaps > 0)
        qsort(side->needed.overlap, (size_t)side->needed.overlaps, sizeof *side->needed.overlap, compare_overlaps);
cleanup:
    return status;
}

static scalay_status add_held(scalay_summa_side *side, const scalay_axis *target, int64_t class)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_intersection common = {0};
    SCALAY_TRY(scalay_axis_intersection_create(line_axis(side), class, target, 0, &common));
    for (int64_t s = 0; s < common.classes; s++) {
        SCALAY_TRY(add_overlap(&(scalay_summa_overlap){.class = class, .c_class = common.class_b[s]}, &side->held));
        for (int64_t r = common.start[s]; r < common.start[s + 1]; r++)
            SCALAY_TRY(add_lines(
                (scalay_summa_line_run){.local = common.runs[r].local_a, .count = common.runs[r].count}, &side->held));
    }
cleanup:
    scalay_axis_intersection_free(&common);
    return status;
}

static int64_t cell_class(const scalay_summa_side *side, const scalay_cell *cell)
{
    return side->lines_are_rows ? cell->row_class : cell->col_class;
}

/* Finds the overlaps of every line class in which this rank holds elements, classes ascending. */
static scalay_status find_held(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    const int part = scalay_layout_part_of_process(side->layout, side->rank);
    char *holds = NULL;
    const scalay_axis *axis = line_axis(side);
    if (part < 0 || axis->extent == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(holds, axis->classes));
    for (int64_t k = 0; k < scalay_layout_cells(side->layout, part); k++) {
        const scalay_cell cell = scalay_layout_cell(side->layout, part, k);
        holds[cell_class(side, &cell)] = 1;
    }
    for (int64_t class = 0; class < axis->classes; class ++)
        if (holds[class]) SCALAY_TRY(add_held(side, target_axis(side, c), class));
cleanup:
    scalay_release(holds);
    return status;
}

/* ------------------------------------------------------------------------------------------------- receiver groups */

/* A rank that needs an overlap. */
typedef struct {
    int rank;
    int64_t overlap;
} need;

/* A rank with all overlaps that it needs. */
typedef struct {
    int rank;
    int64_t count;
    const need *need;
} receiver;

typedef struct {
    need *need;
    int64_t needs;
    int64_t capacity;
    char *visited; /* shape [processes of C] */
    scalay_summa_ranks owners;
} need_list;

scalay_status scalay_summa_add_owners(int which, const scalay_layout *c, int64_t c_class, char *visited,
                                      scalay_summa_ranks *ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    const int is_row = which == SCALAY_SUMMA_A;
    const int64_t first = ranks->count;
    const scalay_axis *across = is_row ? &c->col : &c->row;
    for (int64_t other = 0; other < across->classes; other++) {
        if (scalay_axis_count(across, other) == 0) continue;
        const int part =
            is_row ? scalay_layout_cell_part(c, c_class, other) : scalay_layout_cell_part(c, other, c_class);
        const int rank = scalay_layout_process_of_part(c, part);
        if (visited[rank]) continue;
        SCALAY_TRY(SCALAY_GROW(ranks->rank, ranks->capacity, ranks->count + 1));
        visited[rank] = 1;
        ranks->rank[ranks->count++] = rank;
    }
cleanup:
    for (int64_t k = first; k < ranks->count; k++) visited[ranks->rank[k]] = 0;
    return status;
}

/* Lists the other ranks that need an overlap. */
static scalay_status add_needs(const scalay_summa_side *side, const scalay_layout *c, int64_t overlap, need_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    list->owners.count = 0;
    SCALAY_TRY(
        scalay_summa_add_owners(side->which, c, side->held.overlap[overlap].c_class, list->visited, &list->owners));
    SCALAY_TRY(SCALAY_GROW(list->need, list->capacity, list->needs + list->owners.count));
    for (int64_t k = 0; k < list->owners.count; k++)
        if (list->owners.rank[k] != side->rank) list->need[list->needs++] = (need){list->owners.rank[k], overlap};
cleanup:
    return status;
}

static int compare_needs(const void *a, const void *b)
{
    const need *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->overlap > y->overlap) - (x->overlap < y->overlap);
}

static int compare_receiver_overlaps(const receiver *x, const receiver *y)
{
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    for (int64_t k = 0; k < x->count; k++)
        if (x->need[k].overlap != y->need[k].overlap) return x->need[k].overlap < y->need[k].overlap ? -1 : 1;
    return 0;
}

static int compare_receivers(const void *a, const void *b)
{
    const receiver *x = a, *y = b;
    const int order = compare_receiver_overlaps(x, y);
    return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Lists one receiver per rank. Receivers with the same overlaps are adjacent. */
static scalay_status list_receivers(need_list *list, receiver **receivers, int64_t *count)
{
    if (list->needs > 0) qsort(list->need, (size_t)list->needs, sizeof *list->need, compare_needs);
    for (int64_t k = 0; k < list->needs; k++) *count += k == 0 || list->need[k].rank != list->need[k - 1].rank;
    const scalay_status status = SCALAY_NEW(*receivers, *count);
    if (status != SCALAY_SUCCESS) return status;
    receiver *last = *receivers - 1;
    for (int64_t k = 0; k < list->needs; k++) {
        if (k == 0 || list->need[k].rank != list->need[k - 1].rank)
            *++last = (receiver){list->need[k].rank, 0, list->need + k};
        last->count++;
    }
    qsort(*receivers, (size_t)*count, sizeof **receivers, compare_receivers);
    return SCALAY_SUCCESS;
}

static scalay_status make_receiver_groups(const receiver *receivers, int64_t count, scalay_summa_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t overlaps = 0;
    for (int64_t k = 0; k < count; k++) {
        const int is_new = k == 0 || compare_receiver_overlaps(&receivers[k - 1], &receivers[k]) != 0;
        side->receiver_groups += is_new;
        overlaps += is_new ? receivers[k].count : 0;
    }
    SCALAY_TRY(SCALAY_NEW(side->receivers, side->receiver_groups));
    SCALAY_TRY(SCALAY_NEW(side->receiver_overlap, overlaps));
    SCALAY_TRY(SCALAY_NEW(side->receiver_rank, count));
    scalay_summa_receivers *last = side->receivers - 1;
    overlaps = 0;
    for (int64_t k = 0; k < count; k++) {
        if (k == 0 || compare_receiver_overlaps(&receivers[k - 1], &receivers[k]) != 0) {
            *++last = (scalay_summa_receivers){k, k, overlaps, overlaps + receivers[k].count};
            for (int64_t j = 0; j < receivers[k].count; j++)
                side->receiver_overlap[overlaps++] = receivers[k].need[j].overlap;
        }
        side->receiver_rank[last->end_rank++] = receivers[k].rank;
    }
cleanup:
    return status;
}

static scalay_status find_receiver_groups(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    need_list list = {0};
    receiver *receivers = NULL;
    int64_t count = 0;
    SCALAY_TRY(SCALAY_NEW(list.visited, c->processes));
    for (int64_t j = 0; j < side->held.overlaps; j++) SCALAY_TRY(add_needs(side, c, j, &list));
    SCALAY_TRY(list_receivers(&list, &receivers, &count));
    SCALAY_TRY(make_receiver_groups(receivers, count, side));
cleanup:
    scalay_release(receivers);
    scalay_release(list.owners.rank);
    scalay_release(list.visited);
    scalay_release(list.need);
    return status;
}
scalay_status scalay_summa_side_plan(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(find_needed(side, c));
    SCALAY_TRY(find_held(side, c));
    SCALAY_TRY(find_receiver_groups(side, c));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- walking */

scalay_summa_walk scalay_summa_walk_needed(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                           int64_t panel)
{
    return (scalay_summa_walk){.side = side,
                               .overlaps = &side->needed,
                               .count = side->needed.overlaps,
                               .slice = panels->panel[panel].first,
                               .end_slice = panels->panel[panel].end,
                               .panels = panels};
}

scalay_summa_walk scalay_summa_walk_held(const scalay_summa_side *side, const scalay_summa_receivers *receivers,
                                         const scalay_summa_panels *panels, int64_t panel)
{
    return (scalay_summa_walk){.side = side,
                               .overlaps = &side->held,
                               .chosen = side->receiver_overlap + receivers->first_overlap,
                               .count = receivers->end_overlap - receivers->first_overlap,
                               .slice = panels->panel[panel].first,
                               .end_slice = panels->panel[panel].end,
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
        walk->slice++;
    }
    if (walk->slice >= walk->end_slice || walk->count == 0) return 0;
    const scalay_summa_side *side = walk->side;
    const int64_t overlap = walk->chosen != NULL ? walk->chosen[walk->next] : walk->next;
    walk->next++;
    block->overlap = &walk->overlaps->overlap[overlap];
    block->lines = walk->overlaps->lines;
    block->slice = &walk->panels->slice[walk->slice];
    block->owner = scalay_layout_process_of_part(
        side->layout, cell_part(side, block->overlap->class, block->slice->class[side->which]));
    return 1;
}

int64_t scalay_summa_block_elements(const scalay_summa_block *block)
{
    return block->overlap->count * block->slice->width;
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

int64_t scalay_summa_join_inner(const scalay_summa_side *side, const scalay_summa_panels *panels, int64_t first,
                                int64_t end, scalay_summa_inner_run *joined)
{
    const int which = side->which;
    *joined = panels->inner[first];
    while (++first < end && panels->inner[first].local[which] == joined->local[which] + joined->count)
        joined->count += panels->inner[first].count;
    return first;
}

/* Source or destination of a block copy. `by` says how positions in it are counted. */
typedef struct {
    char *start;
    int64_t ld;
    enum { LOCAL_INDICES, POSITIONS, DENSE } by;
} endpoint;

/* A run of lines and a run of inner indices of a block. */
typedef struct {
    const scalay_summa_line_run *lines;
    const scalay_summa_inner_run *inner;
    int64_t line_count; /* lines of the block in earlier runs */
    int64_t inner_count;
} run_pair;

static int64_t locate(const scalay_summa_side *side, const scalay_summa_block *block, const run_pair *at,
                      const endpoint *where)
{
    int64_t line = at->line_count, inner = at->inner_count;
    if (where->by == LOCAL_INDICES) {
        line = at->lines->local;
        inner = at->inner->local[side->which];
    } else if (where->by == POSITIONS) {
        line = at->lines->position;
        inner += block->slice->position;
    }
    return side->lines_are_rows ? line + inner * where->ld : inner + line * where->ld;
}

/* Copies elements with a stride. A constant size makes each memcpy one load and one store. */
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

static void copy_run_pair(const scalay_summa_side *side, const scalay_summa_block *block, const run_pair *at,
                          const endpoint *from, const endpoint *to)
{
    const int64_t lines = at->lines->count, inner = at->inner->count;
    copy_columns(side->size, side->lines_are_rows ? lines : inner, side->lines_are_rows ? inner : lines,
                 from->start + (size_t)locate(side, block, at, from) * side->size, from->ld,
                 to->start + (size_t)locate(side, block, at, to) * side->size, to->ld);
}

/* Columns that are copied before the next runs of rows: short runs of rows would touch each line of the cache anew for
 * every run otherwise. */
enum { COLUMNS_AT_ONCE = 16 };

/* Rows are lines, columns are inner indices. */
static void copy_block_by_inner(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                const scalay_summa_block *block, const endpoint *from, const endpoint *to)
{
    const scalay_summa_overlap *overlap = block->overlap;
    const int64_t at_once = overlap->end - overlap->first > 1 ? COLUMNS_AT_ONCE : INT64_MAX;
    scalay_summa_inner_run run, some;
    run_pair at = {.inner = &some};
    for (int64_t i = block->slice->first; i < block->slice->end;) {
        i = scalay_summa_join_inner(side, panels, i, block->slice->end, &run);
        for (some = run; run.count > 0; run.count -= some.count, some.local[side->which] += some.count) {
            some.count = scalay_min_int64(run.count, at_once);
            at.line_count = 0;
            for (int64_t l = overlap->first; l < overlap->end; l++) {
                at.lines = &block->lines[l];
                copy_run_pair(side, block, &at, from, to);
                at.line_count += at.lines->count;
            }
            at.inner_count += some.count;
        }
    }
}

/* Rows are inner indices, columns are lines. */
static void copy_block_by_lines(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                const scalay_summa_block *block, const endpoint *from, const endpoint *to)
{
    const scalay_summa_slice *slice = block->slice;
    const int64_t at_once = slice->end - slice->first > 1 ? COLUMNS_AT_ONCE : INT64_MAX;
    scalay_summa_inner_run run;
    scalay_summa_line_run some;
    run_pair at = {.lines = &some, .inner = &run};
    for (int64_t l = block->overlap->first; l < block->overlap->end; l++) {
        int64_t left = block->lines[l].count;
        for (some = block->lines[l]; left > 0;
             left -= some.count, some.local += some.count, some.position += some.count) {
            some.count = scalay_min_int64(left, at_once);
            at.inner_count = 0;
            for (int64_t i = slice->first; i < slice->end; at.inner_count += run.count) {
                i = scalay_summa_join_inner(side, panels, i, slice->end, &run);
                copy_run_pair(side, block, &at, from, to);
            }
            at.line_count += some.count;
        }
    }
}

static void copy_block(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const endpoint *from, const endpoint *to)
{
    (side->lines_are_rows ? copy_block_by_inner : copy_block_by_lines)(side, panels, block, from, to);
}

scalay_cell scalay_summa_block_cell(const scalay_summa_side *side, const scalay_summa_block *block)
{
    const int64_t line = block->overlap->class, inner = block->slice->class[side->which];
    scalay_cell cell = side->lines_are_rows ? scalay_layout_cell_at(side->layout, line, inner)
                                            : scalay_layout_cell_at(side->layout, inner, line);
    if (side->remote_ld != NULL && side->remote_ld[block->owner] > 0) cell.ld = side->remote_ld[block->owner];
    return cell;
}

/* The array is only read, although endpoints are not const. */
static endpoint in_array(const scalay_summa_side *side, const scalay_summa_block *block, const char *array)
{
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    return (endpoint){(char *)array + (size_t)cell.offset * side->size, cell.ld, LOCAL_INDICES};
}

static endpoint in_message(const scalay_summa_side *side, const scalay_summa_block *block, const char *message)
{
    return (endpoint){(char *)message, side->lines_are_rows ? block->overlap->count : block->slice->width, DENSE};
}

void scalay_summa_pack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, char *message)
{
    const endpoint from = in_array(side, block, array), to = in_message(side, block, message);
    copy_block(side, panels, block, &from, &to);
}

void scalay_summa_unpack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                         const scalay_summa_block *block, const char *message, scalay_summa_target panel)
{
    const endpoint from = in_message(side, block, message), to = {panel.start, panel.ld, POSITIONS};
    copy_block(side, panels, block, &from, &to);
}

void scalay_summa_copy(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, scalay_summa_target panel)
{
    const endpoint from = in_array(side, block, array), to = {panel.start, panel.ld, POSITIONS};
    copy_block(side, panels, block, &from, &to);
}

/* -------------------------------------------------------------------------------------- panels in place */

int64_t scalay_summa_panel_ld(const scalay_summa_side *side, int64_t width)
{
    return side->lines_are_rows ? side->lines : width;
}

/* Returns the distance of the first two inner indices of a block in the matrix. Columns at a distance are in place,
 * since gemm takes any leading dimension. */
static int64_t inner_step(const scalay_summa_side *side, const scalay_summa_panels *panels,
                          const scalay_summa_block *block)
{
    const scalay_summa_inner_run *run = &panels->inner[block->slice->first];
    if (!side->lines_are_rows || run->count > 1 || block->slice->end - block->slice->first == 1) return 1;
    return scalay_max_int64(1, run[1].local[side->which] - run->local[side->which]);
}

/* Returns 1 if the block and all blocks before it have one owner and one offset between array and panel. */
static int continues(const scalay_summa_side *side, const scalay_summa_panels *panels, const scalay_summa_block *block,
                     scalay_summa_origin *origin)
{
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const int64_t ld = origin->owner < 0 ? cell.ld * inner_step(side, panels, block) : origin->ld;
    const endpoint array = {.ld = cell.ld, .by = LOCAL_INDICES}, panel = {.ld = ld, .by = POSITIONS};
    run_pair at = {.line_count = 0};
    if (ld > INT_MAX || ld % cell.ld != 0 || (origin->owner >= 0 && origin->owner != block->owner)) return 0;
    for (int64_t l = block->overlap->first; l < block->overlap->end; l++) {
        at.lines = &block->lines[l];
        at.inner_count = 0;
        for (int64_t i = block->slice->first; i < block->slice->end; i++) {
            at.inner = &panels->inner[i];
            const int64_t offset = cell.offset + locate(side, block, &at, &array) - locate(side, block, &at, &panel);
            const int64_t cols = side->lines_are_rows ? at.inner->count : at.lines->count;
            if (origin->owner < 0) *origin = (scalay_summa_origin){block->owner, offset, ld};
            if (origin->offset != offset || (ld != cell.ld && cols > 1)) return 0;
            at.inner_count += at.inner->count;
        }
    }
    return 1;
}

int scalay_summa_panel_is_in_place(const scalay_summa_side *side, const scalay_summa_panels *panels, int64_t panel,
                                   scalay_summa_origin *origin)
{
    scalay_summa_walk walk = scalay_summa_walk_needed(side, panels, panel);
    scalay_summa_block block;
    *origin = (scalay_summa_origin){.owner = -1};
    while (scalay_summa_walk_next(&walk, &block))
        if (!continues(side, panels, &block, origin)) return 0;
    return origin->owner >= 0;
}

int64_t scalay_summa_max_buffered_width(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    int64_t max_width = 0;
    scalay_summa_origin origin;
    for (int64_t p = 0; p < panels->panels && side->lines > 0; p++)
        if (!scalay_summa_panel_is_in_place(side, panels, p, &origin) || origin.owner != side->rank)
            max_width = scalay_max_int64(max_width, panels->panel[p].width);
    return max_width;
}

int scalay_summa_block_is_contiguous(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                     const scalay_summa_block *block, int64_t *offset)
{
    const scalay_summa_overlap *overlap = block->overlap;
    const scalay_summa_slice *slice = block->slice;
    if (overlap->end - overlap->first != 1 || slice->end - slice->first != 1) return 0;
    const scalay_cell cell = scalay_summa_block_cell(side, block);
    const endpoint array = {.ld = cell.ld, .by = LOCAL_INDICES};
    const run_pair at = {.lines = &block->lines[overlap->first], .inner = &panels->inner[slice->first]};
    const int64_t rows = side->lines_are_rows ? overlap->count : slice->width;
    const int64_t cols = side->lines_are_rows ? slice->width : overlap->count;
    *offset = cell.offset + locate(side, block, &at, &array);
    return rows == cell.ld || cols == 1;
}
