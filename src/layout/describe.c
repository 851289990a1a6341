#include "base/text.h"
#include "layout/layout.h"

static void describe_grid(const scalay_layout *layout, scalay_text *text)
{
    const scalay_axis *row = &layout->row, *col = &layout->col;
    scalay_text_append(text, "%lld x %lld block-cyclic, blocks %lld x %lld, grid %lld x %lld", (long long)row->whole,
                       (long long)col->whole, (long long)row->block, (long long)col->block, (long long)row->classes,
                       (long long)col->classes);
    if (row->source != 0 || col->source != 0)
        scalay_text_append(text, ", source (%lld, %lld)", (long long)row->source, (long long)col->source);
    if (layout->order == SCALAY_COLUMN_MAJOR) scalay_text_append(text, ", column order");
}

int scalay_layout_describe(const scalay_layout *layout, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (layout == NULL) {
        scalay_text_append(&all, "no layout");
        return (int)all.length;
    }
    const scalay_axis *row = &layout->row, *col = &layout->col;
    if (row->extent != row->whole || col->extent != col->whole)
        scalay_text_append(&all, "%lld x %lld from (%lld, %lld) of ", (long long)row->extent, (long long)col->extent,
                           (long long)row->first, (long long)col->first);
    if (layout->tiles == NULL)
        describe_grid(layout, &all);
    else if (layout->tiles->ld != NULL)
        scalay_text_append(&all, "%lld x %lld owner map, %d parts", (long long)row->whole, (long long)col->whole,
                           layout->parts);
    else
        scalay_text_append(&all, "%lld x %lld tile map, tiles %lld x %lld, %d parts", (long long)row->whole,
                           (long long)col->whole, (long long)row->block, (long long)col->block, layout->parts);
    if (layout->process != NULL || layout->processes != layout->parts)
        scalay_text_append(&all, ", placed on %d processes", layout->processes);
    return (int)all.length;
}
