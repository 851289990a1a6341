/*
 * A rank with its threads is one processor: a profile that asks for two threads is measured with two, and says so, and
 * products in which BLAS and what moves the matrices use them are as right as with one.
 */
#include <math.h>

#include "multiply/sources.h"
#include "parallel/threads.h"
#include "scalay/multiply.h"
#include "scalay/profiler.h"

enum { THREADS = 2, N = 600 };

/* A kernel that notes how many threads it was called with. */
static scalay_status note_threads(void *data, int64_t size)
{
    (void)size;
    *(int *)data = scalay_get_threads();
    return SCALAY_SUCCESS;
}

static void a_profile_is_of_so_many_threads(scalay_comm *comm)
{
    const int64_t sizes[] = {64, 128};
    int seen = 0;
    scalay_profile_kernel toy = {.name = "toy", .run = note_threads, .data = &seen};
    scalay_profiler_options options = scalay_profiler_options_default();
    scalay_repeat_options repeat = scalay_repeat_options_default();
    scalay_profile *profile = NULL;
    scalay_profile_record *record = NULL;
    options.sizes = 2;
    options.list = sizes;
    options.threads = THREADS;
    options.repeat = &repeat;
    repeat.min_repetitions = repeat.max_repetitions = 2;
    CHECK_STATUS(scalay_profiler_run(comm, &toy, &options, &profile, &record), SCALAY_SUCCESS);
    CHECK(seen == THREADS);
    for (int p = 0; p < scalay_comm_size(comm); p++) {
        scalay_profile_processor facts = {.threads = 0};
        CHECK_STATUS(scalay_profile_record_processor(record, p, &facts), SCALAY_SUCCESS);
        CHECK(facts.threads == THREADS);
    }
    scalay_profile_record_destroy(&record);
    scalay_profile_destroy(&profile);
}

/* The random-vector check takes no gemm and no thread: it is above 1 when an element is wrong. */
static double multiply(scalay_comm *comm, const scalay_layout *layout, int nprow, uint64_t seed)
{
    const int64_t size = scalay_layout_local_size(layout, scalay_comm_rank(comm));
    scalay_random random = scalay_random_seed(seed + (uint64_t)scalay_comm_rank(comm));
    double *x[3], error = NAN;
    scalay_gemm *gemm = NULL;
    scalay_gemm_options options = scalay_gemm_options_default();
    options.nprow = nprow;
    options.npcol = nprow > 0 ? scalay_comm_size(comm) / nprow : 0;
    for (int k = 0; k < 3; k++) x[k] = calloc((size_t)size + 1, sizeof *x[k]);
    for (int k = 0; k < 2; k++)
        for (int64_t e = 0; e < size; e++) x[k][e] = scalay_random_unit(&random) - 0.5;
    CHECK_STATUS(scalay_gemm_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE, layout, layout, layout,
                                    &options, &gemm),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_gemm_execute(gemm, NULL, x[0], x[1], NULL, x[2]), SCALAY_SUCCESS);
    const scalay_gemm_product product = {.type = SCALAY_DOUBLE,
                                         .op_b = SCALAY_TRANSPOSE,
                                         .layout_a = layout,
                                         .layout_b = layout,
                                         .layout_c = layout,
                                         .a = x[0],
                                         .b = x[1],
                                         .c = x[2]};
    CHECK_STATUS(scalay_gemm_check(comm, &product, seed, &error), SCALAY_SUCCESS);
    scalay_gemm_destroy(&gemm);
    for (int k = 0; k < 3; k++) free(x[k]);
    return error;
}

static void threads_multiply_right(scalay_comm *comm)
{
    const int ranks = scalay_comm_size(comm), nprow = source_rows(ranks);
    scalay_layout *layout = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(N, N, 20, 20, nprow, ranks / nprow, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    for (int threads = 1; threads <= THREADS; threads++) {
        scalay_set_threads(threads);
        CHECK(scalay_get_threads() == threads);
        CHECK(multiply(comm, layout, 0, 7) < 1.0);
        CHECK(multiply(comm, layout, nprow, 7) < 1.0);
    }
    scalay_layout_destroy(&layout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    a_profile_is_of_so_many_threads(comm);
    threads_multiply_right(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
