/* What nodes save on parts, compared with the worst of them. */
#include "base/memory.h"
#include "mapping/time_nodes.h"
#include "mapping/traffic.h"

static scalay_status check_distances(const scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int nodes = s->links->nodes;
    for (int a = 0; a < nodes && !s->apart; a++)
        for (int b = 0; b < nodes; b++) {
            const int from =
                s->members.start[a] < s->members.start[a + 1] ? s->members.process[s->members.start[a]] : a;
            const int to = s->members.start[b] < s->members.start[b + 1] ? s->members.process[s->members.start[b]] : b;
            SCALAY_TRY(scalay_time_check_link(scalay_node_distance(s->links, a, b), from, to));
        }
    if (s->apart) SCALAY_TRY(scalay_time_check_link(s->links->within, 0, 1));
cleanup:
    return status;
}

/* What every part costs on a node, for whoever holds nothing of it; `cost` is zero. */
static void cost_of_node(const scalay_node_solver *s, int node, double *cost)
{
    const scalay_traffic *traffic = s->traffic;
    for (int i = 0; i < traffic->processes; i++) {
        const double link = scalay_node_distance(s->links, scalay_node_of(s->links, i), node);
        for (int64_t e = traffic->start[i]; link > 0.0 && e < traffic->start[i + 1]; e++)
            cost[traffic->part[e]] += (double)traffic->count[e] * link;
    }
}

/* T of all nodes that have somebody who may take a part, row by row. */
static scalay_status find_costs(const scalay_node_solver *s, double **cost)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*cost, (int64_t)s->links->nodes * s->traffic->parts));
    for (int node = 0; node < s->links->nodes; node++)
        if (s->members.start[node] < s->members.start[node + 1])
            cost_of_node(s, node, *cost + (int64_t)node * s->traffic->parts);
cleanup:
    return status;
}

/* What parts cost where they cost most. Where nodes are apart (cost is NULL then) every item of them goes one way. */
static void worst_of_parts(const scalay_node_solver *s, const double *cost, double *worst)
{
    const int parts = s->traffic->parts;
    for (int j = 0; j < parts; j++) worst[j] = s->apart ? (double)s->traffic->wanted[j] : 0.0;
    for (int node = 0; node < s->links->nodes && cost != NULL; node++) {
        const double *there = cost + (int64_t)node * parts;
        for (int j = 0; j < parts; j++)
            if (there[j] > worst[j]) worst[j] = there[j];
    }
}

static scalay_status find_worst(scalay_node_solver *s, const double *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = s->traffic->parts;
    double *worst = NULL, sum = 0.0;
    SCALAY_TRY(SCALAY_NEW(worst, parts));
    SCALAY_TRY(SCALAY_NEW(s->worst, parts));
    worst_of_parts(s, cost, worst);
    for (int j = 0; j < parts; j++) sum += worst[j];
    SCALAY_TRY(scalay_time_exponent(sum, &s->exponent));
    for (int j = 0; j < parts; j++) s->worst[j] = scalay_time_in_units(worst[j], s->exponent);
cleanup:
    scalay_release(worst);
    return status;
}

/* The items that a node holds, of the parts met on it; they are appended as edges, and `here` is zero again. */
static void gather_node(scalay_node_solver *s, const scalay_node_members *all, int node, int *met, double saved)
{
    const scalay_traffic *traffic = s->traffic;
    int64_t filled = s->saving.start[node];
    int count = 0;
    for (int k = all->start[node]; k < all->start[node + 1] && saved > 0.0; k++) {
        const int i = all->process[k];
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            if (s->here[traffic->part[e]] == 0) met[count++] = traffic->part[e];
            s->here[traffic->part[e]] += traffic->count[e];
        }
    }
    for (int m = 0; m < count; m++) {
        s->saving.col[filled] = met[m];
        s->saving.weight[filled++] = scalay_time_in_units((double)s->here[met[m]] * saved, s->exponent);
        s->here[met[m]] = 0;
    }
    s->saving.start[node + 1] = filled;
}

static scalay_status save_apart(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node_members all = {0};
    int *met = NULL;
    const int64_t most = s->traffic->start[s->traffic->processes];
    SCALAY_TRY(SCALAY_NEW(met, s->traffic->parts));
    SCALAY_TRY(SCALAY_NEW(s->saving.col, most));
    SCALAY_TRY(SCALAY_NEW(s->saving.weight, most));
    SCALAY_TRY(scalay_node_members_create(s->links, s->traffic->processes, &all));
    for (int node = 0; node < s->links->nodes; node++) gather_node(s, &all, node, met, 1.0 - s->links->within);
cleanup:
    scalay_node_members_free(&all);
    scalay_release(met);
    return status;
}

static scalay_status save_by_distance(scalay_node_solver *s, const double *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = s->traffic->parts;
    int64_t filled = 0;
    SCALAY_TRY(SCALAY_NEW(s->saving.col, (int64_t)s->links->nodes * parts));
    SCALAY_TRY(SCALAY_NEW(s->saving.weight, (int64_t)s->links->nodes * parts));
    for (int node = 0; node < s->links->nodes; node++) {
        for (int j = 0; j < parts && s->members.start[node] < s->members.start[node + 1]; j++) {
            const double there = cost[(int64_t)node * parts + j];
            const int64_t saved = s->worst[j] - scalay_time_in_units(there, s->exponent);
            if (saved <= 0) continue;
            s->saving.col[filled] = j;
            s->saving.weight[filled++] = saved;
        }
        s->saving.start[node + 1] = filled;
    }
cleanup:
    return status;
}

scalay_status scalay_node_savings(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    double *cost = NULL;
    SCALAY_TRY(check_distances(s));
    s->saving.rows = s->links->nodes;
    s->saving.cols = s->traffic->parts;
    SCALAY_TRY(SCALAY_NEW(s->saving.start, (int64_t)s->links->nodes + 1));
    SCALAY_TRY(SCALAY_NEW(s->here, s->traffic->parts));
    if (!s->apart) SCALAY_TRY(find_costs(s, &cost));
    SCALAY_TRY(find_worst(s, cost));
    SCALAY_TRY(s->apart ? save_apart(s) : save_by_distance(s, cost));
cleanup:
    scalay_release(cost);
    return status;
}

int64_t scalay_node_own_saving(const scalay_node_solver *s, int node, int64_t entry)
{
    return scalay_time_in_units((double)s->traffic->count[entry] * scalay_node_distance(s->links, node, node),
                                s->exponent);
}
