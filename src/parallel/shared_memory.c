/* Shared memory: windows (one segment per rank of a node) and the arrays of scalay_alloc().

   Where small pages are slow, a window that is used as a whole is a file that the first rank creates and all map
   (base/memory_file.h). It has huge pages, unless it is small and they may have to come from the host of a virtual
   machine. Otherwise, and if a rank cannot map the file, the window is an MPI shared memory window. Segments are page-
   aligned. Linux kills a process that touches tmpfs memory for which there is no space, so a window is created only if
   /dev/shm has twice the required space. An array of scalay_alloc() is a window, or ordinary memory if there is no
   shared memory. */
#define _POSIX_C_SOURCE 200809L
#include "parallel/shared_memory.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/memory_file.h"
#include "parallel/comm.h"
#include "parallel/node.h"

enum { ALIGNMENT = 64, PAGE = 4096 };

/* Smaller windows have small pages. */
enum { LEAST_MAPPED = 256 << 10 };

/* What a rank tells the others before a window is created. */
struct scalay_shared_part {
    int64_t bytes;           /* of its segment */
    scalay_memory_file file; /* of the first rank */
};

/* ---------------------------------------------------------------------------------------------- windows */

int64_t scalay_shared_space(void)
{
    struct statvfs file_system;
    if (statvfs("/dev/shm", &file_system) != 0) return INT64_MAX;
    return (int64_t)fmin((double)file_system.f_bavail * (double)file_system.f_frsize, (double)((int64_t)1 << 60));
}

/* Returns the address of a segment from the base address of MPI. Segments are mapped at page boundaries, so each
   process computes the same distance. */
static char *align(char *base)
{
    return base + (ALIGNMENT - (uintptr_t)base % ALIGNMENT) % ALIGNMENT;
}

static scalay_status query_segments(scalay_shared_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < window->size; k++) {
        MPI_Aint size = 0;
        int unit = 0;
        char *base = NULL;
        SCALAY_TRY_MPI(MPI_Win_shared_query(window->win, k, &size, &unit, &base));
        window->segment[k] = align(base);
    }
cleanup:
    return status;
}

/* Bytes of the segment of a rank in a file: whole pages. */
static int64_t segment_bytes(const scalay_shared_window *window, int rank)
{
    return scalay_ceil_div(window->part[rank].bytes, PAGE) * PAGE;
}

/* Gives the pages of a window of so many bytes: each rank those of its segment, or the huge ones that begin there. */
static void fill_segment(const scalay_shared_window *window, int64_t bytes)
{
    char *const own = window->segment[window->rank];
    const int64_t own_bytes = segment_bytes(window, window->rank), at = own - window->mapped;
    if (scalay_prefers_small_pages(scalay_memory_page_seconds(), (double)bytes)) {
        scalay_memory_populate(own, own_bytes);
        return;
    }
    const int64_t first = scalay_round_to_huge_pages(at), end = scalay_round_to_huge_pages(at + own_bytes);
    scalay_memory_file_fill(window->mapped + first, end - first);
}

/* Maps so many bytes of the file of the first rank. */
static int map_segments(scalay_shared_window *window, int64_t bytes)
{
    const int64_t mapped_bytes = scalay_round_to_huge_pages(bytes);
    window->mapped = scalay_memory_file_map(&window->part[0].file, mapped_bytes);
    if (window->mapped == NULL) return 0;
    window->mapped_bytes = mapped_bytes;
    window->segment[0] = window->mapped;
    for (int k = 1; k < window->size; k++) window->segment[k] = window->segment[k - 1] + segment_bytes(window, k - 1);
    fill_segment(window, bytes);
    return 1;
}

/* Creates the window in a file of the first rank, if that has one. The window exists on every rank or on none. */
static scalay_status allocate_in_file(MPI_Comm node, int64_t bytes, scalay_shared_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    struct scalay_shared_part own = {.bytes = bytes, .file = {.number = -1}};
    int64_t all = 0;
    int is_mapped = 0;
    window->bytes = bytes;
    if (window->rank == 0) own.file = scalay_memory_file_create();
    SCALAY_TRY_MPI(MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, window->part, (int)sizeof own, MPI_BYTE, node));
    for (int k = 0; k < window->size; k++) all += segment_bytes(window, k);
    if (window->part[0].file.number < 0 || all < LEAST_MAPPED) goto cleanup;
    is_mapped = map_segments(window, all);
    SCALAY_TRY_MPI(MPI_Allreduce(&is_mapped, &window->exists, 1, MPI_INT, MPI_MIN, node));
cleanup:
    scalay_memory_file_close(&own.file);
    if (!window->exists) {
        scalay_memory_file_unmap(window->mapped, window->mapped_bytes);
        window->mapped = NULL;
    }
    return status;
}

scalay_status scalay_shared_window_allocate(MPI_Comm node, int64_t bytes, int64_t cleared, scalay_shared_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Info info = MPI_INFO_NULL;
    char *own = NULL;
    window->bytes = bytes;
    window->mpi_failures = scalay_mpi_failures();
    SCALAY_TRY_MPI(MPI_Info_create(&info));
    SCALAY_TRY_MPI(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    window->exists =
        MPI_Win_allocate_shared((MPI_Aint)(bytes + ALIGNMENT), 1, info, node, &own, &window->win) == MPI_SUCCESS;
    if (!window->exists) goto cleanup;
    MPI_Win_set_errhandler(window->win, MPI_ERRORS_RETURN);
    SCALAY_TRY(query_segments(window));
    scalay_memory_populate(window->segment[window->rank], cleared);
    memset(window->segment[window->rank], 0, (size_t)cleared);
cleanup:
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    return status;
}

scalay_status scalay_shared_window_prepare(MPI_Comm node, scalay_shared_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    *window = (scalay_shared_window){0};
    MPI_Comm_size(node, &window->size);
    MPI_Comm_rank(node, &window->rank);
    SCALAY_TRY(SCALAY_NEW(window->segment, window->size));
    SCALAY_TRY(SCALAY_NEW(window->part, window->size));
cleanup:
    return status;
}

/* Returns 1 on all ranks if all tables are allocated and twice the required space is available, else 0 on all. */
static scalay_status check_space(MPI_Comm node, int64_t bytes, int is_ready, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    double total = (double)bytes;
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, node));
    *fits = is_ready && total < (double)scalay_shared_space() / 2.0;
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, fits, 1, MPI_INT, MPI_MIN, node));
cleanup:
    return status;
}

scalay_status scalay_shared_window_create(MPI_Comm node, int64_t bytes, int64_t cleared, scalay_shared_window *window)
{
    scalay_status status = SCALAY_SUCCESS, allocated = scalay_shared_window_prepare(node, window);
    int fits = 0, all_exist = 0;
    if (window->size == 1) goto cleanup;
    SCALAY_TRY(check_space(node, bytes, allocated == SCALAY_SUCCESS, &fits));
    SCALAY_TRY(allocated);
    if (!fits) goto cleanup;
    SCALAY_TRY(allocate_in_file(node, bytes, window));
    if (window->exists) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_shared_window_allocate(node, bytes, cleared, window));
    if (window->exists) scalay_memory_populate(window->segment[window->rank] + cleared, bytes - cleared);
    SCALAY_TRY_MPI(MPI_Allreduce(&window->exists, &all_exist, 1, MPI_INT, MPI_MIN, node));
    window->exists = all_exist; /* a window that exists on some ranks only cannot be freed; it is lost */
cleanup:
    if (!window->exists) scalay_shared_window_free(window);
    return status;
}

void scalay_shared_window_free(scalay_shared_window *window)
{
    const int is_by_mpi = window->exists && window->mapped == NULL;
    if (is_by_mpi && window->mpi_failures == scalay_mpi_failures()) MPI_Win_free(&window->win);
    scalay_shared_window_abandon(window);
}

void scalay_shared_window_abandon(scalay_shared_window *window)
{
    scalay_release(window->part);
    scalay_release(window->segment);
    scalay_memory_file_unmap(window->mapped, window->mapped_bytes);
    *window = (scalay_shared_window){0};
}

/* ----------------------------------------------------------------------------------------------- arrays */

typedef struct array_entry {
    char *array;
    int64_t bytes;
    uint64_t id;                 /* 0: ordinary memory */
    scalay_shared_window window; /* if id is not 0 */
    int64_t *tokens;             /* shape [window.size]: of the processes that have a part */
    char *ordinary;              /* start of the ordinary memory, or NULL */
    struct array_entry *next;
} array_entry;

/* All arrays of the process; owned by scalay_alloc() and scalay_free(), protected by the lock. */
static array_entry *arrays;
static int64_t arrays_created;
static atomic_flag arrays_lock = ATOMIC_FLAG_INIT;

static void lock_arrays(void)
{
    while (atomic_flag_test_and_set_explicit(&arrays_lock, memory_order_acquire)) continue;
}

static void unlock_arrays(void)
{
    atomic_flag_clear_explicit(&arrays_lock, memory_order_release);
}

int scalay_arrays_live(void)
{
    int live = 0;
    lock_arrays();
    for (const array_entry *entry = arrays; entry != NULL; entry = entry->next) live++;
    unlock_arrays();
    return live;
}

static int contains(const array_entry *entry, uintptr_t first, int64_t bytes)
{
    const uintptr_t begin = (uintptr_t)entry->array;
    return entry->id != 0 && first >= begin && first + (uintptr_t)bytes <= begin + (uintptr_t)entry->bytes;
}

scalay_array_location scalay_array_find(const char *start, int64_t bytes)
{
    scalay_array_location location = {0};
    lock_arrays();
    const array_entry *entry = arrays;
    while (entry != NULL && !contains(entry, (uintptr_t)start, bytes)) entry = entry->next;
    if (entry != NULL) location = (scalay_array_location){entry->id, entry->window.rank, start - entry->array};
    unlock_arrays();
    return location;
}

/* The caller holds the lock. */
static const array_entry *find_entry(uint64_t id)
{
    const array_entry *entry = arrays;
    while (entry != NULL && entry->id != id) entry = entry->next;
    return id != 0 ? entry : NULL;
}

char *scalay_array_locate(scalay_array_location location)
{
    lock_arrays();
    const array_entry *entry = find_entry(location.array);
    char *address = entry != NULL ? entry->window.segment[location.owner] + location.offset : NULL;
    unlock_arrays();
    return address;
}

int scalay_array_is_known_to(scalay_array_location location, int64_t token)
{
    int is_known = 0;
    lock_arrays();
    const array_entry *entry = find_entry(location.array);
    for (int k = 0; entry != NULL && k < entry->window.size; k++) is_known |= entry->tokens[k] == token;
    unlock_arrays();
    return is_known;
}

static void free_entry(array_entry *entry)
{
    scalay_shared_window_free(&entry->window);
    scalay_release(entry->tokens);
    scalay_release(entry->ordinary);
    scalay_release(entry);
}

/* The first rank of the node names the array by the token of its process and the number of arrays so far. */
static scalay_status name_array(const scalay_node *node, array_entry *entry)
{
    scalay_status status = SCALAY_SUCCESS;
    uint64_t id = scalay_fingerprint_add(scalay_fingerprint_start(), scalay_process_token());
    lock_arrays();
    id = scalay_fingerprint_add(id, ++arrays_created) | 1;
    unlock_arrays();
    SCALAY_TRY_MPI(MPI_Bcast(&id, 1, MPI_UINT64_T, 0, node->mpi));
    entry->id = id;
    entry->array = entry->window.segment[node->rank];
    for (int k = 0; k < node->size; k++) entry->tokens[k] = node->members[k].token;
cleanup:
    return status;
}

static scalay_status allocate_ordinary(array_entry *entry)
{
    scalay_status status = SCALAY_SUCCESS;
    if (entry->bytes > INT64_MAX - ALIGNMENT) return scalay_no_memory("scalay_alloc", "the array", entry->bytes, 1);
    SCALAY_TRY(SCALAY_NEW(entry->ordinary, entry->bytes + ALIGNMENT));
    const uintptr_t excess = (uintptr_t)entry->ordinary % ALIGNMENT;
    entry->array = entry->ordinary + (excess > 0 ? ALIGNMENT - excess : 0);
cleanup:
    return status;
}

static scalay_status check_arguments(int64_t bytes, void **array)
{
    if (bytes < 0 && array != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_alloc", "bytes is %lld; it must be at least 0",
                           (long long)bytes);
    return scalay_check_not_null(array, "scalay_alloc", "array");
}

static scalay_status new_entry(const scalay_node *node, int64_t bytes, array_entry **entry)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*entry, 1));
    (*entry)->bytes = bytes;
    SCALAY_TRY(SCALAY_NEW((*entry)->tokens, node->size));
cleanup:
    return status;
}

scalay_status scalay_alloc(scalay_comm *comm, int64_t bytes, void **array)
{
    array_entry *entry = NULL;
    if (array != NULL) *array = NULL;
    scalay_status status = scalay_check_not_null(comm, __func__, "comm");
    if (status != SCALAY_SUCCESS) return status;
    SCALAY_TRY(scalay_node_probe(comm));
    const scalay_node *node = comm->node;
    status = check_arguments(bytes, array);
    if (status == SCALAY_SUCCESS) status = new_entry(node, bytes, &entry);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    if (node->has_windows) status = scalay_shared_window_create(node->mpi, bytes, bytes, &entry->window);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    status = entry->window.exists ? name_array(node, entry) : allocate_ordinary(entry);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    lock_arrays();
    entry->next = arrays;
    arrays = entry;
    unlock_arrays();
    *array = entry->array;
    entry = NULL;
cleanup:
    if (entry != NULL) free_entry(entry);
    return status;
}

void scalay_free(void **array)
{
    if (array == NULL || *array == NULL) return;
    lock_arrays();
    array_entry **link = &arrays;
    while (*link != NULL && (*link)->array != *array) link = &(*link)->next;
    array_entry *entry = *link;
    if (entry != NULL) *link = entry->next;
    unlock_arrays();
    *array = NULL;
    if (entry != NULL) free_entry(entry);
}
