/* Links within and between nodes: the rates along a grid by their definition, what a mapping moves between nodes
   against the traffic counted entry by entry, and predictions that prefer neighbours on one node. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/factorization.h"
#include "model/machine.h"
#include "model/nodes.h"
#include "scalay/advice.h"
#include "support/serial.h"

enum { MAX_SIDE = 6, MAX_PROCESSES = MAX_SIDE * MAX_SIDE };

/* Two types; every rate is another number. One process of a node has a faster link than all four at once. */
static scalay_machine two_types(void)
{
    scalay_machine m = scalay_machine_typical();
    m.processes = 16;
    m.nodes = 4;
    m.node_types = 2;
    m.seconds_per_message = 40e-6;
    m.seconds_per_message_within = 2e-6;
    m.seconds_per_byte = 8e-9;
    m.seconds_per_byte_within = 2e-10;
    m.seconds_per_byte_alone = 2e-9;
    m.type_seconds_per_flop[0] = 0.5 * m.seconds_per_flop;
    m.type_seconds_per_flop[1] = 2.0 * m.seconds_per_flop;
    for (int t = 0; t < 2; t++) {
        m.type_seconds_per_message[t] = (2 + t) * 1e-6;
        m.type_seconds_per_byte[t] = (2 + t) * 1e-10;
    }
    for (int pair = 0; pair < 3; pair++) {
        m.pair_seconds_per_message[pair] = (30 + 10 * pair) * 1e-6;
        m.pair_seconds_per_byte[pair] = (6 + 2 * pair) * 1e-9;
    }
    return m;
}

/* A grid on nodes, by rows. */
typedef struct {
    int nprow, npcol, node[MAX_PROCESSES], type[MAX_PROCESSES];
} example;

static example draw(scalay_random *random)
{
    example x = {.nprow = 1 + (int)scalay_random_below(random, MAX_SIDE),
                 .npcol = 1 + (int)scalay_random_below(random, MAX_SIDE)};
    int type_of_node[MAX_PROCESSES];
    for (int k = 0; k < MAX_PROCESSES; k++) type_of_node[k] = (int)scalay_random_below(random, 2);
    for (int p = 0; p < x.nprow * x.npcol; p++) {
        x.node[p] = (int)scalay_random_below(random, 1 + scalay_random_below(random, x.nprow * x.npcol));
        x.type[p] = type_of_node[x.node[p]];
    }
    return x;
}

/* Process j of line k. */
static int at(const example *x, int is_row, int k, int j)
{
    return is_row ? k * x->npcol + j : j * x->npcol + k;
}

static int is_first_of_node(const example *x, int is_row, int k, int j)
{
    for (int i = 0; i < j; i++)
        if (x->node[at(x, is_row, k, i)] == x->node[at(x, is_row, k, j)]) return 0;
    return 1;
}

static int count_nodes(const example *x, int is_row, int k)
{
    int nodes = 0;
    for (int j = 0; j < (is_row ? x->npcol : x->nprow); j++) nodes += is_first_of_node(x, is_row, k, j);
    return nodes;
}

/* Processes of a line whose next one, around the ring, is on another node. */
static int count_hops(const example *x, int is_row, int k)
{
    const int length = is_row ? x->npcol : x->nprow;
    int hops = 0;
    for (int j = 0; j < length; j++)
        hops += x->node[at(x, is_row, k, j)] != x->node[at(x, is_row, k, j + 1 < length ? j + 1 : 0)];
    return hops;
}

/* Lines that leave the busiest node, by definition. */
static int count_streams(const example *x, int is_row)
{
    int most = 1;
    for (int node = 0; node < x->nprow * x->npcol; node++) {
        int lines = 0;
        for (int k = 0; k < (is_row ? x->nprow : x->npcol); k++) {
            int is_there = 0;
            for (int j = 0; j < (is_row ? x->npcol : x->nprow); j++) is_there |= x->node[at(x, is_row, k, j)] == node;
            lines += is_there && count_nodes(x, is_row, k) > 1;
        }
        if (lines > most) most = lines;
    }
    return most;
}

/* Every process of a line on equal nodes broadcasts one byte: what a process gets, over the number of processes. */
static double in_turn(const example *x, int is_row, int k, double within, double between)
{
    const double length = is_row ? x->npcol : x->nprow, of_node = length / count_nodes(x, is_row, k);
    return ((length - of_node) * between + (of_node - 1.0) * within) / length;
}

/* The link of one line, by definition. */
static scalay_link link_of_line(const scalay_machine *m, const example *x, int is_row, int k)
{
    const int length = is_row ? x->npcol : x->nprow;
    const double share = fmin(1.0, (count_streams(x, is_row) - 1) / (16.0 / 4.0 - 1.0));
    scalay_link within = {.nodes = 1}, between = {.nodes = 0};
    for (int i = 0; i < length; i++) {
        const int a = x->type[at(x, is_row, k, i)];
        within.message = fmax(within.message, m->type_seconds_per_message[a]);
        within.byte = fmax(within.byte, m->type_seconds_per_byte[a]);
        for (int j = 0; j < length; j++) {
            const int b = x->type[at(x, is_row, k, j)], pair = a == b ? 2 * a : 1;
            if (i == j) continue;
            const double all = m->pair_seconds_per_byte[pair],
                         alone = all * m->seconds_per_byte_alone / m->seconds_per_byte;
            between.message = fmax(between.message, m->pair_seconds_per_message[pair]);
            between.byte = fmax(between.byte, alone + share * (all - alone));
        }
    }
    const double levels = log2(length), outside = levels > 0.0 ? log2(count_nodes(x, is_row, k)) / levels : 0.0;
    const double hops = (double)count_hops(x, is_row, k) / length;
    scalay_link link = {.message = outside * between.message + (1.0 - outside) * within.message,
                        .byte = outside * between.byte + (1.0 - outside) * within.byte,
                        .byte_in_turn = within.byte,
                        .byte_ring = hops * between.byte + (1.0 - hops) * within.byte,
                        .byte_split_ring = within.byte,
                        .nodes = count_nodes(x, is_row, k)};
    if (link.nodes > 1) link.byte_in_turn = in_turn(x, is_row, k, within.byte, between.byte);
    if (link.nodes > 1) link.byte_split_ring = length > 2 && hops > 0.5 ? (0.5 + hops) * between.byte : between.byte;
    return link;
}

static void links_of_grids_follow_their_definition(void **state)
{
    (void)state;
    const scalay_machine m = two_types();
    scalay_random random = scalay_random_seed(41);
    for (int trial = 0; trial < 300; trial++) {
        const example x = draw(&random);
        const scalay_nodes nodes = {x.nprow * x.npcol, x.node, x.type};
        scalay_load_grid grid = {.nprow = x.nprow, .npcol = x.npcol, .mb = 1, .nb = 1};
        assert_int_equal(scalay_nodes_set_links(&m, &nodes, NULL, &grid), SCALAY_SUCCESS);
        assert_true(grid.has_links);
        for (int is_row = 0; is_row <= 1; is_row++) {
            const int lines = is_row ? x.nprow : x.npcol;
            scalay_link mean = {.nodes = 0};
            for (int k = 0; k < lines; k++) {
                const scalay_link found = link_of_line(&m, &x, is_row, k);
                mean.message += found.message / lines;
                mean.byte += found.byte / lines;
                mean.byte_in_turn += found.byte_in_turn / lines;
                mean.byte_ring += found.byte_ring / lines;
                mean.byte_split_ring += found.byte_split_ring / lines;
                mean.nodes = found.nodes > mean.nodes ? found.nodes : mean.nodes;
            }
            const scalay_link *found = is_row ? &grid.row : &grid.col;
            assert_int_equal(found->nodes, mean.nodes);
            assert_true(fabs(found->message - mean.message) <= 1e-12 * mean.message);
            assert_true(fabs(found->byte - mean.byte) <= 1e-12 * mean.byte);
            assert_true(fabs(found->byte_in_turn - mean.byte_in_turn) <= 1e-12 * mean.byte_in_turn);
            assert_true(fabs(found->byte_ring - mean.byte_ring) <= 1e-12 * mean.byte_ring);
            assert_true(fabs(found->byte_split_ring - mean.byte_split_ring) <= 1e-12 * mean.byte_split_ring);
        }
    }
}

/* Rates that are 0 are those of the machine, and without nodes nothing is set. */
static void unknown_rates_are_those_of_the_machine(void **state)
{
    (void)state;
    const int node[] = {0, 0, 2, 2};
    const scalay_machine m = {.seconds_per_message = 3.0, .seconds_per_byte = 5.0};
    const scalay_nodes nodes = {4, node, NULL}, unknown = {4, NULL, NULL};
    scalay_load_grid grid = {.nprow = 2, .npcol = 2, .mb = 1, .nb = 1};
    scalay_machine same;
    assert_int_equal(scalay_nodes_set_links(&m, &unknown, NULL, &grid), SCALAY_SUCCESS);
    assert_int_equal(scalay_nodes_set_links(&m, NULL, NULL, &grid), SCALAY_SUCCESS);
    assert_true(!grid.has_links);
    assert_int_equal(scalay_nodes_set_links(&m, &nodes, NULL, &grid), SCALAY_SUCCESS);
    assert_true(grid.row.message == 3.0 && grid.col.message == 3.0 && grid.row.byte == 5.0 && grid.col.byte == 5.0);
    assert_int_equal(scalay_nodes_machine(&m, &nodes, &same), SCALAY_SUCCESS);
    assert_memory_equal(&same, &m, sizeof m);
}

/* The slower the links between nodes, the more a grid gains whose columns share a node. */
static void neighbours_on_a_node_are_preferred(void **state)
{
    (void)state;
    const int rows_share[] = {0, 0, 2, 2}, columns_share[] = {0, 2, 0, 2};
    const scalay_nodes rows = {4, rows_share, NULL}, columns = {4, columns_share, NULL};
    double before = 0.0;
    for (int slower = 1; slower <= 256; slower *= 4) {
        scalay_machine m = scalay_machine_typical();
        m.seconds_per_message_within = m.seconds_per_message;
        m.seconds_per_byte_within = m.seconds_per_byte;
        m.seconds_per_message *= slower;
        m.seconds_per_byte *= slower;
        scalay_load_grid grid[2];
        scalay_qr_cost cost[2];
        for (int k = 0; k < 2; k++) {
            grid[k] = (scalay_load_grid){.nprow = 2, .npcol = 2, .mb = 32, .nb = 32};
            assert_int_equal(scalay_nodes_set_links(&m, k == 0 ? &rows : &columns, NULL, &grid[k]), SCALAY_SUCCESS);
            assert_int_equal(
                scalay_factorization_on_grid(&m, SCALAY_MODEL_QR, SCALAY_DOUBLE, 500, 500, &grid[k], "test", &cost[k]),
                SCALAY_SUCCESS);
        }
        const double gain = cost[0].seconds - cost[1].seconds;
        assert_true(slower == 1 ? gain == 0.0 : gain > before);
        before = gain;
    }
}

enum { SIDE = 6 };

/* A random traffic matrix on nodes, and what it sends, counted entry by entry. */
typedef struct {
    int process[SIDE * SIDE], part[SIDE * SIDE], node[SIDE], taker[SIDE], ranks[SIDE];
    int64_t items[SIDE * SIDE];
    int64_t flow[2][SIDE][2], messages[2][SIDE][2], of_node[SIDE][2]; /* within and between; out and in */
} traffic_example;

static void add_entry(traffic_example *x, int i, int j, int64_t q)
{
    const int to = x->taker[j], is_between = x->node[i] != x->node[to], entry = i * SIDE + j;
    x->process[entry] = i;
    x->part[entry] = j;
    x->items[entry] = q;
    if (i == to || q == 0) return;
    x->flow[is_between][i][0] += q;
    x->flow[is_between][to][1] += q;
    x->messages[is_between][i][0]++;
    x->messages[is_between][to][1]++;
    x->of_node[x->node[i]][0] += is_between * q;
    x->of_node[x->node[to]][1] += is_between * q;
}

static traffic_example draw_traffic(scalay_random *random, int shift)
{
    traffic_example x = {.ranks = {0}};
    for (int p = 0; p < SIDE; p++) {
        x.node[p] = (int)scalay_random_below(random, 3);
        x.ranks[x.node[p]]++;
        x.taker[p] = (p + shift) % SIDE;
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            add_entry(&x, i, j, scalay_random_below(random, 2) * scalay_random_below(random, 100));
    return x;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static scalay_node_move expected_of(const traffic_example *x)
{
    scalay_node_move e = {.is_known = 1};
    for (int p = 0; p < SIDE; p++)
        for (int way = 0; way < 2; way++) {
            e.volume += way == 0 ? x->flow[1][p][0] : 0;
            e.steps = larger(e.steps, x->flow[1][p][way]);
            e.steps_within = larger(e.steps_within, x->flow[0][p][way]);
            e.messages = larger(e.messages, x->messages[1][p][way]);
            e.messages_within = larger(e.messages_within, x->messages[0][p][way]);
            if (x->ranks[p] > 0) e.node_steps = fmax(e.node_steps, (double)x->of_node[p][way] / x->ranks[p]);
        }
    return e;
}

/* Volume, steps and messages between nodes and within them, entry by entry. */
static void moves_between_nodes_are_counted(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(42);
    for (int trial = 0; trial < 200; trial++) {
        const traffic_example x = draw_traffic(&random, trial);
        const scalay_node_move expected = expected_of(&x);
        const scalay_nodes nodes = {SIDE, x.node, NULL};
        scalay_traffic *traffic = NULL;
        scalay_node_move move;
        assert_int_equal(scalay_traffic_from_entries(SIDE, SIDE, SIDE * SIDE, x.process, x.part, x.items, &traffic),
                         SCALAY_SUCCESS);
        assert_int_equal(scalay_node_move_count(traffic, x.taker, &nodes, &move), SCALAY_SUCCESS);
        assert_true(move.is_known && move.volume == expected.volume && move.steps == expected.steps);
        assert_true(move.steps_within == expected.steps_within && move.node_steps == expected.node_steps);
        assert_true(move.messages == expected.messages && move.messages_within == expected.messages_within);
        scalay_traffic_destroy(&traffic);
    }
}

/* Each term: messages and bytes within and between, the busiest process alone or the busiest node. */
static void each_term_of_a_move_is_the_formula(void **state)
{
    (void)state;
    const scalay_move move = {.volume = 300, .steps = 100, .messages = 7, .kept = 50, .processes = 4};
    const scalay_node_move between = {.is_known = 1,
                                      .volume = 100,
                                      .steps = 60,
                                      .messages = 2,
                                      .steps_within = 40,
                                      .messages_within = 5,
                                      .node_steps = 50.0};
    scalay_machine m = {.seconds_per_message = 1.0, .seconds_per_message_within = 0.125};
    assert_true(scalay_model_move_nodes(&m, SCALAY_DOUBLE, &move, &between) == 2.0 + 5 * 0.125);
    m = (scalay_machine){.seconds_per_byte_within = 1.0};
    assert_true(scalay_model_move_nodes(&m, SCALAY_DOUBLE, &move, &between) == 8.0 * 100.0);
    m = (scalay_machine){.seconds_per_byte = 1.0, .seconds_per_byte_within = 1e-300, .processes = 4, .nodes = 2};
    assert_true(scalay_model_move_nodes(&m, SCALAY_DOUBLE, &move, &between) == 8.0 * 60.0);
    m.seconds_per_byte_alone = 0.5;
    assert_true(scalay_model_move_nodes(&m, SCALAY_DOUBLE, &move, &between) == 8.0 * 50.0);
    m = (scalay_machine){.seconds_per_byte_copied = 1.0};
    assert_true(scalay_model_move_nodes(&m, SCALAY_DOUBLE, &move, &between) == 8.0 * 250.0);
    const scalay_node_move unknown = {.is_known = 0};
    m = scalay_machine_typical();
    assert_true(scalay_model_move_nodes(&m, SCALAY_DOUBLE, &move, &unknown) ==
                scalay_model_move(&m, SCALAY_DOUBLE, &move));
}

/* Each of 16 processes on 4 nodes sends a byte to each other one: 12 of 15 bytes come over the link of the node. */
static void moves_among_all_have_a_mean_rate(void **state)
{
    (void)state;
    int node[16];
    double seconds = 0.0;
    scalay_machine m = {.seconds_per_byte = 8.0, .seconds_per_byte_alone = 2.0, .seconds_per_byte_within = 0.5};
    m.processes = 16;
    m.nodes = 4;
    for (int k = 0; k < 16; k++) node[k] = k % 4;
    const scalay_nodes nodes = {16, node, NULL};
    assert_int_equal(scalay_nodes_move_byte(&m, &nodes, &seconds), SCALAY_SUCCESS);
    assert_float_equal(seconds, (12 * 8.0 + 3 * 0.5) / 15, 1e-12);
    for (int k = 0; k < 16; k++) node[k] = 3;
    assert_int_equal(scalay_nodes_move_byte(&m, &nodes, &seconds), SCALAY_SUCCESS);
    assert_float_equal(seconds, 0.5, 1e-12);
    assert_int_equal(scalay_nodes_move_byte(&m, NULL, &seconds), SCALAY_SUCCESS);
    assert_float_equal(seconds, 8.0, 1e-12);
}

/* Nothing but a byte takes time. Panels of Cholesky on 2 x 2 go along rows within nodes. Their transposes go along
   columns between nodes: half of each in one direction, and half in the other. */
static void transposed_panels_use_both_directions(void **state)
{
    (void)state;
    enum { NB = 8, BLOCKS = 16, N = NB * BLOCKS };
    const int node[] = {0, 0, 2, 2};
    const scalay_nodes nodes = {4, node, NULL};
    scalay_machine m = {.seconds_per_byte = 1.0, .seconds_per_byte_within = 1e-300};
    scalay_load_grid grid = {.nprow = 2, .npcol = 2, .mb = NB, .nb = NB};
    scalay_qr_cost cost;
    double bytes = 0.0;
    m.processes = 4;
    m.nodes = 2;
    for (int k = 1; k < BLOCKS; k++) bytes += 8.0 * NB * NB * ((BLOCKS - k + 1) / 2); /* of the busier process column */
    assert_int_equal(scalay_nodes_set_links(&m, &nodes, NULL, &grid), SCALAY_SUCCESS);
    assert_int_equal(scalay_factorization_on_grid(&m, SCALAY_MODEL_CHOLESKY, SCALAY_DOUBLE, N, N, &grid, "test", &cost),
                     SCALAY_SUCCESS);
    assert_float_equal(cost.seconds, 0.5 * bytes, 1e-9 * bytes);
}

static void speeds_follow_the_types(void **state)
{
    (void)state;
    const int node[] = {0, 0, 2, 2}, type[] = {0, 0, 1, 1};
    scalay_machine m = two_types();
    scalay_nodes nodes = {4, node, type};
    scalay_layout *parts = NULL;
    double *speed = NULL;
    assert_int_equal(scalay_layout_block_cyclic(8, 8, 2, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &parts), SCALAY_SUCCESS);
    assert_int_equal(scalay_nodes_speeds(&m, &nodes, parts, &speed), SCALAY_SUCCESS);
    assert_non_null(speed);
    for (int k = 0; k < 4; k++) assert_true(speed[k] == (k < 2 ? 2.0 : 0.5));
    scalay_release(speed);
    m.node_types = 1;
    assert_int_equal(scalay_nodes_speeds(&m, &nodes, parts, &speed), SCALAY_SUCCESS);
    assert_null(speed);
    scalay_layout_destroy(&parts);
}

/* The advised candidate, and its predicted kernel. */
typedef struct {
    char name[64];
    double seconds;
} best_candidate;

static best_candidate advise(const scalay_machine *machine, const int *node, const int *type)
{
    best_candidate found = {"", 0.0};
    scalay_layout *source = NULL;
    scalay_advice *advice = NULL;
    scalay_advice_candidate first;
    scalay_advice_options options = scalay_advice_options_default();
    options.machine = machine;
    options.node = node;
    options.node_type = type;
    options.nprow = options.npcol = 2;
    options.nb = 32;
    options.scalapack_only = 1;
    assert_int_equal(scalay_layout_block_cyclic(900, 900, 7, 7, 4, 1, 0, 0, SCALAY_ROW_MAJOR, &source), SCALAY_SUCCESS);
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_SUCCESS);
    assert_int_equal(scalay_advice_get_candidate(advice, 0, &first), SCALAY_SUCCESS);
    (void)strncpy(found.name, first.name, sizeof found.name - 1);
    found.seconds = first.kernel_seconds;
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
    return found;
}

/* QR has messages for each column along grid columns: they are to share a node. Where a numbering by rows does that,
 * too, it is advised. */
static void advice_puts_columns_on_a_node(void **state)
{
    (void)state;
    const int rows_share[] = {0, 0, 2, 2}, columns_share[] = {0, 2, 0, 2}, two[] = {0, 0, 1, 1};
    scalay_machine m = scalay_machine_typical();
    m.seconds_per_message = 1e-3;
    const best_candidate by_rows = advise(&m, rows_share, NULL), by_columns = advise(&m, columns_share, NULL);
    assert_string_equal(by_rows.name, "columns:2x2:32");
    assert_true(strstr(by_columns.name, "columns") == NULL);
    assert_true(fabs(by_rows.seconds - by_columns.seconds) <= 1e-9 * by_rows.seconds);
    assert_true(advise(&m, NULL, NULL).seconds > 2.0 * by_rows.seconds);
    /* Slow nodes slow all down. */
    scalay_machine unequal = two_types();
    assert_true(advise(&unequal, rows_share, two).seconds > advise(&unequal, rows_share, NULL).seconds);
}

static void bad_nodes_are_refused(void **state)
{
    (void)state;
    const int node[] = {0, 0, 4, 1}, good[] = {0, 0, 1, 1}, type[] = {0, 0, 0, SCALAY_NODE_TYPES};
    scalay_layout *source = NULL;
    scalay_advice *advice = NULL;
    scalay_advice_options options = scalay_advice_options_default();
    assert_int_equal(scalay_layout_block_cyclic(90, 90, 7, 7, 4, 1, 0, 0, SCALAY_ROW_MAJOR, &source), SCALAY_SUCCESS);
    options.node = node;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    options.node = good;
    options.node_type = type;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    options.node = NULL;
    options.node_type = good;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&source);
}

static void slow_links_get_pieces(void **state)
{
    (void)state;
    scalay_machine m = two_types();
    m.seconds_per_message = 30e-6;
    m.seconds_per_byte_copied = 2e-10;
    m.seconds_per_byte = 8e-9; /* 64 KiB take 0.5 ms; a start-up and two copies of them 0.06 ms */
    assert_true(scalay_machine_piece_bytes(&m) > 32768 && scalay_machine_piece_bytes(&m) < 65536);
    m.seconds_per_byte = 2e-9;
    assert_true(scalay_machine_piece_bytes(&m) == INT64_MAX);
    m.seconds_per_byte = 8e-9;
    m.nodes = 1;
    assert_true(scalay_machine_piece_bytes(&m) == INT64_MAX);
}

static void long_messages_follow_their_ratio(void **state)
{
    (void)state;
    scalay_machine m = two_types();
    assert_false(scalay_machine_has_long_messages(&m)); /* not measured */
    m.long_message_ratio = 0.9;
    assert_true(scalay_machine_has_long_messages(&m));
    m.long_message_ratio = 1.1;
    assert_false(scalay_machine_has_long_messages(&m));
    m.long_message_ratio = 0.9;
    m.nodes = 1;
    assert_false(scalay_machine_has_long_messages(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_grids_follow_their_definition),
        cmocka_unit_test(unknown_rates_are_those_of_the_machine),
        cmocka_unit_test(neighbours_on_a_node_are_preferred),
        cmocka_unit_test(moves_between_nodes_are_counted),
        cmocka_unit_test(each_term_of_a_move_is_the_formula),
        cmocka_unit_test(speeds_follow_the_types),
        cmocka_unit_test(slow_links_get_pieces),
        cmocka_unit_test(long_messages_follow_their_ratio),
        cmocka_unit_test(advice_puts_columns_on_a_node),
        cmocka_unit_test(bad_nodes_are_refused),
        cmocka_unit_test(moves_among_all_have_a_mean_rate),
        cmocka_unit_test(transposed_panels_use_both_directions),
    };
    return run_all_tests(tests);
}
