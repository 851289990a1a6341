#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "progress.h"
#include "report.h"
#include "workload.h"

enum { DUMP_FLAGS = JSON_REAL_PRECISION(17), NAME_SIZE = 256 };

/* ----------------------------------------------------------------------------------------- a distribution */

static json_t *sizes_as_json(const scalay_workload *workload, int64_t processors)
{
    int64_t *size = NULL;
    json_t *list = json_array();
    scalay_status status = SCALAY_NEW(size, processors);
    if (status == SCALAY_SUCCESS) status = scalay_workload_sizes(workload, 0, processors, size);
    int failed = list == NULL || status != SCALAY_SUCCESS;
    for (int64_t k = 0; !failed && k < processors; k++)
        failed = json_array_append_new(list, json_integer((json_int_t)size[k])) != 0;
    scalay_release(size);
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *share_as_json(const scalay_workload_share *share, const scalay_profile *profile)
{
    char name[NAME_SIZE]; /* JSON is UTF-8, names may be anything */
    (void)scalay_text_clean(scalay_profile_name(profile, share->group), name, sizeof name);
    return json_pack("{s:s, s:I, s:I}", "processor", name, "size", (json_int_t)share->size, "count",
                     (json_int_t)share->count);
}

static json_t *histogram_as_json(const scalay_workload *workload, const scalay_profile *profile)
{
    int64_t shares = 0;
    const scalay_workload_share *share = NULL;
    json_t *list = json_array();
    int failed = list == NULL || scalay_workload_histogram(workload, &shares, &share) != SCALAY_SUCCESS;
    for (int64_t k = 0; !failed && k < shares; k++)
        failed = json_array_append_new(list, share_as_json(&share[k], profile)) != 0;
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

/* Adds a distribution to an object; non-zero when memory has run out. */
static int add_distribution(json_t *object, const scalay_workload *workload, const scalay_profile *profile)
{
    int64_t processors = scalay_profile_processors(profile);
    if (processors <= SCALAY_MOST_LISTED)
        return json_object_set_new(object, "distribution", sizes_as_json(workload, processors));
    return json_object_set_new(object, "histogram", histogram_as_json(workload, profile));
}

/* ------------------------------------------------------------------------------------------ the beginning */

/* What every document begins with. */
static json_t *head_as_json(const scalay_workload_result *result, const char *method)
{
    json_t *head =
        json_pack("{s:s, s:s, s:I, s:I, s:b, s:b}", "objective", result->options->objective, "method", method, "size",
                  (json_int_t)result->n, "processors", (json_int_t)scalay_profile_processors(result->profile),
                  "modelled", scalay_profile_is_modelled(result->profile), "feasible", result->feasible);
    int failed = head == NULL;
    if (!failed && result->wish == SCALAY_WANTS_TOTAL_FRONT)
        failed = json_object_set_new(head, "base_power", scalay_json_number(result->options->base_power.value));
    if (!failed && !result->feasible)
        failed =
            json_object_set_new(head, "nearest",
                                json_pack("{s:I, s:o}", "below", (json_int_t)result->below, "above",
                                          result->above >= 0 ? json_integer((json_int_t)result->above) : json_null()));
    if (!failed) return head;
    json_decref(head);
    return NULL;
}

static scalay_status print_single(const scalay_workload_result *result)
{
    scalay_workload_summary summary = {0};
    scalay_status status = scalay_workload_get_summary(result->workload, &summary);
    if (status != SCALAY_SUCCESS) return status;
    json_t *document = head_as_json(result, summary.method);
    int failed = document == NULL;
    if (!failed && result->feasible) {
        failed |= json_object_set_new(document, "time", scalay_json_number(summary.time));
        failed |= json_object_set_new(document, "energy", scalay_json_number(summary.energy));
        failed |= json_object_set_new(document, "active", json_integer((json_int_t)summary.active));
        if (result->communication != NULL) {
            const char *total = result->wish == SCALAY_WANTS_TIME ? "total_time" : "total_energy";
            failed |= json_object_set_new(document, "taking_part", json_integer((json_int_t)summary.taking_part));
            failed |= json_object_set_new(document, "communication", scalay_json_number(summary.communication));
            failed |= json_object_set_new(document, total, scalay_json_number(summary.total));
        }
        failed |= add_distribution(document, result->workload, result->profile);
    }
    if (failed) {
        json_decref(document);
        document = NULL;
    }
    return scalay_json_print(document);
}

/* ------------------------------------------------------------------------------------------------- fronts */

/* Point k, with its distribution. */
static scalay_status make_point(const scalay_workload_result *result, int64_t k, json_t **object)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_front_point point = {0};
    scalay_workload *workload = NULL;
    json_t *made = NULL;
    SCALAY_TRY(scalay_workload_front_get_point(result->front, k, &point));
    SCALAY_TRY(scalay_workload_front_get_workload(result->front, k, &workload));
    made = json_pack("{s:f, s:f, s:I}", "time", point.time, "energy", point.energy, "active", (json_int_t)point.active);
    int failed = made == NULL;
    if (!failed && result->wish == SCALAY_WANTS_TOTAL_FRONT)
        failed = json_object_set_new(made, "total_energy", scalay_json_number(point.total_energy));
    if (!failed) failed = add_distribution(made, workload, result->profile);
    if (failed) {
        json_decref(made);
        made = NULL;
        status = SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory for the JSON document");
    }
cleanup:
    scalay_workload_destroy(&workload);
    *object = made;
    return status;
}

static scalay_status write_value(json_t *value, size_t flags)
{
    int failed = json_dumpf(value, stdout, DUMP_FLAGS | flags);
    json_decref(value);
    if (!failed) return SCALAY_SUCCESS;
    if (ferror(stdout))
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "the JSON document cannot be written to the standard output");
    return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory to print the JSON document");
}

static scalay_status write_chosen(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    json_t *object = NULL;
    SCALAY_TRY(make_point(result, result->chosen, &object));
    if (json_object_set_new(object, "by", json_string(result->chosen_by)) != 0 ||
        json_object_set_new(object, "point", json_integer((json_int_t)result->chosen)) != 0) {
        json_decref(object);
        return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory for the JSON document");
    }
    printf(", \"chosen\": ");
    status = write_value(object, 0);
cleanup:
    return status;
}

/* A front may have very many points and processors: it is never in memory as a whole. */
static scalay_status print_front(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = scalay_workload_front_count(result->front);
    json_t *head = head_as_json(result, result->options->method);
    if (head == NULL) return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory for the JSON document");
    printf("{");
    SCALAY_TRY(write_value(head, JSON_EMBED));
    printf(", \"front\": [");
    for (int64_t k = 0; k < count; k++) {
        json_t *object = NULL;
        scalay_progress_say("printing point %lld of %lld", (long long)k + 1, (long long)count);
        SCALAY_TRY(make_point(result, k, &object));
        if (k > 0) printf(", ");
        SCALAY_TRY(write_value(object, 0));
    }
    printf("]");
    if (result->chosen >= 0) SCALAY_TRY(write_chosen(result));
    printf("}\n");
    if (ferror(stdout))
        status = SCALAY_FAIL(SCALAY_ERROR_FILE, "the JSON document cannot be written to the standard output");
cleanup:
    return status;
}

scalay_status scalay_workload_print_json(const scalay_workload_result *result)
{
    /* What is printed on a terminal and the line of progress would overwrite each other. */
    if (result->front == NULL || isatty(STDOUT_FILENO)) scalay_progress_stop();
    if (result->front == NULL) return print_single(result);
    if (result->feasible) return print_front(result);
    return scalay_json_print(head_as_json(result, result->options->method));
}
