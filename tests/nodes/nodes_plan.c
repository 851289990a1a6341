/* Plans whose ranks are on several nodes: transport "auto" takes shared memory within a node and messages between
   nodes, scalay_plan_describe() says so, MPI is given no message for a rank of the same node, and every element arrives
   once. With a memory limit, messages between nodes have a third of their half. Arguments: the ranks of each node, as
   in nodes.sh (2+2), so that the test also sees how MPI groups them; the extent of the matrix; "slow" if the link is
   slow, by known rates or by what a piece takes: messages are pieces of 63 KiB; "long" if long messages are faster, by
   a known ratio: each direction has one slot of three eighths of the limit. */
#include <stdlib.h>
#include <string.h>

#include "parallel/pieces.h"
#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/redist.h"
#include "support/check.h"

enum { GUARD = 64, MEMORY = 2 << 20, QUARTER = MEMORY / 2 / 4, PIECE = 63 * 1024, LONG_MESSAGE = MEMORY / 8 * 3 };

static int M = 203, N = 187; /* extents of the matrix */

static scalay_comm *comm;
static MPI_Comm node;
static int node_size;
static int is_link_slow, has_long_messages;

/* ------------------------------------------------------------------------ what MPI is really given to send */

static int64_t messages_on_node, bytes_off_node, longest_off_node;

static int is_on_node(int peer)
{
    int result = MPI_UNDEFINED;
    MPI_Group all, local;
    MPI_Comm_group(scalay_comm_handle(comm), &all);
    MPI_Comm_group(node, &local);
    MPI_Group_translate_ranks(all, 1, &peer, local, &result);
    MPI_Group_free(&all);
    MPI_Group_free(&local);
    return result != MPI_UNDEFINED;
}

/* Plans send MPI_BYTE. */
static void count_message(int bytes, int to, MPI_Comm mpi)
{
    if (comm == NULL || mpi != scalay_comm_handle(comm)) return;
    if (is_on_node(to)) messages_on_node++;
    if (!is_on_node(to)) bytes_off_node += bytes;
    if (!is_on_node(to) && bytes > longest_off_node) longest_off_node = bytes;
}

SCALAY_API int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm mpi,
                         MPI_Request *request)
{
    count_message(count, to, mpi);
    return PMPI_Isend(buffer, count, type, to, tag, mpi, request);
}

SCALAY_API int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm mpi,
                          MPI_Request *request)
{
    count_message(count, to, mpi);
    return PMPI_Issend(buffer, count, type, to, tag, mpi, request);
}

/* ---------------------------------------------------------------------------------------- block-cyclic arrays */

/* A distribution, by the definition of ScaLAPACK and not by the library. */
typedef struct {
    int mb, nb, p, q;
} grid;

static int owner_of(const grid *g, int i, int j)
{
    return i / g->mb % g->p * g->q + j / g->nb % g->q;
}

static int local_count(int count, int block, int processes, int process)
{
    int local = 0;
    for (int i = 0; i < count; i++) local += i / block % processes == process;
    return local;
}

static int local_rows(const grid *g)
{
    return local_count(M, g->mb, g->p, check_rank() / g->q);
}

static int local_size(const grid *g)
{
    return check_rank() < g->p * g->q ? local_rows(g) * local_count(N, g->nb, g->q, check_rank() % g->q) : 0;
}

static double *element(const grid *g, int rows, double *a, int i, int j)
{
    const int row = i / (g->mb * g->p) * g->mb + i % g->mb, col = j / (g->nb * g->q) * g->nb + j % g->nb;
    return a + row + (int64_t)col * rows;
}

static double value(int i, int j)
{
    return 1.0 + i + 1000.0 * j;
}

static void fill(const grid *g, double *a, double factor)
{
    const int rows = local_rows(g), rank = check_rank();
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            if (owner_of(g, i, j) == rank) *element(g, rows, a, i, j) = factor * value(i, j);
}

static int count_wrong(const grid *g, double *a, double factor)
{
    int wrong = 0;
    const int rows = local_rows(g), rank = check_rank();
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            if (owner_of(g, i, j) == rank) wrong += *element(g, rows, a, i, j) != factor * value(i, j);
    return wrong;
}

static int guards_hold(const double *guarded, int count)
{
    int hold = 1;
    for (int k = 0; k < GUARD; k++) hold = hold && guarded[k] == -7 && guarded[GUARD + count + k] == -7;
    return hold;
}

/* An array with guard zones, in ordinary memory or in that of scalay_alloc(). */
static double *new_array(int count, int shared)
{
    void *array = NULL;
    const int64_t total = count + 2 * GUARD;
    if (shared)
        CHECK_STATUS(scalay_alloc(comm, total * (int64_t)sizeof(double), &array), SCALAY_SUCCESS);
    else
        array = malloc((size_t)total * sizeof(double));
    for (int64_t k = 0; k < total; k++) ((double *)array)[k] = -7;
    return array;
}

static void free_array(void *array, int shared)
{
    if (shared)
        scalay_free(&array);
    else
        free(array);
}

/* --------------------------------------------------------------------------------------------- the plan */

/* Bytes of this rank that go to other nodes, and the most of them that go to one rank. */
static int64_t bytes_elsewhere(const grid *from, const grid *to, int64_t *most)
{
    int64_t bytes = 0;
    const int rank = check_rank();
    int64_t *elements = calloc((size_t)check_size(), sizeof *elements);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) elements[owner_of(to, i, j)] += owner_of(from, i, j) == rank;
    *most = 0;
    for (int p = 0; p < check_size(); p++) {
        const int64_t sent = is_on_node(p) ? 0 : elements[p] * (int64_t)sizeof(double);
        bytes += sent;
        if (sent > *most) *most = sent;
    }
    free(elements);
    return bytes;
}

/* Three slots for receives and one for sends share half of the memory limit, or one of each three quarters. Over a slow
   link, messages are pieces. */
static void check_limited(const scalay_plan *plan, int64_t most)
{
    scalay_plan_statistics statistics = {0};
    const int64_t longest = is_link_slow ? PIECE : has_long_messages ? LONG_MESSAGE : QUARTER;
    CHECK_STATUS(scalay_plan_get_statistics(plan, &statistics), SCALAY_SUCCESS);
    CHECK(statistics.extra_bytes <= MEMORY);
    CHECK(longest_off_node <= longest);
    CHECK(most < longest || longest_off_node > longest / 4 * 3); /* chunks end with whole runs of rows */
}

static void check_description(const scalay_plan *plan, int largest_node)
{
    char text[600], expected[80];
    (void)scalay_plan_describe(plan, text, sizeof text);
    (void)snprintf(expected, sizeof expected, "%d ranks on the node", node_size);
    if (largest_node == 1) return;
    CHECK(strstr(text, "transport \"shared\"") != NULL);
    CHECK(node_size == 1 || strstr(text, expected) != NULL);
    CHECK(node_size > 1 || strstr(text, "no shared memory") != NULL);
}

static void move(const grid *from, const grid *to, int64_t memory_bytes, int shared, int largest_node)
{
    int64_t most = 0;
    const scalay_plan_options options = {.size = sizeof options, .memory_bytes = memory_bytes};
    scalay_layout *source = NULL, *target = NULL;
    scalay_plan *plan = NULL;
    const int counts[2] = {local_size(from), local_size(to)};
    double *a = new_array(counts[0], shared), *b = new_array(counts[1], shared);
    CHECK_STATUS(
        scalay_layout_block_cyclic(M, N, from->mb, from->nb, from->p, from->q, 0, 0, SCALAY_ROW_MAJOR, &source),
        SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(M, N, to->mb, to->nb, to->p, to->q, 0, 0, SCALAY_ROW_MAJOR, &target),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, &options, &plan), SCALAY_SUCCESS);
    check_description(plan, largest_node);
    messages_on_node = bytes_off_node = longest_off_node = 0;
    fill(from, a + GUARD, 1);
    CHECK_STATUS(scalay_plan_execute(plan, a + GUARD, b + GUARD), SCALAY_SUCCESS);
    CHECK(count_wrong(to, b + GUARD, 1) == 0);
    CHECK(largest_node == 1 || messages_on_node == 0);
    CHECK(bytes_off_node == bytes_elsewhere(from, to, &most));
    if (memory_bytes > 0 && node_size < check_size()) check_limited(plan, most);
    fill(to, b + GUARD, 3);
    CHECK_STATUS(scalay_plan_execute_back(plan, b + GUARD, a + GUARD), SCALAY_SUCCESS);
    CHECK(count_wrong(from, a + GUARD, 3) == 0);
    CHECK(guards_hold(a, counts[0]) && guards_hold(b, counts[1]));
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    free_array(a, shared);
    free_array(b, shared);
}

/* Links of a busy machine can be slow, too. */
static int is_slow(void)
{
    int64_t bytes = 0;
    CHECK_STATUS(scalay_pieces_probe(comm, &bytes), SCALAY_SUCCESS);
    return bytes == PIECE;
}

/* Checks that MPI sees the nodes that were asked for. Returns the ranks of the largest. */
static int check_nodes(const char *wanted)
{
    int first = 0, largest = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &node_size);
    for (const char *at = wanted; at != NULL && *at != '\0';
         at = strchr(at, '+') != NULL ? strchr(at, '+') + 1 : NULL) {
        const int ranks = atoi(at);
        if (check_rank() >= first && check_rank() < first + ranks) CHECK(node_size == ranks);
        first += ranks;
        if (ranks > largest) largest = ranks;
    }
    CHECK(first == check_size());
    return largest;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int largest = check_nodes(argc > 1 ? argv[1] : ""), size = check_size();
    const int p = size % 2 == 0 ? 2 : 1;
    if (argc > 2) M = N = atoi(argv[2]);
    is_link_slow = argc > 3 && strcmp(argv[3], "slow") == 0;
    const grid grids[] = {{8, 8, p, size / p}, {5, 7, size / p, p}, {16, 16, 1, size}, {16, 16, size, 1}};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    has_long_messages = argc > 3 && strcmp(argv[3], "long") == 0;
    if (!is_link_slow && !has_long_messages) is_link_slow = is_slow();
    for (int shared = 0; shared < 2; shared++) {
        move(&grids[0], &grids[1], 0, shared, largest);
        move(&grids[2], &grids[3], 0, shared, largest);
        move(&grids[0], &grids[3], 0, shared, largest);
        move(&grids[2], &grids[3], MEMORY, shared, largest);
    }
    scalay_comm_destroy(&comm);
    MPI_Comm_free(&node);
    return check_verdict();
}
