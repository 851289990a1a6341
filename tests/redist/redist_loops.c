/* Long loops of create and destroy leak nothing: no memory, no communicator, no BLACS grid. The number of rounds is the
   first argument. */

#include <stdlib.h>
#include <unistd.h>

#include "scalay/redist.h"
#include "support/check.h"

#ifdef __SANITIZE_ADDRESS__ /* slow, and sees every leak at once */
enum { ROUNDS = 200 };
#elif defined(OPEN_MPI)
enum { ROUNDS = 2000 };
#else /* MPICH's waiting processes spin: with more of them than cores a round takes a tenth of a second */
enum { ROUNDS = 500 };
#endif
enum { MEGABYTE = 1 << 20 };

/* Resident bytes; 0 where the system does not tell, and under a sanitizer, which keeps what was freed. */
static int64_t resident_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#endif
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    fclose(file);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

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

static const char *const transports[] = {"shared", "mpi", "blacs"};

static void run_round(scalay_comm *comm, const scalay_layout *source, int round)
{
    double a[11 * 13] = {0}, b[11 * 13] = {0};
    int ctxt = -1, desc[9];
    scalay_layout *target = NULL;
    scalay_mapping *mapping = NULL;
    scalay_plan *plan = NULL;
    const scalay_plan_options options = {.transport = transports[round % 3]};
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

/* One communicator, many grids and plans; and now and then a communicator of its own. */
static void run_rounds(int rounds)
{
    scalay_comm *comm = NULL, *other = NULL;
    scalay_layout *source = NULL;
    int64_t live = 0, resident = 0;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(11, 13, 3, 2, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &source),
                 SCALAY_SUCCESS);
    for (int round = 0; round < rounds && check_failures == 0; round++) {
        run_round(comm, source, round);
        if (round % 10 == 0) {
            CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &other), SCALAY_SUCCESS);
            run_round(other, source, round);
            scalay_comm_destroy(&other);
        }
        if (round != rounds / 2) continue;
        live = scalay_memory_live();
        resident = resident_bytes();
    }
    /* the cache may be fuller by a few grids, of two arrays each */
    CHECK(scalay_memory_live() <= live + 2 * (SCALAY_GRIDS_KEPT + 1));
    CHECK(scalay_grids_live() <= SCALAY_GRIDS_KEPT + 2);
    CHECK(resident_bytes() <= resident + MEGABYTE);
    if (check_rank() == 0)
        printf("%d rounds, resident memory grew by %lld bytes in the second half\n", rounds,
               (long long)(resident_bytes() - resident));
    scalay_layout_destroy(&source);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    run_rounds(argc > 1 ? atoi(argv[1]) : ROUNDS);
    return check_verdict();
}
