#ifndef SCALAY_IO_PLOT_H
#define SCALAY_IO_PLOT_H

/**
 * @file
 * Pictures: panels side by side, drawn by gnuplot.
 *
 * Make a plot, add panels, save it under a name that ends in .svg, .png or .pdf. The gnuplot script, data included,
 * stays beside the picture as FILE.gp. Whatever the size of a matrix, a panel has at most SCALAY_PLOT_CELLS cells in
 * a direction: larger ones are sampled. Nothing here is collective: one rank draws.
 */

#include "base/status.h"
#include "scalay/layout.h"
#include "scalay/schedule.h"

/** A panel has at most so many cells in a direction. */
#define SCALAY_PLOT_CELLS 256

/** A picture in the making. */
typedef struct scalay_plot scalay_plot;

/** A bar of a chart of times. */
typedef struct {
    const char *name;         /* below the bar */
    double move_seconds;      /* the lower piece */
    double kernel_seconds;    /* the upper piece; 0 when there is none */
    double predicted_seconds; /* marked on the bar; negative: no prediction */
    int chosen;               /* non-zero: its name is marked */
} scalay_plot_bar;

/** How a curve is drawn. */
typedef enum {
    SCALAY_PLOT_LINE,   /* its points are joined */
    SCALAY_PLOT_STAIRS, /* level up to the next point */
    SCALAY_PLOT_DOTS,   /* small marks, not joined */
    SCALAY_PLOT_RINGS,  /* large marks around what lies below */
    SCALAY_PLOT_STARS   /* large marks that stand out */
} scalay_plot_style;

/** A curve of a panel of curves. */
typedef struct {
    const char *name; /* in the legend; NULL: not there */
    scalay_plot_style style;
    int colour; /* curves of one number have one colour; numbers from 0 on */
    int64_t points;
    const double *x; /* shape [points], finite, ascending for a line; not needed after the call */
    const double *y; /* shape [points], finite */
} scalay_plot_curve;

/** An axis of a panel of curves, which starts at 0 or at the least value. */
typedef struct {
    const char *name; /* such as "time" */
    const char *unit; /* such as "s", to be drawn in thousands or thousandths of it; NULL: a plain number */
    int from_zero;
} scalay_plot_axis;

/**
 * Begins a picture.
 * @param[in]  title  above all panels; NULL: none
 * @param[out] plot   to be released with scalay_plot_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_create(const char *title, scalay_plot **plot);

/**
 * Adds a map of owners: a colour per process with a legend, row 0 on top.
 * @param[in,out] plot    the picture
 * @param[in]     title   above the panel; NULL: none
 * @param[in]     layout  any layout; not needed after the call
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_layout(scalay_plot *plot, const char *title, const scalay_layout *layout);

/**
 * Adds a map of owners as scalay_plot_add_layout() does, with a text of its own beside each colour.
 * @param[in,out] plot    the picture
 * @param[in]     title   above the panel; NULL: none
 * @param[in]     layout  any layout; not needed after the call
 * @param[in]     labels  shape [processes]: what stands beside the colour of each; NULL: their numbers, or some of them
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_parts(scalay_plot *plot, const char *title, const scalay_layout *layout,
                                    const char *const *labels);

/**
 * Adds a traffic matrix as a heat map: a row per process, a column per part.
 * @param[in,out] plot     the picture
 * @param[in]     title    above the panel; NULL: none
 * @param[in]     traffic  not needed after the call
 * @param[in]     process  shape [parts]: the process that takes each part, marked in the map; NULL: no marks
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_traffic(scalay_plot *plot, const char *title, const scalay_traffic *traffic,
                                      const int *process);

/**
 * Adds a Gantt chart of a schedule: a row per process, which sends in the upper half of it and receives in the lower
 * one, to and from those whose colours the bars have. Of many processes the first are drawn, of many messages those
 * that begin first; the title says so.
 * @param[in,out] plot       the picture
 * @param[in]     title      above the panel; NULL: none
 * @param[in]     schedule   not needed after the call
 * @param[in]     processes  at least 1, and more than any that sends or receives
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_schedule(scalay_plot *plot, const char *title, const scalay_schedule *schedule,
                                       int processes);

/**
 * Adds a bar chart of times: the move, and the kernel on top of it.
 * @param[in,out] plot   the picture
 * @param[in]     title  above the panel; NULL: none
 * @param[in]     bars   shape [count]; times are finite and at least 0; not needed after the call
 * @param[in]     count  at least 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_times(scalay_plot *plot, const char *title, const scalay_plot_bar *bars, int count);

/**
 * Adds curves over common axes. Of a line of very many points those that bound it are drawn.
 * @param[in,out] plot    the picture
 * @param[in]     title   above the panel; NULL: none
 * @param[in]     x, y    the axes
 * @param[in]     curves  shape [count]; later ones lie on top; not needed after the call
 * @param[in]     count   at least 1, with at least one point among them
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_add_curves(scalay_plot *plot, const char *title, const scalay_plot_axis *x,
                                     const scalay_plot_axis *y, const scalay_plot_curve *curves, int count);

/** SCALAY_SUCCESS when a name ends in a known ending (any case); SCALAY_ERROR_ARGUMENT otherwise, before any work. */
scalay_status scalay_plot_check_path(const char *path);

/**
 * Draws the panels. On failure of gnuplot the script is left, to be run by hand, and no picture.
 * @param[in] plot  a picture with at least one panel; may be saved under several names
 * @param[in] path  ends in .svg, .png or .pdf; the script goes to the same name with .gp appended
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (the ending, or no panel), SCALAY_ERROR_FILE (a file cannot be
 *         written, gnuplot is missing or has failed), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_plot_save(const scalay_plot *plot, const char *path);

/** Releases a picture and sets it to NULL; NULL is fine. */
void scalay_plot_destroy(scalay_plot **plot);

#endif
