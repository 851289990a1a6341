/* Each element type of .npy files is read as the numbers that NumPy would print. */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "io/files.h"
#include "scalay/scalay.h"
#include "support/check.h"

enum { M = 2, N = 2, ELEMENTS = M * N };

/* Four elements of 1 to 8 bytes, by columns, as integers with these bits; little-endian in the file. */
static const struct {
    const char *descr, *name;
    int bytes;
    uint64_t bits[ELEMENTS];
    double numbers[ELEMENTS];
    scalay_type type;
} cases[] = {
    {"<f2", "float16", 2, {0x3c00, 0xc000, 0x0001, 0x7bff}, {1.0, -2.0, 0x1p-24, 65504.0}, SCALAY_FLOAT},
    {"<f2", "float16", 2, {0x8000, 0x7c00, 0xfc00, 0x3555}, {-0.0, INFINITY, -INFINITY, 0x1.554p-2}, SCALAY_FLOAT},
    {"<i8", "int64", 8, {1, (uint64_t)-2, INT_MAX, (uint64_t)INT_MIN}, {1.0, -2.0, INT_MAX, INT_MIN}, SCALAY_INT},
    {"<i2", "int16", 2, {1, 0xfffe, 0x7fff, 0x8000}, {1.0, -2.0, 32767.0, -32768.0}, SCALAY_INT},
    {"|i1", "int8", 1, {1, 0xfe, 0x7f, 0x80}, {1.0, -2.0, 127.0, -128.0}, SCALAY_INT},
    {"<u8", "uint64", 8, {1, 2, 3, INT_MAX}, {1.0, 2.0, 3.0, INT_MAX}, SCALAY_INT},
    {"<u4", "uint32", 4, {1, 2, 3, INT_MAX}, {1.0, 2.0, 3.0, INT_MAX}, SCALAY_INT},
    {"<u2", "uint16", 2, {1, 2, 0x8000, 0xffff}, {1.0, 2.0, 32768.0, 65535.0}, SCALAY_INT},
    {"|u1", "uint8", 1, {1, 2, 0x80, 0xff}, {1.0, 2.0, 128.0, 255.0}, SCALAY_INT},
    {"|b1", "bool", 1, {1, 0, 0, 1}, {1.0, 0.0, 0.0, 1.0}, SCALAY_INT},
};

enum { CASES = (int)(sizeof cases / sizeof *cases) };

static scalay_comm *comm;
static scalay_layout *layout;

/* Writes a .npy file of M x N elements; big-endian if the description starts with '>'. */
static const char *write_file(const char *descr, int bytes, const uint64_t *bits, int by_columns)
{
    char file[256];
    const char *path = files_path("elements.npy");
    int length = 10 + snprintf(file + 10, sizeof file - 10, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d)}\n",
                               descr, by_columns ? "True" : "False", M, N);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (char)(length - 10);
    file[9] = 0;
    for (int k = 0; k < ELEMENTS; k++)
        for (int byte = 0; byte < bytes; byte++)
            file[length++] = (char)(bits[k] >> 8 * (descr[0] == '>' ? bytes - 1 - byte : byte));
    files_write(path, file, (size_t)length);
    return path;
}

/* Element (i, j) is on the rank that holds column j. */
static int is_here(int j)
{
    return j % scalay_comm_size(comm) == check_rank();
}

static void check_numbers(const char *path, const double *numbers, int by_columns)
{
    double d[ELEMENTS] = {0}, z[2 * ELEMENTS] = {0};
    float s[ELEMENTS] = {0};
    CHECK_STATUS(scalay_matrix_read(comm, path, layout, SCALAY_DOUBLE, d), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_matrix_read(comm, path, layout, SCALAY_FLOAT, s), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_matrix_read(comm, path, layout, SCALAY_COMPLEX_DOUBLE, z), SCALAY_SUCCESS);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M && is_here(j); i++) {
            const int k = i + j / scalay_comm_size(comm) * M;
            const double number = numbers[by_columns ? i + j * M : j + i * N];
            CHECK(d[k] == number && s[k] == (float)number && z[2 * k] == number && z[2 * k + 1] == 0.0);
        }
}

static void check_integers(const char *path, const double *numbers)
{
    int integers[ELEMENTS] = {0};
    CHECK_STATUS(scalay_matrix_read(comm, path, layout, SCALAY_INT, integers), SCALAY_SUCCESS);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M && is_here(j); i++)
            CHECK(integers[i + j / scalay_comm_size(comm) * M] == (int)numbers[i + j * M]);
}

static void each_type_is_read(void)
{
    for (int k = 0; k < CASES; k++) {
        scalay_file_info info;
        char text[120];
        char descr[8];
        const char *path = write_file(cases[k].descr, cases[k].bytes, cases[k].bits, 1);
        CHECK_STATUS(scalay_matrix_inspect(comm, path, &info), SCALAY_SUCCESS);
        CHECK(info.type == cases[k].type && strcmp(info.element, cases[k].descr + 1) == 0);
        scalay_file_describe(&info, text, sizeof text);
        CHECK(strstr(text, cases[k].name) != NULL);
        check_numbers(path, cases[k].numbers, 1);
        if (info.type == SCALAY_INT) check_integers(path, cases[k].numbers);
        files_remove(path);
        snprintf(descr, sizeof descr, "%c%s", cases[k].bytes > 1 ? '>' : '|', cases[k].descr + 1);
        path = write_file(descr, cases[k].bytes, cases[k].bits, 0);
        check_numbers(path, cases[k].numbers, 0);
        files_remove(path);
    }
}

static void integers_that_are_out_of_range_are_refused(void)
{
    static const uint64_t bits[ELEMENTS] = {1, 2, 3, (uint64_t)1 << 40};
    static const double numbers[ELEMENTS] = {1.0, 2.0, 3.0, 0x1p40};
    int integers[ELEMENTS];
    double d[ELEMENTS];
    const char *path = write_file("<i8", 8, bits, 1);
    CHECK_STATUS(scalay_matrix_read(comm, path, layout, SCALAY_INT, integers), SCALAY_ERROR_RANGE);
    CHECK(strstr(scalay_error_message(), "element (1, 1)") != NULL);
    CHECK(strstr(scalay_error_message(), "out of range for type i") != NULL);
    check_numbers(path, numbers, 1);
    files_remove(path);
    path = write_file("<f2", 2, bits, 1);
    CHECK_STATUS(scalay_matrix_read(comm, path, layout, SCALAY_INT, integers), SCALAY_ERROR_UNSUPPORTED);
    CHECK_STATUS(scalay_matrix_read(comm, path, layout, SCALAY_DOUBLE, d), SCALAY_SUCCESS);
    files_remove(path);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    files_begin();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, M, 1, 1, scalay_comm_size(comm), 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    each_type_is_read();
    integers_that_are_out_of_range_are_refused();
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    CHECK(files_end());
    return check_verdict();
}
