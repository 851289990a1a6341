/* Moved copies of matrices that are kept for later calls, and found by a checksum of the matrix. */
#include "dropin/kept_factors.h"

#include <mpi.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fingerprint.h"
#include "base/kept_memory.h"
#include "parallel/blacs.h"

enum { MAX_KEPT = 32 };

typedef struct {
    void *copy; /* NULL: the entry is free */
    size_t bytes;
    scalay_comm *comm;
    scalay_kept_key key;
    int64_t used; /* number of the last call that used it */
} kept_factor;

static kept_factor kept[MAX_KEPT];
static int64_t last_call, hits;

/* ---------------------------------------------------------------------------------------------- checksum */

uint64_t scalay_kept_checksum(const void *array, size_t element_size, const scalay_submatrix *s)
{
    const scalay_local_window w = scalay_submatrix_window(s);
    const int64_t bytes = (w.row_end - w.row) * (int64_t)element_size;
    uint64_t sum = scalay_fingerprint_start();
    for (int64_t col = w.col; col < w.col_end && bytes > 0; col++) {
        const char *column = (const char *)array + (w.row + col * s->desc[LLD_]) * (int64_t)element_size;
        sum = scalay_fingerprint_add(sum, (int64_t)scalay_bytes_checksum(column, bytes));
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------------ copies */

static int is_same(const kept_factor *f, const scalay_comm *comm, const scalay_kept_key *key)
{
    return f->copy != NULL && f->comm == comm && f->key.checksum == key->checksum &&
           memcmp(f->key.facts, key->facts, sizeof key->facts) == 0;
}

static void free_factor(kept_factor *f)
{
    scalay_kept_memory_give(f->copy);
    f->copy = NULL;
}

void *scalay_kept_take(scalay_comm *comm, scalay_kept_key *key, size_t *bytes)
{
    kept_factor *found = NULL;
    const MPI_Comm mpi = scalay_comm_handle(comm);
    const uint64_t of_rank = scalay_fingerprint_add(scalay_fingerprint_start(), scalay_comm_rank(comm));
    key->checksum = scalay_fingerprint_add(of_rank, (int64_t)key->checksum);
    MPI_Allreduce(MPI_IN_PLACE, &key->checksum, 1, MPI_UINT64_T, MPI_SUM, mpi);
    for (int k = 0; k < MAX_KEPT; k++)
        if (is_same(&kept[k], comm, key)) found = &kept[k];
    int all_have = found != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, mpi);
    if (found == NULL) return NULL;
    if (!all_have) { /* another process has made room for other copies */
        free_factor(found);
        return NULL;
    }
    void *copy = found->copy;
    *bytes = found->bytes;
    found->copy = NULL;
    hits++;
    return copy;
}

void scalay_kept_put(scalay_comm *comm, const scalay_kept_key *key, void *copy, size_t bytes, int64_t limit)
{
    int64_t sum = (int64_t)bytes;
    for (int k = 0; k < MAX_KEPT; k++) sum += kept[k].copy != NULL ? (int64_t)kept[k].bytes : 0;
    for (;;) {
        kept_factor *oldest = NULL, *unused = NULL;
        for (int k = 0; k < MAX_KEPT; k++) {
            if (kept[k].copy == NULL)
                unused = &kept[k];
            else if (oldest == NULL || kept[k].used < oldest->used)
                oldest = &kept[k];
        }
        if (sum <= limit && unused != NULL) {
            *unused = (kept_factor){.copy = copy, .bytes = bytes, .comm = comm, .key = *key, .used = ++last_call};
            return;
        }
        if (oldest == NULL) {
            scalay_kept_memory_give(copy);
            return;
        }
        sum -= (int64_t)oldest->bytes;
        free_factor(oldest);
    }
}

int64_t scalay_kept_hits(void)
{
    return hits;
}

void scalay_kept_forget(const scalay_comm *comm)
{
    for (int k = 0; k < MAX_KEPT; k++)
        if (kept[k].comm == comm) free_factor(&kept[k]);
}
