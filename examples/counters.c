/* Counts hardware events of a loop. Events that this machine cannot count are listed with the reason. */
#include <mpi.h>
#include <stdio.h>

#include "scalay/scalay.h"

static double add_up(int terms)
{
    double sum = 0.0;
    for (int k = 1; k <= terms; k++) sum += 1.0 / k;
    return sum;
}

/* Two events of PAPI, and one event of the operating system, which virtual machines have too. */
static int count(int talks)
{
    scalay_counters *counters = NULL;
    scalay_counters_summary summary = {0};
    int64_t found[4] = {0};
    double sum = 0.0;
    scalay_status status = scalay_counters_create("PAPI_TOT_CYC,PAPI_DP_OPS,perf::TASK-CLOCK", &counters);
    if (status == SCALAY_ERROR_UNSUPPORTED) { /* ScaLAY was built without PAPI; this is not a failure */
        if (talks) puts(scalay_error_message());
        return 1;
    }
    if (status == SCALAY_SUCCESS) status = scalay_counters_start(counters);
    sum = add_up(1000000);
    if (status == SCALAY_SUCCESS) status = scalay_counters_stop(counters, found);
    if (status == SCALAY_SUCCESS) status = scalay_counters_get_summary(counters, &summary);
    for (int k = 0; talks && k < summary.count; k++)
        printf("%s: %lld for a sum of %.3f\n", summary.name[k], (long long)found[k], sum);
    if (talks) printf("threads counted: %d\n", summary.threads);
    if (talks && status == SCALAY_SUCCESS) printf("not counted: %s\n", summary.unavailable);
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
