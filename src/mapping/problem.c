/* A mapping problem: who may take a part, on which edges, and where parts go that nothing decides about. */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/solve.h"
#include "mapping/traffic.h"

int scalay_problem_may_take(const scalay_mapping_problem *problem, int process)
{
    return process >= 0 && process < problem->processes && (problem->barred == NULL || !problem->barred[process]);
}

int scalay_problem_canonical(const scalay_mapping_problem *problem, int part)
{
    return problem->canonical != NULL ? problem->canonical[part] : part;
}

/* Puts a part on a process unless that is impossible or the process has one; returns whether it did. */
static int settle(const scalay_mapping_problem *problem, int part, int process, unsigned char *taken,
                  scalay_mapping *mapping)
{
    if (!scalay_problem_may_take(problem, process) || taken[process]) return 0;
    taken[process] = 1;
    mapping->process[part] = process;
    return 1;
}

scalay_status scalay_problem_place(const scalay_mapping_problem *problem, const int *of_part, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *taken = NULL;
    int next = 0;
    SCALAY_TRY(SCALAY_NEW(taken, problem->processes));
    for (int j = 0; j < mapping->parts; j++) {
        mapping->process[j] = -1;
        if (of_part[j] >= 0) (void)settle(problem, j, of_part[j], taken, mapping);
    }
    for (int j = 0; j < mapping->parts; j++)
        if (mapping->process[j] < 0) (void)settle(problem, j, scalay_problem_canonical(problem, j), taken, mapping);
    for (int j = 0; j < mapping->parts; j++)
        while (mapping->process[j] < 0 && next < problem->processes) (void)settle(problem, j, next++, taken, mapping);
cleanup:
    scalay_release(taken);
    return status;
}

scalay_bottleneck scalay_problem_bottleneck(const scalay_mapping_problem *problem, const scalay_edges *edges)
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

void scalay_problem_take_crowd(scalay_bottleneck_solution *solution, scalay_mapping *mapping)
{
    mapping->certificate.crowd = solution->crowd.member;
    mapping->certificate.crowd_size = solution->crowd.size;
    mapping->certificate.crowd_of_parts = solution->crowd.of_parts;
    mapping->steps_bound = solution->bound;
    solution->crowd.member = NULL;
}

void scalay_problem_take_duals(scalay_assignment *assignment, int processes, scalay_mapping *mapping)
{
    mapping->certificate.process_dual = assignment->row_dual;
    mapping->certificate.process_duals = processes;
    mapping->certificate.part_dual = assignment->col_dual;
    assignment->row_dual = NULL;
    assignment->col_dual = NULL;
}

/* ---------------------------------------------------------------------------------------------- covers */

scalay_status scalay_problem_cover_heavy(const scalay_bottleneck *bottleneck, int64_t steps, scalay_cover *cover)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(cover->row, bottleneck->rows));
    SCALAY_TRY(SCALAY_NEW(cover->col, bottleneck->cols));
    for (int i = 0; i < bottleneck->rows; i++) cover->row[i] = bottleneck->held[i] > steps;
    for (int j = 0; j < bottleneck->cols; j++) cover->col[j] = bottleneck->wanted[j] > steps;
cleanup:
    return status;
}

scalay_status scalay_problem_cover_positive(int rows, int cols, const scalay_assignment *assignment,
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

/* ------------------------------------------------------------------------------------------- making one */

static int is_open_edge(const void *context, int64_t edge, int i, int j, int64_t weight)
{
    (void)edge;
    (void)j;
    (void)weight;
    return scalay_problem_may_take(context, i);
}

/* The edges of the traffic, without those of the processes that may take no part. */
static scalay_status find_edges(scalay_mapping_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges all = scalay_edges_view(problem->traffic);
    int out = 0;
    for (int i = 0; i < all.rows; i++) out += !scalay_problem_may_take(problem, i);
    problem->edges = all;
    if (out == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(problem->row_out, all.rows));
    for (int i = 0; i < all.rows; i++) problem->row_out[i] = !scalay_problem_may_take(problem, i);
    SCALAY_TRY(scalay_edges_select(&all, is_open_edge, problem, &problem->edges));
cleanup:
    return status;
}

void scalay_mapping_problem_free(scalay_mapping_problem *problem)
{
    if (problem->row_out != NULL) scalay_edges_free(&problem->edges);
    scalay_release(problem->row_out);
}

static scalay_status check_room(const scalay_mapping_problem *problem, int parts)
{
    int room = 0;
    for (int i = 0; i < problem->processes; i++) room += scalay_problem_may_take(problem, i);
    if (room < parts)
        return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                           "%d parts, but only %d of %d processes may take one; bar fewer or add processes", parts,
                           room, problem->processes);
    return SCALAY_SUCCESS;
}

scalay_status scalay_mapping_problem_resolve(int parts, const int *canonical, int most,
                                             const scalay_mapping_options *options, scalay_mapping_problem *problem)
{
    *problem = (scalay_mapping_problem){.processes = most, .canonical = canonical};
    if (options != NULL) {
        if (options->processes > 0) problem->processes = options->processes;
        problem->barred = options->barred;
        problem->link_cost = options->link_cost;
        problem->link_context = options->link_context;
        problem->seed = options->seed;
    }
    problem->deadline = scalay_deadline_in(options != NULL ? options->budget_seconds : 0.0);
    return check_room(problem, parts);
}

scalay_status scalay_mapping_problem_create(const scalay_traffic *traffic, const int *canonical, int most,
                                            const scalay_mapping_options *options, scalay_mapping_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_problem_resolve(traffic->parts, canonical, most, options, problem));
    problem->traffic = traffic;
    SCALAY_TRY(find_edges(problem));
cleanup:
    return status;
}

scalay_status scalay_canonical_processes(const scalay_layout *source, const scalay_layout *target, int **canonical,
                                         int *most)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_layout_parts(target);
    SCALAY_TRY(SCALAY_NEW(*canonical, parts));
    for (int j = 0; j < parts; j++) (*canonical)[j] = scalay_layout_process_of_part(target, j);
    *most = (int)scalay_max_int64(scalay_layout_processes(source), scalay_layout_processes(target));
cleanup:
    return status;
}
