/* The length of messages between nodes. */
#include "redist/piece_choice.h"

#include "model/machine.h"
#include "parallel/comm.h"
#include "parallel/machine_numbers.h"
#include "parallel/node.h"
#include "parallel/pieces.h"

scalay_status scalay_piece_choose(scalay_comm *comm, const scalay_machine *machine, int64_t *bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine_numbers *numbers = NULL;
    *bytes = INT64_MAX;
    if (comm->node->size == comm->size) return SCALAY_SUCCESS;
    if (machine == NULL) {
        SCALAY_TRY(scalay_machine_numbers_get(comm, 0, &numbers));
        if (numbers->source == SCALAY_NUMBERS_NONE) return scalay_pieces_probe(comm, bytes);
        machine = &numbers->machine;
    }
    *bytes = scalay_machine_piece_bytes(machine);
cleanup:
    return status;
}

int scalay_has_long_messages(const scalay_comm *comm)
{
    const scalay_machine_numbers *numbers = comm->machine_numbers;
    return comm->node->size < comm->size && numbers != NULL && scalay_machine_has_long_messages(&numbers->machine);
}
