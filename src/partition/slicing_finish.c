#include "partition/slicing_tree.h"

#include <math.h>

scalay_status scalay_slicing_finish(const scalay_partition_problem *problem, scalay_slicing *tree,
                                    scalay_candidate *candidate)
{
    int fits;
    double cost = scalay_slicing_cost(tree, &fits);
    const scalay_shares *shares = tree->shares;
    candidate->feasible = 1;
    candidate->continuous_cost = fmax(0.0, shares->weight * (cost - shares->rows - shares->cols));
    candidate->time = NAN;
    candidate->energy = NAN;
    return scalay_slicing_draw(problem, tree, &candidate->drawing);
}
