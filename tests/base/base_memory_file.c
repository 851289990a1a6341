/* Files in memory with huge pages: what is mapped twice, what is not opened, and the price of pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/memory_file.h"

enum { BYTES = 2 * SCALAY_HUGE_PAGE };

static void both_mappings_have_the_same_bytes(void **state)
{
    (void)state;
    scalay_memory_file file = scalay_memory_file_create();
    if (file.number < 0) skip();
    char *first = scalay_memory_file_map(&file, BYTES), *second = scalay_memory_file_map(&file, BYTES);
    assert_true(first != NULL && second != NULL && first != second);
    assert_true((uintptr_t)first % SCALAY_HUGE_PAGE == 0 && (uintptr_t)second % SCALAY_HUGE_PAGE == 0);
    scalay_memory_file_fill(first + SCALAY_HUGE_PAGE, SCALAY_HUGE_PAGE);
    int64_t set = 0;
    for (int k = 0; k < BYTES; k++) set += second[k] != 0;
    assert_true(set == 0);
    scalay_memory_file_close(&file);
    assert_true(file.number == -1);
    memset(first, 7, BYTES);
    scalay_memory_file_unmap(first, BYTES);
    for (int k = 0; k < BYTES; k++) set += second[k] == 7;
    assert_true(set == BYTES);
    scalay_memory_file_unmap(second, BYTES);
    scalay_memory_file_unmap(NULL, BYTES);
}

static void other_files_are_not_opened(void **state)
{
    (void)state;
    scalay_memory_file file = scalay_memory_file_create();
    if (file.number < 0) skip();
    scalay_memory_file other = file;
    other.process = (int64_t)getppid();
    assert_true(scalay_memory_file_map(&other, BYTES) == NULL);
    other.number = -1;
    assert_true(scalay_memory_file_map(&other, BYTES) == NULL);
    scalay_memory_file_close(&file);
    scalay_memory_file_close(&file);
}

static void only_slow_pages_are_avoided(void **state)
{
    (void)state;
    scalay_memory_file file = scalay_memory_file_create(), again = scalay_memory_file_create();
    assert_true(file.number < 0 || scalay_memory_page_seconds() > 1e-6);
    assert_true((file.number >= 0) == (again.number >= 0));
    assert_true(file.number < 0 || file.inode != again.inode);
    scalay_memory_file_close(&file);
    scalay_memory_file_close(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_mappings_have_the_same_bytes),
        cmocka_unit_test(other_files_are_not_opened),
        cmocka_unit_test(only_slow_pages_are_avoided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
