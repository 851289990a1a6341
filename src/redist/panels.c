/* Panels of a plan that consumes its source, or that moves a large matrix in place.

   The bounds of a package divide its columns so that each panel has the same number of elements, up to a column. Both
   ends compute the same bounds, because they depend only on the blocks of the package. A sweep over the ends of the
   column runs finds them in O(r log r) time for r runs.

   Between two bounds, a block becomes at most three blocks: a part of the first column run, whole runs, and a part of
   the last run. Nothing is allocated in an execution. Memory: one bound per panel and package, the largest panel, 16
   bytes per block, 4 bytes per page and 8 bytes per column of the source array.

   A column of the source is marked for release (release.h) when all its elements were sent or copied. If the blocks are
   not parts of one matrix with whole columns, the elements are marked run by run.

   In place, all panels are packed before the first one is sent. A page of the array is released when all its bytes are
   packed, if all its bytes are written later. The packed panels are released when they are sent. Hence array and
   buffers together need little more than one local matrix. */
#include "redist/panels.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "redist/plan.h"
#include "redist/release.h"

enum {
    MAX_PANELS = 12,
    PANEL_BYTES = 1 << 18, /* of the average local matrix, at least */
    PARTS = 3              /* blocks of a panel per block of the package */
};

/* The panels of one side of the plan. */
typedef struct {
    const scalay_side *whole;
    int64_t packages;        /* of the side, and the package of elements that stay on the rank */
    int64_t *bounds;         /* shape [packages][count + 1]: panel k has the columns bounds[k] .. bounds[k + 1] - 1 */
    scalay_side side;        /* of the current panel; shares the tables of `whole` */
    scalay_package *package; /* shape [packages]: of the current panel */
    int64_t capacity;        /* of `blocks`, and of `runs` */
    scalay_block *blocks;    /* of the current panel */
    scalay_common_run *runs; /* parts of column runs */
    int64_t used_blocks, used_runs;
    int64_t *end;   /* shape [blocks of the side]: columns before end[b] are all columns of the blocks up to b */
    int64_t *start; /* same shape: the blocks from b on start at column start[b] or later */
} side_panels;

/* The columns of an array that is sent, if they are whole. */
typedef struct {
    scalay_whole_columns all;
    int64_t *left; /* shape [all.count]: elements that are not sent yet */
} column_list;

struct scalay_panels {
    int count;
    side_panels source, target;
    column_list columns[2]; /* [backward]: of the array that is sent */
    scalay_release_list pages;
    int in_place;
    int64_t released; /* bytes in the last execution that released pages */
    const char *obstacle;
    int has_released; /* 1: there was such an execution */
    /* The pending execution. */
    int consumes;
    int panel;
};

/* --------------------------------------------------------------------------------------------------- bounds */

/* At a column, the number of rows per column changes. */
typedef struct {
    int64_t column;
    int64_t change;
} event;

static int compare_events(const void *left, const void *right)
{
    return scalay_compare_int64(((const event *)left)->column, ((const event *)right)->column);
}

static int64_t list_events(const scalay_package *package, event *events)
{
    int64_t count = 0;
    for (const scalay_block *block = package->blocks; block < package->blocks + package->count; block++)
        for (const scalay_common_run *run = block->cols; run < block->cols + block->col_runs; run++) {
            events[count++] = (event){run->index, block->row_count};
            events[count++] = (event){run->index + run->count, -block->row_count};
        }
    qsort(events, (size_t)count, sizeof *events, compare_events);
    return count;
}

/* Elements before panel k if all panels have the same number. */
static int64_t elements_before(int64_t elements, int k, int count)
{
    return elements / count * k + elements % count * k / count;
}

/* Finds the bounds of a package. The last bound is beyond all columns. */
static scalay_status find_bounds(const scalay_package *package, int count, int64_t *bounds)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t runs = 0, done = 0, rows = 0;
    event *events = NULL;
    int k = 0;
    for (int64_t b = 0; b < package->count; b++) runs += package->blocks[b].col_runs;
    SCALAY_TRY(SCALAY_NEW(events, 2 * runs));
    const int64_t total = list_events(package, events);
    for (int64_t e = 0; e + 1 < total; e++) {
        rows += events[e].change;
        const int64_t next = done + rows * (events[e + 1].column - events[e].column);
        for (; k < count && elements_before(package->elements, k, count) < next; k++)
            bounds[k] = events[e].column + scalay_ceil_div(elements_before(package->elements, k, count) - done, rows);
        done = next;
    }
    while (k <= count) bounds[k++] = INT64_MAX;
cleanup:
    scalay_release(events);
    return status;
}

/* --------------------------------------------------------------------------------------------------- panels */

/* Finds the first run of columns that ends after a column of the matrix. */
static int64_t first_run_after(const scalay_block *block, int64_t column)
{
    int64_t low = 0, high = block->col_runs;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (block->cols[middle].index + block->cols[middle].count <= column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the runs first .. end - 1 of a block to the panel. `part`: NULL, or one run that replaces them. */
static void add_block(side_panels *panels, const scalay_block *block, int64_t first, int64_t end,
                      const scalay_common_run *part)
{
    if (first >= end) return;
    scalay_block *added = &panels->blocks[panels->used_blocks++];
    *added = *block;
    added->cols = block->cols + first;
    added->col_runs = end - first;
    added->col_count = 0;
    if (part != NULL) {
        panels->runs[panels->used_runs] = *part;
        added->cols = &panels->runs[panels->used_runs++];
    }
    for (int64_t k = 0; k < added->col_runs; k++) added->col_count += added->cols[k].count;
}

static scalay_common_run cut_run(const scalay_common_run *run, int64_t first, int64_t end)
{
    const int64_t skip = scalay_max_int64(0, first - run->index);
    return (scalay_common_run){.index = run->index + skip,
                               .local_a = run->local_a + skip,
                               .local_b = run->local_b + skip,
                               .count = scalay_min_int64(run->count, end - run->index) - skip};
}

static int is_inside(const scalay_common_run *run, int64_t first, int64_t end)
{
    return first <= run->index && run->index + run->count <= end;
}

/* Adds the columns first .. end - 1 of a block to the panel. */
static void cut_block(side_panels *panels, const scalay_block *block, int64_t first, int64_t end)
{
    const scalay_common_run *last = &block->cols[block->col_runs - 1];
    if (last->index + last->count <= first || block->cols[0].index >= end) return;
    int64_t low = first_run_after(block, first);
    int64_t high = first_run_after(block, end - 1);
    if (high < block->col_runs && block->cols[high].index < end) high++;
    if (low >= high) return;
    scalay_common_run head = cut_run(&block->cols[low], first, end), tail = cut_run(&block->cols[high - 1], first, end);
    const int cuts_head = !is_inside(&block->cols[low], first, end);
    const int cuts_tail = high - 1 > low && !is_inside(&block->cols[high - 1], first, end);
    if (cuts_head) add_block(panels, block, low, low + 1, &head);
    add_block(panels, block, low + cuts_head, high - cuts_tail, NULL);
    if (cuts_tail) add_block(panels, block, high - 1, high, &tail);
}

/* Sets start[] and end[] of the blocks of a package. */
static void find_extents(side_panels *panels, const scalay_package *package)
{
    const int64_t first = package->blocks - panels->whole->blocks;
    int64_t end = 0, start = INT64_MAX;
    for (int64_t b = 0; b < package->count; b++) {
        const scalay_common_run *last = &package->blocks[b].cols[package->blocks[b].col_runs - 1];
        panels->end[first + b] = end = scalay_max_int64(end, last->index + last->count);
    }
    for (int64_t b = package->count - 1; b >= 0; b--)
        panels->start[first + b] = start = scalay_min_int64(start, package->blocks[b].cols[0].index);
}

/* Returns the first block of a package that may have columns after `column`. Time: O(log blocks). */
static int64_t first_block_after(const side_panels *panels, const scalay_package *package, int64_t column)
{
    const int64_t *end = &panels->end[package->blocks - panels->whole->blocks];
    int64_t low = 0, high = package->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (end[middle] <= column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const scalay_package *whole_package(const side_panels *panels, int64_t k)
{
    return k < panels->whole->package_count ? &panels->whole->packages[k] : &panels->whole->kept;
}

/* Adds the columns first .. end - 1 of a package to the panel. */
static void cut_package(side_panels *panels, const scalay_package *whole, int64_t first, int64_t end)
{
    if (whole->count == 0 || first >= end) return;
    const int64_t *start = &panels->start[whole->blocks - panels->whole->blocks];
    for (int64_t b = first_block_after(panels, whole, first); b < whole->count && start[b] < end; b++)
        cut_block(panels, &whole->blocks[b], first, end);
}

/* Collects the blocks of a panel of one side. */
static void select_side(side_panels *panels, int count, int panel)
{
    panels->used_blocks = panels->used_runs = 0;
    for (int64_t k = 0; k < panels->packages; k++) {
        const scalay_package *whole = whole_package(panels, k);
        const int64_t *bounds = &panels->bounds[k * (count + 1)];
        scalay_package *package = &panels->package[k];
        const int64_t first = panels->used_blocks;
        *package = (scalay_package){.peer = whole->peer, .blocks = &panels->blocks[first]};
        cut_package(panels, whole, bounds[panel], bounds[panel + 1]);
        package->count = panels->used_blocks - first;
        for (int64_t b = 0; b < package->count; b++)
            package->elements += package->blocks[b].row_count * package->blocks[b].col_count;
    }
    panels->side.kept = panels->package[panels->packages - 1];
}

/* With one matrix, channel k holds package k. */
static void set_channels(const side_panels *panels, int panel, scalay_channel_list *channels)
{
    for (int64_t k = 0; k < channels->count; k++) {
        const scalay_package *package = panel < 0 ? &panels->whole->packages[k] : &panels->package[k];
        channels->channel[k].packages[0] = package->elements > 0 ? package : NULL;
    }
}

void scalay_panels_select(scalay_plan *plan, int panel)
{
    scalay_panels *panels = plan->panels;
    scalay_transfer *transfer = &plan->transfers[0];
    if (panel >= 0) select_side(&panels->source, panels->count, panel);
    if (panel >= 0) select_side(&panels->target, panels->count, panel);
    set_channels(&panels->source, panel, &plan->source);
    set_channels(&panels->target, panel, &plan->target);
    const scalay_side *source = panel < 0 ? panels->source.whole : &panels->source.side;
    const scalay_side *target = panel < 0 ? panels->target.whole : &panels->target.side;
    transfer->from = plan->backward ? target : source;
    transfer->to = plan->backward ? source : target;
}

/* ------------------------------------------------------------------------------------------ source columns */

static void start_columns(column_list *columns)
{
    for (int64_t k = 0; k < columns->all.count && columns->all.are_whole; k++) columns->left[k] = columns->all.rows;
}

static void mark_column(scalay_release_list *pages, const scalay_whole_columns *all, int64_t c, const char *array,
                        int64_t size)
{
    const int64_t at = all->strides.offset + all->first_row + c * all->strides.col_stride;
    scalay_release_mark(pages, array + at * size, all->rows * size);
}

/* Marks the columns of a block that are complete. */
static void mark_columns(scalay_release_list *pages, const column_list *columns, const scalay_block *block,
                         const char *array, int64_t size)
{
    for (const scalay_common_run *run = block->cols; run < block->cols + block->col_runs; run++)
        for (int64_t c = run->local_a; c < run->local_a + run->count; c++) {
            int64_t *left = &columns->left[c - columns->all.first];
            *left -= block->row_count;
            if (*left == 0) mark_column(pages, &columns->all, c, array, size);
        }
}

static void mark_runs(scalay_release_list *pages, const scalay_block *block, const char *array, int64_t size)
{
    for (const scalay_common_run *col = block->cols; col < block->cols + block->col_runs; col++)
        for (int64_t c = col->local_a; c < col->local_a + col->count; c++)
            for (const scalay_common_run *row = block->rows; row < block->rows + block->row_runs; row++)
                scalay_release_mark(pages,
                                    array + (block->own.offset + row->local_a + c * block->own.col_stride) * size,
                                    row->count * size);
}

/* Releases the pages of the array that the panel was the last one to need. */
static void release_panel(scalay_plan *plan)
{
    scalay_panels *panels = plan->panels;
    const int64_t size = (int64_t)plan->matrices[0].size;
    const side_panels *from = plan->backward ? &panels->target : &panels->source;
    const column_list *columns = &panels->columns[plan->backward];
    if (panels->pages.pages == 0) return;
    for (const scalay_block *block = from->blocks; block < from->blocks + from->used_blocks; block++) {
        if (columns->all.are_whole)
            mark_columns(&panels->pages, columns, block, plan->transfers[0].source, size);
        else
            mark_runs(&panels->pages, block, plan->transfers[0].source, size);
    }
    scalay_release_marked(&panels->pages);
}

/* Marks all elements that the execution writes. */
static void mark_target(scalay_plan *plan, const scalay_side *to)
{
    scalay_panels *panels = plan->panels;
    const int64_t size = (int64_t)plan->matrices[0].size;
    const scalay_whole_columns *all = &panels->columns[!plan->backward].all;
    const char *array = plan->transfers[0].target;
    for (int64_t c = all->first; c < all->first + all->count && all->are_whole; c++)
        mark_column(&panels->pages, all, c, array, size);
    for (int64_t b = 0; b < to->block_count && !all->are_whole; b++)
        mark_runs(&panels->pages, &to->blocks[b], array, size);
}

/* In place: pages may be released if they lie in both arrays. Each byte is marked twice: now if it is written, and
   later when it is packed. */
static void start_pages_in_place(scalay_plan *plan)
{
    scalay_panels *panels = plan->panels;
    const scalay_side *from = plan->backward ? panels->target.whole : panels->source.whole;
    const scalay_side *to = plan->backward ? panels->source.whole : panels->target.whole;
    const int64_t size = (int64_t)plan->matrices[0].size;
    char *source = (char *)plan->transfers[0].source, *target = plan->transfers[0].target, *end = NULL;
    if (from->block_count > 0 && to->block_count > 0) {
        source += from->span_start * size;
        target += to->span_start * size;
        char *source_end = source + (from->span_end - from->span_start) * size;
        char *target_end = target + (to->span_end - to->span_start) * size;
        source = source > target ? source : target;
        end = source_end < target_end ? source_end : target_end;
    }
    scalay_release_start(&panels->pages, source, end > source ? end - source : 0, 2);
    if (panels->pages.pages > 0) mark_target(plan, to);
}

/* --------------------------------------------------------------------------------------------------- create */

/* Returns the number of panels: enough that a panel is a small part of the matrix, but not a small message. */
static int choose_count(const scalay_plan *plan)
{
    const scalay_layout *source = plan->matrices[0].source_layout;
    const int64_t elements = scalay_layout_rows(source) * scalay_layout_cols(source);
    const int64_t average = elements / scalay_layout_parts(source);
    const int64_t panels = average / (PANEL_BYTES / (int64_t)plan->matrices[0].size);
    return (int)scalay_max_int64(1, scalay_min_int64(panels, MAX_PANELS));
}

static scalay_status create_side(const scalay_side *whole, int count, side_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    panels->whole = whole;
    panels->side = *whole;
    panels->packages = whole->package_count + 1;
    panels->capacity = PARTS * whole->block_count;
    SCALAY_TRY(SCALAY_NEW(panels->bounds, panels->packages * (count + 1)));
    SCALAY_TRY(SCALAY_NEW(panels->package, panels->packages));
    SCALAY_TRY(SCALAY_NEW(panels->blocks, panels->capacity));
    SCALAY_TRY(SCALAY_NEW(panels->runs, panels->capacity));
    SCALAY_TRY(SCALAY_NEW(panels->end, whole->block_count));
    SCALAY_TRY(SCALAY_NEW(panels->start, whole->block_count));
    for (int64_t k = 0; k < panels->packages; k++) {
        const scalay_package *package = whole_package(panels, k);
        if (package->count > 0) find_extents(panels, package);
        SCALAY_TRY(find_bounds(package, count, &panels->bounds[k * (count + 1)]));
    }
cleanup:
    return status;
}

/* Replaces the lists of blocks and runs by lists that hold the largest panel. */
static scalay_status shrink_side(int count, side_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t blocks = 0, runs = 0;
    for (int k = 0; k < count; k++) {
        select_side(panels, count, k);
        blocks = scalay_max_int64(blocks, panels->used_blocks);
        runs = scalay_max_int64(runs, panels->used_runs);
    }
    scalay_release(panels->blocks);
    scalay_release(panels->runs);
    panels->blocks = NULL;
    panels->runs = NULL;
    panels->capacity = scalay_max_int64(blocks, runs);
    SCALAY_TRY(SCALAY_NEW(panels->blocks, panels->capacity));
    SCALAY_TRY(SCALAY_NEW(panels->runs, panels->capacity));
cleanup:
    return status;
}

scalay_status scalay_panels_create(const scalay_plan *plan, int count, scalay_panels **panels)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_planned_matrix *matrix = &plan->matrices[0];
    SCALAY_TRY(SCALAY_NEW(*panels, 1));
    scalay_panels *made = *panels;
    made->count = count > 0 ? count : choose_count(plan);
    SCALAY_TRY(create_side(&matrix->source, made->count, &made->source));
    SCALAY_TRY(create_side(&matrix->target, made->count, &made->target));
    SCALAY_TRY(shrink_side(made->count, &made->source));
    SCALAY_TRY(shrink_side(made->count, &made->target));
    made->in_place = plan->in_place;
    for (int backward = 0; backward < 2; backward++) {
        column_list *columns = &made->columns[backward];
        columns->all = scalay_side_columns(backward ? &matrix->target : &matrix->source);
        SCALAY_TRY(SCALAY_NEW(columns->left, columns->all.are_whole ? columns->all.count : 0));
    }
    const int64_t span = scalay_max_int64(matrix->source.span_end - matrix->source.span_start,
                                          matrix->target.span_end - matrix->target.span_start);
    SCALAY_TRY(scalay_release_create(span * (int64_t)matrix->size, &made->pages));
cleanup:
    return status;
}

static void free_side(side_panels *panels)
{
    scalay_release(panels->bounds);
    scalay_release(panels->package);
    scalay_release(panels->blocks);
    scalay_release(panels->runs);
    scalay_release(panels->end);
    scalay_release(panels->start);
}

void scalay_panels_destroy(scalay_panels **panels)
{
    if (panels == NULL || *panels == NULL) return;
    free_side(&(*panels)->source);
    free_side(&(*panels)->target);
    for (int k = 0; k < 2; k++) scalay_release((*panels)->columns[k].left);
    scalay_release_free(&(*panels)->pages);
    scalay_release(*panels);
    *panels = NULL;
}

static int64_t side_bytes(const side_panels *panels, int count)
{
    return panels->packages * (int64_t)(sizeof(scalay_package) + (size_t)(count + 1) * sizeof(int64_t)) +
           panels->capacity * (int64_t)(sizeof(scalay_block) + sizeof(scalay_common_run)) +
           panels->whole->block_count * (int64_t)(2 * sizeof(int64_t));
}

int64_t scalay_panels_bytes(const scalay_panels *panels)
{
    int64_t columns = 0;
    for (int k = 0; k < 2; k++) columns += panels->columns[k].all.are_whole ? panels->columns[k].all.count : 0;
    return (int64_t)sizeof *panels + side_bytes(&panels->source, panels->count) +
           side_bytes(&panels->target, panels->count) + columns * (int64_t)sizeof(int64_t) +
           panels->pages.capacity * (int64_t)sizeof(uint32_t);
}

int scalay_panels_count(const scalay_panels *panels)
{
    return panels->count;
}

int scalay_panels_current(const scalay_panels *panels)
{
    return panels->panel;
}

/* -------------------------------------------------------------------------------------------------- execute */

static void start_pages(scalay_plan *plan)
{
    scalay_panels *panels = plan->panels;
    const scalay_side *source = panels->source.whole;
    const int64_t size = (int64_t)plan->matrices[0].size;
    char *array = (char *)plan->transfers[0].source;
    if (array != NULL) array += source->span_start * size;
    scalay_release_start(&panels->pages, array, (source->span_end - source->span_start) * size, 1);
}

/* In place: packs all panels before the first element is written. */
static void pack_all(scalay_plan *plan)
{
    start_pages_in_place(plan);
    for (int panel = 0; panel < plan->panels->count; panel++) {
        scalay_panels_select(plan, panel);
        plan->transport->pack(plan, panel == 0);
        release_panel(plan);
    }
}

scalay_status scalay_panels_begin(scalay_plan *plan, int consumes)
{
    scalay_panels *panels = plan->panels;
    panels->consumes = consumes;
    panels->panel = 0;
    start_columns(&panels->columns[plan->backward]);
    if (consumes) start_pages(plan);
    if (plan->in_place) pack_all(plan);
    scalay_panels_select(plan, 0);
    return plan->transport->begin(plan);
}

/* Records what the execution has released. */
static void finish(scalay_panels *panels)
{
    if (!panels->consumes && !panels->in_place) return;
    panels->has_released = 1;
    panels->released = panels->pages.released;
    panels->obstacle = panels->pages.obstacle;
}

scalay_status scalay_panels_advance(scalay_plan *plan, int waits, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_panels *panels = plan->panels;
    do {
        SCALAY_TRY(plan->transport->advance(plan, waits, done));
        if (!*done) return SCALAY_SUCCESS;
        if (panels->consumes) release_panel(plan);
        if (++panels->panel == panels->count) break;
        *done = 0;
        scalay_panels_select(plan, panels->panel);
        SCALAY_TRY(plan->transport->begin(plan));
    } while (1);
    finish(panels);
cleanup:
    return status;
}

int scalay_panels_describe(const scalay_panels *panels, char *text, size_t size)
{
    const char *what = panels->in_place ? "moves in place" : "can consume its source";
    if (!panels->has_released) return snprintf(text, size, "; it %s in %d panels", what, panels->count);
    return snprintf(text, size, "; it %s in %d panels and released %lld bytes of it%s%s",
                    panels->in_place ? "moved the array in place" : "consumed its source", panels->count,
                    (long long)panels->released, panels->obstacle != NULL ? ": " : "",
                    panels->obstacle != NULL ? panels->obstacle : "");
}
