/* Advice against reality: situations (a kernel, a matrix in a good or a bad place, a number of processes), for each of
   which the candidates that scalay_advice_create() likes best, staying, other mappings and other grids are run.

   mpirun --map-by core:oversubscribe --bind-to core:overload-allowed -n P bench_advise CSV [FIRST [LAST]]
     runs the situations of P processes that CSV does not hold yet
   bench_advise CSV
     prints the summary, with one process and nothing to run

   The machine is measured before each situation, with all P ranks at work. Times are medians of ROUNDS rounds, of the
   slowest rank, with the candidates in turn; rounds end early when they have taken BUDGET seconds. What is advised and
   those that were faster then run again, and only that counts: the fastest of ten short measurements is partly luck. */

#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/trial.h"
#include "parallel/comm.h"
#include "scalay/measure.h"

enum { MOST_TRIED = 10, ROUNDS = 15, LEAST_ROUNDS = 3, NAME = 64, LINE = 512 };
#define BUDGET 8.0
/* A candidate that is predicted to take so many times as long as the best is not run: it need not be precise. */
#define HOPELESS 20.0

typedef struct {
    int processes;
    scalay_kernel kernel;
    int times, back;
    const char *source;
} situation;

#define QR SCALAY_KERNEL_QR
#define GEMM SCALAY_KERNEL_GEMM
static const situation situations[] = {
    {2, QR, 1, 0, "cyclic:m=512,n=512,mb=64,nb=64,p=1,q=2"},
    {2, QR, 1, 0, "cyclic:m=1024,n=1024,mb=4,nb=4,p=2,q=1"},
    {2, QR, 1, 1, "cyclic:m=2048,n=2048,mb=1024,nb=1024,p=1,q=2"},
    {2, QR, 1, 0, "cyclic:m=4096,n=4096,mb=32,nb=32,p=1,q=2"},
    {2, QR, 2, 0, "chunks:m=1536,n=1536,mb=64,nb=64,p=2"},
    {2, GEMM, 1, 0, "cyclic:m=512,n=512,mb=4,nb=4,p=1,q=2"},
    {2, GEMM, 1, 1, "cyclic:m=2048,n=2048,mb=256,nb=256,p=2,q=1"},
    {2, GEMM, 1, 0, "cyclic:m=3072,n=3072,mb=64,nb=64,p=1,q=2"},
    {2, GEMM, 3, 0, "cyclic:m=1024,n=1024,mb=512,nb=512,p=1,q=2"},
    {3, QR, 1, 0, "cyclic:m=1024,n=1024,mb=32,nb=32,p=3,q=1"},
    {3, QR, 1, 1, "skewed:m=1536,n=1536,mb=64,nb=64,p=1,q=3"},
    {3, GEMM, 1, 0, "cyclic:m=1024,n=1024,mb=64,nb=64,p=3,q=1"},
    {3, GEMM, 1, 0, "cyclic:m=2048,n=2048,mb=700,nb=700,p=1,q=3"},
    {4, QR, 1, 0, "cyclic:m=512,n=512,mb=4,nb=4,p=4,q=1"},
    {4, QR, 1, 0, "cyclic:m=1024,n=1024,mb=64,nb=64,p=2,q=2"},
    {4, QR, 1, 1, "cyclic:m=2048,n=2048,mb=512,nb=512,p=1,q=4"},
    {4, QR, 1, 0, "skewed:m=2048,n=2048,mb=128,nb=128,p=2,q=2"},
    {4, QR, 1, 0, "cyclic:m=4096,n=4096,mb=128,nb=128,p=4,q=1"},
    {4, GEMM, 1, 0, "cyclic:m=512,n=512,mb=16,nb=16,p=2,q=2"},
    {4, GEMM, 1, 0, "cyclic:m=1024,n=1024,mb=256,nb=256,p=1,q=4"},
    {4, GEMM, 1, 1, "skewed:m=2048,n=2048,mb=64,nb=64,p=2,q=2"},
    {4, GEMM, 2, 0, "cyclic:m=2048,n=2048,mb=8,nb=8,p=4,q=1"},
    {5, QR, 1, 0, "cyclic:m=1280,n=1280,mb=256,nb=256,p=1,q=5"},
    {5, GEMM, 1, 0, "cyclic:m=1280,n=1280,mb=32,nb=32,p=5,q=1"},
    {6, QR, 1, 0, "cyclic:m=1024,n=1024,mb=16,nb=16,p=6,q=1"},
    {6, QR, 1, 0, "chunks:m=2048,n=2048,mb=64,nb=64,p=6"},
    {6, GEMM, 1, 0, "cyclic:m=1536,n=1536,mb=64,nb=64,p=2,q=3"},
    {6, GEMM, 1, 1, "cyclic:m=1024,n=1024,mb=128,nb=128,p=6,q=1"},
    {7, QR, 1, 0, "cyclic:m=1024,n=1024,mb=64,nb=64,p=1,q=7"},
    {7, GEMM, 1, 0, "cyclic:m=1024,n=1024,mb=147,nb=147,p=7,q=1"},
    {8, QR, 1, 0, "cyclic:m=1024,n=1024,mb=8,nb=8,p=4,q=2"},
    {8, QR, 1, 0, "cyclic:m=2048,n=2048,mb=256,nb=256,p=2,q=4"},
    {8, GEMM, 1, 0, "cyclic:m=1024,n=1024,mb=32,nb=32,p=8,q=1"},
    {8, GEMM, 1, 0, "skewed:m=2048,n=2048,mb=128,nb=128,p=2,q=4"},
    {12, QR, 1, 0, "cyclic:m=1024,n=1024,mb=64,nb=64,p=3,q=4"},
    {12, GEMM, 1, 0, "cyclic:m=1024,n=1024,mb=86,nb=86,p=12,q=1"},
    {13, QR, 1, 0, "cyclic:m=1024,n=1024,mb=32,nb=32,p=1,q=13"},
    {13, GEMM, 1, 0, "cyclic:m=1024,n=1024,mb=64,nb=64,p=13,q=1"},
    {16, QR, 1, 0, "cyclic:m=1024,n=1024,mb=64,nb=64,p=4,q=4"},
    {16, QR, 1, 1, "cyclic:m=1024,n=1024,mb=64,nb=64,p=1,q=16"},
    {16, QR, 1, 0, "skewed:m=2048,n=2048,mb=64,nb=64,p=4,q=4"},
    {16, GEMM, 1, 0, "cyclic:m=1024,n=1024,mb=64,nb=64,p=16,q=1"},
    {16, GEMM, 1, 0, "cyclic:m=2048,n=2048,mb=128,nb=128,p=4,q=4"},
    {16, GEMM, 1, 0, "chunks:m=1024,n=1024,mb=32,nb=32,p=16"},
};
enum { SITUATIONS = (int)(sizeof situations / sizeof situations[0]) };

/* A candidate that is run. */
typedef struct {
    char name[NAME];
    double predicted[3], measured[3]; /* move (and back), kernel (all runs), total; medians */
    double found[3][ROUNDS];
    int runs;
    int again; /* 1: it is run */
    int is_summa, is_engine;
    scalay_layout *layout;
} tried;

typedef struct {
    scalay_comm *comm;
    scalay_machine machine;
    int *core;
    const situation *at;
    scalay_layout *source;
    int count;
    tried tried[MOST_TRIED];
} arena;

/* ------------------------------------------------------------------------------------------------ candidates */

static scalay_status take(arena *s, const scalay_advice *advice, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice_candidate c = {0};
    SCALAY_TRY(scalay_advice_get_candidate(advice, k, &c));
    if (s->count == MOST_TRIED || (s->count > 0 && c.seconds > HOPELESS * s->tried[0].predicted[2])) goto cleanup;
    for (int t = 0; t < s->count; t++)
        if (strcmp(s->tried[t].name, c.name) == 0) goto cleanup;
    tried *t = &s->tried[s->count];
    *t = (tried){.predicted = {c.move_seconds, c.kernel_seconds, c.seconds},
                 .again = 1,
                 .is_summa = strcmp(c.routine, "SUMMA") == 0,
                 .is_engine = strcmp(c.routine, "engine") == 0};
    (void)snprintf(t->name, sizeof t->name, "%s", c.name);
    SCALAY_TRY(scalay_advice_layout(advice, k, &t->layout));
    s->count++;
cleanup:
    return status;
}

/* The first, staying, the best of the next grids, and the other mappings to the first grid. */
static scalay_status take_best(arena *s, const scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice_candidate first = {0}, c = {0}, last = {0};
    SCALAY_TRY(scalay_advice_get_candidate(advice, 0, &first));
    SCALAY_TRY(take(s, advice, 0));
    for (int k = 1, grids = 0, mappings = 0; k < scalay_advice_count(advice); k++) {
        SCALAY_TRY(scalay_advice_get_candidate(advice, k, &c));
        int same = c.nprow == first.nprow && c.npcol == first.npcol && c.nb == first.nb;
        int again = c.nprow == last.nprow && c.npcol == last.npcol && c.nb == last.nb;
        if (strcmp(c.name, "owner") == 0 || (same && mappings++ < 1) || (!same && !again && grids++ < 4))
            SCALAY_TRY(take(s, advice, k));
        if (!same) last = c;
    }
cleanup:
    return status;
}

/* The best on a grid that was not asked for advice about. */
static scalay_status take_fixed(arena *s, scalay_advice_options options, int nprow, int npcol, int nb)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice *advice = NULL;
    scalay_advice_candidate c = {0};
    options.nprow = nprow;
    options.npcol = npcol;
    options.nb = nb;
    SCALAY_TRY(scalay_advice_create(s->source, &options, &advice));
    for (int k = 0; k < scalay_advice_count(advice); k++) {
        SCALAY_TRY(scalay_advice_get_candidate(advice, k, &c));
        if (strcmp(c.name, "owner") == 0) continue;
        SCALAY_TRY(take(s, advice, k));
        break;
    }
cleanup:
    scalay_advice_destroy(&advice);
    return status;
}

static scalay_status list_candidates(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice *advice = NULL;
    scalay_advice_options options = scalay_advice_options_default();
    int rows = 1;
    options.kernel = s->at->kernel;
    options.times = s->at->times;
    options.bring_back = s->at->back;
    options.machine = &s->machine;
    options.core = s->core;
    options.processes = s->comm->size;
    SCALAY_TRY(scalay_advice_create(s->source, &options, &advice));
    SCALAY_TRY(take_best(s, advice));
    for (int p = 1; p * p <= s->comm->size; p++)
        if (s->comm->size % p == 0) rows = p;
    SCALAY_TRY(take_fixed(s, options, rows, s->comm->size / rows, 64));
    SCALAY_TRY(take_fixed(s, options, 1, s->comm->size, 32));
    SCALAY_TRY(take_fixed(s, options, 1, 2, 64));
cleanup:
    scalay_advice_destroy(&advice);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ runs */

static scalay_status run_once(arena *s, tried *t)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_trial trial = {.comm = s->comm,
                                .type = SCALAY_DOUBLE,
                                .kernel = s->at->kernel,
                                .source = s->source,
                                .is_summa = t->is_summa,
                                .is_engine = t->is_engine,
                                .bring_back = s->at->back};
    scalay_trial_seconds seconds = {0.0, 0.0, 0.0};
    SCALAY_TRY(scalay_trial_run(&trial, t->layout, &seconds));
    const double move = seconds.move + seconds.back, kernel = s->at->times * seconds.kernel;
    t->found[0][t->runs] = move;
    t->found[1][t->runs] = kernel;
    t->found[2][t->runs] = move + kernel;
    t->runs++;
cleanup:
    return status;
}

/* Those that are to run, in turn. */
static scalay_status run_rounds(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    double began = MPI_Wtime(), spent = 0.0;
    for (int k = 0; k < s->count; k++)
        if (s->tried[k].again) s->tried[k].runs = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < s->count; k++) {
            tried *t = &s->tried[(k + round) % s->count];
            if (t->again) SCALAY_TRY(run_once(s, t));
        }
        spent = MPI_Wtime() - began;
        SCALAY_TRY_MPI(MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, s->comm->mpi));
        if ((round + 1 >= LEAST_ROUNDS && spent > BUDGET) || spent > 3.0 * BUDGET) break;
    }
    for (int k = 0; k < s->count; k++)
        for (int c = 0; c < 3 && s->tried[k].again; c++)
            s->tried[k].measured[c] = timing_median(s->tried[k].found[c], s->tried[k].runs);
cleanup:
    return status;
}

/* All of them; then the first, and those that were faster. */
static scalay_status run_all(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    int faster = 0;
    SCALAY_TRY(run_rounds(s));
    for (int k = 0; k < s->count; k++) {
        s->tried[k].again = k == 0 || s->tried[k].measured[2] < s->tried[0].measured[2];
        faster += s->tried[k].again;
    }
    if (faster > 1) SCALAY_TRY(run_rounds(s));
cleanup:
    return status;
}

static void write_rows(const arena *s, int number, FILE *csv)
{
    for (int k = 0; k < s->count; k++) {
        const tried *t = &s->tried[k];
        fprintf(csv, "%d,%d,%s,\"%s\",%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", number, s->at->processes,
                scalay_kernel_name(s->at->kernel), s->at->source, t->name, t->predicted[0], t->predicted[1],
                t->predicted[2], t->measured[0], t->measured[1], t->measured[2]);
    }
    fflush(csv);
}

static scalay_status measure(arena *s, int speaks)
{
    const scalay_machine *m = &s->machine;
    scalay_status status = scalay_machine_measure(s->comm, &s->machine);
    if (status == SCALAY_SUCCESS && speaks)
        printf("P %d: flop %.3g, vector %.3g, message %.3g, byte %.3g, copied %.3g, alone %.3g of %lld, lockstep "
               "%.3g\n",
               s->comm->size, m->seconds_per_flop, m->seconds_per_flop_vector, m->seconds_per_message,
               m->seconds_per_byte, m->seconds_per_byte_copied, m->solo_time_ratio, (long long)m->concurrent_processes,
               m->ring_slowdown);
    return status;
}

static scalay_status find_cores(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(s->comm, SCALAY_NEW(s->core, s->comm->size)));
    SCALAY_TRY(scalay_machine_cores(s->comm, s->core));
cleanup:
    return status;
}

static scalay_status run_situation(arena *s, int number, FILE *csv)
{
    scalay_status status = SCALAY_SUCCESS;
    s->at = &situations[number];
    s->count = 0;
    SCALAY_TRY(scalay_layout_parse(s->at->source, &s->source));
    SCALAY_TRY(measure(s, csv != NULL));
    SCALAY_TRY(list_candidates(s));
    SCALAY_TRY(run_all(s));
    if (csv != NULL) write_rows(s, number, csv);
cleanup:
    for (int k = 0; k < s->count; k++) scalay_layout_destroy(&s->tried[k].layout);
    scalay_layout_destroy(&s->source);
    return status;
}

/* --------------------------------------------------------------------------------------------------- summary */

typedef struct {
    int number;
    char rest[LINE];
    double chosen, predicted, best;
    int rows, near;
} score;

static int read_row(const char *line, int *number, double value[6], char name[NAME])
{
    const char *quote = strrchr(line, '"');
    return sscanf(line, "%d,", number) == 1 && quote != NULL &&
           sscanf(quote, "\",%63[^,],%lf,%lf,%lf,%lf,%lf,%lf", name, &value[0], &value[1], &value[2], &value[3],
                  &value[4], &value[5]) == 7;
}

static void print_score(const score *s, int *good, int *near, int *rows, int *near_rows, int *count)
{
    if (s->rows == 0) return;
    const double regret = s->chosen / s->best, error = s->predicted / s->chosen;
    *count += 1;
    *good += regret <= 1.1;
    *near += error >= 0.7 && error <= 1.3;
    *rows += s->rows;
    *near_rows += s->near;
    printf("%3d %-60.60s %8.4f %8.4f %8.3f %8.3f\n", s->number, s->rest, s->chosen, s->best, regret, error);
}

static void summarise(FILE *csv)
{
    char line[LINE], name[NAME];
    double v[6];
    int number = 0, good = 0, near = 0, rows = 0, near_rows = 0, count = 0;
    score at = {.number = -1};
    printf("%-64s %8s %8s %8s %8s\n", "situation", "chosen s", "best s", "/best", "pred.");
    while (fgets(line, sizeof line, csv) != NULL) {
        if (!read_row(line, &number, v, name)) continue;
        if (number != at.number) {
            print_score(&at, &good, &near, &rows, &near_rows, &count);
            at = (score){.number = number, .chosen = v[5], .predicted = v[2], .best = v[5]};
            (void)snprintf(at.rest, sizeof at.rest, "%s", strchr(line, ',') + 1);
            *(strrchr(at.rest, '"')) = '\0';
        }
        at.best = fmin(at.best, v[5]);
        at.rows++;
        at.near += v[2] >= 0.7 * v[5] && v[2] <= 1.3 * v[5];
    }
    print_score(&at, &good, &near, &rows, &near_rows, &count);
    printf(
        "\nthe measured best or within 10%% of it: %d of %d; total of the chosen predicted within 30%%: %d of %d; of "
        "all that was run: %d of %d\n",
        good, count, near, count, near_rows, rows);
}

static int holds(FILE *csv, int wanted)
{
    char line[LINE], name[NAME];
    double v[6];
    int number = 0, found = 0;
    rewind(csv);
    while (!found && fgets(line, sizeof line, csv) != NULL)
        found = read_row(line, &number, v, name) && number == wanted;
    fseek(csv, 0, SEEK_END);
    return found;
}

static scalay_status run_slice(arena *s, FILE *csv, int first, int last)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = first; k < SITUATIONS && k <= last; k++) {
        int skip = situations[k].processes != s->comm->size || (csv != NULL && holds(csv, k));
        SCALAY_TRY_MPI(MPI_Bcast(&skip, 1, MPI_INT, 0, s->comm->mpi));
        if (!skip) SCALAY_TRY(run_situation(s, k, csv));
    }
cleanup:
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_memory_keep_released();
    static arena s;
    FILE *csv = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: mpirun -n P %s CSV [FIRST [LAST]]\n", argv[0]);
        return 2;
    }
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &s.comm);
    if (status == SCALAY_SUCCESS && s.comm->rank == 0 && (csv = fopen(argv[1], "a+")) == NULL) {
        perror(argv[1]);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (status == SCALAY_SUCCESS && s.comm->size == 1)
        rewind(csv), summarise(csv);
    else if (status == SCALAY_SUCCESS && (status = find_cores(&s)) == SCALAY_SUCCESS)
        status = run_slice(&s, csv, argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? atoi(argv[3]) : SITUATIONS);
    if (status != SCALAY_SUCCESS) fprintf(stderr, "%s\n", scalay_error_message());
    if (csv != NULL) fclose(csv);
    scalay_release(s.core);
    scalay_comm_destroy(&s.comm);
    MPI_Finalize();
    return status != SCALAY_SUCCESS;
}
