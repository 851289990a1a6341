/* Loads of the processes of a block-cyclic grid, in closed form. Time: O(1), with speeds O(processes). */
#include "model/load.h"

#include <math.h>

#include "base/integer.h"
#include "model/machine.h"

int64_t scalay_load_maximum(int64_t extent, int nb, int processes)
{
    int64_t blocks = extent / nb, rest = extent % nb;
    int64_t rounds = blocks / processes;
    return rounds * nb + (blocks % processes > 0 ? nb : rest);
}

/* Returns the number of indices on the process `distance` after the process of the first block. */
static int64_t local_extent(int64_t extent, int nb, int processes, int64_t distance)
{
    int64_t blocks = extent / nb, rest = extent % nb;
    int64_t own = blocks / processes * nb;
    if (distance < blocks % processes) return own + nb;
    return distance == blocks % processes ? own + rest : own;
}

static int64_t distance_to(int64_t first, int process, int processes)
{
    return (process - first % processes + processes) % processes;
}

double scalay_load_elements(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t cols,
                            int64_t top, int64_t left)
{
    const int64_t active = (int64_t)grid->nprow * grid->npcol, line = scalay_max_int64(grid->nprow, grid->npcol);
    if (grid->speed == NULL)
        return scalay_machine_spread(machine, active, line,
                                     (double)scalay_load_maximum(rows, grid->mb, grid->nprow) *
                                         (double)scalay_load_maximum(cols, grid->nb, grid->npcol),
                                     (double)rows * (double)cols);
    double most = 0.0, sum = 0.0;
    for (int r = 0; r < grid->nprow; r++) {
        const double mine = (double)local_extent(rows, grid->mb, grid->nprow, distance_to(top, r, grid->nprow));
        for (int c = 0; c < grid->npcol; c++) {
            int64_t width = local_extent(cols, grid->nb, grid->npcol, distance_to(left, c, grid->npcol));
            double work = mine * (double)width / grid->speed[(int64_t)r * grid->npcol + c];
            most = fmax(most, work);
            sum += work;
        }
    }
    return scalay_machine_spread(machine, active, line, most, sum);
}

double scalay_load_rows(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t top,
                        int64_t left)
{
    if (grid->speed == NULL)
        return scalay_machine_spread(machine, grid->nprow, grid->nprow,
                                     (double)scalay_load_maximum(rows, grid->mb, grid->nprow), (double)rows);
    double most = 0.0, sum = 0.0;
    for (int r = 0; r < grid->nprow; r++) {
        int64_t mine = local_extent(rows, grid->mb, grid->nprow, distance_to(top, r, grid->nprow));
        double work = (double)mine / grid->speed[(int64_t)r * grid->npcol + left % grid->npcol];
        most = fmax(most, work);
        sum += work;
    }
    return scalay_machine_spread(machine, grid->nprow, grid->nprow, most, sum);
}

static scalay_link link_of_machine(const scalay_machine *machine)
{
    return (scalay_link){.message = machine->seconds_per_message,
                         .byte = machine->seconds_per_byte,
                         .byte_in_turn = machine->seconds_per_byte,
                         .byte_ring = machine->seconds_per_byte,
                         .byte_split_ring = machine->seconds_per_byte};
}

scalay_link scalay_load_row_link(const scalay_machine *machine, const scalay_load_grid *grid)
{
    return grid->has_links ? grid->row : link_of_machine(machine);
}

scalay_link scalay_load_col_link(const scalay_machine *machine, const scalay_load_grid *grid)
{
    return grid->has_links ? grid->col : link_of_machine(machine);
}

double scalay_load_speeds(const scalay_load_grid *grid)
{
    const int64_t processes = (int64_t)grid->nprow * grid->npcol;
    if (grid->speed == NULL) return (double)processes;
    double sum = 0.0;
    for (int64_t p = 0; p < processes; p++) sum += grid->speed[p];
    return sum;
}

scalay_status scalay_load_check(const scalay_load_grid *grid, const char *function)
{
    if (grid->nprow < 1 || grid->npcol < 1 || grid->mb < 1 || grid->nb < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the grid is %d x %d with blocks of %d x %d; all of them must be at least 1", grid->nprow,
                           grid->npcol, grid->mb, grid->nb);
    for (int64_t p = 0; grid->speed != NULL && p < (int64_t)grid->nprow * grid->npcol; p++)
        if (!isfinite(grid->speed[p]) || grid->speed[p] <= 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "speed[%lld] is %g; it must be finite and above 0",
                               (long long)p, grid->speed[p]);
    return SCALAY_SUCCESS;
}
