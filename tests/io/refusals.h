#ifndef SCALAY_TESTS_REFUSALS_H
#define SCALAY_TESTS_REFUSALS_H

/** @file What the tests of refused reads and of refused writes share: a matrix, and a check that all ranks agree. */

#include "io/files.h"
#include "scalay/scalay.h"
#include "support/check.h"

enum { M = 60, N = 40 };

static scalay_comm *comm;
static scalay_layout *layout;
static double *matrix; /* the rank's local array */

/* The same status and the same words on every rank; the words are in the message. */
static inline void check_agreed(scalay_status status, scalay_status expected, const char *told, int line)
{
    char first[512] = "", mine[512];
    snprintf(mine, sizeof mine, "%s", scalay_error_message());
    check_status(status, expected, __FILE__, line, told);
    if (expected == SCALAY_SUCCESS || status == SCALAY_SUCCESS) return;
    const char *found = strstr(mine, told);
    if (!check_that(found != NULL, __FILE__, line, told)) fprintf(stderr, "the message is: %s\n", mine);
    /* From the words that were looked for on: another rank's message starts with its number. */
    if (found != NULL) snprintf(first, sizeof first, "%.150s", found);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (found != NULL)
        check_that(strncmp(found, first, strlen(first)) == 0, __FILE__, line, "the same words everywhere");
}

#define REFUSED(call, expected, told) check_agreed((call), (expected), (told), __LINE__)

static inline scalay_status read_double(const char *path)
{
    return scalay_matrix_read(comm, path, layout, SCALAY_DOUBLE, matrix);
}

static inline scalay_status write_double(const char *path)
{
    return scalay_matrix_write(comm, path, NULL, layout, SCALAY_DOUBLE, matrix);
}

/* Starts MPI and makes the matrix. */
static inline void refusals_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    files_begin();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, 7, 5, 1, scalay_comm_size(comm), 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    matrix = calloc((size_t)M * N, sizeof *matrix);
}

/* Releases it and ends MPI; main's return value. */
static inline int refusals_end(void)
{
    free(matrix);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    CHECK(files_end());
    return check_verdict();
}

#endif
