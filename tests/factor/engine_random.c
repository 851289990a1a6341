/*
 * Random problems: all factorisations, types, shapes, maps and panel rules beside LAPACK. Every case prints its seed
 * when it fails; `engine_random SEED CASES` runs others.
 */
#include "factor/engine_problem.h"

static const scalay_type types[] = {SCALAY_DOUBLE, SCALAY_FLOAT, SCALAY_COMPLEX_DOUBLE, SCALAY_COMPLEX_FLOAT};
static const int extents[] = {1, 3, 8, 17, 31, 64, 97, 120, 160};
static const int tiles[] = {1, 2, 5, 8, 16, 24, 32, 70, 200};

typedef struct {
    problem p;
    const char *map;
    double speed[64];
    int node[64];
    int owner[200 * 200];
} test_case;

static int pick(scalay_random *random, const int *from, int count)
{
    return from[scalay_random_below(random, count)];
}

static void draw_map(test_case *c, scalay_random *random)
{
    const int processes = check_size();
    int size[64], groups = 0;
    switch (scalay_random_below(random, 6)) {
    case 0:
        c->map = "random";
        owners_random(&c->p, random, processes);
        break;
    case 1:
        c->map = "random, some processes empty";
        owners_random(&c->p, random, 1 + (int)scalay_random_below(random, processes));
        break;
    case 2:
        c->map = "grid";
        size[0] = 1 + (int)scalay_random_below(random, processes);
        owners_grid(&c->p, size[0], processes / size[0]);
        break;
    case 3:
        c->map = "columns";
        for (int r = 0; r < processes; r++) size[r] = 1;
        owners_groups(&c->p, processes, size, c->speed);
        break;
    case 4:
        c->map = "rows";
        owners_groups(&c->p, 1, &processes, c->speed);
        break;
    default:
        c->map = "1D-1D";
        for (int left = processes; left > 0; left -= size[groups++])
            size[groups] = 1 + (int)scalay_random_below(random, left);
        owners_groups(&c->p, groups, size, c->speed);
    }
}

static void draw(test_case *c, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    c->p = (problem){.kind = (scalay_factor_kind)scalay_random_below(&random, 3),
                     .type = types[scalay_random_below(&random, 4)],
                     .processes = check_size(),
                     .seed = seed,
                     .owner = c->owner,
                     .speed = c->speed};
    c->p.m = pick(&random, extents, (int)(sizeof extents / sizeof extents[0]));
    c->p.n = pick(&random, extents, (int)(sizeof extents / sizeof extents[0]));
    if (c->p.kind == SCALAY_FACTOR_CHOLESKY || scalay_random_below(&random, 3) == 0) c->p.n = c->p.m;
    c->p.nb = pick(&random, tiles, (int)(sizeof tiles / sizeof tiles[0]));
    if (c->p.nb < 5 && (c->p.m > 40 || c->p.n > 40)) c->p.nb += 5;
    c->p.together = (int)scalay_random_below(&random, 3) - 1;
    c->p.buffer = (int64_t)(seed / 2 % 2); /* 1: messages of a panel take turns in the smallest buffer */
    c->p.piece = seed % 5 > 2 ? (int64_t)(1 + seed * 37 % 500) : 0;
    for (int r = 0; r < check_size(); r++) c->speed[r] = 1.0 / (double)(1 + scalay_random_below(&random, 4));
    draw_map(c, &random);
    c->p.node = seed % 3 > 0 ? c->node : NULL; /* panels go through leaders of nodes */
    for (int r = 0; r < check_size(); r++) c->node[r] = (int)scalay_random_below(&random, check_size() / 2 + 1);
}

static void run(test_case *c, uint64_t seed)
{
    const int before = check_failures;
    outcome o;
    draw(c, seed);
    if (getenv("SCALAY_TEST_VERBOSE") != NULL && check_rank() == 0)
        fprintf(stderr, "seed %llu: kind %d, type %s, %d x %d, nb %d, together %d, %s\n", (unsigned long long)seed,
                (int)c->p.kind, scalay_type_name(c->p.type), c->p.m, c->p.n, c->p.nb, c->p.together, c->map);
    if (CHECK_STATUS(problem_run(&c->p, 1 + (int)(seed % 2), &o), SCALAY_SUCCESS)) {
        const double error = check_rank() == 0 ? problem_compare(&c->p, &o) : 0;
        CHECK(error <= 1000 * matrix_epsilon(c->p.type) * (c->p.m + c->p.n));
        CHECK(o.untouched);
        outcome_free(&o);
        if (check_failures > before)
            fprintf(stderr, "seed %llu: kind %d, type %s, %d x %d, nb %d, together %d, %s: error %g\n",
                    (unsigned long long)seed, (int)c->p.kind, scalay_type_name(c->p.type), c->p.m, c->p.n, c->p.nb,
                    c->p.together, c->map, error);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int cases = argc > 2 ? atoi(argv[2]) : check_size() <= 4 ? 60 : check_size() < 8 ? 30 : 10;
    test_case *c = malloc(sizeof *c);
    if (check_rank() == 0) printf("seeds %llu ..\n", (unsigned long long)first);
    if (argc == 1) run(c, 5020); /* on 7 ranks: a process without peers beside columns of many owners */
    if (argc == 1) run(c, 7000); /* on 16 ranks: likewise */
    for (int k = 0; k < cases; k++) run(c, first + (uint64_t)k);
    free(c);
    return check_verdict();
}
