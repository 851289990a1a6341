/* Profiles from a table, a function, constant speeds and a file. The program does not use MPI. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalay/profile.h"

static void stop_unless(scalay_status status, scalay_status expected)
{
    if (status == expected) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(1);
}

/* A processor with little memory: even sizes up to 6 units. */
static int small_memory(int64_t size, double *time, double *energy, void *context)
{
    const double *seconds_per_unit = context;
    *time = *seconds_per_unit * (double)size;
    *energy = 2.0 * (double)size;
    return size % 2 == 0 && size <= 6;
}

/* Three measured processors of one group, and three with assumed speeds. */
static scalay_profile *make_profile(void)
{
    const int64_t size[] = {1, 2, 4};
    const double time[] = {0.5, 0.75, 2.25}; /* slower if the data exceed the cache */
    const double energy[] = {10.125, 20.5, 55.0};
    double seconds_per_unit = 0.25;
    scalay_profile *kinds[4] = {NULL, NULL, NULL, NULL};
    scalay_profile *all = NULL;
    stop_unless(scalay_profile_table("measured", 3, 3, size, time, energy, &kinds[0]), SCALAY_SUCCESS);
    stop_unless(scalay_profile_function("small", 1, 10, small_memory, &seconds_per_unit, 1, &kinds[1]), SCALAY_SUCCESS);
    stop_unless(scalay_profile_constant_speed("steady", 1, 8, 4.0, 20.0, &kinds[2]), SCALAY_SUCCESS);
    stop_unless(scalay_profile_piecewise_linear("smooth", 1, 3, size, time, energy, &kinds[3]), SCALAY_SUCCESS);
    const scalay_profile *list[] = {kinds[0], kinds[1], kinds[2], kinds[3]};
    stop_unless(scalay_profile_join(4, list, &all), SCALAY_SUCCESS);
    for (int k = 0; k < 4; k++) scalay_profile_destroy(&kinds[k]);
    return all;
}

static int print_profile(const scalay_profile *profile)
{
    int right = scalay_profile_groups(profile) == 4 && scalay_profile_processors(profile) == 6;
    for (int g = 0; g < scalay_profile_groups(profile); g++) {
        int64_t points = 0;
        const int64_t *size = NULL;
        const double *time = NULL;
        const double *energy = NULL;
        stop_unless(scalay_profile_points(profile, g, &points, &size, &time, &energy), SCALAY_SUCCESS);
        printf("%lld x %s, up to %lld units:", (long long)scalay_profile_multiplicity(profile, g),
               scalay_profile_name(profile, g), (long long)scalay_profile_largest(profile, g));
        for (int64_t k = 0; k < points; k++)
            printf("  %lld: %g s, %g J", (long long)size[k], time[k],
                   scalay_profile_has_energy(profile) ? energy[k] : 0.0);
        printf("\n");
        right = right && size[points - 1] == scalay_profile_largest(profile, g);
    }
    return right;
}

/* Single sizes: a listed size, a missing size, a size between two measured ones. */
static int ask(const scalay_profile *profile)
{
    double time = 0;
    double energy = 0;
    stop_unless(scalay_profile_get_point(profile, 0, 2, &time, &energy), SCALAY_SUCCESS);
    int right = time == 0.75 && energy == 20.5;
    stop_unless(scalay_profile_get_point(profile, 0, 3, &time, &energy), SCALAY_SUCCESS);
    right = right && isinf(time) && isinf(energy);
    stop_unless(scalay_profile_get_point(profile, 3, 3, &time, &energy), SCALAY_SUCCESS);
    return right && time == 1.5 && energy == 37.75;
}

/* Writes and reads a file. Each rank of this test has its own file. */
static int write_and_read(const scalay_profile *profile)
{
    char path[100];
    double before = 0;
    double after = 1;
    scalay_profile *same = NULL;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK") != NULL ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    (void)snprintf(path, sizeof path, "example_profile_%s.csv", rank != NULL ? rank : "0");
    stop_unless(scalay_profile_write(profile, path), SCALAY_SUCCESS);
    stop_unless(scalay_profile_read(path, &same), SCALAY_SUCCESS);
    (void)remove(path);
    stop_unless(scalay_profile_get_point(profile, 2, 7, &before, NULL), SCALAY_SUCCESS);
    stop_unless(scalay_profile_get_point(same, 2, 7, &after, NULL), SCALAY_SUCCESS);
    scalay_profile_destroy(&same);
    return before == after;
}

/* A message about a file names the line and the field. */
static int read_nonsense(void)
{
    static const char text[] = "processor,size,time\ncpu,10,0.5\ncpu,20,-1\n";
    scalay_profile *profile = NULL;
    stop_unless(scalay_profile_parse("measured.csv", text, sizeof text - 1, &profile), SCALAY_ERROR_FORMAT);
    printf("%s\n", scalay_error_message());
    return strstr(scalay_error_message(), "measured.csv, line 3, field 3 (time) is '-1'") != NULL;
}

/* Energies that a declared model computed are marked in the file. */
static int read_modelled(void)
{
    static const char text[] = "# modelled\nprocessor,size,time,energy\ncpu,10,0.5,2.5\n";
    scalay_profile *profile = NULL;
    stop_unless(scalay_profile_parse("modelled.csv", text, sizeof text - 1, &profile), SCALAY_SUCCESS);
    int modelled = scalay_profile_is_modelled(profile);
    scalay_profile_destroy(&profile);
    return modelled;
}

int main(void)
{
    scalay_profile *profile = make_profile();
    int right = print_profile(profile) && ask(profile) && write_and_read(profile) && read_nonsense() &&
                !scalay_profile_is_modelled(profile) && read_modelled();
    scalay_profile_destroy(&profile);
    return right ? 0 : 1;
}
