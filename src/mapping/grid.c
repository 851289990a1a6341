/* Mappings that keep a grid: the rows of its parts are permuted, and its columns. What stays is a sum over all pairs of
 * a row and a column; with the columns settled it is an assignment of the rows, and the other way round. */
#include "core/integer.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/wide.h"
#include "layout/layout.h"
#include "mapping/solve.h"
#include "mapping/traffic.h"

enum { STARTS = 10, ROWS = 0, COLS = 1 };

typedef struct {
    const scalay_mapping_problem *problem;
    const scalay_process_grid *grid;
    int extent[2]; /* rows and columns */
    int *place;    /* shape [processes of the traffic]: in the grid, row by row; -1: none */
    int *home;     /* shape [parts]: likewise where a part sits */
    int *line[2];  /* shape [extent]: the line of processes that takes each line of parts */
    int *best[2];  /* the same, of the best mapping so far */
    int64_t kept;  /* with `line` */
    int64_t best_kept;
    int proven;
    scalay_assignment assignment[2]; /* of the lines when the others were as they are */
} grid_search;

/* ------------------------------------------------------------------------------------------------- grids */

scalay_status scalay_process_grid_create(const scalay_layout *layout, const int *canonical, int rows, int parts,
                                         scalay_process_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    *grid = (scalay_process_grid){.rows = layout != NULL ? (int)layout->row.classes : rows};
    grid->cols = parts / grid->rows;
    SCALAY_TRY(SCALAY_NEW(grid->process, parts));
    SCALAY_TRY(SCALAY_NEW(grid->part, parts));
    for (int k = 0; k < parts; k++) {
        grid->part[k] = layout != NULL ? scalay_layout_cell_part(layout, k / grid->cols, k % grid->cols) : k;
        grid->process[k] = canonical != NULL ? canonical[grid->part[k]] : grid->part[k];
    }
cleanup:
    if (status != SCALAY_SUCCESS) scalay_process_grid_free(grid);
    return status;
}

void scalay_process_grid_free(scalay_process_grid *grid)
{
    scalay_release(grid->process);
    scalay_release(grid->part);
    *grid = (scalay_process_grid){0};
}

static int line_of(const grid_search *s, int side, int place)
{
    return side == ROWS ? place / s->grid->cols : place % s->grid->cols;
}

static int place_of(const grid_search *s, int side, int line, int other)
{
    return side == ROWS ? line * s->grid->cols + other : other * s->grid->cols + line;
}

/* --------------------------------------------------------------------------------------- one assignment */

/* The edges of a line of processes in the making. */
typedef struct {
    scalay_edges edges;
    int64_t *sum; /* shape [extent]: what the line holds of each line of parts; zero between lines */
    int *met;     /* shape [extent]: the lines whose sum is positive */
    int met_count;
    int64_t capacity_col;
    int64_t capacity_weight;
} line_builder;

static void add_process(const grid_search *s, int side, int process, const int *fixed, line_builder *build)
{
    const scalay_traffic *traffic = s->problem->traffic;
    const int other = line_of(s, 1 - side, s->place[process]);
    for (int64_t e = traffic->start[process]; e < traffic->start[process + 1]; e++) {
        const int home = s->home[traffic->part[e]];
        if (fixed != NULL && fixed[line_of(s, 1 - side, home)] != other) continue;
        const int line = line_of(s, side, home);
        if (build->sum[line] == 0) build->met[build->met_count++] = line;
        build->sum[line] += traffic->count[e];
    }
}

static scalay_status append_line(line_builder *build, int line)
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

/* What each line of processes holds of each line of parts where the other lines meet as fixed[] has it; NULL: of all.
 */
static scalay_status collect(const grid_search *s, int side, const int *fixed, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    const int extent = s->extent[side];
    line_builder build = {.edges = {.rows = extent, .cols = extent}};
    SCALAY_TRY(SCALAY_NEW(build.edges.start, (int64_t)extent + 1));
    SCALAY_TRY(SCALAY_NEW(build.sum, extent));
    SCALAY_TRY(SCALAY_NEW(build.met, extent));
    for (int line = 0; line < extent; line++) {
        for (int other = 0; other < s->extent[1 - side]; other++) {
            const int process = s->grid->process[place_of(s, side, line, other)];
            if (process < s->problem->traffic->processes) add_process(s, side, process, fixed, &build);
        }
        SCALAY_TRY(append_line(&build, line));
    }
    *edges = build.edges;
    build.edges = (scalay_edges){0};
cleanup:
    scalay_edges_free(&build.edges);
    scalay_release(build.sum);
    scalay_release(build.met);
    return status;
}

/* A permutation from a matching; lines that it leaves out stay where that is free. */
static scalay_status complete(const scalay_matching *matching, int extent, int *line)
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
static scalay_status settle_lines(grid_search *s, int side, const int *fixed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges edges = {0};
    scalay_assignment *assignment = &s->assignment[side];
    SCALAY_TRY(collect(s, side, fixed, &edges));
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, assignment));
    SCALAY_TRY(complete(&assignment->matching, s->extent[side], s->line[side]));
    s->kept = 0;
    for (int k = 0; k < s->extent[side]; k++) s->kept += assignment->row_dual[k] + assignment->col_dual[k];
cleanup:
    scalay_edges_free(&edges);
    return status;
}

/* ------------------------------------------------------------------------------------------------ search */

/* Whether the duals of the lines prove that nothing is better: see scalay_certificate. */
static int lines_prove(const grid_search *s)
{
    const scalay_traffic *traffic = s->problem->traffic;
    const scalay_assignment *row = &s->assignment[ROWS], *col = &s->assignment[COLS];
    if (s->kept == 0) return 0;
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; s->place[i] >= 0 && e < traffic->start[i + 1]; e++) {
            const int home = s->home[traffic->part[e]];
            const int64_t rows = row->row_dual[line_of(s, ROWS, s->place[i])] + row->col_dual[line_of(s, ROWS, home)];
            const int64_t cols = col->row_dual[line_of(s, COLS, s->place[i])] + col->col_dual[line_of(s, COLS, home)];
            if (scalay_wide_product(rows, cols) < scalay_wide_product(s->kept, traffic->count[e])) return 0;
        }
    return 1;
}

static scalay_status remember(grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < s->extent[side]; k++) s->best[side][k] = s->line[side][k];
    s->best_kept = s->kept;
    s->proven = lines_prove(s);
    if (!s->proven) return SCALAY_SUCCESS;
    int64_t *dual = NULL;
    SCALAY_TRY(SCALAY_NEW(dual, 2 * ((int64_t)s->extent[ROWS] + s->extent[COLS])));
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < s->extent[side]; k++) dual[filled++] = s->assignment[side].row_dual[k];
        for (int k = 0; k < s->extent[side]; k++) dual[filled++] = s->assignment[side].col_dual[k];
    }
    mapping->certificate.line_dual = dual;
cleanup:
    return status;
}

/* Rows and columns take turns, the columns being given, until neither gains. */
static scalay_status climb(grid_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t before = 0;
    SCALAY_TRY(settle_lines(s, ROWS, s->line[COLS]));
    do {
        before = s->kept;
        SCALAY_TRY(settle_lines(s, COLS, s->line[ROWS]));
        SCALAY_TRY(settle_lines(s, ROWS, s->line[COLS]));
    } while (s->kept > before && !scalay_deadline_passed(s->problem->deadline));
cleanup:
    return status;
}

/* The columns to begin with: first those that are best when the rows' share is what all columns hold, then as they are,
   then any. */
static scalay_status choose_columns(grid_search *s, int start, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    int *line = s->line[COLS];
    if (start == 0) {
        SCALAY_TRY(settle_lines(s, ROWS, NULL));
        return settle_lines(s, COLS, s->line[ROWS]);
    }
    for (int k = 0; k < s->extent[COLS]; k++) line[k] = k;
    for (int k = s->extent[COLS] - 1; start > 1 && k > 0; k--) {
        const int other = (int)scalay_random_below(random, (int64_t)k + 1), mine = line[k];
        line[k] = line[other];
        line[other] = mine;
    }
cleanup:
    return status;
}

static scalay_status search(grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_random random = scalay_random_seed((uint64_t)s->problem->seed);
    s->best_kept = -1;
    for (int start = 0; start < STARTS && !s->proven; start++) {
        SCALAY_TRY(choose_columns(s, start, &random));
        SCALAY_TRY(climb(s));
        if (s->kept > s->best_kept) SCALAY_TRY(remember(s, mapping));
        if (scalay_deadline_passed(s->problem->deadline)) break;
    }
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- mapping */

static scalay_status place_processes(grid_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = s->grid;
    const scalay_traffic *traffic = s->problem->traffic;
    SCALAY_TRY(SCALAY_NEW(s->place, traffic->processes));
    SCALAY_TRY(SCALAY_NEW(s->home, traffic->parts));
    for (int i = 0; i < traffic->processes; i++) s->place[i] = -1;
    for (int k = 0; k < traffic->parts; k++) {
        if (!scalay_problem_may_take(s->problem, grid->process[k]))
            return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                               "process %d is one of the grid, but may take no part; choose another objective",
                               grid->process[k]);
        s->home[grid->part[k]] = k;
        if (grid->process[k] < traffic->processes) s->place[grid->process[k]] = k;
    }
    for (int side = 0; side < 2; side++) {
        SCALAY_TRY(SCALAY_NEW(s->line[side], s->extent[side]));
        SCALAY_TRY(SCALAY_NEW(s->best[side], s->extent[side]));
        SCALAY_TRY(scalay_assignment_allocate(s->extent[side], s->extent[side], &s->assignment[side]));
    }
cleanup:
    return status;
}

/* What no mapping can keep more of, grid or not. */
static scalay_status bound_from_above(const grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = &s->problem->edges;
    scalay_assignment assignment = {0};
    SCALAY_TRY(scalay_assignment_allocate(edges->rows, edges->cols, &assignment));
    assignment.deadline = s->problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(edges, NULL, NULL, &assignment));
    const int64_t most = scalay_assignment_bound(edges, &assignment);
    mapping->bound = s->problem->traffic->items - most;
    mapping->proof = most == s->best_kept ? SCALAY_PROOF_OPTIMAL : SCALAY_PROOF_HEURISTIC;
    mapping->certificate.process_dual = assignment.row_dual;
    mapping->certificate.part_dual = assignment.col_dual;
    assignment.row_dual = assignment.col_dual = NULL;
cleanup:
    scalay_assignment_free(&assignment);
    return status;
}

static scalay_status keep_grid(const grid_search *s, scalay_mapping *mapping)
{
    const scalay_process_grid *grid = s->grid;
    for (int k = 0; k < mapping->parts; k++)
        mapping->process[grid->part[k]] =
            grid->process[s->best[ROWS][k / grid->cols] * grid->cols + s->best[COLS][k % grid->cols]];
    scalay_process_grid *copy = &mapping->certificate.grid;
    copy->rows = grid->rows;
    copy->cols = grid->cols;
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(copy->process, mapping->parts));
    SCALAY_TRY(SCALAY_NEW(copy->part, mapping->parts));
    for (int k = 0; k < mapping->parts; k++) {
        copy->process[k] = grid->process[k];
        copy->part[k] = grid->part[k];
    }
cleanup:
    return status;
}

scalay_status scalay_problem_solve_grid(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    grid_search s = {.problem = problem, .grid = problem->grid, .extent = {problem->grid->rows, problem->grid->cols}};
    SCALAY_TRY(place_processes(&s));
    SCALAY_TRY(search(&s, mapping));
    SCALAY_TRY(keep_grid(&s, mapping));
    if (s.proven) {
        mapping->proof = SCALAY_PROOF_OPTIMAL;
        mapping->bound = problem->traffic->items - s.best_kept;
    } else {
        SCALAY_TRY(bound_from_above(&s, mapping));
    }
cleanup:
    scalay_release(s.place);
    scalay_release(s.home);
    for (int side = 0; side < 2; side++) {
        scalay_release(s.line[side]);
        scalay_release(s.best[side]);
        scalay_assignment_free(&s.assignment[side]);
    }
    return status;
}
