/* A grid of nprow x npcol parts (Kalinov and Lastovetsky 2001): columns as wide as their parts together are large, and
 * in each column heights as its parts are large. The half perimeters sum up to npcol rows + nprow cols of the domain,
 * whoever sits where; of the grids with that many parts, the best one is taken. */
#include <math.h>

#include "base/memory.h"
#include "partition/methods.h"

static int grid_rows(const scalay_shares *shares)
{
    int best = 1;
    double least = INFINITY;
    for (int rows = 1; rows <= shares->parts; rows++) {
        double cost = shares->parts / rows * shares->rows + rows * shares->cols;
        if (shares->parts % rows != 0 || cost >= least) continue;
        best = rows;
        least = cost;
    }
    return best;
}

/* The largest parts are spread over the columns. */
static scalay_status plant_grid(const scalay_shares *shares, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rows = grid_rows(shares);
    const int cols = shares->parts / rows;
    int *leaf = NULL;
    int *column = NULL;
    SCALAY_TRY(SCALAY_NEW(leaf, rows));
    SCALAY_TRY(SCALAY_NEW(column, cols));
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) leaf[i] = i * cols + j;
        column[j] = scalay_slicing_chain(tree, SCALAY_ONE_ABOVE_OTHER, leaf, rows);
    }
    tree->root = scalay_slicing_chain(tree, SCALAY_SIDE_BY_SIDE, column, cols);
cleanup:
    scalay_release(leaf);
    scalay_release(column);
    return status;
}

scalay_status scalay_draw_grid(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_slicing_method(problem, plant_grid, candidate);
}
