#ifndef SCALAY_IO_H
#define SCALAY_IO_H

/**
 * @file
 * Matrix files: all ranks read a file into a layout, or write a layout into a file.
 *
 * Formats:
 *   - NumPy's `.npy` (default): versions 1, 2 and 3, Fortran and C order, both byte orders. It is compact and exact. It
 *     is fast, because each rank reads or writes one contiguous segment.
 *   - Matrix Market `array` files: `real`, `complex` or `integer`, `general`. It is text and slow. Sparse (coordinate)
 *     and pattern files, and symmetric, skew-symmetric and Hermitian storage are not supported.
 *   - Datasets of HDF5 files, if the library was built with parallel HDF5. The path is FILE.h5:/NAME (or .hdf5), such
 * as "run.h5:/fluid/pressure". Rows and columns are those that h5py shows; the rows are divided among the ranks, and
 * all ranks take part in each transfer. Datasets of 1 or 2 dimensions are read, with any chunks and filters. Without
 * HDF5, SCALAY_ERROR_UNSUPPORTED is returned.
 *
 * Element types of `.npy` files and HDF5 datasets that are read:
 *   - float16, float32, float64, complex64, complex128
 *   - int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool
 *
 * Files are written as float32, float64, complex64, complex128 or int32. In HDF5, a complex number is a compound of two
 * floats, r and i, as h5py has it; real and imag are read, too. An enumeration of two bytes is a bool.
 *
 * A one-dimensional array is a matrix with one column. Reading converts element types:
 *   - real to complex, and integer to real or complex
 *   - to lower precision, rounded to nearest; 64-bit integers above 2^53 are rounded in double precision
 *   - a number that is out of range for single precision or SCALAY_INT is an error
 *   - complex to real and real to integer are errors
 *
 * Reading checks the whole file. The number of elements must be the product of the extents, and no other characters may
 * follow. In Matrix Market files, numbers are separated by any white space, an exponent is written with e, E, d or D,
 * and nan, inf and infinity are numbers. Comments are between the first line and the size line.
 *
 * Writing uses a temporary file in the folder of the target, which replaces the target when it is complete. A failed
 * write leaves an older file unchanged. A symbolic link is followed. A link to a missing file is an error. In an HDF5
 * file that exists, the other datasets stay. The dataset is written as NAME.part, and replaces an older one of its name
 * when it is complete; the room of the older one is not released (h5repack does that).
 *
 * Memory of a rank: an equal share of the rows or columns of the file, buffers of at most 48 MiB, and the buffers of a
 * redistribution (redist.h).
 */

#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Format of a matrix file. */
typedef enum {
    SCALAY_FILE_AUTO = 0,          /**< for writing: by the name: .npy, .mtx or FILE.h5:/NAME */
    SCALAY_FILE_NPY = 1,           /**< NumPy's .npy */
    SCALAY_FILE_MATRIX_MARKET = 2, /**< Matrix Market, array */
    SCALAY_FILE_HDF5 = 3           /**< dataset of an HDF5 file */
} scalay_file_format;

/** Order of the bytes of a number in a binary file. */
typedef enum {
    SCALAY_NATIVE_ENDIAN = 0, /**< as on this machine */
    SCALAY_LITTLE_ENDIAN = 1, /**< lowest byte first */
    SCALAY_BIG_ENDIAN = 2     /**< highest byte first */
} scalay_byte_order;

/** Description of a matrix file. */
typedef struct {
    scalay_file_format format; /**< found by content, not by name */
    int version;               /**< of .npy: 1, 2 or 3; 0 otherwise */
    int dimensions;            /**< 2; 1 for an array that is read as one column */
    scalay_type type;          /**< SCALAY_FLOAT for float16; SCALAY_INT for bool and all integers */
    scalay_order order; /**< SCALAY_COLUMN_MAJOR (Fortran order, Matrix Market) or SCALAY_ROW_MAJOR (C order, HDF5) */
    scalay_byte_order byte_order; /**< little or big; SCALAY_NATIVE_ENDIAN for text */
    int64_t m;                    /**< rows */
    int64_t n;                    /**< columns */
    int64_t data_offset;          /**< of the first number, in bytes from the start of the file */
    int64_t file_bytes;           /**< length of the file */
    char element[8]; /**< of .npy and HDF5: NumPy's code of the element type, such as "f8" or "i8"; empty for text */
} scalay_file_info;

/** Options for writing. Start from scalay_file_options_default(). */
typedef struct {
    size_t size;               /**< sizeof(scalay_file_options), set by scalay_file_options_default() */
    scalay_file_format format; /**< SCALAY_FILE_AUTO (default): by the name */
    scalay_order order;        /**< of .npy: SCALAY_COLUMN_MAJOR (default): Fortran order; SCALAY_ROW_MAJOR: C order */
    scalay_byte_order byte_order; /**< of .npy; SCALAY_NATIVE_ENDIAN (default) */
    int version;                  /**< of .npy: 1, 2 or 3; 0 (default): 1 */
} scalay_file_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_file_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_file_options_init(scalay_file_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_file_options scalay_file_options_default(void)
{
    scalay_file_options options;
    scalay_file_options_init(&options, sizeof options);
    return options;
}

/**
 * Describes a matrix file. Collective over comm; rank 0 reads. For .npy, the length of the file is checked. The numbers
 * of a Matrix Market file are not read.
 * @param[in]  comm  the ranks
 * @param[in]  path  name of the file, equal on all ranks
 * @param[out] info  caller-owned; unchanged on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE (missing, not readable, not a regular file),
 *         SCALAY_ERROR_FORMAT (not a matrix file, or invalid), SCALAY_ERROR_UNSUPPORTED (valid, but not supported; the
 *         message names a remedy), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_matrix_inspect(scalay_comm *comm, const char *path, scalay_file_info *info);

/**
 * Prints a description, such as "721 x 1440 float32, .npy version 1, C order, little-endian". Not collective.
 * @param[in]  info  from scalay_matrix_inspect()
 * @param[out] text  shape [size], NUL-terminated, truncated to size; may be NULL if size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole description, as snprintf
 */
SCALAY_API int scalay_file_describe(const scalay_file_info *info, char *text, size_t size);

/**
 * Reads a matrix file into a distributed matrix. Collective over comm; all ranks return the same status.
 * @param[in]  comm    the ranks
 * @param[in]  path    name of the file, equal on all ranks and visible to all ranks
 * @param[in]  layout  layout of the matrix; has the extents of the file; its processes are ranks of comm
 * @param[in]  type    SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE or SCALAY_INT
 * @param[out] local   local array, at least scalay_layout_local_size() elements, NULL if empty; only the elements of
 * the rank are written; undefined on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the extents differ from those of the layout;
 * the ranks disagree), SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT, SCALAY_ERROR_UNSUPPORTED (the kind of file, or the
 *         conversion), SCALAY_ERROR_RANGE (a number is out of range for the type), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_matrix_read(scalay_comm *comm, const char *path, const scalay_layout *layout,
                                            scalay_type type, void *local);

/**
 * Writes a distributed matrix into a file. Collective over comm; all ranks return the same status. Reading the file
 * yields the same bits, except the payload of a NaN in Matrix Market files.
 * @param[in]  comm     the ranks
 * @param[in]  path     name of the file, equal on all ranks, in a folder that is visible to all ranks. An existing
 *                      regular file is replaced on success and unchanged on failure.
 * @param[in]  options  NULL: defaults
 * @param[in]  layout   layout of the matrix; its processes are ranks of comm
 * @param[in]  type     as in scalay_matrix_read(); type of the file
 * @param[in]  local    local array, NULL if empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree), SCALAY_ERROR_FILE (no
 *         permission, no free space, not a regular file), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_matrix_write(scalay_comm *comm, const char *path, const scalay_file_options *options,
                                             const scalay_layout *layout, scalay_type type, const void *local);

#ifdef __cplusplus
}
#endif

#endif
