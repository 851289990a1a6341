/*
 * Links between processors: checks, and the load of each link for every way of sending that the links allow.
 *
 * Trees are minimum spanning trees (Prim) of the costs, or of their metric closure (Floyd, Warshall) if relays are
 * allowed. Memory: O(processors^2).
 */
#include "partition/links.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option_struct.h"

static scalay_links default_links(void)
{
    return (scalay_links){
        .size = sizeof(scalay_links), .mode = SCALAY_LINKS_SERIAL, .broadcast = SCALAY_BROADCAST_DIRECT};
}

void scalay_links_init(scalay_links *links, size_t size)
{
    const scalay_links defaults = default_links();
    scalay_option_struct_fill(&defaults, sizeof defaults, links, size);
}

static scalay_status check_value(const char *function, const char *name, int from, int to, double value)
{
    if (isfinite(value) && value >= 0.0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "links->%s[%d][%d] is %g; it must be finite and at least 0",
                       name, from, to, value);
}

static scalay_status check_symmetry(const char *function, const char *name, int n, const double *matrix)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (matrix[i * n + j] != matrix[j * n + i])
                return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                   "links->%s[%d][%d] is %.17g and [%d][%d] is %.17g; they must be equal for symmetric "
                                   "links and for trees",
                                   name, (int)j, (int)i, matrix[j * n + i], (int)i, (int)j, matrix[i * n + j]);
    return SCALAY_SUCCESS;
}

static scalay_status check_matrix(const char *function, const char *name, int n, const double *matrix, int symmetric)
{
    scalay_status status = SCALAY_SUCCESS;
    if (matrix == NULL) return SCALAY_SUCCESS;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j) SCALAY_TRY(check_value(function, name, i, j, matrix[(int64_t)i * n + j]));
    if (symmetric) SCALAY_TRY(check_symmetry(function, name, n, matrix));
cleanup:
    return status;
}

static scalay_status check_extent(const char *function, const scalay_links *links, int parts)
{
    int any =
        links->seconds_per_element != NULL || links->seconds_per_message != NULL || links->joules_per_element != NULL;
    if (links->processors < 0 || (links->processors == 0 && any))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "links->processors is %d; it must be the extent of the arrays, or 0 without arrays",
                           links->processors);
    if (links->processors > 0 && links->processors < parts)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "links->processors is %d; it must be at least the number of parts, %d", links->processors,
                           parts);
    return SCALAY_SUCCESS;
}

static scalay_status check_choices(const char *function, const scalay_links *links)
{
    int mode = (int)links->mode;
    int broadcast = (int)links->broadcast;
    const scalay_status status =
        scalay_check_range(mode, SCALAY_LINKS_SERIAL, SCALAY_LINKS_ONE_PORT, function, "links->mode");
    if (status != SCALAY_SUCCESS) return status;
    return scalay_check_range(broadcast, SCALAY_BROADCAST_DIRECT, SCALAY_BROADCAST_RELAY, function, "links->broadcast");
}

scalay_status scalay_links_read(const char *function, const scalay_links *given, int parts, scalay_links *links)
{
    scalay_status status = SCALAY_SUCCESS;
    *links = default_links();
    SCALAY_TRY(scalay_option_struct_read(given, links, sizeof *links, function));
    SCALAY_TRY(check_choices(function, links));
    SCALAY_TRY(check_extent(function, links, parts));
    const int n = links->processors;
    const int trees = links->broadcast != SCALAY_BROADCAST_DIRECT;
    SCALAY_TRY(check_matrix(function, "seconds_per_element", n, links->seconds_per_element, links->symmetric || trees));
    SCALAY_TRY(check_matrix(function, "seconds_per_message", n, links->seconds_per_message, links->symmetric));
    SCALAY_TRY(check_matrix(function, "joules_per_element", n, links->joules_per_element, links->symmetric || trees));
cleanup:
    return status;
}

/* A way of sending, and the elements sent that way. */
typedef struct {
    int by_tree;        /* 0: direct */
    const double *cost; /* shape [processors][processors]: cost of an element, minimised by the trees */
    double *closed;     /* shape [processors][processors]: cost of the cheapest paths; NULL: no relays */
    int *hop;           /* shape [processors][processors]: first processor on the cheapest path; NULL: no relays */
    double *sent;       /* shape [processors][processors]: elements */
} sending;

enum { DIRECT, TIME_TREE, TIME_RELAY, ENERGY_TREE, ENERGY_RELAY, WAYS };

struct scalay_link_load {
    const scalay_links *links;
    int64_t processors;
    sending way[WAYS]; /* unused ones have sent == NULL */
    double *nearest;   /* shape [processors]: distance of a target from the tree */
    int64_t *parent;   /* shape [processors]: its neighbour in the tree, as an index of target[] */
    int64_t *order;    /* shape [processors]: targets in the order in which they join the tree */
    double *below;     /* shape [processors]: elements held in the subtree of a target */
};

/* Replaces costs by those of the cheapest paths (Floyd, Warshall). Of equal paths, the first one found stays. */
static void close_paths(int64_t n, double *cost, int *hop)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                if (i == j || i == k || j == k || !(cost[i * n + k] + cost[k * n + j] < cost[i * n + j])) continue;
                cost[i * n + j] = cost[i * n + k] + cost[k * n + j];
                hop[i * n + j] = hop[i * n + k];
            }
}

static scalay_status prepare_sending(int64_t n, const double *cost, int by_tree, int by_relay, sending *way)
{
    scalay_status status = SCALAY_SUCCESS;
    *way = (sending){.by_tree = by_tree, .cost = cost};
    SCALAY_TRY(SCALAY_NEW(way->sent, n * n));
    if (!by_relay) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(way->closed, n * n));
    SCALAY_TRY(SCALAY_NEW(way->hop, n * n));
    memcpy(way->closed, cost, (size_t)(n * n) * sizeof *cost);
    for (int64_t k = 0; k < n * n; k++) way->hop[k] = (int)(k % n);
    close_paths(n, way->closed, way->hop);
    way->cost = way->closed;
cleanup:
    return status;
}

static scalay_status prepare(scalay_link_load *load)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_links *links = load->links;
    const int64_t n = load->processors;
    const int tree = links->broadcast != SCALAY_BROADCAST_DIRECT;
    const int relay = links->broadcast == SCALAY_BROADCAST_RELAY;
    const double *seconds = links->seconds_per_element;
    const double *joules = links->joules_per_element;
    SCALAY_TRY(prepare_sending(n, NULL, 0, 0, &load->way[DIRECT]));
    if (tree && seconds != NULL) SCALAY_TRY(prepare_sending(n, seconds, 1, 0, &load->way[TIME_TREE]));
    if (relay && seconds != NULL) SCALAY_TRY(prepare_sending(n, seconds, 1, 1, &load->way[TIME_RELAY]));
    if (tree && joules != NULL) SCALAY_TRY(prepare_sending(n, joules, 1, 0, &load->way[ENERGY_TREE]));
    if (relay && joules != NULL) SCALAY_TRY(prepare_sending(n, joules, 1, 1, &load->way[ENERGY_RELAY]));
    SCALAY_TRY(SCALAY_NEW(load->nearest, n));
    SCALAY_TRY(SCALAY_NEW(load->parent, n));
    SCALAY_TRY(SCALAY_NEW(load->order, n));
    SCALAY_TRY(SCALAY_NEW(load->below, n));
cleanup:
    return status;
}

scalay_status scalay_link_load_create(const scalay_links *links, scalay_link_load **load)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_link_load *new_load = NULL;
    *load = NULL;
    SCALAY_TRY(SCALAY_NEW(new_load, 1));
    new_load->links = links;
    new_load->processors = links->processors;
    SCALAY_TRY(prepare(new_load));
    *load = new_load;
    new_load = NULL;
cleanup:
    scalay_link_load_destroy(&new_load);
    return status;
}

void scalay_link_load_destroy(scalay_link_load **load)
{
    if (load == NULL || *load == NULL) return;
    for (int k = 0; k < WAYS; k++) {
        scalay_release((*load)->way[k].closed);
        scalay_release((*load)->way[k].hop);
        scalay_release((*load)->way[k].sent);
    }
    scalay_release((*load)->nearest);
    scalay_release((*load)->parent);
    scalay_release((*load)->order);
    scalay_release((*load)->below);
    scalay_release(*load);
    *load = NULL;
}

void scalay_link_load_clear(scalay_link_load *load)
{
    size_t bytes = (size_t)(load->processors * load->processors) * sizeof(double);
    for (int k = 0; k < WAYS; k++)
        if (load->way[k].sent != NULL) memset(load->way[k].sent, 0, bytes);
}

/* ----------------------------------------------------------------------------------------------------------- adding */

static void send_directly(scalay_link_load *load, const scalay_link_lines *lines)
{
    for (int64_t a = 0; a < lines->sources; a++) {
        double *sent = load->way[DIRECT].sent + lines->source[a] * load->processors;
        double elements = lines->lines * lines->held[a];
        for (int64_t b = 0; b < lines->targets; b++)
            if (lines->target[b] != lines->source[a]) sent[lines->target[b]] += elements;
    }
}

static void send_along(const scalay_link_load *load, sending *way, int from, int to, double elements)
{
    const int64_t n = load->processors;
    if (elements == 0.0) return;
    for (int at = from; at != to;) {
        int next = way->hop != NULL ? way->hop[at * n + to] : to;
        way->sent[at * n + next] += elements;
        at = next;
    }
}

/* Grows a minimum spanning tree from the first target (Prim). In order[], parents precede their children. */
static void grow_tree(scalay_link_load *load, const double *cost, const scalay_link_lines *lines)
{
    const int64_t n = load->processors;
    for (int64_t b = 0; b < lines->targets; b++) {
        load->order[b] = b;
        load->parent[b] = 0;
        load->nearest[b] = cost[lines->target[0] * n + lines->target[b]];
    }
    for (int64_t taken = 1; taken < lines->targets; taken++) {
        int64_t at = taken;
        for (int64_t k = taken + 1; k < lines->targets; k++)
            if (load->nearest[load->order[k]] < load->nearest[load->order[at]]) at = k;
        int64_t b = load->order[at];
        load->order[at] = load->order[taken];
        load->order[taken] = b;
        for (int64_t k = taken + 1; k < lines->targets; k++) {
            int64_t other = load->order[k];
            double distance = cost[lines->target[b] * n + lines->target[other]];
            if (!(distance < load->nearest[other])) continue;
            load->nearest[other] = distance;
            load->parent[other] = b;
        }
    }
}

/* Over each edge of the tree, the elements held on either side are sent to the other side. */
static void send_by_tree(scalay_link_load *load, sending *way, const scalay_link_lines *lines)
{
    double total = 0.0;
    grow_tree(load, way->cost, lines);
    for (int64_t a = 0, b = 0; b < lines->targets; b++) {
        int holds = a < lines->sources && lines->source[a] == lines->target[b];
        load->below[b] = holds ? lines->lines * lines->held[a] : 0.0;
        total += load->below[b];
        a += holds;
    }
    for (int64_t k = lines->targets - 1; k > 0; k--) {
        int64_t b = load->order[k];
        int64_t up = load->parent[b];
        double below = load->below[b];
        send_along(load, way, lines->target[b], lines->target[up], below);
        send_along(load, way, lines->target[up], lines->target[b], total - below);
        load->below[up] += below;
    }
}

void scalay_link_load_add(scalay_link_load *load, const scalay_link_lines *lines)
{
    if (lines->targets == 0) return;
    send_directly(load, lines);
    for (int k = 0; k < WAYS; k++)
        if (load->way[k].by_tree) send_by_tree(load, &load->way[k], lines);
}

/* ----------------------------------------------------------------------------------------------------------- totals */

static double link_time(const scalay_links *links, const double *sent, int64_t from, int64_t to)
{
    const int64_t at = from * links->processors + to;
    if (from == to || sent[at] == 0.0) return 0.0;
    double latency = links->seconds_per_message != NULL ? links->seconds_per_message[at] : 0.0;
    return latency + links->seconds_per_element[at] * sent[at];
}

/* Returns the time of one processor: of all its links, of its busier port, or of its slowest link. */
static double processor_time(const scalay_links *links, const double *sent, int64_t x)
{
    double out = 0.0;
    double in = 0.0;
    double slowest = 0.0;
    for (int64_t y = 0; y < links->processors; y++) {
        double there = link_time(links, sent, x, y);
        out += there;
        in += link_time(links, sent, y, x);
        slowest = fmax(slowest, there);
    }
    if (links->mode == SCALAY_LINKS_PARALLEL) return slowest;
    return links->mode == SCALAY_LINKS_ONE_PORT ? fmax(out, in) : out;
}

static double time_of(const scalay_links *links, const double *sent)
{
    double time = 0.0;
    for (int64_t x = 0; x < links->processors; x++) {
        double own = processor_time(links, sent, x);
        time = links->mode == SCALAY_LINKS_SERIAL ? time + own : fmax(time, own);
    }
    return time;
}

static double energy_of(const scalay_links *links, const double *sent)
{
    const int64_t n = links->processors;
    double energy = 0.0;
    for (int64_t k = 0; k < n * n; k++)
        if (k / n != k % n) energy += links->joules_per_element[k] * sent[k];
    return energy;
}

/* fmin() ignores NaN. */
double scalay_link_load_time(const scalay_link_load *load)
{
    double time = NAN;
    if (load->links->seconds_per_element == NULL) return NAN;
    for (int k = DIRECT; k <= TIME_RELAY; k++)
        if (load->way[k].sent != NULL) time = fmin(time, time_of(load->links, load->way[k].sent));
    return time;
}

double scalay_link_load_energy(const scalay_link_load *load)
{
    double energy = NAN;
    if (load->links->joules_per_element == NULL) return NAN;
    energy = energy_of(load->links, load->way[DIRECT].sent);
    for (int k = ENERGY_TREE; k <= ENERGY_RELAY; k++)
        if (load->way[k].sent != NULL) energy = fmin(energy, energy_of(load->links, load->way[k].sent));
    return energy;
}
