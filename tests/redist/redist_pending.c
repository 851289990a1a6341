/* Several plans under way at once, there and back, by all transports, most of them through buffers that hold a small
   part of what moves, tested and ended in an order that differs from rank to rank; and what a plan refuses while it is
   under way. */

#include "redist/matrix.h"
#include "scalay/redist.h"
#include "support/check.h"

static const char *const transports[] = {"shared", "mpi"};

/* The least extents of a matrix, and the least memory to move it with. */
typedef struct {
    int64_t extent, memory;
} scale;

static const scale small = {1, 4096}, large = {150, 16800};

enum { PLANS = 4, TRANSPORTS = sizeof transports / sizeof *transports };

typedef struct {
    definition source, target;
    size_t size;
    int back;
    scalay_plan *plan;
    local_array from, to, expected;
} trial;

static const scalay_type types[PLANS] = {SCALAY_DOUBLE, SCALAY_RAW(3), SCALAY_COMPLEX_DOUBLE, SCALAY_INT};

static void prepare(scalay_random *random, scalay_comm *comm, int k, scale scale, const char *transport, trial *f)
{
    const int64_t m = scale.extent + scalay_random_below(random, 99),
                  n = scale.extent + scalay_random_below(random, 99);
    const scalay_plan_options options = {.size = sizeof options,
                                         .transport = transport,
                                         .memory_bytes = scalay_random_below(random, 3) > 0 ? scale.memory : 0};
    CHECK_STATUS(random_definition(random, comm, m, n, &f->source), SCALAY_SUCCESS);
    CHECK_STATUS(random_definition(random, comm, m, n, &f->target), SCALAY_SUCCESS);
    f->size = scalay_type_size(types[k]);
    f->back = k % 2;
    CHECK_STATUS(scalay_plan_create(comm, f->source.layout, f->target.layout, NULL, types[k], &options, &f->plan),
                 SCALAY_SUCCESS);
    const definition *from = f->back ? &f->target : &f->source, *to = f->back ? &f->source : &f->target;
    f->from = make_array(from, comm->rank, f->size, 1);
    f->to = make_array(to, comm->rank, f->size, 0);
    f->expected = make_array(to, comm->rank, f->size, 1);
}

static void begin(trial *f)
{
    CHECK_STATUS(f->back ? scalay_plan_begin_back(f->plan, array_data(&f->from), array_data(&f->to))
                         : scalay_plan_begin(f->plan, array_data(&f->from), array_data(&f->to)),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_begin(f->plan, array_data(&f->from), array_data(&f->to)), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_back(f->plan, array_data(&f->from), array_data(&f->to)), SCALAY_ERROR_ARGUMENT);
}

/* Once it has told that all is done, the target is there and does not change. */
static void test(trial *f)
{
    int done = 0;
    CHECK_STATUS(scalay_plan_test(f->plan, &done), SCALAY_SUCCESS);
    if (!done) return;
    CHECK(arrays_equal(&f->to, &f->expected));
    CHECK_STATUS(scalay_plan_test(f->plan, NULL), SCALAY_SUCCESS);
}

static void end(trial *f)
{
    CHECK_STATUS(scalay_plan_end(f->plan), SCALAY_SUCCESS);
    CHECK(arrays_equal(&f->to, &f->expected));
    CHECK_STATUS(scalay_plan_end(f->plan), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_test(f->plan, NULL), SCALAY_ERROR_ARGUMENT);
}

static void finish(trial *f)
{
    scalay_plan_destroy(&f->plan);
    free_array(&f->from);
    free_array(&f->to);
    free_array(&f->expected);
    definition_free(&f->source);
    definition_free(&f->target);
}

static void fly(scalay_comm *comm, uint64_t seed, const char *first, const char *second)
{
    scalay_random random = scalay_random_seed(seed);
    trial trials[PLANS] = {0};
    for (int k = 0; k < PLANS; k++) prepare(&random, comm, k, small, k < PLANS / 2 ? first : second, &trials[k]);
    for (int k = 0; k < PLANS; k++) begin(&trials[k]);
    for (int k = 0; k < PLANS; k++) test(&trials[(k + comm->rank) % PLANS]);
    for (int k = 0; k < PLANS; k++) end(&trials[(k + comm->rank) % PLANS]);
    for (int k = 0; k < PLANS; k++) finish(&trials[k]);
}

/* Chunks that MPI does not send before they are waited for, by plans that are waited for in different orders. */
static void wait_for_each_other(scalay_comm *comm, uint64_t seed, const char *first, const char *second)
{
    scalay_random random = scalay_random_seed(seed);
    trial trials[PLANS] = {0};
    for (int k = 0; k < PLANS; k++) prepare(&random, comm, k, large, k % 2 ? first : second, &trials[k]);
    for (int k = 0; k < PLANS; k++) begin(&trials[k]);
    for (int k = 0; k < PLANS; k++) end(&trials[(k + comm->rank) % PLANS]);
    for (int k = 0; k < PLANS; k++) finish(&trials[k]);
}

/* A plan that is destroyed while it is under way has moved everything. */
static void destroy_under_way(scalay_comm *comm, const char *transport)
{
    scalay_random random = scalay_random_seed(11);
    trial f = {0};
    prepare(&random, comm, 0, small, transport, &f);
    begin(&f);
    scalay_plan_destroy(&f.plan);
    CHECK(f.plan == NULL);
    CHECK(arrays_equal(&f.to, &f.expected));
    finish(&f);
}

/* Testing alone moves everything. */
static void only_test(scalay_comm *comm, const char *transport)
{
    scalay_random random = scalay_random_seed(13);
    trial f = {0};
    int done = 0;
    prepare(&random, comm, 0, small, transport, &f);
    begin(&f);
    while (!done) CHECK_STATUS(scalay_plan_test(f.plan, &done), SCALAY_SUCCESS);
    end(&f);
    finish(&f);
}

/* The plan keeps the communicator alive. */
static void outlive_the_communicator(void)
{
    scalay_comm *comm = NULL;
    scalay_random random = scalay_random_seed(12);
    trial f = {0};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    prepare(&random, comm, 0, small, "mpi", &f);
    scalay_comm_destroy(&comm);
    CHECK(scalay_comms_live() == 1);
    begin(&f);
    end(&f);
    finish(&f);
    CHECK(scalay_comms_live() == 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const uint64_t last = comm->size > 8 ? 2 : 8;
    for (uint64_t seed = 1; seed <= last; seed++) {
        for (int first = 0; first < TRANSPORTS; first++)
            for (int second = 0; second < TRANSPORTS; second++) fly(comm, seed, transports[first], transports[second]);
    }
    for (uint64_t seed = 21; seed <= 22; seed++) {
        wait_for_each_other(comm, seed, "mpi", "mpi");
        wait_for_each_other(comm, seed, "mpi", "shared");
    }
    for (int k = 0; k < TRANSPORTS; k++) {
        destroy_under_way(comm, transports[k]);
        only_test(comm, transports[k]);
    }
    scalay_comm_destroy(&comm);
    outlive_the_communicator();
    return check_verdict();
}
