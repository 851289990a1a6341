/* The choice of map, tile extent and panels for the engine: against all predictions, and limits that need no model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/engine.h"

#include "epyc.h"

enum { RANKS = 6 };

static scalay_engine_problem problem_of(scalay_factor_kind kind, int ranks, const double *speed)
{
    return (scalay_engine_problem){
        .kind = kind, .type = SCALAY_DOUBLE, .ranks = ranks, .speed = speed, .panels_together = -1};
}

/* The prediction of one combination. */
static double seconds_of(const scalay_engine_problem *problem, int64_t n, int nb, int groups)
{
    const scalay_trailing trailing =
        problem->kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    scalay_owner_map *map = NULL;
    double seconds = 0;
    assert_int_equal(scalay_owner_map_1d1d(n, n, nb, problem->ranks, problem->speed, trailing, groups, &map),
                     SCALAY_SUCCESS);
    assert_int_equal(scalay_engine_predict(problem, map, nb, &seconds), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    return seconds;
}

/* No extent with the chosen rule and whole columns is predicted to be more than 1% faster, or 5% where panels are
 * large; up to 4 ranks, that is all that is tried. */
static void no_combination_is_predicted_to_be_faster(void **state)
{
    (void)state;
    const double speed[] = {1, .5, .5};
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++)
        for (int64_t n = 300; n < 10000; n *= 3) {
            scalay_engine_problem problem = problem_of((scalay_factor_kind)kind, 3, speed);
            scalay_engine_choice choice;
            assert_int_equal(scalay_engine_choose_map(&problem, n, n, 0, &choice), SCALAY_SUCCESS);
            for (int k = 0; scalay_engine_extent(k) > 0; k++)
                for (problem.panels_together = 0; problem.panels_together < 2; problem.panels_together++)
                    assert_true(choice.seconds * (n < 1000 ? 0.95 : 0.98) <=
                                seconds_of(&problem, n, scalay_engine_extent(k), 3));
            scalay_owner_map_destroy(&choice.map);
        }
}

/* Two panels of 64 take a quarter of a part at order 1024, and a sixteenth at 4096. */
static void smaller_panels_are_preferred(void **state)
{
    (void)state;
    const double speed[] = {1, 1};
    for (int64_t n = 1024; n <= 4096; n *= 4) {
        const scalay_engine_problem problem = problem_of(SCALAY_FACTOR_LU, 2, speed);
        const double larger = seconds_of(&problem, n, 64, 2), smaller = seconds_of(&problem, n, 48, 2);
        scalay_engine_choice choice;
        assert_int_equal(scalay_engine_choose_map(&problem, n, n, 0, &choice), SCALAY_SUCCESS);
        assert_true(smaller > larger && smaller < 1.05 * larger);
        assert_true(n == 1024 ? choice.nb == 48 : choice.nb >= 64);
        scalay_owner_map_destroy(&choice.map);
    }
}

static void a_given_extent_and_rule_are_kept(void **state)
{
    (void)state;
    const double speed[RANKS] = {1, 1, 1, .5, .5, .25};
    for (int together = 0; together < 2; together++) {
        scalay_engine_problem problem = problem_of(SCALAY_FACTOR_LU, RANKS, speed);
        scalay_engine_choice choice;
        problem.panels_together = together;
        assert_int_equal(scalay_engine_choose_map(&problem, 1500, 1200, 40, &choice), SCALAY_SUCCESS);
        assert_int_equal(choice.nb, 40);
        assert_int_equal(choice.panels_together, together);
        for (int groups = 1; groups <= RANKS; groups++) { /* on up to 16 ranks, all numbers of groups are tried */
            scalay_owner_map *map = NULL;
            double seconds = 0;
            assert_int_equal(scalay_owner_map_1d1d(1500, 1200, 40, RANKS, speed, SCALAY_TRAILING_FULL, groups, &map),
                             SCALAY_SUCCESS);
            assert_int_equal(scalay_engine_predict(&problem, map, 40, &seconds), SCALAY_SUCCESS);
            assert_true(choice.seconds <= seconds);
            scalay_owner_map_destroy(&map);
        }
        scalay_owner_map_destroy(&choice.map);
    }
}

/* No prediction is below the flops over the sum of the speeds; large matrices come near that. */
static void predictions_keep_the_limit(void **state)
{
    (void)state;
    const double speed[] = {1, .5, .5};
    const double cubes[] = {4.0 / 3, 2.0 / 3, 1.0 / 3};
    const scalay_machine machine = scalay_machine_typical();
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++)
        for (double n = 512; n <= 16384; n *= 2) {
            const scalay_engine_problem problem = problem_of((scalay_factor_kind)kind, 3, speed);
            const double limit = cubes[kind] * n * n * n * machine.seconds_per_flop / 3;
            const double seconds = seconds_of(&problem, (int64_t)n, 64, 3);
            assert_true(seconds > limit);
            if (n > 16000) assert_true(seconds < 1.4 * limit);
        }
}

/* A process that reduces once per column waits for messages: if they take long, one process factors a panel. */
static void slow_messages_let_one_process_factor(void **state)
{
    (void)state;
    const double speed[RANKS] = {1, 1, 1, 1, 1, 1};
    scalay_machine machine = scalay_machine_typical();
    scalay_engine_problem problem = problem_of(SCALAY_FACTOR_QR, RANKS, speed);
    scalay_owner_map *rows = NULL;
    scalay_engine_choice choice;
    problem.machine = &machine;
    assert_int_equal(scalay_owner_map_1d1d(1536, 1536, 32, RANKS, speed, SCALAY_TRAILING_FULL, 1, &rows),
                     SCALAY_SUCCESS);
    machine.seconds_per_message = 1;
    assert_int_equal(scalay_engine_choose_panels(&problem, rows, 32, &choice), SCALAY_SUCCESS);
    assert_int_equal(choice.panels_together, 0);
    machine.seconds_per_message = 0;
    machine.seconds_per_byte = 1e-6; /* gathered panels travel twice */
    assert_int_equal(scalay_engine_choose_panels(&problem, rows, 32, &choice), SCALAY_SUCCESS);
    assert_int_equal(choice.panels_together, 1);
    scalay_owner_map_destroy(&rows);
}

/* Seconds of the engine on two processes, without moves: medians of .3 to .5 s of calls. */
static const struct {
    scalay_factor_kind kind;
    scalay_type type;
    int n;
    double seconds;
} measured[] = {{SCALAY_FACTOR_QR, SCALAY_DOUBLE, 128, 0.0001358},
                {SCALAY_FACTOR_QR, SCALAY_DOUBLE, 512, 0.003178},
                {SCALAY_FACTOR_QR, SCALAY_DOUBLE, 1024, 0.01966},
                {SCALAY_FACTOR_QR, SCALAY_FLOAT, 768, 0.004529},
                {SCALAY_FACTOR_QR, SCALAY_COMPLEX_FLOAT, 384, 0.002242},
                {SCALAY_FACTOR_QR, SCALAY_COMPLEX_FLOAT, 768, 0.01512},
                {SCALAY_FACTOR_QR, SCALAY_COMPLEX_DOUBLE, 384, 0.00423},
                {SCALAY_FACTOR_QR, SCALAY_COMPLEX_DOUBLE, 768, 0.03004},
                {SCALAY_FACTOR_LU, SCALAY_DOUBLE, 384, 0.0007832},
                {SCALAY_FACTOR_LU, SCALAY_DOUBLE, 768, 0.004549},
                {SCALAY_FACTOR_LU, SCALAY_FLOAT, 768, 0.002429},
                {SCALAY_FACTOR_LU, SCALAY_COMPLEX_FLOAT, 768, 0.008602},
                {SCALAY_FACTOR_LU, SCALAY_COMPLEX_DOUBLE, 384, 0.002188},
                {SCALAY_FACTOR_LU, SCALAY_COMPLEX_DOUBLE, 768, 0.01548},
                {SCALAY_FACTOR_CHOLESKY, SCALAY_DOUBLE, 512, 0.0008396},
                {SCALAY_FACTOR_CHOLESKY, SCALAY_DOUBLE, 1024, 0.005243},
                {SCALAY_FACTOR_CHOLESKY, SCALAY_COMPLEX_FLOAT, 768, 0.003913},
                {SCALAY_FACTOR_CHOLESKY, SCALAY_COMPLEX_DOUBLE, 384, 0.001181},
                {SCALAY_FACTOR_CHOLESKY, SCALAY_COMPLEX_DOUBLE, 768, 0.007443}};

static void predictions_are_near_what_was_measured(void **state)
{
    (void)state;
    const double speed[] = {1, 1};
    for (int k = 0; k < (int)(sizeof measured / sizeof *measured); k++) {
        scalay_engine_problem problem = problem_of(measured[k].kind, 2, speed);
        scalay_engine_choice choice;
        problem.type = measured[k].type;
        problem.machine = &measured_machine;
        assert_int_equal(scalay_engine_choose_map(&problem, measured[k].n, measured[k].n, 0, &choice), SCALAY_SUCCESS);
        const double ratio = choice.seconds / measured[k].seconds;
        if (!(ratio > 1.0 / 1.2 && ratio < 1.2)) fail_msg("case %d: %g of what was measured", k, ratio);
        scalay_owner_map_destroy(&choice.map);
    }
}

/* Likewise of tall matrices in place, whose panels are outside the caches of a core: in columns (2 groups) or rows. */
static const struct {
    scalay_factor_kind kind;
    int m, n, groups, together;
    double seconds;
} tall[] = {{SCALAY_FACTOR_QR, 2048, 64, 2, 0, 0.00099},   {SCALAY_FACTOR_QR, 8192, 64, 2, 0, 0.00409},
            {SCALAY_FACTOR_QR, 16384, 128, 2, 0, 0.01949}, {SCALAY_FACTOR_QR, 32768, 32, 2, 0, 0.00757},
            {SCALAY_FACTOR_QR, 8192, 64, 1, 1, 0.0026},    {SCALAY_FACTOR_QR, 16384, 128, 1, 1, 0.01431},
            {SCALAY_FACTOR_QR, 32768, 32, 1, 1, 0.00456},  {SCALAY_FACTOR_LU, 8192, 64, 2, 0, 0.001885},
            {SCALAY_FACTOR_LU, 16384, 128, 2, 0, 0.00906}, {SCALAY_FACTOR_LU, 8192, 64, 1, 1, 0.00164},
            {SCALAY_FACTOR_LU, 16384, 128, 1, 1, 0.00829}, {SCALAY_FACTOR_LU, 32768, 32, 1, 1, 0.00242}};

static void predictions_of_tall_matrices_are_near_what_was_measured(void **state)
{
    (void)state;
    const double speed[] = {1, 1};
    for (int k = 0; k < (int)(sizeof tall / sizeof *tall); k++) {
        scalay_engine_problem problem = problem_of(tall[k].kind, 2, speed);
        scalay_owner_map *map = NULL;
        double seconds = 0;
        problem.machine = &measured_machine;
        problem.panels_together = tall[k].together;
        assert_int_equal(
            scalay_owner_map_1d1d(tall[k].m, tall[k].n, 32, 2, speed, SCALAY_TRAILING_FULL, tall[k].groups, &map),
            SCALAY_SUCCESS);
        assert_int_equal(scalay_engine_predict(&problem, map, 32, &seconds), SCALAY_SUCCESS);
        const double ratio = seconds / tall[k].seconds;
        if (!(ratio > 1.0 / 1.3 && ratio < 1.3)) fail_msg("case %d: %g of what was measured", k, ratio);
        scalay_owner_map_destroy(&map);
    }
}

/* Bytes of the sums of QR that the first node sends, from each of its owners to each owner on another node. */
static double bytes_of_sums(double n, int nb, int ranks, int nodes)
{
    double bytes = 0;
    for (int k = 0; k < n; k += nb)
        for (int from = 0; from < ranks; from++)
            for (int to = 0; to < ranks; to++)
                if (from * nodes / ranks == 0 && to * nodes / ranks != 0 && n - k > nb)
                    bytes += 8.0 * nb * (n - k - nb);
    return bytes;
}

/* QR on whole rows of tiles, whose link takes nearly all time: at least as long as the sums on the link, and less than
 * twice as long, as panels and gathered panels are on it besides. */
static void sums_of_qr_are_on_the_links_of_nodes(void **state)
{
    (void)state;
    const double speed[] = {1, 1, 1, 1};
    const double n = 1024;
    for (int nodes = 2; nodes <= 4; nodes += 2) {
        scalay_machine machine = scalay_machine_typical();
        scalay_engine_problem problem = problem_of(SCALAY_FACTOR_QR, 4, speed);
        machine.nodes = nodes;
        machine.seconds_per_byte = 1e-6;
        problem.machine = &machine;
        const double sums = bytes_of_sums(n, 64, 4, nodes) * machine.seconds_per_byte;
        const double seconds = seconds_of(&problem, (int64_t)n, 64, 1);
        assert_true(seconds > sums && seconds < 2 * sums);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_combination_is_predicted_to_be_faster),
        cmocka_unit_test(smaller_panels_are_preferred),
        cmocka_unit_test(a_given_extent_and_rule_are_kept),
        cmocka_unit_test(predictions_keep_the_limit),
        cmocka_unit_test(slow_messages_let_one_process_factor),
        cmocka_unit_test(predictions_are_near_what_was_measured),
        cmocka_unit_test(predictions_of_tall_matrices_are_near_what_was_measured),
        cmocka_unit_test(sums_of_qr_are_on_the_links_of_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
