/*
 * Predicted time of ScaLAPACK's drivers for eigenvalues and singular values, and of p?getri: the sum of the phases that
 * each driver runs one after the other.
 *
 * A phase counts its operations on the process that has most of them, and multiplies them with the measured rates of
 * the machine: level-3 operations with the rate of dgemm at the width of a block, level-2 operations with that of dgemv
 * at the size of the local part, copies with that of packing. Calls and steps of a search take the time of so many
 * flops of a small dgemv, latencies that of a message per level of the grid. Time: O(1) per panel; more than 256 panels
 * are sampled.
 *
 * The factors have no unit. They were fitted to 320 calls in doubles on two processes of an AMD EPYC, of order
 * 256 to 2048, on grids of 1 x 2 and 2 x 1, with blocks of 1, 8, 32, 64 and half of the matrix. Calls of order 320, 768
 * and 1536 were held out (docs/benchmarks-dropin.md). Each phase was timed alone and fitted alone.
 *
 * What the model does not see:
 *   - eigenvalues that lie close: inverse iteration in p?syevx orthogonalises their vectors on one process, and divide
 *     and conquer is faster with more of them;
 *   - sweeps of the QR iteration, whose number depends on the matrix;
 *   - grids of 4 and more processes: p?syevx and p?syevr reduce on a square grid, with code that was not timed.
 */
#include <math.h>

#include "base/integer.h"
#include "base/status.h"
#include "model/load.h"
#include "model/machine.h"

enum { SAMPLES = 256 };

/* The block of PBLAS in products, and of LAPACK in a reduction on one process. */
#define PBLAS_BLOCK 64.0
#define LAPACK_BLOCK 32.0

/* A call. */
typedef struct {
    scalay_machine rates;
    scalay_driver driver;
    int64_t m, n, vectors;
    int nprow, npcol, nb;
    double weight;      /* seconds of a flop of the type over those of a double */
    double real_weight; /* the same for a real type of this precision */
    double rotation;    /* the same for a rotation of two columns */
    double size;        /* of an element, in bytes */
    double call;        /* seconds of a flop of a small dgemv */
    double row_latency; /* seconds of the messages of a broadcast along a grid row */
    double col_latency; /* along a grid column */
} problem;

/* A panel: its width, and maximum local extents of the matrix from its first row and column on. */
typedef struct {
    double width, rows, cols;
    double triangle;    /* maximum local number of elements of its lower triangle */
    double cols_before; /* maximum local extents of what precedes the panel */
    double rows_before;
    double cols_after; /* of the matrix behind the panel */
} panel;

typedef double panel_seconds(const problem *p, const panel *a);

static double bytes_of(const problem *p, double elements)
{
    return elements * p->size;
}

/* Seconds of a level-3 operation of so many flops whose smallest extent is `width`. */
static double product_seconds(const problem *p, double flops, double width)
{
    return flops * p->weight * scalay_machine_gemm_rate(&p->rates, width);
}

/* Seconds of a level-2 operation of so many flops on so many elements. */
static double vector_seconds(const problem *p, double flops, double elements)
{
    return flops * p->weight * scalay_machine_vector_rate(&p->rates, bytes_of(p, elements));
}

/* Seconds of a copy. */
static double copy_seconds(const problem *p, double elements)
{
    return bytes_of(p, elements) * scalay_machine_copy_rate(&p->rates, bytes_of(p, elements));
}

/* -------------------------------------------------------------------------------------------------- panels */

/* The elements of the lower triangle of order m in the first `local` columns of a process, which are every
 * `processes`-th block. */
static double triangle_of(double m, double local, double nb, double processes)
{
    return local * m - 0.5 * processes * local * fmax(0.0, local - nb) - 0.5 * local * fmin(nb, local);
}

/* The maximum local number of elements of a lower triangle: many columns of the left, or many rows of the bottom. */
static double local_triangle(const problem *p, double m, double rows, double cols)
{
    if (m <= 0.0) return 0.0;
    return fmax(rows / m * triangle_of(m, cols, p->nb, p->npcol), cols / m * triangle_of(m, rows, p->nb, p->nprow));
}

static panel panel_at(const problem *p, int64_t m, int64_t n, int64_t top, int64_t width)
{
    panel a = {.width = (double)width,
               .rows = (double)scalay_load_maximum(m - top, p->nb, p->nprow),
               .cols = (double)scalay_load_maximum(n - top, p->nb, p->npcol),
               .rows_before = (double)scalay_load_maximum(top, p->nb, p->nprow),
               .cols_before = (double)scalay_load_maximum(top, p->nb, p->npcol),
               .cols_after = (double)scalay_load_maximum(scalay_max_int64(0, n - top - width), p->nb, p->npcol)};
    a.triangle = local_triangle(p, (double)(m - top), a.rows, a.cols);
    return a;
}

/* Adds the seconds of all panels of an m x n matrix. */
static double sum_panels(const problem *p, int64_t m, int64_t n, panel_seconds *seconds)
{
    const int64_t extent = scalay_min_int64(m, n), panels = scalay_ceil_div(extent, p->nb);
    const int64_t samples = scalay_min_int64(panels, SAMPLES);
    double sum = 0.0;
    for (int64_t s = 0; s < samples; s++) {
        /* Sample s is the middle panel of its range. */
        const int64_t first = panels / samples * s + panels % samples * s / samples;
        const int64_t next = panels / samples * (s + 1) + panels % samples * (s + 1) / samples;
        const int64_t top = (first + (next - first - 1) / 2) * p->nb;
        const panel a = panel_at(p, m, n, top, scalay_min_int64(p->nb, extent - top));
        sum += (double)(next - first) * seconds(p, &a);
    }
    return sum;
}

/* ---------------------------------------------------------------------------------------------- reductions */

/* Factors of a reduction to tridiagonal or bidiagonal form. Each matrix column takes a product of the remaining matrix
 * and a vector, messages along both directions of the grid, and, in p?sytrd, a transposition of the vector by blocks.
 */
typedef struct {
    double product;       /* time of the products with vectors over that of dgemv */
    double update;        /* of the rank-2k updates over that of dgemm */
    double row_latencies; /* messages of a column and level of a grid row */
    double col_latencies; /* and of a grid column */
    double block;         /* of a block of the vector that is transposed, in flops of a small dgemv */
} reduction;

static const reduction tridiagonal = {1.2, 2.1, 15.4, 35.3, 3600.0};
static const reduction bidiagonal = {2.67, 1.39, 34.7, 40.4, 0.0};

static double reduction_seconds(const problem *p, const panel *a, const reduction *r, double elements)
{
    const double b = a->width, blocks = (a->rows + a->cols) / p->nb;
    return b * (r->product * vector_seconds(p, 4.0 * elements, elements) + r->row_latencies * p->row_latency +
                r->col_latencies * p->col_latency + r->block * blocks * p->call) +
           r->update * product_seconds(p, 4.0 * b * elements, b);
}

/* p?sytrd. */
static double tridiagonal_seconds(const problem *p, const panel *a)
{
    return reduction_seconds(p, a, &tridiagonal, a->triangle);
}

/* p?gebrd. */
static double bidiagonal_seconds(const problem *p, const panel *a)
{
    return reduction_seconds(p, a, &bidiagonal, a->rows * a->cols);
}

/* p?syntrd, of p?syevx and p?syevr: the matrix is moved to the largest square grid of the processes, and reduced there.
 * Two and three processes leave it to one. Factors of a reduction by LAPACK: */
#define ALONE_PRODUCT 0.634 /* time of the products with vectors over that of dgemv */
#define ALONE_BYTES 17.4    /* transfers of the matrix: rows of a triangle move alone */
#define ALONE_BLOCKS 53.7   /* flops of a small dgemv for a segment of a column */

static double moved_reduction_seconds(const problem *p)
{
    const double n = (double)p->n, grid = floor(sqrt((double)p->nprow * p->npcol)), local = n * n / (grid * grid);
    const double half = 2.0 / 3.0 * n * local;
    const double seconds =
        ALONE_PRODUCT * vector_seconds(p, half, 0.25 * local) + product_seconds(p, half, LAPACK_BLOCK) +
        ALONE_BYTES * bytes_of(p, local) * p->rates.seconds_per_byte + ALONE_BLOCKS * n * n / p->nb * p->call;
    if (grid < 2.0) return seconds;
    const double latency = p->rates.seconds_per_message * log2(grid);
    return seconds + n * (tridiagonal.row_latencies + tridiagonal.col_latencies) * latency;
}

/* ------------------------------------------------------------------------------------ back transformations */

/* p?ormqr of p?ormtr and p?ormbr: reflectors of a panel are applied to all columns of the vectors. Factors: */
#define BACK_PRODUCT 1.29   /* time of the products over that of dgemm */
#define BACK_PASSES 2.81    /* level-2 operations on each element of the vectors */
#define BACK_COPIES 33.7    /* of the product of reflectors and vectors */
#define BACK_COLUMN 17500.0 /* flops of a small dgemv for a column of the panel */
#define BACK_PANEL 11400.0  /* and for a panel */
#define BACK_TRIANGLE 1.11  /* time of p?larft over that of dgemv */

/* The seconds of a panel with so many local rows of reflectors, for so many local columns of vectors. */
static double back_seconds(const problem *p, double b, double rows, double cols)
{
    return BACK_PRODUCT * product_seconds(p, 4.0 * b * rows * cols, b) +
           BACK_PASSES * vector_seconds(p, rows * cols, rows * cols) + BACK_COPIES * copy_seconds(p, b * cols) +
           (BACK_COLUMN * b + BACK_PANEL) * p->call + BACK_TRIANGLE * vector_seconds(p, rows * b * b, rows * b);
}

static double left_seconds(const problem *p, const panel *a)
{
    return back_seconds(p, a->width, a->rows, (double)scalay_load_maximum(p->vectors, p->nb, p->npcol));
}

static double right_seconds(const problem *p, const panel *a)
{
    return back_seconds(p, a->width, a->cols, (double)scalay_load_maximum(p->vectors, p->nb, p->nprow));
}

/* ----------------------------------------------------------------------------- eigenvalues of a tridiagonal */

/* p?stedc: divide and conquer. Blocks of the diagonal are solved by QR iterations, then pairs are merged. Factors: */
#define LEAF_SWEEPS 1.51      /* time of the iterations over that of dgemv with 6 b^3 flops */
#define LEAF_STEPS 2440.0     /* flops of a small dgemv for each of b^2 steps */
#define MERGE_PRODUCT 0.5     /* time of the products over that of dgemm without deflation */
#define MERGE_ROOTS 363.0     /* flops of a small dgemv for a term of the secular equation; all processes */
#define MERGE_VECTORS 111.0   /* likewise; the processes of a grid row */
#define MERGE_ENTRIES 11000.0 /* for an eigenvalue that is merged */
#define MERGE 223000.0        /* for a merge */

static double divide_and_conquer_seconds(const problem *p)
{
    const double n = (double)p->n, b = fmin(p->nb, n), processes = (double)p->nprow * p->npcol;
    const double leaves = ceil(ceil(n / b) / processes);
    double seconds = leaves * b * b *
                     (LEAF_SWEEPS * 6.0 * b * p->real_weight * scalay_machine_vector_rate(&p->rates, 8.0 * b * b) +
                      LEAF_STEPS * p->call);
    for (double s = b; s < n; s *= 2.0) {
        const double order = fmin(2.0 * s, n), merges = n / order;
        const int64_t whole = (int64_t)order;
        const double rows = (double)scalay_load_maximum(whole, p->nb, p->nprow);
        const double cols = (double)scalay_load_maximum(whole, p->nb, p->npcol);
        const double flop = p->real_weight * scalay_machine_gemm_rate(&p->rates, PBLAS_BLOCK);
        seconds +=
            merges *
            (MERGE_PRODUCT * 2.0 * order * rows * cols * flop +
             (order * (MERGE_ROOTS * order / processes + MERGE_VECTORS * cols + MERGE_ENTRIES) + MERGE) * p->call);
    }
    return seconds;
}

/* p?steqr2 of p?syev: each process rotates its rows of the vectors. The diagonal is broadcast entry by entry, and the
 * vectors are moved to the grid. Factors: */
#define QR_SWEEPS 1.63     /* time of the rotations over that of dgemv with 6 n^2 flops for a row */
#define QR_BROADCASTS 13.7 /* messages of an entry and level of all processes */
#define QR_COPIES 423.0    /* of the vectors: rows move element by element */

static double qr_iteration_seconds(const problem *p)
{
    const double n = (double)p->n, processes = (double)p->nprow * p->npcol;
    const double rows = (double)scalay_load_maximum(p->vectors, p->nb, p->nprow * p->npcol);
    return QR_SWEEPS * 6.0 * n * n * rows * p->rotation * scalay_machine_vector_rate(&p->rates, bytes_of(p, n * rows)) +
           QR_BROADCASTS * 2.0 * n * log2(processes) * p->rates.seconds_per_message +
           QR_COPIES * copy_seconds(p, rows * n);
}

/* dstegr2 of p?syevr: relatively robust representations; the vectors are dealt to the processes, and moved. Factors in
 * flops of a small dgemv: */
#define ROBUST_ENTRY 5310.0 /* for an entry of a vector */
#define ROBUST_BLOCK 258.0  /* for a segment of a vector that is moved */

static double robust_seconds(const problem *p)
{
    const double entries = (double)p->n * (double)p->vectors / ((double)p->nprow * p->npcol);
    return entries * (ROBUST_ENTRY + ROBUST_BLOCK / p->nb) * p->call;
}

/* p?stebz and p?stein of p?syevx: bisection, and inverse iteration. Factors in flops of a small dgemv: */
#define INVERSE_ENTRY 6510.0 /* for an entry of a vector, with the bisection of its eigenvalue */
#define INVERSE_PAIR 14.8    /* for an entry of a vector that is orthogonal to another one */

static double inverse_iteration_seconds(const problem *p)
{
    const double entries = (double)p->n * (double)p->vectors / ((double)p->nprow * p->npcol);
    return entries * (INVERSE_ENTRY + INVERSE_PAIR * (double)p->vectors) * p->call;
}

/* p?potrf, p?syngst and p?trsm of p?sygvx. Factors: */
#define GENERAL_PRODUCT 6.23        /* time of the products over that of dgemm */
#define GENERAL_PASSES 34.1         /* level-2 operations on each element of the triangle */
#define GENERAL_COPIES 98.2         /* of a panel */
#define GENERAL_ROW_LATENCIES 63.2  /* messages of a panel and level of a grid row */
#define GENERAL_COL_LATENCIES 153.0 /* and of a grid column */

static double general_seconds(const problem *p, const panel *a)
{
    const double b = a->width;
    return GENERAL_PRODUCT * product_seconds(p, 2.0 * b * a->rows_before * a->cols, b) +
           GENERAL_PASSES * vector_seconds(p, a->triangle, a->triangle) +
           GENERAL_COPIES * copy_seconds(p, b * a->rows) + GENERAL_ROW_LATENCIES * p->row_latency +
           GENERAL_COL_LATENCIES * p->col_latency;
}

/* ----------------------------------------------------------------------------------------- singular values */

/* dbdsqr of p?gesvd: all processes find the values, and each rotates its rows of U and its columns of V^T. Entries of a
 * row of V^T are as far apart as its column is long: distances of 2 KiB use few sets of a cache. Factors: */
#define SVD_ROTATIONS 12.7    /* time of the rotations over that of dgemv with 6 n^2 flops for a row */
#define SVD_ALIASED 24.1      /* added to it for distances of a multiple of 2 KiB */
#define SVD_ALIASED_PAGE 15.1 /* and of 4 KiB */

static double bidiagonal_iteration_seconds(const problem *p)
{
    const double k = (double)scalay_min_int64(p->m, p->n), processes = (double)p->nprow * p->npcol;
    const double lines = ceil(0.5 * (double)(p->m + p->n) / processes);
    const int64_t bytes = scalay_min_int64(p->m, p->n) * (int64_t)p->size;
    const double factor =
        SVD_ROTATIONS + (bytes % 2048 == 0 ? SVD_ALIASED : 0.0) + (bytes % 4096 == 0 ? SVD_ALIASED_PAGE : 0.0);
    if (p->vectors == 0) return 0.0;
    return factor * 6.0 * k * k * lines * p->rotation * scalay_machine_vector_rate(&p->rates, bytes_of(p, k * lines));
}

/* ------------------------------------------------------------------------------------------------ p?getri */

/* Factors of p?trtri and of the products and solves that follow: */
#define INVERSE_PRODUCT 1.87   /* time of the products over that of dgemm */
#define TRIANGLE_PASSES 9.01   /* level-2 operations on each element that p?trtri multiplies a panel with */
#define INVERSE_SOLVE 1.07     /* time of the triangular solves over that of dgemm */
#define INVERSE_COPIES 51.7    /* of a panel */
#define INVERSE_LATENCIES 11.3 /* messages of a panel and level of a grid row */
#define INVERSE_BLOCK 2920.0   /* flops of a small dgemv for a block of columns that a panel is multiplied with */

static double inverse_seconds(const problem *p, const panel *a)
{
    const double b = a->width, rows = (double)scalay_load_maximum(p->n, p->nb, p->nprow);
    const double used = rows * a->cols_after, before = a->rows_before * a->cols_before;
    return INVERSE_PRODUCT * product_seconds(p, 2.0 * b * used, b) +
           TRIANGLE_PASSES * vector_seconds(p, before, before) + INVERSE_SOLVE * product_seconds(p, rows * b * b, b) +
           INVERSE_COPIES * copy_seconds(p, rows * b) + INVERSE_LATENCIES * p->row_latency +
           INVERSE_BLOCK * a->cols_after / p->nb * p->call;
}

/* ------------------------------------------------------------------------------------------------- drivers */

static double seconds_of(const problem *p)
{
    const int64_t n = p->n, k = scalay_min_int64(p->m, n);
    const double back = p->vectors > 0 ? sum_panels(p, p->m, k, left_seconds) : 0.0;
    switch (p->driver) {
    case SCALAY_DRIVER_GETRI:
        return sum_panels(p, n, n, inverse_seconds);
    case SCALAY_DRIVER_SYEV:
        return sum_panels(p, n, n, tridiagonal_seconds) + qr_iteration_seconds(p) + back;
    case SCALAY_DRIVER_SYEVD:
        return sum_panels(p, n, n, tridiagonal_seconds) + divide_and_conquer_seconds(p) + back;
    case SCALAY_DRIVER_SYEVR:
        return moved_reduction_seconds(p) + robust_seconds(p) + back;
    case SCALAY_DRIVER_SYEVX:
        return moved_reduction_seconds(p) + inverse_iteration_seconds(p) + back;
    case SCALAY_DRIVER_SYGVX:
        return sum_panels(p, n, n, general_seconds) + moved_reduction_seconds(p) + inverse_iteration_seconds(p) + back;
    default:
        break;
    }
    const double back_of_v = p->vectors > 0 ? sum_panels(p, k, n, right_seconds) : 0.0;
    return sum_panels(p, p->m, n, bidiagonal_seconds) + bidiagonal_iteration_seconds(p) + back + back_of_v;
}

static int is_valid(const problem *p, scalay_type type)
{
    if (!scalay_machine_is_valid(&p->rates) || scalay_type_flop_weight(type) == 0.0) return 0;
    if (p->driver < SCALAY_DRIVER_GETRI || p->driver > SCALAY_DRIVER_GESVD || p->m < 0 || p->n < 0) return 0;
    if (p->driver != SCALAY_DRIVER_GESVD && p->m != p->n) return 0;
    return p->vectors >= 0 && p->vectors <= scalay_min_int64(p->m, p->n) && p->nprow > 0 && p->npcol > 0 && p->nb > 0;
}

double scalay_model_driver(const scalay_machine *machine, scalay_driver driver, scalay_type type, int64_t m, int64_t n,
                           int64_t vectors, int nprow, int npcol, int nb)
{
    const int is_single = type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
    const int is_complex = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
    problem p = {.rates = scalay_machine_or_typical(machine),
                 .driver = driver,
                 .m = m,
                 .n = n,
                 .vectors = vectors,
                 .nprow = nprow,
                 .npcol = npcol,
                 .nb = nb};
    if (!is_valid(&p, type)) return -1.0;
    if (m == 0 || n == 0) return 0.0;
    p.weight = scalay_type_flop_weight(type);
    p.real_weight = is_single ? 0.5 : 1.0;
    p.rotation = p.real_weight * (is_complex ? 2.0 : 1.0);
    p.size = (double)scalay_type_size(type);
    p.call = p.rates.seconds_per_call > 0.0 ? p.rates.seconds_per_call / SCALAY_FLOPS_OF_SMALL_CALL
                                            : scalay_machine_vector_rate(&p.rates, 0.0);
    p.row_latency = log2(npcol) * p.rates.seconds_per_message;
    p.col_latency = log2(nprow) * p.rates.seconds_per_message;
    const double processes = (double)nprow * npcol;
    return seconds_of(&p) * scalay_machine_spread(&p.rates, (int64_t)nprow * npcol, 1, 1.0, processes);
}
