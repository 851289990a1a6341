/*
 * The base where active processors are counted. At the right charge and slope the critical face holds the point (n,
 * number wanted): each group has sizes from `low` to `high`, and idleness where that is critical too. Between the two
 * extreme choices of active processors, those with the largest sizes and those with the smallest, and between `low`
 * and `high` at the same time, lies a point with the sum n. It is rounded, and what is lacking brought down again.
 */
#include <stdlib.h>

#include "base/integer.h"
#include "workload/min_energy.h"

enum { HALVINGS = 60 };

/* What is critical of a group. */
typedef struct {
    int group;
    int64_t idle; /* vertices; -1: not critical */
    int64_t low;
    int64_t high;
    int64_t smallest; /* their indices */
    int64_t largest;
    int64_t copies;
    int64_t first; /* active processors where the sizes are the smallest */
    int64_t last;  /* where they are the largest */
    int64_t active;
    int64_t past; /* of those at `high` */
} face;

scalay_relaxed_point scalay_energy_relaxed(const scalay_energy_search *search)
{
    scalay_relaxed_point sum = {0, 0, 1};
    scalay_wide missing = search->n;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        int64_t copies = scalay_energy_copies(search, j);
        int64_t at = hull->vertex[hull->at].index;
        missing -= scalay_wide_product(copies, at);
        sum.energy += scalay_wide_product(copies, search->problem->group[j].energy[at]);
        sum.active += at > 0 ? copies : 0;
    }
    for (int j = 0; j < search->problem->groups && missing > 0; j++) {
        const scalay_hull *hull = &search->hull[j];
        const int64_t *energy = search->problem->group[j].energy;
        int64_t from = hull->vertex[hull->at].index;
        int64_t to = hull->vertex[scalay_energy_last_vertex(search, j)].index;
        if (to == from) continue;
        int64_t copies = scalay_energy_copies(search, j);
        int64_t past = missing / (to - from) < copies ? (int64_t)(missing / (to - from)) : copies;
        missing -= scalay_wide_product(past, to - from);
        sum.energy += scalay_wide_product(past, energy[to] - energy[from]);
        sum.active += from == 0 ? past : 0;
        if (past == copies || missing == 0) continue;
        sum.length = to - from;
        sum.energy = sum.energy * sum.length + missing * (energy[to] - energy[from]);
        sum.active = sum.active * sum.length + (from == 0 ? missing : 0);
        break;
    }
    return sum;
}

/* ---------------------------------------------------------------------------------------- choosing numbers */

static face make_face(const scalay_energy_search *search, int group)
{
    const scalay_hull *hull = &search->hull[group];
    int64_t last = scalay_energy_last_vertex(search, group);
    face made = {.group = group, .idle = -1, .low = hull->at, .high = last};
    made.copies = scalay_energy_copies(search, group);
    if (hull->vertex[hull->at].index == 0) {
        made.idle = hull->at;
        made.low = last > hull->at ? hull->at + 1 : -1;
    } else {
        made.first = made.last = made.copies;
    }
    if (made.low >= 0) {
        made.smallest = hull->vertex[made.low].index;
        made.largest = hull->vertex[made.high].index;
    }
    return made;
}

static int by_smallest(const void *a, const void *b)
{
    int64_t x = ((const face *)a)->smallest;
    int64_t y = ((const face *)b)->smallest;
    return (x > y) - (x < y);
}

static int by_largest(const void *a, const void *b)
{
    int64_t x = ((const face *)a)->largest;
    int64_t y = ((const face *)b)->largest;
    return (x < y) - (x > y);
}

static int is_free(const face *one)
{
    return one->idle >= 0 && one->low >= 0;
}

/* The two extreme choices. */
static void choose_extremes(face *faces, int groups, int64_t active)
{
    for (int j = 0; j < groups; j++)
        if (!is_free(&faces[j])) active -= faces[j].first;
    active = scalay_max_int64(active, 0);
    int64_t left = active;
    qsort(faces, (size_t)groups, sizeof *faces, by_largest);
    for (int j = 0; j < groups; j++)
        if (is_free(&faces[j])) left -= faces[j].last = scalay_min_int64(left, faces[j].copies);
    left = active;
    qsort(faces, (size_t)groups, sizeof *faces, by_smallest);
    for (int j = 0; j < groups; j++)
        if (is_free(&faces[j])) left -= faces[j].first = scalay_min_int64(left, faces[j].copies);
}

static double sum_at(const face *faces, int groups, double part)
{
    double sum = 0.0;
    for (int j = 0; j < groups; j++) {
        double active = (double)faces[j].first + (double)(faces[j].last - faces[j].first) * part;
        sum += active * ((double)faces[j].smallest + (double)(faces[j].largest - faces[j].smallest) * part);
    }
    return sum;
}

/* Rounds to whole processors; those that rounding has lost go where there is room. */
static void choose_between(face *faces, int groups, double part)
{
    int64_t left = 0;
    for (int j = 0; j < groups; j++) {
        face *one = &faces[j];
        int64_t least = scalay_min_int64(one->first, one->last);
        int64_t most = scalay_max_int64(one->first, one->last);
        int64_t between = one->first + (int64_t)((double)(one->last - one->first) * part);
        one->active = scalay_max_int64(least, scalay_min_int64(between, most));
        left += one->first - one->active;
    }
    for (int j = 0; j < groups; j++) {
        face *one = &faces[j];
        if (is_free(one)) {
            int64_t added = scalay_max_int64(-one->active, scalay_min_int64(left, one->copies - one->active));
            one->active += added;
            left -= added;
        }
        one->past = scalay_min_int64(one->active, (int64_t)((double)one->active * part));
        if (one->low == one->high) one->past = 0;
    }
}

/* ------------------------------------------------------------------------------------- closer to what is wanted */

/* As many steps of a length, from `least` to `most`, as bring what is missing down. */
static int64_t steps_of(int64_t missing, int64_t length, int64_t least, int64_t most)
{
    return length == 0 ? 0 : scalay_max_int64(least, scalay_min_int64(missing / length, most));
}

static void come_closer(face *faces, int groups, int64_t *missing)
{
    for (int i = 0; i < groups; i++)
        for (int j = 0; j < i; j++) {
            if (!is_free(&faces[i]) || !is_free(&faces[j])) continue;
            int64_t length = faces[i].smallest - faces[j].smallest;
            int64_t least = -scalay_min_int64(faces[i].active - faces[i].past, faces[j].copies - faces[j].active);
            int64_t most = scalay_min_int64(faces[j].active - faces[j].past, faces[i].copies - faces[i].active);
            int64_t steps = steps_of(*missing, length, least, most);
            faces[i].active += steps;
            faces[j].active -= steps;
            *missing -= steps * length;
        }
    for (int j = 0; j < groups; j++) {
        int64_t length = faces[j].largest - faces[j].smallest;
        int64_t steps = steps_of(*missing, length, -faces[j].past, faces[j].active - faces[j].past);
        faces[j].past += steps;
        *missing -= steps * length;
    }
}

static scalay_status add_face(scalay_energy_search *search, const face *one)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t idle = one->copies - one->active;
    if (idle > 0) SCALAY_TRY(scalay_energy_add_lot(search, one->group, one->idle, idle));
    if (one->active > one->past)
        SCALAY_TRY(scalay_energy_add_lot(search, one->group, one->low, one->active - one->past));
    if (one->past > 0) SCALAY_TRY(scalay_energy_add_lot(search, one->group, one->high, one->past));
cleanup:
    return status;
}

static void choose(face *faces, int groups, int64_t n, int64_t active)
{
    double low = 0.0;
    double high = 1.0;
    choose_extremes(faces, groups, active);
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (low + high);
        if (sum_at(faces, groups, middle) <= (double)n)
            low = middle;
        else
            high = middle;
    }
    choose_between(faces, groups, low);
}

scalay_status scalay_energy_face(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    face *faces = NULL;
    int groups = search->problem->groups;
    SCALAY_TRY(scalay_energy_scratch(search, 0, groups, sizeof *faces, &faces));
    for (int j = 0; j < groups; j++) faces[j] = make_face(search, j);
    choose(faces, groups, search->n, search->wanted);
    scalay_wide missing = search->n;
    search->rising = search->wanted;
    for (int j = 0; j < groups; j++) {
        missing -= scalay_wide_product(faces[j].active, faces[j].smallest);
        missing -= scalay_wide_product(faces[j].past, faces[j].largest - faces[j].smallest);
        search->rising -= faces[j].active;
    }
    search->missing = (int64_t)missing;
    come_closer(faces, groups, &search->missing);
    for (int j = 0; j < groups; j++) SCALAY_TRY(add_face(search, &faces[j]));
cleanup:
    return status;
}
