#include <string.h>

#include "core/memory.h"
#include "layout/cut.h"

/* Two cuts one after the other that are contiguous in their common classes become one. */
static int continues(const scalay_axis *a, const scalay_axis *b, const scalay_cut *last, const scalay_cut *cut)
{
    return last->class_b == cut->class_b &&
           scalay_axis_place(a, last->index) + last->count == scalay_axis_place(a, cut->index) &&
           scalay_axis_place(b, last->index) + last->count == scalay_axis_place(b, cut->index);
}

/*
 * Only neighbours of this walk can be contiguous: between others the class of a has indices that go elsewhere. An axis
 * with a single class is one stretch, however many blocks it has.
 */
static scalay_status collect_cuts(const scalay_axis *a, int64_t class_a, const scalay_axis *b, scalay_cut_list *list)
{
    int64_t stretches = a->classes == 1 ? a->extent > 0 : scalay_axis_stretches(a, class_a);
    for (int64_t k = 0; k < stretches; k++) {
        scalay_stretch stretch = {0, 0, a->extent};
        if (a->classes > 1) stretch = scalay_axis_stretch(a, class_a, k);
        scalay_cut_walk walk = scalay_cut_walk_start(a, b, stretch.index, stretch.index + stretch.count);
        scalay_cut cut;
        while (scalay_cut_walk_next(&walk, &cut)) {
            scalay_cut *last = list->cuts > 0 ? &list->cut[list->cuts - 1] : NULL;
            if (last != NULL && continues(a, b, last, &cut)) {
                last->count += cut.count;
                continue;
            }
            scalay_status status = scalay_cut_list_add(list, &cut);
            if (status != SCALAY_SUCCESS) return status;
        }
    }
    return SCALAY_SUCCESS;
}

static int64_t count_classes_b(const scalay_cut_list *list)
{
    int64_t classes = 0;
    for (int64_t k = 0; k < list->cuts; k++) classes += k == 0 || list->cut[k].class_b != list->cut[k - 1].class_b;
    return classes;
}

static void fill_share(const scalay_axis *a, const scalay_axis *b, const scalay_cut_list *list,
                       scalay_axis_share *share)
{
    int64_t met = 0;
    for (int64_t k = 0; k < list->cuts; k++) {
        const scalay_cut *cut = &list->cut[k];
        if (k == 0 || cut->class_b != cut[-1].class_b) {
            share->class_b[met] = cut->class_b;
            share->start[met++] = k;
        }
        share->count[met - 1] += cut->count;
        share->runs[k] = (scalay_run){scalay_axis_place(a, cut->index), scalay_axis_place(b, cut->index), cut->count};
    }
    share->start[met] = list->cuts;
}

scalay_status scalay_axis_share_create(const scalay_axis *a, int64_t class_a, const scalay_axis *b,
                                       scalay_axis_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cut_list list = {0};
    memset(share, 0, sizeof *share);
    SCALAY_TRY(collect_cuts(a, class_a, b, &list));
    SCALAY_TRY(scalay_cut_list_sort(&list));
    share->classes = count_classes_b(&list);
    SCALAY_TRY(SCALAY_NEW(share->class_b, share->classes));
    SCALAY_TRY(SCALAY_NEW(share->start, share->classes + 1));
    SCALAY_TRY(SCALAY_NEW(share->count, share->classes));
    SCALAY_TRY(SCALAY_NEW(share->runs, list.cuts));
    fill_share(a, b, &list, share);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_axis_share_free(share);
    scalay_cut_list_free(&list);
    return status;
}

void scalay_axis_share_free(scalay_axis_share *share)
{
    scalay_release(share->class_b);
    scalay_release(share->start);
    scalay_release(share->count);
    scalay_release(share->runs);
    memset(share, 0, sizeof *share);
}
