/* The use of cores on made hosts: matchings against all assignments, and what is said of each fault. */
#include <string.h>

#include "base/random.h"
#include "measure/machine.h"
#include "support/serial.h"

enum { SIDE = 5 };

/* The largest number of ranks with a core of their own: all choices of a core, or none, for each rank. */
static int best_matching(const scalay_host_ranks *host, int rank, unsigned taken)
{
    if (rank == host->ranks) return 0;
    int best = best_matching(host, rank + 1, taken);
    for (int core = 0; core < host->cores; core++) {
        if (!host->may[rank * host->cores + core] || (taken >> core & 1) != 0) continue;
        const int found = 1 + best_matching(host, rank + 1, taken | 1u << core);
        if (found > best) best = found;
    }
    return best;
}

static void crowded_ranks_are_those_without_a_core(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(17);
    for (int trial = 0; trial < 300; trial++) {
        unsigned char may[SIDE * SIDE];
        int threads[SIDE];
        scalay_host_ranks host = {.ranks = 1 + (int)scalay_random_below(&random, SIDE),
                                  .cores = 1 + (int)scalay_random_below(&random, SIDE),
                                  .may = may,
                                  .threads = threads,
                                  .nodes = 1};
        for (int k = 0; k < SIDE * SIDE; k++) may[k] = scalay_random_below(&random, 3) == 0;
        int64_t narrow = 0, all = 0;
        for (int rank = 0; rank < host.ranks; rank++) {
            int allowed = 0;
            threads[rank] = 1 + (int)scalay_random_below(&random, 3);
            for (int core = 0; core < host.cores; core++) allowed += may[rank * host.cores + core];
            narrow += threads[rank] > allowed;
            all += threads[rank];
        }
        scalay_core_use use;
        assert_int_equal(scalay_core_use_count(&host, &use), SCALAY_SUCCESS);
        const int matched = best_matching(&host, 0, 0);
        const int crowded = matched < host.ranks && matched < host.cores ? host.ranks - matched : 0;
        assert_true(use.ranks == host.ranks && use.cores == host.cores && use.shared == 1);
        assert_true(use.crowded == crowded && use.narrow == narrow);
        assert_true(use.threads == (host.ranks <= host.cores ? all : 0));
    }
}

/* Which faults a host has, one bit each. */
static unsigned faults_of(int ranks, int cores, const unsigned char *may, const int *threads, int nodes, char *text)
{
    const scalay_host_ranks host = {ranks, cores, may, threads, nodes};
    char one[512];
    scalay_core_use use;
    unsigned faults = 0;
    text[0] = '\0';
    assert_int_equal(scalay_core_use_count(&host, &use), SCALAY_SUCCESS);
    for (int fault = 0; fault < SCALAY_CORE_USE_FAULTS; fault++) {
        const int length = scalay_core_use_describe(&use, fault, one, sizeof one);
        assert_true(length == (int)strlen(one) && strlen(scalay_core_use_fault_name(fault)) > 0);
        assert_int_equal(scalay_core_use_describe(&use, fault, NULL, 0), length);
        if (length > 0) faults |= 1u << fault;
        (void)strcat(text, one);
    }
    return faults;
}

static void each_fault_has_its_remedy(void **state)
{
    (void)state;
    const unsigned char all[] = {1, 1, 1, 1, 1, 1, 1, 1}, own[] = {1, 0, 0, 1}, same[] = {1, 0, 1, 0};
    const int one[] = {1, 1, 1, 1}, two[] = {2, 2, 2, 2};
    char text[2048];
    assert_int_equal(faults_of(2, 2, own, one, 1, text), 0);
    assert_int_equal(faults_of(2, 2, all, one, 1, text), 0);
    assert_int_equal(faults_of(4, 2, all, one, 2, text), 1u << SCALAY_CORE_USE_OVERSUBSCRIBED);
    assert_non_null(strstr(text, "4 ranks share 2 cores"));
    assert_non_null(strstr(text, "at most 2 ranks"));
    assert_non_null(strstr(text, "2 nodes of MPI"));
    assert_int_equal(faults_of(2, 2, same, one, 1, text), 1u << SCALAY_CORE_USE_CROWDED);
    assert_non_null(strstr(text, "--bind-to core"));
    assert_int_equal(faults_of(2, 2, own, two, 1, text), 1u << SCALAY_CORE_USE_NARROW);
    assert_non_null(strstr(text, "OPENBLAS_NUM_THREADS"));
    assert_int_equal(faults_of(2, 2, all, two, 1, text), 1u << SCALAY_CORE_USE_THREADS);
    assert_non_null(strstr(text, "4 BLAS threads on 2 cores"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowded_ranks_are_those_without_a_core),
        cmocka_unit_test(each_fault_has_its_remedy),
    };
    return run_all_tests(tests);
}
