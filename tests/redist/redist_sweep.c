/* Random pairs of layouts, moved there and back: every element arrives once, nothing else is touched, and the
   statistics and the bytes that MPI is given are what counting element by element says. Run with a seed to repeat a
   case. */

#include <stdlib.h>

#include "redist/matrix.h"
#include "redist/plan.h"
#include "scalay/redist.h"
#include "support/check.h"

/* ------------------------------------------------------------------------ what MPI is really given to send */

static int64_t wire_bytes, wire_messages;

/* Visible to the BLACS' library too. */
SCALAY_API int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    int size = 0;
    MPI_Type_size(type, &size);
    wire_bytes += (int64_t)count * size;
    wire_messages++;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* ------------------------------------------------------------------------------------------------- a case */

/* Of matrices as small as these. */
enum { DEFAULT_MEMORY = 1 << 18 };

typedef struct {
    uint64_t seed;
    scalay_type type;
    const char *transport;
    int64_t message_bytes;
    int mapped;
    definition source, target;
    scalay_mapping *mapping;
    scalay_plan *plan;
} test_case;

static const scalay_type types[] = {SCALAY_FLOAT,   SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE,
                                    SCALAY_INT,     SCALAY_RAW(1), SCALAY_RAW(2),        SCALAY_RAW(3),
                                    SCALAY_RAW(16), SCALAY_RAW(24)};

static int64_t random_extent(scalay_random *random)
{
    static const int bounds[] = {1, 2, 8, 24, 24, 40, 40, 70};
    return scalay_random_below(random, bounds[random_between(random, 0, 7)] + 1);
}

/* No mapping, any mapping, or an optimal one; the definition of the target follows it. */
static scalay_status random_mapping(scalay_random *random, int size, test_case *test)
{
    scalay_status status = SCALAY_SUCCESS;
    static const scalay_objective objectives[] = {SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS};
    const int choice = random_between(random, 0, 5);
    const scalay_mapping_options options = {.processes = size};
    int *process = NULL;
    test->mapped = choice > 3;
    if (!test->mapped) return SCALAY_SUCCESS;
    process = random_processes(random, test->target.parts, size);
    if (choice == 4)
        SCALAY_TRY(scalay_mapping_from_processes(NULL, size, test->target.parts, process, &test->mapping));
    else
        SCALAY_TRY(scalay_mapping_create(test->source.layout, test->target.layout,
                                         objectives[random_between(random, 0, 3)], &options, &test->mapping));
    definition_map(&test->target, scalay_mapping_process(test->mapping));
cleanup:
    scalay_release(process);
    return status;
}

static scalay_status draw(uint64_t seed, scalay_comm *comm, test_case *test)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_random random = scalay_random_seed(seed);
    *test = (test_case){.seed = seed};
    const int64_t m = random_extent(&random), n = random_extent(&random);
    test->type = types[random_between(&random, 0, (int)(sizeof types / sizeof *types) - 1)];
    test->transport = random_between(&random, 0, 1) ? "mpi" : "blacs";
    test->message_bytes = random_between(&random, 0, 3) == 0 ? 100 : 1 << 30;
    SCALAY_TRY(random_definition(&random, comm, m, n, &test->source));
    SCALAY_TRY(random_definition(&random, comm, m, n, &test->target));
    SCALAY_TRY(random_mapping(&random, comm->size, test));
    const scalay_plan_options options = {.transport = test->transport};
    const scalay_plan_matrix matrix = {.source = test->source.layout,
                                       .target = test->target.layout,
                                       .mapping = test->mapping,
                                       .type = test->type};
    SCALAY_TRY(scalay_plan_create_split(comm, 1, &matrix, &options, test->message_bytes, &test->plan));
cleanup:
    return status;
}

static void finish(test_case *test)
{
    scalay_plan_destroy(&test->plan);
    scalay_mapping_destroy(&test->mapping);
    definition_free(&test->source);
    definition_free(&test->target);
}

/* ----------------------------------------------------------------------------------------------- its checks */

static int check_statistics(const test_case *test, const scalay_comm *comm)
{
    const int before = check_failures;
    const int64_t size = (int64_t)scalay_type_size(test->type);
    int64_t *items = count_items(&test->source, &test->target, comm->size);
    const item_sums sums = sum_items(items, comm->size, comm->rank);
    scalay_plan_statistics statistics = {0};
    scalay_release(items);
    CHECK_STATUS(scalay_plan_get_statistics(test->plan, &statistics), SCALAY_SUCCESS);
    CHECK(statistics.bytes_sent == sums.sent * size);
    CHECK(statistics.bytes_received == sums.received * size);
    CHECK(statistics.bytes_kept == sums.kept * size);
    CHECK(statistics.volume == sums.volume);
    CHECK(statistics.steps == sums.steps);
    if (test->mapped && scalay_mapping_volume(test->mapping) >= 0) {
        CHECK(statistics.volume == scalay_mapping_volume(test->mapping));
        CHECK(statistics.steps == scalay_mapping_steps(test->mapping));
    }
    CHECK(statistics.messages_sent >= sums.out && (sums.out > 0 || statistics.messages_sent == 0));
    CHECK(statistics.messages_received >= sums.in && (sums.in > 0 || statistics.messages_received == 0));
    CHECK(statistics.extra_bytes <= DEFAULT_MEMORY);
    if (strcmp(test->transport, "mpi") == 0) {
        CHECK(statistics.global_steps == (sums.volume > 0));
        if (test->message_bytes > 1000) CHECK(statistics.messages_sent == sums.out);
        if (test->message_bytes > 1000) CHECK(statistics.messages_received == sums.in);
    } else {
        CHECK(statistics.global_steps <= sums.steps);
    }
    return check_failures == before;
}

/* Raw elements are padded to whole integers by "blacs", once per message. */
static int wire_agrees(int64_t expected, int64_t messages, scalay_type type)
{
    if (wire_messages != messages) return 0;
    if (type > SCALAY_RAW_BASE && wire_bytes != expected)
        return wire_bytes > expected && wire_bytes <= expected + 3 * messages;
    return wire_bytes == expected;
}

static int check_moves(const test_case *test, const scalay_comm *comm)
{
    const int before = check_failures;
    const size_t size = scalay_type_size(test->type);
    local_array a = make_array(&test->source, comm->rank, size, 1);
    local_array a_back = make_array(&test->source, comm->rank, size, 0);
    local_array b = make_array(&test->target, comm->rank, size, 0);
    local_array b_expected = make_array(&test->target, comm->rank, size, 1);
    scalay_plan_statistics statistics = {0};
    CHECK_STATUS(scalay_plan_get_statistics(test->plan, &statistics), SCALAY_SUCCESS);
    wire_bytes = wire_messages = 0;
    CHECK_STATUS(scalay_plan_execute(test->plan, array_data(&a), array_data(&b)), SCALAY_SUCCESS);
    CHECK(wire_agrees(statistics.bytes_sent, statistics.messages_sent, test->type));
    CHECK(arrays_equal(&b, &b_expected));
    wire_bytes = wire_messages = 0;
    CHECK_STATUS(scalay_plan_execute_back(test->plan, array_data(&b), array_data(&a_back)), SCALAY_SUCCESS);
    CHECK(wire_agrees(statistics.bytes_received, statistics.messages_received, test->type));
    CHECK(arrays_equal(&a_back, &a));
    CHECK(arrays_equal(&b, &b_expected));
    free_array(&a);
    free_array(&a_back);
    free_array(&b);
    free_array(&b_expected);
    return check_failures == before;
}

static void describe_failure(const test_case *test)
{
    char from[200], to[200];
    (void)scalay_layout_describe(test->source.layout, from, sizeof from);
    (void)scalay_layout_describe(test->target.layout, to, sizeof to);
    fprintf(stderr, "  seed %llu: %s %s -> %s %s, transport %s, type %d%s, messages of %lld\n",
            (unsigned long long)test->seed, test->source.name, from, test->target.name, to, test->transport, test->type,
            test->mapped ? ", mapped" : "", (long long)test->message_bytes);
}

static void run_case(uint64_t seed, scalay_comm *comm)
{
    test_case test;
    if (CHECK_STATUS(draw(seed, comm, &test), SCALAY_SUCCESS)) {
        const int counted = check_statistics(&test, comm);
        const int moved = check_moves(&test, comm);
        if (!counted || !moved) describe_failure(&test);
    } else {
        fprintf(stderr, "  seed %llu\n", (unsigned long long)seed);
    }
    finish(&test);
}

/* -------------------------------------------------------------------------------------------- communicators */

static void run_cases(MPI_Comm mpi, uint64_t first, int cases)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(mpi, &comm), SCALAY_SUCCESS);
    for (int k = 0; k < cases; k++) run_case(first + (uint64_t)k, comm);
    scalay_comm_destroy(&comm);
}

/* Two halves, in which the ranks stand the other way round. */
static void run_on_split(uint64_t first, int cases)
{
    int rank = 0;
    MPI_Comm half;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    run_cases(half, first + (uint64_t)(rank % 2) * 7919, cases);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    enum { CASES = 120, SHARED_CASES = 1600, FIRST_SEED = 20161 };
    MPI_Init(&argc, &argv);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : FIRST_SEED;
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int cases = argc > 2 ? atoi(argv[2]) : CASES + SHARED_CASES / size;
    if (check_rank() == 0) printf("seeds from %llu\n", (unsigned long long)first);
    run_cases(MPI_COMM_WORLD, first, cases);
    if (cases > 1) run_on_split(first + 1000003, cases / 4);
    return check_verdict();
}
