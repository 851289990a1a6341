/* Plans that are kept between calls; see the header. Least recently used plans are destroyed first.

   Caches of the same processes in another order are freed, least recently used first, when more than MAX_ORDERS exist.
   All their processes take part in that call. A program that creates and leaves many contexts therefore does not
   grow. */
#include "dropin/plan_cache.h"

#include <stdlib.h>
#include <string.h>

#include "dropin/kept_factors.h"
#include "dropin/moved_target.h"
#include "parallel/blacs.h"
#include "scalay/context.h"

enum { MAX_ORDERS = 4 };

static int record_key = MPI_KEYVAL_INVALID;
static int program_key = MPI_KEYVAL_INVALID;
static scalay_plan_cache *newest;
static scalay_context_record *records;
static int64_t calls; /* of the process */

/* --------------------------------------------------------------------------------------------- release */

static void destroy_plans(scalay_plan_cache *cache)
{
    for (int k = 0; k < cache->capacity; k++) scalay_plan_destroy(&cache->entries[k].plan);
    for (int k = 0; k < SCALAY_MAX_TARGETS; k++) {
        scalay_moved_target_destroy(cache->targets[k]);
        cache->targets[k] = NULL;
    }
    scalay_kept_forget(cache->comm);
}

/* Local, after MPI_Finalize. Before, collective over the processes of the cache. */
static void free_cache(scalay_plan_cache *cache)
{
    scalay_partition_destroy(&cache->partition);
    scalay_profile_destroy(&cache->profile);
    scalay_comm_destroy(&cache->comm);
    free(cache);
}

/* Collective over the processes of the cache. */
static void destroy_cache(scalay_plan_cache *cache)
{
    scalay_plan_cache **link = &newest;
    while (*link != cache) link = &(*link)->older;
    *link = cache->older;
    for (scalay_context_record *record = records; record != NULL; record = record->next)
        if (record->cache == cache) record->cache = NULL;
    destroy_plans(cache);
    free_cache(cache);
}

void scalay_plan_caches_release(void)
{
    while (newest != NULL) destroy_cache(newest);
}

/* Called by MPI when the communicator of a context is freed. Local. */
static int delete_record(MPI_Comm mpi, int key, void *attribute, void *extra)
{
    (void)mpi, (void)key, (void)extra;
    scalay_context_record **link = &records;
    while (*link != NULL && *link != attribute) link = &(*link)->next;
    if (*link != NULL) *link = (*link)->next;
    free(attribute);
    return MPI_SUCCESS;
}

/* After MPI_Finalize, scalay_comm_destroy() frees local memory only. */
static void free_after_mpi(void)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    while (finalized && newest != NULL) {
        scalay_plan_cache *cache = newest;
        newest = cache->older;
        free_cache(cache);
    }
}

/* Called by MPI_Finalize. Local: other processes may have ended in another way. */
static int end_program(MPI_Comm self, int key, void *attribute, void *extra)
{
    (void)self, (void)key, (void)attribute, (void)extra;
    for (scalay_plan_cache *cache = newest; cache != NULL; cache = cache->older) destroy_plans(cache);
    return MPI_SUCCESS;
}

static int create_keys(void)
{
    if (record_key != MPI_KEYVAL_INVALID) return MPI_SUCCESS;
    (void)atexit(free_after_mpi);
    int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_record, &record_key, NULL);
    if (code == MPI_SUCCESS) code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_program, &program_key, NULL);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_attr(MPI_COMM_SELF, program_key, NULL);
    return code;
}

/* ---------------------------------------------------------------------------------------------- records */

/* Finds the cache of the processes of a communicator, in its order. Local. */
static scalay_plan_cache *find_cache(MPI_Comm mpi)
{
    for (scalay_plan_cache *cache = newest; cache != NULL; cache = cache->older) {
        int relation = MPI_UNEQUAL;
        MPI_Comm_compare(mpi, scalay_comm_handle(cache->comm), &relation);
        if (relation == MPI_IDENT || relation == MPI_CONGRUENT) return cache;
    }
    return NULL;
}

static scalay_status create_record(MPI_Comm mpi, scalay_context_record **found)
{
    scalay_context_record *record = calloc(1, sizeof *record);
    if (record == NULL) return scalay_error_set(SCALAY_ERROR_MEMORY, "no memory for the record of a BLACS context");
    if (MPI_Comm_set_attr(mpi, record_key, record) != MPI_SUCCESS) {
        free(record);
        return scalay_error_set(SCALAY_ERROR_MPI, "MPI_Comm_set_attr failed on the communicator of a context");
    }
    record->mpi = mpi;
    record->next = records;
    records = *found = record;
    return SCALAY_SUCCESS;
}

scalay_status scalay_context_find(scalay_call *call, scalay_context_record **found)
{
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    *found = NULL;
    if (call->ctxt >= 0) Cblacs_gridinfo(call->ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1 || myrow < 0)
        return scalay_call_refuse(call, call->ctxt_position, 0,
                                  "CTXT = %d is not a BLACS context that this process is in; pass one that has all "
                                  "processes of both grids, and call it on all of its processes",
                                  call->ctxt);
    const MPI_Comm mpi = scalay_context_communicator(call->ctxt);
    int present = 0;
    if (create_keys() != MPI_SUCCESS || MPI_Comm_get_attr(mpi, record_key, (void *)found, &present) != MPI_SUCCESS)
        return scalay_error_set(SCALAY_ERROR_MPI, "the attributes of the communicator of a context cannot be used");
    if (!present) {
        const scalay_status status = create_record(mpi, found);
        if (status != SCALAY_SUCCESS) return status;
    }
    if ((*found)->cache == NULL) (*found)->cache = find_cache(mpi);
    if ((*found)->cache != NULL) (*found)->cache->used = ++calls;
    return SCALAY_SUCCESS;
}

static int has_seen(const scalay_seen_shapes *seen, uint64_t shape)
{
    const int known = seen->count < SCALAY_MAX_SEEN ? seen->count : SCALAY_MAX_SEEN;
    for (int k = 0; k < known; k++)
        if (seen->shapes[k] == shape) return 1;
    return 0;
}

static void store_shape(scalay_seen_shapes *seen, uint64_t shape)
{
    seen->shapes[seen->count++ % SCALAY_MAX_SEEN] = shape;
    if (seen->count == 2 * SCALAY_MAX_SEEN) seen->count = SCALAY_MAX_SEEN;
}

int scalay_context_is_first(scalay_context_record *record, uint64_t shape)
{
    scalay_seen_shapes *shared = record->cache != NULL ? &record->cache->seen : &record->seen;
    if (has_seen(&record->seen, shape) || has_seen(shared, shape)) return 0;
    store_shape(shared, shape);
    return 1;
}

/* The position of a call among those that stayed; -1: it has not stayed. */
static int find_stay(const scalay_kept_stays *stays, uint64_t call)
{
    const int known = stays->count < SCALAY_MAX_STAYS ? stays->count : SCALAY_MAX_STAYS;
    for (int k = 0; k < known; k++)
        if (stays->calls[k] == call) return k;
    return -1;
}

static int times_in(const scalay_kept_stays *stays, uint64_t call)
{
    const int k = find_stay(stays, call);
    return k >= 0 ? stays->times[k] : 0;
}

int scalay_context_stays(const scalay_context_record *record, uint64_t call)
{
    return times_in(&record->stays, call) + (record->cache != NULL ? times_in(&record->cache->stays, call) : 0);
}

void scalay_context_count_stay(scalay_context_record *record, uint64_t call)
{
    scalay_kept_stays *stays = record->cache != NULL ? &record->cache->stays : &record->stays;
    int k = find_stay(stays, call);
    if (k < 0) {
        k = stays->count++ % SCALAY_MAX_STAYS;
        stays->calls[k] = call;
        stays->times[k] = 0;
        if (stays->count == 2 * SCALAY_MAX_STAYS) stays->count = SCALAY_MAX_STAYS;
    }
    stays->times[k]++;
}

const scalay_kept_choice *scalay_plan_cache_choice(const scalay_plan_cache *cache, uint64_t call)
{
    for (int k = 0; k < SCALAY_MAX_CHOICES; k++)
        if (cache->choices[k].call == call) return &cache->choices[k];
    return NULL;
}

const scalay_kept_choice *scalay_plan_cache_keep_choice(scalay_plan_cache *cache, const scalay_kept_choice *choice)
{
    scalay_kept_choice *place = &cache->choices[cache->choice_count++ % SCALAY_MAX_CHOICES];
    *place = *choice;
    return place;
}

/* ----------------------------------------------------------------------------------------------- caches */

/* Frees the least recently used cache of the same processes in another order, if there are too many. All processes
   have the same such caches and used them in the same order. */
static void limit_orders(MPI_Comm mpi)
{
    scalay_plan_cache *oldest = NULL;
    int count = 0;
    for (scalay_plan_cache *cache = newest; cache != NULL; cache = cache->older) {
        int relation = MPI_UNEQUAL;
        MPI_Comm_compare(mpi, scalay_comm_handle(cache->comm), &relation);
        if (relation != MPI_SIMILAR) continue;
        count++;
        if (oldest == NULL || cache->used < oldest->used) oldest = cache;
    }
    if (count >= MAX_ORDERS) destroy_cache(oldest);
}

scalay_status scalay_plan_cache_create(scalay_call *call, scalay_context_record *record, int capacity)
{
    scalay_status status = SCALAY_SUCCESS;
    limit_orders(record->mpi);
    scalay_plan_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL) {
        (void)scalay_call_refuse(call, 0, 0, "no memory for the plans of context %d", call->ctxt);
        return SCALAY_ERROR_MEMORY;
    }
    (void)setenv("SCALAY_CALIBRATE", "off", 0); /* an unchanged program measures nothing unless told to */
    status = scalay_comm_create(record->mpi, &cache->comm);
    if (status != SCALAY_SUCCESS) {
        free(cache);
        return status;
    }
    cache->capacity = capacity;
    cache->used = ++calls;
    cache->older = newest;
    record->cache = newest = cache;
    return SCALAY_SUCCESS;
}

uint64_t scalay_plan_cache_matches(const scalay_plan_cache *cache, const scalay_call_key *key)
{
    uint64_t fitting = 0;
    for (int k = 0; k < cache->capacity; k++)
        if (cache->entries[k].plan != NULL && memcmp(&cache->entries[k].key, key, sizeof *key) == 0)
            fitting |= (uint64_t)1 << k;
    return fitting;
}

uint64_t scalay_plan_cache_in_place(const scalay_plan_cache *cache)
{
    uint64_t in_place = 0;
    for (int k = 0; k < cache->capacity; k++)
        if (cache->entries[k].plan != NULL && cache->entries[k].in_place) in_place |= (uint64_t)1 << k;
    return in_place;
}

scalay_plan_cache_entry *scalay_plan_cache_evict(scalay_plan_cache *cache)
{
    scalay_plan_cache_entry *oldest = NULL;
    for (int k = 0; k < cache->capacity; k++) {
        scalay_plan_cache_entry *entry = &cache->entries[k];
        if (oldest == NULL || (entry->plan == NULL && oldest->plan != NULL) ||
            ((entry->plan == NULL) == (oldest->plan == NULL) && entry->used < oldest->used))
            oldest = entry;
    }
    if (oldest != NULL) scalay_plan_destroy(&oldest->plan);
    return oldest;
}
