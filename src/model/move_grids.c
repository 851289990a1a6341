#include "model/move_grids.h"

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/factor.h"

/* The grid row and column of each part, row * columns + column. */
static scalay_status list_places(const scalay_layout *grid, int64_t **place)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*place, grid->parts));
    for (int64_t r = 0; r < grid->row.classes; r++)
        for (int64_t c = 0; c < grid->col.classes; c++)
            (*place)[scalay_layout_cell_part(grid, r, c)] = r * grid->col.classes + c;
cleanup:
    return status;
}

/* With how many classes of the other axis one has something in common. */
static int64_t partners(const scalay_factor_side *side, int64_t class)
{
    return side->start[class + 1] - side->start[class];
}

/* A count from grid to grid. */
typedef struct {
    const scalay_layout *source, *target;
    scalay_factor row, col;
    int64_t *from, *to; /* places of the parts */
    int64_t *stays;     /* shape [parts of source]: items that their process keeps */
} count;

static void see(scalay_move *move, int64_t items, int64_t messages)
{
    move->steps = scalay_max_int64(move->steps, items);
    move->messages = scalay_max_int64(move->messages, messages);
}

static void count_taken(count *c, int part, int process, scalay_move *move)
{
    const int64_t cols_a = c->source->col.classes, cols_b = c->target->col.classes;
    const int64_t row = c->to[part] / cols_b, col = c->to[part] % cols_b;
    const int64_t items = scalay_axis_count(&c->target->row, row) * scalay_axis_count(&c->target->col, col);
    const int held =
        process < scalay_layout_processes(c->source) ? scalay_layout_part_of_process(c->source, process) : -1;
    int64_t kept = 0;
    if (held >= 0)
        kept = scalay_factor_weight(&c->row, (int)(c->from[held] / cols_a), (int)row) *
               scalay_factor_weight(&c->col, (int)(c->from[held] % cols_a), (int)col);
    if (held >= 0) c->stays[held] = kept;
    move->volume += items - kept;
    move->items += items;
    move->kept = scalay_max_int64(move->kept, kept);
    move->processes = (int)scalay_max_int64(move->processes, (int64_t)process + 1);
    see(move, items - kept, partners(&c->row.target, row) * partners(&c->col.target, col) - (kept > 0));
}

static void count_given(const count *c, int part, scalay_move *move)
{
    const int64_t cols = c->source->col.classes, row = c->from[part] / cols, col = c->from[part] % cols;
    const int64_t items = scalay_axis_count(&c->source->row, row) * scalay_axis_count(&c->source->col, col);
    see(move, items - c->stays[part],
        partners(&c->row.source, row) * partners(&c->col.source, col) - (c->stays[part] > 0));
}

scalay_status scalay_move_count_grids(const scalay_layout *source, const scalay_layout *target, const int *process,
                                      scalay_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    count c = {.source = source, .target = target};
    *move = (scalay_move){.processes = scalay_layout_processes(source)};
    SCALAY_TRY(scalay_factor_create(&source->row, &target->row, &c.row));
    SCALAY_TRY(scalay_factor_create(&source->col, &target->col, &c.col));
    SCALAY_TRY(list_places(source, &c.from));
    SCALAY_TRY(list_places(target, &c.to));
    SCALAY_TRY(SCALAY_NEW(c.stays, source->parts));
    for (int part = 0; part < target->parts; part++) count_taken(&c, part, process[part], move);
    for (int part = 0; part < source->parts; part++) count_given(&c, part, move);
cleanup:
    scalay_release(c.stays);
    scalay_release(c.to);
    scalay_release(c.from);
    scalay_factor_free(&c.col);
    scalay_factor_free(&c.row);
    return status;
}
