/* Columns of rectangles, the best there are (Beaumont, Boudet, Rastello, Robert 2001): with the parts sorted by area,
 * every column holds neighbours; k parts in a column of height H and area S have half perimeters H + k S / H. On a
 * domain that is not square, columns that lie down (rows of rectangles) are tried too.
 *
 * best[j] = min over i < j of best[i] + H + (j - i) area(i, j) / H. The product of two sums over an interval satisfies
 * the quadrangle inequality, so that once a later i is better than an earlier one it stays so: the candidates queue up,
 * each with the j from which on it beats those before it (Galil and Giancarlo 1989), O(p log p). */
#include "base/memory.h"
#include "partition/methods.h"

typedef struct {
    const scalay_shares *shares;
    double height; /* of the columns */
    double *best;  /* shape [parts + 1] */
    int *first;    /* shape [parts + 1]: the column that ends at j starts here */
    int *queue;    /* shape [parts + 1]: candidates */
    int *from;     /* shape [parts + 1]: each is the best from here on */
    int head, end; /* of the queue */
} column_search;

static double cost_through(const column_search *search, int i, int j)
{
    return search->best[i] + search->height + (j - i) * scalay_shares_sum(search->shares, i, j) / search->height;
}

/* The first j > later from which on the later candidate wins; parts + 1: none. */
static int takes_over(const column_search *search, int earlier, int later)
{
    int low = later + 1;
    int high = search->shares->parts + 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cost_through(search, later, middle) < cost_through(search, earlier, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The head of the queue stays: it was the best before i + 1, where candidate i starts. */
static void enqueue(column_search *search, int i)
{
    int from = takes_over(search, search->queue[search->end - 1], i);
    while (from <= search->from[search->end - 1]) {
        search->end--;
        from = takes_over(search, search->queue[search->end - 1], i);
    }
    if (from > search->shares->parts) return;
    search->queue[search->end] = i;
    search->from[search->end++] = from;
}

static void find_columns(column_search *search)
{
    search->head = 0;
    search->end = 1;
    search->queue[0] = 0;
    search->from[0] = 1;
    for (int j = 1; j <= search->shares->parts; j++) {
        while (search->head + 1 < search->end && search->from[search->head + 1] <= j) search->head++;
        search->first[j] = search->queue[search->head];
        search->best[j] = cost_through(search, search->first[j], j);
        if (j < search->shares->parts) enqueue(search, j);
    }
}

static scalay_status search_create(const scalay_shares *shares, column_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = (int64_t)shares->parts + 1;
    *search = (column_search){.shares = shares};
    SCALAY_TRY(SCALAY_NEW(search->best, count));
    SCALAY_TRY(SCALAY_NEW(search->first, count));
    SCALAY_TRY(SCALAY_NEW(search->queue, count));
    SCALAY_TRY(SCALAY_NEW(search->from, count));
cleanup:
    return status;
}

static void search_free(column_search *search)
{
    scalay_release(search->best);
    scalay_release(search->first);
    scalay_release(search->queue);
    scalay_release(search->from);
}

/* Uses the queue for the leaves of a column, and `from` for the columns. */
static void build(column_search *search, int direction, scalay_slicing *tree)
{
    const int along = direction == SCALAY_SIDE_BY_SIDE ? SCALAY_ONE_ABOVE_OTHER : SCALAY_SIDE_BY_SIDE;
    int columns = 0;
    for (int k = 0; k < search->shares->parts; k++) search->queue[k] = k;
    for (int j = search->shares->parts; j > 0; j = search->first[j])
        search->from[columns++] =
            scalay_slicing_chain(tree, along, search->queue + search->first[j], j - search->first[j]);
    tree->root = scalay_slicing_chain(tree, direction, search->from, columns);
}

scalay_status scalay_slicing_columns(const scalay_shares *shares, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    column_search search = {0};
    SCALAY_TRY(search_create(shares, &search));
    search.height = shares->cols;
    find_columns(&search);
    double lying = search.best[shares->parts];
    search.height = shares->rows;
    find_columns(&search);
    int lie = lying < search.best[shares->parts] * (1.0 - 1e-12);
    if (lie) {
        search.height = shares->cols;
        find_columns(&search);
    }
    build(&search, lie ? SCALAY_ONE_ABOVE_OTHER : SCALAY_SIDE_BY_SIDE, tree);
cleanup:
    search_free(&search);
    return status;
}

scalay_status scalay_draw_columns(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_slicing_method(problem, scalay_slicing_columns, candidate);
}
