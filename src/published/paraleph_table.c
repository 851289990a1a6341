/* Algorithm 6 of Lastovetsky and Reddy Manumachu (2018), repaired: lines 11 and 13 read Psi(I) as dpt(I, 1), which on
 * all ranks but 0 is another column; the function itself is read here. Algorithm 3, line 4: there are p / q columns,
 * not n / q, and dpt(v, 1) is infinite for v > m, which is never set. F is the maximum for the time, not the minimum.
 */
#include "published/paraleph_table.h"

#include "base/integer.h"
#include "base/memory.h"

static int64_t value_of(const scalay_paraleph_table *table, int64_t size)
{
    return size <= table->largest ? table->value[size] : SCALAY_NO_VALUE;
}

static int64_t *column(const scalay_paraleph_table *table, int64_t h)
{
    return h < table->first ? table->left : table->cells + (h - table->first) * (table->n + 1);
}

scalay_status scalay_paraleph_table_allocate(scalay_paraleph_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t columns = scalay_max_int64(table->last - table->first + 1, 0);
    SCALAY_TRY(SCALAY_NEW(table->cells, columns * (table->n + 1)));
    SCALAY_TRY(SCALAY_NEW(table->choice, columns * (table->n + 1)));
    SCALAY_TRY(SCALAY_NEW(table->left, table->n + 1));
    for (int64_t h = table->first - 1; h < table->first + columns; h++) column(table, h)[1] = value_of(table, 1);
cleanup:
    return status;
}

void scalay_paraleph_table_free(scalay_paraleph_table *table)
{
    scalay_release(table->cells);
    scalay_release(table->choice);
    scalay_release(table->left);
    *table = (scalay_paraleph_table){0};
}

/* The best of giving the h-th processor nothing, or I units. */
static int64_t best_of(const scalay_paraleph_table *table, const int64_t *before, int64_t v, int32_t *choice)
{
    const int64_t *value = table->value;
    const int64_t most = scalay_min_int64(table->largest, v - 1);
    int64_t best = before[v];
    int64_t size = 0;
    if (table->sums) {
        for (int64_t i = 1; i <= most; i++) {
            int64_t sum = value[i] + before[v - i];
            if (sum < best) {
                best = sum;
                size = i;
            }
        }
    } else {
        for (int64_t i = 1; i <= most; i++) {
            int64_t larger = value[i] > before[v - i] ? value[i] : before[v - i];
            if (larger < best) {
                best = larger;
                size = i;
            }
        }
    }
    *choice = (int32_t)size;
    return best;
}

void scalay_paraleph_table_compute(scalay_paraleph_table *table, int64_t diagonal)
{
    const int64_t begin = scalay_max_int64(table->first, diagonal - table->n);
    const int64_t end = scalay_min_int64(table->last, diagonal - 2);
#if defined(_OPENMP)
#pragma omp for schedule(static)
#endif
    for (int64_t h = begin; h <= end; h++) {
        const int64_t v = diagonal - h;
        int32_t *choice = &table->choice[(h - table->first) * (table->n + 1) + v];
        column(table, h)[v] = h == 1 ? value_of(table, v) : best_of(table, column(table, h - 1), v, choice);
    }
}

int64_t scalay_paraleph_table_get(const scalay_paraleph_table *table, int64_t v, int64_t h)
{
    return column(table, h)[v];
}
