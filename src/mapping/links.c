/* Link costs of processes on nodes. */
#include "mapping/links.h"

#include <math.h>

#include "base/memory.h"

int scalay_node_of(const scalay_node_links *links, int process)
{
    int node = links->node != NULL ? links->node[process] : -1;
    if (links->node == NULL && links->ranks_per_node > 0) node = process / links->ranks_per_node;
    return node < links->nodes ? node : -1;
}

double scalay_node_distance(const scalay_node_links *links, int a, int b)
{
    if (links->distance != NULL) return links->distance[(size_t)a * (size_t)links->nodes + (size_t)b];
    return a == b ? links->within : 1.0;
}

int scalay_nodes_are_apart(const scalay_node_links *links)
{
    return links->distance == NULL && links->within <= 1.0;
}

double scalay_node_link_cost(int from, int to, void *context)
{
    const scalay_node_links *links = context;
    const int a = scalay_node_of(links, from), b = scalay_node_of(links, to);
    if (a < 0 || b < 0) return (double)NAN;
    return from == to ? 0.0 : scalay_node_distance(links, a, b);
}

scalay_status scalay_node_members_create(const scalay_node_links *links, int processes, scalay_node_members *members)
{
    scalay_status status = SCALAY_SUCCESS;
    if (links == NULL || links->nodes < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the links have no nodes; set nodes to at least 1");
    SCALAY_TRY(SCALAY_NEW(members->start, (int64_t)links->nodes + 1));
    SCALAY_TRY(SCALAY_NEW(members->process, processes));
    for (int k = 0; k < processes; k++) {
        const int node = scalay_node_of(links, k);
        if (node < 0)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "process %d has no node of the %d; place all of the %d processes",
                               k, links->nodes, processes);
        members->start[node + 1]++;
    }
    for (int n = 0; n < links->nodes; n++) members->start[n + 1] += members->start[n];
    for (int k = 0; k < processes; k++) members->process[members->start[scalay_node_of(links, k)]++] = k;
    for (int n = links->nodes; n > 0; n--) members->start[n] = members->start[n - 1];
    members->start[0] = 0;
cleanup:
    return status;
}

void scalay_node_members_free(scalay_node_members *members)
{
    scalay_release(members->start);
    scalay_release(members->process);
}
