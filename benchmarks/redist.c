/* Redistribution: our transports beside ScaLAPACK's p?gemr2d, beside other libraries that have one, and beside a memcpy
   of the local matrix that all ranks make at the same time. Every round runs each of them once, another one first in
   each round; medians over the rounds; the time of a run is that of the slowest rank, that of small matrices the mean
   of 50 runs in a row. Times of different ranks are not subtracted: MPI_Wtime() of Open MPI starts at 0 in the first
   call of each rank. What has arrived is looked at once per contender.

   Memory is the peak of the first run, plan included, of the rank that needs most (redist_memory.h). A library that
   keeps its buffers needs nothing in the second case: take one case and one contender per run for those.

   On several nodes, "exchange" sends what must go to other nodes by plain MPI, from contiguous buffers: what the link
   and the processors that serve it allow; with --copies, it also copies the elements as often as a move has to. The
   first call of a contender, plan included, is a table of its own.

   Usage: mpirun -n P bench_redist [options]
     --n N[,N...]       extents; 2048
     --rounds R         1 to 101; 7
     --case TEXT        only the cases whose names contain TEXT
     --only NAME[,...]  only these contenders, besides memcpy
     --costa LIBRARY    a library with COSTA's pdgemr2d_; it is asked only for what keeps the grid
     --any-grid         it can change grids
     --dropin LIBRARY   libscalay_scalapack
     --link RATE        bytes per second that a node can send to other nodes
     --pieces BYTES     the exchange sends messages of at most so many bytes
     --copies           the exchange packs and unpacks its messages
     --csv FILE         appended
     --large            local arrays and messages above 2^31 bytes: for 2 processes, n = 17000, 10 GB; without memcpy,
                        and without stock unless named by --only */
#include "timing.h"

#include <limits.h>

#include "base/integer.h"
#include "parallel/node.h"
#include "redist_contenders.h"
#include "redist_memory.h"
#include "redist_report.h"

enum { MAX_ROUNDS = 101, MAX_SIZES = 16, SMALL_RUNS = 50, PLANS = 5, LARGE_N = 17000 };

typedef struct {
    int sizes[MAX_SIZES], size_count;
    int rounds, large, any_grid;
    double link;
    int64_t piece;
    int copies;
    const char *only, *case_text, *csv;
    const char *libraries[CONTENDERS];
} bench_options;

/* ------------------------------------------------------------------------------------------------- options */

static void leave_with_usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--n N[,N...]] [--rounds R] [--case TEXT] [--only NAME[,...]] [--costa LIBRARY [--any-grid]] "
            "[--dropin LIBRARY] [--link RATE] [--pieces BYTES] [--copies] [--csv FILE] [--large]\n",
            program);
    exit(2);
}

static int read_sizes(const char *text, bench_options *options)
{
    options->size_count = 0;
    while (options->size_count < MAX_SIZES) {
        char *end = NULL;
        const long value = strtol(text, &end, 10);
        if (end == text || value < 1 || value > 100000) return 0;
        options->sizes[options->size_count++] = (int)value;
        if (*end == '\0') return 1;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}

/* An option with a value; 0: none of that name, or its value is not one. */
static int read_value(const char *name, const char *value, bench_options *options)
{
    if (strcmp(name, "--n") == 0) return read_sizes(value, options);
    if (strcmp(name, "--rounds") == 0) return (options->rounds = atoi(value)) >= 1 && options->rounds <= MAX_ROUNDS;
    if (strcmp(name, "--case") == 0) return (options->case_text = value) != NULL;
    if (strcmp(name, "--only") == 0) return (options->only = value) != NULL;
    if (strcmp(name, "--link") == 0) return (options->link = atof(value)) > 0.0;
    if (strcmp(name, "--pieces") == 0) return (options->piece = atoi(value)) > 0;
    if (strcmp(name, "--csv") == 0) return (options->csv = value) != NULL;
    if (strcmp(name, "--costa") == 0) return (options->libraries[COSTA] = value) != NULL;
    if (strcmp(name, "--dropin") == 0) return (options->libraries[DROPIN] = value) != NULL;
    return 0;
}

static bench_options read_options(int argc, char **argv)
{
    bench_options options = {.sizes = {2048}, .size_count = 1, .rounds = 7, .piece = INT_MAX};
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--large") == 0) {
            options.large = 1;
            options.sizes[0] = LARGE_N;
            options.rounds = 1;
        } else if (strcmp(argv[k], "--any-grid") == 0) {
            options.any_grid = 1;
        } else if (strcmp(argv[k], "--copies") == 0) {
            options.copies = 1;
        } else if (k + 1 < argc && read_value(argv[k], argv[k + 1], &options)) {
            k++;
        } else {
            leave_with_usage(argv[0]);
        }
    }
    return options;
}

/* Whether a contender is in a list of names; NULL: of all. */
static int is_named(const char *list, contender k)
{
    const char *name = contenders[k].name;
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ','), at += at != NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
    return list == NULL;
}

/* Whether a contender takes part in a case. */
static int takes_part(const bench_options *options, const arena *s, contender k)
{
    if (k == MEMCPY) return !options->large; /* not every rank has both ends */
    if (k == EXCHANGE && (options->large || s->exchange.out == NULL)) return 0;
    if (k == STOCK && options->large && options->only == NULL) return 0;
    if ((k == STOCK || k == COSTA || k == DROPIN) && (s->spec->from.tiles || s->spec->to.tiles)) return 0;
    if ((k == COSTA || k == DROPIN) && options->libraries[k] == NULL) return 0;
    if (k == COSTA && !options->any_grid && !same_grids(s->comm, s->spec)) return 0;
    return is_named(options->only, k);
}

/* --------------------------------------------------------------------------------------------------- runs */

/* The first run of a contender: makes its plan, measures memory, and looks at what has arrived. 0: it cannot. */
static int first_run(arena *s, contender k, outcome *of)
{
    const int64_t larger = s->a.count > s->b.count ? s->a.count : s->b.count;
    double local = 8.0 * (double)larger;
    int64_t wrong = 0;
    MPI_Comm world = s->comm->mpi;
    MPI_Allreduce(MPI_IN_PLACE, &local, 1, MPI_DOUBLE, MPI_MAX, world);
    (void)window_visit(s->comm, &s->a, array_of(&s->a, k), 1);
    wipe(&s->b, array_of(&s->b, k));
    MPI_Barrier(world);
    const memory_mark start = memory_start();
    double seconds = -MPI_Wtime();
    if (contenders[k].transport != NULL) make_plan(s, k, &s->plans[k]);
    if (contenders[k].transport != NULL && s->plans[k] == NULL) return 0;
    move(s, k);
    seconds += MPI_Wtime();
    MPI_Allreduce(&seconds, &of->first_seconds, 1, MPI_DOUBLE, MPI_MAX, world);
    const double peak = memory_peak(world, start);
    of->extra = peak < 0.0 ? -1.0 : peak / local;
    if (k != MEMCPY && k != EXCHANGE) wrong = window_visit(s->comm, &s->b, array_of(&s->b, k), 0);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, world);
    if (wrong > 0 && s->comm->rank == 0)
        fprintf(stderr, "%s: %s: %lld elements are WRONG\n", s->spec->name, contenders[k].name, (long long)wrong);
    return wrong == 0;
}

/* Seconds of a run, of the slowest rank. */
static double timed_run(arena *s, contender k)
{
    const int runs = s->n <= SMALL ? SMALL_RUNS : 1;
    MPI_Barrier(s->comm->mpi);
    double seconds = -MPI_Wtime();
    for (int run = 0; run < runs; run++) move(s, k);
    seconds += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, s->comm->mpi);
    return seconds / runs;
}

static void time_rounds(arena *s, int rounds, const int *runs, outcome *of)
{
    static double seconds[CONTENDERS][MAX_ROUNDS];
    for (int round = 0; round < rounds; round++)
        for (int turn = 0; turn < CONTENDERS; turn++) {
            const int k = (turn + round) % CONTENDERS;
            if (runs[k]) seconds[k][round] = timed_run(s, (contender)k);
        }
    for (int k = 0; k < CONTENDERS; k++)
        if (runs[k]) of[k].seconds = timing_median(seconds[k], rounds);
}

/* The plan of a contender: what it says of its memory, and the time to make it. */
static void measure_plan(const arena *s, contender k, outcome *of)
{
    scalay_plan_statistics statistics = {0};
    double seconds[PLANS], local[2];
    const int64_t larger = s->a.count > s->b.count ? s->a.count : s->b.count;
    (void)scalay_plan_get_statistics(s->plans[k], &statistics);
    local[0] = (double)(statistics.extra_bytes + statistics.plan_bytes);
    local[1] = 8.0 * (double)larger;
    MPI_Allreduce(MPI_IN_PLACE, local, 2, MPI_DOUBLE, MPI_MAX, s->comm->mpi);
    of->extra_said = local[0] / local[1];
    for (int run = 0; run < PLANS; run++) {
        scalay_plan *plan = NULL;
        MPI_Barrier(s->comm->mpi);
        seconds[run] = -MPI_Wtime();
        make_plan(s, k, &plan);
        seconds[run] += MPI_Wtime();
        scalay_plan_destroy(&plan);
        MPI_Allreduce(MPI_IN_PLACE, &seconds[run], 1, MPI_DOUBLE, MPI_MAX, s->comm->mpi);
    }
    of->plan_seconds = timing_median(seconds, PLANS);
}

static void set_up(const bench_options *options, arena *s)
{
    int plain = 0, shared = 0;
    for (int k = 0; k < CONTENDERS; k++) plain |= !is_shared((contender)k) && takes_part(options, s, (contender)k);
    for (int k = 0; k < CONTENDERS; k++) shared |= is_shared((contender)k) && takes_part(options, s, (contender)k);
    s->a = redist_matrix_create(s->comm, s->n, &s->spec->from);
    s->b = redist_matrix_create(s->comm, s->n, &s->spec->to);
    redist_matrix_allocate(s->comm, &s->a, plain, shared);
    redist_matrix_allocate(s->comm, &s->b, plain, shared);
    timing_must(scalay_grid_acquire(s->comm, 1, s->comm->size, NULL, &s->all));
}

static void tear_down(arena *s)
{
    for (int k = 0; k < CONTENDERS; k++) scalay_plan_destroy(&s->plans[k]);
    (void)scalay_grid_release(s->comm, &s->all);
    redist_matrix_free(s->comm, &s->a);
    redist_matrix_free(s->comm, &s->b);
}

/* Whether a case is another one's with so many processes: nothing moves. */
static int is_idle(const arena *s)
{
    return s->comm->size > 1 && strcmp(s->spec->name, "identical") != 0 &&
           scalay_layout_same_owners(s->a.layout, s->b.layout);
}

/* Adds the bytes that a process sends to other nodes: to the messages of this rank, and to what its node sends and the
   others receive. */
static void add_link_bytes(const arena *s, const scalay_traffic *traffic, const int *node, int from, int64_t *sent,
                           int64_t *received)
{
    const int *part = NULL;
    const int64_t *elements = NULL;
    int64_t entries = 0;
    timing_must(scalay_traffic_row(traffic, from, &entries, &part, &elements));
    for (int64_t k = 0; k < entries; k++) {
        const int to = scalay_layout_process_of_part(s->b.layout, part[k]);
        const int64_t bytes = elements[k] * (int64_t)sizeof(double);
        if (node[from] == node[to]) continue;
        sent[node[from]] += bytes;
        received[node[to]] += bytes;
        if (from == s->comm->rank) s->exchange.out[to] += bytes;
        if (to == s->comm->rank) s->exchange.in[from] += bytes;
    }
}

/* Makes the messages between nodes. Returns the bytes of the node that sends or receives most; 0: there is one node. */
static int64_t make_exchange(arena *s)
{
    const int *node = NULL;
    scalay_traffic *traffic = NULL;
    int64_t most = 0, messages = 0;
    exchange_buffers *x = &s->exchange;
    timing_must(scalay_node_of_ranks(s->comm, &node));
    if (node == NULL) return 0;
    int64_t *sent = calloc(2 * (size_t)s->comm->size, sizeof *sent), *received = sent + s->comm->size;
    x->out = calloc(2 * (size_t)s->comm->size, sizeof *x->out);
    x->in = x->out + s->comm->size;
    timing_must(scalay_traffic_create(s->a.layout, s->b.layout, &traffic));
    for (int from = 0; from < scalay_layout_processes(s->a.layout); from++)
        add_link_bytes(s, traffic, node, from, sent, received);
    for (int k = 0; k < 2 * s->comm->size; k++) most = scalay_max_int64(most, sent[k]);
    for (int k = 0; k < s->comm->size; k++) x->bytes_out += x->out[k];
    for (int k = 0; k < s->comm->size; k++) x->bytes_in += x->in[k];
    for (int k = 0; k < 2 * s->comm->size; k++) messages += scalay_ceil_div(x->out[k], s->piece);
    x->requests = calloc((size_t)messages + 1, sizeof(MPI_Request));
    x->from = calloc((size_t)x->bytes_out + 1, 1);
    x->to = calloc((size_t)x->bytes_in + 1, 1);
    scalay_traffic_destroy(&traffic);
    free(sent);
    return most;
}

static void free_exchange(exchange_buffers *x)
{
    free(x->out);
    free(x->from);
    free(x->to);
    free(x->requests);
    *x = (exchange_buffers){NULL};
}

/* Whether there was something to measure. */
static int run_case(const bench_options *options, arena *s, outcome *of, int64_t *link_bytes)
{
    int runs[CONTENDERS] = {0};
    set_up(options, s);
    const int idle = is_idle(s);
    *link_bytes = make_exchange(s);
    for (int k = 0; k < CONTENDERS; k++) {
        of[k] = (outcome){-1.0, -1.0, -1.0, -1.0, -1.0};
        if (!idle && takes_part(options, s, (contender)k)) runs[k] = first_run(s, (contender)k, &of[k]);
    }
    time_rounds(s, options->rounds, runs, of);
    for (int k = 0; k < CONTENDERS; k++)
        if (s->plans[k] != NULL) measure_plan(s, (contender)k, &of[k]);
    free_exchange(&s->exchange);
    tear_down(s);
    return !idle;
}

/* The cases of a size. */
static void choose_cases(const bench_options *options, outcomes *all)
{
    all->specs = redist_cases;
    all->cases = CASES;
    if (options->large) {
        all->specs = redist_large_cases;
        all->cases = CASES_LARGE;
    } else if (all->n <= SMALL) {
        all->specs = redist_small_cases;
        all->cases = CASES_SMALL;
    }
}

static void run_size(const bench_options *options, arena *s, FILE *csv)
{
    static outcomes all;
    all = (outcomes){.n = s->n, .processes = s->comm->size, .rounds = options->rounds, .link = options->link};
    choose_cases(options, &all);
    if (s->comm->rank == 0) {
        printf("\n%d x %d doubles, %d processes, medians of %d rounds\n", s->n, s->n, s->comm->size, options->rounds);
        print_head("milliseconds");
    }
    for (int k = 0; k < all.cases; k++) {
        s->spec = &all.specs[k];
        if (options->case_text != NULL && strstr(s->spec->name, options->case_text) == NULL) continue;
        all.ran[k] = run_case(options, s, all.of[k], &all.link_bytes[k]);
        if (all.ran[k] && s->comm->rank == 0) print_case(&all, milliseconds, k);
    }
    if (s->comm->rank != 0) return;
    report_print(&all);
    if (csv != NULL) report_write(&all, csv);
}

/* ------------------------------------------------------------------------------------------------- the whole */

/* MPI makes what it needs for long messages now, so that it is nobody's memory. */
static void warm_up(const scalay_comm *comm)
{
    enum { EACH = 1 << 18 };
    char *from = NULL, *to = NULL;
    timing_must(SCALAY_NEW(from, (int64_t)comm->size * EACH));
    timing_must(SCALAY_NEW(to, (int64_t)comm->size * EACH));
    for (int k = 0; k < 2; k++) MPI_Alltoall(from, EACH, MPI_CHAR, to, EACH, MPI_CHAR, comm->mpi);
    scalay_release(from);
    scalay_release(to);
}

static FILE *open_csv(const char *path)
{
    FILE *csv = fopen(path, "a");
    if (csv == NULL) {
        perror(path);
        exit(2);
    }
    if (ftell(csv) == 0) report_write_head(csv);
    return csv;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const bench_options options = read_options(argc, argv);
    arena s = {.all = -1, .piece = options.piece, .copies = options.copies};
    FILE *csv = NULL;
    check_stock();
    timing_must(scalay_comm_create(MPI_COMM_WORLD, &s.comm));
    if (s.comm->rank == 0) timing_print_machine(NULL);
    if (s.comm->rank == 0 && options.csv != NULL) csv = open_csv(options.csv);
    for (int k = 0; k < CONTENDERS; k++)
        if (options.libraries[k] != NULL) s.libraries[k] = load_library(options.libraries[k]);
    warm_up(s.comm);
    for (int k = 0; k < options.size_count; k++) {
        s.n = options.sizes[k];
        run_size(&options, &s, csv);
    }
    if (csv != NULL) (void)fclose(csv);
    scalay_comm_destroy(&s.comm);
    MPI_Finalize();
    return 0;
}
