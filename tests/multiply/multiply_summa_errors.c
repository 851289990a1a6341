/* What goes wrong on one rank goes wrong on all, with the same status, and leaves nothing behind. */
#include "multiply/sources.h"
#include "parallel/machine_numbers.h"
#include "parallel/node.h"
#include "scalay/multiply.h"
#include "support/matrix.h"

/* What a plan is made of: good, until something is changed. */
typedef struct {
    scalay_comm *comm;
    scalay_type type;
    scalay_op op[2];
    const scalay_layout *layout[3];
    scalay_summa_options options;
} attempt;

typedef struct {
    scalay_comm *comm;
    scalay_layout *square;
    int bad; /* this rank is the one that does it wrong */
} fixture;

static attempt good(const fixture *f)
{
    return (attempt){f->comm, SCALAY_DOUBLE, {0, 0}, {f->square, f->square, f->square}, scalay_summa_options_default()};
}

static scalay_status create(const attempt *a, scalay_summa **summa)
{
    return scalay_summa_create(a->comm, a->type, a->op[0], a->op[1], a->layout[0], a->layout[1], a->layout[2],
                               &a->options, summa);
}

static void expect(const fixture *f, const attempt *a, scalay_status expected)
{
    scalay_summa *summa = NULL;
    const int64_t live = scalay_memory_live();
    CHECK_STATUS(create(a, &summa), expected);
    CHECK(summa == NULL && scalay_error_message()[0] != '\0');
    CHECK(scalay_memory_live() == live);
    MPI_Barrier(scalay_comm_handle(f->comm));
}

static void bad_arguments_on_one_rank_fail_on_all(const fixture *f)
{
    attempt a = good(f);
    a.comm = NULL;
    expect(f, &a, SCALAY_ERROR_ARGUMENT);
    for (int k = 0; k < 3; k++) {
        a = good(f);
        if (f->bad) a.layout[k] = NULL;
        expect(f, &a, SCALAY_ERROR_ARGUMENT);
    }
    a = good(f);
    if (f->bad) a.type = SCALAY_INT;
    expect(f, &a, SCALAY_ERROR_ARGUMENT);
    for (int k = 0; k < 2; k++) {
        a = good(f);
        if (f->bad) a.op[k] = (scalay_op)(3 - 10 * k);
        expect(f, &a, SCALAY_ERROR_ARGUMENT);
    }
    a = good(f);
    CHECK_STATUS(scalay_summa_create(a.comm, a.type, a.op[0], a.op[1], f->square, f->square, f->square, NULL, NULL),
                 SCALAY_ERROR_ARGUMENT);
}

static void bad_options_on_one_rank_fail_on_all(const fixture *f)
{
    attempt a = good(f);
    if (f->bad) a.options.panel = -1;
    expect(f, &a, SCALAY_ERROR_ARGUMENT);
    a = good(f);
    if (f->bad) a.options.memory_bytes = -1;
    expect(f, &a, SCALAY_ERROR_ARGUMENT);
    a = good(f);
    if (f->bad) a.options.transport = "carrier pigeon";
    expect(f, &a, SCALAY_ERROR_ARGUMENT);
    if (scalay_comm_size(f->comm) == 1) return; /* nothing travels: no workspace is needed */
    a = good(f);
    a.options.memory_bytes = 1;
    expect(f, &a, SCALAY_ERROR_MEMORY);
}

static void ranks_that_disagree_are_told(const fixture *f)
{
    scalay_layout *other = NULL;
    if (scalay_comm_size(f->comm) == 1) return;
    attempt a = good(f);
    a.options.panel = f->bad ? 8 : 16;
    expect(f, &a, SCALAY_ERROR_MISMATCH);
    a = good(f);
    a.type = f->bad ? SCALAY_FLOAT : SCALAY_DOUBLE;
    expect(f, &a, SCALAY_ERROR_MISMATCH);
    a = good(f);
    a.op[1] = f->bad ? SCALAY_TRANSPOSE : SCALAY_NO_TRANSPOSE;
    expect(f, &a, SCALAY_ERROR_MISMATCH);
    a = good(f);
    a.options.transport = f->bad ? "shared" : "messages";
    expect(f, &a, SCALAY_ERROR_MISMATCH);
    a = good(f);
    CHECK_STATUS(scalay_layout_block_cyclic(20, 20, 3, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &other), SCALAY_SUCCESS);
    if (f->bad) a.layout[1] = other;
    expect(f, &a, SCALAY_ERROR_MISMATCH);
    scalay_layout_destroy(&other);
}

static void layouts_that_do_not_fit_are_refused(const fixture *f)
{
    const int size = scalay_comm_size(f->comm);
    scalay_layout *other = NULL;
    attempt a = good(f);
    CHECK_STATUS(scalay_layout_block_cyclic(20, 21, 2, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &other), SCALAY_SUCCESS);
    for (int k = 0; k < 3; k++) {
        a = good(f);
        a.layout[k] = other;
        expect(f, &a, SCALAY_ERROR_MISMATCH);
    }
    scalay_layout_destroy(&other);
    CHECK_STATUS(scalay_layout_block_cyclic(20, 20, 2, 2, size + 1, 1, 0, 0, SCALAY_ROW_MAJOR, &other), SCALAY_SUCCESS);
    for (int k = 0; k < 3; k++) {
        a = good(f);
        a.layout[k] = other;
        expect(f, &a, SCALAY_ERROR_ARGUMENT);
    }
    scalay_layout_destroy(&other);
    /* Nobody holds such a matrix, but it must not get as far as BLAS. */
    CHECK_STATUS(scalay_layout_block_cyclic(3000000000, 2, 64, 64, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &other),
                 SCALAY_SUCCESS);
    a = good(f);
    a.op[1] = SCALAY_TRANSPOSE;
    a.layout[0] = a.layout[2] = other;
    CHECK_STATUS(scalay_layout_block_cyclic(2, 2, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, (scalay_layout **)&a.layout[1]),
                 SCALAY_SUCCESS);
    expect(f, &a, SCALAY_ERROR_RANGE);
    scalay_layout_destroy((scalay_layout **)&a.layout[1]);
    scalay_layout_destroy(&other);
}

/* The n-th allocation fails on one rank, for each n until there are no more. */
static void without_memory_all_fail(const fixture *f, const char *transport)
{
    attempt a = good(f);
    a.options.transport = transport;
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        scalay_summa *summa = NULL;
        const int64_t live = scalay_memory_live();
        scalay_memory_fail_at(f->bad ? n : 0);
        status = create(&a, &summa);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK((summa == NULL) == (status != SCALAY_SUCCESS));
        scalay_summa_destroy(&summa);
        CHECK(scalay_memory_live() == live);
        MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, scalay_comm_handle(f->comm));
    }
}

static void what_is_no_plan_is_refused(const fixture *f)
{
    double x = 0.0;
    scalay_summa *summa = NULL;
    scalay_summa_statistics statistics;
    const attempt a = good(f);
    CHECK_STATUS(create(&a, &summa), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_summa_execute(NULL, &x, &x, &x, &x, &x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_summa_execute(summa, NULL, &x, &x, &x, &x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_summa_execute(summa, &x, &x, &x, NULL, &x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_summa_get_statistics(NULL, &statistics), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_summa_get_statistics(summa, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK(scalay_summa_describe(NULL, NULL, 0) > 0);
    CHECK(scalay_summa_describe(summa, NULL, 0) > 40);
    /* Nothing is read, but C must be there. */
    if (scalay_layout_elements(f->square, scalay_comm_rank(f->comm)) > 0)
        CHECK_STATUS(scalay_summa_execute(summa, &x, NULL, NULL, &x, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_summa_destroy(&summa);
    scalay_summa_destroy(&summa);
    scalay_summa_destroy(NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fixture f = {.bad = 0};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &f.comm), SCALAY_SUCCESS);
    /* What a communicator finds out once, and keeps, is no leak. */
    const scalay_machine_numbers *numbers = NULL;
    CHECK_STATUS(scalay_node_probe(f.comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_machine_numbers_get(f.comm, 0, &numbers), SCALAY_SUCCESS);
    const int size = scalay_comm_size(f.comm), p = source_rows(size);
    f.bad = scalay_comm_rank(f.comm) == size - 1;
    CHECK_STATUS(scalay_layout_block_cyclic(20, 20, 3, 2, p, size / p, 0, 0, SCALAY_ROW_MAJOR, &f.square),
                 SCALAY_SUCCESS);
    bad_arguments_on_one_rank_fail_on_all(&f);
    bad_options_on_one_rank_fail_on_all(&f);
    ranks_that_disagree_are_told(&f);
    layouts_that_do_not_fit_are_refused(&f);
    what_is_no_plan_is_refused(&f);
    without_memory_all_fail(&f, "messages");
    without_memory_all_fail(&f, "shared");
    without_memory_all_fail(&f, "broadcast");
    scalay_layout_destroy(&f.square);
    scalay_comm_destroy(&f.comm);
    return check_verdict();
}
