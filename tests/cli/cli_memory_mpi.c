/* An allocation of the subcommands under mpirun fails on one rank: all ranks end with the same status, nothing is left
   behind. Trying every allocation would take minutes; samples over the whole run do. The machine is measured by one of
   the subcommands alone. */

#include "quiet.h"
#include "support/check.h"

enum { SAMPLES = 6 };

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

/* Runs while the n-th allocation of one rank fails (0: none), on a communicator of its own, with which the contexts
   that it caches go; the status, which is everybody's. */
static scalay_status run_with_failure(const scalay_command *command, const scalay_options *options, int64_t n,
                                      int victim)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    scalay_memory_fail_at(check_rank() == victim ? n : 0);
    scalay_status status = quiet_run(command, options, comm);
    int64_t requests = scalay_memory_requests();
    scalay_memory_fail_at(0);
    CHECK(maximum((int64_t)status) == (int64_t)status);
    scalay_comm_destroy(&comm);
    CHECK(scalay_memory_live() == 0);
    CHECK(scalay_grids_live() == 0);
    if (n == 0) clean_requests = maximum(requests);
    return status;
}

/* `least` runs fail: not more than those whose victim is rank 0 where that does nearly everything. */
static void sample(const scalay_command *command, const scalay_options *options, int least)
{
    int failed = 0;
    CHECK_STATUS(run_with_failure(command, options, 0, 0), SCALAY_SUCCESS);
    for (int k = 0; k < SAMPLES; k++) {
        int victim = k % check_size();
        scalay_status status = run_with_failure(command, options, 1 + clean_requests * k / SAMPLES, victim);
        if (status != SCALAY_SUCCESS) CHECK_STATUS(status, SCALAY_ERROR_MEMORY);
        failed += status != SCALAY_SUCCESS;
    }
    CHECK(failed >= least);
}

int main(int argc, char **argv)
{
    char path[64], other[64], machine[64];
    MPI_Init(&argc, &argv);
    quiet_start();
    (void)snprintf(path, sizeof path, "cli_memory_%d.mtx", check_size());
    (void)snprintf(other, sizeof other, "cli_memory_%d_other.mtx", check_size());
    (void)snprintf(machine, sizeof machine, "cli_memory_%d_machine.txt", check_size());
    write_matrix(path, 8, 6);
    write_matrix(other, 6, 5);
    scalay_options move = {.operand = path, .to = "cyclic:mb=2,nb=2,p=1,q=1", .op = "T", .repeat = 1, .json = 1};
    scalay_options multiply = {
        .operand = path, .second_operand = other, .machine = machine, .repeat = 1, .compare = 1, .verify = 1};
    scalay_options factor = {.operand = path, .machine = machine, .nb = 2, .repeat = 1};
    scalay_options measure = {.kernel = "dgemv:n=4", .sizes = "3,5", .repetitions = "1:1", .json = 1};
    scalay_options print = {.kernel = "stencil:n=4", .sizes = "3:5:1", .repetitions = "1:1"};
    sample(&scalay_command_profile, &measure, SAMPLES / 3);
    sample(&scalay_command_profile, &print, SAMPLES / 3);
    sample(&scalay_command_redistribute, &move, SAMPLES / 2 + 1);
    sample(&scalay_command_qr, &factor, SAMPLES / 2 + 1);
    sample(&scalay_command_gemm, &multiply, SAMPLES / 2 + 1);
    return check_verdict();
}
