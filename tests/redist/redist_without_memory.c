/* An allocation that fails on one rank only, the first, the second and so on until there is none: all ranks get the
   same status, whatever the transport, nobody waits for a plan that does not come, and nothing is left of it: no
   memory, no communicator, no window, no open file. */

#include "redist/handles.h"
#include "redist/matrix.h"
#include "scalay/redist.h"
#include "support/check.h"

static scalay_comm *comm;
static scalay_layout *source, *target, *turned, *tiles, *pieces;
static scalay_mapping *mapping; /* part k on rank k + 1 */

static void make_layouts(void)
{
    const int owner[6] = {0, 0, 0, 0, 0, 0}, size = comm->size;
    scalay_owner_map *map = NULL;
    int *process = scalay_allocate(size, sizeof *process);
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 2, 3, 1, size, 0, 0, SCALAY_ROW_MAJOR, &source), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 1, 2, size, 1, 0, 0, SCALAY_ROW_MAJOR, &target), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(9, 12, 1, 2, size, 1, 0, 0, SCALAY_ROW_MAJOR, &turned), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_tiles(12, 9, 4, 5, 1, owner, &tiles), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_owner_map(source, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_from_owner_map(map, &pieces), SCALAY_SUCCESS);
    for (int k = 0; k < size; k++) process[k] = (k + 1) % size;
    CHECK_STATUS(scalay_mapping_from_processes(NULL, size, size, process, &mapping), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    scalay_release(process);
}

static void free_layouts(void)
{
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    scalay_layout_destroy(&turned);
    scalay_layout_destroy(&tiles);
    scalay_layout_destroy(&pieces);
    scalay_mapping_destroy(&mapping);
}

/* What is tried, by a transport. */
typedef scalay_status (*attempt)(const char *transport);

static scalay_status try_plan(int count, const scalay_plan_matrix *matrices, const scalay_plan_options *options)
{
    scalay_plan *plan = NULL;
    const scalay_status status = scalay_plan_create_many(comm, count, matrices, options, &plan);
    CHECK((plan != NULL) == (status == SCALAY_SUCCESS));
    scalay_plan_destroy(&plan);
    return status;
}

/* Each kind of layout, each kind of operation, in one plan. */
static scalay_status try_many(const char *transport)
{
    const scalay_plan_options options = {.size = sizeof options, .transport = transport, .memory_bytes = 4096};
    const scalay_plan_matrix matrices[] = {
        {.source = source, .target = target, .mapping = mapping, .type = SCALAY_RAW(3)},
        {.source = tiles, .target = turned, .type = SCALAY_COMPLEX_FLOAT, .op = SCALAY_CONJUGATE_TRANSPOSE},
        {.source = pieces, .target = target, .type = SCALAY_DOUBLE, .uplo = SCALAY_LOWER, .diag = SCALAY_UNIT}};
    return try_plan(3, matrices, &options);
}

static scalay_status try_in_place(const char *transport)
{
    const scalay_plan_options options = {.size = sizeof options, .transport = transport, .in_place = 1};
    const scalay_plan_matrix matrix = {.source = source, .target = target, .type = SCALAY_FLOAT};
    return try_plan(1, &matrix, &options);
}

/* The grid stays in the communicator's cache; a fresh communicator makes it anew each time. */
static scalay_status try_grid(const char *transport)
{
    int ctxt = -1, desc[9];
    scalay_comm *fresh = NULL;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &fresh);
    (void)transport;
    if (status == SCALAY_SUCCESS) status = scalay_grid_create(fresh, source, mapping, &ctxt, desc);
    if (status == SCALAY_SUCCESS) status = scalay_grid_release(fresh, &ctxt);
    scalay_comm_destroy(&fresh);
    return status;
}

/* The n-th allocation fails on the victim, for n = 1, 2, ... until there is no n-th. */
static void fail_everywhere(attempt try, const char *transport, int victim)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status != SCALAY_SUCCESS && n < 1000; n++) {
        const int64_t live = scalay_memory_live(), communicators = communicators_live, windows = windows_live;
        const int comms = scalay_comms_live();
        if (comm->rank == victim) scalay_memory_fail_at(n);
        status = try(transport);
        scalay_memory_fail_at(0);
        int extremes[2] = {status, -status};
        MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(extremes[0] == -extremes[1]);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK(scalay_memory_live() == live);
        CHECK(scalay_comms_live() == comms && communicators_live == communicators && windows_live == windows);
        if (extremes[0] != -extremes[1]) break;
        if (n == 1) CHECK(status == SCALAY_ERROR_MEMORY);
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
}

/* What a communicator keeps for the next plan (grids, what the node shares) is made before. */
static void try_all(attempt try, const char *transport)
{
    CHECK_STATUS(try(transport), SCALAY_SUCCESS);
    for (int victim = 0; victim<comm->size; victim += comm->size> 4 ? comm->size / 2 : 1)
        fail_everywhere(try, transport, victim);
}

int main(int argc, char **argv)
{
    static const char *const transports[] = {"mpi", "shared", "auto"};
    MPI_Init(&argc, &argv);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    make_layouts();
    const int64_t files = descriptors_open();
    for (size_t k = 0; k < sizeof transports / sizeof *transports; k++) {
        try_all(try_many, transports[k]);
        if (strcmp(transports[k], "mpi") == 0) try_all(try_in_place, transports[k]);
    }
    CHECK(descriptors_open() <= files);
    try_all(try_grid, NULL);
    free_layouts();
    scalay_comm_destroy(&comm);
    return check_verdict();
}
