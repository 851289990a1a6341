/*
 * Products of matrices that are anywhere, on C's own layout, on owner maps, and by p?gemm on grids, against the
 * definition: every type, operation, kind of place and extent that comes up, with alpha and beta 0, 1 and others. The
 * random-vector check passes what is right and sees a single wrong element.
 */
#include <math.h>

#include "multiply/gemm.h"
#include "multiply/sources.h"
#include "multiply/summa.h"
#include "parallel/node.h"
#include "parallel/shared_memory.h"
#include "scalay/multiply.h"
#include "support/matrix.h"

static const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};
static const int extents[] = {24, 13, 40, 1, 7, 0, 37, 5, 31, 50};
enum { EXTENTS = (int)(sizeof extents / sizeof extents[0]) };

/* A problem with everything it is made of. */
typedef struct {
    scalay_comm *comm;
    uint64_t seed;
    scalay_type type;
    scalay_op op[2];
    int m, n, k;
    source s[3];  /* A, B and C */
    void *x[3];   /* their local arrays */
    void *before; /* C's, before */
    double complex alpha, beta;
    scalay_gemm_options options;
    scalay_owner_map *map;
    int *group;
} problem;

static double complex op_of(const double complex *x, int64_t rows, scalay_op op, int64_t i, int64_t j)
{
    if (op == SCALAY_NO_TRANSPOSE) return x[i + j * rows];
    return op == SCALAY_TRANSPOSE ? x[j + i * rows] : conj(x[j + i * rows]);
}

/* Element by element: the bound of rounding is that of the inner product. */
static void check_against_definition(const problem *p)
{
    double complex *whole[3], *before;
    const int rank = scalay_comm_rank(p->comm);
    for (int x = 0; x < 3; x++) whole[x] = matrix_gather(p->type, p->s[x].layout, rank, p->x[x]);
    before = matrix_gather(p->type, p->s[2].layout, rank, p->before);
    const int64_t rows_a = scalay_layout_rows(p->s[0].layout), rows_b = scalay_layout_rows(p->s[1].layout);
    double worst = 0.0;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            double complex sum = 0.0;
            double size = 0.0;
            for (int64_t l = 0; p->alpha != 0.0 && l < p->k; l++) {
                const double complex term =
                    p->alpha * op_of(whole[0], rows_a, p->op[0], i, l) * op_of(whole[1], rows_b, p->op[1], l, j);
                sum += term;
                size += cabs(term);
            }
            if (p->beta != 0.0) sum += p->beta * before[i + j * p->m];
            size += p->beta != 0.0 ? cabs(p->beta * before[i + j * p->m]) : 0.0;
            const double error = cabs(sum - whole[2][i + j * p->m]) - (p->k + 8) * matrix_epsilon(p->type) * size;
            worst = isnan(error) ? INFINITY : fmax(worst, error);
        }
    CHECK(worst <= 0.0);
    for (int x = 0; x < 3; x++) free(whole[x]);
    free(before);
}

static int64_t own_element(const scalay_layout *layout, int rank)
{
    scalay_rectangle r;
    if (scalay_layout_rectangle_count(layout, rank) == 0) return -1;
    return scalay_layout_rectangle(layout, rank, 0, &r) == SCALAY_SUCCESS ? r.offset : -1;
}

/* The check of the library, before and after an element was spoilt. */
static void check_by_vector(problem *p, const void *alpha, const void *beta)
{
    const int rank = scalay_comm_rank(p->comm);
    const scalay_gemm_product product = {.type = p->type,
                                         .op_a = p->op[0],
                                         .op_b = p->op[1],
                                         .layout_a = p->s[0].layout,
                                         .layout_b = p->s[1].layout,
                                         .layout_c = p->s[2].layout,
                                         .alpha = alpha,
                                         .a = p->x[0],
                                         .b = p->x[1],
                                         .beta = beta,
                                         .before = p->before,
                                         .c = p->x[2]};
    double error = -1.0;
    CHECK_STATUS(scalay_gemm_check(p->comm, &product, p->seed, &error), SCALAY_SUCCESS);
    CHECK(error >= 0.0 && error < 1.0);
    if (p->m == 0 || p->n == 0) return;
    const int64_t at = scalay_layout_owner(p->s[2].layout, 0, 0) == rank ? own_element(p->s[2].layout, rank) : -1;
    const double complex good = at >= 0 ? matrix_load(p->type, p->x[2], at) : 0.0;
    if (at >= 0) matrix_store(p->type, p->x[2], at, good + 0.5);
    CHECK_STATUS(scalay_gemm_check(p->comm, &product, p->seed, &error), SCALAY_SUCCESS);
    CHECK(error > 1.0);
    if (at >= 0) matrix_store(p->type, p->x[2], at, good);
}

/* Products that underflow are right, as far as can be told; those that overflow are not a number. */
static void check_extremes(scalay_comm *comm)
{
    enum { EXTENT = 12 };
    const float values[2] = {1e-25F, 1e30F}, one = 1.0F, nothing = 0.0F;
    float a[EXTENT * EXTENT], c[EXTENT * EXTENT];
    scalay_layout *layout = NULL;
    scalay_gemm *gemm = NULL;
    CHECK_STATUS(scalay_layout_parse("cyclic:m=12,n=12,mb=12,nb=12,p=1,q=1", &layout), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_gemm_create(comm, SCALAY_FLOAT, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout, layout,
                                    layout, NULL, &gemm),
                 SCALAY_SUCCESS);
    for (int t = 0; t < 2; t++) {
        const scalay_gemm_product product = {.type = SCALAY_FLOAT,
                                             .layout_a = layout,
                                             .layout_b = layout,
                                             .layout_c = layout,
                                             .alpha = &one,
                                             .a = a,
                                             .b = a,
                                             .beta = &nothing,
                                             .before = a,
                                             .c = c};
        double error = -1.0;
        for (int k = 0; k < EXTENT * EXTENT; k++) a[k] = values[t];
        CHECK_STATUS(scalay_gemm_execute(gemm, &one, a, a, &nothing, c), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_gemm_check(comm, &product, 5, &error), SCALAY_SUCCESS);
        CHECK(t == 0 ? error >= 0.0 && error < 1.0 : isnan(error));
    }
    scalay_gemm_destroy(&gemm);
    scalay_layout_destroy(&layout);
}

static void check_statistics(const scalay_gemm *gemm, const problem *p)
{
    scalay_gemm_statistics s;
    char text[1024];
    CHECK_STATUS(scalay_gemm_get_statistics(gemm, &s), SCALAY_SUCCESS);
    CHECK(s.processes == scalay_comm_size(p->comm));
    CHECK(s.move_volume == 0 || s.moves_a || s.moves_b);
    CHECK(s.back_volume == 0 || s.moves_c);
    CHECK(s.move_volume <= (int64_t)p->m * p->k + (int64_t)p->k * p->n);
    CHECK(s.predicted_multiply_seconds >= 0.0 && s.predicted_move_seconds >= 0.0);
    CHECK(scalay_gemm_describe(gemm, text, sizeof text) < (int)sizeof text && text[0] == 'C');
    if (p->m > 0 && p->n > 0) CHECK(scalay_layout_rows(scalay_gemm_layout(gemm)) == p->m);
}

static void check_problem(problem *p)
{
    scalay_gemm *gemm = NULL;
    double complex scalars[2];
    const int rank = scalay_comm_rank(p->comm);
    matrix_store(p->type, &scalars[0], 0, p->alpha);
    matrix_store(p->type, &scalars[1], 0, p->beta);
    CHECK_STATUS(scalay_gemm_create(p->comm, p->type, p->op[0], p->op[1], p->s[0].layout, p->s[1].layout,
                                    p->s[2].layout, &p->options, &gemm),
                 SCALAY_SUCCESS);
    if (gemm == NULL) return;
    /* The second time with what the first one has left in the copies. */
    for (int turn = 0; turn < 2; turn++) {
        memcpy(p->x[2], p->before, ((size_t)p->s[2].size + 1) * scalay_type_size(p->type));
        if (p->beta == 0.0) matrix_spoil(p->type, p->s[2].layout, rank, p->x[2]);
        CHECK_STATUS(scalay_gemm_execute(gemm, &scalars[0], p->x[0], p->x[1], &scalars[1], p->x[2]), SCALAY_SUCCESS);
    }
    CHECK(matrix_rest_untouched(p->type, p->s[2].layout, rank, p->s[2].size, p->x[2]));
    check_against_definition(p);
    check_by_vector(p, &scalars[0], &scalars[1]);
    check_statistics(gemm, p);
    scalay_gemm_destroy(&gemm);
}

/* ------------------------------------------------------------------------------------------------- drawing */

static int draw_extent(scalay_random *random)
{
    return extents[scalay_random_below(random, EXTENTS)];
}

/* Uneven parts for the ranks, some of them empty, at most as many as elements. */
static void draw_map(problem *p, scalay_random *random)
{
    double area[16] = {0.0};
    scalay_partition *partition = NULL;
    const int processes = scalay_comm_size(p->comm), elements = p->m * p->n;
    const int parts = 1 + (int)scalay_random_below(random, elements > 0 && elements < processes ? elements : processes);
    for (int part = 0; part < parts; part++) area[part] = (double)scalay_random_below(random, 8);
    area[scalay_random_below(random, parts)] = 9.0;
    if (p->m == 0 || p->n == 0) return;
    CHECK_STATUS(scalay_partition_create(p->m, p->n, parts, area, NULL, &partition), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_owner_map_resize(scalay_partition_map(partition), p->m, p->n, &p->map), SCALAY_SUCCESS);
    scalay_partition_destroy(&partition);
    p->options.map = p->map;
}

static void draw_way(problem *p, scalay_random *random, int number)
{
    static const scalay_objective objectives[] = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS_THEN_VOLUME};
    const int processes = scalay_comm_size(p->comm);
    p->options = scalay_gemm_options_default();
    p->options.objective = objectives[scalay_random_below(random, 3)];
    if (number % 3 == 1) draw_map(p, random);
    if (number % 3 == 2) {
        p->options.nprow = source_rows(processes);
        p->options.npcol = processes / p->options.nprow;
        p->options.nb = 1 + (int)scalay_random_below(random, 9);
    }
    p->group = malloc((size_t)processes * sizeof *p->group);
    for (int rank = 0; rank < processes; rank++) p->group[rank] = (int)scalay_random_below(random, 2);
    if (scalay_random_below(random, 2) != 0) p->options.group = p->group;
}

static void draw_scalars(problem *p, scalay_random *random)
{
    static const double values[] = {1.0, 0.0, -0.5, 2.0};
    p->alpha = values[scalay_random_below(random, 4)];
    p->beta = values[scalay_random_below(random, 4)];
    if (matrix_is_complex(p->type) && scalay_random_below(random, 2) != 0) p->alpha += 0.25 * I;
    if (matrix_is_complex(p->type) && p->beta == 2.0) p->beta -= 1.5 * I;
}

static void draw(problem *p, scalay_random *random, int number)
{
    p->type = types[number % 4];
    p->m = draw_extent(random);
    p->n = draw_extent(random);
    p->k = draw_extent(random);
    for (int x = 0; x < 2; x++) p->op[x] = (scalay_op)scalay_random_below(random, 3);
    const int rows[] = {p->op[0] == 0 ? p->m : p->k, p->op[1] == 0 ? p->k : p->n, p->m};
    const int cols[] = {p->op[0] == 0 ? p->k : p->m, p->op[1] == 0 ? p->n : p->k, p->n};
    for (int x = 0; x < 3; x++) {
        /* Often all three alike, as a ScaLAPACK program has them. */
        const int kind = number % 5 == 0 ? 0 : (int)scalay_random_below(random, SOURCES);
        CHECK_STATUS(source_create(p->comm, kind, rows[x], cols[x], p->seed + (uint64_t)x, &p->s[x]), SCALAY_SUCCESS);
        p->x[x] = matrix_local(p->type, p->s[x].layout, scalay_comm_rank(p->comm), p->s[x].size, p->seed + (uint64_t)x);
    }
    const size_t bytes = ((size_t)p->s[2].size + 1) * scalay_type_size(p->type);
    p->before = malloc(bytes);
    memcpy(p->before, p->x[2], bytes);
    draw_scalars(p, random);
    draw_way(p, random, number);
}

static void finish(problem *p)
{
    for (int x = 0; x < 3; x++) {
        free(p->x[x]);
        source_destroy(p->comm, &p->s[x]);
    }
    free(p->before);
    free(p->group);
    scalay_owner_map_destroy(&p->map);
}

static void report(const problem *p, int number)
{
    fprintf(stderr, "case %d: %s, %s, %s; %d x %d x %d, type %s, ops %d %d, grid %d x %d, map %d, objective %d\n",
            number, p->s[0].name, p->s[1].name, p->s[2].name, p->m, p->n, p->k, scalay_type_name(p->type),
            (int)p->op[0], (int)p->op[1], p->options.nprow, p->options.npcol, p->options.map != NULL,
            (int)p->options.objective);
}

/* A plan that sends panels predicts what the model of an owner map does. */
static void predictions_are_those_of_the_model(scalay_comm *comm)
{
    enum { M = 180, N = 150, K = 170 };
    const int processes = scalay_comm_size(comm);
    scalay_machine machine = scalay_machine_typical();
    scalay_layout *layout[3] = {NULL};
    const int rows[] = {M, K, M}, cols[] = {K, N, N};
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++)
        machine.gemm_curve[k] = machine.seconds_per_flop * (1.0 + 64.0 / (double)(1 << k));
    for (int x = 0; x < 3; x++)
        CHECK_STATUS(
            scalay_layout_block_cyclic(rows[x], cols[x], 8, 8, 1, processes, 0, 0, SCALAY_ROW_MAJOR, &layout[x]),
            SCALAY_SUCCESS);
    for (uint64_t seed = 1; seed < 4; seed++) {
        double area[16];
        scalay_partition *partition = NULL;
        scalay_gemm *gemm = NULL;
        scalay_gemm_statistics s = {0};
        scalay_multiply_time time = {0};
        scalay_summa_options summa = scalay_summa_options_default();
        scalay_multiply_options model = scalay_multiply_options_default();
        scalay_gemm_options options = scalay_gemm_options_default();
        for (int part = 0; part < processes; part++) area[part] = (double)(1 + (uint64_t)part % seed);
        CHECK_STATUS(scalay_partition_create(M, N, processes, area, NULL, &partition), SCALAY_SUCCESS);
        const scalay_owner_map *map = scalay_partition_map(partition);
        summa.transport = "messages";
        summa.panel = 16;
        options.summa = &summa;
        options.map = map;
        options.machine = &machine;
        CHECK_STATUS(scalay_gemm_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout[0],
                                        layout[1], layout[2], &options, &gemm),
                     SCALAY_SUCCESS);
        CHECK_STATUS(scalay_gemm_get_statistics(gemm, &s), SCALAY_SUCCESS);
        model.panel = gemm->summa->statistics.panel;
        CHECK_STATUS(scalay_model_multiply(&machine, SCALAY_DOUBLE, map, K, &model, NULL, NULL, &time), SCALAY_SUCCESS);
        /* Between nodes the model counts the panels of each node (tests/model/model_product.c). */
        CHECK(s.predicted_multiply_seconds > 0.0 &&
              (gemm->comm->node->size < processes || s.predicted_multiply_seconds == time.seconds));
        CHECK(s.multiply_volume == time.volume);
        scalay_gemm_destroy(&gemm);
        scalay_partition_destroy(&partition);
    }
    for (int x = 0; x < 3; x++) scalay_layout_destroy(&layout[x]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int processes = scalay_comm_size(comm);
    if (check_rank() == 0) printf("seed %llu\n", (unsigned long long)first);
    scalay_random random = scalay_random_seed(first);
    const int cases = argc > 2 ? atoi(argv[2]) : processes < 5 ? 60 : processes < 9 ? 18 : 4;
    for (int number = 0; number < cases; number++) {
        problem p = {.comm = comm, .seed = first + 10 * (uint64_t)number};
        const int before = check_failures;
        draw(&p, &random, number);
        check_problem(&p);
        if (check_failures > before) report(&p, number);
        finish(&p);
    }
    check_extremes(comm);
    predictions_are_those_of_the_model(comm);
    scalay_comm_destroy(&comm);
    CHECK(scalay_arrays_live() == 0);
    return check_verdict();
}
