/*
 * Where a product is computed: the owner map or grid, the processes of its parts, and which matrices move.
 *
 * Parts are assigned to processes by a mapping for the traffic of A, B and C together. A part is assigned to a process
 * of its own kind of processor, so each kind is a mapping problem in which the processes of other kinds are barred.
 * Nothing in this file communicates: every rank computes the same result.
 */

#include <limits.h>
#include <math.h>

#include "base/change.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "model/nodes.h"
#include "model/product.h"
#include "multiply/gemm.h"
#include "multiply/in_place.h"
#include "multiply/summa.h"

static const char create_name[] = "scalay_gemm_create";

enum { DEFAULT_BLOCK = 64 };

/* --------------------------------------------------------------------------------- processes of the parts */

/* Parts to be assigned to ranks. */
typedef struct {
    int parts;
    int ranks;
    const scalay_layout *from[3]; /* layouts of A, B and C; NULL: ignored */
    const scalay_layout *to[3];   /* layouts by parts, of the same extents */
    const int *group;             /* as in scalay_gemm_options */
    scalay_objective objective;
} assignment_problem;

/* Sums the traffic of the matrices. NULL: all of them are ignored. */
static scalay_status sum_traffic(const assignment_problem *problem, scalay_traffic **sum)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic[3] = {NULL};
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (problem->from[k] != NULL)
            SCALAY_TRY(scalay_traffic_create(problem->from[k], problem->to[k], &traffic[count++]));
    if (count > 0) SCALAY_TRY(scalay_traffic_add(count, (const scalay_traffic *const *)traffic, NULL, sum));
cleanup:
    for (int k = 0; k < 3; k++) scalay_traffic_destroy(&traffic[k]);
    return status;
}

/* Arrays for the mapping problem of one kind. */
typedef struct {
    int *number;           /* shape [parts]: number of a part among those of its kind; -1: of another kind */
    unsigned char *barred; /* shape [ranks] */
    int *process, *part;   /* shape [entries of the traffic] */
    int64_t *items;        /* likewise */
} workspace;

static scalay_status create_workspace(const assignment_problem *problem, const scalay_traffic *all, workspace *w)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_summary summary;
    SCALAY_TRY(scalay_traffic_get_summary(all, &summary));
    SCALAY_TRY(SCALAY_NEW(w->number, problem->parts));
    SCALAY_TRY(SCALAY_NEW(w->barred, problem->ranks));
    SCALAY_TRY(SCALAY_NEW(w->process, summary.nonzeros));
    SCALAY_TRY(SCALAY_NEW(w->part, summary.nonzeros));
    SCALAY_TRY(SCALAY_NEW(w->items, summary.nonzeros));
cleanup:
    return status;
}

static void free_workspace(workspace *w)
{
    scalay_release(w->items);
    scalay_release(w->part);
    scalay_release(w->process);
    scalay_release(w->barred);
    scalay_release(w->number);
}

/* Extracts the traffic of the parts of one kind. */
static scalay_status traffic_of_kind(const assignment_problem *problem, const scalay_traffic *all, int count,
                                     const workspace *w, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_summary summary;
    int64_t entries = 0;
    SCALAY_TRY(scalay_traffic_get_summary(all, &summary));
    for (int process = 0; process < summary.processes; process++) {
        int64_t length = 0;
        const int *part = NULL;
        const int64_t *items = NULL;
        SCALAY_TRY(scalay_traffic_row(all, process, &length, &part, &items));
        for (int64_t k = 0; k < length; k++) {
            if (w->number[part[k]] < 0) continue;
            w->process[entries] = process;
            w->part[entries] = w->number[part[k]];
            w->items[entries++] = items[k];
        }
    }
    SCALAY_TRY(scalay_traffic_from_entries(problem->ranks, count, entries, w->process, w->part, w->items, traffic));
cleanup:
    return status;
}

static int kind_of(const assignment_problem *problem, int rank)
{
    return problem->group != NULL ? problem->group[rank] : 0;
}

/* Maps the parts of the kind of part `first`. */
static scalay_status assign_kind(const assignment_problem *problem, const scalay_traffic *all, int first, workspace *w,
                                 int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    const int kind = kind_of(problem, first);
    int count = 0;
    for (int part = 0; part < problem->parts; part++) w->number[part] = kind_of(problem, part) == kind ? count++ : -1;
    for (int rank = 0; rank < problem->ranks; rank++) w->barred[rank] = kind_of(problem, rank) != kind;
    SCALAY_TRY(traffic_of_kind(problem, all, count, w, &traffic));
    options.processes = problem->ranks;
    options.barred = w->barred;
    SCALAY_TRY(scalay_mapping_from_traffic(traffic, problem->objective, &options, &mapping));
    for (int part = 0; part < problem->parts; part++)
        if (w->number[part] >= 0) process[part] = scalay_mapping_process(mapping)[w->number[part]];
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    return status;
}

static scalay_status assign_parts(const assignment_problem *problem, int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *all = NULL;
    workspace w = {0};
    for (int part = 0; part < problem->parts; part++) process[part] = part;
    if (problem->objective == SCALAY_CANONICAL) return SCALAY_SUCCESS;
    SCALAY_TRY(sum_traffic(problem, &all));
    if (all == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(create_workspace(problem, all, &w));
    for (int part = 0; part < problem->parts; part++) process[part] = -1;
    for (int part = 0; part < problem->parts; part++)
        if (process[part] < 0) SCALAY_TRY(assign_kind(problem, all, part, &w, process));
cleanup:
    free_workspace(&w);
    scalay_traffic_destroy(&all);
    return status;
}
/* ------------------------------------------------------------------------------------------------ checking */

static scalay_status check_map(const scalay_gemm *gemm, const scalay_owner_map *map)
{
    if (map == NULL) return SCALAY_SUCCESS;
    if (scalay_owner_map_rows(map) != gemm->m || scalay_owner_map_cols(map) != gemm->n)
        return scalay_fail(SCALAY_ERROR_MISMATCH, create_name,
                           "options->map is %lld x %lld; it must be %lld x %lld, as C. Use scalay_owner_map_resize()",
                           (long long)scalay_owner_map_rows(map), (long long)scalay_owner_map_cols(map),
                           (long long)gemm->m, (long long)gemm->n);
    if (scalay_owner_map_parts(map) > gemm->comm->size)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, create_name,
                           "options->map has %d parts; it must have at most %d, the number of ranks",
                           scalay_owner_map_parts(map), gemm->comm->size);
    return SCALAY_SUCCESS;
}

static scalay_status check_grid(const scalay_gemm *gemm, const scalay_gemm_options *o)
{
    const int wants_grid = o->nprow != 0 || o->npcol != 0;
    if (o->nb < 0 || (wants_grid && (o->nprow < 1 || o->npcol < 1)))
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, create_name,
            "the grid of options is %d x %d with nb %d; it must be 0 x 0 (SUMMA) or at least 1 x 1, with nb "
            "at least 0",
            o->nprow, o->npcol, o->nb);
    if (wants_grid && o->summa != NULL && o->summa->no_computation)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->summa->no_computation is 1; it must be 0 with p?gemm on a grid");
    if (wants_grid && o->map != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options has both map and grid; set map for SUMMA, or nprow and npcol for p?gemm");
    if ((int64_t)o->nprow * o->npcol > gemm->comm->size)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, create_name,
                           "the grid of options is %d x %d; it must have at most %d processes, the number of ranks",
                           o->nprow, o->npcol, gemm->comm->size);
    if (wants_grid && (gemm->m > INT_MAX || gemm->n > INT_MAX || gemm->k > INT_MAX))
        return scalay_fail(SCALAY_ERROR_RANGE, create_name,
                           "an extent is above %d, the limit of p?gemm; use SUMMA (nprow = 0)", INT_MAX);
    return SCALAY_SUCCESS;
}

static scalay_status check_request(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_op op[2] = {r->op_a, r->op_b};
    const scalay_layout *const layout[3] = {r->a, r->b, r->c};
    SCALAY_TRY(scalay_product_check(create_name, gemm->comm, gemm->type, op, layout));
    if (r->options->objective < SCALAY_CANONICAL || r->options->objective > SCALAY_MIN_TIME)
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, create_name,
            "options->objective is %d; it must be a scalay_objective, SCALAY_CANONICAL to SCALAY_MIN_TIME",
            (int)r->options->objective);
    gemm->m = scalay_layout_rows(r->c);
    gemm->n = scalay_layout_cols(r->c);
    gemm->k = r->op_a != SCALAY_NO_TRANSPOSE ? scalay_layout_rows(r->a) : scalay_layout_cols(r->a);
    SCALAY_TRY(check_map(gemm, r->options->map));
    SCALAY_TRY(check_grid(gemm, r->options));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------- target layouts */

static int same_axis(const scalay_axis *a, const scalay_axis *b)
{
    return a->runs == NULL && b->runs == NULL && a->first == b->first && a->block == b->block &&
           a->classes == b->classes && a->source == b->source;
}

/* Returns 1 if a matrix is on the grid of C and its rows (or columns) are distributed like those of C. Then each
 * element is on a process that needs it, so the volume of the product is that of the map of C. */
static int is_aligned_with_product(const scalay_layout *layout, const scalay_layout *c, int by_rows)
{
    return scalay_in_place_same_grid(layout, c) &&
           (by_rows ? same_axis(&layout->row, &c->row) : same_axis(&layout->col, &c->col));
}

/* Sets the target layout of a matrix: its own if it stays, otherwise *target, which the matrix then owns. */
static scalay_status set_target(scalay_gemm_matrix *matrix, const scalay_layout *where, scalay_op op, int stays,
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

/* Creates the layout of a map, resized, with its parts on processes; NULL: part j on process j. */
static scalay_status layout_of_map(const scalay_owner_map *map, int64_t rows, int64_t cols, int ranks,
                                   const int *process, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *resized = NULL;
    scalay_layout *parts = NULL;
    SCALAY_TRY(scalay_owner_map_resize(map, rows, cols, &resized));
    SCALAY_TRY(scalay_layout_from_owner_map(resized, &parts));
    SCALAY_TRY(scalay_layout_relabel(parts, ranks, process, layout));
cleanup:
    scalay_layout_destroy(&parts);
    scalay_owner_map_destroy(&resized);
    return status;
}

/* ----------------------------------------------------------------------------------------------- on a map */

/* Returns the layout of op(matrix) for the traffic. NULL: the transpose of this layout is not supported, and the matrix
 * is ignored. */
static scalay_status transposed(const scalay_layout *layout, scalay_op op, scalay_layout **result)
{
    *result = NULL;
    if (op != SCALAY_NO_TRANSPOSE && !scalay_layout_is_grid(layout)) return SCALAY_SUCCESS;
    return op == SCALAY_NO_TRANSPOSE ? scalay_layout_copy(layout, result) : scalay_layout_transpose(layout, result);
}

static scalay_status choose_processes(const scalay_gemm *gemm, const scalay_gemm_request *r, int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *from[3] = {NULL};
    scalay_layout *to[3] = {NULL};
    const int ranks = gemm->comm->size;
    assignment_problem problem = {.parts = scalay_owner_map_parts(gemm->map),
                                  .ranks = ranks,
                                  .group = r->options->group,
                                  .objective = r->options->objective};
    if (problem.objective != SCALAY_CANONICAL) {
        SCALAY_TRY(transposed(r->a, r->op_a, &from[0]));
        SCALAY_TRY(transposed(r->b, r->op_b, &from[1]));
        SCALAY_TRY(transposed(r->c, SCALAY_NO_TRANSPOSE, &from[2]));
        SCALAY_TRY(layout_of_map(gemm->map, gemm->m, gemm->k, ranks, NULL, &to[0]));
        SCALAY_TRY(layout_of_map(gemm->map, gemm->k, gemm->n, ranks, NULL, &to[1]));
        SCALAY_TRY(layout_of_map(gemm->map, gemm->m, gemm->n, ranks, NULL, &to[2]));
    }
    for (int k = 0; k < 3; k++) {
        problem.from[k] = from[k];
        problem.to[k] = to[k];
    }
    SCALAY_TRY(assign_parts(&problem, process));
cleanup:
    for (int k = 0; k < 3; k++) {
        scalay_layout_destroy(&to[k]);
        scalay_layout_destroy(&from[k]);
    }
    return status;
}

/* The parts of the map are those of the layout of C. */
static void use_processes_of(scalay_gemm *gemm, const scalay_layout *c)
{
    for (int part = 0; part < scalay_owner_map_parts(gemm->map); part++)
        gemm->process[part] = scalay_layout_process_of_part(c, part);
}

/* A or B moves to the map, unless it stays. */
static scalay_status set_operand(const scalay_gemm *gemm, const scalay_gemm_request *r, int is_a,
                                 scalay_gemm_matrix *matrix)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    const scalay_layout *where = is_a ? r->a : r->b;
    const scalay_op op = is_a ? r->op_a : r->op_b;
    int stays = op == SCALAY_NO_TRANSPOSE && r->options->map == NULL && is_aligned_with_product(where, r->c, is_a);
    if (!stays) {
        SCALAY_TRY(layout_of_map(gemm->map, is_a ? gemm->m : gemm->k, is_a ? gemm->k : gemm->n, gemm->comm->size,
                                 gemm->process, &target));
        stays = op == SCALAY_NO_TRANSPOSE && scalay_layout_same_owners(where, target);
    }
    SCALAY_TRY(set_target(matrix, where, SCALAY_NO_TRANSPOSE, stays, &target));
cleanup:
    scalay_layout_destroy(&target);
    return status;
}

/* The result is computed on options->map, unless C has the owners of that map. */
static scalay_status set_result(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    if (r->options->map != NULL)
        SCALAY_TRY(layout_of_map(gemm->map, gemm->m, gemm->n, gemm->comm->size, gemm->process, &target));
    const int stays = target == NULL || scalay_layout_same_owners(r->c, target);
    SCALAY_TRY(set_target(&gemm->c, r->c, SCALAY_NO_TRANSPOSE, stays, &target));
cleanup:
    scalay_layout_destroy(&target);
    return status;
}

static scalay_status use_map(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(gemm->process, scalay_owner_map_parts(gemm->map)));
    if (r->options->map != NULL)
        SCALAY_TRY(choose_processes(gemm, r, gemm->process));
    else
        use_processes_of(gemm, r->c);
    SCALAY_TRY(set_operand(gemm, r, 1, &gemm->a));
    SCALAY_TRY(set_operand(gemm, r, 0, &gemm->b));
    SCALAY_TRY(set_result(gemm, r));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- on a grid */

static scalay_status use_grid(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_gemm_options *o = r->options;
    const scalay_layout *where[3] = {r->a, r->b, r->c};
    const scalay_op op[3] = {r->op_a, r->op_b, SCALAY_NO_TRANSPOSE};
    scalay_gemm_matrix *matrix[3] = {&gemm->a, &gemm->b, &gemm->c};
    scalay_layout *parts[3] = {NULL};
    scalay_layout *placed = NULL;
    int *process = NULL;
    assignment_problem problem = {
        .parts = o->nprow * o->npcol, .ranks = gemm->comm->size, .group = o->group, .objective = o->objective};
    const int64_t nb = o->nb > 0 ? o->nb : DEFAULT_BLOCK;
    for (int k = 0; k < 3; k++) {
        SCALAY_TRY(scalay_layout_block_cyclic(scalay_layout_rows(where[k]), scalay_layout_cols(where[k]), nb, nb,
                                              o->nprow, o->npcol, 0, 0, SCALAY_ROW_MAJOR, &parts[k]));
        problem.from[k] = where[k];
        problem.to[k] = parts[k];
    }
    SCALAY_TRY(SCALAY_NEW(process, problem.parts));
    SCALAY_TRY(assign_parts(&problem, process));
    for (int k = 0; k < 3; k++) {
        SCALAY_TRY(scalay_layout_relabel(parts[k], gemm->comm->size, process, &placed));
        const int stays = scalay_layout_fingerprint(where[k]) == scalay_layout_fingerprint(placed);
        SCALAY_TRY(set_target(matrix[k], where[k], op[k], stays, &placed));
    }
cleanup:
    scalay_layout_destroy(&placed);
    for (int k = 0; k < 3; k++) scalay_layout_destroy(&parts[k]);
    scalay_release(process);
    return status;
}

/* -------------------------------------------------------------------------------------- in the given layouts */

/* SUMMA is faster than p?gemm, but its plan takes time, so that p?gemm is faster in the first calls of a small product.
 * Seconds, measured on one node (docs/benchmarks.md). */
static const double summa_plan = 4e-4, summa_gain_per_call = 5e-6, typical_gain = 0.05, shortest_call = 2e-5;

/* Returns the largest number of indices of a class. */
static int64_t largest_share(const scalay_axis *axis)
{
    int64_t most = 0;
    for (int64_t class = 0; class < axis->classes; class ++)
        most = scalay_max_int64(most, scalay_axis_count(axis, class));
    return most;
}

/* Rows of A and columns of B in the panels of a process: those of C, if other processes have a part of them. */
static int64_t panel_lines(const scalay_layout *c)
{
    return (c->col.classes > 1 ? largest_share(&c->row) : 0) + (c->row.classes > 1 ? largest_share(&c->col) : 0);
}

/* Returns the width of the panels of SUMMA in the first calls of a product: two panels of a process take at most 512
 * KiB, or an eighth of its part of C. Wide ones gain 1 to 9%, but new memory for them can take as long as two calls
 * (docs/benchmarks-dropin.md). */
static int64_t narrow_panel(scalay_type type, const scalay_layout *c)
{
    const int64_t least_bytes = 512 << 10, part_of_c = 8, buffers = 2, narrowest = 64;
    const int64_t size = (int64_t)scalay_type_size(type), rows = largest_share(&c->row), cols = largest_share(&c->col);
    const int64_t limit = scalay_max_int64(least_bytes, rows * cols * size / part_of_c);
    int64_t width = SCALAY_SUMMA_WIDTH;
    while (width > narrowest && buffers * width * panel_lines(c) * size > limit) width /= 2;
    return width;
}

/* Returns the fraction of its time that a product gains by wider panels: less if the local arrays of C are narrow. */
static double gain_by_panels(const scalay_machine *machine, const scalay_layout *c, int64_t from, int64_t to)
{
    const int64_t narrowest = scalay_max_int64(1, scalay_min_int64(largest_share(&c->row), largest_share(&c->col)));
    if (machine->gemm_curve[0] == 0.0 || machine->seconds_per_flop == 0.0)
        return typical_gain * SCALAY_PBLAS_PANEL *
               fmax(0.0, 1.0 / (double)from - 1.0 / (double)scalay_min_int64(to, narrowest));
    const double own = scalay_machine_gemm_rate(machine, (double)scalay_min_int64(to, narrowest));
    return scalay_machine_gemm_rate(machine, (double)from) / own - 1.0;
}

/* Returns the seconds that a product gains because C is read and written for fewer panels. The curve does not have
 * them: it is measured for a C in the caches. */
static double gain_by_passes(const scalay_gemm *gemm, const scalay_machine *machine, const scalay_layout *c,
                             int64_t from, int64_t to)
{
    const double bytes =
        (double)largest_share(&c->row) * (double)largest_share(&c->col) * (double)scalay_type_size(gemm->type);
    return scalay_panel_passes_seconds(machine, bytes, gemm->k, from) -
           scalay_panel_passes_seconds(machine, bytes, gemm->k, to);
}

/* Time to read a byte of a matrix that stays in place, over that of copying one. Measured for matrices that exceed the
 * caches. */
static const double read_per_copy = 0.4;

/* What p?gemm does if A or B is much larger than C. It keeps that matrix in place, sends the other factor, and adds up
 * the results. It multiplies SCALAY_PBLAS_PANEL rows or columns of C at a time, and reads the matrix each time. */
typedef struct {
    double saved;      /* elements that a process receives in SUMMA, minus those that it receives in p?gemm */
    double read;       /* elements that a process reads in p?gemm, minus those that it reads in SUMMA */
    double unevenness; /* of the computation */
} kept_factor;

/* Returns the largest share of an axis times the number of shares. */
static double axis_unevenness(const scalay_axis *axis)
{
    const double most = (double)largest_share(axis), all = (double)axis->extent;
    return all > 0.0 ? most * (double)axis->classes / all : 1.0;
}

static double unevenness(const scalay_layout *layout)
{
    return axis_unevenness(&layout->row) * axis_unevenness(&layout->col);
}

/* SUMMA keeps C in place. saved is 0 if p?gemm does so, too. */
static kept_factor find_kept_factor(const scalay_gemm *gemm, const scalay_gemm_request *r)
{
    const double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
    const double p = (double)r->c->row.classes, q = (double)r->c->col.classes;
    const double rows = (p - 1) / p, cols = (q - 1) / q; /* parts of a column, and of a row, on other processes */
    const double keeps_c = m / p * k * cols + k * n / q * rows;
    const double keeps_a = k / q * n * rows + m / p * n * cols;
    const double keeps_b = m * k / p * cols + m * n / q * rows;
    const int is_a = keeps_a <= keeps_b;
    const double times = (is_a ? n : m) / SCALAY_PBLAS_PANEL, local = (is_a ? m : n) * k / (p * q);
    return (kept_factor){.saved = fmax(0.0, keeps_c - fmin(keeps_a, keeps_b)),
                         .read = fmax(0.0, times - 1.0) * local,
                         .unevenness = unevenness(is_a ? r->a : r->b)};
}

/* Adds the predicted seconds of messages that SUMMA saves between nodes. Within a node, it saves none. */
static scalay_status add_gain_by_messages(const scalay_gemm *gemm, const scalay_gemm_request *r,
                                          const scalay_machine *machine, double *gain)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_nodes nodes = {.processes = gemm->comm->size, .node = r->node};
    const scalay_multiply_options options = scalay_multiply_options_default();
    scalay_load_grid grid;
    scalay_gemm_cost cost;
    scalay_multiply_time time;
    scalay_owner_map *map = NULL;
    int *process = NULL;
    if (r->node == NULL || !scalay_layout_load_grid(r->c, &grid)) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_layout_owner_map(r->c, &map));
    SCALAY_TRY(SCALAY_NEW(process, r->c->parts));
    for (int part = 0; part < r->c->parts; part++) process[part] = scalay_layout_process_of_part(r->c, part);
    const scalay_summa_problem summa = {.c = r->c, .map = map, .k = gemm->k, .nodes = &nodes, .process = process};
    SCALAY_TRY(scalay_nodes_set_links(machine, &nodes, r->c, &grid));
    SCALAY_TRY(scalay_gemm_on_grid(machine, gemm->type, gemm->m, gemm->n, gemm->k, &grid, "scalay_model_gemm", &cost));
    SCALAY_TRY(scalay_summa_predict(machine, gemm->type, &summa, &options, &time));
    *gain += cost.message_seconds - (time.seconds - time.compute_seconds);
cleanup:
    scalay_release(process);
    scalay_owner_map_destroy(&map);
    return status;
}

/* Elements of the operands that a process moves because they are transposed. */
static double moved_elements(const scalay_gemm *gemm, const scalay_gemm_request *r)
{
    const double a = (double)gemm->m * (double)gemm->k / r->a->parts;
    const double b = (double)gemm->k * (double)gemm->n / r->b->parts;
    return (r->op_a != SCALAY_NO_TRANSPOSE ? a : 0.0) + (r->op_b != SCALAY_NO_TRANSPOSE ? b : 0.0);
}

/* Seconds of the plan of SUMMA, and of new memory for two panels, as many packed messages, and copies of operands that
 * are transposed. */
static double plan_seconds(const scalay_gemm *gemm, const scalay_gemm_request *r, int64_t panel, double of_page)
{
    const double page = r->page_seconds > 0.0 ? r->page_seconds : SCALAY_TYPICAL_PAGE_SECONDS;
    const int64_t panels = 4;
    const double elements =
        (double)(panels * scalay_min_int64(gemm->k, panel) * panel_lines(r->c)) + moved_elements(gemm, r);
    const double bytes = elements * (double)scalay_type_size(gemm->type);
    return summa_plan + of_page * page * scalay_bytes_of_shared_pages(page, bytes) / 4096.0;
}

/* Returns the seconds that SUMMA gains if operands are transposed. It moves them first. PBLAS adds up results, or
 * transposes panels: at least these fractions of its time, with 2 and 4 processes and orders of 512 to 2048. */
static double gain_by_transposes(const scalay_gemm *gemm, const scalay_gemm_request *r, double per_element,
                                 double seconds)
{
    const double of_a = 0.1, of_b = 0.3, of_both = 0.05;
    const int a_is_transposed = r->op_a != SCALAY_NO_TRANSPOSE, b_is_transposed = r->op_b != SCALAY_NO_TRANSPOSE;
    if ((!a_is_transposed && !b_is_transposed) || r->c->parts == 1) return 0.0;
    const double fraction = a_is_transposed && b_is_transposed ? of_both : a_is_transposed ? of_a : of_b;
    return fraction * seconds - per_element * moved_elements(gemm, r);
}

/* Returns the seconds that SUMMA with panels of a width gains over p?gemm in one call. */
static scalay_status gain_of_summa(const scalay_gemm *gemm, const scalay_gemm_request *r, const scalay_machine *machine,
                                   double seconds, int64_t panel, double *gain)
{
    const double per_element = (double)scalay_type_size(gemm->type) * machine->seconds_per_byte_copied;
    const kept_factor kept = find_kept_factor(gemm, r);
    *gain = summa_gain_per_call + gain_by_panels(machine, r->c, SCALAY_PBLAS_PANEL, panel) * seconds +
            gain_by_passes(gemm, machine, r->c, SCALAY_PBLAS_PANEL, panel) +
            gain_by_transposes(gemm, r, per_element, seconds);
    if (kept.saved <= 0.0) return add_gain_by_messages(gemm, r, machine, gain);
    *gain += per_element * (read_per_copy * kept.read - kept.saved) -
             fmax(0.0, unevenness(r->c) - kept.unevenness) * seconds;
    return SCALAY_SUCCESS;
}

/* Sets the width of the panels of SUMMA, and the calls before wide ones replace narrow ones. */
static void choose_panel(scalay_gemm *gemm, const scalay_gemm_request *r, const scalay_machine *machine, double seconds,
                         int64_t narrow)
{
    const double of_fresh_page = 8.0; /* memory that the host of a virtual machine has to give, over that at hand */
    const int64_t wide = SCALAY_SUMMA_WIDTH;
    const double gain =
        gain_by_panels(machine, r->c, narrow, wide) * seconds + gain_by_passes(gemm, machine, r->c, narrow, wide);
    const double before =
        scalay_calls_before_change(plan_seconds(gemm, r, wide, of_fresh_page), gain, fmax(seconds, shortest_call));
    const int is_narrow = narrow < wide && (double)r->calls < before;
    gemm->panel = is_narrow ? narrow : 0;
    gemm->calls_before_plan = is_narrow ? before : INFINITY;
}

/* Sets *in_place to 1 if p?gemm in the given layouts is predicted to be faster than SUMMA with its plan. Otherwise sets
 * the width of the panels. */
static scalay_status choose_in_place(scalay_gemm *gemm, const scalay_gemm_request *r, int *in_place)
{
    scalay_status status = SCALAY_SUCCESS;
    const double of_page = 1.3; /* pages of panels come one by one */
    const scalay_layout *const layout[] = {r->a, r->b, r->c};
    double gain = 0.0;
    *in_place = 0;
    if (!r->allows_in_place || r->options->map != NULL || r->options->nprow > 0) return SCALAY_SUCCESS;
    for (int k = 0; k < 3; k++)
        if (scalay_in_place_reason(layout[k]) != NULL || !scalay_in_place_same_grid(layout[k], r->c))
            return SCALAY_SUCCESS;
    const scalay_machine machine = scalay_machine_or_typical(scalay_gemm_request_machine(r));
    const double multiplications = (double)gemm->m * (double)gemm->n * (double)gemm->k / r->c->parts;
    const double seconds = 2.0 * multiplications * scalay_type_flop_weight(gemm->type) * machine.seconds_per_flop;
    const int64_t narrow = narrow_panel(gemm->type, r->c);
    SCALAY_TRY(gain_of_summa(gemm, r, &machine, seconds, narrow, &gain));
    gemm->calls_before_plan =
        scalay_calls_before_change(plan_seconds(gemm, r, narrow, of_page), gain, fmax(seconds, shortest_call));
    *in_place = (double)r->calls < gemm->calls_before_plan;
    if (!*in_place) choose_panel(gemm, r, &machine, seconds, narrow);
cleanup:
    return status;
}

static scalay_status stay(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *none = NULL;
    SCALAY_TRY(set_target(&gemm->a, r->a, r->op_a, 1, &none));
    SCALAY_TRY(set_target(&gemm->b, r->b, r->op_b, 1, &none));
    SCALAY_TRY(set_target(&gemm->c, r->c, SCALAY_NO_TRANSPOSE, 1, &none));
    gemm->in_place = 1;
    gemm->grid[0] = (int)r->c->row.classes;
    gemm->grid[1] = (int)r->c->col.classes;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- choice */

int scalay_gemm_starts_in_place(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    int in_place = 0;
    return check_request(gemm, r) == SCALAY_SUCCESS && choose_in_place(gemm, r, &in_place) == SCALAY_SUCCESS &&
           in_place;
}

scalay_status scalay_gemm_choose_targets(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_gemm_options *o = r->options;
    int in_place = 0;
    SCALAY_TRY(check_request(gemm, r));
    gemm->a.elements = scalay_layout_elements(r->a, gemm->comm->rank);
    gemm->b.elements = scalay_layout_elements(r->b, gemm->comm->rank);
    gemm->c.elements = scalay_layout_elements(r->c, gemm->comm->rank);
    gemm->calls_before_plan = INFINITY;
    if (gemm->m == 0 || gemm->n == 0) return SCALAY_SUCCESS;
    gemm->grid[0] = o->nprow;
    gemm->grid[1] = o->npcol;
    SCALAY_TRY(choose_in_place(gemm, r, &in_place));
    if (gemm->grid[0] > 0 || in_place) {
        SCALAY_TRY(in_place ? stay(gemm, r) : use_grid(gemm, r));
        SCALAY_TRY(scalay_layout_owner_map(gemm->c.target, &gemm->map));
        SCALAY_TRY(SCALAY_NEW(gemm->process, scalay_owner_map_parts(gemm->map)));
        use_processes_of(gemm, gemm->c.target);
    } else {
        SCALAY_TRY(o->map != NULL ? scalay_owner_map_resize(o->map, gemm->m, gemm->n, &gemm->map)
                                  : scalay_layout_owner_map(r->c, &gemm->map));
        SCALAY_TRY(use_map(gemm, r));
    }
cleanup:
    return status;
}
