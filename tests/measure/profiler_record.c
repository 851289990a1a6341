/* Records: sizes, refinement, groups, and files that give back what was put in or say in which line they are damaged.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "measure/processor.h"
#include "measure/profiler.h"

enum { MOST = 100000 };

/* Seconds of a size on a processor; negative: a hole. */
typedef double (*function)(int64_t size, int processor);

static scalay_profile_record *new_record(int processors, const char *meter)
{
    scalay_profile_record *record = NULL;
    assert_int_equal(scalay_record_create("toy n=3", meter, 0, processors, &record), SCALAY_SUCCESS);
    record->repeat = scalay_repeat_options_default();
    for (int p = 0; p < processors; p++) {
        (void)strcpy(record->processor[p].host, "here");
        (void)strcpy(record->processor[p].binding, "0-3,8");
        record->processor[p].threads = 2;
        record->processor[p].cores = 4;
    }
    return record;
}

static void put(scalay_profile_record *record, int64_t size, int p, double time, double half_width)
{
    scalay_record_row *row = NULL;
    assert_int_equal(scalay_record_row_at(record, size, &row), SCALAY_SUCCESS);
    if (time < 0.0) {
        assert_int_equal(scalay_record_set_hole(&row->point[p], "too\nlarge"), SCALAY_SUCCESS);
        return;
    }
    row->point[p] = (scalay_profile_point){.size = size,
                                           .time = time,
                                           .time_half_width = half_width,
                                           .median = time / 3.0,
                                           .deviation = 1e-300,
                                           .spread = time / 7.0,
                                           .normality = size % 2 == 0 ? NAN : 0.25,
                                           .energy = strcmp(record->meter, "none") == 0 ? NAN : 7.0 * time,
                                           .energy_half_width = 0.001,
                                           .repetitions = 5 + size,
                                           .outliers = p,
                                           .precise = half_width <= record->repeat.precision * time};
}

/* Measures by the function until nothing is left; the number of sizes. */
static int64_t measure(const scalay_size_list *list, scalay_profile_record *record, function seconds)
{
    int64_t size = 0;
    for (int64_t count = 0; (size = scalay_size_list_next(list, record)) != 0; count++) {
        assert_true(count < MOST);
        assert_true(size >= 1 && scalay_record_find(record, size) < 0);
        for (int p = 0; p < record->processors; p++) put(record, size, p, seconds(size, p), 0.0);
    }
    return record->sizes;
}

static scalay_size_list new_list(scalay_profiler_options options)
{
    scalay_size_list list;
    assert_int_equal(scalay_size_list_create(&options, &list), SCALAY_SUCCESS);
    return list;
}

/* ---------------------------------------------------------------------------------------------------- sizes */

static double straight(int64_t size, int processor)
{
    return 0.001 * (double)size * (1 + processor);
}

static double jumping(int64_t size, int processor)
{
    return straight(size, processor) * (processor == 1 && size >= 7321 ? 1.5 : 1.0);
}

static double with_holes(int64_t size, int processor)
{
    return size % 3 == 0 ? -1.0 : jumping(size, processor);
}

static void sizes_come_from_a_range_or_a_list(void **state)
{
    (void)state;
    const int64_t given[] = {9, 3, 9, 5};
    scalay_size_list list = new_list((scalay_profiler_options){.first = 4, .last = 15, .step = 5});
    assert_int_equal(list.count, 3);
    assert_int_equal(list.size[2], 14);
    scalay_size_list_free(&list);
    list = new_list((scalay_profiler_options){.sizes = 4, .list = given});
    assert_int_equal(list.count, 3);
    assert_int_equal(list.size[0], 3);
    assert_int_equal(list.size[2], 9);
    scalay_size_list_free(&list);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const int64_t zero = 0;
    const scalay_profiler_options wrong[] = {
        {.first = 0, .last = 5, .step = 1},
        {.first = 6, .last = 5, .step = 1},
        {.first = 1, .last = 5, .step = 0},
        {.first = 1, .last = INT64_MAX, .step = 1},
        {.sizes = -1, .list = &zero},
        {.sizes = 1, .list = NULL},
        {.sizes = 1, .list = &zero},
        {.first = 1, .last = 5, .step = 1, .refine = -0.1},
        {.first = 1, .last = 5, .step = 1, .refine = NAN},
        {.first = 1, .last = 5, .step = 1, .refine_step = -1},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        scalay_size_list list;
        assert_int_equal(scalay_size_list_create(&wrong[k], &list), SCALAY_ERROR_ARGUMENT);
        assert_null(list.size);
    }
}

/* The two sizes that a jump lies between are as close as was asked for, and a straight function gets no more sizes. */
static void refinement_finds_a_jump_and_nothing_else(void **state)
{
    (void)state;
    scalay_size_list list = new_list(
        (scalay_profiler_options){.first = 1000, .last = 16000, .step = 1000, .refine = 0.1, .refine_step = 8});
    scalay_profile_record *record = new_record(2, "none");
    assert_int_equal(measure(&list, record, straight), 16);
    scalay_profile_record_destroy(&record);

    record = new_record(2, "none");
    int64_t sizes = measure(&list, record, jumping);
    assert_true(sizes > 16 && sizes < 16 + 40);
    for (int64_t k = 0; k + 1 < record->sizes; k++)
        if (record->row[k].size < 7321 && record->row[k + 1].size >= 7321)
            assert_true(record->row[k + 1].size - record->row[k].size < 16);
    for (int64_t k = 0; k + 1 < record->sizes; k++) assert_true(record->row[k + 1].size - record->row[k].size >= 8);
    scalay_profile_record_destroy(&record);
    scalay_size_list_free(&list);
}

/* Of one repetition no half width is known: what is off the line is off it. */
static void refinement_needs_no_half_width(void **state)
{
    (void)state;
    scalay_size_list list = new_list(
        (scalay_profiler_options){.first = 1000, .last = 16000, .step = 1000, .refine = 0.1, .refine_step = 500});
    scalay_profile_record *record = new_record(2, "none");
    for (int64_t size = 1000; size <= 16000; size += 1000)
        for (int p = 0; p < 2; p++) put(record, size, p, jumping(size, p), NAN);
    assert_int_equal(scalay_size_list_next(&list, record) / 1000, 6);
    scalay_profile_record_destroy(&record);
    scalay_size_list_free(&list);
}

static void without_refine_only_the_list_is_measured(void **state)
{
    (void)state;
    scalay_size_list list = new_list((scalay_profiler_options){.first = 1000, .last = 16000, .step = 1000});
    scalay_profile_record *record = new_record(2, "none");
    assert_int_equal(measure(&list, record, jumping), 16);
    scalay_profile_record_destroy(&record);
    scalay_size_list_free(&list);
    /* A file may hold one size more; a single size has no neighbours. */
    list = new_list((scalay_profiler_options){.first = 5, .last = 5, .step = 1, .refine = 0.01});
    record = new_record(1, "none");
    put(record, 4, 0, 1.0, 0.0);
    put(record, 6, 0, 1.0, 0.0);
    assert_int_equal(measure(&list, record, straight), 3);
    scalay_profile_record_destroy(&record);
    scalay_size_list_free(&list);
}

/* From every intermediate state, written and read, the rest comes out the same. */
static void what_is_left_depends_on_the_record_alone(void **state)
{
    (void)state;
    scalay_size_list list = new_list(
        (scalay_profiler_options){.first = 1000, .last = 12000, .step = 1000, .refine = 0.1, .refine_step = 60});
    scalay_profile_record *whole = new_record(2, "none");
    const int64_t sizes = measure(&list, whole, with_holes);
    for (int64_t stop = 0; stop < sizes; stop++) {
        scalay_profile_record *part = new_record(2, "none");
        scalay_profile_record *again = NULL;
        scalay_string lines = {0};
        for (int64_t k = 0; k < stop; k++) {
            int64_t size = scalay_size_list_next(&list, part);
            for (int p = 0; p < 2; p++) put(part, size, p, with_holes(size, p), 0.0);
        }
        assert_int_equal(scalay_record_print(part, &lines), SCALAY_SUCCESS);
        assert_int_equal(scalay_record_parse("part", lines.text, lines.length, &again), SCALAY_SUCCESS);
        assert_int_equal(measure(&list, again, with_holes), sizes);
        for (int64_t k = 0; k < sizes; k++) assert_int_equal(again->row[k].size, whole->row[k].size);
        scalay_string_free(&lines);
        scalay_profile_record_destroy(&again);
        scalay_profile_record_destroy(&part);
    }
    scalay_profile_record_destroy(&whole);
    scalay_size_list_free(&list);
}

/* --------------------------------------------------------------------------------------------------- groups */

static void identical_processors_are_found(void **state)
{
    (void)state;
    scalay_profile_record *record = new_record(5, "none");
    for (int64_t size = 1; size <= 20; size++) {
        put(record, size, 0, 1.00 * (double)size, 0.01 * (double)size);
        put(record, size, 1, 0.50 * (double)size, 0.01 * (double)size);
        put(record, size, 2, 1.02 * (double)size, 0.01 * (double)size);
        put(record, size, 3, (size == 13 ? 1.2 : 1.0) * (double)size, 0.01 * (double)size);
        put(record, size, 4, -1.0, 0.0);
    }
    scalay_record_group(record, 1);
    const int expected[] = {0, 1, 0, 3, -1};
    for (int p = 0; p < 5; p++) assert_int_equal(record->leader[p], expected[p]);
    assert_int_equal(scalay_record_members(record, 0), 2);
    double time = 0.0, energy = 1.0;
    assert_int_equal(scalay_record_mean(record, 0, 9, &time, &energy), 1);
    assert_true(fabs(time - 10.1) < 1e-12 && energy == 0.0);
    scalay_record_group(record, 0);
    for (int p = 0; p < 4; p++) assert_int_equal(record->leader[p], p);
    scalay_profile_record_destroy(&record);
}

/* A chain of processors, each like the next one, is not one group; a wide interval is no likeness; nor is a hole. */
static void likeness_is_not_stretched(void **state)
{
    (void)state;
    scalay_profile_record *record = new_record(3, "none");
    for (int p = 0; p < 3; p++) put(record, 10, p, 1.0 + 0.02 * p, 0.0);
    scalay_record_group(record, 1);
    assert_int_equal(record->leader[1], 0);
    assert_int_equal(record->leader[2], 2);
    scalay_profile_record_destroy(&record);

    record = new_record(2, "none");
    put(record, 10, 0, 1.0, 0.5);
    put(record, 10, 1, 1.3, 0.5);
    scalay_record_group(record, 1);
    assert_int_equal(record->leader[1], 1);
    scalay_profile_record_destroy(&record);

    record = new_record(2, "none");
    for (int p = 0; p < 2; p++) put(record, 10, p, 1.0, 0.0);
    put(record, 20, 0, 2.0, 0.0);
    put(record, 20, 1, -1.0, 0.0);
    scalay_record_group(record, 1);
    assert_int_equal(record->leader[1], 1);
    scalay_profile_record_destroy(&record);

    record = new_record(2, "watts");
    for (int p = 0; p < 2; p++) put(record, 10, p, 1.0, 0.0);
    record->row[0].point[1].energy *= 2.0;
    scalay_record_group(record, 1);
    assert_int_equal(record->leader[1], 1);
    scalay_profile_record_destroy(&record);
}

/* ---------------------------------------------------------------------------------------------------- files */

static int same_number(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) assert_string_equal(a, b);
}

static void assert_same_point(const scalay_profile_point *a, const scalay_profile_point *b)
{
    assert_int_equal(a->size, b->size);
    if (a->hole != NULL || b->hole != NULL) {
        assert_string_equal(a->hole, b->hole);
        return;
    }
    assert_true(same_number(a->time, b->time) && same_number(a->time_half_width, b->time_half_width));
    assert_true(same_number(a->median, b->median) && same_number(a->deviation, b->deviation));
    assert_true(same_number(a->spread, b->spread));
    assert_true(same_number(a->normality, b->normality) && same_number(a->energy, b->energy));
    assert_true(same_number(a->energy_half_width, b->energy_half_width));
    assert_int_equal(a->repetitions, b->repetitions);
    assert_int_equal(a->outliers, b->outliers);
    assert_int_equal(a->precise, b->precise);
    assert_same_text(a->meter_failure, b->meter_failure);
}

static scalay_profile_record *sample_record(const char *meter)
{
    scalay_profile_record *record = new_record(3, meter);
    for (int64_t size = 1; size <= 12; size++)
        for (int p = 0; p < 3; p++)
            put(record, size * 5, p, size == 7 && p == 1 ? -1.0 : (double)size / 3.0 * (p == 2 ? 1.0 : 1.0 + p), 1e-3);
    record->processor[1].static_power = 12.5;
    record->processor[2].binding[0] = '\0';
    record->state = SCALAY_PROFILE_COMPLETE;
    scalay_record_group(record, 1);
    return record;
}

static void files_give_back_what_was_put_in(void **state)
{
    (void)state;
    char path[64];
    (void)snprintf(path, sizeof path, "profiler_record_%ld.csv", (long)getpid());
    const char *const meters[] = {"none", "watts of a plug"};
    for (int kind = 0; kind < 2; kind++) {
        scalay_string lines = {0};
        scalay_profile_record *record = sample_record(meters[kind]);
        scalay_profile_record *again = NULL;
        scalay_profile *profile = NULL;
        assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
        assert_int_equal(scalay_record_write(path, &lines), SCALAY_SUCCESS);
        assert_int_equal(scalay_profile_record_read(path, &again), SCALAY_SUCCESS);
        assert_int_equal(scalay_profile_read(path, &profile), SCALAY_SUCCESS);
        assert_string_equal(again->kernel, record->kernel);
        assert_string_equal(again->meter, record->meter);
        assert_int_equal(again->state, SCALAY_PROFILE_COMPLETE);
        assert_int_equal(again->sizes, record->sizes);
        for (int64_t k = 0; k < record->sizes; k++)
            for (int p = 0; p < 3; p++) assert_same_point(&record->row[k].point[p], &again->row[k].point[p]);
        for (int p = 0; p < 3; p++) {
            assert_string_equal(again->processor[p].binding, record->processor[p].binding);
            assert_string_equal(again->processor[p].host, record->processor[p].host);
            assert_int_equal(again->leader[p], record->leader[p]);
            assert_true(again->processor[p].static_power == record->processor[p].static_power);
        }
        /* Two groups of three processors; the hole is one. */
        double time = 0.0, energy = 0.0;
        assert_int_equal(scalay_profile_groups(profile), 2);
        assert_int_equal(scalay_profile_processors(profile), 3);
        assert_int_equal(scalay_profile_multiplicity(profile, 0), 2);
        assert_int_equal(scalay_profile_has_energy(profile), kind);
        assert_int_equal(scalay_profile_get_point(profile, 1, 35, &time, &energy), SCALAY_SUCCESS);
        assert_true(isinf(time));
        assert_int_equal(scalay_profile_get_point(profile, 1, 40, &time, &energy), SCALAY_SUCCESS);
        assert_true(time == 8.0 / 3.0 * 2.0);
        assert_true(kind == 0 || fabs(energy - 7.0 * time) <= 0.5e-9);
        scalay_profile_destroy(&profile);
        scalay_profile_record_destroy(&again);
        scalay_profile_record_destroy(&record);
        scalay_string_free(&lines);
    }
    (void)remove(path);
}

/* The file stays as it was, and nothing is left beside it. */
static void a_full_disk_leaves_what_there_was(void **state)
{
    (void)state;
    char path[64];
    scalay_string lines = {0};
    struct rlimit before;
    (void)snprintf(path, sizeof path, "profiler_full_%ld.csv", (long)getpid());
    scalay_profile_record *record = sample_record("none");
    scalay_profile_record *again = NULL;
    assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
    assert_int_equal(scalay_record_write(path, &lines), SCALAY_SUCCESS);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit little = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    scalay_status status = scalay_record_write(path, &lines);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, SCALAY_ERROR_FILE);
    assert_non_null(strstr(scalay_error_message(), path));
    assert_int_equal(scalay_profile_record_read(path, &again), SCALAY_SUCCESS);
    assert_int_equal(again->sizes, record->sizes);
    scalay_profile_record_destroy(&again);
    scalay_profile_record_destroy(&record);
    scalay_string_free(&lines);
    assert_int_equal(remove(path), 0);
}

/* Where a meter was gone for a while the rows have times only, so that the file stays a profile. */
static void missing_energies_leave_times(void **state)
{
    (void)state;
    scalay_string lines = {0};
    scalay_profile *profile = NULL;
    scalay_profile_record *record = sample_record("watts");
    scalay_profile_record *again = NULL;
    record->row[3].point[2].energy = NAN;
    assert_int_equal(scalay_record_set_meter_failure(&record->row[3].point[2], "it\nhangs"), SCALAY_SUCCESS);
    assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
    assert_int_equal(scalay_record_parse("file", lines.text, lines.length, &again), SCALAY_SUCCESS);
    assert_string_equal(again->row[3].point[2].meter_failure, "it hangs");
    assert_null(again->row[3].point[1].meter_failure);
    scalay_profile_record_destroy(&again);
    char *line = strstr(lines.text, "# no energy p2 size=20 ");
    assert_non_null(line);
    line[strlen("# no energy p2 size=2")] = '7'; /* 27 was not measured */
    assert_int_equal(scalay_record_parse("file", lines.text, lines.length, &again), SCALAY_ERROR_FORMAT);
    assert_non_null(strstr(scalay_error_message(), "has no point"));
    assert_int_equal(scalay_profile_parse("text", lines.text, (size_t)lines.length, &profile), SCALAY_SUCCESS);
    assert_int_equal(scalay_profile_has_energy(profile), 0);
    scalay_profile_destroy(&profile);
    scalay_profile_record_destroy(&record);
    scalay_string_free(&lines);
}

/* Large and small joules side by side are written in a unit that both fit. */
static void joules_have_one_unit(void **state)
{
    (void)state;
    const double most[] = {1e-8, 1.0, 8e6, 1e8, 1e11};
    for (int k = 0; k < 5; k++) {
        scalay_string lines = {0};
        scalay_profile *profile = NULL;
        double time = 0.0, energy = 0.0;
        scalay_profile_record *record = new_record(1, "watts");
        put(record, 1, 0, 1.0 / 7.0, 0.0);
        put(record, 2, 0, 1.0, 0.0);
        record->row[1].point[0].energy = most[k] / 3.0;
        scalay_record_group(record, 1);
        assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
        assert_int_equal(scalay_profile_parse("text", lines.text, (size_t)lines.length, &profile), SCALAY_SUCCESS);
        assert_int_equal(scalay_profile_get_point(profile, 0, 2, &time, &energy), SCALAY_SUCCESS);
        assert_true(fabs(energy - most[k] / 3.0) <= 0.5 * (most[k] < 9e6 ? 1e-9 : most[k] < 9e9 ? 1e-6 : 1e-3));
        scalay_profile_destroy(&profile);
        scalay_profile_record_destroy(&record);
        scalay_string_free(&lines);
    }
}

static scalay_status parse(const char *text, size_t length)
{
    scalay_profile_record *record = NULL;
    scalay_status status = scalay_record_parse("file", text, (int64_t)length, &record);
    scalay_profile_record_destroy(&record);
    return status;
}

/* As of a run that has measured one processor after the other. */
static void share_meter(scalay_profile_record *record)
{
    record->shared_meter = 1;
    for (int64_t k = 0; k < record->sizes; k++) {
        record->row[k].compared = 1;
        record->row[k].difference = k % 5 == 4 ? NAN : (double)(k - 3) / 7.0;
        record->row[k].uncertainty = k % 5 == 4 ? NAN : 1e-3 / 3.0;
    }
}

static void differences_come_back(void **state)
{
    (void)state;
    scalay_string lines = {0};
    scalay_profile_record *record = sample_record("watts");
    scalay_profile_record *again = NULL;
    scalay_profile *profile = NULL;
    share_meter(record);
    assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
    assert_int_equal(scalay_record_parse("text", lines.text, lines.length, &again), SCALAY_SUCCESS);
    assert_int_equal(scalay_profile_parse("text", lines.text, (size_t)lines.length, &profile), SCALAY_SUCCESS);
    assert_true(again->shared_meter);
    for (int64_t k = 0; k < record->sizes; k++) {
        double difference = 0.0, uncertainty = 0.0;
        assert_int_equal(scalay_profile_record_additive(again, k, &difference, &uncertainty), SCALAY_SUCCESS);
        assert_true(same_number(difference, record->row[k].difference));
        assert_true(same_number(uncertainty, record->row[k].uncertainty));
    }
    scalay_profile_destroy(&profile);
    scalay_profile_record_destroy(&again);
    scalay_profile_record_destroy(&record);
    scalay_string_free(&lines);
}

/* A line of the same length in place of another one. */
static void assert_line_is_refused(scalay_string *lines, const char *old, const char *other, const char *words)
{
    char kept[128];
    char *at = strstr(lines->text, old);
    const size_t length = strlen(other);
    assert_non_null(at);
    assert_true(length < sizeof kept);
    memcpy(kept, at, length);
    memcpy(at, other, length);
    assert_int_equal(parse(lines->text, (size_t)lines->length), SCALAY_ERROR_FORMAT);
    assert_non_null(strstr(scalay_error_message(), words));
    memcpy(at, kept, length);
    assert_int_equal(parse(lines->text, (size_t)lines->length), SCALAY_SUCCESS);
}

static void damaged_differences_are_refused(void **state)
{
    (void)state;
    scalay_string lines = {0};
    scalay_profile_record *record = sample_record("watts");
    share_meter(record);
    assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
    assert_line_is_refused(&lines, "# additive size=10 ", "# additive size=11 ", "has no size");
    assert_line_is_refused(&lines, "# additive size=20 ", "# additive size=15 ", "occurs twice");
    assert_line_is_refused(&lines, "# additive size=10 ", "# additive size=1x ", "integer");
    assert_line_is_refused(&lines, "# additive size=10 ", "# subtract size=10 ", "differences are missing");
    assert_line_is_refused(&lines, "difference=nan", "difference=inf", "a difference is invalid");
    assert_line_is_refused(&lines, "difference=-0", "difference=x0", "a number is invalid");
    assert_line_is_refused(&lines, "difference=-0", "Difference=-0", "difference= is missing");
    assert_line_is_refused(&lines, "uncertainty=nan", "uncertainty=-1 ", "a difference is invalid");
    assert_line_is_refused(&lines, "uncertainty=0", "Uncertainty=0", "uncertainty= is missing");
    assert_line_is_refused(&lines, "# shared meter", "# shAred meter", "the meter is not shared");
    scalay_profile_record_destroy(&record);
    scalay_string_free(&lines);
}

/* Cut anywhere, with any byte replaced, a file is read or refused, and never more than that. */
static void damaged_files_are_refused(void **state)
{
    (void)state;
    scalay_string lines = {0};
    scalay_profile_record *record = sample_record("none");
    share_meter(record);
    assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
    char *facts_end = strstr(lines.text, "# point p0 size=5 ");
    const size_t facts = (size_t)(facts_end - lines.text);
    assert_int_equal(parse(lines.text, (size_t)lines.length), SCALAY_SUCCESS);
    for (size_t length = 0; length < (size_t)lines.length; length += length < facts ? 1 : 61) {
        scalay_status status = parse(lines.text, length);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_FORMAT);
    }
    for (size_t k = 0; k < (size_t)lines.length; k += k < 3 * facts ? 1 : 37) {
        const char kept = lines.text[k];
        lines.text[k] = (char)(kept == '9' ? '\n' : '9');
        scalay_status status = parse(lines.text, (size_t)lines.length);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_FORMAT);
        lines.text[k] = kept;
    }
    const char plain[] = "processor,size,time\np0,1,1\n";
    assert_int_equal(parse(plain, sizeof plain - 1), SCALAY_ERROR_FORMAT);
    assert_non_null(strstr(scalay_error_message(), "file, line 1"));
    scalay_profile_record_destroy(&record);
    scalay_string_free(&lines);
}

/* What a file says of its contents costs no memory that its length does not account for. */
static void a_short_file_takes_little(void **state)
{
    (void)state;
    static const char start[] = "# scalay profile 1\n# kernel a\n# meter none\n";
    static const char *const rest[] = {
        "# processors 16777216\n# hole p0 size=1 a\n# hole p0 size=2 a\n# hole p0 size=3 a\n",
        "# processors 16777216\n", "# processors 7\n"};
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
#ifdef __SANITIZE_ADDRESS__ /* its shadow needs terabytes of addresses */
    const struct rlimit little = before;
#else
    const struct rlimit little = {.rlim_cur = (rlim_t)1 << 30, .rlim_max = before.rlim_max};
#endif
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    for (int k = 0; k < 3; k++) {
        char text[256];
        const int length = snprintf(text, sizeof text, "%s%s", start, rest[k]);
        const scalay_status status = parse(text, (size_t)length);
        assert_int_equal(status, SCALAY_ERROR_FORMAT);
    }
    /* As many sizes as lines, of more processors than the lines can be of. */
    enum { PROCESSORS = 20000, SIZES = 20000 };
    scalay_string lines = {0};
    scalay_string_append(&lines, "%s# processors %d\n", start, PROCESSORS);
    for (int k = 1; k <= SIZES; k++) scalay_string_append(&lines, "# hole p0 size=%d a\n", k);
    assert_int_equal(lines.status, SCALAY_SUCCESS);
    const scalay_status status = parse(lines.text, (size_t)lines.length);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, SCALAY_ERROR_FORMAT);
    scalay_string_free(&lines);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    scalay_profile_record *record = sample_record("none");
    scalay_string lines = {0};
    assert_int_equal(scalay_record_print(record, &lines), SCALAY_SUCCESS);
    const int64_t live = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int n = 1; status == SCALAY_ERROR_MEMORY; n++) {
        scalay_memory_fail_at(n);
        status = parse(lines.text, (size_t)lines.length);
        scalay_memory_fail_at(0);
        assert_int_equal(scalay_memory_live(), live);
    }
    assert_int_equal(status, SCALAY_SUCCESS);
    scalay_profile_record_destroy(&record);
    scalay_string_free(&lines);
}

static void wrong_arguments_are_named(void **state)
{
    (void)state;
    scalay_profile_record *record = sample_record("none");
    scalay_profile_record *none = NULL;
    scalay_profile_facts facts;
    scalay_profile_processor processor;
    scalay_profile_point point;
    assert_int_equal(scalay_profile_record_get(record, &facts), SCALAY_SUCCESS);
    assert_int_equal(facts.sizes, 12);
    assert_int_equal(scalay_profile_record_processor(record, 2, &processor), SCALAY_SUCCESS);
    assert_string_equal(processor.name, "p2");
    assert_string_equal(processor.group, "p0");
    assert_int_equal(scalay_profile_record_point(record, 1, 6, &point), SCALAY_SUCCESS);
    assert_string_equal(point.hole, "too large");
    assert_int_equal(scalay_profile_record_get(NULL, &facts), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_get(record, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_processor(record, 3, &processor), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_processor(record, -1, &processor), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_point(record, 0, 12, &point), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_point(record, 0, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_read(NULL, &none), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_read("x", NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_record_read("/nowhere/at/all", &none), SCALAY_ERROR_FILE);
    assert_int_equal(scalay_profile_record_read("/", &none), SCALAY_ERROR_FILE);
    assert_null(none);
    scalay_profile_record_destroy(&record);
    scalay_profile_record_destroy(&record);
}

/* -------------------------------------------------------------------------------------------------- machine */

static int is_listed(int number, const void *set)
{
    return strchr(set, 'a' + number) != NULL;
}

static void sets_are_printed_as_ranges(void **state)
{
    (void)state;
    char text[SCALAY_PROCESSOR_TEXT];
    assert_string_equal(scalay_print_set(10, is_listed, "abcdi", text, sizeof text), "0-3,8");
    assert_string_equal(scalay_print_set(10, is_listed, "b", text, sizeof text), "1");
    assert_string_equal(scalay_print_set(10, is_listed, "", text, sizeof text), "");
    scalay_record_processor facts;
    scalay_describe_processor(&facts);
    assert_true(facts.threads >= 1 && facts.host[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_come_from_a_range_or_a_list),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(refinement_finds_a_jump_and_nothing_else),
        cmocka_unit_test(refinement_needs_no_half_width),
        cmocka_unit_test(without_refine_only_the_list_is_measured),
        cmocka_unit_test(what_is_left_depends_on_the_record_alone),
        cmocka_unit_test(identical_processors_are_found),
        cmocka_unit_test(likeness_is_not_stretched),
        cmocka_unit_test(files_give_back_what_was_put_in),
        cmocka_unit_test(a_full_disk_leaves_what_there_was),
        cmocka_unit_test(missing_energies_leave_times),
        cmocka_unit_test(joules_have_one_unit),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(differences_come_back),
        cmocka_unit_test(damaged_differences_are_refused),
        cmocka_unit_test(a_short_file_takes_little),
        cmocka_unit_test(every_failed_allocation_is_told),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(sets_are_printed_as_ranges),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed != 0 || scalay_memory_live() != 0;
}
