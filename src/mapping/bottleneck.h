#ifndef SCALAY_MAPPING_BOTTLENECK_H
#define SCALAY_MAPPING_BOTTLENECK_H

/**
 * @file
 * Bottleneck assignment: the least number of one-port steps.
 *
 * A process with `held` items that takes a part of `wanted` items, q of which it holds, sends held - q and receives
 * wanted - q: the pair costs max(held, wanted) - q steps. Whoever has no partner with q > 0 costs all its items. So b
 * steps suffice if and only if, on the edges that cost at most b, everything that has more than b items can be
 * matched: the rest can be completed anyhow. By the theorem of Mendelsohn and Dulmage it is enough to cover the heavy
 * rows by one matching and the heavy columns by another.
 *
 * Source: Mendelsohn and Dulmage, Canadian Journal of Mathematics 10 (1958); Herrmann et al. (2016), section 4.2, solve
 * the same problem by removing edges from the complete graph one after the other.
 */

#include "mapping/deadline.h"
#include "mapping/edges.h"

typedef struct scalay_bottleneck scalay_bottleneck;

/**
 * Where the edges come from: what a search asks of them. Lines are rows or (of_parts) columns. Every call that returns
 * a status may fail for want of memory.
 */
typedef struct {
    /** Edges of at most so many steps at rows and columns that need one; to be released with scalay_edges_free(). */
    scalay_status (*useful)(const scalay_bottleneck *problem, int64_t steps, const scalay_cover *needs,
                            scalay_edges *useful);
    /**
     * NULL when useful() finds all of them. Otherwise adds more of the useful edges of some lines.
     * @param[in]     shunned  shape [lines of the other side]: no edges to those
     * @param[out]    more     1: there were some
     */
    scalay_status (*further)(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines, int count,
                             const unsigned char *shunned, scalay_edges *useful, int *more);
    /**
     * The least that suffices for a line on its own, among what is above some steps.
     * @param[in]  steps  -1: of all edges
     * @param[in]  lines  shape [count]
     * @param[out] hope   shape [count]: the next number of steps at which the line gets another edge, or is light
     *                    enough to go without; INT64_MAX: there is none
     */
    scalay_status (*hopes)(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines, int count,
                           int64_t *hope);
    /** Whether a row has an edge of at most so many steps. */
    int (*row_serves)(const scalay_bottleneck *problem, int64_t steps, int i);
} scalay_bottleneck_source;

/** What to solve. */
struct scalay_bottleneck {
    const scalay_bottleneck_source *source;
    const void *context; /* of the source: the edges that may be used; none at rows that are out */
    int rows;
    int cols;
    const int64_t *held;          /* shape [rows]: the items of each row */
    const int64_t *wanted;        /* shape [cols] */
    const unsigned char *row_out; /* shape [rows]: takes no part; NULL: all do */
    scalay_cover must;            /* covered whatever the steps; not owned */
    scalay_deadline deadline;
};

/** The edges of a graph; the context is a scalay_edges whose columns ascend in each row. */
extern const scalay_bottleneck_source scalay_bottleneck_edges;

/** Lines that all need an edge and share too few partners: see scalay_certificate. */
typedef struct {
    int *member; /* shape [size] */
    int size;
    int of_parts;
} scalay_crowd;

/** The solution. */
typedef struct {
    int64_t steps;
    int64_t bound;            /* no matching has fewer: `steps`, unless the deadline came first */
    scalay_crowd crowd;       /* shows that; no member where the bound is 0 */
    scalay_matching matching; /* covers everything heavier than `steps` on edges of at most that cost */
    int found;                /* 0: the deadline came before any: `steps` is 0, the matching covers something */
} scalay_bottleneck_solution;

/** What an edge costs. */
int64_t scalay_bottleneck_cost(const scalay_bottleneck *problem, int i, int j, int64_t weight);

/** Whether a line has to use an edge whatever the steps. */
int scalay_bottleneck_must(const scalay_bottleneck *problem, int of_parts, int line);

/** What a line costs that goes without an edge; INT64_MAX: it must not. */
int64_t scalay_bottleneck_alone(const scalay_bottleneck *problem, int of_parts, int line);

/** Steps that always suffice: nobody has more items, no edge costs more. */
int64_t scalay_bottleneck_most_steps(const scalay_bottleneck *problem);

/**
 * Solves exactly, or as far as the deadline allows.
 * @param[in]  problem   there is a matching that covers `must`
 * @param[out] solution  to be released with scalay_bottleneck_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INTERNAL (there is no such matching), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_bottleneck_solve(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution);

/** Releases what a solution holds. A zeroed one is fine. */
void scalay_bottleneck_free(scalay_bottleneck_solution *solution);

#endif
