/* Answering calls.

   One reduction per call carries all that the processes must agree upon: the status, the facts of the call, and the
   entries of the plan cache that fit. It is a bitwise "and" of each fact and of its complement: the facts agree if and
   only if the two results are complements of each other. A process outside of a grid does not know the facts of its
   matrix and contributes ones.

   Then one of three cases applies:
     - a plan fits on all processes: it is executed;
     - the submatrix is small, and its shape is new to these processes: the call is left to ScaLAPACK, because creating
       a plan takes longer than such a call;
     - otherwise a plan is created, executed and kept. */
#include "dropin/answer.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "dropin/plan_cache.h"
#include "parallel/blacs.h"
#include "scalay/context.h"

enum {
    PLAN_MEMORY = 1 << 21, /* limit per plan. At most half are buffers of its own, so that SCALAY_MAX_PLANS plans have
                              at most 32 MiB; the rest is the pool of the node, which all plans share */
    IN_PLACE = 1 << 20,    /* for messages between overlapping parts; such a plan of at most so many bytes is kept */
    FIRST_BYTES = 1 << 17  /* a first call with at most so many bytes is left to ScaLAPACK */
};

/* Returns the bytes of the submatrix; a large number if they exceed the range. */
static int64_t bytes_moved(const scalay_call_key *key)
{
    const int64_t elements = (int64_t)key->m * key->n, size = (int64_t)scalay_type_size(key->type);
    return elements < INT64_MAX / (16 * size) ? elements * size : INT64_MAX / 16;
}

static int keeps_plan(const scalay_call *call, int in_place)
{
    return !in_place || bytes_moved(&call->key) <= IN_PLACE;
}

/* ------------------------------------------------------------------------------------------------ facts */

/* Facts that all processes of a grid know of their matrix; only ints. */
typedef struct {
    int nprow, npcol, m, n, mb, nb, rsrc, csrc, i, j;
} matrix_facts;

/* Facts that all processes must agree upon; only ints. */
typedef struct {
    int type, op, uplo, diag, m, n;
    matrix_facts a, b;
} call_facts;

enum { IN_CALL = 6, IN_MATRIX = sizeof(matrix_facts) / sizeof(int), FACTS = sizeof(call_facts) / sizeof(int) };

static const char *const names[FACTS] = {"the type of the elements",
                                         "the routine",
                                         "UPLO",
                                         "DIAG",
                                         "M",
                                         "N",
                                         "the rows of the first grid",
                                         "the columns of the first grid",
                                         "M_ of the first matrix",
                                         "N_ of the first matrix",
                                         "MB_ of the first matrix",
                                         "NB_ of the first matrix",
                                         "RSRC_ of the first matrix",
                                         "CSRC_ of the first matrix",
                                         "the first row of the first submatrix",
                                         "the first column of the first submatrix",
                                         "the rows of the second grid",
                                         "the columns of the second grid",
                                         "M_ of the second matrix",
                                         "N_ of the second matrix",
                                         "MB_ of the second matrix",
                                         "NB_ of the second matrix",
                                         "RSRC_ of the second matrix",
                                         "CSRC_ of the second matrix",
                                         "the first row of the second submatrix",
                                         "the first column of the second submatrix"};

static matrix_facts facts_of(const scalay_call_matrix *p)
{
    return (matrix_facts){p->nprow, p->npcol, p->m, p->n, p->mb, p->nb, p->rsrc, p->csrc, p->i, p->j};
}

static call_facts list_facts(const scalay_call_key *key)
{
    return (call_facts){key->type, key->op, key->uplo, key->diag, key->m, key->n, facts_of(&key->a), facts_of(&key->b)};
}

/* Returns 1 if this process knows a fact. */
static int knows(const scalay_call_key *key, int fact)
{
    if (fact < IN_CALL) return 1;
    return fact < IN_CALL + IN_MATRIX ? key->a.member : key->b.member;
}

/* ---------------------------------------------------------------------------------------------- the ballot */

enum {
    IS_RIGHT = 1,  /* the arguments are correct as far as this process knows */
    IS_APART = 2,  /* source and target do not overlap in the memory of this process */
    KNOWS_ALL = 4, /* this process is in both grids */
    CAN_LEAVE = 8, /* the call can be left to ScaLAPACK, and its grids are inside of the context */
    IS_FIRST = 16  /* the shape is new in the context and in its cache */
};

/* The operand of the reduction. */
typedef struct {
    uint32_t fact[FACTS], complement[FACTS];
    uint32_t entries;  /* of the plan cache that fit */
    uint32_t capacity; /* bit k: the process keeps more than k plans */
    uint32_t flags;
} ballot;

/* Ranks, in the communicator of the call, of the processes of a grid, row by row. Returns 0 if one is not in it. Local.
   The grid is that of a context which contains this process. */
static int find_ranks(int ctxt, MPI_Comm mpi, int count, const int *positions, int *ranks)
{
    MPI_Group grid = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int inside = 1;
    MPI_Comm_group(scalay_context_communicator(ctxt), &grid);
    MPI_Comm_group(mpi, &all);
    MPI_Group_translate_ranks(grid, count, positions, all, ranks);
    for (int k = 0; k < count; k++) inside = inside && ranks[k] != MPI_UNDEFINED;
    MPI_Group_free(&grid);
    MPI_Group_free(&all);
    return inside;
}

/* Returns 1 if the grid of a matrix is inside of the context of the call, or if this process is outside of the grid. */
static int is_inside(const scalay_call *call, const scalay_call_matrix *matrix, int ctxt, MPI_Comm mpi)
{
    int relation = MPI_UNEQUAL;
    if (!matrix->member || ctxt == call->ctxt) return 1;
    MPI_Comm_compare(scalay_context_communicator(ctxt), mpi, &relation);
    if (relation != MPI_UNEQUAL) return 1;
    const int count = matrix->nprow * matrix->npcol;
    int *list = malloc(2 * (size_t)count * sizeof *list);
    if (list == NULL) return 0;
    for (int k = 0; k < count; k++) list[k] = k;
    const int inside = find_ranks(ctxt, mpi, count, list, list + count);
    free(list);
    return inside;
}

/* Fingerprint of the arguments that this process knows (FNV-1a). */
static uint64_t shape_of(const scalay_call_key *key)
{
    int values[sizeof *key / sizeof(int)];
    uint64_t shape = scalay_fingerprint_start();
    memcpy(values, key, sizeof values);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) shape = scalay_fingerprint_add(shape, values[k]);
    return shape;
}

/* A small call without a plan may be left to ScaLAPACK. */
static int may_leave(const scalay_call *call)
{
    const scalay_call_settings_values *settings = scalay_call_settings();
    return call->leave != NULL && !settings->forced && settings->transport == NULL && call->apart && call->is_small &&
           bytes_moved(&call->key) <= FIRST_BYTES;
}

static void fill_ballot(const scalay_call *call, scalay_status status, scalay_context_record *record, ballot *own)
{
    const call_facts facts = list_facts(&call->key);
    uint32_t values[FACTS];
    memcpy(values, &facts, sizeof facts);
    for (int k = 0; k < FACTS; k++) {
        const int known = knows(&call->key, k);
        own->fact[k] = known ? values[k] : UINT32_MAX;
        own->complement[k] = known ? ~values[k] : UINT32_MAX;
    }
    own->capacity = (uint32_t)(((uint64_t)1 << scalay_call_settings()->plans) - 1);
    own->entries = 0;
    own->flags = call->apart ? IS_APART : 0;
    if (status != SCALAY_SUCCESS) return;
    own->flags |= IS_RIGHT | (call->key.a.member && call->key.b.member ? KNOWS_ALL : 0);
    if (record->cache != NULL) own->entries = (uint32_t)scalay_plan_cache_matches(record->cache, &call->key);
    if (own->entries != 0 || !may_leave(call)) return;
    if (scalay_context_is_first(record, shape_of(&call->key))) own->flags |= IS_FIRST;
    if (is_inside(call, &call->key.a, call->ctxt_a, record->mpi) &&
        (call->ctxt_b == call->ctxt_a || is_inside(call, &call->key.b, call->ctxt_b, record->mpi)))
        own->flags |= CAN_LEAVE;
}

/* All processes pass the same facts, and each matrix has a process that knows it. */
static int facts_agree(const ballot *all)
{
    for (int k = 0; k < FACTS; k++)
        if (all->fact[k] != ~all->complement[k]) return 0;
    return 1;
}

/* Says which facts differ. Collective. */
static scalay_status find_difference(scalay_call *call, MPI_Comm mpi)
{
    const scalay_call_key *key = &call->key;
    const call_facts facts = list_facts(key);
    int own[2 * FACTS], all[2 * FACTS];
    memcpy(own, &facts, sizeof facts);
    for (int k = 0; k < FACTS; k++) {
        own[FACTS + k] = knows(key, k) ? -own[k] : INT_MAX;
        if (!knows(key, k)) own[k] = INT_MAX;
    }
    MPI_Allreduce(own, all, 2 * FACTS, MPI_INT, MPI_MIN, mpi);
    for (int k = 0; k < FACTS; k++) {
        if ((k == IN_CALL || k == IN_CALL + IN_MATRIX) && all[k] == INT_MAX)
            return scalay_call_refuse(call, 0, 0,
                                      "no process of CTXT = %d is in the %s matrix' grid; pass a context that has all "
                                      "processes of both grids",
                                      call->ctxt, k < IN_CALL + IN_MATRIX ? "first" : "second");
        if (all[k] != -all[FACTS + k])
            return scalay_call_refuse(call, 0, 0,
                                      "the processes disagree about %s: %d on one, %d on another; pass the same on all",
                                      names[k], all[k], -all[FACTS + k]);
    }
    return SCALAY_SUCCESS;
}

/* --------------------------------------------------------------------------------------------- planning */

/* The ranks of the processes of the two grids in the communicator of the call. */
typedef struct {
    int size;
    int *a, *b;     /* shape [nprow * npcol], row by row */
    int *positions; /* shape [size * 2]: of each process in the two grids; -1: outside; also scratch memory */
} grid_ranks;

static scalay_status refuse_missing(scalay_call *call, const char *which, int present, int64_t count)
{
    return scalay_call_refuse(call, 0, 0,
                              "%d of the %lld processes of the %s matrix' grid take part; pass a context that has all "
                              "of them, and call it on all of them",
                              present, (long long)count, which);
}

/* Inverts the positions of all processes. */
static scalay_status invert_positions(scalay_call *call, const char *which, const grid_ranks *grids, int matrix,
                                      int64_t count, int *ranks)
{
    int present = 0;
    for (int rank = 0; rank < grids->size; rank++) {
        const int position = grids->positions[2 * rank + matrix];
        if (position < 0) continue;
        if (present < count) ranks[position] = rank;
        present++;
    }
    return present == count ? SCALAY_SUCCESS : refuse_missing(call, which, present, count);
}

/* Some processes are outside of a grid: all tell their positions. Collective. */
static scalay_status gather_ranks(scalay_call *call, MPI_Comm mpi, const call_facts *facts, grid_ranks *grids)
{
    const scalay_call_matrix *a = &call->key.a, *b = &call->key.b;
    const int own[2] = {a->member ? a->myrow * a->npcol + a->mycol : -1,
                        b->member ? b->myrow * b->npcol + b->mycol : -1};
    MPI_Allgather(own, 2, MPI_INT, grids->positions, 2, MPI_INT, mpi);
    const scalay_status status =
        invert_positions(call, "first", grids, 0, (int64_t)facts->a.nprow * facts->a.npcol, grids->a);
    if (status != SCALAY_SUCCESS) return status;
    return invert_positions(call, "second", grids, 1, (int64_t)facts->b.nprow * facts->b.npcol, grids->b);
}

/* All processes are in both grids: each finds all ranks itself. */
static scalay_status translate_ranks(scalay_call *call, MPI_Comm mpi, grid_ranks *grids)
{
    const scalay_call_matrix *a = &call->key.a, *b = &call->key.b;
    const int count_a = a->nprow * a->npcol, count_b = b->nprow * b->npcol;
    if (count_a != grids->size) return refuse_missing(call, "first", grids->size, count_a);
    if (count_b != grids->size) return refuse_missing(call, "second", grids->size, count_b);
    for (int k = 0; k < grids->size; k++) grids->positions[k] = k;
    if (!find_ranks(call->ctxt_a, mpi, count_a, grids->positions, grids->a))
        return refuse_missing(call, "first", grids->size - 1, count_a);
    if (!find_ranks(call->ctxt_b, mpi, count_b, grids->positions, grids->b))
        return refuse_missing(call, "second", grids->size - 1, count_b);
    return SCALAY_SUCCESS;
}

/* Creates the layout of a submatrix of m x n. Not collective. */
static scalay_status create_layout(const scalay_comm *comm, const scalay_call_matrix *matrix, const matrix_facts *facts,
                                   const int *ranks, int m, int n, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *parts = NULL, *whole = NULL, *own = NULL;
    SCALAY_TRY(scalay_layout_block_cyclic(facts->m, facts->n, facts->mb, facts->nb, facts->nprow, facts->npcol,
                                          facts->rsrc, facts->csrc, SCALAY_ROW_MAJOR, &parts));
    SCALAY_TRY(scalay_layout_relabel(parts, scalay_comm_size(comm), ranks, &whole));
    if (matrix->member) SCALAY_TRY(scalay_layout_with_ld(whole, scalay_comm_rank(comm), matrix->lld, &own));
    SCALAY_TRY(scalay_layout_submatrix(own != NULL ? own : whole, facts->i - 1, facts->j - 1, m, n, layout));
cleanup:
    scalay_layout_destroy(&own);
    scalay_layout_destroy(&whole);
    scalay_layout_destroy(&parts);
    return status;
}

static void set_options(const scalay_call *call, int in_place, scalay_plan_options *options)
{
    *options = scalay_plan_options_default();
    options->in_place = in_place;
    options->memory_bytes = in_place ? IN_PLACE + 4 * bytes_moved(&call->key) : PLAN_MEMORY;
    if (!in_place) options->transport = scalay_call_settings()->transport;
}

/* Creates a plan from grids that are known. Collective. */
static scalay_status create_plan_of(const scalay_call *call, scalay_comm *comm, const call_facts *facts,
                                    const grid_ranks *grids, int in_place, scalay_plan **plan)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_plan_options options;
    const scalay_call_key *key = &call->key;
    const int transposed = key->op != SCALAY_NO_TRANSPOSE;
    scalay_status status = create_layout(comm, &key->a, &facts->a, grids->a, transposed ? key->n : key->m,
                                         transposed ? key->m : key->n, &source);
    if (status == SCALAY_SUCCESS) status = create_layout(comm, &key->b, &facts->b, grids->b, key->m, key->n, &target);
    /* Without a layout, the plan is refused on all processes. */
    const scalay_plan_matrix matrix = {.source = source,
                                       .target = target,
                                       .type = key->type,
                                       .op = (scalay_op)key->op,
                                       .uplo = (scalay_uplo)key->uplo,
                                       .diag = (scalay_diag)key->diag};
    set_options(call, in_place, &options);
    status = scalay_plan_create_many(comm, 1, &matrix, &options, plan);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return status;
}

/* Creates the plan of a call, or ends the program. Collective. */
static scalay_plan *create_plan(scalay_call *call, scalay_comm *comm, const ballot *all, int in_place)
{
    const MPI_Comm mpi = scalay_comm_handle(comm);
    scalay_plan *plan = NULL;
    call_facts facts;
    memcpy(&facts, all->fact, sizeof facts);
    grid_ranks grids = {.size = scalay_comm_size(comm)};
    int *memory = malloc(4 * (size_t)grids.size * sizeof *memory);
    scalay_status status = SCALAY_SUCCESS;
    if (memory == NULL) {
        (void)scalay_call_refuse(call, 0, 0, "no memory for the ranks of the grids");
        scalay_call_abort(call);
    }
    grids.a = memory;
    grids.b = memory + grids.size;
    grids.positions = memory + 2 * grids.size;
    if ((int64_t)facts.a.nprow * facts.a.npcol > grids.size)
        status = refuse_missing(call, "first", grids.size, (int64_t)facts.a.nprow * facts.a.npcol);
    else if ((int64_t)facts.b.nprow * facts.b.npcol > grids.size)
        status = refuse_missing(call, "second", grids.size, (int64_t)facts.b.nprow * facts.b.npcol);
    else
        status = all->flags & KNOWS_ALL ? translate_ranks(call, mpi, &grids) : gather_ranks(call, mpi, &facts, &grids);
    /* So far, all processes have the same status. */
    if (status != SCALAY_SUCCESS) scalay_call_need_all(call, mpi, status);
    status = create_plan_of(call, comm, &facts, &grids, in_place, &plan);
    free(memory);
    if (status != SCALAY_SUCCESS) scalay_call_need_all(call, mpi, status);
    return plan;
}

/* -------------------------------------------------------------------------------------------- executing */

static scalay_plan_cache_entry *first_entry(scalay_plan_cache *cache, uint64_t entries)
{
    for (int k = 0; cache != NULL && k < cache->capacity; k++)
        if (entries >> k & 1) return &cache->entries[k];
    return NULL;
}

static void move(const scalay_call *call, scalay_plan *plan)
{
    if (scalay_plan_execute_with(plan, SCALAY_FORWARD, &call->operands) != SCALAY_SUCCESS) scalay_call_abort(call);
}

static int count_bits(uint32_t bits)
{
    int count = 0;
    for (; bits != 0; bits &= bits - 1) count++;
    return count;
}

/* Creates a plan, moves, and keeps the plan if plans are kept. */
static void move_with_new_plan(scalay_call *call, scalay_context_record *record, const ballot *all)
{
    const int in_place = !(all->flags & IS_APART);
    if (record->cache == NULL && scalay_plan_cache_create(call, record, count_bits(all->capacity)) != SCALAY_SUCCESS)
        scalay_call_abort(call);
    scalay_plan_cache *cache = record->cache;
    scalay_plan_cache_entry *entry = keeps_plan(call, in_place) ? scalay_plan_cache_evict(cache) : NULL;
    scalay_plan *plan = create_plan(call, cache->comm, all, in_place);
    scalay_announce(call, record->mpi, plan);
    move(call, plan);
    if (entry == NULL) {
        scalay_plan_destroy(&plan);
        return;
    }
    *entry = (scalay_plan_cache_entry){plan, call->key, in_place, cache->used};
}

void scalay_call_answer(scalay_call *call, scalay_status status)
{
    scalay_context_record *record = NULL;
    ballot own, all;
    if (scalay_context_find(call, &record) != SCALAY_SUCCESS) scalay_call_abort(call);
    fill_ballot(call, status, record, &own);
    MPI_Allreduce(&own, &all, (int)(sizeof own / sizeof(uint32_t)), MPI_UINT32_T, MPI_BAND, record->mpi);
    if (!(all.flags & IS_RIGHT)) scalay_call_need_all(call, record->mpi, status);
    const uint64_t in_place = record->cache != NULL ? scalay_plan_cache_in_place(record->cache) : 0;
    scalay_plan_cache_entry *entry =
        first_entry(record->cache, all.entries & (all.flags & IS_APART ? ~in_place : in_place));
    if (entry != NULL) {
        entry->used = record->cache->used;
        move(call, entry->plan);
        return;
    }
    if (!facts_agree(&all)) scalay_call_need_all(call, record->mpi, find_difference(call, record->mpi));
    if (all.flags & CAN_LEAVE && all.flags & IS_FIRST) {
        scalay_announce(call, record->mpi, NULL);
        call->leave(call->arguments);
        return;
    }
    move_with_new_plan(call, record, &all);
}
