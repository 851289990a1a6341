/* Drawings, and what they cost: a sweep over the strips between the edges, in each of which only the few rectangles
 * that reach into it are painted. */
#include "partition/drawing.h"

#include <math.h>

#include "base/memory.h"
#include "partition/links.h"
#include "partition/strips.h"

scalay_status scalay_drawing_add(scalay_drawing *drawing, scalay_paint paint)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(drawing->paint, drawing->room, drawing->count + 1));
    drawing->paint[drawing->count++] = paint;
cleanup:
    return status;
}

void scalay_drawing_free(scalay_drawing *drawing)
{
    scalay_release(drawing->paint);
    *drawing = (scalay_drawing){0};
}

void scalay_candidate_free(scalay_candidate *candidate)
{
    scalay_release(candidate->assignment);
    scalay_release(candidate->reason);
    scalay_drawing_free(&candidate->drawing);
    *candidate = (scalay_candidate){0};
}

/* Lines times those owners that are not the first. */
static scalay_status add_surplus(const scalay_band *strip, void *context)
{
    double *surplus = context;
    if (strip->owners > 1) *surplus += strip->thickness * (double)(strip->owners - 1);
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

/* ------------------------------------------------------------------------------------------- with links */

typedef struct {
    double inner; /* k */
    double *held; /* shape [parts] */
    scalay_link_load *load;
} loading;

/* A's rows and B's columns have k elements, cut in the proportions of C's. */
static scalay_status add_load(const scalay_band *strip, void *context)
{
    loading *adding = context;
    for (int k = 0; k < strip->owners; k++) adding->held[k] = strip->held[k] / strip->length * adding->inner;
    scalay_link_load_add(adding->load, &(scalay_link_lines){strip->thickness, strip->owners, strip->owner, adding->held,
                                                            strip->owners, strip->owner});
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
