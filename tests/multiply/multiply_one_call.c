/* Products in one call: repeated calls use kept plans, small products on one grid are computed where they are, and
 * every result passes scalay_gemm_check(). */
#include <string.h>

#include "parallel/blacs.h"
#include "products.h"
#include "scalay/redist.h"

enum { M = 23, N = 19, K = 29, PAD = 7 };

typedef struct {
    scalay_comm *comm;
    scalay_layout *a, *b, *c; /* of the matrices as stored */
    scalay_type type;
    scalay_op op_a, op_b;
    const scalay_gemm_options *options;
    void *x, *y, *z, *before;
    scalay_gemm_statistics statistics;
} call;

static void *values(const call *p, const scalay_layout *layout, uint64_t seed)
{
    const int rank = scalay_comm_rank(p->comm);
    return matrix_local(p->type, layout, rank, scalay_layout_local_size(layout, rank), seed);
}

static void create_values(call *p, uint64_t seed)
{
    p->x = values(p, p->a, seed);
    p->y = values(p, p->b, seed + 1);
    p->z = values(p, p->c, seed + 2);
    p->before = values(p, p->c, seed + 2);
}

static void free_values(call *p)
{
    free(p->before);
    free(p->z);
    free(p->y);
    free(p->x);
}

static scalay_status multiply(call *p, const void *alpha, const void *beta)
{
    const float sa = alpha != NULL ? *(const float *)alpha : 0, sb = beta != NULL ? *(const float *)beta : 0;
    const double da = alpha != NULL ? *(const double *)alpha : 0, db = beta != NULL ? *(const double *)beta : 0;
    switch (p->type) {
    case SCALAY_FLOAT:
        return scalay_psgemm(p->comm, p->op_a, p->op_b, sa, p->a, p->x, p->b, p->y, sb, p->c, p->z, p->options,
                             &p->statistics);
    case SCALAY_DOUBLE:
        return scalay_pdgemm(p->comm, p->op_a, p->op_b, da, p->a, p->x, p->b, p->y, db, p->c, p->z, p->options,
                             &p->statistics);
    case SCALAY_COMPLEX_FLOAT:
        return scalay_pcgemm(p->comm, p->op_a, p->op_b, alpha, p->a, p->x, p->b, p->y, beta, p->c, p->z, p->options,
                             &p->statistics);
    default:
        return scalay_pzgemm(p->comm, p->op_a, p->op_b, alpha, p->a, p->x, p->b, p->y, beta, p->c, p->z, p->options,
                             &p->statistics);
    }
}

/* One call with new values; C := 2 op(A) op(B) + 3 C. */
static void product_is_right(call *p, uint64_t seed)
{
    const double complex two = 2.0, three = 3.0;
    const float complex two_float = 2.0F, three_float = 3.0F;
    const int is_single = p->type == SCALAY_FLOAT || p->type == SCALAY_COMPLEX_FLOAT;
    const void *alpha = is_single ? (const void *)&two_float : &two;
    const void *beta = is_single ? (const void *)&three_float : &three;
    double error = -1.0;
    create_values(p, seed);
    CHECK_STATUS(multiply(p, alpha, beta), SCALAY_SUCCESS);
    const scalay_gemm_product product = {.type = p->type,
                                         .op_a = p->op_a,
                                         .op_b = p->op_b,
                                         .layout_a = p->a,
                                         .layout_b = p->b,
                                         .layout_c = p->c,
                                         .alpha = alpha,
                                         .a = p->x,
                                         .b = p->y,
                                         .beta = beta,
                                         .before = p->before,
                                         .c = p->z};
    CHECK_STATUS(scalay_gemm_check(p->comm, &product, seed, &error), SCALAY_SUCCESS);
    CHECK(error >= 0.0 && error < 1.0);
    free_values(p);
}

/* A rows x cols submatrix at (at, at) of a distributed matrix, with rows of padding in the local array. */
static scalay_layout *create_layout(const call *p, int rows, int cols, int nb, int at)
{
    const int size = scalay_comm_size(p->comm), nprow = size >= 4 ? 2 : 1;
    scalay_layout *whole = NULL, *layout = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(rows + at + PAD, cols + at, nb, nb + 1, nprow, size / nprow, 0,
                                            size / nprow - 1, SCALAY_ROW_MAJOR, &whole),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_submatrix(whole, at, at, rows, cols, &layout), SCALAY_SUCCESS);
    scalay_layout_destroy(&whole);
    return layout;
}

static void create_layouts(call *p, int nb)
{
    const int a_turned = p->op_a != SCALAY_NO_TRANSPOSE, b_turned = p->op_b != SCALAY_NO_TRANSPOSE;
    p->a = create_layout(p, a_turned ? K : M, a_turned ? M : K, nb, 2);
    p->b = create_layout(p, b_turned ? N : K, b_turned ? K : N, nb + 2, 0);
    p->c = create_layout(p, M, N, nb, 5);
}

static void destroy_layouts(call *p)
{
    scalay_layout_destroy(&p->c);
    scalay_layout_destroy(&p->b);
    scalay_layout_destroy(&p->a);
}

static void second_call_plans_nothing(scalay_comm *comm)
{
    call p = {.comm = comm, .type = SCALAY_DOUBLE};
    create_layouts(&p, 4);
    product_is_right(&p, 1);
    CHECK(p.statistics.plan_seconds > 0.0);
    product_is_right(&p, 2);
    CHECK(p.statistics.plan_seconds == 0.0);
    CHECK(!p.statistics.moves_a && !p.statistics.moves_b && !p.statistics.moves_c);
    destroy_layouts(&p);
}

static void second_call_without_elements_plans_nothing(scalay_comm *comm)
{
    call p = {.comm = comm, .type = SCALAY_DOUBLE};
    p.a = create_layout(&p, 0, K, 4, 0);
    p.b = create_layout(&p, K, N, 4, 0);
    p.c = create_layout(&p, 0, N, 4, 0);
    create_values(&p, 1);
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(multiply(&p, &(double){1.0}, &(double){0.0}), SCALAY_SUCCESS);
        CHECK((p.statistics.plan_seconds > 0.0) == (k == 0));
    }
    free_values(&p);
    destroy_layouts(&p);
}

/* The product becomes one by SUMMA, whose plan takes time once. */
static void repeated_small_products_get_a_plan(scalay_comm *comm)
{
    const scalay_machine machine = scalay_machine_typical(); /* pages take as long anywhere */
    scalay_gemm_options options = scalay_gemm_options_default();
    call p = {.comm = comm, .type = SCALAY_DOUBLE, .options = &options};
    int plans = 0;
    options.machine = &machine;
    create_layouts(&p, 8);
    for (int k = 0; k < 900; k++) {
        product_is_right(&p, (uint64_t)k);
        plans += p.statistics.plan_seconds > 0.0;
    }
    CHECK(plans == 1); /* of SUMMA; the context of p?gemm is known from the products before */
    destroy_layouts(&p);
}

static void all_types_and_operations_are_right(scalay_comm *comm)
{
    for (int k = 0; k < 4 * 9; k++) {
        call p = {.comm = comm,
                  .type = (scalay_type)(SCALAY_FLOAT + k % 4),
                  .op_a = (scalay_op)(k / 4 % 3),
                  .op_b = (scalay_op)(k / 12)};
        create_layouts(&p, 1 + k % 5);
        product_is_right(&p, (uint64_t)k);
        destroy_layouts(&p);
    }
}

/* A square matrix on a row of all ranks. */
static void describe(scalay_comm *comm, int ctxt, int desc[9])
{
    const int n = scalay_comm_size(comm) * 8, own[] = {1, ctxt, n, n, 8, 8, 0, 0, n};
    memcpy(desc, own, sizeof own);
}

static int create_context(scalay_comm *comm, int reversed)
{
    int ctxt = Csys2blacs_handle(MPI_COMM_WORLD), size = scalay_comm_size(comm),
        *map = malloc((size_t)size * sizeof *map);
    for (int k = 0; k < size; k++) map[k] = reversed ? size - 1 - k : k;
    Cblacs_gridmap(&ctxt, map, 1, 1, size);
    free(map);
    return ctxt;
}

/* Small products on a context of the program are not planned. A context that was released is not used, not even if its
 * number belongs to another context on some ranks. */
static void small_products_use_the_context_of_a_descriptor(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    call p = {.comm = comm, .type = SCALAY_DOUBLE};
    int desc[9], ctxt = create_context(comm, 1);
    describe(comm, ctxt, desc);
    CHECK_STATUS(scalay_layout_from_desc(comm, desc, &p.a), SCALAY_SUCCESS);
    p.b = p.c = p.a;
    for (int k = 0; k < 3; k++) {
        product_is_right(&p, (uint64_t)k);
        CHECK(p.statistics.plan_seconds == 0.0);
    }
    create_values(&p, 5);
    void *const x = p.x;
    if (rank == size - 1) p.x = NULL;
    CHECK_STATUS(multiply(&p, &(double){1.0}, &(double){0.0}), p.x == NULL ? SCALAY_ERROR_ARGUMENT : SCALAY_SUCCESS);
    p.x = x;
    free_values(&p);
    Cblacs_gridexit(ctxt);
    int self = Csys2blacs_handle(MPI_COMM_SELF), other = -1, zero = 0;
    if (rank == 0) Cblacs_gridmap(&self, &zero, 1, 1, 1);
    other = create_context(comm, 0);
    product_is_right(&p, 7);
    CHECK(p.statistics.plan_seconds > 0.0 || size == 1);
    Cblacs_gridexit(other);
    if (rank == 0) Cblacs_gridexit(self);
    scalay_layout_destroy(&p.a);
}

/* The key of a plan is the same on all ranks, the leading dimension of one rank is another. */
static void another_leading_dimension_on_one_rank_is_noticed(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    call p = {.comm = comm, .type = SCALAY_DOUBLE};
    for (int k = 0; k < 3; k++) {
        scalay_layout **layout[] = {&p.a, &p.b, &p.c};
        const int rows[] = {M, K, M}, cols[] = {K, N, N};
        for (int x = 0; x < 3; x++) {
            scalay_layout *plain = NULL;
            int ctxt, desc[9];
            CHECK_STATUS(scalay_layout_block_cyclic(rows[x], cols[x], 4, 4, 1, size, 0, 0, SCALAY_ROW_MAJOR, &plain),
                         SCALAY_SUCCESS);
            CHECK_STATUS(scalay_grid_create(comm, plain, NULL, &ctxt, desc), SCALAY_SUCCESS);
            desc[8] = rows[x] + (rank == size - 1 ? k : 0);
            CHECK_STATUS(scalay_layout_from_desc(comm, desc, layout[x]), SCALAY_SUCCESS);
            CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
            scalay_layout_destroy(&plain);
        }
        product_is_right(&p, (uint64_t)k);
        destroy_layouts(&p);
    }
}

static scalay_layout *plain_layout(const scalay_comm *comm, int rows, int cols)
{
    const int size = scalay_comm_size(comm), nprow = size == 4 ? 2 : 1;
    scalay_layout *layout = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(rows, cols, 16, 16, nprow, size / nprow, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    return layout;
}

static scalay_layout *row_of_ranks(const scalay_comm *comm, int rows, int cols)
{
    scalay_layout *layout = NULL;
    CHECK_STATUS(
        scalay_layout_block_cyclic(rows, cols, 8, 8, 1, scalay_comm_size(comm), 0, 0, SCALAY_ROW_MAJOR, &layout),
        SCALAY_SUCCESS);
    return layout;
}

/* Is a repeated product computed by SUMMA? p?gemm's time is all computation. */
static int is_by_summa(scalay_comm *comm, int m, int n, int k)
{
    const scalay_machine machine = scalay_machine_typical();
    scalay_gemm_options options = scalay_gemm_options_default();
    call p = {.comm = comm, .type = SCALAY_DOUBLE, .options = &options};
    options.machine = &machine;
    p.a = plain_layout(comm, m, k);
    p.b = plain_layout(comm, k, n);
    p.c = plain_layout(comm, m, n);
    for (int round = 0; round < 5; round++) product_is_right(&p, (uint64_t)round);
    destroy_layouts(&p);
    return p.statistics.compute_seconds < p.statistics.multiply_seconds;
}

/* p?gemm keeps A in place, and reads it for each 32 columns of C. It is better if few processes have parts of C. */
static void deep_products_are_computed_by_summa_if_shared_evenly(scalay_comm *comm)
{
    CHECK(is_by_summa(comm, 192, 192, 6000));
    if (scalay_comm_size(comm) > 1) CHECK(!is_by_summa(comm, 192, 16, 6000));
}

/* The first call of a product is by SUMMA if C is read too often otherwise: rates of dgemm in the caches say nothing of
 * a C that exceeds them. */
static void large_results_are_computed_by_summa(scalay_comm *comm)
{
    enum { ROWS = 600, DEPTH = 64 };
    const int cols = ROWS * scalay_comm_size(comm);
    scalay_machine machine = scalay_machine_typical();
    scalay_gemm_options options = scalay_gemm_options_default();
    options.machine = &machine;
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] = machine.seconds_per_flop;
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) machine.copy_curve[k] = 1e-10;
    for (int exceeds_caches = 0; exceeds_caches < 2; exceeds_caches++) {
        for (int k = SCALAY_COPY_CURVE - 2; k < SCALAY_COPY_CURVE; k++)
            machine.copy_curve[k] = exceeds_caches ? 1e-8 : 1e-10;
        call p = {.comm = comm, .type = SCALAY_DOUBLE, .options = &options};
        p.a = row_of_ranks(comm, ROWS, DEPTH);
        p.b = row_of_ranks(comm, DEPTH, cols);
        p.c = row_of_ranks(comm, ROWS, cols);
        product_is_right(&p, 1);
        CHECK((p.statistics.compute_seconds < p.statistics.multiply_seconds) == exceeds_caches);
        destroy_layouts(&p);
    }
}

/* The first panels are narrow. Wide ones need another plan, whose memory takes time once. */
static void repeated_products_get_wide_panels(scalay_comm *comm)
{
    enum { ROWS = 300, DEPTH = 300, OF_PBLAS = 5, NARROW = 6, CALLS = 60 };
    const int size = scalay_comm_size(comm), cols = 128 * size;
    scalay_machine machine = scalay_machine_typical();
    scalay_gemm_options options = scalay_gemm_options_default();
    int plans = 0;
    options.machine = &machine;
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++)
        machine.gemm_curve[k] = (k <= OF_PBLAS ? 1.0 : k == NARROW ? 0.8 : 0.6) * machine.seconds_per_flop;
    call p = {.comm = comm, .type = SCALAY_DOUBLE, .options = &options};
    p.a = row_of_ranks(comm, ROWS, DEPTH);
    p.b = row_of_ranks(comm, DEPTH, cols);
    p.c = row_of_ranks(comm, ROWS, cols);
    for (int k = 0; k < CALLS; k++) {
        product_is_right(&p, (uint64_t)k);
        plans += p.statistics.plan_seconds > 0.0 && p.statistics.compute_seconds < p.statistics.multiply_seconds;
    }
    CHECK(plans == (size > 1 ? 2 : 1));
    destroy_layouts(&p);
}

int main(int argc, char **argv)
{
    scalay_comm *comm = NULL;
    MPI_Init(&argc, &argv);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    second_call_plans_nothing(comm);
    second_call_without_elements_plans_nothing(comm);
    repeated_small_products_get_a_plan(comm);
    repeated_products_get_wide_panels(comm);
    all_types_and_operations_are_right(comm);
    another_leading_dimension_on_one_rank_is_noticed(comm);
    small_products_use_the_context_of_a_descriptor(comm);
    deep_products_are_computed_by_summa_if_shared_evenly(comm);
    large_results_are_computed_by_summa(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
