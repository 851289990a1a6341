/* Ranks that share a processor: none of them looks faster than its share of it. Others who use the machine can only
 * make them slower, so that no time is compared with a larger one. */
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>

#include "measure/repeat.h"
#include "parallel/comm.h"
#include "scalay/measure.h"
#include "support/check.h"

/* Of its share, what a rank must at least have waited for. */
#define TOLERANCE 0.75

/* On the first processor that the ranks may use. */
static int share_a_processor(void)
{
    cpu_set_t all, one;
    int first = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 0;
    while (!CPU_ISSET(first, &all)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

static double processor_seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Work that takes given seconds of a processor. */
static scalay_status burn(void *data)
{
    const double end = processor_seconds() + *(const double *)data;
    while (processor_seconds() < end) {
    }
    return SCALAY_SUCCESS;
}

static double measure(scalay_comm *comm, double seconds, int independent, scalay_meter *meter)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    scalay_sample *sample = NULL;
    scalay_sample_summary summary = {0};
    options.min_repetitions = options.max_repetitions = 3;
    options.independent = independent;
    CHECK_STATUS(scalay_measure(comm, burn, &seconds, meter, &options, &sample), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_sample_get_summary(sample, &summary), SCALAY_SUCCESS);
    scalay_sample_destroy(&sample);
    return summary.time.median;
}

static void check_shares(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), ranks = scalay_comm_size(comm);
    static const double seconds[] = {2e-4, 0.01, 0.05};
    scalay_meter *meter = NULL;
    for (int k = 0; k < 3; k++) {
        const double median = measure(comm, seconds[k], 1, NULL);
        CHECK(median >= TOLERANCE * ranks * seconds[k]);
    }
    CHECK(measure(comm, 0.01, 0, NULL) >= TOLERANCE * ranks * 0.01);
    /* The first rank is through long before the others, and goes on. */
    const double own = rank == 0 ? 0.01 : 0.05;
    CHECK(measure(comm, own, 1, NULL) >= TOLERANCE * ranks * own);
    /* Beside a meter ranks do not work before or after theirs. */
    CHECK_STATUS(scalay_meter_create("model:base=1,flop=0,byte=0", &meter), SCALAY_SUCCESS);
    CHECK(measure(comm, 0.05, 1, meter) >= TOLERANCE * ranks * 0.05);
    scalay_meter_destroy(&meter);
}

static void check_crowds(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), ranks = scalay_comm_size(comm);
    double factor = 0.0;
    CHECK_STATUS(scalay_find_oversubscription(comm, 1, &factor), SCALAY_SUCCESS);
    CHECK(factor == ranks);
    CHECK_STATUS(scalay_find_oversubscription(comm, rank < 2, &factor), SCALAY_SUCCESS);
    CHECK(factor == 2.0);
    CHECK_STATUS(scalay_find_oversubscription(comm, rank == 0, &factor), SCALAY_SUCCESS);
    CHECK(factor == 1.0 && scalay_oversubscription_interval(factor) == 0.0 &&
          scalay_oversubscription_interval(2.0) > 0.0);
}

/* Ranks that are at work together have all begun before any of them is through. */
static void check_beginning(scalay_comm *comm)
{
    double begin = 0.0, end = 0.0, seconds = 0.02, last = 0.0, first = 0.0;
    CHECK_STATUS(scalay_begin_together(comm, scalay_comm_size(comm), 0), SCALAY_SUCCESS);
    begin = scalay_clock();
    (void)burn(&seconds);
    end = scalay_clock();
    MPI_Allreduce(&begin, &last, 1, MPI_DOUBLE, MPI_MAX, scalay_comm_handle(comm));
    MPI_Allreduce(&end, &first, 1, MPI_DOUBLE, MPI_MIN, scalay_comm_handle(comm));
    CHECK(last < first);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    if (share_a_processor()) {
        CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
        check_crowds(comm);
        check_shares(comm);
        check_beginning(comm);
        scalay_comm_destroy(&comm);
    }
    return check_verdict();
}
