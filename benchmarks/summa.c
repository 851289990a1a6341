/* SUMMA beside pdgemm, on the same block-cyclic matrices of the same processes: C := A B, n x n. A grid for pdgemm is
   as square as the processes allow; blocks of 64 unless said otherwise. Contenders take turns, another one first in
   each round; times are medians of the slowest rank. The reference, plain gemm, is one call on each rank with as many
   operations as the rank has in the product: its rows x n by n x its columns, arrays of its own that are filled with
   numbers, all ranks at the same time. Printed: seconds; how many times faster than pdgemm; the part of plain gemm's
   rate that the ranks' own gemm calls reach (the least), by the clock and, as ranks that share processors take time
   from each other, by processor seconds; the share of communication (the most); megabytes of workspace. Usage: mpirun
   -n P bench_summa [ROUNDS [BLOCK [TYPES [PANEL [N ...]]]]], such as 9 64 dz 0 2048 4096 (0: chosen). The environment
   variable ROWS gives the rows of another grid. */

#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "multiply/product.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "scalay/multiply.h"
#include "scalay/redist.h"

enum { MAX_ROUNDS = 51 };

typedef enum { PDGEMM, PLAIN, AUTO, SHARED_ALLOC, MESSAGES, BROADCAST, CONTENDERS } contender;

static const struct {
    const char *name;
    const char *transport;
    int is_shared; /* arrays of scalay_alloc */
} contenders[CONTENDERS] = {{"pdgemm", NULL, 0},
                            {"plain gemm", NULL, 0},
                            {"summa, auto", "auto", 0},
                            {"summa, scalay_alloc", "auto", 1},
                            {"summa, messages", "messages", 0},
                            {"summa, broadcast", "broadcast", 0}};

/* What a run leaves. */
typedef struct {
    double seconds, compute, processor, communicate, workspace;
} sample;

typedef struct {
    scalay_comm *comm;
    scalay_type type;
    int rounds, block, panel, n, nprow, npcol;
    int ctxt, desc[DLEN_];
    scalay_layout *layout;
    int64_t local;
    scalay_subarray piece; /* of this rank */
    void *matrix[2][3];    /* ordinary arrays, arrays of scalay_alloc */
    void *factor[2];       /* of a gemm with this rank's operations: rows x n, n x columns */
    scalay_summa *summa[CONTENDERS];
    char one[16], zero[16];
    sample samples[CONTENDERS][MAX_ROUNDS];
} arena;

/* ------------------------------------------------------------------------------------------------- matrices */

static void fill(const arena *s, void *array, int64_t elements, size_t seed)
{
    const int is_single = s->type == SCALAY_FLOAT || s->type == SCALAY_COMPLEX_FLOAT;
    const size_t reals = (size_t)elements * scalay_type_size(s->type) / (is_single ? sizeof(float) : sizeof(double));
    for (size_t e = 0; e < reals; e++) {
        const double value = (double)((e * 7919 + seed * 31) % 1000) * 1e-3 - 0.5;
        if (is_single)
            ((float *)array)[e] = (float)value;
        else
            ((double *)array)[e] = value;
    }
}

/* A filled array, to be released. */
static scalay_status make_array(const arena *s, int64_t elements, size_t seed, void **array)
{
    const int64_t bytes = elements * (int64_t)scalay_type_size(s->type);
    *array = scalay_allocate(bytes + 1, 1);
    if (*array == NULL) return scalay_no_memory(__func__, "a matrix", bytes, 1);
    fill(s, *array, elements, seed);
    return SCALAY_SUCCESS;
}

static scalay_status make_arrays(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t bytes = s->local * (int64_t)scalay_type_size(s->type);
    for (int k = 0; k < 3; k++) {
        SCALAY_TRY(make_array(s, s->local, (size_t)k, &s->matrix[0][k]));
        SCALAY_TRY(scalay_alloc(s->comm, bytes, &s->matrix[1][k]));
        fill(s, s->matrix[1][k], s->local, (size_t)k);
    }
    if (scalay_layout_subarray_count(s->layout, s->comm->rank) > 0)
        SCALAY_TRY(scalay_layout_subarray(s->layout, s->comm->rank, 0, &s->piece));
    SCALAY_TRY(make_array(s, s->piece.rows * s->n, 3, &s->factor[0]));
    SCALAY_TRY(make_array(s, s->piece.cols * s->n, 4, &s->factor[1]));
    memset(s->zero, 0, sizeof s->zero);
    memset(s->one, 0, sizeof s->one);
    if (s->type == SCALAY_FLOAT || s->type == SCALAY_COMPLEX_FLOAT)
        *(float *)(void *)s->one = 1.0f;
    else
        *(double *)(void *)s->one = 1.0;
cleanup:
    return status;
}

static scalay_status make_case(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_layout_block_cyclic(s->n, s->n, s->block, s->block, s->nprow, s->npcol, 0, 0, SCALAY_ROW_MAJOR,
                                          &s->layout));
    SCALAY_TRY(scalay_grid_create(s->comm, s->layout, NULL, &s->ctxt, s->desc));
    s->local = scalay_layout_local_size(s->layout, s->comm->rank);
    SCALAY_TRY(make_arrays(s));
    for (int k = AUTO; k < CONTENDERS; k++) {
        scalay_summa_options options = scalay_summa_options_default();
        options.transport = contenders[k].transport;
        options.panel = s->panel;
        SCALAY_TRY(scalay_summa_create(s->comm, s->type, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, s->layout, s->layout,
                                       s->layout, &options, &s->summa[k]));
    }
cleanup:
    return status;
}

static void free_case(arena *s)
{
    for (int k = 0; k < CONTENDERS; k++) scalay_summa_destroy(&s->summa[k]);
    for (int k = 0; k < 3; k++) {
        scalay_release(s->matrix[0][k]);
        scalay_free(&s->matrix[1][k]);
    }
    for (int k = 0; k < 2; k++) scalay_release(s->factor[k]);
    s->piece = (scalay_subarray){.rows = 0};
    (void)scalay_grid_release(s->comm, &s->ctxt);
    scalay_layout_destroy(&s->layout);
}

/* ---------------------------------------------------------------------------------------------------- runs */

static void run_pdgemm(arena *s)
{
    const scalay_pgemm_arguments arguments = {.op_a = 'N',
                                              .op_b = 'N',
                                              .m = s->n,
                                              .n = s->n,
                                              .k = s->n,
                                              .alpha = s->one,
                                              .a = s->matrix[0][0],
                                              .desc_a = s->desc,
                                              .b = s->matrix[0][1],
                                              .desc_b = s->desc,
                                              .beta = s->zero,
                                              .c = s->matrix[0][2],
                                              .desc_c = s->desc};
    scalay_gemm_operations_of(s->type)->multiply_on_grid(&arguments);
}

/* One gemm with the operations of this rank: its rows by n, n by its columns, of factors of its own. */
static scalay_status run_plain(arena *s)
{
    const scalay_subarray piece = s->piece;
    if (piece.rows == 0 || piece.cols == 0) return SCALAY_SUCCESS;
    const scalay_gemm_arguments gemm = {.op_a = 'N',
                                        .op_b = 'N',
                                        .m = (int)piece.rows,
                                        .n = (int)piece.cols,
                                        .k = s->n,
                                        .alpha = s->one,
                                        .a = s->factor[0],
                                        .lda = (int)piece.rows,
                                        .b = s->factor[1],
                                        .ldb = s->n,
                                        .beta = s->zero,
                                        .c = s->matrix[0][2],
                                        .ldc = (int)piece.ld};
    scalay_gemm_operations_of(s->type)->multiply(&gemm);
    return SCALAY_SUCCESS;
}

static scalay_status run(arena *s, contender which, sample *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_statistics statistics = {0};
    void *const *m = s->matrix[contenders[which].is_shared];
    MPI_Barrier(s->comm->mpi);
    const double start = MPI_Wtime(), worked = timing_now();
    if (which == PDGEMM) {
        run_pdgemm(s);
    } else if (which == PLAIN) {
        SCALAY_TRY(run_plain(s));
    } else {
        SCALAY_TRY(scalay_summa_execute(s->summa[which], s->one, m[0], m[1], s->zero, m[2]));
        SCALAY_TRY(scalay_summa_get_statistics(s->summa[which], &statistics));
    }
    *result = (sample){MPI_Wtime() - start, statistics.compute_seconds,
                       which == PLAIN ? timing_now() - worked : statistics.cpu_seconds, statistics.communicate_seconds,
                       (double)statistics.workspace_bytes};
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- report */

/* Of the slowest rank. */
static double median_seconds(const arena *s, contender which)
{
    double mine[MAX_ROUNDS], most[MAX_ROUNDS];
    for (int k = 0; k < s->rounds; k++) mine[k] = s->samples[which][k].seconds;
    MPI_Allreduce(mine, most, s->rounds, MPI_DOUBLE, MPI_MAX, s->comm->mpi);
    return timing_median(most, s->rounds);
}

/* A rank's plain gemm over its gemm calls in the same round: the median of the rounds, the least of the ranks. */
static double gemm_efficiency(const arena *s, contender which)
{
    double ratio[MAX_ROUNDS], least = 0.0;
    for (int k = 0; k < s->rounds; k++) ratio[k] = s->samples[PLAIN][k].seconds / s->samples[which][k].compute;
    const double mine = timing_median(ratio, s->rounds);
    MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, s->comm->mpi);
    return least;
}

static double least_processor_seconds(const arena *s, contender which)
{
    double least = s->samples[which][0].processor;
    for (int k = 1; k < s->rounds; k++)
        if (s->samples[which][k].processor < least) least = s->samples[which][k].processor;
    return least;
}

/* The same by processor seconds, which ranks that share a processor do not take from each other: the least of the
   rounds for either, and of the ranks. */
static double processor_efficiency(const arena *s, contender which)
{
    const double mine = least_processor_seconds(s, PLAIN) / least_processor_seconds(s, which);
    double least = 0.0;
    MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, s->comm->mpi);
    return least;
}

static double communication_share(const arena *s, contender which)
{
    double share[MAX_ROUNDS], most = 0.0;
    for (int k = 0; k < s->rounds; k++) share[k] = s->samples[which][k].communicate / s->samples[which][k].seconds;
    const double mine = timing_median(share, s->rounds);
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm->mpi);
    return most;
}

static void report(const arena *s)
{
    const double peer = median_seconds(s, PDGEMM);
    char text[256];
    for (int k = 0; k < CONTENDERS; k++) {
        const double seconds = median_seconds(s, (contender)k);
        const double efficiency = k >= AUTO ? gemm_efficiency(s, (contender)k) : 0.0;
        const double processor = k >= AUTO ? processor_efficiency(s, (contender)k) : 0.0;
        const double share = k >= AUTO ? communication_share(s, (contender)k) : 0.0;
        if (s->comm->rank != 0) continue;
        printf("%s %5d  %d x %d  %-20s %9.4f %7.3f", scalay_type_name(s->type), s->n, s->nprow, s->npcol,
               contenders[k].name, seconds, peer / seconds);
        if (k >= AUTO)
            printf(" %7.3f %7.3f %7.3f %8.1f", efficiency, processor, share, s->samples[k][0].workspace * 1e-6);
        printf("\n");
    }
    if (s->comm->rank != 0) return;
    (void)scalay_summa_describe(s->summa[AUTO], text, sizeof text);
    printf("# auto: %s\n", text);
    fflush(stdout);
}

static scalay_status measure(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    sample warm;
    for (int k = 0; k < CONTENDERS; k++) SCALAY_TRY(run(s, (contender)k, &warm));
    for (int round = 0; round < s->rounds; round++)
        for (int k = 0; k < CONTENDERS; k++) {
            const int which = (k + round) % CONTENDERS;
            SCALAY_TRY(run(s, (contender)which, &s->samples[which][round]));
        }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- main */

static scalay_status run_case(arena *s)
{
    scalay_status status = make_case(s);
    if (status == SCALAY_SUCCESS) status = measure(s);
    if (status == SCALAY_SUCCESS) report(s);
    free_case(s);
    return status;
}

int main(int argc, char **argv)
{
    static const char letters[] = "?sdcz";
    static const char *const standard[] = {"2048"};
    static arena s;
    MPI_Init(&argc, &argv);
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &s.comm);
    s.rounds = argc > 1 ? atoi(argv[1]) : 5;
    s.block = argc > 2 ? atoi(argv[2]) : 64;
    const char *types = argc > 3 ? argv[3] : "d";
    s.panel = argc > 4 ? atoi(argv[4]) : 0;
    char **sizes = argc > 5 ? argv + 5 : (char **)standard;
    const int count = argc > 5 ? argc - 5 : 1;
    if (s.rounds < 1 || s.rounds > MAX_ROUNDS || s.block < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int r = 1; r * r <= s.comm->size; r++)
        if (s.comm->size % r == 0) s.nprow = r;
    const char *rows = getenv("ROWS");
    if (rows != NULL && atoi(rows) > 0 && s.comm->size % atoi(rows) == 0) s.nprow = atoi(rows);
    s.npcol = s.comm->size / s.nprow;
    if (s.comm->rank == 0)
        printf("# t     n   grid  %-20s %9s %7s %7s %7s %7s %8s\n", "how", "seconds", "speedup", "gemm", "by proc",
               "commun.", "MB");
    for (const char *t = types; *t != 0 && status == SCALAY_SUCCESS; t++)
        for (int k = 0; k < count && status == SCALAY_SUCCESS; k++) {
            s.type = (scalay_type)(strchr(letters, *t) != NULL ? strchr(letters, *t) - letters : 0);
            s.n = atoi(sizes[k]);
            status = run_case(&s);
        }
    if (status != SCALAY_SUCCESS) printf("%s\n", scalay_error_message());
    scalay_comm_destroy(&s.comm);
    MPI_Finalize();
    return status != SCALAY_SUCCESS;
}
