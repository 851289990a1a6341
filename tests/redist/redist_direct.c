/* Channels whose elements follow one another in the arrays of the caller: messages are sent from there and received
   there, without a copy. MPI_Isend and MPI_Irecv of this program count the buffers that lie in these arrays. Every
   element is what the definition says, and every byte around the arrays is untouched. */
#include <stdlib.h>
#include <string.h>

#include "parallel/comm.h"
#include "redist/plan.h"
#include "scalay/redist.h"
#include "support/check.h"

enum { M = 60, N = 48, BLOCK = 3, GUARD = 64, SENTINEL = -7 };

/* An array with guards around it. */
typedef struct {
    double *memory, *elements;
    int64_t count;
} guarded_array;

static guarded_array array[2]; /* of the source and of the target */
static int sends, receives;    /* buffers in these arrays */
static int all_sends, all_receives;

static int is_in_array(const void *buffer)
{
    int found = 0;
    for (int k = 0; k < 2; k++)
        found |= (const double *)buffer >= array[k].memory &&
                 (const double *)buffer < array[k].memory + array[k].count + 2 * GUARD;
    return found;
}

SCALAY_API int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    sends += is_in_array(data);
    all_sends++;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

SCALAY_API int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request *request)
{
    sends += is_in_array(data);
    all_sends++;
    return PMPI_Issend(data, count, type, to, tag, comm, request);
}

SCALAY_API int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    receives += is_in_array(data);
    all_receives++;
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

static guarded_array new_array(int64_t count)
{
    guarded_array x = {.count = count};
    x.memory = malloc((size_t)(count + 2 * GUARD) * sizeof *x.memory);
    CHECK(x.memory != NULL);
    for (int64_t k = 0; k < count + 2 * GUARD; k++) x.memory[k] = SENTINEL;
    x.elements = x.memory + GUARD;
    return x;
}

/* Writes the numbers of the elements, or counts those that are not `factor` times the numbers. */
static int64_t visit(const scalay_layout *layout, int rank, double *elements, int fills, double factor)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &elements[r.offset + i + j * r.ld];
                const double number = (double)(1 + r.row + i + (r.col + j) * M);
                if (fills) *element = number;
                wrong += *element != factor * number;
            }
    }
    return wrong;
}

/* Counts bytes that are not elements of the layout and were written. */
static int64_t count_written(const scalay_layout *layout, int rank, const guarded_array *x)
{
    int64_t kept = 0, elements = 0;
    for (int64_t k = 0; k < x->count + 2 * GUARD; k++) kept += x->memory[k] == SENTINEL;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        elements += r.rows * r.cols;
    }
    return x->count + 2 * GUARD - elements - kept;
}

/* One way to move. */
typedef struct {
    int is_wide;     /* 1: grid of one row; 0: of one column */
    int has_gaps[2]; /* 1: the columns of the source (of the target) have gaps */
    int backward;
    double factor; /* alpha */
    scalay_plan_special special;
} test_case;

/* A layout whose local arrays are whole: each rank has each P-th block, the first one on rank `first`. */
static scalay_layout *new_layout(const scalay_comm *comm, const test_case *test, int first, int has_gaps)
{
    const int p = test->is_wide ? 1 : comm->size, q = test->is_wide ? comm->size : 1;
    scalay_layout *layout = NULL, *with_gaps = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, BLOCK, BLOCK, p, q, test->is_wide ? 0 : first,
                                            test->is_wide ? first : 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    if (!has_gaps) return layout;
    CHECK_STATUS(scalay_layout_with_ld(layout, comm->rank, M + 2, &with_gaps), SCALAY_SUCCESS);
    scalay_layout_destroy(&layout);
    return with_gaps;
}

static void run(scalay_comm *comm, const test_case *test)
{
    scalay_layout *layout[2] = {new_layout(comm, test, 0, test->has_gaps[0]),
                                new_layout(comm, test, 1 % comm->size, test->has_gaps[1])};
    const scalay_plan_matrix matrix = {.source = layout[0], .target = layout[1], .type = SCALAY_DOUBLE};
    scalay_plan_options options = scalay_plan_options_default();
    scalay_plan *plan = NULL;
    options.transport = "mpi";
    CHECK_STATUS(scalay_plan_create_special(comm, 1, &matrix, &options, test->special, &plan), SCALAY_SUCCESS);
    for (int k = 0; k < 2; k++) array[k] = new_array(scalay_layout_local_size(layout[k], comm->rank));
    const int from = test->backward, to = !test->backward;
    (void)visit(layout[from], comm->rank, array[from].elements, 1, 1.0);
    const scalay_operands operands = {.a = array[0].elements, .b = array[1].elements, .alpha = &test->factor};
    sends = receives = all_sends = all_receives = 0;
    CHECK_STATUS(scalay_plan_execute_with(plan, test->backward ? SCALAY_BACKWARD : SCALAY_FORWARD, &operands),
                 SCALAY_SUCCESS);
    CHECK(visit(layout[from], comm->rank, array[from].elements, 0, 1.0) == 0);
    CHECK(visit(layout[to], comm->rank, array[to].elements, 0, test->factor) == 0);
    for (int k = 0; k < 2; k++) CHECK(count_written(layout[k], comm->rank, &array[k]) == 0);
    const int may_be_direct = scalay_comm_errors_end_program(comm);
    CHECK(all_sends > 1 && all_receives > 1);
    CHECK(sends == (may_be_direct && !test->has_gaps[from] ? all_sends : 0));
    CHECK(receives == (may_be_direct && !test->has_gaps[to] && test->factor == 1.0 ? all_receives : 0));
    scalay_plan_destroy(&plan);
    for (int k = 0; k < 2; k++) {
        free(array[k].memory);
        array[k] = (guarded_array){0};
        scalay_layout_destroy(&layout[k]);
    }
}

/* Chunks of 64 to some hundred bytes, so that each channel has several. */
static void run_all(scalay_comm *comm)
{
    const scalay_plan_special special[] = {{.message_bytes = 256},
                                           {.message_bytes = 512, .has_long_messages = 1},
                                           {.message_bytes = 512, .piece_bytes = 128}};
    for (int k = 0; k < 3; k++)
        for (int bits = 0; bits < 32; bits++) {
            const test_case test = {.is_wide = bits & 1,
                                    .has_gaps = {bits >> 1 & 1, bits >> 2 & 1},
                                    .backward = bits >> 3 & 1,
                                    .factor = bits >> 4 & 1 ? 2.0 : 1.0,
                                    .special = special[k]};
            run(comm, &test);
        }
}

int main(int argc, char **argv)
{
    MPI_Comm duplicate = MPI_COMM_NULL;
    scalay_comm *comm = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    for (int returns = 0; returns < 2; returns++) {
        if (returns) MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN);
        CHECK_STATUS(scalay_comm_create(duplicate, &comm), SCALAY_SUCCESS);
        CHECK(scalay_comm_errors_end_program(comm) == !returns);
        run_all(comm);
        scalay_comm_destroy(&comm);
    }
    MPI_Comm_free(&duplicate);
    return check_verdict();
}
