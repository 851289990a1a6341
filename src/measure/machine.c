#include "scalay/measure.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/blas.h"
#include "measure/cores.h"
#include "measure/link.h"
#include "measure/repeat.h"
#include "parallel/comm.h"

/* A matrix of 8 MB leaves most caches for level 2; blocks of 256 are where level 3 is at its best. */
enum { SQUARE = 256, LONG = 2048, WIDE = 512, STRIP = 64, SCRATCH = LONG * WIDE };
/* What goes round in lockstep is longer than what MPI keeps for a receiver that does not run; a piece of the work takes
 * as many products as are longer than its way. */
enum { PANEL = 32768, PIECE = 3 };
#define SECONDS_PER_RATE 0.12

/* One round of an operation on scratch memory; returns what it counts: operations or bytes. */
typedef double (*operation)(double *from, double *to);

static double multiply(double *from, double *to)
{
    const int n = SQUARE;
    const double one = 1.0, none = 0.0;
    dgemm_("N", "N", &n, &n, &n, &one, from, &n, from + n * n, &n, &none, to, &n, 1, 1);
    return 2.0 * n * (double)n * n;
}

static double multiply_vector(double *from, double *to)
{
    const int m = LONG, n = WIDE, step = 1;
    const double one = 1.0, none = 0.0;
    dgemv_("T", &m, &n, &one, from, &m, to, &step, &none, to + m, &step, 1);
    return 2.0 * m * (double)n;
}

/* Packing as redistributions do it: strips of columns, one after the other. */
static double pack(double *from, double *to)
{
    for (int strip = 0; strip < LONG / STRIP; strip++)
        for (int col = 0; col < WIDE; col++) {
            memcpy(to, from + strip * STRIP + (size_t)col * LONG, STRIP * sizeof *to);
            to += STRIP;
        }
    return (double)sizeof *to * LONG * WIDE;
}

/* Seconds per operation or byte of the mean rank, all at work. */
static scalay_status measure_rate(scalay_comm *comm, operation once, double *from, double *to, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    double count = 0.0, start = 0.0, now = 0.0, mine = 0.0, sum = 0.0, oversubscription = 1.0;
    (void)once(from, to);
    SCALAY_TRY(scalay_find_oversubscription(comm, 1, &oversubscription));
    SCALAY_TRY(scalay_begin_together(comm, oversubscription, 0));
    for (start = now = MPI_Wtime(); now - start < SECONDS_PER_RATE; now = MPI_Wtime()) count += once(from, to);
    mine = (now - start) / count;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm->mpi));
    *seconds = sum / comm->size;
cleanup:
    return status;
}

/* What fraction of `all_at_work`, seconds per operation of level 3, rank 0 needs while the others wait. A rank that
 * waits in MPI polls: what that takes away from the one that works is in the number. */
static scalay_status measure_alone(scalay_comm *comm, double *from, double *to, double all_at_work, double *alone)
{
    scalay_status status = SCALAY_SUCCESS;
    double count = 0.0, start = 0.0, now = 0.0, fraction = 1.0;
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    if (comm->rank == 0) {
        for (start = now = MPI_Wtime(); now - start < SECONDS_PER_RATE; now = MPI_Wtime()) count += multiply(from, to);
        fraction = (now - start) / count / all_at_work;
    }
    SCALAY_TRY_MPI(MPI_Bcast(&fraction, 1, MPI_DOUBLE, 0, comm->mpi));
    *alone = fraction < 1.0 ? fraction : 1.0;
cleanup:
    return status;
}

/* A panel goes from rank to rank, the root first. */
static scalay_status pass_round(scalay_comm *comm, double *panel, int root, int tag)
{
    scalay_status status = SCALAY_SUCCESS;
    const int before = (comm->rank + comm->size - 1) % comm->size, after = (comm->rank + 1) % comm->size;
    if (comm->rank != root)
        SCALAY_TRY_MPI(MPI_Recv(panel, PANEL, MPI_DOUBLE, before, tag, comm->mpi, MPI_STATUS_IGNORE));
    if (after != root) SCALAY_TRY_MPI(MPI_Send(panel, PANEL, MPI_DOUBLE, after, tag, comm->mpi));
cleanup:
    return status;
}

/* How much longer the same takes when a panel goes round all ranks before each piece, every rank being the first in its
 * turn. Processes that share cores lose the time in which the next one on the way does not run. */
static scalay_status measure_lockstep(scalay_comm *comm, double *from, double *to, double all_at_work, double *factor)
{
    scalay_status status = SCALAY_SUCCESS;
    const double piece = all_at_work * PIECE * 2.0 * SQUARE * (double)SQUARE * SQUARE;
    const int turns = (int)ceil(SECONDS_PER_RATE / piece / comm->size), rounds = comm->size * turns;
    const int tag = scalay_comm_tag(comm);
    double *panel = to + SCRATCH - PANEL, start = 0.0;
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        SCALAY_TRY(pass_round(comm, panel, round % comm->size, tag));
        for (int k = 0; k < PIECE; k++) (void)multiply(from, to);
    }
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    *factor = (MPI_Wtime() - start) / rounds / piece;
    SCALAY_TRY_MPI(MPI_Bcast(factor, 1, MPI_DOUBLE, 0, comm->mpi));
    if (*factor < 1.0) *factor = 1.0;
cleanup:
    return status;
}

/* Seconds of a message in a sum over all ranks and its way back, 2 log2(P) one after the other. It is more than between
 * two ranks when ranks share cores: each waits for one that does not run. Rank 0 says when it is enough. */
static scalay_status measure_levels(scalay_comm *comm, double *latency)
{
    scalay_status status = SCALAY_SUCCESS;
    double ends = 0.0, sum = 0.0, rounds = 0.0;
    if (comm->size == 1) return SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    const double start = MPI_Wtime();
    for (; sum == 0.0; rounds++) {
        ends = comm->rank == 0 && MPI_Wtime() - start > SECONDS_PER_RATE ? 1.0 : 0.0;
        SCALAY_TRY_MPI(MPI_Allreduce(&ends, &sum, 1, MPI_DOUBLE, MPI_SUM, comm->mpi));
    }
    double level = (MPI_Wtime() - start) / rounds / (2.0 * log2(comm->size));
    SCALAY_TRY_MPI(MPI_Bcast(&level, 1, MPI_DOUBLE, 0, comm->mpi));
    *latency = fmax(*latency, level);
cleanup:
    return status;
}

scalay_status scalay_machine_measure(scalay_comm *comm, scalay_machine *machine)
{
    scalay_status status = SCALAY_SUCCESS;
    double *from = NULL, *to = NULL;
    scalay_machine found = {0};
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (machine == NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "machine is NULL; pass the address of a scalay_machine");
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(from, SCRATCH);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(to, SCRATCH);
    SCALAY_TRY(scalay_comm_agree(comm, status));

    for (int k = 0; k < SCRATCH; k++) from[k] = 1.0 / (1.0 + k % 7);
    SCALAY_TRY(scalay_cores_at_once(comm, &found.concurrent_processes));
    SCALAY_TRY(measure_rate(comm, multiply, from, to, &found.seconds_per_flop));
    SCALAY_TRY(measure_alone(comm, from, to, found.seconds_per_flop, &found.solo_time_ratio));
    SCALAY_TRY(measure_lockstep(comm, from, to, found.seconds_per_flop, &found.ring_slowdown));
    SCALAY_TRY(measure_rate(comm, multiply_vector, from, to, &found.seconds_per_flop_vector));
    SCALAY_TRY(measure_rate(comm, pack, from, to, &found.seconds_per_byte_copied));
    SCALAY_TRY(scalay_link_measure(comm, (char *)to, &found.seconds_per_message, &found.seconds_per_byte));
    SCALAY_TRY(measure_levels(comm, &found.seconds_per_message));
    found.processes = comm->size;
    *machine = found;
cleanup:
    scalay_release(to);
    scalay_release(from);
    return status;
}
