#ifndef SCALAY_IO_FILE_H
#define SCALAY_IO_FILE_H

/** @file A file that all ranks have open, and the file that a write becomes when it has succeeded. */

#include <mpi.h>

#include "base/replacement.h"
#include "parallel/comm.h"

/** Bytes that are read or written at a time, at most. */
#define SCALAY_FILE_CHUNK (16 << 20)

/** An open file. */
typedef struct {
    scalay_comm *comm;
    const char *path; /* as the caller named it: for messages */
    MPI_File handle;  /* MPI_FILE_NULL when closed */
    int64_t bytes;    /* its length when it was opened for reading */
    int64_t chunk;    /* the most bytes of one transfer; fits an int */
} scalay_file;

/** SCALAY_SUCCESS, or SCALAY_ERROR_FILE for a path that is not a readable regular file; tells its length. Not
 * collective. */
scalay_status scalay_file_check_readable(const char *path, int64_t *bytes);

/** SCALAY_SUCCESS if the file has as many bytes here as rank 0 has seen: folders of nodes may share a name only. Not
 * collective. */
scalay_status scalay_file_check_same(const char *path, int64_t bytes);

/** Opens a file of a known length for reading. Collective, agreed; file is closed on failure. */
scalay_status scalay_file_open(scalay_comm *comm, const char *path, int64_t bytes, scalay_file *file);

/** Reads count <= chunk bytes. Collective: every rank calls it equally often, with a count of 0 when it needs none. */
scalay_status scalay_file_read_all(const scalay_file *file, int64_t offset, int64_t count, void *buffer);

/** Reads count <= chunk bytes. Not collective. */
scalay_status scalay_file_read(const scalay_file *file, int64_t offset, int64_t count, void *buffer);

/** Writes count <= chunk bytes. Not collective, so that a full disk cannot leave other ranks waiting. */
scalay_status scalay_file_write(const scalay_file *file, int64_t offset, int64_t count, const void *buffer);

/** SCALAY_SUCCESS, or SCALAY_ERROR_FILE with MPI's own words: "cannot `what` 'path': ...". Not collective. */
scalay_status scalay_file_check(int code, const char *path, const char *what);

/** Closes a file; one that is closed is fine. Collective. */
scalay_status scalay_file_close(scalay_file *file);

/** A file in the making: a temporary one beside its target. */
typedef struct {
    scalay_file file;
    scalay_replacement names; /* the same on every rank */
} scalay_output;

/** Makes a temporary file beside path and opens it. Collective, agreed; nothing is left behind on failure. */
scalay_status scalay_output_begin(scalay_comm *comm, const char *path, scalay_output *output);

/**
 * Ends an output: when every rank passes SCALAY_SUCCESS, and everything is on disk, `bytes` long, the file takes its
 * target's name; otherwise it is removed. Collective, agreed. The output holds nothing afterwards.
 */
scalay_status scalay_output_end(scalay_output *output, scalay_status mine, int64_t bytes);

#endif
