/* Gantt charts: the bars are the messages of the schedule, each at both of its ends; what is cut off is told. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "io/plot.h"
#include "summaries.h"

#define FINE(call) assert_fine((call), #call)

static void assert_fine(scalay_status status, const char *what)
{
    if (status != SCALAY_SUCCESS) fail_msg("%s: %s", what, scalay_error_message());
}

static int *identity(int parts)
{
    int *process = malloc((size_t)parts * sizeof *process);
    assert_non_null(process);
    for (int k = 0; k < parts; k++) process[k] = k;
    return process;
}

/* A schedule of the traffic of everybody to everybody, `most` items at most. */
static scalay_schedule *all_to_all(int processes, int64_t most, int preemptive)
{
    scalay_random random = scalay_random_seed(7);
    scalay_traffic *traffic = NULL;
    scalay_schedule *schedule = NULL;
    const int64_t count = (int64_t)processes * processes;
    int *from = malloc((size_t)count * sizeof *from), *to = malloc((size_t)count * sizeof *to);
    int64_t *items = malloc((size_t)count * sizeof *items);
    int *process = identity(processes);
    for (int64_t k = 0; k < count; k++) {
        from[k] = (int)(k / processes);
        to[k] = (int)(k % processes);
        items[k] = most > 0 ? 1 + scalay_random_below(&random, most) : 0;
    }
    FINE(scalay_traffic_from_entries(processes, processes, count, from, to, items, &traffic));
    FINE(preemptive ? create_preemptive(traffic, process, &schedule)
                    : scalay_schedule_create(traffic, process, NULL, &schedule));
    scalay_traffic_destroy(&traffic);
    free(from);
    free(to);
    free(items);
    free(process);
    return schedule;
}

/* Draws and gives back the script. */
static char *script_of(const scalay_schedule *schedule, int processes)
{
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create(NULL, &plot));
    FINE(scalay_plot_add_schedule(plot, "when", schedule, processes));
    FINE(scalay_plot_save(plot, "plot_schedule_test.svg"));
    scalay_plot_destroy(&plot);
    FILE *file = fopen("plot_schedule_test.svg.gp", "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 22);
    assert_true(fread(text, 1, (1 << 22) - 1, file) > 100);
    fclose(file);
    unlink("plot_schedule_test.svg");
    unlink("plot_schedule_test.svg.gp");
    return text;
}

typedef struct {
    long long bars;
    long long area[64]; /* item steps in which each row is sending or receiving */
    long long end;      /* of the last bar */
} chart;

/* Reads the bars; in no half of a row one begins before the last one has ended. */
static chart read_chart(const char *script)
{
    chart read = {0};
    long long busy[2][64] = {{0}};
    const char *at = strstr(script, "$panel1 << EOD\n");
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; strncmp(at, "EOD", 3) != 0; at = strchr(at, '\n') + 1) {
        long long middle = 0, first = 0, last = 0;
        double row = 0.0, upper = 0.0, lower = 0.0;
        int colour = 0;
        assert_int_equal(
            sscanf(at, "%lld %lf %lld %lld %lf %lf %d", &middle, &row, &first, &last, &upper, &lower, &colour), 7);
        if (first < 0) continue; /* outside of the picture */
        const int process = (int)(row + 0.5), receives = row > process;
        assert_true(process < 64 && last > first && first >= busy[receives][process] && colour != process);
        busy[receives][process] = last;
        read.bars++;
        read.area[process] += last - first;
        if (last > read.end) read.end = last;
    }
    return read;
}

static void bars_are_the_messages(void **state)
{
    (void)state;
    for (int preemptive = 0; preemptive < 2; preemptive++)
        for (int processes = 2; processes <= 12; processes += 5) {
            scalay_schedule *schedule = all_to_all(processes, 90, preemptive);
            long long messages = 0, area[64] = {0};
            char *script = script_of(schedule, processes);
            const chart read = read_chart(script);
            for (int64_t step = 0; step < schedule_summary(schedule).rounds; step++) {
                int64_t length = 0, count = 0;
                const scalay_message *sent = NULL;
                FINE(scalay_schedule_round(schedule, step, &length, &count, &sent));
                messages += count;
                for (int64_t k = 0; k < count; k++) {
                    area[sent[k].from] += sent[k].elements;
                    area[sent[k].to] += sent[k].elements;
                }
            }
            assert_int_equal(read.bars, 2 * messages);
            assert_memory_equal(read.area, area, sizeof area);
            assert_int_equal(read.end, schedule_summary(schedule).length);
            assert_null(strstr(script, "the first"));
            assert_null(strstr(script, "cut off"));
            free(script);
            scalay_schedule_destroy(&schedule);
        }
}

static void what_does_not_fit_is_cut_off_and_told(void **state)
{
    (void)state;
    for (int preemptive = 0; preemptive < 2; preemptive++) {
        scalay_schedule *schedule = all_to_all(80, 1000, preemptive);
        char *script = script_of(schedule, 250);
        const chart read = read_chart(script);
        assert_true(read.bars > 3000 && read.bars <= 4096 && read.end < schedule_summary(schedule).length);
        assert_non_null(strstr(script, "set title 'when (the first 64 of 250 processes, "));
        assert_non_null(strstr(script, "(cut off)"));
        assert_non_null(strstr(script, "set yrange [63.5:-0.5]"));
        free(script);
        scalay_schedule_destroy(&schedule);
    }
}

static void nothing_to_do_is_told(void **state)
{
    (void)state;
    scalay_schedule *schedule = all_to_all(1, 0, 0);
    char *script = script_of(schedule, 1);
    assert_int_equal(read_chart(script).bars, 0);
    assert_non_null(strstr(script, "nothing moves"));
    free(script);
    scalay_schedule_destroy(&schedule);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    scalay_schedule *schedule = all_to_all(3, 5, 0);
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create(NULL, &plot));
    assert_int_equal(scalay_plot_add_schedule(plot, NULL, NULL, 3), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_plot_add_schedule(NULL, NULL, schedule, 3), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_plot_add_schedule(plot, NULL, schedule, 0), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_plot_add_schedule(plot, NULL, schedule, 2), SCALAY_ERROR_ARGUMENT);
    assert_non_null(strstr(scalay_error_message(), "process 2 has a message"));
    scalay_plot_destroy(&plot);
    scalay_schedule_destroy(&schedule);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    scalay_schedule *schedule = all_to_all(5, 5, 0);
    const int64_t before = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    int n = 0;
    while (status != SCALAY_SUCCESS && n < 100) {
        scalay_plot *plot = NULL;
        FINE(scalay_plot_create(NULL, &plot));
        scalay_memory_fail_at(++n);
        status = scalay_plot_add_schedule(plot, "when", schedule, 5);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        scalay_plot_destroy(&plot);
        assert_int_equal(scalay_memory_live(), before);
    }
    assert_true(status == SCALAY_SUCCESS && n > 3);
    scalay_schedule_destroy(&schedule);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_the_messages),           cmocka_unit_test(what_does_not_fit_is_cut_off_and_told),
        cmocka_unit_test(nothing_to_do_is_told),           cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
