#include "mapping/mapping.h"

#include <string.h>

#include "base/memory.h"
#include "mapping/traffic.h"

scalay_status scalay_mapping_allocate(int processes, int parts, scalay_objective objective, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *made = NULL;
    *mapping = NULL;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    made->parts = parts;
    made->processes = processes;
    made->objective = objective;
    made->proof = SCALAY_PROOF_NONE;
    made->volume = -1;
    made->steps = -1;
    made->time = -1.0;
    made->time_bound = -1.0;
    made->certificate.within = INT64_MAX;
    made->certificate.unit = 1.0;
    SCALAY_TRY(SCALAY_NEW(made->process, parts));
    *mapping = made;
    made = NULL;
cleanup:
    scalay_mapping_destroy(&made);
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
                           "parts = %d, processes = %d; parts must be at least 1, processes at least parts", parts,
                           processes);
    if (traffic != NULL && scalay_traffic_parts(traffic) != parts)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, from_processes,
                           "parts = %d, but the traffic has %d; they must be equal", parts,
                           scalay_traffic_parts(traffic));
    scalay_status status = scalay_processes_check(process, parts, from_processes);
    for (int j = 0; j < parts && status == SCALAY_SUCCESS; j++)
        if (process[j] >= processes)
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, from_processes,
                                 "process[%d] = %d; it must be below processes = %d", j, process[j], processes);
    return status;
}

scalay_status scalay_mapping_from_processes(const scalay_traffic *traffic, int processes, int parts, const int *process,
                                            scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *made = NULL;
    if (mapping == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "mapping is NULL; pass where to put it");
    *mapping = NULL;
    SCALAY_TRY(check_processes(traffic, processes, parts, process));
    SCALAY_TRY(scalay_mapping_allocate(processes, parts, SCALAY_CANONICAL, &made));
    memcpy(made->process, process, (size_t)parts * sizeof *process);
    if (traffic != NULL) SCALAY_TRY(scalay_mapping_count(traffic, made));
    *mapping = made;
    made = NULL;
cleanup:
    scalay_mapping_destroy(&made);
    return status;
}

void scalay_mapping_destroy(scalay_mapping **mapping)
{
    if (mapping == NULL || *mapping == NULL) return;
    scalay_release((*mapping)->process);
    scalay_release((*mapping)->certificate.process_dual);
    scalay_release((*mapping)->certificate.part_dual);
    scalay_release((*mapping)->certificate.crowd);
    scalay_release((*mapping)->certificate.grid.process);
    scalay_release((*mapping)->certificate.grid.part);
    scalay_release((*mapping)->certificate.line_dual);
    scalay_release(*mapping);
    *mapping = NULL;
}

int scalay_mapping_parts(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->parts : 0;
}

int scalay_mapping_processes(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->processes : 0;
}

const int *scalay_mapping_process(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->process : NULL;
}

int64_t scalay_mapping_volume(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->volume : -1;
}

int64_t scalay_mapping_steps(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->steps : -1;
}

double scalay_mapping_time(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->time : -1.0;
}

double scalay_mapping_time_bound(const scalay_mapping *mapping)
{
    if (mapping == NULL) return -1.0;
    return mapping->time_bound >= 0.0 ? mapping->time_bound : (double)mapping->bound;
}

int64_t scalay_mapping_bound(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->bound : -1;
}

int64_t scalay_mapping_steps_bound(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->steps_bound : -1;
}

scalay_proof scalay_mapping_proof(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->proof : SCALAY_PROOF_NONE;
}

scalay_objective scalay_mapping_objective(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->objective : SCALAY_CANONICAL;
}

/* -------------------------------------------------------------------------------------------- certificate */

const int64_t *scalay_mapping_process_duals(const scalay_mapping *mapping, int *count)
{
    const int64_t *dual = mapping != NULL ? mapping->certificate.process_dual : NULL;
    if (count != NULL) *count = dual != NULL ? mapping->certificate.process_duals : 0;
    return dual;
}

const int64_t *scalay_mapping_part_duals(const scalay_mapping *mapping)
{
    return mapping != NULL ? mapping->certificate.part_dual : NULL;
}

double scalay_mapping_dual_unit(const scalay_mapping *mapping)
{
    return scalay_mapping_part_duals(mapping) != NULL ? mapping->certificate.unit : 0.0;
}

int64_t scalay_mapping_dual_steps(const scalay_mapping *mapping)
{
    return scalay_mapping_part_duals(mapping) != NULL ? mapping->certificate.within : -1;
}

const int *scalay_mapping_hall_violator(const scalay_mapping *mapping, int *size, int *of_parts)
{
    const int *crowd = mapping != NULL ? mapping->certificate.crowd : NULL;
    if (size != NULL) *size = crowd != NULL ? mapping->certificate.crowd_size : 0;
    if (of_parts != NULL) *of_parts = crowd != NULL ? mapping->certificate.crowd_of_parts : 0;
    return crowd;
}

const int64_t *scalay_mapping_line_duals(const scalay_mapping *mapping, int *rows, int *cols)
{
    const int64_t *dual = mapping != NULL ? mapping->certificate.line_dual : NULL;
    if (rows != NULL) *rows = dual != NULL ? mapping->certificate.grid.rows : 0;
    if (cols != NULL) *cols = dual != NULL ? mapping->certificate.grid.cols : 0;
    return dual;
}

/* ------------------------------------------------------------------------------------------------ others */

const char *scalay_objective_name(scalay_objective objective)
{
    static const char *const names[] = {"canonical",    "volume", "steps",      "steps-volume",
                                        "volume-steps", "time",   "grid-volume"};
    int number = (int)objective;
    return number >= 0 && number < (int)(sizeof names / sizeof names[0]) ? names[number] : "unknown";
}

scalay_status scalay_mapping_apply(const scalay_mapping *mapping, const scalay_layout *target, scalay_layout **mapped)
{
    if (mapped == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "mapped is NULL; pass where to put the layout");
    *mapped = NULL;
    if (mapping == NULL || target == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "mapping or target is NULL; create both first");
    if (mapping->parts != scalay_layout_parts(target))
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                           "the mapping has %d parts, the layout %d; make the mapping for this layout", mapping->parts,
                           scalay_layout_parts(target));
    return scalay_layout_relabel(target, mapping->processes, mapping->process, mapped);
}
