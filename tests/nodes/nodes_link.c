/* Plans, products and factorisations while the link of a node is down for some seconds (link.sh): every element is
   right, each result is that of the first round, and a round took as long as the link was down.

   Arguments: a file that the program makes once each has been executed; seconds to run; the seconds that the longest
   round has to take. */
#include <stdio.h>
#include <string.h>

#include "nodes/calls.h"
#include "support/check.h"

/* The result of an object: what it writes, and how many bytes that is. */
static const void *result_of(const calls_objects *x, size_t *bytes)
{
    *bytes = (size_t)(x->plan != NULL ? x->counts[1] : x->counts[0]) * sizeof(double);
    return x->plan != NULL ? x->b : x->summa != NULL ? x->c : x->a;
}

static void run_round(calls_objects *objects, double **first)
{
    for (int k = 0; k < CALLS_KINDS; k++) {
        calls_objects *x = &objects[k];
        size_t bytes = 0;
        calls_fill(x, check_rank(), x->a);
        memset(x->b, 0, (size_t)x->counts[1] * sizeof(double));
        CHECK_STATUS(calls_execute(x), SCALAY_SUCCESS);
        if (x->plan != NULL) CHECK(calls_wrong(x, check_rank()) == 0);
        const void *result = result_of(x, &bytes);
        if (first[k] == NULL) {
            first[k] = malloc(bytes + 1);
            memcpy(first[k], result, bytes);
        }
        CHECK(memcmp(first[k], result, bytes) == 0);
    }
}

static void say_running(const char *name)
{
    FILE *file = check_rank() == 0 ? fopen(name, "w") : NULL;
    if (file != NULL) (void)fclose(file);
}

/* Returns the longest round. Rank 0 says when to stop. */
static double run(calls_objects *objects, double **first, const char *name, double seconds)
{
    const double began = MPI_Wtime();
    double longest = 0.0;
    for (int goes_on = 1; goes_on;) {
        const double before = MPI_Wtime();
        run_round(objects, first);
        const double took = MPI_Wtime() - before;
        if (before == began || longest == 0.0) say_running(name);
        if (took > longest) longest = took;
        goes_on = MPI_Wtime() - began < seconds;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return longest;
}

int main(int argc, char **argv)
{
    scalay_comm *comm = NULL;
    calls_objects objects[CALLS_KINDS];
    double *first[CALLS_KINDS] = {NULL};
    MPI_Init(&argc, &argv);
    if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    for (int k = 0; k < CALLS_KINDS; k++) {
        CHECK_STATUS(calls_prepare((calls_kind)k, check_rank(), check_size(), &objects[k]), SCALAY_SUCCESS);
        CHECK_STATUS(calls_create(comm, &objects[k]), SCALAY_SUCCESS);
    }
    const double longest = run(objects, first, argv[1], atof(argv[2]));
    CHECK(longest >= atof(argv[3]));
    if (check_rank() == 0) printf("the longest round took %.2f s\n", longest);
    for (int k = 0; k < CALLS_KINDS; k++) {
        calls_destroy(&objects[k]);
        free(first[k]);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
