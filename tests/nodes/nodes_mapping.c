/* The mapping of a factorisation on two nodes of two ranks: ranks 0 and 2, on different nodes, hold the whole matrix,
   so the mapping of least steps and of least volume puts a grid of two processes on them. Where links between nodes are
   slow for the routine, the grid is on one node; where they cost nothing, it is where the matrix is; where only moving
   is slow, too. A job that was told to keep the mapping of its objective keeps it, and its predicted time says what
   that costs. The nodes are those of MPI, or made by a restriction of the library if all ranks are on one. */
#include "factor/grid_job.h"
#include "parallel/node.h"
#include "support/check.h"

enum { N = 512, NB = 64, TILES = N / NB };

/* Column tiles in turn on ranks 0 and 2. */
static scalay_layout *new_source(void)
{
    int owner[TILES * TILES];
    scalay_layout *source = NULL;
    for (int i = 0; i < TILES; i++)
        for (int j = 0; j < TILES; j++) owner[i * TILES + j] = 2 * (j % 2);
    CHECK_STATUS(scalay_layout_tiles(N, N, NB, NB, 3, owner, &source), SCALAY_SUCCESS);
    return source;
}

/* Processes of the two parts of the target, and what was predicted. */
typedef struct {
    int process[2];
    double kernel_seconds;
    int64_t volume;
} outcome;

static outcome place(scalay_comm *comm, scalay_kernel_kind kind, const scalay_machine *machine, int keeps_objective)
{
    outcome found = {{-1, -1}, 0.0, -1};
    scalay_layout *source = new_source();
    scalay_grid_job *job = NULL;
    scalay_one_call_options options = scalay_one_call_options_default();
    options.nprow = 1;
    options.npcol = 2;
    options.nb = NB;
    options.machine = machine;
    const scalay_uplo uplo = kind == SCALAY_POTRF ? SCALAY_LOWER : SCALAY_WHOLE;
    const scalay_grid_request request = {.function = __func__,
                                         .kind = kind,
                                         .type = SCALAY_DOUBLE,
                                         .uplo = uplo,
                                         .layout = source,
                                         .options = &options,
                                         .keeps_objective = keeps_objective};
    CHECK_STATUS(scalay_grid_job_create(comm, &request, &job), SCALAY_SUCCESS);
    if (job != NULL) {
        for (int part = 0; part < 2; part++) found.process[part] = scalay_layout_process_of_part(job->target, part);
        found.kernel_seconds = job->statistics.predicted_kernel_seconds;
        found.volume = job->statistics.volume;
    }
    scalay_grid_job_destroy(&job);
    scalay_layout_destroy(&source);
    return found;
}

static int is_where_the_matrix_is(const outcome *at)
{
    return at->process[0] == 0 && at->process[1] == 2 && at->volume == 0;
}

static int is_on_one_node(const outcome *at)
{
    return at->process[0] / 2 == at->process[1] / 2 && at->process[0] != at->process[1];
}

static void check_kind(scalay_comm *comm, scalay_kernel_kind kind)
{
    scalay_machine slow = scalay_machine_typical(), free_links = scalay_machine_typical();
    slow.seconds_per_message = 2e-2; /* a routine has far more messages than a move */
    slow.seconds_per_byte = 1e-12;
    free_links.seconds_per_message = free_links.seconds_per_byte = 0.0;
    const outcome kept = place(comm, kind, &slow, 1), chosen = place(comm, kind, &slow, 0);
    CHECK(is_where_the_matrix_is(&kept));
    CHECK(is_on_one_node(&chosen));
    CHECK(chosen.kernel_seconds < 0.5 * kept.kernel_seconds);
    const outcome without_cost = place(comm, kind, &free_links, 0);
    CHECK(is_where_the_matrix_is(&without_cost));
    scalay_machine slow_bytes = free_links; /* the matrix moves twice, the panels once */
    slow_bytes.seconds_per_byte = slow_bytes.seconds_per_byte_copied = 1e-9;
    slow_bytes.seconds_per_message = 1e-6;
    const outcome with_cost = place(comm, kind, &slow_bytes, 0);
    CHECK(is_where_the_matrix_is(&with_cost));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    const int *node = NULL;
    scalay_node_limit((scalay_node_limits){.ranks = 2});
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_of_ranks(comm, &node), SCALAY_SUCCESS);
    for (int rank = 0; node != NULL && rank < scalay_comm_size(comm); rank++) CHECK(node[rank] == rank / 2 * 2);
    if (CHECK(node != NULL && scalay_comm_size(comm) == 4)) {
        check_kind(comm, SCALAY_GEQRF);
        check_kind(comm, SCALAY_GETRF);
        check_kind(comm, SCALAY_POTRF);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
