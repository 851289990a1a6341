/*
 * Cache of a communicator. The objects form an array in which the most recently used object is the last one.
 */

#include "parallel/cache.h"

#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"

typedef struct {
    uint64_t key, local_key;
    void *object;
    void (*destroy)(void **object);
    int64_t bytes;
    int references;
    int64_t nanoseconds; /* of the last call, if the ranks know it; otherwise 0 */
} cached_object;

struct scalay_cache {
    int count;
    cached_object entry[SCALAY_CACHE_OBJECTS];
    uint64_t last_key;        /* of the last call that said how long it took */
    int64_t last_nanoseconds; /* on this rank; 0: the ranks have compared it */
};

static void remove_entry(scalay_cache *cache, int k)
{
    cached_object old_entry = cache->entry[k];
    memmove(&cache->entry[k], &cache->entry[k + 1], (size_t)(cache->count - k - 1) * sizeof *cache->entry);
    cache->count--;
    old_entry.destroy(&old_entry.object);
}

static int find_key(const scalay_cache *cache, uint64_t key)
{
    for (int k = 0; cache != NULL && k < cache->count; k++)
        if (cache->entry[k].key == key) return k;
    return -1;
}

/* Makes an entry the most recently used one. */
static void *use(scalay_cache *cache, int k)
{
    const cached_object used = cache->entry[k];
    memmove(&cache->entry[k], &cache->entry[k + 1], (size_t)(cache->count - k - 1) * sizeof *cache->entry);
    cache->entry[cache->count - 1] = used;
    return used.object;
}

/* Keeps the time of the last call on the slowest rank. */
static void keep_time(scalay_cache *cache, int64_t nanoseconds)
{
    const int k = find_key(cache, cache->last_key);
    if (k >= 0) cache->entry[k].nanoseconds = nanoseconds;
    cache->last_nanoseconds = 0;
}

void scalay_cache_ended(scalay_comm *comm, const scalay_cache_call *call, int64_t nanoseconds)
{
    if (comm->cache == NULL) return;
    comm->cache->last_key = call->key;
    comm->cache->last_nanoseconds = nanoseconds;
}

scalay_status scalay_cache_find(scalay_comm *comm, scalay_cache_call *call, void **object)
{
    scalay_status status = SCALAY_SUCCESS;
    enum { FAILS, KEY, INVERSE, MISSES, LAST, FLAGS, NUMBERS = FLAGS + SCALAY_CACHE_FLAGS };
    uint64_t mine[NUMBERS] = {0}, largest[NUMBERS];
    scalay_cache *cache = comm->cache;
    const int k = find_key(cache, call->key);
    *object = NULL;
    call->nanoseconds = 0;
    mine[FAILS] = call->status != SCALAY_SUCCESS;
    mine[KEY] = call->status == SCALAY_SUCCESS ? call->key : 0;
    mine[INVERSE] = call->status == SCALAY_SUCCESS ? ~call->key : 0;
    mine[MISSES] = k < 0 || cache->entry[k].local_key != call->local_key;
    mine[LAST] = cache != NULL ? (uint64_t)cache->last_nanoseconds : 0;
    for (int f = 0; f < SCALAY_CACHE_FLAGS; f++) mine[FLAGS + f] = (uint64_t)call->flags[f];
    SCALAY_TRY_MPI(MPI_Allreduce(mine, largest, NUMBERS, MPI_UINT64_T, MPI_MAX, comm->mpi));
    /* Another rank may have a cache without objects where this one had no memory for it. */
    if (largest[LAST] > 0 && cache != NULL) keep_time(cache, (int64_t)largest[LAST]);
    if (largest[FAILS]) return scalay_comm_agree(comm, call->status);
    if (largest[KEY] != ~largest[INVERSE])
        return scalay_fail(
            SCALAY_ERROR_MISMATCH, call->function,
            "the ranks disagree about layouts, type, operations or options; pass the same on every rank");
    for (int f = 0; f < SCALAY_CACHE_FLAGS; f++) call->flags[f] = (int)largest[FLAGS + f];
    if (!largest[MISSES]) {
        call->nanoseconds = cache->entry[k].nanoseconds;
        cache->entry[k].nanoseconds = 0;
        *object = use(cache, k);
    } else if (k >= 0) {
        remove_entry(cache, k);
    }
cleanup:
    return status;
}

static int64_t total_bytes(const scalay_cache *cache)
{
    int64_t bytes = 0;
    for (int k = 0; k < cache->count; k++) bytes += cache->entry[k].bytes;
    return bytes;
}

void scalay_cache_keep(scalay_comm *comm, const scalay_cache_call *call, void *object, void (*destroy)(void **object),
                       int64_t bytes, int references)
{
    if (bytes > SCALAY_CACHE_BYTES ||
        scalay_comm_agree(comm, comm->cache == NULL ? SCALAY_NEW(comm->cache, 1) : SCALAY_SUCCESS) != SCALAY_SUCCESS) {
        destroy(&object);
        return;
    }
    scalay_cache *cache = comm->cache;
    while (cache->count == SCALAY_CACHE_OBJECTS ||
           (cache->count > 0 && total_bytes(cache) + bytes > SCALAY_CACHE_BYTES))
        remove_entry(cache, 0);
    cache->entry[cache->count++] = (cached_object){call->key, call->local_key, object, destroy, bytes, references, 0};
}

scalay_cache_call scalay_cache_part(const scalay_cache_call *call, int part)
{
    return (scalay_cache_call){
        .function = call->function, .key = scalay_fingerprint_add(call->key, part), .local_key = call->local_key};
}

void *scalay_cache_peek(const scalay_comm *comm, const scalay_cache_call *call)
{
    const int k = find_key(comm->cache, call->key);
    return k >= 0 ? comm->cache->entry[k].object : NULL;
}

void *scalay_cache_exchange(scalay_comm *comm, const scalay_cache_call *a, const scalay_cache_call *b)
{
    scalay_cache *cache = comm->cache;
    const int of_a = find_key(cache, a->key), of_b = find_key(cache, b->key);
    if (of_a >= 0) cache->entry[of_a].key = b->key;
    if (of_b >= 0) cache->entry[of_b].key = a->key;
    return of_b >= 0 ? cache->entry[of_b].object : NULL;
}

void scalay_cache_drop(scalay_comm *comm, const scalay_cache_call *call)
{
    const int k = find_key(comm->cache, call->key);
    if (k >= 0) remove_entry(comm->cache, k);
}

void scalay_cache_free(scalay_comm *comm)
{
    scalay_cache *cache = comm->cache;
    comm->cache = NULL;
    if (cache == NULL) return;
    while (cache->count > 0) remove_entry(cache, 0);
    scalay_release(cache);
}

int scalay_cache_references(const scalay_comm *comm)
{
    int references = 0;
    for (int k = 0; comm->cache != NULL && k < comm->cache->count; k++) references += comm->cache->entry[k].references;
    return references;
}
