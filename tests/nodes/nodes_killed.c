/* Executes plans, products and factorisations again and again until somebody kills it (killed.sh). Each rank writes its
   process number into a file of a folder once it has executed each of them. Argument: the folder.

   With PLAIN as second argument, the program exchanges messages by plain calls of MPI instead. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nodes/calls.h"
#include "support/check.h"

enum { ROUNDS = 1000000 };

static void say_running(const char *folder)
{
    char name[500], last[520];
    (void)snprintf(name, sizeof name, "%s/pid.%d", folder, check_rank());
    (void)snprintf(last, sizeof last, "%s.new", name);
    FILE *file = fopen(last, "w");
    if (file == NULL) return;
    (void)fprintf(file, "%d\n", (int)getpid());
    (void)fclose(file);
    (void)rename(last, name);
}

static void run_calls(const char *folder)
{
    scalay_comm *comm = NULL;
    calls_objects objects[CALLS_KINDS];
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    for (int k = 0; k < CALLS_KINDS; k++) {
        CHECK_STATUS(calls_prepare((calls_kind)k, check_rank(), check_size(), &objects[k]), SCALAY_SUCCESS);
        CHECK_STATUS(calls_create(comm, &objects[k]), SCALAY_SUCCESS);
    }
    for (int round = 0; round < ROUNDS && check_failures == 0; round++) {
        for (int k = 0; k < CALLS_KINDS; k++) {
            calls_fill(&objects[k], check_rank(), objects[k].a);
            CHECK_STATUS(calls_execute(&objects[k]), SCALAY_SUCCESS);
            if (objects[k].plan != NULL) CHECK(calls_wrong(&objects[k], check_rank()) == 0);
        }
        if (round == 0) say_running(folder);
    }
}

static void run_plain(const char *folder)
{
    enum { COUNT = 4096 };
    const int rank = check_rank(), size = check_size();
    double out[COUNT] = {0}, in[COUNT];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Sendrecv(out, COUNT, MPI_DOUBLE, (rank + 1) % size, 0, in, COUNT, MPI_DOUBLE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (round == 0) say_running(folder);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 2 && strcmp(argv[2], "PLAIN") == 0)
        run_plain(argv[1]);
    else if (argc > 1)
        run_calls(argv[1]);
    MPI_Abort(MPI_COMM_WORLD, 3); /* nobody has killed it */
    return 3;
}
