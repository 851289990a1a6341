/* Optimal mappings: processor seconds of ours beside textbook solvers in one run, on one core.
 *
 * Peers, both written here from their textbook descriptions, named in the table:
 *   hungarian   the O(P^3) shortest augmenting path method on the full matrix, row after row (Kuhn 1955, Munkres 1957,
 *               in the form of Jonker and Volgenant without their initialisations)
 *   ssp         successive shortest paths on the non-zeros with a binary heap, row after row, no initialisation
 *
 * Usage: bench_mapping [repetitions, default 3] [largest P for hungarian, default 1024] [largest P for ssp, default
 * 65536] */
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/memory.h"
#include "core/random.h"
#include "mapping/traffic.h"

enum { MOST_REPETITIONS = 99 };

/* Of the processor, so that a busy machine does not count. */
static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void *room(size_t count, size_t size)
{
    void *array = calloc(count, size);
    if (array == NULL) {
        fprintf(stderr, "no memory\n");
        exit(3);
    }
    return array;
}

static void must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(3);
}

/* ------------------------------------------------------------------------------------------- instances */

/* Every entry is positive. */
static scalay_traffic *dense_traffic(int extent, int64_t below, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    const int64_t count = (int64_t)extent * extent;
    int *process = room((size_t)count, sizeof *process);
    int *part = room((size_t)count, sizeof *part);
    int64_t *items = room((size_t)count, sizeof *items);
    scalay_traffic *traffic = NULL;
    for (int64_t e = 0; e < count; e++) {
        process[e] = (int)(e / extent);
        part[e] = (int)(e % extent);
        items[e] = 1 + scalay_random_below(&random, below);
    }
    must(scalay_traffic_from_entries(extent, extent, count, process, part, items, &traffic));
    free(process);
    free(part);
    free(items);
    return traffic;
}

/* `each` items of every part, on random processes. */
static scalay_traffic *sparse_traffic(int extent, int each, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    const int64_t count = (int64_t)extent * each;
    int *process = room((size_t)count, sizeof *process);
    int *part = room((size_t)count, sizeof *part);
    int64_t *items = room((size_t)count, sizeof *items);
    scalay_traffic *traffic = NULL;
    for (int64_t e = 0; e < count; e++) {
        process[e] = (int)scalay_random_below(&random, extent);
        part[e] = (int)(e / each);
        items[e] = 1;
    }
    must(scalay_traffic_from_entries(extent, extent, count, process, part, items, &traffic));
    free(process);
    free(part);
    free(items);
    return traffic;
}

/* -------------------------------------------------------------------------------------- peer: hungarian */

typedef struct {
    int extent;
    int64_t *cost; /* shape [extent][extent] */
    int64_t *u;
    int64_t *v;
    int64_t *least;
    int *row_of_col; /* 1-based; 0: free */
    int *way;
    unsigned char *done;
} hungarian;

/* One row more: grows a tree of tight edges until it meets a free column. Column 0 stands for the new row. */
static void hungarian_add_row(hungarian *peer, int row)
{
    const int n = peer->extent;
    int column = 0;
    peer->row_of_col[0] = row;
    for (int j = 0; j <= n; j++) {
        peer->least[j] = INT64_MAX;
        peer->done[j] = 0;
    }
    do {
        int i = peer->row_of_col[column];
        const int64_t *cost = peer->cost + (int64_t)(i - 1) * n;
        int64_t delta = INT64_MAX;
        int next = 0;
        peer->done[column] = 1;
        for (int j = 1; j <= n; j++) {
            if (peer->done[j]) continue;
            int64_t reduced = cost[j - 1] - peer->u[i] - peer->v[j];
            if (reduced < peer->least[j]) {
                peer->least[j] = reduced;
                peer->way[j] = column;
            }
            if (peer->least[j] < delta) {
                delta = peer->least[j];
                next = j;
            }
        }
        for (int j = 0; j <= n; j++) {
            if (peer->done[j]) {
                peer->u[peer->row_of_col[j]] += delta;
                peer->v[j] -= delta;
            } else {
                peer->least[j] -= delta;
            }
        }
        column = next;
    } while (peer->row_of_col[column] != 0);
    for (; column != 0; column = peer->way[column]) peer->row_of_col[column] = peer->row_of_col[peer->way[column]];
}

/* Returns the items that stay. */
static int64_t hungarian_solve(const scalay_traffic *traffic)
{
    const int n = traffic->parts;
    const size_t entries = (size_t)n + 1;
    hungarian peer = {.extent = n,
                      .cost = room((size_t)n * (size_t)n, sizeof(int64_t)),
                      .u = room(entries, sizeof(int64_t)),
                      .v = room(entries, sizeof(int64_t)),
                      .least = room(entries, sizeof(int64_t)),
                      .row_of_col = room(entries, sizeof(int)),
                      .way = room(entries, sizeof(int)),
                      .done = room(entries, 1)};
    int64_t kept = 0;
    for (int i = 0; i < n; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++)
            peer.cost[(int64_t)i * n + traffic->part[e]] = -traffic->count[e];
    for (int i = 1; i <= n; i++) hungarian_add_row(&peer, i);
    for (int j = 1; j <= n; j++) kept -= peer.cost[(int64_t)(peer.row_of_col[j] - 1) * n + j - 1];
    free(peer.cost);
    free(peer.u);
    free(peer.v);
    free(peer.least);
    free(peer.row_of_col);
    free(peer.way);
    free(peer.done);
    return kept;
}

/* --------------------------------------------------------------------------------------------- peer: ssp */

typedef struct {
    int64_t distance;
    int column;
} heap_entry;

typedef struct {
    const scalay_traffic *traffic;
    int *of_row;
    int *of_col;
    int64_t *u;
    int64_t *v;
    int64_t *distance;
    int *from;
    int *touched;
    int touched_count;
    heap_entry *heap;
    int64_t heap_count;
} ssp;

static void ssp_push(ssp *peer, int64_t distance, int column)
{
    int64_t k = peer->heap_count++;
    for (; k > 0 && peer->heap[(k - 1) / 2].distance > distance; k = (k - 1) / 2)
        peer->heap[k] = peer->heap[(k - 1) / 2];
    peer->heap[k] = (heap_entry){distance, column};
}

static heap_entry ssp_pop(ssp *peer)
{
    heap_entry top = peer->heap[0];
    heap_entry last = peer->heap[--peer->heap_count];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= peer->heap_count) break;
        if (child + 1 < peer->heap_count && peer->heap[child + 1].distance < peer->heap[child].distance) child++;
        if (peer->heap[child].distance >= last.distance) break;
        peer->heap[k] = peer->heap[child];
        k = child;
    }
    peer->heap[k] = last;
    return top;
}

/* Columns 0 .. parts-1 are the parts; column parts + i is the private way of row i to stay unmatched, weight 0. */
static void ssp_relax(ssp *peer, int row, int64_t base, int column, int64_t weight)
{
    int64_t distance = base + peer->u[row] + peer->v[column] - weight;
    if (distance >= peer->distance[column]) return;
    if (peer->distance[column] == INT64_MAX) peer->touched[peer->touched_count++] = column;
    peer->distance[column] = distance;
    peer->from[column] = row;
    ssp_push(peer, distance, column);
}

/* Grows a tree of shortest paths from a row until it meets a free column, which is returned. */
static int ssp_search(ssp *peer, int root, int64_t *distance)
{
    const scalay_traffic *traffic = peer->traffic;
    int row = root;
    *distance = 0;
    for (;;) {
        for (int64_t e = traffic->start[row]; e < traffic->start[row + 1]; e++)
            ssp_relax(peer, row, *distance, traffic->part[e], traffic->count[e]);
        ssp_relax(peer, row, *distance, traffic->parts + row, 0);
        heap_entry next = ssp_pop(peer);
        while (next.distance > peer->distance[next.column]) next = ssp_pop(peer);
        *distance = next.distance;
        if (peer->of_col[next.column] < 0) return next.column;
        row = peer->of_col[next.column];
    }
}

static void ssp_update_duals(ssp *peer, int root, int64_t distance)
{
    for (int k = 0; k < peer->touched_count; k++) {
        int column = peer->touched[k];
        int64_t gain = distance - peer->distance[column];
        peer->distance[column] = INT64_MAX;
        if (gain <= 0) continue;
        peer->v[column] += gain;
        if (peer->of_col[column] >= 0) peer->u[peer->of_col[column]] -= gain;
    }
    peer->u[root] -= distance;
    peer->touched_count = 0;
    peer->heap_count = 0;
}

static void ssp_add_row(ssp *peer, int root)
{
    const scalay_traffic *traffic = peer->traffic;
    int64_t distance = 0;
    peer->u[root] = 0;
    for (int64_t e = traffic->start[root]; e < traffic->start[root + 1]; e++) {
        int64_t gain = traffic->count[e] - peer->v[traffic->part[e]];
        if (gain > peer->u[root]) peer->u[root] = gain;
    }
    int end = ssp_search(peer, root, &distance);
    ssp_update_duals(peer, root, distance);
    while (end >= 0) {
        int holder = peer->from[end];
        int before = holder == root ? -1 : peer->of_row[holder];
        peer->of_row[holder] = end;
        peer->of_col[end] = holder;
        end = before;
    }
}

static int64_t ssp_solve(const scalay_traffic *traffic)
{
    const size_t rows = (size_t)traffic->processes;
    const size_t cols = (size_t)traffic->parts + rows;
    ssp peer = {.traffic = traffic,
                .of_row = room(rows, sizeof(int)),
                .of_col = room(cols, sizeof(int)),
                .u = room(rows, sizeof(int64_t)),
                .v = room(cols, sizeof(int64_t)),
                .distance = room(cols, sizeof(int64_t)),
                .from = room(cols, sizeof(int)),
                .touched = room(cols, sizeof(int)),
                .heap = room((size_t)traffic->start[rows] + rows + 1, sizeof(heap_entry))};
    int64_t kept = 0;
    for (size_t j = 0; j < cols; j++) {
        peer.of_col[j] = -1;
        peer.distance[j] = INT64_MAX;
    }
    for (size_t i = 0; i < rows; i++) ssp_add_row(&peer, (int)i);
    for (size_t i = 0; i < rows; i++) kept += scalay_traffic_get(traffic, (int)i, peer.of_row[i]);
    free(peer.of_row);
    free(peer.of_col);
    free(peer.u);
    free(peer.v);
    free(peer.distance);
    free(peer.from);
    free(peer.touched);
    free(peer.heap);
    return kept;
}

/* ------------------------------------------------------------------------------------------------ table */

typedef int64_t (*peer_solver)(const scalay_traffic *traffic);

/* Prints a line of the table; returns the median seconds. */
static double time_objective(const char *name, const scalay_traffic *traffic, scalay_objective objective,
                             int repetitions, int64_t *volume)
{
    double seconds[MOST_REPETITIONS];
    scalay_mapping *mapping = NULL;
    int64_t before = scalay_memory_bytes();
    scalay_memory_reset_peak();
    for (int k = 0; k < repetitions; k++) {
        scalay_mapping_destroy(&mapping);
        double start = now();
        must(scalay_mapping_from_traffic(traffic, objective, NULL, &mapping));
        seconds[k] = now() - start;
    }
    must(scalay_mapping_check(traffic, mapping, NULL));
    double middle = timing_median(seconds, repetitions);
    *volume = scalay_mapping_volume(mapping);
    printf("%-22s %-12s %10.4f %14lld %12lld %9.1f\n", name, scalay_objective_name(objective), middle,
           (long long)scalay_mapping_volume(mapping), (long long)scalay_mapping_steps(mapping),
           (double)(scalay_memory_peak() - before) / 1048576.0);
    fflush(stdout);
    scalay_mapping_destroy(&mapping);
    return middle;
}

static void time_peer(const char *name, const char *peer, peer_solver solve, const scalay_traffic *traffic,
                      int repetitions, double ours, int64_t volume)
{
    double seconds[MOST_REPETITIONS];
    int64_t kept = 0;
    for (int k = 0; k < repetitions; k++) {
        double start = now();
        kept = solve(traffic);
        seconds[k] = now() - start;
    }
    double middle = timing_median(seconds, repetitions);
    printf("%-22s %-12s %10.4f %14lld   %.1f times the time of ours%s\n", name, peer, middle,
           (long long)(scalay_traffic_items(traffic) - kept), middle / ours,
           scalay_traffic_items(traffic) - kept == volume ? "" : "  DIFFERENT VOLUME");
    fflush(stdout);
}

static void measure(const char *name, scalay_traffic *traffic, int repetitions, int largest_hungarian, int largest_ssp)
{
    static const scalay_objective objectives[] = {SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS, SCALAY_MIN_VOLUME};
    int64_t volume = 0;
    double ours = 0.0;
    for (size_t k = 0; k < sizeof objectives / sizeof objectives[0]; k++)
        ours = time_objective(name, traffic, objectives[k], repetitions, &volume);
    if (scalay_traffic_parts(traffic) <= largest_hungarian)
        time_peer(name, "hungarian", hungarian_solve, traffic, repetitions, ours, volume);
    if (scalay_traffic_parts(traffic) <= largest_ssp)
        time_peer(name, "ssp", ssp_solve, traffic, repetitions, ours, volume);
    scalay_traffic_destroy(&traffic);
}

/* Least volume between two grids, through the factors of their traffic and through the traffic itself. */
static void measure_grids(int p, int64_t block, int64_t wanted_block, int repetitions, int through_traffic)
{
    enum { EXTENT = 1000000 };
    double seconds[MOST_REPETITIONS], slow = 0.0;
    char name[64];
    scalay_layout *source = NULL, *target = NULL;
    scalay_mapping *mapping = NULL;
    must(scalay_layout_block_cyclic(EXTENT, EXTENT, block, block, p, p, 0, 0, SCALAY_ROW_MAJOR, &source));
    must(scalay_layout_block_cyclic(EXTENT, EXTENT, wanted_block, wanted_block, p, p, 0, 0, SCALAY_ROW_MAJOR, &target));
    const int64_t before = scalay_memory_bytes();
    scalay_memory_reset_peak();
    for (int k = 0; k < repetitions; k++) {
        scalay_mapping_destroy(&mapping);
        double start = now();
        must(scalay_mapping_create(source, target, SCALAY_MIN_VOLUME, NULL, &mapping));
        seconds[k] = now() - start;
    }
    const double peak = (double)(scalay_memory_peak() - before) / 1048576.0;
    for (int k = 0; k < repetitions && through_traffic; k++) {
        scalay_traffic *traffic = NULL;
        scalay_mapping *other = NULL;
        double start = now();
        must(scalay_traffic_create(source, target, &traffic));
        must(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &other));
        slow += (now() - start) / repetitions;
        if (k == 0) must(scalay_mapping_check(traffic, mapping, NULL));
        scalay_mapping_destroy(&other);
        scalay_traffic_destroy(&traffic);
    }
    (void)snprintf(name, sizeof name, "grids %d, %lld -> %lld", p * p, (long long)block, (long long)wanted_block);
    printf("%-22s %-12s %10.4f %14.3e %12lld %9.1f", name, "volume", timing_median(seconds, repetitions),
           (double)scalay_mapping_volume(mapping), (long long)scalay_mapping_steps(mapping), peak);
    if (through_traffic) printf("   through the traffic %.3f s", slow);
    printf("\n");
    fflush(stdout);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : 3;
    int largest_hungarian = argc > 2 ? atoi(argv[2]) : 1024;
    int largest_ssp = argc > 3 ? atoi(argv[3]) : 65536;
    if (repetitions < 1 || repetitions > MOST_REPETITIONS) {
        fprintf(stderr, "repetitions: 1 to %d\n", MOST_REPETITIONS);
        return 2;
    }
    printf("%-22s %-12s %10s %14s %12s %9s\n", "instance", "objective", "seconds", "volume", "steps", "MB");
    measure("dense 1024 uniform", dense_traffic(1024, 1000000, 1), repetitions, largest_hungarian, largest_ssp);
    measure("dense 1024 ties", dense_traffic(1024, 100, 2), repetitions, largest_hungarian, largest_ssp);
    measure("dense 4096 uniform", dense_traffic(4096, 1000000, 3), repetitions, largest_hungarian,
            largest_hungarian > 1024 ? largest_ssp : 0);
    measure("dense 4096 ties", dense_traffic(4096, 100, 4), repetitions, largest_hungarian,
            largest_hungarian > 1024 ? largest_ssp : 0);
    measure("sparse 65536 x 20", sparse_traffic(65536, 20, 5), repetitions, 0, largest_ssp);
    measure_grids(64, 64, 48, repetitions, 1);
    measure_grids(256, 64, 48, repetitions, 1);
    measure_grids(512, 64, 48, repetitions, 1);
    return 0;
}
