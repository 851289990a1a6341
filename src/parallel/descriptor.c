#include "parallel/descriptor.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"

/* The public function that reads descriptors; messages speak in its name. */
static const char caller[] = "scalay_layout_from_desc";

enum { FACTS = 8 }; /* m, n, mb, nb, rsrc, csrc, nprow, npcol */

static scalay_status check_descriptor(const int *desc, int nprow, int npcol)
{
    const char *names[DLEN_] = {"DTYPE_", "CTXT_", "M_", "N_", "MB_", "NB_", "RSRC_", "CSRC_", "LLD_"};
    const int least[DLEN_] = {1, 0, 0, 0, 1, 1, 0, 0, 1};
    const int most[DLEN_] = {1, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, nprow - 1, npcol - 1, INT_MAX};
    for (int k = 0; k < DLEN_; k++)
        if (desc[k] < least[k] || desc[k] > most[k])
            return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
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
    if (nprow < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
                           "desc[1] (CTXT_) = %d is not a BLACS context; pass -1 outside the grid", desc[CTXT_]);
    scalay_status status = check_descriptor(desc, nprow, npcol);
    if (status != SCALAY_SUCCESS) return status;
    const int mine[FACTS] = {desc[M_], desc[N_], desc[MB_], desc[NB_], desc[RSRC_], desc[CSRC_], nprow, npcol};
    memcpy(facts, mine, sizeof mine);
    if (desc[LLD_] < local_rows(mine, myrow))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
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
        return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
                           "desc: no rank of the communicator is in its grid; pass the descriptor where the grid is");
    if (comm->rank == teller) memcpy(told, facts, sizeof told);
    SCALAY_TRY_MPI(MPI_Bcast(told, FACTS, MPI_INT, teller, comm->mpi));
    if (member && memcmp(told, facts, sizeof told) != 0)
        status = scalay_fail(SCALAY_ERROR_MISMATCH, caller,
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
            return scalay_fail(SCALAY_ERROR_MISMATCH, caller,
                               "desc: two ranks stand at the same place of the grid; pass one grid's descriptor on "
                               "every rank");
        ranks[positions[rank]] = rank;
        placed++;
    }
    if (placed < cells)
        return scalay_fail(SCALAY_ERROR_MISMATCH, caller,
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
