/* The predicted time of a product, against what is counted element by element on random maps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "scalay/model.h"

enum { CELLS = 4, PARTS = 3, SIDE = 3 * CELLS };

static const scalay_machine machine = {
    .seconds_per_flop = 3.0, .seconds_per_message = 1000.0, .seconds_per_byte = 0.5, .seconds_per_byte_copied = 7.0};

static scalay_owner_map *draw(scalay_random *random)
{
    int64_t cut[CELLS + 1];
    int owner[CELLS * CELLS];
    scalay_owner_map *map = NULL;
    for (int k = 0; k <= CELLS; k++) cut[k] = 3 * k;
    for (int k = 0; k < CELLS * CELLS; k++) owner[k] = (int)scalay_random_below(random, PARTS);
    assert_int_equal(scalay_owner_map_create(CELLS, CELLS, cut, cut, PARTS, owner, &map), SCALAY_SUCCESS);
    return map;
}

/* 1 when a part owns something of row (or column) l. */
static int is_on(const scalay_owner_map *map, int part, int64_t l, int by_rows)
{
    for (int64_t k = 0; k < SIDE; k++)
        if (scalay_owner_map_owner(map, by_rows ? l : k, by_rows ? k : l) == part) return 1;
    return 0;
}

/* What goes from one part to another of A, or of B, by definition; k is the side of C, so that A and B are cut exactly
 * as C is. */
static int64_t moved(const scalay_owner_map *map, int from, int to, int of_a)
{
    int64_t items = 0;
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++)
            if (scalay_owner_map_owner(map, i, j) == from) items += is_on(map, to, of_a ? i : j, of_a);
    return from == to ? 0 : items;
}

typedef struct {
    int64_t sent, received, received_of[2]; /* of B, of A */
    int partners_out, partners_in;
} load;

static load count(const scalay_owner_map *map, int part)
{
    load l = {0};
    for (int other = 0; other < PARTS; other++)
        for (int of_a = 0; of_a < 2; of_a++) {
            l.sent += moved(map, part, other, of_a);
            l.received += moved(map, other, part, of_a);
            l.received_of[of_a] += moved(map, other, part, of_a);
            l.partners_out += moved(map, part, other, of_a) > 0;
            l.partners_in += moved(map, other, part, of_a) > 0;
        }
    return l;
}

/* Counted by the caller: part j has 7 j + 1 messages, and copies 11 j elements. */
static const int64_t own_messages[PARTS] = {1, 8, 15}, own_copies[PARTS] = {0, 11, 22};

typedef struct {
    double latency[PARTS], transfer[PARTS], copying[PARTS], all_transfer;
} expectation;

/* Contiguous ranges of memory per element: of columns of A, and of columns of B in panels. */
static void count_segments(const scalay_owner_map *map, int64_t panel, double segments[2])
{
    scalay_layout *layout = NULL;
    double elements = 0.0, of[2] = {0.0, 0.0};
    assert_int_equal(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
    for (int p = 0; p < PARTS; p++)
        for (int64_t k = 0; k < scalay_layout_subarray_count(layout, p); k++) {
            scalay_subarray array;
            assert_int_equal(scalay_layout_subarray(layout, p, k, &array), SCALAY_SUCCESS);
            elements += (double)(array.rows * array.cols);
            of[1] += (double)array.cols;
            of[0] += (double)array.cols * ((double)array.rows / (double)(array.rows < panel ? array.rows : panel));
        }
    scalay_layout_destroy(&layout);
    for (int of_a = 0; of_a < 2; of_a++) segments[of_a] = of[of_a] / elements;
}

/* Seconds of the parts, and of all: bytes are .5 s of 8, copies 7 s. A segment is 512 bytes. */
static expectation expect(const scalay_owner_map *map, const scalay_multiply_options *options, int64_t panels)
{
    expectation e = {.all_transfer = 0.0};
    double segments[2];
    count_segments(map, options->panel, segments);
    for (int p = 0; p < PARTS; p++) {
        const load l = count(map, p);
        const int reads = options->reads;
        const double partners = l.partners_out > l.partners_in && !reads ? l.partners_out : l.partners_in;
        const double messages = options->messages != NULL ? (double)own_messages[p] : partners * (double)panels;
        const double copies = options->copied != NULL ? 56.0 * (double)own_copies[p] : 0.0;
        const double carried = 4.0 * (double)(l.sent > l.received && !reads ? l.sent : l.received);
        e.latency[p] = 1000.0 * messages;
        e.transfer[p] = carried + copies;
        if (options->copied == NULL && !reads)
            e.copying[p] = 7.0 * (8.0 * (double)l.received + 512.0 * (segments[0] * (double)l.received_of[0] +
                                                                      segments[1] * (double)l.received_of[1]));
        e.all_transfer += 4.0 * (double)l.received + copies;
    }
    return e;
}

/* Lets the parts work until one of them is done, all of them at the same speed: at most 1, at most `lanes` together. */
static double take_turns(const expectation *e, int part, double lanes)
{
    double left[PARTS], now = 0.0;
    for (int p = 0; p < PARTS; p++) left[p] = e->latency[p] + e->transfer[p];
    while (left[part] > 1e-6) {
        int active = 0;
        double least = left[part];
        for (int p = 0; p < PARTS; p++) {
            active += left[p] > 1e-6;
            if (left[p] > 1e-6) least = fmin(least, left[p]);
        }
        now += least / fmin(1.0, lanes / active);
        for (int p = 0; p < PARTS; p++) left[p] -= least;
    }
    return now;
}

static double seconds_of(const expectation *e, int part, int reads, double lanes)
{
    if (e->latency[part] + e->transfer[part] == 0.0) return 0.0;
    if (reads) return take_turns(e, part, lanes);
    return e->latency[part] + fmax(e->transfer[part], e->all_transfer / lanes) + e->copying[part];
}

static void check_map(const scalay_owner_map *map, scalay_multiply_options options)
{
    const double speed[PARTS] = {1.0, 0.25, 4.0};
    double compute[PARTS], communicate[PARTS], last = 0.0, volume = 0.0;
    scalay_multiply_time time;
    int active = 0;
    options.panel = 5;
    options.seconds_per_flop = speed;
    assert_int_equal(scalay_model_multiply(&machine, SCALAY_DOUBLE, map, SIDE, &options, compute, communicate, &time),
                     SCALAY_SUCCESS);
    for (int part = 0; part < PARTS; part++) volume += (double)count(map, part).sent;
    for (int part = 0; part < PARTS; part++) active += scalay_owner_map_elements(map, part) > 0;
    assert_true(time.volume == (int64_t)volume);
    assert_int_equal(time.panels, (SIDE + 4) / 5);
    for (int part = 0; part < PARTS; part++) {
        const double lanes = options.concurrent_transfers > 0 ? options.concurrent_transfers : 0.5 * active;
        const expectation e = expect(map, &options, time.panels);
        double expected = seconds_of(&e, part, options.reads, lanes);
        assert_true(fabs(communicate[part] - expected) <= 1e-9 * expected);
        expected = 2.0 * SIDE * (double)scalay_owner_map_elements(map, part) * speed[part];
        assert_true(fabs(compute[part] - expected) <= 1e-9 * expected);
        last = fmax(last, options.overlap ? fmax(compute[part], communicate[part]) : compute[part] + communicate[part]);
    }
    assert_true(fabs(time.seconds - last) <= 1e-9 * last);
}

static void parts_take_what_their_formula_says(void **state)
{
    (void)state;
    const uint64_t seed = 20261121;
    scalay_random random = scalay_random_seed(seed);
    printf("seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 60; k++) {
        scalay_owner_map *map = draw(&random);
        check_map(map, (scalay_multiply_options){.size = sizeof(scalay_multiply_options),
                                                 .overlap = k % 2,
                                                 .reads = k / 2 % 2,
                                                 .concurrent_transfers = k / 4 % 3,
                                                 .messages = k % 5 == 0 ? own_messages : NULL,
                                                 .copied = k % 3 == 0 ? own_copies : NULL});
        scalay_owner_map_destroy(&map);
    }
}

/* A row of many parts: each sends to all others, and nobody writes that down. */
static void many_parts_are_no_trouble(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    int64_t *cut = malloc((MANY + 1) * sizeof *cut);
    int *owner = malloc(MANY * sizeof *owner);
    const int64_t across[] = {0, MANY};
    scalay_owner_map *map = NULL;
    scalay_multiply_time time;
    assert_true(cut != NULL && owner != NULL);
    for (int k = 0; k <= MANY; k++) cut[k] = k;
    for (int k = 0; k < MANY; k++) owner[k] = k;
    assert_int_equal(scalay_owner_map_create(1, MANY, across, cut, MANY, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_model_multiply(NULL, SCALAY_DOUBLE, map, MANY, NULL, NULL, NULL, &time), SCALAY_SUCCESS);
    assert_true(time.volume == (int64_t)MANY * MANY * (MANY - 1));
    assert_true(time.busiest == (int64_t)MANY * (MANY - 1));
    assert_true(time.messages == (MANY - 1) * time.panels);
    scalay_owner_map_destroy(&map);
    free(owner);
    free(cut);
}

static void one_part_sends_nothing_and_types_differ(void **state)
{
    (void)state;
    const int64_t cut[] = {0, 8};
    const int owner[] = {0};
    scalay_owner_map *map = NULL;
    scalay_multiply_time d, z;
    assert_int_equal(scalay_owner_map_create(1, 1, cut, cut, 1, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_model_multiply(&machine, SCALAY_DOUBLE, map, 5, NULL, NULL, NULL, &d), SCALAY_SUCCESS);
    assert_int_equal(scalay_model_multiply(&machine, SCALAY_COMPLEX_DOUBLE, map, 5, NULL, NULL, NULL, &z),
                     SCALAY_SUCCESS);
    assert_true(d.volume == 0 && d.communicate_seconds == 0.0 && d.flops == 640.0 && d.seconds == 3.0 * 640.0);
    assert_true(z.flops == 4.0 * d.flops && z.seconds == 4.0 * d.seconds);
    assert_int_equal(scalay_model_multiply(NULL, SCALAY_FLOAT, map, 0, NULL, NULL, NULL, &d), SCALAY_SUCCESS);
    assert_true(d.seconds == 0.0 && d.panels == 0);
    scalay_owner_map_destroy(&map);
}

static void maps_without_elements_take_no_time(void **state)
{
    (void)state;
    const int64_t cut[] = {0, 0}, other[] = {0, 8};
    const int owner[] = {0};
    scalay_owner_map *map = NULL;
    scalay_multiply_time time;
    assert_int_equal(scalay_owner_map_create(1, 1, cut, other, 1, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_model_multiply(NULL, SCALAY_DOUBLE, map, 9, NULL, NULL, NULL, &time), SCALAY_SUCCESS);
    assert_true(time.seconds == 0.0 && time.volume == 0);
    scalay_owner_map_destroy(&map);
}

static void what_is_not_valid_is_refused(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(1);
    scalay_owner_map *map = draw(&random);
    scalay_multiply_time time;
    const double speed[PARTS] = {1.0, -1.0, 1.0};
    const scalay_machine broken = {.seconds_per_byte = NAN};
    const scalay_multiply_options slow = {.size = sizeof slow, .seconds_per_flop = speed},
                                  narrow = {.size = sizeof narrow, .panel = -1},
                                  none = {.size = sizeof none, .concurrent_transfers = -1};
    const int64_t negative[PARTS] = {0, 0, -1};
    const scalay_multiply_options fewer = {.size = sizeof fewer, .messages = negative},
                                  less = {.size = sizeof less, .copied = negative};
    const struct {
        const scalay_machine *machine;
        scalay_type type;
        const scalay_owner_map *map;
        int64_t k;
        const scalay_multiply_options *options;
    } bad[] = {{NULL, SCALAY_INT, map, 1, NULL},     {NULL, SCALAY_DOUBLE, NULL, 1, NULL},
               {NULL, SCALAY_DOUBLE, map, -1, NULL}, {&broken, SCALAY_DOUBLE, map, 1, NULL},
               {NULL, SCALAY_DOUBLE, map, 1, &slow}, {NULL, SCALAY_DOUBLE, map, 1, &narrow},
               {NULL, SCALAY_DOUBLE, map, 1, &none}, {NULL, SCALAY_DOUBLE, map, 1, &fewer},
               {NULL, SCALAY_DOUBLE, map, 1, &less}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_int_equal(
            scalay_model_multiply(bad[k].machine, bad[k].type, bad[k].map, bad[k].k, bad[k].options, NULL, NULL, &time),
            SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_multiply(NULL, SCALAY_DOUBLE, map, 1, NULL, NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_owner_map_destroy(&map);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(2);
    scalay_owner_map *map = draw(&random);
    scalay_multiply_time time;
    scalay_status status = SCALAY_ERROR_MEMORY;
    const int64_t live = scalay_memory_live();
    for (int n = 1; status == SCALAY_ERROR_MEMORY && n < 500; n++) {
        scalay_memory_fail_at(n);
        status = scalay_model_multiply(NULL, SCALAY_DOUBLE, map, SIDE, NULL, NULL, NULL, &time);
        scalay_memory_fail_at(0);
        assert_int_equal(scalay_memory_live(), live);
    }
    assert_int_equal(status, SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_take_what_their_formula_says),
        cmocka_unit_test(many_parts_are_no_trouble),
        cmocka_unit_test(one_part_sends_nothing_and_types_differ),
        cmocka_unit_test(maps_without_elements_take_no_time),
        cmocka_unit_test(what_is_not_valid_is_refused),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
