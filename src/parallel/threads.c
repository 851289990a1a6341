/*
 * Threads of the BLAS calls of this process.
 *
 * The BLAS library is chosen when the program starts (Debian's alternatives, LD_PRELOAD). Therefore its functions for
 * threads are looked up by the names that the implementations use.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "parallel/threads.h"

#include <dlfcn.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static void *find_function(const char *const *names)
{
    void *found = NULL;
    for (int k = 0; names[k] != NULL && found == NULL; k++) found = dlsym(RTLD_DEFAULT, names[k]);
    return found;
}

void scalay_set_threads(int threads)
{
    static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads",
                                        NULL};
    void (*set)(int) = NULL;
    void *found = find_function(names);
    if (threads <= 0) return;
    memcpy(&set, &found, sizeof found);
    if (set != NULL) set(threads);
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
}

int scalay_get_threads(void)
{
    static const char *const names[] = {"openblas_get_num_threads", "MKL_Get_Max_Threads", NULL};
    int (*get)(void) = NULL;
    void *found = find_function(names);
    memcpy(&get, &found, sizeof found);
    if (get != NULL) return get();
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}
