/* Arrays of scalay_alloc: zeroed, aligned, seen by the peers of the node on any communicator, ordinary where they must
   be, and gone when they are freed. */
#include <string.h>

#include "parallel/node.h"
#include "parallel/shared_memory.h"
#include "support/check.h"
#include "support/process.h"

static scalay_comm *new_comm(MPI_Comm mpi)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(mpi, &comm), SCALAY_SUCCESS);
    return comm;
}

/* Bytes of a rank's array: none on the first one, and odd. */
static int64_t bytes_of(int rank)
{
    return rank * 4999;
}

static void check_fresh(const char *array, int64_t bytes)
{
    int64_t set = 0;
    if (!CHECK(array != NULL)) return;
    CHECK((uintptr_t)array % 64 == 0);
    for (int64_t k = 0; k < bytes; k++) set += array[k] != 0;
    CHECK(set == 0);
}

static void arrays_are_zeroed_and_aligned(scalay_node_limits limits)
{
    void *a = NULL, *b = NULL;
    scalay_node_limit(limits);
    scalay_comm *comm = new_comm(MPI_COMM_WORLD);
    const int64_t bytes = bytes_of(comm->rank);
    CHECK_STATUS(scalay_alloc(comm, bytes, &a), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_alloc(comm, bytes, &b), SCALAY_SUCCESS);
    CHECK(a != b && scalay_arrays_live() == 2);
    check_fresh(a, bytes);
    memset(a, 1, (size_t)bytes);
    check_fresh(b, bytes);
    const int shared = !limits.no_windows && comm->node->has_windows;
    CHECK((scalay_array_find(a, bytes).array != 0) == shared);
    CHECK(scalay_array_find((char *)a + 1, bytes).array == 0);
    scalay_free(&a);
    scalay_comm_destroy(&comm); /* b outlives it */
    memset(b, 1, (size_t)bytes);
    scalay_free(&b);
    CHECK(a == NULL && b == NULL && scalay_arrays_live() == 0);
    scalay_free(&a);
    scalay_free(NULL);
    scalay_node_limit((scalay_node_limits){0});
}

static void peers_see_what_is_written_on_another_communicator(MPI_Comm mpi, int64_t least)
{
    void *array = NULL;
    scalay_comm *maker = new_comm(mpi), *other = new_comm(MPI_COMM_WORLD);
    const int64_t bytes = least + bytes_of(maker->rank);
    CHECK_STATUS(scalay_alloc(maker, bytes, &array), SCALAY_SUCCESS);
    check_fresh(array, bytes);
    MPI_Barrier(maker->mpi);
    memset(array, 1 + other->rank, (size_t)bytes);
    const int64_t token = scalay_process_token();
    for (int owner = 0; owner < other->size; owner++) {
        scalay_array_location place = scalay_array_find((char *)array + 3, bytes - 3);
        int64_t theirs = token;
        MPI_Bcast(&place, (int)sizeof place, MPI_BYTE, owner, other->mpi);
        MPI_Bcast(&theirs, 1, MPI_INT64_T, owner, other->mpi);
        int same = owner;
        MPI_Group all, made;
        MPI_Comm_group(other->mpi, &all);
        MPI_Comm_group(maker->mpi, &made);
        MPI_Group_translate_ranks(all, 1, &owner, made, &same);
        MPI_Group_free(&all);
        MPI_Group_free(&made);
        const char *seen = scalay_array_locate(place);
        CHECK((seen != NULL) == (same != MPI_UNDEFINED && place.array != 0));
        int64_t last = bytes - 4;
        MPI_Bcast(&last, 1, MPI_INT64_T, owner, other->mpi);
        if (seen != NULL) CHECK(seen[0] == 1 + owner && seen[4] == 1 + owner && seen[last] == 1 + owner);
        if (place.array != 0 && seen != NULL)
            CHECK(scalay_array_is_known_to(place, theirs) && !scalay_array_is_known_to(place, theirs + 1));
    }
    MPI_Barrier(other->mpi);
    scalay_free(&array);
    scalay_comm_destroy(&maker);
    scalay_comm_destroy(&other);
}

static void bad_arguments_are_refused(void)
{
    void *array = &array;
    scalay_comm *comm = new_comm(MPI_COMM_WORLD);
    CHECK_STATUS(scalay_alloc(NULL, 8, &array), SCALAY_ERROR_ARGUMENT);
    CHECK(array == NULL);
    CHECK_STATUS(scalay_alloc(comm, comm->rank == 0 ? -1 : 8, &array), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_alloc(comm, 8, comm->rank == comm->size - 1 ? NULL : &array), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_alloc(comm, INT64_MAX, &array), SCALAY_ERROR_MEMORY);
    CHECK_STATUS(scalay_alloc(comm, INT64_MAX / 4, &array), SCALAY_ERROR_MEMORY);
    CHECK(array == NULL && scalay_arrays_live() == 0);
    scalay_comm_destroy(&comm);
}

static void one_rank_without_memory_fails_all(scalay_node_limits limits)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    scalay_node_limit(limits);
    for (int n = 1; status != SCALAY_SUCCESS && n < 100; n++) {
        void *array = NULL;
        scalay_comm *comm = new_comm(MPI_COMM_WORLD);
        if (comm->rank == comm->size - 1) scalay_memory_fail_at(n);
        status = scalay_alloc(comm, 8, &array);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        CHECK_STATUS(scalay_comm_agree_value(comm, (uint64_t)status, "f", "the status"), SCALAY_SUCCESS);
        CHECK((array != NULL) == (status == SCALAY_SUCCESS));
        scalay_free(&array);
        scalay_comm_destroy(&comm);
        CHECK(scalay_memory_live() == 0);
    }
    CHECK(status == SCALAY_SUCCESS);
    scalay_node_limit((scalay_node_limits){0});
}

/* Open MPI has some 65,000 communicators to give, and a process some 1000 files: a leak of one per turn shows. */
static void arrays_can_be_made_for_ever(int turns)
{
    int64_t files = 0;
    scalay_comm *comm = new_comm(MPI_COMM_WORLD);
    for (int k = 0; k < turns; k++) {
        void *array = NULL;
        if (!CHECK_STATUS(scalay_alloc(comm, 100000, &array), SCALAY_SUCCESS)) break;
        scalay_free(&array);
        if (k == 0) files = descriptors_open();
    }
    CHECK(descriptors_open() <= files);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Comm turned;
    MPI_Init(&argc, &argv);
    const scalay_node_limits none = {0}, ordinary = {.no_windows = 1}, pairs = {.ranks = 2};
    arrays_are_zeroed_and_aligned(none);
    arrays_are_zeroed_and_aligned(ordinary);
    arrays_are_zeroed_and_aligned(pairs);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() % 2, -check_rank(), &turned);
    const int64_t sizes[] = {8, 3000017}; /* the second one may have huge pages */
    for (int k = 0; k < 2; k++) {
        peers_see_what_is_written_on_another_communicator(MPI_COMM_WORLD, sizes[k]);
        peers_see_what_is_written_on_another_communicator(turned, sizes[k]);
    }
    MPI_Comm_free(&turned);
    bad_arguments_are_refused();
    one_rank_without_memory_fails_all(none);
    one_rank_without_memory_fails_all(ordinary);
    arrays_can_be_made_for_ever(argc > 1 ? 70000 : 20 + 400 / check_size());
    return check_verdict();
}
