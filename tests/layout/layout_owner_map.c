/* Layouts of owner maps against the map itself, element by element: owners, storage, windows, and the way back. Run
   with a seed as argument to repeat a case. */
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
#include "layout/layout.h"
#include "scalay/mapping.h"

enum { MOST = 20, PARTS = 7 };

static uint64_t first_seed = 1;

/* Who owns what, drawn by the test. */
typedef struct {
    int64_t m, n;
    int parts;
    int owner[MOST][MOST];
} picture;

/* A few lines, used again and again at random places: maps whose rows and columns fall into classes. */
static picture random_picture(scalay_random *random)
{
    picture p = {.m = scalay_random_below(random, MOST + 1), .n = scalay_random_below(random, MOST + 1)};
    int cell[5][5], row[MOST], col[MOST];
    p.parts = 1 + (int)scalay_random_below(random, PARTS);
    const int kinds = 1 + (int)scalay_random_below(random, 5);
    for (int r = 0; r < 5; r++)
        for (int c = 0; c < 5; c++) cell[r][c] = (int)scalay_random_below(random, p.parts);
    for (int k = 0; k < MOST; k++) {
        const int keep = k > 0 && scalay_random_below(random, 3) > 0;
        row[k] = keep ? row[k - 1] : (int)scalay_random_below(random, kinds);
        col[k] = keep && scalay_random_below(random, 2) ? col[k - 1] : (int)scalay_random_below(random, kinds);
    }
    for (int64_t i = 0; i < p.m; i++)
        for (int64_t j = 0; j < p.n; j++) p.owner[i][j] = cell[row[i]][col[j]];
    return p;
}

static void cuts(int64_t extent, int64_t *cut)
{
    for (int64_t k = 0; k <= extent; k++) cut[k] = k;
}

static scalay_status map_of(const picture *p, scalay_owner_map **map)
{
    int64_t row_cut[MOST + 1], col_cut[MOST + 1];
    int owner[MOST * MOST];
    cuts(p->m, row_cut);
    cuts(p->n, col_cut);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) owner[i * p->n + j] = p->owner[i][j];
    return scalay_owner_map_create(p->m, p->n, row_cut, col_cut, p->parts, owner, map);
}

static scalay_layout *layout_of(const picture *p)
{
    scalay_owner_map *map = NULL;
    scalay_layout *layout = NULL;
    assert_int_equal(map_of(p, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    return layout;
}

/* ------------------------------------------------------------------------------------------------ storage */

/* Where every element lies in its owner's array; -1: nobody said so. */
typedef struct {
    int64_t at[MOST][MOST];
} places;

static places no_places(void)
{
    places none;
    memset(&none, -1, sizeof none);
    return none;
}

static places places_by_rectangles(const scalay_layout *layout)
{
    places found = no_places();
    for (int process = 0; process < scalay_layout_processes(layout); process++) {
        const int64_t count = scalay_layout_rectangle_count(layout, process);
        for (int64_t k = 0; k < count; k++) {
            scalay_rectangle at;
            assert_int_equal(scalay_layout_rectangle(layout, process, k, &at), SCALAY_SUCCESS);
            assert_true(at.rows >= 1 && at.cols >= 1 && at.ld >= at.rows);
            for (int64_t i = 0; i < at.rows; i++)
                for (int64_t j = 0; j < at.cols; j++) {
                    assert_int_equal(found.at[at.row + i][at.col + j], -1);
                    assert_int_equal(scalay_layout_owner(layout, at.row + i, at.col + j), process);
                    found.at[at.row + i][at.col + j] = at.offset + i + j * at.ld;
                }
        }
    }
    return found;
}

static places places_by_pieces(const scalay_layout *layout)
{
    places found = no_places();
    for (int process = 0; process < scalay_layout_processes(layout); process++) {
        const int64_t count = scalay_layout_subarray_count(layout, process);
        for (int64_t k = 0; k < count; k++) {
            scalay_subarray piece;
            int64_t row[MOST], col[MOST];
            assert_int_equal(scalay_layout_subarray(layout, process, k, &piece), SCALAY_SUCCESS);
            assert_true(piece.rows >= 1 && piece.cols >= 1 && piece.ld >= piece.rows);
            assert_int_equal(scalay_layout_subarray_indices(layout, process, k, row, NULL), SCALAY_SUCCESS);
            assert_int_equal(scalay_layout_subarray_indices(layout, process, k, NULL, col), SCALAY_SUCCESS);
            for (int64_t i = 0; i < piece.rows; i++)
                for (int64_t j = 0; j < piece.cols; j++) {
                    assert_int_equal(found.at[row[i]][col[j]], -1);
                    assert_int_equal(scalay_layout_owner(layout, row[i], col[j]), process);
                    found.at[row[i]][col[j]] = piece.offset + i + j * piece.ld;
                }
        }
    }
    return found;
}

static places places_by_cells(const scalay_layout *layout)
{
    places found = no_places();
    for (int64_t i = 0; i < layout->row.extent; i++)
        for (int64_t j = 0; j < layout->col.extent; j++) {
            const int64_t r = scalay_axis_class(&layout->row, i), c = scalay_axis_class(&layout->col, j);
            const int part = scalay_layout_cell_part(layout, r, c);
            for (int64_t k = 0; k < scalay_layout_cells(layout, part); k++) {
                const scalay_cell cell = scalay_layout_cell(layout, part, k);
                if (cell.row_class != r || cell.col_class != c) continue;
                assert_int_equal(found.at[i][j], -1);
                found.at[i][j] = cell.offset + scalay_axis_local_index(&layout->row, i) +
                                 cell.ld * scalay_axis_local_index(&layout->col, j);
            }
        }
    return found;
}

static void assert_same_places(const places *a, const places *b, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) assert_int_equal(a->at[i][j], b->at[i][j]);
}

/* The window of a picture that starts at (row, col), its parts on processes: owners, counts and three ways to say where
   an element is; in the whole every place of every array is one element's. */
static places check_layout(const scalay_layout *layout, const picture *p, int64_t row, int64_t col, const int *process)
{
    const int64_t m = scalay_layout_rows(layout), n = scalay_layout_cols(layout);
    const places found = places_by_rectangles(layout), pieces = places_by_pieces(layout),
                 cells = places_by_cells(layout);
    int64_t count[PARTS] = {0};
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const int part = p->owner[row + i][col + j];
            assert_int_equal(scalay_layout_owner(layout, i, j), process != NULL ? process[part] : part);
            assert_true(found.at[i][j] >= 0);
            count[part]++;
        }
    assert_same_places(&found, &pieces, m, n);
    assert_same_places(&found, &cells, m, n);
    for (int part = 0; part < p->parts; part++)
        assert_int_equal(scalay_layout_elements(layout, process != NULL ? process[part] : part), count[part]);
    return found;
}

/* Rows, or columns, in which a part owns something, told apart by where it does. */
static int64_t distinct_lines(const picture *p, int part, int by_row)
{
    int64_t distinct = 0;
    const int64_t lines = by_row ? p->m : p->n, others = by_row ? p->n : p->m;
    for (int64_t i = 0; i < lines; i++) {
        int owns = 0, is_new = 1;
        for (int64_t j = 0; j < others; j++) owns |= (by_row ? p->owner[i][j] : p->owner[j][i]) == part;
        for (int64_t before = 0; before < i && is_new; before++) {
            int differs = 0;
            for (int64_t j = 0; j < others; j++)
                differs |= ((by_row ? p->owner[i][j] : p->owner[j][i]) == part) !=
                           ((by_row ? p->owner[before][j] : p->owner[j][before]) == part);
            is_new = differs;
        }
        distinct += owns && is_new;
    }
    return distinct;
}

static void check_whole(const scalay_layout *layout, const picture *p, const places *found)
{
    for (int part = 0; part < p->parts; part++) {
        const int64_t size = scalay_layout_local_size(layout, part);
        const int64_t by_row = distinct_lines(p, part, 1), by_col = distinct_lines(p, part, 0);
        char used[MOST * MOST] = {0};
        assert_int_equal(size, scalay_layout_elements(layout, part));
        assert_int_equal(scalay_layout_subarray_count(layout, part), by_row < by_col ? by_row : by_col);
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++) {
                if (p->owner[i][j] != part) continue;
                assert_true(found->at[i][j] < size);
                assert_int_equal(used[found->at[i][j]]++, 0);
            }
    }
}

/* A window says of every element what the whole says: local arrays stay where they are. */
static void check_window(const scalay_layout *layout, const picture *p, int64_t row, int64_t col, const places *whole,
                         scalay_random *random)
{
    const int64_t m0 = scalay_layout_rows(layout), n0 = scalay_layout_cols(layout);
    const int64_t r = scalay_random_below(random, m0 + 1), c = scalay_random_below(random, n0 + 1);
    const int64_t m = scalay_random_below(random, m0 - r + 1), n = scalay_random_below(random, n0 - c + 1);
    scalay_layout *window = NULL;
    assert_int_equal(scalay_layout_submatrix(layout, r, c, m, n, &window), SCALAY_SUCCESS);
    const places found = check_layout(window, p, row + r, col + c, NULL);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) assert_int_equal(found.at[i][j], whole->at[row + r + i][col + c + j]);
    for (int part = 0; part < p->parts; part++) {
        const int64_t owns = scalay_layout_elements(window, part);
        assert_int_equal(scalay_layout_local_size(window, part), owns > 0 ? scalay_layout_local_size(layout, part) : 0);
    }
    if (m > 3 && n > 3) check_window(window, p, row + r, col + c, whole, random);
    scalay_layout_destroy(&window);
}

static void every_element_has_one_place_in_a_few_dense_arrays(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 1500; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const picture p = random_picture(&random);
        const int process[PARTS] = {3, 0, 8, 1, 2, 6, 5};
        scalay_layout *layout = layout_of(&p), *moved = NULL;
        const places found = check_layout(layout, &p, 0, 0, NULL);
        check_whole(layout, &p, &found);
        check_window(layout, &p, 0, 0, &found, &random);
        assert_int_equal(scalay_layout_relabel(layout, 9, process, &moved), SCALAY_SUCCESS);
        scalay_layout_destroy(&layout);
        const places same = check_layout(moved, &p, 0, 0, process);
        assert_same_places(&found, &same, p.m, p.n);
        scalay_layout_destroy(&moved);
        if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
}

/* ------------------------------------------------------------------------------------------- other layouts */

static scalay_layout *random_layout(scalay_random *random, int64_t m, int64_t n, int kind)
{
    scalay_layout *layout = NULL, *window = NULL;
    const int64_t mb = 1 + scalay_random_below(random, 6), nb = 1 + scalay_random_below(random, 6);
    const int64_t row = scalay_random_below(random, 4), col = scalay_random_below(random, 4);
    picture p = random_picture(random);
    int owner[30 * 30];
    for (int k = 0; k < 30 * 30; k++) owner[k] = (int)scalay_random_below(random, PARTS);
    if (kind == 0) {
        p.m = m;
        p.n = n;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) p.owner[i][j] = (int)scalay_random_below(random, p.parts);
        return layout_of(&p);
    }
    const scalay_status status =
        kind == 1 ? scalay_layout_block_cyclic(m + row + 2, n + col, mb, nb, 2, 3, 1, 2, SCALAY_COLUMN_MAJOR, &layout)
                  : scalay_layout_tiles(m + row + 2, n + col, mb, nb, PARTS, owner, &layout);
    assert_int_equal(status, SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_submatrix(layout, row, col, m, n, &window), SCALAY_SUCCESS);
    scalay_layout_destroy(&layout);
    return window;
}

static void the_owner_map_of_any_layout_says_what_the_layout_says(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 600; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int64_t m = scalay_random_below(&random, MOST + 1), n = scalay_random_below(&random, MOST + 1);
        scalay_layout *layout = random_layout(&random, m, n, (int)(seed % 3)), *back = NULL;
        scalay_owner_map *map = NULL;
        assert_int_equal(scalay_layout_owner_map(layout, &map), SCALAY_SUCCESS);
        assert_int_equal(scalay_owner_map_rows(map), m);
        assert_int_equal(scalay_owner_map_cols(map), n);
        assert_int_equal(scalay_owner_map_parts(map), scalay_layout_parts(layout));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                assert_int_equal(scalay_owner_map_owner(map, i, j), scalay_layout_owner(layout, i, j));
        for (int part = 0; part < scalay_layout_parts(layout); part++)
            assert_int_equal(scalay_owner_map_elements(map, part), scalay_layout_elements(layout, part));
        const places found = places_by_rectangles(layout), pieces = places_by_pieces(layout);
        assert_same_places(&found, &pieces, m, n);
        assert_int_equal(scalay_layout_from_owner_map(map, &back), SCALAY_SUCCESS);
        assert_int_equal(scalay_layout_same_owners(layout, back), 1);
        scalay_owner_map_destroy(&map);
        scalay_layout_destroy(&layout);
        scalay_layout_destroy(&back);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Two layouts of which one is an owner map's: same owners and traffic are what comparing elements says. */
static void traffic_counts_elements(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 600; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int64_t m = 1 + scalay_random_below(&random, MOST), n = 1 + scalay_random_below(&random, MOST);
        const int kind = (int)(seed % 3), swapped = (int)(seed / 3 % 2);
        scalay_layout *made[2] = {random_layout(&random, m, n, 0), random_layout(&random, m, n, kind)};
        const scalay_layout *a = made[swapped], *b = made[1 - swapped];
        int64_t count[9][9] = {{0}};
        int same = 1;
        scalay_traffic *traffic = NULL;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                count[scalay_layout_owner(a, i, j)][scalay_layout_owner(b, i, j)]++;
                same &= scalay_layout_owner(a, i, j) == scalay_layout_owner(b, i, j);
            }
        assert_int_equal(scalay_layout_same_owners(a, b), same);
        assert_int_equal(scalay_traffic_create(a, b, &traffic), SCALAY_SUCCESS);
        for (int i = 0; i < scalay_layout_processes(a); i++)
            for (int j = 0; j < scalay_layout_parts(b); j++)
                assert_int_equal(scalay_traffic_get_entry(traffic, i, j), count[i][j]);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&made[0]);
        scalay_layout_destroy(&made[1]);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* However a map was cut into cells, its layout is the same; another owner makes it another one. */
static void fingerprints_tell_maps_apart(void **state)
{
    (void)state;
    const int64_t coarse[] = {0, 2, 6}, fine[] = {0, 1, 2, 4, 4, 6};
    const int four[] = {0, 1, 1, 2},
              many[] = {0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2};
    const int other[] = {0, 1, 2, 1};
    scalay_owner_map *map[3] = {NULL};
    scalay_layout *layout[3] = {NULL};
    assert_int_equal(scalay_owner_map_create(2, 2, coarse, coarse, 3, four, &map[0]), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_create(5, 5, fine, fine, 3, many, &map[1]), SCALAY_SUCCESS);
    assert_int_equal(scalay_owner_map_create(2, 2, coarse, coarse, 3, other, &map[2]), SCALAY_SUCCESS);
    for (int k = 0; k < 3; k++) assert_int_equal(scalay_layout_from_owner_map(map[k], &layout[k]), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_fingerprint(layout[0]), scalay_layout_fingerprint(layout[1]));
    assert_true(scalay_layout_fingerprint(layout[0]) != scalay_layout_fingerprint(layout[2]));
    for (int k = 0; k < 3; k++) {
        scalay_layout_destroy(&layout[k]);
        scalay_owner_map_destroy(&map[k]);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void descriptions_and_drawings_show_the_map(void **state)
{
    (void)state;
    const int64_t row[] = {0, 2, 6}, col[] = {0, 3, 4, 8};
    const int owner[] = {0, 1, 1, 2, 2, 0};
    char text[200];
    scalay_owner_map *map = NULL;
    scalay_layout *layout = NULL, *window = NULL;
    assert_int_equal(scalay_owner_map_create(2, 3, row, col, 3, owner, &map), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
    (void)scalay_layout_describe(layout, text, sizeof text);
    assert_string_equal(text, "6 x 8 owner map, 3 parts");
    (void)scalay_layout_draw(layout, 10, text, sizeof text);
    assert_string_equal(text, "0 1 1\n2 2 0\n");
    assert_int_equal(scalay_layout_submatrix(layout, 1, 2, 3, 2, &window), SCALAY_SUCCESS);
    (void)scalay_layout_describe(window, text, sizeof text);
    assert_string_equal(text, "3 x 2 from (1, 2) of 6 x 8 owner map, 3 parts");
    (void)scalay_layout_draw(window, 10, text, sizeof text);
    assert_string_equal(text, "0 1\n2 2\n");
    scalay_layout_destroy(&window);
    scalay_layout_destroy(&layout);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

/* A million columns dealt out one by one: memory follows the runs, questions are quick. */
static void a_million_runs_need_little_memory(void **state)
{
    (void)state;
    const int64_t n = 1000000;
    const double speed[] = {4, 2, 1};
    scalay_owner_map *map = NULL;
    scalay_layout *layout = NULL, *grid = NULL;
    scalay_traffic *traffic = NULL;
    assert_int_equal(scalay_owner_map_1d1d(n, n, 1, 3, speed, SCALAY_TRAILING_FULL, 3, &map), SCALAY_SUCCESS);
    scalay_memory_reset_peak();
    const int64_t before = scalay_memory_bytes();
    assert_int_equal(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
    assert_true(scalay_memory_peak() - before < 50 * n);
    assert_int_equal(scalay_layout_block_cyclic(n, n, 64, 64, 1, 3, 0, 0, SCALAY_ROW_MAJOR, &grid), SCALAY_SUCCESS);
    assert_int_equal(scalay_traffic_create(layout, grid, &traffic), SCALAY_SUCCESS);
    int64_t count[3][3] = {{0}};
    for (int64_t j = 0; j < n; j++) count[scalay_owner_map_owner(map, 0, j)][j / 64 % 3] += n;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) assert_int_equal(scalay_traffic_get_entry(traffic, i, j), count[i][j]);
    for (int part = 0; part < 3; part++) {
        assert_int_equal(scalay_layout_subarray_count(layout, part), 1);
        assert_int_equal(scalay_layout_local_size(layout, part), scalay_owner_map_elements(map, part));
    }
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&grid);
    scalay_layout_destroy(&layout);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------ failures */

static void expect(scalay_status status, const char *words)
{
    assert_int_equal(status, SCALAY_ERROR_ARGUMENT);
    if (strstr(scalay_error_message(), words) == NULL) fail_msg("no \"%s\" in: %s", words, scalay_error_message());
}

static void bad_arguments_are_named(void **state)
{
    (void)state;
    const int64_t cut[] = {0, 3};
    const int owner[] = {1};
    scalay_owner_map *map = NULL, *none = NULL;
    scalay_layout *layout = NULL, *nothing = NULL;
    scalay_subarray piece;
    assert_int_equal(scalay_owner_map_create(1, 1, cut, cut, 2, owner, &map), SCALAY_SUCCESS);
    expect(scalay_layout_from_owner_map(NULL, &nothing), "map is NULL");
    expect(scalay_layout_from_owner_map(map, NULL), "layout is NULL");
    assert_int_equal(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
    expect(scalay_layout_owner_map(NULL, &none), "layout is NULL");
    expect(scalay_layout_owner_map(layout, NULL), "map is NULL");
    expect(scalay_layout_subarray(NULL, 0, 0, &piece), "layout is NULL");
    expect(scalay_layout_subarray(layout, 1, 0, NULL), "subarray is NULL");
    expect(scalay_layout_subarray(layout, 1, 1, &piece), "k is 1");
    expect(scalay_layout_subarray(layout, 0, 0, &piece), "process 0 has 0 subarrays");
    expect(scalay_layout_subarray_indices(layout, 1, -1, NULL, NULL), "k is -1");
    expect(scalay_layout_subarray_indices(NULL, 1, 0, NULL, NULL), "layout is NULL");
    assert_int_equal(scalay_layout_subarray_count(layout, 7), 0);
    assert_int_equal(scalay_layout_subarray_count(NULL, 0), 0);
    assert_null(nothing);
    assert_null(none);
    scalay_layout_destroy(&layout);
    scalay_owner_map_destroy(&map);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Everything that allocates, one after the other. */
static scalay_status make_all(const picture *p)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *map = NULL, *back = NULL;
    scalay_layout *layout = NULL, *window = NULL, *moved = NULL;
    const int process[PARTS] = {6, 5, 4, 3, 2, 1, 0};
    status = map_of(p, &map);
    if (status == SCALAY_SUCCESS) status = scalay_layout_from_owner_map(map, &layout);
    if (status == SCALAY_SUCCESS) status = scalay_layout_submatrix(layout, 1, 1, p->m - 2, p->n - 2, &window);
    if (status == SCALAY_SUCCESS) status = scalay_layout_relabel(window, PARTS, process, &moved);
    if (status == SCALAY_SUCCESS) status = scalay_layout_owner_map(moved, &back);
    if (status == SCALAY_SUCCESS) (void)scalay_layout_same_owners(window, moved);
    scalay_owner_map_destroy(&map);
    scalay_owner_map_destroy(&back);
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&window);
    scalay_layout_destroy(&moved);
    return status;
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(4);
    picture p = random_picture(&random);
    while (p.m < 8 || p.n < 8 || p.parts < 4) p = random_picture(&random);
    scalay_memory_fail_at(0);
    assert_int_equal(make_all(&p), SCALAY_SUCCESS);
    const int64_t requests = scalay_memory_requests();
    int failures = 0;
    for (int64_t n = 1; n <= requests; n++) {
        scalay_memory_fail_at(n);
        const scalay_status status = make_all(&p);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        failures += status == SCALAY_ERROR_MEMORY;
        assert_int_equal(scalay_memory_live(), 0);
    }
    scalay_memory_fail_at(0);
    assert_true(failures > 30);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_has_one_place_in_a_few_dense_arrays),
        cmocka_unit_test(the_owner_map_of_any_layout_says_what_the_layout_says),
        cmocka_unit_test(traffic_counts_elements),
        cmocka_unit_test(fingerprints_tell_maps_apart),
        cmocka_unit_test(descriptions_and_drawings_show_the_map),
        cmocka_unit_test(a_million_runs_need_little_memory),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
    };
    if (count > 1) first_seed = strtoull(arguments[1], NULL, 10);
    (void)printf("seeds from %llu on\n", (unsigned long long)first_seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
