/*
 * The best slicing tree with square holes, and the draw function of all methods that make slicing trees.
 *
 * Up to SCALAY_MAX_EXHAUSTIVE parts: enumeration of all trees with branch and bound. For more parts: simulated
 * annealing (swap two parts, flip a cut, prune and regraft, make a hole) from the trees of the other methods. If the
 * objective depends on links, a local search then exchanges parts and flips cuts; its result is not proven to be
 * optimal.
 */
#include "partition/slicing_tree.h"

#include <limits.h>
#include <math.h>
#include <time.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"

/* ------------------------------------------------------------------------------------------------------ enumeration */

/* Sets of parts are bit masks; bit k is the k-th largest part. */
enum { MAX_PARTS = SCALAY_MAX_EXHAUSTIVE, SETS = 1 << MAX_PARTS };

/* What to do with a set of parts in a rectangle. */
typedef struct {
    double cost;
    int direction; /* direction of the cut; -1: the largest part fills the rectangle, except for holes */
    int first;     /* the set on the first side of the cut */
    int holes;
    int hole[MAX_PARTS]; /* the set in each hole */
} choice;

typedef struct {
    const scalay_scaled_areas *areas;
    double area[SETS];
    double in_square[SETS]; /* minimum cost of a set in a square; 0: unknown */
} searcher;

/* A partial choice of holes. */
typedef struct {
    double rows, cols;
    double cost; /* with the cost of the leaf */
    int holes;
    int hole[MAX_PARTS];
} nest;

static int lowest(int set)
{
    int k = 0;
    while (!(set >> k & 1)) k++;
    return k;
}

static choice choose(searcher *at, int set, double rows, double cols);

static double cost_in_square(searcher *at, int set)
{
    if ((set & (set - 1)) == 0) return 2.0 * at->areas->side[lowest(set)];
    double side = sqrt(at->area[set]);
    if (at->in_square[set] == 0.0) at->in_square[set] = choose(at, set, side, side).cost;
    return at->in_square[set];
}

static int fits(const searcher *at, const nest *with)
{
    scalay_square square[MAX_PARTS] = {0};
    for (int k = 0; k < with->holes; k++) square[k].side = sqrt(at->area[with->hole[k]]);
    return scalay_pack_squares(square, with->holes, with->rows, with->cols);
}

/* Tries all partitions of the rest of a set into holes, in addition to the holes chosen so far. */
static void choose_holes(searcher *at, int rest, nest with, choice *best)
{
    if (with.cost >= best->cost) return;
    if (rest == 0) {
        if (!fits(at, &with)) return;
        *best = (choice){.cost = with.cost, .direction = -1, .holes = with.holes};
        for (int k = 0; k < with.holes; k++) best->hole[k] = with.hole[k];
        return;
    }
    int low = rest & -rest;
    for (int block = rest; block > 0; block = (block - 1) & rest) {
        if (!(block & low)) continue;
        nest wider = with;
        wider.cost += cost_in_square(at, block);
        wider.hole[wider.holes++] = block;
        choose_holes(at, rest & ~block, wider, best);
    }
}

/* Returns a lower bound on the cost of a set in a rectangle: squares if they fit, else stripes of the shorter side. */
static double least_cost(const searcher *at, int set, double rows, double cols)
{
    double shorter = fmin(rows, cols);
    double sum = 0.0;
    for (int k = 0; k < at->areas->parts; k++) {
        if (!(set >> k & 1)) continue;
        double side = at->areas->side[k];
        sum += side <= shorter ? 2.0 * side : shorter + at->areas->area[k] / shorter;
    }
    return fmax(sum, rows + cols);
}

static void choose_cut(searcher *at, int set, int first, double rows, double cols, choice *best)
{
    const int second = set & ~first;
    for (int direction = 0; direction < 2; direction++) {
        int beside = direction == SCALAY_SIDE_BY_SIDE;
        double extent = at->area[first] / (beside ? rows : cols);
        double rows1 = beside ? rows : extent;
        double cols1 = beside ? extent : cols;
        double rows2 = beside ? rows : rows - extent;
        double cols2 = beside ? cols - extent : cols;
        double least2 = least_cost(at, second, rows2, cols2);
        if (least_cost(at, first, rows1, cols1) + least2 >= best->cost) continue;
        double cost = choose(at, first, rows1, cols1).cost;
        if (cost + least2 >= best->cost) continue;
        cost += choose(at, second, rows2, cols2).cost;
        if (cost < best->cost - 1e-13) *best = (choice){.cost = cost, .direction = direction, .first = first};
    }
}

static choice choose(searcher *at, int set, double rows, double cols)
{
    choice best = {.cost = rows + cols, .direction = -1};
    const int low = set & -set;
    if (set == low) return best;
    best.cost = INFINITY;
    choose_holes(at, set & ~low, (nest){.rows = rows, .cols = cols, .cost = rows + cols}, &best);
    for (int first = (set - 1) & set; first > 0; first = (first - 1) & set)
        if (first & low) choose_cut(at, set, first, rows, cols, &best);
    return best;
}

static int plant_choice(searcher *at, scalay_slicing *tree, int set, double rows, double cols)
{
    const choice best = choose(at, set, rows, cols);
    if (best.direction < 0) {
        for (int k = 0; k < best.holes; k++) {
            double side = sqrt(at->area[best.hole[k]]);
            scalay_slicing_nest(tree, lowest(set), plant_choice(at, tree, best.hole[k], side, side));
        }
        return lowest(set);
    }
    int beside = best.direction == SCALAY_SIDE_BY_SIDE;
    double extent = at->area[best.first] / (beside ? rows : cols);
    int one = plant_choice(at, tree, best.first, beside ? rows : extent, beside ? extent : cols);
    int two = plant_choice(at, tree, set & ~best.first, beside ? rows : rows - extent, beside ? cols - extent : cols);
    return scalay_slicing_cut(tree, best.direction, one, two);
}

scalay_status scalay_slicing_exhaust(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    searcher at = {.areas = areas};
    const int all = (1 << areas->parts) - 1;
    for (int set = 1; set <= all; set++) at.area[set] = at.area[set & (set - 1)] + areas->area[lowest(set)];
    tree->root = plant_choice(&at, tree, all, areas->rows, areas->cols);
    return SCALAY_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------- random changes */

/* Returns the address of the link to a node: the root, a child of a cut, or a link in the list of holes of a leaf. */
static int *link_to(scalay_slicing *tree, int node)
{
    int parent = tree->slice[node].parent;
    if (parent < 0) return &tree->root;
    scalay_slice *above = &tree->slice[parent];
    if (above->part < 0) return &above->child[above->child[1] == node];
    int *link = &above->hole;
    while (*link != node) link = &tree->slice[*link].next;
    return link;
}

static void replace(scalay_slicing *tree, int old, int by)
{
    *link_to(tree, old) = by;
    tree->slice[by].parent = tree->slice[old].parent;
    tree->slice[by].next = tree->slice[old].next;
    tree->slice[old].parent = -1;
    tree->slice[old].next = -1;
}

/* Removes a node other than the root from the tree, together with the cut above it. */
static void prune(scalay_slicing *tree, int node)
{
    int above = tree->slice[node].parent;
    if (tree->slice[above].part >= 0) {
        *link_to(tree, node) = tree->slice[node].next;
    } else {
        int sibling = tree->slice[above].child[tree->slice[above].child[0] == node];
        replace(tree, above, sibling);
        tree->slice[above].next = tree->free_cut;
        tree->free_cut = above;
    }
    tree->slice[node].parent = -1;
    tree->slice[node].next = -1;
}

/* Replaces a node by a new cut above it and above another node that is in no tree. */
static void graft(scalay_slicing *tree, int node, int at, scalay_random *random)
{
    int64_t turn = scalay_random_below(random, 4);
    int cut = tree->free_cut;
    tree->free_cut = tree->slice[cut].next;
    tree->slice[cut] = (scalay_slice){.part = -1, .direction = (int)(turn & 1), .child = {-1, -1}, .hole = -1};
    replace(tree, at, cut);
    tree->slice[cut].child[turn >> 1] = node;
    tree->slice[cut].child[1 - (turn >> 1)] = at;
    tree->slice[node].parent = cut;
    tree->slice[at].parent = cut;
}

/* Returns a random node of the tree; -1 for an unused cut. */
static int random_node(const scalay_slicing *tree, scalay_random *random)
{
    int node = (int)scalay_random_below(random, 2 * (int64_t)tree->areas->parts - 1);
    return node == tree->root || tree->slice[node].parent >= 0 ? node : -1;
}

static int is_within(const scalay_slicing *tree, int node, int of)
{
    while (node >= 0 && node != of) node = tree->slice[node].parent;
    return node == of;
}

static void swap_parts(scalay_slicing *tree, scalay_random *random)
{
    scalay_slice *a = &tree->slice[scalay_random_below(random, tree->areas->parts)];
    scalay_slice *b = &tree->slice[scalay_random_below(random, tree->areas->parts)];
    int part = a->part;
    a->part = b->part;
    b->part = part;
}

static void flip(scalay_slicing *tree, scalay_random *random)
{
    int node = random_node(tree, random);
    if (node >= 0 && tree->slice[node].part < 0) tree->slice[node].direction ^= 1;
}

static void regraft(scalay_slicing *tree, scalay_random *random)
{
    int node = random_node(tree, random);
    int at = random_node(tree, random);
    if (node < 0 || at < 0 || node == tree->root || is_within(tree, at, node)) return;
    if (tree->slice[node].parent == at && tree->slice[at].part < 0) return; /* pruning would remove this cut */
    prune(tree, node);
    graft(tree, node, at, random);
}

static void make_hole(scalay_slicing *tree, scalay_random *random)
{
    int node = random_node(tree, random);
    int leaf = (int)scalay_random_below(random, tree->areas->parts);
    if (node < 0 || node == tree->root || is_within(tree, leaf, node)) return;
    prune(tree, node);
    scalay_slicing_nest(tree, leaf, node);
}

void scalay_slicing_move(scalay_slicing *tree, scalay_random *random)
{
    int64_t kind = scalay_random_below(random, 20);
    if (kind < 5)
        swap_parts(tree, random);
    else if (kind < 8)
        flip(tree, random);
    else if (kind < 16)
        regraft(tree, random);
    else
        make_hole(tree, random);
}

/* ---------------------------------------------------------------------------------------------- simulated annealing */

static const double coldest = 1e-6;

/* A starting tree and temperature. High temperatures lose the starting tree; low ones improve it. */
typedef struct {
    scalay_slicing_planter plant;
    double temperature;
} start;

typedef struct {
    scalay_slicing now, next, best;
    double cost, best_cost;
    scalay_random random;
    double deadline; /* in seconds of CPU time; infinity: none */
} annealer;

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Makes all other parts holes of the largest one. */
static scalay_status plant_holes(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    tree->root = 0;
    for (int k = 1; k < areas->parts; k++) scalay_slicing_nest(tree, 0, k);
    return SCALAY_SUCCESS;
}

static void note_best(annealer *at, int fits)
{
    if (!fits || at->cost >= at->best_cost - 1e-13) return;
    at->best_cost = at->cost;
    scalay_slicing_copy(&at->now, &at->best);
}

static void step(annealer *at, double temperature)
{
    int fits;
    scalay_slicing_copy(&at->now, &at->next);
    scalay_slicing_move(&at->next, &at->random);
    double cost = scalay_slicing_cost(&at->next, &fits);
    double worse = cost - at->cost;
    if (worse > 0.0 && scalay_random_unit(&at->random) >= exp(-worse / temperature)) return;
    const scalay_slicing before = at->now;
    at->now = at->next;
    at->next = before;
    at->cost = cost;
    note_best(at, fits);
}

static void anneal(annealer *at, double hottest, int64_t moves)
{
    const double cooling = pow(coldest / hottest, 1.0 / (double)moves);
    double temperature = hottest;
    for (int64_t k = 0; k < moves; k++, temperature *= cooling) {
        if (k % 256 == 0 && at->deadline < INFINITY && cpu_seconds() > at->deadline) return;
        step(at, temperature);
    }
}

static scalay_status start_from(annealer *at, scalay_slicing_planter plant)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_scaled_areas *areas = at->now.areas;
    int fits;
    scalay_slicing_free(&at->now);
    SCALAY_TRY(scalay_slicing_create(areas, &at->now));
    SCALAY_TRY(plant(areas, &at->now));
    at->cost = scalay_slicing_cost(&at->now, &fits);
    note_best(at, fits);
cleanup:
    return status;
}

static int64_t moves_for(int parts)
{
    const int64_t work = 4000000;
    return work / parts < 100000 ? work / parts : 100000;
}

static scalay_status run(annealer *at, const scalay_annealing *how)
{
    static const start starts[] = {{scalay_slicing_nagamochi_abe, 0.2},
                                   {plant_holes, 0.2},
                                   {scalay_slicing_recursive_best, 0.002},
                                   {scalay_slicing_columns, 0.002}};
    enum { STARTS = sizeof starts / sizeof starts[0] };
    scalay_status status = SCALAY_SUCCESS;
    int64_t moves = moves_for(at->now.areas->parts);
    if (how->budget > 0.0) at->deadline = cpu_seconds() + how->budget;
    for (int round = 0; round < STARTS || (how->budget > 0.0 && cpu_seconds() < at->deadline); round++) {
        SCALAY_TRY(start_from(at, starts[round % STARTS].plant));
        anneal(at, starts[round % STARTS].temperature, moves);
    }
cleanup:
    return status;
}

scalay_status scalay_slicing_anneal(const scalay_scaled_areas *areas, const scalay_annealing *how, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    annealer at = {.best_cost = INFINITY, .random = scalay_random_seed(how->seed), .deadline = INFINITY};
    SCALAY_TRY(scalay_slicing_create(areas, &at.now));
    SCALAY_TRY(scalay_slicing_create(areas, &at.next));
    SCALAY_TRY(scalay_slicing_create(areas, &at.best));
    SCALAY_TRY(run(&at, how));
    scalay_slicing_copy(&at.best, tree);
cleanup:
    scalay_slicing_free(&at.now);
    scalay_slicing_free(&at.next);
    scalay_slicing_free(&at.best);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- drawing */

/* A local search for an objective that depends on links. */
typedef struct {
    const scalay_partition_problem *problem;
    scalay_slicing *tree;
    scalay_drawing drawing;
    double value; /* objective of the tree */
    int64_t trials_left;
} improver;

static scalay_status evaluate(improver *at, double *value)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_partition_options *options = at->problem->options;
    double time;
    double energy;
    int fits;
    *value = INFINITY;
    (void)scalay_slicing_cost(at->tree, &fits);
    if (!fits) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_slicing_draw(at->problem, at->tree, &at->drawing));
    SCALAY_TRY(scalay_drawing_link_cost(&at->drawing, at->problem->parts, options->links, &time, &energy));
    *value = options->objective == SCALAY_PARTITION_TIME ? time : energy;
cleanup:
    return status;
}

static void exchange_parts(scalay_slicing *tree, int a, int b)
{
    int part = tree->slice[a].part;
    tree->slice[a].part = tree->slice[b].part;
    tree->slice[b].part = part;
}

/* Exchanges the parts of two leaves; if they are one cut, flips it. Applied twice, nothing changes. */
static void change(scalay_slicing *tree, int a, int b)
{
    if (a != b)
        exchange_parts(tree, a, b);
    else
        tree->slice[a].direction ^= 1;
}

static scalay_status try_change(improver *at, int a, int b, int *improved)
{
    double value;
    at->trials_left--;
    change(at->tree, a, b);
    scalay_status status = evaluate(at, &value);
    if (status == SCALAY_SUCCESS && value < at->value * (1.0 - 1e-12)) {
        at->value = value;
        *improved = 1;
    } else {
        change(at->tree, a, b);
    }
    return status;
}

/* Tries each change once. */
static scalay_status improve_once(improver *at, int *improved)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = at->problem->parts;
    *improved = 0;
    for (int a = 0; a < parts && at->trials_left > 0; a++)
        for (int b = a + 1; b < parts && at->trials_left > 0; b++) SCALAY_TRY(try_change(at, a, b, improved));
    for (int cut = parts; cut < 2 * parts - 1 && at->trials_left > 0; cut++)
        if (at->tree->slice[cut].parent >= 0 || cut == at->tree->root) SCALAY_TRY(try_change(at, cut, cut, improved));
cleanup:
    return status;
}

/* The number of trials corresponds to about a second. */
static scalay_status improve(const scalay_partition_problem *problem, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    improver at = {.problem = problem, .tree = tree};
    const int64_t parts = problem->parts;
    int improved = 1;
    at.trials_left = scalay_min_int64(5000, 2000000 / (parts * parts));
    SCALAY_TRY(evaluate(&at, &at.value));
    while (improved && at.trials_left > 0) SCALAY_TRY(improve_once(&at, &improved));
cleanup:
    scalay_drawing_free(&at.drawing);
    return status;
}

static scalay_status finish(const scalay_partition_problem *problem, scalay_slicing *tree, scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    int fits;
    if (problem->options->objective != SCALAY_PARTITION_VOLUME) SCALAY_TRY(improve(problem, tree));
    candidate->feasible = 1;
    candidate->continuous_cost = tree->areas->weight * scalay_slicing_cost(tree, &fits);
    candidate->time = NAN;
    candidate->energy = NAN;
    SCALAY_TRY(scalay_slicing_draw(problem, tree, &candidate->drawing));
cleanup:
    return status;
}

scalay_status scalay_draw_tree(const scalay_partition_problem *problem, int variant, scalay_candidate *candidate)
{
    static const struct {
        scalay_slicing_planter plant; /* NULL: enumeration or annealing */
        int max_parts;
    } methods[SCALAY_TREES] = {
        [SCALAY_TREE_COLUMNS] = {scalay_slicing_columns, INT_MAX},
        [SCALAY_TREE_NAGAMOCHI_ABE] = {scalay_slicing_nagamochi_abe, INT_MAX},
        [SCALAY_TREE_RECURSIVE] = {scalay_slicing_recursive, INT_MAX},
        [SCALAY_TREE_RECURSIVE_BEST] = {scalay_slicing_recursive_best, SCALAY_MAX_RECURSIVE_BEST},
        [SCALAY_TREE_SLICING] = {NULL, SCALAY_MAX_SLICING},
        [SCALAY_TREE_GRID] = {scalay_slicing_grid, INT_MAX},
    };
    scalay_status status = SCALAY_SUCCESS;
    scalay_scaled_areas areas = {0};
    scalay_slicing tree = {0};
    const scalay_annealing how = {problem->options->seed, problem->options->budget};
    if (problem->parts > methods[variant].max_parts)
        return scalay_candidate_refuse(candidate, "more than %d parts take too long", methods[variant].max_parts);
    SCALAY_TRY(scalay_scaled_areas_create(problem, &areas));
    SCALAY_TRY(scalay_slicing_create(&areas, &tree));
    if (methods[variant].plant != NULL)
        SCALAY_TRY(methods[variant].plant(&areas, &tree));
    else if (problem->parts <= SCALAY_MAX_EXHAUSTIVE)
        SCALAY_TRY(scalay_slicing_exhaust(&areas, &tree));
    else
        SCALAY_TRY(scalay_slicing_anneal(&areas, &how, &tree));
    SCALAY_TRY(finish(problem, &tree, candidate));
cleanup:
    scalay_slicing_free(&tree);
    scalay_scaled_areas_free(&areas);
    return status;
}
