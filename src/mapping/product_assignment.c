/*
 * Least volume between grids: the assignment problem on a Kronecker product of two factors.
 *
 * The product is not formed. The core consists of the heaviest products of each row and column and of the best
 * assignments of the factors, combined. Pricing walks through the sorted factors and stops where a product no longer
 * exceeds the dual of its row and the least dual of a column.
 *
 * If the matrix holds whole periods of both layouts, the problem has symmetries. Shifts by a multiple of both blocks
 * permute the classes of each axis. The classes of an orbit are those of equal number modulo the number of orbits.
 * Each member of an orbit has as many edges of the heaviest kind to another orbit as any other member, so fractions of
 * a mapping can be spread evenly. The optimum is therefore that of a small transportation problem between orbits, whose
 * duals hold for all members. A matching on tight edges then proves them; without such a matching nothing is claimed.
 *
 * Memory: O(parts + factor entries). Time: rounds as in assignment_core.c.
 */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/product.h"

/* Initial core edges of a row and of a column; edges that a row adds at most in a round. */
enum { PER_ROW = 5, PER_COL = 2, PER_PRICING = 64 };

/* -------------------------------------------------------------------------------------------------- core */

static scalay_status add_edge(scalay_product *product, int from, int to, int64_t weight)
{
    return scalay_product_counts(product, from, to, weight) ? scalay_edge_core_add(&product->core, from, to, weight)
                                                            : SCALAY_SUCCESS;
}

/* A product of an entry of each factor. */
typedef struct {
    int64_t weight;
    int row, col; /* the classes at the other end */
} entry_product;

/* Finds the `max` heaviest products of two sorted lists, heaviest first. The product of entries number a and b, from 0,
   can be one of them only if (a + 1) (b + 1) <= max. */
static int find_heaviest(const scalay_traffic_factor_side *row, int r, const scalay_traffic_factor_side *col, int c,
                         int max, entry_product *found)
{
    int count = 0;
    const scalay_traffic_factor_entry *a = row->entries + row->start[r], *b = col->entries + col->start[c];
    const int64_t a_count = row->start[r + 1] - row->start[r], b_count = col->start[c + 1] - col->start[c];
    for (int x = 0; x < max && x < a_count; x++)
        for (int y = 0; (x + 1) * (y + 1) <= max && y < b_count; y++) {
            const entry_product next = {a[x].weight * b[y].weight, a[x].other, b[y].other};
            int place = count < max ? count++ : max;
            if (place == max && found[max - 1].weight >= next.weight) break;
            if (place == max) place--;
            for (; place > 0 && found[place - 1].weight < next.weight; place--) found[place] = found[place - 1];
            found[place] = next;
        }
    return count;
}

/* Lines between checks of the deadline. */
enum { LINES_PER_CHECK = 1024 };

static int is_late(scalay_product *product, int line)
{
    if (line % LINES_PER_CHECK == 0 && scalay_deadline_passed(product->problem->deadline))
        product->assignment.unfinished = 1;
    return product->assignment.unfinished;
}

static scalay_status start_rows(scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = product->col.source.classes, q2 = product->col.target.classes;
    entry_product found[PER_ROW];
    for (int from = 0; from < product->rows && !is_late(product, from); from++) {
        const int r = from / q, c = from % q;
        const int count = find_heaviest(&product->row.source, r, &product->col.source, c, PER_ROW, found);
        for (int k = 0; k < count; k++)
            SCALAY_TRY(add_edge(product, from, found[k].row * q2 + found[k].col, found[k].weight));
        if (product->row.partner[r] < 0 || product->col.partner[c] < 0) continue;
        const int partner = product->row.partner[r] * q2 + product->col.partner[c];
        SCALAY_TRY(add_edge(product, from, partner, scalay_product_elements(product, from, partner)));
    }
cleanup:
    return status;
}

static scalay_status start_cols(scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    const int q = product->col.source.classes, q2 = product->col.target.classes;
    entry_product found[PER_COL];
    for (int to = 0; to < product->cols && !is_late(product, to); to++) {
        const int count = find_heaviest(&product->row.target, to / q2, &product->col.target, to % q2, PER_COL, found);
        for (int k = 0; k < count; k++)
            SCALAY_TRY(add_edge(product, found[k].row * q + found[k].col, to, found[k].weight));
    }
cleanup:
    return status;
}

/* Returns the elements that a part of the target has in common with its source part of the best mapping. */
static int64_t kept_by(const scalay_product *product, int to)
{
    return product->best[to] >= 0 ? scalay_product_elements(product, product->best[to], to) : 0;
}

static void take_feasible(scalay_product *product, const scalay_matching *feasible)
{
    product->best_kept = 0;
    for (int to = 0; to < product->cols; to++) {
        product->best[to] = feasible->of_col[to];
        product->best_kept += kept_by(product, to);
    }
}

static scalay_status start_feasible(scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int to = 0; to < product->cols; to++) {
        const int64_t weight = kept_by(product, to);
        if (weight > 0) SCALAY_TRY(scalay_edge_core_add(&product->core, product->best[to], to, weight));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ pricing */

void scalay_product_find_min_duals(scalay_product *product)
{
    product->min_dual[0] = product->min_dual[1] = 0;
    for (int i = 0; i < product->rows; i++)
        product->min_dual[0] = scalay_min_int64(product->min_dual[0], product->assignment.row_dual[i]);
    for (int j = 0; j < product->cols; j++)
        product->min_dual[1] = scalay_min_int64(product->min_dual[1], product->assignment.col_dual[j]);
}

static void begin_pricing(void *context, const scalay_assignment *assignment)
{
    (void)assignment; /* that of the product */
    scalay_product_find_min_duals(context);
}

/* Weights up to the returned value need no examination: they are dominated, or leave the row too many steps. */
static int64_t floor_of_row(const scalay_product *product, int from)
{
    const int64_t by_duals = product->assignment.row_dual[from] + product->min_dual[1];
    const int64_t by_steps = product->within < INT64_MAX ? product->held[from] - product->within - 1 : 0;
    return scalay_max_int64(scalay_max_int64(by_duals, by_steps), 0);
}

static scalay_status price_row(void *context, const scalay_assignment *assignment, int from, scalay_edge_core *core)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_product *product = context;
    const int q = product->col.source.classes, q2 = product->col.target.classes, r = from / q, c = from % q;
    const scalay_traffic_factor_side *rows = &product->row.source, *cols = &product->col.source;
    const int64_t first = cols->start[c], end = cols->start[c + 1], floor = floor_of_row(product, from);
    int added = 0;
    if (scalay_product_is_out(product, from) || first == end) return SCALAY_SUCCESS;
    for (int64_t a = rows->start[r]; a < rows->start[r + 1] && added < PER_PRICING; a++) {
        const int64_t weight = rows->entries[a].weight;
        const int first_of_row = rows->entries[a].other * q2;
        if (weight * cols->entries[first].weight <= floor) break;
        for (int64_t b = first; b < end && weight * cols->entries[b].weight > floor && added < PER_PRICING; b++) {
            const int to = first_of_row + cols->entries[b].other;
            const int64_t elements = weight * cols->entries[b].weight;
            if (elements - assignment->row_dual[from] <= assignment->col_dual[to] ||
                !scalay_product_counts(product, from, to, elements))
                continue;
            SCALAY_TRY(scalay_edge_core_add(core, from, to, elements));
            added++;
        }
    }
cleanup:
    return status;
}

static void receive(void *context, const scalay_cover *cover, const scalay_assignment *assignment)
{
    scalay_product *product = context;
    const int *of_col = assignment->matching.of_col;
    int64_t kept = 0;
    if (assignment->unfinished && !scalay_assignment_covers(cover, &assignment->matching, product->rows, product->cols))
        return;
    for (int to = 0; to < product->cols; to++)
        kept += of_col[to] >= 0 ? scalay_product_elements(product, of_col[to], to) : 0;
    if (kept < product->best_kept && assignment->unfinished) return;
    product->best_kept = kept;
    for (int to = 0; to < product->cols; to++) product->best[to] = of_col[to];
}

static scalay_status solve_on_core(scalay_product *product, const scalay_cover *cover, const scalay_matching *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edge_core *core = &product->core;
    const scalay_edge_source source = {product->rows, product->cols, begin_pricing, price_row, receive, product};
    core->deadline = product->problem->deadline;
    if (feasible != NULL) take_feasible(product, feasible);
    product->assignment.unfinished = scalay_deadline_passed(product->problem->deadline);
    for (int pass = 0; pass < 2 && !product->assignment.unfinished; pass++) {
        SCALAY_TRY(scalay_edge_core_start_pass(core, pass, product->rows, product->cols));
        if (feasible != NULL) SCALAY_TRY(start_feasible(product));
        SCALAY_TRY(start_rows(product));
        SCALAY_TRY(start_cols(product));
    }
    if (!product->assignment.unfinished)
        SCALAY_TRY(scalay_assignment_on_core(&source, cover, SCALAY_START_EMPTY, core, &product->assignment));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------- without a search */

/* The best assignments of rows and of columns, combined, are the first mapping. */
static void combine_partners(scalay_product *product)
{
    const int q = product->col.source.classes, q2 = product->col.target.classes;
    product->best_kept = 0;
    for (int to = 0; to < product->cols; to++) product->best[to] = -1;
    for (int from = 0; from < product->rows; from++) {
        const int row = product->row.partner[from / q], col = product->col.partner[from % q];
        if (row < 0 || col < 0 || scalay_product_is_out(product, from)) continue;
        product->best[row * q2 + col] = from;
        product->best_kept += scalay_product_elements(product, from, row * q2 + col);
    }
}

static int64_t heaviest_entry(const scalay_traffic_factor_side *side, int k)
{
    return side->start[k] < side->start[k + 1] ? side->entries[side->start[k]].weight : 0;
}

/* Sets the dual of each part of a side to its heaviest product. Returns their sum. */
static int64_t set_heaviest(const scalay_traffic_factor_side *row, const scalay_traffic_factor_side *col,
                            const unsigned char *is_out, int64_t *dual)
{
    int64_t sum = 0;
    for (int r = 0; r < row->classes; r++) {
        const int64_t of_row = heaviest_entry(row, r);
        for (int c = 0; c < col->classes; c++) {
            const int64_t number = (int64_t)r * col->classes + c;
            dual[number] = is_out != NULL && is_out[number] ? 0 : of_row * heaviest_entry(col, c);
            sum += dual[number];
        }
    }
    return sum;
}

/* No part keeps more than its heaviest product: sets the duals of the side where that is less in total, and returns the
   total. */
static int64_t bound_by_heaviest(scalay_product *product)
{
    int64_t *row_dual = product->assignment.row_dual, *col_dual = product->assignment.col_dual;
    const int64_t of_source = set_heaviest(&product->row.source, &product->col.source, product->row_out, row_dual);
    const int64_t of_target = set_heaviest(&product->row.target, &product->col.target, NULL, col_dual);
    const int by_source = of_source <= of_target;
    for (int i = 0; i < product->rows && !by_source; i++) row_dual[i] = 0;
    for (int j = 0; j < product->cols && by_source; j++) col_dual[j] = 0;
    return by_source ? of_source : of_target;
}

/* ------------------------------------------------------------------------------------------------- orbits */

/* Larger transportation problems, in edges, do not pay. */
enum { MAX_ORBIT_EDGES = 1 << 20 };

/* The orbits of the classes of a factor, and the heaviest entry between two of them. */
typedef struct {
    int source, target; /* numbers of orbits; 0: the axis does not hold whole periods */
    int64_t *heaviest;  /* shape [source][target] */
} factor_orbits;

/* Shifts that permute the target classes move source classes by multiples of this number of blocks. */
static int count_orbits(int64_t block, int64_t other, int64_t common)
{
    const int64_t shift = scalay_gcd(other, common);
    return (int)(shift / scalay_gcd(block, shift));
}

static scalay_status find_orbits(const scalay_axis *source, const scalay_axis *target,
                                 const scalay_traffic_factor *factor, factor_orbits *orbits)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t one = 0, other = 0, period = 0;
    *orbits = (factor_orbits){0};
    if (source->runs != NULL || target->runs != NULL) return SCALAY_SUCCESS;
    if (!scalay_multiply_int64(source->block, source->classes, &one) ||
        !scalay_multiply_int64(target->block, target->classes, &other))
        return SCALAY_SUCCESS;
    const int64_t common = scalay_gcd(one, other);
    if (!scalay_multiply_int64(one / common, other, &period) || source->extent % period != 0) return SCALAY_SUCCESS;
    orbits->source = count_orbits(source->block, target->block, common);
    orbits->target = count_orbits(target->block, source->block, common);
    SCALAY_TRY(SCALAY_NEW(orbits->heaviest, (int64_t)orbits->source * orbits->target));
    for (int x = 0; x < factor->edges.rows; x++)
        for (int64_t e = factor->edges.start[x]; e < factor->edges.start[x + 1]; e++) {
            int64_t *heaviest =
                &orbits->heaviest[x % orbits->source * orbits->target + factor->edges.col[e] % orbits->target];
            *heaviest = scalay_max_int64(*heaviest, factor->edges.weight[e]);
        }
cleanup:
    return status;
}

/* The transportation problem as an assignment problem: an orbit has one line per member, divided by the greatest common
   divisor of the sizes of all orbits. */
typedef struct {
    factor_orbits row, col;
    int orbits[2]; /* of source and target parts */
    int64_t lines_per_orbit[2];
} transport;

static int orbit_of(const transport *t, int side, int classes, int part)
{
    const int rows = side == 0 ? t->row.source : t->row.target, cols = side == 0 ? t->col.source : t->col.target;
    return part / classes % rows * cols + part % classes % cols;
}

static int64_t heaviest_between(const transport *t, int from, int to)
{
    const int q = t->col.source, q2 = t->col.target;
    return t->row.heaviest[from / q * t->row.target + to / q2] * t->col.heaviest[from % q * q2 + to % q2];
}

/* Returns 0 if there are no whole periods, or too many orbits. */
static int set_sizes(const scalay_product *product, transport *t)
{
    if (t->row.source == 0 || t->col.source == 0) return 0;
    t->orbits[0] = t->row.source * t->col.source;
    t->orbits[1] = t->row.target * t->col.target;
    t->lines_per_orbit[0] = product->rows / t->orbits[0];
    t->lines_per_orbit[1] = product->cols / t->orbits[1];
    const int64_t common = scalay_gcd(t->lines_per_orbit[0], t->lines_per_orbit[1]);
    for (int side = 0; side < 2; side++) t->lines_per_orbit[side] /= common;
    return t->orbits[0] * t->lines_per_orbit[0] <= MAX_ORBIT_EDGES / (t->orbits[1] * t->lines_per_orbit[1]);
}

static scalay_status make_edges(const transport *t, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0;
    edges->rows = (int)(t->orbits[0] * t->lines_per_orbit[0]);
    edges->cols = (int)(t->orbits[1] * t->lines_per_orbit[1]);
    SCALAY_TRY(SCALAY_NEW(edges->start, (int64_t)edges->rows + 1));
    SCALAY_TRY(SCALAY_NEW(edges->col, (int64_t)edges->rows * edges->cols));
    SCALAY_TRY(SCALAY_NEW(edges->weight, (int64_t)edges->rows * edges->cols));
    for (int i = 0; i < edges->rows; i++) {
        for (int j = 0; j < edges->cols; j++) {
            const int64_t weight =
                heaviest_between(t, (int)(i / t->lines_per_orbit[0]), (int)(j / t->lines_per_orbit[1]));
            if (weight == 0) continue;
            edges->col[count] = j;
            edges->weight[count++] = weight;
        }
        edges->start[i + 1] = count;
    }
cleanup:
    return status;
}

/* A part gets the least dual of the lines of its orbit: all edges are dominated like those of that line. */
static void spread_duals(const transport *t, const scalay_assignment *small, scalay_product *product)
{
    for (int side = 0; side < 2; side++) {
        const int parts = side == 0 ? product->rows : product->cols;
        const int classes = side == 0 ? product->col.source.classes : product->col.target.classes;
        const int64_t *of_line = side == 0 ? small->row_dual : small->col_dual;
        int64_t *dual = side == 0 ? product->assignment.row_dual : product->assignment.col_dual;
        for (int x = 0; x < parts; x++) {
            const int64_t first = orbit_of(t, side, classes, x) * t->lines_per_orbit[side];
            dual[x] = of_line[first];
            for (int64_t k = 1; k < t->lines_per_orbit[side]; k++)
                dual[x] = scalay_min_int64(dual[x], of_line[first + k]);
        }
    }
}

/* *found: 0 if the deadline passed first. */
static scalay_status find_orbit_duals(const transport *t, scalay_deadline deadline, scalay_product *product, int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges edges = {0};
    scalay_assignment small = {0};
    SCALAY_TRY(make_edges(t, &edges));
    SCALAY_TRY(scalay_assignment_allocate(edges.rows, edges.cols, &small));
    small.deadline = deadline;
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, &small));
    *found = !small.unfinished;
    if (*found) spread_duals(t, &small, product);
cleanup:
    scalay_assignment_free(&small);
    scalay_edges_free(&edges);
    return status;
}

/* Takes a matching that keeps as much as the duals allow; returns 0 if it keeps less. */
static int take_optimal(scalay_product *product, const int *of_col)
{
    int64_t kept = 0, bound = 0;
    for (int i = 0; i < product->rows; i++) bound += product->assignment.row_dual[i];
    for (int j = 0; j < product->cols; j++) {
        bound += product->assignment.col_dual[j];
        if (of_col[j] >= 0) kept += scalay_product_elements(product, of_col[j], j);
    }
    if (kept < bound) return 0;
    for (int j = 0; j < product->cols; j++) product->best[j] = of_col[j];
    product->best_kept = kept;
    return 1;
}

/* Looks for a matching on tight products that covers all positive duals. */
static scalay_status match_tight(scalay_product *product, int *solved)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_trial trial = {0};
    scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_mapping_problem_cover_positive(product->rows, product->cols, &product->assignment, NULL,
                                                     &bottleneck.must));
    scalay_product_find_min_duals(product);
    product->only_tight = 1;
    SCALAY_TRY(scalay_bottleneck_trial_create(&bottleneck, &trial));
    SCALAY_TRY(scalay_bottleneck_trial_run(&trial, scalay_bottleneck_max_steps(&bottleneck)));
    *solved = trial.suffices && take_optimal(product, trial.matching.of_col);
cleanup:
    product->only_tight = 0;
    scalay_bottleneck_trial_free(&trial);
    scalay_cover_free(&bottleneck.must);
    return status;
}

scalay_status scalay_product_solve_by_orbits(scalay_product *product, int *solved)
{
    scalay_status status = SCALAY_SUCCESS;
    transport t = {0};
    const scalay_layout *source = product->source, *target = product->target;
    int found = 0;
    SCALAY_TRY(find_orbits(&source->row, &target->row, &product->row, &t.row));
    SCALAY_TRY(find_orbits(&source->col, &target->col, &product->col, &t.col));
    if (set_sizes(product, &t)) {
        SCALAY_TRY(find_orbit_duals(&t, product->problem->deadline, product, &found));
        if (found) SCALAY_TRY(match_tight(product, solved));
    }
cleanup:
    scalay_release(t.row.heaviest);
    scalay_release(t.col.heaviest);
    return status;
}

/* ------------------------------------------------------------------------------------------------- volume */

static scalay_status find_least_volume(scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    int solved = 0;
    combine_partners(product);
    if (bound_by_heaviest(product) <= product->best_kept) return SCALAY_SUCCESS;
    if (scalay_deadline_passed(product->problem->deadline)) {
        product->assignment.unfinished = 1;
        return SCALAY_SUCCESS;
    }
    if (product->row_out == NULL && !product->summed) SCALAY_TRY(scalay_product_solve_by_orbits(product, &solved));
    if (!solved) SCALAY_TRY(solve_on_core(product, NULL, NULL));
cleanup:
    return status;
}

scalay_status scalay_product_find_volume(scalay_product *product, int64_t steps, const scalay_cover *heavy,
                                         const scalay_matching *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edge_core_free(&product->core);
    scalay_assignment_free(&product->assignment);
    product->within = steps;
    product->only_tight = 0;
    SCALAY_TRY(scalay_assignment_allocate(product->rows, product->cols, &product->assignment));
    product->assignment.deadline = product->problem->deadline;
    SCALAY_TRY(steps == INT64_MAX ? find_least_volume(product) : solve_on_core(product, heavy, feasible));
cleanup:
    return status;
}

static scalay_status take_duals(const scalay_product *product, scalay_certificate *proof)
{
    scalay_status status = SCALAY_SUCCESS;
    proof->process_duals = scalay_layout_processes(product->source);
    SCALAY_TRY(SCALAY_NEW(proof->process_dual, proof->process_duals));
    SCALAY_TRY(SCALAY_NEW(proof->part_dual, product->cols));
    for (int j = 0; j < product->cols; j++)
        proof->part_dual[scalay_product_part(product, j)] = product->assignment.col_dual[j];
    for (int i = 0; i < product->rows; i++)
        proof->process_dual[scalay_product_process(product, i)] = product->assignment.row_dual[i];
    proof->within = product->within;
cleanup:
    return status;
}

/* After a deadline the duals are those of the heaviest products, which hold within any number of steps. */
scalay_status scalay_product_take_bound(scalay_product *product, scalay_mapping *mapping)
{
    int64_t kept = product->best_kept;
    if (product->assignment.unfinished) {
        kept = bound_by_heaviest(product);
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    }
    mapping->bound = scalay_product_all_elements(product) - kept;
    return take_duals(product, &mapping->certificate);
}

scalay_status scalay_product_take_volume(scalay_product *product, scalay_mapping *mapping)
{
    const scalay_status status = scalay_product_take_bound(product, mapping);
    return status == SCALAY_SUCCESS ? scalay_product_place(product, product->best, mapping) : status;
}
