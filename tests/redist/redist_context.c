/* ScaLAPACK runs unchanged on a context whose grid a mapping has permuted: the grid stands where the mapping says, the
   descriptor is right, and factorisations and products of a matrix that was moved there are those of the matrix. */

#include <float.h>
#include <math.h>

#include "parallel/blacs.h"
#include "redist/matrix.h"
#include "scalay/redist.h"
#include "support/check.h"

void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *tau,
              double *work, const int *lwork, int *info);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia, const int *ja, const int *desca,
              const double *tau, double *work, const int *lwork, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *pivots,
              int *info);
void pdgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *ia, const int *ja,
              const int *desca, const int *pivots, double *b, const int *ib, const int *jb, const int *descb,
              int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);

enum { N = 61, NB = 8, LWORK = 20000 };

static const int one = 1, n_ = N, lwork = LWORK;
static const double unit = 1.0, zero = 0.0;

/* A matrix of moderate condition. */
static double value(int64_t i, int64_t j)
{
    return sin(1.0 + 3.7 * (double)i + 1.3 * (double)(j * j)) + (i == j ? 12.0 : 0.0);
}

/* A grid of N x N on the ranks, its parts where a mapping put them. */
typedef struct {
    definition d;
    scalay_mapping *mapping;
    int ctxt, desc[9], part;
    int64_t size;
} stage;

static double *new_local(const stage *s)
{
    return scalay_allocate(s->size + 1, sizeof(double));
}

/* The largest difference of the rank's elements from what they ought to be. */
static double difference(const definition *d, int part, const double *local, double (*wanted)(int64_t, int64_t))
{
    double most = 0.0;
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            int64_t offset = 0;
            if (part_of(d, i, j, &offset) == part) most = fmax(most, fabs(local[offset] - wanted(i, j)));
        }
    return most;
}

static void fill(const definition *d, int part, double *local, double (*wanted)(int64_t, int64_t))
{
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            int64_t offset = 0;
            if (part_of(d, i, j, &offset) == part) local[offset] = wanted(i, j);
        }
}

/* -------------------------------------------------------------------------------------------- the stage */

static void set_up(scalay_random *random, scalay_comm *comm, int p, int q, stage *s)
{
    memset(s, 0, sizeof *s);
    s->d = (definition){.is_grid = 1, .m = N, .n = N, .whole_m = N, .whole_n = N, .mb = NB, .nb = NB, .p = p, .q = q};
    s->d.rsrc = random_between(random, 0, p - 1);
    s->d.csrc = random_between(random, 0, q - 1);
    s->d.order = random_between(random, 0, 1) ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR;
    s->d.parts = p * q;
    s->d.own_part = -1;
    s->d.process = random_processes(random, p * q, comm->size);
    CHECK_STATUS(make_block_cyclic(&s->d, &s->d.layout), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size, p * q, s->d.process, &s->mapping), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_grid_create(comm, s->d.layout, s->mapping, &s->ctxt, s->desc), SCALAY_SUCCESS);
    s->part = part_on(&s->d, comm->rank);
    s->size = part_size(&s->d, s->part);
}

static void tear_down(scalay_comm *comm, stage *s)
{
    CHECK_STATUS(scalay_grid_release(comm, &s->ctxt), SCALAY_SUCCESS);
    scalay_mapping_destroy(&s->mapping);
    definition_free(&s->d);
}

static void check_grid(const stage *s)
{
    CHECK((s->ctxt == -1) == (s->part < 0));
    CHECK(s->desc[CTXT_] == s->ctxt);
    if (s->part < 0) return;
    int nprow = 0, npcol = 0, myrow = -1, mycol = -1;
    Cblacs_gridinfo(s->ctxt, &nprow, &npcol, &myrow, &mycol);
    CHECK(nprow == s->d.p && npcol == s->d.q);
    CHECK(grid_part(&s->d, myrow, mycol) == s->part);
    const int expected[9] = {1, s->ctxt, N, N, NB, NB, s->d.rsrc, s->d.csrc, (int)grid_ld(&s->d, s->part)};
    CHECK(memcmp(expected, s->desc, sizeof expected) == 0);
}

/* ------------------------------------------------------------------------------------------- ScaLAPACK */

static void clear_lower(const definition *d, int part, double *local)
{
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = j + 1; i < N; i++) {
            int64_t offset = 0;
            if (part_of(d, i, j, &offset) == part) local[offset] = 0.0;
        }
}

/* Q R is the matrix again. */
static void check_qr(const stage *s, const double *matrix)
{
    int info = -1;
    double *q = new_local(s), *r = new_local(s), *product = new_local(s);
    double *tau = scalay_allocate(N + NB, sizeof *tau), *work = scalay_allocate(LWORK, sizeof *work);
    memcpy(q, matrix, (size_t)s->size * sizeof *q);
    pdgeqrf_(&n_, &n_, q, &one, &one, s->desc, tau, work, &lwork, &info);
    CHECK(info == 0);
    memcpy(r, q, (size_t)s->size * sizeof *r);
    clear_lower(&s->d, s->part, r);
    pdorgqr_(&n_, &n_, &n_, q, &one, &one, s->desc, tau, work, &lwork, &info);
    CHECK(info == 0);
    pdgemm_("N", "N", &n_, &n_, &n_, &unit, q, &one, &one, s->desc, r, &one, &one, s->desc, &zero, product, &one, &one,
            s->desc);
    CHECK(difference(&s->d, s->part, product, value) < 100 * N * DBL_EPSILON);
    scalay_release(q);
    scalay_release(r);
    scalay_release(product);
    scalay_release(tau);
    scalay_release(work);
}

/* A X = A A is solved by X = A. */
static void check_lu(const stage *s, const double *matrix)
{
    int info = -1;
    double *lu = new_local(s), *x = new_local(s);
    int *pivots = scalay_allocate(N + 2 * NB, sizeof *pivots);
    memcpy(lu, matrix, (size_t)s->size * sizeof *lu);
    pdgemm_("N", "N", &n_, &n_, &n_, &unit, matrix, &one, &one, s->desc, matrix, &one, &one, s->desc, &zero, x, &one,
            &one, s->desc);
    pdgetrf_(&n_, &n_, lu, &one, &one, s->desc, pivots, &info);
    CHECK(info == 0);
    pdgetrs_("N", &n_, &n_, lu, &one, &one, s->desc, pivots, x, &one, &one, s->desc, &info);
    CHECK(info == 0);
    CHECK(difference(&s->d, s->part, x, value) < 1e5 * N * DBL_EPSILON);
    scalay_release(lu);
    scalay_release(x);
    scalay_release(pivots);
}

static double transposed_product(int64_t i, int64_t j)
{
    double sum = 0.0;
    for (int64_t k = 0; k < N; k++) sum += value(i, k) * value(j, k);
    return sum;
}

/* A A^T, element by element. */
static void check_product(const stage *s, const double *matrix)
{
    double *product = new_local(s);
    pdgemm_("N", "T", &n_, &n_, &n_, &unit, matrix, &one, &one, s->desc, matrix, &one, &one, s->desc, &zero, product,
            &one, &one, s->desc);
    CHECK(difference(&s->d, s->part, product, transposed_product) < 1000 * N * DBL_EPSILON);
    scalay_release(product);
}

/* ------------------------------------------------------------------------------------------------- a run */

static void run(scalay_random *random, scalay_comm *comm, int p, int q)
{
    definition source;
    stage s;
    scalay_plan *plan = NULL;
    CHECK_STATUS(make_definition(random, comm, KIND_DESCRIPTOR, N, N, &source), SCALAY_SUCCESS);
    set_up(random, comm, p, q, &s);
    check_grid(&s);
    const int part = part_on(&source, comm->rank);
    double *a = scalay_allocate(part_size(&source, part) + 1, sizeof *a), *b = new_local(&s);
    fill(&source, part, a, value);
    CHECK_STATUS(scalay_plan_create(comm, source.layout, s.d.layout, s.mapping, SCALAY_DOUBLE, NULL, &plan),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute(plan, a, b), SCALAY_SUCCESS);
    CHECK(difference(&s.d, s.part, b, value) == 0.0);
    if (s.part >= 0) {
        check_qr(&s, b);
        check_lu(&s, b);
        check_product(&s, b);
    }
    scalay_plan_destroy(&plan);
    scalay_release(a);
    scalay_release(b);
    tear_down(comm, &s);
    definition_free(&source);
}

int main(int argc, char **argv)
{
    enum { SEED = 77 };
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_random random = scalay_random_seed(SEED);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    if (check_rank() == 0) printf("seed %d\n", SEED);
    for (int p = 1; p <= comm->size; p++)
        if (p <= 4 || p == comm->size) run(&random, comm, p, comm->size / p);
    if (comm->size > 1) run(&random, comm, 1, comm->size - 1);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
