/* Solves with triangles that stay where they are: p?getrs, p?potrs and p?trsm by the kernel of libscalay. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "dropin/moved_call.h"
#include "dropin/plan_cache.h"
#include "factor/solve.h"
#include "parallel/blacs.h"
#include "scalay/layout.h"

/* Shared memory per process of a solve, which is kept for the next call. Its new pages take less than a move, but more
 * than a solve gains on staying: calls that would stay wait until they have been made often. */
static const int64_t most_bytes = 64 << 20;

static int is_routine(const moved_call *c, const char *name)
{
    return strcmp(c->routine->record->name + 2, name) == 0;
}

static int is_one_of(const void *argument, const char *letters)
{
    for (; *letters != '\0'; letters++)
        if (scalay_moved_is_letter(argument, *letters)) return 1;
    return 0;
}

int scalay_moved_is_regular(const moved_call *c)
{
    static const char zeros[16];
    if (is_routine(c, "getrs")) return is_one_of(c->x[0], "NTC");
    if (is_routine(c, "potrs")) return is_one_of(c->x[0], "LU");
    if (!is_routine(c, "trsm")) return 1;
    return is_one_of(c->x[0], "LR") && is_one_of(c->x[1], "LU") && is_one_of(c->x[2], "NTC") &&
           is_one_of(c->x[3], "UN") && memcmp(c->x[6], zeros, scalay_type_size(c->routine->type)) != 0;
}

static scalay_op op_of(const void *letter)
{
    if (scalay_moved_is_letter(letter, 'N')) return SCALAY_NO_TRANSPOSE;
    return scalay_moved_is_letter(letter, 'T') ? SCALAY_TRANSPOSE : SCALAY_CONJUGATE_TRANSPOSE;
}

/* A = P L U: L and U, or their transposes in the other order. */
static void read_lu(const moved_call *c, scalay_solve_request *request)
{
    const scalay_op op = op_of(c->x[0]);
    const scalay_triangle lower = {SCALAY_LOWER, op, 1}, upper = {SCALAY_UPPER, op, 0};
    request->triangles = 2;
    request->triangle[0] = op == SCALAY_NO_TRANSPOSE ? lower : upper;
    request->triangle[1] = op == SCALAY_NO_TRANSPOSE ? upper : lower;
}

/* A = L L^H or U^H U. */
static void read_cholesky(const moved_call *c, scalay_solve_request *request)
{
    const int is_lower = c->uplo == SCALAY_LOWER;
    const scalay_triangle plain = {c->uplo, SCALAY_NO_TRANSPOSE, 0},
                          transposed = {c->uplo, SCALAY_CONJUGATE_TRANSPOSE, 0};
    request->triangles = 2;
    request->triangle[0] = is_lower ? plain : transposed;
    request->triangle[1] = is_lower ? transposed : plain;
}

/* X op(A) = B is op(A)^T X^T = B^T; A^H from the right is A from the left of X^H. */
static void read_triangle(const moved_call *c, scalay_solve_request *request)
{
    const scalay_op op = op_of(c->x[2]);
    const int is_left = scalay_moved_is_letter(c->x[0], 'L');
    request->triangles = 1;
    request->triangle[0] = (scalay_triangle){c->uplo, op, scalay_moved_is_letter(c->x[3], 'U')};
    if (is_left) return;
    request->triangle[0].op = op == SCALAY_NO_TRANSPOSE ? SCALAY_TRANSPOSE : SCALAY_NO_TRANSPOSE;
    request->op_b = op == SCALAY_CONJUGATE_TRANSPOSE ? op : SCALAY_TRANSPOSE;
}

static scalay_solve_request read_request(const moved_call *c)
{
    const int64_t memory = scalay_call_settings()->memory;
    scalay_solve_request request = {.type = c->routine->type,
                                    .a = c->computation.layout[0],
                                    .b = c->computation.layout[1],
                                    .may_share_cores = scalay_call_settings()->forced,
                                    .most_bytes = memory >= 0 && memory < most_bytes ? memory : most_bytes};
    if (is_routine(c, "getrs"))
        read_lu(c, &request);
    else if (is_routine(c, "potrs"))
        read_cholesky(c, &request);
    else
        read_triangle(c, &request);
    return request;
}

/* Creates a target without a solve, and keeps it. Collective. Returns NULL on all processes if one has no memory. */
static scalay_moved_target *create_target(const moved_call *c, uint64_t key, uint64_t source)
{
    scalay_moved_target *target = calloc(1, sizeof *target);
    int *const pivots = malloc(((size_t)c->matrix[0].s.m + 1) * sizeof *pivots);
    if (target != NULL)
        *target = (scalay_moved_target){.key = key, .source = source, .comm = c->computation.comm, .pivots = pivots};
    const scalay_status status = target != NULL && pivots != NULL ? SCALAY_SUCCESS : SCALAY_ERROR_MEMORY;
    if (scalay_moved_all_succeed(c, status)) {
        scalay_moved_target_keep(c->computation.record->cache, target);
        return target;
    }
    free(pivots);
    free(target);
    return NULL;
}

/* Takes the target of an equal earlier call, or creates one. Collective. */
static scalay_moved_target *find_target(const moved_call *c, const scalay_solve_request *request)
{
    uint64_t key = scalay_fingerprint_add(c->computation.key, -1 - (int64_t)c->routine->type);
    for (int k = 0; k < request->triangles; k++) {
        const scalay_triangle *t = &request->triangle[k];
        key = scalay_fingerprint_add(key, (int64_t)t->uplo);
        key = scalay_fingerprint_add(key, (int64_t)t->op);
        key = scalay_fingerprint_add(key, t->is_unit);
    }
    key = scalay_fingerprint_add(key, (int64_t)request->op_b);
    const uint64_t of_a = scalay_fingerprint_add(scalay_fingerprint_start(), c->matrix[0].s.desc[LLD_]);
    const uint64_t source = scalay_fingerprint_add(of_a, c->matrix[1].s.desc[LLD_]);
    scalay_moved_target *target = scalay_moved_target_find(c->computation.record->cache, key, source);
    return target != NULL ? target : create_target(c, key, source);
}

/* Whether the target has a solve. Creates it if there is none. Collective. */
static int has_solve(const moved_call *c, const scalay_solve_request *request, scalay_moved_target *target)
{
    if (target->solve != NULL || target->is_refused) return target->solve != NULL;
    target->is_refused = scalay_solve_create(c->computation.comm, request, &target->solve) != SCALAY_SUCCESS;
    return !target->is_refused;
}

/* Predicts the call for the reports of process 0, once for each target. */
static void predict(moved_call *c, const scalay_solve_request *request, scalay_moved_target *target)
{
    const scalay_call_settings_values *settings = scalay_call_settings();
    const int is_left = request->op_b == SCALAY_NO_TRANSPOSE;
    const scalay_layout *b = request->b;
    int nprow = 0, npcol = 0, row = 0, col = 0;
    if (scalay_compute_rank() != 0 || (settings->verbosity == 0 && settings->report == NULL)) return;
    if (!target->is_predicted) {
        Cblacs_gridinfo(c->matrix[0].s.desc[CTXT_], &nprow, &npcol, &row, &col);
        const scalay_solve_shape shape = {.type = request->type,
                                          .n = c->matrix[0].s.m,
                                          .columns = (double)(is_left ? scalay_layout_cols(b) : scalay_layout_rows(b)),
                                          .triangles = request->triangles,
                                          .nprow = is_left ? nprow : npcol,
                                          .npcol = is_left ? npcol : nprow,
                                          .nb = c->matrix[0].s.desc[NB_],
                                          .shares = scalay_solve_way_of(target->solve) == SCALAY_SOLVE_SHARES};
        scalay_prediction_of_solve(&shape, &target->prediction);
        target->is_predicted = 1;
    }
    c->decision.predicted_stay = target->prediction.stay_seconds;
    c->decision.predicted_seconds = target->prediction.kernel_seconds;
}

int scalay_moved_solve(moved_call *c)
{
    static const double one[2] = {1.0, 0.0};
    static const float single_one[2] = {1.0F, 0.0F};
    const int is_single = c->routine->type == SCALAY_FLOAT || c->routine->type == SCALAY_COMPLEX_FLOAT;
    const scalay_solve_request request = read_request(c);
    const double began = MPI_Wtime();
    scalay_moved_target *target = find_target(c, &request);
    const int is_planned = target != NULL && has_solve(c, &request, target);
    const double planned = MPI_Wtime();
    const int is_supported = is_planned && (c->pivots < 0 || scalay_moved_read_pivots(c, target->pivots));
    const void *alpha = is_routine(c, "trsm") ? c->x[6] : is_single ? (const void *)single_one : (const void *)one;
    if (is_supported) {
        const int after = is_routine(c, "getrs") && request.triangle[0].op != SCALAY_NO_TRANSPOSE;
        (void)scalay_solve_execute(target->solve, alpha, c->x[c->matrix[0].position],
                                   c->pivots >= 0 ? target->pivots : NULL, after, c->x[c->matrix[1].position]);
        predict(c, &request, target);
        c->decision.answered = 1;
        c->decision.plan_seconds = planned - began;
        c->decision.kernel_seconds = MPI_Wtime() - planned;
        if (!is_routine(c, "trsm")) *(int *)c->x[c->routine->count - 1] = 0;
    }
    if (target != NULL && !target->is_kept) scalay_moved_target_destroy(target);
    return is_supported;
}
