/* Life cycle and main loop of the engine, and the row swaps left of the panels (LU). */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "factor/engine.h"
#include "parallel/comm.h"
#include "parallel/requests.h"

/* ----------------------------------------------------------------------------------------------- life cycle */

static scalay_status allocate_panel(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    SCALAY_TRY(SCALAY_NEW(panel->row, (int64_t)plan->panel_rows_capacity + 1));
    SCALAY_TRY(SCALAY_NEW(panel->row_at, (int64_t)plan->panel_rows_capacity + 1));
    SCALAY_TRY(SCALAY_NEW(panel->packed, engine->size * plan->packed_capacity));
    SCALAY_TRY(SCALAY_NEW(panel->arrivals, engine->size * plan->arrival_capacity));
    SCALAY_TRY(SCALAY_NEW(panel->stream, plan->stream_capacity));
    SCALAY_TRY(SCALAY_NEW(panel->arrival, plan->stream_capacity));
    SCALAY_TRY(SCALAY_NEW(panel->receive_at, (int64_t)plan->stream_capacity + 1));
    SCALAY_TRY(SCALAY_NEW(panel->passed, plan->stream_capacity));
    SCALAY_TRY(scalay_requests_create(plan->receive_capacity, &panel->receive));
    SCALAY_TRY(scalay_requests_create(plan->send_capacity, &panel->send));
cleanup:
    return status;
}

scalay_status scalay_engine_allocate_panels(scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int n = 0; n < 2; n++) SCALAY_TRY(SCALAY_NEW(engine->panel[n].v, engine->size * engine->plan.panel_capacity));
cleanup:
    return status;
}

/* Requests of an exchange, or of the swaps in a tile column: one per peer and direction, and one per full piece. */
static int64_t exchange_requests(const scalay_engine_plan *plan)
{
    const int64_t copies = plan->column_classes == 1 ? plan->peers : 1; /* of results, which are packed once */
    const int64_t contributions = plan->out_capacity + plan->in_capacity;
    const int64_t results = copies * plan->result_out_capacity + plan->result_in_capacity;
    const int64_t most = scalay_max_int64(scalay_max_int64(contributions, results), 2 * plan->panel_capacity);
    return 2 * (int64_t)plan->peers + most / plan->settings.piece;
}

static scalay_status allocate_exchange(scalay_engine *engine, scalay_engine_exchange *x)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    SCALAY_TRY(SCALAY_NEW(x->block, engine->size * plan->block_capacity));
    SCALAY_TRY(SCALAY_NEW(x->block_at, (int64_t)plan->classes + 1));
    SCALAY_TRY(SCALAY_NEW(x->out, engine->size * plan->out_capacity));
    SCALAY_TRY(SCALAY_NEW(x->in, engine->size * plan->in_capacity));
    SCALAY_TRY(SCALAY_NEW(x->result_out, engine->size * plan->result_out_capacity));
    SCALAY_TRY(SCALAY_NEW(x->result_in, engine->size * plan->result_in_capacity));
    SCALAY_TRY(SCALAY_NEW(x->in_at, (int64_t)plan->peers + 1));
    SCALAY_TRY(SCALAY_NEW(x->result_in_at, (int64_t)plan->peers + 1));
    SCALAY_TRY(scalay_requests_create(exchange_requests(plan), &x->request));
    SCALAY_TRY(scalay_requests_create(exchange_requests(plan), &x->result_request));
cleanup:
    return status;
}

static scalay_status allocate_moves(scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_moves *moves = &engine->moves;
    const int64_t nb = engine->plan.map.nb, classes = engine->plan.classes, m = engine->plan.map.m;
    if (engine->plan.settings.kind != SCALAY_FACTOR_LU) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(moves->from, nb));
    SCALAY_TRY(SCALAY_NEW(moves->to, nb));
    SCALAY_TRY(SCALAY_NEW(moves->top, nb));
    SCALAY_TRY(SCALAY_NEW(moves->touched, m));
    SCALAY_TRY(SCALAY_NEW(moves->own_index, classes * nb));
    SCALAY_TRY(SCALAY_NEW(moves->own_place, classes * nb));
    SCALAY_TRY(SCALAY_NEW(moves->own_count, classes));
    SCALAY_TRY(SCALAY_NEW(moves->local_to, classes * nb));
    SCALAY_TRY(SCALAY_NEW(moves->local_top, classes * nb));
    SCALAY_TRY(SCALAY_NEW(moves->local_count, classes));
    SCALAY_TRY(SCALAY_NEW(engine->source, m));
    SCALAY_TRY(SCALAY_NEW(engine->target, m));
    for (int i = 0; i < m; i++) moves->touched[i] = i;
cleanup:
    return status;
}

static MPI_Datatype datatype_of(scalay_type type)
{
    switch (type) {
    case SCALAY_FLOAT:
        return MPI_FLOAT;
    case SCALAY_DOUBLE:
        return MPI_DOUBLE;
    case SCALAY_COMPLEX_FLOAT:
        return MPI_C_FLOAT_COMPLEX;
    default:
        return MPI_C_DOUBLE_COMPLEX;
    }
}

static int64_t max_class_rows(const scalay_engine_plan *plan)
{
    int64_t rows = 0;
    for (int n = 0; n < plan->classes; n++)
        if (plan->class[n].row_at[plan->class[n].rows] > rows) rows = plan->class[n].row_at[plan->class[n].rows];
    return rows;
}

static scalay_status allocate_scratch(scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    const scalay_factor_kind kind = plan->settings.kind;
    const int together = scalay_engine_factors_together(plan), swaps = kind == SCALAY_FACTOR_LU;
    const int64_t nb = plan->map.nb, lines = (int64_t)plan->steps * nb;
    const int64_t reduced = together ? scalay_engine_panel_work((int)nb, (size_t)engine->size) : 0;
    const int64_t inverse = kind == SCALAY_FACTOR_CHOLESKY ? engine->size * nb * nb : 0;
    SCALAY_TRY(SCALAY_NEW(engine->gathered, engine->size * plan->gathered_capacity));
    SCALAY_TRY(SCALAY_NEW(engine->columns, engine->size * plan->columns_capacity));
    SCALAY_TRY(SCALAY_NEW(engine->work, scalay_max_int64(reduced, inverse)));
    SCALAY_TRY(SCALAY_NEW(engine->received, reduced));
    SCALAY_TRY(SCALAY_NEW(engine->owner, plan->owner_capacity));
    SCALAY_TRY(SCALAY_NEW(engine->line, together || swaps ? max_class_rows(plan) : 0));
    SCALAY_TRY(SCALAY_NEW(engine->source_row, swaps ? max_class_rows(plan) : 0));
    for (int n = 0; n < 2; n++) SCALAY_TRY(SCALAY_NEW(engine->list[n], nb));
    SCALAY_TRY(SCALAY_NEW(engine->panel_pivot, nb));
    SCALAY_TRY(SCALAY_NEW(engine->pivot, swaps ? lines : 0));
    SCALAY_TRY(SCALAY_NEW(engine->tau, kind == SCALAY_FACTOR_QR ? engine->size * lines : 0));
cleanup:
    return status;
}

scalay_status scalay_engine_create(scalay_type type, scalay_engine_plan *plan, scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    *engine = (scalay_engine){.plan = *plan, .op = scalay_engine_arithmetic_of(type), .mpi = MPI_COMM_NULL};
    *plan = (scalay_engine_plan){0};
    engine->size = (int64_t)engine->op->size;
    engine->datatype = datatype_of(type);
    if (engine->plan.steps == 0) return SCALAY_SUCCESS;
    for (int n = 0; n < 2; n++) SCALAY_TRY(allocate_panel(engine, &engine->panel[n]));
    if (!scalay_engine_shares_panels(&engine->plan)) SCALAY_TRY(scalay_engine_allocate_panels(engine));
    for (int n = 0; n < engine->plan.exchanges; n++) SCALAY_TRY(allocate_exchange(engine, &engine->exchange[n]));
    SCALAY_TRY(allocate_moves(engine));
    SCALAY_TRY(allocate_scratch(engine));
cleanup:
    return status;
}

scalay_status scalay_engine_connect(scalay_engine *engine, MPI_Comm mpi)
{
    scalay_status status = SCALAY_SUCCESS;
    engine->mpi_failures = scalay_mpi_failures();
    SCALAY_TRY_MPI(MPI_Comm_dup(mpi, &engine->mpi));
    SCALAY_TRY_MPI(MPI_Comm_set_errhandler(engine->mpi, MPI_ERRORS_RETURN));
cleanup:
    return status;
}

/* Returns 1 if MPI no longer uses the memory of the engine. Exchanges mix sends and receives. */
static int abandon_requests(scalay_engine *engine)
{
    const scalay_engine_plan *plan = &engine->plan;
    const int64_t receives = plan->receive_capacity, requests = plan->exchanges > 0 ? exchange_requests(plan) : 0;
    int is_unused = !engine->is_unsafe;
    for (int n = 0; n < 2; n++) {
        is_unused &= scalay_requests_abandon(receives, receives, engine->panel[n].receive);
        is_unused &= scalay_requests_abandon(plan->send_capacity, 0, engine->panel[n].send);
    }
    for (int n = 0; n < plan->exchanges; n++) {
        is_unused &= scalay_requests_abandon(requests, 0, engine->exchange[n].request);
        is_unused &= scalay_requests_abandon(requests, 0, engine->exchange[n].result_request);
    }
    return is_unused;
}

static void free_exchange(int is_unused, scalay_engine_exchange *x)
{
    void *const array[] = {x->block,     x->block_at, x->out,          x->in,      x->result_out,
                           x->result_in, x->in_at,    x->result_in_at, x->request, x->result_request};
    for (size_t n = 0; n < sizeof array / sizeof array[0]; n++) scalay_requests_release(is_unused, array[n]);
}

static void free_panel(int is_unused, scalay_engine_panel *panel)
{
    void *const array[] = {panel->row,      panel->row_at,  panel->v,       panel->packed,
                           panel->arrivals, panel->stream,  panel->arrival, panel->receive_at,
                           panel->passed,   panel->receive, panel->send};
    for (size_t n = 0; n < sizeof array / sizeof array[0]; n++) scalay_requests_release(is_unused, array[n]);
}

void scalay_engine_free(scalay_engine *engine)
{
    const scalay_engine_moves *moves = &engine->moves;
    const int is_whole = engine->mpi_failures == scalay_mpi_failures();
    const int is_unused = is_whole || abandon_requests(engine);
    void *const array[] = {moves->from,      moves->to,          moves->top,          moves->touched,
                           moves->own_index, moves->own_place,   moves->own_count,    moves->local_to,
                           moves->local_top, moves->local_count, engine->source,      engine->target,
                           engine->gathered, engine->columns,    engine->work,        engine->received,
                           engine->owner,    engine->line,       engine->list[0],     engine->list[1],
                           engine->pivot,    engine->tau,        engine->panel_pivot, engine->source_row};
    for (size_t n = 0; n < sizeof array / sizeof array[0]; n++) scalay_requests_release(is_unused, array[n]);
    for (int n = 0; n < 2; n++) {
        if (engine->shared.window.exists) engine->panel[n].v = NULL; /* part of the window */
        free_panel(is_unused, &engine->panel[n]);
    }
    scalay_shared_window_free(&engine->shared.window);
    for (int n = 0; n < 3; n++) free_exchange(is_unused, &engine->exchange[n]);
    scalay_engine_plan_free(&engine->plan);
    if (engine->op != NULL && engine->mpi != MPI_COMM_NULL && is_whole) (void)MPI_Comm_free(&engine->mpi);
    *engine = (scalay_engine){.mpi = MPI_COMM_NULL};
}

/* ------------------------------------------------------------------------------------ swaps left of the panels */

/* Adds the swaps of panel k before those composed so far: row i gets row source[i]; row i goes to row target[i]. */
static void add_swaps(scalay_engine *engine, int k)
{
    const int first = k * engine->plan.map.nb, w = scalay_engine_panel_width(&engine->plan, k);
    for (int i = first + w - 1; i >= first; i--) {
        const int other = engine->pivot[i], target = engine->target[i];
        engine->target[i] = engine->target[other];
        engine->target[other] = target;
        engine->source[engine->target[i]] = i;
        engine->source[engine->target[other]] = other;
    }
}

/* The local row of a global row in a class; -1: another process has it. */
static int local_row(const scalay_engine_plan *plan, const scalay_engine_class *class, int row)
{
    const int tile = scalay_engine_find(class->row, class->rows, row / plan->map.nb);
    if (tile == class->rows || class->row[tile] != row / plan->map.nb) return -1;
    return class->row_at[tile] + row % plan->map.nb;
}

/* Rows of tile column j that two processes exchange, in the order of their targets: those in `from` that go to `to`. */
static int list_swapped(const scalay_engine *engine, int j, int from, int to, int *row)
{
    const scalay_engine_map *map = &engine->plan.map;
    int rows = 0;
    for (int i = (j + 1) * map->nb; i < map->m; i++) {
        const int source = engine->source[i];
        if (source == i || scalay_engine_owner(map, i / map->nb, j) != to) continue;
        if (scalay_engine_owner(map, source / map->nb, j) == from) row[rows++] = i;
    }
    return rows;
}

/* Sends rows of tile column j to its other owners, and posts the receives; panel buffers hold what travels. */
static scalay_status send_swapped(scalay_engine *engine, int j, const scalay_engine_class *class, char *a, char **out,
                                  char *in, MPI_Request *request, int *requests)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    const scalay_engine_column_class *owners = &plan->column_class[plan->column_class_of[plan->map.col.class[j]]];
    const int width = scalay_engine_breadth(&plan->map, j);
    for (int o = 0; o < owners->owners; o++) {
        const int other = owners->owner[o].process;
        if (other == plan->process) continue;
        int rows = list_swapped(engine, j, other, plan->process, engine->line);
        if (rows > 0)
            SCALAY_TRY(scalay_engine_receive(engine, in, (int64_t)rows * width, other, SCALAY_ENGINE_SWAP, j, request,
                                             requests));
        in += engine->size * rows * width;
        rows = list_swapped(engine, j, plan->process, other, engine->line);
        for (int n = 0; n < rows; n++) engine->line[n] = local_row(plan, class, engine->source[engine->line[n]]);
        engine->op->copy_rows(rows, width, engine->line, a, class->ld, NULL, *out, rows);
        if (rows > 0)
            SCALAY_TRY(scalay_engine_send(engine, *out, (int64_t)rows * width, other, SCALAY_ENGINE_SWAP, j, request,
                                          requests));
        *out += engine->size * rows * width;
    }
cleanup:
    return status;
}

static void place_swapped(scalay_engine *engine, int j, const scalay_engine_class *class, char *a, const char *in)
{
    const scalay_engine_plan *plan = &engine->plan;
    const scalay_engine_column_class *owners = &plan->column_class[plan->column_class_of[plan->map.col.class[j]]];
    const int width = scalay_engine_breadth(&plan->map, j);
    for (int o = 0; o < owners->owners; o++) {
        if (owners->owner[o].process == plan->process) continue;
        const int rows = list_swapped(engine, j, owners->owner[o].process, plan->process, engine->line);
        for (int n = 0; n < rows; n++) engine->line[n] = local_row(plan, class, engine->line[n]);
        engine->op->copy_rows(rows, width, NULL, in, rows, engine->line, a, class->ld);
        in += engine->size * rows * width;
    }
}

/* Swaps the rows of tile column j below its diagonal tile: rows that stay on this process through a copy. */
static scalay_status swap_tile_column(scalay_engine *engine, int j)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    const scalay_engine_class *class = &plan->class[plan->class_of[j]];
    const int width = scalay_engine_breadth(&plan->map, j);
    char *a = scalay_engine_element(engine, class, 0, class->col_at[plan->place_of[j]]);
    char *out = engine->panel[0].v, *in = engine->panel[1].v;
    MPI_Request *request = engine->exchange[0].request;
    int requests = 0;
    SCALAY_TRY(send_swapped(engine, j, class, a, &out, in, request, &requests));
    const int stay = list_swapped(engine, j, plan->process, plan->process, engine->line);
    for (int n = 0; n < stay; n++) engine->source_row[n] = local_row(plan, class, engine->source[engine->line[n]]);
    engine->op->copy_rows(stay, width, engine->source_row, a, class->ld, NULL, out, stay);
    for (int n = 0; n < stay; n++) engine->source_row[n] = local_row(plan, class, engine->line[n]);
    SCALAY_TRY(scalay_engine_wait(engine, requests, request));
    engine->op->copy_rows(stay, width, NULL, out, stay, engine->source_row, a, class->ld);
    place_swapped(engine, j, class, a, in);
cleanup:
    return status;
}

scalay_status scalay_engine_swap_left(scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    for (int i = 0; i < plan->map.m; i++) engine->source[i] = engine->target[i] = i;
    for (int j = plan->steps - 2; j >= 0; j--) {
        add_swaps(engine, j + 1);
        if (plan->class_of[j] >= 0) SCALAY_TRY(swap_tile_column(engine, j));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- execution */

static scalay_status run_steps(scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    const int last = plan->map.tile_cols - 1;
    SCALAY_TRY(scalay_engine_start_panel(engine, 0));
    for (int k = 0; k < plan->steps; k++) {
        SCALAY_TRY(scalay_engine_finish_panel(engine, k));
        const int width = scalay_engine_panel_width(plan, k), is_part = width < scalay_engine_breadth(&plan->map, k);
        const int has_rows = engine->panel[k % 2].state == SCALAY_PANEL_READY;
        if (plan->settings.kind == SCALAY_FACTOR_LU && has_rows) scalay_engine_find_moves(engine, k);
        scalay_engine_range rest = {is_part ? k : k + 1, last, is_part ? width : 0};
        if (k + 1 < plan->steps) {
            if (has_rows) SCALAY_TRY(scalay_engine_update(engine, k, (scalay_engine_range){k + 1, k + 1, 0}));
            SCALAY_TRY(scalay_engine_start_panel(engine, k + 1));
            rest.first = k + 2;
        }
        if (has_rows) SCALAY_TRY(scalay_engine_update(engine, k, rest));
        scalay_engine_finish_step(engine, k);
    }
    for (int n = 0; n < 2; n++) SCALAY_TRY(scalay_engine_empty_panel(engine, &engine->panel[n]));
cleanup:
    for (int n = 0; n < 2; n++) {
        engine->panel[n].sends = engine->panel[n].is_factored = 0;
        engine->panel[n].state = SCALAY_PANEL_EMPTY;
    }
    if (status != SCALAY_SUCCESS) scalay_engine_give_up(engine);
    scalay_engine_return_slots(engine);
    engine->shared.executions++;
    return status;
}

/* Makes pivots, tau and info known to every process. */
static scalay_status share_results(scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_plan *plan = &engine->plan;
    const int lines = plan->map.m < plan->map.n ? plan->map.m : plan->map.n;
    int least = engine->info > 0 ? -engine->info : -INT32_MAX;
    if (plan->settings.kind == SCALAY_FACTOR_LU)
        SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, engine->pivot, lines, MPI_INT, MPI_MAX, engine->mpi));
    if (plan->settings.kind == SCALAY_FACTOR_QR)
        SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, engine->tau, lines, engine->datatype, MPI_SUM, engine->mpi));
    else
        SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MAX, engine->mpi));
    engine->info = least > -INT32_MAX ? -least : 0;
cleanup:
    return status;
}

scalay_status scalay_engine_execute(scalay_engine *engine, void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t lines = (int64_t)engine->plan.steps * engine->plan.map.nb;
    const double began = MPI_Wtime();
    engine->a = a;
    engine->info = 0;
    engine->statistics = (scalay_engine_statistics){0};
    if (engine->plan.steps == 0) return SCALAY_SUCCESS;
    for (int64_t i = 0; i < lines && engine->plan.settings.kind == SCALAY_FACTOR_LU; i++) engine->pivot[i] = -1;
    if (engine->plan.settings.kind == SCALAY_FACTOR_QR) memset(engine->tau, 0, (size_t)(engine->size * lines));
    SCALAY_TRY(run_steps(engine));
    SCALAY_TRY(share_results(engine));
    if (engine->plan.settings.kind == SCALAY_FACTOR_LU) SCALAY_TRY(scalay_engine_swap_left(engine));
cleanup:
    engine->a = NULL;
    engine->statistics.seconds = MPI_Wtime() - began;
    return status;
}
