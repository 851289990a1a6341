/*
 * One-call factorisations on processes of unequal speeds: the profile that SCALAY_PROFILE names, or that of the
 * options, makes the engine factor. ScaLAPACK's solvers go on in the descriptor of the caller. Pivots are p?getrf's.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "base/kept_memory.h"
#include "base/memory.h"
#include "parallel/blacs.h"
#include "parallel/scalapack.h"
#include "scalay/factor.h"

#include "support/check.h"
#include "support/machine.h"
#include "support/matrix.h"

/* ScaLAPACK's routines that the library does not call. */
void pdtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desca, double *b,
             const int *ib, const int *jb, const int *descb);
void pdpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *ia, const int *ja,
              const int *desca, double *b, const int *ib, const int *jb, const int *descb, int *info,
              size_t uplo_length);

enum { N = 480, NB = 24 };

/* The kinds of factorisations whose calls are repeated until their ways have been compared: hundreds of calls. */
#ifdef __SANITIZE_ADDRESS__
enum { REPEATED_KINDS = 0 };
#else
enum { REPEATED_KINDS = 3 };
#endif

/* A system A x = b with x = 1 .. N, in descriptors on a 1 x P grid. */
typedef struct {
    int ctxt, nprow, npcol, row, col, desc[DLEN_], desc_b[DLEN_];
    scalay_layout *layout;
    double *a, *tau, b[N];
    int *ipiv;
    int64_t size;
} linear_system;

/* The matrix of all systems, and its right-hand side: random numbers take more time than a factorisation. */
static double elements[N][N], right_side[N];

static void create_elements(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            elements[i][j] = elements[j][i] = creal(matrix_element(SCALAY_DOUBLE, 11, j, i)) + (i == j ? N : 0.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) right_side[i] += elements[i][j] * (j + 1);
}

static void create_system(scalay_comm *comm, linear_system *s)
{
    const int rank = scalay_comm_rank(comm);
    CHECK_STATUS(scalay_grid_acquire(comm, 1, scalay_comm_size(comm), NULL, &s->ctxt), SCALAY_SUCCESS);
    Cblacs_gridinfo(s->ctxt, &s->nprow, &s->npcol, &s->row, &s->col);
    const int desc[DLEN_] = {1, s->ctxt, N, N, NB, NB, 0, 0, N}, desc_b[DLEN_] = {1, s->ctxt, N, 1, NB, NB, 0, 0, N};
    memcpy(s->desc, desc, sizeof desc);
    memcpy(s->desc_b, desc_b, sizeof desc_b);
    CHECK_STATUS(scalay_layout_from_desc(comm, desc, &s->layout), SCALAY_SUCCESS);
    s->size = scalay_layout_local_size(s->layout, rank);
    s->a = calloc((size_t)s->size + 1, sizeof *s->a);
    s->tau = calloc((size_t)scalay_tau_size(s->layout, rank) + 1, sizeof *s->tau);
    s->ipiv = calloc((size_t)scalay_ipiv_size(s->layout, rank) + 1, sizeof *s->ipiv);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(s->layout, rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(s->layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) s->a[r.offset + i + j * r.ld] = elements[r.col + j][r.row + i];
    }
    memcpy(s->b, right_side, sizeof s->b);
}

static void destroy_system(scalay_comm *comm, linear_system *s)
{
    free(s->ipiv);
    free(s->tau);
    free(s->a);
    scalay_layout_destroy(&s->layout);
    CHECK_STATUS(scalay_grid_release(comm, &s->ctxt), SCALAY_SUCCESS);
}

/* Factors and solves; returns the statistics. */
static scalay_one_call_statistics solve(scalay_comm *comm, scalay_factor_kind kind,
                                        const scalay_one_call_options *options)
{
    linear_system s;
    scalay_one_call_statistics statistics = {0};
    const int n = N, one = 1;
    const double plus = 1.0;
    int info = 0;
    create_system(comm, &s);
    if (kind == SCALAY_FACTOR_QR) {
        double *work = malloc(sizeof *work * NB * (2 * N + NB));
        const int lwork = NB * (2 * N + NB);
        CHECK_STATUS(scalay_pdgeqrf(comm, s.layout, options, s.a, s.tau, &statistics), SCALAY_SUCCESS);
        pdormqr_("L", "T", &n, &one, &n, s.a, &one, &one, s.desc, s.tau, s.b, &one, &one, s.desc_b, work, &lwork, &info,
                 1, 1);
        free(work);
        pdtrsm_("L", "U", "N", "N", &n, &one, &plus, s.a, &one, &one, s.desc, s.b, &one, &one, s.desc_b);
    } else if (kind == SCALAY_FACTOR_LU) {
        CHECK_STATUS(scalay_pdgetrf(comm, s.layout, options, s.a, s.ipiv, &info, &statistics), SCALAY_SUCCESS);
        CHECK(info == 0);
        pdgetrs_("N", &n, &one, s.a, &one, &one, s.desc, s.ipiv, s.b, &one, &one, s.desc_b, &info, 1);
    } else {
        CHECK_STATUS(scalay_pdpotrf(comm, SCALAY_UPPER, s.layout, options, s.a, &info, &statistics), SCALAY_SUCCESS);
        CHECK(info == 0);
        pdpotrs_("U", &n, &one, s.a, &one, &one, s.desc, s.b, &one, &one, s.desc_b, &info, 1);
    }
    CHECK(info == 0);
    for (int i = 0; s.col == 0 && i < N; i++) CHECK(fabs(s.b[i] - (i + 1)) < 1e-8);
    destroy_system(comm, &s);
    return statistics;
}

/* Processor k of P is k + 1 times as slow as the first one. */
static void write_profile(const char *path, int processors)
{
    FILE *stream = fopen(path, "w");
    if (!CHECK(stream != NULL)) return;
    fprintf(stream, "processor,size,time\n");
    for (int k = 0; k < processors; k++) fprintf(stream, "p%d,16,%d\n", k, k + 1);
    fclose(stream);
}

static void a_profile_makes_the_engine_factor(scalay_comm *comm, const char *path)
{
    const int size = scalay_comm_size(comm), is_root = scalay_comm_rank(comm) == 0;
    scalay_machine slow = scalay_machine_typical(); /* so slow that moving a small matrix costs nothing */
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_profile *profile = NULL;
    slow.seconds_per_flop *= 1e3;
    slow.seconds_per_flop_vector *= 1e3;
    options.machine = &slow;
    if (is_root) write_profile(path, size);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_STATUS(scalay_profile_read(path, &profile), SCALAY_SUCCESS);
    for (int kind = 0; kind < 3; kind++) {
        /* the options name the profile */
        options.profile = profile;
        scalay_one_call_statistics s = solve(comm, (scalay_factor_kind)kind, &options);
        CHECK(size < 3 || s.engine == 1);
        CHECK(!s.engine || (s.nprow == 0 && s.npcol == 0 && s.predicted_kernel_seconds > 0.0));
        CHECK(!s.engine || s.plan_seconds > 0.0);
        const scalay_one_call_statistics again = solve(comm, (scalay_factor_kind)kind, &options);
        CHECK(again.engine == s.engine);
        CHECK(again.plan_seconds == 0.0); /* the object of the engine is kept */
        options.profile = NULL;
        /* without measured rates and with equal speeds, the engine is not weighed */
        CHECK(solve(comm, (scalay_factor_kind)kind, NULL).engine == 0);
    }
    scalay_profile_destroy(&profile);
}

/* On rank 0 only: the others take what it reads. */
static void the_environment_names_a_profile(scalay_comm *comm, const char *path)
{
    scalay_machine slow = scalay_machine_typical();
    scalay_one_call_options options = scalay_one_call_options_default();
    const int size = scalay_comm_size(comm), is_root = scalay_comm_rank(comm) == 0;
    slow.seconds_per_flop *= 2e3; /* another key than above */
    slow.seconds_per_flop_vector *= 2e3;
    options.machine = &slow;
    if (is_root) CHECK(setenv("SCALAY_PROFILE", path, 1) == 0);
    for (int kind = 0; kind < 3; kind++) {
        const scalay_one_call_statistics s = solve(comm, (scalay_factor_kind)kind, &options);
        CHECK(size < 3 || s.engine == 1);
    }
    if (is_root) write_profile(path, size + 1); /* a profile for other processes is an error on all ranks */
    slow.seconds_per_flop *= 2;
    linear_system s;
    create_system(comm, &s);
    double *before = malloc(((size_t)s.size + 1) * sizeof *before);
    memcpy(before, s.a, (size_t)s.size * sizeof *before);
    CHECK_STATUS(scalay_pdgetrf(comm, s.layout, &options, s.a, s.ipiv, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK(strstr(scalay_error_message(), "processors") != NULL);
    CHECK(memcmp(before, s.a, (size_t)s.size * sizeof *before) == 0);
    free(before);
    destroy_system(comm, &s);
    if (is_root) unsetenv("SCALAY_PROFILE");
}

/* Positive definite if m = n. */
static double *create_matrix(const scalay_layout *layout, int rank, int64_t elements)
{
    double *a = matrix_local(SCALAY_DOUBLE, layout, rank, elements, 3);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                if (r.row + i == r.col + j) a[r.offset + i + j * r.ld] += N;
    }
    return a;
}

/* Rates of two processes that are twice as fast as those of an AMD EPYC. */
static scalay_machine measured_machine(void)
{
    static const double gemm[] = {5.2, 2.8, 1.8, 1.3, 1.12, 1.03, 1.0, 1.0, 1.0};
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_flop = 1.05e-11;
    machine.seconds_per_flop_vector = 6.5e-11;
    machine.seconds_per_message = 2.2e-7;
    machine.seconds_per_byte = 2.6e-11;
    machine.seconds_per_byte_copied = 7e-11;
    for (int k = 0; k < 9; k++) machine.gemm_curve[k] = gemm[k] * machine.seconds_per_flop;
    for (int k = 0; k < 5; k++) machine.vector_curve[k] = 2.75e-11;
    for (int k = 0; k < 6; k++) machine.copy_curve[k] = k < 5 ? 1.8e-11 : 7e-11;
    return machine;
}

/* Lets communicators that are created from now on have these rates. */
static void name_measured_machine(const char *path)
{
    scalay_machine machine = measured_machine();
    machine.solo_time_ratio = machine.ring_slowdown = 1.0;
    machine.concurrent_processes = check_size();
    write_machine(path, &machine);
    CHECK(setenv("SCALAY_MACHINE", path, 1) == 0);
}

/* A solver in a loop: the times of its calls decide where later ones compute, and every solution is right. */
static void repeated_calls_are_right_wherever_they_compute(const char *path)
{
    enum { MAX_CALLS = 1000 };
    scalay_comm *comm = NULL;
    int changes = 0, trials = 0;
    name_measured_machine(path);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    for (int kind = 0; kind < REPEATED_KINDS; kind++) {
        scalay_one_call_statistics s = solve(comm, (scalay_factor_kind)kind, NULL), last = s;
        for (int k = 0; k < MAX_CALLS && !s.settled; k++) {
            last = s;
            s = solve(comm, (scalay_factor_kind)kind, NULL);
            changes += s.engine != last.engine || s.stays != last.stays;
            trials += s.trial;
            CHECK(!s.trial || !s.settled);
        }
        CHECK(s.settled && !s.trial);
        for (int k = 0; k < 3; k++) {
            last = solve(comm, (scalay_factor_kind)kind, NULL);
            CHECK(last.settled && last.engine == s.engine && last.stays == s.stays);
        }
    }
    CHECK((changes > 0 && trials > 0) || REPEATED_KINDS == 0);
    CHECK(setenv("SCALAY_MACHINE", "none", 1) == 0);
    scalay_comm_destroy(&comm);
}

/* Blocks of 1 are left in any case. The engine is predicted to gain less than its pages take. */
static void a_first_call_that_moves_anyway_uses_the_engine(scalay_comm *comm)
{
    enum { ORDER = 1024 };
    const scalay_machine machine = measured_machine();
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_one_call_statistics s = {0};
    scalay_layout *layout = NULL;
    int info = 0;
    if (scalay_comm_size(comm) != 2) return;
    options.machine = &machine;
    CHECK_STATUS(scalay_layout_block_cyclic(ORDER, ORDER, 1, 1, 1, 2, 0, 0, SCALAY_ROW_MAJOR, &layout), SCALAY_SUCCESS);
    const int64_t elements = scalay_layout_local_size(layout, scalay_comm_rank(comm));
    double *a = create_matrix(layout, scalay_comm_rank(comm), elements);
    CHECK_STATUS(scalay_pdpotrf(comm, SCALAY_LOWER, layout, &options, a, &info, &s), SCALAY_SUCCESS);
    CHECK(info == 0 && s.engine);
    free(a);
    scalay_layout_destroy(&layout);
}

static scalay_status call(scalay_comm *comm, scalay_factor_kind kind, const scalay_layout *layout,
                          const scalay_one_call_options *options, double *a)
{
    int info = 0;
    switch (kind) {
    case SCALAY_FACTOR_QR:
        return scalay_pdgeqrf(comm, layout, options, a, NULL, NULL);
    case SCALAY_FACTOR_LU:
        return scalay_pdgetrf(comm, layout, options, a, NULL, &info, NULL);
    default:
        return scalay_pdpotrf(comm, SCALAY_LOWER, layout, options, a, &info, NULL);
    }
}

/* Whatever allocation fails on one rank: an error on all ranks, and nothing has changed. */
static void every_failing_allocation_leaves_the_matrix(scalay_comm *comm, scalay_factor_kind kind,
                                                       scalay_placement placement)
{
    enum { SMALL = 24 };
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_layout *layout = NULL;
    int64_t failures = 0;
    options.placement = placement;
    CHECK_STATUS(scalay_layout_block_cyclic(SMALL, SMALL, 5, 3, size, 1, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    const int64_t elements = scalay_layout_local_size(layout, rank);
    double *a = create_matrix(layout, rank, elements), *before = create_matrix(layout, rank, elements);
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status == SCALAY_ERROR_MEMORY && n < 10000; n++) {
        scalay_memory_fail_at(rank == size - 1 ? n : 0);
        status = call(comm, kind, layout, &options, a);
        scalay_memory_fail_at(0);
        failures += status == SCALAY_ERROR_MEMORY;
        if (status == SCALAY_ERROR_MEMORY) CHECK(memcmp(a, before, (size_t)elements * sizeof *a) == 0);
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
    CHECK(failures > 50);
    free(before);
    free(a);
    scalay_layout_destroy(&layout);
}

/* The first call of a communicator, whose allocation n fails on the last rank, and a second one. Returns the
 * allocations of the first one on that rank. */
static int64_t call_twice(int64_t n)
{
    enum { SMALL = 24 };
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    const int rank = check_rank(), size = check_size();
    scalay_one_call_options options = scalay_one_call_options_default();
    options.placement = SCALAY_PLACEMENT_MOVE;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(SMALL, SMALL, 5, 3, size, 1, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    double *a = create_matrix(layout, rank, scalay_layout_local_size(layout, rank));
    scalay_memory_fail_at(rank == size - 1 ? n : 0);
    const scalay_status status = call(comm, SCALAY_FACTOR_LU, layout, &options, a);
    int64_t requests = scalay_memory_requests();
    scalay_memory_fail_at(0);
    CHECK(status == SCALAY_SUCCESS || (n > 0 && status == SCALAY_ERROR_MEMORY));
    CHECK_STATUS(call(comm, SCALAY_FACTOR_LU, layout, &options, a), SCALAY_SUCCESS);
    MPI_Bcast(&requests, 1, MPI_INT64_T, size - 1, MPI_COMM_WORLD);
    free(a);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    return requests;
}

/* The last allocation of a first call is that of the cache. */
static void calls_need_no_cache(void)
{
    enum { LAST = 20 };
    const int64_t requests = call_twice(0);
    for (int64_t n = requests - LAST; n <= requests; n++) (void)call_twice(n);
}

/* While ways are compared, and after it, a process has memory for one copy of its part of the matrix, whatever way has
 * a copy. A quarter of the part is for plans and buffers, 1 MiB for those of small matrices. */
static void ways_share_the_memory_of_a_copy(scalay_factor_kind kind)
{
    enum { ORDER = 1024 };
    const scalay_placement ways[] = {SCALAY_PLACEMENT_MOVE, SCALAY_PLACEMENT_ENGINE};
    const int rank = check_rank(), size = check_size();
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    scalay_one_call_options options = scalay_one_call_options_default();
    if (size == 1) return; /* panels are not in shared memory */
    scalay_kept_memory_release();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(ORDER, ORDER, 1, 1, 1, size, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    const int64_t elements = scalay_layout_local_size(layout, rank), part = elements * (int64_t)sizeof(double);
    double *a = malloc((size_t)part);
    scalay_memory_reset_peak();
    const int64_t bytes = scalay_memory_bytes(), largest = scalay_memory_size_of_copy(part + part / 8);
    for (int k = 0; k < 6; k++) {
        for (int64_t e = 0; e < elements; e++)
            a[e] = e % ORDER == e / ORDER * size + rank ? ORDER : (double)(e * 7 % 11) / 11.0;
        options.placement = ways[k % 2];
        CHECK_STATUS(call(comm, kind, layout, &options, a), SCALAY_SUCCESS);
    }
    const int64_t taken = scalay_memory_peak() - bytes;
    CHECK(taken >= part);
    if (!CHECK(taken <= largest + part / 4 + (1 << 20)))
        fprintf(stderr, "kind %d: %.2f MiB are taken, the part is %.2f MiB\n", (int)kind, (double)taken / (1 << 20),
                (double)part / (1 << 20));
    free(a);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
}

static int is_close_to(const double *a, const double *b, int64_t elements)
{
    for (int64_t k = 0; k < elements; k++)
        if (!(fabs(a[k] - b[k]) < 1e-9)) return 0;
    return 1;
}

static scalay_one_call_statistics call_with_statistics(scalay_comm *comm, scalay_factor_kind kind,
                                                       const scalay_layout *layout,
                                                       const scalay_one_call_options *options, double *a,
                                                       scalay_status *status)
{
    scalay_one_call_statistics s = {0};
    int info = 0;
    if (kind == SCALAY_FACTOR_QR)
        *status = scalay_pdgeqrf(comm, layout, options, a, NULL, &s);
    else if (kind == SCALAY_FACTOR_LU)
        *status = scalay_pdgetrf(comm, layout, options, a, NULL, &info, &s);
    else
        *status = scalay_pdpotrf(comm, SCALAY_LOWER, layout, options, a, &info, &s);
    return s;
}

/* The engine is chosen, but an allocation fails. If it was one of the engine, ScaLAPACK's routine factors in this call
 * and in the next one, whose plans are in the cache; the communicator ends with nothing left. */
static void scalapack_takes_over(scalay_factor_kind kind, int block, int fails_on_all,
                                 const scalay_one_call_options *options, int64_t n, int *took_over, int *is_over)
{
    enum { ORDER = 192 };
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    scalay_status status = SCALAY_SUCCESS;
    const int rank = check_rank(), size = check_size();
    scalay_kept_memory_release();
    const int64_t live = scalay_memory_live();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(ORDER, ORDER, block, block, 1, size, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    const int64_t elements = scalay_layout_local_size(layout, rank), bytes = elements * (int64_t)sizeof(double);
    double *a = create_matrix(layout, rank, elements), *before = create_matrix(layout, rank, elements);
    double *expected = create_matrix(layout, rank, elements);
    scalay_one_call_options moves = scalay_one_call_options_default();
    moves.placement = SCALAY_PLACEMENT_MOVE;
    CHECK_STATUS(call(comm, kind, layout, &moves, expected), SCALAY_SUCCESS);
    scalay_memory_fail_at(fails_on_all || rank == size - 1 ? n : 0);
    const scalay_one_call_statistics s = call_with_statistics(comm, kind, layout, options, a, &status);
    scalay_memory_fail_at(0);
    CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
    *is_over = status == SCALAY_SUCCESS && s.engine;
    if (status == SCALAY_SUCCESS)
        CHECK(is_close_to(a, expected, elements));
    else
        CHECK(memcmp(a, before, (size_t)bytes) == 0);
    if (status == SCALAY_SUCCESS && !s.engine) {
        memcpy(a, before, (size_t)bytes);
        const scalay_one_call_statistics again = call_with_statistics(comm, kind, layout, options, a, &status);
        CHECK_STATUS(status, SCALAY_SUCCESS);
        CHECK(is_close_to(a, expected, elements));
        CHECK(!again.engine && again.plan_seconds == 0.0 && s.plan_seconds > 0.0);
        CHECK(again.nprow == s.nprow && again.npcol == s.npcol && s.nprow * s.npcol >= 1);
        CHECK(again.stays == s.stays);
        ++*took_over;
    }
    free(expected);
    free(before);
    free(a);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    scalay_kept_memory_release(); /* other communicators exist */
    CHECK(scalay_memory_live() == live);
}

/* Repeated calls compare ways. In each call an allocation fails on one rank, one of the first `most` ones, if it has as
 * many: the result is right, or the call says that memory is missing and leaves the matrix. The communicator ends with
 * nothing left. Returns the calls that compared. */
static int failing_allocations_disturb_no_comparison(const char *path, scalay_factor_kind kind, int64_t most)
{
    enum { ORDER = 192 };
    const int calls = most > 0 ? 600 : 10000;
    const int rank = check_rank(), size = check_size();
    scalay_layout *layout = NULL;
    scalay_comm *comm = NULL;
    scalay_one_call_options options = scalay_one_call_options_default();
    int trials = 0, is_settled = 0;
    name_measured_machine(path);
    scalay_kept_memory_release();
    const int64_t live = scalay_memory_live();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(ORDER, ORDER, 16, 16, 1, size, 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    const int64_t elements = scalay_layout_local_size(layout, rank), bytes = elements * (int64_t)sizeof(double);
    double *a = create_matrix(layout, rank, elements), *before = create_matrix(layout, rank, elements);
    double *expected = create_matrix(layout, rank, elements);
    options.placement = SCALAY_PLACEMENT_STAY;
    CHECK_STATUS(call(comm, kind, layout, &options, expected), SCALAY_SUCCESS);
    for (int k = 0; k < calls && !is_settled; k++) {
        scalay_status status = SCALAY_SUCCESS;
        memcpy(a, before, (size_t)bytes);
        scalay_memory_fail_at(most > 0 && rank == size - 1 ? 1 + k % most : 0);
        const scalay_one_call_statistics s = call_with_statistics(comm, kind, layout, NULL, a, &status);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || (most > 0 && status == SCALAY_ERROR_MEMORY));
        CHECK(is_close_to(a, status == SCALAY_SUCCESS ? expected : before, elements));
        trials += s.trial;
        is_settled = status == SCALAY_SUCCESS && s.settled;
    }
    free(expected);
    free(before);
    free(a);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    scalay_kept_memory_release();
    CHECK(scalay_memory_live() == live);
    CHECK(setenv("SCALAY_MACHINE", "none", 1) == 0);
    return trials;
}

static void scalapack_takes_over_wherever_the_engine_fails(scalay_factor_kind kind, int block, int fails_on_all,
                                                           const char *path)
{
    scalay_machine slow = scalay_machine_typical();
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_profile *profile = NULL;
    int took_over = 0, is_over = check_size() < 3;
    const int comms = scalay_comms_live();
    slow.seconds_per_flop *= 1e4;
    slow.seconds_per_flop_vector *= 1e4;
    CHECK_STATUS(scalay_profile_read(path, &profile), SCALAY_SUCCESS);
    options.machine = &slow;
    options.profile = profile;
    for (int64_t n = 1; !is_over && n < 3000; n += 151)
        scalapack_takes_over(kind, block, fails_on_all, &options, n, &took_over, &is_over);
    CHECK(is_over);
    CHECK(check_size() < 3 || took_over > 2);
    CHECK(scalay_comms_live() == comms);
    scalay_profile_destroy(&profile);
}

/* ------------------------------------------------------------------------------------------------- pivots */

static void factor_by_scalapack(scalay_type type, int n, void *a, const int *desc, int *ipiv)
{
    const int one = 1;
    int info = -1;
    if (type == SCALAY_FLOAT) psgetrf_(&n, &n, a, &one, &one, desc, ipiv, &info);
    if (type == SCALAY_DOUBLE) pdgetrf_(&n, &n, a, &one, &one, desc, ipiv, &info);
    if (type == SCALAY_COMPLEX_FLOAT) pcgetrf_(&n, &n, a, &one, &one, desc, ipiv, &info);
    if (type == SCALAY_COMPLEX_DOUBLE) pzgetrf_(&n, &n, a, &one, &one, desc, ipiv, &info);
    CHECK(info == 0);
}

/* Random elements: no ties. */
static void pivots_are_those_of_pgetrf(scalay_comm *comm, scalay_type type, uint64_t seed)
{
    enum { ORDER = 117, BLOCK = 9 };
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm), nprow = seed % 2 ? size : 1;
    int ctxt = -1, info = -1, position[4];
    scalay_factor *factor = NULL;
    scalay_layout *layout = NULL;
    CHECK_STATUS(scalay_grid_acquire(comm, nprow, size / nprow, NULL, &ctxt), SCALAY_SUCCESS);
    Cblacs_gridinfo(ctxt, &position[0], &position[1], &position[2], &position[3]);
    const int desc[DLEN_] = {1, ctxt, ORDER, ORDER, BLOCK, BLOCK, 0, 0, ORDER};
    CHECK_STATUS(scalay_layout_from_desc(comm, desc, &layout), SCALAY_SUCCESS);
    const int64_t elements = (int64_t)ORDER * ORDER, entries = scalay_ipiv_size(layout, rank);
    void *a = matrix_local(type, layout, rank, elements, seed), *b = matrix_local(type, layout, rank, elements, seed);
    int *ours = calloc((size_t)entries, sizeof *ours), *theirs = calloc((size_t)entries, sizeof *theirs);
    factor_by_scalapack(type, ORDER, a, desc, theirs);
    CHECK_STATUS(scalay_factor_create(comm, SCALAY_FACTOR_LU, layout, type, NULL, &factor), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_factor_execute(factor, b, &info), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_factor_get_local_vector(factor, ours), SCALAY_SUCCESS);
    CHECK(memcmp(ours, theirs, (size_t)(entries - BLOCK) * sizeof *ours) == 0); /* the rest is for p?getrf */
    scalay_factor_destroy(&factor);
    free(theirs);
    free(ours);
    free(b);
    free(a);
    scalay_layout_destroy(&layout);
    CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
}

int main(int argc, char **argv)
{
    scalay_comm *comm = NULL;
    char path[64];
    MPI_Init(&argc, &argv);
    int number = (int)getpid();
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    (void)snprintf(path, sizeof path, "one_call_engine_%d.csv", number);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    create_elements();
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};
        pivots_are_those_of_pgetrf(comm, types[seed / 2 % 4], seed);
    }
    a_profile_makes_the_engine_factor(comm, path);
    for (int kind = 0; kind < 3; kind++) {
        scalapack_takes_over_wherever_the_engine_fails((scalay_factor_kind)kind, 1, 0, path);
        scalapack_takes_over_wherever_the_engine_fails((scalay_factor_kind)kind, 4, 1, path);
    }
    the_environment_names_a_profile(comm, path);
    a_first_call_that_moves_anyway_uses_the_engine(comm);
    calls_need_no_cache();
    for (int kind = 0; kind < 3; kind++) {
        every_failing_allocation_leaves_the_matrix(comm, (scalay_factor_kind)kind, SCALAY_PLACEMENT_ENGINE);
        every_failing_allocation_leaves_the_matrix(comm, (scalay_factor_kind)kind, SCALAY_PLACEMENT_MOVE);
    }
    for (int kind = 0; kind < 3; kind++) ways_share_the_memory_of_a_copy((scalay_factor_kind)kind);
    int trials = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int64_t most = 0; most <= 40; most += 20)
            trials += failing_allocations_disturb_no_comparison(path, (scalay_factor_kind)kind, most);
    CHECK(trials > 0 || scalay_comm_size(comm) == 1);
    repeated_calls_are_right_wherever_they_compute(path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (scalay_comm_rank(comm) == 0) (void)remove(path);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
