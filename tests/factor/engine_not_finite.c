/*
 * NaN and infinities: the engine ends on every rank, and its result is not finite wherever LAPACK's is not. A Cholesky
 * factorisation stops at a pivot that is NaN. Random cases; `engine_not_finite SEED CASES` runs others.
 */
#include "factor/engine_problem.h"

static const scalay_type types[] = {SCALAY_DOUBLE, SCALAY_FLOAT, SCALAY_COMPLEX_DOUBLE, SCALAY_COMPLEX_FLOAT};

/* The elements that are not finite. */
enum { MAX_FAULTS = 2 };
typedef struct {
    int64_t i, j;
    double complex value;
} fault;
static fault faults[MAX_FAULTS];

static double complex faulty(scalay_type type, uint64_t seed, int64_t i, int64_t j)
{
    for (int f = 0; f < MAX_FAULTS; f++)
        if (faults[f].i == i && faults[f].j == j) return faults[f].value;
    return matrix_element(type, seed, i, j);
}

static int is_finite(double complex x)
{
    return isfinite(creal(x)) && isfinite(cimag(x));
}

typedef struct {
    problem p;
    double speed[16];
    int owner[64 * 64];
} test_case;

static void draw_map(test_case *c, scalay_random *random)
{
    int size[16];
    for (int r = 0; r < check_size(); r++) size[r] = 1;
    switch (scalay_random_below(random, 3)) {
    case 0:
        owners_random(&c->p, random, check_size());
        break;
    case 1:
        owners_groups(&c->p, check_size(), size, c->speed); /* whole tile columns */
        break;
    default:
        size[0] = check_size();
        owners_groups(&c->p, 1, size, c->speed); /* tile rows */
    }
}

static int is_infinite_pivot(int f)
{
    return faults[f].i == faults[f].j && creal(faults[f].value) == INFINITY;
}

static void draw_faults(const problem *p, scalay_random *random)
{
    const double values[] = {NAN, INFINITY, -INFINITY};
    const int is_complex = p->type == SCALAY_COMPLEX_DOUBLE || p->type == SCALAY_COMPLEX_FLOAT;
    for (int f = 0; f < MAX_FAULTS; f++) {
        const int64_t x = scalay_random_below(random, p->m), y = scalay_random_below(random, p->n);
        const int is_lower = p->kind == SCALAY_FACTOR_CHOLESKY && x < y;
        const double value = values[scalay_random_below(random, 3)];
        const int is_imaginary = is_complex && (p->kind != SCALAY_FACTOR_CHOLESKY || x != y);
        faults[f] = (fault){is_lower ? y : x, is_lower ? x : y, value};
        if (is_imaginary && scalay_random_below(random, 2)) faults[f].value = CMPLX(0.5, value);
        if (scalay_random_below(random, 4) == 0) faults[f].j = faults[f].i < p->n ? faults[f].i : faults[f].j;
        if (p->kind == SCALAY_FACTOR_CHOLESKY && faults[f].i == faults[f].j) faults[f].value = value;
    }
    /* OpenBLAS divides by a pivot that is infinite sometimes with, sometimes without regard to NaN. */
    const int is_alone = p->kind == SCALAY_FACTOR_CHOLESKY && (is_infinite_pivot(0) || is_infinite_pivot(1));
    if (is_alone || scalay_random_below(random, 2)) faults[0] = faults[1] = faults[is_infinite_pivot(1)];
}

static void draw(test_case *c, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    c->p = (problem){.kind = (scalay_factor_kind)(seed % 3),
                     .type = types[seed / 3 % 4],
                     .processes = check_size(),
                     .seed = seed,
                     .owner = c->owner,
                     .speed = c->speed,
                     .element = faulty};
    c->p.m = 1 + (int)scalay_random_below(&random, 60);
    c->p.n = c->p.kind == SCALAY_FACTOR_CHOLESKY ? c->p.m : 1 + (int)scalay_random_below(&random, 60);
    c->p.nb = 1 + (int)scalay_random_below(&random, 24);
    c->p.together = (int)scalay_random_below(&random, 2);
    for (int r = 0; r < check_size(); r++) c->speed[r] = 1.0 / (double)(1 + scalay_random_below(&random, 3));
    draw_map(c, &random);
    draw_faults(&c->p, &random);
}

/* Do NaN and infinities reach element (i, j) of a Cholesky factor? OpenBLAS's potrf spoils others, too. */
static int is_reached(const problem *p, int64_t i, int64_t j)
{
    int reached = p->kind != SCALAY_FACTOR_CHOLESKY;
    for (int f = 0; f < MAX_FAULTS; f++) reached |= (i == faults[f].i && j >= faults[f].j) || j >= faults[f].i;
    return reached;
}

/* The elements of columns 0 .. end - 1 that are finite, but not in LAPACK's result. */
static int count_wrong(const problem *p, const outcome *ours, const outcome *theirs, int end)
{
    int wrong = 0;
    for (int64_t j = 0; j < end; j++)
        for (int64_t i = p->kind == SCALAY_FACTOR_CHOLESKY ? j : 0; i < p->m; i++)
            wrong += !is_finite(theirs->a[i + j * p->m]) && is_finite(ours->a[i + j * p->m]) && is_reached(p, i, j);
    return wrong;
}

static int is_spoilt(const problem *p, const outcome *o)
{
    for (int64_t e = 0; e < (int64_t)p->m * p->n; e++)
        if (!is_finite(o->a[e])) return 1;
    return 0;
}

/* LU: which rows NaN and infinities come to depends on how BLAS compares them. */
static int has_other_pivots(const problem *p, const outcome *ours, const outcome *theirs)
{
    for (int k = 0; k < problem_lines(p) && p->kind == SCALAY_FACTOR_LU; k++)
        if (ours->pivot[k] != theirs->pivot[k]) return 1;
    return 0;
}

/* Where a Cholesky factorisation stops: the first pivot that is not positive, or NaN, 1-based; 0: nowhere. Not every
 * LAPACK stops at NaN. */
static int find_stop(const problem *p, const outcome *theirs)
{
    const int end = theirs->info > 0 ? theirs->info - 1 : p->n;
    for (int k = 0; k < end; k++)
        if (isnan(creal(theirs->a[k + (int64_t)k * p->m]))) return k + 1;
    return theirs->info;
}

/* Elements, tau and info beside LAPACK's. Returns the elements that are finite, but not in LAPACK's result. */
static int compare(const problem *p, const outcome *ours)
{
    outcome theirs;
    int wrong = 0, end = p->n;
    problem_reference(p, &theirs);
    if (p->kind == SCALAY_FACTOR_CHOLESKY) {
        const int stop = find_stop(p, &theirs);
        CHECK(ours->info == stop);
        if (stop > 0) end = stop - 1; /* behind it are elements of no factor */
    }
    if (!has_other_pivots(p, ours, &theirs))
        wrong = count_wrong(p, ours, &theirs, end);
    else
        wrong = is_spoilt(p, &theirs) && !is_spoilt(p, ours);
    for (int k = 0; k < problem_lines(p) && p->kind == SCALAY_FACTOR_QR; k++)
        wrong += !is_finite(theirs.tau[k]) && is_finite(ours->tau[k]);
    outcome_free(&theirs);
    return wrong;
}

static void run(test_case *c, uint64_t seed)
{
    const int before = check_failures;
    outcome o;
    draw(c, seed);
    if (CHECK_STATUS(problem_run(&c->p, 1, &o), SCALAY_SUCCESS)) {
        const int wrong = check_rank() == 0 ? compare(&c->p, &o) : 0;
        CHECK(wrong == 0);
        outcome_free(&o);
        if (check_failures > before && check_rank() == 0)
            fprintf(stderr,
                    "seed %llu: kind %d, type %s, %d x %d, nb %d, together %d, (%lld, %lld), (%lld, %lld): %d wrong\n",
                    (unsigned long long)seed, (int)c->p.kind, scalay_type_name(c->p.type), c->p.m, c->p.n, c->p.nb,
                    c->p.together, (long long)faults[0].i, (long long)faults[0].j, (long long)faults[1].i,
                    (long long)faults[1].j, wrong);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int cases = argc > 2 ? atoi(argv[2]) : 240;
    LAPACKE_set_nancheck(0);
    test_case *c = malloc(sizeof *c);
    if (check_rank() == 0) printf("seeds %llu ..\n", (unsigned long long)first);
    for (int k = 0; k < cases; k++) run(c, first + (uint64_t)k);
    free(c);
    return check_verdict();
}
