/* The two ends of every message agree: built by each rank for itself, parcel i -> j of the source side holds the same
   elements in the same order as parcel i <- j of the target side. No MPI, any number of processes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/integer.h"
#include "core/memory.h"
#include "core/random.h"
#include "redist/side.h"
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

static const scalay_parcel *find_parcel(const scalay_side *side, int peer)
{
    for (int64_t k = 0; k < side->parcel_count; k++)
        if (side->parcels[k].peer == peer) return &side->parcels[k];
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ order */

/* The elements of a rank's array are numbered by where they are in the matrix. */
static int64_t *numbered_array(const scalay_layout *layout, int rank)
{
    const int64_t rows = scalay_layout_rows(layout);
    int64_t *array = scalay_allocate(scalay_layout_local_size(layout, rank), sizeof *array);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        assert_int_equal(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) array[r.offset + j * r.ld + i] = (r.col + j) * rows + r.row + i;
    }
    return array;
}

/* What a parcel holds, in its order: the numbers of its elements. */
static int64_t *parcel_numbers(const scalay_parcel *parcel, const int64_t *array)
{
    const scalay_copier copier = scalay_copier_for(sizeof *array);
    int64_t *numbers = scalay_allocate(parcel->elements, sizeof *numbers);
    scalay_parcel_pack(parcel, &copier, (const char *)array, (char *)numbers);
    return numbers;
}

static void compare_ends(const scalay_side *from, const int64_t *a, int sender, const scalay_side *to, const int64_t *b,
                         int receiver)
{
    const scalay_parcel *out = sender == receiver ? &from->kept : find_parcel(from, receiver);
    const scalay_parcel *in = sender == receiver ? &to->kept : find_parcel(to, sender);
    assert_int_equal(out == NULL, in == NULL);
    if (out == NULL) return;
    assert_int_equal(out->elements, in->elements);
    int64_t *sent = parcel_numbers(out, a), *received = parcel_numbers(in, b);
    assert_memory_equal(sent, received, (size_t)out->elements * sizeof *sent);
    scalay_release(sent);
    scalay_release(received);
}

static void compare_all_ends(const scalay_layout *source, const scalay_layout *target, int processes)
{
    for (int i = 0; i < processes; i++)
        for (int j = 0; j < processes; j++) {
            scalay_side from, to;
            assert_int_equal(scalay_side_create(source, target, SCALAY_SIDE_SOURCE, i, &from), SCALAY_SUCCESS);
            assert_int_equal(scalay_side_create(target, source, SCALAY_SIDE_TARGET, j, &to), SCALAY_SUCCESS);
            int64_t *a = numbered_array(source, i), *b = numbered_array(target, j);
            compare_ends(&from, a, i, &to, b, j);
            scalay_release(a);
            scalay_release(b);
            scalay_side_free(&from);
            scalay_side_free(&to);
        }
}

static void both_ends_of_a_message_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(31);
    for (int k = 0; k < 60; k++) {
        const int64_t m = 1 + scalay_random_below(&random, 40), n = 1 + scalay_random_below(&random, 40);
        const int processes = 1 + (int)scalay_random_below(&random, 9);
        scalay_layout *source = random_layout(&random, m, n, processes);
        scalay_layout *target = random_layout(&random, m, n, processes);
        compare_all_ends(source, target, processes);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ---------------------------------------------------------------------------------------------- memory */

static void a_failing_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(32);
    for (int k = 0; k < 10; k++) {
        scalay_layout *source = random_layout(&random, 30, 20, 4), *target = random_layout(&random, 30, 20, 4);
        const int64_t live = scalay_memory_live();
        scalay_status status = SCALAY_ERROR_MEMORY;
        for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
            scalay_side side;
            scalay_memory_fail_at(n);
            status = scalay_side_create(source, target, SCALAY_SIDE_SOURCE, 1, &side);
            scalay_memory_fail_at(0);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            scalay_side_free(&side);
            assert_int_equal(scalay_memory_live(), live);
        }
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
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
    scalay_memory_reset_peak();
    const int64_t before = scalay_memory_bytes();
    assert_int_equal(scalay_side_create(source, target, SCALAY_SIDE_SOURCE, 4711, &side), SCALAY_SUCCESS);
    assert_int_equal(side.elements + side.kept.elements, scalay_layout_count(source, 4711));
    assert_true(scalay_memory_peak() - before < 100000);
    assert_true(scalay_side_bytes(&side) <= scalay_memory_bytes() - before);
    scalay_side_free(&side);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

/* A local array of 4 * 10^10 elements: offsets and counts beyond 2^31 are right. */
static void local_arrays_beyond_the_range_of_int_are_addressed(void **state)
{
    (void)state;
    const int64_t n = 200000;
    scalay_layout *source = NULL, *target = NULL;
    scalay_side from, to;
    assert_int_equal(scalay_layout_block_cyclic(n, n, 64, 64, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &source), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(n, n, 1, 100, 1, 2, 0, 0, SCALAY_ROW_MAJOR, &target), SCALAY_SUCCESS);
    assert_int_equal(scalay_side_create(source, target, SCALAY_SIDE_SOURCE, 0, &from), SCALAY_SUCCESS);
    assert_int_equal(scalay_side_create(target, source, SCALAY_SIDE_TARGET, 1, &to), SCALAY_SUCCESS);
    assert_int_equal(from.span_end, n * n);
    assert_int_equal(from.kept.elements, n * n / 2);
    assert_int_equal(from.parcel_count, 1);
    assert_int_equal(from.parcels[0].elements, n * n / 2);
    assert_int_equal(to.parcels[0].elements, n * n / 2);
    assert_int_equal(to.span_end, n * n / 2);
    /* the last block of columns: at place n - 100 of the source, at n / 2 - 100 of process 1 */
    const scalay_block *block = from.parcels[0].blocks;
    const scalay_run *last = &block->cols[block->col_runs - 1];
    assert_int_equal(block->offset + last->place_a * block->ld, (n - 100) * n);
    assert_int_equal(last->place_b, n / 2 - 100);
    scalay_side_free(&from);
    scalay_side_free(&to);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

/* ---------------------------------------------------------------------------------------------- copying */

/* Runs of all lengths, every element size: gathered, scattered and copied as byte by byte. */
static void copiers_move_runs_of_any_length(void **state)
{
    (void)state;
    enum { RUNS = 20, PLACES = 300 };
    const size_t sizes[] = {1, 2, 3, 4, 7, 8, 12, 16, 24, 100};
    scalay_run runs[RUNS];
    int64_t place = 0, total = 0;
    for (int k = 0; k < RUNS; k++) {
        runs[k] = (scalay_run){.place_a = place, .place_b = PLACES - 25 - place, .count = k + 1};
        place += k + 2;
        total += k + 1;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t size = sizes[s];
        const scalay_copier copier = scalay_copier_for(size);
        unsigned char column[PLACES * 100], packed[PLACES * 100] = {0}, back[PLACES * 100] = {0},
                                                            copy[PLACES * 100] = {0};
        assert_int_equal(copier.size, size);
        for (size_t k = 0; k < sizeof column; k++) column[k] = (unsigned char)(1 + (k * 7 + k / 250) % 255);
        char *end = copier.gather(size, runs, RUNS, (const char *)column, (char *)packed);
        assert_true(end == (char *)packed + (size_t)total * size);
        assert_true(copier.scatter(size, runs, RUNS, (const char *)packed, (char *)back) == end);
        copier.copy(size, runs, RUNS, (const char *)column, (char *)copy);
        size_t at = 0;
        for (int k = 0; k < RUNS; k++)
            for (size_t b = 0; b < (size_t)runs[k].count * size; b++, at++) {
                const unsigned char expected = column[(size_t)runs[k].place_a * size + b];
                assert_int_equal(packed[at], expected);
                assert_int_equal(back[(size_t)runs[k].place_a * size + b], expected);
                assert_int_equal(copy[(size_t)runs[k].place_b * size + b], expected);
            }
        assert_int_equal(packed[at], 0);
        /* between the runs there is one place that nobody wrote */
        for (int k = 0; k + 1 < RUNS; k++) assert_int_equal(back[(size_t)(runs[k + 1].place_a - 1) * size], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_of_a_message_agree),
        cmocka_unit_test(a_failing_allocation_leaves_nothing),
        cmocka_unit_test(large_grids_need_little_memory),
        cmocka_unit_test(local_arrays_beyond_the_range_of_int_are_addressed),
        cmocka_unit_test(copiers_move_runs_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
