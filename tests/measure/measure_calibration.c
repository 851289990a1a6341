/* setenv and realpath */
#define _XOPEN_SOURCE 700

/* Measured machines in files: kept, found again, refused when stale or damaged, and never half written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/calibration.h"
#include "measure/machine.h"
#include "support/check.h"

enum { SIZE = 16384 };

static size_t read_all(const char *path, char bytes[SIZE])
{
    FILE *file = fopen(path, "r");
    size_t count = file != NULL ? fread(bytes, 1, SIZE, file) : 0;
    if (file != NULL) fclose(file);
    return count;
}

static void write_all(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fwrite(bytes, 1, count, file) == count);
    if (file != NULL) fclose(file);
}

/* Replaces the value of a line. */
static void write_changed(const char *path, const char *bytes, size_t count, const char *name, const char *value)
{
    char changed[SIZE + 512], text[SIZE + 1];
    memcpy(text, bytes, count);
    text[count] = '\0';
    char *line = strstr(text, name);
    CHECK(line != NULL);
    if (line == NULL) return;
    const char *rest = strchr(line, '\n');
    *line = '\0';
    const int length = snprintf(changed, sizeof changed, "%s%s %s%s", text, name, value, rest);
    write_all(path, changed, (size_t)length);
}

static void check_stale(const char *path, const char *bytes, size_t count, const char *name, const char *value,
                        const char *word)
{
    scalay_machine machine = {.seconds_per_flop = 7.0};
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = path;
    write_changed(path, bytes, count, name, value);
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_ERROR_MISMATCH);
    CHECK(strstr(scalay_error_message(), word) != NULL && strstr(scalay_error_message(), "measure again") != NULL);
    CHECK(machine.seconds_per_flop == 7.0);
}

/* Writes a file without the lines that begin with one of some words, and with another first line. */
static void write_without(const char *path, const char *bytes, size_t count, const char *first_line,
                          const char *const *words, size_t word_count)
{
    char old[SIZE], text[SIZE + 1];
    (void)snprintf(old, sizeof old, "%s\n", first_line);
    memcpy(text, bytes, count);
    text[count] = '\0';
    for (char *line = strchr(text, '\n') + 1, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        int is_later = 0;
        for (size_t k = 0; k < word_count; k++) is_later |= strncmp(line, words[k], strlen(words[k])) == 0;
        if (!is_later) strncat(old, line, (size_t)(end - line + 1));
    }
    write_all(path, old, strlen(old));
}

/* A file of version 1 has no processor, MPI, curves and precision; a file of version 4 has no nodes. The one link of
 * both is that within and between nodes: the rates within are not known, which means that they are equal. */
static void check_old_versions(const char *path, const char *bytes, size_t count)
{
    static const char *const since_9[] = {"long_message_ratio "};
    static const char *const since_8[] = {"long_message_ratio ", "seconds_per_call ", "spread_call "};
    static const char *const since_7[] = {"long_message_ratio ", "seconds_per_call ", "spread_call ", "swap_",
                                          "spread_swap_"};
    static const char *const since_5[] = {"long_message_ratio ",
                                          "seconds_per_large_message ",
                                          "seconds_per_call ",
                                          "spread_call ",
                                          "swap_",
                                          "spread_swap_",
                                          "spread_large_message ",
                                          "seconds_per_message_within ",
                                          "seconds_per_byte_within ",
                                          "seconds_per_byte_alone ",
                                          "spread_message_within ",
                                          "spread_byte_within ",
                                          "spread_byte_alone ",
                                          "host_",
                                          "crowded_ranks ",
                                          "narrow_ranks ",
                                          "nodes ",
                                          "node_type"};
    static const char *const since_2[] = {"long_message_ratio ",
                                          "cpu ",
                                          "seconds_per_call ",
                                          "seconds_per_large_message ",
                                          "mpi ",
                                          "gemm_",
                                          "vector_",
                                          "copy_",
                                          "swap_",
                                          "variation ",
                                          "spread_",
                                          "busy ",
                                          "seconds ",
                                          "measurements ",
                                          "seconds_per_message_within ",
                                          "seconds_per_byte_within ",
                                          "seconds_per_byte_alone ",
                                          "host_",
                                          "crowded_ranks ",
                                          "narrow_ranks ",
                                          "nodes ",
                                          "node_type"};
    scalay_machine machine = {0};
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = path;
    write_without(path, bytes, count, "scalay-machine 8", since_9, sizeof since_9 / sizeof since_9[0]);
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_SUCCESS);
    CHECK(machine.long_message_ratio == 0.0 && machine.seconds_per_call == 1e-7);
    write_without(path, bytes, count, "scalay-machine 7", since_8, sizeof since_8 / sizeof since_8[0]);
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_SUCCESS);
    CHECK(machine.seconds_per_call == 0.0 && machine.swap_curve[0] == 7.0);
    write_without(path, bytes, count, "scalay-machine 6", since_7, sizeof since_7 / sizeof since_7[0]);
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_SUCCESS);
    CHECK(machine.swap_curve[0] == 0.0 && machine.copy_curve[0] == 6.0 && machine.seconds_per_large_message == 5e-6);
    write_without(path, bytes, count, "scalay-machine 4", since_5, sizeof since_5 / sizeof since_5[0]);
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_SUCCESS);
    CHECK(machine.seconds_per_byte == 4e-10 && machine.seconds_per_byte_within == 0.0 && machine.node_types == 0);
    CHECK(machine.seconds_per_large_message == 0.0);
    CHECK(machine.copy_curve[0] == 6.0 && machine.seconds_per_message_within == 0.0 && machine.nodes == 0);
    write_without(path, bytes, count, "scalay-machine 1", since_2, sizeof since_2 / sizeof since_2[0]);
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_SUCCESS);
    CHECK(machine.seconds_per_byte == 4e-10 && machine.gemm_curve[0] == 0.0 && machine.vector_curve[4] == 0.0);
}

/* Options for a file. */
static scalay_calibration_options file_options(const char *path)
{
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = path;
    return options;
}

static void check_read(const char *path, scalay_status expected)
{
    const scalay_calibration_options options = file_options(path);
    scalay_machine machine;
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), expected);
}

/* Two types of nodes. */
static void set_nodes(scalay_calibration *here)
{
    scalay_machine *m = &here->sample.machine;
    m->seconds_per_message_within = 1e-6;
    m->seconds_per_byte_within = 2e-10;
    m->seconds_per_byte_alone = 3.5e-10;
    m->seconds_per_large_message = 5e-6;
    m->seconds_per_call = 1e-7;
    m->long_message_ratio = 0.9;
    m->nodes = 3;
    m->node_types = 2;
    for (int t = 0; t < 2; t++) {
        here->type[t] = (scalay_node_type){.cores = 8 + t, .threads = 1, .nodes = 1 + t};
        (void)snprintf(here->type[t].cpu, sizeof here->type[t].cpu, "processor %d", t);
        (void)snprintf(here->type[t].blas, sizeof here->type[t].blas, "/usr/lib/blas %d.so", t);
        m->type_seconds_per_flop[t] = 1e-10 * (1 + t);
        m->type_seconds_per_message[t] = 1e-6 * (1 + t);
        m->type_seconds_per_byte[t] = 2e-10 * (1 + t);
    }
    for (int pair = 0; pair < 3; pair++) {
        m->pair_seconds_per_message[pair] = pair == 0 ? 0.0 : 2.5e-6 * pair; /* one node of type 0 */
        m->pair_seconds_per_byte[pair] = pair == 0 ? 0.0 : 4e-10 * pair;
    }
    here->sample.core_use = (scalay_core_use){8, 4, 12, 10, 2, 3, 1};
    here->sample.spread[SCALAY_RATE_BYTE_ALONE] = 0.0625;
}

/* Everything that is written is read. Returns the bytes of the file. */
static size_t check_round_trip(const char *path, char bytes[SIZE])
{
    const scalay_calibration_options options = file_options(path);
    scalay_calibration here = {.processes = 3, .binding = 5}, found = {.host = ""};
    scalay_machine machine = {0};
    scalay_calibration_describe(&here);
    here.sample = (scalay_machine_sample){.machine = {.seconds_per_flop = 1e-10,
                                                      .seconds_per_flop_vector = 1.0 / 3.0,
                                                      .seconds_per_message = 2.5e-6,
                                                      .seconds_per_byte = 4e-10,
                                                      .seconds_per_byte_copied = 3e-10,
                                                      .solo_time_ratio = 0.125,
                                                      .ring_slowdown = 1.25,
                                                      .processes = 3,
                                                      .concurrent_processes = 2,
                                                      .gemm_curve = {9, 8, 7, 6, 5, 4, 3, 2, 1},
                                                      .vector_curve = {5, 4, 3, 2, 1}},
                                          .spread = {0.01, 0.02, 0.03, 0.0, 0.25},
                                          .gemm_spread = {0.5, 0.25, 0.125},
                                          .vector_spread = {0.75},
                                          .busy = 0.125,
                                          .measurements = 2};
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) here.sample.machine.copy_curve[k] = 6 - k;
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) here.sample.copy_spread[k] = 0.125 * k;
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++) here.sample.machine.swap_curve[k] = 7 + k;
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++) here.sample.swap_spread[k] = 0.0625 * k;
    set_nodes(&here);
    CHECK_STATUS(scalay_calibration_write(path, &here), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_calibration_read(path, &found), SCALAY_SUCCESS);
    CHECK(memcmp(&found.sample, &here.sample, sizeof here.sample) == 0);
    CHECK(memcmp(found.type, here.type, 2 * sizeof here.type[0]) == 0);
    CHECK(strcmp(found.blas, here.blas) == 0 && found.binding == 5 && found.written == here.written);
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_SUCCESS);
    CHECK(memcmp(&machine, &here.sample.machine, sizeof machine) == 0);
    const size_t count = read_all(path, bytes);
    CHECK(count > 100);
    CHECK_STATUS(scalay_machine_read(4, &options, &machine), SCALAY_ERROR_MISMATCH);
    CHECK(strstr(scalay_error_message(), "processes was 3, now it is 4") != NULL);
    return count;
}

/* Files of other conditions are stale, unless the caller allows them. */
static void check_conditions(const char *path, const char *bytes, size_t count)
{
    scalay_calibration_options options = file_options(path);
    scalay_machine machine = {0};
    check_stale(path, bytes, count, "cpu", "Elbrus", "the processor was Elbrus");
    check_stale(path, bytes, count, "mpi", "MPI 0", "the MPI library was MPI 0");
    check_stale(path, bytes, count, "blas", "/usr/lib/another.so", "the BLAS");
    check_stale(path, bytes, count, "threads", "77", "BLAS threads was 77");
    check_stale(path, bytes, count, "library", "0.0.1", "ScaLAY was 0.0.1");
    check_stale(path, bytes, count, "written", "1000", "days ago");
    check_stale(path, bytes, count, "written", "4000000000", "days ago");
    write_changed(path, bytes, count, "host", "elsewhere"); /* another node of the same kind */
    check_read(path, SCALAY_SUCCESS);
    write_changed(path, bytes, count, "cpu", "Elbrus");
    options.anywhere = 1;
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_machine_read(0, &options, &machine), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_machine_read(-1, &options, &machine), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_machine_read(0, NULL, &machine), SCALAY_ERROR_ARGUMENT);
    options.max_age_seconds = -1.0;
    CHECK_STATUS(scalay_machine_read(3, &options, &machine), SCALAY_ERROR_ARGUMENT);
}

/* Every truncation, and every byte exchanged for one that does not belong there. */
static void check_damaged(const char *path, const char *bytes, size_t count)
{
    const scalay_calibration_options options = file_options(path);
    scalay_machine machine = {0};
    char damaged[SIZE];
    for (size_t k = 0; k < count; k++) {
        write_all(path, bytes, k);
        check_read(path, SCALAY_ERROR_FORMAT);
    }
    for (size_t k = 0; k < count; k++) {
        memcpy(damaged, bytes, count);
        damaged[k] = '\0';
        write_all(path, damaged, count);
        const scalay_status status = scalay_machine_read(3, &options, &machine);
        CHECK(status == SCALAY_ERROR_FORMAT || status == SCALAY_ERROR_MISMATCH);
    }
}

/* Files and numbers that are not of a calibration. */
static void check_hostile(const char *path, const char *bytes, size_t count)
{
    static const char *const hostile[] = {
        "", "\n", "scalay-machine 1", "scalay-machine 6\n", "scalay-machine 2\nhost a\n", "{}\n"};
    static const char *const numbers[] = {"nan", "inf", "-1e-9", "0", "0x1p-3", "1e-9 x", "", "1e999", "1e308", "1e7"};
    static const char *const counts[] = {"0", "-1", "4", "1.5", "99999999999999999999"};
    char long_line[SIZE];
    for (size_t k = 0; k < sizeof hostile / sizeof hostile[0]; k++) {
        write_all(path, hostile[k], strlen(hostile[k]));
        check_read(path, SCALAY_ERROR_FORMAT);
    }
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        write_changed(path, bytes, count, "seconds_per_byte", numbers[k]);
        check_read(path, SCALAY_ERROR_FORMAT);
    }
    write_changed(path, bytes, count, "ring_slowdown", "1e308");
    check_read(path, SCALAY_ERROR_FORMAT);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        write_changed(path, bytes, count, "concurrent_processes", counts[k]);
        check_read(path, SCALAY_ERROR_FORMAT);
    }
    static const char *const types[] = {"-1", "1", "3", "5", "99999999999999999999", "two"};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        write_changed(path, bytes, count, "\nnode_types", types[k]);
        check_read(path, SCALAY_ERROR_FORMAT);
    }
    write_changed(path, bytes, count, "\nnodes", "4"); /* more nodes than processes */
    check_read(path, SCALAY_ERROR_FORMAT);
    write_changed(path, bytes, count, "node_types_0_1_seconds_per_byte", "nan");
    check_read(path, SCALAY_ERROR_FORMAT);
    write_changed(path, bytes, count, "node_type_1_cpu", "");
    check_read(path, SCALAY_ERROR_FORMAT);
    memset(long_line, 'x', sizeof long_line);
    write_all(path, long_line, sizeof long_line);
    check_read(path, SCALAY_ERROR_FORMAT);
}

/* A file that is missing, and one that is there and cannot be opened. */
static void check_missing(const char *path)
{
    const scalay_calibration_options options = file_options(path);
    scalay_machine machine = {0};
    remove(path);
    check_read(path, SCALAY_ERROR_FILE);
    CHECK(strstr(scalay_error_message(), "nothing was measured yet") != NULL);
    CHECK(symlink(path, path) == 0);
    check_read(path, SCALAY_ERROR_FILE);
    CHECK(strstr(scalay_error_message(), "nothing was measured yet") == NULL);
    remove(path);
    CHECK_STATUS(scalay_machine_read(-1, &options, &machine), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_machine_read(3, &options, NULL), SCALAY_ERROR_ARGUMENT);
}

/* Rate by rate: precise before imprecise, new before old, and the mean over three measurements if none is precise. */
static void check_merge(void)
{
    static const struct {
        double old_seconds, old_spread, new_seconds, new_spread, expected;
    } cases[] = {{3.0, 0.01, 2.0, 0.02, 2.0}, {3.0, 0.01, 4.0, 0.02, 4.0}, {3.0, 0.01, 2.0, 0.50, 3.0},
                 {3.0, 0.50, 4.0, 0.01, 4.0}, {3.0, 0.50, 1.5, 0.60, 2.5}, {3.0, 0.50, 6.0, 0.20, 4.0},
                 {0.0, 0.00, 4.0, 0.50, 4.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        scalay_machine_sample old = {.measurements = 2, .seconds = 1.0, .busy = 0.5}, sample = {.measurements = 1};
        old.machine.seconds_per_byte = old.machine.vector_curve[2] = cases[k].old_seconds;
        sample.machine.seconds_per_byte = sample.machine.vector_curve[2] = cases[k].new_seconds;
        old.spread[SCALAY_RATE_BYTE] = old.vector_spread[2] = cases[k].old_spread;
        sample.spread[SCALAY_RATE_BYTE] = sample.vector_spread[2] = cases[k].new_spread;
        scalay_machine_sample_merge(&old, &sample);
        CHECK(sample.machine.seconds_per_byte == cases[k].expected);
        CHECK(sample.machine.vector_curve[2] == cases[k].expected);
        CHECK(sample.measurements == 3 && sample.seconds == 1.0 && sample.busy == 0.0);
    }
}

/* Of the takes of a measurement, the mean of the middle half counts, and no take in which other programs ran. */
static void check_join(void)
{
    enum { TAKES = 6 };
    static const double factor[TAKES] = {4.0, 1.0, 1.5, 2.0, 0.25, 3.0}, busy[TAKES] = {0, 0, 0, 0, 0, 0.5};
    scalay_machine_sample take[TAKES] = {{.busy = 0.0}}, sample;
    for (int k = 0; k < TAKES; k++) {
        take[k] = (scalay_machine_sample){.busy = busy[k], .seconds = 1.0, .measurements = 1};
        take[k].machine.seconds_per_byte = take[k].machine.copy_curve[3] = 1e-9 * factor[k];
        take[k].machine.solo_time_ratio = 0.5 * factor[k];
        take[k].machine.pair_seconds_per_byte[1] = k == 0 ? 3e-10 : 0.0;
        take[k].copy_spread[3] = 0.01 * (k + 1);
    }
    scalay_machine_sample_join(take, TAKES, &sample);
    CHECK(fabs(sample.machine.seconds_per_byte - 1.5e-9) < 1e-20 && sample.spread[SCALAY_RATE_BYTE] > 0.0);
    CHECK(fabs(sample.machine.copy_curve[3] - 1.5e-9) < 1e-20 && sample.variation == 15.0);
    CHECK(fabs(sample.machine.solo_time_ratio - 0.75) < 1e-12 && sample.machine.seconds_per_flop == 0.0);
    CHECK(sample.machine.pair_seconds_per_byte[1] == 3e-10 && sample.machine.pair_seconds_per_byte[2] == 0.0);
    CHECK(sample.busy == 0.0 && sample.seconds == TAKES && sample.measurements == 1);
    /* Two takes have the precision of the less precise one. */
    scalay_machine_sample_join(take, 2, &sample);
    CHECK(fabs(sample.machine.copy_curve[3] - 2.5e-9) < 1e-20 && sample.copy_spread[3] == 0.02);
    for (int k = 0; k < 2; k++) take[k].busy = 0.25 + k;
    scalay_machine_sample_join(take, 2, &sample);
    CHECK(fabs(sample.machine.copy_curve[3] - 2.5e-9) < 1e-20 && sample.busy == 0.25);
}

/* A file without rates by size is measured again, however new it is. Imprecise rates are, a few times, and not within
 * the pause. */
static void check_needs_renewal(void)
{
    const scalay_calibration soon = {.written = 5000 + SCALAY_CALIBRATION_PAUSE - 1};
    const scalay_calibration later = {.written = 5000 + SCALAY_CALIBRATION_PAUSE};
    scalay_calibration found = {.written = 5000, .sample.measurements = 1};
    scalay_machine_sample *sample = &found.sample;
    CHECK(scalay_calibration_needs_renewal(&found, &soon));
    sample->machine.gemm_curve[0] = sample->machine.copy_curve[0] = 1e-9;
    CHECK(scalay_calibration_needs_renewal(&found, &soon));
    sample->machine.swap_curve[0] = 1e-9;
    CHECK(scalay_calibration_needs_renewal(&found, &soon));
    sample->machine.seconds_per_large_message = 1e-6;
    CHECK(scalay_calibration_needs_renewal(&found, &soon));
    sample->machine.seconds_per_call = 1e-7;
    CHECK(!scalay_calibration_needs_renewal(&found, &later));
    sample->spread[SCALAY_RATE_BYTE] = 2 * SCALAY_IMPRECISE;
    CHECK(scalay_machine_sample_is_doubtful(sample));
    CHECK(!scalay_calibration_needs_renewal(&found, &soon) && scalay_calibration_needs_renewal(&found, &later));
    sample->measurements = 100;
    CHECK(!scalay_machine_sample_is_doubtful(sample) && !scalay_calibration_needs_renewal(&found, &later));
    sample->machine.copy_curve[0] = 0.0;
    CHECK(scalay_calibration_needs_renewal(&found, &soon));
}

static void check_files(const char *path)
{
    char bytes[SIZE];
    const size_t count = check_round_trip(path, bytes);
    check_conditions(path, bytes, count);
    check_old_versions(path, bytes, count);
    check_damaged(path, bytes, count);
    check_hostile(path, bytes, count);
    check_missing(path);
    check_merge();
    check_join();
    check_needs_renewal();
}

/* Sets all spreads of a file, as if it had been written so many seconds ago. */
static void write_spread(const char *path, double spread, int64_t measurements, int64_t age)
{
    scalay_calibration found = {.host = ""};
    CHECK_STATUS(scalay_calibration_read(path, &found), SCALAY_SUCCESS);
    for (int k = 0; k < SCALAY_RATES; k++) found.sample.spread[k] = spread;
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) found.sample.gemm_spread[k] = spread;
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) found.sample.vector_spread[k] = spread;
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) found.sample.copy_spread[k] = spread;
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++) found.sample.swap_spread[k] = spread;
    found.sample.measurements = measurements;
    found.written -= age;
    CHECK_STATUS(scalay_calibration_write(path, &found), SCALAY_SUCCESS);
}

/* Many calls with imprecise rates pay for one measurement in a pause. */
static void check_pause(scalay_comm *comm, const char *path)
{
    scalay_machine machine = {0};
    scalay_calibration found = {.host = ""};
    scalay_calibration_options options = file_options(path);
    options.max_seconds = 0.05;
    for (int call = 0; call < 5; call++) {
        if (scalay_comm_rank(comm) == 0)
            write_spread(path, 0.5, call == 0 ? 1 : 2, call == 0 ? SCALAY_CALIBRATION_PAUSE : 0);
        MPI_Barrier(scalay_comm_handle(comm));
        CHECK_STATUS(scalay_machine_calibrate(comm, &options, &machine), SCALAY_SUCCESS);
        if (scalay_comm_rank(comm) != 0) continue;
        CHECK_STATUS(scalay_calibration_read(path, &found), SCALAY_SUCCESS);
        CHECK(found.sample.measurements == 2);
    }
}

/* Imprecise rates are measured again, and the faster ones of both measurements are kept; not for ever. */
static void check_renewal(scalay_comm *comm, const char *path)
{
    scalay_machine machine = {0};
    scalay_calibration found = {.host = ""};
    scalay_calibration_options options = file_options(path);
    options.max_seconds = 0.05;
    for (int64_t measurements = 7; measurements <= 8; measurements++) {
        if (scalay_comm_rank(comm) == 0) write_spread(path, 0.5, measurements, SCALAY_CALIBRATION_PAUSE);
        MPI_Barrier(scalay_comm_handle(comm));
        CHECK_STATUS(scalay_machine_calibrate(comm, &options, &machine), SCALAY_SUCCESS);
        if (scalay_comm_rank(comm) != 0) continue;
        CHECK_STATUS(scalay_calibration_read(path, &found), SCALAY_SUCCESS);
        CHECK(found.sample.measurements == 8);
    }
    CHECK(scalay_comm_rank(comm) != 0 || memcmp(&found.sample.machine, &machine, sizeof machine) == 0);
}

/* A second call finds what the first one wrote; a stale or missing file is measured anew, a strange one left alone. */
static void check_calibrate(scalay_comm *comm, const char *path)
{
    const int rank = scalay_comm_rank(comm), last = scalay_comm_size(comm) - 1;
    scalay_machine first = {0}, second = {0};
    scalay_calibration_options options = scalay_calibration_options_default();
    char before[SIZE], after[SIZE];
    options.path = path;
    options.max_seconds = 0.05;
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &first), SCALAY_SUCCESS);
    CHECK(first.seconds_per_flop > 0.0 && first.processes == last + 1);
    if (rank == 0) write_spread(path, 0.01, 1, 0);
    MPI_Barrier(scalay_comm_handle(comm));
    size_t count = rank == 0 ? read_all(path, before) : 0;
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &second), SCALAY_SUCCESS);
    CHECK(memcmp(&first, &second, sizeof first) == 0);
    CHECK(rank != 0 || (read_all(path, after) == count && memcmp(before, after, count) == 0));
    check_renewal(comm, path);
    check_pause(comm, path);
    if (rank == 0) write_changed(path, before, count, "binding", "1");
    MPI_Barrier(scalay_comm_handle(comm));
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &second), SCALAY_SUCCESS);
    CHECK(rank != 0 || strstr((read_all(path, after), after), "binding 1\n") == NULL);
    if (rank == 0) write_all(path, "my notes\n", 9);
    MPI_Barrier(scalay_comm_handle(comm));
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &second), SCALAY_ERROR_FORMAT);
    options.refresh = 1;
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &second), SCALAY_ERROR_FORMAT);
    CHECK(rank != 0 || (read_all(path, after) == 9 && memcmp(after, "my notes\n", 9) == 0));
    options.path = "measure_calibration_missing/machine.txt";
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &second), SCALAY_ERROR_FILE);
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, rank == last ? NULL : &second), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_machine_calibrate(NULL, &options, &second), SCALAY_ERROR_ARGUMENT);
    MPI_Barrier(scalay_comm_handle(comm));
    if (rank == 0) remove(path);
}

/* The cache's folder is made when it is not there. */
static void check_cache(scalay_comm *comm, const char *folder)
{
    char path[SIZE];
    scalay_machine first = {0}, second = {0};
    const int size = scalay_comm_size(comm);
    scalay_calibration_options options = scalay_calibration_options_default();
    options.max_seconds = 0.05;
    setenv("XDG_CACHE_HOME", folder, 1);
    const int length = scalay_calibration_path(size, path, sizeof path);
    CHECK(length == (int)strlen(path) && strncmp(path, folder, strlen(folder)) == 0);
    CHECK(scalay_calibration_path(size, NULL, 0) == length);
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &first), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_machine_read(size, NULL, &second), SCALAY_SUCCESS);
    CHECK(memcmp(&first, &second, sizeof first) == 0);
    MPI_Barrier(scalay_comm_handle(comm));
    if (scalay_comm_rank(comm) == 0) {
        remove(path);
        *strrchr(path, '/') = '\0';
        remove(path);
        remove(folder);
    }
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "/home/me", 1);
    /* A home that cannot be written is not an error. */
    CHECK_STATUS(scalay_machine_calibrate(comm, &options, &first), SCALAY_SUCCESS);
    (void)scalay_calibration_path(5, path, sizeof path);
    CHECK(strncmp(path, "/home/me/.cache/scalay/machine-", 31) == 0);
    CHECK(strcmp(path + strlen(path) - 6, "-5.txt") == 0);
}

int main(int argc, char **argv)
{
    char path[128], folder[SIZE / 2], here[SIZE / 4] = "";
    scalay_comm *comm = NULL;
    MPI_Init(&argc, &argv);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    (void)snprintf(path, sizeof path, "measure_calibration_%d.txt", scalay_comm_size(comm));
    if (scalay_comm_rank(comm) == 0) check_files(path);
    check_calibrate(comm, path);
    CHECK(realpath(".", here) != NULL);
    (void)snprintf(folder, sizeof folder, "%s/measure_calibration_cache_%d", here, scalay_comm_size(comm));
    check_cache(comm, folder);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
