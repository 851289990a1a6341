/* Profiles in files: good ones mean what they say, bad ones are refused with file, line and field, and what is written
 * is read back bit for bit or does not appear. */
#define _XOPEN_SOURCE 700
#include "profiles.h"

#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER "processor,size,time,energy\n"

static scalay_profile *parse(const char *text, size_t length)
{
    scalay_profile *profile = NULL;
    assert_success(scalay_profile_parse("text", text, length, &profile));
    return profile;
}

/* A file of two groups, b x 3 (sizes 1, 2) and a x 1 (size 4), in one form or another. */
static void expect_sample(const char *text, size_t length)
{
    scalay_profile *profile = parse(text, length);
    assert_int_equal(profile->groups, 2);
    assert_int_equal(profile->processors, 4);
    assert_string_equal(profile->group[0].name, "b");
    assert_int_equal(profile->group[0].count, 3);
    assert_int_equal(profile->group[0].points, 2);
    assert_int_equal(profile->group[0].size[1], 2);
    assert_true(profile->group[0].time[0] == 0.5 && profile->group[0].time[1] == 1e-3);
    assert_string_equal(profile->group[1].name, "a");
    assert_int_equal(profile->group[1].size[0], 4);
    assert_int_equal(profile->energy_digits, 3);
    assert_int_equal(profile->group[0].energy_units[0], 2000);
    assert_int_equal(profile->group[0].energy_units[1], 1);
    assert_int_equal(profile->group[1].energy_units[0], 12500);
    scalay_profile_destroy(&profile);
}

#define SAMPLE(text) expect_sample((text), sizeof(text) - 1)

static void files_as_people_and_spreadsheets_write_them_are_read(void **state)
{
    (void)state;
    SAMPLE("processor,size,time,energy,count\nb,1,0.5,2,3\nb,2,1e-3,0.001,3\na,4,1,12.5,1\n");
    SAMPLE("processor,size,time,energy,count\nb,1,0.5,2,3\nb,2,1e-3,0.001,3\na,4,1,12.5,1");
    SAMPLE("\xEF\xBB\xBFprocessor,size,time,energy,count\r\nb,1,0.5,2,3\r\nb,2,1e-3,0.001,3\r\na,4,1,12.5,1\r\n");
    SAMPLE("count,energy,time,size,processor\n3,1e-3,0.001,2,b\n1,125e-1,1e0,4,a\n3,2.000,.5,1,b\n");
    SAMPLE("# measured\n\n processor , size,\ttime,energy,count \n#\n\nb,1,0.5,2,3\n\n b ,2,1d-3,0.001,3 "
           "\na,04,1.,12.50,1\n\n");
    assert_int_equal(scalay_memory_live(), 0);
}

static void the_text_decides_on_energies_not_its_double(void **state)
{
    (void)state;
    /* Both read as the same double. */
    const char text[] = HEADER "a,1,1,8.000000000000001\na,2,1,8.0000000000000007\n";
    scalay_profile *profile = NULL;
    assert_int_equal(scalay_profile_parse("t", text, sizeof text - 1, &profile), SCALAY_ERROR_RANGE);
    const char closer[] = HEADER "a,1,1,4.500000000000000\na,2,1,4503599627.370495\na,3,1,4503599627.370496\n";
    profile = parse(closer, sizeof closer - 1);
    assert_int_equal(profile->energy_digits, 6);
    assert_int_equal(profile->group[0].energy_units[1] + 1, profile->group[0].energy_units[2]);
    scalay_profile_destroy(&profile);
    const char equal[] = HEADER "a,1,1,8.000000000000001\na,2,1,8.000000000000002\n";
    profile = parse(equal, sizeof equal - 1);
    assert_true(profile->group[0].energy[0] <= profile->group[0].energy[1]);
    assert_int_equal(profile->group[0].energy_units[0] + 1, profile->group[0].energy_units[1]);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void expect_refusal(const char *text, size_t length, scalay_status expected, const char *word)
{
    scalay_profile *profile = NULL;
    scalay_status status = scalay_profile_parse("text", text, length, &profile);
    if (status != expected) fail_msg("%s: %s (%s)", word, scalay_status_name(status), scalay_error_message());
    assert_null(profile);
    assert_message(word);
    assert_int_equal(scalay_memory_live(), 0);
}

#define BAD(text, word) expect_refusal((text), sizeof(text) - 1, SCALAY_ERROR_FORMAT, word)
#define FAR(text, word) expect_refusal((text), sizeof(text) - 1, SCALAY_ERROR_RANGE, word)

static void bad_headers_are_told(void **state)
{
    (void)state;
    BAD("", "text: the file is empty");
    BAD("\n\n# nothing\n", "text: the file is empty");
    BAD(HEADER, "text: there are no rows");
    BAD("a,1,2,3\n", "text, line 1, field 1 is 'a'");
    BAD("processor,size\na,1\n", "text, line 1: column time is missing");
    BAD("\n#\nprocessor,time\na,1\n", "text, line 3: column size is missing");
    BAD("size,time\n", "column processor is missing");
    BAD("processor,size,time,power\n", "text, line 1, field 4 is 'power'");
    BAD("processor,size,time,size\n", "text, line 1, field 4 is 'size': also the name of field 2");
    BAD("Processor,size,time\n", "field 1 is 'Processor'");
    BAD("\"processor\",size,time\n", "field 1 is '\"processor\"'");
    BAD("processor;size;time\n", "field 1 is 'processor;size;time'");
    BAD("processor,size,time\ra,1,1\r", "field 3 is 'time?a'");
}

static void bad_rows_are_told(void **state)
{
    (void)state;
    BAD(HEADER "a,1,1,1\na,1,1\n", "text, line 3: fewer than the 4 fields");
    BAD(HEADER "a,1,1,1,1\n", "text, line 2: more than the 4 fields");
    BAD(HEADER "a,1,1,1\n,2,1,1\n", "text, line 3, field 1 (processor) is ''");
    BAD("size,processor,time\n1,#a,1\n", "line 2, field 2 (processor) is '#a'");
    BAD(HEADER "\"a\",1,1,1\n", "line 2, field 1 (processor)");
    BAD(HEADER "a,0,1,1\n", "text, line 2, field 2 (size) is '0'");
    BAD(HEADER "a,-1,1,1\n", "field 2 (size) is '-1'");
    BAD(HEADER "a,1.5,1,1\n", "field 2 (size) is '1.5'");
    BAD(HEADER "a,1e3,1,1\n", "field 2 (size) is '1e3'");
    BAD(HEADER "a,,1,1\n", "field 2 (size) is ''");
    BAD(HEADER "a,9223372036854775808,1,1\n",
        "field 2 (size) is 9223372036854775808: give at most 9223372036854775807");
    BAD(HEADER "a,1,-1,1\n", "text, line 2, field 3 (time) is '-1'");
    BAD(HEADER "a,1,-1e-999,1\n", "field 3 (time) is '-1e-999'");
    BAD(HEADER "a,1,nan,1\n", "field 3 (time) is 'nan'");
    BAD(HEADER "a,1,inf,1\n", "field 3 (time) is 'inf'");
    BAD(HEADER "a,1,1e309,1\n", "field 3 (time) is '1e309'");
    BAD(HEADER "a,1,0x1p3,1\n", "field 3 (time) is '0x1p3'");
    BAD(HEADER "a,1,1,NaN\n", "field 4 (energy) is 'NaN'");
    BAD(HEADER "a,1,1,-2\n", "field 4 (energy) is '-2'");
    BAD(HEADER "a,1,\"1,5\",2\n", "field 3 (time)");
    BAD(HEADER "a,1,1,1\0\n", "line 2, field 4 (energy): zero byte");
    BAD("p\0r\0o\0", "line 1, field 1: zero byte");
    BAD("\x7F"
        "ELF\x02\x01\x01",
        "line 1, field 1");
}

static void rows_that_contradict_each_other_are_told(void **state)
{
    (void)state;
    BAD(HEADER "a,7,1,1\nb,7,1,1\n\na,6,1,1\na,7,2,2\n", "text, line 6, field 2 (size) is 7; line 2");
    BAD("processor,size,time,count\na,1,1,2\nb,1,1,3\na,2,1,3\n", "text, line 4, field 4 (count) is 3; line 2 has 2");
    BAD("processor,size,time,count\na,1,1,0\n", "line 2, field 4 (count) is '0'");
    BAD("processor,size,time,count\na,1,1,-3\n", "line 2, field 4 (count) is '-3'");
    FAR("processor,size,time,count\na,1,1,9223372036854775807\nb,1,1,1\n", "text: the sum of the counts");
}

static void energies_that_do_not_fit_are_told(void **state)
{
    (void)state;
    FAR(HEADER "a,1,1,1e-19\n", "text, line 2, field 4 (energy) is 1e-19");
    FAR(HEADER "a,1,1,9007199254740993\n", "text, line 2, field 4 (energy) is 9007199254740993");
    FAR(HEADER "a,1,1,1e10\nb,3,1,0.1234567\n", "text, line 2, field 4 (energy) is 10000000000");
    assert_message("the 0.1234567 of line 3");
    FAR(HEADER "a,1,1,1.2345678901234567891\n", "text, line 2, field 4 (energy) is 1.2345678901234567891");
    FAR(HEADER "a,1,1,1e-99999999999\n", "text, line 2, field 4 (energy)");
}

static void write_bytes(const char *path, const char *text, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static void expect_file_refusal(const char *path, scalay_status expected, const char *word)
{
    scalay_profile *profile = NULL;
    assert_int_equal(scalay_profile_read(path, &profile), expected);
    assert_null(profile);
    assert_message(path);
    assert_message(word);
}

static void files_that_cannot_be_read_are_told(void **state)
{
    (void)state;
    const size_t length = 3000000;
    char *text = malloc(length);
    assert_non_null(text);
    expect_file_refusal("no_such_profile.csv", SCALAY_ERROR_FILE, "No such file");
    expect_file_refusal("/", SCALAY_ERROR_FILE, "directory");
    write_bytes("profile_files_1.csv", "", 0);
    expect_file_refusal("profile_files_1.csv", SCALAY_ERROR_FORMAT, "the file is empty");
    if (geteuid() != 0) {
        assert_int_equal(chmod("profile_files_1.csv", 0), 0);
        expect_file_refusal("profile_files_1.csv", SCALAY_ERROR_FILE, "Permission denied");
        assert_int_equal(chmod("profile_files_1.csv", 0600), 0);
    }
    memset(text, '1', length);
    write_bytes("profile_files_1.csv", text, length);
    expect_file_refusal("profile_files_1.csv", SCALAY_ERROR_FORMAT, "line 1, field 1");
    memset(text, ',', length);
    memcpy(text, HEADER "a,1,1,1", sizeof(HEADER "a,1,1,1") - 1);
    write_bytes("profile_files_1.csv", text, length);
    expect_file_refusal("profile_files_1.csv", SCALAY_ERROR_FORMAT, "line 2: more than");
    memset(text, '#', length);
    write_bytes("profile_files_1.csv", text, length);
    expect_file_refusal("profile_files_1.csv", SCALAY_ERROR_FORMAT, "the file is empty");
    assert_int_equal(unlink("profile_files_1.csv"), 0);
    free(text);
    assert_int_equal(scalay_memory_live(), 0);
}

static double random_double(scalay_random *random)
{
    uint64_t bits = scalay_random_bits(random) >> 1;
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.0;
}

static scalay_profile *random_group(scalay_random *random, int number, int has_energy)
{
    enum { POINTS = 30 };
    int64_t size[POINTS];
    double time[POINTS];
    double energy[POINTS];
    char name[40];
    scalay_profile *group = NULL;
    int64_t points = 1 + scalay_random_below(random, POINTS);
    for (int64_t k = 0; k < points; k++) {
        size[k] = (k + 1) * (1 + number) + (k == points - 1 ? scalay_random_below(random, INT64_MAX / 2) : 0);
        time[k] = scalay_random_below(random, 2) ? random_double(random) : scalay_random_unit(random);
        energy[k] = (double)scalay_random_below(random, INT64_C(1) << 40) / 1024; /* 10 places, 11 digits before */
        energy[k] = floor(energy[k]) / 1000;
    }
    (void)snprintf(name, sizeof name,
                   "pr\xC3\xB6"
                   "c %d'",
                   number);
    assert_success(scalay_profile_table(name, 1 + scalay_random_below(random, 3), points, size, time,
                                        has_energy ? energy : NULL, &group));
    return group;
}

static void what_is_written_is_read_back_bit_for_bit(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(5));
    for (int round = 0; round < 300; round++) {
        scalay_profile *group[4];
        const scalay_profile *list[4];
        scalay_profile *whole = NULL;
        scalay_profile *same = NULL;
        int groups = 1 + (int)scalay_random_below(&random, 4);
        for (int g = 0; g < groups; g++) list[g] = group[g] = random_group(&random, g, round % 3 != 0);
        assert_success(scalay_profile_join(groups, list, &whole));
        assert_success(scalay_profile_write(whole, "profile_files_2.csv"));
        assert_success(scalay_profile_read("profile_files_2.csv", &same));
        assert_same(whole, same);
        for (int g = 0; g < groups; g++) scalay_profile_destroy(&group[g]);
        scalay_profile_destroy(&whole);
        scalay_profile_destroy(&same);
    }
    assert_int_equal(unlink("profile_files_2.csv"), 0);
    assert_int_equal(scalay_memory_live(), 0);
}

static int count_files(const char *folder)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void a_write_that_fails_leaves_the_folder_as_it_was(void **state)
{
    (void)state;
    scalay_profile *profile = NULL;
    scalay_profile *same = NULL;
    struct rlimit before;
    (void)mkdir("profile_files_folder", 0700);
    assert_success(scalay_profile_constant_speed("c", 1, 20000, 3.0, -1.0, &profile));
    assert_int_equal(scalay_profile_write(profile, "no_such_folder/p.csv"), SCALAY_ERROR_FILE);
    assert_message("no_such_folder/p.csv");
    assert_int_equal(scalay_profile_write(profile, "profile_files_folder"), SCALAY_ERROR_FILE);
    assert_message("a folder");
    assert_int_equal(scalay_profile_write(profile, ""), SCALAY_ERROR_FILE);
    /* No room: a limit on the size of files, which a full disk looks like. */
    write_bytes("profile_files_folder/old.csv", "processor,size,time\na,1,1\n", 26);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {10000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    scalay_status fresh = scalay_profile_write(profile, "profile_files_folder/new.csv");
    scalay_status over = scalay_profile_write(profile, "profile_files_folder/old.csv");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(fresh, SCALAY_ERROR_FILE);
    assert_int_equal(over, SCALAY_ERROR_FILE);
    assert_message("old.csv");
    assert_int_equal(count_files("profile_files_folder"), 1);
    assert_success(scalay_profile_read("profile_files_folder/old.csv", &same));
    assert_int_equal(scalay_profile_largest(same, 0), 1);
    scalay_profile_destroy(&same);
    assert_success(scalay_profile_write(profile, "profile_files_folder/old.csv"));
    assert_int_equal(count_files("profile_files_folder"), 1);
    assert_int_equal(unlink("profile_files_folder/old.csv"), 0);
    assert_int_equal(rmdir("profile_files_folder"), 0);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void many_rows_in_any_order_are_read(void **state)
{
    (void)state;
    enum { GROUPS = 20000, SIZES = 10 };
    char *text = malloc((size_t)GROUPS * SIZES * 40 + 100);
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "processor,size,time\n");
    for (int64_t k = 0; k < GROUPS * SIZES; k++) {
        int64_t at = k * 7919 % (GROUPS * SIZES); /* a permutation: 7919 is prime */
        length += (size_t)sprintf(text + length, "p%lld,%lld,%lld.5\n", (long long)(at % GROUPS),
                                  (long long)(at / GROUPS + 1), (long long)at);
    }
    scalay_profile *profile = parse(text, length);
    assert_int_equal(profile->groups, GROUPS);
    for (int g = 0; g < GROUPS; g++) {
        const scalay_profile_group *group = &profile->group[g];
        int64_t number = strtoll(group->name + 1, NULL, 10);
        assert_int_equal(number, (int64_t)g * 7919 % GROUPS);
        assert_int_equal(group->points, SIZES);
        for (int x = 0; x < SIZES; x++) assert_true(group->time[x] == (double)((int64_t)x * GROUPS + number) + 0.5);
    }
    scalay_profile_destroy(&profile);
    free(text);
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_decimal_comma_in_the_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    size_t k = 0;
    const int64_t size[] = {1};
    const double value[] = {0.5};
    scalay_profile *profile = NULL;
    scalay_profile *same = NULL;
    while (k < sizeof names / sizeof *names && setlocale(LC_ALL, names[k]) == NULL) k++;
    if (k == sizeof names / sizeof *names) print_message("no such locale here: only C's is tested\n");
    SAMPLE("processor,size,time,energy,count\nb,1,0.5,2,3\nb,2,1e-3,0.001,3\na,4,1,12.5,1\n");
    assert_success(scalay_profile_table("a", 1, 1, size, value, value, &profile));
    assert_success(scalay_profile_write(profile, "profile_files_3.csv"));
    assert_success(scalay_profile_read("profile_files_3.csv", &same));
    assert_same(profile, same);
    (void)setlocale(LC_ALL, "C");
    assert_int_equal(unlink("profile_files_3.csv"), 0);
    scalay_profile_destroy(&profile);
    scalay_profile_destroy(&same);
    assert_int_equal(scalay_memory_live(), 0);
}

static int is_modelled(const char *text)
{
    scalay_profile *profile = parse(text, strlen(text));
    int modelled = scalay_profile_is_modelled(profile);
    scalay_profile_destroy(&profile);
    return modelled;
}

static void a_comment_says_that_joules_are_modelled(void **state)
{
    (void)state;
    assert_true(is_modelled("# modelled: joules are computed, not measured\n" HEADER "a,1,1,1\n"));
    assert_true(is_modelled(HEADER "#modelled\na,1,1,1\n"));
    assert_true(is_modelled(HEADER "a,1,1,1\n#\t modelled\r\n"));
    assert_true(is_modelled(HEADER "a,1,1,1\n# modelled"));
    assert_false(is_modelled(HEADER "a,1,1,1\n"));
    assert_false(is_modelled("# modelle\n# modelled_by_hand\n# not modelled\n# modelledx\n#\n" HEADER "a,1,1,1\n#"));
    assert_false(is_modelled("# modelled\nprocessor,size,time\na,1,1\n"));
    assert_int_equal(scalay_profile_is_modelled(NULL), 0);
    assert_int_equal(scalay_memory_live(), 0);
}

static void modelled_joules_stay_modelled(void **state)
{
    (void)state;
    static const char text[] = "# modelled\n" HEADER "a,1,1,1\n";
    static const char other[] = HEADER "b,1,1,1\n";
    static const char times[] = "processor,size,time\nc,1,1\n";
    scalay_profile *made[3] = {parse(other, sizeof other - 1), parse(text, sizeof text - 1),
                               parse(times, sizeof times - 1)};
    const scalay_profile *const list[] = {made[0], made[1], made[2]};
    scalay_profile *joined = NULL;
    scalay_profile *same = NULL;
    scalay_profile *without = NULL;
    assert_success(scalay_profile_join(2, list, &joined));
    assert_true(scalay_profile_is_modelled(joined));
    assert_success(scalay_profile_write(joined, "profile_files_4.csv"));
    assert_success(scalay_profile_read("profile_files_4.csv", &same));
    assert_same(joined, same);
    assert_success(scalay_profile_join(3, list, &without));
    assert_false(scalay_profile_is_modelled(without));
    assert_int_equal(unlink("profile_files_4.csv"), 0);
    for (int k = 0; k < 3; k++) scalay_profile_destroy(&made[k]);
    scalay_profile_destroy(&joined);
    scalay_profile_destroy(&same);
    scalay_profile_destroy(&without);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_as_people_and_spreadsheets_write_them_are_read),
        cmocka_unit_test(the_text_decides_on_energies_not_its_double),
        cmocka_unit_test(bad_headers_are_told),
        cmocka_unit_test(bad_rows_are_told),
        cmocka_unit_test(rows_that_contradict_each_other_are_told),
        cmocka_unit_test(energies_that_do_not_fit_are_told),
        cmocka_unit_test(files_that_cannot_be_read_are_told),
        cmocka_unit_test(what_is_written_is_read_back_bit_for_bit),
        cmocka_unit_test(a_write_that_fails_leaves_the_folder_as_it_was),
        cmocka_unit_test(many_rows_in_any_order_are_read),
        cmocka_unit_test(a_decimal_comma_in_the_locale_changes_nothing),
        cmocka_unit_test(a_comment_says_that_joules_are_modelled),
        cmocka_unit_test(modelled_joules_stay_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
