#include "mapping/assignment.h"

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/path_search.h"

scalay_status scalay_assignment_allocate(int rows, int cols, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    *assignment = (scalay_assignment){0};
    SCALAY_TRY(scalay_matching_allocate(rows, cols, &assignment->matching));
    SCALAY_TRY(SCALAY_NEW(assignment->row_dual, rows));
    SCALAY_TRY(SCALAY_NEW(assignment->col_dual, cols));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_assignment_free(assignment);
    return status;
}

void scalay_assignment_free(scalay_assignment *assignment)
{
    scalay_matching_free(&assignment->matching);
    scalay_release(assignment->row_dual);
    scalay_release(assignment->col_dual);
    *assignment = (scalay_assignment){0};
}

/* A dual is an alternating sum of weights along a path: no larger in magnitude than the heaviest matching. */
static scalay_status check_covered_weight(const scalay_edges *edges)
{
    int64_t sum = 0;
    for (int i = 0; i < edges->rows; i++) {
        if (!scalay_add_int64(sum, scalay_edges_heaviest(edges, i), &sum) || sum > SCALAY_COVERED_WEIGHT_MAX)
            return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                               "2^62 items or more could stay where they are; count them in larger units");
    }
    return SCALAY_SUCCESS;
}

/* The deadline is looked at once in so many searches. */
enum { SEARCHES = 4 };

static scalay_status match_rows(scalay_path_search *search, const unsigned char *must, scalay_assignment *assignment)
{
    int searches = 0;
    for (int i = 0; i < search->edges->rows; i++) {
        if (search->of_row[i] >= 0 || (must != NULL ? !must[i] : search->row_dual[i] == 0)) continue;
        if (searches++ % SEARCHES == 0 && scalay_deadline_passed(assignment->deadline)) {
            assignment->unfinished = 1;
            break;
        }
        if (!scalay_path_search_augment(search, i))
            return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "a process or part that must be matched cannot be (number %d)",
                               i);
    }
    return SCALAY_SUCCESS;
}

/* First the best matching of all; then the rows of the cover that it leaves out are forced in, each at the least
 * loss. */
static scalay_status solve_rows(const scalay_edges *edges, const unsigned char *must, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_path_search search = {0};
    SCALAY_TRY(scalay_path_search_create(edges, assignment->matching.of_row, assignment->matching.of_col,
                                         assignment->row_dual, assignment->col_dual, &search));
    SCALAY_TRY(match_rows(&search, NULL, assignment));
    search.must = must;
    if (must != NULL && !assignment->unfinished) SCALAY_TRY(match_rows(&search, must, assignment));
cleanup:
    scalay_path_search_free(&search);
    return status;
}

/* Then the columns of the cover: the same search from the other side. Matched rows stay matched. */
static scalay_status force_columns(const scalay_edges *edges, const unsigned char *must, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges transposed = {0};
    scalay_path_search search = {0};
    SCALAY_TRY(scalay_edges_transpose(edges, &transposed));
    SCALAY_TRY(scalay_path_search_create(&transposed, assignment->matching.of_col, assignment->matching.of_row,
                                         assignment->col_dual, assignment->row_dual, &search));
    search.must = must;
    SCALAY_TRY(match_rows(&search, must, assignment));
cleanup:
    scalay_path_search_free(&search);
    scalay_edges_free(&transposed);
    return status;
}

int64_t scalay_assignment_bound(const scalay_edges *edges, scalay_assignment *assignment)
{
    int64_t sum = 0, most = 0;
    int fits = 1;
    for (int i = 0; i < edges->rows; i++) {
        most += scalay_edges_heaviest(edges, i);
        fits = fits && scalay_add_int64(sum, assignment->row_dual[i], &sum);
    }
    for (int j = 0; j < edges->cols; j++) fits = fits && scalay_add_int64(sum, assignment->col_dual[j], &sum);
    if (fits && sum <= most) return sum;
    for (int i = 0; i < edges->rows; i++) assignment->row_dual[i] = scalay_edges_heaviest(edges, i);
    for (int j = 0; j < edges->cols; j++) assignment->col_dual[j] = 0;
    return most;
}

static int covers(const unsigned char *must, const int *matched, int count)
{
    for (int k = 0; must != NULL && k < count; k++)
        if (must[k] && matched[k] < 0) return 0;
    return 1;
}

int scalay_assignment_covers(const scalay_cover *cover, const scalay_matching *matching, int rows, int cols)
{
    return cover == NULL || (covers(cover->row, matching->of_row, rows) && covers(cover->col, matching->of_col, cols));
}

void scalay_assignment_complete(const scalay_edges *edges, scalay_matching *matching)
{
    for (int i = 0; i < edges->rows; i++) {
        int64_t best = -1;
        if (matching->of_row[i] >= 0) continue;
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++)
            if (matching->of_col[edges->col[e]] < 0 && (best < 0 || edges->weight[e] > edges->weight[best])) best = e;
        if (best < 0) continue;
        matching->of_row[i] = edges->col[best];
        matching->of_col[edges->col[best]] = i;
    }
}

scalay_status scalay_assignment_sparse(const scalay_edges *edges, const scalay_cover *cover,
                                       scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    if (cover != NULL) SCALAY_TRY(check_covered_weight(edges));
    assignment->unfinished = 0;
    SCALAY_TRY(scalay_assignment_start(edges, assignment));
    SCALAY_TRY(solve_rows(edges, cover != NULL ? cover->row : NULL, assignment));
    if (assignment->unfinished && cover == NULL) scalay_assignment_complete(edges, &assignment->matching);
    if (cover != NULL && !assignment->unfinished && !covers(cover->col, assignment->matching.of_col, edges->cols))
        SCALAY_TRY(force_columns(edges, cover->col, assignment));
cleanup:
    return status;
}
