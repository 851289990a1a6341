#include "model/move_grids.h"

#include "core/integer.h"
#include "core/memory.h"
#include "layout/layout.h"

/* One axis of both grids: what their classes have in common, and with how many of the others each has something. */
typedef struct {
    scalay_axis_overlap common;
    int64_t *partners_a, *partners_b; /* shape [classes] */
} factor;

static scalay_status make_factor(const scalay_axis *a, const scalay_axis *b, factor *f)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_axis_overlap_create(a, b, &f->common));
    SCALAY_TRY(SCALAY_NEW(f->partners_a, f->common.classes_a));
    SCALAY_TRY(SCALAY_NEW(f->partners_b, f->common.classes_b));
    for (int64_t k = 0; k < f->common.classes_a; k++) {
        f->partners_a[k] = f->common.start[k + 1] - f->common.start[k];
        for (int64_t e = f->common.start[k]; e < f->common.start[k + 1]; e++) f->partners_b[f->common.class_b[e]]++;
    }
cleanup:
    return status;
}

static void free_factor(factor *f)
{
    scalay_axis_overlap_free(&f->common);
    scalay_release(f->partners_a);
    scalay_release(f->partners_b);
}

/* What two classes have in common. */
static int64_t common_of(const factor *f, int64_t class_a, int64_t class_b)
{
    int64_t low = f->common.start[class_a], high = f->common.start[class_a + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (f->common.class_b[middle] == class_b) return f->common.count[middle];
        if (f->common.class_b[middle] < class_b)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

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

/* A count from grid to grid. */
typedef struct {
    const scalay_layout *source, *target;
    factor row, col;
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
        kept = common_of(&c->row, c->from[held] / cols_a, row) * common_of(&c->col, c->from[held] % cols_a, col);
    if (held >= 0) c->stays[held] = kept;
    move->volume += items - kept;
    move->items += items;
    move->kept = scalay_max_int64(move->kept, kept);
    move->processes = (int)scalay_max_int64(move->processes, (int64_t)process + 1);
    see(move, items - kept, c->row.partners_b[row] * c->col.partners_b[col] - (kept > 0));
}

static void count_given(const count *c, int part, scalay_move *move)
{
    const int64_t cols = c->source->col.classes, row = c->from[part] / cols, col = c->from[part] % cols;
    const int64_t items = scalay_axis_count(&c->source->row, row) * scalay_axis_count(&c->source->col, col);
    see(move, items - c->stays[part], c->row.partners_a[row] * c->col.partners_a[col] - (c->stays[part] > 0));
}

scalay_status scalay_move_count_grids(const scalay_layout *source, const scalay_layout *target, const int *process,
                                      scalay_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    count c = {.source = source, .target = target};
    *move = (scalay_move){.processes = scalay_layout_processes(source),
                          .stretches = scalay_layout_stretches(source, target)};
    SCALAY_TRY(make_factor(&source->row, &target->row, &c.row));
    SCALAY_TRY(make_factor(&source->col, &target->col, &c.col));
    SCALAY_TRY(list_places(source, &c.from));
    SCALAY_TRY(list_places(target, &c.to));
    SCALAY_TRY(SCALAY_NEW(c.stays, source->parts));
    for (int part = 0; part < target->parts; part++)
        count_taken(&c, part, process != NULL ? process[part] : scalay_layout_process_of_part(target, part), move);
    for (int part = 0; part < source->parts; part++) count_given(&c, part, move);
cleanup:
    scalay_release(c.stays);
    scalay_release(c.to);
    scalay_release(c.from);
    free_factor(&c.col);
    free_factor(&c.row);
    return status;
}
