/* Partitions of a matrix for three processors of speeds 4 : 2 : 1, and for six processors with different links. The
 * program does not use MPI. */
#include <stdio.h>
#include <stdlib.h>

#include "scalay/partition.h"

static void stop_unless(scalay_status status, scalay_status expected)
{
    if (status == expected) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(1);
}

/* Prints all candidates, with the chosen one marked, and the totals. */
static void print_partition(const scalay_partition *partition)
{
    char reason[4000];
    scalay_partition_summary summary;
    stop_unless(scalay_partition_get_summary(partition, &summary), SCALAY_SUCCESS);
    for (int k = 0; k < summary.candidates; k++) {
        scalay_partition_candidate candidate;
        stop_unless(scalay_partition_get_candidate(partition, k, &candidate), SCALAY_SUCCESS);
        printf("%c %-18s", k == summary.chosen ? '*' : ' ', candidate.shape);
        if (candidate.feasible)
            printf(" %.6g elements, %.4g J\n", candidate.continuous_cost, candidate.energy);
        else
            printf(" infeasible: %s\n", candidate.reason);
    }
    printf("at least %.6g elements; load error %.2g\n", summary.lower_bound, summary.load_error);
    if (scalay_partition_describe(partition, reason, sizeof reason) > 0) printf("%s", reason);
}

/* Prints the rectangles of a map and its half perimeters. */
static void print_map(const scalay_owner_map *map)
{
    enum { CAPACITY = 100 };
    int64_t count = 0;
    scalay_part_rectangle rectangle[CAPACITY];
    scalay_half_perimeter half;
    stop_unless(scalay_owner_map_rectangles(map, CAPACITY, rectangle, &count), SCALAY_SUCCESS);
    stop_unless(scalay_owner_map_half_perimeter(map, &half), SCALAY_SUCCESS);
    printf("%lld x %lld:\n", (long long)scalay_owner_map_rows(map), (long long)scalay_owner_map_cols(map));
    for (int64_t k = 0; k < count && k < CAPACITY; k++)
        printf("  part %d: %lld x %lld at (%lld, %lld)\n", rectangle[k].part, (long long)rectangle[k].rows,
               (long long)rectangle[k].cols, (long long)rectangle[k].row, (long long)rectangle[k].col);
    printf("  half perimeters %lld, of the bounding boxes %lld\n", (long long)half.projection, (long long)half.box);
}

static void partition_by_speed(void)
{
    const double speed[3] = {4.0, 2.0, 1.0};
    scalay_partition *partition = NULL;
    stop_unless(scalay_partition_create(1400, 1400, 3, speed, NULL, &partition), SCALAY_SUCCESS);
    print_partition(partition);
    print_map(scalay_partition_map(partition));
    scalay_partition_destroy(&partition);
}

/* Six processors. An element to or from the last one costs ten times the energy. */
static void partition_by_energy(void)
{
    enum { PROCESSORS = 6 };
    const double speed[PROCESSORS] = {1.0, 1.0, 1.0, 2.0, 2.0, 3.0};
    double joules[PROCESSORS * PROCESSORS];
    scalay_links links = scalay_links_default();
    scalay_partition_options options = scalay_partition_options_default();
    scalay_partition *partition = NULL;
    for (int i = 0; i < PROCESSORS; i++)
        for (int j = 0; j < PROCESSORS; j++)
            joules[i * PROCESSORS + j] = i == PROCESSORS - 1 || j == PROCESSORS - 1 ? 1e-7 : 1e-8;
    links.processors = PROCESSORS;
    links.joules_per_element = joules;
    links.symmetric = 1;
    options.links = &links;
    options.objective = SCALAY_PARTITION_ENERGY;
    options.tile = 16;
    stop_unless(scalay_partition_create(1600, 1200, PROCESSORS, speed, &options, &partition), SCALAY_SUCCESS);
    print_partition(partition);
    scalay_partition_summary summary;
    stop_unless(scalay_partition_get_summary(partition, &summary), SCALAY_SUCCESS);
    printf("the map: %lld elements, %lld of them from part 0 to part 5; %.4g J, time %g\n", (long long)summary.volume,
           (long long)scalay_multiply_cost_sent(scalay_partition_cost(partition), 0, 5), summary.energy, summary.time);
    scalay_partition_destroy(&partition);
}

/* The cost of a given owner map: three bands of rows, for a product with inner extent 100. */
static void evaluate_bands(void)
{
    const int64_t row_cut[4] = {0, 30, 50, 60};
    const int64_t col_cut[2] = {0, 80};
    const int owner[3] = {0, 1, 2};
    scalay_owner_map *c = NULL;
    scalay_owner_map *a = NULL;
    scalay_owner_map *b = NULL;
    scalay_multiply_cost *cost = NULL;
    scalay_multiply_cost_summary summary;
    stop_unless(scalay_owner_map_create(3, 1, row_cut, col_cut, 3, owner, &c), SCALAY_SUCCESS);
    stop_unless(scalay_owner_map_resize(c, 60, 100, &a), SCALAY_SUCCESS);
    stop_unless(scalay_owner_map_resize(c, 100, 80, &b), SCALAY_SUCCESS);
    stop_unless(scalay_multiply_cost_create(a, b, c, NULL, &cost), SCALAY_SUCCESS);
    stop_unless(scalay_multiply_cost_get_summary(cost, &summary), SCALAY_SUCCESS);
    printf("bands: part %d of %d owns element (35, 7) and %lld others; %lld elements are sent\n",
           scalay_owner_map_owner(c, 35, 7), scalay_owner_map_parts(c), (long long)scalay_owner_map_elements(c, 1) - 1,
           (long long)summary.volume);
    scalay_multiply_cost_destroy(&cost);
    scalay_owner_map_destroy(&a);
    scalay_owner_map_destroy(&b);
    scalay_owner_map_destroy(&c);
}

int main(void)
{
    printf("shapes and methods:");
    for (int k = 0; scalay_partition_shapes(k) != NULL; k++) printf(" %s", scalay_partition_shapes(k));
    printf("\n");
    partition_by_speed();
    partition_by_energy();
    evaluate_bands();
    return 0;
}
