#include "mapping/traffic_rows.h"

#include <stdlib.h>

#include "base/memory.h"

/* Where one part in so many is met, walking through all of them is quicker than sorting. */
enum { MANY = 16 };

scalay_status scalay_traffic_rows_create(scalay_traffic *traffic, scalay_traffic_rows *rows)
{
    scalay_status status = SCALAY_SUCCESS;
    *rows = (scalay_traffic_rows){.traffic = traffic};
    SCALAY_TRY(SCALAY_NEW(rows->items, traffic->parts));
    SCALAY_TRY(SCALAY_NEW(rows->met, traffic->parts));
cleanup:
    return status;
}

void scalay_traffic_rows_free(scalay_traffic_rows *rows)
{
    scalay_release(rows->items);
    scalay_release(rows->met);
}

scalay_status scalay_traffic_rows_reserve(scalay_traffic_rows *rows, int64_t entries)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(rows->traffic->part, entries));
    SCALAY_TRY(SCALAY_NEW(rows->traffic->count, entries));
    rows->part_capacity = rows->count_capacity = entries;
cleanup:
    return status;
}

static int ascends(const int *list, int count)
{
    for (int k = 1; k < count; k++)
        if (list[k] < list[k - 1]) return 0;
    return 1;
}

static void sort_met(scalay_traffic_rows *rows)
{
    int k = 0;
    if (ascends(rows->met, rows->met_count)) return;
    if (rows->met_count < rows->traffic->parts / MANY) {
        qsort(rows->met, (size_t)rows->met_count, sizeof *rows->met, scalay_compare_ints);
        return;
    }
    for (int j = 0; j < rows->traffic->parts; j++)
        if (rows->items[j] > 0) rows->met[k++] = j;
}

scalay_status scalay_traffic_rows_append(scalay_traffic_rows *rows, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = rows->traffic;
    int64_t filled = traffic->start[i];
    sort_met(rows);
    SCALAY_TRY(SCALAY_GROW(traffic->part, rows->part_capacity, filled + rows->met_count));
    SCALAY_TRY(SCALAY_GROW(traffic->count, rows->count_capacity, filled + rows->met_count));
    for (int k = 0; k < rows->met_count; k++) {
        const int part = rows->met[k];
        traffic->part[filled] = part;
        traffic->count[filled++] = rows->items[part];
        rows->items[part] = 0;
    }
    rows->met_count = 0;
    traffic->start[i + 1] = filled;
cleanup:
    return status;
}
