#ifndef SCALAY_TESTS_KERNELS_PRODUCTS_H
#define SCALAY_TESTS_KERNELS_PRODUCTS_H

/** @file Random products C := alpha op(A) op(B) + beta C of matrices that are anywhere, and what they must become. */

#include "multiply/sources.h"
#include "scalay/multiply.h"
#include "scalay/partition.h"
#include "support/matrix.h"

/* A problem; the arrays of A, B and C come with the values. */
typedef struct {
    scalay_type type;
    uint64_t seed;
    scalay_op op[2];
    int m, n, k;
    source matrix[3];
    scalay_summa_options options;
    double complex alpha, beta;
    char alpha_element[16], beta_element[16];
    void *local[3];
    double complex *whole[3]; /* before */
    uint64_t round;
} product;

enum { PRODUCT_SHAPES = SOURCES + 3 };

/* Areas of different sizes, some of them none. */
static inline void product_areas(scalay_random *random, int parts, double *area)
{
    for (int k = 0; k < parts; k++)
        area[k] = scalay_random_below(random, 6) == 0 ? 0.0 : 0.05 + scalay_random_unit(random);
    area[scalay_random_below(random, parts)] = 2.0;
}

/* A shape of partition.h on tiles of 1, on an extent that the stretching changes; or its cyclic permutation. */
static inline scalay_status product_map(int kind, int m, int n, int parts, uint64_t seed, scalay_owner_map **map)
{
    static const char *const shapes[] = {"square-corner", "square-rectangle", "block-rectangle", "columns",
                                         "auto",          "recursive"};
    scalay_random random = scalay_random_seed(seed);
    double *area = malloc((size_t)parts * sizeof *area);
    product_areas(&random, parts, area);
    scalay_partition_options options = scalay_partition_options_default();
    scalay_partition *partition = NULL;
    scalay_owner_map *balanced = NULL;
    options.shape = shapes[scalay_random_below(&random, 6)];
    scalay_status status = scalay_partition_create(36, 36, parts, area, &options, &partition);
    options.shape = "auto";
    if (status != SCALAY_SUCCESS) status = scalay_partition_create(36, 36, parts, area, &options, &partition);
    for (int k = 0; k < parts; k++) area[k] = fmax(area[k], 0.01);
    if (status == SCALAY_SUCCESS && kind == 1)
        status = scalay_owner_map_balance_suffixes(scalay_partition_map(partition), 1, area, SCALAY_TRAILING_FULL,
                                                   &balanced);
    if (status == SCALAY_SUCCESS)
        status = scalay_owner_map_resize(balanced != NULL ? balanced : scalay_partition_map(partition), m, n, map);
    scalay_owner_map_destroy(&balanced);
    scalay_partition_destroy(&partition);
    free(area);
    return status;
}

/* Every kind of source, and owner maps: shapes, cyclic ones, windows of them. */
static inline scalay_status product_source(scalay_comm *comm, int kind, int m, int n, uint64_t seed, source *s)
{
    scalay_owner_map *map = NULL;
    scalay_layout *whole = NULL;
    const int is_window = kind == SOURCES + 2;
    if (kind < SOURCES) return source_create(comm, kind, m, n, seed, s);
    *s = (source){.name = is_window ? "window of a shape" : kind == SOURCES ? "shape" : "cyclic shape", .ctxt = -1};
    scalay_status status =
        product_map(kind - SOURCES, m + 5 * is_window, n + 4 * is_window, scalay_comm_size(comm), seed, &map);
    if (status == SCALAY_SUCCESS) status = scalay_layout_from_owner_map(map, is_window ? &whole : &s->layout);
    if (status == SCALAY_SUCCESS && is_window) status = source_submatrix(m, n, whole, &s->layout);
    s->size = scalay_layout_local_size(s->layout, scalay_comm_rank(comm));
    scalay_owner_map_destroy(&map);
    return status;
}

static inline int product_turned(const product *p, int k)
{
    return k < 2 && p->op[k] != SCALAY_NO_TRANSPOSE;
}

/* Rows and columns of A, B or C as stored. */
static inline void product_extents(const product *p, int k, int *rows, int *cols)
{
    const int across = k == 0 ? p->k : p->n, down = k == 1 ? p->k : p->m;
    *rows = product_turned(p, k) ? across : down;
    *cols = product_turned(p, k) ? down : across;
}

/* One of three problems has its matrices cut alike, one with C and the rest drawn. */
static inline void product_create(scalay_comm *comm, scalay_random *random, int number, product *p)
{
    static const int sizes[] = {0, 1, 2, 5, 17, 24, 36, 41, 50};
    const int kind = number % PRODUCT_SHAPES, same = number % 3 != 1;
    for (int k = 0; k < 2; k++) p->op[k] = (scalay_op)scalay_random_below(random, 3);
    int *const extent[] = {&p->m, &p->n, &p->k};
    for (int k = 0; k < 3; k++) *extent[k] = sizes[scalay_random_below(random, number % 5 ? 9 : 3)];
    if (number % 5)
        for (int k = 0; k < 3; k++)
            if (*extent[k] < 3) *extent[k] = 30 + number % 7;
    for (int k = 0; k < 3; k++) {
        int rows, cols;
        product_extents(p, k, &rows, &cols);
        const int is_first = k == 2;
        const int drawn = (int)scalay_random_below(random, PRODUCT_SHAPES);
        CHECK_STATUS(product_source(comm, same || is_first ? kind : drawn, rows, cols, p->seed, &p->matrix[k]),
                     SCALAY_SUCCESS);
    }
}

static inline void product_destroy(scalay_comm *comm, product *p)
{
    for (int k = 0; k < 3; k++) source_destroy(comm, &p->matrix[k]);
}

static inline void product_print(int number, const product *p)
{
    fprintf(stderr, "case %d: %s x %s -> %s, %d x %d x %d, type %s, ops %d %d, panel %lld, transport %s\n", number,
            p->matrix[0].name, p->matrix[1].name, p->matrix[2].name, p->m, p->n, p->k, scalay_type_name(p->type),
            (int)p->op[0], (int)p->op[1], (long long)p->options.panel,
            p->options.transport != NULL ? p->options.transport : "none");
}

static inline double complex product_draw_scalar(scalay_random *random, scalay_type type)
{
    const int64_t way = scalay_random_below(random, 6);
    if (way == 0) return 0.0;
    if (way < 3) return 1.0;
    const double re = 2.0 * scalay_random_unit(random) - 1.0, im = 2.0 * scalay_random_unit(random) - 1.0;
    return matrix_is_complex(type) ? re + im * I : re;
}

/* What must not be read is NaN: C when beta is 0, A and B when alpha is. */
static inline void product_draw_values(scalay_random *random, product *p)
{
    p->round++;
    p->alpha = product_draw_scalar(random, p->type);
    p->beta = product_draw_scalar(random, p->type);
    matrix_store(p->type, p->alpha_element, 0, p->alpha);
    matrix_store(p->type, p->beta_element, 0, p->beta);
    p->alpha = matrix_load(p->type, p->alpha_element, 0);
    p->beta = matrix_load(p->type, p->beta_element, 0);
    for (int k = 0; k < 3; k++) {
        const source *s = &p->matrix[k];
        p->local[k] =
            matrix_local(p->type, s->layout, check_rank(), s->size, p->seed * 10 + p->round * 3 + (uint64_t)k);
        p->whole[k] = matrix_gather(p->type, s->layout, check_rank(), p->local[k]);
        if ((k == 2 ? p->beta : p->alpha) == 0.0) matrix_spoil(p->type, s->layout, check_rank(), p->local[k]);
    }
}

static inline void product_free_values(product *p)
{
    for (int k = 0; k < 3; k++) {
        free(p->local[k]);
        free(p->whole[k]);
    }
}

/* Element (i, j) of op(A) or op(B). */
static inline double complex product_op(const product *p, int k, int i, int j)
{
    int rows, cols;
    product_extents(p, k, &rows, &cols);
    const double complex value =
        product_turned(p, k) ? p->whole[k][j + (int64_t)i * rows] : p->whole[k][i + (int64_t)j * rows];
    return p->op[k] == SCALAY_CONJUGATE_TRANSPOSE ? conj(value) : value;
}

/* C is alpha op(A) op(B) + beta C by the definition, to 10 max(m, n, k) eps; A, B and what lies beside C are as before.
 */
static inline void product_check_result(const product *p)
{
    double complex *c = matrix_gather(p->type, p->matrix[2].layout, check_rank(), p->local[2]);
    const int64_t m = p->m;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            double complex sum = 0.0;
            for (int l = 0; l < p->k; l++) sum += product_op(p, 0, i, l) * product_op(p, 1, l, j);
            c[i + j * m] -= p->alpha * sum + p->beta * p->whole[2][i + j * m];
        }
    const double scale = cabs(p->alpha) * matrix_norm(p->whole[0], (int64_t)p->m * p->k) *
                             matrix_norm(p->whole[1], (int64_t)p->k * p->n) +
                         cabs(p->beta) * matrix_norm(p->whole[2], m * p->n);
    const double longest = fmax(p->k, fmax(p->m, p->n));
    CHECK(matrix_norm(c, m * p->n) <= 10.0 * longest * matrix_epsilon(p->type) * scale);
    free(c);
    for (int k = 0; k < 3; k++)
        CHECK(matrix_rest_untouched(p->type, p->matrix[k].layout, check_rank(), p->matrix[k].size, p->local[k]));
}

/* The elements of op(A) in the rows of C, or of op(B) in its columns, that a line's owners need and do not have. */
static inline int64_t product_line_volume(const product *p, int k, int line, char *owns)
{
    const scalay_layout *c = p->matrix[2].layout;
    int64_t volume = 0;
    memset(owns, 0, (size_t)scalay_layout_processes(c));
    for (int other = 0; other < (k == 0 ? p->n : p->m); other++)
        owns[k == 0 ? scalay_layout_owner(c, line, other) : scalay_layout_owner(c, other, line)] = 1;
    for (int y = 0; y < scalay_layout_processes(c); y++)
        for (int l = 0; owns[y] && l < p->k; l++) {
            const int turned = product_turned(p, k), by_row = (k == 0) != turned;
            volume += scalay_layout_owner(p->matrix[k].layout, by_row ? line : l, by_row ? l : line) != y;
        }
    return volume;
}

/* What must travel, by the definition. */
static inline int64_t product_volume(const product *p)
{
    char *owns = malloc((size_t)scalay_layout_processes(p->matrix[2].layout));
    int64_t volume = 0;
    for (int i = 0; i < p->m; i++) volume += product_line_volume(p, 0, i, owns);
    for (int j = 0; j < p->n; j++) volume += product_line_volume(p, 1, j, owns);
    free(owns);
    return volume;
}

#endif
