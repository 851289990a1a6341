#include "measure/calibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parallel/comm.h"

enum { PATH = 4096 };

scalay_calibration_options scalay_calibration_options_default(void)
{
    return (scalay_calibration_options){.max_age_seconds = 30.0 * 24.0 * 3600.0};
}

int scalay_calibration_path(int processes, char *text, size_t size)
{
    scalay_text s = {text, text != NULL ? size : 0, 0};
    scalay_calibration here = {.host = ""};
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (s.size > 0) text[0] = '\0';
    scalay_calibration_describe(&here);
    for (char *c = here.host; *c != '\0'; c++)
        if (*c == '/') *c = '_';
    /* The specification has relative paths ignored. */
    if (cache != NULL && cache[0] == '/')
        scalay_text_append(&s, "%s/scalay/", cache);
    else if (home != NULL && home[0] == '/')
        scalay_text_append(&s, "%s/.cache/scalay/", home);
    scalay_text_append(&s, "machine-%s-%d.txt", here.host, processes);
    return (int)s.length;
}

/* ------------------------------------------------------------------------------------------------ staleness */

static scalay_status differs(const char *function, const char *path, const char *what, const char *then,
                             const char *now)
{
    return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                       "%s is stale: measured with %s %s, here it is %s; measure again", path, what, then, now);
}

static scalay_status number_differs(const char *function, const char *path, const char *what, int64_t then, int64_t now)
{
    char before[32], after[32];
    (void)snprintf(before, sizeof before, "%lld", (long long)then);
    (void)snprintf(after, sizeof after, "%lld", (long long)now);
    return differs(function, path, what, before, after);
}

scalay_status scalay_calibration_compare(const char *function, const char *path, const scalay_calibration *found,
                                         const scalay_calibration *here, const scalay_calibration_options *options)
{
    const double age = (double)here->written - (double)found->written;
    if (here->processes > 0 && found->processes != here->processes)
        return number_differs(function, path, "a number of processes of", found->processes, here->processes);
    if (age < -3600.0 || age > options->max_age_seconds)
        return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                           "%s is stale: measured %.1f days ago, %.1f are allowed; measure again", path, age / 86400.0,
                           options->max_age_seconds / 86400.0);
    if (strcmp(found->library, here->library) != 0)
        return differs(function, path, "ScaLAY", found->library, here->library);
    if (options->anywhere) return SCALAY_SUCCESS;
    if (strcmp(found->host, here->host) != 0) return differs(function, path, "the host", found->host, here->host);
    if (strcmp(found->blas, here->blas) != 0) return differs(function, path, "the BLAS", found->blas, here->blas);
    if (found->threads != here->threads)
        return number_differs(function, path, "BLAS threads:", found->threads, here->threads);
    if (here->binding != 0 && found->binding != here->binding)
        return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                           "%s is stale: the processes were on other hosts or cores; measure again", path);
    return SCALAY_SUCCESS;
}

/* --------------------------------------------------------------------------------------------- reading */

static scalay_status check_options(const char *function, const scalay_calibration_options *options)
{
    if (options->max_age_seconds >= 0.0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "options allows an age of %g seconds; at least 0",
                       options->max_age_seconds);
}

static scalay_status find_path(const char *function, const scalay_calibration_options *options, int processes,
                               char path[PATH])
{
    scalay_text text = {path, PATH, 0};
    if (options->path != NULL)
        scalay_text_append(&text, "%s", options->path);
    else
        text.length = scalay_calibration_path(processes, path, PATH);
    if (text.length < PATH) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "the path of the file is longer than %d bytes", PATH - 1);
}

scalay_status scalay_machine_read(int processes, const scalay_calibration_options *options, scalay_machine *machine)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_calibration_options chosen = options != NULL ? *options : scalay_calibration_options_default();
    scalay_calibration here = {.processes = processes}, found = {.host = ""};
    char path[PATH];
    if (machine == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "machine is NULL; pass the address of a scalay_machine");
    if (processes < (chosen.path != NULL ? 0 : 1))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "processes is %d; at least 1, or 0 for any number with a path",
                           processes);
    SCALAY_TRY(check_options(__func__, &chosen));
    SCALAY_TRY(find_path(__func__, &chosen, processes, path));
    scalay_calibration_describe(&here);
    SCALAY_TRY(scalay_calibration_read(path, &found));
    SCALAY_TRY(scalay_calibration_compare(__func__, path, &found, &here, &chosen));
    *machine = found.machine;
cleanup:
    return status;
}

/* Rank 0's verdict about the file: is it to be measured? */
static scalay_status look(const char *path, const scalay_calibration_options *options, const scalay_calibration *here,
                          scalay_calibration *found, int *is_needed)
{
    scalay_status status = scalay_calibration_read(path, found);
    if (status == SCALAY_SUCCESS)
        status = scalay_calibration_compare("scalay_machine_calibrate", path, found, here, options);
    *is_needed = options->refresh || status == SCALAY_ERROR_FILE || status == SCALAY_ERROR_MISMATCH;
    return *is_needed && status != SCALAY_ERROR_FORMAT ? SCALAY_SUCCESS : status;
}

/* The file's machine on all ranks, or is_needed. */
static scalay_status share(scalay_comm *comm, const char *path, const scalay_calibration_options *options,
                           const scalay_calibration *here, scalay_machine *machine, int *is_needed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration found = {.host = ""};
    if (comm->rank == 0) status = look(path, options, here, &found, is_needed);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY_MPI(MPI_Bcast(is_needed, 1, MPI_INT, 0, comm->mpi));
    SCALAY_TRY_MPI(MPI_Bcast(&found.machine, (int)sizeof found.machine, MPI_BYTE, 0, comm->mpi));
    *machine = found.machine;
cleanup:
    return status;
}

static scalay_status measure_and_write(scalay_comm *comm, const char *path, int is_cache, scalay_calibration *here)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_machine_measure(comm, &here->machine));
    if (comm->rank == 0 && is_cache) status = scalay_calibration_make_folders(path);
    if (comm->rank == 0 && status == SCALAY_SUCCESS) status = scalay_calibration_write(path, here);
    SCALAY_TRY(scalay_comm_agree(comm, status));
cleanup:
    return status;
}

scalay_status scalay_machine_calibrate(scalay_comm *comm, const scalay_calibration_options *options,
                                       scalay_machine *machine)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_calibration_options chosen = options != NULL ? *options : scalay_calibration_options_default();
    scalay_calibration here = {.host = ""};
    scalay_machine found = {0};
    char path[PATH] = "";
    int is_needed = 0;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (machine == NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "machine is NULL; pass the address of a scalay_machine");
    if (status == SCALAY_SUCCESS) status = check_options(__func__, &chosen);
    if (status == SCALAY_SUCCESS) status = find_path(__func__, &chosen, comm->size, path);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    here.processes = comm->size;
    scalay_calibration_describe(&here);
    SCALAY_TRY(scalay_calibration_binding(comm, &here.binding));
    SCALAY_TRY(share(comm, path, &chosen, &here, &found, &is_needed));
    if (is_needed) {
        SCALAY_TRY(measure_and_write(comm, path, chosen.path == NULL, &here));
        found = here.machine;
    }
    *machine = found;
cleanup:
    return status;
}
