/* Prices at which nobody gains more elsewhere, given who sits where: longest paths between places. A part at place x
 * asks that place y costs at least as much more as it saves more there; a node asks that no process of it is held for
 * less; where a node has seats left, staying out must cost as much as they do, and no place may cost less than that. A
 * path that comes back to where it begins is a circle of parts that together save more when each goes on to the next
 * place. Prices that an auction leaves are close, so that paths are short and circles few. */
#include "base/memory.h"
#include "mapping/node_seats.h"

enum { PLACES_PER_LOOK = 256 }; /* at the deadline */

typedef struct {
    scalay_node_seats *seats;
    int places; /* including staying out, the last */
    int *queue; /* shape [places]: a ring of places whose price has risen */
    int first, count;
    unsigned char *queued; /* shape [places] */
    int *era;              /* shape [places]: the era in which the price was raised last; likewise the next three */
    int *from;             /* the place that asked for it */
    int *mover;            /* the part that did, -1: none */
    int64_t *offer;        /* that the part takes here, -1: it stays out */
    int64_t asked;         /* how many parts have been */
    int now;               /* an era ends when anybody moves */
} refiner;

static scalay_status refiner_create(scalay_node_seats *seats, refiner *r)
{
    scalay_status status = SCALAY_SUCCESS;
    *r = (refiner){.seats = seats, .places = seats->nodes + seats->processes + 1, .now = 1};
    SCALAY_TRY(SCALAY_NEW(r->queue, r->places));
    SCALAY_TRY(SCALAY_NEW(r->queued, r->places));
    SCALAY_TRY(SCALAY_NEW(r->era, r->places));
    SCALAY_TRY(SCALAY_NEW(r->from, r->places));
    SCALAY_TRY(SCALAY_NEW(r->mover, r->places));
    SCALAY_TRY(SCALAY_NEW(r->offer, r->places));
cleanup:
    return status;
}

static void refiner_free(refiner *r)
{
    scalay_release(r->queue);
    scalay_release(r->queued);
    scalay_release(r->era);
    scalay_release(r->from);
    scalay_release(r->mover);
    scalay_release(r->offer);
}

static void enqueue(refiner *r, int place)
{
    if (r->queued[place]) return;
    r->queued[place] = 1;
    r->queue[(r->first + r->count++) % r->places] = place;
}

static int dequeue(refiner *r)
{
    const int place = r->queue[r->first];
    r->first = (r->first + 1) % r->places;
    r->count--;
    r->queued[place] = 0;
    return place;
}

/* ------------------------------------------------------------------------------------------------ circles */

static void sit(refiner *r, int part, int64_t offer, int64_t price)
{
    scalay_seats_sit(r->seats, part, offer, price);
    enqueue(r, r->seats->offers.col[offer]);
}

/* The parts of a circle go on, each to the next place. */
static void rotate(refiner *r, int start)
{
    int place = start;
    do {
        const int part = r->mover[place];
        if (part >= 0 && r->seats->choice[part] >= 0) scalay_seats_leave(r->seats, part);
        place = r->from[place];
    } while (place != start);
    do {
        if (r->mover[place] >= 0 && r->offer[place] >= 0)
            sit(r, r->mover[place], r->offer[place], r->seats->price[place]);
        enqueue(r, place);
        place = r->from[place];
    } while (place != start);
    r->now++;
}

/* Raises the price of a place as another one asks for; returns whether somebody moved, because that closed a circle. */
static int raise_price(refiner *r, int place, int64_t price, int from, int mover, int64_t offer)
{
    r->seats->price[place] = price;
    r->era[place] = r->now;
    r->from[place] = from;
    r->mover[place] = mover;
    r->offer[place] = offer;
    for (; from != place; from = r->from[from])
        if (r->era[from] != r->now) {
            enqueue(r, place);
            return 0;
        }
    rotate(r, place);
    return 1;
}

/* ----------------------------------------------------------------------------------------------- demands */

/* What a part at a place, where it saves so much, asks of others; returns whether somebody moved. */
static int ask_of_part(refiner *r, int part, int place, int64_t saved)
{
    scalay_node_seats *seats = r->seats;
    const scalay_edges *offers = &seats->offers;
    const int64_t gain = saved - seats->price[place];
    const int out = r->places - 1;
    r->asked++;
    if (-gain > seats->price[out] && raise_price(r, out, -gain, place, part, -1)) return 1;
    for (int64_t e = offers->start[part]; e < offers->start[part + 1]; e++) {
        const int other = scalay_seats_place(seats, offers->col[e]);
        const int64_t price = offers->weight[e] - gain;
        if (price <= seats->price[other]) continue;
        if (other != place) {
            if (raise_price(r, other, price, place, part, e)) return 1;
            continue;
        }
        /* A process of its own node that nobody holds. */
        scalay_seats_leave(seats, part);
        sit(r, part, e, seats->price[place]);
        r->now++;
        return 1;
    }
    return 0;
}

static int ask_of_node(refiner *r, int node)
{
    const scalay_node_seats *seats = r->seats;
    const int *seat = seats->seat + seats->members->start[node], out = r->places - 1;
    const int64_t price = seats->price[node];
    for (int k = 0; k < seats->taken[node]; k++) {
        const int64_t choice = seats->choice[seat[k]];
        const int place = seats->offers.col[choice];
        if (place == node && ask_of_part(r, seat[k], node, seats->offers.weight[choice])) return 1;
        if (place != node && seats->price[place] < price && raise_price(r, place, price, node, -1, -1)) return 1;
    }
    return seats->taken[node] < scalay_seats_room(seats, node) && seats->price[out] < price &&
           raise_price(r, out, price, node, -1, -1);
}

static int ask_of_process(refiner *r, int place)
{
    const scalay_node_seats *seats = r->seats;
    const int part = seats->holder[place - seats->nodes];
    return part >= 0 && ask_of_part(r, part, place, seats->offers.weight[seats->choice[part]]);
}

static int ask_of_staying_out(refiner *r)
{
    const scalay_node_seats *seats = r->seats;
    const int out = r->places - 1;
    for (int n = 0; n < seats->nodes; n++)
        if (scalay_seats_room(seats, n) > 0 && seats->price[n] < seats->price[out] &&
            raise_price(r, n, seats->price[out], out, -1, -1))
            return 1;
    for (int j = 0; j < seats->parts; j++)
        if (seats->choice[j] < 0 && ask_of_part(r, j, out, 0)) return 1;
    return 0;
}

static int ask(refiner *r, int place)
{
    if (place < r->seats->nodes) return ask_of_node(r, place);
    return place < r->places - 1 ? ask_of_process(r, place) : ask_of_staying_out(r);
}

scalay_status scalay_seats_refine(scalay_node_seats *seats, int64_t effort, scalay_deadline deadline, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    refiner r = {0};
    int late = 0;
    *done = 0;
    SCALAY_TRY(refiner_create(seats, &r));
    for (int place = 0; place < r.places; place++) enqueue(&r, place);
    for (int64_t looked = 0; r.count > 0 && r.asked < effort && !late; looked++) {
        const int place = dequeue(&r);
        if (ask(&r, place)) enqueue(&r, place);
        if (looked % PLACES_PER_LOOK == 0) late = scalay_deadline_passed(deadline);
    }
    *done = r.count == 0;
cleanup:
    refiner_free(&r);
    return status;
}
