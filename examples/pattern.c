/*
 * Patterns: tables of owners that are repeated over a matrix.
 *
 * Five processes have no good grid. This program finds a pattern for LU on five processes, and a projective plane for
 * Cholesky on seven; it counts the tiles that are sent, and creates the layouts.
 */
#include <math.h>
#include <stdio.h>

#include "scalay/pattern.h"

enum { N = 6400, NB = 64 };

static int wrong;

static void check(int holds, const char *property)
{
    if (!holds) wrong++;
    printf("%s %s\n", holds ? "   ok:" : "WRONG:", property);
}

static int64_t tiles_sent(const scalay_pattern *pattern, scalay_pattern_kernel kernel)
{
    scalay_owner_map *map = NULL;
    scalay_tile_traffic traffic = {0};
    scalay_owner_map_from_pattern(pattern, N, N, NB, NB, &map);
    scalay_owner_map_tile_traffic(map, NB, kernel, NULL, &traffic);
    scalay_owner_map_destroy(&map);
    return traffic.tiles;
}

int main(void)
{
    scalay_pattern *lu = NULL, *columns = NULL, *plane = NULL;
    scalay_pattern_summary summary;
    scalay_pattern_table table;
    scalay_layout *layout = NULL;

    /* LU on 5 processes: fewer tiles than on 1 x 5 processes */
    const int owner[] = {0, 1, 2, 3, 4};
    const scalay_pattern_table row_of_five = {.parts = 5, .rows = 1, .cols = 5, .owner = owner};
    scalay_pattern_create(&row_of_five, &columns);
    if (scalay_pattern_find(SCALAY_PATTERN_LU, 5, NULL, 0, &lu) != SCALAY_SUCCESS) {
        printf("%s\n", scalay_error_message());
        return 1;
    }
    scalay_pattern_get_summary(lu, SCALAY_PATTERN_LU, NULL, &summary);
    printf("5 processes, LU: cost %.3f, bound %.3f, %s\n", summary.cost, summary.bound, summary.method);
    check(summary.cost < 4.8, "fewer owners per row and column than G-2DBC");
    check(tiles_sent(lu, SCALAY_PATTERN_LU) < 0.7 * (double)tiles_sent(columns, SCALAY_PATTERN_LU), "fewer tiles sent");

    /* Cholesky on 7 processes: each pair of tile rows is on one line of the plane */
    scalay_pattern_find(SCALAY_PATTERN_CHOLESKY, 7, NULL, 0, &plane);
    scalay_pattern_get_summary(plane, SCALAY_PATTERN_CHOLESKY, NULL, &summary);
    scalay_pattern_get_table(plane, &table);
    printf("7 processes, Cholesky: z %.3f, %d x %d tiles, %s\n", summary.z, table.rows, table.cols, summary.method);
    check(fabs(summary.z - 3) < 1e-9, "three processes per tile row and column");
    check(scalay_pattern_owner(plane, 5, 3) == scalay_pattern_owner(plane, 3, 5), "the pattern is symmetric");

    /* a layout for plans, mappings and factorisations; its memory does not depend on the extents */
    scalay_layout_from_pattern(plane, 1000000, 1000000, NB, NB, &layout);
    check(scalay_layout_parts(layout) == 7 && scalay_layout_rows(layout) == 1000000, "a layout of a large matrix");

    scalay_layout_destroy(&layout);
    scalay_pattern_destroy(&lu);
    scalay_pattern_destroy(&columns);
    scalay_pattern_destroy(&plane);
    return wrong > 0;
}
