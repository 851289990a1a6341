#include "measure/cores.h"

#include <math.h>

#include "parallel/node.h"
#include "scalay/measure.h"

scalay_status scalay_cores_at_once(scalay_comm *comm, int64_t *at_once)
{
    scalay_status status = SCALAY_SUCCESS;
    double all = 0.0;
    SCALAY_TRY(scalay_node_probe(comm));
    const double mine = fmin(1.0, scalay_node_share(comm->node));
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm->mpi));
    *at_once = (int64_t)fmax(1.0, round(all));
cleanup:
    return status;
}

scalay_status scalay_machine_cores(scalay_comm *comm, int *core)
{
    scalay_status status = SCALAY_SUCCESS;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (core == NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "core is NULL; pass an array of %d numbers, one for each rank",
                             comm->size);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_node_probe(comm));
    const scalay_node *node = comm->node;
    const scalay_member *me = &node->members[node->rank];
    int first = node->rank;
    for (int k = node->size - 1; k >= 0 && me->processors == 1; k--)
        if (node->members[k].processor_set == me->processor_set) first = k;
    const int mine = node->ranks[first];
    SCALAY_TRY_MPI(MPI_Allgather(&mine, 1, MPI_INT, core, 1, MPI_INT, comm->mpi));
cleanup:
    return status;
}
