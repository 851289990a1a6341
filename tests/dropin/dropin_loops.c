/* Long loops of calls leak nothing: no memory, no communicator, no BLACS grid; with plans that are found, plans that
   are made anew, and contexts that go and come back under the same number. The first argument is the calls of each
   routine. */

#include "calls.h"
#include "dropin/plan_cache.h"
#include "support/check.h"
#include "support/process.h"

#ifdef __SANITIZE_ADDRESS__
enum { LOOPS = 20 };
#else
enum { LOOPS = 200 };
#endif
enum {
    MEGABYTE = 1 << 20,
    ROUTINES = 4 * COPIES + TRANSPOSES,
    M = 12,
    ROOM = M * M * 16,
    BLOCKS = 12,
    LIFE = 50,
    MOST_HALVES = 5
};

static scalay_type type_of(int routine)
{
    return routine < 4 * COPIES ? copies[routine / 4].type : transposes[routine - 4 * COPIES].type;
}

/* Calls a routine on matrices of m x m. */
static void call(int routine, int m, const void *a, const int *desca, void *b, const int *descb, int ctxt)
{
    static const float ones[4] = {1, 0};
    static const double one_double[2] = {1, 0}, zero_double[2] = {0, 0};
    static const float zeros[2] = {0, 0};
    const int one = 1;
    if (routine >= 4 * COPIES) {
        const int doubles = type_of(routine) == SCALAY_DOUBLE || type_of(routine) == SCALAY_COMPLEX_DOUBLE;
        ((transpose_fortran *)transposes[routine - 4 * COPIES].transpose)(
            &m, &m, doubles ? (const void *)one_double : ones, a, &one, &one, desca,
            doubles ? (const void *)zero_double : zeros, b, &one, &one, descb);
        return;
    }
    const copy_routines *r = &copies[routine / 4];
    switch (routine % 4) {
    case 0:
        ((copy_c *)r->copy)(m, m, a, 1, 1, desca, b, 1, 1, descb, ctxt);
        break;
    case 1:
        ((copy_fortran *)r->copy_f)(&m, &m, a, &one, &one, desca, b, &one, &one, descb, &ctxt);
        break;
    case 2:
        ((trapezoid_c *)r->trapezoid)("U", "N", m, m, a, 1, 1, desca, b, 1, 1, descb, ctxt);
        break;
    default:
        ((trapezoid_fortran *)r->trapezoid_f)("L", "U", &m, &m, a, &one, &one, desca, b, &one, &one, descb, &ctxt);
    }
}

/* A descriptor of M x M in blocks of nb on a grid; arrays hold M * M elements, which is always enough. */
static void describe(const grid *g, int nb, int *desc)
{
    const int filled[DLEN_] = {1, g->ctxt, M, M, nb, nb, 0, 0, M};
    memcpy(desc, filled, sizeof filled);
}

/* Where the process has element (i, j) of such a matrix, in bytes; -1 when another has it. */
static int place(const grid *g, int nb, int i, int j, int size)
{
    if (i / nb % g->p != g->row || j / nb % g->q != g->col) return -1;
    return (i / nb / g->p * nb + i % nb + M * (j / nb / g->q * nb + j % nb)) * size;
}

/* What byte `byte` of element (i, j) of the target is: the element of the source has the same number in all of its
   bytes, what is not written has 255. */
static unsigned char expected(int routine, int i, int j, int byte)
{
    const int size = (int)scalay_type_size(type_of(routine));
    if (routine < 4 * COPIES) {
        const int stays = (routine % 4 == 2 && i > j) || (routine % 4 == 3 && i <= j);
        return stays ? 255 : (unsigned char)(1 + i + M * j);
    }
    const int conjugated = strstr(transposes[routine - 4 * COPIES].name, "tranc") != NULL;
    return (unsigned char)((1 + j + M * i) ^ (conjugated && byte == size - 1 ? 0x80 : 0));
}

/* Calls a routine on numbered elements, from blocks of na to blocks of nb on a grid, and checks what arrives. */
static void call_and_check(int routine, const grid *g, int na, int nb)
{
    _Alignas(16) unsigned char a[ROOM], b[ROOM], wanted[ROOM];
    const int size = (int)scalay_type_size(type_of(routine));
    int desca[DLEN_], descb[DLEN_];
    memset(a, 0, sizeof a);
    memset(b, 255, sizeof b);
    memset(wanted, 255, sizeof wanted);
    for (int k = 0; k < M * M; k++) {
        const int i = k % M, j = k / M, from = place(g, na, i, j, size), to = place(g, nb, i, j, size);
        if (from >= 0) memset(a + from, 1 + k, (size_t)size);
        for (int byte = 0; to >= 0 && byte < size; byte++) wanted[to + byte] = expected(routine, i, j, byte);
    }
    describe(g, na, desca);
    describe(g, nb, descb);
    call(routine, M, a, desca, b, descb, g->ctxt);
    if (!CHECK(memcmp(b, wanted, sizeof b) == 0)) fprintf(stderr, "routine %d\n", routine);
}

static void run_calls(int routine, int calls, const grid *everybody, int *ranks, int size)
{
    _Alignas(16) unsigned char a[ROOM], b[ROOM];
    memset(a, 0, sizeof a);
    memset(b, 1, sizeof b);
    grid short_lived = make_grid(size, 1, ranks);
    for (int k = 0; k < calls; k++) {
        int desca[DLEN_], descb[DLEN_];
        /* mostly plans that are kept; every tenth call another one than those */
        describe(everybody, k % 10 == 9 ? 1 + k / 10 % BLOCKS : 2, desca);
        describe(everybody, 3 + k % 2, descb);
        call(routine, M, a, desca, b, descb, everybody->ctxt);
        if (k % LIFE != LIFE - 1) continue;
        call_and_check(routine, everybody, 2, 3);
        call_and_check(routine, &short_lived, 2, 5);
        free_grid(&short_lived);
        short_lived = make_grid(k % 100 < LIFE ? 1 : size, k % 100 < LIFE ? size : 1, ranks);
    }
    free_grid(&short_lived);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int calls = argc > 1 ? atoi(argv[1]) : LOOPS;
    int size = 0, ranks[64];
    double seconds[2];
    int64_t live = 0, grown = INT64_MAX;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < size; k++) ranks[k] = k;
    int world = 0;
    Cblacs_get(0, 0, &world);
    grid everybody = make_grid(1, size, ranks);
    /* Buffers of MPI grow when a process falls behind the others, a leak in each half. */
    for (int half = 0; half < MOST_HALVES && (half < 2 || grown > MEGABYTE); half++) {
        const int64_t resident = resident_bytes();
        const double start = MPI_Wtime();
        for (int routine = 0; routine < ROUTINES; routine++) run_calls(routine, calls / 2, &everybody, ranks, size);
        seconds[half > 0] = MPI_Wtime() - start;
        if (half == 0) live = scalay_memory_live();
        grown = resident_bytes() - resident;
        MPI_Allreduce(MPI_IN_PLACE, &grown, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(scalay_memory_live() == live);
    CHECK(scalay_comms_live() <= 4);
    CHECK(grown <= MEGABYTE);
    if (check_rank() == 0)
        printf("%d calls of %d routines: %.1f us each, in the last half %.1f us; resident memory grew by at most %lld "
               "bytes in it\n",
               calls, ROUTINES, 2e6 * seconds[0] / calls / ROUTINES, 2e6 * seconds[1] / calls / ROUTINES,
               (long long)grown);
    free_grid(&everybody);
    scalay_plan_caches_release();
    return check_verdict();
}
