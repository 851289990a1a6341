/* Long loops of create and destroy leak nothing: no memory, no communicator, no BLACS grid, no window, no open file;
   how long a round takes in the first and in the second half is printed. The number of rounds is the first argument. */

#include <stdlib.h>

#include "redist/handles.h"
#include "scalay/redist.h"
#include "support/check.h"
#include "support/process.h"

#ifdef __SANITIZE_ADDRESS__ /* slow, and sees every leak at once */
enum { ROUNDS = 200 };
#elif defined(OPEN_MPI)
enum { ROUNDS = 1000 };
#else /* MPICH's waiting processes spin: with more of them than cores a round takes a tenth of a second */
enum { ROUNDS = 500 };
#endif
enum { MEGABYTE = 1 << 20 };

/* Grids of all shapes, their parts turned by one rank a round: more grids than a communicator keeps. */
static scalay_status make_target(int size, int round, scalay_layout **target, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *process = NULL;
    const int p = 1 + round % size, q = size / p;
    SCALAY_TRY(scalay_layout_block_cyclic(11, 13, 2, 3, p, q, 0, 0, SCALAY_ROW_MAJOR, target));
    SCALAY_TRY(SCALAY_NEW(process, p * q));
    for (int k = 0; k < p * q; k++) process[k] = (k + round / size) % size;
    SCALAY_TRY(scalay_mapping_from_processes(NULL, size, p * q, process, mapping));
cleanup:
    scalay_release(process);
    return status;
}

static const char *const transports[] = {"shared", "mpi", "blacs", "alltoallv"};

static void run_round(scalay_comm *comm, const scalay_layout *source, int round)
{
    double a[11 * 13] = {0}, b[11 * 13] = {0};
    int ctxt = -1, desc[9];
    scalay_layout *target = NULL;
    scalay_mapping *mapping = NULL;
    scalay_plan *plan = NULL;
    const scalay_plan_options options = {.size = sizeof options, .transport = transports[round % 5]};
    const int64_t elements = scalay_layout_local_size(source, comm->rank);
    for (int64_t k = 0; k < elements; k++) a[k] = (double)(1 + k);
    CHECK_STATUS(make_target(comm->size, round, &target, &mapping), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_grid_create(comm, target, mapping, &ctxt, desc), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_create(comm, source, target, mapping, SCALAY_DOUBLE, &options, &plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute(plan, a, b), SCALAY_SUCCESS);
    for (int64_t k = 0; k < elements; k++) a[k] = 0;
    CHECK_STATUS(scalay_plan_execute_back(plan, b, a), SCALAY_SUCCESS);
    for (int64_t k = 0; k < elements; k++)
        if (a[k] != (double)(1 + k)) CHECK(a[k] == (double)(1 + k));
    scalay_plan_destroy(&plan);
    CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&target);
}

/* An array of the node's, and a plan of two matrices that moves there and stays in place elsewhere. */
static void run_on_node(scalay_comm *comm, const scalay_layout *layout, int round)
{
    const int64_t elements = scalay_layout_local_size(layout, comm->rank);
    const scalay_plan_options options = {
        .size = sizeof options, .in_place = 1, .transport = round % 20 ? "mpi" : "auto"};
    const scalay_plan_matrix matrices[2] = {
        {.source = layout, .target = layout, .type = SCALAY_DOUBLE},
        {.source = layout, .target = layout, .type = SCALAY_FLOAT, .uplo = SCALAY_LOWER}};
    void *a = NULL, *b = NULL;
    scalay_plan *plan = NULL;
    CHECK_STATUS(scalay_alloc(comm, elements * 8, &a), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_alloc(comm, elements * 8, &b), SCALAY_SUCCESS);
    const scalay_operands operands[2] = {{.a = a, .b = a}, {.a = b, .b = (char *)b + elements * 4}};
    CHECK_STATUS(scalay_plan_create_many(comm, 2, matrices, &options, &plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, operands), SCALAY_SUCCESS);
    scalay_plan_destroy(&plan);
    scalay_free(&a);
    scalay_free(&b);
}

/* What there is, of everything that could leak. */
typedef struct {
    int64_t arrays, resident, communicators, windows, files;
    double time;
} inventory;

static inventory take_inventory(void)
{
    return (inventory){.arrays = scalay_memory_live(),
                       .resident = resident_bytes(),
                       .communicators = communicators_live,
                       .windows = windows_live,
                       .files = descriptors_open(),
                       .time = MPI_Wtime()};
}

/* The cache may be fuller by a few grids, of two arrays and some communicators each. */
static void compare_inventories(const inventory *start, const inventory *half, const inventory *end, int rounds)
{
    enum { GRIDS = SCALAY_GRIDS_KEPT + 2, COMMUNICATORS = 6 };
    CHECK(end->arrays <= half->arrays + 2 * GRIDS);
    CHECK(end->resident <= half->resident + MEGABYTE);
    CHECK(end->communicators <= half->communicators + COMMUNICATORS * GRIDS);
    CHECK(end->windows <= half->windows);
    CHECK(end->files <= half->files);
    CHECK(scalay_grids_live() <= GRIDS);
    if (check_rank() == 0)
        printf("%d rounds of %.3f ms, then of %.3f ms; in the second half resident memory grew by %lld bytes\n", rounds,
               2e3 * (half->time - start->time) / rounds, 2e3 * (end->time - half->time) / rounds,
               (long long)(end->resident - half->resident));
}

/* One communicator, many grids and plans; and now and then a communicator of its own. */
static void run_rounds(int rounds)
{
    scalay_comm *comm = NULL, *other = NULL;
    scalay_layout *source = NULL;
    inventory start = take_inventory(), half = start;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(11, 13, 3, 2, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &source),
                 SCALAY_SUCCESS);
    for (int round = 0; round < rounds && check_failures == 0; round++) {
        run_round(comm, source, round);
        if (round % 10 == 0) {
            CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &other), SCALAY_SUCCESS);
            run_round(other, source, round);
            run_on_node(other, source, round);
            scalay_comm_destroy(&other);
            run_on_node(comm, source, round);
        }
        if (round == rounds / 2) half = take_inventory();
    }
    const inventory end = take_inventory();
    compare_inventories(&start, &half, &end, rounds);
    scalay_layout_destroy(&source);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    run_rounds(argc > 1 ? atoi(argv[1]) : ROUNDS);
    return check_verdict();
}
