/* Slabs travel in pieces, and numbers may lie across two of them: whatever the size of a piece, the result is the same.
 */
#define _XOPEN_SOURCE 700
#include <inttypes.h>

#include "io/files.h"
#include "io/format.h"
#include "support/check.h"

static double value_of(int64_t i, int64_t j)
{
    return 1000.25 * (double)i - (double)j / 3.0;
}

/* Where element (line, k) of a slab is in its local array. */
static int64_t place_of(const scalay_slab *slab, int64_t line, int64_t k)
{
    return slab->order == SCALAY_COLUMN_MAJOR ? k + line * slab->line : line + k * slab->count;
}

static double *make_slab(const scalay_slab *slab, int fill)
{
    double *data = calloc((size_t)(slab->count * slab->line) + 1, sizeof *data);
    for (int64_t line = 0; fill && line < slab->count; line++)
        for (int64_t k = 0; k < slab->line; k++)
            data[place_of(slab, line, k)] =
                slab->order == SCALAY_COLUMN_MAJOR ? value_of(k, slab->first + line) : value_of(slab->first + line, k);
    return data;
}

static int64_t largest(const scalay_slab *slab)
{
    return slab->count * slab->line;
}

static void write_in_pieces(scalay_comm *comm, const char *path, scalay_file_info info, int64_t chunk)
{
    scalay_slab slab;
    scalay_output output;
    int64_t bytes = 0;
    CHECK_STATUS(scalay_slab_create(comm, info.m, info.n, info.order, &slab), SCALAY_SUCCESS);
    double *data = make_slab(&slab, 1);
    CHECK_STATUS(scalay_output_begin(comm, path, &output), SCALAY_SUCCESS);
    output.file.chunk = chunk;
    scalay_status status = scalay_format_find(info.format)->write(&output.file, &info, &slab, data, &bytes);
    CHECK_STATUS(scalay_output_end(&output, status, bytes), SCALAY_SUCCESS);
    scalay_slab_free(&slab);
    free(data);
}

static void read_in_pieces(scalay_comm *comm, const char *path, int64_t chunk)
{
    scalay_slab slab;
    scalay_file file;
    scalay_file_info info;
    if (!CHECK_STATUS(scalay_file_inspect(comm, path, &info), SCALAY_SUCCESS)) return;
    CHECK_STATUS(scalay_slab_create(comm, info.m, info.n, info.order, &slab), SCALAY_SUCCESS);
    double *expected = make_slab(&slab, 1), *data = make_slab(&slab, 0);
    CHECK_STATUS(scalay_file_open(comm, path, info.file_bytes, &file), SCALAY_SUCCESS);
    file.chunk = chunk;
    CHECK_STATUS(scalay_format_find(info.format)->read(&file, &info, &slab, SCALAY_DOUBLE, data), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_file_close(&file), SCALAY_SUCCESS);
    CHECK(memcmp(expected, data, (size_t)largest(&slab) * sizeof *data) == 0);
    scalay_slab_free(&slab);
    free(expected);
    free(data);
}

static int same_bytes(const char *a, const char *b)
{
    long a_length = 0, b_length = 0;
    char *a_bytes = files_read(a, &a_length), *b_bytes = files_read(b, &b_length);
    int same = a_length >= 0 && a_length == b_length && memcmp(a_bytes, b_bytes, (size_t)a_length) == 0;
    free(a_bytes);
    free(b_bytes);
    return same;
}

/* The smallest pieces hold one element of .npy, and one number of a text. */
static void every_size_of_a_piece_gives_the_same(scalay_comm *comm, scalay_file_info info)
{
    static const int64_t chunks[2][4] = {{8, 24, 56, 1000}, {40, 64, 257, 5000}};
    const char *whole = files_path("whole"), *pieces = files_path("pieces");
    write_in_pieces(comm, whole, info, SCALAY_FILE_CHUNK);
    for (int k = 0; k < 4; k++) {
        int64_t chunk = chunks[info.format == SCALAY_FILE_MATRIX_MARKET][k];
        if (info.m * info.n > 60 && chunk < 56) continue; /* many collective reads tell no more than a few */
        write_in_pieces(comm, pieces, info, chunk);
        CHECK(same_bytes(whole, pieces));
        read_in_pieces(comm, whole, chunk);
    }
    files_remove(whole);
    files_remove(pieces);
}

int main(int argc, char **argv)
{
    static const int64_t extents[][2] = {{1, 1}, {1, 50}, {50, 1}, {17, 23}, {40, 6}};
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    files_begin();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    for (int k = 0; k < 5; k++) {
        scalay_file_info info = {.format = SCALAY_FILE_NPY,
                                 .version = 1,
                                 .type = SCALAY_DOUBLE,
                                 .order = SCALAY_ROW_MAJOR,
                                 .byte_order = k % 2 ? SCALAY_BIG_ENDIAN : SCALAY_LITTLE_ENDIAN,
                                 .m = extents[k][0],
                                 .n = extents[k][1]};
        every_size_of_a_piece_gives_the_same(comm, info);
        info.order = SCALAY_COLUMN_MAJOR;
        every_size_of_a_piece_gives_the_same(comm, info);
        info.format = SCALAY_FILE_MATRIX_MARKET;
        every_size_of_a_piece_gives_the_same(comm, info);
    }
    scalay_comm_destroy(&comm);
    CHECK(files_end());
    return check_verdict();
}
