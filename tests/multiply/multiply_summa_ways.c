/*
 * Everything that an option or the machine changes about a multiplication leaves its result and what travels as they
 * are: transports, memory limits, shared arrays, machines that share nothing, communicators, matrices with many lines.
 */
#include "multiply/products.h"
#include "multiply/summa.h"
#include "parallel/node.h"

static int64_t volume_of(const scalay_multiply_cost *cost)
{
    scalay_multiply_cost_summary summary;
    return scalay_multiply_cost_get_summary(cost, &summary) == SCALAY_SUCCESS ? summary.volume : -1;
}

static const char *const transports[] = {"messages", "shared", "broadcast"};
enum { TRANSPORTS = (int)(sizeof transports / sizeof transports[0]) };

static scalay_layout *grid(const scalay_comm *comm, int64_t m, int64_t n, int64_t block)
{
    const int size = scalay_comm_size(comm), p = source_rows(size);
    scalay_layout *layout = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(m, n, block, block, p, size / p, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    return layout;
}

/* The same as a tile map. */
static scalay_layout *dealt_tiles(const scalay_comm *comm, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    const int size = scalay_comm_size(comm), p = source_rows(size), q = size / p;
    const int64_t rows = (m + mb - 1) / mb, cols = (n + nb - 1) / nb;
    int *owner = malloc((size_t)(rows * cols) * sizeof *owner);
    scalay_layout *layout = NULL;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) owner[r * cols + c] = (int)(r % p * q + c % q);
    CHECK_STATUS(scalay_layout_tiles(m, n, mb, nb, size, owner, &layout), SCALAY_SUCCESS);
    free(owner);
    return layout;
}

/* A is the row's number + 1, B the column's: C is k times their product, which is exact. */
static void fill(const scalay_layout *layout, int rank, int by_row, double *a)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(layout, rank, k, &r);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                a[r.offset + i + j * r.ld] = (double)(by_row ? r.row + i + 1 : r.col + j);
    }
}

static int is_product(const scalay_layout *layout, int rank, int64_t k, const double *c)
{
    for (int64_t b = 0; b < scalay_layout_rectangle_count(layout, rank); b++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(layout, rank, b, &r);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                if (c[r.offset + i + j * r.ld] != (double)k * (double)(r.row + i + 1) * (double)(r.col + j)) return 0;
    }
    return 1;
}

/* By messages where maps that differ cannot be broadcast. */
static scalay_status create(scalay_comm *comm, const scalay_layout *const layout[3],
                            const scalay_summa_options *options, scalay_summa **summa)
{
    scalay_summa_options other = *options;
    const scalay_op op = SCALAY_NO_TRANSPOSE;
    const scalay_status status =
        scalay_summa_create(comm, SCALAY_DOUBLE, op, op, layout[0], layout[1], layout[2], options, summa);
    if (status != SCALAY_ERROR_UNSUPPORTED || layout[0] == layout[2]) return status;
    CHECK(options->transport != NULL && strcmp(options->transport, "broadcast") == 0);
    other.transport = "messages";
    return scalay_summa_create(comm, SCALAY_DOUBLE, op, op, layout[0], layout[1], layout[2], &other, summa);
}

/* Multiplies in ordinary arrays or in scalay_alloc's, and checks; C is untouched when nothing is computed. Returns what
 * travelled. */
static int64_t multiply(scalay_comm *comm, const scalay_layout *const layout[3], const scalay_summa_options *options,
                        int is_shared)
{
    const int rank = scalay_comm_rank(comm);
    const double one = 1.0, zero = 0.0;
    double *array[3] = {NULL};
    scalay_summa *summa = NULL;
    scalay_summa_statistics s = {0};
    int64_t received = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t size = scalay_layout_local_size(layout[k], rank);
        if (is_shared)
            CHECK_STATUS(scalay_alloc(comm, size * 8, (void **)&array[k]), SCALAY_SUCCESS);
        else
            array[k] = calloc((size_t)size + 1, sizeof *array[k]);
        if (k < 2) fill(layout[k], rank, k == 0, array[k]);
    }
    CHECK_STATUS(create(comm, layout, options, &summa), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_summa_execute(summa, &one, array[0], array[1], &zero, array[2]), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_summa_get_statistics(summa, &s), SCALAY_SUCCESS);
    MPI_Allreduce(&s.elements_received, &received, 1, MPI_INT64_T, MPI_SUM, scalay_comm_handle(comm));
    CHECK(received == s.volume);
    CHECK(options->memory_bytes == 0 || s.workspace_bytes <= options->memory_bytes);
    if (options->no_computation) {
        CHECK(s.gemm_calls == 0);
        int64_t zeros = 0;
        while (zeros < scalay_layout_local_size(layout[2], rank) && array[2][zeros] == 0.0) zeros++;
        CHECK(zeros == scalay_layout_local_size(layout[2], rank));
    } else {
        CHECK(is_product(layout[2], rank, scalay_layout_cols(layout[0]), array[2]));
    }
    scalay_summa_destroy(&summa);
    for (int k = 0; k < 3; k++) {
        if (is_shared)
            scalay_free((void **)&array[k]);
        else
            free(array[k]);
    }
    return received;
}

/* Strips of rows need all of B, in panels of 4: who sends packs them, who reads finds a segment for each column. A
 * strip of at most 4 rows is one panel: its whole array is one segment, and is sent from where it is. */
static void strips_count_what_they_copy_and_read(scalay_comm *comm, const char *transport)
{
    enum { N = 60, WIDTH = 4, MOST = 16 };
    const int rank = scalay_comm_rank(comm), ranks = scalay_comm_size(comm);
    const int64_t across[] = {0, N};
    int64_t cut[MOST + 1], segments = 0;
    int owner[MOST];
    double *array[3] = {NULL};
    scalay_owner_map *map = NULL;
    scalay_layout *layout = NULL;
    scalay_summa *summa = NULL;
    scalay_summa_statistics s = {0};
    scalay_summa_options options = scalay_summa_options_default();
    for (int k = 0; k <= ranks; k++) cut[k] = k * (int64_t)N / ranks;
    for (int k = 0; k < ranks; k++) owner[k] = k;
    for (int k = 0; k < ranks; k++) {
        const int64_t panels = (cut[k + 1] - cut[k] + WIDTH - 1) / WIDTH;
        if (k != rank) segments += panels == 1 ? 1 : panels * N;
    }
    const int is_one_panel = cut[rank + 1] - cut[rank] <= WIDTH;
    CHECK_STATUS(scalay_owner_map_create(ranks, 1, cut, across, ranks, owner, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
    const int64_t size = scalay_layout_local_size(layout, rank);
    for (int k = 0; k < 3; k++) array[k] = calloc((size_t)size + 1, sizeof *array[k]);
    const double one = 1.0;
    const int reads = strcmp(transport, "shared") == 0;
    options.transport = transport;
    options.panel = WIDTH;
    const scalay_status status = scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE,
                                                     layout, layout, layout, &options, &summa);
    CHECK(status == SCALAY_SUCCESS || (reads && status == SCALAY_ERROR_UNSUPPORTED));
    for (int turn = 0; turn < 2 && summa != NULL; turn++) {
        CHECK_STATUS(scalay_summa_execute(summa, &one, array[0], array[1], &one, array[2]), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_summa_get_statistics(summa, &s), SCALAY_SUCCESS);
        CHECK(s.segments_read == (reads ? segments : 0));
        CHECK(s.elements_copied == (reads || ranks == 1 || is_one_panel ? 0 : size));
    }
    scalay_summa_destroy(&summa);
    for (int k = 0; k < 3; k++) free(array[k]);
    scalay_layout_destroy(&layout);
    scalay_owner_map_destroy(&map);
}

/* One gemm for each panel, or as many as it takes to keep their arrays in bounds, not one for each tile. */
static void small_tiles_are_multiplied_together(scalay_comm *comm, int64_t n, int64_t mb, int64_t nb, int64_t calls)
{
    const double one = 1.0;
    double *array[3] = {NULL};
    scalay_summa *summa = NULL;
    scalay_summa_statistics s = {0};
    scalay_layout *whole = dealt_tiles(comm, n + 7, n + 9, mb, nb), *layout = NULL;
    CHECK_STATUS(scalay_layout_submatrix(whole, 5, 6, n, n, &layout), SCALAY_SUCCESS);
    const int rank = scalay_comm_rank(comm);
    const int64_t size = scalay_layout_local_size(layout, rank);
    for (int k = 0; k < 3; k++) array[k] = calloc((size_t)size + 1, sizeof *array[k]);
    for (int k = 0; k < 2; k++) fill(layout, rank, k == 0, array[k]);
    CHECK_STATUS(scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout, layout,
                                     layout, NULL, &summa),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_summa_execute(summa, &one, array[0], array[1], &one, array[2]), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_summa_get_statistics(summa, &s), SCALAY_SUCCESS);
    CHECK(is_product(layout, rank, n, array[2]));
    CHECK(scalay_layout_elements(layout, rank) == 0 || s.gemm_calls == calls * s.panels);
    CHECK(s.workspace_bytes >= (scalay_layout_elements(layout, rank) > 0 && calls == 1 ? 8 * size / 2 : 0));
    scalay_summa_destroy(&summa);
    for (int k = 0; k < 3; k++) free(array[k]);
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&whole);
}

/* Tiles that lie scattered are multiplied one by one, in panels that are narrow by every transport. */
static void scattered_tiles_take_narrow_panels(scalay_comm *comm)
{
    enum { N = 1024, TILE = 64, TILES = N / TILE };
    int owner[TILES * TILES];
    scalay_random random = scalay_random_seed(5);
    scalay_layout *layout = NULL;
    scalay_summa_options options = scalay_summa_options_default();
    for (int k = 0; k < TILES * TILES; k++) owner[k] = (int)scalay_random_below(&random, scalay_comm_size(comm));
    CHECK_STATUS(scalay_layout_tiles(N, N, TILE, TILE, scalay_comm_size(comm), owner, &layout), SCALAY_SUCCESS);
    for (int t = 0; t < TRANSPORTS; t++) {
        scalay_summa *summa = NULL;
        scalay_summa_statistics s = {0};
        options.transport = transports[t];
        const scalay_status status = scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE,
                                                         layout, layout, layout, &options, &summa);
        CHECK(status == SCALAY_SUCCESS || (t > 0 && status == SCALAY_ERROR_UNSUPPORTED));
        if (summa != NULL) CHECK_STATUS(scalay_summa_get_statistics(summa, &s), SCALAY_SUCCESS);
        CHECK(s.panel <= 256 || scalay_comm_size(comm) == 1);
        scalay_summa_destroy(&summa);
    }
    scalay_layout_destroy(&layout);
}

/* The first process owns an L of B, all of which it needs. Its second subarray begins where a column of the first one
 * would, but has shorter columns: a panel that is one row of both is not in place. */
static void subarrays_with_columns_of_other_lengths_are_not_one(scalay_comm *comm)
{
    enum { N = 10 };
    const int64_t row_cut[] = {0, N / 2, N}, col_cut[] = {0, 4, N};
    const int owner[] = {0, 0, 0, scalay_comm_size(comm) - 1};
    scalay_owner_map *map = NULL;
    scalay_layout *shape = NULL, *first = NULL;
    CHECK_STATUS(scalay_owner_map_create(2, 2, row_cut, col_cut, scalay_comm_size(comm), owner, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_from_owner_map(map, &shape), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(N, N, N, N, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &first), SCALAY_SUCCESS);
    const scalay_layout *const set[] = {first, shape, first};
    for (int way = 0; way < 8; way++) { /* nobody broadcasts to a rank that owns no element of C */
        scalay_summa_options options = scalay_summa_options_default();
        options.transport = transports[way / 4];
        options.panel = way & 1;
        multiply(comm, set, &options, way & 2);
    }
    scalay_layout_destroy(&first);
    scalay_layout_destroy(&shape);
    scalay_owner_map_destroy(&map);
}

/* A column of tiles, one after the other in memory, is in place: panels have more rows than a tile. Of two columns of
 * C, since the first one is zero. */
static void a_column_goes_on_from_tile_to_tile(scalay_comm *comm)
{
    enum { N = 30, TILE = 4, TILES = (N + TILE - 1) / TILE };
    int owner[2 * TILES];
    scalay_layout *tiles = NULL, *whole = NULL, *columns = NULL;
    if (scalay_comm_size(comm) == 1) return;
    for (int k = 0; k < 2 * TILES; k++) owner[k] = 1 - k % 2;
    CHECK_STATUS(scalay_layout_tiles(N, 2, TILE, 1, 2, owner, &tiles), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(N, N, N, N, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &whole), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(N, 2, N, 1, 1, 2, 0, 1, SCALAY_ROW_MAJOR, &columns), SCALAY_SUCCESS);
    const scalay_layout *const set[] = {whole, tiles, columns};
    for (int way = 0; way < 4; way++) {
        scalay_summa_options options = scalay_summa_options_default();
        options.transport = transports[way / 2];
        options.panel = way & 1 ? 4 * TILE : 0;
        multiply(comm, set, &options, 0);
    }
    scalay_layout_destroy(&columns);
    scalay_layout_destroy(&whole);
    scalay_layout_destroy(&tiles);
}

/* 1: all combinations; 0: all options with all layouts and transports, but not all of them together. */
static int want_all;

/* On a grid, on a shape, on tiles, and from one to the other. */
static void every_option_gives_the_product(scalay_comm *comm)
{
    scalay_owner_map *map = NULL;
    scalay_layout *cyclic = grid(comm, 90, 90, 8), *tiles = dealt_tiles(comm, 90, 90, 8, 6), *shape = NULL;
    CHECK_STATUS(product_map(0, 90, 90, scalay_comm_size(comm), 5, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_from_owner_map(map, &shape), SCALAY_SUCCESS);
    const scalay_layout *const sets[][3] = {{cyclic, cyclic, cyclic}, {shape, shape, shape}, {cyclic, cyclic, shape},
                                            {shape, cyclic, cyclic},  {tiles, tiles, tiles}, {cyclic, shape, tiles}};
    for (int set = 0; set < 6; set++)
        for (int t = 0; t < TRANSPORTS; t++)
            for (int way = 0; way < 8; way++) {
                if (!want_all && (set + t + way) % 4 != 0) continue;
                scalay_summa_options options = scalay_summa_options_default();
                options.transport = transports[t];
                options.memory_bytes = way & 1 ? 30000 : 0;
                options.no_overlap = way & 2;
                multiply(comm, sets[set], &options, way >= 4);
                options.no_computation = 1;
                multiply(comm, sets[set], &options, way >= 4);
            }
    scalay_owner_map_destroy(&map);
    scalay_layout_destroy(&shape);
    scalay_layout_destroy(&tiles);
    scalay_layout_destroy(&cyclic);
}

/* One row of processes: all of them need all of A. From six on a tree of broadcasts is worth it, by the model. */
static void large_sets_are_broadcast_to(scalay_comm *comm)
{
    const int size = scalay_comm_size(comm);
    scalay_layout *row = NULL;
    scalay_summa *summa = NULL;
    char text[512];
    CHECK_STATUS(scalay_layout_block_cyclic(40, 40, 2, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &row), SCALAY_SUCCESS);
    CHECK_STATUS(
        scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, row, row, row, NULL, &summa),
        SCALAY_SUCCESS);
    (void)scalay_summa_describe(summa, text, sizeof text);
    if (size > 1) CHECK((strstr(text, "broadcast") != NULL) == (size >= 6));
    scalay_summa_destroy(&summa);
    scalay_layout_destroy(&row);
}

/* "auto" goes by messages then, unless many need the same, and "shared" says why it cannot. */
static void a_machine_that_shares_nothing_sends_messages(MPI_Comm mpi)
{
    scalay_comm *comm = NULL;
    scalay_summa *summa = NULL;
    scalay_summa_options options = scalay_summa_options_default();
    scalay_node_limit((scalay_node_limits){.ranks = 1});
    CHECK_STATUS(scalay_comm_create(mpi, &comm), SCALAY_SUCCESS);
    large_sets_are_broadcast_to(comm);
    scalay_layout *cyclic = grid(comm, 50, 50, 4);
    const scalay_layout *const set[] = {cyclic, cyclic, cyclic};
    multiply(comm, set, &options, 1);
    options.transport = "shared";
    CHECK_STATUS(scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, cyclic, cyclic,
                                     cyclic, &options, &summa),
                 scalay_comm_size(comm) > 1 ? SCALAY_ERROR_UNSUPPORTED : SCALAY_SUCCESS);
    scalay_summa_destroy(&summa);
    scalay_layout_destroy(&cyclic);
    scalay_comm_destroy(&comm);
    scalay_node_limit((scalay_node_limits){.ranks = 0});
}

static void a_part_of_the_ranks_in_another_order_can_multiply(void)
{
    int rank = 0, size = 0;
    MPI_Comm half;
    scalay_comm *comm = NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    CHECK_STATUS(scalay_comm_create(half, &comm), SCALAY_SUCCESS);
    every_option_gives_the_product(comm);
    scalay_comm_destroy(&comm);
    a_machine_that_shares_nothing_sends_messages(half);
    MPI_Comm_free(&half);
}

/* The cost of partition.h, which finds what travels by other means. */
static void what_travels_is_what_the_partition_costs(scalay_comm *comm)
{
    for (int kind = 0; kind < 2; kind++)
        for (uint64_t seed = 1; seed <= (want_all ? 12 : 4); seed++) {
            scalay_owner_map *map = NULL;
            scalay_layout *layout = NULL;
            scalay_multiply_cost *cost = NULL;
            scalay_summa *summa = NULL;
            scalay_summa_statistics s;
            CHECK_STATUS(product_map(kind, 47, 47, scalay_comm_size(comm), seed, &map), SCALAY_SUCCESS);
            CHECK_STATUS(scalay_layout_from_owner_map(map, &layout), SCALAY_SUCCESS);
            CHECK_STATUS(scalay_multiply_cost_create(NULL, NULL, map, NULL, &cost), SCALAY_SUCCESS);
            CHECK_STATUS(scalay_summa_create(comm, SCALAY_FLOAT, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout,
                                             layout, layout, NULL, &summa),
                         SCALAY_SUCCESS);
            CHECK_STATUS(scalay_summa_get_statistics(summa, &s), SCALAY_SUCCESS);
            CHECK(s.volume == volume_of(cost));
            scalay_summa_destroy(&summa);
            scalay_multiply_cost_destroy(&cost);
            scalay_layout_destroy(&layout);
            scalay_owner_map_destroy(&map);
        }
}

static int is_of_three(const char *shape)
{
    return strcmp(shape, "square-corner") == 0 || strcmp(shape, "square-rectangle") == 0 ||
           strcmp(shape, "block-rectangle") == 0;
}

/* Every shape and method of partition.h, counted while panels travel, is f_c. Those of three parts exist for three
 * ranks. */
static void what_arrives_is_what_each_shape_costs(scalay_comm *comm)
{
    enum { MOST = 16, SIDE = 48 };
    const int size = scalay_comm_size(comm);
    double area[MOST];
    int exist = 0;
    for (int k = 0; k < size; k++) area[k] = k == 0 ? 8.0 : 1.0 / (double)(k + 1);
    for (int shape = 0; scalay_partition_shapes(shape) != NULL; shape++) {
        scalay_partition_options options = scalay_partition_options_default();
        scalay_partition *partition = NULL;
        scalay_layout *layout = NULL;
        scalay_multiply_cost *cost = NULL;
        options.shape = scalay_partition_shapes(shape);
        const scalay_status status = scalay_partition_create(SIDE, SIDE, size, area, &options, &partition);
        CHECK(status == SCALAY_SUCCESS || ((size != 3 || !is_of_three(options.shape)) &&
                                           (status == SCALAY_ERROR_ARGUMENT || status == SCALAY_ERROR_INFEASIBLE)));
        if (status != SCALAY_SUCCESS) continue;
        exist++;
        CHECK_STATUS(scalay_layout_from_owner_map(scalay_partition_map(partition), &layout), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_multiply_cost_create(NULL, NULL, scalay_partition_map(partition), NULL, &cost),
                     SCALAY_SUCCESS);
        const scalay_layout *const set[] = {layout, layout, layout};
        for (int t = 0; t < TRANSPORTS; t++) {
            if (!want_all && t != shape % TRANSPORTS) continue;
            scalay_summa_options summa = scalay_summa_options_default();
            summa.transport = transports[t];
            CHECK(multiply(comm, set, &summa, 0) == volume_of(cost));
        }
        scalay_multiply_cost_destroy(&cost);
        scalay_layout_destroy(&layout);
        scalay_partition_destroy(&partition);
    }
    CHECK(exist >= 2);
}

/* Very many lines in blocks of 1: C has few columns, and what is planned has to do with lines, not with elements. */
static void many_lines_are_planned_quickly(scalay_comm *comm)
{
    enum { MANY = 200000 };
    scalay_summa_options options = scalay_summa_options_default();
    options.panel = 2;
    scalay_layout *tall = grid(comm, MANY, 3, 1), *small = grid(comm, 3, 3, 1);
    const scalay_layout *const set[] = {tall, small, tall};
    for (int t = 0; t < TRANSPORTS; t++) {
        options.transport = transports[t];
        multiply(comm, set, &options, 0);
    }
    scalay_layout_destroy(&small);
    small = grid(comm, 4, 4, 1);
    scalay_layout *long_a = grid(comm, 4, MANY, 1), *long_b = grid(comm, MANY, 4, 1);
    const scalay_layout *const inner[] = {long_a, long_b, small};
    options.panel = 0;
    multiply(comm, inner, &options, 0);
    scalay_layout_destroy(&long_b);
    scalay_layout_destroy(&long_a);
    scalay_layout_destroy(&small);
    scalay_layout_destroy(&tall);
}

/* Slabs of rows: parts of the columns of B, of 2 KB at most, are what travels. */
static scalay_layout *slabs(const scalay_comm *comm)
{
    enum { N = 256, BLOCK = 16 };
    scalay_layout *layout = NULL;
    CHECK_STATUS(
        scalay_layout_block_cyclic(N, N, BLOCK, BLOCK, scalay_comm_size(comm), 1, 0, 0, SCALAY_ROW_MAJOR, &layout),
        SCALAY_SUCCESS);
    return layout;
}

/* Typical rates; above 0: with a measured curve of copying. */
static scalay_machine rates_of(double seconds_per_byte_copied)
{
    scalay_machine machine = scalay_machine_typical();
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) machine.copy_curve[k] = seconds_per_byte_copied;
    return machine;
}

static int is_read(const scalay_summa *summa)
{
    char text[512];
    (void)scalay_summa_describe(summa, text, sizeof text);
    return strstr(text, "transport shared") != NULL;
}

/* "auto" is settled when the arrays are seen: visible ones are read, ordinary ones are sent unless copying is measured
 * to be fast, from the first execution on. If allocation number `failing` of that execution fails, the plan reads. */
static void arrays_settle_auto(scalay_comm *comm, int is_visible, double seconds_per_byte_copied, int failing)
{
    const scalay_machine rates = rates_of(seconds_per_byte_copied);
    const int copies_fast = seconds_per_byte_copied > 0.0 && seconds_per_byte_copied < rates.seconds_per_byte_within;
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    const double one = 1.0, zero = 0.0;
    scalay_layout *layout = slabs(comm);
    const scalay_layout *const layouts[] = {layout, layout, layout};
    const scalay_op op[] = {SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE};
    const scalay_summa_arrays unknown[] = {SCALAY_SUMMA_UNKNOWN, SCALAY_SUMMA_UNKNOWN};
    const int64_t elements = scalay_layout_local_size(layout, rank);
    double *array[3] = {NULL};
    scalay_summa *summa = NULL;
    for (int k = 0; k < 3; k++) {
        if (is_visible)
            CHECK_STATUS(scalay_alloc(comm, elements * 8, (void **)&array[k]), SCALAY_SUCCESS);
        else
            array[k] = calloc((size_t)elements + 1, sizeof *array[k]);
        if (k < 2) fill(layout, rank, k == 0, array[k]);
    }
    CHECK_STATUS(scalay_summa_create_for(comm, SCALAY_DOUBLE, op, layouts, NULL, unknown, &rates, &summa),
                 SCALAY_SUCCESS);
    const int could_read = is_read(summa);
    for (int turn = 0; turn < 3; turn++) {
        if (turn == 0) scalay_memory_fail_at(failing);
        CHECK_STATUS(scalay_summa_execute(summa, &one, array[0], array[1], &zero, array[2]), SCALAY_SUCCESS);
        scalay_memory_fail_at(0);
        CHECK(is_product(layout, rank, scalay_layout_cols(layout), array[2]));
        memset(array[2], 0, (size_t)elements * sizeof *array[2]);
        if (failing == 0) CHECK(is_read(summa) == (could_read && (is_visible || copies_fast || size == 1)));
    }
    if (failing == 1 && could_read) CHECK(is_read(summa));
    scalay_summa_destroy(&summa);
    for (int k = 0; k < 3; k++) {
        if (is_visible)
            scalay_free((void **)&array[k]);
        else
            free(array[k]);
    }
    scalay_layout_destroy(&layout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    want_all = argc > 1;
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    every_option_gives_the_product(comm);
    what_travels_is_what_the_partition_costs(comm);
    what_arrives_is_what_each_shape_costs(comm);
    for (int t = 0; t < 2; t++) strips_count_what_they_copy_and_read(comm, transports[t]);
    small_tiles_are_multiplied_together(comm, 200, 16, 24, 1);
    /* Up to 512 rows of 16 and columns of 24: three times three. */
    if (scalay_comm_size(comm) == 1) small_tiles_are_multiplied_together(comm, 1100, 16, 24, 9);
    scattered_tiles_take_narrow_panels(comm);
    subarrays_with_columns_of_other_lengths_are_not_one(comm);
    a_column_goes_on_from_tile_to_tile(comm);
    static const double copying[] = {0.0, 1e-12, 1e-6};
    for (int visible = 0; visible < 2; visible++)
        for (int k = 0; k < 3; k++) arrays_settle_auto(comm, visible, copying[k], 0);
    for (int failing = 1; failing < 24; failing += want_all ? 1 : 4) arrays_settle_auto(comm, 0, 0.0, failing);
    many_lines_are_planned_quickly(comm);
    scalay_comm_destroy(&comm);
    a_part_of_the_ranks_in_another_order_can_multiply();
    a_machine_that_shares_nothing_sends_messages(MPI_COMM_WORLD);
    return check_verdict();
}
