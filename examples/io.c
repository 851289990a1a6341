/* All ranks read a matrix file into a block-cyclic layout, and write it in another format. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/scalay.h"

static int check(scalay_status status)
{
    if (status != SCALAY_SUCCESS) fprintf(stderr, "%s\n", scalay_error_message());
    return status == SCALAY_SUCCESS;
}

/* Element (i, j) is 10 i + j. */
static void fill(const scalay_layout *layout, int rank, double *local)
{
    scalay_rectangle r;
    for (int64_t k = 0; scalay_layout_rectangle(layout, rank, k, &r) == SCALAY_SUCCESS; k++)
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                local[r.offset + i + j * r.ld] = 10.0 * (double)(r.row + i) + (double)(r.col + j);
}

static int same(const double *a, const double *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (a[k] != b[k]) return 0;
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, fine = 1, all = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    fine = fine && check(scalay_comm_create(MPI_COMM_WORLD, &comm));
    fine = fine && check(scalay_layout_block_cyclic(7, 5, 2, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &layout));

    int rank = scalay_comm_rank(comm);
    int64_t count = scalay_layout_local_size(layout, rank);
    double *a = calloc((size_t)count + 1, sizeof *a), *b = calloc((size_t)count + 1, sizeof *b);
    fill(layout, rank, a);

    /* The ending of the name selects the format. Options select its variant. */
    scalay_file_options options = scalay_file_options_default();
    options.order = SCALAY_ROW_MAJOR; /* the default of NumPy */
    fine = fine && check(scalay_matrix_write(comm, "example_io.npy", &options, layout, SCALAY_DOUBLE, a));
    fine = fine && check(scalay_matrix_write(comm, "example_io.mtx", NULL, layout, SCALAY_DOUBLE, a));

    const char *const names[] = {"example_io.npy", "example_io.mtx"};
    for (int k = 0; k < 2 && fine; k++) {
        scalay_file_info info;
        char text[128];
        fine = check(scalay_matrix_inspect(comm, names[k], &info)) && info.m == 7 && info.n == 5;
        scalay_file_describe(&info, text, sizeof text);
        if (rank == 0) printf("%s: %s\n", names[k], text);
        fine = fine && check(scalay_matrix_read(comm, names[k], layout, SCALAY_DOUBLE, b)) && same(a, b, count);
    }
    if (rank == 0)
        for (int k = 0; k < 2; k++) remove(names[k]);

    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    free(a);
    free(b);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return all ? 0 : 1;
}
