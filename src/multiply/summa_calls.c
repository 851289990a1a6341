/*
 * The gemm calls of a rank.
 *
 * 1. C's elements on a rank are split into class products: the dense arrays of a grid or an owner map, or groups of
 *    tiles of a tile map. Groups are the rows (or columns) of tiles with the same owned columns (rows).
 * 2. Panels contain whole classes. Their order is chosen so that the classes of each product are adjacent if possible.
 * 3. Each run of adjacent row classes times each run of adjacent column classes is one gemm call per panel. Small tiles
 *    are gathered into one array, multiplied together and scattered back.
 *
 * Time: O(c log c) for c = classes and tiles of the rank.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/line_groups.h"
#include "multiply/summa.h"

/* ------------------------------------------------------------------------------------------ class products */

/* Class product: all elements of C in a set of row classes times a set of column classes. */
typedef struct {
    scalay_class_product classes; /* in the order of the array's lines; the lists are the products' */
    int64_t elements;
    int is_array;   /* 0: a group of tiles, each of which is an array of its own */
    int64_t offset; /* of an array */
    int64_t ld;     /* likewise */
} summa_product;

/* The class products of a rank, the largest first. Zeroed is empty. */
typedef struct {
    int64_t count;
    summa_product *product; /* shape [count] */
    int64_t *class;         /* what the lists of classes are in */
} summa_products;

/* Class products under construction. */
typedef struct {
    summa_products *products;
    const scalay_layout *c;
    int64_t capacity, class_capacity, classes;
} builder;

static void free_products(summa_products *products)
{
    scalay_release(products->product);
    scalay_release(products->class);
    *products = (summa_products){0};
}

/* Returns the tile of a pair of classes; its extents are those of the window. */
static scalay_subarray tile_at(const scalay_layout *c, int64_t row_class, int64_t col_class)
{
    const scalay_cell cell = scalay_layout_cell_at(c, row_class, col_class);
    return (scalay_subarray){.rows = scalay_axis_count(&c->row, row_class),
                             .cols = scalay_axis_count(&c->col, col_class),
                             .ld = cell.ld,
                             .offset = cell.offset + scalay_axis_get_run(&c->row, row_class, 0).local +
                                       scalay_axis_get_run(&c->col, col_class, 0).local * cell.ld};
}

static int64_t count_lines(const scalay_axis *axis, int64_t classes, const int64_t *class)
{
    int64_t lines = 0;
    for (int64_t k = 0; k < classes; k++) lines += scalay_axis_count(axis, class[k]);
    return lines;
}

/* Copies the class lists of a product. point_to_classes() sets the pointers when all lists are complete. */
static scalay_status append_product(builder *build, summa_product product)
{
    scalay_status status = SCALAY_SUCCESS;
    summa_products *products = build->products;
    const scalay_class_product *list = &product.classes;
    product.elements =
        count_lines(&build->c->row, list->rows, list->row) * count_lines(&build->c->col, list->cols, list->col);
    if (product.elements == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(products->product, build->capacity, products->count + 1));
    SCALAY_TRY(SCALAY_GROW(products->class, build->class_capacity, build->classes + list->rows + list->cols));
    memcpy(products->class + build->classes, list->row, (size_t)list->rows * sizeof *list->row);
    memcpy(products->class + build->classes + list->rows, list->col, (size_t)list->cols * sizeof *list->col);
    build->classes += list->rows + list->cols;
    products->product[products->count++] = product;
cleanup:
    return status;
}

static void point_to_classes(summa_products *products)
{
    const int64_t *class = products->class;
    for (int64_t k = 0; k < products->count; k++) {
        scalay_class_product *list = &products->product[k].classes;
        list->row = class;
        list->col = class + list->rows;
        class += list->rows + list->cols;
    }
}

/* ------------------------------------------------------------------------------------------------- arrays */

static scalay_status append_arrays(builder *build, int process)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < scalay_layout_subarray_count(build->c, process); k++) {
        int64_t one[2];
        scalay_subarray shape;
        summa_product product = {.is_array = 1};
        SCALAY_TRY(scalay_layout_subarray(build->c, process, k, &shape));
        scalay_layout_subarray_classes(build->c, process, k, one, &product.classes);
        product.offset = shape.offset;
        product.ld = shape.ld;
        SCALAY_TRY(append_product(build, product));
    }
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- tiles */

/* The tiles of a part, grouped by row class and by column class. */
typedef struct {
    int64_t tiles;
    int64_t *by_row; /* shape [tiles], ascending: row class * column classes + column class */
    int64_t *by_col; /* shape [tiles], ascending: column class * row classes + row class */
    int64_t *list;   /* shape [row classes + column classes]: those of a group */
    scalay_line_groups rows, cols;
} tile_groups;

static int compare_tiles(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the tiles of a part. Tiles outside the window of a submatrix are skipped. */
static scalay_status list_tiles(const scalay_layout *c, int part, tile_groups *groups)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t cells = scalay_layout_cells(c, part);
    SCALAY_TRY(SCALAY_NEW(groups->by_row, cells));
    SCALAY_TRY(SCALAY_NEW(groups->by_col, cells));
    SCALAY_TRY(SCALAY_NEW(groups->list, c->row.classes + c->col.classes));
    for (int64_t k = 0; k < cells; k++) {
        const scalay_cell cell = scalay_layout_cell(c, part, k);
        if (scalay_axis_count(&c->row, cell.row_class) == 0 || scalay_axis_count(&c->col, cell.col_class) == 0)
            continue;
        groups->by_row[groups->tiles] = cell.row_class * c->col.classes + cell.col_class;
        groups->by_col[groups->tiles++] = cell.col_class * c->row.classes + cell.row_class;
    }
    if (groups->tiles == 0) goto cleanup;
    qsort(groups->by_row, (size_t)groups->tiles, sizeof *groups->by_row, compare_tiles);
    qsort(groups->by_col, (size_t)groups->tiles, sizeof *groups->by_col, compare_tiles);
    SCALAY_TRY(scalay_line_groups_find(groups->tiles, groups->by_row, c->col.classes, &groups->rows));
    SCALAY_TRY(scalay_line_groups_find(groups->tiles, groups->by_col, c->row.classes, &groups->cols));
cleanup:
    return status;
}

/* Appends one class product per group of lines. Lines are rows or columns, as the tiles are sorted. */
static scalay_status append_groups(builder *build, const int64_t *tile, int64_t crosses, int by_row,
                                   const scalay_line_groups *groups, int64_t *list)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0, end; k < groups->lines; k = end) {
        const scalay_owned_line *leader = &groups->line[k];
        const int64_t across = leader->end - leader->begin;
        for (end = k; end < groups->lines && groups->line[end].leader == leader->line; end++)
            list[end - k] = groups->line[end].line;
        int64_t *cross = list + (end - k);
        for (int64_t c = 0; c < across; c++) cross[c] = tile[leader->begin + c] % crosses;
        summa_product product = {.is_array = 0};
        product.classes = by_row ? (scalay_class_product){end - k, list, across, cross}
                                 : (scalay_class_product){across, cross, end - k, list};
        SCALAY_TRY(append_product(build, product));
    }
cleanup:
    return status;
}

/* Groups by rows or by columns: the one with fewer groups. */
static scalay_status append_tile_groups(builder *build, int process)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *c = build->c;
    const int part = scalay_layout_part_of_process(c, process);
    tile_groups groups = {0};
    if (part < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(list_tiles(c, part, &groups));
    if (groups.rows.groups < groups.cols.groups)
        SCALAY_TRY(append_groups(build, groups.by_row, c->col.classes, 1, &groups.rows, groups.list));
    else
        SCALAY_TRY(append_groups(build, groups.by_col, c->row.classes, 0, &groups.cols, groups.list));
cleanup:
    scalay_release(groups.by_row);
    scalay_release(groups.by_col);
    scalay_release(groups.list);
    scalay_release(groups.rows.line);
    scalay_release(groups.cols.line);
    return status;
}

/* Descending by size. The class lists of equal products are in the order of creation, so the order is total. */
static int compare_products(const void *a, const void *b)
{
    const summa_product *x = a, *y = b;
    if (x->elements != y->elements) return x->elements > y->elements ? -1 : 1;
    return (x->classes.row > y->classes.row) - (x->classes.row < y->classes.row);
}

/* Finds the nonempty class products of a process. */
static scalay_status find_products(const scalay_layout *c, int process, summa_products *products)
{
    scalay_status status = SCALAY_SUCCESS;
    builder build = {.products = products, .c = c};
    const int has_tiles = scalay_layout_is_tile_map(c);
    *products = (summa_products){0};
    SCALAY_TRY(has_tiles ? append_tile_groups(&build, process) : append_arrays(&build, process));
    point_to_classes(products);
    if (products->count > 0)
        qsort(products->product, (size_t)products->count, sizeof *products->product, compare_products);
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- calls */

static const char create_name[] = "scalay_summa_create";

/* Tiles of at least LARGE_TILE rows and columns, and groups of fewer than GATHERED_TILES tiles, are multiplied in
 * place. Other tiles are gathered in an array of about GATHERED_LINES x GATHERED_LINES elements. */
enum { LARGE_TILE = 192, GATHERED_TILES = 4, GATHERED_LINES = 512 };

/* The classes of a class product along the lines of a side. */
typedef struct {
    int64_t count;
    const int64_t *class;
} class_list;

/* The part of C that this rank owns. */
typedef struct {
    const scalay_layout *c;
    summa_products products;
    int64_t max_gathered_lines; /* of tiles that are multiplied at once */
} owned;

static class_list product_classes(const owned *own, int which, int64_t k)
{
    const scalay_class_product *product = &own->products.product[k].classes;
    if (which == SCALAY_SUMMA_A) return (class_list){product->rows, product->row};
    return (class_list){product->cols, product->col};
}

static const scalay_axis *c_axis(const owned *own, int which)
{
    return which == SCALAY_SUMMA_A ? &own->c->row : &own->c->col;
}

/* ------------------------------------------------------------------------------------- the order of classes */

/* A class with the set of products that contain it (bit 63 - p for product p, the first 64 only), and its position in
 * the first of these. */
typedef struct {
    int64_t class;
    uint64_t products;
    int64_t first_position;
} ranked_class;

static int compare_classes(const void *a, const void *b)
{
    const ranked_class *x = a, *y = b;
    return (x->class > y->class) - (x->class < y->class);
}

static int compare_ranks(const void *a, const void *b)
{
    const ranked_class *x = a, *y = b;
    if (x->products != y->products) return x->products > y->products ? -1 : 1;
    if (x->first_position != y->first_position) return x->first_position < y->first_position ? -1 : 1;
    return compare_classes(a, b);
}

int64_t scalay_summa_find_class(const scalay_summa_side *side, int64_t class)
{
    int64_t low = 0, high = side->classes - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (side->class[middle] < class)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Lists the classes of all products, each once, ascending. */
static scalay_status list_classes(const owned *own, scalay_summa_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_axis *axis = c_axis(own, side->which);
    char *visited = NULL;
    SCALAY_TRY(SCALAY_NEW(visited, axis->classes));
    for (int64_t k = 0; k < own->products.count; k++) {
        const class_list list = product_classes(own, side->which, k);
        for (int64_t i = 0; i < list.count; i++) {
            side->classes += visited[list.class[i]] == 0;
            visited[list.class[i]] = 1;
        }
    }
    SCALAY_TRY(SCALAY_NEW(side->class, side->classes));
    SCALAY_TRY(SCALAY_NEW(side->position, side->classes));
    int64_t found = 0;
    for (int64_t class = 0; class < axis->classes; class ++)
        if (visited[class]) side->class[found++] = class;
cleanup:
    scalay_release(visited);
    return status;
}

/* Sets the positions of the classes in the order of `ranked`. */
static void set_positions(const owned *own, const ranked_class *ranked, scalay_summa_side *side)
{
    side->lines = 0;
    for (int64_t k = 0; k < side->classes; k++) {
        side->position[scalay_summa_find_class(side, ranked[k].class)] = side->lines;
        side->lines += scalay_axis_count(c_axis(own, side->which), ranked[k].class);
    }
}

static void rank_classes(const owned *own, const scalay_summa_side *side, ranked_class *ranked)
{
    for (int64_t k = 0; k < side->classes; k++) ranked[k] = (ranked_class){side->class[k], 0, 0};
    for (int64_t p = 0; p < own->products.count && p < 64; p++) {
        const class_list list = product_classes(own, side->which, p);
        for (int64_t i = 0; i < list.count; i++) {
            ranked_class *at = &ranked[scalay_summa_find_class(side, list.class[i])];
            if (at->products == 0) at->first_position = i;
            at->products |= (uint64_t)1 << (63 - p);
        }
    }
}

/* Returns the end of a class run: classes that are adjacent in a product and in panels. A run has one class, or at most
 * max_lines lines. Sets *lines. */
static int64_t class_run_end(const owned *own, const scalay_summa_side *side, const class_list *list, int64_t first,
                             int64_t max_lines, int64_t *lines)
{
    int64_t at = scalay_summa_find_class(side, list->class[first]);
    const int64_t begin = side->position[at];
    *lines = 0;
    while (first < list->count) {
        at = scalay_summa_find_class(side, list->class[first]);
        const int64_t count = scalay_axis_count(c_axis(own, side->which), list->class[first]);
        if (side->position[at] != begin + *lines || (*lines > 0 && *lines + count > max_lines)) break;
        *lines += count;
        first++;
    }
    return first;
}

static int64_t count_class_runs(const owned *own, const scalay_summa_side *side)
{
    int64_t count = 0, lines = 0;
    for (int64_t k = 0; k < own->products.count; k++) {
        const class_list list = product_classes(own, side->which, k);
        for (int64_t first = 0; first < list.count; count++)
            first = class_run_end(own, side, &list, first, INT64_MAX, &lines);
    }
    return count;
}

/* Orders the classes ascending or by the products that contain them: the order with fewer class runs. */
static scalay_status order_classes(const owned *own, scalay_summa_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    ranked_class *ranked = NULL;
    SCALAY_TRY(list_classes(own, side));
    SCALAY_TRY(SCALAY_NEW(ranked, side->classes));
    rank_classes(own, side, ranked);
    set_positions(own, ranked, side);
    const int64_t ascending = count_class_runs(own, side);
    qsort(ranked, (size_t)side->classes, sizeof *ranked, compare_ranks);
    set_positions(own, ranked, side);
    if (count_class_runs(own, side) < ascending) goto cleanup;
    qsort(ranked, (size_t)side->classes, sizeof *ranked, compare_classes);
    set_positions(own, ranked, side);
cleanup:
    scalay_release(ranked);
    return status;
}

/* ------------------------------------------------------------------------------------------------- calls */

static scalay_status check_extents(const scalay_summa *summa, int64_t ld)
{
    const int64_t max_lines = scalay_max_int64(summa->side[0].lines, summa->side[1].lines);
    if (ld <= INT_MAX && max_lines <= INT_MAX) return SCALAY_SUCCESS;
    return scalay_fail(
        SCALAY_ERROR_RANGE, create_name,
        "c: this rank has %lld rows and columns at max_lines and a leading dimension of %lld, which must fit "
        "the 32 bits of BLAS; use more processes",
        (long long)max_lines, (long long)ld);
}

/* Classes that are adjacent in a product and in panels. */
typedef struct {
    int64_t count;
    const int64_t *class;
    int64_t lines;
    int64_t position; /* of the first in panels */
    int64_t done;     /* lines of the product before */
} class_run;

/* Advances *at to the next class run of a list. Returns 0 at the end. */
static int next_class_run(const owned *own, const scalay_summa_side *side, class_list list, int64_t max_lines,
                          class_run *at)
{
    const int64_t first = at->class != NULL ? at->class - list.class + at->count : 0;
    if (first == list.count) return 0;
    at->done += at->lines;
    at->class = list.class + first;
    at->count = class_run_end(own, side, &list, first, max_lines, &at->lines) - first;
    at->position = side->position[scalay_summa_find_class(side, list.class[first])];
    return 1;
}

static scalay_status add_call(scalay_summa *summa, const scalay_summa_call *call)
{
    const scalay_status status = SCALAY_GROW(summa->calls, summa->call_capacity, summa->call_count + 1);
    if (status == SCALAY_SUCCESS) summa->calls[summa->call_count++] = *call;
    return status;
}

/* Appends the tiles of a call, column by column. */
static scalay_status add_tiles(const owned *own, const class_run *rows, const class_run *cols, scalay_summa *summa,
                               scalay_summa_call *call)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_tile tile = {.col = 0};
    call->first_tile = summa->tile_count;
    for (int64_t c = 0; c < cols->count; c++, tile.col += tile.cols) {
        tile.row = 0;
        for (int64_t r = 0; r < rows->count; r++, tile.row += tile.rows) {
            const scalay_subarray at = tile_at(own->c, rows->class[r], cols -> class[c]);
            tile.rows = at.rows;
            tile.cols = at.cols;
            tile.offset = at.offset;
            tile.ld = at.ld;
            SCALAY_TRY(SCALAY_GROW(summa->tiles, summa->tile_capacity, summa->tile_count + 1));
            summa->tiles[summa->tile_count++] = tile;
        }
    }
    call->end_tile = summa->tile_count;
    summa->gathered = scalay_max_int64(summa->gathered, rows->lines * cols->lines);
cleanup:
    return status;
}

/* Adds one call per tile, in place. */
static scalay_status add_single_tiles(const owned *own, const class_run *rows, const class_run *cols,
                                      scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t col = cols->position;
    for (int64_t c = 0; c < cols->count; c++) {
        scalay_subarray tile = {.cols = 0};
        int64_t row = rows->position;
        for (int64_t r = 0; r < rows->count; r++, row += tile.rows) {
            tile = tile_at(own->c, rows->class[r], cols -> class[c]);
            SCALAY_TRY(check_extents(summa, tile.ld));
            const scalay_summa_call call = {.rows = (int)tile.rows,
                                            .cols = (int)tile.cols,
                                            .row = row,
                                            .col = col,
                                            .offset = tile.offset,
                                            .ld = (int)tile.ld};
            SCALAY_TRY(add_call(summa, &call));
        }
        col += tile.cols;
    }
cleanup:
    return status;
}

/* Adds the calls of a run of rows times a run of columns. */
static scalay_status add_run_product(const owned *own, const summa_product *product, const class_run *rows,
                                     const class_run *cols, scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!product->is_array && rows->count * cols->count < GATHERED_TILES)
        return add_single_tiles(own, rows, cols, summa);
    scalay_summa_call call = {
        .rows = (int)rows->lines, .cols = (int)cols->lines, .row = rows->position, .col = cols->position};
    if (product->is_array) {
        call.offset = product->offset + rows->done + cols->done * product->ld;
        call.ld = (int)product->ld;
    } else {
        SCALAY_TRY(add_tiles(own, rows, cols, summa, &call));
        call.ld = call.rows;
    }
    SCALAY_TRY(add_call(summa, &call));
cleanup:
    return status;
}

/* Returns the maximum number of rows of a call with `across` columns, and vice versa. */
static int64_t max_lines_beside(const owned *own, const summa_product *product, int64_t across)
{
    const int64_t max_lines = own->max_gathered_lines;
    if (product->is_array) return INT64_MAX;
    return across > max_lines ? max_lines * max_lines / across : max_lines;
}

static scalay_status add_product(const owned *own, const summa_product *product, scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    const class_list rows = {product->classes.rows, product->classes.row},
                     cols = {product->classes.cols, product->classes.col};
    class_run row = {0};
    SCALAY_TRY(check_extents(summa, product->ld));
    while (next_class_run(own, &summa->side[0], rows, max_lines_beside(own, product, own->c->col.block), &row)) {
        class_run col = {0};
        while (next_class_run(own, &summa->side[1], cols, max_lines_beside(own, product, row.lines), &col))
            SCALAY_TRY(add_run_product(own, product, &row, &col, summa));
    }
cleanup:
    return status;
}

/* Returns the rows and columns of the gather array; 0: every tile is multiplied in place. If memory is limited, panel
 * buffers of width 1 and messages of the same size have priority. */
static int64_t gathered_lines(const scalay_summa *summa, const scalay_layout *c)
{
    const int64_t size = (int64_t)summa->side[0].size, panels = 4 * (summa->side[0].lines + summa->side[1].lines);
    const int64_t limit = (summa->options.memory_bytes / size - panels) / 4;
    int64_t lines = GATHERED_LINES;
    if (scalay_min_int64(c->row.block, c->col.block) >= LARGE_TILE) return 0;
    while (summa->options.memory_bytes > 0 && lines > 0 && lines * lines > limit) lines /= 2;
    return lines;
}

scalay_status scalay_summa_find_calls(scalay_summa *summa, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    owned own = {.c = c};
    SCALAY_TRY(find_products(c, summa->comm->rank, &own.products));
    if (own.products.count == 0) goto cleanup;
    for (int which = 0; which < 2; which++) SCALAY_TRY(order_classes(&own, &summa->side[which]));
    own.max_gathered_lines = gathered_lines(summa, c);
    for (int64_t k = 0; k < own.products.count; k++) SCALAY_TRY(add_product(&own, &own.products.product[k], summa));
cleanup:
    free_products(&own.products);
    return status;
}
