/* One product has one prediction: on its owner map, on its layout, and in advice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/integer.h"
#include "base/random.h"
#include "model/machine.h"
#include "model/product.h"
#include "scalay/advice.h"

enum { CELLS = 5, PARTS = 4 };

/* A machine with curves, whose processes share cores if `is_shared`. */
static scalay_machine draw_machine(scalay_random *random, int is_shared)
{
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_message *= 1.0 + scalay_random_unit(random);
    machine.seconds_per_byte *= 1.0 + scalay_random_unit(random);
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++)
        machine.gemm_curve[k] = machine.seconds_per_flop * (1.0 + 64.0 / (double)(1 << k));
    if (!is_shared) return machine;
    machine.processes = PARTS;
    machine.concurrent_processes = 2;
    machine.solo_time_ratio = 0.5;
    return machine;
}

static scalay_owner_map *draw_map(scalay_random *random)
{
    int64_t cut[2][CELLS + 1] = {{0}, {0}};
    int owner[CELLS * CELLS];
    scalay_owner_map *map = NULL;
    for (int way = 0; way < 2; way++)
        for (int k = 1; k <= CELLS; k++)
            cut[way][k] = 400 * k + (int64_t)(k < CELLS) * scalay_random_below(random, 300);
    for (int k = 0; k < CELLS * CELLS; k++) owner[k] = (int)scalay_random_below(random, PARTS);
    assert_int_equal(scalay_owner_map_create(CELLS, CELLS, cut[0], cut[1], PARTS, owner, &map), SCALAY_SUCCESS);
    return map;
}

static double seconds_on_map(const scalay_machine *machine, scalay_type type, const scalay_owner_map *map)
{
    scalay_multiply_time time;
    assert_int_equal(scalay_model_multiply(machine, type, map, scalay_owner_map_cols(map), NULL, NULL, NULL, &time),
                     SCALAY_SUCCESS);
    return time.seconds;
}

static double seconds_on_layout(const scalay_machine *machine, scalay_type type, const scalay_layout *layout)
{
    double seconds = -1.0;
    assert_int_equal(scalay_summa_on_layout(machine, type, layout, NULL, NULL, &seconds), SCALAY_SUCCESS);
    return seconds;
}

/* Staying is a candidate of all advice. */
static double advised_to_stay(const scalay_machine *machine, scalay_type type, const scalay_layout *layout)
{
    scalay_advice_options options = scalay_advice_options_default();
    scalay_advice *advice = NULL;
    scalay_advice_candidate candidate = {.seconds = -1.0};
    double seconds = -1.0;
    options.kernel = SCALAY_KERNEL_GEMM;
    options.type = type;
    options.machine = machine;
    assert_int_equal(scalay_advice_create(layout, &options, &advice), SCALAY_SUCCESS);
    for (int k = 0; k < scalay_advice_count(advice); k++) {
        assert_int_equal(scalay_advice_get_candidate(advice, k, &candidate), SCALAY_SUCCESS);
        if (strcmp(candidate.name, "owner") == 0) seconds = candidate.kernel_seconds;
    }
    scalay_advice_destroy(&advice);
    return seconds;
}

static void maps_layouts_and_advice_agree(void **state)
{
    (void)state;
    const uint64_t seed = 20261124;
    scalay_random random = scalay_random_seed(seed);
    printf("seed %llu\n", (unsigned long long)seed);
    for (int turn = 0; turn < 24; turn++) {
        const scalay_type type = (scalay_type)(SCALAY_FLOAT + turn % 4);
        const scalay_machine machine = draw_machine(&random, turn / 4 % 2);
        scalay_owner_map *map = draw_map(&random);
        scalay_layout *layout = NULL;
        assert_int_equal(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
        const double expected = seconds_on_map(&machine, type, map);
        assert_true(expected > 0.0);
        assert_true(seconds_on_layout(&machine, type, layout) == expected);
        assert_true(advised_to_stay(&machine, type, layout) == expected);
        scalay_layout_destroy(&layout);
        scalay_owner_map_destroy(&map);
    }
}

/* Blocks of a grid are together in the memory of a process, so that the map has the same local arrays. */
static void grids_and_their_maps_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(7);
    for (int turn = 0; turn < 24; turn++) {
        const scalay_machine machine = draw_machine(&random, turn % 2);
        const int nprow = 1 + turn % 3, npcol = 1 + turn / 3 % 3;
        const int64_t n = 200 + scalay_random_below(&random, 1000), nb = 1 + scalay_random_below(&random, 70);
        scalay_layout *layout = NULL;
        scalay_owner_map *map = NULL;
        assert_int_equal(scalay_layout_block_cyclic(n, n, nb, nb, nprow, npcol, 0, 0, SCALAY_ROW_MAJOR, &layout),
                         SCALAY_SUCCESS);
        assert_int_equal(scalay_layout_owner_map(layout, &map), SCALAY_SUCCESS);
        assert_true(seconds_on_layout(&machine, SCALAY_DOUBLE, layout) == seconds_on_map(&machine, SCALAY_DOUBLE, map));
        scalay_owner_map_destroy(&map);
        scalay_layout_destroy(&layout);
    }
}

/* Tiles are arrays of their own: their products and their segments are slower. */
static void tiles_take_longer_than_the_same_blocks(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(8);
    const scalay_machine machine = draw_machine(&random, 0);
    int owner[16 * 16];
    scalay_layout *tiles = NULL, *grid = NULL;
    for (int k = 0; k < 16 * 16; k++) owner[k] = k / 16 % 2 * 2 + k % 2;
    assert_int_equal(scalay_layout_tiles(512, 512, 32, 32, 4, owner, &tiles), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(512, 512, 32, 32, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &grid), SCALAY_SUCCESS);
    assert_true(seconds_on_layout(&machine, SCALAY_DOUBLE, tiles) > seconds_on_layout(&machine, SCALAY_DOUBLE, grid));
    scalay_layout_destroy(&grid);
    scalay_layout_destroy(&tiles);
}

/* Of the panels of a node: each rate and count has its term, by definition. */
static void transports_take_what_they_copy_and_send(void **state)
{
    enum { MEGABYTE = 1 << 20 };
    scalay_machine machine = scalay_machine_typical();
    (void)state;
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) machine.copy_curve[k] = 1e-10 * (k + 1);
    const scalay_panel_traffic traffic = {.bytes = MEGABYTE, .segments = 1000, .messages = 30, .packed = 16384};
    assert_float_equal(scalay_panel_reading_seconds(&machine, &traffic), (MEGABYTE + 512e3) * 4e-10, 1e-15);
    assert_float_equal(
        scalay_panel_sending_seconds(&machine, &traffic),
        30 * machine.seconds_per_message_within + MEGABYTE * machine.seconds_per_byte_within + 16384 * 1e-10, 1e-15);
    /* A C of 2 MiB is that of the measured curve. Half of the panels pass over a larger one half as often. */
    assert_true(scalay_panel_passes_seconds(&machine, 2.0 * MEGABYTE, 2048, 256) == 0.0);
    const double narrow = scalay_panel_passes_seconds(&machine, 16.0 * MEGABYTE, 2048, 256);
    assert_true(narrow > 0.0);
    assert_float_equal(scalay_panel_passes_seconds(&machine, 16.0 * MEGABYTE, 2048, 512), 0.5 * narrow, 1e-15);
}

enum { NODES = 4 };

/* Elements of a cell of A (or of B) that travel: once to each other node that owns a cell of C in the same row of cells
   (or column of cells). An owner sends two of the copies. */
static void send_cell(const int *node_of_cell, int is_a, int row, int col, int64_t elements, int64_t *sent,
                      int64_t *received)
{
    const int from = node_of_cell[row * CELLS + col];
    int64_t copies = 0;
    int needs[NODES] = {0};
    for (int k = 0; k < CELLS; k++) needs[node_of_cell[is_a ? row * CELLS + k : k * CELLS + col]] = 1;
    for (int node = 0; node < NODES; node++) {
        if (node == from || !needs[node]) continue;
        received[node] += elements;
        copies++;
    }
    sent[from] += elements * scalay_min_int64(2, copies);
}

/* The panels of 32 columns of p?gemm on 1 x 2: one column of 128 rows has 1 KiB, 32 have 32 KiB. Each of them starts
 * once. */
static void large_panels_start_later(void **state)
{
    (void)state;
    scalay_machine machine = scalay_machine_typical();
    scalay_gemm_cost small, large;
    for (int k = 1; k <= 128; k += 127) {
        machine.seconds_per_large_message = 0.0;
        assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 128, 128, k, 1, 2, 32, NULL, &small),
                         SCALAY_SUCCESS);
        machine.seconds_per_large_message = machine.seconds_per_message + 5e-6;
        assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 128, 128, k, 1, 2, 32, NULL, &large),
                         SCALAY_SUCCESS);
        assert_true(fabs(large.seconds - small.seconds - (k == 1 ? 0.0 : 4 * 5e-6)) < 1e-12);
    }
}

/* Nothing but the links between nodes takes time to communicate. */
static void each_node_gets_its_panels_once(void **state)
{
    (void)state;
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_message = machine.seconds_per_message_within = machine.seconds_per_byte_copied = 0.0;
    machine.seconds_per_byte_within = 1e-30;
    machine.processes = 8;
    machine.nodes = 2;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int64_t cut[2][CELLS + 1] = {{0}, {0}}, sent[NODES] = {0}, received[NODES] = {0};
        int owner[CELLS * CELLS], node_of_cell[CELLS * CELLS], node[PARTS], process[PARTS];
        double seconds[PARTS];
        scalay_owner_map *map = NULL;
        scalay_multiply_time time;
        const scalay_multiply_options options = scalay_multiply_options_default();
        for (int way = 0; way < 2; way++)
            for (int k = 1; k <= CELLS; k++) cut[way][k] = 40 * k + (k < CELLS) * scalay_random_below(&random, 30);
        for (int p = 0; p < PARTS; p++) {
            process[p] = (p + (int)seed) % PARTS;
            node[p] = (int)scalay_random_below(&random, 1 + seed % NODES);
        }
        for (int k = 0; k < CELLS * CELLS; k++) {
            owner[k] = (int)scalay_random_below(&random, PARTS);
            node_of_cell[k] = node[process[owner[k]]];
        }
        assert_int_equal(scalay_owner_map_create(CELLS, CELLS, cut[0], cut[1], PARTS, owner, &map), SCALAY_SUCCESS);
        for (int k = 0; k < 2 * CELLS * CELLS; k++) {
            const int row = k / 2 / CELLS, col = k / 2 % CELLS;
            send_cell(node_of_cell, k % 2, row, col, (cut[0][row + 1] - cut[0][row]) * (cut[1][col + 1] - cut[1][col]),
                      sent, received);
        }
        const scalay_nodes nodes = {.processes = PARTS, .node = node};
        const scalay_summa_problem given = {
            .map = map, .k = 40 * CELLS, .nodes = &nodes, .process = process, .communicate = seconds};
        assert_int_equal(scalay_summa_predict(&machine, SCALAY_DOUBLE, &given, &options, &time), SCALAY_SUCCESS);
        for (int p = 0; p < PARTS; p++) {
            const int at = node[process[p]];
            const double bytes = 8.0 * (double)scalay_max_int64(sent[at], received[at]);
            if (scalay_owner_map_elements(map, p) > 0)
                assert_float_equal(seconds[p], bytes * machine.seconds_per_byte / 4.0, 1e-12);
        }
        scalay_owner_map_destroy(&map);
    }
}

/* Four panels of 256 on 2 x 2 parts of two nodes. Pieces of three panels travel while the panels before are multiplied;
   whole messages wait. */
static void pieces_travel_while_panels_are_multiplied(void **state)
{
    (void)state;
    static const int owner[] = {0, 1, 2, 3}, node[] = {0, 0, 1, 1}, process[] = {0, 1, 2, 3};
    static const int64_t cut[] = {0, 512, 1024};
    scalay_machine machine = scalay_machine_typical();
    scalay_owner_map *map = NULL;
    const scalay_nodes nodes = {.processes = 4, .node = node};
    const scalay_multiply_options options = scalay_multiply_options_default();
    machine.seconds_per_message_within = machine.seconds_per_byte_copied = 0.0;
    machine.seconds_per_byte_within = 1e-30;
    machine.processes = 4;
    machine.nodes = 2;
    assert_int_equal(scalay_owner_map_create(2, 2, cut, cut, 4, owner, &map), SCALAY_SUCCESS);
    const scalay_summa_problem given = {.map = map, .k = 1024, .nodes = &nodes, .process = process};
    for (int k = 0; k < 4; k++) {
        const int in_pieces = k < 2;
        scalay_multiply_time time;
        machine.seconds_per_byte = k % 2 ? 1e-7 : 1e-9; /* the link takes longer than the product, or not */
        machine.seconds_per_message = in_pieces ? 0.0 : 65536 * machine.seconds_per_byte;
        assert_int_equal(scalay_summa_predict(&machine, SCALAY_DOUBLE, &given, &options, &time), SCALAY_SUCCESS);
        const double whole = time.compute_seconds + time.communicate_seconds + scalay_machine_call_seconds(&machine);
        const double hidden = 0.75 * fmin(time.compute_seconds, time.communicate_seconds);
        assert_true(time.panels == 4 && hidden > 0.0);
        assert_float_equal(time.seconds, whole - (in_pieces ? hidden : 0.0), 1e-9);
    }
    scalay_owner_map_destroy(&map);
}

/* One part per node: nothing travels within nodes. Each of 2 x 2 gets half of its rows of A and of its columns of B. */
static void nodes_of_one_part_have_links_only(void **state)
{
    (void)state;
    static const int owner[] = {0, 1, 2, 3}, node[] = {0, 1, 2, 3}, process[] = {0, 1, 2, 3};
    static const int64_t cut[] = {0, 64, 128};
    scalay_machine machine = scalay_machine_typical();
    scalay_owner_map *map = NULL;
    scalay_multiply_time time;
    const scalay_nodes nodes = {.processes = 4, .node = node};
    const scalay_multiply_options options = scalay_multiply_options_default();
    machine.seconds_per_message = machine.seconds_per_byte_copied = 0.0;
    machine.processes = machine.nodes = 4;
    assert_int_equal(scalay_owner_map_create(2, 2, cut, cut, 4, owner, &map), SCALAY_SUCCESS);
    const scalay_summa_problem given = {.map = map, .k = 128, .nodes = &nodes, .process = process};
    assert_int_equal(scalay_summa_predict(&machine, SCALAY_DOUBLE, &given, &options, &time), SCALAY_SUCCESS);
    assert_float_equal(time.communicate_seconds, 2 * 64 * 64 * 8.0 * machine.seconds_per_byte, 1e-12);
    scalay_owner_map_destroy(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_layouts_and_advice_agree),
        cmocka_unit_test(grids_and_their_maps_agree),
        cmocka_unit_test(tiles_take_longer_than_the_same_blocks),
        cmocka_unit_test(transports_take_what_they_copy_and_send),
        cmocka_unit_test(large_panels_start_later),
        cmocka_unit_test(each_node_gets_its_panels_once),
        cmocka_unit_test(pieces_travel_while_panels_are_multiplied),
        cmocka_unit_test(nodes_of_one_part_have_links_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
