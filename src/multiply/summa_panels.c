#include "multiply/summa_panels.h"

#include "base/integer.h"
#include "base/memory.h"

void scalay_summa_panels_free(scalay_summa_panels *panels)
{
    scalay_release(panels->panel);
    scalay_release(panels->segment);
    scalay_release(panels->inner);
    *panels = (scalay_summa_panels){0};
}

static scalay_status add_panel(scalay_summa_panels *panels)
{
    const scalay_status status = SCALAY_GROW(panels->panel, panels->panel_room, panels->panels + 1);
    if (status == SCALAY_SUCCESS)
        panels->panel[panels->panels++] = (scalay_summa_panel){panels->segments, panels->segments, 0};
    return status;
}

/* A segment without runs, at the end of the last panel. */
static scalay_status add_segment(int64_t class_a, int64_t class_b, scalay_summa_panels *panels)
{
    const scalay_status status = SCALAY_GROW(panels->segment, panels->segment_room, panels->segments + 1);
    if (status != SCALAY_SUCCESS) return status;
    scalay_summa_panel *last = &panels->panel[panels->panels - 1];
    panels->segment[panels->segments++] =
        (scalay_summa_segment){{class_a, class_b}, last->width, 0, panels->runs, panels->runs};
    last->end = panels->segments;
    return SCALAY_SUCCESS;
}

/* Makes the last segment longer. */
static scalay_status add_run(scalay_summa_inner run, scalay_summa_panels *panels)
{
    const scalay_status status = SCALAY_GROW(panels->inner, panels->run_room, panels->runs + 1);
    if (status != SCALAY_SUCCESS) return status;
    scalay_summa_panel *panel = &panels->panel[panels->panels - 1];
    scalay_summa_segment *segment = &panels->segment[panels->segments - 1];
    panels->inner[panels->runs++] = run;
    segment->end = panels->runs;
    segment->width += run.count;
    panel->width += run.count;
    panels->widest = scalay_max_int64(panels->widest, panel->width);
    return SCALAY_SUCCESS;
}

static scalay_status add_share(int64_t class_a, const scalay_axis_intersection *share, scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < share->classes; k++) {
        SCALAY_TRY(add_segment(class_a, share->class_b[k], classes));
        for (int64_t r = share->start[k]; r < share->start[k + 1]; r++) {
            const scalay_common_run *run = &share->runs[r];
            SCALAY_TRY(add_run((scalay_summa_inner){{run->local_a, run->local_b}, run->count}, classes));
        }
    }
cleanup:
    return status;
}

scalay_status scalay_summa_classes_create(const scalay_axis *a, const scalay_axis *b, scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_intersection share = {0};
    *classes = (scalay_summa_panels){.extent = a->extent};
    SCALAY_TRY(add_panel(classes));
    for (int64_t class = 0; class < a->classes && a->extent > 0; class ++) {
        SCALAY_TRY(scalay_axis_intersection_create(a, class, b, 0, &share));
        SCALAY_TRY(add_share(class, &share, classes));
        scalay_axis_intersection_free(&share);
    }
cleanup:
    scalay_axis_intersection_free(&share);
    return status;
}

/* ---------------------------------------------------------------------------------------------- cutting */

/* How far a class has been dealt out. */
typedef struct {
    int64_t run;  /* the next run */
    int64_t done; /* of it */
    int64_t left; /* of the class */
} cursor;

/* Adds a segment with the next `width` indices of a class. */
static scalay_status deal(const scalay_summa_panels *classes, int64_t class, int64_t width, cursor *at,
                          scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_segment *from = &classes->segment[class];
    SCALAY_TRY(add_segment(from->class[0], from -> class[1], panels));
    at->left -= width;
    while (width > 0) {
        const scalay_summa_inner *run = &classes->inner[at->run];
        const int64_t count = scalay_min_int64(width, run->count - at->done);
        SCALAY_TRY(add_run((scalay_summa_inner){{run->place[0] + at->done, run->place[1] + at->done}, count}, panels));
        width -= count;
        at->done += count;
        if (at->done < run->count) continue;
        at->run++;
        at->done = 0;
    }
cleanup:
    return status;
}

/* One panel of each class that has enough for one, again and again, all panels of a class about equally wide. */
static scalay_status deal_large(const scalay_summa_panels *classes, int64_t most, cursor *at,
                                scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t dealt = 1; dealt > 0;) {
        dealt = 0;
        for (int64_t k = 0; k < classes->segments; k++) {
            if (classes->segment[k].width < most || at[k].left == 0) continue;
            const int64_t turns = scalay_ceil_div(at[k].left, most);
            SCALAY_TRY(add_panel(panels));
            SCALAY_TRY(deal(classes, k, scalay_ceil_div(at[k].left, turns), &at[k], panels));
            dealt++;
        }
    }
cleanup:
    return status;
}

static scalay_status deal_small(const scalay_summa_panels *classes, int64_t most, cursor *at,
                                scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    int is_open = 0;
    for (int64_t k = 0; k < classes->segments; k++) {
        if (at[k].left == 0) continue;
        if (!is_open || panels->panel[panels->panels - 1].width + at[k].left > most) SCALAY_TRY(add_panel(panels));
        is_open = 1;
        SCALAY_TRY(deal(classes, k, at[k].left, &at[k], panels));
    }
cleanup:
    return status;
}

scalay_status scalay_summa_panels_create(const scalay_summa_panels *classes, int64_t most, scalay_summa_panels *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    cursor *at = NULL;
    *panels = (scalay_summa_panels){.extent = classes->extent};
    SCALAY_TRY(SCALAY_NEW(at, classes->segments));
    for (int64_t k = 0; k < classes->segments; k++)
        at[k] = (cursor){classes->segment[k].first, 0, classes->segment[k].width};
    SCALAY_TRY(deal_large(classes, most, at, panels));
    SCALAY_TRY(deal_small(classes, most, at, panels));
cleanup:
    scalay_release(at);
    return status;
}
