/* Schedules: every item is sent once, no port twice in a step, the length is exact, the steps are few. Preemptive ones:
 * no port twice at a time, few times. The checker finds what is wrong. */
#include "instances.h"

#include <limits.h>
#include <string.h>

#include "mapping/schedule.h"
#include "summaries.h"

typedef struct {
    int64_t *sent; /* shape [nodes][nodes] */
    int64_t *seen; /* shape [2][nodes]: the last step in which a process sent, received */
    int nodes;
} ledger;

static void check_step(const scalay_schedule *schedule, int64_t step, ledger *book, int64_t *length)
{
    int64_t duration = 0;
    int64_t count = 0;
    const scalay_message *messages = NULL;
    assert_success(scalay_schedule_round(schedule, step, &duration, &count, &messages));
    assert_true(duration >= 1 && count >= 1);
    for (int64_t k = 0; k < count; k++) {
        int from = messages[k].from;
        int to = messages[k].to;
        assert_true(from != to && from >= 0 && to >= 0 && from < book->nodes && to < book->nodes);
        assert_true(k == 0 || from > messages[k - 1].from);
        assert_true(messages[k].elements >= 1 && messages[k].elements <= duration);
        assert_true(book->seen[to] != step + 1);
        book->seen[to] = step + 1;
        book->sent[(int64_t)from * book->nodes + to] += messages[k].elements;
    }
    *length += duration;
}

/* The most partners that a process sends to, or receives from. */
static int64_t most_partners(const instance *made, const int *process)
{
    int64_t most = 0;
    for (int i = 0; i < made->processes; i++) {
        int64_t partners = 0;
        for (int j = 0; j < made->parts; j++) partners += process[j] != i && instance_get(made, i, j) > 0;
        most = partners > most ? partners : most;
    }
    for (int j = 0; j < made->parts; j++) {
        int64_t partners = 0;
        for (int i = 0; i < made->processes; i++) partners += process[j] != i && instance_get(made, i, j) > 0;
        most = partners > most ? partners : most;
    }
    return most;
}

/* Returns the number of global steps. */
static int64_t check_sliced(const instance *made, const int *process, int nodes, int64_t slice)
{
    scalay_traffic *traffic = NULL;
    scalay_schedule *schedule = NULL;
    int64_t volume = 0;
    int64_t steps = 0;
    int64_t length = 0;
    ledger book = {calloc((size_t)nodes * (size_t)nodes, sizeof(int64_t)), calloc((size_t)nodes, sizeof(int64_t)),
                   nodes};
    assert_success(instance_traffic(made, &traffic));
    if (slice == 1)
        assert_success(scalay_schedule_create(traffic, process, NULL, &schedule));
    else
        assert_success(create_sliced(traffic, process, slice, &schedule));
    instance_cost(made, process, nodes, &volume, &steps);
    int64_t rounds = schedule_summary(schedule).rounds;
    for (int64_t k = 0; k < rounds; k++) check_step(schedule, k, &book, &length);
    assert_int_equal(schedule_summary(schedule).length, length);
    assert_true(slice == 1 ? length == steps : length >= steps);
    if (slice == INT64_MAX) assert_int_equal(rounds, most_partners(made, process));
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < made->parts; j++)
            if (process[j] != i) assert_int_equal(book.sent[(int64_t)i * nodes + process[j]], instance_get(made, i, j));
    for (int64_t k = 0; k < (int64_t)nodes * nodes; k++) volume -= book.sent[k];
    assert_int_equal(volume, 0);
    scalay_schedule_destroy(&schedule);
    scalay_traffic_destroy(&traffic);
    free(book.sent);
    free(book.seen);
    assert_int_equal(scalay_memory_live(), 0);
    return rounds;
}

/* The instance as it is: nothing is sent that was not in it, and all that changes process is sent, in as few item steps
 * as there can be. A port is free from when its last message ends. */
static void check_preemptive(const instance *made, const int *process, int nodes)
{
    scalay_traffic *traffic = NULL;
    scalay_schedule *schedule = NULL;
    int64_t volume = 0, steps = 0, time = 0, pairs = 0;
    int64_t *sent = calloc((size_t)nodes * (size_t)nodes, sizeof *sent),
            *busy = calloc(2 * (size_t)nodes, sizeof *busy);
    assert_success(instance_traffic(made, &traffic));
    assert_success(create_preemptive(traffic, process, &schedule));
    assert_success(scalay_schedule_check(traffic, process, schedule));
    instance_cost(made, process, nodes, &volume, &steps);
    for (int64_t step = 0; step < schedule_summary(schedule).rounds; step++) {
        int64_t length = 0, count = 0;
        const scalay_message *messages = NULL;
        assert_success(scalay_schedule_round(schedule, step, &length, &count, &messages));
        assert_true(length >= 1 && count >= 1);
        for (int64_t k = 0; k < count; k++) {
            const scalay_message message = messages[k];
            assert_true(message.from >= 0 && message.from < nodes && message.to >= 0 && message.to < nodes);
            assert_true(message.elements >= 1 && (k == 0 || message.from > messages[k - 1].from));
            assert_true(busy[message.from] <= time && busy[nodes + message.to] <= time);
            busy[message.from] = busy[nodes + message.to] = time + message.elements;
            sent[message.from * nodes + message.to] += message.elements;
        }
        time += length;
    }
    assert_int_equal(time, steps);
    assert_int_equal(schedule_summary(schedule).length, steps);
    for (int k = 0; k < 2 * nodes; k++) assert_true(busy[k] <= steps);
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < made->parts; j++) {
            const int64_t wanted = process[j] != i ? instance_get(made, i, j) : 0;
            assert_int_equal(sent[i * nodes + process[j]], wanted);
            pairs += wanted > 0;
            volume -= wanted;
        }
    assert_int_equal(volume, 0);
    assert_true(schedule_summary(schedule).rounds <= pairs + made->processes + made->parts);
    scalay_schedule_destroy(&schedule);
    scalay_traffic_destroy(&traffic);
    free(sent);
    free(busy);
    assert_int_equal(scalay_memory_live(), 0);
}

static int64_t check_schedule(const instance *made, const int *process, int nodes)
{
    return check_sliced(made, process, nodes, 1);
}

static void every_item_is_sent_once_and_no_port_is_used_twice(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int processes = 1 + (int)scalay_random_below(&random, 12);
        int parts = 1 + (int)scalay_random_below(&random, 12);
        int nodes = (processes > parts ? processes : parts) + (int)scalay_random_below(&random, 3);
        int process[12];
        instance made = instance_random(&random, processes, parts, (int)(seed % KINDS));
        random_processes(&random, nodes, parts, process);
        (void)check_schedule(&made, process, nodes);
        (void)check_sliced(&made, process, nodes, INT64_MAX);
        (void)check_sliced(&made, process, nodes, 1 + scalay_random_below(&random, 50));
        instance_free(&made);
    }
}

static void preemptive_schedules_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int most = seed % 50 == 0 ? 40 : 12;
        int processes = 1 + (int)scalay_random_below(&random, most);
        int parts = 1 + (int)scalay_random_below(&random, most);
        int nodes = (processes > parts ? processes : parts) + (int)scalay_random_below(&random, 3);
        int process[40];
        instance made = instance_random(&random, processes, parts, (int)(seed % KINDS));
        random_processes(&random, nodes, parts, process);
        check_preemptive(&made, process, nodes);
        instance_free(&made);
    }
}

/* Where few pairs have messages they are listed, otherwise they are bits of words: both, on either side of the edge. */
static void thin_and_dense_traffic(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        static const int extents[] = {130, 300, 500}, items[] = {2, 3, 12, 40};
        scalay_random random = scalay_random_seed(seed);
        const int processes = extents[seed % 3] - (int)scalay_random_below(&random, 70), parts = extents[seed % 3];
        int process[500];
        instance made = instance_allocate(processes, parts);
        fill_balanced(&made, &random, items[seed % 4]);
        for (int64_t k = 0; k < (int64_t)processes * parts; k++)
            made.items[k] *= 1 + scalay_random_below(&random, seed % 2 ? 1000 : 2);
        random_processes(&random, parts + 2, parts, process);
        check_preemptive(&made, process, parts + 2);
        (void)check_schedule(&made, process, parts + 2);
        (void)check_sliced(&made, process, parts + 2, 64);
        instance_free(&made);
    }
}

/* Nothing, one process, one pair, all to all, and as many items as there can be. */
static void preemptive_schedules_of_extremes(void **state)
{
    (void)state;
    int process[9];
    instance one = instance_allocate(1, 1), pair = instance_allocate(2, 2), all = instance_allocate(9, 9);
    for (int j = 0; j < 9; j++) process[j] = j;
    check_preemptive(&one, process, 1);
    check_preemptive(&all, process, 9);
    one.items[0] = INT64_MAX;
    check_preemptive(&one, process, 1);
    process[0] = 3;
    check_preemptive(&one, process, 4);
    process[0] = 0;
    pair.items[1] = INT64_C(1) << 62;
    check_preemptive(&pair, process, 2);
    pair.items[2] = (INT64_C(1) << 62) - 1;
    check_preemptive(&pair, process, 2);
    for (int k = 0; k < 81; k++) all.items[k] = INT64_MAX / 81;
    check_preemptive(&all, process, 9);
    for (int k = 0; k < 81; k++) all.items[k] = 1 + k % 9 * (INT64_C(1) << 50);
    check_preemptive(&all, process, 9);
    instance_free(&one);
    instance_free(&pair);
    instance_free(&all);
}

static void refuse(const scalay_traffic *traffic, const int *process, const scalay_schedule *schedule, const char *told)
{
    assert_int_equal(scalay_schedule_check(traffic, process, schedule), SCALAY_ERROR_MISMATCH);
    if (strstr(scalay_error_message(), told) == NULL) fail_msg("\"%s\" is not in: %s", told, scalay_error_message());
}

/* Three processes; 0 sends 5 items to 1, then 1 sends 7 to 2 while 2 sends 3 to 0. */
static void the_checker_finds_what_is_wrong(void **state)
{
    (void)state;
    const int from[] = {0, 1, 2, 2}, part[] = {1, 2, 0, 2}, process[] = {0, 1, 2}, far[] = {0, 1, INT_MAX};
    const int64_t items[] = {5, 7, 3, 9};
    int64_t duration[] = {5, 7}, start[] = {0, 1, 3};
    scalay_message messages[] = {{0, 1, 5}, {1, 2, 7}, {2, 0, 3}};
    scalay_schedule schedule = {.rounds = 2, .length = 12, .duration = duration, .start = start, .messages = messages};
    scalay_traffic *traffic = NULL;
    assert_success(scalay_traffic_from_entries(3, 3, 4, from, part, items, &traffic));
    assert_success(scalay_schedule_check(traffic, process, &schedule));
    assert_int_equal(scalay_schedule_check(NULL, process, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_check(traffic, NULL, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_check(traffic, process, NULL), SCALAY_ERROR_ARGUMENT);
    refuse(traffic, far, &schedule, "process 1 sends 7 elements to process 2, which needs 0");
    static const struct {
        scalay_message wrong;
        const char *told;
    } cases[] = {{{1, 2, 6}, "1 elements of part 2 are not sent"},
                 {{1, 2, 8}, "which needs 7"},
                 {{1, 2, 0}, "sends 0 elements"},
                 {{1, 2, -1}, "sends -1 elements"},
                 {{0, 2, 7}, "needs 0"},
                 {{1, 3, 7}, "needs 0"},
                 {{-1, 2, 7}, "needs 0"},
                 {{1, -1, 7}, "needs 0"},
                 {{2, 2, 7}, "needs 0"},
                 {{3, 2, 7}, "needs 0"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        messages[1] = cases[k].wrong;
        refuse(traffic, process, &schedule, cases[k].told);
    }
    messages[1] = (scalay_message){1, 2, 7};
    schedule.length = 11;
    refuse(traffic, process, &schedule, "after the end");
    schedule.length = 13;
    refuse(traffic, process, &schedule, "sum up to 12, not 13");
    schedule.length = 12;
    duration[0] = 4;
    assert_int_equal(scalay_schedule_check(traffic, process, &schedule), SCALAY_ERROR_MISMATCH);
    duration[0] = 5;
    messages[0].elements = 4;
    messages[2] = (scalay_message){0, 1, 1};
    refuse(traffic, process, &schedule, "3 elements of part 0 are not sent");
    start[1] = 2;
    messages[0] = (scalay_message){0, 1, 3};
    messages[1] = (scalay_message){0, 1, 2};
    refuse(traffic, process, &schedule, "process 0 sends to process 1 while one of them is busy");
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void there_are_few_global_steps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        enum { P = 64, ITEMS = 20 };
        scalay_random random = scalay_random_seed(seed);
        int process[P];
        instance made = instance_allocate(P, P);
        fill_balanced(&made, &random, ITEMS);
        for (int j = 0; j < P; j++) process[j] = j;
        int64_t rounds = check_schedule(&made, process, P);
        assert_true(rounds >= 1 && rounds <= 2 * ITEMS);
        instance_free(&made);
    }
    /* Items that come in one size are moved in as many steps as the busiest process has partners. */
    instance made = instance_allocate(9, 9);
    int process[9];
    for (int j = 0; j < 9; j++) process[j] = j;
    for (int k = 0; k < 81; k++) made.items[k] = 4096;
    assert_int_equal(check_schedule(&made, process, 9), 8);
    instance_free(&made);
}

static void nothing_to_move_makes_an_empty_schedule(void **state)
{
    (void)state;
    int process[3] = {2, 0, 1};
    instance made = instance_allocate(3, 3);
    assert_int_equal(check_schedule(&made, process, 3), 0);
    for (int j = 0; j < 3; j++) made.items[process[j] * 3 + j] = 7;
    assert_int_equal(check_schedule(&made, process, 3), 0);
    instance_free(&made);
    int64_t length = 0;
    int64_t count = 0;
    const scalay_message *messages = NULL;
    assert_int_equal(schedule_summary(NULL).rounds, 0);
    assert_int_equal(schedule_summary(NULL).length, 0);
    assert_int_equal(scalay_schedule_round(NULL, 0, &length, &count, &messages), SCALAY_ERROR_ARGUMENT);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    int place[2] = {0, 1};
    int64_t items[2] = {3, 4};
    int twice[2] = {1, 1};
    int negative[2] = {0, -1};
    scalay_traffic *traffic = NULL;
    scalay_schedule *schedule = NULL;
    int64_t length = 0;
    int64_t count = 0;
    const scalay_message *messages = NULL;
    assert_success(scalay_traffic_from_entries(2, 2, 2, place, place, items, &traffic));
    assert_int_equal(scalay_schedule_create(NULL, place, NULL, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_create(traffic, NULL, NULL, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_create(traffic, twice, NULL, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(create_sliced(traffic, place, 0, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(create_timed(traffic, place, -2, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(create_preemptive(traffic, twice, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(create_preemptive(NULL, place, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(create_preemptive(traffic, place, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(create_timed(NULL, place, 1, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(create_timed(traffic, place, 1, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_create(traffic, negative, NULL, &schedule), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_create(traffic, place, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_null(schedule);
    int swapped[2] = {1, 0};
    assert_success(scalay_schedule_create(traffic, swapped, NULL, &schedule));
    assert_int_equal(scalay_schedule_round(schedule, -1, &length, &count, &messages), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_round(schedule, schedule_summary(schedule).rounds, &length, &count, &messages),
                     SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_schedule_round(schedule, 0, NULL, &count, &messages), SCALAY_ERROR_ARGUMENT);
    scalay_schedule_destroy(&schedule);
    scalay_schedule_destroy(&schedule);
    scalay_schedule_destroy(NULL);
    scalay_traffic_destroy(&traffic);
}

static int64_t time_of(const scalay_schedule *schedule, int64_t startup)
{
    return schedule_summary(schedule).length + schedule_summary(schedule).rounds * startup;
}

/* What is chosen by estimate takes little longer than the best of all slices. */
static void estimates_choose_well(void **state)
{
    enum { SEEDS = 24 };
    (void)state;
    double sum = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        enum { EXTENT = 48, LARGEST = 1000 };
        scalay_random random = scalay_random_seed(seed);
        instance made = instance_allocate(EXTENT, EXTENT);
        scalay_traffic *traffic = NULL;
        scalay_schedule *timed = NULL, *sliced = NULL;
        int process[EXTENT];
        int64_t best = INT64_MAX;
        const int64_t startup = 1 + LARGEST * (int64_t)(seed % 8) / 16;
        fill_balanced(&made, &random, 12);
        for (int k = 0; k < EXTENT * EXTENT; k++) made.items[k] *= 1 + scalay_random_below(&random, LARGEST);
        random_processes(&random, EXTENT, EXTENT, process);
        assert_success(instance_traffic(&made, &traffic));
        for (int64_t slice = 1; slice <= 2 * LARGEST; slice *= 2) {
            assert_success(create_sliced(traffic, process, slice, &sliced));
            if (time_of(sliced, startup) < best) best = time_of(sliced, startup);
            scalay_schedule_destroy(&sliced);
        }
        assert_success(create_timed(traffic, process, startup, &timed));
        assert_success(scalay_schedule_check(traffic, process, timed));
        const double ratio = (double)time_of(timed, startup) / (double)best;
        if (ratio > 1.15) fail_msg("seed %d: %.3f times the best", (int)seed, ratio);
        sum += ratio;
        scalay_schedule_destroy(&timed);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
    }
    if (sum > 1.03 * SEEDS) fail_msg("%.3f times the best on average", sum / SEEDS);
    assert_int_equal(scalay_memory_live(), 0);
}

/* All that changes process is sent, and starting steps is weighed against waiting. */
static void startups_choose_the_slices(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int extent = 2 + (int)scalay_random_below(&random, 12);
        const int64_t startup = scalay_random_below(&random, 2000);
        instance made = instance_random(&random, extent, extent, (int)(seed % HUGE_ITEMS));
        scalay_traffic *traffic = NULL;
        scalay_schedule *timed = NULL, *uncut = NULL;
        int *process = calloc((size_t)extent, sizeof *process);
        int64_t volume = 0, steps = 0, length = 0;
        ledger book = {calloc((size_t)extent * (size_t)extent, sizeof(int64_t)),
                       calloc((size_t)extent, sizeof(int64_t)), extent};
        random_processes(&random, extent, extent, process);
        instance_cost(&made, process, extent, &volume, &steps);
        assert_success(instance_traffic(&made, &traffic));
        assert_success(create_timed(traffic, process, startup, &timed));
        assert_success(create_sliced(traffic, process, INT64_MAX, &uncut));
        for (int64_t k = 0; k < schedule_summary(timed).rounds; k++) check_step(timed, k, &book, &length);
        assert_int_equal(length, schedule_summary(timed).length);
        for (int i = 0; i < extent; i++)
            for (int j = 0; j < extent; j++)
                assert_int_equal(book.sent[i * extent + process[j]], i == process[j] ? 0 : instance_get(&made, i, j));
        assert_true(length >= steps);
        assert_true(time_of(timed, startup) <= time_of(uncut, startup));
        if (startup == 0) assert_int_equal(length, steps);
        scalay_schedule_destroy(&timed);
        assert_success(create_timed(traffic, process, INT64_MAX, &timed));
        assert_success(scalay_schedule_check(traffic, process, timed));
        assert_int_equal(schedule_summary(timed).rounds, schedule_summary(uncut).rounds);
        scalay_schedule_destroy(&timed);
        scalay_schedule_destroy(&uncut);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
        free(book.sent);
        free(book.seen);
        free(process);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static scalay_status create_for_startup(const scalay_traffic *traffic, const int *process, scalay_schedule **schedule)
{
    return create_timed(traffic, process, 20, schedule);
}

static scalay_status create_coarse(const scalay_traffic *traffic, const int *process, scalay_schedule **schedule)
{
    return create_sliced(traffic, process, 40, schedule);
}

typedef scalay_status (*creator)(const scalay_traffic *traffic, const int *process, scalay_schedule **schedule);

static void fail_allocations(creator create)
{
    scalay_random random = scalay_random_seed(3);
    instance made = instance_random(&random, 6, 7, UNIFORM);
    int process[7] = {6, 5, 4, 3, 2, 1, 0};
    scalay_traffic *traffic = NULL;
    assert_success(instance_traffic(&made, &traffic));
    int64_t before = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t failures = 0;
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        scalay_schedule *schedule = NULL;
        scalay_memory_fail_at(n);
        status = create(traffic, process, &schedule);
        scalay_memory_fail_at(0);
        if (status != SCALAY_SUCCESS) {
            assert_int_equal(status, SCALAY_ERROR_MEMORY);
            assert_null(schedule);
            failures++;
        }
        scalay_schedule_destroy(&schedule);
        assert_int_equal(scalay_memory_live(), before);
    }
    assert_true(failures > 10);
    scalay_traffic_destroy(&traffic);
    instance_free(&made);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    fail_allocations(create_for_startup);
    fail_allocations(create_coarse);
    fail_allocations(scalay_schedule_create_preemptive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_sent_once_and_no_port_is_used_twice),
        cmocka_unit_test(preemptive_schedules_are_exact),
        cmocka_unit_test(preemptive_schedules_of_extremes),
        cmocka_unit_test(thin_and_dense_traffic),
        cmocka_unit_test(the_checker_finds_what_is_wrong),
        cmocka_unit_test(there_are_few_global_steps),
        cmocka_unit_test(startups_choose_the_slices),
        cmocka_unit_test(estimates_choose_well),
        cmocka_unit_test(nothing_to_move_makes_an_empty_schedule),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
