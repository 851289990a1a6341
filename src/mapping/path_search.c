#include "mapping/path_search.h"

#include "base/memory.h"

scalay_status scalay_path_search_create(const scalay_edges *edges, int *of_row, int *of_col, int64_t *row_dual,
                                        int64_t *col_dual, scalay_path_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    *search = (scalay_path_search){
        .edges = edges, .of_row = of_row, .of_col = of_col, .row_dual = row_dual, .col_dual = col_dual};
    SCALAY_TRY(SCALAY_NEW(search->distance, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->from, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->settled, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->reached, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->scanned, edges->rows));
    SCALAY_TRY(SCALAY_NEW(search->scanned_at, edges->rows));
    SCALAY_TRY(SCALAY_NEW(search->tight, edges->cols));
    SCALAY_TRY(scalay_heap_allocate(edges->cols, search->distance, &search->heap));
    for (int j = 0; j < edges->cols; j++) search->distance[j] = INT64_MAX;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_path_search_free(search);
    return status;
}

void scalay_path_search_free(scalay_path_search *search)
{
    scalay_release(search->distance);
    scalay_release(search->from);
    scalay_release(search->settled);
    scalay_release(search->reached);
    scalay_release(search->scanned);
    scalay_release(search->scanned_at);
    scalay_release(search->tight);
    scalay_heap_free(&search->heap);
    *search = (scalay_path_search){0};
}

/* Column j can be reached through a row at distance `now`, by a way that is shorter than the best way out. */
static void reach(scalay_path_search *search, int j, int row, int64_t distance, int64_t now)
{
    if (search->distance[j] == INT64_MAX) search->reached[search->reached_count++] = j;
    search->distance[j] = distance;
    search->from[j] = row;
    if (search->of_col[j] < 0) {
        search->best = distance;
        search->end_col = j;
    } else if (distance == now) {
        /* It may be in the heap already: there it must move up, and is skipped later because it is settled. */
        if (search->heap.place[j] >= 0) scalay_heap_raise(&search->heap, j);
        search->tight[search->tight_count++] = j;
    } else {
        scalay_heap_raise(&search->heap, j);
    }
}

static void scan_row(scalay_path_search *search, int row, int64_t now)
{
    const scalay_edges *edges = search->edges;
    const int64_t dual = search->row_dual[row];
    search->scanned[search->scanned_count] = row;
    search->scanned_at[search->scanned_count++] = now;
    if ((search->must == NULL || !search->must[row]) && dual < search->best - now) {
        search->best = now + dual;
        search->end_row = row;
        search->end_col = -1;
    }
    for (int64_t e = edges->start[row]; e < edges->start[row + 1]; e++) {
        int j = edges->col[e];
        /* Compared before it is added to the distance, so that nothing can overflow. */
        int64_t length = dual + search->col_dual[j] - edges->weight[e];
        if (length < search->best - now && now + length < search->distance[j]) reach(search, j, row, now + length, now);
    }
}

/* The nearest column that is not settled and nearer than the best way out; -1: none. */
static int next_column(scalay_path_search *search)
{
    if (search->tight_count > 0) return search->tight[--search->tight_count];
    while (search->heap.count > 0) {
        int j = scalay_heap_pop(&search->heap);
        if (!search->settled[j]) return search->distance[j] < search->best ? j : -1;
    }
    return -1;
}

static void find_way_out(scalay_path_search *search, int root)
{
    int64_t now = 0;
    search->best = INT64_MAX;
    search->end_col = -1;
    search->end_row = -1;
    scan_row(search, root, now);
    while (search->best > now) {
        int j = next_column(search);
        if (j < 0) return;
        now = search->distance[j];
        search->settled[j] = 1;
        scan_row(search, search->of_col[j], now);
    }
}

static void update_duals(scalay_path_search *search)
{
    for (int k = 0; k < search->scanned_count; k++)
        search->row_dual[search->scanned[k]] -= search->best - search->scanned_at[k];
    for (int k = 0; k < search->reached_count; k++) {
        int j = search->reached[k];
        if (search->settled[j]) search->col_dual[j] += search->best - search->distance[j];
    }
}

static void flip_path(scalay_path_search *search)
{
    int j = search->end_col;
    if (j < 0) {
        j = search->of_row[search->end_row];
        search->of_row[search->end_row] = -1;
    }
    while (j >= 0) {
        int row = search->from[j];
        int before = search->of_row[row]; /* -1 at the root */
        search->of_row[row] = j;
        search->of_col[j] = row;
        j = before;
    }
}

static void forget(scalay_path_search *search)
{
    for (int k = 0; k < search->reached_count; k++) {
        search->distance[search->reached[k]] = INT64_MAX;
        search->settled[search->reached[k]] = 0;
    }
    scalay_heap_clear(&search->heap);
    search->reached_count = 0;
    search->scanned_count = 0;
    search->tight_count = 0;
}

int scalay_path_search_augment(scalay_path_search *search, int root)
{
    find_way_out(search, root);
    int found = search->best != INT64_MAX;
    if (found) {
        update_duals(search);
        flip_path(search);
    }
    forget(search);
    return found;
}
