#include "mapping/product.h"

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/product_solver.h"

/* Among fewer parts the traffic is as quick; for steps, with fewer entries for each part of source and target. */
enum { PARTS_LEAST = 32, ENTRIES_LEAST = 32 };

/* The part of a grid that stands in row r, column c. */
static int part_at(const scalay_layout *layout, int number)
{
    const int q = (int)layout->col.classes;
    return scalay_layout_cell_part(layout, number / q, number % q);
}

static int64_t items_at(const scalay_layout *layout, int number)
{
    const int q = (int)layout->col.classes;
    return scalay_axis_count(&layout->row, number / q) * scalay_axis_count(&layout->col, number % q);
}

/* Volume and steps, by what every process holds, gets and keeps. */
static scalay_status count_costs(const scalay_product_solver *s, const scalay_layout *source,
                                 const scalay_layout *target, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *number = NULL; /* of the source part of each process, plus 1 */
    const int processes = scalay_layout_processes(source);
    unsigned char *busy = NULL;
    mapping->volume = scalay_layout_rows(source) * scalay_layout_cols(source);
    mapping->steps = 0;
    SCALAY_TRY(SCALAY_NEW(number, processes));
    SCALAY_TRY(SCALAY_NEW(busy, processes));
    for (int i = 0; i < s->rows; i++) number[scalay_layout_process_of_part(source, part_at(source, i))] = i + 1;
    for (int j = 0; j < s->cols; j++) {
        const int process = mapping->process[part_at(target, j)];
        const int i = process < processes ? number[process] - 1 : -1;
        const int64_t held = i >= 0 ? items_at(source, i) : 0, wanted = items_at(target, j);
        const int64_t stays = i >= 0 ? scalay_product_items(s, i, j) : 0;
        if (process < processes) busy[process] = 1;
        mapping->volume -= stays;
        mapping->steps = scalay_max_int64(mapping->steps, scalay_max_int64(held, wanted) - stays);
    }
    for (int i = 0; i < s->rows; i++)
        if (!busy[scalay_layout_process_of_part(source, part_at(source, i))])
            mapping->steps = scalay_max_int64(mapping->steps, items_at(source, i));
    mapping->time = (double)mapping->volume;
cleanup:
    scalay_release(number);
    scalay_release(busy);
    return status;
}

/* From numbers in the grids to processes and parts. */
static scalay_status settle(const scalay_product_solver *s, const scalay_layout *source, const scalay_layout *target,
                            const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *of_part = NULL;
    SCALAY_TRY(SCALAY_NEW(of_part, s->cols));
    for (int j = 0; j < s->cols; j++) {
        const int row = s->best[j];
        of_part[part_at(target, j)] = row >= 0 ? scalay_layout_process_of_part(source, part_at(source, row)) : -1;
    }
    SCALAY_TRY(scalay_problem_place(problem, of_part, mapping));
    SCALAY_TRY(count_costs(s, source, target, mapping));
cleanup:
    scalay_release(of_part);
    return status;
}

static scalay_status settle_duals(const scalay_product_solver *s, const scalay_layout *source,
                                  const scalay_layout *target, scalay_certificate *proof)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(proof->process_dual, scalay_layout_processes(source)));
    SCALAY_TRY(SCALAY_NEW(proof->part_dual, s->cols));
    for (int j = 0; j < s->cols; j++) proof->part_dual[part_at(target, j)] = s->assignment.col_dual[j];
    for (int i = 0; i < s->rows; i++)
        proof->process_dual[scalay_layout_process_of_part(source, part_at(source, i))] = s->assignment.row_dual[i];
cleanup:
    return status;
}

/* As the processes and parts that its members are. */
static void settle_crowd(const scalay_layout *source, const scalay_layout *target, scalay_crowd *crowd)
{
    for (int k = 0; k < crowd->size; k++)
        crowd->member[k] = crowd->of_parts ? part_at(target, crowd->member[k])
                                           : scalay_layout_process_of_part(source, part_at(source, crowd->member[k]));
}

int scalay_product_applies(const scalay_layout *source, const scalay_layout *target)
{
    return scalay_layout_is_grid(source) && scalay_layout_is_grid(target) &&
           scalay_max_int64(scalay_layout_parts(source), scalay_layout_parts(target)) >= PARTS_LEAST;
}

static scalay_status count_entries(const scalay_axis *source, const scalay_axis *target, int64_t *entries)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_overlap overlap = {0};
    SCALAY_TRY(scalay_axis_overlap_create(source, target, &overlap));
    *entries = overlap.start[overlap.classes_a];
cleanup:
    scalay_axis_overlap_free(&overlap);
    return status;
}

scalay_status scalay_product_applies_to_steps(const scalay_layout *source, const scalay_layout *target, int *applies)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t of_rows = 0, of_cols = 0;
    const int64_t parts = (int64_t)scalay_layout_parts(source) + scalay_layout_parts(target);
    *applies = 0;
    if (!scalay_product_applies(source, target)) return SCALAY_SUCCESS;
    SCALAY_TRY(count_entries(&source->row, &target->row, &of_rows));
    SCALAY_TRY(count_entries(&source->col, &target->col, &of_cols));
    *applies = of_rows > 0 && of_cols > ENTRIES_LEAST * parts / of_rows;
cleanup:
    return status;
}

static scalay_status create_factors(const scalay_layout *source, const scalay_layout *target, scalay_product_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    *s = (scalay_product_solver){.rows = scalay_layout_parts(source), .cols = scalay_layout_parts(target)};
    SCALAY_TRY(scalay_factor_create(&source->row, &target->row, &s->row));
    SCALAY_TRY(scalay_factor_create(&source->col, &target->col, &s->col));
cleanup:
    return status;
}

static void release(scalay_product_solver *s)
{
    scalay_factor_free(&s->row);
    scalay_factor_free(&s->col);
    scalay_release(s->best);
    scalay_edge_core_free(&s->core);
    scalay_assignment_free(&s->assignment);
}

scalay_status scalay_product_count(const scalay_layout *source, const scalay_layout *target, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver s = {0};
    SCALAY_TRY(create_factors(source, target, &s));
    SCALAY_TRY(count_costs(&s, source, target, mapping));
cleanup:
    release(&s);
    return status;
}

scalay_status scalay_product_solve(const scalay_layout *source, const scalay_layout *target,
                                   const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver s = {0};
    SCALAY_TRY(create_factors(source, target, &s));
    SCALAY_TRY(scalay_assignment_allocate(s.rows, s.cols, &s.assignment));
    SCALAY_TRY(SCALAY_NEW(s.best, s.cols));
    s.assignment.deadline = problem->deadline;
    scalay_product_start(&s);
    int64_t most = scalay_product_bound_at_once(&s);
    if (most > s.best_kept) SCALAY_TRY(scalay_product_rounds(&s));
    if (s.assignment.unfinished) {
        most = scalay_product_bound_at_once(&s);
        mapping->bound = scalay_layout_rows(source) * scalay_layout_cols(source) - most;
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    }
    SCALAY_TRY(settle_duals(&s, source, target, &mapping->certificate));
    SCALAY_TRY(settle(&s, source, target, problem, mapping));
cleanup:
    release(&s);
    return status;
}

scalay_status scalay_product_solve_steps(const scalay_layout *source, const scalay_layout *target,
                                         const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver s = {0};
    scalay_bottleneck_solution solution = {0};
    int64_t *held = NULL, *wanted = NULL;
    SCALAY_TRY(create_factors(source, target, &s));
    SCALAY_TRY(SCALAY_NEW(held, s.rows));
    SCALAY_TRY(SCALAY_NEW(wanted, s.cols));
    for (int i = 0; i < s.rows; i++) held[i] = items_at(source, i);
    for (int j = 0; j < s.cols; j++) wanted[j] = items_at(target, j);
    const scalay_bottleneck bottleneck = {.source = &scalay_bottleneck_products,
                                          .context = &s,
                                          .rows = s.rows,
                                          .cols = s.cols,
                                          .held = held,
                                          .wanted = wanted,
                                          .deadline = problem->deadline};
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    s.best = solution.matching.of_col;
    solution.matching.of_col = NULL;
    settle_crowd(source, target, &solution.crowd);
    scalay_problem_take_crowd(&solution, mapping);
    SCALAY_TRY(settle(&s, source, target, problem, mapping));
    if (mapping->steps > mapping->steps_bound) mapping->proof = SCALAY_PROOF_HEURISTIC;
cleanup:
    scalay_release(held);
    scalay_release(wanted);
    scalay_bottleneck_free(&solution);
    release(&s);
    return status;
}
