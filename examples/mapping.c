/* Finds the best assignment of parts to processes. A block-cyclic matrix on 2 x 3 processes is to be redistributed to a
 * 3 x 2 grid with other blocks. Planning needs no MPI. */
#include <stdio.h>
#include <stdlib.h>

#include "scalay/layout.h"
#include "scalay/schedule.h"

/* Processes 2k and 2k + 1 share a node: moving an element within it costs a tenth. */
static double link_cost(int from, int to, void *context)
{
    const double *within_node = context;
    if (from == to) return 0.0;
    return from / 2 == to / 2 ? *within_node : 1.0;
}

static void stop_unless(scalay_status status, scalay_status expected)
{
    if (status == expected) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(1);
}

static scalay_mapping_summary summary_of(const scalay_mapping *mapping)
{
    scalay_mapping_summary summary;
    stop_unless(scalay_mapping_get_summary(mapping, &summary), SCALAY_SUCCESS);
    return summary;
}

static scalay_schedule_summary schedule_summary_of(const scalay_schedule *schedule)
{
    scalay_schedule_summary summary;
    stop_unless(scalay_schedule_get_summary(schedule, &summary), SCALAY_SUCCESS);
    return summary;
}

static void print_mapping(const scalay_mapping *mapping)
{
    const scalay_mapping_summary summary = summary_of(mapping);
    printf("%-13s volume %6lld  steps %5lld  time %8.1f  %s; processes of the parts:",
           scalay_objective_name(summary.objective), (long long)summary.volume, (long long)summary.steps, summary.time,
           summary.proof == SCALAY_PROOF_OPTIMAL ? "optimal" : "as given");
    if (summary.time_bound < summary.time) printf(" (at least %.1f is proven)", summary.time_bound);
    for (int j = 0; j < summary.parts; j++) printf(" %d", scalay_mapping_process(mapping)[j]);
    printf(" of %d processes\n", summary.processes);
}

/* Every objective; returns the mapping with the fewest steps, and least volume among those. */
static scalay_mapping *compare_objectives(const scalay_layout *source, const scalay_layout *target,
                                          const scalay_traffic *traffic)
{
    static const scalay_objective objectives[] = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME,
                                                  SCALAY_MIN_STEPS, SCALAY_MIN_VOLUME_THEN_STEPS,
                                                  SCALAY_MIN_TIME,  SCALAY_MIN_STEPS_THEN_VOLUME};
    double within_node = 0.1;
    scalay_mapping_options options = scalay_mapping_options_default();
    scalay_mapping *mapping = NULL;
    options.link_cost = link_cost;
    options.link_context = &within_node;
    for (size_t k = 0; k < sizeof objectives / sizeof objectives[0]; k++) {
        scalay_mapping_destroy(&mapping);
        stop_unless(scalay_mapping_create(source, target, objectives[k], &options, &mapping), SCALAY_SUCCESS);
        /* Verifies costs and optimality without the solver. */
        stop_unless(scalay_mapping_check(traffic, mapping, &options), SCALAY_SUCCESS);
        print_mapping(mapping);
    }
    return mapping;
}

static void print_traffic(const scalay_traffic *traffic)
{
    scalay_traffic_summary summary;
    stop_unless(scalay_traffic_get_summary(traffic, &summary), SCALAY_SUCCESS);
    printf("%d processes, %d parts, %lld elements, %lld entries:\n", summary.processes, summary.parts,
           (long long)summary.elements, (long long)summary.nonzeros);
    for (int i = 0; i < summary.processes; i++) {
        int64_t count = 0;
        const int *part = NULL;
        const int64_t *elements = NULL;
        stop_unless(scalay_traffic_row(traffic, i, &count, &part, &elements), SCALAY_SUCCESS);
        for (int64_t k = 0; k < count; k++) printf("  %d->%d: %lld", i, part[k], (long long)elements[k]);
        printf("\n");
    }
}

static int64_t sum_elements(const scalay_schedule *schedule, int64_t round)
{
    int64_t length = 0, count = 0, sum = 0;
    const scalay_message *messages = NULL;
    stop_unless(scalay_schedule_round(schedule, round, &length, &count, &messages), SCALAY_SUCCESS);
    printf("  %5lld elements:", (long long)length);
    for (int64_t e = 0; e < count; e++) {
        printf(" %d->%d", messages[e].from, messages[e].to);
        sum += messages[e].elements;
    }
    printf("\n");
    return sum;
}

/* Prints a schedule and destroys it. Returns whether it sends exactly the volume of the mapping. */
static int print_schedule(const scalay_mapping *mapping, scalay_schedule **schedule)
{
    int64_t sent = 0;
    const scalay_schedule_summary summary = schedule_summary_of(*schedule);
    for (int64_t k = 0; k < summary.rounds; k++) sent += sum_elements(*schedule, k);
    scalay_schedule_destroy(schedule);
    return sent == summary_of(mapping).volume;
}

/* The default schedule takes exactly as many element times as the mapping has steps. */
static int schedule_exactly(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    scalay_schedule *schedule = NULL;
    stop_unless(scalay_schedule_create(traffic, scalay_mapping_process(mapping), NULL, &schedule), SCALAY_SUCCESS);
    const int exact = schedule_summary_of(schedule).length == summary_of(mapping).steps;
    return print_schedule(mapping, &schedule) && exact;
}

static int64_t duration(const scalay_schedule *schedule, int64_t startup)
{
    return schedule_summary_of(schedule).rounds * startup + schedule_summary_of(schedule).length;
}

/* Schedules for a machine with a startup time per round: uncut messages, and the slice that the library chooses. */
static int schedule_with_startup(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    const int64_t startup = 100;
    scalay_schedule_options options = scalay_schedule_options_default();
    scalay_schedule *uncut = NULL, *timed = NULL;
    options.slice = INT64_MAX;
    stop_unless(scalay_schedule_create(traffic, scalay_mapping_process(mapping), &options, &uncut), SCALAY_SUCCESS);
    options = scalay_schedule_options_default();
    options.startup = startup;
    stop_unless(scalay_schedule_create(traffic, scalay_mapping_process(mapping), &options, &timed), SCALAY_SUCCESS);
    const int right = schedule_summary_of(uncut).rounds < summary_of(mapping).processes &&
                      duration(timed, startup) <= duration(uncut, startup);
    scalay_schedule_destroy(&timed);
    return print_schedule(mapping, &uncut) && right;
}

/* A preemptive schedule has no global rounds and is as short as an exact one. */
static int schedule_preemptively(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    scalay_schedule *schedule = NULL;
    const int *process = scalay_mapping_process(mapping);
    scalay_schedule_options options = scalay_schedule_options_default();
    options.preemptive = 1;
    stop_unless(scalay_schedule_create(traffic, process, &options, &schedule), SCALAY_SUCCESS);
    stop_unless(scalay_schedule_check(traffic, process, schedule), SCALAY_SUCCESS);
    printf("  preemptive: messages begin at %lld times\n", (long long)schedule_summary_of(schedule).rounds);
    const int exact = schedule_summary_of(schedule).length == summary_of(mapping).steps;
    scalay_schedule_destroy(&schedule);
    return exact;
}

/* Recounts the costs of a mapping and applies it to the target layout. */
static int use_mapping(const scalay_traffic *traffic, const scalay_mapping *mapping, const scalay_layout *target)
{
    int64_t volume = 0;
    int64_t steps = 0;
    scalay_layout *mapped = NULL;
    const scalay_mapping_summary summary = summary_of(mapping);
    stop_unless(scalay_traffic_cost(traffic, scalay_mapping_process(mapping), &volume, &steps), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_apply(mapping, target, &mapped), SCALAY_SUCCESS);
    int right = volume == summary.volume && steps == summary.steps;
    for (int j = 0; j < summary.parts; j++)
        right = right && scalay_layout_process_of_part(mapped, j) == scalay_mapping_process(mapping)[j];
    scalay_layout_destroy(&mapped);
    return right;
}

/* The Pareto front of steps and volume. The check is independent of the solver. */
static int print_front(const scalay_layout *source, const scalay_layout *target, const scalay_traffic *traffic)
{
    scalay_mapping_front *front = NULL, *same = NULL;
    stop_unless(scalay_mapping_front_create(source, target, NULL, &front), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_front_from_traffic(traffic, NULL, &same), SCALAY_SUCCESS);
    for (int64_t k = 0; k < scalay_mapping_front_count(front); k++) {
        const scalay_mapping *point = scalay_mapping_front_get_mapping(front, k);
        printf("  %lld steps: %lld elements move\n", (long long)summary_of(point).steps,
               (long long)summary_of(point).volume);
    }
    const int right = scalay_mapping_front_check(traffic, front, NULL) == SCALAY_SUCCESS &&
                      scalay_mapping_front_count(front) == scalay_mapping_front_count(same);
    scalay_mapping_front_destroy(&front);
    scalay_mapping_front_destroy(&same);
    return right;
}

/* Traffic given by its entries, and a mapping given by its processes. Process 1 must not get a part. */
static int map_a_list(void)
{
    const int process[] = {0, 1, 1, 2};
    const int part[] = {1, 0, 1, 0};
    const int64_t elements[] = {10, 50, 20, 30};
    const unsigned char barred[] = {0, 1, 0};
    const int own_choice[] = {2, 0};
    scalay_traffic *traffic = NULL;
    scalay_mapping *best = NULL;
    scalay_mapping *own = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.barred = barred;
    stop_unless(scalay_traffic_from_entries(3, 2, 4, process, part, elements, &traffic), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &best), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_from_processes(traffic, 3, 2, own_choice, &own), SCALAY_SUCCESS);
    print_mapping(best);
    print_mapping(own);
    int right = scalay_traffic_get_entry(traffic, 1, 0) == 50 && summary_of(best).volume == 70 &&
                summary_of(own).volume == summary_of(best).volume;
    scalay_mapping_destroy(&best);
    scalay_mapping_destroy(&own);
    scalay_traffic_destroy(&traffic);
    return right;
}

int main(void)
{
    scalay_layout *source = NULL;
    scalay_layout *target = NULL;
    scalay_traffic *traffic = NULL;
    stop_unless(scalay_layout_block_cyclic(100, 80, 8, 8, 2, 3, 1, 2, SCALAY_ROW_MAJOR, &source), SCALAY_SUCCESS);
    stop_unless(scalay_layout_block_cyclic(100, 80, 16, 10, 3, 2, 0, 0, SCALAY_COLUMN_MAJOR, &target), SCALAY_SUCCESS);
    stop_unless(scalay_traffic_create(source, target, &traffic), SCALAY_SUCCESS);
    print_traffic(traffic);
    scalay_mapping *mapping = compare_objectives(source, target, traffic);
    int right = schedule_exactly(traffic, mapping) && schedule_with_startup(traffic, mapping) &&
                schedule_preemptively(traffic, mapping) && use_mapping(traffic, mapping, target) &&
                print_front(source, target, traffic) && map_a_list();
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return right ? 0 : 1;
}
