/*
 * Processes of different speeds: the profile of a context, and the partition of a product.
 *
 * The kernels of factorisations read the profile themselves. A product is computed on a partition of C whose areas are
 * the speeds of the processes. Moving A, B and C there and C back is weighed against the time that the slowest process
 * needs for an equal share.
 */
#include "dropin/speeds.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "dropin/call.h"
#include "scalay/model.h"

/* Mean speed over the smallest one up to which speeds count as equal. */
static const double equal_speeds = 1.05;

/* ------------------------------------------------------------------------------------------------- the file */

/* Reads a file. *length is -1 if there is no name, and -2 if it cannot be read. Local. */
static char *read_text(const char *path, int *length)
{
    enum { LARGEST = 1 << 26 };
    *length = -1;
    if (path == NULL || *path == '\0') return NULL;
    *length = -2;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    const long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = bytes >= 0 && bytes < LARGEST ? malloc((size_t)bytes + 1) : NULL;
    rewind(file);
    if (text != NULL && fread(text, 1, (size_t)bytes, file) == (size_t)bytes) *length = (int)bytes;
    (void)fclose(file);
    return text;
}

/* The group of a processor, numbered through the groups. */
static int group_of(const scalay_profile *profile, int64_t processor)
{
    int group = 0;
    while ((processor -= scalay_profile_multiplicity(profile, group)) >= 0) group++;
    return group;
}

/* Joins the processors of some processes, one group each. shape of `processor`: [count]; NULL: all are equal. */
static scalay_status join(const scalay_profile *all, int count, const int *processor, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile **list = NULL;
    if (processor == NULL) return scalay_profile_constant_speed("process", count, 1, 1.0, -1.0, profile);
    list = calloc((size_t)count, sizeof *list);
    if (list == NULL) return scalay_error_set(SCALAY_ERROR_MEMORY, "no memory for the speeds of the processes");
    for (int p = 0; p < count; p++) {
        const int64_t *size = NULL;
        const double *time = NULL;
        int64_t points = 0;
        char name[32];
        (void)snprintf(name, sizeof name, "process %d", p);
        SCALAY_TRY(scalay_profile_points(all, group_of(all, processor[p]), &points, &size, &time, NULL));
        SCALAY_TRY(scalay_profile_table(name, 1, points, size, time, NULL, &list[p]));
    }
    SCALAY_TRY(scalay_profile_join(count, (const scalay_profile *const *)list, profile));
cleanup:
    for (int p = 0; p < count; p++) scalay_profile_destroy(&list[p]);
    free(list);
    return status;
}

/* Sets the processor of each process. Returns 0 if the profile has another number of processors. Local. */
static int find_processors(scalay_comm *comm, int64_t processors, int *processor)
{
    const int count = scalay_comm_size(comm);
    int world = 0;
    MPI_Group all = MPI_GROUP_NULL, mine = MPI_GROUP_NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    for (int p = 0; p < count; p++) processor[p] = p;
    if (processors != world) return processors == count;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(scalay_comm_handle(comm), &mine);
    int *const ranks = malloc((size_t)count * sizeof *ranks);
    if (ranks != NULL) {
        memcpy(ranks, processor, (size_t)count * sizeof *ranks);
        MPI_Group_translate_ranks(mine, count, ranks, all, processor);
    }
    int is_known = ranks != NULL;
    for (int p = 0; p < count; p++) is_known &= processor[p] >= 0; /* not a process that was spawned */
    free(ranks);
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    return is_known;
}

static scalay_status parse(scalay_comm *comm, const char *path, const char *text, int length, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *all = NULL;
    int *processor = malloc((size_t)scalay_comm_size(comm) * sizeof *processor);
    if (processor == NULL) return scalay_error_set(SCALAY_ERROR_MEMORY, "no memory for the speeds of the processes");
    SCALAY_TRY(scalay_profile_parse(path, text, (size_t)length, &all));
    const int is_known = find_processors(comm, scalay_profile_processors(all), processor);
    SCALAY_TRY(join(all, scalay_comm_size(comm), is_known ? processor : NULL, profile));
cleanup:
    scalay_profile_destroy(&all);
    free(processor);
    return status;
}

scalay_status scalay_speeds_read(scalay_comm *comm, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *path = getenv("SCALAY_PROFILE");
    char *text = NULL;
    int length = -1;
    *profile = NULL;
    if (scalay_comm_rank(comm) == 0) text = read_text(path, &length);
    MPI_Bcast(&length, 1, MPI_INT, 0, scalay_comm_handle(comm));
    if (length == -1) return SCALAY_SUCCESS;
    if (length < 0) {
        free(text);
        return scalay_error_set(SCALAY_ERROR_ARGUMENT, "the file that SCALAY_PROFILE names cannot be read");
    }
    if (text == NULL) text = malloc((size_t)length + 1);
    int fails = text == NULL;
    MPI_Allreduce(MPI_IN_PLACE, &fails, 1, MPI_INT, MPI_MAX, scalay_comm_handle(comm));
    if (fails) {
        free(text);
        return scalay_error_set(SCALAY_ERROR_MEMORY, "no memory for the file that SCALAY_PROFILE names");
    }
    MPI_Bcast(text, length, MPI_CHAR, 0, scalay_comm_handle(comm));
    status = parse(comm, "SCALAY_PROFILE", text, length, profile);
    free(text);
    return status;
}

/* ------------------------------------------------------------------------------------------------- products */

/* The speed of a group at the size nearest to `wanted`. */
static double speed_of(const scalay_profile *profile, int group, int64_t wanted)
{
    const int64_t *size = NULL;
    const double *time = NULL;
    int64_t points = 0, best = 0;
    if (scalay_profile_points(profile, group, &points, &size, &time, NULL) != SCALAY_SUCCESS || points == 0) return 0.0;
    for (int64_t k = 1; k < points; k++)
        if (llabs(size[k] - wanted) < llabs(size[best] - wanted)) best = k;
    return time[best] > 0.0 ? (double)size[best] / time[best] : 0.0;
}

/* Whether unequal shares save more than moving A, B and C, and C back, takes. `slowdown`: mean speed over the smallest
 * one. */
static int is_worth_moves(scalay_type type, int64_t m, int64_t n, int64_t k, int processes, double slowdown)
{
    const scalay_machine rates = scalay_machine_typical();
    if (scalay_call_settings()->forced) return slowdown > equal_speeds;
    const int is_complex = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
    const double x = (double)m, y = (double)n, z = (double)k;
    const double flops = (is_complex ? 8.0 : 2.0) * x * y * z / processes;
    const double bytes = (double)scalay_type_size(type) * (x * z + z * y + 2.0 * x * y) / processes;
    return slowdown > equal_speeds && flops * rates.seconds_per_flop * (slowdown - 1.0) >
                                          bytes * (rates.seconds_per_byte + 2.0 * rates.seconds_per_byte_copied);
}

scalay_status scalay_speeds_partition(const scalay_profile *profile, scalay_type type, int64_t m, int64_t n, int64_t k,
                                      scalay_partition **partition)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = (int)scalay_profile_processors(profile), groups = scalay_profile_groups(profile);
    double sum = 0.0, least = 0.0;
    *partition = NULL;
    if (profile == NULL) return SCALAY_SUCCESS;
    double *speed = malloc((size_t)processes * sizeof *speed);
    if (speed == NULL) return scalay_error_set(SCALAY_ERROR_MEMORY, "no memory for the speeds of the processes");
    for (int group = 0, p = 0; group < groups; group++) {
        const double of_group = speed_of(profile, group, n / processes);
        for (int64_t q = 0; q < scalay_profile_multiplicity(profile, group); q++) speed[p++] = of_group;
        if (group == 0 || of_group < least) least = of_group;
        sum += of_group * (double)scalay_profile_multiplicity(profile, group);
    }
    const double slowdown = least > 0.0 ? sum / processes / least : (double)processes;
    if (sum > 0.0 && is_worth_moves(type, m, n, k, processes, slowdown))
        SCALAY_TRY(scalay_partition_create(m, n, processes, speed, NULL, partition));
cleanup:
    free(speed);
    return status;
}
