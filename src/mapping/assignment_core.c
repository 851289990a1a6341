/* Assignment on many edges. A maximum-weight matching uses heavy edges nearly everywhere: so solve on the heaviest
 * edges of each row and column, price all edges with the duals, add those that the duals do not yet dominate, and
 * repeat. What no edge contradicts is optimal on the whole graph. */
#include "core/memory.h"
#include "mapping/assignment.h"

enum { PER_ROW = 12, PER_COL = 6, SPARSE_DEGREE = 32 };

/* The heaviest few of a list of edges. */
typedef struct {
    int64_t weight[PER_ROW];
    int64_t edge[PER_ROW];
    int count;
    int least; /* where the lightest one stands */
} podium;

static void podium_add(podium *heaviest, int capacity, int64_t weight, int64_t edge)
{
    int place = heaviest->count < capacity ? heaviest->count++ : heaviest->least;
    heaviest->weight[place] = weight;
    heaviest->edge[place] = edge;
    heaviest->least = 0;
    for (int k = 1; k < heaviest->count; k++)
        if (heaviest->weight[k] < heaviest->weight[heaviest->least]) heaviest->least = k;
}

static int podium_wants(const podium *heaviest, int capacity, int64_t weight)
{
    return heaviest->count < capacity || weight > heaviest->weight[heaviest->least];
}

static void podium_mark(const podium *heaviest, unsigned char *in_core)
{
    for (int k = 0; k < heaviest->count; k++) in_core[heaviest->edge[k]] = 1;
}

static scalay_status mark_heaviest(const scalay_edges *edges, unsigned char *in_core)
{
    scalay_status status = SCALAY_SUCCESS;
    podium *of_col = NULL;
    SCALAY_TRY(SCALAY_NEW(of_col, edges->cols));
    for (int i = 0; i < edges->rows; i++) {
        podium of_row = {.count = 0};
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            int64_t weight = edges->weight[e];
            podium *col = &of_col[edges->col[e]];
            if (podium_wants(&of_row, PER_ROW, weight)) podium_add(&of_row, PER_ROW, weight, e);
            if (podium_wants(col, PER_COL, weight)) podium_add(col, PER_COL, weight, e);
        }
        podium_mark(&of_row, in_core);
    }
    for (int j = 0; j < edges->cols; j++) podium_mark(&of_col[j], in_core);
cleanup:
    scalay_release(of_col);
    return status;
}

static void mark_matching(const scalay_edges *edges, const scalay_matching *matching, unsigned char *in_core)
{
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; matching->of_row[i] >= 0 && e < edges->start[i + 1]; e++)
            if (edges->col[e] == matching->of_row[i]) in_core[e] = 1;
}

/* Adds the edges that the duals do not dominate to the core; returns their number. */
static int64_t price(const scalay_edges *edges, const scalay_assignment *assignment, unsigned char *in_core)
{
    int64_t added = 0;
    for (int i = 0; i < edges->rows; i++) {
        const int64_t dual = assignment->row_dual[i];
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++)
            if (dual + assignment->col_dual[edges->col[e]] < edges->weight[e]) {
                in_core[e] = 1;
                added++;
            }
    }
    return added;
}

/* Raises the duals of rows until they dominate all edges; what is not optimal yet is at least bounded. */
static void repair(const scalay_edges *edges, scalay_assignment *assignment)
{
    for (int i = 0; i < edges->rows; i++)
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            const int64_t needed = edges->weight[e] - assignment->col_dual[edges->col[e]];
            if (needed > assignment->row_dual[i]) assignment->row_dual[i] = needed;
        }
}

static int is_in_core(const void *context, int64_t edge, int i, int j, int64_t weight)
{
    (void)i;
    (void)j;
    (void)weight;
    return ((const unsigned char *)context)[edge];
}

static scalay_status solve_core(const scalay_edges *edges, const unsigned char *in_core, const scalay_cover *cover,
                                scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges core = {0};
    SCALAY_TRY(scalay_edges_select(edges, is_in_core, in_core, &core));
    SCALAY_TRY(scalay_assignment_sparse(&core, cover, assignment));
cleanup:
    scalay_edges_free(&core);
    return status;
}

scalay_status scalay_assignment_solve(const scalay_edges *edges, const scalay_cover *cover,
                                      const scalay_matching *feasible, scalay_assignment *assignment)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *in_core = NULL;
    const int64_t count = edges->start[edges->rows];
    if (count <= SPARSE_DEGREE * (int64_t)(edges->rows < edges->cols ? edges->rows : edges->cols))
        return scalay_assignment_sparse(edges, cover, assignment);
    SCALAY_TRY(SCALAY_NEW(in_core, count));
    SCALAY_TRY(mark_heaviest(edges, in_core));
    if (feasible != NULL) mark_matching(edges, feasible, in_core);
    do {
        SCALAY_TRY(solve_core(edges, in_core, cover, assignment));
        if (price(edges, assignment, in_core) == 0) break;
        if (cover == NULL && scalay_deadline_passed(assignment->deadline)) assignment->unfinished = 1;
    } while (!assignment->unfinished);
    if (assignment->unfinished) repair(edges, assignment);
cleanup:
    scalay_release(in_core);
    return status;
}
