/* Factors of one pair of grids, or of several that have one factor in common: the sum of R_k (x) C is (sum of R_k) (x)
 * C.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/product.h"
#include "mapping/shared.h"

/* Among fewer parts the traffic is as quick; for steps, with fewer entries for each part of source and target. */
enum { PARTS_LEAST = 32, ENTRIES_LEAST = 32 };

int scalay_product_applies(int count, const scalay_layout *const *source, const scalay_layout *const *target)
{
    const int64_t parts = scalay_max_int64(scalay_layout_parts(source[0]), scalay_layout_parts(target[0]));
    return parts >= PARTS_LEAST && scalay_shared_are_grids(count, source, target);
}

int scalay_product_applies_to_steps(const scalay_product_overlap *overlap)
{
    const int64_t of_rows = overlap->row.start[overlap->row.classes_a];
    const int64_t of_cols = overlap->col.start[overlap->col.classes_a];
    const int64_t parts =
        overlap->row.classes_a * overlap->col.classes_a + overlap->row.classes_b * overlap->col.classes_b;
    return of_rows > 0 && of_cols > ENTRIES_LEAST * parts / of_rows;
}

void scalay_product_overlap_free(scalay_product_overlap *overlap)
{
    scalay_axis_overlap_free(&overlap->row);
    scalay_axis_overlap_free(&overlap->col);
}

/* The parts are the same; where they sit does not matter. */
static int has_same_parts(const scalay_layout *a, const scalay_layout *b)
{
    return a->row.classes == b->row.classes && a->col.classes == b->col.classes && a->order == b->order;
}

/* The same processes in the same places, whatever the extents and blocks. */
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

/* ------------------------------------------------------------------------------------------------ sums */

static scalay_status too_many(void)
{
    return SCALAY_FAIL(SCALAY_ERROR_RANGE, "the weighted items sum up to more than 2^63 - 1; use a larger unit");
}

static scalay_status add_row(const scalay_axis_overlap *overlap, int64_t weight, int64_t class, int64_t *row)
{
    for (int64_t e = overlap->start[class]; e < overlap->start[class + 1]; e++) {
        int64_t weighted = 0, *sum = &row[overlap->class_b[e]];
        if (!scalay_multiply_int64(weight, overlap->count[e], &weighted) || !scalay_add_int64(*sum, weighted, sum))
            return too_many();
    }
    return SCALAY_SUCCESS;
}

/* The weighted sum of overlaps of the same classes. */
static scalay_status add_overlaps(int count, const scalay_axis_overlap *each, const int64_t *weight,
                                  scalay_axis_overlap *sum)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row = NULL, most = 0, filled = 0;
    for (int k = 0; k < count; k++) most += each[k].start[each[k].classes_a];
    sum->classes_a = each->classes_a;
    sum->classes_b = each->classes_b;
    SCALAY_TRY(SCALAY_NEW(row, sum->classes_b));
    SCALAY_TRY(SCALAY_NEW(sum->start, sum->classes_a + 1));
    SCALAY_TRY(SCALAY_NEW(sum->class_b, most));
    SCALAY_TRY(SCALAY_NEW(sum->count, most));
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

static scalay_status sum_of(const scalay_axis_overlap *overlap, int64_t *sum)
{
    for (int64_t e = 0; e < overlap->start[overlap->classes_a]; e++)
        if (!scalay_add_int64(*sum, overlap->count[e], sum)) return too_many();
    return SCALAY_SUCCESS;
}

static scalay_status check_items(const scalay_product_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t rows = 0, cols = 0, items = 0;
    SCALAY_TRY(sum_of(&overlap->row, &rows));
    SCALAY_TRY(sum_of(&overlap->col, &cols));
    if (!scalay_multiply_int64(rows, cols, &items)) return too_many();
cleanup:
    return status;
}

static int are_same_overlaps(int count, const scalay_axis_overlap *each)
{
    for (int k = 1; k < count; k++)
        if (!is_same_overlap(each, &each[k])) return 0;
    return 1;
}

/* Weights go to the factor that is not shared. */
static scalay_status combine(int count, const scalay_axis_overlap *row, const scalay_axis_overlap *col,
                             const int64_t *weight, scalay_product_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    const int by_cols = are_same_overlaps(count, row);
    if (!by_cols && !are_same_overlaps(count, col)) return SCALAY_SUCCESS;
    SCALAY_TRY(add_overlaps(by_cols ? 1 : count, row, by_cols ? NULL : weight, &overlap->row));
    SCALAY_TRY(add_overlaps(by_cols ? count : 1, col, by_cols ? weight : NULL, &overlap->col));
    SCALAY_TRY(check_items(overlap));
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
