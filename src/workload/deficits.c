/*
 * Subset sums of different processors as one bit set: which deficits the processors can make up in total, compared with
 * a base size of each. A trace of the passes gives the distribution.
 */
#include "workload/deficits.h"

#include <string.h>

#include "base/bits.h"
#include "base/integer.h"
#include "base/memory.h"

void scalay_deficits_begin(scalay_deficits *deficits, const scalay_problem *problem, double time, int64_t total)
{
    deficits->problem = problem;
    deficits->time = time;
    deficits->total = total;
    deficits->parts = 0;
    deficits->passes = 0;
}

scalay_status scalay_deficits_add(scalay_deficits *deficits, scalay_deficit_part part)
{
    scalay_status status = SCALAY_SUCCESS;
    if (part.copies == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(deficits->part, deficits->parts_room, deficits->parts + 1));
    deficits->part[deficits->parts++] = part;
cleanup:
    return status;
}

void scalay_deficits_free(scalay_deficits *deficits)
{
    scalay_release(deficits->part);
    scalay_release(deficits->reached);
    scalay_release(deficits->next);
    scalay_release(deficits->first);
    scalay_release(deficits->pass);
    scalay_release(deficits->arc);
    *deficits = (scalay_deficits){0};
}

/* The size of a processor that differs by so much from its base. */
static int64_t size_at(const scalay_deficit_part *part, int64_t difference)
{
    return part->base > 0 ? part->base - difference : difference;
}

/* What one processor of a part can make, at most the total. */
static scalay_status list_arcs(scalay_deficits *deficits, const scalay_deficit_part *part, int64_t *arcs)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *group = &deficits->problem->group[part->group];
    const int64_t furthest = part->base > 0 ? part->base - !part->idle : group->largest;
    const int64_t last = scalay_min_int64(deficits->total, furthest);
    *arcs = 0;
    SCALAY_TRY(SCALAY_GROW(deficits->arc, deficits->arc_room, last));
    for (int64_t difference = 1; difference <= last; difference++) {
        const int64_t size = size_at(part, difference);
        deficits->arc[*arcs] = difference;
        *arcs += size == 0 || group->time[size] <= deficits->time;
    }
cleanup:
    return status;
}

/* Notes in which pass bits were reached; whether there are any. */
static int note_new_bits(scalay_deficits *deficits, int64_t words)
{
    int any = 0;
    for (int64_t w = 0; w < words; w++) {
        uint64_t new_bits = deficits->next[w] & ~deficits->reached[w];
        if (new_bits == 0) continue;
        any = 1;
        deficits->reached[w] = deficits->next[w];
        for (int64_t bit = w * SCALAY_WORD_BITS; new_bits != 0 && bit <= deficits->total; bit++, new_bits >>= 1)
            if (new_bits & 1) deficits->first[bit] = deficits->passes;
    }
    return any;
}

/* Adds the copies of a part until nothing changes, or the total is reached. */
static scalay_status add_part(scalay_deficits *deficits, int part, int64_t words)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t arcs = 0;
    SCALAY_TRY(list_arcs(deficits, &deficits->part[part], &arcs));
    for (int64_t copy = 0; copy < deficits->part[part].copies; copy++) {
        if (scalay_bit_get(deficits->reached, deficits->total)) break;
        memcpy(deficits->next, deficits->reached, (size_t)words * sizeof *deficits->next);
        for (int64_t k = 0; k < arcs; k++) {
            const int64_t skip = deficits->arc[k] / SCALAY_WORD_BITS;
            scalay_bit_or_shifted(deficits->reached, words - skip, (int)(deficits->arc[k] % SCALAY_WORD_BITS),
                                  deficits->next + skip);
        }
        if (!note_new_bits(deficits, words)) break;
        SCALAY_TRY(SCALAY_GROW(deficits->pass, deficits->pass_room, deficits->passes + 1));
        deficits->pass[deficits->passes++] = (scalay_deficit_pass){part, copy};
    }
cleanup:
    return status;
}

scalay_status scalay_deficits_solve(scalay_deficits *deficits, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t words = scalay_bit_words(deficits->total + 1);
    *feasible = 0;
    SCALAY_TRY(SCALAY_GROW(deficits->reached, deficits->words_room, words));
    SCALAY_TRY(SCALAY_GROW(deficits->next, deficits->next_room, words));
    SCALAY_TRY(SCALAY_GROW(deficits->first, deficits->first_room, deficits->total + 1));
    memset(deficits->reached, 0, (size_t)words * sizeof *deficits->reached);
    deficits->reached[0] = 1;
    deficits->first[0] = -1;
    for (int part = 0; part < deficits->parts && !scalay_bit_get(deficits->reached, deficits->total); part++)
        SCALAY_TRY(add_part(deficits, part, words));
    *feasible = scalay_bit_get(deficits->reached, deficits->total);
cleanup:
    return status;
}

/* The difference that took a processor of the pass in which a total was reached to it. */
static int64_t last_difference(const scalay_deficits *deficits, const scalay_deficit_part *part, int64_t total)
{
    const scalay_problem_group *group = &deficits->problem->group[part->group];
    const int64_t pass = deficits->first[total];
    for (int64_t difference = 1;; difference++) {
        const int64_t before = total - difference;
        if (!scalay_bit_get(deficits->reached, before) || deficits->first[before] >= pass) continue;
        const int64_t size = size_at(part, difference);
        if (part->base > 0 ? size > 0 || part->idle : size <= group->largest)
            if (size == 0 || group->time[size] <= deficits->time) return difference;
    }
}

scalay_status scalay_deficits_collect(const scalay_deficits *deficits, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t total = deficits->total;
    int64_t *used = NULL;
    SCALAY_TRY(SCALAY_NEW(used, deficits->parts));
    while (total > 0) {
        const int k = deficits->pass[deficits->first[total]].part;
        const scalay_deficit_part *part = &deficits->part[k];
        const int64_t difference = last_difference(deficits, part, total);
        SCALAY_TRY(scalay_distribution_add(distribution, part->group, size_at(part, difference), 1));
        used[k]++;
        total -= difference;
    }
    for (int64_t k = 0; k < deficits->parts; k++) {
        const scalay_deficit_part *part = &deficits->part[k];
        SCALAY_TRY(scalay_distribution_add(distribution, part->group, part->base, part->copies - used[k]));
    }
    distribution->feasible = 1;
cleanup:
    scalay_release(used);
    return status;
}
