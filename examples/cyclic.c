/*
 * Maps for factorisations on processors of different speeds.
 *
 * LU, QR and Cholesky factorisations update a trailing matrix that shrinks. A partition with one area per processor
 * balances only the first trailing matrix. This program compares maps that balance all of them, for speeds 4 : 2 : 1.
 */
#include <stdio.h>

#include "scalay/layout.h"
#include "scalay/partition.h"

enum { N = 768, NB = 8 };

static int wrong;

static void check(int holds, const char *property)
{
    if (!holds) wrong++;
    printf("%s %s\n", holds ? "   ok:" : "WRONG:", property);
}

static double balance_of(const char *name, const scalay_owner_map *map, const double *speed, scalay_trailing trailing)
{
    double balance = 0;
    if (scalay_owner_map_trailing_balance(map, NB, speed, trailing, &balance) != SCALAY_SUCCESS)
        printf("%s\n", scalay_error_message());
    printf("%-40s %.3f\n", name, balance);
    return balance;
}

/* Part 0 has the left side; parts 1 and 2 share the right side. */
static scalay_owner_map *contiguous(void)
{
    scalay_owner_map *map = NULL;
    const int64_t row_cut[] = {0, 512, 768}, col_cut[] = {0, 440, 768};
    const int owner[] = {0, 1, 0, 2};
    scalay_owner_map_create(2, 2, row_cut, col_cut, 3, owner, &map);
    return map;
}

int main(void)
{
    const double speed[] = {4, 2, 1}, grid_speed[] = {4, 2, 2, 1};
    const scalay_trailing full = SCALAY_TRAILING_FULL, lower = SCALAY_TRAILING_LOWER;
    scalay_owner_map *map = contiguous(), *ordered = NULL, *lu = NULL, *cholesky = NULL, *blocks = NULL;

    /* the same areas, with tile rows and tile columns in another order */
    scalay_owner_map_balance_suffixes(map, NB, speed, full, &ordered);
    const double before = balance_of("one area each", map, speed, full);
    const double after = balance_of("the same areas, reordered", ordered, speed, full);
    check(after > 0.95 && after > before + 0.3, "the order improves the balance");
    check(scalay_owner_map_elements(ordered, 1) == scalay_owner_map_elements(map, 1), "the areas stay the same");

    /* 1D-1D maps: for LU and QR, and for Cholesky, which updates the lower triangle only */
    scalay_owner_map_1d1d(N, N, NB, 3, speed, full, 0, &lu);
    scalay_owner_map_1d1d(N, N, NB, 3, speed, lower, 0, &cholesky);
    check(balance_of("1D-1D for LU and QR", lu, speed, full) > 0.95, "LU and QR are balanced");
    /* stored with ascending rows and columns, so that trailing matrices are trailing blocks of one array per process */
    scalay_layout *layout = NULL;
    scalay_layout_from_owner_map_ascending(lu, &layout);
    for (int process = 0; process < 3; process++)
        check(scalay_layout_subarray_count(layout, process) == 1, "a process has one array");
    scalay_layout_destroy(&layout);
    check(balance_of("1D-1D for Cholesky", cholesky, speed, lower) > 0.95, "Cholesky is balanced");

    /* Kalinov and Lastovetsky: a block of 9 x 9 tiles on a 2 x 2 grid, repeated */
    scalay_owner_map_generalised_block(N, N, NB, 9, 2, 2, grid_speed, &blocks);
    check(balance_of("generalised blocks, speeds 4 2 / 2 1", blocks, grid_speed, full) > 0.8, "less balanced");

    scalay_owner_map_destroy(&map);
    scalay_owner_map_destroy(&ordered);
    scalay_owner_map_destroy(&lu);
    scalay_owner_map_destroy(&cholesky);
    scalay_owner_map_destroy(&blocks);
    return wrong > 0;
}
