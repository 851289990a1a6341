/* What one rank of up to 10^6 does to make a plan, in one process: processor seconds, peak of the memory that the
 * library allocates, collective calls, and the bytes that the rank gives to them and gets from them.
 *
 * MPI says here that the communicator has P ranks, and a collective call returns what it would return if all ranks gave
 * the same. Nothing is sent. The plans are those of the library, by its public functions.
 *
 * The matrix grows with the grid: 1000 x 1000 elements per process. Grids are square, or as near as may be.
 *
 * Usage: bench_scale_ranks [largest number of processes, default 1000000] */
#include "timing.h"

#include <math.h>
#include <mpi.h>

#include "base/memory.h"
#include "scalay/factor.h"
#include "scalay/multiply.h"
#include "scalay/redist.h"

/* ------------------------------------------------------------------------------------------- the communicator */

enum { MAX_WIDE = 64 };

/* Communicators of which we say that they have `processes` ranks. */
static MPI_Comm wide[MAX_WIDE];
static int wide_count, processes = 1, rank_of_all;

/* Of collective calls over such communicators. */
static struct {
    int calls;
    int64_t bytes;
} counted;

static int is_wide(MPI_Comm comm)
{
    for (int k = 0; k < wide_count; k++)
        if (wide[k] == comm) return 1;
    return comm == MPI_COMM_WORLD;
}

static void widen(MPI_Comm comm)
{
    if (wide_count == MAX_WIDE) {
        fprintf(stderr, "too many communicators\n");
        exit(3);
    }
    wide[wide_count++] = comm;
}

static void count(MPI_Comm comm, int64_t items, MPI_Datatype type)
{
    int size = 0;
    if (!is_wide(comm)) return;
    PMPI_Type_size(type, &size);
    counted.calls++;
    counted.bytes += items * size;
}

/* Nothing is sent, and what would arrive stays zero. */
int MPI_Isend(const void *data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return is_wide(comm) ? MPI_SUCCESS : PMPI_Isend(data, items, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return is_wide(comm) ? MPI_SUCCESS : PMPI_Irecv(data, items, type, from, tag, comm, request);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    const int code = PMPI_Comm_size(comm, size);
    if (is_wide(comm)) *size = processes;
    return code;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    const int code = PMPI_Comm_rank(comm, rank);
    if (is_wide(comm)) *rank = rank_of_all;
    return code;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *part)
{
    const int code = PMPI_Comm_split(comm, colour, key, part);
    count(comm, 2, MPI_INT);
    if (is_wide(comm)) widen(*part);
    return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    count(comm, 2, MPI_INT);
    return PMPI_Comm_split_type(comm, type, key, info, part);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    const int code = PMPI_Comm_dup(comm, copy);
    count(comm, 0, MPI_BYTE);
    if (is_wide(comm)) widen(*copy);
    return code;
}

/* The ranks of a group do not exist. */
int MPI_Group_incl(MPI_Group group, int items, const int ranks[], MPI_Group *part)
{
    (void)items;
    (void)ranks;
    return PMPI_Group_incl(group, 0, NULL, part);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *part)
{
    (void)group;
    (void)tag;
    count(comm, 0, MPI_BYTE);
    return PMPI_Comm_dup(MPI_COMM_SELF, part);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    for (int k = 0; k < wide_count; k++)
        if (wide[k] == *comm) wide[k] = wide[--wide_count];
    return PMPI_Comm_free(comm);
}

int MPI_Allreduce(const void *in, void *out, int items, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count(comm, 2 * (int64_t)items, type);
    return PMPI_Allreduce(in, out, items, type, op, comm);
}

int MPI_Bcast(void *data, int items, MPI_Datatype type, int root, MPI_Comm comm)
{
    count(comm, items, type);
    return is_wide(comm) ? MPI_SUCCESS : PMPI_Bcast(data, items, type, root, comm);
}

int MPI_Allgather(const void *in, int items, MPI_Datatype type, void *out, int each, MPI_Datatype each_type,
                  MPI_Comm comm)
{
    int size = 0;
    if (!is_wide(comm)) return PMPI_Allgather(in, items, type, out, each, each_type, comm);
    count(comm, items, type);
    counted.calls--;
    count(comm, (int64_t)each * processes, each_type);
    PMPI_Type_size(each_type, &size);
    for (int k = 0; k < processes; k++)
        memcpy((char *)out + (size_t)k * (size_t)each * (size_t)size, in, (size_t)each * (size_t)size);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------ plans */

enum { SIZES = 4 };
static const int grid_rows[SIZES] = {32, 100, 316, 1000};

static scalay_layout *make_layout(int rows, int block)
{
    scalay_layout *layout = NULL;
    const int64_t n = (int64_t)rows * 1000;
    timing_must(scalay_layout_block_cyclic(n, n, block, block, rows, rows, 0, 0, SCALAY_ROW_MAJOR, &layout));
    return layout;
}

static void move(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target)
{
    scalay_plan *plan = NULL;
    timing_must(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan));
    scalay_plan_destroy(&plan);
}

static void multiply(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target)
{
    scalay_summa *summa = NULL;
    (void)target;
    timing_must(scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, source, source,
                                    source, NULL, &summa));
    scalay_summa_destroy(&summa);
}

static void factor(scalay_comm *comm, const scalay_layout *layout, scalay_factor_kind kind)
{
    scalay_factor *plan = NULL;
    scalay_factor_options options = scalay_factor_options_default();
    options.placement = SCALAY_PLACEMENT_STAY;
    options.nb = 64;
    timing_must(scalay_factor_create(comm, kind, layout, SCALAY_DOUBLE, &options, &plan));
    scalay_factor_destroy(&plan);
}

static void factor_lu(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target)
{
    (void)target;
    factor(comm, source, SCALAY_FACTOR_LU);
}

static void factor_cholesky(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target)
{
    (void)target;
    factor(comm, source, SCALAY_FACTOR_CHOLESKY);
}

typedef struct {
    const char *name;
    int max_rows;
    void (*run)(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target);
} case_spec;

/* ---------------------------------------------------------------------------------------------------- measures */

typedef struct {
    double seconds, bytes;
    int calls;
    int64_t agreed;
} effort;

/* Of one rank. The communicator exists, and a plan has looked at its nodes. */
static effort measure_rank(const case_spec *spec, int rows, int rank)
{
    scalay_comm *comm = NULL;
    processes = rows * rows;
    rank_of_all = rank;
    scalay_layout *source = make_layout(rows, 64), *target = make_layout(rows, 48);
    timing_must(scalay_comm_create(MPI_COMM_WORLD, &comm));
    move(comm, source, target);
    scalay_memory_reset_peak();
    counted.calls = 0;
    counted.bytes = 0;
    const double begin = timing_now();
    const int64_t before = scalay_memory_bytes();
    spec->run(comm, source, target);
    const effort of = {timing_now() - begin, (double)(scalay_memory_peak() - before), counted.calls, counted.bytes};
    scalay_comm_destroy(&comm);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return of;
}

/* The most of three ranks. */
static effort measure(const case_spec *spec, int rows)
{
    effort most = {0};
    const int ranks[] = {0, rows * rows / 2, rows * rows - 1};
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
        const effort of = measure_rank(spec, rows, ranks[k]);
        most.seconds = fmax(most.seconds, of.seconds);
        most.bytes = fmax(most.bytes, of.bytes);
        most.calls = of.calls > most.calls ? of.calls : most.calls;
        most.agreed = of.agreed > most.agreed ? of.agreed : most.agreed;
    }
    return most;
}

static double exponent(double before, double after, int rows_before, int rows_after)
{
    return log(after / before) / (2 * log((double)rows_after / rows_before));
}

static void print_case(const case_spec *spec, int max_processes)
{
    effort last = {0};
    for (int k = 0; k < SIZES && grid_rows[k] <= spec->max_rows; k++) {
        const int rows = grid_rows[k];
        if (rows * rows > max_processes) break;
        const effort of = measure(spec, rows);
        printf("| %s | %d | %.2g | %.3g | %d | %lld |", spec->name, rows * rows, of.seconds, of.bytes * 1e-6, of.calls,
               (long long)of.agreed);
        if (k == 0)
            printf(" | |\n");
        else
            printf(" %.1f | %.1f |\n", exponent(last.seconds, of.seconds, grid_rows[k - 1], rows),
                   exponent(last.bytes, of.bytes, grid_rows[k - 1], rows));
        fflush(stdout);
        last = of;
    }
}

int main(int argc, char **argv)
{
    static const case_spec cases[] = {{"move, 64 -> 48", 1000, move},
                                      {"SUMMA, 64", 1000, multiply},
                                      {"LU, 64", 1000, factor_lu},
                                      {"Cholesky, 64", 1000, factor_cholesky}};
    const int max_processes = argc > 1 ? atoi(argv[1]) : 1000000;
    PMPI_Init(&argc, &argv);
    timing_print_machine(NULL);
    printf("\n| plan | processes | s | MB | collectives | bytes | exponent of s | of MB |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) print_case(&cases[k], max_processes);
    PMPI_Finalize();
    return 0;
}
