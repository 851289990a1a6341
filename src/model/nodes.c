/* Nodes of processes. The rows and the columns of a grid are visited once. Time: O(P log P) for P positions. */
#include "model/nodes.h"

#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "model/move.h"

/* ------------------------------------------------------------------------------------------------ rates of links */

/* Returns the first rate that is known. */
static double known(double first, double second, double third)
{
    return first > 0.0 ? first : second > 0.0 ? second : third;
}

static scalay_link link_within(const scalay_machine *m, int type)
{
    return (scalay_link){
        .message = known(m->type_seconds_per_message[type], m->seconds_per_message_within, m->seconds_per_message),
        .byte = known(m->type_seconds_per_byte[type], m->seconds_per_byte_within, m->seconds_per_byte)};
}

double scalay_machine_ranks_of_node(const scalay_machine *machine)
{
    return machine->nodes > 0 ? (double)machine->processes / (double)machine->nodes : 1.0;
}

/* Returns the seconds per byte between nodes if so many processes of a node send at once. */
static double shared_byte(const scalay_machine *m, double shared, double streams)
{
    const double ranks = scalay_machine_ranks_of_node(m);
    if (m->seconds_per_byte_alone == 0.0 || m->seconds_per_byte == 0.0 || ranks <= 1.0) return shared;
    const double alone = shared * fmin(1.0, m->seconds_per_byte_alone / m->seconds_per_byte);
    return alone + (shared - alone) * fmin(1.0, fmax(0.0, streams - 1.0) / (ranks - 1.0));
}

static scalay_link link_between(const scalay_machine *m, int a, int b, double streams)
{
    const int low = a < b ? a : b, high = a < b ? b : a, pair = high * (high + 1) / 2 + low;
    return (scalay_link){.message = known(m->pair_seconds_per_message[pair], m->seconds_per_message, 0.0),
                         .byte =
                             shared_byte(m, known(m->pair_seconds_per_byte[pair], m->seconds_per_byte, 0.0), streams)};
}

static scalay_link slower(scalay_link a, scalay_link b)
{
    return (scalay_link){.message = fmax(a.message, b.message), .byte = fmax(a.byte, b.byte)};
}

static int type_of(const scalay_nodes *nodes, int process)
{
    return nodes->type != NULL ? nodes->type[process] : 0;
}

/* ------------------------------------------------------------------------------------------------ lines of a grid */

/* A process of a line. */
typedef struct {
    int node, type;
} position;

/* A row or a column of a grid. */
typedef struct {
    position *at; /* shape [count] */
    int count;
    int distinct; /* nodes; at[] is sorted by them */
    int hops;     /* between nodes, around the ring of the processes */
} line;

static int compare_positions(const void *left, const void *right)
{
    const position *a = left, *b = right;
    return (a->node > b->node) - (a->node < b->node);
}

static void sort_line(line *l)
{
    l->distinct = l->count > 0;
    l->hops = 0;
    for (int k = 0; k < l->count; k++) l->hops += l->at[k].node != l->at[(k + 1) % l->count].node;
    qsort(l->at, (size_t)l->count, sizeof *l->at, compare_positions);
    for (int k = 1; k < l->count; k++) l->distinct += l->at[k].node != l->at[k - 1].node;
}

/* Sets the rates of the slowest types on a line, from which so many lines leave a node at once. */
static void find_rates(const scalay_machine *m, const line *l, double streams, scalay_link *within,
                       scalay_link *between)
{
    int has_type[SCALAY_NODE_TYPES] = {0};
    *within = *between = (scalay_link){.message = 0.0};
    for (int k = 0; k < l->count; k++)
        if (l->at[k].type >= 0 && l->at[k].type < SCALAY_NODE_TYPES) has_type[l->at[k].type]++;
    for (int b = 0; b < SCALAY_NODE_TYPES; b++) {
        if (has_type[b] == 0) continue;
        *within = slower(*within, link_within(m, b));
        for (int a = 0; a <= b; a++)
            if (has_type[a] > (a == b)) *between = slower(*between, link_between(m, a, b, streams));
    }
}

/*
 * Returns the rates of a broadcast along a line of q processes on d nodes. If all processes broadcast in turn, a
 * process gets (q - 1) / q of the bytes, of which the link of its node carries (d - 1) / d in one direction.
 *
 * Around a ring, the next process goes on when it has a byte, so the mean over the hops counts. In both directions of a
 * split ring, a byte is on the link of a node before all have it. If both neighbours of the source are on other nodes,
 * the link of the source carries two copies, the second one while the first one is passed on: half of it counts,
 * measured in p?getrf and p?potrf on four nodes.
 */
static scalay_link rate_of_line(const scalay_machine *m, const line *l, double streams)
{
    scalay_link within, between;
    find_rates(m, l, streams, &within, &between);
    within.byte_in_turn = within.byte_ring = within.byte_split_ring = within.byte;
    within.nodes = 1;
    if (l->distinct < 2) return within;
    const double part = log2(l->distinct) / log2(l->count), of_others = 1.0 - 1.0 / l->distinct;
    const double hops = (double)l->hops / l->count, copies = l->count > 2 ? 1.0 + fmax(0.0, hops - 0.5) : 1.0;
    return (scalay_link){.message = part * between.message + (1.0 - part) * within.message,
                         .byte = part * between.byte + (1.0 - part) * within.byte,
                         .byte_in_turn = of_others * between.byte + (1.0 - 1.0 / l->count - of_others) * within.byte,
                         .byte_ring = hops * between.byte + (1.0 - hops) * within.byte,
                         .byte_split_ring = copies * between.byte,
                         .nodes = l->distinct};
}

/* A grid on nodes. */
typedef struct {
    const scalay_nodes *nodes;
    const scalay_layout *parts;
    const scalay_load_grid *grid;
    line line; /* of the largest length */
    int *left; /* shape [processes]: lines that leave the node that begins with the process */
} placed_grid;

static int process_at(const placed_grid *g, int row, int col)
{
    const int is_by_column = g->parts != NULL && g->parts->order != SCALAY_ROW_MAJOR;
    const int part = is_by_column ? col * g->grid->nprow + row : row * g->grid->npcol + col;
    return g->parts != NULL ? scalay_layout_process_of_part(g->parts, part) : part;
}

/* Fills in line k of the rows, or of the columns, and sorts it. */
static void fill_line(placed_grid *g, int is_row, int k)
{
    line *l = &g->line;
    l->count = is_row ? g->grid->npcol : g->grid->nprow;
    for (int j = 0; j < l->count; j++) {
        const int process = is_row ? process_at(g, k, j) : process_at(g, j, k);
        l->at[j] = (position){g->nodes->node[process], type_of(g->nodes, process)};
    }
    sort_line(l);
}

/* Returns the largest number of lines that leave a node. Nodes have numbers from 0 to processes - 1. */
static double count_streams(placed_grid *g, int is_row)
{
    const int lines = is_row ? g->grid->nprow : g->grid->npcol;
    int most = 1;
    for (int p = 0; p < g->nodes->processes; p++) g->left[p] = 0;
    for (int k = 0; k < lines; k++) {
        fill_line(g, is_row, k);
        for (int j = 0; j < g->line.count && g->line.distinct > 1; j++)
            if (j == 0 || g->line.at[j].node != g->line.at[j - 1].node)
                most = (int)scalay_max_int64(most, ++g->left[g->line.at[j].node]);
    }
    return most;
}

/* Returns the mean over the rows, or over the columns. */
static scalay_link mean_of_lines(const scalay_machine *m, placed_grid *g, int is_row)
{
    const int lines = is_row ? g->grid->nprow : g->grid->npcol;
    const double streams = count_streams(g, is_row);
    scalay_link mean = {.nodes = 0};
    for (int k = 0; k < lines; k++) {
        fill_line(g, is_row, k);
        const scalay_link found = rate_of_line(m, &g->line, streams);
        mean.message += found.message / lines;
        mean.byte += found.byte / lines;
        mean.byte_in_turn += found.byte_in_turn / lines;
        mean.byte_ring += found.byte_ring / lines;
        mean.byte_split_ring += found.byte_split_ring / lines;
        if (found.nodes > mean.nodes) mean.nodes = found.nodes;
    }
    return mean;
}

scalay_status scalay_nodes_set_links(const scalay_machine *machine, const scalay_nodes *nodes,
                                     const scalay_layout *parts, scalay_load_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine);
    placed_grid g = {.nodes = nodes, .parts = parts, .grid = grid};
    if (nodes == NULL || nodes->node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(g.line.at, grid->nprow + grid->npcol));
    SCALAY_TRY(SCALAY_NEW(g.left, nodes->processes));
    grid->row = mean_of_lines(&rates, &g, 1);
    grid->col = mean_of_lines(&rates, &g, 0);
    grid->has_links = 1;
cleanup:
    scalay_release(g.left);
    scalay_release(g.line.at);
    return status;
}

static scalay_status line_of_all(const scalay_nodes *nodes, line *all)
{
    scalay_status status = SCALAY_SUCCESS;
    *all = (line){.count = 0};
    SCALAY_TRY(SCALAY_NEW(all->at, nodes->processes));
    for (all->count = 0; all->count < nodes->processes; all->count++)
        all->at[all->count] = (position){nodes->node[all->count], type_of(nodes, all->count)};
    sort_line(all);
cleanup:
    return status;
}

scalay_status scalay_nodes_rates(const scalay_machine *machine, const scalay_nodes *nodes, scalay_link *within,
                                 scalay_link *between)
{
    scalay_status status = SCALAY_SUCCESS;
    line all;
    SCALAY_TRY(line_of_all(nodes, &all));
    find_rates(machine, &all, scalay_machine_ranks_of_node(machine), within, between);
cleanup:
    scalay_release(all.at);
    return status;
}

scalay_status scalay_nodes_move_byte(const scalay_machine *machine, const scalay_nodes *nodes, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine);
    line all = {.count = 0};
    *seconds = rates.seconds_per_byte;
    if (nodes == NULL || nodes->node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(line_of_all(nodes, &all));
    const double in_turn = rate_of_line(&rates, &all, scalay_machine_ranks_of_node(&rates)).byte_in_turn;
    *seconds = all.distinct > 1 ? in_turn * all.count / (all.count - 1.0) : in_turn;
cleanup:
    scalay_release(all.at);
    return status;
}

scalay_status scalay_nodes_machine(const scalay_machine *machine, const scalay_nodes *nodes, scalay_machine *result)
{
    scalay_status status = SCALAY_SUCCESS;
    line all = {.count = 0};
    *result = scalay_machine_or_typical(machine);
    if (nodes == NULL || nodes->node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(line_of_all(nodes, &all));
    const scalay_link found = rate_of_line(result, &all, 1.0);
    scalay_link within, between;
    find_rates(result, &all, 1.0, &within, &between);
    result->seconds_per_message = found.message;
    /* A panel is on the link of each node once. */
    result->seconds_per_byte = all.distinct > 1 ? between.byte : found.byte;
cleanup:
    scalay_release(all.at);
    return status;
}

scalay_status scalay_nodes_speeds(const scalay_machine *machine, const scalay_nodes *nodes, const scalay_layout *parts,
                                  double **speed)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine);
    *speed = NULL;
    if (nodes == NULL || nodes->type == NULL || rates.node_types < 2 || rates.seconds_per_flop == 0.0)
        return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*speed, parts->parts));
    for (int part = 0; part < parts->parts; part++) {
        const double seconds = rates.type_seconds_per_flop[type_of(nodes, scalay_layout_process_of_part(parts, part))];
        (*speed)[part] = seconds > 0.0 ? rates.seconds_per_flop / seconds : 1.0;
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- moves */

static int64_t larger(int64_t out, int64_t in)
{
    return scalay_max_int64(out, in);
}

typedef struct {
    scalay_flow *between, *within; /* shape [processes] each */
    scalay_flow *node;             /* shape [processes]: between nodes, of the node of this number */
    int *ranks;                    /* shape [processes]: processes of each node */
} flows;

static void add_nodes(const scalay_nodes *nodes, flows *f)
{
    for (int p = 0; p < nodes->processes; p++) {
        f->ranks[nodes->node[p]]++;
        f->node[nodes->node[p]].out += f->between[p].out;
        f->node[nodes->node[p]].in += f->between[p].in;
    }
}

static void find_maxima(const flows *f, int processes, scalay_node_move *move)
{
    for (int p = 0; p < processes; p++) {
        const scalay_flow *b = &f->between[p], *w = &f->within[p], *n = &f->node[p];
        move->volume += b->out;
        move->steps = larger(move->steps, larger(b->out, b->in));
        move->messages = larger(move->messages, larger(b->messages_out, b->messages_in));
        move->steps_within = larger(move->steps_within, larger(w->out, w->in));
        move->messages_within = larger(move->messages_within, larger(w->messages_out, w->messages_in));
        if (f->ranks[p] > 0)
            move->node_steps = fmax(move->node_steps, (double)larger(n->out, n->in) / (double)f->ranks[p]);
    }
}

scalay_status scalay_node_move_count(const scalay_traffic *traffic, const int *process, const scalay_nodes *nodes,
                                     scalay_node_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = nodes != NULL ? nodes->processes : 0;
    flows f = {NULL, NULL, NULL, NULL};
    scalay_traffic_summary summary;
    *move = (scalay_node_move){.is_known = 0};
    if (nodes == NULL || nodes->node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_traffic_get_summary(traffic, &summary));
    SCALAY_TRY(SCALAY_NEW(f.between, processes));
    SCALAY_TRY(SCALAY_NEW(f.within, processes));
    SCALAY_TRY(SCALAY_NEW(f.node, processes));
    SCALAY_TRY(SCALAY_NEW(f.ranks, processes));
    for (int from = 0; from < summary.processes; from++)
        SCALAY_TRY(scalay_flow_add_row(traffic, process, nodes->node, from, f.within, f.between));
    add_nodes(nodes, &f);
    move->is_known = 1;
    find_maxima(&f, processes, move);
cleanup:
    scalay_release(f.ranks);
    scalay_release(f.node);
    scalay_release(f.within);
    scalay_release(f.between);
    return status;
}

/* Returns the seconds of the messages of a move, without copies. */
static double message_seconds(const scalay_machine *m, double size, const scalay_move *move,
                              const scalay_node_move *between)
{
    const scalay_link within = link_within(m, 0);
    const double mean = 2.0 * (double)(move->volume - between->volume) / move->processes;
    const double alone = shared_byte(m, m->seconds_per_byte, 1.0);
    return (double)between->messages * m->seconds_per_message + (double)between->messages_within * within.message +
           size * (fmax((double)between->steps * alone, between->node_steps * m->seconds_per_byte) +
                   fmax((double)between->steps_within, mean) * within.byte);
}

double scalay_model_move_nodes(const scalay_machine *machine, scalay_type type, const scalay_move *move,
                               const scalay_node_move *between)
{
    scalay_machine rates = scalay_machine_or_typical(machine);
    if (between == NULL || !between->is_known) return scalay_model_move(machine, type, move);
    const scalay_machine links = rates;
    rates.seconds_per_message = rates.seconds_per_byte = 0.0;
    const double copying = scalay_model_move(&rates, type, move);
    if (copying < 0.0) return copying;
    return copying + message_seconds(&links, (double)scalay_type_size(type), move, between);
}

int scalay_nodes_bar_others(const int *node, int processes, int chosen, unsigned char *barred)
{
    int left = 0;
    for (int process = 0; process < processes; process++) {
        barred[process] = node[process] != chosen;
        left += !barred[process];
    }
    return left;
}
