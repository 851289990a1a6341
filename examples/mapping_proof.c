/* What proves a mapping, read and verified by somebody else: the operands of a multiplication go to one mapping, and
 * the dual variables of it show that nothing moves less. No MPI is needed for planning: this program never calls it. */
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

/* No mapping keeps more than all duals together: they dominate every pair, and a mapping uses each at most once. */
static int duals_prove(const scalay_traffic *traffic, const scalay_mapping *mapping)
{
    int processes = 0;
    const int64_t *process = scalay_mapping_process_duals(mapping, &processes);
    const int64_t *part = scalay_mapping_part_duals(mapping);
    int64_t most = 0;
    for (int i = 0; i < processes; i++) most += process[i];
    for (int j = 0; j < scalay_mapping_parts(mapping); j++) most += part[j];
    for (int i = 0; i < processes; i++)
        for (int j = 0; j < scalay_mapping_parts(mapping); j++)
            if (process[i] + part[j] < scalay_traffic_get_entry(traffic, i, j)) return 0;
    printf("%d + %d duals in units of %g: at most %lld bytes can stay, so %lld move\n", processes,
           scalay_mapping_parts(mapping), scalay_mapping_dual_unit(mapping), (long long)most,
           (long long)scalay_mapping_volume(mapping));
    return scalay_mapping_dual_steps(mapping) == INT64_MAX &&
           scalay_traffic_items(traffic) - most == scalay_mapping_volume(mapping);
}

static int explain_steps(const scalay_layout *source, const scalay_layout *target)
{
    scalay_mapping *mapping = NULL;
    scalay_mapping_front *front = NULL;
    int size = 0, of_parts = 0;
    stop_unless(scalay_mapping_create(source, target, SCALAY_MIN_STEPS, NULL, &mapping), SCALAY_SUCCESS);
    const int *crowd = scalay_mapping_hall_violator(mapping, &size, &of_parts);
    printf("fewer than %lld steps are impossible: %d %s, the first is %d, share too few partners\n",
           (long long)scalay_mapping_steps_bound(mapping), size, of_parts ? "parts" : "processes",
           crowd != NULL ? crowd[0] : -1);
    scalay_mapping_destroy(&mapping);
    stop_unless(scalay_mapping_front_create(source, target, NULL, &front), SCALAY_SUCCESS);
    stop_unless(scalay_mapping_front_check_layouts(source, target, front, NULL), SCALAY_SUCCESS);
    scalay_mapping_front_destroy(&front);
    return crowd != NULL;
}

/* Rows and columns of a product are two small problems, each with duals of its own. */
static int explain_grid(const scalay_layout *source, const scalay_layout *target)
{
    scalay_mapping *mapping = NULL;
    int rows = 0, cols = 0;
    int64_t sum = 0;
    stop_unless(scalay_mapping_create(source, target, SCALAY_MIN_GRID_VOLUME, NULL, &mapping), SCALAY_SUCCESS);
    const int64_t *line = scalay_mapping_line_duals(mapping, &rows, &cols);
    for (int k = 0; line != NULL && k < 2 * rows; k++) sum += line[k];
    printf("with the %d x %d grid kept, %lld elements stay\n", rows, cols, (long long)sum);
    scalay_mapping_destroy(&mapping);
    return line != NULL;
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
