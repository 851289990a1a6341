/* Least volume between grids where the matrix holds whole periods of both: shifts by a multiple of both blocks change
 * nothing but the numbers of the classes. Classes of a side that shifts turn into each other are an orbit: here those
 * of equal number modulo the number of orbits. With as many edges of the heaviest kind from each member to an orbit of
 * the other side as from any other, fractions of a mapping can be spread evenly over them, so the optimum is that of a
 * small transportation problem between orbits, whose duals are those of all members. On the edges that are tight there
 * is a matching; it is looked for, and if it were not found, nothing would be claimed. */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/bottleneck_trial.h"
#include "mapping/product.h"

/* Larger transportation problems, in edges, are not worth it. */
enum { MOST_EDGES = 1 << 20 };

/* The orbits of the classes of a factor, and the heaviest entry between two of them. */
typedef struct {
    int source, target; /* their numbers; 0: the axis does not hold whole periods */
    int64_t *most;      /* shape [source][target] */
} factor_orbits;

/* Shifts that turn target classes into each other move source classes by multiples of this many blocks. */
static int count_orbits(int64_t block, int64_t other, int64_t common)
{
    const int64_t shift = scalay_gcd(other, common);
    return (int)(shift / scalay_gcd(block, shift));
}

static scalay_status find_orbits(const scalay_axis *source, const scalay_axis *target, const scalay_factor *factor,
                                 factor_orbits *orbits)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t one = 0, other = 0, period = 0;
    *orbits = (factor_orbits){0};
    if (source->runs != NULL || target->runs != NULL) return SCALAY_SUCCESS;
    if (!scalay_multiply_int64(source->block, source->classes, &one) ||
        !scalay_multiply_int64(target->block, target->classes, &other))
        return SCALAY_SUCCESS;
    const int64_t common = scalay_gcd(one, other);
    if (!scalay_multiply_int64(one / common, other, &period) || source->extent % period != 0) return SCALAY_SUCCESS;
    orbits->source = count_orbits(source->block, target->block, common);
    orbits->target = count_orbits(target->block, source->block, common);
    SCALAY_TRY(SCALAY_NEW(orbits->most, (int64_t)orbits->source * orbits->target));
    for (int x = 0; x < factor->edges.rows; x++)
        for (int64_t e = factor->edges.start[x]; e < factor->edges.start[x + 1]; e++) {
            int64_t *most = &orbits->most[x % orbits->source * orbits->target + factor->edges.col[e] % orbits->target];
            *most = scalay_max_int64(*most, factor->edges.weight[e]);
        }
cleanup:
    return status;
}

/* The transportation problem as an assignment: an orbit is as many lines as it has members, divided by what the numbers
 * of all orbits have in common. */
typedef struct {
    factor_orbits row, col;
    int orbits[2]; /* of source and target parts */
    int64_t copies[2];
} transport;

static int orbit_of(const transport *t, int side, int classes, int part)
{
    const int rows = side == 0 ? t->row.source : t->row.target, cols = side == 0 ? t->col.source : t->col.target;
    return part / classes % rows * cols + part % classes % cols;
}

static int64_t heaviest_between(const transport *t, int from, int to)
{
    const int q = t->col.source, q2 = t->col.target;
    return t->row.most[from / q * t->row.target + to / q2] * t->col.most[from % q * q2 + to % q2];
}

/* Whether there are whole periods, and few enough orbits. */
static int set_sizes(const scalay_product_solver *s, transport *t)
{
    if (t->row.source == 0 || t->col.source == 0) return 0;
    t->orbits[0] = t->row.source * t->col.source;
    t->orbits[1] = t->row.target * t->col.target;
    t->copies[0] = s->rows / t->orbits[0];
    t->copies[1] = s->cols / t->orbits[1];
    const int64_t common = scalay_gcd(t->copies[0], t->copies[1]);
    for (int side = 0; side < 2; side++) t->copies[side] /= common;
    return t->orbits[0] * t->copies[0] <= MOST_EDGES / (t->orbits[1] * t->copies[1]);
}

static scalay_status make_edges(const transport *t, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0;
    edges->rows = (int)(t->orbits[0] * t->copies[0]);
    edges->cols = (int)(t->orbits[1] * t->copies[1]);
    SCALAY_TRY(SCALAY_NEW(edges->start, (int64_t)edges->rows + 1));
    SCALAY_TRY(SCALAY_NEW(edges->col, (int64_t)edges->rows * edges->cols));
    SCALAY_TRY(SCALAY_NEW(edges->weight, (int64_t)edges->rows * edges->cols));
    for (int i = 0; i < edges->rows; i++) {
        for (int j = 0; j < edges->cols; j++) {
            const int64_t weight = heaviest_between(t, (int)(i / t->copies[0]), (int)(j / t->copies[1]));
            if (weight == 0) continue;
            edges->col[count] = j;
            edges->weight[count++] = weight;
        }
        edges->start[i + 1] = count;
    }
cleanup:
    return status;
}

/* A line gets the least dual of its orbit's copies: what dominates their edges dominates all. */
static void spread_duals(const transport *t, const scalay_assignment *small, scalay_product_solver *s)
{
    for (int side = 0; side < 2; side++) {
        const int lines = side == 0 ? s->rows : s->cols;
        const int classes = side == 0 ? s->col.source.classes : s->col.target.classes;
        const int64_t *of_copy = side == 0 ? small->row_dual : small->col_dual;
        int64_t *dual = side == 0 ? s->assignment.row_dual : s->assignment.col_dual;
        for (int x = 0; x < lines; x++) {
            const int64_t first = orbit_of(t, side, classes, x) * t->copies[side];
            dual[x] = of_copy[first];
            for (int64_t k = 1; k < t->copies[side]; k++) dual[x] = scalay_min_int64(dual[x], of_copy[first + k]);
        }
    }
}

/* *found: 0 when the deadline came first. */
static scalay_status find_duals(const transport *t, scalay_deadline deadline, scalay_product_solver *s, int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges edges = {0};
    scalay_assignment small = {0};
    SCALAY_TRY(make_edges(t, &edges));
    SCALAY_TRY(scalay_assignment_allocate(edges.rows, edges.cols, &small));
    small.deadline = deadline;
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, &small));
    *found = !small.unfinished;
    if (*found) spread_duals(t, &small, s);
cleanup:
    scalay_assignment_free(&small);
    scalay_edges_free(&edges);
    return status;
}

/* What the duals prove, if it can be kept. */
static int takes_all(scalay_product_solver *s, const int *of_col)
{
    int64_t kept = 0, bound = 0;
    for (int i = 0; i < s->rows; i++) bound += s->assignment.row_dual[i];
    for (int j = 0; j < s->cols; j++) {
        bound += s->assignment.col_dual[j];
        if (of_col[j] >= 0) kept += scalay_product_items(s, of_col[j], j);
    }
    if (kept < bound) return 0;
    for (int j = 0; j < s->cols; j++) s->best[j] = of_col[j];
    s->best_kept = kept;
    return 1;
}

/* A matching on tight products of whatever has a positive dual. */
static scalay_status match_tight(scalay_product *product, int *solved)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_product_solver *s = &product->solver;
    scalay_bottleneck_trial test = {0};
    scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_problem_cover_positive(s->rows, s->cols, &s->assignment, NULL, &bottleneck.must));
    scalay_product_find_least_duals(s);
    s->only_tight = 1;
    SCALAY_TRY(scalay_bottleneck_trial_create(&bottleneck, &test));
    SCALAY_TRY(scalay_bottleneck_trial_run(&test, scalay_bottleneck_most_steps(&bottleneck)));
    *solved = test.suffices && takes_all(s, test.matching.of_col);
cleanup:
    s->only_tight = 0;
    scalay_bottleneck_trial_free(&test);
    scalay_cover_free(&bottleneck.must);
    return status;
}

scalay_status scalay_product_solve_orbits(scalay_product *product, int *solved)
{
    scalay_status status = SCALAY_SUCCESS;
    transport t = {0};
    const scalay_layout *source = product->source, *target = product->target;
    int found = 0;
    *solved = 0;
    SCALAY_TRY(find_orbits(&source->row, &target->row, &product->solver.row, &t.row));
    SCALAY_TRY(find_orbits(&source->col, &target->col, &product->solver.col, &t.col));
    if (set_sizes(&product->solver, &t)) {
        SCALAY_TRY(find_duals(&t, product->problem->deadline, &product->solver, &found));
        if (found) SCALAY_TRY(match_tight(product, solved));
    }
cleanup:
    scalay_release(t.row.most);
    scalay_release(t.col.most);
    return status;
}
