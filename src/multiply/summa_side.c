#include "multiply/summa_side.h"

#include <stdlib.h>

#include "base/memory.h"

const scalay_axis *scalay_summa_line_axis(const scalay_summa_side *side)
{
    return side->lines_are_rows ? &side->layout->row : &side->layout->col;
}

const scalay_axis *scalay_summa_inner_axis(const scalay_summa_side *side)
{
    return side->lines_are_rows ? &side->layout->col : &side->layout->row;
}

/* The axis of C that the lines belong to. */
static const scalay_axis *target_axis(const scalay_summa_side *side, const scalay_layout *c)
{
    return side->which == SCALAY_SUMMA_A ? &c->row : &c->col;
}

static void free_joints(scalay_summa_joints *joints)
{
    scalay_release(joints->joint);
    scalay_release(joints->lines);
}

void scalay_summa_side_free(scalay_summa_side *side)
{
    scalay_layout_destroy(&side->layout);
    scalay_release(side->class);
    scalay_release(side->position);
    free_joints(&side->needed);
    free_joints(&side->held);
    scalay_release(side->audience);
    scalay_release(side->audience_joint);
    scalay_release(side->audience_rank);
    *side = (scalay_summa_side){0};
}

/* ------------------------------------------------------------------------------------------------ joints */

static scalay_status add_joint(const scalay_summa_joint *joint, scalay_summa_joints *joints)
{
    const scalay_status status = SCALAY_GROW(joints->joint, joints->joint_room, joints->joints + 1);
    if (status != SCALAY_SUCCESS) return status;
    joints->joint[joints->joints] = *joint;
    joints->joint[joints->joints].first = joints->joint[joints->joints].end = joints->runs;
    joints->joints++;
    return SCALAY_SUCCESS;
}

/* Makes the last joint longer. */
static scalay_status add_lines(scalay_summa_lines lines, scalay_summa_joints *joints)
{
    const scalay_status status = SCALAY_GROW(joints->lines, joints->run_room, joints->runs + 1);
    if (status != SCALAY_SUCCESS) return status;
    joints->lines[joints->runs++] = lines;
    joints->joint[joints->joints - 1].end = joints->runs;
    joints->joint[joints->joints - 1].count += lines.count;
    return SCALAY_SUCCESS;
}

static int compare_joints(const void *a, const void *b)
{
    const scalay_summa_joint *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* The joints of a class of C, which begins at `position` of the panels. */
static scalay_status add_needed(scalay_summa_side *side, const scalay_axis *target, int64_t k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_intersection share = {0};
    const int64_t class = side->class[k];
    const int64_t first_place = scalay_axis_get_run(target, class, 0).local;
    SCALAY_TRY(scalay_axis_intersection_create(target, class, scalay_summa_line_axis(side), 0, &share));
    for (int64_t s = 0; s < share.classes; s++) {
        SCALAY_TRY(add_joint(&(scalay_summa_joint){.class = share.class_b[s], .target = class}, &side->needed));
        for (int64_t r = share.start[s]; r < share.start[s + 1]; r++) {
            const scalay_common_run *run = &share.runs[r];
            const int64_t position = side->position[k] + run->local_a - first_place;
            SCALAY_TRY(add_lines((scalay_summa_lines){run->local_b, position, run->count}, &side->needed));
        }
    }
cleanup:
    scalay_axis_intersection_free(&share);
    return status;
}

static scalay_status find_needed(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < side->classes; k++) SCALAY_TRY(add_needed(side, target_axis(side, c), k));
    if (side->needed.joints > 0)
        qsort(side->needed.joint, (size_t)side->needed.joints, sizeof *side->needed.joint, compare_joints);
cleanup:
    return status;
}

static scalay_status add_held(scalay_summa_side *side, const scalay_axis *target, int64_t class)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_intersection share = {0};
    SCALAY_TRY(scalay_axis_intersection_create(scalay_summa_line_axis(side), class, target, 0, &share));
    for (int64_t s = 0; s < share.classes; s++) {
        SCALAY_TRY(add_joint(&(scalay_summa_joint){.class = class, .target = share.class_b[s]}, &side->held));
        for (int64_t r = share.start[s]; r < share.start[s + 1]; r++)
            SCALAY_TRY(add_lines((scalay_summa_lines){.place = share.runs[r].local_a, .count = share.runs[r].count},
                                 &side->held));
    }
cleanup:
    scalay_axis_intersection_free(&share);
    return status;
}

static int64_t cell_class(const scalay_summa_side *side, const scalay_cell *cell)
{
    return side->lines_are_rows ? cell->row_class : cell->col_class;
}

/* The joints of every line class in which this rank holds something, classes ascending. */
static scalay_status find_held(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    const int part = scalay_layout_part_of_process(side->layout, side->rank);
    char *holds = NULL;
    const scalay_axis *axis = scalay_summa_line_axis(side);
    if (part < 0 || axis->extent == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(holds, axis->classes));
    for (int64_t k = 0; k < scalay_layout_cells(side->layout, part); k++) {
        const scalay_cell cell = scalay_layout_cell(side->layout, part, k);
        holds[cell_class(side, &cell)] = 1;
    }
    for (int64_t class = 0; class < axis->classes; class ++)
        if (holds[class]) SCALAY_TRY(add_held(side, target_axis(side, c), class));
cleanup:
    scalay_release(holds);
    return status;
}

scalay_status scalay_summa_side_plan(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(find_needed(side, c));
    SCALAY_TRY(find_held(side, c));
    SCALAY_TRY(scalay_summa_side_find_audiences(side, c));
cleanup:
    return status;
}
