#ifndef SCALAY_MAPPING_BOTTLENECK_H
#define SCALAY_MAPPING_BOTTLENECK_H

/**
 * @file
 * Bottleneck assignment problem: the least number of one-port steps.
 *
 * A process with `held` elements that takes a part of `wanted` elements, q of which it holds, sends held - q and
 * receives wanted - q. The cost of the pair is max(held, wanted) - q steps. A process or part without a partner costs
 * all its elements. Therefore b steps suffice if and only if the edges of cost at most b have a matching that covers
 * all rows and columns of more than b elements. By the theorem of Mendelsohn and Dulmage it is enough to cover the rows
 * by one matching and the columns by another.
 *
 * "Line" means a row or a column. A line that must be matched within some steps "needs" an edge.
 */

#include "mapping/deadline.h"
#include "mapping/edges.h"

typedef struct scalay_bottleneck scalay_bottleneck;

/** Access to the edges. Functions that return a status may fail for lack of memory. If the deadline passes during one
 * of them, its results are not to be read: the caller sees that, too. */
typedef struct {
    /** Finds edges of at most `steps` steps at rows and columns that need one; release with scalay_edges_free(). */
    scalay_status (*useful)(const scalay_bottleneck *problem, int64_t steps, const scalay_cover *needs,
                            scalay_edges *useful);
    /**
     * Adds more useful edges of some lines. NULL: useful() finds all of them.
     * @param[in]  lines     shape [count]: rows, or columns if of_parts
     * @param[in]  excluded  shape [lines of the other side]: 1: no edges to this line
     * @param[out] more      1: edges were added
     */
    scalay_status (*further)(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines, int count,
                             const unsigned char *excluded, scalay_edges *useful, int *more);
    /**
     * Finds, for each line, the least number of steps above `steps` at which it has another edge or need not be
     * matched.
     * @param[in]  steps       -1: all edges count
     * @param[in]  lines       shape [count]: rows, or columns if of_parts
     * @param[out] next_steps  shape [count]; INT64_MAX: there is none
     */
    scalay_status (*next_steps)(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                int count, int64_t *next_steps);
    /** Returns 1 if a row has an edge of at most `steps` steps. */
    int (*row_serves)(const scalay_bottleneck *problem, int64_t steps, int i);
} scalay_bottleneck_source;

/** The problem. */
struct scalay_bottleneck {
    const scalay_bottleneck_source *source;
    const void *context; /* of the source; rows that are out have no edges */
    int rows;
    int cols;
    const int64_t *held;          /* shape [rows]: elements of each row */
    const int64_t *wanted;        /* shape [cols] */
    const unsigned char *row_out; /* shape [rows]: 1: takes no part; NULL: all rows may */
    scalay_cover must;            /* lines that must be matched with any number of steps; not owned */
    scalay_deadline deadline;
};

/** Edges of a graph. The context is a scalay_edges whose columns ascend in each row. */
extern const scalay_bottleneck_source scalay_bottleneck_edges;

/** Lines that all need an edge and have too few neighbours: see scalay_certificate. */
typedef struct {
    int *member; /* shape [size] */
    int size;
    int of_parts;
} scalay_hall_violator;

/** The solution. */
typedef struct {
    int64_t steps;
    int64_t bound;                 /* no matching has fewer steps; equal to `steps` unless the deadline passed first */
    scalay_hall_violator violator; /* proves the bound; empty if the bound is 0 */
    scalay_matching matching;      /* covers all lines heavier than `steps` by edges of at most that cost */
    int found; /* 0: the deadline passed before any matching was found: `steps` is 0, the matching is partial */
} scalay_bottleneck_solution;

/** Returns the cost of an edge. */
int64_t scalay_bottleneck_cost(const scalay_bottleneck *problem, int i, int j, int64_t weight);

/** Returns the cost of a line without an edge; INT64_MAX: it must be matched. */
int64_t scalay_bottleneck_unmatched_cost(const scalay_bottleneck *problem, int of_parts, int line);

/** Returns a number of steps that always suffices: the largest number of elements of a line. */
int64_t scalay_bottleneck_max_steps(const scalay_bottleneck *problem);

/**
 * Solves exactly, or until the deadline.
 * @param[in]  problem   some matching covers `must`
 * @param[out] solution  release with scalay_bottleneck_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INTERNAL (no matching covers `must`), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_bottleneck_solve(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution);

/** Releases a solution. A zeroed solution is allowed. */
void scalay_bottleneck_free(scalay_bottleneck_solution *solution);

/** A test whether some number of steps suffices, and its result. */
typedef struct {
    const scalay_bottleneck *problem;
    int64_t steps;
    scalay_cover needs; /* lines that need an edge */
    int late;           /* 1: the deadline passed first; there is no result */
    int suffices;
    int64_t result; /* if it suffices, the steps of the matching; else the least steps for which the violator is none */
    scalay_matching matching;
    scalay_hall_violator violator;
} scalay_bottleneck_trial;

/** Creates a trial; release with scalay_bottleneck_trial_free(), also on failure. */
scalay_status scalay_bottleneck_trial_create(const scalay_bottleneck *problem, scalay_bottleneck_trial *trial);

/** Releases a trial. A zeroed trial is allowed. */
void scalay_bottleneck_trial_free(scalay_bottleneck_trial *trial);

/** Tests a number of steps. No single row may need more. */
scalay_status scalay_bottleneck_trial_run(scalay_bottleneck_trial *trial, int64_t steps);

#endif
