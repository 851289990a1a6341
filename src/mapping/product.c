#include "mapping/product.h"

#include "base/integer.h"
#include "base/memory.h"

/* The part of a grid that stands in row r, column c. */
static int part_at(const scalay_layout *layout, int number)
{
    const int q = (int)layout->col.classes;
    return scalay_layout_cell_part(layout, number / q, number % q);
}

int scalay_product_process(const scalay_product *product, int number)
{
    return scalay_layout_process_of_part(product->source, part_at(product->source, number));
}

int64_t scalay_product_all_items(const scalay_product *product)
{
    int64_t items = 0;
    for (int j = 0; j < product->solver.cols; j++) items += product->solver.wanted[j];
    return items;
}

/* By what every process holds, gets and keeps. */
scalay_status scalay_product_count(const scalay_product *product, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_product_solver *s = &product->solver;
    const scalay_layout *source = product->source, *target = product->target;
    int *number = NULL; /* of the source part of each process, plus 1 */
    const int processes = scalay_layout_processes(source);
    unsigned char *busy = NULL;
    mapping->volume = scalay_product_all_items(product);
    mapping->steps = 0;
    SCALAY_TRY(SCALAY_NEW(number, processes));
    SCALAY_TRY(SCALAY_NEW(busy, processes));
    for (int i = 0; i < s->rows; i++) number[scalay_product_process(product, i)] = i + 1;
    for (int j = 0; j < s->cols; j++) {
        const int process = mapping->process[part_at(target, j)];
        const int i = process < processes ? number[process] - 1 : -1;
        const int64_t held = i >= 0 ? s->held[i] : 0, stays = i >= 0 ? scalay_product_items(s, i, j) : 0;
        if (process < processes) busy[process] = 1;
        mapping->volume -= stays;
        mapping->steps = scalay_max_int64(mapping->steps, scalay_max_int64(held, s->wanted[j]) - stays);
    }
    for (int i = 0; i < s->rows; i++)
        if (!busy[scalay_product_process(product, i)]) mapping->steps = scalay_max_int64(mapping->steps, s->held[i]);
    mapping->time = (double)mapping->volume;
cleanup:
    scalay_release(number);
    scalay_release(busy);
    return status;
}

/* From numbers in the grids to processes and parts; of_col[j] is the source part of target part j. */
static scalay_status settle(const scalay_product *product, const int *of_col, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *of_part = NULL;
    SCALAY_TRY(SCALAY_NEW(of_part, product->solver.cols));
    for (int j = 0; j < product->solver.cols; j++)
        of_part[part_at(product->target, j)] = of_col[j] >= 0 ? scalay_product_process(product, of_col[j]) : -1;
    SCALAY_TRY(scalay_problem_place(product->problem, of_part, mapping));
    SCALAY_TRY(scalay_product_count(product, mapping));
cleanup:
    scalay_release(of_part);
    return status;
}

static scalay_status settle_duals(const scalay_product *product, scalay_certificate *proof)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *source = product->source;
    const scalay_product_solver *s = &product->solver;
    proof->process_duals = scalay_layout_processes(source);
    SCALAY_TRY(SCALAY_NEW(proof->process_dual, proof->process_duals));
    SCALAY_TRY(SCALAY_NEW(proof->part_dual, s->cols));
    for (int j = 0; j < s->cols; j++) proof->part_dual[part_at(product->target, j)] = s->assignment.col_dual[j];
    for (int i = 0; i < s->rows; i++)
        proof->process_dual[scalay_product_process(product, i)] = s->assignment.row_dual[i];
    proof->within = s->within;
cleanup:
    return status;
}

/* As the processes and parts that its members are. */
static void take_crowd(const scalay_product *product, scalay_bottleneck_solution *solution, scalay_mapping *mapping)
{
    const scalay_crowd *crowd = &solution->crowd;
    for (int k = 0; k < crowd->size; k++)
        crowd->member[k] = crowd->of_parts ? part_at(product->target, crowd->member[k])
                                           : scalay_product_process(product, crowd->member[k]);
    scalay_problem_take_crowd(solution, mapping);
}

/* Whoever may take no part. */
static scalay_status find_rows_out(scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver *s = &product->solver;
    int out = 0;
    for (int i = 0; i < s->rows; i++)
        out += !scalay_problem_may_take(product->problem, scalay_product_process(product, i));
    if (out == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(s->row_out, s->rows));
    for (int i = 0; i < s->rows; i++)
        s->row_out[i] = !scalay_problem_may_take(product->problem, scalay_product_process(product, i));
cleanup:
    return status;
}

/* Everything is somewhere before and after, so that the factors tell what parts hold. */
static void count_items(const scalay_factor_side *row, const scalay_factor_side *col, int64_t *items)
{
    for (int r = 0; r < row->classes; r++) items[(int64_t)r * col->classes] = scalay_factor_class_items(row, r);
    for (int r = 0; r < row->classes; r++) {
        int64_t *of_row = items + (int64_t)r * col->classes;
        const int64_t whole = of_row[0];
        for (int c = 0; c < col->classes; c++) of_row[c] = whole * scalay_factor_class_items(col, c);
    }
}

scalay_status scalay_product_create_from(const scalay_layout *source, const scalay_layout *target,
                                         const scalay_product_overlap *overlap, const scalay_mapping_problem *problem,
                                         scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver *s = &product->solver;
    *product = (scalay_product){.source = source, .target = target, .problem = problem, .summed = overlap->summed};
    s->rows = scalay_layout_parts(source);
    s->cols = scalay_layout_parts(target);
    s->within = INT64_MAX;
    SCALAY_TRY(scalay_factor_from_overlap(&overlap->row, &s->row));
    SCALAY_TRY(scalay_factor_from_overlap(&overlap->col, &s->col));
    SCALAY_TRY(SCALAY_NEW(s->held, s->rows));
    SCALAY_TRY(SCALAY_NEW(s->wanted, s->cols));
    SCALAY_TRY(SCALAY_NEW(s->best, s->cols));
    count_items(&s->row.source, &s->col.source, s->held);
    count_items(&s->row.target, &s->col.target, s->wanted);
    SCALAY_TRY(find_rows_out(product));
cleanup:
    return status;
}

scalay_status scalay_product_create(const scalay_layout *source, const scalay_layout *target,
                                    const scalay_mapping_problem *problem, scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_overlap overlap = {0};
    *product = (scalay_product){0};
    SCALAY_TRY(scalay_product_overlap_create(1, &source, &target, NULL, &overlap));
    SCALAY_TRY(scalay_product_create_from(source, target, &overlap, problem, product));
cleanup:
    scalay_product_overlap_free(&overlap);
    return status;
}

void scalay_product_free(scalay_product *product)
{
    scalay_product_solver *s = &product->solver;
    scalay_factor_free(&s->row);
    scalay_factor_free(&s->col);
    scalay_release(s->held);
    scalay_release(s->wanted);
    scalay_release(s->best);
    scalay_release(s->row_out);
    scalay_edge_core_free(&s->core);
    scalay_assignment_free(&s->assignment);
}

/* ---------------------------------------------------------------------------------------------- volume */

/* The best mapping within some steps, with its duals; heavy and feasible only count where steps do. */
static scalay_status find_volume(scalay_product *product, int64_t steps, const scalay_cover *heavy,
                                 const scalay_matching *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver *s = &product->solver;
    const int limited = steps < INT64_MAX;
    int solved = 0;
    scalay_edge_core_free(&s->core);
    scalay_assignment_free(&s->assignment);
    s->within = steps;
    s->only_tight = 0;
    SCALAY_TRY(scalay_assignment_allocate(s->rows, s->cols, &s->assignment));
    s->assignment.deadline = product->problem->deadline;
    if (!limited) scalay_product_start(s);
    if (!limited) solved = scalay_product_bound_at_once(s) <= s->best_kept;
    if (!limited && !solved && scalay_deadline_passed(s->assignment.deadline)) {
        s->assignment.unfinished = 1;
        return SCALAY_SUCCESS;
    }
    if (!limited && !solved && s->row_out == NULL && !product->summed)
        SCALAY_TRY(scalay_product_solve_orbits(product, &solved));
    if (!solved) SCALAY_TRY(scalay_product_rounds(s, limited ? heavy : NULL, limited ? feasible : NULL));
cleanup:
    return status;
}

/* What find_volume() has proven. Where the deadline came first: the duals at once, which hold within any steps. */
static scalay_status settle_bound(scalay_product *product, scalay_mapping *mapping)
{
    scalay_product_solver *s = &product->solver;
    mapping->bound = scalay_product_all_items(product) - s->best_kept;
    if (s->assignment.unfinished) {
        mapping->bound = scalay_product_all_items(product) - scalay_product_bound_at_once(s);
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    }
    return settle_duals(product, &mapping->certificate);
}

static scalay_status settle_volume(scalay_product *product, scalay_mapping *mapping)
{
    const scalay_status status = settle_bound(product, mapping);
    return status == SCALAY_SUCCESS ? settle(product, product->solver.best, mapping) : status;
}

scalay_status scalay_product_bound_volume(scalay_product *product, scalay_mapping *mapping)
{
    const scalay_status status = find_volume(product, INT64_MAX, NULL, NULL);
    return status == SCALAY_SUCCESS ? settle_bound(product, mapping) : status;
}

scalay_status scalay_product_solve_volume(scalay_product *product, scalay_mapping *mapping)
{
    const scalay_status status = find_volume(product, INT64_MAX, NULL, NULL);
    return status == SCALAY_SUCCESS ? settle_volume(product, mapping) : status;
}

/* ----------------------------------------------------------------------------------------------- steps */

scalay_bottleneck scalay_product_bottleneck(const scalay_product *product)
{
    const scalay_product_solver *s = &product->solver;
    return (scalay_bottleneck){.source = &scalay_bottleneck_products,
                               .context = s,
                               .rows = s->rows,
                               .cols = s->cols,
                               .held = s->held,
                               .wanted = s->wanted,
                               .row_out = s->row_out,
                               .deadline = product->problem->deadline};
}

scalay_status scalay_product_find_steps(scalay_product *product, scalay_mapping *mapping,
                                        scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, solution));
    SCALAY_TRY(settle(product, solution->matching.of_col, mapping));
    take_crowd(product, solution, mapping);
    if (mapping->steps > mapping->steps_bound) mapping->proof = SCALAY_PROOF_HEURISTIC;
cleanup:
    return status;
}

scalay_status scalay_product_solve_steps(scalay_product *product, scalay_mapping *mapping)
{
    scalay_bottleneck_solution solution = {0};
    const scalay_status status = scalay_product_find_steps(product, mapping, &solution);
    scalay_bottleneck_free(&solution);
    return status;
}

scalay_status scalay_product_solve_steps_then_volume(scalay_product *product, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_solution solution = {0};
    scalay_cover heavy = {0};
    const scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_product_find_steps(product, mapping, &solution));
    if (!solution.found || solution.bound < solution.steps) {
        mapping->proof = SCALAY_PROOF_HEURISTIC; /* the volume was not looked at, whatever the steps turn out to be */
        goto cleanup;
    }
    SCALAY_TRY(scalay_problem_cover_heavy(&bottleneck, solution.steps, &heavy));
    SCALAY_TRY(find_volume(product, solution.steps, &heavy, &solution.matching));
    SCALAY_TRY(settle_volume(product, mapping));
cleanup:
    scalay_bottleneck_free(&solution);
    scalay_cover_free(&heavy);
    return status;
}

/* The mappings of least volume are the matchings on the tight products of any optimal duals. */
static scalay_status find_steps_of_tight(scalay_product *product, const scalay_cover *heavy, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver *s = &product->solver;
    scalay_bottleneck_solution solution = {0};
    scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_problem_cover_positive(s->rows, s->cols, &s->assignment, heavy, &bottleneck.must));
    scalay_product_find_least_duals(s);
    s->only_tight = 1;
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    for (int j = 0; j < s->cols && solution.found; j++) s->best[j] = solution.matching.of_col[j];
    if (solution.bound < solution.steps || !solution.found) mapping->proof = SCALAY_PROOF_HEURISTIC;
    take_crowd(product, &solution, mapping);
cleanup:
    s->only_tight = 0;
    scalay_bottleneck_free(&solution);
    scalay_cover_free(&bottleneck.must);
    return status;
}

scalay_status scalay_product_solve_within(scalay_product *product, int64_t steps, const scalay_matching *feasible,
                                          scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cover heavy = {0};
    const scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_problem_cover_heavy(&bottleneck, steps, &heavy));
    SCALAY_TRY(find_volume(product, steps, &heavy, feasible));
    if (!product->solver.assignment.unfinished) SCALAY_TRY(find_steps_of_tight(product, &heavy, mapping));
    SCALAY_TRY(settle_volume(product, mapping));
cleanup:
    scalay_cover_free(&heavy);
    return status;
}
