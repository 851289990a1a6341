/* Layouts against an element-by-element oracle written from ScaLAPACK's definitions. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "layout/layout.h"

enum { MOST = 24, PROCESSES = 16 };

/* Owner and local offset of every element, and the size of every local array. */
typedef struct {
    int64_t m, n;
    int processes;
    int owner[MOST][MOST];
    int64_t offset[MOST][MOST];
    int64_t size[PROCESSES];
} oracle;

/* ScaLAPACK's INDXG2P, INDXG2L and NUMROC (0-based), from their documentation. */
static int64_t owner_of(int64_t g, int64_t nb, int64_t source, int64_t processes)
{
    return (source + g / nb) % processes;
}

static int64_t local_of(int64_t g, int64_t nb, int64_t processes)
{
    return nb * (g / (nb * processes)) + g % nb;
}

static int64_t numroc(int64_t n, int64_t nb, int64_t process, int64_t source, int64_t processes)
{
    int64_t count = 0;
    for (int64_t g = 0; g < n; g++) count += owner_of(g, nb, source, processes) == process;
    return count;
}

static void sizes_from_offsets(oracle *o)
{
    memset(o->size, 0, sizeof o->size);
    for (int64_t i = 0; i < o->m; i++)
        for (int64_t j = 0; j < o->n; j++) {
            int64_t *size = &o->size[o->owner[i][j]];
            if (o->offset[i][j] >= *size) *size = o->offset[i][j] + 1;
        }
}

static oracle grid_oracle(int64_t m, int64_t n, int64_t mb, int64_t nb, int p, int q, int rsrc, int csrc,
                          scalay_order order)
{
    oracle o = {.m = m, .n = n, .processes = p * q};
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t r = owner_of(i, mb, rsrc, p), c = owner_of(j, nb, csrc, q);
            int64_t lld = numroc(m, mb, r, rsrc, p);
            o.owner[i][j] = (int)(order == SCALAY_ROW_MAJOR ? r * q + c : c * p + r);
            o.offset[i][j] = local_of(i, mb, p) + local_of(j, nb, q) * (lld > 1 ? lld : 1);
        }
    sizes_from_offsets(&o);
    return o;
}

static oracle tile_oracle(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, const int *owner)
{
    oracle o = {.m = m, .n = n, .processes = parts};
    int64_t across = (n + nb - 1) / nb;
    for (int64_t jt = 0; jt < n; jt += nb)
        for (int64_t it = 0; it < m; it += mb) {
            int part = owner[it / mb * across + jt / nb];
            for (int64_t j = jt; j < n && j < jt + nb; j++)
                for (int64_t i = it; i < m && i < it + mb; i++) {
                    o.owner[i][j] = part;
                    o.offset[i][j] = o.size[part]++;
                }
        }
    return o;
}

/* Tile maps keep the whole local array, block-cyclic ones end with the last element. */
static oracle cut_oracle(const oracle *whole, int tiles, int64_t row, int64_t col, int64_t m, int64_t n)
{
    oracle o = {.m = m, .n = n, .processes = whole->processes};
    int owns[PROCESSES] = {0};
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            o.owner[i][j] = whole->owner[row + i][col + j];
            o.offset[i][j] = whole->offset[row + i][col + j];
            owns[o.owner[i][j]] = 1;
        }
    sizes_from_offsets(&o);
    for (int p = 0; tiles && p < o.processes; p++) o.size[p] = owns[p] ? whole->size[p] : 0;
    return o;
}

static oracle moved_oracle(const oracle *old, int processes, const int *process)
{
    oracle o = *old;
    o.processes = processes;
    for (int64_t i = 0; i < o.m; i++)
        for (int64_t j = 0; j < o.n; j++) o.owner[i][j] = process[old->owner[i][j]];
    memset(o.size, 0, sizeof o.size);
    for (int p = 0; p < old->processes; p++) o.size[process[p]] = old->size[p];
    return o;
}

/* ------------------------------------------------------------------------------------------------ checks */

/* Marks the elements of a rectangle; each must be the process's, at the oracle's offset, and new. */
static void mark_rectangle(const oracle *o, const scalay_rectangle *at, int process, char seen[MOST][MOST])
{
    assert_true(at->rows >= 1 && at->cols >= 1);
    for (int64_t j = 0; j < at->cols; j++)
        for (int64_t i = 0; i < at->rows; i++) {
            assert_int_equal(o->owner[at->row + i][at->col + j], process);
            assert_int_equal(at->offset + i + j * at->ld, o->offset[at->row + i][at->col + j]);
            assert_int_equal(seen[at->row + i][at->col + j]++, 0);
        }
}

static void check_process(const scalay_layout *layout, const oracle *o, int process)
{
    char seen[MOST][MOST] = {{0}};
    int64_t count = 0;
    for (int64_t i = 0; i < o->m; i++)
        for (int64_t j = 0; j < o->n; j++) count += o->owner[i][j] == process;
    int64_t rectangles = scalay_layout_rectangle_count(layout, process);
    for (int64_t k = 0; k < rectangles; k++) {
        scalay_rectangle at;
        assert_int_equal(scalay_layout_rectangle(layout, process, k, &at), SCALAY_SUCCESS);
        mark_rectangle(o, &at, process, seen);
        count -= at.rows * at.cols;
    }
    assert_int_equal(count, 0);
    scalay_rectangle none;
    assert_int_equal(scalay_layout_rectangle(layout, process, rectangles, &none), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_layout_local_size(layout, process), o->size[process]);
}

/* The cells: what redistribution works with. */
static void check_cells(const scalay_layout *layout, const oracle *o)
{
    for (int64_t i = 0; i < o->m; i++)
        for (int64_t j = 0; j < o->n; j++) {
            int64_t r = scalay_axis_class(&layout->row, i), c = scalay_axis_class(&layout->col, j);
            int part = scalay_layout_cell_part(layout, r, c);
            int64_t found = 0;
            assert_int_equal(scalay_layout_process_of_part(layout, part), o->owner[i][j]);
            for (int64_t k = 0; k < scalay_layout_cells(layout, part); k++) {
                scalay_cell cell = scalay_layout_cell(layout, part, k);
                if (cell.row_class != r || cell.col_class != c) continue;
                found++;
                assert_int_equal(cell.offset + scalay_axis_local_index(&layout->row, i) +
                                     cell.ld * scalay_axis_local_index(&layout->col, j),
                                 o->offset[i][j]);
            }
            assert_int_equal(found, 1);
        }
}

static void check_layout(const scalay_layout *layout, const oracle *o)
{
    int64_t total = 0;
    assert_int_equal(scalay_layout_rows(layout), o->m);
    assert_int_equal(scalay_layout_cols(layout), o->n);
    assert_int_equal(scalay_layout_processes(layout), o->processes);
    for (int64_t i = 0; i < o->m; i++)
        for (int64_t j = 0; j < o->n; j++) assert_int_equal(scalay_layout_owner(layout, i, j), o->owner[i][j]);
    assert_int_equal(scalay_layout_owner(layout, -1, 0), -1);
    assert_int_equal(scalay_layout_owner(layout, 0, o->n), -1);
    for (int process = 0; process < o->processes; process++) {
        check_process(layout, o, process);
        total += scalay_layout_elements(layout, process);
    }
    assert_int_equal(total, o->m * o->n);
    assert_int_equal(scalay_layout_elements(layout, -1), 0);
    assert_int_equal(scalay_layout_elements(layout, o->processes), 0);
    check_cells(layout, o);
}

/* A layout, a window of it, a window of the window, and all of them relabelled. */
static void check_family(scalay_layout *layout, const oracle *o, int tiles, scalay_random *random)
{
    int64_t row = scalay_random_below(random, o->m + 1), col = scalay_random_below(random, o->n + 1);
    int64_t m = scalay_random_below(random, o->m - row + 1), n = scalay_random_below(random, o->n - col + 1);
    scalay_layout *window = NULL, *moved = NULL, *inner = NULL;
    int process[PROCESSES], processes = o->processes + (int)scalay_random_below(random, 3);
    if (processes > PROCESSES) processes = PROCESSES;
    for (int k = 0; k < processes; k++) {
        int at = (int)scalay_random_below(random, k + 1);
        process[k] = process[at];
        process[at] = k;
    }
    check_layout(layout, o);
    assert_int_equal(scalay_layout_submatrix(layout, row, col, m, n, &window), SCALAY_SUCCESS);
    oracle cut = cut_oracle(o, tiles, row, col, m, n);
    check_layout(window, &cut);
    assert_int_equal(scalay_layout_relabel(window, processes, process, &moved), SCALAY_SUCCESS);
    for (int k = 0; k < o->processes; k++) {
        assert_int_equal(scalay_layout_process_of_part(moved, k), process[k]);
        assert_int_equal(scalay_layout_part_of_process(moved, process[k]), k);
    }
    oracle away = moved_oracle(&cut, processes, process);
    check_layout(moved, &away);
    assert_int_equal(scalay_layout_submatrix(moved, m / 3, n / 2, m - m / 3, n - n / 2, &inner), SCALAY_SUCCESS);
    oracle innermost = cut_oracle(&away, tiles, m / 3, n / 2, m - m / 3, n - n / 2);
    check_layout(inner, &innermost);
    scalay_layout_destroy(&inner);
    scalay_layout_destroy(&moved);
    scalay_layout_destroy(&window);
    assert_null(window);
}

static void block_cyclic_layouts_follow_scalapack(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(21);
    for (int k = 0; k < 4000; k++) {
        int64_t m = scalay_random_below(&random, 18), n = scalay_random_below(&random, 18);
        int64_t mb = 1 + scalay_random_below(&random, 7), nb = 1 + scalay_random_below(&random, 20);
        int p = 1 + (int)scalay_random_below(&random, 4), q = 1 + (int)scalay_random_below(&random, 4);
        int rsrc = (int)scalay_random_below(&random, p), csrc = (int)scalay_random_below(&random, q);
        scalay_order order = scalay_random_below(&random, 2) ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR;
        scalay_layout *layout = NULL;
        assert_int_equal(scalay_layout_block_cyclic(m, n, mb, nb, p, q, rsrc, csrc, order, &layout), SCALAY_SUCCESS);
        oracle o = grid_oracle(m, n, mb, nb, p, q, rsrc, csrc, order);
        check_family(layout, &o, 0, &random);
        scalay_layout_destroy(&layout);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void tile_maps_store_their_tiles_one_after_the_other(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(22);
    for (int k = 0; k < 4000; k++) {
        int64_t m = scalay_random_below(&random, 18), n = scalay_random_below(&random, 18);
        int64_t mb = 1 + scalay_random_below(&random, 7), nb = 1 + scalay_random_below(&random, 20);
        int parts = 1 + (int)scalay_random_below(&random, 9);
        int owner[MOST * MOST];
        for (int t = 0; t < MOST * MOST; t++) owner[t] = (int)scalay_random_below(&random, parts);
        scalay_layout *layout = NULL;
        assert_int_equal(scalay_layout_tiles(m, n, mb, nb, parts, owner, &layout), SCALAY_SUCCESS);
        oracle o = tile_oracle(m, n, mb, nb, parts, owner);
        check_family(layout, &o, 1, &random);
        scalay_layout_destroy(&layout);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ---------------------------------------------------------------------------------------------- equality */

/* Half of the pairs are made equal on purpose, in another way. */
static scalay_layout *random_layout(scalay_random *random, int64_t m, int64_t n)
{
    scalay_layout *layout = NULL, *moved = NULL;
    int64_t mb = 1 + scalay_random_below(random, 4), nb = 1 + scalay_random_below(random, 4);
    if (scalay_random_below(random, 3) == 0) {
        int owner[MOST * MOST], parts = 1 + (int)scalay_random_below(random, 3);
        for (int t = 0; t < MOST * MOST; t++) owner[t] = (int)scalay_random_below(random, parts);
        assert_int_equal(scalay_layout_tiles(m, n, mb, nb, parts, owner, &layout), SCALAY_SUCCESS);
    } else {
        int p = 1 + (int)scalay_random_below(random, 2), q = 1 + (int)scalay_random_below(random, 2);
        assert_int_equal(scalay_layout_block_cyclic(m, n, mb, nb, p, q, 0, 0, SCALAY_ROW_MAJOR, &layout),
                         SCALAY_SUCCESS);
    }
    int processes = scalay_layout_parts(layout), process[PROCESSES];
    for (int k = 0; k < processes; k++) process[k] = processes - 1 - k;
    if (scalay_random_below(random, 2)) return layout;
    assert_int_equal(scalay_layout_relabel(layout, processes, process, &moved), SCALAY_SUCCESS);
    scalay_layout_destroy(&layout);
    return moved;
}

static scalay_layout *same_by_elements(const scalay_layout *layout)
{
    int owner[MOST * MOST];
    int64_t m = scalay_layout_rows(layout), n = scalay_layout_cols(layout);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) owner[i * n + j] = scalay_layout_owner(layout, i, j);
    scalay_layout *copy = NULL;
    assert_int_equal(scalay_layout_tiles(m, n, 1, 1, PROCESSES, owner, &copy), SCALAY_SUCCESS);
    return copy;
}

static void equality_is_that_of_every_owner(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(23);
    int equal = 0;
    for (int k = 0; k < 20000; k++) {
        int64_t m = scalay_random_below(&random, 7), n = scalay_random_below(&random, 7);
        scalay_layout *a = random_layout(&random, m, n), *b = random_layout(&random, m, n);
        int same = 1;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) same &= scalay_layout_owner(a, i, j) == scalay_layout_owner(b, i, j);
        assert_int_equal(scalay_layout_same_owners(a, b), same);
        equal += same;
        if (!same) assert_true(scalay_layout_fingerprint(a) != scalay_layout_fingerprint(b));
        scalay_layout *copy = same_by_elements(a);
        assert_int_equal(scalay_layout_same_owners(a, copy), 1);
        assert_int_equal(scalay_layout_same_owners(copy, a), 1);
        scalay_layout_destroy(&copy);
        scalay_layout_destroy(&a);
        scalay_layout_destroy(&b);
    }
    assert_true(equal > 1000 && equal < 19000);
    assert_int_equal(scalay_layout_same_owners(NULL, NULL), 0);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------- sizes */

static void three_thousand_million_rows_on_65536_parts(void **state)
{
    (void)state;
    const int64_t n = 3000000000;
    scalay_layout *a = NULL, *b = NULL, *shifted = NULL, *window = NULL;
    assert_int_equal(scalay_layout_block_cyclic(n, n, 64, 48, 256, 256, 5, 250, SCALAY_COLUMN_MAJOR, &a),
                     SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(n, n, 64, 48, 256, 256, 5, 250, SCALAY_COLUMN_MAJOR, &b),
                     SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(n, n, 64, 48, 256, 256, 6, 250, SCALAY_COLUMN_MAJOR, &shifted),
                     SCALAY_SUCCESS);
    int64_t total = 0;
    for (int process = 0; process < 65536; process++) {
        int64_t count = scalay_layout_elements(a, process);
        assert_true(scalay_layout_local_size(a, process) == count); /* a dense local array */
        total += count;
    }
    assert_true(total == n * n);
    assert_int_equal(scalay_layout_same_owners(a, b), 1);
    assert_int_equal(scalay_layout_same_owners(a, shifted), 0);
    assert_true(scalay_layout_fingerprint(a) == scalay_layout_fingerprint(b));
    assert_true(scalay_layout_fingerprint(a) != scalay_layout_fingerprint(shifted));

    int64_t i = n - 1, j = n - 2;
    int owner = scalay_layout_owner(a, i, j);
    assert_int_equal(owner, (j / 48 + 250) % 256 * 256 + (i / 64 + 5) % 256);
    scalay_rectangle last;
    int64_t rectangles = scalay_layout_rectangle_count(a, owner);
    assert_int_equal(scalay_layout_rectangle(a, owner, rectangles - 1, &last), SCALAY_SUCCESS);
    assert_true(last.row + last.rows == n && last.col + last.cols == n);
    assert_true(last.offset + last.rows + (last.cols - 1) * last.ld == scalay_layout_local_size(a, owner));

    assert_int_equal(scalay_layout_submatrix(a, n - 2, n - 3, 2, 2, &window), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_owner(window, 1, 1), owner);
    assert_int_equal(scalay_layout_rectangle(window, owner, 0, &last), SCALAY_SUCCESS);
    assert_true(last.offset > INT_MAX);
    scalay_layout_destroy(&a);
    scalay_layout_destroy(&b);
    scalay_layout_destroy(&shifted);
    scalay_layout_destroy(&window);
}

/* Turned by hand: rows and columns, grid and numbering change places. */
static void the_transpose_is_where_the_elements_were(void **state)
{
    (void)state;
    scalay_layout *layout = NULL, *window = NULL, *turned = NULL, *back = NULL, *by_hand = NULL;
    const int owner[] = {0, 1, 1, 0};
    assert_int_equal(scalay_layout_block_cyclic(23, 17, 3, 2, 3, 2, 1, 1, SCALAY_ROW_MAJOR, &layout), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_submatrix(layout, 4, 3, 11, 9, &window), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_transpose(window, &turned), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_rows(turned), 9);
    for (int64_t i = 0; i < 11; i++)
        for (int64_t j = 0; j < 9; j++)
            assert_int_equal(scalay_layout_owner(turned, j, i), scalay_layout_owner(window, i, j));
    assert_int_equal(scalay_layout_transpose(turned, &back), SCALAY_SUCCESS);
    assert_true(scalay_layout_fingerprint(back) == scalay_layout_fingerprint(window));
    scalay_layout_destroy(&turned);
    assert_int_equal(scalay_layout_transpose(layout, &turned), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(17, 23, 2, 3, 2, 3, 1, 1, SCALAY_COLUMN_MAJOR, &by_hand),
                     SCALAY_SUCCESS);
    assert_true(scalay_layout_fingerprint(turned) == scalay_layout_fingerprint(by_hand));
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&turned);
    assert_int_equal(scalay_layout_tiles(4, 4, 2, 2, 2, owner, &layout), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_transpose(layout, &turned), SCALAY_ERROR_UNSUPPORTED);
    assert_null(turned);
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&window);
    scalay_layout_destroy(&back);
    scalay_layout_destroy(&by_hand);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_cyclic_layouts_follow_scalapack),
        cmocka_unit_test(tile_maps_store_their_tiles_one_after_the_other),
        cmocka_unit_test(equality_is_that_of_every_owner),
        cmocka_unit_test(the_transpose_is_where_the_elements_were),
        cmocka_unit_test(three_thousand_million_rows_on_65536_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
