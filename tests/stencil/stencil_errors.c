/* What goes wrong on one rank when a stencil is made goes wrong on all, and leaves nothing behind. */
#include "multiply/sources.h"
#include "scalay/stencil.h"

typedef struct {
    scalay_comm *comm;
    scalay_layout *layout;
    int bad; /* this rank is the one that does it wrong */
} fixture;

static void expect(const fixture *f, scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                   scalay_status expected)
{
    scalay_stencil *stencil = NULL;
    const int64_t live = scalay_memory_live();
    CHECK_STATUS(scalay_stencil_create(comm, layout, type, NULL, &stencil), expected);
    CHECK(stencil == NULL && scalay_error_message()[0] != '\0');
    CHECK(scalay_memory_live() == live);
    MPI_Barrier(scalay_comm_handle(f->comm));
}

static void bad_arguments_on_one_rank_fail_on_all(const fixture *f)
{
    const int size = scalay_comm_size(f->comm);
    scalay_layout *wide = NULL, *many = NULL, *other = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(2, 9, 1, 1, 1, size, 0, 0, SCALAY_ROW_MAJOR, &wide), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(1, 9 + size, 1, 1, 1, size + 1, 0, 0, SCALAY_ROW_MAJOR, &many),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(1, 9, 2, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &other), SCALAY_SUCCESS);
    expect(f, NULL, f->layout, SCALAY_DOUBLE, SCALAY_ERROR_ARGUMENT);
    expect(f, f->comm, f->bad ? NULL : f->layout, SCALAY_DOUBLE, SCALAY_ERROR_ARGUMENT);
    expect(f, f->comm, f->layout, f->bad ? 99 : SCALAY_DOUBLE, SCALAY_ERROR_ARGUMENT);
    expect(f, f->comm, f->bad ? wide : f->layout, SCALAY_DOUBLE, SCALAY_ERROR_ARGUMENT);
    expect(f, f->comm, many, SCALAY_DOUBLE, SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_create(f->comm, f->layout, SCALAY_DOUBLE, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    if (size > 1) {
        expect(f, f->comm, f->bad ? other : f->layout, SCALAY_DOUBLE, SCALAY_ERROR_MISMATCH);
        expect(f, f->comm, f->layout, f->bad ? SCALAY_FLOAT : SCALAY_DOUBLE, SCALAY_ERROR_MISMATCH);
    }
    scalay_layout_destroy(&other);
    scalay_layout_destroy(&many);
    scalay_layout_destroy(&wide);
}

static void no_update(int64_t count, const void *x, void *y, void *context)
{
    (void)count;
    (void)x;
    (void)y;
    (void)context;
}

/* All ranks pass the same, so that nobody waits. */
static void bad_calls_are_refused(const fixture *f)
{
    const double c[] = {1.0, 2.0, 3.0};
    double x[16] = {0};
    scalay_stencil *doubles = NULL, *raw = NULL;
    scalay_stencil_statistics statistics;
    CHECK_STATUS(scalay_stencil_create(f->comm, f->layout, SCALAY_DOUBLE, NULL, &doubles), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_stencil_create(f->comm, f->layout, SCALAY_RAW(8), NULL, &raw), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_stencil_execute(NULL, c, 1, x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_execute(doubles, NULL, 1, x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_execute(doubles, c, -1, x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_execute(raw, c, 1, x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_execute_with(NULL, no_update, NULL, 1, x), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_execute_with(raw, NULL, NULL, 1, x), SCALAY_ERROR_ARGUMENT);
    if (scalay_layout_elements(f->layout, scalay_comm_rank(f->comm)) > 0)
        CHECK_STATUS(scalay_stencil_execute(doubles, c, 0, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_get_statistics(NULL, &statistics), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_stencil_get_statistics(raw, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_stencil_destroy(&raw);
    scalay_stencil_destroy(&doubles);
    scalay_stencil_destroy(&doubles);
    scalay_stencil_destroy(NULL);
}

static void every_failing_allocation_on_one_rank_fails_on_all(const fixture *f)
{
    const int64_t live = scalay_memory_live();
    const double c[] = {1.0, 2.0, 3.0};
    double x[16] = {0};
    scalay_status status = SCALAY_ERROR_MEMORY;
    int failures = 0;
    for (int n = 1; status == SCALAY_ERROR_MEMORY && n < 200; n++) {
        scalay_stencil *stencil = NULL;
        scalay_memory_fail_at(f->bad ? n : 0);
        status = scalay_stencil_create(f->comm, f->layout, SCALAY_DOUBLE, NULL, &stencil);
        scalay_memory_fail_at(0);
        CHECK((status == SCALAY_SUCCESS) == (stencil != NULL));
        failures += status == SCALAY_ERROR_MEMORY;
        int other = (int)status;
        MPI_Bcast(&other, 1, MPI_INT, 0, scalay_comm_handle(f->comm));
        CHECK(other == (int)status);
        if (status == SCALAY_SUCCESS) CHECK_STATUS(scalay_stencil_execute(stencil, c, 2, x), SCALAY_SUCCESS);
        scalay_stencil_destroy(&stencil);
        CHECK(scalay_memory_live() == live);
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
    CHECK(failures > 10);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fixture f = {0};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &f.comm), SCALAY_SUCCESS);
    const int size = scalay_comm_size(f.comm);
    f.bad = scalay_comm_rank(f.comm) == size - 1;
    CHECK_STATUS(scalay_layout_block_cyclic(1, 9, 1, 1, 1, size, 0, 0, SCALAY_ROW_MAJOR, &f.layout), SCALAY_SUCCESS);
    bad_arguments_on_one_rank_fail_on_all(&f);
    bad_calls_are_refused(&f);
    every_failing_allocation_on_one_rank_fails_on_all(&f);
    scalay_layout_destroy(&f.layout);
    scalay_comm_destroy(&f.comm);
    return check_verdict();
}
