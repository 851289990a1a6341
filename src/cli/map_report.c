#include "map_report.h"

#include <stdio.h>

#include "map_certificate.h"
#include "map_given.h"
#include "report.h"

enum { MOST_PARTS = 64, MOST_STEPS = 32, SENTENCE = 512 };

static const char *proof_name(scalay_proof proof)
{
    static const char *const names[] = {
        [SCALAY_PROOF_NONE] = "none", [SCALAY_PROOF_OPTIMAL] = "optimal", [SCALAY_PROOF_HEURISTIC] = "heuristic"};
    return names[proof];
}

double scalay_map_link_time(const scalay_map_result *result, const scalay_mapping *mapping)
{
    double sum = 0.0;
    const int *process = scalay_mapping_process(mapping);
    for (int from = 0; from < scalay_traffic_processes(result->traffic); from++) {
        int64_t count = 0;
        const int *part = NULL;
        const int64_t *items = NULL;
        if (scalay_traffic_row(result->traffic, from, &count, &part, &items) != SCALAY_SUCCESS) continue;
        for (int64_t k = 0; k < count; k++)
            sum += (double)items[k] * result->options.link_cost(from, process[part[k]], result->options.link_context);
    }
    return sum;
}

/* --------------------------------------------------------------------------------------------------- text */

static double percent(int64_t part, int64_t whole)
{
    return scalay_percent((double)part, (double)whole);
}

static void print_problem(const scalay_map_result *result)
{
    char sentence[SENTENCE];
    for (int k = 0; k < result->pairs; k++) {
        (void)scalay_layout_describe(result->source[k], sentence, sizeof sentence);
        printf("from  %s\n", sentence);
        (void)scalay_layout_describe(result->target[k], sentence, sizeof sentence);
        printf("to    %s\n", sentence);
    }
    printf("%d processes hold %lld items of %d parts", result->processes, (long long)result->items, result->parts);
    if (result->traffic != NULL)
        printf("; %lld pairs of a process and a part have something in common",
               (long long)scalay_traffic_nonzeros(result->traffic));
    printf(".\n\n");
}

static scalay_status print_costs(const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    const char *name = scalay_objective_name(scalay_mapping_objective(result->chosen));
    int64_t volume[2] = {scalay_mapping_volume(result->canonical), scalay_mapping_volume(result->chosen)};
    int64_t steps[2] = {scalay_mapping_steps(result->canonical), scalay_mapping_steps(result->chosen)};
    int64_t items = result->items;
    SCALAY_TRY(scalay_table_add(&table, "mapping|canonical|%s", name));
    SCALAY_TRY(scalay_table_add(&table, "volume (items)|%lld|%lld", (long long)volume[0], (long long)volume[1]));
    SCALAY_TRY(
        scalay_table_add(&table, "volume (share)|%.1f%%|%.1f%%", percent(volume[0], items), percent(volume[1], items)));
    SCALAY_TRY(scalay_table_add(&table, "steps (items)|%lld|%lld", (long long)steps[0], (long long)steps[1]));
    if (result->options.link_cost != NULL)
        SCALAY_TRY(scalay_table_add(&table, "time (link costs)|%.6g|%.6g",
                                    scalay_map_link_time(result, result->canonical),
                                    scalay_map_link_time(result, result->chosen)));
    scalay_table_print(&table);
    printf("\nThe %s mapping moves %.1f%% of the items instead of %.1f%%.\n", name, percent(volume[1], items),
           percent(volume[0], items));
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_proof(const scalay_map_result *result)
{
    static const char *const sentences[] = {
        [SCALAY_PROOF_NONE] = "Nothing was optimised, nothing is proven.",
        [SCALAY_PROOF_OPTIMAL] = "It is proven optimal for its objective.",
        [SCALAY_PROOF_HEURISTIC] = "It is heuristic.",
    };
    const scalay_mapping *chosen = result->chosen;
    const int64_t bound = scalay_mapping_bound(chosen), steps_bound = scalay_mapping_steps_bound(chosen);
    printf("%s", sentences[scalay_mapping_proof(chosen)]);
    if (scalay_mapping_proof(chosen) == SCALAY_PROOF_HEURISTIC && steps_bound > 0)
        printf(" It takes at least %lld steps in any case: it is within %.3g%% of the fewest.", (long long)steps_bound,
               percent(scalay_mapping_steps(chosen) - steps_bound, steps_bound));
    if (scalay_mapping_proof(chosen) == SCALAY_PROOF_HEURISTIC && result->options.link_cost != NULL)
        printf(" It takes at least %.6g in any case.", scalay_mapping_time_bound(chosen));
    if (scalay_mapping_proof(chosen) == SCALAY_PROOF_HEURISTIC && bound > 0)
        printf(" At least %lld items move in any case: it is within %.3g%% of the best.", (long long)bound,
               percent(scalay_mapping_volume(chosen) - bound, bound));
    if (result->checked) printf(" The certificate was checked without the solver: it holds.");
    printf("\n");
}

static scalay_status print_mapping(const scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int parts = scalay_mapping_parts(mapping);
    SCALAY_TRY(scalay_table_add(&table, "part|process"));
    for (int part = 0; part < parts && part < MOST_PARTS; part++)
        SCALAY_TRY(scalay_table_add(&table, "%d|%d", part, scalay_mapping_process(mapping)[part]));
    printf("\n");
    scalay_table_print(&table);
    if (parts > MOST_PARTS) printf("  ... and %d more; --json lists them all\n", parts - MOST_PARTS);
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_head(const scalay_map_result *result)
{
    const long long steps = scalay_schedule_rounds(result->schedule), length = scalay_schedule_length(result->schedule);
    if (result->preemptive)
        printf("\nSchedule: without rounds, messages begin at %lld times, all is over after %lld item steps", steps,
               length);
    else
        printf("\nSchedule: %lld rounds, together %lld item steps", steps, length);
    if (result->startup >= 0 && !result->preemptive)
        printf(", slices chosen for starts that take as long as %lld items", (long long)result->startup);
    printf(result->checked ? " (checked)\n" : "\n");
}

/* Messages as long as their round are told without their items; without rounds none are. */
static scalay_status print_step(const scalay_map_result *result, int64_t step, int64_t *time)
{
    int64_t length = 0;
    int64_t count = 0;
    const scalay_message *messages = NULL;
    scalay_status status = scalay_schedule_round(result->schedule, step, &length, &count, &messages);
    if (status != SCALAY_SUCCESS) return status;
    if (result->preemptive)
        printf("  at %lld:", (long long)*time);
    else
        printf("  %lld. (%lld items)", (long long)step + 1, (long long)length);
    for (int64_t k = 0; k < count && k < MOST_PARTS; k++) {
        printf(" %d->%d", messages[k].from, messages[k].to);
        if (result->preemptive || messages[k].items < length) printf(":%lld", (long long)messages[k].items);
    }
    printf("%s\n", count > MOST_PARTS ? " ..." : "");
    *time += length;
    return SCALAY_SUCCESS;
}

static scalay_status print_schedule(const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t steps = scalay_schedule_rounds(result->schedule);
    int64_t time = 0;
    print_head(result);
    for (int64_t step = 0; step < steps && step < MOST_STEPS; step++) SCALAY_TRY(print_step(result, step, &time));
    if (steps > MOST_STEPS) printf("  ... and %lld more; --json lists them all\n", (long long)(steps - MOST_STEPS));
cleanup:
    return status;
}

scalay_status scalay_map_print_text(const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    print_problem(result);
    SCALAY_TRY(print_costs(result));
    print_proof(result);
    if (result->given != NULL) scalay_map_print_given(result);
    SCALAY_TRY(print_mapping(result->chosen));
    if (result->schedule != NULL) SCALAY_TRY(print_schedule(result));
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- JSON */

static int append_message(json_t *pairs, json_t *sent, const scalay_message *message)
{
    return json_array_append_new(pairs, json_pack("[i, i]", message->from, message->to)) == 0 &&
           json_array_append_new(sent, json_integer(message->items)) == 0;
}

static json_t *step_as_json(const scalay_schedule *schedule, int64_t step)
{
    int64_t length = 0;
    int64_t count = 0;
    const scalay_message *messages = NULL;
    json_t *pairs = json_array();
    json_t *sent = json_array();
    int whole = pairs != NULL && sent != NULL &&
                scalay_schedule_round(schedule, step, &length, &count, &messages) == SCALAY_SUCCESS;
    for (int64_t k = 0; whole && k < count; k++) whole = append_message(pairs, sent, &messages[k]);
    if (whole) return json_pack("{s:I, s:o, s:o}", "items", (json_int_t)length, "pairs", pairs, "sent", sent);
    json_decref(pairs);
    json_decref(sent);
    return NULL;
}

static json_t *schedule_as_json(const scalay_schedule *schedule)
{
    json_t *steps = json_array();
    for (int64_t step = 0; steps != NULL && step < scalay_schedule_rounds(schedule); step++) {
        if (json_array_append_new(steps, step_as_json(schedule, step)) == 0) continue;
        json_decref(steps);
        steps = NULL;
    }
    return steps;
}

scalay_status scalay_map_print_json(const scalay_map_result *result)
{
    const scalay_mapping *canonical = result->canonical;
    const scalay_mapping *chosen = result->chosen;
    int parts = scalay_mapping_parts(chosen);
    int failed = 0;
    json_t *document = json_pack(
        "{s:s, s:i, s:i, s:I, s:{s:I, s:I}, s:{s:I, s:I}, s:o, s:s}", "objective",
        scalay_objective_name(scalay_mapping_objective(chosen)), "processes", scalay_mapping_processes(chosen), "parts",
        parts, "items", (json_int_t)result->items, "volume", "canonical", (json_int_t)scalay_mapping_volume(canonical),
        "chosen", (json_int_t)scalay_mapping_volume(chosen), "steps", "canonical",
        (json_int_t)scalay_mapping_steps(canonical), "chosen", (json_int_t)scalay_mapping_steps(chosen), "mapping",
        scalay_json_integers(scalay_mapping_process(chosen), parts), "proof", proof_name(scalay_mapping_proof(chosen)));
    if (scalay_mapping_bound(chosen) > 0)
        failed |= json_object_set_new(document, "bound", json_integer(scalay_mapping_bound(chosen)));
    if (scalay_mapping_steps_bound(chosen) > 0)
        failed |= json_object_set_new(document, "steps_bound", json_integer(scalay_mapping_steps_bound(chosen)));
    if (scalay_mapping_proof(chosen) != SCALAY_PROOF_NONE)
        failed |= json_object_set_new(document, "certificate", scalay_map_certificate(chosen));
    if (result->given != NULL) failed |= json_object_set_new(document, "given", scalay_map_given_as_json(result));
    if (result->checked) failed |= json_object_set_new(document, "checked", json_true());
    if (result->options.link_cost != NULL)
        failed |= json_object_set_new(document, "time",
                                      json_pack("{s:o, s:o}", "canonical",
                                                scalay_json_number(scalay_map_link_time(result, canonical)), "chosen",
                                                scalay_json_number(scalay_map_link_time(result, chosen))));
    if (result->options.link_cost != NULL && scalay_mapping_proof(chosen) == SCALAY_PROOF_HEURISTIC)
        failed |= json_object_set_new(document, "time_bound", scalay_json_number(scalay_mapping_time_bound(chosen)));
    if (result->schedule != NULL)
        failed |= json_object_set_new(document, "schedule", schedule_as_json(result->schedule)) |
                  json_object_set_new(document, "preemptive", json_boolean(result->preemptive));
    if (result->schedule != NULL && result->startup >= 0)
        failed |= json_object_set_new(document, "startup", json_integer(result->startup));
    if (failed) {
        json_decref(document);
        document = NULL;
    }
    return scalay_json_print(document);
}

/* -------------------------------------------------------------------------------------------------- front */

static int is_proven(const scalay_mapping *point)
{
    return scalay_mapping_proof(point) == SCALAY_PROOF_OPTIMAL;
}

/* What the time budget left open, in so many points. */
static void print_open(const scalay_mapping_front *front, int64_t open)
{
    const scalay_mapping *next = scalay_mapping_front_get_mapping(front, open);
    printf("The time is up.");
    if (next != NULL)
        printf(" Mappings with fewer than %lld steps", (long long)scalay_mapping_steps(next));
    else
        printf(" Mappings");
    printf(" move at least %lld items.\n",
           (long long)scalay_mapping_bound(scalay_mapping_front_get_mapping(front, open - 1)));
}

scalay_status scalay_map_print_front_text(const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int64_t open = 0;
    const int64_t items = result->items, points = scalay_mapping_front_count(result->front);
    print_problem(result);
    SCALAY_TRY(scalay_table_add(&table, "steps (items)|volume (items)|volume (share)"));
    for (int64_t k = 0; k < points; k++) {
        const scalay_mapping *point = scalay_mapping_front_get_mapping(result->front, k);
        open += !is_proven(point);
        SCALAY_TRY(scalay_table_add(&table, "%lld|%lld|%.1f%%%s", (long long)scalay_mapping_steps(point),
                                    (long long)scalay_mapping_volume(point),
                                    percent(scalay_mapping_volume(point), items), is_proven(point) ? "" : " (open)"));
    }
    scalay_table_print(&table);
    printf("\n");
    if (open > 0) print_open(result->front, open);
    printf("%s%s --json lists the mappings.\n",
           open == 0       ? "No mapping is better than these in both; that is proven."
           : open < points ? "No mapping is better in both than those that are not open; that is proven."
                           : "None of these is proven to be best.",
           result->checked ? " The certificates were checked without the solver: they hold." : "");
cleanup:
    scalay_table_free(&table);
    return status;
}

static json_t *point_as_json(const scalay_mapping *point)
{
    return json_pack("{s:I, s:I, s:o, s:s, s:I, s:I, s:o}", "steps", (json_int_t)scalay_mapping_steps(point), "volume",
                     (json_int_t)scalay_mapping_volume(point), "mapping",
                     scalay_json_integers(scalay_mapping_process(point), scalay_mapping_parts(point)), "proof",
                     proof_name(scalay_mapping_proof(point)), "bound", (json_int_t)scalay_mapping_bound(point),
                     "steps_bound", (json_int_t)scalay_mapping_steps_bound(point), "certificate",
                     scalay_map_certificate(point));
}

scalay_status scalay_map_print_front_json(const scalay_map_result *result)
{
    json_t *points = json_array();
    int failed = points == NULL;
    for (int64_t k = 0; !failed && k < scalay_mapping_front_count(result->front); k++)
        failed = json_array_append_new(points, point_as_json(scalay_mapping_front_get_mapping(result->front, k)));
    const scalay_mapping *first = scalay_mapping_front_get_mapping(result->front, 0);
    json_t *document =
        json_pack("{s:s, s:i, s:i, s:I, s:o, s:s}", "objective", "front", "processes", scalay_mapping_processes(first),
                  "parts", scalay_mapping_parts(first), "items", (json_int_t)result->items, "front", points, "proof",
                  proof_name(scalay_mapping_proof(first)));
    if (result->checked) failed |= json_object_set_new(document, "checked", json_true());
    if (failed) {
        json_decref(document);
        document = NULL;
    }
    return scalay_json_print(document);
}
