/*
 * Drivers and solvers under ScaLAPACK's names, which move their matrices, beside ScaLAPACK's own: random orders,
 * blocks, grids and submatrices. Eigenvectors and singular vectors are compared by the moduli of their entries.
 *
 * dropin_moved [SEED [CASES]]
 */
#include <stdio.h>

#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"

enum { MAX_ARGUMENTS = 36, MAX_OPERANDS = 3, EXTRA = 4000 };

#define FOUR void *, void *, void *, void *
typedef void routine(FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR);

#define DECLARE(x) any_function ps##x, pd##x;
#define DECLARE_COMPLEX(x) any_function pc##x, pz##x;
#define DECLARE_ALL(x) DECLARE(x) DECLARE_COMPLEX(x)
DECLARE_ALL(gesv_)
DECLARE_ALL(posv_)
DECLARE_ALL(gels_)
DECLARE_ALL(getrs_)
DECLARE_ALL(potrs_)
DECLARE_ALL(getri_)
DECLARE_ALL(potri_)
DECLARE_ALL(trsm_)
DECLARE(ormqr_)
DECLARE_COMPLEX(unmqr_)
DECLARE(orgqr_)
DECLARE_COMPLEX(ungqr_)
DECLARE(syev_)
DECLARE(syevd_)
DECLARE(syevr_)
DECLARE(syevx_)
DECLARE(sygvx_)
DECLARE_ALL(gesvd_)
DECLARE_COMPLEX(heev_)
DECLARE_COMPLEX(heevd_)
DECLARE_COMPLEX(heevr_)
DECLARE_COMPLEX(heevx_)
DECLARE_COMPLEX(hegvx_)

/* A routine: its functions by type, and its arguments in words. Matrices: a (n x n, definite), f (a factor of it), b (n
   x r), t (m x n), c (max(m, n) x r), z (n x n), u and v (singular vectors). w: eigenvalues. */
typedef struct {
    const char *name;
    any_function *function[TYPES];
    const char *arguments;
} tested;

static const tested routines[] = {
    {"gesv", {psgesv_, pdgesv_, pcgesv_, pzgesv_}, "n r a p b i"},
    {"posv", {psposv_, pdposv_, pcposv_, pzposv_}, "U n r a b i"},
    {"gels", {psgels_, pdgels_, pcgels_, pzgels_}, "N m n r t c W i"},
    {"getrs", {psgetrs_, pdgetrs_, pcgetrs_, pzgetrs_}, "N n r l p b i"},
    {"getrs of the transpose", {psgetrs_, pdgetrs_, pcgetrs_, pzgetrs_}, "T n r l p b i"},
    {"getrs of the conjugate", {psgetrs_, pdgetrs_, pcgetrs_, pzgetrs_}, "C n r l p b i"},
    {"potrs", {pspotrs_, pdpotrs_, pcpotrs_, pzpotrs_}, "L n r f b i"},
    {"potrs of the upper triangle", {pspotrs_, pdpotrs_, pcpotrs_, pzpotrs_}, "U n r f b i"},
    {"getri", {psgetri_, pdgetri_, pcgetri_, pzgetri_}, "n l p W I i"},
    {"potri", {pspotri_, pdpotri_, pcpotri_, pzpotri_}, "L n f i"},
    {"trsm", {pstrsm_, pdtrsm_, pctrsm_, pztrsm_}, "L L N N n r 1 f b"},
    {"trsm of the conjugate", {pstrsm_, pdtrsm_, pctrsm_, pztrsm_}, "L U C N n r 1 f b"},
    {"trsm from the right", {pstrsm_, pdtrsm_, pctrsm_, pztrsm_}, "> L T N r n 1 f e"},
    {"trsm of the conjugate from the right", {pstrsm_, pdtrsm_, pctrsm_, pztrsm_}, "> L C N r n 1 f e"},
    {"trsm of U from the right", {pstrsm_, pdtrsm_, pctrsm_, pztrsm_}, "> U N N r n 1 f e"},
    {"ormqr", {psormqr_, pdormqr_, NULL, NULL}, "L T M r K h y d W i"},
    {"unmqr", {NULL, NULL, pcunmqr_, pzunmqr_}, "L C M r K h y d W i"},
    {"ormqr", {psormqr_, pdormqr_, NULL, NULL}, "> N r M K h y e W i"},
    {"unmqr", {NULL, NULL, pcunmqr_, pzunmqr_}, "> N r M K h y e W i"},
    {"orgqr", {psorgqr_, pdorgqr_, NULL, NULL}, "M K K h y W i"},
    {"ungqr", {NULL, NULL, pcungqr_, pzungqr_}, "M K K h y W i"},
    {"syev", {pssyev_, pdsyev_, NULL, NULL}, "V U n a w z W i"},
    {"syevd", {pssyevd_, pdsyevd_, NULL, NULL}, "V U n a w z W I i"},
    {"syevr", {pssyevr_, pdsyevr_, NULL, NULL}, "V A U n a 0 0 0 0 q q w z W I i"},
    {"syev of values", {pssyev_, pdsyev_, NULL, NULL}, "N U n a w z W i"},
    {"gesvd", {psgesvd_, pdgesvd_, NULL, NULL}, "V V m n t w u v W i"},
    {"gesvd", {NULL, NULL, pcgesvd_, pzgesvd_}, "V V m n t w u v W x i"},
    {"heev", {NULL, NULL, pcheev_, pzheev_}, "V L n a w z W R i"},
    {"heevd", {NULL, NULL, pcheevd_, pzheevd_}, "V L n a w z W R I i"},
    {"heevr", {NULL, NULL, pcheevr_, pzheevr_}, "V A U n a 0 0 0 0 q q w z W R I i"},
    {"syevx", {pssyevx_, pdsyevx_, NULL, NULL}, "V A U n a 0 0 2 5 0 q q w - z W I F X G i"},
    {"heevx", {NULL, NULL, pcheevx_, pzheevx_}, "V A U n a 0 0 2 5 0 q q w - z W R I F X G i"},
    {"syevx", {pssyevx_, pdsyevx_, NULL, NULL}, "V # L n a 0 0 2 5 0 q q w - z W I F X G i"},
    {"heevx", {NULL, NULL, pcheevx_, pzheevx_}, "V # L n a 0 0 2 5 0 q q w - z W R I F X G i"},
    {"syevx", {pssyevx_, pdsyevx_, NULL, NULL}, "V V U n a ( ) 2 5 0 q q w - z W I F X G i"},
    {"heevx", {NULL, NULL, pcheevx_, pzheevx_}, "V V U n a ( ) 2 5 0 q q w - z W R I F X G i"},
    {"syevx of values", {pssyevx_, pdsyevx_, NULL, NULL}, "N # U n a 0 0 2 5 0 q q w - z W I F X G i"},
    {"heevx of values", {NULL, NULL, pcheevx_, pzheevx_}, "N # U n a 0 0 2 5 0 q q w - z W R I F X G i"},
    {"syevx with an empty interval", {pssyevx_, pdsyevx_, NULL, NULL}, "V V U n a ) ( 2 5 0 q q w - z W I F X G i"},
    {"heevx with an empty interval", {NULL, NULL, pcheevx_, pzheevx_}, "V V U n a ) ( 2 5 0 q q w - z W R I F X G i"},
    {"syevx with an empty range", {pssyevx_, pdsyevx_, NULL, NULL}, "V # U n a 0 0 5 2 0 q q w - z W I F X G i"},
    {"heevx with an empty range", {NULL, NULL, pcheevx_, pzheevx_}, "V # U n a 0 0 5 2 0 q q w - z W R I F X G i"},
    {"syevx in little workspace", {pssyevx_, pdsyevx_, NULL, NULL}, "V A L n a 0 0 2 5 0 q q w - z W I F X G i"},
    {"heevx in little workspace", {NULL, NULL, pcheevx_, pzheevx_}, "V A L n a 0 0 2 5 0 q q w - z W R I F X G i"},
    {"sygvx", {pssygvx_, pdsygvx_, NULL, NULL}, "= V A U n s a 0 0 2 5 0 q q w - z W I F X G i"},
    {"hegvx", {NULL, NULL, pchegvx_, pzhegvx_}, "= V A U n s a 0 0 2 5 0 q q w - z W R I F X G i"},
    {"sygvx", {pssygvx_, pdsygvx_, NULL, NULL}, "2 V # L n s a 0 0 2 5 0 q q w - z W I F X G i"},
    {"hegvx", {NULL, NULL, pchegvx_, pzhegvx_}, "2 V # L n s a 0 0 2 5 0 q q w - z W R I F X G i"},
    {"sygvx without a definite matrix",
     {pssygvx_, pdsygvx_, NULL, NULL},
     "= V A U n a s 0 0 2 5 0 q q w - z W I F X G i"},
    {"hegvx without a definite matrix",
     {NULL, NULL, pchegvx_, pzhegvx_},
     "= V A U n a s 0 0 2 5 0 q q w - z W R I F X G i"},
};

enum { ROUTINES = sizeof routines / sizeof *routines };

/* Whether the workspace does not suffice to orthogonalise all vectors. */
static int is_tight(const tested *t)
{
    return strstr(t->name, "little") != NULL;
}

/* One call: everything that its arguments point to. */
typedef struct {
    void *x[MAX_ARGUMENTS];
    int count;
    operand matrix[MAX_OPERANDS];
    int matrices, moduli; /* of the matrices, those with a bit set are compared by moduli */
    int numbers[5];       /* m, n, r, the larger and the smaller of m and n */
    int *pivots, *lists, *clusters;
    void *values, *tau, *gaps, *work[3];
    int work_position[3], lengths[3], works;
    int is_int[3];
    int found[2], info;
    double zero[2], one[2], negative[2], low[2], high[2];
} call;

static int first_index = 2, last_index = 5, one_int = 1;

typedef struct {
    const grid *g;
    int type, m, n, r, mb, skip, slack, sources[2];
} setting;

static void push(call *c, void *argument)
{
    c->x[c->count++] = argument;
}

static void push_matrix(call *c, const setting *s, int m, int n, int definite, int is_vectors)
{
    operand *o = &c->matrix[c->matrices];
    *o = spaced_operand(s->g, s->type, m, n, s->mb, s->skip, s->slack, s->sources, definite);
    if (is_vectors) c->moduli |= 1 << c->matrices;
    c->matrices++;
    push(c, o->data);
    push(c, &o->i);
    push(c, &o->j);
    push(c, o->desc);
}

static void push_workspace(call *c, int is_int)
{
    c->work_position[c->works] = c->count;
    c->is_int[c->works] = is_int;
    c->work[c->works] = calloc(EXTRA, 16);
    push(c, c->work[c->works]);
    push(c, &c->lengths[c->works++]);
}

static void call_with(any_function *f, void *const *x)
{
    ((routine *)f)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15],
                   x[16], x[17], x[18], x[19], x[20], x[21], x[22], x[23], x[24], x[25], x[26], x[27], x[28], x[29],
                   x[30], x[31], x[32], x[33], x[34], x[35]);
}

/* Factors the last matrix by ScaLAPACK: LU into the pivots, or Cholesky of the lower triangle. */
static void factor(call *c, int type, int is_lu)
{
    char name[16];
    operand *o = &c->matrix[c->matrices - 1];
    (void)snprintf(name, sizeof name, "p%c%s_", letters[type], is_lu ? "getrf" : "potrf");
    void *x[MAX_ARGUMENTS] = {"L", &o->n, o->data, &o->i, &o->j, o->desc, &c->info};
    void *lu[MAX_ARGUMENTS] = {&o->m, &o->n, o->data, &o->i, &o->j, o->desc, c->pivots, &c->info};
    call_with(stock_function(name), is_lu ? lu : x);
}

/* Factors the last matrix by ScaLAPACK's p?geqrf into TAU. */
static void factor_qr(call *c, int type)
{
    char name[16];
    operand *o = &c->matrix[c->matrices - 1];
    int lwork = (o->m + o->n + 40) * 40;
    void *work = calloc((size_t)lwork, 16);
    (void)snprintf(name, sizeof name, "p%cgeqrf_", letters[type]);
    ((void (*)(FOUR, FOUR, void *, void *))stock_function(name))(&o->m, &o->n, o->data, &o->i, &o->j, o->desc, c->tau,
                                                                 work, &lwork, &c->info);
    free(work);
}

/* Pushes a matrix. Returns 0 if the word names none. */
static int push_matrix_word(call *c, const setting *s, char word)
{
    const int k = s->m < s->n ? s->m : s->n, longer = s->m > s->n ? s->m : s->n;
    switch (word) {
    case 'a':
    case 'f':
    case 'l':
        push_matrix(c, s, s->n, s->n, 1, 0);
        if (word != 'a') factor(c, s->type, word == 'l');
        return 1;
    case 's':
        push_matrix(c, s, s->n, s->n, SYMMETRIC, 0);
        return 1;
    case 'h':
        push_matrix(c, s, longer, k, 0, 0);
        factor_qr(c, s->type);
        return 1;
    case 'd':
        push_matrix(c, s, longer, s->r, 0, 0);
        return 1;
    case 'e':
        push_matrix(c, s, s->r, longer, 0, 0);
        return 1;
    case 'b':
        push_matrix(c, s, s->n, s->r, 0, 0);
        return 1;
    case 't':
        push_matrix(c, s, s->m, s->n, 0, 0);
        return 1;
    case 'c':
        push_matrix(c, s, longer, s->r, 0, 0);
        return 1;
    case 'z':
        push_matrix(c, s, s->n, s->n, 0, 1);
        return 1;
    case 'u':
        push_matrix(c, s, s->m, k, 0, 1);
        return 1;
    case 'v':
        push_matrix(c, s, k, s->n, 0, 1);
        return 1;
    default:
        return 0;
    }
}

/* Pushes an argument of p?syevx. Returns 0 if the word names none. */
static int push_expert_word(call *c, char word)
{
    static const char words[] = "#2=5()-FXG";
    void *const arguments[] = {"I",     &first_index, &one_int, &last_index, c->low,
                               c->high, c->negative,  c->lists, c->clusters, c->gaps};
    const char *at = strchr(words, word);
    if (at != NULL) push(c, arguments[at - words]);
    return at != NULL;
}

static void push_word(call *c, const setting *s, char word)
{
    static char one_letter[128];
    if (push_matrix_word(c, s, word) || push_expert_word(c, word)) return;
    switch (word) {
    case 'm':
    case 'n':
    case 'r':
        push(c, &c->numbers[word == 'm' ? 0 : word == 'n' ? 1 : 2]);
        return;
    case 'M':
    case 'K':
        push(c, &c->numbers[word == 'M' ? 3 : 4]);
        return;
    case 'y':
        push(c, c->tau);
        return;
    case '>':
        push(c, "R");
        return;
    case 'p':
        push(c, c->pivots);
        return;
    case 'w':
        push(c, c->values);
        return;
    case 'W':
    case 'R':
    case 'I':
        push_workspace(c, word == 'I');
        return;
    case 'i':
        push(c, &c->info);
        return;
    case 'q':
        push(c, &c->found[c->x[c->count - 1] == &c->found[0]]);
        return;
    case 'x':
        push(c, c->lists);
        return;
    case '0':
        push(c, c->zero);
        return;
    case '1':
        push(c, c->one);
        return;
    default:
        one_letter[(unsigned char)word] = word;
        push(c, &one_letter[(unsigned char)word]);
    }
}

/* Queries the workspaces and calls. */
static void query_and_run(call *c, const setting *s, int extra, any_function *f)
{
    if (c->works > 0) {
        for (int k = 0; k < c->works; k++) c->lengths[k] = -1;
        call_with(f, c->x);
        for (int k = 0; k < c->works; k++) {
            const int entry = c->is_int[k] ? *(int *)c->work[k] : (int)get(s->type, c->work[k], 0);
            c->lengths[k] = entry + extra < 0 ? 0 : entry + extra; /* -1 is a query */
            free(c->work[k]);
            c->work[k] = c->x[c->work_position[k]] = calloc((size_t)c->lengths[k] + 1, 16);
        }
    }
    call_with(f, c->x);
}

static call create_call(const setting *s, const tested *t, call *c)
{
    c->numbers[0] = s->m;
    c->numbers[1] = s->n;
    c->numbers[2] = s->r;
    c->numbers[3] = s->m > s->n ? s->m : s->n;
    c->numbers[4] = s->m < s->n ? s->m : s->n;
    c->tau = calloc(EXTRA, 16);
    c->pivots = calloc(EXTRA, sizeof *c->pivots);
    c->lists = calloc(EXTRA, sizeof *c->lists);
    c->clusters = calloc(EXTRA, sizeof *c->clusters);
    c->values = calloc(EXTRA, sizeof(double));
    c->gaps = calloc(EXTRA, sizeof(double));
    set(s->type, c->one, 0, 1.0);
    set(s->type, c->negative, 0, -1.0);
    set(s->type, c->low, 0, 199.3);
    set(s->type, c->high, 0, 201.1);
    for (const char *word = t->arguments; *word != '\0'; word += word[1] == ' ' ? 2 : 1) push_word(c, s, *word);
    return *c;
}

static void free_call(call *c)
{
    for (int k = 0; k < c->matrices; k++) free(c->matrix[k].data);
    for (int k = 0; k < c->works; k++) free(c->work[k]);
    free(c->gaps);
    free(c->values);
    free(c->clusters);
    free(c->tau);
    free(c->lists);
    free(c->pivots);
}

static double modulus(int type, const void *data, size_t k)
{
    return type < 2 ? fabs(get(type, data, k)) : hypot(get(type, data, 2 * k), get(type, data, 2 * k + 1));
}

static int has_same_moduli(int type, const operand *x, const operand *y)
{
    for (size_t k = 0; k < x->elements + GUARD; k++)
        if (!(fabs(modulus(type, x->data, k) - modulus(type, y->data, k)) < (type % 2 == 0 ? 2e-2 : 1e-8))) return 0;
    return 1;
}

/* The numbers of eigenvalues and vectors, IFAIL, ICLUSTR and GAP. */
static int has_same_lists(const setting *s, const call *x, const call *y)
{
    const size_t lists = EXTRA * sizeof *x->lists;
    return memcmp(x->found, y->found, sizeof x->found) == 0 && memcmp(x->lists, y->lists, lists) == 0 &&
           memcmp(x->clusters, y->clusters, lists) == 0 && is_close(s->type, x->gaps, y->gaps, EXTRA, 1e3);
}

/* Compares a call in little workspace: x may orthogonalise more vectors than y, but not less. */
static int is_at_least_as_good(const setting *s, const call *x, const call *y)
{
    return (x->info & ~y->info) == 0 && memcmp(x->found, y->found, sizeof x->found) == 0 &&
           is_close(s->type, x->values, y->values, 200, 1e3);
}

/* Matrices that are destroyed are not compared: A of an eigensolver and of a singular value decomposition. After an
 * error, B of p?sygvx is factored in part, by blocks. */
static int is_same_call(const setting *s, const tested *t, const call *x, const call *y)
{
    const int destroys = x->moduli != 0;
    if (is_tight(t)) return is_at_least_as_good(s, x, y);
    int same = x->info == y->info && (strchr(t->arguments, 'F') == NULL || has_same_lists(s, x, y)) &&
               has_same_pivots(s->g, &x->matrix[0], x->matrix[0].m, x->pivots, y->pivots);
    same = same && is_close(s->type, x->values, y->values, 200, 1e3);
    for (int k = 0; k < x->matrices; k++) {
        if (destroys && (k == 0 || (x->info != 0 && !(x->moduli >> k & 1)))) continue;
        same = same && ((x->moduli >> k & 1) ? has_same_moduli(s->type, &x->matrix[k], &y->matrix[k])
                                             : is_same_operand(s->type, &x->matrix[k], &y->matrix[k], 1e4));
    }
    if (!same) fprintf(stderr, "%s: m %d n %d r %d mb %d\n", t->name, s->m, s->n, s->r, s->mb);
    return same;
}

static int is_solver_of_eigenvalues(const tested *t)
{
    return strchr(t->arguments, 'w') != NULL;
}

/* Calls the routine of that name and ScaLAPACK's own, with so many entries of workspace more than they want, and
 * compares. */
static int run_both(const setting *s, const tested *t, int extra)
{
    char name[16];
    call c[2] = {{.count = 0}, {.count = 0}};
    (void)snprintf(name, sizeof name, "p%c%.*s_", letters[s->type], (int)strcspn(t->name, " "), t->name);
    for (int k = 0; k < 2; k++) {
        create_call(s, t, &c[k]);
        query_and_run(&c[k], s, is_tight(t) ? 0 : extra, k == 0 ? t->function[s->type] : stock_function(name));
    }
    const int same = is_same_call(s, t, &c[0], &c[1]);
    for (int k = 0; k < 2; k++) free_call(&c[k]);
    return same;
}

/* Columns of so many entries lie a multiple of 512 bytes apart, unless they are spread. */
enum { SPREAD_ORDER = 64 };

/* The same call three times: the second one finds the plans of the first. In the third one, the first process has
 * another leading dimension. In the fourth one, workspaces are short of an entry. */
static int run_case(scalay_random *random, const grid *g, int type, const tested *t, int is_spread)
{
    setting s = {.g = g, .type = type};
    s.m = is_spread ? SPREAD_ORDER : 1 + (int)scalay_random_below(random, 40);
    s.n = is_spread ? SPREAD_ORDER : 1 + (int)scalay_random_below(random, 40);
    if (is_solver_of_eigenvalues(t) && !is_spread) s.n += 7; /* ScaLAPACK's p?syevr fails for the smallest orders */
    s.r = 1 + (int)scalay_random_below(random, 40);
    s.mb = 1 + (int)scalay_random_below(random, scalay_random_below(random, 2) ? 3 : 12);
    /* On processes without elements, ScaLAPACK's p?syevd and p?heevd return other eigenvalues. */
    if (is_solver_of_eigenvalues(t)) s.mb = 1 + s.mb % (s.n / (g->p > g->q ? g->p : g->q));
    s.skip = is_solver_of_eigenvalues(t) ? 0 : (int)scalay_random_below(random, 3); /* they want whole matrices */
    s.sources[0] = s.skip ? (int)scalay_random_below(random, g->p) : 0;
    s.sources[1] = s.skip ? (int)scalay_random_below(random, g->q) : 0;
    if (g->row < 0) return 1;
    int same = run_both(&s, t, EXTRA); /* all calls are collective */
    same &= run_both(&s, t, EXTRA);
    s.slack = g->row == 0 && g->col == 0 ? 2 : 0;
    same &= run_both(&s, t, EXTRA);
    same &= run_both(&s, t, -1);
    return same;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int cases = argc > 2 ? atoi(argv[2]) : 3;
    scalay_random random = scalay_random_seed(seed);
    int size, ranks[64];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < size; k++) ranks[k] = k;
    for (int c = 0; c < cases; c++)
        for (int k = 0; k < ROUTINES; k++)
            for (int type = 0; type < TYPES; type++) {
                if (routines[k].function[type] == NULL) continue;
                grid g = random_grid(&random, size, ranks);
                if (!CHECK(run_case(&random, &g, type, &routines[k], c % 3 == 2)))
                    fprintf(stderr, "seed %llu, case %d, p%c%s, grid %d x %d\n", (unsigned long long)seed, c,
                            letters[type], routines[k].name, g.p, g.q);
                free_grid(&g);
            }
    int64_t answered = 0;
    for (const scalay_compute_routine *r = scalay_compute_routines(); r != NULL; r = r->older) answered += r->answered;
    MPI_Allreduce(MPI_IN_PLACE, &answered, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const char *setting = getenv("SCALAY_SCALAPACK");
    if (setting != NULL) CHECK((strcmp(setting, "force") == 0) == (answered > 0));
    scalay_plan_caches_release();
    return check_verdict();
}
