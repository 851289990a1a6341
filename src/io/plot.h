#ifndef SCALAY_IO_PLOT_H
#define SCALAY_IO_PLOT_H

/**
 * @file
 * Pictures: panels in rows, drawn by gnuplot.
 *
 * Create a plot, add panels, and save it under a name that ends in .svg, .png or .pdf. A .pdf has print size: two
 * panels are 7 inches wide. The gnuplot script with the data is kept beside the picture as FILE.gp. The size of a
 * picture does not grow with the matrix. No function is collective: one rank draws.
 */

#include "base/status.h"
#include "scalay/layout.h"
#include "scalay/schedule.h"

/** Maximum number of rows and columns that are sampled for a panel. */
#define SCALAY_PLOT_CELLS 256

/** A picture. */
typedef struct scalay_plot scalay_plot;

/** A bar of a chart of times. */
typedef struct {
    const char *name;         /* label below the bar */
    double move_seconds;      /* lower segment */
    double kernel_seconds;    /* upper segment; 0: none */
    double predicted_seconds; /* marker on the bar; negative: none */
    int chosen;               /* nonzero: highlighted */
} scalay_plot_bar;

/** Style of a curve. */
typedef enum {
    SCALAY_PLOT_LINE,   /* points joined by lines; markers if there are few */
    SCALAY_PLOT_STAIRS, /* constant up to the next point */
    SCALAY_PLOT_DOTS,   /* small markers */
    SCALAY_PLOT_RINGS,  /* large hollow markers */
    SCALAY_PLOT_STARS   /* large stars */
} scalay_plot_style;

/** A curve of a panel of curves. */
typedef struct {
    const char *name; /* in the legend; NULL: not listed */
    scalay_plot_style style;
    int colour; /* number of the colour, from 0 */
    int64_t points;
    const double *x;     /* shape [points], finite, ascending for a line */
    const double *y;     /* shape [points], finite */
    const double *error; /* shape [points], half-widths of error bars of a line, finite; NULL: none */
} scalay_plot_curve;

/** Axis of a panel of curves. */
typedef struct {
    const char *name; /* such as "time" */
    const char *unit; /* such as "s", to which a metric prefix is added; NULL: a plain number */
    int from_zero;    /* 1: starts at 0; 0: at the minimum */
} scalay_plot_axis;

/**
 * Creates a picture.
 * @param[in]  title  above all panels; NULL: none
 * @param[out] plot   release with scalay_plot_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_create(const char *title, scalay_plot **plot);

/**
 * Adds an owner map: rectangles in the colours of their processes, row 0 at the top. If there are too many rectangles,
 * only the first rows and columns are drawn, and the axes say so.
 * @param[in,out] plot    the picture
 * @param[in]     title   above the panel; NULL: none
 * @param[in]     layout  any layout
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_layout(scalay_plot *plot, const char *title, const scalay_layout *layout);

/**
 * Adds an owner map as scalay_plot_add_layout(), with labels in the legend.
 * @param[in,out] plot    the picture
 * @param[in]     title   above the panel; NULL: none
 * @param[in]     layout  any layout
 * @param[in]     labels  shape [processes]; NULL: numbers
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_parts(scalay_plot *plot, const char *title, const scalay_layout *layout,
                                    const char *const *labels);

/**
 * Adds a traffic matrix as a heat map: a row per process, a column per part.
 * @param[in,out] plot     the picture
 * @param[in]     title    above the panel; NULL: none
 * @param[in]     traffic  traffic matrix
 * @param[in]     process  shape [parts]: the process that receives each part, framed in the map; NULL: no frames
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_traffic(scalay_plot *plot, const char *title, const scalay_traffic *traffic,
                                      const int *process);

/**
 * Adds a Gantt chart of a schedule. Each process has a row: it sends in the upper half and receives in the lower half.
 * Bars have the colour of the other process. Only the first processes and messages are drawn if there are many. The
 * title says so.
 * @param[in,out] plot       the picture
 * @param[in]     title      above the panel; NULL: none
 * @param[in]     schedule   schedule of messages
 * @param[in]     processes  number of processes, at least 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_schedule(scalay_plot *plot, const char *title, const scalay_schedule *schedule,
                                       int processes);

/**
 * Adds a bar chart of times: the kernel above the move.
 * @param[in,out] plot   the picture
 * @param[in]     title  above the panel; NULL: none
 * @param[in]     bars   shape [count]; times are finite and at least 0
 * @param[in]     count  at least 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_times(scalay_plot *plot, const char *title, const scalay_plot_bar *bars, int count);

/**
 * Adds curves over common axes. A curve with many points is thinned: its extrema are kept.
 * @param[in,out] plot    the picture
 * @param[in]     title   above the panel; NULL: none
 * @param[in]     x, y    the axes
 * @param[in]     curves  shape [count]; later ones are drawn above earlier ones
 * @param[in]     count   at least 1, with at least one point among them
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_curves(scalay_plot *plot, const char *title, const scalay_plot_axis *x,
                                     const scalay_plot_axis *y, const scalay_plot_curve *curves, int count);

/** Returns SCALAY_SUCCESS if a name ends in .svg, .png or .pdf in any case; otherwise SCALAY_ERROR_ARGUMENT. */
scalay_status scalay_plot_check_path(const char *path);

/**
 * Draws the panels. If gnuplot fails, the script is kept and there is no picture.
 * @param[in] plot  a picture with at least one panel
 * @param[in] path  ends in .svg, .png or .pdf; the script has the same name with .gp appended
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (the ending, or no panel), SCALAY_ERROR_FILE (a file cannot be
 *         written, gnuplot is missing or has failed), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_save(const scalay_plot *plot, const char *path);

/** Releases a picture and sets it to NULL. NULL is allowed. */
void scalay_plot_destroy(scalay_plot **plot);

#endif
