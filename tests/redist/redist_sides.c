/* The two ends of every message agree: built by each rank for itself, package i -> j of the source side holds the same
   elements in the same order as package i <- j of the target side, transposed and cut by a diagonal or not, however it
   is cut into chunks; and they are those that counting finds. No MPI, any number of processes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "redist/stream.h"
#include "scalay/partition.h"

/* ------------------------------------------------------------------------------------------ random pairs */

/* Tiles of which each belongs to anybody, as an owner map: its lines fall into classes by themselves. */
static scalay_layout *scattered_layout(scalay_random *random, int64_t m, int64_t n, int64_t mb, int64_t nb,
                                       int processes)
{
    scalay_layout *layout = NULL;
    scalay_owner_map *map = NULL;
    const int64_t rows = scalay_ceil_div(m, mb), cols = scalay_ceil_div(n, nb);
    int64_t *row_cut = scalay_allocate(rows + 1, sizeof *row_cut),
            *col_cut = scalay_allocate(cols + 1, sizeof *col_cut);
    int *owner = scalay_allocate(rows * cols, sizeof *owner);
    for (int64_t r = 0; r <= rows; r++) row_cut[r] = scalay_min_int64(m, r * mb);
    for (int64_t c = 0; c <= cols; c++) col_cut[c] = scalay_min_int64(n, c * nb);
    for (int64_t k = 0; k < rows * cols; k++)
        owner[k] =
            (int)((k / cols % 3 + k % cols % 4 + (k % 11 == 0) * scalay_random_below(random, processes)) % processes);
    assert_int_equal(scalay_owner_map_create(rows, cols, row_cut, col_cut, processes, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    scalay_release(row_cut);
    scalay_release(col_cut);
    scalay_release(owner);
    return layout;
}

static scalay_layout *random_layout(scalay_random *random, int64_t m, int64_t n, int processes)
{
    scalay_layout *layout = NULL, *placed = NULL;
    const int64_t mb = 1 + scalay_random_below(random, 6), nb = 1 + scalay_random_below(random, 6);
    const int kind = (int)scalay_random_below(random, 3);
    if (kind == 0) {
        const int p = 1 + (int)scalay_random_below(random, processes), q = processes / p;
        assert_int_equal(scalay_layout_block_cyclic(m, n, mb, nb, p, q, (int)scalay_random_below(random, p),
                                                    (int)scalay_random_below(random, q), SCALAY_COLUMN_MAJOR, &layout),
                         SCALAY_SUCCESS);
    } else if (kind == 1) {
        layout = scattered_layout(random, m, n, mb, nb, processes);
    } else {
        const int64_t tiles = scalay_ceil_div(m, mb) * scalay_ceil_div(n, nb);
        int *owner = scalay_allocate(tiles, sizeof *owner);
        for (int64_t k = 0; k < tiles; k++) owner[k] = (int)scalay_random_below(random, processes);
        assert_int_equal(scalay_layout_tiles(m, n, mb, nb, processes, owner, &layout), SCALAY_SUCCESS);
        scalay_release(owner);
    }
    assert_int_equal(scalay_layout_submatrix(layout, m / 5, n / 7, m - m / 5, n - n / 7, &placed), SCALAY_SUCCESS);
    scalay_layout_destroy(&layout);
    return placed;
}

/* A layout for the transpose of what another one holds. */
static scalay_layout *random_turned(scalay_random *random, const scalay_layout *of, int processes)
{
    const int64_t rows = scalay_layout_cols(of), cols = scalay_layout_rows(of);
    scalay_layout *wider = random_layout(random, 2 * rows + 2, 2 * cols + 2, processes), *cut = NULL;
    assert_int_equal(scalay_layout_submatrix(wider, scalay_random_below(random, rows / 2 + 1),
                                             scalay_random_below(random, cols / 2 + 1), rows, cols, &cut),
                     SCALAY_SUCCESS);
    scalay_layout_destroy(&wider);
    return cut;
}

static const scalay_package *find_parcel(const scalay_side *side, int peer)
{
    for (int64_t k = 0; k < side->package_count; k++)
        if (side->packages[k].peer == peer) return &side->packages[k];
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ order */

/* What is looked at: op(A) and C of m x n, a part of them. */
typedef struct {
    scalay_layout *source, *target;
    scalay_side_spec spec;
    scalay_uplo uplo;
    scalay_diag diag;
    int64_t m, n;
    int processes;
} pair;

static void draw_pair(scalay_random *random, int64_t m, int64_t n, pair *p)
{
    const int turned = (int)scalay_random_below(random, 2);
    *p = (pair){.processes = 1 + (int)scalay_random_below(random, 9)};
    p->source = random_layout(random, m, n, p->processes);
    p->target = turned ? random_turned(random, p->source, p->processes) : random_layout(random, m, n, p->processes);
    p->m = scalay_layout_rows(p->target);
    p->n = scalay_layout_cols(p->target);
    p->uplo = (scalay_uplo)scalay_random_below(random, 3);
    p->diag = (scalay_diag)scalay_random_below(random, 2);
    p->spec = (scalay_side_spec){.source = p->source,
                                 .target = p->target,
                                 .transposed = turned,
                                 .trapezoid = scalay_trapezoid_of(p->uplo, p->diag, p->m, p->n)};
}

static void draw_small_pair(scalay_random *random, pair *p)
{
    const int64_t m = 1 + scalay_random_below(random, 40), n = 1 + scalay_random_below(random, 40);
    draw_pair(random, m, n, p);
}

/* Tall, so that series of rows are kept. */
static void draw_tall_pair(scalay_random *random, pair *p)
{
    const int64_t m = 3000 + scalay_random_below(random, 3000), n = 12 + scalay_random_below(random, 12);
    draw_pair(random, m, n, p);
}

static void free_pair(pair *p)
{
    scalay_layout_destroy(&p->source);
    scalay_layout_destroy(&p->target);
}

/* Square, so that the diagonal cuts columns whose series of rows are kept. */
static void draw_square_pair(scalay_random *random, pair *p)
{
    const int64_t n = 150 + scalay_random_below(random, 150);
    do {
        if (p->target != NULL) free_pair(p);
        draw_pair(random, n, n, p);
    } while (p->uplo == SCALAY_WHOLE || !scalay_layout_is_grid(p->source) || !scalay_layout_is_grid(p->target));
}

/* Whether (i, j) of C counts: the reference library's words for a trapezoid. */
static int counts(const pair *p, int64_t i, int64_t j)
{
    const int64_t diagonal =
        p->uplo == SCALAY_UPPER ? i - j - (p->m > p->n ? p->m - p->n : 0) : j - i - (p->n > p->m ? p->n - p->m : 0);
    return p->uplo == SCALAY_WHOLE || diagonal < 0 || (diagonal == 0 && p->diag == SCALAY_NON_UNIT);
}

/* The elements of a rank's array are numbered by where they are in C. */
static int64_t *numbered_array(const pair *p, scalay_side_kind kind, int rank)
{
    const scalay_layout *layout = kind == SCALAY_SIDE_SOURCE ? p->source : p->target;
    const int turned = kind == SCALAY_SIDE_SOURCE && p->spec.transposed;
    int64_t *array = scalay_allocate(scalay_layout_local_size(layout, rank), sizeof *array);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        assert_int_equal(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                array[r.offset + j * r.ld + i] =
                    turned ? (r.row + i) * p->m + r.col + j : (r.col + j) * p->m + r.row + i;
    }
    return array;
}

/* What a package holds, in its order: the numbers of its elements, packed so many at a time. */
static int64_t *parcel_numbers(const scalay_side *side, const scalay_package *package, const int64_t *array,
                               int64_t step)
{
    const scalay_copier copier = scalay_copier_for(SCALAY_DOUBLE);
    int64_t *numbers = scalay_allocate(package->elements, sizeof *numbers);
    scalay_cursor cursor = scalay_cursor_start(side, package);
    while (cursor.position < package->elements)
        scalay_cursor_pack(&cursor, &copier, (const char *)array, (char *)(numbers + cursor.position),
                           scalay_min_int64(step, package->elements - cursor.position));
    return numbers;
}

/* Unpacking, so many at a time, puts every number where it was, and nothing else. */
static void check_unpacking(const scalay_side *side, const scalay_package *package, const int64_t *array,
                            const int64_t *numbers, int64_t step)
{
    const scalay_copier copier = scalay_copier_for(SCALAY_DOUBLE);
    int64_t *unpacked = scalay_allocate(side->local_size, sizeof *unpacked), written = 0;
    for (int64_t k = 0; k < side->local_size; k++) unpacked[k] = -1;
    scalay_cursor cursor = scalay_cursor_start(side, package);
    while (cursor.position < package->elements)
        scalay_cursor_unpack(&cursor, &copier, (const char *)(numbers + cursor.position), (char *)unpacked,
                             scalay_min_int64(step, package->elements - cursor.position));
    for (int64_t k = 0; k < side->local_size; k++) {
        if (unpacked[k] >= 0) assert_int_equal(unpacked[k], array[k]);
        written += unpacked[k] >= 0;
    }
    assert_int_equal(written, package->elements);
    scalay_release(unpacked);
}

/* Pulled out of the other's array, the package is what it is when it travels. */
static void check_pulling(const scalay_side *side, const scalay_package *package, const int64_t *far,
                          const int64_t *numbers, int64_t step)
{
    const scalay_copier copier = scalay_copier_for(SCALAY_DOUBLE);
    int64_t *near = scalay_allocate(side->local_size, sizeof *near);
    scalay_package_copy(side, package, &copier, (const char *)far, (char *)near);
    int64_t *pulled = parcel_numbers(side, package, near, step);
    assert_memory_equal(pulled, numbers, (size_t)package->elements * sizeof *pulled);
    scalay_release(pulled);
    scalay_release(near);
}

/* Each number of the package counts, and belongs to both ranks; they are as many as there are. */
static void check_numbers(const pair *p, int sender, int receiver, const int64_t *numbers, int64_t elements)
{
    int64_t expected = 0;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            const int owner =
                p->spec.transposed ? scalay_layout_owner(p->source, j, i) : scalay_layout_owner(p->source, i, j);
            expected += counts(p, i, j) && owner == sender && scalay_layout_owner(p->target, i, j) == receiver;
        }
    assert_int_equal(elements, expected);
    for (int64_t k = 0; k < elements; k++) assert_true(counts(p, numbers[k] % p->m, numbers[k] / p->m));
}

static void compare_ends(const pair *p, int sender, int receiver, int64_t step)
{
    scalay_side from, to;
    assert_int_equal(scalay_side_create(&p->spec, SCALAY_SIDE_SOURCE, sender, &from), SCALAY_SUCCESS);
    assert_int_equal(scalay_side_create(&p->spec, SCALAY_SIDE_TARGET, receiver, &to), SCALAY_SUCCESS);
    const scalay_package *out = sender == receiver ? &from.kept : find_parcel(&from, receiver);
    const scalay_package *in = sender == receiver ? &to.kept : find_parcel(&to, sender);
    assert_int_equal(out == NULL, in == NULL);
    if (out == NULL || out->elements == 0) {
        if (in != NULL) assert_int_equal(in->elements, 0);
        check_numbers(p, sender, receiver, NULL, 0);
    } else {
        int64_t *a = numbered_array(p, SCALAY_SIDE_SOURCE, sender),
                *b = numbered_array(p, SCALAY_SIDE_TARGET, receiver);
        int64_t *sent = parcel_numbers(&from, out, a, out->elements), *received = parcel_numbers(&to, in, b, step);
        assert_int_equal(out->elements, in->elements);
        assert_memory_equal(sent, received, (size_t)out->elements * sizeof *sent);
        check_numbers(p, sender, receiver, sent, out->elements);
        check_unpacking(&to, in, b, sent, step);
        check_pulling(&to, in, a, sent, step);
        scalay_release(a);
        scalay_release(b);
        scalay_release(sent);
        scalay_release(received);
    }
    scalay_side_free(&from);
    scalay_side_free(&to);
}

static void both_ends_of_a_message_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(31);
    for (int k = 0; k < 150; k++) {
        pair p;
        draw_small_pair(&random, &p);
        for (int i = 0; i < p.processes; i++)
            for (int j = 0; j < p.processes; j++) compare_ends(&p, i, j, 1 + scalay_random_below(&random, 30));
        free_pair(&p);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void both_ends_of_a_tall_message_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(33);
    for (int k = 0; k < 25; k++) {
        pair p;
        draw_tall_pair(&random, &p);
        const int i = (int)scalay_random_below(&random, p.processes),
                  j = (int)scalay_random_below(&random, p.processes);
        compare_ends(&p, i, j, 1 + scalay_random_below(&random, 10000));
        free_pair(&p);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void both_ends_of_a_cut_message_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(34);
    for (int k = 0; k < 60; k++) {
        pair p = {.target = NULL};
        draw_square_pair(&random, &p);
        const int i = (int)scalay_random_below(&random, p.processes),
                  j = (int)scalay_random_below(&random, p.processes);
        compare_ends(&p, i, j, 1 + scalay_random_below(&random, 10000));
        free_pair(&p);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ---------------------------------------------------------------------------------------------- series */

static int64_t rows_of(const scalay_row_series *series, int count)
{
    int64_t rows = 0;
    for (int k = 0; k < count; k++) rows += series[k].count * series[k].rows;
    return rows;
}

/* Blocks of `from` rows to blocks of `to` rows: few series hold all rows, for every partner. */
static void check_series(int64_t from, int64_t to, int p, int q, int packed, int remote)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_side side;
    assert_int_equal(scalay_layout_block_cyclic(2000, 500, from, from, p, q, 0, 0, SCALAY_ROW_MAJOR, &source),
                     SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(2000, 500, to, to, p, q, 0, 0, SCALAY_ROW_MAJOR, &target),
                     SCALAY_SUCCESS);
    const scalay_side_spec spec = {.source = source, .target = target};
    assert_int_equal(scalay_side_create(&spec, SCALAY_SIDE_SOURCE, p * q - 1, &side), SCALAY_SUCCESS);
    for (const scalay_block *block = side.blocks; block < side.blocks + side.block_count; block++) {
        const scalay_kept_series *kept = block->series;
        assert_true(kept->packed_count > 0 && kept->packed_count <= packed);
        assert_true(kept->remote_count > 0 && kept->remote_count <= remote);
        assert_int_equal(rows_of(kept->packed, kept->packed_count), block->row_count);
        assert_int_equal(rows_of(kept->remote, kept->remote_count), block->row_count);
    }
    scalay_side_free(&side);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

static void short_runs_have_few_series(void **state)
{
    (void)state;
    check_series(1, 64, 2, 2, 2, 16);
    check_series(64, 1, 2, 2, 2, 16);
    check_series(64, 4, 4, 4, 2, 6);
    check_series(2, 3, 2, 1, 5, 5);
    check_series(2, 3, 2, 2, 5, 5);
    check_series(2, 3, 4, 4, 2, 2);
    check_series(3, 5, 2, 2, 7, 7);
}

/* Marks the `to` of each row of some series with its `from`. */
static void mark(const scalay_row_series *series, int count, int64_t first, int64_t end, int64_t *marks)
{
    for (int s = 0; s < count; s++)
        for (int64_t k = 0; k < series[s].count; k++)
            for (int64_t row = 0; row < series[s].rows; row++) {
                const int64_t from = series[s].from + k * series[s].from_step + row;
                if (from >= first && from < end) marks[series[s].to + k * series[s].to_step + row] = from;
            }
}

static void cut_series_have_the_rows_between(void **state)
{
    (void)state;
    enum { ROWS = 64 };
    const scalay_row_series series[] = {{.from = 1, .to = 2, .from_step = 7, .to_step = 6, .count = 8, .rows = 3},
                                        {.from = 4, .to = 5, .from_step = 7, .to_step = 6, .count = 7, .rows = 1},
                                        {.from = 57, .to = 52, .count = 1, .rows = 5}};
    for (int64_t first = 0; first <= ROWS; first++)
        for (int64_t end = 0; end <= ROWS; end++) {
            scalay_row_series found[3 * SCALAY_CUT_SERIES];
            int64_t expected[ROWS] = {0}, marks[ROWS] = {0}, rows = -1, marked = 0;
            mark(series, 3, first, end, expected);
            const int count = scalay_row_series_cut(series, 3, first, end, found, &rows);
            mark(found, count, INT64_MIN, INT64_MAX, marks);
            assert_memory_equal(marks, expected, sizeof marks);
            for (int k = 0; k < ROWS; k++) marked += expected[k] > 0;
            assert_int_equal(rows, marked);
            assert_int_equal(rows_of(found, count), rows);
        }
}

/* ---------------------------------------------------------------------------------------------- memory */

static void a_failing_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(32);
    for (int k = 0; k < 20; k++) {
        pair p;
        k < 15 ? draw_small_pair(&random, &p) : draw_tall_pair(&random, &p);
        const int64_t live = scalay_memory_live();
        scalay_status status = SCALAY_ERROR_MEMORY;
        for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
            scalay_side side;
            scalay_memory_fail_at(n);
            status = scalay_side_create(&p.spec, k % 2 ? SCALAY_SIDE_SOURCE : SCALAY_SIDE_TARGET, 0, &side);
            scalay_memory_fail_at(0);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            scalay_side_free(&side);
            assert_int_equal(scalay_memory_live(), live);
        }
        free_pair(&p);
    }
}

/* Memory of a side of a 10^6 x 10^6 matrix on 65,536 processes: runs and partners, not blocks or processes squared. */
static void large_grids_need_little_memory(void **state)
{
    (void)state;
    scalay_layout *source = NULL, *target = NULL;
    scalay_side side;
    assert_int_equal(scalay_layout_block_cyclic(1000000, 1000000, 64, 64, 256, 256, 3, 5, SCALAY_ROW_MAJOR, &source),
                     SCALAY_SUCCESS);
    assert_int_equal(
        scalay_layout_block_cyclic(1000000, 1000000, 32, 128, 512, 128, 0, 0, SCALAY_COLUMN_MAJOR, &target),
        SCALAY_SUCCESS);
    for (int turned = 0; turned < 2; turned++) {
        const scalay_side_spec spec = {.source = source, .target = target, .transposed = turned};
        scalay_memory_reset_peak();
        const int64_t before = scalay_memory_bytes();
        assert_int_equal(scalay_side_create(&spec, SCALAY_SIDE_SOURCE, 4711, &side), SCALAY_SUCCESS);
        assert_int_equal(side.elements + side.kept.elements, scalay_layout_elements(source, 4711));
        assert_true(scalay_memory_peak() - before < 150000);
        assert_true(scalay_side_bytes(&side) <= scalay_memory_bytes() - before);
        scalay_side_free(&side);
    }
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_of_a_message_agree),     cmocka_unit_test(both_ends_of_a_tall_message_agree),
        cmocka_unit_test(both_ends_of_a_cut_message_agree), cmocka_unit_test(short_runs_have_few_series),
        cmocka_unit_test(cut_series_have_the_rows_between), cmocka_unit_test(a_failing_allocation_leaves_nothing),
        cmocka_unit_test(large_grids_need_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
