#ifndef SCALAY_TESTS_REDIST_ARRAYS_H
#define SCALAY_TESTS_REDIST_ARRAYS_H

/**
 * @file
 * The arrays of a case on this rank, with guards on both sides, filled and judged element by element.
 */

#include "redist/cases.h"
#include "redist/matrix.h"

/** Bytes in one piece. */
typedef struct {
    unsigned char *bytes;
    int64_t length;
    void *node; /* that they lie in, of scalay_alloc(); NULL: memory of the process */
} slab;

/** Both arrays of a matrix. */
typedef struct {
    slab slab[2]; /* of A and C; the second is empty when they share memory */
    unsigned char *data[2];
    int64_t elements[2];
} case_arrays;

static inline slab make_slab(scalay_comm *comm, int node_memory, int64_t length)
{
    slab made = {.length = length};
    const int here = node_memory == 1 || (node_memory == 2 && comm->rank % 2 == 0);
    if (node_memory > 0 && scalay_alloc(comm, here ? length : 0, &made.node) != SCALAY_SUCCESS) made.node = NULL;
    made.bytes = here && made.node != NULL ? made.node : scalay_allocate(length, 1);
    return made;
}

static inline void free_slab(slab *s)
{
    if (s->bytes != s->node) scalay_release(s->bytes);
    scalay_free(&s->node);
    s->bytes = NULL;
}

/** Uninitialised arrays. Collective when they lie in node memory. Raw elements are not aligned. */
static inline case_arrays make_arrays(scalay_comm *comm, const test_case *test, const case_matrix *x)
{
    case_arrays arrays = {0};
    const int64_t size = (int64_t)x->size, skew = x->type > SCALAY_RAW_BASE;
    const int64_t start[2] = {x->shares && x->shift < 0 ? -x->shift : 0, x->shares && x->shift > 0 ? x->shift : 0};
    int64_t end[2];
    for (int e = 0; e < 2; e++) {
        arrays.elements[e] = part_size(&x->end[e], part_on(&x->end[e], comm->rank));
        end[e] = start[e] + arrays.elements[e];
    }
    if (x->shares && end[1] > end[0]) end[0] = end[1];
    for (int e = 0; e < (x->shares ? 1 : 2); e++)
        arrays.slab[e] = make_slab(comm, test->node_memory, end[e] * size + 2 * GUARD);
    for (int e = 0; e < 2; e++) arrays.data[e] = arrays.slab[x->shares ? 0 : e].bytes + GUARD - skew + start[e] * size;
    return arrays;
}

static inline void free_arrays(case_arrays *arrays)
{
    free_slab(&arrays->slab[0]);
    if (arrays->slab[1].length > 0) free_slab(&arrays->slab[1]);
}

/** What the library gets: NULL for an empty array. */
static inline void *array_at(const case_arrays *arrays, int end)
{
    return arrays->elements[end] > 0 ? arrays->data[end] : NULL;
}

/* ---------------------------------------------------------------------------------------------- filling */

/** One execution of one matrix. */
typedef struct {
    int to; /* end that is written */
    value_scalar alpha, beta;
    uint64_t salt; /* of the values of `from`; those of `to` come next */
} case_move;

static inline void fill_elements(const case_matrix *x, const case_arrays *arrays, int end, uint64_t salt, int rank)
{
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->m; i++) {
            int64_t offset = 0;
            if (owner_at(x, end, i, j, &offset) != rank) continue;
            value_make(x->values, x->type, salt, i, j, arrays->data[end] + offset * (int64_t)x->size);
        }
}

/** Values where something is read, canaries (NaN, where the elements are numbers) where nothing is. */
static inline void fill_arrays(const case_matrix *x, const case_arrays *arrays, const case_move *move, int rank)
{
    const int reads = !scalar_is(&move->beta, 0.0), numbers = x->values != VALUES_BITS;
    for (int e = 0; e < 2; e++) {
        const slab *s = &arrays->slab[e];
        if (s->length == 0) continue;
        memset(s->bytes, CANARY, (size_t)s->length);
        if (numbers && (x->shares || e == move->to))
            value_fill(x->type, reads || x->shares ? 3.0 : NAN, CANARY, s->bytes + GUARD,
                       (s->length - 2 * GUARD) / (int64_t)x->size);
    }
    fill_elements(x, arrays, 1 - move->to, move->salt, rank);
    if (reads && !x->shares) fill_elements(x, arrays, move->to, move->salt + 1, rank);
}

/* -------------------------------------------------------------------------------------------- judging */

/** What ought to be in the arrays after a move, made of what was there before. */
typedef struct {
    unsigned char *bytes[2];
} case_expected;

static inline case_expected expect(const case_matrix *x, const case_arrays *arrays, const case_move *move, int rank)
{
    case_expected expected = {{NULL, NULL}};
    _Alignas(16) unsigned char element[1024];
    const int target = x->shares ? 0 : move->to;
    for (int e = 0; e < 2; e++) {
        if (arrays->slab[e].length == 0) continue;
        expected.bytes[e] = scalay_allocate(arrays->slab[e].length, 1);
        memcpy(expected.bytes[e], arrays->slab[e].bytes, (size_t)arrays->slab[e].length);
    }
    unsigned char *data = expected.bytes[target] + (arrays->data[move->to] - arrays->slab[target].bytes);
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->m; i++) {
            int64_t offset = 0;
            if (!counts(x, i, j) || owner_at(x, move->to, i, j, &offset) != rank) continue;
            value_make(x->values, x->type, move->salt, i, j, element);
            value_define(x->type, x->op == SCALAY_CONJUGATE_TRANSPOSE, &move->alpha, &move->beta, element,
                         data + offset * (int64_t)x->size);
        }
    return expected;
}

/** Whether the arrays hold what was expected; what arithmetic may leave open is taken over first. */
static inline int arrays_agree(const case_matrix *x, const case_arrays *arrays, const case_move *move,
                               case_expected *expected, int rank)
{
    const int target = x->shares ? 0 : move->to;
    unsigned char *data = expected->bytes[target] + (arrays->data[move->to] - arrays->slab[target].bytes);
    for (int64_t j = 0; j < x->n && x->values != VALUES_BITS; j++)
        for (int64_t i = 0; i < x->m; i++) {
            int64_t offset = 0;
            if (!counts(x, i, j) || owner_at(x, move->to, i, j, &offset) != rank) continue;
            const unsigned char *element = arrays->data[move->to] + offset * (int64_t)x->size;
            if (value_agrees(x->values, x->type, element, data + offset * (int64_t)x->size))
                memcpy(data + offset * (int64_t)x->size, element, x->size);
        }
    int agrees = 1;
    for (int e = 0; e < 2; e++)
        if (arrays->slab[e].length > 0)
            agrees &= memcmp(expected->bytes[e], arrays->slab[e].bytes, (size_t)arrays->slab[e].length) == 0;
    return agrees;
}

static inline void free_expected(case_expected *expected)
{
    scalay_release(expected->bytes[0]);
    scalay_release(expected->bytes[1]);
}

#endif
