#include "dropin/answer.h"

#include <limits.h>
#include <mpi.h>
#include <string.h>

#include "dropin/plan_cache.h"
#include "parallel/blacs.h"
#include "scalay/context.h"

/* What a plan may need besides the matrices, in bytes: several are kept, and a round of that many costs nothing more.
 */
enum { MEMORY = 8 << 20 };

/* The bytes of the submatrix; the most that memory can have, where they do not fit. */
static int64_t bytes_moved(const scalay_call_key *key)
{
    const int64_t elements = (int64_t)key->m * key->n, size = (int64_t)scalay_type_size(key->type);
    return elements < INT64_MAX / (16 * size) ? elements * size : INT64_MAX / 16;
}

static int keeps_plan(const scalay_call *call, int in_place)
{
    return !in_place || bytes_moved(&call->key) <= MEMORY;
}

/* What all processes of a grid know of their matrix. */
typedef struct {
    int nprow, npcol, m, n, mb, nb, rsrc, csrc, i, j;
} facts_of_place;

/* What all processes must agree upon; nothing but ints. */
typedef struct {
    int type, op, uplo, diag, m, n;
    facts_of_place a, b;
} facts_of_call;

enum { IN_CALL = 6, IN_PLACE = sizeof(facts_of_place) / sizeof(int), FACTS = sizeof(facts_of_call) / sizeof(int) };

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

static facts_of_place list_place(const scalay_call_matrix *p)
{
    const facts_of_place inside = {p->nprow, p->npcol, p->m, p->n, p->mb, p->nb, p->rsrc, p->csrc, p->i, p->j};
    const facts_of_place outside = {INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX,
                                    INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX};
    return p->member ? inside : outside;
}

/* The least value of a fact among the processes that know it, and the negative of the greatest. A fact may be INT_MAX
 * itself, but no grid has so many rows. */
static scalay_status check_facts(scalay_call *call, const int *least, const int *negative)
{
    for (int k = 0; k < FACTS; k++) {
        if ((k == IN_CALL || k == IN_CALL + IN_PLACE) && least[k] == INT_MAX)
            return scalay_call_refuse(call, 0, 0,
                                      "no process of CTXT = %d is in the %s matrix' grid; pass a context that has all "
                                      "processes of both grids",
                                      call->ctxt, k < IN_CALL + IN_PLACE ? "first" : "second");
        if (least[k] != -negative[k])
            return scalay_call_refuse(call, 0, 0,
                                      "the processes disagree about %s: %d on one, %d on another; pass the same on all",
                                      names[k], least[k], -negative[k]);
    }
    return SCALAY_SUCCESS;
}

/* Whether a process knows a fact. */
static int knows(const scalay_call_key *key, int fact)
{
    if (fact < IN_CALL) return 1;
    return fact < IN_CALL + IN_PLACE ? key->a.member : key->b.member;
}

/* All processes mean the same call; the same status on each. */
static scalay_status share_facts(scalay_call *call, MPI_Comm mpi, facts_of_call *facts)
{
    const scalay_call_key *key = &call->key;
    const facts_of_call own = {key->type, key->op, key->uplo,           key->diag,
                               key->m,    key->n,  list_place(&key->a), list_place(&key->b)};
    int mine[2 * FACTS], least[2 * FACTS];
    memcpy(mine, &own, sizeof own);
    for (int k = 0; k < FACTS; k++) mine[FACTS + k] = knows(key, k) ? -mine[k] : INT_MAX;
    MPI_Allreduce(mine, least, 2 * FACTS, MPI_INT, MPI_MIN, mpi);
    memcpy(facts, least, sizeof *facts);
    return check_facts(call, least, least + FACTS);
}

/* All processes of a grid take part; the same status on each. */
static scalay_status count_members(scalay_call *call, MPI_Comm mpi, const facts_of_call *facts)
{
    const int mine[2] = {call->key.a.member, call->key.b.member};
    const int64_t cells[2] = {(int64_t)facts->a.nprow * facts->a.npcol, (int64_t)facts->b.nprow * facts->b.npcol};
    int all[2] = {0, 0};
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, mpi);
    for (int k = 0; k < 2; k++)
        if (all[k] != cells[k])
            return scalay_call_refuse(call, 0, 0,
                                      "%d of the %lld processes of the %s matrix' grid take part; pass a context that "
                                      "has all of them, and the descriptor on each",
                                      all[k], (long long)cells[k], k == 0 ? "first" : "second");
    return SCALAY_SUCCESS;
}

/* The layout of a submatrix of m x n. */
static scalay_status make_layout(scalay_comm *comm, const scalay_call_matrix *place, int ctxt,
                                 const facts_of_place *facts, int m, int n, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *whole = NULL;
    const int desc[DLEN_] = {1, ctxt, place->m, place->n, place->mb, place->nb, place->rsrc, place->csrc, place->lld};
    SCALAY_TRY(scalay_layout_from_desc(comm, place->member ? desc : NULL, &whole));
    SCALAY_TRY(scalay_layout_submatrix(whole, facts->i - 1, facts->j - 1, m, n, layout));
cleanup:
    scalay_layout_destroy(&whole);
    return status;
}

static scalay_plan *create_plan(scalay_call *call, scalay_comm *comm, int in_place)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *source = NULL, *target = NULL;
    scalay_plan *plan = NULL;
    const scalay_call_key *key = &call->key;
    const int transposed = key->op != SCALAY_NO_TRANSPOSE;
    facts_of_call facts;
    SCALAY_TRY(share_facts(call, scalay_comm_handle(comm), &facts));
    SCALAY_TRY(count_members(call, scalay_comm_handle(comm), &facts));
    SCALAY_TRY(make_layout(comm, &key->a, call->ctxt_a, &facts.a, transposed ? key->n : key->m,
                           transposed ? key->m : key->n, &source));
    SCALAY_TRY(make_layout(comm, &key->b, call->ctxt_b, &facts.b, key->m, key->n, &target));
    const scalay_plan_matrix matrix = {.source = source,
                                       .target = target,
                                       .type = key->type,
                                       .op = (scalay_op)key->op,
                                       .uplo = (scalay_uplo)key->uplo,
                                       .diag = (scalay_diag)key->diag};
    scalay_plan_options options = scalay_plan_options_default();
    options.in_place = in_place;
    options.memory_bytes = MEMORY + (in_place ? 4 * bytes_moved(key) : 0);
    SCALAY_TRY(scalay_plan_create_many(comm, 1, &matrix, &options, &plan));
cleanup:
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    scalay_call_need_all(call, comm, status);
    return plan;
}

/* What the processes tell each other about a call, besides the slots that fit it. */
static const uint64_t RIGHT = (uint64_t)1 << 62; /* the arguments are */
static const uint64_t APART = (uint64_t)1 << 61; /* the submatrices lie, in memory */
static const uint64_t SLOTS = ((uint64_t)1 << SCALAY_MAX_PLANS) - 1;

/* What all processes say. */
static uint64_t ask_all(const scalay_call *call, scalay_status status, const scalay_plan_cache *kept)
{
    uint64_t mine = 0, all = 0;
    if (status == SCALAY_SUCCESS) mine = RIGHT | scalay_plan_cache_matches(kept, &call->key);
    if (call->apart) mine |= APART;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BAND, scalay_comm_handle(kept->comm));
    return all;
}

static scalay_plan_cache_entry *first_slot(scalay_plan_cache *kept, uint64_t slots)
{
    for (int k = 0; k < kept->kept; k++)
        if (slots >> k & 1) return &kept->slots[k];
    return NULL;
}

static void move(const scalay_call *call, scalay_plan *plan)
{
    if (scalay_plan_execute_with(plan, SCALAY_FORWARD, &call->operands) != SCALAY_SUCCESS) scalay_call_abort(call);
}

/* Plans, moves, and keeps the plan if any are kept. */
static void move_anew(scalay_call *call, scalay_plan_cache *kept, int in_place)
{
    scalay_plan_cache_entry *slot = keeps_plan(call, in_place) ? scalay_plan_cache_evict(kept) : NULL;
    scalay_plan *plan = create_plan(call, kept->comm, in_place);
    scalay_announce(call, kept->comm, plan);
    move(call, plan);
    if (slot == NULL) {
        scalay_plan_destroy(&plan);
        return;
    }
    *slot = (scalay_plan_cache_entry){plan, call->key, in_place, kept->calls};
}

void scalay_call_answer(scalay_call *call, scalay_status status)
{
    scalay_plan_cache *kept = NULL;
    if (scalay_plan_cache_find(call, &kept) != SCALAY_SUCCESS) scalay_call_abort(call);
    kept->calls++;
    const uint64_t all = ask_all(call, status, kept);
    if (!(all & RIGHT)) scalay_call_need_all(call, kept->comm, status);
    const uint64_t in_place = scalay_plan_cache_in_place(kept);
    scalay_plan_cache_entry *slot = first_slot(kept, all & SLOTS & (all & APART ? ~in_place : in_place));
    if (slot == NULL) {
        move_anew(call, kept, !(all & APART));
        return;
    }
    slot->used = kept->calls;
    move(call, slot->plan);
}
