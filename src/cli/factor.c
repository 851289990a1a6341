/*
 * scalay qr, lu and cholesky: the main job. A matrix file is loaded into a source layout and factored: by ScaLAPACK on
 * a grid, along several mappings; where it is; and by the engine of the library on a map for unequal processes.
 */

#include "factor.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "input.h"
#include "layout/layout.h"
#include "parallel/agree.h"

/* Residual and orthogonality, in units of the rounding error, above which a factorisation is wrong. Correct ones are of
 * the order of 1. */
static const double MAX_ERROR = 100.0;

typedef scalay_factor_job_options job_options;

#define MATRIX_ROWS                                                                                                    \
    SCALAY_GROUP_ROW("Matrix"),                                                                                        \
        SCALAY_ROW(job_options, job.from, SCALAY_OPTION_TEXT, "from", "LAYOUT", "source layout, without m and n",      \
                   "skewed, with the best grid and blocks for QR"),                                                    \
        SCALAY_CHOICE_ROW(job_options, job.type, "type", "TYPE", "s|d|c|z", "element type",                            \
                          "d, or z for a complex file")
#define TARGET_ROWS                                                                                                    \
    SCALAY_GROUP_ROW("Target"),                                                                                        \
        SCALAY_ROW(job_options, grid, SCALAY_OPTION_GRID, "grid", "PxQ", "process grid", "chosen by the model"),       \
        SCALAY_ROW(job_options, nb, SCALAY_OPTION_COUNT, "nb", "NB", "block size", "chosen by the model"),             \
        SCALAY_CHOICE_ROW(job_options, objective, "objective", "NAME",                                                 \
                          "volume|steps|steps-volume|volume-steps|canonical", "mapping to choose",                     \
                          "the strategy with the least predicted time that took at most 3% longer than canonical"),    \
        SCALAY_TRANSPORT_ROW(job_options, job), SCALAY_GROUP_ROW("Engine of the library, strategy own"),               \
        SCALAY_ROW(job_options, map, SCALAY_OPTION_TEXT, "map", "NAME|LAYOUT",                                         \
                   "auto, 1d1d, source (the owners of the source layout), or a LAYOUT", "auto"),                       \
        SCALAY_ROW(job_options, profile, SCALAY_OPTION_INPUT, "profile", "FILE.csv",                                   \
                   "profile with one processor per process; a size is a number of columns",                            \
                   "SCALAY_PROFILE, or equal speeds"),                                                                 \
        SCALAY_ROW(job_options, speeds, SCALAY_OPTION_TEXT, "speeds", "S,S,..", "relative speeds of the processes",    \
                   "from the profile"),                                                                                \
        SCALAY_GROUP_ROW("Measurement"), SCALAY_MACHINE_ROW(job_options, job), SCALAY_REPEAT_ROW(job_options, job),    \
        SCALAY_GROUP_ROW("Output")
#define OUTPUT_ROWS                                                                                                    \
    SCALAY_ROW(job_options, common.plot, SCALAY_OPTION_OUTPUT, "plot", "FILE|PREFIX",                                  \
               "draw owners, traffic, trailing balance and times into FILE.svg, .png or .pdf, or into "                \
               "PREFIX-before.svg and so on",                                                                          \
               NULL),                                                                                                  \
        SCALAY_JSON_ROW(job_options), SCALAY_QUIET_ROW(job_options), SCALAY_LAST_ROW

static const scalay_option qr_table[] = {
    MATRIX_ROWS,
    TARGET_ROWS,
    SCALAY_ROW(job_options, output, SCALAY_OPTION_OUTPUT, "output-r", "FILE.{npy,mtx,h5:/NAME}", "write the factor R",
               NULL),
    OUTPUT_ROWS,
};

static const scalay_option lu_table[] = {
    MATRIX_ROWS,
    TARGET_ROWS,
    SCALAY_ROW(job_options, output, SCALAY_OPTION_OUTPUT, "output", "FILE.{npy,mtx,h5:/NAME}",
               "write L, without its diagonal of ones, and U as one matrix", NULL),
    OUTPUT_ROWS,
};

static const scalay_option cholesky_table[] = {
    MATRIX_ROWS,
    SCALAY_CHOICE_ROW(job_options, uplo, "uplo", "NAME", "lower|upper", "triangle that is read, and factor", "lower"),
    TARGET_ROWS,
    SCALAY_ROW(job_options, output, SCALAY_OPTION_OUTPUT, "output", "FILE.{npy,mtx,h5:/NAME}",
               "write the factor; the other triangle is 0", NULL),
    OUTPUT_ROWS,
};

const scalay_factor_names *scalay_factor_names_of(scalay_kernel_kind kind)
{
    static const scalay_factor_names names[] = {[SCALAY_GEQRF] = {"qr", "QR factorisation", "p?geqrf"},
                                                [SCALAY_GETRF] = {"lu", "LU factorisation", "p?getrf"},
                                                [SCALAY_POTRF] = {"cholesky", "Cholesky factorisation", "p?potrf"}};
    return &names[kind];
}

int scalay_plot_is_prefix(const char *plot)
{
    const char *dot = strrchr(plot, '.');
    return dot == NULL || strchr(dot, '/') != NULL;
}

/* ------------------------------------------------------------------------------------------------- inputs */

/* Writes the default source: the skewed set on the grid and blocks that the kernel will use on a machine; NULL: a
 * typical one. */
static scalay_status choose_source(const scalay_factor_job *q, const scalay_machine *machine,
                                   char from[SCALAY_SOURCE_SIZE])
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_choice *choice = NULL;
    scalay_qr_candidate best;
    scalay_qr_limits limits = scalay_qr_limits_default(scalay_comm_size(q->job.comm));
    limits.nprow = (int)q->options->grid[0];
    limits.npcol = (int)q->options->grid[1];
    limits.nb = (int)q->options->nb;
    SCALAY_TRY(scalay_model_qr_choose(machine, q->job.type, q->job.file.m, q->job.file.n, &limits, &choice));
    SCALAY_TRY(scalay_qr_choice_get_candidate(choice, 0, &best));
    scalay_job_default_source(best.nb, best.nb, best.nprow, best.npcol, from);
cleanup:
    scalay_qr_choice_destroy(&choice);
    return status;
}

/* Loads the matrix and finds the machine. What is wrong with the layout or the grid is found before the machine is
 * measured. */
static scalay_status load(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = q->job.comm;
    const char *from = q->options->job.from;
    char chosen[SCALAY_SOURCE_SIZE];
    if (q->kind == SCALAY_POTRF && q->job.file.m != q->job.file.n)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s is %lld x %lld; it must be square", q->job.path,
                           (long long)q->job.file.m, (long long)q->job.file.n);
    if (from != NULL)
        SCALAY_TRY(scalay_job_load(&q->job, from));
    else
        SCALAY_TRY(scalay_comm_agree(comm, choose_source(q, NULL, chosen)));
    SCALAY_TRY(scalay_job_find_machine(comm, &q->options->job, &q->machine));
    if (from != NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(comm, choose_source(q, &q->machine, chosen)));
    SCALAY_TRY(scalay_job_load(&q->job, chosen));
cleanup:
    return status;
}

/* Reads --speeds or --profile. */
static scalay_status read_speeds(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_factor_job_options *o = q->options;
    const int ranks = scalay_comm_size(q->job.comm);
    int count = ranks;
    if (o->speeds != NULL && o->profile != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--speeds and --profile are both given; give one of them");
    if (o->speeds != NULL) SCALAY_TRY(scalay_input_numbers("--speeds", o->speeds, &count, &q->speed));
    if (count != ranks)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--speeds has %d numbers; it must have one for each of the %d "
                           "processes of mpirun",
                           count, ranks);
    for (int p = 0; q->speed != NULL && p < ranks; p++)
        if (q->speed[p] <= 0)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--speeds: number %d is 0; speeds must be above 0", p + 1);
    if (o->profile != NULL) SCALAY_TRY(scalay_as_input(scalay_profile_read(o->profile, &q->profile)));
cleanup:
    return status;
}

/* Reads --map if it is a LAYOUT. */
static scalay_status read_map(scalay_factor_job *q)
{
    static const char *const names[] = {"auto", "1d1d", "source"};
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    for (int k = 0; k < 3; k++)
        if (q->options->map == NULL || strcmp(q->options->map, names[k]) == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_job_read_layout(&q->job, "--map", q->options->map, SCALAY_NO_TRANSPOSE, &layout));
    SCALAY_TRY(scalay_comm_agree(q->job.comm, scalay_layout_owner_map(layout, &q->given_map)));
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

/* ------------------------------------------------------------------------------------------------ results */

/* Keeps one triangle in a local array: sets the elements below (or above) the diagonal to 0. */
static scalay_status clear_triangle(const scalay_factor_job *q, const scalay_layout *layout, int below, void *local)
{
    const int rank = scalay_comm_rank(q->job.comm);
    const size_t size = scalay_type_size(q->job.type);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle at;
        const scalay_status status = scalay_layout_rectangle(layout, rank, k, &at);
        if (status != SCALAY_SUCCESS) return status;
        for (int64_t col = 0; col < at.cols; col++) {
            int64_t diagonal = at.col + col - at.row;
            int64_t first = below ? diagonal + 1 : 0, end = below ? at.rows : diagonal;
            if (first < 0) first = 0;
            if (end > at.rows) end = at.rows;
            if (first < end)
                memset((char *)local + (size_t)(at.offset + col * at.ld + first) * size, 0,
                       (size_t)(end - first) * size);
        }
    }
    return SCALAY_SUCCESS;
}

/* Writes R, L and U, or the Cholesky factor. */
static scalay_status write_result(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *part = NULL;
    const int64_t m = q->job.file.m, n = q->job.file.n, rows = q->kind == SCALAY_GEQRF && n < m ? n : m;
    if (q->options->output == NULL) return SCALAY_SUCCESS;
    scalay_progress_say("writing %s", q->options->output);
    status = scalay_layout_submatrix(q->job.source, 0, 0, rows, n, &part);
    if (status == SCALAY_SUCCESS && q->kind != SCALAY_GETRF)
        status = clear_triangle(q, part, q->uplo != SCALAY_LOWER, q->result);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
    SCALAY_TRY(scalay_matrix_write(q->job.comm, q->options->output, NULL, part, q->job.type, q->result));
cleanup:
    scalay_layout_destroy(&part);
    return status;
}

static double larger(double x, double y)
{
    return x >= y || x != x ? x : y;
}

/* Fails if a factorisation is wrong. */
static scalay_status judge(const scalay_factor_job *q)
{
    const double residual = larger(q->residual, q->own_residual);
    const double orthogonality = larger(q->orthogonality, q->own_orthogonality);
    if (residual <= MAX_ERROR && orthogonality <= MAX_ERROR) return SCALAY_SUCCESS;
    if (!isfinite(residual) || !isfinite(orthogonality))
        return SCALAY_FAIL(
            SCALAY_ERROR_INFEASIBLE,
            "the residual is not a number; %s has elements that are infinite, NaN, or too large for their "
            "squares",
            q->job.path);
    return SCALAY_FAIL(SCALAY_ERROR_INTERNAL,
                       "residual %g, orthogonality %g: the factorisation is wrong; please report this", residual,
                       orthogonality);
}

/* ------------------------------------------------------------------------------------------------- the job */

/* Checks the outputs on rank 0, before any work. */
static scalay_status check_outputs(const scalay_factor_job_options *options, const char *output)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->common.plot != NULL && !scalay_plot_is_prefix(options->common.plot))
        SCALAY_TRY(scalay_check_picture(options->common.plot));
    SCALAY_TRY(scalay_job_check_output(output, options->output));
cleanup:
    return status;
}

static void close_job(scalay_factor_job *q)
{
    scalay_traffic_destroy(&q->traffic);
    scalay_layout_destroy(&q->target);
    scalay_layout_destroy(&q->own_target);
    scalay_factor_destroy(&q->factor);
    scalay_owner_map_destroy(&q->given_map);
    scalay_profile_destroy(&q->profile);
    scalay_release(q->speed);
    scalay_release(q->vector);
    scalay_release(q->result);
    for (int k = 0; k < q->count; k++) scalay_strategy_free(&q->strategies[k]);
    scalay_job_close(&q->job);
}

static scalay_status run_factor(scalay_kernel_kind kind, const scalay_factor_job_options *options, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_factor_job q = {.options = options, .kind = kind, .uplo = SCALAY_WHOLE};
    const int is_root = scalay_comm_rank(comm) == 0;
    if (kind == SCALAY_POTRF)
        q.uplo = options->uplo != NULL && strcmp(options->uplo, "upper") == 0 ? SCALAY_UPPER : SCALAY_LOWER;
    SCALAY_TRY(scalay_comm_agree(
        comm, is_root ? check_outputs(options, kind == SCALAY_GEQRF ? "--output-r" : "--output") : SCALAY_SUCCESS));
    SCALAY_TRY(scalay_job_open(comm, options->common.operand[0], &options->job, 1, &q.job));
    SCALAY_TRY(scalay_comm_agree(comm, read_speeds(&q)));
    SCALAY_TRY(load(&q));
    SCALAY_TRY(read_map(&q));
    SCALAY_TRY(scalay_factor_job_run(&q));
    SCALAY_TRY(write_result(&q));
    SCALAY_TRY(scalay_comm_agree(comm, is_root ? scalay_factor_job_report(&q) : SCALAY_SUCCESS));
    SCALAY_TRY(judge(&q));
cleanup:
    close_job(&q);
    return status;
}

static scalay_status run_qr(const void *options, scalay_comm *comm)
{
    return run_factor(SCALAY_GEQRF, options, comm);
}

static scalay_status run_lu(const void *options, scalay_comm *comm)
{
    return run_factor(SCALAY_GETRF, options, comm);
}

static scalay_status run_cholesky(const void *options, scalay_comm *comm)
{
    return run_factor(SCALAY_POTRF, options, comm);
}

#define STRATEGIES                                                                                                     \
    "  owner         factor in the source layout, if that is block-cyclic\n"                                           \
    "  canonical     move part j of the grid to process j\n"                                                           \
    "  volume        move along the mapping with the least volume\n"                                                   \
    "  steps-volume  along the mapping with the fewest steps, then the least volume\n"                                 \
    "  nodes         move along the mapping with the least predicted time of move and\n"                               \
    "                routine; on several nodes only\n"                                                                 \
    "  own           the engine of the library, on a map for the speeds\n"                                             \
    "Reports what each strategy moves, and its measured and predicted times. "

const scalay_subcommand scalay_subcommand_qr = {
    .name = "qr",
    .summary = "map, move and factor a matrix, and compare the strategies",
    .usage = {"FILE [OPTIONS]"},
    .description = "The main job: reads a matrix file (.npy, Matrix Market array, or FILE.h5:/NAME) into a layout on "
                   "which p?geqrf is "
                   "slow, chooses "
                   "a grid and a block size, and compares strategies:\n" STRATEGIES
                   "Verifies the chosen strategy and own: residual and orthogonality are in units of the rounding "
                   "error.\n",
    .example = "  mpirun -n 4 scalay qr examples/data/egm96_geoid.npy --plot main-job.svg\n",
    .operand = {"FILE"},
    .table = qr_table,
    .options_size = sizeof(job_options),
    .needs_mpi = 1,
    .run = run_qr,
};

const scalay_subcommand scalay_subcommand_lu = {
    .name = "lu",
    .summary = "factor a matrix by LU with pivoting, and compare the strategies",
    .usage = {"FILE [OPTIONS]"},
    .description =
        "Reads a matrix file (.npy, Matrix Market array, or FILE.h5:/NAME) into a layout, and factors it, P A = L U. "
        "Compares strategies:\n" STRATEGIES
        "Verifies the chosen strategy and own: the residual is in units of the rounding error.\n",
    .example = "  mpirun -n 3 scalay lu a.npy --speeds 1,.5,.5 --plot lu.svg\n",
    .operand = {"FILE"},
    .table = lu_table,
    .options_size = sizeof(job_options),
    .needs_mpi = 1,
    .run = run_lu,
};

const scalay_subcommand scalay_subcommand_cholesky = {
    .name = "cholesky",
    .summary = "factor a positive definite matrix, and compare the strategies",
    .usage = {"FILE [OPTIONS]"},
    .description =
        "Reads a matrix file (.npy, Matrix Market array, or FILE.h5:/NAME) into a layout, and factors it, A = L L^H or "
        "A = U^H U. Only one triangle is read. Compares strategies:\n" STRATEGIES
        "Verifies the chosen strategy and own: the residual is in units of the rounding error.\n",
    .example = "  mpirun -n 3 scalay cholesky a.npy --speeds 1,.5,.5 --plot cholesky.svg\n",
    .operand = {"FILE"},
    .table = cholesky_table,
    .options_size = sizeof(job_options),
    .needs_mpi = 1,
    .run = run_cholesky,
};
