/* The shares of a patch are moved by threads at once, under the thread sanitizer: that none writes where another writes
   or reads is what it sees, that all is there is compared. Threads of POSIX, which the sanitizer knows; OpenMP's own
   barriers it may not. What is written past the caches is invisible to it, so this is built without.
   redist_copier_threads [SEED [CASES]] */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redist/block_copies.h"

enum { THREADS = 4 };

typedef struct {
    const scalay_copier *copier;
    const scalay_block_copy *patch;
    int part;
} share;

static void *move_share(void *argument)
{
    const share *mine = argument;
    scalay_copier_copy_part(mine->copier, mine->patch, mine->part, THREADS);
    return NULL;
}

static int move_by_threads(const scalay_copier *copier, const scalay_block_copy *patch)
{
    pthread_t thread[THREADS];
    share shares[THREADS];
    int started = 0;
    for (; started < THREADS; started++) {
        shares[started] = (share){copier, patch, started};
        if (pthread_create(&thread[started], NULL, move_share, &shares[started]) != 0) break;
    }
    for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
    return started == THREADS;
}

/* Whether the threads moved what one moves. */
static int check(uint64_t seed)
{
    test_case c = random_case(seed);
    const size_t bytes = (size_t)c.to.elements * c.copier.size;
    char *alone = scalay_allocate(c.to.elements, c.copier.size);
    scalay_block_copy patch = {.rows = c.rows,
                               .cols = c.cols,
                               .row_runs = c.row_runs,
                               .col_runs = c.col_runs,
                               .from = c.from.end,
                               .to = c.to.end};
    memcpy(alone, c.to.bytes, bytes);
    c.copier.threads = 1;
    int good = move_by_threads(&c.copier, &patch);
    patch.to.base = alone + (patch.to.base - c.to.bytes);
    scalay_copier_copy_block(&c.copier, &patch);
    good = good && memcmp(alone, c.to.bytes, bytes) == 0;
    if (!good) printf("seed %llu: the threads did not move what one moves\n", (unsigned long long)seed);
    scalay_release(alone);
    release(&c);
    return good;
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261121;
    const uint64_t cases = argc > 2 ? strtoull(argv[2], NULL, 10) : 80;
    int good = 1;
    printf("seeds %llu .. %llu\n", (unsigned long long)first, (unsigned long long)(first + cases - 1));
    for (uint64_t k = 0; k < cases; k++) good = check(first + k) && good;
    return !good;
}
