/* Products of matrices with long and short extents, beside pdgemm: C := A B, C of m x n, inner extent k, on one grid
   with blocks of 64. Contenders alternate; times are medians of the slowest rank. The limit is one plain gemm of m n k
   / P operations on all ranks at the same time. Printed: seconds, and seconds of pdgemm / seconds of each contender.

   Usage: mpirun -n P bench_summa_shapes [ROUNDS [MxNxK ...]], such as 9 64x3000x3000 1000x1000x60000 */

#include "timing.h"

#include <mpi.h>

#include "base/memory.h"
#include "multiply/product.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "scalay/multiply.h"
#include "scalay/redist.h"

enum { MAX_ROUNDS = 51, BLOCK = 64 };

typedef enum { PDGEMM, LIMIT, AUTO, SHARED, MESSAGES, ONE_CALL, CONTENDERS } contender;

static const char *const names[CONTENDERS] = {"pdgemm",        "limit (local gemm)", "summa, auto",
                                              "summa, shared", "summa, messages",    "scalay_pdgemm"};
static const char *const transports[CONTENDERS] = {NULL, NULL, "auto", "shared", "messages", NULL};

void pdgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc, size_t length_a, size_t length_b);
void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t length_a, size_t length_b);

/* A matrix on the grid. */
typedef struct {
    scalay_layout *layout;
    int desc[DLEN_];
    int64_t elements;
    double *array;
} matrix;

typedef struct {
    int m, n, k, nprow, npcol, rows, cols;
    matrix x[3]; /* A, B, C */
    double *factor[2], *product;
    scalay_summa *summa[CONTENDERS];
    double seconds[CONTENDERS][MAX_ROUNDS];
} arena;

static scalay_comm *comm;

static matrix make_matrix(const arena *s, int m, int n, int seed)
{
    matrix x = {NULL, {0}, 0, NULL};
    timing_must(scalay_layout_block_cyclic(m, n, BLOCK, BLOCK, s->nprow, s->npcol, 0, 0, SCALAY_ROW_MAJOR, &x.layout));
    timing_must(scalay_grid_create(comm, x.layout, NULL, &x.desc[CTXT_], x.desc));
    x.elements = scalay_layout_local_size(x.layout, comm->rank);
    x.array = malloc((size_t)(x.elements + 1) * sizeof *x.array);
    for (int64_t k = 0; k < x.elements; k++) x.array[k] = (double)((k * 7 + seed) % 11) - 5.0;
    return x;
}

static double *new_array(int64_t elements)
{
    double *array = malloc((size_t)(elements + 1) * sizeof *array);
    for (int64_t k = 0; k < elements; k++) array[k] = (double)(k % 7) - 3.0;
    return array;
}

/* The grid of ScaLAPACK's users: as square as possible, at least as many columns as rows. */
static void find_grid(arena *s)
{
    for (int p = 1; p * p <= comm->size; p++)
        if (comm->size % p == 0) s->nprow = p;
    s->npcol = comm->size / s->nprow;
}

static void set_up(arena *s)
{
    find_grid(s);
    s->x[0] = make_matrix(s, s->m, s->k, 1);
    s->x[1] = make_matrix(s, s->k, s->n, 2);
    s->x[2] = make_matrix(s, s->m, s->n, 3);
    s->rows = (s->m + s->nprow - 1) / s->nprow;
    s->cols = (s->n + s->npcol - 1) / s->npcol;
    s->factor[0] = new_array((int64_t)s->rows * s->k);
    s->factor[1] = new_array((int64_t)s->k * s->cols);
    s->product = new_array((int64_t)s->rows * s->cols);
    for (int c = 0; c < CONTENDERS; c++) {
        scalay_summa_options options = scalay_summa_options_default();
        options.transport = transports[c];
        if (transports[c] == NULL) continue;
        timing_must(scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, s->x[0].layout,
                                        s->x[1].layout, s->x[2].layout, &options, &s->summa[c]));
    }
}

static void tear_down(arena *s)
{
    for (int c = 0; c < CONTENDERS; c++) scalay_summa_destroy(&s->summa[c]);
    for (int k = 0; k < 3; k++) {
        timing_must(scalay_grid_release(comm, &s->x[k].desc[CTXT_]));
        scalay_layout_destroy(&s->x[k].layout);
        free(s->x[k].array);
    }
    free(s->factor[0]);
    free(s->factor[1]);
    free(s->product);
}

static void multiply(arena *s, contender c)
{
    const double one = 1.0, zero = 0.0;
    const int first = 1;
    matrix *a = &s->x[0], *b = &s->x[1], *x = &s->x[2];
    if (c == PDGEMM)
        pdgemm_("N", "N", &s->m, &s->n, &s->k, &one, a->array, &first, &first, a->desc, b->array, &first, &first,
                b->desc, &zero, x->array, &first, &first, x->desc, 1, 1);
    else if (c == LIMIT)
        dgemm_("N", "N", &s->rows, &s->cols, &s->k, &one, s->factor[0], &s->rows, s->factor[1], &s->k, &zero,
               s->product, &s->rows, 1, 1);
    else if (c == ONE_CALL)
        timing_must(scalay_pdgemm(comm, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, one, a->layout, a->array, b->layout,
                                  b->array, zero, x->layout, x->array, NULL, NULL));
    else
        timing_must(scalay_summa_execute(s->summa[c], &one, a->array, b->array, &zero, x->array));
}

/* All contenders find the same data in the caches. */
static void read_matrices(const arena *s)
{
    volatile double sum = 0.0;
    double part = 0.0;
    for (int k = 0; k < 3; k++)
        for (int64_t e = 0; e < s->x[k].elements; e += 8) part += s->x[k].array[e];
    sum = part;
    (void)sum;
}

static void run(arena *s, contender c, int round)
{
    read_matrices(s);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    multiply(s, c);
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round >= 0) s->seconds[c][round] = seconds;
}

static void measure(arena *s, int rounds)
{
    for (int round = -2; round < rounds; round++)
        for (int turn = LIMIT + 1; turn <= CONTENDERS; turn++)
            run(s, turn < CONTENDERS ? (contender)turn : PDGEMM, round);
    for (int round = -1; round < rounds; round++) run(s, LIMIT, round); /* with arrays of its own */
    const double stock = timing_median(s->seconds[PDGEMM], rounds);
    for (int c = 0; c < CONTENDERS && comm->rank == 0; c++) {
        const double seconds = timing_median(s->seconds[c], rounds);
        printf("%6d x %6d x %6d  %d x %d  %-20s %10.5f %7.2f\n", s->m, s->n, s->k, s->nprow, s->npcol, names[c],
               seconds, stock / seconds);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const defaults[] = {"64x3000x3000", "3000x64x3000", "3000x3000x64", "256x256x60000",
                                           "1000x1000x20000"};
    MPI_Init(&argc, &argv);
    timing_must(scalay_comm_create(MPI_COMM_WORLD, &comm));
    const int wanted = argc > 1 ? atoi(argv[1]) : 9;
    const int rounds = wanted < 1 ? 1 : wanted > MAX_ROUNDS ? MAX_ROUNDS : wanted;
    const int shapes = argc > 2 ? argc - 2 : (int)(sizeof defaults / sizeof *defaults);
    for (int k = 0; k < shapes; k++) {
        arena *s = calloc(1, sizeof *s);
        const char *shape = argc > 2 ? argv[k + 2] : defaults[k];
        if (sscanf(shape, "%dx%dx%d", &s->m, &s->n, &s->k) != 3 || s->m < 1 || s->n < 1 || s->k < 1) {
            fprintf(stderr, "shape \"%s\" must be MxNxK, such as 64x3000x3000\n", shape);
            return 2;
        }
        set_up(s);
        measure(s, rounds);
        tear_down(s);
        free(s);
    }
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
