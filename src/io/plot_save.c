#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "io/gnuplot.h"
#include "io/panel.h"

enum {
    PANELS_ACROSS = 3,
    PANEL_WIDTH = 560,
    PANEL_HEIGHT = 370,
    PANEL_EDGES = 130,
    CHARACTER_WIDTH = 8,
    TITLE_HEIGHT = 40,
    DOTS_PER_INCH = 96
};

/* What an ending stands for. Sizes are dots, for pdf inches. */
static const struct {
    const char *ending;
    const char *terminal;
    int inches;
} pictures[] = {{".svg", "svg noenhanced background '#ffffff' font 'sans,12'", 0},
                {".png", "pngcairo noenhanced background '#ffffff' font 'sans,11'", 0},
                {".pdf", "pdfcairo noenhanced background '#ffffff' font 'sans,11'", 1}};

enum { PICTURES = (int)(sizeof pictures / sizeof pictures[0]) };

/* The row of a path's ending, -1 when there is none. */
static int find_picture(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (int k = 0; ending != NULL && k < PICTURES; k++) {
        const char *wanted = pictures[k].ending, *at = ending;
        while (*at != '\0' && *wanted != '\0' && (*at | 0x20) == (*wanted | 0x20)) at++, wanted++;
        if (*at == '\0' && *wanted == '\0') return k;
    }
    return -1;
}

scalay_status scalay_plot_check_path(const char *path)
{
    if (path == NULL || find_picture(path) < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the name '%.200s' of the picture does not end in .svg, .png or .pdf",
                           path != NULL ? path : "NULL");
    for (const char *at = path; *at != '\0'; at++)
        if ((unsigned char)*at < ' ')
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                               "the name of the picture has the control character %d in it; name it otherwise", *at);
    return SCALAY_SUCCESS;
}

/* Gnuplot takes '|' at the start of a name for a command, '~' for a home and '-' for an option: none of them here. */
static const char *plain_prefix(const char *path)
{
    return path[0] == '/' ? "" : "./";
}

/* Panels stand in rows; a row is as high as its highest panel needs. Lengths in dots, from the top left corner. */
typedef struct {
    int64_t across, rows;
    double width, height;
} arrangement;

static double row_height(const scalay_plot *plot, const arrangement *whole, int64_t row)
{
    double aspect = 0.0;
    for (int64_t k = row * whole->across; k < plot->count && k < (row + 1) * whole->across; k++)
        aspect = fmax(aspect, plot->panels[k].aspect);
    return PANEL_EDGES + aspect * PANEL_HEIGHT;
}

static int64_t longest_legend(const scalay_plot *plot)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < plot->count; k++) longest = scalay_max_int64(longest, plot->panels[k].legend);
    return longest;
}

static arrangement arrange(const scalay_plot *plot)
{
    arrangement whole;
    whole.rows = scalay_ceil_div(plot->count, PANELS_ACROSS);
    whole.across = scalay_ceil_div(plot->count, whole.rows);
    whole.width = (double)(whole.across * (PANEL_WIDTH + longest_legend(plot) * CHARACTER_WIDTH));
    whole.height = plot->title != NULL ? TITLE_HEIGHT : 0.0;
    for (int64_t row = 0; row < whole.rows; row++) whole.height += row_height(plot, &whole, row);
    return whole;
}

/* `picture` is the name of the picture, told to gnuplot in full. */
static void add_head(scalay_string *script, const scalay_plot *plot, const char *picture, const arrangement *whole)
{
    int kind = find_picture(picture);
    double scale = pictures[kind].inches ? DOTS_PER_INCH : 1.0;
    scalay_string_append(script, "# Drawn by: gnuplot -d FILE.gp\nset terminal %s size %g,%g\nset output ",
                         pictures[kind].terminal, ceil(whole->width) / scale, ceil(whole->height) / scale);
    scalay_script_quote(script, picture);
    scalay_string_append(script, "\n");
    for (int64_t k = 0; k < plot->count; k++) scalay_string_append(script, "%s", plot->panels[k].data.text);
    scalay_string_append(script, "set multiplot");
    if (plot->title != NULL) {
        scalay_string_append(script, " title ");
        scalay_script_quote(script, plot->title);
        scalay_string_append(script, " font ',14'");
    }
    scalay_string_append(script, "\n");
}

/* Gnuplot counts from the bottom left corner, in parts of the picture. */
static void add_panels(scalay_string *script, const scalay_plot *plot, const arrangement *whole)
{
    double bottom = whole->height - (plot->title != NULL ? TITLE_HEIGHT : 0.0);
    for (int64_t row = 0; row < whole->rows; row++) {
        double height = row_height(plot, whole, row);
        bottom -= height;
        for (int64_t k = row * whole->across; k < plot->count && k < (row + 1) * whole->across; k++) {
            scalay_string_append(script, "\nreset\nset origin %.6f,%.6f\nset size %.6f,%.6f\n",
                                 (double)(k % whole->across) / (double)whole->across, bottom / whole->height,
                                 1.0 / (double)whole->across, height / whole->height);
            scalay_string_append(script, "%s", plot->panels[k].commands.text);
        }
    }
}

static scalay_status build_script(const scalay_plot *plot, const char *picture, scalay_string *script)
{
    scalay_locale locale = {0};
    scalay_status status = SCALAY_SUCCESS;
    arrangement whole = arrange(plot);
    SCALAY_TRY(scalay_locale_enter(&locale));
    add_head(script, plot, picture, &whole);
    add_panels(script, plot, &whole);
    scalay_string_append(script, "unset multiplot\nunset output\n");
    status = script->status;
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

static scalay_status write_text(const char *path, const scalay_string *script)
{
    FILE *file = fopen(path, "w");
    int failed = file == NULL;
    if (!failed) failed = fwrite(script->text, 1, (size_t)script->length, file) != (size_t)script->length;
    int reason = errno;
    if (file != NULL && fclose(file) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot write '%.200s': %s; check that its folder exists and has room", path,
                       strerror(reason));
}

scalay_status scalay_plot_save(const scalay_plot *plot, const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string script = {0}, picture = {0}, name = {0};
    if (plot == NULL || plot->count == 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "plot %s; add a panel first",
                           plot == NULL ? "is NULL" : "has no panel");
    SCALAY_TRY(scalay_plot_check_path(path));
    scalay_string_append(&picture, "%s%s", plain_prefix(path), path);
    SCALAY_TRY(picture.status);
    scalay_string_append(&name, "%s.gp", picture.text);
    SCALAY_TRY(name.status);
    SCALAY_TRY(build_script(plot, picture.text, &script));
    SCALAY_TRY(write_text(name.text, &script));
    status = scalay_gnuplot_run(name.text, picture.text);
cleanup:
    scalay_string_free(&script);
    scalay_string_free(&picture);
    scalay_string_free(&name);
    return status;
}
