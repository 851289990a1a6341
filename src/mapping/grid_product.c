/* Mappings that keep a grid, of the traffic between two grids, which is never formed. Where the rows of the source are
 * rows of the target's grid of processes, and columns are columns, the best rows and the best columns are two
 * assignments of the factors, each exactly; otherwise rows and columns take turns. */
#include "base/memory.h"
#include "mapping/grid.h"
#include "mapping/product.h"

/* The lines of the grid that rows and columns of the source are: shape [source classes]; -1: none. */
typedef struct {
    const scalay_product *product;
    int *number;  /* shape [processes of the source]: of its source part in the grid; -1: it has none */
    int *line[2]; /* NULL: rows of the source are no rows of the grid, or columns no columns */
} ground;

static const scalay_factor *factor_of(const scalay_product_solver *solver, int side)
{
    return side == SCALAY_GRID_ROWS ? &solver->row : &solver->col;
}

static int class_of(const scalay_product_solver *solver, int side, int number)
{
    const int q = solver->col.source.classes;
    return side == SCALAY_GRID_ROWS ? number / q : number % q;
}

/* The entry of the other factor that the other lines select, times this one's entries. */
static void add_process(const scalay_grid_search *s, int side, int process, scalay_line_builder *build)
{
    const ground *on = s->context;
    const scalay_product_solver *solver = &on->product->solver;
    const int number = on->number[process];
    if (number < 0) return;
    const scalay_factor *factor = factor_of(solver, side), *others = factor_of(solver, 1 - side);
    const int class = class_of(solver, side, number), other = class_of(solver, 1 - side, number);
    const int met = build->fixed != NULL ? build->met_by[scalay_grid_line(s, 1 - side, s->place[process])] : 0;
    const int64_t weight = build->fixed == NULL ? scalay_factor_class_items(&others->source, other)
                           : met >= 0           ? scalay_factor_weight(others, other, met)
                                                : 0;
    const scalay_edges *edges = &factor->edges;
    for (int64_t e = edges->start[class]; weight > 0 && e < edges->start[class + 1]; e++)
        scalay_line_add(build, edges->col[e], weight * edges->weight[e]);
}

/* Only the factors themselves could tell without going through all pairs. */
static int prove_nothing(const scalay_grid_search *s)
{
    (void)s;
    return 0;
}

static int prove_all(const scalay_grid_search *s)
{
    (void)s;
    return 1;
}

static const scalay_grid_source on_product = {.add_process = add_process, .lines_prove = prove_nothing};
static const scalay_grid_source on_factors = {.add_process = add_process, .lines_prove = prove_all};

/* ----------------------------------------------------------------------------------------------- factors */

static void find_lines(const scalay_grid_search *s, int *const line[2], const ground *on)
{
    const scalay_product_solver *solver = &on->product->solver;
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < factor_of(solver, side)->source.classes; x++) line[side][x] = -1;
    for (int process = 0; process < s->processes; process++)
        for (int side = 0; side < 2 && on->number[process] >= 0 && s->place[process] >= 0; side++)
            line[side][class_of(solver, side, on->number[process])] = scalay_grid_line(s, side, s->place[process]);
}

/* Whether every process is where its row and its column say, no two of which are one line. */
static int lines_hold(const scalay_grid_search *s, int *const line[2], const ground *on)
{
    const scalay_product_solver *solver = &on->product->solver;
    for (int process = 0; process < s->processes; process++) {
        if (on->number[process] < 0) continue;
        const int row = line[SCALAY_GRID_ROWS][class_of(solver, SCALAY_GRID_ROWS, on->number[process])];
        const int col = line[SCALAY_GRID_COLS][class_of(solver, SCALAY_GRID_COLS, on->number[process])];
        if (s->place[process] != (row >= 0 && col >= 0 ? row * s->grid->cols + col : -1)) return 0;
    }
    return 1;
}

static scalay_status place_lines(const scalay_grid_search *s, ground *on)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_product_solver *solver = &on->product->solver;
    int *line[2] = {NULL, NULL};
    SCALAY_TRY(SCALAY_NEW(on->number, s->processes));
    for (int process = 0; process < s->processes; process++) on->number[process] = -1;
    for (int i = 0; i < solver->rows; i++) on->number[scalay_product_process(on->product, i)] = i;
    SCALAY_TRY(SCALAY_NEW(line[0], solver->row.source.classes));
    SCALAY_TRY(SCALAY_NEW(line[1], solver->col.source.classes));
    find_lines(s, line, on);
    if (!lines_hold(s, line, on)) goto cleanup;
    for (int side = 0; side < 2; side++) {
        on->line[side] = line[side];
        line[side] = NULL;
    }
cleanup:
    scalay_release(line[0]);
    scalay_release(line[1]);
    return status;
}

static int is_in_grid(const void *context, int64_t edge, int i, int j, int64_t weight)
{
    const int *line = context;
    (void)edge;
    (void)j;
    (void)weight;
    return line[i] >= 0;
}

/* The best lines of a side are those of its factor alone; *kept is what that keeps of it. */
static scalay_status settle_factor(scalay_grid_search *s, int side, const int *line, const scalay_factor *factor,
                                   int64_t *kept)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges edges = {0};
    scalay_assignment found = {0}, *made = &s->assignment[side];
    SCALAY_TRY(scalay_edges_select(&factor->edges, is_in_grid, line, &edges));
    SCALAY_TRY(scalay_assignment_allocate(edges.rows, edges.cols, &found));
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, &found));
    for (int x = 0; x < edges.rows; x++) {
        *kept += found.row_dual[x];
        if (line[x] >= 0) made->row_dual[line[x]] = found.row_dual[x];
    }
    for (int y = 0; y < edges.cols; y++) {
        const int x = found.matching.of_col[y];
        *kept += made->col_dual[y] = found.col_dual[y];
        made->matching.of_col[y] = x >= 0 ? line[x] : -1;
    }
    SCALAY_TRY(scalay_grid_complete(&made->matching, s->extent[side], s->line[side]));
cleanup:
    scalay_assignment_free(&found);
    scalay_edges_free(&edges);
    return status;
}

/* The duals of a factor dominate its entries; times what the other factor keeps, those of both sum up to all that
 * stays, and so they prove it. */
static scalay_status settle_factors(scalay_grid_search *s, const ground *on, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t kept[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        SCALAY_TRY(settle_factor(s, side, on->line[side], factor_of(&on->product->solver, side), &kept[side]));
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < s->extent[side]; k++) {
            s->assignment[side].row_dual[k] *= kept[1 - side];
            s->assignment[side].col_dual[k] *= kept[1 - side];
        }
    s->kept = kept[0] * kept[1];
    SCALAY_TRY(scalay_grid_remember(s, mapping));
cleanup:
    return status;
}

scalay_status scalay_product_solve_grid(scalay_product *product, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_grid_search s;
    ground on = {.product = product};
    SCALAY_TRY(scalay_grid_search_create(product->problem, scalay_layout_processes(product->source),
                                         product->solver.cols, &s));
    s.context = &on;
    SCALAY_TRY(place_lines(&s, &on));
    s.source = on.line[0] != NULL ? &on_factors : &on_product;
    SCALAY_TRY(on.line[0] != NULL ? settle_factors(&s, &on, mapping) : scalay_grid_climb(&s, mapping));
    SCALAY_TRY(scalay_grid_settle(&s, mapping));
    mapping->bound = scalay_product_all_items(product) - s.best_kept;
    if (!s.proven) SCALAY_TRY(scalay_product_bound_volume(product, mapping));
    SCALAY_TRY(scalay_product_count(product, mapping));
    mapping->proof = s.proven || mapping->bound == mapping->volume ? SCALAY_PROOF_OPTIMAL : SCALAY_PROOF_HEURISTIC;
cleanup:
    scalay_grid_search_free(&s);
    scalay_release(on.number);
    for (int side = 0; side < 2; side++) scalay_release(on.line[side]);
    return status;
}
