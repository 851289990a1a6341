/* Advice for the stencil: the distributions of scalay_model_stencil_choose() as candidates. */
#include <string.h>

#include "base/status.h"
#include "model/advice.h"
#include "scalay/model.h"

/* The candidate "owner" is the source itself: its local arrays do not change. */
static scalay_status make_layout(const scalay_advice *advice, const scalay_stencil_choice *choice, int k,
                                 const char *name, scalay_layout **layout)
{
    if (strcmp(name, "owner") == 0) return scalay_layout_submatrix(advice->source, 0, 0, advice->m, advice->n, layout);
    return scalay_stencil_choice_layout(choice, k, layout);
}

/* `problem` has the move to the target only. */
static scalay_status add_candidate(scalay_advice *advice, const scalay_stencil_problem *problem,
                                   const scalay_stencil_choice *choice, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    scalay_stencil_candidate found = {0};
    scalay_stencil_cost cost = {0};
    SCALAY_TRY(scalay_stencil_choice_get_candidate(choice, k, &found));
    SCALAY_TRY(make_layout(advice, choice, k, found.name, &layout));
    SCALAY_TRY(scalay_model_stencil(problem, advice->source, layout, &cost));
    const scalay_advice_candidate new_candidate = {
        .routine = "stencil",
        .volume = cost.volume,
        .steps = cost.steps,
        .move_seconds = cost.move_seconds * (advice->options.bring_back ? 2.0 : 1.0),
        .kernel_seconds = cost.iteration_seconds * (double)advice->options.times};
    SCALAY_TRY(scalay_advice_add(advice, found.name, &new_candidate, &layout));
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

scalay_status scalay_advice_add_stencils(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_stencil_choice *choice = NULL;
    const scalay_advice_options *options = &advice->options;
    scalay_stencil_problem problem = scalay_stencil_problem_on(&advice->machine, options->type, options->times);
    problem.processes = options->processes;
    scalay_stencil_problem both_ways = problem;
    if (options->bring_back) both_ways.seconds_per_item_moved *= 2.0;
    SCALAY_TRY(scalay_model_stencil_choose(&both_ways, advice->source, &choice));
    for (int k = 0; k < scalay_stencil_choice_count(choice); k++)
        SCALAY_TRY(add_candidate(advice, &problem, choice, k));
cleanup:
    scalay_stencil_choice_destroy(&choice);
    return status;
}
