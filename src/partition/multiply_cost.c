/*
 * The exact cost of a product C := A B with C stationary.
 *
 * Source: Malik, Lastovetsky (2021), generalised to any owner maps of A, B and C:
 *   V[x][y] = sum over rows i in which y owns elements of C of (elements of row i of A held by x) + likewise columns.
 * Time: O(cells + sum over the classes of lines of their owners). Lines of one class are counted together.
 */
#include "partition/multiply_cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "partition/links.h"

static const char create[] = "scalay_multiply_cost_create";

/* ------------------------------------------------------------------------------------------------------------ sides */

static int compare_overlaps(const void *a, const void *b)
{
    const scalay_overlap_lines *x = a;
    const scalay_overlap_lines *y = b;
    if (x->source_class != y->source_class) return scalay_compare_int64(x->source_class, y->source_class);
    return scalay_compare_int64(x->target_class, y->target_class);
}

/* Lists the common runs of two axes. Returns their number. */
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

/* Lists the entries of the source classes by part (counting sort). */
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

/* --------------------------------------------------------------------------------------------------------- operands */

typedef struct {
    const scalay_owner_map *a, *b, *c;
    const scalay_links *links;
    scalay_owner_map *resized_a, *resized_b; /* created by complete(); NULL: none */
} product;

static scalay_status mismatch(const char *extents, int64_t x, int64_t y)
{
    return scalay_fail(SCALAY_ERROR_MISMATCH, create, "%s are %lld and %lld; they must be equal", extents, (long long)x,
                       (long long)y);
}

static scalay_status check_extents(const product *given)
{
    const scalay_owner_map *a = given->a;
    const scalay_owner_map *b = given->b;
    const scalay_owner_map *c = given->c;
    if (a != NULL && a->row.extent != c->row.extent)
        return mismatch("the rows of a and c", a->row.extent, c->row.extent);
    if (b != NULL && b->col.extent != c->col.extent)
        return mismatch("the columns of b and c", b->col.extent, c->col.extent);
    if (a != NULL && b != NULL && a->col.extent != b->row.extent)
        return mismatch("the columns of a and the rows of b", a->col.extent, b->row.extent);
    if (a != NULL && a->parts != c->parts) return mismatch("the parts of a and c", a->parts, c->parts);
    if (b != NULL && b->parts != c->parts) return mismatch("the parts of b and c", b->parts, c->parts);
    return SCALAY_SUCCESS;
}

static scalay_status check_trees(const product *given)
{
    const scalay_links *links = given->links;
    if (links == NULL || links->processors == 0 || links->broadcast == SCALAY_BROADCAST_DIRECT) return SCALAY_SUCCESS;
    if ((given->a == NULL || given->a == given->c) && (given->b == NULL || given->b == given->c)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, create,
                       "links->broadcast is %d; it must be SCALAY_BROADCAST_DIRECT if a or b differs from c",
                       (int)links->broadcast);
}

/* Completes the operands: a map that is not given is the map of C, resized. */
static scalay_status complete(product *given)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_owner_map *c = given->c;
    const int64_t inner = given->a != NULL   ? given->a->col.extent
                          : given->b != NULL ? given->b->row.extent
                                             : c->col.extent;
    if (given->a == NULL && inner == c->col.extent) given->a = c;
    if (given->b == NULL && inner == c->row.extent) given->b = c;
    if (given->a == NULL) {
        SCALAY_TRY(scalay_owner_map_resize(c, c->row.extent, inner, &given->resized_a));
        given->a = given->resized_a;
    }
    if (given->b == NULL) {
        SCALAY_TRY(scalay_owner_map_resize(c, inner, c->col.extent, &given->resized_b));
        given->b = given->resized_b;
    }
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- totals */

static scalay_status too_much(void)
{
    return scalay_fail(SCALAY_ERROR_RANGE, create, "more than 2^63 - 1 elements are sent; use smaller matrices");
}

/* Each target needs the elements of a line that it does not hold. */
scalay_status scalay_cost_side_add_volume(const scalay_cost_side *side, int64_t length, int64_t *volume)
{
    const scalay_line_owners *source = &side->source;
    const scalay_line_owners *target = &side->target;
    for (int64_t j = 0; j < side->overlaps; j++) {
        const scalay_overlap_lines *overlap = &side->overlap[j];
        int64_t per_line = 0;
        int64_t sum = 0;
        int64_t targets = target->start[overlap->target_class + 1] - target->start[overlap->target_class];
        if (!scalay_multiply_int64(length, targets, &per_line)) return too_much();
        for (int64_t e = source->start[overlap->source_class]; e < source->start[overlap->source_class + 1]; e++)
            if (scalay_line_owners_has(target, overlap->target_class, source->owner[e])) per_line -= source->held[e];
        if (!scalay_multiply_int64(per_line, overlap->lines, &sum) || !scalay_add_int64(*volume, sum, volume))
            return too_much();
    }
    return SCALAY_SUCCESS;
}

static void add_load(const scalay_cost_side *side, double *held, scalay_link_load *load)
{
    const scalay_line_owners *source = &side->source;
    const scalay_line_owners *target = &side->target;
    for (int64_t j = 0; j < side->overlaps; j++) {
        const scalay_overlap_lines *overlap = &side->overlap[j];
        const int64_t from = source->start[overlap->source_class];
        const int64_t to = target->start[overlap->target_class];
        const int64_t sources = source->start[overlap->source_class + 1] - from;
        for (int64_t k = 0; k < sources; k++) held[k] = (double)source->held[from + k];
        scalay_link_load_add(load,
                             &(scalay_link_lines){(double)overlap->lines, sources, source->owner + from, held,
                                                  target->start[overlap->target_class + 1] - to, target->owner + to});
    }
}

static scalay_status add_links(const scalay_links *links, scalay_multiply_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_link_load *load = NULL;
    double *held = NULL;
    cost->time = NAN;
    cost->energy = NAN;
    if (links->processors == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_link_load_create(links, &load));
    SCALAY_TRY(SCALAY_NEW(held, cost->parts));
    add_load(&cost->rows, held, load);
    add_load(&cost->cols, held, load);
    cost->time = scalay_link_load_time(load);
    cost->energy = scalay_link_load_energy(load);
cleanup:
    scalay_link_load_destroy(&load);
    scalay_release(held);
    return status;
}

static scalay_status compute(product *given, scalay_multiply_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    cost->parts = given->c->parts;
    SCALAY_TRY(complete(given));
    SCALAY_TRY(scalay_cost_side_create(given->a, given->c, SCALAY_LINES_ROWS, &cost->rows));
    SCALAY_TRY(scalay_cost_side_create(given->b, given->c, SCALAY_LINES_COLUMNS, &cost->cols));
    SCALAY_TRY(scalay_cost_side_add_volume(&cost->rows, given->a->col.extent, &cost->volume));
    SCALAY_TRY(scalay_cost_side_add_volume(&cost->cols, given->b->row.extent, &cost->volume));
    SCALAY_TRY(add_links(given->links, cost));
cleanup:
    scalay_owner_map_destroy(&given->resized_a);
    scalay_owner_map_destroy(&given->resized_b);
    return status;
}

scalay_status scalay_multiply_cost_create(const scalay_owner_map *a, const scalay_owner_map *b,
                                          const scalay_owner_map *c, const scalay_links *links,
                                          scalay_multiply_cost **cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_links read;
    product given = {.a = a, .b = b, .c = c, .links = &read};
    scalay_multiply_cost *new_cost = NULL;
    SCALAY_TRY(scalay_check_not_null(cost, __func__, "cost"));
    *cost = NULL;
    SCALAY_TRY(scalay_check_not_null(c, __func__, "c"));
    SCALAY_TRY(check_extents(&given));
    SCALAY_TRY(scalay_links_read(create, links, c->parts, &read));
    SCALAY_TRY(check_trees(&given));
    SCALAY_TRY(SCALAY_NEW(new_cost, 1));
    SCALAY_TRY(compute(&given, new_cost));
    *cost = new_cost;
    new_cost = NULL;
cleanup:
    scalay_multiply_cost_destroy(&new_cost);
    return status;
}

void scalay_multiply_cost_destroy(scalay_multiply_cost **cost)
{
    if (cost == NULL || *cost == NULL) return;
    scalay_cost_side_free(&(*cost)->rows);
    scalay_cost_side_free(&(*cost)->cols);
    scalay_release(*cost);
    *cost = NULL;
}

int64_t scalay_multiply_cost_sent(const scalay_multiply_cost *cost, int from, int to)
{
    if (cost == NULL || from == to || from < 0 || to < 0 || from >= cost->parts || to >= cost->parts) return 0;
    return scalay_cost_side_sent(&cost->rows, from, to) + scalay_cost_side_sent(&cost->cols, from, to);
}

scalay_status scalay_multiply_cost_get_summary(const scalay_multiply_cost *cost, scalay_multiply_cost_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    *summary = (scalay_multiply_cost_summary){0, NAN, NAN};
    SCALAY_TRY(scalay_check_not_null(cost, __func__, "cost"));
    *summary = (scalay_multiply_cost_summary){cost->volume, cost->time, cost->energy};
cleanup:
    return status;
}
