#include <stdlib.h>

#include "core/memory.h"
#include "kernels/summa_side.h"

/* A rank that needs a joint. */
typedef struct {
    int rank;
    int64_t joint;
} need;

/* A rank with all that it needs. */
typedef struct {
    int rank;
    int64_t count;
    const need *need;
} reader;

typedef struct {
    need *need;
    int64_t needs;
    int64_t room;
    char *is_met; /* shape [processes of C] */
} need_list;

/* The processes other than this rank that own anything of a class of C's lines, each once. */
static scalay_status add_owners(const scalay_summa_side *side, const scalay_layout *c, int64_t joint, need_list *list)
{
    const int is_row = side->which == SCALAY_SUMMA_A;
    const int64_t target = side->held.joint[joint].target, first = list->needs;
    const scalay_axis *across = is_row ? &c->col : &c->row;
    for (int64_t other = 0; other < across->classes; other++) {
        if (scalay_axis_count(across, other) == 0) continue;
        const int part = is_row ? scalay_layout_cell_part(c, target, other) : scalay_layout_cell_part(c, other, target);
        const int rank = scalay_layout_process_of_part(c, part);
        if (rank == side->rank || list->is_met[rank]) continue;
        const scalay_status status = SCALAY_GROW(list->need, list->room, list->needs + 1);
        if (status != SCALAY_SUCCESS) return status;
        list->is_met[rank] = 1;
        list->need[list->needs++] = (need){rank, joint};
    }
    for (int64_t k = first; k < list->needs; k++) list->is_met[list->need[k].rank] = 0;
    return SCALAY_SUCCESS;
}

static int compare_needs(const void *a, const void *b)
{
    const need *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->joint > y->joint) - (x->joint < y->joint);
}

static int compare_joints(const reader *x, const reader *y)
{
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    for (int64_t k = 0; k < x->count; k++)
        if (x->need[k].joint != y->need[k].joint) return x->need[k].joint < y->need[k].joint ? -1 : 1;
    return 0;
}

static int compare_readers(const void *a, const void *b)
{
    const reader *x = a, *y = b;
    const int order = compare_joints(x, y);
    return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* One reader for each rank, those with the same joints side by side. */
static scalay_status list_readers(need_list *list, reader **readers, int64_t *count)
{
    qsort(list->need, (size_t)list->needs, sizeof *list->need, compare_needs);
    for (int64_t k = 0; k < list->needs; k++) *count += k == 0 || list->need[k].rank != list->need[k - 1].rank;
    const scalay_status status = SCALAY_NEW(*readers, *count);
    if (status != SCALAY_SUCCESS) return status;
    reader *last = *readers - 1;
    for (int64_t k = 0; k < list->needs; k++) {
        if (k == 0 || list->need[k].rank != list->need[k - 1].rank)
            *++last = (reader){list->need[k].rank, 0, list->need + k};
        last->count++;
    }
    qsort(*readers, (size_t)*count, sizeof **readers, compare_readers);
    return SCALAY_SUCCESS;
}

static scalay_status make_audiences(const reader *readers, int64_t count, scalay_summa_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t joints = 0;
    for (int64_t k = 0; k < count; k++) {
        const int is_new = k == 0 || compare_joints(&readers[k - 1], &readers[k]) != 0;
        side->audiences += is_new;
        joints += is_new ? readers[k].count : 0;
    }
    SCALAY_TRY(SCALAY_NEW(side->audience, side->audiences));
    SCALAY_TRY(SCALAY_NEW(side->audience_joint, joints));
    SCALAY_TRY(SCALAY_NEW(side->audience_rank, count));
    scalay_summa_audience *last = side->audience - 1;
    joints = 0;
    for (int64_t k = 0; k < count; k++) {
        if (k == 0 || compare_joints(&readers[k - 1], &readers[k]) != 0) {
            *++last = (scalay_summa_audience){k, k, joints, joints + readers[k].count};
            for (int64_t j = 0; j < readers[k].count; j++) side->audience_joint[joints++] = readers[k].need[j].joint;
        }
        side->audience_rank[last->end_rank++] = readers[k].rank;
    }
cleanup:
    return status;
}

scalay_status scalay_summa_side_find_audiences(scalay_summa_side *side, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    need_list list = {0};
    reader *readers = NULL;
    int64_t count = 0;
    SCALAY_TRY(SCALAY_NEW(list.is_met, c->processes));
    for (int64_t j = 0; j < side->held.joints; j++) SCALAY_TRY(add_owners(side, c, j, &list));
    SCALAY_TRY(list_readers(&list, &readers, &count));
    SCALAY_TRY(make_audiences(readers, count, side));
cleanup:
    scalay_release(readers);
    scalay_release(list.is_met);
    scalay_release(list.need);
    return status;
}
