/* What does it cost the processor? Events of a loop are counted; those that this machine does not count are named. */
#include <mpi.h>
#include <stdio.h>

#include "scalay/scalay.h"

static double add_up(int terms)
{
    double sum = 0.0;
    for (int k = 1; k <= terms; k++) sum += 1.0 / k;
    return sum;
}

/* PAPI's names, and one of the kernel's own counters, which virtual machines have too. */
static int count(int talks)
{
    scalay_counters *counters = NULL;
    int64_t found[4] = {0};
    double sum = 0.0;
    scalay_status status = scalay_counters_create("PAPI_TOT_CYC,PAPI_DP_OPS,perf::TASK-CLOCK", &counters);
    if (status == SCALAY_ERROR_UNSUPPORTED) { /* not a failure of this program: there is no PAPI */
        if (talks) puts(scalay_error_message());
        return 1;
    }
    if (status == SCALAY_SUCCESS) status = scalay_counters_start(counters);
    sum = add_up(1000000);
    if (status == SCALAY_SUCCESS) status = scalay_counters_stop(counters, found);
    for (int k = 0; talks && k < scalay_counters_count(counters); k++)
        printf("%s: %lld for a sum of %.3f\n", scalay_counters_name(counters, k), (long long)found[k], sum);
    if (talks) printf("threads that were counted: %d\n", scalay_counters_threads(counters));
    if (talks) printf("not counted here: %s\n", scalay_counters_unavailable(counters));
    scalay_counters_destroy(&counters);
    return status == SCALAY_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int fine = count(rank == 0);
    if (!fine) puts(scalay_error_message());
    MPI_Finalize();
    return fine ? 0 : 1;
}
