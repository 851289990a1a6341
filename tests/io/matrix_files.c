/*
 * Every kind of file into every kind of layout and back. The oracle is serial: it makes and takes apart files by the
 * formats' own definitions, element by element, on the C library alone.
 */
#define _XOPEN_SOURCE 700
#include <inttypes.h>
#include <math.h>

#include "base/random.h"
#include "io/files.h"
#include "scalay/scalay.h"
#include "support/check.h"

enum { MARK = 0xA5 };

static const struct {
    scalay_type type;
    const char *code;
    int parts; /* numbers in an element */
} types[] = {{SCALAY_FLOAT, "f4", 1},
             {SCALAY_DOUBLE, "f8", 1},
             {SCALAY_COMPLEX_FLOAT, "c8", 2},
             {SCALAY_COMPLEX_DOUBLE, "c16", 2},
             {SCALAY_INT, "i4", 1}};

/* What one trial is about. */
typedef struct {
    scalay_comm *comm;
    scalay_random random; /* the same on every rank */
    int64_t m, n;
    int kind; /* index of types */
    uint64_t seed;
    int finite; /* no NaN: text does not keep their payload */
} trial;

static size_t size_of(const trial *t)
{
    return scalay_type_size(types[t->kind].type);
}

/* Element (i, j): any bits at all. */
static void element(const trial *t, int64_t i, int64_t j, unsigned char *bytes)
{
    scalay_random random = scalay_random_seed(t->seed ^ (uint64_t)(i * 1000003 + j * 7919 + 1));
    for (size_t k = 0; k < size_of(t); k++) bytes[k] = (unsigned char)scalay_random_bits(&random);
    if (!t->finite || types[t->kind].type == SCALAY_INT) return;
    size_t part = size_of(t) / (size_t)types[t->kind].parts;
    for (size_t at = 0; at < size_of(t); at += part) {
        double d = 0.0;
        float s = 0.0f;
        if (part == 8) memcpy(&d, bytes + at, 8);
        if (part == 4) memcpy(&s, bytes + at, 4);
        if (isnan(d) || isnan(s)) memset(bytes + at, 0, part);
    }
}

static void swap_parts(const trial *t, unsigned char *bytes)
{
    size_t part = size_of(t) / (size_t)types[t->kind].parts;
    for (size_t at = 0; at < size_of(t); at += part)
        for (size_t k = 0; k < part / 2; k++) {
            unsigned char kept = bytes[at + k];
            bytes[at + k] = bytes[at + part - 1 - k];
            bytes[at + part - 1 - k] = kept;
        }
}

static int big_endian_here(void)
{
    const int one = 1;
    char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* --------------------------------------------------------------------------------------------------- layouts */

static scalay_layout *random_grid(trial *t, int64_t m, int64_t n)
{
    scalay_layout *layout = NULL;
    int size = scalay_comm_size(t->comm);
    int p = 1 + (int)scalay_random_below(&t->random, size), q = size / p;
    CHECK_STATUS(scalay_layout_block_cyclic(
                     m, n, 1 + scalay_random_below(&t->random, 9), 1 + scalay_random_below(&t->random, 9), p, q,
                     (int)scalay_random_below(&t->random, p), (int)scalay_random_below(&t->random, q),
                     (scalay_order)scalay_random_below(&t->random, 2), &layout),
                 SCALAY_SUCCESS);
    return layout;
}

static scalay_layout *random_tiles(trial *t, int64_t m, int64_t n)
{
    scalay_layout *layout = NULL;
    int64_t mb = 1 + scalay_random_below(&t->random, 9), nb = 1 + scalay_random_below(&t->random, 9);
    int64_t tiles = ((m + mb - 1) / mb) * ((n + nb - 1) / nb);
    int *owner = calloc((size_t)tiles + 1, sizeof *owner);
    for (int64_t k = 0; k < tiles; k++) owner[k] = (int)scalay_random_below(&t->random, scalay_comm_size(t->comm));
    CHECK_STATUS(scalay_layout_tiles(m, n, mb, nb, scalay_comm_size(t->comm), owner, &layout), SCALAY_SUCCESS);
    free(owner);
    return layout;
}

/* A grid or tiles, on permuted processes, sometimes as a submatrix of something larger. */
static scalay_layout *random_layout(trial *t)
{
    scalay_layout *whole = NULL, *moved = NULL, *layout = NULL;
    int64_t row = scalay_random_below(&t->random, 5), col = scalay_random_below(&t->random, 5);
    int size = scalay_comm_size(t->comm), process[64];
    whole = scalay_random_below(&t->random, 2) ? random_grid(t, t->m + 2 * row, t->n + 2 * col)
                                               : random_tiles(t, t->m + 2 * row, t->n + 2 * col);
    for (int k = 0; k < size; k++) process[k] = k;
    for (int k = size - 1; k > 0; k--) {
        int other = (int)scalay_random_below(&t->random, k + 1), kept = process[k];
        process[k] = process[other];
        process[other] = kept;
    }
    CHECK_STATUS(scalay_layout_relabel(whole, size, process, &moved), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_submatrix(moved, row, col, t->m, t->n, &layout), SCALAY_SUCCESS);
    scalay_layout_destroy(&whole);
    scalay_layout_destroy(&moved);
    return layout;
}

/* ------------------------------------------------------------------------------------------------ local arrays */

/* Calls for each element that the rank owns. */
static void each_element(const trial *t, const scalay_layout *layout, char *local,
                         void (*visit)(const trial *t, int64_t i, int64_t j, char *at))
{
    scalay_rectangle r;
    int rank = scalay_comm_rank(t->comm);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        CHECK_STATUS(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                visit(t, r.row + i, r.col + j, local + (r.offset + i + j * r.ld) * (int64_t)size_of(t));
    }
}

static void fill(const trial *t, int64_t i, int64_t j, char *at)
{
    element(t, i, j, (unsigned char *)at);
}

static void compare_and_mark(const trial *t, int64_t i, int64_t j, char *at)
{
    unsigned char expected[16];
    element(t, i, j, expected);
    CHECK(memcmp(at, expected, size_of(t)) == 0);
    memset(at, MARK, size_of(t));
}

static size_t local_bytes(const trial *t, const scalay_layout *layout)
{
    return (size_t)scalay_layout_local_size(layout, scalay_comm_rank(t->comm)) * size_of(t);
}

/* Reads a file and checks every element of the rank, and that nothing else in its array was touched. */
static void check_read(const trial *t, const char *path, const scalay_layout *layout)
{
    size_t bytes = local_bytes(t, layout);
    char *local = malloc(bytes + 1);
    memset(local, MARK, bytes);
    if (CHECK_STATUS(scalay_matrix_read(t->comm, path, layout, types[t->kind].type, local), SCALAY_SUCCESS)) {
        each_element(t, layout, local, compare_and_mark);
        for (size_t k = 0; k < bytes; k++)
            if (!CHECK((unsigned char)local[k] == MARK)) break;
    }
    free(local);
}

static void check_write(const trial *t, const char *path, const scalay_layout *layout,
                        const scalay_file_options *options)
{
    char *local = calloc(local_bytes(t, layout) + 1, 1);
    each_element(t, layout, local, fill);
    CHECK_STATUS(scalay_matrix_write(t->comm, path, options, layout, types[t->kind].type, local), SCALAY_SUCCESS);
    free(local);
}

/* -------------------------------------------------------------------------------------------- the .npy oracle */

static long npy_file(const trial *t, int fortran, int big, int version, int column, unsigned char **file)
{
    char words[256];
    int64_t count = t->m * t->n;
    int length = column
                     ? snprintf(words, sizeof words, "{'shape':(%" PRId64 ",),\"descr\": '%c%s', 'fortran_order':%s}",
                                t->m, big ? '>' : '<', types[t->kind].code, fortran ? "True" : "False")
                     : snprintf(words, sizeof words,
                                "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%" PRId64 ", %" PRId64 "), }   \n",
                                big ? '>' : '<', types[t->kind].code, fortran ? "True" : "False", t->m, t->n);
    int start = version == 1 ? 10 : 12;
    long bytes = start + length + (long)(count * (int64_t)size_of(t));
    *file = calloc((size_t)bytes + 16, 1);
    memcpy(*file, "\x93NUMPY", 6);
    (*file)[6] = (unsigned char)version;
    (*file)[8] = (unsigned char)length;
    memcpy(*file + start, words, (size_t)length);
    for (int64_t k = 0; k < count; k++) {
        unsigned char *at = *file + start + length + k * (int64_t)size_of(t);
        element(t, fortran ? k % t->m : k / t->n, fortran ? k / t->m : k % t->n, at);
        if (big != big_endian_here()) swap_parts(t, at);
    }
    return bytes;
}

/* Compares a file that was written with the matrix, by rank 0. */
static void check_npy_file(const trial *t, const char *path, const scalay_file_options *options)
{
    if (check_rank() != 0) return;
    long length = 0;
    char words[128];
    unsigned char *file = (unsigned char *)files_read(path, &length);
    int version = options->version == 0 ? 1 : options->version, start = version == 1 ? 10 : 12;
    int big =
        options->byte_order == SCALAY_NATIVE_ENDIAN ? big_endian_here() : options->byte_order == SCALAY_BIG_ENDIAN;
    int fortran = options->order == SCALAY_COLUMN_MAJOR;
    int64_t count = t->m * t->n;
    long data = length - (long)(count * (int64_t)size_of(t));
    snprintf(words, sizeof words, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%" PRId64 ", %" PRId64 "), }",
             big ? '>' : '<', types[t->kind].code, fortran ? "True" : "False", t->m, t->n);
    CHECK(memcmp(file, "\x93NUMPY", 6) == 0 && file[6] == version && file[7] == 0);
    CHECK(data % 64 == 0 && file[8] + 256 * file[9] + start == data && file[data - 1] == '\n');
    CHECK(memcmp(file + start, words, strlen(words)) == 0);
    for (int64_t k = 0; k < count; k++) {
        unsigned char expected[16];
        element(t, fortran ? k % t->m : k / t->n, fortran ? k / t->m : k % t->n, expected);
        if (big != big_endian_here()) swap_parts(t, expected);
        CHECK(memcmp(file + data + k * (int64_t)size_of(t), expected, size_of(t)) == 0);
    }
    free(file);
}

static void every_npy_file_arrives_in_any_layout(trial *t)
{
    int fortran = (int)scalay_random_below(&t->random, 2), big = (int)scalay_random_below(&t->random, 2);
    int version = 1 + (int)scalay_random_below(&t->random, 3);
    int column = t->n == 1 && scalay_random_below(&t->random, 2);
    unsigned char *file = NULL;
    const char *path = files_path("read.npy");
    long length = npy_file(t, fortran, big, version, column, &file);
    files_write(path, file, (size_t)length);

    scalay_file_info info;
    if (CHECK_STATUS(scalay_matrix_inspect(t->comm, path, &info), SCALAY_SUCCESS)) {
        CHECK(info.format == SCALAY_FILE_NPY && info.version == version && info.type == types[t->kind].type);
        CHECK(info.m == t->m && info.n == t->n && info.dimensions == (column ? 1 : 2) && info.file_bytes == length);
        CHECK(info.order == (fortran ? SCALAY_COLUMN_MAJOR : SCALAY_ROW_MAJOR));
        CHECK(info.byte_order == (big ? SCALAY_BIG_ENDIAN : SCALAY_LITTLE_ENDIAN));
    }
    scalay_layout *layout = random_layout(t);
    check_read(t, path, layout);
    scalay_layout_destroy(&layout);
    files_remove(path);
    free(file);
}

static void every_layout_makes_the_npy_file_it_should(trial *t)
{
    scalay_file_options options = scalay_file_options_default();
    options.order = (scalay_order)scalay_random_below(&t->random, 2);
    options.byte_order = (scalay_byte_order)scalay_random_below(&t->random, 3);
    options.version = (int)scalay_random_below(&t->random, 4);
    const char *path = files_path("written.npy");
    scalay_layout *from = random_layout(t), *to = random_layout(t);
    check_write(t, path, from, &options);
    check_npy_file(t, path, &options);
    check_read(t, path, to);
    files_remove(path);
    scalay_layout_destroy(&from);
    scalay_layout_destroy(&to);
}

/* --------------------------------------------------------------------------------- the Matrix Market oracle */

/* A file as other programs may write it: comments, blank lines, CR LF, several numbers in a line, D exponents. */
static long market_file(trial *t, char **file)
{
    static const char *const separators[] = {"\n", "\r\n", " ", "\t\n\n", "  \n"};
    static const char *const fields[] = {"real", "REAL", "Complex", "complex", "integer"};
    int64_t count = t->m * t->n;
    *file = calloc((size_t)count * 80 + 256, 1);
    char *at = *file;
    at += sprintf(at, "%%%%MatrixMarket matrix Array %s general\r\n%% a comment\n%%\n\n  %" PRId64 " %" PRId64 " \r\n",
                  fields[t->kind], t->m, t->n);
    for (int64_t k = 0; k < count; k++) {
        unsigned char bytes[16];
        element(t, k % t->m, k / t->m, bytes);
        for (int c = 0; c < types[t->kind].parts; c++) {
            const char *separator = separators[scalay_random_below(&t->random, 5)];
            double d = 0.0;
            float s = 0.0f;
            int i = 0;
            size_t part = size_of(t) / (size_t)types[t->kind].parts;
            memcpy(part == 8                           ? (void *)&d
                   : types[t->kind].type == SCALAY_INT ? (void *)&i
                                                       : (void *)&s,
                   bytes + (size_t)c * part, part);
            if (types[t->kind].type == SCALAY_INT)
                at += sprintf(at, "%d", i);
            else
                at += sprintf(at, scalay_random_below(&t->random, 2) ? "%.17g" : "%.17E", part == 8 ? d : (double)s);
            at += sprintf(at, "%s", separator);
        }
    }
    /* The last number may end with the file. */
    if (count > 0 && scalay_random_below(&t->random, 2))
        while (at[-1] <= ' ') *--at = '\0';
    return at - *file;
}

static void every_market_file_arrives_in_any_layout(trial *t)
{
    char *file = NULL;
    const char *path = files_path("read.mtx");
    long length = market_file(t, &file);
    files_write(path, file, (size_t)length);
    scalay_file_info info;
    static const scalay_type found[] = {SCALAY_DOUBLE, SCALAY_DOUBLE, SCALAY_COMPLEX_DOUBLE, SCALAY_COMPLEX_DOUBLE,
                                        SCALAY_INT};
    if (CHECK_STATUS(scalay_matrix_inspect(t->comm, path, &info), SCALAY_SUCCESS))
        CHECK(info.format == SCALAY_FILE_MATRIX_MARKET && info.m == t->m && info.n == t->n &&
              info.type == found[t->kind]);
    scalay_layout *layout = random_layout(t);
    check_read(t, path, layout);
    scalay_layout_destroy(&layout);
    files_remove(path);
    free(file);
}

static void check_market_file(const trial *t, const char *path)
{
    static const char *const fields[] = {"real", "real", "complex", "complex", "integer"};
    if (check_rank() != 0) return;
    long length = 0;
    char banner[128];
    char *file = files_read(path, &length), *at = file;
    size_t part = size_of(t) / (size_t)types[t->kind].parts;
    int start = snprintf(banner, sizeof banner, "%%%%MatrixMarket matrix array %s general\n%" PRId64 " %" PRId64 "\n",
                         fields[t->kind], t->m, t->n);
    if (CHECK(length >= start && memcmp(file, banner, (size_t)start) == 0)) at += start;
    for (int64_t k = 0; k < t->m * t->n * types[t->kind].parts; k++) {
        unsigned char expected[16];
        element(t, k / types[t->kind].parts % t->m, k / types[t->kind].parts / t->m, expected);
        double d = strtod(at, &at);
        float s = (float)d;
        int i = types[t->kind].type == SCALAY_INT ? (int)d : 0;
        const void *got = part == 8 ? (void *)&d : types[t->kind].type == SCALAY_INT ? (void *)&i : (void *)&s;
        CHECK(memcmp(got, expected + (size_t)(k % types[t->kind].parts) * part, part) == 0);
    }
    CHECK(at + 1 >= file + length);
    free(file);
}

static void every_layout_makes_the_market_file_it_should(trial *t)
{
    const char *path = files_path("written.mtx");
    scalay_layout *from = random_layout(t), *to = random_layout(t);
    check_write(t, path, from, NULL);
    check_market_file(t, path);
    check_read(t, path, to);
    files_remove(path);
    scalay_layout_destroy(&from);
    scalay_layout_destroy(&to);
}

/* ----------------------------------------------------------------------------------------------------- trials */

static void run_trial(scalay_comm *comm, uint64_t seed)
{
    trial t = {.comm = comm, .random = scalay_random_seed(seed), .seed = seed};
    t.kind = (int)(seed % 5);
    t.m = scalay_random_below(&t.random, 40);
    t.n = scalay_random_below(&t.random, 4) == 0 ? 1 : scalay_random_below(&t.random, 40);
    every_npy_file_arrives_in_any_layout(&t);
    every_layout_makes_the_npy_file_it_should(&t);
    t.finite = 1;
    every_market_file_arrives_in_any_layout(&t);
    every_layout_makes_the_market_file_it_should(&t);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20260;
    const int trials = argc > 2 ? atoi(argv[2]) : check_size() < 5 ? 40 : 10; /* five meet every type */
    files_begin();
    if (check_rank() == 0) printf("first seed %" PRIu64 "\n", seed);
    scalay_comm *comm = NULL;
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank(), &reversed);
    CHECK_STATUS(scalay_comm_create(reversed, &comm), SCALAY_SUCCESS);
    for (int k = 0; k < trials; k++) run_trial(comm, seed + (uint64_t)k);
    scalay_comm_destroy(&comm);
    MPI_Comm_free(&reversed);
    CHECK(files_end());
    return check_verdict();
}
