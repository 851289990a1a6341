/* What a mapping moves, against the traffic matrix counted entry by entry, and the seconds, against the formula. */
#include <math.h>

#include "base/random.h"
#include "model/move.h"
#include "scalay/model.h"
#include "support/serial.h"

enum { SIDE = 7 };

/* A random matrix of items with zeros in it, and a permutation. */
typedef struct {
    int rows, parts;
    int64_t q[SIDE][SIDE];
    int process[SIDE];
    scalay_traffic *traffic;
} instance;

static instance draw(scalay_random *random)
{
    instance x = {.rows = 1 + (int)scalay_random_below(random, SIDE),
                  .parts = 1 + (int)scalay_random_below(random, SIDE)};
    int process[SIDE * SIDE], part[SIDE * SIDE], entries = 0;
    int64_t items[SIDE * SIDE];
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.parts; j++) {
            x.q[i][j] = scalay_random_below(random, 2) * scalay_random_below(random, 1000);
            process[entries] = i;
            part[entries] = j;
            items[entries++] = x.q[i][j];
        }
    for (int k = 0; k < SIDE; k++) x.process[k] = k;
    for (int k = SIDE - 1; k > 0; k--) {
        int other = (int)scalay_random_below(random, k + 1), kept = x.process[k];
        x.process[k] = x.process[other];
        x.process[other] = kept;
    }
    assert_int_equal(scalay_traffic_from_entries(x.rows, x.parts, entries, process, part, items, &x.traffic),
                     SCALAY_SUCCESS);
    return x;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What process p sends (as a row) or receives (as the taker of a part), by definition. */
static void count_process(const instance *x, int p, scalay_move *expected)
{
    int64_t sent = 0, received = 0, kept = 0, out = 0, in = 0;
    for (int i = 0; i < x->rows; i++)
        for (int j = 0; j < x->parts; j++) {
            const int64_t items = x->q[i][j];
            const int leaves = i == p && x->process[j] != p, arrives = i != p && x->process[j] == p;
            sent += leaves ? items : 0;
            received += arrives ? items : 0;
            kept += i == p && x->process[j] == p ? items : 0;
            out += leaves && items > 0;
            in += arrives && items > 0;
        }
    expected->volume += sent;
    expected->steps = larger(expected->steps, larger(sent, received));
    expected->messages = larger(expected->messages, larger(out, in));
    expected->kept = larger(expected->kept, kept);
}

static void counts_are_those_of_the_definition(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(3);
    for (int k = 0; k < 500; k++) {
        instance x = draw(&random);
        scalay_move move = {0}, expected = {0};
        for (int p = 0; p < SIDE; p++) count_process(&x, p, &expected);
        assert_int_equal(scalay_move_from_traffic(x.traffic, x.process, &move), SCALAY_SUCCESS);
        assert_int_equal(move.volume, expected.volume);
        assert_int_equal(move.steps, expected.steps);
        assert_int_equal(move.messages, expected.messages);
        assert_int_equal(move.kept, expected.kept);
        assert_true(move.processes >= x.rows && move.processes <= SIDE);
        scalay_traffic_destroy(&x.traffic);
    }
}

/* A grid of up to 4 x 4 processes with up to two more beside them, some of its parts on these. */
static scalay_layout *draw_grid(scalay_random *random, int64_t m, int64_t n)
{
    const int p = 1 + (int)scalay_random_below(random, 4), q = 1 + (int)scalay_random_below(random, 4);
    const int more = (int)scalay_random_below(random, 3);
    int process[16];
    scalay_layout *layout = NULL, *placed = NULL;
    for (int part = 0; part < p * q; part++) process[part] = (part + more) % (p * q + more);
    assert_int_equal(
        scalay_layout_block_cyclic(m, n, 1 + scalay_random_below(random, 7), 1 + scalay_random_below(random, 7), p, q,
                                   (int)scalay_random_below(random, p), (int)scalay_random_below(random, q),
                                   scalay_random_below(random, 2) ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR, &layout),
        SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_relabel(layout, p * q + more, process, &placed), SCALAY_SUCCESS);
    scalay_layout_destroy(&layout);
    return placed;
}

static void grids_need_no_traffic(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(6);
    for (int k = 0; k < 2000; k++) {
        const int64_t m = scalay_random_below(&random, 60), n = scalay_random_below(&random, 60);
        scalay_layout *source = draw_grid(&random, m, n), *target = draw_grid(&random, m, n);
        scalay_traffic *traffic = NULL;
        scalay_move expected = {0}, move = {0};
        int process[16];
        for (int part = 0; part < scalay_layout_parts(target); part++)
            process[part] = scalay_layout_process_of_part(target, part);
        assert_int_equal(scalay_traffic_create(source, target, &traffic), SCALAY_SUCCESS);
        assert_int_equal(scalay_move_from_traffic(traffic, process, &expected), SCALAY_SUCCESS);
        assert_int_equal(scalay_move_count_grids(source, target, process, &move), SCALAY_SUCCESS);
        assert_true(move.volume == expected.volume && move.steps == expected.steps && move.kept == expected.kept);
        assert_true(move.messages == expected.messages && move.items == expected.items);
        assert_true(move.processes <= expected.processes);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&source);
        scalay_layout_destroy(&target);
    }
}

static void each_term_is_the_formula(void **state)
{
    (void)state;
    const scalay_machine message = {.seconds_per_message = 1.0}, byte = {.seconds_per_byte = 1.0};
    const scalay_machine copied = {.seconds_per_byte_copied = 1.0};
    const scalay_move move = {.volume = 300, .steps = 100, .messages = 7, .kept = 50, .processes = 4};
    assert_true(scalay_model_move(&message, SCALAY_DOUBLE, &move) == 7.0);
    assert_true(scalay_model_move(&byte, SCALAY_DOUBLE, &move) == 8.0 * 150.0);
    assert_true(scalay_model_move(&copied, SCALAY_DOUBLE, &move) == 8.0 * 250.0);
    scalay_move few = move;
    few.volume = 150;
    assert_true(scalay_model_move(&byte, SCALAY_FLOAT, &few) == 4.0 * 100.0);
    assert_true(scalay_model_move(&byte, SCALAY_RAW(24), &few) == 24.0 * 100.0);
    /* Half of the items are the busiest process's, hence half of the segments. */
    const scalay_move cut = {.volume = 300, .steps = 100, .kept = 50, .items = 300, .segments = 40, .processes = 4};
    /* A segment has 60 bytes; a step to it counts as many, and 64 if it is longer. */
    assert_true(scalay_model_move(&copied, SCALAY_DOUBLE, &cut) == 8.0 * 250.0 + 60.0 * 20.0);
    assert_true(scalay_model_move(&copied, SCALAY_COMPLEX_DOUBLE, &cut) == 16.0 * 250.0 + 64.0 * 20.0);
    const scalay_machine crowded = {
        .seconds_per_byte_copied = 1.0, .solo_time_ratio = 0.5, .processes = 4, .concurrent_processes = 2};
    assert_true(scalay_model_move(&crowded, SCALAY_DOUBLE, &cut) >= 8.0 * 125.0 + 60.0 * 10.0);
    const scalay_move nothing = {.processes = 4};
    assert_true(scalay_model_move(NULL, SCALAY_DOUBLE, &nothing) == 0.0);
}

static void more_to_move_never_takes_less(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(4);
    for (int k = 0; k < 200; k++) {
        scalay_move move = {.steps = scalay_random_below(&random, 1000), .processes = 8};
        move.volume = move.steps + scalay_random_below(&random, 7000);
        move.messages = scalay_random_below(&random, 8);
        move.kept = scalay_random_below(&random, 1000);
        const double now = scalay_model_move(NULL, SCALAY_DOUBLE, &move);
        int64_t *const fields[] = {&move.volume, &move.steps, &move.messages, &move.kept, &move.segments};
        for (int f = 0; f < 5; f++) {
            (*fields[f])++;
            assert_true(scalay_model_move(NULL, SCALAY_DOUBLE, &move) >= now);
            (*fields[f])--;
        }
        assert_true(scalay_model_move(NULL, SCALAY_COMPLEX_DOUBLE, &move) >= now);
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(5);
    instance x = draw(&random);
    scalay_move move = {0};
    assert_int_equal(scalay_move_from_traffic(NULL, x.process, &move), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_move_from_traffic(x.traffic, NULL, &move), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_move_from_traffic(x.traffic, x.process, NULL), SCALAY_ERROR_ARGUMENT);
    x.process[0] = -1;
    assert_int_equal(scalay_move_from_traffic(x.traffic, x.process, &move), SCALAY_ERROR_ARGUMENT);
    scalay_memory_fail_at(1);
    x.process[0] = 0;
    assert_int_equal(scalay_move_from_traffic(x.traffic, x.process, &move), SCALAY_ERROR_MEMORY);
    scalay_memory_fail_at(0);
    scalay_traffic_destroy(&x.traffic);

    const scalay_machine broken = {.seconds_per_byte = NAN};
    const scalay_move nobody = {.processes = 0}, less = {.processes = 1, .steps = -1}, some = {.processes = 1};
    const scalay_move cut = {.processes = 1, .segments = -1};
    assert_true(scalay_model_move(NULL, SCALAY_DOUBLE, &cut) == -1.0);
    assert_true(scalay_model_move(&broken, SCALAY_DOUBLE, &some) == -1.0);
    assert_true(scalay_model_move(NULL, 77, &some) == -1.0);
    assert_true(scalay_model_move(NULL, SCALAY_DOUBLE, &nobody) == -1.0);
    assert_true(scalay_model_move(NULL, SCALAY_DOUBLE, &less) == -1.0);
    assert_true(scalay_model_move(NULL, SCALAY_DOUBLE, NULL) == -1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_definition), cmocka_unit_test(grids_need_no_traffic),
        cmocka_unit_test(each_term_is_the_formula),           cmocka_unit_test(more_to_move_never_takes_less),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return run_all_tests(tests);
}
