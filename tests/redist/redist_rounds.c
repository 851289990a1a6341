/* All transports through buffers of any size, in messages of any length: three matrices of different types in one
   round, transposed, cut by their diagonals, scaled and added, there and back, are bit for bit what "reference" makes
   of them, nothing else is touched, and the buffers are no larger than allowed. The same in place, where the arrays
   share memory. Run with a seed to repeat a case. */

#include <stdlib.h>

#include "base/integer.h"
#include "parallel/node.h"
#include "redist/definition.h"
#include "redist/plan.h"
#include "redist/reference.h"
#include "scalay/redist.h"
#include "support/check.h"

static const char *const transports[] = {"mpi", "shared", "auto"};

enum { MATRICES = 3, TRANSPORTS = sizeof transports / sizeof *transports };

static const scalay_type types[] = {SCALAY_FLOAT,          SCALAY_DOUBLE,  SCALAY_COMPLEX_FLOAT,
                                    SCALAY_COMPLEX_DOUBLE, SCALAY_INT,     SCALAY_RAW(1),
                                    SCALAY_RAW(7),         SCALAY_RAW(24), SCALAY_RAW(3000)};
static const int64_t memories[] = {0, 6000, 6001, 10000, 70000};
static const int64_t message_lengths[] = {64, 1000, 5000, 1 << 30};

/* One matrix of a case. */
typedef struct {
    definition source, target;
    size_t size;
    int64_t bytes[2]; /* of the rank's local arrays */
    double alpha[2], beta[2];
    int scaled;
} test_matrix;

typedef struct {
    uint64_t seed;
    int count;
    test_matrix matrices[MATRICES];
    scalay_plan_matrix planned[MATRICES];
} test_case;

/* ----------------------------------------------------------------------------------------------- drawing */

static int is_arithmetic(scalay_type type)
{
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE;
}

static int is_single(scalay_type type)
{
    return type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
}

/* Numbers, where they are calculated with. */
static void fill(scalay_random *random, scalay_type type, char *bytes, int64_t length)
{
    for (int64_t k = 0; k < length; k += 8) {
        const uint64_t bits = scalay_random_bits(random);
        memcpy(bytes + k, &bits, (size_t)scalay_min_int64(8, length - k));
    }
    if (!is_arithmetic(type)) return;
    const int64_t part = is_single(type) ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    for (int64_t k = 0; k + part <= length; k += part) {
        const double wide = scalay_random_unit(random) - 0.5;
        const float narrow = (float)wide;
        memcpy(bytes + k, is_single(type) ? (const void *)&narrow : (const void *)&wide, (size_t)part);
    }
}

static int64_t random_extent(scalay_random *random)
{
    static const int bounds[] = {1, 3, 20, 50, 120};
    return 1 + scalay_random_below(random, bounds[random_between(random, 0, 4)]);
}

static scalay_status draw_matrix(scalay_random *random, scalay_comm *comm, test_matrix *matrix,
                                 scalay_plan_matrix *planned)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t m = random_extent(random), n = random_extent(random);
    const scalay_type type = types[random_between(random, 0, (int)(sizeof types / sizeof *types) - 1)];
    const scalay_op op = (scalay_op)random_between(random, 0, 2);
    const int turned = op != SCALAY_NO_TRANSPOSE;
    SCALAY_TRY(random_definition(random, comm, turned ? n : m, turned ? m : n, &matrix->source));
    SCALAY_TRY(random_definition(random, comm, m, n, &matrix->target));
    matrix->size = scalay_type_size(type);
    matrix->bytes[0] = part_size(&matrix->source, part_on(&matrix->source, comm->rank)) * (int64_t)matrix->size;
    matrix->bytes[1] = part_size(&matrix->target, part_on(&matrix->target, comm->rank)) * (int64_t)matrix->size;
    matrix->scaled = is_arithmetic(type) && random_between(random, 0, 1);
    fill(random, type, (char *)matrix->alpha, sizeof matrix->alpha);
    fill(random, type, (char *)matrix->beta, sizeof matrix->beta);
    *planned = (scalay_plan_matrix){.source = matrix->source.layout,
                                    .target = matrix->target.layout,
                                    .type = type,
                                    .op = op,
                                    .uplo = (scalay_uplo)random_between(random, 0, 2),
                                    .diag = (scalay_diag)random_between(random, 0, 1)};
cleanup:
    return status;
}

static int draw(uint64_t seed, scalay_comm *comm, test_case *test)
{
    int drawn = 1;
    scalay_random random = scalay_random_seed(seed);
    *test = (test_case){.seed = seed, .count = random_between(&random, 1, MATRICES)};
    for (int k = 0; k < test->count; k++)
        drawn &= CHECK_STATUS(draw_matrix(&random, comm, &test->matrices[k], &test->planned[k]), SCALAY_SUCCESS);
    return drawn;
}

static void finish(test_case *test)
{
    for (int k = 0; k < test->count; k++) {
        definition_free(&test->matrices[k].source);
        definition_free(&test->matrices[k].target);
    }
}

/* ----------------------------------------------------------------------------------------------- arrays */

/* The local arrays of a case: a of each matrix, then b of each, one after the other. */
typedef struct {
    char *bytes;
    int64_t length;
    void *a[MATRICES], *b[MATRICES];
} memory;

static memory make_memory(const test_case *test, int rank)
{
    memory made = {0};
    int64_t at = 0;
    scalay_random random = scalay_random_seed(test->seed + 1000 * (uint64_t)rank);
    for (int k = 0; k < test->count; k++) made.length += 32 + test->matrices[k].bytes[0] + test->matrices[k].bytes[1];
    made.bytes = scalay_allocate(made.length, 1);
    for (int k = 0; k < 2 * test->count; k++) {
        const test_matrix *matrix = &test->matrices[k / 2];
        char *array = made.bytes + at;
        *(k % 2 == 0 ? &made.a[k / 2] : &made.b[k / 2]) = array;
        fill(&random, test->planned[k / 2].type, array, matrix->bytes[k % 2]);
        at += (matrix->bytes[k % 2] + 15) / 16 * 16;
    }
    return made;
}

/* Forth with the first scalars, and back with the second. */
static void move(const test_case *test, scalay_plan *plan, const memory *at, int tests)
{
    scalay_operands operands[MATRICES];
    for (int way = 0; way < 2; way++) {
        const scalay_direction direction = way == 0 ? SCALAY_FORWARD : SCALAY_BACKWARD;
        int done = 0;
        for (int k = 0; k < test->count; k++) {
            const test_matrix *matrix = &test->matrices[k];
            operands[k] = (scalay_operands){.alpha = matrix->scaled ? matrix->alpha : NULL,
                                            .a = at->a[k],
                                            .beta = matrix->scaled ? matrix->beta : NULL,
                                            .b = at->b[k]};
        }
        CHECK_STATUS(scalay_plan_begin_with(plan, direction, operands), SCALAY_SUCCESS);
        for (int k = 0; k < tests && !done; k++) CHECK_STATUS(scalay_plan_test(plan, &done), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_plan_end(plan), SCALAY_SUCCESS);
    }
}

/* ------------------------------------------------------------------------------------------------ rounds */

static int64_t bytes_moved(const scalay_plan_statistics *statistics)
{
    return statistics->bytes_sent + statistics->bytes_received;
}

static void check_statistics(const scalay_plan *plan, const scalay_plan_options *options)
{
    scalay_plan_statistics statistics = {0};
    CHECK_STATUS(scalay_plan_get_statistics(plan, &statistics), SCALAY_SUCCESS);
    if (options->memory_bytes > 0) CHECK(statistics.extra_bytes <= options->memory_bytes);
    if (plan->transport == &scalay_transport_mpi) {
        CHECK((statistics.messages_sent > 0) == (statistics.bytes_sent > 0));
        CHECK((statistics.messages_received > 0) == (statistics.bytes_received > 0));
    }
    if (bytes_moved(&statistics) > 0) CHECK(statistics.extra_bytes > 0);
}

static int run_transport(const test_case *test, scalay_comm *comm, const scalay_plan_options *options,
                         int64_t message_bytes, const memory *expected)
{
    const int before = check_failures;
    scalay_plan *plan = NULL;
    memory at = make_memory(test, comm->rank);
    const scalay_plan_special special = {.message_bytes = message_bytes};
    if (CHECK_STATUS(scalay_plan_create_special(comm, test->count, test->planned, options, special, &plan),
                     SCALAY_SUCCESS)) {
        check_statistics(plan, options);
        move(test, plan, &at, (int)(test->seed % 4));
        CHECK(memcmp(at.bytes, expected->bytes, (size_t)at.length) == 0);
    }
    scalay_plan_destroy(&plan);
    scalay_release(at.bytes);
    return check_failures == before;
}

/* On which starting a message takes as long as sending nothing, 100 bytes, or more than there is. */
static const scalay_machine machines[] = {{.seconds_per_message = 0.0, .seconds_per_byte = 0.0},
                                          {.seconds_per_message = 1e-7, .seconds_per_byte = 1e-9},
                                          {.seconds_per_message = 1e300, .seconds_per_byte = 1e-300}};

/* Whether elements change process on a node with shared memory. */
static int moves_on_node(const scalay_comm *comm, const scalay_plan *plan)
{
    int moves = 0;
    for (int64_t k = 0; k < plan->source.count && comm->node->has_windows; k++)
        moves |= scalay_node_local_rank(comm->node, plan->source.channel[k].peer) >= 0;
    MPI_Allreduce(MPI_IN_PLACE, &moves, 1, MPI_INT, MPI_LOR, comm->mpi);
    return moves;
}

/* "auto" sends messages where they cost nothing, and uses shared memory where they cost much. All ranks choose alike,
   although their machines differ. */
static void compare_machines(scalay_comm *comm, const test_case *test)
{
    static const int per_rank[] = {0, 2};
    for (int k = 0; k < 3; k++) {
        const scalay_machine *machine = k < 2 ? &machines[per_rank[k]] : &machines[per_rank[comm->rank % 2]];
        const scalay_plan_options options = {
            .size = sizeof options, .machine = machine, .memory_bytes = memories[(test->seed + (uint64_t)k) % 5]};
        scalay_plan *plan = NULL;
        CHECK_STATUS(scalay_plan_create_many(comm, test->count, test->planned, &options, &plan), SCALAY_SUCCESS);
        if (plan == NULL) return;
        const int shares = plan->transport == &scalay_transport_shared;
        int sharers = shares;
        MPI_Allreduce(MPI_IN_PLACE, &sharers, 1, MPI_INT, MPI_SUM, comm->mpi);
        CHECK(sharers == shares * comm->size);
        if (k == 0) CHECK(!shares);
        if (k == 1) CHECK(shares == moves_on_node(comm, plan));
        memory at = make_memory(test, comm->rank);
        move(test, plan, &at, 0);
        scalay_release(at.bytes);
        scalay_plan_destroy(&plan);
    }
}

static void compare_transports(scalay_comm *comm, const test_case *test)
{
    scalay_plan *reference = NULL;
    memory expected = make_memory(test, comm->rank);
    CHECK_STATUS(reference_plan_create(comm, test->count, test->planned, &reference), SCALAY_SUCCESS);
    if (reference != NULL) move(test, reference, &expected, 0);
    for (int t = 0; t < TRANSPORTS; t++) {
        const scalay_plan_options limited = {.size = sizeof limited,
                                             .transport = transports[t],
                                             .memory_bytes = memories[(test->seed + (uint64_t)t) % 5],
                                             .machine = test->seed % 4 < 3 ? &machines[test->seed % 4] : NULL};
        const int64_t length = message_lengths[(test->seed / 5 + (uint64_t)t) % 4];
        if (!run_transport(test, comm, &limited, length, &expected))
            fprintf(stderr, "  seed %llu, %s, memory %lld, messages of %lld\n", (unsigned long long)test->seed,
                    transports[t], (long long)limited.memory_bytes, (long long)length);
    }
    scalay_plan_destroy(&reference);
    scalay_release(expected.bytes);
}

/* ---------------------------------------------------------------------------------------------- in place */

/* Of one matrix: b starts where a does, or some elements behind. */
static memory share_memory(const test_case *test, int rank, int64_t *behind)
{
    memory made = {0};
    const test_matrix *matrix = &test->matrices[0];
    scalay_random random = scalay_random_seed(test->seed + 77 * (uint64_t)rank);
    *behind = (int64_t)(test->seed % 3) * 16 * (int64_t)matrix->size;
    made.length = 16 + *behind + scalay_max_int64(matrix->bytes[0], matrix->bytes[1]);
    made.bytes = scalay_allocate(made.length, 1);
    fill(&random, test->planned[0].type, made.bytes, made.length / 16 * 16);
    made.a[0] = made.bytes;
    made.b[0] = made.bytes + *behind;
    return made;
}

/* "reference" reads from one copy of the memory and writes to another. */
static memory expect_in_place(scalay_comm *comm, const test_case *test, int back)
{
    int64_t behind = 0;
    scalay_plan *plan = NULL;
    memory read = share_memory(test, comm->rank, &behind), written = share_memory(test, comm->rank, &behind);
    CHECK_STATUS(reference_plan_create(comm, 1, test->planned, &plan), SCALAY_SUCCESS);
    const scalay_operands operands = {.a = (back ? &written : &read)->a[0], .b = (back ? &read : &written)->b[0]};
    CHECK_STATUS(scalay_plan_execute_with(plan, back ? SCALAY_BACKWARD : SCALAY_FORWARD, &operands), SCALAY_SUCCESS);
    scalay_plan_destroy(&plan);
    scalay_release(read.bytes);
    return written;
}

static int move_in_place(scalay_comm *comm, const test_case *test, int64_t message_bytes, int back)
{
    int64_t behind = 0;
    const int before = check_failures;
    scalay_plan *plan = NULL;
    const scalay_plan_options options = {.size = sizeof options, .in_place = 1};
    const scalay_plan_special special = {.message_bytes = message_bytes};
    memory at = share_memory(test, comm->rank, &behind), expected = expect_in_place(comm, test, back);
    CHECK_STATUS(scalay_plan_create_special(comm, 1, test->planned, &options, special, &plan), SCALAY_SUCCESS);
    const scalay_operands operands = {.a = at.a[0], .b = at.b[0]};
    CHECK_STATUS(scalay_plan_execute_with(plan, back ? SCALAY_BACKWARD : SCALAY_FORWARD, &operands), SCALAY_SUCCESS);
    CHECK(memcmp(at.bytes, expected.bytes, (size_t)at.length) == 0);
    scalay_plan_destroy(&plan);
    scalay_release(at.bytes);
    scalay_release(expected.bytes);
    return check_failures == before;
}

/* What is missing is said, and is enough. */
static void limit_in_place(scalay_comm *comm, const test_case *test)
{
    scalay_plan *plan = NULL;
    scalay_plan_options options = {.size = sizeof options, .in_place = 1, .memory_bytes = 6000};
    const scalay_status status = scalay_plan_create_many(comm, 1, test->planned, &options, &plan);
    if (status != SCALAY_SUCCESS) {
        CHECK_STATUS(status, SCALAY_ERROR_UNSUPPORTED);
        const char *told = strstr(scalay_error_message(), "must be at least ");
        if (CHECK(told != NULL)) options.memory_bytes = atoll(told + strlen("must be at least "));
        CHECK(options.memory_bytes > 6000);
        CHECK_STATUS(scalay_plan_create_many(comm, 1, test->planned, &options, &plan), SCALAY_SUCCESS);
    }
    if (plan != NULL) check_statistics(plan, &options);
    scalay_plan_destroy(&plan);
    options.transport = "shared";
    CHECK_STATUS(scalay_plan_create_many(comm, 1, test->planned, &options, &plan), SCALAY_ERROR_UNSUPPORTED);
    CHECK(strstr(scalay_error_message(), "in place") != NULL);
}

static void stay_in_place(scalay_comm *comm, const test_case *test)
{
    const int64_t length = message_lengths[test->seed % 4];
    const int forth = move_in_place(comm, test, length, 0), back = move_in_place(comm, test, length, 1);
    if (!forth || !back)
        fprintf(stderr, "  seed %llu, in place, messages of %lld\n", (unsigned long long)test->seed, (long long)length);
    limit_in_place(comm, test);
}

/* Each rank sends 512 KiB to each other rank. With little memory, chunks have one slot, up to 256 KiB. */
static void check_chunk_lengths(scalay_comm *comm)
{
    enum { BLOCK = 256 };
    static const int64_t memory_bytes[] = {1 << 19, 1 << 20, 1 << 22}, chunks[] = {4, 2, 1};
    const int64_t n = BLOCK * (int64_t)comm->size;
    scalay_layout *source = NULL, *target = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic(n, n, BLOCK, BLOCK, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &source),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(n, n, BLOCK, BLOCK, comm->size, 1, 0, 0, SCALAY_ROW_MAJOR, &target),
                 SCALAY_SUCCESS);
    for (int k = 0; k < 3; k++) {
        const scalay_plan_options options = {
            .size = sizeof options, .transport = "mpi", .memory_bytes = memory_bytes[k]};
        scalay_plan *plan = NULL;
        scalay_plan_statistics statistics = {0};
        CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, &options, &plan), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_plan_get_statistics(plan, &statistics), SCALAY_SUCCESS);
        CHECK(statistics.messages_sent == chunks[k] * (comm->size - 1));
        CHECK(statistics.extra_bytes <= memory_bytes[k]);
        scalay_plan_destroy(&plan);
    }
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

int main(int argc, char **argv)
{
    enum { SHARED_CASES = 36, FIRST_SEED = 30211 };
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : FIRST_SEED;
    const int cases = argc > 2 ? atoi(argv[2]) : 6 + SHARED_CASES / comm->size;
    if (comm->rank == 0) printf("seeds from %llu\n", (unsigned long long)first);
    for (int k = 0; k < cases; k++) {
        test_case test;
        if (draw(first + (uint64_t)k, comm, &test)) {
            compare_transports(comm, &test);
            compare_machines(comm, &test);
            stay_in_place(comm, &test);
        }
        finish(&test);
    }
    check_chunk_lengths(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
