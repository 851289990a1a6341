/* Patterns beside process grids, G-2DBC (Beaumont et al. 2023) and SBC (Beaumont et al. 2022): owners per tile row plus
 * tile column for LU; z and tiles sent by Cholesky, counted for 8 copies of each pattern, and at least 168 tiles;
 * balance; CPU seconds.
 *
 * A grid uses all processes (of P) or is the one with most work per owner of at most P processes (near P).
 *
 * Usage: bench_pattern [first P, default 2] [last P, default 128] [every n-th, default 1] */
#include "timing.h"

#include <math.h>

#include "scalay/pattern.h"

enum { COPIES = 8, LEAST_TILES = 168 };

static void must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(3);
}

/* A pattern and what it costs. */
typedef struct {
    double cost, z, bound, balance, sent, seconds;
} result;

/* Counts the tiles that Cholesky sends per tile of the lower triangle. */
static void count(const scalay_pattern *pattern, result *r)
{
    scalay_pattern_table table;
    scalay_owner_map *map = NULL;
    scalay_tile_traffic traffic;
    must(scalay_pattern_get_table(pattern, &table));
    const int64_t period = table.rows > table.cols ? table.rows : table.cols;
    const int64_t copies = period * COPIES < LEAST_TILES ? (LEAST_TILES + period - 1) / period : COPIES;
    const int64_t tiles = copies * period;
    must(scalay_owner_map_from_pattern(pattern, tiles, tiles, 1, 1, &map));
    must(scalay_owner_map_tile_traffic(map, 1, SCALAY_PATTERN_CHOLESKY, NULL, &traffic));
    r->sent = 2.0 * (double)traffic.tiles / (double)tiles / (double)tiles;
    scalay_owner_map_destroy(&map);
}

static result judge(scalay_pattern *pattern, scalay_pattern_kernel kernel)
{
    scalay_pattern_summary summary;
    must(scalay_pattern_get_summary(pattern, kernel, NULL, &summary));
    result r = {.cost = summary.cost, .z = summary.z, .bound = summary.bound, .balance = summary.balance};
    if (kernel == SCALAY_PATTERN_CHOLESKY) count(pattern, &r);
    scalay_pattern_destroy(&pattern);
    return r;
}

static result find(int parts, scalay_pattern_kernel kernel)
{
    scalay_pattern *pattern = NULL;
    const double began = timing_now();
    must(scalay_pattern_find(kernel, parts, NULL, 0, &pattern));
    const double seconds = timing_now() - began;
    result r = judge(pattern, kernel);
    r.seconds = seconds;
    return r;
}

static result use_table(const scalay_pattern_table *table)
{
    scalay_pattern *pattern = NULL;
    must(scalay_pattern_create(table, &pattern));
    return judge(pattern, SCALAY_PATTERN_CHOLESKY);
}

static result use_grid(int p, int q)
{
    int *owner = malloc((size_t)p * (size_t)q * sizeof *owner);
    for (int k = 0; k < p * q; k++) owner[k] = k;
    const scalay_pattern_table table = {.parts = p * q, .rows = p, .cols = q, .owner = owner};
    const result r = use_table(&table);
    free(owner);
    return r;
}

/* SBC of r points: a process per pair; extended (r even): processes of two diagonal tiles besides. */
static result use_sbc(int r, int extended)
{
    int *owner = malloc((size_t)r * (size_t)r * sizeof *owner), k = 0;
    for (int a = 0; a < r; a++)
        for (int b = 0; b < a; b++) owner[a * r + b] = owner[b * r + a] = k++;
    for (int a = 0; a < r; a++) owner[a * r + a] = extended ? k + a / 2 : -1;
    const scalay_pattern_table table = {.parts = extended ? r * r / 2 : k, .rows = r, .cols = r, .owner = owner};
    const result x = use_table(&table);
    free(owner);
    return x;
}

static double g2dbc(int parts)
{
    const int a = (int)ceil(sqrt(parts) - 1e-12), b = (parts + a - 1) / a, c = a * b - parts;
    return a + ((a - c) * (double)b * b + c * (b - 1.0) * (b - 1)) / parts;
}

/* The grid of at most P processes with the largest p q / (p + q); of all P processes, if `whole`. */
static void best_grid(int parts, int whole, int *p, int *q)
{
    double best = 0;
    for (int x = 1; x * x <= parts; x++) {
        const int y = parts / x;
        const double value = (double)x * y / (x + y);
        if ((whole && x * y != parts) || value <= best) continue;
        best = value;
        *p = x;
        *q = y;
    }
}

static void print_sbc(int parts)
{
    for (int r = 2; r * (r - 1) / 2 <= parts; r++) {
        if (r * (r - 1) / 2 == parts || (r % 2 == 0 && r * r / 2 == parts)) {
            const result sbc = use_sbc(r, r * (r - 1) / 2 != parts);
            printf(" %.2f, %.2f |", sbc.z, sbc.sent);
            return;
        }
    }
    printf(" - |");
}

static void print_row(int parts)
{
    int p = 1, q = 1, all_p = 1, all_q = 1;
    best_grid(parts, 0, &p, &q);
    best_grid(parts, 1, &all_p, &all_q);
    const result lu = find(parts, SCALAY_PATTERN_LU), cholesky = find(parts, SCALAY_PATTERN_CHOLESKY);
    const result grid = use_grid(p, q);
    printf("| %d | %d | %d x %d: %d | %.3f | %.3f | %.3f | %.2g |", parts, all_p + all_q, p, q, p + q, g2dbc(parts),
           lu.cost, lu.bound, lu.seconds);
    printf(" %.2f, %.2f |", grid.z, grid.sent);
    print_sbc(parts);
    printf(" %.3f, %.2f | %.3f | %.3f | %.2g |\n", cholesky.z, cholesky.sent, cholesky.bound, 1 / cholesky.balance,
           cholesky.seconds);
    fflush(stdout);
}

int main(int arguments, char **argument)
{
    const int first = arguments > 1 ? atoi(argument[1]) : 2, last = arguments > 2 ? atoi(argument[2]) : 128;
    const int every = arguments > 3 ? atoi(argument[3]) : 1;
    if (first < 1 || last < first || every < 1) {
        printf("Usage: %s [first P] [last P] [every n-th]\n", argument[0]);
        return 2;
    }
    printf("LU: owners per tile row plus tile column. Cholesky: z, tiles sent per tile of the triangle.\n\n");
    printf(
        "| P | grid of P | grid near P | G-2DBC | ours | bound | s | Cholesky, grid near P | SBC | ours | bound | max "
        "/ mean | s |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int parts = first; parts <= last; parts += every) print_row(parts);
    return 0;
}
