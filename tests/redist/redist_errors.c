/* Wrong arguments, ranks that disagree, and an allocation that fails on one rank only: every rank returns the same
   status with a message, nothing hangs and nothing is left. */

#include <string.h>

#include "core/blacs.h"
#include "core/node.h"
#include "redist/definition.h"
#include "scalay/redist.h"
#include "support/check.h"

static const char *const transports[] = {"mpi", "blacs", "alltoallv", "reference"};

enum { TRANSPORTS = sizeof transports / sizeof *transports };

static scalay_comm *comm;
static scalay_layout *source, *target, *tiles, *pieces, *small;
static scalay_mapping *turned; /* part k on rank k + 1 */

static void make_layouts(void)
{
    const int owner[6] = {0, 0, 0, 0, 0, 0};
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 2, 3, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &source),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 1, 2, comm->size, 1, 0, 0, SCALAY_ROW_MAJOR, &target),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_tiles(12, 9, 4, 5, 1, owner, &tiles), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_submatrix(target, 0, 0, 11, 9, &small), SCALAY_SUCCESS);
    scalay_owner_map *map = NULL;
    CHECK_STATUS(scalay_layout_owner_map(source, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_from_owner_map(map, &pieces), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    int *process = scalay_allocate(comm->size, sizeof *process);
    for (int k = 0; k < comm->size; k++) process[k] = (k + 1) % comm->size;
    CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size, comm->size, process, &turned), SCALAY_SUCCESS);
    scalay_release(process);
}

static void free_layouts(void)
{
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    scalay_layout_destroy(&tiles);
    scalay_layout_destroy(&pieces);
    scalay_layout_destroy(&small);
    scalay_mapping_destroy(&turned);
}

/* All ranks have the same status, which is the expected one, a message, and no plan. */
static void check_refused(scalay_status status, scalay_status expected, const scalay_plan *plan)
{
    int extremes[2] = {status, -status};
    MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(extremes[0] == -extremes[1]);
    CHECK_STATUS(status, expected);
    CHECK(plan == NULL);
    CHECK(strstr(scalay_error_message(), "scalay_") != NULL);
}

static void refuse_plan(const scalay_layout *a, const scalay_layout *b, const scalay_mapping *mapping, scalay_type type,
                        const char *transport, scalay_status expected)
{
    scalay_plan *plan = (scalay_plan *)&plan;
    const scalay_plan_options options = {.transport = transport};
    const int64_t live = scalay_memory_live();
    const scalay_status status = scalay_plan_create(comm, a, b, mapping, type, &options, &plan);
    check_refused(status, expected, plan);
    CHECK(scalay_memory_live() == live);
}

/* ------------------------------------------------------------------------------------------- wrong arguments */

static void wrong_everywhere(void)
{
    scalay_plan *plan = NULL;
    refuse_plan(NULL, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, NULL, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, 0, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, SCALAY_RAW(0), NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, SCALAY_RAW(SCALAY_RAW_MAX + 1), NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, SCALAY_DOUBLE, "pigeon", SCALAY_ERROR_ARGUMENT);
    CHECK(strstr(scalay_error_message(), "\"pigeon\" is none; pass \"auto\" or \"") != NULL);
    for (int k = 0; k < TRANSPORTS; k++) CHECK(strstr(scalay_error_message(), transports[k]) != NULL);
    refuse_plan(source, small, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    CHECK_STATUS(scalay_plan_create(NULL, source, target, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_get_statistics(NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_begin(NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_end(NULL), SCALAY_ERROR_ARGUMENT);
    scalay_plan_destroy(&plan);
    scalay_plan_destroy(NULL);
}

/* Only the last rank is wrong: all return its status, the others with its number in the message. */
static void wrong_on_one_rank(void)
{
    const int wrong = comm->rank == comm->size - 1;
    refuse_plan(wrong ? NULL : source, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, wrong ? 77 : SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, wrong ? small : target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    CHECK(wrong || strstr(scalay_error_message(), "rank ") != NULL);
}

static void ranks_that_disagree(void)
{
    const int odd = comm->rank == comm->size - 1;
    scalay_mapping *mapping = NULL;
    int *process = scalay_allocate(comm->size, sizeof *process);
    if (comm->size > 1) {
        refuse_plan(source, odd ? source : target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
        refuse_plan(odd ? tiles : source, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
        refuse_plan(source, target, NULL, odd ? SCALAY_FLOAT : SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
        refuse_plan(source, target, NULL, SCALAY_DOUBLE, odd ? "blacs" : "mpi", SCALAY_ERROR_MISMATCH);
        for (int k = 0; k < comm->size; k++) process[k] = odd ? comm->size - 1 - k : k;
        CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size, comm->size, process, &mapping), SCALAY_SUCCESS);
        refuse_plan(source, target, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    }
    scalay_mapping_destroy(&mapping);
    scalay_release(process);
}

static void layouts_that_need_more_ranks(void)
{
    scalay_layout *large = NULL;
    scalay_mapping *mapping = NULL;
    int *process = scalay_allocate(comm->size + 1, sizeof *process);
    for (int k = 0; k <= comm->size; k++) process[k] = comm->size - k;
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 2, 3, comm->size + 1, 1, 0, 0, SCALAY_ROW_MAJOR, &large),
                 SCALAY_SUCCESS);
    refuse_plan(large, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, large, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    /* a mapping of other parts, and one that leads out of the communicator */
    CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size + 1, comm->size + 1, process, &mapping),
                 SCALAY_SUCCESS);
    refuse_plan(source, target, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    refuse_plan(source, large, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    scalay_mapping_destroy(&mapping);
    CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size + 1, comm->size, process, &mapping), SCALAY_SUCCESS);
    refuse_plan(source, target, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&large);
    scalay_release(process);
}

/* --------------------------------------------------------------------------------------------------- moving */

static void wrong_arrays(void)
{
    scalay_plan *plan = NULL;
    double memory[400] = {0};
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_SUCCESS);
    const int has = scalay_layout_count(source, comm->rank) > 0, gets = scalay_layout_count(target, comm->rank) > 0;
    CHECK_STATUS(scalay_plan_end(plan), SCALAY_ERROR_ARGUMENT);
    if (has) CHECK_STATUS(scalay_plan_begin(plan, NULL, memory), SCALAY_ERROR_ARGUMENT);
    if (gets) CHECK_STATUS(scalay_plan_begin(plan, memory, NULL), SCALAY_ERROR_ARGUMENT);
    if (has && gets) CHECK_STATUS(scalay_plan_begin(plan, memory, memory), SCALAY_ERROR_ARGUMENT);
    if (has && gets) CHECK_STATUS(scalay_plan_begin_back(plan, memory + 1, memory), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_get_statistics(plan, NULL), SCALAY_ERROR_ARGUMENT);
    /* NULL is fine where there is nothing */
    CHECK_STATUS(scalay_plan_execute(plan, has ? memory : NULL, gets ? memory + 200 : NULL), SCALAY_SUCCESS);
    scalay_plan_destroy(&plan);
}

static void describing(void)
{
    scalay_plan *plan = NULL;
    char text[600] = "", start[20] = "";
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_SUCCESS);
    const int length = scalay_plan_describe(plan, text, sizeof text);
    CHECK(length == (int)strlen(text));
    CHECK(strstr(text, comm->node->is_used ? "\"shared\"" : "\"mpi\"") != NULL);
    CHECK(scalay_plan_describe(plan, start, sizeof start) == length);
    CHECK(strlen(start) == sizeof start - 1 && strncmp(start, text, sizeof start - 1) == 0);
    CHECK(scalay_plan_describe(plan, NULL, 0) == length);
    CHECK(scalay_plan_describe(NULL, text, sizeof text) > 0);
    scalay_plan_destroy(&plan);
}

/* --------------------------------------------------------------------------------------------------- grids */

static void refuse_grid(const scalay_layout *layout, scalay_status expected)
{
    int ctxt = 99, desc[9] = {42, 42, 42, 42, 42, 42, 42, 42, 42};
    const int64_t live = scalay_memory_live();
    const scalay_status status = scalay_grid_create(comm, layout, NULL, &ctxt, desc);
    check_refused(status, expected, NULL);
    CHECK(ctxt == -1);
    CHECK(desc[0] == 42 && desc[8] == 42);
    CHECK(scalay_memory_live() == live);
}

static void wrong_grids(void)
{
    int ctxt = -1, desc[9];
    scalay_layout *huge = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic((int64_t)1 << 31, 9, 2, 3, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &huge),
                 SCALAY_SUCCESS);
    refuse_grid(NULL, SCALAY_ERROR_ARGUMENT);
    refuse_grid(tiles, SCALAY_ERROR_UNSUPPORTED);
    refuse_grid(pieces, SCALAY_ERROR_UNSUPPORTED);
    refuse_grid(small, SCALAY_ERROR_ARGUMENT);
    refuse_grid(huge, SCALAY_ERROR_RANGE);
    if (comm->size > 1) refuse_grid(comm->rank == 0 ? source : target, SCALAY_ERROR_MISMATCH);
    check_refused(scalay_grid_create(comm, source, NULL, NULL, desc), SCALAY_ERROR_ARGUMENT, NULL);
    check_refused(scalay_grid_create(comm, source, NULL, &ctxt, NULL), SCALAY_ERROR_ARGUMENT, NULL);
    CHECK_STATUS(scalay_grid_create(NULL, source, NULL, &ctxt, desc), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&huge);
}

/* --------------------------------------------------------------------------------------------- no memory */

/* What is tried; all ranks get the same status, and nothing stays when it is not SCALAY_SUCCESS. */
typedef scalay_status (*attempt)(void);

static scalay_status try_plan(const scalay_layout *a, const scalay_layout *b, const char *name)
{
    const scalay_plan_options options = {.transport = name};
    scalay_plan *plan = NULL;
    const scalay_status status = scalay_plan_create(comm, a, b, NULL, SCALAY_RAW(3), &options, &plan);
    CHECK((plan != NULL) == (status == SCALAY_SUCCESS));
    scalay_plan_destroy(&plan);
    return status;
}

static const char *transport; /* of the attempts at hand */

static scalay_status try_grids(void)
{
    return try_plan(source, target, transport);
}

static scalay_status try_tiles(void)
{
    return try_plan(tiles, target, transport);
}

static scalay_status try_pieces(void)
{
    return try_plan(pieces, target, transport);
}

/* The grid stays in the communicator's cache; a fresh communicator makes it anew each time. */
static scalay_status try_grid(void)
{
    int ctxt = -1, desc[9];
    scalay_comm *fresh = NULL;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &fresh);
    if (status == SCALAY_SUCCESS) status = scalay_grid_create(fresh, source, turned, &ctxt, desc);
    if (status == SCALAY_SUCCESS) status = scalay_grid_release(fresh, &ctxt);
    scalay_comm_destroy(&fresh);
    return status;
}

/* The n-th allocation fails on the victim, for n = 1, 2, ... until there is no n-th. */
static void fail_everywhere(attempt try, int victim)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status != SCALAY_SUCCESS && n < 1000; n++) {
        const int64_t live = scalay_memory_live();
        if (comm->rank == victim) scalay_memory_fail_at(n);
        status = try();
        scalay_memory_fail_at(0);
        int extremes[2] = {status, -status};
        MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(extremes[0] == -extremes[1]);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK(status == SCALAY_SUCCESS || scalay_memory_live() == live);
        if (extremes[0] != -extremes[1]) break;
        if (n == 1) CHECK(status == SCALAY_ERROR_MEMORY);
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
}

static void fail_on_victims(attempt try)
{
    for (int victim = 0; victim<comm->size; victim += comm->size> 4 ? comm->size / 2 : 1) fail_everywhere(try, victim);
}

static void without_memory(void)
{
    const attempt attempts[] = {try_grids, try_tiles, try_pieces};
    for (int t = 0; t < TRANSPORTS; t++)
        for (size_t k = 0; k < sizeof attempts / sizeof *attempts; k++) {
            transport = transports[t];
            fail_on_victims(attempts[k]);
        }
    fail_on_victims(try_grid);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_probe(comm), SCALAY_SUCCESS); /* what a plan would leave behind */
    make_layouts();
    wrong_everywhere();
    wrong_on_one_rank();
    ranks_that_disagree();
    layouts_that_need_more_ranks();
    wrong_arrays();
    describing();
    wrong_grids();
    without_memory();
    free_layouts();
    scalay_comm_destroy(&comm);
    return check_verdict();
}
