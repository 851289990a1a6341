/* Figures 2 and 3 and the redistribution columns of table 1 of Herrmann et al., Parallel Computing 52 (2016): what
 * comes out here beside what was expected and, where it prints numbers, the paper.
 *
 * Usage: bench_paper_figures [CSV file]. The text goes to the standard output; the file gets the same numbers, one row
 * per point: figure or table, abscissa, quantity, ours, expected, paper (empty where there is none). */
#include <stdio.h>

#include "../tests/mapping/paper.h"

static FILE *csv;

static void must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(3);
}

/* One number; an expectation or a printed value of -1 means that there is none. */
static void report(const char *where, double abscissa, const char *quantity, double ours, double expected, double paper)
{
    char expected_text[32] = "";
    char paper_text[32] = "";
    if (expected >= 0.0) snprintf(expected_text, sizeof expected_text, "%g", expected);
    if (paper >= 0.0) snprintf(paper_text, sizeof paper_text, "%g", paper);
    printf("%-9s %8g  %-26s %10.3f %10s %10s\n", where, abscissa, quantity, ours, expected_text, paper_text);
    if (csv != NULL) fprintf(csv, "%s,%g,%s,%.6g,%s,%s\n", where, abscissa, quantity, ours, expected_text, paper_text);
}

static void report_figure(const char *name, const paper_point *points, int count, int over_alpha)
{
    for (int k = 0; k < count; k++) {
        paper_mean mean;
        must(paper_figure_mean(&points[k], 2016, &mean));
        double abscissa = over_alpha ? points[k].alpha : points[k].items;
        report(name, abscissa, "volume / canonical", mean.volume[1] / mean.volume[0], points[k].volume, -1.0);
        report(name, abscissa, "steps / canonical", mean.steps[1] / mean.steps[0], points[k].steps, -1.0);
    }
}

static void report_table(const char *name, const paper_row *rows, int chunks)
{
    static const char *const volumes[] = {"volume canonical", "volume best"};
    static const char *const steps[] = {"steps canonical", "steps best"};
    for (int k = 0; k < PAPER_ROWS; k++) {
        paper_mean mean;
        must(paper_table_mean(rows[k].tiles, chunks, 50, 1, &mean));
        for (int which = 0; which < 2; which++)
            report(name, rows[k].tiles, volumes[which], mean.volume[which] / mean.runs, rows[k].volume[which],
                   rows[k].paper_volume[which]);
        for (int which = 0; which < 2; which++)
            report(name, rows[k].tiles, steps[which], mean.steps[which] / mean.runs,
                   rows[k].steps[which] > 0 ? rows[k].steps[which] : -1.0, rows[k].paper_steps[which]);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        csv = fopen(argv[1], "w");
        if (csv == NULL) {
            fprintf(stderr, "%s cannot be written\n", argv[1]);
            return 3;
        }
        fprintf(csv, "where,abscissa,quantity,ours,expected,paper\n");
    }
    printf("%-9s %8s  %-26s %10s %10s %10s\n", "where", "at", "quantity", "ours", "expected", "paper");
    report_figure("figure 2", paper_figure_2, PAPER_POINTS, 0);
    report_figure("figure 3", paper_figure_3, PAPER_ROWS, 1);
    report_table("table 1a", paper_table_1a, 0);
    report_table("table 1b", paper_table_1b, 1);
    printf("The paper's steps in table 1a contradict the generator that it states.\n");
    if (csv != NULL && fclose(csv) != 0) {
        fprintf(stderr, "%s could not be written\n", argv[1]);
        return 3;
    }
    return 0;
}
