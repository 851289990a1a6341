/*
 * Slabs: a rank reads or writes one contiguous range of a file, whole rows or whole columns.
 */
#include "io/slab.h"

#include "base/integer.h"

scalay_status scalay_slab_create(const scalay_comm *comm, int64_t m, int64_t n, scalay_order order, scalay_slab *slab)
{
    int by_columns = order == SCALAY_COLUMN_MAJOR;
    int64_t lines = by_columns ? n : m;
    int64_t per_rank = scalay_max_int64(1, scalay_ceil_div(lines, comm->size));
    /* An upper bound first: rank * per_rank may not fit when the matrix has no elements and any extent. */
    int64_t first = comm->rank >= scalay_ceil_div(lines, per_rank) ? lines : comm->rank * per_rank;
    *slab = (scalay_slab){.order = order,
                          .line = by_columns ? m : n,
                          .lines = lines,
                          .per_rank = per_rank,
                          .first = first,
                          .count = scalay_min_int64(per_rank, lines - first)};
    return scalay_layout_block_cyclic(m, n, by_columns ? scalay_max_int64(1, m) : per_rank,
                                      by_columns ? per_rank : scalay_max_int64(1, n), by_columns ? 1 : comm->size,
                                      by_columns ? comm->size : 1, 0, 0, SCALAY_ROW_MAJOR, &slab->layout);
}

void scalay_slab_free(scalay_slab *slab)
{
    scalay_layout_destroy(&slab->layout);
}

int64_t scalay_slab_pieces(const scalay_slab *slab, int64_t lines, int64_t elements)
{
    if (lines == 0 || slab->line == 0) return 0;
    if (slab->line <= elements) return scalay_ceil_div(lines, elements / slab->line);
    return lines * scalay_ceil_div(slab->line, elements);
}

scalay_file_piece scalay_slab_piece(const scalay_slab *slab, int64_t elements, int64_t k)
{
    if (slab->line <= elements) {
        int64_t lines = elements / slab->line;
        return (scalay_file_piece){k * lines, scalay_min_int64(lines, slab->count - k * lines), 0, slab->line};
    }
    int64_t per_line = scalay_ceil_div(slab->line, elements);
    int64_t first = k % per_line * elements;
    return (scalay_file_piece){k / per_line, 1, first, scalay_min_int64(elements, slab->line - first)};
}

int64_t scalay_slab_piece_offset(const scalay_slab *slab, const scalay_file_piece *piece)
{
    return piece->line * slab->line + piece->first;
}
