/* Predicted times of compute routines, by advice for ScaLAPACK alone and by the models of factorisations and drivers.
 */
#include "dropin/prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/compute.h"
#include "model/factorization.h"
#include "scalay/advice.h"
#include "scalay/model.h"

int scalay_prediction_machine(scalay_machine *machine)
{
    static scalay_machine kept;
    static int is_kept; /* a program that measures the machine finds the file later */
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = getenv("SCALAY_MACHINE");
    if (!is_kept)
        is_kept = scalay_machine_read(options.path != NULL ? 0 : scalay_compute_processes(), &options, &kept) ==
                  SCALAY_SUCCESS;
    *machine = kept;
    return is_kept;
}

static int is_one_of(const char *routine, const char *names)
{
    return strstr(names, routine + 2) != NULL;
}

static int repeats_lu(const char *routine)
{
    return is_one_of(routine, "getrf gesv");
}

static int repeats_cholesky(const char *routine)
{
    return is_one_of(routine, "potrf posv potri");
}

/* Models of p?potrf and p?gemm want square matrices. */
static scalay_kernel kernel_of(const char *routine, const scalay_layout *source)
{
    if (repeats_lu(routine)) return SCALAY_KERNEL_LU;
    if (scalay_layout_rows(source) != scalay_layout_cols(source)) return SCALAY_KERNEL_QR;
    if (repeats_cholesky(routine)) return SCALAY_KERNEL_CHOLESKY;
    return is_one_of(routine, "gemm") ? SCALAY_KERNEL_GEMM : SCALAY_KERNEL_QR;
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

/* ------------------------------------------------------------------------------------------------- drivers */

/* The driver of a routine; -1: none. */
static int driver_of(const char *routine)
{
    static const struct {
        const char *names;
        scalay_driver driver;
    } drivers[] = {{" getri ", SCALAY_DRIVER_GETRI},       {" syev heev ", SCALAY_DRIVER_SYEV},
                   {" syevd heevd ", SCALAY_DRIVER_SYEVD}, {" syevr heevr ", SCALAY_DRIVER_SYEVR},
                   {" syevx heevx ", SCALAY_DRIVER_SYEVX}, {" sygvx hegvx ", SCALAY_DRIVER_SYGVX},
                   {" gesvd ", SCALAY_DRIVER_GESVD}};
    char name[16];
    (void)snprintf(name, sizeof name, " %s ", routine + 2);
    for (size_t k = 0; k < sizeof drivers / sizeof *drivers; k++)
        if (strstr(drivers[k].names, name) != NULL) return (int)drivers[k].driver;
    return -1;
}

int scalay_prediction_is_driver(const char *routine)
{
    return driver_of(routine) >= 0;
}

static double driver_seconds(const scalay_predicted_call *call, const scalay_machine *machine, int nprow, int npcol,
                             int nb)
{
    const int64_t least = call->m < call->n ? call->m : call->n;
    const int64_t vectors = call->vectors < 0 || call->vectors > least ? least : call->vectors;
    return scalay_model_driver(machine, (scalay_driver)driver_of(call->routine), type_of(call->routine), call->m,
                               call->n, vectors, nprow, npcol, nb);
}

/* Sets the grid of all processes and the block on which a driver is fastest, and its seconds there. */
static void choose_driver_grid(const scalay_predicted_call *call, const scalay_machine *machine, scalay_prediction *p)
{
    static const int blocks[] = {32, 64, 128};
    const int processes = call->nprow * call->npcol;
    const int64_t least = call->m < call->n ? call->m : call->n;
    p->kernel_seconds = -1.0;
    for (int nprow = 1; nprow <= processes; nprow++)
        for (int k = 0; k < 3 && processes % nprow == 0; k++) {
            const int npcol = processes / nprow, larger = nprow > npcol ? nprow : npcol;
            if ((int64_t)larger * blocks[k] > least) continue;
            const double seconds = driver_seconds(call, machine, nprow, npcol, blocks[k]);
            if (seconds < 0.0 || (p->kernel_seconds >= 0.0 && seconds >= p->kernel_seconds)) continue;
            p->kernel_seconds = seconds;
            p->nprow = nprow;
            p->npcol = npcol;
            p->nb = blocks[k];
        }
}

int scalay_prediction_of_driver(const scalay_predicted_call *call, const scalay_machine *machine,
                                scalay_prediction *prediction)
{
    if (!scalay_prediction_is_driver(call->routine)) return 0;
    choose_driver_grid(call, machine, prediction);
    prediction->stay_seconds = driver_seconds(call, machine, call->nprow, call->npcol, call->nb);
    return prediction->stay_seconds > 0.0 && prediction->kernel_seconds > 0.0;
}

/* ------------------------------------------------------------------------------------------ factorisations */

static scalay_model_kind model_of(const scalay_predicted_call *call)
{
    if (repeats_lu(call->routine)) return SCALAY_MODEL_LU;
    return repeats_cholesky(call->routine) ? SCALAY_MODEL_CHOLESKY : SCALAY_MODEL_QR;
}

/* The seconds on a grid; below 0: not predicted. An upper triangle is a lower one on the transposed grid. */
static double factorisation_seconds(const scalay_predicted_call *call, const scalay_machine *machine,
                                    scalay_load_grid grid)
{
    const int nprow = grid.nprow;
    scalay_qr_cost cost;
    if (call->is_upper) {
        grid.nprow = grid.npcol;
        grid.npcol = nprow;
    }
    const scalay_status status = scalay_factorization_on_grid(machine, model_of(call), type_of(call->routine), call->m,
                                                              call->n, &grid, __func__, &cost);
    return status == SCALAY_SUCCESS ? cost.seconds : -1.0;
}

int scalay_prediction_of_factorisation(const scalay_predicted_call *call, const scalay_machine *machine,
                                       scalay_prediction *p)
{
    const scalay_load_grid source = {.nprow = call->nprow,
                                     .npcol = call->npcol,
                                     .mb = call->nb,
                                     .nb = call->nb,
                                     .is_spread = call->is_spread},
                           target = {.nprow = p->nprow, .npcol = p->npcol, .mb = p->nb, .nb = p->nb, .is_spread = 1};
    p->stay_seconds = factorisation_seconds(call, machine, source);
    p->kernel_seconds = factorisation_seconds(call, machine, target);
    return p->stay_seconds > 0.0 && p->kernel_seconds > 0.0;
}

/* ---------------------------------------------------------------------------------------------------- calls */

static int predict_by_advice(const scalay_predicted_call *call, const scalay_machine *machine, scalay_prediction *p)
{
    scalay_advice_options options = scalay_advice_options_default();
    scalay_advice *advice = NULL;
    int is_found = 0;
    options.kernel = kernel_of(call->routine, call->source);
    options.type = type_of(call->routine);
    options.bring_back = call->brings_back;
    options.scalapack_only = 1;
    options.nprow = p->nprow;
    options.npcol = p->npcol;
    options.nb = p->nb;
    options.machine = machine;
    if (scalay_advice_create(call->source, &options, &advice) == SCALAY_SUCCESS)
        is_found = read_candidates(advice, options.kernel == SCALAY_KERNEL_GEMM ? 3 : 1, p);
    scalay_advice_destroy(&advice);
    return is_found;
}

double scalay_prediction_stay(const scalay_predicted_call *call)
{
    scalay_machine measured;
    const scalay_machine *machine = scalay_prediction_machine(&measured) ? &measured : NULL;
    if (!scalay_prediction_is_driver(call->routine)) return 0.0;
    const double seconds = driver_seconds(call, machine, call->nprow, call->npcol, call->nb);
    return seconds > 0.0 ? seconds : 0.0;
}

/* Advice knows the time of the move to a driver's grid. */
int scalay_prediction_of(const scalay_predicted_call *call, scalay_prediction *prediction)
{
    scalay_machine measured;
    const scalay_machine *machine = scalay_prediction_machine(&measured) ? &measured : NULL;
    const int is_driver = scalay_prediction_is_driver(call->routine);
    if (is_driver && prediction->nprow == 0) choose_driver_grid(call, machine, prediction);
    const scalay_prediction grid = *prediction;
    const int is_found = predict_by_advice(call, machine, prediction);
    if (is_found && !is_driver && grid.nprow > 0) return scalay_prediction_of_factorisation(call, machine, prediction);
    if (!is_driver || !is_found) return is_found;
    *prediction = (scalay_prediction){.stay_seconds = driver_seconds(call, machine, call->nprow, call->npcol, call->nb),
                                      .kernel_seconds = driver_seconds(call, machine, grid.nprow, grid.npcol, grid.nb),
                                      .move_seconds = prediction->move_seconds,
                                      .nprow = grid.nprow,
                                      .npcol = grid.npcol,
                                      .nb = grid.nb};
    return prediction->stay_seconds > 0.0 && prediction->kernel_seconds > 0.0;
}

/* ------------------------------------------------------------------------------------------------------- solves */

/* Panels of the kernel. PBLAS has steps of 32 rows or more, and narrower blocks cost messages. */
static const double panel_width = 64.0, least_step = 32.0;

/* Fitted on two processes (docs/benchmarks-dropin.md): messages of a step, and of a row in narrow blocks; seconds of
 * BLAS with few columns over those of large products; of a triangle over those of a product; words of X that are
 * copied. */
static const double messages_of_step = 8.0, messages_of_row = 1.7, few_columns = 1.2, of_triangle = 1.7;
static const double words_of_call = 2.0, words_of_triangle = 4.0;

/* Seconds of a multiplication and an addition in products whose least extent is `least`. */
static double seconds_of_pair(const scalay_machine *machine, scalay_type type, double least)
{
    int k = 0;
    while (k + 1 < SCALAY_GEMM_CURVE && ldexp(1.0, k + 1) <= least) k++;
    const double rate = machine->gemm_curve[k] > 0.0 ? machine->gemm_curve[k] : machine->seconds_per_flop;
    const int is_single = type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
    const int is_complex = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
    return 2.0 * rate * (is_single ? 0.5 : 1.0) * (is_complex ? 4.0 : 1.0);
}

/* Block rows are updated by the processes of a column, with the columns of B that the fullest one has. */
static double solve_in_steps(const scalay_solve_shape *s, const scalay_machine *machine)
{
    const double nb = s->nb, blocks = ceil(s->n / nb), size = (double)scalay_type_size(s->type);
    const double columns = fmin(s->columns, nb * ceil(ceil(s->columns / nb) / s->npcol));
    const double pair = few_columns * seconds_of_pair(machine, s->type, fmax(nb, least_step));
    double products = 0.0;
    for (double left = blocks - 1.0; left > 0.0; left--) products += ceil(left / s->nprow);
    const double compute = nb * nb * columns * pair * (products + blocks * of_triangle / 2.0);
    const double messages = messages_of_step * blocks + (nb < least_step ? messages_of_row * s->n : 0.0);
    const double bytes =
        size * ((s->npcol > 1 ? s->n * s->n / 2.0 / s->nprow : 0.0) + (s->nprow > 1 ? s->n * columns : 0.0));
    return s->triangles * (compute + messages * machine->seconds_per_message + bytes * machine->seconds_per_byte);
}

static double solve_by_kernel(const scalay_solve_shape *s, const scalay_machine *machine)
{
    const double size = (double)scalay_type_size(s->type), processes = s->nprow * s->npcol;
    const double pair = seconds_of_pair(machine, s->type, panel_width), x = s->n * s->columns;
    double work = s->triangles * x * s->n / 2.0, words = words_of_call * x;
    if (s->shares) {
        words += s->triangles * s->n * s->n / 2.0;
    } else {
        work = few_columns * work + of_triangle * s->triangles * x * panel_width / 2.0;
        words += words_of_triangle * s->triangles * x + s->n * panel_width;
    }
    return (work * pair + words * size * machine->seconds_per_byte_copied) / processes;
}

void scalay_prediction_of_solve(const scalay_solve_shape *shape, scalay_prediction *prediction)
{
    scalay_machine machine;
    if (!scalay_prediction_machine(&machine)) machine = scalay_machine_typical();
    *prediction = (scalay_prediction){.stay_seconds = solve_in_steps(shape, &machine),
                                      .kernel_seconds = solve_by_kernel(shape, &machine)};
}
