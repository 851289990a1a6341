#include "strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "layout/layout.h"

scalay_status scalay_strategy_start(scalay_strategy *strategy, int64_t repeat)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(strategy->move, repeat));
    SCALAY_TRY(SCALAY_NEW(strategy->kernel, repeat));
cleanup:
    return status;
}

scalay_status scalay_strategy_set_mapping(scalay_strategy *strategy, const scalay_layout *mapped)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_release(strategy->mapping);
    strategy->mapping = NULL;
    strategy->parts = scalay_layout_parts(mapped);
    SCALAY_TRY(SCALAY_NEW(strategy->mapping, strategy->parts));
    for (int part = 0; part < strategy->parts; part++)
        strategy->mapping[part] = scalay_layout_process_of_part(mapped, part);
cleanup:
    return status;
}

void scalay_strategy_set_target(scalay_strategy *strategy, const scalay_layout *target)
{
    int regular = target->row.runs == NULL && target->col.runs == NULL;
    strategy->mb = regular ? target->row.block : 0;
    strategy->nb = regular ? target->col.block : 0;
    if (!scalay_layout_is_grid(target)) return;
    strategy->grid[0] = (int)target->row.classes;
    strategy->grid[1] = (int)target->col.classes;
}

void scalay_strategy_add(scalay_strategy *strategy, double move_seconds, double kernel_seconds)
{
    strategy->move[strategy->repeats] = move_seconds;
    strategy->kernel[strategy->repeats] = kernel_seconds;
    strategy->repeats++;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double scalay_median(double *values, int64_t count)
{
    if (count == 0) return 0.0;
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

void scalay_strategy_finish(scalay_strategy *strategy)
{
    strategy->move_seconds = scalay_median(strategy->move, strategy->repeats);
    strategy->kernel_seconds = scalay_median(strategy->kernel, strategy->repeats);
}

void scalay_strategy_free(scalay_strategy *strategy)
{
    scalay_release(strategy->mapping);
    scalay_release(strategy->move);
    scalay_release(strategy->kernel);
    *strategy = (scalay_strategy){0};
}

/* -------------------------------------------------------------------------------------------------- report */

double scalay_strategy_moved(const scalay_job *job, const scalay_strategy *strategy)
{
    return scalay_percent((double)strategy->volume, (double)job->file.m * (double)job->file.n);
}

static void describe_grid(const scalay_strategy *strategy, char text[64])
{
    char grid[32] = "tiles";
    if (strategy->mb == 0) {
        (void)snprintf(text, 64, "map|-");
        return;
    }
    if (strategy->grid[0] > 0) (void)snprintf(grid, sizeof grid, "%d x %d", strategy->grid[0], strategy->grid[1]);
    (void)snprintf(text, 64, "%s|%lld x %lld", grid, (long long)strategy->mb, (long long)strategy->nb);
}

scalay_status scalay_strategies_print(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen,
                                      const char *kernel)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    char place[64];
    char extra[64] = "";
    if (kernel != NULL) (void)snprintf(extra, sizeof extra, "%s ms|total ms|", kernel);
    SCALAY_TRY(scalay_table_add(&table, "strategy|grid|blocks|volume|moved|steps|move ms|%spredicted ms", extra));
    for (int k = 0; k < count; k++) {
        const scalay_strategy *s = &strategies[k];
        describe_grid(s, place);
        if (kernel != NULL)
            (void)snprintf(extra, sizeof extra, "%.2f|%.2f|", 1e3 * s->kernel_seconds,
                           1e3 * (s->move_seconds + s->kernel_seconds));
        SCALAY_TRY(scalay_table_add(&table, "%s%s|%s|%lld|%.1f%%|%lld|%.2f|%s%.2f", s->name, k == chosen ? " *" : "",
                                    place, (long long)s->volume, scalay_strategy_moved(job, s), (long long)s->steps,
                                    1e3 * s->move_seconds, extra, 1e3 * s->predicted_seconds));
    }
    scalay_table_print(&table);
    printf("  (* chosen; times are medians of %lld)\n", (long long)job->repeat);
cleanup:
    scalay_table_free(&table);
    return status;
}

static json_t *strategy_as_json(const scalay_strategy *s)
{
    json_t *grid = s->grid[0] > 0 ? json_pack("[i, i]", s->grid[0], s->grid[1]) : json_null();
    return json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "name", s->name, "grid", grid, "mb",
                     (json_int_t)s->mb, "nb", (json_int_t)s->nb, "volume", (json_int_t)s->volume, "steps",
                     (json_int_t)s->steps, "move_seconds", scalay_json_number(s->move_seconds), "kernel_seconds",
                     scalay_json_number(s->kernel_seconds), "total_seconds",
                     scalay_json_number(s->move_seconds + s->kernel_seconds), "predicted_seconds",
                     scalay_json_number(s->predicted_seconds), "mapping", scalay_json_integers(s->mapping, s->parts));
}

json_t *scalay_strategies_as_json(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen)
{
    json_t *list = json_array();
    for (int k = 0; list != NULL && k < count; k++) {
        json_t *one = strategy_as_json(&strategies[k]);
        if (one != NULL && strategies[k].bytes >= 0) {
            (void)json_object_set_new(one, "bytes", json_integer((json_int_t)strategies[k].bytes));
            (void)json_object_set_new(one, "extra_bytes", json_integer((json_int_t)strategies[k].extra_bytes));
        }
        if (json_array_append_new(list, one) == 0) continue;
        json_decref(list);
        list = NULL;
    }
    return json_pack("{s:I, s:I, s:i, s:s, s:s, s:o, s:s}", "m", (json_int_t)job->file.m, "n", (json_int_t)job->file.n,
                     "processes", scalay_comm_size(job->comm), "type", scalay_type_name(job->type), "source",
                     job->source_text, "strategies", list, "chosen", strategies[chosen].name);
}

scalay_status scalay_strategies_plot(scalay_plot *plot, const scalay_strategy *strategies, int count, int chosen)
{
    scalay_plot_bar bars[SCALAY_MOST_STRATEGIES];
    for (int k = 0; k < count; k++)
        bars[k] = (scalay_plot_bar){.name = strategies[k].name,
                                    .move_seconds = strategies[k].move_seconds,
                                    .kernel_seconds = strategies[k].kernel_seconds,
                                    .predicted_seconds = strategies[k].predicted_seconds,
                                    .chosen = k == chosen};
    return scalay_plot_add_times(plot, "time", bars, count);
}
