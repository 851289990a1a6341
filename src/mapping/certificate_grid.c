/* Checking mappings that keep a grid; as in certificate.c, nothing here is shared with the solver. */
#include "mapping/certificate.h"

#include "base/integer.h"
#include "base/memory.h"

/* place[i] = where process i stands in the grid, -1: nowhere; home[j] likewise for part j. */
static scalay_status find_places(const scalay_mapping *mapping, int *place, int *home)
{
    const scalay_process_grid *grid = &mapping->certificate.grid;
    for (int i = 0; i < mapping->processes; i++) place[i] = -1;
    for (int j = 0; j < mapping->parts; j++) home[j] = -1;
    for (int k = 0; k < mapping->parts; k++) {
        const int process = grid->process[k], part = grid->part[k];
        if (process < 0 || process >= mapping->processes || place[process] >= 0)
            return DENY("process %d is none, or twice in the grid", process);
        if (part < 0 || part >= mapping->parts || home[part] >= 0)
            return DENY("part %d is none, or twice in the grid", part);
        place[process] = k;
        home[part] = k;
    }
    return SCALAY_SUCCESS;
}

static scalay_status new_places(const scalay_mapping *mapping, int **place, int **home)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = &mapping->certificate.grid;
    if (grid->rows < 1 || grid->cols < 1 || grid->process == NULL || grid->part == NULL ||
        (int64_t)grid->rows * grid->cols != mapping->parts)
        return DENY("the grid is %d x %d, but there are %d parts", grid->rows, grid->cols, mapping->parts);
    SCALAY_TRY(SCALAY_NEW(*place, mapping->processes));
    SCALAY_TRY(SCALAY_NEW(*home, mapping->parts));
    SCALAY_TRY(find_places(mapping, *place, *home));
cleanup:
    return status;
}

static int place_of_cell(const int *part, const int *process, const int *place, int cell)
{
    return place[process[part != NULL ? part[cell] : cell]];
}

/* Row 0 tells where the columns go, column 0 where the rows go: all else must agree. */
int scalay_grid_find_leaving(int parts, int cols, const int *part, const int *process, const int *place)
{
    for (int k = 0; k < parts; k++) {
        const int at = place_of_cell(part, process, place, k);
        const int row = place_of_cell(part, process, place, k / cols * cols);
        const int col = place_of_cell(part, process, place, k % cols);
        if (at < 0 || row < 0 || col < 0 || at / cols != row / cols || at % cols != col % cols)
            return part != NULL ? part[k] : k;
    }
    return -1;
}

scalay_status scalay_checker_grid(const scalay_checker *check)
{
    const scalay_mapping *mapping = check->mapping;
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = &mapping->certificate.grid;
    int *place = NULL, *home = NULL;
    SCALAY_TRY(new_places(mapping, &place, &home));
    const int leaving = scalay_grid_find_leaving(mapping->parts, grid->cols, grid->part, mapping->process, place);
    if (leaving >= 0) status = DENY("part %d leaves the row or column of its grid", leaving);
cleanup:
    scalay_release(place);
    scalay_release(home);
    return status;
}

/* The duals of `extent` lines of processes and of parts sum up to what stays, and none is negative. */
static scalay_status check_sum(const int64_t *dual, int extent, int64_t kept)
{
    int64_t sum = 0;
    for (int k = 0; k < 2 * extent; k++)
        if (dual[k] < 0 || !scalay_add_int64(sum, dual[k], &sum))
            return DENY("the dual of a line is negative, or too large: %lld", (long long)dual[k]);
    if (sum != kept)
        return DENY("the duals of the lines sum up to %lld, not to the %lld items that stay", (long long)sum,
                    (long long)kept);
    return SCALAY_SUCCESS;
}

static scalay_status check_products(const scalay_checker *check, const int *place, const int *home, int64_t kept)
{
    const scalay_process_grid *grid = &check->mapping->certificate.grid;
    const int64_t *dual = check->mapping->certificate.line_dual, *col_dual = dual + 2 * (int64_t)grid->rows;
    for (int i = 0; i < check->view->processes && i < check->mapping->processes; i++) {
        const int at = place[i];
        if (at < 0) continue;
        const scalay_view_row row = scalay_view_read(check->view, i, 0);
        for (int64_t e = 0; e < row.entries; e++) {
            const int to = home[row.part[e]];
            const int64_t rows = dual[at / grid->cols] + dual[grid->rows + to / grid->cols];
            const int64_t cols = col_dual[at % grid->cols] + col_dual[grid->cols + to % grid->cols];
            if (scalay_wide_product(rows, cols) < scalay_wide_product(kept, row.count[e]))
                return DENY("the duals of the lines of process %d and part %d do not dominate %lld items", i,
                            row.part[e], (long long)row.count[e]);
        }
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_checker_lines(const scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_mapping *mapping = check->mapping;
    const scalay_process_grid *grid = &mapping->certificate.grid;
    const int64_t *dual = mapping->certificate.line_dual;
    const int64_t kept = check->view->items - mapping->volume;
    int *place = NULL, *home = NULL;
    if (kept < 1 || mapping->proof != SCALAY_PROOF_OPTIMAL)
        return DENY("duals of lines only prove optima of something");
    SCALAY_TRY(new_places(mapping, &place, &home));
    SCALAY_TRY(check_sum(dual, grid->rows, kept));
    SCALAY_TRY(check_sum(dual + 2 * (int64_t)grid->rows, grid->cols, kept));
    SCALAY_TRY(check_products(check, place, home, kept));
cleanup:
    scalay_release(place);
    scalay_release(home);
    return status;
}
