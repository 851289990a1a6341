/*
 * Names of datasets in HDF5 files, and what a library that was built without HDF5 says about them.
 */
#include <string.h>

#include "io/hdf5.h"

size_t scalay_hdf5_file_length(const char *path)
{
    static const char *const endings[] = {".h5", ".hdf5", ".H5", ".HDF5"};
    for (const char *at = strstr(path, ":/"); at != NULL; at = strstr(at + 1, ":/")) {
        const size_t length = (size_t)(at - path);
        for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
            const size_t ending = strlen(endings[k]);
            if (length > ending && strncmp(at - ending, endings[k], ending) == 0) return length;
        }
    }
    return 0;
}

#ifndef SCALAY_HAVE_HDF5

static scalay_status no_hdf5(const char *path)
{
    return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                       "'%.200s' is in an HDF5 file, but this ScaLAY was built without parallel HDF5. Build it where "
                       "libhdf5-openmpi-dev or libhdf5-mpich-dev (Debian) is installed, or use a .npy file",
                       path);
}

scalay_status scalay_hdf5_parse(const scalay_file_head *head, scalay_file_info *info)
{
    (void)info;
    return no_hdf5(head->path);
}

scalay_status scalay_hdf5_inspect(const char *path, scalay_file_info *info)
{
    (void)info;
    return no_hdf5(path);
}

scalay_status scalay_hdf5_check_target(const char *path)
{
    return no_hdf5(path);
}

scalay_status scalay_hdf5_read(scalay_comm *comm, const char *path, const scalay_file_info *info,
                               const scalay_slab *slab, scalay_type type, void *data)
{
    (void)comm, (void)info, (void)slab, (void)type, (void)data;
    return no_hdf5(path);
}

scalay_status scalay_hdf5_write(scalay_comm *comm, const char *path, const scalay_file_info *info,
                                const scalay_slab *slab, const void *data)
{
    (void)comm, (void)info, (void)slab, (void)data;
    return no_hdf5(path);
}

#endif
