/* scalay profile: measures how long each processor takes for each size. */

#include "profile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "failure.h"
#include "io/plot.h"
#include "measure/profiler_record.h"
#include "parallel/agree.h"
#include "progress.h"
#include "scalay/context.h"

enum { TEXT = 512, MINUTE = 60, HOUR = 3600 };

static const scalay_option profile_options[] = {
    SCALAY_OPTION_ROW("kernel", SCALAY_OPTION_TEXT, kernel, "NAME:...",
                      "what is measured: dgemm:n=N (size x N times N x N), dgemv:n=N, stencil:n=N (size bars of N "
                      "points), fft:n=N,library=FILE (a library with FFTW 3's interface, such as libfftw3.so.3), or "
                      "command:TEXT (a command of the shell in which %s is the size)"),
    SCALAY_OPTION_ROW("sizes", SCALAY_OPTION_TEXT, sizes, "FIRST:LAST:STEP|S,S,...",
                      "the sizes to measure: a range, or a list"),
    SCALAY_OPTION_ROW(
        "refine", SCALAY_OPTION_SHARE, refine, "SHARE",
        "adds sizes where a time is off the line between its neighbours by more than SHARE (such as 10%), "
        "in the middle to either side"),
    SCALAY_OPTION_ROW("refine-step", SCALAY_OPTION_COUNT, refine_step, "N",
                      "with --refine: sizes no closer than this (default: a sixteenth of the smallest distance)"),
    SCALAY_OPTION_ROW("output", SCALAY_OPTION_TEXT, output, "FILE.csv",
                      "the profile, rewritten after each size; the same command goes on with what it holds. Without: "
                      "printed at the end"),
    SCALAY_OPTION_ROW("restart", SCALAY_OPTION_FLAG, restart, "", "measures again what --output holds"),
    SCALAY_OPTION_ROW("threads", SCALAY_OPTION_COUNT, threads, "N",
                      "threads that BLAS and OpenMP use on each process (default: what they find in the environment)"),
    SCALAY_OPTION_ROW("repetitions", SCALAY_OPTION_TEXT, repetitions, "MIN[:MAX]",
                      "how often a size is executed (default: 5:1000)"),
    SCALAY_OPTION_ROW(
        "precision", SCALAY_OPTION_SHARE, precision, "SHARE",
        "enough repetitions when half the confidence interval is at most SHARE of the mean (default: 2.5%)"),
    SCALAY_OPTION_ROW("confidence", SCALAY_OPTION_SHARE, confidence, "SHARE", "of that interval (default: 95%)"),
    SCALAY_OPTION_ROW("max-seconds", SCALAY_OPTION_NUMBER, max_seconds, "S",
                      "no more repetitions of a size after this time (default: 60)"),
    SCALAY_OPTION_ROW("timeout", SCALAY_OPTION_NUMBER, timeout, "S",
                      "ends a command that takes longer; the size becomes a hole (default: never)"),
    SCALAY_OPTION_ROW(
        "meter", SCALAY_OPTION_TEXT, meter, "NAME",
        "what energies are read from, such as papi, command:..., model:base=W,flop=J,byte=J (default: none)"),
    SCALAY_OPTION_ROW("static-power", SCALAY_OPTION_NUMBER, static_power, "W",
                      "watts of the meter that are not counted (default: measured while the processes sleep)"),
    SCALAY_OPTION_ROW("shared-meter", SCALAY_OPTION_FLAG, shared_meter, "",
                      "all processes of a host read one meter: energies are measured one process after the other, and "
                      "it is checked that they add up"),
    SCALAY_OPTION_ROW("no-group", SCALAY_OPTION_FLAG, no_group, "",
                      "lists each process by itself, also when some have the same function"),
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf}",
                      "draws the functions; the gnuplot script stays as FILE.gp"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

/* ---------------------------------------------------------------------------------------------- numbers */

/* An integer at the start of a text; what follows it, or NULL. */
static const char *parse_size(const char *text, const char *ends, int64_t *size)
{
    size_t length = strcspn(text, ends);
    if (text[0] == '-' || scalay_text_to_int64(text, length, size) != SCALAY_NUMBER_VALID || *size < 1) return NULL;
    return text + length;
}

static scalay_status refuse_sizes(const char *text)
{
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--sizes is '%.200s': give FIRST:LAST:STEP, such as 64:1024:64, or a list such as 64,100,128",
                       text);
}

static scalay_status read_range(const char *text, scalay_profiler_options *options)
{
    const char *at = parse_size(text, ":", &options->first);
    if (at != NULL && *at == ':') at = parse_size(at + 1, ":", &options->last);
    if (at != NULL && *at == ':') at = parse_size(at + 1, ":", &options->step);
    if (at == NULL || *at != '\0' || options->step == 0) return refuse_sizes(text);
    return SCALAY_SUCCESS;
}

static scalay_status read_list(const char *text, scalay_profiler_options *options, int64_t **list)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t room = 0;
    const char *at = text;
    do {
        SCALAY_TRY(SCALAY_GROW(*list, room, options->sizes + 1));
        at = parse_size(at, ",", &(*list)[options->sizes++]);
    } while (at != NULL && *at++ == ',');
    if (at == NULL) status = refuse_sizes(text);
    options->list = *list;
cleanup:
    return status;
}

static scalay_status read_repetitions(const char *text, scalay_repeat_options *repeat)
{
    const char *at = parse_size(text, ":", &repeat->min_repetitions);
    if (repeat->max_repetitions < repeat->min_repetitions) repeat->max_repetitions = repeat->min_repetitions;
    if (at != NULL && *at == ':') at = parse_size(at + 1, ":", &repeat->max_repetitions);
    if (at == NULL || *at != '\0' || repeat->max_repetitions < repeat->min_repetitions)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--repetitions is '%.80s': give MIN or MIN:MAX, such as 5:100", text);
    return SCALAY_SUCCESS;
}

static scalay_status check_options(const scalay_options *given)
{
    if (given->kernel == NULL || given->sizes == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is missing; give --kernel NAME:... and --sizes",
                           given->kernel == NULL ? "--kernel" : "--sizes");
    if (given->refine_step > 0 && !given->refine.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--refine-step goes with --refine SHARE");
    if (given->timeout.given && strncmp(given->kernel, "command:", 8) != 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--timeout goes with --kernel command:..., not with %.80s",
                           given->kernel);
    if (given->static_power.given && (given->meter == NULL || strcmp(given->meter, "none") == 0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--static-power goes with --meter NAME");
    if (given->shared_meter && (given->meter == NULL || strcmp(given->meter, "none") == 0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--shared-meter goes with --meter NAME");
    if (given->restart && given->output == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--restart goes with --output FILE.csv");
    return given->plot != NULL ? scalay_plot_check_path(given->plot) : SCALAY_SUCCESS;
}

static scalay_status read_options(const scalay_options *given, scalay_profiler_options *options,
                                  scalay_repeat_options *repeat, int64_t **list)
{
    scalay_status status = SCALAY_SUCCESS;
    *options = scalay_profiler_options_default();
    SCALAY_TRY(check_options(given));
    SCALAY_TRY(strchr(given->sizes, ':') != NULL ? read_range(given->sizes, options)
                                                 : read_list(given->sizes, options, list));
    if (given->repetitions != NULL) SCALAY_TRY(read_repetitions(given->repetitions, repeat));
    if (given->precision.given) repeat->precision = given->precision.value;
    if (given->confidence.given) repeat->confidence = given->confidence.value;
    if (given->max_seconds.given) repeat->max_seconds = given->max_seconds.value;
    if (given->refine.given) options->refine = given->refine.value;
    if (given->static_power.given) options->static_power = given->static_power.value;
    options->repeat = repeat;
    options->refine_step = given->refine_step;
    options->threads = (int)given->threads;
    options->path = given->output;
    options->restart = given->restart;
    options->no_groups = given->no_group;
    options->shared_meter = given->shared_meter;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- measuring */

static void say_progress(const scalay_profiler_step *step, void *unused)
{
    char left[64] = "";
    int seconds = step->left < INT_MAX ? (int)step->left : INT_MAX;
    (void)unused;
    if (seconds >= HOUR)
        (void)snprintf(left, sizeof left, ", about %d h %d min left", seconds / HOUR, seconds % HOUR / MINUTE);
    else if (seconds >= MINUTE)
        (void)snprintf(left, sizeof left, ", about %d min left", seconds / MINUTE);
    else if (step->left >= 0.0)
        (void)snprintf(left, sizeof left, ", about %d s left", seconds);
    scalay_progress_say("size %lld, %lld of %lld done%s", (long long)step->size, (long long)step->done,
                        (long long)step->total, left);
}

/* What a shell pipeline wants: the profile itself. */
static scalay_status print_profile(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string lines = {0};
    SCALAY_TRY(scalay_record_print(measured->record, &lines));
    (void)fwrite(lines.text, 1, (size_t)lines.length, stdout);
cleanup:
    scalay_string_free(&lines);
    return status;
}

static scalay_status answer(scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_options *options = measured->options;
    scalay_progress_stop();
    if (options->json)
        SCALAY_TRY(scalay_measured_print_json(measured));
    else
        SCALAY_TRY(options->output != NULL ? scalay_measured_print_text(measured) : print_profile(measured));
    if (options->plot != NULL) SCALAY_TRY(scalay_measured_draw(measured));
    if (measured->facts.state == SCALAY_PROFILE_INTERRUPTED)
        status = SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "interrupted after %lld sizes%s%.200s",
                             (long long)measured->facts.sizes,
                             options->output != NULL ? "; the same command goes on with " : ", which were printed",
                             options->output != NULL ? options->output : "");
cleanup:
    return status;
}

/* Meters and kernels are a rank's own: what fails on one of them fails on all. */
static scalay_status measure(const scalay_options *given, scalay_comm *comm, scalay_profiler_options *options,
                             scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_kernel *kernel = NULL;
    scalay_meter *meter = NULL;
    scalay_interrupt_scope *scope = NULL;
    SCALAY_TRY(scalay_comm_agree(comm, scalay_profile_kernel_create(given->kernel, given->timeout.value, &kernel)));
    SCALAY_TRY(
        scalay_comm_agree(comm, given->meter != NULL ? scalay_meter_create(given->meter, &meter) : SCALAY_SUCCESS));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_interrupt_begin(&scope)));
    options->meter = meter;
    options->progress = say_progress;
    measured->kernel = kernel;
    SCALAY_TRY(scalay_profiler_run(comm, kernel, options, &measured->profile, &measured->record));
    SCALAY_TRY(scalay_profile_record_get(measured->record, &measured->facts));
    status = scalay_comm_agree(comm, scalay_comm_rank(comm) == 0 ? answer(measured) : SCALAY_SUCCESS);
cleanup:
    scalay_interrupt_end(&scope);
    scalay_meter_destroy(&meter);
    scalay_profile_kernel_destroy(&kernel);
    return status;
}

static scalay_status run_profile(const scalay_options *given, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profiler_options options;
    scalay_repeat_options repeat = scalay_repeat_options_default();
    int64_t *list = NULL;
    scalay_measured measured = {.options = given};
    SCALAY_TRY(scalay_comm_agree(comm, read_options(given, &options, &repeat, &list)));
    SCALAY_TRY(measure(given, comm, &options, &measured));
cleanup:
    scalay_profile_record_destroy(&measured.record);
    scalay_profile_destroy(&measured.profile);
    scalay_release(list);
    return status;
}

const scalay_command scalay_command_profile = {
    .name = "profile",
    .summary = "measures how long each process takes for each size",
    .usage = "--kernel NAME:... --sizes FIRST:LAST:STEP [OPTIONS]",
    .description =
        "Measures a kernel for many sizes, on all processes at the same time: each of them, with its threads,\n"
        "is a processor of the profile. A size is repeated until every process knows its mean. Without mpirun\n"
        "there is one processor.\n",
    .example = "  mpirun -n 2 scalay profile --kernel dgemm:n=512 --sizes 64:512:64 --output node.csv\n"
               "  scalay profile --kernel 'command:./run %s' --sizes 100,200,400 --timeout 60 --output run.csv\n",
    .operand = NULL,
    .options = profile_options,
    .needs_mpi = 1,
    .run = run_profile,
};
