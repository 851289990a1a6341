/* What goes wrong on one rank goes wrong on all, with the same status, and leaves nothing behind. */
#include "multiply/sources.h"
#include "parallel/node.h"
#include "scalay/factor.h"
#include "support/matrix.h"

/* Everything a failing call is tried on. */
typedef struct {
    scalay_comm *comm;
    scalay_layout *layout;
    double *a;
    int bad; /* this rank is the one that does it wrong */
} fixture;

static void expect(fixture *f, scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                   const scalay_qr_options *options, const void *a, scalay_status expected)
{
    scalay_qr *qr = NULL;
    const int64_t live = scalay_memory_live();
    CHECK_STATUS(scalay_qr_create(comm, layout, type, options, a, &qr), expected);
    CHECK(qr == NULL && scalay_error_message()[0] != '\0');
    CHECK(scalay_memory_live() == live);
    MPI_Barrier(scalay_comm_handle(f->comm));
}

static void bad_arguments_on_one_rank_fail_on_all(fixture *f)
{
    const scalay_qr_options good = scalay_qr_options_default();
    expect(f, NULL, f->layout, SCALAY_DOUBLE, &good, f->a, SCALAY_ERROR_ARGUMENT);
    expect(f, f->comm, f->bad ? NULL : f->layout, SCALAY_DOUBLE, &good, f->a, SCALAY_ERROR_ARGUMENT);
    expect(f, f->comm, f->layout, f->bad ? SCALAY_INT : SCALAY_DOUBLE, &good, f->a, SCALAY_ERROR_ARGUMENT);
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &good, f->bad ? NULL : f->a, SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_create(f->comm, f->layout, SCALAY_DOUBLE, &good, f->a, NULL), SCALAY_ERROR_ARGUMENT);
}

static void bad_options_on_one_rank_fail_on_all(fixture *f)
{
    const int size = scalay_comm_size(f->comm);
    scalay_machine nowhere = {.seconds_per_flop = NAN};
    scalay_qr_options options = scalay_qr_options_default();
    if (f->bad) options.objective = (scalay_objective)17;
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, SCALAY_ERROR_ARGUMENT);
    options = scalay_qr_options_default();
    if (f->bad) options.nb = -1;
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, SCALAY_ERROR_ARGUMENT);
    options = scalay_qr_options_default();
    if (f->bad) options.machine = &nowhere;
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, SCALAY_ERROR_ARGUMENT);
    options = scalay_qr_options_default();
    options.nprow = size + 1;
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, SCALAY_ERROR_INFEASIBLE);
    options = scalay_qr_options_default();
    options.nb = 50000;
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, SCALAY_ERROR_RANGE);
    options = scalay_qr_options_default();
    options.transport = "carrier pigeon";
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, SCALAY_ERROR_ARGUMENT);
    if (size == 1) return;
    options = scalay_qr_options_default();
    options.nb = f->bad ? 8 : 16;
    expect(f, f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, SCALAY_ERROR_MISMATCH);
}

static void layouts_that_do_not_fit_are_refused(fixture *f)
{
    const int size = scalay_comm_size(f->comm);
    scalay_layout *layout = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(20, 20, 2, 2, size + 1, 1, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    expect(f, f->comm, layout, SCALAY_DOUBLE, NULL, f->a, SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&layout);
    /* Nobody holds such a matrix, but it must not get as far as being allocated. */
    CHECK_STATUS(scalay_layout_block_cyclic(3000000000, 2, 64, 64, size, 1, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    expect(f, f->comm, layout, SCALAY_DOUBLE, NULL, f->a, SCALAY_ERROR_RANGE);
    scalay_layout_destroy(&layout);
    CHECK_STATUS(scalay_layout_block_cyclic(200000, 200000, 64, 64, size, 1, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    expect(f, f->comm, layout, SCALAY_DOUBLE, NULL, f->a, SCALAY_ERROR_RANGE);
    scalay_layout_destroy(&layout);
}

static void bad_calls_on_a_factorisation_fail_on_all(fixture *f)
{
    scalay_qr *qr = NULL;
    scalay_qr_statistics statistics;
    double tau[64], residual = 0.0, orthogonality = 0.0;
    CHECK_STATUS(scalay_qr_create(f->comm, f->layout, SCALAY_DOUBLE, NULL, f->a, &qr), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_qr_bring_back(qr, f->bad ? NULL : f->a), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_form_q(qr, f->bad ? NULL : f->a), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_gather_tau(qr, f->bad ? NULL : tau), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_verify(qr, f->bad ? NULL : f->a, &residual, &orthogonality), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_verify(qr, f->a, f->bad ? NULL : &residual, &orthogonality), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_verify(qr, f->a, &residual, f->bad ? NULL : &orthogonality), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_get_statistics(qr, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_qr_destroy(&qr);

    CHECK_STATUS(scalay_qr_bring_back(NULL, f->a), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_form_q(NULL, f->a), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_gather_tau(NULL, tau), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_verify(NULL, f->a, &residual, &orthogonality), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_qr_get_statistics(NULL, &statistics), SCALAY_ERROR_ARGUMENT);
    scalay_qr_matrix matrix;
    CHECK_STATUS(scalay_qr_get_matrix(NULL, &matrix), SCALAY_ERROR_ARGUMENT);
    CHECK(scalay_qr_get_choice(NULL) == NULL);
    scalay_qr_destroy(&qr);
    scalay_qr_destroy(NULL);
}

/* The whole life of a factorisation; stops where something fails. */
static scalay_status live(fixture *f, double *q)
{
    scalay_qr *qr = NULL;
    double tau[64], residual = 0.0, orthogonality = 0.0;
    scalay_qr_options options = scalay_qr_options_default();
    options.nprow = scalay_comm_size(f->comm);
    options.nb = 4;
    scalay_status status = scalay_qr_create(f->comm, f->layout, SCALAY_DOUBLE, &options, f->a, &qr);
    CHECK((status == SCALAY_SUCCESS) == (qr != NULL));
    if (status == SCALAY_SUCCESS) status = scalay_qr_gather_tau(qr, tau);
    if (status == SCALAY_SUCCESS) status = scalay_qr_form_q(qr, q);
    if (status == SCALAY_SUCCESS) status = scalay_qr_verify(qr, f->a, &residual, &orthogonality);
    if (status == SCALAY_SUCCESS) status = scalay_qr_bring_back(qr, q);
    if (status == SCALAY_SUCCESS) CHECK(residual < 10.0 && orthogonality < 10.0);
    scalay_qr_destroy(&qr);
    return status;
}

static void every_failing_allocation_on_one_rank_fails_on_all(fixture *f)
{
    const int64_t live_before = scalay_memory_live(), size = scalay_layout_local_size(f->layout, check_rank());
    double *q = calloc((size_t)size + 1, sizeof *q);
    scalay_status status = SCALAY_ERROR_MEMORY;
    int failures = 0;
    for (int n = 1; status == SCALAY_ERROR_MEMORY && n < 2000; n++) {
        scalay_memory_fail_at(f->bad ? n : 0);
        status = live(f, q);
        scalay_memory_fail_at(0);
        failures += status == SCALAY_ERROR_MEMORY;
        int other = (int)status;
        MPI_Bcast(&other, 1, MPI_INT, 0, scalay_comm_handle(f->comm));
        CHECK(other == (int)status);
        CHECK(scalay_grids_live() <= SCALAY_GRIDS_KEPT);
        status = (scalay_status)other;
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
    CHECK(failures > 20);
    /* What the communicator keeps (contexts) may have been made; nothing else. */
    CHECK(scalay_memory_live() - live_before <= 4);
    free(q);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fixture f = {0};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &f.comm), SCALAY_SUCCESS);
    /* What a communicator finds out once, and keeps, is no leak. */
    CHECK_STATUS(scalay_node_probe(f.comm), SCALAY_SUCCESS);
    const int size = scalay_comm_size(f.comm), rank = scalay_comm_rank(f.comm);
    f.bad = rank == size - 1;
    CHECK_STATUS(scalay_layout_block_cyclic(20, 26, 3, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &f.layout), SCALAY_SUCCESS);
    f.a = matrix_local(SCALAY_DOUBLE, f.layout, rank, scalay_layout_local_size(f.layout, rank), 1);
    bad_arguments_on_one_rank_fail_on_all(&f);
    bad_options_on_one_rank_fail_on_all(&f);
    layouts_that_do_not_fit_are_refused(&f);
    bad_calls_on_a_factorisation_fail_on_all(&f);
    every_failing_allocation_on_one_rank_fails_on_all(&f);
    free(f.a);
    scalay_layout_destroy(&f.layout);
    scalay_comm_destroy(&f.comm);
    return check_verdict();
}
