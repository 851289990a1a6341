/* Panels of curves: the script has the points that were given, in units that read well, and never too many of them. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/plot.h"

static const scalay_plot_axis sizes = {"size", NULL, 1};
static const scalay_plot_axis times = {"time", "s", 1};

#define FINE(call) assert_fine((call), #call)

static void assert_fine(scalay_status status, const char *what)
{
    if (status != SCALAY_SUCCESS) fail_msg("%s: %s", what, scalay_error_message());
}

/* Draws and gives back the script. */
static char *script_of(const scalay_plot_axis *x, const scalay_plot_axis *y, const scalay_plot_curve *curves, int count)
{
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create(NULL, &plot));
    FINE(scalay_plot_add_curves(plot, "a panel", x, y, curves, count));
    FINE(scalay_plot_save(plot, "plot_curves_test.svg"));
    scalay_plot_destroy(&plot);
    FILE *file = fopen("plot_curves_test.svg.gp", "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    assert_true(length > 100 && length < (1 << 20) - 1);
    fclose(file);
    unlink("plot_curves_test.svg");
    unlink("plot_curves_test.svg.gp");
    return text;
}

/* The points of a block of the first panel: their number, the least and the largest y. */
static int64_t read_block(const char *script, int block, double *least, double *most)
{
    const char *at = strstr(script, "$panel1 << EOD\n");
    int64_t points = 0;
    *least = INFINITY;
    *most = -INFINITY;
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; block > 0; block--) {
        at = strstr(at, "\n\n\n");
        assert_non_null(at);
        at += 3;
    }
    for (; *at != '\n' && *at != 'E'; points++) {
        double x = 0.0, y = 0.0;
        assert_int_equal(sscanf(at, "%lf %lf", &x, &y), 2);
        *least = fmin(*least, y);
        *most = fmax(*most, y);
        at = strchr(at, '\n') + 1;
    }
    return points;
}

static void points_are_drawn_as_given_in_units_that_read_well(void **state)
{
    (void)state;
    const double x[] = {1, 2, 5}, y[] = {0.002, 0.001, 0.004}, one_x[] = {2}, one_y[] = {0.0015};
    const scalay_plot_curve curves[] = {
        {"it's a line", SCALAY_PLOT_LINE, 0, 3, x, y, NULL}, {"nothing", SCALAY_PLOT_LINE, 1, 0, NULL, NULL, NULL},
        {NULL, SCALAY_PLOT_STARS, 1, 1, one_x, one_y, NULL}, {"alone", SCALAY_PLOT_STAIRS, 2, 1, one_x, one_y, NULL},
        {"dots", SCALAY_PLOT_DOTS, 2, 3, x, y, NULL},        {"rings", SCALAY_PLOT_RINGS, 2, 3, x, y, NULL}};
    double least = 0.0, most = 0.0;
    char *script = script_of(&sizes, &times, curves, 6);
    assert_non_null(strstr(script, "set xlabel 'size'\n"));
    assert_non_null(strstr(script, "set ylabel 'time (ms)'\n"));
    assert_non_null(strstr(script, "1 2\n2 1\n5 4\n"));
    assert_non_null(strstr(script, "title 'it''s a line'"));
    assert_null(strstr(script, "nothing"));
    assert_int_equal(read_block(script, 0, &least, &most), 3);
    assert_true(least == 1.0 && most == 4.0);
    assert_int_equal(read_block(script, 1, &least, &most), 1);
    assert_true(most == 1.5);
    assert_int_equal(read_block(script, 4, &least, &most), 3);
    free(script);
}

static void error_bars_are_drawn_and_do_not_leave_the_axis(void **state)
{
    (void)state;
    const double x[] = {1, 2}, y[] = {2, 4}, error[] = {3, 1};
    const scalay_plot_curve curve = {"a", SCALAY_PLOT_LINE, 0, 2, x, y, error};
    char *script = script_of(&sizes, &times, &curve, 1);
    assert_non_null(strstr(script, "1 2 3\n2 4 1\n"));
    assert_non_null(strstr(script, "using 1:2:3 with yerrorlines"));
    assert_non_null(strstr(script, "set yrange [0:5.3]"));
    free(script);
}

static void the_legend_keeps_away_from_the_points(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4}, rising[] = {1, 2, 3, 4}, falling[] = {4, 3, 2, 1};
    const scalay_plot_curve up = {
        "a name of more than thirty letters \xc3\xa4", SCALAY_PLOT_LINE, 0, 4, x, rising, NULL};
    const scalay_plot_curve down = {"abcdefghijklmnopqrstuvwxyz123\xc3\xa4", SCALAY_PLOT_LINE, 0, 4, x, falling, NULL};
    char *script = script_of(&sizes, &times, &up, 1);
    assert_non_null(strstr(script, "set key inside top left"));
    assert_non_null(strstr(script, "title 'a name of more than thirty l...'"));
    free(script);
    script = script_of(&sizes, &times, &down, 1);
    assert_non_null(strstr(script, "set key inside top right"));
    assert_non_null(strstr(script, "title 'abcdefghijklmnopqrstuvwxyz123\xc3\xa4'"));
    free(script);
}

static void units_follow_the_largest_value(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *label;
    } cases[] = {{0.0, "time (s)"},  {2.5e-12, "time (ns)"}, {1e-9, "time (ns)"}, {3e-6, "time (\xc2\xb5s)"},
                 {0.9, "time (ms)"}, {1.0, "time (s)"},      {999.0, "time (s)"}, {1000.0, "time (ks)"},
                 {5e6, "time (Ms)"}, {5e9, "time (Gs)"},     {5e30, "time (Ts)"}, {-4000.0, "time (ks)"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const double x = 1.0;
        const scalay_plot_curve curve = {"c", SCALAY_PLOT_DOTS, 0, 1, &x, &cases[k].value, NULL};
        char *script = script_of(&sizes, &times, &curve, 1);
        if (strstr(script, cases[k].label) == NULL) fail_msg("%g is not drawn as %s", cases[k].value, cases[k].label);
        free(script);
    }
}

static void a_line_of_a_million_points_keeps_its_extremes(void **state)
{
    (void)state;
    const int64_t points = 1000003;
    double *x = malloc((size_t)points * sizeof *x), *y = malloc((size_t)points * sizeof *y);
    double least = 0.0, most = 0.0;
    for (int64_t i = 0; i < points; i++) {
        x[i] = (double)i;
        y[i] = 10.0 + (double)(i * 7919 % 101) / 101.0;
    }
    y[777777] = 500.0;
    y[123456] = 1.0;
    const scalay_plot_curve curve = {"long", SCALAY_PLOT_LINE, 0, points, x, y, NULL};
    char *script = script_of(&sizes, &times, &curve, 1);
    int64_t drawn = read_block(script, 0, &least, &most);
    assert_true(drawn > 500 && drawn <= 2048);
    assert_true(least == 1.0 && most == 500.0);
    assert_non_null(strstr(script, "\n0 10\n"));
    assert_non_null(strstr(script, "\n1000002 "));
    free(script);
    free(y);
    free(x);
}

static void assert_refused(const scalay_plot_axis *x, const scalay_plot_axis *y, const scalay_plot_curve *curves,
                           int count, const char *told)
{
    scalay_plot *plot = NULL;
    FINE(scalay_plot_create(NULL, &plot));
    assert_int_equal(scalay_plot_add_curves(plot, NULL, x, y, curves, count), SCALAY_ERROR_ARGUMENT);
    if (strstr(scalay_error_message(), told) == NULL) fail_msg("\"%s\" is not in: %s", told, scalay_error_message());
    assert_int_equal(scalay_plot_save(plot, "plot_curves_test.svg"), SCALAY_ERROR_ARGUMENT);
    scalay_plot_destroy(&plot);
}

static void bad_curves_are_refused(void **state)
{
    (void)state;
    const double fine[] = {1, 2}, infinite[] = {1, INFINITY}, none[] = {NAN, 1};
    const scalay_plot_axis nameless = {NULL, NULL, 0};
    const scalay_plot_curve good = {"a", SCALAY_PLOT_LINE, 0, 2, fine, fine, NULL};
    const scalay_plot_curve bad_x = {"a", SCALAY_PLOT_LINE, 0, 2, none, fine, NULL};
    const scalay_plot_curve bad_y = {"a", SCALAY_PLOT_LINE, 0, 2, fine, infinite, NULL};
    const scalay_plot_curve missing = {"a", SCALAY_PLOT_LINE, 0, 2, fine, NULL, NULL};
    const scalay_plot_curve negative = {"a", SCALAY_PLOT_LINE, 0, -1, fine, fine, NULL};
    const scalay_plot_curve colourless = {"a", SCALAY_PLOT_LINE, -1, 2, fine, fine, NULL};
    const scalay_plot_curve empty = {"a", SCALAY_PLOT_LINE, 0, 0, fine, fine, NULL};
    assert_refused(NULL, &times, &good, 1, "axis");
    assert_refused(&sizes, NULL, &good, 1, "axis");
    assert_refused(&sizes, &nameless, &good, 1, "axis");
    assert_refused(&sizes, &times, NULL, 1, "curves is NULL");
    assert_refused(&sizes, &times, &good, 0, "count is 0");
    assert_refused(&sizes, &times, &empty, 1, "no point");
    assert_refused(&sizes, &times, &bad_x, 1, "point 0 of curves[0] is (nan, 1)");
    assert_refused(&sizes, &times, &bad_y, 1, "point 1 of curves[0] is (2, inf)");
    assert_refused(&sizes, &times, &missing, 1, "curves[0]");
    assert_refused(&sizes, &times, &negative, 1, "-1 points");
    assert_refused(&sizes, &times, &colourless, 1, "colour -1");
    assert_int_equal(scalay_plot_add_curves(NULL, NULL, &sizes, &times, &good, 1), SCALAY_ERROR_ARGUMENT);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    const double x[] = {1, 2}, y[] = {3, 4};
    const scalay_plot_curve curve = {"a", SCALAY_PLOT_LINE, 0, 2, x, y, NULL};
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t n = 0;
    while (status != SCALAY_SUCCESS && n < 100) {
        scalay_plot *plot = NULL;
        scalay_memory_fail_at(++n);
        status = scalay_plot_create("t", &plot);
        if (status == SCALAY_SUCCESS) status = scalay_plot_add_curves(plot, "a panel", &sizes, &times, &curve, 1);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        scalay_plot_destroy(&plot);
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_true(status == SCALAY_SUCCESS && n > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_drawn_as_given_in_units_that_read_well),
        cmocka_unit_test(error_bars_are_drawn_and_do_not_leave_the_axis),
        cmocka_unit_test(the_legend_keeps_away_from_the_points),
        cmocka_unit_test(units_follow_the_largest_value),
        cmocka_unit_test(a_line_of_a_million_points_keeps_its_extremes),
        cmocka_unit_test(bad_curves_are_refused),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
