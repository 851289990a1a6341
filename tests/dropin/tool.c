/* A tool that counts calls, preloaded in front of this library by the test dropin_tool: its routines call the next
 * ones. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void pdsyevd_(const char *, const char *, const int *, double *, const int *, const int *, const int *,
                       double *, double *, const int *, const int *, const int *, double *, const int *, int *,
                       const int *, int *);
EXPORTED void Cblacs_exit(int go_on);

static int calls;

void pdsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, double *w, double *z, const int *iz, const int *jz, const int *descz, double *work,
              const int *lwork, int *iwork, const int *liwork, int *info)
{
    void (*next)(const char *, const char *, const int *, double *, const int *, const int *, const int *, double *,
                 double *, const int *, const int *, const int *, double *, const int *, int *, const int *, int *);
    void *const address = dlsym(RTLD_NEXT, "pdsyevd_");
    memcpy(&next, &address, sizeof next);
    calls++;
    next(jobz, uplo, n, a, ia, ja, desca, w, z, iz, jz, descz, work, lwork, iwork, liwork, info);
}

void Cblacs_exit(int go_on)
{
    void (*next)(int);
    void *const address = dlsym(RTLD_NEXT, "Cblacs_exit");
    memcpy(&next, &address, sizeof next);
    (void)fprintf(stderr, "the tool counted %d call of pdsyevd\n", calls);
    next(go_on);
}
