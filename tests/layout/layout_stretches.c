/* Stretches of memory between two layouts, against going through all rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "scalay/layout.h"

/* A window of a block-cyclic matrix. */
typedef struct {
    int64_t m, n, nb, first;
    int nprow, source;
    scalay_layout *layout;
} window;

static window draw(scalay_random *random, int64_t m, int64_t n)
{
    window w = {.m = m, .n = n, .nb = 1 + scalay_random_below(random, 12), .first = scalay_random_below(random, 9)};
    scalay_layout *whole = NULL;
    w.nprow = 1 + (int)scalay_random_below(random, 4);
    w.source = (int)scalay_random_below(random, w.nprow);
    assert_int_equal(
        scalay_layout_block_cyclic(w.first + m, n, w.nb, 3, w.nprow, 2, w.source, 1, SCALAY_ROW_MAJOR, &whole),
        SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_submatrix(whole, w.first, 0, m, n, &w.layout), SCALAY_SUCCESS);
    scalay_layout_destroy(&whole);
    return w;
}

/* ScaLAPACK's INDXG2P. */
static int64_t owner_of_row(const window *w, int64_t i)
{
    return (w->source + (w->first + i) / w->nb) % w->nprow;
}

static int64_t owners_of_rows(const window *w)
{
    int found[4] = {0};
    for (int64_t i = 0; i < w->m; i++) found[owner_of_row(w, i)] = 1;
    return (int64_t)found[0] + found[1] + found[2] + found[3];
}

static int64_t by_definition(const window *a, const window *b)
{
    int64_t pieces = a->m > 0;
    int is_cut = 0;
    for (int64_t i = 1; i < a->m; i++) {
        const int cut = owner_of_row(b, i) != owner_of_row(b, i - 1);
        pieces += cut || owner_of_row(a, i) != owner_of_row(a, i - 1);
        is_cut |= cut;
    }
    return (is_cut ? pieces : owners_of_rows(a)) * a->n;
}

static void every_change_of_an_owner_begins_one(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(31);
    for (int k = 0; k < 20000; k++) {
        const int64_t m = scalay_random_below(&random, 200), n = scalay_random_below(&random, 5);
        window a = draw(&random, m, n), b = draw(&random, m, n);
        assert_int_equal(scalay_layout_segments(a.layout, b.layout), by_definition(&a, &b));
        scalay_layout_destroy(&a.layout);
        scalay_layout_destroy(&b.layout);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Each tile is stored by itself. */
static void every_tile_begins_one(void **state)
{
    (void)state;
    const int owner[] = {0, 1, 1, 0, 2};
    scalay_layout *tiles = NULL, *column = NULL, *rows = NULL;
    assert_int_equal(scalay_layout_tiles(23, 4, 5, 4, 3, owner, &tiles), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(23, 4, 7, 2, 1, 2, 0, 0, SCALAY_ROW_MAJOR, &column), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(23, 4, 10, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &rows), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_segments(tiles, column), 5 * 4);
    assert_int_equal(scalay_layout_segments(tiles, rows), 5 * 4);
    assert_int_equal(scalay_layout_segments(column, column), 4);
    scalay_layout_destroy(&tiles);
    scalay_layout_destroy(&column);
    scalay_layout_destroy(&rows);
}

static void large_ones_take_no_time(void **state)
{
    (void)state;
    const int64_t n = 2000000000;
    scalay_layout *a = NULL, *b = NULL;
    assert_int_equal(scalay_layout_block_cyclic(n, 1, 1, 1, 7, 1, 0, 0, SCALAY_ROW_MAJOR, &a), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(n, 1, 99991, 1, 3, 1, 0, 0, SCALAY_ROW_MAJOR, &b), SCALAY_SUCCESS);
    assert_true(scalay_layout_segments(a, b) == n);
    assert_true(scalay_layout_segments(b, b) == (n + 99990) / 99991);
    assert_int_equal(scalay_layout_segments(a, NULL), -1);
    assert_int_equal(scalay_layout_segments(NULL, b), -1);
    scalay_layout_destroy(&a);
    assert_int_equal(scalay_layout_block_cyclic(n - 1, 1, 1, 1, 7, 1, 0, 0, SCALAY_ROW_MAJOR, &a), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_segments(a, b), -1);
    scalay_layout_destroy(&a);
    scalay_layout_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_of_an_owner_begins_one),
        cmocka_unit_test(every_tile_begins_one),
        cmocka_unit_test(large_ones_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
