/* What heads of files say, good ones and hostile ones; every message names the file and says what to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/convert.h"
#include "io/format.h"
#include "io/npy.h"
#include "support/serial.h"

/* A head in memory of its very length, so that a checker of memory sees a byte read beyond it. */
static scalay_status judge(const char *bytes, size_t length, int64_t file_bytes, scalay_file_info *info)
{
    char *copy = malloc(length + (length == 0));
    memcpy(copy, bytes, length);
    scalay_file_head head = {.path = "the_file", .bytes = copy, .length = (int64_t)length, .file_bytes = file_bytes};
    scalay_status status = scalay_file_judge(&head, info);
    free(copy);
    return status;
}

/* A .npy file of a version with given words as its header; returns the length of the head. */
static size_t npy_head(char *bytes, int version, const char *words)
{
    size_t length = strlen(words), start = version == 1 ? 10 : 12;
    memset(bytes, 0, start);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[8] = (char)(length % 256);
    bytes[9] = (char)(length / 256);
    memcpy(bytes + start, words, length);
    return start + length;
}

/* ----------------------------------------------------------------------------------------------- good .npy heads */

static const struct {
    int version;
    const char *words;
    int64_t m, n;
    int dimensions;
    scalay_type type;
    scalay_order order;
    scalay_byte_order byte_order;
} good_heads[] = {
    {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n", 3, 4, 2, SCALAY_DOUBLE, SCALAY_ROW_MAJOR,
     SCALAY_LITTLE_ENDIAN},
    {2, "{'descr': '>f4', 'fortran_order': True, 'shape': (721, 1440)}", 721, 1440, 2, SCALAY_FLOAT,
     SCALAY_COLUMN_MAJOR, SCALAY_BIG_ENDIAN},
    {3, "{\"shape\":(5,),\"fortran_order\":True,\"descr\":\"<c16\"}", 5, 1, 1, SCALAY_COMPLEX_DOUBLE,
     SCALAY_COLUMN_MAJOR, SCALAY_LITTLE_ENDIAN},
    {1, " { 'descr' : '<c8' ,\n'fortran_order':False,\t'shape':( 0L , 7L , ) , } ", 0, 7, 2, SCALAY_COMPLEX_FLOAT,
     SCALAY_ROW_MAJOR, SCALAY_LITTLE_ENDIAN},
    {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807, 0), }\n", INT64_MAX, 0, 2, SCALAY_INT,
     SCALAY_ROW_MAJOR, SCALAY_LITTLE_ENDIAN},
};

static void good_heads_are_understood(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof good_heads / sizeof good_heads[0]; k++) {
        char bytes[512];
        scalay_file_info info;
        size_t length = npy_head(bytes, good_heads[k].version, good_heads[k].words);
        int64_t data = good_heads[k].m * good_heads[k].n * (int64_t)scalay_type_size(good_heads[k].type);
        assert_int_equal(judge(bytes, length, (int64_t)length + data, &info), SCALAY_SUCCESS);
        assert_int_equal(info.format, SCALAY_FILE_NPY);
        assert_int_equal(info.version, good_heads[k].version);
        assert_int_equal(info.m, good_heads[k].m);
        assert_int_equal(info.n, good_heads[k].n);
        assert_int_equal(info.dimensions, good_heads[k].dimensions);
        assert_int_equal(info.type, good_heads[k].type);
        assert_int_equal(info.order, good_heads[k].order);
        assert_int_equal(info.byte_order, good_heads[k].byte_order);
        assert_int_equal(info.data_offset, length);
        assert_int_equal(info.file_bytes, (int64_t)length + data);
    }
}

/* -------------------------------------------------------------------------------------------- hostile .npy heads */

#define FORMAT SCALAY_ERROR_FORMAT
#define UNSUPPORTED SCALAY_ERROR_UNSUPPORTED

static const struct {
    const char *words;
    scalay_status status;
    const char *told; /* in the message */
} hostile_heads[] = {
    {"", FORMAT, "'{'"},
    {"{}", FORMAT, "no key 'descr'"},
    {"{'descr': '<f8', 'fortran_order': False}", FORMAT, "no key 'shape'"},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "twice"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'more': 1}", FORMAT, "'more'"},
    {"{'descr': '<f8' 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "','"},
    {"{'descr': '<f8',, 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "a key"},
    {"{, 'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "a key"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)", FORMAT, "'}'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} x", FORMAT, "the end"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}}", FORMAT, "the end"},
    {"'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)", FORMAT, "'{'"},
    {"{'descr: '<f8', 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "descr: "},
    {"{'des\\x63r': '<f8', 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "a key"},
    {"{'descr': <f8, 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "the element type"},
    {"{'descr': '<f8', 'fortran_order': false, 'shape': (1, 1)}", FORMAT, "True or False"},
    {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 1)}", FORMAT, "True or False"},
    {"{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (1, 1)}", FORMAT, "True or False"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}", FORMAT, "',' or ')'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,,1)}", FORMAT, "an extent"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (,)}", FORMAT, "an extent"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1)}", FORMAT, "a tuple"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': [1, 1]}", FORMAT, "'('"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1.0, 1)}", FORMAT, "',' or ')'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (0x1, 1)}", FORMAT, "',' or ')'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (01, 1)}", FORMAT, "an extent"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (+1, 1)}", FORMAT, "an extent"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 1)}", FORMAT, "negative"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (-9223372036854775809, 1)}", FORMAT, "negative"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808, 1)}", FORMAT, "2^63"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 1)}", FORMAT, "2^63"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", FORMAT, "2^63"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 1)}", FORMAT, "2^63"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}", FORMAT, "truncated"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "too long"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}", UNSUPPORTED, "0 dimensions"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1)}", UNSUPPORTED, "3 dimensions"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "pickle"},
    {"{'descr': 'O', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "pickle"},
    {"{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "structured"},
    {"{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2)}", FORMAT, "truncated"},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (1, 1)}", FORMAT, "too long"},
    {"{'descr': '<f16', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "astype"},
    {"{'descr': '|i8', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "'|i8'"},
    {"{'descr': '<m8[ns]', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "'<m8[ns]'"},
    {"{'descr': '|V8', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "'|V8'"},
    {"{'descr': '<U2', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "'<U2'"},
    {"{'descr': '=f8', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "'=f8'"},
    {"{'descr': 'f8', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "'f8'"},
    {"{'descr': '', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "''"},
    {"{'descr': '<f8 ', 'fortran_order': False, 'shape': (1, 1)}", UNSUPPORTED, "'<f8 '"},
};

static void assert_told(scalay_status status, scalay_status expected, const char *told)
{
    if (status != expected || strstr(scalay_error_message(), told) == NULL ||
        strstr(scalay_error_message(), "'the_file'") == NULL)
        fail_msg("%s: %s; expected %s with \"%s\"", scalay_status_name(status), scalay_error_message(),
                 scalay_status_name(expected), told);
}

static void hostile_heads_are_refused_with_a_remedy(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof hostile_heads / sizeof hostile_heads[0]; k++) {
        char bytes[512];
        scalay_file_info info;
        size_t length = npy_head(bytes, 1, hostile_heads[k].words);
        assert_told(judge(bytes, length, (int64_t)length + 8, &info), hostile_heads[k].status, hostile_heads[k].told);
    }
}

static const char plain[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }\n";

static void lies_about_version_and_length_are_refused(void **state)
{
    (void)state;
    char bytes[512];
    scalay_file_info info;
    size_t length = npy_head(bytes, 4, plain);
    assert_told(judge(bytes, length, (int64_t)length + 8, &info), UNSUPPORTED, "version 4.0");
    length = npy_head(bytes, 0, plain);
    assert_told(judge(bytes, length, (int64_t)length + 8, &info), UNSUPPORTED, "version 0.0");
    length = npy_head(bytes, 1, plain);
    bytes[7] = 1;
    assert_told(judge(bytes, length, (int64_t)length + 8, &info), UNSUPPORTED, "version 1.1");
    length = npy_head(bytes, 1, plain);
    bytes[9] = 2; /* 512 bytes more */
    assert_told(judge(bytes, length, (int64_t)length + 8, &info), FORMAT, "ends within");
    length = npy_head(bytes, 2, plain);
    bytes[11] = (char)0xff; /* 4 GB */
    assert_told(judge(bytes, length, (int64_t)length + 8, &info), FORMAT, "ends within");
    assert_told(judge(bytes, length, (int64_t)1 << 40, &info), UNSUPPORTED, "far more than a matrix needs");
    length = npy_head(bytes, 1, plain);
    bytes[8] = (char)(bytes[8] - 10); /* the words are cut */
    assert_told(judge(bytes, length, (int64_t)length + 8, &info), FORMAT, "should be");
}

static void a_head_cut_anywhere_is_refused(void **state)
{
    (void)state;
    char bytes[512];
    scalay_file_info info;
    size_t length = npy_head(bytes, 1, plain);
    for (size_t k = 0; k < length; k++) assert_int_not_equal(judge(bytes, k, (int64_t)k, &info), SCALAY_SUCCESS);
    /* Every number of bytes but the right one. */
    for (int64_t more = 0; more < 20; more++)
        assert_int_equal(judge(bytes, length, (int64_t)length + more, &info), more == 8 ? SCALAY_SUCCESS : FORMAT);
}

/* Nothing to compare with but this: no crash, a status that is allowed, and what is accepted makes sense. */
static void a_head_with_any_byte_changed_is_judged(void **state)
{
    (void)state;
    char bytes[512];
    size_t length = npy_head(bytes, 1, plain);
    int accepted = 0;
    for (size_t at = 0; at < length; at++)
        for (int value = 0; value < 256; value++) {
            char kept = bytes[at];
            scalay_file_info info = {0};
            bytes[at] = (char)value;
            scalay_status status = judge(bytes, length, (int64_t)length + 8, &info);
            assert_true(status == SCALAY_SUCCESS || status == FORMAT || status == UNSUPPORTED);
            if (status == SCALAY_SUCCESS) {
                accepted++;
                assert_int_equal(info.m * info.n * scalay_element_bytes(scalay_element_find(info.element)) +
                                     info.data_offset,
                                 (int64_t)length + 8);
            }
            bytes[at] = kept;
        }
    assert_true(accepted >= (int)length); /* the unchanged ones at least */
}

static void the_heads_that_are_written_are_understood(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++)
        for (scalay_type type = SCALAY_FLOAT; type <= SCALAY_INT; type++) {
            char head[SCALAY_NPY_HEAD_SIZE];
            scalay_file_info made = {.format = SCALAY_FILE_NPY,
                                     .version = version,
                                     .dimensions = 2,
                                     .type = type,
                                     .order = version == 2 ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR,
                                     .byte_order = version == 3 ? SCALAY_BIG_ENDIAN : SCALAY_LITTLE_ENDIAN,
                                     .m = version == 1 ? INT64_MAX : 12,
                                     .n = version == 1 ? 0 : 34};
            scalay_file_info read;
            scalay_npy_head(&made, head);
            assert_int_equal(made.data_offset % 64, 0);
            made.file_bytes = made.data_offset + (version == 1 ? 0 : 12 * 34 * (int64_t)scalay_type_size(type));
            assert_int_equal(judge(head, (size_t)made.data_offset, made.file_bytes, &read), SCALAY_SUCCESS);
            assert_memory_equal(&made, &read, sizeof made);
        }
}

/* ------------------------------------------------------------------------------------------------ Matrix Market */

static const struct {
    const char *text;
    scalay_status status;
    const char *told; /* in the message; for a good one "m n type offset" */
} market_heads[] = {
    {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n", SCALAY_SUCCESS, "2 1 2 45"},
    {"%%MatrixMarket MATRIX Array Complex GENERAL\r\n%x\r\n\r\n 1\t1 \r\n1 2", SCALAY_SUCCESS, "1 1 4 58"},
    {"%%MatrixMarket matrix array integer general\n%\n%\n\n0 7", SCALAY_SUCCESS, "0 7 5 52"},
    {"%%MatrixMarket", FORMAT, "word 2"},
    {"%%MatrixMarket\n1 1\n1\n", FORMAT, "word 2"},
    {"%%MatrixMarketplace matrix array real general\n1 1\n1\n", FORMAT, "line 1"},
    {"%%MatrixMarket matrix array real\n1 1\n1\n", FORMAT, "word 5"},
    {"%%MatrixMarket matrix array quaternion general\n1 1\n1\n", FORMAT, "'quaternion'"},
    {"%%MatrixMarket matrix array real general really\n1 1\n1\n", FORMAT, "'really'"},
    {"%%MatrixMarket vector array real general\n1 1\n1\n", UNSUPPORTED, "'vector'"},
    {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", UNSUPPORTED, "toarray"},
    {"%%MatrixMarket matrix array pattern general\n1 1\n1\n", UNSUPPORTED, "'pattern'"},
    {"%%MatrixMarket matrix array real symmetric\n1 1\n1\n", UNSUPPORTED, "both triangles"},
    {"%%MatrixMarket matrix array real skew-symmetric\n1 1\n1\n", UNSUPPORTED, "both triangles"},
    {"%%MatrixMarket matrix array complex hermitian\n1 1\n1\n", UNSUPPORTED, "both triangles"},
    {"%%MatrixMarket matrix array real general\n% only comments\n", FORMAT, "no line with the numbers"},
    {"%%MatrixMarket matrix array real general\n1\n1\n", FORMAT, "line 2"},
    {"%%MatrixMarket matrix array real general\n%\n1 1 1\n1\n", FORMAT, "line 3"},
    {"%%MatrixMarket matrix array real general\n-1 1\n1\n", FORMAT, "\"-1 1\""},
    {"%%MatrixMarket matrix array real general\n1 1.0\n1\n", FORMAT, "\"1 1.0\""},
    {"%%MatrixMarket matrix array real general\n9223372036854775808 1\n1\n", FORMAT, "2^63 - 1"},
    {"%%MatrixMarket matrix array real general\n3000000000 4000000000\n1\n", FORMAT, "truncated"},
    {"%%MatrixMarket matrix array real general\n100 100\n1 2 3\n", FORMAT, "truncated"},
    {"%%MatrixMarket matrix array complex general\n1 1\n1\n", FORMAT, "pairs"},
    {"%MatrixMarket matrix array real general\n1 1\n1\n", FORMAT, "lacks a '%'"},
    {"", FORMAT, "is empty"},
    {"1 2 3\n", FORMAT, "\"1 2 3?\""},
    {"PK\x03\x04...", FORMAT, "zip"},
    {"\x80\x04\x95", FORMAT, "pickle"},
    {"\x1f\x8b\x08", FORMAT, "compressed"},
    {"\x89HDF\r\n", FORMAT, "HDF5"},
    {"\x93NUM", FORMAT, "neither"},
    {"\x93NUMPY", FORMAT, "ends within"},
};

static void market_heads_are_understood_or_refused_with_a_remedy(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof market_heads / sizeof market_heads[0]; k++) {
        scalay_file_info info;
        size_t length = strlen(market_heads[k].text);
        scalay_status status = judge(market_heads[k].text, length, (int64_t)length, &info);
        char found[64];
        if (market_heads[k].status != SCALAY_SUCCESS) {
            assert_told(status, market_heads[k].status, market_heads[k].told);
            continue;
        }
        if (status != SCALAY_SUCCESS) fail_msg("%s", scalay_error_message());
        snprintf(found, sizeof found, "%lld %lld %d %lld", (long long)info.m, (long long)info.n, info.type,
                 (long long)info.data_offset);
        assert_string_equal(found, market_heads[k].told);
    }
}

static void a_file_is_described_in_a_sentence(void **state)
{
    (void)state;
    char text[128], cut[8];
    scalay_file_info info = {.format = SCALAY_FILE_NPY,
                             .version = 1,
                             .type = SCALAY_FLOAT,
                             .order = SCALAY_ROW_MAJOR,
                             .byte_order = SCALAY_LITTLE_ENDIAN,
                             .m = 721,
                             .n = 1440,
                             .element = "f4"};
    const char *expected = "721 x 1440 float32, .npy version 1, C order, little-endian";
    assert_int_equal(scalay_file_describe(&info, text, sizeof text), (int)strlen(expected));
    assert_string_equal(text, expected);
    assert_int_equal(scalay_file_describe(&info, cut, sizeof cut), (int)strlen(expected));
    assert_string_equal(cut, "721 x 1");
    assert_int_equal(scalay_file_describe(&info, NULL, 0), (int)strlen(expected));
    info.format = SCALAY_FILE_MATRIX_MARKET;
    info.type = SCALAY_COMPLEX_DOUBLE;
    (void)scalay_file_describe(&info, text, sizeof text);
    assert_string_equal(text, "721 x 1440 complex, Matrix Market array");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_heads_are_understood),
        cmocka_unit_test(hostile_heads_are_refused_with_a_remedy),
        cmocka_unit_test(lies_about_version_and_length_are_refused),
        cmocka_unit_test(a_head_cut_anywhere_is_refused),
        cmocka_unit_test(a_head_with_any_byte_changed_is_judged),
        cmocka_unit_test(the_heads_that_are_written_are_understood),
        cmocka_unit_test(market_heads_are_understood_or_refused_with_a_remedy),
        cmocka_unit_test(a_file_is_described_in_a_sentence),
    };
    return run_all_tests(tests);
}
