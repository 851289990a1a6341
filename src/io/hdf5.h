#ifndef SCALAY_IO_HDF5_H
#define SCALAY_IO_HDF5_H

/**
 * @file
 * Datasets of HDF5 files. A path "FILE.h5:/NAME" names a file and a dataset in it. The library may be built without
 * HDF5; the functions then return SCALAY_ERROR_UNSUPPORTED.
 */

#include "io/format.h"

/** Start of an HDF5 file. */
#define SCALAY_HDF5_MAGIC "\x89HDF\r\n\x1a\n"

/** Returns the length of the file name in a path "FILE.h5:/NAME" (or .hdf5); 0 for any other path. */
size_t scalay_hdf5_file_length(const char *path);

/** scalay_format.parse: a file without the name of a dataset; the message lists the datasets. */
scalay_status scalay_hdf5_parse(const scalay_file_head *head, scalay_file_info *info);

/** Describes a dataset. Not collective. */
scalay_status scalay_hdf5_inspect(const char *path, scalay_file_info *info);

/** Checks that a dataset can be written to a path: it names a dataset, and HDF5 is there. Not collective. */
scalay_status scalay_hdf5_check_target(const char *path);

/** Reads the slab of each rank, in local storage of the layout of the slab. Collective, agreed. */
scalay_status scalay_hdf5_read(scalay_comm *comm, const char *path, const scalay_file_info *info,
                               const scalay_slab *slab, scalay_type type, void *data);

/**
 * Writes the slabs of all ranks to a dataset. Collective, agreed. A new file is complete or does not exist. In a file
 * that exists, the dataset is written under another name and renamed when it is complete; other datasets stay.
 */
scalay_status scalay_hdf5_write(scalay_comm *comm, const char *path, const scalay_file_info *info,
                                const scalay_slab *slab, const void *data);

#endif
