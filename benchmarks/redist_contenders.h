#ifndef SCALAY_BENCHMARKS_REDIST_CONTENDERS_H
#define SCALAY_BENCHMARKS_REDIST_CONTENDERS_H

/**
 * @file
 * Who takes part in bench_redist.
 *
 * Exchange is what MPI needs at least between nodes: each rank sends the bytes that it has for each rank of another
 * node from one buffer to another, in one message or in pieces. Nothing moves within a node, and nothing is packed.
 * With copies, a memcpy packs all messages before the exchange, another one unpacks them, and a third one copies as
 * many bytes as a rank gets from its own node.
 *
 * Stock is the Cpdgemr2d of the ScaLAPACK that the program is linked with. Other libraries that export pdgemr2d_ are
 * loaded with their symbols for themselves, so that neither stands in for the other.
 */

#include <dlfcn.h>

#include "base/integer.h"
#include "redist_cases.h"

typedef enum {
    MEMCPY,
    EXCHANGE,
    STOCK,
    COSTA,
    DROPIN,
    AUTO,
    AUTO_PLAIN,
    SHARED,
    SHARED_PLAIN,
    MPI,
    MPI_VERIFIED,
    CONTENDERS
} contender;

static const struct {
    const char *name;
    const char *transport; /* NULL: none of ours */
} contenders[CONTENDERS] = {{"memcpy", NULL},       {"exchange", NULL},   {"pdgemr2d", NULL},
                            {"costa", NULL},        {"dropin", NULL},     {"auto", "auto"},
                            {"auto-plain", "auto"}, {"shared", "shared"}, {"shared-plain", "shared"},
                            {"mpi", "mpi"},         {"mpi-verify", "mpi"}};

void Cpdgemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);

/** Fortran's. */
typedef void (*pdgemr2d_function)(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                                  const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                                  const int *ctxt);

/** The messages of "exchange". */
typedef struct {
    int64_t *out, *in; /* shape [ranks]: bytes to and from each rank of another node; NULL: there is one node */
    char *from, *to;
    int64_t bytes_out, bytes_in;
    MPI_Request *requests; /* shape: messages */
} exchange_buffers;

/** A case under way. */
typedef struct {
    scalay_comm *comm;
    const case_spec *spec;
    int n;
    redist_matrix a, b;
    int all; /* context of every rank */
    exchange_buffers exchange;
    int64_t piece; /* bytes of a message of the exchange at most */
    int copies;    /* 1: the exchange packs and unpacks */
    scalay_plan *plans[CONTENDERS];
    pdgemr2d_function libraries[CONTENDERS]; /* COSTA's, the drop-in's */
} arena;

/** The pdgemr2d_ of a library. */
static pdgemr2d_function load_library(const char *path)
{
    union {
        void *object;
        pdgemr2d_function function;
    } symbol = {NULL};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) symbol.object = dlsym(library, "pdgemr2d_");
    if (symbol.object == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return symbol.function;
}

/** Leaves when a preloaded drop-in would be measured as stock. */
static void check_stock(void)
{
    void *program = dlopen(NULL, RTLD_NOW);
    const int replaced = program != NULL && dlsym(program, "scalay_scalapack_active") != NULL;
    if (program != NULL) (void)dlclose(program);
    if (!replaced) return;
    fprintf(stderr, "libscalay_scalapack stands in for the stock pdgemr2d; run without LD_PRELOAD, with --dropin\n");
    exit(2);
}

/** Whether the two grids are the same. COSTA's pdgemr2d_ looks only at one of them. */
static int same_grids(const scalay_comm *comm, const case_spec *spec)
{
    if (spec->from.tiles || spec->to.tiles) return 0;
    return grid_rows(spec->from.shape, comm->size) == grid_rows(spec->to.shape, comm->size) &&
           spec->from.order == spec->to.order;
}

/* Whether its arrays are of scalay_alloc(). */
static int is_shared(contender k)
{
    return k == SHARED || k == AUTO;
}

static double *array_of(const redist_matrix *x, contender k)
{
    return is_shared(k) ? x->shared : x->plain;
}

static void call_library(const arena *s, contender k)
{
    const int ia = s->a.first + 1, ib = s->b.first + 1;
    /* COSTA takes the grids' shape from the context. */
    const int ctxt = k == COSTA && same_grids(s->comm, s->spec) ? s->a.ctxt : s->all;
    s->libraries[k](&s->n, &s->n, s->a.plain, &ia, &ia, s->a.desc, s->b.plain, &ib, &ib, s->b.desc, &ctxt);
}

static int length_of_piece(const arena *s, int64_t bytes, int64_t done)
{
    return (int)(bytes - done < s->piece ? bytes - done : s->piece);
}

/* The pieces of all messages take turns. */
static void exchange_messages(const arena *s)
{
    const exchange_buffers *x = &s->exchange;
    const int size = s->comm->size;
    int64_t most = 0, at = 0;
    int count = 0;
    for (int rank = 0; rank < size; rank++) most = scalay_max_int64(most, scalay_max_int64(x->out[rank], x->in[rank]));
    for (int64_t done = 0; done < most; done += s->piece, at = 0)
        for (int rank = 0; rank < size; at += x->in[rank++])
            if (x->in[rank] > done)
                MPI_Irecv(x->to + at + done, length_of_piece(s, x->in[rank], done), MPI_CHAR, rank, 0, s->comm->mpi,
                          &x->requests[count++]);
    for (int64_t done = 0; done < most; done += s->piece, at = 0)
        for (int rank = 0; rank < size; at += x->out[rank++])
            if (x->out[rank] > done)
                MPI_Isend(x->from + at + done, length_of_piece(s, x->out[rank], done), MPI_CHAR, rank, 0, s->comm->mpi,
                          &x->requests[count++]);
    MPI_Waitall(count, x->requests, MPI_STATUSES_IGNORE);
}

static void exchange_with_copies(const arena *s)
{
    const exchange_buffers *x = &s->exchange;
    const int64_t a = s->a.count * (int64_t)sizeof(double), b = s->b.count * (int64_t)sizeof(double);
    char *target = (char *)s->b.plain;
    memcpy(x->from, s->a.plain, (size_t)x->bytes_out);
    exchange_messages(s);
    memcpy(target, x->to, (size_t)x->bytes_in);
    memcpy(target + x->bytes_in, s->a.plain, (size_t)scalay_min_int64(a, b - x->bytes_in));
}

/** Moves the matrix once. */
static void move(arena *s, contender k)
{
    const int64_t count = s->a.count < s->b.count ? s->a.count : s->b.count;
    switch (k) {
    case MEMCPY:
        memcpy(s->b.plain, s->a.plain, (size_t)count * sizeof *s->b.plain);
        break;
    case EXCHANGE:
        s->copies ? exchange_with_copies(s) : exchange_messages(s);
        break;
    case STOCK:
        Cpdgemr2d(s->n, s->n, s->a.plain, s->a.first + 1, s->a.first + 1, s->a.desc, s->b.plain, s->b.first + 1,
                  s->b.first + 1, s->b.desc, s->all);
        break;
    case COSTA:
    case DROPIN:
        call_library(s, k);
        break;
    default:
        timing_must(scalay_plan_execute(s->plans[k], array_of(&s->a, k), array_of(&s->b, k)));
    }
}

/** Makes a plan; when the transport cannot, *plan is NULL, and rank 0 says so once. */
static void make_plan(const arena *s, contender k, scalay_plan **plan)
{
    static int said[CONTENDERS];
    scalay_plan_options options = scalay_plan_options_default();
    options.transport = contenders[k].transport;
    options.verify = k == MPI_VERIFIED;
    const scalay_status status =
        scalay_plan_create(s->comm, s->a.layout, s->b.layout, NULL, SCALAY_DOUBLE, &options, plan);
    if (status == SCALAY_SUCCESS) return;
    if (status != SCALAY_ERROR_ARGUMENT && status != SCALAY_ERROR_UNSUPPORTED) timing_must(status);
    if (s->comm->rank == 0 && !said[k]++) fprintf(stderr, "%s: %s\n", contenders[k].name, scalay_error_message());
}

#endif
