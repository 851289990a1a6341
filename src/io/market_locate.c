#include "base/integer.h"
#include "base/memory.h"
#include "io/convert.h"
#include "io/market.h"

/*
 * Where the numbers are. Each rank counts those that start in its share of the bytes and keeps the count at every
 * chunk, so that the place of any one of its numbers can be found later by looking through one chunk again.
 */
typedef struct {
    const scalay_file *file;
    char *buffer;  /* file->chunk bytes: the first is the one before the chunk */
    int64_t data;  /* where the numbers begin in the file */
    int64_t begin; /* the rank's share of the bytes */
    int64_t end;
    int64_t step; /* bytes of a chunk */
    int64_t chunks;
    int64_t *counts; /* shape [chunks + 1]: numbers that start in the share before each chunk */
    int64_t before;  /* numbers of the lower ranks */
    int64_t all;     /* numbers of all ranks */
} census;

/* Reads the byte in front of a chunk and the chunk; tells the chunk's length. */
static scalay_status load_chunk(const census *counted, int64_t chunk, int64_t *length)
{
    int64_t start = counted->begin + chunk * counted->step;
    *length = scalay_min_int64(counted->step, counted->end - start);
    if (start > counted->data) return scalay_file_read(counted->file, start - 1, *length + 1, counted->buffer);
    counted->buffer[0] = '\n';
    return scalay_file_read(counted->file, start, *length, counted->buffer + 1);
}

/* The place in the chunk where its wanted-th number starts, or -1; tells how many start before it. */
static int64_t find_start(const char *buffer, int64_t length, int64_t wanted, int64_t *found)
{
    int64_t count = 0;
    int space = scalay_market_is_space(buffer[0]);
    for (int64_t k = 1; k <= length; k++) {
        int now = scalay_market_is_space(buffer[k]);
        if (space && !now && count++ == wanted) return k - 1;
        space = now;
    }
    *found = count;
    return -1;
}

static scalay_status count_share(census *counted)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(counted->counts, counted->chunks + 1));
    for (int64_t k = 0; k < counted->chunks; k++) {
        int64_t length = 0, found = 0;
        SCALAY_TRY(load_chunk(counted, k, &length));
        (void)find_start(counted->buffer, length, INT64_MAX, &found);
        counted->counts[k + 1] = counted->counts[k] + found;
    }
cleanup:
    return status;
}

static scalay_status check_total(const census *counted, const scalay_file_info *info)
{
    int64_t promised = info->m * info->n * scalay_components(info->type);
    if (counted->all == promised) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' has %lld numbers, but a %lld x %lld matrix with %d number(s) in an element has %lld; "
                       "copy or write the file again",
                       counted->file->path, (long long)counted->all, (long long)info->m, (long long)info->n,
                       scalay_components(info->type), (long long)promised);
}

static scalay_status take_census(census *counted, const scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = counted->file->comm;
    SCALAY_TRY(scalay_comm_agree(comm, count_share(counted)));
    int64_t mine = counted->counts[counted->chunks];
    SCALAY_TRY_MPI(MPI_Exscan(&mine, &counted->before, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &counted->all, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    if (comm->rank == 0) counted->before = 0; /* MPI_Exscan leaves it undefined */
    status = check_total(counted, info);
cleanup:
    return status;
}

/* The byte at which one of the rank's numbers starts; numbers are asked for in ascending order. */
static scalay_status locate_number(const census *counted, int64_t number, int64_t *chunk, int64_t *loaded,
                                   int64_t *place)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t length = 0, found = 0;
    while (counted->counts[*chunk + 1] <= number) (*chunk)++;
    length = scalay_min_int64(counted->step, counted->end - (counted->begin + *chunk * counted->step));
    if (*loaded != *chunk) SCALAY_TRY(load_chunk(counted, *chunk, &length));
    *loaded = *chunk;
    *place = counted->begin + *chunk * counted->step +
             find_start(counted->buffer, length, number - counted->counts[*chunk], &found);
cleanup:
    return status;
}

/* starts[r] for every slab r whose first number starts in this rank's share. */
static scalay_status locate_slabs(const census *counted, const scalay_slab *slab, int components, int64_t *starts)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t per_slab = slab->per_rank * slab->line * components, mine = counted->counts[counted->chunks];
    int64_t chunk = 0, loaded = -1;
    if (per_slab == 0) return SCALAY_SUCCESS;
    for (int64_t r = scalay_ceil_div(counted->before, per_slab); r < counted->file->comm->size; r++) {
        int64_t number = r * per_slab - counted->before;
        if (number >= mine) break;
        SCALAY_TRY(locate_number(counted, number, &chunk, &loaded, &starts[r]));
    }
cleanup:
    return status;
}

scalay_status scalay_market_locate(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                   char *buffer, int64_t *begin, int64_t *end)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = file->comm;
    int64_t *starts = NULL;
    int64_t bytes = file->bytes - info->data_offset, share = scalay_ceil_div(bytes, comm->size);
    int64_t mine = scalay_min_int64(bytes, comm->rank * share);
    census counted = {.file = file, .buffer = buffer, .data = info->data_offset, .step = file->chunk - 1};
    counted.begin = info->data_offset + mine;
    counted.end = info->data_offset + scalay_min_int64(bytes, mine + share);
    counted.chunks = scalay_ceil_div(counted.end - counted.begin, counted.step);

    SCALAY_TRY(take_census(&counted, info));
    status = SCALAY_NEW(starts, (int64_t)comm->size + 1);
    for (int r = 0; status == SCALAY_SUCCESS && r <= comm->size; r++) starts[r] = -1;
    if (status == SCALAY_SUCCESS) status = locate_slabs(&counted, slab, scalay_components(info->type), starts);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, starts, comm->size + 1, MPI_INT64_T, MPI_MAX, comm->mpi));
    /* Slabs without numbers start where the file ends. */
    *begin = starts[comm->rank] >= 0 ? starts[comm->rank] : file->bytes;
    *end = starts[comm->rank + 1] >= 0 ? starts[comm->rank + 1] : file->bytes;
cleanup:
    scalay_release(starts);
    scalay_release(counted.counts);
    return status;
}
