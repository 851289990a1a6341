/* Mappings as objects: creation from given processes, options, queries. */
#include "mapping/mapping.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option_struct.h"
#include "mapping/traffic.h"

scalay_status scalay_mapping_allocate(int processes, int parts, scalay_objective objective, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *new_mapping = NULL;
    *mapping = NULL;
    SCALAY_TRY(SCALAY_NEW(new_mapping, 1));
    new_mapping->parts = parts;
    new_mapping->processes = processes;
    new_mapping->objective = objective;
    new_mapping->proof = SCALAY_PROOF_NONE;
    new_mapping->volume = -1;
    new_mapping->steps = -1;
    new_mapping->time = -1.0;
    new_mapping->time_bound = -1.0;
    new_mapping->certificate.within = INT64_MAX;
    new_mapping->certificate.unit = 1.0;
    SCALAY_TRY(SCALAY_NEW(new_mapping->process, parts));
    *mapping = new_mapping;
    new_mapping = NULL;
cleanup:
    scalay_mapping_destroy(&new_mapping);
    return status;
}

scalay_status scalay_mapping_count(const scalay_traffic *traffic, scalay_mapping *mapping)
{
    scalay_status status = scalay_traffic_count(traffic, mapping->process, &mapping->volume, &mapping->steps);
    if (status == SCALAY_SUCCESS) mapping->time = (double)mapping->volume;
    return status;
}

static const char from_processes[] = "scalay_mapping_from_processes";

static scalay_status check_processes(const scalay_traffic *traffic, int processes, int parts, const int *process)
{
    if (parts < 1 || processes < parts)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, from_processes,
                           "parts is %d and processes %d; parts must be at least 1, processes at least parts", parts,
                           processes);
    if (traffic != NULL && traffic->parts != parts)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, from_processes, "parts is %d; it must be %d, as in the traffic",
                           parts, traffic->parts);
    scalay_status status = scalay_processes_check(process, parts, from_processes);
    for (int j = 0; j < parts && status == SCALAY_SUCCESS; j++)
        if (process[j] >= processes)
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, from_processes, "process[%d] is %d; it must be in [0, %d)", j,
                                 process[j], processes);
    return status;
}

scalay_status scalay_mapping_from_processes(const scalay_traffic *traffic, int processes, int parts, const int *process,
                                            scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *new_mapping = NULL;
    SCALAY_TRY(scalay_check_not_null(mapping, from_processes, "mapping"));
    *mapping = NULL;
    SCALAY_TRY(check_processes(traffic, processes, parts, process));
    SCALAY_TRY(scalay_mapping_allocate(processes, parts, SCALAY_CANONICAL, &new_mapping));
    memcpy(new_mapping->process, process, (size_t)parts * sizeof *process);
    if (traffic != NULL) SCALAY_TRY(scalay_mapping_count(traffic, new_mapping));
    *mapping = new_mapping;
    new_mapping = NULL;
cleanup:
    scalay_mapping_destroy(&new_mapping);
    return status;
}

void scalay_mapping_destroy(scalay_mapping **mapping)
{
    if (mapping == NULL || *mapping == NULL) return;
    scalay_certificate *proof = &(*mapping)->certificate;
    scalay_release(proof->process_dual);
    scalay_release(proof->part_dual);
    scalay_release(proof->hall_violator);
    scalay_release(proof->grid.process);
    scalay_release(proof->grid.part);
    scalay_release(proof->line_dual);
    scalay_release((*mapping)->process);
    scalay_release(*mapping);
    *mapping = NULL;
}

/* ---------------------------------------------------------------------------------------------- options */

void scalay_mapping_options_init(scalay_mapping_options *options, size_t size)
{
    const scalay_mapping_options defaults = {.size = sizeof defaults, .seed = 1};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

scalay_status scalay_mapping_options_read(const scalay_mapping_options *given, const char *function,
                                          scalay_mapping_options *options)
{
    *options = scalay_mapping_options_default();
    const scalay_status status = scalay_option_struct_read(given, options, sizeof *options, function);
    if (status != SCALAY_SUCCESS) return status;
    if (options->processes < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "options->processes is %d; it must be at least 0",
                           options->processes);
    if (!(options->budget_seconds >= 0.0 && isfinite(options->budget_seconds)))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "options->budget_seconds is %g; it must be finite and at least 0", options->budget_seconds);
    return SCALAY_SUCCESS;
}

/* ---------------------------------------------------------------------------------------------- queries */

const int *scalay_mapping_process(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->process : NULL;
}

scalay_status scalay_mapping_get_summary(const scalay_mapping *mapping, scalay_mapping_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(mapping, __func__, "mapping"));
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    *summary = (scalay_mapping_summary){
        .parts = mapping->parts,
        .processes = mapping->processes,
        .objective = mapping->objective,
        .proof = mapping->proof,
        .volume = mapping->volume,
        .steps = mapping->steps,
        .time = mapping->time,
        .volume_bound = mapping->bound,
        .steps_bound = mapping->steps_bound,
        .time_bound = mapping->time_bound >= 0.0 ? mapping->time_bound : (double)mapping->bound,
    };
cleanup:
    return status;
}

scalay_status scalay_mapping_get_certificate(const scalay_mapping *mapping, scalay_mapping_certificate *certificate)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(mapping, __func__, "mapping"));
    SCALAY_TRY(scalay_check_not_null(certificate, __func__, "certificate"));
    const scalay_certificate *proof = &mapping->certificate;
    *certificate = (scalay_mapping_certificate){.process_dual = proof->process_dual,
                                                .part_dual = proof->part_dual,
                                                .hall_violator = proof->hall_violator,
                                                .line_dual = proof->line_dual,
                                                .dual_steps = -1};
    if (proof->process_dual != NULL) certificate->process_duals = proof->process_duals;
    if (proof->part_dual != NULL) {
        certificate->dual_unit = proof->unit;
        certificate->dual_steps = proof->within;
    }
    if (proof->hall_violator != NULL) {
        certificate->hall_violator_size = proof->hall_violator_size;
        certificate->hall_violator_of_parts = proof->hall_violator_of_parts;
    }
    if (proof->line_dual != NULL) {
        certificate->grid_rows = proof->grid.rows;
        certificate->grid_cols = proof->grid.cols;
    }
cleanup:
    return status;
}

const char *scalay_objective_name(scalay_objective objective)
{
    static const char *const names[] = {"canonical",    "volume", "steps",      "steps-volume",
                                        "volume-steps", "time",   "grid-volume"};
    const int number = (int)objective;
    return number >= 0 && number < (int)(sizeof names / sizeof names[0]) ? names[number] : "unknown";
}

scalay_status scalay_mapping_apply(const scalay_mapping *mapping, const scalay_layout *target, scalay_layout **mapped)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(mapped, __func__, "mapped"));
    *mapped = NULL;
    SCALAY_TRY(scalay_check_not_null(mapping, __func__, "mapping"));
    SCALAY_TRY(scalay_check_not_null(target, __func__, "target"));
    if (mapping->parts != scalay_layout_parts(target))
        return SCALAY_FAIL(
            SCALAY_ERROR_MISMATCH,
            "the mapping has %d parts and the layout %d; they must be equal. Create the mapping for this "
            "layout.",
            mapping->parts, scalay_layout_parts(target));
    status = scalay_layout_relabel(target, mapping->processes, mapping->process, mapped);
cleanup:
    return status;
}
