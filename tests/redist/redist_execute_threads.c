/* Threads execute plans of different communicators at the same time, under the thread sanitizer: the list of pending
   executions has no data race, and each execution completes. A transport that only counts steps replaces MPI, which the
   sanitizer does not know. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "redist/plan.h"

enum { THREADS = 4, PLANS = 3, ROUNDS = 300, STEPS = 5 };

void scalay_package_copy(const scalay_side *side, const scalay_package *package, const scalay_copier *copier,
                         const char *remote, char *own)
{
    (void)side, (void)package, (void)copier, (void)remote, (void)own;
}

scalay_status scalay_panels_begin(scalay_plan *plan, int consumes)
{
    (void)plan, (void)consumes;
    return SCALAY_ERROR_UNSUPPORTED;
}

scalay_status scalay_panels_advance(scalay_plan *plan, int waits, int *done)
{
    (void)plan, (void)waits, (void)done;
    return SCALAY_ERROR_UNSUPPORTED;
}

static scalay_status begin(scalay_plan *plan)
{
    *(int *)plan->transport_state = 0;
    return SCALAY_SUCCESS;
}

static scalay_status advance(scalay_plan *plan, int waits, int *done)
{
    int *steps = plan->transport_state;
    *steps = waits ? STEPS : *steps + 1;
    *done = *steps >= STEPS;
    return SCALAY_SUCCESS;
}

static const scalay_transport counting = {.name = "counting", .begin = begin, .advance = advance};

/* Several plans of one communicator. */
typedef struct {
    scalay_comm comm;
    scalay_plan plans[PLANS];
    int steps[PLANS];
    int failures;
} workspace;

static void *execute(void *argument)
{
    workspace *own = argument;
    for (int round = 0; round < ROUNDS; round++) {
        int done = 0;
        for (int k = 0; k < PLANS; k++)
            own->failures +=
                scalay_plan_begin_with(&own->plans[k], SCALAY_FORWARD, &(scalay_operands){0}) != SCALAY_SUCCESS;
        own->failures += scalay_plan_test(&own->plans[round % PLANS], &done) != SCALAY_SUCCESS;
        for (int k = PLANS - 1; k >= 0; k--) own->failures += scalay_plan_end(&own->plans[k]) != SCALAY_SUCCESS;
        for (int k = 0; k < PLANS; k++) own->failures += own->plans[k].pending || own->steps[k] < STEPS;
    }
    return NULL;
}

int main(void)
{
    static workspace spaces[THREADS];
    pthread_t threads[THREADS];
    int failures = 0;
    for (int t = 0; t < THREADS; t++) {
        for (int k = 0; k < PLANS; k++)
            spaces[t].plans[k] = (scalay_plan){
                .comm = &spaces[t].comm, .tag = k, .transport = &counting, .transport_state = &spaces[t].steps[k]};
        if (pthread_create(&threads[t], NULL, execute, &spaces[t]) != 0) return 1;
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        failures += spaces[t].failures;
    }
    printf("%d threads, %d executions each, %d failures\n", THREADS, PLANS * ROUNDS, failures);
    return failures != 0;
}
