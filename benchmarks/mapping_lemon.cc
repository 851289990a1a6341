/* Peer: LEMON (Egervary Research Group, Boost licence), its cost scaling and its network simplex on the assignment as a
 * flow. Where pairs without items exist, a node in the middle stands for all of them. The only C++ here. */
#include <utility>
#include <vector>

#include <lemon/cost_scaling.h>
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include "../tests/summaries.h"
#include "mapping_runs.h"

namespace
{

typedef lemon::StaticDigraph digraph;

struct network {
    std::vector<std::pair<int, int>> ends;
    std::vector<std::int64_t> gain; /* of each arc: the items that stay */
};

network network_of(const scalay_traffic *traffic)
{
    const int extent = traffic_summary(traffic).parts, middle = 2 * extent;
    const std::int64_t nonzeros = traffic_summary(traffic).nonzeros;
    const bool complete = nonzeros == static_cast<std::int64_t>(extent) * extent;
    network made;
    made.ends.reserve(static_cast<std::size_t>(nonzeros + middle));
    made.gain.reserve(static_cast<std::size_t>(nonzeros + middle));
    const auto append = [&made](int from, int to, std::int64_t gain) {
        made.ends.emplace_back(from, to);
        made.gain.push_back(gain);
    };
    for (int i = 0; i < extent; i++) {
        std::int64_t count = 0;
        const int *part = nullptr;
        const std::int64_t *items = nullptr;
        mapping_must(scalay_traffic_row(traffic, i, &count, &part, &items));
        for (std::int64_t e = 0; e < count; e++) append(i, extent + part[e], items[e]);
        if (!complete) append(i, middle, 0);
    }
    for (int j = 0; j < extent && !complete; j++) append(middle, extent + j, 0);
    return made;
}

template <class solver> double solve(const void *context, std::int64_t *value)
{
    const scalay_traffic *traffic = static_cast<const scalay_traffic *>(context);
    const int extent = traffic_summary(traffic).parts;
    const network made = network_of(traffic);
    digraph graph;
    graph.build(2 * extent + 1, made.ends.begin(), made.ends.end());
    digraph::ArcMap<std::int64_t> cost(graph);
    digraph::NodeMap<int> supply(graph, 0);
    for (digraph::ArcIt arc(graph); arc != lemon::INVALID; ++arc)
        cost[arc] = -made.gain[static_cast<std::size_t>(graph.id(arc))];
    for (int i = 0; i < extent; i++) {
        supply[graph.node(i)] = 1;
        supply[graph.node(extent + i)] = -1;
    }
    solver flow(graph);
    flow.upperMap(lemon::constMap<digraph::Arc>(1)).costMap(cost).supplyMap(supply);
    const double start = mapping_now();
    const bool solved = flow.run() == solver::OPTIMAL;
    const double seconds = mapping_now() - start;
    value[0] = solved ? -flow.template totalCost<std::int64_t>() : -1;
    return seconds;
}

} // namespace

double mapping_lemon_cost_scaling(const void *traffic, std::int64_t *value)
{
    return solve<lemon::CostScaling<digraph, int, std::int64_t>>(traffic, value);
}

double mapping_lemon_simplex(const void *traffic, std::int64_t *value)
{
    return solve<lemon::NetworkSimplex<digraph, int, std::int64_t>>(traffic, value);
}
