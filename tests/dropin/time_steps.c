/* A program that factors a matrix, and solves for one right-hand side in each time step. The steps are answered where
 * the matrix is, from the fourth one on if it has blocks of one element, at once with 16 columns, and from the 201st
 * one on if two processes have a slab each. With 64 columns, they leave slabs earlier, and are moved at first.
 * `time_steps NPROW NPCOL [ORDER BLOCK STEPS [COLUMNS]]` */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *row, int *col);
void Cblacs_exit(int go_on);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void pdpotrf_(const char *, const int *, double *, const int *, const int *, const int *, int *);
void pdpotrs_(const char *, const int *, const int *, const double *, const int *, const int *, const int *, double *,
              const int *, const int *, const int *, int *);
void pdgetrf_(const int *, const int *, double *, const int *, const int *, const int *, int *, int *);
void pdgetrs_(const char *, const int *, const int *, const double *, const int *, const int *, const int *,
              const int *, double *, const int *, const int *, const int *, int *);

enum { GUARD = 8 };

static int n = 430, nb = 1, steps = 43, columns = 1;

typedef struct {
    int nprow, npcol, row, col;
} position;

static double element(int i, int j)
{
    return i == j ? 8.0 : 1.0 / ((1.0 + abs(i - j)) * (1.0 + abs(i - j)));
}

static double solution(int i, int step)
{
    return sin(i + 0.3 * step);
}

/* The global index of a local one. */
static int global(int local, int count, int coordinate)
{
    return (local / nb * count + coordinate) * nb + local % nb;
}

/* Sets the part of B = A X of this process, of so many rows in equal columns. */
static void set_right_side(const position *at, int rows, int step, double *b)
{
    for (int k = 0; k < rows; k++) {
        const int i = global(k, at->nprow, at->row);
        b[k] = 0.0;
        for (int j = 0; j < n; j++) b[k] += element(i, j) * solution(j, step);
        for (int j = 1; j < columns; j++) b[k + j * (long)rows] = b[k];
    }
}

static int is_wrong(const position *at, int rows, int step, const double *b)
{
    int wrong = 0;
    for (int j = 0; j < columns; j++)
        for (int k = 0; k < rows; k++)
            wrong += !(fabs(b[k + j * (long)rows] - solution(global(k, at->nprow, at->row), step)) < 1e-11);
    return wrong;
}

int main(int argc, char **argv)
{
    int ctxt = -1, info = -1, wrong = 0;
    const int one = 1, zero = 0;
    position at = {argc > 1 ? atoi(argv[1]) : 1, argc > 2 ? atoi(argv[2]) : 1, 0, 0};
    if (argc > 5) {
        n = atoi(argv[3]);
        nb = atoi(argv[4]);
        steps = atoi(argv[5]);
        if (argc > 6) columns = atoi(argv[6]);
    }
    MPI_Init(&argc, &argv);
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", at.nprow, at.npcol);
    Cblacs_gridinfo(ctxt, &at.nprow, &at.npcol, &at.row, &at.col);
    const int rows = numroc_(&n, &nb, &at.row, &zero, &at.nprow), cols = numroc_(&n, &nb, &at.col, &zero, &at.npcol);
    const int desc_a[9] = {1, ctxt, n, n, nb, nb, 0, 0, rows}, desc_b[9] = {1, ctxt, n, columns, nb, nb, 0, 0, rows};
    double *a = malloc((size_t)rows * (size_t)cols * sizeof *a),
           *b = malloc(((size_t)rows * (size_t)columns + GUARD) * sizeof *b);
    int *ipiv = malloc((size_t)(rows + nb) * sizeof *ipiv);
    for (int is_lu = 0; is_lu < 2; is_lu++) {
        for (int j = 0; j < cols; j++)
            for (int i = 0; i < rows; i++)
                a[i + j * (long)rows] = element(global(i, at.nprow, at.row), global(j, at.npcol, at.col));
        if (is_lu)
            pdgetrf_(&n, &n, a, &one, &one, desc_a, ipiv, &info);
        else
            pdpotrf_("L", &n, a, &one, &one, desc_a, &info);
        wrong += info != 0;
        for (int step = 0; step < steps; step++) {
            const int own = at.col == 0 ? rows : 0, own_end = own * columns, end = rows * columns + GUARD;
            for (int k = 0; k < end; k++) b[k] = -3.0;
            set_right_side(&at, own, step, b);
            if (is_lu)
                pdgetrs_("N", &n, &columns, a, &one, &one, desc_a, ipiv, b, &one, &one, desc_b, &info);
            else
                pdpotrs_("L", &n, &columns, a, &one, &one, desc_a, b, &one, &one, desc_b, &info);
            wrong += (info != 0) + is_wrong(&at, own, step, b);
            for (int k = own_end; k < end; k++) wrong += b[k] != -3.0;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (at.row == 0 && at.col == 0) printf("%d entries are wrong\n", wrong);
    free(ipiv);
    free(b);
    free(a);
    Cblacs_exit(0);
    return wrong != 0;
}
