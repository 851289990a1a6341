/* "shared" against "reference", bit for bit: random layouts, operations and memory, on nodes as they are and on nodes
   that are pretended, with and without shared memory; several plans under way at a time. Arguments: the first seed, to
   repeat a case, and the number of cases. */

#include <stdlib.h>

#include "parallel/node.h"
#include "redist/definition.h"
#include "redist/plan.h"
#include "redist/reference.h"
#include "scalay/redist.h"
#include "support/check.h"

enum { MATRICES = 4, TRIALS = 2, CASES = 5 };

/* A local array: of scalay_alloc() on another communicator, or the rank's own. */
typedef struct {
    void *shared;
    char *own;
    char *data;
    int64_t bytes;
} local_array;

typedef struct {
    scalay_plan_matrix matrix;
    definition source, target;
    local_array a, c, reference_a, reference_c;
    double alpha[2], beta[2];
    int scaled;
} moved_matrix;

typedef struct {
    int count;
    moved_matrix moved[MATRICES];
    scalay_plan *plan, *reference;
    scalay_operands operands[MATRICES];
} trial;

static int chance(scalay_random *random, int percent)
{
    return scalay_random_below(random, 100) < percent;
}

/* Small whole numbers of every arithmetic type, so that sums are exact; and what comes for the others. */
static void fill(scalay_random *random, scalay_type type, local_array *array)
{
    if (type == SCALAY_DOUBLE || type == SCALAY_COMPLEX_DOUBLE)
        for (int64_t k = 0; k < array->bytes / 8; k++) ((double *)array->data)[k] = random_between(random, -99, 99);
    else if (type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT)
        for (int64_t k = 0; k < array->bytes / 4; k++)
            ((float *)array->data)[k] = (float)random_between(random, -99, 99);
    else
        for (int64_t k = 0; k < array->bytes; k++) array->data[k] = (char)random_between(random, 0, 127);
}

/* The same draws on all ranks; whether a rank takes the shared memory that it has got is its own choice. */
static local_array new_array(scalay_random *random, scalay_comm *maker, int64_t bytes)
{
    local_array array = {.bytes = bytes};
    const int shared = chance(random, 70), mixed = chance(random, 30);
    if (shared) CHECK_STATUS(scalay_alloc(maker, bytes + 192, &array.shared), SCALAY_SUCCESS);
    array.own = scalay_allocate(bytes + 192, 1);
    const int shifted = 64 * (int)scalay_random_below(random, 3);
    array.data = (shared && !(mixed && check_rank() % 2) ? (char *)array.shared : array.own) + shifted;
    return array;
}

static void free_array(local_array *array)
{
    scalay_free(&array->shared);
    scalay_release(array->own);
}

static int64_t random_extent(scalay_random *random)
{
    static const int bounds[] = {1, 3, 20, 40, 70, 70, 200};
    return scalay_random_below(random, bounds[random_between(random, 0, 6)] + 1);
}

static void draw_matrix(scalay_random *random, scalay_comm *comm, scalay_comm *maker, moved_matrix *x)
{
    static const scalay_type types[] = {SCALAY_FLOAT,  SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE,
                                        SCALAY_DOUBLE, SCALAY_INT,    SCALAY_RAW(3),        SCALAY_RAW(1)};
    const int64_t m = random_extent(random), n = random_extent(random);
    x->matrix.type = types[random_between(random, 0, 7)];
    x->matrix.op = (scalay_op)(chance(random, 60) ? 0 : random_between(random, 1, 2));
    x->matrix.uplo = (scalay_uplo)(chance(random, 70) ? 0 : random_between(random, 1, 2));
    x->matrix.diag = (scalay_diag)random_between(random, 0, 1);
    const int turned = x->matrix.op != SCALAY_NO_TRANSPOSE;
    CHECK_STATUS(random_definition(random, comm, turned ? n : m, turned ? m : n, &x->source), SCALAY_SUCCESS);
    CHECK_STATUS(random_definition(random, comm, m, n, &x->target), SCALAY_SUCCESS);
    x->matrix.source = x->source.layout;
    x->matrix.target = x->target.layout;
    x->scaled = x->matrix.type <= SCALAY_COMPLEX_DOUBLE && chance(random, 30);
    const int64_t size = (int64_t)scalay_type_size(x->matrix.type);
    const int64_t a_bytes = scalay_layout_local_size(x->matrix.source, comm->rank) * size;
    const int64_t c_bytes = scalay_layout_local_size(x->matrix.target, comm->rank) * size;
    x->a = new_array(random, maker, a_bytes);
    x->c = new_array(random, maker, c_bytes);
    x->reference_a = new_array(random, maker, a_bytes);
    x->reference_c = new_array(random, maker, c_bytes);
    scalay_random mine = scalay_random_seed(scalay_random_bits(random) + (uint64_t)comm->rank);
    fill(&mine, x->matrix.type, &x->a);
    fill(&mine, x->matrix.type, &x->c);
    memcpy(x->reference_a.data, x->a.data, (size_t)a_bytes);
    memcpy(x->reference_c.data, x->c.data, (size_t)c_bytes);
}

static void draw_scalar(scalay_random *random, scalay_type type, double scalar[2])
{
    float narrow[2];
    for (int k = 0; k < 2; k++) scalar[k] = random_between(random, -3, 3);
    for (int k = 0; k < 2; k++) narrow[k] = (float)scalar[k];
    if (type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT) memcpy(scalar, narrow, sizeof narrow);
}

static void draw(scalay_random *random, scalay_comm *comm, scalay_comm *maker, trial *f)
{
    scalay_plan_matrix matrices[MATRICES];
    static const int64_t memory[] = {0, 0, 4096, 20000};
    scalay_plan_options options = {.size = sizeof options, .memory_bytes = memory[random_between(random, 0, 3)]};
    f->count = chance(random, 60) ? 1 : random_between(random, 2, MATRICES);
    for (int k = 0; k < f->count; k++) {
        draw_matrix(random, comm, maker, &f->moved[k]);
        draw_scalar(random, f->moved[k].matrix.type, f->moved[k].alpha);
        draw_scalar(random, f->moved[k].matrix.type, f->moved[k].beta);
        matrices[k] = f->moved[k].matrix;
    }
    options.transport = "shared";
    CHECK_STATUS(scalay_plan_create_many(comm, f->count, matrices, &options, &f->plan), SCALAY_SUCCESS);
    CHECK_STATUS(reference_plan_create(comm, f->count, matrices, &f->reference), SCALAY_SUCCESS);
}

static void finish(trial *f)
{
    scalay_plan_destroy(&f->plan);
    scalay_plan_destroy(&f->reference);
    for (int k = 0; k < f->count; k++) {
        moved_matrix *x = &f->moved[k];
        free_array(&x->a);
        free_array(&x->c);
        free_array(&x->reference_a);
        free_array(&x->reference_c);
        definition_free(&x->source);
        definition_free(&x->target);
    }
}

static void load(trial *f, int reference)
{
    for (int k = 0; k < f->count; k++) {
        const moved_matrix *x = &f->moved[k];
        f->operands[k] = (scalay_operands){.alpha = x->scaled ? x->alpha : NULL,
                                           .a = reference ? x->reference_a.data : x->a.data,
                                           .beta = x->scaled ? x->beta : NULL,
                                           .b = reference ? x->reference_c.data : x->c.data};
    }
}

static void begin(trial *f, scalay_direction direction)
{
    load(f, 0);
    CHECK_STATUS(scalay_plan_begin_with(f->plan, direction, f->operands), SCALAY_SUCCESS);
}

static int same(const local_array *one, const local_array *other)
{
    return memcmp(one->data, other->data, (size_t)one->bytes) == 0;
}

static int compare(trial *f, scalay_direction direction)
{
    int equal = 1;
    load(f, 1);
    CHECK_STATUS(scalay_plan_execute_with(f->reference, direction, f->operands), SCALAY_SUCCESS);
    for (int k = 0; k < f->count; k++) {
        const moved_matrix *x = &f->moved[k];
        equal = equal && same(&x->a, &x->reference_a) && same(&x->c, &x->reference_c);
    }
    return equal;
}

static void run_case(scalay_comm *comm, scalay_comm *maker, uint64_t seed, scalay_node_limits limits)
{
    scalay_random random = scalay_random_seed(seed);
    trial trials[TRIALS] = {0};
    for (int k = 0; k < TRIALS; k++) draw(&random, comm, maker, &trials[k]);
    for (int turn = 0; turn < 3; turn++) {
        const scalay_direction direction = turn == 1 ? SCALAY_BACKWARD : SCALAY_FORWARD;
        for (int k = 0; k < TRIALS; k++) begin(&trials[k], direction);
        int done = 0;
        if (turn == 2) CHECK_STATUS(scalay_plan_test(trials[0].plan, &done), SCALAY_SUCCESS);
        for (int k = 0; k < TRIALS; k++)
            CHECK_STATUS(scalay_plan_end(trials[(k + comm->rank) % TRIALS].plan), SCALAY_SUCCESS);
        for (int k = 0; k < TRIALS; k++)
            if (!CHECK(compare(&trials[k], direction)))
                fprintf(stderr, "  seed %llu, plan %d, turn %d, nodes of %d, windows %d\n", (unsigned long long)seed, k,
                        turn, limits.ranks, !limits.no_windows);
    }
    for (int k = 0; k < TRIALS; k++) finish(&trials[k]);
}

static void run_cases(scalay_node_limits limits, uint64_t first, int cases)
{
    scalay_comm *comm = NULL, *maker = NULL;
    scalay_node_limit(limits);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &maker), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_probe(comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_probe(maker), SCALAY_SUCCESS);
    scalay_node_limit((scalay_node_limits){0});
    for (int k = 0; k < cases && check_failures == 0; k++) run_case(comm, maker, first + (uint64_t)k, limits);
    scalay_comm_destroy(&maker);
    scalay_comm_destroy(&comm);
}

/* ------------------------------------------------------------------------------------------ living together */

static scalay_plan *new_plan(scalay_comm *comm, int64_t n, int back)
{
    scalay_layout *rows = NULL, *cols = NULL;
    scalay_plan *plan = NULL;
    const scalay_plan_options options = {.size = sizeof options, .transport = "shared"};
    CHECK_STATUS(scalay_layout_block_cyclic(n, n, 3, 3, comm->size, 1, 0, 0, SCALAY_ROW_MAJOR, &rows), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(n, n, 5, 5, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &cols), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_create(comm, back ? cols : rows, back ? rows : cols, NULL, SCALAY_DOUBLE, &options, &plan),
                 SCALAY_SUCCESS);
    scalay_layout_destroy(&rows);
    scalay_layout_destroy(&cols);
    return plan;
}

/* More plans than a board has slots. */
static void many_plans_live(scalay_comm *comm)
{
    enum { PLANS = 72, N = 12 }; /* a board has 64 slots */
    scalay_plan *plans[PLANS];
    double a[N * N] = {0}, b[N * N], c[N * N];
    for (int k = 0; k < N * N; k++) a[k] = k + 1000 * comm->rank;
    for (int k = 0; k < PLANS; k++) plans[k] = new_plan(comm, N, k % 2);
    for (int k = 0; k < PLANS; k += 2) {
        memset(b, 0, sizeof b);
        memcpy(c, a, sizeof c);
        CHECK_STATUS(scalay_plan_execute(plans[k], a, b), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_plan_execute(plans[PLANS - 1 - k], b, c), SCALAY_SUCCESS);
        CHECK(memcmp(a, c, sizeof c) == 0);
    }
    for (int k = 0; k < PLANS; k++) scalay_plan_destroy(&plans[(k * 7) % PLANS]);
}

/* A rank that waits in a move still lets its program's messages go: the receiver comes to the move after it has them.
 */
static void messages_go_on(scalay_comm *comm)
{
    enum { LONG = 1 << 19, N = 40 };
    static double sent[LONG], received[LONG], a[N * N], b[N * N];
    MPI_Request request = MPI_REQUEST_NULL;
    scalay_plan *plan = new_plan(comm, N, 0);
    const int last = comm->size - 1;
    if (last > 0 && comm->rank == 0) MPI_Isend(sent, LONG, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &request);
    if (last > 0 && comm->rank == last) MPI_Recv(received, LONG, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_STATUS(scalay_plan_execute(plan, a, b), SCALAY_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    scalay_plan_destroy(&plan);
}

/* Moves are begun in one order and waited for in orders that differ from rank to rank, by calling end, or test again
   and again; every plan has a communicator of its own, or all have the same. */
static void wait_in_other_orders(scalay_comm *const comms[3], int by_test)
{
    enum { PLANS = 3, N = 48 };
    static const int orders[PLANS][PLANS] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}};
    static double a[PLANS][N * N], b[PLANS][N * N], c[PLANS][N * N];
    scalay_plan *plans[PLANS];
    const int rank = comms[0]->rank;
    for (int k = 0; k < PLANS; k++) {
        plans[k] = new_plan(comms[k], N, 0);
        for (int x = 0; x < N * N; x++) a[k][x] = x + 1e4 * k + 1e5 * rank;
        memcpy(c[k], a[k], sizeof c[k]);
    }
    for (int back = 0; back < 2; back++) {
        for (int k = 0; k < PLANS; k++)
            CHECK_STATUS(back ? scalay_plan_begin_back(plans[k], b[k], c[k]) : scalay_plan_begin(plans[k], a[k], b[k]),
                         SCALAY_SUCCESS);
        for (int k = 0; k < PLANS; k++) {
            scalay_plan *plan = plans[orders[rank % PLANS][k]];
            for (int done = !by_test; !done;) CHECK_STATUS(scalay_plan_test(plan, &done), SCALAY_SUCCESS);
            CHECK_STATUS(scalay_plan_end(plan), SCALAY_SUCCESS);
        }
    }
    for (int k = 0; k < PLANS; k++) {
        CHECK(memcmp(a[k], c[k], sizeof a[k]) == 0);
        scalay_plan_destroy(&plans[k]);
    }
}

static void live_together(scalay_node_limits limits)
{
    scalay_comm *comms[3] = {NULL};
    scalay_node_limit(limits);
    for (int k = 0; k < 3; k++) CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comms[k]), SCALAY_SUCCESS);
    scalay_comm *const same[3] = {comms[0], comms[0], comms[0]};
    for (int by_test = 0; by_test < 2; by_test++) {
        wait_in_other_orders(same, by_test);
        wait_in_other_orders(comms, by_test);
    }
    many_plans_live(comms[0]);
    messages_go_on(comms[0]);
    for (int k = 0; k < 3; k++) scalay_comm_destroy(&comms[k]);
    scalay_node_limit((scalay_node_limits){0});
}

int main(int argc, char **argv)
{
    static const scalay_node_limits limits[] = {
        {0}, {.no_windows = 1}, {.ranks = 2}, {.ranks = 3}, {.ranks = 2, .no_windows = 1}};
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 4711;
    int size = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int cases = argc > 2 ? atoi(argv[2]) : argc > 1 ? 1 : 1 + CASES / size;
    if (check_rank() == 0) printf("seeds from %llu\n", (unsigned long long)first);
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        run_cases(limits[k], argc > 1 ? first : first + 1000 * k, cases);
    for (size_t k = 0; k < 2; k++) live_together(limits[k]);
    return check_verdict();
}
