/*
 * Pictures: plots, their panels, colours, and drawing with gnuplot.
 *
 * Each panel has a named block of data and commands. A picture is one script, which is kept beside it. Processes have
 * colours that readers with any colour vision can distinguish.
 */
#define _XOPEN_SOURCE 700
#include "io/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/panel.h"

/* ---------------------------------------------------------------------------------------------------- strings */

void scalay_panel_quote(scalay_string *script, const char *text)
{
    scalay_string_append(script, "'");
    while (*text != '\0') {
        int length = scalay_text_character(text);
        if (*text == '\'')
            scalay_string_append(script, "''");
        else if (length == 0 || (length == 1 && *text < ' '))
            scalay_string_append(script, "%c", length == 0 ? '?' : ' ');
        else
            scalay_string_append(script, "%.*s", length, text);
        text += length > 0 ? length : 1;
    }
    scalay_string_append(script, "'");
}

/* Returns the length of the first line of a text of more than `width` bytes: up to a blank, or to a whole character. */
static size_t line_length(const char *text, size_t width)
{
    size_t length = width;
    while (length > width / 2 && text[length] != ' ') length--;
    if (text[length] == ' ') return length;
    for (length = width; length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80; length--) continue;
    return length;
}

/* Adds a text in at most two lines of at most `width` bytes, as a gnuplot expression. Returns the number of lines. */
static int quote_lines(scalay_string *script, const char *text, size_t width)
{
    scalay_string line = {0};
    int lines = 1;
    if (strlen(text) > width) {
        const size_t length = line_length(text, width);
        scalay_string_append(&line, "%.*s", (int)length, text);
        scalay_panel_quote(script, line.status == SCALAY_SUCCESS ? line.text : "");
        scalay_string_append(script, ".\"\\n\".");
        scalay_string_free(&line);
        text += length + strspn(text + length, " ");
        lines = 2;
    }
    if (strlen(text) > width)
        scalay_string_append(&line, "%.*s...", (int)line_length(text, width - 3), text);
    else
        scalay_string_append(&line, "%s", text);
    if (line.status != SCALAY_SUCCESS) script->status = line.status;
    scalay_panel_quote(script, line.status == SCALAY_SUCCESS ? line.text : "");
    scalay_string_free(&line);
    return lines;
}

/* ----------------------------------------------------------------------------------------------------- panels */

enum { TITLE_WIDTH = 56, SMALL_TITLE_WIDTH = 66 };

scalay_status scalay_plot_create(const char *title, scalay_plot **plot)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *new_plot = NULL;
    SCALAY_TRY(scalay_check_not_null(plot, __func__, "plot"));
    *plot = NULL;
    SCALAY_TRY(SCALAY_NEW(new_plot, 1));
    if (title != NULL) SCALAY_TRY(scalay_text_copy(title, &new_plot->title));
    *plot = new_plot;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_plot_destroy(&new_plot);
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
    SCALAY_TRY(scalay_check_not_null(plot, function, "plot"));
    SCALAY_TRY(SCALAY_GROW(plot->panels, plot->capacity, plot->count + 1));
    SCALAY_TRY(scalay_locale_enter(locale));
    *panel = &plot->panels[plot->count++];
    **panel = (scalay_panel){.aspect = 1.0};
    scalay_string_append(&(*panel)->data, "$panel%d << EOD\n", scalay_panel_number(plot));
    scalay_string_append(&(*panel)->commands, "set encoding utf8\nset title ");
    /* A title is not wider than its panel. */
    const int is_long = title != NULL && strlen(title) > TITLE_WIDTH;
    (void)quote_lines(&(*panel)->commands, title != NULL ? title : "", is_long ? SMALL_TITLE_WIDTH : TITLE_WIDTH);
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

/* Returns a colour from hue, chroma and lightness, all in [0, 1]. Each channel is a trapezoid over the hue. */
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

/*
 * The first eight colours can be distinguished by readers with any colour vision (Okabe, Ito, Color Universal Design,
 * 2008; black is replaced by grey). The next ones are darker and lighter variants.
 */
unsigned scalay_panel_colour(int k, int count)
{
    static const unsigned known[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442,
                                     0x8c8c8c, 0x003f63, 0x8a5f00, 0x005c43, 0x7d3f63, 0xb5def5, 0x7f3800,
                                     0xa89e1f, 0xd9d9d9, 0x444444, 0xf7cf80, 0x80cfb9, 0xeab8d3};
    static const double lightness[] = {0.50, 0.66, 0.38, 0.76};
    const int count_known = (int)(sizeof known / sizeof known[0]);
    if (count <= count_known) return known[k];
    /* Steps of the golden ratio never return to a hue. */
    return mix(fmod(0.58 + 0.6180339887498949 * k, 1.0), 0.45, lightness[k % 4]);
}

unsigned scalay_panel_text_colour(unsigned colour)
{
    const double luminance =
        0.299 * (double)(colour >> 16) + 0.587 * (double)(colour >> 8 & 255) + 0.114 * (double)(colour & 255);
    return luminance > 128.0 ? 0x000000 : 0xffffff;
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

/* Tics such as 1.2M need a digit after the point if the largest number has one digit before it. */
const char *scalay_panel_format(double most)
{
    if (most < 10000.0) return "%.0f";
    while (most >= 1000.0) most /= 1000.0;
    return most < 10.0 ? "%.1s%c" : "%.0s%c";
}

/* -------------------------------------------------------------------------------------------------- processes */

enum { TICS = 16, LABELLED = 20 };

int scalay_panel_shade(int process, int processes)
{
    return processes <= SCALAY_PANEL_SHADES ? process : (int)((int64_t)process * SCALAY_PANEL_SHADES / processes);
}

/* Adds the text of a tic. For gnuplot, a single % begins a format. */
static void add_tic(scalay_string *commands, const char *label)
{
    char text[128];
    size_t used = 0;
    for (; *label != '\0' && used + 3 < sizeof text; label++) {
        if (*label == '%') text[used++] = '%';
        text[used++] = *label;
    }
    text[used] = '\0';
    scalay_panel_quote(commands, text);
}

/* Labels the colours with texts, or with as many numbers as can be read. */
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
    scalay_string_append(commands, ")\n");
    /* Gnuplot places the label of the colours without regard to tics that are texts. */
    if (labels == NULL)
        scalay_string_append(commands, "set cblabel 'process' offset %d,0\n",
                             1 + (processes > 10) + (processes > 100) + (processes > 1000));
}

static void add_palette(scalay_string *commands, int processes)
{
    int shades = (int)scalay_min_int64(processes, SCALAY_PANEL_SHADES);
    /* Gnuplot needs a range: at least two entries. */
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

/* ---------------------------------------------------------------------------------------------------- gnuplot */

enum { WORDS = 200, ENDING = 64 };

/* Reads everything, so that the writer never waits. Keeps the beginning, as one line. */
static void listen_to(int end, char words[WORDS])
{
    char bytes[256];
    size_t kept = 0;
    for (;;) {
        ssize_t got = read(end, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (ssize_t k = 0; k < got && kept + 1 < WORDS; k++)
            if (bytes[k] > ' ' || (kept > 0 && words[kept - 1] != ' ')) words[kept++] = bytes[k] > ' ' ? bytes[k] : ' ';
    }
    words[kept] = '\0';
}

/* The last bytes of a picture. */
typedef struct {
    char bytes[ENDING];
    size_t count;
} ending;

static ending end_of(const char *picture)
{
    ending end = {{0}, 0};
    FILE *file = fopen(picture, "rb");
    if (file == NULL) return end;
    if (fseek(file, -(long)sizeof end.bytes, SEEK_END) != 0) rewind(file);
    end.count = fread(end.bytes, 1, sizeof end.bytes, file);
    (void)fclose(file);
    return end;
}

/* Returns 1 if a picture ends as .svg, .png or .pdf do. On a full disk, gnuplot leaves an incomplete picture and
   reports no error. */
static int is_whole(const ending *end)
{
    static const char *const marks[] = {"</svg>", "IEND", "%%EOF"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        for (size_t at = 0; at + strlen(marks[k]) <= end->count; at++)
            if (memcmp(end->bytes + at, marks[k], strlen(marks[k])) == 0) return 1;
    return 0;
}

/* Runs gnuplot on a script, without a shell and without the settings of the user. */
static scalay_status run_gnuplot(const char *script, const char *picture)
{
    scalay_child child;
    char words[WORDS] = "", how[SCALAY_CHILD_REASON_SIZE];
    (void)unlink(picture);
    const int failed = scalay_child_start("gnuplot", "-d", script, SCALAY_CHILD_ERRORS, &child);
    if (failed)
        return SCALAY_FAIL(SCALAY_ERROR_FILE,
                           "gnuplot cannot be run: %s; install it (apt install gnuplot-nox), then: gnuplot '%.150s'",
                           strerror(failed), script);
    listen_to(child.pipe, words);
    scalay_child_wait(&child);
    const int ended_well = scalay_child_end(&child, how) != 0; /* or not known: then the picture decides */
    const ending end = end_of(picture);
    if (ended_well && is_whole(&end)) return SCALAY_SUCCESS;
    (void)unlink(picture);
    return SCALAY_FAIL(SCALAY_ERROR_FILE,
                       "gnuplot could not draw '%.100s' (script '%.100s'): %s; check the folder, or "
                       "install gnuplot-nox with cairo",
                       picture, script,
                       words[0] != '\0'              ? words
                       : ended_well && end.count > 0 ? "the picture is cut off: the disk may be full"
                                                     : "it made no picture");
}

/* --------------------------------------------------------------------------------------------------- pictures */

enum {
    PANELS_ACROSS = 3,
    PRINT_PANELS_ACROSS = 2,
    PANEL_WIDTH = 560,
    PANEL_HEIGHT = 370,
    PANEL_EDGES = 130,
    CHARACTER_WIDTH = 8,
    TITLE_HEIGHT = 40,
    TITLE_LINE = 22,
    TITLE_CHARACTER_WIDTH = 10,
    PRINT_DOTS_PER_INCH = 160 /* two panels are 7 inches wide: the text width of a page */
};

/* Kinds of pictures. Sizes are in dots, of pdf in inches at print size. */
static const struct {
    const char *ending;
    const char *terminal;
    int is_print;
} pictures[] = {{".svg", "svg noenhanced background '#ffffff' font 'sans,12'", 0},
                {".png", "pngcairo noenhanced background '#ffffff' font 'sans,11'", 0},
                {".pdf", "pdfcairo noenhanced font 'sans,11' fontscale 0.6 linewidth 0.6 pointscale 0.6", 1}};

enum { PICTURES = (int)(sizeof pictures / sizeof pictures[0]) };

/* Returns the kind of a path by its ending; -1 if there is none. */
static int find_picture(const char *path)
{
    const char *suffix = strrchr(path, '.');
    for (int k = 0; suffix != NULL && k < PICTURES; k++) {
        const char *wanted = pictures[k].ending, *at = suffix;
        while (*at != '\0' && *wanted != '\0' && (*at | 0x20) == (*wanted | 0x20)) at++, wanted++;
        if (*at == '\0' && *wanted == '\0') return k;
    }
    return -1;
}

scalay_status scalay_plot_check_path(const char *path)
{
    if (path == NULL || find_picture(path) < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "the name of the picture is '%.200s'; it must end in .svg, .png or .pdf",
                           path != NULL ? path : "NULL");
    for (const char *at = path; *at != '\0'; at++)
        if ((unsigned char)*at < ' ')
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                               "the name of the picture has the control character %d; it must have none", *at);
    return SCALAY_SUCCESS;
}

/* At the start of a name, gnuplot reads '|' as a command, '~' as a home and '-' as an option. A prefix prevents this.
 */
static const char *plain_prefix(const char *path)
{
    return path[0] == '/' ? "" : "./";
}

/* Panels are arranged in rows. A row has the height of its highest panel. Lengths are in dots. */
typedef struct {
    int64_t across, rows;
    double width, height;
    double title; /* height of the title */
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

/* Returns the characters in a line of the title. */
static size_t title_width(const arrangement *whole)
{
    return (size_t)(whole->width / TITLE_CHARACTER_WIDTH);
}

static arrangement arrange(const scalay_plot *plot, int is_print)
{
    arrangement whole;
    whole.rows = scalay_ceil_div(plot->count, is_print ? PRINT_PANELS_ACROSS : PANELS_ACROSS);
    whole.across = scalay_ceil_div(plot->count, whole.rows);
    whole.width = (double)(whole.across * (PANEL_WIDTH + longest_legend(plot) * CHARACTER_WIDTH));
    const int is_long = plot->title != NULL && strlen(plot->title) > title_width(&whole);
    whole.title = plot->title != NULL ? TITLE_HEIGHT + is_long * TITLE_LINE : 0.0;
    whole.height = whole.title;
    for (int64_t row = 0; row < whole.rows; row++) whole.height += row_height(plot, &whole, row);
    return whole;
}

static void add_head(scalay_string *script, const scalay_plot *plot, const char *picture, const arrangement *whole)
{
    int kind = find_picture(picture);
    const double scale = pictures[kind].is_print ? PRINT_DOTS_PER_INCH : 1.0;
    scalay_string_append(script, "# Drawn by: gnuplot -d FILE.gp\nset terminal %s size %g,%g\nset output ",
                         pictures[kind].terminal, ceil(whole->width) / scale, ceil(whole->height) / scale);
    scalay_panel_quote(script, picture);
    scalay_string_append(script, "\n");
    for (int64_t k = 0; k < plot->count; k++) scalay_string_append(script, "%s", plot->panels[k].data.text);
    scalay_string_append(script, "set multiplot");
    if (plot->title != NULL) {
        scalay_string_append(script, " title ");
        (void)quote_lines(script, plot->title, title_width(whole));
        scalay_string_append(script, " font ',14'");
    }
    scalay_string_append(script, "\n");
}

/* Gnuplot's coordinates are fractions of the picture, from the lower left corner. */
static void add_panels(scalay_string *script, const scalay_plot *plot, const arrangement *whole)
{
    double bottom = whole->height - whole->title;
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
    const arrangement whole = arrange(plot, pictures[find_picture(picture)].is_print);
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
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot write '%.200s': %s; check that its folder exists and has free space",
                       path, strerror(reason));
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
    status = run_gnuplot(name.text, picture.text);
cleanup:
    scalay_string_free(&script);
    scalay_string_free(&picture);
    scalay_string_free(&name);
    return status;
}
