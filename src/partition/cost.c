/* The exact cost of a product. */
#include "partition/cost.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/links.h"

static const char create[] = "scalay_multiply_cost_create";

typedef struct {
    const scalay_owner_map *a, *b, *c;
    const scalay_links *links;
    scalay_owner_map *stretched_a, *stretched_b; /* made here; NULL: none */
} product;

static scalay_status mismatch(const char *what, int64_t x, int64_t y)
{
    return scalay_fail(SCALAY_ERROR_MISMATCH, create, "%s: %lld and %lld; they must be equal", what, (long long)x,
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
                       "links->broadcast = %d with a map of its own for a or b; trees are for matrices that are cut "
                       "alike: pass NULL for a and b, or send directly",
                       (int)links->broadcast);
}

/* What is not given is cut like c. */
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
        SCALAY_TRY(scalay_owner_map_resize(c, c->row.extent, inner, &given->stretched_a));
        given->a = given->stretched_a;
    }
    if (given->b == NULL) {
        SCALAY_TRY(scalay_owner_map_resize(c, inner, c->col.extent, &given->stretched_b));
        given->b = given->stretched_b;
    }
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- what is sent */

static scalay_status too_much(void)
{
    return scalay_fail(SCALAY_ERROR_RANGE, create, "more than 2^63 - 1 elements are sent; use smaller matrices");
}

/* Every target needs what it does not hold of a line of `length` elements. */
static scalay_status add_volume(const scalay_cost_side *side, int64_t length, int64_t *volume)
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
    if (links == NULL || links->processors == 0) return SCALAY_SUCCESS;
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
    SCALAY_TRY(add_volume(&cost->rows, given->a->col.extent, &cost->volume));
    SCALAY_TRY(add_volume(&cost->cols, given->b->row.extent, &cost->volume));
    SCALAY_TRY(add_links(given->links, cost));
cleanup:
    scalay_owner_map_destroy(&given->stretched_a);
    scalay_owner_map_destroy(&given->stretched_b);
    return status;
}

scalay_status scalay_multiply_cost_create(const scalay_owner_map *a, const scalay_owner_map *b,
                                          const scalay_owner_map *c, const scalay_links *links,
                                          scalay_multiply_cost **cost)
{
    scalay_status status = SCALAY_SUCCESS;
    product given = {.a = a, .b = b, .c = c, .links = links};
    scalay_multiply_cost *made = NULL;
    if (cost == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "cost is NULL; pass where to put it");
    *cost = NULL;
    if (c == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "c is NULL; pass an owner map");
    SCALAY_TRY(check_extents(&given));
    SCALAY_TRY(scalay_links_check(create, links, c->parts));
    SCALAY_TRY(check_trees(&given));
    SCALAY_TRY(SCALAY_NEW(made, 1));
    SCALAY_TRY(compute(&given, made));
    *cost = made;
    made = NULL;
cleanup:
    scalay_multiply_cost_destroy(&made);
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

int64_t scalay_multiply_cost_volume(const scalay_multiply_cost *cost)
{
    return cost != NULL ? cost->volume : 0;
}

int64_t scalay_multiply_cost_sent(const scalay_multiply_cost *cost, int from, int to)
{
    if (cost == NULL || from == to || from < 0 || to < 0 || from >= cost->parts || to >= cost->parts) return 0;
    return scalay_cost_side_sent(&cost->rows, from, to) + scalay_cost_side_sent(&cost->cols, from, to);
}

double scalay_multiply_cost_time(const scalay_multiply_cost *cost)
{
    return cost != NULL ? cost->time : NAN;
}

double scalay_multiply_cost_energy(const scalay_multiply_cost *cost)
{
    return cost != NULL ? cost->energy : NAN;
}
