/*
 * A call of a compute routine: its matrices are checked, compared between the processes, and become layouts.
 */
#include "dropin/computation.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/change.h"
#include "base/fingerprint.h"
#include "base/kept_memory.h"
#include "base/memory.h"
#include "dropin/plan_cache.h"
#include "dropin/speeds.h"
#include "parallel/blacs.h"
#include "parallel/node.h"
#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/model.h"

static int local_rows(const int *desc, int nprow, int myrow)
{
    const int blocks = desc[M_] / desc[MB_], distance = (myrow - desc[RSRC_] + nprow) % nprow;
    int rows = blocks / nprow * desc[MB_];
    if (distance < blocks % nprow) rows += desc[MB_];
    if (distance == blocks % nprow) rows += desc[M_] % desc[MB_];
    return rows;
}

scalay_local_window scalay_submatrix_window(const scalay_submatrix *s)
{
    const int *d = s->desc;
    scalay_call_matrix place = {.member = 1,
                                .m = d[M_],
                                .n = d[N_],
                                .mb = d[MB_],
                                .nb = d[NB_],
                                .rsrc = d[RSRC_],
                                .csrc = d[CSRC_],
                                .lld = d[LLD_],
                                .i = *s->i,
                                .j = *s->j};
    Cblacs_gridinfo(d[CTXT_], &place.nprow, &place.npcol, &place.myrow, &place.mycol);
    return scalay_local_window_of(&place, s->m, s->n);
}

/* Whether this process sees a submatrix that ScaLAPACK and this library accept. */
static int is_valid(const scalay_submatrix *s, int ctxt)
{
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    const int *desc = s->desc;
    Cblacs_gridinfo(ctxt, &nprow, &npcol, &myrow, &mycol);
    if (desc[DTYPE_] != 1 || desc[CTXT_] != ctxt || s->m < 0 || s->n < 0 || *s->i < 1 || *s->j < 1) return 0;
    if (desc[MB_] < 1 || desc[NB_] < 1 || desc[RSRC_] < 0 || desc[RSRC_] >= nprow || desc[CSRC_] < 0) return 0;
    if (desc[CSRC_] >= npcol || *s->i - 1 > desc[M_] - s->m || *s->j - 1 > desc[N_] - s->n) return 0;
    const int rows = local_rows(desc, nprow, myrow);
    return desc[LLD_] >= (rows > 1 ? rows : 1);
}

/* ------------------------------------------------------------------------------------------------- agreement */

enum { MATRIX_FACTS = 10, FACTS = MATRIX_FACTS * SCALAY_MAX_MATRICES };

/* What all processes must pass alike. */
static void read_facts(int count, const scalay_submatrix *s, int *facts)
{
    for (int k = 0; k < count; k++) {
        const int *d = s[k].desc;
        const int of_matrix[MATRIX_FACTS] = {s[k].m, s[k].n, *s[k].i, *s[k].j,  d[M_],
                                             d[N_],  d[MB_], d[NB_],  d[RSRC_], d[CSRC_]};
        memcpy(facts + MATRIX_FACTS * k, of_matrix, sizeof of_matrix);
    }
}

/* Limits of a process. */
typedef struct {
    int plans, keep; /* SCALAY_SCALAPACK_PLANS and _KEEP */
} limits;

/* Returns the first fact that differs between the processes; -1: none. *accepts: 1 if all accept. *least_limits: of all
 * processes. */
static int compare(int count, const scalay_submatrix *s, MPI_Comm mpi, int *accepts, limits *least_limits, int *range)
{
    int mine[2 * FACTS + 3] = {0}, least[2 * FACTS + 3];
    read_facts(count, s, mine);
    for (int f = 0; f < FACTS; f++) mine[FACTS + f] = -mine[f];
    mine[2 * FACTS] = *accepts;
    mine[2 * FACTS + 1] = scalay_call_settings()->plans;
    mine[2 * FACTS + 2] = scalay_call_settings()->keep;
    MPI_Allreduce(mine, least, 2 * FACTS + 3, MPI_INT, MPI_MIN, mpi);
    *accepts = least[2 * FACTS];
    *least_limits = (limits){least[2 * FACTS + 1], least[2 * FACTS + 2]};
    for (int f = 0; f < FACTS; f++) {
        range[0] = least[f];
        range[1] = -least[FACTS + f];
        if (range[0] != range[1]) return f;
    }
    return -1;
}

/* Whether all processes accept the call and see the same valid submatrices. */
static int agree(int count, const scalay_submatrix *s, int accepts, int ctxt, MPI_Comm mpi, limits *least)
{
    int range[2];
    for (int k = 0; k < count; k++)
        if (!is_valid(&s[k], ctxt)) accepts = 0;
    return compare(count, s, mpi, &accepts, least, range) < 0 && accepts;
}

void scalay_computation_check(const char *routine, int count, const scalay_submatrix *s)
{
    static const char *const names[MATRIX_FACTS] = {"the rows of the submatrix",
                                                    "the columns of the submatrix",
                                                    "its row",
                                                    "its column",
                                                    "M_",
                                                    "N_",
                                                    "MB_",
                                                    "NB_",
                                                    "RSRC_",
                                                    "CSRC_"};
    scalay_call call = {.routine = routine, .ctxt = s[0].desc[CTXT_]};
    scalay_context_record *record = NULL;
    limits least;
    int accepts = 1, range[2], nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    if (!scalay_call_settings()->checks || call.ctxt < 0) return;
    Cblacs_gridinfo(call.ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1 || myrow < 0) return;
    if (scalay_context_find(&call, &record) != SCALAY_SUCCESS) scalay_call_abort(&call);
    const int fact = compare(count, s, record->mpi, &accepts, &least, range);
    if (fact < 0) return;
    call.code = 1;
    const scalay_status status = scalay_call_refuse(
        &call, 0, 0, "the processes disagree about %s (matrix %d): %d on one, %d on another; pass the same on all",
        names[fact % MATRIX_FACTS], fact / MATRIX_FACTS + 1, range[0], range[1]);
    scalay_call_need_all(&call, record->mpi, status);
}

/* Fingerprint of a routine, its matrices and their grid. */
static uint64_t key_of(const char *routine, int count, const scalay_submatrix *s, int nprow, int npcol)
{
    int facts[FACTS + 2] = {0};
    uint64_t key = scalay_fingerprint_start();
    read_facts(count, s, facts);
    facts[FACTS] = nprow;
    facts[FACTS + 1] = npcol;
    for (const char *c = routine; *c != '\0'; c++) key = scalay_fingerprint_add(key, *c);
    for (int f = 0; f < FACTS + 2; f++) key = scalay_fingerprint_add(key, facts[f]);
    return key;
}

/* -------------------------------------------------------------------------------------------------- memory */

/* The free memory of this node in bytes, or that of its control group if that is less; -1: not known. */
static double free_memory(void)
{
    double available = -1.0, most = 0.0, used = 0.0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "MemAvailable:", 13) == 0) available = 1024.0 * strtod(line + 13, NULL);
    if (file != NULL) (void)fclose(file);
    FILE *const limit = fopen("/sys/fs/cgroup/memory.max", "r"), *const now =
                                                                     fopen("/sys/fs/cgroup/memory.current", "r");
    if (limit != NULL && now != NULL && fscanf(limit, "%lf", &most) == 1 && fscanf(now, "%lf", &used) == 1 &&
        most - used < available)
        available = most - used;
    if (limit != NULL) (void)fclose(limit);
    if (now != NULL) (void)fclose(now);
    return available;
}

/* Reading the free memory takes 50 microseconds, so that small calls are not asked. */
int scalay_computation_has_memory(int64_t bytes)
{
    const int64_t limit = scalay_call_settings()->memory, least_asked = 32 << 20;
    if (limit >= 0 && bytes > limit) return 0;
    if (bytes < least_asked) return 1;
    const double available = free_memory();
    return available < 0.0 || (double)bytes <= available / scalay_node_launched_processes();
}

/* Bytes that moving the matrices takes on this process: its parts on the target, if elements are dealt evenly, and a
 * quarter of its parts of the submatrices for messages. */
static int64_t bytes_of_move(char letter, int count, const scalay_submatrix *s, int processes)
{
    const double size = letter == 's' ? 4.0 : letter == 'z' ? 16.0 : 8.0;
    double elements = 0.0;
    for (int k = 0; k < count; k++) elements += 1.25 * s[k].m * s[k].n / processes;
    return (int64_t)(size * elements);
}

/* -------------------------------------------------------------------------------------------------- layouts */

/* Creates the layout of a matrix on the grid of the context, whose processes are the ranks row by row. Local. */
static scalay_status create_layout(scalay_comm *comm, const scalay_submatrix *s, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *parts = NULL, *whole = NULL;
    const int *d = s->desc;
    int nprow = 0, npcol = 0, myrow = 0, mycol = 0;
    Cblacs_gridinfo(d[CTXT_], &nprow, &npcol, &myrow, &mycol);
    SCALAY_TRY(scalay_layout_block_cyclic(d[M_], d[N_], d[MB_], d[NB_], nprow, npcol, d[RSRC_], d[CSRC_],
                                          SCALAY_ROW_MAJOR, &parts));
    SCALAY_TRY(scalay_layout_with_ld(parts, scalay_comm_rank(comm), d[LLD_], &whole));
    SCALAY_TRY(scalay_layout_submatrix(whole, *s->i - 1, *s->j - 1, s->m, s->n, layout));
cleanup:
    scalay_layout_destroy(&whole);
    scalay_layout_destroy(&parts);
    return status;
}

/* -------------------------------------------------------------------------------------------------- speeds */

/* Reads SCALAY_PROFILE in the first call. Collective. */
static void find_speeds(scalay_computation *c)
{
    scalay_plan_cache *cache = c->record->cache;
    if (!cache->has_profile) {
        const scalay_status status = scalay_speeds_read(c->comm, &cache->profile);
        scalay_call_need_all(&c->call, scalay_comm_handle(c->comm), status);
        cache->has_profile = 1;
    }
    c->options.profile = cache->profile;
}

static scalay_type type_of(char letter)
{
    return letter == 's'   ? SCALAY_FLOAT
           : letter == 'd' ? SCALAY_DOUBLE
           : letter == 'c' ? SCALAY_COMPLEX_FLOAT
                           : SCALAY_COMPLEX_DOUBLE;
}

const scalay_owner_map *scalay_computation_map(scalay_computation *c, int terms)
{
    scalay_plan_cache *cache = c->record->cache;
    const int64_t m = scalay_layout_rows(c->layout[0]), n = scalay_layout_cols(c->layout[0]);
    if (cache->profile == NULL) return NULL;
    if (cache->product != c->key) {
        scalay_partition_destroy(&cache->partition);
        const scalay_status status =
            scalay_speeds_partition(cache->profile, type_of(c->call.routine[1]), m, n, terms, &cache->partition);
        scalay_call_need_all(&c->call, scalay_comm_handle(c->comm), status);
        cache->product = c->key;
    }
    return scalay_partition_map(cache->partition);
}

/* --------------------------------------------------------------------------------------------------- calls */

int scalay_computation_begin(scalay_compute_routine *routine, const void *caller, int count, const scalay_submatrix *s,
                             double work, scalay_computation *c)
{
    *c = (scalay_computation){.options = scalay_one_call_options_default()};
    if (scalay_call_settings()->forced) c->options.placement = SCALAY_PLACEMENT_MOVE;
    if (scalay_call_settings()->is_reproducible) {
        c->machine = scalay_machine_typical();
        c->options.machine = &c->machine;
    }
    if (!scalay_compute_begin(routine, caller)) return 0;
    scalay_computation_check(routine->name, count, s);
    return caller == NULL || scalay_compute_may_answer(routine, work, s->desc[CTXT_]);
}

/* Why a call was answered or stayed, as SCALAY_VERBOSE=2 prints it. */
static const char *reason_of(const scalay_computation *c)
{
    if (c->stays != NULL) return c->stays;
    if (scalay_call_settings()->forced) return "force";
    return c->statistics.processes > 0 ? "predicted times" : "product";
}

void scalay_computation_end(scalay_compute_routine *routine, const scalay_submatrix *s, const scalay_computation *c)
{
    const scalay_one_call_statistics *t = &c->statistics;
    const scalay_compute_decision decision = {
        .answered = c->is_done && (!t->stays || t->engine),
        .reason = reason_of(c),
        .predicted_seconds = t->stays && !t->engine ? t->predicted_stay_seconds
                                                    : t->predicted_move_seconds + t->predicted_kernel_seconds,
        .predicted_stay = t->predicted_stay_seconds,
        .plan_seconds = t->plan_seconds,
        .move_seconds = t->move_seconds + t->back_seconds,
        .kernel_seconds = t->kernel_seconds,
        .nprow = t->nprow,
        .npcol = t->npcol,
        .nb = t->nb};
    if (c->is_done && t->stays && !t->engine && t->settled) scalay_context_count_stay(c->record, c->key);
    scalay_compute_end(routine, s, c->is_done || c->stays != NULL ? &decision : NULL);
}

/* Seconds of a small page of a copy, or of the part of a huge one of its size. */
static double copy_page_seconds(double page_seconds)
{
    const double part_of_huge_page = 3e-7;
    const int is_small = scalay_prefers_small_pages(page_seconds, 1.0);
    return is_small ? page_seconds : fmin(page_seconds, part_of_huge_page);
}

/* The calls that wait where a page takes so long. */
static double calls_of(const scalay_patience *p, double page_seconds, double copy_seconds)
{
    return p->calls + (p->of_pages * fmin(page_seconds, SCALAY_PATIENT_PAGE_SECONDS) + p->of_copies * copy_seconds) /
                          SCALAY_PATIENT_PAGE_SECONDS;
}

/* The time of a page is measured when it may end the waiting: that takes 60 us where pages are slow, a tenth of the
 * shortest calls. */
int scalay_computation_waits(scalay_context_record *record, scalay_patience patience, int times)
{
    const double fast_page_seconds = 1e-6;
    if (record->cache == NULL) patience.calls += patience.of_first;
    if (scalay_call_settings()->is_reproducible)
        return times < calls_of(&patience, SCALAY_PATIENT_PAGE_SECONDS, copy_page_seconds(fast_page_seconds));
    if (times < calls_of(&patience, fast_page_seconds, copy_page_seconds(fast_page_seconds))) return 1;
    if (times >= calls_of(&patience, SCALAY_PATIENT_PAGE_SECONDS, SCALAY_HOST_PAGE_SECONDS)) return 0;
    if (record->page_seconds == 0.0) {
        record->page_seconds = scalay_memory_page_seconds();
        MPI_Bcast(&record->page_seconds, 1, MPI_DOUBLE, 0, record->mpi);
    }
    return times < calls_of(&patience, record->page_seconds, copy_page_seconds(record->page_seconds));
}

/* Whether each process has several blocks. In fewer, calls take about twice as long as in a good layout. */
static int has_several_blocks(const scalay_submatrix *s, int nprow, int npcol)
{
    const int *d = s->desc;
    return (nprow == 1 || s->m > d[MB_] * nprow) && (npcol == 1 || s->n > d[NB_] * npcol);
}

/* Seconds that a call is taken to need for messages: between nodes, those of the largest matrix at 10 Gbit/s, and those
 * of columns with a latency of 2 microseconds. Most networks are slower. */
static double message_seconds(int count, const scalay_submatrix *s, int processes, int columns)
{
    const double element = 8 * 8e-10, column = 6 * 2e-6;
    double most = 0.0;
    if (!scalay_node_launched_on_several(processes)) return 0.0;
    for (int k = 0; k < count; k++) most = fmax(most, (double)s[k].m * s[k].n);
    return element * most + column * columns;
}

/* Sets the processes of the grid. Returns 0 if calls wait for nothing, or the grid is not known. */
static int can_wait(const scalay_submatrix *s, int *nprow, int *npcol)
{
    const scalay_call_settings_values *settings = scalay_call_settings();
    int myrow = -1, mycol = -1;
    *nprow = *npcol = -1;
    if (settings->forced || settings->is_reproducible || s->desc[CTXT_] < 0) return 0;
    Cblacs_gridinfo(s->desc[CTXT_], nprow, npcol, &myrow, &mycol);
    return *nprow >= 1;
}

double scalay_computation_may_lose(const scalay_submatrix *s, double seconds, int leaves_tall_grids)
{
    int nprow, npcol;
    if (!can_wait(s, &nprow, &npcol) || (leaves_tall_grids && nprow > 2 * npcol)) return 0.0;
    if (scalay_is_narrow_block(s, s->desc[MB_]) || scalay_is_narrow_block(s, s->desc[NB_])) return 0.0;
    /* Routines that leave tall grids send messages for each matrix column along the columns of the grid. */
    const int columns = leaves_tall_grids && nprow > 1 ? (s->m < s->n ? s->m : s->n) : 0;
    const double call = seconds / (nprow * npcol) + message_seconds(1, s, nprow * npcol, columns);
    return has_several_blocks(s, nprow, npcol) ? scalay_most_lost(0.0, call) : scalay_most_lost(call, 2.0 * call);
}

double scalay_computation_product_may_lose(int count, const scalay_submatrix *s, double seconds)
{
    int nprow, npcol;
    if (!can_wait(s, &nprow, &npcol)) return 0.0;
    return scalay_most_lost(0.0, seconds / (nprow * npcol) + message_seconds(count, s, nprow * npcol, 0));
}

/* Seconds of a decision in the first call that makes one, which also creates a communicator and reads the machine's
 * numbers, and in others (docs/dropin.md). */
static const double first_decision_seconds = 3e-3, decision_seconds = 4e-4;

/* Whether a call stays because something that takes time once is not worth it yet. `times` equal calls did so before.
 * All calls of the context wait for the first decision together. The same on all processes. */
static int must_wait(const scalay_computation *c, scalay_context_record *record, int times)
{
    if (c->may_lose <= 0.0) return scalay_computation_waits(record, c->patience, times);
    if (record->cache != NULL) return times < scalay_calls_before_cost(decision_seconds, c->may_lose);
    record->may_lose += c->may_lose;
    return first_decision_seconds > record->may_lose;
}

/* Why a call stays without a reduction; NULL: it does not. Calls that wait are counted, apart from those that were
 * decided. */
static const char *reason_to_stay(const scalay_computation *c, scalay_context_record *record)
{
    const uint64_t wait = scalay_fingerprint_add(c->key, -1);
    if (scalay_context_stays(record, c->key) >= SCALAY_KEPT_STAY) return "it stayed before";
    if (!must_wait(c, record, scalay_context_stays(record, wait))) return NULL;
    scalay_context_count_stay(record, wait);
    return "not repeated so far";
}

int scalay_computation_start(const char *routine, int count, const scalay_submatrix *s, int accepts,
                             scalay_computation *c)
{
    scalay_context_record *record = NULL;
    limits least;
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    c->call = (scalay_call){.routine = routine, .ctxt = s[0].desc[CTXT_]};
    if (c->call.ctxt >= 0) Cblacs_gridinfo(c->call.ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1 || myrow < 0) return 0;
    if (scalay_context_find(&c->call, &record) != SCALAY_SUCCESS) scalay_call_abort(&c->call);
    c->key = key_of(routine, count, s, nprow, npcol);
    c->stays = reason_to_stay(c, record);
    if (c->stays != NULL) return 0;
    scalay_kept_memory_limit(scalay_call_settings()->memory);
    if (!scalay_computation_has_memory(bytes_of_move(routine[1], count, s, nprow * npcol))) accepts = 0;
    if (!agree(count, s, accepts, c->call.ctxt, record->mpi, &least)) return 0;
    c->keep = least.keep;
    if (record->cache == NULL && scalay_plan_cache_create(&c->call, record, least.plans) != SCALAY_SUCCESS)
        scalay_call_abort(&c->call);
    c->record = record;
    c->comm = record->cache->comm;
    find_speeds(c);
    for (int k = 0; k < count; k++)
        if (create_layout(c->comm, &s[k], &c->layout[k]) != SCALAY_SUCCESS) scalay_call_abort(&c->call);
    return 1;
}

int scalay_computation_finish(scalay_computation *c, scalay_status status)
{
    for (int k = 0; k < SCALAY_MAX_MATRICES; k++) scalay_layout_destroy(&c->layout[k]);
    if (status == SCALAY_ERROR_UNSUPPORTED || status == SCALAY_ERROR_RANGE || status == SCALAY_ERROR_MEMORY) return 0;
    if (status != SCALAY_SUCCESS) scalay_call_need_all(&c->call, scalay_comm_handle(c->comm), status);
    c->is_done = 1;
    return 1;
}
