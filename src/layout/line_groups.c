/*
 * Groups of lines: sort by a fingerprint of the cells of each line, then compare neighbours.
 */
#include "layout/line_groups.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/fingerprint.h"
#include "base/memory.h"

static scalay_status list_lines(int64_t cells, const int64_t *cell, int64_t crosses, scalay_line_groups *groups)
{
    scalay_status status = SCALAY_SUCCESS;
    groups->lines = 0;
    for (int64_t k = 0; k < cells; k++) {
        const int64_t line = cell[k] / crosses;
        if (k == 0 || line != groups->line[groups->lines - 1].line) {
            SCALAY_TRY(SCALAY_GROW(groups->line, groups->capacity, groups->lines + 1));
            groups->line[groups->lines++] =
                (scalay_owned_line){.line = line, .begin = k, .fingerprint = scalay_fingerprint_start()};
        }
        scalay_owned_line *at = &groups->line[groups->lines - 1];
        at->fingerprint = scalay_fingerprint_add(at->fingerprint, cell[k] % crosses);
        at->end = k + 1;
    }
cleanup:
    return status;
}

static int by_fingerprint(const void *left, const void *right)
{
    const scalay_owned_line *a = left, *b = right;
    if (a->fingerprint != b->fingerprint) return a->fingerprint < b->fingerprint ? -1 : 1;
    return scalay_compare_int64(a->line, b->line);
}

static int by_leader(const void *left, const void *right)
{
    const scalay_owned_line *a = left, *b = right;
    if (a->leader != b->leader) return scalay_compare_int64(a->leader, b->leader);
    return scalay_compare_int64(a->line, b->line);
}

static int same_crosses(const int64_t *cell, int64_t crosses, const scalay_owned_line *a, const scalay_owned_line *b)
{
    if (a->end - a->begin != b->end - b->begin) return 0;
    for (int64_t k = 0; k < a->end - a->begin; k++)
        if (cell[a->begin + k] % crosses != cell[b->begin + k] % crosses) return 0;
    return 1;
}

scalay_status scalay_line_groups_find(int64_t cells, const int64_t *cell, int64_t crosses, scalay_line_groups *groups)
{
    scalay_status status = SCALAY_SUCCESS;
    groups->groups = 0;
    SCALAY_TRY(list_lines(cells, cell, crosses, groups));
    if (groups->lines == 0) goto cleanup;
    qsort(groups->line, (size_t)groups->lines, sizeof *groups->line, by_fingerprint);
    const scalay_owned_line *leader = NULL;
    for (int64_t k = 0; k < groups->lines; k++) {
        scalay_owned_line *at = &groups->line[k];
        if (leader == NULL || at->fingerprint != leader->fingerprint || !same_crosses(cell, crosses, leader, at)) {
            leader = at;
            groups->groups++;
        }
        at->leader = leader->line;
    }
    qsort(groups->line, (size_t)groups->lines, sizeof *groups->line, by_leader);
cleanup:
    return status;
}
