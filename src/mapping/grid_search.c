/* The search for mappings that keep a grid: rows and columns take turns, from several starts. */
#include "base/memory.h"
#include "base/random.h"
#include "mapping/grid.h"

enum { STARTS = 10 };

int scalay_grid_line(const scalay_grid_search *s, int side, int place)
{
    return side == SCALAY_GRID_ROWS ? place / s->grid->cols : place % s->grid->cols;
}

static int place_of(const scalay_grid_search *s, int side, int line, int other)
{
    return side == SCALAY_GRID_ROWS ? line * s->grid->cols + other : other * s->grid->cols + line;
}

/* --------------------------------------------------------------------------------------- one assignment */

void scalay_line_add(scalay_line_builder *build, int line, int64_t items)
{
    if (build->sum[line] == 0 && items > 0) build->met[build->met_count++] = line;
    build->sum[line] += items;
}

static scalay_status append_line(scalay_line_builder *build, int line)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges *edges = &build->edges;
    int64_t filled = edges->start[line];
    SCALAY_TRY(SCALAY_GROW(edges->col, build->capacity_col, filled + build->met_count));
    SCALAY_TRY(SCALAY_GROW(edges->weight, build->capacity_weight, filled + build->met_count));
    for (int k = 0; k < build->met_count; k++) {
        edges->col[filled] = build->met[k];
        edges->weight[filled++] = build->sum[build->met[k]];
        build->sum[build->met[k]] = 0;
    }
    build->met_count = 0;
    edges->start[line + 1] = filled;
cleanup:
    return status;
}

/* The other lines of parts, by the lines of processes that take them. */
static scalay_status invert(const scalay_grid_search *s, int side, scalay_line_builder *build)
{
    scalay_status status = SCALAY_SUCCESS;
    const int extent = s->extent[1 - side];
    if (build->fixed == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(build->met_by, extent));
    for (int k = 0; k < extent; k++) build->met_by[k] = -1;
    for (int k = 0; k < extent; k++) build->met_by[build->fixed[k]] = k;
cleanup:
    return status;
}

/* What each line of processes holds of each line of parts where the other lines meet as fixed[] has it; NULL: of all.
 */
static scalay_status collect(const scalay_grid_search *s, int side, const int *fixed, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    const int extent = s->extent[side];
    scalay_line_builder build = {.edges = {.rows = extent, .cols = extent}, .fixed = fixed};
    SCALAY_TRY(SCALAY_NEW(build.edges.start, (int64_t)extent + 1));
    SCALAY_TRY(SCALAY_NEW(build.sum, extent));
    SCALAY_TRY(SCALAY_NEW(build.met, extent));
    SCALAY_TRY(invert(s, side, &build));
    for (int line = 0; line < extent; line++) {
        for (int other = 0; other < s->extent[1 - side]; other++) {
            const int process = s->grid->process[place_of(s, side, line, other)];
            if (process < s->processes) s->source->add_process(s, side, process, &build);
        }
        SCALAY_TRY(append_line(&build, line));
    }
    *edges = build.edges;
    build.edges = (scalay_edges){0};
cleanup:
    scalay_edges_free(&build.edges);
    scalay_release(build.sum);
    scalay_release(build.met);
    scalay_release(build.met_by);
    return status;
}

scalay_status scalay_grid_complete(const scalay_matching *matching, int extent, int *line)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *taken = NULL;
    int next = 0;
    SCALAY_TRY(SCALAY_NEW(taken, extent));
    for (int k = 0; k < extent; k++) {
        line[k] = matching->of_col[k];
        if (line[k] >= 0) taken[line[k]] = 1;
    }
    for (int k = 0; k < extent; k++) {
        if (line[k] >= 0 || taken[k]) continue;
        line[k] = k;
        taken[k] = 1;
    }
    for (int k = 0; k < extent; k++) {
        while (line[k] < 0 && taken[next]) next++;
        if (line[k] >= 0) continue;
        line[k] = next;
        taken[next] = 1;
    }
cleanup:
    scalay_release(taken);
    return status;
}

/* The best lines of a side, the others being as fixed[] has them. */
static scalay_status settle_lines(scalay_grid_search *s, int side, const int *fixed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges edges = {0};
    scalay_assignment *assignment = &s->assignment[side];
    SCALAY_TRY(collect(s, side, fixed, &edges));
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, assignment));
    SCALAY_TRY(scalay_grid_complete(&assignment->matching, s->extent[side], s->line[side]));
    s->kept = 0;
    for (int k = 0; k < s->extent[side]; k++) s->kept += assignment->row_dual[k] + assignment->col_dual[k];
cleanup:
    scalay_edges_free(&edges);
    return status;
}

/* ------------------------------------------------------------------------------------------------ search */

scalay_status scalay_grid_remember(scalay_grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < s->extent[side]; k++) s->best[side][k] = s->line[side][k];
    s->best_kept = s->kept;
    s->proven = s->kept > 0 && s->source->lines_prove(s);
    if (!s->proven) return SCALAY_SUCCESS;
    int64_t *dual = NULL;
    SCALAY_TRY(SCALAY_NEW(dual, 2 * ((int64_t)s->extent[SCALAY_GRID_ROWS] + s->extent[SCALAY_GRID_COLS])));
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < s->extent[side]; k++) dual[filled++] = s->assignment[side].row_dual[k];
        for (int k = 0; k < s->extent[side]; k++) dual[filled++] = s->assignment[side].col_dual[k];
    }
    mapping->certificate.line_dual = dual;
cleanup:
    return status;
}

/* Rows and columns take turns, the columns being given, until neither gains. */
static scalay_status take_turns(scalay_grid_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t before = 0;
    SCALAY_TRY(settle_lines(s, SCALAY_GRID_ROWS, s->line[SCALAY_GRID_COLS]));
    do {
        before = s->kept;
        SCALAY_TRY(settle_lines(s, SCALAY_GRID_COLS, s->line[SCALAY_GRID_ROWS]));
        SCALAY_TRY(settle_lines(s, SCALAY_GRID_ROWS, s->line[SCALAY_GRID_COLS]));
    } while (s->kept > before && !scalay_deadline_passed(s->problem->deadline));
cleanup:
    return status;
}

/* The columns to begin with: first those that are best when the rows' share is what all columns hold, then as they are,
   then any. */
static scalay_status choose_columns(scalay_grid_search *s, int start, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    int *line = s->line[SCALAY_GRID_COLS];
    if (start == 0) {
        SCALAY_TRY(settle_lines(s, SCALAY_GRID_ROWS, NULL));
        return settle_lines(s, SCALAY_GRID_COLS, s->line[SCALAY_GRID_ROWS]);
    }
    for (int k = 0; k < s->extent[SCALAY_GRID_COLS]; k++) line[k] = k;
    for (int k = s->extent[SCALAY_GRID_COLS] - 1; start > 1 && k > 0; k--) {
        const int other = (int)scalay_random_below(random, (int64_t)k + 1), mine = line[k];
        line[k] = line[other];
        line[other] = mine;
    }
cleanup:
    return status;
}

scalay_status scalay_grid_climb(scalay_grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_random random = scalay_random_seed((uint64_t)s->problem->seed);
    s->best_kept = -1;
    for (int start = 0; start < STARTS && !s->proven; start++) {
        SCALAY_TRY(choose_columns(s, start, &random));
        SCALAY_TRY(take_turns(s));
        if (s->kept > s->best_kept) SCALAY_TRY(scalay_grid_remember(s, mapping));
        if (scalay_deadline_passed(s->problem->deadline)) break;
    }
cleanup:
    return status;
}
