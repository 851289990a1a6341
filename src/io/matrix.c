/*
 * Reading and writing of distributed matrices. A file is divided into slabs, one contiguous segment for each rank
 * (slab.h). A plan of redist redistributes between the slabs and the layout of the caller.
 */
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/hdf5.h"
#include "layout/layout.h"
#include "scalay/redist.h"

/* The slab of a rank, between the file and the layout of the caller. */
typedef struct {
    scalay_slab slab;
    scalay_plan *plan; /* from the slab to the layout of the caller */
    char *data;        /* slab of the rank */
} staging;

void scalay_file_options_init(scalay_file_options *options, size_t size)
{
    const scalay_file_options defaults = {.size = sizeof defaults, .order = SCALAY_COLUMN_MAJOR};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

/* ------------------------------------------------------------------------------------------------- arguments */

static scalay_status check_path(const char *path)
{
    if (path == NULL || path[0] == '\0')
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "path is %s; it must be the name of a file",
                           path == NULL ? "NULL" : "empty");
    return SCALAY_SUCCESS;
}

static scalay_status check_matrix(const scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                  const void *local)
{
    if (layout == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; it must be the layout of the matrix");
    if (!scalay_format_holds(type))
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "type is %d; it must be SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE "
            "or SCALAY_INT",
            type);
    if (local == NULL && scalay_layout_elements(layout, comm->rank) > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "local is NULL, but rank %d owns %lld elements; it must be the local array", comm->rank,
                           (long long)scalay_layout_elements(layout, comm->rank));
    return SCALAY_SUCCESS;
}

/* Ranks that disagree would wait in different collective calls. */
static scalay_status agree_on_arguments(scalay_comm *comm, const char *path, const int *numbers, int count)
{
    uint64_t print = scalay_fingerprint_start();
    for (const char *at = path; *at != '\0'; at++) print = scalay_fingerprint_add(print, *at);
    print = scalay_fingerprint_add_ints(print, numbers, count);
    return scalay_comm_agree_value(comm, print, __func__, "path, type or options");
}

static scalay_status no_communicator(const char *function)
{
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                       "comm is NULL; it must be a communicator from scalay_comm_create()");
}

/* --------------------------------------------------------------------------------------------------- staging */

static void free_staging(staging *stage)
{
    scalay_plan_destroy(&stage->plan);
    scalay_slab_free(&stage->slab);
    scalay_release(stage->data);
}

/* Collective; all ranks return the same status. */
static scalay_status prepare_staging(scalay_comm *comm, const scalay_layout *layout, scalay_order order,
                                     scalay_type type, staging *stage)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t m = scalay_layout_rows(layout), n = scalay_layout_cols(layout);
    SCALAY_TRY(scalay_comm_agree(comm, scalay_slab_create(comm, m, n, order, &stage->slab)));
    SCALAY_TRY(scalay_plan_create(comm, stage->slab.layout, layout, NULL, type, NULL, &stage->plan));
    int64_t elements = scalay_layout_local_size(stage->slab.layout, comm->rank);
    SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(stage->data, elements * (int64_t)scalay_type_size(type))));
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- inspect */

scalay_status scalay_matrix_inspect(scalay_comm *comm, const char *path, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    if (comm == NULL) return no_communicator(__func__);
    status = check_path(path);
    if (status == SCALAY_SUCCESS && info == NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "info is NULL; it must be the address of a scalay_file_info");
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(agree_on_arguments(comm, path, NULL, 0));
    status = scalay_file_inspect(comm, path, info);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ read */

static scalay_status check_match(const char *path, const scalay_file_info *info, const scalay_layout *layout,
                                 scalay_type type)
{
    if (info->m != scalay_layout_rows(layout) || info->n != scalay_layout_cols(layout))
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                           "'%.200s' holds a %lld x %lld matrix, but layout is %lld x %lld; create the layout with the "
                           "extents of scalay_matrix_inspect()",
                           path, (long long)info->m, (long long)info->n, (long long)scalay_layout_rows(layout),
                           (long long)scalay_layout_cols(layout));
    if (scalay_convertible(info->type, type)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                       "'%.200s' holds numbers of type %s, which cannot become type %s; read them as type %s", path,
                       scalay_type_name(info->type), scalay_type_name(type), scalay_type_name(info->type));
}

/* Collective; all ranks return the same status. */
static scalay_status read_slab(scalay_comm *comm, const char *path, const scalay_file_info *info, scalay_type type,
                               staging *stage)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_file file;
    const scalay_format *format = scalay_format_find(info->format);
    if (format->read_path != NULL) return format->read_path(comm, path, info, &stage->slab, type, stage->data);
    SCALAY_TRY(scalay_file_open(comm, path, info->file_bytes, &file));
    status = scalay_comm_agree(comm, format->read(&file, info, &stage->slab, type, stage->data));
    (void)scalay_file_close(&file); /* the data are complete */
cleanup:
    return status;
}

scalay_status scalay_matrix_read(scalay_comm *comm, const char *path, const scalay_layout *layout, scalay_type type,
                                 void *local)
{
    scalay_status status = SCALAY_SUCCESS;
    staging stage = {0};
    scalay_file_info info;
    if (comm == NULL) return no_communicator(__func__);
    status = check_path(path);
    if (status == SCALAY_SUCCESS) status = check_matrix(comm, layout, type, local);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(agree_on_arguments(comm, path, &type, 1));
    SCALAY_TRY(scalay_file_inspect(comm, path, &info));
    SCALAY_TRY(scalay_comm_agree(comm, check_match(path, &info, layout, type)));
    SCALAY_TRY(prepare_staging(comm, layout, info.order, type, &stage));
    SCALAY_TRY(read_slab(comm, path, &info, type, &stage));
    status = scalay_comm_agree(comm, scalay_plan_execute(stage.plan, stage.data, local));
cleanup:
    free_staging(&stage);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- write */

/* HDF5 has its own names. */
static scalay_status check_target(const char *path, const scalay_format *format)
{
    return format->format == SCALAY_FILE_HDF5 ? scalay_hdf5_check_target(path) : SCALAY_SUCCESS;
}

static scalay_status choose_format(const char *path, const scalay_file_options *options, const scalay_format **format)
{
    if (options->format != SCALAY_FILE_AUTO) {
        *format = scalay_format_find(options->format);
        if (*format != NULL) return check_target(path, *format);
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "options->format is %d; it must be SCALAY_FILE_AUTO, SCALAY_FILE_NPY, "
                           "SCALAY_FILE_MATRIX_MARKET or SCALAY_FILE_HDF5",
                           (int)options->format);
    }
    *format = scalay_format_of_path(path);
    if (*format != NULL) return check_target(path, *format);
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "the name '%.200s' has no known ending; it must end in .npy or .mtx or be FILE.h5:/NAME, "
                       "or set options->format",
                       path);
}

static scalay_status check_options(const scalay_file_options *options)
{
    if (options->order != SCALAY_ROW_MAJOR && options->order != SCALAY_COLUMN_MAJOR)
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "options->order is %d; it must be SCALAY_COLUMN_MAJOR (Fortran order) or SCALAY_ROW_MAJOR (C order)",
            (int)options->order);
    if ((int)options->byte_order < SCALAY_NATIVE_ENDIAN || (int)options->byte_order > SCALAY_BIG_ENDIAN)
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "options->byte_order is %d; it must be SCALAY_NATIVE_ENDIAN, SCALAY_LITTLE_ENDIAN or SCALAY_BIG_ENDIAN",
            (int)options->byte_order);
    if (options->version < 0 || options->version > 3)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "options->version is %d; it must be 0, 1, 2 or 3", options->version);
    return SCALAY_SUCCESS;
}

/* Sets the description of the file to write. */
static scalay_status describe_target(const scalay_file_options *options, const scalay_format *format,
                                     const scalay_layout *layout, scalay_type type, scalay_file_info *info)
{
    int text = format->format == SCALAY_FILE_MATRIX_MARKET;
    *info = (scalay_file_info){.format = format->format,
                               .version = text                    ? 0
                                          : options->version == 0 ? 1
                                                                  : options->version,
                               .dimensions = 2,
                               .type = type,
                               .order = text                                 ? SCALAY_COLUMN_MAJOR
                                        : format->format == SCALAY_FILE_HDF5 ? SCALAY_ROW_MAJOR
                                                                             : options->order,
                               .byte_order = options->byte_order != SCALAY_NATIVE_ENDIAN ? options->byte_order
                                                                                         : scalay_byte_order_here(),
                               .m = scalay_layout_rows(layout),
                               .n = scalay_layout_cols(layout)};
    int64_t bytes = 0;
    /* No format uses more than 64 bytes for an element with its share of the head. */
    if (scalay_multiply_int64(info->m, info->n, &bytes) && scalay_multiply_int64(bytes, 64, &bytes))
        return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_RANGE, "layout is %lld x %lld, which is too large for a file; write it in parts",
                       (long long)info->m, (long long)info->n);
}

/* Collective; all ranks return the same status. */
static scalay_status write_slab(scalay_comm *comm, const char *path, const scalay_file_info *info, staging *stage)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_output output;
    int64_t bytes = 0;
    const scalay_format *format = scalay_format_find(info->format);
    if (format->write_path != NULL) return format->write_path(comm, path, info, &stage->slab, stage->data);
    SCALAY_TRY(scalay_output_begin(comm, path, &output));
    status = format->write(&output.file, info, &stage->slab, stage->data, &bytes);
    status = scalay_output_end(&output, status, bytes);
cleanup:
    return status;
}

scalay_status scalay_matrix_write(scalay_comm *comm, const char *path, const scalay_file_options *options,
                                  const scalay_layout *layout, scalay_type type, const void *local)
{
    scalay_status status = SCALAY_SUCCESS;
    staging stage = {0};
    scalay_file_options used = scalay_file_options_default();
    const scalay_format *format = NULL;
    scalay_file_info info;
    if (comm == NULL) return no_communicator(__func__);
    status = check_path(path);
    if (status == SCALAY_SUCCESS) status = check_matrix(comm, layout, type, local);
    if (status == SCALAY_SUCCESS) status = scalay_option_struct_read(options, &used, sizeof used, __func__);
    if (status == SCALAY_SUCCESS) status = check_options(&used);
    if (status == SCALAY_SUCCESS) status = choose_format(path, &used, &format);
    if (status == SCALAY_SUCCESS) status = describe_target(&used, format, layout, type, &info);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    int numbers[] = {type, (int)format->format, (int)info.order, (int)info.byte_order, info.version};
    SCALAY_TRY(agree_on_arguments(comm, path, numbers, (int)(sizeof numbers / sizeof numbers[0])));
    SCALAY_TRY(prepare_staging(comm, layout, info.order, type, &stage));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_plan_execute_back(stage.plan, local, stage.data)));
    status = write_slab(comm, path, &info, &stage);
cleanup:
    free_staging(&stage);
    return status;
}
