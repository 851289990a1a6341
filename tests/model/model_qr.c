/* The models of QR, LU and Cholesky against sums over all panels and all processes, done the slow way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/factorization.h"
#include "scalay/model.h"

#include "epyc.h"

static scalay_qr_cost cost_of(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int nprow,
                              int npcol, int nb)
{
    scalay_qr_cost cost = {0};
    assert_int_equal(scalay_model_qr(machine, type, m, n, nprow, npcol, nb, &cost), SCALAY_SUCCESS);
    return cost;
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected))) fail_msg("%.17g instead of %.17g", found, expected);
}

/* The most elements out of `extent` that a process holds: dealt out one by one. */
static int64_t most_dealt(int64_t extent, int nb, int processes)
{
    int64_t held[64] = {0}, most = 0;
    for (int64_t i = 0; i < extent; i++) held[i / nb % processes]++;
    for (int p = 0; p < processes; p++) most = held[p] > most ? held[p] : most;
    return most;
}

/* Sums f over all panels; f gets the rows and columns of the busiest process, the width and the grid. */
typedef double (*panel_sum)(double rows, double cols, double width, int nprow, int npcol);

static double over_panels(panel_sum f, int64_t m, int64_t n, int nprow, int npcol, int nb)
{
    double sum = 0.0;
    int64_t reflectors = m < n ? m : n;
    for (int64_t top = 0; top < reflectors; top += nb) {
        int64_t width = reflectors - top < nb ? reflectors - top : nb;
        sum += f((double)most_dealt(m - top, nb, nprow), (double)most_dealt(n - top - width, nb, npcol), (double)width,
                 nprow, npcol);
    }
    return sum;
}

static double update_operations(double rows, double cols, double width, int nprow, int npcol)
{
    (void)nprow;
    (void)npcol;
    return 4.0 * rows * width * cols + width * width * cols;
}

static double elements_sent(double rows, double cols, double width, int nprow, int npcol)
{
    if (cols == 0.0) return 0.0;
    return (npcol > 1 ? rows * width : 0.0) + 2.0 * log2(nprow) * width * cols;
}

static double latencies(double rows, double cols, double width, int nprow, int npcol)
{
    (void)rows;
    return 4.0 * width * log2(nprow) + (cols > 0.0 ? log2(npcol) + 2.0 * log2(nprow) : 0.0);
}

static double elements_touched(double rows, double cols, double width, int nprow, int npcol)
{
    (void)width;
    (void)nprow;
    (void)npcol;
    return 6.0 * rows * cols;
}

static double panel_operations(double rows, double cols, double width, int nprow, int npcol)
{
    (void)cols;
    (void)nprow;
    (void)npcol;
    return 3.0 * rows * width * width;
}

static void each_term_is_the_sum_over_all_panels(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1.0}, byte = {.seconds_per_byte = 1.0};
    const scalay_machine message = {.seconds_per_message = 1.0}, vector = {.seconds_per_flop_vector = 1.0};
    scalay_random random = scalay_random_seed(11);
    for (int k = 0; k < 200; k++) {
        int64_t m = scalay_random_below(&random, 150), n = scalay_random_below(&random, 150);
        int p = 1 + (int)scalay_random_below(&random, 5), q = 1 + (int)scalay_random_below(&random, 5);
        int nb = 1 + (int)scalay_random_below(&random, 20);
        assert_near(cost_of(&flop, SCALAY_DOUBLE, m, n, p, q, nb).seconds,
                    over_panels(update_operations, m, n, p, q, nb), 1e-12);
        assert_near(cost_of(&byte, SCALAY_FLOAT, m, n, p, q, nb).seconds,
                    4.0 * over_panels(elements_sent, m, n, p, q, nb), 1e-12);
        assert_near(cost_of(&message, SCALAY_DOUBLE, m, n, p, q, nb).message_seconds,
                    over_panels(latencies, m, n, p, q, nb), 1e-12);
        assert_near(cost_of(&vector, SCALAY_DOUBLE, m, n, p, q, nb).panel_seconds,
                    over_panels(panel_operations, m, n, p, q, nb), 1e-12);
        assert_near(cost_of(&vector, SCALAY_DOUBLE, m, n, p, q, nb).update_seconds,
                    2.0 * over_panels(elements_touched, m, n, p, q, nb), 1e-12);
    }
}

static double lu_operations(double rows, double cols, double width, int nprow, int npcol)
{
    (void)nprow;
    (void)npcol;
    return 2.0 * rows * width * cols + width * width * cols;
}

static double lu_elements_sent(double rows, double cols, double width, int nprow, int npcol)
{
    return cols > 0.0 && npcol > 1 && nprow == 1 ? rows * width : 0.0;
}

/* Of the rows below the panel: the trailing matrix is square. */
static double cholesky_operations(double rows, double cols, double width, int nprow, int npcol)
{
    (void)rows;
    return nprow == npcol ? width * cols * cols + width * width * cols : 0.0;
}

static double cost_on(scalay_model_kind kind, const scalay_machine *machine, int64_t m, int64_t n,
                      const scalay_load_grid *grid)
{
    scalay_qr_cost cost = {0};
    assert_int_equal(scalay_factorization_on_grid(machine, kind, SCALAY_DOUBLE, m, n, grid, "test", &cost),
                     SCALAY_SUCCESS);
    return cost.seconds;
}

static void lu_and_cholesky_are_sums_over_all_panels(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1.0}, byte = {.seconds_per_byte = 1.0};
    scalay_random random = scalay_random_seed(13);
    for (int k = 0; k < 100; k++) {
        const int64_t m = scalay_random_below(&random, 150), n = scalay_random_below(&random, 150);
        const int p = 1 + (int)scalay_random_below(&random, 5), nb = 1 + (int)scalay_random_below(&random, 20);
        const scalay_load_grid row = {.nprow = 1, .npcol = p, .mb = nb, .nb = nb},
                               square = {.nprow = p, .npcol = p, .mb = nb, .nb = nb};
        assert_near(cost_on(SCALAY_MODEL_LU, &flop, m, n, &row), over_panels(lu_operations, m, n, 1, p, nb), 1e-12);
        assert_near(cost_on(SCALAY_MODEL_LU, &byte, m, n, &row), 8.0 * over_panels(lu_elements_sent, m, n, 1, p, nb),
                    1e-12);
        assert_near(cost_on(SCALAY_MODEL_CHOLESKY, &flop, n, n, &square),
                    over_panels(cholesky_operations, n, n, p, p, nb), 1e-12);
    }
}

/* The transposed panel of Cholesky is combined along a grid column, on log2 q levels, and broadcast. */
static void transposed_panels_are_combined_on_all_levels(void **state)
{
    (void)state;
    enum { N = 96, NB = 8 };
    const scalay_machine byte = {.seconds_per_byte = 1.0};
    double elements = 0.0;
    for (int left = N - NB; left > 0; left -= NB) elements += (double)left * NB;
    for (int levels = 0; levels <= 4; levels++) {
        const scalay_load_grid column = {.nprow = 1 << levels, .npcol = 1, .mb = NB, .nb = NB};
        assert_near(cost_on(SCALAY_MODEL_CHOLESKY, &byte, N, N, &column), 2.0 * levels * 8.0 * elements, 1e-12);
    }
}

/* Agreements on messages above 4 KiB: along the row, a panel for each of the 31 that leave columns; along the column,
 * the sum and the broadcast of W, the rows of U and each interchange, and the transposed panel and its broadcast.
 * Messages of a matrix of order 16 are smaller. */
static void large_messages_of_panels_start_later(void **state)
{
    (void)state;
    const double expected[][2] = {[SCALAY_MODEL_QR] = {31.0, 62.0},
                                  [SCALAY_MODEL_LU] = {31.0, 31.0 * 33.0},
                                  [SCALAY_MODEL_CHOLESKY] = {31.0, 62.0}};
    const scalay_load_grid grids[] = {{.nprow = 1, .npcol = 2, .mb = 32, .nb = 32},
                                      {.nprow = 2, .npcol = 1, .mb = 32, .nb = 32},
                                      {.nprow = 1, .npcol = 2, .mb = 8, .nb = 8},
                                      {.nprow = 2, .npcol = 1, .mb = 8, .nb = 8}};
    const scalay_machine eager = scalay_machine_typical();
    scalay_machine large = eager;
    large.seconds_per_large_message = large.seconds_per_message + 1.0;
    for (int kind = SCALAY_MODEL_QR; kind <= SCALAY_MODEL_CHOLESKY; kind++)
        for (int k = 0; k < 4; k++) {
            const int64_t n = k < 2 ? 1024 : 16;
            const double later = cost_on((scalay_model_kind)kind, &large, n, n, &grids[k]) -
                                 cost_on((scalay_model_kind)kind, &eager, n, n, &grids[k]);
            assert_near(later, k < 2 ? expected[kind][k] : 0.0, 1e-9);
        }
}

/* With measured curves: a machine whose every rate is half as fast takes twice as long. */
static void measured_machines_scale(void **state)
{
    (void)state;
    scalay_machine one = scalay_machine_typical();
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) one.gemm_curve[k] = 1e-10 + 1e-9 / (1 << k);
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) one.vector_curve[k] = 1e-10 * (k + 1);
    scalay_machine two = one;
    double *const rates[] = {&two.seconds_per_flop, &two.seconds_per_flop_vector, &two.seconds_per_message,
                             &two.seconds_per_byte, &two.seconds_per_byte_copied};
    for (int k = 0; k < 5; k++) *rates[k] *= 2.0;
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) two.gemm_curve[k] *= 2.0;
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) two.vector_curve[k] *= 2.0;
    const scalay_load_grid grid = {.nprow = 2, .npcol = 3, .mb = 16, .nb = 16};
    for (int kind = SCALAY_MODEL_QR; kind <= SCALAY_MODEL_CHOLESKY; kind++) {
        const double first = cost_on((scalay_model_kind)kind, &one, 300, 300, &grid);
        assert_true(first > 0.0);
        assert_near(cost_on((scalay_model_kind)kind, &two, 300, 300, &grid), 2.0 * first, 1e-12);
    }
}

static void one_process_does_the_operations_of_the_textbook(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1.0};
    const int64_t shapes[][2] = {{2000, 2000}, {6000, 1000}, {1000, 6000}};
    for (int k = 0; k < 3; k++) {
        double m = (double)shapes[k][0], n = (double)shapes[k][1];
        double textbook = m >= n ? 2.0 * n * n * (m - n / 3.0) : 2.0 * m * m * (n - m / 3.0);
        scalay_qr_cost cost = cost_of(&flop, SCALAY_DOUBLE, shapes[k][0], shapes[k][1], 1, 1, 8);
        assert_near(cost.flops, textbook, 1e-14);
        assert_near(cost.seconds, textbook, 0.02);
    }
}

static void sampled_panels_tell_the_sum(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1.0};
    assert_near(cost_of(&flop, SCALAY_DOUBLE, 3000, 3000, 2, 3, 4).seconds,
                over_panels(update_operations, 3000, 3000, 2, 3, 4), 0.005);
}

static void complex_counts_four_and_single_half(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1e-9};
    double d = cost_of(&flop, SCALAY_DOUBLE, 500, 400, 2, 2, 16).seconds;
    assert_near(cost_of(&flop, SCALAY_COMPLEX_DOUBLE, 500, 400, 2, 2, 16).seconds, 4.0 * d, 1e-12);
    assert_near(cost_of(&flop, SCALAY_FLOAT, 500, 400, 2, 2, 16).seconds, 0.5 * d, 1e-12);
    assert_near(cost_of(&flop, SCALAY_COMPLEX_FLOAT, 500, 400, 2, 2, 16).seconds, 2.0 * d, 1e-12);
    assert_near(cost_of(NULL, SCALAY_COMPLEX_FLOAT, 500, 400, 2, 2, 16).flops,
                4.0 * cost_of(NULL, SCALAY_FLOAT, 500, 400, 2, 2, 16).flops, 1e-12);
}

static void a_machine_half_as_fast_takes_twice_as_long(void **state)
{
    (void)state;
    scalay_machine slow = scalay_machine_typical();
    slow.seconds_per_flop *= 2.0;
    slow.seconds_per_flop_vector *= 2.0;
    slow.seconds_per_message *= 2.0;
    slow.seconds_per_byte *= 2.0;
    assert_near(cost_of(&slow, SCALAY_DOUBLE, 777, 555, 3, 2, 24).seconds,
                2.0 * cost_of(NULL, SCALAY_DOUBLE, 777, 555, 3, 2, 24).seconds, 1e-12);
}

static void a_larger_matrix_never_takes_less(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(12);
    for (int k = 0; k < 300; k++) {
        int p = 1 + (int)scalay_random_below(&random, 8), q = 1 + (int)scalay_random_below(&random, 8);
        int nb = 1 + (int)scalay_random_below(&random, 40);
        int64_t n = scalay_random_below(&random, 300), m = n + scalay_random_below(&random, 300);
        double now = cost_of(NULL, SCALAY_DOUBLE, m, n, p, q, nb).seconds;
        assert_true(cost_of(NULL, SCALAY_DOUBLE, m + 1, n, p, q, nb).seconds >= now);
        assert_true(cost_of(NULL, SCALAY_DOUBLE, m + nb, n + nb, p, q, nb).seconds >= now);
    }
}

static void the_balance_is_between_serial_and_perfect(void **state)
{
    (void)state;
    for (int p = 1; p <= 6; p++)
        for (int q = 1; q <= 6; q++) {
            double balance = cost_of(NULL, SCALAY_DOUBLE, 200, 200, p, q, 16).balance;
            assert_true(balance <= 1.0 + 1e-12 && balance >= 1.0 / (p * q) - 1e-12);
        }
    assert_near(cost_of(NULL, SCALAY_DOUBLE, 200, 200, 1, 1, 16).balance, 1.0, 1e-12);
    assert_near(cost_of(NULL, SCALAY_DOUBLE, 16, 32, 3, 1, 16).balance, 1.0 / 3.0, 1e-12);
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    assert_true(cost_of(NULL, SCALAY_DOUBLE, 0, 10, 2, 2, 8).seconds == 0.0);
    assert_true(cost_of(NULL, SCALAY_DOUBLE, 10, 0, 2, 2, 8).seconds == 0.0);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    scalay_qr_cost cost;
    scalay_machine bad = scalay_machine_typical();
    bad.seconds_per_byte = NAN;
    assert_int_equal(scalay_model_qr(&bad, SCALAY_DOUBLE, 1, 1, 1, 1, 1, &cost), SCALAY_ERROR_ARGUMENT);
    bad.seconds_per_byte = -1.0;
    assert_int_equal(scalay_model_qr(&bad, SCALAY_DOUBLE, 1, 1, 1, 1, 1, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr(NULL, SCALAY_INT, 1, 1, 1, 1, 1, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr(NULL, SCALAY_DOUBLE, -1, 1, 1, 1, 1, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr(NULL, SCALAY_DOUBLE, 1, -1, 1, 1, 1, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr(NULL, SCALAY_DOUBLE, 1, 1, 0, 1, 1, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr(NULL, SCALAY_DOUBLE, 1, 1, 1, 0, 1, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr(NULL, SCALAY_DOUBLE, 1, 1, 1, 1, 0, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr(NULL, SCALAY_DOUBLE, 1, 1, 1, 1, 1, NULL), SCALAY_ERROR_ARGUMENT);
}

/* Each element of an interchanged row of the panel then takes a cache line, and not its own bytes. */
static void columns_that_compete_for_cache_sets_cost_lines(void **state)
{
    (void)state;
    scalay_machine machine = scalay_machine_typical();
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] = 1e-10;
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) machine.vector_curve[k] = 1e-9;
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) machine.copy_curve[k] = 1e-10;
    const struct {
        scalay_type type;
        int n, size, competes;
    } cases[] = {{SCALAY_DOUBLE, 1024, 8, 1},        {SCALAY_DOUBLE, 1000, 8, 0}, {SCALAY_FLOAT, 192, 4, 0},
                 {SCALAY_COMPLEX_DOUBLE, 96, 16, 1}, {SCALAY_DOUBLE, 96, 8, 0},   {SCALAY_FLOAT, 128, 4, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int n = cases[k].n;
        scalay_load_grid grid = {.nprow = 1, .npcol = 1, .mb = 8, .nb = 8};
        scalay_qr_cost near, spread;
        assert_int_equal(
            scalay_factorization_on_grid(&machine, SCALAY_MODEL_LU, cases[k].type, n, n, &grid, "test", &near),
            SCALAY_SUCCESS);
        grid.is_spread = 1;
        assert_int_equal(
            scalay_factorization_on_grid(&machine, SCALAY_MODEL_LU, cases[k].type, n, n, &grid, "test", &spread),
            SCALAY_SUCCESS);
        const double more = cases[k].competes ? (64.0 - cases[k].size) * n * n * 1e-10 : 0.0;
        assert_true(fabs(near.seconds - spread.seconds - more) <= 1e-12 * near.seconds);
    }
}

/* Rows of all panels of 4 that are interchanged within a process: its share of the rows below the top of the panel. */
static double rows_at_home(int n, int nprow)
{
    double sum = 0.0;
    for (int rows = n; rows > 0; rows -= 4) sum += 4.0 * ((rows / 4 + nprow - 1) / nprow * 4) / rows;
    return sum;
}

/* Interchanges of columns that compete take what exchanged rows take at the power of two of their distance, others what
 * rows of 64 take. Rows of other processes are exchanged in three messages, besides the three of each column and that
 * of the rows of U of each panel. */
static void interchanges_take_the_time_of_exchanged_rows(void **state)
{
    (void)state;
    scalay_machine machine = scalay_machine_typical();
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] = 1e-10;
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) machine.vector_curve[k] = 1e-9;
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) machine.copy_curve[k] = 1e-10;
    scalay_machine free = machine;
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++) machine.swap_curve[k] = (1.0 + k) * 1e-6;
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++) free.swap_curve[k] = 1e-30;
    scalay_machine slow = free;
    slow.seconds_per_message += 1.0;
    const struct {
        int n, nprow, npcol;
        double point; /* of the curve */
    } cases[] = {{64, 1, 1, 1.0},   {128, 1, 1, 2.0},  {1024, 1, 1, 5.0}, {192, 1, 1, 1.0}, {384, 1, 1, 2.0},
                 {1000, 1, 1, 1.0}, {1024, 1, 2, 5.0}, {1024, 2, 1, 4.0}, {1000, 2, 1, 1.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int n = cases[k].n;
        const scalay_load_grid grid = {.nprow = cases[k].nprow, .npcol = cases[k].npcol, .mb = 4, .nb = 4};
        const double home = rows_at_home(n, cases[k].nprow), seconds = cost_on(SCALAY_MODEL_LU, &free, n, n, &grid);
        assert_near(cost_on(SCALAY_MODEL_LU, &machine, n, n, &grid) - seconds,
                    cases[k].point * 1e-6 * n * home / cases[k].npcol, 1e-6);
        if (cases[k].nprow == 2)
            assert_near(cost_on(SCALAY_MODEL_LU, &slow, n, n, &grid) - seconds, 3.0 * n + 3.0 * (n - home) + n / 4 - 1,
                        1e-6);
    }
}

/* Seconds of p?potrf and p?getrf in doubles of order n: the least of the medians of up to four runs. */
static const struct {
    scalay_model_kind kind;
    int n, nprow, npcol, nb;
    double seconds;
} measured[] = {{SCALAY_MODEL_CHOLESKY, 256, 1, 2, 1, 0.005827},   {SCALAY_MODEL_CHOLESKY, 256, 2, 1, 1, 0.00575},
                {SCALAY_MODEL_CHOLESKY, 256, 1, 2, 8, 0.0003961},  {SCALAY_MODEL_CHOLESKY, 256, 2, 1, 8, 0.0009124},
                {SCALAY_MODEL_CHOLESKY, 256, 1, 2, 16, 0.0002859}, {SCALAY_MODEL_CHOLESKY, 256, 2, 1, 16, 0.0008509},
                {SCALAY_MODEL_CHOLESKY, 256, 1, 2, 64, 0.0002906}, {SCALAY_MODEL_CHOLESKY, 256, 2, 1, 64, 0.00023},
                {SCALAY_MODEL_CHOLESKY, 1024, 1, 2, 1, 0.08491},   {SCALAY_MODEL_CHOLESKY, 1024, 2, 1, 1, 0.1183},
                {SCALAY_MODEL_CHOLESKY, 1024, 1, 2, 8, 0.007596},  {SCALAY_MODEL_CHOLESKY, 1024, 2, 1, 8, 0.02005},
                {SCALAY_MODEL_CHOLESKY, 1024, 1, 2, 16, 0.006074}, {SCALAY_MODEL_CHOLESKY, 1024, 2, 1, 16, 0.01626},
                {SCALAY_MODEL_CHOLESKY, 1024, 1, 2, 64, 0.006278}, {SCALAY_MODEL_CHOLESKY, 1024, 2, 1, 64, 0.007366},
                {SCALAY_MODEL_CHOLESKY, 1024, 1, 2, 256, 0.0101},  {SCALAY_MODEL_CHOLESKY, 1024, 2, 1, 256, 0.009814},
                {SCALAY_MODEL_CHOLESKY, 2048, 1, 2, 1, 0.4153},    {SCALAY_MODEL_CHOLESKY, 2048, 2, 1, 1, 0.7543},
                {SCALAY_MODEL_CHOLESKY, 2048, 1, 2, 8, 0.04928},   {SCALAY_MODEL_CHOLESKY, 2048, 2, 1, 8, 0.1265},
                {SCALAY_MODEL_CHOLESKY, 2048, 1, 2, 16, 0.04005},  {SCALAY_MODEL_CHOLESKY, 2048, 2, 1, 16, 0.1104},
                {SCALAY_MODEL_CHOLESKY, 2048, 1, 2, 64, 0.04077},  {SCALAY_MODEL_CHOLESKY, 2048, 2, 1, 64, 0.056},
                {SCALAY_MODEL_CHOLESKY, 2048, 1, 2, 256, 0.05684}, {SCALAY_MODEL_CHOLESKY, 2048, 2, 1, 256, 0.0609},
                {SCALAY_MODEL_LU, 256, 1, 2, 1, 0.001526},         {SCALAY_MODEL_LU, 256, 2, 1, 1, 0.00218},
                {SCALAY_MODEL_LU, 256, 1, 2, 8, 0.0006819},        {SCALAY_MODEL_LU, 256, 2, 1, 8, 0.001738},
                {SCALAY_MODEL_LU, 256, 1, 2, 16, 0.0006386},       {SCALAY_MODEL_LU, 256, 2, 1, 16, 0.001713},
                {SCALAY_MODEL_LU, 256, 1, 2, 64, 0.0008949},       {SCALAY_MODEL_LU, 256, 2, 1, 64, 0.001782},
                {SCALAY_MODEL_LU, 1024, 1, 2, 1, 0.06866},         {SCALAY_MODEL_LU, 1024, 2, 1, 1, 0.07223},
                {SCALAY_MODEL_LU, 1024, 1, 2, 8, 0.01981},         {SCALAY_MODEL_LU, 1024, 2, 1, 8, 0.03336},
                {SCALAY_MODEL_LU, 1024, 1, 2, 16, 0.01811},        {SCALAY_MODEL_LU, 1024, 2, 1, 16, 0.03116},
                {SCALAY_MODEL_LU, 1024, 1, 2, 64, 0.02349},        {SCALAY_MODEL_LU, 1024, 2, 1, 64, 0.03183},
                {SCALAY_MODEL_LU, 1024, 1, 2, 256, 0.03467},       {SCALAY_MODEL_LU, 1024, 2, 1, 256, 0.0372},
                {SCALAY_MODEL_LU, 2048, 1, 2, 1, 1.127},           {SCALAY_MODEL_LU, 2048, 2, 1, 1, 1.166},
                {SCALAY_MODEL_LU, 2048, 1, 2, 8, 0.1707},          {SCALAY_MODEL_LU, 2048, 2, 1, 8, 0.2308},
                {SCALAY_MODEL_LU, 2048, 1, 2, 16, 0.1382},         {SCALAY_MODEL_LU, 2048, 2, 1, 16, 0.194},
                {SCALAY_MODEL_LU, 2048, 1, 2, 64, 0.1281},         {SCALAY_MODEL_LU, 2048, 2, 1, 64, 0.1779},
                {SCALAY_MODEL_LU, 2048, 1, 2, 256, 0.2032},        {SCALAY_MODEL_LU, 2048, 2, 1, 256, 0.2186}};

static void predictions_are_near_what_was_measured(void **state)
{
    (void)state;
    enum { MEASURED = sizeof measured / sizeof *measured };
    int within = 0;
    for (int k = 0; k < MEASURED; k++) {
        const int64_t n = measured[k].n;
        const scalay_load_grid grid = {
            .nprow = measured[k].nprow, .npcol = measured[k].npcol, .mb = measured[k].nb, .nb = measured[k].nb};
        const double ratio = cost_on(measured[k].kind, &measured_machine, n, n, &grid) / measured[k].seconds;
        within += ratio > 1.0 / 1.3 && ratio < 1.3;
        if (!(ratio > 0.7 && ratio < 1.4)) fail_msg("case %d: %g of what was measured", k, ratio);
    }
    if (within < MEASURED * 9 / 10) fail_msg("%d of %d", within, MEASURED);
}

/* Seconds of other types and shapes: medians of .3 to .8 s of calls. Tall matrices show what a norm takes, and complex
 * ones that level 2 takes as long as the bytes say. */
static const struct {
    scalay_model_kind kind;
    scalay_type type;
    int m, n, nprow, npcol, nb;
    double seconds;
} others[] = {{SCALAY_MODEL_QR, SCALAY_DOUBLE, 8192, 64, 1, 2, 32, 0.007138},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 8192, 64, 2, 1, 32, 0.003679},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 8192, 64, 1, 2, 64, 0.008429},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 8192, 64, 2, 1, 64, 0.004325},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 8192, 128, 2, 1, 32, 0.009177},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 8192, 256, 2, 1, 64, 0.02922},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 64, 64, 1, 2, 8, 8.26e-05},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 64, 64, 2, 1, 32, 0.0002098},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 256, 256, 1, 2, 64, 0.001154},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 256, 256, 2, 1, 64, 0.001748},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 1024, 1024, 1, 2, 8, 0.0286},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 1024, 1024, 2, 1, 8, 0.03194},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 1024, 1024, 1, 2, 64, 0.02859},
              {SCALAY_MODEL_QR, SCALAY_DOUBLE, 1024, 1024, 2, 1, 64, 0.02845},
              {SCALAY_MODEL_QR, SCALAY_FLOAT, 384, 384, 1, 2, 32, 0.001607},
              {SCALAY_MODEL_QR, SCALAY_FLOAT, 768, 768, 1, 2, 32, 0.007443},
              {SCALAY_MODEL_QR, SCALAY_COMPLEX_FLOAT, 768, 768, 1, 2, 32, 0.01981},
              {SCALAY_MODEL_QR, SCALAY_COMPLEX_DOUBLE, 384, 384, 1, 2, 32, 0.005919},
              {SCALAY_MODEL_QR, SCALAY_COMPLEX_DOUBLE, 768, 768, 2, 1, 32, 0.03627},
              {SCALAY_MODEL_LU, SCALAY_COMPLEX_FLOAT, 384, 384, 1, 2, 32, 0.00203},
              {SCALAY_MODEL_LU, SCALAY_COMPLEX_FLOAT, 768, 768, 2, 1, 32, 0.01534},
              {SCALAY_MODEL_LU, SCALAY_COMPLEX_DOUBLE, 384, 384, 1, 2, 32, 0.003399},
              {SCALAY_MODEL_LU, SCALAY_COMPLEX_DOUBLE, 384, 384, 2, 1, 32, 0.005318},
              {SCALAY_MODEL_LU, SCALAY_COMPLEX_DOUBLE, 768, 768, 1, 2, 32, 0.02165},
              {SCALAY_MODEL_LU, SCALAY_COMPLEX_DOUBLE, 768, 768, 2, 1, 32, 0.0256},
              {SCALAY_MODEL_CHOLESKY, SCALAY_COMPLEX_FLOAT, 768, 768, 1, 2, 32, 0.004833},
              {SCALAY_MODEL_CHOLESKY, SCALAY_COMPLEX_DOUBLE, 768, 768, 1, 2, 32, 0.00892},
              {SCALAY_MODEL_CHOLESKY, SCALAY_COMPLEX_DOUBLE, 768, 768, 2, 1, 32, 0.01153}};

static void types_and_shapes_are_near_what_was_measured(void **state)
{
    (void)state;
    for (int k = 0; k < (int)(sizeof others / sizeof *others); k++) {
        scalay_qr_cost cost = {0};
        const scalay_load_grid grid = {
            .nprow = others[k].nprow, .npcol = others[k].npcol, .mb = others[k].nb, .nb = others[k].nb};
        assert_int_equal(scalay_factorization_on_grid(&measured_machine, others[k].kind, others[k].type, others[k].m,
                                                      others[k].n, &grid, __func__, &cost),
                         SCALAY_SUCCESS);
        const double ratio = cost.seconds / others[k].seconds;
        if (!(ratio > 1.0 / 1.3 && ratio < 1.3)) fail_msg("case %d: %g of what was measured", k, ratio);
    }
}

/* p?syrk sends 32 rows of a panel in a message along a single grid column, and gathers them before if they are of
 * several blocks. */
static void strips_of_cholesky_are_messages(void **state)
{
    (void)state;
    enum { N = 256 };
    scalay_machine slow = measured_machine;
    slow.seconds_per_message += 1.0;
    slow.seconds_per_large_message += 1.0;
    for (int nb = 8; nb <= 64; nb *= 2) {
        const scalay_load_grid grid = {.nprow = 2, .npcol = 1, .mb = nb, .nb = nb};
        double messages = 0.0;
        for (int left = N - nb; left > 0; left -= nb) messages += (nb < 32 ? 2.0 : 1.0) * ((left + 31) / 32);
        assert_near(cost_on(SCALAY_MODEL_CHOLESKY, &slow, N, N, &grid) -
                        cost_on(SCALAY_MODEL_CHOLESKY, &measured_machine, N, N, &grid),
                    messages, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_term_is_the_sum_over_all_panels),
        cmocka_unit_test(one_process_does_the_operations_of_the_textbook),
        cmocka_unit_test(sampled_panels_tell_the_sum),
        cmocka_unit_test(complex_counts_four_and_single_half),
        cmocka_unit_test(lu_and_cholesky_are_sums_over_all_panels),
        cmocka_unit_test(transposed_panels_are_combined_on_all_levels),
        cmocka_unit_test(large_messages_of_panels_start_later),
        cmocka_unit_test(measured_machines_scale),
        cmocka_unit_test(a_machine_half_as_fast_takes_twice_as_long),
        cmocka_unit_test(a_larger_matrix_never_takes_less),
        cmocka_unit_test(the_balance_is_between_serial_and_perfect),
        cmocka_unit_test(columns_that_compete_for_cache_sets_cost_lines),
        cmocka_unit_test(interchanges_take_the_time_of_exchanged_rows),
        cmocka_unit_test(predictions_are_near_what_was_measured),
        cmocka_unit_test(types_and_shapes_are_near_what_was_measured),
        cmocka_unit_test(strips_of_cholesky_are_messages),
        cmocka_unit_test(nothing_costs_nothing),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
