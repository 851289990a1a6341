#include "partition_input.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "document.h"
#include "failure.h"

/* What decimal fractions may differ from a sum of 1. */
static const double SUM_SLACK = 1e-6;

/* -------------------------------------------------------------------------------------- extents and lists */

static int is_extent(const char *text, size_t length, int64_t *extent)
{
    return scalay_text_to_int64(text, length, extent) == SCALAY_NUMBER_VALID && *extent >= 1;
}

static scalay_status read_size(const char *text, int64_t *m, int64_t *n)
{
    size_t rows = strcspn(text, "xX");
    const char *cols = text + rows + (text[rows] != '\0');
    if (is_extent(text, rows, m) && is_extent(cols, strlen(cols), n)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--size is '%s': give rows and columns, each at least 1, such as 1000x800", text);
}

static int count_fields(const char *text)
{
    int64_t fields = 1;
    for (; *text != '\0'; text++) fields += *text == ',';
    return fields <= INT_MAX ? (int)fields : -1;
}

/* A list such as 1,0.5,0.25; the library says what numbers areas may be. */
static scalay_status read_list(const char *option, const char *text, scalay_partition_question *question)
{
    scalay_status status = SCALAY_SUCCESS;
    question->parts = count_fields(text);
    if (question->parts < 0) return SCALAY_FAIL(SCALAY_ERROR_RANGE, "%s has more than %d numbers", option, INT_MAX);
    SCALAY_TRY(SCALAY_NEW(question->area, question->parts));
    for (int part = 0; part < question->parts; part++) {
        const char *end = scalay_parse_number(text, ",", &question->area[part]);
        if (end == NULL)
            return SCALAY_FAIL(
                SCALAY_ERROR_ARGUMENT,
                "%s: number %d is '%.*s': give decimal numbers that are at least 0, separated by commas, "
                "such as 1,0.5,0.25",
                option, part + 1, (int)strcspn(text, ","), text);
        text = end + (*end == ',');
    }
cleanup:
    return status;
}

/* Areas are fractions of the matrix, or its elements: anything else is a mistake. */
static scalay_status check_sum(const scalay_partition_question *question)
{
    double elements = (double)question->m * (double)question->n;
    double sum = 0.0;
    for (int part = 0; part < question->parts; part++) sum += question->area[part];
    if (fabs(sum - 1.0) <= SUM_SLACK || fabs(sum - elements) <= SUM_SLACK * elements) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--areas add up to %.17g; give fractions that add up to 1, or elements that add up to %.17g, or "
                       "proportions with --speeds",
                       sum, elements);
}

static scalay_status read_areas(const scalay_options *options, scalay_partition_question *question)
{
    scalay_status status = read_list("--areas", options->areas, question);
    return status == SCALAY_SUCCESS ? check_sum(question) : status;
}

/* ---------------------------------------------------------------------------------------------- workload */

static scalay_status area_of(const char *path, const json_t *size, double *area)
{
    if (json_is_integer(size) && json_integer_value(size) >= 0) {
        *area = (double)json_integer_value(size);
        return SCALAY_SUCCESS;
    }
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: \"distribution\" has an entry that is no integer of at least 0", path);
}

static scalay_status read_distribution(const char *path, const json_t *list, scalay_partition_question *question)
{
    scalay_status status = SCALAY_SUCCESS;
    size_t count = json_array_size(list);
    if (count == 0 || count > (size_t)INT_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: \"distribution\" has %zu entries; give 1 to %d processors", path,
                           count, INT_MAX);
    question->parts = (int)count;
    SCALAY_TRY(SCALAY_NEW(question->area, question->parts));
    for (int part = 0; part < question->parts; part++)
        SCALAY_TRY(area_of(path, json_array_get(list, (size_t)part), &question->area[part]));
cleanup:
    return status;
}

/* What `scalay workload` chose: the distribution of an objective, or of the chosen point of a front. */
static scalay_status find_distribution(const char *path, const json_t *document, const json_t **list)
{
    const json_t *feasible = json_object_get(document, "feasible");
    *list = json_object_get(document, "distribution");
    if (feasible != NULL && json_is_false(feasible))
        return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "%s: the workload has no distribution (\"feasible\": false)", path);
    if (*list == NULL) *list = json_object_get(json_object_get(document, "chosen"), "distribution");
    if (json_is_array(*list)) return SCALAY_SUCCESS;
    if (json_object_get(document, "front") != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "%s: this is a front; choose a point of it with --knee, --within-time or --within-energy of "
                           "scalay workload",
                           path);
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "%s: there is no \"distribution\"; give what scalay workload --json printed", path);
}

static scalay_status read_workload(const char *path, scalay_partition_question *question)
{
    scalay_status status = SCALAY_SUCCESS;
    json_t *document = NULL;
    const json_t *list = NULL;
    SCALAY_TRY(scalay_document_read(path, &document));
    SCALAY_TRY(find_distribution(path, document, &list));
    SCALAY_TRY(read_distribution(path, list, question));
cleanup:
    json_decref(document);
    return status;
}

scalay_status scalay_input_partition(const scalay_options *options, scalay_partition_question *question)
{
    int given = (options->speeds != NULL) + (options->areas != NULL) + (options->from_workload != NULL);
    *question = (scalay_partition_question){0};
    if (options->extents == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--size is missing; give rows and columns, such as --size 1000x800");
    if (given != 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s; give one of --speeds, --areas and --from-workload",
                           given == 0 ? "how much each part gets is missing"
                                      : "how much each part gets is given twice");
    scalay_status status = read_size(options->extents, &question->m, &question->n);
    if (status != SCALAY_SUCCESS) return status;
    if (options->speeds != NULL) return read_list("--speeds", options->speeds, question);
    if (options->areas != NULL) return read_areas(options, question);
    return read_workload(options->from_workload, question);
}

/* ------------------------------------------------------------------------------------------------- links */

static scalay_status read_matrix(const char *path, int parts, int *processors, scalay_link_costs *costs)
{
    if (path == NULL) return SCALAY_SUCCESS;
    scalay_status status = scalay_as_input(scalay_csv_read_link_costs(path, costs));
    if (status != SCALAY_SUCCESS) return status;
    if (costs->processes < parts)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %d processors, but there are %d parts; give a %d x %d matrix",
                           path, costs->processes, parts, parts, parts);
    if (*processors != 0 && *processors != costs->processes)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %d processors, but --link-time has %d; give the same number",
                           path, costs->processes, *processors);
    *processors = costs->processes;
    return SCALAY_SUCCESS;
}

scalay_status scalay_input_links_read(const scalay_options *options, int parts, scalay_input_links *links)
{
    static const char *const modes[] = {"serial", "parallel", "one-port"};
    static const char *const broadcasts[] = {"direct", "tree", "relay"};
    scalay_status status = SCALAY_SUCCESS;
    *links = (scalay_input_links){.links = scalay_links_default()};
    SCALAY_TRY(read_matrix(options->link_time, parts, &links->links.processors, &links->time));
    SCALAY_TRY(read_matrix(options->link_energy, parts, &links->links.processors, &links->energy));
    links->links.seconds_per_element = links->time.cost;
    links->links.joules_per_element = links->energy.cost;
    for (int k = 0; k < 3; k++) {
        if (options->link_mode != NULL && strcmp(options->link_mode, modes[k]) == 0)
            links->links.mode = (scalay_links_mode)k;
        if (options->broadcast != NULL && strcmp(options->broadcast, broadcasts[k]) == 0)
            links->links.broadcast = (scalay_broadcast)k;
    }
cleanup:
    return status;
}

void scalay_input_links_free(scalay_input_links *links)
{
    scalay_release(links->time.cost);
    scalay_release(links->energy.cost);
    *links = (scalay_input_links){0};
}
