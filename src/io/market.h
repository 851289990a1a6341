#ifndef SCALAY_IO_MARKET_H
#define SCALAY_IO_MARKET_H

/**
 * @file
 * Matrix Market array files: a banner, comments, the extents, then the numbers by columns.
 * Source: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats, NISTIR 5935 (1996).
 */

#include "io/format.h"

#define SCALAY_MARKET_MAGIC "%%MatrixMarket"

/** scalay_format.parse: the numbers are not looked at, but there must be bytes enough for them. */
scalay_status scalay_market_parse(const scalay_file_head *head, scalay_file_info *info);

/** scalay_format.read */
scalay_status scalay_market_read(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                 scalay_type type, void *data);

/** scalay_format.write */
scalay_status scalay_market_write(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                  const void *data, int64_t *bytes);

/* ------------------------------------------------------------------------------------- between its sources */

/** 1 for what separates numbers. */
static inline int scalay_market_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/**
 * Finds the bytes of each rank's slab: the numbers are counted, in all of the file. Collective, agreed.
 * @param[in]  file, info, slab  as in scalay_format
 * @param[in]  buffer            file->chunk bytes
 * @param[out] begin, end        the rank's slab: of its first number, and of the next rank's
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (not as many numbers as promised), SCALAY_ERROR_FILE,
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_market_locate(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                   char *buffer, int64_t *begin, int64_t *end);

#endif
