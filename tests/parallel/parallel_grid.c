/* BLACS contexts: placed as asked, cached, freed, and every bad request refused on all ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "parallel/blacs.h"
#include "scalay/context.h"
#include "support/check.h"

static scalay_comm *world(void)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    return comm;
}

/* Does BLACS see this rank where the rank map has it? */
static void check_place(int ctxt, int rank, int nprow, int npcol, const int *ranks)
{
    int place = -1;
    for (int k = 0; k < nprow * npcol; k++)
        if ((ranks != NULL ? ranks[k] : k) == rank) place = k;
    CHECK((ctxt >= 0) == (place >= 0));
    if (ctxt < 0) return;
    int rows = 0, cols = 0, row = 0, col = 0;
    Cblacs_gridinfo(ctxt, &rows, &cols, &row, &col);
    CHECK(rows == nprow && cols == npcol && row == place / npcol && col == place % npcol);
}

static void every_rank_stands_where_the_map_has_it(uint64_t seed)
{
    scalay_comm *comm = world();
    int size = scalay_comm_size(comm), rank = scalay_comm_rank(comm);
    int *ranks = malloc((size_t)size * sizeof *ranks);
    scalay_random random = scalay_random_seed(seed);
    for (int turn = 0; turn < 30; turn++) {
        int nprow = 1 + (int)scalay_random_below(&random, size);
        int npcol = 1 + (int)scalay_random_below(&random, size / nprow);
        for (int k = 0; k < size; k++) ranks[k] = k;
        for (int k = size - 1; k > 0; k--) {
            int other = (int)scalay_random_below(&random, k + 1), kept = ranks[k];
            ranks[k] = ranks[other];
            ranks[other] = kept;
        }
        const int *map = turn % 5 == 0 ? NULL : ranks;
        int ctxt = -2;
        CHECK_STATUS(scalay_grid_acquire(comm, nprow, npcol, map, &ctxt), SCALAY_SUCCESS);
        check_place(ctxt, rank, nprow, npcol, map);
        CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
        CHECK(ctxt == -1);
    }
    free(ranks);
    scalay_comm_destroy(&comm);
}

static void the_same_request_gives_the_same_context(void)
{
    scalay_comm *comm = world();
    int size = scalay_comm_size(comm), first = -1, second = -1, other = -1;
    CHECK_STATUS(scalay_grid_acquire(comm, 1, size, NULL, &first), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_grid_acquire(comm, 1, size, NULL, &second), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_grid_acquire(comm, size, 1, NULL, &other), SCALAY_SUCCESS);
    CHECK(first == second && (size == 1 || other != first));
    int copy = first;
    CHECK_STATUS(scalay_grid_release(comm, &first), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_grid_release(comm, &second), SCALAY_SUCCESS);
    if (size > 1) CHECK_STATUS(scalay_grid_release(comm, &copy), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_grid_release(comm, &other), SCALAY_SUCCESS);
    int unknown = 4711;
    CHECK_STATUS(scalay_grid_release(comm, &unknown), SCALAY_ERROR_ARGUMENT);
    scalay_comm_destroy(&comm); /* frees what the cache keeps */
    CHECK(scalay_grids_live() == 0);
}

static void bad_requests_fail_on_every_rank(void)
{
    scalay_comm *comm = world();
    int size = scalay_comm_size(comm), rank = scalay_comm_rank(comm), ctxt = -1;
    int last = rank == size - 1; /* only the last rank errs */
    int ranks[64] = {0};
    for (int k = 0; k < size; k++) ranks[k] = k;
    CHECK_STATUS(scalay_grid_acquire(comm, last ? 0 : 1, 1, NULL, &ctxt), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_grid_acquire(comm, 1, last ? size + 1 : 1, NULL, &ctxt), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_grid_acquire(comm, 1 << 20, last ? 1 << 20 : 1, NULL, &ctxt), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_grid_acquire(comm, 1, 1, NULL, last ? NULL : &ctxt), SCALAY_ERROR_ARGUMENT);
    ranks[0] = last ? size : 0;
    CHECK_STATUS(scalay_grid_acquire(comm, 1, size, ranks, &ctxt), SCALAY_ERROR_ARGUMENT);
    CHECK(strstr(scalay_error_message(), "is not a rank") != NULL);
    if (size > 1) {
        ranks[0] = last ? 1 : 0;
        CHECK_STATUS(scalay_grid_acquire(comm, 1, size, ranks, &ctxt), SCALAY_ERROR_ARGUMENT);
        CHECK(strstr(scalay_error_message(), "appears twice") != NULL);
        CHECK_STATUS(scalay_grid_acquire(comm, 1, last ? 2 : 1, NULL, &ctxt), SCALAY_ERROR_MISMATCH);
    }
    CHECK(ctxt == -1 && scalay_grids_live() == 0);
    CHECK_STATUS(scalay_grid_acquire(NULL, 1, 1, NULL, &ctxt), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_grid_release(NULL, &ctxt), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_grid_release(comm, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_comm_destroy(&comm);
}

static void one_rank_without_memory_fails_all(void)
{
    scalay_comm *comm = world();
    int size = scalay_comm_size(comm), ctxt = -1, failures = 0;
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int n = 1; status != SCALAY_SUCCESS && n < 20; n++) {
        if (scalay_comm_rank(comm) == size - 1) scalay_memory_fail_at(n);
        status = scalay_grid_acquire(comm, 1, size, NULL, &ctxt);
        scalay_memory_fail_at(0);
        failures += status == SCALAY_ERROR_MEMORY;
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
    }
    CHECK(status == SCALAY_SUCCESS && failures > 0);
    CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
    scalay_comm_destroy(&comm);
}

static MPI_Errhandler handler_of(int ctxt)
{
    const int what = 10; /* the communicator of a context */
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int handle = 0;
    blacs_get_(&ctxt, &what, &handle);
    MPI_Comm_get_errhandler(MPI_Comm_f2c((MPI_Fint)handle), &handler);
    return handler;
}

/* A context has the error handler of one that the program makes from the same communicator: with Open MPI that of the
   communicator, with MPICH 4.0 always the default. */
static void contexts_have_the_handler_of_the_caller(void)
{
    const MPI_Errhandler handlers[] = {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN};
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    for (int k = 0; k < 2; k++) {
        scalay_comm *comm = NULL;
        int ctxt = -1;
        MPI_Comm_set_errhandler(duplicate, handlers[k]);
        CHECK_STATUS(scalay_comm_create(duplicate, &comm), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_grid_acquire(comm, 1, scalay_comm_size(comm), NULL, &ctxt), SCALAY_SUCCESS);
        const int system = Csys2blacs_handle(duplicate);
        int own = system;
        int *ranks = malloc((size_t)scalay_comm_size(comm) * sizeof *ranks);
        for (int rank = 0; rank < scalay_comm_size(comm); rank++) ranks[rank] = rank;
        Cblacs_gridmap(&own, ranks, 1, 1, scalay_comm_size(comm));
        MPI_Errhandler found = handler_of(ctxt), wanted = handler_of(own);
        CHECK(found == wanted);
        CHECK(k > 0 || found == MPI_ERRORS_ARE_FATAL);
        MPI_Errhandler_free(&found);
        MPI_Errhandler_free(&wanted);
        Cblacs_gridexit(own);
        Cfree_blacs_system_handle(system);
        free(ranks);
        CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
        scalay_comm_destroy(&comm);
    }
    MPI_Comm_free(&duplicate);
}

/* A leaked context costs four communicators: Open MPI would run out after some 16,000 turns. */
static void contexts_can_be_made_for_ever(int turns)
{
    scalay_comm *comm = world();
    int size = scalay_comm_size(comm);
    int *ranks = malloc((size_t)size * sizeof *ranks);
    for (int turn = 0; turn < turns; turn++) {
        for (int k = 0; k < size; k++) ranks[k] = (k + turn / 16) % size;
        int ctxt = -1;
        if (!CHECK_STATUS(scalay_grid_acquire(comm, 1, 1 + turn % size, ranks, &ctxt), SCALAY_SUCCESS)) break;
        CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
        CHECK(scalay_grids_live() <= 3 * SCALAY_GRIDS_KEPT);
    }
    free(ranks);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20260;
    if (check_rank() == 0) printf("seed %llu\n", (unsigned long long)seed);
    every_rank_stands_where_the_map_has_it(seed);
    the_same_request_gives_the_same_context();
    bad_requests_fail_on_every_rank();
    one_rank_without_memory_fails_all();
    contexts_have_the_handler_of_the_caller();
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    contexts_can_be_made_for_ever(size <= 4 ? 2000 : 60);
    return check_verdict();
}
