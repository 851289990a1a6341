/*
 * Wrong arguments, ranks that disagree, failing allocations: an error on every rank, nothing leaked, and no change of
 * the matrix. Then matrices on which a factorisation stops: singular, not definite, NaN and infinities.
 */
#include "factor/factor_object.h"
#include "parallel/comm.h"
#include "parallel/node.h"

typedef struct {
    scalay_comm *comm;
    scalay_layout *layout; /* 40 x 40 */
    double *a;
    int is_bad; /* this rank is the one that errs */
} fixture;

static scalay_status create_kind(const fixture *f, scalay_factor_kind kind, const scalay_factor_options *options)
{
    scalay_factor *factor = NULL;
    const scalay_status status = scalay_factor_create(f->comm, kind, f->layout, SCALAY_DOUBLE, options, &factor);
    CHECK((status == SCALAY_SUCCESS) == (factor != NULL));
    scalay_factor_destroy(&factor);
    return status;
}

static scalay_status create(const fixture *f, const scalay_factor_options *options)
{
    return create_kind(f, SCALAY_FACTOR_LU, options);
}

static void wrong_arguments_fail_on_all_ranks(const fixture *f)
{
    scalay_factor_options o = scalay_factor_options_default();
    scalay_owner_map *map = NULL;
    double *speeds = calloc((size_t)check_size() + 1, sizeof *speeds);
    o.speeds = f->is_bad ? speeds : NULL;
    CHECK_STATUS(create(f, &o), SCALAY_ERROR_ARGUMENT); /* speeds of zero on one rank */
    CHECK(strstr(scalay_error_message(), "speed") != NULL);
    o = scalay_factor_options_default();
    for (int p = 0; p < check_size(); p++) speeds[p] = 1;
    CHECK_STATUS(scalay_owner_map_1d1d(40, 41, 8, check_size(), speeds, SCALAY_TRAILING_FULL, 0, &map), SCALAY_SUCCESS);
    o.map = map;
    CHECK_STATUS(create(f, &o), SCALAY_ERROR_MISMATCH); /* a map for other extents */
    CHECK(strstr(scalay_error_message(), "40 x 41") != NULL);
    o = scalay_factor_options_default();
    o.nb = f->is_bad ? 5 : 4;
    CHECK_STATUS(create(f, &o), check_size() > 1 ? SCALAY_ERROR_MISMATCH : SCALAY_SUCCESS);
    o = scalay_factor_options_default();
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_flop_vector *= f->is_bad ? 2 : 1; /* the maps may differ, too */
    o.machine = &machine;
    CHECK_STATUS(create(f, &o), check_size() > 1 ? SCALAY_ERROR_MISMATCH : SCALAY_SUCCESS);
    o = scalay_factor_options_default();
    o.nb = f->is_bad ? -1 : 4;
    CHECK_STATUS(create(f, &o), SCALAY_ERROR_ARGUMENT);
    o = scalay_factor_options_default();
    o.transport = "no such transport";
    o.placement = SCALAY_PLACEMENT_MOVE;
    CHECK_STATUS(create(f, &o), check_size() > 1 ? SCALAY_ERROR_ARGUMENT : create(f, &o));
    CHECK_STATUS(scalay_factor_execute(NULL, f->a, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_factor_create(f->comm, SCALAY_FACTOR_LU, f->layout, SCALAY_DOUBLE, NULL, NULL),
                 SCALAY_ERROR_ARGUMENT);
    scalay_owner_map_destroy(&map);
    free(speeds);
}

static void every_failing_allocation_fails_on_all_ranks(const fixture *f, scalay_factor_kind kind,
                                                        scalay_placement placement)
{
    const int64_t live = scalay_memory_live();
    scalay_factor_options o = scalay_factor_options_default();
    scalay_status status = SCALAY_ERROR_MEMORY;
    int failures = 0;
    o.placement = placement;
    for (int n = 1; status == SCALAY_ERROR_MEMORY && n < 2000; n++) {
        scalay_memory_fail_at(f->is_bad ? n : 0);
        status = create_kind(f, kind, &o);
        scalay_memory_fail_at(0);
        int other = (int)status;
        MPI_Bcast(&other, 1, MPI_INT, 0, scalay_comm_handle(f->comm));
        CHECK(other == (int)status);
        failures += status == SCALAY_ERROR_MEMORY;
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
    CHECK(failures > 20);
    CHECK(scalay_memory_live() - live <= 2);
}

/* -------------------------------------------------------------------------------------- exceptional elements */

typedef enum { SINGULAR, NOT_DEFINITE, HAS_NAN, HAS_INFINITY } fault;

static double faulty(fault what, int64_t i, int64_t j)
{
    const double regular = (i == j ? 50 : 0) + cos((double)(i * j) + (double)(i + j));
    if (what == SINGULAR && j == 20) return 0;
    if (what == NOT_DEFINITE && i == j && i == 25) return -1;
    if (what == HAS_NAN && i == 30 && j == 30) return NAN;
    if (what == HAS_INFINITY && i == 17 && j == 17) return INFINITY;
    return regular;
}

static void fill(const fixture *f, fault what)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(f->layout, check_rank()); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(f->layout, check_rank(), k, &r);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) f->a[r.offset + i + j * r.ld] = faulty(what, r.row + i, r.col + j);
    }
}

/* 1 if the last diagonal element is not finite. */
static int ends_not_finite(const fixture *f)
{
    int mine = 0, all = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(f->layout, check_rank()); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(f->layout, check_rank(), k, &r);
        if (r.row + r.rows == 40 && r.col + r.cols == 40)
            mine = !isfinite(f->a[r.offset + r.rows - 1 + (r.cols - 1) * r.ld]);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void exceptional_matrices_end_on_all_ranks(const fixture *f, scalay_factor_panels panels)
{
    for (int kind = 0; kind < 3; kind++) {
        scalay_factor *factor = NULL;
        scalay_factor_options o = scalay_factor_options_default();
        o.panels = panels;
        o.nb = 6;
        CHECK_STATUS(scalay_factor_create(f->comm, (scalay_factor_kind)kind, f->layout, SCALAY_DOUBLE, &o, &factor),
                     SCALAY_SUCCESS);
        for (fault what = SINGULAR; what <= HAS_INFINITY; what++) {
            int info = -1;
            fill(f, what);
            CHECK_STATUS(scalay_factor_execute(factor, f->a, &info), SCALAY_SUCCESS);
            if (kind == SCALAY_FACTOR_LU && what == SINGULAR) CHECK(info == 21);
            if (kind == SCALAY_FACTOR_CHOLESKY && what == SINGULAR) CHECK(info == 21);
            if (kind == SCALAY_FACTOR_CHOLESKY && what == NOT_DEFINITE) CHECK(info == 26);
            if (kind == SCALAY_FACTOR_CHOLESKY && what == HAS_NAN) CHECK(info == 31);
            if (kind == SCALAY_FACTOR_QR) CHECK(info == 0);
            if (kind != SCALAY_FACTOR_CHOLESKY && what == HAS_NAN) CHECK(ends_not_finite(f));
        }
        fill(f, SINGULAR);
        if (kind == SCALAY_FACTOR_LU) CHECK_STATUS(scalay_factor_execute(factor, f->a, NULL), SCALAY_ERROR_INFEASIBLE);
        scalay_factor_destroy(&factor);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fixture f = {.is_bad = check_rank() == check_size() - 1};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &f.comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_probe(f.comm), SCALAY_SUCCESS); /* what a communicator keeps is no leak */
    CHECK_STATUS(scalay_layout_block_cyclic(40, 40, 8, 8, check_size(), 1, 0, 0, SCALAY_ROW_MAJOR, &f.layout),
                 SCALAY_SUCCESS);
    f.a = calloc((size_t)scalay_layout_local_size(f.layout, check_rank()) + 1, sizeof *f.a);
    CHECK_STATUS(create(&f, NULL), SCALAY_SUCCESS);
    wrong_arguments_fail_on_all_ranks(&f);
    for (int kind = 0; kind < 3; kind++) {
        every_failing_allocation_fails_on_all_ranks(&f, (scalay_factor_kind)kind, SCALAY_PLACEMENT_STAY);
        every_failing_allocation_fails_on_all_ranks(&f, (scalay_factor_kind)kind, SCALAY_PLACEMENT_MOVE);
    }
    exceptional_matrices_end_on_all_ranks(&f, SCALAY_PANELS_ONE_PROCESS);
    exceptional_matrices_end_on_all_ranks(&f, SCALAY_PANELS_TOGETHER);
    scalay_layout_destroy(&f.layout);
    scalay_comm_destroy(&f.comm);
    free(f.a);
    CHECK(scalay_memory_live() == 0);
    return check_verdict();
}
