/*
 * Plan of a factorisation for one process: storage, panels, exchanges, memory.
 *
 * O(steps (tile rows + needs of the senders)) time and O(processes + tile rows + tile columns) memory, for maps with
 * few classes.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "factor/engine_arithmetic.h"
#include "factor/engine_plan.h"
#include "model/engine.h"

enum {
    MAX_DIRECT = 4,         /* owners of a tile column that all receive all contributions */
    SOLO_COLUMNS = 512,     /* columns of an update without exchange: progress in between, gemm at full speed */
    SOLO_COLUMNS_QR = 2048, /* QR: A^H V is faster with more columns */
    MIN_COLUMNS = 256,      /* columns of an update with exchange, and of LU without exchange */
    EXCHANGE_SHARE =
        20,          /* buffers of exchanges take at most 1 / 20 of the local matrix, unless MIN_COLUMNS need more */
    SOLO_SHARE = 48, /* LU without exchange: likewise, at most 1 / 48 */
    MESSAGE_SHARE = 128,    /* packed rows of a panel take at most 1 / 128 of it, unless one message needs more */
    MIN_MESSAGES = 1 << 18, /* bytes of packed rows that are always allowed */
};

/* ------------------------------------------------------------------------------------------------ storage */

/* Hash of an index, whose sums over sets tell sets apart (splitmix64's finaliser). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The row classes that this process owns in a column class, as a hash; 0: none. */
static uint64_t hash_rows(const scalay_engine_plan *plan, int col)
{
    const scalay_engine_map *map = &plan->map;
    uint64_t hash = 0;
    for (int r = 0; r < map->row.classes; r++)
        if (map->owner[(int64_t)r * map->col.classes + col] == plan->process &&
            map->row.start[r] < map->row.start[r + 1])
            hash += mix((uint64_t)r);
    return map->col.start[col] < map->col.start[col + 1] ? hash : 0;
}

static int same_rows(const scalay_engine_map *map, int process, int a, int b)
{
    for (int r = 0; r < map->row.classes; r++) {
        const int *owner = map->owner + (int64_t)r * map->col.classes;
        if (map->row.start[r] == map->row.start[r + 1]) continue; /* a class without tiles */
        if ((owner[a] == process) != (owner[b] == process)) return 0;
    }
    return 1;
}

/* Numbers the classes of tile columns with the same owned rows; class_of and place_of of tile columns follow. */
static scalay_status number_classes(scalay_engine_plan *plan, int **leader)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_map *map = &plan->map;
    uint64_t *hash = NULL;
    int *class_of = NULL;
    SCALAY_TRY(SCALAY_NEW(hash, map->col.classes));
    SCALAY_TRY(SCALAY_NEW(class_of, map->col.classes));
    SCALAY_TRY(SCALAY_NEW(*leader, map->col.classes));
    for (int c = 0; c < map->col.classes; c++) {
        const uint64_t own = hash_rows(plan, c);
        class_of[c] = -1;
        if (own == 0) continue;
        int n = 0;
        while (n < plan->classes && (hash[n] != own || !same_rows(map, plan->process, (*leader)[n], c))) n++;
        if (n == plan->classes) {
            hash[n] = own;
            (*leader)[plan->classes++] = c;
        }
        class_of[c] = n;
    }
    for (int j = 0; j < map->tile_cols; j++) {
        plan->class_of[j] = class_of[map->col.class[j]];
        if (plan->class_of[j] >= 0) plan->own_col[plan->own_cols++] = j;
    }
cleanup:
    scalay_release(hash);
    scalay_release(class_of);
    return status;
}

int scalay_engine_leading(int rows)
{
    int ld = (rows + 7) / 8 * 8;
    return ld > 0 && ld % 256 == 0 ? ld + 8 : ld; /* columns of whole pages compete for the same cache sets */
}

static scalay_status fill_class(scalay_engine_plan *plan, int leader, scalay_engine_class *class)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_map *map = &plan->map;
    const int *owner = map->owner + leader;
    for (int i = 0; i < map->tile_rows; i++)
        class->rows += owner[(int64_t)map->row.class[i] * map -> col.classes] == plan->process;
    SCALAY_TRY(SCALAY_NEW(class->row, class->rows));
    SCALAY_TRY(SCALAY_NEW(class->row_at, (int64_t) class->rows + 1));
    SCALAY_TRY(SCALAY_NEW(class->col, class->cols));
    SCALAY_TRY(SCALAY_NEW(class->col_at, (int64_t) class->cols + 1));
    class->rows = class->cols = 0;
    for (int i = 0; i < map->tile_rows; i++) {
        if (owner[(int64_t)map->row.class[i] * map -> col.classes] != plan->process) continue;
        class->row[class->rows] = i;
        class->row_at[class->rows + 1] = class->row_at[class->rows] + scalay_engine_height(map, i);
        class->rows++;
    }
    class->ld = scalay_engine_leading(class->row_at[class->rows]);
cleanup:
    return status;
}

static scalay_status find_classes(scalay_engine_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_map *map = &plan->map;
    int *leader = NULL;
    SCALAY_TRY(SCALAY_NEW(plan->class_of, map->tile_cols));
    SCALAY_TRY(SCALAY_NEW(plan->place_of, map->tile_cols));
    SCALAY_TRY(SCALAY_NEW(plan->own_col, map->tile_cols));
    SCALAY_TRY(number_classes(plan, &leader));
    SCALAY_TRY(SCALAY_NEW(plan->class, plan->classes));
    for (int c = 0; c < plan->own_cols; c++) plan->class[plan->class_of[plan->own_col[c]]].cols++;
    for (int n = 0; n < plan->classes; n++) SCALAY_TRY(fill_class(plan, leader[n], &plan->class[n]));
    for (int c = 0; c < plan->own_cols; c++) {
        const int j = plan->own_col[c];
        scalay_engine_class *class = &plan->class[plan->class_of[j]];
        plan->place_of[j] = class->cols;
        class->col[class->cols] = j;
        class->col_at[class->cols + 1] = class->col_at[class->cols] + scalay_engine_breadth(map, j);
        class->cols++;
    }
    for (int n = 0; n < plan->classes; n++) {
        plan->class[n].offset = plan->local_size;
        plan->local_size += (int64_t)plan->class[n].ld * plan->class[n].col_at[plan->class[n].cols];
    }
cleanup:
    scalay_release(leader);
    return status;
}

/* ------------------------------------------------------------------------------------- owners of tile columns */

static int64_t owner_count(const scalay_engine_reaches *owners, int class)
{
    return owners->start[class + 1] - owners->start[class];
}

/* Marks the other owners of the column classes of this process, and lists them. */
static scalay_status find_peers(scalay_engine_plan *plan, int **peer_of)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = plan->map.processes;
    SCALAY_TRY(SCALAY_NEW(*peer_of, processes));
    for (int c = 0; c < plan->owners.classes; c++) {
        if (plan->column_class_of[c] < 0) continue;
        for (int64_t e = plan->owners.start[c]; e < plan->owners.start[c + 1]; e++)
            (*peer_of)[plan->owners.entry[e].process] = 1;
    }
    (*peer_of)[plan->process] = 0;
    for (int p = 0; p < processes; p++) plan->peers += (*peer_of)[p];
    SCALAY_TRY(SCALAY_NEW(plan->peer, plan->peers));
    plan->peers = 0;
    for (int p = 0; p < processes; p++) {
        if ((*peer_of)[p]) plan->peer[plan->peers] = p;
        (*peer_of)[p] = (*peer_of)[p] ? plan->peers++ : -1;
    }
cleanup:
    return status;
}

static scalay_status find_column_classes(scalay_engine_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    int *peer_of = NULL;
    SCALAY_TRY(SCALAY_NEW(plan->column_class_of, plan->map.col.classes));
    for (int c = 0; c < plan->map.col.classes; c++) plan->column_class_of[c] = -1;
    if (plan->settings.kind == SCALAY_FACTOR_CHOLESKY) goto cleanup; /* no exchange */
    for (int c = 0; c < plan->own_cols; c++) {
        int *index = &plan->column_class_of[plan->map.col.class[plan->own_col[c]]];
        if (*index < 0) *index = plan->column_classes++;
    }
    SCALAY_TRY(SCALAY_NEW(plan->column_class, plan->column_classes));
    SCALAY_TRY(find_peers(plan, &peer_of));
    for (int c = 0; c < plan->map.col.classes; c++) {
        if (owner_count(&plan->owners, c) > MAX_DIRECT) plan->has_scattered = 1;
        if (plan->column_class_of[c] < 0) continue;
        scalay_engine_column_class *class = &plan->column_class[plan->column_class_of[c]];
        class->class = plan->class_of[plan->map.col.line[plan->map.col.start[c]]];
        class->owners = (int)owner_count(&plan->owners, c);
        class->owner = plan->owners.entry + plan->owners.start[c];
        class->is_scattered = class->owners > MAX_DIRECT;
        SCALAY_TRY(SCALAY_NEW(class->peer, class->owners));
        for (int o = 0; o < class->owners; o++) class->peer[o] = peer_of[class->owner[o].process];
    }
cleanup:
    scalay_release(peer_of);
    return status;
}

int scalay_engine_combiner(const scalay_engine_plan *plan, const scalay_engine_column_class *class, int j, int k)
{
    if (!class->is_scattered) return -1;
    const int col = plan->map.col.class[j], first = plan->map.col.start[col];
    const int place = scalay_engine_find(plan->map.col.line + first, plan->map.col.start[col + 1] - first, j);
    int active = 0;
    for (int o = 0; o < class->owners; o++) active += class->owner[o].last >= k;
    int wanted = active > 0 ? (place + col) % active : 0;
    for (int o = 0; o < class->owners; o++)
        if (class->owner[o].last >= k && wanted-- == 0) return class->owner[o].process;
    return plan->process;
}

/* The tile columns of an exchange, the same on all processes. */
static scalay_status find_interval(scalay_engine_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_map *map = &plan->map;
    int *cols = NULL, max_cols = 1, active = 0;
    int64_t max_owners = 0;
    SCALAY_TRY(SCALAY_NEW(cols, map->processes));
    for (int c = 0; c < map->col.classes; c++) {
        max_owners = scalay_max_int64(max_owners, owner_count(&plan->owners, c));
        for (int64_t e = plan->owners.start[c]; e < plan->owners.start[c + 1]; e++)
            cols[plan->owners.entry[e].process] += map->col.start[c + 1] - map->col.start[c];
    }
    for (int p = 0; p < map->processes; p++) {
        active += cols[p] > 0;
        if (cols[p] > max_cols) max_cols = cols[p];
    }
    const int64_t local = (int64_t)map->m * map->n / (active > 0 ? active : 1), others = max_owners - 1;
    /* copies of the columns: the block, what leaves and arrives, in each slot (measure_exchange()) */
    const int64_t copies = others < MAX_DIRECT ? 2 * (2 + 2 * others) : 3 * (3 + MAX_DIRECT);
    const int64_t solo = scalay_max_int64(MIN_COLUMNS, local / SOLO_SHARE / map->nb);
    int64_t wanted = plan->settings.kind == SCALAY_FACTOR_QR ? SOLO_COLUMNS_QR : scalay_min_int64(SOLO_COLUMNS, solo);
    if (max_owners > 1) wanted = scalay_max_int64(MIN_COLUMNS, local / EXCHANGE_SHARE / copies / map->nb);
    const int64_t tiles = wanted * map->tile_cols / ((int64_t)map->nb * max_cols);
    plan->interval = (int)scalay_max_int64(1, scalay_min_int64(tiles, map->tile_cols));
cleanup:
    scalay_release(cols);
    return status;
}

/* ------------------------------------------------------------------------------------------------- panels */

int scalay_engine_owned_rows(const scalay_engine_plan *plan, int k, int process)
{
    int rows = 0;
    for (int i = k; i < plan->map.tile_rows; i++)
        if (scalay_engine_owner(&plan->map, i, k) == process) rows += scalay_engine_height(&plan->map, i);
    return rows;
}

int scalay_engine_panel_owners(const scalay_engine_plan *plan, int k, int *owner)
{
    const int class = plan->map.col.class[k];
    int owners = 0;
    for (int64_t e = plan->owners.start[class]; e < plan->owners.start[class + 1]; e++)
        if (plan->owners.entry[e].last >= k) owner[owners++] = plan->owners.entry[e].process;
    return owners;
}

/* The process that factors a panel: its fastest owner, the owner of the diagonal tile if speeds are equal. */
static int choose_factorer(const scalay_engine_plan *plan, const scalay_engine_settings *settings, int k)
{
    const int class = plan->map.col.class[k];
    int best = scalay_engine_owner(&plan->map, k, k), owners = 0;
    for (int64_t e = plan->owners.start[class]; e < plan->owners.start[class + 1]; e++) {
        const scalay_engine_reach *owner = &plan->owners.entry[e];
        if (owner->last < k) continue;
        owners++;
        if (settings->speed != NULL && settings->speed[owner->process] > 1.001 * settings->speed[best])
            best = owner->process;
    }
    const int together =
        settings->panels_together >= 0 ? settings->panels_together : owners > SCALAY_ENGINE_ONE_FACTORS;
    return together && owners > 1 && owners <= SCALAY_ENGINE_MAX_NUMBER / 2 ? -1 : best;
}

int64_t scalay_engine_extra(const scalay_engine_plan *plan, int k, int has_r)
{
    const int64_t width = scalay_engine_panel_width(plan, k), size = plan->settings.element_size;
    switch (plan->settings.kind) {
    case SCALAY_FACTOR_QR:
        return width * width * (1 + has_r);
    case SCALAY_FACTOR_LU:
        return width * width + scalay_ceil_div(width * (int64_t)sizeof(int), size);
    default:
        return 0;
    }
}

/* ------------------------------------------------------------------------------------------------- streams */

/* A receiver and the hash of the line classes that it needs of a sender. */
typedef struct {
    uint64_t key;
    int process, node;
} receiver;

/* Scratch of streams. A stamp that equals `now` is set. */
struct scalay_engine_scratch {
    int now;
    int *line_stamp;              /* shape [line classes] */
    int *process_stamp;           /* shape [processes] */
    uint64_t *key;                /* shape [processes] */
    receiver *receiver;           /* shape [processes] */
    int *sender;                  /* shape [processes] */
    scalay_engine_stream *stream; /* shape [stream_capacity]: those of a panel, for counts */
    int *kept;                    /* shape [tile rows + 1]: rows of a panel that are kept before each tile row */
};

static scalay_status make_scratch(scalay_engine_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(plan->scratch, 1));
    SCALAY_TRY(SCALAY_NEW(plan->scratch->line_stamp, plan->needs.classes));
    SCALAY_TRY(SCALAY_NEW(plan->scratch->process_stamp, plan->map.processes));
    SCALAY_TRY(SCALAY_NEW(plan->scratch->key, plan->map.processes));
    SCALAY_TRY(SCALAY_NEW(plan->scratch->receiver, plan->map.processes));
    SCALAY_TRY(SCALAY_NEW(plan->scratch->sender, plan->map.processes));
    SCALAY_TRY(SCALAY_NEW(plan->scratch->kept, (int64_t)plan->map.tile_rows + 1));
cleanup:
    return status;
}

static void free_scratch(struct scalay_engine_scratch *scratch)
{
    if (scratch == NULL) return;
    scalay_release(scratch->line_stamp);
    scalay_release(scratch->process_stamp);
    scalay_release(scratch->key);
    scalay_release(scratch->receiver);
    scalay_release(scratch->sender);
    scalay_release(scratch->stream);
    scalay_release(scratch->kept);
    scalay_release(scratch);
}

static int compare_receivers(const void *a, const void *b)
{
    const receiver *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

int scalay_engine_sends_row(const scalay_engine_plan *plan, int k, int sender, int i)
{
    return plan->factorer[k] >= 0 ? plan->factorer[k] == sender : scalay_engine_owner(&plan->map, i, k) == sender;
}

static int node_of(const scalay_engine_plan *plan, int process)
{
    return plan->settings.node != NULL ? plan->settings.node[process] : 0;
}

/* Lists who needs rows of a sender, groups of those that need the same rows one after the other, by nodes. */
static int find_receivers(const scalay_engine_plan *plan, int k, int sender)
{
    struct scalay_engine_scratch *s = plan->scratch;
    const int needed = k + (plan->factorer[k] < 0), now = ++s->now;
    int count = 0;
    for (int i = k; i < plan->map.tile_rows; i++) {
        const int line = plan->line_class[i];
        if (s->line_stamp[line] == now || !scalay_engine_sends_row(plan, k, sender, i)) continue;
        s->line_stamp[line] = now;
        for (int64_t e = plan->needs.start[line]; e < plan->needs.start[line + 1]; e++) {
            const scalay_engine_reach *need = &plan->needs.entry[e];
            if (need->last < needed || need->process == sender) continue;
            if (s->process_stamp[need->process] != now) s->receiver[count++].process = need->process;
            if (s->process_stamp[need->process] != now) s->key[need->process] = 0;
            s->process_stamp[need->process] = now;
            s->key[need->process] += mix((uint64_t)line);
        }
    }
    for (int r = 0; r < count; r++) {
        s->receiver[r].key = s->key[s->receiver[r].process];
        s->receiver[r].node = node_of(plan, s->receiver[r].process);
    }
    qsort(s->receiver, (size_t)count, sizeof *s->receiver, compare_receivers);
    return count;
}

/* The process that should get the next panel's updates first. */
static int next_process(const scalay_engine_plan *plan, int k)
{
    if (k + 1 >= plan->steps) return 0;
    return plan->factorer[k + 1] >= 0 ? plan->factorer[k + 1] : scalay_engine_owner(&plan->map, k + 1, k + 1);
}

/* The member of a group that gets rows first: the next process, or else the members in turn. */
static int first_member(const receiver *member, int members, int next, int k)
{
    for (int m = 0; m < members; m++)
        if (member[m].process == next) return m;
    return k % members;
}

/* The stream to receivers first .. end - 1, as seen by receiver `place`, or by the sender if place is -1. */
static scalay_engine_stream make_stream(const scalay_engine_plan *plan, int k, int sender, int first, int end,
                                        int place)
{
    const receiver *r = plan->scratch->receiver;
    const int next = next_process(plan, k), top = scalay_engine_owner(&plan->map, k, k);
    scalay_engine_stream stream = {.sender = sender, .member = r[first].process};
    if (plan->factorer[k] < 0) {
        const int class = plan->map.col.class[k];
        stream.number = (int)(scalay_engine_reach_index(&plan->owners, class, sender) - plan->owners.start[class]);
    }
    for (int m = first; m < end; m++)
        if (r[m].process == top && plan->settings.kind == SCALAY_FACTOR_QR && plan->factorer[k] >= 0) stream.has_r = 1;
    for (int i = k; i < plan->map.tile_rows; i++)
        if (scalay_engine_sends_row(plan, k, sender, i) && scalay_engine_needs(plan, stream.member, i, k))
            stream.rows += scalay_engine_height(&plan->map, i);
    stream.ld = scalay_engine_leading(stream.rows);
    stream.elements =
        (int64_t)stream.ld * scalay_engine_panel_width(plan, k) + scalay_engine_extra(plan, k, stream.has_r);
    const scalay_relay_group group = {.sender = sender,
                                      .sender_node = node_of(plan, sender),
                                      .member = &r[first].process,
                                      .member_node = &r[first].node,
                                      .stride = sizeof *r,
                                      .count = end - first,
                                      .first = first_member(r + first, end - first, next, k),
                                      .pieces = scalay_ceil_div(stream.elements, plan->settings.piece)};
    stream.relay = scalay_relay_find(&group, place < 0 ? -1 : place - first);
    return stream;
}

/* Adds the streams of one sender that concern a process; the group of the next panel's process comes first. */
static int add_streams(const scalay_engine_plan *plan, int k, int sender, int process, int count, int capacity,
                       scalay_engine_stream *stream)
{
    const receiver *r = plan->scratch->receiver;
    const int receivers = find_receivers(plan, k, sender), next = next_process(plan, k), begin = count;
    for (int first = 0, end; first < receivers; first = end) {
        int place = -1, has_next = 0;
        for (end = first; end < receivers && r[end].key == r[first].key; end++) {
            if (r[end].process == process) place = end;
            has_next |= r[end].process == next;
        }
        if (place < 0 && sender != process) continue;
        if (count < capacity) {
            stream[count] = make_stream(plan, k, sender, first, end, place);
            if (has_next) {
                const scalay_engine_stream urgent = stream[count];
                stream[count] = stream[begin];
                stream[begin] = urgent;
            }
        }
        count++;
    }
    return count;
}

int scalay_engine_streams(const scalay_engine_plan *plan, int k, int process, int capacity,
                          scalay_engine_stream *stream)
{
    struct scalay_engine_scratch *s = plan->scratch;
    const int needed = k + (plan->factorer[k] < 0), now = ++s->now;
    int senders = 0, count = 0;
    for (int i = k; i < plan->map.tile_rows; i++) {
        const int line = plan->line_class[i];
        if (s->line_stamp[line] == now) continue;
        s->line_stamp[line] = now;
        const int sender = plan->factorer[k] >= 0 ? plan->factorer[k] : scalay_engine_owner(&plan->map, i, k);
        if (s->process_stamp[sender] == now) continue;
        if (sender != process && scalay_engine_last(&plan->needs, line, process) < needed) continue;
        s->process_stamp[sender] = now;
        s->sender[senders++] = sender;
    }
    for (int n = 0; n < senders; n++) count = add_streams(plan, k, s->sender[n], process, count, capacity, stream);
    return count;
}

/* ----------------------------------------------------------------------------------------------- capacities */

static void raise_to(int64_t *capacity, int64_t needed)
{
    if (*capacity < needed) *capacity = needed;
}

int scalay_engine_keeps_row(const scalay_engine_plan *plan, int i, int k)
{
    if (plan->factorer[k] == plan->process || scalay_engine_needs(plan, plan->process, i, k)) return 1;
    return plan->factorer[k] < 0 && scalay_engine_owner(&plan->map, i, k) == plan->process;
}

/* Tile rows of panel k that this process keeps; scratch->kept counts them. */
static int panel_rows(const scalay_engine_plan *plan, int k, int *tile_rows)
{
    int rows = 0, *kept = plan->scratch->kept;
    kept[k] = 0;
    for (int i = k; i < plan->map.tile_rows; i++) {
        const int keeps = scalay_engine_keeps_row(plan, i, k);
        rows += keeps ? scalay_engine_height(&plan->map, i) : 0;
        kept[i + 1] = kept[i] + keeps;
    }
    *tile_rows = kept[plan->map.tile_rows];
    return rows;
}

/* Messages of a panel that share a buffer in turn. */
typedef struct {
    int64_t total, largest;
} message_sizes;

static void add_message(message_sizes *sizes, int64_t elements)
{
    sizes->total += elements;
    if (sizes->largest < elements) sizes->largest = elements;
}

/* The buffer for some messages: all of them if they take a small part of the local matrix. */
static int64_t buffer_of(const scalay_engine_plan *plan, message_sizes sizes)
{
    const scalay_engine_settings *settings = &plan->settings;
    const int64_t least = settings->buffer > 0 ? settings->buffer : MIN_MESSAGES / settings->element_size;
    const int64_t share = scalay_max_int64(plan->local_size / MESSAGE_SHARE, least);
    return scalay_min_int64(sizes.total, scalay_max_int64(sizes.largest, share));
}

static void measure_streams(scalay_engine_plan *plan, int k, int rows, int streams, const scalay_engine_stream *stream)
{
    message_sizes packed = {0}, arriving = {0}, given = {0};
    int64_t sends = 0, receives = 0;
    for (int n = 0; n < streams; n++) {
        const int64_t pieces = scalay_ceil_div(stream[n].elements, plan->settings.piece);
        sends += pieces * stream[n].relay.children;
        receives += stream[n].relay.parent < 0 ? 0 : pieces;
        if (stream[n].rows == rows) continue; /* the panel itself */
        add_message(stream[n].relay.parent < 0 ? &packed : &arriving, stream[n].elements);
    }
    const int owners = scalay_engine_panel_owners(plan, k, plan->scratch->sender),
              width = scalay_engine_panel_width(plan, k);
    for (int o = 0; o < owners && plan->factorer[k] >= 0; o++) {
        const int owner = plan->scratch->sender[o], is_here = plan->factorer[k] == plan->process;
        const int64_t elements = (int64_t)scalay_engine_owned_rows(plan, k, owner) * width;
        if (owner == plan->factorer[k] || (!is_here && owner != plan->process)) continue;
        add_message(&given, elements);
        *(is_here ? &receives : &sends) += scalay_ceil_div(elements, plan->settings.piece);
    }
    raise_to(&plan->packed_capacity, scalay_max_int64(buffer_of(plan, packed), buffer_of(plan, given)));
    /* All at once: if two processes took turns, each might wait for a message that the other one sends later. */
    raise_to(&plan->arrival_capacity, arriving.total);
    raise_to(&plan->send_capacity, sends);
    raise_to(&plan->receive_capacity, receives);
}

/* Raises the capacity for rows of panel k that are kept, but not all by a class. */
static void measure_gathered(scalay_engine_plan *plan, int k)
{
    const int *kept = plan->scratch->kept;
    for (int n = 0; n < plan->classes; n++) {
        const scalay_engine_class *class = &plan->class[n];
        const int first = scalay_engine_find(class->row, class->rows, k), rows = class->rows - first;
        if (rows == 0 || kept[class->row[class->rows - 1] + 1] - kept[class->row[first]] == rows) continue;
        const int lines = class->row_at[class->rows] - class->row_at[first];
        raise_to(&plan->gathered_capacity, (int64_t)scalay_engine_leading(lines) * plan->map.nb);
    }
}

static scalay_status measure_panel(scalay_engine_plan *plan, int k, int64_t *capacity)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_stream **stream = &plan->scratch->stream;
    int tile_rows = 0, streams = scalay_engine_streams(plan, k, plan->process, (int)*capacity, *stream);
    if (streams > *capacity) {
        SCALAY_TRY(SCALAY_GROW(*stream, *capacity, streams));
        streams = scalay_engine_streams(plan, k, plan->process, (int)*capacity, *stream);
    }
    const int rows = panel_rows(plan, k, &tile_rows), width = scalay_engine_panel_width(plan, k);
    if (rows > 0)
        raise_to(&plan->panel_capacity, (int64_t)scalay_engine_leading(rows) * width + scalay_engine_extra(plan, k, 1));
    if (plan->panel_rows_capacity < tile_rows) plan->panel_rows_capacity = tile_rows;
    if (plan->stream_capacity < streams) plan->stream_capacity = streams;
    measure_gathered(plan, k);
    measure_streams(plan, k, rows, streams, *stream);
cleanup:
    return status;
}

static scalay_status measure_panels(const char *function, scalay_engine_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t capacity = 0;
    for (int k = 0; k < plan->steps; k++) SCALAY_TRY(measure_panel(plan, k, &capacity));
    for (int c = 0; c < plan->owners.classes; c++)
        if (plan->owner_capacity < owner_count(&plan->owners, c))
            plan->owner_capacity = (int)owner_count(&plan->owners, c);
    for (int n = 0; n < plan->classes && plan->settings.kind == SCALAY_FACTOR_CHOLESKY; n++)
        raise_to(&plan->columns_capacity,
                 (int64_t)scalay_engine_leading(plan->class[n].col_at[plan->class[n].cols]) * plan->map.nb);
    if (plan->panel_capacity > INT_MAX)
        status = scalay_fail(SCALAY_ERROR_RANGE, function,
                             "a panel has %lld elements; it must have less than 2^31. Use a smaller tile extent.",
                             (long long)plan->panel_capacity);
cleanup:
    return status;
}

/* Tiles that one exchange of step k sends and receives about tile columns own_col[begin .. end - 1]. */
static void measure_exchange(scalay_engine_plan *plan, int k, int begin, int end)
{
    const int64_t tile = (int64_t)plan->map.nb * plan->map.nb, is_lu = plan->settings.kind == SCALAY_FACTOR_LU;
    int64_t out = 0, in = 0, result_out = 0, result_in = 0;
    for (int c = begin; c < end; c++) {
        const int j = plan->own_col[c];
        const scalay_engine_column_class *class = &plan->column_class[plan->column_class_of[plan->map.col.class[j]]];
        const scalay_engine_class *own = &plan->class[class->class];
        const int combiner = scalay_engine_combiner(plan, class, j, k), combines = combiner == plan->process;
        int others = -1;
        for (int o = 0; o < class->owners; o++) others += class->owner[o].last >= k;
        if (own->row[own->rows - 1] < k || others <= 0) continue;
        out += is_lu + (combiner < 0 ? others : !combines); /* LU: displaced rows, and rows of U */
        in += is_lu + (combiner >= 0 && !combines ? 0 : is_lu ? 1 : others);
        result_out += combines ? (plan->column_classes == 1 ? 1 : others) : 0; /* one class: the same for all */
        result_in += combiner >= 0 && !combines;
    }
    raise_to(&plan->block_capacity, (end - begin) * tile);
    raise_to(&plan->out_capacity, out * tile);
    raise_to(&plan->in_capacity, in * tile);
    raise_to(&plan->result_out_capacity, result_out * tile);
    raise_to(&plan->result_in_capacity, result_in * tile);
}

static void measure_exchanges(scalay_engine_plan *plan)
{
    if (plan->settings.kind == SCALAY_FACTOR_CHOLESKY) return;
    plan->exchanges = plan->peers == 0 ? 1 : 2 + plan->has_scattered;
    for (int k = 0; k < plan->steps && (k == 0 || plan->peers > 0); k++) {
        /* the last panel may be narrower than its tile column, whose other columns it updates */
        const int first = k + 1 < plan->steps ? k + 1 : k;
        for (int begin = scalay_engine_find(plan->own_col, plan->own_cols, first), end; begin < plan->own_cols;
             begin = end) {
            const int interval = plan->own_col[begin] / plan->interval;
            for (end = begin; end < plan->own_cols && plan->own_col[end] / plan->interval == interval;) end++;
            measure_exchange(plan, k, begin, end);
        }
    }
}

int64_t scalay_engine_own_panel(const scalay_engine_plan *plan, int n)
{
    for (int k = 0; k < plan->steps; k++)
        if (plan->factorer[k] == plan->process && n-- == 0)
            return (int64_t)scalay_engine_leading(plan->map.m - k * plan->map.nb) * scalay_engine_panel_width(plan, k) +
                   scalay_engine_extra(plan, k, 1);
    return 0;
}

int64_t scalay_engine_workspace(const scalay_engine_plan *plan)
{
    const int64_t panels = scalay_engine_shares_panels(plan)
                               ? scalay_engine_own_panel(plan, 0) + scalay_engine_own_panel(plan, 1)
                               : 2 * plan->panel_capacity;
    const int64_t exchange = plan->block_capacity + plan->out_capacity + plan->in_capacity + plan->result_out_capacity +
                             plan->result_in_capacity;
    return plan->settings.element_size *
           (panels + 2 * (plan->packed_capacity + plan->arrival_capacity) + plan->gathered_capacity +
            plan->columns_capacity + plan->exchanges * exchange);
}

/* ----------------------------------------------------------------------------------------------------- plan */

static scalay_status build(const char *function, scalay_engine_plan *plan, const scalay_engine_settings *settings)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_engine_find_owners(&plan->map, settings->kind, &plan->owners));
    SCALAY_TRY(scalay_engine_find_needs(&plan->map, settings->kind, &plan->owners, &plan->line_class, &plan->needs));
    SCALAY_TRY(make_scratch(plan));
    SCALAY_TRY(find_classes(plan));
    SCALAY_TRY(find_column_classes(plan));
    SCALAY_TRY(find_interval(plan));
    SCALAY_TRY(SCALAY_NEW(plan->factorer, plan->steps));
    for (int k = 0; k < plan->steps; k++) plan->factorer[k] = choose_factorer(plan, settings, k);
    SCALAY_TRY(measure_panels(function, plan));
    measure_exchanges(plan);
cleanup:
    return status;
}

scalay_status scalay_engine_plan_create(const char *function, const scalay_engine_settings *settings,
                                        scalay_engine_map *map, int process, scalay_engine_plan *plan)
{
    *plan = (scalay_engine_plan){.settings = *settings, .map = *map, .process = process};
    plan->settings.speed = NULL;
    if (settings->piece == 0) plan->settings.piece = INT_MAX;
    *map = (scalay_engine_map){0};
    plan->steps = plan->map.tile_rows < plan->map.tile_cols ? plan->map.tile_rows : plan->map.tile_cols;
    return plan->steps > 0 ? build(function, plan, settings) : SCALAY_SUCCESS;
}

static void free_class(scalay_engine_class *class)
{
    scalay_release(class->row);
    scalay_release(class->col);
    scalay_release(class->row_at);
    scalay_release(class->col_at);
}

void scalay_engine_plan_free(scalay_engine_plan *plan)
{
    for (int n = 0; plan->class != NULL && n < plan->classes; n++) free_class(&plan->class[n]);
    for (int c = 0; plan->column_class != NULL && c < plan->column_classes; c++)
        scalay_release(plan->column_class[c].peer);
    scalay_release(plan->class);
    scalay_release(plan->class_of);
    scalay_release(plan->place_of);
    scalay_release(plan->own_col);
    scalay_release(plan->column_class);
    scalay_release(plan->column_class_of);
    scalay_release(plan->peer);
    scalay_release(plan->line_class);
    scalay_release(plan->factorer);
    scalay_engine_reaches_free(&plan->owners);
    scalay_engine_reaches_free(&plan->needs);
    free_scratch(plan->scratch);
    scalay_engine_map_free(&plan->map);
    *plan = (scalay_engine_plan){0};
}

/* ---------------------------------------------------------------------------------------------------- counts */

/* Messages that the owner of an index sends in a reduction over `owners` processes (scalay_engine_reduce_panel()). */
static int reduction_messages(int owners, int index)
{
    int power = 1, rounds = 0;
    for (; 2 * power <= owners; power *= 2) rounds++;
    return index >= power ? 1 : rounds + (index + power < owners);
}

/* Reductions of a panel that its owners factor together, and their elements: LU: candidates for pivots with their row
 * and that at the top; QR: the largest elements of columns, products with each reflector, V^H V. */
static int64_t count_reductions(const scalay_engine_plan *plan, int64_t width, int64_t *elements)
{
    const int64_t size = plan->settings.element_size;
    switch (plan->settings.kind) {
    case SCALAY_FACTOR_QR:
        *elements = scalay_ceil_div(width * (int64_t)sizeof(double), size) + width * (width + 1) + width * width;
        return width + 2;
    case SCALAY_FACTOR_LU:
        *elements = width * (SCALAY_ENGINE_CANDIDATE / size + 2 * width);
        return width;
    default:
        *elements = width * width;
        return 1;
    }
}

static void count_shared_panel(const scalay_engine_plan *plan, int k, scalay_engine_traffic *traffic)
{
    const int class = plan->map.col.class[k];
    int owners = 0, index = -1;
    int64_t elements = 0;
    for (int64_t e = plan->owners.start[class]; e < plan->owners.start[class + 1]; e++) {
        if (plan->owners.entry[e].last < k) continue;
        if (plan->owners.entry[e].process == plan->process) index = owners;
        owners++;
    }
    if (index < 0) return;
    const int messages = reduction_messages(owners, index);
    traffic->panel_messages += messages * count_reductions(plan, scalay_engine_panel_width(plan, k), &elements);
    traffic->panel_elements += messages * elements;
}

static void count_panel(const scalay_engine_plan *plan, int k, scalay_engine_traffic *traffic,
                        scalay_engine_stream *stream)
{
    const int streams = scalay_engine_streams(plan, k, plan->process, plan->stream_capacity, stream);
    const int64_t own = scalay_engine_owned_rows(plan, k, plan->process);
    for (int n = 0; n < streams; n++) {
        traffic->panel_messages += stream[n].relay.children;
        traffic->panel_elements += stream[n].relay.children * stream[n].elements;
    }
    if (plan->factorer[k] < 0)
        count_shared_panel(plan, k, traffic);
    else if (plan->factorer[k] != plan->process && own > 0) {
        traffic->panel_messages++;
        traffic->panel_elements += own * scalay_engine_panel_width(plan, k);
    }
}

/* Counts what this process sends in one exchange. `stamp` marks peers that get a message. */
static void count_exchange(const scalay_engine_plan *plan, int k, int first, int last, scalay_engine_traffic *traffic)
{
    struct scalay_engine_scratch *s = plan->scratch;
    const int64_t width = scalay_engine_panel_width(plan, k);
    for (int phase = 0; phase < 1 + plan->has_scattered; phase++) {
        const int now = ++s->now;
        for (int c = scalay_engine_find(plan->own_col, plan->own_cols, first);
             c < plan->own_cols && plan->own_col[c] <= last; c++) {
            const int j = plan->own_col[c];
            const scalay_engine_column_class *class =
                &plan->column_class[plan->column_class_of[plan->map.col.class[j]]];
            const int combiner = scalay_engine_combiner(plan, class, j, k),
                      breadth = scalay_engine_breadth(&plan->map, j);
            const scalay_engine_class *own = &plan->class[class->class];
            int64_t elements = breadth * width;
            if (own->row[own->rows - 1] < k) continue;
            if (plan->settings.kind == SCALAY_FACTOR_LU && phase == 0)
                elements = elements * scalay_engine_owned_rows(plan, j, plan->process) /
                           scalay_max_int64(1, plan->map.m - (int64_t)j * plan->map.nb);
            for (int o = 0; o < class->owners; o++) {
                const int to = class->owner[o].process;
                const int sends = phase == 0 ? combiner < 0 || combiner == to : combiner == plan->process;
                if (to == plan->process || class->owner[o].last < k || !sends) continue;
                traffic->exchange_messages += s->process_stamp[to] != now;
                traffic->exchange_elements += elements;
                s->process_stamp[to] = now;
            }
        }
    }
}

scalay_engine_traffic scalay_engine_count(const scalay_engine_plan *plan)
{
    scalay_engine_traffic traffic = {0};
    for (int k = 0; k < plan->steps; k++) {
        count_panel(plan, k, &traffic, plan->scratch->stream);
        if (plan->settings.kind == SCALAY_FACTOR_CHOLESKY || k + 1 >= plan->map.tile_cols) continue;
        count_exchange(plan, k, k + 1, k + 1, &traffic);
        for (int first = k + 2, last; first < plan->map.tile_cols; first = last + 1) {
            last = (first / plan->interval + 1) * plan->interval - 1;
            count_exchange(plan, k, first, last, &traffic);
        }
    }
    return traffic;
}
