#ifndef SCALAY_MAPPING_H
#define SCALAY_MAPPING_H

/**
 * @file
 * Mappings: assignments of the parts of a target layout to processes, given where the data is now.
 *
 * The traffic q[i][j] (traffic.h) is the number of elements that process i holds and part j needs. A mapping assigns
 * each part to a distinct process. The volume of a mapping is the number of elements that change process. Its steps are
 * one-port steps: the maximum over the processes of max(elements sent, elements received).
 *
 * The solvers are exact. Volume is an assignment problem. Steps are a bottleneck assignment problem. One objective can
 * be minimised among the optima of the other. Time, with a cost per link, is an assignment problem too. The default is
 * SCALAY_MIN_STEPS_THEN_VOLUME: the least volume among the mappings of fewest steps. Each result has a certificate that
 * scalay_mapping_check() verifies without the solver.
 *
 * Two kinds of mappings may miss the optimum. Their bounds limit the distance from it:
 *   - mappings that keep the rows and columns of a grid, which is NP-hard unless the traffic is a product;
 *   - mappings whose time budget has run out.
 *
 * These functions use no MPI and work for any number of processes. Memory is proportional to the non-zeros of q.
 *
 * Source: Herrmann et al., Assessing the cost of redistribution followed by a computational kernel, Parallel
 * Computing 52 (2016), sections 3 and 4.
 */

#include "scalay/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An assignment of parts to processes, with its costs and a certificate. */
typedef struct scalay_mapping scalay_mapping;

/* ---------------------------------------------------------------------------------------------- creation */

/** Objective of a mapping. */
typedef enum {
    SCALAY_CANONICAL = 0,             /**< no optimisation: every part is on its process in the target layout */
    SCALAY_MIN_VOLUME = 1,            /**< elements that change process */
    SCALAY_MIN_STEPS = 2,             /**< one-port steps */
    SCALAY_MIN_STEPS_THEN_VOLUME = 3, /**< steps, then volume */
    SCALAY_MIN_VOLUME_THEN_STEPS = 4, /**< volume, then steps */
    SCALAY_MIN_TIME = 5,              /**< sum over the elements of the link cost from the old to the new process */
    SCALAY_MIN_GRID_VOLUME = 6        /**< volume; processes that share a grid row or column continue to share one */
} scalay_objective;

/** What is proven of a mapping. */
typedef enum {
    SCALAY_PROOF_NONE = 0,     /**< nothing was optimised */
    SCALAY_PROOF_OPTIMAL = 1,  /**< the certificate proves that no mapping is better */
    SCALAY_PROOF_HEURISTIC = 2 /**< the certificate proves a bound that is less than the value */
} scalay_proof;

/**
 * Returns the cost of moving one element between two processes, finite and at least 0. Called with from == to as well,
 * where most machines need 0.
 */
typedef double (*scalay_link_cost)(int from, int to, void *context);

/** Processes on nodes, for scalay_node_link_cost(). Start from zeros. */
typedef struct {
    int nodes;              /**< number of nodes, at least 1 */
    int ranks_per_node;     /**< processes 0 .. ranks_per_node - 1 are on node 0, and so on */
    const int *node;        /**< shape [processes]: node of each process; NULL: by ranks_per_node */
    const double *distance; /**< shape [nodes][nodes], by rows: cost of an element from one node to another, or within a
                                 node; NULL: 1 between nodes, `within` within a node */
    double within;          /**< cost of an element within a node */
} scalay_node_links;

/**
 * Returns the cost of a link between processes on nodes. A scalay_link_cost. Not collective.
 * @param[in] from, to  processes
 * @param[in] context   a scalay_node_links
 * @return 0 if from == to, otherwise the cost between the nodes; NaN, which mappings refuse, for a process without node
 */
SCALAY_API double scalay_node_link_cost(int from, int to, void *context);

/** Options of a mapping; start from scalay_mapping_options_default(). */
typedef struct {
    size_t size;   /**< set by scalay_mapping_options_default(): sizeof(scalay_mapping_options) */
    int processes; /**< parts are assigned to processes 0 .. processes - 1. 0 (default): the larger of the traffic's
                        numbers of processes and parts; between layouts, the larger of their numbers of processes */
    int grid_rows; /**< SCALAY_MIN_GRID_VOLUME of a traffic matrix: the parts form a grid with this number of rows,
                        numbered row by row. Between layouts: ignored, the grid is that of the target */
    const unsigned char *barred; /**< shape [processes]: 1: the process takes no part. NULL (default): none is barred */
    scalay_link_cost link_cost;  /**< SCALAY_MIN_TIME: cost of a link. NULL (default): 1 between different processes */
    void *link_context;          /**< passed to link_cost */
    double budget_seconds;       /**< CPU time limit in seconds. If the limit is reached, the best mapping found so far
                                      is returned. 0 (default): no limit. All link costs are evaluated in either case */
    int64_t seed;                /**< SCALAY_MIN_GRID_VOLUME: seed of the starting points, any number. 1 (default) */
} scalay_mapping_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_mapping_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_mapping_options_init(scalay_mapping_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_mapping_options scalay_mapping_options_default(void)
{
    scalay_mapping_options options;
    scalay_mapping_options_init(&options, sizeof options);
    return options;
}

/**
 * Finds the best mapping of the parts of a target layout, given a source layout. Not collective.
 *
 * SCALAY_CANONICAL assigns every part to its process in the target layout. The other objectives do the same with parts
 * that do not affect the objective. Between block-cyclic layouts with large traffic, all objectives except
 * SCALAY_MIN_TIME work without the traffic matrix. Memory is then proportional to the number of processes.
 * @param[in]  source, target  as in scalay_traffic_create()
 * @param[in]  objective       a scalay_objective
 * @param[in]  options         NULL: the default
 * @param[out] mapping         release with scalay_mapping_destroy()
 * @return as scalay_mapping_from_traffic() and scalay_traffic_create()
 */
SCALAY_API scalay_status scalay_mapping_create(const scalay_layout *source, const scalay_layout *target,
                                               scalay_objective objective, const scalay_mapping_options *options,
                                               scalay_mapping **mapping);

/**
 * Finds the best mapping for a traffic matrix. Not collective. SCALAY_CANONICAL assigns part j to process j.
 *
 * SCALAY_MIN_TIME with a link cost evaluates the cost of every pair of processes, and needs memory for all pairs
 * (process, part). With scalay_node_link_cost(), memory is proportional to the entries of the traffic, and with
 * distances to the pairs (node, part). The result is exact if the costs of the parts (sums of q times link cost) are
 * integers whose sum is less than 2^53 in the worst case. Otherwise costs are rounded to multiples of at most 2^-59 of
 * that sum.
 *
 * SCALAY_MIN_GRID_VOLUME permutes the rows and the columns of the grid of processes. If the traffic is a product of one
 * matrix for the rows and one for the columns, as between grids of one shape, two small assignments are optimal.
 * Otherwise rows and columns are optimised alternately from ten starting points, and the bound is that of the mappings
 * that keep no grid.
 * @param[in]  traffic    a traffic matrix
 * @param[in]  objective  a scalay_objective
 * @param[in]  options    NULL: the default
 * @param[out] mapping    release with scalay_mapping_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (fewer processes than parts after excluding
 *         barred processes, or a process that must take a part is barred), SCALAY_ERROR_RANGE
 *         (SCALAY_MIN_STEPS_THEN_VOLUME: 2^62 elements or more could stay; SCALAY_MIN_TIME: times are not finite),
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_mapping_from_traffic(const scalay_traffic *traffic, scalay_objective objective,
                                                     const scalay_mapping_options *options, scalay_mapping **mapping);

/**
 * Finds the best common mapping for several matrices, for example the operands of a multiplication: part j of every
 * target is assigned to one process. Not collective. If all pairs of layouts have the same grids and share a factor, as
 * square matrices in equal blocks do, scalay_mapping_create() applies. Otherwise the sum of their traffic is computed,
 * as by scalay_traffic_add().
 * @param[in]  count           number of matrices, at least 1
 * @param[in]  source, target  shape [count]: layouts of each matrix; the targets have the same number of parts. The
 * first target defines the canonical mapping and the grid
 * @param[in]  weight          shape [count], at least 0: weight of an element of each matrix, for example its size in
 *                             bytes; NULL: 1
 * @param[in]  objective       a scalay_objective
 * @param[in]  options         NULL: the default
 * @param[out] mapping         release with scalay_mapping_destroy()
 * @return as scalay_mapping_create() and scalay_traffic_add()
 */
SCALAY_API scalay_status scalay_mapping_create_shared(int count, const scalay_layout *const *source,
                                                      const scalay_layout *const *target, const int64_t *weight,
                                                      scalay_objective objective, const scalay_mapping_options *options,
                                                      scalay_mapping **mapping);

/**
 * Creates a mapping that the caller has chosen. Not collective. Its objective is SCALAY_CANONICAL and its proof
 * SCALAY_PROOF_NONE.
 * @param[in]  traffic    a traffic matrix; NULL: volume and steps are -1
 * @param[in]  processes  number of processes, at least parts
 * @param[in]  parts      number of parts, at least 1; equal to that of the traffic if there is one
 * @param[in]  process    shape [parts], distinct, 0 <= process < processes; copied
 * @param[out] mapping    release with scalay_mapping_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_mapping_from_processes(const scalay_traffic *traffic, int processes, int parts,
                                                       const int *process, scalay_mapping **mapping);

/** Releases a mapping and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_mapping_destroy(scalay_mapping **mapping);

/* ----------------------------------------------------------------------------------------------- queries */

/** Returns the process of each part, shape [parts]; owned by the mapping. Not collective. NULL for NULL. */
SCALAY_API const int *scalay_mapping_process(const scalay_mapping *mapping);

/**
 * Costs of a mapping and proven bounds. A bound is equal to the cost if the cost is proven to be the least, less after
 * a heuristic or a time budget, and 0 if nothing is proven of that cost.
 */
typedef struct {
    int parts;                  /**< number of parts */
    int processes;              /**< number of processes */
    scalay_objective objective; /**< objective of the mapping */
    scalay_proof proof;         /**< what is proven */
    int64_t volume;             /**< elements that change process; -1: unknown */
    int64_t steps;              /**< one-port steps; -1: unknown */
    double time;                /**< sum of link costs for SCALAY_MIN_TIME, else the volume */
    int64_t volume_bound;       /**< no mapping has less volume. With steps first: no mapping of that number of steps.
                                     For SCALAY_MIN_GRID_VOLUME: no mapping that keeps the grid */
    int64_t steps_bound;        /**< no mapping has fewer steps. With volume first: no mapping of that volume */
    double time_bound;          /**< no mapping takes less time; without link costs equal to volume_bound */
} scalay_mapping_summary;

/**
 * Returns costs and bounds. Not collective.
 * @param[in]  mapping  a mapping
 * @param[out] summary  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_mapping_get_summary(const scalay_mapping *mapping, scalay_mapping_summary *summary);

/** Returns the name used by the command line: "canonical", "volume", "steps", "steps-volume", "volume-steps", "time" or
 *  "grid-volume". Not collective. */
SCALAY_API const char *scalay_objective_name(scalay_objective objective);

/**
 * Returns the target layout with its parts on the processes of a mapping. Not collective.
 * @param[in]  mapping  a mapping of the target's parts
 * @param[in]  target   a layout
 * @param[out] mapped   release with scalay_layout_destroy()
 * @return as scalay_layout_relabel(); SCALAY_ERROR_MISMATCH if the numbers of parts differ
 */
SCALAY_API scalay_status scalay_mapping_apply(const scalay_mapping *mapping, const scalay_layout *target,
                                              scalay_layout **mapped);

/* -------------------------------------------------------------------------------------------- certificate */

/**
 * The proof of a mapping. Arrays are owned by the mapping; NULL: this proof is not used.
 *
 * Dual variables u of processes and v of parts prove the volume bound:
 *   - u[i] + v[j] >= q[i][j] for every process i that may take a part and every part j, if the pair takes at most
 *     dual_steps steps. The steps of a pair are max(elements of i, elements of j) - q[i][j].
 *   - A dual is negative only if its process or part has more than dual_steps elements.
 *   - The sum of all duals, except those of processes that may take no part, is the number of elements minus the bound.
 *
 * For SCALAY_MIN_TIME with link costs, in multiples of dual_unit, they prove the time bound: v[j] - u[k] is at most the
 * cost of part j on process k, no u is negative, and the sum of all v minus the sum of all u is the bound.
 *
 * A Hall violator proves the steps bound b. Each member has at least b elements, so it must be matched by an edge of
 * fewer than b steps. Together, the members have fewer neighbours along such edges than there are members. For
 * SCALAY_MIN_VOLUME_THEN_STEPS, only tight edges count (u[i] + v[j] = q[i][j]), and members may have a positive dual
 * instead.
 *
 * Line duals prove SCALAY_MIN_GRID_VOLUME if K > 0 elements stay. Let u and v be those of rows of processes and of
 * parts, u' and v' those of columns: (u[a] + v[r]) (u'[b] + v'[c]) >= K q((a, b), (r, c)). All u and v sum up to K, and
 * so do all u' and v'. Positions are those of the canonical grid.
 */
typedef struct {
    int process_duals; /**< number of process duals: processes of the traffic; with link costs, of the mapping */
    const int64_t *process_dual; /**< shape [process_duals]: u */
    const int64_t *part_dual;    /**< shape [parts]: v */
    double dual_unit;            /**< 1 element; with link costs, a time */
    int64_t dual_steps;          /**< the duals hold for pairs of at most this number of steps; INT64_MAX: for all */
    int hall_violator_size;      /**< number of members */
    int hall_violator_of_parts;  /**< 1: members are parts; 0: processes */
    const int *hall_violator;    /**< shape [hall_violator_size]: members, from 0 */
    int grid_rows;               /**< rows of the grid with line duals; 0: none */
    int grid_cols;               /**< columns of that grid */
    const int64_t *line_dual;    /**< shape [2 grid_rows + 2 grid_cols]: u, v, u', v' */
} scalay_mapping_certificate;

/**
 * Returns the certificate. Not collective.
 * @param[in]  mapping      a mapping
 * @param[out] certificate  caller-owned; its arrays belong to the mapping
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_mapping_get_certificate(const scalay_mapping *mapping,
                                                        scalay_mapping_certificate *certificate);

/**
 * Checks a mapping and its certificate against the traffic, independently of the solver. Not collective. Recounts
 * volume and steps, and verifies dual variables and Hall violator.
 * @param[in]  traffic  the traffic of the mapping
 * @param[in]  mapping  a mapping
 * @param[in]  options  as given to the solver; NULL: the default
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (traffic or mapping is NULL), SCALAY_ERROR_MISMATCH (the message names
 *         what does not hold), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_mapping_check(const scalay_traffic *traffic, const scalay_mapping *mapping,
                                              const scalay_mapping_options *options);

/**
 * Checks a mapping and its certificate against layouts, independently of the solver. Not collective. Also checks that a
 * grid that is kept is the target's. Between block-cyclic layouts the entries of each process are computed when needed:
 * memory is proportional to processes and parts.
 * @param[in]  count           number of matrices, at least 1
 * @param[in]  source, target  shape [count]: as in scalay_mapping_create_shared()
 * @param[in]  weight          shape [count], at least 0; NULL: 1
 * @param[in]  mapping         a mapping
 * @param[in]  options         as given to the solver; NULL: the default
 * @return as scalay_mapping_check() and scalay_traffic_add()
 */
SCALAY_API scalay_status scalay_mapping_check_layouts(int count, const scalay_layout *const *source,
                                                      const scalay_layout *const *target, const int64_t *weight,
                                                      const scalay_mapping *mapping,
                                                      const scalay_mapping_options *options);

/* -------------------------------------------------------------------------------------------------- front */

/** The Pareto front of steps and volume: one mapping for each pair of values that no other mapping dominates. */
typedef struct scalay_mapping_front scalay_mapping_front;

/**
 * Finds the Pareto front of steps and volume between layouts. Not collective. Each point takes one assignment and one
 * bottleneck problem. Points are found from the least volume on. If a time budget ends the search, one or two points
 * that are not proven represent the rest: see scalay_mapping_front_get_mapping().
 * @param[in]  source, target  as in scalay_traffic_create()
 * @param[in]  options         NULL: the default; link costs are ignored
 * @param[out] front           release with scalay_mapping_front_destroy()
 * @return as scalay_mapping_create() with SCALAY_MIN_STEPS_THEN_VOLUME
 */
SCALAY_API scalay_status scalay_mapping_front_create(const scalay_layout *source, const scalay_layout *target,
                                                     const scalay_mapping_options *options,
                                                     scalay_mapping_front **front);

/**
 * Finds the Pareto front of steps and volume for a traffic matrix. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  options  NULL: the default; link costs are ignored
 * @param[out] front    release with scalay_mapping_front_destroy()
 * @return as scalay_mapping_from_traffic() with SCALAY_MIN_STEPS_THEN_VOLUME
 */
SCALAY_API scalay_status scalay_mapping_front_from_traffic(const scalay_traffic *traffic,
                                                           const scalay_mapping_options *options,
                                                           scalay_mapping_front **front);

/** Releases a front and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_mapping_front_destroy(scalay_mapping_front **front);

/** Returns the number of points, at least 1; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_mapping_front_count(const scalay_mapping_front *front);

/**
 * Returns a point. Not collective. Points are ordered by ascending steps and descending volume. Their objective is
 * SCALAY_MIN_VOLUME_THEN_STEPS.
 *
 * After a time budget, points that are not proven come first. The last of them represents all mappings with fewer steps
 * than the next point: none of these has less volume than its volume_bound. A point with the objective SCALAY_MIN_STEPS
 * may precede it: no mapping has fewer steps than its steps_bound.
 * @param[in] front  a front
 * @param[in] k      0 <= k < scalay_mapping_front_count(front)
 * @return a mapping, owned by the front; NULL if there is no such point
 */
SCALAY_API const scalay_mapping *scalay_mapping_front_get_mapping(const scalay_mapping_front *front, int64_t k);

/**
 * Checks a front against the traffic, independently of the solver. Not collective. Checks every point as
 * scalay_mapping_check() does, and that no point is missing as far as the front is proven.
 * @param[in]  traffic  the traffic of the front
 * @param[in]  front    a front
 * @param[in]  options  as given to the solver; NULL: the default
 * @return as scalay_mapping_check()
 */
SCALAY_API scalay_status scalay_mapping_front_check(const scalay_traffic *traffic, const scalay_mapping_front *front,
                                                    const scalay_mapping_options *options);

/**
 * Checks a front against layouts, as scalay_mapping_check_layouts() checks a mapping. Not collective.
 * @param[in]  source, target  as in scalay_mapping_front_create()
 * @param[in]  front           a front
 * @param[in]  options         as given to the solver; NULL: the default
 * @return as scalay_mapping_check_layouts()
 */
SCALAY_API scalay_status scalay_mapping_front_check_layouts(const scalay_layout *source, const scalay_layout *target,
                                                            const scalay_mapping_front *front,
                                                            const scalay_mapping_options *options);

#ifdef __cplusplus
}
#endif

#endif
