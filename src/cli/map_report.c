/* Report of scalay map: text, JSON and picture, and the judgement of a mapping of the user. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/plot.h"
#include "layout/layout.h"
#include "map.h"
#include "mapping/mapping.h"

enum { MAX_PARTS = 64, MAX_ROUNDS = 32, SENTENCE = 512 };

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
    for (int from = 0; from < scalay_map_traffic_summary(result->traffic).processes; from++) {
        int64_t count = 0;
        const int *part = NULL;
        const int64_t *items = NULL;
        if (scalay_traffic_row(result->traffic, from, &count, &part, &items) != SCALAY_SUCCESS) continue;
        for (int64_t k = 0; k < count; k++)
            sum += (double)items[k] * result->options.link_cost(from, process[part[k]], result->options.link_context);
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------- given mapping */

static scalay_status wrong_number(const char *path, int64_t found, int parts)
{
    return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %lld processes; there must be %d, one for each part", path,
                       (long long)found, parts);
}

static scalay_status wrong_process(const char *path, int part)
{
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: the process of part %d must be an integer of at least 0", path, part);
}

static scalay_status read_json(const char *path, int parts, int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    json_t *document = NULL;
    SCALAY_TRY(scalay_input_document(path, &document));
    const json_t *list = json_object_get(document, "mapping");
    if (!json_is_array(list))
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                             "%s: \"mapping\" is missing; the file must be the output of scalay map --json", path);
    else if ((int64_t)json_array_size(list) != parts)
        status = wrong_number(path, (int64_t)json_array_size(list), parts);
    for (int j = 0; j < parts && status == SCALAY_SUCCESS; j++) {
        const json_t *number = json_array_get(list, (size_t)j);
        const json_int_t value = json_is_integer(number) ? json_integer_value(number) : -1;
        if (value < 0 || value > INT_MAX) status = wrong_process(path, j);
        process[j] = (int)value;
    }
cleanup:
    json_decref(document);
    return status;
}

static scalay_status read_csv(const char *path, int parts, int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    char *text = NULL;
    int64_t found = 0;
    SCALAY_TRY(scalay_input_text(path, &text));
    for (char *at = text; *(at += strspn(at, ", \t\r\n")) != '\0'; found++) {
        char *end = NULL;
        const long value = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (value < 0 || value > INT_MAX || strchr(", \t\r\n", *end) == NULL) {
            status = wrong_process(path, (int)found);
            goto cleanup;
        }
        if (found < parts) process[found] = (int)value;
        at = end;
    }
    if (found != parts) status = wrong_number(path, found, parts);
cleanup:
    scalay_release(text);
    return status;
}

/* Computes the costs of the given mapping without the traffic: as those of the relabelled targets. */
static scalay_status cost_by_layouts(const int *process, int processes, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout **mapped = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = processes;
    SCALAY_TRY(SCALAY_NEW(mapped, result->pairs));
    for (int k = 0; k < result->pairs; k++)
        SCALAY_TRY(scalay_layout_relabel(result->target[k], processes, process, &mapped[k]));
    SCALAY_TRY(scalay_mapping_create_shared(result->pairs, (const scalay_layout *const *)result->source,
                                            (const scalay_layout *const *)mapped, NULL, SCALAY_CANONICAL, &options,
                                            &result->given));
cleanup:
    for (int k = 0; k < result->pairs && mapped != NULL; k++) scalay_layout_destroy(&mapped[k]);
    scalay_release(mapped);
    return status;
}

/* The chosen mapping keeps the grid: its processes are the positions of the grid. */
static scalay_status check_grid(const char *path, const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = result->parts, processes = scalay_map_mapping_summary(result->chosen).processes;
    const int *chosen = scalay_mapping_process(result->chosen), *given = scalay_mapping_process(result->given);
    int *position = NULL;
    SCALAY_TRY(SCALAY_NEW(position, processes));
    for (int i = 0; i < processes; i++) position[i] = -1;
    for (int j = 0; j < parts; j++) position[chosen[j]] = j;
    const int leaving = scalay_grid_find_leaving(parts, parts / result->options.grid_rows, NULL, given, position);
    if (leaving >= 0)
        status = SCALAY_FAIL(
            SCALAY_ERROR_MISMATCH,
            "%s: part %d leaves its grid row or grid column; give another --objective than grid-volume", path, leaving);
cleanup:
    scalay_release(position);
    return status;
}

scalay_status scalay_map_read_given(const char *path, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = result->parts, processes = scalay_map_mapping_summary(result->chosen).processes;
    const size_t length = strlen(path);
    const int is_json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    int *process = NULL;
    SCALAY_TRY(SCALAY_NEW(process, parts));
    SCALAY_TRY(scalay_as_input(is_json ? read_json(path, parts, process) : read_csv(path, parts, process)));
    for (int j = 0; j < parts; j++)
        if (process[j] >= processes || (result->barred != NULL && result->barred[process[j]])) {
            status = SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: part %d is on process %d, which is not offered for parts",
                                 path, j, process[j]);
            goto cleanup;
        }
    SCALAY_TRY(scalay_as_input(result->traffic != NULL ? scalay_mapping_from_processes(result->traffic, processes,
                                                                                       parts, process, &result->given)
                                                       : cost_by_layouts(process, processes, result)));
    if (scalay_map_mapping_summary(result->chosen).objective == SCALAY_MIN_GRID_VOLUME)
        SCALAY_TRY(scalay_as_input(check_grid(path, result)));
cleanup:
    scalay_release(process);
    return status;
}

/* The cost of the given mapping that decides, and its proven bound. */
typedef struct {
    const char *verb, *items;
    double cost, bound;
    int is_best;
} verdict;

static verdict judge_items(const char *verb, const char *items, int64_t cost, int64_t bound)
{
    return (verdict){verb, items, (double)cost, (double)bound, cost <= bound};
}

/* Times are rounded sums of products. */
static verdict judge_time(double cost, double bound)
{
    return (verdict){"takes", "", cost, bound, cost <= bound * (1.0 + 1e-12)};
}

/* Returns the first cost of the objective that is not proven minimal, or the last one. */
static verdict judge(const scalay_map_result *result)
{
    const scalay_mapping *chosen = result->chosen, *given = result->given;
    const scalay_objective objective = scalay_map_mapping_summary(chosen).objective;
    const verdict volume = judge_items("moves", " items", scalay_map_mapping_summary(given).volume,
                                       scalay_map_mapping_summary(chosen).volume_bound);
    const verdict steps = judge_items("takes", " steps", scalay_map_mapping_summary(given).steps,
                                      scalay_map_mapping_summary(chosen).steps_bound);
    if (objective == SCALAY_MIN_TIME && result->options.link_cost != NULL)
        return judge_time(scalay_map_link_time(result, given), scalay_map_mapping_summary(chosen).time_bound);
    if (objective == SCALAY_MIN_STEPS) return steps;
    if (objective == SCALAY_MIN_STEPS_THEN_VOLUME) return steps.is_best ? volume : steps;
    if (objective == SCALAY_MIN_VOLUME_THEN_STEPS) return volume.is_best ? steps : volume;
    return volume;
}

static void print_given(const scalay_map_result *result)
{
    const verdict found = judge(result);
    printf("\nThe given mapping %s %.15g%s; the optimum is at least %.15g.", found.verb, found.cost, found.items,
           found.bound);
    if (found.is_best)
        printf(" It is proven optimal.\n");
    else if (found.bound > 0.0)
        printf(" The distance from the optimum is at most %.3g%%.\n",
               scalay_percent(found.cost - found.bound, found.bound));
    else
        printf("\n");
}

static json_t *given_as_json(const scalay_map_result *result)
{
    const verdict found = judge(result);
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:s}", "volume", (json_int_t)scalay_map_mapping_summary(result->given).volume, "steps",
        (json_int_t)scalay_map_mapping_summary(result->given).steps, "cost", scalay_json_number(found.cost), "bound",
        scalay_json_number(found.bound), "proof", found.is_best ? "optimal" : "heuristic");
}

/* ---------------------------------------------------------------------------------------------------- text */

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
        printf("; %lld process-part pairs have common items",
               (long long)scalay_map_traffic_summary(result->traffic).nonzeros);
    printf(".\n\n");
}

static scalay_status print_costs(const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    const char *name = scalay_objective_name(scalay_map_mapping_summary(result->chosen).objective);
    int64_t volume[2] = {scalay_map_mapping_summary(result->canonical).volume,
                         scalay_map_mapping_summary(result->chosen).volume};
    int64_t steps[2] = {scalay_map_mapping_summary(result->canonical).steps,
                        scalay_map_mapping_summary(result->chosen).steps};
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
    const double moved = percent(volume[1], items), usual = percent(volume[0], items);
    const int digits = volume[1] != volume[0] ? scalay_percent_digits(moved, usual) : 1;
    printf("\nThe %s mapping moves %.*f%% of the items", name, digits, moved);
    if (volume[1] != volume[0])
        printf(" instead of %.*f%%.\n", digits, usual);
    else
        printf(", as many as the canonical mapping.\n");
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_proof(const scalay_map_result *result)
{
    static const char *const sentences[] = {
        [SCALAY_PROOF_NONE] = "It was not optimised.",
        [SCALAY_PROOF_OPTIMAL] = "It is proven optimal for its objective.",
        [SCALAY_PROOF_HEURISTIC] = "It is not proven optimal.",
    };
    const scalay_mapping *chosen = result->chosen;
    const int64_t bound = scalay_map_mapping_summary(chosen).volume_bound,
                  steps_bound = scalay_map_mapping_summary(chosen).steps_bound;
    printf("%s", sentences[scalay_map_mapping_summary(chosen).proof]);
    if (scalay_map_mapping_summary(chosen).proof == SCALAY_PROOF_HEURISTIC && steps_bound > 0)
        printf(" No mapping has fewer than %lld steps: the distance from the optimum is at most %.3g%%.",
               (long long)steps_bound, percent(scalay_map_mapping_summary(chosen).steps - steps_bound, steps_bound));
    if (scalay_map_mapping_summary(chosen).proof == SCALAY_PROOF_HEURISTIC && result->options.link_cost != NULL)
        printf(" No mapping takes less than %.6g.", scalay_map_mapping_summary(chosen).time_bound);
    if (scalay_map_mapping_summary(chosen).proof == SCALAY_PROOF_HEURISTIC && bound > 0)
        printf(" No mapping moves fewer than %lld items: the distance from the optimum is at most %.3g%%.",
               (long long)bound, percent(scalay_map_mapping_summary(chosen).volume - bound, bound));
    if (result->checked) printf(" The certificate was checked without the solver and holds.");
    printf("\n");
}

static scalay_status print_mapping(const scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int parts = scalay_map_mapping_summary(mapping).parts;
    SCALAY_TRY(scalay_table_add(&table, "part|process"));
    for (int part = 0; part < parts && part < MAX_PARTS; part++)
        SCALAY_TRY(scalay_table_add(&table, "%d|%d", part, scalay_mapping_process(mapping)[part]));
    printf("\n");
    scalay_table_print(&table);
    if (parts > MAX_PARTS) printf("  ... and %d more; --json lists all of them\n", parts - MAX_PARTS);
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_schedule_heading(const scalay_map_result *result)
{
    const long long rounds = scalay_map_schedule_summary(result->schedule).rounds,
                    length = scalay_map_schedule_summary(result->schedule).length;
    if (result->preemptive)
        printf("\nSchedule: no rounds; messages start at %lld times; the length is %lld item steps", rounds, length);
    else
        printf("\nSchedule: %lld rounds; the length is %lld item steps", rounds, length);
    if (result->startup >= 0 && !result->preemptive)
        printf(", with slices for a start-up cost of %lld items", (long long)result->startup);
    printf(result->checked ? " (checked)\n" : "\n");
}

/* Prints a round. The items of a message are printed if they differ from the length of the round. */
static scalay_status print_round(const scalay_map_result *result, int64_t round, int64_t *time)
{
    int64_t length = 0;
    int64_t count = 0;
    const scalay_message *messages = NULL;
    scalay_status status = scalay_schedule_round(result->schedule, round, &length, &count, &messages);
    if (status != SCALAY_SUCCESS) return status;
    if (result->preemptive)
        printf("  at %lld:", (long long)*time);
    else
        printf("  %lld. (%lld items)", (long long)round + 1, (long long)length);
    for (int64_t k = 0; k < count && k < MAX_PARTS; k++) {
        printf(" %d->%d", messages[k].from, messages[k].to);
        if (result->preemptive || messages[k].elements < length) printf(":%lld", (long long)messages[k].elements);
    }
    printf("%s\n", count > MAX_PARTS ? " ..." : "");
    *time += length;
    return SCALAY_SUCCESS;
}

static scalay_status print_schedule(const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rounds = scalay_map_schedule_summary(result->schedule).rounds;
    int64_t time = 0;
    print_schedule_heading(result);
    for (int64_t round = 0; round < rounds && round < MAX_ROUNDS; round++)
        SCALAY_TRY(print_round(result, round, &time));
    if (rounds > MAX_ROUNDS)
        printf("  ... and %lld more; --json lists all of them\n", (long long)(rounds - MAX_ROUNDS));
cleanup:
    return status;
}

static scalay_status print_mapping_text(const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    print_problem(result);
    SCALAY_TRY(print_costs(result));
    print_proof(result);
    if (result->given != NULL) print_given(result);
    SCALAY_TRY(print_mapping(result->chosen));
    if (result->schedule != NULL) SCALAY_TRY(print_schedule(result));
cleanup:
    return status;
}

static int is_proven(const scalay_mapping *point)
{
    return scalay_map_mapping_summary(point).proof == SCALAY_PROOF_OPTIMAL;
}

/* Prints what the time limit left open: `open` points. */
static void print_open(const scalay_mapping_front *front, int64_t open)
{
    const scalay_mapping *next = scalay_mapping_front_get_mapping(front, open);
    printf("The time limit was reached.");
    if (next != NULL)
        printf(" Mappings with fewer than %lld steps", (long long)scalay_map_mapping_summary(next).steps);
    else
        printf(" Mappings");
    printf(" move at least %lld items.\n",
           (long long)scalay_map_mapping_summary(scalay_mapping_front_get_mapping(front, open - 1)).volume_bound);
}

static scalay_status print_front_text(const scalay_map_result *result)
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
        SCALAY_TRY(scalay_table_add(&table, "%lld|%lld|%.1f%%%s", (long long)scalay_map_mapping_summary(point).steps,
                                    (long long)scalay_map_mapping_summary(point).volume,
                                    percent(scalay_map_mapping_summary(point).volume, items),
                                    is_proven(point) ? "" : " (open)"));
    }
    scalay_table_print(&table);
    printf("\n");
    if (open > 0) print_open(result->front, open);
    printf("%s%s --json lists the mappings.\n",
           open == 0       ? "The front is proven complete."
           : open < points ? "The points that are not marked open are proven Pareto-optimal."
                           : "No point is proven Pareto-optimal.",
           result->checked ? " The certificates were checked without the solver and hold." : "");
cleanup:
    scalay_table_free(&table);
    return status;
}

scalay_status scalay_map_print_text(const scalay_map_result *result)
{
    return result->front != NULL ? print_front_text(result) : print_mapping_text(result);
}

/* ---------------------------------------------------------------------------------------------------- JSON */

static json_t *add_duals(json_t *document, const scalay_mapping_certificate *proof, int parts)
{
    if (proof->process_duals == 0 || proof->part_dual == NULL) return document;
    document =
        scalay_json_set(document, "process_duals", scalay_json_int64s(proof->process_dual, proof->process_duals));
    document = scalay_json_set(document, "part_duals", scalay_json_int64s(proof->part_dual, parts));
    document = scalay_json_set(document, "unit", scalay_json_number(proof->dual_unit));
    if (proof->dual_steps == INT64_MAX) return document;
    return scalay_json_set(document, "within_steps", json_integer((json_int_t)proof->dual_steps));
}

static json_t *add_hall_violator(json_t *document, const scalay_mapping_certificate *proof)
{
    if (proof->hall_violator_size == 0) return document;
    return scalay_json_set(document,
                           proof->hall_violator_of_parts ? "hall_violator_of_parts" : "hall_violator_of_processes",
                           scalay_json_integers(proof->hall_violator, proof->hall_violator_size));
}

static json_t *add_line_duals(json_t *document, const scalay_mapping_certificate *proof)
{
    static const char *const names[] = {"process_row_duals", "part_row_duals", "process_col_duals", "part_col_duals"};
    const int64_t *dual = proof->line_dual;
    for (int k = 0; dual != NULL && k < 4; k++) {
        const int extent = k < 2 ? proof->grid_rows : proof->grid_cols;
        document = scalay_json_set(document, names[k], scalay_json_int64s(dual, extent));
        dual += extent;
    }
    return document;
}

/* The certificate of a mapping, for verification without this program. It is empty if nothing is proven. */
static json_t *certificate_as_json(const scalay_mapping *mapping)
{
    scalay_mapping_certificate proof;
    json_t *document = json_object();
    if (scalay_mapping_get_certificate(mapping, &proof) != SCALAY_SUCCESS) return document;
    document = add_duals(document, &proof, scalay_map_mapping_summary(mapping).parts);
    return add_line_duals(add_hall_violator(document, &proof), &proof);
}

static json_t *round_as_json(const void *schedule, int64_t round)
{
    int64_t length = 0;
    int64_t count = 0;
    const scalay_message *messages = NULL;
    json_t *pairs = json_array();
    json_t *sent = json_array();
    if (scalay_schedule_round(schedule, round, &length, &count, &messages) != SCALAY_SUCCESS) count = 0;
    for (int64_t k = 0; k < count; k++) {
        pairs = scalay_json_append(pairs, json_pack("[i, i]", messages[k].from, messages[k].to));
        sent = scalay_json_append(sent, json_integer((json_int_t)messages[k].elements));
    }
    return json_pack("{s:I, s:o, s:o}", "items", (json_int_t)length, "pairs", pairs, "sent", sent);
}

static json_t *costs_as_json(const scalay_map_result *result)
{
    const scalay_mapping *canonical = result->canonical, *chosen = result->chosen;
    const int parts = scalay_map_mapping_summary(chosen).parts;
    return json_pack("{s:s, s:i, s:i, s:I, s:{s:I, s:I}, s:{s:I, s:I}, s:o, s:s}", "objective",
                     scalay_objective_name(scalay_map_mapping_summary(chosen).objective), "processes",
                     scalay_map_mapping_summary(chosen).processes, "parts", parts, "items", (json_int_t)result->items,
                     "volume", "canonical", (json_int_t)scalay_map_mapping_summary(canonical).volume, "chosen",
                     (json_int_t)scalay_map_mapping_summary(chosen).volume, "steps", "canonical",
                     (json_int_t)scalay_map_mapping_summary(canonical).steps, "chosen",
                     (json_int_t)scalay_map_mapping_summary(chosen).steps, "mapping",
                     scalay_json_integers(scalay_mapping_process(chosen), parts), "proof",
                     proof_name(scalay_map_mapping_summary(chosen).proof));
}

static json_t *add_time(json_t *document, const scalay_map_result *result)
{
    if (result->options.link_cost == NULL) return document;
    document = scalay_json_set(document, "time",
                               json_pack("{s:o, s:o}", "canonical",
                                         scalay_json_number(scalay_map_link_time(result, result->canonical)), "chosen",
                                         scalay_json_number(scalay_map_link_time(result, result->chosen))));
    if (scalay_map_mapping_summary(result->chosen).proof != SCALAY_PROOF_HEURISTIC) return document;
    return scalay_json_set(document, "time_bound",
                           scalay_json_number(scalay_map_mapping_summary(result->chosen).time_bound));
}

static json_t *add_schedule_json(json_t *document, const scalay_map_result *result)
{
    const scalay_schedule *schedule = result->schedule;
    if (schedule == NULL) return document;
    document = scalay_json_set(document, "schedule",
                               scalay_json_list(scalay_map_schedule_summary(schedule).rounds, round_as_json, schedule));
    document = scalay_json_set(document, "preemptive", json_boolean(result->preemptive));
    if (result->startup < 0) return document;
    return scalay_json_set(document, "startup", json_integer((json_int_t)result->startup));
}

static json_t *mapping_as_json(const scalay_map_result *result)
{
    const scalay_mapping *chosen = result->chosen;
    const int64_t bound = scalay_map_mapping_summary(chosen).volume_bound,
                  steps_bound = scalay_map_mapping_summary(chosen).steps_bound;
    json_t *document = costs_as_json(result);
    if (bound > 0) document = scalay_json_set(document, "bound", json_integer((json_int_t)bound));
    if (steps_bound > 0) document = scalay_json_set(document, "steps_bound", json_integer((json_int_t)steps_bound));
    if (scalay_map_mapping_summary(chosen).proof != SCALAY_PROOF_NONE)
        document = scalay_json_set(document, "certificate", certificate_as_json(chosen));
    if (result->given != NULL) document = scalay_json_set(document, "given", given_as_json(result));
    if (result->checked) document = scalay_json_set(document, "checked", json_true());
    return add_schedule_json(add_time(document, result), result);
}

static json_t *point_as_json(const void *front, int64_t k)
{
    const scalay_mapping *point = scalay_mapping_front_get_mapping(front, k);
    return json_pack(
        "{s:I, s:I, s:o, s:s, s:I, s:I, s:o}", "steps", (json_int_t)scalay_map_mapping_summary(point).steps, "volume",
        (json_int_t)scalay_map_mapping_summary(point).volume, "mapping",
        scalay_json_integers(scalay_mapping_process(point), scalay_map_mapping_summary(point).parts), "proof",
        proof_name(scalay_map_mapping_summary(point).proof), "bound",
        (json_int_t)scalay_map_mapping_summary(point).volume_bound, "steps_bound",
        (json_int_t)scalay_map_mapping_summary(point).steps_bound, "certificate", certificate_as_json(point));
}

static json_t *front_as_json(const scalay_map_result *result)
{
    const scalay_mapping *first = scalay_mapping_front_get_mapping(result->front, 0);
    json_t *points = scalay_json_list(scalay_mapping_front_count(result->front), point_as_json, result->front);
    json_t *document = json_pack("{s:s, s:i, s:i, s:I, s:o, s:s}", "objective", "front", "processes",
                                 scalay_map_mapping_summary(first).processes, "parts",
                                 scalay_map_mapping_summary(first).parts, "items", (json_int_t)result->items, "front",
                                 points, "proof", proof_name(scalay_map_mapping_summary(first).proof));
    return result->checked ? scalay_json_set(document, "checked", json_true()) : document;
}

scalay_status scalay_map_print_json(const scalay_map_result *result)
{
    return scalay_json_print(result->front != NULL ? front_as_json(result) : mapping_as_json(result));
}

/* ------------------------------------------------------------------------------------------------- picture */

static scalay_status add_front(scalay_plot *plot, const scalay_mapping_front *front)
{
    static const scalay_plot_axis of_steps = {"steps, items", NULL, 0};
    static const scalay_plot_axis of_volume = {"volume, items", NULL, 0};
    scalay_status status = SCALAY_SUCCESS;
    const int64_t points = scalay_mapping_front_count(front);
    double *steps = NULL, *volume = NULL;
    SCALAY_TRY(SCALAY_NEW(steps, points));
    SCALAY_TRY(SCALAY_NEW(volume, points));
    for (int64_t k = 0; k < points; k++) {
        steps[k] = (double)scalay_map_mapping_summary(scalay_mapping_front_get_mapping(front, k)).steps;
        volume[k] = (double)scalay_map_mapping_summary(scalay_mapping_front_get_mapping(front, k)).volume;
    }
    const scalay_plot_curve curves[] = {{.style = SCALAY_PLOT_STAIRS, .points = points, .x = steps, .y = volume},
                                        {.style = SCALAY_PLOT_RINGS, .points = points, .x = steps, .y = volume}};
    const int proven =
        scalay_map_mapping_summary(scalay_mapping_front_get_mapping(front, 0)).proof == SCALAY_PROOF_OPTIMAL;
    const char *title = proven ? "Pareto-optimal mappings" : "mappings found within the time limit";
    SCALAY_TRY(scalay_plot_add_curves(plot, title, &of_steps, &of_volume, curves, 2));
cleanup:
    scalay_release(volume);
    scalay_release(steps);
    return status;
}

static scalay_status add_mapping_panels(scalay_plot *plot, const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *mapped = NULL;
    if (result->pairs > 0) {
        SCALAY_TRY(scalay_mapping_apply(result->chosen, result->target[0], &mapped));
        SCALAY_TRY(scalay_plot_add_layout(plot, "before", result->source[0]));
        SCALAY_TRY(scalay_plot_add_layout(plot, "after, mapped", mapped));
    }
    SCALAY_TRY(scalay_plot_add_traffic(plot, "traffic", result->traffic, scalay_mapping_process(result->chosen)));
    if (result->schedule != NULL)
        SCALAY_TRY(scalay_plot_add_schedule(plot, "schedule", result->schedule,
                                            scalay_map_mapping_summary(result->chosen).processes));
cleanup:
    scalay_layout_destroy(&mapped);
    return status;
}

scalay_status scalay_map_draw(const char *path, const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_progress_say("drawing %s", path);
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    SCALAY_TRY(result->front != NULL ? add_front(plot, result->front) : add_mapping_panels(plot, result));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}
