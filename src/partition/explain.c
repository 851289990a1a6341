#include <math.h>

#include "base/text.h"
#include "partition/partition.h"

static const char *unit_of(scalay_partition_objective objective)
{
    static const char *const unit[] = {
        [SCALAY_PARTITION_VOLUME] = "elements sent",
        [SCALAY_PARTITION_TIME] = "seconds",
        [SCALAY_PARTITION_ENERGY] = "joules",
    };
    return unit[objective];
}

static double value_of(const scalay_partition *partition, int k)
{
    return scalay_candidate_value(&partition->candidate[k], partition->objective);
}

static void explain_choice(const scalay_partition *partition, scalay_text *text)
{
    const char *shape = partition->candidate[partition->chosen].shape;
    const char *unit = unit_of(partition->objective);
    double value = value_of(partition, partition->chosen);
    if (partition->candidates == 1)
        scalay_text_append(text, "%s, as asked for: %.6g %s for the areas as they are.\n", shape, value, unit);
    else if (partition->chosen == partition->least)
        scalay_text_append(text, "%s: %.6g %s for the areas as they are, the least of %d candidates.\n", shape, value,
                           unit, partition->candidates);
    else
        scalay_text_append(text,
                           "%s: %.6g %s for the areas as they are; %s needs %.6g, but not when edges are whole lines "
                           "and the load is kept.\n",
                           shape, value, unit, partition->candidate[partition->least].shape,
                           value_of(partition, partition->least));
    if (partition->objective != SCALAY_PARTITION_VOLUME && partition->parts > 3)
        scalay_text_append(text,
                           "Who sits where is found by swapping parts: a heuristic, not proven to be the best.\n");
}

static void explain_bound(const scalay_partition *partition, scalay_text *text)
{
    double cost = partition->candidate[partition->chosen].continuous_cost;
    scalay_text_append(text, "The map sends %lld elements", (long long)scalay_multiply_cost_volume(partition->cost));
    if (partition->bound > 0.0)
        scalay_text_append(text,
                           "; no partition into these areas sends fewer than %.6g, and the drawing %.4g times that",
                           partition->bound, cost / partition->bound);
    scalay_text_append(text, ". The largest load error is %.3g%%.\n", 100.0 * partition->rounding.load_error);
}

static void explain_others(const scalay_partition *partition, scalay_text *text)
{
    for (int k = 0; k < partition->candidates; k++) {
        const scalay_candidate *candidate = &partition->candidate[k];
        if (k == partition->chosen) continue;
        if (candidate->feasible)
            scalay_text_append(text, "  %s: %.6g\n", candidate->shape, value_of(partition, k));
        else
            scalay_text_append(text, "  %s: not possible, %s\n", candidate->shape,
                               candidate->reason != NULL ? candidate->reason : "for these areas");
    }
}

/* Lists the parts that are empty for one reason. */
static void explain_empty(const scalay_partition *partition, scalay_empty_reason reason, const char *why,
                          scalay_text *text)
{
    enum { MOST_LISTED = 20 };
    int count = 0;
    for (int k = 0; k < partition->rounding.empty_parts; k++) {
        const scalay_empty_part *empty = &partition->rounding.empty[k];
        if (empty->reason != reason) continue;
        if (count < MOST_LISTED) scalay_text_append(text, "%s%d", count == 0 ? "Empty parts: " : ", ", empty->part);
        count++;
    }
    if (count > MOST_LISTED) scalay_text_append(text, ", ... (%d in all)", count);
    if (count > 0) scalay_text_append(text, ": %s.\n", why);
}

int scalay_partition_describe(const scalay_partition *partition, char *text, size_t size)
{
    scalay_text out = {text, text != NULL ? size : 0, 0};
    if (out.size > 0) text[0] = '\0';
    if (partition == NULL) return 0;
    explain_choice(partition, &out);
    explain_bound(partition, &out);
    explain_others(partition, &out);
    explain_empty(partition, SCALAY_EMPTY_NO_AREA, "their area is 0", &out);
    explain_empty(partition, SCALAY_EMPTY_NO_ROOM, "the matrix has too few elements (or tiles) for all parts", &out);
    return (int)out.length;
}
