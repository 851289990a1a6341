/* Planning a redistribution for up to 10^5 processes and n = 10^6, in one process: processor seconds and memory of what
 * a rank makes for itself, both of its sides sorted by the ranks at the other end; the ranks are some of all.
 *
 * Peer, written here from its description: the owners of all blocks of both matrices in an array each, as
 * redistribution libraries keep them, which a rank reads wherever it owns the source to count what it sends to whom. It
 * needs n / nb x n / nb entries, and is left out above 2^28 of them ("refused") and beyond the limit of time.
 *
 * Usage: bench_redist_plan [--full] [--limit SECONDS] [--seed N] */
#include "timing.h"

#include "base/memory.h"
#include "base/random.h"
#include "layout/layout.h"
#include "redist/packages.h"

enum { RANKS = 5, MAX_BLOCKS = 1 << 28 };

/* A block-cyclic layout, or, skewed, a tile map made of it. */
typedef struct {
    int64_t nb;
    int p, q;
    scalay_order order;
    int skewed;
} end_spec;

typedef struct {
    const char *name;
    int64_t n;
    end_spec from, to;
} case_spec;

static const case_spec cases[] = {
    {"nb 64 -> 128", 400000, {64, 4, 4, 0, 0}, {128, 4, 4, 0, 0}},
    {"nb 1 -> 64", 400000, {1, 4, 4, 0, 0}, {64, 4, 4, 0, 0}},
    {"nb 64 -> 128", 1000000, {64, 2, 2, 0, 0}, {128, 2, 2, 0, 0}},
    {"nb 1 -> 64", 1000000, {1, 2, 2, 0, 0}, {64, 2, 2, 0, 0}},
    {"nb 64 -> 128", 1000000, {64, 250, 400, 0, 0}, {128, 250, 400, 0, 0}},
    {"nb 64, p x q -> q x p", 1000000, {64, 250, 400, 0, 0}, {64, 400, 250, 0, 0}},
    {"nb 64, row -> column", 1000000, {64, 250, 400, 0, 0}, {64, 250, 400, SCALAY_COLUMN_MAJOR, 0}},
    {"nb 1 -> 64", 1000000, {1, 250, 400, 0, 0}, {64, 250, 400, 0, 0}},
    {"nb 1, p x q -> 1 x P", 1000000, {1, 250, 400, 0, 0}, {1, 1, 100000, 0, 0}},
    {"tiles -> nb 1000", 1000000, {1000, 25, 40, 0, 1}, {1000, 25, 40, 0, 0}},
    {"tiles -> nb 1000", 1000000, {1000, 250, 400, 0, 1}, {1000, 250, 400, 0, 0}},
    {"tiles -> nb 64", 1000000, {1000, 250, 400, 0, 1}, {64, 250, 400, 0, 0}},
    {"tiles -> tiles", 1000000, {1000, 25, 40, 0, 1}, {700, 25, 40, 0, 1}},
};

static scalay_layout *make_layout(int64_t n, const end_spec *end, uint64_t seed)
{
    scalay_layout *layout = NULL;
    if (end->skewed)
        timing_must(scalay_layout_skewed(n, n, end->nb, end->nb, end->p, end->q, seed, &layout));
    else
        timing_must(scalay_layout_block_cyclic(n, n, end->nb, end->nb, end->p, end->q, 0, 0, end->order, &layout));
    return layout;
}

/* ---------------------------------------------------------------------------------------------------- ours */

/* What a rank's two sides took. */
typedef struct {
    double seconds;
    double bytes, peak;
    int64_t partners;
} effort;

static effort plan_rank(const scalay_side_spec *spec, int rank)
{
    effort of = {0};
    scalay_side source, target;
    scalay_memory_reset_peak();
    const int64_t before = scalay_memory_bytes();
    const double start = timing_now();
    timing_must(scalay_side_create(spec, SCALAY_SIDE_SOURCE, rank, &source));
    timing_must(scalay_side_create(spec, SCALAY_SIDE_TARGET, rank, &target));
    of.seconds = timing_now() - start;
    of.peak = (double)(scalay_memory_peak() - before);
    of.bytes = (double)(scalay_side_bytes(&source) + scalay_side_bytes(&target));
    of.partners = source.package_count + target.package_count;
    scalay_side_free(&source);
    scalay_side_free(&target);
    return of;
}

/* The first rank, the last, and some between: the median of the time, the most of everything else. */
static effort plan_ranks(const scalay_side_spec *spec, uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    const int processes = scalay_layout_processes(spec->source);
    double seconds[RANKS];
    effort most = {0};
    for (int k = 0; k < RANKS; k++) {
        const int rank = k == 0 ? 0 : k == 1 ? processes - 1 : (int)scalay_random_below(&random, processes);
        const effort of = plan_rank(spec, rank);
        seconds[k] = of.seconds;
        if (of.bytes > most.bytes) most.bytes = of.bytes;
        if (of.peak > most.peak) most.peak = of.peak;
        if (of.partners > most.partners) most.partners = of.partners;
    }
    most.seconds = timing_median(seconds, RANKS);
    return most;
}

/* ---------------------------------------------------------------------------------------------------- peer */

static int64_t blocks_of(const case_spec *spec, const end_spec *end)
{
    return (spec->n + end->nb - 1) / end->nb;
}

/* The owners of all blocks, row by row. */
static int *owners_of(const scalay_layout *layout, int64_t blocks, int64_t nb)
{
    int *owner = NULL;
    timing_must(SCALAY_NEW(owner, blocks * blocks));
    for (int64_t i = 0; i < blocks; i++)
        for (int64_t j = 0; j < blocks; j++) owner[i * blocks + j] = scalay_layout_owner(layout, i * nb, j * nb);
    return owner;
}

typedef struct {
    const case_spec *spec;
    const scalay_side_spec *layouts;
    const int *from, *to; /* owners */
    int64_t *items;       /* shape [processes] */
} walk;

/* Counts what a block of rank 0 has in common with the target's blocks. */
static void walk_block(const walk *w, int64_t i, int64_t j)
{
    const int64_t from = w->spec->from.nb, to = w->spec->to.nb, blocks = blocks_of(w->spec, &w->spec->to);
    const int64_t row_end = (i + 1) * from < w->spec->n ? (i + 1) * from : w->spec->n;
    const int64_t col_end = (j + 1) * from < w->spec->n ? (j + 1) * from : w->spec->n;
    for (int64_t r = i * from, next_r; r < row_end; r = next_r) {
        next_r = (r / to + 1) * to < row_end ? (r / to + 1) * to : row_end;
        for (int64_t c = j * from, next_c; c < col_end; c = next_c) {
            next_c = (c / to + 1) * to < col_end ? (c / to + 1) * to : col_end;
            w->items[w->to[r / to * blocks + c / to]] += (next_r - r) * (next_c - c);
        }
    }
}

/* Seconds in which rank 0 finds out what it sends to whom. */
static double plan_by_owners(void *context, double *value)
{
    walk *w = context;
    const int64_t blocks = blocks_of(w->spec, &w->spec->from), others = blocks_of(w->spec, &w->spec->to);
    if (blocks > MAX_BLOCKS / blocks || others > MAX_BLOCKS / others) return TIMING_REFUSED;
    const double start = timing_now();
    int *from = owners_of(w->layouts->source, blocks, w->spec->from.nb);
    int *to = owners_of(w->layouts->target, others, w->spec->to.nb);
    w->from = from;
    w->to = to;
    timing_must(SCALAY_NEW(w->items, scalay_layout_processes(w->layouts->target)));
    for (int64_t i = 0; i < blocks; i++)
        for (int64_t j = 0; j < blocks; j++)
            if (from[i * blocks + j] == 0) walk_block(w, i, j);
    const double seconds = timing_now() - start;
    *value = (double)w->items[0];
    scalay_release(from);
    scalay_release(to);
    scalay_release(w->items);
    return seconds;
}

/* -------------------------------------------------------------------------------------------------- tables */

static void run_case(const case_spec *spec, const timing_options *options)
{
    scalay_layout *source = make_layout(spec->n, &spec->from, options->seed);
    scalay_layout *target = make_layout(spec->n, &spec->to, options->seed + 1);
    const scalay_side_spec layouts = {.source = source,
                                      .target = target,
                                      .trapezoid =
                                          scalay_trapezoid_of(SCALAY_WHOLE, SCALAY_NON_UNIT, spec->n, spec->n)};
    const effort ours = plan_ranks(&layouts, options->seed);
    walk w = {.spec = spec, .layouts = &layouts};
    double kept = 0.0;
    const double peer = timing_limited(plan_by_owners, &w, options->limit, &kept);
    printf("%-22s %8lld %8d %9lld %11.4g %10.3f %10.3f", spec->name, (long long)spec->n, spec->from.p * spec->from.q,
           (long long)ours.partners, ours.seconds, ours.bytes * 1e-6, ours.peak * 1e-6);
    timing_print_peer(peer, ours.seconds, options->limit);
    printf("\n");
    fflush(stdout);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

int main(int argc, char **argv)
{
    const timing_options options = timing_read_options(argc, argv, (timing_options){.limit = 20, .seed = 1});
    timing_print_machine(&options);
    printf("%-22s %8s %8s %9s %11s %10s %10s %11s %10s\n", "case", "n", "P", "partners", "seconds", "MB", "peak MB",
           "all blocks", "times");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) run_case(&cases[k], &options);
    return 0;
}
