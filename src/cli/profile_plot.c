#include <stdio.h>

#include "io/plot.h"
#include "profile.h"
#include "workload.h"

scalay_status scalay_measured_draw(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    char title[160];
    const scalay_workload_result functions = {.profile = measured->profile};
    (void)snprintf(title, sizeof title, "%.100s on %d process%s", measured->facts.kernel, measured->facts.processors,
                   measured->facts.processors > 1 ? "es" : "");
    SCALAY_TRY(scalay_plot_create(title, &plot));
    SCALAY_TRY(scalay_workload_add_functions(plot, &functions, 0));
    if (scalay_profile_has_energy(measured->profile)) SCALAY_TRY(scalay_workload_add_functions(plot, &functions, 1));
    SCALAY_TRY(scalay_plot_save(plot, measured->options->plot));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}
