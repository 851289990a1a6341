/* The same answer on every run and on every rank: ranks ask the same questions, each in another order and after other
 * questions, and compare what they are told bit by bit. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scalay/workload.h"
#include "support/check.h"
#include "support/measured.h"

enum { SIZES = 60, QUESTIONS = 60, GROUPS = 3 };

/* What an answer says, as a number: every share and both totals. */
static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001B3) + (sum >> 29);
}

static uint64_t mix_double(uint64_t sum, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return mix(sum, bits);
}

static uint64_t tell(scalay_workload *workload)
{
    uint64_t sum = 17;
    int64_t shares = 0, below = 0, above = 0;
    const scalay_workload_share *share = NULL;
    scalay_workload_summary summary;
    if (!scalay_workload_feasible(workload)) {
        CHECK_STATUS(scalay_workload_nearest(workload, &below, &above), SCALAY_SUCCESS);
        return mix(mix(sum, (uint64_t)below), (uint64_t)above);
    }
    CHECK_STATUS(scalay_workload_get_summary(workload, &summary), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_workload_histogram(workload, &shares, &share), SCALAY_SUCCESS);
    for (int64_t k = 0; k < shares; k++)
        sum = mix(mix(mix(sum, (uint64_t)share[k].group), (uint64_t)share[k].size), (uint64_t)share[k].count);
    return mix_double(mix_double(sum, summary.time), summary.energy);
}

static uint64_t tell_front(scalay_workload_front *front)
{
    uint64_t sum = 19;
    for (int64_t k = 0; k < scalay_workload_front_count(front); k++) {
        scalay_workload *workload = NULL;
        CHECK_STATUS(scalay_workload_front_get_workload(front, k, &workload), SCALAY_SUCCESS);
        sum = mix(sum, tell(workload));
        scalay_workload_destroy(&workload);
    }
    return sum;
}

static scalay_profile *make_profile(uint64_t question)
{
    double workspace[3 * SIZES];
    scalay_profile *part[GROUPS] = {NULL, NULL, NULL};
    scalay_profile *profile = NULL;
    const int groups = 1 + (int)(question % GROUPS);
    for (int j = 0; j < groups; j++) {
        const profile_shape shape = (profile_shape)((question + (uint64_t)j) % PROFILE_SHAPES);
        const char name[] = {(char)('a' + j), '\0'};
        CHECK_STATUS(profile_generate(name, 1 + (int64_t)(question * 7 % 5), shape, question, 100.0 + 10.0 * j, SIZES,
                                      workspace, &part[j]),
                     SCALAY_SUCCESS);
    }
    CHECK_STATUS(scalay_profile_join(groups, (const scalay_profile *const *)part, &profile), SCALAY_SUCCESS);
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
    return profile;
}

/* Any question, with its answer as a number. */
static uint64_t answer(uint64_t question)
{
    scalay_profile *profile = make_profile(question);
    scalay_workload *workload = NULL;
    scalay_workload_front *front = NULL;
    scalay_communication *communication = NULL;
    scalay_workload_options options = scalay_workload_options_default();
    const int64_t n = 1 + (int64_t)(question * 1297 % (uint64_t)(SIZES * scalay_profile_processors(profile)));
    uint64_t sum = 0;
    if (question % 5 > 2) {
        CHECK_STATUS(scalay_communication_hockney(1e-6, 1e-10, 64, &communication), SCALAY_SUCCESS);
        options.communication = communication;
        options.variant = (scalay_communication_variant)(question % 2);
    }
    CHECK_STATUS(scalay_workload_min_time(profile, n, &options, &workload), SCALAY_SUCCESS);
    sum = tell(workload);
    scalay_workload_destroy(&workload);
    CHECK_STATUS(scalay_workload_min_energy(profile, n, &options, &workload), SCALAY_SUCCESS);
    sum = mix(sum, tell(workload));
    scalay_workload_destroy(&workload);
    CHECK_STATUS(scalay_workload_front_create(profile, n, NULL, &front), SCALAY_SUCCESS);
    sum = mix(sum, tell_front(front));
    scalay_workload_front_destroy(&front);
    scalay_communication_destroy(&communication);
    scalay_profile_destroy(&profile);
    return sum;
}

/* The rank's own order. */
static uint64_t question_at(int rank, int k)
{
    return (uint64_t)((k * 7 + rank * 11) % QUESTIONS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t first[QUESTIONS] = {0};
    uint64_t highest[QUESTIONS] = {0};
    uint64_t lowest[QUESTIONS] = {0};
    for (int k = 0; k < QUESTIONS; k++) first[question_at(check_rank(), k)] = answer(question_at(check_rank(), k));
    for (int k = QUESTIONS - 1; k >= 0; k--) CHECK(answer((uint64_t)k) == first[k]);
    MPI_Allreduce(first, highest, QUESTIONS, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(first, lowest, QUESTIONS, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    for (int k = 0; k < QUESTIONS; k++) CHECK(highest[k] == lowest[k]);
    return check_verdict();
}
