/* The least that can be had: dynamic programming over every single processor, with nothing clever in it. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check.h"
#include "cli_check_profile.h"

/* ----------------------------------------------------------------------------------------------- profiles */

static check_group *group_named(check_profile *profile, const char *name)
{
    for (int k = 0; k < profile->groups; k++)
        if (strcmp(profile->group[k].name, name) == 0) return &profile->group[k];
    REQUIRE(profile->groups < MOST_GROUPS);
    check_group *group = &profile->group[profile->groups++];
    snprintf(group->name, sizeof group->name, "%s", name);
    group->count = 1;
    group->time = room_for(1, sizeof *group->time);
    group->energy = room_for(1, sizeof *group->energy);
    return group;
}

static void put_point(check_group *group, int64_t size, double time, double energy)
{
    REQUIRE(size >= 1 && size < 100000000);
    if (size > group->largest) {
        group->time = realloc(group->time, (size_t)(size + 1) * sizeof *group->time);
        group->energy = realloc(group->energy, (size_t)(size + 1) * sizeof *group->energy);
        REQUIRE(group->time != NULL && group->energy != NULL);
        for (int64_t x = group->largest + 1; x <= size; x++) group->time[x] = INFINITY;
        group->largest = size;
    }
    group->time[size] = time;
    group->energy[size] = (int64_t)llround(energy * 1e6);
}

enum { NAME, SIZE, TIME, ENERGY, COUNT, COLUMNS };

/* The column of each field; returns their number. */
static int read_header(char *line, int column[COLUMNS])
{
    static const char *const names[COLUMNS] = {"processor", "size", "time", "energy", "count"};
    int fields = 0;
    for (char *word = strtok(line, ",\r\n"); word != NULL; word = strtok(NULL, ",\r\n"), fields++)
        for (int k = 0; k < COLUMNS; k++)
            if (strcmp(word, names[k]) == 0) column[fields] = k;
    return fields;
}

static void read_point(check_profile *profile, char *line, const int column[COLUMNS], int fields)
{
    char *text[COLUMNS] = {NULL};
    char *word = strtok(line, ",\r\n");
    for (int k = 0; k < fields; k++, word = strtok(NULL, ",\r\n")) {
        REQUIRE(word != NULL);
        text[column[k]] = word;
    }
    check_group *group = group_named(profile, text[NAME]);
    if (text[COUNT] != NULL) group->count = atoll(text[COUNT]);
    put_point(group, atoll(text[SIZE]), strtod(text[TIME], NULL),
              text[ENERGY] != NULL ? strtod(text[ENERGY], NULL) : 0);
    profile->has_energy = text[ENERGY] != NULL;
}

check_profile *read_profile(const char *path)
{
    check_profile *profile = room_for(1, sizeof *profile);
    FILE *stream = fopen(path, "r");
    char line[512];
    int column[COLUMNS] = {0};
    int fields = 0;
    if (stream == NULL) REFUSE("%s cannot be opened", path);
    while (fgets(line, sizeof line, stream) != NULL) {
        if (line[0] == '#' || line[0] == '\n') continue;
        if (fields == 0)
            fields = read_header(line, column);
        else
            read_point(profile, line, column, fields);
    }
    fclose(stream);
    for (int k = 0; k < profile->groups; k++) profile->processors += profile->group[k].count;
    return profile;
}

void free_profile(check_profile *profile)
{
    for (int k = 0; k < profile->groups; k++) {
        free(profile->group[k].time);
        free(profile->group[k].energy);
    }
    free(profile);
}

/* ------------------------------------------------------------------------------------------------ optima */

int is_small(const check_profile *profile, int64_t n, int64_t times)
{
    double work = 0.0;
    for (int k = 0; k < profile->groups; k++)
        work +=
            (double)profile->group[k].count * (double)(n < profile->group[k].largest ? n : profile->group[k].largest);
    return work * (double)(n + 1) * (double)times < 3e8;
}

/* Adds a processor: best[s] becomes the least (energy, active) of s units on one processor more. */
static void add_processor(const check_group *group, int64_t n, double limit, check_value *best)
{
    for (int64_t s = n; s >= 0; s--)
        for (int64_t x = 1; x <= s && x <= group->largest; x++) {
            check_value rest = best[s - x];
            if (group->time[x] > limit || isinf(group->time[x]) || rest.energy == NO_ENERGY) continue;
            rest.energy += group->energy[x];
            rest.active++;
            if (rest.energy < best[s].energy || (rest.energy == best[s].energy && rest.active < best[s].active))
                best[s] = rest;
        }
}

check_value least_energy(const check_profile *profile, int64_t n, double limit)
{
    check_value *best = room_for(n + 1, sizeof *best);
    for (int64_t s = 1; s <= n; s++) best[s].energy = NO_ENERGY;
    for (int k = 0; k < profile->groups; k++)
        for (int64_t copy = 0; copy < profile->group[k].count; copy++)
            add_processor(&profile->group[k], n, limit, best);
    check_value found = best[n];
    free(best);
    return found;
}

double least_with_active(const check_profile *profile, int64_t n, int64_t q, int of_energy)
{
    double *best = room_for((q + 1) * (n + 1), sizeof *best); /* shape [q + 1][n + 1] */
    for (int64_t k = 1; k < (q + 1) * (n + 1); k++) best[k] = INFINITY;
    for (int k = 0; k < profile->groups; k++)
        for (int64_t copy = 0; copy < profile->group[k].count; copy++)
            for (int64_t a = q; a >= 1; a--)
                for (int64_t s = n; s >= 1; s--)
                    for (int64_t x = 1; x <= s && x <= profile->group[k].largest; x++) {
                        const check_group *group = &profile->group[k];
                        double rest = best[(a - 1) * (n + 1) + s - x];
                        double own = of_energy ? (double)group->energy[x] : group->time[x];
                        if (isinf(group->time[x]) || isinf(rest)) continue;
                        double value = of_energy ? rest + own : fmax(rest, own);
                        if (value < best[a * (n + 1) + s]) best[a * (n + 1) + s] = value;
                    }
    double found = best[q * (n + 1) + n];
    free(best);
    return of_energy ? found / 1e6 : found;
}

/* A profile in which every size costs nothing, to count the active ones. */
static check_value fewest_active(const check_profile *profile, int64_t n, double limit)
{
    check_profile *costless = room_for(1, sizeof *costless);
    *costless = *profile;
    int64_t largest = 0;
    for (int k = 0; k < profile->groups; k++)
        if (profile->group[k].largest > largest) largest = profile->group[k].largest;
    int64_t *nothing = room_for(largest + 1, sizeof *nothing);
    for (int k = 0; k < profile->groups; k++) costless->group[k].energy = nothing;
    check_value found = least_energy(costless, n, limit);
    free(nothing);
    free(costless);
    return found;
}

check_value least_time(const check_profile *profile, int64_t n)
{
    double *best = room_for(n + 1, sizeof *best);
    for (int64_t s = 1; s <= n; s++) best[s] = INFINITY;
    for (int k = 0; k < profile->groups; k++)
        for (int64_t copy = 0; copy < profile->group[k].count; copy++)
            for (int64_t s = n; s >= 1; s--)
                for (int64_t x = 1; x <= s && x <= profile->group[k].largest; x++)
                    best[s] = fmin(best[s], fmax(best[s - x], profile->group[k].time[x]));
    check_value found = {.time = best[n]};
    free(best);
    if (isfinite(found.time)) found.active = fewest_active(profile, n, found.time).active;
    return found;
}

void nearest_totals(const check_profile *profile, int64_t n, int64_t *below, int64_t *above)
{
    int64_t most = 0;
    for (int k = 0; k < profile->groups; k++) most += profile->group[k].count * profile->group[k].largest;
    if (n > most) most = n;
    char *can = room_for(most + 1, 1);
    can[0] = 1;
    for (int k = 0; k < profile->groups; k++)
        for (int64_t copy = 0; copy < profile->group[k].count; copy++)
            for (int64_t s = most; s >= 1; s--)
                for (int64_t x = 1; x <= s && x <= profile->group[k].largest; x++)
                    if (isfinite(profile->group[k].time[x]) && can[s - x]) can[s] = 1;
    for (*below = n; !can[*below];) --*below;
    for (*above = n; *above <= most && !can[*above];) ++*above;
    if (*above > most) *above = -1;
    free(can);
}

static int compare_times(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;
    return (first > second) - (first < second);
}

double *distinct_times(const check_profile *profile, int64_t *count)
{
    int64_t all = 1;
    for (int k = 0; k < profile->groups; k++) all += profile->group[k].largest;
    double *times = room_for(all, sizeof *times); /* begins with 0: nobody works */
    int64_t found = 1;
    for (int k = 0; k < profile->groups; k++)
        for (int64_t x = 1; x <= profile->group[k].largest; x++)
            if (isfinite(profile->group[k].time[x])) times[found++] = profile->group[k].time[x];
    qsort(times, (size_t)found, sizeof *times, compare_times);
    *count = 0;
    for (int64_t k = 0; k < found; k++)
        if (k == 0 || times[k] > times[k - 1]) times[(*count)++] = times[k];
    return times;
}
