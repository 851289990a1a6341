#include <string.h>

#include "base/memory.h"
#include "layout/cut.h"

/*
 * Appends a cut, or makes the last one longer. The walk goes through all of the class of a, so that its places are
 * contiguous from each cut to the next and nowhere else: what is left to ask is whether those in b are, too, and, when
 * runs shall be whole, whether the indices are.
 */
static scalay_status add_or_merge(const scalay_common_interval *cut, int whole, int64_t *end_b,
                                  scalay_interval_list *list)
{
    scalay_common_interval *last = list->cuts > 0 ? &list->cut[list->cuts - 1] : NULL;
    int merges = last != NULL && last->class_b == cut->class_b && *end_b == cut->local_b &&
                 (!whole || last->index + last->count == cut->index);
    *end_b = cut->local_b + cut->count;
    if (!merges) return scalay_interval_list_add(list, cut);
    last->count += cut->count;
    return SCALAY_SUCCESS;
}

/* An axis with a single class is one stretch, however many blocks it has. */
static scalay_status collect_cuts(const scalay_axis *a, int64_t class_a, const scalay_axis *b, int whole,
                                  scalay_interval_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t stretches = a->classes == 1 ? a->extent > 0 : scalay_axis_run_count(a, class_a);
    int64_t end_b = 0; /* in its class of b, of the last cut */
    for (int64_t k = 0; k < stretches; k++) {
        scalay_axis_run stretch = a->classes > 1 ? scalay_axis_get_run(a, class_a, k)
                                                 : (scalay_axis_run){0, scalay_axis_local_index(a, 0), a->extent};
        scalay_interval_walk walk = scalay_interval_walk_start(a, b, stretch.index, stretch.index + stretch.count);
        scalay_common_interval cut;
        while (status == SCALAY_SUCCESS && scalay_interval_walk_next(&walk, &cut)) {
            cut.local_a = stretch.local + (cut.index - stretch.index);
            cut.local_b = scalay_axis_local_index(b, cut.index);
            status = add_or_merge(&cut, whole, &end_b, list);
        }
    }
    return status;
}

static int64_t count_classes_b(const scalay_interval_list *list)
{
    int64_t classes = 0;
    for (int64_t k = 0; k < list->cuts; k++) classes += k == 0 || list->cut[k].class_b != list->cut[k - 1].class_b;
    return classes;
}

static void fill_share(const scalay_interval_list *list, scalay_axis_intersection *share)
{
    int64_t met = 0;
    for (int64_t k = 0; k < list->cuts; k++) {
        const scalay_common_interval *cut = &list->cut[k];
        if (k == 0 || cut->class_b != cut[-1].class_b) {
            share->class_b[met] = cut->class_b;
            share->start[met++] = k;
        }
        share->count[met - 1] += cut->count;
        share->runs[k] = (scalay_common_run){cut->index, cut->local_a, cut->local_b, cut->count};
    }
    share->start[met] = list->cuts;
}

scalay_status scalay_axis_intersection_create(const scalay_axis *a, int64_t class_a, const scalay_axis *b, int whole,
                                              scalay_axis_intersection *share)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_interval_list list = {0};
    memset(share, 0, sizeof *share);
    SCALAY_TRY(collect_cuts(a, class_a, b, whole, &list));
    SCALAY_TRY(scalay_interval_list_sort(&list));
    share->classes = count_classes_b(&list);
    SCALAY_TRY(SCALAY_NEW(share->class_b, share->classes));
    SCALAY_TRY(SCALAY_NEW(share->start, share->classes + 1));
    SCALAY_TRY(SCALAY_NEW(share->count, share->classes));
    SCALAY_TRY(SCALAY_NEW(share->runs, list.cuts));
    fill_share(&list, share);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_axis_intersection_free(share);
    scalay_interval_list_free(&list);
    return status;
}

void scalay_axis_intersection_free(scalay_axis_intersection *share)
{
    scalay_release(share->class_b);
    scalay_release(share->start);
    scalay_release(share->count);
    scalay_release(share->runs);
    memset(share, 0, sizeof *share);
}
