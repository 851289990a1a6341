/* Panels between nodes: what SUMMA and the engine of the factorisations send to another node is sent once per node, not
   once per rank. MPI_Isend is counted by a wrapper, and the results are compared with the definition of the product and
   with LAPACK. The nodes have at most two ranks: those of MPI, further divided by a restriction of the library.
   Usage: nodes_panels [pieces]; pieces: the rates are those of a slow link, so large messages are sent in pieces. The
   nodes are those of MPI, as in the file of the rates. */
#include <string.h>

#include "base/integer.h"
#include "factor/factor_object.h"
#include "parallel/comm.h"
#include "parallel/node.h"
#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/multiply.h"

static const int *node;
static int64_t messages, bytes, longest; /* to other nodes */

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    if (node != NULL && node[to] != node[check_rank()]) {
        messages++;
        bytes += (int64_t)count * size;
        longest = scalay_max_int64(longest, (int64_t)count * size);
    }
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

static int count_nodes(void)
{
    int nodes = 1;
    for (int rank = 1; node != NULL && rank < check_size(); rank++) nodes += node[rank] == rank;
    return nodes;
}

/* ------------------------------------------------------------------------------------------------------ SUMMA */

enum { M = 70, N = 61, K = 90, NB = 4 };

static int inner = K; /* extent of the current product */

static double value(int which, int64_t i, int64_t j)
{
    return which == 0 ? (double)((3 * i + j) % 11) - 5.0 : (double)((i + 7 * j) % 13) - 6.0;
}

static double product(int64_t i, int64_t j)
{
    double sum = 0.0;
    for (int k = 0; k < inner; k++) sum += value(0, i, k) * value(1, k, j);
    return sum;
}

/* Sets the elements of A or B, or counts those of C that are wrong. */
static int64_t visit(const scalay_layout *layout, int which, double *array)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, check_rank()); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(layout, check_rank(), k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *at = &array[r.offset + i + j * r.ld];
                if (which < 2)
                    *at = value(which, r.row + i, r.col + j);
                else
                    wrong += *at != product(r.row + i, r.col + j);
            }
    }
    return wrong;
}

/* Multiplies m x k by k x n on one grid, twice; returns the bytes to other nodes of the second product, of all ranks.
 */
static int64_t multiply_extents(scalay_comm *comm, const int mnk[3], int nprow, int npcol, scalay_order order,
                                const char *transport, int panel)
{
    const int extents[3][2] = {{mnk[0], mnk[2]}, {mnk[2], mnk[1]}, {mnk[0], mnk[1]}};
    scalay_layout *layout[3] = {NULL, NULL, NULL};
    double *array[3];
    const double one = 1.0, zero = 0.0;
    scalay_summa *summa = NULL;
    scalay_summa_options options = scalay_summa_options_default();
    inner = mnk[2];
    options.transport = transport;
    options.panel = panel;
    for (int x = 0; x < 3; x++) {
        CHECK_STATUS(
            scalay_layout_block_cyclic(extents[x][0], extents[x][1], NB, NB, nprow, npcol, 0, 0, order, &layout[x]),
            SCALAY_SUCCESS);
        array[x] = calloc((size_t)scalay_layout_local_size(layout[x], check_rank()) + 1, sizeof(double));
        if (x < 2) (void)visit(layout[x], x, array[x]);
    }
    CHECK_STATUS(scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout[0],
                                     layout[1], layout[2], &options, &summa),
                 SCALAY_SUCCESS);
    for (int run = 0; run < 2; run++) {
        messages = bytes = 0;
        CHECK_STATUS(scalay_summa_execute(summa, &one, array[0], array[1], &zero, array[2]), SCALAY_SUCCESS);
        CHECK(visit(layout[2], 2, array[2]) == 0);
    }
    int64_t all = bytes;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    scalay_summa_destroy(&summa);
    for (int x = 0; x < 3; x++) {
        scalay_layout_destroy(&layout[x]);
        free(array[x]);
    }
    return all;
}

static int64_t multiply(scalay_comm *comm, int nprow, int npcol, scalay_order order, const char *transport, int panel)
{
    return multiply_extents(comm, (const int[]){M, N, K}, nprow, npcol, order, transport, panel);
}

/* Ranks that share classes of lines, but get no elements. */
static void products_can_be_empty_or_tiny(scalay_comm *comm)
{
    static const int extents[][3] = {{0, N, K}, {M, 0, K}, {M, N, 0}, {0, 0, K}, {1, N, K}, {M, 1, 3}, {NB, NB, K}};
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
        (void)multiply_extents(comm, extents[k], 1, check_size(), SCALAY_ROW_MAJOR, "messages", 0);
        (void)multiply_extents(comm, extents[k], check_size(), 1, SCALAY_ROW_MAJOR, "messages", 8);
        if (check_size() % 2 == 0)
            (void)multiply_extents(comm, extents[k], 2, check_size() / 2, SCALAY_ROW_MAJOR, "messages", 0);
    }
}

/* On a row of processes all need A, on a column all need B. */
static void a_panel_is_sent_once_to_each_node(scalay_comm *comm)
{
    static const int panels[] = {1, 7, 32, 0};
    const int size = check_size(), others = count_nodes() - 1;
    for (int k = 0; k < 4; k++) {
        for (int is_auto = 0; is_auto < 2 && (!is_auto || others > 0); is_auto++) {
            const char *transport = is_auto ? "auto" : "messages";
            CHECK(multiply(comm, 1, size, SCALAY_ROW_MAJOR, transport, panels[k]) == 8 * M * K * others);
            CHECK(multiply(comm, size, 1, SCALAY_ROW_MAJOR, transport, panels[k]) == 8 * N * K * others);
        }
        if (size % 2 != 0) continue;
        (void)multiply(comm, 2, size / 2, SCALAY_ROW_MAJOR, "messages", panels[k]);
        (void)multiply(comm, size / 2, 2, SCALAY_COLUMN_MAJOR, "messages", panels[k]);
    }
}

/* On a row of at least four processes, four have indices of each panel: links are used in both directions. */
static void panels_come_from_several_ranks(scalay_comm *comm)
{
    enum { RANKS = 4, PANEL = 8 };
    const int others = count_nodes() - 1;
    if (check_size() < RANKS) return;
    (void)multiply(comm, 1, check_size(), SCALAY_ROW_MAJOR, "messages", PANEL);
    int64_t all = messages;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all >= RANKS * (K / PANEL) * others);
}

/* Each node gets 1.2 MB from each rank of the others. */
static void large_messages_arrive(scalay_comm *comm, int in_pieces)
{
    static const int extents[] = {1500, 24, 400};
    const int size = check_size(), others = count_nodes() - 1;
    const int64_t all = 8 * (int64_t)extents[0] * extents[2] * others;
    longest = 0;
    CHECK(multiply_extents(comm, extents, 1, size, SCALAY_ROW_MAJOR, "messages", 0) == all);
    CHECK(multiply_extents(comm, (const int[]){24, 1500, 400}, size, 1, SCALAY_ROW_MAJOR, "messages", 0) == all);
    MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(others == 0 || (longest < 65536) == in_pieces);
}

/* ------------------------------------------------------------------------------------------------------ engine */

enum { TILES = 14 };

/* Messages of panels if each goes once to each other node that has a later tile column. */
static int64_t fewest_messages(const int *owner)
{
    int64_t least = 0;
    for (int k = 0; k < TILES; k++)
        for (int to = 0; to < check_size(); to++) {
            int needs = 0;
            for (int j = k + 1; j < TILES; j++) needs |= node[owner[j]] == to;
            least += needs && node[owner[k]] != to;
        }
    return least;
}

/* Panels in pieces of `piece` elements have more messages, of the same bytes; 0: whole panels. */
static void an_engine_sends_panels_once_to_each_node(scalay_factor_kind kind, int64_t piece)
{
    int owner[TILES * TILES];
    outcome o;
    for (int t = 0; t < TILES * TILES; t++) owner[t] = (t % TILES * 5 + t % TILES / 4) % check_size();
    const problem p = {.kind = kind,
                       .type = SCALAY_DOUBLE,
                       .m = TILES * 8 - 3,
                       .n = TILES * 8 - 3,
                       .nb = 8,
                       .processes = check_size(),
                       .together = 0,
                       .seed = 3,
                       .owner = owner,
                       .node = node,
                       .piece = piece};
    messages = longest = 0;
    if (CHECK_STATUS(problem_run(&p, 1, &o), SCALAY_SUCCESS)) {
        int64_t all = messages;
        const double error = check_rank() == 0 ? problem_compare(&p, &o) : 0;
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        CHECK(error <= 1000 * matrix_epsilon(p.type) * (p.m + p.n));
        CHECK(piece > 0 ? all >= fewest_messages(owner) : all == (node != NULL ? fewest_messages(owner) : 0));
        CHECK(piece == 0 || longest <= 8 * piece);
        outcome_free(&o);
    }
}

/* Panels of 154 KB. */
static void large_panels_arrive(scalay_comm *comm, scalay_factor_kind kind, int in_pieces)
{
    const int size = check_size();
    for (int rows = 1; rows <= 2; rows++) {
        object_case c = {.kind = kind, .type = SCALAY_DOUBLE, .uplo = SCALAY_LOWER};
        scalay_factor_options options = scalay_factor_options_default();
        options.placement = SCALAY_PLACEMENT_STAY;
        options.nb = 32;
        CHECK_STATUS(scalay_layout_block_cyclic(600, 600, 32, 32, rows, size / rows, 0, 0, SCALAY_ROW_MAJOR, &c.layout),
                     SCALAY_SUCCESS);
        object_prepare(&c, scalay_layout_local_size(c.layout, check_rank()), 5);
        longest = 0;
        object_run(comm, &c, &options, 2);
        MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        CHECK(count_nodes() == 1 || (longest < 65536) == in_pieces);
        scalay_layout_destroy(&c.layout);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    const int in_pieces = argc > 1 && strcmp(argv[1], "pieces") == 0;
    if (!in_pieces) scalay_node_limit((scalay_node_limits){.ranks = 2});
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_of_ranks(comm, &node), SCALAY_SUCCESS);
    if (!in_pieces) comm->piece_seconds = 1e-9; /* the link is not slow, whatever else the cores do */
    a_panel_is_sent_once_to_each_node(comm);
    products_can_be_empty_or_tiny(comm);
    panels_come_from_several_ranks(comm);
    large_messages_arrive(comm, in_pieces);
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        an_engine_sends_panels_once_to_each_node((scalay_factor_kind)kind, 0);
        an_engine_sends_panels_once_to_each_node((scalay_factor_kind)kind, 100);
        large_panels_arrive(comm, (scalay_factor_kind)kind, in_pieces);
    }
    node = NULL;
    scalay_comm_destroy(&comm);
    return check_verdict();
}
