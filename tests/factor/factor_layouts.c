/*
 * Random factorisation objects beside LAPACK: all kinds and types; submatrices of block-cyclic matrices from
 * descriptors, tile maps, 1D-1D maps, shapes of three parts; staying, moving to chosen and given maps. `factor_layouts
 * SEED CASES` runs other cases.
 */
#include "factor/factor_object.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "parallel/scalapack.h"

static const scalay_type types[] = {SCALAY_DOUBLE, SCALAY_FLOAT, SCALAY_COMPLEX_DOUBLE, SCALAY_COMPLEX_FLOAT};
static scalay_random state;

static int draw(int low, int high)
{
    return low + (int)scalay_random_below(&state, high - low + 1);
}

typedef struct {
    object_case c;
    const char *name;
    int ctxt;
    double speed[64];
    scalay_owner_map *map; /* given to the factorisation, or NULL */
    int m, n;
} test_case;

/* A submatrix of a matrix from a descriptor: mb /= nb, sources, offsets inside a block, lld above the rows. */
static int64_t draw_descriptor(scalay_comm *comm, test_case *t)
{
    const int size = check_size(), nprow = draw(1, size), npcol = draw(1, size / nprow);
    const int mb = draw(1, 9), nb = draw(0, 1) ? mb : draw(1, 9), ia = draw(0, 12), ja = draw(0, 12);
    const int rows = ia + t->m + draw(0, 8), cols = ja + t->n + draw(0, 8);
    const int rsrc = draw(0, nprow - 1), csrc = draw(0, npcol - 1), extra = draw(0, 3);
    int position[4] = {0, 0, -1, -1}, local_rows = 0;
    scalay_layout *whole = NULL;
    t->name = "descriptor";
    CHECK_STATUS(scalay_grid_acquire(comm, nprow, npcol, NULL, &t->ctxt), SCALAY_SUCCESS);
    if (t->ctxt >= 0) {
        Cblacs_gridinfo(t->ctxt, &position[0], &position[1], &position[2], &position[3]);
        for (int i = 0; i < rows; i++) local_rows += (i / mb + rsrc) % nprow == position[2];
    }
    const int desc[DLEN_] = {1, t->ctxt, rows, cols, mb, nb, rsrc, csrc, (local_rows > 1 ? local_rows : 1) + extra};
    CHECK_STATUS(scalay_layout_from_desc(comm, desc, &whole), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_submatrix(whole, ia, ja, t->m, t->n, &t->c.layout), SCALAY_SUCCESS);
    const int64_t local = scalay_layout_local_size(whole, check_rank());
    scalay_layout_destroy(&whole);
    return local;
}

static void draw_tiles(test_case *t)
{
    const int mb = draw(2, 20), nb = draw(2, 20), used = draw(1, check_size());
    const int tiles = problem_tiles(t->m, mb) * problem_tiles(t->n, nb);
    int *owner = malloc(sizeof *owner * (size_t)(tiles + 1));
    for (int k = 0; k < tiles; k++) owner[k] = draw(0, used - 1);
    t->name = "tiles";
    CHECK_STATUS(scalay_layout_tiles(t->m, t->n, mb, nb, check_size(), owner, &t->c.layout), SCALAY_SUCCESS);
    free(owner);
}

static scalay_owner_map *draw_1d1d(const test_case *t)
{
    scalay_owner_map *map = NULL;
    CHECK_STATUS(scalay_owner_map_1d1d(t->m, t->n, draw(1, 20), check_size(), t->speed,
                                       draw(0, 1) ? SCALAY_TRAILING_FULL : SCALAY_TRAILING_LOWER, draw(0, check_size()),
                                       &map),
                 SCALAY_SUCCESS);
    return map;
}

/* Any partition for the speeds; for three parts also the square corner and others that are no rectangles. */
static scalay_owner_map *draw_partition(const test_case *t)
{
    scalay_owner_map *map = NULL;
    scalay_partition *partition = NULL;
    if (t->m * t->n < check_size()) return draw_1d1d(t);
    CHECK_STATUS(scalay_partition_create(t->m, t->n, check_size(), t->speed, NULL, &partition), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_owner_map_resize(scalay_partition_map(partition), t->m, t->n, &map), SCALAY_SUCCESS);
    scalay_partition_destroy(&partition);
    return map;
}

static void draw_layout_of_map(test_case *t, scalay_owner_map *map, int is_ascending)
{
    t->name = is_ascending ? "ascending map" : "map";
    if (is_ascending)
        CHECK_STATUS(scalay_layout_from_owner_map_ascending(map, &t->c.layout), SCALAY_SUCCESS);
    else
        CHECK_STATUS(scalay_layout_from_owner_map(map, &t->c.layout), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
}

static int64_t draw_layout(scalay_comm *comm, test_case *t)
{
    switch (draw(0, 4)) {
    case 0:
    case 1:
        return draw_descriptor(comm, t);
    case 2:
        draw_tiles(t);
        break;
    case 3:
        draw_layout_of_map(t, draw_1d1d(t), draw(0, 1));
        break;
    default:
        draw_layout_of_map(t, draw_partition(t), draw(0, 1));
    }
    return scalay_layout_local_size(t->c.layout, check_rank());
}

static scalay_factor_options draw_options(test_case *t)
{
    scalay_factor_options o = scalay_factor_options_default();
    o.uplo = t->c.uplo;
    o.placement = (scalay_placement)draw(0, 2);
    o.panels = (scalay_factor_panels)draw(0, 2);
    o.nb = draw(0, 1) ? 0 : draw(3, 40);
    if (draw(0, 1)) o.speeds = t->speed;
    if (draw(0, 2) == 0) o.map = t->map = draw(0, 1) ? draw_1d1d(t) : draw_partition(t);
    return o;
}

static void run(scalay_comm *comm, uint64_t seed)
{
    const int before = check_failures;
    test_case t = {.ctxt = -1};
    state = scalay_random_seed(seed);
    t.c.kind = (scalay_factor_kind)draw(0, 2);
    t.c.type = types[draw(0, 3)];
    t.c.uplo = draw(0, 1) ? SCALAY_UPPER : SCALAY_LOWER;
    t.m = draw(0, 5) ? draw(1, 90) : draw(0, 3);
    t.n = t.c.kind == SCALAY_FACTOR_CHOLESKY ? t.m : draw(1, 90);
    for (int p = 0; p < check_size(); p++) t.speed[p] = 1.0 / draw(1, 4);
    const int64_t size = draw_layout(comm, &t);
    object_prepare(&t.c, size, seed);
    const scalay_factor_options options = draw_options(&t);
    if (getenv("SCALAY_TEST_VERBOSE") != NULL && check_rank() == 0)
        fprintf(stderr, "seed %llu: kind %d, %s, %d x %d, %s, placement %d, panels %d, nb %d\n",
                (unsigned long long)seed, (int)t.c.kind, scalay_type_name(t.c.type), t.m, t.n, t.name,
                (int)options.placement, (int)options.panels, options.nb);
    object_run(comm, &t.c, &options, 1 + (int)(seed % 2));
    if (check_failures > before)
        fprintf(stderr, "seed %llu: kind %d, %s, %d x %d, %s, placement %d, panels %d, nb %d\n",
                (unsigned long long)seed, (int)t.c.kind, scalay_type_name(t.c.type), t.m, t.n, t.name,
                (int)options.placement, (int)options.panels, options.nb);
    scalay_layout_destroy(&t.c.layout);
    scalay_owner_map_destroy(&t.map);
    if (strcmp(t.name, "descriptor") == 0) CHECK_STATUS(scalay_grid_release(comm, &t.ctxt), SCALAY_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int cases = argc > 2            ? atoi(argv[2])
                      : check_size() <= 4 ? 40
                      : check_size() < 8  ? 10
                      : check_size() < 16 ? 4
                                          : 2;
    scalay_comm *comm = NULL;
    if (check_rank() == 0) printf("seeds %llu ..\n", (unsigned long long)first);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    if (argc == 1) run(comm, 1068); /* on 3 ranks: a row class without a tile */
    for (int k = 0; k < cases; k++) run(comm, first + (uint64_t)k);
    scalay_comm_destroy(&comm);
    CHECK(scalay_memory_live() == 0);
    CHECK(scalay_grids_live() == 0);
    return check_verdict();
}
