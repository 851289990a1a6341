/* The table of matrix formats, and the inspection of a file: rank 0 reads its start and broadcasts the result. */
#define _XOPEN_SOURCE 700
#include "io/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "io/convert.h"
#include "io/hdf5.h"
#include "io/market.h"
#include "io/npy.h"

static const scalay_format formats[] = {
    {SCALAY_FILE_NPY, ".npy", ".npy", SCALAY_NPY_MAGIC, scalay_npy_parse, scalay_npy_read, scalay_npy_write, NULL,
     NULL},
    {SCALAY_FILE_MATRIX_MARKET, "Matrix Market", ".mtx", SCALAY_MARKET_MAGIC, scalay_market_parse, scalay_market_read,
     scalay_market_write, NULL, NULL},
    {SCALAY_FILE_HDF5, "HDF5", ".h5", SCALAY_HDF5_MAGIC, scalay_hdf5_parse, NULL, NULL, scalay_hdf5_read,
     scalay_hdf5_write},
};

enum { FORMATS = (int)(sizeof formats / sizeof formats[0]) };

const scalay_format *scalay_format_find(scalay_file_format format)
{
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].format == format) return &formats[k];
    return NULL;
}

const scalay_format *scalay_format_of_head(const scalay_file_head *head)
{
    for (int k = 0; k < FORMATS; k++) {
        size_t length = strlen(formats[k].magic);
        if (head->length >= (int64_t)length && memcmp(head->bytes, formats[k].magic, length) == 0) return &formats[k];
    }
    return NULL;
}

static int same_in_any_case(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char small = *a >= 'A' && *a <= 'Z' ? (char)(*a | 0x20) : *a;
        if (small != *b) return 0;
    }
    return *a == *b;
}

const scalay_format *scalay_format_of_path(const char *path)
{
    if (scalay_hdf5_file_length(path) > 0) return scalay_format_find(SCALAY_FILE_HDF5);
    const char *ending = strrchr(path, '.');
    for (int k = 0; ending != NULL && k < FORMATS; k++)
        if (same_in_any_case(ending, formats[k].ending)) return &formats[k];
    return NULL;
}

int scalay_format_holds(scalay_type type)
{
    return type >= SCALAY_FLOAT && type <= SCALAY_INT;
}

scalay_byte_order scalay_byte_order_here(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? SCALAY_LITTLE_ENDIAN : SCALAY_BIG_ENDIAN;
}

/* ------------------------------------------------------------------------------------------------- inspection */

/* Files of other kinds that may well be named by mistake. */
static const struct {
    const char *start;
    const char *what;
    const char *remedy;
} other_kinds[] = {
    {"PK\x03\x04", "a zip archive (.npz?)", "save one array with numpy.save"},
    {"\x1f\x8b", "compressed", "unpack it first"},
    {"\x80", "a Python pickle, which could run any code", "save the matrix with numpy.save"},
    {"%MatrixMarket", "a Matrix Market file whose first line lacks a '%'", "start it with %%MatrixMarket"},
};

enum { OTHER_KINDS = (int)(sizeof other_kinds / sizeof other_kinds[0]) };

static scalay_status unknown_kind(const scalay_file_head *head)
{
    if (head->length == 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s' is empty; name a .npy or Matrix Market file, or a dataset FILE.h5:/NAME",
                           head->path);
    for (int k = 0; k < OTHER_KINDS; k++) {
        size_t length = strlen(other_kinds[k].start);
        if (head->length >= (int64_t)length && memcmp(head->bytes, other_kinds[k].start, length) == 0)
            return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "'%.200s' is %s; %s", head->path, other_kinds[k].what,
                               other_kinds[k].remedy);
    }
    char shown[24];
    scalay_printable(head->bytes, head->length, shown, sizeof shown);
    return SCALAY_FAIL(
        SCALAY_ERROR_FORMAT,
        "'%.200s' starts with \"%s\": neither .npy nor Matrix Market (%%%%MatrixMarket matrix array ...) nor HDF5; "
        "convert it to one of them",
        head->path, shown);
}

scalay_status scalay_file_judge(const scalay_file_head *head, scalay_file_info *info)
{
    const scalay_format *format = scalay_format_of_head(head);
    if (format == NULL) return unknown_kind(head);
    *info = (scalay_file_info){.format = format->format, .file_bytes = head->file_bytes};
    return format->parse(head, info);
}

/* The first bytes of a file, by one rank. */
static scalay_status load_head(const char *path, char *bytes, int64_t length)
{
    FILE *file = fopen(path, "rb");
    int64_t got = 0;
    if (file != NULL) {
        got = (int64_t)fread(bytes, 1, (size_t)length, file);
        fclose(file);
    }
    if (got == length) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot read '%.200s': %s; check the file and the disk", path,
                       file == NULL ? strerror(errno) : "it ends early");
}

static scalay_status inspect_here(const char *path, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    char *bytes = NULL;
    scalay_file_head head = {.path = path};
    if (scalay_hdf5_file_length(path) > 0) return scalay_hdf5_inspect(path, info);
    SCALAY_TRY(scalay_file_check_readable(path, &head.file_bytes));
    head.length = scalay_min_int64(head.file_bytes, SCALAY_HEAD_BYTES);
    SCALAY_TRY(SCALAY_NEW(bytes, head.length));
    SCALAY_TRY(load_head(path, bytes, head.length));
    head.bytes = bytes;
    status = scalay_file_judge(&head, info);
cleanup:
    scalay_release(bytes);
    return status;
}

scalay_status scalay_file_inspect(scalay_comm *comm, const char *path, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_file_info found = {0};
    if (comm->rank == 0) status = inspect_here(path, &found);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY_MPI(MPI_Bcast(&found, (int)sizeof found, MPI_BYTE, 0, comm->mpi));
    *info = found;
cleanup:
    return status;
}

static const char *name_of_element(const scalay_file_info *info)
{
    const scalay_element *element =
        memchr(info->element, '\0', sizeof info->element) != NULL ? scalay_element_find(info->element) : NULL;
    return element != NULL ? element->name : "unknown type";
}

int scalay_file_describe(const scalay_file_info *info, char *text, size_t size)
{
    if (info == NULL) return snprintf(text, size, "no file");
    if (info->format == SCALAY_FILE_MATRIX_MARKET)
        return snprintf(text, size, "%lld x %lld %s, Matrix Market array", (long long)info->m, (long long)info->n,
                        info->type == SCALAY_INT              ? "integer"
                        : info->type == SCALAY_COMPLEX_DOUBLE ? "complex"
                                                              : "real");
    if (info->format == SCALAY_FILE_HDF5)
        return snprintf(text, size, "%lld x %lld %s, HDF5 dataset, %s-endian", (long long)info->m, (long long)info->n,
                        name_of_element(info), info->byte_order == SCALAY_BIG_ENDIAN ? "big" : "little");
    return snprintf(text, size, "%lld x %lld %s, .npy version %d, %s order, %s-endian", (long long)info->m,
                    (long long)info->n, name_of_element(info), info->version,
                    info->order == SCALAY_COLUMN_MAJOR ? "Fortran" : "C",
                    info->byte_order == SCALAY_LITTLE_ENDIAN ? "little" : "big");
}
