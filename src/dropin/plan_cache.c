#include "dropin/plan_cache.h"

#include <stdlib.h>
#include <string.h>

#include "parallel/blacs.h"
#include "scalay/context.h"

static int key_of_context = MPI_KEYVAL_INVALID;
static int key_of_program = MPI_KEYVAL_INVALID;
static scalay_plan_cache *newest;

static void unlink_cache(scalay_plan_cache *kept)
{
    if (kept->newer != NULL) kept->newer->older = kept->older;
    if (kept->older != NULL) kept->older->newer = kept->newer;
    if (newest == kept) newest = kept->older;
}

static void destroy_cache(scalay_plan_cache *kept)
{
    for (int k = 0; k < kept->kept; k++) scalay_plan_destroy(&kept->slots[k].plan);
    scalay_comm_destroy(&kept->comm);
    free(kept);
}

/* Called by MPI when the communicator of a context goes. */
static int context_goes(MPI_Comm owner, int key, void *attribute, void *extra)
{
    (void)owner, (void)key, (void)extra;
    unlink_cache(attribute);
    destroy_cache(attribute);
    return MPI_SUCCESS;
}

void scalay_plan_caches_release(void)
{
    while (newest != NULL) MPI_Comm_delete_attr(newest->owner, key_of_context);
}

/* Called by MPI_Finalize. */
static int program_ends(MPI_Comm self, int key, void *attribute, void *extra)
{
    (void)self, (void)key, (void)attribute, (void)extra;
    scalay_plan_caches_release();
    return MPI_SUCCESS;
}

static int make_keys(void)
{
    if (key_of_context != MPI_KEYVAL_INVALID) return MPI_SUCCESS;
    int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, context_goes, &key_of_context, NULL);
    if (code == MPI_SUCCESS) code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, program_ends, &key_of_program, NULL);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_attr(MPI_COMM_SELF, key_of_program, NULL);
    return code;
}

/* How many plans to keep, as the environment wants it; the least of what the processes were told. */
static int plans_kept(MPI_Comm mpi)
{
    const char *text = getenv("SCALAY_SCALAPACK_PLANS");
    char *end = NULL;
    long wanted = text != NULL ? strtol(text, &end, 10) : SCALAY_DEFAULT_PLANS;
    if (text != NULL && (end == text || *end != '\0')) wanted = SCALAY_DEFAULT_PLANS;
    int mine = wanted < 0 ? 0 : wanted > SCALAY_MAX_PLANS ? SCALAY_MAX_PLANS : (int)wanted, least = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, mpi);
    return least;
}

/* libscalay keeps its allocator to itself. A process without memory lets all of them know. */
static scalay_status allocate_cache(scalay_call *call, MPI_Comm mpi, scalay_plan_cache **new_cache)
{
    *new_cache = calloc(1, sizeof **new_cache);
    int mine = *new_cache != NULL, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, mpi);
    if (all) return SCALAY_SUCCESS;
    free(*new_cache);
    *new_cache = NULL;
    (void)scalay_call_refuse(call, 0, 0, "no memory for what is kept of context %d", call->ctxt);
    return SCALAY_ERROR_MEMORY;
}

static scalay_status create_cache(scalay_call *call, MPI_Comm owner, scalay_plan_cache **found)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = NULL;
    scalay_plan_cache *new_cache = NULL;
    SCALAY_TRY(scalay_comm_create(owner, &comm));
    SCALAY_TRY(allocate_cache(call, scalay_comm_handle(comm), &new_cache));
    if (MPI_Comm_set_attr(owner, key_of_context, new_cache) != MPI_SUCCESS) {
        free(new_cache);
        status = scalay_error_set(SCALAY_ERROR_MPI, "MPI_Comm_set_attr failed on the communicator of a context");
        goto cleanup;
    }
    *new_cache = (scalay_plan_cache){
        .comm = comm, .owner = owner, .older = newest, .kept = plans_kept(scalay_comm_handle(comm))};
    comm = NULL;
    if (newest != NULL) newest->newer = new_cache;
    newest = new_cache;
    *found = new_cache;
cleanup:
    scalay_comm_destroy(&comm);
    return status;
}

scalay_status scalay_plan_cache_find(scalay_call *call, scalay_plan_cache **found)
{
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    *found = NULL;
    if (call->ctxt >= 0) Cblacs_gridinfo(call->ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1 || myrow < 0)
        return scalay_call_refuse(call, call->ctxt_position, 0,
                                  "CTXT = %d is not a BLACS context that this process is in; pass one that has all "
                                  "processes of both grids, and call it on all of its processes",
                                  call->ctxt);
    const int what = BLACS_CONTEXT_COMMUNICATOR;
    int handle = 0, present = 0;
    blacs_get_(&call->ctxt, &what, &handle);
    const MPI_Comm owner = MPI_Comm_f2c((MPI_Fint)handle);
    if (make_keys() != MPI_SUCCESS || MPI_Comm_get_attr(owner, key_of_context, (void *)found, &present) != MPI_SUCCESS)
        return scalay_error_set(SCALAY_ERROR_MPI, "the attributes of the communicator of a context cannot be used");
    return present ? SCALAY_SUCCESS : create_cache(call, owner, found);
}

uint64_t scalay_plan_cache_matches(const scalay_plan_cache *kept, const scalay_call_key *key)
{
    uint64_t fitting = 0;
    for (int k = 0; k < kept->kept; k++)
        if (kept->slots[k].plan != NULL && memcmp(&kept->slots[k].key, key, sizeof *key) == 0)
            fitting |= (uint64_t)1 << k;
    return fitting;
}

uint64_t scalay_plan_cache_in_place(const scalay_plan_cache *kept)
{
    uint64_t in_place = 0;
    for (int k = 0; k < kept->kept; k++)
        if (kept->slots[k].plan != NULL && kept->slots[k].in_place) in_place |= (uint64_t)1 << k;
    return in_place;
}

scalay_plan_cache_entry *scalay_plan_cache_evict(scalay_plan_cache *kept)
{
    scalay_plan_cache_entry *oldest = NULL;
    for (int k = 0; k < kept->kept; k++) {
        scalay_plan_cache_entry *slot = &kept->slots[k];
        if (oldest == NULL || (slot->plan == NULL && oldest->plan != NULL) ||
            ((slot->plan == NULL) == (oldest->plan == NULL) && slot->used < oldest->used))
            oldest = slot;
    }
    if (oldest != NULL) scalay_plan_destroy(&oldest->plan);
    return oldest;
}
