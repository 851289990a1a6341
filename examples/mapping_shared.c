/* One mapping for all operands of a product, with link costs between nodes, and mappings that keep a process grid.
 * Planning does not use MPI. */
#include <stdio.h>
#include <stdlib.h>

#include "scalay/layout.h"
#include "scalay/mapping.h"

enum { NODES = 2, RANKS_PER_NODE = 3 };

static void stop_unless(scalay_status status, scalay_status expected)
{
    if (status == expected) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(1);
}

/* The traffic of one matrix from 2 x 3 processes to the parts of a 3 x 2 grid. */
static scalay_traffic *matrix_traffic(int64_t m, int64_t n)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_traffic *traffic = NULL;
    stop_unless(scalay_layout_block_cyclic(m, n, 8, 8, 2, 3, 0, 0, SCALAY_ROW_MAJOR, &source), SCALAY_SUCCESS);
    stop_unless(scalay_layout_block_cyclic(m, n, 32, 32, 3, 2, 0, 0, SCALAY_ROW_MAJOR, &target), SCALAY_SUCCESS);
    stop_unless(scalay_traffic_create(source, target, &traffic), SCALAY_SUCCESS);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return traffic;
}

/* A, B and C are matrices of doubles. One mapping assigns the parts of all three. */
static scalay_traffic *product_traffic(void)
{
    static const int64_t bytes[3] = {8, 8, 8};
    scalay_traffic *each[3] = {matrix_traffic(96, 120), matrix_traffic(120, 64), matrix_traffic(96, 64)}, *sum = NULL;
    stop_unless(scalay_traffic_add(3, (const scalay_traffic *const *)each, bytes, &sum), SCALAY_SUCCESS);
    for (int k = 0; k < 3; k++) scalay_traffic_destroy(&each[k]);
    return sum;
}

static void print(const char *name, const scalay_mapping *mapping)
{
    scalay_mapping_summary summary;
    stop_unless(scalay_mapping_get_summary(mapping, &summary), SCALAY_SUCCESS);
    printf("%-24s moves %7lld bytes, at least %7lld would", name, (long long)summary.volume,
           (long long)summary.volume_bound);
    if (summary.steps_bound > 0) /* 0: no bound */
        printf(", in at least %lld steps", (long long)summary.steps_bound);
    printf(":");
    for (int j = 0; j < summary.parts; j++) printf(" %d", scalay_mapping_process(mapping)[j]);
    printf("\n");
}

/* Returns whether the check, which is independent of the solver, agrees. */
static int map(const char *name, const scalay_traffic *traffic, scalay_objective objective,
               const scalay_mapping_options *options)
{
    scalay_mapping *mapping = NULL;
    stop_unless(scalay_mapping_from_traffic(traffic, objective, options, &mapping), SCALAY_SUCCESS);
    const int right = scalay_mapping_check(traffic, mapping, options) == SCALAY_SUCCESS;
    print(name, mapping);
    scalay_mapping_destroy(&mapping);
    return right;
}

int main(void)
{
    /* An element costs 21 between nodes and 10 within a node, like the memory distances of hwloc. */
    static const double distance[NODES * NODES] = {10, 21, 21, 10};
    scalay_node_links links = {.nodes = NODES, .ranks_per_node = RANKS_PER_NODE, .distance = distance};
    scalay_mapping_options options = scalay_mapping_options_default();
    scalay_traffic *traffic = product_traffic();
    options.link_cost = scalay_node_link_cost;
    options.link_context = &links;
    options.grid_rows = 3;         /* the parts are those of a 3 x 2 grid */
    options.budget_seconds = 10.0; /* CPU time; these problems need less */
    int right = map("canonical", traffic, SCALAY_CANONICAL, &options) &&
                map("least volume", traffic, SCALAY_MIN_VOLUME, &options) &&
                map("least time between nodes", traffic, SCALAY_MIN_TIME, &options) &&
                map("rows stay rows", traffic, SCALAY_MIN_GRID_VOLUME, &options) &&
                scalay_node_link_cost(0, RANKS_PER_NODE, &links) > scalay_node_link_cost(0, 1, &links);
    scalay_traffic_destroy(&traffic);
    return right ? 0 : 1;
}
