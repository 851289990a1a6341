/*
 * Cyclic maps: keeping processors of different speeds busy while a factorisation shrinks the matrix.
 *
 * An LU or QR factorisation works on smaller and smaller trailing matrices. A partition that gives each processor one
 * area balances the first of them only. Three remedies for speeds 4 : 2 : 1, and what each keeps of the ideal.
 */
#include <mpi.h>
#include <stdio.h>

#include "scalay/partition.h"

static int rank, wrong;

/* Says what holds, and remembers what does not. */
static void show(int holds, const char *what)
{
    if (!holds) wrong++;
    if (rank == 0) printf("%s %s\n", holds ? "   ok:" : "WRONG:", what);
}

static double balance_of(const char *name, const scalay_owner_map *map, const double *speed)
{
    double balance = 0;
    if (scalay_owner_map_trailing_balance(map, 8, speed, &balance) != SCALAY_SUCCESS && rank == 0)
        printf("%s\n", scalay_error_message());
    if (rank == 0) printf("%-40s %.3f\n", name, balance);
    return balance;
}

/* The fastest has the left, the other two share the right: few elements are sent in a product, little balance in LU. */
static scalay_owner_map *contiguous(void)
{
    scalay_owner_map *map = NULL;
    const int64_t row_cut[] = {0, 512, 768}, col_cut[] = {0, 440, 768};
    const int owner[] = {0, 1, 0, 2};
    scalay_owner_map_create(2, 2, row_cut, col_cut, 3, owner, &map);
    return map;
}

int main(int argc, char **argv)
{
    const double speed[] = {4, 2, 1}, grid_speed[] = {4, 2, 2, 1};
    scalay_owner_map *map = NULL, *spread = NULL, *columns = NULL, *blocks = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    /* the same areas, tile rows and tile columns in another order */
    map = contiguous();
    const double poor = balance_of("one area each", map, speed);
    scalay_owner_map_balance_suffixes(map, 8, &spread);
    const double good = balance_of("the same, its suffixes balanced", spread, speed);
    show(good > 0.95 && good > poor + 0.3, "balancing the suffixes pays");
    show(scalay_owner_map_elements(spread, 1) == scalay_owner_map_elements(map, 1), "and nobody's share changes");

    /* block columns of 8, dealt out from the last one on */
    scalay_cyclic_columns(768, 768, 8, 3, speed, &columns);
    show(balance_of("heterogeneous columns", columns, speed) > 0.95, "columns are balanced, too");

    /* Kalinov and Lastovetsky: 9 x 9 tiles on a 2 x 2 grid, again and again */
    scalay_cyclic_generalised_block(768, 768, 8, 9, 2, 2, grid_speed, &blocks);
    show(balance_of("generalised blocks, speeds 4 2 / 2 1", blocks, grid_speed) > 0.8, "generalised blocks nearly so");

    scalay_owner_map_destroy(&map);
    scalay_owner_map_destroy(&spread);
    scalay_owner_map_destroy(&columns);
    scalay_owner_map_destroy(&blocks);
    MPI_Finalize();
    return wrong > 0;
}
