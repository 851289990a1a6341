#include <math.h>
#include <stdio.h>

#include "base/integer.h"
#include "io/panel.h"

/* A picture shows so many processes from the first, and so many bars of theirs from the beginning. */
enum { MOST_PROCESSES = 64, MOST_BARS = 4096, TITLE = 160 };

/* What is drawn of a schedule. */
typedef struct {
    const scalay_schedule *schedule;
    scalay_schedule_summary summary;
    int processes; /* all of them */
    int shown;
    int64_t steps; /* shown */
    int64_t end;   /* items: when the picture ends */
} excerpt;

/* A step, with the time at which it begins. */
typedef struct {
    int64_t time;
    int64_t length;
    int64_t count;
    const scalay_message *messages;
} moment;

static scalay_status next_moment(const excerpt *view, int64_t step, moment *now)
{
    now->time += now->length;
    return scalay_schedule_round(view->schedule, step, &now->length, &now->count, &now->messages);
}

static scalay_status check_message(const scalay_message *message, int processes)
{
    const int last = message->from > message->to ? message->from : message->to;
    if (last < processes) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_plot_add_schedule",
                       "processes is %d, but process %d has a message; pass as many as there are", processes, last);
}

/* How much of the schedule can be shown: whole steps. */
static scalay_status choose_excerpt(excerpt *view)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t steps = 0;
    moment now = {0};
    int64_t bars = 0;
    SCALAY_TRY(scalay_schedule_get_summary(view->schedule, &view->summary));
    view->shown = (int)scalay_min_int64(view->processes, MOST_PROCESSES);
    view->end = view->summary.length;
    steps = view->summary.rounds;
    view->steps = steps;
    for (int64_t step = 0; step < steps; step++) {
        SCALAY_TRY(next_moment(view, step, &now));
        for (int64_t k = 0; k < now.count; k++) {
            SCALAY_TRY(check_message(&now.messages[k], view->processes));
            bars += (now.messages[k].from < view->shown) + (now.messages[k].to < view->shown);
        }
        if (bars <= MOST_BARS || view->steps < steps) continue;
        view->steps = step;
        view->end = now.time;
    }
cleanup:
    return status;
}

/* Columns: middle, edges, colour. A process sends in the upper half of its row and receives in the lower one. */
static void add_bar(scalay_string *data, const excerpt *view, const moment *now, const scalay_message *message,
                    int sends)
{
    const int row = sends ? message->from : message->to, peer = sends ? message->to : message->from;
    if (row >= view->shown) return;
    const int64_t end = now->time + scalay_min_int64(message->elements, view->end - now->time);
    const double upper = sends ? row - 0.42 : row + 0.02, lower = upper + 0.4;
    scalay_string_append(data, "%lld %.2f %lld %lld %.2f %.2f %d\n", (long long)now->time, upper, (long long)now->time,
                         (long long)end, upper, lower, scalay_panel_shade(peer, view->processes));
}

static scalay_status add_bars(scalay_string *data, const excerpt *view)
{
    scalay_status status = SCALAY_SUCCESS;
    moment now = {0};
    for (int64_t step = 0; step < view->steps; step++) {
        SCALAY_TRY(next_moment(view, step, &now));
        for (int64_t k = 0; k < now.count; k++)
            for (int sends = 1; sends >= 0; sends--) add_bar(data, view, &now, &now.messages[k], sends);
    }
    /* Never without data, and outside of the picture. */
    scalay_string_append(data, "-1 -9 -1 -1 -9 -9 0\n");
cleanup:
    return status;
}

static void title_panel(const excerpt *view, const char *title, char *text)
{
    char processes[48] = "", items[64] = "", end[16], length[16];
    const int cut = view->steps < view->summary.rounds, fewer = view->shown < view->processes;
    scalay_panel_short((double)view->end, end, sizeof end);
    scalay_panel_short((double)view->summary.length, length, sizeof length);
    if (fewer) (void)snprintf(processes, sizeof processes, "%d of %d processes", view->shown, view->processes);
    if (cut) (void)snprintf(items, sizeof items, "%s of %s item steps", end, length);
    (void)snprintf(text, TITLE, fewer || cut ? "%.64s (the first %s%s%s)" : "%.64s", title != NULL ? title : "",
                   processes, fewer && cut ? ", " : "", items);
}

static void add_axes(scalay_string *commands, const excerpt *view)
{
    const double end = view->end > 0 ? (double)view->end : 1.0;
    const int cut = view->steps < view->summary.rounds;
    scalay_string_append(commands, "set xrange [0:%.17g]\nset yrange [%d.5:-0.5]\nset format x '%s'\n", end,
                         view->shown - 1, scalay_panel_format(end));
    scalay_string_append(
        commands,
        "set xlabel 'time, item steps%s'\nset ylabel 'process (above: sends to, below: receives from)'\n"
        "unset key\n",
        cut ? " (cut off)" : "");
    if (view->shown <= 16) scalay_string_append(commands, "set ytics 1\n");
    if (view->steps == 0) scalay_string_append(commands, "set label 'nothing moves' at graph 0.5,0.5 center\n");
    if (cut)
        scalay_string_append(commands,
                             "set arrow from graph 1,0 to graph 1,1 nohead front dt 2 lw 3 lc rgb '#d62728'\n");
}

scalay_status scalay_plot_add_schedule(scalay_plot *plot, const char *title, const scalay_schedule *schedule,
                                       int processes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_panel *panel = NULL;
    excerpt view = {.schedule = schedule, .processes = processes};
    char text[TITLE];
    if (schedule == NULL || processes < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "schedule is %s and processes %d; pass a schedule of at least one",
                           schedule == NULL ? "NULL" : "given", processes);
    SCALAY_TRY(choose_excerpt(&view));
    title_panel(&view, title, text);
    SCALAY_TRY(scalay_panel_begin(plot, __func__, text, &locale, &panel));
    (void)add_bars(&panel->data, &view); /* the steps have been read before */
    add_axes(&panel->commands, &view);
    scalay_panel_add_processes(&panel->commands, processes, NULL);
    scalay_string_append(&panel->commands,
                         "set style fill solid 1 noborder\n"
                         "plot $panel%d using 1:2:3:4:5:6:7 with boxxyerror lc palette\n",
                         scalay_panel_number(plot));
    status = scalay_panel_end(plot, &locale);
cleanup:
    return status;
}
