#include "redist/place.h"

scalay_status scalay_place_check(const scalay_comm *comm, const scalay_layout *layout, const char *function,
                                 const char *what)
{
    if (layout == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is NULL; pass a layout on every rank", what);
    const int parts = scalay_layout_parts(layout);
    for (int part = 0; part < parts; part++) {
        const int process = scalay_layout_process_of_part(layout, part);
        if (process >= comm->size)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "part %d of %s is on process %d, the communicator has %d ranks; use a larger one", part,
                               what, process, comm->size);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_place_target(const scalay_comm *comm, const scalay_layout *target, const scalay_mapping *mapping,
                                  const char *function, scalay_layout **placed)
{
    *placed = NULL;
    if (target == NULL || mapping == NULL) return scalay_place_check(comm, target, function, "target");
    if (scalay_mapping_parts(mapping) != scalay_layout_parts(target))
        return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                           "mapping is of %d parts, target has %d; make the mapping for this target",
                           scalay_mapping_parts(mapping), scalay_layout_parts(target));
    scalay_status status =
        scalay_layout_relabel(target, scalay_mapping_processes(mapping), scalay_mapping_process(mapping), placed);
    return status != SCALAY_SUCCESS ? status : scalay_place_check(comm, *placed, function, "target under mapping");
}
