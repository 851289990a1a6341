#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"

struct scalay_grid {
    scalay_grid *next;
    int ctxt;
    int nprow, npcol;
    int *ranks; /* row by row */
    int users;
    int released; /* grids_made of the communicator when the last user went */
};

static int grids_live;

int scalay_grids_live(void)
{
    return grids_live;
}

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
    if (comm->blacs_handle >= 0) Cfree_blacs_system_handle(comm->blacs_handle);
    comm->blacs_handle = -1;
}

/* Every rank of a grid sees the same clock and the same uses, so all of them drop it in the same call. */
static void drop_stale_grids(scalay_comm *comm)
{
    for (scalay_grid **link = &comm->grids; *link != NULL;) {
        scalay_grid *grid = *link;
        if (grid->users == 0 && comm->grids_made - grid->released >= SCALAY_GRIDS_KEPT) {
            *link = grid->next;
            free_grid(grid);
        } else {
            link = &grid->next;
        }
    }
}

static scalay_grid *find_grid(const scalay_comm *comm, int nprow, int npcol, const int *ranks)
{
    for (scalay_grid *grid = comm->grids; grid != NULL; grid = grid->next)
        if (grid->nprow == nprow && grid->npcol == npcol &&
            memcmp(grid->ranks, ranks, (size_t)nprow * (size_t)npcol * sizeof *ranks) == 0)
            return grid;
    return NULL;
}

static scalay_status check_ranks(const scalay_comm *comm, int nprow, int npcol, const int *ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *seen = NULL;
    SCALAY_TRY(SCALAY_NEW(seen, comm->size));
    for (int k = 0; k < nprow * npcol; k++) {
        int rank = ranks != NULL ? ranks[k] : k;
        if (rank < 0 || rank >= comm->size) {
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_grid_acquire",
                                 "ranks[%d] = %d is not a rank; pass 0 to %d", k, rank, comm->size - 1);
            goto cleanup;
        }
        if (seen[rank]++) {
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_grid_acquire",
                                 "ranks[%d] = %d appears twice; give each position its own", k, rank);
            goto cleanup;
        }
    }
cleanup:
    scalay_release(seen);
    return status;
}

static scalay_status check_shape(const scalay_comm *comm, int nprow, int npcol)
{
    if (nprow < 1 || npcol < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_grid_acquire", "grid %d x %d: both extents are at least 1",
                           nprow, npcol);
    if ((int64_t)nprow * npcol > comm->size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_grid_acquire",
                           "grid %d x %d needs %lld ranks, the communicator has %d", nprow, npcol,
                           (long long)nprow * npcol, comm->size);
    return SCALAY_SUCCESS;
}

/* What the ranks compare of the wanted grid. */
static uint64_t grid_fingerprint(int nprow, int npcol, const int *ranks)
{
    uint64_t fingerprint = scalay_fingerprint_add(scalay_fingerprint_start(), nprow);
    fingerprint = scalay_fingerprint_add(fingerprint, npcol);
    return scalay_fingerprint_add_ints(fingerprint, ranks, (int64_t)nprow * npcol);
}

/* The clean copy of the arguments that the cache keeps. */
static scalay_status prepare_grid(const scalay_comm *comm, int nprow, int npcol, const int *ranks, scalay_grid **grid)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_shape(comm, nprow, npcol));
    SCALAY_TRY(check_ranks(comm, nprow, npcol, ranks));
    SCALAY_TRY(SCALAY_NEW(*grid, 1));
    SCALAY_TRY(SCALAY_NEW((*grid)->ranks, (int64_t)nprow * npcol));
    for (int k = 0; k < nprow * npcol; k++) (*grid)->ranks[k] = ranks != NULL ? ranks[k] : k;
    (*grid)->nprow = nprow;
    (*grid)->npcol = npcol;
cleanup:
    return status;
}

static int is_member(const scalay_comm *comm, const scalay_grid *grid)
{
    for (int k = 0; k < grid->nprow * grid->npcol; k++)
        if (grid->ranks[k] == comm->rank) return 1;
    return 0;
}

/* Until a rank gets its first context, every Cblacs_gridmap allocates the rank's tables anew and forgets the old ones:
 * ranks that stay outside of all grids would leak in a loop. A context of its own, given up at once, ends that. */
static void wake_blacs(void)
{
    int handle = Csys2blacs_handle(MPI_COMM_SELF), ctxt = handle, self = 0;
    Cblacs_gridmap(&ctxt, &self, 1, 1, 1);
    Cblacs_gridexit(ctxt);
    Cfree_blacs_system_handle(handle);
}

/* Cblacs_gridmap wants the map by columns, and every rank of the system handle to take part. */
static scalay_status map_grid(scalay_comm *comm, scalay_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    int *by_columns = NULL;
    SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(by_columns, (int64_t)grid->nprow * grid->npcol)));
    for (int r = 0; r < grid->nprow; r++)
        for (int c = 0; c < grid->npcol; c++) by_columns[c * grid->nprow + r] = grid->ranks[r * grid->npcol + c];
    if (comm->blacs_handle < 0) {
        wake_blacs();
        comm->blacs_handle = Csys2blacs_handle(comm->mpi);
    }
    grid->ctxt = comm->blacs_handle;
    Cblacs_gridmap(&grid->ctxt, by_columns, grid->nprow, grid->nprow, grid->npcol);
    comm->grids_made++;
cleanup:
    scalay_release(by_columns);
    return status;
}

/* A grid is at hand when all of its ranks still have it; the ranks outside have no say. */
static scalay_status must_make(scalay_comm *comm, int missing_here, int *missing)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Allreduce(&missing_here, missing, 1, MPI_INT, MPI_LOR, comm->mpi));
cleanup:
    return status;
}

scalay_status scalay_grid_acquire(scalay_comm *comm, int nprow, int npcol, const int *ranks, int *ctxt)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_grid *wanted = NULL;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (ctxt != NULL) *ctxt = -1;
    SCALAY_TRY(scalay_comm_agree(comm, ctxt == NULL ? SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "ctxt is NULL")
                                                    : prepare_grid(comm, nprow, npcol, ranks, &wanted)));
    SCALAY_TRY(scalay_comm_agree_value(comm, grid_fingerprint(nprow, npcol, wanted->ranks), __func__,
                                       "the grid's shape or ranks"));
    int member = is_member(comm, wanted);
    scalay_grid *found = find_grid(comm, nprow, npcol, wanted->ranks);
    int missing = 0;
    SCALAY_TRY(must_make(comm, member && found == NULL, &missing));
    if (missing) {
        drop_stale_grids(comm);
        SCALAY_TRY(map_grid(comm, wanted));
    }
    if (missing && member) {
        wanted->next = comm->grids;
        comm->grids = found = wanted;
        wanted = NULL;
        grids_live++;
    }
    if (found != NULL) {
        found->users++;
        *ctxt = found->ctxt;
    }
cleanup:
    if (wanted != NULL) scalay_release(wanted->ranks);
    scalay_release(wanted);
    return status;
}

scalay_status scalay_grid_release(scalay_comm *comm, int *ctxt)
{
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; pass the communicator of the grid");
    if (ctxt == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "ctxt is NULL");
    if (*ctxt == -1) return SCALAY_SUCCESS;
    for (scalay_grid *grid = comm->grids; grid != NULL; grid = grid->next) {
        if (grid->ctxt != *ctxt || grid->users == 0) continue;
        grid->users--;
        grid->released = comm->grids_made;
        *ctxt = -1;
        return SCALAY_SUCCESS;
    }
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "ctxt = %d is not a context in use of this communicator", *ctxt);
}
