/*
 * The model of products C := A B: p?gemm on a grid (scalay_model_gemm()), and SUMMA on any layout.
 *
 * Both have the same terms. Local products have the rate of the measured curve at their smallest extent: a panel of 32
 * columns for p?gemm, of 256 for SUMMA, or the extents of a local array. Messages follow Hockney's model. Processes
 * that share cores follow scalay_machine_spread().
 *
 * SUMMA is predicted part by part, in one place: summa_predict(). An owner map (scalay_model_multiply()), a layout
 * (scalay_summa_on_layout()) and a plan (scalay_gemm_create()) only differ in where the local arrays come from, and in
 * what is counted by the caller. The elements that each part sends and receives, and its partners, are summed over the
 * overlaps of row and column classes, without a table of all pairs. Between nodes, each node gets the lines that any of
 * its parts needs once, over its own link, as summa_relays.c sends them. Pieces of a panel (parallel/pieces.h) are on
 * the link while the product with the panel before is computed; whole messages wait for their receivers. Parts that
 * read memory share the processors: all progress at the same rate until one of them is done (processor sharing).
 */
#include "model/product.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "model/move.h"
#include "partition/multiply_cost.h"

/* ------------------------------------------------------------------------------------------------ layouts and routines
 */

const char *scalay_scalapack_obstacle(const scalay_layout *layout)
{
    if (!scalay_layout_is_grid(layout)) return "the source is not block-cyclic";
    if (layout->row.block > INT32_MAX || layout->col.block > INT32_MAX)
        return "the blocks of the source are too large for a descriptor";
    return NULL;
}

const char *scalay_owner_obstacle(const scalay_layout *layout)
{
    const char *obstacle = scalay_scalapack_obstacle(layout);
    if (obstacle != NULL) return obstacle;
    if (layout->row.block != layout->col.block) return "the blocks of the source are not square";
    if (layout->row.first != 0 || layout->col.first != 0) return "the source is a submatrix";
    return NULL;
}

int scalay_layout_load_grid(const scalay_layout *layout, scalay_load_grid *grid)
{
    if (scalay_scalapack_obstacle(layout) != NULL) return 0;
    *grid = (scalay_load_grid){.nprow = (int)layout->row.classes,
                               .npcol = (int)layout->col.classes,
                               .mb = (int)layout->row.block,
                               .nb = (int)layout->col.block};
    return 1;
}

/* ------------------------------------------------------------------------------------------------- p?gemm on a grid */

/* Copies of a panel: into the buffer of the broadcast, and into the order of the blocks. If copies are measured by
 * their size, they take as long as so many of a local matrix. Fitted to orders 64 to 256 on two processors. */
#define COPIES 2.0
#define MEASURED_COPIES 4.0
/* Calls of PBLAS for a panel, in small calls of the BLAS if these are measured. Fitted to orders 64 to 128. */
#define PANEL_CALLS 12.0
/* Factor for local arrays whose columns begin at the same offset in a page: they evict each other from the cache.
 * Fitted to bench_advise. */
#define CONFLICTS 1.2
enum { PAGE_BYTES = 4096 };

/* Returns the seconds of the memory traffic of C: what a flop on narrow panels takes longer than seconds_per_flop. */
static double memory_seconds(const scalay_machine *rates, scalay_type type, double elements, double depth,
                             double extent)
{
    const double size = (double)scalay_type_size(type), panels = ceil(depth / SCALAY_PBLAS_PANEL);
    if (rates->gemm_curve[0] == 0.0) return 2.0 * elements * panels * 2.0 * rates->seconds_per_flop_vector * size / 8.0;
    const double longer = scalay_machine_gemm_rate(rates, extent) - rates->seconds_per_flop;
    return 2.0 * elements * depth * scalay_type_flop_weight(type) * fmax(0.0, longer);
}

/* Returns the bytes of the cache lines that PBLAS reads beside the rows of B. These rows have their columns of A on one
 * process column. They are adjacent if the process rows are a multiple of the process columns; otherwise only those of
 * a block are. */
static double bytes_between_rows(const scalay_load_grid *grid, double size, double depth, double cols)
{
    const double rows = grid->nprow % grid->npcol != 0 ? depth / grid->nprow : 0.0;
    return rows * cols * fmax(0.0, SCALAY_LINE_BYTES / grid->mb - size);
}

static void add_panels(const scalay_machine *rates, scalay_type type, int64_t m, int64_t n, int64_t k,
                       const scalay_load_grid *grid, scalay_gemm_cost *cost)
{
    const double size = (double)scalay_type_size(type), weight = scalay_type_flop_weight(type);
    const double rows = (double)scalay_load_maximum(m, grid->mb, grid->nprow);
    const double cols = (double)scalay_load_maximum(n, grid->nb, grid->npcol);
    const double elements = scalay_load_elements(rates, grid, m, n, 0, 0);
    const double panels = (double)scalay_ceil_div(k, SCALAY_PBLAS_PANEL), depth = (double)k;
    const scalay_link row = scalay_load_row_link(rates, grid), col = scalay_load_col_link(rates, grid);
    const double local = size * depth * fmax(rows / grid->npcol, cols / grid->nprow);
    const double copying =
        (rates->copy_curve[0] > 0.0 ? MEASURED_COPIES : COPIES) * scalay_machine_copy_rate(rates, local);
    const double conflicts = fmod(rows * size, PAGE_BYTES) == 0.0 ? CONFLICTS : 1.0;
    const double width = fmin(depth, SCALAY_PBLAS_PANEL), extent = fmin(fmin(rows, cols), width);
    const double start[2] = {scalay_machine_start_up(rates, row.message, size * rows * width),
                             scalay_machine_start_up(rates, col.message, size * cols * width)};
    cost->compute_seconds = conflicts * 2.0 * elements * depth * weight * rates->seconds_per_flop;
    cost->memory_seconds = conflicts * memory_seconds(rates, type, elements, depth, extent);
    /* A rank receives panels of A along its grid row, and panels of B along its grid column. */
    const double along_rows = grid->npcol > 1 ? rows * depth : 0.0, along_cols = grid->nprow > 1 ? cols * depth : 0.0;
    cost->message_seconds =
        panels * (log2(grid->npcol) * start[0] + log2(grid->nprow) * start[1] + PANEL_CALLS * rates->seconds_per_call) +
        size * (along_rows * (row.byte_in_turn + copying) + along_cols * (col.byte_in_turn + copying)) +
        bytes_between_rows(grid, size, depth, cols) * rates->seconds_per_byte_copied;
}

scalay_status scalay_gemm_on_grid(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int64_t k,
                                  const scalay_load_grid *grid, const char *function, scalay_gemm_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine), dedicated = {0};
    SCALAY_TRY(scalay_check_not_null(cost, function, "cost"));
    if (m < 0 || n < 0 || k < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "m, n, k are %lld, %lld, %lld; they must be at least 0",
                           (long long)m, (long long)n, (long long)k);
    SCALAY_TRY(scalay_load_check(grid, function));
    SCALAY_TRY(scalay_machine_check(&rates, type, function));
    const double complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4.0 : 1.0;
    const double maximum = scalay_load_elements(&dedicated, grid, m, n, 0, 0);
    scalay_gemm_cost found = {.flops = complex_factor * 2.0 * (double)m * (double)n * (double)k};
    found.balance = maximum > 0.0 ? (double)m * (double)n / scalay_load_speeds(grid) / maximum : 1.0;
    add_panels(&rates, type, m, n, k, grid, &found);
    found.seconds = found.compute_seconds + found.memory_seconds + found.message_seconds;
    *cost = found;
cleanup:
    return status;
}

scalay_status scalay_model_gemm(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int64_t k,
                                int nprow, int npcol, int nb, const double *speed, scalay_gemm_cost *cost)
{
    const scalay_load_grid grid = {.nprow = nprow, .npcol = npcol, .mb = nb, .nb = nb, .speed = speed};
    return scalay_gemm_on_grid(machine, type, m, n, k, &grid, __func__, cost);
}

/* ------------------------------------------------------------------------------------------------ SUMMA: a problem */

/* Columns of A and rows of B that SUMMA multiplies at a time (multiply/summa.h). */
enum { DEFAULT_PANEL = 256 };
/* Factors for tiles that are multiplied one by one: without a measured curve, fitted to bench_advise, and with one. The
 * curve has one small extent, a tile has two. */
#define TILES 1.5
#define TILES_ON_CURVE 1.25

/* What SUMMA does on a part. Sent and received elements are those of A and B. */
typedef struct {
    int64_t sent, received;
    int64_t received_of[2];          /* of A, of B */
    int64_t sends_to, receives_from; /* partners, counted for each of A and B */
    double work;                     /* elements of C, times their seconds per flop */
    double passes;                   /* seconds in which products pass over C */
    int64_t messages;
    double latency, transfer; /* of messages, and of bytes that are sent or received, or counted as copied */
    double copying;           /* of received elements that nobody counted */
    double finished;          /* end of all transfers */
} part_load;

/* Elements of A and B that a node sends to other nodes and receives from them. */
typedef struct {
    int64_t sent, received;
} node_load;

/* A product. */
typedef struct {
    scalay_machine machine;
    scalay_multiply_options options;
    const scalay_summa_problem *given;
    const scalay_owner_map *map; /* of C */
    int64_t panel;
    double flops_per_element; /* of C */
    double type_weight;       /* seconds of an operation on the type in those on doubles */
    double bytes;             /* of an element */
    int64_t active;           /* parts with elements */
    double concurrent_transfers;
    double all;         /* seconds of the transfers and copies of all parts, each element once */
    double segments[2]; /* of an element of A, and of B, in the memory of its owner */
    node_load *of_node; /* shape [processes]; NULL: one node */
    int *is_target;     /* shape [processes]: of the lines that are examined */
    scalay_link within, between;
    int is_in_pieces; /* 1: messages between nodes are sent in pieces */
} problem;

/* Returns the node of a part. */
static int node_of(const problem *p, int part)
{
    return p->given->nodes->node[p->given->process[part]];
}

/* --------------------------------------------------------------------------------------- SUMMA: local arrays */

/* Seconds to read and write C in gemm over those of a copy: gemm computes meanwhile. Measured for matrices that exceed
 * the caches. */
#define PASS 0.4
/* C in the measurement of the curve. */
enum { CURVE_BYTES = 512 * 512 * 8 };

double scalay_panel_passes_seconds(const scalay_machine *machine, double bytes, int64_t k, int64_t width)
{
    const double longer = scalay_machine_copy_rate(machine, bytes) - scalay_machine_copy_rate(machine, CURVE_BYTES);
    return (double)scalay_ceil_div(k, width) * PASS * bytes * fmax(0.0, longer);
}

/* Returns the seconds per flop of a local array of C. */
static double array_rate(const problem *p, int are_tiles, const scalay_subarray *array)
{
    const double extent = (double)scalay_min_int64(scalay_min_int64(p->panel, scalay_max_int64(1, p->given->k)),
                                                   scalay_min_int64(array->rows, array->cols));
    if (p->machine.gemm_curve[0] > 0.0)
        return (are_tiles ? TILES_ON_CURVE : 1.0) * scalay_machine_gemm_rate(&p->machine, extent);
    return (are_tiles ? TILES : 1.0) * p->machine.seconds_per_flop;
}

/* Sets the work of the parts, and the segments of an element. Columns of A are contiguous along the rows of a local
 * array. Columns of B are contiguous along the inner indices of a panel. */
static scalay_status add_arrays(problem *p, const scalay_layout *c, part_load *loads)
{
    scalay_status status = SCALAY_SUCCESS;
    const int are_tiles = scalay_layout_is_tile_map(c);
    double elements = 0.0, segments[2] = {0.0, 0.0};
    for (int part = 0; part < c->parts; part++) {
        const int process = scalay_layout_process_of_part(c, part);
        double work = 0.0, own = 0.0;
        for (int64_t k = 0; k < scalay_layout_subarray_count(c, process); k++) {
            scalay_subarray array;
            SCALAY_TRY(scalay_layout_subarray(c, process, k, &array));
            if (array.rows == 0 || array.cols == 0) continue;
            const double count = (double)array.rows * (double)array.cols;
            own += count;
            work += count * array_rate(p, are_tiles, &array);
            segments[0] += (double)array.cols;
            segments[1] += count / (double)scalay_min_int64(p->panel, array.rows);
        }
        loads[part].work = p->given->speed != NULL ? work / p->given->speed[part] : work;
        loads[part].passes = scalay_panel_passes_seconds(&p->machine, own * p->bytes, p->given->k, p->panel);
        p->active += own > 0.0;
        elements += own;
    }
    for (int side = 0; side < 2 && elements > 0.0; side++) p->segments[side] = segments[side] / elements;
cleanup:
    return status;
}

/* Processes that share cores compute at the same time. */
static void share_cores(const problem *p, part_load *loads)
{
    double longest = 0.0, sum = 0.0;
    for (int part = 0; part < p->map->parts; part++) {
        longest = fmax(longest, loads[part].work);
        sum += loads[part].work;
    }
    const double spread = scalay_machine_spread(&p->machine, p->active, 1, longest, sum);
    for (int part = 0; part < p->map->parts && longest > 0.0; part++) loads[part].work *= spread / longest;
}

/* --------------------------------------------------------------------------------------- elements that travel */

static int64_t owners_of(const scalay_line_owners *owners, int64_t line_class)
{
    return owners->start[line_class + 1] - owners->start[line_class];
}

static void receive(part_load *load, int which, int64_t elements)
{
    load->received += elements;
    load->received_of[which] += elements;
}

/* Each part that needs a line receives the elements of the line that it does not have. which: 0 for A, 1 for B. */
static void add_moved(const scalay_cost_side *side, int which, int64_t length, part_load *loads)
{
    const scalay_line_owners *source = &side->source, *target = &side->target;
    for (int64_t j = 0; j < side->overlaps; j++) {
        const scalay_overlap_lines *overlap = &side->overlap[j];
        const int64_t targets = owners_of(target, overlap->target_class);
        for (int64_t e = target->start[overlap->target_class]; e < target->start[overlap->target_class + 1]; e++)
            receive(&loads[target->owner[e]], which, overlap->lines * length);
        for (int64_t e = source->start[overlap->source_class]; e < source->start[overlap->source_class + 1]; e++) {
            part_load *l = &loads[source->owner[e]];
            const int64_t held = overlap->lines * source->held[e];
            const int is_target = scalay_line_owners_has(target, overlap->target_class, source->owner[e]);
            l->sent += held * scalay_min_int64(2, targets - is_target);
            if (is_target) receive(l, which, -held);
        }
    }
}

/* Each node that needs a line receives the elements of the line that it does not have, once. Leaders of nodes form a
 * binary tree: an owner sends to at most two other nodes. */
static void add_between(const problem *p, const scalay_cost_side *side, int64_t length)
{
    const scalay_line_owners *source = &side->source, *target = &side->target;
    for (int64_t j = 0; j < side->overlaps && p->of_node != NULL; j++) {
        const scalay_overlap_lines *overlap = &side->overlap[j];
        const int64_t first = target->start[overlap->target_class], end = target->start[overlap->target_class + 1];
        int64_t targets = 0;
        for (int64_t e = first; e < end; e++) {
            const int node = node_of(p, target->owner[e]);
            if (p->is_target[node]) continue;
            p->is_target[node] = 1;
            p->of_node[node].received += overlap->lines * length;
            targets++;
        }
        for (int64_t e = source->start[overlap->source_class]; e < source->start[overlap->source_class + 1]; e++) {
            const int node = node_of(p, source->owner[e]), is_target = p->is_target[node];
            const int64_t held = overlap->lines * source->held[e];
            p->of_node[node].sent += held * scalay_min_int64(2, targets - is_target);
            p->of_node[node].received -= is_target ? held : 0;
        }
        for (int64_t e = first; e < end; e++) p->is_target[node_of(p, target->owner[e])] = 0;
    }
}

/* Returns the number of other parts that own elements of the target classes that overlap the source classes of a part.
 * visited: shape [parts], below part + 1 for a part that was not visited. */
static int64_t count_partners(const scalay_cost_side *side, int part, int *visited)
{
    const scalay_line_owners *target = &side->target;
    const int64_t first = side->part_start[part], end = side->part_start[part + 1];
    int64_t count = 0;
    for (int64_t p = first; p < end; p++) {
        const int64_t class = side->part_class[p];
        for (int64_t j = side->overlap_start[class]; j < side->overlap_start[class + 1]; j++) {
            const int64_t other = side->overlap[j].target_class;
            /* All lines are alike, as on a grid: no part is visited twice. */
            if (end - first == 1 && side->overlap_start[class + 1] - side->overlap_start[class] == 1)
                return owners_of(target, other) - scalay_line_owners_has(target, other, part);
            for (int64_t e = target->start[other]; e < target->start[other + 1]; e++) {
                if (target->owner[e] == part || visited[target->owner[e]] == part + 1) continue;
                visited[target->owner[e]] = part + 1;
                count++;
            }
        }
    }
    return count;
}

static scalay_status add_partners(const scalay_cost_side *side, int parts, int receives, part_load *loads)
{
    int *visited = NULL;
    const scalay_status status = SCALAY_NEW(visited, parts);
    for (int part = 0; status == SCALAY_SUCCESS && part < parts; part++) {
        const int64_t partners = count_partners(side, part, visited);
        loads[part].sends_to += receives ? 0 : partners;
        loads[part].receives_from += receives ? partners : 0;
    }
    scalay_release(visited);
    return status;
}

/* Adds A or B, cut like C but for the inner extent k. The receivers of the exchanged maps are the senders. */
static scalay_status add_side(const problem *p, int is_a, part_load *loads, int64_t *volume)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_owner_map *map = p->map;
    const int64_t k = p->given->k;
    const scalay_lines_way way = is_a ? SCALAY_LINES_ROWS : SCALAY_LINES_COLUMNS;
    const int64_t rows = is_a ? scalay_owner_map_rows(map) : k, cols = is_a ? k : scalay_owner_map_cols(map);
    const int is_like_c = rows == scalay_owner_map_rows(map) && cols == scalay_owner_map_cols(map);
    scalay_owner_map *resized = NULL;
    scalay_cost_side side = {0}, exchanged = {0};
    if (!is_like_c) SCALAY_TRY(scalay_owner_map_resize(map, rows, cols, &resized));
    SCALAY_TRY(scalay_cost_side_create(is_like_c ? map : resized, map, way, &side));
    SCALAY_TRY(scalay_cost_side_add_volume(&side, k, volume));
    add_moved(&side, !is_a, k, loads);
    add_between(p, &side, k);
    SCALAY_TRY(add_partners(&side, map->parts, 0, loads));
    if (!is_like_c) SCALAY_TRY(scalay_cost_side_create(map, resized, way, &exchanged));
    SCALAY_TRY(add_partners(is_like_c ? &side : &exchanged, map->parts, 1, loads));
cleanup:
    scalay_cost_side_free(&exchanged);
    scalay_cost_side_free(&side);
    scalay_owner_map_destroy(&resized);
    return status;
}

/* ---------------------------------------------------------------------------------------------- SUMMA: seconds */

/* Returns the seconds in which messages of so many bytes together start, or reads from the memory of other parts: so
 * many segments, in so many reads. */
static double start_up_seconds(const problem *p, int64_t messages, int64_t reads, double bytes)
{
    const double count = (double)messages;
    if (messages == 0) return 0.0;
    if (p->options.reads)
        return count * p->machine.seconds_per_message + (double)reads * scalay_machine_reading_start_up(&p->machine);
    return count * scalay_machine_start_up(&p->machine, p->machine.seconds_per_message, bytes / count);
}

/* Sets the seconds of messages, transfers and copies. */
static void find_seconds(problem *p, int64_t panels, part_load *loads)
{
    const scalay_multiply_options *options = &p->options;
    const double copy = p->machine.seconds_per_byte_copied;
    for (int part = 0; part < p->map->parts; part++) {
        part_load *l = &loads[part];
        const int64_t partners = options->reads ? l->receives_from : scalay_max_int64(l->sends_to, l->receives_from);
        const int64_t carried = options->reads ? l->received : scalay_max_int64(l->sent, l->received);
        const int64_t copied = options->copied != NULL ? options->copied[part] : 0;
        const double copying = (double)copied * p->bytes * copy;
        const double segments = (double)l->received_of[0] * p->segments[0] + (double)l->received_of[1] * p->segments[1];
        l->messages = options->messages != NULL ? options->messages[part] : partners * panels;
        l->latency = start_up_seconds(p, l->messages, partners * panels, (double)carried * p->bytes);
        l->transfer = (double)carried * p->bytes * p->machine.seconds_per_byte + copying;
        if (options->copied == NULL && !options->reads)
            l->copying = ((double)l->received * p->bytes + segments * SCALAY_SEGMENT_BYTES) * copy;
        p->all += (double)l->received * p->bytes * p->machine.seconds_per_byte + copying;
    }
}

static double compute_seconds(const problem *p, const part_load *loads, int part)
{
    const double *rate = p->options.seconds_per_flop;
    if (rate == NULL) return loads[part].work * p->type_weight * p->flops_per_element + loads[part].passes;
    return (double)p->map->count[part] * p->flops_per_element * rate[part];
}

/* Returns the seconds of what the node of a part sends and receives over its link. The rate between nodes is that of
 * one process, with all processes of a node sending. */
static double between_seconds(const problem *p, int part)
{
    if (p->of_node == NULL) return 0.0;
    const node_load *node = &p->of_node[node_of(p, part)];
    return (double)scalay_max_int64(node->sent, node->received) * p->bytes * p->between.byte /
           scalay_machine_ranks_of_node(&p->machine);
}

/* Messages: a part takes as long as its own transfers, and at least as all transfers over the concurrent ones.
 * Its copies occupy its core. */
static void share_links(const problem *p, part_load *loads)
{
    double longest = 0.0, sum = 0.0;
    for (int part = 0; part < p->map->parts; part++) {
        longest = fmax(longest, loads[part].copying);
        sum += loads[part].copying;
    }
    const double factor =
        longest > 0.0 ? scalay_machine_spread(&p->machine, p->active, 1, longest, sum) / longest : 0.0;
    for (int part = 0; part < p->map->parts; part++) {
        part_load *l = &loads[part];
        if (l->messages > 0 || l->transfer > 0.0)
            l->finished = l->latency + fmax(l->transfer, p->all / p->concurrent_transfers) + factor * l->copying +
                          between_seconds(p, part);
    }
}

/* A part that reads. */
typedef struct {
    part_load *load;
    double seconds;
} reader;

static int compare_readers(const void *a, const void *b)
{
    const reader *x = a, *y = b;
    return scalay_compare_double(x->seconds, y->seconds);
}

/* Processor sharing of parts that read memory. */
static scalay_status share_processors(const problem *p, part_load *loads)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = p->map->parts;
    reader *readers = NULL;
    double now = 0.0, done = 0.0;
    SCALAY_TRY(SCALAY_NEW(readers, parts));
    for (int k = 0; k < parts; k++) readers[k] = (reader){&loads[k], loads[k].latency + loads[k].transfer};
    qsort(readers, (size_t)parts, sizeof *readers, compare_readers);
    for (int k = 0; k < parts; k++) {
        now += (readers[k].seconds - done) * fmax(1.0, (parts - k) / p->concurrent_transfers);
        done = readers[k].seconds;
        readers[k].load->finished = now;
    }
cleanup:
    scalay_release(readers);
    return status;
}

/* Returns the seconds in which the link carries pieces of the next panel while a part computes with the one before.
 * Nothing hides the first panel, and nothing is hidden behind the last product. */
static double hidden_seconds(const problem *p, int part, int64_t panels, double computing)
{
    if (!p->is_in_pieces || p->options.overlap || panels == 0) return 0.0;
    return (1.0 - 1.0 / (double)panels) * fmin(computing, between_seconds(p, part));
}

/* Sets the times of the parts and their maxima. */
static void finish(const problem *p, const part_load *loads, scalay_multiply_time *time)
{
    for (int part = 0; part < p->map->parts; part++) {
        const part_load *l = &loads[part];
        const double computing = compute_seconds(p, loads, part);
        const double moving = l->finished;
        time->busiest = scalay_max_int64(time->busiest, scalay_max_int64(l->sent, l->received));
        time->messages = scalay_max_int64(time->messages, l->messages);
        time->compute_seconds = fmax(time->compute_seconds, computing);
        time->communicate_seconds = fmax(time->communicate_seconds, moving);
        const double all = p->options.overlap ? fmax(computing, moving) : computing + moving;
        time->seconds = fmax(time->seconds, all - hidden_seconds(p, part, time->panels, computing));
        if (p->given->compute != NULL) p->given->compute[part] = computing;
        if (p->given->communicate != NULL) p->given->communicate[part] = moving;
    }
    time->seconds += scalay_machine_call_seconds(&p->machine);
}

/* Returns 1 if some node has several parts, which pass panels on within it. */
static int shares_node(const problem *p)
{
    int shares = 0;
    for (int part = 0; part < p->map->parts; part++) shares |= p->is_target[node_of(p, part)]++;
    for (int part = 0; part < p->map->parts; part++) p->is_target[node_of(p, part)] = 0;
    return shares > 0;
}

/* Within nodes, messages have the rates within. Their number has the rate between nodes, as a tree has levels of both.
 */
static scalay_status set_nodes(problem *p)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_nodes *nodes = p->given->nodes;
    int several = 0;
    if (nodes == NULL || nodes->node == NULL || p->options.reads) return SCALAY_SUCCESS;
    for (int part = 1; part < p->map->parts && !several; part++) several = node_of(p, part) != node_of(p, 0);
    p->is_in_pieces = several && scalay_machine_piece_bytes(&p->machine) < INT64_MAX;
    SCALAY_TRY(scalay_nodes_rates(&p->machine, nodes, &p->within, &p->between));
    p->machine.seconds_per_byte = p->within.byte;
    p->machine.seconds_per_message = several ? p->between.message : p->within.message;
    if (!several) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(p->of_node, nodes->processes));
    SCALAY_TRY(SCALAY_NEW(p->is_target, nodes->processes));
    if (!shares_node(p)) p->machine.seconds_per_byte = 0.0;
cleanup:
    return status;
}

static scalay_status predict_loads(problem *p, part_load *loads, scalay_multiply_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    /* An axis without lines cannot be resized, and then nothing travels. */
    if (scalay_owner_map_rows(p->map) > 0 && scalay_owner_map_cols(p->map) > 0) {
        if (p->given->c == NULL) SCALAY_TRY(scalay_layout_from_owner_map(p->map, &layout));
        SCALAY_TRY(add_arrays(p, layout != NULL ? layout : p->given->c, loads));
        share_cores(p, loads);
        for (int side = 0; side < 2; side++) SCALAY_TRY(add_side(p, side == 0, loads, &time->volume));
    }
    if (p->options.concurrent_transfers > 0)
        p->concurrent_transfers = p->options.concurrent_transfers;
    else
        p->concurrent_transfers = p->active > 0 ? 0.5 * (double)p->active : 1.0;
    find_seconds(p, time->panels, loads);
    if (p->options.reads)
        SCALAY_TRY(share_processors(p, loads));
    else
        share_links(p, loads);
    finish(p, loads, time);
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

scalay_status scalay_summa_predict(const scalay_machine *machine, scalay_type type, const scalay_summa_problem *given,
                                   const scalay_multiply_options *options, scalay_multiply_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    const int complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4 : 1;
    const double k = (double)given->k;
    part_load *loads = NULL;
    problem p = {.machine = *machine,
                 .options = *options,
                 .given = given,
                 .map = given->map,
                 .panel = options->panel > 0 ? options->panel : DEFAULT_PANEL,
                 .flops_per_element = 2.0 * k,
                 .type_weight = scalay_type_flop_weight(type),
                 .bytes = (double)scalay_type_size(type)};
    *time = (scalay_multiply_time){.flops = 2.0 * complex_factor * (double)scalay_owner_map_rows(given->map) *
                                            (double)scalay_owner_map_cols(given->map) * k,
                                   .panels = scalay_ceil_div(given->k, p.panel)};
    SCALAY_TRY(SCALAY_NEW(loads, given->map->parts));
    SCALAY_TRY(set_nodes(&p));
    SCALAY_TRY(predict_loads(&p, loads, time));
cleanup:
    scalay_release(p.is_target);
    scalay_release(p.of_node);
    scalay_release(loads);
    return status;
}

/* --------------------------------------------------------------------------------------- SUMMA: transports of a node
 */

double scalay_panel_reading_seconds(const scalay_machine *machine, const scalay_panel_traffic *traffic)
{
    const double bytes = (double)traffic->bytes;
    return (bytes + (double)traffic->segments * SCALAY_SEGMENT_BYTES) * scalay_machine_copy_rate(machine, bytes);
}

double scalay_panel_sending_seconds(const scalay_machine *machine, const scalay_panel_traffic *traffic)
{
    const int is_known = machine->seconds_per_byte_within > 0.0;
    const double message = is_known ? machine->seconds_per_message_within : machine->seconds_per_message;
    const double byte = is_known ? machine->seconds_per_byte_within : machine->seconds_per_byte;
    const double packed = (double)traffic->packed;
    return (double)traffic->messages * message + (double)traffic->bytes * byte +
           packed * scalay_machine_copy_rate(machine, packed);
}

/* --------------------------------------------------------------------------------------- SUMMA: on a layout, on a map
 */

scalay_status scalay_summa_on_layout(const scalay_machine *machine, scalay_type type, const scalay_layout *layout,
                                     const double *speed, const scalay_nodes *nodes, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_multiply_options options = scalay_multiply_options_default();
    scalay_owner_map *map = NULL;
    scalay_multiply_time time = {0};
    int *process = NULL;
    *seconds = 0.0;
    SCALAY_TRY(scalay_layout_owner_map(layout, &map));
    SCALAY_TRY(SCALAY_NEW(process, layout->parts));
    for (int part = 0; part < layout->parts; part++) process[part] = scalay_layout_process_of_part(layout, part);
    const scalay_summa_problem given = {
        .c = layout, .map = map, .k = layout->col.extent, .speed = speed, .nodes = nodes, .process = process};
    SCALAY_TRY(scalay_summa_predict(machine, type, &given, &options, &time));
    *seconds = time.seconds;
cleanup:
    scalay_release(process);
    scalay_owner_map_destroy(&map);
    return status;
}

/* Failures go by the public name. */
static const char function_name[] = "scalay_model_multiply";

void scalay_multiply_options_init(scalay_multiply_options *options, size_t size)
{
    const scalay_multiply_options defaults = {.size = sizeof defaults, .panel = DEFAULT_PANEL};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static scalay_status check_speeds(const double *seconds_per_flop, int parts)
{
    for (int part = 0; seconds_per_flop != NULL && part < parts; part++)
        if (!isfinite(seconds_per_flop[part]) || seconds_per_flop[part] < 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                               "seconds_per_flop[%d] is %g; it must be finite and at least 0", part,
                               seconds_per_flop[part]);
    return SCALAY_SUCCESS;
}

static scalay_status check_counts(const char *name, const int64_t *count, int parts)
{
    for (int part = 0; count != NULL && part < parts; part++)
        if (count[part] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name, "%s[%d] is %lld; it must be at least 0", name,
                               part, (long long)count[part]);
    return SCALAY_SUCCESS;
}

static scalay_status check_parts(const scalay_multiply_options *options, int parts)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_speeds(options->seconds_per_flop, parts));
    SCALAY_TRY(check_counts("messages", options->messages, parts));
    SCALAY_TRY(check_counts("copied", options->copied, parts));
cleanup:
    return status;
}

static scalay_status check_arguments(const scalay_machine *machine, scalay_type type, const scalay_owner_map *map,
                                     int64_t k, const scalay_multiply_options *options,
                                     const scalay_multiply_time *time)
{
    if (time == NULL || map == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name, "%s is NULL; pass %s", time == NULL ? "time" : "map",
                           time == NULL ? "the address of a scalay_multiply_time" : "the owner map of C");
    if (scalay_type_flop_weight(type) == 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                           "type is %d; it must be SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE", type);
    if (k < 0 || options->panel < 0 || options->concurrent_transfers < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                           "k, panel, concurrent_transfers are %lld, %lld, %d; they must be at least 0", (long long)k,
                           (long long)options->panel, options->concurrent_transfers);
    if (!scalay_machine_is_valid(machine))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                           "machine has a rate that is not finite and at least 0. Measure it, or pass NULL");
    return check_parts(options, scalay_owner_map_parts(map));
}

scalay_status scalay_model_multiply(const scalay_machine *machine, scalay_type type, const scalay_owner_map *map,
                                    int64_t k, const scalay_multiply_options *options, double *compute,
                                    double *communicate, scalay_multiply_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_multiply_options read = scalay_multiply_options_default();
    const scalay_machine rates = scalay_machine_or_typical(machine);
    const scalay_summa_problem given = {.map = map, .k = k, .compute = compute, .communicate = communicate};
    SCALAY_TRY(scalay_option_struct_read(options, &read, sizeof read, function_name));
    SCALAY_TRY(check_arguments(&rates, type, map, k, &read, time));
    SCALAY_TRY(scalay_summa_predict(&rates, type, &given, &read, time));
cleanup:
    return status;
}
