#include <math.h>
#include <string.h>

#include "io/panel.h"

enum { LETTERS = 48 }; /* that fit side by side below a panel */

/* The unit in which the longest bar has one to three digits before the point. */
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
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "bars is %s and count %d; pass at least one bar",
                           bars == NULL ? "NULL" : "given", count);
    for (int k = 0; k < count; k++) {
        int fine = bars[k].name != NULL && is_time(bars[k].move_seconds) && is_time(bars[k].kernel_seconds) &&
                   !isnan(bars[k].predicted_seconds) && !isinf(bars[k].predicted_seconds);
        if (!fine)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                               "bars[%d] has no name, or a time that is negative or not finite (move %g, kernel %g, "
                               "predicted %g); pass measured times",
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

/* Columns: place, move, all, prediction. */
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
        scalay_script_quote(commands, bars[k].name);
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
        scalay_string_append(commands, "$panel%d using 1:3 with boxes lc rgb '#4477aa' title 'kernel', ", number);
    scalay_string_append(commands, "$panel%d using 1:2 with boxes lc rgb '#ee8866' title 'move', ", number);
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
