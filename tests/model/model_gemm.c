/* The multiplication's model, processes that differ and cores that are shared, against sums done the slow way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/machine.h"
#include "scalay/model.h"

enum { MOST = 6 };

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected))) fail_msg("%.17g instead of %.17g", found, expected);
}

/* The elements of rows x cols, the first block's process being (top, left), dealt out one by one. */
static void deal(int64_t rows, int64_t cols, int nb, int p, int q, int64_t top, int64_t left, double held[MOST][MOST])
{
    memset(held, 0, MOST * sizeof held[0]);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) held[(i / nb + top) % p][(j / nb + left) % q] += 1.0;
}

/* The most of held over speed, and the sum of them. */
static double most_work(double held[MOST][MOST], int p, int q, const double *speed, double *sum)
{
    double most = 0.0;
    *sum = 0.0;
    for (int r = 0; r < p; r++)
        for (int c = 0; c < q; c++) {
            most = fmax(most, held[r][c] / speed[r * q + c]);
            *sum += held[r][c] / speed[r * q + c];
        }
    return most;
}

static void products_take_what_the_slowest_process_needs(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1.0};
    scalay_random random = scalay_random_seed(5);
    for (int t = 0; t < 300; t++) {
        int64_t m = scalay_random_below(&random, 60), n = scalay_random_below(&random, 60);
        int64_t k = scalay_random_below(&random, 60);
        int p = 1 + (int)scalay_random_below(&random, MOST), q = 1 + (int)scalay_random_below(&random, MOST);
        int nb = 1 + (int)scalay_random_below(&random, 9);
        double speed[MOST * MOST], held[MOST][MOST], sum = 0.0;
        for (int s = 0; s < MOST * MOST; s++) speed[s] = 0.25 + scalay_random_unit(&random);
        deal(m, n, nb, p, q, 0, 0, held);
        scalay_gemm_cost cost;
        assert_int_equal(scalay_model_gemm(&flop, SCALAY_DOUBLE, m, n, k, p, q, nb, speed, &cost), SCALAY_SUCCESS);
        assert_near(cost.seconds, 2.0 * (double)k * most_work(held, p, q, speed, &sum));
        assert_near(cost.flops, 2.0 * (double)(m * n * k));
        assert_true(cost.balance > 0.0 && cost.balance <= 1.0 + 1e-12);
        for (int s = 0; s < MOST * MOST; s++) speed[s] = 2.0;
        assert_int_equal(scalay_model_gemm(&flop, SCALAY_DOUBLE, m, n, k, p, q, nb, speed, &cost), SCALAY_SUCCESS);
        scalay_gemm_cost same;
        assert_int_equal(scalay_model_gemm(&flop, SCALAY_DOUBLE, m, n, k, p, q, nb, NULL, &same), SCALAY_SUCCESS);
        assert_near(2.0 * cost.seconds, same.seconds);
    }
}

static void panels_go_along_rows_and_columns(void **state)
{
    (void)state;
    const scalay_machine byte = {.seconds_per_byte = 1.0}, message = {.seconds_per_message = 1.0};
    scalay_gemm_cost cost;
    /* 2 x 4 processes: 16 of 32 rows of A and 8 of 32 columns of B, 32 deep; one panel, 2 + 1 levels. */
    assert_int_equal(scalay_model_gemm(&byte, SCALAY_DOUBLE, 32, 32, 32, 2, 4, 4, NULL, &cost), SCALAY_SUCCESS);
    assert_near(cost.seconds, 8.0 * 32.0 * (16.0 + 8.0));
    assert_int_equal(scalay_model_gemm(&message, SCALAY_DOUBLE, 32, 32, 320, 2, 4, 4, NULL, &cost), SCALAY_SUCCESS);
    assert_near(cost.seconds, 10.0 * 3.0);
    assert_int_equal(scalay_model_gemm(&message, SCALAY_DOUBLE, 32, 32, 320, 1, 1, 4, NULL, &cost), SCALAY_SUCCESS);
    assert_true(cost.seconds == 0.0);
}

/* QR with speeds, panel by panel. */
static double slow_qr(int64_t m, int64_t n, int p, int q, int nb, const double *speed)
{
    double seconds = 0.0, sum = 0.0, held[MOST][MOST];
    for (int64_t top = 0, at = 0; top < (m < n ? m : n); top += nb, at++) {
        int64_t width = (m < n ? m : n) - top < nb ? (m < n ? m : n) - top : nb;
        deal(m - top, n - top - width, nb, p, q, at, at + 1, held);
        double most = most_work(held, p, q, speed, &sum);
        int64_t rows = (m - top) / nb / p * nb, blocks = (m - top) / nb % p;
        rows += blocks > 0 ? nb : (m - top) % nb;
        seconds += 4.0 * (double)width * most + (rows > 0 ? (double)(width * width) * most / (double)rows : 0.0);
    }
    return seconds;
}

static void factorisations_wait_for_the_slowest_process(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1.0};
    scalay_random random = scalay_random_seed(6);
    for (int t = 0; t < 100; t++) {
        int64_t m = scalay_random_below(&random, 60), n = scalay_random_below(&random, 60);
        int p = 1 + (int)scalay_random_below(&random, MOST), q = 1 + (int)scalay_random_below(&random, MOST);
        int nb = 1 + (int)scalay_random_below(&random, 9);
        double speed[MOST * MOST];
        for (int s = 0; s < MOST * MOST; s++) speed[s] = 0.25 + scalay_random_unit(&random);
        scalay_qr_cost cost;
        assert_int_equal(scalay_model_qr_speeds(&flop, SCALAY_DOUBLE, m, n, p, q, nb, speed, &cost), SCALAY_SUCCESS);
        assert_near(cost.seconds, slow_qr(m, n, p, q, nb, speed));
    }
}

/* What taking turns on a core costs. */
#define TURNS 1.25

static void shared_cores_are_shared(void **state)
{
    (void)state;
    /* Eight processes on two cores: the rates are those of a quarter of a core. */
    const scalay_machine machine = {.seconds_per_flop = 1.0, .solo_time_ratio = 0.25, .processes = 8};
    const scalay_machine stepping = {
        .seconds_per_flop = 1.0, .solo_time_ratio = 0.25, .ring_slowdown = 1.5, .processes = 8};
    const double total = 2.0 * 64 * 64 * 64;
    scalay_gemm_cost cost;
    const struct {
        int p, q;
        double expected;
    } cases[] = {{1, 1, total / 4},
                 {1, 2, total / 8},
                 {2, 2, TURNS * total / 8},
                 {2, 4, TURNS * total / 8},
                 {1, 8, TURNS * total / 8}};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 64, 64, 64, cases[k].p, cases[k].q, 8, NULL, &cost),
                         SCALAY_SUCCESS);
        assert_near(cost.seconds, cases[k].expected);
        assert_int_equal(
            scalay_model_gemm(&stepping, SCALAY_DOUBLE, 64, 64, 64, cases[k].p, cases[k].q, 8, NULL, &cost),
            SCALAY_SUCCESS);
        /* Two run at once: of a panel that goes round four, half of lockstep's share 3/4 is missing. */
        const double factor = k < 3 ? 1.0 : k == 3 ? 1.0 + 0.5 * (0.5 / 0.75) : 1.5;
        assert_near(cost.seconds, factor * cases[k].expected);
    }
}

static void an_odd_process_shares_a_core_alone(void **state)
{
    (void)state;
    /* On two cores three processes take as long as four of the same share would, however `alone` was measured. */
    scalay_machine machine = {.seconds_per_flop = 1.0, .solo_time_ratio = 0.25, .processes = 8};
    const double total = 2.0 * 96 * 96 * 96;
    scalay_gemm_cost cost;
    for (int at_once = 0; at_once <= 2; at_once += 2) {
        machine.concurrent_processes = at_once;
        assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 96, 96, 96, 1, 3, 8, NULL, &cost), SCALAY_SUCCESS);
        assert_near(cost.seconds, 2.0 * 0.25 * total / 3.0);
        assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 96, 96, 96, 1, 4, 8, NULL, &cost), SCALAY_SUCCESS);
        assert_near(cost.seconds, TURNS * 2.0 * 0.25 * total / 4.0);
    }
    /* Sixteen, on four cores then: half of the time of eight on two. Of one process on its core, too. */
    scalay_gemm_cost half;
    assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 96, 96, 96, 2, 4, 8, NULL, &cost), SCALAY_SUCCESS);
    assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 96, 96, 96, 4, 4, 8, NULL, &half), SCALAY_SUCCESS);
    assert_near(half.seconds, 0.5 * cost.seconds);
    machine = (scalay_machine){.seconds_per_flop = 1.0,
                               .solo_time_ratio = 1.0,
                               .ring_slowdown = 1.5,
                               .processes = 1,
                               .concurrent_processes = 1};
    assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 96, 96, 96, 2, 2, 8, NULL, &cost), SCALAY_SUCCESS);
    assert_near(cost.seconds, total / 4.0);
    /* Waiting that costs something does not make a third core. */
    machine =
        (scalay_machine){.seconds_per_flop = 1.0, .solo_time_ratio = 0.35, .processes = 8, .concurrent_processes = 2};
    assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 96, 96, 96, 1, 3, 8, NULL, &cost), SCALAY_SUCCESS);
    assert_near(cost.seconds, 2.0 * 0.35 * total / 3.0);
}

static void columns_that_meet_in_the_caches_cost_more(void **state)
{
    (void)state;
    const scalay_machine flop = {.seconds_per_flop = 1.0};
    scalay_gemm_cost cost;
    const struct {
        scalay_type type;
        int64_t rows;
        double factor;
    } cases[] = {{SCALAY_DOUBLE, 1024, 1.2},
                 {SCALAY_DOUBLE, 1040, 1.0},
                 {SCALAY_FLOAT, 1024, 0.5 * 1.2},
                 {SCALAY_FLOAT, 512, 0.5}};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(scalay_model_gemm(&flop, cases[k].type, cases[k].rows, 10, 10, 1, 1, 8, NULL, &cost),
                         SCALAY_SUCCESS);
        assert_near(cost.seconds, cases[k].factor * 2.0 * (double)cases[k].rows * 100.0);
    }
}

static void nonsense_is_an_error(void **state)
{
    (void)state;
    scalay_gemm_cost cost;
    const double bad[] = {1.0, 0.0};
    const scalay_machine wrong = {.seconds_per_flop = -1.0}, faster = {.solo_time_ratio = 1.5},
                         none = {.concurrent_processes = -1};
    assert_int_equal(scalay_model_gemm(NULL, SCALAY_DOUBLE, 1, 1, 1, 1, 1, 1, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_gemm(NULL, SCALAY_INT, 1, 1, 1, 1, 1, 1, NULL, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_gemm(NULL, SCALAY_DOUBLE, 1, 1, -1, 1, 1, 1, NULL, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_gemm(NULL, SCALAY_DOUBLE, 1, 1, 1, 0, 1, 1, NULL, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_gemm(&wrong, SCALAY_DOUBLE, 1, 1, 1, 1, 1, 1, NULL, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_gemm(&faster, SCALAY_DOUBLE, 1, 1, 1, 1, 1, 1, NULL, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_gemm(&none, SCALAY_DOUBLE, 1, 1, 1, 1, 1, 1, NULL, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_gemm(NULL, SCALAY_DOUBLE, 1, 1, 1, 1, 2, 1, bad, &cost), SCALAY_ERROR_ARGUMENT);
    assert_non_null(strstr(scalay_error_message(), "speed[1] is 0"));
}

/* Narrow products have the rate of the curve, linear between its points; a curve with holes is refused. */
static void the_curve_gives_the_rate(void **state)
{
    (void)state;
    scalay_machine machine = {.seconds_per_flop = 1.0};
    scalay_gemm_cost cost = {0};
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] = 1.0 + 256.0 / (1 << k);
    assert_true(scalay_machine_gemm_rate(&machine, 1.0) == 257.0);
    assert_true(scalay_machine_gemm_rate(&machine, 32.0) == 9.0);
    assert_true(scalay_machine_gemm_rate(&machine, 48.0) == 7.0);
    assert_true(scalay_machine_gemm_rate(&machine, 1e9) == 2.0);
    assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 100, 100, 64, 1, 1, 8, NULL, &cost), SCALAY_SUCCESS);
    assert_true(cost.compute_seconds == 2.0 * 100 * 100 * 64 && cost.memory_seconds == 8.0 * cost.compute_seconds);
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) machine.vector_curve[k] = 1.0 + k;
    assert_true(scalay_machine_vector_rate(&machine, 100.0) == 1.0);
    assert_true(scalay_machine_vector_rate(&machine, 65536.0) == 2.0);
    assert_true(scalay_machine_vector_rate(&machine, 1e9) == 5.0);
    machine.gemm_curve[3] = 0.0;
    assert_int_equal(scalay_model_gemm(&machine, SCALAY_DOUBLE, 1, 1, 1, 1, 1, 8, NULL, &cost), SCALAY_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_gives_the_rate),
        cmocka_unit_test(products_take_what_the_slowest_process_needs),
        cmocka_unit_test(panels_go_along_rows_and_columns),
        cmocka_unit_test(factorisations_wait_for_the_slowest_process),
        cmocka_unit_test(shared_cores_are_shared),
        cmocka_unit_test(an_odd_process_shares_a_core_alone),
        cmocka_unit_test(columns_that_meet_in_the_caches_cost_more),
        cmocka_unit_test(nonsense_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
