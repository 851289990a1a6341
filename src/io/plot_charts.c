/*
 * Panels of charts: bars of times, Gantt charts of schedules, and curves over two axes with error bars.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "io/panel.h"

/* ------------------------------------------------------------------------------------------------------ times */

enum { LETTERS = 48 }; /* below a panel, in one line */

/* A unit in which the longest bar has one to three digits before the point. */
typedef struct {
    const char *name;
    double seconds;
} time_unit;

static time_unit unit_for(double longest)
{
    static const time_unit units[] = {{"seconds", 1.0}, {"milliseconds", 1e-3}, {"microseconds", 1e-6}};
    int k = 0;
    while (k < 2 && longest < units[k].seconds) k++;
    return units[k];
}

static int is_time(double seconds)
{
    return isfinite(seconds) && seconds >= 0.0;
}

static scalay_status check_bars(const scalay_plot_bar *bars, int count)
{
    if (bars == NULL || count < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "bars is %s and count is %d; there must be at least one bar",
                           bars == NULL ? "NULL" : "given", count);
    for (int k = 0; k < count; k++) {
        const int is_valid = bars[k].name != NULL && is_time(bars[k].move_seconds) && is_time(bars[k].kernel_seconds) &&
                             !isnan(bars[k].predicted_seconds) && !isinf(bars[k].predicted_seconds);
        if (!is_valid)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                               "bars[%d] has no name, or a time that is negative or not finite (move %g, kernel %g, "
                               "predicted %g); times must be finite and at least 0",
                               k, bars[k].move_seconds, bars[k].kernel_seconds, bars[k].predicted_seconds);
    }
    return SCALAY_SUCCESS;
}

static double longest_of(const scalay_plot_bar *bars, int count)
{
    double longest = 0.0;
    for (int k = 0; k < count; k++)
        longest = fmax(longest, fmax(bars[k].predicted_seconds, bars[k].move_seconds + bars[k].kernel_seconds));
    return longest;
}

/* Columns: position, move, total, prediction. */
static void add_rows(scalay_string *data, const scalay_plot_bar *bars, int count, time_unit unit)
{
    for (int k = 0; k < count; k++) {
        double move = bars[k].move_seconds / unit.seconds;
        double all = move + bars[k].kernel_seconds / unit.seconds;
        scalay_string_append(data, "%d %.10g %.10g ", k, move, all);
        if (bars[k].predicted_seconds >= 0.0)
            scalay_string_append(data, "%.10g\n", bars[k].predicted_seconds / unit.seconds);
        else
            scalay_string_append(data, "NaN\n");
    }
}

static void add_names(scalay_string *commands, const scalay_plot_bar *bars, int count)
{
    size_t letters = 0;
    for (int k = 0; k < count; k++) letters += strlen(bars[k].name) + 2;
    int fits = letters <= LETTERS;
    scalay_string_append(commands, "set xtics scale 0 %s\nset xtics (", fits ? "norotate" : "rotate by -30");
    for (int k = 0; k < count; k++) {
        scalay_string_append(commands, k == 0 ? "" : ", ");
        scalay_panel_quote(commands, bars[k].name);
        scalay_string_append(commands, " %d", k);
    }
    scalay_string_append(commands, ")\n");
    for (int k = 0; k < count; k++)
        if (bars[k].chosen)
            scalay_string_append(
                commands,
                "set object rectangle from %d-0.45, graph 0 to %d+0.45, graph 1 behind fs solid 1 noborder "
                "fc rgb '#e9f3e4'\nset label 'chosen' at %d, graph 0.97 center tc rgb '#2c6e1f'\n",
                k, k, k);
}

static void add_bars(scalay_string *commands, const scalay_plot_bar *bars, int count, time_unit unit, int number)
{
    int kernels = 0, predictions = 0;
    for (int k = 0; k < count; k++) {
        kernels += bars[k].kernel_seconds > 0.0;
        predictions += bars[k].predicted_seconds >= 0.0;
    }
    double longest = longest_of(bars, count) / unit.seconds;
    scalay_string_append(commands, "set datafile missing 'NaN'\nset style fill solid 1 noborder\nset boxwidth 0.6\n");
    scalay_string_append(commands, "set xrange [-0.6:%d.6]\nset yrange [0:%.10g]\nset ylabel '%s'\n", count - 1,
                         longest > 0.0 ? 1.22 * longest : 1.0, unit.name);
    scalay_string_append(commands, "set grid ytics lw 0.5 lc rgb '#dddddd'\nset border 3 lw 0.5\n"
                                   "set key outside bottom center horizontal\n");
    scalay_string_append(commands, "plot ");
    if (kernels > 0)
        scalay_string_append(commands, "$panel%d using 1:3 with boxes lc rgb '#0072b2' title 'kernel', ", number);
    scalay_string_append(commands, "$panel%d using 1:2 with boxes lc rgb '#e69f00' title 'move', ", number);
    if (predictions > 0)
        scalay_string_append(
            commands, "$panel%d using 1:4 with points pt 12 ps 1.6 lw 2 lc rgb '#222222' title 'predicted', ", number);
    scalay_string_append(commands, "$panel%d using 1:3:(sprintf('%%.3g', $3)) with labels offset 0,0.9 notitle\n",
                         number);
}

scalay_status scalay_plot_add_times(scalay_plot *plot, const char *title, const scalay_plot_bar *bars, int count)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_panel *panel = NULL;
    SCALAY_TRY(check_bars(bars, count));
    SCALAY_TRY(scalay_panel_begin(plot, __func__, title, &locale, &panel));
    time_unit unit = unit_for(longest_of(bars, count));
    add_rows(&panel->data, bars, count, unit);
    add_names(&panel->commands, bars, count);
    add_bars(&panel->commands, bars, count, unit, scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- schedules */

/* A panel shows the first MAX_PROCESSES processes and their first MAX_BARS bars. */
enum { MAX_PROCESSES = 64, MAX_BARS = 4096, TITLE = 160, FEW_ROWS = 16 };

/* The part of a schedule that is drawn. */
typedef struct {
    const scalay_schedule *schedule;
    scalay_schedule_summary summary;
    int processes; /* all of them */
    int shown;
    int64_t steps; /* shown */
    int64_t end;   /* in items */
} excerpt;

/* A round, with the time at which it begins. */
typedef struct {
    int64_t time;
    int64_t length;
    int64_t count;
    const scalay_message *messages;
} moment;

static scalay_status next_moment(const excerpt *view, int64_t step, moment *now)
{
    now->time += now->length;
    return scalay_schedule_round(view->schedule, step, &now->length, &now->count, &now->messages);
}

static scalay_status check_message(const scalay_message *message, int processes)
{
    const int last = message->from > message->to ? message->from : message->to;
    if (last < processes) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_plot_add_schedule",
                       "processes is %d, but process %d has a message; it must be at least the number of processes",
                       processes, last);
}

/* Sets the rounds that are shown. */
static scalay_status choose_excerpt(excerpt *view)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t steps = 0;
    moment now = {0};
    int64_t bars = 0;
    SCALAY_TRY(scalay_schedule_get_summary(view->schedule, &view->summary));
    view->shown = (int)scalay_min_int64(view->processes, MAX_PROCESSES);
    view->end = view->summary.length;
    steps = view->summary.rounds;
    view->steps = steps;
    for (int64_t step = 0; step < steps; step++) {
        SCALAY_TRY(next_moment(view, step, &now));
        for (int64_t k = 0; k < now.count; k++) {
            SCALAY_TRY(check_message(&now.messages[k], view->processes));
            bars += (now.messages[k].from < view->shown) + (now.messages[k].to < view->shown);
        }
        if (bars <= MAX_BARS || view->steps < steps) continue;
        view->steps = step;
        view->end = now.time;
    }
cleanup:
    return status;
}

/* Columns: middle, edges, colour. A process sends in the upper half of its row and receives in the lower one. */
static void add_bar(scalay_string *data, const excerpt *view, const moment *now, const scalay_message *message,
                    int sends)
{
    const int row = sends ? message->from : message->to, peer = sends ? message->to : message->from;
    if (row >= view->shown) return;
    const int64_t end = now->time + scalay_min_int64(message->elements, view->end - now->time);
    const double upper = sends ? row - 0.42 : row + 0.02, lower = upper + 0.4;
    scalay_string_append(data, "%lld %.2f %lld %lld %.2f %.2f %d\n", (long long)now->time, upper, (long long)now->time,
                         (long long)end, upper, lower, scalay_panel_shade(peer, view->processes));
}

static scalay_status add_schedule_bars(scalay_string *data, const excerpt *view)
{
    scalay_status status = SCALAY_SUCCESS;
    moment now = {0};
    for (int64_t step = 0; step < view->steps; step++) {
        SCALAY_TRY(next_moment(view, step, &now));
        for (int64_t k = 0; k < now.count; k++)
            for (int sends = 1; sends >= 0; sends--) add_bar(data, view, &now, &now.messages[k], sends);
    }
    /* Gnuplot needs data: a bar outside of the panel. */
    scalay_string_append(data, "-1 -9 -1 -1 -9 -9 0\n");
cleanup:
    return status;
}

static void title_panel(const excerpt *view, const char *title, char *text)
{
    char processes[48] = "", items[64] = "", end[16], length[16];
    const int cut = view->steps < view->summary.rounds, fewer = view->shown < view->processes;
    scalay_panel_short((double)view->end, end, sizeof end);
    scalay_panel_short((double)view->summary.length, length, sizeof length);
    if (fewer) (void)snprintf(processes, sizeof processes, "%d of %d processes", view->shown, view->processes);
    if (cut) (void)snprintf(items, sizeof items, "%s of %s item steps", end, length);
    (void)snprintf(text, TITLE, fewer || cut ? "%.64s (the first %s%s%s)" : "%.64s", title != NULL ? title : "",
                   processes, fewer && cut ? ", " : "", items);
}

static void add_schedule_axes(scalay_string *commands, const excerpt *view)
{
    const double end = view->end > 0 ? (double)view->end : 1.0;
    const int cut = view->steps < view->summary.rounds;
    scalay_string_append(commands, "set xrange [0:%.17g]\nset yrange [%d.5:-0.5]\nset format x '%s'\n", end,
                         view->shown - 1, scalay_panel_format(end));
    scalay_string_append(
        commands,
        "set xlabel 'time, item steps%s'\nset ylabel 'process (above: sends to, below: receives from)'\n"
        "unset key\n",
        cut ? " (cut off)" : "");
    if (view->shown <= FEW_ROWS) scalay_string_append(commands, "set ytics 1\n");
    if (view->steps == 0) scalay_string_append(commands, "set label 'nothing moves' at graph 0.5,0.5 center\n");
    if (cut)
        scalay_string_append(commands,
                             "set arrow from graph 1,0 to graph 1,1 nohead front dt 2 lw 3 lc rgb '#d62728'\n");
}

scalay_status scalay_plot_add_schedule(scalay_plot *plot, const char *title, const scalay_schedule *schedule,
                                       int processes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_panel *panel = NULL;
    excerpt view = {.schedule = schedule, .processes = processes};
    char text[TITLE];
    if (schedule == NULL || processes < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "schedule is %s and processes %d; pass a schedule and at least one process",
                           schedule == NULL ? "NULL" : "given", processes);
    SCALAY_TRY(choose_excerpt(&view));
    title_panel(&view, title, text);
    SCALAY_TRY(scalay_panel_begin(plot, __func__, text, &locale, &panel));
    (void)add_schedule_bars(&panel->data, &view); /* cannot fail: choose_excerpt() has read these rounds */
    add_schedule_axes(&panel->commands, &view);
    scalay_panel_add_processes(&panel->commands, processes, NULL);
    scalay_string_append(&panel->commands,
                         "set style fill solid 1 noborder\n"
                         "plot $panel%d using 1:2:3:4:5:6:7 with boxxyerror lc palette\n",
                         scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------- curves */

/* A curve with more than MAX_POINTS points is thinned: of each bucket, the first, lowest, highest and last point stay.
 */
enum { MAX_POINTS = 2048, BUCKETS = MAX_POINTS / 4, NAME_SIZE = 32, MAX_MARKS = 64 };

/* A metric prefix: values are divided by the factor. */
typedef struct {
    const char *letter;
    double factor;
} prefix;

typedef struct {
    double least, most;
} interval;

static prefix prefix_for(double most)
{
    static const prefix prefixes[] = {{"T", 1e12}, {"G", 1e9},  {"M", 1e6},       {"k", 1e3},
                                      {"", 1.0},   {"m", 1e-3}, {"\u00b5", 1e-6}, {"n", 1e-9}};
    const int count = (int)(sizeof prefixes / sizeof prefixes[0]);
    int k = 0;
    while (k < count - 1 && most < prefixes[k].factor) k++;
    return most > 0.0 ? prefixes[k] : (prefix){"", 1.0};
}

static scalay_status check_points(const scalay_plot_curve *curve, int k)
{
    if (curve->points < 0 || curve->colour < 0 || (curve->points > 0 && (curve->x == NULL || curve->y == NULL)))
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, "scalay_plot_add_curves",
            "curves[%d] has %lld points, colour %d, and x and y that are %s; pass both, and numbers of at least 0", k,
            (long long)curve->points, curve->colour, curve->x && curve->y ? "given" : "not");
    for (int64_t i = 0; i < curve->points; i++)
        if (!isfinite(curve->x[i]) || !isfinite(curve->y[i]))
            return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_plot_add_curves",
                               "point %lld of curves[%d] is (%g, %g); it must be finite", (long long)i, k, curve->x[i],
                               curve->y[i]);
    return SCALAY_SUCCESS;
}

static scalay_status check_curves(const scalay_plot_curve *curves, int count)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t points = 0;
    for (int k = 0; curves != NULL && k < count && status == SCALAY_SUCCESS; k++) {
        status = check_points(&curves[k], k);
        points += curves[k].points;
    }
    if (status != SCALAY_SUCCESS || points > 0) return status;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_plot_add_curves",
                       "curves is %s, count is %d, and there is no point; pass at least one point",
                       curves == NULL ? "NULL" : "given", count);
}

static interval range_of(const scalay_plot_curve *curves, int count, int of_x)
{
    interval range = {INFINITY, -INFINITY};
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < curves[k].points; i++) {
            const double value = of_x ? curves[k].x[i] : curves[k].y[i];
            const double error = of_x || curves[k].error == NULL ? 0.0 : curves[k].error[i];
            range.least = fmin(range.least, fmax(value - error, fmin(value, 0.0))); /* 0, if no value is below 0 */
            range.most = fmax(range.most, value + error);
        }
    return range;
}

/* A margin keeps marks at the edge whole. */
static void add_range(scalay_string *commands, char which, const scalay_plot_axis *axis, interval range, double factor)
{
    double least = axis->from_zero ? fmin(range.least, 0.0) : range.least;
    double width = range.most > least ? range.most - least : fmax(fabs(range.most), 1.0);
    double lower = axis->from_zero && least >= 0.0 ? 0.0 : least - 0.06 * width;
    scalay_string_append(commands, "set %crange [%.10g:%.10g]\n", which, lower / factor,
                         (range.most + 0.06 * width) / factor);
}

static void add_axis(scalay_string *commands, char which, const scalay_plot_axis *axis, interval range, prefix unit)
{
    char label[128];
    (void)snprintf(label, sizeof label, axis->unit != NULL ? "%.90s (%s%.20s)" : "%.90s", axis->name, unit.letter,
                   axis->unit);
    scalay_string_append(commands, "set %clabel ", which);
    scalay_panel_quote(commands, label);
    scalay_string_append(commands, "\n");
    add_range(commands, which, axis, range, unit.factor);
}

/* The points of curve k are block k of the data: x, y and perhaps an error, in units of the axes. */
static void add_point(scalay_string *data, const scalay_plot_curve *curve, int64_t i, double x_unit, double y_unit)
{
    scalay_string_append(data, "%.10g %.10g", curve->x[i] / x_unit, curve->y[i] / y_unit);
    if (curve->error != NULL) scalay_string_append(data, " %.10g", curve->error[i] / y_unit);
    scalay_string_append(data, "\n");
}

static void add_bucket(scalay_string *data, const scalay_plot_curve *curve, int64_t first, int64_t end, double x_unit,
                       double y_unit)
{
    int64_t low = first;
    int64_t high = first;
    for (int64_t i = first; i < end; i++) {
        if (curve->y[i] < curve->y[low]) low = i;
        if (curve->y[i] > curve->y[high]) high = i;
    }
    const int64_t kept[4] = {first, scalay_min_int64(low, high), scalay_max_int64(low, high), end - 1};
    for (int k = 0; k < 4; k++)
        if (k == 0 || kept[k] > kept[k - 1]) add_point(data, curve, kept[k], x_unit, y_unit);
}

static void add_points(scalay_string *data, const scalay_plot_curve *curve, double x_unit, double y_unit)
{
    int64_t whole = curve->points <= MAX_POINTS ? curve->points : 0;
    for (int64_t i = 0; i < whole; i++) add_point(data, curve, i, x_unit, y_unit);
    for (int64_t k = 0; whole == 0 && curve->points > 0 && k < BUCKETS; k++)
        add_bucket(data, curve, curve->points / BUCKETS * k + curve->points % BUCKETS * k / BUCKETS,
                   curve->points / BUCKETS * (k + 1) + curve->points % BUCKETS * (k + 1) / BUCKETS, x_unit, y_unit);
    scalay_string_append(data, "\n\n");
}

static const char *drawing_of(const scalay_plot_curve *curve)
{
    static const char *const drawings[] = {
        [SCALAY_PLOT_LINE] = "1:2 with lines lw 1.5",
        [SCALAY_PLOT_STAIRS] = "1:2 with steps lw 1.2",
        [SCALAY_PLOT_DOTS] = "1:2 with points pt 7 ps 0.6",
        [SCALAY_PLOT_RINGS] = "1:2 with points pt 6 ps 1.5 lw 2",
        [SCALAY_PLOT_STARS] = "1:2 with points pt 3 ps 1.8 lw 2.5",
    };
    if (curve->style == SCALAY_PLOT_LINE && curve->error != NULL)
        return curve->points <= MAX_MARKS ? "1:2:3 with yerrorlines lw 1.5 pt 7 ps 0.5"
                                          : "1:2:3 with yerrorlines lw 1 ps 0";
    if (curve->style == SCALAY_PLOT_LINE && curve->points > 1 && curve->points <= MAX_MARKS)
        return "1:2 with linespoints lw 1.5 pt 7 ps 0.5";
    const int joined = curve->style == SCALAY_PLOT_LINE || curve->style == SCALAY_PLOT_STAIRS;
    return joined && curve->points == 1 ? drawings[SCALAY_PLOT_DOTS] : drawings[curve->style];
}

static void add_plots(scalay_string *commands, const scalay_plot_curve *curves, int count, int number)
{
    char name[NAME_SIZE];
    int colours = 0;
    int block = 0;
    for (int k = 0; k < count; k++)
        if (curves[k].colour >= colours) colours = curves[k].colour + 1;
    for (int k = 0; k < count; k++) {
        if (curves[k].points == 0) continue;
        scalay_string_append(commands, "%s$panel%d index %d using %s lc rgb '#%06x' ", block == 0 ? "plot " : ", ",
                             number, block, drawing_of(&curves[k]), scalay_panel_colour(curves[k].colour, colours));
        if (curves[k].name != NULL) {
            scalay_string_append(commands, "title ");
            scalay_panel_quote(commands, scalay_text_clean(curves[k].name, name, sizeof name));
        } else {
            scalay_string_append(commands, "notitle");
        }
        block++;
    }
    scalay_string_append(commands, "\n");
}

/* The legend is in the upper corner with fewer points. If both have points, the axis goes on above them. */
static const char *corner_for(const scalay_plot_curve *curves, int count, interval across, interval *range)
{
    const interval up = *range;
    int64_t points[2] = {0, 0}; /* left, right */
    double middle = 0.5 * (across.least + across.most);
    double high = 0.5 * (up.least + up.most);
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < curves[k].points; i++)
            if (curves[k].y[i] > high) points[curves[k].x[i] > middle]++;
    if (points[0] > 0 && points[1] > 0) range->most += fmin(0.3, 0.08 * count) * (up.most - fmin(up.least, 0.0));
    return points[0] <= points[1] ? "left Left reverse" : "right";
}

scalay_status scalay_plot_add_curves(scalay_plot *plot, const char *title, const scalay_plot_axis *x,
                                     const scalay_plot_axis *y, const scalay_plot_curve *curves, int count)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_panel *panel = NULL;
    if (x == NULL || y == NULL || x->name == NULL || y->name == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "an axis is NULL or has no name; pass two axes with names");
    SCALAY_TRY(check_curves(curves, count));
    SCALAY_TRY(scalay_panel_begin(plot, __func__, title, &locale, &panel));
    interval across = range_of(curves, count, 1);
    interval up = range_of(curves, count, 0);
    prefix x_unit = prefix_for(x->unit != NULL ? fmax(fabs(across.least), fabs(across.most)) : 0.0);
    prefix y_unit = prefix_for(y->unit != NULL ? fmax(fabs(up.least), fabs(up.most)) : 0.0);
    for (int k = 0; k < count; k++)
        if (curves[k].points > 0) add_points(&panel->data, &curves[k], x_unit.factor, y_unit.factor);
    const char *corner = corner_for(curves, count, across, &up);
    add_axis(&panel->commands, 'x', x, across, x_unit);
    add_axis(&panel->commands, 'y', y, up, y_unit);
    scalay_string_append(&panel->commands,
                         "set grid lw 0.5 lc rgb '#dddddd'\nset border 3 lw 0.5\n"
                         "set key inside top %s samplen 2 spacing 0.9 font ',9'\n",
                         corner);
    add_plots(&panel->commands, curves, count, scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    return status;
}
