#include "csv.h"

#include <limits.h>

#include "core/csv.h"
#include "core/memory.h"

/* What takes the field at hand. */
typedef scalay_status (*field_taker)(scalay_csv *csv, void *context);

/* A matrix that is being read. */
typedef struct {
    int rows; /* complete ones */
    int cols; /* of the first row */
    field_taker take;
    void *context;
} matrix_reader;

static scalay_status check_width(const scalay_csv *csv, const matrix_reader *reader)
{
    int cols = csv->field + 1;
    if (csv->row == 0 || (csv->ends_row ? cols == reader->cols : cols < reader->cols)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "%s, line %lld: fields: %d, but %d in the rows before; give all rows the "
                       "same number of fields",
                       csv->path, (long long)csv->line, cols, reader->cols);
}

static scalay_status take_field(scalay_csv *csv, matrix_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    if (csv->blank != 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s, line %lld: the line is empty, and rows follow; remove it",
                           csv->path, (long long)csv->blank);
    if (csv->row == INT_MAX - 1)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s, line %lld: too many rows", csv->path, (long long)csv->line);
    SCALAY_TRY(reader->take(csv, reader->context));
    SCALAY_TRY(check_width(csv, reader));
    if (csv->row == 0) reader->cols = csv->field + 1;
    reader->rows = (int)csv->row + csv->ends_row;
cleanup:
    return status;
}

static scalay_status read_matrix(const char *path, matrix_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_csv csv;
    int more = 1;
    SCALAY_TRY(scalay_csv_open(path, &csv));
    while (more) {
        SCALAY_TRY(scalay_csv_next(&csv, &more));
        if (more) SCALAY_TRY(take_field(&csv, reader));
    }
    if (reader->rows == 0)
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: no numbers in the file; give one line per process", path);
cleanup:
    scalay_csv_close(&csv);
    return status;
}

/* ------------------------------------------------------------------------------------------------ traffic */

typedef struct {
    int64_t entries;
    int64_t room[3];
    int *process;
    int *part;
    int64_t *items;
} entry_list;

static scalay_status take_items(scalay_csv *csv, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list *list = context;
    int64_t items = 0;
    SCALAY_TRY(scalay_csv_integer(csv, 0, &items));
    if (items == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(list->process, list->room[0], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->part, list->room[1], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->items, list->room[2], list->entries + 1));
    list->process[list->entries] = (int)csv->row;
    list->part[list->entries] = csv->field;
    list->items[list->entries] = items;
    list->entries++;
cleanup:
    return status;
}

scalay_status scalay_csv_read_traffic(const char *path, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list list = {0};
    matrix_reader reader = {.take = take_items, .context = &list};
    *traffic = NULL;
    SCALAY_TRY(read_matrix(path, &reader));
    SCALAY_TRY(scalay_traffic_from_entries(reader.rows, reader.cols, list.entries, list.process, list.part, list.items,
                                           traffic));
cleanup:
    scalay_release(list.process);
    scalay_release(list.part);
    scalay_release(list.items);
    return status;
}

/* --------------------------------------------------------------------------------------------- link costs */

typedef struct {
    int64_t count;
    int64_t room;
    double *cost;
} cost_list;

static scalay_status take_cost(scalay_csv *csv, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list *list = context;
    SCALAY_TRY(SCALAY_GROW(list->cost, list->room, list->count + 1));
    SCALAY_TRY(scalay_csv_number(csv, &list->cost[list->count]));
    list->count++;
cleanup:
    return status;
}

scalay_status scalay_csv_read_link_costs(const char *path, scalay_link_costs *costs)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list list = {0};
    matrix_reader reader = {.take = take_cost, .context = &list};
    *costs = (scalay_link_costs){0};
    SCALAY_TRY(read_matrix(path, &reader));
    if (reader.rows != reader.cols) {
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: %d rows of %d fields; link costs are a square matrix", path,
                             reader.rows, reader.cols);
        goto cleanup;
    }
    costs->processes = reader.rows;
    costs->cost = list.cost;
    return SCALAY_SUCCESS;
cleanup:
    scalay_release(list.cost);
    return status;
}
