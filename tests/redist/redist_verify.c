/*
 * Checksums of messages: MPI_Isend of this program flips a bit of one message. With options.verify the receiver says
 * so, and nobody waits; without it the target is wrong. The next execution is right.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "redist/handles.h"
#include "scalay/redist.h"
#include "support/check.h"

enum { M = 90, N = 70, MEMORY = 4096 };

/* The message of this rank whose bit is flipped: 0 is the next; -1: none. */
static int messages_left = -1;
static int64_t flipped_bit;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (count > 0 && messages_left-- == 0)
        ((unsigned char *)data)[flipped_bit / 8 % count] ^= (unsigned char)(1 << flipped_bit % 8);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

typedef struct {
    scalay_comm *comm;
    scalay_layout *source, *target;
    scalay_plan *plan;
    double *a, *b; /* b holds the target; in place, both are one array */
    int64_t elements[2], messages;
} problem;

static double *array_of(const scalay_comm *comm, const scalay_layout *layout, int64_t *elements)
{
    *elements = scalay_layout_local_size(layout, comm->rank);
    return calloc((size_t)*elements + 1, sizeof(double));
}

static problem create(scalay_comm *comm, scalay_plan_options options)
{
    problem x = {.comm = comm};
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, 5, 5, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &x.source),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, 7, 7, comm->size, 1, 0, 0, SCALAY_ROW_MAJOR, &x.target),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_create(comm, x.source, x.target, NULL, SCALAY_DOUBLE, &options, &x.plan), SCALAY_SUCCESS);
    scalay_plan_statistics statistics;
    CHECK_STATUS(scalay_plan_get_statistics(x.plan, &statistics), SCALAY_SUCCESS);
    x.messages = statistics.messages_sent;
    x.a = array_of(comm, x.source, &x.elements[0]);
    x.b = array_of(comm, x.target, &x.elements[1]);
    return x;
}

static void destroy(problem *x)
{
    scalay_plan_destroy(&x->plan);
    scalay_layout_destroy(&x->source);
    scalay_layout_destroy(&x->target);
    free(x->a);
    free(x->b);
}

/* Writes the numbers of the elements, or counts the wrong ones. */
static int64_t visit(const problem *x, const scalay_layout *layout, double *array, int fills)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, x->comm->rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(layout, x->comm->rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &array[r.offset + i + j * r.ld];
                const double number = (double)(1 + r.row + i + (r.col + j) * M);
                if (fills) *element = number;
                wrong += *element != number;
            }
    }
    return wrong;
}

/* Executes. Returns the ranks that found damage, and how many elements of all ranks are wrong. */
static void run(const problem *x, int consumes, int *finders, int64_t *wrong)
{
    (void)visit(x, x->source, x->a, 1);
    memset(x->b, 0, sizeof(double) * (size_t)x->elements[1]);
    const scalay_status status =
        consumes ? scalay_plan_execute_consume(x->plan, x->a, x->b) : scalay_plan_execute(x->plan, x->a, x->b);
    CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MISMATCH);
    if (status != SCALAY_SUCCESS) CHECK(strstr(scalay_error_message(), "does not match its checksum") != NULL);
    *finders = status != SCALAY_SUCCESS;
    *wrong = visit(x, x->target, x->b, 0);
    messages_left = -1;
    MPI_Allreduce(MPI_IN_PLACE, finders, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* Flips a random bit of a random message of a random rank. */
static void check_flips(scalay_random *random, const problem *x, int verifies, int consumes)
{
    int finders = 0;
    int64_t wrong = 0;
    for (int round = 0; round < 20; round++) {
        const int rank = (int)scalay_random_below(random, x->comm->size);
        const int n = (int)(scalay_random_below(random, 1 << 20) % x->messages);
        flipped_bit = (int64_t)scalay_random_below(random, 1 << 20);
        messages_left = x->comm->rank == rank ? n : -1;
        run(x, consumes, &finders, &wrong);
        if (verifies) CHECK(finders == 1);
        if (!verifies) CHECK(finders == 0 && wrong > 0);
        run(x, consumes, &finders, &wrong);
        CHECK(finders == 0 && wrong == 0);
    }
}

/* Any flipped bit changes the checksum, at all lengths. */
static void check_checksum(scalay_random *random)
{
    char bytes[100];
    for (int k = 0; k < 100; k++) bytes[k] = (char)scalay_random_below(random, 256);
    for (int length = 0; length <= 100; length++) {
        const uint64_t sum = scalay_bytes_checksum(bytes, length);
        for (int bit = 0; bit < 8 * length; bit++) {
            bytes[bit / 8] ^= (char)(1 << bit % 8);
            if (scalay_bytes_checksum(bytes, length) == sum) CHECK(0);
            bytes[bit / 8] ^= (char)(1 << bit % 8);
        }
        CHECK(scalay_bytes_checksum(bytes, length) == sum);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    scalay_random random = scalay_random_seed(seed);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    check_checksum(&random);
    for (int kind = 0; kind < 4; kind++) {
        scalay_plan_options options = scalay_plan_options_default();
        options.transport = "mpi";
        options.memory_bytes = kind == 3 ? 0 : MEMORY;
        options.verify = kind > 0;
        options.consume = kind == 2;
        options.in_place = kind == 3;
        problem x = create(comm, options);
        check_flips(&random, &x, options.verify, options.consume);
        destroy(&x);
    }
    if (comm->rank == 0) printf("seed %llu\n", (unsigned long long)seed);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
