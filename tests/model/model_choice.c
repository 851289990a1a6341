/* The choice of a grid: legal, sorted, complete, and explained. */
#include <string.h>

#include "scalay/model.h"
#include "support/serial.h"

static scalay_qr_choice *choose(const scalay_machine *machine, int64_t m, int64_t n, scalay_qr_limits limits)
{
    scalay_qr_choice *choice = NULL;
    assert_int_equal(scalay_model_qr_choose(machine, SCALAY_DOUBLE, m, n, &limits, &choice), SCALAY_SUCCESS);
    assert_non_null(choice);
    return choice;
}

static scalay_qr_candidate get(const scalay_qr_choice *choice, int k)
{
    scalay_qr_candidate candidate = {0};
    assert_int_equal(scalay_qr_choice_get_candidate(choice, k, &candidate), SCALAY_SUCCESS);
    return candidate;
}

static void candidates_are_legal_and_sorted_for_every_number_of_processes(void **state)
{
    (void)state;
    for (int processes = 1; processes <= 24; processes++) {
        scalay_qr_choice *choice = choose(NULL, 3000, 2000, scalay_qr_limits_default(processes));
        double before = 0.0;
        for (int k = 0; k < scalay_qr_choice_count(choice); k++) {
            scalay_qr_candidate c = get(choice, k);
            assert_true(c.nprow >= 1 && c.npcol >= 1 && c.nb >= 1 && c.nprow * c.npcol <= processes);
            assert_true(c.cost.seconds >= before);
            before = c.cost.seconds;
            scalay_qr_cost again;
            assert_int_equal(scalay_model_qr(NULL, SCALAY_DOUBLE, 3000, 2000, c.nprow, c.npcol, c.nb, &again),
                             SCALAY_SUCCESS);
            assert_true(again.seconds == c.cost.seconds);
        }
        scalay_qr_choice_destroy(&choice);
        assert_null(choice);
    }
}

static void every_shape_on_few_processes_is_a_candidate_once(void **state)
{
    (void)state;
    for (int processes = 1; processes <= 17; processes++) {
        scalay_qr_choice *choice = choose(NULL, 10000, 10000, scalay_qr_limits_default(processes));
        int seen[32][32] = {{0}};
        for (int k = 0; k < scalay_qr_choice_count(choice); k++) {
            scalay_qr_candidate c = get(choice, k);
            if (c.nb == 32) seen[c.nprow][c.npcol]++;
        }
        for (int p = 1; p <= processes; p++)
            for (int q = 1; q <= processes; q++) assert_int_equal(seen[p][q], p * q <= processes);
        scalay_qr_choice_destroy(&choice);
    }
}

static void a_prime_number_of_processes_need_not_all_work(void **state)
{
    (void)state;
    /* Transfers are dear: a flat grid of 31 sends much more than 5 x 6, which leaves one process idle. */
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_byte *= 10.0;
    scalay_qr_choice *choice = choose(&machine, 4000, 4000, scalay_qr_limits_default(31));
    scalay_qr_candidate c = get(choice, 0);
    assert_true(c.nprow * c.npcol < 31 && c.nprow > 1 && c.npcol > 1);
    char text[1024];
    assert_in_range(scalay_qr_choice_describe(choice, text, sizeof text), 1, sizeof text - 1);
    assert_non_null(strstr(text, "of 31 processes stay"));
    assert_non_null(strstr(text, "idle"));
    assert_non_null(strstr(text, "would take"));
    scalay_qr_choice_destroy(&choice);
}

static void dear_messages_leave_one_process(void **state)
{
    (void)state;
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_message = 1.0;
    scalay_qr_choice *choice = choose(&machine, 500, 500, scalay_qr_limits_default(6));
    assert_int_equal(get(choice, 0).nprow * get(choice, 0).npcol, 1);
    char text[1024];
    (void)scalay_qr_choice_describe(choice, text, sizeof text);
    assert_non_null(strstr(text, "5 of 6 processes stay idle"));
    scalay_qr_choice_destroy(&choice);
}

static void free_messages_let_everybody_work(void **state)
{
    (void)state;
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_message = machine.seconds_per_byte = 0.0;
    for (int processes = 1; processes <= 13; processes++) {
        scalay_qr_choice *choice = choose(&machine, 20000, 20000, scalay_qr_limits_default(processes));
        assert_int_equal(get(choice, 0).nprow * get(choice, 0).npcol, processes);
        char text[1024];
        (void)scalay_qr_choice_describe(choice, text, sizeof text);
        assert_null(strstr(text, "idle"));
        scalay_qr_choice_destroy(&choice);
    }
}

static void limits_are_kept(void **state)
{
    (void)state;
    for (int mask = 0; mask < 8; mask++) {
        scalay_qr_limits limits = {.size = sizeof limits,
                                   .processes = 12,
                                   .nprow = mask & 1 ? 3 : 0,
                                   .npcol = mask & 2 ? 2 : 0,
                                   .nb = mask & 4 ? 40 : 0};
        scalay_qr_choice *choice = choose(NULL, 1000, 1000, limits);
        for (int k = 0; k < scalay_qr_choice_count(choice); k++) {
            scalay_qr_candidate c = get(choice, k);
            assert_true((limits.nprow == 0 || c.nprow == 3) && (limits.npcol == 0 || c.npcol == 2));
            assert_true(limits.nb == 0 || c.nb == 40);
        }
        if (mask == 7) assert_int_equal(scalay_qr_choice_count(choice), 1);
        scalay_qr_choice_destroy(&choice);
    }
    /* What the caller wants may be unwise. */
    scalay_qr_choice *choice = choose(
        NULL, 1, 1, (scalay_qr_limits){.size = sizeof(scalay_qr_limits), .processes = 12, .nprow = 4, .npcol = 3});
    assert_true(get(choice, 0).nprow == 4 && get(choice, 0).npcol == 3);
    scalay_qr_choice_destroy(&choice);
}

static void a_tiny_or_empty_matrix_needs_one_process(void **state)
{
    (void)state;
    const int64_t extents[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 8}, {8, 1}};
    for (int k = 0; k < 6; k++) {
        scalay_qr_choice *choice = choose(NULL, extents[k][0], extents[k][1], scalay_qr_limits_default(7));
        assert_true(get(choice, 0).nprow == 1 && get(choice, 0).npcol == 1);
        char text[1024];
        (void)scalay_qr_choice_describe(choice, text, sizeof text);
        assert_non_null(strstr(text, "6 of 7 processes stay idle: the matrix has too few blocks"));
        scalay_qr_choice_destroy(&choice);
    }
}

static void many_processes_are_no_burden(void **state)
{
    (void)state;
    scalay_qr_choice *choice = choose(NULL, 1000000, 1000000, scalay_qr_limits_default(65536));
    scalay_qr_candidate c = get(choice, 0);
    assert_true(c.nprow * c.npcol <= 65536 && c.nprow * c.npcol > 10000);
    assert_in_range(scalay_qr_choice_count(choice), 1000, 100000);
    scalay_qr_choice_destroy(&choice);
}

static void an_explanation_is_cut_as_snprintf_does(void **state)
{
    (void)state;
    scalay_qr_choice *choice = choose(NULL, 300, 200, scalay_qr_limits_default(6));
    char whole[1024], cut[20];
    int length = scalay_qr_choice_describe(choice, whole, sizeof whole);
    assert_int_equal(length, strlen(whole));
    assert_int_equal(scalay_qr_choice_describe(choice, NULL, 0), length);
    assert_int_equal(scalay_qr_choice_describe(choice, cut, sizeof cut), length);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_memory_equal(cut, whole, sizeof cut - 1);
    scalay_qr_choice_destroy(&choice);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    scalay_qr_choice *choice = NULL;
    scalay_qr_candidate candidate;
    scalay_qr_limits limits = scalay_qr_limits_default(0);
    assert_int_equal(scalay_model_qr_choose(NULL, SCALAY_DOUBLE, 1, 1, &limits, &choice), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr_choose(NULL, SCALAY_DOUBLE, 1, 1, NULL, &choice), SCALAY_ERROR_ARGUMENT);
    limits = (scalay_qr_limits){.size = sizeof(scalay_qr_limits), .processes = 4, .nprow = 5};
    assert_int_equal(scalay_model_qr_choose(NULL, SCALAY_DOUBLE, 1, 1, &limits, &choice), SCALAY_ERROR_INFEASIBLE);
    limits = (scalay_qr_limits){.size = sizeof(scalay_qr_limits), .processes = 4, .nprow = 2, .npcol = -1};
    assert_int_equal(scalay_model_qr_choose(NULL, SCALAY_DOUBLE, 1, 1, &limits, &choice), SCALAY_ERROR_ARGUMENT);
    limits = scalay_qr_limits_default(4);
    assert_int_equal(scalay_model_qr_choose(NULL, SCALAY_INT, 1, 1, &limits, &choice), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr_choose(NULL, SCALAY_DOUBLE, -1, 1, &limits, &choice), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_model_qr_choose(NULL, SCALAY_DOUBLE, 1, 1, &limits, NULL), SCALAY_ERROR_ARGUMENT);
    assert_null(choice);
    choice = choose(NULL, 10, 10, limits);
    assert_int_equal(scalay_qr_choice_get_candidate(choice, -1, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_qr_choice_get_candidate(choice, scalay_qr_choice_count(choice), &candidate),
                     SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_qr_choice_get_candidate(NULL, 0, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_qr_choice_get_candidate(choice, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_qr_choice_count(NULL), 0);
    scalay_qr_choice_destroy(&choice);
    scalay_qr_choice_destroy(&choice);
    scalay_qr_choice_destroy(NULL);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    scalay_qr_limits limits = scalay_qr_limits_default(9);
    scalay_status status = SCALAY_ERROR_MEMORY;
    int failures = 0;
    for (int n = 1; status == SCALAY_ERROR_MEMORY; n++) {
        scalay_qr_choice *choice = NULL;
        scalay_memory_fail_at(n);
        status = scalay_model_qr_choose(NULL, SCALAY_DOUBLE, 900, 900, &limits, &choice);
        failures += status == SCALAY_ERROR_MEMORY;
        assert_true((status == SCALAY_SUCCESS) == (choice != NULL));
        scalay_qr_choice_destroy(&choice);
        assert_int_equal(scalay_memory_live(), 0);
    }
    scalay_memory_fail_at(0);
    assert_int_equal(status, SCALAY_SUCCESS);
    assert_true(failures >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_legal_and_sorted_for_every_number_of_processes),
        cmocka_unit_test(every_shape_on_few_processes_is_a_candidate_once),
        cmocka_unit_test(a_prime_number_of_processes_need_not_all_work),
        cmocka_unit_test(dear_messages_leave_one_process),
        cmocka_unit_test(free_messages_let_everybody_work),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_tiny_or_empty_matrix_needs_one_process),
        cmocka_unit_test(many_processes_are_no_burden),
        cmocka_unit_test(an_explanation_is_cut_as_snprintf_does),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return run_all_tests(tests);
}
