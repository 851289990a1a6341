#include "io/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/panel.h"

enum { LONG_TITLE = 52 };

scalay_status scalay_plot_create(const char *title, scalay_plot **plot)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *made = NULL;
    if (plot == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "plot is NULL; pass the address of a scalay_plot *");
    *plot = NULL;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    if (title != NULL) SCALAY_TRY(scalay_text_copy(title, &made->title));
    *plot = made;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_plot_destroy(&made);
    return status;
}

static void free_panel(scalay_panel *panel)
{
    scalay_string_free(&panel->data);
    scalay_string_free(&panel->commands);
}

void scalay_plot_destroy(scalay_plot **plot)
{
    if (plot == NULL || *plot == NULL) return;
    for (int64_t k = 0; k < (*plot)->count; k++) free_panel(&(*plot)->panels[k]);
    scalay_release((*plot)->panels);
    scalay_release((*plot)->title);
    scalay_release(*plot);
    *plot = NULL;
}

scalay_status scalay_panel_begin(scalay_plot *plot, const char *function, const char *title, scalay_locale *locale,
                                 scalay_panel **panel)
{
    scalay_status status = SCALAY_SUCCESS;
    *panel = NULL;
    if (plot == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "plot is NULL; pass one from scalay_plot_create()");
    SCALAY_TRY(SCALAY_GROW(plot->panels, plot->capacity, plot->count + 1));
    SCALAY_TRY(scalay_locale_enter(locale));
    *panel = &plot->panels[plot->count++];
    **panel = (scalay_panel){.aspect = 1.0};
    scalay_string_append(&(*panel)->data, "$panel%d << EOD\n", scalay_panel_number(plot));
    scalay_string_append(&(*panel)->commands, "set encoding utf8\nset title ");
    scalay_script_quote(&(*panel)->commands, title != NULL ? title : "");
    /* A long title stays above its own panel. */
    int is_long = title != NULL && strlen(title) > LONG_TITLE;
    scalay_string_append(&(*panel)->commands, "%s offset 0,-0.3\nset tics out nomirror\nset border lw 0.5\n",
                         is_long ? " font ',9'" : "");
cleanup:
    return status;
}

scalay_status scalay_panel_end(scalay_plot *plot, scalay_locale *locale)
{
    scalay_panel *panel = &plot->panels[plot->count - 1];
    scalay_locale_leave(locale);
    scalay_string_append(&panel->data, "EOD\n");
    scalay_status status = panel->data.status != SCALAY_SUCCESS ? panel->data.status : panel->commands.status;
    if (status != SCALAY_SUCCESS) {
        free_panel(panel);
        plot->count--;
    }
    return status;
}

int scalay_panel_number(const scalay_plot *plot)
{
    return (int)plot->count;
}

/* A colour from hue, chroma and lightness, all from 0 to 1: each channel is a trapezoid over the hue. */
static unsigned mix(double hue, double chroma, double lightness)
{
    unsigned colour = 0;
    for (int channel = 0; channel < 3; channel++) {
        double distance = fabs(fmod(hue + 1.0 - channel / 3.0 + 0.5, 1.0) - 0.5) * 6.0;
        double level = fmin(1.0, fmax(0.0, 2.0 - distance)) - 0.5;
        double value = fmin(1.0, fmax(0.0, lightness + chroma * level));
        colour = colour * 256 + (unsigned)lround(255.0 * value);
    }
    return colour;
}

unsigned scalay_panel_colour(int k, int count)
{
    static const unsigned chosen[] = {0x4477aa, 0xee8866, 0x44aa77, 0xddaa33, 0xaa4488, 0x66bbdd, 0x994433,
                                      0x99bb44, 0x665599, 0xbbbbbb, 0x22406a, 0xf4c1a8, 0x1f5c3e, 0xf3de9a,
                                      0xe3a3cf, 0x1d6f8c, 0x5c2a1e, 0x556b1f, 0xb8addb, 0x555555};
    static const double lightness[] = {0.50, 0.66, 0.38, 0.76};
    const int known = (int)(sizeof chosen / sizeof chosen[0]);
    if (count <= known) return chosen[k];
    /* Steps of the golden ratio never come back to a hue. */
    return mix(fmod(0.58 + 0.6180339887498949 * k, 1.0), 0.45, lightness[k % 4]);
}

void scalay_panel_short(double value, char *text, size_t size)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    int unit = 0;
    while (value >= 999.5 && unit < 6) {
        value /= 1000.0;
        unit++;
    }
    (void)snprintf(text, size, unit == 0 || value >= 99.95 ? "%.0f%s" : "%.1f%s", value, units[unit]);
}

/* Tics such as 1.2M need a digit behind the point as long as the largest number has one digit before it. */
const char *scalay_panel_format(double most)
{
    if (most < 10000.0) return "%.0f";
    while (most >= 1000.0) most /= 1000.0;
    return most < 10.0 ? "%.1s%c" : "%.0s%c";
}
