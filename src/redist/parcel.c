#include "redist/side.h"

static int64_t column_offset(const scalay_block *block, int64_t place)
{
    return block->offset + place * block->ld;
}

void scalay_parcel_pack(const scalay_parcel *parcel, const scalay_copier *copier, const char *array, char *packed)
{
    const size_t size = copier->size;
    for (const scalay_block *block = parcel->blocks; block < parcel->blocks + parcel->count; block++)
        for (const scalay_run *run = block->cols; run < block->cols + block->col_runs; run++)
            for (int64_t j = 0; j < run->count; j++) {
                const char *column = array + column_offset(block, run->place_a + j) * (int64_t)size;
                packed = copier->gather(size, block->rows, block->row_runs, column, packed);
            }
}

void scalay_parcel_unpack(const scalay_parcel *parcel, const scalay_copier *copier, const char *packed, char *array)
{
    const size_t size = copier->size;
    for (const scalay_block *block = parcel->blocks; block < parcel->blocks + parcel->count; block++)
        for (const scalay_run *run = block->cols; run < block->cols + block->col_runs; run++)
            for (int64_t j = 0; j < run->count; j++) {
                char *column = array + column_offset(block, run->place_a + j) * (int64_t)size;
                packed = copier->scatter(size, block->rows, block->row_runs, packed, column);
            }
}

/* The k-th blocks of both sides hold the same elements; the runs of `from` tell both places. */
static void copy_block(const scalay_block *from, const scalay_block *to, const scalay_copier *copier,
                       const char *source, char *target)
{
    const int64_t size = (int64_t)copier->size;
    for (const scalay_run *run = from->cols; run < from->cols + from->col_runs; run++)
        for (int64_t j = 0; j < run->count; j++)
            copier->copy(copier->size, from->rows, from->row_runs,
                         source + column_offset(from, run->place_a + j) * size,
                         target + column_offset(to, run->place_b + j) * size);
}

void scalay_side_copy_kept(const scalay_side *from, const scalay_side *to, const scalay_copier *copier,
                           const char *source, char *target)
{
    for (int64_t k = 0; k < from->kept.count; k++)
        copy_block(&from->kept.blocks[k], &to->kept.blocks[k], copier, source, target);
}
