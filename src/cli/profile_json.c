#include <string.h>

#include "base/text.h"
#include "profile.h"
#include "report.h"

/* JSON is UTF-8; what commands and reasons are made of may be anything. */
enum { TEXT = 1024 };

static const char *const states[] = {[SCALAY_PROFILE_MEASURING] = "measuring",
                                     [SCALAY_PROFILE_COMPLETE] = "complete",
                                     [SCALAY_PROFILE_INTERRUPTED] = "interrupted"};

/* An array of what `make` makes of 0, 1, ...; NULL when memory has run out. */
static json_t *list_of(const scalay_measured *measured, int64_t count,
                       json_t *(*make)(const scalay_measured *measured, int64_t k))
{
    json_t *list = json_array();
    int failed = list == NULL;
    for (int64_t k = 0; !failed && k < count; k++) failed = json_array_append_new(list, make(measured, k)) != 0;
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *processor_as_json(const scalay_measured *measured, int64_t p)
{
    scalay_profile_processor it;
    char host[TEXT];
    if (scalay_profile_record_processor(measured->record, (int)p, &it) != SCALAY_SUCCESS) return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:o}", "name", it.name, "group", it.group, "host",
                     scalay_text_clean(it.host, host, sizeof host), "binding", it.binding, "cores", it.cores, "threads",
                     it.threads, "static_power", scalay_json_number(it.static_power));
}

static json_t *group_as_json(const scalay_measured *measured, int64_t g)
{
    const char *name = scalay_profile_name(measured->profile, (int)g);
    json_t *ranks = json_array();
    int failed = ranks == NULL;
    for (int p = 0; !failed && p < measured->facts.processors; p++) {
        scalay_profile_processor it;
        if (scalay_profile_record_processor(measured->record, p, &it) != SCALAY_SUCCESS || strcmp(it.group, name) != 0)
            continue;
        failed = json_array_append_new(ranks, json_integer(p)) != 0;
    }
    if (!failed)
        return json_pack("{s:s, s:I, s:o}", "name", name, "count",
                         (json_int_t)scalay_profile_multiplicity(measured->profile, (int)g), "ranks", ranks);
    json_decref(ranks);
    return NULL;
}

static json_t *point_as_json(const scalay_measured *measured, int64_t index)
{
    const int p = (int)(index / measured->facts.sizes);
    scalay_profile_processor processor;
    scalay_profile_point it;
    char hole[TEXT], failure[TEXT];
    if (scalay_profile_record_processor(measured->record, p, &processor) != SCALAY_SUCCESS ||
        scalay_profile_record_point(measured->record, p, index % measured->facts.sizes, &it) != SCALAY_SUCCESS)
        return NULL;
    if (it.hole != NULL)
        return json_pack("{s:s, s:I, s:s}", "processor", processor.name, "size", (json_int_t)it.size, "hole",
                         scalay_text_clean(it.hole, hole, sizeof hole));
    return json_pack(
        "{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:b, s:o}", "processor", processor.name, "size",
        (json_int_t)it.size, "time", scalay_json_number(it.time), "time_half_width",
        scalay_json_number(it.time_half_width), "median", scalay_json_number(it.median), "deviation",
        scalay_json_number(it.deviation), "spread", scalay_json_number(it.spread), "normality",
        scalay_json_number(it.normality), "energy", scalay_json_number(it.energy), "energy_half_width",
        scalay_json_number(it.energy_half_width), "repetitions", (json_int_t)it.repetitions, "outliers",
        (json_int_t)it.outliers, "precise", it.precise, "meter_failure",
        it.meter_failure != NULL ? json_string(scalay_text_clean(it.meter_failure, failure, sizeof failure))
                                 : json_null());
}

static json_t *additive_as_json(const scalay_measured *measured, int64_t index)
{
    scalay_profile_point it;
    double difference = 0.0, uncertainty = 0.0;
    if (scalay_profile_record_point(measured->record, 0, index, &it) != SCALAY_SUCCESS ||
        scalay_profile_record_additive(measured->record, index, &difference, &uncertainty) != SCALAY_SUCCESS)
        return NULL;
    return json_pack("{s:I, s:o, s:o}", "size", (json_int_t)it.size, "difference", scalay_json_number(difference),
                     "uncertainty", scalay_json_number(uncertainty));
}

scalay_status scalay_measured_print_json(const scalay_measured *measured)
{
    const scalay_profile_facts *facts = &measured->facts;
    char kernel[TEXT], meter[TEXT];
    json_t *processors = list_of(measured, facts->processors, processor_as_json);
    json_t *groups = list_of(measured, scalay_profile_groups(measured->profile), group_as_json);
    json_t *points = list_of(measured, facts->processors * facts->sizes, point_as_json);
    json_t *additive = list_of(measured, facts->shared_meter ? facts->sizes : 0, additive_as_json);
    return scalay_json_print(json_pack("{s:s, s:s, s:b, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
                                       scalay_text_clean(facts->kernel, kernel, sizeof kernel), "meter",
                                       scalay_text_clean(facts->meter, meter, sizeof meter), "modelled",
                                       facts->modelled, "shared_meter", facts->shared_meter, "state",
                                       states[facts->state], "confidence", scalay_json_number(facts->repeat->confidence),
                                       "precision", scalay_json_number(facts->repeat->precision), "processors",
                                       processors, "groups", groups, "points", points, "additive", additive));
}
