#define _POSIX_C_SOURCE 200809L
#include "parallel/segments.h"

#include <string.h>
#include <sys/statvfs.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/comm.h"

enum { ALIGNMENT = 64 };

/* Memory that is promised but not there kills who touches it: there must be twice as much as is asked for. Where MPI
   has its windows elsewhere, it has to know. */
static int has_room(int64_t bytes)
{
    struct statvfs file_system;
    if (statvfs("/dev/shm", &file_system) != 0) return 1;
    return (int64_t)file_system.f_bavail > bytes / (int64_t)file_system.f_frsize * 2;
}

/* 1 on all ranks, or 0 on all. */
static scalay_status all_agree(MPI_Comm node, int mine, int *all)
{
    return scalay_mpi_check(MPI_Allreduce(&mine, all, 1, MPI_INT, MPI_MIN, node), __func__, "MPI_Allreduce");
}

static scalay_status check_room(MPI_Comm node, int64_t bytes, int allocated, int *all)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t total = 0;
    const int64_t mine = scalay_min_int64(bytes, (int64_t)1 << 46); /* more than there is, and sums do not overflow */
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &total, 1, MPI_INT64_T, MPI_SUM, node));
    SCALAY_TRY(all_agree(node, allocated && has_room(total), all));
cleanup:
    return status;
}

/* A window that some ranks have and others have not cannot be freed; it stays. */
static scalay_status make(MPI_Comm node, int64_t bytes, scalay_segments *window, char **own)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Info info = MPI_INFO_NULL;
    SCALAY_TRY_MPI(MPI_Info_create(&info));
    SCALAY_TRY_MPI(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    const int code = MPI_Win_allocate_shared((MPI_Aint)(bytes + ALIGNMENT), 1, info, node, own, &window->win);
    SCALAY_TRY(all_agree(node, code == MPI_SUCCESS, &window->made));
cleanup:
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    return status;
}

/* Each rank says how far its segment is from where MPI has it, and has touched it by then. */
static scalay_status find_segments(MPI_Comm node, char *own, scalay_segments *window, int *padding)
{
    scalay_status status = SCALAY_SUCCESS;
    const int mine = (int)((ALIGNMENT - (uintptr_t)own % ALIGNMENT) % ALIGNMENT);
    memset(own + mine, 0, (size_t)window->bytes);
    MPI_Win_set_errhandler(window->win, MPI_ERRORS_RETURN);
    SCALAY_TRY_MPI(MPI_Allgather(&mine, 1, MPI_INT, padding, 1, MPI_INT, node));
    for (int k = 0; k < window->size; k++) {
        MPI_Aint size = 0;
        int unit = 0;
        char *base = NULL;
        SCALAY_TRY_MPI(MPI_Win_shared_query(window->win, k, &size, &unit, &base));
        window->segment[k] = base + padding[k];
    }
cleanup:
    return status;
}

scalay_status scalay_segments_create(MPI_Comm node, int64_t bytes, scalay_segments *window)
{
    scalay_status status = SCALAY_SUCCESS, allocated = SCALAY_SUCCESS;
    char *own = NULL;
    int *padding = NULL, room = 0;
    *window = (scalay_segments){.bytes = bytes};
    MPI_Comm_size(node, &window->size);
    MPI_Comm_rank(node, &window->rank);
    if (window->size == 1) goto cleanup;
    allocated = SCALAY_NEW(window->segment, window->size);
    if (allocated == SCALAY_SUCCESS) allocated = SCALAY_NEW(padding, window->size);
    SCALAY_TRY(check_room(node, bytes, allocated == SCALAY_SUCCESS, &room));
    SCALAY_TRY(allocated);
    if (!room) goto cleanup;
    SCALAY_TRY(make(node, bytes, window, &own));
    if (window->made) SCALAY_TRY(find_segments(node, own, window, padding));
cleanup:
    scalay_release(padding);
    if (!window->made) scalay_segments_free(window);
    return status;
}

void scalay_segments_free(scalay_segments *window)
{
    scalay_release(window->segment);
    if (window->made) MPI_Win_free(&window->win);
    *window = (scalay_segments){0};
}
