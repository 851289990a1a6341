/* dlsym and the calls about cores are extensions. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/text.h"
#include "measure/calibration.h"
#include "measure/processor.h"
#include "parallel/comm.h"

/* A text without what would end a line of the file. */
static void copy_line(const char *text, char copy[SCALAY_CALIBRATION_TEXT])
{
    (void)scalay_printable(text, (int64_t)strlen(text), copy, SCALAY_CALIBRATION_TEXT);
}

/* The file that dgemm comes from, symbolic links followed: BLAS libraries are exchanged by these. */
static void describe_blas(char blas[SCALAY_CALIBRATION_TEXT])
{
    Dl_info info = {0};
    char path[PATH_MAX];
    void *address = dlsym(RTLD_DEFAULT, "dgemm_");
    const int found = address != NULL && dladdr(address, &info) != 0 && info.dli_fname != NULL;
    copy_line(!found ? "unknown" : realpath(info.dli_fname, path) != NULL ? path : info.dli_fname, blas);
}

void scalay_calibration_describe(scalay_calibration *calibration)
{
    char host[SCALAY_CALIBRATION_TEXT] = "";
    if (gethostname(host, sizeof host - 1) != 0) (void)snprintf(host, sizeof host, "unknown");
    copy_line(host, calibration->host);
    describe_blas(calibration->blas);
    (void)snprintf(calibration->library, sizeof calibration->library, "%s", SCALAY_VERSION);
    calibration->threads = scalay_get_threads();
    calibration->written = (int64_t)time(NULL);
}

static int64_t fingerprint_place(int rank)
{
    cpu_set_t cores;
    char host[SCALAY_CALIBRATION_TEXT] = "";
    uint64_t print = scalay_fingerprint_add(scalay_fingerprint_start(), rank);
    (void)gethostname(host, sizeof host - 1);
    for (const char *c = host; *c != '\0'; c++) print = scalay_fingerprint_add(print, *c);
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        for (size_t core = 0; core < CPU_SETSIZE; core++)
            print = scalay_fingerprint_add(print, CPU_ISSET(core, &cores));
    return (int64_t)(print >> 1);
}

scalay_status scalay_calibration_binding(scalay_comm *comm, int64_t *binding)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t mine = fingerprint_place(comm->rank);
    int64_t all = 0;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_BXOR, comm->mpi));
    *binding = all;
cleanup:
    return status;
}
