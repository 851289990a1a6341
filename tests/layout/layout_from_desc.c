/* Layouts from descriptors, against ScaLAPACK's own tools, on every kind of BLACS grid. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "parallel/blacs.h"
#include "scalay/layout.h"
#include "support/check.h"

/* Of the address sanitizer, where there is one: what is allocated between these is no leak. */
#pragma weak __lsan_disable
#pragma weak __lsan_enable
void __lsan_disable(void);
void __lsan_enable(void);

void Cblacs_gridinit(int *ctxt, char *order, int nprow, int npcol);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
int indxg2p_(const int *indxglob, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
int indxg2l_(const int *indxglob, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
void infog2l_(const int *grindx, const int *gcindx, const int *desc, const int *nprow, const int *npcol,
              const int *myrow, const int *mycol, int *lrindx, int *lcindx, int *rsrc, int *csrc);

enum { MOST = 16 };

/* A grid and where each of its positions is, in ranks of the communicator that the layout is read with. */
typedef struct {
    int ctxt;
    int nprow, npcol;
    int myrow, mycol; /* -1 outside */
    int ranks[MOST];  /* [nprow][npcol] */
} test_grid;

static int same_everywhere(scalay_comm *comm, scalay_status status)
{
    int mine[2] = {(int)status, -(int)status}, most[2];
    MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, scalay_comm_handle(comm));
    return most[0] == -most[1];
}

/* The same status on every rank, and that one. */
static void expect(scalay_comm *comm, const int *desc, scalay_status expected)
{
    scalay_layout *layout = NULL;
    scalay_status status = scalay_layout_from_desc(comm, desc, &layout);
    CHECK_STATUS(status, expected);
    CHECK(same_everywhere(comm, status));
    CHECK((layout != NULL) == (status == SCALAY_SUCCESS));
    if (status != SCALAY_SUCCESS) CHECK(strstr(scalay_error_message(), "scalay_layout_from_desc") != NULL);
    scalay_layout_destroy(&layout);
}

/* ------------------------------------------------------------------------------------------------ grids */

static void note_position(test_grid *grid)
{
    int nprow, npcol;
    grid->myrow = grid->mycol = -1;
    if (grid->ctxt >= 0) Cblacs_gridinfo(grid->ctxt, &nprow, &npcol, &grid->myrow, &grid->mycol);
}

/* kind 0: gridinit in row order, 1: in column order, 2: gridmap with shuffled ranks. Collective over mpi. The BLACS
 * forget the tables of ranks that are outside of a grid. */
static test_grid make_grid(MPI_Comm mpi, int nprow, int npcol, int kind, scalay_random *random)
{
    test_grid grid = {.nprow = nprow, .npcol = npcol};
    int rank, size, shuffled[MOST], map[MOST];
    MPI_Comm_rank(mpi, &rank);
    MPI_Comm_size(mpi, &size);
    for (int k = 0; k < size; k++) {
        int at = (int)scalay_random_below(random, k + 1);
        shuffled[k] = shuffled[at];
        shuffled[at] = k;
    }
    for (int r = 0; r < nprow; r++)
        for (int c = 0; c < npcol; c++) {
            int where[] = {r * npcol + c, c * nprow + r, shuffled[r * npcol + c]};
            grid.ranks[r * npcol + c] = where[kind];
            map[c * nprow + r] = where[kind];
        }
    grid.ctxt = Csys2blacs_handle(mpi);
    int handle = grid.ctxt;
    if (__lsan_disable) __lsan_disable();
    if (kind == 2)
        Cblacs_gridmap(&grid.ctxt, map, nprow, nprow, npcol);
    else
        Cblacs_gridinit(&grid.ctxt, kind == 0 ? "Row" : "Col", nprow, npcol);
    if (__lsan_enable) __lsan_enable();
    Cfree_blacs_system_handle(handle);
    note_position(&grid);
    return grid;
}

static void free_grid(test_grid *grid)
{
    if (grid->myrow >= 0) Cblacs_gridexit(grid->ctxt);
}

static void fill_desc(const test_grid *grid, const int shape[6], int extra, int *desc)
{
    const int full[DLEN_] = {1, grid->ctxt, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], 1};
    memcpy(desc, full, sizeof full);
    if (grid->myrow < 0) return;
    int rows = numroc_(&desc[M_], &desc[MB_], &grid->myrow, &desc[RSRC_], &grid->nprow);
    desc[LLD_] = (rows > 1 ? rows : 1) + extra;
}

/* ----------------------------------------------------------------------------- against ScaLAPACK's tools */

/* Row and column of the grid that own the element, and its offset in their local array. */
static int64_t scalapack_offset(const test_grid *grid, const int *desc, int i, int j, int own_lld, int *owner)
{
    int zero = 0, row, col, local_row, local_col, owner_row, owner_col, gi = i + 1, gj = j + 1;
    row = indxg2p_(&gi, &desc[MB_], &zero, &desc[RSRC_], &grid->nprow);
    col = indxg2p_(&gj, &desc[NB_], &zero, &desc[CSRC_], &grid->npcol);
    infog2l_(&gi, &gj, desc, &grid->nprow, &grid->npcol, &row, &col, &local_row, &local_col, &owner_row, &owner_col);
    CHECK(owner_row == row && owner_col == col);
    CHECK(local_row == indxg2l_(&gi, &desc[MB_], &zero, &zero, &grid->nprow));
    int rows = numroc_(&desc[M_], &desc[MB_], &row, &desc[RSRC_], &grid->nprow);
    int64_t ld = rows > 1 ? rows : 1;
    if (row == grid->myrow && col == grid->mycol) ld = own_lld;
    *owner = grid->ranks[row * grid->npcol + col];
    return local_row - 1 + (local_col - 1) * ld;
}

/* The rectangles of all processes hold every element once, where ScaLAPACK has it. */
static void check_rectangles(const scalay_layout *layout, const test_grid *grid, const int *desc, int row, int col)
{
    int64_t elements = 0;
    for (int process = 0; process < scalay_layout_processes(layout); process++) {
        int64_t count = 0, last = 0;
        for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, process); k++) {
            scalay_rectangle at;
            CHECK_STATUS(scalay_layout_rectangle(layout, process, k, &at), SCALAY_SUCCESS);
            for (int64_t e = 0; e < at.rows * at.cols; e++) {
                int i = (int)(at.row + e % at.rows), j = (int)(at.col + e / at.rows), owner;
                int64_t offset = scalapack_offset(grid, desc, row + i, col + j, desc[LLD_], &owner);
                if (owner != process || at.offset + e % at.rows + e / at.rows * at.ld != offset ||
                    scalay_layout_owner(layout, i, j) != owner)
                    CHECK(!"the element is where ScaLAPACK has it");
                if (offset >= last) last = offset + 1;
            }
            count += at.rows * at.cols;
        }
        CHECK(scalay_layout_elements(layout, process) == count);
        CHECK(scalay_layout_local_size(layout, process) == last);
        elements += count;
    }
    CHECK(elements == scalay_layout_rows(layout) * scalay_layout_cols(layout));
}

static void check_layout(scalay_comm *comm, const test_grid *grid, const int shape[6], int extra)
{
    int desc[DLEN_], m = shape[0], n = shape[1];
    scalay_layout *layout = NULL, *window = NULL, *again = NULL;
    fill_desc(grid, shape, extra, desc);
    CHECK_STATUS(scalay_layout_from_desc(comm, grid->myrow < 0 && extra ? NULL : desc, &layout), SCALAY_SUCCESS);
    CHECK(scalay_layout_parts(layout) == grid->nprow * grid->npcol);
    CHECK(scalay_layout_processes(layout) == scalay_comm_size(comm));
    for (int k = 0; k < grid->nprow * grid->npcol; k++)
        CHECK(scalay_layout_process_of_part(layout, k) == grid->ranks[k]);
    check_rectangles(layout, grid, desc, 0, 0);
    CHECK_STATUS(scalay_layout_submatrix(layout, m / 3, n / 4, m / 2, n - n / 4, &window), SCALAY_SUCCESS);
    check_rectangles(window, grid, desc, m / 3, n / 4);
    /* The descriptor's leading dimension goes when the parts are placed anew, though it be where they were. */
    CHECK_STATUS(scalay_layout_relabel(layout, scalay_comm_size(comm), grid->ranks, &again), SCALAY_SUCCESS);
    if (grid->myrow >= 0) desc[LLD_] -= extra;
    check_rectangles(again, grid, desc, 0, 0);
    scalay_layout_destroy(&again);
    scalay_layout_destroy(&window);
    scalay_layout_destroy(&layout);
}

static void random_shape(scalay_random *random, const test_grid *grid, int shape[6])
{
    shape[0] = (int)scalay_random_below(random, 24);
    shape[1] = (int)scalay_random_below(random, 24);
    shape[2] = 1 + (int)scalay_random_below(random, 7);
    shape[3] = 1 + (int)scalay_random_below(random, 30);
    shape[4] = (int)scalay_random_below(random, grid->nprow);
    shape[5] = (int)scalay_random_below(random, grid->npcol);
}

/* Every shape of grid that fits, each made in one of the three ways. */
static void every_grid_gives_scalapacks_layout(MPI_Comm mpi)
{
    scalay_comm *comm = NULL;
    scalay_random random = scalay_random_seed(41);
    int size, kind = 0;
    MPI_Comm_size(mpi, &size);
    CHECK_STATUS(scalay_comm_create(mpi, &comm), SCALAY_SUCCESS);
    for (int nprow = 1; nprow <= size; nprow = nprow < 4 ? nprow + 1 : 2 * nprow)
        for (int npcol = 1; nprow * npcol <= size; npcol = npcol < 4 ? npcol + 1 : 2 * npcol) {
            test_grid grid = make_grid(mpi, nprow, npcol, kind++ % 3, &random);
            for (int k = 0; k < 2; k++) {
                int shape[6];
                random_shape(&random, &grid, shape);
                check_layout(comm, &grid, shape, 3 * k);
            }
            free_grid(&grid);
        }
    scalay_comm_destroy(&comm);
}

/* The grid lives on the upper half of the ranks, in reverse; the layout is wanted in ranks of all. */
static void a_grid_of_another_communicator_is_translated(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half;
    int upper = rank >= size / 2, members = size - size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper ? 0 : MPI_UNDEFINED, -rank, &half);
    scalay_comm *world = NULL, *halves = NULL;
    scalay_random random = scalay_random_seed(42);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &world), SCALAY_SUCCESS);
    test_grid grid = {.ctxt = -1, .nprow = 1, .npcol = members, .myrow = -1, .mycol = -1};
    if (upper) grid = make_grid(half, 1, members, 0, &random);
    for (int k = 0; k < members; k++) grid.ranks[k] = size - 1 - k;
    const int shape[6] = {7, 30, 2, 3, 0, members - 1};
    check_layout(world, &grid, shape, 1);

    /* Read with a communicator in which ranks of the grid are missing. */
    MPI_Comm part;
    int desc[DLEN_];
    fill_desc(&grid, shape, 0, desc);
    MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &part);
    CHECK_STATUS(scalay_comm_create(part, &halves), SCALAY_SUCCESS);
    scalay_status wanted = members == 1 && rank == size - 1 ? SCALAY_SUCCESS : SCALAY_ERROR_MISMATCH;
    if (members == 1 && rank < size - 1) wanted = SCALAY_ERROR_ARGUMENT; /* none of the grid's ranks is there */
    expect(halves, desc, wanted);
    scalay_comm_destroy(&halves);
    MPI_Comm_free(&part);
    if (upper) {
        free_grid(&grid);
        MPI_Comm_free(&half);
    }
    scalay_comm_destroy(&world);
}

static void a_reversed_half_works_alone(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    every_grid_gives_scalapacks_layout(half);
    MPI_Comm_free(&half);
}

/* --------------------------------------------------------------------------------------- wrong descriptors */

/* One rank of the grid is given something else; all ranks must say so. */
static void spoil_one_rank(scalay_comm *comm, const test_grid *grid, int entry, int value, scalay_status expected)
{
    const int shape[6] = {20, 18, 3, 4, 0, 0};
    int desc[DLEN_], last = grid->ranks[grid->nprow * grid->npcol - 1];
    fill_desc(grid, shape, 0, desc);
    if (scalay_comm_rank(comm) == last) desc[entry] = value;
    expect(comm, desc, expected);
}

static void one_wrong_descriptor_fails_everywhere(void)
{
    scalay_comm *comm = NULL;
    scalay_random random = scalay_random_seed(43);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    int size = scalay_comm_size(comm), positions = size > 2 ? size - 1 : size; /* one rank stays outside */
    test_grid grid = make_grid(MPI_COMM_WORLD, 1, positions, 2, &random);
    const scalay_status bad = SCALAY_ERROR_ARGUMENT;
    const scalay_status other = positions > 1 ? SCALAY_ERROR_MISMATCH : SCALAY_SUCCESS;
    spoil_one_rank(comm, &grid, DTYPE_, 2, bad);
    spoil_one_rank(comm, &grid, DTYPE_, 501, bad);
    spoil_one_rank(comm, &grid, CTXT_, -7, bad);
    spoil_one_rank(comm, &grid, CTXT_, 12345, bad);
    spoil_one_rank(comm, &grid, CTXT_, -1, positions > 1 ? SCALAY_ERROR_MISMATCH : bad);
    spoil_one_rank(comm, &grid, M_, -1, bad);
    spoil_one_rank(comm, &grid, N_, -1, bad);
    spoil_one_rank(comm, &grid, MB_, 0, bad);
    spoil_one_rank(comm, &grid, NB_, -3, bad);
    spoil_one_rank(comm, &grid, RSRC_, 1, bad);
    spoil_one_rank(comm, &grid, CSRC_, positions, bad);
    spoil_one_rank(comm, &grid, CSRC_, -1, bad);
    spoil_one_rank(comm, &grid, LLD_, 19, bad);
    spoil_one_rank(comm, &grid, LLD_, 0, bad);
    spoil_one_rank(comm, &grid, LLD_, 200, SCALAY_SUCCESS); /* each rank's own */
    spoil_one_rank(comm, &grid, M_, 19, other);
    spoil_one_rank(comm, &grid, N_, 19, other);
    spoil_one_rank(comm, &grid, MB_, 5, other);
    spoil_one_rank(comm, &grid, NB_, 5, other);
    expect(comm, NULL, bad); /* nobody is in the grid */

    /* A rank that passes another grid's descriptor. */
    const int shape[6] = {20, 18, 3, 4, 0, 0};
    int desc[DLEN_];
    test_grid single = make_grid(MPI_COMM_WORLD, 1, 1, 0, &random);
    fill_desc(scalay_comm_rank(comm) == 0 ? &single : &grid, shape, 0, desc);
    expect(comm, desc, size > 1 ? SCALAY_ERROR_MISMATCH : SCALAY_SUCCESS);
    free_grid(&single);

    /* An output that is missing on one rank. */
    scalay_layout *layout = NULL;
    fill_desc(&grid, shape, 0, desc);
    scalay_status status = scalay_layout_from_desc(comm, desc, scalay_comm_rank(comm) == 0 ? NULL : &layout);
    CHECK_STATUS(status, bad);
    CHECK(layout == NULL && same_everywhere(comm, status));
    CHECK_STATUS(scalay_layout_from_desc(NULL, desc, &layout), bad);
    free_grid(&grid);
    scalay_comm_destroy(&comm);
}

/* The n-th allocation fails on one rank, for n = 1, 2, ... until none does: every rank gets the same status. */
static void a_failed_allocation_fails_everywhere(void)
{
    scalay_comm *comm = NULL;
    scalay_random random = scalay_random_seed(44);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    test_grid grid = make_grid(MPI_COMM_WORLD, 1, scalay_comm_size(comm), 2, &random);
    const int shape[6] = {20, 18, 3, 4, 0, 0};
    int desc[DLEN_];
    fill_desc(&grid, shape, 0, desc);
    int64_t live = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    int failures = -1;
    for (int n = 1; status != SCALAY_SUCCESS && n < 100; n++) {
        scalay_layout *layout = NULL;
        scalay_memory_fail_at(scalay_comm_rank(comm) == scalay_comm_size(comm) / 2 ? n : 0);
        status = scalay_layout_from_desc(comm, desc, &layout);
        CHECK(same_everywhere(comm, status));
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK((layout != NULL) == (status == SCALAY_SUCCESS));
        scalay_layout_destroy(&layout);
        CHECK(scalay_memory_live() == live);
        failures++;
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
    CHECK(failures >= 3);
    scalay_memory_fail_at(0);
    free_grid(&grid);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    every_grid_gives_scalapacks_layout(MPI_COMM_WORLD);
    a_reversed_half_works_alone();
    a_grid_of_another_communicator_is_translated();
    one_wrong_descriptor_fails_everywhere();
    a_failed_allocation_fails_everywhere();
    return check_verdict();
}
