/*
 * Messages and volume of a factorisation on 1D-1D maps. What a plan predicts is what MPI sees: MPI_Isend is counted by
 * a wrapper. For 100 processes, planned without a communicator, the prediction is compared with the tiles that
 * scalay_owner_map_tile_traffic() counts from the owner map alone.
 */
#include <stdio.h>

#include "factor/engine_problem.h"
#include "scalay/pattern.h"

static int64_t messages, bytes;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    messages++;
    bytes += (int64_t)count * size;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

static scalay_owner_map *create_map(scalay_factor_kind kind, int n, int nb, int parts, const double *speed, int groups)
{
    scalay_owner_map *map = NULL;
    const scalay_trailing trailing = kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    CHECK_STATUS(scalay_owner_map_1d1d(n, n, nb, parts, speed, trailing, groups, &map), SCALAY_SUCCESS);
    return map;
}

static double deviation(int64_t counted, int64_t predicted)
{
    return fabs((double)counted - (double)predicted) / fmax(1.0, (double)predicted);
}

/* Executes a factorisation and compares what all ranks send with the sum of the predictions. */
static void mpi_sees_what_the_plan_predicts(scalay_factor_kind kind, int groups)
{
    enum { NB = 8, N = 240, TILES = N / NB };
    const int size = check_size();
    double speed[128];
    static int owner[TILES * TILES];
    scalay_engine_plan plan;
    outcome o;
    for (int p = 0; p < size; p++) speed[p] = p % 3 == 0 ? 1 : .5;
    scalay_owner_map *map = create_map(kind, N, NB, size, speed, groups);
    for (int t = 0; t < TILES * TILES; t++)
        owner[t] = scalay_owner_map_owner(map, (int64_t)(t / TILES) * NB, (int64_t)(t % TILES) * NB);
    const problem p = {kind, SCALAY_DOUBLE, N, N, NB, size, -1, 5, owner, speed, NULL, 0, NULL, 0};
    CHECK_STATUS(problem_plan(&p, check_rank(), &plan), SCALAY_SUCCESS);
    const scalay_engine_traffic t = scalay_engine_count(&plan);
    scalay_engine_plan_free(&plan);
    MPI_Barrier(MPI_COMM_WORLD);
    messages = bytes = 0;
    CHECK_STATUS(problem_run(&p, 1, &o), SCALAY_SUCCESS);
    int64_t all[4] = {messages, bytes, t.panel_messages + t.exchange_messages,
                      8 * (t.panel_elements + t.exchange_elements)};
    MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank() == 0)
        printf("kind %d, %d processes, %d groups: %lld messages (predicted %lld), %lld bytes (predicted %lld)\n",
               (int)kind, size, groups, (long long)all[0], (long long)all[2], (long long)all[1], (long long)all[3]);
    /* LU: the rows that pivots name, and the swaps at the end, depend on the numbers. All else is exact. */
    CHECK(deviation(all[0], all[2]) <= (kind == SCALAY_FACTOR_LU ? .15 : 0));
    CHECK(deviation(all[1], all[3]) <= (kind == SCALAY_FACTOR_LU ? .35 : 0));
    outcome_free(&o);
    scalay_owner_map_destroy(&map);
}

/* The sum of the predictions of 100 processes against the tiles of the owner map. */
static void a_hundred_processes_send_the_tiles_of_the_map(scalay_factor_kind kind)
{
    enum { PROCESSES = 100, NB = 64, N = 128 * NB };
    static const scalay_pattern_kernel kernels[] = {SCALAY_PATTERN_QR, SCALAY_PATTERN_LU, SCALAY_PATTERN_CHOLESKY};
    double speed[PROCESSES];
    scalay_tile_traffic tiles;
    int64_t panels = 0, exchanges = 0;
    for (int p = 0; p < PROCESSES; p++) speed[p] = p < PROCESSES / 2 ? 1 : .5;
    scalay_owner_map *map = create_map(kind, N, NB, PROCESSES, speed, 0);
    CHECK_STATUS(scalay_owner_map_tile_traffic(map, NB, kernels[kind], speed, &tiles), SCALAY_SUCCESS);
    for (int process = 0; process < PROCESSES; process++) {
        scalay_engine_map engine_map = {0};
        scalay_engine_plan plan;
        const scalay_engine_settings settings = {
            .kind = kind, .element_size = 8, .panels_together = -1, .speed = speed};
        CHECK_STATUS(scalay_engine_map_create(map, NULL, PROCESSES, NB, 0, &engine_map), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_engine_plan_create("test", &settings, &engine_map, process, &plan), SCALAY_SUCCESS);
        const scalay_engine_traffic t = scalay_engine_count(&plan);
        panels += t.panel_elements;
        exchanges += t.exchange_elements;
        scalay_engine_plan_free(&plan);
    }
    const double along_rows = (double)(tiles.tiles - tiles.along_columns) * NB * NB;
    const double along_columns = (double)tiles.along_columns * NB * NB;
    printf("kind %d, %d processes: panels %.3f, exchanges %.3f of the tiles\n", (int)kind, PROCESSES,
           (double)panels / along_rows, along_columns > 0 ? (double)exchanges / along_columns : 0);
    CHECK((double)panels >= .95 * along_rows && (double)panels <= 1.35 * along_rows);
    CHECK((double)exchanges >= .75 * along_columns && (double)exchanges <= 1.25 * along_columns);
    scalay_owner_map_destroy(&map);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        mpi_sees_what_the_plan_predicts((scalay_factor_kind)kind, check_size());
        mpi_sees_what_the_plan_predicts((scalay_factor_kind)kind, 0);
        if (check_rank() == 0) a_hundred_processes_send_the_tiles_of_the_map((scalay_factor_kind)kind);
    }
    return check_verdict();
}
