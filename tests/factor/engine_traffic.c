/*
 * Messages of the engine on patterns, counted where they leave (MPI_Isend), beside counts from the owners of the tiles.
 * Cholesky with panels that their owners factor together sends the tiles that scalay_owner_map_tile_traffic() counts.
 */
#include "factor/engine_problem.h"
#include "scalay/pattern.h"

enum { NB = 8, MAX_TILES = 31 }; /* panels have multiples of 8 rows, below 256: they are sent without padding */

/* What this rank has sent, by kind of message. */
static int is_counting;
static int64_t sent_messages[SCALAY_ENGINE_TAGS], sent_bytes[SCALAY_ENGINE_TAGS];

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size = 0;
    MPI_Type_size(type, &size);
    if (is_counting) {
        sent_messages[tag % SCALAY_ENGINE_TAGS]++;
        sent_bytes[tag % SCALAY_ENGINE_TAGS] += (int64_t)count * size;
    }
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* A diagonally dominant matrix: LU swaps no rows. */
static double complex dominant(scalay_type type, uint64_t seed, int64_t i, int64_t j)
{
    return matrix_element(type, seed, i, j) + (i == j ? 1000 : 0);
}

static int64_t all_ranks(int64_t value)
{
    long long own = value, sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Tiles of a pattern that is found for all ranks. */
typedef struct {
    int tiles;
    int owner[MAX_TILES * MAX_TILES];
} tile_table;

static void fill_table(scalay_factor_kind kind, tile_table *t)
{
    static const scalay_pattern_kernel kernels[] = {[SCALAY_FACTOR_QR] = SCALAY_PATTERN_QR,
                                                    [SCALAY_FACTOR_LU] = SCALAY_PATTERN_LU,
                                                    [SCALAY_FACTOR_CHOLESKY] = SCALAY_PATTERN_CHOLESKY};
    scalay_pattern *pattern = NULL;
    scalay_pattern_table table;
    CHECK_STATUS(scalay_pattern_find(kernels[kind], check_size(), NULL, 0, &pattern), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_pattern_get_table(pattern, &table), SCALAY_SUCCESS);
    const int period = table.rows > table.cols ? table.rows : table.cols;
    t->tiles = 2 * period < MAX_TILES ? 2 * period : MAX_TILES;
    for (int i = 0; i < t->tiles; i++)
        for (int j = 0; j < t->tiles; j++) t->owner[i * t->tiles + j] = scalay_pattern_owner(pattern, i, j);
    scalay_pattern_destroy(&pattern);
}

/* Runs a factorisation, and keeps its plan. */
static void run(const problem *p, scalay_engine *engine)
{
    scalay_engine_plan plan;
    *engine = (scalay_engine){.mpi = MPI_COMM_NULL};
    CHECK_STATUS(problem_plan(p, check_rank(), &plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_engine_create(p->type, &plan, engine), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_engine_connect(engine, MPI_COMM_WORLD), SCALAY_SUCCESS);
    problem_visitor v = {.p = p, .local = malloc((size_t)(engine->plan.local_size + 1) * scalay_type_size(p->type))};
    problem_visit(&engine->plan, &v, problem_fill);
    memset(sent_messages, 0, sizeof sent_messages);
    memset(sent_bytes, 0, sizeof sent_bytes);
    is_counting = 1;
    CHECK_STATUS(scalay_engine_execute(engine, v.local), SCALAY_SUCCESS);
    is_counting = 0;
    CHECK(engine->info == 0);
    free(v.local);
}

/* All messages are those of the statistics; panels are those of the plan, in number and bytes. */
static void check_panels(const problem *p, const scalay_engine *engine)
{
    const int64_t size = (int64_t)scalay_type_size(p->type);
    const scalay_engine_traffic model = scalay_engine_count(&engine->plan);
    int64_t messages = 0, bytes = 0;
    for (int kind = 0; kind < SCALAY_ENGINE_TAGS; kind++) {
        messages += sent_messages[kind];
        bytes += sent_bytes[kind];
    }
    CHECK(messages == engine->statistics.messages && bytes == engine->statistics.bytes);
    CHECK(sent_messages[SCALAY_ENGINE_ROWS] + sent_messages[SCALAY_ENGINE_PANEL] +
              sent_messages[SCALAY_ENGINE_REDUCTION] ==
          model.panel_messages);
    CHECK(sent_bytes[SCALAY_ENGINE_ROWS] + sent_bytes[SCALAY_ENGINE_PANEL] + sent_bytes[SCALAY_ENGINE_REDUCTION] ==
          size * model.panel_elements);
    if (!p->together) CHECK(sent_messages[SCALAY_ENGINE_REDUCTION] == 0);
}

/* ------------------------------------------------------------------------------------------------- Cholesky */

/* Owners of the panel of step k, and whether the process is one. */
static int count_owners(const tile_table *t, int j, int k, int process, int *is_owner)
{
    int seen[MAX_TILES * MAX_TILES] = {0}, owners = 0;
    *is_owner = 0;
    for (int i = k; i < t->tiles; i++) {
        const int owner = t->owner[i * t->tiles + j];
        owners += seen[owner]++ == 0;
        *is_owner |= owner == process;
    }
    return owners;
}

/* One process factors each panel. It gets the tiles of the panel, and sends tile (i, k) to all processes with tiles in
 * row i or column i. */
static void cholesky_with_one_process_per_panel(problem *p, const tile_table *t)
{
    scalay_engine engine;
    int64_t gathered = 0, sent = 0;
    p->together = 0;
    run(p, &engine);
    check_panels(p, &engine);
    for (int k = 0; k < t->tiles; k++)
        for (int i = k; i < t->tiles; i++) {
            int needs[MAX_TILES * MAX_TILES] = {0};
            const int factorer = engine.plan.factorer[k];
            gathered += t->owner[i * t->tiles + k] != factorer;
            for (int j = k; j <= i; j++) needs[t->owner[i * t->tiles + j]] = 1;
            for (int l = i; l < t->tiles; l++) needs[t->owner[l * t->tiles + i]] = 1;
            needs[factorer] = 0;
            for (int process = 0; process < p->processes; process++) sent += needs[process];
        }
    const int64_t tile = NB * NB * (int64_t)scalay_type_size(p->type);
    CHECK(all_ranks(sent_bytes[SCALAY_ENGINE_ROWS]) == tile * gathered);
    CHECK(all_ranks(sent_bytes[SCALAY_ENGINE_PANEL]) == tile * sent);
    scalay_engine_free(&engine);
}

/* The owners factor a panel together. The tiles that they send are those of scalay_owner_map_tile_traffic(). Besides,
 * the owners share the diagonal tile by a reduction before they solve with it. */
static void cholesky_sends_the_tiles_of_the_model(problem *p, const tile_table *t)
{
    scalay_engine engine;
    scalay_owner_map *map = NULL;
    scalay_tile_traffic traffic = {0};
    int64_t reductions = 0;
    p->together = 1;
    CHECK_STATUS(problem_map(p, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_owner_map_tile_traffic(map, NB, SCALAY_PATTERN_CHOLESKY, NULL, &traffic), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    run(p, &engine);
    check_panels(p, &engine);
    for (int k = 0; k < t->tiles; k++) {
        int is_owner, power = 1, rounds = 0;
        const int owners = count_owners(t, k, k, -1, &is_owner);
        while (2 * power <= owners) power *= 2, rounds++;
        reductions += (int64_t)power * rounds + 2 * (owners - power); /* recursive doubling */
    }
    const int64_t tile = NB * NB * (int64_t)scalay_type_size(p->type);
    const int64_t panels = all_ranks(sent_bytes[SCALAY_ENGINE_PANEL]);
    CHECK(panels == tile * traffic.tiles);
    CHECK(all_ranks(sent_messages[SCALAY_ENGINE_REDUCTION]) == reductions);
    CHECK(all_ranks(sent_bytes[SCALAY_ENGINE_REDUCTION]) == tile * reductions);
    CHECK(sent_messages[SCALAY_ENGINE_ROWS] == 0);
    if (check_rank() == 0)
        printf("Cholesky, %d processes, %d tiles: %.3f tiles sent per tile\n", p->processes, t->tiles * t->tiles,
               2.0 * (double)(panels / tile) / t->tiles / t->tiles);
    scalay_engine_free(&engine);
}

/* -------------------------------------------------------------------------------------------- LU and QR */

/* What a process sends in an exchange. */
typedef struct {
    int64_t messages, tiles;
} exchange;

/* Tiles that this process sends to another one about tile column j at step k. QR: each owner contributes W. LU without
 * swaps: the owner of tile (k, j) contributes the rows of U. A combiner, if there is one, sends the result. */
static int tiles_to(const problem *p, const tile_table *t, int k, int j, int to, int combiner, int is_result)
{
    const int self = check_rank(), top = t->owner[k * t->tiles + j];
    if (is_result) return combiner == self;
    if (p->kind == SCALAY_FACTOR_LU && top != self) return 0;
    return combiner < 0 || combiner == to;
}

static void count_range(const problem *p, const tile_table *t, const scalay_engine_plan *plan, int k, int first,
                        int last, exchange *x)
{
    for (int is_result = 0; is_result < 2; is_result++)
        for (int to = 0; to < p->processes; to++) {
            int tiles = 0;
            for (int j = first; to != check_rank() && j <= last; j++) {
                int is_owner, is_other;
                (void)count_owners(t, j, k, check_rank(), &is_owner);
                (void)count_owners(t, j, k, to, &is_other);
                if (!is_owner || !is_other) continue;
                const int combiner = scalay_engine_combiner(
                    plan, &plan->column_class[plan->column_class_of[plan->map.col.class[j]]], j, k);
                tiles += tiles_to(p, t, k, j, to, combiner, is_result);
            }
            x->messages += tiles > 0;
            x->tiles += tiles;
        }
}

static void check_exchanges(problem *p, const tile_table *t)
{
    scalay_engine engine;
    exchange x = {0};
    p->together = 0;
    run(p, &engine);
    check_panels(p, &engine);
    const scalay_engine_plan *plan = &engine.plan;
    for (int k = 0; k + 1 < t->tiles; k++) {
        count_range(p, t, plan, k, k + 1, k + 1, &x);
        for (int first = k + 2, last; first < t->tiles; first = last + 1) {
            last = (first / plan->interval + 1) * plan->interval - 1;
            if (last >= t->tiles) last = t->tiles - 1;
            count_range(p, t, plan, k, first, last, &x);
        }
    }
    const int64_t tile = NB * NB * (int64_t)scalay_type_size(p->type);
    CHECK(sent_messages[SCALAY_ENGINE_CONTRIBUTION] + sent_messages[SCALAY_ENGINE_RESULT] == x.messages);
    CHECK(sent_bytes[SCALAY_ENGINE_CONTRIBUTION] + sent_bytes[SCALAY_ENGINE_RESULT] == tile * x.tiles);
    CHECK(sent_messages[SCALAY_ENGINE_SWAP] == 0);
    if (p->kind == SCALAY_FACTOR_QR) {
        const scalay_engine_traffic model = scalay_engine_count(plan);
        CHECK(x.messages == model.exchange_messages && NB * NB * x.tiles == model.exchange_elements);
    }
    scalay_engine_free(&engine);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        static tile_table t;
        fill_table((scalay_factor_kind)kind, &t);
        problem p = {.kind = (scalay_factor_kind)kind,
                     .type = SCALAY_DOUBLE,
                     .m = t.tiles * NB,
                     .n = t.tiles * NB,
                     .nb = NB,
                     .processes = check_size(),
                     .seed = 1,
                     .owner = t.owner,
                     .element = kind == SCALAY_FACTOR_LU ? dominant : NULL};
        if (kind != SCALAY_FACTOR_CHOLESKY) {
            check_exchanges(&p, &t);
            continue;
        }
        cholesky_with_one_process_per_panel(&p, &t);
        cholesky_sends_the_tiles_of_the_model(&p, &t);
    }
    return check_verdict();
}
