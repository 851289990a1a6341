/* Verifies the certificate of a mapping that is common to the operands of a multiplication: its dual variables show
 * that no mapping has less volume. Planning needs no MPI. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/layout.h"
#include "scalay/mapping.h"

enum { MATRICES = 2 };

static void stop_unless(scalay_status status, scalay_status expected)
{
    if (status == expected) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(1);
}

static scalay_layout *grid_of(int64_t m, int64_t n, int64_t block, int p, int q)
{
    scalay_layout *layout = NULL;
    stop_unless(scalay_layout_block_cyclic(m, n, block, block, p, q, 0, 0, SCALAY_ROW_MAJOR, &layout), SCALAY_SUCCESS);
    return layout;
}

/* The duals dominate every pair, and a mapping uses each of them at most once. So no mapping keeps more elements than
 * their sum. */
static int duals_prove(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    scalay_mapping_certificate proof;
    scalay_mapping_summary summary;
    scalay_traffic_summary extents;
    int64_t sum = 0;
    stop_unless(scalay_mapping_get_certificate(mapping, &proof), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_get_summary(mapping, &summary), SCALAY_SUCCESS);
    stop_unless(scalay_traffic_get_summary(traffic, &extents), SCALAY_SUCCESS);
    for (int i = 0; i < proof.process_duals; i++) sum += proof.process_dual[i];
    for (int j = 0; j < summary.parts; j++) sum += proof.part_dual[j];
    for (int i = 0; i < proof.process_duals; i++)
        for (int j = 0; j < summary.parts; j++)
            if (proof.process_dual[i] + proof.part_dual[j] < scalay_traffic_get_entry(traffic, i, j)) return 0;
    printf("%d + %d duals in units of %g: at most %lld bytes can stay, so %lld move\n", proof.process_duals,
           summary.parts, proof.dual_unit, (long long)sum, (long long)summary.volume);
    return proof.dual_steps == INT64_MAX && extents.elements - sum == summary.volume;
}

/* A Hall violator proves the least number of steps. */
static int explain_steps(const scalay_layout *source, const scalay_layout *target)
{
    scalay_mapping *mapping = NULL;
    scalay_mapping_front *front = NULL;
    scalay_mapping_certificate proof;
    scalay_mapping_summary summary;
    stop_unless(scalay_mapping_create(source, target, SCALAY_MIN_STEPS, NULL, &mapping), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_get_certificate(mapping, &proof), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_get_summary(mapping, &summary), SCALAY_SUCCESS);
    const int exists = proof.hall_violator_size > 0;
    printf("fewer than %lld steps are impossible: %d %s, the first is %d, have fewer neighbours than members\n",
           (long long)summary.steps_bound, proof.hall_violator_size,
           proof.hall_violator_of_parts ? "parts" : "processes", exists ? proof.hall_violator[0] : -1);
    scalay_mapping_destroy(&mapping);
    stop_unless(scalay_mapping_front_create(source, target, NULL, &front), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_front_check_layouts(source, target, front, NULL), SCALAY_SUCCESS);
    scalay_mapping_front_destroy(&front);
    return exists;
}

/* The rows and the columns of a grid are two small assignments. Each has its own duals. */
static int explain_grid(const scalay_layout *source, const scalay_layout *target)
{
    scalay_mapping *mapping = NULL;
    scalay_mapping_certificate proof;
    int64_t sum = 0;
    stop_unless(scalay_mapping_create(source, target, SCALAY_MIN_GRID_VOLUME, NULL, &mapping), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_get_certificate(mapping, &proof), SCALAY_SUCCESS);
    for (int k = 0; k < 2 * proof.grid_rows; k++) sum += proof.line_dual[k];
    printf("with the %d x %d grid kept, %lld elements stay\n", proof.grid_rows, proof.grid_cols, (long long)sum);
    const int exists = proof.grid_rows > 0;
    scalay_mapping_destroy(&mapping);
    return exists;
}

int main(void)
{
    static const int64_t bytes[MATRICES] = {8, 4};
    scalay_layout *source[MATRICES] = {grid_of(96, 80, 8, 6, 6), grid_of(64, 80, 8, 6, 6)};
    scalay_layout *target[MATRICES] = {grid_of(96, 80, 5, 6, 6), grid_of(64, 80, 5, 6, 6)};
    const scalay_layout *const *from = (const scalay_layout *const *)source, *const *to =
                                                                                 (const scalay_layout *const *)target;
    scalay_traffic *each[MATRICES] = {NULL}, *traffic = NULL;
    scalay_mapping *mapping = NULL;
    for (int k = 0; k < MATRICES; k++)
        stop_unless(scalay_traffic_create(source[k], target[k], &each[k]), SCALAY_SUCCESS);
    stop_unless(scalay_traffic_add(MATRICES, (const scalay_traffic *const *)each, bytes, &traffic), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_create_shared(MATRICES, from, to, bytes, SCALAY_MIN_VOLUME, NULL, &mapping),
                SCALAY_SUCCESS);
    stop_unless(scalay_mapping_check_layouts(MATRICES, from, to, bytes, mapping, NULL), SCALAY_SUCCESS);
    const int right =
        duals_prove(traffic, mapping) && explain_steps(source[0], target[0]) && explain_grid(source[0], target[0]);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    for (int k = 0; k < MATRICES; k++) {
        scalay_traffic_destroy(&each[k]);
        scalay_layout_destroy(&source[k]);
        scalay_layout_destroy(&target[k]);
    }
    return right ? 0 : 1;
}
