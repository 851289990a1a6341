/*
 * Rates of links by Hockney's model: latency and seconds per byte of a message.
 *
 * Pairs of ranks exchange messages of several sizes, all pairs of a phase at once. On one node there is one phase, in
 * which rank k and rank k + P / 2 send to each other in turn. On several nodes the phases are:
 *   - within nodes: likewise on each node, all nodes at once;
 *   - between nodes, for each pair of types of nodes: nodes are paired, and all their ranks exchange messages. Large
 *     ones are sent in both directions at once and in pieces, by all ranks of a node;
 *   - alone: nodes are paired, and one rank of each exchanges messages.
 *
 * On a busy machine, a rank polls while its partner does not run. If all ranks are on one node, messages to the rank
 * itself are then measured instead. A rate is the mean over the pairs of a phase.
 */
#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "measure/machine.h"
#include "parallel/comm.h"
#include "parallel/machine_types.h"
#include "parallel/node.h"
#include "parallel/pieces.h"

enum { LINK_BYTES = 1 << 20, LINK_SIZES = 5, LINK_WARM_UP = 4, MAX_ROUNDS = 1000 };
/* Messages whose time is that of a link that is shared. */
enum { LARGE = 1 << 17 };
static const int link_sizes[LINK_SIZES] = {8, 1 << 10, 1 << 14, 1 << 18, LINK_BYTES};
/* The smallest size above the eager limits of MPI libraries, whose start-up is not hidden by its bytes. */
enum { LARGE_MESSAGE = 2 };

/* Links of different types are classes: types of nodes, or pairs of types. */
enum { CLASSES = SCALAY_NODE_TYPE_PAIRS };

typedef struct {
    MPI_Comm mpi;
    char *buffer;
    int partner;    /* -1: this rank does not take part; its own rank: it sends to itself */
    int leads;      /* 1: this rank has the clock */
    int is_between; /* 1: the ranks are on different nodes */
    int class;
    int tag;
} link_end;

/* Time of a message to another rank of the node over that of a message to itself. Measured on one node. */
#define OTHER_RANK 2.25

/* ------------------------------------------------------------------------------------------------------- partners */

/* Pairs the ranks of each node: local rank k with k + size / 2. */
static link_end find_partner_within(const scalay_measurement *m, char *buffer)
{
    scalay_comm *comm = m->comm;
    const scalay_node *node = comm->node;
    const int half = node->size / 2, local = node->rank;
    link_end end = {
        .mpi = comm->mpi, .buffer = buffer, .partner = -1, .class = node->type, .tag = scalay_comm_tag(comm)};
    if (comm->size == 1 || m->sends_to_itself) {
        end.leads = comm->size == 1 || local < half;
        end.partner = end.leads ? comm->rank : -1;
    } else if (local < half) {
        end.partner = node->ranks[local + half];
        end.leads = 1;
    } else if (local < 2 * half) {
        end.partner = node->ranks[local - half];
    }
    return end;
}

/* Nodes and types of the ranks, shape [ranks each]. */
typedef struct {
    const int *node; /* NULL: one node */
    const int *type; /* NULL: one type */
} node_map;

static int type_of(const node_map *map, int rank)
{
    return map->type != NULL ? map->type[rank] : 0;
}

/* Returns the first rank of node number k of a type; -1: there is none. *count: nodes of the type. */
static int find_node(const scalay_comm *comm, const node_map *map, int type, int k, int *count)
{
    int found = -1;
    *count = 0;
    for (int rank = 0; rank < comm->size; rank++) {
        if (map->node[rank] != rank || type_of(map, rank) != type) continue;
        if (*count == k) found = rank;
        ++*count;
    }
    return found;
}

/* Returns the number of this rank's node among the nodes of its type. */
static int number_of_node(const scalay_comm *comm, const node_map *map)
{
    int number = 0;
    const int first = map->node[comm->rank];
    for (int rank = 0; rank < first; rank++)
        number += map->node[rank] == rank && type_of(map, rank) == type_of(map, first);
    return number;
}

/* Returns local rank k of the node that begins with rank `first`; -1: there is none. */
static int rank_of_node(const scalay_comm *comm, const node_map *map, int first, int k)
{
    for (int rank = first; rank < comm->size; rank++)
        if (map->node[rank] == first && k-- == 0) return rank;
    return -1;
}

/* Pairs the nodes of type a with those of type b, and local ranks with equal ones. Nodes of one type: number k with
 * k + count / 2. */
static link_end find_partner_between(const scalay_comm *comm, const node_map *map, int a, int b, char *buffer)
{
    link_end end = {.mpi = comm->mpi,
                    .buffer = buffer,
                    .partner = -1,
                    .is_between = 1,
                    .class = b * (b + 1) / 2 + a,
                    .tag = scalay_comm_tag((scalay_comm *)comm)};
    const int mine = type_of(map, comm->rank), number = number_of_node(comm, map);
    int count = 0, first = -1;
    if (mine != a && mine != b) return end;
    (void)find_node(comm, map, mine, 0, &count);
    const int half = count / 2;
    if (a != b) {
        end.leads = mine == a;
        first = find_node(comm, map, mine == a ? b : a, number, &count);
    } else if (number < 2 * half) {
        end.leads = number < half;
        first = find_node(comm, map, a, end.leads ? number + half : number - half, &count);
    }
    if (first >= 0) end.partner = rank_of_node(comm, map, first, comm->node->rank);
    return end;
}

/* -------------------------------------------------------------------------------------------------------- messages */

/* Between nodes, pairs share a link. */
static int shares_link(const link_end *end, int bytes)
{
    return end->is_between && bytes >= LARGE;
}

/* Sends one message and receives one. */
static scalay_status exchange(const link_end *end, int self, int bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    char *back = end->buffer + LINK_BYTES;
    if (end->partner == self) {
        SCALAY_TRY_MPI(MPI_Sendrecv(end->buffer, bytes, MPI_BYTE, self, end->tag, back, bytes, MPI_BYTE, self, end->tag,
                                    end->mpi, MPI_STATUS_IGNORE));
        SCALAY_TRY_MPI(MPI_Sendrecv(back, bytes, MPI_BYTE, self, end->tag, end->buffer, bytes, MPI_BYTE, self, end->tag,
                                    end->mpi, MPI_STATUS_IGNORE));
    } else {
        SCALAY_TRY_MPI(MPI_Send(end->buffer, bytes, MPI_BYTE, end->partner, end->tag, end->mpi));
        SCALAY_TRY_MPI(MPI_Recv(back, bytes, MPI_BYTE, end->partner, end->tag, end->mpi, MPI_STATUS_IGNORE));
    }
cleanup:
    return status;
}

/* The lower quartile of the rounds is not changed by those during which another process had the core. */
static double lower_quartile(double *rounds, int count)
{
    qsort(rounds, (size_t)count, sizeof rounds[0], scalay_compare_doubles);
    return rounds[count / 4];
}

/* Both ends send so many messages to each other, in pieces as plans send them over slow links. With 128 KiB, which are
 * above MPI's eager limit, both directions wait in turn: the answer to a message follows data, and one rank got .065
 * GB/s of a link of .119. */
static scalay_status send_streams(const link_end *end, int bytes, int count)
{
    scalay_status status = SCALAY_SUCCESS;
    const int pieces = (int)scalay_ceil_div(bytes, SCALAY_PIECE_BYTES), piece = (int)scalay_ceil_div(bytes, pieces);
    for (int k = 0; k < count * pieces; k++)
        SCALAY_TRY_MPI(MPI_Sendrecv(end->buffer, piece, MPI_BYTE, end->partner, end->tag, end->buffer + LINK_BYTES,
                                    piece, MPI_BYTE, end->partner, end->tag, end->mpi, MPI_STATUS_IGNORE));
cleanup:
    return status;
}

/* Seconds of a message of a stream in each direction, of all pairs at once: most of what moves between nodes uses both
 * directions. The first messages use up what a link sends faster after a pause, and TCP reaches its rate. */
static scalay_status time_streams(const link_end *end, int bytes, double *seconds)
{
    enum { FIRST_BYTES = 1 << 20, STREAM_BYTES = 1 << 22 };
    scalay_status status = SCALAY_SUCCESS;
    const int count = STREAM_BYTES / bytes;
    SCALAY_TRY(send_streams(end, bytes, FIRST_BYTES / bytes));
    const double start = MPI_Wtime();
    SCALAY_TRY(send_streams(end, bytes, count));
    *seconds = end->leads ? (MPI_Wtime() - start) / count : 0.0;
cleanup:
    return status;
}

/* The leader decides when a size is done: the first byte of a message tells the partner whether it is the last one. */
static scalay_status lead(const scalay_measurement *m, const link_end *end, int bytes, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    double rounds[MAX_ROUNDS];
    int count = 0;
    const double start = MPI_Wtime();
    double before = start, now = start;
    for (int round = -LINK_WARM_UP, last = 0; !last; round++) {
        last = round >= 0 && (now - start > m->rate_seconds || round == MAX_ROUNDS - 1);
        end->buffer[0] = (char)last;
        SCALAY_TRY(exchange(end, m->comm->rank, bytes));
        now = MPI_Wtime();
        if (round >= 0) rounds[count++] = now - before;
        before = now;
    }
    *seconds = lower_quartile(rounds, count) / 2.0;
cleanup:
    return status;
}

static scalay_status follow(const link_end *end, int bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int last = 0; !last;) {
        SCALAY_TRY_MPI(MPI_Recv(end->buffer, bytes, MPI_BYTE, end->partner, end->tag, end->mpi, MPI_STATUS_IGNORE));
        last = end->buffer[0];
        SCALAY_TRY_MPI(MPI_Send(end->buffer, bytes, MPI_BYTE, end->partner, end->tag, end->mpi));
    }
cleanup:
    return status;
}

/* Returns the slope of the least-squares line through (size, seconds). */
static double slope(const double *seconds)
{
    double mean_size = 0.0, mean_seconds = 0.0, above = 0.0, below = 0.0;
    for (int k = 0; k < LINK_SIZES; k++) {
        mean_size += link_sizes[k] / (double)LINK_SIZES;
        mean_seconds += seconds[k] / LINK_SIZES;
    }
    for (int k = 0; k < LINK_SIZES; k++) {
        above += (link_sizes[k] - mean_size) * (seconds[k] - mean_seconds);
        below += (link_sizes[k] - mean_size) * (link_sizes[k] - mean_size);
    }
    return above / below;
}

/* Latency, seconds per byte, and start-up of a message above the eager limit. */
typedef struct {
    double latency, per_byte, large;
} link_rates;

/* Returns the rates of `pairs` pairs whose seconds were added up by size. The smallest message is the latency: the
 * noise of the large ones exceeds the line's value at 0. */
static link_rates rates_of(const double *sums, double pairs)
{
    double seconds[LINK_SIZES];
    for (int k = 0; k < LINK_SIZES; k++) seconds[k] = sums[k] / pairs;
    link_rates found = {seconds[0], slope(seconds), 0.0};
    const double bound = seconds[LINK_SIZES - 1] / link_sizes[LINK_SIZES - 1];
    if (found.per_byte <= 0.0 || found.per_byte > bound) found.per_byte = bound;
    found.large = fmax(found.latency, seconds[LARGE_MESSAGE] - link_sizes[LARGE_MESSAGE] * found.per_byte);
    return found;
}

/* ---------------------------------------------------------------------------------------------------------- phases */

/* One pass over the sizes: the seconds of all pairs, added up by class and size, and their number. Collective. */
static scalay_status measure_once(const scalay_measurement *m, const link_end *end,
                                  double sums[CLASSES][LINK_SIZES + 1])
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = m->comm;
    double mine[CLASSES][LINK_SIZES + 1] = {{0.0}};
    for (int k = 0; k < LINK_SIZES; k++) {
        SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
        if (end->partner >= 0 && shares_link(end, link_sizes[k]))
            SCALAY_TRY(time_streams(end, link_sizes[k], &mine[end->class][k]));
        else if (end->partner >= 0 && end->leads)
            SCALAY_TRY(lead(m, end, link_sizes[k], &mine[end->class][k]));
        else if (end->partner >= 0)
            SCALAY_TRY(follow(end, link_sizes[k]));
    }
    mine[end->class][LINK_SIZES] = end->partner >= 0 && end->leads;
    SCALAY_TRY_MPI(MPI_Allreduce(mine, sums, CLASSES * (LINK_SIZES + 1), MPI_DOUBLE, MPI_SUM, comm->mpi));
cleanup:
    return status;
}

/* Rates of a phase. */
typedef struct {
    link_rates rates, spread;
    link_rates of_class[CLASSES]; /* of the fastest pass; 0: no pair */
    double pairs;
} phase_rates;

static double faster(double now, double seconds)
{
    return now == 0.0 || seconds < now ? seconds : now;
}

/* Adds a pass to the rates of the classes. Returns the rates of all pairs. */
static link_rates add_pass(double sums[CLASSES][LINK_SIZES + 1], phase_rates *phase)
{
    double all[LINK_SIZES] = {0.0};
    phase->pairs = 0.0;
    for (int class = 0; class < CLASSES; class ++) {
        const double pairs = sums[class][LINK_SIZES];
        if (pairs == 0.0) continue;
        const link_rates found = rates_of(sums[class], pairs);
        link_rates *best = &phase->of_class[class];
        *best = (link_rates){faster(best->latency, found.latency), faster(best->per_byte, found.per_byte),
                             faster(best->large, found.large)};
        for (int k = 0; k < LINK_SIZES; k++) all[k] += sums[class][k];
        phase->pairs += pairs;
    }
    return phase->pairs > 0.0 ? rates_of(all, phase->pairs) : (link_rates){0.0, 0.0, 0.0};
}

/* Measures the seconds of a message in a sum over the ranks of a communicator, which has 2 log2(P) messages one after
 * the other. With shared cores, a rank waits for ranks that do not run. The lower quartile of the rounds is used; rank
 * 0 decides when they are enough. Collective over the communicator. */
static scalay_status measure_sums(const scalay_measurement *m, MPI_Comm mpi, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    double rounds[MAX_ROUNDS], end = 0.0, sum = 0.0;
    int count = 0, rank = 0;
    MPI_Comm_rank(mpi, &rank);
    SCALAY_TRY_MPI(MPI_Barrier(mpi));
    const double start = MPI_Wtime();
    for (double before = start, now = start; sum == 0.0; before = now) {
        end = rank == 0 && (now - start > m->rate_seconds || count == MAX_ROUNDS - 1) ? 1.0 : 0.0;
        SCALAY_TRY_MPI(MPI_Allreduce(&end, &sum, 1, MPI_DOUBLE, MPI_SUM, mpi));
        now = MPI_Wtime();
        rounds[count++] = now - before;
    }
    qsort(rounds, (size_t)count, sizeof rounds[0], scalay_compare_doubles);
    *seconds = rounds[count / 4];
    /* Ranks that share cores have long rounds that the quartile does not show. */
    if (m->oversubscription > 1.0) *seconds = (MPI_Wtime() - start) / count;
cleanup:
    return status;
}

/* Raises the latency within nodes to that of a level of a sum over the ranks of a node. Collective. */
static scalay_status measure_levels(const scalay_measurement *m, double *latency)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_node *node = m->comm->node;
    double seconds = 0.0, level = 0.0;
    if (m->sends_to_itself) return SCALAY_SUCCESS;
    if (node->size > 1) SCALAY_TRY(measure_sums(m, node->mpi, &seconds));
    if (node->size > 1) seconds /= 2.0 * log2(node->size);
    SCALAY_TRY_MPI(MPI_Allreduce(&seconds, &level, 1, MPI_DOUBLE, MPI_MAX, m->comm->mpi));
    *latency = fmax(*latency, level);
cleanup:
    return status;
}

/* Likewise between nodes: of a sum over all ranks, log2(nodes) levels are between nodes. Collective. */
static scalay_status measure_levels_between(const scalay_measurement *m, int nodes, double within, double *latency)
{
    scalay_status status = SCALAY_SUCCESS;
    double seconds = 0.0;
    SCALAY_TRY(measure_sums(m, m->comm->mpi, &seconds));
    SCALAY_TRY_MPI(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, m->comm->mpi));
    const double levels = log2(nodes), inside = log2(m->comm->size) - levels;
    *latency = fmax(*latency, (0.5 * seconds - inside * within) / levels);
cleanup:
    return status;
}

/* Passes over the sizes until all three rates are precise, or until so many seconds are over. is_within: levels of sums
 * are measured, too. Collective. */
static scalay_status measure_phase(const scalay_measurement *m, const link_end *end, double seconds, int is_within,
                                   phase_rates *phase)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_windows latency = {0}, per_byte = {0}, large = {0};
    double mine = 0.0, passed = 0.0, sums[CLASSES][LINK_SIZES + 1];
    const double start = MPI_Wtime();
    *phase = (phase_rates){.pairs = 0.0};
    do {
        SCALAY_TRY(measure_once(m, end, sums));
        link_rates pass = add_pass(sums, phase);
        if (phase->pairs == 0.0) goto cleanup;
        if (is_within) SCALAY_TRY(measure_levels(m, &pass.latency));
        latency.value[latency.count++] = pass.latency;
        per_byte.value[per_byte.count++] = pass.per_byte;
        large.value[large.count++] = pass.large;
        mine = MPI_Wtime() - start;
        SCALAY_TRY_MPI(MPI_Allreduce(&mine, &passed, 1, MPI_DOUBLE, MPI_MAX, m->comm->mpi));
    } while (passed < seconds && !(scalay_windows_are_precise(&latency) && scalay_windows_are_precise(&per_byte) &&
                                   scalay_windows_are_precise(&large)));
    phase->rates =
        (link_rates){scalay_windows_value(&latency), scalay_windows_value(&per_byte), scalay_windows_value(&large)};
    phase->spread =
        (link_rates){scalay_windows_spread(&latency), scalay_windows_spread(&per_byte), scalay_windows_spread(&large)};
cleanup:
    return status;
}

static void set_within(const phase_rates *phase, double factor, int types, scalay_machine_sample *sample)
{
    scalay_machine *found = &sample->machine;
    found->seconds_per_message_within = factor * phase->rates.latency;
    found->seconds_per_byte_within = factor * phase->rates.per_byte;
    sample->spread[SCALAY_RATE_MESSAGE_WITHIN] = phase->spread.latency;
    sample->spread[SCALAY_RATE_BYTE_WITHIN] = phase->spread.per_byte;
    for (int t = 0; t < types; t++) {
        found->type_seconds_per_message[t] = types > 1 ? phase->of_class[t].latency : found->seconds_per_message_within;
        found->type_seconds_per_byte[t] = types > 1 ? phase->of_class[t].per_byte : found->seconds_per_byte_within;
    }
}

/* Adds the pairs of two types to the means between nodes. */
static void add_between(const phase_rates *phase, int class, double *pairs, scalay_machine_sample *sample)
{
    scalay_machine *found = &sample->machine;
    const double part = phase->pairs / (*pairs + phase->pairs);
    double *spread = sample->spread;
    if (phase->pairs == 0.0) return;
    *pairs += phase->pairs;
    found->pair_seconds_per_message[class] = phase->rates.latency;
    found->pair_seconds_per_byte[class] = phase->rates.per_byte;
    found->seconds_per_message += part * (phase->rates.latency - found->seconds_per_message);
    found->seconds_per_byte += part * (phase->rates.per_byte - found->seconds_per_byte);
    found->seconds_per_large_message += part * (phase->rates.large - found->seconds_per_large_message);
    spread[SCALAY_RATE_MESSAGE] = fmax(spread[SCALAY_RATE_MESSAGE], phase->spread.latency);
    spread[SCALAY_RATE_BYTE] = fmax(spread[SCALAY_RATE_BYTE], phase->spread.per_byte);
    spread[SCALAY_RATE_LARGE_MESSAGE] = fmax(spread[SCALAY_RATE_LARGE_MESSAGE], phase->spread.large);
}

static int count_nodes(const scalay_comm *comm, const node_map *map)
{
    int nodes = 0;
    for (int rank = 0; rank < comm->size; rank++) nodes += map->node[rank] == rank;
    return nodes;
}

/* Measures the links between nodes. `within`: latency within them. Collective. */
static scalay_status measure_between(const scalay_measurement *m, const node_map *map, double seconds, double within,
                                     scalay_machine_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = m->comm;
    const int types = comm->node->types;
    double pairs = 0.0;
    phase_rates phase;
    for (int b = 0; b < types; b++)
        for (int a = 0; a <= b; a++) {
            const link_end end = find_partner_between(comm, map, a, b, (char *)m->to);
            SCALAY_TRY(measure_phase(m, &end, seconds / (types * (types + 1) / 2), 0, &phase));
            add_between(&phase, end.class, &pairs, sample);
        }
    /* Types of one node each have no partner of the same type. */
    const int a = 0, b = pairs > 0.0 && sample->machine.pair_seconds_per_byte[0] == 0.0 ? 1 : 0;
    link_end alone = find_partner_between(comm, map, a, b, (char *)m->to);
    if (comm->node->rank > 0) alone.partner = -1;
    SCALAY_TRY(measure_phase(m, &alone, seconds, 0, &phase));
    sample->machine.seconds_per_byte_alone = fmin(phase.rates.per_byte, sample->machine.seconds_per_byte);
    sample->spread[SCALAY_RATE_BYTE_ALONE] = phase.spread.per_byte;
    SCALAY_TRY(measure_levels_between(m, count_nodes(comm, map), within, &sample->machine.seconds_per_message));
cleanup:
    return status;
}

scalay_status scalay_measure_links(scalay_measurement *m, scalay_machine_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_machine *found = &sample->machine;
    scalay_measurement part = *m;
    node_map map = {NULL, NULL};
    phase_rates phase;
    SCALAY_TRY(scalay_node_of_ranks(m->comm, &map.node));
    SCALAY_TRY(scalay_node_types_of_ranks(m->comm, &map.type));
    const double phases = map.node != NULL ? 3.0 : 1.0, seconds = SCALAY_LINK_SHARES * m->rate_seconds / phases;
    const link_end end = find_partner_within(m, (char *)m->to);
    /* Each size of a pass takes a fraction of the limit. */
    part.rate_seconds = m->rate_seconds / 4.0;
    SCALAY_TRY(measure_phase(&part, &end, seconds, 1, &phase));
    set_within(&phase, m->sends_to_itself ? OTHER_RANK : 1.0, m->comm->node->types, sample);
    if (map.node != NULL) {
        SCALAY_TRY(measure_between(&part, &map, seconds, found->seconds_per_message_within, sample));
        SCALAY_TRY(scalay_measure_messages(m, map.node, seconds, &found->long_message_ratio));
        goto cleanup;
    }
    found->seconds_per_message = found->seconds_per_message_within;
    found->seconds_per_large_message = (m->sends_to_itself ? OTHER_RANK : 1.0) * phase.rates.large;
    sample->spread[SCALAY_RATE_LARGE_MESSAGE] = phase.spread.large;
    found->seconds_per_byte = found->seconds_per_byte_within;
    sample->spread[SCALAY_RATE_MESSAGE] = sample->spread[SCALAY_RATE_MESSAGE_WITHIN];
    sample->spread[SCALAY_RATE_BYTE] = sample->spread[SCALAY_RATE_BYTE_WITHIN];
cleanup:
    found->seconds_per_large_message = fmax(found->seconds_per_large_message, found->seconds_per_message);
    return status;
}
