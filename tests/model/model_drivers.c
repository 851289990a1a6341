/*
 * Predicted drivers of ScaLAPACK against measured ones: calls that the factors were not fitted to, with the rates of
 * the machine on which they were measured; and against what follows from the definition.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "scalay/model.h"

/* Two processes of an AMD EPYC with OpenBLAS. */
static const scalay_machine measured_machine = {
    .seconds_per_flop = 2.084e-11,
    .seconds_per_flop_vector = 1.312e-10,
    .seconds_per_message = 4.305e-07,
    .seconds_per_byte = 1.057e-10,
    .seconds_per_byte_copied = 1.323e-10,
    .gemm_curve = {1.082e-10, 5.896e-11, 3.756e-11, 2.764e-11, 2.357e-11, 2.178e-11, 2.151e-11, 2.084e-11, 2.084e-11},
    .vector_curve = {5.672e-11, 5.489e-11, 5.172e-11, 5.376e-11, 6.535e-11},
    .copy_curve = {3.574e-11, 3.343e-11, 3.351e-11, 3.583e-11, 3.968e-11, 1.323e-10}};

/* Seconds of a call in doubles of order n, with all vectors; p?syevx and p?sygvx: with a quarter. */
static const struct {
    scalay_driver driver;
    int n, nprow, npcol, nb;
    double seconds;
} measured[] = {
    {SCALAY_DRIVER_GETRI, 768, 1, 2, 1, 0.1258},   {SCALAY_DRIVER_GETRI, 768, 1, 2, 8, 0.02324},
    {SCALAY_DRIVER_GETRI, 768, 1, 2, 64, 0.01877}, {SCALAY_DRIVER_GETRI, 768, 1, 2, 384, 0.02342},
    {SCALAY_DRIVER_GETRI, 768, 2, 1, 1, 0.153},    {SCALAY_DRIVER_GETRI, 768, 2, 1, 8, 0.03913},
    {SCALAY_DRIVER_GETRI, 768, 2, 1, 64, 0.02347}, {SCALAY_DRIVER_GETRI, 768, 2, 1, 384, 0.01138},
    {SCALAY_DRIVER_SYEV, 768, 1, 2, 1, 0.5275},    {SCALAY_DRIVER_SYEV, 768, 1, 2, 8, 0.2349},
    {SCALAY_DRIVER_SYEV, 768, 1, 2, 64, 0.3618},   {SCALAY_DRIVER_SYEV, 768, 1, 2, 384, 0.2958},
    {SCALAY_DRIVER_SYEV, 768, 2, 1, 1, 0.4056},    {SCALAY_DRIVER_SYEV, 768, 2, 1, 8, 0.25},
    {SCALAY_DRIVER_SYEV, 768, 2, 1, 64, 0.3076},   {SCALAY_DRIVER_SYEV, 768, 2, 1, 384, 0.3047},
    {SCALAY_DRIVER_SYEVD, 768, 1, 2, 1, 0.2145},   {SCALAY_DRIVER_SYEVD, 768, 1, 2, 8, 0.07544},
    {SCALAY_DRIVER_SYEVD, 768, 1, 2, 64, 0.09774}, {SCALAY_DRIVER_SYEVD, 768, 1, 2, 384, 0.1541},
    {SCALAY_DRIVER_SYEVD, 768, 2, 1, 1, 0.2655},   {SCALAY_DRIVER_SYEVD, 768, 2, 1, 8, 0.09878},
    {SCALAY_DRIVER_SYEVD, 768, 2, 1, 64, 0.09832}, {SCALAY_DRIVER_SYEVD, 768, 2, 1, 384, 0.169},
    {SCALAY_DRIVER_SYEVR, 768, 1, 2, 1, 0.2019},   {SCALAY_DRIVER_SYEVR, 768, 1, 2, 8, 0.1411},
    {SCALAY_DRIVER_SYEVR, 768, 1, 2, 64, 0.1654},  {SCALAY_DRIVER_SYEVR, 768, 1, 2, 384, 0.1663},
    {SCALAY_DRIVER_SYEVR, 768, 2, 1, 1, 0.2109},   {SCALAY_DRIVER_SYEVR, 768, 2, 1, 8, 0.139},
    {SCALAY_DRIVER_SYEVR, 768, 2, 1, 64, 0.1388},  {SCALAY_DRIVER_SYEVR, 768, 2, 1, 384, 0.1898},
    {SCALAY_DRIVER_SYEVX, 768, 1, 2, 1, 0.0759},   {SCALAY_DRIVER_SYEVX, 768, 1, 2, 8, 0.06996},
    {SCALAY_DRIVER_SYEVX, 768, 1, 2, 64, 0.09308}, {SCALAY_DRIVER_SYEVX, 768, 1, 2, 384, 0.08051},
    {SCALAY_DRIVER_SYEVX, 768, 2, 1, 1, 0.08659},  {SCALAY_DRIVER_SYEVX, 768, 2, 1, 8, 0.06477},
    {SCALAY_DRIVER_SYEVX, 768, 2, 1, 64, 0.07877}, {SCALAY_DRIVER_SYEVX, 768, 2, 1, 384, 0.08833},
    {SCALAY_DRIVER_SYGVX, 768, 1, 2, 1, 0.225},    {SCALAY_DRIVER_SYGVX, 768, 1, 2, 8, 0.1294},
    {SCALAY_DRIVER_SYGVX, 768, 1, 2, 64, 0.2139},  {SCALAY_DRIVER_SYGVX, 768, 1, 2, 384, 0.1265},
    {SCALAY_DRIVER_SYGVX, 768, 2, 1, 1, 0.2801},   {SCALAY_DRIVER_SYGVX, 768, 2, 1, 8, 0.1338},
    {SCALAY_DRIVER_SYGVX, 768, 2, 1, 64, 0.0941},  {SCALAY_DRIVER_SYGVX, 768, 2, 1, 384, 0.1137},
    {SCALAY_DRIVER_GESVD, 768, 1, 2, 1, 2.621},    {SCALAY_DRIVER_GESVD, 768, 1, 2, 8, 2.183},
    {SCALAY_DRIVER_GESVD, 768, 1, 2, 64, 2.239},   {SCALAY_DRIVER_GESVD, 768, 1, 2, 384, 2.736},
    {SCALAY_DRIVER_GESVD, 768, 2, 1, 1, 2.625},    {SCALAY_DRIVER_GESVD, 768, 2, 1, 8, 3.225},
    {SCALAY_DRIVER_GESVD, 768, 2, 1, 64, 2.218},   {SCALAY_DRIVER_GESVD, 768, 2, 1, 384, 2.749},
};

enum { MEASURED = sizeof measured / sizeof *measured };

static double predict(const scalay_machine *machine, scalay_driver driver, scalay_type type, int64_t n, int nprow,
                      int npcol, int nb)
{
    const int64_t quarter = (n + 3) / 4;
    const int64_t vectors = driver == SCALAY_DRIVER_SYEVX || driver == SCALAY_DRIVER_SYGVX ? quarter : n;
    return scalay_model_driver(machine, driver, type, n, n, vectors, nprow, npcol, nb);
}

static void most_predictions_are_within_a_third_of_what_was_measured(void **state)
{
    int within = 0;
    (void)state;
    for (int k = 0; k < MEASURED; k++) {
        const double ratio = predict(&measured_machine, measured[k].driver, SCALAY_DOUBLE, measured[k].n,
                                     measured[k].nprow, measured[k].npcol, measured[k].nb) /
                             measured[k].seconds;
        within += ratio > 0.7 && ratio < 1.3;
        if (!(ratio > 0.4 && ratio < 2.0)) fail_msg("call %d: %g of what was measured", k, ratio);
    }
    if (within < MEASURED * 4 / 5) fail_msg("%d of %d", within, MEASURED);
}

static void blocks_of_one_are_slow_where_phases_work_by_blocks(void **state)
{
    const scalay_driver drivers[] = {SCALAY_DRIVER_GETRI, SCALAY_DRIVER_SYEV, SCALAY_DRIVER_SYEVD};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int n = 512; n <= 4096; n *= 2)
            assert_true(predict(&measured_machine, drivers[k], SCALAY_DOUBLE, n, 2, 2, 1) >
                        1.3 * predict(&measured_machine, drivers[k], SCALAY_DOUBLE, n, 2, 2, 32));
}

/* All phases have at most n^3 operations. Costs of caches come on top. */
static void times_grow_between_the_square_and_the_fourth_power(void **state)
{
    (void)state;
    for (int driver = SCALAY_DRIVER_GETRI; driver <= SCALAY_DRIVER_GESVD; driver++)
        for (int64_t n = 2560; n <= 81920; n *= 2) {
            const double first = predict(NULL, (scalay_driver)driver, SCALAY_DOUBLE, n, 4, 4, 64);
            const double second = predict(NULL, (scalay_driver)driver, SCALAY_DOUBLE, 2 * n, 4, 4, 64);
            assert_true(second > 2.0 * first && second < 16.0 * first);
        }
}

static void types_differ_by_their_operations(void **state)
{
    (void)state;
    for (int driver = SCALAY_DRIVER_GETRI; driver <= SCALAY_DRIVER_GESVD; driver++) {
        double seconds[4];
        const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};
        for (int k = 0; k < 4; k++)
            seconds[k] = predict(&measured_machine, (scalay_driver)driver, types[k], 1500, 2, 1, 32);
        assert_true(seconds[0] < seconds[1] && seconds[1] < seconds[3] && seconds[2] < seconds[3]);
        assert_true(seconds[3] < 5.0 * seconds[1]);
    }
}

static void more_vectors_take_longer(void **state)
{
    (void)state;
    for (int driver = SCALAY_DRIVER_SYEV; driver <= SCALAY_DRIVER_GESVD; driver++) {
        double last = 0.0;
        for (int64_t vectors = 0; vectors <= 1000; vectors += 250) {
            const double seconds = scalay_model_driver(&measured_machine, (scalay_driver)driver, SCALAY_DOUBLE, 1000,
                                                       1000, vectors, 2, 2, 16);
            assert_true(seconds > 0.0 && seconds >= last);
            last = seconds;
        }
    }
}

static void a_rectangle_and_its_transpose_are_alike_on_transposed_grids(void **state)
{
    (void)state;
    const double tall = scalay_model_driver(NULL, SCALAY_DRIVER_GESVD, SCALAY_DOUBLE, 900, 600, 600, 3, 2, 20);
    const double wide = scalay_model_driver(NULL, SCALAY_DRIVER_GESVD, SCALAY_DOUBLE, 600, 900, 600, 2, 3, 20);
    assert_true(tall > 0.7 * wide && tall < 1.4 * wide);
}

static void arguments_are_checked(void **state)
{
    const scalay_machine broken = {.solo_time_ratio = NAN};
    (void)state;
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 0, 0, 0, 1, 1, 1) == 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 5, 5, 5, 1, 1, 1) > 0.0);
    assert_true(scalay_model_driver(&broken, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 5, 5, 5, 1, 1, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, (scalay_driver)7, SCALAY_DOUBLE, 5, 5, 5, 1, 1, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_INT, 5, 5, 5, 1, 1, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 6, 5, 5, 1, 1, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_GESVD, SCALAY_DOUBLE, 6, 5, 6, 1, 1, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 5, 5, -1, 1, 1, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 5, 5, 5, 0, 1, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 5, 5, 5, 1, 0, 1) < 0.0);
    assert_true(scalay_model_driver(NULL, SCALAY_DRIVER_SYEV, SCALAY_DOUBLE, 5, 5, 5, 1, 1, 0) < 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_predictions_are_within_a_third_of_what_was_measured),
        cmocka_unit_test(blocks_of_one_are_slow_where_phases_work_by_blocks),
        cmocka_unit_test(times_grow_between_the_square_and_the_fourth_power),
        cmocka_unit_test(types_differ_by_their_operations),
        cmocka_unit_test(more_vectors_take_longer),
        cmocka_unit_test(a_rectangle_and_its_transpose_are_alike_on_transposed_grids),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
