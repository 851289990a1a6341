/*
 * Methods for any number of parts that make a slicing tree. All start from the parts sorted by area.
 *
 * Columns (Beaumont, Boudet, Rastello, Robert 2001). Each column holds consecutive parts; k parts in a column of height
 * H and area S have half perimeters H + k S / H. Dynamic program: best[j] = min over i < j of best[i] + H + (j - i)
 * area(i, j) / H. The product of two sums over an interval satisfies the quadrangle inequality: a later i that is
 * better stays better. A queue of candidates gives O(p log p) (Galil, Giancarlo 1989). On a domain that is not square,
 * rows of rectangles are tried, too.
 *
 * Grid (Kalinov, Lastovetsky 2001). The best nprow x npcol grid.
 *
 * Nagamochi, Abe (2007). The longer side is cut; the first piece is the shortest prefix with at least a third of the
 * area.
 *
 * Recursive (Beaumont, Eyraud-Dubois, Lambert 2016, simplified). Likewise, but if all parts except the largest have
 * less than a quarter of the area of the square on the shorter side, they get a square in a corner.
 *
 * Recursive-best (this project). All cuts of the sorted parts into two ranges, in both directions, and the corner
 * square are ranked by lower bounds; the BEAM best ones are followed. Results are stored per range and width.
 */
#include "partition/slicing_tree.h"

#include <math.h>

#include "base/memory.h"

/* ---------------------------------------------------------------------------------------------------------- columns */

typedef struct {
    const scalay_scaled_areas *areas;
    double height; /* of the columns */
    double *best;  /* shape [parts + 1] */
    int *first;    /* shape [parts + 1]: start of the column that ends at j */
    int *queue;    /* shape [parts + 1]: candidates i */
    int *from;     /* shape [parts + 1]: first j for which the candidate is better than the earlier ones */
    int head, end; /* of the queue */
} column_search;

static double cost_through(const column_search *search, int i, int j)
{
    return search->best[i] + search->height + (j - i) * scalay_scaled_areas_sum(search->areas, i, j) / search->height;
}

/* Returns the first j > later from which on the later candidate is better; parts + 1: none. */
static int takes_over(const column_search *search, int earlier, int later)
{
    int low = later + 1;
    int high = search->areas->parts + 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cost_through(search, later, middle) < cost_through(search, earlier, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Appends candidate i. The head of the queue stays, because it is the best one for i + 1. */
static void enqueue(column_search *search, int i)
{
    int from = takes_over(search, search->queue[search->end - 1], i);
    while (from <= search->from[search->end - 1]) {
        search->end--;
        from = takes_over(search, search->queue[search->end - 1], i);
    }
    if (from > search->areas->parts) return;
    search->queue[search->end] = i;
    search->from[search->end++] = from;
}

static void find_columns(column_search *search)
{
    search->head = 0;
    search->end = 1;
    search->queue[0] = 0;
    search->from[0] = 1;
    for (int j = 1; j <= search->areas->parts; j++) {
        while (search->head + 1 < search->end && search->from[search->head + 1] <= j) search->head++;
        search->first[j] = search->queue[search->head];
        search->best[j] = cost_through(search, search->first[j], j);
        if (j < search->areas->parts) enqueue(search, j);
    }
}

static scalay_status search_create(const scalay_scaled_areas *areas, column_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = (int64_t)areas->parts + 1;
    *search = (column_search){.areas = areas};
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

/* Builds the tree. Reuses queue[] for the leaves of a column and from[] for the columns. */
static void build(column_search *search, int direction, scalay_slicing *tree)
{
    const int along = direction == SCALAY_SIDE_BY_SIDE ? SCALAY_ONE_ABOVE_OTHER : SCALAY_SIDE_BY_SIDE;
    int columns = 0;
    for (int k = 0; k < search->areas->parts; k++) search->queue[k] = k;
    for (int j = search->areas->parts; j > 0; j = search->first[j])
        search->from[columns++] =
            scalay_slicing_chain(tree, along, search->queue + search->first[j], j - search->first[j]);
    tree->root = scalay_slicing_chain(tree, direction, search->from, columns);
}

scalay_status scalay_slicing_columns(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    column_search search = {0};
    SCALAY_TRY(search_create(areas, &search));
    search.height = areas->cols;
    find_columns(&search);
    double lying = search.best[areas->parts];
    search.height = areas->rows;
    find_columns(&search);
    int lie = lying < search.best[areas->parts] * (1.0 - 1e-12);
    if (lie) {
        search.height = areas->cols;
        find_columns(&search);
    }
    build(&search, lie ? SCALAY_ONE_ABOVE_OTHER : SCALAY_SIDE_BY_SIDE, tree);
cleanup:
    search_free(&search);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- grid */

/* Returns the number of rows of the grid with the smallest half perimeter. */

static int grid_rows(const scalay_scaled_areas *areas)
{
    int best = 1;
    double least = INFINITY;
    for (int rows = 1; rows <= areas->parts; rows++) {
        double cost = areas->parts / rows * areas->rows + rows * areas->cols;
        if (areas->parts % rows != 0 || cost >= least) continue;
        best = rows;
        least = cost;
    }
    return best;
}

/*
 * Spreads the largest parts over the columns.
 *
 * Kalinov, Lastovetsky (2001): the width of a column is proportional to its area, and so are the heights in a column.
 * The sum of the half perimeters is npcol rows + nprow cols, for any assignment of the parts.
 */
scalay_status scalay_slicing_grid(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rows = grid_rows(areas);
    const int cols = areas->parts / rows;
    int *leaf = NULL;
    int *column = NULL;
    SCALAY_TRY(SCALAY_NEW(leaf, rows));
    SCALAY_TRY(SCALAY_NEW(column, cols));
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) leaf[i] = i * cols + j;
        column[j] = scalay_slicing_chain(tree, SCALAY_ONE_ABOVE_OTHER, leaf, rows);
    }
    tree->root = scalay_slicing_chain(tree, SCALAY_SIDE_BY_SIDE, column, cols);
cleanup:
    scalay_release(leaf);
    scalay_release(column);
    return status;
}

/* ---------------------------------------------------------------------------------------------- recursive divisions */

enum { BESIDE = SCALAY_SIDE_BY_SIDE, ABOVE = SCALAY_ONE_ABOVE_OTHER, CORNER };

/* The parts first .. last - 1 in a rectangle. */
typedef struct {
    int first, last;
    double rows, cols;
} piece;

/* A division of a piece. */
typedef struct {
    double estimate;
    int way;
    int middle; /* first part of the second piece */
} division;

/* Computes the two pieces of a division. Of a corner, the first one is the leaf. */
static void divide(const scalay_scaled_areas *areas, piece of, division by, piece *one, piece *two)
{
    *one = (piece){of.first, by.middle, of.rows, of.cols};
    *two = (piece){by.middle, of.last, of.rows, of.cols};
    double area = scalay_scaled_areas_sum(areas, of.first, by.middle);
    if (by.way == BESIDE) {
        one->cols = area / of.rows;
        two->cols -= one->cols;
    } else if (by.way == ABOVE) {
        one->rows = area / of.cols;
        two->rows -= one->rows;
    } else {
        two->rows = two->cols = sqrt(scalay_scaled_areas_sum(areas, by.middle, of.last));
    }
}

typedef struct {
    const scalay_scaled_areas *areas;
    scalay_slicing *tree;
    int corners; /* 1: recursive method */
} cutter;

/* Returns the first part of the second piece. */
static int split_third(const scalay_scaled_areas *areas, int first, int last)
{
    const double third = scalay_scaled_areas_sum(areas, first, last) / 3.0 * (1.0 - 1e-12);
    double sum = 0.0;
    int k = first;
    while (k < last - 1 && sum < third) sum += areas->area[k++];
    return k;
}

static int cut(const cutter *at, piece of)
{
    const scalay_scaled_areas *areas = at->areas;
    if (of.last - of.first == 1) return of.first;
    double rest = scalay_scaled_areas_sum(areas, of.first + 1, of.last);
    double shorter = fmin(of.rows, of.cols);
    if (at->corners && rest < shorter * shorter / 4.0) {
        double side = sqrt(rest);
        scalay_slicing_nest(at->tree, of.first, cut(at, (piece){of.first + 1, of.last, side, side}));
        return of.first;
    }
    const division by = {0.0, of.cols >= of.rows ? BESIDE : ABOVE, split_third(areas, of.first, of.last)};
    piece one, two;
    divide(areas, of, by, &one, &two);
    const int before = cut(at, one);
    return scalay_slicing_cut(at->tree, by.way, before, cut(at, two));
}

scalay_status scalay_slicing_nagamochi_abe(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    const cutter at = {areas, tree, 0};
    tree->root = cut(&at, (piece){0, areas->parts, areas->rows, areas->cols});
    return SCALAY_SUCCESS;
}

scalay_status scalay_slicing_recursive(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    const cutter at = {areas, tree, 1};
    tree->root = cut(&at, (piece){0, areas->parts, areas->rows, areas->cols});
    return SCALAY_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------- recursive-best */

enum { BEAM = 3, MAX_STATES = 8000 };

/* The best division found for a piece. */
typedef struct {
    double cols; /* width of the piece; the height follows from its area */
    double cost;
    int way, middle;
    int64_t next; /* next state of the same parts; -1: none */
} state;

typedef struct {
    const scalay_scaled_areas *areas;
    scalay_slicing *tree;
    double *roots;   /* shape [parts + 1]: sum of the sides from k on */
    int64_t *newest; /* shape [parts * (parts + 1)]: newest state of each range of parts; -1: none */
    int64_t states, capacity;
    state *state;
} searcher;

static double area_of(const searcher *at, int first, int last)
{
    return scalay_scaled_areas_sum(at->areas, first, last);
}

/* Returns a lower bound on the cost of a piece: squares if they fit, else stripes of the shorter side. */
static double estimate(const searcher *at, piece of)
{
    double shorter = fmin(of.rows, of.cols);
    int low = of.first;
    int high = of.last;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (at->areas->side[middle] > shorter)
            low = middle + 1;
        else
            high = middle;
    }
    double stripes = (low - of.first) * shorter + area_of(at, of.first, low) / shorter;
    double squares = 2.0 * (at->roots[low] - at->roots[of.last]);
    return fmax(stripes + squares, of.rows + of.cols);
}

/* Keeps the BEAM best divisions in order. Of equal ones, the earlier one stays first. */
static void offer(division *best, int *count, division new)
{
    int to = *count < BEAM ? (*count)++ : BEAM - 1;
    if (to == BEAM - 1 && *count == BEAM && best[to].estimate <= new.estimate &&best[to].way >= 0) return;
    best[to] = new;
    for (; to > 0 && best[to - 1].estimate > best[to].estimate; to--) {
        division other = best[to - 1];
        best[to - 1] = best[to];
        best[to] = other;
    }
}

static int rank_divisions(const searcher *at, piece of, division *best)
{
    int count = 0;
    piece one, two;
    for (int k = 0; k < BEAM; k++) best[k].way = -1;
    for (int middle = of.first + 1; middle < of.last; middle++)
        for (int way = BESIDE; way <= ABOVE; way++) {
            division by = {0.0, way, middle};
            divide(at->areas, of, by, &one, &two);
            by.estimate = estimate(at, one) + estimate(at, two);
            offer(best, &count, by);
        }
    division corner = {0.0, CORNER, of.first + 1};
    divide(at->areas, of, corner, &one, &two);
    if (two.rows <= fmin(of.rows, of.cols)) {
        corner.estimate = of.rows + of.cols + estimate(at, two);
        offer(best, &count, corner);
    }
    return count;
}

static state *recall(const searcher *at, piece of)
{
    int64_t k = at->newest[(int64_t)of.first * (at->areas->parts + 1) + of.last];
    for (; k >= 0; k = at->state[k].next)
        if (fabs(at->state[k].cols - of.cols) <= 1e-9 * of.cols) return &at->state[k];
    return NULL;
}

static scalay_status keep(searcher *at, piece of, state found)
{
    int64_t *newest = &at->newest[(int64_t)of.first * (at->areas->parts + 1) + of.last];
    scalay_status status = SCALAY_GROW(at->state, at->capacity, at->states + 1);
    if (status != SCALAY_SUCCESS) return status;
    found.next = *newest;
    at->state[at->states] = found;
    *newest = at->states++;
    return SCALAY_SUCCESS;
}

static scalay_status search(searcher *at, piece of, double *cost);

static scalay_status follow(searcher *at, piece of, division by, double *cost)
{
    piece one, two;
    double first = of.rows + of.cols;
    double second;
    divide(at->areas, of, by, &one, &two);
    scalay_status status = by.way == CORNER ? SCALAY_SUCCESS : search(at, one, &first);
    if (status == SCALAY_SUCCESS) status = search(at, two, &second);
    if (status == SCALAY_SUCCESS) *cost = first + second;
    return status;
}

static scalay_status search(searcher *at, piece of, double *cost)
{
    division best[BEAM];
    state found = {.cols = of.cols, .cost = INFINITY};
    *cost = of.rows + of.cols;
    if (of.last - of.first == 1) return SCALAY_SUCCESS;
    const state *known = recall(at, of);
    if (known != NULL) {
        *cost = known->cost;
        return SCALAY_SUCCESS;
    }
    int count = rank_divisions(at, of, best);
    for (int k = 0; k < count && (k == 0 || at->states < MAX_STATES); k++) {
        if (best[k].estimate >= found.cost - 1e-12) continue;
        double through;
        scalay_status status = follow(at, of, best[k], &through);
        if (status != SCALAY_SUCCESS) return status;
        if (through < found.cost - 1e-12)
            found = (state){.cols = of.cols, .cost = through, .way = best[k].way, .middle = best[k].middle};
    }
    *cost = found.cost;
    return keep(at, of, found);
}

static int plant(const searcher *at, piece of)
{
    piece one, two;
    if (of.last - of.first == 1) return of.first;
    const state *known = recall(at, of);
    const division by = {0.0, known->way, known->middle};
    divide(at->areas, of, by, &one, &two);
    if (by.way == CORNER) {
        scalay_slicing_nest(at->tree, of.first, plant(at, two));
        return of.first;
    }
    int before = plant(at, one);
    return scalay_slicing_cut(at->tree, by.way, before, plant(at, two));
}

static scalay_status searcher_create(const scalay_scaled_areas *areas, scalay_slicing *tree, searcher *at)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t runs = (int64_t)areas->parts * (areas->parts + 1);
    *at = (searcher){.areas = areas, .tree = tree};
    SCALAY_TRY(SCALAY_NEW(at->roots, (int64_t)areas->parts + 1));
    SCALAY_TRY(SCALAY_NEW(at->newest, runs));
    for (int k = areas->parts - 1; k >= 0; k--) at->roots[k] = at->roots[k + 1] + areas->side[k];
    for (int64_t k = 0; k < runs; k++) at->newest[k] = -1;
cleanup:
    return status;
}

scalay_status scalay_slicing_recursive_best(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    const piece all = {0, areas->parts, areas->rows, areas->cols};
    searcher at = {0};
    double cost;
    SCALAY_TRY(searcher_create(areas, tree, &at));
    SCALAY_TRY(search(&at, all, &cost));
    tree->root = plant(&at, all);
cleanup:
    scalay_release(at.roots);
    scalay_release(at.newest);
    scalay_release(at.state);
    return status;
}
