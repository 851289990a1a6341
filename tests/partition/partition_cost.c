/* Owner maps and the costs of products against their definitions, element by element. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "partition/drawing.h"
#include "partition/summaries.h"
#include "scalay/partition.h"
#include "support/serial.h"

enum { MOST = 8, MOST_PARTS = 6, CASES = 400 };

typedef struct {
    int m, n;
    int owner[MOST][MOST];
    scalay_owner_map *map;
} plain_map;

/* Few cells, so that lines of one class are frequent; elements are cells of their own in the plain map. */
static plain_map random_map(scalay_random *random, int m, int n, int parts)
{
    plain_map made = {.m = m, .n = n};
    int64_t row_cut[5] = {0, 0, 0, 0, m};
    int64_t col_cut[5] = {0, 0, 0, 0, n};
    int owner[16];
    for (int k = 1; k < 4; k++) {
        row_cut[k] = row_cut[k - 1] + scalay_random_below(random, m - row_cut[k - 1] + 1);
        col_cut[k] = col_cut[k - 1] + scalay_random_below(random, n - col_cut[k - 1] + 1);
    }
    for (int k = 0; k < 16; k++) owner[k] = (int)scalay_random_below(random, parts);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int64_t i = row_cut[a]; i < row_cut[a + 1]; i++)
                for (int64_t j = col_cut[b]; j < col_cut[b + 1]; j++) made.owner[i][j] = owner[4 * a + b];
    assert_int_equal(scalay_owner_map_create(4, 4, row_cut, col_cut, parts, owner, &made.map), SCALAY_SUCCESS);
    return made;
}

static int in_row(const plain_map *map, int i, int part)
{
    for (int j = 0; j < map->n; j++)
        if (map->owner[i][j] == part) return 1;
    return 0;
}

static int in_col(const plain_map *map, int j, int part)
{
    for (int i = 0; i < map->m; i++)
        if (map->owner[i][j] == part) return 1;
    return 0;
}

/* V[x][y]: every element of A and B that somebody needs for what he owns of C and does not have. */
static void plain_moved(const plain_map *a, const plain_map *b, const plain_map *c, int parts,
                        int64_t moved[MOST_PARTS][MOST_PARTS])
{
    memset(moved, 0, sizeof(int64_t) * MOST_PARTS * MOST_PARTS);
    for (int y = 0; y < parts; y++) {
        for (int i = 0; i < a->m; i++)
            for (int l = 0; l < a->n; l++)
                if (a->owner[i][l] != y && in_row(c, i, y)) moved[a->owner[i][l]][y]++;
        for (int l = 0; l < b->m; l++)
            for (int j = 0; j < b->n; j++)
                if (b->owner[l][j] != y && in_col(c, j, y)) moved[b->owner[l][j]][y]++;
    }
}

static void check_moved(const scalay_multiply_cost *cost, int parts, int64_t moved[MOST_PARTS][MOST_PARTS])
{
    int64_t volume = 0;
    for (int x = 0; x < parts; x++)
        for (int y = 0; y < parts; y++) {
            volume += moved[x][y];
            assert_int_equal(scalay_multiply_cost_sent(cost, x, y), moved[x][y]);
        }
    assert_int_equal(cost_of(cost).volume, volume);
}

static void elements_that_travel_are_those_of_the_definition(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(20261121));
    for (int test = 0; test < CASES; test++) {
        int parts = 1 + (int)scalay_random_below(&random, MOST_PARTS);
        int m = 1 + (int)scalay_random_below(&random, MOST);
        int k = 1 + (int)scalay_random_below(&random, MOST);
        int n = 1 + (int)scalay_random_below(&random, MOST);
        int64_t moved[MOST_PARTS][MOST_PARTS];
        plain_map a = random_map(&random, m, k, parts);
        plain_map b = random_map(&random, k, n, parts);
        plain_map c = random_map(&random, m, n, parts);
        scalay_multiply_cost *cost = NULL;
        plain_moved(&a, &b, &c, parts, moved);
        assert_int_equal(scalay_multiply_cost_create(a.map, b.map, c.map, NULL, &cost), SCALAY_SUCCESS);
        check_moved(cost, parts, moved);
        assert_true(isnan(cost_of(cost).time) && isnan(cost_of(cost).energy));
        scalay_multiply_cost_destroy(&cost);
        scalay_owner_map_destroy(&a.map);
        scalay_owner_map_destroy(&b.map);
        scalay_owner_map_destroy(&c.map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Line l of the new axis is line l * old / new. */
static plain_map stretched(const plain_map *map, int m, int n)
{
    plain_map made = {.m = m, .n = n};
    assert_int_equal(scalay_owner_map_resize(map->map, m, n, &made.map), SCALAY_SUCCESS);
    assert_true(scalay_owner_map_rows(made.map) == m && scalay_owner_map_cols(made.map) == n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            made.owner[i][j] = map->owner[i * map->m / m][j * map->n / n];
            assert_int_equal(scalay_owner_map_owner(made.map, i, j), made.owner[i][j]);
        }
    return made;
}

/* What is not given is cut like C, with as many inner lines as the other has, or as C has columns. */
static void what_is_not_given_is_cut_like_c(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(20261121));
    for (int test = 0; test < CASES; test++) {
        int parts = 1 + (int)scalay_random_below(&random, MOST_PARTS);
        int m = 1 + (int)scalay_random_below(&random, MOST);
        int n = 1 + (int)scalay_random_below(&random, MOST);
        int given = test % 3; /* 0: neither, 1: A, 2: B */
        int k = given == 0 ? n : 1 + (int)scalay_random_below(&random, MOST);
        int64_t moved[MOST_PARTS][MOST_PARTS];
        plain_map c = random_map(&random, m, n, parts);
        plain_map a = given == 1 ? random_map(&random, m, k, parts) : stretched(&c, m, k);
        plain_map b = given == 2 ? random_map(&random, k, n, parts) : stretched(&c, k, n);
        scalay_multiply_cost *cost = NULL;
        plain_moved(&a, &b, &c, parts, moved);
        assert_int_equal(
            scalay_multiply_cost_create(given == 1 ? a.map : NULL, given == 2 ? b.map : NULL, c.map, NULL, &cost),
            SCALAY_SUCCESS);
        check_moved(cost, parts, moved);
        scalay_multiply_cost_destroy(&cost);
        scalay_owner_map_destroy(&a.map);
        scalay_owner_map_destroy(&b.map);
        scalay_owner_map_destroy(&c.map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void maps_answer_for_every_element(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(20261121));
    for (int test = 0; test < CASES; test++) {
        int parts = 1 + (int)scalay_random_below(&random, MOST_PARTS);
        plain_map map = random_map(&random, 1 + (int)scalay_random_below(&random, MOST),
                                   1 + (int)scalay_random_below(&random, MOST), parts);
        int64_t projection = 0;
        int64_t box = 0;
        int64_t count = 0;
        int covered[MOST][MOST] = {{0}};
        enum { MOST_RECTANGLES = 400 };
        scalay_part_rectangle rectangle[MOST_RECTANGLES];
        scalay_half_perimeter half;
        for (int x = 0; x < parts; x++) {
            int first_row = MOST, last_row = -1, first_col = MOST, last_col = -1;
            int64_t elements = 0;
            for (int i = 0; i < map.m; i++) projection += in_row(&map, i, x);
            for (int j = 0; j < map.n; j++) projection += in_col(&map, j, x);
            for (int i = 0; i < map.m; i++)
                for (int j = 0; j < map.n; j++) {
                    if (map.owner[i][j] != x) continue;
                    elements++;
                    first_row = i < first_row ? i : first_row;
                    last_row = i > last_row ? i : last_row;
                    first_col = j < first_col ? j : first_col;
                    last_col = j > last_col ? j : last_col;
                }
            if (elements > 0) box += last_row - first_row + last_col - first_col + 2;
            assert_int_equal(scalay_owner_map_elements(map.map, x), elements);
        }
        assert_int_equal(scalay_owner_map_half_perimeter(map.map, &half), SCALAY_SUCCESS);
        assert_int_equal(half.projection, projection);
        assert_int_equal(half.box, box);
        assert_int_equal(scalay_owner_map_rectangles(map.map, MOST_RECTANGLES, rectangle, &count), SCALAY_SUCCESS);
        for (int64_t r = 0; r < count; r++)
            for (int64_t i = 0; i < rectangle[r].rows; i++)
                for (int64_t j = 0; j < rectangle[r].cols; j++) {
                    int64_t row = rectangle[r].row + i;
                    int64_t col = rectangle[r].col + j;
                    assert_int_equal(map.owner[row][col], rectangle[r].part);
                    covered[row][col]++;
                }
        for (int i = -1; i <= map.m; i++)
            for (int j = -1; j <= map.n; j++) {
                int inside = i >= 0 && j >= 0 && i < map.m && j < map.n;
                assert_int_equal(scalay_owner_map_owner(map.map, i, j), inside ? map.owner[i][j] : -1);
                if (inside) assert_int_equal(covered[i][j], 1);
            }
        scalay_owner_map_destroy(&map.map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* --------------------------------------------------------------------------------------------- links */

typedef struct {
    double second[MOST_PARTS * MOST_PARTS], latency[MOST_PARTS * MOST_PARTS], joule[MOST_PARTS * MOST_PARTS];
} link_matrices;

static link_matrices random_links(scalay_random *random, int n, int symmetric)
{
    link_matrices made = {.second = {0}};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int mirror = symmetric && j < i;
            made.second[i * n + j] = mirror ? made.second[j * n + i] : (double)scalay_random_below(random, 9);
            made.latency[i * n + j] = mirror ? made.latency[j * n + i] : (double)scalay_random_below(random, 5);
            made.joule[i * n + j] = mirror ? made.joule[j * n + i] : (double)scalay_random_below(random, 20);
        }
    return made;
}

static scalay_links links_of(const link_matrices *matrices, int n)
{
    scalay_links links = scalay_links_default();
    links.processors = n;
    links.seconds_per_element = matrices->second;
    links.seconds_per_message = matrices->latency;
    links.joules_per_element = matrices->joule;
    return links;
}

static void direct_times_and_energies_are_sums_over_the_links(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(20261121));
    for (int test = 0; test < CASES; test++) {
        int parts = 1 + (int)scalay_random_below(&random, MOST_PARTS);
        int n = 1 + (int)scalay_random_below(&random, MOST);
        int64_t moved[MOST_PARTS][MOST_PARTS];
        link_matrices matrices = random_links(&random, parts, 0);
        scalay_links links = links_of(&matrices, parts);
        plain_map map = random_map(&random, n, n, parts);
        double energy = 0.0, serial = 0.0, slowest = 0.0, port = 0.0;
        plain_moved(&map, &map, &map, parts, moved);
        for (int x = 0; x < parts; x++) {
            double out = 0.0, in = 0.0;
            for (int y = 0; y < parts; y++) {
                int to = x * parts + y;
                int from = y * parts + x;
                double there = moved[x][y] > 0 ? matrices.latency[to] + matrices.second[to] * (double)moved[x][y] : 0;
                in += moved[y][x] > 0 ? matrices.latency[from] + matrices.second[from] * (double)moved[y][x] : 0;
                if (x != y) energy += matrices.joule[to] * (double)moved[x][y];
                out += there;
                slowest = fmax(slowest, there);
            }
            serial += out;
            port = fmax(port, fmax(out, in));
        }
        const double expected[3] = {serial, slowest, port};
        for (int mode = 0; mode < 3; mode++) {
            scalay_multiply_cost *cost = NULL;
            links.mode = (scalay_links_mode)mode;
            assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map.map, &links, &cost), SCALAY_SUCCESS);
            assert_true(fabs(cost_of(cost).time - expected[mode]) < 1e-9);
            assert_true(fabs(cost_of(cost).energy - energy) < 1e-9);
            scalay_multiply_cost_destroy(&cost);
        }
        scalay_owner_map_destroy(&map.map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The least tree over the owners of a line, by trying every set of edges. */
static double least_tree(const double *cost, int parts, int owners)
{
    int edges = 0, from[16], to[16], needed = -1;
    double best = INFINITY;
    for (int x = 0; x < parts; x++) {
        needed += owners >> x & 1;
        for (int y = 0; y < x; y++)
            if ((owners >> x & 1) && (owners >> y & 1)) {
                from[edges] = x;
                to[edges++] = y;
            }
    }
    for (int set = 0; set < 1 << edges; set++) {
        int root[MOST_PARTS], taken = 0;
        double sum = 0.0;
        for (int x = 0; x < parts; x++) root[x] = x;
        for (int e = 0; e < edges; e++) {
            if (!(set >> e & 1)) continue;
            int a = root[from[e]], b = root[to[e]];
            if (a == b) taken = -100; /* a cycle */
            for (int x = 0; x < parts; x++)
                if (root[x] == a) root[x] = b;
            taken++;
            sum += cost[from[e] * parts + to[e]];
        }
        if (taken == needed) best = fmin(best, sum);
    }
    return best;
}

static double plain_tree_cost(const plain_map *map, int parts, const double *cost)
{
    double sum = 0.0;
    for (int i = 0; i < map->n; i++) {
        int row = 0, col = 0;
        for (int x = 0; x < parts; x++) {
            row |= in_row(map, i, x) << x;
            col |= in_col(map, i, x) << x;
        }
        sum += map->n * (least_tree(cost, parts, row) + least_tree(cost, parts, col));
    }
    return sum;
}

static void trees_and_relays_cost_what_least_trees_do(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(20261121));
    for (int test = 0; test < CASES / 2; test++) {
        int parts = 2 + (int)scalay_random_below(&random, 3);
        int n = 1 + (int)scalay_random_below(&random, MOST);
        link_matrices matrices = random_links(&random, parts, 1);
        scalay_links links = links_of(&matrices, parts);
        plain_map map = random_map(&random, n, n, parts);
        double closed[MOST_PARTS * MOST_PARTS];
        links.seconds_per_message = NULL;
        memcpy(closed, matrices.joule, sizeof closed);
        for (int round = 0; round < parts; round++) /* Bellman and Ford, from everywhere at once */
            for (int i = 0; i < parts * parts * parts; i++) {
                int x = i / parts / parts, y = i / parts % parts, z = i % parts;
                if (x != y && y != z && x != z)
                    closed[x * parts + z] = fmin(closed[x * parts + z], closed[x * parts + y] + closed[y * parts + z]);
            }
        const double energy[2] = {plain_tree_cost(&map, parts, matrices.joule), plain_tree_cost(&map, parts, closed)};
        for (int relay = 0; relay < 2; relay++) {
            scalay_multiply_cost *cost = NULL;
            links.broadcast = relay ? SCALAY_BROADCAST_RELAY : SCALAY_BROADCAST_TREE;
            assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map.map, &links, &cost), SCALAY_SUCCESS);
            assert_true(fabs(cost_of(cost).energy - energy[relay]) < 1e-9);
            if (!relay) assert_true(fabs(cost_of(cost).time - plain_tree_cost(&map, parts, matrices.second)) < 1e-9);
            scalay_multiply_cost_destroy(&cost);
        }
        scalay_owner_map_destroy(&map.map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void drawings_cost_what_their_maps_do(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(20261121));
    for (int test = 0; test < CASES; test++) {
        int parts = 1 + (int)scalay_random_below(&random, MOST_PARTS);
        int n = 1 + (int)scalay_random_below(&random, MOST);
        link_matrices matrices = random_links(&random, parts, 1);
        scalay_links links = links_of(&matrices, parts);
        plain_map map = random_map(&random, n, n, parts);
        scalay_drawing drawing = {.m = n, .n = n};
        scalay_multiply_cost *cost = NULL;
        double surplus, time, energy;
        links.mode = (scalay_links_mode)(test % 3);
        links.broadcast = (scalay_broadcast)(test / 3 % 3);
        for (int k = 0; k < n * n; k++) /* covered by what comes later */
            assert_int_equal(scalay_drawing_add(&drawing, (scalay_paint){k % parts, 0, 0, k % n, k / n}), 0);
        for (int k = 0; k < n * n; k++)
            assert_int_equal(scalay_drawing_add(&drawing, (scalay_paint){map.owner[k / n][k % n], k / n, k % n, 1, 1}),
                             0);
        assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map.map, &links, &cost), SCALAY_SUCCESS);
        assert_int_equal(scalay_drawing_cost(&drawing, parts, &surplus), SCALAY_SUCCESS);
        assert_int_equal(scalay_drawing_link_cost(&drawing, parts, &links, &time, &energy), SCALAY_SUCCESS);
        assert_true(fabs(surplus - (double)cost_of(cost).volume) < 1e-9);
        assert_true(fabs(time - cost_of(cost).time) < 1e-9);
        assert_true(fabs(energy - cost_of(cost).energy) < 1e-9);
        scalay_drawing_free(&drawing);
        scalay_multiply_cost_destroy(&cost);
        scalay_owner_map_destroy(&map.map);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ---------------------------------------------------------------------------------------- large, bad, none */

static void a_hundred_thousand_parts_need_no_square_of_memory(void **state)
{
    (void)state;
    enum { PARTS = 100000 };
    int64_t *cut = malloc((PARTS + 1) * sizeof *cut);
    int *owner = malloc(PARTS * sizeof *owner);
    const int64_t one[2] = {0, PARTS};
    scalay_owner_map *map = NULL;
    scalay_multiply_cost *cost = NULL;
    for (int k = 0; k <= PARTS; k++) cut[k] = k;
    for (int k = 0; k < PARTS; k++) owner[k] = PARTS - 1 - k;
    scalay_memory_reset_peak();
    assert_int_equal(scalay_owner_map_create(1, PARTS, one, cut, PARTS, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, NULL, &cost), SCALAY_SUCCESS);
    assert_int_equal(cost_of(cost).volume, (int64_t)PARTS * PARTS * (PARTS - 1));
    assert_int_equal(scalay_multiply_cost_sent(cost, 7, PARTS - 1), PARTS);
    assert_true(scalay_memory_peak() < 100000000);
    scalay_multiply_cost_destroy(&cost);
    scalay_owner_map_destroy(&map);
    free(cut);
    free(owner);
    assert_int_equal(scalay_memory_live(), 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    const int owner[2] = {0, 1};
    const int64_t col[3] = {0, 1, (int64_t)1 << 31};
    const int64_t row[2] = {0, (int64_t)1 << 31};
    const int64_t far[2] = {0, (int64_t)1 << 32};
    scalay_owner_map *map = NULL;
    scalay_multiply_cost *cost = NULL;
    assert_int_equal(scalay_owner_map_create(1, 2, row, col, 2, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, NULL, &cost), SCALAY_SUCCESS);
    assert_true(cost_of(cost).volume == (int64_t)1 << 62);
    scalay_multiply_cost_destroy(&cost);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_owner_map_create(1, 2, far, col, 2, owner, &map), SCALAY_ERROR_RANGE);
    assert_null(map);
    assert_int_equal(scalay_memory_live(), 0);
}

static void bad_links_and_maps_are_refused(void **state)
{
    (void)state;
    const int64_t cut[3] = {0, 1, 2};
    const int64_t down[3] = {0, 3, 2};
    const int owner[4] = {0, 1, 1, 0};
    const int beyond[4] = {0, 1, 2, 0};
    double matrix[4] = {NAN, 1, 2, NAN};
    scalay_links links = scalay_links_default();
    scalay_owner_map *map = NULL;
    scalay_owner_map *none = NULL;
    scalay_multiply_cost *cost = NULL;
    assert_int_equal(scalay_owner_map_create(2, 2, cut, cut, 2, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_create(2, 2, cut, down, 2, owner, &none), SCALAY_ERROR_ARGUMENT);
    assert_non_null(strstr(scalay_error_message(), "col_cut[2] is 2"));
    assert_int_equal(scalay_owner_map_create(2, 2, cut, cut, 2, beyond, &none), SCALAY_ERROR_ARGUMENT);
    assert_non_null(strstr(scalay_error_message(), "owner[1][0] is 2"));
    assert_int_equal(scalay_owner_map_create(-1, 2, cut, cut, 2, owner, &none), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_owner_map_create(2, 2, cut, cut, 0, owner, &none), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_owner_map_create(2, 2, cut, cut, 2, NULL, &none), SCALAY_ERROR_ARGUMENT);
    assert_null(none);
    links.seconds_per_element = matrix;
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, &links, &cost), SCALAY_ERROR_ARGUMENT);
    links.processors = 1;
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, &links, &cost), SCALAY_ERROR_ARGUMENT);
    links.processors = 2; /* the diagonal is ignored */
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, &links, &cost), SCALAY_SUCCESS);
    scalay_multiply_cost_destroy(&cost);
    links.symmetric = 1;
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, &links, &cost), SCALAY_ERROR_ARGUMENT);
    assert_non_null(strstr(scalay_error_message(), "seconds_per_element[0][1] is 1"));
    links.symmetric = 0;
    links.broadcast = SCALAY_BROADCAST_TREE;
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, &links, &cost), SCALAY_ERROR_ARGUMENT);
    links.broadcast = SCALAY_BROADCAST_DIRECT;
    const double bad[3] = {NAN, INFINITY, -1.0};
    for (int k = 0; k < 3; k++) {
        matrix[1] = bad[k];
        assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, &links, &cost), SCALAY_ERROR_ARGUMENT);
    }
    matrix[1] = 2.0;
    links.mode = (scalay_links_mode)3;
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, map, &links, &cost), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_multiply_cost_create(NULL, NULL, NULL, NULL, &cost), SCALAY_ERROR_ARGUMENT);
    assert_null(cost);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_failing_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(1);
    link_matrices matrices = random_links(&random, 4, 1);
    scalay_links links = links_of(&matrices, 4);
    links.broadcast = SCALAY_BROADCAST_RELAY;
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        const int64_t cut[4] = {0, 2, 3, 5};
        const int owner[9] = {0, 1, 2, 1, 1, 3, 0, 0, 2};
        scalay_owner_map *map = NULL;
        scalay_multiply_cost *cost = NULL;
        scalay_half_perimeter half;
        int64_t count;
        scalay_part_rectangle rectangle[9];
        scalay_memory_fail_at(n);
        status = scalay_owner_map_create(3, 3, cut, cut, 4, owner, &map);
        if (status == SCALAY_SUCCESS) status = scalay_multiply_cost_create(NULL, NULL, map, &links, &cost);
        if (status == SCALAY_SUCCESS) status = scalay_owner_map_half_perimeter(map, &half);
        if (status == SCALAY_SUCCESS) status = scalay_owner_map_rectangles(map, 9, rectangle, &count);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        scalay_multiply_cost_destroy(&cost);
        scalay_owner_map_destroy(&map);
        assert_int_equal(scalay_memory_live(), 0);
    }
    scalay_memory_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_answer_for_every_element),
        cmocka_unit_test(elements_that_travel_are_those_of_the_definition),
        cmocka_unit_test(what_is_not_given_is_cut_like_c),
        cmocka_unit_test(direct_times_and_energies_are_sums_over_the_links),
        cmocka_unit_test(trees_and_relays_cost_what_least_trees_do),
        cmocka_unit_test(drawings_cost_what_their_maps_do),
        cmocka_unit_test(a_hundred_thousand_parts_need_no_square_of_memory),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(bad_links_and_maps_are_refused),
        cmocka_unit_test(a_failing_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
