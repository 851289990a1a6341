#ifndef SCALAY_TESTS_CHECK_H
#define SCALAY_TESTS_CHECK_H

/**
 * @file
 * Checks for tests under MPI. A failed check is counted and printed and the test goes on, so that no rank is left
 * alone in a collective call; check_verdict() adds the failures of all ranks up and is main's return value.
 */

#include <mpi.h>
#include <stdio.h>

#include "base/memory.h"
#include "parallel/comm.h"
#include "scalay/status.h"

static int check_failures;
static int check_count;

static inline int check_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static inline int check_size(void)
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/** Counts a check; prints where it failed. Evaluates to the condition. */
#define CHECK(condition) check_that((condition) ? 1 : 0, __FILE__, __LINE__, #condition)

/** Checks for a status; prints the message of the library when it is another. */
#define CHECK_STATUS(call, expected) check_status((call), (expected), __FILE__, __LINE__, #call)

static inline int check_that(int holds, const char *file, int line, const char *what)
{
    check_count++;
    if (holds) return 1;
    check_failures++;
    fprintf(stderr, "%s:%d: rank %d: does not hold: %s\n", file, line, check_rank(), what);
    return 0;
}

static inline int check_status(scalay_status status, scalay_status expected, const char *file, int line,
                               const char *what)
{
    check_count++;
    if (status == expected) return 1;
    check_failures++;
    fprintf(stderr, "%s:%d: rank %d: %s is %s, not %s: %s\n", file, line, check_rank(), what,
            scalay_status_name(status), scalay_status_name(expected), scalay_error_message());
    return 0;
}

/** Checks that nothing of the library is left, sums up over all ranks, finalizes MPI; 0 when all is well. */
static inline int check_verdict(void)
{
    CHECK(scalay_memory_live() == 0);
    CHECK(scalay_comms_live() == 0);
    CHECK(scalay_grids_live() == 0);
    int mine[2] = {check_failures, check_count};
    int all[2] = {0, 0};
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank() == 0) printf("%d checks, %d failed\n", all[1], all[0]);
    MPI_Finalize();
    return all[0] != 0 || all[1] == 0;
}

#endif
