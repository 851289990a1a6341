/*
 * Checks of mappings and fronts, independent of the solvers: nothing in this file or in the files of certificate.h
 * calls a solver. scalay_mapping_certificate in the public header says what is verified.
 *
 * Time: O(entries). Memory: O(processes + parts).
 */
#include "mapping/certificate.h"

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/traffic.h"

#define DENY SCALAY_DENY

/* The proof that an objective needs. */
typedef struct {
    int duals;         /* 1: the duals prove the volume */
    int hall_violator; /* 1: the Hall violator proves the steps */
    int within_steps;  /* 1: the duals hold for edges within the steps */
    int only_tight;    /* 1: only tight edges of the violator count; members may have a positive dual instead */
} proof_kind;

static const proof_kind proofs[] = {
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

/* The steps of a pair. */
static int64_t pair_steps(const scalay_checker *check, int i, int part, int64_t elements)
{
    return scalay_max_int64(check->view->held[i], check->view->wanted[part]) - elements;
}

/* Compares u + v with w: -1, 0 or 1, without overflow for a w of at least 0. */
static int compare_sum(int64_t u, int64_t v, int64_t w)
{
    int64_t sum = 0;
    if (!scalay_add_int64(u, v, &sum)) return u > 0 ? 1 : -1;
    return (sum > w) - (sum < w);
}

/* ------------------------------------------------------------------------------------------------- costs */

/* part[i] = the part of each process, -1: none. */
static scalay_status find_parts(const scalay_checker *check, int *part)
{
    const scalay_mapping *mapping = check->mapping;
    for (int i = 0; i < check->processes; i++) part[i] = -1;
    for (int j = 0; j < mapping->parts; j++) {
        const int process = mapping->process[j];
        if (process < 0 || process >= mapping->processes || !scalay_checker_may_take(check, process))
            return DENY("part %d is on process %d, which may take no part", j, process);
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
    SCALAY_TRY(find_parts(check, part));
    for (int i = 0; i < traffic->processes; i++) {
        const scalay_view_row row = scalay_view_read(traffic, i, 0);
        int64_t held = 0, stays = 0;
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

static scalay_status check_costs(const scalay_checker *check)
{
    const scalay_mapping *mapping = check->mapping;
    const int64_t volume = check->view->elements - check->kept;
    if (mapping->volume != volume)
        return DENY("the volume is %lld, not %lld", (long long)volume, (long long)mapping->volume);
    if (mapping->steps != check->steps)
        return DENY("the steps are %lld, not %lld", (long long)check->steps, (long long)mapping->steps);
    return SCALAY_SUCCESS;
}

/* A bound is equal to the cost of an optimal mapping, and not larger than that of another. */
static scalay_status check_bound(const scalay_mapping *mapping, const char *name, int64_t bound, int64_t cost)
{
    if (mapping->proof == SCALAY_PROOF_OPTIMAL ? bound == cost : bound <= cost) return SCALAY_SUCCESS;
    return DENY("the bound of the %s is %lld, but the %s is %lld", name, (long long)bound, name, (long long)cost);
}

/* ------------------------------------------------------------------------------------------------- duals */

/* All edges that the objective allows are dominated. */
static scalay_status check_domination(const scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_view *traffic = check->view;
    const scalay_certificate *proof = &check->mapping->certificate;
    SCALAY_TRY(scalay_view_set_prices(traffic, proof->part_dual));
    for (int i = 0; i < traffic->processes; i++) {
        if (!scalay_checker_may_take(check, i)) continue;
        const scalay_view_row row = scalay_view_read_above(traffic, i, proof->process_dual[i]);
        for (int64_t e = 0; e < row.entries; e++) {
            const int part = row.part[e];
            if (pair_steps(check, i, part, row.count[e]) > proof->within) continue;
            if (compare_sum(proof->process_dual[i], proof->part_dual[part], row.count[e]) < 0)
                return DENY("the duals of process %d and part %d sum up to less than %lld elements", i, part,
                            (long long)row.count[e]);
        }
    }
cleanup:
    return status;
}

/* Adds a dual. It may be negative only if its line must be matched. */
static scalay_status add_dual(int64_t dual, int must, scalay_wide *sum)
{
    if (dual < 0 && !must) return DENY("a dual is %lld; it must be at least 0", (long long)dual);
    *sum += dual;
    return SCALAY_SUCCESS;
}

static scalay_status check_duals(const scalay_checker *check, const proof_kind *kind)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_view *traffic = check->view;
    const scalay_certificate *proof = &check->mapping->certificate;
    const int64_t kept = traffic->elements - check->mapping->bound;
    scalay_wide sum = 0;
    if (check->mapping->proof == SCALAY_PROOF_HEURISTIC && check->mapping->bound == 0) return SCALAY_SUCCESS;
    if (proof->process_dual == NULL || proof->part_dual == NULL) return DENY("there are no duals");
    if (kind->within_steps && proof->within != check->steps)
        return DENY("the duals hold within %lld steps, not %lld", (long long)proof->within, (long long)check->steps);
    SCALAY_TRY(check_domination(check));
    for (int i = 0; i < traffic->processes; i++)
        if (scalay_checker_may_take(check, i))
            SCALAY_TRY(add_dual(proof->process_dual[i], traffic->held[i] > proof->within, &sum));
    for (int j = 0; j < traffic->parts; j++)
        SCALAY_TRY(add_dual(proof->part_dual[j], traffic->wanted[j] > proof->within, &sum));
    if (sum != kept) return DENY("the duals do not sum up to %lld, the elements that stay at most", (long long)kept);
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------- Hall violator */

/* Each member exists, is listed once, and must be matched below the bound. */
static scalay_status check_members(const scalay_checker *check, const proof_kind *kind, unsigned char *member)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    const scalay_traffic_view *traffic = check->view;
    const int of_parts = proof->hall_violator_of_parts;
    const int64_t *elements = of_parts ? traffic->wanted : traffic->held;
    const int64_t *dual = of_parts ? proof->part_dual : proof->process_dual;
    const int count = of_parts ? traffic->parts : traffic->processes;
    for (int k = 0; k < proof->hall_violator_size; k++) {
        const int x = proof->hall_violator[k];
        if (x < 0 || x >= count || member[x])
            return DENY("member %d of the Hall violator is %d, which does not exist or is listed twice", k, x);
        if (elements[x] < check->mapping->steps_bound && !(kind->only_tight && dual[x] > 0))
            return DENY("member %d of the Hall violator has only %lld elements", x, (long long)elements[x]);
        member[x] = 1;
    }
    return SCALAY_SUCCESS;
}

/* Whether a mapping of fewer steps could use an edge. */
static int serves(const scalay_checker *check, const proof_kind *kind, int i, int part, int64_t elements)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    if (pair_steps(check, i, part, elements) >= check->mapping->steps_bound) return 0;
    return !kind->only_tight || compare_sum(proof->process_dual[i], proof->part_dual[part], elements) == 0;
}

static int64_t count_neighbours(const scalay_checker *check, const proof_kind *kind, const unsigned char *member,
                                unsigned char *visited)
{
    scalay_traffic_view *traffic = check->view;
    const int of_parts = check->mapping->certificate.hall_violator_of_parts;
    int64_t neighbours = 0;
    for (int i = 0; i < traffic->processes; i++) {
        if (!scalay_checker_may_take(check, i) || (!of_parts && !member[i])) continue;
        const scalay_view_row row = scalay_view_read(traffic, i, traffic->held[i] - check->mapping->steps_bound);
        for (int64_t e = 0; e < row.entries; e++) {
            const int neighbour = of_parts ? i : row.part[e];
            if ((of_parts && !member[row.part[e]]) || visited[neighbour] ||
                !serves(check, kind, i, row.part[e], row.count[e]))
                continue;
            visited[neighbour] = 1;
            neighbours++;
        }
    }
    return neighbours;
}

static scalay_status check_hall_violator(const scalay_checker *check, const proof_kind *kind)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_certificate *proof = &check->mapping->certificate;
    const int64_t lines = scalay_max_int64(check->view->processes, check->view->parts);
    unsigned char *member = NULL, *visited = NULL;
    if (check->mapping->steps_bound == 0) return SCALAY_SUCCESS;
    if (proof->hall_violator == NULL) return DENY("there is no Hall violator to prove the bound of the steps");
    SCALAY_TRY(SCALAY_NEW(member, lines));
    SCALAY_TRY(SCALAY_NEW(visited, lines));
    SCALAY_TRY(check_members(check, kind, member));
    const int64_t neighbours = count_neighbours(check, kind, member, visited);
    if (neighbours >= proof->hall_violator_size)
        status = DENY("the Hall violator of size %d has %lld neighbours: fewer steps may be possible",
                      proof->hall_violator_size, (long long)neighbours);
cleanup:
    scalay_release(member);
    scalay_release(visited);
    return status;
}

/* -------------------------------------------------------------------------------------------------- grid */

/* position[i] = grid position of process i, -1: none; part_position[j] likewise of part j. */
static scalay_status find_positions(const scalay_mapping *mapping, int *position, int *part_position)
{
    const scalay_process_grid *grid = &mapping->certificate.grid;
    for (int i = 0; i < mapping->processes; i++) position[i] = -1;
    for (int j = 0; j < mapping->parts; j++) part_position[j] = -1;
    for (int k = 0; k < mapping->parts; k++) {
        const int process = grid->process[k], part = grid->part[k];
        if (process < 0 || process >= mapping->processes || position[process] >= 0)
            return DENY("process %d of the grid does not exist, or is in the grid twice", process);
        if (part < 0 || part >= mapping->parts || part_position[part] >= 0)
            return DENY("part %d of the grid does not exist, or is in the grid twice", part);
        position[process] = k;
        part_position[part] = k;
    }
    return SCALAY_SUCCESS;
}

static scalay_status new_positions(const scalay_mapping *mapping, int **position, int **part_position)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = &mapping->certificate.grid;
    if (grid->rows < 1 || grid->cols < 1 || grid->process == NULL || grid->part == NULL ||
        (int64_t)grid->rows * grid->cols != mapping->parts)
        return DENY("the grid is %d x %d, but there are %d parts", grid->rows, grid->cols, mapping->parts);
    SCALAY_TRY(SCALAY_NEW(*position, mapping->processes));
    SCALAY_TRY(SCALAY_NEW(*part_position, mapping->parts));
    SCALAY_TRY(find_positions(mapping, *position, *part_position));
cleanup:
    return status;
}

static int position_of_cell(const int *part, const int *process, const int *position, int cell)
{
    return position[process[part != NULL ? part[cell] : cell]];
}

int scalay_grid_find_leaving(int parts, int cols, const int *part, const int *process, const int *position)
{
    for (int k = 0; k < parts; k++) {
        const int at = position_of_cell(part, process, position, k);
        const int row = position_of_cell(part, process, position, k / cols * cols);
        const int col = position_of_cell(part, process, position, k % cols);
        if (at < 0 || row < 0 || col < 0 || at / cols != row / cols || at % cols != col % cols)
            return part != NULL ? part[k] : k;
    }
    return -1;
}

/* The mapping permutes rows and columns of its grid. */
static scalay_status check_grid(const scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = &mapping->certificate.grid;
    int *position = NULL, *part_position = NULL;
    SCALAY_TRY(new_positions(mapping, &position, &part_position));
    const int leaving = scalay_grid_find_leaving(mapping->parts, grid->cols, grid->part, mapping->process, position);
    if (leaving >= 0) status = DENY("part %d leaves the row or column of its grid", leaving);
cleanup:
    scalay_release(position);
    scalay_release(part_position);
    return status;
}

/* The duals of `extent` lines of processes and of parts sum up to the elements that stay, and none is negative. */
static scalay_status check_line_sum(const int64_t *dual, int extent, int64_t kept)
{
    int64_t sum = 0;
    for (int k = 0; k < 2 * extent; k++)
        if (dual[k] < 0 || !scalay_add_int64(sum, dual[k], &sum))
            return DENY("the dual of a line is %lld; it must be at least 0 and the sum fit", (long long)dual[k]);
    if (sum != kept)
        return DENY("the duals of the lines sum up to %lld, not to %lld, the elements that stay", (long long)sum,
                    (long long)kept);
    return SCALAY_SUCCESS;
}

static scalay_status check_line_products(const scalay_checker *check, const int *position, const int *part_position,
                                         int64_t kept)
{
    const scalay_process_grid *grid = &check->mapping->certificate.grid;
    const int64_t *dual = check->mapping->certificate.line_dual, *col_dual = dual + 2 * (int64_t)grid->rows;
    for (int i = 0; i < check->view->processes && i < check->mapping->processes; i++) {
        const int from = position[i];
        if (from < 0) continue;
        const scalay_view_row row = scalay_view_read(check->view, i, 0);
        for (int64_t e = 0; e < row.entries; e++) {
            const int to = part_position[row.part[e]];
            const int64_t rows = dual[from / grid->cols] + dual[grid->rows + to / grid->cols];
            const int64_t cols = col_dual[from % grid->cols] + col_dual[grid->cols + to % grid->cols];
            if (scalay_wide_product(rows, cols) < scalay_wide_product(kept, row.count[e]))
                return DENY("the duals of the lines of process %d and part %d do not dominate %lld elements", i,
                            row.part[e], (long long)row.count[e]);
        }
    }
    return SCALAY_SUCCESS;
}

/* The duals of the lines prove the volume; the grid has been checked. */
static scalay_status check_lines(const scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_mapping *mapping = check->mapping;
    const scalay_process_grid *grid = &mapping->certificate.grid;
    const int64_t *dual = mapping->certificate.line_dual, kept = check->view->elements - mapping->volume;
    int *position = NULL, *part_position = NULL;
    if (kept < 1 || mapping->proof != SCALAY_PROOF_OPTIMAL)
        return DENY("duals of lines prove only optimal mappings that keep elements");
    SCALAY_TRY(new_positions(mapping, &position, &part_position));
    SCALAY_TRY(check_line_sum(dual, grid->rows, kept));
    SCALAY_TRY(check_line_sum(dual + 2 * (int64_t)grid->rows, grid->cols, kept));
    SCALAY_TRY(check_line_products(check, position, part_position, kept));
cleanup:
    scalay_release(position);
    scalay_release(part_position);
    return status;
}

/* ---------------------------------------------------------------------------------------------- mappings */

static scalay_status check_proof(const scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_mapping *mapping = check->mapping;
    const proof_kind *kind = &proofs[mapping->objective];
    if (mapping->objective == SCALAY_MIN_TIME && check->link_cost != NULL) return scalay_checker_time(check);
    if (mapping->time != (double)mapping->volume) return DENY("the time is not the volume");
    if (kind->duals) SCALAY_TRY(check_bound(mapping, "volume", mapping->bound, mapping->volume));
    if (kind->hall_violator) SCALAY_TRY(check_bound(mapping, "steps", mapping->steps_bound, mapping->steps));
    if (mapping->objective == SCALAY_MIN_GRID_VOLUME) {
        SCALAY_TRY(check_grid(mapping));
        if (mapping->certificate.line_dual != NULL) return check_lines(check);
    }
    if (kind->duals) SCALAY_TRY(check_duals(check, kind));
    if (kind->hall_violator) SCALAY_TRY(check_hall_violator(check, kind));
cleanup:
    return status;
}

static scalay_status check_mapping(scalay_traffic_view *view, const scalay_mapping *mapping,
                                   const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_checker check = {.view = view,
                            .mapping = mapping,
                            .processes = mapping->processes,
                            .barred = options->barred,
                            .link_cost = options->link_cost,
                            .link_context = options->link_context};
    if (mapping->parts != view->parts)
        return DENY("the mapping has %d parts, the traffic %d", mapping->parts, view->parts);
    if (options->processes > 0 && options->processes != mapping->processes)
        return DENY("the mapping has %d processes, the options %d", mapping->processes, options->processes);
    SCALAY_TRY(recount(&check));
    SCALAY_TRY(check_costs(&check));
    if (mapping->proof != SCALAY_PROOF_NONE) SCALAY_TRY(check_proof(&check));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ fronts */

static const char front_name[] = "scalay_mapping_front_check";

#define DENY_FRONT(...) scalay_fail(SCALAY_ERROR_MISMATCH, front_name, __VA_ARGS__)

static int is_proven(const scalay_mapping *point)
{
    return point->proof == SCALAY_PROOF_OPTIMAL;
}

/* Each point trades steps for volume; unproven points come first. */
static scalay_status check_order(const scalay_mapping_front *front)
{
    for (int64_t k = 0; k + 1 < front->size; k++) {
        const scalay_mapping *point = front->points[k], *next = front->points[k + 1];
        if (point->steps >= next->steps || point->volume <= next->volume)
            return DENY_FRONT("point %lld is no trade-off against the next", (long long)k);
        if (is_proven(point) && !is_proven(next))
            return DENY_FRONT("point %lld is proven, but not the next", (long long)k);
    }
    return SCALAY_SUCCESS;
}

/* Each point is best of all mappings with fewer steps than the next, or bounds them. Of two unproven points, the first
 * only gives a number of steps. */
static scalay_status check_chain(const scalay_mapping_front *front, int64_t k)
{
    const scalay_mapping *point = front->points[k];
    const int64_t within = k + 1 < front->size ? front->points[k + 1]->steps - 1 : INT64_MAX;
    if (k == 0 && !is_proven(point) && point->objective == SCALAY_MIN_STEPS) return SCALAY_SUCCESS;
    if (point->objective != SCALAY_MIN_VOLUME_THEN_STEPS || point->certificate.within != within)
        return DENY_FRONT("point %lld is not proven within %lld steps", (long long)k, (long long)within);
    return SCALAY_SUCCESS;
}

static scalay_status check_front(scalay_traffic_view *view, const scalay_mapping_front *front,
                                 const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_options unlinked = *options;
    unlinked.link_cost = NULL;
    if (front->size < 1) return DENY_FRONT("the front has no point");
    SCALAY_TRY(check_mapping(view, front->fewest, &unlinked));
    if (is_proven(front->points[0]) && (front->points[0]->steps != front->fewest->steps || !is_proven(front->fewest)))
        return DENY_FRONT("the first point does not have the least steps");
    SCALAY_TRY(check_order(front));
    for (int64_t k = 0; k < front->size; k++) {
        SCALAY_TRY(check_chain(front, k));
        SCALAY_TRY(check_mapping(view, front->points[k], &unlinked));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------- traffic or layouts */

/* A mapping or a front, and the traffic or the layouts that it is checked against. */
typedef struct {
    const char *function;
    const scalay_traffic *traffic; /* NULL: layouts */
    int count;
    const scalay_layout *const *source, *const *target;
    const int64_t *weight;
    const scalay_mapping *mapping;     /* NULL: a front */
    const scalay_mapping_front *front; /* NULL: a mapping */
} request;

/* The grid of the mapping is that of the target. */
static scalay_status check_target_grid(const scalay_layout *target, const scalay_mapping *mapping)
{
    const scalay_process_grid *grid = &mapping->certificate.grid;
    if (mapping->objective != SCALAY_MIN_GRID_VOLUME) return SCALAY_SUCCESS;
    if (!scalay_layout_is_grid(target) || mapping->parts != scalay_layout_parts(target) ||
        grid->rows != target->row.classes || grid->cols != target->col.classes)
        return DENY("the grid of %d x %d is not that of the target", grid->rows, grid->cols);
    for (int k = 0; k < scalay_layout_parts(target); k++) {
        const int part = scalay_layout_cell_part(target, k / grid->cols, k % grid->cols);
        if (grid->part[k] != part || grid->process[k] != scalay_layout_process_of_part(target, part))
            return DENY("part %d or its process is not at its position in the grid of the target", part);
    }
    return SCALAY_SUCCESS;
}

/* Creates the view of the traffic. `formed` is the traffic of layouts that are not grids; NULL: not formed. */
static scalay_status create_view(const request *asked, scalay_traffic **formed, scalay_traffic_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    if (asked->traffic != NULL) {
        *view = scalay_view_of_traffic(asked->traffic);
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(
        scalay_traffic_check_layouts(asked->count, asked->source, asked->target, asked->weight, asked->function));
    if (scalay_traffic_are_grids(asked->count, asked->source, asked->target))
        return scalay_view_of_grids(asked->count, asked->source, asked->target, asked->weight, view);
    SCALAY_TRY(scalay_traffic_create_sum(asked->count, asked->source, asked->target, asked->weight, formed));
    *view = scalay_view_of_traffic(*formed);
cleanup:
    return status;
}

static scalay_status check_request(const request *asked, const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_options read;
    scalay_traffic_view view = {0};
    scalay_traffic *formed = NULL;
    if (asked->mapping == NULL) SCALAY_TRY(scalay_check_not_null(asked->front, asked->function, "front"));
    SCALAY_TRY(scalay_mapping_options_read(options, asked->function, &read));
    SCALAY_TRY(create_view(asked, &formed, &view));
    if (asked->mapping != NULL && asked->traffic == NULL)
        SCALAY_TRY(check_target_grid(asked->target[0], asked->mapping));
    SCALAY_TRY(asked->mapping != NULL ? check_mapping(&view, asked->mapping, &read)
                                      : check_front(&view, asked->front, &read));
cleanup:
    scalay_view_free(&view);
    scalay_traffic_destroy(&formed);
    return status;
}

scalay_status scalay_mapping_check(const scalay_traffic *traffic, const scalay_mapping *mapping,
                                   const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    const request asked = {.function = __func__, .traffic = traffic, .mapping = mapping};
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(scalay_check_not_null(mapping, __func__, "mapping"));
    SCALAY_TRY(check_request(&asked, options));
cleanup:
    return status;
}

scalay_status scalay_mapping_front_check(const scalay_traffic *traffic, const scalay_mapping_front *front,
                                         const scalay_mapping_options *options)
{
    const request asked = {.function = front_name, .traffic = traffic, .front = front};
    const scalay_status status = scalay_check_not_null(traffic, __func__, "traffic");
    return status == SCALAY_SUCCESS ? check_request(&asked, options) : status;
}

scalay_status scalay_mapping_check_layouts(int count, const scalay_layout *const *source,
                                           const scalay_layout *const *target, const int64_t *weight,
                                           const scalay_mapping *mapping, const scalay_mapping_options *options)
{
    const request asked = {__func__, NULL, count, source, target, weight, mapping, NULL};
    const scalay_status status = scalay_check_not_null(mapping, __func__, "mapping");
    return status == SCALAY_SUCCESS ? check_request(&asked, options) : status;
}

scalay_status scalay_mapping_front_check_layouts(const scalay_layout *source, const scalay_layout *target,
                                                 const scalay_mapping_front *front,
                                                 const scalay_mapping_options *options)
{
    const request asked = {__func__, NULL, 1, &source, &target, NULL, NULL, front};
    return check_request(&asked, options);
}
