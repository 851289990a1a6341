/* What goes wrong on one rank goes wrong on all, with the same status, and leaves nothing behind. */
#include "multiply/sources.h"
#include "parallel/node.h"
#include "scalay/multiply.h"
#include "support/matrix.h"

enum { M = 20, N = 26, K = 14 };

/* Everything a failing call is tried on. */
typedef struct {
    scalay_comm *comm;
    scalay_layout *a, *b, *c;
    double *x, *y, *z;
    scalay_owner_map *map;
    int bad; /* this rank is the one that does it wrong */
} fixture;

static void expect(fixture *f, const scalay_layout *a, const scalay_layout *b, const scalay_layout *c, scalay_type type,
                   scalay_op op, const scalay_gemm_options *options, scalay_status expected)
{
    scalay_gemm *gemm = NULL;
    const int64_t live = scalay_memory_live();
    CHECK_STATUS(scalay_gemm_create(f->comm, type, op, SCALAY_NO_TRANSPOSE, a, b, c, options, &gemm), expected);
    CHECK(gemm == NULL && scalay_error_message()[0] != '\0');
    CHECK(scalay_memory_live() == live);
    MPI_Barrier(scalay_comm_handle(f->comm));
}

static void bad_arguments_on_one_rank_fail_on_all(fixture *f)
{
    const scalay_op no = SCALAY_NO_TRANSPOSE;
    scalay_gemm *gemm = NULL;
    expect(f, f->bad ? NULL : f->a, f->b, f->c, SCALAY_DOUBLE, no, NULL, SCALAY_ERROR_ARGUMENT);
    expect(f, f->a, f->b, f->bad ? NULL : f->c, SCALAY_DOUBLE, no, NULL, SCALAY_ERROR_ARGUMENT);
    expect(f, f->a, f->b, f->c, f->bad ? SCALAY_INT : SCALAY_DOUBLE, no, NULL, SCALAY_ERROR_ARGUMENT);
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, f->bad ? (scalay_op)7 : no, NULL, SCALAY_ERROR_ARGUMENT);
    expect(f, f->b, f->b, f->c, SCALAY_DOUBLE, no, NULL, SCALAY_ERROR_MISMATCH);
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, SCALAY_TRANSPOSE, NULL, SCALAY_ERROR_MISMATCH);
    CHECK_STATUS(scalay_gemm_create(f->comm, SCALAY_DOUBLE, no, no, f->a, f->b, f->c, NULL, NULL),
                 SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_gemm_create(NULL, SCALAY_DOUBLE, no, no, f->a, f->b, f->c, NULL, &gemm), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_gemm_execute(NULL, NULL, f->x, f->y, NULL, f->z), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_gemm_get_statistics(NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK(scalay_gemm_layout(NULL) == NULL && scalay_gemm_describe(NULL, NULL, 0) > 0);
    scalay_gemm_destroy(NULL);
}

static void bad_options_fail_on_all(fixture *f)
{
    const int size = scalay_comm_size(f->comm);
    const scalay_machine nowhere = {.seconds_per_flop = NAN};
    const scalay_op no = SCALAY_NO_TRANSPOSE;
    const scalay_gemm_options usual = scalay_gemm_options_default();
    scalay_gemm_options options = usual;
    scalay_summa_options summa = scalay_summa_options_default();
    options.objective = f->bad ? (scalay_objective)17 : SCALAY_CANONICAL;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_ARGUMENT);
    options = usual;
    options.nprow = size + 1;
    options.npcol = 1;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_INFEASIBLE);
    options.nprow = 0;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_ARGUMENT);
    options = usual;
    options.machine = f->bad ? &nowhere : NULL;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_ARGUMENT);
    options = usual;
    options.map = f->map;
    options.nprow = options.npcol = 1;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_ARGUMENT);
    options = usual;
    summa.transport = "pigeon";
    options.summa = &summa;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_ARGUMENT);
    /* On one rank nothing would move; on more one has a map, the others have none. */
    if (size == 1) return;
    options = usual;
    options.transport = "pigeon";
    options.map = f->map;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_ARGUMENT);
    options = usual;
    options.map = f->bad ? f->map : NULL;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_MISMATCH);
}

static void maps_that_do_not_fit_are_refused(fixture *f)
{
    const int64_t row_cut[] = {0, M}, col_cut[] = {0, N};
    const int64_t short_cut[] = {0, M - 1};
    const int owner[] = {0};
    scalay_owner_map *map = NULL;
    scalay_gemm_options options = scalay_gemm_options_default();
    CHECK_STATUS(scalay_owner_map_create(1, 1, short_cut, col_cut, 1, owner, &map), SCALAY_SUCCESS);
    options.map = map;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, &options, SCALAY_ERROR_MISMATCH);
    scalay_owner_map_destroy(&map);
    CHECK_STATUS(scalay_owner_map_create(1, 1, row_cut, col_cut, scalay_comm_size(f->comm) + 1, owner, &map),
                 SCALAY_SUCCESS);
    options.map = map;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, &options, SCALAY_ERROR_INFEASIBLE);
    scalay_owner_map_destroy(&map);
}

static void parts_without_ranks_are_told(fixture *f, scalay_gemm_product product)
{
    double error = 0.0;
    scalay_layout *wide = NULL;
    CHECK_STATUS(
        scalay_layout_block_cyclic(M, N, 2, 2, 1, scalay_comm_size(f->comm) + 1, 0, 0, SCALAY_ROW_MAJOR, &wide),
        SCALAY_SUCCESS);
    product.layout_c = wide;
    CHECK_STATUS(scalay_gemm_check(f->comm, &product, 1, &error), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&wide);
}

/* Also where the product would have to be brought back. */
static void panels_alone_leave_the_product(fixture *f)
{
    scalay_summa_options summa = scalay_summa_options_default();
    const scalay_op no = SCALAY_NO_TRANSPOSE;
    const int64_t held = scalay_layout_local_size(f->c, scalay_comm_rank(f->comm));
    scalay_gemm_options options = scalay_gemm_options_default();
    options.map = f->map;
    summa.no_computation = 1;
    options.summa = &summa;
    for (int64_t k = 0; k < held; k++) f->z[k] = 3.0 + (double)k;
    CHECK_STATUS(scalay_pdgemm(f->comm, no, no, 1.0, f->a, f->x, f->b, f->y, 0.0, f->c, f->z, &options, NULL),
                 SCALAY_SUCCESS);
    for (int64_t k = 0; k < held; k++) CHECK(f->z[k] == 3.0 + (double)k);
    options.map = NULL;
    options.nprow = options.npcol = 1;
    expect(f, f->a, f->b, f->c, SCALAY_DOUBLE, no, &options, SCALAY_ERROR_ARGUMENT);
}

static void missing_arrays_are_told(fixture *f)
{
    const scalay_op no = SCALAY_NO_TRANSPOSE;
    double error = 0.0;
    scalay_gemm_product product = {.type = SCALAY_DOUBLE,
                                   .layout_a = f->a,
                                   .layout_b = f->b,
                                   .layout_c = f->c,
                                   .a = f->bad ? NULL : f->x,
                                   .b = f->y,
                                   .c = f->z};
    CHECK_STATUS(
        scalay_pdgemm(f->comm, no, no, 1.0, f->a, f->bad ? NULL : f->x, f->b, f->y, 0.0, f->c, f->z, NULL, NULL),
        SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(
        scalay_pdgemm(f->comm, no, no, 1.0, f->a, f->x, f->b, f->y, 0.0, f->c, f->bad ? NULL : f->z, NULL, NULL),
        SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_gemm_check(f->comm, &product, 1, &error), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_gemm_check(f->comm, f->bad ? NULL : &product, 1, &error), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_gemm_check(f->comm, &product, 1, NULL), SCALAY_ERROR_ARGUMENT);
    product.a = f->x;
    product.op_a = (scalay_op)77;
    CHECK_STATUS(scalay_gemm_check(f->comm, &product, 1, &error), SCALAY_ERROR_ARGUMENT);
    product.op_a = no;
    parts_without_ranks_are_told(f, product);
    product.layout_b = f->a;
    product.b = f->x;
    CHECK_STATUS(scalay_gemm_check(f->comm, &product, 1, &error), SCALAY_ERROR_MISMATCH);
    /* With alpha = 0 nobody asks for A and B. */
    CHECK_STATUS(scalay_pdgemm(f->comm, no, no, 0.0, f->a, NULL, f->b, NULL, 1.0, f->c, f->z, NULL, NULL),
                 SCALAY_SUCCESS);
}

static scalay_status all_of_it(fixture *f, scalay_comm *comm, const scalay_gemm_options *options)
{
    const scalay_op no = SCALAY_NO_TRANSPOSE;
    double error = -1.0;
    const scalay_gemm_product product = {
        .type = SCALAY_DOUBLE, .layout_a = f->a, .layout_b = f->b, .layout_c = f->c, .a = f->x, .b = f->y, .c = f->z};
    scalay_status status = scalay_pdgemm(comm, no, no, 1.0, f->a, f->x, f->b, f->y, 0.0, f->c, f->z, options, NULL);
    if (status == SCALAY_SUCCESS) status = scalay_gemm_check(comm, &product, 1, &error);
    if (status == SCALAY_SUCCESS) CHECK(error >= 0.0 && error < 1.0);
    return status;
}

/* Each attempt has a communicator of its own, because a communicator keeps plans. */
static void every_failing_allocation_on_one_rank_fails_on_all(fixture *f, const scalay_gemm_options *options,
                                                              int min_failures)
{
    const int64_t live_before = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    const int step = scalay_comm_size(f->comm) < 3 ? 1 : 4;
    int failures = 0;
    for (int n = 1; status == SCALAY_ERROR_MEMORY && n < 4000; n += step) {
        scalay_comm *comm = NULL;
        CHECK_STATUS(scalay_comm_create(scalay_comm_handle(f->comm), &comm), SCALAY_SUCCESS);
        scalay_memory_fail_at(f->bad ? n : 0);
        status = all_of_it(f, comm, options);
        scalay_memory_fail_at(0);
        failures += status == SCALAY_ERROR_MEMORY;
        int other = (int)status;
        MPI_Bcast(&other, 1, MPI_INT, 0, scalay_comm_handle(f->comm));
        CHECK(other == (int)status);
        status = (scalay_status)other;
        scalay_comm_destroy(&comm);
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
    CHECK(failures * step > min_failures);
    CHECK(scalay_memory_live() == live_before);
}

static void make_fixture(fixture *f)
{
    const int size = scalay_comm_size(f->comm), rank = scalay_comm_rank(f->comm);
    const int64_t row_cut[] = {0, 7, M}, col_cut[] = {0, N};
    const int owner[] = {0, size - 1};
    f->bad = rank == size - 1;
    CHECK_STATUS(scalay_layout_block_cyclic(M, K, 3, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &f->a), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(K, N, 3, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &f->b), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, 3, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &f->c), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_owner_map_create(2, 1, row_cut, col_cut, size, owner, &f->map), SCALAY_SUCCESS);
    f->x = matrix_local(SCALAY_DOUBLE, f->a, rank, scalay_layout_local_size(f->a, rank), 1);
    f->y = matrix_local(SCALAY_DOUBLE, f->b, rank, scalay_layout_local_size(f->b, rank), 2);
    f->z = matrix_local(SCALAY_DOUBLE, f->c, rank, scalay_layout_local_size(f->c, rank), 3);
}

static void free_fixture(fixture *f)
{
    free(f->z);
    free(f->y);
    free(f->x);
    scalay_owner_map_destroy(&f->map);
    scalay_layout_destroy(&f->c);
    scalay_layout_destroy(&f->b);
    scalay_layout_destroy(&f->a);
    scalay_comm_destroy(&f->comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fixture f = {0};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &f.comm), SCALAY_SUCCESS);
    /* What a communicator finds out once, and keeps, is no leak. */
    CHECK_STATUS(scalay_node_probe(f.comm), SCALAY_SUCCESS);
    make_fixture(&f);
    const scalay_summa_options summa = scalay_summa_options_default();
    scalay_gemm_options on_map = scalay_gemm_options_default(), on_grid = on_map, by_summa = on_map;
    on_map.map = f.map;
    on_map.objective = SCALAY_MIN_VOLUME;
    on_grid.nprow = scalay_comm_size(f.comm);
    on_grid.npcol = 1;
    bad_arguments_on_one_rank_fail_on_all(&f);
    bad_options_fail_on_all(&f);
    maps_that_do_not_fit_are_refused(&f);
    missing_arrays_are_told(&f);
    panels_alone_leave_the_product(&f);
    by_summa.summa = &summa;
    every_failing_allocation_on_one_rank_fails_on_all(&f, NULL, 5);
    every_failing_allocation_on_one_rank_fails_on_all(&f, &by_summa, 20);
    every_failing_allocation_on_one_rank_fails_on_all(&f, &on_map, 20);
    every_failing_allocation_on_one_rank_fails_on_all(&f, &on_grid, 20);
    free_fixture(&f);
    return check_verdict();
}
