#ifndef SCALAY_TESTS_FACTOR_ENGINE_PROBLEM_H
#define SCALAY_TESTS_FACTOR_ENGINE_PROBLEM_H

/** @file A factorisation by the engine and by LAPACK: maps, matrices, and the comparison. */

#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "factor/engine.h"
#include "scalay/partition.h"
#include "support/check.h"
#include "support/lapack.h"
#include "support/matrix.h"

/* A problem: the owner of each tile is owner[i * tile_cols + j]. */
typedef struct {
    scalay_factor_kind kind;
    scalay_type type;
    int m, n, nb, processes;
    int together;  /* panels: -1, 0, 1 as in scalay_engine_settings */
    uint64_t seed; /* of the elements */
    int *owner;
    const double *speed;
    double complex (*element)(scalay_type type, uint64_t seed, int64_t i, int64_t j); /* NULL: matrix_element() */
    int64_t buffer;                                                                   /* as in scalay_engine_settings */
    const int *node;                                                                  /* as in scalay_engine_settings */
    int64_t piece;                                                                    /* as in scalay_engine_settings */
} problem;

/* What came out: m x n column-major, on every rank. */
typedef struct {
    double complex *a, *tau;
    int *pivot;
    int info;
    int untouched; /* 1: nothing beside the elements was written on this rank */
} outcome;

static inline int problem_tiles(int extent, int nb)
{
    return (extent + nb - 1) / nb;
}

static inline int problem_lines(const problem *p)
{
    return p->m < p->n ? p->m : p->n;
}

/* Element (i, j); Cholesky: Hermitian and positive definite. */
static inline double complex problem_element(const problem *p, int64_t i, int64_t j)
{
    double complex (*element)(scalay_type, uint64_t, int64_t, int64_t) =
        p->element != NULL ? p->element : matrix_element;
    if (p->kind != SCALAY_FACTOR_CHOLESKY) return element(p->type, p->seed, i, j);
    if (i == j) return creal(element(p->type, p->seed, i, i)) + p->n;
    return i > j ? element(p->type, p->seed, i, j) : conj(element(p->type, p->seed, j, i));
}

/* The owner map of the tiles. */
static inline scalay_status problem_map(const problem *p, scalay_owner_map **map)
{
    const int rows = problem_tiles(p->m, p->nb), cols = problem_tiles(p->n, p->nb);
    int64_t *cut = calloc((size_t)(rows + cols + 2), sizeof *cut);
    for (int i = 0; i <= rows; i++) cut[i] = i < rows ? (int64_t)i * p->nb : p->m;
    for (int j = 0; j <= cols; j++) cut[rows + 1 + j] = j < cols ? (int64_t)j * p->nb : p->n;
    const scalay_status status = scalay_owner_map_create(rows, cols, cut, cut + rows + 1, p->processes, p->owner, map);
    free(cut);
    return status;
}

static inline scalay_status problem_plan(const problem *p, int process, scalay_engine_plan *plan)
{
    scalay_owner_map *map = NULL;
    scalay_engine_map tiles = {0};
    const scalay_engine_settings settings = {.kind = p->kind,
                                             .element_size = (int)scalay_type_size(p->type),
                                             .panels_together = p->together,
                                             .speed = p->speed,
                                             .node = p->node,
                                             .buffer = p->buffer,
                                             .piece = p->piece};
    *plan = (scalay_engine_plan){0};
    scalay_status status = problem_map(p, &map);
    if (status == SCALAY_SUCCESS) status = scalay_engine_map_create(map, NULL, p->processes, p->nb, 0, &tiles);
    if (status == SCALAY_SUCCESS) status = scalay_engine_plan_create("test", &settings, &tiles, process, plan);
    scalay_engine_map_free(&tiles);
    scalay_owner_map_destroy(&map);
    return status;
}

/* Calls `visit` for each element of this process: global row and column, index in the local array. */
static inline void problem_visit(const scalay_engine_plan *plan, void *context,
                                 void (*visit)(void *context, int64_t i, int64_t j, int64_t index))
{
    for (int c = 0; c < plan->classes; c++) {
        const scalay_engine_class *class = &plan->class[c];
        for (int y = 0; y < class->cols; y++)
            for (int x = 0; x < class->rows; x++)
                for (int j = 0; j < class->col_at[y + 1] - class->col_at[y]; j++)
                    for (int i = 0; i < class->row_at[x + 1] - class->row_at[x]; i++)
                        visit(context, (int64_t) class->row[x] * plan->map.nb + i,
                              (int64_t) class->col[y] * plan->map.nb + j,
                              class->offset + class->row_at[x] + i + (int64_t)(class->col_at[y] + j) * class->ld);
    }
}

typedef struct {
    const problem *p;
    void *local;
    double complex *all;
    char *owned;
} problem_visitor;

static inline void problem_fill(void *context, int64_t i, int64_t j, int64_t index)
{
    problem_visitor *v = context;
    matrix_store(v->p->type, v->local, index, problem_element(v->p, i, j));
}

static inline void problem_collect(void *context, int64_t i, int64_t j, int64_t index)
{
    problem_visitor *v = context;
    v->all[i + j * v->p->m] = matrix_load(v->p->type, v->local, index);
    v->owned[index] = 1;
}

/* Sums real and imaginary parts over the ranks; infinities survive. */
static inline void problem_sum(double complex *x, int64_t count)
{
    MPI_Allreduce(MPI_IN_PLACE, x, (int)(2 * count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static inline void problem_gather(const problem *p, scalay_engine *engine, void *local, outcome *o)
{
    const int lines = problem_lines(p);
    problem_visitor v = {.p = p, .local = local};
    const int64_t size = engine->plan.local_size;
    v.all = o->a = calloc((size_t)p->m * (size_t)p->n + 1, sizeof *o->a);
    v.owned = calloc((size_t)size + 8, 1);
    problem_visit(&engine->plan, &v, problem_collect);
    o->untouched = 1;
    for (int64_t e = 0; e < size + 8; e++)
        if (!v.owned[e] && matrix_load(p->type, local, e) != matrix_sentinel) o->untouched = 0;
    problem_sum(o->a, (int64_t)p->m * p->n);
    o->tau = calloc((size_t)lines + 1, sizeof *o->tau);
    o->pivot = calloc((size_t)lines + 1, sizeof *o->pivot);
    for (int k = 0; k < lines; k++) {
        if (p->kind == SCALAY_FACTOR_QR) o->tau[k] = matrix_load(p->type, engine->tau, k);
        if (p->kind == SCALAY_FACTOR_LU) o->pivot[k] = engine->pivot[k];
    }
    o->info = engine->info;
    free(v.owned);
}

/* Factors with the engine on MPI_COMM_WORLD, `times` times over. */
static inline scalay_status problem_run(const problem *p, int times, outcome *o)
{
    scalay_engine_plan plan;
    scalay_engine engine = {.mpi = MPI_COMM_NULL};
    *o = (outcome){0};
    scalay_status status = problem_plan(p, check_rank(), &plan);
    if (status == SCALAY_SUCCESS) status = scalay_engine_create(p->type, &plan, &engine);
    if (status == SCALAY_SUCCESS) status = scalay_engine_connect(&engine, MPI_COMM_WORLD);
    if (status == SCALAY_SUCCESS) {
        const int64_t size = engine.plan.local_size, requests = scalay_memory_requests();
        problem_visitor v = {.p = p, .local = malloc((size_t)(size + 8) * scalay_type_size(p->type))};
        for (int t = 0; t < times && status == SCALAY_SUCCESS; t++) {
            for (int64_t e = 0; e < size + 8; e++) matrix_store(p->type, v.local, e, matrix_sentinel);
            problem_visit(&engine.plan, &v, problem_fill);
            status = scalay_engine_execute(&engine, v.local);
        }
        CHECK(scalay_memory_requests() == requests); /* execution allocates nothing */
        problem_gather(p, &engine, v.local, o);
        free(v.local);
    }
    scalay_engine_free(&engine);
    return status;
}

static inline void outcome_free(outcome *o)
{
    free(o->a);
    free(o->tau);
    free(o->pivot);
}

/* -------------------------------------------------------------------------------------------------- LAPACK */

/* The same problem by LAPACK in one process. */
static inline void problem_reference(const problem *p, outcome *o)
{
    const int64_t size = (int64_t)p->m * p->n, lines = problem_lines(p);
    void *a = malloc((size_t)(size + 1) * scalay_type_size(p->type));
    void *tau = calloc((size_t)lines + 1, scalay_type_size(p->type));
    *o = (outcome){.a = calloc((size_t)size + 1, sizeof *o->a),
                   .tau = calloc((size_t)lines + 1, sizeof *o->tau),
                   .pivot = calloc((size_t)lines + 1, sizeof *o->pivot)};
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) matrix_store(p->type, a, i + j * p->m, problem_element(p, i, j));
    o->info = lapack_factor(p->kind, p->type, 'L', p->m, p->n, a, tau, o->pivot);
    for (int64_t e = 0; e < size; e++) o->a[e] = matrix_load(p->type, a, e);
    for (int64_t k = 0; k < lines; k++) o->tau[k] = matrix_load(p->type, tau, k);
    for (int64_t k = 0; k < lines; k++) o->pivot[k]--;
    free(a);
    free(tau);
}

/* Checks factors, tau, pivots and info against LAPACK; returns the largest difference over the largest element. */
static inline double problem_compare(const problem *p, const outcome *ours)
{
    outcome theirs;
    double scale = 1e-300, error = 0;
    problem_reference(p, &theirs);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            const int is_upper = p->kind == SCALAY_FACTOR_CHOLESKY && i < j;
            const double complex x = is_upper ? problem_element(p, i, j) : theirs.a[i + j * p->m];
            scale = fmax(scale, cabs(x));
            if (is_upper)
                CHECK(cabs(ours->a[i + j * p->m] - x) <= 1e-6 * cabs(x)); /* rounded to the type, not touched */
            else
                error = fmax(error, cabs(ours->a[i + j * p->m] - x));
        }
    error /= scale;
    for (int k = 0; k < problem_lines(p) && p->kind == SCALAY_FACTOR_QR; k++)
        error = fmax(error, cabs(ours->tau[k] - theirs.tau[k]));
    for (int k = 0; k < problem_lines(p) && p->kind == SCALAY_FACTOR_LU; k++) CHECK(ours->pivot[k] == theirs.pivot[k]);
    CHECK(ours->info == theirs.info);
    outcome_free(&theirs);
    return error;
}

/* ---------------------------------------------------------------------------------------------------- maps */

static inline void owners_grid(problem *p, int nprow, int npcol)
{
    const int rows = problem_tiles(p->m, p->nb), cols = problem_tiles(p->n, p->nb);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) p->owner[i * cols + j] = i % nprow * npcol + j % npcol;
}

static inline void owners_random(problem *p, scalay_random *random, int used)
{
    const int64_t tiles = (int64_t)problem_tiles(p->m, p->nb) * problem_tiles(p->n, p->nb);
    for (int64_t t = 0; t < tiles; t++) p->owner[t] = (int)scalay_random_below(random, used);
}

/* Deals `count` lines, the last one first, to the taker that has the least per speed afterwards. */
static inline void owners_deal(int count, int takers, const double *speed, int *taker)
{
    double *held = calloc((size_t)takers, sizeof *held);
    for (int k = count - 1; k >= 0; k--) {
        int best = 0;
        for (int t = 1; t < takers; t++)
            if ((held[t] + 1) / speed[t] < (held[best] + 1) / speed[best] * (1 - 1e-12)) best = t;
        held[best]++;
        taker[k] = best;
    }
    free(held);
}

/* A 1D-1D map: groups of size[g] consecutive processes. */
static inline void owners_groups(problem *p, int groups, const int *size, const double *speed)
{
    const int rows = problem_tiles(p->m, p->nb), cols = problem_tiles(p->n, p->nb);
    double *sum = calloc((size_t)groups, sizeof *sum);
    int *group = calloc((size_t)cols + 1, sizeof *group), *row = calloc((size_t)rows + 1, sizeof *row);
    for (int g = 0, r = 0; g < groups; g++)
        for (int k = 0; k < size[g]; k++) sum[g] += speed[r++];
    owners_deal(cols, groups, sum, group);
    for (int g = 0, first = 0; g < groups; first += size[g++]) {
        owners_deal(rows, size[g], speed + first, row);
        for (int j = 0; j < cols; j++)
            for (int i = 0; group[j] == g && i < rows; i++) p->owner[i * cols + j] = first + row[i];
    }
    free(sum);
    free(group);
    free(row);
}

#endif
