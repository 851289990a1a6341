/* Communicators: agreement between ranks, lifetime, bad arguments. */
#include <string.h>

#include "parallel/blacs.h"
#include "scalay/context.h"
#include "support/check.h"

static void every_rank_gets_the_lowest_failure(void)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    CHECK_STATUS(scalay_comm_agree(comm, SCALAY_SUCCESS), SCALAY_SUCCESS);
    for (int failing = 0; failing < size; failing++) {
        scalay_status mine = rank < failing ? SCALAY_SUCCESS : SCALAY_ERROR_FILE;
        if (rank > failing) mine = scalay_fail(SCALAY_ERROR_RANGE, "scalay_later", "rank %d", rank);
        if (rank == failing) (void)scalay_fail(mine, "scalay_first", "rank %d has it", rank);
        CHECK_STATUS(scalay_comm_agree(comm, mine), SCALAY_ERROR_FILE);
        char said[64];
        snprintf(said, sizeof said, "scalay_first: rank %d has it", failing);
        CHECK(strstr(scalay_error_message(), said) != NULL);
    }
    scalay_comm_destroy(&comm);
    CHECK(comm == NULL);
}

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);

/* A grid with one process less than there are; the last process leaves the others alone. */
static void a_communicator_has_the_processes_of_a_context(void)
{
    scalay_comm *comm = NULL;
    int size = 0, ctxt = -1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int members = size > 1 ? size - 1 : 1;
    Cblacs_get(0, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "R", 1, members);
    if (check_rank() < members) {
        CHECK_STATUS(scalay_comm_create_blacs(ctxt, &comm), SCALAY_SUCCESS);
        CHECK(scalay_comm_size(comm) == members && scalay_comm_rank(comm) == check_rank());
        CHECK_STATUS(scalay_comm_agree(comm, SCALAY_SUCCESS), SCALAY_SUCCESS);
        scalay_comm_destroy(&comm);
        Cblacs_gridexit(ctxt);
    }
    CHECK_STATUS(scalay_comm_create_blacs(-1, &comm), SCALAY_SUCCESS);
    CHECK(comm == NULL);
    CHECK_STATUS(scalay_comm_create_blacs(12345, &comm), SCALAY_ERROR_ARGUMENT);
    CHECK(strstr(scalay_error_message(), "12345") != NULL);
    CHECK_STATUS(scalay_comm_create_blacs(-1, NULL), SCALAY_ERROR_ARGUMENT);
}

static void different_values_are_noticed(void)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_comm_agree_value(comm, UINT64_MAX, "f", "x"), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_comm_agree_value(comm, 0, "f", "x"), SCALAY_SUCCESS);
    uint64_t mine = scalay_comm_rank(comm) == scalay_comm_size(comm) - 1 ? 7 : 8;
    CHECK_STATUS(scalay_comm_agree_value(comm, mine, "f", "the size"),
                 scalay_comm_size(comm) > 1 ? SCALAY_ERROR_MISMATCH : SCALAY_SUCCESS);
    scalay_comm_destroy(&comm);
}

static void bad_communicators_are_refused(void)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_NULL, &comm), SCALAY_ERROR_ARGUMENT);
    CHECK(comm == NULL);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_comm_destroy(NULL);
    scalay_comm_destroy(&comm);
    CHECK(scalay_comm_rank(NULL) == -1 && scalay_comm_size(NULL) == 0);
    CHECK(scalay_comm_handle(NULL) == MPI_COMM_NULL);
}

static void one_rank_without_memory_fails_all(void)
{
    scalay_comm *comm = NULL;
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (check_rank() == size - 1) scalay_memory_fail_at(1);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_ERROR_MEMORY);
    scalay_memory_fail_at(0);
    CHECK(comm == NULL);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    scalay_comm_destroy(&comm);
}

static void split_and_reversed_communicators_work(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() % 2, -check_rank(), &half);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create_f(MPI_Comm_c2f(half), &comm), SCALAY_SUCCESS);
    int rank = 0, size = 0;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    CHECK(scalay_comm_rank(comm) == rank && scalay_comm_size(comm) == size);
    int same = MPI_UNEQUAL;
    MPI_Comm_compare(half, scalay_comm_handle(comm), &same);
    CHECK(same == MPI_CONGRUENT);
    MPI_Comm_free(&half); /* the duplicate goes on without it */
    CHECK_STATUS(scalay_comm_agree(comm, SCALAY_SUCCESS), SCALAY_SUCCESS);
    scalay_comm_destroy(&comm);
}

static void a_kept_communicator_outlives_its_creator(void)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    scalay_comm *kept = scalay_comm_retain(comm);
    scalay_comm_destroy(&comm);
    CHECK(scalay_comms_live() == 1);
    CHECK_STATUS(scalay_comm_agree(kept, SCALAY_SUCCESS), SCALAY_SUCCESS);
    CHECK(scalay_comm_tag(kept) != scalay_comm_tag(kept));
    scalay_comm_destroy(&kept);
    CHECK(scalay_comms_live() == 0);
}

/* Open MPI has some 65,000 communicators to give: a leak of one per turn shows. */
static void communicators_can_be_made_for_ever(int turns)
{
    for (int k = 0; k < turns; k++) {
        scalay_comm *comm = NULL;
        if (!CHECK_STATUS(scalay_comm_create(MPI_COMM_SELF, &comm), SCALAY_SUCCESS)) break;
        scalay_comm_destroy(&comm);
    }
}

int main(int argc, char **argv)
{
    scalay_comm *early = NULL;
    scalay_status before = scalay_comm_create(MPI_COMM_WORLD, &early);
    scalay_status before_f = scalay_comm_create_f(0, &early);
    MPI_Init(&argc, &argv);
    CHECK(before == SCALAY_ERROR_ARGUMENT && before_f == SCALAY_ERROR_ARGUMENT && early == NULL);
    every_rank_gets_the_lowest_failure();
    a_communicator_has_the_processes_of_a_context();
    different_values_are_noticed();
    bad_communicators_are_refused();
    one_rank_without_memory_fails_all();
    split_and_reversed_communicators_work();
    a_kept_communicator_outlives_its_creator();
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    communicators_can_be_made_for_ever(size == 1 ? 70000 : 100);
    return check_verdict();
}
