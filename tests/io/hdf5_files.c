/*
 * Datasets of HDF5 files into any layout and back. The oracle is HDF5's own serial interface, called by rank 0.
 */
#define _XOPEN_SOURCE 700
#include <hdf5.h>
#include <time.h>

#include "base/random.h"
#include "refusals.h"

enum { GUARD = 16, MARK = 0xA5 };

static scalay_random dice; /* the same on every rank */

static double value(int64_t i, int64_t j)
{
    return (double)(i * 1009 + j * 7 + 1) / 8; /* exact in single precision, too */
}

/* ------------------------------------------------------------------------------------------- by HDF5, on rank 0 */

static void put(hid_t file, const char *name, hid_t in_file, hid_t in_memory, int dimensions, const hsize_t *extents,
                int compressed, const void *data)
{
    const hsize_t chunk[2] = {5, 4};
    hid_t space = H5Screate_simple(dimensions, extents, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    if (compressed) {
        H5Pset_chunk(creation, dimensions, chunk);
        H5Pset_deflate(creation, 3);
    }
    hid_t dataset = H5Dcreate2(file, name, in_file, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    CHECK(dataset >= 0 && H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
}

static double *all_values(int64_t m, int64_t n)
{
    double *all = malloc(((size_t)(m * n) + 1) * sizeof *all);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) all[i * n + j] = value(i, j);
    return all;
}

/* A file with /x, an m x n matrix, and /kept. */
static const char *make_file(int64_t m, int64_t n, hid_t in_file, int compressed)
{
    const char *path = files_path("made.h5");
    const hsize_t extents[2] = {(hsize_t)m, (hsize_t)n}, one = 1;
    const double kept = 42;
    if (check_rank() == 0) {
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        double *all = all_values(m, n);
        put(file, "/x", in_file, H5T_NATIVE_DOUBLE, 2, extents, compressed, all);
        put(file, "/kept", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 1, &one, 0, &kept);
        free(all);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return path;
}

/* Rank 0 finds the values in a dataset, and, with `kept`, the other one. */
static void check_dataset(const char *path, const char *name, int64_t m, int64_t n, int kept)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() != 0) return;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    hsize_t extents[2] = {0, 0};
    CHECK(H5Sget_simple_extent_ndims(space) == 2);
    H5Sget_simple_extent_dims(space, extents, NULL);
    CHECK(extents[0] == (hsize_t)m && extents[1] == (hsize_t)n);
    double *found = calloc((size_t)(m * n) + 1, sizeof *found), other = 0;
    CHECK(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    int64_t wrong = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) wrong += found[i * n + j] != value(i, j);
    CHECK(wrong == 0);
    free(found);
    H5Sclose(space);
    H5Dclose(dataset);
    if (kept) {
        dataset = H5Dopen2(file, "/kept", H5P_DEFAULT);
        CHECK(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &other) >= 0 && other == 42);
        H5Dclose(dataset);
    }
    H5Fclose(file);
}

/* ------------------------------------------------------------------------------------------------ round trips */

static scalay_layout *random_layout(int64_t m, int64_t n)
{
    scalay_layout *made = NULL;
    const int64_t mb = 1 + scalay_random_below(&dice, 1 + m / 2), nb = 1 + scalay_random_below(&dice, 1 + n / 3);
    const int64_t tiles = ((m + mb - 1) / mb) * ((n + nb - 1) / nb);
    int *owner = calloc((size_t)tiles + 1, sizeof *owner);
    for (int64_t k = 0; k < tiles; k++) owner[k] = (int)scalay_random_below(&dice, scalay_comm_size(comm));
    CHECK_STATUS(scalay_layout_tiles(m, n, mb, nb, scalay_comm_size(comm), owner, &made), SCALAY_SUCCESS);
    free(owner);
    return made;
}

/* The numbers of the rank in a local array of a type whose element starts with its real part: checked, or set. */
static int64_t visit(const scalay_layout *of, scalay_type type, char *local, int sets)
{
    const size_t size = scalay_type_size(type);
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(of, check_rank()); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(of, check_rank(), k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                char *at = local + (size_t)(r.offset + j * r.ld + i) * size;
                double parts[2] = {value(r.row + i, r.col + j), 0};
                float small[2] = {(float)parts[0], 0};
                const int is_single = type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
                const void *bytes = is_single ? (const void *)small : parts;
                if (sets) memcpy(at, bytes, size);
                wrong += memcmp(at, bytes, size) != 0;
            }
    }
    return wrong;
}

static int guards_stand(const unsigned char *whole, size_t bytes)
{
    int stand = 1;
    for (size_t k = 0; k < GUARD; k++) stand &= whole[k] == MARK && whole[GUARD + bytes + k] == MARK;
    return stand;
}

/* Reads /x of a file that HDF5 made, writes it as /group/y beside, and over /x. */
static void go_round(int64_t m, int64_t n, hid_t in_file, int compressed, scalay_type type)
{
    const char *path = make_file(m, n, in_file, compressed);
    char x[160], y[160];
    snprintf(x, sizeof x, "%s:/x", path);
    snprintf(y, sizeof y, "%s:/group/y", path);
    scalay_layout *of = random_layout(m, n);
    const size_t bytes = (size_t)scalay_layout_local_size(of, check_rank()) * scalay_type_size(type);
    unsigned char *whole = malloc(bytes + 2 * GUARD);
    char *local = (char *)whole + GUARD;
    memset(whole, MARK, bytes + 2 * GUARD);
    CHECK_STATUS(scalay_matrix_read(comm, x, of, type, local), SCALAY_SUCCESS);
    CHECK(visit(of, type, local, 0) == 0 && guards_stand(whole, bytes));
    visit(of, type, local, 1);
    if (type == SCALAY_DOUBLE || type == SCALAY_FLOAT) {
        CHECK_STATUS(scalay_matrix_write(comm, y, NULL, of, type, local), SCALAY_SUCCESS);
        check_dataset(path, "/group/y", m, n, 1);
        CHECK_STATUS(scalay_matrix_write(comm, x, NULL, of, type, local), SCALAY_SUCCESS);
        check_dataset(path, "/x", m, n, 1);
    }
    files_remove(path);
    /* A file that does not exist yet. */
    snprintf(y, sizeof y, "%s:/y", path);
    CHECK_STATUS(scalay_matrix_write(comm, y, NULL, of, type, local), SCALAY_SUCCESS);
    memset(local, MARK, bytes);
    CHECK_STATUS(scalay_matrix_read(comm, y, of, type, local), SCALAY_SUCCESS);
    CHECK(visit(of, type, local, 0) == 0 && guards_stand(whole, bytes));
    files_remove(path);
    free(whole);
    scalay_layout_destroy(&of);
}

static void matrices_go_round(void)
{
    const int64_t m = 1 + scalay_random_below(&dice, 60), n = 1 + scalay_random_below(&dice, 40);
    go_round(m, n, H5T_IEEE_F64LE, 0, SCALAY_DOUBLE);
    go_round(m, n, H5T_IEEE_F64BE, 0, SCALAY_FLOAT);
    go_round(m, n, H5T_IEEE_F32BE, 0, SCALAY_DOUBLE);
    go_round(m + 5, n + 4, H5T_IEEE_F64LE, 1, SCALAY_DOUBLE);
    go_round(m, n, H5T_IEEE_F64LE, 0, SCALAY_COMPLEX_DOUBLE);
    go_round(m, n, H5T_IEEE_F64LE, 0, SCALAY_COMPLEX_FLOAT);
    go_round(0, 4, H5T_IEEE_F64LE, 0, SCALAY_DOUBLE);
}

/* Slabs of several pieces, and lines of several pieces. */
static void large_matrices_go_in_pieces(void)
{
    go_round(1500, 1500 * scalay_comm_size(comm), H5T_IEEE_F64LE, 0, SCALAY_DOUBLE);
    go_round(1, 2200000, H5T_IEEE_F32LE, 0, SCALAY_DOUBLE);
}

/* ---------------------------------------------------------------------------------------------------- refusals */

static void make_odd_file(const char *path)
{
    const hsize_t extents[3] = {2, 2, 2}, square[2] = {M, N};
    const double zeros[8] = {0};
    double *huge = calloc((size_t)M * N, sizeof *huge);
    huge[N + 2] = 1e300;
    if (check_rank() == 0) {
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
        H5Gclose(H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        put(file, "/cube", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 3, extents, 0, zeros);
        put(file, "/text", text, text, 2, extents, 0, "abcd");
        put(file, "/group/huge", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, square, 0, huge);
        H5Tclose(text);
        H5Fclose(file);
    }
    free(huge);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void what_cannot_be_read_is_refused(void)
{
    const char *path = files_path("odd.h5");
    char name[160];
    float *small = calloc((size_t)M * N, sizeof *small);
    make_odd_file(path);
    REFUSED(read_double(path), SCALAY_ERROR_FORMAT, "name a dataset");
    REFUSED(read_double(path), SCALAY_ERROR_FORMAT, "It has /cube, /group/huge, /text");
#define NAMED(dataset) (snprintf(name, sizeof name, "%s:%s", path, dataset), name)
    REFUSED(read_double(NAMED("/missing")), SCALAY_ERROR_FILE, "does not exist; the file has /cube");
    REFUSED(read_double(NAMED("/group")), SCALAY_ERROR_FILE, "is a group, not a dataset");
    REFUSED(read_double(NAMED("/cube")), SCALAY_ERROR_UNSUPPORTED, "has 3 dimensions; a matrix has 2");
    REFUSED(read_double(NAMED("/text")), SCALAY_ERROR_UNSUPPORTED, "elements of a type that is not supported");
    REFUSED(scalay_matrix_read(comm, NAMED("/group/huge"), layout, SCALAY_FLOAT, small), SCALAY_ERROR_RANGE,
            "element (1, 2), counted from 0");
    REFUSED(write_double(NAMED("/group")), SCALAY_ERROR_FILE, "is a group; choose another name");
    REFUSED(write_double(NAMED("/cube/below")), SCALAY_ERROR_FILE, "cannot create");
    REFUSED(write_double(NAMED("/")), SCALAY_ERROR_ARGUMENT, "names no dataset; write FILE.h5:/NAME");
    REFUSED(write_double(path), SCALAY_ERROR_ARGUMENT, "names no dataset; write FILE.h5:/NAME");
    files_remove(path);
    REFUSED(read_double(NAMED("/cube")), SCALAY_ERROR_FILE, "No such file");
    files_write(path, "no HDF5", 7);
    REFUSED(read_double(NAMED("/cube")), SCALAY_ERROR_FORMAT, "is not an HDF5 file");
    REFUSED(write_double(NAMED("/cube")), SCALAY_ERROR_FILE, "is not an HDF5 file; choose another name");
    files_remove(path);
    REFUSED(write_double("/no/such/folder/a.h5:/x"), SCALAY_ERROR_FILE, "cannot write");
    free(small);
}

int main(int argc, char **argv)
{
    refusals_begin(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
    uint64_t first = seed;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (check_rank() == 0) printf("seed %llu\n", (unsigned long long)first);
    dice = scalay_random_seed(first);
    matrices_go_round();
    if (argc > 2) large_matrices_go_in_pieces();
    what_cannot_be_read_is_refused();
    return refusals_end();
}
