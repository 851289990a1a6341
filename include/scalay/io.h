#ifndef SCALAY_IO_H
#define SCALAY_IO_H

/**
 * @file
 * Matrix files, read and written by all ranks together, into and from any layout.
 *
 * Two formats:
 *   - NumPy's `.npy`, versions 1, 2 and 3, Fortran and C order, both byte orders, element types f4, f8, c8, c16 and i4.
 *     The default: compact, exact and fast, since each rank reads or writes one contiguous piece.
 *   - Matrix Market `array` files: `real`, `complex` or `integer`, `general`. Text; convenient and slow. Coordinate
 *     (sparse) and pattern files and symmetric, skew-symmetric and Hermitian storage are not supported.
 *
 * A one-dimensional array is a matrix of one column. Reading converts the element type where nothing that matters is
 * lost: real to complex, and single to double precision or back (rounded; a number too large for single precision is
 * an error). Complex into real and real into integer are errors.
 *
 * A file is judged before anything is read from it, and all of it must make sense: a header that promises more or
 * fewer numbers than there are is an error, as are characters that do not belong to a number. Matrix Market numbers
 * may be separated by any white space, lines may end in CR LF, an exponent may be written with e, E, d or D, and nan,
 * inf and infinity (in any case, signed or not) are numbers. Comments stand between the first line and the size line.
 *
 * Writing goes to a temporary file beside the target that takes its name when all of it is on disk: a write that
 * fails leaves an older file as it was. A symbolic link is followed, not replaced; one that leads
 * nowhere is refused.
 *
 * In between a rank holds an even share of the file's rows or columns, buffers of at most 48 MiB, and what
 * redistributing its share needs (redist.h).
 */

#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The format of a matrix file. */
typedef enum {
    SCALAY_FILE_AUTO = 0,         /**< for writing: by the ending of the name, .npy or .mtx */
    SCALAY_FILE_NPY = 1,          /**< NumPy's .npy */
    SCALAY_FILE_MATRIX_MARKET = 2 /**< Matrix Market, array */
} scalay_file_format;

/** The order of the bytes of a number in a binary file. */
typedef enum {
    SCALAY_NATIVE_ENDIAN = 0, /**< this machine's */
    SCALAY_LITTLE_ENDIAN = 1,
    SCALAY_BIG_ENDIAN = 2
} scalay_byte_order;

/** What a matrix file says about itself. */
typedef struct {
    scalay_file_format format;    /**< found by content, not by name */
    int version;                  /**< of .npy: 1, 2 or 3; 0 otherwise */
    int dimensions;               /**< 2, or 1 for an array that is read as one column */
    scalay_type type;             /**< of the numbers in the file: SCALAY_FLOAT ... SCALAY_INT */
    scalay_order order;           /**< by columns (Fortran order, Matrix Market) or by rows (C order) */
    scalay_byte_order byte_order; /**< little or big; SCALAY_NATIVE_ENDIAN for text */
    int64_t m;                    /**< rows */
    int64_t n;                    /**< columns */
    int64_t data_offset;          /**< where the numbers start, in bytes */
    int64_t file_bytes;           /**< the length of the file */
} scalay_file_info;

/** How to write; start from scalay_file_options_default(). What does not concern a format is ignored by it. */
typedef struct {
    scalay_file_format format;    /**< SCALAY_FILE_AUTO: by the name */
    scalay_order order;           /**< of .npy: SCALAY_COLUMN_MAJOR is Fortran order, SCALAY_ROW_MAJOR C order */
    scalay_byte_order byte_order; /**< of .npy */
    int version;                  /**< of .npy: 1, 2 or 3; 0: the oldest that will do */
} scalay_file_options;

/** Options that suit most callers: format by the name, Fortran order, native byte order, oldest version. */
SCALAY_API scalay_file_options scalay_file_options_default(void);

/**
 * What is in a matrix file. Collective over comm; rank 0 looks. For .npy the length of the file has been checked; the
 * numbers of a Matrix Market file have not been looked at.
 * @param[in]  comm  the ranks
 * @param[in]  path  the file; the same on every rank
 * @param[out] info  caller-owned; untouched on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE (missing, not readable, not a regular file),
 *         SCALAY_ERROR_FORMAT (not a matrix file, or not a valid one), SCALAY_ERROR_UNSUPPORTED (valid, but of a kind
 *         not read here; the message says what to do), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_matrix_inspect(scalay_comm *comm, const char *path, scalay_file_info *info);

/**
 * A sentence about a file, such as "721 x 1440 float32, .npy version 1, C order, little-endian". Not collective.
 * @param[in]  info  from scalay_matrix_inspect()
 * @param[out] text  shape [size], NUL-terminated, cut when it does not fit; may be NULL when size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole sentence, as snprintf
 */
SCALAY_API int scalay_file_describe(const scalay_file_info *info, char *text, size_t size);

/**
 * Reads a matrix file into a distributed matrix. Collective over comm; every rank returns the same status.
 * @param[in]  comm    the ranks
 * @param[in]  path    the file; the same on every rank, and visible to every rank
 * @param[in]  layout  where the matrix goes; the extents of the file; its processes are ranks of comm
 * @param[in]  type    SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE or SCALAY_INT
 * @param[out] local   the rank's local array, at least scalay_layout_local_size() elements, NULL when empty; only the
 *                     rank's own elements are written; undefined on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the extents are not the layout's; the ranks
 *         disagree), SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT, SCALAY_ERROR_UNSUPPORTED (the kind of file, or a
 *         conversion that loses something), SCALAY_ERROR_RANGE (a number does not fit the type), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_matrix_read(scalay_comm *comm, const char *path, const scalay_layout *layout,
                                            scalay_type type, void *local);

/**
 * Writes a distributed matrix into a file. Collective over comm; every rank returns the same status. Reading the file
 * again gives the same bits (for Matrix Market except the payload of a NaN).
 * @param[in]  comm     the ranks
 * @param[in]  path     the file; the same on every rank, its folder visible to every rank. An existing regular file is
 *                      replaced on success and untouched on failure.
 * @param[in]  options  NULL: the default
 * @param[in]  layout   where the matrix is; its processes are ranks of comm
 * @param[in]  type     as in scalay_matrix_read(); what the file will hold
 * @param[in]  local    the rank's local array, NULL when empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree), SCALAY_ERROR_FILE (no
 *         permission, no room, not a regular file), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_matrix_write(scalay_comm *comm, const char *path, const scalay_file_options *options,
                                             const scalay_layout *layout, scalay_type type, const void *local);

#ifdef __cplusplus
}
#endif

#endif
