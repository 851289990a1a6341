/*
 * QR of matrices that are anywhere: the result that comes back is a QR factorisation, by LAPACK's and the definition's
 * measure, on every kind of layout, for all types and shapes.
 */
#include <lapacke.h>

#include "multiply/sources.h"
#include "scalay/factor.h"
#include "support/matrix.h"

static const int shapes[][2] = {{24, 24}, {40, 13}, {13, 40}, {1, 1},   {1, 7},
                                {7, 1},   {0, 5},   {5, 0},   {37, 36}, {65, 50}};
enum { SHAPES = (int)(sizeof shapes / sizeof shapes[0]) };
static const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};

/* One problem with what came back, whole, on every rank. */
typedef struct {
    scalay_type type;
    int64_t m, n, k;
    double complex *a;      /* before: shape [n][m] */
    double complex *result; /* R and the reflectors, likewise */
    double complex *tau;    /* shape [k] */
    double norm;
} outcome;

static double complex at(const double complex *a, const outcome *o, int64_t i, int64_t j)
{
    return a[i + j * o->m];
}

static double complex r_at(const outcome *o, int64_t i, int64_t j)
{
    return i <= j && i < o->k ? at(o->result, o, i, j) : 0.0;
}

/* H_1 H_2 ... H_k [R; 0], by the definition H = I - tau v v^H, applied from the last to the first. */
static void check_product(const outcome *o)
{
    double complex *x = calloc((size_t)(o->m * o->n + 1), sizeof *x);
    for (int64_t j = 0; j < o->n; j++)
        for (int64_t i = 0; i < o->m; i++) x[i + j * o->m] = r_at(o, i, j);
    for (int64_t h = o->k - 1; h >= 0; h--)
        for (int64_t j = 0; j < o->n; j++) {
            double complex *c = x + j * o->m, sum = c[h];
            for (int64_t i = h + 1; i < o->m; i++) sum += conj(at(o->result, o, i, h)) * c[i];
            sum *= o->tau[h];
            c[h] -= sum;
            for (int64_t i = h + 1; i < o->m; i++) c[i] -= at(o->result, o, i, h) * sum;
        }
    for (int64_t e = 0; e < o->m * o->n; e++) x[e] -= o->a[e];
    CHECK(matrix_norm(x, o->m * o->n) <= 30.0 * matrix_epsilon(o->type) * o->norm);
    free(x);
}

/* A^H A = R^H R. */
static void check_gram(const outcome *o)
{
    double worst = 0.0;
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t j = 0; j < o->n; j++) {
            double complex sum = 0.0;
            for (int64_t l = 0; l < o->m; l++)
                sum += conj(at(o->a, o, l, i)) * at(o->a, o, l, j) - conj(r_at(o, l, i)) * r_at(o, l, j);
            worst = fmax(worst, cabs(sum));
        }
    CHECK(worst <= 30.0 * matrix_epsilon(o->type) * o->norm * o->norm);
}

/* LAPACK's factors of a column-major matrix, in place. */
static void factor_with_lapack(scalay_type type, int m, int n, void *a, void *tau)
{
    switch (type) {
    case SCALAY_FLOAT:
        LAPACKE_sgeqrf(LAPACK_COL_MAJOR, m, n, a, m, tau);
        break;
    case SCALAY_DOUBLE:
        LAPACKE_dgeqrf(LAPACK_COL_MAJOR, m, n, a, m, tau);
        break;
    case SCALAY_COMPLEX_FLOAT:
        LAPACKE_cgeqrf(LAPACK_COL_MAJOR, m, n, a, m, tau);
        break;
    default:
        LAPACKE_zgeqrf(LAPACK_COL_MAJOR, m, n, a, m, tau);
    }
}

/* The moduli of R are unique. */
static void check_against_lapack(const outcome *o)
{
    const size_t size = scalay_type_size(o->type);
    if (o->k == 0) return;
    void *a = malloc((size_t)(o->m * o->n) * size), *tau = malloc((size_t)o->k * size);
    for (int64_t e = 0; e < o->m * o->n; e++) matrix_store(o->type, a, e, o->a[e]);
    factor_with_lapack(o->type, (int)o->m, (int)o->n, a, tau);
    double worst = 0.0;
    for (int64_t j = 0; j < o->n; j++)
        for (int64_t i = 0; i <= j && i < o->k; i++)
            worst = fmax(worst, fabs(cabs(matrix_load(o->type, a, i + j * o->m)) - cabs(at(o->result, o, i, j))));
    CHECK(worst <= 300.0 * matrix_epsilon(o->type) * o->norm);
    free(tau);
    free(a);
}

/* Reflectors are unitary: 2 Re(tau) = |tau|^2 v^H v; then Q is. */
static void check_reflectors(const outcome *o)
{
    for (int64_t h = 0; h < o->k; h++) {
        double square = 1.0;
        for (int64_t i = h + 1; i < o->m; i++) square += pow(cabs(at(o->result, o, i, h)), 2.0);
        double modulus = cabs(o->tau[h]);
        CHECK(fabs(2.0 * creal(o->tau[h]) - modulus * modulus * square) <= 100.0 * matrix_epsilon(o->type));
    }
}

static void check_outcome(const outcome *o)
{
    check_product(o);
    check_reflectors(o);
    if (check_rank() != 0) return;
    check_gram(o);
    check_against_lapack(o);
}

static scalay_status call_typed(scalay_type type, scalay_comm *comm, const scalay_layout *layout,
                                const scalay_one_call_options *options, void *a, scalay_one_call_statistics *statistics)
{
    switch (type) {
    case SCALAY_FLOAT:
        return scalay_psgeqrf(comm, layout, options, a, NULL, statistics);
    case SCALAY_DOUBLE:
        return scalay_pdgeqrf(comm, layout, options, a, NULL, statistics);
    case SCALAY_COMPLEX_FLOAT:
        return scalay_pcgeqrf(comm, layout, options, a, NULL, statistics);
    default:
        return scalay_pzgeqrf(comm, layout, options, a, NULL, statistics);
    }
}

static void check_statistics(const scalay_one_call_statistics *s, const scalay_one_call_options *options, int processes)
{
    CHECK(s->processes == processes && s->nprow * s->npcol <= processes && s->nb >= 1);
    CHECK(options->nprow == 0 || s->nprow == options->nprow);
    CHECK(options->npcol == 0 || s->npcol == options->npcol);
    CHECK(options->nb == 0 || s->nb == options->nb);
    CHECK(s->volume >= s->steps && s->steps >= 0);
    CHECK(s->plan_seconds >= 0.0 && s->move_seconds >= 0.0 && s->kernel_seconds >= 0.0 && s->back_seconds >= 0.0);
    CHECK(s->predicted_kernel_seconds >= 0.0 && s->predicted_move_seconds >= 0.0);
}

/* In one call: R, reflectors and tau come back to where the matrix was, and nothing else is touched. */
static void check_one_call(scalay_comm *comm, scalay_type type, const source *s, uint64_t seed,
                           scalay_one_call_options *options)
{
    const int rank = scalay_comm_rank(comm);
    outcome o = {.type = type, .m = scalay_layout_rows(s->layout), .n = scalay_layout_cols(s->layout)};
    o.k = o.m < o.n ? o.m : o.n;
    void *array = matrix_local(type, s->layout, rank, s->size, seed);
    void *tau = calloc((size_t)o.k + 1, scalay_type_size(type));
    o.tau = calloc((size_t)o.k + 1, sizeof *o.tau);
    o.a = matrix_gather(type, s->layout, rank, array);
    o.norm = matrix_norm(o.a, o.m * o.n);
    scalay_one_call_statistics statistics = {0};
    options->replicated = tau;
    CHECK_STATUS(call_typed(type, comm, s->layout, options, array, &statistics), SCALAY_SUCCESS);
    CHECK(matrix_rest_untouched(type, s->layout, rank, s->size, array));
    check_statistics(&statistics, options, scalay_comm_size(comm));
    for (int64_t k = 0; k < o.k; k++) o.tau[k] = matrix_load(type, tau, k);
    o.result = matrix_gather(type, s->layout, rank, array);
    check_outcome(&o);
    free(o.result);
    free(o.a);
    free(o.tau);
    free(tau);
    free(array);
}

/* The grid of the options: free for every third case, otherwise a random one with small blocks, so that there are
 * several panels and idle ranks. */
static scalay_one_call_options draw_options(scalay_random *random, int number, int processes)
{
    scalay_one_call_options options = scalay_one_call_options_default();
    options.objective = (scalay_objective)scalay_random_below(random, SCALAY_MIN_TIME + 1);
    options.transport = number % 2 ? "shared" : "mpi";
    if (number % 3 == 0) return options;
    options.nprow = 1 + (int)scalay_random_below(random, processes);
    options.npcol = 1 + (int)scalay_random_below(random, processes / options.nprow);
    options.nb = 1 + (int)scalay_random_below(random, 12);
    return options;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int processes = scalay_comm_size(comm);
    if (check_rank() == 0) printf("seed %llu\n", (unsigned long long)first);
    scalay_random random = scalay_random_seed(first);
    /* 36 cases meet every kind with every type; 9 meet every kind. */
    const int cases = processes < 3 ? 72 : processes < 8 ? 18 : 9;
    for (int number = 0; number < cases; number++) {
        const int kind = number % SOURCES;
        const int *shape = shapes[scalay_random_below(&random, SHAPES)];
        scalay_one_call_options options = draw_options(&random, number, processes);
        source s;
        const int before = check_failures;
        CHECK_STATUS(source_create(comm, kind, shape[0], shape[1], first + (uint64_t)number, &s), SCALAY_SUCCESS);
        check_one_call(comm, types[number % 4], &s, first + (uint64_t)number, &options);
        if (check_failures > before)
            fprintf(stderr, "case %d: %s, %d x %d, type %s, grid %d x %d, nb %d\n", number, s.name, shape[0], shape[1],
                    scalay_type_name(types[number % 4]), options.nprow, options.npcol, options.nb);
        source_destroy(comm, &s);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
