/* Extents and local arrays beyond 2^31. Sides are built at such extents without any array; windows at the far ends of
   matrices of 2^33 elements, of which only the touched pages exist, move by every transport. With the argument "real",
   matrices whose local arrays have more than 2^31 bytes move whole. */

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <string.h>
#include <sys/mman.h>

#include "redist/definition.h"
#include "redist/packages.h"
#include "scalay/redist.h"
#include "support/check.h"

static const char *const transports[] = {"mpi", "shared", "auto"};

enum { TRANSPORTS = sizeof transports / sizeof *transports };

/* A grid without own leading dimensions, part k on process k. */
static definition grid_of(int64_t m, int64_t n, int64_t mb, int64_t nb, int p, int q)
{
    definition d = {.is_grid = 1, .m = m, .n = n, .whole_m = m, .whole_n = n, .mb = mb, .nb = nb, .p = p, .q = q};
    d.rsrc = p - 1;
    d.csrc = q / 2;
    d.order = SCALAY_COLUMN_MAJOR;
    d.parts = p * q;
    d.own_part = -1;
    d.process = scalay_allocate(d.parts, sizeof *d.process);
    for (int k = 0; k < d.parts; k++) d.process[k] = k;
    CHECK_STATUS(make_block_cyclic(&d, &d.layout), SCALAY_SUCCESS);
    return d;
}

/* A window of m x n that ends in the last corner. */
static void cut_corner(definition *d, int64_t m, int64_t n)
{
    scalay_layout *whole = d->layout;
    d->row = d->whole_m - m;
    d->col = d->whole_n - n;
    d->m = m;
    d->n = n;
    CHECK_STATUS(scalay_layout_submatrix(whole, d->row, d->col, m, n, &d->layout), SCALAY_SUCCESS);
    scalay_layout_destroy(&whole);
}

/* -------------------------------------------------------------------------------------- no arrays at all */

/* The first and the last element of each run of each block are where INDXG2L has them. */
static void check_block(const definition *own, int part, const definition *other, int peer, const scalay_block *block)
{
    for (int64_t r = 0; r < block->row_runs; r++)
        for (int64_t c = 0; c < block->col_runs; c++) {
            const scalay_common_run *row = &block->rows[r], *col = &block->cols[c];
            for (int last = 0; last < 2; last++) {
                const int64_t down = last ? row->count - 1 : 0, right = last ? col->count - 1 : 0;
                const int64_t i = row->index + down, j = col->index + right;
                int64_t near = 0, far = 0;
                CHECK(part_of(own, i, j, &near) == part && part_of(other, i, j, &far) == peer);
                CHECK(near == block->own.offset + (row->local_a + down) * block->own.row_stride +
                                  (col->local_a + right) * block->own.col_stride);
                CHECK(far == block->remote.offset + (row->local_b + down) * block->remote.row_stride +
                                 (col->local_b + right) * block->remote.col_stride);
            }
        }
}

/* All that a rank sends or keeps. */
static int64_t check_side(const definition *own, const definition *other, const scalay_side_spec *spec, int rank)
{
    scalay_side side;
    CHECK_STATUS(scalay_side_create(spec, SCALAY_SIDE_SOURCE, rank, &side), SCALAY_SUCCESS);
    const int64_t elements = side.elements + side.kept.elements;
    for (int64_t k = 0; k <= side.package_count; k++) {
        const scalay_package *package = k < side.package_count ? &side.packages[k] : &side.kept;
        for (int64_t b = 0; b < package->count; b++) check_block(own, rank, other, package->peer, &package->blocks[b]);
    }
    CHECK(side.local_size == part_size(own, rank));
    CHECK(side.span_end <= side.local_size);
    scalay_side_free(&side);
    return elements;
}

static void sides_at_large_extents(void)
{
    enum { P = 6 };
    const int64_t m = 3000000007, n = 2000000011;
    definition source = grid_of(m, n, 70000001, 1000003, 3, 2), target = grid_of(m, n, 999983, 500000009, 1, 5);
    const scalay_side_spec spec = {.source = source.layout, .target = target.layout};
    int64_t all = 0;
    for (int rank = 0; rank < P; rank++) all += check_side(&source, &target, &spec, rank);
    CHECK(all == m * n);
    definition_free(&source);
    definition_free(&target);
}

/* A trapezoid with a long side: all but the triangle in the corner. */
static void trapezoids_at_large_extents(void)
{
    const int64_t m = 5000000029, n = 1200, triangle = n * (n - 1) / 2;
    definition source = grid_of(m, n, 10000019, 7, 2, 2), target = grid_of(m, n, 400000009, 64, 2, 3);
    for (int upper = 0; upper < 2; upper++) {
        const scalay_uplo uplo = upper ? SCALAY_UPPER : SCALAY_LOWER;
        const scalay_side_spec spec = {.source = source.layout,
                                       .target = target.layout,
                                       .trapezoid = scalay_trapezoid_of(uplo, SCALAY_NON_UNIT, m, n)};
        int64_t all = 0;
        for (int rank = 0; rank < source.parts; rank++) {
            scalay_side side;
            CHECK_STATUS(scalay_side_create(&spec, SCALAY_SIDE_SOURCE, rank, &side), SCALAY_SUCCESS);
            all += side.elements + side.kept.elements;
            scalay_side_free(&side);
        }
        CHECK(all == m * n - triangle);
    }
    definition_free(&source);
    definition_free(&target);
}

/* ------------------------------------------------------------------------------------- a few pages of much */

static double value_at(int64_t i, int64_t j)
{
    return (double)(1 + i + 1000 * j);
}

/* Address space; pages come when they are touched, as zeros. */
static double *map_array(int64_t elements)
{
    void *array = mmap(NULL, (size_t)(elements + 1) * sizeof(double), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return CHECK(array != MAP_FAILED) ? array : NULL;
}

static void unmap_array(double *array, int64_t elements)
{
    if (array != NULL) munmap(array, (size_t)(elements + 1) * sizeof(double));
}

/* Fills the rank's elements of the window, or counts those that are what they ought to be, transposed or not. */
static int64_t visit(const definition *d, int rank, double *array, int fills, int turned)
{
    int64_t right = 0, own = 0;
    for (int64_t j = 0; j < d->n; j++)
        for (int64_t i = 0; i < d->m; i++) {
            int64_t offset = 0;
            if (d->process[part_of(d, i, j, &offset)] != rank) continue;
            own++;
            if (fills) array[offset] = value_at(i, j);
            right += array[offset] == (turned ? value_at(j, i) : value_at(i, j));
        }
    return own - right;
}

static void move_corner(scalay_comm *comm, const definition *source, const definition *target, scalay_op op,
                        const char *transport)
{
    const scalay_plan_options options = {.size = sizeof options, .transport = transport};
    const scalay_plan_matrix matrix = {
        .source = source->layout, .target = target->layout, .type = SCALAY_DOUBLE, .op = op};
    const int64_t sizes[2] = {part_size(source, part_on(source, comm->rank)),
                              part_size(target, part_on(target, comm->rank))};
    scalay_operands operands = {0};
    scalay_plan *plan = NULL;
    double *a = map_array(sizes[0]), *b = map_array(sizes[1]);
    operands.a = a;
    operands.b = b;
    (void)visit(source, comm->rank, a, 1, 0);
    CHECK_STATUS(scalay_plan_create_many(comm, 1, &matrix, &options, &plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, &operands), SCALAY_SUCCESS);
    CHECK(visit(target, comm->rank, b, 0, op != SCALAY_NO_TRANSPOSE) == 0);
    unmap_array(a, sizes[0]);
    operands.a = a = map_array(sizes[0]);
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_BACKWARD, &operands), SCALAY_SUCCESS);
    CHECK(visit(source, comm->rank, a, 0, 0) == 0);
    scalay_plan_destroy(&plan);
    unmap_array(a, sizes[0]);
    unmap_array(b, sizes[1]);
}

static void windows_at_the_far_end(scalay_comm *comm)
{
    const int64_t m = ((int64_t)1 << 20) + 5, n = ((int64_t)1 << 13) + 3;
    definition source = grid_of(m, n, 5, 16, comm->size, 1), target = grid_of(m + 1, n + 1, 64, 3, 1, comm->size);
    definition turned = grid_of(n, m, 8, 7, comm->size, 1);
    cut_corner(&source, 60, 50);
    cut_corner(&target, 60, 50);
    cut_corner(&turned, 50, 60);
    for (int t = 0; t < TRANSPORTS; t++) {
        move_corner(comm, &source, &target, SCALAY_NO_TRANSPOSE, transports[t]);
        move_corner(comm, &source, &turned, SCALAY_TRANSPOSE, transports[t]);
    }
    definition_free(&source);
    definition_free(&target);
    definition_free(&turned);
}

/* ------------------------------------------------------------------------------------------------ all of it */

/* Fills a whole local array, or counts what is not what it ought to be. */
static int64_t visit_all(const definition *d, int part, double *array, int fills)
{
    const int64_t rows = numroc(d->m, d->mb, grid_row(d, part), d->rsrc, d->p);
    const int64_t cols = numroc(d->n, d->nb, grid_col(d, part), d->csrc, d->q);
    const int64_t down = (d->p + grid_row(d, part) - d->rsrc) % d->p,
                  right = (d->q + grid_col(d, part) - d->csrc) % d->q;
    int64_t wrong = 0;
    for (int64_t c = 0; c < cols; c++)
        for (int64_t r = 0; r < rows; r++) {
            const int64_t i = (r / d->mb * d->p + down) * d->mb + r % d->mb;
            const int64_t j = (c / d->nb * d->q + right) * d->nb + c % d->nb;
            const double value = (double)(i + j * d->m);
            if (fills)
                array[c * rows + r] = value;
            else
                wrong += array[c * rows + r] != value;
        }
    return wrong;
}

/* More than 2^31 bytes in every local array of two ranks. */
static void move_all(scalay_comm *comm, const char *transport)
{
    const int64_t m = 16500, n = 33000;
    const scalay_plan_options options = {.size = sizeof options, .transport = transport};
    definition source = grid_of(m, n, 64, 64, 1, 2), target = grid_of(m, n, 128, 128, 2, 1);
    const int part = part_on(&source, comm->rank);
    scalay_plan *plan = NULL;
    CHECK(part_size(&source, part) > INT32_MAX / 8 && part_size(&target, part) > INT32_MAX / 8);
    double *a = map_array(part_size(&source, part)), *b = map_array(part_size(&target, part));
    (void)visit_all(&source, part, a, 1);
    CHECK_STATUS(scalay_plan_create(comm, source.layout, target.layout, NULL, SCALAY_DOUBLE, &options, &plan),
                 SCALAY_SUCCESS);
    const double start = MPI_Wtime();
    CHECK_STATUS(scalay_plan_execute(plan, a, b), SCALAY_SUCCESS);
    const double seconds = MPI_Wtime() - start;
    CHECK(visit_all(&target, part, b, 0) == 0);
    if (comm->rank == 0) printf("%s: %.2f GB a rank in %.2f s\n", transport, (double)m * (double)n * 4e-9, seconds);
    scalay_plan_destroy(&plan);
    unmap_array(a, part_size(&source, part));
    unmap_array(b, part_size(&target, part));
    definition_free(&source);
    definition_free(&target);
}

int main(int argc, char **argv)
{
    scalay_comm *comm = NULL;
    MPI_Init(&argc, &argv);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    if (argc > 1 && strcmp(argv[1], "real") == 0) {
        move_all(comm, "mpi");
        move_all(comm, "auto");
    } else {
        sides_at_large_extents();
        trapezoids_at_large_extents();
        windows_at_the_far_end(comm);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
