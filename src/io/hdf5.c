/*
 * Datasets of HDF5 files, read and written in parallel. Rows are dealt to the ranks (slab.h). Each rank moves
 * hyperslabs of its rows, in pieces of at most SCALAY_FILE_CHUNK bytes; all ranks take part in each transfer
 * (collective MPI-IO). HDF5 converts byte orders only: conversion of element types is that of convert.h, which reports
 * what is out of range.
 */
#define _XOPEN_SOURCE 700
#include "io/hdf5.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/integer.h"
#include "base/memory.h"
#include "io/convert.h"

enum { MAX_NAME = 1024, LISTED = 160 };

/* ---------------------------------------------------------------------------------------------- names, messages */

/* A path, divided. */
typedef struct {
    const char *path;                        /* as given, for messages */
    char file[SCALAY_REPLACEMENT_NAME_SIZE]; /* name of the file */
    char dataset[MAX_NAME];                  /* name of the dataset, with its slash */
} names;

/* HDF5 prints its errors, unless it is told not to; the program's own choice returns afterwards. */
typedef struct {
    H5E_auto2_t function;
    void *data;
} printing;

static printing stop_printing(void)
{
    printing before = {NULL, NULL};
    (void)H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

static void resume_printing(const printing *before)
{
    (void)H5Eset_auto2(H5E_DEFAULT, before->function, before->data);
}

static herr_t keep_reason(unsigned n, const H5E_error2_t *error, void *text)
{
    if (n == 0) (void)snprintf(text, LISTED, "%s", error->desc);
    return 0;
}

/* A call of HDF5 has failed: its own words for the innermost cause. */
static scalay_status fail(const names *n, const char *what)
{
    char reason[LISTED] = "unknown error";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, reason);
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot %s '%.200s': %.150s; check the file, room and permissions", what,
                       n->path, reason);
}

static scalay_status split(const char *path, names *n)
{
    const size_t length = scalay_hdf5_file_length(path), rest = strlen(path) - length - 1;
    n->path = path;
    if (length == 0 || length >= sizeof n->file || rest < 2 || rest >= sizeof n->dataset - 8)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "'%.200s' names no dataset; write FILE.h5:/NAME", path);
    memcpy(n->file, path, length);
    n->file[length] = '\0';
    memcpy(n->dataset, path + length + 1, rest + 1);
    return SCALAY_SUCCESS;
}

/* Adds the name of a dataset to a list. */
static herr_t list_dataset(hid_t file, const char *name, const H5O_info_t *object, void *list)
{
    (void)file;
    const size_t used = strlen(list);
    if (object->type == H5O_TYPE_DATASET && used + strlen(name) + 4 < LISTED)
        (void)snprintf((char *)list + used, LISTED - used, "%s/%s", used > 0 ? ", " : "", name);
    return 0;
}

static void list_datasets(hid_t file, char list[LISTED])
{
    list[0] = '\0';
    (void)H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, list_dataset, list, H5O_INFO_BASIC);
    if (list[0] == '\0') (void)snprintf(list, LISTED, "no datasets");
}

/* ------------------------------------------------------------------------------------------------------- types */

static const char *code_of_number(hid_t type)
{
    static const char *const floats[] = {"f2", "f4", "f8"};
    static const char *const integers[] = {"i1", "i2", "i4", "i8"}, *const naturals[] = {"u1", "u2", "u4", "u8"};
    const size_t size = H5Tget_size(type);
    const int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    if (log < 0) return NULL;
    if (H5Tget_class(type) == H5T_FLOAT) return log > 0 ? floats[log - 1] : NULL;
    if (H5Tget_class(type) == H5T_INTEGER) return H5Tget_sign(type) == H5T_SGN_NONE ? naturals[log] : integers[log];
    return NULL;
}

/* Complex numbers are pairs of floats; h5py names them r and i, others real and imag. */
static const char *code_of_pair(hid_t type, H5T_order_t *order)
{
    const char *code = NULL;
    if (H5Tget_nmembers(type) != 2) return NULL;
    hid_t parts[2] = {H5Tget_member_type(type, 0), H5Tget_member_type(type, 1)};
    char *first = H5Tget_member_name(type, 0);
    const size_t size = H5Tget_size(parts[0]);
    *order = H5Tget_order(parts[0]);
    if (first != NULL && (first[0] == 'r' || first[0] == 'R') && H5Tequal(parts[0], parts[1]) > 0 &&
        H5Tget_class(parts[0]) == H5T_FLOAT && H5Tget_size(type) == 2 * size)
        code = size == 4 ? "c8" : size == 8 ? "c16" : NULL;
    (void)H5free_memory(first);
    (void)H5Tclose(parts[0]);
    (void)H5Tclose(parts[1]);
    return code;
}

/* NumPy's code of a type, NULL if it cannot be read. h5py stores bool as an enumeration of two bytes. */
static const char *code_of(hid_t type, scalay_byte_order *order)
{
    const char *code = NULL;
    H5T_order_t found = H5T_ORDER_LE;
    if (H5Tget_class(type) == H5T_COMPOUND) {
        code = code_of_pair(type, &found);
    } else if (H5Tget_class(type) == H5T_ENUM) {
        if (H5Tget_nmembers(type) == 2 && H5Tget_size(type) == 1) code = "b1";
    } else {
        code = code_of_number(type);
        if (code != NULL) found = H5Tget_order(type);
    }
    *order = found == H5T_ORDER_BE ? SCALAY_BIG_ENDIAN : SCALAY_LITTLE_ENDIAN;
    return code;
}

/* The type that elements of a dataset have in memory, and its description. float16 becomes float32, which is exact. */
static hid_t memory_type(hid_t dataset, const char *code, const scalay_element **element)
{
    *element = scalay_element_find(strcmp(code, "f2") == 0 ? "f4" : code);
    if (strcmp(code, "f2") == 0) return H5Tcopy(H5T_NATIVE_FLOAT);
    hid_t in_file = H5Dget_type(dataset);
    hid_t type = H5Tget_native_type(in_file, H5T_DIR_ASCEND);
    (void)H5Tclose(in_file);
    if (type >= 0 && H5Tget_size(type) == (size_t)scalay_element_bytes(*element)) return type;
    if (type >= 0) (void)H5Tclose(type);
    return H5I_INVALID_HID;
}

/* The type of a matrix, as h5py stores it. */
static hid_t type_to_write(scalay_type type)
{
    const int is_single = type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
    const hid_t part = is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    if (type == SCALAY_INT) return H5Tcopy(H5T_NATIVE_INT);
    if (scalay_components(type) == 1) return H5Tcopy(part);
    hid_t pair = H5Tcreate(H5T_COMPOUND, scalay_type_size(type));
    (void)H5Tinsert(pair, "r", 0, part);
    (void)H5Tinsert(pair, "i", scalay_type_size(type) / 2, part);
    return pair;
}

/* ----------------------------------------------------------------------------------------------------- inspect */

static scalay_status describe_shape(const names *n, hid_t dataset, scalay_file_info *info)
{
    hid_t space = H5Dget_space(dataset);
    const int dimensions = H5Sget_simple_extent_ndims(space);
    hsize_t extents[2] = {0, 1};
    if (dimensions == 1 || dimensions == 2) (void)H5Sget_simple_extent_dims(space, extents, NULL);
    (void)H5Sclose(space);
    if (dimensions != 1 && dimensions != 2)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "'%.200s' has %d dimensions; a matrix has 2, or 1 (a column)",
                           n->path, dimensions);
    info->dimensions = dimensions;
    int64_t bytes = 0;
    if (extents[0] > INT64_MAX || extents[1] > INT64_MAX ||
        !scalay_multiply_int64((int64_t)extents[0], (int64_t)extents[1], &bytes) ||
        !scalay_multiply_int64(bytes, 16, &bytes))
        return SCALAY_FAIL(SCALAY_ERROR_RANGE, "'%.200s' is %llu x %llu, which is too large", n->path,
                           (unsigned long long)extents[0], (unsigned long long)extents[1]);
    info->m = (int64_t)extents[0];
    info->n = (int64_t)extents[1];
    return SCALAY_SUCCESS;
}

static scalay_status describe_dataset(const names *n, hid_t dataset, scalay_file_info *info)
{
    hid_t type = H5Dget_type(dataset);
    const char *code = code_of(type, &info->byte_order);
    (void)H5Tclose(type);
    if (code == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                           "'%.200s' has elements of a type that is not supported; store floats of 2, 4 or 8 bytes, "
                           "integers, or complex numbers as h5py does (a compound of r and i)",
                           n->path);
    (void)snprintf(info->element, sizeof info->element, "%s", code);
    info->format = SCALAY_FILE_HDF5;
    info->type = scalay_element_find(code)->type;
    info->order = SCALAY_ROW_MAJOR;
    return describe_shape(n, dataset, info);
}

/* Opens a file by one rank. */
static scalay_status open_alone(const names *n, hid_t *file)
{
    if (H5Fis_hdf5(n->file) <= 0) return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "'%.200s' is not an HDF5 file", n->file);
    *file = H5Fopen(n->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    return *file >= 0 ? SCALAY_SUCCESS : fail(n, "open");
}

static scalay_status inspect_object(const names *n, hid_t file, scalay_file_info *info)
{
    char list[LISTED];
    hid_t object = H5Oopen(file, n->dataset, H5P_DEFAULT);
    scalay_status status = SCALAY_SUCCESS;
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        status = describe_dataset(n, object, info);
    } else {
        list_datasets(file, list);
        status = SCALAY_FAIL(SCALAY_ERROR_FILE, "'%.200s' %s; the file has %s", n->path,
                             object >= 0 ? "is a group, not a dataset" : "does not exist", list);
    }
    if (object >= 0) (void)H5Oclose(object);
    return status;
}

scalay_status scalay_hdf5_inspect(const char *path, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    names n;
    hid_t file = H5I_INVALID_HID;
    const printing before = stop_printing();
    SCALAY_TRY(split(path, &n));
    SCALAY_TRY(scalay_file_check_readable(n.file, &info->file_bytes));
    SCALAY_TRY(open_alone(&n, &file));
    status = inspect_object(&n, file, info);
cleanup:
    if (file >= 0) (void)H5Fclose(file);
    resume_printing(&before);
    return status;
}

scalay_status scalay_hdf5_parse(const scalay_file_head *head, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    names n = {.path = head->path};
    char list[LISTED] = "";
    hid_t file = H5I_INVALID_HID;
    const printing before = stop_printing();
    (void)info;
    (void)snprintf(n.file, sizeof n.file, "%s", head->path);
    SCALAY_TRY(open_alone(&n, &file));
    list_datasets(file, list);
    status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "'%.200s' is an HDF5 file; name a dataset, %.100s:/NAME. It has %s",
                         head->path, head->path, list);
cleanup:
    if (file >= 0) (void)H5Fclose(file);
    resume_printing(&before);
    return status;
}

scalay_status scalay_hdf5_check_target(const char *path)
{
    names n;
    return split(path, &n);
}

/* --------------------------------------------------------------------------------------------------- transfers */

/* A dataset that all ranks have open. */
typedef struct {
    const names *n;
    hid_t file;
    hid_t dataset;
    hid_t type;     /* of elements in memory */
    hid_t transfer; /* properties: collective */
    const scalay_slab *slab;
    int64_t elements; /* of a piece, maximum */
} transfer;

static void close_transfer(transfer *t)
{
    if (t->transfer >= 0) (void)H5Pclose(t->transfer);
    if (t->type >= 0) (void)H5Tclose(t->type);
    if (t->dataset >= 0) (void)H5Dclose(t->dataset);
    if (t->file >= 0) (void)H5Fclose(t->file);
    t->transfer = t->type = t->dataset = t->file = H5I_INVALID_HID;
}

/* Opens or creates a file on all ranks. */
static hid_t open_together(scalay_comm *comm, const char *file, int writes, int creates)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_mpio(access, comm->mpi, MPI_INFO_NULL);
    hid_t opened = creates ? H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                           : H5Fopen(file, writes ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    (void)H5Pclose(access);
    return opened;
}

static void prepare(transfer *t, int64_t bytes_of_element)
{
    t->elements = scalay_max_int64(1, SCALAY_FILE_CHUNK / bytes_of_element);
    t->transfer = H5Pcreate(H5P_DATASET_XFER);
    (void)H5Pset_dxpl_mpio(t->transfer, H5FD_MPIO_COLLECTIVE);
}

/* Rounds of all ranks: of the rank with the largest slab. */
static int64_t rounds_of(const transfer *t)
{
    return scalay_slab_pieces(t->slab, scalay_min_int64(t->slab->per_rank, t->slab->lines), t->elements);
}

/* The piece of a round; an empty one if the rank has none, or has failed. */
static scalay_file_piece piece_of(const transfer *t, int64_t round, scalay_status status)
{
    const int64_t mine = scalay_slab_pieces(t->slab, t->slab->count, t->elements);
    if (round < mine && status == SCALAY_SUCCESS) return scalay_slab_piece(t->slab, t->elements, round);
    return (scalay_file_piece){0, 0, 0, 0};
}

/* Moves the rows of a piece between the dataset and `rows`; nothing if the piece is empty. */
static herr_t move_piece(const transfer *t, const scalay_file_piece *piece, void *into, const void *from)
{
    const hsize_t start[2] = {(hsize_t)(t->slab->first + piece->line), (hsize_t)piece->first};
    const hsize_t count[2] = {(hsize_t)piece->lines, (hsize_t)piece->count};
    const hsize_t elements = count[0] * count[1], one = 1;
    hid_t in_file = H5Dget_space(t->dataset), in_memory = H5Screate_simple(1, elements > 0 ? &elements : &one, NULL);
    if (elements > 0) {
        (void)H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL);
    } else {
        (void)H5Sselect_none(in_file);
        (void)H5Sselect_none(in_memory);
    }
    const herr_t code = into != NULL ? H5Dread(t->dataset, t->type, in_memory, in_file, t->transfer, into)
                                     : H5Dwrite(t->dataset, t->type, in_memory, in_file, t->transfer, from);
    (void)H5Sclose(in_memory);
    (void)H5Sclose(in_file);
    return code;
}

/* The place of a piece in local storage, which is by columns. */
static char *place_of(const transfer *t, const scalay_file_piece *piece, void *data, size_t size)
{
    return (char *)data + (piece->line + piece->first * t->slab->count) * (int64_t)size;
}

/* -------------------------------------------------------------------------------------------------------- read */

/* Buffers of a piece, by rows: as in the file, and converted. */
typedef struct {
    const scalay_element *element;
    char *raw;
    char *typed;
} buffers;

static scalay_status allocate(const transfer *t, scalay_type type, buffers *b)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t whole = t->slab->line * scalay_max_int64(1, t->slab->count);
    const int64_t elements = scalay_max_int64(1, scalay_min_int64(t->elements, whole));
    SCALAY_TRY(SCALAY_NEW(b->raw, elements * scalay_element_bytes(b->element)));
    if (b->element != scalay_element_of(type))
        SCALAY_TRY(SCALAY_NEW(b->typed, elements * (int64_t)scalay_type_size(type)));
cleanup:
    return status;
}

/* From the rows of a piece to local storage. */
static scalay_status unpack(const transfer *t, const scalay_file_piece *piece, const buffers *b, scalay_type type,
                            void *data)
{
    const size_t size = scalay_type_size(type);
    const int64_t count = piece->lines * piece->count;
    const char *rows = b->raw;
    if (b->typed != NULL) {
        const int64_t done = scalay_convert(b->raw, b->element, b->typed, type, count);
        if (done < count)
            return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                               "'%.200s': element (%lld, %lld), counted from 0, is out of range for type %s. Read the "
                               "matrix in double precision (type d or z)",
                               t->n->path, (long long)(t->slab->first + piece->line + done / piece->count),
                               (long long)(piece->first + done % piece->count), scalay_type_name(type));
        rows = b->typed;
    }
    scalay_transpose(rows, piece->count, place_of(t, piece, data, size), t->slab->count, piece->lines, piece->count,
                     size);
    return SCALAY_SUCCESS;
}

static scalay_status read_pieces(const transfer *t, const buffers *b, scalay_type type, void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rounds = rounds_of(t);
    for (int64_t k = 0; k < rounds; k++) {
        const scalay_file_piece piece = piece_of(t, k, status);
        scalay_status now = move_piece(t, &piece, b->raw, NULL) >= 0 ? SCALAY_SUCCESS : fail(t->n, "read");
        if (now == SCALAY_SUCCESS && piece.lines > 0) now = unpack(t, &piece, b, type, data);
        if (status == SCALAY_SUCCESS) status = now;
    }
    return status;
}

/* Opens the dataset on all ranks. Collective, agreed. */
static scalay_status open_dataset(scalay_comm *comm, const names *n, const scalay_file_info *info, transfer *t,
                                  buffers *b)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(comm, scalay_file_check_same(n->file, info->file_bytes)));
    t->file = open_together(comm, n->file, 0, 0);
    status = scalay_comm_agree(comm, t->file >= 0 ? SCALAY_SUCCESS : fail(n, "open"));
    if (status != SCALAY_SUCCESS) t->file = H5I_INVALID_HID; /* closing is collective: not all ranks have opened it */
    SCALAY_TRY(status);
    t->dataset = H5Dopen2(t->file, n->dataset, H5P_DEFAULT);
    SCALAY_TRY(scalay_comm_agree(comm, t->dataset >= 0 ? SCALAY_SUCCESS : fail(n, "open")));
    t->type = memory_type(t->dataset, info->element, &b->element);
    SCALAY_TRY(scalay_comm_agree(comm, t->type >= 0 ? SCALAY_SUCCESS : fail(n, "read the type of")));
    prepare(t, scalay_element_bytes(b->element));
cleanup:
    return status;
}

scalay_status scalay_hdf5_read(scalay_comm *comm, const char *path, const scalay_file_info *info,
                               const scalay_slab *slab, scalay_type type, void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    names n;
    transfer t = {&n, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, slab, 0};
    buffers b = {NULL, NULL, NULL};
    const printing before = stop_printing();
    SCALAY_TRY(scalay_comm_agree(comm, split(path, &n)));
    SCALAY_TRY(open_dataset(comm, &n, info, &t, &b));
    SCALAY_TRY(scalay_comm_agree(comm, allocate(&t, type, &b)));
    status = scalay_comm_agree(comm, read_pieces(&t, &b, type, data));
cleanup:
    close_transfer(&t);
    scalay_release(b.raw);
    scalay_release(b.typed);
    resume_printing(&before);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- write */

/* A file that is being written: a new one under a temporary name, or an old one that gets a dataset. */
typedef struct {
    scalay_comm *comm;
    names n;
    int is_new;
    scalay_replacement names;
    char part[MAX_NAME + 8]; /* name of the dataset until it is complete */
    transfer t;
} target;

/* Rank 0 looks whether there is a file, and prepares a new one. */
static scalay_status look_at_target(target *to)
{
    struct stat facts;
    to->is_new = stat(to->n.file, &facts) != 0 || facts.st_size == 0;
    if (to->is_new) return scalay_replacement_begin(&to->names);
    if (H5Fis_hdf5(to->n.file) > 0) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "'%.200s' is not an HDF5 file; choose another name, or remove it",
                       to->n.file);
}

/* Collective, agreed. */
static scalay_status open_target(target *to)
{
    scalay_comm *comm = to->comm;
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(comm, scalay_replacement_allocate(to->n.file, &to->names)));
    SCALAY_TRY(scalay_comm_agree(comm, comm->rank == 0 ? look_at_target(to) : SCALAY_SUCCESS));
    SCALAY_TRY_MPI(MPI_Bcast(&to->is_new, 1, MPI_INT, 0, comm->mpi));
    SCALAY_TRY_MPI(MPI_Bcast(to->names.temporary, SCALAY_REPLACEMENT_NAME_SIZE, MPI_CHAR, 0, comm->mpi));
    to->t.file = open_together(comm, to->is_new ? to->names.temporary : to->n.file, 1, to->is_new);
    status = scalay_comm_agree(comm, to->t.file >= 0 ? SCALAY_SUCCESS : fail(&to->n, "open the file of"));
    if (status != SCALAY_SUCCESS) to->t.file = H5I_INVALID_HID; /* as in open_dataset() */
cleanup:
    return status;
}

/* 1 if the file has an object of a name. Parent groups may be missing. */
static int has_object(hid_t file, const char *name)
{
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    if (object >= 0) (void)H5Oclose(object);
    return object >= 0;
}

static scalay_status create_dataset(target *to, const scalay_file_info *info)
{
    transfer *t = &to->t;
    const hsize_t extents[2] = {(hsize_t)info->m, (hsize_t)info->n};
    hid_t object = H5Oopen(t->file, to->n.dataset, H5P_DEFAULT);
    const int is_other = object >= 0 && H5Iget_type(object) != H5I_DATASET;
    if (object >= 0) (void)H5Oclose(object);
    if (is_other)
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "'%.200s' is a group; choose another name for the dataset", to->n.path);
    if (has_object(t->file, to->part)) (void)H5Ldelete(t->file, to->part, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, extents, NULL), links = H5Pcreate(H5P_LINK_CREATE);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_create_intermediate_group(links, 1);
    (void)H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    t->type = type_to_write(info->type);
    t->dataset = H5Dcreate2(t->file, to->part, t->type, space, links, creation, H5P_DEFAULT);
    (void)H5Pclose(creation);
    (void)H5Pclose(links);
    (void)H5Sclose(space);
    return t->dataset >= 0 ? SCALAY_SUCCESS : fail(&to->n, "create");
}

static scalay_status write_pieces(const transfer *t, const void *data, scalay_type type)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rounds = rounds_of(t), size = (int64_t)scalay_type_size(type);
    const int64_t whole = t->slab->line * scalay_max_int64(1, t->slab->count);
    char *rows = NULL, nothing = 0;
    status = SCALAY_NEW(rows, scalay_max_int64(1, scalay_min_int64(t->elements, whole)) * size);
    for (int64_t k = 0; k < rounds; k++) {
        const scalay_file_piece piece = piece_of(t, k, status);
        if (piece.lines > 0) /* the data are only read: place_of() serves both directions */
            scalay_transpose(place_of(t, &piece, (void *)(uintptr_t)data, (size_t)size), t->slab->count, rows,
                             piece.count, piece.count, piece.lines, (size_t)size);
        const int failed = move_piece(t, &piece, NULL, rows != NULL ? rows : &nothing) < 0;
        if (failed && status == SCALAY_SUCCESS) status = fail(t->n, "write");
    }
    scalay_release(rows);
    return status;
}

/* The dataset takes its name, or vanishes. */
static scalay_status finish_dataset(target *to, scalay_status status)
{
    transfer *t = &to->t;
    if (t->dataset >= 0 && H5Dclose(t->dataset) < 0 && status == SCALAY_SUCCESS) status = fail(&to->n, "write");
    if (t->dataset >= 0 && status != SCALAY_SUCCESS) (void)H5Ldelete(t->file, to->part, H5P_DEFAULT);
    t->dataset = H5I_INVALID_HID;
    if (status != SCALAY_SUCCESS) return status;
    if (has_object(t->file, to->n.dataset)) (void)H5Ldelete(t->file, to->n.dataset, H5P_DEFAULT);
    if (H5Lmove(t->file, to->part, t->file, to->n.dataset, H5P_DEFAULT, H5P_DEFAULT) < 0) return fail(&to->n, "name");
    return H5Fflush(t->file, H5F_SCOPE_GLOBAL) < 0 ? fail(&to->n, "write") : SCALAY_SUCCESS;
}

/* A new file takes its name. Rank 0 only. */
static scalay_status commit(target *to)
{
    struct stat facts = {0};
    if (stat(to->names.temporary, &facts) != 0) return fail(&to->n, "write");
    return scalay_replacement_commit(&to->names, (int64_t)facts.st_size);
}

scalay_status scalay_hdf5_write(scalay_comm *comm, const char *path, const scalay_file_info *info,
                                const scalay_slab *slab, const void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    target to = {.comm = comm};
    const printing before = stop_printing();
    to.t = (transfer){&to.n, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, slab, 0};
    SCALAY_TRY(scalay_comm_agree(comm, split(path, &to.n)));
    (void)snprintf(to.part, sizeof to.part, "%s.part", to.n.dataset);
    SCALAY_TRY(open_target(&to));
    prepare(&to.t, (int64_t)scalay_type_size(info->type));
    status = scalay_comm_agree(comm, create_dataset(&to, info));
    if (status == SCALAY_SUCCESS) status = scalay_comm_agree(comm, write_pieces(&to.t, data, info->type));
    status = scalay_comm_agree(comm, finish_dataset(&to, status));
cleanup:
    close_transfer(&to.t);
    if (comm->rank == 0 && status == SCALAY_SUCCESS && to.is_new) status = commit(&to);
    status = scalay_comm_agree(comm, status);
    if (comm->rank == 0) scalay_replacement_remove(&to.names);
    scalay_replacement_release(&to.names);
    resume_printing(&before);
    return status;
}
