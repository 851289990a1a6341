#ifndef SCALAY_TESTS_REDIST_CASES_H
#define SCALAY_TESTS_REDIST_CASES_H

/**
 * @file
 * Random redistributions: one to five matrices with layouts of any kind, types, operations, trapezoids and mappings;
 * where each element goes and what all that costs, counted element by element.
 */

#include <stdio.h>

#include "redist/definition.h"
#include "redist/values.h"
#include "scalay/redist.h"

enum { MOST_MATRICES = 5 };

/** One matrix. Ends: 0 is A in the source layout, 1 is C in the target layout. (i, j) is always a place of C. */
typedef struct {
    scalay_type type;
    size_t size;
    scalay_op op;
    scalay_uplo uplo;
    scalay_diag diag;
    int64_t m, n; /* of op(A) and C */
    value_kind values;
    definition end[2];
    scalay_mapping *mapping;
    int optimised; /* the mapping knows its volume and steps */
    int shares;    /* both ends lie in the same memory */
    int64_t shift; /* of C against A there, in elements */
} case_matrix;

/** What is moved, and how. */
typedef struct {
    uint64_t seed;
    int count;
    case_matrix matrix[MOST_MATRICES];
    int64_t message_bytes;
    int panels;                  /* of a plan in place; 0: the default */
    int64_t assembly_bytes;      /* buffer for columns of the target; 0: the default */
    int64_t piece_bytes;         /* limit on messages as over a slow link; 0: the default */
    int has_long_messages;       /* 1: few and long messages */
    scalay_plan_options options; /* but for the transport */
    int node_memory;             /* arrays of scalay_alloc(): 0 none, 1 all, 2 of some ranks */
    int manner;                  /* 0 execute, 1 begin and end, 2 with tests in between */
    int bystanders;              /* ranks with nothing to move take part */
} test_case;

/** The process that has (i, j) at one end, and the place in its array. */
static inline int owner_at(const case_matrix *x, int end, int64_t i, int64_t j, int64_t *offset)
{
    const definition *d = &x->end[end];
    const int turned = end == 0 && x->op != SCALAY_NO_TRANSPOSE;
    return d->process[turned ? part_of(d, j, i, offset) : part_of(d, i, j, offset)];
}

/** Whether (i, j) is moved. */
static inline int counts(const case_matrix *x, int64_t i, int64_t j)
{
    const int64_t below = x->m > x->n ? x->m - x->n : 0, right = x->n > x->m ? x->n - x->m : 0;
    if (x->uplo == SCALAY_UPPER) return x->diag == SCALAY_UNIT ? i - j < below : i - j <= below;
    if (x->uplo == SCALAY_LOWER) return x->diag == SCALAY_UNIT ? i - j > -right : i - j >= -right;
    return 1;
}

/* -------------------------------------------------------------------------------------------- drawing */

static inline int64_t random_extent(scalay_random *random)
{
    static const int bounds[] = {1, 2, 8, 24, 24, 40, 40, 70};
    return scalay_random_below(random, bounds[random_between(random, 0, 7)] + 1);
}

static inline scalay_type random_type(scalay_random *random)
{
    static const scalay_type types[] = {SCALAY_FLOAT,   SCALAY_DOUBLE,  SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE,
                                        SCALAY_FLOAT,   SCALAY_DOUBLE,  SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE,
                                        SCALAY_INT,     SCALAY_RAW(1),  SCALAY_RAW(2),        SCALAY_RAW(3),
                                        SCALAY_RAW(16), SCALAY_RAW(24), SCALAY_RAW(1000)};
    return types[random_between(random, 0, (int)(sizeof types / sizeof *types) - 1)];
}

/* No mapping, any mapping, or an optimal one; the definition of the target follows it. */
static inline scalay_status random_mapping(scalay_random *random, int size, case_matrix *x)
{
    scalay_status status = SCALAY_SUCCESS;
    static const scalay_objective objectives[] = {SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS};
    const int choice = random_between(random, 0, 5);
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = size;
    int *process = NULL;
    if (choice < 4) return SCALAY_SUCCESS;
    process = random_processes(random, x->end[1].parts, size);
    x->optimised = choice == 5 && x->op == SCALAY_NO_TRANSPOSE;
    if (x->optimised)
        SCALAY_TRY(scalay_mapping_create(x->end[0].layout, x->end[1].layout, objectives[random_between(random, 0, 3)],
                                         &options, &x->mapping));
    else
        SCALAY_TRY(scalay_mapping_from_processes(NULL, size, x->end[1].parts, process, &x->mapping));
    definition_map(&x->end[1], scalay_mapping_process(x->mapping));
cleanup:
    scalay_release(process);
    return status;
}

static inline scalay_status random_matrix(scalay_random *random, scalay_comm *comm, value_kind values, int in_place,
                                          case_matrix *x)
{
    scalay_status status = SCALAY_SUCCESS;
    x->m = random_extent(random);
    x->n = random_between(random, 0, 3) ? random_extent(random) : x->m;
    x->type = random_type(random);
    x->size = scalay_type_size(x->type);
    x->values = value_numbers(x->type) > 0 ? values : VALUES_BITS;
    x->op = (scalay_op)(random_between(random, 0, 1) ? random_between(random, 0, 2) : 0);
    x->uplo = (scalay_uplo)(random_between(random, 0, 1) ? random_between(random, 0, 2) : 0);
    x->diag = (scalay_diag)random_between(random, 0, 1);
    x->shares = in_place && random_between(random, 0, 3) > 0;
    x->shift = random_between(random, 0, 1) ? random_between(random, -20, 20) : 0;
    const int turned = x->op != SCALAY_NO_TRANSPOSE;
    SCALAY_TRY(random_definition(random, comm, turned ? x->n : x->m, turned ? x->m : x->n, &x->end[0]));
    SCALAY_TRY(random_definition(random, comm, x->m, x->n, &x->end[1]));
    SCALAY_TRY(random_mapping(random, comm->size, x));
cleanup:
    return status;
}

static inline size_t largest_element(const test_case *test)
{
    size_t largest = 16;
    for (int k = 0; k < test->count; k++)
        if (test->matrix[k].size > largest) largest = test->matrix[k].size;
    return largest;
}

/* Limits from the least that is allowed to none. */
static inline void random_limits(scalay_random *random, test_case *test)
{
    const int64_t largest = (int64_t)largest_element(test);
    const int64_t least = 2 * largest > 4096 ? 2 * largest : 4096;
    const int64_t limits[] = {0, 0, least, least + random_between(random, 1, 5000), (int64_t)1 << 26};
    test->options.memory_bytes = test->options.in_place ? 0 : limits[random_between(random, 0, 4)];
    test->message_bytes = random_between(random, 0, 3) == 0 ? (largest > 100 ? largest : 100) : 1 << 30;
    test->options.threads = random_between(random, 0, 1) ? 1 : random_between(random, 0, 4);
    test->panels = test->options.in_place ? (int)random_between(random, 0, 12) : 0;
    test->assembly_bytes = random_between(random, 0, 2) > 0 ? random_between(random, 64, 8192) : 0;
    test->piece_bytes = random_between(random, 0, 2) == 0 ? random_between(random, 64, 4096) : 0;
    test->has_long_messages = test->piece_bytes == 0 && random_between(random, 0, 2) == 0;
}

/**
 * The case of a seed. Collective: every rank draws the same.
 * @param[out] test  to be released with finish_case(), also on failure
 */
static inline scalay_status draw_case(uint64_t seed, scalay_comm *comm, test_case *test)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_random random = scalay_random_seed(seed);
    *test = (test_case){.seed = seed, .options = scalay_plan_options_default()};
    const value_kind values = (value_kind)random_between(&random, 0, 2);
    test->options.in_place = random_between(&random, 0, 4) == 0;
    test->count = random_between(&random, 0, 2) ? 1 : random_between(&random, 2, MOST_MATRICES);
    test->node_memory = random_between(&random, 0, 3) % 3;
    test->manner = random_between(&random, 0, 2);
    test->bystanders = random_between(&random, 0, 1);
    for (int k = 0; k < test->count; k++)
        SCALAY_TRY(random_matrix(&random, comm, values, test->options.in_place, &test->matrix[k]));
    random_limits(&random, test);
cleanup:
    return status;
}

static inline void finish_case(test_case *test)
{
    for (int k = 0; k < test->count; k++) {
        scalay_mapping_destroy(&test->matrix[k].mapping);
        definition_free(&test->matrix[k].end[0]);
        definition_free(&test->matrix[k].end[1]);
    }
}

/** What the library is told of the matrices: shape [MOST_MATRICES]. */
static inline void case_matrices(const test_case *test, scalay_plan_matrix *matrices)
{
    for (int k = 0; k < test->count; k++) {
        const case_matrix *x = &test->matrix[k];
        matrices[k] = (scalay_plan_matrix){.source = x->end[0].layout,
                                           .target = x->end[1].layout,
                                           .mapping = x->mapping,
                                           .type = x->type,
                                           .op = x->op,
                                           .uplo = x->uplo,
                                           .diag = x->diag};
    }
}

static inline void describe_case(const test_case *test, const char *transport)
{
    fprintf(stderr,
            "  seed %llu, transport %s, memory %lld, messages %lld, pieces %lld, long %d, assembly %lld, panels %d, "
            "threads "
            "%d%s, node memory %d, manner %d\n",
            (unsigned long long)test->seed, transport, (long long)test->options.memory_bytes,
            (long long)test->message_bytes, (long long)test->piece_bytes, test->has_long_messages,
            (long long)test->assembly_bytes, test->panels, test->options.threads,
            test->options.in_place ? ", in place" : "", test->node_memory, test->manner);
    for (int k = 0; k < test->count; k++) {
        char from[200], to[200];
        const case_matrix *x = &test->matrix[k];
        (void)scalay_layout_describe(x->end[0].layout, from, sizeof from);
        (void)scalay_layout_describe(x->end[1].layout, to, sizeof to);
        fprintf(stderr, "    %s %s -> %s %s, type %d, op %d, uplo %d, diag %d, values %d%s%s\n", x->end[0].name, from,
                x->end[1].name, to, x->type, (int)x->op, (int)x->uplo, (int)x->diag, (int)x->values,
                x->mapping != NULL ? ", mapped" : "", x->shares ? ", shared" : "");
    }
}

/* ------------------------------------------------------------------------------------------- counting */

/** What moves, element by element, of all matrices. */
typedef struct {
    int64_t *items; /* shape [size * size]: from * size + to */
    int64_t *bytes;
    int size;
} case_traffic;

static inline case_traffic count_traffic(const test_case *test, int size)
{
    const int64_t pairs = (int64_t)size * size;
    case_traffic traffic = {.items = scalay_allocate(pairs, sizeof *traffic.items),
                            .bytes = scalay_allocate(pairs, sizeof *traffic.bytes),
                            .size = size};
    for (int k = 0; k < test->count; k++) {
        const case_matrix *x = &test->matrix[k];
        int64_t unused = 0;
        for (int64_t j = 0; j < x->n; j++)
            for (int64_t i = 0; i < x->m; i++) {
                if (!counts(x, i, j)) continue;
                const int64_t pair = (int64_t)owner_at(x, 0, i, j, &unused) * size + owner_at(x, 1, i, j, &unused);
                traffic.items[pair]++;
                traffic.bytes[pair] += (int64_t)x->size;
            }
    }
    return traffic;
}

static inline void free_traffic(case_traffic *traffic)
{
    scalay_release(traffic->items);
    scalay_release(traffic->bytes);
}

#endif
