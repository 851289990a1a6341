/*
 * ScaLAPACK's own drivers and solvers on a better layout: the matrices are moved to another grid, the routine of
 * ScaLAPACK runs there, and the results are moved back. moved_routines.c has the table of routines, moved_choice.c says
 * which calls are worth a move, and moved_solve.c has solves with triangles that need none.
 *
 * Arguments that ScaLAPACK would refuse go to ScaLAPACK's routine. All memory is taken, and all processes agree that
 * they have it, before any element is overwritten. Otherwise ScaLAPACK's routine is called in the layout of the caller.
 */
#include "dropin/moved.h"

#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/kept_memory.h"
#include "dropin/moved_call.h"
#include "dropin/plan_cache.h"
#include "layout/layout.h"
#include "parallel/blacs.h"
#include "parallel/topologies.h"
#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/redist.h"

enum { QUERY_ENTRIES = 4 };

/* What a query leaves in a workspace. */
typedef double query_entries[2 * QUERY_ENTRIES];

/* ------------------------------------------------------------------------------------------------- arguments */

/* Sets the extents that the table does not name: k = min(m, n), x = max(m, n), o: the order of the triangle of
 * p?trsm and of Q. */
static void set_extents(moved_call *c)
{
    int *e = c->extents;
    e['k'] = e['m'] < e['n'] ? e['m'] : e['n'];
    e['x'] = e['m'] > e['n'] ? e['m'] : e['n'];
    e['o'] = scalay_moved_is_letter(c->x[0], 'L') ? e['m'] : e['n'];
}

/* Where reading has got to. */
typedef struct {
    int position;                  /* argument */
    int jobs[SCALAY_MAX_MATRICES]; /* 1: the vectors are wanted */
    int job_count, outputs;        /* jobs read; matrices of vectors read */
} reading;

static void read_matrix(moved_call *c, const char *word, reading *at)
{
    moved_matrix *m = &c->matrix[c->matrices++];
    *m = (moved_matrix){.position = at->position, .use = word[3], .has_rows_of_first = word[0] == 'B'};
    m->s = (scalay_submatrix){word[1], word[2], c->x[at->position + 1], c->x[at->position + 2], c->x[at->position + 3]};
    if ((m->use == '>' || m->use == '+') && at->outputs < at->job_count) m->is_absent = !at->jobs[at->outputs++];
    at->position += 4;
}

static void read_workspace(moved_call *c, const char *word, reading *at)
{
    const char kind = word[0];
    const int is_single = c->routine->type == SCALAY_FLOAT || c->routine->type == SCALAY_COMPLEX_FLOAT;
    size_t size = scalay_type_size(c->routine->type);
    if (kind == 'R') size = is_single ? sizeof(float) : sizeof(double);
    if (kind == 'I') size = sizeof(int);
    c->work[c->workspaces++] = (workspace){.position = at->position,
                                           .is_int = kind == 'I',
                                           .holds_vectors = word[1] == '+',
                                           .is_short = word[1] == '!',
                                           .size = size};
    at->position += 2;
}

static scalay_uplo uplo_of(const void *argument)
{
    if (scalay_moved_is_letter(argument, 'U')) return SCALAY_UPPER;
    return scalay_moved_is_letter(argument, 'L') ? SCALAY_LOWER : SCALAY_WHOLE;
}

static void read_word(moved_call *c, const char *word, reading *at)
{
    switch (word[0]) {
    case 'A':
    case 'B':
        read_matrix(c, word, at);
        return;
    case 'W':
    case 'R':
    case 'I':
        read_workspace(c, word, at);
        return;
    case 'P':
        c->pivots = at->position;
        c->pivots_use = word[1];
        break;
    case 'T':
        c->tau = at->position;
        c->tau_matrix = c->matrices - 1;
        break;
    case 'u':
        c->uplo = uplo_of(c->x[at->position]);
        break;
    case 'j':
        at->jobs[at->job_count++] = scalay_moved_is_letter(c->x[at->position], 'V');
        break;
    default:
        if (word[0] != '.') c->extents[(unsigned char)word[0]] = scalay_moved_value(c, at->position);
    }
    at->position++;
}

/* Reads the arguments by the words of the table; see moved.h. */
static void read_arguments(moved_call *c)
{
    reading at = {.position = 0};
    c->pivots = c->tau = -1;
    c->uplo = SCALAY_WHOLE;
    for (const char *word = c->routine->arguments; *word != '\0'; word += strcspn(word, " "), word += *word == ' ')
        read_word(c, word, &at);
    set_extents(c);
    for (int k = 0; k < c->matrices; k++) {
        c->matrix[k].s.m = c->extents[c->matrix[k].s.m];
        c->matrix[k].s.n = c->extents[c->matrix[k].s.n];
    }
    memcpy(c->changed, c->x, (size_t)at.position * sizeof *c->x);
}

/* Whether two submatrices of the same blocks begin on the same process row. */
static int has_same_first_row(const scalay_submatrix *a, const scalay_submatrix *b)
{
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    if (a->desc[CTXT_] >= 0) Cblacs_gridinfo(a->desc[CTXT_], &nprow, &npcol, &myrow, &mycol);
    const int64_t first_a = a->desc[RSRC_] + ((int64_t)*a->i - 1) / a->desc[MB_],
                  first_b = b->desc[RSRC_] + ((int64_t)*b->i - 1) / b->desc[MB_];
    return nprow >= 1 && (first_a - first_b) % nprow == 0;
}

/* Whether ScaLAPACK accepts the blocks: square, submatrices begin with a block, all matrices have the same, and
 * right-hand sides begin on the process row of the matrix where ScaLAPACK demands it. */
static int is_aligned(const moved_call *c)
{
    const int nb = c->matrix[0].s.desc[MB_];
    for (int k = 0; k < c->matrices; k++) {
        const scalay_submatrix *s = &c->matrix[k].s;
        if (c->matrix[k].is_absent) continue;
        if (s->desc[MB_] != nb || s->desc[NB_] != nb || nb < 1 || (*s->i - 1) % nb != 0 || (*s->j - 1) % nb != 0)
            return 0;
        if (s->desc[CTXT_] != c->matrix[0].s.desc[CTXT_]) return 0;
        if (c->matrix[k].has_rows_of_first && !has_same_first_row(&c->matrix[0].s, s)) return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------- workspace */

/* The length that a query has left in the first entry. Above 2^24, a float may have been rounded down by the half of a
 * step to the next one. */
static int length_of(const workspace *w, scalay_type type, const void *entry)
{
    const double exact = 1 << 24;
    const int is_double = type == SCALAY_DOUBLE || type == SCALAY_COMPLEX_DOUBLE;
    if (w->is_int) return *(const int *)entry;
    double length = is_double ? *(const double *)entry : *(const float *)entry;
    if (!is_double && length >= exact) length = nextafterf(*(const float *)entry, INFINITY);
    return length < INT_MAX ? (int)length : INT_MAX;
}

/* Queries the lengths of the workspaces for some arguments, and keeps the first entries, which hold them in the form of
 * the routine, unless `first` is NULL. Returns 0 if the routine refuses the arguments. Collective over their grid. */
static int query(const moved_call *c, void *const *arguments, int *length, query_entries *first)
{
    query_entries entry[MAX_WORKSPACES] = {{0}};
    void *x[MAX_ARGUMENTS];
    int minus_one = -1, info = 0;
    if (c->workspaces == 0) return 1;
    memcpy(x, arguments, sizeof x);
    for (int k = 0; k < c->workspaces; k++) {
        x[c->work[k].position] = entry[k];
        x[c->work[k].position + 1] = &minus_one;
    }
    x[c->routine->count - 1] = &info;
    c->routine->call(c->routine->record->next, x);
    for (int k = 0; k < c->workspaces; k++) length[k] = length_of(&c->work[k], c->routine->type, entry[k]);
    if (first != NULL) memcpy(first, entry, sizeof entry);
    return info == 0;
}

static int is_query(const moved_call *c)
{
    for (int k = 0; k < c->workspaces; k++)
        if (scalay_moved_value(c, c->work[k].position + 1) == -1) return 1;
    return 0;
}

/* Whether this process' workspace is as long as ScaLAPACK wants it. Collective. */
static int has_workspace(moved_call *c)
{
    int wanted[MAX_WORKSPACES] = {0};
    query_entries entry[MAX_WORKSPACES] = {{0}};
    if (!query(c, c->x, wanted, entry)) return 0;
    for (int k = 0; k < c->workspaces; k++) {
        if (scalay_moved_value(c, c->work[k].position + 1) < wanted[k]) return 0;
        memcpy(c->work[k].first, entry[k], c->work[k].size);
    }
    return 1;
}

/* ScaLAPACK's routines return the length that they want in the first entry of each workspace. */
static void return_lengths(const moved_call *c)
{
    for (int k = 0; k < c->workspaces; k++) {
        const workspace *w = &c->work[k];
        if (scalay_moved_value(c, w->position + 1) > 0) memcpy(c->x[w->position], w->first, w->size);
    }
}

/* ---------------------------------------------------------------------------------------------------- overlap */

/* The bytes of this process from the first to the last element of a matrix; none: 0. */
static void find_stretch(const moved_call *c, const moved_matrix *m, uintptr_t *begin, uintptr_t *end)
{
    const scalay_local_window w = scalay_submatrix_window(&m->s);
    const int64_t lld = m->s.desc[LLD_], size = (int64_t)scalay_type_size(c->routine->type);
    *begin = *end = 0;
    if (scalay_local_window_is_empty(&w)) return;
    *begin = (uintptr_t)c->x[m->position] + (uintptr_t)((w.row + w.col * lld) * size);
    *end = (uintptr_t)c->x[m->position] + (uintptr_t)((w.row_end + (w.col_end - 1) * lld) * size);
}

/* Whether two matrices may have an element of this process in common. Submatrices of one array are compared by rows and
 * columns, others by the memory between their ends. */
static int may_overlap(const moved_call *c, const moved_matrix *x, const moved_matrix *y)
{
    const scalay_submatrix *a = &x->s, *b = &y->s;
    uintptr_t begin[2], end[2];
    if (c->x[x->position] == c->x[y->position] && memcmp(a->desc, b->desc, DLEN_ * sizeof *a->desc) == 0)
        return *a->i < *b->i + b->m && *b->i < *a->i + a->m && *a->j < *b->j + b->n && *b->j < *a->j + a->n;
    find_stretch(c, x, &begin[0], &end[0]);
    find_stretch(c, y, &begin[1], &end[1]);
    return begin[0] < end[1] && begin[1] < end[0];
}

/* Whether a matrix that is written may have elements in common with another one. */
static int has_overlap(const moved_call *c)
{
    for (int k = 0; k < c->matrices; k++)
        for (int l = 0; l < k; l++) {
            const moved_matrix *x = &c->matrix[k], *y = &c->matrix[l];
            if (x->is_absent || y->is_absent || (x->use == '<' && y->use == '<')) continue;
            if (may_overlap(c, x, y)) return 1;
        }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------- target */

/* Counts bytes of a copy or a workspace. Returns 0 if there is not enough memory for all of the call. */
static int has_memory(moved_call *c, int64_t bytes)
{
    c->bytes += bytes;
    return scalay_computation_has_memory(c->bytes);
}

/* Creates the pivots and TAU of the target. */
static scalay_status create_vectors(moved_call *c)
{
    const size_t rows = (size_t)c->matrix[0].s.m, cols = (size_t)c->matrix[c->tau_matrix].s.n;
    const size_t size = scalay_type_size(c->routine->type);
    if (c->pivots >= 0) {
        c->all_pivots = calloc(rows + 1, sizeof *c->all_pivots);
        c->new_pivots = calloc(rows + (size_t)c->nb, sizeof *c->new_pivots);
        if (c->all_pivots == NULL || c->new_pivots == NULL) return SCALAY_ERROR_MEMORY;
    }
    if (c->tau >= 0) {
        c->all_tau = calloc(cols + 1, size);
        c->new_tau = calloc(cols + (size_t)c->nb, size);
        if (c->all_tau == NULL || c->new_tau == NULL) return SCALAY_ERROR_MEMORY;
    }
    return SCALAY_SUCCESS;
}

/* Takes the target of an equal earlier call. Collective. */
static void find_target(moved_call *c)
{
    const int facts[] = {(int)c->uplo, c->nprow, c->npcol, c->nb};
    uint64_t key = scalay_fingerprint_add(c->computation.key, (int64_t)c->routine->type);
    uint64_t source = scalay_fingerprint_start();
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) key = scalay_fingerprint_add(key, facts[k]);
    for (int k = 0; k < c->matrices; k++) {
        key = scalay_fingerprint_add(key, c->matrix[k].is_absent);
        if (!c->matrix[k].is_absent) source = scalay_fingerprint_add(source, c->matrix[k].s.desc[LLD_]);
    }
    c->target = scalay_moved_target_find(c->computation.record->cache, key, source);
    if (c->target != NULL) return;
    c->target = calloc(1, sizeof *c->target);
    if (c->target != NULL)
        *c->target = (scalay_moved_target){.key = key, .source = source, .comm = c->computation.comm};
}

/* Creates the layout of a matrix on the target. Local. */
static scalay_status create_layout(moved_call *c, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_moved_target *target = c->target;
    scalay_layout *parts = NULL, **layout = &target->matrix[k].layout;
    const scalay_submatrix *s = &c->matrix[k].s;
    if (*layout != NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(
        scalay_layout_block_cyclic(s->m, s->n, c->nb, c->nb, c->nprow, c->npcol, 0, 0, SCALAY_ROW_MAJOR, &parts));
    if (target->mapping == NULL)
        SCALAY_TRY(scalay_mapping_create(c->computation.layout[0], parts, SCALAY_MIN_VOLUME, NULL, &target->mapping));
    SCALAY_TRY(scalay_mapping_apply(target->mapping, parts, layout));
    SCALAY_TRY(scalay_layout_spread(layout, scalay_comm_rank(c->computation.comm), scalay_type_size(c->routine->type)));
cleanup:
    scalay_layout_destroy(&parts);
    return status;
}

/* What a process needs on the target and can create alone. */
static scalay_status create_copies(moved_call *c)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = scalay_comm_rank(c->computation.comm);
    if (c->target == NULL) return SCALAY_ERROR_MEMORY;
    for (int k = 0; k < c->matrices; k++) {
        moved_matrix *m = &c->matrix[k];
        if (m->is_absent) continue;
        SCALAY_TRY(create_layout(c, k));
        const int64_t elements = scalay_layout_local_size(c->target->matrix[k].layout, rank);
        m->bytes = (size_t)(elements + 1) * scalay_type_size(c->routine->type);
        if (!has_memory(c, (int64_t)m->bytes)) return SCALAY_ERROR_MEMORY;
        if (!m->is_kept) m->copy = scalay_kept_memory_take((int64_t)m->bytes);
        if (m->copy == NULL) return SCALAY_ERROR_MEMORY;
    }
    return create_vectors(c);
cleanup:
    return status;
}

/* Creates the contexts and the plans of the moves that the target does not have. Collective; the processes agree on the
 * status. */
static scalay_status create_plans(moved_call *c)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = c->computation.comm;
    for (int k = 0; k < c->matrices; k++) {
        scalay_target_matrix *m = &c->target->matrix[k];
        if (c->matrix[k].is_absent) continue;
        if (m->desc[DTYPE_] == 0) SCALAY_TRY(scalay_grid_create(comm, m->layout, NULL, &m->ctxt, m->desc));
        if (c->matrix[k].is_kept || m->plan != NULL) continue;
        const scalay_plan_matrix moved = {.source = c->computation.layout[k],
                                          .target = m->layout,
                                          .type = c->routine->type,
                                          .uplo = k == 0 ? c->uplo : SCALAY_WHOLE};
        SCALAY_TRY(scalay_plan_create_many(comm, 1, &moved, NULL, &m->plan));
    }
cleanup:
    return status;
}

static const int *target_desc(const moved_call *c, int k)
{
    return c->target->matrix[c->matrix[k].is_absent ? 0 : k].desc;
}

/* The length of a workspace of the target: at least what the routine wants and the caller's. Vectors have what the
 * local part of the matrix leaves of it. On the target, the largest part may have a block of rows and one of columns
 * more. The query of p?syevd is too short for its call of p?ormtr if a process has one block: ScaLAPACK then returns
 * wrong vectors, and INFO = 0. */
static int target_length(const moved_call *c, const workspace *w, int wanted)
{
    const int64_t given = scalay_moved_value(c, w->position + 1), n = c->matrix[0].s.n, nb = c->nb;
    const int64_t more = w->holds_vectors ? nb * (n / c->nprow + n / c->npcol + nb + 2) : 0;
    const int64_t back = w->is_short ? nb * (n / c->nprow + n / c->npcol + 3 * nb) : 0;
    const int64_t length = given + more > wanted + back ? given + more : wanted + back;
    return length < INT_MAX ? (int)length : INT_MAX;
}

/* Creates the workspace of the target, and the arguments. */
static scalay_status create_workspace(moved_call *c)
{
    static int one = 1;
    int wanted[MAX_WORKSPACES] = {0};
    for (int k = 0; k < c->matrices; k++) {
        void **x = &c->changed[c->matrix[k].position];
        x[0] = c->matrix[k].is_absent ? c->matrix[0].copy : c->matrix[k].copy;
        x[1] = x[2] = &one;
        x[3] = (void *)target_desc(c, k);
    }
    if (c->pivots >= 0) c->changed[c->pivots] = c->new_pivots;
    if (c->tau >= 0) c->changed[c->tau] = c->new_tau;
    if (!query(c, c->changed, wanted, NULL)) return SCALAY_ERROR_UNSUPPORTED;
    for (int k = 0; k < c->workspaces; k++) {
        workspace *w = &c->work[k];
        w->length = target_length(c, w, wanted[k]);
        const int64_t bytes = w->length * (int64_t)w->size + 1;
        w->array = has_memory(c, bytes) ? scalay_kept_memory_take(bytes) : NULL;
        if (w->array == NULL) return SCALAY_ERROR_MEMORY;
        c->changed[w->position] = w->array;
        c->changed[w->position + 1] = &w->length;
    }
    return SCALAY_SUCCESS;
}

/* Takes the copy of a matrix that is only read from those that are kept. Collective. */
static void find_kept(moved_call *c)
{
    moved_matrix *m = &c->matrix[0];
    const int *d = m->s.desc;
    int nprow = 0, npcol = 0, myrow = 0, mycol = 0;
    if (c->computation.keep == 0 || m->use != '<') return;
    Cblacs_gridinfo(d[CTXT_], &nprow, &npcol, &myrow, &mycol);
    c->key = (scalay_kept_key){{(int)c->routine->type, (int)c->uplo, nprow, npcol, m->s.m, m->s.n, *m->s.i, *m->s.j,
                                d[M_], d[N_], d[MB_], d[NB_], d[RSRC_], d[CSRC_], c->nprow, c->npcol, c->nb},
                               0};
    c->key.checksum = scalay_kept_checksum(c->x[m->position], scalay_type_size(c->routine->type), &m->s);
    m->copy = scalay_kept_take(c->computation.comm, &c->key, &m->bytes);
    c->may_keep = 1;
    m->is_kept = m->copy != NULL;
}

/* Keeps the copy of the first matrix for the next call. */
static void keep(moved_call *c)
{
    moved_matrix *m = &c->matrix[0];
    if (!c->may_keep) return;
    scalay_kept_put(c->computation.comm, &c->key, m->copy, m->bytes, (int64_t)c->computation.keep << 20);
    m->copy = NULL;
}

int scalay_moved_all_succeed(const moved_call *c, scalay_status status)
{
    int fails = status != SCALAY_SUCCESS;
    MPI_Allreduce(MPI_IN_PLACE, &fails, 1, MPI_INT, MPI_MAX, scalay_comm_handle(c->computation.comm));
    return !fails;
}

static void release(moved_call *c)
{
    for (int k = 0; k < c->matrices; k++) scalay_kept_memory_give(c->matrix[k].copy);
    for (int k = 0; k < c->workspaces; k++) scalay_kept_memory_give(c->work[k].array);
    if (c->target != NULL && !c->target->is_kept) scalay_moved_target_destroy(c->target);
    free(c->all_pivots);
    free(c->new_pivots);
    free(c->all_tau);
    free(c->new_tau);
}

/* ----------------------------------------------------------------------------------------- pivots and TAU */

/* Copies between the pivots of all rows and those of this process: the rows of its process row, row first + 1 being the
 * first row of the submatrix. */
static void copy_pivots(int *all, int rows, int *own, const int *desc, int first, int is_read)
{
    int nprow = 0, npcol = 0, myrow = 0, mycol = 0;
    Cblacs_gridinfo(desc[CTXT_], &nprow, &npcol, &myrow, &mycol);
    for (int r = 0; r < rows; r++) {
        const int row = first + r, block = row / desc[MB_];
        if ((block + desc[RSRC_]) % nprow != myrow) continue;
        int *entry = &own[block / nprow * desc[MB_] + row % desc[MB_]];
        if (is_read)
            all[r] = *entry - first;
        else
            *entry = all[r] + first;
    }
}

/* Sets the pivots of all rows from those of a grid. Collective. */
static void read_pivots(const moved_call *c, int *all, int *from, const int *desc, int first)
{
    const int rows = c->matrix[0].s.m;
    memset(all, 0, (size_t)rows * sizeof *all);
    copy_pivots(all, rows, from, desc, first, 1);
    MPI_Allreduce(MPI_IN_PLACE, all, rows, MPI_INT, MPI_MAX, scalay_comm_handle(c->computation.comm));
}

int scalay_moved_read_pivots(const moved_call *c, int *all)
{
    const int rows = c->matrix[0].s.m;
    read_pivots(c, all, c->x[c->pivots], c->matrix[0].s.desc, *c->matrix[0].s.i - 1);
    for (int i = 0; i < rows; i++)
        if (all[i] < 1 || all[i] > rows) return 0;
    return 1;
}

/* Moves pivots from one grid to another. Collective. */
static void move_pivots(moved_call *c, int *from, const int *from_desc, int from_first, int *to, const int *to_desc,
                        int to_first)
{
    read_pivots(c, c->all_pivots, from, from_desc, from_first);
    copy_pivots(c->all_pivots, c->matrix[0].s.m, to, to_desc, to_first, 0);
}

/* Copies between TAU of all columns and that of this process: the columns of its process column, column first + 1 being
 * the first column of the submatrix. Reading: only the first process row does. */
static void copy_tau(const moved_call *c, char *all, char *own, const int *desc, int first, int is_read)
{
    int nprow = 0, npcol = 0, myrow = 0, mycol = 0;
    const size_t size = scalay_type_size(c->routine->type);
    Cblacs_gridinfo(desc[CTXT_], &nprow, &npcol, &myrow, &mycol);
    for (int r = 0; r < c->extents['q']; r++) {
        const int col = first + r, block = col / desc[NB_];
        if ((block + desc[CSRC_]) % npcol != mycol || (is_read && myrow != 0)) continue;
        const size_t local = (size_t)(block / npcol * desc[NB_] + col % desc[NB_]);
        if (is_read)
            memcpy(all + (size_t)r * size, own + local * size, size);
        else
            memcpy(own + local * size, all + (size_t)r * size, size);
    }
}

/* Moves TAU to the target. Collective. Each entry is added to zeros. */
static void move_tau(moved_call *c)
{
    const moved_matrix *a = &c->matrix[c->tau_matrix];
    const int is_single = c->routine->type == SCALAY_FLOAT || c->routine->type == SCALAY_COMPLEX_FLOAT;
    const int is_complex = c->routine->type == SCALAY_COMPLEX_FLOAT || c->routine->type == SCALAY_COMPLEX_DOUBLE;
    copy_tau(c, c->all_tau, c->x[c->tau], a->s.desc, *a->s.j - 1, 1);
    MPI_Allreduce(MPI_IN_PLACE, c->all_tau, (1 + is_complex) * c->extents['q'], is_single ? MPI_FLOAT : MPI_DOUBLE,
                  MPI_SUM, scalay_comm_handle(c->computation.comm));
    copy_tau(c, c->all_tau, c->new_tau, target_desc(c, c->tau_matrix), 0, 0);
}

/* ---------------------------------------------------------------------------------------------------- calls */

/* Moves, calls the routine, and moves back. After the first element has moved, an error ends the program. */
static scalay_status run(moved_call *c)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_submatrix *a = &c->matrix[0].s;
    int *const pivots = c->pivots >= 0 ? c->x[c->pivots] : NULL;
    const double began = MPI_Wtime();
    for (int k = 0; k < c->matrices; k++)
        if (!c->matrix[k].is_absent && !c->matrix[k].is_kept && c->matrix[k].use != '>')
            SCALAY_TRY(scalay_plan_execute(c->target->matrix[k].plan, c->x[c->matrix[k].position], c->matrix[k].copy));
    if (pivots != NULL && c->pivots_use != '>')
        move_pivots(c, pivots, a->desc, *a->i - 1, c->new_pivots, target_desc(c, 0), 0);
    if (c->tau >= 0) move_tau(c);
    const double moved = MPI_Wtime();
    const int ctxt = target_desc(c, 0)[CTXT_];
    const scalay_topologies before = scalay_topologies_reset(ctxt);
    c->routine->call(c->routine->record->next, c->changed);
    scalay_topologies_restore(ctxt, &before);
    const double computed = MPI_Wtime();
    for (int k = 0; k < c->matrices; k++)
        if (!c->matrix[k].is_absent && c->matrix[k].use != '<')
            SCALAY_TRY(
                scalay_plan_execute_back(c->target->matrix[k].plan, c->matrix[k].copy, c->x[c->matrix[k].position]));
    if (pivots != NULL && c->pivots_use != '<')
        move_pivots(c, c->new_pivots, target_desc(c, 0), 0, pivots, a->desc, *a->i - 1);
    return_lengths(c);
    c->decision.kernel_seconds = computed - moved;
    c->decision.move_seconds = MPI_Wtime() - began - c->decision.kernel_seconds;
cleanup:
    return status;
}

/* The submatrices of a call; the first one for those that are absent. */
static void read_submatrices(const moved_call *c, scalay_submatrix *s)
{
    for (int k = 0; k < c->matrices; k++) s[k] = c->matrix[c->matrix[k].is_absent ? 0 : k].s;
}

/* SCALAY_SCALAPACK_CHECK=1. */
static void check(const moved_call *c)
{
    scalay_submatrix s[SCALAY_MAX_MATRICES];
    read_submatrices(c, s);
    scalay_computation_check(c->routine->record->name, c->matrices, s);
}

/* Leaves a call to ScaLAPACK that is not worth a move. */
static int leave(moved_call *c)
{
    scalay_context_count_stay(c->computation.record, c->computation.key);
    return scalay_computation_finish(&c->computation, SCALAY_ERROR_UNSUPPORTED);
}

/* Whether a solve moves until it has been repeated often: the memory of a solve in place takes longer than its copies.
 * Each process counts the calls alone. */
static int waits_for_solve(const moved_call *c)
{
    scalay_context_record *const record = c->computation.record;
    const uint64_t key = scalay_fingerprint_add(c->computation.key, c->moves_before_solve);
    const int moves = scalay_context_stays(record, key), most = c->moves_before_solve;
    if (most < INT_MAX && !scalay_computation_waits(record, (scalay_patience){.of_pages = most}, moves)) return 0;
    scalay_context_count_stay(record, key);
    return 1;
}

static int move_and_call(moved_call *c)
{
    scalay_submatrix s[SCALAY_MAX_MATRICES];
    read_submatrices(c, s);
    const double began = MPI_Wtime();
    const int accepts = has_workspace(c) && !has_overlap(c) && scalay_moved_is_regular(c);
    if (!scalay_computation_start(c->routine->record->name, c->matrices, s, accepts, &c->computation)) {
        if (c->computation.stays != NULL) c->routine->record->reason = c->computation.stays;
        return 0;
    }
    if (scalay_moved_solves(c) && !waits_for_solve(c) && scalay_moved_solve(c))
        return scalay_computation_finish(&c->computation, SCALAY_SUCCESS);
    scalay_moved_weigh(c);
    if (!c->moves) return leave(c);
    find_kept(c);
    find_target(c);
    const int ready = scalay_moved_all_succeed(c, create_copies(c)) && create_plans(c) == SCALAY_SUCCESS &&
                      scalay_moved_all_succeed(c, create_workspace(c));
    c->decision = (scalay_compute_decision){.answered = 1,
                                            .reason = c->decision.reason,
                                            .plan_seconds = MPI_Wtime() - began,
                                            .nprow = c->nprow,
                                            .npcol = c->npcol,
                                            .nb = c->nb};
    if (ready) scalay_moved_predict(c);
    const scalay_status status = ready ? run(c) : SCALAY_ERROR_UNSUPPORTED;
    if (ready && status == SCALAY_SUCCESS) {
        keep(c);
        scalay_moved_target_keep(c->computation.record->cache, c->target);
    }
    release(c);
    return scalay_computation_finish(&c->computation, status);
}

void scalay_moved_call(const scalay_moved_routine *routine, void **x, const void *caller)
{
    moved_call c = {.routine = routine, .x = x};
    const int may_answer = scalay_compute_begin(routine->record, caller);
    if (may_answer) {
        read_arguments(&c);
        check(&c);
    }
    const int may_move = may_answer && !is_query(&c) && is_aligned(&c) && scalay_moved_should_move(&c);
    if (!may_move || !move_and_call(&c)) routine->call(routine->record->next, x);
    const scalay_compute_decision *decision = c.computation.is_done ? &c.decision
                                              : may_answer          ? scalay_moved_decision_to_stay(&c)
                                                                    : NULL;
    scalay_compute_end(routine->record, &c.matrix[0].s, decision);
}
