#include <math.h>
#include <stdio.h>

#include "base/integer.h"
#include "base/text.h"
#include "io/panel.h"

/* Lines of more points are thinned: of each bucket the first, least, largest and last point stay. */
enum { MOST_POINTS = 2048, BUCKETS = MOST_POINTS / 4, NAME_SIZE = 32 };

/* What a range of values is divided by, and the letter before the unit. */
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
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_plot_add_curves",
                           "curves[%d] has %lld points, colour %d and x and y that are %s; pass both", k,
                           (long long)curve->points, curve->colour, curve->x && curve->y ? "given" : "not");
    for (int64_t i = 0; i < curve->points; i++)
        if (!isfinite(curve->x[i]) || !isfinite(curve->y[i]))
            return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_plot_add_curves",
                               "point %lld of curves[%d] is (%g, %g); pass finite numbers", (long long)i, k,
                               curve->x[i], curve->y[i]);
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
            double value = of_x ? curves[k].x[i] : curves[k].y[i];
            range.least = fmin(range.least, value);
            range.most = fmax(range.most, value);
        }
    return range;
}

/* Room around the points, so that marks at the edge are whole. */
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
    scalay_script_quote(commands, label);
    scalay_string_append(commands, "\n");
    add_range(commands, which, axis, range, unit.factor);
}

/* The points of curve k are block k of the data: (x, y) in units of the axes. */
static void add_point(scalay_string *data, const scalay_plot_curve *curve, int64_t i, double x_unit, double y_unit)
{
    scalay_string_append(data, "%.10g %.10g\n", curve->x[i] / x_unit, curve->y[i] / y_unit);
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
    int64_t whole = curve->points <= MOST_POINTS ? curve->points : 0;
    for (int64_t i = 0; i < whole; i++) add_point(data, curve, i, x_unit, y_unit);
    for (int64_t k = 0; whole == 0 && curve->points > 0 && k < BUCKETS; k++)
        add_bucket(data, curve, curve->points / BUCKETS * k + curve->points % BUCKETS * k / BUCKETS,
                   curve->points / BUCKETS * (k + 1) + curve->points % BUCKETS * (k + 1) / BUCKETS, x_unit, y_unit);
    scalay_string_append(data, "\n\n");
}

static const char *drawing_of(const scalay_plot_curve *curve)
{
    static const char *const drawings[] = {
        [SCALAY_PLOT_LINE] = "with lines lw 1.5",
        [SCALAY_PLOT_STAIRS] = "with steps lw 1.2",
        [SCALAY_PLOT_DOTS] = "with points pt 7 ps 0.6",
        [SCALAY_PLOT_RINGS] = "with points pt 6 ps 1.5 lw 2",
        [SCALAY_PLOT_STARS] = "with points pt 3 ps 1.8 lw 2.5",
    };
    int joined = curve->style == SCALAY_PLOT_LINE || curve->style == SCALAY_PLOT_STAIRS;
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
        scalay_string_append(commands, "%s$panel%d index %d using 1:2 %s lc rgb '#%06x' ", block == 0 ? "plot " : ", ",
                             number, block, drawing_of(&curves[k]), scalay_panel_colour(curves[k].colour, colours));
        if (curves[k].name != NULL) {
            scalay_string_append(commands, "title ");
            scalay_script_quote(commands, scalay_text_clean(curves[k].name, name, sizeof name));
        } else {
            scalay_string_append(commands, "notitle");
        }
        block++;
    }
    scalay_string_append(commands, "\n");
}

/* The legend stands in that of the upper corners where fewer points are. */
static const char *corner_for(const scalay_plot_curve *curves, int count, interval across, interval up)
{
    int64_t points[2] = {0, 0}; /* left, right */
    double middle = 0.5 * (across.least + across.most);
    double high = 0.5 * (up.least + up.most);
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < curves[k].points; i++)
            if (curves[k].y[i] > high) points[curves[k].x[i] > middle]++;
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
    add_axis(&panel->commands, 'x', x, across, x_unit);
    add_axis(&panel->commands, 'y', y, up, y_unit);
    scalay_string_append(&panel->commands,
                         "set grid lw 0.5 lc rgb '#dddddd'\nset border 3 lw 0.5\n"
                         "set key inside top %s samplen 2 spacing 0.9 font ',9'\n",
                         corner_for(curves, count, across, up));
    add_plots(&panel->commands, curves, count, scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    return status;
}
