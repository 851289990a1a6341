/* Predicted times of compute routines, by advice for ScaLAPACK alone. */
#include "dropin/prediction.h"

#include <stdlib.h>
#include <string.h>

#include "dropin/compute.h"
#include "scalay/advice.h"

int scalay_prediction_machine(scalay_machine *machine)
{
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = getenv("SCALAY_MACHINE");
    return scalay_machine_read(options.path != NULL ? 0 : scalay_compute_processes(), &options, machine) ==
           SCALAY_SUCCESS;
}

static int is_one_of(const char *routine, const char *names)
{
    return strstr(names, routine + 2) != NULL;
}

/* Models of p?potrf and p?gemm want square matrices. */
static scalay_kernel kernel_of(const char *routine, const scalay_layout *source)
{
    if (is_one_of(routine, "getrf gesv getri")) return SCALAY_KERNEL_LU;
    if (scalay_layout_rows(source) != scalay_layout_cols(source)) return SCALAY_KERNEL_QR;
    if (is_one_of(routine, "potrf posv potri")) return SCALAY_KERNEL_CHOLESKY;
    return is_one_of(routine, "gemm getrs potrs trsm") ? SCALAY_KERNEL_GEMM : SCALAY_KERNEL_QR;
}

static scalay_type type_of(const char *routine)
{
    const char *const letters = "sdcz";
    static const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};
    const char *letter = strchr(letters, routine[1]);
    return types[letter != NULL ? letter - letters : 1];
}

/* Reads the candidates: staying, and the first grid. Of `matrices`, one moves. */
static int read_candidates(const scalay_advice *advice, int matrices, scalay_prediction *p)
{
    int has_stay = 0, has_grid = 0;
    for (int k = 0; k < scalay_advice_count(advice); k++) {
        scalay_advice_candidate c;
        if (scalay_advice_get_candidate(advice, k, &c) != SCALAY_SUCCESS) continue;
        if (strcmp(c.name, "owner") == 0) {
            p->stay_seconds = c.kernel_seconds;
            has_stay = 1;
        } else if (!has_grid && c.nprow > 0) {
            *p = (scalay_prediction){p->stay_seconds, c.kernel_seconds, c.move_seconds / matrices,
                                     c.nprow,         c.npcol,          c.nb};
            has_grid = 1;
        }
    }
    return has_stay && has_grid;
}

int scalay_prediction_of(const char *routine, const scalay_layout *source, int brings_back,
                         scalay_prediction *prediction)
{
    scalay_advice_options options = scalay_advice_options_default();
    scalay_advice *advice = NULL;
    scalay_machine machine;
    int is_found = 0;
    options.kernel = kernel_of(routine, source);
    options.type = type_of(routine);
    options.bring_back = brings_back;
    options.scalapack_only = 1;
    options.nprow = prediction->nprow;
    options.npcol = prediction->npcol;
    options.nb = prediction->nb;
    if (scalay_prediction_machine(&machine)) options.machine = &machine;
    if (scalay_advice_create(source, &options, &advice) == SCALAY_SUCCESS)
        is_found = read_candidates(advice, options.kernel == SCALAY_KERNEL_GEMM ? 3 : 1, prediction);
    scalay_advice_destroy(&advice);
    return is_found;
}
