/* Patterns: tables of owners that repeat, their cost, their layouts, and the tiles that kernels send. Run with a seed
 * as argument to repeat a case. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "partition/pattern.h"

static uint64_t first_seed = 1;

/* ------------------------------------------------------------------------------------------------------ definition */

/* A 2 x 3 pattern on three processes, repeated over 5 x 4 tiles. */
static void a_pattern_repeats(void **state)
{
    (void)state;
    const int owner[] = {0, 1, 2, 1, 2, 0};
    const scalay_pattern_table table = {.parts = 3, .rows = 2, .cols = 3, .owner = owner};
    scalay_pattern *pattern = NULL;
    assert_int_equal(scalay_pattern_create(&table, &pattern), SCALAY_SUCCESS);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++) assert_int_equal(scalay_pattern_owner(pattern, i, j), owner[i % 2 * 3 + j % 3]);
    scalay_pattern_summary summary;
    assert_int_equal(scalay_pattern_get_summary(pattern, SCALAY_PATTERN_LU, NULL, &summary), SCALAY_SUCCESS);
    assert_true(fabs(summary.row_owners - 3) + fabs(summary.col_owners - 2) < 1e-12);
    assert_true(fabs(summary.cost - 5) + fabs(summary.bound - 2 * sqrt(3)) + fabs(summary.balance - 1) < 1e-12);
    scalay_pattern_destroy(&pattern);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The owner of a tile as pattern.h defines it. */
static int defined_owner(const scalay_pattern_table *t, int64_t i, int64_t j)
{
    const int64_t copies = t->copies > 0 ? t->copies : 1;
    const int64_t row = i + t->row_offset, col = j + t->col_offset;
    const int64_t copy = (row / t->rows + col / t->cols) % copies;
    const int x = t->owner[row % t->rows * t->cols + col % t->cols];
    if (x < 0) return t->diagonal[row % t->rows * copies + copy];
    return t->permutation != NULL ? t->permutation[copy * t->parts + x] : x;
}

enum { MAX_PARTS = 9, MAX_SIDE = 7, MAX_COPIES = 4 };

/* A random table and its memory. */
typedef struct {
    scalay_pattern_table table;
    int owner[MAX_SIDE * MAX_SIDE], permutation[MAX_COPIES * MAX_PARTS], diagonal[MAX_SIDE * MAX_COPIES];
} random_table;

static int below(scalay_random *random, int bound)
{
    return (int)scalay_random_below(random, bound);
}

static void shuffle(scalay_random *random, int count, int *list)
{
    for (int k = 0; k < count; k++) list[k] = k;
    for (int k = count - 1; k > 0; k--) {
        const int other = below(random, k + 1), kept = list[k];
        list[k] = list[other];
        list[other] = kept;
    }
}

static void fill_random(scalay_random *random, random_table *r)
{
    scalay_pattern_table *t = &r->table;
    const int symmetric = below(random, 2);
    *t = (scalay_pattern_table){.rows = 1 + below(random, MAX_SIDE), .copies = 1 + below(random, MAX_COPIES)};
    t->cols = symmetric ? t->rows : 1 + below(random, MAX_SIDE);
    const int most = symmetric ? t->rows * (t->rows + 1) / 2 : t->rows * t->cols;
    t->parts = 1 + below(random, most < MAX_PARTS ? most : MAX_PARTS);
    t->row_offset = below(random, t->rows);
    t->col_offset = below(random, t->cols);
    for (int a = 0, k = 0; a < t->rows; a++)
        for (int b = 0; b < (symmetric ? a + 1 : t->cols); b++, k++) {
            const int owner = k < t->parts ? k : below(random, t->parts);
            r->owner[a * t->cols + b] = owner;
            if (symmetric) r->owner[b * t->cols + a] = owner;
        }
    t->owner = r->owner;
    if (below(random, 2)) t->permutation = r->permutation;
    for (int copy = 0; copy < t->copies; copy++) shuffle(random, t->parts, r->permutation + copy * t->parts);
    if (!symmetric) return;
    t->diagonal = r->diagonal;
    for (int k = 0; k < t->rows * t->copies; k++) r->diagonal[k] = below(random, t->parts);
    for (int a = 0; a < t->rows; a++)
        if (below(random, 2)) {
            r->diagonal[a * t->copies] = r->owner[a * t->cols + a]; /* every process keeps a tile */
            r->owner[a * t->cols + a] = -1;
        }
}

/* Owners, owner maps and layouts of random patterns, and of windows of them, follow the definition. */
static void maps_and_layouts_follow_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 150; seed++) {
        scalay_random random = scalay_random_seed(seed);
        static random_table r;
        scalay_pattern *pattern = NULL;
        scalay_owner_map *map = NULL, *back = NULL;
        scalay_layout *layout = NULL, *tiles = NULL, *window = NULL;
        fill_random(&random, &r);
        const scalay_status status = scalay_pattern_create(&r.table, &pattern);
        if (status == SCALAY_ERROR_ARGUMENT) continue; /* a permutation has taken the only tile of a process */
        assert_int_equal(status, SCALAY_SUCCESS);
        const int mb = 1 + below(&random, 4), nb = 1 + below(&random, 4);
        const int m = below(&random, 60), n = below(&random, 60);
        assert_int_equal(scalay_owner_map_from_pattern(pattern, m, n, mb, nb, &map), SCALAY_SUCCESS);
        assert_int_equal(scalay_layout_from_pattern(pattern, m, n, mb, nb, &layout), SCALAY_SUCCESS);
        assert_int_equal(scalay_layout_from_owner_map(map, &tiles), SCALAY_SUCCESS);
        assert_int_equal(scalay_layout_owner_map(layout, &back), SCALAY_SUCCESS);
        if (m > 0 && n > 0) assert_true(scalay_layout_same_owners(layout, tiles));
        int64_t held[MAX_PARTS] = {0};
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                const int owner = defined_owner(&r.table, i / mb, j / nb);
                held[owner]++;
                if (scalay_pattern_owner(pattern, i / mb, j / nb) != owner ||
                    scalay_owner_map_owner(map, i, j) != owner || scalay_owner_map_owner(back, i, j) != owner ||
                    scalay_layout_owner(layout, i, j) != owner)
                    fail_msg("seed %llu: (%d, %d)", (unsigned long long)seed, i, j);
            }
        for (int part = 0; part < r.table.parts; part++)
            assert_int_equal(scalay_layout_local_size(layout, part), held[part]);
        if (m > 3 && n > 3) {
            assert_int_equal(scalay_layout_submatrix(layout, 1, 2, m - 3, n - 3, &window), SCALAY_SUCCESS);
            for (int i = 0; i < m - 3; i++)
                for (int j = 0; j < n - 3; j++)
                    assert_int_equal(scalay_layout_owner(window, i, j),
                                     defined_owner(&r.table, (i + 1) / mb, (j + 2) / nb));
        }
        scalay_layout_destroy(&window);
        scalay_layout_destroy(&layout);
        scalay_layout_destroy(&tiles);
        scalay_owner_map_destroy(&map);
        scalay_owner_map_destroy(&back);
        scalay_pattern_destroy(&pattern);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* A million rows and columns need the memory of the pattern only. */
static void extents_do_not_cost_memory(void **state)
{
    (void)state;
    const int owner[] = {0, 1, 2, 3, 4, 5};
    const scalay_pattern_table table = {.parts = 6, .rows = 2, .cols = 3, .owner = owner};
    scalay_pattern *pattern = NULL;
    scalay_layout *layout = NULL, *grid = NULL;
    assert_int_equal(scalay_pattern_create(&table, &pattern), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_from_pattern(pattern, 1000000, 1000000, 64, 64, &layout), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(1000000, 1000000, 64, 64, 2, 3, 0, 0, SCALAY_ROW_MAJOR, &grid),
                     SCALAY_SUCCESS);
    assert_true(scalay_layout_same_owners(layout, grid));
    for (int part = 0; part < 6; part++)
        assert_int_equal(scalay_layout_local_size(layout, part), scalay_layout_local_size(grid, part));
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&grid);
    scalay_pattern_destroy(&pattern);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------------ tile traffic
 */

enum { MAX_TILES = 12 };

/* Simulates a kernel: for each tile that is used in a step, the processes that use it receive it once. */
typedef struct {
    int rows, cols;
    int owner[MAX_TILES][MAX_TILES];
    int64_t tiles;
    int64_t sent[MAX_PARTS];
} simulation;

static void deliver(simulation *s, int owner, const int *needs)
{
    for (int x = 0; x < MAX_PARTS; x++)
        if (needs[x] && x != owner) {
            s->tiles++;
            s->sent[owner]++;
        }
}

static void simulate_lu(simulation *s)
{
    for (int k = 0; k < s->rows && k < s->cols; k++)
        for (int i = k; i < s->rows; i++)
            for (int j = k; j < s->cols; j++) {
                int needs[MAX_PARTS] = {0};
                if (i > k && j > k) continue;
                if (i == k && j == k) {
                    for (int l = k + 1; l < s->rows; l++) needs[s->owner[l][k]] = 1;
                    for (int l = k + 1; l < s->cols; l++) needs[s->owner[k][l]] = 1;
                } else if (j == k) {
                    for (int l = k + 1; l < s->cols; l++) needs[s->owner[i][l]] = 1;
                } else {
                    for (int l = k + 1; l < s->rows; l++) needs[s->owner[l][j]] = 1;
                }
                deliver(s, s->owner[i][j], needs);
            }
}

static void simulate_qr(simulation *s)
{
    for (int k = 0; k < s->rows && k < s->cols; k++) {
        for (int i = k; i < s->rows; i++) {
            int needs[MAX_PARTS] = {0};
            for (int l = k + 1; l < s->cols; l++) needs[s->owner[i][l]] = 1;
            deliver(s, s->owner[i][k], needs);
        }
        for (int j = k + 1; j < s->cols; j++) {
            int needs[MAX_PARTS] = {0};
            for (int i = k; i < s->rows; i++) needs[s->owner[i][j]] = 1;
            deliver(s, s->owner[k][j], needs);
            for (int x = 0; x < MAX_PARTS; x++)
                if (needs[x] && x != s->owner[k][j]) {
                    s->tiles++;
                    s->sent[x]++;
                }
        }
    }
}

/* Tile (i, k) is read by the updates of tiles (i, j), k < j <= i, and (l, i), l > i, and by the trsm of its column. */
static void simulate_cholesky(simulation *s)
{
    for (int k = 0; k < s->cols; k++)
        for (int i = k; i < s->rows; i++) {
            int needs[MAX_PARTS] = {0};
            for (int l = i + 1; l < s->rows; l++) needs[s->owner[l][i]] = 1;
            for (int j = k + 1; j <= i; j++) needs[s->owner[i][j]] = 1;
            deliver(s, s->owner[i][k], needs);
        }
}

static void simulate_gemm(simulation *s)
{
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->cols; j++) {
            int needs[MAX_PARTS] = {0}, needs_b[MAX_PARTS] = {0};
            for (int l = 0; l < s->cols; l++) needs[s->owner[i][l]] = 1;
            for (int l = 0; l < s->rows; l++) needs_b[s->owner[l][j]] = 1;
            deliver(s, s->owner[i][j], needs);
            deliver(s, s->owner[i][j], needs_b);
        }
}

static void tile_traffic_is_that_of_a_simulated_run(void **state)
{
    (void)state;
    static void (*const simulate[])(simulation *) = {simulate_gemm, simulate_lu, simulate_qr, simulate_cholesky};
    for (uint64_t seed = first_seed; seed < first_seed + 300; seed++) {
        scalay_random random = scalay_random_seed(seed);
        static int owner[MAX_TILES * MAX_TILES];
        const int kernel = (int)(seed % 4), nb = 1 + below(&random, 3), parts = 1 + below(&random, MAX_PARTS);
        simulation s = {.rows = 1 + below(&random, MAX_TILES), .cols = 1 + below(&random, MAX_TILES)};
        if (kernel == SCALAY_PATTERN_CHOLESKY) s.cols = s.rows;
        int64_t row_cut[MAX_TILES + 1] = {0}, col_cut[MAX_TILES + 1] = {0};
        for (int i = 0; i < s.rows; i++)
            for (int j = 0; j < s.cols; j++) owner[i * s.cols + j] = s.owner[i][j] = below(&random, parts);
        for (int i = 0; i < s.rows; i++) row_cut[i + 1] = (i + 1) * nb;
        for (int j = 0; j < s.cols; j++) col_cut[j + 1] = (j + 1) * nb;
        scalay_owner_map *map = NULL;
        scalay_tile_traffic traffic;
        assert_int_equal(scalay_owner_map_create(s.rows, s.cols, row_cut, col_cut, parts, owner, &map), SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_tile_traffic(map, nb, (scalay_pattern_kernel)kernel, NULL, &traffic),
                         SCALAY_SUCCESS);
        simulate[kernel](&s);
        int64_t max = 0;
        for (int part = 0; part < parts; part++) max = s.sent[part] > max ? s.sent[part] : max;
        if (traffic.tiles != s.tiles || traffic.max_sent != max)
            fail_msg("seed %llu, kernel %d: %lld, %lld instead of %lld, %lld", (unsigned long long)seed, kernel,
                     (long long)traffic.tiles, (long long)traffic.max_sent, (long long)s.tiles, (long long)max);
        scalay_owner_map_destroy(&map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* --------------------------------------------------------------------------------------------------------- planes */

/* Two points are on exactly one line, and each line has q + 1 points. */
static void planes_are_projective_planes(void **state)
{
    (void)state;
    static const int orders[] = {2, 3, 4, 5, 7, 8, 9, 11, 13};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        scalay_plane plane;
        assert_true(scalay_is_prime_power(orders[k]));
        assert_int_equal(scalay_plane_create(orders[k], &plane), SCALAY_SUCCESS);
        const int v = plane.points, q = orders[k];
        int *points = calloc((size_t)v, sizeof *points);
        for (int a = 0; a < v; a++) {
            int *lines = calloc((size_t)v, sizeof *lines), count = 0;
            for (int b = 0; b < v; b++) {
                const int line = plane.line[a * v + b];
                if (a == b) continue;
                assert_true(line >= 0 && line < v && line == plane.line[b * v + a]);
                count += lines[line]++ == 0;
            }
            for (int line = 0; line < v; line++) {
                assert_true(lines[line] == 0 || lines[line] == q);
                points[line] += lines[line] > 0;
            }
            assert_int_equal(count, q + 1);
            free(lines);
        }
        for (int line = 0; line < v; line++) assert_int_equal(points[line], q + 1);
        free(points);
        scalay_release(plane.line);
    }
    assert_true(!scalay_is_prime_power(1) && !scalay_is_prime_power(6) && !scalay_is_prime_power(12));
    assert_int_equal(scalay_memory_live(), 0);
}

/* ---------------------------------------------------------------------------------------------------------- search */

/* Counts z, owners per row and per column over one period, from the owners alone. */
static void recount(const scalay_pattern *pattern, const scalay_pattern_table *t, int is_symmetric, double *cost)
{
    const int rows = t->rows * t->copies, cols = t->cols * t->copies;
    int *seen = calloc((size_t)t->parts, sizeof *seen), stamp = 0;
    double row = 0, col = 0, both = 0;
    const int both_size = is_symmetric ? rows * cols : 0;
    for (int i = 0; i < rows; i++) {
        stamp++;
        for (int j = 0; j < cols; j++)
            if (seen[scalay_pattern_owner(pattern, i, j)] != stamp) {
                seen[scalay_pattern_owner(pattern, i, j)] = stamp;
                row++;
            }
    }
    for (int j = 0; j < cols; j++) {
        stamp++;
        for (int i = 0; i < rows; i++)
            if (seen[scalay_pattern_owner(pattern, i, j)] != stamp) {
                seen[scalay_pattern_owner(pattern, i, j)] = stamp;
                col++;
            }
    }
    const int lines = rows == cols ? rows : both_size;
    for (int i = 0; is_symmetric && i < lines; i++) {
        stamp++;
        for (int j = 0; j < (rows > cols ? rows : cols); j++) {
            const int owners[] = {scalay_pattern_owner(pattern, i, j), scalay_pattern_owner(pattern, j, i)};
            for (int k = 0; k < 2; k++) {
                if (seen[owners[k]] == stamp) continue;
                seen[owners[k]] = stamp;
                both++;
            }
        }
    }
    cost[0] = row / rows;
    cost[1] = col / cols;
    cost[2] = is_symmetric ? both / lines : 0;
    free(seen);
}

static double g2dbc(int parts)
{
    const int a = (int)ceil(sqrt(parts) - 1e-12), b = (parts + a - 1) / a, c = a * b - parts;
    return a + ((a - c) * (double)b * b + c * (b - 1.0) * (b - 1)) / parts;
}

/* Never above G-2DBC, never below the bound by more than the rounding of areas; costs are those of a recount. */
static void unsymmetric_patterns_are_not_above_g2dbc(void **state)
{
    (void)state;
    static const int large[] = {97, 127, 200, 257};
    for (int k = 0; k < 28; k++) {
        const int parts = k < 24 ? k + 1 : large[k - 24];
        for (int kernel = SCALAY_PATTERN_LU; kernel <= SCALAY_PATTERN_QR; kernel++) {
            scalay_pattern *pattern = NULL;
            scalay_pattern_summary summary;
            scalay_pattern_table table;
            double cost[3];
            if (kernel == SCALAY_PATTERN_QR && k % 5 != 0) continue;
            assert_int_equal(scalay_pattern_find((scalay_pattern_kernel)kernel, parts, NULL, 0, &pattern),
                             SCALAY_SUCCESS);
            assert_int_equal(scalay_pattern_evaluate(pattern, (scalay_pattern_kernel)kernel, NULL, &summary),
                             SCALAY_SUCCESS);
            assert_int_equal(scalay_pattern_get_table(pattern, &table), SCALAY_SUCCESS);
            recount(pattern, &table, 0, cost);
            const double weight = kernel == SCALAY_PATTERN_QR ? 2 : 1;
            assert_true(fabs(cost[0] + weight * cost[1] - summary.cost) < 1e-9);
            assert_true(summary.cost > summary.bound * 0.99 && summary.balance > 0.97);
            if (kernel == SCALAY_PATTERN_LU) assert_true(summary.cost <= g2dbc(parts) + 1e-9);
            scalay_pattern_destroy(&pattern);
        }
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Max / mean of the tile updates of the processes in a triangle: tile (i, j) is updated j + 1 times. */
static double counted_imbalance(const scalay_pattern *pattern, int parts, int tiles)
{
    double *work = calloc((size_t)parts, sizeof *work), max = 0, sum = 0;
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) work[scalay_pattern_owner(pattern, i, j)] += j + 1;
    for (int part = 0; part < parts; part++) {
        sum += work[part];
        max = work[part] > max ? work[part] : max;
    }
    free(work);
    return max * parts / sum;
}

/* 1: all numbers of processes up to 128 */
static int is_long = 0;

/* z is recounted; planes meet the bound; where SBC exists, z is not above it; 8 x 8 copies are balanced. */
static void check_symmetric(int parts)
{
    scalay_pattern *pattern = NULL;
    scalay_pattern_summary summary;
    scalay_pattern_table table;
    double cost[3];
    assert_int_equal(scalay_pattern_find(SCALAY_PATTERN_CHOLESKY, parts, NULL, 0, &pattern), SCALAY_SUCCESS);
    assert_int_equal(scalay_pattern_evaluate(pattern, SCALAY_PATTERN_CHOLESKY, NULL, &summary), SCALAY_SUCCESS);
    assert_int_equal(scalay_pattern_get_table(pattern, &table), SCALAY_SUCCESS);
    assert_int_equal(table.rows, table.cols);
    recount(pattern, &table, 1, cost);
    assert_true(fabs(cost[2] - summary.z) < 1e-9);
    const double imbalance = counted_imbalance(pattern, parts, 8 * table.rows);
    if (fabs(imbalance * summary.balance - 1) > 1e-9 || imbalance > 1.05)
        fail_msg("%d: max / mean is %g, the balance %g", parts, imbalance, summary.balance);
    assert_true(summary.z >= summary.bound - 1e-9);
    for (int r = 2; r <= 16; r++) {
        if (r * (r - 1) / 2 == parts) assert_true(summary.z <= r - 1 + 1e-9);
        if (r % 2 == 0 && r * r / 2 == parts) assert_true(summary.z <= r + 1e-9);
    }
    for (int q = 2; q <= 9; q++)
        if (q != 6 && q * q + q + 1 == parts)
            assert_true(fabs(summary.z - (q + 1)) + fabs(summary.bound_uniform - (q + 1)) < 1e-9);
    scalay_pattern_destroy(&pattern);
}

static void symmetric_patterns_are_balanced_and_not_above_sbc(void **state)
{
    (void)state;
    static const int list[] = {1, 3, 5, 6, 7, 8, 13, 15, 21, 23};
    for (size_t k = 0; !is_long && k < sizeof list / sizeof *list; k++) check_symmetric(list[k]);
    for (int parts = 1; is_long && parts <= 128; parts++) check_symmetric(parts);
    assert_int_equal(scalay_memory_live(), 0);
}

/* All 2 x 3, 3 x 3 and symmetric 4 x 4 tables of 2 or 3 processes with equal loads: none is below the bound or below
 * the pattern that is found. */
static void no_tiny_pattern_is_better(void **state)
{
    (void)state;
    for (int parts = 2; parts <= 3; parts++) {
        scalay_pattern *found = NULL;
        scalay_pattern_summary best, tiny;
        assert_int_equal(scalay_pattern_find(SCALAY_PATTERN_LU, parts, NULL, 0, &found), SCALAY_SUCCESS);
        assert_int_equal(scalay_pattern_evaluate(found, SCALAY_PATTERN_LU, NULL, &best), SCALAY_SUCCESS);
        scalay_pattern_destroy(&found);
        for (int rows = 1; rows <= 3; rows++) {
            int owner[9] = {0}, cells = rows * 3;
            for (;;) {
                const scalay_pattern_table t = {.parts = parts, .rows = rows, .cols = 3, .owner = owner};
                int held[3] = {0}, k = 0;
                for (int cell = 0; cell < cells; cell++) held[owner[cell]]++;
                if (held[0] * parts == cells && held[1] * parts == cells) {
                    assert_int_equal(scalay_pattern_create(&t, &found), SCALAY_SUCCESS);
                    assert_int_equal(scalay_pattern_evaluate(found, SCALAY_PATTERN_LU, NULL, &tiny), SCALAY_SUCCESS);
                    assert_true(tiny.cost >= tiny.bound - 1e-9 && tiny.cost >= best.cost - 1e-9);
                    scalay_pattern_destroy(&found);
                }
                while (k < cells && ++owner[k] == parts) owner[k++] = 0;
                if (k == cells) break;
            }
        }
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Shares of tiles follow random speeds. */
static void loads_follow_the_speeds(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 8; seed++) {
        scalay_random random = scalay_random_seed(seed);
        double speed[12];
        const int parts = 2 + below(&random, 11);
        const scalay_pattern_kernel kernel = (scalay_pattern_kernel)(seed % 4);
        for (int part = 0; part < parts; part++) speed[part] = 0.25 + scalay_random_unit(&random);
        scalay_pattern *pattern = NULL;
        scalay_pattern_summary summary;
        assert_int_equal(scalay_pattern_find(kernel, parts, speed, 0, &pattern), SCALAY_SUCCESS);
        assert_int_equal(scalay_pattern_get_summary(pattern, kernel, speed, &summary), SCALAY_SUCCESS);
        if (summary.balance < 0.88 || summary.cost < 0.97 * summary.bound || summary.cost > 1.4 * summary.bound + 1)
            fail_msg("seed %llu: kernel %d, %d parts, balance %g, cost %g, bound %g", (unsigned long long)seed,
                     (int)kernel, parts, summary.balance, summary.cost, summary.bound);
        scalay_pattern_destroy(&pattern);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Tiles per tile of the matrix that a Cholesky factorisation sends on a pattern, for two copies of `period` tiles. */
static double tiles_sent(const scalay_pattern *pattern, int period)
{
    const int tiles = 2 * period;
    scalay_owner_map *map = NULL;
    scalay_tile_traffic traffic;
    assert_int_equal(scalay_owner_map_from_pattern(pattern, tiles, tiles, 1, 1, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_tile_traffic(map, 1, SCALAY_PATTERN_CHOLESKY, NULL, &traffic), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    return 2.0 * (double)traffic.tiles / tiles / tiles;
}

static double tiles_sent_by_table(const scalay_pattern_table *table, int period)
{
    scalay_pattern *pattern = NULL;
    assert_int_equal(scalay_pattern_create(table, &pattern), SCALAY_SUCCESS);
    const double sent = tiles_sent(pattern, period);
    scalay_pattern_destroy(&pattern);
    return sent;
}

/* Planes send fewer tiles than the best grids and SBC, and trailing triangles are balanced. Affine planes, too. */
static void planes_send_few_tiles_and_are_balanced(void **state)
{
    (void)state;
    static const struct {
        int parts, points, rows, cols;
        double sent, of_grid; /* tiles per tile, and as a fraction of those of the grid of rows x cols; 0: not known */
    } list[] = {{7, 7, 2, 3, 2.04, 0.8},    {13, 13, 3, 4, 3.00, 0.69},  {21, 21, 4, 5, 4.02, 0.635},
                {20, 16, 4, 5, 0, 0.68},    {57, 57, 7, 8, 7.01, 0.575}, {56, 49, 7, 8, 0, 0.61},
                {91, 91, 9, 10, 9.00, 0.56}};
    int owner[91];
    for (int k = 0; k < 91; k++) owner[k] = k;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const scalay_pattern_table grid = {
            .parts = list[k].rows * list[k].cols, .rows = list[k].rows, .cols = list[k].cols, .owner = owner};
        scalay_pattern *pattern = NULL;
        assert_int_equal(scalay_pattern_find(SCALAY_PATTERN_CHOLESKY, list[k].parts, NULL, 0, &pattern),
                         SCALAY_SUCCESS);
        const double sent = tiles_sent(pattern, list[k].points), of_grid = tiles_sent_by_table(&grid, list[k].points);
        const double imbalance = counted_imbalance(pattern, list[k].parts, 8 * list[k].points);
        print_message("%d: tiles sent per tile %.3f, grid %.3f; max / mean %.3f\n", list[k].parts, sent, of_grid,
                      imbalance);
        assert_true(sent <= list[k].of_grid * of_grid &&
                    (list[k].sent <= 0 || fabs(sent - list[k].sent) < 0.03 * sent));
        assert_true(imbalance <= 1.05);
        scalay_pattern_destroy(&pattern);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The plane of 21 sends 19% fewer tiles than SBC on 21 processes. */
static void a_plane_sends_fewer_tiles_than_sbc(void **state)
{
    (void)state;
    int sbc[49];
    for (int a = 0, k = 0; a < 7; a++, k += a - 1)
        for (int b = 0; b <= a; b++) sbc[a * 7 + b] = sbc[b * 7 + a] = b == a ? -1 : k + b;
    const scalay_pattern_table table = {.parts = 21, .rows = 7, .cols = 7, .owner = sbc};
    scalay_pattern *pattern = NULL;
    assert_int_equal(scalay_pattern_find(SCALAY_PATTERN_CHOLESKY, 21, NULL, 0, &pattern), SCALAY_SUCCESS);
    const double plane = tiles_sent(pattern, 84), other = tiles_sent_by_table(&table, 84);
    print_message("tiles sent per tile: SBC %.3f, plane %.3f\n", other, plane);
    assert_true(plane <= 0.81 * other);
    scalay_pattern_destroy(&pattern);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Creates everything that allocates. */
static scalay_status create_all(void)
{
    scalay_pattern *pattern = NULL, *symmetric = NULL;
    scalay_owner_map *map = NULL;
    scalay_layout *layout = NULL, *window = NULL;
    scalay_tile_traffic traffic;
    const double speed[] = {1, 0.5, 0.5};
    scalay_status status = scalay_pattern_find(SCALAY_PATTERN_LU, 3, speed, 0, &pattern);
    if (status == SCALAY_SUCCESS) status = scalay_pattern_find(SCALAY_PATTERN_CHOLESKY, 3, NULL, 0, &symmetric);
    if (status == SCALAY_SUCCESS) status = scalay_owner_map_from_pattern(symmetric, 9, 9, 1, 1, &map);
    if (status == SCALAY_SUCCESS) status = scalay_owner_map_tile_traffic(map, 1, SCALAY_PATTERN_QR, NULL, &traffic);
    if (status == SCALAY_SUCCESS) status = scalay_layout_from_pattern(pattern, 9, 9, 2, 1, &layout);
    if (status == SCALAY_SUCCESS) status = scalay_layout_submatrix(layout, 1, 1, 5, 6, &window);
    scalay_layout_destroy(&window);
    scalay_layout_destroy(&layout);
    scalay_owner_map_destroy(&map);
    scalay_pattern_destroy(&pattern);
    scalay_pattern_destroy(&symmetric);
    return status;
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_memory_fail_at(0);
    assert_int_equal(create_all(), SCALAY_SUCCESS);
    const int64_t requests = scalay_memory_requests();
    int failures = 0;
    for (int64_t n = 1; n <= requests; n += 1 + requests / 40) {
        scalay_memory_fail_at(n);
        const scalay_status status = create_all();
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        failures += status == SCALAY_ERROR_MEMORY;
        assert_int_equal(scalay_memory_live(), 0);
    }
    scalay_memory_fail_at(0);
    assert_true(failures > 20);
}

/* --------------------------------------------------------------------------------------------------------- failures */

static void refuse(const scalay_pattern_table *table, const char *word)
{
    scalay_pattern *pattern = NULL;
    assert_int_equal(scalay_pattern_create(table, &pattern), SCALAY_ERROR_ARGUMENT);
    assert_null(pattern);
    if (strstr(scalay_error_message(), word) == NULL) fail_msg("no \"%s\" in: %s", word, scalay_error_message());
    assert_int_equal(scalay_memory_live(), 0);
}

static void bad_tables_are_named(void **state)
{
    (void)state;
    const int owner[] = {0, 1, 1, 0}, rule[] = {-1, 1, 0, -1}, off[] = {0, -1, 1, 0}, big[] = {0, 1, 2, 3};
    const int twice[] = {0, 0};
    const scalay_pattern_table good = {.parts = 2, .rows = 2, .cols = 2, .owner = owner};
    scalay_pattern_table t = good;
    refuse(NULL, "table is NULL");
    t.parts = 0;
    refuse(&t, "parts is 0");
    t = good;
    t.parts = 3;
    refuse(&t, "process 2 owns no tile");
    t = good;
    t.owner = big;
    refuse(&t, "owner[1][0] is 2");
    t.owner = off;
    refuse(&t, "owner[0][1] is -1");
    t.owner = rule;
    refuse(&t, "symmetric");
    t = good;
    t.rows = 0;
    refuse(&t, "rows is 0");
    t = good;
    t.row_offset = 2;
    refuse(&t, "row_offset is 2");
    t = good;
    t.copies = 1;
    t.permutation = twice;
    refuse(&t, "permutation[0][1] is 0");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_repeats),
        cmocka_unit_test(maps_and_layouts_follow_the_definition),
        cmocka_unit_test(extents_do_not_cost_memory),
        cmocka_unit_test(tile_traffic_is_that_of_a_simulated_run),
        cmocka_unit_test(planes_are_projective_planes),
        cmocka_unit_test(unsymmetric_patterns_are_not_above_g2dbc),
        cmocka_unit_test(symmetric_patterns_are_balanced_and_not_above_sbc),
        cmocka_unit_test(no_tiny_pattern_is_better),
        cmocka_unit_test(loads_follow_the_speeds),
        cmocka_unit_test(planes_send_few_tiles_and_are_balanced),
        cmocka_unit_test(a_plane_sends_fewer_tiles_than_sbc),
        cmocka_unit_test(bad_tables_are_named),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
    };
    is_long = count > 1 && strcmp(arguments[1], "long") == 0;
    if (count > 1 && !is_long) first_seed = strtoull(arguments[1], NULL, 10);
    printf("seeds from %llu on\n", (unsigned long long)first_seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
