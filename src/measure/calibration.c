/*
 * Calibration: scalay_machine_calibrate() measures the machine's rates once, and keeps them in a file.
 *
 * parallel/machine_numbers.c says where the file is, and when it is stale.
 */
#include "measure/calibration.h"

#include <stdio.h>
#include <string.h>

#include "base/option_struct.h"
#include "base/replacement.h"

/* --------------------------------------------------------------------------------------------------- options */

void scalay_calibration_options_init(scalay_calibration_options *options, size_t size)
{
    const scalay_calibration_options defaults = {
        .size = sizeof defaults, .max_age_seconds = SCALAY_CALIBRATION_MAX_AGE, .max_seconds = 2.0};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static scalay_status read_options(const char *function, const scalay_calibration_options *given,
                                  scalay_calibration_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    *options = scalay_calibration_options_default();
    SCALAY_TRY(scalay_option_struct_read(given, options, sizeof *options, function));
    if (!(options->max_age_seconds >= 0.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "options->max_age_seconds is %g; it must be at least 0",
                           options->max_age_seconds);
    if (!(options->max_seconds > 0.0 && options->max_seconds <= 3600.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "options->max_seconds is %g; it must be above 0 and at most 3600", options->max_seconds);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ without MPI */

int scalay_calibration_path(int processes, char *text, size_t size)
{
    scalay_calibration here = {.host = ""};
    scalay_calibration_describe(&here);
    return scalay_calibration_print_path(scalay_calibration_key(&here), processes, 0, text, size);
}

scalay_status scalay_machine_read_layout(int processes, int64_t layout, const scalay_calibration_options *options,
                                         char *path, size_t path_size, scalay_machine *machine)
{
    static const char function[] = "scalay_machine_read";
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration_options read;
    scalay_calibration here = {.processes = processes, .layout = layout}, found = {.host = ""};
    char file[SCALAY_CALIBRATION_PATH];
    SCALAY_TRY(scalay_check_not_null(machine, function, "machine"));
    SCALAY_TRY(read_options(function, options, &read));
    const int minimum = read.path != NULL ? 0 : 1;
    if (processes < minimum)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "processes is %d; it must be at least %d", processes,
                           minimum);
    scalay_calibration_describe(&here);
    const int64_t key = scalay_calibration_key(&here);
    SCALAY_TRY(read.path != NULL ? scalay_calibration_find_path(function, read.path, key, &here, file)
                                 : scalay_calibration_find_known(function, key, &here, file));
    if (path != NULL) (void)snprintf(path, path_size, "%s", file);
    SCALAY_TRY(scalay_calibration_read(file, &found));
    SCALAY_TRY(scalay_calibration_check(function, file, &found, &here, read.max_age_seconds, read.anywhere));
    *machine = found.sample.machine;
cleanup:
    return status;
}

scalay_status scalay_machine_read(int processes, const scalay_calibration_options *options, scalay_machine *machine)
{
    return scalay_machine_read_layout(processes, 0, options, NULL, 0, machine);
}

/* ------------------------------------------------------------------------------------------------- collective */

/* Rank 0: reads the file. is_needed: 1 if the machine must be measured; merges: 1 if the file has a
 * measurement under the same conditions. */
static scalay_status look(const char *path, const scalay_calibration_options *options, const scalay_calibration *here,
                          scalay_calibration *found, int *is_needed, int *merges)
{
    scalay_status status = scalay_calibration_read(path, found);
    if (status == SCALAY_SUCCESS)
        status = scalay_calibration_check("scalay_machine_calibrate", path, found, here, options->max_age_seconds,
                                          options->anywhere);
    *merges = status == SCALAY_SUCCESS && !options->anywhere;
    *is_needed = options->refresh || status == SCALAY_ERROR_FILE || status == SCALAY_ERROR_MISMATCH ||
                 (*merges && scalay_calibration_needs_renewal(found, here));
    return *is_needed && status != SCALAY_ERROR_FORMAT ? SCALAY_SUCCESS : status;
}

scalay_status scalay_calibrate(scalay_comm *comm, const scalay_calibration_options *options, char *path,
                               size_t path_size, scalay_calibration *calibration)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration here = {.host = ""}, found = {.host = ""};
    char file[SCALAY_CALIBRATION_PATH] = "";
    int64_t key = 0;
    int is_needed = 0, merges = 0;
    SCALAY_TRY(scalay_calibration_find_conditions(comm, SCALAY_SUCCESS, &here, &key));
    status = scalay_calibration_find_path("scalay_machine_calibrate", options->path, key, &here, file);
    if (status == SCALAY_SUCCESS && comm->rank == 0) status = look(file, options, &here, &found, &is_needed, &merges);
    if (status == SCALAY_SUCCESS && is_needed && options->path != NULL) status = scalay_replacement_check(file);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY_MPI(MPI_Bcast(&is_needed, 1, MPI_INT, 0, comm->mpi));
    SCALAY_TRY_MPI(MPI_Bcast(&found.sample, (int)sizeof found.sample, MPI_BYTE, 0, comm->mpi));
    if (is_needed) {
        SCALAY_TRY(scalay_machine_sample_measure(comm, options->max_seconds, &here.sample));
        if (merges) scalay_machine_sample_merge(&found.sample, &here.sample);
        SCALAY_TRY_MPI(MPI_Bcast(&here.sample, (int)sizeof here.sample, MPI_BYTE, 0, comm->mpi));
        if (comm->rank == 0) status = scalay_calibration_keep(file, options->path == NULL, &here, NULL);
        SCALAY_TRY(scalay_comm_agree(comm, status));
        found = here;
    }
    if (path != NULL) (void)snprintf(path, path_size, "%s", file);
    *calibration = found;
cleanup:
    return status;
}

scalay_status scalay_machine_calibrate(scalay_comm *comm, const scalay_calibration_options *options,
                                       scalay_machine *machine)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration_options read;
    scalay_calibration found;
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    status = scalay_check_not_null(machine, __func__, "machine");
    if (status == SCALAY_SUCCESS) status = read_options(__func__, options, &read);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_calibrate(comm, &read, NULL, 0, &found));
    *machine = found.sample.machine;
cleanup:
    return status;
}
