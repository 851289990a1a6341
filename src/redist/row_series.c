/* Series of row runs. */
#include "redist/row_series.h"

#include <stddef.h>

#include "base/integer.h"

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
        scalay_row_series *last = count > 0 ? &found[count - 1] : NULL;
        if (last != NULL && extends(last, &run)) {
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

/* ------------------------------------------------------------------------------------------- interleaved */

enum { MAX_PERIOD = 12 };

/* Returns 1 if a run has the length of another one, at a distance. */
static int is_shifted(const scalay_row_series *run, const scalay_row_series *first, int64_t from_step, int64_t to_step)
{
    return run->rows == first->rows && run->from == first->from + from_step && run->to == first->to + to_step;
}

/* Returns the number of runs after which their pattern repeats; 0: none was found. */
static int find_period(const scalay_row_series *runs, int count)
{
    for (int period = 1; 2 * period <= count; period++) {
        const int64_t from_step = runs[period].from - runs[0].from, to_step = runs[period].to - runs[0].to;
        int k = 0;
        while (k + period < count && is_shifted(&runs[k + period], &runs[k], from_step, to_step)) k++;
        if (k + period == count) return period;
    }
    return 0;
}

/* Reads the next joined runs. Returns their number. */
static int read_runs(const scalay_row_ends *rows, scalay_row_position *at, scalay_row_series *runs, int maximum)
{
    int count = 0;
    while (count < maximum && at->run < rows->runs + rows->count) runs[count++] = scalay_row_series_join(rows, at);
    return count;
}

/* Continues interleaved series up to the last run. Returns their number with that of the last run; 0: it was not
   possible. */
static int continue_series(const scalay_row_ends *rows, scalay_row_position at, scalay_row_series *found, int period)
{
    for (int64_t k = 0; at.run < rows->runs + rows->count; k++) {
        const scalay_row_series run = scalay_row_series_join(rows, &at);
        scalay_row_series *series = &found[k % period];
        if (is_shifted(&run, series, series->count * series->from_step, series->count * series->to_step)) {
            series->count++;
        } else if (at.run == rows->runs + rows->count) {
            found[period] = run;
            return period + 1;
        } else {
            return 0;
        }
    }
    return period;
}

static int find_interleaved(const scalay_row_ends *rows, int maximum, scalay_row_series *found)
{
    scalay_row_series runs[2 * MAX_PERIOD + 1];
    scalay_row_position at = {.run = rows->runs};
    const int read = read_runs(rows, &at, runs, 2 * MAX_PERIOD + 1);
    const int period = find_period(runs + 1, read - 1);
    if (period == 0 || period + 2 > maximum) return 0;
    for (int k = 0; k <= period; k++) found[k] = runs[k];
    for (int k = 1; k <= period; k++) {
        found[k].from_step = runs[k + period].from - runs[k].from;
        found[k].to_step = runs[k + period].to - runs[k].to;
    }
    at = (scalay_row_position){.run = rows->runs};
    (void)read_runs(rows, &at, runs, period + 1);
    const int others = continue_series(rows, at, found + 1, period);
    return others > 0 ? others + 1 : 0;
}

int scalay_row_series_find_few(const scalay_row_ends *rows, int maximum, scalay_row_series *found)
{
    scalay_row_position next = {.run = rows->runs};
    const int count = scalay_row_series_collect(rows, &next, found, maximum);
    return next.run == rows->runs + rows->count ? count : find_interleaved(rows, maximum, found);
}

/* ------------------------------------------------------------------------------------------- cut series */

/* Returns the number of runs of a series that begin before a place. */
static int64_t runs_before(const scalay_row_series *series, int64_t place)
{
    if (place <= series->from) return 0;
    if (series->count == 1) return 1;
    return scalay_min_int64(series->count, (place - series->from - 1) / series->from_step + 1);
}

/* Cuts run k of a series. */
static scalay_row_series part_of_run(const scalay_row_series *series, int64_t k, int64_t first, int64_t end)
{
    const int64_t from = series->from + k * series->from_step, start = scalay_max_int64(from, first);
    return (scalay_row_series){.from = start,
                               .to = series->to + k * series->to_step + start - from,
                               .count = 1,
                               .rows = scalay_min_int64(from + series->rows, end) - start};
}

/* Cuts one series. Returns the number of its parts. */
static int cut_series(const scalay_row_series *series, int64_t first, int64_t end, scalay_row_series *found)
{
    if (first >= end) return 0;
    int count = 0;
    int64_t k = runs_before(series, first - series->rows + 1); /* the run that has `first`, or lies behind it */
    int64_t last = runs_before(series, end);
    if (k < last && series->from + k * series->from_step < first) found[count++] = part_of_run(series, k++, first, end);
    const int is_cut = k < last && series->from + (last - 1) * series->from_step + series->rows > end;
    last -= is_cut;
    if (k < last) {
        found[count] = *series;
        found[count].from += k * series->from_step;
        found[count].to += k * series->to_step;
        found[count++].count = last - k;
    }
    if (is_cut) found[count++] = part_of_run(series, last, first, end);
    return count;
}

int scalay_row_series_cut(const scalay_row_series *series, int count, int64_t first, int64_t end,
                          scalay_row_series *found, int64_t *rows)
{
    int parts = 0;
    *rows = 0;
    for (int k = 0; k < count; k++) parts += cut_series(&series[k], first, end, found + parts);
    for (int k = 0; k < parts; k++) *rows += found[k].count * found[k].rows;
    return parts;
}
