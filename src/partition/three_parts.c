/*
 * Shapes for two and three parts.
 *
 * Source: Malik, Lastovetsky (2021), and further shapes (docs/partition.md has the facts). A family has three regions:
 * region 0, the remainder, is the domain; regions 1 and 2, with areas y and z, are rectangles painted on top. Up to two
 * parameters determine them. Over equal links the best parameters are known, and region 0 is the largest part.
 * Otherwise all assignments of parts to regions are tried, and the parameters are searched: a grid, then golden
 * sections. Each shape is tried upright and, unless the domain is square, transposed.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "partition/methods.h"

/* Largest number of parameters of a family. */
enum { MAX_PARAMETERS = 2 };

/* A domain and the areas of its regions. */
typedef struct {
    double m, n;
    int parts; /* 2 or 3; with 2, region 2 is empty */
    double area[3];
} region_areas;

/* A family of shapes. */
typedef struct {
    int parameters; /* 0 to MAX_PARAMETERS */
    int symmetric;  /* 1: exchanging regions 1 and 2 gives a mirror image */
    /*
     * Paints regions 1 and 2.
     * @param[in]  regions  the domain
     * @param[in]  h        shape [parameters], each in [0, 1]
     * @param[out] paint    shape [2]; the part of a rectangle is its region
     * @return NULL; if the shape does not exist, the reason
     */
    const char *(*paint)(const region_areas *regions, const double *h, scalay_paint *paint);
    /* Computes the parameters that send the fewest elements over equal links. NULL: there are none. */
    void (*equal_links)(const region_areas *regions, double *h);
} shape_family;

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* Relative tolerance for rectangles that fit exactly. */
static const double SLACK = 1e-12;

static const char too_large[] = "a square does not fit into the matrix";

static int fits(double needed, double available)
{
    return needed <= available * (1.0 + SLACK);
}

static scalay_paint rectangle(int region, double row, double col, double rows, double cols)
{
    return (scalay_paint){.part = region, .row = row, .col = col, .rows = rows, .cols = cols};
}

/* Returns a rectangle with the area of a region and a given height, in the lower right corner. */
static scalay_paint lower_right(const region_areas *regions, int region, double rows)
{
    double cols = rows > 0.0 ? regions->area[region] / rows : 0.0;
    return rectangle(region, fmax(0.0, regions->m - rows), fmax(0.0, regions->n - cols), rows, cols);
}

/* Two squares in opposite corners. */
static const char *paint_square_corner(const region_areas *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double y = sqrt(regions->area[1]);
    double z = sqrt(regions->area[2]);
    if (!fits(fmax(y, z), fmin(regions->m, regions->n))) return too_large;
    if (!fits(y + z, fmax(regions->m, regions->n))) return "the two squares overlap";
    paint[0] = rectangle(1, 0.0, 0.0, y, y);
    paint[1] = lower_right(regions, 2, z);
    return NULL;
}

/*
 * A full column, and a rectangle in a corner away from it. The min height makes the rectangle as wide as the rest of
 * the domain; the greatest is the height of the domain.
 */
static void heights_beside_column(const region_areas *regions, double *min, double *max)
{
    double width = regions->n - regions->area[1] / regions->m;
    *min = width > 0.0 ? regions->area[2] / width : regions->m;
    *max = regions->m;
}

static const char *paint_square_rectangle(const region_areas *regions, const double *h, scalay_paint *paint)
{
    double min, max;
    heights_beside_column(regions, &min, &max);
    if (!fits(min, max)) return "the rectangle does not fit beside the full column";
    paint[0] = rectangle(1, 0.0, 0.0, regions->m, regions->area[1] / regions->m);
    paint[1] = lower_right(regions, 2, min + h[0] * (max - min));
    return NULL;
}

static void square_beside_column(const region_areas *regions, double *h)
{
    double min, max;
    heights_beside_column(regions, &min, &max);
    h[0] = max > min ? fmin(1.0, fmax(0.0, (sqrt(regions->area[2]) - min) / (max - min))) : 0.0;
}

/* The remainder on top; the others side by side below it. */
static const char *paint_block_rectangle(const region_areas *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double rows = (regions->area[1] + regions->area[2]) / regions->n;
    double cols = regions->area[1] / rows;
    paint[0] = rectangle(1, regions->m - rows, 0.0, rows, cols);
    paint[1] = rectangle(2, regions->m - rows, cols, rows, regions->n - cols);
    return NULL;
}

static const char *paint_straight_line(const region_areas *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double y = regions->area[1] / regions->m;
    double z = regions->area[2] / regions->m;
    paint[0] = rectangle(1, 0.0, 0.0, regions->m, y);
    paint[1] = rectangle(2, 0.0, y, regions->m, z);
    return NULL;
}

/* Splits the rows between regions 1 and 2, so that both are at max as wide as the domain. */
static const char *split_rows(const region_areas *regions, double h, double *y_rows, double *z_rows)
{
    double min = regions->area[1] / regions->n;
    double max = regions->m - regions->area[2] / regions->n;
    if (!(min > 0.0 && min <= max)) return "one of the rectangles would be wider than the matrix";
    *y_rows = min + h * (max - min);
    *z_rows = regions->m - *y_rows;
    return NULL;
}

/* Returns the parameter of split_rows() for which region 1 gets a fraction of the rows. */
static double fraction_of_rows(const region_areas *regions, double fraction)
{
    double min = regions->area[1] / regions->n;
    double max = regions->m - regions->area[2] / regions->n;
    return max > min ? fmin(1.0, fmax(0.0, (fraction * regions->m - min) / (max - min))) : 0.0;
}

/* One above the other, in opposite corners. */
static const char *paint_rectangle_corner(const region_areas *regions, const double *h, scalay_paint *paint)
{
    double y_rows, z_rows;
    const char *reason = split_rows(regions, h[0], &y_rows, &z_rows);
    if (reason != NULL) return reason;
    paint[0] = rectangle(1, 0.0, 0.0, y_rows, regions->area[1] / y_rows);
    paint[1] = lower_right(regions, 2, z_rows);
    return NULL;
}

static void min_widths(const region_areas *regions, double *h)
{
    double y = sqrt(regions->area[1]);
    h[0] = fraction_of_rows(regions, y / (y + sqrt(regions->area[2])));
}

/* One above the other, at the same side. */
static const char *paint_skewed_block(const region_areas *regions, const double *h, scalay_paint *paint)
{
    double y_rows, z_rows;
    const char *reason = split_rows(regions, h[0], &y_rows, &z_rows);
    if (reason != NULL) return reason;
    paint[0] = rectangle(1, 0.0, 0.0, y_rows, regions->area[1] / y_rows);
    paint[1] = rectangle(2, y_rows, 0.0, z_rows, regions->area[2] / z_rows);
    return NULL;
}

static void equal_widths(const region_areas *regions, double *h)
{
    h[0] = fraction_of_rows(regions, regions->area[1] / (regions->area[1] + regions->area[2]));
}

/* Side by side in a band, with any heights. */
static const char *paint_adjacent_corner(const region_areas *regions, const double *h, scalay_paint *paint)
{
    double rows[2], cols[2];
    for (int k = 0; k < 2; k++) {
        double min = regions->area[k + 1] / regions->n;
        rows[k] = min + h[k] * (regions->m - min);
        cols[k] = regions->area[k + 1] / rows[k];
    }
    if (!fits(cols[0] + cols[1], regions->n)) return "the rectangles are too wide to be side by side";
    paint[0] = rectangle(1, 0.0, 0.0, rows[0], cols[0]);
    paint[1] = rectangle(2, 0.0, cols[0], rows[1], cols[1]);
    return NULL;
}

/* Squares; if they are too wide, a band of full width. */
static void squares_in_band(const region_areas *regions, double *h)
{
    double band = (regions->area[1] + regions->area[2]) / regions->n;
    double y = sqrt(regions->area[1]);
    double z = sqrt(regions->area[2]);
    int squares = y + z <= regions->n && fmax(y, z) <= regions->m;
    for (int k = 0; k < 2; k++) {
        double min = regions->area[k + 1] / regions->n;
        double rows = squares ? sqrt(regions->area[k + 1]) : band;
        h[k] = regions->m > min ? fmin(1.0, fmax(0.0, (rows - min) / (regions->m - min))) : 0.0;
    }
}

/* A square in the corner of a square. */
static const char *paint_nested_corner(const region_areas *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double both = sqrt(regions->area[1] + regions->area[2]);
    double z = sqrt(regions->area[2]);
    if (!fits(both, fmin(regions->m, regions->n))) return too_large;
    paint[0] = rectangle(1, 0.0, 0.0, both, both);
    paint[1] = rectangle(2, 0.0, 0.0, z, z);
    return NULL;
}

static const shape_family families[SCALAY_FAMILIES] = {
    [SCALAY_FAMILY_SQUARE_CORNER] = {0, 1, paint_square_corner, NULL},
    [SCALAY_FAMILY_SQUARE_RECTANGLE] = {1, 0, paint_square_rectangle, square_beside_column},
    [SCALAY_FAMILY_BLOCK_RECTANGLE] = {0, 1, paint_block_rectangle, NULL},
    [SCALAY_FAMILY_STRAIGHT_LINE] = {0, 1, paint_straight_line, NULL},
    [SCALAY_FAMILY_RECTANGLE_CORNER] = {1, 1, paint_rectangle_corner, min_widths},
    [SCALAY_FAMILY_SKEWED_BLOCK] = {1, 1, paint_skewed_block, equal_widths},
    [SCALAY_FAMILY_ADJACENT_CORNER] = {2, 1, paint_adjacent_corner, squares_in_band},
    [SCALAY_FAMILY_NESTED_CORNER] = {0, 0, paint_nested_corner, NULL},
};

/* ----------------------------------------------------------------------------------------------------------- search */

enum { GRID = 12, GRID_OF_TWO = 6, SECTIONS = 16, ROUNDS = 3 };

/* Golden section. */
static const double GOLDEN = 0.61803398874989485;

/* A member of a family and its cost. */
typedef struct {
    int transposed;
    int part[3]; /* part of each region */
    double h[MAX_PARAMETERS];
    double value; /* value of the objective; infinity: the member does not exist */
} member;

typedef struct {
    const shape_family *family;
    const scalay_partition_problem *problem;
    scalay_drawing drawing; /* of the last member */
    scalay_drawing_meter meter;
    const char *reason; /* why a member does not exist; NULL: all exist so far */
} search;

static void transpose(scalay_paint *paint)
{
    scalay_paint given = *paint;
    *paint = (scalay_paint){given.part, given.col, given.row, given.cols, given.rows};
}

static region_areas regions_of(const scalay_partition_problem *problem, const member *shape)
{
    region_areas regions = {
        shape->transposed ? problem->n : problem->m, shape->transposed ? problem->m : problem->n, problem->parts, {0}};
    for (int k = 0; k < problem->parts; k++) regions.area[k] = problem->area[shape->part[k]];
    return regions;
}

/* Draws a member. The drawing is empty if it does not exist. */
static scalay_status draw(search *of, const member *shape)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_partition_problem *problem = of->problem;
    const region_areas regions = regions_of(problem, shape);
    scalay_paint paint[2];
    of->drawing.count = 0;
    const char *reason = of->family->paint(&regions, shape->h, paint);
    if (reason != NULL) {
        if (of->reason == NULL) of->reason = reason;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(scalay_drawing_add(&of->drawing, (scalay_paint){shape->part[0], 0.0, 0.0, problem->m, problem->n}));
    for (int k = 0; k < problem->parts - 1; k++) {
        if (shape->transposed) transpose(&paint[k]);
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

/* --------------------------------------------------------------------------------------------------- the parameters */

static scalay_status try_at(search *of, member *shape, int k, double h, member *best)
{
    shape->h[k] = fmin(1.0, fmax(0.0, h));
    scalay_status status = evaluate(of, shape);
    if (status == SCALAY_SUCCESS && shape->value < best->value) *best = *shape;
    return status;
}

/* Golden section search of one parameter around the best member, within a width to either side. */
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

/* Returns the number of intervals of the grid of parameters. */
static int points_of(const shape_family *family)
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

/* Finds the best parameters for an assignment. */
static scalay_status search_parameters(search *of, member *shape)
{
    scalay_status status = SCALAY_SUCCESS;
    const shape_family *family = of->family;
    const region_areas regions = regions_of(of->problem, shape);
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

/* ------------------------------------------------------------------------------------------------------ assignments */

/* Sorts the parts by descending area. */
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
    for (int transposed = 0; transposed < (square ? 1 : 2); transposed++) {
        member shape = {.transposed = transposed};
        for (int k = 0; k < of->problem->parts; k++) shape.part[k] = sorted[order[k]];
        SCALAY_TRY(search_parameters(of, &shape));
        if (shape.value < best->value) *best = shape;
    }
cleanup:
    return status;
}

static scalay_status try_assignments(search *of, member *best)
{
    /* In the first three orders, each part is the remainder once. */
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

/* nested-corner sends no fewer elements than the other shapes unless elements are passed on. */
static int is_for_trees_only(const scalay_partition_problem *problem, int variant)
{
    const scalay_partition_options *options = problem->options;
    return variant == SCALAY_FAMILY_NESTED_CORNER &&
           (options->objective == SCALAY_PARTITION_VOLUME || options->links == NULL ||
            options->links->broadcast == SCALAY_BROADCAST_DIRECT);
}

scalay_status scalay_draw_family(const scalay_partition_problem *problem, int variant, scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    search of = {.family = &families[variant], .problem = problem, .drawing = {.m = problem->m, .n = problem->n}};
    member best = {.value = INFINITY};
    if (is_for_trees_only(problem, variant))
        return scalay_candidate_refuse(candidate, "the shape is for links with tree broadcasts only");
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
