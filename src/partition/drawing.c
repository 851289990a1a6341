/*
 * Drawings and their costs.
 *
 * Costs depend on the owners of each line. A plane sweep visits the bands between neighbouring edges; the rectangles
 * that intersect a band are painted on one line, layer by layer.
 */
#include "partition/drawing.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/memory.h"
#include "partition/links.h"

scalay_status scalay_drawing_add(scalay_drawing *drawing, scalay_paint paint)
{
    const scalay_status status = SCALAY_GROW(drawing->paint, drawing->capacity, drawing->count + 1);
    if (status == SCALAY_SUCCESS) drawing->paint[drawing->count++] = paint;
    return status;
}

void scalay_drawing_free(scalay_drawing *drawing)
{
    scalay_release(drawing->paint);
    *drawing = (scalay_drawing){0};
}

/* ------------------------------------------------------------------------------------------------------------ bands */

/* A rectangle in the sweep. The sweep moves across the bands; a band lies along its lines. */
typedef struct {
    int part;
    int64_t layer;                 /* later layers cover earlier ones */
    double begin, end;             /* extent across the bands */
    double along_begin, along_end; /* extent along the bands */
} swept_paint;

typedef struct {
    int64_t paints, edges;
    double *edge;          /* shape [edges], ascending */
    swept_paint *paint;    /* shape [paints], by begin */
    int64_t entered;       /* number of rectangles that the sweep has reached */
    int64_t active;        /* number of rectangles that intersect the current band */
    swept_paint *reaching; /* shape [active], by layer */
    double *end_along;     /* shape [2 active]: their ends along the band, ascending */
    int *visible;          /* shape [2 active]: part between two ends; -1: none */
    double *amount;        /* shape [parts]: length owned in the current band; zero between bands */
    int *owner;            /* shape [parts] */
    double *held;          /* shape [parts] */
} sweep;

static int compare_begins(const void *a, const void *b)
{
    const swept_paint *x = a;
    const swept_paint *y = b;
    if (x->begin != y->begin) return scalay_compare_double(x->begin, y->begin);
    return scalay_compare_int64(x->layer, y->layer);
}

static int compare_ints(const void *a, const void *b)
{
    return scalay_compare_int64(*(const int *)a, *(const int *)b);
}

/* Allocates three blocks of memory for all arrays, because small drawings are visited thousands of times. */
static scalay_status sweep_allocate(int64_t paints, int parts, sweep *swept)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(swept->edge, 4 * paints + 2 * (int64_t)parts));
    SCALAY_TRY(SCALAY_NEW(swept->paint, 2 * paints));
    SCALAY_TRY(SCALAY_NEW(swept->visible, 2 * paints + parts));
    swept->end_along = swept->edge + 2 * paints;
    swept->amount = swept->end_along + 2 * paints;
    swept->held = swept->amount + parts;
    swept->reaching = swept->paint + paints;
    swept->owner = swept->visible + 2 * paints;
cleanup:
    return status;
}

static void sweep_free(sweep *swept)
{
    scalay_release(swept->edge);
    scalay_release(swept->paint);
    scalay_release(swept->visible);
}

/* Collects the rectangles with a positive area, and the edges. */
static void take_paints(const scalay_drawing *drawing, scalay_bands_way way, sweep *swept)
{
    for (int64_t k = 0; k < drawing->count; k++) {
        const scalay_paint *paint = &drawing->paint[k];
        if (!(paint->rows > 0.0 && paint->cols > 0.0)) continue;
        swept_paint by_rows = {
            paint->part, k, paint->row, paint->row + paint->rows, paint->col, paint->col + paint->cols};
        swept_paint by_cols = {
            paint->part, k, paint->col, paint->col + paint->cols, paint->row, paint->row + paint->rows};
        const swept_paint taken = way == SCALAY_BANDS_OF_ROWS ? by_rows : by_cols;
        swept->edge[swept->edges++] = taken.begin;
        swept->edge[swept->edges++] = taken.end;
        swept->paint[swept->paints++] = taken;
    }
    qsort(swept->edge, (size_t)swept->edges, sizeof *swept->edge, scalay_compare_doubles);
    qsort(swept->paint, (size_t)swept->paints, sizeof *swept->paint, compare_begins);
}

/* Removes the rectangles that end at `begin` and inserts those that start there, by layer. */
static void enter_band(sweep *swept, double begin)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < swept->active; k++)
        if (swept->reaching[k].end > begin) swept->reaching[kept++] = swept->reaching[k];
    for (; swept->entered < swept->paints && swept->paint[swept->entered].begin <= begin; swept->entered++) {
        swept_paint entering = swept->paint[swept->entered];
        int64_t at = kept++;
        for (; at > 0 && swept->reaching[at - 1].layer > entering.layer; at--)
            swept->reaching[at] = swept->reaching[at - 1];
        swept->reaching[at] = entering;
    }
    swept->active = kept;
}

static int64_t find_end(const sweep *swept, int64_t ends, double value)
{
    int64_t low = 0;
    int64_t high = ends;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (swept->end_along[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds up the visible length of each part in a band. Returns the number of owners. */
static int paint_band(sweep *swept)
{
    int64_t ends = 2 * swept->active;
    int owners = 0;
    for (int64_t k = 0; k < swept->active; k++) {
        swept->end_along[2 * k] = swept->reaching[k].along_begin;
        swept->end_along[2 * k + 1] = swept->reaching[k].along_end;
    }
    qsort(swept->end_along, (size_t)ends, sizeof *swept->end_along, scalay_compare_doubles);
    for (int64_t c = 0; c < ends; c++) swept->visible[c] = -1;
    for (int64_t k = 0; k < swept->active; k++) {
        int64_t end = find_end(swept, ends, swept->reaching[k].along_end);
        for (int64_t c = find_end(swept, ends, swept->reaching[k].along_begin); c < end; c++)
            swept->visible[c] = swept->reaching[k].part;
    }
    for (int64_t c = 0; c + 1 < ends; c++) {
        int part = swept->visible[c];
        double length = swept->end_along[c + 1] - swept->end_along[c];
        if (part < 0 || !(length > 0.0)) continue;
        if (swept->amount[part] == 0.0) swept->owner[owners++] = part;
        swept->amount[part] += length;
    }
    qsort(swept->owner, (size_t)owners, sizeof *swept->owner, compare_ints);
    for (int k = 0; k < owners; k++) {
        swept->held[k] = swept->amount[swept->owner[k]];
        swept->amount[swept->owner[k]] = 0.0;
    }
    return owners;
}

scalay_status scalay_bands_visit(const scalay_drawing *drawing, int parts, scalay_bands_way way,
                                 scalay_status (*visit)(const scalay_band *band, void *context), void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = way == SCALAY_BANDS_OF_ROWS ? drawing->n : drawing->m;
    sweep swept = {0};
    SCALAY_TRY(sweep_allocate(drawing->count, parts, &swept));
    take_paints(drawing, way, &swept);
    for (int64_t k = 0; k + 1 < swept.edges; k++) {
        double thickness = swept.edge[k + 1] - swept.edge[k];
        if (!(thickness > 0.0)) continue;
        enter_band(&swept, swept.edge[k]);
        int owners = paint_band(&swept);
        scalay_band band = {thickness, length, owners, swept.owner, swept.held};
        SCALAY_TRY(visit(&band, context));
    }
cleanup:
    sweep_free(&swept);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ costs */

/* Adds the lines of a band times (owners - 1). */
static scalay_status add_surplus(const scalay_band *band, void *context)
{
    double *surplus = context;
    if (band->owners > 1) *surplus += band->thickness * (double)(band->owners - 1);
    return SCALAY_SUCCESS;
}

scalay_status scalay_drawing_cost(const scalay_drawing *drawing, int parts, double *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    double surplus = 0.0;
    *cost = 0.0;
    SCALAY_TRY(scalay_bands_visit(drawing, parts, SCALAY_BANDS_OF_ROWS, add_surplus, &surplus));
    SCALAY_TRY(scalay_bands_visit(drawing, parts, SCALAY_BANDS_OF_COLUMNS, add_surplus, &surplus));
    *cost = drawing->n * surplus;
cleanup:
    return status;
}

typedef struct {
    double inner; /* k */
    double *held; /* shape [parts] */
    scalay_link_load *load;
} loading;

/* Adds the lines of a band. Lines of A and B have k elements, in the proportions of the lines of C. */
static scalay_status add_load(const scalay_band *band, void *context)
{
    loading *adding = context;
    for (int k = 0; k < band->owners; k++) adding->held[k] = band->held[k] / band->length * adding->inner;
    scalay_link_load_add(adding->load, &(scalay_link_lines){band->thickness, band->owners, band->owner, adding->held,
                                                            band->owners, band->owner});
    return SCALAY_SUCCESS;
}

scalay_status scalay_drawing_meter_create(int parts, const scalay_links *links, scalay_drawing_meter *meter)
{
    scalay_status status = SCALAY_SUCCESS;
    *meter = (scalay_drawing_meter){.parts = parts};
    if (links == NULL || links->processors == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(meter->held, parts));
    SCALAY_TRY(scalay_link_load_create(links, &meter->load));
cleanup:
    return status;
}

void scalay_drawing_meter_free(scalay_drawing_meter *meter)
{
    scalay_release(meter->held);
    scalay_link_load_destroy(&meter->load);
    *meter = (scalay_drawing_meter){0};
}

scalay_status scalay_drawing_measure(const scalay_drawing *drawing, scalay_drawing_meter *meter, double *time,
                                     double *energy)
{
    scalay_status status = SCALAY_SUCCESS;
    loading adding = {drawing->n, meter->held, meter->load};
    *time = NAN;
    *energy = NAN;
    if (meter->load == NULL) return SCALAY_SUCCESS;
    scalay_link_load_clear(meter->load);
    SCALAY_TRY(scalay_bands_visit(drawing, meter->parts, SCALAY_BANDS_OF_ROWS, add_load, &adding));
    SCALAY_TRY(scalay_bands_visit(drawing, meter->parts, SCALAY_BANDS_OF_COLUMNS, add_load, &adding));
    *time = scalay_link_load_time(meter->load);
    *energy = scalay_link_load_energy(meter->load);
cleanup:
    return status;
}

scalay_status scalay_drawing_link_cost(const scalay_drawing *drawing, int parts, const scalay_links *links,
                                       double *time, double *energy)
{
    scalay_drawing_meter meter;
    *time = NAN;
    *energy = NAN;
    scalay_status status = scalay_drawing_meter_create(parts, links, &meter);
    if (status == SCALAY_SUCCESS) status = scalay_drawing_measure(drawing, &meter, time, energy);
    scalay_drawing_meter_free(&meter);
    return status;
}
