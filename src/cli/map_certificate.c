/* What proves a mapping, as JSON, so that somebody else can verify it. */
#include "map_certificate.h"

#include <stdint.h>

#include "report.h"

static int add_duals(const scalay_mapping *mapping, json_t *document)
{
    int count = 0;
    const int64_t *process = scalay_mapping_process_duals(mapping, &count), *part = scalay_mapping_part_duals(mapping);
    const int64_t steps = scalay_mapping_dual_steps(mapping);
    int failed = 0;
    if (count == 0 || part == NULL) return 0;
    failed |= json_object_set_new(document, "process_duals", scalay_json_int64s(process, count));
    failed |= json_object_set_new(document, "part_duals", scalay_json_int64s(part, scalay_mapping_parts(mapping)));
    failed |= json_object_set_new(document, "unit", scalay_json_number(scalay_mapping_dual_unit(mapping)));
    if (steps < INT64_MAX) failed |= json_object_set_new(document, "within_steps", json_integer(steps));
    return failed;
}

static int add_crowd(const scalay_mapping *mapping, json_t *document)
{
    int size = 0, of_parts = 0;
    const int *crowd = scalay_mapping_hall_violator(mapping, &size, &of_parts);
    if (size == 0) return 0;
    return json_object_set_new(document, of_parts ? "hall_violator_of_parts" : "hall_violator_of_processes",
                               scalay_json_integers(crowd, size));
}

static int add_lines(const scalay_mapping *mapping, json_t *document)
{
    static const char *const names[] = {"process_row_duals", "part_row_duals", "process_col_duals", "part_col_duals"};
    int extent[2] = {0, 0}, failed = 0;
    const int64_t *dual = scalay_mapping_line_duals(mapping, &extent[0], &extent[1]);
    for (int k = 0; dual != NULL && k < 4; k++) {
        failed |= json_object_set_new(document, names[k], scalay_json_int64s(dual, extent[k / 2]));
        dual += extent[k / 2];
    }
    return failed;
}

json_t *scalay_map_certificate(const scalay_mapping *mapping)
{
    json_t *document = json_object();
    if (document == NULL) return NULL;
    if (add_duals(mapping, document) | add_crowd(mapping, document) | add_lines(mapping, document)) {
        json_decref(document);
        return NULL;
    }
    return document;
}
