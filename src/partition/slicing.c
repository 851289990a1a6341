#include "partition/slicing.h"

scalay_status scalay_draw_slicing(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_shares shares = {0};
    scalay_slicing tree = {0};
    const scalay_annealing how = {problem->options->seed, problem->options->budget};
    if (problem->parts > SCALAY_MOST_SLICING)
        return scalay_candidate_refuse(candidate, "takes too long for more than %d parts", SCALAY_MOST_SLICING);
    SCALAY_TRY(scalay_shares_create(problem, &shares));
    SCALAY_TRY(scalay_slicing_create(&shares, &tree));
    if (problem->parts <= SCALAY_MOST_EXHAUSTIVE)
        SCALAY_TRY(scalay_slicing_exhaust(&shares, &tree));
    else
        SCALAY_TRY(scalay_slicing_anneal(&shares, &how, &tree));
    SCALAY_TRY(scalay_slicing_finish(problem, &tree, candidate));
cleanup:
    scalay_slicing_free(&tree);
    scalay_shares_free(&shares);
    return status;
}
