/* Checking a mapping without trusting whoever made it: nothing here calls a solver or what they share. */
#include "mapping/certificate.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"

static const scalay_proof_kind proofs[] = {
    [SCALAY_CANONICAL] = {0, 0, 0, 0},
    [SCALAY_MIN_VOLUME] = {1, 0, 0, 0},
    [SCALAY_MIN_STEPS] = {0, 1, 0, 0},
    [SCALAY_MIN_STEPS_THEN_VOLUME] = {1, 1, 1, 0},
    [SCALAY_MIN_VOLUME_THEN_STEPS] = {1, 1, 0, 1},
    [SCALAY_MIN_TIME] = {1, 0, 0, 0},
    [SCALAY_MIN_GRID_VOLUME] = {1, 0, 0, 0},
};

int scalay_checker_may_take(const scalay_checker *check, int process)
{
    return process < check->processes && (check->barred == NULL || !check->barred[process]);
}

/* -------------------------------------------------------------------------------------------- recount */

/* part[i] = the part of each process of the traffic, -1: none. */
static scalay_status place_parts(const scalay_checker *check, int *part)
{
    const scalay_mapping *mapping = check->mapping;
    for (int i = 0; i < check->processes; i++) part[i] = -1;
    for (int j = 0; j < mapping->parts; j++) {
        int process = mapping->process[j];
        if (process < 0 || process >= mapping->processes || !scalay_checker_may_take(check, process))
            return DENY("part %d is on process %d, which may take none", j, process);
        if (part[process] >= 0) return DENY("parts %d and %d are both on process %d", part[process], j, process);
        part[process] = j;
    }
    return SCALAY_SUCCESS;
}

static scalay_status recount(scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_view *traffic = check->view;
    int *part = NULL;
    SCALAY_TRY(SCALAY_NEW(part, check->processes));
    SCALAY_TRY(place_parts(check, part));
    for (int i = 0; i < traffic->processes; i++) {
        const scalay_view_row row = scalay_view_read(traffic, i, 0);
        int64_t held = 0;
        int64_t stays = 0;
        for (int64_t e = 0; e < row.entries; e++) {
            held += row.count[e];
            if (i < check->processes && row.part[e] == part[i]) stays = row.count[e];
        }
        check->kept += stays;
        check->steps = scalay_max_int64(check->steps, held - stays);
        if (i < check->processes && part[i] >= 0)
            check->steps = scalay_max_int64(check->steps, traffic->wanted[part[i]] - stays);
    }
    for (int i = traffic->processes; i < check->processes; i++)
        if (part[i] >= 0) check->steps = scalay_max_int64(check->steps, traffic->wanted[part[i]]);
cleanup:
    scalay_release(part);
    return status;
}

static scalay_status check_counts(const scalay_checker *check)
{
    const scalay_mapping *mapping = check->mapping;
    if (mapping->volume != check->view->items - check->kept)
        return DENY("the volume is %lld, not %lld", (long long)(check->view->items - check->kept),
                    (long long)mapping->volume);
    if (mapping->steps != check->steps)
        return DENY("the steps are %lld, not %lld", (long long)check->steps, (long long)mapping->steps);
    return SCALAY_SUCCESS;
}

/* ----------------------------------------------------------------------------------------------- duals */

int64_t scalay_checker_edge_steps(const scalay_checker *check, int i, int part, int64_t items)
{
    return scalay_max_int64(check->view->held[i], check->view->wanted[part]) - items;
}

int scalay_checker_compare_sum(int64_t u, int64_t v, int64_t w)
{
    int64_t sum = 0;
    if (!scalay_add_int64(u, v, &sum)) return u > 0 ? 1 : -1;
    return (sum > w) - (sum < w);
}

/* The edges that the objective allows are dominated. */
static scalay_status check_domination(const scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_view *traffic = check->view;
    const scalay_certificate *proof = &check->mapping->certificate;
    SCALAY_TRY(scalay_view_set_prices(traffic, proof->part_dual));
    for (int i = 0; i < traffic->processes; i++) {
        if (!scalay_checker_may_take(check, i)) continue;
        const scalay_view_row row = scalay_view_read_dearer(traffic, i, proof->process_dual[i]);
        for (int64_t e = 0; e < row.entries; e++) {
            const int part = row.part[e];
            if (scalay_checker_edge_steps(check, i, part, row.count[e]) > proof->within) continue;
            if (scalay_checker_compare_sum(proof->process_dual[i], proof->part_dual[part], row.count[e]) < 0)
                return DENY("the duals of process %d and part %d sum up to less than %lld items", i, part,
                            (long long)row.count[e]);
        }
    }
cleanup:
    return status;
}

/* Adds a dual; it may be negative only where an edge must be used: by what has more items than there may be steps. */
static scalay_status add_dual(int64_t dual, int must, scalay_wide *sum)
{
    if (dual < 0 && !must) return DENY("a dual is negative: %lld", (long long)dual);
    *sum += dual;
    return SCALAY_SUCCESS;
}

static scalay_status check_duals(const scalay_checker *check, const scalay_proof_kind *kind)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_view *traffic = check->view;
    const scalay_certificate *proof = &check->mapping->certificate;
    scalay_wide sum = 0;
    if (check->mapping->proof == SCALAY_PROOF_HEURISTIC && check->mapping->bound == 0) return SCALAY_SUCCESS;
    if (proof->process_dual == NULL || proof->part_dual == NULL) return DENY("there are no duals");
    if (kind->within_steps && proof->within != check->steps) return DENY("the duals are not those of so many steps");
    SCALAY_TRY(check_domination(check));
    for (int i = 0; i < traffic->processes; i++)
        if (scalay_checker_may_take(check, i))
            SCALAY_TRY(add_dual(proof->process_dual[i], traffic->held[i] > proof->within, &sum));
    for (int j = 0; j < traffic->parts; j++)
        SCALAY_TRY(add_dual(proof->part_dual[j], traffic->wanted[j] > proof->within, &sum));
    if (sum != traffic->items - check->mapping->bound)
        return DENY("the duals do not sum up to the %lld items that stay at most",
                    (long long)(traffic->items - check->mapping->bound));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- all */

/* What is proven of a cost: all of it when the mapping is optimal, no more than it otherwise. */
static scalay_status check_bound(const scalay_mapping *mapping, const char *what, int64_t bound, int64_t cost)
{
    if (mapping->proof == SCALAY_PROOF_OPTIMAL ? bound == cost : bound <= cost) return SCALAY_SUCCESS;
    return DENY("the bound of the %s is %lld, but there are %lld", what, (long long)bound, (long long)cost);
}

static scalay_status check_proof(const scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_mapping *mapping = check->mapping;
    const scalay_proof_kind *kind = &proofs[mapping->objective];
    if (mapping->objective == SCALAY_MIN_TIME && check->link_cost != NULL) return scalay_checker_time(check);
    if (mapping->time != (double)mapping->volume) return DENY("the time is not the volume");
    if (kind->duals) SCALAY_TRY(check_bound(mapping, "items that move", mapping->bound, mapping->volume));
    if (kind->crowd) SCALAY_TRY(check_bound(mapping, "steps", mapping->steps_bound, mapping->steps));
    if (mapping->objective == SCALAY_MIN_GRID_VOLUME) {
        SCALAY_TRY(scalay_checker_grid(check));
        if (mapping->certificate.line_dual != NULL) return scalay_checker_lines(check);
    }
    if (kind->duals) SCALAY_TRY(check_duals(check, kind));
    if (kind->crowd) SCALAY_TRY(scalay_checker_crowd(check, kind));
cleanup:
    return status;
}

scalay_status scalay_check_on_view(scalay_traffic_view *view, const scalay_mapping *mapping,
                                   const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_checker check = {.view = view, .mapping = mapping, .processes = mapping->processes};
    if (options != NULL) {
        check.barred = options->barred;
        check.link_cost = options->link_cost;
        check.link_context = options->link_context;
    }
    if (mapping->parts != view->parts)
        return DENY("the mapping has %d parts, the traffic %d", mapping->parts, view->parts);
    if (options != NULL && options->processes > 0 && options->processes != mapping->processes)
        return DENY("the mapping has %d processes, the options %d", mapping->processes, options->processes);
    SCALAY_TRY(recount(&check));
    SCALAY_TRY(check_counts(&check));
    if (mapping->proof != SCALAY_PROOF_NONE) SCALAY_TRY(check_proof(&check));
cleanup:
    return status;
}

scalay_status scalay_mapping_check(const scalay_traffic *traffic, const scalay_mapping *mapping,
                                   const scalay_mapping_options *options)
{
    if (traffic == NULL || mapping == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic or mapping is NULL; create both first");
    scalay_traffic_view view = scalay_view_of_traffic(traffic);
    return scalay_check_on_view(&view, mapping, options);
}
