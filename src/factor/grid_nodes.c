/* Which neighbours of a process grid share a node: the parts of the messages of a factorisation that stay on a node.

   The rows and the columns of a grid are visited once. Time: O(P log P) for P positions. */
#include "factor/grid_nodes.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/memory.h"
#include "layout/layout.h"

static int compare_nodes(const void *left, const void *right)
{
    const int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* Returns the part of the levels of a broadcast that is within a node. Sorts the nodes. */
static double part_within(int *nodes, int count)
{
    int distinct = 1;
    if (count == 1) return 1.0;
    qsort(nodes, (size_t)count, sizeof *nodes, compare_nodes);
    for (int k = 1; k < count; k++) distinct += nodes[k] != nodes[k - 1];
    return 1.0 - log2(distinct) / log2(count);
}

static int node_at(const int *node, const scalay_layout *parts, const scalay_load_grid *grid, int row, int col)
{
    const int is_by_column = parts != NULL && parts->order != SCALAY_ROW_MAJOR;
    const int part = is_by_column ? col * grid->nprow + row : row * grid->npcol + col;
    return node[parts != NULL ? scalay_layout_process_of_part(parts, part) : part];
}

scalay_status scalay_grid_set_nodes(const int *node, const scalay_layout *parts, scalay_load_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    int *line = NULL;
    if (node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(line, grid->nprow + grid->npcol));
    grid->row_within = grid->col_within = 0.0;
    for (int row = 0; row < grid->nprow; row++) {
        for (int col = 0; col < grid->npcol; col++) line[col] = node_at(node, parts, grid, row, col);
        grid->row_within += part_within(line, grid->npcol) / grid->nprow;
    }
    for (int col = 0; col < grid->npcol; col++) {
        for (int row = 0; row < grid->nprow; row++) line[row] = node_at(node, parts, grid, row, col);
        grid->col_within += part_within(line, grid->nprow) / grid->npcol;
    }
cleanup:
    scalay_release(line);
    return status;
}

int scalay_grid_bar_other_nodes(const int *node, int processes, int chosen, unsigned char *barred)
{
    int left = 0;
    for (int process = 0; process < processes; process++) {
        barred[process] = node[process] != chosen;
        left += !barred[process];
    }
    return left;
}
