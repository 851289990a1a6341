#include "partition/exact_counts_trade.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"

/* A way to give cells: from lines of one band, out of some of the bands across it. */
typedef struct {
    int direction;
    int64_t band;       /* -1: none */
    int64_t most;       /* cells that a line of it can give */
    double cost;        /* for each cell, in owners that its line or others get */
    int64_t distance;   /* from the taker, in lines */
    int is_shared_only; /* 1: only where the taker is across already */
} offer;

/* From the first line that a part is in to the one behind the last. */
static void reach(const scalay_map_builder *quilt, int direction, int part, int64_t *first, int64_t *end)
{
    const scalay_map_builder_list *list = &quilt->list[direction][part];
    const scalay_map_builder_bands *bands = &quilt->bands[direction];
    *first = *end = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t at = bands->first[list->band[k]], behind = at + bands->lines[list->band[k]];
        *first = k == 0 ? at : scalay_min_int64(*first, at);
        *end = k == 0 ? behind : scalay_max_int64(*end, behind);
    }
}

/* The cells of a line that belong to one part, in the bands across that are in a list. */
static int64_t cells_of(const scalay_map_builder *quilt, int direction, int64_t band, int part,
                        const scalay_map_builder_list *list)
{
    int64_t cells = 0;
    for (int64_t k = 0; k < list->count; k++)
        if (scalay_map_builder_owner(quilt, direction, band, list->band[k]) == part)
            cells += quilt->bands[1 - direction].lines[list->band[k]];
    return cells;
}

/* ------------------------------------------------------------------------------------------------- offers */

static int is_better(const offer *a, const offer *b)
{
    if (b->band < 0) return 1;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->most != b->most) return a->most > b->most;
    return a->distance < b->distance;
}

/* What a band's lines can give where the taker is across already: nothing but the line itself may be new to it. */
static void consider(const scalay_map_builder *quilt, const offer *common, int giver, int taker, int64_t cells,
                     offer *best)
{
    const int across = 1 - common->direction;
    const scalay_map_builder_list *taken = &quilt->list[across][taker], *given = &quilt->list[across][giver];
    offer made = *common;
    made.most = cells_of(quilt, made.direction, made.band, giver, taken);
    if (made.most == 0) return;
    const int is_new = cells_of(quilt, made.direction, made.band, taker, taken) == 0;
    const int leaves = cells >= made.most && cells_of(quilt, made.direction, made.band, giver, given) == made.most;
    made.most = scalay_min_int64(made.most, cells);
    made.cost = (double)(is_new - leaves) / (double)made.most;
    if (is_better(&made, best)) *best = made;
}

static offer best_offer(const scalay_map_builder *quilt, int giver, int taker, int64_t cells)
{
    offer best = {.band = -1};
    for (int direction = 0; direction < 2; direction++) {
        const scalay_map_builder_list *list = &quilt->list[direction][giver];
        const scalay_map_builder_bands *bands = &quilt->bands[direction];
        int64_t first, end;
        reach(quilt, direction, taker, &first, &end);
        for (int64_t k = 0; k < list->count; k++) {
            const int64_t band = list->band[k], at = bands->first[band];
            const int64_t gap = scalay_max_int64(first - at - bands->lines[band], at - end);
            const offer common = {
                .direction = direction, .band = band, .distance = scalay_max_int64(0, gap), .is_shared_only = 1};
            consider(quilt, &common, giver, taker, cells, &best);
        }
    }
    return best;
}

/* When the two share no line: the beginning of a square, on the line where the giver has most. */
static offer new_corner(const scalay_map_builder *quilt, int giver, int64_t cells)
{
    offer best = {.band = -1};
    const scalay_map_builder_list *list = &quilt->list[SCALAY_BUILDER_ROWS][giver];
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t most =
            cells_of(quilt, SCALAY_BUILDER_ROWS, list->band[k], giver, &quilt->list[SCALAY_BUILDER_COLUMNS][giver]);
        if (most > best.most) best = (offer){.direction = SCALAY_BUILDER_ROWS, .band = list->band[k], .most = most};
    }
    best.most = scalay_min_int64(best.most, (int64_t)ceil(sqrt((double)cells)));
    return best;
}

/* ------------------------------------------------------------------------------------------------- giving */

/* The bands across in which the giver's cells lie that are on offer, by their place. */
static scalay_status list_across(const scalay_map_builder *quilt, const offer *made, int giver, int taker,
                                 scalay_trade_scratch *scratch, int64_t *count)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_map_builder_bands *bands = &quilt->bands[1 - made->direction];
    const scalay_map_builder_list *list = &quilt->list[1 - made->direction][made->is_shared_only ? taker : giver];
    *count = 0;
    SCALAY_TRY(SCALAY_GROW(scratch->band, scratch->room, list->count));
    for (int64_t k = 0; k < list->count; k++) {
        int64_t at = *count;
        if (scalay_map_builder_owner(quilt, made->direction, made->band, list->band[k]) != giver) continue;
        for (; at > 0 && bands->first[scratch->band[at - 1]] > bands->first[list->band[k]]; at--)
            scratch->band[at] = scratch->band[at - 1];
        scratch->band[at] = list->band[k];
        (*count)++;
    }
cleanup:
    return status;
}

/* 1 when the part lies before the middle of a band. */
static int lies_before(const scalay_map_builder *quilt, int direction, int64_t band, int part)
{
    int64_t first, end;
    reach(quilt, direction, part, &first, &end);
    return first + end < 2 * quilt->bands[direction].first[band] + quilt->bands[direction].lines[band];
}

static scalay_status accept(scalay_map_builder *quilt, const offer *made, int giver, int taker, int64_t *cells,
                            scalay_trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    const int across = 1 - made->direction;
    const int64_t most = made->most;
    const int64_t lines = scalay_min_int64(quilt->bands[made->direction].lines[made->band], *cells / most);
    int64_t count, line, left = most, part;
    SCALAY_TRY(list_across(quilt, made, giver, taker, scratch, &count));
    SCALAY_TRY(scalay_map_builder_split(quilt, made->direction, made->band, lines,
                                        lies_before(quilt, made->direction, made->band, taker), &line));
    for (int64_t k = 0; k < count && left > 0; k++) {
        const int64_t taken = scalay_min_int64(left, quilt->bands[across].lines[scratch->band[k]]);
        SCALAY_TRY(scalay_map_builder_split(quilt, across, scratch->band[k], taken, 1, &part));
        SCALAY_TRY(scalay_map_builder_set_owner(quilt, made->direction, line, part, taker));
        left -= taken;
    }
    *cells -= (most - left) * lines;
cleanup:
    return status;
}

scalay_status scalay_trade(scalay_map_builder *quilt, int giver, int taker, int64_t cells,
                           scalay_trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    while (cells > 0) {
        offer made = best_offer(quilt, giver, taker, cells);
        if (made.band < 0) made = new_corner(quilt, giver, cells);
        SCALAY_TRY(accept(quilt, &made, giver, taker, &cells, scratch));
    }
cleanup:
    return status;
}
