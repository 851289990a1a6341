/* QR, LU and Cholesky of a 200 x 200 matrix in a block-cyclic layout, on processes of unequal speeds. */
#include "factor/factor_object.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    double *speeds = malloc((size_t)check_size() * sizeof *speeds);
    for (int p = 0; p < check_size(); p++) speeds[p] = p == 0 ? 1 : 0.5;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        object_case c = {.kind = (scalay_factor_kind)kind, .type = SCALAY_DOUBLE, .uplo = SCALAY_LOWER};
        CHECK_STATUS(scalay_layout_block_cyclic(200, 200, 16, 16, 1, check_size(), 0, 0, SCALAY_ROW_MAJOR, &c.layout),
                     SCALAY_SUCCESS);
        object_prepare(&c, scalay_layout_local_size(c.layout, check_rank()), 7);
        scalay_factor_options options = scalay_factor_options_default();
        options.speeds = speeds;
        options.placement = SCALAY_PLACEMENT_MOVE;
        object_run(comm, &c, &options, 1);
        scalay_layout_destroy(&c.layout);
    }
    scalay_comm_destroy(&comm);
    free(speeds);
    CHECK(scalay_memory_live() == 0);
    return check_verdict();
}
