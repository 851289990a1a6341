/*
 * Communication costs as objects: functions, tables, files and Hockney's model. Lists of costs for the search in
 * charge.c.
 */
#include "workload/communication.h"

#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/hockney.h"
#include "base/integer.h"
#include "base/memory.h"
#include "scalay/workload.h"

/* A callback is asked for every number of processors up to this one. */
static const int64_t MOST_CALLS = INT64_C(1) << 24;

/* The sizes of matrices in units of the paper. */
static const double ELEMENTS_PER_UNIT = 1024.0;

/* Bounds by formula are this much lower, for what logarithms and roots are rounded by. */
static const double ROUNDING = 1e-12;

/* A number of processors in a table. */
typedef struct {
    int64_t processors;
    double cost;
} entry;

/* By callback, by table, or by formula: what is not used is NULL or 0. */
struct scalay_communication {
    scalay_communication_cost cost;
    void *context;
    int64_t entries;
    entry *entry; /* shape [entries]: by ascending number */
    double alpha;
    double beta;
    double block;
};

void scalay_communication_destroy(scalay_communication **communication)
{
    if (communication == NULL || *communication == NULL) return;
    scalay_release((*communication)->entry);
    scalay_release(*communication);
    *communication = NULL;
}

scalay_status scalay_communication_function(scalay_communication_cost cost, void *context,
                                            scalay_communication **communication)
{
    scalay_status status = SCALAY_SUCCESS;
    if (communication == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "communication is NULL: pass the address of a pointer");
    *communication = NULL;
    if (cost == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "cost is NULL: pass a function");
    SCALAY_TRY(SCALAY_NEW(*communication, 1));
    (*communication)->cost = cost;
    (*communication)->context = context;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ tables */

static int by_processors(const void *a, const void *b)
{
    const int64_t x = ((const entry *)a)->processors;
    const int64_t y = ((const entry *)b)->processors;
    return (x > y) - (x < y);
}

static scalay_status check_entries(const char *function, int64_t entries, const int64_t *processors, const double *cost)
{
    for (int64_t k = 0; k < entries; k++) {
        if (processors[k] < 1)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "processors[%lld] = %lld: give at least 1",
                               (long long)k, (long long)processors[k]);
        if (!isfinite(cost[k]) || cost[k] < 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "cost[%lld] = %g for %lld processors: give a finite cost of at least 0, or leave the "
                               "entry out when it is not possible",
                               (long long)k, cost[k], (long long)processors[k]);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_communication_table(int64_t entries, const int64_t *processors, const double *cost,
                                         scalay_communication **communication)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_communication *new_communication = NULL;
    if (communication == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "communication is NULL: pass the address of a pointer");
    *communication = NULL;
    if (entries < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "entries = %lld: give at least one entry", (long long)entries);
    if (processors == NULL || cost == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL: pass a list of %lld entries",
                           processors == NULL ? "processors" : "cost", (long long)entries);
    SCALAY_TRY(check_entries(__func__, entries, processors, cost));
    SCALAY_TRY(SCALAY_NEW(new_communication, 1));
    SCALAY_TRY(SCALAY_NEW(new_communication->entry, entries));
    new_communication->entries = entries;
    for (int64_t k = 0; k < entries; k++) new_communication->entry[k] = (entry){processors[k], cost[k]};
    qsort(new_communication->entry, (size_t)entries, sizeof *new_communication->entry, by_processors);
    for (int64_t k = 1; k < entries; k++)
        if (new_communication->entry[k].processors == new_communication->entry[k - 1].processors)
            SCALAY_TRY(SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "processors holds %lld twice: give each number once",
                                   (long long)new_communication->entry[k].processors));
    *communication = new_communication;
    new_communication = NULL;
cleanup:
    scalay_communication_destroy(&new_communication);
    return status;
}

static double table_get(const scalay_communication *communication, int64_t processors)
{
    const entry key = {processors, 0.0};
    const entry *found = bsearch(&key, communication->entry, (size_t)communication->entries, sizeof key, by_processors);
    return found == NULL ? INFINITY : found->cost;
}

/* -------------------------------------------------------------------------------------------------- by formula */

scalay_status scalay_communication_hockney(double alpha, double beta, int64_t block,
                                           scalay_communication **communication)
{
    scalay_status status = SCALAY_SUCCESS;
    if (communication == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "communication is NULL: pass the address of a pointer");
    *communication = NULL;
    if (!isfinite(alpha) || alpha < 0.0 || !isfinite(beta) || beta < 0.0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "alpha = %g and beta = %g: give finite seconds of at least 0", alpha,
                           beta);
    if (block < 1) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "block = %lld: give at least 1 element", (long long)block);
    SCALAY_TRY(SCALAY_NEW(*communication, 1));
    (*communication)->alpha = alpha;
    (*communication)->beta = beta;
    (*communication)->block = (double)block;
cleanup:
    return status;
}

/* The part for messages: rises with q. */
static double latency(const scalay_communication *communication, int64_t n, int64_t processors)
{
    const double messages = scalay_summa_panel_messages((double)processors);
    return messages * (communication->alpha * (ELEMENTS_PER_UNIT * (double)n / communication->block));
}

/* The part for elements: rises up to q = 4, then falls. */
static double bandwidth(const scalay_communication *communication, int64_t n, int64_t processors)
{
    const double extent = ELEMENTS_PER_UNIT * (double)n;
    return scalay_summa_elements((double)processors) * (communication->beta * extent * extent);
}

static double formula_get(const scalay_communication *communication, int64_t n, int64_t processors)
{
    const double cost = latency(communication, n, processors) + bandwidth(communication, n, processors);
    return isnan(cost) ? INFINITY : cost; /* 0 times what overflowed */
}

double scalay_communication_evaluate(const scalay_communication *communication, int64_t n, int64_t processors)
{
    if (communication == NULL || n < 0 || processors < 1) return INFINITY;
    if (communication->cost != NULL) return communication->cost(n, processors, communication->context);
    return communication->entry != NULL ? table_get(communication, processors)
                                        : formula_get(communication, n, processors);
}

/* ----------------------------------------------------------------------------------------------------- listing */

/* Appends a number of processors; where the tree will have its leaves is not known yet. */
static void append(scalay_cost_list *list, int64_t processors, double cost)
{
    if (!(cost < INFINITY)) return;
    list->processors[list->length] = processors;
    list->least[list->length++] = cost;
}

static scalay_status list_calls(const char *function, int64_t most, scalay_cost_list *list)
{
    const scalay_communication *communication = list->communication;
    for (int64_t q = 1; q <= most; q++) {
        const double cost = communication->cost(list->n, q, communication->context);
        if (!(cost >= 0.0))
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "the communication cost of %lld units on %lld processors is %g: it has to be at least "
                               "0, or infinity where it is not possible",
                               (long long)list->n, (long long)q, cost);
        append(list, q, cost);
    }
    return SCALAY_SUCCESS;
}

/* The least of k and its sibling is at k / 2. */
static void build_tree(scalay_cost_list *list)
{
    const int64_t length = list->length;
    for (int64_t k = length - 1; k >= 0; k--) list->least[length + k] = list->least[k];
    for (int64_t k = length - 1; k > 0; k--) list->least[k] = fmin(list->least[2 * k], list->least[2 * k + 1]);
}

scalay_status scalay_cost_list_create(const char *function, const scalay_communication *communication, int64_t n,
                                      int64_t most, scalay_cost_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    *list = (scalay_cost_list){communication, n, 0, NULL, NULL};
    if (communication->cost == NULL && communication->entry == NULL) {
        list->length = most;
        goto cleanup;
    }
    if (communication->cost != NULL && most > MOST_CALLS)
        SCALAY_TRY(scalay_fail(SCALAY_ERROR_RANGE, function,
                               "the communication cost would have to be asked for %lld numbers of processors, at most "
                               "%lld are: give a table of those that come into question",
                               (long long)most, (long long)MOST_CALLS));
    const int64_t capacity = communication->cost != NULL ? most : communication->entries;
    SCALAY_TRY(SCALAY_NEW(list->processors, capacity));
    SCALAY_TRY(SCALAY_NEW(list->least, 2 * capacity));
    if (communication->cost != NULL)
        SCALAY_TRY(list_calls(function, most, list));
    else
        for (int64_t k = 0; k < communication->entries && communication->entry[k].processors <= most; k++)
            append(list, communication->entry[k].processors, communication->entry[k].cost);
    build_tree(list);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_cost_list_free(list);
    return status;
}

void scalay_cost_list_free(scalay_cost_list *list)
{
    scalay_release(list->processors);
    scalay_release(list->least);
    *list = (scalay_cost_list){0};
}

int64_t scalay_cost_list_processors(const scalay_cost_list *list, int64_t k)
{
    return list->processors == NULL ? k + 1 : list->processors[k];
}

double scalay_cost_list_get(const scalay_cost_list *list, int64_t k)
{
    return list->least == NULL ? formula_get(list->communication, list->n, k + 1) : list->least[list->length + k];
}

double scalay_cost_list_least(const scalay_cost_list *list, int64_t first, int64_t last)
{
    if (first == last) return scalay_cost_list_get(list, first);
    if (list->least == NULL) {
        const double cost =
            latency(list->communication, list->n, first + 1) +
            fmin(bandwidth(list->communication, list->n, first + 1), bandwidth(list->communication, list->n, last + 1));
        return isnan(cost) ? 0.0 : cost * (1.0 - ROUNDING);
    }
    double least = INFINITY;
    for (int64_t low = first + list->length, high = last + list->length + 1; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1) least = fmin(least, list->least[low++]);
        if (high % 2 == 1) least = fmin(least, list->least[--high]);
    }
    return least;
}

/* ------------------------------------------------------------------------------------------------------------ files */

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

static int by_listed_processors(const void *a, const void *b)
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
    qsort(read->place, (size_t)read->entries, sizeof *read->place, by_listed_processors);
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
