/* Parts of area 0 are taken out before anything is drawn, and put back behind the others. Their processors stay among
 * the links: they may relay. */
#include "base/memory.h"
#include "partition/partition.h"

static int processors_of(const scalay_partition *partition, const scalay_partition_options *options)
{
    int linked = options->links != NULL ? options->links->processors : 0;
    return linked > partition->parts ? linked : partition->parts;
}

/* Positive areas first; returns how many there are. */
static int number_parts(const scalay_partition *partition, int processors, int *original)
{
    int count = 0;
    for (int k = 0; k < partition->parts; k++)
        if (partition->area[k] > 0.0) original[count++] = k;
    const int active = count;
    for (int k = 0; k < partition->parts; k++)
        if (!(partition->area[k] > 0.0)) original[count++] = k;
    for (int k = partition->parts; k < processors; k++) original[count++] = k;
    return active;
}

static scalay_status renumber_matrix(const int *original, int processors, const double **matrix, double **copy)
{
    scalay_status status = SCALAY_SUCCESS;
    if (*matrix == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*copy, (int64_t)processors * processors));
    for (int i = 0; i < processors; i++)
        for (int j = 0; j < processors; j++)
            (*copy)[(int64_t)i * processors + j] = (*matrix)[(int64_t)original[i] * processors + original[j]];
    *matrix = *copy;
cleanup:
    return status;
}

static scalay_status renumber_links(scalay_nonempty_problem *active)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_links *links = &active->links;
    SCALAY_TRY(renumber_matrix(active->original, links->processors, &links->seconds_per_element, &active->matrix[0]));
    SCALAY_TRY(renumber_matrix(active->original, links->processors, &links->seconds_per_message, &active->matrix[1]));
    SCALAY_TRY(renumber_matrix(active->original, links->processors, &links->joules_per_element, &active->matrix[2]));
cleanup:
    return status;
}

scalay_status scalay_nonempty_problem_create(const scalay_partition *partition, const scalay_partition_options *options,
                                             scalay_nonempty_problem *active)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processors = processors_of(partition, options);
    *active = (scalay_nonempty_problem){.options = *options};
    SCALAY_TRY(SCALAY_NEW(active->original, processors));
    const int count = number_parts(partition, processors, active->original);
    SCALAY_TRY(SCALAY_NEW(active->area, count));
    for (int k = 0; k < count; k++) active->area[k] = partition->area[active->original[k]];
    if (options->links != NULL && options->links->processors > 0) {
        active->links = *options->links;
        active->options.links = &active->links;
        if (count < partition->parts) SCALAY_TRY(renumber_links(active));
    }
    active->problem = (scalay_partition_problem){.m = (double)partition->m,
                                                 .n = (double)partition->n,
                                                 .parts = count,
                                                 .area = active->area,
                                                 .options = &active->options};
cleanup:
    return status;
}

void scalay_nonempty_problem_free(scalay_nonempty_problem *active)
{
    scalay_release(active->original);
    scalay_release(active->area);
    for (int k = 0; k < 3; k++) scalay_release(active->matrix[k]);
    *active = (scalay_nonempty_problem){0};
}

scalay_status scalay_candidate_renumber(const scalay_nonempty_problem *active, int parts, scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    int *assignment = NULL;
    for (int64_t k = 0; k < candidate->drawing.count; k++)
        candidate->drawing.paint[k].part = active->original[candidate->drawing.paint[k].part];
    if (candidate->assignment == NULL || active->problem.parts == parts) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(assignment, parts));
    for (int k = 0; k < parts; k++)
        assignment[k] = active->original[k < active->problem.parts ? candidate->assignment[k] : k];
    scalay_release(candidate->assignment);
    candidate->assignment = assignment;
cleanup:
    return status;
}
