/*
 * scalay calibrate: measures the rates of the machine with the processes of mpirun, and stores them for scalay advise,
 * scalay gemm and the one-call routines.
 */

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input.h"
#include "job.h"
#include "measure/calibration.h"
#include "parallel/agree.h"

/* Long enough to see a shared machine at its full speed. */
#define DEFAULT_SECONDS 10.0

typedef struct {
    scalay_common_options common;
    const char *machine;
    scalay_option_number seconds;
} calibrate_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Measurement"),
    SCALAY_ROW(calibrate_options, seconds, SCALAY_OPTION_NUMBER, "seconds", "S",
               "time limit of the measurement in seconds, above 0", "10"),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_ROW(calibrate_options, machine, SCALAY_OPTION_OUTPUT, "machine", "FILE", "calibration file",
               "in the cache, for this machine and number of processes"),
    SCALAY_JSON_ROW(calibrate_options),
    SCALAY_QUIET_ROW(calibrate_options),
    SCALAY_LAST_ROW,
};

/* Takes that differ more are reported. */
#define VARIES 0.2

/* The measurement and its file. */
typedef struct {
    char path[4096];
    scalay_calibration calibration;
} calibrate_job;

/* ---------------------------------------------------------------------------------------------------------------- text
 */

/* Adds a rate as 1 / seconds, in units of 10^9 per second, or as microseconds. */
static scalay_status add_rate(const calibrate_job *job, const char *name, int rate, double seconds, scalay_table *table)
{
    const double spread = 100.0 * job->calibration.sample.spread[rate];
    const int is_latency = rate == SCALAY_RATE_MESSAGE || rate == SCALAY_RATE_MESSAGE_WITHIN ||
                           rate == SCALAY_RATE_LARGE_MESSAGE || rate == SCALAY_RATE_CALL;
    const char *unit = rate == SCALAY_RATE_FLOP || rate == SCALAY_RATE_FLOP_VECTOR ? "Gflop/s"
                       : is_latency                                                ? "us"
                                                                                   : "GB/s";
    const double value = is_latency ? 1e6 * seconds : 1e-9 / seconds;
    if (seconds == 0.0) return SCALAY_SUCCESS; /* nodes of one rank have no links within */
    return scalay_table_add(table, "%s|%.3g|%s|%.1f%%", name, value, unit, spread);
}

/* The link of a single node. */
static scalay_status add_link(const calibrate_job *job, scalay_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine *m = &job->calibration.sample.machine;
    SCALAY_TRY(add_rate(job, "bandwidth of a link", SCALAY_RATE_BYTE, m->seconds_per_byte, table));
    SCALAY_TRY(add_rate(job, "latency of a message", SCALAY_RATE_MESSAGE, m->seconds_per_message, table));
    SCALAY_TRY(
        add_rate(job, "start of a large message", SCALAY_RATE_LARGE_MESSAGE, m->seconds_per_large_message, table));
cleanup:
    return status;
}

/* The links within and between nodes. */
static scalay_status add_links(const calibrate_job *job, scalay_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine *m = &job->calibration.sample.machine;
    SCALAY_TRY(add_rate(job, "bandwidth within a node", SCALAY_RATE_BYTE_WITHIN, m->seconds_per_byte_within, table));
    SCALAY_TRY(add_rate(job, "bandwidth between nodes", SCALAY_RATE_BYTE, m->seconds_per_byte, table));
    SCALAY_TRY(add_rate(job, "  of one rank per node", SCALAY_RATE_BYTE_ALONE, m->seconds_per_byte_alone, table));
    SCALAY_TRY(
        add_rate(job, "latency within a node", SCALAY_RATE_MESSAGE_WITHIN, m->seconds_per_message_within, table));
    SCALAY_TRY(add_rate(job, "latency between nodes", SCALAY_RATE_MESSAGE, m->seconds_per_message, table));
    SCALAY_TRY(add_rate(job, "  of a large message", SCALAY_RATE_LARGE_MESSAGE, m->seconds_per_large_message, table));
    if (m->long_message_ratio > 0.0)
        SCALAY_TRY(scalay_table_add(table, "long messages over short|%.2f|time|-", m->long_message_ratio));
cleanup:
    return status;
}

/* Adds a rate of a type or pair of types, or "-" if it was not measured. */
static void append_rate(scalay_text *text, double seconds, int is_latency)
{
    if (seconds == 0.0)
        scalay_text_append(text, "|-");
    else
        scalay_text_append(text, "|%.3g", is_latency ? 1e6 * seconds : 1e-9 / seconds);
}

static scalay_status print_types(const calibrate_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine *m = &job->calibration.sample.machine;
    scalay_table table = {0};
    const int types = (int)m->node_types;
    printf("\nTypes of nodes:\n");
    for (int t = 0; t < types; t++) {
        const scalay_node_type *type = &job->calibration.type[t];
        printf("  %d: %lld node%s of %lld processors, %s, %s, %lld thread%s\n", t, (long long)type->nodes,
               type->nodes == 1 ? "" : "s", (long long)type->cores, type->cpu, type->blas, (long long)type->threads,
               type->threads == 1 ? "" : "s");
    }
    SCALAY_TRY(scalay_table_add(&table, "types|Gflop/s|latency us|bandwidth GB/s"));
    for (int t = 0; t < types; t++) {
        char row[128] = "";
        scalay_text text = {row, sizeof row, 0};
        scalay_text_append(&text, "within %d", t);
        append_rate(&text, m->type_seconds_per_flop[t], 0);
        append_rate(&text, m->type_seconds_per_message[t], 1);
        append_rate(&text, m->type_seconds_per_byte[t], 0);
        SCALAY_TRY(scalay_table_add(&table, "%s", row));
    }
    for (int b = 0; b < types; b++)
        for (int a = 0; a <= b; a++) {
            char row[128] = "";
            scalay_text text = {row, sizeof row, 0};
            scalay_text_append(&text, "%d to %d|", a, b);
            append_rate(&text, m->pair_seconds_per_message[b * (b + 1) / 2 + a], 1);
            append_rate(&text, m->pair_seconds_per_byte[b * (b + 1) / 2 + a], 0);
            SCALAY_TRY(scalay_table_add(&table, "%s", row));
        }
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

static scalay_status print_rates(const calibrate_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine *m = &job->calibration.sample.machine;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "rate|value|unit|precision"));
    SCALAY_TRY(add_rate(job, "level-3 BLAS", SCALAY_RATE_FLOP, m->seconds_per_flop, &table));
    SCALAY_TRY(add_rate(job, "level-2 BLAS", SCALAY_RATE_FLOP_VECTOR, m->seconds_per_flop_vector, &table));
    SCALAY_TRY(add_rate(job, "copying", SCALAY_RATE_BYTE_COPIED, m->seconds_per_byte_copied, &table));
    SCALAY_TRY(add_rate(job, "small call of the BLAS", SCALAY_RATE_CALL, m->seconds_per_call, &table));
    SCALAY_TRY(m->nodes > 1 ? add_links(job, &table) : add_link(job, &table));
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_curves(const scalay_machine *m)
{
    printf("\ndgemm by its smallest extent, Gflop/s:\n ");
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++)
        printf(" %d: %.3g%s", 1 << k, 1e-9 / m->gemm_curve[k], k + 1 < SCALAY_GEMM_CURVE ? "," : "\n");
    printf("dgemv by the size of the matrix in KiB, Gflop/s:\n ");
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++)
        printf(" %d: %.3g%s", 16 << (2 * k), 1e-9 / m->vector_curve[k], k + 1 < SCALAY_VECTOR_CURVE ? "," : "\n");
    printf("packing by the size of the matrix in KiB, GB/s:\n ");
    for (int k = 0; k < SCALAY_COPY_CURVE; k++)
        printf(" %d: %.3g%s", 16 << (2 * k), 1e-9 / m->copy_curve[k], k + 1 < SCALAY_COPY_CURVE ? "," : "\n");
    printf("exchanged rows by the number of rows of the matrix, ns per element:\n ");
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++)
        printf(" %d: %.3g%s", 64 << k, 1e9 * m->swap_curve[k], k + 1 < SCALAY_SWAP_CURVE ? "," : "\n");
}

/* Says on stderr what is wrong with the use of the cores. */
static void warn_of_cores(const calibrate_job *job)
{
    char text[512];
    for (int fault = 0; fault < SCALAY_CORE_USE_FAULTS; fault++)
        if (scalay_core_use_describe(&job->calibration.sample.core_use, fault, text, sizeof text) > 0)
            (void)fprintf(stderr, "scalay calibrate: %s.\n", text);
}

static scalay_status print_text(const calibrate_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_calibration *c = &job->calibration;
    const scalay_machine *m = &c->sample.machine;
    printf("Machine with %lld processes, %lld at once, on %lld node%s\n\nprocessor  %s\nBLAS       %s, %lld thread%s\n"
           "MPI        %s\n\n",
           (long long)c->processes, (long long)m->concurrent_processes, (long long)m->nodes, m->nodes == 1 ? "" : "s",
           c->cpu, c->blas, (long long)c->threads, c->threads == 1 ? "" : "s", c->mpi);
    SCALAY_TRY(print_rates(job));
    if (m->node_types > 1) SCALAY_TRY(print_types(job));
    print_curves(m);
    printf("\nA single process is %.2f times as fast; panels that are passed on make computing %.2f times as long.\n",
           1.0 / m->solo_time_ratio, m->ring_slowdown);
    printf("Measured in %.2f s, stored in %s\n", c->sample.seconds, job->path);
    if (c->sample.measurements > 1) printf("Merged from %lld measurements.\n", (long long)c->sample.measurements);
    if (c->sample.busy > SCALAY_BUSY)
        printf("The machine was busy: other programs had %.0f%% of a processor. Measure again on a quiet machine.\n",
               100.0 * c->sample.busy);
    if (c->sample.variation > VARIES)
        printf("Rates of the takes differ by up to %.0f%%: the machine is not equally fast all the time.\n",
               100.0 * c->sample.variation);
    if (scalay_machine_sample_is_doubtful(&c->sample))
        printf("Rates are imprecise, by up to %.0f%%. The next measurement is merged with this one.\n",
               100.0 * scalay_machine_sample_spread(&c->sample));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------- JSON
 */

static json_t *curve_as_json(const double *curve, int points)
{
    json_t *list = json_array();
    for (int k = 0; k < points; k++) (void)json_array_append_new(list, scalay_json_number(curve[k]));
    return list;
}

static json_t *spread_as_json(const scalay_machine_sample *sample)
{
    json_t *spread = json_object();
    for (int rate = 0; rate < SCALAY_RATES; rate++)
        (void)json_object_set_new(spread, scalay_rate_name(rate), scalay_json_number(sample->spread[rate]));
    return spread;
}

static json_t *core_use_as_json(const scalay_core_use *use)
{
    char text[512];
    json_t *faults = json_array();
    for (int fault = 0; fault < SCALAY_CORE_USE_FAULTS; fault++)
        if (scalay_core_use_describe(use, fault, text, sizeof text) > 0)
            (void)json_array_append_new(
                faults, json_pack("{s:s, s:s}", "name", scalay_core_use_fault_name(fault), "text", text));
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "ranks", (json_int_t)use->ranks, "cores",
                     (json_int_t)use->cores, "threads", (json_int_t)use->threads, "thread_cores",
                     (json_int_t)use->thread_cores, "crowded", (json_int_t)use->crowded, "narrow",
                     (json_int_t)use->narrow, "nodes", (json_int_t)use->shared, "faults", faults);
}

static json_t *type_as_json(const scalay_calibration *c, int t)
{
    const scalay_machine *m = &c->sample.machine;
    const scalay_node_type *type = &c->type[t];
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "cpu", type->cpu, "blas", type->blas, "cores",
                     (json_int_t)type->cores, "threads", (json_int_t)type->threads, "nodes", (json_int_t)type->nodes,
                     "seconds_per_flop", scalay_json_number(m->type_seconds_per_flop[t]), "seconds_per_message",
                     scalay_json_number(m->type_seconds_per_message[t]), "seconds_per_byte",
                     scalay_json_number(m->type_seconds_per_byte[t]));
}

/* Types of nodes, and the links between each pair of them. */
static json_t *nodes_as_json(const scalay_calibration *c)
{
    const scalay_machine *m = &c->sample.machine;
    json_t *types = json_array(), *pairs = json_array();
    for (int t = 0; t < m->node_types; t++) (void)json_array_append_new(types, type_as_json(c, t));
    for (int b = 0; b < m->node_types; b++)
        for (int a = 0; a <= b; a++) {
            const int pair = b * (b + 1) / 2 + a;
            (void)json_array_append_new(pairs, json_pack("{s:[i, i], s:o, s:o}", "types", a, b, "seconds_per_message",
                                                         scalay_json_number(m->pair_seconds_per_message[pair]),
                                                         "seconds_per_byte",
                                                         scalay_json_number(m->pair_seconds_per_byte[pair])));
        }
    return json_pack("{s:I, s:o, s:o}", "count", (json_int_t)m->nodes, "types", types, "pairs", pairs);
}

static json_t *rates_as_json(const calibrate_job *job)
{
    const scalay_machine *m = &job->calibration.sample.machine;
    const scalay_machine_sample *sample = &job->calibration.sample;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "seconds_per_flop", scalay_json_number(m->seconds_per_flop), "seconds_per_flop_vector",
        scalay_json_number(m->seconds_per_flop_vector), "seconds_per_message",
        scalay_json_number(m->seconds_per_message), "seconds_per_byte", scalay_json_number(m->seconds_per_byte),
        "seconds_per_byte_copied", scalay_json_number(m->seconds_per_byte_copied), "seconds_per_message_within",
        scalay_json_number(m->seconds_per_message_within), "seconds_per_byte_within",
        scalay_json_number(m->seconds_per_byte_within), "seconds_per_byte_alone",
        scalay_json_number(m->seconds_per_byte_alone), "seconds_per_large_message",
        scalay_json_number(m->seconds_per_large_message), "seconds_per_call", scalay_json_number(m->seconds_per_call),
        "long_message_ratio", scalay_json_number(m->long_message_ratio), "solo_time_ratio",
        scalay_json_number(m->solo_time_ratio), "ring_slowdown", scalay_json_number(m->ring_slowdown), "gemm_curve",
        curve_as_json(m->gemm_curve, SCALAY_GEMM_CURVE), "vector_curve",
        curve_as_json(m->vector_curve, SCALAY_VECTOR_CURVE), "copy_curve",
        curve_as_json(m->copy_curve, SCALAY_COPY_CURVE), "swap_curve", curve_as_json(m->swap_curve, SCALAY_SWAP_CURVE),
        "spread", spread_as_json(sample));
}

static json_t *job_as_json(const calibrate_job *job)
{
    const scalay_calibration *c = &job->calibration;
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "file", job->path, "cpu", c->cpu, "blas", c->blas,
                             "mpi", c->mpi, "threads", (json_int_t)c->threads, "processes", (json_int_t)c->processes,
                             "concurrent_processes", (json_int_t)c->sample.machine.concurrent_processes);
    json_t *rates = rates_as_json(job);
    (void)json_object_update(json, rates);
    json_decref(rates);
    json_t *rest = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I}", "nodes", nodes_as_json(c), "core_use",
                             core_use_as_json(&c->sample.core_use), "busy", scalay_json_number(c->sample.busy),
                             "variation", scalay_json_number(c->sample.variation), "seconds",
                             scalay_json_number(c->sample.seconds), "measurements", (json_int_t)c->sample.measurements);
    (void)json_object_update(json, rest);
    json_decref(rest);
    return json;
}

/* ------------------------------------------------------------------------------------------------------------- command
 */

static scalay_status run_calibrate(const void *given, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    const calibrate_options *options = given;
    static calibrate_job job;
    scalay_calibration_options calibration = scalay_calibration_options_default();
    calibration.path = options->machine;
    calibration.refresh = 1;
    calibration.max_seconds = DEFAULT_SECONDS;
    if (options->seconds.given) calibration.max_seconds = options->seconds.value;
    if (!(calibration.max_seconds > 0.0 && calibration.max_seconds <= 3600.0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--seconds is %g; it must be above 0 and at most 3600",
                           calibration.max_seconds);
    scalay_progress_say("measuring the machine");
    SCALAY_TRY(scalay_calibrate(comm, &calibration, job.path, sizeof job.path, &job.calibration));
    scalay_progress_stop();
    if (scalay_comm_rank(comm) == 0) {
        warn_of_cores(&job);
        if (options->common.json)
            status = scalay_json_print(job_as_json(&job));
        else if (!options->common.quiet)
            status = print_text(&job);
    }
    SCALAY_TRY(scalay_comm_agree(comm, status));
cleanup:
    return status;
}

const scalay_subcommand scalay_subcommand_calibrate = {
    .name = "calibrate",
    .summary = "measure the rates of the machine and store them",
    .usage = {"[OPTIONS]"},
    .description =
        "Measures BLAS, copying and messages with the processes that mpirun starts. Each rate is measured repeatedly "
        "until its mean is precise to 2.5% with 95% confidence (Student's t distribution), or until the time limit. A "
        "measurement has takes of 1.5 s, and the mean of their middle half counts, rate by rate: on shared hardware, a "
        "core is slower for seconds at a time. "
        "The report names a machine that was busy with other programs. On several nodes, links within nodes and "
        "between nodes are measured apart, for each pair of types of nodes. If ranks share cores, are bound badly, or "
        "have too many BLAS threads, a message on stderr says so, with the remedy. Precise rates replace the stored "
        "ones; of imprecise rates, the mean over the measurements is kept.\n"
        "\n"
        "The rates are stored in $XDG_CACHE_HOME/scalay or ~/.cache/scalay. They are valid for this processor model, "
        "BLAS library, number of BLAS threads, MPI library and number of processes, for 30 days. Predictions of scalay "
        "advise and choices of the one-call routines use them.\n",
    .example = "  mpirun -n 4 scalay calibrate\n"
               "  mpirun -n 4 scalay calibrate --seconds 10 --json\n",
    .table = option_table,
    .options_size = sizeof(calibrate_options),
    .needs_mpi = 1,
    .run = run_calibrate,
};
