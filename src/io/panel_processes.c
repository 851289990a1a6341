/* Which process has which colour. */
#include "base/integer.h"
#include "io/panel.h"

enum { COLOURS = 256, TICS = 16, LABELLED = 20 };

int scalay_panel_shade(int process, int processes)
{
    return processes <= COLOURS ? process : (int)((int64_t)process * COLOURS / processes);
}

/* The text of a tic, in which gnuplot takes a single % for the beginning of a format. */
static void add_tic(scalay_string *commands, const char *label)
{
    char text[128];
    size_t used = 0;
    for (; *label != '\0' && used + 3 < sizeof text; label++) {
        if (*label == '%') text[used++] = '%';
        text[used++] = *label;
    }
    text[used] = '\0';
    scalay_script_quote(commands, text);
}

/* What stands beside the colours: a text for each, or numbers as far as they can be read. */
static void add_legend(scalay_string *commands, int processes, const char *const *labels)
{
    int step = labels != NULL || processes <= LABELLED ? 1 : (int)scalay_ceil_div(processes, TICS);
    scalay_string_append(commands, "set cbtics scale 0 (");
    for (int p = 0; p < processes; p += step) {
        scalay_string_append(commands, p == 0 ? "" : ", ");
        if (labels != NULL)
            add_tic(commands, labels[p]);
        else
            scalay_string_append(commands, "'%d'", p);
        scalay_string_append(commands, " %d", scalay_panel_shade(p, processes));
    }
    scalay_string_append(commands, ")\nset label '%s' at graph 1.03, graph 1 offset 0,1 left\n",
                         labels != NULL ? "part" : "process");
}

static void add_palette(scalay_string *commands, int processes)
{
    int shades = (int)scalay_min_int64(processes, COLOURS);
    /* Two entries at least: gnuplot wants a range. */
    scalay_string_append(commands, "set palette maxcolors %d defined (", shades);
    for (int k = 0; k < shades || k < 2; k++)
        scalay_string_append(commands, "%s%d '#%06x'", k == 0 ? "" : ", ", k,
                             scalay_panel_colour(k < shades ? k : 0, shades));
    scalay_string_append(commands, ")\nset cbrange [-0.5:%d.5]\n", shades - 1);
}

void scalay_panel_add_processes(scalay_string *commands, int processes, const char *const *labels)
{
    add_palette(commands, processes);
    add_legend(commands, processes, labels);
}
