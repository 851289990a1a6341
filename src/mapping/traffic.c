#include "mapping/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/edges.h"

scalay_status scalay_traffic_allocate(int processes, int parts, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *made = NULL;
    *traffic = NULL;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    made->processes = processes;
    made->parts = parts;
    SCALAY_TRY(SCALAY_NEW(made->start, (int64_t)processes + 1));
    SCALAY_TRY(SCALAY_NEW(made->held, processes));
    SCALAY_TRY(SCALAY_NEW(made->wanted, parts));
    *traffic = made;
    made = NULL;
cleanup:
    scalay_traffic_destroy(&made);
    return status;
}

scalay_status scalay_traffic_sum(scalay_traffic *traffic)
{
    traffic->items = 0;
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            if (!scalay_add_int64(traffic->items, traffic->count[e], &traffic->items))
                return SCALAY_FAIL(SCALAY_ERROR_RANGE, "the items sum up to more than 2^63 - 1");
            traffic->held[i] += traffic->count[e];
            traffic->wanted[traffic->part[e]] += traffic->count[e];
        }
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------ from a list */

typedef struct {
    int64_t count;
    const int *process;
    const int *part;
    const int64_t *items;
} entry_list;

static const char from_entries[] = "scalay_traffic_from_entries";

static scalay_status check_entries(int processes, int parts, const entry_list *list)
{
    for (int64_t e = 0; e < list->count; e++) {
        if (list->process[e] < 0 || list->process[e] >= processes)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries, "process[%lld] = %d; it must be 0 to %d",
                               (long long)e, list->process[e], processes - 1);
        if (list->part[e] < 0 || list->part[e] >= parts)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries, "part[%lld] = %d; it must be 0 to %d", (long long)e,
                               list->part[e], parts - 1);
        if (list->items[e] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries, "items[%lld] = %lld; it must be at least 0",
                               (long long)e, (long long)list->items[e]);
    }
    return SCALAY_SUCCESS;
}

static int entries_ascend(const entry_list *list)
{
    for (int64_t e = 1; e < list->count; e++)
        if (list->process[e] < list->process[e - 1] ||
            (list->process[e] == list->process[e - 1] && list->part[e] < list->part[e - 1]))
            return 0;
    return 1;
}

/* order[] = the entries, stably sorted by a key below `keys`; `before` is the order to start from (NULL: as listed). */
static scalay_status sort_by_key(const entry_list *list, const int *key, int keys, const int64_t *before,
                                 int64_t *order)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *next = NULL;
    SCALAY_TRY(SCALAY_NEW(next, (int64_t)keys + 1));
    for (int64_t e = 0; e < list->count; e++) next[key[e] + 1]++;
    for (int k = 0; k < keys; k++) next[k + 1] += next[k];
    for (int64_t k = 0; k < list->count; k++) {
        int64_t e = before != NULL ? before[k] : k;
        order[next[key[e]]++] = e;
    }
cleanup:
    scalay_release(next);
    return status;
}

/* *order = the entries by process and, in each, by part; NULL when they are listed that way. */
static scalay_status sort_entries(int processes, int parts, const entry_list *list, int64_t **order)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *by_part = NULL;
    *order = NULL;
    if (entries_ascend(list)) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(by_part, list->count));
    SCALAY_TRY(SCALAY_NEW(*order, list->count));
    SCALAY_TRY(sort_by_key(list, list->part, parts, NULL, by_part));
    SCALAY_TRY(sort_by_key(list, list->process, processes, by_part, *order));
cleanup:
    scalay_release(by_part);
    return status;
}

static scalay_status add_up(int64_t a, int64_t b, int64_t *sum)
{
    if (scalay_add_int64(a, b, sum)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, from_entries, "the items of one place sum up to more than 2^63 - 1");
}

/* Appends the sorted entries, those of one place as one, empty ones not at all. */
static scalay_status gather_entries(const entry_list *list, const int64_t *order, scalay_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = 0;
    for (int64_t k = 0; k < list->count; k++) {
        int64_t e = order != NULL ? order[k] : k;
        int i = list->process[e];
        if (list->items[e] == 0) continue;
        int in_row = traffic->start[i + 1] > 0;
        if (in_row && traffic->part[filled - 1] == list->part[e]) {
            SCALAY_TRY(add_up(traffic->count[filled - 1], list->items[e], &traffic->count[filled - 1]));
            continue;
        }
        traffic->part[filled] = list->part[e];
        traffic->count[filled++] = list->items[e];
        traffic->start[i + 1]++;
    }
    for (int i = 0; i < traffic->processes; i++) traffic->start[i + 1] += traffic->start[i];
cleanup:
    return status;
}

static scalay_status check_extents(int processes, int parts, const entry_list *list)
{
    if (processes < 1 || parts < 1 || list->count < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries,
                           "processes = %d, parts = %d, entries = %lld; they must be at least 1, 1 and 0", processes,
                           parts, (long long)list->count);
    if (list->count > 0 && (list->process == NULL || list->part == NULL || list->items == NULL))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries, "process, part or items is NULL; pass %lld of each",
                           (long long)list->count);
    return check_entries(processes, parts, list);
}

scalay_status scalay_traffic_from_entries(int processes, int parts, int64_t entries, const int *process,
                                          const int *part, const int64_t *items, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    const entry_list list = {entries, process, part, items};
    scalay_traffic *made = NULL;
    int64_t *order = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; pass where to put it");
    *traffic = NULL;
    SCALAY_TRY(check_extents(processes, parts, &list));
    SCALAY_TRY(scalay_traffic_allocate(processes, parts, &made));
    SCALAY_TRY(SCALAY_NEW(made->part, entries));
    SCALAY_TRY(SCALAY_NEW(made->count, entries));
    SCALAY_TRY(sort_entries(processes, parts, &list, &order));
    SCALAY_TRY(gather_entries(&list, order, made));
    SCALAY_TRY(scalay_traffic_sum(made));
    *traffic = made;
    made = NULL;
cleanup:
    scalay_release(order);
    scalay_traffic_destroy(&made);
    return status;
}

void scalay_traffic_destroy(scalay_traffic **traffic)
{
    if (traffic == NULL || *traffic == NULL) return;
    scalay_release((*traffic)->start);
    scalay_release((*traffic)->part);
    scalay_release((*traffic)->count);
    scalay_release((*traffic)->held);
    scalay_release((*traffic)->wanted);
    scalay_release(*traffic);
    *traffic = NULL;
}

/* --------------------------------------------------------------------------------------------- queries */

int scalay_traffic_processes(const scalay_traffic *traffic)
{
    return traffic != NULL ? traffic->processes : 0;
}

int scalay_traffic_parts(const scalay_traffic *traffic)
{
    return traffic != NULL ? traffic->parts : 0;
}

int64_t scalay_traffic_items(const scalay_traffic *traffic)
{
    return traffic != NULL ? traffic->items : 0;
}

int64_t scalay_traffic_nonzeros(const scalay_traffic *traffic)
{
    return traffic != NULL ? traffic->start[traffic->processes] : 0;
}

int64_t scalay_traffic_find(const scalay_traffic *traffic, int process, int part)
{
    if (process < 0 || process >= traffic->processes) return -1;
    const scalay_edges edges = scalay_edges_view(traffic);
    return scalay_edges_find(&edges, process, part);
}

int64_t scalay_traffic_get_entry(const scalay_traffic *traffic, int process, int part)
{
    const int64_t entry = traffic != NULL ? scalay_traffic_find(traffic, process, part) : -1;
    return entry >= 0 ? traffic->count[entry] : 0;
}

scalay_status scalay_traffic_row(const scalay_traffic *traffic, int process, int64_t *count, const int **part,
                                 const int64_t **items)
{
    if (traffic == NULL || count == NULL || part == NULL || items == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic, count, part or items is NULL");
    if (process < 0 || process >= traffic->processes)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "process = %d; it must be 0 to %d", process, traffic->processes - 1);
    *count = traffic->start[process + 1] - traffic->start[process];
    *part = traffic->part + traffic->start[process];
    *items = traffic->count + traffic->start[process];
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------ cost */

int scalay_compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return (x > y) - (x < y);
}

scalay_status scalay_processes_check(const int *process, int parts, const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    int *sorted = NULL;
    if (process == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "process is NULL; pass one per part");
    SCALAY_TRY(SCALAY_NEW(sorted, parts));
    memcpy(sorted, process, (size_t)parts * sizeof *sorted);
    qsort(sorted, (size_t)parts, sizeof *sorted, scalay_compare_ints);
    if (sorted[0] < 0)
        status =
            scalay_fail(SCALAY_ERROR_ARGUMENT, function, "a part is on process %d; it must be at least 0", sorted[0]);
    for (int j = 1; j < parts && status == SCALAY_SUCCESS; j++)
        if (sorted[j] == sorted[j - 1])
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                 "two parts are on process %d; give every part a process of its own", sorted[j]);
cleanup:
    scalay_release(sorted);
    return status;
}

/* Sent by a process without a part: everything. taken[i] tells whether process i has one. */
static int64_t largest_idle(const scalay_traffic *traffic, const unsigned char *taken)
{
    int64_t largest = 0;
    for (int i = 0; i < traffic->processes; i++)
        if (!taken[i]) largest = scalay_max_int64(largest, traffic->held[i]);
    return largest;
}

scalay_status scalay_traffic_count(const scalay_traffic *traffic, const int *process, int64_t *volume, int64_t *steps)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *taken = NULL;
    int64_t kept = 0;
    int64_t most = 0;
    SCALAY_TRY(SCALAY_NEW(taken, traffic->processes));
    for (int j = 0; j < traffic->parts; j++) {
        int64_t own = scalay_traffic_get_entry(traffic, process[j], j);
        kept += own;
        most = scalay_max_int64(most, traffic->wanted[j] - own);
        if (process[j] >= traffic->processes) continue;
        taken[process[j]] = 1;
        most = scalay_max_int64(most, traffic->held[process[j]] - own);
    }
    *volume = traffic->items - kept;
    *steps = scalay_max_int64(most, largest_idle(traffic, taken));
cleanup:
    scalay_release(taken);
    return status;
}

scalay_status scalay_traffic_cost(const scalay_traffic *traffic, const int *process, int64_t *volume, int64_t *steps)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t counted[2] = {0, 0};
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    SCALAY_TRY(scalay_traffic_count(traffic, process, &counted[0], &counted[1]));
    if (volume != NULL) *volume = counted[0];
    if (steps != NULL) *steps = counted[1];
cleanup:
    return status;
}
