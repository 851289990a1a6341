/*
 * What goes wrong with reading files goes wrong in the same way on every rank, with a message that names the file, and
 * leaves no memory behind.
 */
#define _XOPEN_SOURCE 700
#include <sys/stat.h>

#include "io/refusals.h"

enum { NOBODY = 65534 };

/* ------------------------------------------------------------------------------------------------- arguments */

static void bad_arguments_are_told(void)
{
    scalay_file_info info;
    scalay_file_options options = scalay_file_options_default();
    const scalay_status argument = SCALAY_ERROR_ARGUMENT;
    REFUSED(scalay_matrix_inspect(NULL, "a.npy", &info), argument, "comm is NULL");
    REFUSED(scalay_matrix_read(NULL, "a.npy", layout, SCALAY_DOUBLE, matrix), argument, "comm is NULL");
    REFUSED(scalay_matrix_write(NULL, "a.npy", NULL, layout, SCALAY_DOUBLE, matrix), argument, "comm is NULL");
    REFUSED(scalay_matrix_inspect(comm, NULL, &info), argument, "path is NULL");
    REFUSED(scalay_matrix_inspect(comm, "a.npy", NULL), argument, "info is NULL");
    REFUSED(read_double(NULL), argument, "path is NULL");
    REFUSED(read_double(""), argument, "path is empty");
    REFUSED(write_double(NULL), argument, "path is NULL");
    REFUSED(scalay_matrix_read(comm, "a.npy", NULL, SCALAY_DOUBLE, matrix), argument, "layout is NULL");
    REFUSED(scalay_matrix_read(comm, "a.npy", layout, 0, matrix), argument, "type is 0");
    REFUSED(scalay_matrix_read(comm, "a.npy", layout, SCALAY_RAW(8), matrix), argument, "type is 264");
    REFUSED(scalay_matrix_read(comm, "a.npy", layout, SCALAY_DOUBLE, NULL), argument, "local is NULL");
    REFUSED(scalay_matrix_write(comm, "a.npy", NULL, layout, SCALAY_DOUBLE, NULL), argument, "local is NULL");
    REFUSED(write_double("a.txt"), argument, "'a.txt'");
    REFUSED(write_double("npy"), argument, "'npy'");
    options.format = (scalay_file_format)9;
    REFUSED(scalay_matrix_write(comm, "a.npy", &options, layout, SCALAY_DOUBLE, matrix), argument, "format is 9");
    options = scalay_file_options_default();
    options.order = (scalay_order)7;
    REFUSED(scalay_matrix_write(comm, "a.npy", &options, layout, SCALAY_DOUBLE, matrix), argument, "order is 7");
    options = scalay_file_options_default();
    options.byte_order = (scalay_byte_order)3;
    REFUSED(scalay_matrix_write(comm, "a.npy", &options, layout, SCALAY_DOUBLE, matrix), argument, "byte_order is 3");
    options = scalay_file_options_default();
    options.version = 4;
    REFUSED(scalay_matrix_write(comm, "a.npy", &options, layout, SCALAY_DOUBLE, matrix), argument, "version is 4");
}

static void ranks_that_disagree_are_told(void)
{
    int odd = check_rank() % 2, size = scalay_comm_size(comm);
    scalay_file_info info;
    if (size == 1) return;
    REFUSED(scalay_matrix_inspect(comm, odd ? "a.npy" : "b.npy", &info), SCALAY_ERROR_MISMATCH, "the ranks disagree");
    REFUSED(scalay_matrix_read(comm, "a.npy", layout, odd ? SCALAY_DOUBLE : SCALAY_FLOAT, matrix),
            SCALAY_ERROR_MISMATCH, "the ranks disagree");
    REFUSED(scalay_matrix_write(comm, odd ? "a.npy" : "a.mtx", NULL, layout, SCALAY_DOUBLE, matrix),
            SCALAY_ERROR_MISMATCH, "the ranks disagree");
    /* One rank alone has a bad argument: the others hear of it. */
    REFUSED(read_double(check_rank() == size - 1 ? NULL : "a.npy"), SCALAY_ERROR_ARGUMENT, "path is NULL");
    const char *path = files_path("good.npy");
    REFUSED(write_double(path), SCALAY_SUCCESS, "");
    scalay_layout *other = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(M + odd, N, 3, 3, 1, size, 0, 0, SCALAY_ROW_MAJOR, &other), SCALAY_SUCCESS);
    double *local = calloc((size_t)(M + 1) * N, sizeof *local);
    REFUSED(scalay_matrix_read(comm, path, other, SCALAY_DOUBLE, local), SCALAY_ERROR_MISMATCH,
            "holds a 60 x 40 matrix");
    free(local);
    scalay_layout_destroy(&other);
    files_remove(path);
}

static void a_layout_of_more_processes_than_ranks_is_told(void)
{
    scalay_layout *wide = NULL;
    const char *path = files_path("good.npy");
    REFUSED(write_double(path), SCALAY_SUCCESS, "");
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, 3, 3, 1, scalay_comm_size(comm) + 1, 0, 0, SCALAY_ROW_MAJOR, &wide),
                 SCALAY_SUCCESS);
    double *local = calloc((size_t)M * N, sizeof *local);
    CHECK(scalay_matrix_read(comm, path, wide, SCALAY_DOUBLE, local) != SCALAY_SUCCESS);
    CHECK(scalay_matrix_write(comm, path, NULL, wide, SCALAY_DOUBLE, local) != SCALAY_SUCCESS);
    REFUSED(read_double(path), SCALAY_SUCCESS, "");
    free(local);
    scalay_layout_destroy(&wide);
    files_remove(path);
}

/* ----------------------------------------------------------------------------------------------------- reading */

static void what_cannot_be_opened_is_told(void)
{
    const char *path = files_path("odd");
    REFUSED(read_double(path), SCALAY_ERROR_FILE, "No such file");
    REFUSED(read_double("/dev/null"), SCALAY_ERROR_FILE, "not a regular file");
    REFUSED(read_double(files_folder), SCALAY_ERROR_FILE, "a folder");
    if (check_rank() == 0) CHECK(mkfifo(path, 0600) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    REFUSED(read_double(path), SCALAY_ERROR_FILE, "not a regular file"); /* and nobody waits for a writer */
    files_remove(path);

    files_write(path, "x", 1);
    if (check_rank() == 0) CHECK(chmod(path, 0) == 0 && chmod(files_folder, 0755) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (geteuid() == 0) CHECK(seteuid(NOBODY) == 0); /* root may read anything */
    REFUSED(read_double(path), SCALAY_ERROR_FILE, "Permission denied");
    if (getuid() == 0) CHECK(seteuid(0) == 0);
    files_remove(path);
}

static void refuse_bytes(const char *bytes, size_t length, scalay_status expected, const char *told)
{
    scalay_file_info info;
    const char *path = files_path("hostile");
    files_write(path, bytes, length);
    REFUSED(read_double(path), expected, told);
    CHECK(strstr(scalay_error_message(), path) != NULL);
    /* What the head tells, inspecting finds out; what the numbers tell, only reading. */
    if (bytes[0] != '%') CHECK_STATUS(scalay_matrix_inspect(comm, path, &info), expected);
    files_remove(path);
}

/* A good .npy file that lacks or has too much of something. */
static void hostile_npy_files_are_refused(void)
{
    static const char words[] = "{'descr': '<f8', 'fortran_order': True, 'shape': (60, 40)}\n";
    static const char object[] = "{'descr': '|O', 'fortran_order': True, 'shape': (60, 40)}\n";
    size_t start = 10, head = start + sizeof words - 1, all = head + (size_t)M * N * 8;
    char *bytes = calloc(all + 100, 1);
    memcpy(bytes, "\x93NUMPY\x01\0", 8);
    bytes[8] = (char)(sizeof words - 1);
    memcpy(bytes + start, words, sizeof words - 1);
    refuse_bytes(bytes, all - 1, SCALAY_ERROR_FORMAT, "truncated");
    refuse_bytes(bytes, all + 1, SCALAY_ERROR_FORMAT, "too long");
    refuse_bytes(bytes, head - 5, SCALAY_ERROR_FORMAT, "ends within");
    refuse_bytes(bytes, 8, SCALAY_ERROR_FORMAT, "ends within");
    bytes[9] = 10;
    refuse_bytes(bytes, all, SCALAY_ERROR_FORMAT, "the end");
    bytes[9] = 0;
    memcpy(bytes + start, object, sizeof object - 1);
    bytes[8] = (char)(sizeof object - 1);
    refuse_bytes(bytes, all, SCALAY_ERROR_UNSUPPORTED, "pickle");
    memset(bytes, 0xfe, all);
    refuse_bytes(bytes, all, SCALAY_ERROR_FORMAT, "neither .npy nor Matrix Market");
    refuse_bytes(bytes, 0, SCALAY_ERROR_FORMAT, "is empty");
    free(bytes);
}

/* A good Matrix Market file with one of its numbers, or its end, replaced. */
static void refuse_number(const char *field, int place, const char *replacement, scalay_status expected,
                          const char *told)
{
    char *bytes = calloc((size_t)M * N * 16 + 400, 1), *at = bytes;
    at += sprintf(at, "%%%%MatrixMarket matrix array %s general\n%% comment\n%d %d\n", field, M, N);
    for (int k = 0; k <= M * N; k++) {
        if (k == place)
            at += sprintf(at, "%s", replacement);
        else if (k < M * N)
            at += sprintf(at, "%d\n", k);
    }
    refuse_bytes(bytes, (size_t)(at - bytes), expected, told);
    free(bytes);
}

static void hostile_market_files_are_refused(void)
{
    char endless[400];
    memset(endless, '7', sizeof endless);
    endless[sizeof endless - 2] = '\n';
    endless[sizeof endless - 1] = '\0';
    refuse_number("real", 0, "1.0x\n", SCALAY_ERROR_FORMAT, "line 4: '1.0x', element (0, 0)");
    refuse_number("real", 61, "one\n", SCALAY_ERROR_FORMAT, "line 65: 'one', element (1, 1)");
    refuse_number("real", M * N - 1, "%\n", SCALAY_ERROR_FORMAT, "line 2403: '%', element (59, 39)");
    refuse_number("real", 100, "", SCALAY_ERROR_FORMAT, "2399 numbers");
    refuse_number("real", M * N, "1\n", SCALAY_ERROR_FORMAT, "2401 numbers");
    refuse_number("real", 100, "1 2\n", SCALAY_ERROR_FORMAT, "2401 numbers");
    refuse_number("real", 100, "1\x01\x02\n", SCALAY_ERROR_FORMAT, "'1?");
    refuse_number("real", 100, endless, SCALAY_ERROR_FORMAT, "line 104");
    refuse_number("real", 1500, "1e999\n", SCALAY_ERROR_RANGE, "line 1504: '1e999'");
    refuse_number("integer", 1500, "1.5\n", SCALAY_ERROR_FORMAT, "is not an integer");
    refuse_number("complex", 1500, "", SCALAY_ERROR_UNSUPPORTED, "type z");
    refuse_number("pattern", 1500, "", SCALAY_ERROR_UNSUPPORTED, "'pattern'");
}

static void conversions_that_lose_something_are_refused(void)
{
    scalay_file_options options = scalay_file_options_default();
    const char *path = files_path("double.npy");
    int *ints = calloc((size_t)M * N, sizeof *ints);
    REFUSED(write_double(path), SCALAY_SUCCESS, "");
    REFUSED(scalay_matrix_read(comm, path, layout, SCALAY_INT, ints), SCALAY_ERROR_UNSUPPORTED, "type d");
    double *complex_matrix = calloc((size_t)M * N * 2, sizeof *complex_matrix);
    REFUSED(scalay_matrix_write(comm, path, &options, layout, SCALAY_COMPLEX_DOUBLE, complex_matrix), SCALAY_SUCCESS,
            "");
    REFUSED(read_double(path), SCALAY_ERROR_UNSUPPORTED, "type z");

    /* Every order meets the too large number in its own place. */
    for (int order = 0; order < 2; order++) {
        options.order = (scalay_order)order;
        int64_t mine = scalay_layout_elements(layout, check_rank());
        for (int64_t k = 0; k < mine; k++) matrix[k] = 1.0;
        if (scalay_layout_owner(layout, 33, 22) == check_rank()) {
            scalay_rectangle r;
            for (int64_t k = 0; scalay_layout_rectangle(layout, check_rank(), k, &r) == SCALAY_SUCCESS; k++)
                if (r.row <= 33 && 33 < r.row + r.rows && r.col <= 22 && 22 < r.col + r.cols)
                    matrix[r.offset + (33 - r.row) + (22 - r.col) * r.ld] = -1e200;
        }
        REFUSED(scalay_matrix_write(comm, path, &options, layout, SCALAY_DOUBLE, matrix), SCALAY_SUCCESS, "");
        REFUSED(scalay_matrix_read(comm, path, layout, SCALAY_FLOAT, complex_matrix), SCALAY_ERROR_RANGE,
                "element (33, 22)");
    }
    files_remove(path);
    free(ints);
    free(complex_matrix);
}

/* ------------------------------------------------------------------------------------------------------ memory */

static scalay_status inspect(const char *path)
{
    scalay_file_info info;
    return scalay_matrix_inspect(comm, path, &info);
}

/* Lets every allocation of one rank fail, one after the other. */
static void every_failed_allocation_is_told(scalay_status (*call)(const char *path), const char *path, int victim)
{
    int64_t before = scalay_memory_live(), n = 0;
    scalay_status status = SCALAY_ERROR_MEMORY;
    while (status != SCALAY_SUCCESS && n < 500) {
        n++;
        if (check_rank() == victim) scalay_memory_fail_at(n);
        status = call(path);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK(scalay_memory_live() == before);
        int worst = 0, mine = (int)status;
        MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(worst == mine);
    }
    CHECK(status == SCALAY_SUCCESS);
    CHECK(n > 1 || check_rank() != victim || call == inspect);
}

static void without_memory_nobody_waits(void)
{
    const char *npy = files_path("memory.npy"), *mtx = files_path("memory.mtx");
    int last = scalay_comm_size(comm) - 1;
    for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
        every_failed_allocation_is_told(write_double, npy, victim);
        every_failed_allocation_is_told(read_double, npy, victim);
        every_failed_allocation_is_told(write_double, mtx, victim);
        every_failed_allocation_is_told(read_double, mtx, victim);
        every_failed_allocation_is_told(inspect, mtx, victim);
    }
    files_remove(npy);
    files_remove(mtx);
}

int main(int argc, char **argv)
{
    /* A process that has changed its user may not be looked into: Open MPI must not send in that way. */
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    refusals_begin(&argc, &argv);
    bad_arguments_are_told();
    ranks_that_disagree_are_told();
    a_layout_of_more_processes_than_ranks_is_told();
    what_cannot_be_opened_is_told();
    hostile_npy_files_are_refused();
    hostile_market_files_are_refused();
    conversions_that_lose_something_are_refused();
    without_memory_nobody_waits();
    return refusals_end();
}
