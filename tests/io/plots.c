/* Pictures: every ending gives a picture of its kind with its script beside it, whatever is drawn. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/panel.h"
#include "io/plot.h"
#include "scalay/scalay.h"

enum { MAX_RECTANGLES = 4096 };

static char folder[64];
static char start_folder[PATH_MAX];

#define FINE(call) assert_fine((call), #call)

static void assert_fine(scalay_status status, const char *what)
{
    if (status != SCALAY_SUCCESS) fail_msg("%s: %s", what, scalay_error_message());
}

static void assert_refused(scalay_status status, scalay_status expected, const char *told)
{
    assert_int_equal(status, expected);
    if (strstr(scalay_error_message(), told) == NULL) fail_msg("\"%s\" is not in: %s", told, scalay_error_message());
}

/* The bytes of a file, NUL behind them; NULL when there is none. */
static char *load(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    *length = 0;
    if (file == NULL) return NULL;
    char *bytes = calloc(1, 1 << 22);
    *length = fread(bytes, 1, (1 << 22) - 1, file);
    fclose(file);
    return bytes;
}

static int exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

static void add_pair(scalay_plot *plot, const char *from, const char *to)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_traffic *traffic = NULL;
    FINE(scalay_layout_parse(from, &source));
    FINE(scalay_layout_parse(to, &target));
    FINE(scalay_traffic_create(source, target, &traffic));
    int parts = scalay_layout_parts(target), *process = calloc((size_t)parts, sizeof *process);
    for (int k = 0; k < parts; k++) process[k] = parts - 1 - k;
    FINE(scalay_plot_add_layout(plot, "before", source));
    FINE(scalay_plot_add_layout(plot, "after", target));
    FINE(scalay_plot_add_traffic(plot, "traffic", traffic, process));
    FINE(scalay_plot_add_traffic(plot, NULL, traffic, NULL));
    free(process);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

static const scalay_plot_bar bars[] = {{"owner", 0.0, 0.3, -1.0, 0},
                                       {"it's 'canonical'", 0.05, 0.2, 0.2, 0},
                                       {"steps_volume", 0.01, 0.2, 0.19, 1},
                                       {"nothing", 0.0, 0.0, 0.0, 0}};

static void every_ending_gives_a_picture_of_its_kind(void **state)
{
    (void)state;
    static const struct {
        const char *name, *magic;
    } kinds[] = {{"a.png", "\x89PNG"}, {"a.pdf", "%PDF-"}, {"a.svg", "<?xml"}, {"A.PNG", "\x89PNG"}};
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create("a title with 'quotes', $1, `echo` and \\n", &plot));
    add_pair(plot, "cyclic:m=300,n=200,mb=7,nb=9,p=2,q=3", "skewed:m=300,n=200,mb=20,nb=20,p=2,q=2,seed=1");
    FINE(scalay_plot_add_times(plot, "times", bars, 4));
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        char script[32];
        size_t length = 0;
        snprintf(script, sizeof script, "%s.gp", kinds[k].name);
        FINE(scalay_plot_save(plot, kinds[k].name));
        char *bytes = load(kinds[k].name, &length);
        assert_true(length > 1000);
        assert_memory_equal(bytes, kinds[k].magic, strlen(kinds[k].magic));
        if (strstr(kinds[k].magic, "xml") != NULL) assert_non_null(strstr(bytes, "canonical"));
        free(bytes);
        assert_true(exists(script));
        unlink(script);
        unlink(kinds[k].name);
    }
    scalay_plot_destroy(&plot);
}

/* A rectangle of an owner map. */
typedef struct {
    long long left, right, top, bottom;
    int owner;
} rectangle;

/* Reads the rectangles of the first panel of a script into an array. Returns their number. */
static int read_rectangles(const char *path, rectangle *read)
{
    size_t length = 0;
    int count = 0;
    char *bytes = load(path, &length), *at = strstr(bytes, "$panel1 << EOD\n");
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; strncmp(at, "EOD\n", 4) != 0; at = strchr(at, '\n') + 1, count++) {
        rectangle *r = &read[count];
        assert_true(count < MAX_RECTANGLES);
        assert_int_equal(
            sscanf(at, "%*f %*f %lld %lld %lld %lld %*d %d", &r->left, &r->right, &r->top, &r->bottom, &r->owner), 5);
    }
    free(bytes);
    return count;
}

/* Draws a layout. Returns the number of rectangles. */
static int draw_layout(const char *text, rectangle *read, scalay_layout **layout)
{
    scalay_plot *plot = NULL;
    FINE(scalay_layout_parse(text, layout));
    FINE(scalay_plot_create(NULL, &plot));
    FINE(scalay_plot_add_layout(plot, NULL, *layout));
    FINE(scalay_plot_save(plot, "b.svg"));
    scalay_plot_destroy(&plot);
    const int count = read_rectangles("b.svg.gp", read);
    unlink("b.svg");
    unlink("b.svg.gp");
    return count;
}

/* The rectangles of an owner map have the owners of the layout and cover rows x cols elements, each once. */
static void check_map(const char *text, long long rows, long long cols, int expected)
{
    static rectangle read[MAX_RECTANGLES];
    scalay_layout *layout = NULL;
    long long elements = 0;
    const int count = draw_layout(text, read, &layout);
    for (int k = 0; k < count; k++) {
        const rectangle *r = &read[k];
        assert_true(0 <= r->left && r->left < r->right && r->right <= cols);
        assert_true(0 <= r->top && r->top < r->bottom && r->bottom <= rows);
        for (int corner = 0; corner < 4; corner++)
            assert_int_equal(
                scalay_layout_owner(layout, corner < 2 ? r->top : r->bottom - 1, corner % 2 ? r->left : r->right - 1),
                r->owner);
        elements += (r->right - r->left) * (r->bottom - r->top);
    }
    assert_true(elements == rows * cols);
    if (expected > 0) assert_int_equal(count, expected);
    scalay_layout_destroy(&layout);
}

static void owner_maps_are_exact(void **state)
{
    (void)state;
    check_map("cyclic:m=8,n=6,mb=2,nb=3,p=2,q=2", 8, 6, 8);
    check_map("cyclic:m=1,n=1,mb=4,nb=4,p=1,q=1", 1, 1, 1);
    check_map("cyclic:m=1,n=37,mb=1,nb=4,p=1,q=5", 1, 37, 10);
    check_map("cyclic:m=300,n=1,mb=40,nb=4,p=17,q=1", 300, 1, 8);
    check_map("cyclic:m=721,n=1440,mb=64,nb=64,p=2,q=2", 721, 1440, 12 * 23);
    check_map("skewed:m=19,n=1024,mb=4,nb=4,p=3,q=2,seed=4", 19, 1024, 0);
}

/* Of a layout with many blocks, the first 32 bands of rows and columns are drawn. */
static void fine_layouts_are_drawn_in_part(void **state)
{
    (void)state;
    check_map("cyclic:m=32768,n=32768,mb=64,nb=64,p=8,q=8", 32 * 64, 32 * 64, 32 * 32);
    check_map("cyclic:m=1000000000,n=3000000,mb=1,nb=1,p=40,q=25", 32, 32, 32 * 32);
    check_map("cyclic:m=1000000000,n=3000000,mb=1000000,nb=7,p=25,q=40", 32 * 1000000LL, 32 * 7, 32 * 32);
}

static void a_layout_without_elements_is_drawn(void **state)
{
    (void)state;
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create(NULL, &plot));
    add_pair(plot, "cyclic:m=0,n=5,mb=1,nb=1,p=2,q=2", "cyclic:m=0,n=5,mb=4,nb=4,p=2,q=2");
    FINE(scalay_plot_save(plot, "b.png"));
    scalay_plot_destroy(&plot);
    unlink("b.png");
    unlink("b.png.gp");
}

/* A title that is wider than its panel has two lines; a longer one is cut. */
static void long_titles_are_broken(void **state)
{
    (void)state;
    size_t length = 0;
    char title[200] = "twelve words of a title that is much wider than its panel can be";
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create(title, &plot));
    FINE(scalay_plot_add_times(plot, "short", bars, 2));
    FINE(scalay_plot_add_times(plot, "words, words, words, words, words, words, words, words, words, words, words",
                               bars, 2));
    memset(title, 'x', sizeof title - 1);
    FINE(scalay_plot_add_times(plot, title, bars, 2));
    FINE(scalay_plot_save(plot, "b.pdf"));
    char *bytes = load("b.pdf.gp", &length);
    assert_non_null(strstr(bytes, "title 'short' offset"));
    assert_non_null(strstr(bytes, "words,'.\"\\n\".'words, "));
    assert_non_null(strstr(bytes, "xxx...' font"));
    /* Print size: two panels in 7 inches. */
    assert_non_null(strstr(bytes, "size 7,"));
    free(bytes);
    scalay_plot_destroy(&plot);
    unlink("b.pdf");
    unlink("b.pdf.gp");
}

static void colours_tell_processes_apart(void **state)
{
    (void)state;
    for (int count = 1; count <= 64; count++)
        for (int k = 0; k < count; k++)
            for (int other = 0; other < k; other++)
                assert_true(scalay_panel_colour(k, count) != scalay_panel_colour(other, count));
}

static void bad_names_and_bars_are_refused(void **state)
{
    (void)state;
    scalay_plot *plot = NULL, *empty = NULL;
    scalay_plot_bar bad[] = {{"a", -1.0, 0.0, -1.0, 0},
                             {"a", 0.0, NAN, -1.0, 0},
                             {NULL, 0.0, 0.0, -1.0, 0},
                             {"a", INFINITY, 0.0, -1.0, 0},
                             {"a", 0.0, 0.0, NAN, 0}};
    int process[] = {-1};
    scalay_layout *layout = NULL;
    scalay_traffic *traffic = NULL;
    FINE(scalay_layout_parse("cyclic:m=3,n=3,mb=1,nb=1,p=1,q=1", &layout));
    FINE(scalay_traffic_create(layout, layout, &traffic));
    FINE(scalay_plot_create(NULL, &plot));
    FINE(scalay_plot_create(NULL, &empty));
    FINE(scalay_plot_add_times(plot, NULL, bars, 1));
    static const char *const names[] = {"a.gif", "png", "a", "", "a.png.gp", "apng", "a.pn"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        assert_refused(scalay_plot_save(plot, names[k]), SCALAY_ERROR_ARGUMENT, ".svg, .png or .pdf");
        assert_int_equal(scalay_plot_check_path(names[k]), SCALAY_ERROR_ARGUMENT);
        assert_false(names[k][0] != '\0' && exists(names[k]));
    }
    assert_refused(scalay_plot_save(plot, NULL), SCALAY_ERROR_ARGUMENT, "NULL");
    assert_refused(scalay_plot_save(plot, "a\nb.png"), SCALAY_ERROR_ARGUMENT, "control character");
    assert_refused(scalay_plot_save(NULL, "a.png"), SCALAY_ERROR_ARGUMENT, "plot is NULL");
    assert_refused(scalay_plot_save(empty, "a.png"), SCALAY_ERROR_ARGUMENT, "no panel");
    assert_refused(scalay_plot_save(plot, "no/such/a.png"), SCALAY_ERROR_FILE, "No such file");
    assert_refused(scalay_plot_create(NULL, NULL), SCALAY_ERROR_ARGUMENT, "plot is NULL");
    assert_refused(scalay_plot_add_layout(plot, NULL, NULL), SCALAY_ERROR_ARGUMENT, "layout is NULL");
    assert_refused(scalay_plot_add_layout(NULL, NULL, layout), SCALAY_ERROR_ARGUMENT, "plot is NULL");
    assert_refused(scalay_plot_add_traffic(plot, NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT, "traffic is NULL");
    assert_refused(scalay_plot_add_traffic(plot, NULL, traffic, process), SCALAY_ERROR_ARGUMENT, "process[0] is -1");
    assert_refused(scalay_plot_add_times(plot, NULL, NULL, 3), SCALAY_ERROR_ARGUMENT, "at least one bar");
    assert_refused(scalay_plot_add_times(plot, NULL, bars, 0), SCALAY_ERROR_ARGUMENT, "at least one bar");
    for (int k = 0; k < 5; k++)
        assert_refused(scalay_plot_add_times(plot, NULL, &bad[k], 1), SCALAY_ERROR_ARGUMENT, "bars[0]");
    FINE(scalay_plot_check_path("a.b/c.Svg"));
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&layout);
    scalay_plot_destroy(&plot);
    scalay_plot_destroy(&plot);
    scalay_plot_destroy(&empty);
}

/* Names that mean something to gnuplot or to a shell are names here. */
static void strange_names_are_only_names(void **state)
{
    (void)state;
    static const char *const names[] = {"|touch hacked; .png",    "-e.png",     "~.png", "it's $(touch hacked).png",
                                        "a `touch hacked` b.png", "<hacked.png"};
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create(NULL, &plot));
    FINE(scalay_plot_add_times(plot, NULL, bars, 2));
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char script[64];
        snprintf(script, sizeof script, "%s.gp", names[k]);
        FINE(scalay_plot_save(plot, names[k]));
        assert_true(exists(names[k]) && exists(script));
        assert_false(exists("hacked"));
        unlink(names[k]);
        unlink(script);
    }
    scalay_plot_destroy(&plot);
}

/* Puts a program named gnuplot, or nothing, where programs are looked for. */
static void with_gnuplot(const char *program, scalay_status expected, const char *told)
{
    scalay_plot *plot = NULL;
    char *before = strdup(getenv("PATH"));
    FINE(scalay_plot_create(NULL, &plot));
    FINE(scalay_plot_add_times(plot, NULL, bars, 2));
    assert_int_equal(mkdir("bin", 0755), 0);
    if (program != NULL) {
        FILE *file = fopen("bin/gnuplot", "w");
        fprintf(file, "#!/bin/sh\n%s\n", program);
        fclose(file);
        chmod("bin/gnuplot", 0755);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/bin", folder);
    setenv("PATH", path, 1);
    scalay_status status = scalay_plot_save(plot, "d.png");
    setenv("PATH", before, 1);
    if (expected == SCALAY_SUCCESS)
        assert_fine(status, "save");
    else
        assert_refused(status, expected, told);
    assert_int_equal(exists("d.png"), expected == SCALAY_SUCCESS);
    assert_true(exists("d.png.gp"));
    unlink("d.png");
    unlink("d.png.gp");
    unlink("bin/gnuplot");
    rmdir("bin");
    free(before);
    scalay_plot_destroy(&plot);
}

static void what_gnuplot_does_wrong_is_told(void **state)
{
    (void)state;
    with_gnuplot(NULL, SCALAY_ERROR_FILE, "apt install gnuplot-nox");
    with_gnuplot("echo 'unknown terminal' >&2; exit 1", SCALAY_ERROR_FILE, "unknown terminal");
    with_gnuplot("exit 0", SCALAY_ERROR_FILE, "it made no picture");
    with_gnuplot("echo half > d.png; exit 1", SCALAY_ERROR_FILE, "it made no picture");
    with_gnuplot("kill -9 $$", SCALAY_ERROR_FILE, "it made no picture");
    with_gnuplot("i=0; while [ $i -lt 9000 ]; do echo 'many many words' >&2; i=$((i+1)); done; exit 1",
                 SCALAY_ERROR_FILE, "many many words");
    with_gnuplot("echo whole IEND > d.png; echo a warning >&2", SCALAY_SUCCESS, "");
    with_gnuplot("echo part of it > d.png", SCALAY_ERROR_FILE, "cut off");
}

static scalay_status draw(const scalay_layout *layout, const scalay_traffic *traffic)
{
    scalay_plot *plot = NULL;
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_plot_create("title", &plot));
    SCALAY_TRY(scalay_plot_add_layout(plot, "layout", layout));
    SCALAY_TRY(scalay_plot_add_traffic(plot, "traffic", traffic, NULL));
    SCALAY_TRY(scalay_plot_add_times(plot, "times", bars, 3));
    status = scalay_plot_save(plot, "e.svg");
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    scalay_layout *layout = NULL;
    scalay_traffic *traffic = NULL;
    FINE(scalay_layout_parse("cyclic:m=30,n=20,mb=7,nb=9,p=2,q=3", &layout));
    FINE(scalay_traffic_create(layout, layout, &traffic));
    int64_t before = scalay_memory_live(), n = 0;
    scalay_status status = SCALAY_ERROR_MEMORY;
    while (status != SCALAY_SUCCESS && n < 500) {
        scalay_memory_fail_at(++n);
        status = draw(layout, traffic);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        assert_int_equal(scalay_memory_live(), before);
    }
    assert_true(status == SCALAY_SUCCESS && n > 10);
    unlink("e.svg");
    unlink("e.svg.gp");
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&layout);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/scalay_plot_XXXXXX");
    return getcwd(start_folder, sizeof start_folder) == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0;
}

/* The last of the tests: cmocka does not count what fails after them. */
static void no_memory_and_no_file_is_left(void **state)
{
    (void)state;
    assert_int_equal(scalay_memory_live(), 0);
    assert_int_equal(chdir(start_folder), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ending_gives_a_picture_of_its_kind),
        cmocka_unit_test(owner_maps_are_exact),
        cmocka_unit_test(fine_layouts_are_drawn_in_part),
        cmocka_unit_test(a_layout_without_elements_is_drawn),
        cmocka_unit_test(long_titles_are_broken),
        cmocka_unit_test(colours_tell_processes_apart),
        cmocka_unit_test(bad_names_and_bars_are_refused),
        cmocka_unit_test(strange_names_are_only_names),
        cmocka_unit_test(what_gnuplot_does_wrong_is_told),
        cmocka_unit_test(every_failed_allocation_is_told),
        cmocka_unit_test(no_memory_and_no_file_is_left),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
