/*
 * Mappings that keep a grid: the rows of the grid are permuted, and its columns. With position (a, b) of a process and
 * position (r, c) of a part, the elements that stay are the sum over all pairs of a row and a column of
 * q((rho(r), gamma(c)), (r, c)).
 *
 * With given columns the best rows are an assignment problem, and conversely. If the traffic is a product R (x) C and
 * its rows and columns are rows and columns of the grid, the assignments of R and C are optimal. Otherwise the problem
 * is NP-hard (it contains the quadratic assignment problem): rows and columns are optimised alternately from ten
 * starting points, and the bound is that of all mappings.
 *
 * Time: O(starts * alternations) assignment problems of the size of the grid's sides. Memory: O(processes + parts).
 */
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "mapping/problem.h"
#include "mapping/product.h"
#include "mapping/traffic.h"

enum { ROWS = 0, COLS = 1 };
enum { STARTS = 10 };

typedef struct grid_search grid_search;

/* The edges of a line (row or column) of processes, while they are collected. */
typedef struct {
    scalay_edges edges;
    int64_t *sum; /* shape [extent]: elements that the line holds of each line of parts; zero between lines */
    int *visited; /* shape [extent]: lines whose sum is positive */
    int visited_count;
    int64_t col_capacity;
    int64_t weight_capacity;
    const int *fixed; /* shape [other extent]: line of processes of each other line of parts; NULL: any */
    int *fixed_part;  /* shape [other extent]: the inverse; -1: none */
} line_builder;

/* Access to the traffic. */
typedef struct {
    /* Adds the elements of a process to each line of parts on a side, with the other lines as in the builder. */
    void (*add_process)(const grid_search *s, int side, int process, line_builder *build);
    /* Returns 1 if the duals of the lines prove that no mapping is better: see scalay_mapping_certificate. */
    int (*lines_prove)(const grid_search *s);
} grid_source;

struct grid_search {
    const grid_source *source;
    const void *context; /* of the source */
    const scalay_mapping_problem *problem;
    const scalay_process_grid *grid;
    int processes;      /* that hold elements */
    int extent[2];      /* rows and columns */
    int *position;      /* shape [processes]: in the grid, row by row; -1: none */
    int *part_position; /* shape [parts]: likewise */
    int *line[2];       /* shape [extent]: line of processes of each line of parts */
    int *best[2];       /* the same, of the best mapping so far */
    int64_t kept;       /* by `line` */
    int64_t best_kept;
    int is_first; /* 1: the rows were optimised for all columns, so that their duals prove nothing */
    int proven;
    scalay_assignment assignment[2]; /* of the lines of each side, when they were optimised last */
};

static void grid_search_free(grid_search *s)
{
    scalay_release(s->position);
    scalay_release(s->part_position);
    for (int side = 0; side < 2; side++) {
        scalay_release(s->line[side]);
        scalay_release(s->best[side]);
        scalay_assignment_free(&s->assignment[side]);
    }
}

static scalay_status grid_search_create(const scalay_mapping_problem *problem, int processes, int parts, grid_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = problem->grid;
    *s = (grid_search){.problem = problem, .grid = grid, .processes = processes, .extent = {grid->rows, grid->cols}};
    SCALAY_TRY(SCALAY_NEW(s->position, processes));
    SCALAY_TRY(SCALAY_NEW(s->part_position, parts));
    for (int i = 0; i < processes; i++) s->position[i] = -1;
    for (int k = 0; k < parts; k++) {
        if (!scalay_mapping_problem_may_take(problem, grid->process[k]))
            return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_mapping_create",
                               "process %d of the grid may take no part; choose another objective", grid->process[k]);
        s->part_position[grid->part[k]] = k;
        if (grid->process[k] < processes) s->position[grid->process[k]] = k;
    }
    for (int side = 0; side < 2; side++) {
        SCALAY_TRY(SCALAY_NEW(s->line[side], s->extent[side]));
        SCALAY_TRY(SCALAY_NEW(s->best[side], s->extent[side]));
        SCALAY_TRY(scalay_assignment_allocate(s->extent[side], s->extent[side], &s->assignment[side]));
    }
cleanup:
    return status;
}

/* The line of a position. */
static int line_of(const grid_search *s, int side, int position)
{
    return side == ROWS ? position / s->grid->cols : position % s->grid->cols;
}

static int position_of(const grid_search *s, int side, int line, int other)
{
    return side == ROWS ? line * s->grid->cols + other : other * s->grid->cols + line;
}

/* ------------------------------------------------------------------------------------- edges between lines */

static void add_elements(line_builder *build, int line, int64_t elements)
{
    if (build->sum[line] == 0 && elements > 0) build->visited[build->visited_count++] = line;
    build->sum[line] += elements;
}

static scalay_status append_line(line_builder *build, int line)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges *edges = &build->edges;
    int64_t filled = edges->start[line];
    SCALAY_TRY(SCALAY_GROW(edges->col, build->col_capacity, filled + build->visited_count));
    SCALAY_TRY(SCALAY_GROW(edges->weight, build->weight_capacity, filled + build->visited_count));
    for (int k = 0; k < build->visited_count; k++) {
        edges->col[filled] = build->visited[k];
        edges->weight[filled++] = build->sum[build->visited[k]];
        build->sum[build->visited[k]] = 0;
    }
    build->visited_count = 0;
    edges->start[line + 1] = filled;
cleanup:
    return status;
}

static scalay_status invert_fixed(const grid_search *s, int side, line_builder *build)
{
    scalay_status status = SCALAY_SUCCESS;
    const int extent = s->extent[1 - side];
    if (build->fixed == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(build->fixed_part, extent));
    for (int k = 0; k < extent; k++) build->fixed_part[k] = -1;
    for (int k = 0; k < extent; k++) build->fixed_part[build->fixed[k]] = k;
cleanup:
    return status;
}

/* The elements that each line of processes holds of each line of parts, with the other lines as in fixed[]; NULL: with
 * all other lines. */
static scalay_status collect_edges(const grid_search *s, int side, const int *fixed, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    const int extent = s->extent[side];
    line_builder build = {.edges = {.rows = extent, .cols = extent}, .fixed = fixed};
    SCALAY_TRY(SCALAY_NEW(build.edges.start, (int64_t)extent + 1));
    SCALAY_TRY(SCALAY_NEW(build.sum, extent));
    SCALAY_TRY(SCALAY_NEW(build.visited, extent));
    SCALAY_TRY(invert_fixed(s, side, &build));
    for (int line = 0; line < extent; line++) {
        for (int other = 0; other < s->extent[1 - side]; other++) {
            const int process = s->grid->process[position_of(s, side, line, other)];
            if (process < s->processes) s->source->add_process(s, side, process, &build);
        }
        SCALAY_TRY(append_line(&build, line));
    }
    *edges = build.edges;
    build.edges = (scalay_edges){0};
cleanup:
    scalay_edges_free(&build.edges);
    scalay_release(build.sum);
    scalay_release(build.visited);
    scalay_release(build.fixed_part);
    return status;
}

/* A permutation from a matching. A line without partner keeps its number if that is free. */
static scalay_status complete(const scalay_matching *matching, int extent, int *line)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *taken = NULL;
    int next = 0;
    SCALAY_TRY(SCALAY_NEW(taken, extent));
    for (int k = 0; k < extent; k++) {
        line[k] = matching->of_col[k];
        if (line[k] >= 0) taken[line[k]] = 1;
    }
    for (int k = 0; k < extent; k++) {
        if (line[k] >= 0 || taken[k]) continue;
        line[k] = k;
        taken[k] = 1;
    }
    for (int k = 0; k < extent; k++) {
        while (line[k] < 0 && taken[next]) next++;
        if (line[k] >= 0) continue;
        line[k] = next;
        taken[next] = 1;
    }
cleanup:
    scalay_release(taken);
    return status;
}

/* Optimises the lines of a side, with the other lines as in fixed[]. */
static scalay_status optimise_lines(grid_search *s, int side, const int *fixed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges edges = {0};
    scalay_assignment *assignment = &s->assignment[side];
    SCALAY_TRY(collect_edges(s, side, fixed, &edges));
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, assignment));
    SCALAY_TRY(complete(&assignment->matching, s->extent[side], s->line[side]));
    s->kept = 0;
    for (int k = 0; k < s->extent[side]; k++) s->kept += assignment->row_dual[k] + assignment->col_dual[k];
cleanup:
    scalay_edges_free(&edges);
    return status;
}

/* ------------------------------------------------------------------------------------------------- search */

/* The lines become the best so far; if their duals prove it, the duals are moved to the mapping. */
static scalay_status remember(grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *dual = NULL, filled = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < s->extent[side]; k++) s->best[side][k] = s->line[side][k];
    s->best_kept = s->kept;
    s->proven = !s->is_first && s->kept > 0 && s->source->lines_prove(s);
    if (!s->proven) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(dual, 2 * ((int64_t)s->extent[ROWS] + s->extent[COLS])));
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < s->extent[side]; k++) dual[filled++] = s->assignment[side].row_dual[k];
        for (int k = 0; k < s->extent[side]; k++) dual[filled++] = s->assignment[side].col_dual[k];
    }
    mapping->certificate.line_dual = dual;
cleanup:
    return status;
}

/* Until neither rows nor columns improve. */
static scalay_status alternate_rows_and_columns(grid_search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t before = 0;
    SCALAY_TRY(optimise_lines(s, ROWS, s->line[COLS]));
    do {
        before = s->kept;
        SCALAY_TRY(optimise_lines(s, COLS, s->line[ROWS]));
        if (scalay_deadline_passed(s->problem->deadline)) break;
        SCALAY_TRY(optimise_lines(s, ROWS, s->line[COLS]));
    } while (s->kept > before && !scalay_deadline_passed(s->problem->deadline));
cleanup:
    return status;
}

/* Initial columns. Start 0: best for the rows that are best with all columns. Start 1: canonical. Then: random. */
static scalay_status choose_columns(grid_search *s, int start, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    int *line = s->line[COLS];
    if (start == 0) {
        SCALAY_TRY(optimise_lines(s, ROWS, NULL));
        return optimise_lines(s, COLS, s->line[ROWS]);
    }
    for (int k = 0; k < s->extent[COLS]; k++) line[k] = k;
    for (int k = s->extent[COLS] - 1; start > 1 && k > 0; k--) {
        const int other = (int)scalay_random_below(random, (int64_t)k + 1), swapped = line[k];
        line[k] = line[other];
        line[other] = swapped;
    }
cleanup:
    return status;
}

/* From several starting points, until the deadline or a proof. The first columns are optimal for their rows, so that a
 * mapping exists before rows and columns alternate. */
static scalay_status search(grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_random random = scalay_random_seed((uint64_t)s->problem->seed);
    s->best_kept = -1;
    for (int start = 0; start < STARTS && !s->proven; start++) {
        SCALAY_TRY(choose_columns(s, start, &random));
        s->is_first = start == 0 && scalay_deadline_passed(s->problem->deadline);
        if (!s->is_first) SCALAY_TRY(alternate_rows_and_columns(s));
        if (s->kept > s->best_kept) SCALAY_TRY(remember(s, mapping));
        if (scalay_deadline_passed(s->problem->deadline)) break;
    }
cleanup:
    return status;
}

/* Sets the processes of the best mapping, and a copy of the grid. */
static scalay_status set_best(const grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_process_grid *grid = s->grid;
    scalay_process_grid *copy = &mapping->certificate.grid;
    for (int k = 0; k < mapping->parts; k++)
        mapping->process[grid->part[k]] =
            grid->process[s->best[ROWS][k / grid->cols] * grid->cols + s->best[COLS][k % grid->cols]];
    copy->rows = grid->rows;
    copy->cols = grid->cols;
    SCALAY_TRY(SCALAY_NEW(copy->process, mapping->parts));
    SCALAY_TRY(SCALAY_NEW(copy->part, mapping->parts));
    for (int k = 0; k < mapping->parts; k++) {
        copy->process[k] = grid->process[k];
        copy->part[k] = grid->part[k];
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------- on a traffic matrix */

static void add_process_of_traffic(const grid_search *s, int side, int process, line_builder *build)
{
    const scalay_traffic *traffic = s->problem->traffic;
    const int other = line_of(s, 1 - side, s->position[process]);
    for (int64_t e = traffic->start[process]; e < traffic->start[process + 1]; e++) {
        const int to = s->part_position[traffic->part[e]];
        if (build->fixed != NULL && build->fixed[line_of(s, 1 - side, to)] != other) continue;
        add_elements(build, line_of(s, side, to), traffic->count[e]);
    }
}

static int64_t sum_of_duals(const grid_search *s, int side, int from, int to)
{
    const scalay_assignment *assignment = &s->assignment[side];
    return assignment->row_dual[line_of(s, side, from)] + assignment->col_dual[line_of(s, side, to)];
}

static int lines_prove_traffic(const grid_search *s)
{
    const scalay_traffic *traffic = s->problem->traffic;
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; s->position[i] >= 0 && e < traffic->start[i + 1]; e++) {
            const int from = s->position[i], to = s->part_position[traffic->part[e]];
            if (scalay_wide_product(sum_of_duals(s, ROWS, from, to), sum_of_duals(s, COLS, from, to)) <
                scalay_wide_product(s->kept, traffic->count[e]))
                return 0;
        }
    return 1;
}

static const grid_source traffic_source = {add_process_of_traffic, lines_prove_traffic};

/* The bound of all mappings, with or without a grid. */
static scalay_status find_bound(const grid_search *s, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = &s->problem->edges;
    scalay_assignment assignment = {0};
    SCALAY_TRY(scalay_assignment_allocate(edges->rows, edges->cols, &assignment));
    assignment.deadline = s->problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(edges, NULL, NULL, &assignment));
    const int64_t kept = scalay_assignment_bound(edges, &assignment);
    mapping->bound = s->problem->traffic->elements - kept;
    mapping->proof = kept == s->best_kept ? SCALAY_PROOF_OPTIMAL : SCALAY_PROOF_HEURISTIC;
    scalay_mapping_problem_take_duals(&assignment, edges->rows, mapping);
cleanup:
    scalay_assignment_free(&assignment);
    return status;
}

scalay_status scalay_mapping_problem_solve_grid(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    grid_search s;
    SCALAY_TRY(grid_search_create(problem, problem->traffic->processes, problem->traffic->parts, &s));
    s.source = &traffic_source;
    SCALAY_TRY(search(&s, mapping));
    SCALAY_TRY(set_best(&s, mapping));
    if (s.proven) {
        mapping->proof = SCALAY_PROOF_OPTIMAL;
        mapping->bound = problem->traffic->elements - s.best_kept;
    } else {
        SCALAY_TRY(find_bound(&s, mapping));
    }
cleanup:
    grid_search_free(&s);
    return status;
}

/* ------------------------------------------------------------------------------------------- on a product */

/* The context of a search on a product. */
typedef struct {
    const scalay_product *product;
    int *number;  /* shape [processes of the source]: number of its source part; -1: none */
    int *line[2]; /* shape [source classes]: grid line of each class; -1: none. NULL: classes are not grid lines */
} product_context;

static const scalay_traffic_factor *factor_of(const scalay_product *product, int side)
{
    return side == ROWS ? &product->row : &product->col;
}

static int class_of(const scalay_product *product, int side, int number)
{
    const int q = product->col.source.classes;
    return side == ROWS ? number / q : number % q;
}

/* The entry of the other factor for the fixed lines, times the entries of this factor. */
static void add_process_of_product(const grid_search *s, int side, int process, line_builder *build)
{
    const product_context *context = s->context;
    const int number = context->number[process];
    if (number < 0) return;
    const scalay_traffic_factor *factor = factor_of(context->product, side),
                                *others = factor_of(context->product, 1 - side);
    const int class = class_of(context->product, side, number), other = class_of(context->product, 1 - side, number);
    int64_t weight = 0;
    if (build->fixed == NULL) {
        weight = scalay_traffic_factor_class_elements(&others->source, other);
    } else {
        const int part_line = build->fixed_part[line_of(s, 1 - side, s->position[process])];
        if (part_line >= 0) weight = scalay_traffic_factor_weight(others, other, part_line);
    }
    for (int64_t e = factor->edges.start[class]; weight > 0 && e < factor->edges.start[class + 1]; e++)
        add_elements(build, factor->edges.col[e], weight * factor->edges.weight[e]);
}

/* A proof would need a scan of all pairs. */
static int prove_nothing(const grid_search *s)
{
    (void)s;
    return 0;
}

static int prove_all(const grid_search *s)
{
    (void)s;
    return 1;
}

static const grid_source product_source = {add_process_of_product, prove_nothing};
static const grid_source factor_source = {add_process_of_product, prove_all};

static void find_lines(const grid_search *s, const product_context *context, int *const line[2])
{
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < factor_of(context->product, side)->source.classes; x++) line[side][x] = -1;
    for (int process = 0; process < s->processes; process++)
        for (int side = 0; side < 2 && context->number[process] >= 0 && s->position[process] >= 0; side++)
            line[side][class_of(context->product, side, context->number[process])] =
                line_of(s, side, s->position[process]);
}

/* Returns 1 if each process is where the lines of its classes cross, and distinct classes have distinct lines. */
static int lines_hold(const grid_search *s, const product_context *context, int *const line[2])
{
    for (int process = 0; process < s->processes; process++) {
        if (context->number[process] < 0) continue;
        const int row = line[ROWS][class_of(context->product, ROWS, context->number[process])];
        const int col = line[COLS][class_of(context->product, COLS, context->number[process])];
        if (s->position[process] != (row >= 0 && col >= 0 ? row * s->grid->cols + col : -1)) return 0;
    }
    return 1;
}

static scalay_status product_context_create(const grid_search *s, product_context *context)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_product *product = context->product;
    int *line[2] = {NULL, NULL};
    SCALAY_TRY(SCALAY_NEW(context->number, s->processes));
    for (int process = 0; process < s->processes; process++) context->number[process] = -1;
    for (int i = 0; i < product->rows; i++) context->number[scalay_product_process(product, i)] = i;
    SCALAY_TRY(SCALAY_NEW(line[ROWS], product->row.source.classes));
    SCALAY_TRY(SCALAY_NEW(line[COLS], product->col.source.classes));
    find_lines(s, context, line);
    if (!lines_hold(s, context, line)) goto cleanup;
    for (int side = 0; side < 2; side++) {
        context->line[side] = line[side];
        line[side] = NULL;
    }
cleanup:
    scalay_release(line[ROWS]);
    scalay_release(line[COLS]);
    return status;
}

static int is_in_grid(const void *context, int i, int j, int64_t weight)
{
    const int *line = context;
    (void)j;
    (void)weight;
    return line[i] >= 0;
}

/* The best lines of a side are those of its factor. *kept: elements that stay in the factor. */
static scalay_status solve_factor(grid_search *s, int side, const int *line, const scalay_traffic_factor *factor,
                                  int64_t *kept)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges edges = {0};
    scalay_assignment found = {0}, *of_lines = &s->assignment[side];
    SCALAY_TRY(scalay_edges_select(&factor->edges, is_in_grid, line, &edges));
    SCALAY_TRY(scalay_assignment_allocate(edges.rows, edges.cols, &found));
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, &found));
    for (int x = 0; x < edges.rows; x++) {
        *kept += found.row_dual[x];
        if (line[x] >= 0) of_lines->row_dual[line[x]] = found.row_dual[x];
    }
    for (int y = 0; y < edges.cols; y++) {
        const int x = found.matching.of_col[y];
        *kept += of_lines->col_dual[y] = found.col_dual[y];
        of_lines->matching.of_col[y] = x >= 0 ? line[x] : -1;
    }
    SCALAY_TRY(complete(&of_lines->matching, s->extent[side], s->line[side]));
cleanup:
    scalay_assignment_free(&found);
    scalay_edges_free(&edges);
    return status;
}

/* The duals of a factor dominate its entries. Multiplied by the elements kept in the other factor, those of both sides
 * sum up to all elements that stay, and so prove them. */
static scalay_status solve_factors(grid_search *s, const product_context *context, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t kept[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        SCALAY_TRY(solve_factor(s, side, context->line[side], factor_of(context->product, side), &kept[side]));
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < s->extent[side]; k++) {
            s->assignment[side].row_dual[k] *= kept[1 - side];
            s->assignment[side].col_dual[k] *= kept[1 - side];
        }
    s->kept = kept[ROWS] * kept[COLS];
    SCALAY_TRY(remember(s, mapping));
cleanup:
    return status;
}

scalay_status scalay_product_solve_grid(scalay_product *product, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    grid_search s;
    product_context context = {.product = product};
    SCALAY_TRY(grid_search_create(product->problem, scalay_layout_processes(product->source), product->cols, &s));
    s.context = &context;
    SCALAY_TRY(product_context_create(&s, &context));
    const int by_factors = context.line[ROWS] != NULL;
    s.source = by_factors ? &factor_source : &product_source;
    SCALAY_TRY(by_factors ? solve_factors(&s, &context, mapping) : search(&s, mapping));
    SCALAY_TRY(set_best(&s, mapping));
    mapping->bound = scalay_product_all_elements(product) - s.best_kept;
    if (!s.proven) {
        SCALAY_TRY(scalay_product_find_volume(product, INT64_MAX, NULL, NULL));
        SCALAY_TRY(scalay_product_take_bound(product, mapping));
    }
    SCALAY_TRY(scalay_product_count(product, mapping));
    mapping->proof = s.proven || mapping->bound == mapping->volume ? SCALAY_PROOF_OPTIMAL : SCALAY_PROOF_HEURISTIC;
cleanup:
    grid_search_free(&s);
    scalay_release(context.number);
    for (int side = 0; side < 2; side++) scalay_release(context.line[side]);
    return status;
}
