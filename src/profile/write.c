#include <errno.h>
#include <stdio.h>

#include "base/number.h"
#include "base/replacement.h"
#include "profile/profile.h"

/* 1 when a group stands for more than one processor: only then is there a column for that. */
static int has_counts(const scalay_profile *profile)
{
    for (int g = 0; g < profile->groups; g++)
        if (profile->group[g].count != 1) return 1;
    return 0;
}

/* Bytes written; negative when it fails. Energies are written from their units: a text may have had more digits than
 * its double. */
static int write_point(const scalay_profile *profile, const scalay_profile_group *group, int64_t k, int counts,
                       FILE *stream)
{
    char time[SCALAY_DECIMAL_SIZE];
    char rest[2 * SCALAY_DECIMAL_SIZE] = "";
    scalay_text text = {rest, sizeof rest, 0};
    char number[SCALAY_DECIMAL_SIZE];
    (void)scalay_decimal_print(scalay_decimal_shortest(group->time[k]), time);
    if (profile->has_energy) {
        (void)scalay_decimal_print(scalay_decimal_normalise(group->energy_units[k], -profile->energy_digits), number);
        scalay_text_append(&text, ",%s", number);
    }
    if (counts) scalay_text_append(&text, ",%lld", (long long)group->count);
    return fprintf(stream, "%s,%lld,%s%s\n", group->name, (long long)group->size[k], time, rest);
}

/* The number of bytes; negative when it fails. */
static int64_t write_points(const scalay_profile *profile, FILE *stream)
{
    int counts = has_counts(profile);
    int64_t bytes =
        fprintf(stream, "%sprocessor,size,time%s%s\n",
                profile->is_modelled ? "# " SCALAY_PROFILE_MODELLED ": joules are computed, not measured\n" : "",
                profile->has_energy ? ",energy" : "", counts ? ",count" : "");
    for (int g = 0; g < profile->groups; g++)
        for (int64_t k = 0; k < profile->group[g].points && bytes >= 0; k++) {
            int length = write_point(profile, &profile->group[g], k, counts, stream);
            bytes = length < 0 ? -1 : bytes + length;
        }
    return bytes;
}

static scalay_status write_file(const scalay_profile *profile, scalay_replacement *names)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_replacement_begin(names));
    errno = 0;
    FILE *stream = fopen(names->temporary, "w");
    if (stream == NULL) return scalay_replacement_fail(names, "check its permissions");
    int64_t bytes = write_points(profile, stream);
    int closed = fclose(stream) == 0;
    if (bytes < 0 || !closed) return scalay_replacement_fail(names, "check room and quota");
    SCALAY_TRY(scalay_replacement_commit(names, bytes));
cleanup:
    return status;
}

scalay_status scalay_profile_write(const scalay_profile *profile, const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_replacement names = {0};
    if (profile == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "profile is NULL; pass a profile");
    if (path == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "path is NULL; name a file");
    SCALAY_TRY(scalay_locale_enter(&locale));
    SCALAY_TRY(scalay_replacement_allocate(path, &names));
    SCALAY_TRY(write_file(profile, &names));
cleanup:
    scalay_replacement_remove(&names);
    scalay_replacement_release(&names);
    scalay_locale_leave(&locale);
    return status;
}
