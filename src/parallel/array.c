#include "parallel/array.h"

#include <limits.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "parallel/node.h"

enum { ALIGNMENT = 64 };

typedef struct array_entry {
    char *array;
    int64_t bytes;
    uint64_t id;            /* 0: ordinary memory */
    scalay_segments window; /* ... then there is none */
    int64_t *tokens;        /* shape [window.size]: of the processes that have a part */
    char *ordinary;         /* where the ordinary memory begins, or NULL */
    struct array_entry *next;
} array_entry;

/* All arrays of the process; owned by scalay_alloc() and scalay_free(). */
static array_entry *arrays;
static int64_t arrays_made;

int scalay_arrays_live(void)
{
    int live = 0;
    for (const array_entry *entry = arrays; entry != NULL; entry = entry->next) live++;
    return live;
}

/* ----------------------------------------------------------------------------------------------- questions */

scalay_array_place scalay_array_find(const char *start, int64_t bytes)
{
    const uintptr_t first = (uintptr_t)start;
    for (const array_entry *entry = arrays; entry != NULL; entry = entry->next) {
        const uintptr_t begin = (uintptr_t)entry->array;
        if (entry->id == 0 || first < begin || first + (uintptr_t)bytes > begin + (uintptr_t)entry->bytes) continue;
        return (scalay_array_place){entry->id, entry->window.rank, (int64_t)(first - begin)};
    }
    return (scalay_array_place){0};
}

static const array_entry *find_entry(uint64_t id)
{
    const array_entry *entry = arrays;
    while (entry != NULL && entry->id != id) entry = entry->next;
    return id != 0 ? entry : NULL;
}

char *scalay_array_locate(scalay_array_place place)
{
    const array_entry *entry = find_entry(place.array);
    return entry != NULL ? entry->window.segment[place.owner] + place.offset : NULL;
}

int scalay_array_is_known_to(scalay_array_place place, int64_t token)
{
    const array_entry *entry = find_entry(place.array);
    for (int k = 0; entry != NULL && k < entry->window.size; k++)
        if (entry->tokens[k] == token) return 1;
    return 0;
}

/* ------------------------------------------------------------------------------------------ making and freeing */

static void free_entry(array_entry *entry)
{
    scalay_segments_free(&entry->window);
    scalay_release(entry->tokens);
    scalay_release(entry->ordinary);
    scalay_release(entry);
}

/* The first rank of the node names the array: by its process' token and by how many there were before. */
static scalay_status name_array(const scalay_node *node, array_entry *entry)
{
    scalay_status status = SCALAY_SUCCESS;
    uint64_t id = scalay_fingerprint_add(scalay_fingerprint_start(), scalay_process_token());
    id = scalay_fingerprint_add(id, ++arrays_made) | 1;
    SCALAY_TRY_MPI(MPI_Bcast(&id, 1, MPI_UINT64_T, 0, node->mpi));
    entry->id = id;
    entry->array = entry->window.segment[node->rank];
    for (int k = 0; k < node->size; k++) entry->tokens[k] = node->members[k].token;
cleanup:
    return status;
}

static scalay_status take_ordinary(array_entry *entry)
{
    scalay_status status = SCALAY_SUCCESS;
    if (entry->bytes > INT64_MAX - ALIGNMENT) return scalay_no_memory("scalay_alloc", "the array", entry->bytes, 1);
    SCALAY_TRY(SCALAY_NEW(entry->ordinary, entry->bytes + ALIGNMENT));
    const uintptr_t over = (uintptr_t)entry->ordinary % ALIGNMENT;
    entry->array = entry->ordinary + (over > 0 ? ALIGNMENT - over : 0);
cleanup:
    return status;
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

static scalay_status check_arguments(int64_t bytes, void **array)
{
    if (array == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_alloc", "array is NULL; pass the address of a pointer");
    if (bytes < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_alloc", "bytes = %lld is negative; pass 0 or more",
                           (long long)bytes);
    return SCALAY_SUCCESS;
}

scalay_status scalay_alloc(scalay_comm *comm, int64_t bytes, void **array)
{
    scalay_status status = SCALAY_SUCCESS;
    array_entry *entry = NULL;
    if (array != NULL) *array = NULL;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    SCALAY_TRY(scalay_comm_agree(comm, check_arguments(bytes, array)));
    SCALAY_TRY(scalay_node_probe(comm));
    const scalay_node *node = comm->node;
    SCALAY_TRY(scalay_comm_agree(comm, new_entry(node, bytes, &entry)));
    if (node->has_windows) status = scalay_segments_create(node->mpi, bytes, &entry->window);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    if (entry->window.made) SCALAY_TRY(name_array(node, entry));
    SCALAY_TRY(scalay_comm_agree(comm, entry->window.made ? SCALAY_SUCCESS : take_ordinary(entry)));
    entry->next = arrays;
    arrays = entry;
    *array = entry->array;
    entry = NULL;
cleanup:
    if (entry != NULL) free_entry(entry);
    return status;
}

void scalay_free(void **array)
{
    if (array == NULL || *array == NULL) return;
    array_entry **link = &arrays;
    while (*link != NULL && (*link)->array != *array) link = &(*link)->next;
    *array = NULL;
    array_entry *entry = *link;
    if (entry == NULL) return;
    *link = entry->next;
    free_entry(entry);
}
