#ifndef SCALAY_IO_NPY_H
#define SCALAY_IO_NPY_H

/**
 * @file
 * NumPy's .npy: magic, version, length of the header, the header (a Python dictionary in words), the numbers.
 * Source: numpy.lib.format, "NPY format", versions 1.0 to 3.0.
 */

#include "io/format.h"

#define SCALAY_NPY_MAGIC "\x93NUMPY"

/** Room for any head that scalay_npy_head() makes. */
#define SCALAY_NPY_HEAD_SIZE 256

/** scalay_format.parse: the length of the file is checked too. */
scalay_status scalay_npy_parse(const scalay_file_head *head, scalay_file_info *info);

/** Magic, version, length and header for a file; info's data_offset becomes the number of bytes. */
void scalay_npy_head(scalay_file_info *info, char head[SCALAY_NPY_HEAD_SIZE]);

/** scalay_format.read */
scalay_status scalay_npy_read(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                              scalay_type type, void *data);

/** scalay_format.write */
scalay_status scalay_npy_write(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                               const void *data, int64_t *bytes);

#endif
