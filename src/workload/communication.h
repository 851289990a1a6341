#ifndef SCALAY_WORKLOAD_COMMUNICATION_H
#define SCALAY_WORKLOAD_COMMUNICATION_H

/** @file Communication costs inside: what the search for the best number of processors asks. */

#include "workload/problem.h"

/** Numbers of processors in ascending order with their costs for one n; the impossible ones left out. */
typedef struct {
    const scalay_communication *communication;
    int64_t n;
    int64_t length;
    int64_t *processors; /* shape [length]; NULL: 1, 2, ..., length */
    double *least;       /* shape [2 * length]: a tree of minima, the costs in its second half; NULL: by formula */
} scalay_cost_list;

/**
 * Lists the costs of n units on up to `most` processors.
 * @param[in]  function  in whose name to fail
 * @param[out] list      to be released with scalay_cost_list_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (a cost that is negative or NaN), SCALAY_ERROR_RANGE (a callback would
 *         have to be called too often), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_cost_list_create(const char *function, const scalay_communication *communication, int64_t n,
                                      int64_t most, scalay_cost_list *list);

/** Releases the memory. */
void scalay_cost_list_free(scalay_cost_list *list);

/** The k-th number of processors. */
int64_t scalay_cost_list_processors(const scalay_cost_list *list, int64_t k);

/** The cost of the k-th number of processors. */
double scalay_cost_list_get(const scalay_cost_list *list, int64_t k);

/** A lower bound on the costs from the first-th to the last-th. */
double scalay_cost_list_least(const scalay_cost_list *list, int64_t first, int64_t last);

#endif
