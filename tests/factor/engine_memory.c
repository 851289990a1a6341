/*
 * Memory of the engine, planned for each process of several maps without a communicator.
 *
 * Besides its local array a process has two panels, messages as large as each of them in both directions, and at most a
 * tenth of the local array. If each process owns whole tile columns, panels are sent as they are, so there are no
 * messages. What is allocated is what the plan says.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "factor/engine.h"
#include "scalay/layout.h"
#include "support/check.h"

/* The plan of a process on a 1D-1D map; half of the processes have half the speed. */
static void plan_of(scalay_factor_kind kind, int n, int nb, int processes, int groups, int process,
                    scalay_engine_plan *plan)
{
    scalay_owner_map *map = NULL;
    scalay_engine_map tiles = {0};
    double *speed = malloc(sizeof *speed * (size_t)processes);
    for (int p = 0; p < processes; p++) speed[p] = p < processes / 2 ? 1 : 0.5;
    const scalay_engine_settings settings = {.kind = kind, .element_size = 8, .panels_together = -1, .speed = speed};
    const scalay_trailing trailing = kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    CHECK_STATUS(scalay_owner_map_1d1d(n, n, nb, processes, speed, trailing, groups, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_engine_map_create(map, NULL, processes, nb, 0, &tiles), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_engine_plan_create("test", &settings, &tiles, process, plan), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    free(speed);
}

/* Bytes of a panel of all rows with T, R or pivots: no panel has more. */
static int64_t panel_bytes(int n, int nb)
{
    return 8 * ((int64_t)scalay_engine_leading(n) * nb + 2 * (int64_t)nb * nb);
}

static void buffers_take_a_tenth_besides_panels(int n, int nb, int processes, int groups)
{
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        double most = 0;
        for (int process = 0; process < processes; process++) {
            scalay_engine_plan plan;
            plan_of((scalay_factor_kind)kind, n, nb, processes, groups, process, &plan);
            const double local = 8 * (double)plan.local_size, workspace = (double)scalay_engine_workspace(&plan);
            CHECK(plan.panel_capacity * 8 <= panel_bytes(n, nb));
            const double panels = (groups == processes ? 2 : 6) * (double)plan.panel_capacity * 8;
            CHECK(workspace <= 0.1 * local + panels);
            if (workspace / local > most) most = workspace / local;
            scalay_engine_plan_free(&plan);
        }
        printf("kind %d, n %d, nb %d, %d processes, %d groups: %.1f%% of the local array\n", kind, n, nb, processes,
               groups, 100 * most);
    }
}

/* Bytes that an engine allocates besides its workspace. */
static int64_t bytes_besides_workspace(int kind, int n, int nb, int processes, int groups)
{
    scalay_engine_plan plan;
    scalay_engine engine;
    plan_of((scalay_factor_kind)kind, n, nb, processes, groups, processes / 2, &plan);
    const int64_t workspace = scalay_engine_workspace(&plan), before = scalay_memory_bytes();
    CHECK_STATUS(scalay_engine_create(SCALAY_DOUBLE, &plan, &engine), SCALAY_SUCCESS);
    const int64_t bytes = scalay_memory_bytes() - before - workspace;
    scalay_engine_free(&engine);
    return bytes;
}

/* What is allocated is the workspace and tables of a few numbers per tile row, class and process. */
static void engines_allocate_what_the_plan_says(int n, int nb, int processes, int groups)
{
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        const int64_t tables = bytes_besides_workspace(kind, n, nb, processes, groups);
        CHECK(tables >= 0);
        CHECK(tables <= 64 * ((int64_t)n + 10 * nb * nb + 100 * processes));
    }
}

/* If one process factors each panel, besides the workspace there are only tables, and for Cholesky the inverse of a
 * triangle. */
static void engines_without_reductions_have_no_scratch_for_them(int n, int nb, int processes)
{
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++) {
        const int64_t inverse = kind == SCALAY_FACTOR_CHOLESKY ? 8 * nb * nb : 0,
                      lines = kind == SCALAY_FACTOR_LU ? 24 : 8;
        const int64_t tables = bytes_besides_workspace(kind, n, nb, processes, processes) - inverse;
        CHECK(tables >= 0);
        CHECK(tables <= lines * ((int64_t)n + nb) + 4096);
    }
}

/* In shared memory a process has the first two of the panels that it factors, not two of the largest panels. */
static void shared_panels_are_those_of_the_process(int n, int nb, int processes)
{
    for (int kind = SCALAY_FACTOR_QR; kind <= SCALAY_FACTOR_CHOLESKY; kind++)
        for (int process = 0; process < processes; process++) {
            scalay_engine_plan plan;
            plan_of((scalay_factor_kind)kind, n, nb, processes, processes, process, &plan);
            const int64_t private = scalay_engine_workspace(&plan);
            plan.settings.shares_memory = 1;
            int64_t panels = 0;
            for (int k = 0, number = 0; k < plan.steps && number < 2; k++) {
                if (plan.factorer[k] != process) continue;
                panels += (int64_t)scalay_engine_leading(n - k * nb) * scalay_engine_panel_width(&plan, k) +
                          scalay_engine_extra(&plan, k, 1);
                number++;
            }
            CHECK(panels > 0 && panels < 2 * plan.panel_capacity);
            CHECK(private - scalay_engine_workspace(&plan) == 8 * (2 * plan.panel_capacity - panels));
            scalay_engine_plan_free(&plan);
        }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    buffers_take_a_tenth_besides_panels(4096, 96, 3, 3);
    buffers_take_a_tenth_besides_panels(8192, 96, 4, 4);
    buffers_take_a_tenth_besides_panels(8192, 64, 7, 3);
    buffers_take_a_tenth_besides_panels(12288, 64, 12, 4);
    buffers_take_a_tenth_besides_panels(16384, 64, 23, 5);
    engines_allocate_what_the_plan_says(2048, 64, 3, 3);
    engines_allocate_what_the_plan_says(2048, 64, 12, 4);
    engines_without_reductions_have_no_scratch_for_them(2048, 64, 3);
    shared_panels_are_those_of_the_process(1024, 48, 2);
    shared_panels_are_those_of_the_process(2048, 64, 3);
    CHECK(scalay_memory_live() == 0);
    return check_verdict();
}
