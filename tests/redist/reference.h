#ifndef SCALAY_TESTS_REDIST_REFERENCE_H
#define SCALAY_TESTS_REDIST_REFERENCE_H

/**
 * @file
 * Transport "reference", an oracle for the transports of the library. It moves element by element, by the public
 * queries of layouts and the definition of each operation alone. It does not use packages, streams and copiers. Each
 * element is sent with its indices. The receiver enumerates the elements that it expects and compares.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "redist/plan.h"

/* ------------------------------------------------------------------------------------- offsets of elements */

/* The rectangles of a process in a layout, by column and row. */
typedef struct {
    scalay_rectangle *rectangles; /* shape [count] */
    int64_t count;
    int64_t widest; /* columns of one */
} reference_table;

static inline int reference_compare(const void *left, const void *right)
{
    const scalay_rectangle *a = left, *b = right;
    if (a->col != b->col) return a->col < b->col ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static inline scalay_status reference_table_create(const scalay_layout *layout, int rank, reference_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    table->count = scalay_layout_rectangle_count(layout, rank);
    SCALAY_TRY(SCALAY_NEW(table->rectangles, table->count));
    for (int64_t k = 0; k < table->count; k++) {
        SCALAY_TRY(scalay_layout_rectangle(layout, rank, k, &table->rectangles[k]));
        table->widest = scalay_max_int64(table->widest, table->rectangles[k].cols);
    }
    qsort(table->rectangles, (size_t)table->count, sizeof *table->rectangles, reference_compare);
cleanup:
    return status;
}

/* Counts the rectangles that start at or before element (row, col), by column and row. */
static inline int64_t reference_count_before(const reference_table *table, int64_t row, int64_t col)
{
    const scalay_rectangle at = {.row = row, .col = col};
    int64_t low = 0, high = table->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (reference_compare(&table->rectangles[middle], &at) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the offset of element (row, col), -1 if no rectangle has it. Of the rectangles that start in one column, the
   last one at or above the row may have it. */
static inline int64_t reference_table_find(const reference_table *table, int64_t row, int64_t col)
{
    for (int64_t start = col; start >= 0 && start > col - table->widest;) {
        const int64_t k = reference_count_before(table, row, start) - 1;
        if (k < 0) return -1;
        const scalay_rectangle *at = &table->rectangles[k];
        const int hit = at->row <= row && row < at->row + at->rows && at->col <= col && col < at->col + at->cols;
        if (hit) return at->offset + (row - at->row) + (col - at->col) * at->ld;
        start = scalay_min_int64(at->col, start - 1);
    }
    return -1;
}

static inline void reference_table_free(reference_table *table)
{
    scalay_release(table->rectangles);
    *table = (reference_table){0};
}

/* ------------------------------------------------------------------------------------------- arithmetic */

typedef struct {
    double re, im;
} reference_number;

static inline int reference_is_single(scalay_type type)
{
    return type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
}

static inline int reference_is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

/* Rounds to the precision of the elements. For sums and products of two floats, rounding to double and then to float
   equals rounding once. */
static inline double reference_round(scalay_type type, double value)
{
    return reference_is_single(type) ? (double)(float)value : value;
}

static inline reference_number reference_load(scalay_type type, const char *from)
{
    double wide[2] = {0, 0};
    float narrow[2] = {0, 0};
    const size_t parts = reference_is_complex(type) ? 2 : 1;
    if (!reference_is_single(type)) {
        memcpy(wide, from, parts * sizeof *wide);
        return (reference_number){wide[0], wide[1]};
    }
    memcpy(narrow, from, parts * sizeof *narrow);
    return (reference_number){(double)narrow[0], (double)narrow[1]};
}

static inline void reference_store(scalay_type type, reference_number value, char *to)
{
    const double wide[2] = {value.re, value.im};
    const float narrow[2] = {(float)value.re, (float)value.im};
    memcpy(to, reference_is_single(type) ? (const void *)narrow : (const void *)wide, scalay_type_size(type));
}

static inline reference_number reference_multiply(scalay_type type, const double a[2], reference_number x)
{
    if (!reference_is_complex(type)) return (reference_number){reference_round(type, a[0] * x.re), 0.0};
    return (reference_number){
        reference_round(type, reference_round(type, a[0] * x.re) - reference_round(type, a[1] * x.im)),
        reference_round(type, reference_round(type, a[0] * x.im) + reference_round(type, a[1] * x.re)),
    };
}

/* No arithmetic, so that all other bits stay as they are. */
static inline void reference_conjugate(scalay_type type, char *element)
{
    if (type == SCALAY_COMPLEX_FLOAT) {
        float im = 0;
        memcpy(&im, element + sizeof im, sizeof im);
        im = -im;
        memcpy(element + sizeof im, &im, sizeof im);
    } else {
        double im = 0;
        memcpy(&im, element + sizeof im, sizeof im);
        im = -im;
        memcpy(element + sizeof im, &im, sizeof im);
    }
}

static inline void reference_combine(const scalay_copier *how, const char *x, char *y)
{
    if (!how->scaled) {
        memcpy(y, x, how->size);
        if (how->conjugate) reference_conjugate(how->type, y);
        return;
    }
    reference_number value = reference_load(how->type, x);
    if (how->conjugate) value.im = -value.im;
    value = reference_multiply(how->type, how->alpha, value);
    if (how->adds) {
        const reference_number more = reference_multiply(how->type, how->beta, reference_load(how->type, y));
        value = (reference_number){reference_round(how->type, value.re + more.re),
                                   reference_round(how->type, value.im + more.im)};
    }
    reference_store(how->type, value, y);
}

/* --------------------------------------------------------------------------------------------- matrices */

typedef struct {
    scalay_layout *layout;
    reference_table table; /* of this rank */
} reference_end;

typedef struct {
    reference_end source, target;
    int transposed;
    scalay_trapezoid trapezoid;
    int64_t m, n; /* extents of C */
} reference_matrix;

static inline scalay_status reference_end_create(const scalay_layout *layout, int rank, reference_end *end)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_layout_copy(layout, &end->layout));
    SCALAY_TRY(reference_table_create(layout, rank, &end->table));
cleanup:
    return status;
}

static inline scalay_status reference_matrix_create(const scalay_planned_matrix *planned, int rank,
                                                    reference_matrix *matrix)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(reference_end_create(planned->source_layout, rank, &matrix->source));
    SCALAY_TRY(reference_end_create(planned->target_layout, rank, &matrix->target));
    matrix->transposed = planned->op != SCALAY_NO_TRANSPOSE;
    matrix->trapezoid = planned->source.trapezoid;
    matrix->m = scalay_layout_rows(planned->target_layout);
    matrix->n = scalay_layout_cols(planned->target_layout);
cleanup:
    return status;
}

static inline void reference_matrix_free(reference_matrix *matrix)
{
    scalay_layout_destroy(&matrix->source.layout);
    scalay_layout_destroy(&matrix->target.layout);
    reference_table_free(&matrix->source.table);
    reference_table_free(&matrix->target.table);
}

/* The owner of element (i, j) of C, or of op(A), and the offset of the element on this rank. */
static inline int reference_owner(const reference_matrix *x, int in_source, int64_t i, int64_t j, int64_t *offset)
{
    const int turned = in_source && x->transposed;
    const reference_end *end = in_source ? &x->source : &x->target;
    if (offset != NULL) *offset = reference_table_find(&end->table, turned ? j : i, turned ? i : j);
    return scalay_layout_owner(end->layout, turned ? j : i, turned ? i : j);
}

static inline int reference_is_moved(const reference_matrix *x, int64_t i, int64_t j)
{
    if (x->trapezoid.uplo == SCALAY_UPPER) return i - j <= x->trapezoid.shift;
    if (x->trapezoid.uplo == SCALAY_LOWER) return i - j >= x->trapezoid.shift;
    return 1;
}

/* -------------------------------------------------------------------------------------------- transport */

enum { REFERENCE_MAX_ELEMENT = 4096 };

/* Element (row, col) of C, of the k-th matrix, with its value. */
typedef struct {
    int64_t matrix, row, col;
    char value[REFERENCE_MAX_ELEMENT];
} reference_element;

/* Elements that one rank sends to another. */
typedef struct {
    reference_element *elements;
    int64_t count;
} reference_batch;

/* Lists the elements that `from` sends to `to`, with their values if this rank sends them. */
static inline scalay_status reference_list(const scalay_plan *plan, int from, int to, reference_batch *batch)
{
    scalay_status status = SCALAY_SUCCESS;
    const reference_matrix *matrices = plan->transport_state;
    int64_t capacity = 0;
    for (int k = 0; k < plan->count; k++) {
        const reference_matrix *x = &matrices[k];
        const scalay_transfer *transfer = &plan->transfers[k];
        for (int64_t j = 0; j < x->n; j++)
            for (int64_t i = 0; i < x->m; i++) {
                int64_t offset = 0;
                if (!reference_is_moved(x, i, j)) continue;
                if (reference_owner(x, !plan->backward, i, j, &offset) != from) continue;
                if (reference_owner(x, plan->backward, i, j, NULL) != to) continue;
                SCALAY_TRY(SCALAY_GROW(batch->elements, capacity, batch->count + 1));
                reference_element *element = &batch->elements[batch->count++];
                *element = (reference_element){.matrix = k, .row = i, .col = j};
                if (from == plan->comm->rank)
                    memcpy(element->value, transfer->source + offset * (int64_t)transfer->packer.size,
                           transfer->packer.size);
            }
    }
cleanup:
    return status;
}

static inline scalay_status reference_write(const scalay_plan *plan, const reference_batch *received,
                                            const reference_batch *expected)
{
    const reference_matrix *matrices = plan->transport_state;
    for (int64_t k = 0; k < expected->count; k++) {
        const reference_element *element = &received->elements[k];
        int64_t offset = 0;
        if (memcmp(element, &expected->elements[k], 3 * sizeof(int64_t)) != 0)
            return scalay_fail(SCALAY_ERROR_INTERNAL, "reference", "element %lld is not the expected one",
                               (long long)k);
        (void)reference_owner(&matrices[element->matrix], plan->backward, element->row, element->col, &offset);
        const scalay_transfer *transfer = &plan->transfers[element->matrix];
        reference_combine(&transfer->unpacker, element->value,
                          transfer->target + offset * (int64_t)transfer->unpacker.size);
    }
    return SCALAY_SUCCESS;
}

/* Sends to one rank and receives from another. */
static inline scalay_status reference_pass(const scalay_plan *plan, int to, int from)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank;
    reference_batch sent = {0}, expected = {0}, received = {0};
    SCALAY_TRY(reference_list(plan, rank, to, &sent));
    SCALAY_TRY(reference_list(plan, from, rank, &expected));
    SCALAY_TRY(SCALAY_NEW(received.elements, expected.count));
    SCALAY_TRY_MPI(MPI_Sendrecv(sent.elements, (int)(sent.count * (int64_t)sizeof *sent.elements), MPI_BYTE, to,
                                plan->tag, received.elements,
                                (int)(expected.count * (int64_t)sizeof *received.elements), MPI_BYTE, from, plan->tag,
                                plan->comm->mpi, MPI_STATUS_IGNORE));
    SCALAY_TRY(reference_write(plan, &received, &expected));
cleanup:
    scalay_release(sent.elements);
    scalay_release(expected.elements);
    scalay_release(received.elements);
    return status;
}

static inline scalay_status reference_begin(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank, size = plan->comm->size;
    for (int distance = 0; distance < size; distance++)
        SCALAY_TRY(reference_pass(plan, (rank + distance) % size, (rank + size - distance) % size));
cleanup:
    return status;
}

static inline scalay_status reference_new_matrices(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    reference_matrix *matrices = NULL;
    SCALAY_TRY(SCALAY_NEW(matrices, plan->count));
    plan->transport_state = matrices;
    for (int k = 0; k < plan->count; k++)
        SCALAY_TRY(reference_matrix_create(&plan->matrices[k], plan->comm->rank, &matrices[k]));
cleanup:
    return status;
}

static inline scalay_status reference_create(scalay_plan *plan)
{
    return scalay_comm_agree(plan->comm, reference_new_matrices(plan));
}

static inline void reference_destroy(scalay_plan *plan)
{
    reference_matrix *matrices = plan->transport_state;
    for (int k = 0; k < plan->count && matrices != NULL; k++) reference_matrix_free(&matrices[k]);
    scalay_release(matrices);
    plan->transport_state = NULL;
}

static inline int reference_describe(const scalay_plan *plan, char *text, size_t size)
{
    (void)plan;
    return snprintf(text, size, "element by element");
}

static const scalay_transport transport_reference = {.name = "reference",
                                                     .create = reference_create,
                                                     .begin = reference_begin,
                                                     .destroy = reference_destroy,
                                                     .describe = reference_describe};

/** As scalay_plan_create_many() with default options, by the reference transport. */
static inline scalay_status reference_plan_create(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                                  scalay_plan **plan)
{
    const scalay_plan_special special = {.message_bytes = 1 << 30, .transport = &transport_reference};
    return scalay_plan_create_special(comm, count, matrices, NULL, special, plan);
}

#endif
