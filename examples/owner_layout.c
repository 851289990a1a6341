/*
 * Owner maps as layouts: a partition that is not a grid, stored as a few dense subarrays, and moved like other layouts.
 *
 * The 12 x 12 matrix has four parts: squares in two opposite corners, a strip, and the rest. All ranks plan alike. At
 * the end the matrix moves from a block-cyclic layout to the subarrays of the map and back.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/partition.h"
#include "scalay/redist.h"

enum { N = 12, PARTS = 4 };

static int rank, wrong;

/* Prints whether a statement holds, and counts the failures. */
static void show(int holds, const char *what)
{
    if (!holds) wrong++;
    if (rank == 0) printf("%s %s\n", holds ? "   ok:" : "WRONG:", what);
}

static scalay_owner_map *make_map(void)
{
    scalay_owner_map *map = NULL;
    const int64_t row_cut[] = {0, 5, 8, N}, col_cut[] = {0, 5, 8, 10, N};
    const int owner[] = {
        1, 0, 0, 3, /* */
        0, 0, 0, 3, /* */
        0, 0, 2, 2, /* part 2: the lower right corner and the end of the strip of part 3 */
    };
    if (scalay_owner_map_create(3, 4, row_cut, col_cut, PARTS, owner, &map) != SCALAY_SUCCESS && rank == 0)
        printf("%s\n", scalay_error_message());
    return map;
}

/* The subarrays of a part. Each is dense, and knows its rows and columns of the matrix. */
static void print_pieces(const scalay_layout *layout, int process)
{
    const int64_t pieces = scalay_layout_subarray_count(layout, process);
    for (int64_t k = 0; k < pieces; k++) {
        scalay_subarray piece;
        int64_t row[N], col[N];
        scalay_layout_subarray(layout, process, k, &piece);
        scalay_layout_subarray_indices(layout, process, k, row, col);
        if (rank == 0)
            printf("  process %d, piece %d: %d x %d at offset %d; rows %d..%d, columns %d..%d\n", process, (int)k,
                   (int)piece.rows, (int)piece.cols, (int)piece.offset, (int)row[0], (int)row[piece.rows - 1],
                   (int)col[0], (int)col[piece.cols - 1]);
    }
}

static scalay_layout *plan(void)
{
    scalay_layout *layout = NULL, *again = NULL;
    scalay_owner_map *map = make_map(), *back = NULL;
    char picture[600];
    scalay_layout_from_owner_map(map, &layout);
    scalay_layout_draw(layout, N, picture, sizeof picture);
    if (rank == 0) printf("%s", picture);
    for (int process = 0; process < PARTS; process++) print_pieces(layout, process);
    show(scalay_layout_subarray_count(layout, 1) == 1, "a square is one piece");
    show(scalay_layout_subarray_count(layout, 0) == 3, "what is left over is three");
    show(scalay_layout_local_size(layout, 0) == scalay_owner_map_elements(map, 0), "without a gap between them");

    scalay_layout_owner_map(layout, &back);
    scalay_layout_from_owner_map(back, &again);
    show(scalay_layout_same_owners(layout, again), "a layout knows its owner map");
    scalay_layout_destroy(&again);
    scalay_owner_map_destroy(&back);
    scalay_owner_map_destroy(&map);
    return layout;
}

/* Sets each local element to its number in the matrix. */
static void fill(const scalay_layout *layout, double *array)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle at;
        scalay_layout_rectangle(layout, rank, k, &at);
        for (int64_t j = 0; j < at.cols; j++)
            for (int64_t i = 0; i < at.rows; i++)
                array[at.offset + i + j * at.ld] = (double)((at.row + i) * N + at.col + j);
    }
}

static int is_filled(const scalay_layout *layout, const double *array)
{
    const int64_t size = scalay_layout_local_size(layout, rank);
    double *expected = calloc((size_t)size + 1, sizeof *expected);
    int filled = 1;
    fill(layout, expected);
    for (int64_t k = 0; k < size; k++) filled &= array[k] == expected[k];
    free(expected);
    return filled;
}

static void move(const scalay_layout *map_layout)
{
    scalay_comm *comm = NULL;
    scalay_layout *blocks = NULL;
    scalay_plan *there = NULL;
    scalay_comm_create(MPI_COMM_WORLD, &comm);
    scalay_layout_block_cyclic(N, N, 2, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &blocks);
    double *a = calloc((size_t)scalay_layout_local_size(blocks, rank) + 1, sizeof *a);
    double *b = calloc((size_t)scalay_layout_local_size(map_layout, rank) + 1, sizeof *b);
    fill(blocks, a);
    scalay_plan_create(comm, blocks, map_layout, NULL, SCALAY_DOUBLE, NULL, &there);
    scalay_plan_execute(there, a, b);
    show(is_filled(map_layout, b), "every element has arrived in its piece");
    scalay_plan_destroy(&there);
    free(a);
    free(b);
    scalay_layout_destroy(&blocks);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    int processes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    scalay_layout *layout = plan();
    if (processes == PARTS) move(layout);
    scalay_layout_destroy(&layout);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong > 0;
}
