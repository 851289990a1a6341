#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "io/panel.h"

enum { CRISP = 64, SPARSE = 10 };

/* Gnuplot draws no image of a single row or column: the samples of one are shown twice. */
static int samples_of(int64_t extent)
{
    return (int)scalay_max_int64(2, scalay_min_int64(extent, SCALAY_PLOT_CELLS));
}

/* The middle of the k-th of so many equal pieces of an extent. */
static int64_t sample_at(int64_t extent, int k, int samples)
{
    return extent < samples ? (int64_t)k * extent / samples
                            : (int64_t)(((double)k + 0.5) * ((double)extent / (double)samples));
}

static void add_owners(scalay_string *data, const scalay_layout *layout)
{
    int64_t m = scalay_layout_rows(layout), n = scalay_layout_cols(layout);
    int rows = samples_of(m), cols = samples_of(n), processes = scalay_layout_processes(layout);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            int owner = scalay_layout_owner(layout, sample_at(m, i, rows), sample_at(n, j, cols));
            scalay_string_append(data, "%d ", scalay_panel_shade(owner, processes));
        }
        scalay_string_append(data, "\n");
    }
}

static int64_t longest_label(int processes, const char *const *labels)
{
    int64_t longest = 0;
    for (int p = 0; p < processes && labels != NULL; p++)
        longest = scalay_max_int64(longest, (int64_t)strlen(labels[p]));
    return longest;
}

static double aspect_of(int64_t m, int64_t n)
{
    double aspect = (double)m / (double)n;
    return aspect < 0.25 ? 0.25 : aspect > 2.0 ? 2.0 : aspect;
}

static void add_map(scalay_string *commands, const scalay_layout *layout, int number)
{
    int64_t m = scalay_layout_rows(layout), n = scalay_layout_cols(layout);
    int rows = samples_of(m), cols = samples_of(n);
    double dy = (double)m / rows, dx = (double)n / cols;
    int crisp = rows <= CRISP && cols <= CRISP;
    scalay_string_append(commands, "set size ratio %.6g\n", aspect_of(m, n));
    scalay_string_append(commands, "set xrange [0:%lld]\nset yrange [%lld:0]\n", (long long)n, (long long)m);
    scalay_string_append(commands, "%s%sset xlabel 'column'\nset ylabel 'row'\nunset key\n",
                         n <= SPARSE ? "set xtics 1\n" : "", m <= SPARSE ? "set ytics 1\n" : "");
    scalay_string_append(commands, "plot $panel%d using (($1+0.5)*%.17g):(($2+0.5)*%.17g):3 matrix with image%s\n",
                         number, dx, dy, crisp ? " pixels" : "");
}

static void add_nothing(scalay_string *data, scalay_string *commands, int number)
{
    scalay_string_append(data, "0 0\n");
    scalay_string_append(commands,
                         "set label 'no elements' at graph 0.5,0.5 center\nunset tics\nunset key\n"
                         "set xrange [-1:1]\nset yrange [-1:1]\nplot $panel%d using 1:2 with dots lc rgb '#ffffff'\n",
                         number);
}

scalay_status scalay_plot_add_layout(scalay_plot *plot, const char *title, const scalay_layout *layout)
{
    return scalay_plot_add_parts(plot, title, layout, NULL);
}

scalay_status scalay_plot_add_parts(scalay_plot *plot, const char *title, const scalay_layout *layout,
                                    const char *const *labels)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_panel *panel = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass a layout");
    SCALAY_TRY(scalay_panel_begin(plot, __func__, title, &locale, &panel));
    int number = scalay_panel_number(plot);
    if (scalay_layout_rows(layout) == 0 || scalay_layout_cols(layout) == 0) {
        add_nothing(&panel->data, &panel->commands, number);
    } else {
        add_owners(&panel->data, layout);
        scalay_panel_add_processes(&panel->commands, scalay_layout_processes(layout), labels);
        panel->legend = longest_label(scalay_layout_processes(layout), labels);
        if (labels != NULL) scalay_string_append(&panel->commands, "set rmargin %lld\n", (long long)panel->legend + 5);
        add_map(&panel->commands, layout, number);
        panel->aspect = fmin(1.0, aspect_of(scalay_layout_rows(layout), scalay_layout_cols(layout)));
    }
    status = scalay_panel_end(plot, &locale);
cleanup:
    return status;
}
