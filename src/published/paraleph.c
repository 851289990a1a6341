/* PARALEPH (Lastovetsky and Reddy Manumachu 2018, algorithms 3 to 10): the dynamic programme over a table that is
 * distributed by columns. Every step computes one anti-diagonal; of it, a rank needs one cell of its left neighbour,
 * and hands one to its right neighbour.
 *
 * Repaired here:
 *   algorithm 3   p need not be divisible by q: columns come in blocks that differ by one at most; ranks beyond the
 *                 columns have none
 *   algorithm 4   lines 16 to 18: c starts at 0. There is no counting of cells here at all: an anti-diagonal and the
 *                 columns of a rank say which cells it has, which algorithm 7 (a dangling else: correct is, if
 *                 L - 3 <= max12, ncells = min(ncells + 1, min12), else ncells - 1) and algorithm 8 (line 4: v is not
 *                 defined; the columns are off by one) try to count
 *   algorithm 9   has no case h = 1, where what is left goes to the one processor left
 *   algorithm 10  line 5: the pointer is in row v, not v - 1
 * The traceback is a loop: its recursion always takes the cell of one column less.
 *
 * Only the main thread calls MPI. The table needs MPI_THREAD_FUNNELED for more than one thread. */
#include "published/paraleph.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "published/paraleph_table.h"

typedef struct {
    scalay_comm *comm;
    int tag;
    int ranks; /* that have columns */
    int64_t processors;
    int64_t *value;
    int64_t *size; /* shape [processors]: the answer */
    scalay_paraleph_table table;
} paraleph;

/* The first column of a rank. */
static int64_t first_column(const paraleph *p, int rank)
{
    return 1 + p->processors / p->ranks * rank + scalay_min_int64(rank, p->processors % p->ranks);
}

static int owner_of(const paraleph *p, int64_t h)
{
    const int64_t wide = p->processors % p->ranks;
    const int64_t columns = p->processors / p->ranks;
    if (h - 1 < wide * (columns + 1)) return (int)((h - 1) / (columns + 1));
    return (int)(wide + (h - 1 - wide * (columns + 1)) / columns);
}

static int threads_of(int wanted)
{
#if defined(_OPENMP)
    int level = MPI_THREAD_SINGLE;
    (void)MPI_Query_thread(&level);
    if (level < MPI_THREAD_FUNNELED) return 1;
    return wanted > 0 ? wanted : omp_get_max_threads();
#else
    (void)wanted;
    return 1;
#endif
}

/* The values to compare or add: ranks of times, or energies. */
static scalay_status list_values(const scalay_problem_group *group, int sums, int64_t **value)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!sums) return scalay_time_ranks(group, value);
    SCALAY_TRY(SCALAY_NEW(*value, group->largest + 1));
    for (int64_t x = 1; x <= group->largest; x++)
        (*value)[x] = group->energy[x] == SCALAY_NO_ENERGY ? SCALAY_NO_VALUE : group->energy[x];
cleanup:
    return status;
}

static scalay_status allocate(const scalay_problem *problem, int sums, paraleph *p)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = p->comm->rank;
    SCALAY_TRY(scalay_published_check_memory("paraleph", scalay_ceil_div(p->processors, p->ranks) + 1, problem->n + 1,
                                             sizeof *p->table.cells + sizeof *p->table.choice));
    SCALAY_TRY(SCALAY_NEW(p->size, p->processors));
    SCALAY_TRY(list_values(&problem->group[0], sums, &p->value));
    p->table = (scalay_paraleph_table){
        .n = problem->n, .largest = problem->group[0].largest, .value = p->value, .sums = sums, .first = 1, .last = 0};
    if (rank < p->ranks) {
        p->table.first = first_column(p, rank);
        p->table.last = first_column(p, rank + 1) - 1;
    }
    SCALAY_TRY(scalay_paraleph_table_allocate(&p->table));
cleanup:
    return status;
}

/* The cell to the left of the first one that this rank computes in a step. */
static int receive_left(paraleph *p, int64_t diagonal)
{
    const int64_t v = diagonal - p->table.first;
    if (p->comm->rank == 0 || v < 2 || v > p->table.n) return MPI_SUCCESS;
    return MPI_Recv(&p->table.left[v], 1, MPI_INT64_T, p->comm->rank - 1, p->tag, p->comm->mpi, MPI_STATUS_IGNORE);
}

static int send_right(paraleph *p, int64_t diagonal)
{
    const int64_t v = diagonal - p->table.last;
    if (p->comm->rank >= p->ranks - 1 || v < 2 || v > p->table.n) return MPI_SUCCESS;
    const int64_t cell = scalay_paraleph_table_get(&p->table, v, p->table.last);
    return MPI_Send(&cell, 1, MPI_INT64_T, p->comm->rank + 1, p->tag, p->comm->mpi);
}

static scalay_status fill(paraleph *p, int threads)
{
    const int64_t begin = p->table.first + 2;
    const int64_t end = p->table.last < p->table.first ? begin : p->table.last + p->table.n + 1;
    int code = MPI_SUCCESS;
    (void)threads;
#if defined(_OPENMP)
#pragma omp parallel num_threads(threads) shared(code)
#endif
    for (int64_t diagonal = begin; diagonal < end; diagonal++) {
#if defined(_OPENMP)
#pragma omp master
#endif
        if (code == MPI_SUCCESS) code = receive_left(p, diagonal);
#if defined(_OPENMP)
#pragma omp barrier
#endif
        scalay_paraleph_table_compute(&p->table, diagonal);
#if defined(_OPENMP)
#pragma omp master
#endif
        if (code == MPI_SUCCESS) code = send_right(p, diagonal);
    }
    return scalay_mpi_check(code, "scalay_published_paraleph", "the exchange of a cell");
}

/* The value of n units on all processors, on all ranks. */
static scalay_status share_value(const paraleph *p, int64_t *value)
{
    scalay_status status = SCALAY_SUCCESS;
    *value = SCALAY_NO_VALUE;
    if (p->comm->rank == p->ranks - 1) *value = scalay_paraleph_table_get(&p->table, p->table.n, p->processors);
    SCALAY_TRY_MPI(MPI_Bcast(value, 1, MPI_INT64_T, p->ranks - 1, p->comm->mpi));
cleanup:
    return status;
}

/* What every processor gets; the owner of a cell tells the others. */
static scalay_status trace_back(const paraleph *p)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_paraleph_table *table = &p->table;
    int64_t v = table->n;
    for (int64_t h = p->processors; h > 1 && v > 1; h--) {
        const int owner = owner_of(p, h);
        int32_t choice = 0;
        if (p->comm->rank == owner) choice = table->choice[(h - table->first) * (table->n + 1) + v];
        SCALAY_TRY_MPI(MPI_Bcast(&choice, 1, MPI_INT32_T, owner, p->comm->mpi));
        p->size[h - 1] = choice;
        v -= choice;
    }
    p->size[0] += v;
cleanup:
    return status;
}

static scalay_status read_distribution(const paraleph *p, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t h = 0; h < p->processors; h++) SCALAY_TRY(scalay_distribution_add(distribution, 0, p->size[h], 1));
    distribution->feasible = 1;
cleanup:
    return status;
}

scalay_status scalay_paraleph_solve(scalay_comm *comm, const scalay_problem *problem, int sums, int threads,
                                    scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t value = 0;
    paraleph p = {.comm = comm};
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    p.tag = scalay_comm_tag(comm);
    p.processors = scalay_min_int64(problem->group[0].multiplicity, problem->n);
    p.ranks = (int)scalay_min_int64(comm->size, p.processors);
    SCALAY_TRY(scalay_comm_agree(comm, allocate(problem, sums, &p)));
    SCALAY_TRY(fill(&p, threads_of(threads)));
    SCALAY_TRY(share_value(&p, &value));
    if (value < SCALAY_NO_VALUE) {
        SCALAY_TRY(trace_back(&p));
        SCALAY_TRY(scalay_comm_agree(comm, read_distribution(&p, distribution)));
    }
cleanup:
    scalay_paraleph_table_free(&p.table);
    scalay_release(p.value);
    scalay_release(p.size);
    return status;
}
