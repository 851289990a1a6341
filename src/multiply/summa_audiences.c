#include <stdlib.h>

#include "base/memory.h"
#include "multiply/summa_side.h"

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
    scalay_summa_ranks owners;
} need_list;

scalay_status scalay_summa_add_owners(int which, const scalay_layout *c, int64_t target, char *is_met,
                                      scalay_summa_ranks *ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    const int is_row = which == SCALAY_SUMMA_A;
    const int64_t first = ranks->count;
    const scalay_axis *across = is_row ? &c->col : &c->row;
    for (int64_t other = 0; other < across->classes; other++) {
        if (scalay_axis_count(across, other) == 0) continue;
        const int part = is_row ? scalay_layout_cell_part(c, target, other) : scalay_layout_cell_part(c, other, target);
        const int rank = scalay_layout_process_of_part(c, part);
        if (is_met[rank]) continue;
        SCALAY_TRY(SCALAY_GROW(ranks->rank, ranks->room, ranks->count + 1));
        is_met[rank] = 1;
        ranks->rank[ranks->count++] = rank;
    }
cleanup:
    for (int64_t k = first; k < ranks->count; k++) is_met[ranks->rank[k]] = 0;
    return status;
}

/* The others that need a joint. */
static scalay_status add_needs(const scalay_summa_side *side, const scalay_layout *c, int64_t joint, need_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    list->owners.count = 0;
    SCALAY_TRY(scalay_summa_add_owners(side->which, c, side->held.joint[joint].target, list->is_met, &list->owners));
    SCALAY_TRY(SCALAY_GROW(list->need, list->room, list->needs + list->owners.count));
    for (int64_t k = 0; k < list->owners.count; k++)
        if (list->owners.rank[k] != side->rank) list->need[list->needs++] = (need){list->owners.rank[k], joint};
cleanup:
    return status;
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
    if (list->needs > 0) qsort(list->need, (size_t)list->needs, sizeof *list->need, compare_needs);
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
    for (int64_t j = 0; j < side->held.joints; j++) SCALAY_TRY(add_needs(side, c, j, &list));
    SCALAY_TRY(list_readers(&list, &readers, &count));
    SCALAY_TRY(make_audiences(readers, count, side));
cleanup:
    scalay_release(readers);
    scalay_release(list.owners.rank);
    scalay_release(list.is_met);
    scalay_release(list.need);
    return status;
}
