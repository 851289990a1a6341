#ifndef SCALAY_MEASURE_WORK_H
#define SCALAY_MEASURE_WORK_H

/** @file Kernels of the profiler. */

#include "base/status.h"
#include "scalay/profiler.h"

enum { SCALAY_WORK_ARRAYS = 3 };

/** A kernel with its data. kernel.data points to the item itself. */
typedef struct scalay_work_item scalay_work_item;
struct scalay_work_item {
    scalay_profile_kernel kernel; /* first member: a pointer to the kernel is a pointer to the item */
    char *name;                   /* of the kernel */
    int64_t n;
    double timeout;
    char *text;                        /* the command, or the path of the library */
    double *array[SCALAY_WORK_ARRAYS]; /* between prepare and release */
    void *library;
    void *plan;
    void (*execute)(void *plan);
    void (*forget)(void *plan);
    void (*end)(scalay_work_item *item); /* releases library and plan; NULL: there are none */
};

/** A kind of kernel. `arguments` is the text after the colon. */
typedef struct {
    const char *name;
    scalay_status (*begin)(const char *arguments, scalay_work_item *item);
} scalay_work_kind;

extern const scalay_work_kind scalay_work_dgemm;
extern const scalay_work_kind scalay_work_dgemv;
extern const scalay_work_kind scalay_work_fft;
extern const scalay_work_kind scalay_work_stencil;
extern const scalay_work_kind scalay_work_command;

/** Reads n=N and, if library is not NULL, library=FILE (copied). Sets the name to "kind n=N". */
scalay_status scalay_work_read(const char *kind, const char *arguments, scalay_work_item *item, char **library);

/** Sets the name of an item's kernel. */
scalay_status scalay_work_set_name(scalay_work_item *item, const char *kind, const char *rest);

/** Allocates array k of rows x cols doubles, and writes all elements. */
scalay_status scalay_work_fill(scalay_work_item *item, int k, int64_t rows, int64_t cols);

/** Releases the arrays. Used as `release` of kernels. */
void scalay_work_release(void *data);

/** Returns SCALAY_ERROR_RANGE if a size is too large for the integers of BLAS. */
scalay_status scalay_work_check_size(int64_t size);

#endif
