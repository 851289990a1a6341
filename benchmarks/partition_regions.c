/* bench_partition_regions FILE.{svg,png,pdf} [STEP]: draws which shape wins for three processors with areas p >= q >= r
 * on a square, over q and r, and prints how often each does and how far the choice is from the formulae: min(2
 * (sqrt q + sqrt r), 1 + 2 sqrt r, 2 - p), which are the peer here. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/plot.h"
#include "scalay/partition.h"

enum { MOST_SHAPES = 16, EXTENT = 1000000 };

typedef struct {
    const char *name[MOST_SHAPES];
    int64_t count[MOST_SHAPES], capacity[MOST_SHAPES];
    double *q[MOST_SHAPES], *r[MOST_SHAPES];
    int shapes;
    double worst; /* largest difference from the formulae, over the unit square */
} regions;

static int fail(void)
{
    fprintf(stderr, "bench_partition_regions: %s\n", scalay_error_message());
    return 1;
}

static scalay_status add_point(regions *found, const char *shape, double q, double r)
{
    int k = 0;
    scalay_status status = SCALAY_SUCCESS;
    while (k < found->shapes && strcmp(found->name[k], shape) != 0) k++;
    if (k == MOST_SHAPES) return SCALAY_SUCCESS;
    if (k == found->shapes) found->name[found->shapes++] = shape;
    int64_t capacity = found->capacity[k];
    SCALAY_TRY(SCALAY_GROW(found->q[k], capacity, found->count[k] + 1));
    SCALAY_TRY(SCALAY_GROW(found->r[k], found->capacity[k], found->count[k] + 1));
    found->q[k][found->count[k]] = q;
    found->r[k][found->count[k]++] = r;
cleanup:
    return status;
}

static double formula(double q, double r)
{
    double corner = sqrt(q) + sqrt(r) <= 1 ? 2 * (sqrt(q) + sqrt(r)) : INFINITY;
    double rectangle = sqrt(r) <= 1 - q ? 1 + 2 * sqrt(r) : INFINITY;
    return fmin(fmin(corner, rectangle), 1 + q + r);
}

/* The least before rounding; of equal ones the first. */
static scalay_status least_candidate(const scalay_partition *partition, scalay_partition_candidate *least)
{
    scalay_partition_summary summary;
    scalay_status status = scalay_partition_get_summary(partition, &summary);
    if (status == SCALAY_SUCCESS) status = scalay_partition_get_candidate(partition, 0, least);
    for (int k = 1; k < summary.candidates && status == SCALAY_SUCCESS; k++) {
        scalay_partition_candidate candidate;
        status = scalay_partition_get_candidate(partition, k, &candidate);
        if (candidate.continuous_cost < least->continuous_cost * (1.0 - 1e-12)) *least = candidate;
    }
    return status;
}

static scalay_status try_point(regions *found, double q, double r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partition *partition = NULL;
    scalay_partition_candidate candidate;
    const double area[3] = {1 - q - r, q, r};
    SCALAY_TRY(scalay_partition_create(EXTENT, EXTENT, 3, area, NULL, &partition));
    SCALAY_TRY(least_candidate(partition, &candidate));
    double cost = candidate.continuous_cost / ((double)EXTENT * EXTENT);
    found->worst = fmax(found->worst, fabs(cost - formula(q, r)));
    SCALAY_TRY(add_point(found, candidate.shape, q, r));
cleanup:
    scalay_partition_destroy(&partition);
    return status;
}

static scalay_status draw(const regions *found, const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_plot_curve curves[MOST_SHAPES];
    const scalay_plot_axis x = {.name = "q, the second largest area", .from_zero = 1};
    const scalay_plot_axis y = {.name = "r, the smallest area", .from_zero = 1};
    for (int k = 0; k < found->shapes; k++)
        curves[k] = (scalay_plot_curve){.name = found->name[k],
                                        .style = SCALAY_PLOT_DOTS,
                                        .colour = k,
                                        .points = found->count[k],
                                        .x = found->q[k],
                                        .y = found->r[k]};
    SCALAY_TRY(scalay_plot_create("The shape that sends the least, three processors", &plot));
    SCALAY_TRY(scalay_plot_add_curves(plot, NULL, &x, &y, curves, found->shapes));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

int main(int argc, char **argv)
{
    scalay_status status = SCALAY_SUCCESS;
    regions found = {0};
    double step = argc > 2 ? atof(argv[2]) : 0.005;
    int64_t points = 0;
    if (argc < 2 || !(step >= 0.0005 && step <= 0.1)) {
        fprintf(stderr, "usage: bench_partition_regions FILE.{svg,png,pdf} [STEP from 0.0005 to 0.1]\n");
        return 2;
    }
    for (double r = step / 2; r < 1.0 / 3 && status == SCALAY_SUCCESS; r += step)
        for (double q = r; 1 - q - r >= q && status == SCALAY_SUCCESS; q += step, points++)
            status = try_point(&found, q, r);
    if (status == SCALAY_SUCCESS) status = draw(&found, argv[1]);
    for (int k = 0; k < found.shapes; k++) {
        printf("%-20s %5.1f%%\n", found.name[k], 100.0 * (double)found.count[k] / (double)points);
        scalay_release(found.q[k]);
        scalay_release(found.r[k]);
    }
    printf("%lld points; largest difference from the formulae: %.3g\n", (long long)points, found.worst);
    return status == SCALAY_SUCCESS ? 0 : fail();
}
