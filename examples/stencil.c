/* Heat on a ring. The items are dealt cyclically. The model decides whether they move before the iterations, and to
   which layout. The result does not depend on the layout. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/scalay.h"

enum { ITEMS = 4000, ITERATIONS = 200 };

/* One hot item; the others are cold. */
static void begin(const scalay_layout *layout, int rank, double *x)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r = {0};
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) return;
        for (int64_t i = 0; i < r.rows; i++) x[r.offset + i] = r.row + i == ITEMS / 2 ? 1.0 : 0.0;
    }
}

/* Prints the costs of the candidates and the chosen layout. */
static int choose(const scalay_layout *dealt, scalay_layout **target)
{
    scalay_stencil_choice *choice = NULL;
    scalay_stencil_candidate best;
    scalay_stencil_cost stay, move, counted;
    const int64_t *first = NULL;
    const int *owner = NULL;
    char text[4096];
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 0.0, 0.0, ITERATIONS);
    scalay_stencil_problem_set_rates(&problem, NULL, SCALAY_DOUBLE); /* scalay_stencil_problem_on() does both */
    /* Communication only, one item per time unit. */
    const scalay_stencil_problem volume = scalay_stencil_problem_default(SCALAY_STENCIL_VOLUME, 1.0, 0.0, ITERATIONS);
    int fine = scalay_model_stencil_choose(&problem, dealt, &choice) == SCALAY_SUCCESS &&
               scalay_stencil_choice_get_candidate(choice, 0, &best) == SCALAY_SUCCESS &&
               scalay_stencil_choice_runs(choice, 0, &first, &owner) == SCALAY_SUCCESS &&
               scalay_stencil_choice_layout(choice, 0, target) == SCALAY_SUCCESS &&
               scalay_model_stencil(&problem, dealt, dealt, &stay) == SCALAY_SUCCESS &&
               scalay_model_stencil(&problem, dealt, *target, &move) == SCALAY_SUCCESS &&
               scalay_model_stencil(&volume, dealt, *target, &counted) == SCALAY_SUCCESS;
    (void)scalay_stencil_choice_describe(choice, text, sizeof text);
    if (fine && rank == 0) {
        printf("%sout of %d: %s, %d processes, %.3g s instead of %.3g s\n", text, scalay_stencil_choice_count(choice),
               best.name, best.processes, move.seconds, stay.seconds);
        printf("%.0f items are sent in all\n", counted.seconds);
        for (int64_t r = 0; r < best.runs && r < 4; r++)
            printf("items from %lld on are on process %d\n", (long long)first[r], owner[r]);
    }
    fine = fine && move.seconds <= stay.seconds;
    scalay_stencil_choice_destroy(&choice);
    return fine;
}

/* Iterates in a layout. Returns the sum over all ranks, which the stencil preserves. */
static int iterate(scalay_comm *comm, const scalay_layout *layout, double *x, double *sum)
{
    const double coefficients[] = {0.25, 0.5, 0.25};
    const int rank = scalay_comm_rank(comm);
    scalay_stencil *stencil = NULL;
    scalay_stencil_statistics did;
    const scalay_stencil_options options = scalay_stencil_options_default();
    int fine = scalay_stencil_create(comm, layout, SCALAY_DOUBLE, &options, &stencil) == SCALAY_SUCCESS &&
               scalay_stencil_execute(stencil, coefficients, ITERATIONS, x) == SCALAY_SUCCESS &&
               scalay_stencil_get_statistics(stencil, &did) == SCALAY_SUCCESS;
    double mine = 0.0;
    if (fine)
        for (int64_t k = 0; k < did.items; k++) mine += x[k];
    MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, scalay_comm_handle(comm));
    if (fine && rank == 0)
        printf("rank 0 has %lld runs and sends %lld items in %lld messages each time: %.3g s, %.3g s of them waiting\n",
               (long long)did.runs, (long long)did.items_sent, (long long)did.messages_sent, did.seconds,
               did.wait_seconds);
    scalay_stencil_destroy(&stencil);
    return fine;
}

/* A function of the program: y is the largest of three items. */
static void largest(int64_t count, const void *x, void *y, void *context)
{
    const double *in = x;
    (void)context;
    for (int64_t k = 0; k < count; k++) {
        const double sides = in[k - 1] > in[k + 1] ? in[k - 1] : in[k + 1];
        ((double *)y)[k] = in[k] > sides ? in[k] : sides;
    }
}

/* The hot item spreads by one to each side in an iteration: 2 * 10 + 1 are hot after ten. */
static int spread(scalay_comm *comm, const scalay_layout *layout, double *x, double *sum)
{
    scalay_stencil *stencil = NULL;
    const int64_t items = scalay_layout_elements(layout, scalay_comm_rank(comm));
    begin(layout, scalay_comm_rank(comm), x);
    const int fine = scalay_stencil_create(comm, layout, SCALAY_DOUBLE, NULL, &stencil) == SCALAY_SUCCESS &&
                     scalay_stencil_execute_with(stencil, largest, NULL, 10, x) == SCALAY_SUCCESS;
    double mine = 0.0;
    for (int64_t k = 0; k < items; k++) mine += x[k];
    MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, scalay_comm_handle(comm));
    scalay_stencil_destroy(&stencil);
    return fine;
}

/* Staying and moving give the same sums. */
static int run(scalay_comm *comm, const scalay_layout *dealt, const scalay_layout *target)
{
    const int rank = scalay_comm_rank(comm);
    scalay_plan *plan = NULL;
    double *x = calloc((size_t)scalay_layout_local_size(dealt, rank) + 1, sizeof *x);
    double *y = calloc((size_t)scalay_layout_local_size(target, rank) + 1, sizeof *y);
    double here = 0.0, there = 0.0, hot = 0.0;
    begin(dealt, rank, x);
    int fine = scalay_plan_create(comm, dealt, target, NULL, SCALAY_DOUBLE, NULL, &plan) == SCALAY_SUCCESS &&
               scalay_plan_execute(plan, x, y) == SCALAY_SUCCESS;
    fine = fine && iterate(comm, dealt, x, &here) && iterate(comm, target, y, &there);
    fine = fine && spread(comm, target, y, &hot);
    if (rank == 0) printf("heat: %.12f here, %.12f there; %g items are reached in 10 iterations\n", here, there, hot);
    scalay_plan_destroy(&plan);
    free(y);
    free(x);
    return fine && here > 0.999999 && here < 1.000001 && there > 0.999999 && there < 1.000001 && hot > 20.5 &&
           hot < 21.5;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_layout *dealt = NULL, *target = NULL;
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    const int fine = scalay_layout_block_cyclic(ITEMS, 1, 1, 1, scalay_comm_size(comm), 1, 0, 0, SCALAY_ROW_MAJOR,
                                                &dealt) == SCALAY_SUCCESS &&
                     choose(dealt, &target) && run(comm, dealt, target);
    if (!fine) puts(scalay_error_message());
    scalay_layout_destroy(&target);
    scalay_layout_destroy(&dealt);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
