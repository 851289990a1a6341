/*
 * scalay gemm: a product C := A B of two matrix files on processors of different speeds. A profile gives the workload,
 * the workload the areas, the areas a partition of C; SUMMA computes the product. This file has options, checks and
 * report.
 */

#include "gemm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "parallel/agree.h"

enum { DEFAULT_BLOCK = 64, CHECK_SEED = 1, SENTENCE = 512, MAX_ROWS = 64 };

typedef scalay_gemm_cli_options gemm_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Matrices"),
    SCALAY_ROW(gemm_options, job.from, SCALAY_OPTION_TEXT, "from", "LAYOUT",
               "source layout of A and B, without m and n", "block-cyclic on the most square grid"),
    SCALAY_ROW(gemm_options, to, SCALAY_OPTION_TEXT, "to", "LAYOUT", "target layout of C, without m and n",
               "block-cyclic on the most square grid"),
    SCALAY_ROW(gemm_options, nb, SCALAY_OPTION_COUNT, "nb", "NB", "block size of grids", "64"),
    SCALAY_CHOICE_ROW(gemm_options, job.type, "type", "TYPE", "s|d|c|z", "element type", "d, or z for complex files"),
    SCALAY_GROUP_ROW("Distribution"),
    SCALAY_ROW(gemm_options, profile, SCALAY_OPTION_TEXT, "profile", "FILE.csv",
               "speeds of the ranks: one processor per rank, in rows of the product", "equal speeds"),
    SCALAY_ROW(gemm_options, measure, SCALAY_OPTION_FLAG, "measure", "",
               "measure the profile first; with --profile FILE.csv, keep it there", NULL),
    SCALAY_CHOICE_ROW(gemm_options, objective, "objective", "NAME", "time|energy|front-point",
                      "objective of the distribution of the rows", "time"),
    SCALAY_FRONT_POINT_ROWS(gemm_options, point),
    SCALAY_ROW(gemm_options, shape, SCALAY_OPTION_TEXT, "shape", "NAME",
               "shape of the parts of C; see scalay partition --help", "auto"),
    SCALAY_TRANSPORT_ROW(gemm_options, job),
    SCALAY_GROUP_ROW("Measurement"),
    SCALAY_ROW(gemm_options, compare, SCALAY_OPTION_FLAG, "compare", "",
               "also run p?gemm on the most square grid, and the other shapes", NULL),
    SCALAY_ROW(gemm_options, verify, SCALAY_OPTION_FLAG, "verify", "", "compare the product with that of p?gemm", NULL),
    SCALAY_MACHINE_ROW(gemm_options, job),
    SCALAY_REPEAT_ROW(gemm_options, job),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_ROW(gemm_options, output, SCALAY_OPTION_OUTPUT, "output", "FILE.{npy,mtx,h5:/NAME}", "write the product",
               NULL),
    SCALAY_JSON_ROW(gemm_options),
    SCALAY_QUIET_ROW(gemm_options),
    SCALAY_LAST_ROW,
};

/* ------------------------------------------------------------------------------------------------- options */

static scalay_status check_shape(const char *shape)
{
    if (shape == NULL) return SCALAY_SUCCESS;
    for (int k = 0; scalay_partition_shapes(k) != NULL; k++)
        if (strcmp(scalay_partition_shapes(k), shape) == 0) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--shape is '%s', which is not known; scalay partition --help lists the shapes", shape);
}

static scalay_status check_point(const gemm_options *o)
{
    const int selections = scalay_front_point_count(&o->point);
    const int is_front = strcmp(o->objective, "front-point") == 0;
    if (is_front && selections != 1)
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "--objective front-point needs one of --knee, --within-time and --within-energy; %d are given", selections);
    if (!is_front && selections > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--knee, --within-time and --within-energy select a point of a front; add --objective "
                           "front-point");
    if (o->measure && strcmp(o->objective, "time") != 0)
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "--measure measures times; --objective must be time. Use scalay profile --meter for energies");
    if (o->profile == NULL && strcmp(o->objective, "time") != 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective %s needs --profile FILE.csv", o->objective);
    return SCALAY_SUCCESS;
}

static scalay_status check_options(const gemm_options *o)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_shape(o->shape));
    SCALAY_TRY(check_point(o));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- text */

static double flops(const scalay_gemm_job *job)
{
    const int factor = job->c.type == SCALAY_COMPLEX_FLOAT || job->c.type == SCALAY_COMPLEX_DOUBLE ? 4 : 1;
    return 2.0 * factor * (double)job->c.file.m * (double)job->c.file.n * (double)job->k;
}

/* Returns mean over maximum of the compute times: 1 if all are equal. */
static double balance(const scalay_gemm_job *job)
{
    const int ranks = scalay_comm_size(job->comm);
    double sum = 0.0, max_compute = 0.0;
    for (int rank = 0; rank < ranks; rank++) {
        sum += job->rows[rank].compute;
        max_compute = fmax(max_compute, job->rows[rank].compute);
    }
    return max_compute > 0.0 ? sum / ranks / max_compute : 1.0;
}

static void print_file(const char *name, const scalay_job *job)
{
    char sentence[SENTENCE];
    (void)scalay_file_describe(&job->file, sentence, sizeof sentence);
    printf("%-7s %s: %s; in memory type %s\n        %s\n", name, job->path, sentence, scalay_type_name(job->type),
           job->source_text);
}

static void print_profile(const scalay_gemm_job *job)
{
    printf("%-7s %s%s, %s%s: %.4g s", "profile", job->options->profile != NULL ? job->options->profile : "measured",
           job->share.interpolated ? ", between its sizes" : "",
           strcmp(job->options->objective, "front-point") == 0 ? "" : "minimum ", job->options->objective,
           job->share.seconds);
    if (isfinite(job->share.joules))
        printf(" and %.4g J%s", job->share.joules, job->share.modelled ? " (modelled, not measured)" : "");
    printf(" predicted for computing\n");
    if (job->share.predicted < job->share.predicted_by_profile)
        printf("%-7s by computing and communication: %.4g s predicted, %.4g s by computing alone\n", "shares",
               job->share.predicted, job->share.predicted_by_profile);
}

static void print_problem(const scalay_gemm_job *job)
{
    printf("C := A B, %lld x %lld by %lld x %lld, on %d process%s\n\n", (long long)job->c.file.m, (long long)job->k,
           (long long)job->k, (long long)job->c.file.n, scalay_comm_size(job->comm),
           scalay_comm_size(job->comm) == 1 ? "" : "es");
    print_file("A", &job->a);
    print_file("B", &job->b);
    printf("%-7s %s\n", "C", job->c.source_text);
    if (job->share.profile == NULL)
        printf("%-7s none: equal speeds\n", "profile");
    else
        print_profile(job);
    printf("\n");
}

static scalay_status print_strategies(const scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "strategy|moved|sent|move ms|multiply ms|total ms|predicted ms|Gflop/s"));
    for (int k = 0; k < job->count; k++) {
        const scalay_strategy *s = &job->costs[k];
        SCALAY_TRY(scalay_table_add(
            &table, "%s%s|%lld|%lld|%.2f|%.2f|%.2f|%.2f|%.2f", s->name, k == job->chosen ? " *" : "",
            (long long)s->volume, (long long)job->strategies[k].statistics.multiply_volume, 1e3 * s->move_seconds,
            1e3 * s->kernel_seconds, 1e3 * (s->move_seconds + s->kernel_seconds), 1e3 * s->predicted_seconds,
            s->kernel_seconds > 0.0 ? 1e-9 * flops(job) / s->kernel_seconds : 0.0));
    }
    scalay_table_print(&table);
    printf("  (* chosen; times are medians of %lld; moved: elements of A, B and C before and after;\n"
           "  sent: elements of A and B during the multiplication)\n",
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
    for (int rank = 0; rank < ranks && rank < MAX_ROWS; rank++) {
        const scalay_gemm_row *row = &job->rows[rank];
        SCALAY_TRY(scalay_table_add(
            &table, "%d|%.2f%%|%.2f|%.2f|%.2f|%.2f|%.3f|%.3f", rank, scalay_percent((double)row->elements, all),
            1e3 * row->compute, 1e3 * row->predicted_compute, 1e3 * row->communicate, 1e3 * row->predicted_communicate,
            1e-6 * bytes * (double)row->received, 1e-6 * bytes * (double)row->sent));
    }
    printf("\n");
    scalay_table_print(&table);
    if (ranks > MAX_ROWS) printf("  (%d more: see --json)\n", ranks - MAX_ROWS);
    printf("  balance of the compute times (mean / maximum): %.3f\n\n", balance(job));
cleanup:
    scalay_table_free(&table);
    return status;
}

static scalay_status print_text(const scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    print_problem(job);
    SCALAY_TRY(print_strategies(job));
    SCALAY_TRY(print_rows(job));
    scalay_print_wrapped(job->description, 0, 0, stdout);
    printf("\ncheck   |A (B x) - C x| for a random x is %.3g of the bound on rounding (correct: below 1)\n",
           job->check);
    if (job->options->verify)
        printf("verify  difference from the product of p?gemm over the norms of A and B: %.3g\n", job->difference);
    if (job->options->output != NULL) printf("C is in %s.\n", job->options->output);
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- JSON */

static json_t *row_as_json(const void *context, int64_t rank)
{
    const scalay_gemm_job *job = context;
    const scalay_gemm_row *row = &job->rows[rank];
    const json_int_t bytes = (json_int_t)scalay_type_size(job->c.type);
    const scalay_gemm_share *share = &job->share;
    json_t *rows = share->size != NULL ? json_integer((json_int_t)share->size[rank]) : json_null();
    json_t *by_profile =
        share->size_by_profile != NULL ? json_integer((json_int_t)share->size_by_profile[rank]) : json_null();
    return json_pack("{s:I, s:i, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "process", (json_int_t)rank, "group",
                     share->group[rank], "rows", rows, "rows_by_profile", by_profile, "elements",
                     (json_int_t)row->elements, "compute_seconds", scalay_json_number(row->compute),
                     "predicted_compute_seconds", scalay_json_number(row->predicted_compute), "communicate_seconds",
                     scalay_json_number(row->communicate), "predicted_communicate_seconds",
                     scalay_json_number(row->predicted_communicate), "bytes_sent", bytes * (json_int_t)row->sent,
                     "bytes_received", bytes * (json_int_t)row->received);
}

static json_t *skipped_as_json(const void *context, int64_t k)
{
    return json_string(((const scalay_gemm_job *)context)->skipped[k]);
}

/* Adds the keys that strategies of a product have and those of other jobs have not. */
static int add_volumes(const scalay_gemm_job *job, json_t *document)
{
    json_t *list = json_object_get(document, "strategies");
    int failed = 0;
    for (int k = 0; k < job->count; k++) {
        json_t *one = json_array_get(list, (size_t)k);
        const scalay_gemm_statistics *s = &job->strategies[k].statistics;
        failed |=
            json_object_set_new(one, "multiply_volume", json_integer((json_int_t)s->multiply_volume)) |
            json_object_set_new(one, "predicted_move_seconds", scalay_json_number(s->predicted_move_seconds)) |
            json_object_set_new(one, "predicted_multiply_seconds", scalay_json_number(s->predicted_multiply_seconds));
    }
    return failed;
}

static scalay_status print_json(const scalay_gemm_job *job)
{
    json_t *document = scalay_strategies_as_json(&job->c, job->costs, job->count, job->chosen);
    json_t *difference = job->options->verify ? scalay_json_number(job->difference) : json_null();
    json_t *parts = scalay_json_list(scalay_comm_size(job->comm), row_as_json, job);
    json_t *skipped = scalay_json_list(job->skips, skipped_as_json, job);
    const scalay_gemm_share *share = &job->share;
    const int is_charged = share->size_by_profile != NULL;
    json_t *predicted = scalay_json_number(is_charged ? share->predicted : NAN);
    json_t *by_profile = scalay_json_number(is_charged ? share->predicted_by_profile : NAN);
    json_t *more =
        json_pack("{s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o}", "k", (json_int_t)job->k,
                  "source", job->a.source_text, "target", job->c.source_text, "check", scalay_json_number(job->check),
                  "difference", difference, "balance", scalay_json_number(balance(job)), "workload_seconds",
                  scalay_json_number(job->share.seconds), "workload_joules", scalay_json_number(job->share.joules),
                  "shares_seconds", predicted, "shares_by_profile_seconds", by_profile, "modelled", job->share.modelled,
                  "interpolated", job->share.interpolated, "parts", parts, "skipped", skipped);
    document = scalay_json_join(document, more);
    if (document != NULL && add_volumes(job, document)) {
        json_decref(document);
        document = NULL;
    }
    return scalay_json_print(document);
}

static scalay_status report(const scalay_gemm_job *job)
{
    scalay_progress_stop();
    if (job->options->common.json) return print_json(job);
    return job->options->common.quiet ? SCALAY_SUCCESS : print_text(job);
}

/* ------------------------------------------------------------------------------------------------- the job */

static int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static scalay_status check_extents(const scalay_gemm_job *job)
{
    if (job->a.file.n != job->b.file.m)
        return SCALAY_FAIL(
            SCALAY_ERROR_MISMATCH,
            "%s is %lld x %lld and %s is %lld x %lld; the columns of the first must equal the rows of the "
            "second",
            job->a.path, (long long)job->a.file.m, (long long)job->a.file.n, job->b.path, (long long)job->b.file.m,
            (long long)job->b.file.n);
    if (job->c.file.m < 1 || job->c.file.n < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the product is %lld x %lld; it must have at least one element",
                           (long long)job->c.file.m, (long long)job->c.file.n);
    return SCALAY_SUCCESS;
}

/* Opens both files and sets extents and type of their product. */
static scalay_status open_files(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const gemm_options *o = job->options;
    SCALAY_TRY(scalay_job_open(job->comm, o->common.operand[0], &o->job, 1, &job->a));
    SCALAY_TRY(scalay_job_open(job->comm, o->common.operand[1], &o->job, 1, &job->b));
    if (is_complex(job->b.type)) job->a.type = job->b.type;
    job->b.type = job->a.type;
    job->c = (scalay_job){.comm = job->comm, .path = "the product", .type = job->a.type, .repeat = job->a.repeat};
    job->c.file.m = job->a.file.m;
    job->c.file.n = job->b.file.n;
    job->k = job->a.file.n;
    SCALAY_TRY(check_extents(job));
cleanup:
    return status;
}

static scalay_status allocate_product(scalay_gemm_job *job, const char *to)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_job_read_layout(&job->c, "--to", to, SCALAY_NO_TRANSPOSE, &job->c.source));
    status = scalay_input_complete_layout(to, job->c.file.m, job->c.file.n, &job->c.source_text);
    if (status == SCALAY_SUCCESS) status = scalay_job_new_local(&job->c, job->c.source, &job->c.local);
    SCALAY_TRY(scalay_comm_agree(job->comm, status));
cleanup:
    return status;
}

/* Loads A and B and allocates C. The default layouts are those of a usual ScaLAPACK program. */
static scalay_status load(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const gemm_options *o = job->options;
    int grid[2];
    char usual[SCALAY_SOURCE_SIZE];
    scalay_gemm_square_grid(scalay_comm_size(job->comm), grid);
    (void)snprintf(usual, sizeof usual, "cyclic:mb=%lld,nb=%lld,p=%d,q=%d", (long long)o->nb, (long long)o->nb, grid[0],
                   grid[1]);
    SCALAY_TRY(scalay_job_load(&job->a, o->job.from != NULL ? o->job.from : usual));
    SCALAY_TRY(scalay_job_load(&job->b, o->job.from != NULL ? o->job.from : usual));
    SCALAY_TRY(allocate_product(job, o->to != NULL ? o->to : usual));
cleanup:
    return status;
}

static scalay_status check_product(scalay_gemm_job *job)
{
    const scalay_gemm_product product = {.type = job->c.type,
                                         .layout_a = job->a.source,
                                         .layout_b = job->b.source,
                                         .layout_c = job->c.source,
                                         .a = job->a.local,
                                         .b = job->b.local,
                                         .c = job->c.local};
    scalay_progress_say("checking");
    return scalay_gemm_check(job->comm, &product, CHECK_SEED, &job->check);
}

static scalay_status write_product(scalay_gemm_job *job)
{
    const char *path = job->options->output;
    if (path == NULL) return SCALAY_SUCCESS;
    scalay_progress_say("writing %s", path);
    return scalay_matrix_write(job->comm, path, NULL, job->c.source, job->c.type, job->c.local);
}

/* Returns the rounding error that two products may differ by. */
static double max_difference(const scalay_gemm_job *job)
{
    const int is_single = job->c.type == SCALAY_FLOAT || job->c.type == SCALAY_COMPLEX_FLOAT;
    return 10.0 * (double)(job->k + 1) * (is_single ? FLT_EPSILON : DBL_EPSILON);
}

/* Fails if the product is wrong. */
static scalay_status judge(const scalay_gemm_job *job)
{
    if (isnan(job->check) || isnan(job->difference))
        return SCALAY_FAIL(
            SCALAY_ERROR_INFEASIBLE,
            "the check is not a number; %s or %s has elements that are infinite, NaN, or too large for their "
            "products",
            job->a.path, job->b.path);
    if (job->check > 1.0)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL,
                           "the check is %g; it must be at most 1. The product is wrong; please report this",
                           job->check);
    if (job->difference > max_difference(job))
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL,
                           "the product differs from that of p?gemm by %g; it is wrong. Please report this",
                           job->difference);
    return SCALAY_SUCCESS;
}

static scalay_status multiply(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(open_files(job));
    SCALAY_TRY(scalay_gemm_find_shares(job));
    SCALAY_TRY(scalay_gemm_list_strategies(job));
    SCALAY_TRY(scalay_comm_agree(job->comm, SCALAY_NEW(job->rows, scalay_comm_size(job->comm))));
    SCALAY_TRY(load(job));
    SCALAY_TRY(scalay_job_find_machine(job->comm, &job->options->job, &job->machine));
    SCALAY_TRY(scalay_gemm_charge_communication(job));
    SCALAY_TRY(scalay_gemm_run_strategies(job));
    SCALAY_TRY(check_product(job));
    if (job->options->verify) SCALAY_TRY(scalay_gemm_verify(job));
    SCALAY_TRY(write_product(job));
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_comm_rank(job->comm) == 0 ? report(job) : SCALAY_SUCCESS));
    SCALAY_TRY(judge(job));
cleanup:
    return status;
}

static void close_job(scalay_gemm_job *job)
{
    for (int k = 0; k < job->count; k++) {
        scalay_owner_map_destroy(&job->strategies[k].map);
        scalay_strategy_free(&job->costs[k]);
    }
    scalay_release(job->rows);
    scalay_gemm_free_share(&job->share);
    scalay_job_close(&job->c);
    scalay_job_close(&job->b);
    scalay_job_close(&job->a);
}

static scalay_status run_gemm(const void *given, scalay_comm *comm)
{
    gemm_options options = *(const gemm_options *)given;
    if (options.objective == NULL) options.objective = "time";
    if (options.nb == 0) options.nb = DEFAULT_BLOCK;
    scalay_gemm_job job = {.options = &options, .comm = comm};
    scalay_status status = scalay_comm_agree(comm, check_options(&options));
    const int is_root = scalay_comm_rank(comm) == 0;
    if (status == SCALAY_SUCCESS)
        status =
            scalay_comm_agree(comm, is_root ? scalay_job_check_output("--output", options.output) : SCALAY_SUCCESS);
    if (status == SCALAY_SUCCESS) status = multiply(&job);
    close_job(&job);
    return status;
}

const scalay_subcommand scalay_subcommand_gemm = {
    .name = "gemm",
    .summary = "multiply two matrices on processors of different speeds",
    .usage = {"A B [--profile FILE.csv] [OPTIONS]"},
    .description =
        "Multiplies two matrix files (.npy, Matrix Market array, or FILE.h5:/NAME), C := A B. The profile determines "
        "the rows of the product for each process. With --objective time, the predicted communication of each part "
        "counts, too: rows move if the whole product becomes faster by prediction. The product is partitioned into "
        "parts of these areas, parts are mapped to processes, A and B are moved there, SUMMA multiplies, and C is "
        "moved to its target layout. Reports predicted and measured times, and checks A (B x) = C x for a random "
        "vector x.\n"
        "\n"
        "Size x of the profile is x rows of a product x x k by k x n in double precision. The profile has one "
        "processor per rank, in the order of the ranks.\n",
    .example = "  mpirun -n 3 scalay gemm a.npy b.npy --profile ranks.csv \\\n"
               "              --compare --output c.npy\n",
    .operand = {"A", "B"},
    .table = option_table,
    .options_size = sizeof(gemm_options),
    .needs_mpi = 1,
    .run = run_gemm,
};
