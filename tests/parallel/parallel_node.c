/* What the ranks of a node share: who is there, slots on the board, reading each other's memory, and doing without. */
#define _XOPEN_SOURCE 700 /* setenv */
#include <stdlib.h>
#include <string.h>

#include "parallel/node.h"
#include "support/check.h"
#include "support/process.h"

/* Acquires slots that are free on all ranks. */
static scalay_status acquire_slots(scalay_comm *comm, int count, int *slots, int *acquired)
{
    uint64_t used = scalay_node_used_slots(comm->node);
    MPI_Allreduce(MPI_IN_PLACE, &used, 1, MPI_UINT64_T, MPI_BOR, comm->mpi);
    return scalay_node_acquire_slots(comm, used, count, slots, acquired);
}

static scalay_comm *probed(MPI_Comm mpi, scalay_node_limits limits)
{
    scalay_comm *comm = NULL;
    scalay_node_limit(limits);
    CHECK_STATUS(scalay_comm_create(mpi, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_probe(comm), SCALAY_SUCCESS);
    scalay_node_limit((scalay_node_limits){0});
    return comm;
}

static void nodes_have_the_ranks_that_they_should(MPI_Comm mpi)
{
    for (int ranks = 0; ranks <= 3; ranks++) {
        scalay_comm *comm = probed(mpi, (scalay_node_limits){.ranks = ranks});
        const scalay_node *node = comm->node;
        CHECK_STATUS(scalay_node_probe(comm), SCALAY_SUCCESS);
        CHECK(comm->node == node);
        for (int r = 0; r < comm->size; r++) {
            const int here = ranks == 0 || r / ranks == comm->rank / ranks;
            const int place = scalay_node_local_rank(node, r);
            CHECK((place >= 0) == here);
            if (here) CHECK(node->ranks[place] == r && (r != comm->rank || place == node->rank));
        }
        CHECK(!node->has_windows || node->size > 1);
        CHECK(scalay_node_local_rank(node, comm->size) == -1);
        scalay_comm_destroy(&comm);
    }
}

static void what_is_written_on_the_board_is_read_by_all(void)
{
    enum { TURNS = 70, EACH = 3 };
    int slots[TURNS * EACH], taken = 0;
    scalay_comm *comm = probed(MPI_COMM_WORLD, (scalay_node_limits){.ranks = 2});
    const scalay_node *node = comm->node;
    for (int k = 0; k < TURNS; k++) {
        CHECK_STATUS(acquire_slots(comm, EACH, slots + EACH * k, &taken), SCALAY_SUCCESS);
        CHECK(taken == node->is_used);
        CHECK_STATUS(scalay_comm_agree_value(comm, taken ? (uint64_t)slots[EACH * k] : 0, "f", "the slot"),
                     SCALAY_SUCCESS);
    }
    for (int k = 0; node->has_windows && k < TURNS * EACH; k++)
        memset(scalay_node_record(node, slots[k], node->rank), 1 + k % 100 + node->rank, SCALAY_RECORD_BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; node->has_windows && k < TURNS * EACH; k++)
        for (int p = 0; p < node->size; p++) {
            const unsigned char *record = scalay_node_record(node, slots[k], p);
            CHECK(record[0] == 1 + k % 100 + p && record[SCALAY_RECORD_BYTES - 1] == 1 + k % 100 + p);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    if (node->is_used) { /* what is given back comes again, and empty */
        const int last = slots[TURNS * EACH - 1], empty = 0;
        scalay_node_release_slots(comm, 1, &last);
        CHECK_STATUS(acquire_slots(comm, 1, slots, &taken), SCALAY_SUCCESS);
        CHECK(taken && slots[0] == last);
        if (node->has_windows) CHECK(memcmp(scalay_node_record(node, last, node->rank), &empty, sizeof empty) == 0);
    }
    scalay_comm_destroy(&comm);
}

static void slots_are_those_that_no_rank_uses(void)
{
    int first[2], second = 0, third = 0, taken = 0;
    scalay_comm *comm = probed(MPI_COMM_WORLD, (scalay_node_limits){0});
    CHECK_STATUS(acquire_slots(comm, 2, first, &taken), SCALAY_SUCCESS);
    if (taken) {
        if (comm->rank % 2) scalay_node_release_slots(comm, 1, first); /* the others still have it */
        CHECK_STATUS(acquire_slots(comm, 1, &second, &taken), SCALAY_SUCCESS);
        CHECK(second != first[0] && second != first[1]);
        if (comm->rank % 2 == 0) scalay_node_release_slots(comm, 1, first);
        CHECK_STATUS(acquire_slots(comm, 1, &third, &taken), SCALAY_SUCCESS);
        CHECK(third == first[0]);
    }
    scalay_comm_destroy(&comm);
}

static void peers_are_read_in_pieces(void)
{
    enum { BYTES = 100000, PIECES = SCALAY_MAX_EXTENTS };
    static char mine[BYTES], read[BYTES];
    uint64_t address = (uint64_t)(uintptr_t)mine;
    scalay_comm *comm = probed(MPI_COMM_WORLD, (scalay_node_limits){0});
    const scalay_node *node = comm->node;
    const int peer = (node->rank + 1) % node->size, before = (node->rank + node->size - 1) % node->size;
    for (int k = 0; k < BYTES; k++) mine[k] = (char)(k * 7 + node->rank);
    MPI_Sendrecv_replace(&address, 1, MPI_UINT64_T, before, 0, peer, 0, node->mpi, MPI_STATUS_IGNORE);
    scalay_extent pieces[PIECES];
    for (int k = 0; k < PIECES; k++) pieces[k] = (scalay_extent){(char *)(uintptr_t)address + 1500 * k, 1000};
    if (node->can_read) {
        CHECK_STATUS(scalay_node_read(node, peer, pieces, PIECES, read), SCALAY_SUCCESS);
        int wrong = 0;
        for (int k = 0; k < PIECES * 1000; k++) wrong += read[k] != (char)((1500 * (k / 1000) + k % 1000) * 7 + peer);
        CHECK(wrong == 0);
        pieces[1].start = NULL;
        CHECK_STATUS(scalay_node_read(node, peer, pieces, 2, read), SCALAY_ERROR_MPI);
    }
    MPI_Barrier(node->mpi);
    if (check_rank() == 0)
        printf("windows %d, reading %d on a node of %d\n", node->has_windows, node->can_read, node->size);
    scalay_comm_destroy(&comm);
}

static void a_machine_may_forbid_everything(void)
{
    int slot = 0, taken = 1;
    scalay_comm *comm = probed(MPI_COMM_WORLD, (scalay_node_limits){.no_windows = 1, .no_reading = 1});
    CHECK(!comm->node->has_windows && !comm->node->can_read && !comm->node->is_used);
    CHECK_STATUS(acquire_slots(comm, 1, &slot, &taken), SCALAY_SUCCESS);
    CHECK(!taken);
    scalay_comm_destroy(&comm);
}

/* The n-th allocation of the last rank fails, for every n that there is. */
static void one_rank_without_memory_fails_all(void)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    for (int n = 1; status != SCALAY_SUCCESS && n < 100; n++) {
        const int64_t live = scalay_memory_live();
        if (comm->rank == comm->size - 1) scalay_memory_fail_at(n);
        status = scalay_node_probe(comm);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK_STATUS(scalay_comm_agree_value(comm, (uint64_t)status, "f", "the status"), SCALAY_SUCCESS);
        CHECK(status == SCALAY_SUCCESS || (comm->node == NULL && scalay_memory_live() == live));
    }
    CHECK(status == SCALAY_SUCCESS);
    scalay_comm_destroy(&comm);
}

static void nodes_can_be_probed_for_ever(int turns)
{
    int64_t files = 0;
    for (int k = 0; k < turns; k++) {
        scalay_comm *comm = probed(MPI_COMM_WORLD, (scalay_node_limits){.ranks = k % 3});
        scalay_comm_destroy(&comm);
        if (k == 2) files = descriptors_open();
    }
    CHECK(descriptors_open() <= files);
}

static void the_launcher_says_whether_nodes_are_several(void)
{
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1", 1); /* before the library reads it */
    CHECK(scalay_node_launched_processes() == 1);
    CHECK(scalay_node_launched_on_several(check_size()) == (check_size() > 1));
    CHECK(!scalay_node_launched_on_several(check_size() + 1));
}

int main(int argc, char **argv)
{
    MPI_Comm turned;
    MPI_Init(&argc, &argv);
    the_launcher_says_whether_nodes_are_several();
    nodes_have_the_ranks_that_they_should(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() % 2, -check_rank(), &turned);
    nodes_have_the_ranks_that_they_should(turned);
    MPI_Comm_free(&turned);
    what_is_written_on_the_board_is_read_by_all();
    slots_are_those_that_no_rank_uses();
    peers_are_read_in_pieces();
    a_machine_may_forbid_everything();
    one_rank_without_memory_fails_all();
    nodes_can_be_probed_for_ever(20 + 300 / check_size());
    return check_verdict();
}
