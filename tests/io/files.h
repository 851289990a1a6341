#ifndef SCALAY_TESTS_IO_FILES_H
#define SCALAY_TESTS_IO_FILES_H

/** @file A folder of its own for a test under MPI, and files with given bytes in it. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char files_folder[64];

/** Makes the folder, on rank 0 of all. */
static inline void files_begin(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(files_folder, sizeof files_folder, "/tmp/scalay_io_XXXXXX");
    if (rank == 0 && mkdtemp(files_folder) == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Bcast(files_folder, sizeof files_folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/** The folder must be empty by now: nothing may be left behind. 1 when it was. */
static inline int files_end(void)
{
    int rank = 0, gone = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) gone = rmdir(files_folder) == 0;
    MPI_Bcast(&gone, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return gone;
}

/** A path in the folder; two may be in use at a time. */
static inline const char *files_path(const char *name)
{
    static char paths[2][128];
    static int next;
    char *path = paths[next = 1 - next];
    snprintf(path, sizeof paths[0], "%s/%s", files_folder, name);
    return path;
}

/** Writes a file, on rank 0 of all; the others wait. */
static inline void files_write(const char *path, const void *bytes, size_t length)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/** Removes a file, on rank 0 of all, when all are done with it. */
static inline void files_remove(const char *path)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
}

/** The bytes of a file, with a NUL behind them; to be freed. *length is -1, and the result NULL, when there is none. */
static inline char *files_read(const char *path, long *length)
{
    char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    *length = -1;
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    *length = ftell(file);
    rewind(file);
    bytes = malloc((size_t)*length + 1);
    if (fread(bytes, 1, (size_t)*length, file) != (size_t)*length) MPI_Abort(MPI_COMM_WORLD, 2);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

#endif
