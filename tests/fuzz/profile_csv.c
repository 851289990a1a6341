/**
 * @file
 * Profiles as CSV under a fuzzer: any bytes give a profile or a message; what is a profile is written and read back
 * bit for bit. The text is read from memory and, every 16th time, from a file.
 *
 * With clang 14 and its run-time library (Debian: libclang-rt-14-dev):
 *
 *     CC=clang cmake -S . -B build-fuzz -DSCALAY_BUILD_FUZZERS=ON -DSCALAY_BUILD_FORTRAN=OFF
 *     cmake --build build-fuzz --target fuzz_profile_csv
 *     cd build-fuzz && mkdir -p found && tests/fuzz/fuzz_profile_csv -max_total_time=600 -max_len=4096 \
 *         -dict=../tests/fuzz/profile_csv.dict found ../tests/fuzz/corpus/profile
 *
 * A crash leaves its input behind. When it is understood and mended, the input belongs into corpus/profile, which runs
 * as a test with any compiler (replay.c). The files found_*.csv there are inputs that the fuzzer came upon, each of
 * which reaches code that no other file does.
 */
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char written[] = "fuzz_profile_csv.tmp.csv";

static void require(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s (last message: %s)\n", what, scalay_error_message());
    abort();
}

static void compare_group(const scalay_profile_group *a, const scalay_profile_group *b)
{
    size_t bytes = (size_t)a->points * 8;
    require(strcmp(a->name, b->name) == 0 && a->count == b->count && a->points == b->points, "a group has changed");
    require(memcmp(a->size, b->size, bytes) == 0, "sizes have changed");
    require(memcmp(a->time, b->time, bytes) == 0, "times have changed");
    require((a->energy == NULL) == (b->energy == NULL), "energies have come or gone");
    if (a->energy == NULL) return;
    require(memcmp(a->energy, b->energy, bytes) == 0, "energies have changed");
    require(memcmp(a->energy_units, b->energy_units, bytes) == 0, "units of energy have changed");
}

static void compare(const scalay_profile *a, const scalay_profile *b)
{
    require(a->groups == b->groups && a->processors == b->processors, "groups or processors have changed");
    require(a->energy_digits == b->energy_digits, "the unit of energy has changed");
    for (int g = 0; g < a->groups; g++) compare_group(&a->group[g], &b->group[g]);
}

static void check(const scalay_profile *profile)
{
    int64_t processors = 0;
    for (int g = 0; g < profile->groups; g++) {
        const scalay_profile_group *group = &profile->group[g];
        require(group->points > 0 && group->count > 0, "an empty group");
        processors += group->count;
        for (int64_t k = 0; k < group->points; k++) {
            require(group->size[k] > (k > 0 ? group->size[k - 1] : 0), "sizes do not ascend from 1 on");
            require(group->time[k] >= 0 && group->time[k] <= DBL_MAX, "a time is negative or infinite");
            if (!profile->has_energy) continue;
            require(group->energy_units[k] >= 0 && group->energy_units[k] <= SCALAY_PROFILE_MOST_UNITS, "units");
        }
    }
    require(processors == profile->processors, "the processors are not the sum of the counts");
}

static void check_refusal(scalay_status status, const scalay_profile *profile)
{
    require(profile == NULL, "a profile in spite of a failure");
    require(status == SCALAY_ERROR_FORMAT || status == SCALAY_ERROR_RANGE, "another status than format or range");
    require(strncmp(scalay_error_message(), "input", strlen("input")) == 0 ||
                strncmp(scalay_error_message(), written, strlen(written)) == 0,
            "a message without the name of the text");
}

/* The bytes as a file: the same verdict as from memory. */
static void read_as_file(const uint8_t *data, size_t size, scalay_status expected, const scalay_profile *profile)
{
    scalay_profile *same = NULL;
    FILE *stream = fopen(written, "wb");
    require(stream != NULL, "no file to write to");
    require(fwrite(data, 1, size, stream) == size, "no room");
    require(fclose(stream) == 0, "no room");
    scalay_status status = scalay_profile_read(written, &same);
    (void)remove(written);
    require(status == expected, "the file is judged otherwise than the text");
    if (status == SCALAY_SUCCESS)
        compare(profile, same);
    else
        check_refusal(status, same);
    scalay_profile_destroy(&same);
}

static void write_and_read(const scalay_profile *profile)
{
    scalay_profile *same = NULL;
    require(scalay_profile_write(profile, written) == SCALAY_SUCCESS, "cannot be written");
    require(scalay_profile_read(written, &same) == SCALAY_SUCCESS, "what was written cannot be read");
    (void)remove(written);
    compare(profile, same);
    scalay_profile_destroy(&same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scalay_profile *profile = NULL;
    scalay_status status = scalay_profile_parse("input", (const char *)data, size, &profile);
    if (status == SCALAY_SUCCESS) {
        check(profile);
        write_and_read(profile);
    } else {
        check_refusal(status, profile);
    }
    if (size % 16 == 0) read_as_file(data, size, status, profile);
    scalay_profile_destroy(&profile);
    require(scalay_memory_live() == 0, "memory is left");
    return 0;
}
