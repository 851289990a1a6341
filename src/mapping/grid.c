#include "mapping/grid.h"

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/traffic.h"

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

/* ----------------------------------------------------------------------------------------------- search */

scalay_status scalay_grid_search_create(const scalay_mapping_problem *problem, int processes, int parts,
                                        scalay_grid_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = problem->grid;
    *s = (scalay_grid_search){
        .problem = problem, .grid = grid, .processes = processes, .extent = {grid->rows, grid->cols}};
    SCALAY_TRY(SCALAY_NEW(s->place, processes));
    SCALAY_TRY(SCALAY_NEW(s->home, parts));
    for (int i = 0; i < processes; i++) s->place[i] = -1;
    for (int k = 0; k < parts; k++) {
        if (!scalay_problem_may_take(problem, grid->process[k]))
            return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                               "process %d is one of the grid, but may take no part; choose another objective",
                               grid->process[k]);
        s->home[grid->part[k]] = k;
        if (grid->process[k] < processes) s->place[grid->process[k]] = k;
    }
    for (int side = 0; side < 2; side++) {
        SCALAY_TRY(SCALAY_NEW(s->line[side], s->extent[side]));
        SCALAY_TRY(SCALAY_NEW(s->best[side], s->extent[side]));
        SCALAY_TRY(scalay_assignment_allocate(s->extent[side], s->extent[side], &s->assignment[side]));
    }
cleanup:
    return status;
}

void scalay_grid_search_free(scalay_grid_search *s)
{
    scalay_release(s->place);
    scalay_release(s->home);
    for (int side = 0; side < 2; side++) {
        scalay_release(s->line[side]);
        scalay_release(s->best[side]);
        scalay_assignment_free(&s->assignment[side]);
    }
}

scalay_status scalay_grid_settle(const scalay_grid_search *s, scalay_mapping *mapping)
{
    const scalay_process_grid *grid = s->grid;
    for (int k = 0; k < mapping->parts; k++)
        mapping->process[grid->part[k]] = grid->process[s->best[SCALAY_GRID_ROWS][k / grid->cols] * grid->cols +
                                                        s->best[SCALAY_GRID_COLS][k % grid->cols]];
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

/* ---------------------------------------------------------------------------------------- on a traffic */

static void add_process(const scalay_grid_search *s, int side, int process, scalay_line_builder *build)
{
    const scalay_traffic *traffic = s->problem->traffic;
    const int other = scalay_grid_line(s, 1 - side, s->place[process]);
    for (int64_t e = traffic->start[process]; e < traffic->start[process + 1]; e++) {
        const int home = s->home[traffic->part[e]];
        if (build->fixed != NULL && build->fixed[scalay_grid_line(s, 1 - side, home)] != other) continue;
        scalay_line_add(build, scalay_grid_line(s, side, home), traffic->count[e]);
    }
}

static int lines_prove(const scalay_grid_search *s)
{
    const scalay_traffic *traffic = s->problem->traffic;
    const scalay_assignment *row = &s->assignment[SCALAY_GRID_ROWS], *col = &s->assignment[SCALAY_GRID_COLS];
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; s->place[i] >= 0 && e < traffic->start[i + 1]; e++) {
            const int home = s->home[traffic->part[e]];
            const int64_t rows = row->row_dual[scalay_grid_line(s, SCALAY_GRID_ROWS, s->place[i])] +
                                 row->col_dual[scalay_grid_line(s, SCALAY_GRID_ROWS, home)];
            const int64_t cols = col->row_dual[scalay_grid_line(s, SCALAY_GRID_COLS, s->place[i])] +
                                 col->col_dual[scalay_grid_line(s, SCALAY_GRID_COLS, home)];
            if (scalay_wide_product(rows, cols) < scalay_wide_product(s->kept, traffic->count[e])) return 0;
        }
    return 1;
}

/* What no mapping can keep more of, grid or not. */
static scalay_status bound_from_above(const scalay_grid_search *s, scalay_mapping *mapping)
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
    scalay_problem_take_duals(&assignment, edges->rows, mapping);
cleanup:
    scalay_assignment_free(&assignment);
    return status;
}

static const scalay_grid_source on_traffic = {.add_process = add_process, .lines_prove = lines_prove};

scalay_status scalay_problem_solve_grid(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_grid_search s;
    SCALAY_TRY(scalay_grid_search_create(problem, problem->traffic->processes, problem->traffic->parts, &s));
    s.source = &on_traffic;
    SCALAY_TRY(scalay_grid_climb(&s, mapping));
    SCALAY_TRY(scalay_grid_settle(&s, mapping));
    if (s.proven) {
        mapping->proof = SCALAY_PROOF_OPTIMAL;
        mapping->bound = problem->traffic->items - s.best_kept;
    } else {
        SCALAY_TRY(bound_from_above(&s, mapping));
    }
cleanup:
    scalay_grid_search_free(&s);
    return status;
}
