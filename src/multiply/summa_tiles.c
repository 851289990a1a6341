#include <string.h>

#include "multiply/summa_object.h"

/* Many small tiles in one gemm. They are copied to an array in which they lie as in C, and back. */

static void copy_columns(const char *from, int64_t from_ld, char *to, int64_t to_ld, const scalay_summa_tile *tile,
                         size_t size)
{
    for (int64_t k = 0; k < tile->cols; k++)
        memcpy(to + (size_t)(k * to_ld) * size, from + (size_t)(k * from_ld) * size, (size_t)tile->rows * size);
}

static char *gathered_at(const scalay_summa *summa, const scalay_summa_call *call, const scalay_summa_tile *tile)
{
    return summa->gather + (size_t)(tile->row + tile->col * call->ld) * summa->side[0].size;
}

void scalay_summa_multiply_tiles(scalay_summa *summa, const scalay_summa_call *call, scalay_gemm_arguments *gemm,
                                 char *c)
{
    const size_t size = summa->side[0].size;
    const int is_read = !scalay_summa_is_zero(summa->type, gemm->beta);
    gemm->c = summa->gather;
    gemm->ldc = call->ld;
    for (int64_t k = call->first_tile; is_read && k < call->end_tile; k++) {
        const scalay_summa_tile *tile = &summa->tiles[k];
        copy_columns(c + (size_t)tile->offset * size, tile->ld, gathered_at(summa, call, tile), call->ld, tile, size);
    }
    summa->gemm->multiply(gemm);
    for (int64_t k = call->first_tile; k < call->end_tile; k++) {
        const scalay_summa_tile *tile = &summa->tiles[k];
        copy_columns(gathered_at(summa, call, tile), call->ld, c + (size_t)tile->offset * size, tile->ld, tile, size);
    }
}
