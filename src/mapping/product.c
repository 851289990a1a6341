/*
 * Factors of the traffic between grids. Several pairs of the same grids with one factor in common are one product: the
 * sum of R_k (x) C is (sum of R_k) (x) C.
 *
 * Time: O(entries log entries) of the factors, and O(parts). Memory: O(entries + parts).
 */
#include "mapping/product.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/traffic.h"

/* ---------------------------------------------------------------------------------------------- factors */

static int compare_entries(const void *a, const void *b)
{
    const scalay_traffic_factor_entry *left = a, *right = b;
    const int order = scalay_compare_int64(right->weight, left->weight);
    return order != 0 ? order : scalay_compare_int64(left->shift, right->shift);
}

static void sort_side(scalay_traffic_factor_side *side)
{
    for (int k = 0; k < side->classes; k++)
        qsort(side->entries + side->start[k], (size_t)(side->start[k + 1] - side->start[k]), sizeof *side->entries,
              compare_entries);
}

static scalay_status side_allocate(int classes, int64_t entries, scalay_traffic_factor_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    side->classes = classes;
    SCALAY_TRY(SCALAY_NEW(side->start, (int64_t)classes + 1));
    SCALAY_TRY(SCALAY_NEW(side->entries, entries));
cleanup:
    return status;
}

static int cyclic_distance(int from, int to, int classes)
{
    return ((to - from) % classes + classes) % classes;
}

/* Lists entry (x, y) of the overlap at both ends. */
static void fill_sides(const scalay_axis_overlap *overlap, scalay_traffic_factor *factor)
{
    scalay_traffic_factor_side *source = &factor->source, *target = &factor->target;
    for (int64_t e = 0; e < overlap->start[overlap->classes_a]; e++) target->start[overlap->class_b[e] + 1]++;
    for (int y = 0; y < target->classes; y++) target->start[y + 1] += target->start[y];
    for (int x = 0; x < source->classes; x++) {
        for (int64_t e = overlap->start[x]; e < overlap->start[x + 1]; e++) {
            const int y = (int)overlap->class_b[e];
            source->entries[e] =
                (scalay_traffic_factor_entry){overlap->count[e], y, cyclic_distance(x, y, target->classes)};
            target->entries[target->start[y]++] =
                (scalay_traffic_factor_entry){overlap->count[e], x, cyclic_distance(y, x, source->classes)};
            factor->edges.col[e] = y;
            factor->edges.weight[e] = overlap->count[e];
        }
        factor->edges.start[x + 1] = source->start[x + 1] = overlap->start[x + 1];
    }
    for (int y = target->classes; y > 0; y--) target->start[y] = target->start[y - 1];
    target->start[0] = 0;
    sort_side(source);
    sort_side(target);
}

static scalay_status find_partners(scalay_traffic_factor *factor)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_assignment assignment = {0};
    SCALAY_TRY(scalay_assignment_allocate(factor->edges.rows, factor->edges.cols, &assignment));
    SCALAY_TRY(scalay_assignment_solve(&factor->edges, NULL, NULL, &assignment));
    factor->partner = assignment.matching.of_row;
    assignment.matching.of_row = NULL;
cleanup:
    scalay_assignment_free(&assignment);
    return status;
}

static scalay_status factor_from_overlap(const scalay_axis_overlap *overlap, scalay_traffic_factor *factor)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t entries = overlap->start[overlap->classes_a];
    factor->edges.rows = (int)overlap->classes_a;
    factor->edges.cols = (int)overlap->classes_b;
    SCALAY_TRY(side_allocate(factor->edges.rows, entries, &factor->source));
    SCALAY_TRY(side_allocate(factor->edges.cols, entries, &factor->target));
    SCALAY_TRY(SCALAY_NEW(factor->edges.start, overlap->classes_a + 1));
    SCALAY_TRY(SCALAY_NEW(factor->edges.col, entries));
    SCALAY_TRY(SCALAY_NEW(factor->edges.weight, entries));
    fill_sides(overlap, factor);
    SCALAY_TRY(find_partners(factor));
cleanup:
    return status;
}

scalay_status scalay_traffic_factor_create(const scalay_axis *source, const scalay_axis *target,
                                           scalay_traffic_factor *factor)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_overlap overlap = {0};
    SCALAY_TRY(scalay_axis_overlap_create(source, target, &overlap));
    SCALAY_TRY(factor_from_overlap(&overlap, factor));
cleanup:
    scalay_axis_overlap_free(&overlap);
    return status;
}

void scalay_traffic_factor_free(scalay_traffic_factor *factor)
{
    scalay_release(factor->source.start);
    scalay_release(factor->source.entries);
    scalay_release(factor->target.start);
    scalay_release(factor->target.entries);
    scalay_release(factor->partner);
    scalay_edges_free(&factor->edges);
}

int64_t scalay_traffic_factor_class_elements(const scalay_traffic_factor_side *side, int class)
{
    int64_t elements = 0;
    for (int64_t e = side->start[class]; e < side->start[class + 1]; e++) elements += side->entries[e].weight;
    return elements;
}

int64_t scalay_traffic_factor_weight(const scalay_traffic_factor *factor, int x, int y)
{
    const int64_t edge = scalay_edges_find(&factor->edges, x, y);
    return edge >= 0 ? factor->edges.weight[edge] : 0;
}

/* ---------------------------------------------------------------------------------------------- overlaps */

/* The traffic matrix is as fast for fewer parts; for steps, also with fewer entries for each part of both layouts, and
 * at most MAX_ENTRIES in total: its solvers then take some 400 MB. */
enum { MIN_PARTS = 32, MIN_ENTRIES = 32, MAX_ENTRIES = 1 << 24 };

int scalay_product_applies(int count, const scalay_layout *const *source, const scalay_layout *const *target)
{
    const int64_t parts = scalay_max_int64(scalay_layout_parts(source[0]), scalay_layout_parts(target[0]));
    return parts >= MIN_PARTS && scalay_traffic_are_grids(count, source, target);
}

int scalay_product_applies_to_steps(const scalay_product_overlap *overlap)
{
    const int64_t of_rows = overlap->row.start[overlap->row.classes_a];
    const int64_t of_cols = overlap->col.start[overlap->col.classes_a];
    const int64_t parts =
        overlap->row.classes_a * overlap->col.classes_a + overlap->row.classes_b * overlap->col.classes_b;
    return of_rows > 0 && (of_cols > MIN_ENTRIES * parts / of_rows || of_cols > MAX_ENTRIES / of_rows);
}

void scalay_product_overlap_free(scalay_product_overlap *overlap)
{
    scalay_axis_overlap_free(&overlap->row);
    scalay_axis_overlap_free(&overlap->col);
}

/* Grids of the same parts, on any processes. */
static int has_same_parts(const scalay_layout *a, const scalay_layout *b)
{
    return a->row.classes == b->row.classes && a->col.classes == b->col.classes && a->order == b->order;
}

/* Grids of the same parts on the same processes, with any extents and blocks. */
static int is_same_grid(const scalay_layout *a, const scalay_layout *b)
{
    if (!has_same_parts(a, b) || scalay_layout_processes(a) != scalay_layout_processes(b)) return 0;
    for (int part = 0; part < scalay_layout_parts(a); part++)
        if (scalay_layout_process_of_part(a, part) != scalay_layout_process_of_part(b, part)) return 0;
    return 1;
}

static int is_same_overlap(const scalay_axis_overlap *a, const scalay_axis_overlap *b)
{
    const int64_t entries = a->start[a->classes_a];
    if (memcmp(a->start, b->start, (size_t)(a->classes_a + 1) * sizeof *a->start) != 0) return 0;
    return entries == 0 || (memcmp(a->class_b, b->class_b, (size_t)entries * sizeof *a->class_b) == 0 &&
                            memcmp(a->count, b->count, (size_t)entries * sizeof *a->count) == 0);
}

static scalay_status fail_range(void)
{
    return scalay_fail(SCALAY_ERROR_RANGE, "scalay_mapping_create_shared",
                       "the weighted sum of the elements exceeds 2^63 - 1; it must fit. Use a larger unit.");
}

static scalay_status add_row(const scalay_axis_overlap *overlap, int64_t weight, int64_t class, int64_t *row)
{
    for (int64_t e = overlap->start[class]; e < overlap->start[class + 1]; e++) {
        int64_t weighted = 0, *sum = &row[overlap->class_b[e]];
        if (!scalay_multiply_int64(weight, overlap->count[e], &weighted) || !scalay_add_int64(*sum, weighted, sum))
            return fail_range();
    }
    return SCALAY_SUCCESS;
}

/* The weighted sum of overlaps of the same classes. */
static scalay_status add_overlaps(int count, const scalay_axis_overlap *each, const int64_t *weight,
                                  scalay_axis_overlap *sum)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row = NULL, max_entries = 0, filled = 0;
    for (int k = 0; k < count; k++) max_entries += each[k].start[each[k].classes_a];
    sum->classes_a = each->classes_a;
    sum->classes_b = each->classes_b;
    SCALAY_TRY(SCALAY_NEW(row, sum->classes_b));
    SCALAY_TRY(SCALAY_NEW(sum->start, sum->classes_a + 1));
    SCALAY_TRY(SCALAY_NEW(sum->class_b, max_entries));
    SCALAY_TRY(SCALAY_NEW(sum->count, max_entries));
    for (int64_t x = 0; x < sum->classes_a; x++) {
        for (int k = 0; k < count; k++) SCALAY_TRY(add_row(&each[k], weight != NULL ? weight[k] : 1, x, row));
        for (int64_t y = 0; y < sum->classes_b; y++) {
            if (row[y] == 0) continue;
            sum->class_b[filled] = y;
            sum->count[filled++] = row[y];
            row[y] = 0;
        }
        sum->start[x + 1] = filled;
    }
cleanup:
    scalay_release(row);
    return status;
}

static scalay_status sum_overlap(const scalay_axis_overlap *overlap, int64_t *sum)
{
    for (int64_t e = 0; e < overlap->start[overlap->classes_a]; e++)
        if (!scalay_add_int64(*sum, overlap->count[e], sum)) return fail_range();
    return SCALAY_SUCCESS;
}

static scalay_status check_elements(const scalay_product_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t rows = 0, cols = 0, elements = 0;
    SCALAY_TRY(sum_overlap(&overlap->row, &rows));
    SCALAY_TRY(sum_overlap(&overlap->col, &cols));
    if (!scalay_multiply_int64(rows, cols, &elements)) return fail_range();
cleanup:
    return status;
}

static int are_same_overlaps(int count, const scalay_axis_overlap *each)
{
    for (int k = 1; k < count; k++)
        if (!is_same_overlap(each, &each[k])) return 0;
    return 1;
}

/* The weights multiply the factor that is not shared. */
static scalay_status combine(int count, const scalay_axis_overlap *row, const scalay_axis_overlap *col,
                             const int64_t *weight, scalay_product_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rows_shared = are_same_overlaps(count, row);
    if (!rows_shared && !are_same_overlaps(count, col)) return SCALAY_SUCCESS;
    SCALAY_TRY(add_overlaps(rows_shared ? 1 : count, row, rows_shared ? NULL : weight, &overlap->row));
    SCALAY_TRY(add_overlaps(rows_shared ? count : 1, col, rows_shared ? weight : NULL, &overlap->col));
    SCALAY_TRY(check_elements(overlap));
    overlap->exists = 1;
cleanup:
    return status;
}

scalay_status scalay_product_overlap_create(int count, const scalay_layout *const *source,
                                            const scalay_layout *const *target, const int64_t *weight,
                                            scalay_product_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_overlap *row = NULL, *col = NULL;
    overlap->summed = count > 1;
    for (int k = 1; k < count; k++)
        if (!is_same_grid(source[0], source[k]) || !has_same_parts(target[0], target[k])) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(row, count));
    SCALAY_TRY(SCALAY_NEW(col, count));
    for (int k = 0; k < count; k++) {
        SCALAY_TRY(scalay_axis_overlap_create(&source[k]->row, &target[k]->row, &row[k]));
        SCALAY_TRY(scalay_axis_overlap_create(&source[k]->col, &target[k]->col, &col[k]));
    }
    SCALAY_TRY(combine(count, row, col, weight, overlap));
cleanup:
    for (int k = 0; k < count && row != NULL; k++) scalay_axis_overlap_free(&row[k]);
    for (int k = 0; k < count && col != NULL; k++) scalay_axis_overlap_free(&col[k]);
    scalay_release(row);
    scalay_release(col);
    return status;
}

/* ----------------------------------------------------------------------------------------------- products */

/* The part with a number: row number / q, column number % q of a grid with q columns. */
static int part_at(const scalay_layout *layout, int number)
{
    const int q = (int)layout->col.classes;
    return scalay_layout_cell_part(layout, number / q, number % q);
}

int scalay_product_part(const scalay_product *product, int number)
{
    return part_at(product->target, number);
}

int scalay_product_process(const scalay_product *product, int number)
{
    return scalay_layout_process_of_part(product->source, part_at(product->source, number));
}

int64_t scalay_product_all_elements(const scalay_product *product)
{
    int64_t elements = 0;
    for (int j = 0; j < product->cols; j++) elements += product->wanted[j];
    return elements;
}

int64_t scalay_product_elements(const scalay_product *product, int from, int to)
{
    const int q = product->col.source.classes, q2 = product->col.target.classes;
    return scalay_traffic_factor_weight(&product->row, from / q, to / q2) *
           scalay_traffic_factor_weight(&product->col, from % q, to % q2);
}

int scalay_product_is_out(const scalay_product *product, int from)
{
    return product->row_out != NULL && product->row_out[from];
}

int scalay_product_counts(const scalay_product *product, int from, int to, int64_t elements)
{
    if (scalay_product_is_out(product, from)) return 0;
    if (product->within < INT64_MAX &&
        scalay_max_int64(product->held[from], product->wanted[to]) - elements > product->within)
        return 0;
    return !product->only_tight || product->assignment.row_dual[from] + product->assignment.col_dual[to] == elements;
}

/* The elements that each process holds, gets and keeps. */
scalay_status scalay_product_count(const scalay_product *product, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *number = NULL; /* of the source part of each process, plus 1 */
    unsigned char *busy = NULL;
    const int processes = scalay_layout_processes(product->source);
    mapping->volume = scalay_product_all_elements(product);
    mapping->steps = 0;
    SCALAY_TRY(SCALAY_NEW(number, processes));
    SCALAY_TRY(SCALAY_NEW(busy, processes));
    for (int i = 0; i < product->rows; i++) number[scalay_product_process(product, i)] = i + 1;
    for (int j = 0; j < product->cols; j++) {
        const int process = mapping->process[scalay_product_part(product, j)];
        const int i = process < processes ? number[process] - 1 : -1;
        const int64_t held = i >= 0 ? product->held[i] : 0, stays = i >= 0 ? scalay_product_elements(product, i, j) : 0;
        if (process < processes) busy[process] = 1;
        mapping->volume -= stays;
        mapping->steps = scalay_max_int64(mapping->steps, scalay_max_int64(held, product->wanted[j]) - stays);
    }
    for (int i = 0; i < product->rows; i++)
        if (!busy[scalay_product_process(product, i)])
            mapping->steps = scalay_max_int64(mapping->steps, product->held[i]);
    mapping->time = (double)mapping->volume;
cleanup:
    scalay_release(number);
    scalay_release(busy);
    return status;
}

scalay_status scalay_product_place(const scalay_product *product, const int *of_col, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int *of_part = NULL;
    SCALAY_TRY(SCALAY_NEW(of_part, product->cols));
    for (int j = 0; j < product->cols; j++)
        of_part[scalay_product_part(product, j)] = of_col[j] >= 0 ? scalay_product_process(product, of_col[j]) : -1;
    SCALAY_TRY(scalay_mapping_problem_place(product->problem, of_part, mapping));
    SCALAY_TRY(scalay_product_count(product, mapping));
cleanup:
    scalay_release(of_part);
    return status;
}

static scalay_status find_rows_out(scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    int out = 0;
    for (int i = 0; i < product->rows; i++)
        out += !scalay_mapping_problem_may_take(product->problem, scalay_product_process(product, i));
    if (out == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(product->row_out, product->rows));
    for (int i = 0; i < product->rows; i++)
        product->row_out[i] = !scalay_mapping_problem_may_take(product->problem, scalay_product_process(product, i));
cleanup:
    return status;
}

/* Each element belongs to one part of both layouts. Therefore the factors tell the elements of the parts. Those of the
 * first row hold the elements of the columns meanwhile. */
static void count_elements(const scalay_traffic_factor_side *row, const scalay_traffic_factor_side *col,
                           int64_t *elements)
{
    for (int c = 0; row->classes > 0 && c < col->classes; c++)
        elements[c] = scalay_traffic_factor_class_elements(col, c);
    for (int r = row->classes - 1; r >= 0; r--) {
        const int64_t of_row = scalay_traffic_factor_class_elements(row, r);
        for (int c = 0; c < col->classes; c++) elements[(int64_t)r * col->classes + c] = of_row * elements[c];
    }
}

scalay_status scalay_product_create(const scalay_layout *source, const scalay_layout *target,
                                    const scalay_product_overlap *overlap, const scalay_mapping_problem *problem,
                                    scalay_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    *product = (scalay_product){.source = source, .target = target, .problem = problem, .summed = overlap->summed};
    product->rows = scalay_layout_parts(source);
    product->cols = scalay_layout_parts(target);
    product->within = INT64_MAX;
    SCALAY_TRY(factor_from_overlap(&overlap->row, &product->row));
    SCALAY_TRY(factor_from_overlap(&overlap->col, &product->col));
    SCALAY_TRY(SCALAY_NEW(product->held, product->rows));
    SCALAY_TRY(SCALAY_NEW(product->wanted, product->cols));
    SCALAY_TRY(SCALAY_NEW(product->best, product->cols));
    count_elements(&product->row.source, &product->col.source, product->held);
    count_elements(&product->row.target, &product->col.target, product->wanted);
    SCALAY_TRY(find_rows_out(product));
cleanup:
    return status;
}

void scalay_product_free(scalay_product *product)
{
    scalay_traffic_factor_free(&product->row);
    scalay_traffic_factor_free(&product->col);
    scalay_release(product->held);
    scalay_release(product->wanted);
    scalay_release(product->best);
    scalay_release(product->row_out);
    scalay_edge_core_free(&product->core);
    scalay_assignment_free(&product->assignment);
}
