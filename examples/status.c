/* Errors: a failed call returns a status, and a message with function, argument, value and remedy. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "scalay/context.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_status status = scalay_comm_create(MPI_COMM_NULL, &comm);
    int expected = status == SCALAY_ERROR_ARGUMENT && comm == NULL;
    printf("%s: %s\n  %s\n", scalay_status_name(status), scalay_status_text(status), scalay_error_message());

    /* Bindings to other languages set messages in the same way. */
    status = scalay_error_set(SCALAY_ERROR_RANGE, "my binding: n = 3000000000 does not fit INTEGER*4");
    expected &= status == SCALAY_ERROR_RANGE && strstr(scalay_error_message(), "3000000000") != NULL;
    MPI_Finalize();
    return expected ? 0 : 1;
}
