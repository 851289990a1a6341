/* The shapes for two and three parts. Regions 1 and 2 have areas y and z; the facts about them are in
 * docs/partition.md. */
#include <math.h>

#include "partition/family.h"
#include "partition/methods.h"

/* What rounding leaves of a fit that is exact. */
static const double SLACK = 1e-12;

static const char too_large[] = "a square does not fit into the matrix";

static int fits(double needed, double room)
{
    return needed <= room * (1.0 + SLACK);
}

static scalay_paint rectangle(int region, double row, double col, double rows, double cols)
{
    return (scalay_paint){.part = region, .row = row, .col = col, .rows = rows, .cols = cols};
}

/* A rectangle of a given area and height in the corner below and to the right. */
static scalay_paint lower_right(const scalay_regions *regions, int region, double rows)
{
    double cols = rows > 0.0 ? regions->area[region] / rows : 0.0;
    return rectangle(region, fmax(0.0, regions->m - rows), fmax(0.0, regions->n - cols), rows, cols);
}

/* Two squares in opposite corners. */
static const char *paint_square_corner(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double y = sqrt(regions->area[1]);
    double z = sqrt(regions->area[2]);
    if (!fits(fmax(y, z), fmin(regions->m, regions->n))) return too_large;
    if (!fits(y + z, fmax(regions->m, regions->n))) return "the two squares overlap: their sides are too long together";
    paint[0] = rectangle(1, 0.0, 0.0, y, y);
    paint[1] = lower_right(regions, 2, z);
    return NULL;
}

/* A full column and a rectangle in the corner away from it, of a height between those at which it is as wide as the
 * rest and as high as the matrix. */
static void heights_beside_column(const scalay_regions *regions, double *least, double *most)
{
    double width = regions->n - regions->area[1] / regions->m;
    *least = width > 0.0 ? regions->area[2] / width : regions->m;
    *most = regions->m;
}

static const char *paint_square_rectangle(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    double least, most;
    heights_beside_column(regions, &least, &most);
    if (!fits(least, most)) return "the rectangle does not fit beside the full column";
    paint[0] = rectangle(1, 0.0, 0.0, regions->m, regions->area[1] / regions->m);
    paint[1] = lower_right(regions, 2, least + h[0] * (most - least));
    return NULL;
}

static void square_beside_column(const scalay_regions *regions, double *h)
{
    double least, most;
    heights_beside_column(regions, &least, &most);
    h[0] = most > least ? fmin(1.0, fmax(0.0, (sqrt(regions->area[2]) - least) / (most - least))) : 0.0;
}

/* The remainder on top, the others side by side below it. */
static const char *paint_block_rectangle(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double rows = (regions->area[1] + regions->area[2]) / regions->n;
    double cols = regions->area[1] / rows;
    paint[0] = rectangle(1, regions->m - rows, 0.0, rows, cols);
    paint[1] = rectangle(2, regions->m - rows, cols, rows, regions->n - cols);
    return NULL;
}

static const char *paint_straight_line(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double y = regions->area[1] / regions->m;
    double z = regions->area[2] / regions->m;
    paint[0] = rectangle(1, 0.0, 0.0, regions->m, y);
    paint[1] = rectangle(2, 0.0, y, regions->m, z);
    return NULL;
}

/* Heights of regions 1 and 2 that fill the rows together and leave both at most as wide as the matrix. */
static const char *split_rows(const scalay_regions *regions, double h, double *y_rows, double *z_rows)
{
    double least = regions->area[1] / regions->n;
    double most = regions->m - regions->area[2] / regions->n;
    if (!(least > 0.0 && least <= most)) return "one of the rectangles would be wider than the matrix";
    *y_rows = least + h * (most - least);
    *z_rows = regions->m - *y_rows;
    return NULL;
}

/* The parameter of split_rows() at which region 1 gets a share of the rows. */
static double share_of_rows(const scalay_regions *regions, double share)
{
    double least = regions->area[1] / regions->n;
    double most = regions->m - regions->area[2] / regions->n;
    return most > least ? fmin(1.0, fmax(0.0, (share * regions->m - least) / (most - least))) : 0.0;
}

/* One above the other, in opposite corners. */
static const char *paint_rectangle_corner(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    double y_rows, z_rows;
    const char *reason = split_rows(regions, h[0], &y_rows, &z_rows);
    if (reason != NULL) return reason;
    paint[0] = rectangle(1, 0.0, 0.0, y_rows, regions->area[1] / y_rows);
    paint[1] = lower_right(regions, 2, z_rows);
    return NULL;
}

static void least_widths(const scalay_regions *regions, double *h)
{
    double y = sqrt(regions->area[1]);
    h[0] = share_of_rows(regions, y / (y + sqrt(regions->area[2])));
}

/* One above the other, at the same side. */
static const char *paint_skewed_block(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    double y_rows, z_rows;
    const char *reason = split_rows(regions, h[0], &y_rows, &z_rows);
    if (reason != NULL) return reason;
    paint[0] = rectangle(1, 0.0, 0.0, y_rows, regions->area[1] / y_rows);
    paint[1] = rectangle(2, y_rows, 0.0, z_rows, regions->area[2] / z_rows);
    return NULL;
}

static void equal_widths(const scalay_regions *regions, double *h)
{
    h[0] = share_of_rows(regions, regions->area[1] / (regions->area[1] + regions->area[2]));
}

/* Side by side in a band, of any heights. */
static const char *paint_adjacent_corner(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    double rows[2], cols[2];
    for (int k = 0; k < 2; k++) {
        double least = regions->area[k + 1] / regions->n;
        rows[k] = least + h[k] * (regions->m - least);
        cols[k] = regions->area[k + 1] / rows[k];
    }
    if (!fits(cols[0] + cols[1], regions->n)) return "the rectangles are too wide to stand side by side";
    paint[0] = rectangle(1, 0.0, 0.0, rows[0], cols[0]);
    paint[1] = rectangle(2, 0.0, cols[0], rows[1], cols[1]);
    return NULL;
}

/* Squares, or a band of full width where they are too wide. */
static void squares_in_band(const scalay_regions *regions, double *h)
{
    double band = (regions->area[1] + regions->area[2]) / regions->n;
    double y = sqrt(regions->area[1]);
    double z = sqrt(regions->area[2]);
    int squares = y + z <= regions->n && fmax(y, z) <= regions->m;
    for (int k = 0; k < 2; k++) {
        double least = regions->area[k + 1] / regions->n;
        double rows = squares ? sqrt(regions->area[k + 1]) : band;
        h[k] = regions->m > least ? fmin(1.0, fmax(0.0, (rows - least) / (regions->m - least))) : 0.0;
    }
}

/* A square in the corner of a square. */
static const char *paint_nested_corner(const scalay_regions *regions, const double *h, scalay_paint *paint)
{
    (void)h;
    double both = sqrt(regions->area[1] + regions->area[2]);
    double z = sqrt(regions->area[2]);
    if (!fits(both, fmin(regions->m, regions->n))) return too_large;
    paint[0] = rectangle(1, 0.0, 0.0, both, both);
    paint[1] = rectangle(2, 0.0, 0.0, z, z);
    return NULL;
}

static const scalay_family square_corner = {"square-corner", 0, 1, paint_square_corner, NULL};
static const scalay_family square_rectangle = {"square-rectangle", 1, 0, paint_square_rectangle, square_beside_column};
static const scalay_family block_rectangle = {"block-rectangle", 0, 1, paint_block_rectangle, NULL};
static const scalay_family straight_line = {"straight-line", 0, 1, paint_straight_line, NULL};
static const scalay_family rectangle_corner = {"rectangle-corner", 1, 1, paint_rectangle_corner, least_widths};
static const scalay_family skewed_block = {"skewed-block", 1, 1, paint_skewed_block, equal_widths};
static const scalay_family adjacent_corner = {"adjacent-corner", 2, 1, paint_adjacent_corner, squares_in_band};
static const scalay_family nested_corner = {"nested-corner", 0, 0, paint_nested_corner, NULL};

scalay_status scalay_draw_square_corner(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_family_draw(&square_corner, problem, candidate);
}

scalay_status scalay_draw_square_rectangle(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_family_draw(&square_rectangle, problem, candidate);
}

scalay_status scalay_draw_block_rectangle(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_family_draw(&block_rectangle, problem, candidate);
}

scalay_status scalay_draw_straight_line(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_family_draw(&straight_line, problem, candidate);
}

scalay_status scalay_draw_rectangle_corner(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_family_draw(&rectangle_corner, problem, candidate);
}

scalay_status scalay_draw_skewed_block(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_family_draw(&skewed_block, problem, candidate);
}

scalay_status scalay_draw_adjacent_corner(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_family_draw(&adjacent_corner, problem, candidate);
}

/* It pays when elements are passed on, and sends no less than others otherwise. */
scalay_status scalay_draw_nested_corner(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    const scalay_partition_options *options = problem->options;
    if (options->objective == SCALAY_PARTITION_VOLUME || options->links == NULL ||
        options->links->broadcast == SCALAY_BROADCAST_DIRECT) {
        candidate->shape = nested_corner.name;
        return scalay_candidate_refuse(candidate, "it is for links along which elements are passed on (trees) only");
    }
    return scalay_family_draw(&nested_corner, problem, candidate);
}
