/*
 * Factorisation objects: choice of the map, storage, moves, execution by the engine (engine.h).
 *
 * The engine works on tiles of an owner map, which is stored with ascending rows and columns
 * (scalay_layout_from_owner_map_ascending). If the layout of the caller has the same owners and the same order, the
 * engine works in the array of the caller. Otherwise a redistribution plan moves the matrix to a copy and back. The
 * upper Cholesky factor of A is the transpose of the lower factor of A^T, so the plan transposes.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/kept_memory.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "factor/engine.h"
#include "factor/factor.h"
#include "factor/vector.h"
#include "layout/layout.h"
#include "model/engine.h"
#include "model/machine.h"
#include "model/nodes.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "parallel/machine_numbers.h"
#include "parallel/machine_types.h"
#include "parallel/node.h"
#include "parallel/pieces.h"
#include "partition/owner_map.h"
#include "redist/piece_choice.h"
#include "scalay/factor.h"
#include "scalay/redist.h"

void scalay_factor_options_init(scalay_factor_options *options, size_t size)
{
    const scalay_factor_options defaults = {.size = sizeof defaults, .uplo = SCALAY_LOWER};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

struct scalay_factor {
    scalay_comm *comm;
    scalay_factor_kind kind;
    scalay_type type;
    scalay_layout *layout; /* of the caller */
    scalay_engine engine;
    scalay_plan *plan; /* between the layout and the arrays of the engine; NULL: in place */
    void *local;       /* arrays of the engine; NULL: in place, or given back */
    int64_t local_bytes;
    int64_t elements; /* of the caller's array on this rank */
    int k;            /* min(m, n) */
    double *speed;    /* shape [ranks] */
    scalay_owner_map *map;
    double predicted_kernel_seconds, predicted_move_seconds;
    scalay_factor_statistics statistics;
};

/* What a factorisation is made of, while it is made. */
typedef struct {
    const char *function;
    scalay_comm *comm;
    scalay_factor_kind kind;
    scalay_type type;
    const scalay_layout *layout;
    scalay_factor_options options;
    scalay_machine rates;     /* on several nodes: options.machine */
    double move_byte_seconds; /* likewise, of scalay_engine_problem */
    const int *node;          /* of scalay_node_of_ranks() */
    int64_t piece;            /* of scalay_engine_settings */
    double *speed;            /* shape [ranks]: positive */
    scalay_owner_map *owners; /* of the layout, parts are processes */
    scalay_owner_map *map;    /* on which the engine works */
    scalay_layout *arrays;    /* of the engine: the map (or its transpose) with ascending lines */
    scalay_engine_map tiles;
    int panels_together; /* -1: not chosen yet */
    int nb, stays, transposes;
} request;

/* --------------------------------------------------------------------------------------------------- checks */

static scalay_status check_speeds(const request *r, const double *speed)
{
    for (int p = 0; speed != NULL && p < r->comm->size; p++)
        if (!isfinite(speed[p]) || speed[p] <= 0)
            return scalay_fail(
                SCALAY_ERROR_ARGUMENT, r->function,
                "the speed of rank %d is %g; it must be finite and above 0. To leave a rank out, set map", p, speed[p]);
    return SCALAY_SUCCESS;
}

static scalay_status check_extents(const request *r)
{
    const int64_t m = scalay_layout_rows(r->layout), n = scalay_layout_cols(r->layout);
    const scalay_owner_map *map = r->options.map;
    if (m > INT_MAX / 2 || n > INT_MAX / 2)
        return scalay_fail(SCALAY_ERROR_RANGE, r->function, "the matrix is %lld x %lld; extents must be below 2^30",
                           (long long)m, (long long)n);
    if (r->kind == SCALAY_FACTOR_CHOLESKY && m != n)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function, "the matrix is %lld x %lld; it must be square",
                           (long long)m, (long long)n);
    if (map != NULL && (scalay_owner_map_rows(map) != m || scalay_owner_map_cols(map) != n))
        return scalay_fail(
            SCALAY_ERROR_MISMATCH, r->function, "map is %lld x %lld, but the matrix is %lld x %lld; they must be equal",
            (long long)scalay_owner_map_rows(map), (long long)scalay_owner_map_cols(map), (long long)m, (long long)n);
    if (scalay_layout_processes(r->layout) > r->comm->size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "layout has %d processes, but comm has %d ranks. Use a communicator with more ranks",
                           scalay_layout_processes(r->layout), r->comm->size);
    if (map != NULL && scalay_owner_map_parts(map) > r->comm->size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "map has %d parts, but comm has %d ranks. Use a communicator with more ranks",
                           scalay_owner_map_parts(map), r->comm->size);
    return SCALAY_SUCCESS;
}

static scalay_status check_request(const request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_factor_options *o = &r->options;
    SCALAY_TRY(scalay_check_not_null(r->layout, r->function, "layout"));
    if (r->kind < SCALAY_FACTOR_QR || r->kind > SCALAY_FACTOR_CHOLESKY)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "kind is %d; it must be SCALAY_FACTOR_QR, _LU or _CHOLESKY", (int)r->kind);
    if (scalay_engine_arithmetic_of(r->type) == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "type is %d; it must be SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE",
                           (int)r->type);
    if (r->kind == SCALAY_FACTOR_CHOLESKY && o->uplo != SCALAY_LOWER && o->uplo != SCALAY_UPPER)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function, "uplo is %d; it must be SCALAY_LOWER or SCALAY_UPPER",
                           (int)o->uplo);
    if ((int)o->placement < 0 || o->placement > SCALAY_PLACEMENT_MOVE)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function, "placement is %d; it must be a scalay_placement",
                           (int)o->placement);
    if ((int)o->panels < 0 || o->panels > SCALAY_PANELS_TOGETHER)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function, "panels is %d; it must be a scalay_factor_panels",
                           (int)o->panels);
    if (o->nb < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function, "nb is %d; it must be at least 1, or 0 to choose it",
                           o->nb);
    SCALAY_TRY(check_speeds(r, o->speeds));
    SCALAY_TRY(check_extents(r));
cleanup:
    return status;
}

static uint64_t add_doubles(uint64_t key, const double *x, int64_t count)
{
    for (int64_t k = 0; x != NULL && k < count; k++) {
        int64_t bits = 0;
        memcpy(&bits, &x[k], sizeof bits);
        key = scalay_fingerprint_add(key, bits);
    }
    return key;
}

/* Everything that the ranks must agree on. */
static uint64_t key_of(const request *r)
{
    const scalay_factor_options *o = &r->options;
    const int numbers[] = {(int)r->kind,   (int)r->type,   (int)o->uplo,      (int)o->placement, o->nb,
                           (int)o->panels, o->map != NULL, o->speeds != NULL, o->profile != NULL};
    uint64_t key = scalay_fingerprint_add_ints(scalay_fingerprint_start(), numbers, sizeof numbers / sizeof *numbers);
    key = scalay_fingerprint_add(key, (int64_t)scalay_layout_fingerprint(r->layout));
    key = add_doubles(key, o->speeds, r->comm->size);
    key = scalay_machine_fingerprint(key, o->machine);
    for (const char *c = o->transport; c != NULL && *c != '\0'; c++) key = scalay_fingerprint_add(key, *c);
    return scalay_owner_map_fingerprint(key, o->map);
}

/* --------------------------------------------------------------------------------------------------- speeds */

/* The speed of each processor of a profile at the size nearest to an equal share of the columns. */
static scalay_status read_speeds(const request *r, const scalay_profile *profile, double *speed)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t wanted = scalay_layout_cols(r->layout) / r->comm->size;
    int rank = 0;
    if (scalay_profile_processors(profile) != r->comm->size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "the profile has %lld processors; it must have one for each of the %d ranks",
                           (long long)scalay_profile_processors(profile), r->comm->size);
    for (int group = 0; group < scalay_profile_groups(profile); group++) {
        const int64_t *size = NULL, processors = scalay_profile_multiplicity(profile, group);
        const double *time = NULL;
        int64_t points = 0, best = 0;
        SCALAY_TRY(scalay_profile_points(profile, group, &points, &size, &time, NULL));
        for (int64_t k = 1; k < points; k++)
            if (llabs(size[k] - wanted) < llabs(size[best] - wanted)) best = k;
        for (int64_t p = 0; p < processors; p++)
            speed[rank++] = points > 0 && time[best] > 0 ? (double)size[best] / time[best] : 0;
    }
    SCALAY_TRY(check_speeds(r, speed));
cleanup:
    return status;
}

/* The file of SCALAY_PROFILE; NULL: none. */
static const char *profile_path(void)
{
    const char *path = getenv("SCALAY_PROFILE");
    return path != NULL && *path != '\0' ? path : NULL;
}

static scalay_status speeds_of_rank_0(const request *r, double *speed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *profile = NULL;
    if (r->options.profile != NULL) return read_speeds(r, r->options.profile, speed);
    if (profile_path() == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_profile_read(profile_path(), &profile));
    SCALAY_TRY(read_speeds(r, profile, speed));
cleanup:
    scalay_profile_destroy(&profile);
    return status;
}

/* The numbers of rank 0, so that all ranks choose alike. Equal speeds are not sent. */
static scalay_status find_speeds(request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = r->comm->size, asks = r->options.speeds == NULL && r->comm->rank == 0;
    scalay_agreement values = {.any = {asks && (r->options.profile != NULL || profile_path() != NULL)}};
    status = SCALAY_NEW(r->speed, ranks);
    for (int p = 0; status == SCALAY_SUCCESS && p < ranks; p++)
        r->speed[p] = r->options.speeds != NULL ? r->options.speeds[p] : 1;
    if (status == SCALAY_SUCCESS && asks) status = speeds_of_rank_0(r, r->speed);
    SCALAY_TRY(scalay_comm_agree_on(r->comm, status, &values));
    if (values.any[0]) SCALAY_TRY_MPI(MPI_Bcast(r->speed, ranks, MPI_DOUBLE, 0, r->comm->mpi));
cleanup:
    return status;
}

/* The rates of the machine that were kept, if the caller gives none. They are not measured here. On several nodes,
 * messages have the mean rates of a broadcast to all ranks. Collective. */
static scalay_status find_machine(request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine_numbers *numbers = NULL;
    scalay_nodes nodes = {.processes = r->comm->size};
    int64_t piece_bytes = INT64_MAX;
    if (r->options.machine == NULL) {
        SCALAY_TRY(scalay_machine_numbers_get(r->comm, 0, &numbers));
        if (numbers->source != SCALAY_NUMBERS_NONE) r->options.machine = &numbers->machine;
    }
    SCALAY_TRY(scalay_node_of_ranks(r->comm, &r->node));
    nodes.node = r->node;
    if (nodes.node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_piece_choose(r->comm, r->options.machine, &piece_bytes));
    r->piece = scalay_pieces_longest(piece_bytes, (int64_t)scalay_type_size(r->type));
    SCALAY_TRY(scalay_node_types_of_ranks(r->comm, &nodes.type));
    status = scalay_nodes_move_byte(r->options.machine, &nodes, &r->move_byte_seconds);
    if (status == SCALAY_SUCCESS) status = scalay_nodes_machine(r->options.machine, &nodes, &r->rates);
    SCALAY_TRY(scalay_comm_agree(r->comm, status));
    r->options.machine = &r->rates;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ map */

/* The owners of the layout, with processes as parts. */
static scalay_status find_owners(request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *parts = NULL;
    scalay_map_axis row = {0}, col = {0};
    int *owner = NULL;
    SCALAY_TRY(scalay_layout_owner_map(r->layout, &parts));
    const int64_t cells = parts->row.classes * parts->col.classes;
    SCALAY_TRY(SCALAY_NEW(owner, cells));
    for (int64_t c = 0; c < cells; c++) owner[c] = scalay_layout_process_of_part(r->layout, parts->owner[c]);
    row = parts->row;
    col = parts->col;
    parts->row = parts->col = (scalay_map_axis){0};
    SCALAY_TRY(scalay_owner_map_from_classes(r->function, &row, &col, r->comm->size, owner, &r->owners));
cleanup:
    scalay_release(owner);
    scalay_owner_map_destroy(&parts);
    return status;
}

static scalay_engine_problem problem_of(const request *r)
{
    return (scalay_engine_problem){.kind = r->kind,
                                   .type = r->type,
                                   .ranks = r->comm->size,
                                   .speed = r->speed,
                                   .machine = r->options.machine,
                                   .move_byte_seconds = r->move_byte_seconds,
                                   .panels_together = r->panels_together};
}

/* Chooses the tile extent, unless it is given, and the rule for panels on a given map. */
static scalay_status choose_extent(const request *r, const scalay_owner_map *map, scalay_engine_choice *best)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_problem problem = problem_of(r);
    *best = (scalay_engine_choice){.nb = r->options.nb};
    if (best->nb > 0) return scalay_engine_choose_panels(&problem, map, best->nb, best);
    for (int k = 0; scalay_engine_extent(k) > 0; k++) {
        scalay_engine_choice tried = {.nb = scalay_engine_map_extent(map, scalay_engine_extent(k))};
        if (tried.nb == best->nb) continue;
        SCALAY_TRY(scalay_engine_choose_panels(&problem, map, tried.nb, &tried));
        if (best->nb == 0 || tried.seconds < best->seconds) *best = tried;
    }
cleanup:
    return status;
}

/* Chooses the map, the tile extent and the rule for panels. r->map is r->owners if the matrix stays. */
static scalay_status choose_map(request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_factor_options *o = &r->options;
    const int64_t m = scalay_layout_rows(r->layout), n = scalay_layout_cols(r->layout);
    scalay_engine_choice stayed = {0}, moved = {0};
    SCALAY_TRY(find_owners(r));
    const scalay_engine_problem problem = problem_of(r);
    r->stays = o->placement == SCALAY_PLACEMENT_STAY || m == 0 || n == 0;
    if (r->stays || (o->map == NULL && o->placement == SCALAY_PLACEMENT_CHOOSE))
        SCALAY_TRY(choose_extent(r, r->owners, &stayed));
    if (!r->stays && o->map != NULL) {
        SCALAY_TRY(choose_extent(r, o->map, &moved));
        SCALAY_TRY(scalay_owner_map_resize(o->map, m, n, &moved.map));
    } else if (!r->stays) {
        SCALAY_TRY(scalay_engine_choose_map(&problem, m, n, o->nb, &moved));
        r->stays = o->placement == SCALAY_PLACEMENT_CHOOSE &&
                   moved.seconds + 2 * scalay_engine_predict_move(&problem, moved.map, 0) >= stayed.seconds;
    }
    const scalay_engine_choice *choice = r->stays ? &stayed : &moved;
    r->map = r->stays ? r->owners : moved.map;
    if (r->stays)
        r->owners = NULL;
    else
        moved.map = NULL;
    r->panels_together = choice->panels_together;
    r->nb = (int)scalay_min_int64(choice->nb, scalay_max_int64(1, scalay_max_int64(m, n)));
cleanup:
    scalay_owner_map_destroy(&moved.map);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- arrays */

/* The map of the tiles, with the tiles of the engine as cells. */
static scalay_status map_of_tiles(const scalay_engine_map *tiles, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0}, col = {0};
    for (int i = 0; i < tiles->tile_rows; i++)
        SCALAY_TRY(
            scalay_map_axis_add(&row, scalay_min_int64((int64_t)(i + 1) * tiles->nb, tiles->m), tiles->row.class[i]));
    for (int j = 0; j < tiles->tile_cols; j++)
        SCALAY_TRY(
            scalay_map_axis_add(&col, scalay_min_int64((int64_t)(j + 1) * tiles->nb, tiles->n), tiles->col.class[j]));
    row.classes = tiles->row.classes;
    col.classes = tiles->col.classes;
    status = scalay_owner_map_from_classes(__func__, &row, &col, tiles->processes, tiles->owner, map);
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    return status;
}

static int has_tiles(const scalay_engine_map *tiles)
{
    return tiles->tile_rows > 0 && tiles->tile_cols > 0;
}

/* Do all ranks share memory, unless the caller wants messages? The same on all ranks, after find_machine(). */
static int shares_memory(const request *r)
{
    const scalay_node *node = r->comm->node;
    const int is_by_messages = r->options.transport != NULL && strcmp(r->options.transport, "mpi") == 0;
    return !is_by_messages && r->comm->size > 1 && node->size == r->comm->size && node->has_windows;
}

/* Plans the engine. */
static scalay_status plan_engine(request *r, scalay_engine_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_settings settings = {.kind = r->kind,
                                             .element_size = (int)scalay_type_size(r->type),
                                             .panels_together = r->panels_together,
                                             .speed = r->speed,
                                             .node = r->node,
                                             .piece = r->piece,
                                             .shares_memory = shares_memory(r)};
    r->transposes = r->kind == SCALAY_FACTOR_CHOLESKY && r->options.uplo == SCALAY_UPPER;
    SCALAY_TRY(scalay_engine_map_create(r->map, NULL, r->comm->size, r->nb, r->transposes, &r->tiles));
    SCALAY_TRY(scalay_engine_plan_create(r->function, &settings, &r->tiles, r->comm->rank, plan));
cleanup:
    return status;
}

/* Makes the layout of the engine's arrays, once. A matrix that stays needs none: it has tables of all processes. */
static scalay_status make_arrays(request *r, const scalay_engine_map *tiles)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *map = NULL;
    if (r->arrays != NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(map_of_tiles(tiles, &map));
    SCALAY_TRY(scalay_layout_from_owner_map_ascending(map, &r->arrays));
cleanup:
    scalay_owner_map_destroy(&map);
    return status;
}

/* Do the lines of a subarray equal the tile rows (or tile columns) of a class? */
static int has_lines(const int64_t *line, int64_t lines, const int *tile, const int *at, int tiles, int nb)
{
    if (lines != at[tiles]) return 0;
    for (int t = 0; t < tiles; t++)
        for (int l = at[t]; l < at[t + 1]; l++)
            if (line[l] != (int64_t)tile[t] * nb + l - at[t]) return 0;
    return 1;
}

/*
 * Finds the arrays of the engine in a layout: sets offsets and leading dimensions of the classes.
 * @return SCALAY_SUCCESS; *found is 0 if the layout stores the elements of this rank in another order
 */
static scalay_status find_arrays(const scalay_layout *layout, scalay_engine_plan *plan, int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t subarrays = scalay_layout_subarray_count(layout, plan->process);
    int64_t *row = NULL, *col = NULL;
    *found = subarrays == plan->classes;
    if (!*found || subarrays == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(row, plan->map.m));
    SCALAY_TRY(SCALAY_NEW(col, plan->map.n));
    for (int64_t s = 0; s < subarrays && *found; s++) {
        scalay_subarray array;
        SCALAY_TRY(scalay_layout_subarray(layout, plan->process, s, &array));
        SCALAY_TRY(scalay_layout_subarray_indices(layout, plan->process, s, row, col));
        const int class_index = plan->class_of[col[0] / plan->map.nb];
        scalay_engine_class *class = &plan->class[class_index < 0 ? 0 : class_index];
        *found = class_index >= 0 && array.ld <= INT_MAX &&
                 has_lines(row, array.rows, class->row, class->row_at, class->rows, plan->map.nb) &&
                 has_lines(col, array.cols, class->col, class->col_at, class->cols, plan->map.nb);
        class->offset = array.offset;
        class->ld = (int)array.ld;
    }
cleanup:
    scalay_release(row);
    scalay_release(col);
    return status;
}

/* Finds the engine's arrays in the layout that is made for them. */
static scalay_status find_own_arrays(request *r, scalay_engine_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    int found = 0;
    SCALAY_TRY(make_arrays(r, &plan->map));
    SCALAY_TRY(find_arrays(r->arrays, plan, &found));
    if (!found)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function,
                             "internal error: the arrays of the map are not ascending; please report this");
cleanup:
    return status;
}

/* Decides whether the engine works in the array of the caller, and creates the engine. */
static scalay_status create_engine(request *r, scalay_factor *factor, int *in_place)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_plan plan = {0};
    SCALAY_TRY(choose_map(r));
    SCALAY_TRY(plan_engine(r, &plan));
    *in_place = !has_tiles(&plan.map);
    if (!*in_place && r->stays && !r->transposes) SCALAY_TRY(find_arrays(r->layout, &plan, in_place));
    SCALAY_TRY(scalay_engine_create(r->type, &plan, &factor->engine));
    /* another rank may not find its arrays: then this one uses a copy, too */
    if (!*in_place) SCALAY_TRY(find_own_arrays(r, &factor->engine.plan));
cleanup:
    scalay_engine_plan_free(&plan);
    return status;
}

/* Bytes of buffers of a move, the same on all ranks: a twentieth of the mean local array. More does not pay. */
static int64_t move_buffer(const request *r)
{
    const int64_t elements = scalay_layout_rows(r->layout) * scalay_layout_cols(r->layout) / r->comm->size;
    return scalay_max_int64(1 << 20, elements * (int64_t)scalay_type_size(r->type) / 20);
}

/* Plans the moves if a rank needs a copy. Collective. */
static scalay_status plan_moves(request *r, scalay_factor *factor, int in_place)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_options options = scalay_plan_options_default();
    scalay_plan_statistics statistics = {0};
    if (in_place) return SCALAY_SUCCESS;
    options.transport = r->options.transport;
    options.memory_bytes = move_buffer(r);
    status = find_own_arrays(r, &factor->engine.plan);
    if (status == SCALAY_SUCCESS) {
        const int64_t size = scalay_layout_local_size(r->arrays, r->comm->rank);
        factor->local_bytes = scalay_max_int64(size, 1) * (int64_t)scalay_type_size(r->type);
        status = scalay_factor_take_copy(r->function, factor);
    }
    SCALAY_TRY(scalay_comm_agree(r->comm, status));
    const scalay_plan_matrix matrix = {.source = r->layout,
                                       .target = r->arrays,
                                       .type = r->type,
                                       .op = r->transposes ? SCALAY_TRANSPOSE : SCALAY_NO_TRANSPOSE,
                                       .uplo = r->kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_LOWER : SCALAY_WHOLE};
    SCALAY_TRY(scalay_plan_create_many(r->comm, 1, &matrix, &options, &factor->plan));
    SCALAY_TRY(scalay_plan_get_statistics(factor->plan, &statistics));
    factor->statistics.volume = statistics.volume;
    factor->statistics.workspace_bytes += statistics.extra_bytes + statistics.plan_bytes;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ life cycle */

/* Records the choice; the map and the speeds of the request become those of the factorisation. */
static scalay_status describe(request *r, scalay_factor *factor)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_factor_statistics *s = &factor->statistics;
    const scalay_engine_problem problem = problem_of(r);
    s->processes = r->comm->size;
    s->stays = r->stays;
    s->nb = r->nb;
    for (int k = 0; k < factor->engine.plan.steps; k++) s->panels_together += factor->engine.plan.factorer[k] < 0;
    SCALAY_TRY(scalay_engine_balance(&problem, r->map, r->nb, &s->balance));
    SCALAY_TRY(scalay_engine_predict(&problem, r->map, r->nb, &factor->predicted_kernel_seconds));
    factor->predicted_move_seconds = scalay_engine_predict_move(&problem, r->map, r->stays);
    s->workspace_bytes = scalay_engine_workspace(&factor->engine.plan);
    factor->map = r->map;
    factor->speed = r->speed;
    r->map = NULL;
    r->speed = NULL;
cleanup:
    return status;
}

/* Records whether the matrix moves. */
static void describe_moves(scalay_factor *factor)
{
    scalay_factor_statistics *s = &factor->statistics;
    s->in_place = factor->plan == NULL;
    if (factor->plan == NULL) factor->predicted_move_seconds = 0;
    s->predicted_seconds = factor->predicted_kernel_seconds + 2 * factor->predicted_move_seconds;
}

static void free_request(request *r)
{
    scalay_release(r->speed);
    scalay_owner_map_destroy(&r->owners);
    scalay_owner_map_destroy(&r->map);
    scalay_layout_destroy(&r->arrays);
    scalay_engine_map_free(&r->tiles);
}

/* Everything that needs no communication, then the moves. Collective. */
static scalay_status build(request *r, scalay_factor *factor)
{
    scalay_status status = SCALAY_SUCCESS;
    int in_place = 0;
    SCALAY_TRY(find_speeds(r));
    SCALAY_TRY(find_machine(r));
    status = create_engine(r, factor, &in_place);
    if (status == SCALAY_SUCCESS) status = describe(r, factor);
    if (status == SCALAY_SUCCESS) status = scalay_layout_copy(r->layout, &factor->layout);
    scalay_agreement values = {.maximum = {!in_place}};
    SCALAY_TRY(scalay_comm_agree_on(r->comm, status, &values));
    SCALAY_TRY(plan_moves(r, factor, !values.maximum[0]));
    SCALAY_TRY(scalay_comm_agree(r->comm, scalay_engine_connect(&factor->engine, r->comm->mpi)));
    SCALAY_TRY(scalay_comm_agree(r->comm, scalay_engine_share_panels(&factor->engine, r->comm)));
    describe_moves(factor);
cleanup:
    return status;
}

scalay_status scalay_factor_create(scalay_comm *comm, scalay_factor_kind kind, const scalay_layout *layout,
                                   scalay_type type, const scalay_factor_options *options, scalay_factor **factor)
{
    scalay_status status = SCALAY_SUCCESS;
    request r = {.function = __func__, .comm = comm, .kind = kind, .type = type, .layout = layout};
    scalay_factor *new_factor = NULL;
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_check_not_null(factor, __func__, "factor"));
    *factor = NULL;
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    r.options = scalay_factor_options_default();
    status = scalay_option_struct_read(options, &r.options, sizeof r.options, __func__);
    if (status == SCALAY_SUCCESS) status = check_request(&r);
    r.panels_together = (int)r.options.panels - 1;
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(new_factor, 1);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    new_factor->engine.mpi = MPI_COMM_NULL;
    new_factor->comm = scalay_comm_retain(comm);
    new_factor->kind = kind;
    new_factor->type = type;
    new_factor->elements = scalay_layout_elements(layout, comm->rank);
    new_factor->k = (int)scalay_min_int64(scalay_layout_rows(layout), scalay_layout_cols(layout));
    SCALAY_TRY(scalay_comm_agree_value(comm, key_of(&r), __func__, "kind, layout, type or options"));
    SCALAY_TRY(build(&r, new_factor));
    new_factor->statistics.create_seconds = MPI_Wtime() - began;
    *factor = new_factor;
    new_factor = NULL;
cleanup:
    scalay_factor_destroy(&new_factor);
    free_request(&r);
    return status;
}

void scalay_factor_destroy(scalay_factor **factor)
{
    if (factor == NULL || *factor == NULL) return;
    scalay_factor *old_factor = *factor;
    *factor = NULL;
    scalay_engine_free(&old_factor->engine);
    scalay_plan_destroy(&old_factor->plan);
    scalay_layout_destroy(&old_factor->layout);
    scalay_comm_destroy(&old_factor->comm);
    scalay_owner_map_destroy(&old_factor->map);
    scalay_release(old_factor->speed);
    scalay_factor_give_copy(old_factor);
    scalay_release(old_factor);
}

scalay_status scalay_factor_take_copy(const char *function, scalay_factor *factor)
{
    if (factor == NULL || factor->local_bytes == 0 || factor->local != NULL) return SCALAY_SUCCESS;
    factor->local = scalay_kept_memory_take(factor->local_bytes);
    if (factor->local == NULL) return scalay_no_memory(function, "the copy of the matrix", factor->local_bytes, 1);
    return SCALAY_SUCCESS;
}

void scalay_factor_give_copy(scalay_factor *factor)
{
    if (factor == NULL) return;
    scalay_kept_memory_give(factor->local);
    factor->local = NULL;
}

/* ------------------------------------------------------------------------------------------------- execution */

static scalay_status move(scalay_factor *factor, void *a, scalay_direction direction, double *seconds)
{
    const scalay_operands operands = {.a = a, .b = factor->local};
    const double began = MPI_Wtime();
    const scalay_status status =
        factor->plan != NULL ? scalay_plan_execute_with(factor->plan, direction, &operands) : SCALAY_SUCCESS;
    *seconds = MPI_Wtime() - began;
    return status;
}

static scalay_status check_info(const scalay_factor *factor, int *info)
{
    const int value = factor->engine.info;
    if (info != NULL) *info = value;
    if (info != NULL || value == 0) return SCALAY_SUCCESS;
    if (factor->kind == SCALAY_FACTOR_LU)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_factor_execute",
                           "U(%d, %d) is exactly zero: the matrix is singular. Pass info to continue", value, value);
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_factor_execute",
                       "the leading minor of order %d is not positive definite. Pass info to continue", value);
}

scalay_status scalay_factor_execute(scalay_factor *factor, void *a, int *info)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(factor, __func__, "factor"));
    if (factor->elements > 0) SCALAY_TRY(scalay_check_not_null(a, __func__, "a"));
    scalay_factor_statistics *s = &factor->statistics;
    const scalay_engine_statistics *e = &factor->engine.statistics;
    SCALAY_TRY(move(factor, a, SCALAY_FORWARD, &s->move_seconds));
    SCALAY_TRY(scalay_engine_execute(&factor->engine, factor->plan != NULL ? factor->local : a));
    SCALAY_TRY(move(factor, a, SCALAY_BACKWARD, &s->back_seconds));
    s->kernel_seconds = e->seconds;
    s->panel_seconds = e->panel_seconds;
    s->wait_seconds = e->wait_seconds;
    s->messages = e->messages;
    s->bytes = e->bytes;
    SCALAY_TRY(check_info(factor, info));
cleanup:
    /* A rank that fails in a move does not come to the engine, where others read its panels. */
    if (status == SCALAY_ERROR_MPI) scalay_engine_give_up(&factor->engine);
    return status;
}

/* --------------------------------------------------------------------------------------------------- results */

static scalay_status check_vector(const scalay_factor *factor, const void *vector, const char *function,
                                  const char *name)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(factor, function, "factor"));
    if (factor->kind == SCALAY_FACTOR_CHOLESKY)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "factor is a Cholesky factorisation; it must be QR (tau) or LU (pivots)");
    if (factor->k > 0) SCALAY_TRY(scalay_check_not_null(vector, function, name));
cleanup:
    return status;
}

/* Copies entry k, as LAPACK has it. */
static void copy_entry(const scalay_factor *factor, int k, int64_t at, int offset, void *vector)
{
    const scalay_engine *engine = &factor->engine;
    if (factor->kind == SCALAY_FACTOR_LU)
        ((int *)vector)[at] = engine->pivot[k] + 1 + offset;
    else
        memcpy((char *)vector + engine->size * at, engine->tau + engine->size * k, (size_t)engine->size);
}

scalay_status scalay_factor_get_vector(const scalay_factor *factor, void *all)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_vector(factor, all, __func__, "all"));
    for (int k = 0; k < factor->k; k++) copy_entry(factor, k, k, 0, all);
cleanup:
    return status;
}

scalay_status scalay_factor_get_local_vector(const scalay_factor *factor, void *vector)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(factor, __func__, "factor"));
    if (!scalay_layout_is_grid(factor->layout))
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                           "the layout is not block-cyclic; use scalay_factor_get_vector(), which returns all entries");
    const scalay_kernel_kind kind = factor->kind == SCALAY_FACTOR_QR ? SCALAY_GEQRF : SCALAY_GETRF;
    const scalay_layout *layout = factor->layout;
    const int rank = factor->comm->rank, class = scalay_vector_class(kind, layout, rank);
    const scalay_axis *axis = scalay_vector_axis(kind, layout);
    if (class < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(check_vector(factor, vector, __func__, "vector"));
    for (int k = 0; k < factor->k; k++)
        if (scalay_axis_class(axis, k) == class)
            copy_entry(factor, k, scalay_axis_local_index(axis, k), (int)layout->row.first, vector);
cleanup:
    return status;
}

scalay_status scalay_factor_get_statistics(const scalay_factor *factor, scalay_factor_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(factor, __func__, "factor"));
    SCALAY_TRY(scalay_check_not_null(statistics, __func__, "statistics"));
    *statistics = factor->statistics;
cleanup:
    return status;
}

scalay_factor_choice scalay_factor_get_choice(const scalay_factor *factor)
{
    return (scalay_factor_choice){factor->map, factor->speed, factor->predicted_kernel_seconds,
                                  factor->predicted_move_seconds};
}

/* ------------------------------------------------------------------------------------------------- prediction */

/* Is the array of the caller used in place, if the matrix stays? Of a grid: blocks are tiles. */
static int is_in_place(const request *r)
{
    const scalay_axis *row = &r->layout->row, *col = &r->layout->col;
    return r->stays && scalay_layout_is_grid(r->layout) && row->block % r->nb == 0 && col->block % r->nb == 0 &&
           row->first % r->nb == 0 && col->first % r->nb == 0 && r->options.uplo != SCALAY_UPPER;
}

/* The mean speed over the smallest one. */
static double slowdown_of(const request *r)
{
    double sum = 0, least = r->speed[0];
    for (int p = 0; p < r->comm->size; p++) {
        sum += r->speed[p];
        least = fmin(least, r->speed[p]);
    }
    return sum / r->comm->size / least;
}

static scalay_status predict(request *r, scalay_factor_prediction *prediction)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(choose_map(r));
    const scalay_engine_problem problem = problem_of(r); /* with the rule for panels that was chosen */
    prediction->nb = r->nb;
    prediction->is_copied = !is_in_place(r);
    SCALAY_TRY(scalay_engine_predict(&problem, r->map, r->nb, &prediction->seconds));
    if (prediction->is_copied) prediction->seconds += 2 * scalay_engine_predict_move(&problem, r->map, r->stays);
cleanup:
    return status;
}

scalay_status scalay_factor_predict(const char *function, scalay_comm *comm, scalay_factor_kind kind,
                                    const scalay_layout *layout, scalay_type type, const scalay_factor_options *options,
                                    double least_slowdown, scalay_factor_prediction *prediction)
{
    scalay_status status = SCALAY_SUCCESS;
    request r = {.function = function,
                 .comm = comm,
                 .kind = kind,
                 .type = type,
                 .layout = layout,
                 .options = *options,
                 .panels_together = -1};
    *prediction = (scalay_factor_prediction){0};
    SCALAY_TRY(find_speeds(&r));
    prediction->slowdown = slowdown_of(&r);
    if (prediction->slowdown <= least_slowdown) goto cleanup;
    SCALAY_TRY(find_machine(&r));
    SCALAY_TRY(scalay_comm_agree(comm, predict(&r, prediction)));
cleanup:
    free_request(&r);
    return status;
}
