#include "base/fingerprint.h"
#include "layout/layout.h"

static uint64_t add_axis(uint64_t fingerprint, const scalay_axis *axis)
{
    const int64_t words[] = {axis->extent, axis->first, axis->whole, axis->block, axis->classes, axis->source};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        fingerprint = scalay_fingerprint_add(fingerprint, words[k]);
    for (int64_t r = 0; axis->runs != NULL && r < axis->runs->runs; r++) {
        fingerprint = scalay_fingerprint_add(fingerprint, axis->runs->end[r]);
        fingerprint = scalay_fingerprint_add(fingerprint, axis->runs->class[r]);
        fingerprint = scalay_fingerprint_add(fingerprint, axis->runs->local[r]);
    }
    return fingerprint;
}

uint64_t scalay_layout_fingerprint(const scalay_layout *layout)
{
    uint64_t fingerprint = add_axis(scalay_fingerprint_start(), &layout->row);
    fingerprint = add_axis(fingerprint, &layout->col);
    fingerprint = scalay_fingerprint_add(fingerprint, layout->parts);
    for (int part = 0; part < layout->parts; part++)
        fingerprint = scalay_fingerprint_add(fingerprint, scalay_layout_process_of_part(layout, part));
    if (scalay_layout_is_grid(layout)) return scalay_fingerprint_add(fingerprint, layout->order);
    int64_t tiles = layout->row.classes * layout->col.classes;
    for (int64_t k = 0; k < tiles; k++) fingerprint = scalay_fingerprint_add(fingerprint, layout->tiles->offset[k]);
    for (int64_t k = 0; layout->tiles->ld != NULL && k < tiles; k++)
        fingerprint = scalay_fingerprint_add(fingerprint, layout->tiles->ld[k]);
    return scalay_fingerprint_add_ints(fingerprint, layout->tiles->part, tiles);
}
