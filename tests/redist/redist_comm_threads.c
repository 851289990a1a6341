/* Plans of two communicators run in two threads at the same time, under MPI_THREAD_MULTIPLE, by the transports without
   BLACS: each matrix arrives in each round. */
#include <pthread.h>
#include <stdlib.h>

#include "scalay/redist.h"
#include "support/check.h"

enum { N = 60, ROUNDS = 40 };

static const char *const transports[] = {"auto", "shared", "mpi"};

/* A thread with its own communicator. */
typedef struct {
    scalay_comm *comm;
    const char *transport;
    double offset;
    int failures;
} worker;

static int run_round(worker *own, const scalay_layout *source, const scalay_layout *target, double *a, double *b,
                     int round)
{
    const scalay_plan_options options = {.size = sizeof options, .transport = own->transport};
    const int64_t elements = scalay_layout_local_size(source, scalay_comm_rank(own->comm));
    scalay_plan *plan = NULL;
    int failures =
        scalay_plan_create(own->comm, source, target, NULL, SCALAY_DOUBLE, &options, &plan) != SCALAY_SUCCESS;
    for (int64_t k = 0; k < elements; k++) a[k] = own->offset + round + (double)k;
    failures += scalay_plan_begin(plan, a, b) != SCALAY_SUCCESS;
    failures += scalay_plan_end(plan) != SCALAY_SUCCESS;
    for (int64_t k = 0; k < elements; k++) a[k] = -1;
    failures += scalay_plan_execute_back(plan, b, a) != SCALAY_SUCCESS;
    for (int64_t k = 0; k < elements; k++) failures += a[k] != own->offset + round + (double)k;
    scalay_plan_destroy(&plan);
    return failures;
}

static void *work(void *argument)
{
    worker *own = argument;
    const int size = scalay_comm_size(own->comm);
    scalay_layout *source = NULL, *target = NULL;
    double *a = calloc(N * N, sizeof *a), *b = calloc(N * N, sizeof *b);
    own->failures += scalay_layout_block_cyclic(N, N, 4, 4, 1, size, 0, 0, SCALAY_ROW_MAJOR, &source) != SCALAY_SUCCESS;
    own->failures += scalay_layout_block_cyclic(N, N, 7, 7, size, 1, 0, 0, SCALAY_ROW_MAJOR, &target) != SCALAY_SUCCESS;
    for (int round = 0; round < ROUNDS && own->failures == 0; round++)
        own->failures += run_round(own, source, target, a, b, round);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    free(a);
    free(b);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        if (check_rank() == 0) printf("MPI has no MPI_THREAD_MULTIPLE; nothing is tested\n");
        return check_verdict();
    }
    for (int k = 0; k < (int)(sizeof transports / sizeof *transports); k++) {
        worker workers[2] = {{.transport = transports[k], .offset = 0}, {.transport = transports[k], .offset = 1e6}};
        pthread_t thread;
        for (int t = 0; t < 2; t++) CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &workers[t].comm), SCALAY_SUCCESS);
        CHECK(pthread_create(&thread, NULL, work, &workers[0]) == 0);
        (void)work(&workers[1]);
        pthread_join(thread, NULL);
        CHECK(workers[0].failures == 0 && workers[1].failures == 0);
        for (int t = 0; t < 2; t++) scalay_comm_destroy(&workers[t].comm);
    }
    return check_verdict();
}
