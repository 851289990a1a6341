/* Sums of exactly k items, few and many of them, against adding one item after the other. */
#include "instances.h"

#include "workload/sums.h"

enum { LARGEST = 700, MOST_COPIES = 6, TOTALS = LARGEST * MOST_COPIES + 1 };

typedef struct {
    double time[LARGEST + 1];
    char made[2][TOTALS]; /* of an even number of items, of an odd number */
    scalay_sum_items items;
    int64_t copies;
} sums_case;

/* Some percent of the sizes take part: few or many. The largest always does. */
static void random_case(uint64_t seed, sums_case *of)
{
    static const int percent[] = {1, 5, 30, 60, 95};
    scalay_random random = scalay_random_seed(seed);
    const int64_t largest = 1 + scalay_random_below(&random, LARGEST);
    for (int64_t x = 0; x < largest; x++)
        of->time[x] = scalay_random_below(&random, 100) < percent[seed % 5] ? 1.0 : 3.0;
    of->time[largest] = 2.0;
    of->items = (scalay_sum_items){of->time, largest, 2.0, (int)scalay_random_below(&random, 2)};
    of->copies = 1 + scalay_random_below(&random, MOST_COPIES);
}

static const char *add_one_by_one(sums_case *of)
{
    const int64_t largest = of->items.largest;
    memset(of->made, 0, sizeof of->made);
    of->made[0][0] = 1;
    for (int64_t k = 1; k <= of->copies; k++) {
        const char *from = of->made[(k - 1) % 2];
        char *to = of->made[k % 2];
        memset(to, 0, TOTALS);
        for (int64_t x = of->items.idle ? 0 : 1; x <= largest; x++) {
            if (x > 0 && of->time[x] > of->items.limit) continue;
            for (int64_t total = 0; total <= (k - 1) * largest; total++) to[total + x] |= from[total];
        }
    }
    return of->made[of->copies % 2];
}

static void sums_are_those_of_items_one_by_one(void **state)
{
    (void)state;
    static sums_case of;
    scalay_sums sums = {0};
    const uint64_t first = test_seed(1);
    for (uint64_t seed = first; seed < first + 100; seed++) {
        random_case(seed, &of);
        const char *made = add_one_by_one(&of);
        const int64_t most = of.items.largest * of.copies;
        const int64_t width = seed % 2 == 0 ? 0 : most / 3;
        for (int64_t low = 0; low + width <= most; low += 1 + most / 7) {
            assert_success(scalay_sums_make(&sums, &of.items, low, low + width, of.copies));
            for (int64_t total = low; total <= low + width; total++)
                if (scalay_sums_has(&sums, total) != made[total])
                    fail_msg("seed %llu: total %lld", (unsigned long long)seed, (long long)total);
        }
    }
    scalay_sums_free(&sums);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_items_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
