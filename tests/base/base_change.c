/* Repeated calls that change to a faster way: whatever the change takes, no number of calls takes more than 3% to 10%
 * longer than without it, by what a call gains. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/change.h"
#include "base/random.h"

#include "support/seed.h"

enum { CASES = 2000, CALLS = 3000 };

static scalay_random state;

static double draw(double low, double high)
{
    return exp(log(low) + (log(high) - log(low)) * scalay_random_unit(&state));
}

static void no_number_of_calls_takes_much_longer(void **unused)
{
    int changes = 0;
    (void)unused;
    for (int k = 0; k < CASES; k++) {
        const double call = draw(1e-5, 1.0), gain = call * draw(1e-3, 0.99), change = call * draw(1e-3, 100.0);
        const double before = scalay_calls_before_change(change, gain, call);
        const double most = 1.0000001 + fmin(0.1, fmax(0.03, gain / call / 5.0));
        double spent = 0.0;
        for (int n = 0; n < CALLS; n++) {
            const int is_changed = n >= before, is_change = is_changed && n < before + 1.0;
            spent += call - (is_changed ? gain : 0.0) + (is_change ? change : 0.0);
            changes += is_change;
            assert_true(spent <= most * call * (n + 1));
        }
    }
    assert_true(changes > CASES / 2);
}

/* With one call fewer, the calls lose more than they may. */
static void calls_do_not_wait_longer_than_they_must(void **unused)
{
    (void)unused;
    for (int k = 0; k < CASES; k++) {
        const double lost = draw(1e-6, 0.1), change = lost * draw(1e-2, 1000.0);
        const double before = scalay_calls_before_cost(change, lost);
        if (before > 0.0) assert_true(change > 0.9999999 * lost * before);
    }
    assert_true(scalay_calls_before_change(1.0, 1.0, 2.0) == 0.0);
}

static void a_change_without_gain_never_comes(void **unused)
{
    (void)unused;
    assert_true(isinf(scalay_calls_before_change(1.0, 0.0, 1.0)));
    assert_true(isinf(scalay_calls_before_change(1.0, -1.0, 1.0)));
    assert_true(scalay_calls_before_change(1.0, 0.01, 1.0) >= 1.0 / 0.01 / SCALAY_EXPECTED_REPEATS);
}

int main(void)
{
    const uint64_t seed = wanted_seed(7);
    printf("SCALAY_TEST_SEED=%llu\n", (unsigned long long)seed);
    state = scalay_random_seed(seed);
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_number_of_calls_takes_much_longer),
                                       cmocka_unit_test(calls_do_not_wait_longer_than_they_must),
                                       cmocka_unit_test(a_change_without_gain_never_comes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
