/* BLACS grids of a communicator, and descriptors.

   A BLACS context holds four MPI communicators, so contexts are cached per (grid shape, rank map). A cached context
   without users is freed after SCALAY_GRIDS_KEPT other contexts were created. All ranks of a grid count the same
   contexts and the same uses, so they free it in the same call.

   Reading a descriptor needs one reduction, one gather and the agreement on allocation. */
#include "parallel/grid.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"

struct scalay_grid {
    scalay_grid *next;
    int ctxt;
    int nprow, npcol;
    int *ranks;       /* shape [nprow * npcol], row by row */
    uint64_t members; /* scalay_grid_members() */
    int users;
    int released; /* comm->grids_created when the last user released the grid */
};

static _Atomic int grids_live;

int scalay_grids_live(void)
{
    return grids_live;
}

/* ------------------------------------------------------------------------------------------- grid cache */

static void free_grid(scalay_grid *grid)
{
    Cblacs_gridexit(grid->ctxt);
    scalay_release(grid->ranks);
    scalay_release(grid);
    grids_live--;
}

void scalay_grids_free(scalay_comm *comm)
{
    while (comm->grids != NULL) {
        scalay_grid *first = comm->grids;
        comm->grids = first->next;
        free_grid(first);
    }
    if (comm->contexts_named > 0) MPI_Comm_free_keyval(&comm->context_key);
}

static void free_stale_grids(scalay_comm *comm)
{
    for (scalay_grid **link = &comm->grids; *link != NULL;) {
        scalay_grid *grid = *link;
        if (grid->users == 0 && comm->grids_created - grid->released >= SCALAY_GRIDS_KEPT) {
            *link = grid->next;
            free_grid(grid);
        } else {
            link = &grid->next;
        }
    }
}

static scalay_grid *find_grid(const scalay_comm *comm, const scalay_grid *wanted)
{
    for (scalay_grid *grid = comm->grids; grid != NULL; grid = grid->next)
        if (grid->nprow == wanted->nprow && grid->npcol == wanted->npcol &&
            memcmp(grid->ranks, wanted->ranks, (size_t)grid->nprow * (size_t)grid->npcol * sizeof *grid->ranks) == 0)
            return grid;
    return NULL;
}

uint64_t scalay_grid_members(int nprow, int npcol, const int *ranks)
{
    uint64_t members = scalay_fingerprint_add(scalay_fingerprint_start(), nprow);
    members = scalay_fingerprint_add(members, npcol);
    return scalay_fingerprint_add_ints(members, ranks, (int64_t)nprow * npcol);
}

/* ------------------------------------------------------------------------------- contexts of the program */

/* The program can release a context and use its number again. An attribute of the context's communicator tells whether
 * the context is still the one that a descriptor named: it is released with the context. */

/* Returns the communicator of a context; MPI_COMM_NULL: there is no such context. */
static MPI_Comm communicator_of(int ctxt)
{
    const int what = BLACS_CONTEXT_COMMUNICATOR;
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1, handle = 0;
    if (ctxt >= 0) Cblacs_gridinfo(ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1) return MPI_COMM_NULL;
    blacs_get_(&ctxt, &what, &handle);
    return MPI_Comm_f2c((MPI_Fint)handle);
}

static int is_named(const scalay_comm *comm, const scalay_named_context *named)
{
    int found = 0;
    void *number = NULL;
    if (named->number == 0) return 0;
    MPI_Comm communicator = communicator_of(named->ctxt);
    if (communicator == MPI_COMM_NULL) return 0;
    if (MPI_Comm_get_attr(communicator, comm->context_key, (void *)&number, &found) != MPI_SUCCESS) return 0;
    return found && (intptr_t)number == (intptr_t)named->number;
}

/* Remembers a context whose grid contains all ranks. */
static void name_context(scalay_comm *comm, int ctxt, uint64_t members)
{
    for (int k = 0; k < SCALAY_NAMED_CONTEXTS; k++)
        if (comm->named[k].ctxt == ctxt && comm->named[k].members == members && is_named(comm, &comm->named[k])) return;
    if (comm->contexts_named == 0 &&
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm->context_key, NULL) != MPI_SUCCESS)
        return;
    const int64_t number = ++comm->contexts_named;
    comm->named[number % SCALAY_NAMED_CONTEXTS] = (scalay_named_context){ctxt, number, members};
    (void)MPI_Comm_set_attr(communicator_of(ctxt), comm->context_key, (void *)(intptr_t)number);
}

int scalay_grid_find(const scalay_comm *comm, uint64_t members)
{
    for (const scalay_grid *grid = comm->grids; grid != NULL; grid = grid->next)
        if (grid->members == members) return grid->ctxt;
    for (int k = 0; k < SCALAY_NAMED_CONTEXTS; k++)
        if (comm->named[k].members == members && is_named(comm, &comm->named[k])) return comm->named[k].ctxt;
    return -1;
}

/* ----------------------------------------------------------------------------------------- create a grid */

static scalay_status check_shape(const scalay_comm *comm, int nprow, int npcol)
{
    static const char function[] = "scalay_grid_acquire";
    if (nprow < 1 || npcol < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "grid is %d x %d; nprow and npcol must be at least 1",
                           nprow, npcol);
    if ((int64_t)nprow * npcol > comm->size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "grid is %d x %d; nprow * npcol must be at most the number of ranks, %d", nprow, npcol,
                           comm->size);
    return SCALAY_SUCCESS;
}

static scalay_status check_ranks(const scalay_comm *comm, int processes, const int *ranks)
{
    static const char function[] = "scalay_grid_acquire";
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *seen = NULL;
    SCALAY_TRY(SCALAY_NEW(seen, comm->size));
    for (int k = 0; k < processes && status == SCALAY_SUCCESS; k++) {
        if (ranks[k] < 0 || ranks[k] >= comm->size)
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                 "ranks[%d] is %d, which is not a rank; "
                                 "it must be in [0, %d)",
                                 k, ranks[k], comm->size);
        else if (seen[ranks[k]]++)
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                 "ranks[%d] = %d appears twice; the ranks must be distinct", k, ranks[k]);
    }
cleanup:
    scalay_release(seen);
    return status;
}

/* Copies the arguments into a new entry of the cache. */
static scalay_status prepare_grid(const scalay_comm *comm, int nprow, int npcol, const int *ranks, scalay_grid **grid)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_shape(comm, nprow, npcol));
    SCALAY_TRY(SCALAY_NEW(*grid, 1));
    SCALAY_TRY(SCALAY_NEW((*grid)->ranks, (int64_t)nprow * npcol));
    for (int k = 0; k < nprow * npcol; k++) (*grid)->ranks[k] = ranks != NULL ? ranks[k] : k;
    (*grid)->nprow = nprow;
    (*grid)->npcol = npcol;
    SCALAY_TRY(check_ranks(comm, nprow * npcol, (*grid)->ranks));
    (*grid)->members = scalay_grid_members(nprow, npcol, (*grid)->ranks);
cleanup:
    return status;
}

static int is_member(const scalay_comm *comm, const scalay_grid *grid)
{
    for (int k = 0; k < grid->nprow * grid->npcol; k++)
        if (grid->ranks[k] == comm->rank) return 1;
    return 0;
}

int scalay_grid_of_process(void)
{
    int handle = Csys2blacs_handle(MPI_COMM_SELF), ctxt = handle, self = 0;
    Cblacs_gridmap(&ctxt, &self, 1, 1, 1);
    Cfree_blacs_system_handle(handle);
    return ctxt;
}

/* Until a process has its first context, each Cblacs_gridmap allocates its tables again and loses the old ones.
   Processes that stay outside of all grids would leak memory in a loop. A temporary context of one process prevents
   this. */
static void initialize_blacs(void)
{
    Cblacs_gridexit(scalay_grid_of_process());
}

/* Creates the BLACS context. Collective over comm. Cblacs_gridmap reads the map by columns. The system handle is freed
   at once: when many are freed, the BLACS renumber those that remain. The communicators of the context inherit the
   error handler of the caller's communicator, if MPI passes it on. */
static void create_context(scalay_comm *comm, scalay_grid *grid, int *by_columns)
{
    for (int r = 0; r < grid->nprow; r++)
        for (int c = 0; c < grid->npcol; c++) by_columns[c * grid->nprow + r] = grid->ranks[r * grid->npcol + c];
    if (comm->grids_created == 0) initialize_blacs();
    const int handle = Csys2blacs_handle(comm->mpi);
    grid->ctxt = handle;
    if (comm->handler != MPI_ERRHANDLER_NULL) (void)MPI_Comm_set_errhandler(comm->mpi, comm->handler);
    Cblacs_gridmap(&grid->ctxt, by_columns, grid->nprow, grid->nprow, grid->npcol);
    (void)MPI_Comm_set_errhandler(comm->mpi, MPI_ERRORS_RETURN);
    Cfree_blacs_system_handle(handle);
    comm->grids_created++;
}

/* A cached grid can be used if all its ranks still have it. */
static scalay_status agree_on_grid(scalay_comm *comm, scalay_status status, const scalay_grid *wanted, int *missing)
{
    scalay_agreement values = {{0}, {0}, {0}};
    if (status == SCALAY_SUCCESS) {
        scalay_agreement_compare(&values, 0, (int64_t)wanted->members);
        values.maximum[2] = is_member(comm, wanted) && find_grid(comm, wanted) == NULL;
    }
    status = scalay_comm_agree_on(comm, status, &values);
    *missing = values.maximum[2] != 0;
    if (status == SCALAY_SUCCESS && !scalay_agreement_is_equal(&values, 0))
        status = scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_grid_acquire",
                             "the ranks disagree about nprow, npcol or ranks; they must be equal on all");
    return status;
}

scalay_status scalay_grid_acquire(scalay_comm *comm, int nprow, int npcol, const int *ranks, int *ctxt)
{
    scalay_grid *wanted = NULL, *grid = NULL;
    int *by_columns = NULL, missing = 0;
    scalay_status status = scalay_check_not_null(comm, __func__, "comm");
    if (status != SCALAY_SUCCESS) return status;
    if (ctxt != NULL) *ctxt = -1;
    status = scalay_check_not_null(ctxt, __func__, "ctxt");
    if (status == SCALAY_SUCCESS) status = prepare_grid(comm, nprow, npcol, ranks, &wanted);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(by_columns, (int64_t)nprow * npcol);
    SCALAY_TRY(agree_on_grid(comm, status, wanted, &missing));
    grid = find_grid(comm, wanted);
    if (missing) {
        free_stale_grids(comm);
        create_context(comm, wanted, by_columns);
    }
    if (missing && is_member(comm, wanted)) {
        wanted->next = comm->grids;
        comm->grids = grid = wanted;
        wanted = NULL;
        grids_live++;
    }
    if (grid != NULL) {
        grid->users++;
        *ctxt = grid->ctxt;
    }
cleanup:
    if (wanted != NULL) scalay_release(wanted->ranks);
    scalay_release(wanted);
    scalay_release(by_columns);
    return status;
}

scalay_status scalay_grid_release(scalay_comm *comm, int *ctxt)
{
    scalay_status status = scalay_check_not_null(comm, __func__, "comm");
    if (status == SCALAY_SUCCESS) status = scalay_check_not_null(ctxt, __func__, "ctxt");
    if (status != SCALAY_SUCCESS || *ctxt == -1) return status;
    for (scalay_grid *grid = comm->grids; grid != NULL; grid = grid->next) {
        if (grid->ctxt != *ctxt || grid->users == 0) continue;
        grid->users--;
        grid->released = comm->grids_created;
        *ctxt = -1;
        return SCALAY_SUCCESS;
    }
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "ctxt is %d; it must be a context that this communicator acquired and did not release", *ctxt);
}

/* ------------------------------------------------------------------------------------------ descriptors */

/* The public function that reads descriptors, for messages. */
static const char caller[] = "scalay_layout_from_desc";

/* Contents of a descriptor that are equal on all processes of its grid. */
enum { FACT_M, FACT_N, FACT_MB, FACT_NB, FACT_RSRC, FACT_CSRC, FACT_NPROW, FACT_NPCOL, FACTS };

static scalay_status check_descriptor(const int *desc, int nprow, int npcol)
{
    const char *names[DLEN_] = {"DTYPE_", "CTXT_", "M_", "N_", "MB_", "NB_", "RSRC_", "CSRC_", "LLD_"};
    const int minimum[DLEN_] = {1, 0, 0, 0, 1, 1, 0, 0, 1};
    const int maximum[DLEN_] = {1, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, nprow - 1, npcol - 1, INT_MAX};
    for (int k = 0; k < DLEN_; k++)
        if (desc[k] < minimum[k] || desc[k] > maximum[k])
            return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
                               "desc[%d] (%s) is %d; it must be in [%d, %d]. Set up desc with descinit.", k, names[k],
                               desc[k], minimum[k], maximum[k]);
    return SCALAY_SUCCESS;
}

/* Rows of the matrix in one grid row (NUMROC). */
static int local_rows(const int *facts, int myrow)
{
    const int nprow = facts[FACT_NPROW], mb = facts[FACT_MB];
    const int distance = (myrow - facts[FACT_RSRC] + nprow) % nprow, blocks = facts[FACT_M] / mb;
    int rows = blocks / nprow * mb;
    if (distance < blocks % nprow) rows += mb;
    if (distance == blocks % nprow) rows += facts[FACT_M] % mb;
    return rows;
}

/* Reads the position of this rank in the grid, row by row; -1 outside. Inside, reads the facts. */
static scalay_status read_position(const int *desc, int *position, int *facts)
{
    *position = -1;
    if (desc == NULL || desc[CTXT_] == -1) return SCALAY_SUCCESS;
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    if (desc[CTXT_] >= 0) Cblacs_gridinfo(desc[CTXT_], &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
                           "desc[1] (CTXT_) is %d; it must be a BLACS context, or -1 outside the grid", desc[CTXT_]);
    scalay_status status = check_descriptor(desc, nprow, npcol);
    if (status != SCALAY_SUCCESS) return status;
    const int own[FACTS] = {desc[M_], desc[N_], desc[MB_], desc[NB_], desc[RSRC_], desc[CSRC_], nprow, npcol};
    memcpy(facts, own, sizeof own);
    if (desc[LLD_] < local_rows(own, myrow))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
                           "desc[8] (LLD_) is %d; it must be at least max(1, numroc), and this process has %d local "
                           "rows",
                           desc[LLD_], local_rows(own, myrow));
    *position = myrow * npcol + mycol;
    return SCALAY_SUCCESS;
}

/* Distributes the facts from the processes of the grid to all ranks, with one reduction. */
static scalay_status share_facts(scalay_comm *comm, scalay_status status, int is_in_grid, int *facts)
{
    scalay_agreement values = {{0}, {0}, {0}};
    for (int k = 0; k < FACTS; k++) {
        if (is_in_grid)
            scalay_agreement_compare(&values, 2 * k, facts[k]);
        else
            scalay_agreement_accept(&values, 2 * k);
    }
    SCALAY_TRY(scalay_comm_agree_on(comm, status, &values));
    if (values.maximum[0] == INT64_MIN)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
                           "no rank of the communicator is in the grid of desc. Pass the descriptor on the processes "
                           "of the grid.");
    for (int k = 0; k < FACTS; k++) {
        if (!scalay_agreement_is_equal(&values, 2 * k))
            return scalay_fail(SCALAY_ERROR_MISMATCH, caller,
                               "desc differs between the processes of its grid; it must be equal except for LLD_");
        facts[k] = (int)values.maximum[2 * k];
    }
cleanup:
    return status;
}

/* Inverts the positions of all ranks to the ranks of all positions. */
static scalay_status invert_positions(const int *positions, int processes, int grid_size, int *ranks)
{
    int found = 0;
    for (int k = 0; k < grid_size; k++) ranks[k] = -1;
    for (int rank = 0; rank < processes; rank++) {
        if (positions[rank] < 0) continue;
        if (positions[rank] >= grid_size || ranks[positions[rank]] >= 0)
            return scalay_fail(SCALAY_ERROR_MISMATCH, caller,
                               "two ranks have the same position in the grid of desc; desc must refer to the same grid "
                               "on every rank");
        ranks[positions[rank]] = rank;
        found++;
    }
    if (found < grid_size)
        return scalay_fail(SCALAY_ERROR_MISMATCH, caller,
                           "%d of %d processes of the grid of desc are in the communicator; it must contain all of "
                           "them",
                           found, grid_size);
    return SCALAY_SUCCESS;
}

scalay_status scalay_descriptor_read(scalay_comm *comm, scalay_status own_status, const int *desc,
                                     scalay_descriptor *descriptor)
{
    int facts[FACTS] = {0}, position = -1;
    int *positions = NULL, *ranks = NULL;
    scalay_status status = own_status;
    if (status == SCALAY_SUCCESS) status = read_position(desc, &position, facts);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(positions, comm->size);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(ranks, comm->size);
    SCALAY_TRY(share_facts(comm, status, position >= 0, facts));
    const int64_t grid_size = (int64_t)facts[FACT_NPROW] * facts[FACT_NPCOL];
    if (grid_size > comm->size) {
        status = scalay_fail(SCALAY_ERROR_MISMATCH, caller,
                             "the grid of desc has %lld processes, the communicator has %d; it must contain all of "
                             "them",
                             (long long)grid_size, comm->size);
        goto cleanup;
    }
    SCALAY_TRY_MPI(MPI_Allgather(&position, 1, MPI_INT, positions, 1, MPI_INT, comm->mpi));
    SCALAY_TRY(invert_positions(positions, comm->size, (int)grid_size, ranks));
    if (grid_size == comm->size)
        name_context(comm, desc[CTXT_], scalay_grid_members(facts[FACT_NPROW], facts[FACT_NPCOL], ranks));
    *descriptor = (scalay_descriptor){.m = facts[FACT_M],
                                      .n = facts[FACT_N],
                                      .mb = facts[FACT_MB],
                                      .nb = facts[FACT_NB],
                                      .rsrc = facts[FACT_RSRC],
                                      .csrc = facts[FACT_CSRC],
                                      .nprow = facts[FACT_NPROW],
                                      .npcol = facts[FACT_NPCOL],
                                      .ranks = ranks,
                                      .rank = comm->rank,
                                      .processes = comm->size,
                                      .lld = position >= 0 ? desc[LLD_] : 0};
    ranks = NULL;
cleanup:
    scalay_release(positions);
    scalay_release(ranks);
    return status;
}
