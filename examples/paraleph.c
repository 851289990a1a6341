/* PARALEPH distributes a workload over 12 identical processors, by dynamic programming on all ranks of a communicator.
 * The exact solver finds the same result on one rank, and faster. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/context.h"
#include "scalay/published.h"
#include "scalay/workload.h"

static void stop_unless_done(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Sizes that are not multiples of 4 run at two thirds of the speed. */
static int measure(int64_t size, double *time, double *energy, void *context)
{
    (void)context;
    *time = (double)size * (size % 4 == 0 ? 2.0 : 3.0);
    *energy = (double)(size * 5 + (size % 4 == 0 ? 0 : 7));
    return 1;
}

static void print_answer(const char *what, const scalay_workload *workload)
{
    int64_t shares = 0;
    const scalay_workload_share *share = NULL;
    scalay_workload_summary summary;
    stop_unless_done(scalay_workload_get_summary(workload, &summary));
    stop_unless_done(scalay_workload_histogram(workload, &shares, &share));
    printf("%s: time %g s, energy %g J, %lld of %lld processors:", what, summary.time, summary.energy,
           (long long)summary.active, (long long)summary.processors);
    for (int64_t k = 0; k < shares; k++) printf("  %lld x %lld", (long long)share[k].count, (long long)share[k].size);
    printf("\n");
}

/* Returns whether PARALEPH and the exact solver agree. */
static int solve(scalay_comm *comm, const scalay_profile *profile, scalay_published_objective objective)
{
    scalay_workload *together = NULL;
    scalay_workload *alone = NULL;
    scalay_workload_summary mine;
    scalay_workload_summary exact;
    stop_unless_done(scalay_published_paraleph(comm, profile, 100, objective, 1, &together));
    stop_unless_done(objective == SCALAY_OBJECTIVE_TIME ? scalay_workload_min_time(profile, 100, NULL, &alone)
                                                        : scalay_workload_min_energy(profile, 100, NULL, &alone));
    if (scalay_comm_rank(comm) == 0)
        print_answer(objective == SCALAY_OBJECTIVE_TIME ? "least time" : "least energy", together);
    stop_unless_done(scalay_workload_get_summary(together, &mine));
    stop_unless_done(scalay_workload_get_summary(alone, &exact));
    scalay_workload_destroy(&together);
    scalay_workload_destroy(&alone);
    return mine.total == exact.total;
}

int main(int argc, char **argv)
{
    int provided = 0;
    scalay_comm *comm = NULL;
    scalay_profile *profile = NULL;
    /* The threads of a rank do not call MPI. */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    stop_unless_done(scalay_comm_create(MPI_COMM_WORLD, &comm));
    stop_unless_done(scalay_profile_function("node", 12, 30, measure, NULL, 1, &profile));
    const int right = solve(comm, profile, SCALAY_OBJECTIVE_TIME) && solve(comm, profile, SCALAY_OBJECTIVE_ENERGY);
    scalay_profile_destroy(&profile);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return right ? 0 : 1;
}
