#ifndef SCALAY_TESTS_REDIST_DEFINITION_H
#define SCALAY_TESTS_REDIST_DEFINITION_H

/**
 * @file
 * Random layouts with a definition of their own: owner and place of every element, by ScaLAPACK's formulae (INDXG2P,
 * INDXG2L, NUMROC) for grids and by walking over all tiles for tile maps. The library's layouts are only moved by,
 * never asked, except for the generators, whose tile owners are read off, and for the pieces of owner maps: what is
 * where in a local array is the layout's own choice (tests/layout/layout_owner_map.c looks at it). An owner map is a
 * map of tiles of one element here.
 */

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "layout/layout.h"
#include "parallel/comm.h"
#include "scalay/context.h"
#include "scalay/layout.h"

/** How a random layout comes about. */
typedef enum {
    KIND_BLOCK_CYCLIC,
    KIND_DESCRIPTOR,
    KIND_TILES,
    KIND_SKEWED,
    KIND_CHUNKS,
    KIND_OWNER_MAP
} definition_kind;

/** A layout and what it ought to be. */
typedef struct {
    scalay_layout *layout;
    int is_grid;
    int64_t m, n;     /* the window */
    int64_t row, col; /* where it starts in the whole matrix */
    int64_t whole_m, whole_n;
    int64_t mb, nb;
    int p, q, rsrc, csrc;
    scalay_order order;
    int parts;
    int *process;    /* of each part */
    int *owner;      /* tiles: part of each */
    int64_t *offset; /* tiles: of each in its part */
    int64_t *sizes;  /* tiles: elements of each part */
    int own_part; /* grids from descriptors: whose leading dimension own_ld is; -1: nobody's; -2: not a descriptor's */
    int64_t own_ld;
    int desc[9];      /* grids from descriptors; the context is gone */
    const char *name; /* of the kind */
} definition;

static inline int64_t numroc(int64_t n, int64_t nb, int64_t mine, int64_t source, int64_t count)
{
    const int64_t distance = (count + mine - source) % count;
    const int64_t blocks = n / nb;
    int64_t result = blocks / count * nb;
    if (distance < blocks % count) result += nb;
    if (distance == blocks % count) result += n % nb;
    return result;
}

static inline int grid_part(const definition *d, int r, int c)
{
    return d->order == SCALAY_ROW_MAJOR ? r * d->q + c : c * d->p + r;
}

static inline int grid_row(const definition *d, int part)
{
    return d->order == SCALAY_ROW_MAJOR ? part / d->q : part % d->p;
}

static inline int grid_col(const definition *d, int part)
{
    return d->order == SCALAY_ROW_MAJOR ? part % d->q : part / d->p;
}

static inline int64_t grid_ld(const definition *d, int part)
{
    const int64_t rows = numroc(d->whole_m, d->mb, grid_row(d, part), d->rsrc, d->p);
    if (part == d->own_part) return d->own_ld;
    return rows > 1 ? rows : 1;
}

/** Elements in the local array of a part of the whole matrix. */
static inline int64_t part_size(const definition *d, int part)
{
    if (part < 0) return 0;
    if (!d->is_grid) return d->sizes[part];
    return grid_ld(d, part) * numroc(d->whole_n, d->nb, grid_col(d, part), d->csrc, d->q);
}

/** The part that owns element (i, j) of the window, and the element's offset in its local array. */
static inline int part_of(const definition *d, int64_t i, int64_t j, int64_t *offset)
{
    const int64_t gi = i + d->row, gj = j + d->col;
    const int64_t bi = gi / d->mb, bj = gj / d->nb;
    if (d->is_grid) {
        const int part = grid_part(d, (int)((bi + d->rsrc) % d->p), (int)((bj + d->csrc) % d->q));
        *offset = bi / d->p * d->mb + gi % d->mb + (bj / d->q * d->nb + gj % d->nb) * grid_ld(d, part);
        return part;
    }
    const int64_t tile_cols = (d->whole_n + d->nb - 1) / d->nb;
    const int64_t rows = d->whole_m - bi * d->mb < d->mb ? d->whole_m - bi * d->mb : d->mb;
    *offset = d->offset[bi * tile_cols + bj] + gi % d->mb + gj % d->nb * rows;
    return d->owner[bi * tile_cols + bj];
}

static inline int part_on(const definition *d, int process)
{
    for (int part = 0; part < d->parts; part++)
        if (d->process[part] == process) return part;
    return -1;
}

/* -------------------------------------------------------------------------------------------- making them */

static inline int random_between(scalay_random *random, int low, int high)
{
    return low + (int)scalay_random_below(random, high - low + 1);
}

/** `count` distinct numbers below `bound`, or 0, 1, 2, ... every other time. */
static inline int *random_processes(scalay_random *random, int count, int bound)
{
    int *all = scalay_allocate(bound, sizeof *all);
    const int shuffled = random_between(random, 0, 1);
    for (int k = 0; k < bound; k++) all[k] = k;
    for (int k = 0; k < count && shuffled; k++) {
        const int other = random_between(random, k, bound - 1);
        const int swapped = all[k];
        all[k] = all[other];
        all[other] = swapped;
    }
    return all;
}

static inline int64_t random_block(scalay_random *random, int64_t extent)
{
    static const int small[] = {1, 2, 3, 4, 5, 8, 16};
    const int choice = random_between(random, 0, 9);
    if (choice < 7) return small[choice];
    return 1 + scalay_random_below(random, 2 * extent + 2);
}

static inline void random_grid(scalay_random *random, int size, definition *d)
{
    d->p = random_between(random, 1, size);
    if (random_between(random, 0, 3) == 0) d->p = random_between(random, 0, 1) ? 1 : size;
    d->q = random_between(random, 0, 1) ? size / d->p : random_between(random, 1, size / d->p);
    d->rsrc = random_between(random, 0, d->p - 1);
    d->csrc = random_between(random, 0, d->q - 1);
    d->order = random_between(random, 0, 1) ? SCALAY_ROW_MAJOR : SCALAY_COLUMN_MAJOR;
    d->parts = d->p * d->q;
    d->is_grid = 1;
}

/** The window out of a matrix that is larger every other time. */
static inline void random_window(scalay_random *random, int64_t m, int64_t n, definition *d)
{
    const int larger = random_between(random, 0, 1);
    d->m = m;
    d->n = n;
    d->row = larger ? scalay_random_below(random, 9) : 0;
    d->col = larger ? scalay_random_below(random, 9) : 0;
    d->whole_m = d->row + m + (larger ? scalay_random_below(random, 9) : 0);
    d->whole_n = d->col + n + (larger ? scalay_random_below(random, 9) : 0);
    d->mb = random_block(random, m);
    d->nb = random_block(random, n);
}

/** Storage of tiles: for each part one after the other, tile columns from left to right, in each from top to bottom. */
static inline void store_tiles(definition *d)
{
    const int64_t tile_rows = (d->whole_m + d->mb - 1) / d->mb, tile_cols = (d->whole_n + d->nb - 1) / d->nb;
    d->offset = scalay_allocate(tile_rows * tile_cols, sizeof *d->offset);
    d->sizes = scalay_allocate(d->parts, sizeof *d->sizes);
    for (int64_t j = 0; j < tile_cols; j++)
        for (int64_t i = 0; i < tile_rows; i++) {
            const int64_t rows = d->whole_m - i * d->mb < d->mb ? d->whole_m - i * d->mb : d->mb;
            const int64_t cols = d->whole_n - j * d->nb < d->nb ? d->whole_n - j * d->nb : d->nb;
            const int part = d->owner[i * tile_cols + j];
            d->offset[i * tile_cols + j] = d->sizes[part];
            d->sizes[part] += rows * cols;
        }
}

static inline scalay_status make_block_cyclic(definition *d, scalay_layout **whole)
{
    d->name = "block-cyclic";
    return scalay_layout_block_cyclic(d->whole_m, d->whole_n, d->mb, d->nb, d->p, d->q, d->rsrc, d->csrc, d->order,
                                      whole);
}

/** A descriptor on a context whose ranks are d->process, with a leading dimension of the rank's own. */
static inline scalay_status make_from_desc(scalay_comm *comm, int padding, definition *d, scalay_layout **whole)
{
    scalay_status status = SCALAY_SUCCESS;
    int ctxt = -1;
    int *ranks = scalay_allocate(d->parts, sizeof *ranks);
    d->name = "descriptor";
    d->order = SCALAY_ROW_MAJOR;
    for (int part = 0; part < d->parts; part++) ranks[part] = d->process[part];
    SCALAY_TRY(scalay_grid_acquire(comm, d->p, d->q, ranks, &ctxt));
    const int part = part_on(d, comm->rank);
    const int64_t least = part < 0 ? 1 : grid_ld(d, part);
    const int desc[9] = {1,
                         ctxt,
                         (int)d->whole_m,
                         (int)d->whole_n,
                         (int)d->mb,
                         (int)d->nb,
                         d->rsrc,
                         d->csrc,
                         (int)least + padding * (1 + comm->rank % 3)};
    d->own_part = part;
    d->own_ld = desc[8];
    memcpy(d->desc, desc, sizeof desc);
    SCALAY_TRY(scalay_layout_from_desc(comm, part < 0 && padding ? NULL : desc, whole));
cleanup:
    (void)scalay_grid_release(comm, &ctxt);
    scalay_release(ranks);
    return status;
}

static inline scalay_status make_tiles(scalay_random *random, int size, definition *d, scalay_layout **whole)
{
    const int64_t tiles = ((d->whole_m + d->mb - 1) / d->mb) * ((d->whole_n + d->nb - 1) / d->nb);
    d->name = "tiles";
    d->parts = random_between(random, 1, size);
    const int used = random_between(random, 1, d->parts);
    d->owner = scalay_allocate(tiles, sizeof *d->owner);
    for (int64_t k = 0; k < tiles; k++) d->owner[k] = random_between(random, 0, used - 1);
    return scalay_layout_tiles(d->whole_m, d->whole_n, d->mb, d->nb, d->parts, d->owner, whole);
}

static inline scalay_status make_generated(scalay_random *random, int size, definition_kind kind, definition *d,
                                           scalay_layout **whole)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t tile_rows = (d->whole_m + d->mb - 1) / d->mb, tile_cols = (d->whole_n + d->nb - 1) / d->nb;
    const uint64_t seed = scalay_random_bits(random);
    random_grid(random, size, d);
    d->is_grid = 0;
    d->name = kind == KIND_CHUNKS ? "chunks" : "skewed";
    SCALAY_TRY(kind == KIND_CHUNKS
                   ? scalay_layout_chunks(d->whole_m, d->whole_n, d->mb, d->nb, d->parts, seed, whole)
                   : scalay_layout_skewed(d->whole_m, d->whole_n, d->mb, d->nb, d->p, d->q, seed, whole));
    d->owner = scalay_allocate(tile_rows * tile_cols, sizeof *d->owner);
    for (int64_t i = 0; i < tile_rows; i++)
        for (int64_t j = 0; j < tile_cols; j++)
            d->owner[i * tile_cols + j] = scalay_layout_owner(*whole, i * d->mb, j * d->nb);
cleanup:
    return status;
}

/** A few lines of owners, each again and again at random places. */
static inline void draw_owners(scalay_random *random, int used, definition *d)
{
    enum { KINDS = 5 };
    int cell[KINDS][KINDS];
    int *row = scalay_allocate(d->whole_m, sizeof *row), *col = scalay_allocate(d->whole_n, sizeof *col);
    const int kinds = random_between(random, 1, KINDS), loose = random_between(random, 1, 4);
    for (int k = 0; k < KINDS * KINDS; k++) cell[k / KINDS][k % KINDS] = random_between(random, 0, used - 1);
    for (int64_t i = 0; i < d->whole_m; i++)
        row[i] = i > 0 && random_between(random, 0, loose) > 0 ? row[i - 1] : random_between(random, 0, kinds - 1);
    for (int64_t j = 0; j < d->whole_n; j++)
        col[j] = j > 0 && random_between(random, 0, loose) > 0 ? col[j - 1] : random_between(random, 0, kinds - 1);
    for (int64_t i = 0; i < d->whole_m; i++)
        for (int64_t j = 0; j < d->whole_n; j++) d->owner[i * d->whole_n + j] = cell[row[i]][col[j]];
    scalay_release(row);
    scalay_release(col);
}

/** Reads off where the elements are. */
static inline scalay_status read_pieces(const scalay_layout *whole, definition *d)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row = scalay_allocate(d->whole_m, sizeof *row), *col = scalay_allocate(d->whole_n, sizeof *col);
    d->offset = scalay_allocate(d->whole_m * d->whole_n, sizeof *d->offset);
    d->sizes = scalay_allocate(d->parts, sizeof *d->sizes);
    for (int part = 0; part < d->parts; part++)
        for (int64_t k = 0; k < scalay_layout_subarray_count(whole, part); k++) {
            scalay_subarray piece;
            SCALAY_TRY(scalay_layout_subarray(whole, part, k, &piece));
            SCALAY_TRY(scalay_layout_subarray_indices(whole, part, k, row, col));
            for (int64_t i = 0; i < piece.rows; i++)
                for (int64_t j = 0; j < piece.cols; j++)
                    d->offset[row[i] * d->whole_n + col[j]] = piece.offset + i + j * piece.ld;
            d->sizes[part] += piece.rows * piece.cols;
        }
cleanup:
    scalay_release(row);
    scalay_release(col);
    return status;
}

static inline scalay_status make_owner_map(scalay_random *random, int size, definition *d, scalay_layout **whole)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *map = NULL;
    const int64_t longer = d->whole_m > d->whole_n ? d->whole_m : d->whole_n;
    int64_t *cut = scalay_allocate(longer + 1, sizeof *cut);
    for (int64_t k = 0; k <= longer; k++) cut[k] = k;
    d->name = "owner map";
    d->mb = d->nb = 1;
    d->parts = random_between(random, 1, size);
    d->owner = scalay_allocate(d->whole_m * d->whole_n, sizeof *d->owner);
    draw_owners(random, random_between(random, 1, d->parts), d);
    SCALAY_TRY(scalay_owner_map_create(d->whole_m, d->whole_n, cut, cut, d->parts, d->owner, &map));
    SCALAY_TRY(scalay_layout_from_owner_map(map, whole));
    SCALAY_TRY(read_pieces(*whole, d));
cleanup:
    scalay_owner_map_destroy(&map);
    scalay_release(cut);
    return status;
}

static inline void definition_free(definition *d)
{
    scalay_layout_destroy(&d->layout);
    scalay_release(d->process);
    scalay_release(d->owner);
    scalay_release(d->offset);
    scalay_release(d->sizes);
    memset(d, 0, sizeof *d);
}

/** Puts the parts on d->process, unless the layout comes from a descriptor, and cuts the window out. */
static inline scalay_status place_and_cut(int size, definition *d, scalay_layout **whole)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *placed = NULL;
    if (d->own_part == -2) {
        SCALAY_TRY(scalay_layout_relabel(*whole, size, d->process, &placed));
        d->own_part = -1;
    }
    SCALAY_TRY(scalay_layout_submatrix(placed != NULL ? placed : *whole, d->row, d->col, d->m, d->n, &d->layout));
cleanup:
    scalay_layout_destroy(&placed);
    return status;
}

/**
 * A random layout of a kind, of an m x n window, on the ranks of comm. Collective: every rank draws the same.
 * @param[out] d  to be released with definition_free(), also on failure
 */
static inline scalay_status make_definition(scalay_random *random, scalay_comm *comm, definition_kind kind, int64_t m,
                                            int64_t n, definition *d)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *whole = NULL;
    const int grid = kind == KIND_BLOCK_CYCLIC || kind == KIND_DESCRIPTOR;
    memset(d, 0, sizeof *d);
    d->own_part = -2;
    random_window(random, m, n, d);
    if (grid) random_grid(random, comm->size, d);
    if (kind == KIND_TILES) SCALAY_TRY(make_tiles(random, comm->size, d, &whole));
    if (kind == KIND_OWNER_MAP) SCALAY_TRY(make_owner_map(random, comm->size, d, &whole));
    if (kind == KIND_SKEWED || kind == KIND_CHUNKS) SCALAY_TRY(make_generated(random, comm->size, kind, d, &whole));
    d->process = random_processes(random, d->parts, comm->size);
    if (kind == KIND_BLOCK_CYCLIC) SCALAY_TRY(make_block_cyclic(d, &whole));
    if (kind == KIND_DESCRIPTOR) SCALAY_TRY(make_from_desc(comm, random_between(random, 0, 1), d, &whole));
    if (!grid && kind != KIND_OWNER_MAP) store_tiles(d);
    SCALAY_TRY(place_and_cut(comm->size, d, &whole));
cleanup:
    scalay_layout_destroy(&whole);
    return status;
}

/** make_definition() of a random kind. */
static inline scalay_status random_definition(scalay_random *random, scalay_comm *comm, int64_t m, int64_t n,
                                              definition *d)
{
    static const definition_kind kinds[] = {KIND_BLOCK_CYCLIC, KIND_BLOCK_CYCLIC, KIND_BLOCK_CYCLIC, KIND_DESCRIPTOR,
                                            KIND_DESCRIPTOR,   KIND_DESCRIPTOR,   KIND_TILES,        KIND_TILES,
                                            KIND_SKEWED,       KIND_CHUNKS,       KIND_OWNER_MAP,    KIND_OWNER_MAP,
                                            KIND_OWNER_MAP,    KIND_OWNER_MAP};
    const int choice = random_between(random, 0, (int)(sizeof kinds / sizeof *kinds) - 1);
    return make_definition(random, comm, kinds[choice], m, n, d);
}

/** The definition on other processes, as a mapping makes it: own leading dimensions are gone. */
static inline void definition_map(definition *d, const int *process)
{
    d->own_part = -1;
    for (int part = 0; part < d->parts; part++) d->process[part] = process[part];
}

#endif
