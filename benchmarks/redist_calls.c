/* Calls of pdgemr2d on small matrices: calls that repeat, calls with a new shape each time, 12 shapes in turn, and
   calls in a new context each time. Compared: ScaLAPACK in a 1 x P context and in a 2D context, other libraries with a
   pdgemr2d_ of their own.

   mpirun -n P bench_redist_calls NAME=LIBRARY...
   Example: mpirun -n 2 bench_redist_calls dropin=libscalay_scalapack.so costa=libcosta_scalapack.so

   Prints medians over the calls of the largest time of all processes, in microseconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/blacs.h"

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja, const int *desca, double *b,
               const int *ib, const int *jb, const int *descb, const int *ctxt);

typedef void pdgemr2d_function(const int *, const int *, const double *, const int *, const int *, const int *,
                               double *, const int *, const int *, const int *, const int *);

enum { LARGEST = 640, CALLS = 100, CONTEXTS = 40, SHAPES = 12, WARM_UP = 24, GROWTH = 120, MAX_LIBRARIES = 8 };

/* A way to call pdgemr2d. */
typedef struct {
    char name[40];
    pdgemr2d_function *call;
    int is_2d; /* 1: in the 2D context; 0: in the 1 x P context */
} contender;

typedef enum { SAME, NEW_SHAPE, IN_TURN, NEW_CONTEXT, KINDS } kind;

static const char *const kind_names[KINDS] = {"the same call again", "a new shape each call", "12 shapes in turn",
                                              "a new context each call"};
static double *a, *b;
static int size, row_ctxt, square_ctxt, shapes_used;

static int make_context(int is_2d)
{
    int ctxt = -1, p = 1;
    for (int k = 1; is_2d && k * k <= size; k++)
        if (size % k == 0) p = k;
    Cblacs_get(0, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "R", p, size / p);
    return ctxt;
}

static int compare(const void *left, const void *right)
{
    const double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

/* Moves n x n from blocks of 32 to blocks of 64. Returns the largest time of all processes. */
static double run(const contender *c, int n, int extent, int ctxt)
{
    const int one = 1, desca[DLEN_] = {1, square_ctxt, extent, extent, 32, 32, 0, 0, extent},
              descb[DLEN_] = {1, square_ctxt, extent, extent, 64, 64, 0, 0, extent};
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    c->call(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &ctxt);
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* The extents of call i of a kind: m = n of the submatrix and of the matrix. */
static int extent_of(kind k, int n, int i)
{
    if (k == IN_TURN) return n + i % SHAPES;
    return n;
}

static double median_of(const contender *c, kind k, int n)
{
    double times[CALLS];
    const int calls = k == NEW_CONTEXT ? CONTEXTS : CALLS;
    for (int i = -WARM_UP; i < calls; i++) {
        const int ctxt = k == NEW_CONTEXT ? make_context(c->is_2d) : c->is_2d ? square_ctxt : row_ctxt;
        int extent = extent_of(k, n, i + WARM_UP);
        /* New shapes: the submatrix has n rows and columns; the matrix grows by one each time. */
        if (k == NEW_SHAPE) extent = n + 1 + shapes_used++ % GROWTH;
        const double seconds = run(c, k == NEW_SHAPE ? n - shapes_used / GROWTH % n : extent, extent, ctxt);
        if (i >= 0) times[i] = seconds;
        if (k == NEW_CONTEXT) Cblacs_gridexit(ctxt);
    }
    qsort(times, (size_t)calls, sizeof *times, compare);
    return 1e6 * times[calls / 2];
}

static int load(const char *argument, contender *c)
{
    const char *path = strchr(argument, '=');
    if (path == NULL) return 0;
    (void)snprintf(c->name, sizeof c->name, "%.*s", (int)(path - argument), argument);
    void *library = dlopen(path + 1, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "pdgemr2d_") : NULL;
    memcpy(&c->call, &symbol, sizeof c->call);
    if (symbol == NULL) fprintf(stderr, "%s has no pdgemr2d_: %s\n", path + 1, dlerror());
    return symbol != NULL;
}

int main(int argc, char **argv)
{
    static const int extents[] = {16, 32, 64, 128, 256, 512};
    contender contenders[MAX_LIBRARIES + 2] = {{"pdgemr2d, 1 x P", pdgemr2d_, 0}, {"pdgemr2d, 2D", pdgemr2d_, 1}};
    int count = 2, rank = 0;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("usage: mpirun -n P bench_redist_calls NAME=LIBRARY...\n");
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    a = calloc(LARGEST * LARGEST, sizeof *a);
    b = calloc(LARGEST * LARGEST, sizeof *b);
    square_ctxt = make_context(1);
    row_ctxt = make_context(0);
    for (int k = 1; k < argc && count < MAX_LIBRARIES + 2; k++) count += load(argv[k], &contenders[count]);
    for (int k = 0; k < KINDS; k++) {
        if (rank == 0) printf("\n%s, %d processes\n%6s", kind_names[k], size, "n");
        for (int c = 0; c < count && rank == 0; c++) printf(" %16s", contenders[c].name);
        for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
            if (rank == 0) printf("\n%6d", extents[e]);
            for (int c = 0; c < count; c++) {
                const double median = median_of(&contenders[c], (kind)k, extents[e]);
                if (rank == 0) printf(" %16.1f", median);
            }
        }
        if (rank == 0) printf("\n");
    }
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
