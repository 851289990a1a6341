#include "multiply/moving.h"

#include "base/integer.h"
#include "parallel/comm.h"

int64_t scalay_moving_segments(const scalay_layout *source, const scalay_layout *target, scalay_op op)
{
    return op == SCALAY_NO_TRANSPOSE ? scalay_layout_segments(source, target) : 0;
}

scalay_status scalay_moving_predict(scalay_comm *comm, const scalay_plan *plan, int64_t segments, scalay_type type,
                                    const scalay_machine *machine, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_statistics told;
    if (plan == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_plan_get_statistics(plan, &told));
    const int64_t size = (int64_t)scalay_type_size(type);
    const int64_t kept = told.bytes_kept / size;
    int64_t most[2] = {scalay_max_int64(told.messages_sent, told.messages_received), kept}, all_kept = kept;
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &all_kept, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    const scalay_move move = {.volume = told.volume,
                              .steps = told.steps,
                              .messages = most[0],
                              .kept = most[1],
                              .items = told.volume + all_kept,
                              .segments = segments,
                              .processes = comm->size};
    *seconds += scalay_model_move(machine, type, &move);
cleanup:
    return status;
}
