#include "partition_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report.h"

enum { MOST_PARTS = 64, MOST_PAIRS = 8, MOST_DENSE = 1024, MOST_LABELS = 20, LABEL_SIZE = 96 };

/* ------------------------------------------------------------------------------------------- what both print */

static const char *chosen_shape(const scalay_partition_report *report)
{
    scalay_partition_candidate candidate;
    if (report->partition == NULL) return "given map";
    if (scalay_partition_get_candidate(report->partition, scalay_partition_chosen(report->partition), &candidate) !=
        SCALAY_SUCCESS)
        return "";
    return candidate.shape;
}

static double share_of(const scalay_partition_report *report, int part)
{
    double all = (double)scalay_owner_map_rows(report->map) * (double)scalay_owner_map_cols(report->map);
    return scalay_percent((double)scalay_owner_map_elements(report->map, part), all);
}

static int64_t sent_by(const scalay_partition_report *report, int part)
{
    int64_t sent = 0;
    for (int to = 0; to < report->parts; to++) sent += scalay_multiply_cost_sent(report->cost, part, to);
    return sent;
}

static int64_t received_by(const scalay_partition_report *report, int part)
{
    int64_t received = 0;
    for (int from = 0; from < report->parts; from++) received += scalay_multiply_cost_sent(report->cost, from, part);
    return received;
}

void scalay_partition_title(const scalay_partition_report *report, char *text, size_t size)
{
    double volume = (double)scalay_multiply_cost_volume(report->cost);
    double bound = scalay_partition_lower_bound(report->partition);
    if (report->partition != NULL && bound > 0.0)
        (void)snprintf(text, size, "%s: %.4g elements sent, %.3f times the bound", chosen_shape(report), volume,
                       volume / bound);
    else
        (void)snprintf(text, size, "%s: %.4g elements sent", chosen_shape(report), volume);
}

scalay_status scalay_partition_plot(const scalay_partition_report *report, const scalay_layout *layout,
                                    scalay_plot *plot)
{
    char text[MOST_LABELS][LABEL_SIZE];
    const char *labels[MOST_LABELS];
    int labelled = report->parts <= MOST_LABELS;
    for (int part = 0; labelled && part < report->parts; part++) {
        (void)snprintf(text[part], LABEL_SIZE, "%d: %.2f%%, sends %.3g", part, share_of(report, part),
                       (double)sent_by(report, part));
        labels[part] = text[part];
    }
    return scalay_plot_add_parts(plot, NULL, layout, labelled ? labels : NULL);
}

/* ------------------------------------------------------------------------------------------------------ text */

static scalay_status add_candidate(const scalay_partition_report *report, int k, int timed, int energetic,
                                   scalay_table *table)
{
    char time[32] = "";
    char energy[32] = "";
    scalay_partition_candidate candidate;
    scalay_status status = scalay_partition_get_candidate(report->partition, k, &candidate);
    double bound = scalay_partition_lower_bound(report->partition);
    if (status != SCALAY_SUCCESS) return status;
    if (!candidate.feasible) return scalay_table_add(table, "%s|-|-", candidate.shape);
    if (timed) (void)snprintf(time, sizeof time, "|%.6g", candidate.time);
    if (energetic) (void)snprintf(energy, sizeof energy, "|%.6g", candidate.energy);
    return scalay_table_add(table, "%s%s|%.6g|%.4f%s%s", candidate.shape,
                            k == scalay_partition_chosen(report->partition) ? " *" : "", candidate.continuous_cost,
                            bound > 0.0 ? candidate.continuous_cost / bound : 1.0, time, energy);
}

static scalay_status print_candidates(const scalay_partition_report *report)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int timed = !isnan(scalay_multiply_cost_time(report->cost));
    int energetic = !isnan(scalay_multiply_cost_energy(report->cost));
    SCALAY_TRY(
        scalay_table_add(&table, "shape|cost|to the bound%s%s", timed ? "|seconds" : "", energetic ? "|joules" : ""));
    for (int k = 0; k < scalay_partition_candidates(report->partition); k++)
        SCALAY_TRY(add_candidate(report, k, timed, energetic, &table));
    printf("Candidates for the areas as they are (* is chosen; no partition costs less than %.6g):\n",
           scalay_partition_lower_bound(report->partition));
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

/* The candidates, which are indented, stand in the table. */
static void print_paragraphs(char *text)
{
    for (char *line = text; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        int last = *end == '\0';
        *end = '\0';
        if (*line != ' ' && *line != '\0') scalay_print_wrapped(line, 0, stdout);
        line = end + !last;
    }
}

static scalay_status print_explanation(const scalay_partition *partition)
{
    scalay_status status = SCALAY_SUCCESS;
    char *text = NULL;
    int length = scalay_partition_describe(partition, NULL, 0);
    SCALAY_TRY(SCALAY_NEW(text, (int64_t)length + 1));
    (void)scalay_partition_describe(partition, text, (size_t)length + 1);
    printf("\n");
    print_paragraphs(text);
cleanup:
    scalay_release(text);
    return status;
}

/* Why shapes that were tried do not exist. */
static void print_reasons(const scalay_partition *partition)
{
    scalay_partition_candidate candidate;
    for (int k = 0; k < scalay_partition_candidates(partition); k++)
        if (scalay_partition_get_candidate(partition, k, &candidate) == SCALAY_SUCCESS && !candidate.feasible)
            printf("  %s: %s\n", candidate.shape, candidate.reason);
}

static scalay_status print_costs(const scalay_partition_report *report)
{
    scalay_half_perimeter half;
    scalay_status status = scalay_owner_map_half_perimeter(report->map, &half);
    if (status != SCALAY_SUCCESS) return status;
    printf("\nThe %lld x %lld map (%s) sends %lld elements", (long long)scalay_owner_map_rows(report->map),
           (long long)scalay_owner_map_cols(report->map), chosen_shape(report),
           (long long)scalay_multiply_cost_volume(report->cost));
    if (!isnan(scalay_multiply_cost_time(report->cost)))
        printf(", which takes %.6g s", scalay_multiply_cost_time(report->cost));
    if (!isnan(scalay_multiply_cost_energy(report->cost)))
        printf(", which needs %.6g J", scalay_multiply_cost_energy(report->cost));
    printf(".\nHalf perimeters: %lld of projections, %lld of boxes.", (long long)half.projection, (long long)half.box);
    if (report->partition != NULL)
        printf(" Largest load error: %.3g%%.", 100.0 * scalay_partition_load_error(report->partition));
    printf("\n\n");
    return SCALAY_SUCCESS;
}

static scalay_status print_parts(const scalay_partition_report *report)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int parts = report->parts < MOST_PARTS ? report->parts : MOST_PARTS;
    SCALAY_TRY(scalay_table_add(&table, "part|elements|share|sends|receives"));
    for (int part = 0; part < parts; part++)
        SCALAY_TRY(scalay_table_add(&table, "%d|%lld|%.3f%%|%lld|%lld", part,
                                    (long long)scalay_owner_map_elements(report->map, part), share_of(report, part),
                                    (long long)sent_by(report, part), (long long)received_by(report, part)));
    scalay_table_print(&table);
    if (report->parts > parts) printf("  ... and %d more; --json lists them all\n", report->parts - parts);
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_pairs(const scalay_partition_report *report)
{
    if (report->parts > MOST_PAIRS || report->parts < 2) return;
    printf("\nElements sent from part (line) to part (column):\n");
    for (int from = 0; from < report->parts; from++) {
        for (int to = 0; to < report->parts; to++)
            printf(" %12lld", (long long)scalay_multiply_cost_sent(report->cost, from, to));
        printf("\n");
    }
}

scalay_status scalay_partition_print_text(const scalay_partition_report *report)
{
    scalay_status status = SCALAY_SUCCESS;
    if (report->partition != NULL) {
        SCALAY_TRY(print_candidates(report));
        print_reasons(report->partition);
        SCALAY_TRY(print_explanation(report->partition));
    }
    SCALAY_TRY(print_costs(report));
    SCALAY_TRY(print_parts(report));
    print_pairs(report);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ JSON */

/* Appends to an array that may be NULL; NULL when there is no memory. */
static json_t *append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0) return array;
    json_decref(array);
    return NULL;
}

static json_t *areas_as_json(const scalay_partition_report *report)
{
    double all = (double)scalay_owner_map_rows(report->map) * (double)scalay_owner_map_cols(report->map);
    double sum = 0.0;
    json_t *areas = json_array();
    for (int part = 0; report->area != NULL && part < report->parts; part++) sum += report->area[part];
    for (int part = 0; part < report->parts; part++)
        areas = append(areas, report->area != NULL
                                  ? json_real(report->area[part] / sum * all)
                                  : json_integer((json_int_t)scalay_owner_map_elements(report->map, part)));
    return areas;
}

/* Joins two documents that may be NULL; NULL when there is no memory. */
static json_t *joined(json_t *object, json_t *more)
{
    int failed = object == NULL || more == NULL || json_object_update(object, more) != 0;
    json_decref(more);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static json_t *candidate_as_json(const scalay_partition_report *report, int k)
{
    scalay_partition_candidate candidate;
    if (scalay_partition_get_candidate(report->partition, k, &candidate) != SCALAY_SUCCESS) return NULL;
    json_t *assignment =
        candidate.assignment != NULL ? scalay_json_integers(candidate.assignment, report->parts) : json_null();
    return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:s}", "shape", candidate.shape, "feasible", candidate.feasible,
                     "assignment", assignment, "continuous_cost", scalay_json_number(candidate.continuous_cost), "time",
                     scalay_json_number(candidate.time), "energy", scalay_json_number(candidate.energy), "reason",
                     candidate.reason);
}

static json_t *choice_as_json(const scalay_partition_report *report)
{
    json_t *candidates = json_array();
    for (int k = 0; k < scalay_partition_candidates(report->partition); k++)
        candidates = append(candidates, candidate_as_json(report, k));
    return json_pack("{s:o, s:s, s:o, s:o}", "candidates", candidates, "chosen", chosen_shape(report), "lower_bound",
                     scalay_json_number(scalay_partition_lower_bound(report->partition)), "load_error",
                     scalay_json_number(scalay_partition_load_error(report->partition)));
}

static json_t *moved_as_json(const scalay_partition_report *report)
{
    json_t *moved = json_array();
    for (int from = 0; from < report->parts; from++) {
        json_t *row = json_array();
        for (int to = 0; to < report->parts; to++)
            row = append(row, json_integer((json_int_t)scalay_multiply_cost_sent(report->cost, from, to)));
        moved = append(moved, row);
    }
    return moved;
}

static json_t *rectangles_as_json(const scalay_part_rectangle *rectangle, int64_t count)
{
    json_t *rectangles = json_array();
    for (int64_t k = 0; k < count; k++) {
        const scalay_part_rectangle *r = &rectangle[k];
        rectangles =
            append(rectangles, json_pack("{s:i, s:I, s:I, s:I, s:I}", "part", r->part, "row", (json_int_t)r->row, "col",
                                         (json_int_t)r->col, "rows", (json_int_t)r->rows, "cols", (json_int_t)r->cols));
    }
    return rectangles;
}

static json_t *map_as_json(const scalay_partition_report *report, const scalay_half_perimeter *half)
{
    return json_pack("{s:I, s:I, s:o, s:I, s:{s:I, s:I}, s:o, s:o}", "m",
                     (json_int_t)scalay_owner_map_rows(report->map), "n",
                     (json_int_t)scalay_owner_map_cols(report->map), "areas", areas_as_json(report), "cost",
                     (json_int_t)scalay_multiply_cost_volume(report->cost), "half_perimeter", "projection",
                     (json_int_t)half->projection, "box", (json_int_t)half->box, "time",
                     scalay_json_number(scalay_multiply_cost_time(report->cost)), "energy",
                     scalay_json_number(scalay_multiply_cost_energy(report->cost)));
}

scalay_status scalay_partition_print_json(const scalay_partition_report *report)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_half_perimeter half;
    int64_t count = 0;
    const scalay_part_rectangle *rectangle = NULL;
    SCALAY_TRY(scalay_owner_map_half_perimeter(report->map, &half));
    SCALAY_TRY(scalay_owner_map_rectangles(report->map, &count, &rectangle));
    json_t *document = map_as_json(report, &half);
    if (report->partition != NULL) document = joined(document, choice_as_json(report));
    if (report->parts <= MOST_DENSE) document = joined(document, json_pack("{s:o}", "moved", moved_as_json(report)));
    document = joined(document, json_pack("{s:o}", "rectangles", rectangles_as_json(rectangle, count)));
    SCALAY_TRY(scalay_json_print(document));
cleanup:
    return status;
}
