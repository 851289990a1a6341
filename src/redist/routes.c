#include "redist/routes.h"

#include <stdlib.h>

static int compare_routes(const void *left, const void *right)
{
    const scalay_route *a = left, *b = right;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

void scalay_routes_order(scalay_route *routes, int64_t count, scalay_route_ring ring, int sends)
{
    const int sign = sends ? 1 : -1;
    for (scalay_route *at = routes; at < routes + count; at++)
        at->distance = (sign * (at->peer - ring.rank) + ring.size) % ring.size;
    if (count > 0) qsort(routes, (size_t)count, sizeof *routes, compare_routes);
}
