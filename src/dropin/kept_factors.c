/* Moved copies of matrices that are kept for later calls, and found by a checksum of the matrix. */
#include "dropin/kept_factors.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/blacs.h"

enum { MAX_KEPT = 32, LANES = 8 };

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

/* For each word, different states stay different, and so do different words of one state. The rotation lets the highest
 * bits, such as signs, reach all others. */
static inline uint64_t mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * 0x9e3779b97f4a7c15u;
    return state << 29 | state >> 35;
}

/* Adds bytes to the lanes, which run side by side. */
static void add_bytes(uint64_t *lane, const unsigned char *bytes, size_t count)
{
    uint64_t word[LANES];
    size_t at = 0;
    for (; at + sizeof word <= count; at += sizeof word) {
        memcpy(word, bytes + at, sizeof word);
        for (int k = 0; k < LANES; k++) lane[k] = mix(lane[k], word[k]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, bytes + at, count - at);
    for (int k = 0; k < LANES && at < count; k++) lane[k] = mix(lane[k], word[k]);
}

uint64_t scalay_kept_checksum(const void *array, size_t element_size, const scalay_submatrix *s)
{
    const int *d = s->desc;
    scalay_call_matrix place = {.member = 1,
                                .m = d[M_],
                                .n = d[N_],
                                .mb = d[MB_],
                                .nb = d[NB_],
                                .rsrc = d[RSRC_],
                                .csrc = d[CSRC_],
                                .lld = d[LLD_],
                                .i = *s->i,
                                .j = *s->j};
    Cblacs_gridinfo(d[CTXT_], &place.nprow, &place.npcol, &place.myrow, &place.mycol);
    const scalay_local_window w = scalay_local_window_of(&place, s->m, s->n);
    uint64_t lane[LANES], sum = (uint64_t)w.row_end - (uint64_t)w.row;
    for (int k = 0; k < LANES; k++) lane[k] = mix(0, (uint64_t)k + 1);
    for (int64_t col = w.col; col < w.col_end && w.row < w.row_end; col++)
        add_bytes(lane, (const unsigned char *)array + (size_t)(w.row + col * place.lld) * element_size,
                  (size_t)(w.row_end - w.row) * element_size);
    for (int k = 0; k < LANES; k++) sum = mix(mix(sum, lane[k]), lane[k] >> 32);
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
    free(f->copy);
    f->copy = NULL;
}

void *scalay_kept_take(scalay_comm *comm, scalay_kept_key *key)
{
    kept_factor *found = NULL;
    const MPI_Comm mpi = scalay_comm_handle(comm);
    key->checksum = mix(mix(0, (uint64_t)scalay_comm_rank(comm) + 1), key->checksum);
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
            free(copy);
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

void scalay_kept_release(void)
{
    for (int k = 0; k < MAX_KEPT; k++) free_factor(&kept[k]);
}
