/* Who should take which part? A matrix lies block-cyclically on 2 x 3 processes and is wanted on a 3 x 2 grid with
 * other blocks. Planning needs no MPI: this program never calls it. */
#include <stdio.h>
#include <stdlib.h>

#include "scalay/layout.h"
#include "scalay/schedule.h"

/* Processes 2k and 2k + 1 share a node: moving an item within it costs a tenth. */
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

static void print_mapping(const scalay_mapping *mapping)
{
    printf("%-13s volume %6lld  steps %5lld  time %8.1f  %s; parts go to",
           scalay_objective_name(scalay_mapping_objective(mapping)), (long long)scalay_mapping_volume(mapping),
           (long long)scalay_mapping_steps(mapping), scalay_mapping_time(mapping),
           scalay_mapping_proof(mapping) == SCALAY_PROOF_OPTIMAL ? "optimal" : "as given");
    if (scalay_mapping_time_bound(mapping) < scalay_mapping_time(mapping))
        printf(" (at least %.1f is proven)", scalay_mapping_time_bound(mapping));
    for (int j = 0; j < scalay_mapping_parts(mapping); j++) printf(" %d", scalay_mapping_process(mapping)[j]);
    printf(" of %d processes\n", scalay_mapping_processes(mapping));
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
    printf("%d processes, %d parts, %lld items, %lld pairs that share some:\n", scalay_traffic_processes(traffic),
           scalay_traffic_parts(traffic), (long long)scalay_traffic_items(traffic),
           (long long)scalay_traffic_nonzeros(traffic));
    for (int i = 0; i < scalay_traffic_processes(traffic); i++) {
        int64_t count = 0;
        const int *part = NULL;
        const int64_t *items = NULL;
        stop_unless(scalay_traffic_row(traffic, i, &count, &part, &items), SCALAY_SUCCESS);
        for (int64_t k = 0; k < count; k++) printf("  %d->%d: %lld", i, part[k], (long long)items[k]);
        printf("\n");
    }
}

/* Returns whether the schedule moves exactly the volume in exactly the steps. */
static int print_schedule(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    scalay_schedule *schedule = NULL;
    int64_t moved = 0;
    stop_unless(scalay_schedule_create(traffic, scalay_mapping_process(mapping), &schedule), SCALAY_SUCCESS);
    for (int64_t k = 0; k < scalay_schedule_rounds(schedule); k++) {
        int64_t length = 0;
        int64_t count = 0;
        const scalay_message *messages = NULL;
        stop_unless(scalay_schedule_round(schedule, k, &length, &count, &messages), SCALAY_SUCCESS);
        printf("  %5lld items:", (long long)length);
        for (int64_t e = 0; e < count; e++) {
            printf(" %d->%d", messages[e].from, messages[e].to);
            moved += messages[e].items;
        }
        printf("\n");
    }
    int exact =
        moved == scalay_mapping_volume(mapping) && scalay_schedule_length(schedule) == scalay_mapping_steps(mapping);
    scalay_schedule_destroy(&schedule);
    return exact;
}

/* Returns whether a schedule in which no message is cut has as many steps as some process has partners, and the same
   volume. */
static int count_whole_messages(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    scalay_schedule *schedule = NULL;
    int64_t moved = 0;
    stop_unless(scalay_schedule_create_sliced(traffic, scalay_mapping_process(mapping), INT64_MAX, &schedule),
                SCALAY_SUCCESS);
    for (int64_t k = 0; k < scalay_schedule_rounds(schedule); k++) {
        int64_t length = 0;
        int64_t count = 0;
        const scalay_message *messages = NULL;
        stop_unless(scalay_schedule_round(schedule, k, &length, &count, &messages), SCALAY_SUCCESS);
        for (int64_t e = 0; e < count; e++) moved += messages[e].items;
    }
    int few = scalay_schedule_rounds(schedule) < scalay_mapping_processes(mapping);
    const int64_t startup = 100, uncut = scalay_schedule_rounds(schedule) * startup + scalay_schedule_length(schedule);
    printf("  uncut: %lld steps, %lld items long\n", (long long)scalay_schedule_rounds(schedule),
           (long long)scalay_schedule_length(schedule));
    scalay_schedule_destroy(&schedule);
    /* Starting a step takes as long as 100 items: what is best is no worse than this. */
    stop_unless(scalay_schedule_create_timed(traffic, scalay_mapping_process(mapping), startup, &schedule),
                SCALAY_SUCCESS);
    few = few && scalay_schedule_rounds(schedule) * startup + scalay_schedule_length(schedule) <= uncut;
    scalay_schedule_destroy(&schedule);
    return few && moved == scalay_mapping_volume(mapping);
}

/* Without global steps, every process by itself: as short as can be. Whether it is right is checked by code that has
   not made it. */
static int flow(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    scalay_schedule *schedule = NULL;
    const int *process = scalay_mapping_process(mapping);
    stop_unless(scalay_schedule_create_preemptive(traffic, process, &schedule), SCALAY_SUCCESS);
    stop_unless(scalay_schedule_check(traffic, process, schedule), SCALAY_SUCCESS);
    printf("  preemptive: messages begin at %lld times\n", (long long)scalay_schedule_rounds(schedule));
    int exact = scalay_schedule_length(schedule) == scalay_mapping_steps(mapping);
    scalay_schedule_destroy(&schedule);
    return exact;
}

/* The costs of a mapping are those of its definition, and it can be put on the target layout. */
static int use_mapping(const scalay_traffic *traffic, const scalay_mapping *mapping, const scalay_layout *target)
{
    int64_t volume = 0;
    int64_t steps = 0;
    scalay_layout *mapped = NULL;
    stop_unless(scalay_traffic_cost(traffic, scalay_mapping_process(mapping), &volume, &steps), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_apply(mapping, target, &mapped), SCALAY_SUCCESS);
    int right = volume == scalay_mapping_volume(mapping) && steps == scalay_mapping_steps(mapping);
    for (int j = 0; j < scalay_mapping_parts(mapping); j++)
        right = right && scalay_layout_process_of_part(mapped, j) == scalay_mapping_process(mapping)[j];
    scalay_layout_destroy(&mapped);
    return right;
}

/* All trade-offs between steps and volume; the check does not trust the solver. */
static int print_front(const scalay_layout *source, const scalay_layout *target, const scalay_traffic *traffic)
{
    scalay_mapping_front *front = NULL, *same = NULL;
    stop_unless(scalay_mapping_front_create(source, target, NULL, &front), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_front_from_traffic(traffic, NULL, &same), SCALAY_SUCCESS);
    for (int64_t k = 0; k < scalay_mapping_front_count(front); k++) {
        const scalay_mapping *point = scalay_mapping_front_get_mapping(front, k);
        printf("  %lld steps: %lld items move\n", (long long)scalay_mapping_steps(point),
               (long long)scalay_mapping_volume(point));
    }
    const int right = scalay_mapping_front_check(traffic, front, NULL) == SCALAY_SUCCESS &&
                      scalay_mapping_front_count(front) == scalay_mapping_front_count(same);
    scalay_mapping_front_destroy(&front);
    scalay_mapping_front_destroy(&same);
    return right;
}

/* Traffic that does not come from layouts, and a mapping of one's own. Process 1 must not take a part. */
static int map_a_list(void)
{
    const int process[] = {0, 1, 1, 2};
    const int part[] = {1, 0, 1, 0};
    const int64_t items[] = {10, 50, 20, 30};
    const unsigned char barred[] = {0, 1, 0};
    const int own_choice[] = {2, 0};
    scalay_traffic *traffic = NULL;
    scalay_mapping *best = NULL;
    scalay_mapping *own = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.barred = barred;
    stop_unless(scalay_traffic_from_entries(3, 2, 4, process, part, items, &traffic), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &best), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_from_processes(traffic, 3, 2, own_choice, &own), SCALAY_SUCCESS);
    print_mapping(best);
    print_mapping(own);
    int right = scalay_traffic_get_entry(traffic, 1, 0) == 50 && scalay_mapping_volume(best) == 70 &&
                scalay_mapping_volume(own) == scalay_mapping_volume(best);
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
    int right = print_schedule(traffic, mapping) && count_whole_messages(traffic, mapping) && flow(traffic, mapping) &&
                use_mapping(traffic, mapping, target) && print_front(source, target, traffic) && map_a_list();
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return right ? 0 : 1;
}
