/* A factorisation planned for 10,000 processes, without a communicator: memory of a plan, messages and volume. */
#include "factor/engine_plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "scalay/layout.h"
#include "support/check.h"

enum { PROCESSES = 10000, GRID = 100, N = 51200, NB = 64 };

static void plan_of(scalay_factor_kind kind, const scalay_owner_map *map, int processes, int process,
                    scalay_engine_plan *plan)
{
    scalay_engine_map tiles = {0};
    const scalay_engine_settings settings = {.kind = kind, .element_size = 8, .panels_together = -1};
    CHECK_STATUS(scalay_engine_map_create(map, NULL, processes, NB, 0, &tiles), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_engine_plan_create("test", &settings, &tiles, process, plan), SCALAY_SUCCESS);
}

/* The plan of one process takes little memory, and its buffers take a part of the local matrix. */
static void ten_thousand_processes_are_planned(scalay_factor_kind kind)
{
    scalay_owner_map *map = NULL;
    scalay_engine_plan plan;
    double *speed = malloc(sizeof *speed * PROCESSES);
    for (int p = 0; p < PROCESSES; p++) speed[p] = p < PROCESSES / 2 ? 1 : 0.5;
    const scalay_trailing trailing = kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    CHECK_STATUS(scalay_owner_map_1d1d(N, N, NB, PROCESSES, speed, trailing, GRID, &map), SCALAY_SUCCESS);
    scalay_memory_reset_peak();
    const int64_t before = scalay_memory_bytes();
    plan_of(kind, map, PROCESSES, 4321, &plan);
    const int64_t local = plan.local_size * 8, panels = 4 * (int64_t)(N / GRID + N / 20) * NB * 8;
    CHECK(scalay_memory_peak() - before < 16 << 20);
    CHECK(scalay_engine_workspace(&plan) < 2 * local + 8 * panels);
    printf("kind %d: plan %.1f MB, local matrix %.1f MB, buffers %.1f MB\n", (int)kind,
           (double)(scalay_memory_peak() - before) / 1e6, (double)local / 1e6,
           (double)scalay_engine_workspace(&plan) / 1e6);
    scalay_engine_plan_free(&plan);
    scalay_owner_map_destroy(&map);
    free(speed);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++)
        ten_thousand_processes_are_planned((scalay_factor_kind)kind);
    CHECK(scalay_memory_live() == 0);
    return check_verdict();
}
