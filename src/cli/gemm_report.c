#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "gemm.h"
#include "progress.h"

enum { SENTENCE = 512, MOST_ROWS = 64 };

/* ------------------------------------------------------------------------------------------ what both print */

static double flops(const scalay_gemm_job *job)
{
    const int factor = job->c.type == SCALAY_COMPLEX_FLOAT || job->c.type == SCALAY_COMPLEX_DOUBLE ? 4 : 1;
    return 2.0 * factor * (double)job->c.file.m * (double)job->c.file.n * (double)job->k;
}

/* Mean over largest: 1 when all compute as long. */
static double balance(const scalay_gemm_job *job)
{
    const int ranks = scalay_comm_size(job->comm);
    double sum = 0.0, largest = 0.0;
    for (int rank = 0; rank < ranks; rank++) {
        sum += job->rows[rank].compute;
        largest = fmax(largest, job->rows[rank].compute);
    }
    return largest > 0.0 ? sum / ranks / largest : 1.0;
}

/* --------------------------------------------------------------------------------------------------- text */

static void print_file(const char *name, const scalay_job *job)
{
    char sentence[SENTENCE];
    (void)scalay_file_describe(&job->file, sentence, sizeof sentence);
    printf("%-7s %s: %s; in memory type %s\n        %s\n", name, job->path, sentence, scalay_type_name(job->type),
           job->source_text);
}

static void print_profile(const scalay_gemm_job *job)
{
    printf("%-7s %s, %s%s: %.4g s", "profile", job->options->profile,
           strcmp(job->options->objective, "front-point") == 0 ? "" : "least ", job->options->objective,
           job->share.seconds);
    if (isfinite(job->share.joules))
        printf(" and %.4g J%s", job->share.joules, job->share.modelled ? " (modelled, not measured)" : "");
    printf(" predicted for computing\n");
}

static void print_problem(const scalay_gemm_job *job)
{
    printf("C := A B, %lld x %lld by %lld x %lld, on %d processes\n\n", (long long)job->c.file.m, (long long)job->k,
           (long long)job->k, (long long)job->c.file.n, scalay_comm_size(job->comm));
    print_file("A", &job->a);
    print_file("B", &job->b);
    printf("%-7s %s\n", "C", job->c.source_text);
    if (job->share.profile == NULL)
        printf("%-7s none: all processes count as equally fast\n", "profile");
    else
        print_profile(job);
    printf("\n");
}

static scalay_status print_ways(const scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "strategy|moved|travels|move ms|multiply ms|total ms|predicted ms|Gflop/s"));
    for (int k = 0; k < job->count; k++) {
        const scalay_strategy *s = &job->strategies[k];
        SCALAY_TRY(scalay_table_add(
            &table, "%s%s|%lld|%lld|%.2f|%.2f|%.2f|%.2f|%.2f", s->name, k == job->chosen ? " *" : "",
            (long long)s->volume, (long long)job->ways[k].statistics.multiply_volume, 1e3 * s->move_seconds,
            1e3 * s->kernel_seconds, 1e3 * (s->move_seconds + s->kernel_seconds), 1e3 * s->predicted_seconds,
            s->kernel_seconds > 0.0 ? 1e-9 * flops(job) / s->kernel_seconds : 0.0));
    }
    scalay_table_print(&table);
    printf("  (* chosen; times are medians of %lld; moved: elements of A, B and C before and after; travels: elements "
           "of A\n  and B in the multiplication)\n",
           (long long)job->a.repeat);
    for (int k = 0; k < job->skips; k++) printf("  %s does not exist for these areas\n", job->skipped[k]);
cleanup:
    scalay_table_free(&table);
    return status;
}

static scalay_status print_rows(const scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    const int ranks = scalay_comm_size(job->comm);
    const double all = (double)job->c.file.m * (double)job->c.file.n;
    const double bytes = (double)scalay_type_size(job->c.type);
    SCALAY_TRY(
        scalay_table_add(&table, "process|share|compute ms|predicted|communicate ms|predicted|MB received|MB sent"));
    for (int rank = 0; rank < ranks && rank < MOST_ROWS; rank++) {
        const scalay_gemm_row *row = &job->rows[rank];
        SCALAY_TRY(scalay_table_add(
            &table, "%d|%.2f%%|%.2f|%.2f|%.2f|%.2f|%.3f|%.3f", rank, scalay_percent((double)row->elements, all),
            1e3 * row->compute, 1e3 * row->predicted_compute, 1e3 * row->communicate, 1e3 * row->predicted_communicate,
            1e-6 * bytes * (double)row->received, 1e-6 * bytes * (double)row->sent));
    }
    printf("\n");
    scalay_table_print(&table);
    if (ranks > MOST_ROWS) printf("  (%d more: see --json)\n", ranks - MOST_ROWS);
    printf("  load balance of computing (mean over largest): %.3f\n\n", balance(job));
cleanup:
    scalay_table_free(&table);
    return status;
}

static scalay_status print_text(const scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    print_problem(job);
    SCALAY_TRY(print_ways(job));
    SCALAY_TRY(print_rows(job));
    scalay_print_wrapped(job->how, 0, stdout);
    printf("\ncheck   |A (B x) - C x| for a random x is %.3g of what rounding may amount to: below 1 is right\n",
           job->check);
    if (job->options->verify)
        printf("verify  difference from p?gemm's product over the norms of A and B: %.3g\n", job->difference);
    if (job->options->output != NULL) printf("C is in %s.\n", job->options->output);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- JSON */

static json_t *row_as_json(const scalay_gemm_job *job, int rank)
{
    const scalay_gemm_row *row = &job->rows[rank];
    const json_int_t bytes = (json_int_t)scalay_type_size(job->c.type);
    json_t *rows = job->share.size != NULL ? json_integer((json_int_t)job->share.size[rank]) : json_null();
    return json_pack("{s:i, s:i, s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "process", rank, "group",
                     job->share.group[rank], "rows", rows, "elements", (json_int_t)row->elements, "compute_seconds",
                     scalay_json_number(row->compute), "predicted_compute_seconds",
                     scalay_json_number(row->predicted_compute), "communicate_seconds",
                     scalay_json_number(row->communicate), "predicted_communicate_seconds",
                     scalay_json_number(row->predicted_communicate), "bytes_sent", bytes * (json_int_t)row->sent,
                     "bytes_received", bytes * (json_int_t)row->received);
}

static json_t *rows_as_json(const scalay_gemm_job *job)
{
    json_t *list = json_array();
    for (int rank = 0; list != NULL && rank < scalay_comm_size(job->comm); rank++) {
        if (json_array_append_new(list, row_as_json(job, rank)) == 0) continue;
        json_decref(list);
        list = NULL;
    }
    return list;
}

/* What the strategies of a product have besides those of other jobs. */
static int add_volumes(const scalay_gemm_job *job, json_t *document)
{
    json_t *list = json_object_get(document, "strategies");
    for (int k = 0; k < job->count; k++) {
        json_t *one = json_array_get(list, (size_t)k);
        const scalay_gemm_statistics *s = &job->ways[k].statistics;
        if (json_object_set_new(one, "multiply_volume", json_integer((json_int_t)s->multiply_volume)) != 0 ||
            json_object_set_new(one, "predicted_move_seconds", scalay_json_number(s->predicted_move_seconds)) != 0 ||
            json_object_set_new(one, "predicted_multiply_seconds", scalay_json_number(s->predicted_multiply_seconds)) !=
                0)
            return 0;
    }
    return 1;
}

static scalay_status print_json(const scalay_gemm_job *job)
{
    json_t *document = scalay_strategies_as_json(&job->c, job->strategies, job->count, job->chosen);
    json_t *skipped = json_array();
    for (int k = 0; k < job->skips; k++) (void)json_array_append_new(skipped, json_string(job->skipped[k]));
    json_t *difference = job->options->verify ? scalay_json_number(job->difference) : json_null();
    json_t *more =
        json_pack("{s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "k", (json_int_t)job->k, "source",
                  job->a.source_text, "target", job->c.source_text, "check", scalay_json_number(job->check),
                  "difference", difference, "balance", scalay_json_number(balance(job)), "workload_seconds",
                  scalay_json_number(job->share.seconds), "workload_joules", scalay_json_number(job->share.joules),
                  "modelled", job->share.modelled, "parts", rows_as_json(job), "skipped", skipped);
    if (document == NULL || more == NULL || json_object_update(document, more) != 0 || !add_volumes(job, document)) {
        json_decref(document);
        document = NULL;
    }
    json_decref(more);
    return scalay_json_print(document);
}

scalay_status scalay_gemm_job_report(const scalay_gemm_job *job)
{
    scalay_progress_stop();
    return job->options->json ? print_json(job) : print_text(job);
}
