#include "base/integer.h"
#include "base/memory.h"
#include "multiply/gemm_object.h"

/* Who takes which part of the product's map. A, B and C are counted together; a part goes to a processor of its own
 * kind, so that each kind is a mapping problem of its own, in which the others are barred. */

/* What moves when the parts go where one mapping has them; NULL: nothing counts. */
static scalay_status add_up(const scalay_gemm_places *places, scalay_traffic **sum)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic[3] = {NULL};
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (places->from[k] != NULL)
            SCALAY_TRY(scalay_traffic_create(places->from[k], places->to[k], &traffic[count++]));
    if (count > 0) SCALAY_TRY(scalay_traffic_add(count, (const scalay_traffic *const *)traffic, NULL, sum));
cleanup:
    for (int k = 0; k < 3; k++) scalay_traffic_destroy(&traffic[k]);
    return status;
}

/* Room for one kind's problem. */
typedef struct {
    int *number;           /* shape [parts]: of a part among those of the kind; -1: it is of another */
    unsigned char *barred; /* shape [ranks] */
    int *process, *part;   /* shape [entries of the traffic] */
    int64_t *items;        /* likewise */
} workspace;

static scalay_status make_workspace(const scalay_gemm_places *places, const scalay_traffic *all, workspace *w)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(w->number, places->parts));
    SCALAY_TRY(SCALAY_NEW(w->barred, places->ranks));
    SCALAY_TRY(SCALAY_NEW(w->process, scalay_traffic_nonzeros(all)));
    SCALAY_TRY(SCALAY_NEW(w->part, scalay_traffic_nonzeros(all)));
    SCALAY_TRY(SCALAY_NEW(w->items, scalay_traffic_nonzeros(all)));
cleanup:
    return status;
}

static void free_workspace(workspace *w)
{
    scalay_release(w->items);
    scalay_release(w->part);
    scalay_release(w->process);
    scalay_release(w->barred);
    scalay_release(w->number);
}

/* What is left of the traffic for the parts of one kind. */
static scalay_status traffic_of_kind(const scalay_gemm_places *places, const scalay_traffic *all, int count,
                                     const workspace *w, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t entries = 0;
    for (int process = 0; process < scalay_traffic_processes(all); process++) {
        int64_t length = 0;
        const int *part = NULL;
        const int64_t *items = NULL;
        SCALAY_TRY(scalay_traffic_row(all, process, &length, &part, &items));
        for (int64_t k = 0; k < length; k++) {
            if (w->number[part[k]] < 0) continue;
            w->process[entries] = process;
            w->part[entries] = w->number[part[k]];
            w->items[entries++] = items[k];
        }
    }
    SCALAY_TRY(scalay_traffic_from_entries(places->ranks, count, entries, w->process, w->part, w->items, traffic));
cleanup:
    return status;
}

static int kind_of(const scalay_gemm_places *places, int rank)
{
    return places->group != NULL ? places->group[rank] : 0;
}

/* Maps the parts whose kind is that of part `first`. */
static scalay_status map_kind(const scalay_gemm_places *places, const scalay_traffic *all, int first, workspace *w,
                              int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    const int kind = kind_of(places, first);
    int count = 0;
    for (int part = 0; part < places->parts; part++) w->number[part] = kind_of(places, part) == kind ? count++ : -1;
    for (int rank = 0; rank < places->ranks; rank++) w->barred[rank] = kind_of(places, rank) != kind;
    SCALAY_TRY(traffic_of_kind(places, all, count, w, &traffic));
    options.processes = places->ranks;
    options.barred = w->barred;
    SCALAY_TRY(scalay_mapping_from_traffic(traffic, places->objective, &options, &mapping));
    for (int part = 0; part < places->parts; part++)
        if (w->number[part] >= 0) process[part] = scalay_mapping_process(mapping)[w->number[part]];
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    return status;
}

scalay_status scalay_gemm_map_parts(const scalay_gemm_places *places, int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *all = NULL;
    workspace w = {0};
    for (int part = 0; part < places->parts; part++) process[part] = part;
    if (places->objective == SCALAY_CANONICAL) return SCALAY_SUCCESS;
    SCALAY_TRY(add_up(places, &all));
    if (all == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(make_workspace(places, all, &w));
    for (int part = 0; part < places->parts; part++) process[part] = -1;
    for (int part = 0; part < places->parts; part++)
        if (process[part] < 0) SCALAY_TRY(map_kind(places, all, part, &w, process));
cleanup:
    free_workspace(&w);
    scalay_traffic_destroy(&all);
    return status;
}
