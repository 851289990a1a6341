#include "layout/axis.h"

#include <stddef.h>

#include "base/integer.h"

/* How many blocks after the class that holds block 0 a class comes round first. */
static int64_t class_turn(const scalay_axis *axis, int64_t class)
{
    int64_t turn = class - axis->source;
    return turn < 0 ? turn + axis->classes : turn;
}

/* The blocks of a class among the dimension's first `blocks`. */
static int64_t blocks_upto(const scalay_axis *axis, int64_t class, int64_t blocks)
{
    return blocks / axis->classes + (class_turn(axis, class) < blocks % axis->classes);
}

int64_t scalay_axis_class(const scalay_axis *axis, int64_t i)
{
    if (axis->runs != NULL) return scalay_axis_runs_class(axis->runs, i);
    int64_t turn = (axis->first + i) / axis->block % axis->classes;
    int64_t room = axis->classes - axis->source;
    return turn < room ? turn + axis->source : turn - room;
}

int64_t scalay_axis_local_index(const scalay_axis *axis, int64_t i)
{
    if (axis->runs != NULL) return scalay_axis_runs_local_index(axis->runs, i);
    int64_t index = axis->first + i;
    return index / axis->block / axis->classes * axis->block + index % axis->block;
}

int64_t scalay_axis_count_upto(const scalay_axis *axis, int64_t class, int64_t upto)
{
    int64_t blocks = upto / axis->block;
    int64_t count = blocks_upto(axis, class, blocks) * axis->block;
    return class_turn(axis, class) == blocks % axis->classes ? count + upto % axis->block : count;
}

int64_t scalay_axis_count(const scalay_axis *axis, int64_t class)
{
    if (axis->runs != NULL) return axis->runs->count[class];
    return scalay_axis_count_upto(axis, class, axis->first + axis->extent) -
           scalay_axis_count_upto(axis, class, axis->first);
}

int64_t scalay_axis_run_count(const scalay_axis *axis, int64_t class)
{
    if (axis->extent == 0) return 0;
    if (axis->runs != NULL) return axis->runs->first[class + 1] - axis->runs->first[class];
    int64_t last = (axis->first + axis->extent - 1) / axis->block;
    return blocks_upto(axis, class, last + 1) - blocks_upto(axis, class, axis->first / axis->block);
}

scalay_axis_run scalay_axis_get_run(const scalay_axis *axis, int64_t class, int64_t k)
{
    if (axis->runs != NULL) return scalay_axis_runs_get(axis->runs, class, k);
    int64_t nth = blocks_upto(axis, class, axis->first / axis->block) + k; /* of the class's blocks */
    int64_t start = (nth * axis->classes + class_turn(axis, class)) * axis->block;
    int64_t begin = scalay_max_int64(start, axis->first);
    int64_t left = axis->first + axis->extent - start; /* start + block may not be representable */
    int64_t end = start + scalay_min_int64(left, axis->block);
    return (scalay_axis_run){begin - axis->first, nth * axis->block + (begin - start), end - begin};
}
