#include "mapping/edge_core.h"

#include "base/memory.h"

scalay_status scalay_edge_core_add(scalay_edge_core *core, int from, int to, int64_t weight)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(core->added, core->capacity, core->count + 1));
    core->added[core->count++] = (scalay_core_edge){from, to, weight};
cleanup:
    return status;
}

/* Makes room for old and new edges; start[i + 1] is where row i begins to be filled. */
static scalay_status new_edges(const scalay_edge_core *core, int rows, int cols, scalay_edges *made)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t *old = core->edges.start;
    const int64_t room = (old != NULL ? old[rows] : 0) + core->count;
    *made = (scalay_edges){.rows = rows, .cols = cols};
    SCALAY_TRY(SCALAY_NEW(made->start, (int64_t)rows + 2));
    SCALAY_TRY(SCALAY_NEW(made->col, room));
    SCALAY_TRY(SCALAY_NEW(made->weight, room));
    for (int64_t k = 0; k < core->count; k++) made->start[core->added[k].from + 2]++;
    for (int i = 0; i < rows && old != NULL; i++) made->start[i + 2] += old[i + 1] - old[i];
    for (int i = 0; i < rows; i++) made->start[i + 2] += made->start[i + 1];
cleanup:
    if (status != SCALAY_SUCCESS) scalay_edges_free(made);
    return status;
}

static void add_edge(scalay_edges *edges, int from, int to, int64_t weight)
{
    const int64_t at = edges->start[from + 1]++;
    edges->col[at] = to;
    edges->weight[at] = weight;
}

/* Leaves each edge of a row once. `seen` is zero and has a place for each column. */
static void drop_doubles(scalay_edges *edges, int *seen)
{
    int64_t kept = 0, read = 0;
    for (int i = 0; i < edges->rows; i++) {
        const int64_t end = edges->start[i + 1];
        for (edges->start[i] = kept; read < end; read++) {
            const int j = edges->col[read];
            if (seen[j] == i + 1) continue;
            seen[j] = i + 1;
            edges->col[kept] = j;
            edges->weight[kept++] = edges->weight[read];
        }
    }
    edges->start[edges->rows] = kept;
}

scalay_status scalay_edge_core_grow(scalay_edge_core *core, int rows, int cols)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *old = &core->edges;
    scalay_edges made = {0};
    int *seen = NULL;
    SCALAY_TRY(SCALAY_NEW(seen, cols));
    SCALAY_TRY(new_edges(core, rows, cols, &made));
    for (int i = 0; i < rows && old->start != NULL; i++)
        for (int64_t e = old->start[i]; e < old->start[i + 1]; e++) add_edge(&made, i, old->col[e], old->weight[e]);
    for (int64_t k = 0; k < core->count; k++)
        add_edge(&made, core->added[k].from, core->added[k].to, core->added[k].weight);
    scalay_release(core->added);
    core->added = NULL;
    core->count = core->capacity = 0;
    drop_doubles(&made, seen);
    scalay_edges_free(&core->edges);
    core->edges = made;
cleanup:
    scalay_release(seen);
    return status;
}

void scalay_edge_core_free(scalay_edge_core *core)
{
    scalay_release(core->added);
    scalay_edges_free(&core->edges);
    *core = (scalay_edge_core){0};
}
