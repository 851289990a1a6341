#ifndef SCALAY_IO_PANEL_H
#define SCALAY_IO_PANEL_H

/** @file Panels of a picture: how they are added and coloured. Used by plot.c, plot_maps.c and plot_charts.c. */

#include "base/number.h"
#include "io/plot.h"

/** Maximum number of colours of a palette. */
#define SCALAY_PANEL_SHADES 256

/** A panel. Its data come before all commands of the script, as a named block. */
typedef struct {
    scalay_string data;
    scalay_string commands;
    double aspect;  /* height / width of the drawing, at most 1 */
    int64_t legend; /* characters at the right, in addition to numbers */
} scalay_panel;

struct scalay_plot {
    char *title; /* NULL: none */
    scalay_panel *panels;
    int64_t count;
    int64_t capacity;
};

/**
 * Begins a panel: opens its data block, sets its title, and enters the C locale. On failure there is no panel.
 * @param[in] function  public function, for messages
 */
scalay_status scalay_panel_begin(scalay_plot *plot, const char *function, const char *title, scalay_locale *locale,
                                 scalay_panel **panel);

/** Ends a panel. Removes a panel that is incomplete. */
scalay_status scalay_panel_end(scalay_plot *plot, scalay_locale *locale);

/** Adds a text as a gnuplot string in single quotes. Control characters become blanks, and bytes that are not UTF-8
 *  question marks. */
void scalay_panel_quote(scalay_string *script, const char *text);

/** Returns the number of the current panel. Its data block is $panel1, $panel2, ... */
int scalay_panel_number(const scalay_plot *plot);

/** Returns the colour of process k of `count` as 0xRRGGBB. */
unsigned scalay_panel_colour(int k, int count);

/** Returns black or white, whichever can be read on a colour. */
unsigned scalay_panel_text_colour(unsigned colour);

/** Returns the colour index of a process: its number, if there are at most SCALAY_PANEL_SHADES processes. */
int scalay_panel_shade(int process, int processes);

/**
 * Adds a palette of processes and its legend.
 * @param[in] labels  shape [processes]; NULL: as many numbers as can be read
 */
void scalay_panel_add_processes(scalay_string *commands, int processes, const char *const *labels);

/** Returns the format of tics up to a number. */
const char *scalay_panel_format(double most);

/** Prints a count in few characters, such as "12.3k". */
void scalay_panel_short(double value, char *text, size_t size);

#endif
