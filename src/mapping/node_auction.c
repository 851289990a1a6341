/* Seats of nodes by auction: steps that become smaller from one auction to the next find prices in few bids. */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/node_seats.h"

/* By so many steps prices begin lower than they were: what was too dear for everybody finds somebody, but for few
 * seats. Bids between looks at the clock. */
enum { STEPS_LOWER = 100, BIDS_PER_LOOK = 256 };

typedef struct {
    scalay_node_seats *seats;
    int64_t step;
    int64_t *reserve; /* shape [nodes]: the price of each while seats are left */
    int *waiting;     /* shape [parts]: parts that have to bid */
    int count;
} auction;

static scalay_status open_auction(scalay_node_seats *seats, int64_t step, auction *sale)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t out = seats->price[seats->nodes + seats->processes];
    sale->seats = seats;
    sale->step = step;
    SCALAY_TRY(SCALAY_NEW(sale->reserve, seats->nodes));
    SCALAY_TRY(SCALAY_NEW(sale->waiting, seats->parts));
    seats->price[seats->nodes + seats->processes] = 0;
    for (int n = 0; n < seats->nodes; n++) {
        seats->taken[n] = 0;
        const int64_t price = scalay_max_int64(seats->price[n] - out, 0);
        sale->reserve[n] = price / STEPS_LOWER > step ? price - STEPS_LOWER * step : 0;
        seats->price[n] = sale->reserve[n];
    }
    for (int k = 0; k < seats->processes; k++) seats->holder[k] = -1;
    for (int j = seats->parts - 1; j >= 0; j--) {
        seats->choice[j] = seats->position[j] = -1;
        if (seats->offers.start[j] < seats->offers.start[j + 1]) sale->waiting[sale->count++] = j;
    }
cleanup:
    return status;
}

/* What a part gains on its best and on its second best place; staying out gains 0. */
typedef struct {
    int64_t gain;
    int64_t second_gain;
    int64_t offer; /* -1: to stay out */
} preference;

static preference find_preference(const scalay_node_seats *seats, int part)
{
    const scalay_edges *offers = &seats->offers;
    preference found = {0, 0, -1};
    for (int64_t e = offers->start[part]; e < offers->start[part + 1]; e++) {
        const int64_t gain = offers->weight[e] - seats->price[scalay_seats_place(seats, offers->col[e])];
        if (gain < found.second_gain) continue;
        if (gain >= found.gain)
            found = (preference){gain, found.gain, e};
        else
            found.second_gain = gain;
    }
    return found;
}

/* Who has to give way for a place: its holder, or, where all seats are taken, who bids least; -1: nobody. */
static int find_displaced(const scalay_node_seats *seats, int place, int node)
{
    const int holder = place >= seats->nodes ? seats->holder[place - seats->nodes] : -1;
    if (holder >= 0) return holder;
    return seats->taken[node] == scalay_seats_room(seats, node) ? seats->seat[seats->members->start[node]] : -1;
}

/* Returns who has to give way. */
static int bid(auction *sale, int part)
{
    scalay_node_seats *seats = sale->seats;
    const preference found = find_preference(seats, part);
    if (found.offer < 0) return -1;
    const int place = seats->offers.col[found.offer], node = scalay_seats_node(seats, place);
    const int displaced = find_displaced(seats, place, node);
    if (displaced >= 0) scalay_seats_leave(seats, displaced);
    scalay_seats_sit(seats, part, found.offer, seats->offers.weight[found.offer] - found.second_gain + sale->step);
    const int is_full = seats->taken[node] == scalay_seats_room(seats, node);
    seats->price[node] = is_full ? seats->bid[seats->seat[seats->members->start[node]]] : sale->reserve[node];
    return displaced;
}

scalay_status scalay_seats_auction(scalay_node_seats *seats, int64_t step, scalay_deadline deadline, int64_t *bids,
                                   int *late)
{
    scalay_status status = SCALAY_SUCCESS;
    auction sale = {0};
    *late = 0;
    SCALAY_TRY(open_auction(seats, step, &sale));
    while (sale.count > 0 && !*late) {
        const int displaced = bid(&sale, sale.waiting[--sale.count]);
        if (displaced >= 0) sale.waiting[sale.count++] = displaced;
        if ((*bids)++ % BIDS_PER_LOOK == 0) *late = scalay_deadline_passed(deadline);
    }
cleanup:
    scalay_release(sale.reserve);
    scalay_release(sale.waiting);
    return status;
}
