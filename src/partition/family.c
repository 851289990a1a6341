#include "partition/family.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "partition/methods.h"

enum { GRID = 12, GRID_OF_TWO = 6, SECTIONS = 16, ROUNDS = 3 };

/* Of the golden section. */
static const double GOLDEN = 0.61803398874989485;

/* A member of a family and what it costs. */
typedef struct {
    int on_side;
    int part[3]; /* at each region */
    double h[SCALAY_FAMILY_PARAMETERS];
    double value; /* of the objective; infinity: there is none */
} member;

typedef struct {
    const scalay_family *family;
    const scalay_partition_problem *problem;
    scalay_drawing drawing; /* of the last member */
    scalay_drawing_meter meter;
    const char *reason; /* why a member does not exist; NULL: one did */
} search;

static void turn(scalay_paint *paint)
{
    scalay_paint given = *paint;
    *paint = (scalay_paint){given.part, given.col, given.row, given.cols, given.rows};
}

static scalay_regions regions_of(const scalay_partition_problem *problem, const member *shape)
{
    scalay_regions regions = {
        shape->on_side ? problem->n : problem->m, shape->on_side ? problem->m : problem->n, problem->parts, {0}};
    for (int k = 0; k < problem->parts; k++) regions.area[k] = problem->area[shape->part[k]];
    return regions;
}

/* Draws a member; the drawing is empty when there is none. */
static scalay_status draw(search *of, const member *shape)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_partition_problem *problem = of->problem;
    const scalay_regions regions = regions_of(problem, shape);
    scalay_paint paint[2];
    of->drawing.count = 0;
    const char *reason = of->family->paint(&regions, shape->h, paint);
    if (reason != NULL) {
        if (of->reason == NULL) of->reason = reason;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(scalay_drawing_add(&of->drawing, (scalay_paint){shape->part[0], 0.0, 0.0, problem->m, problem->n}));
    for (int k = 0; k < problem->parts - 1; k++) {
        if (shape->on_side) turn(&paint[k]);
        paint[k].part = shape->part[paint[k].part];
        SCALAY_TRY(scalay_drawing_add(&of->drawing, paint[k]));
    }
cleanup:
    return status;
}

/* Draws a member and evaluates the objective. */
static scalay_status evaluate(search *of, member *shape)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_partition_options *options = of->problem->options;
    double time = NAN;
    double energy = NAN;
    shape->value = INFINITY;
    SCALAY_TRY(draw(of, shape));
    if (of->drawing.count == 0) goto cleanup;
    if (options->objective == SCALAY_PARTITION_VOLUME) {
        SCALAY_TRY(scalay_drawing_cost(&of->drawing, of->problem->parts, &shape->value));
    } else {
        SCALAY_TRY(scalay_drawing_measure(&of->drawing, &of->meter, &time, &energy));
        shape->value = options->objective == SCALAY_PARTITION_TIME ? time : energy;
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- the parameters */

static scalay_status try_at(search *of, member *shape, int k, double h, member *best)
{
    shape->h[k] = fmin(1.0, fmax(0.0, h));
    scalay_status status = evaluate(of, shape);
    if (status == SCALAY_SUCCESS && shape->value < best->value) *best = *shape;
    return status;
}

/* Golden sections of one parameter around the best member, within a width to either side. */
static scalay_status refine(search *of, int k, double width, member *best)
{
    scalay_status status = SCALAY_SUCCESS;
    double low = fmax(0.0, best->h[k] - width);
    double high = fmin(1.0, best->h[k] + width);
    member left = *best;
    member right = *best;
    SCALAY_TRY(try_at(of, &left, k, high - GOLDEN * (high - low), best));
    SCALAY_TRY(try_at(of, &right, k, low + GOLDEN * (high - low), best));
    for (int section = 0; section < SECTIONS; section++) {
        if (left.value <= right.value) {
            high = right.h[k];
            right = left;
            SCALAY_TRY(try_at(of, &left, k, high - GOLDEN * (high - low), best));
        } else {
            low = left.h[k];
            left = right;
            SCALAY_TRY(try_at(of, &right, k, low + GOLDEN * (high - low), best));
        }
    }
cleanup:
    return status;
}

/* Of the grid, along each parameter. */
static int points_of(const scalay_family *family)
{
    return family->parameters > 1 ? GRID_OF_TWO : GRID;
}

static scalay_status try_grid(search *of, const member *start, member *best)
{
    scalay_status status = SCALAY_SUCCESS;
    const int lines = points_of(of->family);
    const int other_lines = of->family->parameters > 1 ? lines : 0;
    member shape = *start;
    for (int i = 0; i <= lines; i++)
        for (int j = 0; j <= other_lines; j++) {
            if (other_lines > 0) shape.h[1] = (double)j / lines;
            SCALAY_TRY(try_at(of, &shape, 0, (double)i / lines, best));
        }
cleanup:
    return status;
}

/* The best parameters for one assignment. */
static scalay_status search_parameters(search *of, member *shape)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_family *family = of->family;
    const scalay_regions regions = regions_of(of->problem, shape);
    if (family->equal_links != NULL) family->equal_links(&regions, shape->h);
    SCALAY_TRY(evaluate(of, shape));
    if (family->parameters == 0 || of->problem->options->objective == SCALAY_PARTITION_VOLUME) goto cleanup;
    member best = *shape;
    SCALAY_TRY(try_grid(of, shape, &best));
    for (int round = 0; round < (family->parameters > 1 ? ROUNDS : 1) && best.value < INFINITY; round++)
        for (int k = 0; k < family->parameters; k++) SCALAY_TRY(refine(of, k, 1.0 / points_of(family), &best));
    *shape = best;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- assignments */

/* The parts by descending area. */
static void sort_parts(const scalay_partition_problem *problem, int *part)
{
    for (int k = 0; k < problem->parts; k++) part[k] = k;
    for (int i = 1; i < problem->parts; i++)
        for (int k = i; k > 0 && problem->area[part[k]] > problem->area[part[k - 1]]; k--) {
            int swapped = part[k];
            part[k] = part[k - 1];
            part[k - 1] = swapped;
        }
}

static scalay_status try_assignment(search *of, const int *sorted, const int *order, member *best)
{
    scalay_status status = SCALAY_SUCCESS;
    const int square = !(of->problem->m < of->problem->n) && !(of->problem->n < of->problem->m);
    for (int on_side = 0; on_side < (square ? 1 : 2); on_side++) {
        member shape = {.on_side = on_side};
        for (int k = 0; k < of->problem->parts; k++) shape.part[k] = sorted[order[k]];
        SCALAY_TRY(search_parameters(of, &shape));
        if (shape.value < best->value) *best = shape;
    }
cleanup:
    return status;
}

static scalay_status try_assignments(search *of, member *best)
{
    /* The first three have every part as the remainder once. */
    static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {0, 2, 1}, {1, 2, 0}, {2, 1, 0}};
    scalay_status status = SCALAY_SUCCESS;
    int sorted[3] = {0};
    int tried = of->problem->parts == 2 ? 2 : of->family->symmetric ? 3 : 6;
    if (of->problem->options->objective == SCALAY_PARTITION_VOLUME) tried = 1;
    sort_parts(of->problem, sorted);
    for (int k = 0; k < tried; k++) SCALAY_TRY(try_assignment(of, sorted, orders[k], best));
cleanup:
    return status;
}

static scalay_status take(search *of, const member *best, scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = of->problem->parts;
    SCALAY_TRY(draw(of, best));
    SCALAY_TRY(scalay_drawing_cost(&of->drawing, parts, &candidate->continuous_cost));
    SCALAY_TRY(scalay_drawing_measure(&of->drawing, &of->meter, &candidate->time, &candidate->energy));
    SCALAY_TRY(SCALAY_NEW(candidate->assignment, parts));
    memcpy(candidate->assignment, best->part, (size_t)parts * sizeof *best->part);
    candidate->drawing = of->drawing;
    candidate->feasible = 1;
    of->drawing = (scalay_drawing){0};
cleanup:
    return status;
}

scalay_status scalay_family_draw(const scalay_family *family, const scalay_partition_problem *problem,
                                 scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    search of = {.family = family, .problem = problem, .drawing = {.m = problem->m, .n = problem->n}};
    member best = {.value = INFINITY};
    candidate->shape = family->name;
    SCALAY_TRY(scalay_drawing_meter_create(problem->parts, problem->options->links, &of.meter));
    SCALAY_TRY(try_assignments(&of, &best));
    if (best.value < INFINITY)
        SCALAY_TRY(take(&of, &best, candidate));
    else
        SCALAY_TRY(scalay_candidate_refuse(candidate, "%s", of.reason));
cleanup:
    scalay_drawing_meter_free(&of.meter);
    scalay_drawing_free(&of.drawing);
    return status;
}
