/* Random redistributions (cases.h), forth and back by every transport: every element is what the definition says, every
   other byte is untouched, all transports leave the same bits, and the statistics and the bytes that MPI is given are
   what counting says. Arguments: the first seed, to repeat a case, and the number of cases. */

#include <stdlib.h>

#include "redist/arrays.h"
#include "redist/plan.h"
#include "scalay/redist.h"
#include "summaries.h"
#include "support/check.h"

enum { MOVES = 3, TRANSPORTS = 3 };

/* The first one tells the others what bits to leave. */
static const char *const transports[TRANSPORTS] = {"mpi", "auto", "shared"};
static long carried_out[TRANSPORTS], refused[TRANSPORTS];

/* ------------------------------------------------------------------------ what MPI is really given to send */

static int64_t wire_bytes, wire_messages;

static void count_wire(int64_t count, MPI_Datatype type)
{
    int size = 0;
    MPI_Type_size(type, &size);
    wire_bytes += count * size;
    wire_messages++;
}

SCALAY_API int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    count_wire(count, type);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

SCALAY_API int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request *request)
{
    count_wire(count, type);
    return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

/* ------------------------------------------------------------------------------------------------- a case */

/* A case under way on this rank. */
typedef struct {
    scalay_comm *comm;
    test_case test;
    case_arrays arrays[MOST_MATRICES];
    scalay_plan *plan[TRANSPORTS];
    item_sums items, bytes;
    unsigned char *first[MOST_MATRICES]; /* what the first transport has left of a move */
} stage;

static scalay_status make_plan(stage *s, int transport)
{
    scalay_plan_matrix matrices[MOST_MATRICES];
    scalay_plan_options options = s->test.options;
    options.transport = transports[transport];
    case_matrices(&s->test, matrices);
    const scalay_plan_special special = {.message_bytes = s->test.message_bytes,
                                         .assembly_bytes = s->test.assembly_bytes,
                                         .panels = s->test.panels,
                                         .piece_bytes = s->test.piece_bytes,
                                         .has_long_messages = s->test.has_long_messages};
    return scalay_plan_create_special(s->comm, s->test.count, matrices, &options, special, &s->plan[transport]);
}

/* Whether every transport could, or said that it cannot. */
static int make_plans(stage *s)
{
    int well = 1;
    for (int t = 0; t < TRANSPORTS; t++) {
        const scalay_status status = make_plan(s, t);
        const int may_refuse = t > 1 && s->test.options.in_place;
        carried_out[t] += status == SCALAY_SUCCESS;
        refused[t] += status == SCALAY_ERROR_UNSUPPORTED;
        CHECK((s->plan[t] != NULL) == (status == SCALAY_SUCCESS));
        if (status == SCALAY_ERROR_UNSUPPORTED && may_refuse) continue;
        if (CHECK_STATUS(status, SCALAY_SUCCESS)) continue;
        if (s->comm->rank == 0) describe_case(&s->test, transports[t]);
        well = 0;
    }
    return well;
}

static void set_stage(stage *s)
{
    case_traffic traffic = count_traffic(&s->test, s->comm->size);
    s->items = sum_items(traffic.items, s->comm->size, s->comm->rank);
    s->bytes = sum_items(traffic.bytes, s->comm->size, s->comm->rank);
    free_traffic(&traffic);
    for (int k = 0; k < s->test.count; k++) s->arrays[k] = make_arrays(s->comm, &s->test, &s->test.matrix[k]);
}

static void clear_stage(stage *s)
{
    for (int t = 0; t < TRANSPORTS; t++) scalay_plan_destroy(&s->plan[t]);
    for (int k = 0; k < s->test.count; k++)
        if (s->arrays[k].slab[0].bytes != NULL) free_arrays(&s->arrays[k]);
    finish_case(&s->test);
}

/* ------------------------------------------------------------------------------------------------- statistics */

/* What an execution may take: a quarter of the rank's larger local matrices, or a little, when the caller says nothing.
 */
static int64_t memory_limit(const stage *s)
{
    enum { LITTLE = 1 << 20 };
    int64_t bytes = 0;
    if (s->test.options.memory_bytes > 0) return s->test.options.memory_bytes;
    for (int k = 0; k < s->test.count; k++) {
        const int64_t *elements = s->arrays[k].elements;
        bytes += (elements[0] > elements[1] ? elements[0] : elements[1]) * (int64_t)s->test.matrix[k].size;
    }
    return bytes / 4 > LITTLE ? bytes / 4 : LITTLE;
}

static void check_messages(const stage *s, int transport, const scalay_plan_statistics *statistics)
{
    CHECK(statistics->messages_sent > 0 || s->bytes.sent == 0 || statistics->messages_received >= 0);
    if (strcmp(transports[transport], "mpi") == 0) {
        CHECK(statistics->messages_sent >= s->items.out && (s->items.out > 0 || statistics->messages_sent == 0));
        CHECK(statistics->messages_received >= s->items.in && (s->items.in > 0 || statistics->messages_received == 0));
    }
}

/* Messages have half of the limit, or three quarters if they are long, but always room for two elements. */
static int64_t buffer_limit(const stage *s, int transport)
{
    const int64_t limit = memory_limit(s);
    int64_t largest = 0;
    for (int k = 0; k < s->test.count; k++)
        if ((int64_t)s->test.matrix[k].size > largest) largest = (int64_t)s->test.matrix[k].size;
    if (strcmp(transports[transport], "mpi") != 0) return limit;
    const int64_t part = s->test.has_long_messages ? limit - limit / 4 : limit / 2;
    return part > 2 * largest ? part : 2 * largest;
}

static int check_statistics(const stage *s, int transport)
{
    const int before = check_failures;
    const case_matrix *only = &s->test.matrix[0];
    scalay_plan_statistics statistics = {0};
    CHECK_STATUS(scalay_plan_get_statistics(s->plan[transport], &statistics), SCALAY_SUCCESS);
    CHECK(statistics.bytes_sent == s->bytes.sent);
    CHECK(statistics.bytes_received == s->bytes.received);
    CHECK(statistics.bytes_kept == s->bytes.kept);
    CHECK(statistics.volume == s->items.volume);
    CHECK(statistics.steps == s->items.steps);
    CHECK(statistics.plan_bytes > 0);
    if (!s->test.options.in_place) CHECK(statistics.extra_bytes <= buffer_limit(s, transport));
    if (s->test.count == 1 && only->optimised && only->uplo == SCALAY_WHOLE) {
        CHECK(statistics.volume == mapping_summary(only->mapping).volume);
        CHECK(statistics.steps == mapping_summary(only->mapping).steps);
    }
    check_messages(s, transport, &statistics);
    return check_failures == before;
}

/* What MPI was given by the transport that moves by nothing else. */
static void check_wire(const stage *s, int transport, int back)
{
    scalay_plan_statistics statistics = {0};
    const int64_t expected = back ? s->bytes.received : s->bytes.sent;
    (void)scalay_plan_get_statistics(s->plan[transport], &statistics);
    const int64_t messages = back ? statistics.messages_received : statistics.messages_sent;
    if (strcmp(transports[transport], "mpi") != 0) return;
    const int64_t padding = 16 * (s->test.count - 1); /* matrices in one message start at multiples of 16 */
    CHECK(wire_bytes >= expected && wire_bytes <= expected + padding * messages);
    CHECK(wire_messages == messages);
}

/* -------------------------------------------------------------------------------------------------- a move */

static scalay_status begin_and_end(const stage *s, scalay_plan *plan, int back, const scalay_operands *operands)
{
    scalay_status status = SCALAY_SUCCESS;
    int done = 0;
    SCALAY_TRY(scalay_plan_begin_with(plan, back ? SCALAY_BACKWARD : SCALAY_FORWARD, operands));
    for (int k = 0; k < 5 && !done && s->test.manner == 2; k++) SCALAY_TRY(scalay_plan_test(plan, &done));
    SCALAY_TRY(scalay_plan_end(plan));
cleanup:
    return status;
}

static scalay_status execute(const stage *s, scalay_plan *plan, int back, const scalay_operands *operands)
{
    const scalay_operands *only = &operands[0];
    const int plain = s->test.count == 1 && only->alpha == NULL && only->beta == NULL;
    if (s->test.manner > 0) return begin_and_end(s, plan, back, operands);
    if (!plain) return scalay_plan_execute_with(plan, back ? SCALAY_BACKWARD : SCALAY_FORWARD, operands);
    return back ? scalay_plan_execute_back(plan, only->b, (void *)(uintptr_t)only->a)
                : scalay_plan_execute(plan, only->a, only->b);
}

static void move(const stage *s, int transport, const case_move *moves)
{
    scalay_operands operands[MOST_MATRICES] = {0};
    const int back = moves[0].to == 0;
    for (int k = 0; k < s->test.count; k++)
        operands[k] = (scalay_operands){.alpha = scalar_pointer(&moves[k].alpha),
                                        .a = array_at(&s->arrays[k], 0),
                                        .beta = scalar_pointer(&moves[k].beta),
                                        .b = array_at(&s->arrays[k], 1)};
    if (s->bytes.sent + s->bytes.received + s->bytes.kept == 0 && !s->test.bystanders) return;
    wire_bytes = wire_messages = 0;
    scalay_memory_fail_at(0);
    CHECK_STATUS(execute(s, s->plan[transport], back, operands), SCALAY_SUCCESS);
    CHECK(scalay_memory_requests() == 0);
    check_wire(s, transport, back);
}

/* The bits of the matrix that was written are those that the first transport has left. */
static int first_agrees(stage *s, int k, int to)
{
    const slab *written = &s->arrays[k].slab[s->test.matrix[k].shares ? 0 : to];
    if (s->first[k] != NULL) return memcmp(s->first[k], written->bytes, (size_t)written->length) == 0;
    s->first[k] = scalay_allocate(written->length, 1);
    memcpy(s->first[k], written->bytes, (size_t)written->length);
    return 1;
}

static int check_move(stage *s, int transport, const case_move *moves)
{
    const int before = check_failures, rank = s->comm->rank;
    case_expected expected[MOST_MATRICES];
    for (int k = 0; k < s->test.count; k++) {
        fill_arrays(&s->test.matrix[k], &s->arrays[k], &moves[k], rank);
        expected[k] = expect(&s->test.matrix[k], &s->arrays[k], &moves[k], rank);
    }
    move(s, transport, moves);
    for (int k = 0; k < s->test.count; k++) {
        CHECK(arrays_agree(&s->test.matrix[k], &s->arrays[k], &moves[k], &expected[k], rank));
        CHECK(first_agrees(s, k, moves[k].to));
        free_expected(&expected[k]);
    }
    return check_failures == before;
}

/* Forth, back, and forth once more, with other scalars each time. */
static void check_moves(stage *s)
{
    scalay_random random = scalay_random_seed(s->test.seed ^ 0x5ca1ab1eu);
    for (int round = 0; round < MOVES; round++) {
        case_move moves[MOST_MATRICES];
        for (int k = 0; k < s->test.count; k++) {
            const case_matrix *x = &s->test.matrix[k];
            moves[k] = (case_move){.to = 1 - round % 2, .salt = scalay_random_bits(&random)};
            moves[k].alpha = scalar_random(&random, x->values, x->type, 1.0);
            if (!x->shares) moves[k].beta = scalar_random(&random, x->values, x->type, 0.0);
        }
        for (int t = 0; t < TRANSPORTS; t++)
            if (s->plan[t] != NULL && !check_move(s, t, moves)) describe_case(&s->test, transports[t]);
        for (int k = 0; k < s->test.count; k++) {
            scalay_release(s->first[k]);
            s->first[k] = NULL;
        }
    }
}

static void run_case(uint64_t seed, scalay_comm *comm)
{
    stage s = {.comm = comm};
    if (CHECK_STATUS(draw_case(seed, comm, &s.test), SCALAY_SUCCESS)) {
        set_stage(&s);
        if (make_plans(&s)) {
            for (int t = 0; t < TRANSPORTS; t++)
                if (s.plan[t] != NULL && !check_statistics(&s, t)) describe_case(&s.test, transports[t]);
            check_moves(&s);
        }
    } else {
        describe_case(&s.test, "none");
    }
    clear_stage(&s);
}

/* -------------------------------------------------------------------------------------------- communicators */

static int too_many_failures(MPI_Comm mpi)
{
    enum { ENOUGH = 20 };
    int most = check_failures;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, mpi);
    return most >= ENOUGH;
}

static void run_cases(MPI_Comm mpi, uint64_t first, int cases)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(mpi, &comm), SCALAY_SUCCESS);
    for (int k = 0; k < cases && !too_many_failures(mpi); k++) run_case(first + (uint64_t)k, comm);
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
    enum { CASES = 20, SHARED_CASES = 200, FIRST_SEED = 20161 };
    MPI_Init(&argc, &argv);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : FIRST_SEED;
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int cases = argc > 2 ? atoi(argv[2]) : CASES + SHARED_CASES / size;
    run_cases(MPI_COMM_WORLD, first, cases);
    if (cases > 1 && size > 1) run_on_split(first + 1000003, cases / 4);
    if (check_rank() == 0) {
        printf("%d cases, seeds from %llu\n", cases, (unsigned long long)first);
        for (int t = 0; t < TRANSPORTS; t++)
            printf("  %s: %ld plans, %ld refused\n", transports[t], carried_out[t], refused[t]);
    }
    return check_verdict();
}
