/*
 * C := A B on processes of different speeds. Rank 0 is four times as fast as the others, so its part of C is four times
 * as large. A and B move to the parts, and C returns to its layout. First in one call, then planned and repeated.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/scalay.h"

enum { N = 200 };

/* The matrices are on a process grid, as in a ScaLAPACK program. */
static scalay_layout *grid(int ranks)
{
    scalay_layout *layout = NULL;
    if (scalay_layout_block_cyclic(N, N, 16, 16, 1, ranks, 0, 0, SCALAY_ROW_MAJOR, &layout) != SCALAY_SUCCESS)
        puts(scalay_error_message());
    return layout;
}

static double *fill(const scalay_layout *layout, int rank, double value)
{
    const int64_t size = scalay_layout_local_size(layout, rank);
    double *a = calloc((size_t)size + 1, sizeof *a);
    for (int64_t k = 0; k < size; k++) a[k] = value / (double)(1 + (k + rank) % 17);
    return a;
}

/* Rank 0 is four times as fast, so its area is four times as large. */
static scalay_partition *uneven(int ranks)
{
    double *speed = calloc((size_t)ranks, sizeof *speed);
    scalay_partition *partition = NULL;
    for (int rank = 0; rank < ranks; rank++) speed[rank] = rank == 0 ? 4.0 : 1.0;
    if (scalay_partition_create(N, N, ranks, speed, NULL, &partition) != SCALAY_SUCCESS) puts(scalay_error_message());
    free(speed);
    return partition;
}

/* Checks A (B x) = C x. */
static int is_right(scalay_comm *comm, const scalay_layout *layout, const double *a, const double *b, const double *c)
{
    const scalay_gemm_product product = {
        .type = SCALAY_DOUBLE, .layout_a = layout, .layout_b = layout, .layout_c = layout, .a = a, .b = b, .c = c};
    double error = 1e9;
    return scalay_gemm_check(comm, &product, 7, &error) == SCALAY_SUCCESS && error < 1.0;
}

/* Plans once and multiplies twice. The slow ranks are equal, so the mapping may permute their parts. */
static int planned(scalay_comm *comm, const scalay_layout *layout, const double *a, const double *b, double *c)
{
    const int ranks = scalay_comm_size(comm);
    scalay_partition *partition = uneven(ranks);
    scalay_gemm *gemm = NULL;
    scalay_gemm_statistics s;
    char text[1024];
    int *group = calloc((size_t)ranks, sizeof *group);
    for (int rank = 1; rank < ranks; rank++) group[rank] = 1;
    scalay_gemm_options options = scalay_gemm_options_default();
    options.map = scalay_partition_map(partition);
    options.objective = SCALAY_MIN_VOLUME;
    options.group = group;
    int fine = scalay_gemm_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout, layout, layout,
                                  &options, &gemm) == SCALAY_SUCCESS;
    for (int turn = 0; fine && turn < 2; turn++)
        fine = scalay_gemm_execute(gemm, NULL, a, b, NULL, c) == SCALAY_SUCCESS;
    fine = fine && scalay_gemm_get_statistics(gemm, &s) == SCALAY_SUCCESS;
    if (fine && scalay_comm_rank(comm) == 0) {
        (void)scalay_gemm_describe(gemm, text, sizeof text);
        printf("%s\n%lld elements moved there, %lld travelled while multiplying; rank 0 has %lld of %d elements of C\n",
               text, (long long)s.move_volume, (long long)s.multiply_volume,
               (long long)scalay_layout_elements(scalay_gemm_layout(gemm), 0), N * N);
    }
    scalay_gemm_destroy(&gemm);
    scalay_partition_destroy(&partition);
    free(group);
    return fine;
}

/* The other types, on 1 x 1 matrices of rank 0: 2 * 3 + 4 and (2 i) (3 i) + 4. */
static int other_types(scalay_comm *comm)
{
    const scalay_op no = SCALAY_NO_TRANSPOSE;
    const float s_a = 2.0f, s_b = 3.0f, one_c[] = {1.0f, 0.0f}, a_c[] = {0.0f, 2.0f}, b_c[] = {0.0f, 3.0f};
    const double one_z[] = {1.0, 0.0}, a_z[] = {0.0, 2.0}, b_z[] = {0.0, 3.0};
    float s = 4.0f, c[] = {4.0f, 0.0f};
    double z[] = {4.0, 0.0};
    scalay_layout *l = NULL;
    int fine = scalay_layout_block_cyclic(1, 1, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &l) == SCALAY_SUCCESS &&
               scalay_psgemm(comm, no, no, 1.0f, l, &s_a, l, &s_b, 1.0f, l, &s, NULL, NULL) == SCALAY_SUCCESS &&
               scalay_pcgemm(comm, no, no, one_c, l, a_c, l, b_c, one_c, l, c, NULL, NULL) == SCALAY_SUCCESS &&
               scalay_pzgemm(comm, no, no, one_z, l, a_z, l, b_z, one_z, l, z, NULL, NULL) == SCALAY_SUCCESS;
    scalay_layout_destroy(&l);
    return fine && (scalay_comm_rank(comm) != 0 || (s > 9.9f && s < 10.1f && z[0] < -1.9 && c[0] < -1.9f));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    const int rank = scalay_comm_rank(comm);
    scalay_layout *layout = grid(scalay_comm_size(comm));
    double *a = fill(layout, rank, 1.0), *b = fill(layout, rank, -2.0), *c = fill(layout, rank, 0.0);
    scalay_gemm_statistics s = {0};
    int fine = scalay_pdgemm(comm, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, 1.0, layout, a, layout, b, 0.0, layout, c,
                             NULL, &s) == SCALAY_SUCCESS &&
               !s.moves_a && !s.moves_b && !s.moves_c && is_right(comm, layout, a, b, c);
    fine = fine && planned(comm, layout, a, b, c) && is_right(comm, layout, a, b, c) && other_types(comm);
    if (!fine) puts(scalay_error_message());
    free(c);
    free(b);
    free(a);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
