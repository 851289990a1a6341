/* Link costs of processes on nodes. */
#include <math.h>

#include "scalay/mapping.h"

static int node_of(const scalay_node_links *links, int process)
{
    int node = links->node != NULL ? links->node[process] : -1;
    if (links->node == NULL && links->ranks_per_node > 0) node = process / links->ranks_per_node;
    return node < links->nodes ? node : -1;
}

double scalay_node_link_cost(int from, int to, void *context)
{
    const scalay_node_links *links = context;
    const int a = node_of(links, from), b = node_of(links, to);
    if (a < 0 || b < 0) return (double)NAN;
    if (from == to) return 0.0;
    if (links->distance != NULL) return links->distance[(size_t)a * (size_t)links->nodes + (size_t)b];
    return a == b ? links->within : 1.0;
}
