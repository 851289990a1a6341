/* From a slicing tree to a candidate. When links count, it matters who sits where: a local search swaps parts in the
 * tree and turns cuts, as long as that lowers the cost of the drawing. */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/slicing_tree.h"

/* A search at work. */
typedef struct {
    const scalay_partition_problem *problem;
    scalay_slicing *tree;
    scalay_drawing drawing;
    double value; /* of the tree */
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

static void swap_parts(scalay_slicing *tree, int a, int b)
{
    int part = tree->slice[a].part;
    tree->slice[a].part = tree->slice[b].part;
    tree->slice[b].part = part;
}

/* Exchanges the parts of two leaves, or turns a cut if they are one and the same; twice is not at all. */
static void change(scalay_slicing *tree, int a, int b)
{
    if (a != b)
        swap_parts(tree, a, b);
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

/* One look at everything that can be changed. */
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

/* The trials are as many as a second allows, roughly: one takes longer the more parts there are. */
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

scalay_status scalay_slicing_finish(const scalay_partition_problem *problem, scalay_slicing *tree,
                                    scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    int fits;
    if (problem->options->objective != SCALAY_PARTITION_VOLUME) SCALAY_TRY(improve(problem, tree));
    candidate->feasible = 1;
    candidate->continuous_cost = tree->shares->weight * scalay_slicing_cost(tree, &fits);
    candidate->time = NAN;
    candidate->energy = NAN;
    SCALAY_TRY(scalay_slicing_draw(problem, tree, &candidate->drawing));
cleanup:
    return status;
}
