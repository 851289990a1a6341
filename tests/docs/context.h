/* What the blocks in C use without declaring it. Each block is executed between set_up() and tear_down(); no call of
 * the library may fail. Add a variable here if a page needs one more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scalay/scalay.h>

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridexit(int ctxt);
void Cblacs_exit(int keep_mpi);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *irsrc, const int *icsrc,
               const int *ictxt, const int *lld, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *tau,
              double *work, const int *lwork, int *info);

/* The matrices are m x n, within distributed matrices of WHOLE x WHOLE elements where a descriptor is used. */
enum { N = 32, WHOLE = 40, ELEMENTS = WHOLE * WHOLE, LWORK = 20000 };

static int desca[9], descb[9], ctxt, grid, info, m = N, n = N, ia = 3, ja = 4, ib = 5, jb = 6, one = 1, lwork = LWORK;
static int iterations = 3;
static double *a, *b, *c, *tau, *x, coefficients[3] = {0.25, 0.5, 0.25};
static int *ipiv;
static int64_t size[64];
static scalay_comm *comm;
static scalay_layout *layout, *source, *target, *whole_a, *whole_b;
static scalay_mapping *mapping;
static scalay_plan *plan;
#ifdef PAGE_stencil
static scalay_stencil *stencil;
#endif

#ifdef PAGE_measuring
static scalay_sample *sample;
static scalay_sample_summary summary;
static scalay_meter *meter;
static void *data;
static scalay_status work(void *unused)
{
    (void)unused;
    for (int k = 0; k < ELEMENTS; k++) a[k] += b[k];
    return SCALAY_SUCCESS;
}
#elif defined PAGE_profiles
static scalay_profile *profile;
static scalay_profile_record *record;
static int data;
static scalay_status prepare(void *unused, int64_t items)
{
    (void)unused;
    return items > 0 ? SCALAY_SUCCESS : SCALAY_ERROR_ARGUMENT;
}
static scalay_status run(void *unused, int64_t items)
{
    (void)unused;
    for (int64_t r = 0; r < items; r++)
        for (int k = 0; k < ELEMENTS; k++) a[k] += b[k];
    return SCALAY_SUCCESS;
}
static void release(void *unused)
{
    (void)unused;
}
#else
static double *work;
#endif

static double *elements(int count)
{
    double *array = malloc((size_t)count * sizeof *array);
    for (int k = 0; k < count; k++) array[k] = rand() / (double)RAND_MAX;
    return array;
}

static void fail(const char *message)
{
    fprintf(stderr, "docs: %s\n", message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void describe(int *desc)
{
    const int whole = WHOLE, mb = 4, nb = 5, zero = 0;
    descinit_(desc, &whole, &whole, &mb, &nb, &zero, &zero, &grid, &whole, &info);
}

static void set_up(void)
{
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridinit(&grid, "Row", 1, ranks);
    describe(desca);
    describe(descb);
    a = elements(ELEMENTS);
    b = elements(ELEMENTS);
    c = elements(ELEMENTS);
    tau = elements(ELEMENTS);
    x = elements(ELEMENTS);
    ipiv = calloc(ELEMENTS, sizeof *ipiv);
    plan = NULL;
    mapping = NULL;
    source = target = layout = NULL;
    scalay_comm_create(MPI_COMM_WORLD, &comm);
    scalay_layout_block_cyclic(m, n, 8, 8, 1, ranks, 0, 0, SCALAY_ROW_MAJOR, &source);
#ifndef PAGE_index
    scalay_layout_block_cyclic(m, n, 4, 2, ranks, 1, 0, 0, SCALAY_ROW_MAJOR, &target);
#endif
#ifdef PAGE_stencil
    scalay_layout_block_cyclic(m, 1, 8, 1, ranks, 1, 0, 0, SCALAY_ROW_MAJOR, &layout);
#endif
#if !defined PAGE_measuring && !defined PAGE_profiles
    work = elements(LWORK);
#endif
}

static void begin(int *argc, char ***argv)
{
    int rank, ranks;
    MPI_Init(argc, argv);
    Cblacs_pinfo(&rank, &ranks);
}

static void run_block(void (*block)(void))
{
    set_up();
    block();
    if (strcmp(scalay_error_message(), "") != 0) fail(scalay_error_message());
}

/* Objects that a block leaves behind end with the program. */
static int end(void)
{
    Cblacs_exit(1);
    MPI_Finalize();
    return 0;
}
