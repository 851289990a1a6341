/* An allocation of a subcommand under mpirun fails on one rank: all ranks return the same status and leave nothing
   behind. The allocations are sampled, because all of them would take minutes. Only one subcommand measures the
   machine. */

#include <stdlib.h>

#include "quiet.h"
#include "support/check.h"

/* Allocations that fail for each command line. */
static int samples = 2;

/* Allocations of a run in which none fails, on the rank with the most. */
static int64_t clean_requests;

static void write_matrix(const char *path, int m, int n)
{
    FILE *stream = check_rank() == 0 ? fopen(path, "w") : NULL;
    if (stream != NULL) {
        fprintf(stream, "%%%%MatrixMarket matrix array real general\n%d %d\n", m, n);
        for (int k = 0; k < m * n; k++) fprintf(stream, "%d\n", k * k % 17);
        fclose(stream);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The largest of a number over all ranks. */
static int64_t maximum(int64_t mine)
{
    int64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* Runs a command line while the n-th allocation of one rank fails (0: none), on a new communicator, which owns the
   contexts it caches. Returns the status of all ranks. */
static scalay_status run_with_failure(const char *line, int64_t n, int victim)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    scalay_memory_fail_at(check_rank() == victim ? n : 0);
    scalay_status status = quiet_run(line, comm);
    int64_t requests = scalay_memory_requests();
    scalay_memory_fail_at(0);
    CHECK(maximum((int64_t)status) == (int64_t)status);
    scalay_comm_destroy(&comm);
    CHECK(scalay_memory_live() == 0);
    CHECK(scalay_grids_live() == 0);
    if (n == 0) clean_requests = maximum(requests);
    return status;
}

/* At least `min_failures` of the sampled runs fail. Only rank 0 makes most of the allocations. */
static void sample(const char *line, int min_failures)
{
    int failed = 0;
    CHECK_STATUS(run_with_failure(line, 0, 0), SCALAY_SUCCESS);
    for (int k = 0; k < samples; k++) {
        int victim = k % check_size();
        scalay_status status = run_with_failure(line, 1 + clean_requests * k / samples, victim);
        if (status != SCALAY_SUCCESS) CHECK_STATUS(status, SCALAY_ERROR_MEMORY);
        failed += status != SCALAY_SUCCESS;
    }
    CHECK(failed >= min_failures);
}

int main(int argc, char **argv)
{
    char path[64], other[64], line[QUIET_LENGTH];
    MPI_Init(&argc, &argv);
    if (argc > 1) samples = atoi(argv[1]);
    quiet_start();
    (void)snprintf(path, sizeof path, "cli_memory_%d.mtx", check_size());
    (void)snprintf(other, sizeof other, "cli_memory_%d_other.mtx", check_size());
    write_matrix(path, 8, 6);
    write_matrix(other, 6, 5);
    /* After eight measurements, imprecise rates are kept. */
    (void)snprintf(line, sizeof line, "calibrate --seconds 0.05 --machine %s.txt", path);
    for (int k = 0; k < 8; k++) CHECK_STATUS(run_with_failure(line, 0, 0), SCALAY_SUCCESS);
    sample("profile --kernel dgemv:n=4 --sizes 3,5 --repetitions 1:1 --json", samples / 3);
    sample("profile --kernel stencil:n=4 --sizes 3:5:1 --repetitions 1:1", samples / 3);
    (void)snprintf(line, sizeof line, "redistribute %s --to cyclic:mb=2,nb=2,p=1,q=1 --op T --repeat 1 --json", path);
    sample(line, samples / 2);
    (void)snprintf(line, sizeof line, "qr %s --nb 2 --repeat 1 --machine %s.txt", path, path);
    sample(line, samples / 2);
    (void)snprintf(line, sizeof line, "gemm %s %s --compare --verify --repeat 1 --machine %s.txt", path, other, path);
    sample(line, samples / 2);
    return check_verdict();
}
