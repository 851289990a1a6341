#include <limits.h>

#include "base/memory.h"
#include "layout/layout.h"
#include "multiply/gemm_object.h"
#include "multiply/product.h"

/* What one rank works out for itself: extents, targets, who takes which part. Nothing here communicates. */

static const char create_name[] = "scalay_gemm_create";

enum { USUAL_BLOCK = 64 };

/* ------------------------------------------------------------------------------------------------ checking */

static scalay_status check_map(const scalay_gemm *gemm, const scalay_owner_map *map)
{
    if (map == NULL) return SCALAY_SUCCESS;
    if (scalay_owner_map_rows(map) != gemm->m || scalay_owner_map_cols(map) != gemm->n)
        return scalay_fail(SCALAY_ERROR_MISMATCH, create_name,
                           "options has a map of %lld x %lld, but C is %lld x %lld; scalay_owner_map_resize() it",
                           (long long)scalay_owner_map_rows(map), (long long)scalay_owner_map_cols(map),
                           (long long)gemm->m, (long long)gemm->n);
    if (scalay_owner_map_parts(map) > gemm->comm->size)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, create_name,
                           "options has a map of %d parts, but there are %d ranks", scalay_owner_map_parts(map),
                           gemm->comm->size);
    return SCALAY_SUCCESS;
}

static scalay_status check_grid(const scalay_gemm *gemm, const scalay_gemm_options *o)
{
    const int wants_grid = o->nprow != 0 || o->npcol != 0;
    if (o->nb < 0 || (wants_grid && (o->nprow < 1 || o->npcol < 1)))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options asks for p?gemm on a %d x %d grid with blocks of %d; give 0 x 0 or at least 1 x 1, "
                           "and 0 or more for blocks",
                           o->nprow, o->npcol, o->nb);
    if (wants_grid && o->summa.no_computation)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options asks for p?gemm without computation; only SUMMA can move its panels alone");
    if (wants_grid && o->map != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options has a map and a grid; a map is for SUMMA, a grid for p?gemm: give one of them");
    if ((int64_t)o->nprow * o->npcol > gemm->comm->size)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, create_name, "a %d x %d grid does not fit on %d ranks", o->nprow,
                           o->npcol, gemm->comm->size);
    if (wants_grid && (gemm->m > INT_MAX || gemm->n > INT_MAX || gemm->k > INT_MAX))
        return scalay_fail(SCALAY_ERROR_RANGE, create_name, "p?gemm takes extents up to %d only; use SUMMA", INT_MAX);
    return SCALAY_SUCCESS;
}

static scalay_status check_request(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_op op[2] = {r->op_a, r->op_b};
    const scalay_layout *const layout[3] = {r->a, r->b, r->c};
    SCALAY_TRY(scalay_product_check(create_name, gemm->comm, gemm->type, op, layout));
    if (r->options->objective < SCALAY_CANONICAL || r->options->objective > SCALAY_MIN_TIME)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options has objective %d; pass SCALAY_CANONICAL, SCALAY_MIN_TIME or one between them",
                           (int)r->options->objective);
    gemm->m = scalay_layout_rows(r->c);
    gemm->n = scalay_layout_cols(r->c);
    gemm->k = r->op_a != SCALAY_NO_TRANSPOSE ? scalay_layout_rows(r->a) : scalay_layout_cols(r->a);
    SCALAY_TRY(check_map(gemm, r->options->map));
    SCALAY_TRY(check_grid(gemm, r->options));
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- where it sits */

static int same_axis(const scalay_axis *a, const scalay_axis *b)
{
    return a->runs == NULL && b->runs == NULL && a->first == b->first && a->block == b->block &&
           a->classes == b->classes && a->source == b->source;
}

static int same_processes(const scalay_layout *a, const scalay_layout *b)
{
    if (a->parts != b->parts) return 0;
    for (int part = 0; part < a->parts; part++)
        if (scalay_layout_process_of_part(a, part) != scalay_layout_process_of_part(b, part)) return 0;
    return 1;
}

/* On C's grid, its rows (or columns) dealt out as C's: each element sits with one of those who need it, so that the
 * product sends as little as from C's own map. */
static int sits_with_its_users(const scalay_layout *layout, const scalay_layout *c, int by_rows)
{
    if (!scalay_layout_is_grid(layout) || !scalay_layout_is_grid(c)) return 0;
    if (layout->row.classes != c->row.classes || layout->col.classes != c->col.classes || layout->order != c->order)
        return 0;
    return same_processes(layout, c) && (by_rows ? same_axis(&layout->row, &c->row) : same_axis(&layout->col, &c->col));
}

/* Leaves a matrix where it is, or lets it move to a target, which is taken over. */
static scalay_status settle(scalay_gemm_matrix *matrix, const scalay_layout *where, scalay_op op, int stays,
                            scalay_layout **target)
{
    matrix->moves = !stays;
    matrix->op = op;
    if (!stays) {
        matrix->target = *target;
        *target = NULL;
        return SCALAY_SUCCESS;
    }
    scalay_layout_destroy(target);
    return scalay_layout_copy(where, &matrix->target);
}

/* The parts of a map, on processes. */
static scalay_status lay_out(const scalay_owner_map *map, int64_t rows, int64_t cols, int ranks, const int *process,
                             scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *stretched = NULL;
    scalay_layout *parts = NULL;
    SCALAY_TRY(scalay_owner_map_resize(map, rows, cols, &stretched));
    SCALAY_TRY(scalay_layout_from_owner_map(stretched, &parts));
    SCALAY_TRY(scalay_layout_relabel(parts, ranks, process, layout));
cleanup:
    scalay_layout_destroy(&parts);
    scalay_owner_map_destroy(&stretched);
    return status;
}

/* ----------------------------------------------------------------------------------------------- on a map */

/* Where op(matrix) is, as traffic takes it; NULL, and it does not count, when that has no layout. */
static scalay_status oriented(const scalay_layout *layout, scalay_op op, scalay_layout **turned)
{
    *turned = NULL;
    if (op != SCALAY_NO_TRANSPOSE && !scalay_layout_is_grid(layout)) return SCALAY_SUCCESS;
    return op == SCALAY_NO_TRANSPOSE ? scalay_layout_copy(layout, turned) : scalay_layout_transpose(layout, turned);
}

static scalay_status choose_processes(const scalay_gemm *gemm, const scalay_gemm_request *r, int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *from[3] = {NULL};
    scalay_layout *to[3] = {NULL};
    const int ranks = gemm->comm->size;
    scalay_gemm_places places = {.parts = scalay_owner_map_parts(gemm->map),
                                 .ranks = ranks,
                                 .group = r->options->group,
                                 .objective = r->options->objective};
    if (places.objective != SCALAY_CANONICAL) {
        SCALAY_TRY(oriented(r->a, r->op_a, &from[0]));
        SCALAY_TRY(oriented(r->b, r->op_b, &from[1]));
        SCALAY_TRY(oriented(r->c, SCALAY_NO_TRANSPOSE, &from[2]));
        SCALAY_TRY(lay_out(gemm->map, gemm->m, gemm->k, ranks, NULL, &to[0]));
        SCALAY_TRY(lay_out(gemm->map, gemm->k, gemm->n, ranks, NULL, &to[1]));
        SCALAY_TRY(lay_out(gemm->map, gemm->m, gemm->n, ranks, NULL, &to[2]));
    }
    for (int k = 0; k < 3; k++) {
        places.from[k] = from[k];
        places.to[k] = to[k];
    }
    SCALAY_TRY(scalay_gemm_map_parts(&places, process));
cleanup:
    for (int k = 0; k < 3; k++) {
        scalay_layout_destroy(&to[k]);
        scalay_layout_destroy(&from[k]);
    }
    return status;
}

/* The parts of the map are those of C's layout. */
static void own_processes(scalay_gemm *gemm, const scalay_layout *c)
{
    for (int part = 0; part < scalay_owner_map_parts(gemm->map); part++)
        gemm->process[part] = scalay_layout_process_of_part(c, part);
}

/* A or B goes to the map, or stays. */
static scalay_status settle_operand(const scalay_gemm *gemm, const scalay_gemm_request *r, int is_a,
                                    scalay_gemm_matrix *matrix)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    const scalay_layout *where = is_a ? r->a : r->b;
    const scalay_op op = is_a ? r->op_a : r->op_b;
    int stays = op == SCALAY_NO_TRANSPOSE && r->options->map == NULL && sits_with_its_users(where, r->c, is_a);
    if (!stays) {
        SCALAY_TRY(lay_out(gemm->map, is_a ? gemm->m : gemm->k, is_a ? gemm->k : gemm->n, gemm->comm->size,
                           gemm->process, &target));
        stays = op == SCALAY_NO_TRANSPOSE && scalay_layout_same_owners(where, target);
    }
    SCALAY_TRY(settle(matrix, where, SCALAY_NO_TRANSPOSE, stays, &target));
cleanup:
    scalay_layout_destroy(&target);
    return status;
}

/* C goes to a map that was given, unless it is there. */
static scalay_status settle_product(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    if (r->options->map != NULL)
        SCALAY_TRY(lay_out(gemm->map, gemm->m, gemm->n, gemm->comm->size, gemm->process, &target));
    const int stays = target == NULL || scalay_layout_same_owners(r->c, target);
    SCALAY_TRY(settle(&gemm->c, r->c, SCALAY_NO_TRANSPOSE, stays, &target));
cleanup:
    scalay_layout_destroy(&target);
    return status;
}

static scalay_status settle_on_map(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(gemm->process, scalay_owner_map_parts(gemm->map)));
    if (r->options->map != NULL)
        SCALAY_TRY(choose_processes(gemm, r, gemm->process));
    else
        own_processes(gemm, r->c);
    SCALAY_TRY(settle_operand(gemm, r, 1, &gemm->a));
    SCALAY_TRY(settle_operand(gemm, r, 0, &gemm->b));
    SCALAY_TRY(settle_product(gemm, r));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- on a grid */

static scalay_status settle_on_grid(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_gemm_options *o = r->options;
    const scalay_layout *where[3] = {r->a, r->b, r->c};
    const scalay_op op[3] = {r->op_a, r->op_b, SCALAY_NO_TRANSPOSE};
    scalay_gemm_matrix *matrix[3] = {&gemm->a, &gemm->b, &gemm->c};
    scalay_layout *parts[3] = {NULL};
    scalay_layout *placed = NULL;
    int *process = NULL;
    scalay_gemm_places places = {
        .parts = o->nprow * o->npcol, .ranks = gemm->comm->size, .group = o->group, .objective = o->objective};
    const int64_t nb = o->nb > 0 ? o->nb : USUAL_BLOCK;
    for (int k = 0; k < 3; k++) {
        SCALAY_TRY(scalay_layout_block_cyclic(scalay_layout_rows(where[k]), scalay_layout_cols(where[k]), nb, nb,
                                              o->nprow, o->npcol, 0, 0, SCALAY_ROW_MAJOR, &parts[k]));
        places.from[k] = where[k];
        places.to[k] = parts[k];
    }
    SCALAY_TRY(SCALAY_NEW(process, places.parts));
    SCALAY_TRY(scalay_gemm_map_parts(&places, process));
    for (int k = 0; k < 3; k++) {
        SCALAY_TRY(scalay_layout_relabel(parts[k], gemm->comm->size, process, &placed));
        const int stays = scalay_layout_fingerprint(where[k]) == scalay_layout_fingerprint(placed);
        SCALAY_TRY(settle(matrix[k], where[k], op[k], stays, &placed));
    }
cleanup:
    scalay_layout_destroy(&placed);
    for (int k = 0; k < 3; k++) scalay_layout_destroy(&parts[k]);
    scalay_release(process);
    return status;
}

scalay_status scalay_gemm_prepare(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_gemm_options *o = r->options;
    SCALAY_TRY(check_request(gemm, r));
    gemm->a.held = scalay_layout_elements(r->a, gemm->comm->rank);
    gemm->b.held = scalay_layout_elements(r->b, gemm->comm->rank);
    gemm->c.held = scalay_layout_elements(r->c, gemm->comm->rank);
    if (gemm->m == 0 || gemm->n == 0) return SCALAY_SUCCESS;
    gemm->grid[0] = o->nprow;
    gemm->grid[1] = o->npcol;
    if (gemm->grid[0] > 0) {
        SCALAY_TRY(settle_on_grid(gemm, r));
        SCALAY_TRY(scalay_layout_owner_map(gemm->c.target, &gemm->map));
        SCALAY_TRY(SCALAY_NEW(gemm->process, scalay_owner_map_parts(gemm->map)));
        own_processes(gemm, gemm->c.target);
    } else {
        SCALAY_TRY(o->map != NULL ? scalay_owner_map_resize(o->map, gemm->m, gemm->n, &gemm->map)
                                  : scalay_layout_owner_map(r->c, &gemm->map));
        SCALAY_TRY(settle_on_map(gemm, r));
    }
cleanup:
    return status;
}
