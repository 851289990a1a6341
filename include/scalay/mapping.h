#ifndef SCALAY_MAPPING_H
#define SCALAY_MAPPING_H

/**
 * @file
 * Mappings: which process should take which part of a target layout, given where the data is now.
 *
 * The traffic q[i][j] counts the items (elements) that process i holds and part j needs. A mapping gives every part a
 * process of its own. Its volume is the number of items that change process; its steps are the one-port steps, the
 * maximum over the processes of max(items sent, items received).
 *
 * Both objectives are solved exactly: volume as an assignment, steps as a bottleneck assignment, one after the other
 * in either order, and time with a cost per link as an assignment again. The result carries a certificate that
 * scalay_mapping_check() verifies without trusting the solver. The default is SCALAY_MIN_STEPS_THEN_VOLUME: the
 * fewest steps, and among those mappings the least volume.
 *
 * Two kinds of mapping may fall short of the best, and then say by how much at most (scalay_mapping_bound()): those
 * that keep the rows and columns of a grid together, which is NP-hard unless the traffic is a product, and those whose
 * time budget has run out.
 *
 * Everything here is pure: no MPI, any number of processes; memory is proportional to the non-zeros of q.
 *
 * Source: Herrmann et al., Assessing the cost of redistribution followed by a computational kernel, Parallel
 * Computing 52 (2016), sections 3 and 4.
 */

#include "scalay/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Who takes which part, with what it costs and why it cannot cost less. */
typedef struct scalay_mapping scalay_mapping;

/* ------------------------------------------------------------------------------------------------ mapping */

/** What a mapping should make small. */
typedef enum {
    SCALAY_CANONICAL = 0,             /**< nothing: every part stays where the target layout has it */
    SCALAY_MIN_VOLUME = 1,            /**< the items that change process */
    SCALAY_MIN_STEPS = 2,             /**< the one-port steps */
    SCALAY_MIN_STEPS_THEN_VOLUME = 3, /**< the steps, then the volume */
    SCALAY_MIN_VOLUME_THEN_STEPS = 4, /**< the volume, then the steps */
    SCALAY_MIN_TIME = 5,              /**< the sum over items of the link cost from old to new process */
    SCALAY_MIN_GRID_VOLUME = 6        /**< the volume; the processes of a grid row stay one, and those of a column */
} scalay_objective;

/** Is the result proven? */
typedef enum {
    SCALAY_PROOF_NONE = 0,     /**< nothing was optimised */
    SCALAY_PROOF_OPTIMAL = 1,  /**< the certificate shows that nothing is better */
    SCALAY_PROOF_HEURISTIC = 2 /**< the bound in the certificate is below the value */
} scalay_proof;

/** The cost of moving one item from process `from` to process `to`, at least 0 and finite; called with from == to too,
 * where 0 is what most machines need. */
typedef double (*scalay_link_cost)(int from, int to, void *context);

/** Processes on nodes, for scalay_node_link_cost(). */
typedef struct {
    int nodes;              /**< at least 1 */
    int ranks_per_node;     /**< processes 0 .. ranks_per_node-1 share node 0, and so on */
    const int *node;        /**< shape [processes]: the node of each instead; NULL: as ranks_per_node says */
    const double *distance; /**< shape [nodes][nodes], by rows: what an item costs from one node to another, or within
                                 one; NULL: 1 between nodes, `within` within one */
    double within;          /**< what an item costs within a node */
} scalay_node_links;

/**
 * The cost of a link between processes on nodes, a scalay_link_cost. Not collective.
 * @param[in] from, to  processes
 * @param[in] context   a scalay_node_links
 * @return 0 within a process, otherwise what the nodes say; NaN, which mappings refuse, for a node that does not exist
 */
SCALAY_API double scalay_node_link_cost(int from, int to, void *context);

/** How to look for a mapping; start from scalay_mapping_options_default(). */
typedef struct {
    int processes; /**< parts may go to 0 .. processes-1; 0: the larger of the traffic's two extents */
    int grid_rows; /**< for SCALAY_MIN_GRID_VOLUME of a traffic matrix: its parts, numbered row by row, form
                      a grid of so many rows; 0: the grid is the target layout's */
    const unsigned char *barred; /**< shape [processes]: non-zero bars a process from taking a part; NULL: none is */
    scalay_link_cost link_cost;  /**< for SCALAY_MIN_TIME; NULL: 1 between different processes, 0 within one */
    void *link_context;          /**< handed to link_cost */
    double budget_seconds; /**< processor seconds after which the best mapping so far is good enough; 0: as long as it
                              takes. What links cost is asked for all the same. */
    int64_t seed;          /**< of the starts of SCALAY_MIN_GRID_VOLUME; any number */
} scalay_mapping_options;

/** Options that suit most callers: everything 0 or NULL, seed 1. */
SCALAY_API scalay_mapping_options scalay_mapping_options_default(void);

/**
 * The best mapping of the target's parts, given where the source has the data. Not collective. Where options leave the
 * number of processes open, it is the larger of those of the two layouts. SCALAY_CANONICAL puts every part where the
 * target layout has it; the other objectives leave parts there that hold none of the data that decides.
 * Volume, that with a grid kept, steps, and one after the other, between two block-cyclic layouts, do without the
 * traffic where that is large: memory in proportion to the number of processes, not to the pairs that have something in
 * common.
 * @param[in]  source, target  as in scalay_traffic_create()
 * @param[in]  objective       what to make small
 * @param[in]  options         NULL: the default
 * @param[out] mapping         to be released with scalay_mapping_destroy()
 * @return as scalay_mapping_from_traffic() and scalay_traffic_create()
 */
SCALAY_API scalay_status scalay_mapping_create(const scalay_layout *source, const scalay_layout *target,
                                               scalay_objective objective, const scalay_mapping_options *options,
                                               scalay_mapping **mapping);

/**
 * The best mapping for a traffic matrix. Not collective. SCALAY_CANONICAL puts part j on process j.
 *
 * SCALAY_MIN_TIME with a link cost needs memory for all pairs (process, part), and asks for the cost of every pair of
 * processes; not so with scalay_node_link_cost(), where it is in proportion to the entries of the traffic, and with
 * distances to all pairs (node, part). It is exact when the costs of the parts, q times the link costs added up, are
 * integers that sum up to less than 2^53 at their worst; otherwise they are rounded to multiples of at most 2^-59 of
 * that sum, and the time is within as many of those as there are parts.
 *
 * SCALAY_MIN_GRID_VOLUME permutes the rows of the grid of processes that the parts sit on, and its columns: processes
 * that share a row or column go on doing so. Where the traffic is a product of one of the rows and one of the columns,
 * as between grids of one shape, this is two small assignments, and proven optimal. Otherwise rows and columns take
 * turns until neither gains, from ten starts, and the bound is that of the mappings that keep no grid.
 * @param[in]  traffic    a traffic matrix
 * @param[in]  objective  what to make small
 * @param[in]  options    NULL: the default
 * @param[out] mapping    to be released with scalay_mapping_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (fewer processes than parts once the barred
 *         ones are out, or a process that has to take one is), SCALAY_ERROR_RANGE (SCALAY_MIN_STEPS_THEN_VOLUME: 2^62
 *         items or more could stay; SCALAY_MIN_TIME: the times are not finite), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_mapping_from_traffic(const scalay_traffic *traffic, scalay_objective objective,
                                                     const scalay_mapping_options *options, scalay_mapping **mapping);

/**
 * The best mapping for several matrices, say the operands of a multiplication: part j of every target goes to one
 * process. Not collective. As scalay_mapping_create() where all pairs are of the same grids and share a factor, as
 * square matrices in equal blocks do; otherwise the sum of their traffic is formed, as by scalay_traffic_add().
 * @param[in]  count           number of matrices, at least 1
 * @param[in]  source, target  shape [count]: where each is and what is wanted; the targets have the same number of
 * parts, and those of the first tell what is canonical, and the grid to keep
 * @param[in]  weight          shape [count], at least 0: what an item of each counts, say its bytes; NULL: 1
 * @param[in]  objective       what to make small
 * @param[in]  options         NULL: the default
 * @param[out] mapping         to be released with scalay_mapping_destroy()
 * @return as scalay_mapping_create() and scalay_traffic_add()
 */
SCALAY_API scalay_status scalay_mapping_create_shared(int count, const scalay_layout *const *source,
                                                      const scalay_layout *const *target, const int64_t *weight,
                                                      scalay_objective objective, const scalay_mapping_options *options,
                                                      scalay_mapping **mapping);

/**
 * A mapping that the caller has chosen. Not collective. Its objective is SCALAY_CANONICAL, its proof
 * SCALAY_PROOF_NONE.
 * @param[in]  traffic    a traffic matrix; NULL: volume and steps are -1
 * @param[in]  processes  number of processes, at least parts
 * @param[in]  parts      number of parts, at least 1; that of the traffic when there is one
 * @param[in]  process    shape [parts], distinct, 0 <= process < processes; copied
 * @param[out] mapping    to be released with scalay_mapping_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_mapping_from_processes(const scalay_traffic *traffic, int processes, int parts,
                                                       const int *process, scalay_mapping **mapping);

/** Releases a mapping and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_mapping_destroy(scalay_mapping **mapping);

/** The number of parts; 0 for NULL. Not collective. */
SCALAY_API int scalay_mapping_parts(const scalay_mapping *mapping);

/** The number of processes; 0 for NULL. Not collective. */
SCALAY_API int scalay_mapping_processes(const scalay_mapping *mapping);

/** The process of each part, shape [parts], owned by the mapping; NULL for NULL. Not collective. */
SCALAY_API const int *scalay_mapping_process(const scalay_mapping *mapping);

/** Items that change process. Not collective. */
SCALAY_API int64_t scalay_mapping_volume(const scalay_mapping *mapping);

/** One-port steps. Not collective. */
SCALAY_API int64_t scalay_mapping_steps(const scalay_mapping *mapping);

/** The sum of link costs for SCALAY_MIN_TIME, the volume otherwise. Not collective. */
SCALAY_API double scalay_mapping_time(const scalay_mapping *mapping);

/**
 * The items that every mapping moves, as far as is proven: the volume where that is the least, less after a heuristic
 * or when a time budget ran out, 0 when nothing was proven of the volume. With steps first, of the mappings of so few
 * steps; for SCALAY_MIN_GRID_VOLUME, of those that keep the grid; -1 for NULL. Not collective.
 */
SCALAY_API int64_t scalay_mapping_bound(const scalay_mapping *mapping);

/**
 * The steps that every mapping takes, as far as is proven: the steps where those are the least, fewer when a time
 * budget ran out, 0 when nothing was proven of the steps. With volume first, of the mappings of so little volume; -1
 * for NULL. Not collective.
 */
SCALAY_API int64_t scalay_mapping_steps_bound(const scalay_mapping *mapping);

/**
 * The time that every mapping takes, as far as is proven: the time where that is the least, less when a time budget ran
 * out; without link costs the same as scalay_mapping_bound(); -1 for NULL. Not collective.
 */
SCALAY_API double scalay_mapping_time_bound(const scalay_mapping *mapping);

/** What is proven. Not collective. */
SCALAY_API scalay_proof scalay_mapping_proof(const scalay_mapping *mapping);

/** The objective that the mapping was made for. Not collective. */
SCALAY_API scalay_objective scalay_mapping_objective(const scalay_mapping *mapping);

/** The names used by the command line: "canonical", "volume", "steps", "steps-volume", "volume-steps", "time",
 * "grid-volume". */
SCALAY_API const char *scalay_objective_name(scalay_objective objective);

/**
 * Checks a mapping and its certificate against the traffic, with code of its own. Not collective. Recounts volume and
 * steps; verifies the dual variables (feasible, equal to the value, or to the bound of what is not proven optimal) and,
 * for steps, the set of heavy processes or parts that has too few partners below the optimum.
 * @param[in]  traffic  what the mapping was made for
 * @param[in]  mapping  a mapping
 * @param[in]  options  as given when it was made; NULL: the default
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (traffic or mapping is NULL), SCALAY_ERROR_MISMATCH (the message says
 * what does not hold), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_mapping_check(const scalay_traffic *traffic, const scalay_mapping *mapping,
                                              const scalay_mapping_options *options);

/**
 * Checks a mapping and its certificate against the layouts that it was made for, with code of its own. Not collective.
 * As scalay_mapping_check(), and that a grid that is kept is the target's; between block-cyclic layouts what each
 * process holds is found again when its turn comes: memory is proportional to processes and parts, and pairs that the
 * duals dominate in any case are passed by.
 * @param[in]  count           number of matrices, at least 1
 * @param[in]  source, target  shape [count]: as in scalay_mapping_create_shared()
 * @param[in]  weight          shape [count], at least 0; NULL: 1
 * @param[in]  mapping         a mapping
 * @param[in]  options         as given when it was made; NULL: the default
 * @return as scalay_mapping_check() and scalay_traffic_add()
 */
SCALAY_API scalay_status scalay_mapping_check_layouts(int count, const scalay_layout *const *source,
                                                      const scalay_layout *const *target, const int64_t *weight,
                                                      const scalay_mapping *mapping,
                                                      const scalay_mapping_options *options);

/**
 * The dual variables of the processes, for whoever wants to verify a bound. Not collective. Where
 * scalay_mapping_bound() is positive and there are duals, u of processes and v of parts:
 *   - u[i] + v[j] >= the items of process i and part j, for every i that may take a part; with steps first, for pairs
 * of at most scalay_mapping_dual_steps() steps, max(items of i, items of j) - items of both;
 *   - none is negative, unless its process or part has more items than that;
 *   - all of them, without the processes that may take none, sum up to the items less scalay_mapping_bound().
 *
 * For SCALAY_MIN_TIME with link costs, in multiples of scalay_mapping_dual_unit(): v[j] - u[k] is no more than part j
 * costs on process k, no u is negative, and the sum of all v less that of all u is scalay_mapping_time_bound().
 * @param[in]  mapping  a mapping
 * @param[out] count    their number: the processes of the traffic, with link costs those of the mapping; 0: none
 * @return shape [count], index 0 is process 0, owned by the mapping; NULL where nothing is proven by duals
 */
SCALAY_API const int64_t *scalay_mapping_process_duals(const scalay_mapping *mapping, int *count);

/** The dual variables of the parts, shape [parts], index 0 is part 0, owned by the mapping; NULL: none. Not collective.
 * See scalay_mapping_process_duals(). */
SCALAY_API const int64_t *scalay_mapping_part_duals(const scalay_mapping *mapping);

/** What dual variables are counted in: 1 item, or a time with link costs; 0 when there are none. Not collective. */
SCALAY_API double scalay_mapping_dual_unit(const scalay_mapping *mapping);

/** Dual variables speak of pairs of at most so many steps; INT64_MAX: of all; -1 when there are none. Not collective.
 */
SCALAY_API int64_t scalay_mapping_dual_steps(const scalay_mapping *mapping);

/**
 * Why scalay_mapping_steps_bound() cannot be undercut. Not collective. All members of the crowd have that many items or
 * more (volume first: or a positive dual), and the pairs of fewer steps that they have (volume first: those of them
 * that the duals sum up to) lead to fewer partners than there are members.
 * @param[in]  mapping   a mapping
 * @param[out] size      number of members; 0: there is no crowd
 * @param[out] of_parts  1: members are parts; 0: processes
 * @return shape [size], from 0, owned by the mapping; NULL: none
 */
SCALAY_API const int *scalay_mapping_hall_violator(const scalay_mapping *mapping, int *size, int *of_parts);

/**
 * The dual variables of the lines of a grid, where they prove a mapping for SCALAY_MIN_GRID_VOLUME. Not collective.
 * With u of rows of processes, v of rows of parts, u' and v' of columns: (u[a] + v[r]) (u'[b] + v'[c]) >= K q((a, b),
 * (r, c)), all u and v sum up to K, as do all u' and v', and K items stay. Places are those of the grid that the parts
 * sit on where they are canonical.
 * @param[in]  mapping     a mapping
 * @param[out] rows, cols  of the grid; 0: there are none
 * @return shape [2 rows + 2 cols]: u, v, u', v'; owned by the mapping; NULL: none
 */
SCALAY_API const int64_t *scalay_mapping_line_duals(const scalay_mapping *mapping, int *rows, int *cols);

/**
 * The target layout on the processes that a mapping chose. Not collective.
 * @param[in]  mapping  a mapping of the target's parts
 * @param[in]  target   a layout
 * @param[out] mapped   to be released with scalay_layout_destroy()
 * @return as scalay_layout_relabel(); SCALAY_ERROR_MISMATCH when the numbers of parts differ
 */
SCALAY_API scalay_status scalay_mapping_apply(const scalay_mapping *mapping, const scalay_layout *target,
                                              scalay_layout **mapped);

/* -------------------------------------------------------------------------------------------------- front */

/** The mappings that no other beats in both steps and volume: one for each pair of values. */
typedef struct scalay_mapping_front scalay_mapping_front;

/**
 * The Pareto front of steps and volume. Not collective. Each point takes an assignment and a bottleneck problem; there
 * is at most one for each number of steps between the least and that of the least volume. The points are found from the
 * least volume on; when a time budget ends that, the rest of the front is one point that is not proven, or two: see
 * scalay_mapping_front_get_mapping().
 * @param[in]  source, target  as in scalay_traffic_create()
 * @param[in]  options         NULL: the default; link costs do not count
 * @param[out] front           to be released with scalay_mapping_front_destroy()
 * @return as scalay_mapping_create() with SCALAY_MIN_STEPS_THEN_VOLUME
 */
SCALAY_API scalay_status scalay_mapping_front_create(const scalay_layout *source, const scalay_layout *target,
                                                     const scalay_mapping_options *options,
                                                     scalay_mapping_front **front);

/**
 * scalay_mapping_front_create() for a traffic matrix. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  options  NULL: the default; link costs do not count
 * @param[out] front    to be released with scalay_mapping_front_destroy()
 * @return as scalay_mapping_from_traffic() with SCALAY_MIN_STEPS_THEN_VOLUME
 */
SCALAY_API scalay_status scalay_mapping_front_from_traffic(const scalay_traffic *traffic,
                                                           const scalay_mapping_options *options,
                                                           scalay_mapping_front **front);

/** Releases a front and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_mapping_front_destroy(scalay_mapping_front **front);

/** The number of points, at least 1; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_mapping_front_count(const scalay_mapping_front *front);

/**
 * A point, by ascending steps and falling volume: the first has the least steps, the last the least volume. Not
 * collective.
 *
 * Points that a time budget left unproven come first. The last of them stands for all mappings with fewer steps than
 * the next point: none of these has less volume than its scalay_mapping_bound(). Before it there may be one with the
 * objective SCALAY_MIN_STEPS: no mapping has fewer steps than its scalay_mapping_steps_bound().
 * @param[in] front  a front
 * @param[in] k      0 <= k < scalay_mapping_front_count(front)
 * @return a mapping with the objective SCALAY_MIN_VOLUME_THEN_STEPS among those of so few steps, or that one of
 *         SCALAY_MIN_STEPS, which no volume is known to bound where it is the only one unproven; owned by the front;
 *         NULL when there is no such point
 */
SCALAY_API const scalay_mapping *scalay_mapping_front_get_mapping(const scalay_mapping_front *front, int64_t k);

/**
 * Checks a front against the traffic, with code of its own: every point as scalay_mapping_check() does, and that there
 * is nothing in between, nor with fewer steps than the first, as far as they are proven. Not collective.
 * @param[in]  traffic  what the front was made for
 * @param[in]  front    a front
 * @param[in]  options  as given when it was made; NULL: the default
 * @return as scalay_mapping_check()
 */
SCALAY_API scalay_status scalay_mapping_front_check(const scalay_traffic *traffic, const scalay_mapping_front *front,
                                                    const scalay_mapping_options *options);

/**
 * Checks a front against the layouts that it was made for, as scalay_mapping_check_layouts() checks a mapping. Not
 * collective.
 * @param[in]  source, target  as in scalay_mapping_front_create()
 * @param[in]  front           a front
 * @param[in]  options         as given when it was made; NULL: the default
 * @return as scalay_mapping_check_layouts()
 */
SCALAY_API scalay_status scalay_mapping_front_check_layouts(const scalay_layout *source, const scalay_layout *target,
                                                            const scalay_mapping_front *front,
                                                            const scalay_mapping_options *options);

#ifdef __cplusplus
}
#endif

#endif
