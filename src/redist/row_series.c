/* Series of row runs. */
#include "redist/row_series.h"

scalay_row_series scalay_row_series_join(const scalay_row_ends *rows, scalay_row_position *at)
{
    const scalay_common_run *end = rows->runs + rows->count;
    const int64_t from = scalay_run_place(at->run, rows->from, at->packed);
    const int64_t to = scalay_run_place(at->run, rows->to, at->packed);
    int64_t joined = 0;
    do {
        joined += at->run->count;
        at->packed += at->run++->count;
    } while (at->run < end && scalay_run_place(at->run, rows->from, at->packed) == from + joined &&
             scalay_run_place(at->run, rows->to, at->packed) == to + joined);
    return (scalay_row_series){.from = from, .to = to, .count = 1, .rows = joined};
}

/* Returns 1 if a run continues a series. The second run of a series sets the distances. */
static int extends(const scalay_row_series *last, const scalay_row_series *run)
{
    if (last->rows != run->rows) return 0;
    if (last->count == 1) return 1;
    return run->from == last->from + last->count * last->from_step && run->to == last->to + last->count * last->to_step;
}

int scalay_row_series_collect(const scalay_row_ends *rows, scalay_row_position *next, scalay_row_series *found,
                              int capacity)
{
    int count = 0;
    while (next->run < rows->runs + rows->count) {
        scalay_row_position after = *next;
        const scalay_row_series run = scalay_row_series_join(rows, &after);
        scalay_row_series *last = &found[count - 1];
        if (count > 0 && extends(last, &run)) {
            if (last->count++ == 1) {
                last->from_step = run.from - last->from;
                last->to_step = run.to - last->to;
            }
        } else if (count == capacity) {
            break;
        } else {
            found[count++] = run;
        }
        *next = after;
    }
    return count;
}
