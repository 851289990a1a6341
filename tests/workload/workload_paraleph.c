/* PARALEPH as callers see it: what the exact solvers find, on any communicator; errors that all ranks agree on. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scalay/context.h"
#include "scalay/published.h"
#include "scalay/workload.h"
#include "support/check.h"
#include "support/measured.h"
#include "support/seed.h"

enum { LARGEST = 40 };

static const scalay_published_objective objectives[] = {SCALAY_OBJECTIVE_TIME, SCALAY_OBJECTIVE_ENERGY};

static scalay_profile *measured(profile_shape shape, uint64_t seed, int64_t count)
{
    double workspace[3 * LARGEST];
    scalay_profile *profile = NULL;
    CHECK_STATUS(profile_generate("node", count, shape, seed, 100.0, LARGEST, workspace, &profile), SCALAY_SUCCESS);
    return profile;
}

static scalay_status solve_alone(const scalay_profile *profile, int64_t n, scalay_published_objective objective,
                                 scalay_workload **workload)
{
    return objective == SCALAY_OBJECTIVE_TIME ? scalay_workload_min_time(profile, n, NULL, workload)
                                              : scalay_workload_min_energy(profile, n, NULL, workload);
}

/* The same total as the exact solver's, and a distribution of n. */
static void agree_with_auto(scalay_comm *comm, const scalay_profile *profile, int64_t n,
                            scalay_published_objective objective, int threads)
{
    scalay_workload *together = NULL;
    scalay_workload *alone = NULL;
    scalay_workload_summary mine, exact;
    int64_t shares = 0, sum = 0, below[2], above[2];
    const scalay_workload_share *share = NULL;
    if (!CHECK_STATUS(scalay_published_paraleph(comm, profile, n, objective, threads, &together), SCALAY_SUCCESS))
        return;
    CHECK_STATUS(solve_alone(profile, n, objective, &alone), SCALAY_SUCCESS);
    CHECK(scalay_workload_feasible(together) == scalay_workload_feasible(alone));
    CHECK_STATUS(scalay_workload_nearest(together, &below[0], &above[0]), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_workload_nearest(alone, &below[1], &above[1]), SCALAY_SUCCESS);
    CHECK(below[0] == below[1] && above[0] == above[1]);
    CHECK_STATUS(scalay_workload_get_summary(together, &mine), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_workload_get_summary(alone, &exact), SCALAY_SUCCESS);
    CHECK(strcmp(mine.method, "paraleph") == 0);
    CHECK_STATUS(scalay_workload_histogram(together, &shares, &share), SCALAY_SUCCESS);
    for (int64_t k = 0; k < shares; k++) sum += share[k].size * share[k].count;
    if (scalay_workload_feasible(alone)) CHECK(mine.total == exact.total && sum == n);
    scalay_workload_destroy(&together);
    scalay_workload_destroy(&alone);
}

static void finds_what_the_exact_solvers_find(scalay_comm *comm)
{
    const uint64_t seed = wanted_seed(51);
    if (scalay_comm_rank(comm) == 0) printf("SCALAY_TEST_SEED=%llu\n", (unsigned long long)seed);
    scalay_random random = scalay_random_seed(seed);
    for (int s = 0; s < PROFILE_SHAPES; s++) {
        const int64_t count = 1 + scalay_random_below(&random, 7);
        scalay_profile *profile = measured((profile_shape)s, 1 + (uint64_t)s, count);
        const int64_t n = 1 + scalay_random_below(&random, count * LARGEST);
        for (int o = 0; o < 2; o++) agree_with_auto(comm, profile, n, objectives[o], 1);
        scalay_profile_destroy(&profile);
    }
}

static void nothing_too_much_and_one_processor_are_answered(scalay_comm *comm)
{
    const int64_t n[] = {0, 1, 2, 3 * LARGEST, 3 * LARGEST + 1};
    scalay_profile *three = measured(PROFILE_FFT, 3, 3);
    scalay_profile *one = measured(PROFILE_HOLES, 4, 1);
    for (int k = 0; k < 5; k++)
        for (int o = 0; o < 2; o++) {
            agree_with_auto(comm, three, n[k], objectives[o], scalay_comm_size(comm) <= 2 ? 2 : 1);
            agree_with_auto(comm, one, n[k], objectives[o], 1);
        }
    scalay_profile_destroy(&three);
    scalay_profile_destroy(&one);
}

static void sizes_with_a_common_divisor_are_fine(scalay_comm *comm)
{
    const int64_t size[] = {6, 12, 18};
    const double time[] = {1.0, 1.5, 4.0};
    const double energy[] = {2.0, 3.0, 2.5};
    scalay_profile *profile = NULL;
    CHECK_STATUS(scalay_profile_table("node", 4, 3, size, time, energy, &profile), SCALAY_SUCCESS);
    for (int64_t n = 0; n <= 80; n += 10)
        for (int o = 0; o < 2; o++) agree_with_auto(comm, profile, n, objectives[o], 1);
    scalay_profile_destroy(&profile);
}

static void any_communicator_will_do(void)
{
    MPI_Comm half = MPI_COMM_NULL;
    scalay_comm *comm = NULL;
    scalay_profile *profile = measured(PROFILE_GEMM, 7, 5);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() % 2, -check_rank(), &half);
    if (CHECK_STATUS(scalay_comm_create(half, &comm), SCALAY_SUCCESS))
        agree_with_auto(comm, profile, 77, objectives[check_rank() % 2], 1);
    scalay_comm_destroy(&comm);
    scalay_profile_destroy(&profile);
    MPI_Comm_free(&half);
}

/* ---------------------------------------------------------------------------------------------------- errors */

static void expect(scalay_comm *comm, const scalay_profile *profile, int64_t n, int objective, int threads,
                   scalay_status status, const char *word)
{
    scalay_workload *workload = NULL;
    CHECK_STATUS(scalay_published_paraleph(comm, profile, n, (scalay_published_objective)objective, threads, &workload),
                 status);
    CHECK(workload == NULL);
    CHECK(strstr(scalay_error_message(), "scalay_published_paraleph") != NULL);
    CHECK(strstr(scalay_error_message(), word) != NULL);
}

static void bad_arguments_are_named(scalay_comm *comm)
{
    scalay_profile *profile = measured(PROFILE_FFT, 3, 3);
    scalay_profile *groups[2] = {profile, NULL};
    scalay_profile *joined = NULL;
    scalay_profile *no_energy = NULL;
    CHECK_STATUS(scalay_profile_constant_speed("other", 2, 5, 1.0, -1.0, &groups[1]), SCALAY_SUCCESS);
    no_energy = groups[1];
    CHECK_STATUS(scalay_profile_join(2, (const scalay_profile *const *)groups, &joined), SCALAY_SUCCESS);
    expect(NULL, profile, 5, 0, 0, SCALAY_ERROR_ARGUMENT, "comm is NULL");
    expect(comm, NULL, 5, 0, 0, SCALAY_ERROR_ARGUMENT, "profile is NULL");
    expect(comm, profile, -1, 0, 0, SCALAY_ERROR_ARGUMENT, "n = -1");
    expect(comm, profile, 5, 2, 0, SCALAY_ERROR_ARGUMENT, "objective = 2");
    expect(comm, joined, 5, 0, 0, SCALAY_ERROR_UNSUPPORTED, "2 groups");
    expect(comm, no_energy, 5, 1, 0, SCALAY_ERROR_ARGUMENT, "energies");
    expect(comm, profile, 5, 0, -1, SCALAY_ERROR_ARGUMENT, "threads = -1");
    CHECK_STATUS(scalay_published_paraleph(comm, profile, 5, SCALAY_OBJECTIVE_TIME, 0, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_profile_destroy(&profile);
    scalay_profile_destroy(&no_energy);
    scalay_profile_destroy(&joined);
}

static void ranks_that_disagree_are_told(scalay_comm *comm)
{
    const int last = scalay_comm_rank(comm) == scalay_comm_size(comm) - 1;
    scalay_profile *mine = measured(PROFILE_FFT, last ? 4 : 3, 3);
    scalay_profile *same = measured(PROFILE_FFT, 3, 3);
    if (scalay_comm_size(comm) > 1) {
        expect(comm, mine, 50, 0, 0, SCALAY_ERROR_MISMATCH, "profile");
        expect(comm, same, last ? 51 : 50, 0, 0, SCALAY_ERROR_MISMATCH, "n");
        expect(comm, same, 50, last, 0, SCALAY_ERROR_MISMATCH, "objective");
        expect(comm, last ? NULL : same, 50, 0, 0, SCALAY_ERROR_ARGUMENT, "profile is NULL");
    }
    scalay_profile_destroy(&mine);
    scalay_profile_destroy(&same);
}

/* On one rank alone; the others learn of it where they agree. */
static void an_allocation_that_fails_on_one_rank_fails_on_all(scalay_comm *comm)
{
    scalay_profile *profile = measured(PROFILE_HOLES, 3, 3);
    const int victim = scalay_comm_rank(comm) == scalay_comm_size(comm) / 2;
    const int64_t live = scalay_memory_live();
    int64_t failures = 0;
    for (scalay_status status = SCALAY_ERROR_MEMORY; status != SCALAY_SUCCESS;) {
        scalay_workload *workload = NULL;
        failures++;
        scalay_memory_fail_at(victim ? failures : 0);
        status = scalay_published_paraleph(comm, profile, 31, SCALAY_OBJECTIVE_ENERGY, 0, &workload);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK((workload != NULL) == (status == SCALAY_SUCCESS));
        scalay_workload_destroy(&workload);
        if (!CHECK(scalay_memory_live() == live)) break;
    }
    CHECK(failures > 5);
    scalay_profile_destroy(&profile);
}

int main(int argc, char **argv)
{
    int provided = 0;
    scalay_comm *comm = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    if (CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS)) {
        finds_what_the_exact_solvers_find(comm);
        nothing_too_much_and_one_processor_are_answered(comm);
        sizes_with_a_common_divisor_are_fine(comm);
        any_communicator_will_do();
        bad_arguments_are_named(comm);
        ranks_that_disagree_are_told(comm);
        an_allocation_that_fails_on_one_rank_fails_on_all(comm);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
