#ifndef SCALAY_MAPPING_CERTIFICATE_H
#define SCALAY_MAPPING_CERTIFICATE_H

/** @file What checks have in common. Each denial is SCALAY_ERROR_MISMATCH in the name of scalay_mapping_check(). */

#include "mapping/certificate_view.h"
#include "mapping/front.h"
#include "mapping/mapping.h"

/** What a check answers when something does not hold. */
#define DENY(...) scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_mapping_check", __VA_ARGS__)

/** A mapping, and what it was made for. */
typedef struct {
    scalay_traffic_view *view;
    const scalay_mapping *mapping;
    const unsigned char *barred;
    scalay_link_cost link_cost;
    void *link_context;
    int processes; /* may take parts unless barred */
    int64_t kept;
    int64_t steps;
} scalay_checker;

/** What proves an objective. */
typedef struct {
    int duals;        /* the duals prove the volume */
    int crowd;        /* the crowd proves the steps */
    int within_steps; /* the duals speak of edges within the steps */
    int within_tight; /* the crowd only has tight edges, and must be matched where a dual is positive */
} scalay_proof_kind;

/** Whether a process may take a part. */
int scalay_checker_may_take(const scalay_checker *check, int process);

/** The steps of an edge from process i to a part. */
int64_t scalay_checker_edge_steps(const scalay_checker *check, int i, int part, int64_t items);

/** How u + v compares with w: -1, 0 or 1, without overflow for a w of at least 0. */
int scalay_checker_compare_sum(int64_t u, int64_t v, int64_t w);

/** Checks a mapping of the parts of a view. */
scalay_status scalay_check_on_view(scalay_traffic_view *view, const scalay_mapping *mapping,
                                   const scalay_mapping_options *options);

/** Checks a front likewise. */
scalay_status scalay_check_front_on_view(scalay_traffic_view *view, const scalay_mapping_front *front,
                                         const scalay_mapping_options *options);

/** The crowd proves the steps. */
scalay_status scalay_checker_crowd(const scalay_checker *check, const scalay_proof_kind *kind);

/** The duals prove the time; there is a link cost. */
scalay_status scalay_checker_time(const scalay_checker *check);

/** The mapping permutes rows and columns of its grid, and nothing else. */
scalay_status scalay_checker_grid(const scalay_checker *check);

/** The duals of the lines prove the volume; the grid has been checked. */
scalay_status scalay_checker_lines(const scalay_checker *check);

#endif
