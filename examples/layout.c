/*
 * Layouts: the process and the position in its local array of each element of a matrix.
 *
 * The program calls the functions of layout.h. Only the descriptor at the end needs MPI.
 */
#include <mpi.h>
#include <stdio.h>

#include "scalay/context.h"
#include "scalay/layout.h"

static int rank, wrong;

static void show(int holds, const char *property)
{
    if (!holds) wrong++;
    if (rank == 0) printf("%s %s\n", holds ? "   ok:" : "WRONG:", property);
}

static void print_layout(const scalay_layout *layout)
{
    char sentence[200], picture[600];
    scalay_layout_describe(layout, sentence, sizeof sentence);
    scalay_layout_draw(layout, 8, picture, sizeof picture);
    if (rank == 0) printf("\n%s\n%s", sentence, picture);
}

/* A block-cyclic layout: 10 x 8 elements in 2 x 3 blocks on a 2 x 2 grid. */
static void block_cyclic(void)
{
    scalay_layout *layout = NULL, *window = NULL, *moved = NULL;
    scalay_layout_block_cyclic(10, 8, 2, 3, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &layout);
    print_layout(layout);
    show(scalay_layout_rows(layout) == 10 && scalay_layout_cols(layout) == 8, "10 rows, 8 columns");
    show(scalay_layout_parts(layout) == 4 && scalay_layout_processes(layout) == 4, "4 parts on 4 processes");
    show(scalay_layout_owner(layout, 2, 0) == 2, "element (2, 0) is the first of process 2");
    show(scalay_layout_elements(layout, 0) == 6 * 5, "process 0 owns 6 x 5 elements");

    /* Rows 3 .. 7 and columns 1 .. 6. Local arrays stay those of the whole matrix. */
    scalay_layout_submatrix(layout, 3, 1, 5, 6, &window);
    print_layout(window);
    show(scalay_layout_owner(window, 0, 0) == scalay_layout_owner(layout, 3, 1), "a submatrix keeps the owners");

    /* The same parts on other processes, four of six. */
    const int process[] = {5, 3, 1, 0};
    scalay_layout_relabel(layout, 6, process, &moved);
    print_layout(moved);
    show(scalay_layout_process_of_part(moved, 1) == 3, "part 1 is on process 3");
    show(scalay_layout_part_of_process(moved, 4) == -1, "process 4 has no part");
    show(!scalay_layout_same_owners(layout, moved), "the owners differ");
    scalay_layout_destroy(&moved);
    scalay_layout_destroy(&window);
    scalay_layout_destroy(&layout);
}

/* A tile map: 5 x 7 elements in 2 x 3 tiles. */
static void tile_map(void)
{
    const int owner[] = {0, 1, 1, /**/ 2, 0, 1, /**/ 2, 2, 0};
    scalay_layout *layout = NULL;
    scalay_layout_tiles(5, 7, 2, 3, 3, owner, &layout);
    print_layout(layout);
    int64_t elements = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, 2); k++) {
        scalay_rectangle tile;
        scalay_layout_rectangle(layout, 2, k, &tile);
        show(tile.offset == elements, "the tiles of process 2 are contiguous");
        elements += tile.rows * tile.cols;
    }
    show(elements == scalay_layout_local_size(layout, 2), "the tiles fill the local array");
    scalay_layout_destroy(&layout);
}

/* The test layouts SkewedSet and ChunkSet, from text. */
static void from_text(void)
{
    scalay_layout *skewed = NULL, *chunks = NULL, *read = NULL;
    scalay_layout_parse("skewed:m=80,n=80,mb=10,nb=10,p=2,q=2", &skewed);
    scalay_layout_parse("chunks:m=80,n=80,mb=10,nb=10,p=4", &chunks);
    print_layout(skewed);
    print_layout(chunks);
    scalay_layout_parse("skewed:m=80,n=80,mb=10,nb=10,p=2,q=2,seed=1", &read);
    show(scalay_layout_same_owners(skewed, read), "the same seed gives the same map");
    scalay_layout_destroy(&read);
    show(scalay_layout_parse("skewed:m=80,n=80", &read) == SCALAY_ERROR_FORMAT && read == NULL, scalay_error_message());
    scalay_layout_destroy(&skewed);
    scalay_layout_destroy(&chunks);
}

/* The layout of a ScaLAPACK descriptor. */
static void from_descriptor(void)
{
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL, *expected = NULL;
    int ctxt = -1;
    scalay_comm_create(MPI_COMM_WORLD, &comm);
    scalay_grid_acquire(comm, 1, scalay_comm_size(comm), NULL, &ctxt);
    const int desc[9] = {1, ctxt, 100, 100, 10, 10, 0, 0, 100}; /* as descinit sets it */
    scalay_status status = scalay_layout_from_desc(comm, desc, &layout);
    show(status == SCALAY_SUCCESS, "a layout from a descriptor");
    print_layout(layout);
    scalay_layout_block_cyclic(100, 100, 10, 10, 1, scalay_comm_size(comm), 0, 0, SCALAY_ROW_MAJOR, &expected);
    show(scalay_layout_same_owners(layout, expected), "it is the block-cyclic one");
    scalay_layout_destroy(&expected);
    scalay_layout_destroy(&layout);
    scalay_grid_release(comm, &ctxt);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    block_cyclic();
    tile_map();
    from_text();
    from_descriptor();
    MPI_Finalize();
    return wrong != 0;
}
