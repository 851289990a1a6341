#include "redist/copier.h"

#include <string.h>

/* Up to so many bytes a call of memcpy costs more than the copy. */
enum { SHORT_RUN = 64 };

static inline void copy_run(size_t size, int64_t count, const char *from, char *to)
{
    size_t bytes = (size_t)count * size;
    if (bytes > SHORT_RUN) {
        memcpy(to, from, bytes);
        return;
    }
    for (size_t k = 0; k < bytes; k += size) memcpy(to + k, from + k, size);
}

#define SIZE 1
#define NAME(verb) verb##_1
#include "redist/copier_worker.h"
#undef SIZE
#undef NAME
#define SIZE 2
#define NAME(verb) verb##_2
#include "redist/copier_worker.h"
#undef SIZE
#undef NAME
#define SIZE 4
#define NAME(verb) verb##_4
#include "redist/copier_worker.h"
#undef SIZE
#undef NAME
#define SIZE 8
#define NAME(verb) verb##_8
#include "redist/copier_worker.h"
#undef SIZE
#undef NAME
#define SIZE 16
#define NAME(verb) verb##_16
#include "redist/copier_worker.h"
#undef SIZE
#undef NAME
#define SIZE size
#define NAME(verb) verb##_any
#include "redist/copier_worker.h"
#undef SIZE
#undef NAME

/* The last one takes every size. */
static const scalay_copier copiers[] = {
    {1, gather_1, scatter_1, copy_1}, {2, gather_2, scatter_2, copy_2},     {4, gather_4, scatter_4, copy_4},
    {8, gather_8, scatter_8, copy_8}, {16, gather_16, scatter_16, copy_16}, {0, gather_any, scatter_any, copy_any},
};

scalay_copier scalay_copier_for(size_t size)
{
    size_t k = 0;
    while (copiers[k].size != size && copiers[k].size != 0) k++;
    scalay_copier copier = copiers[k];
    copier.size = size;
    return copier;
}
