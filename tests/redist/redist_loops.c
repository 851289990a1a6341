/* Long loops of create and destroy leak nothing: no memory, no communicator, no BLACS grid, no window, no open file.
   The program prints the time of a round in the first and in the second half. The first argument is the number of
   rounds.

   On a machine that runs other programs, each collective call may wait for a time slice on every rank, and a round may
   take 0.6 s instead of 1 ms. A half therefore ends early if its time is over, but not before MIN_ROUNDS rounds. */

#include <stdlib.h>

#include "redist/handles.h"
#include "scalay/redist.h"
#include "support/check.h"
#include "support/process.h"

#ifdef __SANITIZE_ADDRESS__ /* slow, and detects every leak at once */
enum { ROUNDS = 60 };
#else
enum { ROUNDS = 120 };
#endif
enum { MIN_ROUNDS = 30, ROUNDS_PER_CHECK = 10, SECONDS = 3 };
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

static void run_round(scalay_comm *comm, const scalay_layout *source, int round)
{
    double a[11 * 13] = {0}, b[11 * 13] = {0};
    int ctxt = -1, desc[9];
    scalay_layout *target = NULL;
    scalay_mapping *mapping = NULL;
    scalay_plan *plan = NULL;
    const scalay_plan_options options = {.size = sizeof options, .transport = scalay_transport_name(round % 5)};
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
static void compare_inventories(const inventory *start, const inventory *half, const inventory *end, int first_rounds,
                                int second_rounds)
{
    enum { GRIDS = SCALAY_GRIDS_KEPT + 2, COMMUNICATORS = 6 };
    CHECK(end->arrays <= half->arrays + 2 * GRIDS);
    CHECK(end->resident <= half->resident + MEGABYTE);
    CHECK(end->communicators <= half->communicators + COMMUNICATORS * GRIDS);
    CHECK(end->windows <= half->windows);
    CHECK(end->files <= half->files);
    CHECK(scalay_grids_live() <= GRIDS);
    if (check_rank() == 0)
        printf("%d rounds of %.3f ms, then %d of %.3f ms; in the second half resident memory grew by %lld bytes\n",
               first_rounds, 1e3 * (half->time - start->time) / first_rounds, second_rounds,
               1e3 * (end->time - half->time) / second_rounds, (long long)(end->resident - half->resident));
}

/* One communicator, many grids and plans; every tenth round, another communicator. */
static void run_round_of_all(scalay_comm *comm, const scalay_layout *source, int round)
{
    scalay_comm *other = NULL;
    run_round(comm, source, round);
    if (round % 10 != 0) return;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &other), SCALAY_SUCCESS);
    run_round(other, source, round);
    run_on_node(other, source, round);
    scalay_comm_destroy(&other);
    run_on_node(comm, source, round);
}

/* Returns 1 on all ranks if a half of the test has lasted too long on rank 0. */
static int is_time_over(double start)
{
    int over = MPI_Wtime() - start > SECONDS;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over;
}

/* Runs at most `rounds` rounds from `first`. Returns the number of the next round. */
static int run_half(scalay_comm *comm, const scalay_layout *source, int first, int rounds)
{
    const double start = MPI_Wtime();
    int round = first;
    for (; round < first + rounds && check_failures == 0; round++) {
        run_round_of_all(comm, source, round);
        if (rounds <= ROUNDS && round - first >= MIN_ROUNDS && round % ROUNDS_PER_CHECK == 0 && is_time_over(start))
            return round + 1;
    }
    return round;
}

static void run_rounds(int rounds)
{
    scalay_comm *comm = NULL;
    scalay_layout *source = NULL;
    const inventory start = take_inventory();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(11, 13, 3, 2, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &source),
                 SCALAY_SUCCESS);
    const int middle = run_half(comm, source, 0, rounds / 2);
    const inventory half = take_inventory();
    const int last = run_half(comm, source, middle, middle);
    const inventory end = take_inventory();
    compare_inventories(&start, &half, &end, middle, last - middle);
    scalay_layout_destroy(&source);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    run_rounds(argc > 1 ? atoi(argv[1]) : ROUNDS);
    return check_verdict();
}
