#include <math.h>

#include "measure/profiler_record.h"

/* Two means are the same when they differ by no more than the precision, or, where both are known as precisely as was
 * asked for, when their confidence intervals meet. An interval that is too wide would meet anything. */
static int same_value(double a, double a_half, double b, double b_half, double precision, int both_precise)
{
    double tolerance = precision * fmax(fabs(a), fabs(b));
    if (both_precise) tolerance = fmax(tolerance, a_half + b_half);
    return fabs(a - b) <= tolerance;
}

static int same_point(const scalay_profile_point *a, const scalay_profile_point *b, double precision)
{
    if (a->hole != NULL || b->hole != NULL) return a->hole != NULL && b->hole != NULL;
    int both_precise = a->precise && b->precise;
    if (!same_value(a->time, a->time_half_width, b->time, b->time_half_width, precision, both_precise)) return 0;
    if (isnan(a->energy) || isnan(b->energy)) return 1;
    return same_value(a->energy, a->energy_half_width, b->energy, b->energy_half_width, precision, both_precise);
}

static int same_function(const scalay_profile_record *record, int a, int b)
{
    for (int64_t k = 0; k < record->sizes; k++)
        if (!same_point(&record->row[k].point[a], &record->row[k].point[b], record->repeat.precision)) return 0;
    return 1;
}

/* Being the same within a precision does not carry over from one to the next: a member is like all the others. */
static int belongs_to(const scalay_profile_record *record, int processor, int leader)
{
    for (int p = leader; p < processor; p++)
        if (record->leader[p] == leader && !same_function(record, p, processor)) return 0;
    return 1;
}

void scalay_record_group(scalay_profile_record *record, int merge)
{
    for (int p = 0; p < record->processors; p++) {
        record->leader[p] = scalay_record_has_points(record, p) ? p : -1;
        for (int leader = 0; merge && record->leader[p] == p && leader < p; leader++)
            if (record->leader[leader] == leader && belongs_to(record, p, leader)) record->leader[p] = leader;
    }
}

int scalay_record_members(const scalay_profile_record *record, int leader)
{
    int members = 0;
    for (int p = leader; p < record->processors; p++) members += record->leader[p] == leader;
    return members;
}

int scalay_record_mean(const scalay_profile_record *record, int leader, int64_t row, double *time, double *energy)
{
    const scalay_profile_point *point = record->row[row].point;
    const int members = scalay_record_members(record, leader);
    *time = 0.0;
    *energy = 0.0;
    if (point[leader].hole != NULL) return 0;
    for (int p = leader; p < record->processors; p++) {
        if (record->leader[p] != leader) continue;
        *time += point[p].time / members;
        *energy += isnan(point[p].energy) ? 0.0 : point[p].energy / members;
    }
    return 1;
}
