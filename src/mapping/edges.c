#include "mapping/edges.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/traffic.h"

scalay_edges scalay_edges_view(const scalay_traffic *traffic)
{
    return (scalay_edges){traffic->processes, traffic->parts, traffic->start, traffic->part, traffic->count};
}

scalay_status scalay_edges_select(const scalay_edges *edges, scalay_edge_filter keep, const void *context,
                                  scalay_edges *selected)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t cols_capacity = 0;
    int64_t weights_capacity = 0;
    int64_t filled = 0;
    *selected = (scalay_edges){.rows = edges->rows, .cols = edges->cols};
    SCALAY_TRY(SCALAY_NEW(selected->start, (int64_t)edges->rows + 1));
    for (int i = 0; i < edges->rows; i++) {
        const int64_t end = edges->start[i + 1];
        SCALAY_TRY(SCALAY_GROW(selected->col, cols_capacity, filled + end - edges->start[i]));
        SCALAY_TRY(SCALAY_GROW(selected->weight, weights_capacity, filled + end - edges->start[i]));
        for (int64_t e = edges->start[i]; e < end; e++)
            if (keep(context, e, i, edges->col[e], edges->weight[e])) {
                selected->col[filled] = edges->col[e];
                selected->weight[filled++] = edges->weight[e];
            }
        selected->start[i + 1] = filled;
    }
cleanup:
    if (status != SCALAY_SUCCESS) scalay_edges_free(selected);
    return status;
}

scalay_status scalay_edges_transpose(const scalay_edges *edges, scalay_edges *transposed)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = edges->start[edges->rows];
    *transposed = (scalay_edges){.rows = edges->cols, .cols = edges->rows};
    SCALAY_TRY(SCALAY_NEW(transposed->start, (int64_t)edges->cols + 1));
    SCALAY_TRY(SCALAY_NEW(transposed->col, count));
    SCALAY_TRY(SCALAY_NEW(transposed->weight, count));
    int64_t *start = transposed->start;
    for (int64_t e = 0; e < count; e++) start[edges->col[e] + 1]++;
    for (int j = 0; j < edges->cols; j++) start[j + 1] += start[j];
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            int64_t place = start[edges->col[e]]++;
            transposed->col[place] = i;
            transposed->weight[place] = edges->weight[e];
        }
    /* Every start has moved to the next one's place. */
    memmove(start + 1, start, (size_t)edges->cols * sizeof *start);
    start[0] = 0;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_edges_free(transposed);
    return status;
}

int64_t scalay_edges_find(const scalay_edges *edges, int i, int j)
{
    int64_t low = edges->start[i], high = edges->start[i + 1];
    if (low == high || j < edges->col[low] || j > edges->col[high - 1]) return -1;
    if (edges->col[high - 1] - edges->col[low] == high - 1 - low) return low + j - edges->col[low];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (edges->col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return edges->col[low] == j ? low : -1;
}

int64_t scalay_edges_heaviest(const scalay_edges *edges, int i)
{
    int64_t most = 0;
    for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) most = scalay_max_int64(most, edges->weight[e]);
    return most;
}

int64_t scalay_edges_block_end(const scalay_edges *edges, int i, int64_t first)
{
    return scalay_min_int64(first + SCALAY_EDGE_BLOCK, edges->start[i + 1]);
}

/* The sign of all differences together needs no branch. */
int scalay_edges_block_exceeds(const scalay_edges *edges, int64_t first, int64_t end, int64_t least)
{
    int64_t sign = 0;
    for (int64_t e = first; e < end; e++) sign |= least - edges->weight[e];
    return sign < 0;
}

int scalay_edges_block_exceeds_sum(const scalay_edges *edges, int64_t first, int64_t end, int64_t base,
                                   const int64_t *extra)
{
    int64_t sign = 0;
    const int64_t *weight = edges->weight;
    const int *col = edges->col;
    if (col[end - 1] - col[first] == end - 1 - first) { /* columns ascend: these are consecutive */
        const int64_t *next = extra + col[first];
        for (int64_t e = first; e < end; e++) sign |= base + next[e - first] - weight[e];
    } else {
        for (int64_t e = first; e < end; e++) sign |= base + extra[col[e]] - weight[e];
    }
    return sign < 0;
}

void scalay_edges_free(scalay_edges *edges)
{
    scalay_release(edges->start);
    scalay_release(edges->col);
    scalay_release(edges->weight);
    *edges = (scalay_edges){0};
}

scalay_status scalay_matching_allocate(int rows, int cols, scalay_matching *matching)
{
    scalay_status status = SCALAY_SUCCESS;
    *matching = (scalay_matching){0};
    SCALAY_TRY(SCALAY_NEW(matching->of_row, rows));
    SCALAY_TRY(SCALAY_NEW(matching->of_col, cols));
    scalay_matching_clear(matching, rows, cols);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_matching_free(matching);
    return status;
}

void scalay_matching_clear(scalay_matching *matching, int rows, int cols)
{
    for (int i = 0; i < rows; i++) matching->of_row[i] = -1;
    for (int j = 0; j < cols; j++) matching->of_col[j] = -1;
}

void scalay_matching_free(scalay_matching *matching)
{
    scalay_release(matching->of_row);
    scalay_release(matching->of_col);
    *matching = (scalay_matching){0};
}

void scalay_cover_free(scalay_cover *cover)
{
    scalay_release(cover->row);
    scalay_release(cover->col);
    *cover = (scalay_cover){0};
}
