#include "map_given.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "csv.h"
#include "document.h"
#include "failure.h"
#include "layout/layout.h"
#include "mapping/mapping.h"
#include "report.h"

/* ----------------------------------------------------------------------------------------------- reading */

static scalay_status wrong_number(const char *path, int64_t found, int parts)
{
    return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %lld processes, but there are %d parts; give one for each", path,
                       (long long)found, parts);
}

static scalay_status wrong_process(const char *path, int part)
{
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: the process of part %d is no integer from 0 on", path, part);
}

static scalay_status read_json(const char *path, int parts, int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    json_t *document = NULL;
    SCALAY_TRY(scalay_document_read(path, &document));
    const json_t *list = json_object_get(document, "mapping");
    if (!json_is_array(list))
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                             "%s: \"mapping\" is missing; give what scalay map printed with --json", path);
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
    SCALAY_TRY(scalay_csv_read_file(path, &text));
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

/* ---------------------------------------------------------------------------------------------- judging */

/* Without the traffic: what the targets cost where the mapping puts them. */
static scalay_status count_by_layouts(const int *process, int processes, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout **moved = NULL;
    const scalay_mapping_options options = {.processes = processes};
    SCALAY_TRY(SCALAY_NEW(moved, result->pairs));
    for (int k = 0; k < result->pairs; k++)
        SCALAY_TRY(scalay_layout_relabel(result->target[k], processes, process, &moved[k]));
    SCALAY_TRY(scalay_mapping_create_shared(result->pairs, (const scalay_layout *const *)result->source,
                                            (const scalay_layout *const *)moved, NULL, SCALAY_CANONICAL, &options,
                                            &result->given));
cleanup:
    for (int k = 0; k < result->pairs && moved != NULL; k++) scalay_layout_destroy(&moved[k]);
    scalay_release(moved);
    return status;
}

/* The places of a grid are those that the chosen mapping keeps. */
static scalay_status check_grid(const char *path, const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = result->parts, processes = scalay_mapping_processes(result->chosen);
    const int *chosen = scalay_mapping_process(result->chosen), *given = scalay_mapping_process(result->given);
    int *place = NULL;
    SCALAY_TRY(SCALAY_NEW(place, processes));
    for (int i = 0; i < processes; i++) place[i] = -1;
    for (int j = 0; j < parts; j++) place[chosen[j]] = j;
    const int leaving = scalay_grid_find_leaving(parts, parts / result->options.grid_rows, NULL, given, place);
    if (leaving >= 0)
        status = SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                             "%s: part %d leaves the row or column of its grid; judge it by another --objective than "
                             "grid-volume",
                             path, leaving);
cleanup:
    scalay_release(place);
    return status;
}

scalay_status scalay_map_read_given(const char *path, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = result->parts, processes = scalay_mapping_processes(result->chosen);
    const size_t length = strlen(path);
    const int is_json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    int *process = NULL;
    SCALAY_TRY(SCALAY_NEW(process, parts));
    SCALAY_TRY(scalay_as_input(is_json ? read_json(path, parts, process) : read_csv(path, parts, process)));
    for (int j = 0; j < parts; j++)
        if (process[j] >= processes || (result->barred != NULL && result->barred[process[j]])) {
            status = SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: part %d is on process %d, which may take none", path, j,
                                 process[j]);
            goto cleanup;
        }
    SCALAY_TRY(scalay_as_input(result->traffic != NULL ? scalay_mapping_from_processes(result->traffic, processes,
                                                                                       parts, process, &result->given)
                                                       : count_by_layouts(process, processes, result)));
    if (scalay_mapping_objective(result->chosen) == SCALAY_MIN_GRID_VOLUME)
        SCALAY_TRY(scalay_as_input(check_grid(path, result)));
cleanup:
    scalay_release(process);
    return status;
}

/* What decides about a mapping, and what is proven of that. */
typedef struct {
    const char *verb, *items;
    double cost, bound;
    int is_best;
} verdict;

static verdict judge_items(const char *verb, const char *items, int64_t cost, int64_t bound)
{
    return (verdict){verb, items, (double)cost, (double)bound, cost <= bound};
}

/* Times are sums of products. */
static verdict judge_time(double cost, double bound)
{
    return (verdict){"takes", "", cost, bound, cost <= bound * (1.0 + 1e-12)};
}

/* The first of the objective's costs that is not proven best; its bound is its cost when there is none. */
static verdict judge(const scalay_map_result *result)
{
    const scalay_mapping *chosen = result->chosen, *given = result->given;
    const scalay_objective objective = scalay_mapping_objective(chosen);
    const verdict volume = judge_items("moves", " items", scalay_mapping_volume(given), scalay_mapping_bound(chosen));
    const verdict steps =
        judge_items("takes", " steps", scalay_mapping_steps(given), scalay_mapping_steps_bound(chosen));
    if (objective == SCALAY_MIN_TIME && result->options.link_cost != NULL)
        return judge_time(scalay_map_link_time(result, given), scalay_mapping_time_bound(chosen));
    if (objective == SCALAY_MIN_STEPS) return steps;
    if (objective == SCALAY_MIN_STEPS_THEN_VOLUME) return steps.is_best ? volume : steps;
    if (objective == SCALAY_MIN_VOLUME_THEN_STEPS) return volume.is_best ? steps : volume;
    return volume;
}

void scalay_map_print_given(const scalay_map_result *result)
{
    const verdict found = judge(result);
    printf("\nThe given mapping %s %.15g%s, the best at least %.15g", found.verb, found.cost, found.items, found.bound);
    if (found.is_best)
        printf(": it is proven optimal.\n");
    else if (found.bound > 0.0)
        printf(": it is within %.3g%% of the best.\n", scalay_percent(found.cost - found.bound, found.bound));
    else
        printf(".\n");
}

json_t *scalay_map_given_as_json(const scalay_map_result *result)
{
    const verdict found = judge(result);
    return json_pack("{s:I, s:I, s:o, s:o, s:s}", "volume", (json_int_t)scalay_mapping_volume(result->given), "steps",
                     (json_int_t)scalay_mapping_steps(result->given), "cost", scalay_json_number(found.cost), "bound",
                     scalay_json_number(found.bound), "proof", found.is_best ? "optimal" : "heuristic");
}
