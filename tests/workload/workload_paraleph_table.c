/* PARALEPH's distributed table: the definition's value on every process count, one answer on all ranks. */
#include "oracle.h"
#include "published/paraleph.h"
#include "support/check.h"

static const instance_kind kinds[] = {{1, 7, 9, 1000, 0, 0, 100},  {1, 7, 9, 4, 0, 0, 100},  {1, 9, 8, 30, 40, 0, 100},
                                      {1, 5, 30, 1000, 20, 0, 60}, {1, 30, 3, 5, 0, 0, 100}, {1, 3, 1, 5, 0, 0, 100}};

static int64_t fingerprint(const scalay_distribution *distribution)
{
    int64_t sum = distribution->feasible;
    for (int64_t k = 0; k < distribution->shares; k++)
        sum = (sum * 1000003 + distribution->share[k].index * 101 + distribution->share[k].count) % 1000000007;
    return sum;
}

static void all_ranks_agree(const scalay_distribution *distribution)
{
    const int64_t mine = fingerprint(distribution);
    int64_t ends[2] = {mine, -mine};
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(ends[0] == mine && ends[1] == -mine);
}

static void solve_and_compare(scalay_comm *comm, const scalay_problem *problem, int threads)
{
    scalay_distribution distribution = {0};
    scalay_point point;
    const double time = oracle_time(problem);
    const int64_t energy = oracle_energy(problem, INFINITY);
    for (int sums = 0; sums < 2; sums++) {
        CHECK_STATUS(scalay_paraleph_solve(comm, problem, sums, threads, &distribution), SCALAY_SUCCESS);
        CHECK(distribution.feasible == !isinf(time));
        all_ranks_agree(&distribution);
        if (!distribution.feasible) continue;
        if (!CHECK(distribution_is_valid(problem, &distribution, &point))) continue;
        CHECK(sums ? point.energy == energy : point.time == time);
    }
    scalay_distribution_free(&distribution);
}

static void random_instances(scalay_comm *comm, int rounds)
{
    const uint64_t seed = wanted_seed(21);
    if (scalay_comm_rank(comm) == 0) printf("SCALAY_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        scalay_random random = scalay_random_seed(seed + k);
        for (int round = 0; round < rounds; round++) {
            instance made;
            instance_random(&random, &kinds[k], &made);
            /* Threads of many ranks on few cores wait for each other. */
            solve_and_compare(comm, &made.problem, scalay_comm_size(comm) <= 2 && round % 3 == 0 ? 3 : 1);
        }
    }
}

static void a_table_that_is_too_large_is_refused_on_all_ranks(scalay_comm *comm)
{
    scalay_random random = scalay_random_seed(5);
    scalay_distribution distribution = {0};
    instance made;
    instance_random(&random, &kinds[0], &made);
    made.problem.n = made.group[0].multiplicity = INT64_C(1) << 40;
    CHECK_STATUS(scalay_paraleph_solve(comm, &made.problem, 0, 1, &distribution), SCALAY_ERROR_UNSUPPORTED);
    CHECK(strstr(scalay_error_message(), "auto") != NULL);
    scalay_distribution_free(&distribution);
}

/* On one rank alone; the others learn of it where they agree. */
static void an_allocation_that_fails_on_one_rank_fails_on_all(scalay_comm *comm)
{
    const instance_kind kind = {1, 7, 9, 1000, 0, 0, 50};
    scalay_random random = scalay_random_seed(6);
    const int victim = scalay_comm_size(comm) - 1;
    instance made;
    instance_random(&random, &kind, &made);
    const int64_t live = scalay_memory_live();
    int64_t failures = 0;
    for (scalay_status status = SCALAY_ERROR_MEMORY; status != SCALAY_SUCCESS;) {
        scalay_distribution distribution = {0};
        failures++;
        scalay_memory_fail_at(scalay_comm_rank(comm) == victim ? failures : 0);
        status = scalay_paraleph_solve(comm, &made.problem, 0, 1, &distribution);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        scalay_distribution_free(&distribution);
        CHECK(scalay_memory_live() == live);
    }
    CHECK(failures > 3);
}

int main(int argc, char **argv)
{
    int provided = 0;
    scalay_comm *comm = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    if (CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS)) {
        random_instances(comm, scalay_comm_size(comm) <= 4 ? 6 : 2);
        a_table_that_is_too_large_is_refused_on_all_ranks(comm);
        an_allocation_that_fails_on_one_rank_fails_on_all(comm);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
