/* Numbers of a communicator: the same on all ranks, none without a file, measured within a limit, and kept. */
#define _XOPEN_SOURCE 700 /* setenv */

#include "parallel/machine_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/calibration.h"
#include "parallel/comm.h"
#include "parallel/node.h"
#include "support/check.h"

enum { MILLISECOND = 1000 * 1000 };

static void check_same(scalay_comm *comm, const scalay_machine_numbers *numbers)
{
    scalay_machine_numbers first = *numbers;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, scalay_comm_handle(comm));
    CHECK(memcmp(&first, numbers, sizeof first) == 0);
}

/* Creates a communicator, and checks where its numbers come from. */
static scalay_machine check_source(int64_t limit, scalay_numbers_source source)
{
    scalay_comm *comm = NULL;
    const scalay_machine_numbers *numbers = NULL, *again = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_machine_numbers_get(comm, limit, &numbers), SCALAY_SUCCESS);
    CHECK(numbers->source == source);
    check_same(comm, numbers);
    /* Only one rank: the call is local. */
    if (scalay_comm_rank(comm) == 0) CHECK_STATUS(scalay_machine_numbers_get(comm, 0, &again), SCALAY_SUCCESS);
    CHECK(scalay_comm_rank(comm) != 0 || again == numbers);
    const scalay_machine machine = numbers->machine;
    MPI_Barrier(MPI_COMM_WORLD);
    scalay_comm_destroy(&comm);
    return machine;
}

/* None, then measured and kept, then read. A short limit does not measure. */
static void check_numbers(void)
{
    unsetenv("SCALAY_CALIBRATE");
    unsetenv("SCALAY_MACHINE");
    const scalay_machine none = check_source(0, SCALAY_NUMBERS_NONE);
    CHECK(none.seconds_per_flop == 0.0);
    (void)check_source(SCALAY_NUMBERS_MIN_LIMIT - 1, SCALAY_NUMBERS_NONE);
    setenv("SCALAY_CALIBRATE", "off", 1);
    (void)check_source(500 * MILLISECOND, SCALAY_NUMBERS_NONE);
    unsetenv("SCALAY_CALIBRATE");
    const scalay_machine measured = check_source(100 * MILLISECOND, SCALAY_NUMBERS_MEASURED);
    CHECK(measured.seconds_per_flop > 0.0 && measured.gemm_curve[0] > 0.0 && measured.vector_curve[4] > 0.0 &&
          measured.copy_curve[5] > 0.0 && measured.swap_curve[5] > 0.0);
    const scalay_machine kept = check_source(0, SCALAY_NUMBERS_KEPT);
    CHECK(memcmp(&kept, &measured, sizeof kept) == 0);
}

/* Numbers of a busy machine are measured again by a call that takes long enough, if they are not of the last minutes;
 * the faster ones are kept. Precise numbers are not. */
static void check_renewal(int rank, int size)
{
    char path[4096];
    scalay_calibration file = {.host = ""};
    (void)scalay_calibration_path(size, path, sizeof path);
    for (int is_busy = 0; is_busy <= 1; is_busy++) {
        if (rank == 0) {
            CHECK_STATUS(scalay_calibration_read(path, &file), SCALAY_SUCCESS);
            for (int k = 0; k < SCALAY_RATES; k++) file.sample.spread[k] = 0.01;
            for (int k = 0; k < SCALAY_GEMM_CURVE; k++) file.sample.gemm_spread[k] = 0.01;
            for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) file.sample.vector_spread[k] = 0.01;
            for (int k = 0; k < SCALAY_COPY_CURVE; k++) file.sample.copy_spread[k] = 0.01;
            for (int k = 0; k < SCALAY_SWAP_CURVE; k++) file.sample.swap_spread[k] = 0.01;
            if (is_busy) file.sample.spread[SCALAY_RATE_MESSAGE] = 0.3;
            file.sample.machine.seconds_per_message = 1000.0;
            file.written -= SCALAY_CALIBRATION_PAUSE;
            CHECK_STATUS(scalay_calibration_write(path, &file), SCALAY_SUCCESS);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        const scalay_machine first = check_source(SCALAY_NUMBERS_MIN_LIMIT - 1, SCALAY_NUMBERS_KEPT);
        CHECK(first.seconds_per_message == 1000.0);
        const scalay_machine found =
            check_source(100 * MILLISECOND, is_busy ? SCALAY_NUMBERS_MEASURED : SCALAY_NUMBERS_KEPT);
        CHECK(is_busy == (found.seconds_per_message < 1000.0));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 0) continue;
        CHECK_STATUS(scalay_calibration_read(path, &file), SCALAY_SUCCESS);
        CHECK(file.sample.machine.seconds_per_message == found.seconds_per_message);
        CHECK(file.sample.measurements == 1 + is_busy);
    }
    if (rank == 0) {
        file.sample.spread[SCALAY_RATE_MESSAGE] = 0.3;
        CHECK_STATUS(scalay_calibration_write(path, &file), SCALAY_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int call = 0; call < 3; call++) (void)check_source(100 * MILLISECOND, SCALAY_NUMBERS_KEPT);
}

/* A damaged file is not used, and not changed: the process keeps the numbers. A stale file is replaced. */
static void check_damage(int rank, int size)
{
    char path[4096], line[64] = "";
    (void)scalay_calibration_path(size, path, sizeof path);
    FILE *file = rank == 0 ? fopen(path, "w") : NULL;
    if (file != NULL) (void)fprintf(file, "my notes\n"), (void)fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    (void)check_source(0, SCALAY_NUMBERS_NONE);
    (void)check_source(100 * MILLISECOND, SCALAY_NUMBERS_MEASURED);
    (void)check_source(100 * MILLISECOND, SCALAY_NUMBERS_KEPT);
    if (rank == 0) {
        file = fopen(path, "r");
        CHECK(file != NULL && fgets(line, sizeof line, file) != NULL && strcmp(line, "my notes\n") == 0);
        if (file != NULL) (void)fclose(file);
        scalay_calibration stale = {.processes = size, .threads = 1, .sample.machine.concurrent_processes = 1};
        scalay_calibration_describe(&stale);
        stale.written = 1000;
        CHECK_STATUS(scalay_calibration_write(path, &stale), SCALAY_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rates on one node, on nodes of two ranks, and on nodes of one rank are kept in files of their own. Without MPI, the
 * file of one node is read, or that of a layout. */
static void check_layouts(int rank, int size)
{
    char path[4096], file[3][4096] = {"", "", ""};
    scalay_machine kept[3], read;
    (void)scalay_calibration_path(size, path, sizeof path);
    for (int ranks = 0; ranks < 3; ranks++) {
        scalay_comm *comm = NULL;
        scalay_calibration here = {.host = ""};
        const scalay_calibration_options options = scalay_calibration_options_default();
        scalay_node_limit((scalay_node_limits){.ranks = ranks});
        (void)check_source(0, ranks == 0 ? SCALAY_NUMBERS_KEPT : SCALAY_NUMBERS_NONE);
        kept[ranks] = check_source(100 * MILLISECOND, ranks == 0 ? SCALAY_NUMBERS_KEPT : SCALAY_NUMBERS_MEASURED);
        MPI_Barrier(MPI_COMM_WORLD);
        int node[3] = {0}, again[3] = {0};
        for (int p = 0; p < size && ranks > 0; p++) node[p] = p / ranks, again[p] = (size - 1 - p) / ranks;
        int64_t layout = -1, same = -1;
        CHECK_STATUS(scalay_calibration_layout(node, size, &layout), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_calibration_layout(again, size, &same), SCALAY_SUCCESS);
        CHECK(layout == same && (layout == 0) == (ranks == 0));
        int64_t key = 0;
        CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_calibration_find_conditions(comm, SCALAY_SUCCESS, &here, &key), SCALAY_SUCCESS);
        scalay_comm_destroy(&comm);
        CHECK(here.layout == layout);
        CHECK_STATUS(scalay_machine_read_layout(size, layout, &options, file[ranks], sizeof file[ranks], &read),
                     SCALAY_SUCCESS);
        CHECK(read.seconds_per_flop == kept[ranks].seconds_per_flop);
        for (int k = 0; k < ranks; k++) CHECK(strcmp(file[k], file[ranks]) != 0);
    }
    CHECK(strcmp(file[0], path) == 0);
    for (int ranks = 2; ranks >= 0; ranks--) {
        scalay_node_limit((scalay_node_limits){.ranks = ranks});
        const scalay_machine found = check_source(0, SCALAY_NUMBERS_KEPT);
        CHECK(memcmp(&found, &kept[ranks], sizeof found) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_STATUS(scalay_machine_read(size, NULL, &read), SCALAY_SUCCESS);
    CHECK(read.seconds_per_flop == kept[0].seconds_per_flop);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) (void)remove(path), (void)remove(file[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_STATUS(scalay_machine_read(size, NULL, &read), SCALAY_SUCCESS);
    CHECK(read.seconds_per_flop == kept[2].seconds_per_flop);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) (void)remove(file[2]);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A home that cannot be written: the numbers are measured once in this process, and nothing fails. Those of another
 * file are not taken. */
static void check_unwritable(void)
{
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    (void)check_source(0, SCALAY_NUMBERS_NONE);
    const scalay_machine measured = check_source(100 * MILLISECOND, SCALAY_NUMBERS_MEASURED);
    const scalay_machine kept = check_source(100 * MILLISECOND, SCALAY_NUMBERS_KEPT);
    CHECK(memcmp(&kept, &measured, sizeof kept) == 0);
    setenv("XDG_CACHE_HOME", "/proc/elsewhere", 1);
    (void)check_source(0, SCALAY_NUMBERS_NONE);
}

static void check_whole_nanoseconds(void)
{
    CHECK(scalay_whole_nanoseconds(0.0) == 0 && scalay_whole_nanoseconds(1.0) == 1000000000);
    CHECK(scalay_whole_nanoseconds(1.4e-9) == 1 && scalay_whole_nanoseconds(1.6e-9) == 2);
    CHECK(scalay_whole_nanoseconds(1e300) == INT64_MAX && scalay_whole_nanoseconds((double)NAN) == INT64_MAX);
}

int main(int argc, char **argv)
{
    char here[1024] = "", folder[2048], path[4096];
    int rank = 0, size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(realpath(".", here) != NULL);
    (void)snprintf(folder, sizeof folder, "%s/machine_numbers_cache_%d", here, size);
    setenv("XDG_CACHE_HOME", folder, 1);
    (void)scalay_calibration_path(size, path, sizeof path);
    if (rank == 0) (void)remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    check_numbers();
    check_renewal(rank, size);
    if (size == 3) check_layouts(rank, size);
    check_damage(rank, size);
    (void)check_source(0, SCALAY_NUMBERS_KEPT);
    if (rank == 0) (void)remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    check_unwritable();
    check_whole_nanoseconds();
    if (rank == 0) {
        *strrchr(path, '/') = '\0';
        (void)remove(path);
        (void)remove(folder);
    }
    return check_verdict();
}
