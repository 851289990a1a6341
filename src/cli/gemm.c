/* scalay gemm: a product C := A B of two matrix files on processors of different speeds. */

#include "gemm.h"
#include "front_point.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "failure.h"
#include "inputs.h"
#include "parallel/agree.h"
#include "progress.h"
#include "scalay/measure.h"

enum { USUAL_BLOCK = 64, CHECK_SEED = 1 };

static const scalay_option gemm_options[] = {
    SCALAY_OPTION_ROW(
        "profile", SCALAY_OPTION_TEXT, profile, "FILE.csv",
        "how fast the ranks are (see scalay workload --help; scalay profile measures it): size x is x rows "
        "of a product x x k by k x n in double precision; as many processors as ranks, in their order, "
        "groups expanded (default: all ranks are alike)"),
    SCALAY_OPTION_ROW(
        "objective", SCALAY_OPTION_CHOICE, objective, "time|energy|front-point",
        "of the distribution of the rows over the processors: the least time (default), the least dynamic "
        "energy, or a point in between that --knee, --within-time or --within-energy chooses"),
    SCALAY_OPTION_ROW("within-time", SCALAY_OPTION_SHARE, within_time, "SHARE", SCALAY_WITHIN_TIME_HELP),
    SCALAY_OPTION_ROW("within-energy", SCALAY_OPTION_SHARE, within_energy, "SHARE", SCALAY_WITHIN_ENERGY_HELP),
    SCALAY_OPTION_ROW("knee", SCALAY_OPTION_FLAG, knee, "", SCALAY_KNEE_HELP),
    SCALAY_OPTION_ROW("shape", SCALAY_OPTION_TEXT, shape, "NAME",
                      "how the product is cut (see scalay partition --help; default: auto, what sends the least)"),
    SCALAY_OPTION_ROW(
        "from", SCALAY_OPTION_TEXT, from, "LAYOUT",
        "where A and B are before (see scalay show --help; leave m and n out: the files know them; default: "
        "block-cyclic on the most square grid of all ranks, blocks of --nb)"),
    SCALAY_OPTION_ROW("to", SCALAY_OPTION_TEXT, to, "LAYOUT", "where the product goes (default: likewise)"),
    SCALAY_OPTION_ROW("nb", SCALAY_OPTION_COUNT, nb, "NB", "the block size of grids (default: 64)"),
    SCALAY_OPTION_ROW("transport", SCALAY_OPTION_CHOICE, transport, SCALAY_TRANSPORT_CHOICES,
                      "how to move A, B and C (default: auto); see scalay redistribute --help"),
    SCALAY_OPTION_ROW("type", SCALAY_OPTION_CHOICE, type, "s|d|c|z",
                      "of the elements (default: d, z when a file is complex)"),
    SCALAY_MACHINE_ROW,
    SCALAY_OPTION_ROW("repeat", SCALAY_OPTION_COUNT, repeat, "N", "multiplies N times in each way (default: 3)"),
    SCALAY_OPTION_ROW("compare", SCALAY_OPTION_FLAG, compare, "",
                      "multiplies by p?gemm on the most square grid, too, where every rank gets as much, and on "
                      "block-rectangle, square-corner, square-rectangle and columns, as far as they exist"),
    SCALAY_OPTION_ROW("verify", SCALAY_OPTION_FLAG, verify, "",
                      "compares the product with p?gemm's; that A (B x) = C x for a random x is checked always"),
    SCALAY_OPTION_ROW("output", SCALAY_OPTION_TEXT, output, "FILE.{npy,mtx}", "writes the product"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

/* ------------------------------------------------------------------------------------------------ checking */

static scalay_status check_shape(const char *shape)
{
    if (shape == NULL) return SCALAY_SUCCESS;
    for (int k = 0; scalay_partition_shapes(k) != NULL; k++)
        if (strcmp(scalay_partition_shapes(k), shape) == 0) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--shape is '%s', which is none; scalay partition --help lists them",
                       shape);
}

static scalay_status check_point(const scalay_options *o)
{
    const int choices = scalay_front_point_count(o);
    const int front = strcmp(o->objective, "front-point") == 0;
    if (front && choices != 1)
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "--objective front-point takes one of --knee, --within-time and --within-energy; %d are given", choices);
    if (!front && choices > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--knee, --within-time and --within-energy choose a point of a front; add --objective "
                           "front-point");
    if (o->profile == NULL && strcmp(o->objective, "time") != 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective %s needs to know the processors; give --profile FILE.csv", o->objective);
    return SCALAY_SUCCESS;
}

static scalay_status check_options(const scalay_options *o)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_shape(o->shape));
    SCALAY_TRY(check_point(o));
    SCALAY_TRY(scalay_job_check_output("--output", o->output));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- the job */

static int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static scalay_status check_extents(const scalay_gemm_job *job)
{
    if (job->a.file.n != job->b.file.m)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                           "%s is %lld x %lld and %s %lld x %lld; the columns of the first must be the rows of the "
                           "second",
                           job->a.path, (long long)job->a.file.m, (long long)job->a.file.n, job->b.path,
                           (long long)job->b.file.m, (long long)job->b.file.n);
    if (job->c.file.m < 1 || job->c.file.n < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the product is %lld x %lld: there is nothing to multiply",
                           (long long)job->c.file.m, (long long)job->c.file.n);
    return SCALAY_SUCCESS;
}

/* Both files, and what their product will be. */
static scalay_status open_files(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_options second = *job->options;
    second.operand = job->options->second_operand;
    SCALAY_TRY(scalay_job_open(job->comm, job->options, 1, &job->a));
    SCALAY_TRY(scalay_job_open(job->comm, &second, 1, &job->b));
    if (is_complex(job->b.type)) job->a.type = job->b.type;
    job->b.type = job->a.type;
    job->c = (scalay_job){.comm = job->comm, .path = "the product", .type = job->a.type, .repeat = job->a.repeat};
    job->c.file.m = job->a.file.m;
    job->c.file.n = job->b.file.n;
    job->k = job->a.file.n;
    SCALAY_TRY(check_extents(job));
cleanup:
    return status;
}

static scalay_status place_product(scalay_gemm_job *job, const char *to)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_job_layout(&job->c, "--to", to, SCALAY_NO_TRANSPOSE, &job->c.source));
    status = scalay_input_complete(to, job->c.file.m, job->c.file.n, &job->c.source_text);
    if (status == SCALAY_SUCCESS) status = scalay_job_new_local(&job->c, job->c.source, &job->c.a);
    SCALAY_TRY(scalay_comm_agree(job->comm, status));
cleanup:
    return status;
}

/* Without --from and --to everything is where a ScaLAPACK program has it. */
static scalay_status place(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_options *o = job->options;
    int grid[2];
    char usual[SCALAY_SOURCE_SIZE];
    scalay_gemm_square_grid(scalay_comm_size(job->comm), grid);
    (void)snprintf(usual, sizeof usual, "cyclic:mb=%lld,nb=%lld,p=%d,q=%d", (long long)o->nb, (long long)o->nb, grid[0],
                   grid[1]);
    SCALAY_TRY(scalay_job_place(&job->a, o->from != NULL ? o->from : usual));
    SCALAY_TRY(scalay_job_place(&job->b, o->from != NULL ? o->from : usual));
    SCALAY_TRY(place_product(job, o->to != NULL ? o->to : usual));
cleanup:
    return status;
}

static scalay_status check_product(scalay_gemm_job *job)
{
    const scalay_gemm_product product = {.type = job->c.type,
                                         .layout_a = job->a.source,
                                         .layout_b = job->b.source,
                                         .layout_c = job->c.source,
                                         .a = job->a.a,
                                         .b = job->b.a,
                                         .c = job->c.a};
    scalay_progress_say("checking");
    return scalay_gemm_check(job->comm, &product, CHECK_SEED, &job->check);
}

static scalay_status write_product(scalay_gemm_job *job)
{
    const char *path = job->options->output;
    if (path == NULL) return SCALAY_SUCCESS;
    scalay_progress_say("writing %s", path);
    return scalay_matrix_write(job->comm, path, NULL, job->c.source, job->c.type, job->c.a);
}

/* What two products of the same matrices may differ by. */
static double largest_difference(const scalay_gemm_job *job)
{
    const int is_single = job->c.type == SCALAY_FLOAT || job->c.type == SCALAY_COMPLEX_FLOAT;
    return 10.0 * (double)(job->k + 1) * (is_single ? FLT_EPSILON : DBL_EPSILON);
}

static scalay_status judge(const scalay_gemm_job *job)
{
    if (isnan(job->check) || isnan(job->difference))
        return SCALAY_FAIL(
            SCALAY_ERROR_INFEASIBLE,
            "the check is not a number: %s or %s holds infinite elements or NaN, or elements so large that "
            "products overflow",
            job->a.path, job->b.path);
    if (job->check > 1.0)
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL,
                           "the check is %g and must not be above 1: the product is wrong; report "
                           "it",
                           job->check);
    if (job->difference > largest_difference(job))
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "the product differs from p?gemm's by %g: it is wrong; report it",
                           job->difference);
    return SCALAY_SUCCESS;
}

static scalay_status multiply(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(open_files(job));
    SCALAY_TRY(scalay_gemm_share_out(job));
    SCALAY_TRY(scalay_gemm_list_ways(job));
    SCALAY_TRY(scalay_comm_agree(job->comm, SCALAY_NEW(job->rows, scalay_comm_size(job->comm))));
    SCALAY_TRY(scalay_job_find_machine(job->comm, job->options, &job->machine));
    SCALAY_TRY(place(job));
    SCALAY_TRY(scalay_gemm_run_ways(job));
    SCALAY_TRY(check_product(job));
    if (job->options->verify) SCALAY_TRY(scalay_gemm_verify(job));
    SCALAY_TRY(write_product(job));
    SCALAY_TRY(
        scalay_comm_agree(job->comm, scalay_comm_rank(job->comm) == 0 ? scalay_gemm_job_report(job) : SCALAY_SUCCESS));
    SCALAY_TRY(judge(job));
cleanup:
    return status;
}

static void close_job(scalay_gemm_job *job)
{
    for (int k = 0; k < job->count; k++) {
        scalay_owner_map_destroy(&job->ways[k].map);
        scalay_strategy_free(&job->strategies[k]);
    }
    scalay_release(job->rows);
    scalay_gemm_share_free(&job->share);
    scalay_job_close(&job->c);
    scalay_job_close(&job->b);
    scalay_job_close(&job->a);
}

static scalay_status run_gemm(const scalay_options *options, scalay_comm *comm)
{
    scalay_options settled = *options;
    if (settled.objective == NULL) settled.objective = "time";
    if (settled.nb == 0) settled.nb = USUAL_BLOCK;
    scalay_gemm_job job = {.options = &settled, .comm = comm};
    scalay_status status = scalay_comm_agree(comm, check_options(&settled));
    if (status == SCALAY_SUCCESS) status = multiply(&job);
    close_job(&job);
    return status;
}

const scalay_command scalay_command_gemm = {
    .name = "gemm",
    .summary = "multiplies two matrices, each process as much as it is fast",
    .usage = "A B [--profile FILE.csv] [--shape NAME] [OPTIONS]",
    .description =
        "Multiplies two matrix files (.npy, or Matrix Market array), C := A B, on processes of different\n"
        "speeds: the profile tells how many rows of the product each process can take, the product is cut\n"
        "into parts of those areas in the shape that sends the least, the parts go to the processes (among\n"
        "those of one kind to those that hold most of them), A and B are moved there, SUMMA multiplies, and\n"
        "the product goes where it is wanted. What was predicted is reported beside what was measured, and\n"
        "the product is checked.\n",
    .example = "  mpirun -n 3 scalay gemm a.npy b.npy --profile ranks.csv --compare --output c.npy\n",
    .operand = "A",
    .second_operand = "B",
    .options = gemm_options,
    .needs_mpi = 1,
    .run = run_gemm,
};
