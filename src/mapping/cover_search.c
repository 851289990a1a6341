#include "mapping/cover_search.h"

#include "base/memory.h"

scalay_status scalay_cover_search_create(const scalay_edges *edges, int *of_row, int *of_col,
                                         const unsigned char *needs, scalay_cover_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    *search = (scalay_cover_search){.edges = edges, .of_row = of_row, .of_col = of_col, .needs = needs};
    SCALAY_TRY(SCALAY_NEW(search->from, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->seen, edges->cols));
    SCALAY_TRY(SCALAY_NEW(search->crowd, edges->rows));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_cover_search_free(search);
    return status;
}

void scalay_cover_search_free(scalay_cover_search *search)
{
    scalay_release(search->from);
    scalay_release(search->seen);
    scalay_release(search->crowd);
    *search = (scalay_cover_search){0};
}

static void match_greedily(scalay_cover_search *search)
{
    const scalay_edges *edges = search->edges;
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; search->needs[i] && search->of_row[i] < 0 && e < edges->start[i + 1]; e++)
            if (search->of_col[edges->col[e]] < 0) {
                search->of_row[i] = edges->col[e];
                search->of_col[edges->col[e]] = i;
            }
}

static void flip_path(scalay_cover_search *search, int col)
{
    while (col >= 0) {
        int row = search->from[col];
        int before = search->of_row[row]; /* -1 at the root */
        search->of_row[row] = col;
        search->of_col[col] = row;
        col = before;
    }
}

/* Tries to end a path at column j: it is free, or its row can be let go. */
static int end_at(scalay_cover_search *search, int j)
{
    int holder = search->of_col[j];
    if (holder >= 0 && search->needs[holder]) return 0;
    if (holder >= 0) search->of_row[holder] = -1;
    flip_path(search, j);
    return 1;
}

/* Breadth first. What searches before have reached in vain is left alone: there is no way out of it. The rows of a
 * search are put behind those of the failed ones; only a failed search leaves them there. */
static int cover_row(scalay_cover_search *search, int root)
{
    const scalay_edges *edges = search->edges;
    const int first = search->crowd_size;
    search->search++;
    search->crowd[search->crowd_size++] = root;
    for (int head = first; head < search->crowd_size; head++) {
        int row = search->crowd[head];
        for (int64_t e = edges->start[row]; e < edges->start[row + 1]; e++) {
            int j = edges->col[e];
            if (search->seen[j] == search->search || search->seen[j] < 0) continue;
            search->seen[j] = search->search;
            search->from[j] = row;
            if (end_at(search, j)) {
                search->crowd_size = first;
                return 1;
            }
            search->crowd[search->crowd_size++] = search->of_col[j];
        }
    }
    for (int k = first + 1; k < search->crowd_size; k++) search->seen[search->of_row[search->crowd[k]]] = -1;
    return 0;
}

/* The deadline is looked at once in so many searches. */
enum { SEARCHES = 16 };

int scalay_cover_search_run(scalay_cover_search *search)
{
    int searches = 0, stop = 0;
    match_greedily(search);
    for (int i = 0; i < search->edges->rows && !stop; i++) {
        if (!search->needs[i] || search->of_row[i] >= 0) continue;
        if (searches++ % SEARCHES == 0) search->late = scalay_deadline_passed(search->deadline);
        stop = search->late || (!cover_row(search, i) && !search->thorough);
    }
    if (search->late) search->crowd_size = 0;
    return search->crowd_size == 0 && !search->late;
}
