/* Mapping problems: processes that may take parts, edges, and the conversion of matchings to mappings. */
#include "mapping/problem.h"

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/traffic.h"

int scalay_mapping_problem_may_take(const scalay_mapping_problem *problem, int process)
{
    return process >= 0 && process < problem->processes && (problem->barred == NULL || !problem->barred[process]);
}

int scalay_mapping_problem_canonical(const scalay_mapping_problem *problem, int part)
{
    return problem->canonical != NULL ? problem->canonical[part] : part;
}

/* ---------------------------------------------------------------------------------------------- creation */

static int is_open_edge(const void *context, int i, int j, int64_t weight)
{
    (void)j;
    (void)weight;
    return scalay_mapping_problem_may_take(context, i);
}

/* The edges of the traffic, without those of processes that may take no part. */
static scalay_status find_edges(scalay_mapping_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges all = scalay_edges_view(problem->traffic);
    int out = 0;
    for (int i = 0; i < all.rows; i++) out += !scalay_mapping_problem_may_take(problem, i);
    problem->edges = all;
    if (out == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(problem->row_out, all.rows));
    for (int i = 0; i < all.rows; i++) problem->row_out[i] = !scalay_mapping_problem_may_take(problem, i);
    SCALAY_TRY(scalay_edges_select(&all, is_open_edge, problem, &problem->edges));
cleanup:
    return status;
}

static scalay_status check_capacity(const scalay_mapping_problem *problem, int parts)
{
    int capacity = 0;
    for (int i = 0; i < problem->processes; i++) capacity += scalay_mapping_problem_may_take(problem, i);
    if (capacity < parts)
        return scalay_fail(
            SCALAY_ERROR_INFEASIBLE, "scalay_mapping_create",
            "%d of %d processes may take a part; there must be at least %d, one for each part. Bar fewer "
            "processes or add processes.",
            capacity, problem->processes, parts);
    return SCALAY_SUCCESS;
}

scalay_status scalay_mapping_problem_set(int parts, const int *canonical, int processes,
                                         const scalay_mapping_options *options, scalay_mapping_problem *problem)
{
    *problem = (scalay_mapping_problem){.processes = options->processes > 0 ? options->processes : processes,
                                        .canonical = canonical,
                                        .barred = options->barred,
                                        .link_cost = options->link_cost,
                                        .link_context = options->link_context,
                                        .seed = options->seed,
                                        .deadline = scalay_deadline_in(options->budget_seconds)};
    return check_capacity(problem, parts);
}

scalay_status scalay_mapping_problem_create(const scalay_traffic *traffic, const int *canonical, int processes,
                                            const scalay_mapping_options *options, scalay_mapping_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_problem_set(traffic->parts, canonical, processes, options, problem));
    problem->traffic = traffic;
    SCALAY_TRY(find_edges(problem));
cleanup:
    return status;
}

void scalay_mapping_problem_free(scalay_mapping_problem *problem)
{
    if (problem->row_out != NULL) scalay_edges_free(&problem->edges);
    scalay_release(problem->row_out);
}

scalay_status scalay_mapping_problem_find_canonical(const scalay_layout *source, const scalay_layout *target,
                                                    int **canonical, int *processes)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_layout_parts(target);
    SCALAY_TRY(SCALAY_NEW(*canonical, parts));
    for (int j = 0; j < parts; j++) (*canonical)[j] = scalay_layout_process_of_part(target, j);
    *processes = (int)scalay_max_int64(scalay_layout_processes(source), scalay_layout_processes(target));
cleanup:
    return status;
}

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

/* ---------------------------------------------------------------------------------------------- placement */

/* Assigns a part to a process if the process may take it and is free; returns 1 if so. */
static int assign(const scalay_mapping_problem *problem, int part, int process, unsigned char *taken,
                  scalay_mapping *mapping)
{
    if (!scalay_mapping_problem_may_take(problem, process) || taken[process]) return 0;
    taken[process] = 1;
    mapping->process[part] = process;
    return 1;
}

scalay_status scalay_mapping_problem_place(const scalay_mapping_problem *problem, const int *of_part,
                                           scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *taken = NULL;
    int next = 0;
    SCALAY_TRY(SCALAY_NEW(taken, problem->processes));
    for (int j = 0; j < mapping->parts; j++) {
        mapping->process[j] = -1;
        if (of_part[j] >= 0) (void)assign(problem, j, of_part[j], taken, mapping);
    }
    for (int j = 0; j < mapping->parts; j++)
        if (mapping->process[j] < 0)
            (void)assign(problem, j, scalay_mapping_problem_canonical(problem, j), taken, mapping);
    for (int j = 0; j < mapping->parts; j++)
        while (mapping->process[j] < 0 && next < problem->processes) (void)assign(problem, j, next++, taken, mapping);
cleanup:
    scalay_release(taken);
    return status;
}

/* ------------------------------------------------------------------------------------ covers, certificates */

scalay_bottleneck scalay_mapping_problem_bottleneck(const scalay_mapping_problem *problem, const scalay_edges *edges)
{
    return (scalay_bottleneck){.source = &scalay_bottleneck_edges,
                               .context = edges,
                               .rows = problem->edges.rows,
                               .cols = problem->edges.cols,
                               .held = problem->traffic->held,
                               .wanted = problem->traffic->wanted,
                               .row_out = problem->row_out,
                               .deadline = problem->deadline};
}

scalay_status scalay_mapping_problem_cover_heavy(const scalay_bottleneck *bottleneck, int64_t steps,
                                                 scalay_cover *cover)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(cover->row, bottleneck->rows));
    SCALAY_TRY(SCALAY_NEW(cover->col, bottleneck->cols));
    for (int i = 0; i < bottleneck->rows; i++) cover->row[i] = bottleneck->held[i] > steps;
    for (int j = 0; j < bottleneck->cols; j++) cover->col[j] = bottleneck->wanted[j] > steps;
cleanup:
    return status;
}

scalay_status scalay_mapping_problem_cover_positive(int rows, int cols, const scalay_assignment *assignment,
                                                    const scalay_cover *heavy, scalay_cover *cover)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(cover->row, rows));
    SCALAY_TRY(SCALAY_NEW(cover->col, cols));
    for (int i = 0; i < rows; i++) cover->row[i] = assignment->row_dual[i] > 0 || (heavy != NULL && heavy->row[i]);
    for (int j = 0; j < cols; j++) cover->col[j] = assignment->col_dual[j] > 0 || (heavy != NULL && heavy->col[j]);
cleanup:
    return status;
}

void scalay_mapping_problem_take_hall_violator(scalay_bottleneck_solution *solution, scalay_mapping *mapping)
{
    mapping->certificate.hall_violator = solution->violator.member;
    mapping->certificate.hall_violator_size = solution->violator.size;
    mapping->certificate.hall_violator_of_parts = solution->violator.of_parts;
    mapping->steps_bound = solution->bound;
    solution->violator.member = NULL;
}

void scalay_mapping_problem_take_duals(scalay_assignment *assignment, int processes, scalay_mapping *mapping)
{
    mapping->certificate.process_dual = assignment->row_dual;
    mapping->certificate.process_duals = processes;
    mapping->certificate.part_dual = assignment->col_dual;
    assignment->row_dual = NULL;
    assignment->col_dual = NULL;
}
