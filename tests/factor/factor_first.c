/*
 * QR, LU and Cholesky of a 200 x 200 matrix in a block-cyclic layout, on processes of unequal speeds. On whole tile
 * columns, panels that are read in shared memory give the same bits as panels that are sent.
 */
#include "factor/factor_object.h"
#include "parallel/comm.h"
#include "parallel/node.h"

/* Factors three times; returns the local array of the last execution. */
static double *factor_by(scalay_comm *comm, const object_case *c, const char *transport)
{
    scalay_factor_statistics statistics = {0};
    scalay_factor_options options = scalay_factor_options_default();
    scalay_factor *factor = NULL;
    double *a = calloc((size_t)c->size + 1, sizeof *a);
    int info = -1;
    options.transport = transport;
    options.placement = SCALAY_PLACEMENT_STAY;
    options.nb = 16;
    CHECK_STATUS(scalay_factor_create(comm, c->kind, c->layout, SCALAY_DOUBLE, &options, &factor), SCALAY_SUCCESS);
    for (int k = 0; k < 3; k++) {
        object_fill(c, a);
        CHECK_STATUS(scalay_factor_execute(factor, a, &info), SCALAY_SUCCESS);
        CHECK(info == 0);
    }
    CHECK_STATUS(scalay_factor_get_statistics(factor, &statistics), SCALAY_SUCCESS);
    const int has_windows = comm->node != NULL && comm->node->size == comm->size && comm->node->has_windows;
    if (transport == NULL && has_windows) CHECK(statistics.messages == 0);
    scalay_factor_destroy(&factor);
    return a;
}

static void shared_panels_give_the_same_bits(scalay_comm *comm, scalay_factor_kind kind)
{
    object_case c = {.kind = kind, .type = SCALAY_DOUBLE, .uplo = SCALAY_LOWER};
    CHECK_STATUS(scalay_layout_block_cyclic(200, 200, 16, 16, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &c.layout),
                 SCALAY_SUCCESS);
    object_prepare(&c, scalay_layout_local_size(c.layout, comm->rank), 3);
    double *shared = factor_by(comm, &c, NULL), *sent = factor_by(comm, &c, "mpi");
    CHECK(memcmp(shared, sent, (size_t)c.size * sizeof *sent) == 0);
    free(sent);
    free(shared);
    scalay_layout_destroy(&c.layout);
}

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
        shared_panels_give_the_same_bits(comm, (scalay_factor_kind)kind);
    }
    scalay_comm_destroy(&comm);
    free(speeds);
    CHECK(scalay_memory_live() == 0);
    return check_verdict();
}
