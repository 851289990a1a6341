#include "partition/methods.h"
#include "partition/family.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

const scalay_partition_method scalay_partition_method_table[] = {
    {"square-corner", 2, 3, 1, scalay_draw_square_corner},
    {"square-rectangle", 3, 3, 1, scalay_draw_square_rectangle},
    {"block-rectangle", 3, 3, 1, scalay_draw_block_rectangle},
    {"straight-line", 2, 3, 1, scalay_draw_straight_line},
    {"rectangle-corner", 3, 3, 1, scalay_draw_rectangle_corner},
    {"skewed-block", 3, 3, 1, scalay_draw_skewed_block},
    {"adjacent-corner", 3, 3, 1, scalay_draw_adjacent_corner},
    {"nested-corner", 3, 3, 1, scalay_draw_nested_corner},
    {"columns", 1, 0, 1, scalay_draw_columns},
    {"nagamochi-abe", 1, 0, 1, scalay_draw_nagamochi_abe},
    {"recursive", 1, 0, 1, scalay_draw_recursive},
    {"recursive-best", 1, 0, 1, scalay_draw_recursive_best},
    {"slicing", 1, 0, 1, scalay_draw_slicing},
    {"grid", 1, 0, 1, scalay_draw_grid},
    {NULL, 0, 0, 0, NULL},
};

scalay_status scalay_candidate_refuse(scalay_candidate *candidate, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    scalay_status status = SCALAY_NEW(candidate->reason, SCALAY_MESSAGE_SIZE);
    if (status == SCALAY_SUCCESS) (void)vsnprintf(candidate->reason, SCALAY_MESSAGE_SIZE, format, arguments);
    va_end(arguments);
    candidate->feasible = 0;
    candidate->continuous_cost = INFINITY;
    candidate->time = NAN;
    candidate->energy = NAN;
    return status;
}

scalay_status scalay_slicing_method(const scalay_partition_problem *problem, scalay_slicing_planter plant,
                                    scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_shares shares = {0};
    scalay_slicing tree = {0};
    SCALAY_TRY(scalay_shares_create(problem, &shares));
    SCALAY_TRY(scalay_slicing_create(&shares, &tree));
    SCALAY_TRY(plant(&shares, &tree));
    SCALAY_TRY(scalay_slicing_finish(problem, &tree, candidate));
cleanup:
    scalay_slicing_free(&tree);
    scalay_shares_free(&shares);
    return status;
}
