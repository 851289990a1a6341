#include <stdio.h>

#include "advise.h"
#include "base/memory.h"
#include "report.h"

enum { SENTENCE = 512 };

void scalay_advise_row_seconds(const scalay_advise_job *job, const scalay_advise_row *row, int measured,
                               double seconds[3])
{
    seconds[0] = measured ? row->measured.move + row->measured.back : row->told.move_seconds;
    seconds[1] = measured ? row->measured.kernel * (double)job->asked.times : row->told.kernel_seconds;
    seconds[2] = seconds[0] + seconds[1];
}

/* The row with the least measured total; -1: nothing was measured. */
static int find_fastest(const scalay_advise_job *job)
{
    int fastest = -1;
    double best = 0.0, seconds[3];
    for (int k = 0; k < job->count; k++) {
        if (job->rows[k].runs == 0) continue;
        scalay_advise_row_seconds(job, &job->rows[k], 1, seconds);
        if (fastest >= 0 && seconds[2] >= best) continue;
        fastest = k;
        best = seconds[2];
    }
    return fastest;
}

/* --------------------------------------------------------------------------------------------------- text */

static void print_machine_line(const scalay_advise_job *job)
{
    const scalay_machine *m = &job->machine;
    printf("%.3g Gflop/s a process (level 3), %.3g (level 2), %.3g GB/s copied;\n        a message takes %.3g us, "
           "then %.3g GB/s; alone, a process is %.2g times as fast\n",
           1e-9 / m->seconds_per_flop, 1e-9 / m->seconds_per_flop_vector, 1e-9 / m->seconds_per_byte_copied,
           1e6 * m->seconds_per_message, 1e-9 / m->seconds_per_byte,
           m->solo_time_ratio > 0.0 ? 1.0 / m->solo_time_ratio : 1.0);
}

static void print_problem(const scalay_advise_job *job)
{
    char sentence[SENTENCE];
    (void)scalay_layout_describe(job->source, sentence, sizeof sentence);
    printf("Advice for %s, %lld time%s, on %d processes (type %s)\n\n", scalay_kernel_name(job->asked.kernel),
           (long long)job->asked.times, job->asked.times == 1 ? "" : "s", job->asked.processes,
           scalay_type_name(job->asked.type));
    printf("matrix  %s\nmachine ", sentence);
    print_machine_line(job);
    if (job->reason[0] == '\0') {
        printf("        from %s\n\n", job->where);
        return;
    }
    printf("        typical, not measured:\n");
    scalay_print_wrapped(job->reason, 8, stdout);
    printf("        mpirun -n %d scalay advise --calibrate measures.\n\n", job->asked.processes);
}

static scalay_status add_row(const scalay_advise_job *job, int k, scalay_table *table)
{
    const scalay_advise_row *row = &job->rows[k];
    const scalay_advice_candidate *c = &row->told;
    double told[3], found[3];
    char grid[64] = "-|-", measured[128] = "";
    scalay_advise_row_seconds(job, row, 0, told);
    scalay_advise_row_seconds(job, row, 1, found);
    if (c->nprow > 0) (void)snprintf(grid, sizeof grid, "%d x %d|%d", c->nprow, c->npcol, c->nb);
    if (job->options->measure)
        (void)snprintf(measured, sizeof measured, "|%.2f|%.2f|%.2f", 1e3 * found[0], 1e3 * found[1], 1e3 * found[2]);
    return scalay_table_add(table, "%s%s|%s|%lld|%lld|%.2f|%.2f|%.2f%s", c->name, k == 0 ? " *" : "", grid,
                            (long long)c->volume, (long long)c->steps, 1e3 * told[0], 1e3 * told[1], 1e3 * told[2],
                            measured);
}

static void print_fastest(const scalay_advise_job *job)
{
    const int fastest = find_fastest(job);
    double first[3], best[3];
    if (fastest < 0) return;
    scalay_advise_row_seconds(job, &job->rows[0], 1, first);
    scalay_advise_row_seconds(job, &job->rows[fastest], 1, best);
    printf("\nMeasured (medians of %lld), %s is the fastest; the one advised takes %.1f%% longer.\n",
           (long long)job->rows[0].runs, job->rows[fastest].told.name,
           best[2] > 0.0 ? 100.0 * (first[2] / best[2] - 1.0) : 0.0);
}

static scalay_status print_text(const scalay_advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    char *text = NULL;
    const int length = scalay_advice_describe(job->advice, NULL, 0);
    SCALAY_TRY(SCALAY_NEW(text, (int64_t)length + 1));
    (void)scalay_advice_describe(job->advice, text, (size_t)length + 1);
    print_problem(job);
    SCALAY_TRY(scalay_table_add(&table, "candidate|grid|block|volume|steps|move ms|kernel ms|total ms%s",
                                job->options->measure ? "|took: move|kernel|total" : ""));
    for (int k = 0; k < job->count; k++) SCALAY_TRY(add_row(job, k, &table));
    scalay_table_print(&table);
    printf("  (* advised; %d of %d candidates; move%s and all runs of the kernel, predicted)\n\n", job->count,
           scalay_advice_count(job->advice), job->asked.bring_back ? " there and back" : "");
    scalay_print_wrapped(text, 0, stdout);
    print_fastest(job);
cleanup:
    scalay_release(text);
    scalay_table_free(&table);
    return status;
}

/* --------------------------------------------------------------------------------------------------- JSON */

static json_t *machine_as_json(const scalay_advise_job *job)
{
    const scalay_machine *m = &job->machine;
    json_t *where = job->reason[0] == '\0' ? json_string(job->where) : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "file", where, "seconds_per_flop",
                     scalay_json_number(m->seconds_per_flop), "seconds_per_flop_vector",
                     scalay_json_number(m->seconds_per_flop_vector), "seconds_per_message",
                     scalay_json_number(m->seconds_per_message), "seconds_per_byte",
                     scalay_json_number(m->seconds_per_byte), "seconds_per_byte_copied",
                     scalay_json_number(m->seconds_per_byte_copied), "alone", scalay_json_number(m->solo_time_ratio),
                     "processes", (json_int_t)m->processes);
}

static json_t *seconds_as_json(const double seconds[3])
{
    return json_pack("{s:o, s:o, s:o}", "move", scalay_json_number(seconds[0]), "kernel",
                     scalay_json_number(seconds[1]), "total", scalay_json_number(seconds[2]));
}

static json_t *row_as_json(const scalay_advise_job *job, const scalay_advise_row *row)
{
    const scalay_advice_candidate *c = &row->told;
    json_t *grid = c->nprow > 0 ? json_pack("[i, i]", c->nprow, c->npcol) : json_null();
    double told[3], found[3];
    scalay_advise_row_seconds(job, row, 0, told);
    scalay_advise_row_seconds(job, row, 1, found);
    return json_pack("{s:s, s:o, s:i, s:i, s:I, s:I, s:o, s:o}", "name", c->name, "grid", grid, "mb", c->nb, "nb",
                     c->nb, "volume", (json_int_t)c->volume, "steps", (json_int_t)c->steps, "predicted",
                     seconds_as_json(told), "measured", row->runs > 0 ? seconds_as_json(found) : json_null());
}

static json_t *job_as_json(const scalay_advise_job *job)
{
    const int fastest = find_fastest(job);
    json_t *list = json_array();
    for (int k = 0; list != NULL && k < job->count; k++) {
        if (json_array_append_new(list, row_as_json(job, &job->rows[k])) == 0) continue;
        json_decref(list);
        list = NULL;
    }
    return json_pack("{s:I, s:I, s:s, s:s, s:I, s:i, s:o, s:o, s:s, s:b, s:o}", "m",
                     (json_int_t)scalay_layout_rows(job->source), "n", (json_int_t)scalay_layout_cols(job->source),
                     "kernel", scalay_kernel_name(job->asked.kernel), "type", scalay_type_name(job->asked.type),
                     "times", (json_int_t)job->asked.times, "processes", job->asked.processes, "machine",
                     machine_as_json(job), "candidates", list, "chosen", job->rows[0].told.name, "move",
                     scalay_advice_should_move(job->advice), "fastest",
                     fastest >= 0 ? json_string(job->rows[fastest].told.name) : json_null());
}

scalay_status scalay_advise_job_report(const scalay_advise_job *job)
{
    return job->options->json ? scalay_json_print(job_as_json(job)) : print_text(job);
}

scalay_status scalay_advise_job_report_machine(const scalay_advise_job *job)
{
    if (job->options->json) return scalay_json_print(machine_as_json(job));
    printf("%d processes: ", job->asked.processes);
    print_machine_line(job);
    printf("        kept in %s\n", job->where);
    return SCALAY_SUCCESS;
}
