/* Fewest active processors: least energy of a problem in which every active processor costs one unit of energy. */
#include "workload/unit_energy.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void scalay_unit_energy_begin(scalay_unit_energy *unit_energy, const scalay_problem *original)
{
    *unit_energy = (scalay_unit_energy){0};
    unit_energy->original = original;
}

void scalay_unit_energy_free(scalay_unit_energy *unit_energy)
{
    scalay_release(unit_energy->energy);
    scalay_release(unit_energy->problem.group);
}

static scalay_status make(scalay_unit_energy *unit_energy)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem *original = unit_energy->original;
    scalay_problem *problem = &unit_energy->problem;
    int64_t elements = 0;
    if (problem->group != NULL) return SCALAY_SUCCESS;
    *problem = *original;
    problem->group = NULL;
    problem->storage = NULL;
    for (int j = 0; j < original->groups; j++) elements += original->group[j].largest + 1;
    SCALAY_TRY(SCALAY_NEW(unit_energy->energy, elements));
    SCALAY_TRY(SCALAY_NEW(problem->group, problem->groups));
    memcpy(problem->group, original->group, (size_t)problem->groups * sizeof *problem->group);
    int64_t *energy = unit_energy->energy;
    for (int j = 0; j < problem->groups; j++) {
        problem->group[j].energy = energy;
        problem->group[j].whole = NULL;
        energy += problem->group[j].largest + 1;
    }
cleanup:
    return status;
}

/* What takes longer becomes a hole. */
static void fill(scalay_unit_energy *unit_energy, double time)
{
    scalay_problem *problem = &unit_energy->problem;
    int64_t *energy = unit_energy->energy;
    for (int j = 0; j < problem->groups; j++) {
        const scalay_problem_group *original = &unit_energy->original->group[j];
        scalay_problem_group *group = &problem->group[j];
        energy[0] = 0;
        group->largest = 0;
        for (int64_t x = 1; x <= original->largest; x++) {
            energy[x] = original->time[x] <= time ? 1 : SCALAY_NO_ENERGY;
            if (energy[x] == 1) group->largest = x;
        }
        energy += original->largest + 1;
    }
}

scalay_status scalay_unit_energy_test(scalay_unit_energy *unit_energy, double time, scalay_active_limit limit,
                                      int *feasible, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t energy = 0;
    int64_t active = 0;
    *feasible = 0;
    SCALAY_TRY(make(unit_energy));
    fill(unit_energy, time);
    if (limit.exactly) {
        SCALAY_TRY(scalay_solve_min_energy_active(&unit_energy->problem, limit.active, 1, &energy, distribution));
        *feasible = energy < SCALAY_NO_ENERGY;
    } else {
        SCALAY_TRY(
            scalay_solve_min_energy(&unit_energy->problem, nextafter(time, INFINITY), &energy, &active, distribution));
        *feasible = energy <= limit.active; /* SCALAY_NO_ENERGY is more than any limit */
    }
    if (distribution != NULL && !*feasible) scalay_distribution_clear(distribution);
cleanup:
    return status;
}
