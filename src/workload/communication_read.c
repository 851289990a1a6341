#include <stdlib.h>

#include "base/csv.h"
#include "base/memory.h"
#include "scalay/workload.h"

/* A number of processors and the line it stands in. */
typedef struct {
    int64_t processors;
    int64_t line;
} place;

/* The lists of a table while it is read. */
typedef struct {
    int64_t entries;
    int64_t *processors;
    int64_t processors_room;
    double *cost;
    int64_t cost_room;
    place *place;
    int64_t place_room;
} lists;

enum { PROCESSORS, COST, COLUMNS };

static scalay_status read_row(scalay_csv *csv, int *which, lists *read)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t row = read->entries;
    int more = 1;
    SCALAY_TRY(SCALAY_GROW(read->processors, read->processors_room, row + 1));
    SCALAY_TRY(SCALAY_GROW(read->cost, read->cost_room, row + 1));
    SCALAY_TRY(SCALAY_GROW(read->place, read->place_room, row + 1));
    for (int field = 0; field < COLUMNS; field++) {
        if (field > 0) SCALAY_TRY(scalay_csv_next_field(csv, which, &more));
        if (*which == PROCESSORS)
            SCALAY_TRY(scalay_csv_integer(csv, 1, &read->processors[row]));
        else
            SCALAY_TRY(scalay_csv_number(csv, &read->cost[row]));
    }
    read->place[row] = (place){read->processors[row], csv->line};
    read->entries++;
cleanup:
    return status;
}

static int by_processors(const void *a, const void *b)
{
    const place *x = a;
    const place *y = b;
    if (x->processors != y->processors) return x->processors < y->processors ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static scalay_status check_lists(const char *path, lists *read)
{
    static const char function[] = "scalay_communication_read";
    if (read->entries == 0)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "%s has no rows: give at least one, such as 4,0.5", path);
    qsort(read->place, (size_t)read->entries, sizeof *read->place, by_processors);
    for (int64_t k = 1; k < read->entries; k++)
        if (read->place[k].processors == read->place[k - 1].processors)
            return scalay_fail(SCALAY_ERROR_FORMAT, function,
                               "%s, line %lld: processors = %lld is in line %lld already: give each number once", path,
                               (long long)read->place[k].line, (long long)read->place[k].processors,
                               (long long)read->place[k - 1].line);
    return SCALAY_SUCCESS;
}

static scalay_status read_table(scalay_csv *csv, lists *read)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_csv_column column[COLUMNS] = {{"processors", 1, 0}, {"cost", 1, 0}};
    int which = 0;
    int more = 0;
    SCALAY_TRY(scalay_csv_read_header(csv, COLUMNS, column));
    for (;;) {
        SCALAY_TRY(scalay_csv_next_field(csv, &which, &more));
        if (!more) break;
        SCALAY_TRY(read_row(csv, &which, read));
    }
cleanup:
    return status;
}

scalay_status scalay_communication_read(const char *path, scalay_communication **communication)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_csv csv = {0};
    lists read = {0};
    if (communication == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "communication is NULL: pass the address of a pointer");
    *communication = NULL;
    if (path == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "path is NULL: pass the name of a file");
    SCALAY_TRY(scalay_csv_open(path, &csv));
    SCALAY_TRY(read_table(&csv, &read));
    SCALAY_TRY(check_lists(path, &read));
    SCALAY_TRY(scalay_communication_table(read.entries, read.processors, read.cost, communication));
cleanup:
    scalay_csv_close(&csv);
    scalay_release(read.processors);
    scalay_release(read.cost);
    scalay_release(read.place);
    return status;
}
