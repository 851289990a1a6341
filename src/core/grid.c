#include "core/grid.h"

#include <limits.h>
#include <string.h>

#include "core/blacs.h"
#include "core/comm.h"
#include "core/memory.h"

/* ------------------------------------------------------------------------------- the cache of contexts */

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
            status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "ranks[%d] = %d is not a rank; pass 0 to %d", k, rank,
                                 comm->size - 1);
            goto cleanup;
        }
        if (seen[rank]++) {
            status =
                SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "ranks[%d] = %d appears twice; give each position its own", k, rank);
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
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "grid %d x %d: both extents are at least 1", nprow, npcol);
    if ((int64_t)nprow * npcol > comm->size)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "grid %d x %d needs %lld ranks, the communicator has %d", nprow,
                           npcol, (long long)nprow * npcol, comm->size);
    return SCALAY_SUCCESS;
}

/* A fingerprint of the wanted grid, for the ranks to compare (FNV-1a). */
static uint64_t grid_fingerprint(int nprow, int npcol, const int *ranks)
{
    uint64_t hash = 0xcbf29ce484222325u;
    hash = (hash ^ (uint64_t)nprow) * 0x100000001b3u;
    hash = (hash ^ (uint64_t)npcol) * 0x100000001b3u;
    for (int k = 0; k < nprow * npcol; k++) hash = (hash ^ (uint64_t)ranks[k]) * 0x100000001b3u;
    return hash;
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

/* Cblacs_gridmap wants the map by columns, and every rank of the system handle to take part. */
static scalay_status map_grid(scalay_comm *comm, scalay_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    int *by_columns = NULL;
    SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(by_columns, (int64_t)grid->nprow * grid->npcol)));
    for (int r = 0; r < grid->nprow; r++)
        for (int c = 0; c < grid->npcol; c++) by_columns[c * grid->nprow + r] = grid->ranks[r * grid->npcol + c];
    if (comm->blacs_handle < 0) comm->blacs_handle = Csys2blacs_handle(comm->mpi);
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

/* ------------------------------------------------------------------------------- reading a descriptor */

enum { FACTS = 8 }; /* m, n, mb, nb, rsrc, csrc, nprow, npcol */

static scalay_status check_descriptor(const int *desc, int nprow, int npcol)
{
    const char *names[DLEN_] = {"DTYPE_", "CTXT_", "M_", "N_", "MB_", "NB_", "RSRC_", "CSRC_", "LLD_"};
    const int least[DLEN_] = {1, 0, 0, 0, 1, 1, 0, 0, 1};
    const int most[DLEN_] = {1, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, nprow - 1, npcol - 1, INT_MAX};
    for (int k = 0; k < DLEN_; k++)
        if (desc[k] < least[k] || desc[k] > most[k])
            return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_from_desc",
                               "desc[%d] (%s) = %d is outside %d .. %d; set it up with descinit", k, names[k], desc[k],
                               least[k], most[k]);
    return SCALAY_SUCCESS;
}

/* The rows of the distributed matrix in one grid row: what LLD must hold (NUMROC). */
static int local_rows(const int *facts, int myrow)
{
    int distance = (myrow - facts[4] + facts[6]) % facts[6];
    int blocks = facts[0] / facts[2];
    int rows = blocks / facts[6] * facts[2];
    if (distance < blocks % facts[6]) rows += facts[2];
    if (distance == blocks % facts[6]) rows += facts[0] % facts[2];
    return rows;
}

/* Where this rank stands, -1 outside; fills the facts when inside. */
static scalay_status own_position(const int *desc, int *position, int *facts)
{
    *position = -1;
    if (desc == NULL || desc[CTXT_] == -1) return SCALAY_SUCCESS;
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    if (desc[CTXT_] >= 0) Cblacs_gridinfo(desc[CTXT_], &nprow, &npcol, &myrow, &mycol);
    if (desc[CTXT_] < 0 || (nprow < 1 && desc[DTYPE_] != 1))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_from_desc",
                           "desc[1] (CTXT_) = %d is not a BLACS context; pass a descriptor made by descinit",
                           desc[CTXT_]);
    if (myrow < 0) return SCALAY_SUCCESS;
    scalay_status status = check_descriptor(desc, nprow, npcol);
    if (status != SCALAY_SUCCESS) return status;
    const int mine[FACTS] = {desc[M_], desc[N_], desc[MB_], desc[NB_], desc[RSRC_], desc[CSRC_], nprow, npcol};
    memcpy(facts, mine, sizeof mine);
    if (desc[LLD_] < local_rows(mine, myrow))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_from_desc",
                           "desc[8] (LLD_) = %d is less than the %d local rows; pass max(1, numroc)", desc[LLD_],
                           local_rows(mine, myrow));
    *position = myrow * npcol + mycol;
    return SCALAY_SUCCESS;
}

/* The lowest rank of the grid tells its facts; the others of the grid compare. */
static scalay_status share_facts(scalay_comm *comm, int member, int *facts)
{
    scalay_status status = SCALAY_SUCCESS;
    int candidate = member ? comm->rank : INT_MAX;
    int teller = INT_MAX;
    int told[FACTS] = {0};
    SCALAY_TRY_MPI(MPI_Allreduce(&candidate, &teller, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (teller == INT_MAX)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_layout_from_desc",
                           "desc: no rank of the communicator is in its grid; pass the descriptor where the grid is");
    if (comm->rank == teller) memcpy(told, facts, sizeof told);
    SCALAY_TRY_MPI(MPI_Bcast(told, FACTS, MPI_INT, teller, comm->mpi));
    if (member && memcmp(told, facts, sizeof told) != 0)
        status = scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_layout_from_desc",
                             "desc differs from rank %d's; pass the same descriptor on every rank of one grid", teller);
    memcpy(facts, told, sizeof told);
cleanup:
    return scalay_comm_agree(comm, status);
}

static scalay_status place_ranks(const int *positions, int processes, int cells, int *ranks)
{
    int placed = 0;
    for (int k = 0; k < cells; k++) ranks[k] = -1;
    for (int rank = 0; rank < processes; rank++) {
        if (positions[rank] < 0) continue;
        if (positions[rank] >= cells || ranks[positions[rank]] >= 0)
            return scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_layout_from_desc",
                               "desc: two ranks stand at the same place of the grid; pass one grid's descriptor on "
                               "every rank");
        ranks[positions[rank]] = rank;
        placed++;
    }
    if (placed < cells)
        return scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_layout_from_desc",
                           "desc: %d of the grid's %d processes are in the communicator; use one that has them all",
                           placed, cells);
    return SCALAY_SUCCESS;
}

scalay_status scalay_descriptor_read(scalay_comm *comm, const int *desc, scalay_descriptor *descriptor)
{
    scalay_status status = SCALAY_SUCCESS;
    int facts[FACTS] = {0};
    int position = -1;
    int *positions = NULL, *ranks = NULL;
    SCALAY_TRY(scalay_comm_agree(comm, own_position(desc, &position, facts)));
    SCALAY_TRY(share_facts(comm, position >= 0, facts));
    status = SCALAY_NEW(positions, comm->size);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(ranks, (int64_t)facts[6] * facts[7]);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY_MPI(MPI_Allgather(&position, 1, MPI_INT, positions, 1, MPI_INT, comm->mpi));
    SCALAY_TRY(place_ranks(positions, comm->size, facts[6] * facts[7], ranks));
    *descriptor =
        (scalay_descriptor){facts[0], facts[1], facts[2], facts[3],   facts[4],   facts[5],
                            facts[6], facts[7], ranks,    comm->rank, comm->size, position >= 0 ? desc[LLD_] : 0};
    ranks = NULL;
cleanup:
    scalay_release(positions);
    scalay_release(ranks);
    return status;
}
