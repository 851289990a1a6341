/*
 * The table of shapes and methods, in the order in which "auto" tries them.
 */
#include "partition/methods.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

const scalay_partition_method scalay_partition_method_table[] = {
    {"square-corner", 2, 3, scalay_draw_family, SCALAY_FAMILY_SQUARE_CORNER},
    {"square-rectangle", 3, 3, scalay_draw_family, SCALAY_FAMILY_SQUARE_RECTANGLE},
    {"block-rectangle", 3, 3, scalay_draw_family, SCALAY_FAMILY_BLOCK_RECTANGLE},
    {"straight-line", 2, 3, scalay_draw_family, SCALAY_FAMILY_STRAIGHT_LINE},
    {"rectangle-corner", 3, 3, scalay_draw_family, SCALAY_FAMILY_RECTANGLE_CORNER},
    {"skewed-block", 3, 3, scalay_draw_family, SCALAY_FAMILY_SKEWED_BLOCK},
    {"adjacent-corner", 3, 3, scalay_draw_family, SCALAY_FAMILY_ADJACENT_CORNER},
    {"nested-corner", 3, 3, scalay_draw_family, SCALAY_FAMILY_NESTED_CORNER},
    {"columns", 1, 0, scalay_draw_tree, SCALAY_TREE_COLUMNS},
    {"nagamochi-abe", 1, 0, scalay_draw_tree, SCALAY_TREE_NAGAMOCHI_ABE},
    {"recursive", 1, 0, scalay_draw_tree, SCALAY_TREE_RECURSIVE},
    {"recursive-best", 1, 0, scalay_draw_tree, SCALAY_TREE_RECURSIVE_BEST},
    {"slicing", 1, 0, scalay_draw_tree, SCALAY_TREE_SLICING},
    {"grid", 1, 0, scalay_draw_tree, SCALAY_TREE_GRID},
    {NULL, 0, 0, NULL, 0},
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

void scalay_candidate_free(scalay_candidate *candidate)
{
    scalay_release(candidate->assignment);
    scalay_release(candidate->reason);
    scalay_drawing_free(&candidate->drawing);
    *candidate = (scalay_candidate){0};
}
