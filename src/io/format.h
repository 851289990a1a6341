#ifndef SCALAY_IO_FORMAT_H
#define SCALAY_IO_FORMAT_H

/**
 * @file
 * What a matrix format is: how its head is read, and how its numbers come and go one slab at a time.
 *
 * A new format is a new row of the table behind scalay_format_find().
 */

#include "base/status.h"
#include "base/text.h"
#include "io/file.h"
#include "io/slab.h"
#include "scalay/io.h"

/** A head is looked for in so many bytes at the start of a file. */
#define SCALAY_HEAD_BYTES (1 << 20)

/** The start of a file. */
typedef struct {
    const char *path; /* for messages */
    const char *bytes;
    int64_t length;     /* of bytes: the file's, SCALAY_HEAD_BYTES at most */
    int64_t file_bytes; /* the file's */
} scalay_file_head;

/** A format. Reading and writing are collective; each rank returns what befell itself. */
typedef struct {
    scalay_file_format format;
    const char *name;
    const char *ending;
    const char *magic; /* how its files start */
    /** Judges a head and fills in info, whose format, file_bytes are set. Pure. */
    scalay_status (*parse)(const scalay_file_head *head, scalay_file_info *info);
    /** Reads the rank's slab, in local storage of the slab's layout. */
    scalay_status (*read)(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                          scalay_type type, void *data);
    /** Writes the rank's slab, rank 0 the head too; *bytes is the length that the whole file must have then. */
    scalay_status (*write)(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                           const void *data, int64_t *bytes);
    /** Instead of read and write: for a format whose library opens its files. Collective, agreed. */
    scalay_status (*read_path)(scalay_comm *comm, const char *path, const scalay_file_info *info,
                               const scalay_slab *slab, scalay_type type, void *data);
    scalay_status (*write_path)(scalay_comm *comm, const char *path, const scalay_file_info *info,
                                const scalay_slab *slab, const void *data);
} scalay_format;

/** The row of a format, NULL when there is none. */
const scalay_format *scalay_format_find(scalay_file_format format);

/** The row whose magic a file starts with, NULL when there is none. */
const scalay_format *scalay_format_of_head(const scalay_file_head *head);

/** The row that the ending of a name stands for (any case), NULL when there is none. */
const scalay_format *scalay_format_of_path(const char *path);

/** 1 when a type can be in a file: all but raw ones. */
int scalay_format_holds(scalay_type type);

/** Parses the start of a file of any format. Not collective. */
scalay_status scalay_file_judge(const scalay_file_head *head, scalay_file_info *info);

/** scalay_matrix_inspect() with checked arguments. Collective; all ranks return the same status. */
scalay_status scalay_file_inspect(scalay_comm *comm, const char *path, scalay_file_info *info);

/** This machine's byte order: never SCALAY_NATIVE_ENDIAN. */
scalay_byte_order scalay_byte_order_here(void);

#endif
