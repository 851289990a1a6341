#include "base/integer.h"
#include "layout/layout.h"

/* Where the class of an axis changes: at indices index = offset (mod block), or, of an axis of runs, somewhere. */
typedef struct {
    int64_t extent;
    int64_t offset; /* 0 <= offset < block */
    int64_t block;
    int64_t count; /* of such indices in 1 .. extent - 1 */
    int is_known;  /* where they are */
} changes;

static changes changes_of(const scalay_axis *axis)
{
    changes found = {.extent = axis->extent, .block = axis->block, .is_known = axis->runs == NULL};
    if (axis->extent < 2 || axis->classes < 2) return found;
    if (!found.is_known) {
        for (int64_t class = 0; class < axis->classes; class ++) found.count += scalay_axis_run_count(axis, class);
        found.count--;
        return found;
    }
    found.offset = (axis->block - axis->first % axis->block) % axis->block;
    found.count = (axis->first + axis->extent - 1) / axis->block - axis->first / axis->block;
    return found;
}

/* How many indices two axes with blocks change at together. Goes from change to change of the larger blocks until one
 * is met; from then on they repeat. */
static int64_t count_common(const changes *a, const changes *b)
{
    const changes *large = a->block >= b->block ? a : b, *small = a->block >= b->block ? b : a;
    const int64_t period = small->block / scalay_gcd(small->block, large->block);
    int64_t index = large->offset > 0 ? large->offset : large->block;
    for (int64_t k = 0; k < period && index < a->extent; k++, index += large->block)
        if (index % small->block == small->offset) return 1 + (a->extent - 1 - index) / large->block / period;
    return 0;
}

int64_t scalay_layout_segments(const scalay_layout *source, const scalay_layout *target)
{
    if (source == NULL || target == NULL || source->row.extent != target->row.extent ||
        source->col.extent != target->col.extent)
        return -1;
    if (source->row.extent == 0) return 0;
    const changes there = changes_of(&source->row), here = changes_of(&target->row);
    const int can_meet = there.is_known && here.is_known && there.count > 0 && here.count > 0;
    int64_t pieces = 1 + there.count + here.count - (can_meet ? count_common(&there, &here) : 0);
    if (here.count == 0) pieces = scalay_min_int64(pieces, source->row.classes);
    return scalay_min_int64(pieces, source->row.extent) * source->col.extent;
}
