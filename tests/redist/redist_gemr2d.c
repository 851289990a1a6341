/* What ScaLAPACK's own p?gemr2d leaves in memory is what a plan leaves there, byte for byte. */

#include "parallel/blacs.h"
#include "redist/matrix.h"
#include "scalay/redist.h"
#include "support/check.h"

void Cpsgemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);
void Cpdgemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);
void Cpcgemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);
void Cpzgemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);
void Cpigemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);

static const struct {
    scalay_type type;
    void (*move)(int, int, void *, int, int, int *, void *, int, int, int *, int);
} peers[] = {{SCALAY_FLOAT, Cpsgemr2d},
             {SCALAY_DOUBLE, Cpdgemr2d},
             {SCALAY_COMPLEX_FLOAT, Cpcgemr2d},
             {SCALAY_COMPLEX_DOUBLE, Cpzgemr2d},
             {SCALAY_INT, Cpigemr2d}};

/* The context that the definition's descriptor was made with, once more; -1 outside of it. */
static void revive(scalay_comm *comm, definition *d)
{
    CHECK_STATUS(scalay_grid_acquire(comm, d->p, d->q, d->process, &d->desc[CTXT_]), SCALAY_SUCCESS);
}

static void move_by_scalapack(scalay_comm *comm, int peer, definition *source, definition *target, local_array *a,
                              local_array *b)
{
    int ctxt = -1;
    revive(comm, source);
    revive(comm, target);
    CHECK_STATUS(scalay_grid_acquire(comm, 1, comm->size, NULL, &ctxt), SCALAY_SUCCESS);
    peers[peer].move((int)source->m, (int)source->n, array_data(a), (int)source->row + 1, (int)source->col + 1,
                     source->desc, array_data(b), (int)target->row + 1, (int)target->col + 1, target->desc, ctxt);
    CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_grid_release(comm, &source->desc[CTXT_]), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_grid_release(comm, &target->desc[CTXT_]), SCALAY_SUCCESS);
}

static void compare(scalay_comm *comm, int peer, const char *transport, definition *source, definition *target)
{
    const size_t size = scalay_type_size(peers[peer].type);
    const scalay_plan_options options = {.size = sizeof options, .transport = transport};
    scalay_plan *plan = NULL;
    local_array a = make_array(source, comm->rank, size, 1);
    local_array ours = make_array(target, comm->rank, size, 0);
    local_array theirs = make_array(target, comm->rank, size, 0);
    CHECK_STATUS(scalay_plan_create(comm, source->layout, target->layout, NULL, peers[peer].type, &options, &plan),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute(plan, array_data(&a), array_data(&ours)), SCALAY_SUCCESS);
    move_by_scalapack(comm, peer, source, target, &a, &theirs);
    CHECK(arrays_equal(&ours, &theirs));
    scalay_plan_destroy(&plan);
    free_array(&a);
    free_array(&ours);
    free_array(&theirs);
}

int main(int argc, char **argv)
{
    enum { CASES = 40, SEED = 5 };
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_random random = scalay_random_seed(SEED);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    if (check_rank() == 0) printf("seed %d\n", SEED);
    for (int k = 0; k < CASES; k++) {
        definition source, target;
        const int64_t m = 1 + scalay_random_below(&random, 150), n = 1 + scalay_random_below(&random, 150);
        CHECK_STATUS(make_definition(&random, comm, KIND_DESCRIPTOR, m, n, &source), SCALAY_SUCCESS);
        CHECK_STATUS(make_definition(&random, comm, KIND_DESCRIPTOR, m, n, &target), SCALAY_SUCCESS);
        compare(comm, k % 5, k % 2 ? "mpi" : "shared", &source, &target);
        definition_free(&source);
        definition_free(&target);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
