/* Every routine leaves in memory what ScaLAPACK's own leaves there, byte for byte: all types, both languages, random
   grids, orders, subsets of processes, submatrices, trapezoids and scalars. */

#include "calls.h"
#include "dropin/plan_cache.h"
#include "scalay/context.h"
#include "support/check.h"

enum { SEED = 11, ROUNDS = 12, CROWD = 6, CALLS = 10 };

/* The grids of a round: the context that has everybody, and two inside. Some processes may be in none. */
typedef struct {
    grid all, a, b;
} grids;

static grids make_grids(scalay_random *random, int size)
{
    int ranks[64];
    for (int k = 0; k < size; k++) ranks[k] = k;
    for (int k = size - 1; k > 0; k--) {
        const int other = (int)scalay_random_below(random, k + 1), kept = ranks[k];
        ranks[k] = ranks[other];
        ranks[other] = kept;
    }
    const int p = 1 + (int)scalay_random_below(random, size), q = size / p;
    grids made = {.all = make_grid(p, q, ranks)}; /* on the first p q */
    made.a = random_grid(random, p * q, ranks);
    made.b = scalay_random_below(random, 3) ? random_grid(random, p * q, ranks) : made.a;
    return made;
}

static void free_grids(grids *g)
{
    if (g->b.ctxt != g->a.ctxt) free_grid(&g->b);
    free_grid(&g->a);
    free_grid(&g->all);
}

/* What is called in a case. */
typedef struct {
    const char *uplo, *diag;
    int m, n, fortran;
} shape;

static shape draw_shape(scalay_random *random)
{
    static const char *const letters[4] = {"U", "L", "u", "l"}, *const units[4] = {"N", "U", "n", "u"};
    shape drawn = {letters[scalay_random_below(random, 4)], units[scalay_random_below(random, 4)],
                   (int)scalay_random_below(random, 70), (int)scalay_random_below(random, 70),
                   (int)scalay_random_below(random, 2)};
    return drawn;
}

static void call_ours(const copy_routines *r, int trapezoid, const shape *s, const matrix *a, const matrix *b,
                      unsigned char *data, int ctxt)
{
    if (trapezoid && s->fortran)
        ((trapezoid_fortran *)r->trapezoid_f)(s->uplo, s->diag, &s->m, &s->n, a->data, &a->i, &a->j, a->desc, data,
                                              &b->i, &b->j, b->desc, &ctxt);
    else if (trapezoid)
        ((trapezoid_c *)r->trapezoid)(s->uplo, s->diag, s->m, s->n, a->data, a->i, a->j, a->desc, data, b->i, b->j,
                                      b->desc, ctxt);
    else if (s->fortran)
        ((copy_fortran *)r->copy_f)(&s->m, &s->n, a->data, &a->i, &a->j, a->desc, data, &b->i, &b->j, b->desc, &ctxt);
    else
        ((copy_c *)r->copy)(s->m, s->n, a->data, a->i, a->j, a->desc, data, b->i, b->j, b->desc, ctxt);
}

static void call_stock(const copy_routines *r, int trapezoid, const shape *s, const matrix *a, const matrix *b,
                       unsigned char *data, int ctxt)
{
    any_function *stock = stock_function(trapezoid ? r->trapezoid_name : r->copy_name);
    if (!CHECK(stock != NULL)) return;
    if (trapezoid)
        ((trapezoid_c *)stock)(s->uplo, s->diag, s->m, s->n, a->data, a->i, a->j, a->desc, data, b->i, b->j, b->desc,
                               ctxt);
    else
        ((copy_c *)stock)(s->m, s->n, a->data, a->i, a->j, a->desc, data, b->i, b->j, b->desc, ctxt);
}

/* p?gemr2d and p?trmr2d. */
static void compare_copies(scalay_random *random, scalay_random *content, const grids *g, int number)
{
    const copy_routines *r = &copies[number % COPIES];
    const int trapezoid = number / COPIES % 2;
    const shape s = draw_shape(random);
    matrix a = make_matrix(random, &g->a, s.m, s.n, r->type), b = make_matrix(random, &g->b, s.m, s.n, r->type);
    if (g->all.ctxt >= 0) {
        fill_matrix(content, &a, r->type);
        fill_matrix(content, &b, r->type);
        unsigned char *before = copy_of(&a), *ours = copy_of(&b);
        call_ours(r, trapezoid, &s, &a, &b, ours, g->all.ctxt);
        call_stock(r, trapezoid, &s, &a, &b, b.data, g->all.ctxt);
        CHECK(b.bytes == 0 || memcmp(ours, b.data, b.bytes) == 0);
        CHECK(a.bytes == 0 || memcmp(before, a.data, a.bytes) == 0);
        free(before);
        free(ours);
    }
    free(a.data);
    free(b.data);
}

/* One submatrix of an array to another of the same array. */
static void compare_within(scalay_random *random, scalay_random *content, const grids *g, int number)
{
    const copy_routines *r = &copies[number % COPIES];
    const int trapezoid = number / COPIES % 2;
    shape s = draw_shape(random);
    s.m /= 2;
    const int whole = 2 * s.m + 3; /* rows, of which the submatrices have those above and those below */
    matrix a = make_matrix(random, &g->a, whole, s.n, r->type);
    const int top = a.i, down = scalay_random_below(random, 2) ? 1 : -1;
    a.i = down > 0 ? top : top + whole - s.m;
    matrix b = a;
    b.i = down > 0 ? top + whole - s.m : top;
    if (g->all.ctxt >= 0) {
        fill_matrix(content, &a, r->type);
        matrix mine = a;
        mine.data = copy_of(&a);
        call_ours(r, trapezoid, &s, &mine, &b, mine.data, g->all.ctxt);
        call_stock(r, trapezoid, &s, &a, &b, a.data, g->all.ctxt);
        CHECK(a.bytes == 0 || memcmp(mine.data, a.data, a.bytes) == 0);
        free(mine.data);
    }
    free(a.data);
}

/* A scalar of any type: 0, 1 or another; NULL never. */
static void draw_scalar(scalay_random *random, scalay_type type, unsigned char *scalar)
{
    const int parts = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
    const int kind = (int)scalay_random_below(random, 4);
    for (int k = 0; k < parts; k++) {
        const int value = kind == 0 ? 0 : kind == 1 ? k == 0 : (int)scalay_random_below(random, 7) - 3;
        if (type == SCALAY_DOUBLE || type == SCALAY_COMPLEX_DOUBLE)
            ((double *)(void *)scalar)[k] = value;
        else
            ((float *)(void *)scalar)[k] = (float)value;
    }
}

static void make_zeros_alike(unsigned char *data, size_t bytes, scalay_type type)
{
    const int doubles = type == SCALAY_DOUBLE || type == SCALAY_COMPLEX_DOUBLE;
    for (size_t k = 0; k < bytes / (doubles ? sizeof(double) : sizeof(float)); k++) {
        if (doubles)
            ((double *)(void *)data)[k] += 0.0;
        else
            ((float *)(void *)data)[k] += 0.0F;
    }
}

/* p?tran, p?tranu, p?tranc: zeros may have another sign. */
static void compare_transposes(scalay_random *random, scalay_random *content, const grid *g, int number)
{
    const transpose_routines *r = &transposes[number % TRANSPOSES];
    _Alignas(16) unsigned char alpha[16], beta[16];
    const shape s = draw_shape(random);
    matrix a = make_matrix(random, g, s.n, s.m, r->type), c = make_matrix(random, g, s.m, s.n, r->type);
    draw_scalar(random, r->type, alpha);
    draw_scalar(random, r->type, beta);
    any_function *stock = stock_function(r->name);
    if (g->ctxt >= 0 && CHECK(stock != NULL)) {
        fill_matrix(content, &a, r->type);
        fill_matrix(content, &c, r->type);
        unsigned char *ours = copy_of(&c);
        ((transpose_fortran *)r->transpose)(&s.m, &s.n, alpha, a.data, &a.i, &a.j, a.desc, beta, ours, &c.i, &c.j,
                                            c.desc);
        ((transpose_fortran *)stock)(&s.m, &s.n, alpha, a.data, &a.i, &a.j, a.desc, beta, c.data, &c.i, &c.j, c.desc);
        make_zeros_alike(ours, c.bytes, r->type);
        make_zeros_alike(c.data, c.bytes, r->type);
        CHECK(c.bytes == 0 || memcmp(ours, c.data, c.bytes) == 0);
        free(ours);
    }
    free(a.data);
    free(c.data);
}

/* Each call twice in effect: what is drawn first for a context makes plans, and repeating the seed finds them. */
static void run_round(uint64_t seed, int size, int round)
{
    scalay_random random = scalay_random_seed(seed), content = scalay_random_seed(seed + 1 + (uint64_t)check_rank());
    grids g = make_grids(&random, size);
    const scalay_random start = random;
    for (int repeat = 0; repeat < 2; repeat++) {
        random = start;
        for (int k = 0; k < CALLS; k++) {
            compare_copies(&random, &content, &g, round * CALLS + k);
            if (k % 3 == 0) compare_within(&random, &content, &g, round * CALLS + k);
            if (k % 3 == 1) compare_transposes(&random, &content, &g.a, round * CALLS + k);
        }
    }
    free_grids(&g);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : SEED;
    int size = 0, world = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = argc > 2 ? atoi(argv[2]) : size > CROWD ? ROUNDS / 3 : ROUNDS;
    if (check_rank() == 0) printf("seed %llu\n", (unsigned long long)seed);
    Cblacs_get(0, 0, &world); /* a context of everybody, so that BLACS sets up its tables once */
    int ranks[64];
    for (int k = 0; k < size; k++) ranks[k] = k;
    grid everybody = make_grid(1, size, ranks);
    CHECK(scalay_scalapack_active() == 1 && scalay_scalapack_active_() == 1);
    for (int round = 0; round < rounds; round++) run_round(seed * 1000 + (uint64_t)round, size, round);
    free_grid(&everybody);
    scalay_plan_caches_release();
    return check_verdict();
}
