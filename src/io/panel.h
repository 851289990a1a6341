#ifndef SCALAY_IO_PANEL_H
#define SCALAY_IO_PANEL_H

/** @file What the panels of a picture share: how they are added, and how they are coloured. */

#include "base/number.h"
#include "io/plot.h"
#include "io/script.h"

/** A panel: its data come before all commands of the script, as a named block. */
typedef struct {
    scalay_string data;
    scalay_string commands;
    double aspect;  /* height to width of what is drawn: 1, or less for a wide map */
    int64_t legend; /* characters to the right of it, beyond numbers */
} scalay_panel;

struct scalay_plot {
    char *title; /* NULL: none */
    scalay_panel *panels;
    int64_t count;
    int64_t capacity;
};

/**
 * Starts a panel: numbers are written as in C from here on; its title and data block are opened. On failure there is
 * no panel, and nothing to finish.
 */
scalay_status scalay_panel_begin(scalay_plot *plot, const char *function, const char *title, scalay_locale *locale,
                                 scalay_panel **panel);

/** Ends a panel; one that could not be completed is taken out again. */
scalay_status scalay_panel_end(scalay_plot *plot, scalay_locale *locale);

/** The number of the panel at hand: its data block is $panel1, $panel2, ... */
int scalay_panel_number(const scalay_plot *plot);

/** The colour of process k of `count` as 0xRRGGBB: neighbours differ, up to twenty are easy to tell apart. */
unsigned scalay_panel_colour(int k, int count);

/** What stands for a process among the colours: itself, as long as there are enough of them. */
int scalay_panel_shade(int process, int processes);

/**
 * The colours of processes and what stands beside them, for what is drawn with a palette.
 * @param[in] labels  shape [processes]; NULL: their numbers, as far as they can be read
 */
void scalay_panel_add_processes(scalay_string *commands, int processes, const char *const *labels);

/** The format of tics up to a number. */
const char *scalay_panel_format(double most);

/** A count in few characters, such as "12.3k". */
void scalay_panel_short(double value, char *text, size_t size);

#endif
